"""How far a law holds in a category: proved, tested, up to ≅ only, or failed with the smallest counterexample.

>>> verdict = Verdict("curry-eta", "curry(cross(h, id) ; eval) = h", "functions", "Reverse(Delta)", "up to ≅", 200)
>>> print(verdict)
curry-eta holds up to ≅ only in Reverse(Delta) (200 examples)
>>> bool(verdict), verdict.cell
(True, '≅ 200')
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

MANY = 20
"""So many examples that are all dropped are no accident."""
ENOUGH = 100
"""So many examples show that a law does not fail which is on record as one that does."""
Outcome = Literal["proved", "tested", "up to ≅", "fails", "not applicable"]


@dataclass(frozen=True, slots=True)
class Part:
    """One arrow of a counterexample: its name in the law, as Python, and as a term of the board."""

    name: str
    python: str
    diagram: str


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Where a law does not hold: its arrows, what differs there, and how to see it again."""

    parts: tuple[Part, ...]
    difference: str
    reproduce: str

    def __str__(self) -> str:
        lines: list[str] = []
        for part in self.parts:
            lines.append(f"  {part.name} = {part.python}")
            if part.diagram and part.diagram != part.python:
                lines += [f"      {line}" for line in part.diagram.splitlines()]
        return "\n".join([*lines, f"  {self.difference}", f"  again: {self.reproduce}"])


@dataclass(frozen=True, slots=True)
class Proof:
    """How far a law is proved, by which argument; where up to ≅ only, the counterexample is one to its strict form.

    >>> Proof("strictly", "by inspection").counterexample is None
    True
    """

    extent: Literal["strictly", "up to ≅"]
    argument: str
    counterexample: Counterexample | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one law in one category, in how many examples.

    `counterexample` is one to the law where it fails, and one to its strict form where it holds up to ≅ only. `proof`
    names the argument where it is proved, strictly or, where it holds up to ≅ only, so. `dropped` counts the examples
    drawn besides that say nothing, by the reason, `warned` the warnings that were given on the way. It is true where
    the theory is borne out; `expected` is what the theory says, `recorded` the kind of cell that is on record.
    """

    check: str
    statement: str
    section: str
    subject: str
    outcome: Outcome
    examples: int
    counterexample: Counterexample | None = None
    expected: Literal["strictly", "up to ≅", ""] = ""
    proof: str = ""
    dropped: dict[str, int] = field(default_factory=dict[str, int])
    warned: dict[str, int] = field(default_factory=dict[str, int])
    recorded: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def holds(self) -> bool:
        """True unless it fails."""
        return self.outcome != "fails"

    def __bool__(self) -> bool:
        if self.recorded == "fails":
            return not self.lost
        return self.holds and not self.lost and not (self.expected == "strictly" and self.outcome == "up to ≅")

    @property
    def kind(self) -> str:
        """The verdict without numbers, as it is recorded.

        >>> Verdict("id-left", "id ; f = f", "category", "Functions", "up to ≅", 5, proof="by hand").kind
        '≅ proved'
        """
        return "≅ proved" if self.outcome == "up to ≅" and self.proof else self.outcome

    @property
    def lost(self) -> str:
        """What is on record and was not found again.

        >>> Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 187, recorded="proved").lost
        'a proof'
        >>> Verdict("prod-left", "prod(f, g) ; proj_left = f", "products", "Cost", "tested", 187, recorded="fails").lost
        'that it fails'
        """
        if not self.recorded or not self.holds:
            return ""
        if self.recorded == "fails":
            return "that it fails" if self.examples >= ENOUGH or sum(self.dropped.values()) >= MANY else ""
        if self.outcome == "not applicable":
            return "that it applies" if sum(self.dropped.values()) >= MANY else ""
        if "proved" in self.recorded and not self.proof:
            return "a proof"
        return "equality" if self.outcome == "up to ≅" and "≅" not in self.recorded else ""

    @property
    def cell(self) -> str:
        """The verdict in a cell of the table."""
        return f"{self.short} LOST" if self.lost else self.short

    @property
    def short(self) -> str:
        """The verdict in a word."""
        match self.outcome:
            case "proved":
                return "proved"
            case "tested":
                return f"✓ {self.examples}"
            case "up to ≅":
                return "≅ proved" if self.proof else f"≅ {self.examples}"
            case "fails":
                return "fails" if self else "FAILS"
            case _:
                return "·"

    def __str__(self) -> str:
        return f"{self.said}\n  lost: {self.lost}; on record is `{self.recorded}`" if self.lost else self.said

    @property
    def said(self) -> str:
        """The verdict in a sentence."""
        where = f"in {self.subject}"
        match self.outcome:
            case "proved":
                return f"{self.check} is proved {where} ({self.proof})"
            case "tested":
                return f"{self.check} holds {where} ({self.examples} examples)"
            case "up to ≅":
                found = f"proved: {self.proof}" if self.proof else f"{self.examples} examples"
                return f"{self.check} holds up to ≅ only {where} ({found})"
            case "fails":
                return f"{self.check} fails {where}: {self.statement}\n{self.counterexample}"
            case _:
                return f"{self.check} does not apply {where}"

    def data(self) -> dict[str, Any]:
        """The verdict as numbers, strings, lists and dicts.

        >>> Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 5).data()["outcome"]
        'tested'
        """
        return {**asdict(self), "as expected": bool(self)}
