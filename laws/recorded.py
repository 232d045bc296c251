"""The table on record: for each law and category of the project the kind of cell that a run has to find again.

A law that was proved once and is only tested now is a failure: a mistake too rare for its examples shows there. The
record is written by `python3 -m laws --record`.

>>> from ccc.laws.subjects import standard
>>> [recorded_cell("curry-eta", subject) for subject in standard()]
['proved', 'proved', '≅ proved', '≅ proved', '≅ proved', 'proved', 'proved']
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Verdict

FILE = Path(__file__).with_name("recorded.json")


@cache
def recorded() -> dict[str, dict[str, str]]:
    """The kinds of cells by law and category."""
    return json.loads(FILE.read_text("utf-8"))


def recorded_cell(check: str, subject: Subject) -> str:
    """The kind of a cell on record; empty for categories that are not the project's, and on other numbers."""
    if not subject.known or subject.numbers is not RATIONALS:
        return ""
    return recorded().get(check, {}).get(subject.name, "")


def record(verdicts: Iterable[Verdict]) -> None:
    """Write the record anew where these verdicts are."""
    found = dict(recorded())
    for verdict in verdicts:
        if verdict.outcome not in ("fails", "not applicable"):
            found[verdict.check] = {**found.get(verdict.check, {}), verdict.subject: verdict.kind}
    lines = [f"{json.dumps(check)}: {json.dumps(cells, ensure_ascii=False)}" for check, cells in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    recorded.cache_clear()
