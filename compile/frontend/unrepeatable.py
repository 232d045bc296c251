"""Functions that give something else at each call: random draws, clocks, what is typed in.

>>> import random, time
>>> import numpy as np
>>> unrepeatable(np.random.rand), unrepeatable(random.gauss), unrepeatable(time.time), unrepeatable(abs)
(True, True, True, False)
"""

from __future__ import annotations

from typing import Any

MODULES = frozenset({"random", "secrets"})
CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "thread_time"})
NOW = frozenset({"now", "today", "utcnow"})


def is_random(owner: Any) -> bool:
    """True for what gives random numbers, known to programs or not. It is told by the module of its class: NumPy loads
    `numpy.random` where somebody asks for it, and so do we not.

    >>> import random
    >>> import numpy as np
    >>> is_random(np.random.default_rng(0)), is_random(random.Random(0)), is_random(0.0)
    (True, True, False)
    """
    return is_random_class(type(owner))


def is_random_class(found: Any) -> bool:
    """True for a class of such.

    >>> import random
    >>> is_random_class(random.Random), is_random_class(random.random), is_random_class(float)
    (True, False, False)
    """
    return isinstance(found, type) and any(_draws(cls.__module__) for cls in found.__mro__)


def _draws(module: str) -> bool:
    return module in MODULES or module.startswith("numpy.random")


def unrepeatable(function: Any) -> bool:
    """True for a function whose result is another one at each call."""
    owner = getattr(function, "__self__", None)
    if is_random(owner):
        return True
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if module == "time":
        return name.removesuffix("_ns") in CLOCKS
    if isinstance(owner, type) and owner.__module__ == "datetime":
        return name in NOW
    return function is input or module == "uuid" or _draws(module)
