"""The law suite as people use it: the command, the plugin, strategies, users' categories, rules and passes."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import find, given, settings, strategies as st

import ccc
import ccc.laws.checking as checking
from ccc import laws
from ccc.additive import ZERO, parts
from ccc.arrows import Arrow, Chain, Cond, postorder
from ccc.categories.exponentials import AdditiveMap, Closure, Delta, FormalSum
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.compile.api.targets import TARGETS
from ccc.denotation import functor
from ccc.errors import CannotStage
from ccc.laws.catalogue import all_checks, chosen
from ccc.laws.checking import run
from ccc.laws.choices import Randomly, Replayed
from ccc.laws.elementwise import primitives, rule_proof
from ccc.laws.equality import Difference
from ccc.laws.generate import NUMBER, PAIR, Generator
from ccc.laws.hooks import register
from ccc.laws.lambda_terms import (
    Call,
    Function,
    If,
    Operation,
    Variable,
    expression,
    python_def,
    python_lambda,
    translated,
)
from ccc.laws.lambdas import python
from ccc.laws.passes import of_pass
from ccc.laws.runs import judge, judged
from ccc.laws.shrinking import shrunk
from ccc.laws.subjects import Subject, standard, subject_of
from ccc.laws.verdicts import Proof
from ccc.objects import REAL, Exponential, array
from ccc.primitives.arithmetic import div, largest, mul
from ccc.primitives.pointwise import operation

ROOT = Path(__file__).resolve().parents[1]
NIGHTLY = 10_000


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "laws", *args], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


# -- the command ---------------------------------------------------------------------------------------------------


def test_the_command_prints_a_table_and_says_that_all_is_well() -> None:
    done = command("--only", "curry-eta", "--only", "products", "--examples", "8")
    assert done.returncode == 0, done.stderr
    assert "≅ proved" in done.stdout
    assert "Strong or weak?" in done.stdout
    assert done.stdout.rstrip().endswith("all as the theory says")
    assert done.stderr == ""


def test_one_process_and_two_print_the_same() -> None:
    one, two = [command("--only", "category", "--only", "curry-eta", "--examples", "6", "--jobs", n) for n in "12"]
    assert one.stdout.rsplit(",", 1)[0] == two.stdout.rsplit(",", 1)[0]


def test_json_and_page(tmp_path: Path) -> None:
    done = command("--only", "curry-eta", "--examples", "8", "--json", "--html", str(tmp_path / "laws.html"))
    data = json.loads(done.stdout)
    assert [v["outcome"] for v in data["verdicts"]] == ["proved", "proved", *["up to ≅"] * 3, "proved", "proved"]
    assert data["observation"]["slopes"] == ["17/5", "14/5"]
    text = (tmp_path / "laws.html").read_text("utf-8")
    assert text.count("<tr") == 3
    assert "different cotangent spaces" in text


@pytest.mark.share(4)
@pytest.mark.parametrize(("args", "message"), [
    (("nothing",), "`nothing` is not of the form MODULE:NAME"),
    (("no_such_module:K",), "there is no module `no_such_module`"),
    (("ccc.categories.reverse:Revers",), "`ccc.categories.reverse` has no `Revers`"),
    (("ccc.objects:REAL",), "Real is no category"),
    (("--only", "curry-zeta"), "there is no law or section 'curry-zeta'"),
    (("--examples", "0"), "--examples needs at least one"),
])
def test_a_command_that_means_nothing_ends_with_2(args: tuple[str, ...], message: str) -> None:
    done = command(*args)
    assert done.returncode == 2
    assert message in done.stderr


BROKEN = '''
from ccc.categories.reverse import Reverse


class Swapped(Reverse):
    """Reverse mode whose pairs give each arrow the cotangent of the other."""

    def prod(self, *arrows):
        fork = super().prod(*arrows)

        def swapped(x):
            y, pb = fork(x)
            return y, lambda ct: pb(ct[::-1] if isinstance(ct, tuple) else ct)

        return swapped
'''


def test_a_broken_category_fails_with_the_smallest_counterexample(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "broken_category.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    report = judge(["broken_category:Swapped"], only=["summing", "prod-left"], examples=40)
    assert not report.ok
    by_name = {verdict.check: verdict for verdict in report.verdicts}
    assert by_name["prod-left"].outcome == "fails"
    found = by_name["prod-left"].counterexample
    assert found is not None
    assert [(part.name, part.python, part.diagram) for part in found.parts] == [
        ("f", "lambda x: x", "id"), ("g", "lambda x: x * x", "prod(id, id) o mult")
    ] or all(len(part.diagram) < 40 for part in found.parts)
    assert found.reproduce.startswith("python3 -m laws broken_category:Swapped --only prod-left --seed 0 --example ")
    i = int(found.reproduce.rsplit(" ", 1)[1])
    (again,) = judge(["broken_category:Swapped"], only=["prod-left"], examples=40, example=i).verdicts
    assert again.outcome == "fails"
    assert again.counterexample == found


# -- users' categories ---------------------------------------------------------------------------------------------


class Products:
    """A category with products alone."""

    def identity(self, a: Any) -> Any:
        return lambda x: x

    def compose(self, *arrows: Any) -> Any:
        def composite(x: Any) -> Any:
            for f in arrows:
                x = f(x)
            return x

        return composite

    def terminal(self, a: Any) -> Any:
        return lambda x: ()

    def prod(self, *arrows: Any) -> Any:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, a: Any, index: int) -> Any:
        return lambda x: x[index]

    def const(self, term: Any) -> Any:
        return lambda x: term.value

    def primitive(self, term: Any) -> Any:
        return lambda x: term.primitive.value(*(x if isinstance(x, tuple) else (x,)))


def test_laws_of_missing_combinators_do_not_apply() -> None:
    report = laws.check(Products(), examples=10)
    assert report.ok
    outcomes = {verdict.check: verdict.outcome for verdict in report.verdicts}
    assert outcomes["prod-eta"] == "tested"
    assert {outcomes[name] for name in ("curry-beta", "cond-same", "fold-nil", "fix-unroll", "pullback-linear")} == {
        "not applicable"
    }


class Counts(Products):
    """Arrows are numbers of primitives."""

    def identity(self, a: Any) -> Any:
        return 0

    def compose(self, *arrows: Any) -> Any:
        return sum(arrows)

    def terminal(self, a: Any) -> Any:
        return 0

    def prod(self, *arrows: Any) -> Any:
        return sum(arrows)

    def proj(self, a: Any, index: int) -> Any:
        return 0

    def const(self, term: Any) -> Any:
        return 0

    def primitive(self, term: Any) -> Any:
        return 1


def test_arrows_that_cannot_be_called_are_compared_themselves() -> None:
    report = laws.check(Counts(), examples=30)
    failed = {verdict.check for verdict in report.unexpected}
    assert {"prod-left", "terminal-natural"} <= failed
    assert not failed & {"id-left", "id-right", "associativity", "prod-swap", "prod-associative", "cross-compose"}


def test_an_error_that_a_category_raises_is_a_failure() -> None:
    class Raising(Products):
        def proj(self, a: Any, index: int) -> Any:
            def raising(x: Any) -> Any:
                raise ValueError("nothing there")

            return raising

    (verdict,) = laws.check(Raising(), examples=5, only=["prod-left"]).verdicts
    assert verdict.outcome == "fails"
    assert "ValueError is raised: nothing there" in str(verdict.counterexample)


class Deduplicating(FormalSum):
    """A formal sum that forgets that a pair came twice."""

    def __add__(self, other: Any) -> Any:
        if other is ZERO:
            return self
        known = list(self.terms())
        result: Any = FormalSum(known[0]) if known else FormalSum()
        kept = known[:1]
        for term in [*known[1:], *other.terms()]:
            if term not in kept:
                kept.append(term)
                result = FormalSum(result, FormalSum(term))
        return Deduplicating(result, FormalSum())

    __radd__ = __add__


class Forgetful(AdditiveMap):
    name = "Forgetful"

    def eval(self) -> Any:
        applied = super().eval()

        def forgetting(x: Any) -> Any:
            r, pb = applied(x)

            def pullback(gr: Any) -> Any:
                calls, ct = parts(pb(gr), 2)
                return (Deduplicating(calls, FormalSum()) if isinstance(calls, FormalSum) else calls), ct

            return r, pullback

        return forgetting


def test_an_exponential_that_deduplicates_calls_is_caught() -> None:
    report = laws.check(Reverse, exponential=Forgetful(), examples=60, only=["functions", "pullbacks"])
    assert not report.ok


class Dropping(Delta):
    """Delta that forgets what a call contributes to the environment."""

    name = "Dropping"

    def eval(self) -> Any:
        def applied(x: Any) -> Any:
            function, s = x
            r, pb = function.apply(s)
            return r, lambda gr: (ZERO, parts(pb(gr), 2)[1])

        return applied


def test_an_exponential_that_drops_the_environment_is_caught_by_beta_and_not_by_eta() -> None:
    report = laws.check(Reverse, exponential=Dropping(), examples=40, only=["curry-beta", "curry-eta"])
    assert {verdict.check for verdict in report.unexpected} == {"curry-beta"}


def test_a_closure_of_ones_own_needs_no_pack() -> None:
    """An exponential whose cotangents are only ever those of calls."""

    class Plain(AdditiveMap):
        name = "Plain"

    assert laws.check(Reverse, exponential=Plain(), examples=15, only=["functions", "cotangents"]).ok
    assert Closure(1, lambda s: (s, lambda ct: ct))(2) == 2


# -- rules and passes ----------------------------------------------------------------------------------------------


def test_a_rule_with_a_wrong_slope_is_caught_by_differences() -> None:
    wrong = operation("wrong", lambda x: x * x, "{0} * {0}", lambda d, y, x: d * x)
    report = laws.check_rule(wrong, examples=20)
    assert {verdict.check for verdict in report.unexpected} == {"rule-slope"}


def test_a_rule_whose_modes_disagree_is_caught() -> None:
    wrong = replace(div, differential=mul.differential)
    report = laws.check_rule(wrong, REAL, REAL, examples=20)
    assert "rule-transpose" in {verdict.check for verdict in report.unexpected}


def test_a_rule_that_is_not_additive_is_caught() -> None:
    wrong = replace(mul, pullback=lambda ct, y, a, b: (ct * b + 1.0, ct * a))
    found = {verdict.check for verdict in laws.check_rule(wrong, examples=20).unexpected}
    assert {"rule-linear", "rule-zero"} <= found


def test_rules_of_arrays_and_of_many_arguments() -> None:
    assert laws.check_rule(mul, array("float64", ("n",)), array("float64", ("n",)), examples=20).ok
    assert laws.check_rule(largest, REAL, REAL, REAL, examples=20).ok
    with pytest.raises(TypeError, match="`max` takes any number of arguments"):
        laws.check_rule(largest)


def branches_swapped(f: Arrow) -> Arrow:
    """A wrong pass: the first branch found is turned round."""
    if isinstance(f, Cond):
        return Cond(f.test, f.orelse, f.then)
    if isinstance(f, Chain):
        return Chain(tuple([branches_swapped(step) for step in f.steps]))
    return f


def test_a_wrong_pass_is_caught() -> None:
    report = laws.check_pass(branches_swapped, examples=150)
    assert not report.ok
    found = report.unexpected[0].counterexample
    assert found is not None
    assert [part.name for part in found.parts][:2] == ["f", "pass f"]
    assert sum(1 for _ in postorder(branches_swapped(Chain((Cond(*_arms()), Cond(*_arms())))))) > 1


def _arms() -> tuple[Arrow, Arrow, Arrow]:
    g = Generator(Replayed([]))
    from ccc.objects import BOOL

    return g.arrow(BOOL, BOOL, 1), g.arrow(BOOL, BOOL, 0), g.arrow(BOOL, BOOL, 0)


# -- strategies ----------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None, derandomize=True)
@given(laws.arrows(PAIR, NUMBER), laws.points(PAIR))
def test_arrows_and_points_of_a_type(f: Arrow, x: Any) -> None:
    assert (f.dom, f.cod) == (PAIR, NUMBER)
    assert isinstance(functor(Functions(), f)(x), Fraction)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(laws.terms(), laws.points(NUMBER))
def test_terms_mean_what_python_says(term: Any, x: Any) -> None:
    context = (("x", NUMBER),)
    space: dict[str, Any] = {}
    exec(python_def(term, context), space)
    value = functor(Functions(), translated(term, context))(x)
    assert value == eval(python_lambda(term, context))(x) == space["f"](x)


def test_a_branch_that_gives_functions_is_written_as_one() -> None:
    x = Variable("x", NUMBER)
    term = Call(If(x, Operation("+", x, 1), Function("s", NUMBER, x), Function("s", NUMBER, Variable("s", NUMBER))), x)
    assert expression(term) == "((lambda s: x) if x < (x + 1) else (lambda s: s))(x)"


def test_hypothesis_shrinks_to_the_smallest_arrow() -> None:
    found = find(laws.arrows(NUMBER, NUMBER), lambda f: any(isinstance(node, Cond) for node in postorder(f)),
                 settings=settings(derandomize=True, max_examples=2000, database=None))
    assert sum(1 for _ in postorder(found)) <= 12


def test_types_are_known_to_hypothesis() -> None:
    register()
    assert isinstance(find(st.from_type(Arrow), lambda f: isinstance(f.cod, Exponential)), Arrow)


def test_arrows_as_python_compute_what_the_arrows_do() -> None:
    for n in range(150):
        g = Generator(Randomly("python", n), frozenset({"terminal", "prod", "proj", "curry", "eval", "const",
                                                        "primitive", "cond"}))
        f, x = g.arrow(PAIR, PAIR, 4), g.point(PAIR)
        text = python(f)
        if text.startswith("lambda"):
            assert eval(text, {"Fraction": Fraction})(*x) == functor(Functions(), f)(x)


# -- the machinery -------------------------------------------------------------------------------------------------


def test_shrinking_keeps_failing_and_ends() -> None:
    seen: list[list[int]] = []

    def fails(choices: list[int]) -> bool:
        seen.append(choices)
        return sum(choices) >= 20

    assert shrunk([9, 9, 9, 9], fails) == [2, 9, 9]
    assert len(seen) < 200


def test_replayed_choices_give_the_same_example() -> None:
    check = all_checks()["curry-natural"]
    source = Randomly("x", 3)
    first = check.draw(Generator(source), 1)
    assert check.draw(Generator(Replayed(source.taken)), 1) == first


def test_every_check_applies_somewhere_and_its_examples_are_judged() -> None:
    for check in all_checks().values():
        if check.section in ("compiler", "passes"):
            verdicts = [v for v in run(check, standard(), examples=120) if v.outcome != "not applicable"]
            assert verdicts, check.name
            assert all(v.examples >= 10 for v in verdicts), check.name
            assert all(verdicts), str([v for v in verdicts if not v])
        subjects = [*standard(), subject_of(ccc.Intervals()), subject_of(ccc.Provenance())]
        missing = [name for name, target in TARGETS.items() if target.missing() and name in check.name]
        assert missing or any(check.concerns(subject) for subject in subjects), check.name


def test_what_a_prover_proves_is_reported_unless_an_example_fails(monkeypatch: Any) -> None:
    by_inspection = Proof("strictly", "by inspection")
    monkeypatch.setattr(checking, "PROVERS", [lambda check, subject: by_inspection if "eta" in check.name else None])
    names = ["prod-eta", "curry-eta", "id-left"]
    found = {v.check: v for v in laws.check(Reverse, examples=20, only=names).verdicts}
    assert (found["prod-eta"].outcome, found["prod-eta"].proof) == ("proved", "by inspection")
    assert found["curry-eta"].outcome == "up to ≅"
    assert found["id-left"].outcome == "tested"
    (failed,) = laws.check(Counts(), examples=20, only=["prod-eta"]).verdicts
    assert failed.outcome == "fails"
    assert failed.proof == ""


def test_counterexamples_can_be_shown_as_they_were_found() -> None:
    check = all_checks()["prod-left"]
    subject = Subject(Counts(), "counts")
    (small,), (found,) = run(check, [subject], examples=20), run(check, [subject], examples=20, shrink=False)
    assert small.counterexample is not None
    assert found.counterexample is not None
    assert len(str(small.counterexample)) <= len(str(found.counterexample))


@pytest.mark.share(2)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_progress_is_shown_when_asked_for_and_not_otherwise(jobs: str) -> None:
    args = ("--only", "prod-left", "--examples", "8", "--jobs", jobs)
    done = command(*args, "--progress")
    assert " examples/s " in done.stderr
    assert " left " in done.stderr
    assert command(*args).stderr == ""


def test_names_of_sections_choose_their_checks() -> None:
    assert [check.section for check in chosen(["loops"])] == ["loops"] * len(chosen(["loops"]))
    with pytest.raises(KeyError):
        chosen(["nonsense"])


def test_a_difference_is_written_as_mathematics() -> None:
    found = Difference("values differ", (Fraction(1, 2), ZERO), None, FormalSum((Fraction(1), Fraction(2))), [ZERO])
    assert str(found) == "values differ at (1/2, 0): {1 ↦ 2} and [0]"


def test_a_subject_may_say_how_its_values_are_compared() -> None:
    subject = Subject(Products(), "rounded", same=lambda v, u: True)
    assert run(all_checks()["prod-left"], [subject], examples=5)[0]


@pytest.mark.nightly
def test_all_laws_in_ten_thousand_examples() -> None:
    report = judge([], examples=NIGHTLY, jobs=2)
    assert report.ok, str(report)


@pytest.mark.nightly
def test_all_laws_on_floats() -> None:
    report = judge([], examples=300, jobs=2, floats=True)
    assert all(verdict.holds for verdict in report.verdicts), str(report)


# -- the plugin ----------------------------------------------------------------------------------------------------

MARKED = '''
import pytest
from ccc.categories.functions import Functions
from broken_category import Swapped


@pytest.mark.laws(Functions(), only=["category"], examples=5)
def test_functions(verdict):
    assert verdict


@pytest.mark.laws(Swapped, only=["prod-left"], examples=30)
def test_swapped(verdict):
    assert not verdict.holds
'''


def in_folder(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    (folder / "broken_category.py").write_text(BROKEN)
    (folder / "test_marked.py").write_text(MARKED)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "ccc.laws.plugin", "-p", "no:cacheprovider", *args],
        cwd=folder, env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": ""}, capture_output=True, text=True, timeout=300,
        check=False,
    )


def test_the_marker_runs_a_test_with_each_verdict(tmp_path: Path) -> None:
    done = in_folder(tmp_path, "-vv", "--strict-markers")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_marked.py::test_functions[id-left] PASSED" in done.stdout
    assert "4 passed" in done.stdout


def test_the_option_adds_a_test_for_each_law(tmp_path: Path) -> None:
    done = in_folder(tmp_path, "--laws=broken_category:Swapped", "--laws-examples=6", "-k", "prod-left or id-left")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "prod-left fails in Swapped(Delta): prod(f, g) ; proj_left = f" in done.stdout
    assert "again: python3 -m laws broken_category:Swapped --only prod-left --seed 0 --example" in done.stdout


def test_the_option_refuses_what_is_no_category(tmp_path: Path) -> None:
    done = in_folder(tmp_path, "--laws", "broken_category:Nothing")
    assert done.returncode == 4
    assert "`broken_category` has no `Nothing`" in done.stderr + done.stdout


def test_examples_that_say_nothing_are_counted_with_the_reason():
    def sometimes(f):
        if "mult" in str(f):
            raise CannotStage("no products today")
        return f

    (check,) = [of_pass(sometimes, "sometimes", refuses=(CannotStage,))]
    report = judged(standard()[:1], [check], examples=30)
    (verdict,) = report.verdicts
    assert verdict.examples + sum(verdict.dropped.values()) == 30
    assert set(verdict.dropped) == {"no products today"}
    assert f"sometimes in Functions: {30 - verdict.examples} of 30; " in str(report)
    assert report.data()["verdicts"][0]["dropped"] == verdict.dropped


def test_the_rules_of_elementwise_primitives_are_proved_in_the_table():
    verdicts = judge([], only=["primitives"], examples=20).verdicts
    assert [v.outcome for v in verdicts] == ["not applicable", *["proved"] * 6]
    assert verdicts[1].proof.startswith("by sympy: ")


@pytest.mark.parametrize("name", ["math.log10", "np.arctanh", "math.hypot", "np.where"])
def test_a_rule_off_by_a_sign_is_not_proved(name):
    p = next(p for p in primitives() if p.name == name)
    assert rule_proof(p) is not None
    rule: Any = p.pullback
    wrong = replace(p, pullback=lambda ct, y, *xs: tuple([None if c is None else -c for c in rule(ct, y, *xs)]))
    assert rule_proof(wrong) is None
