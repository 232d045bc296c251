"""The tables of a run of mutants: what became of each, which laws kill what, and which laws are implied by others.

    needed     some mutant of the run dies by this law alone
    implied    every mutant that it kills is killed by that law too, which kills more

Both are statements about these mutants and these many examples, not about the theory.

>>> from ccc.laws.mutants import Tried
>>> from ccc.laws.mutation import Mutant
>>> one, two = [Mutant("ccc.additive", "add", "dropped summand", "a + b", x, 1, 0, 5) for x in "ab"]
>>> report = MutantReport([
...     Tried(one, "killed", {"sum-unit": (0, "Forward", "differs", ""), "sharing": (2, "Forward", "differs", "")}),
...     Tried(two, "killed", {"sharing": (1, "Forward", "differs", "")}),
... ], laws=3)
>>> report.needed, report.implied, report.covering
({'sharing': 1}, {'sum-unit': 'sharing'}, ['sharing'])
>>> report.summary()
'2 mutants of 1 area: 2 killed, 0 equivalent, 0 survived; in 1.5 examples of each law on average; 0 by errors alone'
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ccc.laws.mutants import ALL_AREAS, Tried, points


@dataclass(frozen=True, slots=True)
class MutantReport:
    """What became of some mutants; `failing` are laws that fail without any, `laws` how many there are."""

    tried: Sequence[Tried]
    failing: Sequence[str] = ()
    laws: int = 0
    seed: int = 0
    seconds: float = 0.0
    _area_of: dict[str, str] = field(default_factory=dict[str, str], compare=False)

    @property
    def ok(self) -> bool:
        """True where every mutant is killed or equivalent, and no law fails without one."""
        return not self.failing and all(tried.ok for tried in self.tried)

    @property
    def counted(self) -> list[Tried]:
        """Those that are programs at all."""
        return [tried for tried in self.tried if tried.outcome != "stillborn"]

    @property
    def killed(self) -> list[Tried]:
        return [tried for tried in self.tried if tried.outcome == "killed"]

    @property
    def left(self) -> list[Tried]:
        """Those that call for a stronger law, or for a look."""
        return [tried for tried in self.tried if not tried.ok]

    @property
    def kills(self) -> dict[str, set[str]]:
        """The mutants that each law kills, by their identities."""
        found: dict[str, set[str]] = {}
        for tried in self.killed:
            for law in tried.killers:
                found.setdefault(law, set()).add(tried.mutant.identity)
        return found

    @property
    def needed(self) -> dict[str, int]:
        """The laws that some mutant dies by alone, and how many do."""
        alone = Counter(next(iter(tried.killers)) for tried in self.killed if len(tried.killers) == 1)
        return dict(alone.most_common())

    @property
    def implied(self) -> dict[str, str]:
        """The laws that kill nothing that another one does not kill: that law, the strongest; of two that kill the same
        the first stands for both."""
        kills = self.kills
        order = sorted(kills, key=lambda law: (-len(kills[law]), law))
        found: dict[str, str] = {}
        for i, law in enumerate(order):
            stronger = next((other for other in order[:i] if kills[law] <= kills[other]), None)
            if stronger is not None:
                found[law] = stronger
        return found

    @property
    def covering(self) -> list[str]:
        """Few laws that kill all that is killed, the strongest first (chosen greedily)."""
        kills = self.kills
        left = set[str]().union(*kills.values()) if kills else set[str]()
        found: list[str] = []
        while left:
            best = min(kills, key=lambda law: (-len(kills[law] & left), law))
            found.append(best)
            left -= kills[best]
        return found

    def area(self, tried: Tried) -> str:
        """The area that a mutant belongs to."""
        if not self._area_of:
            self._area_of.update({mutant.identity: name for name in ALL_AREAS for mutant in points(name)})
        return self._area_of.get(tried.mutant.identity, tried.mutant.module)

    # -- as text -----------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """How many mutants there were and what became of them."""
        count = Counter(tried.outcome for tried in self.counted)
        areas = len({self.area(tried) for tried in self.counted})
        mean = sum(tried.first[1] for tried in self.killed) / max(len(self.killed), 1)
        errors = sum(all(how == "raises" for _, _, how, _ in tried.killers.values()) for tried in self.killed)
        other = "".join([f", {count[name]} {name}" for name in ("undecided", "not equivalent") if count[name]])
        unborn = len(self.tried) - len(self.counted)
        stillborn = f"; {unborn} did not import and are not counted" if unborn else ""
        return (
            f"{len(self.counted)} mutants of {areas} area{'s' * (areas != 1)}: {count['killed']} killed, "
            f"{count['equivalent']} equivalent, {count['survived']} survived{other}; in {mean:.1f} examples of each "
            f"law on average; {errors} by errors alone{stillborn}"
        )

    def areas(self) -> str:
        """One line an area."""
        lines = [f"{'':16}{'points':>8}{'mutants':>9}{'killed':>8}{'equivalent':>12}{'survived':>10}"]
        by_area: dict[str, list[Tried]] = {}
        for tried in self.counted:
            by_area.setdefault(self.area(tried), []).append(tried)
        for name, some in by_area.items():
            count = Counter(tried.outcome for tried in some)
            whole = len(points(name)) if name in ALL_AREAS else 0
            alive = len(some) - count["killed"] - count["equivalent"]
            lines.append(f"{name:16}{whole:8}{len(some):9}{count['killed']:8}{count['equivalent']:12}{alive:10}")
        return "\n".join(lines)

    def mutants(self) -> str:
        """Every mutant, with what kills it."""
        lines: list[str] = []
        for tried in self.counted:
            lines += [f"{shortened(tried.mutant.identity)}", f"    {tried}"]
        return "\n".join(lines)

    def laws_table(self) -> str:
        """Every law that kills, the strongest first."""
        kills, needed, implied = self.kills, self.needed, self.implied
        lines = [f"{'law':26}{'kills':>6}{'alone':>7}  implied by"]
        for law in sorted(kills, key=lambda law: (-len(kills[law]), law)):
            alone = str(needed[law]) if law in needed else ""
            lines.append(f"{law:26}{len(kills[law]):6}{alone:>7}  {implied.get(law, '')}".rstrip())
        return "\n".join(lines)

    def needed_for(self) -> str:
        """The laws that some mutant dies by alone, with those mutants."""
        lines: list[str] = []
        for law in self.needed:
            alone = [tried for tried in self.killed if list(tried.killers) == [law]]
            lines += [f"  {law}", *[f"    {shortened(tried.mutant.identity)}" for tried in alone]]
        return "\n".join(lines)

    def __str__(self) -> str:
        found = [self.areas(), "", f"{self.summary()} (seed {self.seed}, {self.seconds:.0f} s)", ""]
        if self.left:
            found += ["To look at:", "", *[f"  {tried.mutant.identity}\n    {tried}" for tried in self.left], ""]
        if self.failing:
            found += [f"These laws fail without a mutation and kill nothing: {', '.join(self.failing)}.", ""]
        found += [self.laws_table(), ""]
        if self.covering:
            few = f"{len(self.covering)} law{'s' * (len(self.covering) > 1)}: {', '.join(self.covering)}"
            found += [f"To kill all that is killed takes {few}.", ""]
        idle = self.laws - len(self.kills)
        if self.laws and idle > 0:
            found += [f"{idle} of {self.laws} laws kill none of these mutants.", ""]
        if self.needed:
            found += ["Laws that are needed, for the mutants that no other law kills:", "", self.needed_for(), ""]
        return "\n".join([*found, "Every mutant:", "", self.mutants()])

    # -- as data -----------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """The report as lists, dicts, strings and numbers."""
        return {
            "ok": self.ok, "seed": self.seed, "seconds": round(self.seconds, 1), "summary": self.summary(),
            "mutants": [{"area": self.area(tried), **tried.data()} for tried in self.tried],
            "laws": {law: len(some) for law, some in self.kills.items()}, "needed": self.needed,
            "implied": self.implied, "covering": self.covering, "failing": list(self.failing),
        }

    def json(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data(), ensure_ascii=False, indent=1)


def shortened(text: str, width: int = 160) -> str:
    """A text with its middle left out where it is long.

    >>> shortened("a" * 10 + "b" * 10, 9)
    'aaaa…bbbb'
    """
    half = (width - 1) // 2
    return text if len(text) <= width else f"{text[:half]}…{text[-half:]}"
