"""Whether `llvmlite` is there. Asking loads neither it nor what needs it.

>>> installed() in (True, False)
True
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

MISSING = "llvmlite is not installed: pip install llvmlite"


@cache
def installed() -> bool:
    """Whether `llvmlite` is there."""
    return find_spec("llvmlite") is not None
