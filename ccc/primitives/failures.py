"""What an operation raises, asked before it is computed: for `try` around operations whose failing depends on values.

>>> from ccc.primitives.arithmetic import div
>>> failing(1.0, 0.0, of=div, params=(), kinds=(ValueError, ZeroDivisionError))
2
>>> told(failure(1.0, 0.0, of=div, params=()))
'float division by zero'
"""

from __future__ import annotations

import ast
import builtins
import warnings
from typing import Any, NoReturn

import numpy as np

from ccc.objects import INT, TEXT, UNIT, Object
from ccc.primitives.facts import CALL, EFFECT, MAY, NEVER, NEW, STORAGE
from ccc.primitives.primitive import Primitive

HOMES: dict[str, Any] = {"builtins": builtins, "numpy.linalg": np.linalg}
"""The modules whose exceptions are raised again by their names."""


def _raised(values: tuple[Any, ...], of: Primitive, params: tuple[tuple[str, Any], ...]) -> Exception | None:
    """What an operation raises at these arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            of.value(*values, **dict(params))
        except Exception as error:  # whatever the operation raises is what is asked
            return error
    return None


def _failing(
    *values: Any, of: Primitive, params: tuple[tuple[str, Any], ...], kinds: tuple[type[BaseException], ...]
) -> int:
    error = _raised(values, of, params)
    return next((i + 1 for i, kind in enumerate(kinds) if isinstance(error, kind)), 0)


def _failure(*values: Any, of: Primitive, params: tuple[tuple[str, Any], ...]) -> str:
    error = _raised(values, of, params)
    if error is None:
        return ""
    kind = next((cls for cls in type(error).__mro__ if cls.__module__ in HOMES), Exception)
    args = error.args
    try:
        ast.literal_eval(repr(args))
    except (ValueError, SyntaxError):
        args = tuple(map(str, args))
    return f"{kind.__module__} {kind.__name__} {args!r}"


def found(text: str) -> BaseException:
    """The exception that a text of `failure` tells."""
    home, name, args = text.split(" ", 2)
    return getattr(HOMES[home], name)(*ast.literal_eval(args))


def _raise_again(text: str) -> NoReturn:
    raise found(text)


def _called(name: str) -> Any:
    return lambda *texts, **params: f"{name}({', '.join(texts)})"


def _of(a: Object) -> Any:
    return lambda p, args, params: a


failing = Primitive("failing", _failing, _of(INT), _called("failing"), exact=True, memory=NEW, work=CALL, raises=NEVER)
"""Which of some classes of exceptions an operation raises one of, counted from 1; 0 where it raises none of them."""
failure = Primitive("failure", _failure, _of(TEXT), _called("failure"), exact=True, memory=NEW, work=CALL,
                    raises=NEVER)
"""The class and the arguments of what an operation raises, as a text."""
told = Primitive("told", lambda text: str(found(text)) if text else "", _of(TEXT), _called("told"), exact=True,
                 memory=NEW, work=STORAGE, raises=NEVER)
"""What an exception says, of its class and arguments."""
raise_again = Primitive("raise_again", _raise_again, _of(UNIT), _called("raise_again"), exact=True, effect=True,
                        memory=NEW, work=EFFECT, raises=MAY)
"""Raises what a text of `failure` tells."""

__all__ = ["failing", "failure", "found", "raise_again", "told"]
