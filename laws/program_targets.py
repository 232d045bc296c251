"""The targets that compile programs on their own, against plain Python: machine code and XLA.

    value and pullback by a target = plain Python on dual numbers

A target is asked without another one behind it; what it leaves to NumPy says nothing, and is counted.

>>> [check.name for check in TARGETED]
['program-machine-code', 'program-xla']
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.errors import CannotStage
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.programs import Written, drawn, flat, function_in, reference
from ccc.laws.subjects import on_target


def by_machine_code(comparison: Any, example: Written) -> Judged:
    return _by(comparison, example, "native")


def _xla(comparison: Any, example: Written) -> Judged:
    return _by(comparison, example, "xla")


def _by(comparison: Any, example: Written, backend: str) -> Judged:
    """The code of a target for the pullback, which leaves nothing to another one, against plain Python."""
    f = function_in(example)
    value, slope = reference(f, example)
    found, pull = by_target(f, comparison.k.exponential, example.args, backend)
    if flat(found) != value:
        return Judged(Difference("values differ", example.args, None, flat(found), value))
    seeds = [float(1 + comparison.draw.below(5)) for _ in value]
    number, *rest = found if isinstance(found, tuple) else (found,)
    cts = pull(type(number)(seeds[0]), *[np.array(seeds[1:]) for _ in rest])
    left = sum(float(np.sum(ct * v)) for ct, v in zip(cts, example.tangents, strict=False))
    right = sum(s * d for s, d in zip(seeds, slope, strict=True))
    what = "<pb w, v> is not <w, J v>, J of plain Python"
    return Judged(None if left == right else Difference(what, example.args, seeds, left, right))


def by_target(f: Any, exponential: Any, args: tuple[Any, ...], backend: str) -> Any:
    """The value and the pullback. Raises `NotImplementedError` with the reason where the target does not take them."""
    from ccc.compile.api.targets import TARGETS, made_by
    from ccc.compile.frontend.elaborate import elaborate
    from ccc.compile.passes.improve import improve
    from ccc.compile.program.lam import Var, leaves
    from ccc.compile.terms.plan import Plan, derived

    def other(*args: Any) -> Any:
        raise NotImplementedError(f"{backend} leaves the call")

    plan, plain = Plan("pullback", tuple(range(len(args))), exponential), elaborate(f, args).program
    if not all(isinstance(leaf, Var) for leaf in leaves(plain.result)):
        raise NotImplementedError("a result that is known, of which the code takes no cotangent")
    try:
        program = derived(plan, plain)
    except CannotStage as error:
        raise NotImplementedError(str(error)) from error
    improve(program)
    call, left_to = made_by(TARGETS[backend], program, plan.pullback, other, args)
    if left_to:
        raise NotImplementedError(left_to)
    return call(*args)


TARGETED: tuple[Check, ...] = (
    Check("program-machine-code", "programs", "value and pullback by machine code = plain Python on dual numbers",
          drawn, by_machine_code, applies=on_target("pullbacks", "native"), share=0.05, weight=40.0),
    Check("program-xla", "programs", "value and pullback by XLA = plain Python on dual numbers",
          drawn, _xla, applies=on_target("pullbacks", "xla"), share=0.02, weight=100.0),
)
