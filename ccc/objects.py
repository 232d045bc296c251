"""Objects of the category: the types of values.

    T ::= 1 | bool | int | real[kind] | dtype[axes] | (T, ..., T) | C{name: T, ...} | T => T | list[T]
        | map[T, T] | T + ... + T | text | source | static[v]

An axis is `1` (exactly one), `n` (any other size) or `?` (unknown until it runs): sizes are not part of a type, so a
program is not compiled again for new ones.

>>> Product((REAL, array("float64", ("n", "1"))))
Product((Real('float'), Array('float64', ('n', '1'))))
>>> print(Product((REAL, array("float64", ("n", "1")))))
(R, float64[n,1])

References: *The Differentiable Curry* ("How to define type (T => S)").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any

from ccc.records import Code
from ccc.values import value


class Object:
    """A type: the domain or codomain of an arrow.

    >>> isinstance(REAL, Object), str(Product((REAL, REAL)))
    (True, '(R, R)')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        given = [(getattr(self, f.name), f.default) for f in fields(self)]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join([repr(x) for x, default in given if x != () or default != ()])})"


@value(repr=False)
class Bool(Object):
    """Truth values; discrete, so their cotangent is the unit."""

    kind: str = "bool"

    def __str__(self) -> str:
        return self.kind


@value(repr=False)
class Int(Object):
    """Integers; discrete. The kind is `int` or the name of a NumPy integer dtype; `any` is the join of the `kinds`,
    among which may be those of `Bool`.

    >>> print(Int("any", ("int", "uint8")))
    int|uint8
    """

    kind: str = "int"
    kinds: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "|".join(self.kinds) or self.kind

    @property
    def of_kinds(self) -> tuple[Int | Bool, ...]:
        """The objects of which it is the join."""
        return tuple([Bool(k) if k.startswith("bool") else Int(k) for k in self.kinds]) or (self,)


@value(repr=False)
class Real(Object):
    """Real scalars. The kind tells `float`, `float64`, `float32` (NumPy scalars) and `fraction` apart; `any` is the
    join of the `kinds`, which may be any where none are given.

    >>> print(Real("any", ("float", "float64")), Real("any"))
    R[float|float64] R[any]
    """

    kind: str = "float"
    kinds: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "R" if self.kind == "float" else f"R[{'|'.join(self.kinds) or self.kind}]"

    @property
    def of_kinds(self) -> tuple[Real, ...]:
        """The objects of which it is the join."""
        return tuple(map(Real, self.kinds)) or (self,)


@value(repr=False)
class Array(Object):
    """NumPy arrays of one dtype; `axes` is None where the rank is unknown. What may be of one of several `dtypes`,
    as the items of a list, has the one that holds them for its own.

    >>> print(Array("float64", ("n",), ("float32", "float64")))
    float32|float64[n]
    """

    dtype: str
    axes: tuple[str, ...] | None
    dtypes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'|'.join(self.dtypes) or self.dtype}[{'...' if self.axes is None else ','.join(self.axes)}]"

    @property
    def is_real(self) -> bool:
        return self.dtype.startswith("float")


@value(repr=False)
class Product(Object):
    """Tuples of any length; `Product(())` is the terminal object 1."""

    parts: tuple[Object, ...]

    def __str__(self) -> str:
        if not self.parts:
            return "1"
        return f"({', '.join(map(str, self.parts))}{',' if len(self.parts) == 1 else ''})"


@value(repr=False)
class Record(Product):
    """A product with a name: a dataclass, a named tuple, a dict with constant keys or a list whose items have no common
    type, which has their places for names. Every combinator takes it for the product of its parts.

    >>> print(Record((REAL, INT), dict, ("a", "b")))
    dict{a: R, b: int}
    """

    cls: type
    names: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"Record({self.parts!r}, {self.cls.__name__}, {self.names!r})"

    def __str__(self) -> str:
        fields = ", ".join(f"{name}: {part}" for name, part in zip(self.names, self.parts, strict=True))
        return f"{self.cls.__name__}{{{fields}}}"


@value(repr=False)
class Exponential(Object):
    """Functions `dom => cod` as values."""

    dom: Object
    cod: Object

    def __str__(self) -> str:
        dom = f"({self.dom})" if isinstance(self.dom, Exponential) else str(self.dom)
        return f"{dom} => {self.cod}"


@value(repr=False)
class List(Object):
    """Python lists (and ranges) whose items share one type; the length is not in the type."""

    item: Object

    def __str__(self) -> str:
        return f"[{self.item}]"


@value(repr=False)
class Map(Object):
    """Finite maps, Python's dicts: the keys share one type and so do the items; which keys there are is not in the
    type. A cotangent of a map is a map that may lack keys, at which it is zero."""

    key: Object
    item: Object

    def __str__(self) -> str:
        return f"{{{self.key}: {self.item}}}"


@value(repr=False)
class Text(Object):
    """Strings that are known only when the program runs: items of lists of strings and keys of maps; discrete."""

    def __str__(self) -> str:
        return "text"


@value(repr=False)
class Source(Object):
    """Sources of random numbers: a value stands for the one that Python has, whose state draws change; discrete."""

    cls: type

    def __str__(self) -> str:
        return self.cls.__name__


@value(repr=False)
class Space(Object):
    """The values of a class that was made a vector space and is no record: one value, whose cotangents are of the
    class too. See `ccc.spaces`."""

    cls: type

    def __str__(self) -> str:
        return self.cls.__name__


@value(repr=False)
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

    def __repr__(self) -> str:
        return "ITSELF"

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

    def __repr__(self) -> str:
        return f"Boxed({self.name!r})"


@value(eq=False, repr=False)
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
def array(dtype: str, axes: tuple[str, ...] | None, dtypes: tuple[str, ...] = ()) -> Array:
    """The interned array object of a dtype name and axes."""
    return Array(dtype, axes, dtypes if len(dtypes) > 1 else ())


@lru_cache(maxsize=4096)
def dtypes_in(a: Object) -> tuple[str, ...]:
    """The dtypes of which an array in an object has one.

    >>> dtypes_in(List(Array("float64", ("n",), ("float32", "float64")))), dtypes_in(Array("float64", ("n",)))
    (('float32', 'float64'), ())
    """
    if isinstance(a, Array):
        return a.dtypes
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, (List, Map)) else ()
    return tuple(sorted({dtype for part in inside for dtype in dtypes_in(part)}))


def is_truth(a: Object) -> bool:
    """True for truth values and arrays of them.

    >>> is_truth(BOOL), is_truth(Array("bool", ("n",))), is_truth(INT)
    (True, True, False)
    """
    return isinstance(a, Bool) or (isinstance(a, Array) and a.dtype == "bool")


def is_discrete(a: Object) -> bool:
    """True where the cotangent space of `a` is the unit: no real number and no function inside. That of an empty list,
    whose items may be anything, is that of lists.

    >>> is_discrete(INT), is_discrete(Product((INT, REAL))), is_discrete(Exponential(INT, INT)), is_discrete(List(UNIT))
    (True, False, False, False)
    """
    if isinstance(a, Real):
        return False
    if isinstance(a, Array):
        return not a.is_real
    if isinstance(a, (Bool, Int, Text, Source, Static)):
        return True
    if isinstance(a, Product):
        return all(map(is_discrete, a.parts))
    if isinstance(a, Map):
        return is_discrete(a.key) and is_discrete(a.item)
    if isinstance(a, List):
        return a.item != UNIT and is_discrete(a.item)
    if isinstance(a, Coproduct):
        return all(map(is_discrete, a.alternatives))
    return isinstance(a, Itself)


def innermost(a: Object) -> Object:
    """The object of the items of lists, and of lists in these.

    >>> innermost(List(List(REAL)))
    Real('float')
    """
    while isinstance(a, List):
        a = a.item
    return a


def may_be_pythons(a: Object) -> bool:
    """Whether numbers of an object are Python's own, which take the dtype of NumPy's beside them, or may be.

    >>> may_be_pythons(REAL), may_be_pythons(Int("any")), may_be_pythons(Real("float32")), may_be_pythons(BOOL)
    (True, True, False, False)
    """
    return isinstance(a, (Real, Int)) and a.kind in ("float", "int", "any")


def is_of_any_kind(a: Object) -> bool:
    """True for a real of which the kind is known only when the program runs.

    >>> is_of_any_kind(Real("any", ("float", "float64"))), is_of_any_kind(REAL)
    (True, False)
    """
    return isinstance(a, Real) and a.kind == "any"


def holds_source(a: Object) -> bool:
    """True where a value is a source of random numbers, or holds some."""
    if isinstance(a, (List, Map)):
        return holds_source(a.item)
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, Source) or any(map(holds_source, inside))


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
    elif isinstance(a, (List, Map)):
        yield from functions_in(a.item, f"{path}[...]")


def same_shape(a: Product, b: Product) -> bool:
    """True for two tuples, and for two records of one class with the same names."""
    if isinstance(a, Record) and isinstance(b, Record):
        return a.cls is b.cls and a.names == b.names
    return type(a) is type(b)


def of_shape(a: Product, parts: tuple[Object, ...]) -> Product:
    """The product of `parts`, a record where `a` is one."""
    return Record(parts, a.cls, a.names) if isinstance(a, Record) else Product(parts)
