"""Names and attributes without a value, whose error a `try` catches."""

# pyright: reportPossiblyUnboundVariable=false, reportUndefinedVariable=false, reportAttributeAccessIssue=false
# pyright: reportOperatorIssue=false, reportUnboundVariable=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


class Held:
    def __init__(self, a: Any) -> None:
        self.a = a


def bound_on_one_path(x: Any) -> Any:
    if x[0] > 0:
        y = x[0]
    try:
        r = y * 2.0
    except UnboundLocalError as error:
        r = x[1]
        print(error)
    return r


def bound_by_a_run(x: Any) -> Any:
    s = 0.0
    for v in x:
        try:
            last = last + v
        except NameError:
            last = v * 10.0
        s += last * v
    return s


def found_by_a_loop(x: Any) -> Any:
    for v in x:
        if v > 0.5:
            found = v
    try:
        return found * found
    except NameError:
        return x[0]


def nowhere(x: Any) -> Any:
    try:
        return nobody_has_this * x[0]  # type: ignore[name-defined]
    except NameError as error:
        print(error)
        return x[1] * x[1]


def of_an_inner_function(x: Any) -> Any:
    def twice() -> Any:
        return y * 2.0

    if x[0] > 0:
        y = x[0]
    try:
        return twice()
    except NameError as error:
        print(type(error).__name__)
        return x[1] * x[1]


def set_on_one_path(x: Any) -> Any:
    p = Held(x[1])
    if x[0] > 0:
        p.b = x[2] * p.a  # type: ignore[attr-defined]
    try:
        return p.b * p.a  # type: ignore[attr-defined]
    except AttributeError:
        return p.a * 3.0


def deleted(x: Any) -> Any:
    y = x[0]
    del y
    try:
        return y
    except NameError:
        return x[0] * x[1]


@pytest.mark.parametrize("f", [
    bound_on_one_path, bound_by_a_run, found_by_a_loop, nowhere, of_an_inner_function, set_on_one_path, deleted])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_error_of_what_has_no_value_is_caught(f: Callable[..., Any], sign: float, capsys: Any) -> None:
    agrees(f, sign * np.array([0.3, -1.2, 0.7]))


def test_a_name_that_is_defined_later_is_found_then() -> None:
    g = ccc.compiled(nowhere)
    x = np.array([2.0, 3.0])
    assert g(x) == 9.0
    globals()["nobody_has_this"] = 4.0
    try:
        assert g(x) == 8.0
    finally:
        del globals()["nobody_has_this"]
