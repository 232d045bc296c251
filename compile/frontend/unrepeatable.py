"""Functions that give something else at each call: random draws, clocks, what is typed in.

>>> import random, time
>>> import numpy as np
>>> unrepeatable(np.random.rand), unrepeatable(random.gauss), is_clock(time.time), unrepeatable(abs)
(True, True, True, False)
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

import numpy as np

from ccc.sources import is_source

MODULES = frozenset({"random", "secrets"})
CLOCKS = frozenset({"time", "perf_counter", "monotonic", "process_time", "thread_time"})
NOW = frozenset({"now", "today", "utcnow"})


READ: set[Any] = set()
MAKERS = ("default_rng", "RandomState")
ALIASES = {"sample": "random_sample", "ranf": "random_sample"}
"""Functions of `np.random` that are no methods, by the methods that they call."""


def source_and_method(function: Any) -> tuple[Any, str] | None:
    """The source and the method that a function of `np.random` is, or a method that is bound to one."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if is_source(owner):
        return owner, name
    if "numpy.random" not in sys.modules or name == "" or getattr(np.random, name, None) is not function:
        return None
    owner, name = np.random.get_state.__self__, ALIASES.get(name, name)  # type: ignore[attr-defined]
    return (owner, name) if hasattr(owner, name) else None


def is_maker(function: Any) -> bool:
    """True for what makes a source from a seed."""
    name = getattr(function, "__name__", "")
    known = name in MAKERS and function is getattr(np.random, name)
    return known or makes_python_source(function) or makes_generator(function) or makes_bits(function)


def makes_generator(function: Any) -> bool:
    """True for `np.random.Generator`."""
    return "numpy.random" in sys.modules and function is np.random.Generator


def makes_bits(function: Any) -> bool:
    """True for the class of what a generator of NumPy's draws by, as `np.random.PCG64`."""
    return "numpy.random" in sys.modules and isinstance(function, type) and issubclass(
        function, np.random.BitGenerator) and getattr(np.random, function.__name__, None) is function


def makes_python_source(function: Any) -> bool:
    """True for `random.Random`."""
    return isinstance(function, type) and (function.__module__, function.__name__) == ("random", "Random")


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


def is_clock(function: Any) -> bool:
    """True for a function that tells the time as a number, or what else is read where the program comes to it."""
    if isinstance(function, FunctionType) and function in READ:
        return True
    return getattr(function, "__module__", None) == "time" and function.__name__.removesuffix("_ns") in CLOCKS


def read_when_run(function: Any) -> Any:
    """Enter a function without arguments that gives another number or text at each call, on which no derivative
    depends: it is called where the program comes to it."""
    READ.add(function)
    return function


def unrepeatable(function: Any) -> bool:
    """True for a function whose result is another one at each call."""
    owner = getattr(function, "__self__", None)
    if is_random(owner):
        return True
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None) or ""
    if isinstance(owner, type) and owner.__module__ == "datetime":
        return name in NOW
    return function is input or _draws(module)
