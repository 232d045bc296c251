"""The worked examples of the source documents: each passes, the table shows all of it, and a failure is a failure."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ccc.additive import ZERO, add, parts
from ccc.categories.exponentials import AdditiveMap, Delta
from ccc.records import like, parts_of
from paper_examples import (
    __main__ as command,
    differentiable_curry,
    differentiable_functions,
    example,
    lab08,
    open_question,
    open_question_figures,
    pictures,
    swift_ad,
)
from paper_examples.example import CURRIES, Example, Outcome, claimed, close, compared

ROOT = Path(__file__).resolve().parents[1]
ALL = command.examples()


@pytest.mark.share(6)
@pytest.mark.parametrize("worked", ALL, ids=lambda e: f"{e.document}-{e.name}")
def test_the_example_is_as_its_document_says(worked: Example):
    outcome = worked.run()
    assert outcome.wrong == ()
    assert outcome.curries_agree is True and outcome.passed


def test_names_are_unique_and_every_document_has_examples():
    assert len({(e.document, e.name) for e in ALL}) == len(ALL)
    assert {e.document for e in ALL} == {module.DOCUMENT for module in command.MODULES}


@pytest.mark.share(8)
@pytest.mark.parametrize("module", command.MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_module_prints_its_table_and_what_is_recorded_beside_it(module: Any, capsys: pytest.CaptureFixture[str]):
    assert command.main([module.__name__.rpartition(".")[2]]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0].split() == ["example", "document", "value", "gradient", "expected", "curries", "time"]
    assert lines[-1] == f"{len(module.EXAMPLES)} passed, 0 failed"
    rows = lines[2 : 2 + len(module.EXAMPLES)]
    for worked, row in zip(module.EXAMPLES, rows, strict=True):
        assert row.startswith(f"{worked.name:29} {worked.document:24} ")
        assert row.endswith(" ms") and " agree " in row
    assert max(map(len, lines)) <= 120
    assert command.masked(printed) == command.record_of(module).read_text("utf-8")


def test_it_runs_as_a_command():
    run = subprocess.run(
        [sys.executable, "-m", "paper_examples", "lab08"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.endswith(f"\n{len(lab08.EXAMPLES)} passed, 0 failed\n")


def module_of(*examples: Example) -> Any:
    module = ModuleType("injected")
    module.EXAMPLES = examples  # type: ignore[attr-defined]
    return module


def raising() -> Outcome:
    raise ValueError("no such thing")


def wrong_gradient() -> Outcome:
    return compared(lab08.f, 2.0, 3.0, expected=(6.909297426825682, (2.5, 2.0)))


def test_one_failing_example_makes_the_status_1_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    injected = module_of(
        Example("raises", "Injected", raising),
        Example("is wrong", "Injected", wrong_gradient),
        Example("differs", "Injected", lambda: Outcome(1.0, 1.0, (1.0, 1.0), False)),
        lab08.EXAMPLES[0],
    )
    monkeypatch.setattr(command, "MODULES", (injected,))
    assert command.main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "1 passed, 3 failed"
    assert "    FAILED: ValueError: no such thing" in lines
    assert any(line.startswith("    FAILED: gradient: found (2.58385, 2), expected (2.5, 2)") for line in lines)
    assert "    FAILED: the curries differ" in lines
    assert any(line.startswith("f(x, y) = x*y + sin(x)") for line in lines)


def test_a_failing_example_fails_the_command():
    code = (
        "import sys; from paper_examples import __main__ as c, lab08\n"
        "lab08.EXAMPLES += (c.Example('raises', 'Injected', lambda: 1 / 0),)\n"
        "sys.exit(c.main(['lab08']))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 1
    assert run.stdout.endswith(f"\n{len(lab08.EXAMPLES)} passed, 1 failed\n")


def test_examples_are_selected_by_module_document_and_name(capsys: pytest.CaptureFixture[str]):
    assert command.selected(["lab08"]) == lab08.EXAMPLES
    assert command.selected(["differentiable_functions"]) == differentiable_functions.EXAMPLES
    assert [e.name for e in command.selected(["LETREC", "papply"])] == ["letrec", "papply (func_1, linlayer)"]
    assert command.main(["--list", "lab08"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"Lab 08: {e.name}" for e in lab08.EXAMPLES]
    assert command.main(["nothing-of-this-name"]) == 2
    assert "nothing-of-this-name" in capsys.readouterr().err


# -- every check can fail ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", [(7.0, 6.0), (9.0, 5.0), (9.0, (6.0,)), (9.0, float("nan"))])
def test_a_wrong_expectation_fails(expected: Any):
    assert not compared(differentiable_functions.square, 3.0, expected=expected).passed
    assert not claimed(9.0, 6.0, expected=expected, agree=True).passed


def test_a_claim_that_does_not_hold_fails():
    outcome = compared(differentiable_functions.square, 3.0, expected=(9.0, 6.0), checks=[("so", True), ("no", False)])
    assert outcome.wrong == ("no",) and not outcome.passed
    assert replace(outcome, wrong=()).passed and not replace(outcome, wrong=(), curries_agree=None).passed


def test_a_record_is_close_to_one_of_its_class_with_close_parts():
    v, other = differentiable_functions.Vector(1.0, 2.0), differentiable_functions.Scaled((1.0, 2.0))
    assert close(v, differentiable_functions.Vector(1.0, 2.0))
    assert not close(v, differentiable_functions.Vector(1.0, 2.5)) and not close(v, other) and not close(v, (1.0, 2.0))
    assert not close((1.0, 2.0), v) and not close(other, v)


def test_nan_is_close_to_nothing():
    nan = float("nan")
    assert not close(nan, nan, 1.0) and not close((1.0, nan), (1.0, nan), 1.0) and not close(nan, 1.0, 1.0)


def scaled(x: Any) -> Any:
    """Every number of a value, larger by a millionth."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [scaled(part) for part in parts])
    return x * Fraction(1_000_001, 1_000_000) if isinstance(x, Fraction) else x * 1.000001


@pytest.mark.share(8)
@pytest.mark.parametrize("worked", ALL, ids=lambda e: f"{e.document}-{e.name}")
def test_a_gradient_off_by_a_millionth_is_seen(worked: Example, monkeypatch: pytest.MonkeyPatch):
    ran: list[str] = []

    def off(name: str, by: Any) -> Any:
        def run(*args: Any) -> Any:
            value, cts = by(*args)
            ran.append(name)
            return value, scaled(cts)

        return run

    for name in ("by_code", "by_model"):
        monkeypatch.setattr(example, name, off(name, getattr(example, name)))
    outcome = worked.run()
    assert not ran or any(what.startswith("gradient: found") for what in outcome.wrong)


def test_the_tree_sum_with_the_erratum_is_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(swift_ad, "weigh_sum", swift_ad.weigh_sum_as_printed)
    outcome = command.outcome_of(named("Tree, static func +"))
    assert any(what.startswith("value: found") for what in outcome.wrong)
    assert any(what.startswith("gradient: found") for what in outcome.wrong)


def test_a_tracker_that_keeps_both_edges_does_not_print_what_the_lab_prints(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lab08, "TrackedReal", lab08.EveryEdge)
    assert "the lab's tracker gives the printed step" in command.outcome_of(named("the lost edge of y*y")).wrong


def named(name: str) -> Example:
    (found,) = [e for e in ALL if e.name == name]
    return found


WITH_CLOSURES = [
    e for e in differentiable_curry.EXAMPLES
    if e.name in ("rnn with λ h x. lstmCell", "rnn, a loop for go", "for xs in minibatch", "partial applications",
                  "forgetting results", "summing results", "a closure called n times", "papply (func_1, linlayer)",
                  "AnyDerivative")
]  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("worked", WITH_CLOSURES, ids=lambda e: e.name)
def test_a_simply_typed_curry_that_forgets_its_environment_is_seen(worked: Example, monkeypatch: pytest.MonkeyPatch):
    def forgetful(self: Any, body: Any, term: Any) -> Any:
        def new_f(t: Any) -> Any:
            closure, _ = curry(self, body, term)(t)
            return closure, lambda ct: ZERO

        return new_f

    curry = AdditiveMap.curry
    monkeypatch.setattr(AdditiveMap, "curry", forgetful)
    outcome = command.outcome_of(worked)
    assert not outcome.passed


@pytest.mark.share(2)
@pytest.mark.parametrize("worked", WITH_CLOSURES, ids=lambda e: e.name)
def test_a_dependent_curry_that_doubles_its_environment_is_seen(worked: Example, monkeypatch: pytest.MonkeyPatch):
    def doubling(self: Any, body: Any, term: Any) -> Any:
        def twice(x: Any) -> Any:
            r, pullback = body(x)

            def call_pullback(gr: Any) -> Any:
                ct_t, ct_s = parts(pullback(gr), 2)
                return add(ct_t, ct_t), ct_s

            return r, call_pullback

        return curry(self, twice, term)

    curry = Delta.curry
    monkeypatch.setattr(Delta, "curry", doubling)
    assert not command.outcome_of(worked).passed


def test_each_curry_is_among_those_compared():
    assert [e.name for e in CURRIES] == ["AdditiveMap", "Delta", "AnyDerivative"]


# -- printing and plotting -----------------------------------------------------------------------------------------


def test_the_examples_in_the_docstrings():
    for module in (example, command, open_question, open_question_figures):
        assert doctest.testmod(module).failed == 0 and doctest.testmod(module).attempted > 0


def test_without_matplotlib_the_pictures_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert command.main(["--plots", str(tmp_path), "descend"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "no pictures: matplotlib is missing; pip install 'ccc-ad[plots]'"
    assert last == "1 passed, 0 failed" and list(tmp_path.iterdir()) == []


def test_the_pictures_are_written_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("matplotlib")
    assert command.main(["--plots", str(tmp_path / "pictures"), "descend"]) == 0
    names = ("gradient_descent.png", "gradient_descent.gif", "network.gif")
    picture, descent, network = (tmp_path / "pictures" / name for name in names)
    assert capsys.readouterr().out.splitlines()[:3] == [f"wrote {path}" for path in (picture, descent, network)]
    assert picture.read_bytes().startswith(b"\x89PNG")
    frames = {descent: 35, network: pictures.FRAMES}
    for path, count in frames.items():
        content = path.read_bytes()
        assert content.startswith(b"GIF89a") and content.count(b"\x21\xf9\x04") >= count
    first, second = (path for path, _ in pictures.paths())
    assert (len(first), len(second)) == (35, 17)
    assert abs(first[-1][0] + math.pi / 2) < 0.2 and second[-1][0] > math.pi


@pytest.mark.share(2)
@pytest.mark.parametrize("name", open_question_figures.FIGURES)
def test_the_figures_of_the_documents_show_the_numbers_of_today(name: str):
    file = open_question_figures.place(open_question_figures.FOLDER, name)
    assert open_question_figures.shown_by(file) == open_question_figures.numbers()[name]
    assert file.name in (ROOT / "docs" / "the_open_question.md").read_text("utf-8")


@pytest.mark.parametrize("name", open_question_figures.FIGURES)
def test_a_figure_draws_what_it_is_given(name: str):
    pytest.importorskip("matplotlib")
    shown = open_question_figures.shown_by(open_question_figures.place(open_question_figures.FOLDER, name))
    axes = open_question_figures.FIGURES[name](pictures.plotting(), shown).axes
    if name == "strict":
        marks = [text.get_text() for text in axes[0].texts]
        assert marks.count("≅") == sum(not holds for key, row in shown.items() if key != "laws" for holds in row)
    else:
        every = [shown["counts"]] if name == "recursion" else [
            {curry: one["counts"] for curry, one in found.items()} for found in shown.values()]
        for one, counts in zip(axes, every, strict=True):
            drawn = [list(line.get_ydata()) for line in one.lines]
            assert all(found in drawn for found in counts.values()) and len(drawn) < len(counts)


def test_growth_that_no_terms_have_is_not_fitted():
    assert open_question.grows([2, 4, 8, 17], [1, 2, 3, 4], open_question.POWERS) == "none"
    assert open_question.grows([0, 0, 0, 0], [1, 2, 3, 4], open_question.POWERS) == "0"


def test_everything_that_runs_is_recorded():
    assert {path.name for path in (ROOT / "paper_examples").glob("*.txt")} == {
        command.record_of(module).name for module in command.MODULES
    }
