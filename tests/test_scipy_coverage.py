"""Each public function of `numpy.linalg`, `numpy.fft` and SciPy has a derivative or stands in `scipy_without.txt`: with
the reason for which it has none, or as one that is not written.

    python3 tests/test_scipy_coverage.py        takes out of the list what is known by now, and says how many are left
"""

from __future__ import annotations

import importlib
import warnings
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
from test_scipy_written import CASES as WRITTEN

PAGE = Path(__file__).with_name("scipy_without.txt")
MODULES = tuple([f"scipy.{name}" for name in (
    "special", "stats", "linalg", "fft", "signal", "ndimage", "integrate", "optimize", "interpolate")])
NOT_WRITTEN = "not written"
LEFT = 7
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
    read = {*CASES, *[f"stats.{of}" for of in SHAPES], *[of.partition(",")[0] for of in WRITTEN]}
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


V, W, X = [np.random.default_rng(k).normal(size=11) for k in (1, 2, 3)]
IMAGE = np.random.default_rng(4).normal(size=(6, 7))
STEPS = ("tests, whose result goes by ranks, counts or draws", "truth values and labels", "places of extrema",
         "ranges between whole powers of ten")
"""Reasons for which a function of reals has no derivative."""


def of_samples(name: str, count: int = 2) -> Any:
    """What a test of samples says."""
    run = getattr(importlib.import_module("scipy.stats"), name)
    return lambda *xs: run(*xs).statistic, *[V, W, X][:count]


def of_mask(name: str, *args: Any) -> Any:
    """What is made of where an image is positive."""
    run = getattr(importlib.import_module("scipy.ndimage"), name)
    return lambda image: run(image > 0.2, *args), IMAGE


def of_table(name: str) -> Any:
    """A test of counts, whose table is of whole numbers."""
    run = getattr(importlib.import_module("scipy.stats"), name)
    return lambda xs: run(np.round(np.abs(xs[:4]) * 3 + 1.2).astype(int).reshape(2, 2)).pvalue, V


stats, ndimage, signal = [importlib.import_module(f"scipy.{name}") for name in ("stats", "ndimage", "signal")]
WHOLE: dict[str, Any] = {
    **{f"stats.{name}": of_samples(name) for name in (
        "ansari", "brunnermunzel", "bws_test", "chatterjeexi", "cramervonmises_2samp", "fligner", "kendalltau",
        "kruskal", "ks_2samp", "mannwhitneyu", "median_test", "mood", "ranksums", "somersd", "spearmanr", "spearmanrho",
        "weightedtau")},
    **{f"stats.{name}": of_table(name) for name in ("barnard_exact", "boschloo_exact", "fisher_exact")},
    "stats.friedmanchisquare": of_samples("friedmanchisquare", 3),
    "stats.wilcoxon": of_samples("wilcoxon", 1),
    "stats.anderson_ksamp": (lambda u, v: stats.anderson_ksamp([u, v]).statistic, V, W),
    "stats.binomtest": (lambda v: stats.binomtest(int(np.sum(v > 0)), 11).pvalue, V),
    "stats.logrank": (lambda u, v: stats.logrank(np.abs(u), np.abs(v)).statistic, V, W),
    "stats.page_trend_test": (lambda u, v: stats.page_trend_test(np.stack([u, v, u * v], 1)).statistic, V, W),
    "stats.percentileofscore": (lambda v: stats.percentileofscore(v, 0.3), V),
    "stats.quantile_test": (lambda v: stats.quantile_test(v, q=0.1, p=0.4).pvalue, V),
    "stats.rankdata": (stats.rankdata, V), "stats.tiecorrect": (lambda v: stats.tiecorrect(stats.rankdata(v)), V),
    **{f"ndimage.{name}": of_mask(name) for name in (
        "binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss",
        "binary_opening", "binary_propagation", "distance_transform_bf", "distance_transform_cdt")},
    "ndimage.histogram": (lambda image: ndimage.histogram(image, -2, 2, 5), IMAGE),
    "ndimage.find_objects": (lambda image: [
        (s.start, s.stop) for s in ndimage.find_objects((image > 0.2).astype(int))[0]], IMAGE),
    "ndimage.generate_binary_structure": (lambda image: ndimage.generate_binary_structure(2, 1), IMAGE),
    "ndimage.iterate_structure": (lambda image: ndimage.iterate_structure(image > 0.2, 2), IMAGE),
    "ndimage.value_indices": (lambda image: ndimage.value_indices((image > 0.2).astype(int))[1][0], IMAGE),
    "ndimage.watershed_ift": (lambda image: ndimage.watershed_ift(
        np.round(image * 10 + 50).astype(np.uint8), np.eye(6, 7, dtype=int)), IMAGE),
    "ndimage.maximum_position": (ndimage.maximum_position, IMAGE),
    "ndimage.minimum_position": (ndimage.minimum_position, IMAGE),
    "signal.find_peaks_cwt": (lambda v: signal.find_peaks_cwt(v, np.arange(1, 4)), V),
    "signal.findfreqs": (lambda a, b: signal.findfreqs(a, b, 5), np.array([1.0, 8.0]), np.array([1.0, 8.3, 25.0])),
}
"""Calls of functions whose values move by steps."""


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_listed_moves_by_steps(name: str):
    """Small changes of real arguments change nothing, of a test neither its statistic."""
    call, *args = WHOLE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = call(*args)
        for h in (-1e-7, 1e-7):
            moved = [x + h * np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x)) for x in args]
            np.testing.assert_array_equal(call(*moved), here)


@pytest.mark.parametrize("name", MODULES)
def test_what_is_listed_takes_no_reals_or_has_a_case(name: str):
    """Of what is listed for its steps each function has one of the cases above; others take whole numbers, or give what
    is no number."""
    short = name.removeprefix("scipy.")
    for of, reason, names in listed():
        if of == name and reason in STEPS:
            assert [f for f in names if f"{short}.{f}" not in WHOLE] == []


def test_what_is_not_written_is_counted():
    assert sum([len(names) for _, reason, names in listed() if reason == NOT_WRITTEN]) == LEFT


if __name__ == "__main__":
    unknown = {name: set(missing(name)) for name in MODULES}
    kept = [(of, reason, [f for f in names if f in unknown[of]]) for of, reason, names in listed()]
    PAGE.write_text("".join([f"{of}, {reason}: {' '.join(names)}\n" for of, reason, names in kept if names]), "utf-8")
    print(sum([len(names) for _, reason, names in kept if reason == NOT_WRITTEN]))
