"""Random programs whose dataclasses are classes that a user writes by hand."""

from __future__ import annotations

import re
from dataclasses import replace

from random_programs import Program

DATACLASS = re.compile(r"@dataclass(?:\(frozen=True\))?\nclass (\w+):\n((?:    \w+: [^\n]+\n)+)")


def without_dataclasses(made: Program) -> Program:
    """The program with an `__init__` in place of each dataclass that no argument is of."""

    def by_hand(found: re.Match[str]) -> str:
        name, fields = found.groups()
        if f"replace({name.lower()}" in made.source or any(f"{name}(" in call for call in made.calls):
            return found[0]
        names = [line.split(":")[0].strip() for line in fields.splitlines()]
        body = "".join(f"        self.{n} = {n}\n" for n in names)
        return f"class {name}:\n    def __init__(self, {', '.join(names)}):\n{body}"

    return replace(made, source=DATACLASS.sub(by_hand, made.source))
