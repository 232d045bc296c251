"""Functions that give something else at each call: random draws, clocks, what is typed in.

>>> import time
>>> unrepeatable(np.random.rand), unrepeatable(random.gauss), unrepeatable(time.time), unrepeatable(abs)
(True, True, True, False)
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

SOURCES = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
MODULES = frozenset({"random", "secrets", "uuid"})
CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "thread_time"})
NOW = frozenset({"now", "today", "utcnow"})


def unrepeatable(function: Any) -> bool:
    """True for a function whose result is another one at each call."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, SOURCES):
        return True
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if module == "time":
        return name.removesuffix("_ns") in CLOCKS
    if isinstance(owner, type) and owner.__module__ == "datetime":
        return name in NOW
    return function is input or module in MODULES or module.startswith("numpy.random")


__all__ = ["SOURCES", "unrepeatable"]
