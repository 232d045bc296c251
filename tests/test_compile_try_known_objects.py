"""Objects of libraries in a `try`: of what the compiler does not read, it does not say that Python raises it."""

from __future__ import annotations

import array
import collections
import types
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from checks import agrees_in_value

import ccc

NUMBERS = array.array("d", [1.0, 2.0])
ITEMS, RATES = collections.UserList([1.0, 2.0]), collections.UserDict(a=2.0)
VIEW, CHAIN, TWO = types.MappingProxyType({"a": 2.0}), collections.ChainMap({"a": 2.0}), Decimal(2)
HALF: Any = 0.5
NOTHING: Any = None


def guarded(use: Callable[[], Any]) -> Callable[[float], float]:
    def f(x: float) -> float:
        try:
            use()
        except TypeError:
            return -x
        return 2.0 * x

    return f


def in_turn() -> float:
    total = 0.0
    for y in ITEMS:
        total += y
    return total


def unpacked() -> float:
    a, b = NUMBERS
    return a + b


USES: dict[str, Callable[[], Any]] = {
    "item": lambda: NUMBERS[1], "item of a list": lambda: ITEMS[0], "item of a dict": lambda: RATES["a"],
    "item of a view": lambda: VIEW["a"], "item of a chain": lambda: CHAIN["a"], "length": lambda: len(ITEMS),
    "membership": lambda: "a" in RATES, "turns": in_turn, "parts": unpacked, "float": lambda: float(TWO),
    "int": lambda: int(TWO), "complex": lambda: complex(TWO), "scalar": lambda: np.float64(TWO),
    "filled": lambda: np.full(3, TWO), "sum": lambda: np.sum(NUMBERS), "array": lambda: np.asarray(ITEMS)[1],
    "number": lambda: HALF[0], "letters": lambda: len(HALF), "none": lambda: NOTHING[0],
    "no array": lambda: np.sum(None),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_no_exception_is_made_up(name, backend):
    f = guarded(USES[name])
    try:
        found = ccc.compiled(f, backend=backend)(0.5)
    except ccc.CCCError:
        return
    assert found == f(0.5)


def test_what_python_raises_is_raised():
    for name in ("number", "letters", "none"):
        agrees_in_value(guarded(USES[name]), 0.5)


def test_arrays_of_other_libraries_have_their_axes():
    def f(x):
        a = np.asarray(NUMBERS)
        return a.ndim * x + a[1] * np.sum(np.array(ITEMS) * x) + np.mean(NUMBERS) + len(np.asarray(ITEMS))

    agrees_in_value(f, 0.5)


def test_others_are_refused():
    with pytest.raises(ccc.CCCError, match="needs numbers or arrays: found the constant Decimal"):
        ccc.compiled(lambda x: x + np.sum(np.asarray(TWO)))(0.5)
    with pytest.raises(ccc.CCCError, match="needs a number: found the constant Decimal"):
        ccc.compiled(lambda x: x * float(TWO))(0.5)
