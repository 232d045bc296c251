"""Functions of `scipy.special` in machine code: those of SciPy, up to rounding, at all kinds of numbers."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import native, never_left

import ccc
from ccc.compile.native import target

special = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

RNG = np.random.default_rng(0)
POINTS = np.concatenate([
    3.0 * RNG.normal(size=400), RNG.uniform(0.0, 1.0, 400), 10.0 ** RNG.uniform(-8, 8, 400),
    -(10.0 ** RNG.uniform(-8, 3, 200)), [0.0, -0.0, 0.3, 0.5, 0.7, 1.0, 2.0, math.inf, -math.inf, math.nan, 1e-300],
])  # fmt: skip
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "erf": lambda x: special.erf(x),
    "erfc": lambda x: special.erfc(x),
    "expit": lambda x: special.expit(x),
    "log_expit": lambda x: special.log_expit(x),
    "logit": lambda x: special.logit(x),
    "ndtr": lambda x: special.ndtr(x),
    "entr": lambda x: special.entr(x),
    "gammaln": lambda x: special.gammaln(x),
    "psi": lambda x: special.psi(x),
}



@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numbers(name: str) -> None:
    f = FUNCTIONS[name]
    points = POINTS[POINTS > 0.0] if name == "psi" else POINTS
    with np.errstate(all="ignore"), never_left():
        expected, found = f(points), native(f, points)(points)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=2.0**-48 if name in ("psi", "gammaln") else 0.0)
        at = (found == 0.0) & (name != "psi")
        assert np.array_equal(np.signbit(found[at]), np.signbit(expected[at]))


def test_psi_elsewhere_is_that_of_numpy() -> None:
    with np.errstate(all="ignore"):
        found = native(FUNCTIONS["psi"], np.ones(3))
        np.testing.assert_allclose(found(np.array([-0.5, 2.0, -3.0])), special.psi([-0.5, 2.0, -3.0]), rtol=1e-14)


@pytest.mark.parametrize("f", [lambda x, y: special.xlogy(x, y), lambda x, y: special.xlog1py(x, y)])
def test_products_with_logarithms(f: Callable[[Any, Any], Any]) -> None:
    a, b = np.meshgrid([0.0, -0.0, 1.5, -2.0, math.inf, math.nan], [0.0, 0.5, 3.0, -0.5, math.inf, math.nan])
    with np.errstate(all="ignore"), never_left():
        np.testing.assert_allclose(native(f, a, b)(a, b), f(a, b), rtol=1e-15)


def likelihood(w, x, k):
    """Of counts and of what is binomial, one number at a time and all at once."""
    total = 0.0
    for i in range(len(k)):
        rate = special.expit(w[0] * x[i] + w[1])
        total += special.xlogy(k[i], rate) - special.gammaln(k[i] + rate)
    return total + np.sum(special.log_expit(w[0] * x) * k - special.entr(special.ndtr(x * w[1])))


def test_gradients_and_seconds_run_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    x, k, w = RNG.normal(size=20), RNG.integers(1, 6, 20).astype(float), np.array([0.4, -0.3])
    out = list[Any]()
    made = target.lowered

    def noted(*args: Any, **kwargs: Any) -> Any:
        found = made(*args, **kwargs)
        out.append(found.out)
        return found

    monkeypatch.setattr(target, "lowered", noted)
    with never_left():
        found, expected = [
            ccc.gradient(likelihood, wrt="w", backend=backend)(w, x, k) for backend in ("native", "numpy")]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert out == [{}]


def test_gradients_of_the_gamma_function_of_python() -> None:
    def f(x):
        return math.lgamma(x) * 2.0

    found = ccc.gradient(f, backend="native")
    with never_left():
        for x in (1e-3, 0.5, 1.4616321449683622, 9.99, 10.0, 1e8):
            assert found(x) == pytest.approx(2.0 * special.psi(x), rel=1e-14, abs=2.0**-48)
