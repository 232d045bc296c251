"""Which function of a library a definition stands for, and what definitions have of their own: how one refuses what it
does not take, and how it hands a function of the program to the library.

>>> definition_of(len)(lambda xs: 0)([1])
0
>>> del DEFINED[len]
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.numpy_functions.without import reason_of
from ccc.primitives import registry

DEFINED: dict[Any, Any] = {}
"""The definition of each function, a function of Python, or another function that is called in its place."""
MADE: dict[types.CodeType, Callable[[Any], Any]] = {}
"""What makes the definition of a function with this code, of which a library has many."""
LIBRARIES = {
    "numpy": f"{__package__}.seldom", "numpy.polynomial": f"{__package__}.series", "numpy.ma": f"{__package__}.masked",
    "numpy.linalg": "ccc.compile.libraries.numpy_complex_matrices",
} | {
    f"scipy.{name}": f"ccc.compile.libraries.scipy_{name}"
    for name in (
        "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "special",
        "stats")
} | {"scipy._lib._array_api": "ccc.compile.libraries.scipy_arrays",
     "scipy.sparse.linalg": "ccc.compile.libraries.scipy_sparse_linalg", "jax": "ccc.compile.libraries.jax_functions"}
"""Libraries that a program may have imported, and the modules of their definitions, which are not loaded before one is
asked for."""
PYTHON = "ccc.compile.libraries.python_"
"""What the modules of definitions begin with that stand for Python's own library. They are read as what users write:
where there are stores, what they make and keep stands there."""
TURNS = f"{PYTHON}turns"
"""The module of generators that run in turn with what consumes them, as part of it."""
MODULES = {
    "collections": f"{PYTHON}collections", "builtins": f"{PYTHON}sets", "_heapq": f"{PYTHON}heaps",
    "heapq": f"{PYTHON}heaps", "_bisect": f"{PYTHON}heaps", "bisect": f"{PYTHON}heaps",
    "functools": f"{PYTHON}functions", "_functools": f"{PYTHON}functions",
    "statistics": f"{PYTHON}statistics", "_statistics": f"{PYTHON}statistics", "_operator": f"{PYTHON}operators",
    "queue": f"{PYTHON}queues", "_queue": f"{PYTHON}queues", "uuid": f"{PYTHON}unique",
    "collections.abc": f"{PYTHON}iterators",
}
"""Modules of Python's library, and those of their definitions."""
NUMBERS = (int, float, range, slice)
"""Classes of Python's whose methods have definitions."""
CLASSES: dict[type, type] = {}
"""The class that is read in place of one of Python's."""
PACKAGES = {name.partition(".")[0] for name in LIBRARIES}

STACKED: dict[Any, tuple[Any, Any]] = {}
"""Of functions that a library calls for each of a stack: the names of their arrays, each with its number of axes where
it is no stack, and the definition of what is called then."""
BEYOND: dict[Any, Any] = {}
"""The definition of what an adaptor leaves."""


def definition_of(*functions: Any) -> Callable[[Any], Any]:
    """Enter a definition as that of these functions."""

    def enter(definition: Any) -> Any:
        DEFINED.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def class_for(original: type) -> Callable[[type], type]:
    """Enter a class as the one that is read in place of one of Python's, by whose name it goes."""

    def enter(cls: Any) -> Any:
        CLASSES[original] = cls
        cls.__ccc_class__ = original
        cls.__name__ = original.__name__
        return cls

    return enter


def of_library(name: str) -> Any:
    """A module of definitions that stand for a library's functions."""
    return importlib.import_module(f"ccc.compile.libraries.{name}")


def of_python(name: str) -> Any:
    """A module of definitions that stand for Python's own library.

    >>> of_python("collections").Deque([1.0]).pop()
    1.0
    """
    return importlib.import_module(f"{PYTHON}{name}")


def class_read_for(original: Any) -> Any:
    """The class that is read in place of one of Python's; None where it is read itself, or known otherwise.

    >>> import collections
    >>> class_read_for(collections.deque).__name__, class_read_for(dict)
    ('deque', None)
    """
    if not isinstance(original, type) or original.__module__ not in MODULES:
        return None
    if original.__module__ == "builtins" and original is not set:  # of these the one that has a definition
        return None
    importlib.import_module(MODULES[original.__module__])
    return CLASSES.get(original)


def beyond(*functions: Any) -> Callable[[Any], Any]:
    """Enter a definition as that of what the adaptors of these functions leave."""

    def enter(definition: Any) -> Any:
        BEYOND.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def found(function: Any) -> Any:
    """The definition of a function of a library that the program has imported by now; None where there is none.

    >>> import numpy as np
    >>> found(np.unwrap) is np.unwrap, found(np.unwrap).__name__, found(np.add), found(np.save)
    (False, 'unwrap', None, None)
    """
    known = entered(DEFINED, function)
    written = getattr(function, "_implementation", None)  # by NumPy, of what it dispatches
    if known is None and isinstance(written, types.FunctionType) and reason_of(function.__name__) is None:
        return written
    read = known is None and isinstance(function, (types.FunctionType, types.MethodType))
    code = getattr(function, "__code__", None) if read else None
    make = None if code is None else MADE.get(code)
    return known if make is None else make(function)


def left_by_adaptor(function: Any) -> Any:
    """The definition of what the adaptor of a function leaves; None where there is none."""
    return entered(BEYOND, function)


def over_stack(function: Any, args: list[Any], kwargs: dict[str, Any], rank: Callable[[Any], int]) -> Any:
    """The definition of a function that is called for each of a stack, where it is given some; None elsewhere, as of
    NumPy's, which take stacks themselves."""
    found = None if registry.is_elsewhere(function, ["scipy"]) else entered(STACKED, function)
    if found is None:
        return None
    cores, definition = found
    given = zip([*args[:len(cores)], *[kwargs.get(name) for name, _ in cores[len(args):]]], cores, strict=True)
    return definition if any(rank(x) > (2 if core == "1|2" else core) for x, (_, core) in given) else None


def entered(definitions: dict[Any, Any], function: Any) -> Any:
    module = getattr(function, "__module__", None)
    if getattr(function, "__objclass__", None) in NUMBERS:
        of_python("numbers")
    if isinstance(module, str) and module in MODULES and module != "builtins":
        importlib.import_module(MODULES[module])
    if not registry.is_elsewhere(function, PACKAGES):
        for _ in registry.imported(LIBRARIES):
            pass  # the module enters its definitions
    try:
        return definitions.get(function)
    except TypeError:  # a callable without a hash
        return None


def refuse(text: str, mend: str = "") -> None:
    """Refuse a call, for what `text` says of it; `mend` says what to write instead.

    Raises `TypeError`; where a program is read, the call is refused at its place.
    """
    raise TypeError(text)


def by_address(keys: Any) -> bool:
    """Whether the order of such keys in a set is that of their addresses, which may be any: they are objects without a
    hash of their own.

    >>> by_address([object(), object()]), by_address([1, 2])
    (True, False)
    """
    return all(type(key).__hash__ is object.__hash__ for key in keys)


def is_few(n: Any, most: int) -> bool:
    """Whether a whole number is known where a program is read, and positive, and no more than `most`: then a definition
    may write out so many things.

    >>> is_few(3, 8), is_few(9, 8), is_few(0, 8)
    (True, False, False)
    """
    return 0 < n <= most


def dtype_along(function: Any, dtype: Any) -> Any:
    """The dtype in which an elementwise function goes along an array: of truth values for `np.logical_xor`.

    >>> import numpy as np
    >>> dtype_along(np.logical_xor, np.dtype(float)), dtype_along(np.divide, np.dtype(int))
    (dtype('bool'), dtype('float64'))
    """
    return function.resolve_dtypes((None, dtype, None), reduction=True)[1]


def count_of_parameters(function: Any) -> int:
    """How many parameters a function has that are not only named.

    >>> count_of_parameters(lambda x, a, b: a * x + b)
    3
    """
    return function.__code__.co_argcount


def has_parameter(function: Any, name: str) -> bool:
    """Whether a function has a parameter of this name.

    >>> has_parameter(lambda x, axis=0: x, "axis"), has_parameter(sorted, "axis")
    (True, False)
    """
    return name in inspect.signature(function).parameters


def int_or_float(x: Any) -> bool:
    """Whether a number is an int in some runs of a program and a float in others; in Python it is one of them.

    >>> int_or_float(1), int_or_float(1.0)
    (False, False)
    """
    return False


def is_whole(x: Any) -> bool:
    """Whether a number is an int.

    >>> is_whole(1), is_whole(1.0)
    (True, False)
    """
    return isinstance(x, int)


def gives_whole(function: Any, *xs: Any, **named: Any) -> bool:
    """Whether what a function gives is an int.

    >>> gives_whole(max, 1, 0.5), gives_whole(max, 1, 1.5)
    (True, False)
    """
    return is_whole(function(*xs, **named))


def lifted(function: Any, *xs: Any) -> Any:
    """A function at arguments like these that takes what `function` captures behind them, and the tuple of that.

    >>> lifted(abs, 1.0)
    (<built-in function abs>, ())

    Where a program is read, `ccc.compile.frontend.lifted` says what is captured.
    """
    return function, ()


def hosted(run: Any, like: Any, *xs: Any, **kwargs: Any) -> Any:
    """What `run(*xs)` gives, a value like `like`; a derivative of it is refused, so one of the function around it has
    to be given.

    >>> hosted(max, 0.0, 1.0, 2.0)
    2.0
    """
    return run(*xs, **kwargs)


def constant(run: Any, like: Any, *xs: Any, **kwargs: Any) -> Any:
    """What `run(*xs)` gives, a value like `like`, of which nothing is differentiated.

    >>> constant(max, 0.0, 1.0, 2.0)
    2.0
    """
    return run(*xs, **kwargs)
