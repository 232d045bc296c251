"""Results that take the memory of an operand: the same bits, and nothing overwritten that something else sees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, same
from test_ccc_primitives_samples import SAMPLES, Sample

import ccc
from ccc.objects import Array, array
from ccc.objects_of_values import object_of
from ccc.primitives import bilinear, reductions, registry
from ccc.primitives.primitive import Primitive
from ccc.primitives.results import gives_array


def code_of(f: Any, *args: Any) -> str:
    return ccc.explain(ccc.compiled(f, backend="numpy"), *args).code


def chained(x: np.ndarray, y: np.ndarray) -> float:
    z = np.exp(x) * y + np.sin(x * y)
    return np.sum(np.log(1 + z * z) / (1 + np.exp(-z)))


def test_temporaries_are_written_over():
    x = np.linspace(0.1, 1.0, 5)
    code = code_of(chained, x, x + 0.5)
    assert code.count("out=") >= 3
    assert "+= 1" in code
    agrees(chained, x, x + 0.5)


def seen_twice(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = x * 2.0
    b = a - 1.0
    return a, b


def view_of_a_temporary(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    tail = a[::-1]
    b = a - 1.0
    return b * tail


def in_a_tuple(x: np.ndarray) -> float:
    a = x * 2.0
    pair = (a, x)
    b = np.exp(a)
    return np.sum(b * pair[0])


def argument(x: np.ndarray) -> np.ndarray:
    return x * 2.0 - x


def of_integers(x: np.ndarray) -> np.ndarray:
    a = np.array([1, 2, 3]) * 2
    return a / 4 + x


def wider(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    return a - x.reshape(3, 1)


def of_a_branch(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    b = a - 1.0 if x[0] > 0 else a
    return b * 3.0


def of_a_loop(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    for i in range(3):
        a = 1.0 - a * x[i]
    return a


def of_a_loop_over_an_argument(x: np.ndarray) -> np.ndarray:
    a = x
    for i in range(3):
        a = 1.0 - a * x[i]
    return a


def kept_by_a_function(x: np.ndarray) -> np.ndarray:
    a = x * 2.0

    def scaled(t: float) -> np.ndarray:
        return a * t

    b = a - 1.0
    return b * scaled(2.0)


def in_a_list(x: np.ndarray) -> float:
    kept = []
    a = x * 2.0
    for i in range(3):
        a = a * x[i]
        kept.append(a)
    return np.sum(kept[0]) + np.sum(kept[1] * kept[2])


def taken_from(x: np.ndarray) -> np.ndarray:
    rows = [x * 2.0, x * 3.0]
    a = rows[0]
    b = a - 1.0
    return b + rows[0]


FUNCTIONS = [
    seen_twice, view_of_a_temporary, in_a_tuple, argument, of_integers, wider, of_a_branch, of_a_loop,
    of_a_loop_over_an_argument, kept_by_a_function, in_a_list, taken_from,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_is_overwritten_that_is_seen(f: Any):
    x = np.array([0.5, -1.5, 2.0])
    given = x.copy()
    assert same(ccc.compiled(f, backend="numpy")(given), f(x.copy()))
    np.testing.assert_array_equal(given, x)

    def loss(v: np.ndarray) -> float:
        found = f(v)
        if isinstance(found, tuple):
            return np.sum(found[0] * found[1])
        return np.sum(found * found)

    agrees(loss, x)
    np.testing.assert_array_equal(given, x)


def recursive(x: np.ndarray) -> float:
    def go(k: int, h: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if k == 0:
            return h, c
        z = c * x[k] + x[0] * h
        return go(k - 1, np.tanh(z) * x[1], z)

    found = go(2, x, x)
    return np.sum(found[0] * found[1])


def test_what_a_function_hands_back_is_not_overwritten():
    """The pullback of the last call gives its cotangents themselves."""
    x = np.array([0.5, -1.5, 2.0])
    agrees(recursive, x)

    def twice(v: np.ndarray) -> float:
        return recursive(v) + recursive(2.0 * v) * recursive(v)

    agrees(twice, x)


def of_either_kind(x: float, v: np.ndarray) -> np.ndarray:
    t = np.float64(0.2) if x < 0 else -0.1
    return v * 0.5 + t


def test_a_number_of_either_kind_decides_the_dtype():
    v = np.array([0.1, 0.2], np.float32)
    for x in (-1.0, 1.0):
        assert same(ccc.compiled(of_either_kind, backend="numpy")(x, v), of_either_kind(x, v))


def from_bools(x: np.ndarray) -> np.ndarray:
    y = x > 1.0
    for _ in range(2):
        y = y + x
    return y


def from_short_integers(x: np.ndarray) -> np.ndarray:
    y = np.arange(3, dtype=np.int8)
    for _ in range(2):
        y = np.exp(y) * x[0] * 1.1
    return y


def from_bools_and_short_numbers(x: np.ndarray) -> np.ndarray:
    y = x > 1.0
    for _ in range(2):
        y = y * np.float32(1.1) + x
    return y


@pytest.mark.parametrize("f", [from_bools, from_short_integers, from_bools_and_short_numbers])
def test_an_array_that_a_loop_begins_with_keeps_its_dtype(f: Any):
    x = np.array([1.1, 0.7, 3.0])
    assert same(ccc.compiled(f, backend="numpy")(x), f(x))


def misjudged(judge: Callable[..., bool]) -> set[str]:
    """The primitives whose result is said to be an array of known sizes, and is none where numbers stand for arrays."""
    found = set[str]()
    for p in registry.PRIMITIVES:
        for s in [] if p.effect else SAMPLES.get(p.name, ()):
            objects = tuple(map(object_of, s.args))
            for sure in product((True, False), repeat=len(objects)):
                numbers = [isinstance(a, Array) and not surely for a, surely in zip(objects, sure, strict=True)]
                if any(numbers) and judge(p, objects, s.params, sure) and not keeps_sizes(p, s, numbers):
                    found.add(p.name)
    return found


def keeps_sizes(p: Primitive, s: Sample, numbers: list[bool]) -> bool:
    """Whether the result of a sample has the sizes that it has where some arguments are numbers, or those raise."""
    try:
        with np.errstate(all="ignore"):
            given = p.value(*[0.0 if x else a for a, x in zip(s.args, numbers, strict=True)], **s.params)
    except Exception:
        return True
    return isinstance(given, np.ndarray) and given.shape == s.result(p).shape


def test_what_is_surely_an_array_is_one_where_numbers_stand_for_arrays():
    assert not misjudged(gives_array)
    x = array("float64", ("n", "n"))
    assert gives_array(bilinear.matmul, (x, x), {}, (False, False))
    assert not gives_array(reductions.sum_, (x,), {"axis": None}, (True,))


def any_is_sure(p: Primitive, args: Any, params: Any, sure: tuple[bool, ...]) -> bool:
    return any(surely for a, surely in zip(args, sure, strict=True) if isinstance(a, Array))


def of_array_type(p: Primitive, args: Any, params: Any, sure: tuple[bool, ...]) -> bool:
    try:
        return isinstance(p.type_of(args, params), Array)
    except TypeError:
        return False


@pytest.mark.parametrize(("judge", "names"), [
    (any_is_sure, {"add", "where"}), (of_array_type, {"add", "math.exp", "fit"}),
], ids=lambda x: getattr(x, "__name__", ""))  # fmt: skip
def test_a_planted_judgement_of_what_is_an_array_is_found(judge: Callable[..., bool], names: set[str]) -> None:
    assert names & misjudged(judge)


SEEN: list[Any] = []


def note(*what: Any) -> None:
    SEEN.append(what)


def test_nothing_is_called_to_find_out_what_is_an_array():
    def noted(x: np.ndarray) -> float:
        with np.errstate(divide="call", call=note):
            y = np.log(x)
        return np.sum(np.exp(y) + x)

    assert same(ccc.compiled(noted, backend="numpy")(np.array([1.0, 2.0])), np.float64(6.0))
    assert not SEEN


def test_a_cotangent_that_changes_its_dtype_is_summed():
    def outer_of_sums(x: np.ndarray, m: np.ndarray) -> float:
        a = np.tanh(np.outer(np.sum(m, axis=0), x))
        return a[-2, 0] + np.sum(m)

    agrees(outer_of_sums, np.array([0.3, -0.2]), np.array([[-1.121, 0.118]], np.float32))


def added_to_a_constant(x: np.ndarray) -> np.ndarray:
    return x + np.ones(4)


def into_the_first(x: np.ndarray) -> np.ndarray:
    return x * 2.0 - np.ones(4)


def into_the_second(x: np.ndarray) -> np.ndarray:
    return np.ones(4) / (x * 2.0)


def of_a_later_run(x: np.ndarray) -> np.ndarray:
    a = x * 2.0
    for i in range(3):
        a = a * x
        a = a + np.ones(3 + i)
    return a


@pytest.mark.parametrize("f", [added_to_a_constant, into_the_first, into_the_second, of_a_later_run])
def test_sizes_that_do_not_fit_are_named_as_numpy_names_them(f: Any):
    agrees_in_value(f, np.array([0.3, 0.7, 1.1]))
