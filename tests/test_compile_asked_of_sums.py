"""What is asked of a value that is one of several kinds: the answer is that of Python in each run, or is refused."""

from __future__ import annotations

import collections
import collections.abc
import inspect
import numbers
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc


class Sized:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __len__(self) -> int:
        return 2


class Goes:
    def __init__(self, weight: Any) -> None:
        self.weight = weight

    def __bool__(self) -> bool:
        return False

    def go(self) -> Any:
        return self.weight


class Called:
    def __call__(self) -> float:
        return 1.0

    def __iter__(self) -> Any:
        return iter((1.0, 2.0))


KINDS: dict[str, Callable[[Any, int], Any]] = {
    "number, None": lambda x, n: x if n < 3 else None,
    "number, function": lambda x, n: x if n < 3 else (lambda: x),
    "number, list": lambda x, n: x if n < 3 else [x, 2 * x],
    "number, tuple": lambda x, n: x if n < 3 else (x, 2 * x),
    "number, text": lambda x, n: x if n < 3 else "abc",
    "number, dict": lambda x, n: x if n < 3 else {"a": x},
    "number, array": lambda x, n: x if n < 3 else np.ones(2) * x,
    "two classes": lambda x, n: Sized(x) if n < 3 else Goes(x),
    "object, None": lambda x, n: Sized(x) if n < 3 else None,
    "object, callable": lambda x, n: Sized(x) if n < 3 else Called(),
    "object, number": lambda x, n: Goes(x) if n < 3 else x,
    "list, tuple": lambda x, n: [x] if n < 3 else (x, x),
    "list, None": lambda x, n: [x, x] if n < 3 else None,
    "text, None": lambda x, n: "a" if n < 3 else None,
    "function, None": lambda x, n: (lambda: x) if n < 3 else None,
    "function, callable": lambda x, n: (lambda: x) if n < 3 else Called(),
}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "bool": bool, "not": lambda v: not v, "is None": lambda v: v is None, "callable": callable,
    "float": lambda v: isinstance(v, float), "Number": lambda v: isinstance(v, numbers.Number),
    "Sequence": lambda v: isinstance(v, collections.abc.Sequence),
    "Iterable": lambda v: isinstance(v, collections.abc.Iterable),
    "Callable": lambda v: isinstance(v, collections.abc.Callable),
    "Sized": lambda v: isinstance(v, collections.abc.Sized), "str": lambda v: isinstance(v, str),
    "Mapping": lambda v: isinstance(v, collections.abc.Mapping),
    "FunctionType": lambda v: isinstance(v, types.FunctionType),
    "isfunction": inspect.isfunction, "list or tuple": lambda v: isinstance(v, (list, tuple)),
    "ndarray": lambda v: isinstance(v, np.ndarray), "generic": lambda v: isinstance(v, (np.ndarray, np.generic)),
    "type": lambda v: type(v) is float, "types": lambda v: type(v) in (list, tuple),
    "has len": lambda v: hasattr(v, "__len__"), "has value": lambda v: hasattr(v, "value"),
    "has call": lambda v: hasattr(v, "__call__"), "has iter": lambda v: hasattr(v, "__iter__"),  # noqa: B004
    "has shape": lambda v: hasattr(v, "shape"), "has append": lambda v: hasattr(v, "append"),
    "has go": lambda v: hasattr(v, "go"), "get go": lambda v: getattr(v, "go", None) is not None,
    "get len": lambda v: getattr(v, "__len__", None) is not None,
    "get weight": lambda v: getattr(v, "weight", 9.0) > 5.0,
    "goes": lambda v: v.go() > 1.0 if hasattr(v, "go") else False,
    "is long": lambda v: len(v) == 2 if hasattr(v, "__len__") else False,
    "gives": lambda v: v() > 1.2 if callable(v) else False,  # type: ignore[operator]
    "is scalar": np.isscalar, "is iterable": np.iterable,
    "sums": lambda v: sum(v) > 1.0 if np.iterable(v) and not isinstance(v, (str, dict)) else False,
}


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_answered_as_in_plain_python(kind: str, backend: Any):
    make, refused = KINDS[kind], 0
    for asks in QUESTIONS.values():
        def f(x: Any, n: int, asks: Any = asks) -> Any:
            return x * 5.0 if asks(make(x, n)) else x

        for n in (1, 5):
            if kind == "number, array" and n == 5 and asks in (bool, QUESTIONS["not"]):
                continue  # an array of several items is neither true nor false
            try:
                found = ccc.compiled(f, backend=backend)(1.5, n)
            except ccc.CCCError:
                refused += 1
                continue
            assert found == f(1.5, n)
    assert refused <= 4


def test_containers_have_the_attributes_of_pythons() -> None:
    def f(x: Any) -> Any:
        q, s = collections.deque([x]), {1, 2}
        s.add(int(x))
        return hasattr(q, "items"), hasattr(q, "popleft"), hasattr(s, "table"), hasattr(s, "add")

    assert ccc.compiled(f)(3.0) == f(3.0) == (False, True, False, True)
