"""Joins, the least objects that hold the values of two; and the sums that some of them are: what a tree, a linked list
or a value that may be None is, whatever its shape.

    Tree  =  Leaf{value: R} | Node{left: ..., right: ...}

`...` is the whole sum. The alternatives are told apart at run time by their Python types, so a sum needs no tags of
its own, and to inject a value is to leave it as it is. Records of one group (`ccc.recursive_classes`) are alternatives
of one sum.

>>> from dataclasses import dataclass
>>> @dataclass
... class Link:
...     __module__ = "__main__"
...     value: float
...     rest: "Link | None" = None
>>> from ccc.objects import REAL
>>> last = Record((REAL, NONE), Link, ("value", "rest"))
>>> print(sum_of((last, Record((REAL, last), Link, ("value", "rest")))))
None | Link{value: R, rest: ...}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ccc.errors import CCCError, Unlike
from ccc.objects import (
    ITSELF,
    TEXT,
    UNIT,
    Array,
    Bool,
    Coproduct,
    Exponential,
    Int,
    Itself,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Static,
    Text,
    array,
    is_discrete,
    of_shape,
    same_shape,
)
from ccc.records import Code, is_keyed, path_to
from ccc.recursive_classes import Group, group_of, join_group, recursive_fields
from ccc.wording import in_words

NONE = Static(None)


class NoSum(CCCError, TypeError):
    """Objects that no sum can hold, since they could not be told apart at run time."""

    code = "CC006"


class Found(Exception):
    """A class belongs to a group, which annotations do not say."""

    def __init__(self, cls: type) -> None:
        super().__init__()
        self.cls = cls


def group_in(a: Object) -> Group | None:
    """The group of a record or of a sum of records."""
    if isinstance(a, Record):
        return None if is_keyed(a.cls) else group_of(a.cls)
    if isinstance(a, Coproduct):
        return next((found for found in map(group_in, a.alternatives) if found is not None), None)
    return None


def tag_of(a: Object) -> Any:
    """How the values of an alternative are told from those of others: a class, or the name of a kind of values."""
    if isinstance(a, Record):
        return a.cls
    if a == NONE:
        return type(None)
    if isinstance(a, Text):
        return str
    kinds: list[tuple[Any, str]] = [(Bool | Int | Real, "number"), (Array, "array"), (List, "list"), (Product, "tuple")]
    for kind, name in kinds:
        if isinstance(a, kind):
            return name
    raise NoSum(f"a value that is {in_words(a)} cannot be told from others at run time")


def order(a: Object) -> tuple[int, str, int]:
    if not isinstance(a, Record):
        return 0, str(tag_of(a)), 0
    made = a.cls.__serial__ if issubclass(a.cls, Code) else 0
    return 1, f"{a.cls.__qualname__} of {a.cls.__module__}", made


def sum_of(objects: Sequence[Object]) -> Coproduct:
    """The least sum with these alternatives; sums among them give theirs.

    Raises `NoSum` where two of them cannot be told apart or joined.
    """
    while True:
        try:
            return _sum_of(objects)
        except Found as found:
            join_group(next((g for g in map(group_in, objects) if g is not None), None), found.cls)


def _sum_of(objects: Sequence[Object]) -> Coproduct:
    todo = list(objects)
    group = next((found for found in map(group_in, todo) if found is not None), None)
    table: dict[Any, Object] = {}

    def folded(a: Object) -> Object:
        """The object of a part, with the sum in its place."""
        if group is not None and group_in(a) is group:
            todo.append(a)
            return ITSELF
        if isinstance(a, (List, Map)):
            return holding(a, folded(a.item))
        if isinstance(a, Product):
            return of_shape(a, tuple(map(folded, a.parts)))
        return a

    while todo:
        a = todo.pop()
        if isinstance(a, Coproduct):
            todo += a.alternatives
            continue
        tag = tag_of(a)
        if isinstance(a, Record) and not is_keyed(a.cls) and group is None and any(holds(p, a.cls) for p in a.parts):
            for cls in [a.cls, *beside(a.parts, a.cls)]:
                join_group(group_of(a.cls), cls)
            raise Found(a.cls)
        if isinstance(a, Record):
            parts = [nullable(a.cls, name, folded(part), table) for name, part in zip(a.names, a.parts, strict=True)]
            a = of_shape(a, tuple(parts))
        old = table.get(tag)
        if old is not None and old != a:
            joined = joined_alternatives(old, a, table)
            if joined is None:
                raise NoSum(f"no type holds both {in_words(old)} and {in_words(a)}")
            a = joined
        table[tag] = a
    return Coproduct(tuple(sorted(table.values(), key=order)))


def holds(a: Object, cls: type) -> bool:
    """True where values of an object may hold one of a class."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    inside = (a.item,) if isinstance(a, (List, Map)) else inside
    return (isinstance(a, Record) and a.cls is cls) or any(holds(part, cls) for part in inside)


def beside(objects: Sequence[Object], cls: type) -> list[type]:
    """The classes that stand beside a class in the sums among the parts of an object."""
    found: list[type] = []
    for a in objects:
        if isinstance(a, Coproduct) and holds(a, cls):
            found += [b.cls for b in a.alternatives if isinstance(b, Record)]
        elif isinstance(a, Product):
            found += beside(a.parts, cls)
        elif isinstance(a, (List, Map)):
            found += beside((a.item,), cls)
    return found


def nullable(cls: type, name: str, part: Object, table: dict[Any, Object]) -> Object:
    """None where the annotation expects one of the group is the sum, which has None among its alternatives then."""
    if part == NONE and name in recursive_fields(cls):
        table[type(None)] = NONE
        return ITSELF
    return part


def difference(a: Object, b: Object, path: str) -> str:
    """Where the values of two objects, of what `path` names, differ so that nothing holds both; empty where they do at
    once.

    >>> from ccc.objects import INT, REAL
    >>> print(difference(List(Product((REAL, Product(())))), List(Product((INT, Product((INT,))))), "xs"))
    `xs[...][1]` is an empty tuple, then (an integer)
    """
    if isinstance(a, List) and isinstance(b, List):
        inside = [(a.item, b.item, f"{path}[...]")]
    elif isinstance(a, Product) and isinstance(b, Product) and type(a) is type(b) and len(a.parts) == len(b.parts):
        names = a.names if isinstance(a, Record) else range(len(a.parts))
        paths = [path + (path_to(a.cls, n) if isinstance(a, Record) else f"[{n}]") for n in names]
        inside = list(zip(a.parts, b.parts, paths, strict=True))
    else:
        return f"`{path}` is {in_words(a)}, then {in_words(b)}"
    return next((difference(*part) for part in inside if join(*part[:2]) is None), "")


def unlike(what: str, a: Object, b: Object) -> Unlike:
    """What is raised where there is no type for items or keys of two objects; it says what differs in two of one class.

    >>> from ccc.objects import REAL
    >>> print(unlike("items of a list", REAL, Product(())))
    the items of a list must share a type: found a real number and an empty tuple
    >>> one, other = [Record((Static(name),), slice, ("name",)) for name in ("a", "b")]
    >>> print(unlike("items of a dict", one, other))
    the items of a dict must share a type: found a `slice` and a `slice`: `item.name` is the text 'a', then the text 'b'
    """
    found = f"the {what} must share a type: found {in_words(a)} and {in_words(b)}"
    return Unlike(f"{found}: {difference(a, b, 'item')}" if in_words(a) == in_words(b) else found)


def joined_alternatives(a: Object, b: Object, table: dict[Any, Object]) -> Object | None:
    """The join of two alternatives with one tag; None beside the sum becomes an alternative. Records with other names,
    or the same in another order, as dicts may have them, have none."""
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        if not same_shape(a, b):
            return None
        parts = [joined_parts(x, y, table) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([p for p in parts if p is not None])
        return of_shape(a, found) if len(found) == len(parts) else None
    return join(a, b)


def joined_parts(a: Object, b: Object, table: dict[Any, Object]) -> Object | None:
    if {a, b} == {ITSELF, NONE}:
        table[type(None)] = NONE
        return ITSELF
    for one, other in ((a, b), (b, a)):
        for alternative in other.alternatives if isinstance(other, Coproduct) else (other,):
            if isinstance(one, Itself) and isinstance(alternative, Record) and not is_keyed(alternative.cls):
                raise Found(alternative.cls)
    if isinstance(a, List) and isinstance(b, List) and UNIT not in (a.item, b.item):
        item = joined_parts(a.item, b.item, table)
        return None if item is None else List(item)
    if isinstance(a, Map) and isinstance(b, Map) and UNIT not in (a.item, b.item):
        key, item = join_keys(a.key, b.key), joined_parts(a.item, b.item, table)
        return None if key is None or item is None else Map(key, item)
    if isinstance(a, Product) and isinstance(b, Product):
        return joined_alternatives(a, b, table) if type(a) is type(b) else None
    return join_parts(a, b)


def join_sums(a: Object, b: Object) -> Object | None:
    """The join of two objects one of which is a sum or a record of a group; None where there is none."""
    if isinstance(a, Itself) or isinstance(b, Itself):
        return a if a == b else None
    related = (of_functions(a) and of_functions(b)) or group_in(a) is group_in(b) or NONE in (a, b)
    if not related and not any(isinstance(x, Coproduct) and y in x.alternatives for x, y in ((a, b), (b, a))):
        return None
    try:
        return sum_of((a, b))
    except NoSum:
        return None


def of_functions(a: Object) -> bool:
    """True for functions as values: records of what they captured, and sums of them."""
    alternatives = a.alternatives if isinstance(a, Coproduct) else (a,)
    return all(isinstance(one, Record) and issubclass(one.cls, Code) for one in alternatives)


def holding(a: List | Map, item: Object) -> Object:
    """A list or map of other items."""
    return List(item) if isinstance(a, List) else Map(a.key, item)


def unfolded(a: Object, whole: Object) -> Object:
    """`a` with the whole sum in the place of `ITSELF`."""
    if isinstance(a, Itself):
        return whole
    if isinstance(a, (List, Map)):
        return holding(a, unfolded(a.item, whole))
    if isinstance(a, Product):
        return of_shape(a, tuple([unfolded(part, whole) for part in a.parts]))
    return a


@lru_cache(maxsize=1024)
def holds_itself(whole: Coproduct) -> bool:
    """Whether alternatives of a sum hold values of the sum: its values are trees.

    >>> from ccc.objects import INT, REAL
    >>> holds_itself(Coproduct((REAL, Product((ITSELF, INT))))), holds_itself(Coproduct((NONE, REAL)))
    (True, False)
    """
    def inside(a: Object) -> bool:
        parts = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, (List, Map)) else ()
        return isinstance(a, Itself) or any(map(inside, parts))

    return any(map(inside, whole.alternatives))


@lru_cache(maxsize=1024)
def alternatives(whole: Coproduct) -> dict[Any, Object]:
    """The alternatives of a sum by their tags, each with the sum itself where it holds one."""
    return {tag_of(a): unfolded(a, whole) for a in whole.alternatives}


_SCALAR_RANK = {Bool: 0, Int: 1, Real: 2}


def join(a: Object, b: Object) -> Object | None:
    """The least object that holds values of both, or None: int joins real, scalars join arrays of unknown rank.

    >>> from ccc.objects import INT, REAL
    >>> print(join(INT, REAL), join(REAL, Array('float64', ('n',))), join(REAL, UNIT))
    R float64[...] None
    """
    if a == b:
        return a
    if isinstance(a, (Coproduct, Itself)) or isinstance(b, (Coproduct, Itself)) or (
            isinstance(a, Record) and isinstance(b, Record) and not is_keyed(a.cls) and group_of(a.cls) is not None):
        return join_sums(a, b)
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        both = join if isinstance(a, Record) else join_parts
        parts = [both(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([p for p in parts if p is not None])
        return None if len(found) < len(parts) or not same_shape(a, b) else of_shape(a, found)
    if isinstance(a, List) and isinstance(b, List):
        if UNIT in (a.item, b.item):
            return b if a.item == UNIT else a
        item = join(a.item, b.item)
        return None if item is None else List(item)
    if isinstance(a, Map) and isinstance(b, Map):
        return _join_maps(a, b)
    if isinstance(a, Exponential) and isinstance(b, Exponential) and a.dom == b.dom:
        cod = join(a.cod, b.cod)
        return None if cod is None else Exponential(a.dom, cod)
    return _join_numbers(a, b)


def _join_maps(a: Map, b: Map) -> Object | None:
    if UNIT in (a.item, b.item):
        return b if a.item == UNIT else a
    key, item = join_keys(a.key, b.key), join(a.item, b.item)
    return None if key is None or item is None else Map(key, item)


def join_keys(a: Object, b: Object) -> Object | None:
    """The least object of keys that holds both; known strings become texts.

    >>> from ccc.objects import INT
    >>> print(join_keys(Static("a"), Static("b")), join_keys(INT, Static("a")))
    text None
    """
    texts = [x for x in (a, b) if isinstance(x, Text) or (isinstance(x, Static) and isinstance(x.value, str))]
    if len(texts) == 2:
        return TEXT
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        parts = [join_keys(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([part for part in parts if part is not None])
        if len(found) != len(parts):
            return None
        return of_shape(a, found) if same_shape(a, b) else Product(found)
    return None if texts else join(a, b)


def join_parts(a: Object, b: Object) -> Object | None:
    """The same for parts of tuples, where known strings become texts beside texts."""
    return TEXT if is_text(a) and is_text(b) and TEXT in (a, b) else join(a, b)


def with_texts(a: Object, b: Object | None = None) -> Object:
    """`a`, with texts in its tuples and records where `b` has another known string; without a `b`, for each one.

    >>> from ccc.objects import REAL
    >>> pairs = Product((Static("a"), REAL)), Product((Static("b"), REAL))
    >>> print(with_texts(*pairs), with_texts(pairs[0], pairs[0]), with_texts(pairs[0]))
    (text, R) (static['a'], R) (text, R)
    """
    if not isinstance(a, Product) or (b is not None and not (isinstance(b, Product) and same_shape(a, b))):
        return a
    others = b.parts if isinstance(b, Product) else [None] * len(a.parts)
    if len(a.parts) != len(others):
        return a
    pairs = zip(a.parts, others, strict=True)
    return of_shape(a, tuple([
        TEXT if is_text(x) and x != y and (y is None or is_text(y)) else with_texts(x, y) for x, y in pairs]))


def is_text(a: Object) -> bool:
    return isinstance(a, Text) or (isinstance(a, Static) and type(a.value) is str)


def _join_numbers(a: Object, b: Object) -> Object | None:
    if isinstance(a, Array) and isinstance(b, Array):
        dtype = np.result_type(a.dtype, b.dtype).name
        dtypes = tuple(sorted({*(a.dtypes or (a.dtype,)), *(b.dtypes or (b.dtype,))}))
        if a.axes is None or b.axes is None or len(a.axes) != len(b.axes):
            return array(dtype, None, dtypes)
        return array(dtype, tuple(x if x == y else "?" for x, y in zip(a.axes, b.axes, strict=True)), dtypes)
    if isinstance(b, Array):
        a, b = b, a
    if isinstance(a, Array) and isinstance(b, (Bool, Int, Real)):
        if isinstance(b, Real) and b.kind == "fraction":
            return None
        if a.is_real or not isinstance(b, Real):
            return array(a.dtype, None, a.dtypes)
        return array("float64", None, tuple(sorted({*(a.dtypes or (a.dtype,)), "float64"})))
    if not (isinstance(a, (Bool, Int, Real)) and isinstance(b, (Bool, Int, Real))):
        return None
    if _SCALAR_RANK[type(a)] < _SCALAR_RANK[type(b)]:
        a, b = b, a
    if isinstance(a, Real) and not isinstance(b, Real):
        return _beside_integers(a, b)
    if "fraction" in (a.kind, b.kind):
        return None
    if isinstance(a, Bool):
        return Bool("any")
    kinds = {way.kind for x in (a, b) for way in getattr(x, "of_kinds", (x,))}
    return type(a)("any", () if "any" in kinds else tuple(sorted(kinds)))


def _beside_integers(a: Real, b: Int | Bool) -> Real:
    """A real that may be an integer as well: one of NumPy's makes reals of its own kind where it is computed with.

    >>> from ccc.objects import INT, REAL
    >>> print(_beside_integers(REAL, INT), _beside_integers(REAL, Int("int64")), _beside_integers(Real("float64"), INT))
    R R[float|float64] R[float|float64]
    """
    integers = {way.kind for way in (b.of_kinds if isinstance(b, Int) else (b,))}
    if "any" in integers or a.kind == "fraction" or (a.kind == "any" and not a.kinds):
        return a
    kinds = {way.kind for way in a.of_kinds}
    kinds |= {"float" if n in ("int", "bool") else np.result_type("float64" if kind == "float" else kind, n).name
              for kind in kinds for n in integers}
    return a if len(kinds) == 1 else Real("any", tuple(sorted(kinds)))


def refuse_hidden_none(of: List | Map, given: Iterable[Object]) -> None:
    """Raise `Unlike` where None is put among what has no derivative, as ints or texts: `common` takes it for a tangent
    of these, and in a value it is None."""
    for a in given:
        if isinstance(a, Map) and isinstance(of, List) and of.item == a.key:  # its keys
            continue
        whole: Object = of
        while isinstance(whole, (List, Map)) and depth(whole) > depth(a):
            whole = whole.item
        if depth(whole) == depth(a) and hides_none(a, whole):  # else it is taken out of that
            kind = "list" if isinstance(of, List) else "dict"
            raise unlike(f"items of a {kind}", of.item, a)


def depth(a: Object) -> int:
    """How many lists and dicts stand in each other."""
    return 1 + depth(a.item) if isinstance(a, (List, Map)) else 0


def hides_none(a: Object, whole: Object) -> bool:
    """Whether a value of an object may be None, or may not be, where a wider object does not say so.

    >>> from ccc.objects import INT, REAL
    >>> hides_none(NONE, INT), hides_none(NONE, sum_of((INT, NONE)))
    (True, False)
    >>> hides_none(Product((NONE, REAL)), Product((INT, REAL)))
    True
    """
    if NONE in (a, whole):
        return a != whole and UNIT not in (a, whole) and not isinstance(whole, Coproduct)
    if isinstance(a, (List, Map)) and isinstance(whole, (List, Map)):
        return hides_none(a.item, whole.item)
    alike = isinstance(a, Product) and isinstance(whole, Product) and len(a.parts) == len(whole.parts)
    return alike and any(map(hides_none, a.parts, whole.parts))  # type: ignore[attr-defined]


def common(a: Object, b: Object) -> Object | None:
    """The object of items of both; in a tangent None stands for what is not differentiable, and for the zero of a sum.

    >>> from ccc.objects import INT, REAL
    >>> print(common(Product((INT, REAL)), Product((Static(None), REAL))))
    (int, R)
    """
    if NONE in (a, b):
        other = b if a == NONE else a
        return other if is_discrete(other) or isinstance(other, Coproduct) else None
    if isinstance(a, List) and isinstance(b, List) and UNIT not in (a.item, b.item):
        item = common(a.item, b.item)
        return None if item is None else List(item)
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts) and same_shape(a, b):
        parts = [common(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([part for part in parts if part is not None])
        return of_shape(a, found) if len(found) == len(parts) else None
    return join(a, b)
