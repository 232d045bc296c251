"""Names that have a value on some paths only.

Such a name stands for its value, which is anything where it has none, and for a bool of the program that says whether
it has one. Where it is read and has none, the program raises what Python raises. Names that nothing reads any more do
not need a bool; `ccc.compile.frontend.liveness` says which those are.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, nearest
from ccc.compile.frontend import absences, interrupts, sums
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.joins import Join, absent, together
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.names import FUNCTIONS
from ccc.compile.frontend.parts import MISSING, class_attribute, is_cell
from ccc.compile.frontend.regions import class_behind, region_of
from ccc.compile.frontend.values import NOT_YET, UNKNOWN_YET, ClosureValue, Frame, Perhaps, RecordValue, Unbound
from ccc.compile.program.lam import Block, BlockKind, Node
from ccc.primitives import effects
from ccc.primitives.complexes import Complex


def joined(joining: Join, a: Any, b: Any, name: str, node: ast.AST, frame: Frame) -> Any:
    """A name that has a value behind one of two branches, or behind both on some paths; None where nothing is known of
    it, or nothing reads it. Raises `Differ` where its values differ in type."""
    sides = a, b
    if absent(a) and absent(b):
        return NOT_YET
    plain = any(isinstance(v, Unbound) and not (v.absent or isinstance(v, Perhaps)) for v in sides)
    if plain or any(map(is_cell, sides)) or frame.node is None or name not in liveness(frame.node).behind(node):
        return None
    return together(joining, a, b)


def of_one_arm(env: dict[str, Any], frame: Frame) -> dict[str, Any]:
    """The names behind two branches, one of which gives what is not known yet: it may bind more of them."""
    return {**dict.fromkeys(sorted(frame.local - env.keys()), UNKNOWN_YET), **env}


def lifted(value: Any, other: Perhaps) -> Any:
    """What a name stands for at the end of a loop's body, as one that may have no value; `other` is before."""
    if absent(value):
        return Perhaps(other.value, False)
    return value if isinstance(value, Unbound) else Perhaps(value, True)


def read(e: Elaboration, name: str, value: Perhaps, node: ast.AST, here: Frame, frame: Frame) -> Any:
    """The value of such a name where it is read; from there on it surely has one."""
    kind, _ = error_of(is_free(here, frame))
    surely(e, value, kind, lambda: fail(e, name, node, here, frame), node, frame)
    if here is frame and frame.env.get(name) is value:
        frame.env[name] = value.value
    return value.value


def is_alone(value: Any, name: str) -> bool:
    """Whether an object has an attribute of this name as its own alone, and none by its class."""
    return class_attribute(value.cls, name) is MISSING and class_attribute(value.cls, "__getattr__") is MISSING


def has(value: Any, name: str) -> bool | None:
    """Whether a value has an attribute; None where that is not known."""
    if isinstance(value, (RecordValue, Node)):
        return record_has(value, name)
    if isinstance(value, ClosureValue):
        return value.attributes.setdefault(name, MISSING) is not MISSING or hasattr(types.FunctionType, name)
    found = class_of(value)
    if found is type(value):
        there = hasattr(value, name)
        if isinstance(value, types.ModuleType | type):
            absences.noted(value, name)
            absences.noted(type(value), name)
        return there
    return None if found is None else in_class(found, name)


def record_has(value: RecordValue | Node, name: str) -> bool | None:
    """Whether an object has an attribute, as one of its own or of its class."""
    if isinstance(value, RecordValue) and value.cls is Complex:  # Python's number or NumPy's, or an array
        array = any(class_of(part) is np.ndarray for part in value.fields.values())
        answers = {in_class(cls, name) for cls in ((np.ndarray,) if array else (complex, np.complex128))}
        return answers.pop() if len(answers) == 1 else None
    cls = class_of(value) or value.cls
    region = region_of(value.cls)
    own = () if value.cls is dict else (
        region.parts if region is not None else value.fields if isinstance(value, RecordValue) else value.names)
    if is_inner(value, name):
        return False
    if name in own:
        return None if isinstance(value, RecordValue) and isinstance(value.fields[name], Unbound) else True
    found = class_attribute(cls, name)
    there = in_class(cls, name) and not isinstance(found, types.MemberDescriptorType)
    computed = isinstance(found, (property, cached_property)) if there else (
        class_attribute(cls, "__getattr__") is not MISSING)
    asked = class_attribute(cls, "__getattribute__")
    return None if computed or (asked is not MISSING and not isinstance(asked, types.WrapperDescriptorType)) else there


def is_inner(value: Any, name: str) -> bool:
    """Whether an object is read as one of another class, and has an attribute there that it has not in Python."""
    cls: Any = class_behind(value.cls) if isinstance(value, (RecordValue, Node)) else object
    original = getattr(cls, "__ccc_class__", None)
    if original is None or in_class(original, name):
        return False
    if not in_class(original, "__dict__") or class_attribute(cls, name) is not MISSING:
        return True
    return getattr(cls, "__ccc_filled__", (None,))[0] == name


def refuse_inner(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> None:
    """Refuse an attribute that only the class has which is read for one of Python's."""
    if is_inner(value, name):
        cls = class_of(value)
        raise mismatch("CC027", f"`{getattr(cls, '__name__', '')}` has no attribute `{name}`", e.span(node, frame),
                       help=nearest(name, dir(cls), "use an attribute that it has"))


def in_class(cls: type, name: str) -> bool:
    """Whether objects of a class have an attribute by their class, which are not those that the class itself has.

    >>> in_class(float, "real"), in_class(float, "__call__"), hasattr(float, "__call__")
    (True, False, True)
    """
    found = any(name in vars(base) for base in cls.__mro__)
    absences.noted(cls, name)
    return found


def attribute(e: Elaboration, text: str, value: Perhaps, node: ast.AST, frame: Frame) -> Any:
    """The value of an attribute that has one on some paths only, where it is read; `text` is what Python says else."""
    def missing() -> None:
        e.recorder.span = e.span(node, frame)
        e.always(effects.fail, (AttributeError,), forms=((text,),))

    surely(e, value, AttributeError, missing, node, frame)
    return value.value


def outcome(e: Elaboration, test: Any) -> bool | None:
    """Whether a test is true here, which may be known; None where that shows when the program runs."""
    return test if isinstance(test, bool) else sums.holds(e, test)


def surely(
    e: Elaboration, value: Perhaps, kind: type, fails: Callable[[], None], node: ast.AST, frame: Frame
) -> None:
    """Record what raises where there is no value; from there on there surely is one. Where a `try` catches an error of
    this `kind`, the statement under way is read once for each."""
    bound: Any = value.bound
    known = outcome(e, bound)
    if known is True:
        return
    if e.attempts.catches(kind):
        if known is None:
            raise interrupts.Divided(bound, e.recorder.block)
        fails()
        raise interrupts.Ends
    block, missing = Block(BlockKind.BRANCH, e.recorder.block), Block(BlockKind.BRANCH, e.recorder.block)
    joining = Join(e, bound, (block, missing), e.span(node, frame))
    e.inside(missing, fails)
    joining.finish()
    sums.assume(e, bound, True)


def fail(e: Elaboration, name: str, node: ast.AST, here: Frame, frame: Frame) -> None:
    """Record that a name which has no value is read here."""
    kind, text = error_of(is_free(here, frame))
    e.recorder.span = e.span(node, frame)
    e.always(effects.fail, (kind,), forms=((text.replace("name", name, 1) if name else text,),))


def is_free(here: Frame, frame: Frame) -> bool:
    """True where a name belongs to a function around the one that reads it."""
    while frame is not here:
        if isinstance(frame.node, FUNCTIONS) or sys.version_info < (3, 12):
            return True
        assert frame.outer is not None
        frame = frame.outer
    return False


@lru_cache(maxsize=2)
def error_of(free: bool) -> tuple[type, str]:
    """The class of the error of the running Python, and its text for `name`."""
    def outer() -> None:
        def inner() -> Any:
            return name

        inner() if free else name  # noqa: F821  # type: ignore[reportUnboundVariable]
        name = None

    try:
        outer()
    except NameError as error:
        return type(error), str(error)
    raise AssertionError("a name without a value was read")
