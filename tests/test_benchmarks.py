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
from benchmarks import (
    calls,
    columns,
    first_call,
    generated,
    measure,
    practice,
    ratios,
    report,
    rows,
    scaling,
    stages,
    systems,
)
from benchmarks.programs import formulas, recurrent
from benchmarks.tables import Row, Table, at_least, at_most, ratio
from benchmarks.worker import Worker
from ccc.compile.api import pipeline
from ccc.compile.native import native_target

WEIGHTS = ("w", "u", "b")
MODULES = (
    "tables", "programs.formulas", "programs.practice", "programs.practice_images", "programs.practice_large",
    "programs.recurrent", "programs.wide", "generated", "stages", "first_call", "measure", "report", "rows", "systems",
    "columns", "scaling", "timing",
)  # fmt: skip


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
            moved = [np.array(a, dtype=complex) if kind != "scalar" else complex(a) for a in arguments]
            moved[i] = moved[i] + step * 1j * (np.arange(np.size(x)) == k) if kind != "scalar" else moved[i] + step * 1j
            slopes.append(f(*moved).imag / step)
        found.append(np.array(slopes) if kind != "scalar" else slopes[0])
    return tuple(found)


@pytest.mark.parametrize("kind", ["scalar", "array", "sums"])
@pytest.mark.parametrize("seed", range(3))
def test_a_generated_function(kind: str, seed: int, tmp_path: Path):
    statements = 30
    expected = complex_step(kind, statements, seed, tmp_path)
    f = generated.load(generated.source(kind, statements, seed), tmp_path)
    for ct, slope in zip(ccc.gradient(f)(*first_call.arguments(kind)), expected, strict=True):
        np.testing.assert_allclose(ct, slope, rtol=1e-9, atol=1e-12)
    assert cmath.isfinite(complex(np.sum(expected[0])))


@pytest.mark.parametrize("kind", ["scalar", "array", "sums"])
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


@pytest.mark.share(4)
@pytest.mark.parametrize("name", rows.NAMES)
def test_a_row_is_right(name: str):
    """Each function of ours against Python and difference quotients, and what is written by hand against it."""
    row = rows.row(name)
    arguments = row.arguments("small")
    found = {what: systems.flat(f(*arguments)) for what, f in row.functions(systems.SYSTEMS["ccc numpy"]).items()}
    assert tuple(found) == row.names
    for what, result in found.items():
        assert row.agrees(what, arguments, result) == "", what
        assert (
            row.agrees(what, arguments, result + np.where(np.abs(result) == np.max(np.abs(result)), 0.5, 0.0)) != ""
        ), what
    for what, f in row.functions(systems.SYSTEMS["by hand"]).items():
        assert rows.close(systems.flat(f(*arguments)), found[what], 1e-9) == "", what


OTHERS = ("ccc native", "JAX", "PyTorch", "autograd", "CasADi")
SHORT = set(rows.NAMES) - {"ba", "gmm_hvp"}
PAIRS = [
    pytest.param(name, column, marks=() if column == "ccc native" and name in SHORT else pytest.mark.nightly)
    for name in rows.NAMES
    for column in OTHERS
]


@pytest.mark.share(6)
@pytest.mark.parametrize(("name", "column"), PAIRS)
@pytest.mark.filterwarnings("ignore")  # of the other systems
def test_a_row_is_right_by_other_systems(name: str, column: str):
    system, row = systems.SYSTEMS[column], rows.row(name)
    if not system.installed():
        pytest.skip(f"{column} is not installed")
    arguments = row.arguments("small")
    for what, f in row.functions(system).items():
        assert row.agrees(what, arguments, systems.flat(system.bound(f, row.wrt)(*arguments)())) == "", what


@pytest.mark.share(6)
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in SHORT else pytest.mark.nightly) for n in rows.NAMES])
def test_a_row_is_machine_code(name: str, monkeypatch: pytest.MonkeyPatch):
    """Nothing of a row is left to NumPy, neither when it is compiled nor when it is run."""
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(pipeline, "made_by", pipeline.made_by)
    worker = Worker("ccc native")
    row = rows.row(name)
    for what, f in row.functions(worker.system).items():
        worker.left, worker.function = 0, f
        f(*row.arguments("small"))
        assert worker.note() == "", what


def test_what_is_timed_of_auto_is_what_it_has_chosen(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("llvmlite")
    worker = Worker("ccc auto")
    monkeypatch.setattr(native_target, "FIXED", 1e-4)
    worker.function = ccc.gradient(lambda x: np.sum(np.tanh(x) * x * 1.25))
    worker.call = lambda: worker.function(np.linspace(0.1, 0.9, 50))
    worker.call()
    assert worker.undecided()
    assert worker.time({"least": 1e-6})["seconds"] > 0.0 and not worker.undecided()


@pytest.mark.parametrize("name", rows.NAMES)
def test_a_row_says_what_it_must(name: str):
    row = rows.row(name)
    assert row.sizes and (row.module.__doc__ or "").strip()
    for system in systems.SYSTEMS.values():
        assert set(row.functions(system) if system.version in ("ours", "by_hand") else ()) <= set(row.names)
    if row.eval_name:
        assert name in rows.GRADBENCH
        assert callable(row.module.given)


def test_a_wrong_result_is_named_and_not_timed():
    row = rows.row("lse")
    arguments = row.arguments("small")
    right = systems.flat(row.functions(systems.SYSTEMS["by hand"])["gradient"](*arguments))
    results = {"ccc numpy": right + 1e-3, "by hand": right, "JAX": right + 1e-9, "manual": right * 1.01}
    cells = {name: measure.Cell() for name in results}
    measure.judge(row, "gradient", arguments, cells, results)
    assert [cell.note.partition(":")[0] for cell in cells.values()] == ["DISAGREES", "", "", "DISAGREES"]
    assert "DISAGREES" in report.block("lse", cells)[0]


def test_results_that_are_not_numbers_disagree():
    assert rows.close(np.array([np.nan]), np.array([1.0]), 1e-6) != ""
    assert rows.close(np.ones(2), np.ones(3), 1e-6) == "2 numbers where 3 were expected"


def test_columns_are_measured_in_their_own_processes():
    """One row from the first call to the peak of memory, a system that lacks it, and a function that fails."""
    processes = columns.started(["ccc numpy", "by hand"], None, one_thread=True)
    try:
        settings = measure.Settings(repeats=2, least=1e-4)
        cells = measure.measured(rows.row("det"), "5", "gradient", processes, settings)
        failed = processes["by hand"].ask({"do": "prepare", "row": "nothing"}, 10.0)
        still = processes["by hand"].ask({"do": "time", "least": 1e-4}, 10.0)
    finally:
        for process in processes.values():
            process.close()
    ours, by_hand = cells["ccc numpy"], cells["by hand"]
    assert len(ours.times) == 2 and ours.first is not None and ours.peak is not None and not ours.note
    assert 0.0 < min(ours.times) < ours.first
    assert by_hand.absent and not by_hand.times and measure.over_fastest_other(cells, "by hand") is None
    assert "No module named 'benchmarks.rows.nothing'" in failed["error"]
    assert still == {"error": "nothing is prepared"}


def test_a_process_that_is_late_is_ended_and_started_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(columns, "STARTING", 0.0)
    column = columns.Column("by hand", {})
    try:
        assert column.ask({"do": "time", "least": 1e-4}, 1e-3) == {"error": "over 0 s"}
        assert column.process is None
        assert column.ask({"do": "time", "least": 1e-4}, 60.0) == {"error": "nothing is prepared"}
    finally:
        column.close()


def test_a_result_that_came_too_late_is_not_timed():
    """Its file may be there, but the process that has the call is gone."""
    class Late:
        def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
            assert request["do"] == "prepare"
            np.save(request["result"], np.ones(3))
            return {"error": "over 2 s"}

    late: Any = Late()
    cells = measure.measured(rows.row("det"), "5", "gradient", {"JAX": late}, measure.Settings())
    assert cells["JAX"].note == "over 2 s" and not cells["JAX"].times and cells["JAX"].seconds is None


TOOL = """#!{python}
import json, sys
given = json.load(open(sys.argv[1]))
print(json.dumps({{"square": [x * x for x in given["x"]]}}["square" if sys.argv[2] == "gradient" else ""]))
for nanoseconds in (4000, 2000):
    print(json.dumps({{"name": "evaluate", "nanoseconds": nanoseconds}}))
"""


def test_a_tool_of_a_checkout_is_asked_by_a_file(tmp_path: Path):
    folder = tmp_path / "tools" / "manual" / "bin"
    folder.mkdir(parents=True)
    (folder / "lse").write_text(TOOL.format(python=sys.executable), "utf-8")
    (folder / "lse").chmod(0o755)
    tool = columns.started(["manual"], tmp_path, one_thread=True)["manual"]
    request = {"do": "prepare", "row": "lse", "size": "small", "result": str(tmp_path / "found.npy")}
    assert tool.ask({**request, "function": "gradient"}, 60.0) == {}
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), rows.row("lse").arguments("small")[0] ** 2)
    assert tool.ask({"do": "time", "least": 0.1}, 60.0) == {"seconds": pytest.approx(3e-6)}
    assert tool.ask({**request, "row": "bump", "function": "gradient"}, 60.0) == {"absent": True}
    assert "status" in tool.ask({**request, "function": "primal"}, 60.0)["error"]


def test_the_mean_is_over_seventeen_derivatives():
    measured = [
        (name, function, size, {})
        for name in rows.GRADBENCH
        for size in rows.row(name).sizes
        for function in rows.row(name).names
    ]
    assert sum(report.of_seventeen(name, function) for name, function, _, _ in measured) == 17
    cells = lambda ours, manual: {"ccc": measure.Cell([ours]), "manual": measure.Cell([manual])}  # noqa: E731
    measured = [
        ("det", "gradient", "5", cells(2.0, 1.0)), ("lse", "gradient", "9", cells(4.0, 0.5)),
        ("lse", "primal", "9", cells(1.0, 9.0)), ("ode", "gradient", "4", cells(1.0, 9.0)),
    ]  # fmt: skip
    assert report.mean(report.ratios(measured, "ccc", "manual", report.of_seventeen)) == pytest.approx(4.0)
    programs = {name: rows.row(name).names[0] for name in ("det", "lse", "ode")}
    assert report.over_programs(measured, "ccc", programs) == [4.0]
    assert (
        report.summary(measured, ["ccc", "manual"], programs)[0]
        == "ccc / manual: 4.00 over 2 of GradBench's 17 derivatives"
    )


def test_systems_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(systems, "SYSTEMS", {"nobody": systems.System("no_such_module", "nobody")})
    assert systems.missing() == ["nobody"]
    assert rows.row("bump").functions(systems.SYSTEMS["nobody"]) == {}


def test_a_line_of_ratios_is_drawn(tmp_path: Path):
    pytest.importorskip("matplotlib")
    lines = {("f", column): [(10, 2.0), (100, 2.5)] for column in scaling.COLUMNS}
    scaling.drawn(lines, tmp_path / "ratios.png")
    assert (tmp_path / "ratios.png").stat().st_size > 1000
    text = scaling.Scaling(lines).text()
    assert "f from 10, ccc native" in text and "0 of 2 above 4" in text


def test_the_ratios_of_some_rows_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def ratios(name: str, column: str, repeats: int) -> list[tuple[int, float]]:
        return [(10, 2.0), (100, 2.0)]

    monkeypatch.setattr(scaling, "ratios", ratios)
    run(["scaling", "--rows", "lse", "bump", "--columns", "ccc numpy"], monkeypatch)
    out = capsys.readouterr().out
    assert "lse from 10, ccc numpy" in out and "bump from 10, ccc numpy" in out
    assert "gmm" not in out and "ccc native" not in out


def test_programs_and_gradients_are_measured_in_turns(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ratios, "GRADIENTS", ("product_and_sine",))
    (table,) = ratios.measure(1)
    (line,) = table.found.values()
    assert set(line) >= {"ccc numpy"} and all(r > 0.0 and np.isfinite(r) for r in line.values())
    slow = ratios.Ratios({("f", "10"): {"ccc numpy": 2.0, "ccc native": 4.5}, ("g", "10"): {"ccc numpy": 3.0}})
    assert "at most 4.50; 1 of 3 above 4" in slow.text()


def test_calls_and_first_gradients_are_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calls, "LEAST", 1e-5)
    cached, anew, first = calls.measure(1)
    assert [row.label for row in cached.rows] == list(calls.FUNCTIONS)
    assert all(row.seconds["its code"] > 0.0 and "ccc numpy" in row.seconds for row in cached.rows)
    assert [row.label for row in anew.rows] == list(calls.VERBS) and len(anew.targets) == len(calls.VERBS)
    assert first.rows[0].seconds["ccc"] > 0.0 and len(cached.targets) >= len(calls.FUNCTIONS)


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    runpy.run_module("benchmarks", run_name="__main__")


def test_tables_of_the_own_process_are_measured_with_one_thread_if_asked(monkeypatch: pytest.MonkeyPatch):
    started: list[Any] = []

    def replaced(*given: Any) -> None:
        started.append(given)
        raise SystemExit

    monkeypatch.setattr("os.execve", replaced)
    with pytest.raises(SystemExit):
        run(["ratios", "--one-thread"], monkeypatch)
    ((program, command, environment),) = started
    assert command[1:] == sys.orig_argv[1:] and program == command[0]
    assert environment["OMP_NUM_THREADS"] == environment["CCC_THREADS"] == "1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speed"], "no table speed; there are scaling, ratios, compile, start, calls"),
        (["--rows", "lse:gradient", "lsq"], "no row lsq; there are hello, llsq"),
        (["--columns", "Enzyme"], "no column Enzyme; there are ccc numpy, ccc native"),
        (["scaling", "--rows", "ba"], "no row of `scaling` ba; there are llsq, lse"),
        (["scaling", "--columns", "JAX"], "no column of `scaling` JAX; there are ccc numpy, ccc native"),
        (["start", "--rows", "lse"], "only `scaling` has rows and columns to choose"),
    ],
)
def test_what_is_not_known_is_refused(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        run(arguments, monkeypatch)
    assert message in capsys.readouterr().err


def test_rows_are_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    run(["--list"], monkeypatch)
    lines = capsys.readouterr().out.splitlines()
    assert "  lse: primal, gradient; at 100; 100000" in lines
    assert sum(line.startswith("  ") for line in lines) == len(rows.NAMES)


def test_the_command_prints_and_writes_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "table.json"
    chosen = ["--rows", "lse:gradient", "--sizes", "first", "--columns", "ccc numpy", "by hand", "--repeats", "1"]
    run([*chosen, "--json", str(file)], monkeypatch)
    assert "lse gradient 100" in capsys.readouterr().out
    (table,) = json.loads(file.read_text())
    (row,) = table["rows"]
    assert (row["row"], row["function"], row["size"]) == ("lse", "gradient", "100")
    assert set(row["cells"]) == {"ccc numpy", "by hand"} and row["cells"]["by hand"]["seconds"] > 0.0


@pytest.mark.share(2)
@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_modules(name: str):
    found = doctest.testmod(importlib.import_module(f"benchmarks.{name}"))
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["conv_1d", "thomas", "floyd_warshall", "bilinear"])
def test_the_kernels_of_practice_agree_with_each_other(name: str):
    case = next(case for case in practice.CASES if case.kernel.__name__ == name)
    assert {"ccc native", "ccc numpy"} <= practice.columns(case, case.sizes[0]).keys()
    with pytest.raises(AssertionError):
        practice.agree((1.0, np.ones(2)), (1.0, np.array([1.0, 1.1])))


def test_gradients_by_xla_are_measured_beside_those_of_jax():
    pytest.importorskip("jax")
    from benchmarks import with_xla

    case = next(case for case in with_xla.wide.CASES if case.kernel.__name__ == "word_vectors")
    ready, remarks = with_xla.prepared({"one": case._replace(sizes=case.sizes[::-1])})
    (row,) = with_xla.timed(ready, 1, remarks)
    assert set(row.seconds) == set(with_xla.COLUMNS) and not remarks
