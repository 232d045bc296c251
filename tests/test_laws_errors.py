"""Wrong questions to the laws are answered with a code, a place and a mend."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ccc
from ccc import laws
from ccc.categories.exponentials import Delta
from ccc.categories.reverse import Reverse
from ccc.laws.__main__ import main
from ccc.primitives.arithmetic import largest

ROOT = Path(__file__).resolve().parents[1]


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "laws", *args], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("ask", "code", "cause", "mend"),
    [
        (lambda: laws.check(3.0), "CC052", "float is no category", "docs/your_own_category.md"),
        (lambda: laws.check(Reverse(), exponential=Delta()), "CC052", "Reverse(Delta) is an instance", "`Reverse`"),
        (lambda: laws.check(Reverse, only=["curry-bata"]), "CC052", "no law or section", "`curry-beta`"),
        (lambda: laws.check(ccc.Chance), "CC052", "without arguments: missing", "K = Chance(...)"),
        (lambda: laws.check_rule(largest), "CC052", "`max` takes any number of arguments", "(rule, REAL"),
        (lambda: laws.check_rule(abs), "CC052", "`abs` is no primitive", "check_derivative"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_wrong_questions_are_answered_at_the_place_where_they_are_asked(ask: Any, code: str, cause: str, mend: str):
    with pytest.raises(ccc.CCCError) as raised:
        ask()
    (found,) = raised.value.diagnostics
    assert (found.code, cause in found.message, mend in found.help) == (code, True, True)
    assert found.span is not None and found.span.file == __file__
    assert found.span.lines[found.span.line - 1][found.span.column :].startswith("laws.check")


def test_a_notebook_shows_a_report_as_a_table() -> None:
    shown = laws.check(Reverse, examples=3, only=["id-left"])._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<td class='proved'>proved</td>" in shown and "<html" not in shown


def test_the_command_says_what_it_does_not_know() -> None:
    for args, mend in ((("--only", "curry-bata"), "write `curry-beta`"), (("nowhere:K",), "write its dotted name"),
                       (("ccc.categories.reverse:Revers",), "write `Reverse`")):  # fmt: skip
        done = command(*args, "--json")
        found = json.loads(done.stdout)["diagnostics"]
        assert done.returncode == 2 and mend in str(found)
        assert [d["code"] for d in found] == ["CC052"] and found[0]["place"] is None
    assert command("--only", "curry-bata").stderr.startswith("error[CC052]: ")


ELSEWHERE = """
from dataclasses import dataclass
from fractions import Fraction

from ccc import laws
from ccc.objects import Product


@dataclass(frozen=True)
class Box:
    held: Fraction

    def __add__(self, other):
        return Box(self.held + other.held)

    def __sub__(self, other):
        return Box(self.held - other.held)

    def __mul__(self, other):
        return Box(self.held * other.held)

    def __neg__(self):
        return Box(-self.held)


class Boxes:
    def identity(self, a): return lambda x: x
    def terminal(self, a): return lambda x: ()
    def prod(self, *arrows): return lambda x: tuple([f(x) for f in arrows])
    def proj(self, a, index): return lambda x: x[index]
    def const(self, term): return lambda x: Box(term.value) if isinstance(term.value, Fraction) else term.value

    def primitive(self, term):
        return lambda x: term.primitive.value(*(x if isinstance(term.dom, Product) else (x,)))

    def compose(self, *arrows):
        def composite(x):
            for f in arrows:
                x = f(x)
            return x

        return composite


def box_at(a, draw):
    return tuple(box_at(part, draw) for part in a.parts) if isinstance(a, Product) else Box(draw.number())


Alone = laws.Subject(Boxes())
Drawn = laws.Subject(Boxes(), point=box_at)
"""


def test_a_category_whose_elements_are_no_numbers_is_asked_how_they_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("Boxes", "Alone"):
        assert main([f"elsewhere:{name}", "--jobs", "1", "--examples", "3"]) == 2
        told = capsys.readouterr()
        assert told.out == "" and told.err.count("error[CC052]") == 1
        assert "'Fraction' object has no attribute 'held'" in told.err
        for part in ("of type `Box`", "laws.Subject(Boxes(), point=...)", "docs/your_own_category.md"):
            assert part in told.err
    assert main(["elsewhere:Drawn", "--jobs", "1", "--examples", "3", "--only", "const-natural"]) == 0
    assert "const-natural" in capsys.readouterr().out
