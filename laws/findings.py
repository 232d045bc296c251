"""What a run found, as data: verdicts by check and category, and what of them is not as the theory says.

>>> from ccc.laws.verdicts import Verdict
>>> found = Findings([Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 5)])
>>> found.ok, found.data()["verdicts"][0]["outcome"], found.summary()
(True, 'tested', '1 law, 1 category, 5 examples, seed 0, 0 s: all as the theory says')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ccc.laws.observation import Observation
from ccc.laws.verdicts import Verdict

LEGEND = (
    "proved: for all arrows, products as wide as the law writes them   ✓ n: holds in n examples   "
    "≅: holds up to ≅ only   fails: as it is on record   ·: does not apply"
)


@dataclass(frozen=True, slots=True)
class Findings:
    """Verdicts, and what was observed besides; `ok` where all is as the theory says."""

    verdicts: Sequence[Verdict]
    observation: Observation | None = None
    seconds: float = 0.0
    seed: int = 0

    @property
    def ok(self) -> bool:
        """True where no law fails and none is weaker than the theory says."""
        return all(self.verdicts) and (self.observation is None or self.observation.as_expected)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def subjects(self) -> list[str]:
        """The names of the categories in the order of the columns."""
        return list(dict.fromkeys(verdict.subject for verdict in self.verdicts))

    def rows(self) -> list[list[Verdict]]:
        """The verdicts on one check after another."""
        return [list(group) for _, group in groupby(self.verdicts, lambda verdict: verdict.check)]

    @property
    def unexpected(self) -> list[Verdict]:
        """The verdicts that are not what the theory says."""
        return [verdict for verdict in self.verdicts if not verdict]

    @property
    def weak(self) -> list[Verdict]:
        """The laws that hold up to ≅ only, as the theory says."""
        return [verdict for verdict in self.verdicts if verdict and verdict.outcome == "up to ≅"]

    @property
    def missing(self) -> list[Verdict]:
        """The laws that the category does not have, as it is on record."""
        return [verdict for verdict in self.verdicts if verdict and verdict.outcome == "fails"]

    @property
    def dropped(self) -> list[str]:
        """How many examples of which checks say nothing, and why, categories in which it is the same together."""
        alike: dict[tuple[str, int, tuple[tuple[str, int], ...]], list[str]] = {}
        for v in self.verdicts:
            if v.dropped:
                reasons = tuple(sorted(v.dropped.items(), key=lambda found: -found[1]))
                alike.setdefault((v.check, v.examples, reasons), []).append(v.subject)
        return [
            f"{check} in {', '.join(subjects)}: {sum(n for _, n in reasons)} of "
            f"{examples + sum(n for _, n in reasons)}; {', '.join(f'{n}: {why}' for why, n in reasons)}"
            for (check, examples, reasons), subjects in alike.items()
        ]

    @property
    def warned(self) -> list[str]:
        """How often which warnings were given, over all checks."""
        found: Counter[str] = Counter()
        for verdict in self.verdicts:
            found.update(verdict.warned)
        return [f"{n} × {what}" for what, n in found.most_common()]

    def summary(self) -> str:
        """How many laws were checked in how many examples, and whether all is as the theory says."""
        examples = sum(verdict.examples for verdict in self.verdicts)
        laws = counted(sum(any(v.examples for v in row) for row in self.rows()), "law")
        categories = counted(len(self.subjects), "category", "categories")
        fit = "all as the theory says" if self.ok else f"{len(self.unexpected)} not as the theory says"
        dropped = sum(sum(verdict.dropped.values()) for verdict in self.verdicts)
        less = f", {dropped} dropped" if dropped else ""
        return f"{laws}, {categories}, {examples} examples{less}, seed {self.seed}, {self.seconds:.0f} s: {fit}"

    def data(self) -> dict[str, Any]:
        """The report as lists, dicts, strings and numbers."""
        return {
            "ok": self.ok, "seed": self.seed, "seconds": round(self.seconds, 3),
            "verdicts": [verdict.data() for verdict in self.verdicts],
            "observation": self.observation.data() if self.observation is not None else None,
        }


def counted(n: int, one: str, more: str = "") -> str:
    """A number of things.

    >>> counted(1, "law"), counted(2, "category", "categories")
    ('1 law', '2 categories')
    """
    return f"{n} {one if n == 1 else more or f'{one}s'}"
