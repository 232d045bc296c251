"""What stands for the modules and functions of autograd: NumPy's and SciPy's own, of which they are wrappers.

    import autograd.numpy as np                 np.mean(np.tanh(x))         is         numpy.mean(numpy.tanh(x))

A wrapper computes what it wraps, and beside that records a trace for autograd's own derivatives.
"""

from __future__ import annotations

import sys
import types
from typing import Any

WRAPPED = ("autograd.numpy", "autograd.scipy")


def counterpart(value: Any) -> Any:
    """The module or function of NumPy's or SciPy's that one of autograd's wraps; every other value itself.

    >>> wrapper = types.ModuleType("autograd.numpy")
    >>> counterpart(wrapper) is sys.modules["numpy"], counterpart(sys) is sys, counterpart(2.0)
    (True, True, 2.0)
    """
    if not isinstance(value, (types.ModuleType, types.FunctionType)):
        return value
    if isinstance(value, types.ModuleType):
        return sys.modules.get(value.__name__.removeprefix("autograd."), value) if is_wrapper(value.__name__) else value
    if getattr(value, "_is_autograd_primitive", False):
        found = getattr(value, "fun", value)
        return found if found is value else counterpart(found)
    if not is_wrapper(value.__module__):
        return value
    module = ".".join(value.__module__.split(".")[1:]).removesuffix(".numpy_wrapper")
    return getattr(sys.modules.get(module), value.__name__, value)


def is_wrapper(name: Any) -> bool:
    """Whether a module of this name wraps one of NumPy's or SciPy's."""
    return isinstance(name, str) and name.startswith(WRAPPED)
