"""Variables of classes, functions and modules that a function changes, `Model.calls += 1`, `cost.calls += 1`,
`global calls`: each is an object with one part, as a variable is that an inner function declares `nonlocal`. The caller
lends that object as it lends others, so all is done to it that is done to them, and in the end it is written to the
class, function or module. Where a program defines the class itself, its class statement makes the object.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, ref

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.captures import Reader, Within
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import Changed, Site
from ccc.compile.frontend.parts import MISSING
from ccc.compile.frontend.values import RecordValue
from ccc.compile.program.lam import Block

Owner: TypeAlias = type | types.FunctionType | types.ModuleType
PART = "value"
OF_PROGRAMS: WeakKeyDictionary[type, ast.ClassDef] = WeakKeyDictionary()
"""Classes that programs define, anew in each call, and their statements."""
CHANGES = "changes"
"""Marks the site of a variable of such a class that changes."""


class Variable:
    """A variable of a class or function, as an object with one part.

    >>> class Model:
    ...     calls = 0
    >>> variable = variable_of(Model, "calls")
    >>> object.__setattr__(variable, "value", 2)
    >>> Model.calls, variable["value"], variable_of(Model, "calls") is variable
    (2, 2, True)
    """

    __slots__ = ("cls", "name")

    def __init__(self, cls: Owner, name: str) -> None:
        self.cls = ref(cls)
        self.name = name

    @property
    def value(self) -> Any:
        return own_attribute(self.cls(), self.name)

    @value.setter
    def value(self, new: Any) -> None:
        setattr(self.cls(), self.name, new)

    def __getitem__(self, part: str) -> Any:
        return getattr(self, part)


_variables: WeakKeyDictionary[Owner, dict[str, Variable]] = WeakKeyDictionary()


def variable_of(cls: Owner, name: str) -> Variable:
    """The one object for a variable of a class or function."""
    known = _variables.setdefault(cls, {})
    return known.setdefault(name, Variable(cls, name))


def own_attribute(cls: Any, name: Any) -> Any:
    """What a class itself has for an attribute, or None."""
    return cls.__dict__.get(name)


def is_variable(cls: Owner, name: str) -> bool:
    """True for what a class or function has itself under a name, if no code of its own runs where that changes.

    >>> class Model:
    ...     calls = 0
    ...     def run(self): ...
    >>> is_variable(Model, "calls"), is_variable(Model, "run"), is_variable(type("Other", (Model,), {}), "calls")
    (True, False, False)
    """
    if isinstance(cls, (types.FunctionType, types.ModuleType)):
        return name in vars(cls)
    plain = type(cls).__setattr__ is type.__setattr__
    return plain and name in vars(cls) and not hasattr(type(vars(cls)[name]), "__get__")


def id_of(owner: Owner) -> int:
    """What tells variables of an owner from those of others: names of a module are read in its dict."""
    return id(vars(owner) if isinstance(owner, types.ModuleType) else owner)


def of_program(e: Elaboration, read: Reader) -> tuple[type, str] | None:
    """The class that a program defines at which a reader begins, and its variable: what that holds is made anew in each
    call. None for other readers."""
    name = ""
    while isinstance(read, Within):
        read, name = read.owner, read.label
    found = None if read.rooted else read(e.root)
    return (found, name) if isinstance(found, type) and found in OF_PROGRAMS else None


def begun(e: Elaboration, cls: type, name: str) -> interrupts.InTurn | None:
    """What has a function read again in which the statement of a class makes the object for a variable; None where that
    is known, and the statement cannot."""
    site = CHANGES, OF_PROGRAMS[cls], name
    return interrupts.InTurn(site) if is_variable(cls, name) and site not in e.in_turn else None


def begin(e: Elaboration, variable: Variable, lend: Callable[[Any], Any]) -> None:
    """Read what a variable holds that changes; `lend` gives what the function sees of the object for it."""
    cls: Any = variable.cls()
    again = Within(e.only(cls), own_attribute, variable.name)
    held = e.read(variable.name, (id(cls), variable.name), variable.value, again, None, None)  # type: ignore[arg-type]
    e.class_variables[id_of(cls), variable.name] = lend(RecordValue(Variable, {PART: held}, "the caller"))


class Made(NamedTuple):
    """The object for a variable that the statement of a class made, and the block in which it stands."""

    held: Any
    block: Block


def make(e: Elaboration, cls: type, name: str, value: Any) -> None:
    """Let a variable of a class that is defined here hold a value that changes."""
    e.class_variables[id_of(cls), name] = Made(value, e.recorder.block)


def object_for(e: Elaboration, key: tuple[int, str]) -> Any:
    """The object for the variable that is known by a key; None where it is known to change nowhere."""
    found = e.class_variables.get(key)
    if not isinstance(found, Made):
        return found
    if not any(found.block is around for around in e.recorder.block.ancestors()):
        raise refusal(e, key[1])
    return found.held


def refusal(e: Elaboration, name: str) -> Exception:
    """What is told of a variable of a class of the program's own where its statement cannot make the object for it."""
    frame = e.frames[-1]
    return unsupported("CC011", f"`{name}` changes, a variable of a class that the function defines",
                       e.place(frame.at or frame.node, frame), "the class is defined in a branch, a loop or another "
                       "class, or what the variable is at first is read in the class",
                       help=f"give each object its own in `__init__`: `self.{name} = ...`")


def place(e: Elaboration, cls: Owner, name: str) -> Any:
    """The object for a variable that changes. Raises `Changed` where that was not known."""
    found = object_for(e, (id_of(cls), name))
    if found is None and isinstance(cls, type) and cls in OF_PROGRAMS:
        raise begun(e, cls, name) or refusal(e, name)
    if found is None:
        raise Changed([Site(("variable", id(cls), name), (), Within(e.only(cls), variable_of, name),
                            f"{cls.__name__}.{name}")])
    return found


def now(e: Elaboration, cls: Owner, name: str) -> Any:
    """What a variable that changes holds now, of the function, the class or the base that has it; `MISSING` for any
    other."""
    if isinstance(cls, types.FunctionType):
        return held_at(e, (id(cls), name))
    owner = next((base for base in cls.__mro__ if name in vars(base)), cls) if e.class_variables else cls
    return held_at(e, (id(owner), name))


def held_at(e: Elaboration, key: Any) -> Any:
    """What the variable holds now that is known by a key; `MISSING` where none is."""
    found = object_for(e, key)
    if found is None:
        return MISSING
    return e.lent.standing((found if isinstance(found, RecordValue) else e.handlers.shown(e, found)).fields[PART])
