"""What of a program a library calls back: a function of Python, which NumPy code computes.

>>> import math
>>> from ccc.compile.frontend.elaborate import program_of
>>> from ccc.compile.terms.abstract import abstract
>>> body = Checkpoint(abstract(program_of(lambda x: math.sin(x) * 2.0, (1.0,))), (REAL,))
>>> lowered(body, (REAL,))(0.0)
0.0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.categories.rules import Checkpoint
from ccc.compile.api.targets import REFERENCE
from ccc.compile.frontend.on_host import LOWERINGS
from ccc.compile.passes.improve import improve
from ccc.compile.program.deep import LOCK
from ccc.compile.program.lam import Program
from ccc.compile.terms.staging import Staging
from ccc.objects import REAL, Object


def lowered(body: Checkpoint, params: Sequence[Object]) -> Callable[..., Any]:
    """The function of Python that computes a body at arguments of these objects.

    Raises `CannotStage` for a body that cannot be staged.
    """
    with LOCK:
        st = Staging()
        xs = [st.param(st.block, f"x{i}", a) for i, a in enumerate(params)]
        result = st.atom(body.value(st, xs))
        program = Program("called", [(x.name, x) for x in xs], st.block, result)
        improve(program, True)
        return REFERENCE.lower(program, False, ()).function()


LOWERINGS.append(lowered)

__all__ = ["REAL", "Checkpoint", "lowered"]
