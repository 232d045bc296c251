"""What a primitive is: declared once, with its value, its type rule and its derivative.

    value         the very function that the user names, so that compiled code computes what plain Python computes
    type rule     objects in, object out; by default found by applying the value to samples (NumPy's own promotion)
    differential  (dxs, y, *xs) -> dy       forward: the derivative at xs
    pullback      (ct, y, *xs) -> cts       reverse: its transpose

Both derivatives are written with primitives, so a derivative is again a program and has derivatives of its own.

References: *The Differentiable Curry* ("AD by lifting primitives equipped with pullbacks").
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from dataclasses import field
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from typing import Any

import numpy as np

from ccc.additive import Zero
from ccc.base import Traced
from ccc.coproducts import common
from ccc.errors import CCCError, InexactPrimitive, UnknownDtype, UnknownObject
from ccc.objects import (
    Array,
    Bool,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Source,
    Static,
    Text,
    array,
    dtypes_in,
    is_of_any_kind,
)
from ccc.objects_of_values import object_of
from ccc.primitives.facts import (
    ANY,
    CALL,
    FOREIGN,
    NOT_LINEAR,
    NOWHERE,
    Enclosed,
    Linearity,
    Memory,
    Raises,
    Refusal,
    Work,
    jointly,
    may_be,
    of_each,
)
from ccc.records import made
from ccc.sources import new
from ccc.values import value
from ccc.wording import in_words

TypeRule = Callable[..., Object]
Differential = Callable[..., Any]
Pullback = Callable[..., tuple[Any, ...]]
ShapeRule = Callable[..., Any]


class _Recording(threading.local):
    base: Any = None


_recording = _Recording()


@contextmanager
def recording(base: Any) -> Generator[None]:
    """Within it `base` takes primitives also where all arguments are known: a new array is made anew in each run."""
    outer, _recording.base = _recording.base, base
    try:
        yield
    finally:
        _recording.base = outer


REMEMBERED = 1024
"""Of so many kinds of arguments a primitive remembers the result."""


@value(eq=False, checked=True)
class Primitive:
    """A primitive operation of the language; calling it computes on real values and records on traced ones.

    `source` prints it: a template such as `"{} * {}"`, or a function of the argument texts and the parameters. `exact`
    says that rationals stay rationals. Without derivatives its result counts as constant. One with an `effect` is run
    though nothing reads its result, as often and in the order that the program says, and its source is a statement. One
    that `draws` besides reads or changes the state of a source of random numbers, so it is never computed again. One
    that stands for a `program` (`ccc.categories.rules`) means in a category what that says. `errors` are the modes of
    the `np.errstate` that it stands in. One that is `whole` is arithmetic of whole numbers where all its arguments are
    integers, and needs them to be; `ufunc` computes of arrays what its operator does; of one with `places` the numbers
    behind the first argument say shapes and places only. One that `chooses` gives one of its arguments, which stays
    what it is. One that is `unseen` is its first argument, seen as more: staged programs have the argument. One that
    gives the first `unchanged`, as a value or of the parameters, has the same entries where it has the same type, in
    whatever memory.

    What else is known of it (`ccc.primitives.facts`): `raises` says at which arguments it does; where it says nothing,
    it is tried (`ccc.primitives.raising`). Its `refusal` says what it raises, and as a term of the program, when.
    `memory` says whose memory the result has, as a value or of the parameters; `read_only` whether nobody can write to
    it, as a value or of the objects of the arguments, and None where that may be; `overwrites` the argument in whose
    memory it may be made instead, and `in_place` the statement that makes it there, as `source` says the expression;
    `work` what its time goes into; `sizes` the arguments of which it reads sizes, kinds and dtypes only; `like` the
    argument whose sizes the result has; `shape` gives the sizes of the result from those of the arguments and the
    numbers among them, where the type rule does not say them by moving axes, or the whole number that it is
    (`ccc.primitives.sizes`); `linear` in which arguments it is linear, as a value or of the parameters. One that is
    `commutative` gives the same bits for exchanged numbers or arrays; `bounds` are numbers between which all real
    results lie, but for what is not a number. One that is `increasing` gives no less for a larger number, of each; one
    that `turns` is monotone in each but for a place and all places in equal steps from it, and one with `poles` has no
    bounds at such; one that `powers` raises a number to another. A `remainder` says between what; `magnitudes` are a
    linear one with those of its factors; one that `shares` gives its first argument to the numbers that were chosen.
    What turns and has poles is known `within` bounds, and overflows beyond those in which it is `finite`; near a zero a
    result may be off by what is `absolute`. The `modulus` says how far results are apart, and `enclosed` what gives
    bounds of bounds. One that is `adding` gives a sum of what it is linear in, where it is, with factors of which none
    is negative; to the arguments `adds` it adds what the others give. From argument `reads` on stand the places of what
    it reads of its first argument, from `writes` on those of what it changes there, and nowhere else. It gives the size
    of an `axis` of its first argument. The list that one gives `as_tuple` is a tuple in Python. One that is `one_of`
    the results that another primitive gives together, by its place among them or by a parameter, is computed by that
    where several of them are wanted (`ccc.primitives.joint`); by the parameter `of_one` it takes one part of its first
    argument, the others being zero. Of a primitive that says nothing nothing is known; one of the language must.

    What is found of a primitive, of its `types`, of what it `kept` and where it
    `raised`, is remembered with it and lives as long. One within an `np.errstate` is that of another one, `plain`,
    under which tables know it.

    >>> from ccc.primitives import arithmetic
    >>> arithmetic.mul(2.0, 3.0), arithmetic.mul
    (6.0, Primitive('mul'))
    """

    name: str
    value: Callable[..., Any]
    type_rule: TypeRule
    source: str | Callable[..., str]
    pullback: Pullback | None = None
    differential: Differential | None = None
    exact: bool = False
    precedence: int = 100
    effect: bool = False
    draws: bool = False
    program: Any = None
    raises: Raises | None = None
    refusal: Refusal | None = None
    errors: tuple[tuple[str, Any], ...] = ()
    whole: bool = False
    places: bool = False
    ufunc: np.ufunc | None = None
    chooses: bool = False
    unseen: bool = False
    unchanged: bool | Callable[[dict[str, Any]], bool] = False
    memory: Memory | Callable[[dict[str, Any]], Memory] = FOREIGN
    read_only: bool | Callable[..., bool | None] | None = False
    overwrites: int | None = None
    in_place: str | Callable[..., str] = ""
    work: Work = CALL
    sizes: Container[int] = ()
    like: int | Callable[[dict[str, Any]], int] | None = None
    linear: Linearity | Callable[[dict[str, Any]], Linearity] = NOT_LINEAR
    commutative: bool = False
    bounds: tuple[float, float] = ANY
    increasing: bool = False
    adding: bool = False
    adds: tuple[int, ...] = ()
    reads: int | None = None
    writes: int | None = None
    axis: Callable[[dict[str, Any]], int] | None = None
    turns: tuple[float, float] | tuple[tuple[float, float], ...] | None = None
    poles: tuple[float, float] | tuple[tuple[float, float], ...] | None = None
    powers: bool = False
    remainder: tuple[float, float] | None = None
    magnitudes: Callable[..., Any] | None = None
    modulus: Callable[..., Any] | None = None
    enclosed: Enclosed = ""
    within: tuple[float, float] = ANY
    finite: tuple[float, float] = ANY
    absolute: float = 0.0
    shares: bool = False
    shape: ShapeRule | None = None
    as_tuple: bool = False
    one_of: tuple[Primitive, int] | str | None = field(default=None, repr=False)
    of_one: str | None = None
    of: Primitive | None = field(default=None, repr=False)
    types: dict[Any, Object] = field(default_factory=dict, repr=False, init=False)
    kept: dict[Any, Any] = field(default_factory=dict, repr=False, init=False)
    raised: dict[Any, Any] = field(default_factory=dict, repr=False, init=False)

    def __repr__(self) -> str:
        return f"Primitive({self.name!r})"

    def __call__(self, *args: Any, **params: Any) -> Any:
        base: Any = None
        for arg in args:
            if isinstance(arg, Traced) and arg.base is not base and (base is None or is_over(arg.base, base)):
                base = arg.base
        if base is not None:
            return base.apply(self, args, params, None)
        if _recording.base is not None:
            return _recording.base.apply(self, args, params, None)
        return self.value(*args, **params)

    @property
    def plain(self) -> Primitive:
        """The primitive outside of `np.errstate`."""
        return self.of or self

    def memory_of(self, params: dict[str, Any]) -> Memory:
        """Whose memory the result has with these parameters."""
        return self.memory if isinstance(self.memory, Memory) else self.memory(params)

    def is_read_only(self, args: tuple[Object, ...], params: dict[str, Any]) -> bool | None:
        """Whether NumPy lets nobody write to the result for arguments of these objects; None where it may be so."""
        return self.read_only(*args, **params) if callable(self.read_only) else self.read_only

    def turns_of(self, count: int) -> tuple[tuple[float, float], ...] | None:
        """Where it turns in each of so many arguments; None where that is not known.

        >>> from ccc.primitives import elementary_math
        >>> elementary_math.exp.turns_of(1), elementary_math.hypot.turns_of(2), elementary_math.tan.turns_of(1)
        (((inf, inf),), ((0.0, inf), (0.0, inf)), ((inf, inf),))
        """
        turns = self.turns or (NOWHERE if self.increasing or self.poles else None)
        return None if turns is None else of_each(turns, count)

    def poles_of(self, count: int) -> tuple[tuple[float, float], ...]:
        """Where it has no bounds, in each of so many arguments.

        >>> from ccc.primitives import arithmetic
        >>> arithmetic.div.poles_of(2), arithmetic.add.poles_of(2)
        (((inf, inf), (0.0, inf)), ((inf, inf), (inf, inf)))
        """
        return of_each(self.poles or NOWHERE, count)

    def like_of(self, params: dict[str, Any]) -> int | None:
        """The argument whose sizes the result has with these parameters."""
        return self.like if self.like is None or isinstance(self.like, int) else self.like(params)

    def is_unchanged(self, params: dict[str, Any]) -> bool:
        """Whether it gives its first argument unchanged where that has the type of the result."""
        return self.unchanged(params) if callable(self.unchanged) else self.unchanged

    def linear_of(self, params: dict[str, Any]) -> Linearity:
        """In which arguments the result is linear with these parameters."""
        return self.linear if isinstance(self.linear, Linearity) else self.linear(params)

    def type_of(self, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
        """The object of the result for arguments of these objects, remembered.

        Raises `InexactPrimitive` for exact scalars where the value leaves the rationals, and whatever NumPy raises for
        arguments that it refuses.
        """
        key = (args, tuple(params.items()))
        try:
            found = self.types.get(key)
        except TypeError:  # a parameter without a hash: computed each time
            return self._typed(args, params)
        if found is None:
            if len(self.types) >= REMEMBERED:  # of classes that programs have made, too
                self.types.clear()
            found = self.types[key] = self._typed(args, params)
        return found

    def gives(self, args: tuple[Object, ...], params: dict[str, Any]) -> Object | None:
        """The object of the result for arguments of these objects; None where it takes none such, be it that its rule
        asks for something that they are not of."""
        try:
            return self.type_of(args, params)
        except (CCCError, ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
            return None

    def _typed(self, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
        result = self.type_rule(self, args, params) if self.exact or Real("fraction") not in args else None
        if result is None or (Real("fraction") in args and isinstance(result, Real) and result.kind != "fraction"):
            raise InexactPrimitive(f"`{self.name}` leaves the rationals",
                                   "exact scalars need + - * / and integer powers")
        dtypes = tuple(sorted({dtype for a in args for dtype in dtypes_in(a)})) if "dtype" not in params else ()
        kind = result.dtype if isinstance(result, Array) else result.kind if isinstance(result, Real) else None
        if not dtypes or kind != np.result_type(*dtypes).name:
            return result
        return array(result.dtype, result.axes, dtypes) if isinstance(result, Array) else Real("any")


def is_over(base: Any, other: Any) -> bool:
    """Whether the values of a base are made of those of another one, as series are of what is recorded."""
    below = getattr(base, "base", None)
    return below is not None and (below is other or is_over(below, other))


def sample(a: Object, number: float = 1.0, size: int = 2) -> Any:
    """A value of the object `a`, to find out what NumPy does with such values.

    >>> sample(Array("float32", ("n", "1"))).shape
    (2, 1)
    """
    match a:
        case Real("float" | "any"):
            return number
        case Real("fraction"):
            return Fraction(1)
        case Real(kind):
            return np.dtype(kind).type(number)
        case Int("int" | "any"):
            return int(number)
        case Int(kind):
            return np.dtype(kind).type(int(number))
        case Bool("bool_"):
            return np.True_
        case Bool():
            return True
        case Array(dtype, axes) if axes is not None:
            return np.full(tuple(1 if axis == "1" else size for axis in axes), number, dtype)
        case Array(dtype, _):
            return np.full((size,), number, dtype)
        case Record(parts, cls, names):
            return made(cls, names, [sample(part, number, size) for part in parts])
        case Product(parts):
            return tuple(sample(part, number, size) for part in parts)
        case List(item):
            return [sample(item, number, size)] * size
        case Map(key, item):
            return {sample(key, number, size): sample(item, number, size)}
        case Text():
            return ""
        case Source(cls):
            return new(cls)
        case Static(value):
            return value
        case _:
            raise UnknownObject(f"no sample of {a}")


def linear(
    name: str, value: Callable[..., Any], type_rule: TypeRule, source: str | Callable[..., str], pullback: Pullback,
    exact: bool = False, **facts: Any,
) -> Primitive:
    """A primitive that is linear in its first argument; the others say shapes and places only. `facts` are what
    `Primitive` says else.

    >>> double = linear("double", lambda x: 2 * x, by_sampling, "2 * {}", lambda ct, y, x: (2 * ct,))
    >>> double.differential((3.0,), 2.0, 1.0)
    6.0
    """

    def differential(ds: tuple[Any, ...], y: Any, x: Any, *places: Any, **params: Any) -> Any:
        return ds[0] if isinstance(ds[0], Zero) else p(ds[0], *places, **params)

    p = Primitive(name, value, type_rule, source, pullback, differential, exact, places=True,
                  linear=jointly(0), **facts)
    return p


_NUMBERS = (1.0, 0.5, 2.0)  # every elementary function is defined at one of them


def by_sampling(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The default type rule: apply the value to samples and look at the result.

    Kinds and dtypes are NumPy's own; an axis is `?` where an argument's is, and the rank is unknown where an
    argument's is. Re-raises what the value raises on every sample.
    """
    if any(isinstance(a, Int) and a.kinds for a in args):
        ways = product(*[a.of_kinds if isinstance(a, Int) else [a] for a in args])
        return reduce(one_dtype, [by_sampling(p, way, params) for way in ways])
    failure: Exception | None = None
    for number in _NUMBERS:
        try:
            with np.errstate(all="ignore"):
                result = object_of(p.value(*[sample(a, number) for a in args], **params))
        except CCCError:
            raise
        except Exception as error:  # raised again where no sample works
            failure = failure or error
            continue
        return of_each_kind(p, blurred(result, args), args, params)
    assert failure is not None
    raise failure


def of_each_kind(p: Primitive, result: Object, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """A real of any kind as one of the kinds that it has for those of the arguments, where they are known."""
    ways = list(product(*[a.of_kinds if isinstance(a, Real) else [a] for a in args]))
    if len(ways) == 1 or not is_of_any_kind(result):
        return result
    found = [by_sampling(p, way, params) for way in ways]
    return reduce(one_dtype, found) if all(isinstance(a, Real) for a in found) else result


def one_dtype(a: Object, b: Object) -> Object:
    """What a value of either object is: numbers of two kinds are one of any, arrays have to be of one dtype.

    >>> print(one_dtype(Int(), Int("int8")))
    int|int8

    Raises `UnknownDtype` for arrays of two.
    """
    found = common(a, b)
    if found is None or (a != b and (isinstance(a, Array) or isinstance(b, Array))):
        one, other = [x.dtype if isinstance(x, Array) else in_words(x) for x in (a, b)]
        raise UnknownDtype(
            f"the dtype of the result depends on what an integer is when it runs: {one} or {other}",
            "say which integer it is where it is made or used: int(n), or np.int64(n)",
        )
    return found


def blurred(result: Object, args: tuple[Object, ...]) -> Object:
    """`result`, knowing no more about axes and kinds than the arguments did."""
    if isinstance(result, Array) and result.axes is not None:
        arrays = [a for a in args if isinstance(a, Array)]
        if any(a.axes is None for a in arrays):
            return array(result.dtype, None)
        if any("?" in (a.axes or ()) for a in arrays):
            return array(result.dtype, tuple("?" for _ in result.axes))
    if isinstance(result, Real) and result.kind != "fraction":
        if any(isinstance(a, Array) and a.axes is None for a in args):
            return array(result.kind if result.kind != "float" else "float64", None)
        if any(map(is_of_any_kind, args)):
            return Real("any")
    return result


def elementwise(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The type rule of ufuncs and operators: broadcasting axis by axis, dtype by sampling."""
    of_arrays = isinstance(p.value, np.ufunc) or any(map(_of_numpy, args))
    for a in args:
        if isinstance(a, (List, Map, Static)) and of_arrays:
            raise TypeError(f"`{p.name}` takes numbers and arrays: found {in_words(a)}")
    shapes = [a.axes for a in args if isinstance(a, Array)]
    result = by_sampling(p, tuple(_rank_zero(a) for a in args), params)
    axes = broadcast_axes(shapes)
    if axes == ():
        return result
    dtype = result.dtype if isinstance(result, Array) else getattr(result, "kind", "float64")
    return array({"bool_": "bool", "any": "float64", "float": "float64", "int": "int64"}.get(dtype, dtype), axes)


def broadcast_axes(shapes: Sequence[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The axes to which arrays of such axes are broadcast.

    >>> broadcast_axes([("n", "1"), ("n",)]), broadcast_axes([("n",), None]), broadcast_axes([()])
    (('n', 'n'), None, ())
    """
    return _broadcast_axes(tuple(shapes))


@lru_cache(maxsize=4096)
def _broadcast_axes(shapes: tuple[tuple[str, ...] | None, ...]) -> tuple[str, ...] | None:
    known = [axes for axes in shapes if axes is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    padded = [("1",) * (rank - len(axes)) + axes for axes in known]
    return tuple(map(_broadcast_axis, zip(*padded, strict=True)))


def is_real(a: Object) -> bool:
    """True for real numbers and arrays of them."""
    return isinstance(a, Real) or (isinstance(a, Array) and a.is_real)


def is_update(p: Primitive) -> bool:
    """True for a change of part of an argument."""
    return p.overwrites is not None and p.type_rule is not elementwise


def fits(p: Primitive) -> bool:
    """True for what gives its first argument in the sizes and of the kind of the second: itself where it is so, and
    there are no parameters."""
    return p.like == 1 and p.memory == may_be(0) and 1 in p.sizes


def _of_numpy(a: Object) -> bool:
    """True for arrays and scalars of NumPy, whose operators make arrays of sequences, and for lists of them."""
    while isinstance(a, List):
        a = a.item
    return isinstance(a, Array) or (isinstance(a, (Real, Int)) and a.kind not in ("float", "int", "any", "fraction"))


def _rank_zero(a: Object) -> Object:
    """Arrays as arrays of one element, which promote as arrays do."""
    return array(a.dtype, ("1",) if a.axes != () else ()) if isinstance(a, Array) else a


def _broadcast_axis(column: tuple[str, ...]) -> str:
    if "n" in column:
        return "n"
    return "?" if "?" in column else "1"
