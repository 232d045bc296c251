"""Which classes hold their own kind: what that asks of other classes."""

from __future__ import annotations

import sys
from collections import namedtuple
from typing import NamedTuple

import pytest

from ccc import recursive_classes


class Here(NamedTuple):
    x: float


def test_a_class_is_not_asked_about_all_that_a_library_has_below_its_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `tuple` a process has classes by the thousand, and compiling makes more."""
    others = [namedtuple(f"Other{i}", "x") for i in range(50)]
    asked = list[type]()
    names_of = recursive_classes.names_of
    monkeypatch.setattr(recursive_classes, "names_of", lambda cls: asked.append(cls) or names_of(cls))
    cls = type("Here", (Here,), {"__module__": "nowhere"})
    assert "nowhere" not in sys.modules
    assert recursive_classes.group_of(cls) is None
    assert cls in asked
    assert not set(asked) & set(others)
