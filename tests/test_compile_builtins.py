"""Python's own functions on sequences that are known item by item, of unknown length, and arrays."""

# pyright: reportCallIssue=false, reportArgumentType=false

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import comprehensions

XS = [0.7, 1.9, 1.2, 2.6]
V = np.array([0.7, 1.9, 1.2, 2.6])


def sums(xs: list[float], k: float) -> float:
    return sum(xs) * k + sum(xs, k) + sum([k, 2.0, k * k], start=1) + sum(x * x for x in xs if x > k)


def sums_of_arrays(v: Any) -> Any:
    return sum(v) + np.sum(sum([v, v * v]) * sum((r for r in [v, v]), start=v))


def extremes(xs: list[float], k: float) -> float:
    a = max(xs) * min(xs) + max(k, 2.0 * k, 1.0) * min([k, 5.0])
    return a + max(xs, key=lambda x: -x * k) + min([k, 0.1, 2.0], key=lambda x: abs(x - 1.8))


def extremes_with_defaults(xs: list[float], k: float) -> float:
    none: list[float] = []
    return max([x for x in xs if x > 50.0], default=k) + min(none, default=k * k) + max(xs, default=0.0) + min(
        (x * k for x in xs), default=1.0)


def extremes_of_tuples(xs: list[float], k: float) -> float:
    score, i = max((x * k, i) for i, x in enumerate(xs))
    low, x = min([((x - 1.3) ** 2, x) for x in xs], key=lambda pair: pair[0])
    return score * i + low * x


def extremes_of_an_array(v: Any) -> Any:
    return max(v) * min(v) + max(v, key=lambda x: math.sin(3.0 * x))


def sorts(xs: list[float], k: float) -> float:
    a = sorted(xs)
    b = sorted(xs, reverse=True)
    c = sorted(xs, key=lambda x: (x - 1.5) ** 2)
    d = sorted([k, 2.0, k * k], key=lambda x: -x)
    return a[0] * 2.0 + a[1] * b[0] + c[0] * 3.0 + c[-1] * k + d[0] * d[1] + len(d)


def sorts_pairs(xs: list[float], k: float) -> float:
    pairs = sorted(zip(xs, [x * k for x in xs], strict=True), key=lambda p: p[1])
    first, *others = sorted([(k, 1.0), (2.0, k), (0.3, 3.0)])
    s = first[0] * first[1] + others[-1][0] * 7.0
    for i, (x, y) in enumerate(pairs):
        s = s + x * y * i
    return s


def sorts_in_place(xs: list[float], k: float) -> float:
    ys = [x * k for x in xs]
    ys.sort(reverse=True)
    zs = [k, 1.0, k * 3.0]
    zs.sort(key=lambda z: (z - 2.0) ** 2)
    zs.append(k)
    return ys[0] * ys[1] ** 2 + zs[0] * 5.0 + zs[1] * zs[2]


def sorts_rows(v: Any) -> Any:
    rows = sorted([v, v * 0.5, v * 2.0], key=lambda r: r[0])
    return np.sum(rows[0] * rows[2]) + sorted(v)[1] * 2.0


def maps(xs: list[float], k: float) -> float:
    s = sum(map(lambda x: x * k, xs)) + sum(map(lambda x, y: x * y, xs, [k, 2.0, k * k]))
    for x in map(math.sin, xs):
        s = s + x
    a, b = map(lambda x: x * x, (k, 2.0))
    return s + a * b + max(*map(abs, [k, -2.0]))


def filters(xs: list[float], k: float) -> float:
    kept = list(filter(lambda x: x > k, xs))
    return sum(kept) * len(kept) + sum(filter(None, [k, 0.0, 2.0])) + len([*filter(lambda x: x > k, [k * 2, k / 2])])


def anys(xs: list[float], k: float) -> float:
    s = k if any(x > 2.0 for x in xs) else -k
    s = s * 2 if all(x > 0 for x in xs) else s
    s = s * 3 if any([x > 99.0 for x in xs]) or not all((k > 0, True)) else s * k
    return s * k if any(map(lambda x: x > 2.0, xs)) else s


def zips(xs: list[float], k: float) -> float:
    s = 0.0
    for i, (x, y) in enumerate(zip(xs, reversed(xs), strict=True), start=2):
        s = s + i * x * y * k
    for a, b, c in zip([k, 1.0], xs, range(5), strict=False):
        s = s + a * b * c
    return s + len(list(zip(xs, xs, strict=False))) + sum(x * y for x, y in zip(xs, xs[2:], strict=False))


def ranges_reversed(n: int, k: float) -> float:
    s = 0.0
    for i in reversed(range(1, n)):
        s = s * k + i
    for x in reversed([k, k * k]):
        s = s * x + 1.0
    return s


def lists_and_dicts(xs: list[float], k: float) -> float:
    d = {name: k * i for i, name in enumerate("abc")}
    e = dict(zip(("p", "q"), (k, 2.0), strict=True))
    f = {**{key: v * 2 for key, v in d.items() if key != "a"}, **e}
    ys = list(xs)
    ys[0] = k
    return sum(f.values()) + sum(ys) + len(f) + tuple([k, 2.0])[-1] * f["q"] + sum(range(4))


def conversions(x: float, k: float) -> float:
    q, r = divmod(x, k)
    s = float(ccc.without_derivative(int(x))) * k + round(x * 3, 1) * k + q * k + r
    return s + pow(x, 2) + pow(x, k) + bool(x) * x + abs(-x) + divmod(7, 2)[1] + pow(3, 5, 7)


def with_keywords(*args: Any, scale: float = 1.0, **others: Any) -> float:
    total = sum(args) * scale
    for name, value in others.items():
        total = total + value * (2.0 if name == "twice" else 1.0)
    return total


def gives_keywords(x: float, k: float) -> float:
    options = {"scale": k, "twice": x}
    return with_keywords(x, 2.0, **options) + with_keywords(*[x, k], once=x * k) + with_keywords(scale=3.0, **{"a": x})


def warned(x: float, k: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(np.float64(x)) if x > 0 else k
        return y * k


def comparisons_of_tuples(x: float, k: float) -> float:
    s = k if (x, 1.0) < (k, 2.0) else x * k
    s = s * 2 if (x, k) >= (x, k) else s
    return s * 3 if (x, 1) == (x, 1) and (x, k) != (k, x) else s


def next_of(xs: list[float], k: float) -> float:
    return next(x * k for x in xs if x > 1.0) + next((x for x in xs if x > 99.0), k * k) + next(iter([k, 2.0]))


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sums, (XS, 1.3)), (sums_of_arrays, (V,)), (extremes, (XS, 1.3)), (extremes_with_defaults, (XS, 1.3)),
    (extremes_of_tuples, (XS, 1.3)), (extremes_of_an_array, (V,)), (sorts, (XS, 1.7)), (sorts_pairs, (XS, 1.7)),
    (sorts_in_place, (XS, 1.4)), (sorts_rows, (V,)), (maps, (XS, 1.3)), (filters, (XS, 1.3)), (anys, (XS, 1.3)),
    (zips, (XS, 1.3)), (ranges_reversed, (5, 1.1)), (lists_and_dicts, (XS, 1.3)), (conversions, (2.3, 0.7)),
    (gives_keywords, (1.2, 0.7)), (warned, (1.2, 0.7)), (comparisons_of_tuples, (0.4, 1.3)), (next_of, (XS, 1.3)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


TENTHS = [0.1] * 10 + [1e16, 1.0, -1e16]


@pytest.mark.parametrize("compensated", [False, True])
def test_sums_of_a_python_whose_sum_compensates(monkeypatch: Any, compensated: bool) -> None:
    """Whichever way `sum` is read, it is that of the running Python where that is how it adds."""
    if compensated or not comprehensions.COMPENSATED:
        monkeypatch.setattr(comprehensions, "COMPENSATED", compensated)
        agrees_in_value(lambda xs: sum(xs) + sum([xs[0], 0.2, xs[1], 3]) + sum(x * x for x in xs), TENTHS)
    agrees(lambda xs, k: sum(x * k for x in xs if x > 1.0) * sum([k, 1, xs[0] * k], k), XS, 1.3)
    agrees(lambda xs, k: sum(map(lambda x: x * x, xs)) + sum(range(5)) * k, XS, 1.3)
    agrees(sums_of_arrays, V)


def test_sum_is_called_where_it_compensates(monkeypatch: Any) -> None:
    monkeypatch.setattr(comprehensions, "COMPENSATED", True)
    assert "sum(xs, 0)" in ccc.explain(lambda xs: math.sin(sum(xs)), XS).code


def test_ties_of_sorting_keep_their_order() -> None:
    found = ccc.gradient(lambda a, b, c: sorted([a, b, c])[1] * 2.0 + sorted([a, b, c], reverse=True)[0])(1.0, 1.0, 0.5)
    assert found == (3.0, 0.0, 0.0)


def too_long(xs: list[float]) -> float:
    return sum(x * y for x, y in zip(xs, [1.0, 2.0], strict=True))


def too_short(xs: list[float]) -> float:
    return sum(x * y * z for x, y, z in zip([1.0] * 4, xs, xs[1:], strict=True))


@pytest.mark.parametrize("f", [
    too_long, too_short, lambda xs: max(xs[4:]), lambda xs: min([x for x in xs if x > 9]),
    lambda xs: next(iter(xs[4:])),
])
def test_exceptions_are_those_of_python(f: Callable[..., Any]) -> None:
    agrees_in_value(f, XS)


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (lambda x, y: max(x, y, kex=1), (1.0, 2.0), "no parameter `kex`"),
    (lambda xs: reversed(map(abs, xs)), (XS,), "an iterator cannot be reversed"),
]


@pytest.mark.parametrize(("f", "args", "message"), REFUSED)
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ccc.gradient(f)(*args)


def of_words(x):
    counts = {}
    for word in ["the", "cat", "the", "dog"]:
        counts[word] = counts.get(word, 0.0) + x
    return counts["the"] * counts["cat"] * len("-".join(["a", "b"]).upper().replace("A", "cc"))


def by_option(x, mode):
    if mode.lower().startswith("sq"):
        return x * x
    return x * mode.count("i")


def test_methods_of_texts_that_are_known():
    agrees(of_words, 1.5)
    for mode in ("SQUARE", "linear in it"):
        assert ccc.gradient(by_option, wrt="x")(3.0, mode) == (6.0 if mode == "SQUARE" else 3.0)
    with pytest.raises(ccc.CCCError, match=r"str\.index"):
        ccc.gradient(lambda x: x * "abc".index("z"))(2.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tuple(map(math.sin, (x, 2 * x)))[1],
        lambda x: tuple(zip((x, 2.0), (x, x * x), strict=True))[1][1] * tuple(enumerate([1.0, x]))[1][1],
        lambda x: tuple(reversed((x, 2.0 * x)))[1] * tuple({"a": 1.0, "b": x}.values())[1],
        lambda x: tuple(range(1, 4))[2] * math.hypot(*tuple(iter([x, x * x]))),
    ],
)
def test_tuples_of_iterators_of_known_length(f: Callable[[float], float]):
    agrees(f, 0.7)


def tuples_of_arrays(v: Any) -> Any:
    """How many items there are follows from the size of the array."""
    t = tuple(v)
    first, *rest = tuple(x * x for x in v)
    known = 1.0 if isinstance(t, tuple) and (*t, 1.0) > t else 2.0
    return t[1] * t[-1] * known + first * len(rest) + sum(i * y for i, y in tuple(enumerate(rest)))


def test_the_items_of_an_array_as_a_tuple():
    agrees(tuples_of_arrays, V)
    agrees(tuples_of_arrays, V[:3])


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: float) -> None:
        self.a = a


def known_things(x: float) -> float:
    both = {1, 2, 3} & {2, 3, 4}
    others = ({1, 2} | {5}) - {1} ^ {7}
    s = Slotted(x)
    had = hasattr(s, "b")
    s.b = x * x
    letters = sum(x * (ord(c) - ord("a")) for c in "cab") + len(chr(65)) + hash(3) * hash(2.5) % 7
    return sum(x**k for k in both) + len(others) * x + letters + (1.0 if had else 2.0) * s.b * hasattr(s, "b")


def sets_that_grow(x: float) -> float:
    seen = {1, 2}
    same = seen
    seen |= {3}
    return x * len(same) + x * x * len(seen)


def frozen_sets(x: float) -> float:
    fixed = frozenset([1, 2])
    kept = fixed
    fixed |= {3}
    return x * x * len(kept) + x**3 * len(fixed)


def test_a_set_that_another_name_stands_for_grows():
    agrees(sets_that_grow, 1.3)
    agrees(frozen_sets, 1.3)


def test_sets_that_are_known_letters_and_slots_without_a_value():
    agrees(known_things, 1.3)
