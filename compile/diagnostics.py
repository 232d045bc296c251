"""The errors of the compiler, and warnings: diagnostics at places of the user's code.

>>> raise unsupported("CC003", "`try` is not supported", Span("m.py", 1, 0, 1, 3, ("try:",)), help="test first")
Traceback (most recent call last):
ccc.compile.diagnostics.UnsupportedPython: error[CC003]: `try` is not supported
  --> m.py:1:1
  1 | try:
    | ^^^
  = help: test first
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cache, wraps
from typing import Any, ParamSpec, Self, TypeVar

from ccc.diagnostics import Diagnostic, Span, as_data, call_site, shown, span_of_frame
from ccc.errors import CCCError, CCCWarning


class CompileError(CCCError):
    """The function cannot be compiled; `diagnostics` says where and why."""

    of_python = False
    """Whether Python does not do it either."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = diagnostics
        if diagnostics:
            self.code = diagnostics[0].code
        super().__init__(shown(diagnostics))

    def in_python_too(self) -> CompileError:
        """Note that Python does not do it either, so there is no other way to compile it."""
        self.of_python = True
        return self

    def standing(self, span: Span) -> Self:
        """The same error, where what was said without a place is said of this one, if that is in the user's code."""
        if not is_ours(span) and any(d.span is None for d in self.diagnostics):
            self.diagnostics = tuple([d if d.span is not None else replace(d, span=span) for d in self.diagnostics])
            self.args = (shown(self.diagnostics),)
        return self

    def called_from(self, span: Span | None) -> None:
        """Note the call, one further out, that led here."""
        if span is not None:
            self.diagnostics = tuple([replace(d, calls=(*d.calls, span)) for d in self.diagnostics])
            self.args = (shown(self.diagnostics),)

    def extend(self, further: Sequence[Diagnostic]) -> None:
        """Show these diagnostics as well."""
        if further:
            self.diagnostics = (*self.diagnostics, *further)
            self.args = (shown(self.diagnostics),)


class UnsupportedPython(CompileError, NotImplementedError):
    """A construct of Python that has no meaning here yet."""


class TypeMismatch(CompileError, TypeError):
    """Values do not fit: branches of different types, shapes that do not combine, a wrong argument."""


class WrongArguments(CompileError, TypeError):
    """A differential operator was called with arguments that it cannot take: the place is that of the call."""

    def __init__(self, message: str, code: str = "CC070", help: str = "") -> None:
        super().__init__(Diagnostic(code, in_python(message), call_site(), (), help))
        self.inside = False

    def placed(self, span: Span | None) -> WrongArguments:
        """The same error at the innermost place of a program."""
        if not self.inside:
            self.inside = True
            self.diagnostics = tuple([replace(d, span=span) for d in self.diagnostics])
            self.args = (shown(self.diagnostics),)
        return self


def warned(found: Diagnostic) -> None:
    """Warn of something, at the call in the user's code."""
    warning = CCCWarning(str(found))
    warning.diagnostics = (found,)  # type: ignore[attr-defined]
    at_call(warning)


def at_call(warning: CCCWarning) -> None:
    """Warn at the call in the user's code."""
    site = call_site()
    if site is None:
        warnings.warn(warning, stacklevel=2)
    else:
        warnings.warn_explicit(warning, CCCWarning, site.file, site.line)


P = ParamSpec("P")
R = TypeVar("R")


def telling(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb whose errors say where they are in the user's code."""

    @wraps(verb)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except CCCError as error:
            outward(error.told())
            if os.environ.get(TRACEBACK) == "full":
                raise
            raise without_frames(error) from None
        except TypeError:
            if binds(verb, args, kwargs):
                raise
        raise without_frames(misused(verb, args, kwargs))  # it was never entered

    return called


def binds(verb: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a function takes such arguments.

    >>> binds(len, [()], {}), binds(len, [], {})
    (True, False)
    """
    try:
        inspect.signature(verb).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


VERB: ContextVar[str] = ContextVar("verb", default="")
"""The verb that a user has called, while it runs."""


def public(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb that is made of verbs: its errors say where they are in the user's code, those of all that it makes are
    said of it, and programs read it as the function that it is."""
    told = telling(verb)

    @wraps(verb)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        before = VERB.set(VERB.get() or verb.__name__)
        try:
            return told(*args, **kwargs)
        finally:
            VERB.reset(before)

    def inside(e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        before = VERB.set(VERB.get() or verb.__name__)
        try:
            return e.call(verb, args, kwargs, node, frame)
        finally:
            VERB.reset(before)

    called.__ccc_inline__ = inside  # type: ignore[attr-defined]
    return called


OTHER_NAMES = {"argnums": ("wrt",), "argnum": ("wrt", "argnums"), "wrt": ("argnums",)}
"""What is called so elsewhere."""


def misused(verb: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> WrongArguments:
    """The error for a verb that takes no such arguments."""
    name, parameters = verb.__name__, inspect.signature(verb).parameters
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    known = [p for p in parameters if parameters[p].kind not in rest]
    required = [p for p in known if parameters[p].default is inspect.Parameter.empty]
    wrong = next((key for key in kwargs if key not in parameters), None)
    if wrong is None:
        missing = [f"`{p}`" for p in required[len(args):] if p not in kwargs]
        what = f"misses {', '.join(missing)}" if missing else "was given too many arguments, or one twice"
        named = [f"{p}=..." if parameters[p].kind is inspect.Parameter.KEYWORD_ONLY else p for p in required]
        example = f"{name}({', '.join(named)})"
        return WrongArguments(f"{name} {what}", help=f"write {example}; its parameters are {', '.join(known)}")
    same = next((p for p in OTHER_NAMES.get(wrong, ()) if p in known), None)
    if same is not None:
        return WrongArguments(f"{name} has no parameter `{wrong}`", help=f"write `{same}`")
    if callable(getattr(sys.modules.get("ccc"), wrong, None)):
        return WrongArguments(f"{name} has no parameter `{wrong}`", help=f"write ccc.{wrong}(ccc.{name}(f))")
    return WrongArguments(f"{name} has no parameter `{wrong}`",
                          help=nearest(wrong, known, f"its parameters are {', '.join(known)}"))


TRACEBACK = "CCC_TRACEBACK"
"""The variable of the environment that says "full" where the frames of the compiler are wanted as well."""


def without_frames(error: CCCError) -> CCCError:
    """The error without the frames of the compiler: its diagnostics say where it is. What caused it is its context."""
    error.__context__ = error.__cause__ or error.__context__
    return error.with_traceback(None)


def outward(error: CCCError) -> None:
    """Move what is said of code that is ours, definitions of verbs and of Python's library, to where that is called,
    and what is said of installed code to where the user calls it; what has no place has that of the call."""
    if any(d.span is not None and of_library(d.span) for d in error.diagnostics):
        error.diagnostics = at_calls(error.diagnostics)
        error.args = (shown(error.diagnostics),)
    if any(d.span is None or any(map(is_ours, (d.span, *d.calls))) for d in error.diagnostics):
        site = call_site()
        error.diagnostics = tuple([moved(d, site) for d in error.diagnostics])
        error.args = (shown(error.diagnostics),)


def is_ours(span: Span) -> bool:
    return span.file.startswith(FOLDERS)


def of_library(span: Span) -> bool:
    """True for places in what is installed, which users do not change."""
    return span.file.startswith(installed())


def moved(d: Diagnostic, site: Span | None) -> Diagnostic:
    calls = [call for call in d.calls if not is_ours(call)]
    if d.span is not None and not is_ours(d.span):
        return replace(d, calls=tuple(calls))
    return replace(d, span=calls[0] if calls else site, calls=tuple(calls[1:]))


def is_installed(cls: Any) -> bool:
    """True for classes and functions of Python and of what is installed, which users do not change.

    >>> import io
    >>> is_installed(io.StringIO), is_installed(Diagnostic)
    (True, False)
    """
    name = cls.__module__
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return name in sys.builtin_module_names or file.startswith(installed())


UNREADABLE = "it is no function of Python whose source could be read"
"""Said of a function that can only be called."""

IN_CALLER = "compute it in the caller, and pass what it gives as an argument"
"""The mend for a call that is given nothing of what the program computes."""


def at_calls(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What is said of installed code, one for each call in the user's code."""
    found: dict[Any, Diagnostic] = {}
    for d in diagnostics:
        told = to_user(d)
        found.setdefault(id(d) if told is d else told.span, told)
    return tuple(found.values())


def makes_object(span: Span) -> bool:
    """Whether a place in installed code is in what makes an object of a class."""
    tree = ast.parse("".join(span.lines))
    return any(isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__") and (
        part.lineno <= span.line <= (part.end_lineno or 0)) for part in ast.walk(tree))


def to_user(d: Diagnostic) -> Diagnostic:
    """What is said of installed code, said of the call in the user's code that leads there."""
    places = [d.span, *d.calls]
    own = next((i for i, span in enumerate(places) if span is not None and not of_library(span)), 0)
    span = places[own]
    if own == 0 or span is None:
        return d
    name, known = callee(span)
    if not name:
        return d
    notes = [note for note in d.notes if note != UNREADABLE]  # which is said of what it calls
    entered = places[own - 1]
    if entered is not None and makes_object(entered):
        return replace(
            d, span=span, calls=tuple([call for call in places[own + 1 :] if call is not None]),
            message=f"`{name}(...)` is an object of a class that cannot be read", notes=(f"{d.message}, at {d.span}",),
            help="make the object, and use it, in the caller",
        )
    return replace(
        d, span=span, calls=tuple([call for call in places[own + 1 :] if call is not None]),
        message=f"`{name}` cannot be read: {d.message}", notes=(f"at {d.span}", *notes),
        help=IN_CALLER if known else f"give it one: `@ccc.derivative_of({name})` above "
        f"`def rule(*args): return {name}(*args), lambda ct: (...)`",
    )


def callee(span: Span) -> tuple[str, bool]:
    """The name that is called at a place, and whether constants alone are given; empty where that is no name."""
    text = "".join(span.lines[span.line - 1 : span.end_line])
    first = len("".join(span.lines[span.line - 1 : span.end_line - 1]))
    try:
        found = ast.parse(text[span.column : first + span.end_column], mode="eval").body
    except SyntaxError:
        return "", False
    if not isinstance(found, ast.Call) or not (name := ast.unparse(found.func)).replace(".", "").isidentifier():
        return "", False
    return name, all(isinstance(x, ast.Constant) for x in [*found.args, *[k.value for k in found.keywords]])


ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDERS = tuple([os.path.join(ROOT, package, "") for package in ("ccc", "compile", "laws")])


@cache
def installed() -> tuple[str, ...]:
    """The folders of what is installed."""
    import sysconfig

    return tuple([os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "purelib", "platlib")])


def unsupported(code: str, message: str, span: Any, *notes: str, help: str = "") -> UnsupportedPython:
    """The error for a construct that is refused."""
    return UnsupportedPython(Diagnostic(code, in_python(message), span, tuple(map(in_python, notes)), help))


def mismatch(code: str, message: str, span: Any, *notes: str, help: str = "") -> TypeMismatch:
    """The error for values that do not fit."""
    return TypeMismatch(Diagnostic(code, in_python(message), span, tuple(map(in_python, notes)), help))


def without_value(value: Any, what: str, place: Any) -> CompileError:
    """The error for a part of a list, dict or object without a value that could be used
    (`ccc.compile.frontend.values.Unbound`)."""
    return mismatch(value.code, value.message.format(what), place, value.why,
                    help="give it a value of one type on every path")


def nearest(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """The mend for a name that is none of those that there are.

    >>> import math
    >>> nearest("sine", dir(math))
    'write `sin`'
    >>> nearest("sun", ["sum", "sin", "mean"])
    'write `sum` or `sin`'
    """
    from difflib import SequenceMatcher, get_close_matches

    found = get_close_matches(name, names, *((1, 0.7) if len(name) > SHORT else (2, 0.6)))
    alike = [SequenceMatcher(None, other, name).ratio() for other in found]  # as they are compared there
    best = [f"`{other}`" for other, ratio in zip(found, alike, strict=True) if ratio == alike[0]]
    return f"write {' or '.join(best)}" if best else otherwise


SHORT = 3
"""In a name of so many letters one that is wrong is much, and others may be as near."""


def counted(count: int, what: str = "argument") -> str:
    """A number of arguments, or of something else.

    >>> counted(1), counted(2)
    ('1 argument', '2 arguments')
    """
    return f"{count} {what}{'s' if count != 1 else ''}"


STANDS_FOR = {
    "Text": "str", "List": "list", "Record": "object", "Closure": "function", "Choice": "function", "Method": "method",
    "Range": "range", "Iterator": "iterator", "Once": "iterator", "Endless": "iterator", "Zip": "zip", "Type": "type",
    "Enumerate": "enumerate", "Linear": "pullback", "Super": "super",
}  # fmt: skip
"""What values of the front end stand for, whose classes NumPy and Python name in their errors."""


def in_python(text: str) -> str:
    """A text with the classes of Python instead of those of the compiler.

    >>> in_python("bad operand type for abs(): 'TextValue'")
    "bad operand type for abs(): 'str'"
    """
    text = re.sub(r"<compile\.values\.(\w+) object at 0x[0-9a-f]+>", r"\1", text)
    return re.sub(r"\b([A-Z]\w*)Value\b", lambda found: STANDS_FOR.get(found[1], found[0]), text)


__all__ = [
    "CompileError", "Diagnostic", "Span", "TypeMismatch", "UnsupportedPython", "WrongArguments", "as_data", "call_site",
    "counted", "in_python", "is_installed", "mismatch", "nearest", "outward", "shown", "span_of_frame", "telling",
    "unsupported", "warned",
]
