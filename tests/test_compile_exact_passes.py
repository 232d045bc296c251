"""What is exact computes the same numbers, bit for bit: programs with each exact pass off and on."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from corpus import dynamics, filtering, learning, solving
from test_compile_verify import PROGRAMS, TWINS, program_of, told

import ccc
from ccc.compile.native import passes as native_passes, target
from ccc.compile.native.told_kinds import Told
from ccc.compile.numpy_source.copies import Copies
from ccc.compile.numpy_source.numpy_target import emit, load
from ccc.compile.passes.engine import Pass, run
from ccc.compile.passes.improve import PASSES, improve
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.lam import Program
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.scalar_results import NotScalar

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
    """The bits of what a program gives; one NaN is as good as another, and what is told beside a number is left out."""
    if isinstance(x, Told):
        return bits(x.value)  # type: ignore[attr-defined]
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


TABLE = target.HANDLED
"""What primitives are to machine code, which its passes ask."""
CUSTOM = ("custom", "by_its_body", "computed_anew")
"""Programs with a derivative of the user's, which have no source before it is opened."""


def of_targets(program: Program) -> Iterator[tuple[Pass, ...]]:
    """The passes of each target, behind those that they share."""
    yield native_passes.Rewriting(program, {}, 8).passes()
    yield (Copies(entries=True).stage,)


@cache
def changing(n: int, kind: str) -> frozenset[str]:
    """The exact passes that change a program of the corpus, after which it gives the same bits."""
    f, args = CORPUS[n]
    try:
        program = program_of(f, args, kind)
    except NotScalar:
        return frozenset()
    found = set[str]()
    known = given(program, args) if f.__name__ not in CUSTOM else None
    known = kept(program, PASSES, args, known, found)
    for i in range(2):
        copy = copy_of_program(program)
        kept(copy, list(of_targets(copy))[i], args, known, found)
    return frozenset(found)


def kept(program: Program, passes: Iterable[Pass], args: tuple[Any, ...], known: Any, found: set[str]) -> Any:
    """Run passes on a program that gives `known` bits, which exact ones keep; gives those at the end."""
    for p in passes:
        lines = program_text(program)
        p.rewrite(program)
        if program_text(program) == lines:
            continue
        bits = given(program, args)
        if p.exact:
            assert known is None or bits == known, p.name
            found.add(p.name)
        known = bits
    return known


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", ["value", "gradient"])
@pytest.mark.parametrize("n", range(len(CORPUS)), ids=[f.__name__ for f, _ in CORPUS])
def test_exact_passes_keep_every_bit(n: int, kind: str) -> None:
    changing(n, kind)


def test_every_exact_pass_changes_a_program() -> None:
    found = frozenset[str]().union(*[changing(n, kind) for n in range(len(CORPUS)) for kind in ("value", "gradient")])
    targets = [p for passes in of_targets(program_of(laplace, (X, 3))) for p in passes]
    assert found == {p.name for p in (*PASSES, *targets) if p.exact}


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
