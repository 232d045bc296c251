"""What arrows show of themselves: a text, a formula, a drawing. Each is read off in a category of its own, which stands
above arrows; the package `ccc` says by which function, when it is imported.

>>> sorted(SHOWN)
['drawing', 'formula', 'text']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SHOWN: dict[str, Callable[[Any], Any]] = {}
