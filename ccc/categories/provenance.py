"""Provenance: reverse mode in which a cotangent is what has a + of its own, as sets of labels have.

>>> import ccc
>>> value, asks = Provenance().behind(ccc.arrow(lambda x, y: (x * y, y + 1.0), 3.0, 4.0), (3.0, 4.0))
>>> value, asks((Labels("first"), Labels("second")))
((12.0, 5.0), (Labels('first'), Labels('first', 'second')))
"""

from __future__ import annotations

from typing import Any

from ccc.base import HOST, Base
from ccc.categories.reverse import Reverse
from ccc.semirings import OWN


class Labels:
    """A set of labels; + is union.

    >>> Labels("a") + Labels("b", "a") == Labels("a", "b")
    True
    """

    __slots__ = ("of",)

    def __init__(self, *of: Any) -> None:
        self.of = frozenset(of)

    def __add__(self, other: Labels) -> Labels:
        return Labels(*(self.of | other.of))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.of == other.of

    def __hash__(self) -> int:
        return hash(self.of)

    def __repr__(self) -> str:
        return f"Labels({', '.join(sorted(map(repr, self.of)))})"


class Provenance(Reverse):
    """`Reverse(L=...)` for elements of any commutative monoid: numbers, `Labels`, or what else has a +.

    >>> import ccc
    >>> def total(rows, wanted):
    ...     return sum([n for label, n in rows if label == wanted])
    >>> rows = [(1, 10.0), (2, 20.0), (1, 30.0)]
    >>> value, asks = Provenance().behind(ccc.arrow(total, rows, 1), (rows, 1))
    >>> value, asks(Labels("sum"))[0]
    (40.0, [(None, Labels('sum')), (None, None), (None, Labels('sum'))])

    Of an array is asked item by item. Raises `MissingMeaning` at the place of a primitive that takes or gives a dict.
    """

    def __init__(self, exponential: Any = None, base: Base = HOST) -> None:
        super().__init__(exponential, base, L=OWN)
