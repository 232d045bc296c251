"""What a Python expression denotes while a function is elaborated.

Numbers, strings, functions, modules and tuples that are known stand for themselves; what is known only when the program
runs is a variable of the λ-program. Beside these there are the values below, which never exist at run time.
"""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

from ccc.compile.frontend.names import cell_names, local_names
from ccc.compile.frontend.source import File, outer_value
from ccc.compile.program.lam import Atom, Block, Lit, Node, Shaped, Var, like
from ccc.compile.terms.plan import Kind
from ccc.objects import Record, Source, Static
from ccc.objects_of_values import object_of


def atom_of(value: Any) -> Atom:
    """A value as an atom of a let."""
    return value if isinstance(value, (Var, Lit)) else Lit(value, object_of(value))


def number_chosen(value: Any) -> Any:
    """The number of a member of an `IntEnum`, or the text of one of a `StrEnum`, that is chosen when the program runs;
    anything else as it is."""
    if isinstance(value, RecordValue):
        return value.fields["value"] if getattr(value.cls, "__ccc_number__", False) else value
    carried = value.object if isinstance(value, Var) else None  # by a loop of which one run was read
    found = carried.value if isinstance(carried, Static) else None
    return int(found) if isinstance(found, int) and isinstance(found, enum.Enum) else value


def plain_int(value: Any) -> Any:
    """A known number of a class below int, as a member of an `IntEnum`, as the int that it is where Python computes or
    counts places with it; anything else as it is.

    >>> import enum
    >>> plain_int(enum.IntEnum("Axis", ["X", "Y"]).Y), plain_int(True), plain_int(2.0)
    (2, True, 2.0)
    """
    value = number_chosen(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


class OwnName(str):
    """A name of the compiler's own, under which a frame holds what no name of the program stands for; in messages its
    text says what that is.

    >>> env = {OwnName("what is iterated"): 1.0, "x": 2.0}
    >>> env["what is iterated"], [isinstance(name, OwnName) for name in env]
    (1.0, [True, False])
    """

    __slots__ = ()


HERE = "ccc.compile."
"""Where the definitions of this library stand."""
PYTHON = f"{HERE}libraries.python_"
"""Where those stand that are read as what users write."""


def is_ours(function: Any) -> bool:
    """True for definitions of this library."""
    return (getattr(function, "__module__", None) or "").startswith(HERE)


def is_of_project(function: Any) -> bool:
    """True for what the project is written in, methods of its classes among it: messages do not show it."""
    return (getattr(function, "__module__", None) or "").startswith("ccc.")


def is_of_library(function: Any) -> bool:
    """True for definitions of this library whose lists and objects nobody else sees."""
    return is_ours(function) and not function.__module__.startswith(PYTHON)


class Frame:
    """The variables of one activation of a user function, and where its names are looked up next.

    `local` are the names that are local to the function, `cells` those that functions inside it write to; `caller` is
    the call (its node and frame) that made it; `shared` are the places of variables that functions share which are
    kept, and `site` is where the activation begins.
    """

    __slots__ = ("at", "caller", "cells", "env", "file", "function", "local", "name", "node", "outer", "serial",
                 "shared", "site")

    @property
    def of_library(self) -> bool:
        """True where a definition of this library is read, whose lists and objects nobody else sees."""
        return is_of_library(self.function)

    def __init__(
        self, name: str, file: File, function: Any, outer: Frame | None, node: Any = None, caller: Any = None,
    ) -> None:
        self.name = name
        self.file = file
        self.function = function
        self.outer = outer
        self.node = node
        self.local: frozenset[str] = local_names(node) if node is not None else frozenset()
        self.cells: frozenset[str] = cell_names(node) if node is not None else frozenset()
        self.env: dict[str, Any] = {}
        self.caller = caller
        self.serial = next(_serials)
        self.shared: dict[str, Node] = {}
        self.site: ast.AST | None = node
        self.at: ast.stmt | None = None  # the statement that is being executed

    def copy(self) -> Frame:
        """The same activation with an environment of its own, empty."""
        twin = Frame(self.name, self.file, self.function, self.outer, None, self.caller)
        twin.local = self.local
        twin.cells = self.cells
        twin.site = self.site
        return twin


class ClosureValue:
    """A nested `def` or `lambda`: its syntax, the frame it closes over, and one λ of the program for each signature
    that it is called with. `attributes` are what it was given, as `f.terminal = True`, known values; MISSING stands for
    one that was asked for and was not there. `itself` is the same for all that stand for one object, None where that is
    not known."""

    __slots__ = ("attributes", "block", "defaults", "frame", "itself", "name", "node", "variants", "whole")

    def __init__(
        self, node: ast.FunctionDef | ast.Lambda, frame: Frame, defaults: dict[str, Any], block: Block,
    ) -> None:
        self.node = node
        self.frame = frame
        self.defaults = defaults
        self.name = getattr(node, "name", "function")
        self.block = block
        self.variants: dict[Any, Variant] = {}
        self.whole: Var | None = None
        self.attributes: dict[str, Any] = {}
        self.itself: ClosureValue | None = self

    def twin(self, node: Any, frame: Frame, defaults: dict[str, Any], block: Block) -> ClosureValue:
        """The same function, closing over another frame or with other syntax."""
        found = ClosureValue(node, frame, defaults, block)
        found.attributes, found.itself = self.attributes, None
        return found


class Variant:
    """A λ of the program: the function variable, and the tree of results with variables of its body at the leaves."""

    __slots__ = ("captured", "function", "params", "position", "result")

    def __init__(self, function: Var, result: Any, captured: Any, params: list[Var], position: int) -> None:
        self.function = function
        self.position = position
        self.result = result
        self.captured = captured
        self.params = params


class ChoiceValue:
    """One of two functions, by a test: calling it is a branch."""

    __slots__ = ("orelse", "test", "then")

    def __init__(self, test: Var, then: Any, orelse: Any) -> None:
        self.test = test
        self.then = then
        self.orelse = orelse


class TypeValue:
    """The class of a value that is one of several records, or of what an operation raised."""

    __slots__ = ("owner",)

    def __init__(self, owner: Var | RecordValue) -> None:
        self.owner = owner


class SumMethod:
    """A method of a value that is one of several records, not called yet."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Var, name: str) -> None:
        self.owner = owner
        self.name = name


class MethodValue:
    """A method of an array, not called yet."""

    __slots__ = ("method", "name", "owner")

    def __init__(self, owner: Any, name: str, method: Callable[..., Any]) -> None:
        self.owner = owner
        self.name = name
        self.method = method


class TextValue:
    """A text with values in it, of an f-string; it is made when it is shown. See `ccc.primitives.effects`."""

    __slots__ = ("form", "values")

    def __init__(self, form: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        self.form = form
        self.values = values


class KnownSet(frozenset[Any]):
    """A set that is known while compiling, which nothing changes; `real` is one made as Python makes it, which has its
    order, or None where that is not known."""

    real: set[Any] | frozenset[Any] | None

    def __new__(cls, items: Any, real: Any = None) -> KnownSet:
        found = super().__new__(cls, items)
        found.real = real
        return found

    def __repr__(self) -> str:
        return repr(set(self))


def real_of(found: frozenset[Any]) -> set[Any] | frozenset[Any] | None:
    """A set as Python has it; None where its order is not known."""
    return found.real if isinstance(found, KnownSet) else found


class Mutable:
    """A list or record of the compiler that Python could change: `shared` says who else sees it, where it must not
    change; `serial` counts them in the order in which they were made."""

    __slots__ = ("serial", "shared")

    def __init__(self, shared: bool | str) -> None:
        self.serial = next(_serials)
        self.shared: bool | str = shared

    def contents(self) -> Any:
        """What it holds now."""
        raise NotImplementedError

    def restore(self, contents: Any) -> None:
        """Hold that again."""
        raise NotImplementedError


_serials = count()


class ListValue(Mutable):
    """A list whose items are known one by one; `shared` where the caller sees it too."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any], shared: bool | str = False) -> None:
        super().__init__(shared)
        self.items = items

    def contents(self) -> list[Any]:
        return list(self.items)

    def restore(self, contents: list[Any]) -> None:
        self.items = list(contents)


class RecordValue(Mutable):
    """An object with attributes, or a dict with constant keys; its parts are known one by one. `whole` is the variable
    that it was taken from, `original` the same object before its integers became reals."""

    __slots__ = ("cls", "fields", "original", "whole")

    def __init__(self, cls: type, fields: dict[Any, Any], shared: bool | str = False) -> None:
        super().__init__(shared)
        self.cls = cls
        self.fields = fields
        self.whole: Var | None = None
        self.original: RecordValue | None = None

    def contents(self) -> dict[Any, Any]:
        return dict(self.fields)

    def restore(self, contents: dict[Any, Any]) -> None:
        self.fields = dict(contents)

    def like(self, parts: Iterable[Any], shared: bool | str | None = None) -> RecordValue:
        """A record of the same class with other parts."""
        fields = dict(zip(self.fields, parts, strict=True))
        return RecordValue(self.cls, fields, self.shared if shared is None else shared)


class AttributesValue(RecordValue):
    """The dict of an object's attributes, `vars(x)`: it shows what the object has now, which `now` gives, and an item
    that is assigned is an attribute of that."""

    __slots__ = ("now", "owner")

    def __init__(self, owner: Any, now: Callable[[], RecordValue]) -> None:
        self.owner = owner
        self.now = now
        super().__init__(dict, self.fields, "the object")

    @property
    def fields(self) -> dict[Any, Any]:
        return self.now().fields

    @fields.setter
    def fields(self, new: dict[Any, Any]) -> None:
        if self.now() is self.owner:
            self.owner.fields = new


class View(Shaped):
    """The keys, values or items of a dict whose keys are known, when they were asked for."""

    owner: RecordValue
    kind: str
    other: RecordValue | None = None
    """The dict that it shows if a branch went the other way."""

    @staticmethod
    def of(owner: RecordValue, kind: str) -> View:
        """What the dict holds now."""
        view = View(tuple(getattr(owner.fields, kind)()))
        view.owner, view.kind = owner, kind
        return view

    def like(self, parts: Iterable[Any]) -> View:
        """The view of the same dict, with what stands for its parts."""
        view = View(parts)
        view.owner, view.kind, view.other = self.owner, self.kind, self.other
        return view

    def now(self) -> View:
        """What the dict holds now; one of two may not change meanwhile."""
        return self if self.other is not None else View.of(self.owner, self.kind)

    @property
    def key(self) -> tuple[int, int, str]:
        """What tells it from views of other dicts."""
        return id(self.owner), id(self.other), self.kind

    def shows(self, owner: Any) -> bool:
        """Whether it is a view of this dict, or may be one."""
        return owner is self.owner or owner is self.other


def closed(value: Any) -> Any:
    """A value to be kept: objects that were taken from variables of the program as these, in tuples too."""
    if isinstance(value, RecordValue):
        return value.whole if value.whole is not None and isinstance(value.whole.object, Record) else value
    if isinstance(value, tuple):
        parts = [closed(part) for part in value]
        return value if all(x is y for x, y in zip(value, parts, strict=True)) else like(value, parts)
    return value


class _Items:
    """The one part of a dict whose keys are not known: a map of the program."""

    def __repr__(self) -> str:
        return "items"


ITEMS = _Items()


class _Factory:
    """The part of a `defaultdict` that says what a missing item is."""


FACTORY = _Factory()
TOLD = "told"
"""The part of an exception that an operation raised: a text of the program that tells its class and arguments."""


def told_by(value: Any) -> Any:
    """The text that tells which exception an operation raised, None for other values: the class of such a value is not
    known while compiling."""
    raised = isinstance(value, RecordValue) and isinstance(value.cls, type) and issubclass(value.cls, BaseException)
    return value.fields.get(TOLD) if raised else None  # type: ignore[union-attr]


def COUNTED() -> int:
    """The default of a `Counter`."""
    return 0


class Unbound:
    """A name that has no value here that could be used, and why."""

    __slots__ = ("absent", "code", "message", "raises", "why")

    def __init__(
        self, why: str, message: str = "`{}` may be unbound here", code: str = "CC007", absent: bool = False,
        raises: bool = False,
    ) -> None:
        self.why = why
        self.message = message
        self.code = code
        self.absent = absent  # it surely has no value
        self.raises = raises  # to read it raises when the program runs, which may be what another run is for


NOT_YET = Unbound("it is a name of this function, and nothing has bound it so far", absent=True)

UNKNOWN_YET = Unbound("a branch may bind it that gives what is not known yet")


UNSET = Unbound("nothing reads it before it is bound", absent=False)
"""A variable that each way to where it is read binds: behind a branch or a loop it is what one way gives."""


class Perhaps(Unbound):
    """A name that has a value on some paths: `bound` is known or a bool of the program. See
    `ccc.compile.frontend.presence`."""

    __slots__ = ("bound", "value")

    def __init__(self, value: Any, bound: Any) -> None:
        super().__init__("bound on some paths only")
        self.value = value
        self.bound = bound


class LinearValue:
    """The pullback or differential of a function at arguments of the program: `kind` says which, `takes` how many
    cotangents or tangents; `apply(given, node, frame, fits=False)` gives the cotangents of the arguments or the tangent
    of the value; with `fits`, what is given is not compared with these. `at` is where tangents begin."""

    __slots__ = ("apply", "at", "kind", "takes")

    def __init__(self, kind: Kind, takes: int, apply: Callable[..., Any], at: Sequence[Any]) -> None:
        self.at = at
        self.kind = kind
        self.takes = takes
        self.apply = apply


def is_drawn(value: Any) -> bool:
    """True for a variable that stands for a source of random numbers."""
    return isinstance(value, Var) and isinstance(value.object, Source)


def is_function(value: Any) -> bool:
    """True for values that can be called."""
    if isinstance(value, (ClosureValue, ChoiceValue, MethodValue, LinearValue, SumMethod)):
        return True
    return callable(value) and not isinstance(value, Var)


def variables_in(value: Any) -> list[Var]:
    """The variables of the program inside a value, left to right."""
    if isinstance(value, Var):
        return [value]
    if isinstance(value, tuple):
        return [v for part in value for v in variables_in(part)]
    if isinstance(value, ListValue):
        return [v for part in value.items for v in variables_in(part)]
    if isinstance(value, RecordValue):
        return [v for part in value.fields.values() for v in variables_in(part)]
    if isinstance(value, types.MethodType):
        return variables_in(value.__self__)
    if isinstance(value, TextValue):
        return [v for part in value.values for v in variables_in(part)]
    if isinstance(value, Perhaps):
        return variables_in((value.value, value.bound))
    return []


def meant(within: Any, node: ast.AST) -> Any:
    """What a name stands for in an activation, or in a function one of whose own it is not; None where that is not
    known."""
    if not isinstance(node, ast.Name):
        return None
    function, frame = within, within if isinstance(within, Frame) else None
    if isinstance(within, ClosureValue):
        if node.id in local_names(within.node):
            return None
        frame = within.frame
    while frame is not None and node.id not in frame.local:
        function, frame = frame.function, frame.outer
    if frame is not None:
        return frame.env.get(node.id)
    if isinstance(function, types.MethodType):
        function = function.__func__
    return outer_value(node, function) if isinstance(function, types.FunctionType) else None
