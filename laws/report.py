"""The table of laws × categories, as text, as a page of a notebook and as JSON.

>>> from ccc.laws.verdicts import Verdict
>>> report = Report([Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 5)])
>>> print(report.table())
                  Functions
category
  id-left         ✓ 5          id ; f = f
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import groupby

from ccc.laws.findings import LEGEND, Findings
from ccc.laws.page import body

NARROW = 16
REVERSE = re.compile(r"^Reverse\((.*)\)")


@dataclass(frozen=True, slots=True, repr=False)
class Report(Findings):
    """Findings that show themselves; `ok` where all is as the theory says."""

    def __repr__(self) -> str:
        return f"<{self.summary()}{''.join([f', {verdict.check}' for verdict in self.unexpected])}>"

    def _repr_html_(self) -> str:
        return body(self)

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
                                ("Where a law holds up to ≅ only, and what differs strictly:", self.weak),
                                ("What the category does not have, as it is on record:", self.missing)):
            if verdicts:
                found += ["", title, ""]
                found += [f"{verdict}" if not verdict.holds else f"{verdict}\n{verdict.counterexample}"
                          for verdict in verdicts]
        if self.dropped:
            found += ["", "Examples that were drawn and say nothing:", "", *self.dropped]
        if self.warned:
            found += ["", "Warnings that were given on the way:", "", *self.warned]
        if self.observation is not None:
            found += ["", str(self.observation)]
        return "\n".join([*found, "", self.summary()])

    def json(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data(), ensure_ascii=False, indent=1)
