"""Texts that are made of values: what Python's formatting gives is one `TextValue`, however it is written.

    f"{x:.2f}"    "%.2f" % x    "{:.2f}".format(x)    format(x, ".2f")    "W" + str(i)    "_".join([s, str(i)])

Where a text has to be known, as a key of a dict, its whole numbers are settled, and a loop that they count is read item
by item; where that cannot be, the program makes the text when it runs.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import effects, settling
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.regions import is_tuple
from ccc.compile.frontend.values import Frame, ListValue, TextValue, plain_int, variables_in
from ccc.compile.program.lam import Var
from ccc.objects import Bool, Int, Text, is_discrete
from ccc.primitives import effects as of_effects, texts as of_texts

LONGEST = 64
"""How many items a range has at most that is read item by item, so that texts made of its numbers are known."""
PERCENT = r"%(?:(%)|([-+ #0]*\d*(?:\.\d+)?)([diouxXeEfFgGcrsa]))"

Parts = list[tuple[tuple[Any, ...], tuple[Any, ...]]]


def joined(parts: Parts) -> Any:
    """The text of pieces, each a form and its values."""
    form = tuple([part for found, _ in parts for part in found])
    values = tuple([value for _, found in parts for value in found])
    return TextValue(form, values) if values else "".join(form)


def form_of(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (value.form, value.values) if isinstance(value, TextValue) else ((value,), ())


def is_text(value: Any) -> bool:
    """True for texts, known or not."""
    return isinstance(value, (str, TextValue)) or (isinstance(value, Var) and isinstance(value.object, Text))


def added(e: Elaboration, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a + b` of two texts."""
    return joined([pieces(e, x, node, frame) for x in (a, b)])


def repeated(e: Elaboration, a: Any, b: Any) -> Any:
    """`a * b` of a text and a whole number of which one is not known; None for other values."""
    for text, times in ((a, b), (b, a)):
        counted = isinstance(times, Var) and isinstance(times.object, Int)
        if is_text(text) and (counted or (isinstance(times, int) and not isinstance(text, str))):
            made = e.always(of_effects.text, text.values, form=text.form) if isinstance(text, TextValue) else text
            return of_texts.repeated(made, times)
    return None


def pieces(e: Elaboration, x: Any, node: ast.AST, frame: Frame) -> Any:
    """The form of a text, and its values."""
    return form_of(x) if isinstance(x, (str, TextValue)) else effects.piece(e, "", "", x, node, frame)


def of_values(conversion: str) -> Callable[..., Any]:
    """`str`, `repr` and `format` as handlers of calls."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        if not args and conversion == "s" and not kwargs:
            return ""
        spec = args[1] if len(args) == 2 and not conversion else ""
        if kwargs or len(args) != (2 if spec else 1) or not isinstance(spec, str):
            raise unsupported("CC003", "a text is made of one value, with a format that is known", e.place(node, frame),
                              help="write an f-string")
        return joined([effects.piece(e, conversion, spec, e.handlers.whole(e, args[0], node, frame), node, frame)])

    return handler


def in_base(function: Callable[[int], str], spec: str) -> Callable[..., Any]:
    """`bin`, `oct` and `hex` as handlers of calls: texts in a format."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        value = plain_int(e.handlers.whole(e, args[0], node, frame)) if len(args) == 1 and not kwargs else None
        if isinstance(value, int):
            return function(value)
        if not isinstance(value, Var) or not isinstance(value.object, (Int, Bool)):
            raise mismatch("CC027", f"{function.__name__}() needs an integer", e.place(node, frame),
                           help="make it one: int(...)")
        return joined([effects.piece(e, "", spec, value, node, frame)])

    return handler


def percent(e: Elaboration, text: str, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`text % value`."""
    value = e.handlers.whole(e, value, node, frame) if is_tuple(value) else value
    values = list(value) if type(value) is tuple else [value]
    parts: Parts = []
    at = taken = 0
    for found in re.finditer(PERCENT, text):
        parts.append(((text[at : found.start()],), ()))
        at = found.end()
        if found[1]:
            parts.append((("%",), ()))
            continue
        if taken < len(values):
            shown, kind = effects.to_show(e, found[3], "", values[taken], node, frame)
            parts.append(effects.piece(e, "%", found[2] + (kind or "s"), shown, node, frame))
        taken += 1
    if taken != len(values) or "%" in re.sub(PERCENT, "", text):
        raise mismatch("CC027", f"the text {text!r} is not for {len(values)} values", e.span(node, frame),
                       help="write an f-string")
    return joined([*parts, ((text[at:],), ())])


def by_method(e: Elaboration, text: str, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
              frame: Frame) -> Any:
    """`text.format(...)` and `text.join(...)` of values; None for other methods."""
    if name == "format":
        return formatted(e, text, args, kwargs, node, frame)
    if name == "join" and len(args) == 1 and isinstance(args[0], (ListValue, tuple)):
        items = args[0].items if isinstance(args[0], ListValue) else list(args[0])
        if all(map(is_text, items)):
            found = [pieces(e, x, node, frame) for x in items]
            return joined([part for i, x in enumerate(found) for part in ([((text,), ())] if i else []) + [x]])
    return None


def formatted(
    e: Elaboration, text: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`text.format(...)`."""
    parts: Parts = []
    given: dict[Any, Any] = {**{str(i): x for i, x in enumerate(args)}, **kwargs}
    count = 0
    for before, name, spec, conversion in string.Formatter().parse(text):
        parts.append(((before,), ()))
        if name is None:
            continue
        if name == "":
            name, count = str(count), count + 1
        if name not in given or "{" in (spec or ""):
            raise unsupported("CC003", f"the field `{{{name}}}` of this text is not supported", e.span(node, frame),
                              help="write an f-string")
        value, conversion = effects.to_show(e, conversion or "", spec, given[name], node, frame)
        parts.append(effects.piece(e, conversion, spec or "", value, node, frame))
    return joined(parts)


def of_program(e: Elaboration, value: Any) -> Any:
    """A text with values in it as one that the program has, whose letters it reads; any other value itself."""
    return e.always(of_effects.text, value.values, form=value.form) if isinstance(value, TextValue) else value


ROUNDED = r"\.\d[feEgG%]$"
"""The formats that give few digits of a real number, between which it may move."""


def says_a_real(text: Any) -> bool:
    """Whether a text that is made of values says all digits of a real number: what is read of it moves with that."""
    if not isinstance(text, TextValue):
        return False
    formats = [part for part in text.form if not isinstance(part, str)]
    return any(isinstance(x, Var) and not is_discrete(x.object) and not re.search(ROUNDED, spec)
               for (_, spec), x in zip(formats, text.values, strict=True))


def item(e: Elaboration, value: Var, key: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A letter of a text that the program has, or a slice of it."""
    if isinstance(key, slice):
        bounds = [key.start, key.stop, key.step]
        return of_texts.part(value, *[b for b in bounds if b is not None], kept=tuple([b is not None for b in bounds]))
    if isinstance(key, int) or (isinstance(key, Var) and isinstance(key.object, Int)):
        return of_texts.letter(value, key)
    raise mismatch("CC027", "this index is not an integer", e.place(node, frame), help="make it one: int(...)")


# -- where a text has to be known --------------------------------------------------------------------------------


def text(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value that may be a text: known where it can be, else made by the program when it runs."""
    if type(value) is tuple:
        return tuple([text(e, part, node, frame) for part in value])
    if not isinstance(value, TextValue):
        return value
    if all(isinstance(v.object, (Int, Bool, Text)) for v in value.values if isinstance(v, Var)):
        settling.read_by_items(e, variables_in(value))
        known = [settling.settled(e, v) if isinstance(v, Var) else v for v in value.values]
        if None not in known:
            return of_effects.formatted(value.form, known)
    return e.always(of_effects.text, value.values, form=value.form)


def items_of_range(e: Elaboration, over: RangeValue) -> Any:
    """A range as the tuple of its numbers, where it has few and they can be known."""
    bounds = [settling.settled(e, b) if isinstance(b, Var) else b for b in over.bounds]
    if any(type(b) is not int for b in bounds) or range(*bounds)[LONGEST:]:  # type: ignore[arg-type]
        return over
    return tuple(range(*bounds))  # type: ignore[arg-type]
