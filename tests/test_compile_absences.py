"""What a program asked for and did not find may be there at a later call: each call does what plain Python does."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import ccc
from ccc.compile.api import programs

MODULE = types.ModuleType("module")


class Meta(type):
    pass


class Plain:
    def __init__(self) -> None:
        self.w = 1.0


class Thing(Plain, metaclass=Meta):
    pass


THING: Any = Thing()


def asked(x, o):
    return 3.0 * x if hasattr(THING, "extra") else x


def asked_of_argument(x, o):
    return 3.0 * x if hasattr(o, "extra") else x


def asked_of_class(x, o):
    return 3.0 * x if hasattr(Thing, "extra") else x


def asked_of_module(x, o):
    return 3.0 * x if hasattr(MODULE, "extra") else x


def by_default(x, o):
    return getattr(o, "extra", 2.0) * x


def tried(x, o):
    try:
        return o.extra * x
    except AttributeError:
        return x


def called(x, o):
    return x + (1.0 if callable(o) else 0.0)


def in_a_test(x, o):
    return 5.0 * x if o else x


def compared(x, o):
    return 5.0 * x if o == 1 else x


def read(x, o):
    return o.w * x


FUNCTIONS = [
    asked, asked_of_argument, asked_of_class, asked_of_module, by_default, tried, called, in_a_test, compared, read,
]
CHANGES: list[tuple[Any, str, Any]] = [
    (Thing, "extra", 6.0), (Plain, "extra", 6.0), (Meta, "extra", 6.0), (MODULE, "extra", 6.0),
    (Plain, "__bool__", lambda self: False), (Thing, "__len__", lambda self: 0), (Thing, "__call__", lambda self: 1.0),
    (Plain, "__eq__", lambda self, other: True), (Thing, "w", property(lambda self: 9.0, lambda self, value: None)),
    (Plain, "__getattr__", lambda self, name: 11.0),
]  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_classes_and_modules_get_and_lose_is_seen(f: Callable[..., float], backend: Any) -> None:
    value, slope = ccc.compiled(f, backend=backend), ccc.derivative(lambda x: f(x, THING), backend=backend)
    moved = 0
    for owner, name, what in CHANGES:
        before = f(2.0, THING)
        assert value(2.0, THING) == before and slope(2.0) == f(3.0, THING) - before, name
        setattr(owner, name, what)
        try:
            assert value(2.0, THING) == f(2.0, THING) and slope(2.0) == f(3.0, THING) - f(2.0, THING), name
            moved += f(2.0, THING) != before
        finally:
            delattr(owner, name)
    assert moved


def builtins_of_python(x):
    return abs(x) + sum([x, x]) + max(x, 1.0) + float(len([x, x]))


def behind_another(x):
    return builtins_of_python(x) * 2.0


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [builtins_of_python, behind_another])
@pytest.mark.parametrize(("name", "own"), [
    ("abs", lambda v: 7.0 * v), ("sum", lambda vs: 5.0), ("max", lambda a, b: a), ("len", lambda vs: 9),
])
def test_a_global_variable_stands_before_a_builtin_from_when_it_is_there(
    f: Callable[..., float], backend: Any, name: str, own: Any
) -> None:
    value, slope = ccc.compiled(f, backend=backend), ccc.derivative(f, backend=backend)
    before = f(-2.0)
    assert value(-2.0) == before
    slope(-2.0)
    globals()[name] = own
    try:
        assert value(-2.0) == f(-2.0) != before
        assert slope(-2.0) == pytest.approx((f(-2.0 + 1e-6) - f(-2.0 - 1e-6)) / 2e-6)
    finally:
        del globals()[name]
    assert value(-2.0) == before


def test_what_did_not_change_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    value = ccc.compiled(lambda x, o: in_a_test(x, o) + by_default(x, o) + compared(x, o) + builtins_of_python(x))
    value(2.0, THING)
    monkeypatch.setattr(programs, "read", None)
    assert [value(x, THING) for x in (3.0, 4.0)] == [5 * x + 2 * x + x + builtins_of_python(x) for x in (3.0, 4.0)]
