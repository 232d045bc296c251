"""The table of laws × categories, as text and as data.

>>> from ccc.laws.verdicts import Verdict
>>> report = Report([Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 5)])
>>> print(report.table())
                  Functions
category
  id-left         ✓ 5          id ; f = f
>>> report.ok, report.data()["verdicts"][0]["outcome"]
(True, 'tested')
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ccc.laws.observation import Observation
from ccc.laws.verdicts import Verdict

LEGEND = "proved: for all arrows   ✓ n: holds in n examples   ≅: holds up to ≅ only   ·: does not apply"
NARROW = 16
REVERSE = re.compile(r"^Reverse\((.*)\)")


@dataclass(frozen=True, slots=True)
class Report:
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

    def _repr_html_(self) -> str:
        from ccc.laws.page import body  # it stands on this module

        return body(self)

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

    def table(self) -> str:
        """One line a law, one column a category."""
        heads = [REVERSE.sub(r"\1", name) if len(self.subjects) > 1 else name for name in self.subjects]
        width = max([NARROW, *[len(row[0].check) + 2 for row in self.rows()]])
        columns = [max(len(head), 8) + 2 for head in heads]
        lines = [" " * (width + 2) + "".join(h.ljust(w) for h, w in zip(heads, columns, strict=True)).rstrip()]
        for section, rows in groupby(self.rows(), lambda row: row[0].section):
            lines.append(section)
            for row in rows:
                by_subject = {verdict.subject: verdict.cell for verdict in row}
                cells = [by_subject.get(name, "").ljust(w) for name, w in zip(self.subjects, columns, strict=True)]
                lines.append(f"  {row[0].check.ljust(width)}{''.join(cells)}  {row[0].statement}")
        return "\n".join(lines)

    def __str__(self) -> str:
        found = [self.table(), "", LEGEND]
        for title, verdicts in (("What the theory does not allow:", self.unexpected),
                                ("Where a law holds up to ≅ only, and what differs strictly:", self.weak)):
            if verdicts:
                found += ["", title, ""]
                found += [f"{verdict}" if not verdict.holds else f"{verdict}\n{verdict.counterexample}"
                          for verdict in verdicts]
        if self.dropped:
            found += ["", "Examples that were drawn and say nothing:", "", *self.dropped]
        if self.observation is not None:
            found += ["", str(self.observation)]
        return "\n".join([*found, "", self.summary()])

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

    def json(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data(), ensure_ascii=False, indent=1)


def counted(n: int, one: str, more: str = "") -> str:
    """A number of things.

    >>> counted(1, "law"), counted(2, "category", "categories")
    ('1 law', '2 categories')
    """
    return f"{n} {one if n == 1 else more or f'{one}s'}"
