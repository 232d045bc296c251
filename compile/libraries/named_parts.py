"""Results of SciPy's that are read by names, by places, and in order.

>>> class Line(Parts):
...     slope, intercept = 2.0, 1.0
...     def parts(self):
...         return self.slope, self.intercept
>>> a, b = Line()
>>> a, b, Line()[1], len(Line())
(2.0, 1.0, 1.0, 2)
"""

from __future__ import annotations

from typing import Any


class Parts:
    """What has parts in an order, beside its attributes."""

    __ccc_record__ = True

    def parts(self) -> Any:
        return ()

    def __iter__(self) -> Any:
        return iter(self.parts())

    def __getitem__(self, k: Any) -> Any:
        return self.parts()[k]

    def __len__(self) -> int:
        return len(self.parts())
