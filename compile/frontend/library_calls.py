"""Calls of library functions: arguments as these take them, a refusal that names what they do not take."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import settling, sums, texts
from ccc.compile.frontend.describing import class_of, described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import IteratorValue, RangeValue
from ccc.compile.frontend.parameters import unknown_keys
from ccc.compile.frontend.values import (
    ITEMS,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    MethodValue,
    RecordValue,
    TextValue,
    plain_int,
    variables_in,
)
from ccc.compile.program.lam import Node, Var
from ccc.objects import Array
from ccc.paired import PAIRS
from ccc.primitives import complexes
from ccc.primitives.adaptors import real_array
from ccc.primitives.arguments import NotConstant
from ccc.primitives.primitive import Primitive, recording, sample
from ccc.primitives.texts import Reading


def adapted(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], name: str, node: ast.AST,
    frame: Frame | None, arrays: bool = False, function: Any = None,
) -> Any:
    """A library function: arguments as it takes them, with `arrays` sequences as arrays, a refusal that names what it
    does not take."""
    if ITEMS in kwargs:
        raise unknown_keys(e.place(node, frame))
    if isinstance(adaptor, Reading):
        if adaptor.moves and any(map(texts.says_a_real, args)):
            raise text_with_values(e, node, frame)
        args = [texts.of_program(e, a) for a in args]
    plain = [natural(e, a, node, frame) for a in args]
    named = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
    if isinstance(adaptor, Primitive) and isinstance(adaptor.source, str):
        wanted = adaptor.source.count("{}")
        if named or wanted != len(plain):
            raise unsupported("CC020", f"`{name}` with these arguments is not supported", e.place(node, frame),
                              f"it takes {wanted} without a name, {len(plain) + len(named)} were given",
                              help=f"give {wanted}")
    try:
        while True:
            try:
                if not any(variables_in(natural_tree(a)) for a in [*plain, *named.values()]):
                    return constant_call(e, adaptor, plain, named, arrays)
                as_numpy_takes(function, plain, named)
                refuse_computed(adaptor, named)
                found = adaptor(*map(real_array, plain), **named) if arrays else adaptor(*plain, **named)
                if isinstance(found, np.ndarray):  # made of what is known of the arguments: anew in each run
                    found = Marker(e.recorder).run(adaptor, plain, named)
                return as_value(found)
            except NotConstant as error:
                plain, named = with_constant(e, error, plain, named)
    except TypeError as error:
        text = str(error)
        if "unexpected keyword" in text or "positional argument" in text or "required" in text:
            raise unsupported("CC020", f"`{name}` with these arguments is not supported", e.place(node, frame),
                              re.sub(r"^\S+\(\) ", "it ", text),
                              help="leave out the keyword, or compute it in two steps") from error
        of_program = said_of_classes(text, [*plain, *named.values()])
        if of_program != text:
            raise TypeError(of_program) from error
        raise


def said_of_classes(text: str, values: list[Any]) -> str:
    """What Python says of values that the compiler has, said of the classes of the objects that they stand for."""
    for value in values:
        found = class_of(value)
        if found is not None and found is not type(value):
            text = text.replace(f"'{type(value).__name__}'", f"'{found.__name__}'")
    return text


def refuse_computed(adaptor: Callable[..., Any], named: dict[str, Any]) -> None:
    """Raise `NotConstant` for a parameter of a primitive, which is text in what is emitted, that is computed."""
    for name, value in named.items() if isinstance(adaptor, Primitive) else ():
        for computed in variables_in(natural_tree(value)):
            raise NotConstant(name, computed)


def with_constant(
    e: Elaboration, error: NotConstant, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with the number that has to be known as it is in the call that code is made for. Raises the error
    where that does not depend on sizes and whole numbers alone."""
    if isinstance(error.value, Var):
        settling.read_by_items(e, [error.value])
    known = settling.settled(e, error.value)

    def put(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(put, x)) if type(x) in (list, tuple) else x
        return known if x is error.value else x

    found = list(map(put, args)), {k: put(x) for k, x in kwargs.items()}
    if known is None or error.value in variables_in((natural_tree(found[0]), natural_tree([*found[1].values()]))):
        raise error
    return found


def of_parts(real: Any, imag: Any) -> RecordValue:
    """A complex number of the program."""
    return RecordValue(complexes.Complex, {"real": real, "imag": imag})


def as_value(found: Any) -> Any:
    """What an adaptor gives: a named tuple is a record, and so is a complex number."""
    if isinstance(found, tuple(PAIRS)):
        return of_parts(found.real, found.imag)
    if type(found) is tuple:
        return tuple(map(as_value, found))
    fields = getattr(type(found), "_fields", None) if isinstance(found, tuple) else None
    return found if fields is None or isinstance(found, Node) else Node.of(type(found), fields, map(as_value, found))


def as_method(name: str, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(owner, name)(*args, **kwargs)


def is_of_numpy(function: Any) -> bool:
    return (getattr(function, "__module__", "") or "").startswith("numpy")


def as_numpy_takes(function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise NumPy's own `TypeError` for a flag or a list of numbers in an option's place that its function does not
    take: it is asked with samples of the arguments."""
    options = [*args[1:], *kwargs.values()]
    if function is None or not any(isinstance(x, bool) or is_list_of_numbers(x) for x in options):
        return
    refusal: TypeError | None = None
    sizes = [None, *{len(x) for x in options if is_list_of_numbers(x)}]
    for number, size in [(number, size) for size in sizes for number in (1.0, 0.0)]:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                function(*[sampled(x, number, size) for x in args],
                         **{k: sampled(x, number, size) for k, x in kwargs.items()})
        except TypeError as error:
            refusal = error
            continue
        except Exception:
            return  # a fault of the sample, or of what is found where the program runs
        return
    if refusal is not None:
        raise refusal


def is_list_of_numbers(x: Any) -> bool:
    return isinstance(x, list) and all(isinstance(item, int) for item in x)


def sampled(x: Any, number: float, size: int | None = None) -> Any:
    """A value with samples for what is not known, of which arrays have axes of one size if it is given."""
    if isinstance(x, (list, tuple)):
        return type(x)([sampled(item, number, size) for item in x])
    if size is not None and isinstance(x, Var) and isinstance(x.object, Array):
        return np.full((size,) * len(x.object.axes or ()), number).astype(x.object.dtype)
    return sample(x.object, number) if isinstance(x, Var) else x


def constant_call(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], arrays: bool
) -> Any:
    """A call whose arguments are all known: scalars are computed now, arrays are made anew in each run."""
    seed = Marker(e.recorder)
    if not isinstance(adaptor, Primitive):
        return as_value(seed.run(adaptor, args, kwargs))
    if arrays:
        args = [seed.run(real_array, [a], {}) if isinstance(a, (list, tuple)) else a for a in args]
    return e.always(adaptor, tuple(args), **kwargs)


class Marker:
    """Runs an adaptor whose primitives must be recorded though their arguments are known."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder

    def run(self, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        with recording(self.recorder):
            return adaptor(*args, **kwargs)


def natural(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a library function takes it."""
    if isinstance(value, RecordValue) and value.cls is complexes.Complex:
        return complexes.Complex(**value.fields)
    if isinstance(value, ListValue):
        return [natural(e, v, node, frame) for v in value.items]
    if type(value) is tuple:
        return tuple([natural(e, v, node, frame) for v in value])
    if isinstance(value, RangeValue):
        return e.sequence(value, node, frame)
    if sums.is_sum(value):
        raise mismatch("CC027", f"this may be {described(value)} here", e.place(node, frame),
                       help="test it before: `is None`, or `isinstance`")
    if isinstance(value, TextValue):
        known = e.handlers.text(e, value, node, frame)
        if isinstance(known, str):
            return known
        raise text_with_values(e, node, frame)
    if isinstance(value, (ClosureValue, ChoiceValue, MethodValue, IteratorValue)):
        raise unsupported("CC022", f"{described(value)} cannot be passed to this function", e.place(node, frame),
                          help="pass numbers and arrays")
    return plain_int(value)


def text_with_values(e: Elaboration, node: ast.AST, frame: Frame | None) -> Exception:
    return unsupported("CC003", "a text with values in it cannot be passed to this function", e.place(node, frame),
                       help="pass the values themselves")


def natural_tree(value: Any) -> Any:
    if isinstance(value, tuple(PAIRS)):
        return (value.real, value.imag)
    return tuple(map(natural_tree, value)) if isinstance(value, list) else value
