"""What an operation raises, asked before it is computed: for `try` around operations whose failing depends on values.

>>> from ccc.primitives.arithmetic import div
>>> failing(1.0, 0.0, of=div, params=(), kinds=(ValueError, ZeroDivisionError))
2
>>> told(failure(1.0, 0.0, of=div, params=()))
'float division by zero'
"""

from __future__ import annotations

import ast
import sys
import warnings
from functools import reduce
from typing import Any, NoReturn

from ccc.objects import BOOL, INT, TEXT, UNIT, Object
from ccc.primitives.facts import CALL, EFFECT, MAY, NEVER, NEW, STORAGE
from ccc.primitives.primitive import Primitive


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
    return "" if error is None else told_of(error)


def told_of(error: BaseException) -> str:
    """The text that tells the class and the arguments of an exception, of the first of its classes that can be found by
    its name and made of the arguments again.

    >>> told_of(ZeroDivisionError("division by zero"))
    "builtins ZeroDivisionError ('division by zero',)"
    """
    for args in (error.args, tuple(map(str, error.args))):
        for cls in type(error).__mro__:
            text = f"{cls.__module__} {cls.__qualname__} {args!r}"
            try:
                again = found(text)
            except Exception:  # whatever the constructor of a class raises, or the name or arguments that are not found
                continue
            if type(again) is cls and again.args == args and str(again) == str(error):
                return text
    return f"builtins Exception {(str(error),)!r}"


def found(text: str) -> BaseException:
    """The exception that a text of `failure` tells.

    >>> import statistics
    >>> found("statistics StatisticsError ('no median',)")
    StatisticsError('no median')
    """
    home, name, args = text.split(" ", 2)
    return reduce(getattr, name.split("."), sys.modules[home])(*ast.literal_eval(args))  # type: ignore[operator]


def _raise_again(text: str) -> NoReturn:
    raise found(text)


def _named(text: str, name: str) -> str:
    kind = type(found(text)) if text else Exception
    return repr(kind) if name == "__repr__" else getattr(kind, name)


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
is_one_of = Primitive("is_one_of", lambda text, kinds: bool(text) and isinstance(found(text), kinds), _of(BOOL),
                      _called("is_one_of"), exact=True, memory=NEW, work=STORAGE, raises=NEVER)
"""Whether an exception is one of some classes."""
is_of = Primitive("is_of", lambda text, kind: bool(text) and type(found(text)) is kind, _of(BOOL), _called("is_of"),
                  exact=True, memory=NEW, work=STORAGE, raises=NEVER)
"""Whether the class of an exception is this one."""
class_told = Primitive("class_told", _named, _of(TEXT), _called("class_told"), exact=True, memory=NEW, work=STORAGE,
                       raises=NEVER)
"""The name of the class of an exception, or what is shown of the class."""
represented = Primitive("represented", lambda text: repr(found(text)) if text else "", _of(TEXT),
                        _called("represented"), exact=True, memory=NEW, work=STORAGE, raises=NEVER)
"""What `repr` gives of an exception."""
raise_again = Primitive("raise_again", _raise_again, _of(UNIT), _called("raise_again"), exact=True, effect=True,
                        memory=NEW, work=EFFECT, raises=MAY)
"""Raises what a text of `failure` tells."""

__all__ = [
    "class_told", "failing", "failure", "found", "is_of", "is_one_of", "raise_again", "represented", "told", "told_of",
]  # fmt: skip
