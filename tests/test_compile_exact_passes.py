"""What is exact computes the same numbers, bit for bit: programs with each exact pass off and on."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from corpus import dynamics, filtering, learning, solving
from test_compile_verify import PROGRAMS, TWINS, program_of, told

import ccc
from ccc.compile.native import passes as native_passes, target
from ccc.compile.numpy_source.numpy_target import emit, load
from ccc.compile.numpy_source.ownership import Copies
from ccc.compile.passes.engine import Pass, run
from ccc.compile.passes.improve import PASSES, improve
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.lam import Program
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.derive import NotScalar

RNG = np.random.default_rng(7)
X, M = RNG.normal(size=6), RNG.normal(size=(4, 4))


def laplace(u: np.ndarray, n: int) -> Any:
    for _ in range(n):
        v = u * 1.0
        v[1:-1] = u[1:-1] * u[1:-1] + u[2:] * u[:-2]
        u = v
    return np.sum(u)


def barred(x: float) -> float:
    return ccc.without_derivative(x * x) * math.sin(x)


def minors(xs: list[float]) -> Any:
    def total(ys: list[float]) -> Any:
        return 0.0 if len(ys) == 0 else ys[0] * ys[0] + total(ys[1:]) / 3.0

    return total(xs)


CORPUS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *PROGRAMS, *[(f, args) for f, _, args, _, _, _ in TWINS.values()],
    (filtering.moving_average, (X, 3)), (filtering.time_warping, (X, X[::-1].copy())),
    (dynamics.logistic_growth, (0.37, 1.7)), (learning.convolution, (RNG.normal(size=(4, 5)), M[:2, :3].copy())),
    (learning.recursive_network, (RNG.normal(size=(5, 2)), RNG.normal(size=(2, 4)))),
    (solving.newton_root, (7.3,)), (solving.minors, (M,)), (laplace, (X, 3)), (minors, ([0.3, 0.7],)),
    (barred, (0.3,)),
]  # fmt: skip


def bits(x: Any) -> Any:
    """The bits of what a program gives; one NaN is as good as another."""
    if isinstance(x, tuple | list):
        return type(x).__name__, [bits(part) for part in x]
    if isinstance(x, float | np.floating | np.ndarray):
        numbers = np.ravel(np.asarray(x, float)).tolist()
        return np.shape(x), [b"nan" if n != n else struct.pack("d", n) for n in numbers]
    return repr(x)


def given(program: Program, args: tuple[Any, ...]) -> Any:
    """What the source of a program gives, in bits."""
    with np.errstate(all="ignore"):
        return bits(load(emit(copy_of_program(program)))(*args))


def steps(program: Program) -> Iterator[tuple[Pass, tuple[Pass, ...]]]:
    """Each exact pass of all targets, with those that run before it."""
    assert target.HANDLED  # the table that these passes ask
    copies = Copies(entries=True)
    native = native_passes.Rewriting(program, {}, 8).passes()
    for passes in (PASSES, (*PASSES, *native), (*PASSES, copies.stage)):
        for i, p in enumerate(passes):
            if p.exact and (passes is PASSES or p not in PASSES):
                yield p, passes[:i]


NAMES = [p.name for p, _ in steps(program_of(laplace, (X, 3)))]
CUSTOM = ("custom", "by_its_body", "computed_anew")
"""Programs with a derivative of the user's, which have no source before it is opened."""


@pytest.mark.parametrize("n", range(len(NAMES)), ids=NAMES)
def test_an_exact_pass_keeps_every_bit(n: int) -> None:
    changed = sum([keeps(n, f, args, kind) for f, args in CORPUS for kind in ("value", "gradient")])
    assert changed


def keeps(n: int, f: Callable[..., Any], args: tuple[Any, ...], kind: str) -> bool:
    """Whether the pass with a number changes a program; then it gives the same bits as before."""
    try:
        program = program_of(f, args, kind)
    except NotScalar:
        return False
    p, before = list(steps(program))[n]
    if not before and f.__name__ in CUSTOM:
        return False
    for other in before:
        other.rewrite(program)
    old, lines = given(program, args), program_text(program)
    changed = p.rewrite(program) and program_text(program) != lines
    assert not changed or given(program, args) == old, (f.__name__, p.name)
    return changed


def test_a_pass_that_is_not_exact_would_be_found() -> None:
    """Sums in another order have other bits."""
    def f(x: np.ndarray) -> Any:
        s = x[0]
        for i in range(1, len(x)):
            s = s + x[i]
        return s

    program = program_of(f, (np.array([1e16, 1.0, 1.0, -1e16]),))
    improve(program)
    args = (np.array([1e16, 1.0, 1.0, -1e16]),)
    old = given(program, args)

    def backwards(program: Program) -> bool:
        (loop,) = [let for let in program.block.lets if let.op.blocks]
        loop.op.reverse = not loop.op.reverse  # type: ignore[attr-defined]
        return True

    run(program, [told(Pass("backwards", "A loop runs backwards.", backwards, reorders=True))], verified=True)
    assert given(program, args) != old
