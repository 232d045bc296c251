"""Rows that runs side by side write: the same items as of one after the other, whatever their number."""

import numpy as np
import pytest

import ccc
from ccc.compile.native import target, vectorize_line

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def three(x, v):
    """Rows of three, and a number behind each."""
    values = np.zeros(4 * len(x))
    for i in range(len(x)):
        row = np.sin(x[i] * v)
        for k in range(3):
            values[4 * i + k] = row[k]
        values[4 * i + 3] = x[i]
    return values


def eight(x, v):
    values = np.zeros(8 * len(x))
    for i in range(len(x)):
        row = x[i] + v * v
        for k in range(8):
            values[8 * i + k] = row[k]
    return values


def pairs(x, v):
    """Two rows of eleven, the second one with a gap before it."""
    values = np.zeros(24 * len(x) + 5)
    for i in range(len(x)):
        for r in range(2):
            row = np.exp(-x[i] * v) - r
            start = 24 * i + 13 * r
            for k in range(11):
                values[k + start] = row[k]
    return values


def seventeen(x, v):
    values = np.zeros(17 * len(x))
    for i in range(len(x)):
        row = np.zeros(17)
        for k in range(17):
            row[k] = np.cos(x[i] + k)
        for k in range(17):
            values[17 * i + k] = row[k]
    return values


def over_each_other(x, v):
    """Later rows write over the ends of earlier ones."""
    values = np.zeros(2 * len(x) + 1)
    for i in range(len(x)):
        row = np.sin(x[i] * v)
        for k in range(3):
            values[2 * i + k] = row[k]
    return values


def where_positive(x, v):
    values = np.zeros(3 * len(x))
    for i in range(len(x)):
        row = np.sin(x[i] * v)
        if x[i] > 0.0:
            for k in range(3):
                values[3 * i + k] = row[k]
    return values


ROWS = (three, eight, pairs, seventeen)
LENGTHS = {three: 3, eight: 8, pairs: 11, seventeen: 17, over_each_other: 3, where_positive: 3}


@pytest.mark.parametrize("f", LENGTHS)
def test_rows_are_those_of_one_run_after_the_other(f):
    native, v = ccc.compiled(f, backend="native"), np.linspace(0.1, 1.0, LENGTHS[f])
    for n in (0, 1, 7, 8, 9, 16, 23, 100):
        x = np.random.default_rng(n).normal(size=n)
        np.testing.assert_allclose(native(x, v), f(x, v), rtol=1e-14, atol=1e-15)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)


def test_a_row_that_is_too_short_ends_the_call():
    with pytest.raises(IndexError):
        ccc.compiled(three, backend="native")(np.ones(20), np.ones(2))
    native = ccc.compiled(three, backend="native")
    native(np.ones(20), np.ones(3))
    with pytest.raises(IndexError):
        native(np.ones(20), np.ones(2))
    np.testing.assert_allclose(native(np.ones(20), np.ones(5)), three(np.ones(20), np.ones(5)))


@pytest.mark.skipif(target.engine.cpu().lanes != 8, reason="no wide vectors here")
@pytest.mark.parametrize("f", ROWS)
def test_rows_are_stored_in_whole_vectors(f, monkeypatch):
    written, stored = [], vectorize_line.stored

    def noticed(at, row, count, done, b):
        before = len(b.lines)
        stored(at, row, count, done, b)
        written.append((int(count), sum(" store <8 x double>" in str(line) for line in b.lines[before:])))

    monkeypatch.setattr(vectorize_line, "stored", noticed)
    ccc.compiled(f, backend="native")(np.ones(20), np.ones(LENGTHS[f]))
    assert (LENGTHS[f], 8 * (LENGTHS[f] // 8)) in written
