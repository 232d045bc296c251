"""Warnings counted: what a run would print a thousand times is a number in its report.

>>> from collections import Counter
>>> import warnings
>>> found = Counter()
>>> with counted(found):
...     warnings.warn("`x` does not matter")
...     warnings.warn("`y` does not matter")
>>> found
Counter({'UserWarning: `…` does not matter': 2})
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def counted(found: Counter[str]) -> Iterator[None]:
    """Counts the warnings in the block by their first lines, names in them left out, and prints none."""

    def count(message: Warning | str, category: type[Warning], *place: Any) -> None:
        first = str(message).splitlines()[0] if str(message) else ""
        said = "`…`".join(first.split("`")[::2])
        found[f"{category.__name__}: {said}"[:160]] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = count
        yield
