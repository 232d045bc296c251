"""Loops whose runs write to an array: several at once where they write elsewhere, one after the other where not."""

import numpy as np
import pytest
from native_checks import gradients_agree

import ccc
from ccc.compile.native import target, vectorize_loop
from ccc.compile.native.scattering import Index, differ

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def blocks(x, p):
    """Blocks one behind the other, and one number for each behind all of them."""
    values = np.zeros(7 * p)
    for i in range(p):
        for row in range(2):
            for k in range(3):
                values[6 * i + 3 * row + k] = x[i] * (k + 1) - row
        values[6 * p + i] = -x[i]
    return values


def two(x, p):
    first, second = np.zeros(2 * p), np.zeros(3 * p + 1, dtype=int)
    for i in range(p):
        first[2 * i + 1] = np.exp(x[i])
        second[3 * i + 1] = 2 * i
    return first, second


def overlapping(x, p):
    """Later runs write over earlier ones."""
    values = np.zeros(p + 3)
    for i in range(p):
        for k in range(3):
            values[i + k] = x[i] + k
    return values


def meeting(x, p):
    """The two regions meet in the middle."""
    values = np.zeros(2 * p + 1)
    for i in range(p):
        values[i + p // 2] = x[i]
        values[2 * p - i] = 2.0 * x[i]
        values[p] = x[i] - 1.0
    return values


def from_behind(x, p):
    values = np.zeros(p + 1)
    for i in range(p):
        values[-i] = x[i]
    return values


def read(x, p):
    values = np.zeros(p + 1)
    for i in range(p):
        values[i + 1] = values[i] + x[i]
    return values


def ragged(x, p):
    """Sizes that differ from run to run."""
    values = np.zeros(3 * p + 8)
    for i in range(p):
        part = x[: (i * 5) % 4]
        values[3 * i + len(part)] = x[i]
        values[3 * i + 2] = 1.0
    return values


FREE = (blocks, two)


@pytest.mark.parametrize("p", [0, 1, 7, 8, 9, 30, 100])
@pytest.mark.parametrize("f", [*FREE, overlapping, meeting, from_behind, read, ragged])
def test_places_hold_what_the_last_run_wrote(f, p):
    x = np.random.default_rng(p).normal(size=p)
    native = ccc.compiled(f, backend="native")
    found, expected = native(x, p), f(x, p)
    for a, b in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        np.testing.assert_allclose(a, b, rtol=1e-14)
    if f in FREE:
        assert not any(code.left_to for codes in native.codes.values() for code in codes)


@pytest.mark.parametrize("f", FREE)
def test_runs_that_write_elsewhere_are_made_at_once(f, monkeypatch):
    made = []
    whole = vectorize_loop.whole
    monkeypatch.setattr(vectorize_loop, "whole", lambda *args: made.append(args[0]) or whole(*args))
    ccc.compiled(f, backend="native")(np.ones(20), 20)
    if target.engine.cpu().lanes:
        assert any("fmul" in str(line) or "@ccc_exp" in str(line) for text in made for line in text)


def test_places_in_different_runs():
    p = Index(0, {"p": 1})
    assert differ(Index(30, {}, 0, 29), Index(30, {}, 0, 29), p)
    assert not differ(Index(30, {}, 0, 30), Index(30, {}, 0, 30), p)
    assert differ(Index(30, {}, 0, 29), Index(1, {"p": 30}), p)
    assert not differ(Index(30, {}, 0, 30), Index(1, {"p": 30}), p)
    assert not differ(Index(1, {}), Index(1, {"q": 1}), p)
    assert not differ(Index(0, {}, 3, 3), Index(0, {}, 3, 3), p)
    assert differ(Index(2, {}, 0, 0), Index(2, {}, 1, 1), p)


def test_what_reads_a_sum_of_contributions_stands_behind_it():
    """Though a loop that its indices are computed in could take it up."""
    def f(x):
        v = x * 0.5
        return np.sum(np.sin(x) + v[np.arange(len(v))[::-1]] * 0.2)

    for n in (1, 2, 5, 40):
        gradients_agree(f, np.linspace(0.1, 0.9, n))


def in_turns(x, y):
    """What is added lies in the array that it is added to, in the one of the run before, or elsewhere."""
    a, b, c = x.copy(), y.copy(), np.zeros((4, 3))
    for _ in range(3):
        a[1:] += a[0]
        a[1:, 1:] += b[:-1, :-1]
        c[:, :2] += a[:, 1:]
        c[1:] = c[0] * a[:-1]
        a, b = b, a
    return np.sum(a * b) + np.sum(c * c)


def test_what_is_added_is_copied_where_it_may_change_meanwhile():
    x = np.arange(12.0).reshape(4, 3) / 7.0
    gradients_agree(in_turns, x, x[::-1] - 0.5)
