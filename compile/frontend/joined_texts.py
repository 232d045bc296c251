"""F-strings: texts that are made of values, in formats that are known, are those of the call, or have a width."""

from __future__ import annotations

import ast
import re
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import definitions, effects, settling
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import Frame, TextValue
from ccc.compile.program.lam import Var
from ccc.objects import Bool, Int, Real, Text
from ccc.primitives import effects as shown


def text(e: Elaboration, node: ast.JoinedStr, frame: Frame) -> Any:
    """An f-string: a text where all its values are known, else what is formatted when it is shown."""
    form: list[Any] = []
    values: list[Any] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            form.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        given, conversion = e.expression(part.value, frame), "" if part.conversion < 0 else chr(part.conversion)
        value, conversion = effects.to_show(e, conversion, part.format_spec, given, part, frame)
        spec = "" if part.format_spec is None else e.expression(part.format_spec, frame)
        if isinstance(spec, TextValue):
            spec = settled_format(e, spec)
        if isinstance(spec, TextValue):
            value, conversion, spec = in_width(e, conversion, spec, value, part, frame), "", ""
        more, found = effects.piece(e, conversion, spec, value, part, frame)
        form += more
        values += found
    return TextValue(tuple(form), tuple(values)) if values else "".join(form)


def settled_format(e: Elaboration, spec: TextValue) -> str | TextValue:
    """A format with the numbers of the call that code is made for; the format itself where they are not known."""
    found = [settling.settled(e, x) for x in spec.values]
    return spec if None in found else shown.formatted(spec.form, found)


WIDTH = re.compile(r"(.?[<>])?")
"""What stands before a width that is not known: on which side a value is, and what fills the other one."""


def in_width(
    e: Elaboration, conversion: str, spec: TextValue, value: Any, part: ast.FormattedValue, frame: Frame
) -> Any:
    """The text of a value in a width that is not known, as `f"{name:<{width}}"` and `f"{x:{width}.3f}"` give it."""
    holes = [i for i, p in enumerate(spec.form) if not isinstance(p, str)]
    before, behind = ["".join(spec.form[where]) if len(holes) == 1 else "" for where in (
        slice(0, holes[0]), slice(holes[0] + 1, None))]
    is_text = conversion != "" or isinstance(value, (str, TextValue)) or (
        isinstance(value, Var) and isinstance(value.object, Text))
    is_number = isinstance(value, (int, float)) or (
        isinstance(value, Var) and isinstance(value.object, (Real, Int, Bool)))
    if len(holes) > 1 or not WIDTH.fullmatch(before) or behind[:1].isdigit() or not (is_text or is_number):
        raise unsupported("CC003", "a format that is not known is not supported", e.span(part, frame),
                          help="write the format as a text")
    form, values = effects.piece(e, conversion, behind or ("" if is_text else "0"), value, part, frame)
    side = before[-1:] or ("<" if is_text else ">")
    return definitions.defined(e, "in_width", [e.always(shown.text, values, form=form), spec.values[0],
                                               before[:-1] or " ", side, not is_text], part, frame)
