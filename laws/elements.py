"""Whether the numbers that are drawn are elements of a category: one whose constants are others says what its own are.

>>> from ccc.categories.functions import Functions
>>> refuse_foreign(Functions(), Fraction(1, 2), "Functions")
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ccc.arrows import Arrow, Const, Id, Prod, compose
from ccc.combinators import primitive
from ccc.denotation import functor
from ccc.laws.errors import NotJudged
from ccc.laws.generate import NUMBER
from ccc.objects import UNIT
from ccc.primitives.arithmetic import add


def refuse_foreign(k: Any, point: Any, name: str) -> None:
    """Raises `NotJudged` where a category computes with what its constants are, and not with a point drawn."""
    constant = Const(NUMBER, Fraction(1, 2), NUMBER)
    alone = compose(Const(UNIT, Fraction(1, 2), NUMBER), Prod((constant, constant)))
    computed = primitive(add, NUMBER, NUMBER)
    if _raised(k, compose(alone, computed), ()) is not None:
        return
    for pair in (Prod((constant, Id(NUMBER))), Prod((Id(NUMBER), constant))):
        error = _raised(k, compose(pair, computed), point)
        if error is None:
            continue
        made = type(functor(k, compose(alone, computed))(())).__name__
        raise NotJudged(
            f"{name} does not say what its elements are: a number that is drawn is none, and to add a constant to it "
            f"raises {type(error).__name__}: {error}",
            f"draw what its constants are, of type `{made}`: `S = laws.Subject({type(k).__name__}(), point=...)` with "
            "a function `point(object, draw)`, as docs/your_own_category.md shows; then name `S`",
        ) from error


def _raised(k: Any, arrow: Arrow, x: Any) -> Exception | None:
    """What an arrow of a category raises at a point."""
    try:
        image: Callable[[Any], Any] = functor(k, arrow)
        image(x)
    except Exception as error:  # whatever a category of a user's raises
        return error
    return None
