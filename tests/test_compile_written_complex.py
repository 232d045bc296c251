"""Complex arrays of the caller that a function changes, and views that nobody reads after such a change."""

import numpy as np
import pytest

import ccc


def squared(y, n):
    """In place, by views in another shape."""
    for i in range(n):
        v = np.reshape(y, (2**i, 2 ** (3 - i)))
        t = v.T
        y[:] = np.reshape(t * t, 8)
    return np.sum(np.abs(y) ** 2)


def by_parts(y, n):
    """Real parts alone, an item, and a slice."""
    y.real[:] = y.imag * 2.0
    y[1] = 3.0 - 1j * y[0]
    y[n:] *= 1j
    return np.sum(np.abs(y * y))


def filled(x, y):
    y[:] = x * 1j
    y += x[::-1]
    return np.sum(np.abs(y) ** 2)


X = np.linspace(0.2, 1.6, 8)
Z = X + 0.5j * X[::-1]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("x", [X, Z], ids=["real", "complex"])
def test_views_in_another_shape(x: np.ndarray, backend: str) -> None:
    given, expected = x.copy(), x.copy()
    value, gradient = ccc.value_with_gradient(squared, wrt="y", backend=backend)(given, 2)
    assert value == pytest.approx(squared(expected, 2), rel=1e-13)
    np.testing.assert_allclose(given, expected, rtol=1e-13)
    for k in range(8):
        for unit in (1.0, 1j) if x is Z else (1.0,):
            step = 1e-6 * unit * (np.arange(8) == k)
            slope = (squared(x + step, 2) - squared(x - step, 2)) / 2e-6
            found = gradient[k].real if unit == 1.0 else -gradient[k].imag
            assert found == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", [by_parts, squared])
def test_what_changes_is_written_back_once(f) -> None:
    given, expected = Z.copy(), Z.copy()
    run = ccc.compiled(f)
    for _ in range(2):
        assert run(given, 2) == pytest.approx(f(expected, 2), rel=1e-13)
        np.testing.assert_allclose(given, expected, rtol=1e-13)


def test_two_arguments() -> None:
    given, expected = np.zeros(8, complex), np.zeros(8, complex)
    value, gradient = ccc.value_with_gradient(filled, wrt="x")(Z, given)
    assert value == pytest.approx(filled(Z, expected), rel=1e-14)
    np.testing.assert_allclose(given, expected)
    for k, unit in ((0, 1.0), (3, 1j), (7, 1.0)):
        step = 1e-6 * unit * (np.arange(8) == k)
        slope = (filled(Z + step, expected) - filled(Z - step, expected)) / 2e-6
        assert (gradient[k].real if unit == 1.0 else -gradient[k].imag) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_arguments_that_overlap_are_refused() -> None:
    with pytest.raises(ccc.errors.CCCError, match="share memory"):
        ccc.compiled(filled)(Z, Z)
    with pytest.raises(ValueError, match="read-only"):
        frozen = Z.copy()
        frozen.flags.writeable = False
        ccc.compiled(squared)(frozen, 2)


def read_behind(y):
    v = np.reshape(y, (2, 4))
    y[:] = y * 2.0
    return np.sum(v**3)


def read_in_a_closure(y):
    v = np.reshape(y, (2, 4))

    def seen():
        return np.sum(v**3)

    y[:] = y * 2.0
    return seen()


def changed_by_a_call(y):
    v = np.reshape(y, (2, 4))

    def doubled():
        y[:] = y * 2.0
        return 1.0

    w = np.zeros(8)
    w[:] = doubled() * np.reshape(v, 8)
    return np.sum(w**3)


@pytest.mark.parametrize("f", [read_behind, read_in_a_closure, changed_by_a_call])
def test_a_view_that_is_read_again_shows_the_change_or_is_refused(f) -> None:
    try:
        value = ccc.compiled(f)(X.copy())
    except ccc.errors.CCCError as refusal:
        assert "reachable as `v`" in str(refusal)
    else:
        assert value == pytest.approx(f(X.copy()), rel=1e-14)
