"""Every check of this package by its name, in the order of the table.

>>> check = all_checks()["curry-beta"]
>>> check.section, check.statement
('functions', 'cross(curry f, id) ; eval = f')
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ccc.laws.axioms import AXIOMS
from ccc.laws.checkpoints import CHECKPOINTS
from ccc.laws.checks import Check
from ccc.laws.compiler_passes import PASSES
from ccc.laws.compiling import COMPILING
from ccc.laws.costs import COSTS
from ccc.laws.discrete import DISCRETE
from ccc.laws.economy import ECONOMY
from ccc.laws.equations import EQUATIONS
from ccc.laws.errors import no_law
from ccc.laws.folds import TERMS
from ccc.laws.formats import FORMATS
from ccc.laws.functionals import FUNCTIONALS
from ccc.laws.loops import LOOPS
from ccc.laws.machine_code import MACHINE_CODE
from ccc.laws.meanings import MEANINGS
from ccc.laws.memory import MEMORY
from ccc.laws.obligations import OBLIGATIONS
from ccc.laws.outcomes import OUTCOMES
from ccc.laws.places import PLACES
from ccc.laws.program_meanings import PROGRAM_MEANINGS
from ccc.laws.program_states import STATES
from ccc.laws.program_targets import TARGETED
from ccc.laws.program_whiles import PROGRAM_WHILES
from ccc.laws.programs import PROGRAMS
from ccc.laws.representations import REPRESENTATIONS
from ccc.laws.rewriting import REWRITING
from ccc.laws.ruled import RULED
from ccc.laws.rules import RULES
from ccc.laws.series import SERIES
from ccc.laws.slicing import SLICING
from ccc.laws.taylor import SECOND
from ccc.laws.walks import WALKS


@cache
def all_checks() -> dict[str, Check]:
    """The checks by name."""
    found = [
        *EQUATIONS, *OBLIGATIONS, *SLICING, *WALKS, *MEANINGS, *PROGRAM_MEANINGS, *PROGRAM_WHILES, *AXIOMS,
        *FUNCTIONALS, *REPRESENTATIONS, *COMPILING, *PASSES, *PROGRAMS, *STATES, *TARGETED, *MACHINE_CODE, *MEMORY,
        *OUTCOMES, *FORMATS, *CHECKPOINTS, *RULED, *PLACES, *SECOND, *DISCRETE, *COSTS, *ECONOMY, *REWRITING, *LOOPS,
        *TERMS, *RULES, *SERIES,
    ]
    names = [check.name for check in found]
    assert len(set(names)) == len(names), "two checks have one name"
    return {check.name: check for check in found}


def chosen(names: Iterable[str] | None) -> list[Check]:
    """The checks of these names, or of the sections of these names; all for None.

    >>> [check.name for check in chosen(["category", "curry-eta"])]
    ['id-left', 'id-right', 'associativity', 'curry-eta']

    Raises `NothingNamed` for an unknown name.
    """
    checks = all_checks()
    if names is None:
        return list(checks.values())
    found: dict[str, Check] = {}
    for name in names:
        some = [check for check in checks.values() if name in (check.name, check.section)]
        if not some:
            raise no_law(name, [*checks, *{check.section for check in checks.values()}])
        found.update({check.name: check for check in some})
    return list(found.values())

