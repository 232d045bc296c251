"""What is measured is right: gradients of the measured programs, generated programs, tables. Nothing is timed here."""

from __future__ import annotations

import ast
import cmath
import doctest
import importlib
import json
import linecache
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccc
from benchmarks import first_call, generated, peers, stages
from benchmarks.programs import formulas, recurrent
from benchmarks.tables import Row, Table, at_least, at_most, ratio

WEIGHTS = ("w", "u", "b")
MODULES = ("tables", "programs.formulas", "programs.recurrent", "generated", "stages", "first_call")


def test_the_product_and_sine():
    found = ccc.gradient(formulas.product_and_sine)(2.0, 3.0)
    assert found == pytest.approx(formulas.product_and_sine_gradient(2.0, 3.0), rel=1e-15)


@pytest.mark.parametrize("size", [1, 2, 10])
def test_the_bump(size: int):
    x = np.linspace(-2.0, 2.0, size)
    np.testing.assert_allclose(ccc.gradient(formulas.bump)(x), formulas.bump_gradient(x), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("steps", [1, 7])
def test_the_loop_with_one_number_of_state(steps: int):
    arguments = recurrent.scalar_rnn_arguments(steps)
    value, found = ccc.value_with_gradient(recurrent.scalar_rnn, wrt=WEIGHTS)(*arguments)
    assert value == recurrent.scalar_rnn(*arguments)
    assert found == pytest.approx(recurrent.scalar_rnn_gradient(*arguments), rel=1e-12)


@pytest.mark.parametrize("steps", [1, 7])
def test_the_loop_with_eight_numbers_of_state(steps: int):
    arguments = recurrent.array_rnn_arguments(steps)
    value, found = ccc.value_with_gradient(recurrent.array_rnn, wrt=WEIGHTS)(*arguments)
    assert value == recurrent.array_rnn(*arguments)
    for ct, expected in zip(found, recurrent.array_rnn_gradient(*arguments), strict=True):
        np.testing.assert_allclose(ct, expected, rtol=1e-12, atol=1e-15)


def complex_step(kind: str, statements: int, seed: int, folder: Path) -> tuple[Any, Any]:
    """The gradient of a generated function from its values at arguments with an imaginary part, exact to rounding."""
    library = ("import cmath", "cmath") if kind == "scalar" else None
    f = generated.load(generated.source(kind, statements, seed, library), folder)
    step = 1e-200
    arguments = first_call.arguments(kind)
    found: list[Any] = []
    for i, x in enumerate(arguments):
        slopes = []
        for k in range(np.size(x)):
            moved = [np.array(a, dtype=complex) if kind == "array" else complex(a) for a in arguments]
            moved[i] = moved[i] + step * 1j * (np.arange(np.size(x)) == k) if kind == "array" else moved[i] + step * 1j
            slopes.append(f(*moved).imag / step)
        found.append(np.array(slopes) if kind == "array" else slopes[0])
    return tuple(found)


@pytest.mark.parametrize("kind", ["scalar", "array"])
@pytest.mark.parametrize("seed", range(3))
def test_a_generated_function(kind: str, seed: int, tmp_path: Path):
    statements = 30
    expected = complex_step(kind, statements, seed, tmp_path)
    f = generated.load(generated.source(kind, statements, seed), tmp_path)
    for ct, slope in zip(ccc.gradient(f)(*first_call.arguments(kind)), expected, strict=True):
        np.testing.assert_allclose(ct, slope, rtol=1e-9, atol=1e-12)
    assert cmath.isfinite(complex(np.sum(expected[0])))


@pytest.mark.parametrize("kind", ["scalar", "array"])
def test_a_generated_function_has_as_many_statements_as_asked(kind: str):
    function = ast.parse(generated.source(kind, 100)).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 101
    assert generated.source(kind, 100) == generated.source(kind, 100) != generated.source(kind, 100, seed=1)


def test_the_stages_are_where_the_stopwatch_looks():
    for stage in stages.STAGES:
        module, name = stages.place(stage)
        assert callable(getattr(module, name)), stage


def test_the_stopwatch_sees_every_stage_and_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linecache, "cache", {})
    before = [getattr(*stages.place(stage)) for stage in stages.STAGES]
    f = generated.load(generated.source("scalar", 5), tmp_path)
    with stages.watched() as watch:
        ccc.gradient(f)(0.5, 0.25)
    assert set(watch.seconds) == {"rest", *stages.STAGES}
    assert [getattr(*stages.place(stage)) for stage in stages.STAGES] == before
    assert "long_function" in first_call.generated_code()


def test_a_stage_in_a_stage_counts_once():
    watch = stages.Stopwatch()
    inner = watch.timed("inner", lambda: watch.running[:])
    assert watch.timed("outer", inner)() == ["rest", "outer", "inner"]
    assert watch.running == ["rest"]


def test_a_stopwatch_survives_errors():
    watch = stages.Stopwatch()
    with pytest.raises(ZeroDivisionError):
        watch.timed("inner", lambda: 1 / 0)()
    assert watch.running == ["rest"]


def test_a_target_is_met_at_its_bound_and_unknown_without_a_measure():
    assert [at_most("", x, 5.0).met for x in (4.9, 5.0, 5.1, None)] == [True, True, False, None]
    assert [at_least("", x, 5.0).met for x in (4.9, 5.0, 5.1, None)] == [False, True, True, None]


def test_a_ratio_needs_both_columns():
    row = Row("f", {"a": 2.0, "b": 4.0})
    assert (ratio(row, "b", "a"), ratio(row, "c", "a"), ratio(row, "a", "c")) == (2.0, None, None)


def test_a_table_becomes_json():
    table = Table("q", ["a", "b"], "a", [Row("f", {"a": 2.0})], [at_most("f", 2.0, 1.0, " s")], ["a remark"])
    assert json.loads(json.dumps(table.data())) == {
        "question": "q", "base": "a", "rows": [{"label": "f", "seconds": {"a": 2.0}}],
        "targets": [{"what": "f", "measured": 2.0, "wanted": 1.0, "most": True, "met": False}], "remarks": ["a remark"],
    }  # fmt: skip
    assert table.text().splitlines()[-2:] == ["target met: no (f is 2.00 s, wanted at most 1.00 s)", "  a remark"]


def test_a_wrong_gradient_is_not_timed():
    right, wrong = (lambda: (1.0, 2.0)), (lambda: (1.1, 2.0))
    peers.same_gradient({"a": right, "b": right})
    with pytest.raises(AssertionError, match="b is not a"):
        peers.same_gradient({"a": right, "b": wrong})


def test_peers_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peers, "PEERS", {"nobody": ("no_such_module", "benchmarks.no_such_module")})
    assert peers.missing() == ["nobody"]
    assert peers.calls_of("bump", np.ones(3)) == {}


def test_an_unknown_question_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "speed"])
    with pytest.raises(SystemExit):
        runpy.run_module("benchmarks", run_name="__main__")
    assert "no question speed; there are calls, loops, compile, start" in capsys.readouterr().err


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_modules(name: str):
    found = doctest.testmod(importlib.import_module(f"benchmarks.{name}"))
    assert found.failed == 0 and found.attempted > 0
