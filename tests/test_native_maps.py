"""Dicts whose keys the run knows, in machine code: as plain Python has them, entry by entry and in their order."""

import ctypes
import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from native_checks import near
from random_dicts import dicts

import ccc
from ccc.compile.native import engine, hash_tables, stacks
from ccc.objects import Map

pytestmark = pytest.mark.skipif(not engine.available(), reason="LLVM is not installed")


def in_machine_code(made: Any, *args: Any) -> Any:
    """What a transform that is kept gives at arguments, all of it in machine code."""
    found = made(*args)
    assert not any(code.left_to for codes in made.codes.values() for code in codes)
    return found


def totals(x, rows):
    """Amounts by name."""
    found = {}
    for name, v in rows:
        found[name] = found.get(name, 0.0) + v * x
    total = 0.0
    for i, name in enumerate(found):
        total += (i + 1) * found[name] ** 2
    return total


def sieved(x, n):
    """Entries that go from the front, the middle and the end; what is left keeps its order."""
    found = {}
    for i in range(n):
        found[i * 17 % 101] = x * i
    for i in range(0, n, 3):
        if i in found:
            del found[i]  # noqa: RUF051
    for _ in range(n // 5):
        if len(found) > 2:
            x = x + 0.01 * found.popitem()[1]
    found[3] = x
    total = 0.0
    for k in found:
        total = total * 0.9 + found[k] * (k + 1)
    return total


def table(x, n):
    """A table of what was computed, longer than its index at first."""
    found = {0: x, 1: x * x}
    for i in range(2, n):
        found[i] = 0.5 * found[i - 1] + x * found[i - 2]
    return found[n - 1] + len(found)


def fib(n, x, known):
    if n not in known:
        known[n] = x if n < 2 else fib(n - 1, x, known) + 0.5 * fib(n - 2, x, known)
    return known[n]


def remembered(x, n):
    return fib(n, x, {}) * x


def near_cells(x, points):
    """Points in a hash of cells, the keys of which are pairs."""
    cells = {}
    for i in range(len(points)):
        key = (int(np.floor(points[i, 0])), int(np.floor(points[i, 1])))
        if key in cells:
            cells[key].append(i)
        else:
            cells[key] = [i]
    total = 0.0
    for here in cells.values():
        for i in here:
            for j in here:
                total += math.exp(-x * ((points[i] - points[j]) ** 2).sum())
    return total


def rows_by_key(x, a):
    found = {}
    for i in range(len(a)):
        k = i % 5
        if k in found:
            found[k] = found[k] * 0.5 + a[i] * x
        else:
            found[k] = a[i]
    return sum(v.sum() * (k + 1) for k, v in found.items())


POINTS = np.random.default_rng(1).uniform(0, 4, (40, 2))
ROWS = [("rent", 7.0), ("food", 2.0), ("re" + "nt"[:2], 5.0), ("", 1.0), ("food", -3.0)]
PROGRAMS = [(totals, (1.5, ROWS)), (sieved, (0.3, 60)), (table, (0.4, 300)), (remembered, (0.7, 30)),
            (near_cells, (0.9, POINTS)), (rows_by_key, (1.1, np.linspace(-1.0, 1.0, 36).reshape(12, 3)))]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_programs_with_dicts(f: Any, args: tuple[Any, ...]):
    assert math.isclose(in_machine_code(ccc.compiled(f, backend="native"), *args), f(*args), rel_tol=1e-12)
    expected = ccc.gradient(f, wrt="x", backend="numpy")(*args)
    assert math.isclose(in_machine_code(ccc.gradient(f, wrt="x", backend="native"), *args), expected, rel_tol=1e-10)


@pytest.mark.parametrize(("f", "args"), PROGRAMS[:3], ids=[f.__name__ for f, _ in PROGRAMS[:3]])
def test_second_derivatives_with_dicts(f: Any, args: tuple[Any, ...]):
    def slope(x, *rest):
        return ccc.gradient(lambda y: f(y, *rest))(x)

    found = in_machine_code(ccc.gradient(slope, wrt="x", backend="native"), *args)
    assert math.isclose(found, ccc.gradient(slope, wrt="x", backend="numpy")(*args), rel_tol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stacks, "POISONED", True)
    made = dicts(seed)
    f: Any = made.load()
    found, expected = (ccc.value_with_gradient(f, backend=b) for b in ("native", "numpy"))
    for call in made.calls:
        args = made.arguments(f, call)
        wanted = expected(*args)
        given = in_machine_code(found, *args)
        assert type(wanted[0]) is type(f(*args)) and wanted[0] == f(*args)
        assert not near(lambda *xs: expected(*xs)[1], args, given[1], wanted[1])
        assert math.isclose(given[0], wanted[0], rel_tol=1e-11, abs_tol=1e-12)


# -- arguments and results ---------------------------------------------------------------------------------------------


@dataclass
class Book:
    entries: dict[Any, float]
    factor: float


def weighed(book, keys):
    total = 0.0
    for k in keys:
        if k in book.entries:
            total += book.entries[k] ** 2 * book.factor
    return total


KEYS = [list(range(30)), [(i, i % 3) for i in range(20)], [i * 0.5 for i in range(12)],
        [f"k{i}" for i in range(15)], [3]]


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_dicts_are_arguments_and_results(keys: list[Any]):
    values = dict(zip(keys, np.linspace(0.5, 2.0, len(keys)).tolist(), strict=True))

    def both(d, ks):
        out = {}
        for k in ks:
            if k in d:
                out[k] = d[k] * 2.0
        return out

    missing = [*keys[::2], *keys[:1]]
    found = in_machine_code(ccc.compiled(both, backend="native"), values, missing)
    assert found == both(values, missing) and list(found) == list(both(values, missing))
    assert [type(k) for k in found] == [type(k) for k in both(values, missing)]
    cts = [ccc.gradient(weighed, wrt="book", backend=b)(Book(values, 1.5), missing) for b in ("native", "numpy")]
    assert cts[0].entries == cts[1].entries and list(cts[0].entries) == keys
    assert math.isclose(cts[0].factor, cts[1].factor)


def test_a_dict_of_one_key_that_is_a_number_of_another_kind():
    def f(x, d):
        return d[2.0] * x if 2.0 in d else x

    def g(x, d):
        return d[True] * x

    assert ccc.gradient(f, wrt="x", backend="native")(1.5, {1: 3.0, 2: 4.0}) == 4.0
    assert ccc.gradient(g, wrt="x", backend="native")(1.5, {1: 3.0, 2: 4.0}) == 3.0


def test_reals_are_keys_by_their_values():
    def f(x, ks):
        d = {}
        for k in ks:
            d[k] = d.get(k, 0.0) + x
        total, weight = 0.0, 1.0
        for k in d:
            total += d[k] * weight
            weight *= 0.5
        return total

    nan = float("nan")
    for ks in ([0.0, -0.0, 1.5, 1.5], [nan, nan, 1.0], [nan, float("nan")]):
        for backend in ("native", "numpy"):
            assert ccc.value_with_gradient(f, wrt="x", backend=backend)(2.0, ks) == (f(2.0, ks), f(1.0, ks))


def test_a_key_that_is_not_there():
    def f(x, n):
        d = {}
        for i in range(n):
            d[i] = x
        return d[n] * x

    with pytest.raises(KeyError, match="4"):
        ccc.gradient(f, wrt="x", backend="native")(1.0, 4)


def test_what_is_known_under_two_names_is_not_changed_in_place():
    def f(x, n):
        d = {}
        for i in range(n):
            d[i % 12] = x * i
        e = dict(d)
        for i in range(0, 12, 2):
            del e[i]
        for i in range(20, 40):
            e[i] = x
        return sum(d.values()) * len(d) + sum(e.values()) * len(e)

    for n in (5, 30):
        n = max(n, 12)
        assert math.isclose(in_machine_code(ccc.gradient(f, wrt="x", backend="native"), 0.5, n),
                            ccc.gradient(f, wrt="x", backend="numpy")(0.5, n))


def test_what_is_looked_up_takes_no_more_time_in_a_large_dict():
    """Keys are looked for by their hashes: the comparisons that a program makes are few."""
    def f(x, n):
        d = {}
        for i in range(n):
            d[i * 65536] = x
        total = 0.0
        for i in range(n):
            total += d[i * 65536]
        return total

    n = 1 << 15  # 2 ** 30 comparisons, were they made one after the other
    assert in_machine_code(ccc.gradient(f, wrt="x", backend="native"), 0.5, n) == n


# -- the functions that find, enter and drop ---------------------------------------------------------------------------


@pytest.mark.parametrize("key", [("i64",), ("double",), ("i64", "i64")], ids="_".join)
def test_entries_are_found_entered_and_dropped(key: tuple[str, ...]):
    stride = len(key) + 1
    made = hash_tables.functions(key, stride)
    text = "\n".join([*hash_tables.DECLARED, *[f.linked("") for f in made]])
    loaded = engine.compile_ir(text, [f.name for f in made])
    real, integer = ctypes.c_double, ctypes.c_int64
    types = [real if t == "double" else integer for t in key]
    pointer = ctypes.c_void_p
    address = {f.name.split("_")[1]: loaded.addresses[f.name] for f in made}
    find = ctypes.CFUNCTYPE(integer, pointer, integer, pointer, integer, *types)(address["find"])
    enter = ctypes.CFUNCTYPE(None, pointer, integer, integer, pointer, integer)(address["enter"])
    drop = ctypes.CFUNCTYPE(None, pointer, integer, integer, pointer, integer, ctypes.c_bool)(address["drop"])
    r = random.Random(3)
    for slots in (0, 64):
        entries, index = np.zeros((40, stride), np.int64), np.full(slots, -1, np.int64)
        known: list[tuple[Any, ...]] = []
        for step in range(3000):
            k = tuple([float(r.randrange(40)) if t is real else r.randrange(40) << r.choice((0, 32)) for t in types])
            at = find(entries.ctypes.data, len(known), index.ctypes.data, slots, *k)
            assert at == (known.index(k) if k in known else -1)
            if at < 0 and len(known) < slots // 2 + 8 * (not slots):
                entries[len(known)] = [*[np.float64(x).view(np.int64) if t is real else x
                                         for x, t in zip(k, types, strict=True)], step]
                known.append(k)
                if slots:
                    enter(entries.ctypes.data, len(known) - 1, len(known), index.ctypes.data, slots)
            elif at >= 0 and r.random() < 0.7:
                ordered = r.random() < 0.5
                drop(entries.ctypes.data, len(known), at, index.ctypes.data, slots, ordered)
                if not ordered:
                    known[at] = known[-1]
                    known.pop()
                else:
                    del known[at]
            assert slots == 0 or sorted(index[index >= 0]) == list(range(len(known)))


def test_the_type_of_a_dict_decides_its_layout():
    from ccc.compile.native.layout import Entries, NotNative, Parts, Word, canonical
    from ccc.objects import BOOL, INT, REAL, Coproduct, List, Text

    assert canonical(Map(Text(), REAL)) == Entries(Parts((Word("i64"), Word("double"))))
    for key in (List(INT), Coproduct((INT, BOOL))):
        with pytest.raises(NotNative, match="a dict whose keys"):
            canonical(Map(key, REAL))
