"""The table on record: for each law and category of the project the kind of cell that a run has to find again.

A law that was proved once and is only tested now is a failure: a mistake too rare for its examples shows there. A
category that is of this project and not in the table of every run may be on record with laws that fail in it, as `Cost`
is: one that holds there suddenly is a failure too. The record is written by `python3 -m laws --record`, and by
`python3 -m laws ccc:Cost --record`.

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
from ccc.laws.subjects import Subject, standard
from ccc.laws.verdicts import Verdict

FILE = Path(__file__).with_name("recorded.json")


@cache
def recorded() -> dict[str, dict[str, str]]:
    """The kinds of cells by law and category."""
    return json.loads(FILE.read_text("utf-8"))


def recorded_cell(check: str, subject: Subject) -> str:
    """The kind of a cell on record; empty for categories that are not the project's, and on other numbers.

    >>> from ccc.categories.cost import Cost
    >>> recorded_cell("prod-left", Subject(Cost())), recorded_cell("prod-swap", Subject(Cost()))
    ('fails', 'tested')
    """
    ours = subject.known or type(subject.category).__module__.startswith("ccc.categories.")
    if not ours or subject.numbers is not RATIONALS or subject.point is not None or subject.same is not None:
        return ""
    return recorded().get(check, {}).get(subject.name, "")


def record(verdicts: Iterable[Verdict]) -> None:
    """Write the record anew where these verdicts are; in the categories of every run no law may fail."""
    found, strict = dict(recorded()), {subject.name for subject in standard()}
    for verdict in verdicts:
        if verdict.outcome != "not applicable" and (verdict.holds or verdict.subject not in strict):
            found[verdict.check] = {**found.get(verdict.check, {}), verdict.subject: verdict.kind}
    lines = [f"{json.dumps(check)}: {json.dumps(cells, ensure_ascii=False)}" for check, cells in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    recorded.cache_clear()
