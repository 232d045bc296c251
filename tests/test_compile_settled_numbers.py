"""Numbers that have to be known to read a function, and are sizes or whole numbers of its arguments: each call has the
code for its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.diagnostics import CompileError

BACKENDS = ("numpy", "native")
RNG = np.random.default_rng(5)
ROWS, SQUARE, LINE = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 3)), RNG.normal(size=8)
SIGNAL: Any = np.sin(np.arange(8.0))


@dataclass
class Options:
    axis: int
    scale: float


def agrees(function: Any, x: Any, found: Any) -> None:
    """A gradient is that of differences."""
    assert np.allclose(found, differences(function, x), rtol=1e-6, atol=1e-8)


def largest(x, axis):
    return np.sum(np.max(x, axis=axis) ** 2)


def kept(x, axis, keepdims):
    return np.sum(np.sum(x, axis=axis, keepdims=keepdims) * x)


def half_of_the_spectrum(x):
    n = len(x) // 2
    return np.sum(np.fft.irfft(np.fft.rfft(x)[: n + 1], n) ** 2) + np.sum(np.roll(x, n) * x)


def by_a_share(x):
    return np.sum(np.diff(x, int(0.4 * len(x))) ** 2)


def lowered(x, k):
    if k > 0:
        k = k - 1
    return np.sum(np.sum(x, axis=k) ** 2)


def in_a_loop(x, axis):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.cumsum(x, axis=axis)[i] * x[i])
    return total


def in_a_closure(x, axis):
    def over(y):
        return np.sum(np.cumprod(y, axis=axis))

    return over(x) + over(2.0 * x)


def of_a_tuple(pair):
    x, axis = pair
    return np.sum(np.cumsum(x, axis=axis) ** 2)


CASES = {
    "axis": (largest, [(ROWS, 0), (ROWS, 1), (ROWS, -1), (ROWS.T, 1)]),
    "flag": (kept, [(SQUARE, 0, True), (SQUARE, 1, False), (SQUARE, 1, True)]),
    "size": (half_of_the_spectrum, [(LINE,), (LINE[:6],), (LINE,)]),
    "share": (by_a_share, [(LINE,), (LINE[:5],)]),
    "branch": (lowered, [(ROWS, 0), (ROWS, 1), (ROWS, 2)]),
    "loop": (in_a_loop, [(SQUARE, 0), (SQUARE, 1)]),
    "closure": (in_a_closure, [(SQUARE, 0), (SQUARE, 1)]),
    "record": (lambda x, o: o.scale * largest(x, o.axis), [(ROWS, Options(0, 2.0)), (ROWS, Options(1, 3.0))]),
    "dict": (lambda x, o: largest(x, o["axis"]), [(ROWS, {"axis": 0}), (ROWS, {"axis": 1})]),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CASES)
def test_each_call_has_the_code_for_its_numbers(name, backend):
    function, calls = CASES[name]
    gradient = ccc.gradient(function, wrt=0, backend=backend)
    for x, *rest in [*calls, *calls, *calls]:
        agrees(lambda x, rest=rest: function(x, *rest), x, gradient(x, *rest))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_in_a_tuple(backend):
    gradient = ccc.gradient(of_a_tuple, backend=backend)
    for axis in (0, 1, 0, 1, 1, 1):
        agrees(lambda x, axis=axis: of_a_tuple((x, axis)), ROWS, gradient((ROWS, axis))[0])


def test_an_array_from_outside_that_gets_another_size(monkeypatch):
    def filtered(gain):
        return np.sum(np.fft.irfft(np.fft.rfft(SIGNAL) * gain, len(SIGNAL)) ** 2)

    gradient = ccc.gradient(filtered)
    for n in (8, 8, 8, 12, 7, 8):
        monkeypatch.setitem(globals(), "SIGNAL", np.sin(np.arange(float(n))))
        assert np.isclose(gradient(3.0), 2 * filtered(3.0) / 3.0, rtol=1e-12)


def test_inside_another_transform():
    def outer(x, axis):
        inner = ccc.gradient(lambda y: largest(y, axis))(x)
        jacobian = ccc.jacobian(lambda y: np.sum(y**2, axis=axis))(x)
        return np.sum(inner**2) + np.sum(jacobian**2)

    gradient = ccc.gradient(outer, wrt="x")
    for axis in (0, 1, 0, 1):
        agrees(lambda x, axis=axis: outer(x, axis), ROWS, gradient(ROWS, axis))


def waves(x):
    return np.fft.irfft(np.fft.rfft(x) ** 2, len(x))


def energy(x):
    return np.sum(waves(x) ** 2)


def of_its_own_parameter(x):
    def own(y):
        return energy(y) + np.sum(np.fft.irfft(np.fft.rfft(y), len(y)) ** 3)

    return own(x) + own(x[1:]) + np.sum(ccc.gradient(own, backend="numpy")(x[2:]))


def with_a_number_of_its_own(x, k):
    def summed(y, k):
        return np.sum(np.reshape(y, (2, -1)) ** 2, axis=k)

    slopes = ccc.jacobian(summed, backend="numpy")(x, k)[0]
    return np.sum(summed(x, k)) + np.sum(summed(x, 1 - k) ** 2) + np.sum(slopes * x)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("verb", [ccc.jacobian, ccc.jacfwd])
def test_the_sizes_of_what_a_verb_gives_a_function_are_those_of_the_call(verb, backend):
    jacobian = verb(waves, backend=backend)
    hessian = ccc.hessian(energy, backend=backend)
    for x in (LINE, LINE[:6], LINE[:7], LINE):
        agrees(waves, x, jacobian(x).T)
        agrees(ccc.gradient(energy, backend="numpy"), x, hessian(x).T)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_parameter_of_a_nested_function_is_known_in_each_call_of_it(backend):
    gradient = ccc.gradient(of_its_own_parameter, backend=backend)
    for x in (LINE, LINE[:6], LINE):
        agrees(of_its_own_parameter, x, gradient(x))
    gradient = ccc.gradient(with_a_number_of_its_own, wrt=0, backend=backend)
    for k in (0, 1, 0):
        agrees(lambda x, k=k: with_a_number_of_its_own(x, k), LINE, gradient(LINE, k))


MANY = RNG.normal(size=500)


def middle(x, k):
    return np.partition(x, k)[k] ** 3 + np.sum(x[np.argpartition(x, [k])[:k]])


def moved_middle(x, k):
    return middle(x, k + 200)


def through_another_derivative(x, k):
    return np.sum(ccc.gradient(middle, wrt=0)(x, k + 200) * x)


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [moved_middle, through_another_derivative], ids=lambda f: f.__name__)
def test_the_place_of_a_partition_is_that_of_the_call(function, backend):
    gradient = ccc.gradient(function, wrt="x", backend=backend)
    for k in (3, 50, 3):
        agrees(lambda x, k=k: function(x, k), MANY, gradient(MANY, k))
        assert np.array_equal(ccc.jacobian(function, backend=backend)(MANY, k), gradient(MANY, k))


def test_an_integer_that_is_settled_is_not_differentiated():
    x, axis = ccc.gradient(largest)(ROWS, 1)
    assert x.shape == ROWS.shape and axis is None


def test_what_depends_on_entries_stays_unknown():
    with pytest.raises(CompileError, match="`axis` must be a constant"):
        ccc.gradient(lambda x: np.sum(np.cumsum(x, axis=np.argmax(x[0]))))(ROWS)


def test_what_a_loop_over_a_settled_range_counts_is_known():
    def f(x):
        return sum([np.sum(np.sum(x, axis=i) ** 2) for i in range(len(x) - 1)])

    value, slope = ccc.value_with_gradient(f)(ROWS)
    expected = 2 * sum([np.broadcast_to(np.sum(ROWS, axis=i, keepdims=True), ROWS.shape) for i in range(len(ROWS) - 1)])
    assert np.isclose(value, f(ROWS)) and np.allclose(slope, expected)


def test_what_is_no_code_of_a_call_has_no_numbers_of_one():
    with pytest.raises(CompileError, match="must be a constant"):
        ccc.arrow(half_of_the_spectrum, LINE)


def test_what_is_settled_is_not_refused_beside_another_error():
    def f(x, axis):
        total = np.sum(x, axis=axis)
        return np.sum(total) * eval("1.0")

    with pytest.raises(CompileError) as found:
        ccc.gradient(f, wrt=0)(ROWS, 1)
    assert [one.code for one in found.value.diagnostics] == ["CC003"]


def test_the_number_of_all_items_of_an_array_is_a_size():
    def filtered(x):
        n = x.size
        for _ in range(2):
            x = np.reshape(np.fft.irfft(np.fft.rfft(x.ravel()) / (1.0 + np.arange(n // 2 + 1)), n), np.shape(x))
        return np.sum(x**3)

    gradient = ccc.gradient(filtered)
    for shape in ((8,), (3, 4), (2, 3)):
        x = np.cos(np.arange(np.prod(shape), dtype=float)).reshape(shape)
        step = 1e-6 * np.sin(np.arange(x.size)).reshape(shape)
        slope = (filtered(x + step) - filtered(x - step)) / 2.0
        np.testing.assert_allclose(np.sum(gradient(x) * step), slope, rtol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_tuple_is_repeated_by_a_number_of_the_call(backend):
    def turned(x: Any, n: int) -> Any:
        gate = np.array([[1.0, 2.0], [0.5, -1.0]])
        for q in range(n):
            y = np.tensordot(gate, x.reshape(n * (2,)), axes=([1], [0]))
            x = np.moveaxis(y, 0, n - 1).reshape(-1) + np.zeros((2,) * n + (1,)).ravel() * q
        return np.sum(x**3)

    for n in (2, 3):
        x = np.linspace(0.2, 1.0, 2**n)
        assert ccc.compiled(turned, backend=backend)(x, n) == pytest.approx(turned(x, n), rel=1e-14)
        slope = ccc.gradient(turned, wrt="x", backend=backend)(x, n)
        along = (turned(x * (1.0 + 1e-6), n) - turned(x * (1.0 - 1e-6), n)) / 2e-6
        assert slope @ x == pytest.approx(along, rel=1e-8)


def power_of_two(n):
    i = 1
    while i < n:
        i = i << 1
    return i


def autocorrelation(x):
    n = 2 * power_of_two(len(x))
    f = np.fft.fft(x - np.mean(x), n=n)
    found = np.fft.ifft(f * np.conjugate(f))[: len(x)].real
    return np.sum(found / found[0] * np.arange(len(x)))


def counted_powers(x):
    n, k = 1, 0
    while n < 2 * len(x):
        n, k = n * 2, k + 1
    return np.sum(np.abs(np.fft.rfft(x, n)) ** 2) * k


def halved(x):
    n = len(x)
    while n % 2 == 0:
        n //= 2
    return np.sum(np.fft.rfft(x, n).real)


def until_it_leaves(x):
    n = 1
    while True:
        n = 2 * n
        if n >= len(x):
            break
    return np.sum(np.abs(np.fft.rfft(x, n)) ** 2)


@pytest.mark.parametrize("function", [autocorrelation, counted_powers, halved, until_it_leaves])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_while_over_sizes_gives_a_number_that_is_known(function, backend):
    value, slope = ccc.compiled(function, backend=backend), ccc.gradient(function, backend=backend)
    for n in (8, 5, 6, 8):
        assert np.allclose(value(SIGNAL[:n] + 0.1), function(SIGNAL[:n] + 0.1))
        agrees(function, SIGNAL[:n] + 0.1, slope(SIGNAL[:n] + 0.1))


def test_a_while_over_entries_does_not():
    def f(x):
        n, total = 1, 0.0
        while n < len(x) and total < 10.0:
            total, n = total + x[n], 2 * n
        return np.sum(np.fft.rfft(x, n).real)

    with pytest.raises(CompileError, match="`n` must be a constant"):
        ccc.gradient(f)(SIGNAL)


class Solver:
    """Steps of one equation in an array of one axis, of several in one of two."""

    def __init__(self, f, start):
        self.f, self.start = f, np.asarray(start)
        self.equations = self.start.size

    def solve(self, times):
        u = np.zeros(len(times)) if self.equations == 1 else np.zeros((len(times), self.equations))
        u[0] = self.start
        for k in range(len(times) - 1):
            u[k + 1] = u[k] + (times[k + 1] - times[k]) * np.asarray(self.f(u[k]))
        return u


def spread(rate, times):
    u = Solver(lambda u: [-rate * u[0] * u[1], rate * u[0] * u[1] - u[1], u[1]], (0.9, 0.1, 0.0)).solve(times)
    return u[:, 1].max() + u[-1, 2]


def test_a_test_of_sizes_that_are_known_in_every_call_is_known():
    times, rate = np.linspace(0.0, 2.0, 9), np.array([2.3])
    of_one = lambda rate: spread(rate[0], times)  # noqa: E731
    for backend in BACKENDS:
        agrees(of_one, rate, ccc.gradient(of_one, backend=backend)(rate))
    gradient = ccc.gradient(spread, wrt=0, backend="native")
    for n in (9, 4):
        assert np.isclose(gradient(2.3, times[:n]), ccc.gradient(spread, wrt=0, backend="numpy")(2.3, times[:n]))
    assert str(ccc.explain(gradient, 2.3, times).backend) == "native"


FOLDED = {
    "turns": lambda v: [v.reshape(2, -1)[0, i] for i in tuple(range(v.reshape(2, -1).shape[1]))],
    "one axis": lambda v: tuple([x[0] for x in v.reshape(-1, 1)][:len(tuple(range(v.reshape(-1, 1).shape[0])))]),
    "an axis": lambda v: np.power.reduce(v.reshape(-1, 2), axis=v.reshape(-1, 2).shape[0] - 1),
    "a branch": lambda v: (v.sum(), 1) if v.reshape(-1, 2).shape[0] > 1 else (v, 2.0),
    "a size": lambda v: np.zeros(4 if v.reshape(-1, 1).size == v.shape[0] else 5) + v[0],
}


@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_left_of_an_array_that_is_folded_is_known(name: str, backend: str):
    f, v = FOLDED[name], np.array([0.7, 1.9, 1.2, 3.0])
    found, expected = ccc.compiled(f, backend=backend)(v), f(v)
    assert np.array_equal(np.hstack(found), np.hstack(expected)) and type(found) is type(expected)
