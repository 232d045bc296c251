"""From a function and a signature to a compiled derivative: elaborate, derive, emit.

A `Plan` says what is wanted (value, gradient, pullback, differential, the meaning in a category), with respect to which
parameters, under which exponential. `build` makes the code for one signature; `ccc.compile.api.wrapper` caches it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ccc.compile.api import choice, measuring, programs
from ccc.compile.api.targets import AUTO, REFERENCE, TARGETS, made_by
from ccc.compile.api.uncollected import uncollected
from ccc.compile.diagnostics import CompileError, Diagnostic, installed, warned
from ccc.compile.frontend.captures import Reader
from ccc.compile.frontend.elaborate import Elaborated, elaborate, surveyed
from ccc.compile.numpy_source.kept_memory import keep
from ccc.compile.numpy_source.numpy_target import Late
from ccc.compile.passes import inlining
from ccc.compile.passes.improve import improve
from ccc.compile.passes.unknown_derivatives import refuse_unknown
from ccc.compile.program.assumed import Assumed, Axis, Bound, Class
from ccc.compile.program.deep import deeply
from ccc.compile.program.dependence import depends
from ccc.compile.program.lam import Apply, Program, Tree, Var, dispose, leaves, lets_in, like
from ccc.compile.program.shapes import assumed_in, variables
from ccc.compile.terms import scalar_results
from ccc.compile.terms.plan import Kind, Plan, derived, ending
from ccc.compile.terms.wanted import known, reach, text_of
from ccc.errors import CannotStage
from ccc.objects import UNIT, Array, List, is_discrete
from ccc.primitives import barriers, effects, zero_trees
from ccc.primitives.pointwise import no_cotangents

if TYPE_CHECKING:
    from ccc.compile.api.write_back import WritingBack

BACKEND = AUTO
"""The backend of programs that name none: NumPy's without llvmlite."""


class Built:
    """One compiled program: the function, what it reads from outside, and the objects of its result; `left_to` says
    why its target left the program to the reference, `waiting` is a program that may become machine code later, and
    `sizes` is what it takes to hold of the sizes of arguments. The other stages it went through are not kept;
    `explain` makes them again."""

    __slots__ = ("call", "guards", "hidden", "left_to", "result", "sizes", "waiting", "writes")

    def __init__(
        self, elaborated: Elaborated, call: Callable[..., Any], left_to: str = "",
        waiting: choice.Waiting | measuring.Measuring | None = None, sizes: Sequence[Class | Bound] = (),
        writes: WritingBack | None = None,
    ) -> None:  # fmt: skip
        self.writes = writes
        self.sizes = sizes
        self.left_to = left_to
        self.waiting = waiting
        self.guards = elaborated.guards
        self.hidden = [h.read for h in elaborated.hidden]
        self.result = objects_of(elaborated.program.result)
        self.call = call


def objects_of(tree: Tree) -> Any:
    """The objects at the leaves of a tree; None where there is nothing to differentiate."""
    if isinstance(tree, tuple):
        return like(tree, map(objects_of, tree))
    return tree.object if isinstance(tree, Var) and not is_discrete(tree.object) else None


@uncollected()
@deeply
def build(
    function: Any, plan: Plan, args: Sequence[Any], kwargs: dict[str, Any], general: Collection[Reader] = (),
    known: Elaborated | None = None, read: Sequence[Any] = (), assume: bool = True,
) -> Built:
    """Compile a function for the types of these arguments, from its program where that is known; integers that the
    readers in `general` read are not known, and `read` says of each argument whether it holds ints that are read as
    floats. Where that is of use, sizes that are equal are assumed to be, if we may `assume` so.

    Raises `CompileError`s for what cannot be compiled. A derivative that cannot be staged under its exponential runs on
    the host base, with the same results.
    """
    keep()
    examples = plan.examples(args, kwargs)
    try:
        if plan.writes:
            elaborated = known or programs.read(function, *examples, general)
        else:
            elaborated = elaborate(function, *examples, general=general, settles=True)
    except CompileError as error:
        if not general and error.code != "CC060":
            surveyed(function, *examples, error)
        raise
    refuse_one_place(plan, elaborated)
    if plan.derives and any(not 0 <= i < len(elaborated.program.params) for i in plan.wrt):
        raise IndexError(plan.wrt)
    warnings = [*elaborated.warnings, *constant_in(plan, elaborated.program, read), *cut_in(plan, elaborated.program)]
    values = given(function, elaborated, args, kwargs)
    try:
        parted, program = in_limit(plan, elaborated, values)
    except CannotStage:
        if not plan.reverse:
            raise
        for found in warnings:
            warned(found)
        return built_on_host(plan, elaborate(function, args, kwargs, general=general, writes=plan.writes, settles=True))
    for found in warnings:
        warned(found)
    settled, least = known_sizes(elaborated) | parted, least_sizes(elaborated)
    program.assumed = assumed_in(program, values) if assume else Assumed(()) if settled or least else None
    if program.assumed is not None:
        program.assumed.exactly.update(settled)
        program.assumed.least.update(least)
    improve(program, plan.staged)
    refuse_unknown(program, elaborated.program)
    sizes = program.assumed.relied_on() if program.assumed is not None else ()
    call, left_to, waiting = called_by(plan.backend or BACKEND, program, plan.pullback, [*values, *still(plan, values)])
    if plan.memory_limit is not None and limits_itself(plan):
        call = TARGETS[plan.backend or BACKEND].limited(call, plan.memory_limit)  # type: ignore[attr-defined]
    built = Built(elaborated, call, left_to, waiting, sizes, written_back(plan, elaborated))
    if waiting is None:
        dispose(program)
    if program.block is not elaborated.program.block:
        programs.done(elaborated)
    return built


def called_by(
    backend: str, program: Program, pullback: bool, values: Sequence[Any]
) -> tuple[Callable[..., Any], str, choice.Waiting | measuring.Measuring | None]:
    """What a backend calls for a program, why its target left that to the reference, and what may be made later."""
    target = TARGETS.get(backend, REFERENCE)
    if target is not REFERENCE:
        other = Late(inlining.copy_of_program(program), pullback)
        call, left_to = made_by(target, program, pullback, other, values)
        return other.function() if call is other else call, left_to, None
    call = REFERENCE.lower(program, pullback, values).function()
    if backend != AUTO:
        return call, "", None
    waiting, left_to = choice.waiting_for(program, pullback, values, call)
    return waiting if isinstance(waiting, measuring.Measuring) else call, left_to, waiting


def built_on_host(plan: Plan, elaborated: Elaborated) -> Built:
    """A derivative that cannot be staged under its exponential."""
    from ccc.compile.terms.host import on_host

    sizes = bounds(elaborated)
    call = on_host(*ended(plan, elaborated))
    return Built(elaborated, call, sizes=sizes, writes=written_back(plan, elaborated))


def in_limit(plan: Plan, elaborated: Elaborated, values: Sequence[Any]) -> tuple[dict[Axis, int], Program]:
    """The sizes for which loops were parted so that they keep no more than is allowed, and what is derived."""
    plan, program = ended(plan, elaborated)
    if plan.memory_limit is None or not plan.reverse or limits_itself(plan):
        return {}, derived(plan, program)
    from ccc.compile.api.memory_limits import within

    within(plan, program, plan.memory_limit, values)
    return dict(assumed_in(program, values).sizes), derived(plan, program)


def limits_itself(plan: Plan) -> bool:
    """Whether the target bounds what loops keep when it runs."""
    return getattr(TARGETS.get(plan.backend or BACKEND), "limited", None) is not None


def ended(plan: Plan, elaborated: Elaborated) -> tuple[Plan, Program]:
    """What is derived: with what is written back at the end. The code of a value is made of a copy, which takes a
    fiftieth of reading the function again for the derivative that may be asked for next."""
    own = plan.memory_limit is not None or not plan.staged
    plan, program = ending(plan, elaborated.program, elaborated.state)
    return plan, inlining.copy_of_program(program) if own else program


def written_back(plan: Plan, elaborated: Elaborated) -> WritingBack | None:
    """Who writes back what a program changes."""
    if elaborated.writes is None:
        return None
    from ccc.compile.api.write_back import WritingBack

    return WritingBack(elaborated.writes, plan.kind, plan.aux)


def refuse_one_place(plan: Plan, elaborated: Elaborated) -> None:
    """Refuse to differentiate in an array or object that is given twice and changed: its derivative has no parts. A
    function that is differentiated inside, as one is by `jacobian`, is read as if they were two: refused whatever it
    is differentiated in."""
    found, inside = elaborated.writes, elaborated.writes_inside
    if found is None or not (plan.derives or inside):
        return
    for sites in found.several():
        if inside or any(site.again is None and site.root in plan.wrt for site in sites):
            from ccc.compile.api.write_back import one_object

            raise one_object(sites, bool(inside))


def known_sizes(elaborated: Elaborated) -> dict[Axis, int]:
    """The sizes and whole numbers of arguments that had to be known, and what they have to be."""
    return of_axes(elaborated, elaborated.settled)


def least_sizes(elaborated: Elaborated) -> dict[Axis, int]:
    """The sizes and whole numbers of arguments that may not be less than a number."""
    return of_axes(elaborated, elaborated.least)


def of_axes(elaborated: Elaborated, found: Mapping[tuple[Var, int], int]) -> dict[Axis, int]:
    """The same of axes of arguments for axes of variables."""
    axes = {var: axis for axis, var in variables(elaborated.program)} if found else {}
    return {axes[var]._replace(axis=k): int(n) for (var, k), n in found.items()}


def bounds(elaborated: Elaborated) -> list[Bound]:
    """What the sizes and whole numbers of arguments have to be for the program."""
    return [Bound(axis, relation, n) for relation, found in (("==", known_sizes(elaborated)),
                                                             (">=", least_sizes(elaborated)))
            for axis, n in found.items()]


def constant_in(plan: Plan, program: Program, read: Sequence[Any] = ()) -> Iterator[Diagnostic]:
    """A warning for each argument that is differentiated and that the result does not depend on. Ints that are read as
    floats may only say how often something is done."""
    last = program.block.lets[-1].op if program.block.lets else None
    if not plan.derives or (isinstance(last, Apply) and last.primitive.effect and last.primitive is effects.fail):
        return
    results = list(leaves(program.result))
    for i, steps in plan.parts:
        if i < len(read) and read[i]:
            continue
        name, tree = program.params[i][0], known(program.params[i][1], steps)[0]
        name = text_of(name, steps)
        real = [leaf for leaf in leaves(tree) if not is_discrete(leaf.object) and leaf.object != List(UNIT)]
        if real and not depends(results, real):
            yield Diagnostic("CC024", f"the result does not depend on `{name}`; its derivative is always zero",
                             scalar_results.span_of(program.result), severity="warning",
                             help=f"leave `{name}` out of `wrt`, or silence with ccc.without_derivative({name})")


def cut_in(plan: Plan, program: Program) -> Iterator[Diagnostic]:
    """A warning for each place where what is differentiated is stored in an array of ints, as which it keeps neither
    its fraction nor its derivative."""
    if not plan.derives:
        return
    trees = [known(program.params[i][1], steps)[0] for i, steps in plan.parts]
    real = [leaf for tree in trees for leaf in leaves(tree) if not is_discrete(leaf.object)]
    for let in lets_in(program.block):
        at = let.op.primitive.overwrites if isinstance(let.op, Apply) else None
        if at is None or let.span is None or not is_of_integers(let.args[at]):
            continue
        stored = [a for a in let.args[at + 1 :] if isinstance(a, Var) and not is_discrete(a.object) and not is_step(a)]
        if depends(stored, real) and not let.span.file.startswith(installed()):
            yield Diagnostic("CC023", "what is stored here in an array of ints loses its fraction and its derivative",
                             let.span, severity="warning",
                             help="begin with an array of floats, as `np.zeros(n)`, or store `int(...)`")


def is_step(x: Var) -> bool:
    """Whether a value is that of an operation without derivatives, as `np.floor`, or of `without_derivative`."""
    op = None if x.definition is None else x.definition.op
    return isinstance(op, Apply) and op.primitive.pullback in (no_cotangents, barriers.stop.pullback)


def is_of_integers(x: Any) -> bool:
    """Whether a value is an array of ints."""
    a = x.object if isinstance(x, Var) else None
    return isinstance(a, Array) and a.dtype.startswith(("int", "uint"))


def still(plan: Plan, values: Sequence[Any]) -> list[Any]:
    """The directions of a first call, along which nothing moves: with them a target has all that it is called with."""
    if plan.kind is not Kind.DIFFERENTIAL:
        return []
    return [zero_trees.zeros_like.value(reach(values[i], steps)) for i, steps in plan.parts]


def given(function: Any, elaborated: Elaborated, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments of a call of the program, with those that it reads from outside."""
    return [*args, *kwargs.values(), *[hidden.read(function) for hidden in elaborated.hidden]]
