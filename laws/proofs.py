"""A page of proofs: of each law that is proved, in each category, the normal form that both of its sides have.

A proof by normal forms (`ccc.laws.proving`) compares both sides in every case and at every kind of object. The page
shows one case, that of opaque objects in which least vanishes, and says how many there were. No proof assistant has
checked them: what is trusted is the theorem that stands there, and the code that computes the forms. What holds in
every cartesian closed category is shown step by step, by the equations of `ccc.laws.lean`.

>>> from ccc.laws.subjects import standard
>>> from ccc.theory.products import PROD_LEFT
>>> for what, form in forms(PROD_LEFT, standard()[2]):
...     print(f"{what}: {form}")
values: f(x)
pullbacks: ∂f(x)[γ]
pullbacks of 0: 0
pullbacks called again: ∂f(x)[γ]
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from ccc.laws import lean
from ccc.laws.free import Cases, every_case, prepared, written_term
from ccc.laws.page import STYLE
from ccc.laws.proving import sides_in
from ccc.laws.subjects import Subject, standard
from ccc.laws.verdicts import Verdict
from ccc.theory import LAWS
from ccc.theory.law import Law

Forms = list[tuple[str, str]]


def forms(law: Law, subject: Subject, observed: bool = False) -> Forms:
    """What both sides of a law are at opaque arrows, part by part, in the case in which least vanishes; what is
    observed of functions where they are applied, with `observed`.

    Raises `ValueError` where the sides differ.
    """
    found: list[Forms] = []
    ready = prepared(lambda cases: sides_in(law, subject, {}, cases, False, observed))

    def one(cases: Cases) -> tuple[None, None]:
        symbols, pairs, _ = ready(cases)
        found.append([])
        for pair in pairs:
            left, right = [symbols.images(f, pair.dom, pair.cod) for f in (pair.left, pair.right)]
            if left != right:
                raise ValueError(f"{law.name} has two normal forms in {subject.name}")
            found[-1] += [(what, written_term(term)) for what, term in left]
        return None, None

    for _ in every_case(one):
        pass
    return max(found, key=lambda shown: sum(len(form) for _, form in shown))


def page(verdicts: Sequence[Verdict]) -> str:
    """The proofs among verdicts as a page of HTML, and by name what is tested only."""
    head = f"<meta charset='utf-8'><title>Proofs of laws</title><style>{STYLE}</style>"
    proved = [verdict for verdict in verdicts if verdict.proof]
    tested = dict.fromkeys([verdict.check for verdict in verdicts if verdict.outcome == "tested"])
    lines = [
        "<h1>Proofs of laws</h1>",
        "<p>Proved is that both sides have one normal form, in every case and at every kind of object: that is "
        "equality for all arrows with additive pullbacks, by the theorem of <code>ccc.laws.proving</code>. Shown is "
        "one case, in which least vanishes. No proof assistant has checked it.</p>",
        f"<p>Tested on examples only, in some category: {escape(', '.join(tested)) or 'none'}.</p>",
    ]
    for name, found in groupby(proved, lambda verdict: verdict.check):
        some = list(found)
        lines.append(f"<h2 id='{escape(name)}'>{escape(name)}</h2><pre>{escape(some[0].statement)}</pre>")
        lines += [one(verdict) for verdict in some]
        law = LAWS.get(name)
        if law is not None and lean.sides(law) is not None:
            lines.append(f"<h3>In every cartesian closed category</h3><pre>{escape(lean.shown_steps(law))}</pre>")
    return f"<!doctype html>\n<html lang='en'><head>{head}</head><body>\n{chr(10).join(lines)}\n</body></html>\n"


def one(verdict: Verdict) -> str:
    """The proof of a law in one category."""
    law, subjects = LAWS.get(verdict.check), {subject.name: subject for subject in standard()}
    text = f"<h3>{escape(verdict.subject)}</h3><p>{escape(verdict.proof)}</p>"
    if law is None or verdict.subject not in subjects or "normal form" not in verdict.proof:
        return text
    weak = verdict.outcome == "up to ≅"
    shown = "\n".join([f"{what}: {form}" for what, form in forms(law, subjects[verdict.subject], weak)])
    return f"{text}<pre>{escape(shown)}</pre>"
