"""The laws catch planted mistakes, and the machinery that says so cannot report a kill that is none."""

from __future__ import annotations

import ast
import io
import json
import os
import signal
import time
from functools import cache
from typing import Any

import pytest

from ccc.laws import killing, trial
from ccc.laws.__main__ import main
from ccc.laws.catalogue import chosen
from ccc.laws.checks import Check
from ccc.laws.killing import killers
from ccc.laws.mutant_runs import Server, judge_mutants, run
from ccc.laws.mutants import AREAS, COMPILER, MACHINE_CODE, judged, listed, planted, points, returned, sample, source_of
from ccc.laws.mutants_report import MutantReport
from ccc.laws.mutation import Mutant, mutants_of

REVERSE = "ccc.categories.reverse"
QUICK = ("products", "curry-beta", "pullback-linear")


def found(module: str, where: str, after: str) -> Mutant:
    """The mutant of a function that puts `after` there."""
    return next(m for m in mutants_of(module, source_of(module)) if m.where == where and m.after == after)


def changed(module: str, before: str, after: str) -> Mutant:
    """A change made by hand, as the operators would make it."""
    data = source_of(module).encode()
    start = data.index(before.encode())
    return Mutant(module, "by hand", "by hand", before, after, 1, start, start + len(before.encode()))


@pytest.mark.nightly
def test_a_change_that_changes_nothing_survives_and_one_that_is_no_python_is_not_counted():
    same = changed(REVERSE, "return ZERO", "return (ZERO)")
    broken = changed(REVERSE, "return ZERO", "return (ZERO")
    missing = changed(REVERSE, "from typing import Any", "from typing import Anything")
    wrong = changed(REVERSE, "{index: ct}", "{0: ct}")
    tried, failing, laws = run([same, broken, missing, wrong], stages=[4], only=QUICK)
    assert [t.outcome for t in tried] == ["survived", "stillborn", "stillborn", "killed"]
    assert failing == []
    assert laws == 14
    report = MutantReport(tried, failing, laws)
    assert len(report.counted) == 2
    assert not report.ok
    assert "2 did not import and are not counted" in report.summary()


def test_a_mutant_of_a_module_that_is_imported_already_is_refused():
    from ccc.laws.trial import served

    with pytest.raises(AssertionError, match="imported already"):
        served({"module": REVERSE, "source": "", "stages": [1], "only": ["id-left"], "seconds": 10})


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:.*fork:RuntimeWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.parametrize(("run", "told"), [
    ("fork() or sleep(60)", "answered"),  # a process that holds the pipe and is left behind
    ("sleep(60)", "the process ended with -9"),
    ("kill(getpid(), 15)", "the process ended with -15"),
])
def test_a_trial_is_waited_for_and_not_what_it_leaves_behind(monkeypatch: pytest.MonkeyPatch, run: str, told: str):
    def answer(line: str) -> str:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        eval(run, {"fork": os.fork, "sleep": time.sleep, "kill": os.kill, "getpid": os.getpid})
        return "answered"

    monkeypatch.setattr(trial, "_answer", answer)
    monkeypatch.setattr(trial, "GRACE", 1)
    monkeypatch.setattr(trial, "_bounded", lambda seconds: None)
    start = time.perf_counter()
    assert told in trial._forked("", 0.5)
    assert time.perf_counter() - start < 30


def test_a_law_that_fails_without_a_mutation_kills_nothing():
    mutant = changed(REVERSE, "{index: ct}", "{0: ct}")
    killers = {"prod-right": [0, "Reverse(Delta)", "differs", ""], "sharing": [3, "Forward", "differs", ""]}
    assert list(judged(mutant, {"killers": killers, "examples": 4}, ["sharing"]).killers) == ["prod-right"]
    assert judged(mutant, {"killers": killers, "examples": 4}, list(killers)).outcome == "survived"
    assert not MutantReport([], ["sharing"]).ok


def test_what_kills_a_mutant_is_a_difference_that_the_law_states():
    swapped = found(REVERSE, "Reverse.compose.composite.composite_pullback", "pullbacks")
    (tried,), _, _ = run([swapped], stages=[4], only=["prod-swap", "prod-fusion"], control=False)
    assert tried.outcome == "killed"
    example, category, how, what = tried.killers["prod-fusion"]
    assert category == "Reverse(AdditiveMap)"
    assert how in ("differs", "raises")
    assert what
    assert 0 <= example < 4


def test_a_mutant_that_does_not_end_is_killed_by_the_law_that_waits_for_it():
    endless = changed("ccc.categories.pointwise", "            for f in arrows:", "            while f := arrows[0]:")
    (tried,), _, _ = run([endless], stages=[1], only=["associativity"], control=False)
    assert tried.outcome == "killed"
    assert "does not end" in tried.killers["associativity"][3]


@pytest.mark.share(2)
@pytest.mark.parametrize(("module", "old", "new", "law"), [
    ("frontend.closures", "found.update({(id(value), str(i)): part for i, part in enumerate(parts)})", "pass",
     "program-states"),
    ("frontend.loops", "ends is not None and len(ends)", "len(ends)", "program-states"),
    ("passes.shared_factors", "self.shapes.of(root.targets[0]), dict", "self.shapes.of(root.targets[1]), dict",
     "program-states"),
    ("numpy_source.ownership", "if isinstance(op, Call):\n            key",
     "if not isinstance(op, Call):\n            key", "writes-in-place"),
    ("numpy_source.emit", "split, quiet = first_of_last(block), self.warned.ignored(block)",
     "split, quiet = self.warned.ignored(block), first_of_last(block)", "warnings"),
    ("terms.staged_recursion", "leaves[j] = Accumulated(self.recorder, let, position, leaves[j], witness)", "pass",
     "recursion-is-loop"),
    ("terms.staged_recursion", "not active[i] and (leaves is argument or captured[i])", "not active[i]",
     "pullback-emitted"),
    ("terms.readback", "                if var not in self.calls:\n", "                if True:\n",
     "recursion-is-loop"),
    ("terms.stage", "list(args), label.span if label else None, self.apart", "list(args), None, self.apart",
     "places"),
    ("program.simplify", "return None if b is y else x * b", "return None if b is y else x", "rewriting"),
    ("native.scalars", 'if strict and y in ("", real(0.0), real(-0.0)):', 'if not y in ("", real(0.0), real(-0.0)):',
     "machine-code-stays"),
    ("native.scalars", "    found = power(w, strict, a, n)\n    half", "    found = power(w, strict, n, a)\n    half",
     "elementwise-machine-code"),
    ("native.writer", "all_[:] = found.lines", "pass", "machine-code-views"),
    ("native.lowering",
     "(adds and not (isinstance(self.value(let.args[0]), Arr) and not self.joins(let)))\n            or ", "",
     "machine-code-memory"),
    ("native.tapes", "part(m, b.ptr, layouts, i)", "part(m, b.ptr, i, layouts)", "program-second-machine-code"),
    ("native.loops", "noted(w, head, w.gap(), Runs([(layout, slots) for layout, slots, *_ in places], [\n"
     "            output.slots[0] for output in outputs]))", "pass", "machine-code-turns"),
])
def test_what_survived_other_laws_dies_of_these(module: str, old: str, new: str, law: str):
    (tried,), failing, _ = run([changed(f"ccc.compile.{module}", old, new)], stages=[4, 300], only=[law], first=True)
    assert not failing
    assert tried.outcome == "killed" and list(tried.killers) == [law]


@pytest.mark.share(2)
@pytest.mark.parametrize(("module", "old", "new", "law"), [
    ("ccc.categories.rules", "_, pb = functor(category, self.body)(bare(anew))",
     "_, pb = functor(category, self.body)(bare([anew[1], anew[0], *anew[2:]]))", "checkpoint"),
    ("ccc.categories.exponentials", "isinstance(other, Space) and self.body is other.body", "isinstance(other, Space)",
     "curry-eval"),
    ("ccc.compile.terms.abstract", "kept = self.captured((op.body,), scope)",
     "kept = self.captured((op.body,), scope) * 2", "trim-captures"),
])
def test_a_checkpoint_elsewhere_closures_that_are_merged_and_captured_twice_are_found(
    module: str, old: str, new: str, law: str,
):
    (tried,), failing, _ = run([changed(module, old, new)], stages=[4, 100], only=[law], first=True)
    assert not failing and tried.outcome == "killed"


@pytest.mark.nightly
def test_a_handful_of_mutants_of_the_core_die(capsys: pytest.CaptureFixture[str]):
    assert main(["--mutants", "4", "functions", "additive", "--only", "products", "--only", "pullbacks", "--json",
                 "--jobs", "2"]) in (0, 1)
    data = json.loads(capsys.readouterr().out)
    assert sum(m["outcome"] == "killed" for m in data["mutants"]) >= 3
    assert set(data["covering"]) <= set(data["laws"])
    assert set(data["needed"]).isdisjoint(data["implied"])


def test_an_unknown_area_is_a_mistake_in_the_command(capsys: pytest.CaptureFixture[str]):
    assert main(["--mutants", "1", "nowhere"]) == 2
    assert "no area 'nowhere'" in capsys.readouterr().err


def test_the_full_run_plants_mutants_in_the_compiler_and_in_machine_code():
    modules = [mutant.module for mutant in planted() if mutant not in returned()]
    assert all(module.startswith("ccc.compile.") for module in modules)
    assert sum(module.startswith("ccc.compile.native.") for module in modules) == 10 and len(modules) == 35
    for area in (*COMPILER, *MACHINE_CODE):
        assert any(mutant in points(area) for mutant in planted())
    with pytest.raises(SystemExit):
        main(["--full", "--only", "products"])


def test_one_law_is_enough_where_one_is_asked_for():
    swapped = found(REVERSE, "Reverse.compose.composite.composite_pullback", "pullbacks")
    (tried,), _, _ = run([swapped], stages=[4], only=["prod-swap", "prod-fusion"], control=False, first=True)
    assert tried.outcome == "killed" and len(tried.killers) == 1


def test_laws_that_run_what_is_changed_are_asked_before_others(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def tried(check: Check, subjects: object, seed: int, i: int) -> list[object] | None:
        asked.append(check.name)
        return [i, "Functions", "differs", ""] if check.name == "prod-eta" and i == 60 else None

    monkeypatch.setattr(killing, "_tried", tried)
    found = killers([4, 100], only=["products"], first=True, reached=lambda: asked[-1] == "prod-eta")
    assert list(found["killers"]) == ["prod-eta"] and asked.count("prod-eta") == 61
    assert {asked.count(check.name) for check in chosen(["products"]) if check.name != "prod-eta"} == {4}


def test_a_call_of_what_is_changed_is_noticed():
    source = "def f(x):\n    'Twice.'\n    def g(y):\n        return 2 * y\n    return g(x) if x else x\nz = 1\n"
    for line, calls in ((4, (True, False)), (5, (True, True)), (6, (True, True))):
        substitute = trial.Substitute("m", source, line)
        names: dict[str, Any] = {}
        exec(substitute.get_code("m"), names)
        assert [(names["f"](x), substitute.reached()) for x in (2, 0)] == list(zip((4, 0), calls, strict=True))
        assert names["f"].__doc__ == "Twice."


def test_every_mutant_is_another_program_in_one_place():
    for area in AREAS:
        assert len({mutant.identity for mutant in points(area)}) == len(points(area))
    known = cache(lambda module: ast.dump(ast.parse(source_of(module))))
    for mutant in sample(3 * len(AREAS)):
        source = source_of(mutant.module)
        assert source.encode()[mutant.start : mutant.end].decode() == mutant.before
        assert ast.dump(ast.parse(mutant.applied(source))) != known(mutant.module)


def test_a_sample_covers_all_areas_and_is_the_same_every_time():
    drawn = sample(5 * len(AREAS))
    assert drawn == sample(5 * len(AREAS))
    assert sample(10) == drawn[:10]
    assert sample(10, seed=1) != drawn[:10]
    for area in AREAS:
        assert len(set(drawn) & set(points(area))) >= 5
        assert len({mutant.operator for mutant in drawn if mutant in points(area)}) >= 3


def test_what_is_listed_as_equivalent_is_in_the_source_and_has_a_reason():
    known = {mutant.identity for area in AREAS for mutant in points(area)}
    assert set(listed()) <= known, set(listed()) - known
    assert all(len(reason.split()) > 3 for reason in listed().values())


def test_the_matrix_says_which_laws_are_needed_and_which_are_implied():
    mutants = points("functions")[:3]
    report = MutantReport([
        judged(mutant, {"killers": {law: [0, "", "differs", ""] for law in laws}, "examples": 1})
        for mutant, laws in zip(mutants, (["p", "q"], ["q"], ["r", "q"]), strict=True)
    ])
    assert report.needed == {"q": 1}
    assert report.implied == {"p": "q", "r": "q"}
    assert report.covering == ["q"]
    assert "To kill all that is killed takes 1 law: q." in str(report)


def test_no_sample_is_drawn_of_no_area():
    with pytest.raises(KeyError):
        judge_mutants(1, areas=["nowhere"])


def test_a_planted_survivor_fails_the_run_and_is_shown_under_the_short_table():
    same = changed(REVERSE, "return ZERO", "return (ZERO)")
    report = MutantReport([judged(same, {"killers": {}, "examples": 8})], laws=3)
    shown = str(report)
    assert not report.ok
    assert shown.index("points") < shown.index("1 survived") < shown.index("To look at:") < shown.index("Every mutant:")
    assert json.loads(report.json())["ok"] is False


def test_what_becomes_of_a_mutant_is_told_before_the_next_one_is_tried(monkeypatch: pytest.MonkeyPatch):
    """A run that is broken off has told what it found."""
    swapped, same = changed(REVERSE, "{index: ct}", "{0: ct}"), changed(REVERSE, "return ZERO", "return (ZERO)")
    answers: list[dict[str, object]] = [
        {"killers": {"sharing": [1, "Forward", "differs", ""]}, "laws": 9, "examples": 5},
        {"killers": {"prod-right": [2, "Forward", "differs", ""]}, "laws": 9, "examples": 5},
        {"killers": {}, "laws": 9, "examples": 8},
    ]
    told = io.StringIO()
    before: list[str] = []

    def ask(self: Server, request: dict[str, object]) -> dict[str, object]:
        before.append(told.getvalue())
        if not answers:
            raise KeyboardInterrupt
        return answers.pop(0)

    monkeypatch.setattr(Server, "ask", ask)
    with pytest.raises(KeyboardInterrupt):
        run([swapped, same, swapped], told=told)
    assert "sharing fail" in before[1] and "killed" not in before[1]
    assert "killed by prod-right in 3" in before[2] and "survived" not in before[2]
    assert "survived" in before[3] and "return (ZERO)" in before[3]


def test_kinds_that_once_came_through_are_planted_in_the_full_run():
    kinds = [mutant.operator for mutant in returned()]
    assert kinds.count("survived") == 6 and kinds.count("aborted") >= 4 and kinds.count("hung") == 3
    assert kinds.count("category") == 8
    for mutant in returned():
        assert source_of(mutant.module).count(mutant.before) == 1 and mutant in planted()
        ast.parse(mutant.applied(source_of(mutant.module)))


@pytest.mark.parametrize("before", ["self.steps[-1].cod)", "            todo.pop()", '"0", i))'])
def test_what_ends_a_process_or_does_not_end_is_killed_by_the_law_that_was_asked(before: str):
    (mutant,) = [mutant for mutant in returned() if before in mutant.before]
    (tried,), _, _ = run([mutant], stages=[4, 100], control=False, first=True)
    assert tried.outcome == "killed"


@pytest.mark.parametrize("after", [
    "d * (2 * y)", "[*self.terms()][:8]", "at(a)", "float(k + 2)", "[x[1] if i in", "signum(found)",
    "*of(k), *of(k)]", "mark", "if True:"])
def test_what_examples_of_older_laws_let_through_is_killed(after: str):
    mutant = min([mutant for mutant in returned() if after in mutant.after], key=lambda mutant: len(mutant.after))
    only = ["soundness", "representations", "cotangents", "elementwise-rules", "semirings", "formats"]
    (tried,), _, _ = run([mutant], stages=[4, 100], control=False, first=True, only=only)
    assert tried.outcome == "killed"


def test_the_process_that_a_signal_ends_names_the_law_that_it_asked():
    trial.asking("curry-beta", 3, 0.0)
    assert trial.died(-11)["killers"] == {"curry-beta": [3, "", "raises", "the process ended with -11"]}
    for status in (-24, -9, 1):  # the time was over, or somebody ended it
        assert "broken" in trial.died(status)


def test_the_statement_and_the_rule_around_a_line_are_marked():
    source = "f = lambda x: x\ndef g(x):\n    if x:\n        return 1\n    return 2\n"
    for line, call, ran in ((1, "f(0)", True), (4, "g(0)", False), (4, "g(1)", True), (5, "g(0)", True)):
        substitute = trial.Substitute("m", source, line)
        space: dict[str, object] = {}
        exec(substitute.get_code("m"), space)  # the source above
        substitute.reached()
        eval(call, space)
        assert substitute.reached() is ran


def test_what_asks_in_this_process_leaves_no_timer_that_would_end_it() -> None:
    killers([2], only=["id-left", "prod-left"], seconds=20.0)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
