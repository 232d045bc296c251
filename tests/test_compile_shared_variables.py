"""Functions that are kept share variables: in lists, dicts and objects, called at known and unknown places, they read
and write what the variables hold when they are called, as in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from checks import agrees


def counter(start: Any) -> Callable[[Any], Any]:
    total = 0.5 * start

    def add(t: Any) -> Any:
        nonlocal total
        total += t
        return total

    return add


def several(start: Any) -> dict[str, Any]:
    """Three that share a variable, one of which writes it without reading it by name."""
    held = start

    def lower(t: Any) -> None:
        nonlocal held
        held -= 2.0 * t

    def replaced(t: Any) -> None:
        nonlocal held
        held = t * held

    return {"lower": lower, "replaced": replaced, "now": lambda t: t * held}


def made_by_a_comprehension(x: float, n: int, k: int) -> Any:
    adding = [counter(x * i) for i in range(n)]
    adding[k](x)
    adding.append(adding[0])
    adding[-1](x * x)
    adding[0], adding[1] = adding[1], adding[0]
    return sum((i + 1) * f(x) for i, f in enumerate(adding)) + adding[k](x)


def sharing(x: float, n: int, k: int) -> Any:
    made = [several(x * (i + 1)) for i in range(n)]
    for i in range(n):
        made[i]["lower"](x)
        made[k]["replaced"](x * x)
    return sum((i + 1) * one["now"](x) for i, one in enumerate(made))


def of_the_function_itself(x: float, n: int, k: int) -> Any:
    total, adding = 0.0, []
    for i in range(int(2.0 * x) + n):
        def add(t: Any, i: int = i) -> Any:
            nonlocal total
            total += t * (i + 1)
            return total

        adding.append(add)
    return adding[k](x) * total + adding[-1](x * x) + total


def bound_late(x: float, n: int, k: int) -> Any:
    found = []
    for i in range(int(2.0 * x) + n):
        w = x * i
        found.append(lambda t: t * w + i)  # noqa: B023
    late = [lambda t: t * i for i in range(int(2.0 * x) + n)]  # noqa: B023
    before = found[k](x)
    w = 3.0 * x
    return before + found[0](x) * late[k](x)


def partly_applied(x: float, n: int, k: int) -> Any:
    add = counter(x)

    def step(w: Any, t: Any, scale: Any) -> Any:
        return w * t + add(scale)

    found = [partial(step, x * i, scale=x) for i in range(n)]
    return found[k](x) + 2.0 * found[-1](2.0 * x)


def read_by_a_later_run(x: float, n: int, k: int) -> Any:
    total = 0.0
    for i in range(n):
        if i > 0:
            total += held  # noqa: F821
        held = x * i

        def add(t: Any) -> None:
            nonlocal held
            held += t

        add(x)
    return total * held


SHARING = (made_by_a_comprehension, sharing, of_the_function_itself, bound_late, partly_applied, read_by_a_later_run)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", SHARING, ids=lambda f: f.__name__)
def test_functions_that_are_kept_share_variables(f: Callable[..., Any]) -> None:
    agrees(f, 1.7, 3, 0, exponentials=("Delta", "AdditiveMap"))
    agrees(f, 0.6, 3, 1, second=False, exponentials=("Delta",))
