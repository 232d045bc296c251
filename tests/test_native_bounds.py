"""What machine code knows of integers: indices that name items, sums that fit, arrays that are written whole."""

import numpy as np
import pytest

import ccc
from ccc.compile.native import passes, target
from ccc.compile.native.bounds import Box, Form, Symbol, united

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def rows(x):
    """Rows of three and two numbers, and one number for each row behind all of them."""
    p = len(x)
    values = np.zeros(6 * p)
    for i in range(p):
        for k in range(3):
            values[5 * i + k] = x[i] + k
        for k in range(2):
            values[5 * i + 3 + k] = k - x[i]
        values[5 * p + i] = 2.0 * x[i]
    return values


def by_turns(x):
    values = np.zeros(2 * len(x) + 1, dtype=int)
    for i in range(len(x)):
        values[2 * i + 1] = -i
        values[2 * i] = i
    values[2 * len(x)] = 7
    return values


def one_missing(x):
    values = np.zeros(len(x) + 1)
    for i in range(len(x)):
        values[i] = x[i]
    return values


def gaps(x):
    values = np.zeros(3 * len(x))
    for i in range(len(x)):
        values[3 * i] = x[i]
        values[3 * i + 1] = 1.0
    return values


def some(x):
    values = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.0:
            values[i] = x[i]
    return values


def seen(x):
    """What it holds before is read."""
    values = np.zeros(len(x))
    for i in range(len(x)):
        values[i] = values[i] + x[i]
    return values


def seen_by_another(x):
    values = np.zeros(len(x))
    before = np.sum(values)
    for i in range(len(x)):
        values[i] = x[i] + before
    return values


def shorter(x):
    """The loop ends with the shorter range."""
    values = np.zeros(len(x))
    for i, k in zip(range(len(x)), range(len(x) // 2), strict=False):
        values[i] = x[i] + k
    return values


def ended(x):
    values = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 2.0:
            break
        values[i] = x[i]
    return values


def from_the_end(x):
    """The first index counts from the end."""
    values = np.zeros(len(x))
    for i in range(len(x)):
        values[i - 1] = x[i]
    return values


def meeting(x):
    """Two rows have a place in common, and the last place is left."""
    values = np.zeros(4 * len(x))
    for i in range(len(x)):
        for row in range(2):
            for k in range(2):
                values[4 * i + row + k] = x[i] * (row + 1) + k
    return values


WHOLE = (rows, by_turns)
OTHER = (one_missing, gaps, some, seen, seen_by_another, shorter, ended, from_the_end, meeting)


def bounds_of(f, monkeypatch, *args):
    """What is known of the program, once it is machine code; and that code."""
    found, known = passes.Bounds, []
    monkeypatch.setattr(passes, "Bounds", lambda *xs: known.append(found(*xs)) or known[-1])
    native = ccc.compiled(f, backend="native")
    native(*args)
    return known[-1], native


@pytest.mark.parametrize("f", [*WHOLE, *OTHER])
def test_an_array_is_left_unset_where_all_of_it_is_written(f, monkeypatch):
    known, native = bounds_of(f, monkeypatch, np.ones(20))
    assert len(known.covered) == (f in WHOLE)
    for n in (0, 1, 2, 7, 8, 9, 30, 5000, 40_000):
        for seed in range(2):  # the second call finds the memory of the first
            x = np.random.default_rng([n, seed]).normal(size=n)
            np.testing.assert_array_equal(native(x), f(x))


@pytest.mark.parametrize("f", WHOLE)
def test_indices_that_surely_name_items_are_not_checked(f, monkeypatch):
    known, _ = bounds_of(f, monkeypatch, np.ones(20))
    writes = [let for let in known.inside if let.op.primitive.name == "set_at"]
    assert len(writes) == 3
    assert {"add", "mul"} <= {let.op.primitive.name for let in known.exact} <= {"add", "mul", "neg"}


def test_an_index_that_may_be_none_is_checked(monkeypatch):
    def f(x):
        values = np.zeros(len(x))
        for i in range(len(x)):
            values[i + 1] = x[i]
        return values

    x = np.ones(20)
    with pytest.raises(IndexError):
        bounds_of(f, monkeypatch, x)
    known, native = bounds_of(from_the_end, monkeypatch, x)
    assert not any(let.op.primitive.name == "set_at" for let in known.inside)
    np.testing.assert_array_equal(native(np.arange(4.0)), [1.0, 2.0, 3.0, 0.0])


def test_sums_of_arguments_are_checked(monkeypatch):
    known, native = bounds_of(lambda x, n: len(x) + n, monkeypatch, np.ones(3), 2)
    assert not known.exact
    assert native(np.ones(3), 2**63 - 2) == 2**63 + 1


def test_boxes_are_united_where_one_begins_at_the_end_of_another():
    n = Form({"n": 1})
    runs: dict[Symbol, Form] = {"i": n, "k": Form({}, 3)}
    inner, last = Box(Form(), Form({}, 1), {"i": 4, "k": 1}), Box(Form({}, 3), Form({}, 1), {"i": 4})
    assert united([inner, last], runs) == [Box(Form(), n.times(4), {})]
    assert united([last, inner], runs) == [Box(Form(), n.times(4), {})]
    assert len(united([inner, Box(Form({}, 4), Form({}, 1), {"i": 4})], runs)) == 2
    assert united([Box(Form(), Form({}, 1), {"i": 2})], runs)[0].steps == {"i": 2}


@pytest.mark.skipif(not target.engine.cpu().lanes, reason="no vectors here")
def test_rows_are_written_as_vectors(monkeypatch):
    """Runs side by side would write to places apart; here nothing else is to be done for them."""
    made, lower = [], target.lowered
    monkeypatch.setattr(target, "lowered", lambda *args: made.append(lower(*args)) or made[-1])

    def rows_of(places, n):
        values = np.zeros(12 * len(places), dtype=int)
        for i in range(len(places)):
            start = n * places[i]
            for k in range(12):
                values[12 * i + k] = start + k
        return values

    native, places = ccc.compiled(rows_of, backend="native"), np.arange(30)[::-1].copy()
    np.testing.assert_array_equal(native(places, 5), rows_of(places, 5))
    assert "masked.scatter" not in made[-1].text.partition("define internal i32 @f0")[2]
