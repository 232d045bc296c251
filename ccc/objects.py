"""Objects of the category: the types of values.

    T ::= 1 | bool | int | real[kind] | dtype[axes] | (T, ..., T) | C{name: T, ...} | T => T | list[T]
        | map[T, T] | T + ... + T | text | static[v]

An axis is `1` (exactly one), `n` (any other size) or `?` (unknown until it runs): sizes are not part of a type, so a
program is not compiled again for new ones.

>>> object_of((1.0, np.zeros((3, 1))))
Product((Real('float'), Array('float64', ('n', '1'))))
>>> print(object_of((1.0, np.zeros((3, 1)))))
(R, float64[n,1])

References: *The Differentiable Curry* ("How to define type (T => S)").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ccc.errors import UnknownObject
from ccc.records import Code, names_of, taken_apart
from ccc.recursive_classes import group_of
from ccc.spaces import space_of


class Object:
    """A type: the domain or codomain of an arrow.

    >>> isinstance(REAL, Object), str(Product((REAL, REAL)))
    (True, '(R, R)')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self.__slots__)})"


@dataclass(frozen=True, slots=True, repr=False)
class Bool(Object):
    """Truth values; discrete, so their cotangent is the unit."""

    kind: str = "bool"

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True, repr=False)
class Int(Object):
    """Integers; discrete. The kind is `int` or the name of a NumPy integer dtype."""

    kind: str = "int"

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True, repr=False)
class Real(Object):
    """Real scalars. The kind tells `float`, `float64`, `float32` (NumPy scalars) and `fraction` apart; `any` is
    their join."""

    kind: str = "float"

    def __str__(self) -> str:
        return "R" if self.kind == "float" else f"R[{self.kind}]"


@dataclass(frozen=True, slots=True, repr=False)
class Array(Object):
    """NumPy arrays of one dtype; `axes` is None where the rank is unknown."""

    dtype: str
    axes: tuple[str, ...] | None

    def __str__(self) -> str:
        return f"{self.dtype}[{'...' if self.axes is None else ','.join(self.axes)}]"

    @property
    def is_real(self) -> bool:
        return self.dtype.startswith("float")


@dataclass(frozen=True, slots=True, repr=False)
class Product(Object):
    """Tuples of any length; `Product(())` is the terminal object 1."""

    parts: tuple[Object, ...]

    def __str__(self) -> str:
        if not self.parts:
            return "1"
        return f"({', '.join(map(str, self.parts))}{',' if len(self.parts) == 1 else ''})"


@dataclass(frozen=True, slots=True, repr=False)
class Record(Product):
    """A product with a name: a dataclass, a named tuple or a dict with constant keys. Every combinator takes it for
    the product of its parts.

    >>> print(object_of({"a": 1.0, "b": 2}))
    dict{a: R, b: int}
    """

    cls: type
    names: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"Record({self.parts!r}, {self.cls.__name__}, {self.names!r})"

    def __str__(self) -> str:
        fields = ", ".join(f"{name}: {part}" for name, part in zip(self.names, self.parts, strict=True))
        return f"{self.cls.__name__}{{{fields}}}"


@dataclass(frozen=True, slots=True, repr=False)
class Exponential(Object):
    """Functions `dom => cod` as values."""

    dom: Object
    cod: Object

    def __str__(self) -> str:
        dom = f"({self.dom})" if isinstance(self.dom, Exponential) else str(self.dom)
        return f"{dom} => {self.cod}"


@dataclass(frozen=True, slots=True, repr=False)
class List(Object):
    """Python lists (and ranges) whose items share one type; the length is not in the type."""

    item: Object

    def __str__(self) -> str:
        return f"[{self.item}]"


@dataclass(frozen=True, slots=True, repr=False)
class Map(Object):
    """Finite maps, Python's dicts: the keys share one type and so do the items; which keys there are is not in the
    type. A cotangent of a map is a map that may lack keys, at which it is zero."""

    key: Object
    item: Object

    def __str__(self) -> str:
        return f"{{{self.key}: {self.item}}}"


@dataclass(frozen=True, slots=True, repr=False)
class Text(Object):
    """Strings that are known only when the program runs: items of lists of strings and keys of maps; discrete."""

    def __str__(self) -> str:
        return "text"


@dataclass(frozen=True, slots=True, repr=False)
class Space(Object):
    """The values of a class that was made a vector space and is no record: one value, whose cotangents are of the
    class too. See `ccc.spaces`."""

    cls: type

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True, slots=True, repr=False)
class Coproduct(Object):
    """Tagged sums: one of several records, None or a number; which one shows at run time. A record that holds values of
    the same sum has `ITSELF` in their places, so the type of a tree does not depend on its shape. See `ccc.coproducts`.
    """

    alternatives: tuple[Object, ...]

    def __str__(self) -> str:
        return " | ".join("None" if a == Static(None) else str(a) for a in self.alternatives)


class Itself(Object):
    """The sum around it."""

    __slots__ = ()

    def __str__(self) -> str:
        return "..."

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself)

    def __hash__(self) -> int:
        return hash(Itself)


ITSELF = Itself()


class Boxed(Object):
    """What one activation of a recursive function leaves for its pullback; a nominal object, equal to itself alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"tape of {self.name}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Static(Object):
    """What is known to the compiler and not differentiated: None, strings, dtypes, classes, functions."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static):
            return NotImplemented
        return self.value is other.value or _identity(self.value) == _identity(other.value)

    def __hash__(self) -> int:
        return hash(_identity(self.value))

    def __str__(self) -> str:
        return f"static[{getattr(self.value, '__name__', repr(self.value))}]"


def _identity(value: Any) -> Any:
    """Equal for strings, numbers and tuples of them that are the same; objects equal themselves only."""
    if type(value) in (str, int, bool, bytes):
        return type(value), value
    if type(value) is float:
        return float, repr(value)
    return (tuple, *map(_identity, value)) if type(value) is tuple else (object, id(value))


UNIT = Product(())
BOOL = Bool()
INT = Int()
REAL = Real()
TEXT = Text()


@lru_cache(maxsize=4096)
def array(dtype: str, axes: tuple[str, ...] | None) -> Array:
    """The interned array object of a dtype name and axes."""
    return Array(dtype, axes)


@lru_cache(maxsize=256)
def _axis_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple("1" if size == 1 else "n" for size in shape)


def _object_of_array(value: np.ndarray[Any, Any]) -> Object:
    if value.dtype.kind not in "fiub":
        raise UnknownObject(f"arrays of dtype {value.dtype} are not supported", "give an array of a real dtype")
    shape: tuple[int, ...] = value.shape
    return array(value.dtype.name, _axis_names(shape))


def _object_of_generic(value: np.generic) -> Object:
    kind = value.dtype.kind
    if kind == "f":
        return Real(value.dtype.name)
    if kind in "iu":
        return Int(value.dtype.name)
    if kind == "b":
        return Bool("bool_")
    raise UnknownObject(f"NumPy scalars of dtype {value.dtype} are not supported", "give a real number")


def _object_of_list(value: Any) -> Object:
    if value and all([type(item) is str for item in value]):
        return List(TEXT)
    parts = [object_of(item) for item in value]
    joined: Object | None = parts[0] if parts else UNIT
    for part in parts[1:]:
        joined = None if joined is None else join(joined, part)
    if joined is None and all(isinstance(part, Record | Coproduct) or part == Static(None) for part in parts):
        import ccc.coproducts as coproducts  # it stands on this module

        try:
            joined = coproducts.sum_of(parts)
        except coproducts.NoSum:
            joined = None
    return Product(tuple(parts)) if joined is None else List(joined)


def _object_of_record(value: Any) -> Object | None:
    found = taken_apart(value)
    if found is None:
        return None
    cls, names, parts = found
    if cls is not dict:
        import ccc.coproducts as coproducts  # it stands on this module

        a = None if group_of(cls) is not None else coproducts.object_of_plain(cls, lambda: _record(cls, names, parts))
        return a or coproducts.object_of_recursive(value) or _record(cls, names, parts)
    return _record(cls, names, parts)


def _record(cls: type, names: tuple[Any, ...], parts: tuple[Any, ...]) -> Object:
    static = dict(names_of(cls) or ()) if cls is not dict else {}
    pairs = zip(names, parts, strict=True)
    return Record(tuple([_object_of_field(x, static.get(name, False)) for name, x in pairs]), cls, names)


def _object_of_field(value: Any, static: bool) -> Object:
    return Static(value) if static or isinstance(value, bool) else object_of(value)


_BY_TYPE: dict[type, Callable[[Any], Object]] = {
    float: lambda _: REAL,
    int: lambda _: INT,
    bool: lambda _: BOOL,
    Fraction: lambda _: Real("fraction"),
    np.ndarray: _object_of_array,
    tuple: lambda value: Product(tuple(object_of(part) for part in value)),
    list: _object_of_list,
    range: lambda _: List(INT),
}


def object_of(value: Any) -> Object:
    """The object that a Python value inhabits.

    >>> object_of(2.0), object_of(3), object_of(np.float32(1)), object_of([1.0, 2.0])
    (Real('float'), Int('int'), Real('float32'), List(Real('float')))

    Raises `UnknownObject` for complex numbers and arrays of objects.
    """
    known = _BY_TYPE.get(type(value))
    if known is not None:
        return known(value)
    if isinstance(value, np.generic):
        return _object_of_generic(value)
    if isinstance(value, complex):
        raise UnknownObject("complex numbers are not supported", "differentiate the real and imaginary parts")
    if isinstance(value, np.memmap):
        return _object_of_array(value)  # it computes as any array does
    if isinstance(value, int | float | np.ndarray) and not isinstance(value, Enum):
        raise _otherwise(value, next(kind for kind in (int, float, np.ndarray) if kind in type(value).__mro__))
    found = _object_of_record(value)
    if found is not None:
        return found
    if isinstance(value, tuple) and type(value).__getitem__ is not tuple.__getitem__:
        raise _otherwise(value, tuple)
    return Space(type(value)) if space_of(value) is not None else Static(value)


def _otherwise(value: Any, base: type) -> UnknownObject:
    name = "an array" if base is np.ndarray else f"{'an' if base is int else 'a'} {base.__name__}"
    mend = "np.asarray(x)" if base is np.ndarray else f"{base.__name__}(x)"
    return UnknownObject(f"a {type(value).__name__} is {name} that may compute otherwise", f"give {mend}")


def real_class(cls: type) -> type:
    """Make objects of a class real numbers, which terms may be called with: Python computes on them.

    >>> @real_class
    ... class Metres(float):
    ...     pass
    >>> object_of(Metres(2.0))
    Real('float')
    """
    _BY_TYPE[cls] = lambda _: REAL
    return cls


def is_discrete(a: Object) -> bool:
    """True where the cotangent space of `a` is the unit: no real number and no function inside.

    >>> is_discrete(INT), is_discrete(Product((INT, REAL))), is_discrete(Exponential(INT, INT))
    (True, False, False)
    """
    if isinstance(a, Real):
        return False
    if isinstance(a, (Bool, Int, Text, Static)):
        return True
    if isinstance(a, Array):
        return not a.is_real
    if isinstance(a, Product):
        return all(map(is_discrete, a.parts))
    if isinstance(a, Map):
        return is_discrete(a.key) and is_discrete(a.item)
    if isinstance(a, List):
        return is_discrete(a.item)
    if isinstance(a, Coproduct):
        return all(map(is_discrete, a.alternatives))
    return isinstance(a, Itself)


def functions_in(a: Object, path: str) -> Iterator[str]:
    """The places in `a`, starting from `path`, that hold a function.

    >>> list(functions_in(Product((REAL, Exponential(REAL, REAL))), "result"))
    ['result[1]: R => R']
    """
    if isinstance(a, Exponential):
        yield f"{path}: {a}"
    elif isinstance(a, Record) and issubclass(a.cls, Code):
        yield f"{path}: {a.cls.__name__}"
    elif isinstance(a, Coproduct):
        for alternative in a.alternatives:
            yield from functions_in(alternative, path)
    elif isinstance(a, Product):
        for i, part in enumerate(a.parts):
            yield from functions_in(part, f"{path}[{i}]")
    elif isinstance(a, List | Map):
        yield from functions_in(a.item, f"{path}[...]")


def same_shape(a: Product, b: Product) -> bool:
    """True for two tuples, and for two records of one class with the same names."""
    if isinstance(a, Record) and isinstance(b, Record):
        return a.cls is b.cls and a.names == b.names
    return type(a) is type(b)


def of_shape(a: Product, parts: tuple[Object, ...]) -> Product:
    """The product of `parts`, a record where `a` is one."""
    return Record(parts, a.cls, a.names) if isinstance(a, Record) else Product(parts)


_SCALAR_RANK = {Bool: 0, Int: 1, Real: 2}


def join(a: Object, b: Object) -> Object | None:
    """The least object that holds values of both, or None: int joins real, scalars join arrays of unknown rank.

    >>> print(join(INT, REAL), join(REAL, Array('float64', ('n',))), join(REAL, UNIT))
    R float64[...] None
    """
    if a == b:
        return a
    if isinstance(a, Coproduct | Itself) or isinstance(b, Coproduct | Itself) or (
            isinstance(a, Record) and isinstance(b, Record) and a.cls is not dict and group_of(a.cls) is not None):
        import ccc.coproducts as coproducts  # it stands on this module

        return coproducts.join_sums(a, b)
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        parts = [join(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
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

    >>> print(join_keys(Static("a"), Static("b")), join_keys(INT, Static("a")))
    text None
    """
    texts = [x for x in (a, b) if isinstance(x, Text) or (isinstance(x, Static) and isinstance(x.value, str))]
    if len(texts) == 2:
        return TEXT
    if isinstance(a, Product) and isinstance(b, Product) and len(a.parts) == len(b.parts):
        parts = [join_keys(x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        found = tuple([part for part in parts if part is not None])
        return Product(found) if len(found) == len(parts) else None
    return None if texts else join(a, b)


def _join_numbers(a: Object, b: Object) -> Object | None:
    if isinstance(a, Array) and isinstance(b, Array):
        dtype = np.result_type(a.dtype, b.dtype).name
        if a.axes is None or b.axes is None or len(a.axes) != len(b.axes):
            return array(dtype, None)
        return array(dtype, tuple(x if x == y else "?" for x, y in zip(a.axes, b.axes, strict=True)))
    if isinstance(b, Array):
        a, b = b, a
    if isinstance(a, Array) and isinstance(b, Bool | Int | Real):
        if isinstance(b, Real) and b.kind == "fraction":
            return None
        real = a.is_real or isinstance(b, Real)
        return array(a.dtype if a.is_real or not real else "float64", None)
    if not (isinstance(a, Bool | Int | Real) and isinstance(b, Bool | Int | Real)):
        return None
    if _SCALAR_RANK[type(a)] < _SCALAR_RANK[type(b)]:
        a, b = b, a
    if type(a) is not type(b):
        return a
    if "fraction" in (a.kind, b.kind):
        return None
    return type(a)("any")
