"""The laws as an instrument: what is lost is a failure, and no mistake that they are to find stops or silences them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import ccc
import ccc.laws.checking as checking
import ccc.laws.observation as observed
from ccc import laws
from ccc.additive import ZERO
from ccc.arrows import Id
from ccc.categories import intervals
from ccc.categories.cost import Cost
from ccc.categories.dependence import Dependence
from ccc.categories.exponentials import AdditiveMap, Delta, FormalSum
from ccc.categories.reverse import Reverse
from ccc.combinators import name, primitive
from ccc.errors import CannotStage, MissingMeaning
from ccc.laws.__main__ import main
from ccc.laws.axioms import AXIOMS, Three
from ccc.laws.catalogue import all_checks, chosen
from ccc.laws.checking import run
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.choices import Randomly
from ccc.laws.generate import NUMBER, Generator
from ccc.laws.proofs import forms
from ccc.laws.recorded import recorded
from ccc.laws.runs import judge, judged
from ccc.laws.scalars import EXACT
from ccc.laws.subjects import Subject, name_of, standard, subject_of
from ccc.laws.verdicts import Verdict
from ccc.primitives.arithmetic import mul
from ccc.primitives.pointwise import flat
from ccc.theory import LAWS


def check_of(judge: Any, name: str = "planted") -> Check:
    return Check(name, "category", "planted", lambda generator, i: Drawn(generator.below(9)), judge)


class Drawn:
    def __init__(self, number: int) -> None:
        self.number = number

    def named(self) -> list[tuple[str, Any]]:
        return [("n", self.number)]


# -- what is on record ---------------------------------------------------------------------------------------------


@pytest.mark.share(4)
@pytest.mark.parametrize(("before", "now", "lost"), [
    ("proved", Verdict("law", "", "", "Functions", "tested", 187), "a proof"),
    ("≅ proved", Verdict("law", "", "", "Functions", "up to ≅", 187), "a proof"),
    ("tested", Verdict("law", "", "", "Functions", "up to ≅", 187), "equality"),
    ("tested", Verdict("law", "", "", "Functions", "not applicable", 0, dropped={"no loops": 200}), "that it applies"),
    ("tested", Verdict("law", "", "", "Functions", "not applicable", 0), ""),
    ("tested", Verdict("law", "", "", "Functions", "proved", 5, proof="by hand"), ""),
    ("up to ≅", Verdict("law", "", "", "Functions", "tested", 5), ""),
    ("fails", Verdict("law", "", "", "Cost", "tested", 187), "that it fails"),
    ("fails", Verdict("law", "", "", "Cost", "tested", 5), ""),
    ("fails", Verdict("law", "", "", "Cost", "fails", 5), ""),
])
def test_what_is_on_record_and_not_found_again_is_a_failure(before: str, now: Verdict, lost: str) -> None:
    verdict = replace(now, recorded=before)
    assert (verdict.lost, bool(verdict), "LOST" in verdict.cell) == (lost, not lost, bool(lost))


def test_a_lost_proof_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROVERS", [])
    report = judge([], only=["prod-left"], examples=5)
    assert not report.ok and report.verdicts[0].cell == "✓ 5 LOST"
    assert "lost: a proof; on record is `proved`" in str(report)


def test_every_law_that_applies_is_on_record() -> None:
    applying = {
        (check.name, subject.name) for check in all_checks().values() for subject in standard()
        if check.concerns(subject)
    }
    found = {(name, subject) for name, cells in recorded().items() for subject in cells}
    assert {cell for cell in found if cell[1] in {subject.name for subject in standard()}} == applying
    assert all("fails" not in cells.values() or cells.get("Cost") == "fails" for cells in recorded().values())


def test_a_category_without_projections_has_the_laws_that_are_on_record() -> None:
    found = laws.check(Cost(), only=["products", "functions"], examples=60)
    assert found.ok and "fails" in str(found), str(found)
    assert {v.check for v in found.verdicts if not v.holds} >= {"prod-left", "sharing", "curry-natural"}

    class Free(Cost):
        def price(self, term: Any, xs: Any, y: Any) -> Any:
            return 0.0

    Free.__module__ = Cost.__module__
    found = laws.check(Subject(Free(), name="Cost"), only=["prod-left", "curry-beta"], examples=100)
    assert [(v.lost, bool(v)) for v in found.verdicts] == [("that it fails", False), ("", True)]
    assert "lost: that it fails; on record is `fails`" in str(found)


@pytest.mark.always
def test_every_rule_that_has_a_formula_is_proved() -> None:
    from ccc.laws.elementwise import primitives, rule_proof

    assert not [p.name for p in primitives() if rule_proof(p) is None]


def test_a_slope_that_is_wrong_at_one_exponent_is_no_longer_proved() -> None:
    from ccc.laws.elementwise import rule_proof
    from ccc.primitives.arithmetic import power
    from ccc.primitives.pointwise import operation

    ours: Any = power.pullback

    def planted(d: Any, y: Any, a: Any, n: Any) -> Any:
        return d * (2 * y) if isinstance(n, int | float) and n == 2 else ours(d, y, a, n)[0]

    assert rule_proof(power) is not None
    wrong = operation("power", power.value, power.source, planted, lambda d, y, a, n: ours(d, y, a, n)[1])
    assert rule_proof(wrong) is None


def test_a_proof_says_how_wide_the_products_are() -> None:
    (verdict,) = laws.check(Reverse, examples=3, only=["prod-middle"]).verdicts
    assert verdict.proof.endswith("products of 3")


def test_the_page_of_proofs_shows_the_form_that_both_sides_have(tmp_path: Path) -> None:
    file = tmp_path / "proofs.html"
    main(["--only", "curry-eta", "--only", "fix-unroll", "--examples", "3", "--jobs", "1", "--proofs", str(file)])
    text = unescape(file.read_text("utf-8"))
    assert "Tested on examples only, in some category: fix-unroll" in text and "fix-unroll</h2>" not in text
    strict, weak = "values: (s ↦ h(x)(s))", "pullbacks: ∂h(x.0)(x.1)[γ].1 + ∂h(x.0)[∂h(x.0)(x.1)[γ]].0"
    assert text.count("<h3>") == 8 and strict in text and text.count(weak) == 2  # Delta, AnyDerivative; of any CCC
    subjects = {subject.name: subject for subject in standard()}
    with pytest.raises(ValueError, match="curry-eta has two normal forms in Reverse"):
        forms(LAWS["curry-eta"], subjects["Reverse(Delta)"])


# -- mistakes that are to be found ---------------------------------------------------------------------------------


def test_a_fold_that_forgets_what_comes_after_the_eighth_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(self: FormalSum, h: Any, like: Any = None) -> Any:
        some: Any = FormalSum()
        for s, m in list(self.terms())[:8]:
            some = some + FormalSum((s, m))
        return whole(some, h, like)

    whole = FormalSum.fold
    monkeypatch.setattr(FormalSum, "fold", forgetful)
    report = laws.check(Reverse, exponential=AdditiveMap(), examples=10, only=["formal-sums"])
    assert "pairs, from the left, is not the sum of each" in str(report.unexpected[0])


def test_a_law_that_does_not_end_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE", 0.2)

    def endless(comparison: Any, drawn: Drawn) -> Judged:
        while drawn.number > 2:
            pass
        return Judged()

    (verdict,) = run(check_of(endless), standard()[:1], examples=9)
    assert verdict.outcome == "fails" and "does not end" in str(verdict)


def test_a_law_whose_examples_cannot_be_drawn_fails() -> None:
    def draw(generator: Any, i: int) -> Any:
        raise ZeroDivisionError("no example")

    check = Check("planted", "category", "planted", draw, lambda comparison, drawn: Judged())
    (verdict,) = run(check, standard()[:1], examples=9)
    assert verdict.outcome == "fails" and "ZeroDivisionError is raised: no example" in str(verdict)


def test_a_prover_that_raises_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def prover(check: Any, subject: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(checking, "PROVERS", [prover])
    (verdict,) = run(check_of(lambda comparison, drawn: Judged()), standard()[:1], examples=3)
    assert (verdict.outcome, verdict.proof) == ("tested", "")


def test_an_experiment_that_raises_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect() -> Any:
        raise ZeroDivisionError("no slopes")

    monkeypatch.setattr(observed, "inspect", inspect)
    report = laws.check(Reverse, examples=5, only=["curry-eta"])
    assert not report.ok and "The experiment fails: ZeroDivisionError is raised: no slopes" in str(report)


def test_a_process_that_dies_is_the_failure_of_its_law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "category_of_a_user.py").write_text(DYING)
    monkeypatch.chdir(tmp_path)
    report = judge(["category_of_a_user:Dying"], only=["fix-unroll", "id-left"], examples=3, jobs=2)
    outcomes = {(v.check, v.outcome) for v in report.verdicts}
    assert outcomes == {("fix-unroll", "fails"), ("id-left", "proved")} and "the process dies" in str(report)


DYING = """
import os

from ccc.categories.functions import Functions


class Dying(Functions):
    def fix(self, body, term):
        os._exit(3)
"""


def test_warnings_are_counted_and_not_printed(recwarn: pytest.WarningsRecorder) -> None:
    def warning(comparison: Any, drawn: Drawn) -> Judged:
        warnings.warn(f"`{drawn.number}` is odd", stacklevel=1)
        return Judged()

    report = judged(standard()[:2], [check_of(warning)], examples=5)
    assert report.warned == ["10 × UserWarning: `…` is odd"] and "10 × UserWarning" in str(report)
    assert not recwarn.list


def test_what_is_always_dropped_is_said() -> None:
    def discarded(comparison: Any, drawn: Drawn) -> Judged:
        raise Discarded("nothing to say")

    (verdict,) = run(check_of(discarded), standard()[:1], examples=30)
    assert verdict.outcome == "not applicable" and verdict.dropped == {"nothing to say": 30}


# -- categories in layers ------------------------------------------------------------------------------------------


BOUNDS = """
import ccc


class Bounds(ccc.Layered):
    operations = {
        "add": lambda x, y: (x[0] + y[0], x[1] + y[1]), "sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
        "less": lambda x, y: x[1] < y[0],
    }

    def constant(self, value):
        return value, value


class Slipped(Bounds):
    operations = {**Bounds.operations, "sub": lambda x, y: (x[0] - y[0], x[1] - y[1])}

    def element(self, number):
        return tuple(sorted((number(), number())))

    def member(self, x, below):
        return x[below(2)]

    def holds(self, x, value):
        return x[0] <= value <= x[1]
"""


def test_the_command_judges_a_category_in_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bounds_of_a_user.py").write_text(BOUNDS)
    monkeypatch.chdir(tmp_path)
    common = ["--examples", "12", "--jobs", "1"]
    assert main(["bounds_of_a_user:Bounds", "--only", "products", "--only", "functions", *common]) == 0
    assert "does not say what `mul` means" in capsys.readouterr().out
    assert main(["bounds_of_a_user:Slipped", "--only", "sound", "--examples", "100", "--jobs", "1"]) == 1
    assert "what is found does not hold the value" in capsys.readouterr().out


class TakesOne(ccc.Intervals):
    """Where a test is not decided it takes the first branch."""

    def joined(self, x: Any, y: Any) -> Any:
        return x


@pytest.mark.parametrize("refusal", [CannotStage, MissingMeaning])
def test_a_category_in_layers_that_refuses_what_it_has_to_take_fails(
    refusal: type[CannotStage | MissingMeaning], monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what depends on a test that is not decided may be refused."""
    operation = ccc.Intervals.operation

    def refusing(k: Any, term: Any, *xs: Any) -> Any:
        if term.primitive is mul:
            raise refusal("no products")
        return operation(k, term, *xs)

    monkeypatch.setattr(ccc.Intervals, "operation", refusing)
    (verdict, *_) = run(all_checks()["layers-sound"], standard(), examples=12, shrink=False)
    assert verdict.outcome == "fails"
    assert "refuses it" in str(verdict)


def test_marks_that_hold_at_one_point_alone_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product by an array of zeros has marks, since elsewhere it is no zero."""
    monkeypatch.setattr(Dependence, "places", lambda k, x, first: x)
    (verdict, *_) = run(all_checks()["program-dependence"], standard(), examples=200, shrink=False)
    assert verdict.outcome == "fails"
    assert "no mark where the derivative at another point is" in str(verdict)


def test_bounds_that_a_loop_leaves_where_its_test_is_not_decided_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "everything", lambda x: x)
    (verdict, *_) = run(all_checks()["program-while-sound"], standard(), examples=60, shrink=False)
    assert verdict.outcome == "fails"
    assert "does not hold the value" in str(verdict)


def test_a_loop_whose_test_is_not_decided_may_not_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(x: Any) -> Any:
        raise CannotStage("no loops", "write none")

    monkeypatch.setattr(intervals, "everything", refusing)
    (verdict, *_) = run(all_checks()["program-while-sound"], standard(), examples=60, shrink=False)
    assert verdict.outcome == "fails"


def test_what_holds_of_the_numbers_in_intervals_holds_up_to_what_they_hold() -> None:
    only = ["cond-nested", "cond-prod", "cond-true"]
    found = {v.check: v.outcome for v in laws.check(ccc.Intervals(), only=only, examples=30).verdicts}
    assert found == {"cond-nested": "up to ≅", "cond-prod": "tested", "cond-true": "tested"}
    found = {v.check: v.outcome for v in laws.check(TakesOne(), only=["cond-nested", "cond-not"], examples=12).verdicts}
    assert found == {"cond-nested": "fails", "cond-not": "fails"}


# -- second derivatives --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponential", [AdditiveMap(), Delta()], ids=lambda e: e.name)
def test_a_hessian_that_is_not_symmetric_breaks_the_seventh_axiom_alone(exponential: Any) -> None:
    frozen = flat("frozen", lambda x: x, "{}", exact=True)
    planted = replace(mul, name="planted", pullback=lambda ct, y, a, b: (ct * b, ct * frozen(a)))
    f = primitive(planted, NUMBER, NUMBER)
    subject = subject_of(Reverse, exponential=exponential)
    broken = [check.name for check in AXIOMS if check.concerns(subject) and check.judge(
        subject.comparison(Generator(Randomly(3))), Three(f, f, Id(NUMBER))).observed is not None]
    assert broken == ["rd-7"]


def test_the_axioms_of_differential_and_of_reverse_categories_hold() -> None:
    report = judge([], only=["differential axioms", "reverse axioms"], examples=8)
    assert report.ok and sum(verdict.examples > 0 for verdict in report.verdicts) == 7 + 5 * 7


# -- what is judged once for several categories --------------------------------------------------------------------


def test_an_example_is_judged_once_where_no_exponential_is_asked() -> None:
    asked: list[str] = []

    def judge(comparison: Any, example: Drawn) -> Judged:
        asked.append(name_of(comparison.k))
        if example.number % 2:
            comparison.read(name(Id(NUMBER)))
        return Judged()

    numbers = [Generator(Randomly("planted", 0, i)).below(9) % 2 for i in range(12)]
    verdicts = run(check_of(judge), standard()[1:4], examples=12)
    assert {v.examples for v in verdicts} == {12}
    assert 0 < sum(numbers) < 12
    assert asked.count("Reverse(AdditiveMap)") == 12
    assert asked.count("Reverse(Delta)") == asked.count("Reverse(AnyDerivative)") == sum(numbers)


def test_a_curry_that_forgets_fails_in_its_own_category_alone() -> None:
    class Forgetful(Delta):
        name = "Forgetful"

        def unpack(self, ct: Any, space: Any) -> Any:
            return ZERO

    subjects = [*standard()[1:3], subject_of(Reverse(Forgetful(), EXACT))]
    (check,) = chosen(["curry-beta"])
    assert [v.outcome == "fails" for v in run(check, subjects, examples=20)] == [False, False, True]


def test_what_watches_an_exponential_leaves_it_as_it_was() -> None:
    reverse = standard()[2]
    before = dict(vars(reverse.exponential))
    run(chosen(["curry-eta"])[0], [reverse], examples=2)
    assert vars(reverse.exponential) == before
