"""Sets that stand outside of a function: asked as they are in each call, or changed by it, and never both."""

from __future__ import annotations

from typing import Any

import pytest

import ccc
from ccc.compile.diagnostics import CompileError

KNOWN = {1, 2}
WORDS = {"a", "b"}
BACKENDS = pytest.mark.parametrize("backend", ["numpy", "native"])


def is_known(n: int) -> bool:
    return n in KNOWN


def counted(n: int) -> int:
    found = 0
    for i in range(n):
        if i in KNOWN:
            found += 1
    return found


def summed(n: int) -> Any:
    total = 0
    for known in KNOWN:
        total += known * n
    return total, max(KNOWN) * n, sorted(KNOWN), len(KNOWN) * n, 1 if KNOWN else 0


def without(words: list[str]) -> list[str]:
    return [word for word in words if word not in WORDS]


def adds(n: int) -> int:
    KNOWN.add(3)
    KNOWN.add(n)
    return n


@pytest.fixture(autouse=True)
def as_it_was() -> Any:
    yield
    KNOWN.clear()
    KNOWN.update((1, 2))


@BACKENDS
@pytest.mark.parametrize("f", [is_known, counted, summed])
def test_a_set_is_asked_as_it_is_in_each_call(f: Any, backend: str) -> None:
    compiled = ccc.compiled(f, backend=backend)
    cases: list[Any] = [(1, 2), (1, 2, 9), (7,), (7.0,), (4, 5)]
    for items in cases:
        KNOWN.clear()
        KNOWN.update(items)
        assert repr(compiled(5)) == repr(f(5))


@BACKENDS
def test_an_empty_set_is_false(backend: str) -> None:
    compiled = ccc.compiled(lambda x: x if KNOWN else -x, backend=backend)
    assert compiled(2.0) == 2.0
    KNOWN.clear()
    assert compiled(2.0) == -2.0


@BACKENDS
def test_texts(backend: str) -> None:
    assert ccc.compiled(without, backend=backend)(["a", "c", "b"]) == ["c"]


@BACKENDS
def test_a_set_is_changed_in_each_call_and_never_by_reading(backend: str) -> None:
    compiled = ccc.compiled(adds, backend=backend)
    for n in (5, 6):
        KNOWN.clear()
        compiled(n)
        assert {3, n} == KNOWN


@BACKENDS
def test_a_set_that_is_asked_and_changed_is_refused(backend: str) -> None:
    def after(n: int) -> bool:
        KNOWN.add(n)
        return n in KNOWN

    def before(n: int) -> bool:
        found = n in KNOWN
        KNOWN.discard(n)
        return found

    for f in (after, before):
        with pytest.raises(CompileError, match="a set from outside is asked, and is changed"):
            ccc.compiled(f, backend=backend)(5)
    assert {1, 2} == KNOWN


@BACKENDS
def test_equal_items_are_told_apart(backend: str) -> None:
    held: set[Any] = {0.0}

    def f(x: float) -> Any:
        return x, [str(item) for item in held]

    compiled = ccc.compiled(f, backend=backend)
    for item in (0.0, -0.0, 0, (1, 0.0), (True, 0.0), (1.0, 0.0), (1, -0.0), ((1, 2), 3), ((1, 2.0), 3)):
        held.clear()
        held.add(item)
        assert compiled(1.0) == f(1.0)
