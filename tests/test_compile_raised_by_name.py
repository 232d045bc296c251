"""Exceptions whose arguments are given by their names, raised and caught."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest
from checks import agrees

import ccc

BACKENDS = ("numpy", "native") if importlib.util.find_spec("llvmlite") else ("numpy",)


class Stuck(Exception):
    def __init__(self, message: str, turns: Any = None, error: Any = None) -> None:
        super().__init__(message)
        self.turns = turns
        self.error = error


class Plain(Exception):
    def __init__(self, message: str, scale: Any = 1.0, *, error: Any = None) -> None:
        self.scale = scale
        self.error = error


def root(x: Any, target: Any) -> Any:
    if target < 0.0:
        raise Plain(f"below {0.5}", error=target * 2.0)
    for turn in range(8):
        residual = x * x - target
        if abs(residual) < 1e-9:
            return x
        if residual > 90.0:
            raise Stuck("too far", error=residual, turns=turn)
        x = x - residual / (2.0 * x)
    return x


def from_what_is_caught(x: Any, target: Any) -> Any:
    try:
        return root(x, target)
    except Stuck as found:
        return found.error * 2.0 + found.turns


def raised_again(x: Any, target: Any) -> Any:
    try:
        return root(x, target)
    except Stuck as found:
        if found.error > 200.0:
            raise
        return x


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("f", "x", "target"), [(root, 1.0, -2.0), (root, 20.0, 2.0), (raised_again, 20.0, 2.0)],
    ids=["by name alone", "out of order", "again"])
def test_what_is_raised_is_made_as_in_python(f: Callable[..., Any], x: float, target: float, backend: Any):
    with pytest.raises((Stuck, Plain)) as wanted:
        f(x, target)
    with pytest.raises(wanted.type) as found:
        ccc.compiled(f, backend=backend)(x, target)
    told = {name: value for name, value in vars(found.value).items() if name != "__notes__"}
    assert found.value.args == wanted.value.args and told == vars(wanted.value)


@pytest.mark.parametrize(("f", "x"), [(root, 1.2), (from_what_is_caught, 1.2), (from_what_is_caught, 15.0),
                                      (raised_again, 12.0)])
def test_derivatives_behind_named_arguments(f: Callable[..., Any], x: float):
    agrees(f, x, 2.0)


def test_a_name_that_its_class_does_not_have():
    def f(x: Any) -> Any:
        if x > 1.0:
            raise Stuck("no end", steps=3)  # type: ignore[reportCallIssue]
        return x

    assert ccc.gradient(f)(0.5) == 1.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'steps'"):
        ccc.compiled(f)(2.0)
