"""Each public function of `numpy.linalg`, `numpy.fft` and SciPy has a derivative or stands in `scipy_without.txt`: with
the reason for which it has none, or as one that is not written.

    python3 tests/test_scipy_coverage.py        takes out of the list what is known by now, and says how many are left
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ccc.compile.frontend.definitions import definition_of
from ccc.compile.frontend.numpy_functions.table import DEFINED, MADE
from ccc.primitives import registry

pytest.importorskip("scipy")

from test_scipy_read import CASES
from test_scipy_read_families import SHAPES

PAGE = Path(__file__).with_name("scipy_without.txt")
MODULES = tuple([f"scipy.{name}" for name in (
    "special", "stats", "linalg", "fft", "signal", "ndimage", "integrate", "optimize", "interpolate")])
NOT_WRITTEN = "not written"
LEFT = 17
"""How many functions have a derivative that is not written."""


def functions(module: Any) -> list[str]:
    return sorted(name for name in module.__all__ if callable(getattr(module, name))
                  and not isinstance(getattr(module, name), type))


def is_known(function: Any) -> bool:
    """Whether a call is read, or a method of a distribution."""
    density = next((getattr(function, m) for m in ("logpdf", "logpmf") if hasattr(function, m)), function)
    made = getattr(density, "__code__", None) in MADE and density not in DEFINED  # read as it stands
    return registry.find(density) is not None or (not made and definition_of(density) is not None)


def missing(name: str) -> list[str]:
    """What is neither known nor read, of which there is a test, as SciPy writes it."""
    module: Any = importlib.import_module(name)
    read = {*CASES, *[f"stats.{of}" for of in SHAPES]}
    return [f for f in functions(module)
            if f"{name.removeprefix('scipy.')}.{f}" not in read and not is_known(getattr(module, f))]


def listed() -> list[tuple[str, str, list[str]]]:
    """The lines of the page: a module, a reason, and the functions."""
    found: list[tuple[str, str, list[str]]] = []
    for line in PAGE.read_text("utf-8").splitlines():
        head, _, names = line.partition(":")
        module, _, reason = head.partition(", ")
        found.append((module, reason, names.split()))
    return found


def test_all_of_linear_algebra_and_of_transforms_is_known():
    for module in (np.linalg, np.fft):
        assert [f for f in functions(module) if not is_known(getattr(module, f))] == []


@pytest.mark.parametrize("name", MODULES)
def test_what_is_not_known_is_listed_once(name: str):
    module = importlib.import_module(name)
    without = [f for of, _, names in listed() if of == name for f in names]
    assert len(without) == len(set(without))
    unknown = missing(name)
    assert sorted(set(unknown) - set(without)) == []
    assert sorted(f for f in without if hasattr(module, f) and f not in unknown) == []


def test_what_goes_by_whole_numbers_has_no_slope():
    """Differences of a range between powers of ten are zero, and there are none of what takes integers alone."""
    signal, stats = [importlib.import_module(f"scipy.{name}") for name in ("signal", "stats")]
    for step in (1e-3, 1e-2):
        np.testing.assert_array_equal(signal.findfreqs([1.0 + step, 8.0], [1.0, 8.3 - step, 25.0], 5),
                                      signal.findfreqs([1.0, 8.0], [1.0, 8.3, 25.0], 5))
    with pytest.raises(TypeError, match="array of integers"):
        stats.multivariate_hypergeom.pmf([2, 1], [5.001, 6.0], 3)


def test_what_does_not_solve_its_equation_has_no_derivative():
    """Of spheroidal functions of the second kind SciPy's value has a slope that bends as no equation says."""
    special: Any = importlib.import_module("scipy.special")
    m, n, c, x, h = 1, 1, 2.0, 1.2, 1e-4
    y, slope = special.pro_rad2(m, n, c, x)
    bend = (special.pro_rad2(m, n, c, x + h)[1] - special.pro_rad2(m, n, c, x - h)[1]) / (2.0 * h)
    w = 1.0 - x * x
    wanted = (2.0 * x * slope - (special.pro_cv(m, n, c) - c * c * x * x - m * m / w) * y) / w
    assert abs(bend - wanted) > 1.0
    assert abs(special.obl_rad2(0, 0, 1.4, 0.3)[0]) < 1e-300


def test_what_is_not_written_is_counted():
    assert sum([len(names) for _, reason, names in listed() if reason == NOT_WRITTEN]) == LEFT


if __name__ == "__main__":
    unknown = {name: set(missing(name)) for name in MODULES}
    kept = [(of, reason, [f for f in names if f in unknown[of]]) for of, reason, names in listed()]
    PAGE.write_text("".join([f"{of}, {reason}: {' '.join(names)}\n" for of, reason, names in kept]), "utf-8")
    print(sum([len(names) for _, reason, names in kept if reason == NOT_WRITTEN]))
