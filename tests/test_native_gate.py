"""The gate of machine code looks at names again whenever a namespace has changed."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import ccc
from ccc.compile.native import engine, guarded_entry

pytest.importorskip("llvmlite")


class Owner:
    step = 0


gated_by: Any = guarded_entry.gated


def test_names_are_looked_at_after_each_change() -> None:
    owner = Owner()
    owner.step = 1
    one: dict[str, Any] = {"f": len, "n": 1}
    two = vars(owner)
    gated = gated_by(lambda x: x, [(one, "f", len), (one, "n", one["n"]), (two, "step", 1)], lambda x: -x)

    def found() -> list[int]:
        return [gated(5), gated(6)]

    assert engine.available() and found() == [5, 6]
    one["other"] = 2
    assert found() == [5, 6], "nothing that matters has changed"
    one["f"] = max
    assert found() == [-5, -6]
    one["f"] = len
    assert found() == [5, 6]
    del one["n"]
    assert found() == [-5, -6]
    one["n"] = 1
    for step in (2, 1, 3, 1):
        owner.step = step
        assert found() == ([5, 6] if step == 1 else [-5, -6])


def test_other_names_of_the_same_versions_are_other_gates() -> None:
    space: dict[str, Any] = {"n": 1}
    gates = [gated_by(lambda x: x, [(space, "n", n)], lambda x: -x) for n in (1, 2)]
    assert [g(5) for g in gates] == [5, -5]
    space["n"] = 2
    assert [g(5) for g in gates] == [-5, 5]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_function_whose_code_is_replaced_is_read_again(backend: str) -> None:
    """Which reloading in a notebook does, of the function itself and of those that it calls."""
    space: dict[str, Any] = {}
    text = "def inner(x, k=2.0):\n    return x * k\ndef f(x):\n    return inner(x) * x\n"
    path = "<replaced code>"
    linecache.cache[path] = (len(text), None, [*text.splitlines(True)], path)
    exec(compile(text, path, "exec"), space)
    f, inner = space["f"], space["inner"]
    verbs = [ccc.gradient(f, backend=backend), ccc.gradient(lambda x: f(x) + 0.0, backend=backend),
             ccc.gradient(lambda x: ccc.gradient(f)(x) * x, backend=backend)]  # fmt: skip
    kept = ccc.value_with_pullback(f, backend=backend)

    def found() -> tuple[float, ...]:
        for _ in range(3):  # the shortest way is taken from the third call on
            last = (*[g(3.0) for g in verbs], kept(3.0)[1](1.0))
        return last

    assert found() == (12.0, 12.0, 24.0, 12.0)
    inner.__defaults__ = (5.0,)
    assert found() == (30.0, 30.0, 60.0, 30.0)
    inner.__code__ = (lambda x, k=2.0: x * x * k).__code__
    assert found() == (135.0, 135.0, 405.0, 135.0)
    f.__code__ = (lambda x: x * 7.0).__code__
    assert found() == (7.0, 7.0, 7.0, 7.0)


def test_a_gate_that_knows_codes_leaves_where_one_is_another() -> None:
    def known(x: int) -> int:
        return x

    space: dict[str, Any] = {"n": 1}
    before = known.__code__
    for names in ([], [(space, "n", 1)]):
        gated = gated_by(lambda x: x, names, lambda x: -x, [(known, before)])
        assert gated is not None
        assert [gated(5), gated(5)] == [5, 5]
        known.__code__ = (lambda x: -x).__code__
        space["other"] = 3
        assert [gated(5), gated(5)] == [-5, -5]
        known.__code__ = before
        assert gated(5) == 5
