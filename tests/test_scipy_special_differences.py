"""Functions of `scipy.special` that mpmath does not have: values are SciPy's to the last bit, slopes those of
differences."""

from __future__ import annotations

import itertools
import linecache
import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import MissingDerivative

special: Any = pytest.importorskip("scipy.special")

from ccc.primitives import (  # noqa: E402 - only where SciPy is installed
    scipy_characteristic,
    scipy_equations,
    scipy_incomplete,
    scipy_integrals,
    scipy_inverses,
    scipy_orthogonal,
    scipy_special,
)

PRO, OBL = float(special.pro_cv(1, 2, 1.4)), float(special.obl_cv(1, 2, 1.4))
CASES: dict[str, tuple[str, list[tuple[float, ...]]]] = {
    "bdtrik": ("", [(0.3, 20.0, 0.4)]), "nbdtrik": ("", [(0.3, 20.0, 0.4)]), "pdtrik": ("", [(0.3, 4.0)]),
    "bdtri": ("01", [(2.0, 7, 0.3)]), "bdtrin": ("", [(2.0, 0.3, 0.4)]), "nbdtri": ("01", [(2, 7, 0.3)]),
    "nbdtrin": ("", [(2.0, 0.3, 0.4)]), "pdtri": ("0", [(3.0, 0.4)]), "btdtria": ("", [(0.3, 2.5, 0.4)]),
    "btdtrib": ("", [(1.5, 0.3, 0.4)]), "gdtria": ("", [(0.3, 2.5, 1.4)]), "gdtrib": ("", [(0.7, 0.3, 1.4)]),
    "gdtrix": ("", [(0.7, 2.5, 0.3)]), "chdtriv": ("", [(0.3, 2.4)]), "fdtridfd": ("", [(3.5, 0.6, 1.2)]),
    "stdtridf": ("", [(0.8, 1.0)]), "nrdtrimn": ("", [(0.3, 1.5, 0.7)]), "nrdtrisd": ("", [(0.4, 0.3, -0.7)]),
    "chndtr": ("", [(2.4, 3.0, 1.3), (40.0, 5.5, 30.0), (0.3, 1.5, 0.2), (3.0, 2.5, 40.0), (90.0, 2.5, 20.0)]),
    "chndtrix": ("", [(0.3, 3.0, 1.3)]), "chndtridf": ("", [(2.4, 0.3, 1.3)]), "chndtrinc": ("", [(2.4, 3.0, 0.3)]),
    "ncfdtr": ("", [(3.5, 7.0, 1.3, 1.2), (4.0, 11.0, 9.0, 2.5), (4.0, 30.0, 20.0, 1.5)]),
    "ncfdtri": ("", [(3.5, 7.0, 1.3, 0.3)]), "ncfdtridfn": ("", [(0.0461, 18.8, 0.56, 0.228)]),
    "ncfdtridfd": ("", [(3.5, 0.48, 1.3, 1.2)]), "ncfdtrinc": ("", [(3.5, 7.0, 0.3, 1.2)]),
    "nctdtr": ("", [(3.5, 0.7, 1.2), (5.0, -0.9, 2.5), (5.0, 1.7, -1.5), (4.0, 3.0, 4.5), (7.0, -2.5, -2.0)]),
    "nctdtrit": ("", [(3.5, 0.7, 0.3)]), "nctdtridf": ("", [(0.65, 0.7, 1.2)]), "nctdtrinc": ("", [(3.5, 0.3, 1.2)]),
    "kolmogorov": ("", [(0.4,), (0.79,), (0.81,), (1.6,)]), "kolmogi": ("", [(0.3,), (0.9,)]),
    "smirnov": ("0", [(5, 0.3)]), "smirnovi": ("0", [(5, 0.3)]),
    "tklmbda": ("", [(0.7, 0.4), (-0.3, 1.5), (0.7, -0.6), (0.3, 0.0)]),
    "elliprc": ("", [(0.7, 1.4), (1.4, 0.7), (0.6, 0.6), (0.7, -1.4)]),
    "elliprf": ("", [(0.7, 1.4, 2.5), (0.7, 0.7, 0.7)]), "elliprg": ("", [(0.7, 1.4, 2.5)]),
    "elliprd": ("", [(0.7, 1.4, 2.5), (1.4, 1.4, 0.5)]), "elliprj": ("", [(0.7, 1.4, 2.5, 0.6)]),
    "besselpoly": ("12", [(0.7, 1.0, 2.0)]), "wright_bessel": ("01", [(0.5, 1.2, 0.7)]),
    "log_wright_bessel": ("01", [(0.5, 1.2, 0.7)]), "itstruve0": ("", [(0.7,), (-1.2,)]), "it2struve0": ("", [(0.7,)]),
    "itmodstruve0": ("", [(0.7,)]), "airye": ("", [(0.7,), (-1.2,)]), "itairy": ("", [(0.7,)]),
    "itj0y0": ("", [(0.7,)]), "iti0k0": ("", [(0.7,)]), "it2j0y0": ("", [(0.7,)]), "it2i0k0": ("", [(0.7,)]),
    "pbdv": ("0", [(1.3, 0.7)]), "pbvv": ("0", [(1.3, 0.7)]), "pbwa": ("0", [(1.3, 0.7)]),
    "mathieu_cem": ("01", [(2, 1.3, 30.0)]), "mathieu_sem": ("01", [(2, 1.3, 30.0)]),
    "mathieu_modcem1": ("01", [(2, 1.3, 0.4)]), "mathieu_modcem2": ("01", [(2, 1.3, 0.4)]),
    "mathieu_modsem1": ("01", [(2, 1.3, 0.4)]), "mathieu_modsem2": ("01", [(2, 1.3, 0.4)]),
    "pro_ang1": ("012", [(1, 2, 1.4, 0.3)]), "pro_rad1": ("012", [(1, 2, 1.4, 1.3)]),
    "obl_ang1": ("012", [(1, 2, 1.4, 0.3)]),
    "obl_rad1": ("012", [(1, 2, 1.4, 0.7)]), "pro_ang1_cv": ("0123", [(1, 2, 1.4, PRO, 0.3)]),
    "pro_rad1_cv": ("0123", [(1, 2, 1.4, PRO, 1.3)]), "obl_ang1_cv": ("0123", [(1, 2, 1.4, OBL, 0.3)]),
    "obl_rad1_cv": ("0123", [(1, 2, 1.4, OBL, 0.7)]),
    "pro_rad2": ("012", [(1, 2, 1.4, 2.5), (0, 1, 3.0, 1.3)]), "obl_rad2": ("012", [(1, 2, 1.4, 3.7)]),
    "pro_rad2_cv": ("0123", [(1, 2, 1.4, PRO, 2.5)]), "obl_rad2_cv": ("0123", [(1, 2, 1.4, OBL, 3.7)]),
    "mathieu_a": ("0", [(0, 1.3), (1, 0.7), (2, -1.4), (5, 20.0)]), "mathieu_b": ("0", [(1, 1.3), (2, 0.7), (4, -9.0)]),
    "pro_cv": ("01", [(0, 0, 1.4), (1, 2, 1.4), (1, 4, 5.0)]),
    "obl_cv": ("01", [(0, 0, 1.4), (1, 2, 1.4), (0, 3, 3.0)]),
}
"""Of each function the arguments in which its derivative is refused, and where it is compared."""


TOLERANCES = {"ncfdtrinc": 1e-3, "ncfdtridfn": 1e-3, "ncfdtridfd": 1e-3, "nctdtridf": 1e-5, "nctdtrinc": 1e-5}
"""Of inverses that SciPy searches, as far as it goes."""


def program(name: str, xs: tuple[float, ...], places: list[int]) -> tuple[Any, Any]:
    """A sum of all results, as a function of the arguments at some places, and these."""
    result, names = getattr(special, name)(*xs), [f"p[{places.index(i)}]" if i in places else f"x[{i}]"
                                                  for i in range(len(xs))]
    call = f"special.{name}({', '.join(names)})"
    if isinstance(result, tuple):
        call = " + ".join([f"{i + 1.0} * {call}[{i}]" for i, y in enumerate(result) if y == y])
    text = f"def f(p): return {call}\n"
    file, made = f"<{name} at {xs} in {places}>", {"special": special, "x": xs}
    linecache.cache[file] = (len(text), None, [text], file)
    exec(compile(text, file, "exec"), made)
    return made["f"], np.array([float(xs[i]) for i in places])


def refused(name: str) -> set[int]:
    return {int(i) for i in CASES[name][0]}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str):
    for xs in CASES[name][1]:
        places = [i for i in range(len(xs)) if i not in refused(name)]
        f, at = program(name, xs, places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, slope = ccc.value_with_gradient(f)(at)
            assert value == pytest.approx(f(at), rel=1e-15)
            for k, i in enumerate(places):
                u = np.eye(len(at))[k] * max(1.0, abs(at[k])) * 1e-3
                d1, d2, d3 = [f(at + j * u) - f(at - j * u) for j in (1, 2, 3)]
                wanted = (45 * d1 - 9 * d2 + d3) / (60 * u[k])
                assert slope[k] == pytest.approx(wanted, rel=TOLERANCES.get(name, 1e-7), abs=1e-9), (name, i)


@pytest.mark.parametrize("name", [
    "chndtr", "nctdtr", "btdtria", "kolmogorov", "elliprd", "pbdv", "pro_ang1", "tklmbda", "mathieu_b",
    "pro_cv", "obl_cv"])
def test_slopes_have_slopes(name: str):
    xs = CASES[name][1][0]
    f, at = program(name, xs, [i for i in range(len(xs)) if i not in refused(name)][-1:])
    slope, h = ccc.gradient(f, backend="numpy"), 1e-4
    bend = ccc.gradient(lambda p: slope(p)[0])(at)[0]
    assert bend == pytest.approx((slope(at + h)[0] - slope(at - h)[0]) / (2 * h), rel=1e-6)


def test_complete_integrals_of_legendre():
    """Carlson's integrals at 0, where slopes in that argument are infinite."""
    k, n, h = 0.6, 0.3, 1e-4
    slope = ccc.gradient(
        lambda k, n: special.elliprj(0.0, 1 - k * k, 1.0, 1 - n) + special.elliprd(0.0, 1.0, 1 - k * k))
    of_n = [special.elliprj(0.0, 1 - k * k, 1.0, 1 - n - s * h) for s in (1, -1)]
    of_k = [special.elliprj(0.0, 1 - q * q, 1.0, 1 - n) + special.elliprd(0.0, 1.0, 1 - q * q) for q in (k + h, k - h)]
    assert slope(k, n) == pytest.approx(((of_k[0] - of_k[1]) / (2 * h), (of_n[0] - of_n[1]) / (2 * h)), rel=1e-6)


@pytest.mark.share(8)
@pytest.mark.parametrize("name", [name for name in CASES if refused(name) and name != "bdtri"])
def test_arguments_without_a_rule_are_refused_by_name(name: str):
    """`bdtri` is given whole numbers alone."""
    for xs, i in itertools.product(CASES[name][1][:1], sorted(refused(name))):
        f, at = program(name, xs, [i])
        with pytest.raises(MissingDerivative, match=f"`scipy.special.{name}` has no derivative in"):
            ccc.gradient(f)(at)


def test_each_function_is_compared():
    others = (scipy_special, scipy_incomplete, scipy_integrals, scipy_orthogonal)
    elsewhere = {of for module in others for of in module.FUNCTIONS}
    assert {of.__name__ for of in scipy_characteristic.FUNCTIONS | scipy_equations.FUNCTIONS | scipy_inverses.FUNCTIONS
            if of not in elsewhere} == {*CASES}
