"""Places in stores: what is allocated, read and written there.

Nothing below the front end is new: an entry is read by `item` and written by `set_item`, and a place is made by
`append`, which all have derivatives.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any, TypeVar

from ccc.compile.diagnostics import CompileError, unsupported
from ccc.compile.frontend import boxed, reals, sums
from ccc.compile.frontend.describing import described, is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Ends
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, region_of, settled
from ccc.compile.frontend.stores import Store, Stores, entry_object, fits, is_fixed
from ccc.compile.frontend.values import (
    ITEMS,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    Mutable,
    RecordValue,
    TextValue,
)
from ccc.compile.program.lam import Absent, Block, BlockKind, Lit, Loop, Node, Var
from ccc.coproducts import NONE, NoSum
from ccc.errors import UnknownObject
from ccc.objects import BOOL, TEXT, UNIT, Array, Coproduct, Int, List, Map, Object, Product, Real, Record, Static, Text
from ccc.objects_of_values import object_of
from ccc.primitives import along, lists, maps, structure
from ccc.primitives.primitive import Primitive, sample
from ccc.records import is_unchanging

T = TypeVar("T")

# -- stores ------------------------------------------------------------------------------------------------------------


def begin(e: Elaboration) -> None:
    """Make the stores that are known to be needed, before all else."""
    stores = stores_of(e)
    regions = stores.regions
    regions.grew = False
    for key, cls in regions.codes.items():
        if key not in e.pieces:
            e.pieces[key] = cls.piece  # type: ignore[attr-defined]
            cls.piece.resume(e.recorder)  # type: ignore[attr-defined]
    for region in list(regions.roots()):
        for part in list(region.parts):
            region.parts[part] = settled(region.parts[part])
    for region in regions.roots():
        made(e, region)
    regions.grew = False


def of_its_own(e: Elaboration, block: Block, run: Callable[[], T], node: ast.AST, frame: Frame | None) -> T:
    """What `run` gives in the block of a program of its own: what that allocates stands in stores of its own."""
    if e.stores is None:
        return e.inside(block, run)
    outer = e.stores
    known = outer.regions.within(f"{type(node).__name__} at {e.place(node, frame)}")

    def begun() -> T:
        begin(e)
        return run()

    e.stores = Stores(known, block, outer)
    try:
        return e.inside(block, begun)
    finally:
        e.stores = outer
        outer.regions.grew = outer.regions.grew or known.grew


def stores_of(e: Elaboration) -> Stores:
    assert e.stores is not None
    return e.stores


def place_of(e: Elaboration, node: ast.AST, frame: Frame | None, way: str) -> str:
    """The place in the source where something is kept, and where in it what has a region of its own stands."""
    return f"{type(node).__name__} at {e.place(node, frame)}{way and f', {way}'}"


def made(e: Elaboration, region: Region) -> RecordValue:
    """A new store."""
    stores = stores_of(e)
    var = e.within(stores.home, lambda: e.always(structure.listing, (), of=List(entry_object(region))))
    stores.counts[var] = 0
    found = stores.records[region] = RecordValue(Store, {ITEMS: var})
    return found


def store(e: Elaboration, region: Region) -> tuple[RecordValue, Var]:
    """The store of a region and what it holds now. Where the region was not known before, or its type became wider
    meanwhile, what is computed now serves to find more of that: the function is read again."""
    region, stores = region.root(), stores_of(e)
    while region.regions is not stores.regions:
        if stores.outer is None:
            raise refused(e, "a place of the function around this one", ast.Pass(), None)
        stores = stores.outer
    record = stores.records.get(region)
    if record is None:
        stores.regions.grew = True
        record = made(e, region)
    var, wanted = record.fields[ITEMS], List(entry_object(region))
    if not isinstance(var, Var) or var.object != wanted:  # a loop whose runs make it wider leaves none
        stores.regions.grew = True
        var = e.always(structure.listing, (), of=wanted)
    return record, var


def entry(e: Elaboration, place: Node) -> Var:
    """What stands at a place now."""
    region = region_at(place)
    _, var = store(e, region)
    found = e.attempts.surely(lambda: e.always(structure.item, (var, place[0])))
    stores_of(e).loaded[found] = place
    return found


def region_at(place: Node) -> Region:
    found = region_of(place.cls)
    assert found is not None
    return found


def write(e: Elaboration, place: Node, value: Any) -> None:
    """Let something else stand at a place."""
    region = region_at(place)
    record, var = store(e, region)
    if not fits(value.object, entry_object(region)):
        stores_of(e).regions.grew = True
        return
    new = e.attempts.surely(lambda: e.always(lists.set_item, (var, value, place[0])))
    count = stores_of(e).counts.get(var)
    if count is not None:
        stores_of(e).counts[new] = count
    e.heap.write(record, {ITEMS: new})


def change_inside(
    e: Elaboration, place: Node, primitive: Primitive, value: Any, *keys: Any, alone: Primitive | None = None
) -> None:
    """Change the list that stands at a place where it stands, which takes O(1): `primitive` puts a value there. Where
    that may raise, a `try` asks of the list `alone`."""
    if alone is not None and e.attempts.active:
        e.attempts.ask(alone, (entry(e, place), value, *keys))
    record, var = store(e, region_at(place))
    new = e.attempts.surely(lambda: e.always(primitive, (var, value, place[0], *keys)))
    count = stores_of(e).counts.get(var)
    if count is not None:
        stores_of(e).counts[new] = count
    e.heap.write(record, {ITEMS: new})


def allocated(e: Elaboration, region: Region, value: Var) -> Node:
    """A reference to a new place where a value stands."""
    region, stores = region.root(), stores_of(e)
    record, var = store(e, region)
    count = stores.counts.get(var)
    index = structure.length(var) if count is None else count
    if fits(value.object, entry_object(region)):
        new = e.always(lists.append, (var, value))
        if count is None:
            stores.indices[new] = index
        else:
            stores.counts[new] = count + 1
        e.heap.write(record, {ITEMS: new})
    else:
        stores.regions.grew = True
    return Node.of(region.reference, ("place",), [index])


# -- values as parts of entries ----------------------------------------------------------------------------------------


def object_in(value: Any) -> Object:
    """The object that a value has as a part of an entry. Raises `NoSum` for what cannot be one."""
    if isinstance(value, Var):
        return value.object
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, (int, float)):
        return object_of(value)
    if value is None:
        return NONE
    if isinstance(value, (str, type, types.FunctionType, types.BuiltinFunctionType)) or is_unchanging(value):
        return Static(value)
    if isinstance(value, Node):
        return Record(tuple(map(object_in, value)), value.cls, value.names)
    if type(value) is tuple:
        return Product(tuple(map(object_in, value)))
    raise NoSum(f"no type of the program holds {described(value)}")


def atom(e: Elaboration, value: Any, a: Object) -> Any:
    """A value as an atom of an object that holds it."""
    if isinstance(a, Coproduct):
        return value if isinstance(value, Var) and value.object == a else sums.as_sum(e, alternative(e, value, a), a)
    if isinstance(a, Product) and isinstance(value, tuple):
        parts = tuple([atom(e, part, b) for part, b in zip(value, a.parts, strict=True)])
        if isinstance(a, Record):
            return e.always(structure.record, parts, cls=a.cls, names=a.names)
        return e.always(structure.pack, parts)
    if isinstance(a, Product) and isinstance(value, Var) and value.object != a:
        return atom(e, opened(value), a)
    if isinstance(a, List) and isinstance(value, Var) and value.object == List(UNIT):
        return e.always(structure.listing, (), of=a)
    if isinstance(a, Text) and isinstance(value, str):
        return text(e, value)
    return reals.widened(e, reals.fitted_in(e, value, a), a)


def text(e: Elaboration, value: str) -> Var:
    """A known text as one that the program has: the key of a map."""
    known = stores_of(e).texts
    if value not in known or not any(let is known[value].definition for let in e.top.lets):  # or read once more
        def key() -> Var:
            m = e.always(maps.mapping, (True,), keys=(value,), key=TEXT)
            return e.always(structure.item, (e.always(maps.keys_of, (m,)), 0))

        known[value] = e.attempts.surely(lambda: e.within(e.top, key))
    return known[value]


def alternative(e: Elaboration, value: Any, a: Coproduct) -> Any:
    """A value as the alternative that it is."""
    if isinstance(value, int) and not isinstance(value, bool) and any(isinstance(b, Real) for b in a.alternatives):
        return float(value)
    if isinstance(value, Var) and isinstance(value.object, Int) and any(isinstance(b, Real) for b in a.alternatives):
        return reals.noted(e, reals.real(value), value)
    return value


def holds_arrays(a: Object) -> bool:
    """True for objects of arrays, and of what holds some; a reference leads to one."""
    if region_of(a) is not None:
        return False
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.item,) if isinstance(a, (List, Map)) else inside
    return isinstance(a, Array) or any(map(holds_arrays, inside))


def of_function(e: Elaboration, region: Region, part: Any, value: Any) -> Any:
    """A function that captured something, or stands where one of several may, as a value of the program."""
    known = region.root().parts.get(part, UNIT)
    one = isinstance(value, (ClosureValue, ChoiceValue, types.MethodType))
    several = isinstance(known, Coproduct) and any(map(boxed.is_code, known.alternatives))
    several = several or part in region.root().functions
    return sums.as_one(e, value) if one or (several and boxed.boxable(value)) else value


def of_length(e: Elaboration, region: Region, part: Any, value: Any) -> Any:
    """A tuple at a place of its own, as lists are, where those of a part have different lengths: none of them changes,
    so nobody can tell. Other values themselves."""
    root = region.root()
    known = type(value) is tuple
    if known and not value:
        root.regions.of_lengths(root, part)
    if not (known and part in root.lengths) and not (isinstance(value, Var) and is_column(e, value)):
        return value
    at = root.regions.at(f"the tuples in `{part}` of store {root.number}", StoredAs.LIST, tuple)
    try:
        if not at.plain:
            return new_tuple(e, at, value)
    except NoSum as error:
        root.regions.give_up(at, str(error))
    root.regions.give_up(root, at.root().plain)
    raise NoSum(root.plain)


def new_tuple(e: Elaboration, region: Region, value: Any) -> Node:
    """A place where a tuple stands. Raises `NoSum` where its items have no type in common."""
    return new_list(e, region, ListValue(list(value)) if type(value) is tuple else value)


def fitted(e: Elaboration, region: Region, part: Any, value: Any) -> Any:
    """A value as an atom of the type of a part, which becomes wider where it must."""
    if isinstance(value, Mutable) and value in stores_of(e).young:
        region.regions.early.add(value.cls)  # type: ignore[attr-defined]
        region.regions.grew = True
        raise refused(e, "an `__init__` keeps its object", ast.Pass(), None)
    value = e.leaf(value, ast.Pass(), None) if isinstance(value, TextValue) else value
    value = of_length(e, region, part, of_function(e, region, part, value))
    try:
        found = object_in(value)
        if region.regions.arrays and region.kind is not StoredAs.ARRAY and holds_arrays(found):
            raise NoSum("an array that something else may lead to")
    except NoSum as error:
        region.regions.give_up(region, str(error))
        raise
    region.regions.widen(region, part, found)
    if type(value) is tuple and part in region.root().lengths:
        return fitted(e, region, part, value)
    wanted = settled(region.root().parts.get(part, UNIT))
    if region.root().plain:
        raise NoSum(region.root().plain)
    return atom(e, value, wanted)


# -- lists -------------------------------------------------------------------------------------------------------------


def new_list(e: Elaboration, region: Region, value: ListValue | Var) -> Node:
    """A place where a list stands. Raises `NoSum` where its items have no type in common."""
    return allocated(e, region, list_of(e, region, value))


def list_of(e: Elaboration, region: Region, value: Any) -> Var:
    """A list of the type of those that stand in a region."""
    if isinstance(value, ListValue):
        items = [fitted(e, region, "item", x) for x in value.items]
        wanted = entry_object(region)
        if not items:
            return e.always(structure.listing, (), of=wanted)
        return e.always(structure.listing, tuple([atom(e, x, wanted.item) for x in items]))  # type: ignore[attr-defined]
    if region.regions.arrays and holds_arrays(value.object):
        raise NoSum("arrays that something else may lead to")
    region.regions.widen(region, "item", value.object.item)
    return converted(e, value, entry_object(region))


def converted(e: Elaboration, xs: Var, wanted: Object) -> Var:
    """A list of the program with items of a wider type."""
    if xs.object == wanted:
        return xs
    if xs.object == List(UNIT):
        return e.always(structure.listing, (), of=wanted)
    if isinstance(wanted, List) and isinstance(wanted.item, Real) and isinstance(xs.object.item, Int):  # type: ignore[attr-defined]
        return reals.converted(e, xs, wanted)
    return mapped(e, xs, lambda item: atom(e, opened(item), wanted.item), wanted.item)  # type: ignore[attr-defined]


def mapped(e: Elaboration, xs: Var, use: Any, of: Object) -> Var:
    """The list of what `use` gives for the items."""
    block = Block(BlockKind.LOOP, e.recorder.block)
    element = e.recorder.param(block, "", xs.object.item)  # type: ignore[attr-defined]
    e.origins[element] = [xs]
    item = e.inside(block, lambda: use(element))
    if isinstance(item, (tuple, Mutable)):
        raise refused(e, "what no type of the program holds", ast.Pass(), None)
    block.results = [item if isinstance(item, Var) else Lit(item, of)]
    let = e.recorder.emit(Loop(block, 0, False), [xs])
    return e.recorder.target(let, xs.name, List(block.results[0].object))


def item_at(e: Elaboration, xs: Var, key: Any, **of: str) -> Any:
    """The item of a list at an index; the path ends here where nothing is ever put into the list."""
    found = e.always(structure.item, (xs, key), **of)
    if xs.object == List(UNIT):
        raise Ends
    return seen(e, found)


def item_inside(e: Elaboration, place: Node, key: Any) -> Any:
    """The item at an index of the list that stands at a place."""
    _, var = store(e, region_at(place))
    if entry_object(region_at(place)) == List(UNIT):
        return item_at(e, entry(e, place), key)
    if e.attempts.active:
        e.attempts.ask(structure.item, (entry(e, place), key))
    return seen(e, e.attempts.surely(lambda: e.always(along.item_along, (var, place[0], key))))


def seen(e: Elaboration, var: Var) -> Any:
    """What was read of a store, as the front end sees it."""
    found = opened(var)
    return e.seen(found) if isinstance(found, Var) else found


# -- objects -----------------------------------------------------------------------------------------------------------


def new_object(e: Elaboration, region: Region, value: RecordValue) -> Node:
    """A place where an object stands. Raises `NoSum` where it cannot stand in a store."""
    known = list(region.parts)
    if known and set(known) != set(value.fields):
        region.regions.give_up(region, "objects with different attributes")
        raise NoSum("objects with different attributes")
    parts = {name: fitted(e, region, name, part) for name, part in value.fields.items()}
    return allocated(e, region, entry_of(e, region, parts))


def entry_of(e: Elaboration, region: Region, parts: dict[Any, Any]) -> Var:
    """The entry of an object with these parts."""
    types = region.root().parts
    return e.always(structure.pack, tuple([parts[name] for name in types if not is_fixed(types[name])]))


def has_field(place: Node, name: str) -> bool:
    """True where an object has an attribute of its own."""
    return name in region_at(place).parts


def begun(e: Elaboration, region: Region) -> Node:
    """A place for an object whose `__init__` keeps it: nothing was set there so far."""
    parts = {name: text(e, "") if isinstance(a, Text) else unset(a) for name, a in region.root().parts.items()}
    return allocated(e, region, entry_of(e, region, parts))


def unset(a: Object) -> Any:
    """What stands for a part that nothing has set so far, which nothing reads."""
    if is_fixed(a):
        return a.value  # type: ignore[attr-defined]
    try:
        return Lit({} if isinstance(a, Map) else sample(a), a)
    except UnknownObject:
        return Lit(Absent(a), a)


def set_so_far(e: Elaboration, place: Node) -> set[Any] | None:
    """What the `__init__` that makes an object has set of it; None for one that is there."""
    region, at = region_at(place), place[0]
    for other, names in stores_of(e).making:
        if region_at(other) is region and (other[0] is at or (isinstance(at, int) and other[0] == at)):
            return names
    return None


def refuse_unset(e: Elaboration, place: Node, name: str) -> None:
    """Raise as Python does where an object that is being made is met on another way, before the attribute is set."""
    frame = e.frames[-1] if e.frames else None
    for other, names in stores_of(e).making:
        if frame is None or name in names or region_at(other) is not region_at(place):
            continue
        from ccc.compile.frontend.memory.list_methods import by_text

        text = f"'{region_at(place).cls.__name__}' object has no attribute '{name}'"
        by_text(e, "unset", {"a": place, "b": other, "text": text}, frame.at or ast.Pass(), frame)


def field_at(e: Elaboration, place: Node, name: str) -> Any:
    """An attribute of the object that stands at a place."""
    known = set_so_far(e, place)
    if known is not None and name not in known:
        raise refused(e, f"`.{name}` is read before it is set", ast.Pass(), None)
    refuse_unset(e, place, name)
    types = region_at(place).parts
    if is_fixed(types[name]):
        return types[name].value  # type: ignore[attr-defined]
    key = store(e, region_at(place))[1], place[0], name  # read again it is the same variable, with what is known of it
    return seen(e, e.facts.object(e.recorder.block, key, lambda _: part_of(entry(e, place), types, name)))


def part_of(whole: Var, types: dict[Any, Object], name: Any) -> Var:
    kept = [n for n, a in types.items() if not is_fixed(a)]
    return structure.part(whole, index=kept.index(name))


def put_field(
    e: Elaboration, place: Node, name: str, value: Any, node: ast.AST, frame: Frame | None
) -> None:
    """Give the object that stands at a place another attribute."""
    region = region_at(place)
    known = set_so_far(e, place)
    if known is not None:
        known.add(name)
    if known is not None and name not in region.parts:
        region.parts[name] = UNIT
        region.regions.grew = True
    if name not in region.parts:
        region.regions.give_up(region, f"`{name}` is set outside of `__init__`")
        raise refused(e, f"`.{name}` is not set where the object is made", node, frame)
    try:
        new = fitted(e, region, name, value)
    except NoSum as error:
        raise refused(e, str(error), node, frame) from None
    types = region_at(place).parts
    if is_fixed(types[name]):
        return
    old = entry(e, place)
    parts = {n: new if n == name else part_of(old, types, n) for n, a in types.items() if not is_fixed(a)}
    write(e, place, entry_of(e, region, parts))


def refused(e: Elaboration, text: str, node: ast.AST, frame: Frame | None) -> CompileError:
    """What ends a reading with stores; the function is refused then as it was without."""
    return unsupported("CC003", f"not in stores: {text}", e.place(node, frame), help="write it without stores")


def object_at(e: Elaboration, place: Node) -> RecordValue:
    """The object that stands at a place as a new one with the same attributes."""
    region = region_at(place)
    return RecordValue(region.cls, {name: field_at(e, place, name) for name in region.parts})
