"""What a handler asks of the class of what an operation raised, which is known when the program runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import pytest
from users_checks import outcome

import ccc


def asked(x: float) -> float:
    try:
        return math.sqrt(1.0 / x)
    except Exception as error:
        print(type(error).__name__, repr(error), f"{type(error)}", error.__class__.__qualname__.upper())
        if isinstance(error, ArithmeticError):
            return x * x - 7.0
        return 3.0 * x if type(error) is ValueError else 0.0


def matched(x: float) -> float:
    last: Any = None
    for k in range(3):
        try:
            return x * math.log(x - k) / (x - 2.0)
        except Exception as error:
            last = error
        x = x - 1.0
    match last:
        case None:
            return x
        case ZeroDivisionError():
            return -5.0 * x
    if isinstance(last, ValueError):
        return -x
    raise last


def told_of_a_library(x: float) -> float:
    try:
        return statistics.stdev([x, 1.0][: int(abs(x))])
    except statistics.StatisticsError as error:
        print(error)
        return x * x


def caused(x: float) -> float:
    try:
        return 1.0 / x
    except ZeroDivisionError as error:
        raise RuntimeError("no quotient") from error


class Lenient:
    """Keeps back what is no number's fault."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if kind:
            print(kind.__name__, kind in (KeyError, ValueError))
        return kind is not None and issubclass(kind, ArithmeticError)


def left_by_a_manager(x: float) -> float:
    y = x
    with Lenient():
        y = math.sqrt(1.0 / x)
    return y


CASES: list[tuple[Callable[[float], Any], tuple[float, ...]]] = [
    (asked, (0.0, -1.0, 4.0)), (matched, (0.0, 2.0, 4.5)), (told_of_a_library, (1.5, 2.5)), (caused, (0.0, 2.0)),
    (left_by_a_manager, (0.0, -1.0, 4.0)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "points"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_the_class_of_what_was_raised_is_that_of_plain_python(f: Callable[[float], Any], points: tuple[float, ...]):
    for g in (ccc.compiled(f, backend="numpy"), ccc.compiled(f, backend="native")):
        for x in points:
            (wanted, text), (found, said) = outcome(f, x), outcome(g, x)
            assert said == text and type(found) is type(wanted)
            if isinstance(wanted, Exception):
                assert found.args == wanted.args and repr(found.__cause__) == repr(wanted.__cause__)
            else:
                assert found == pytest.approx(wanted, rel=1e-12)


def test_the_class_of_one_of_several_objects_has_its_name():
    class Circle:
        def __init__(self, r: float) -> None:
            self.r = r

    class Square(Circle):
        pass

    def f(x: float) -> float:
        shape = Circle(x) if x > 1.0 else Square(2.0 * x)
        return shape.r * {"Circle": 3.0, "Square": 4.0}[type(shape).__name__] + issubclass(type(shape), Square)

    for x in (0.5, 2.0):
        assert ccc.compiled(f)(x) == f(x)
