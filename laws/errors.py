"""What is wrong with a question to the laws: with what is to be judged, or with a name.

>>> from ccc.laws.api import check
>>> check(3.0)  # doctest: +ELLIPSIS
Traceback (most recent call last):
ccc.laws.errors.NotJudged: error[CC052]: float is no category: it has no `identity` and `compose`
...
"""

from __future__ import annotations

from collections.abc import Iterable

from ccc.compile.diagnostics import Diagnostic, nearest
from ccc.errors import CCCError


class NotJudged(CCCError, TypeError):
    """What is to be judged is no category, rule or pass, or cannot be judged so."""

    code = "CC052"


class NothingNamed(CCCError, KeyError):
    """A name names no law, no module or nothing in it."""

    code = "CC052"
    __str__ = Exception.__str__  # a KeyError shows its message as a string of Python


def unplaced(error: CCCError) -> Diagnostic:
    """An error of the command line, which has no place in a file.

    >>> print(unplaced(NotJudged("float is no category", "give a category")))
    error[CC052]: float is no category
      = help: give a category
    """
    return Diagnostic(error.code, str(error), help=error.help)


def no_law(name: str, names: Iterable[str]) -> NothingNamed:
    """The error for a name of no law.

    >>> no_law("curry-bata", ["curry-beta"]).help
    'write `curry-beta`'
    """
    return NothingNamed(f"there is no law or section {name!r}",
                        nearest(name, names, "`python3 -m laws --list` shows what there is"))
