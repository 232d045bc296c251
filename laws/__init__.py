"""Judge categories, exponentials, rules and passes by the laws of a cartesian closed category with derivatives.

    laws.check(k)                       a category, or `laws.check(Reverse, exponential=...)`
    laws.check_rule(p)                  the derivative of a primitive
    laws.check_pass(rewrite)            a pass over terms
    laws.objects() arrows() terms() points()        strategies for hypothesis

`python3 -m laws` prints the table for the categories of this project, `python3 -m laws MODULE:NAME` for others.

>>> from ccc import laws
>>> from ccc.categories.functions import Functions
>>> laws.check(Functions, examples=5, only=["curry-beta"]).ok
True
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ccc.laws.api import check as check, check_pass as check_pass, check_rule as check_rule
    from ccc.laws.cotangents import same_cotangent as same_cotangent
    from ccc.laws.report import Report as Report
    from ccc.laws.strategies import arrows as arrows, objects as objects, points as points, terms as terms
    from ccc.laws.subjects import Subject as Subject
    from ccc.laws.verdicts import Verdict as Verdict

NAMES_OF = {
    "ccc.laws.api": ("check", "check_rule", "check_pass"),
    "ccc.laws.cotangents": ("same_cotangent",),
    "ccc.laws.report": ("Report",),
    "ccc.laws.strategies": ("objects", "arrows", "terms", "points"),
    "ccc.laws.subjects": ("Subject",),
    "ccc.laws.verdicts": ("Verdict",),
}
MODULE_OF = {name: module for module, names in NAMES_OF.items() for name in names}

__all__ = list(MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll] - the table is the list


def __getattr__(name: str) -> Any:
    module = MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'ccc.laws' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
