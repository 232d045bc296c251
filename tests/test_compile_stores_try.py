"""What stands in stores and changes in `try` and `with`: what changed before an exception leaves has changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest
from checks import agrees, numbers

import ccc


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.log: list[Any] = []

    def __enter__(self) -> Any:
        self.v += 1.0
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> bool:
        self.v *= 2.0
        return False


@contextmanager
def scaled(box: Any, by: float) -> Iterator[Any]:
    old = box.v
    box.v *= by
    try:
        yield box
    finally:
        box.log.append(box.v)
        box.v = old


def put(box: Any, i: int, x: float) -> Any:
    if i == 2:
        raise ValueError("two")
    box.v += x / (i - 3)
    box.log.append(box.v)
    return box.v


def tried(x: float, n: int) -> Any:
    boxes, rows, out = [Box(x), Box(2.0 * x)], {0: [x]}, 0.0
    for i in range(n):
        box = boxes[i % 2]
        try:
            out += put(box, i, x)
            rows[i % 3].append(box.v)
            box.log[3] = 7.0 * x
        except ValueError:
            box.v *= x
        except ZeroDivisionError:
            boxes[0].v += 3.0
        except KeyError as error:
            rows[i % 3] = box.log
            out += 0.5 if str(error) == "1" else 0.25
        except IndexError:
            out += 0.25 * x
        finally:
            box.log.append(x)
    return out + sum(boxes[0].log) + boxes[1].v * sum(rows[0]) + len(rows[1])


def managed(x: float, n: int) -> Any:
    boxes, rows = [Box(x), Box(2.0 * x)], [[x], [2.0 * x]]
    box, row = boxes[n % 2], rows[n % 2]
    try:
        with box as same, scaled(boxes[1], x) as other:
            same.v *= x
            if n > 3:
                raise LookupError
            other.v += 10.0
    except LookupError:
        boxes[0].v += 7.0
    with suppress(IndexError):
        row.append(x * x)
        rows[0][1] += 1.0
        row[0] += 1.0
    return boxes[0].v + 10.0 * boxes[1].v + sum(boxes[1].log) + rows[1][0] * rows[1][-1]


def replaced(x: float, k: int) -> Any:
    """The new array is made and kept before the box is found, which may raise."""
    boxes = {"a": Box(np.array([x, 2.0])), "b": Box(np.arange(2.0) + x)}
    rows = [boxes["a"], Box(np.array([x, 0.5]))]
    try:
        boxes["a" if x > 1.0 else "b"].v = np.arange(2.0) * x
        rows[1 - k % 2].v[0] += x
        if x > 1.2:
            raise ValueError
        rows[0].v *= x
    except Exception:
        rows[1].v[1] -= x
    return boxes["a"].v[0] + boxes["b"].v[1] * rows[1].v @ rows[0].v


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [tried, managed], ids=lambda f: f.__name__)
def test_what_changed_before_an_exception_has_changed(f: Any) -> None:
    agrees(f, 1.3, 5, second=f is managed, exponentials=("Delta",))
    value, slope = ccc.value_with_gradient(f, wrt=0, backend="native")(0.7, 6)
    assert value == pytest.approx(f(0.7, 6), rel=1e-14)
    (forward,) = numbers(ccc.value_with_differential(f, wrt=0)(0.7, 6)[1](1.0))
    assert slope == pytest.approx(forward, rel=1e-12)


def test_a_new_array_is_kept_once_where_the_statement_is_read_again() -> None:
    for x, k in ((1.3, 0), (1.1, 1), (0.7, 0)):
        agrees(replaced, x, k, second=False, exponentials=("Delta",))


def careful(v: float, limit: float) -> float:
    if v > limit:
        raise ValueError("stuck")
    return v


def a_comprehension_along_a_row(x: float, n: int) -> Any:
    s, log = 0.5 * x, [x]
    m = np.ones((3, 3)) * x
    for i in range(n):
        try:
            s += careful(x, 0.7)
            log += [0.5 * v for v in m[i]]
            m[0] *= x
        except Exception:
            s += x
            m[i] += 1.0
    return s + sum(log) + np.sum(m)


@pytest.mark.parametrize("x", [0.6, 1.3])
def test_a_row_is_read_again_where_a_statement_of_a_try_is(x: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_STORES", "always")
    agrees(a_comprehension_along_a_row, x, 3, second=False, exponentials=("Delta",))
