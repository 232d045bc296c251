"""The gate of machine code looks at names again whenever a namespace has changed."""

from __future__ import annotations

from typing import Any

import pytest

from compile.backends.native import engine, gate

pytest.importorskip("llvmlite")


class Owner:
    step = 0


def test_names_are_looked_at_after_each_change() -> None:
    owner = Owner()
    owner.step = 1
    one: dict[str, Any] = {"f": len, "n": 1}
    two = vars(owner)
    gated = gate.gated(lambda x: x, [(one, "f", len), (one, "n", one["n"]), (two, "step", 1)], lambda x: -x)

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
    gates = [gate.gated(lambda x: x, [(space, "n", n)], lambda x: -x) for n in (1, 2)]
    assert [g(5) for g in gates] == [5, -5]
    space["n"] = 2
    assert [g(5) for g in gates] == [-5, 5]
