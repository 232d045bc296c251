"""What stands for the modules and functions of autograd and JAX: NumPy's and SciPy's own, after which they are named.

    import autograd.numpy as np                 np.mean(np.tanh(x))         is         numpy.mean(numpy.tanh(x))
    import jax.numpy as jnp                     jnp.mean(jnp.tanh(x))       is         numpy.mean(numpy.tanh(x))

A wrapper of autograd's computes what it wraps, and beside that records a trace for autograd's own derivatives. JAX's
functions compute the same as NumPy's do, in single precision unless it is told otherwise; `jax.jit(f)` computes what
`f` does, and `jax.grad` and its like are the verbs of these names.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

WRAPPED = ("autograd.numpy", "autograd.scipy")
NAMED_ALIKE = ("jax.numpy", "jax.scipy")
VERBS = "jax._src.api"
"""Where JAX has its verbs."""


def counterpart(value: Any) -> Any:
    """The module or function of NumPy's or SciPy's that one of autograd's or JAX's stands for; other values themselves.

    >>> wrapper = types.ModuleType("autograd.numpy")
    >>> counterpart(wrapper) is sys.modules["numpy"], counterpart(sys) is sys, counterpart(2.0)
    (True, True, 2.0)
    """
    if isinstance(value, types.ModuleType) and is_named_alike(value.__name__):
        return named(value.__name__.removeprefix("jax."))
    if isinstance(value, types.ModuleType):
        return sys.modules.get(value.__name__.removeprefix("autograd."), value) if is_wrapper(value.__name__) else value
    if "jax" in sys.modules and (module := module_in_jax(value)) is not None:
        return of_jax(value, module)
    if not isinstance(value, types.FunctionType):
        return value
    if getattr(value, "_is_autograd_primitive", False):
        found = getattr(value, "fun", value)
        return found if found is value else counterpart(found)
    if not is_wrapper(value.__module__):
        return value
    module = ".".join(value.__module__.split(".")[1:]).removesuffix(".numpy_wrapper")
    return getattr(sys.modules.get(module), value.__name__, value)


def module_in_jax(value: Any) -> str | None:
    """The module of a function of JAX's, or of one that JAX made of another one; None for every other value."""
    made = type(value).__module__.partition(".")[0] in ("jax", "jaxlib")
    if not made and not isinstance(value, types.FunctionType):
        return None
    module = getattr(value, "__module__", None)
    mine = isinstance(module, str) and module.partition(".")[0] == "jax"
    return module if isinstance(module, str) and (mine or (made and hasattr(value, "__wrapped__"))) else None


def of_jax(value: Any, module: str) -> Any:
    """What stands for a function of JAX's in a module, or for one that it compiles."""
    if module.partition(".")[0] != "jax":
        return value.__wrapped__ if type(value).__name__ == "PjitFunction" else value
    name = getattr(value, "__name__", "")
    if module == VERBS:
        return getattr(sys.modules["ccc"], name, value)
    for public in [m for m in sys.modules if is_named_alike(m)]:
        if getattr(sys.modules[public], name, None) is value:
            return getattr(named(public.removeprefix("jax.")), name, value)
    return value.__wrapped__ if type(value).__name__ == "custom_jvp" else value


def named(path: str) -> Any:
    """What a path leads to: a module, or a distribution, which is a module of JAX's.

    >>> named("os.path") is sys.modules["os.path"]
    True
    """
    top, *rest = path.split(".")
    found = importlib.import_module(top)
    for i, name in enumerate(rest):
        if not hasattr(found, name):
            importlib.import_module(".".join([top, *rest[:i + 1]]))
        found = getattr(found, name)
    return found


def is_wrapper(name: Any) -> bool:
    """Whether a module of this name wraps one of NumPy's or SciPy's."""
    return isinstance(name, str) and name.startswith(WRAPPED)


def is_named_alike(name: str) -> bool:
    """Whether a module of this name is one of JAX's that has the functions of NumPy's or SciPy's of the same name."""
    return name.startswith(NAMED_ALIKE)
