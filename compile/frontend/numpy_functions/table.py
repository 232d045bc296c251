"""Which function of a library a definition stands for, and what definitions have of their own: how one refuses what it
does not take, and how it hands a function of the program to the library.

>>> definition_of(len)(lambda xs: 0)([1])
0
>>> del DEFINED[len]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.primitives import registry

DEFINED: dict[Any, Any] = {}
"""The definition of each function, a function of Python."""
LIBRARIES = {"numpy": f"{__package__}.seldom", "numpy.polynomial": f"{__package__}.series"} | {
    f"scipy.{name}": f"ccc.compile.libraries.scipy_{name}"
    for name in ("integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "stats")
}
"""Libraries that a program may have imported, and the modules of their definitions, which are not loaded before one is
asked for."""
PACKAGES = {name.partition(".")[0] for name in LIBRARIES}

BEYOND: dict[Any, Any] = {}
"""The definition of what an adaptor leaves."""


def definition_of(*functions: Any) -> Callable[[Any], Any]:
    """Enter a definition as that of these functions."""

    def enter(definition: Any) -> Any:
        DEFINED.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def beyond(*functions: Any) -> Callable[[Any], Any]:
    """Enter a definition as that of what the adaptors of these functions leave."""

    def enter(definition: Any) -> Any:
        BEYOND.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def found(function: Any) -> Any:
    """The definition of a function of a library that the program has imported by now; None where there is none."""
    return entered(DEFINED, function)


def left_by_adaptor(function: Any) -> Any:
    """The definition of what the adaptor of a function leaves; None where there is none."""
    return entered(BEYOND, function)


def entered(definitions: dict[Any, Any], function: Any) -> Any:
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
