"""What may lead back to itself, as a text: objects of Python's are made of it when the program runs, which lead back as
it does, and Python shows these: `Node(v=1.0, next=...)`, `[1.0, [...]]`.

What is known part by part is a *form*; what stands in stores is made of what these hold then.

>>> xs = Parts(list, 0, (), (Leaf(0), Parts(dict, 1, ("x", "all"), (Known(2.0), Again(0)))))
>>> Picture(xs, ())(1.0)
[1.0, {'x': 2.0, 'all': [...]}]
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.effects import leads_back
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import InStore
from ccc.compile.frontend.memory.interface import moved_out, places, stored
from ccc.compile.frontend.objects_at_places import Objects, is_read_for
from ccc.compile.frontend.parts import items_in
from ccc.compile.frontend.regions import Reference, Region, is_reference, region_of, settled
from ccc.compile.frontend.stores import holds_reference, is_fixed
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue, TextValue
from ccc.compile.program.lam import Var
from ccc.objects import Coproduct, List, Map, Object, Product, Static
from ccc.primitives import effects as of_effects
from ccc.records import made, registered
from ccc.values import value

CONTAINERS = (list, dict)


@value()
class Leaf:
    """A value of the program, by its number."""

    number: int


@value()
class Known:
    """What is known while the function is read."""

    what: Any


@value()
class At:
    """What stands in a store, at a place that is a value of the program."""

    reference: type[Reference]
    place: Any


@value()
class Again:
    """What this one is among, by its number."""

    number: int


@value()
class Parts:
    """A list, dict, tuple or object by its parts, and their names; it has a number."""

    cls: type
    number: int
    names: tuple[Any, ...]
    parts: tuple[Any, ...]


class Picture:
    """What makes the objects of a form, of values of the program and then the stores that these lead to."""

    def __init__(self, form: Any, stores: Sequence[InStore]) -> None:
        self.form, self.stores = form, stores

    def __call__(self, *values: Any) -> Any:
        count = len(values) - len(self.stores)
        objects = Objects(self.stores, values[count:])
        making = Making(values[:count], objects)
        found = making.made(self.form)
        making.fill()
        objects.write()
        return found


class Making:
    """The objects of a form in the making; lists, dicts and objects are filled when all around them is there."""

    def __init__(self, values: Sequence[Any], objects: Objects) -> None:
        self.values, self.objects = values, objects
        self.known: dict[int, Any] = {}
        self.waiting: list[tuple[Parts, Any]] = []

    def made(self, form: Any) -> Any:
        """The object of Python's of a form."""
        match form:
            case Known(what):
                return what
            case Leaf(number):
                return self.objects.told(self.values[number])
            case At(reference, place):
                return self.objects.told(reference(self.made(place)))
            case Again(number):
                return self.known[number]
        if issubclass(form.cls, tuple):
            found: Any = made(form.cls, form.names, list(map(self.made, form.parts)))
        else:
            found = form.cls() if form.cls in CONTAINERS else made(form.cls, (), ())
            self.waiting.append((form, found))
        self.known[form.number] = found
        return found

    def fill(self) -> None:
        """Give what was begun its parts."""
        while self.waiting:
            form, found = self.waiting.pop()
            parts = list(map(self.made, form.parts))
            if form.cls is list:
                found += parts
            elif form.cls is dict:
                found.update(zip(form.names, parts, strict=True))
            else:
                for name, part in zip(form.names, parts, strict=True):
                    object.__setattr__(found, name, part)


class Unfit(Exception):
    """There is no picture of a value."""


class Drawing:
    """A picture in the making: the atoms of the program that it takes, and what was begun."""

    def __init__(self, e: Elaboration, node: ast.AST, frame: Frame | None) -> None:
        self.e, self.node, self.frame = e, node, frame
        self.atoms: list[Any] = []
        self.leading: list[Object] = []
        self.begun: dict[int, tuple[Any, int]] = {}

    def leaf(self, atom: Any) -> Leaf:
        self.atoms.append(atom)
        return Leaf(len(self.atoms) - 1)

    def form(self, x: Any) -> Any:
        """The form of a value; raises `Unfit` where it has none."""
        if isinstance(x, int | float | str | type | None):
            return Known(x)
        if is_column(self.e, x) or (is_reference(x) and len(x) > 1):
            raise Unfit
        if is_reference(x):
            self.leading.append(region_of(x.cls).root().object)  # type: ignore[union-attr]
            return At(region_of(x.cls).root().reference, self.form(x[0]))  # type: ignore[union-attr]
        if isinstance(x, Var):
            self.leading.append(x.object)
            return self.leaf(x)
        if isinstance(x, TextValue):
            return self.leaf(self.e.always(of_effects.text, x.values, form=x.form))
        if id(x) in self.begun:
            return Again(self.begun[id(x)][1])
        if isinstance(x, ListValue):
            return self.parts(x, list, (), x.items)
        if isinstance(x, tuple):
            return self.parts(x, getattr(x, "cls", tuple), getattr(x, "names", ()), x)
        if not isinstance(x, RecordValue):
            raise Unfit
        if not leads_back(x) and not holds_reference(x):
            return self.leaf(self.e.leaf(x, self.node, self.frame))
        if ITEMS in x.fields or is_read_for(x.cls) or registered(x.cls) is not None or (
                x.cls is not dict and issubclass(x.cls, (list, dict, BaseException))):
            raise Unfit
        return self.parts(x, x.cls, tuple(x.fields), x.fields.values())

    def parts(self, x: Any, cls: type, names: tuple[Any, ...], parts: Any) -> Parts:
        number = len(self.begun)
        self.begun[id(x)] = x, number
        return Parts(cls, number, names, tuple([self.form(part) for part in parts]))

    def stores(self, begins: bool) -> tuple[list[InStore], list[Var]]:
        """The stores that the atoms lead to, and what they hold. A tuple that leads back to itself has no place there:
        where none of the places `begins` what is shown, that may have to be seen."""
        found, entries = list[InStore](), list[Var]()
        for region in moved_out.reached(self.leading):
            types = {name: settled(a) for name, a in region.parts.items()}
            alone = begins or not any(has_tuple(a, region) for a in types.values())
            if region.plain or region.cls is tuple or not alone:
                raise Unfit
            fixed = {name: a.value for name, a in types.items() if isinstance(a, Static)}
            names = tuple([name for name, a in types.items() if not is_fixed(a)])
            found.append(InStore(region, region.kind, region.cls, types, fixed, names, len(entries)))
            entries.append(places.store(self.e, region)[1])
        return found, entries


def has_tuple(a: Object, region: Region) -> bool:
    """Whether there is a tuple in an object of the program that leads to a region."""
    if region_of(a) is not None:
        return False
    if isinstance(a, Product) and region in moved_out.reached([a]):
        return True
    inside = a.alternatives if isinstance(a, Coproduct) else (a.item,) if isinstance(a, (List, Map)) else ()
    return any(has_tuple(part, region) for part in inside)


def shown(e: Elaboration, conversion: str, x: Any, node: ast.AST, frame: Frame | None) -> Any:
    """The text of a value that may lead back to itself; the value itself where there is no picture of it."""
    drawing = Drawing(e, node, frame)
    try:
        form = drawing.form(x)
        stores, entries = drawing.stores(isinstance(form, At))
    except Unfit:
        if leads_back(x):
            raise refused(e, node, frame) from None
        return x
    values = Picture(form, stores), *drawing.atoms, *entries
    text = e.always(of_effects.pictured, values, conversion=conversion or "s")
    return TextValue((("", ""),), (text,))


def refused(e: Elaboration, node: ast.AST, frame: Frame | None) -> UnsupportedPython:
    return unsupported("CC003", "what holds itself is shown as a text", e.place(node, frame),
                       help='show its items one by one: `print(xs["a"], xs["b"])`')


def to_show(
    e: Elaboration, conversion: str, spec: Any, x: Any, node: ast.AST, frame: Frame
) -> tuple[Any, str]:
    """What a value gives to what shows it, and the conversion that is left: its text where it may lead back to itself,
    as its class has it, and else what references lead to."""
    known = leads_back(x)
    if not known and not leads_on(x):
        return e.handlers.whole(e, x, node, frame), conversion
    if spec and not conversion:
        raise refused(e, node, frame)
    if known:
        return shown(e, conversion, x, node, frame), ""
    return e.call(repr if conversion == "r" else str, [x], {}, node, frame), ""


def leads_on(x: Any, around: tuple[Any, ...] = ()) -> bool:
    """Whether what references in a value lead to may lead back to itself; `around` are those in which it stands."""
    if stored.is_endless(x):
        return True
    items = None if is_reference(x) or any(x is one for one in around) else items_in(x)
    return any(leads_on(part, (*around, x)) for part in items or ())
