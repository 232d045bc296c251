"""Sets, deques and the dicts of `collections` as results: the caller gets objects of Python's classes."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest

import ccc
from ccc.compile.diagnostics import WrongArguments


def a_set(ws: list[float]) -> Any:
    found = set()
    for i, w in enumerate(ws):
        if w > 1.0:
            found.add(i)
    return found, {1, "b", (2, 3)}


def a_deque(ws: list[float]) -> Any:
    last = deque(maxlen=2)
    for w in ws:
        last.append(2.0 * w)
    return last


def rows(ws: list[float]) -> Any:
    found = defaultdict(list)
    for w in ws:
        found[w > 1.0].append(w)
    return found, 1


def first(ws: list[float]) -> Any:
    found = OrderedDict()
    for w in ws:
        found.setdefault(int(w), w)
    return found


def counts(ws: list[float]) -> Any:
    found = Counter(int(w) for w in ws)
    found[0] += 1
    return found, Counter([int(w) for w in ws]), Counter(int(w) for w in ws).most_common(1)


def of_generators(ws: list[float]) -> Any:
    found = set()
    found.update(int(w) for w in ws)
    return found, sum(set(int(w) for w in ws)), deque((w * w for w in ws), maxlen=2)


def tuples(ws: list[float]) -> Any:
    found, last, groups = [], [], {}
    for i in range(len(ws)):
        t = tuple([w * i for w in ws if w > 1.0 - i])
        if i % 2:
            found.append(t)
        else:
            found.insert(0, t)
        groups.setdefault(i % 2, []).append(t)
    for column in zip(*[ws, found[0]], strict=False):
        last.append(column)
    return found, found[1:] + found, sorted(found), groups, last


def rows_of_tuples(ws: list[float]) -> Any:
    nested, table = [], {}
    for i, w in enumerate(ws):
        nested.append([tuple([w * j for j in range(k)]) for k in range(i)])
        table[i] = tuple([w] * i)
    columns = zip(*[[w * j for j in range(3)] for w in ws], strict=True)
    return nested, table, list(table.values()), {i: c for i, c in enumerate(columns)}, [list(t) for t in table.values()]


def kinds(x: Any) -> Any:
    """The classes in a structure."""
    inside = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple, deque)) else ()
    return type(x), getattr(x, "maxlen", None), [kinds(part) for part in inside]


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [a_set, a_deque, rows, first, counts, of_generators, tuples, rows_of_tuples])
def test_containers_are_those_of_python(f: Any, backend: Any) -> None:
    found, expected = ccc.compiled(f, backend=backend)([0.5, 1.5, 1.25]), f([0.5, 1.5, 1.25])
    assert found == expected and kinds(found) == kinds(expected)


@pytest.mark.parametrize("f", [tuples, rows_of_tuples])
def test_tuples_in_lists_and_dicts_are_shown_as_such(f: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def shows(ws: list[float]) -> float:
        found = f(ws)
        print(found, found[0], f"{found[1]}")
        return ws[0]

    shows([0.5, 1.5, 1.25])
    ccc.compiled(shows, backend="numpy")([0.5, 1.5, 1.25])
    expected, found = capsys.readouterr().out.splitlines()
    assert found == expected


def test_they_have_derivatives() -> None:
    value, pullback = ccc.value_with_pullback(a_deque)([0.5, 1.5, 1.25])
    assert value == deque([3.0, 2.5], maxlen=2) and pullback(deque([1.0, 0.5])) == [0.0, 2.0, 1.0]
    assert ccc.jvp(a_deque, ([0.5, 1.5, 1.25],), ([1.0, 0.0, 2.0],))[1] == deque([0.0, 4.0])
    value, pullback = ccc.value_with_pullback(lambda ws: rows_of_tuples(ws)[1])([0.5, 1.5, 1.25])
    assert pullback({0: (), 1: (1.0,), 2: (2.0, 0.5)}) == [0.0, 1.0, 2.5]
    value, pullback = ccc.value_with_pullback(a_deque)([0.5, 1.5, 1.25])
    with pytest.raises(WrongArguments, match="the value is a deque, so must its cotangent be; found list"):
        pullback([1.0, 0.5])


def beyond(x: float, i: int) -> float:
    return deque([x, 2.0])[i]


def put_beyond(x: float, i: int) -> float:
    found = deque([x, 2.0])
    found[i] = x * x
    return found[0] + found[1]


def without(x: float, i: int) -> float:
    found = deque([2, 3])
    found.remove(i)
    return x * found[0]


@pytest.mark.parametrize("f", [beyond, put_beyond, without])
def test_a_deque_says_itself_what_it_lacks(f: Any) -> None:
    assert ccc.gradient(f)(1.5, -2 if f is not without else 2)[0] in (1.0, 3.0)
    with pytest.raises((IndexError, ValueError)) as found:
        f(1.5, 5)
    with pytest.raises(found.type, match=f"^{found.value}"):
        ccc.compiled(f)(1.5, 5)
