"""Calls with arrays of another library of which a target is: that target computes them, and gives such arrays.

    gradient(f, backend="xla")(w, x)         with arrays of JAX: they stay where they are
    jax.jit(gradient(f, backend="xla"))      the same while JAX traces: what it makes is part of what JAX compiles

Code depends on the types and sizes of arrays alone, so it is looked up with arrays of NumPy in their places, which take
no memory. What the library does not know yet has no value that a program could be read for: it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ccc.compile.api import cotangents, linear, pipeline, ways_of_guests
from ccc.compile.api.kept import Code
from ccc.compile.api.targets import AUTO, TARGETS
from ccc.compile.api.wrapper import USES, Transform, shortened
from ccc.compile.diagnostics import WrongArguments, counted, telling
from ccc.compile.program.assumed import NUMBER, Bound
from ccc.compile.program.target import Arrays, Hosting, NotTaken, Target, Unsaid
from ccc.compile.terms import derive
from ccc.compile.terms.plan import Kind
from ccc.compile.terms.wanted import reach
from ccc.records import ARRAYS, mapped, parts_of


class Host(NamedTuple):
    """A target, and the arrays of which it is."""

    target: Target
    arrays: Arrays

    def knows(self, x: Any) -> bool:
        """Whether the library knows all arrays in a value."""
        found: list[bool] = []
        mapped(lambda leaf: found.append(self.arrays.is_unknown(leaf)), x)
        return not any(found)


class Hosted(Transform):
    """A transform that a target may compute on its own arrays."""

    def host(self, values: Sequence[Any]) -> Host | None:
        """The target whose arrays are among the arguments, where it is asked for, or none is, and these arrays."""
        backend = self.backend or pipeline.BACKEND
        for target in TARGETS.values() if backend == AUTO else (TARGETS[backend],):
            arrays = target.arrays()
            if arrays is not None and holds(values, arrays.cls):
                return Host(target, arrays)
        return None

    def begin(self) -> None:
        super().begin()
        self.hosted: tuple[Any, int] = None, 0
        self.way: tuple[int, Callable[..., Any]] = -1, len

    def slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Code | None]:
        arity, way = self.way
        if len(args) == arity and not kwargs:
            found = way(*args)
            if found is not NotImplemented:
                return found, None
        host = self.host((*args, *kwargs.values()))
        return super().slowly(args, kwargs) if host is None else (answered(self, host, args, kwargs), None)

    def shorten(self, found: Found) -> None:
        """Shorten the way to code that is used again and again with arrays of a target."""
        given, args, kwargs = found.given, *found.called
        before, uses = self.hosted
        self.hosted = given, uses + 1 if given is before else 1
        within = getattr(found.code.call, "within", None)
        if self.hosted[1] != USES or kwargs or within is None or found.is_open or self.kind is Kind.PULLBACK:
            return
        way = ways_of_guests.way(found.code, given, within, args, found.host.arrays.cls, self.function)
        if way is not None:
            shortened.add(self)
            self.way = len(args), way


class _Pulled(Transform):
    kind = Kind.PULLBACK


def holds(values: Sequence[Any], cls: type) -> bool:
    """Whether there is an array of a class in values; False for what holds itself, which all targets refuse alike."""
    found, around, done = False, set[int](), dict[int, Any]()
    todo: list[tuple[Any, bool]] = [(x, True) for x in values]
    while todo:
        x, enters = todo.pop()
        kind = type(x)
        if not enters:
            around.discard(id(x))
            continue
        if id(x) in around:
            return False
        found = found or isinstance(x, cls)
        plain = kind is float or kind is np.ndarray or (kind is list and {*map(type, x)} == {float})
        parts = () if plain or id(x) in done else parts_of(x) or ()
        if parts:
            around.add(id(x))
            done[id(x)] = x
            todo.append((x, False))
            todo += [(part, True) for part in parts]
    return found


class Standing:
    """Arrays of NumPy in the places of a library's, and back."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.actual: dict[int, tuple[Any, Any]] = {}

    def stand(self, x: Any) -> Any:
        """A value with arrays of NumPy of the same types and sizes; a number stands for what has no axes."""
        return mapped(lambda leaf: self.kept(leaf) if isinstance(leaf, self.arrays.cls) else leaf, x)

    def kept(self, x: Any) -> Any:
        if not all([type(n) is int for n in x.shape]):
            raise WrongArguments(f"an array of the shape {x.shape}: which code there is depends on its sizes", "CC025",
                                 "give arrays whose sizes are numbers")
        ARRAYS.add(type(x))
        dtype = np.dtype(x.dtype)
        if x.ndim:
            found: Any = np.ndarray(x.shape, dtype, bytes(16), 0, (0,) * x.ndim)
        else:
            found = unsaid(dtype) if self.arrays.is_unknown(x) else dtype.type(x if dtype.kind in "iub" else 0)
        self.actual[id(found)] = found, x
        return found

    def back(self, x: Any) -> Any:
        """A value with the arrays that others stand for."""
        return mapped(lambda leaf: self.actual.get(id(leaf), (None, leaf))[1], x)


@cache
def _class_of_unsaid(kind: Any) -> Any:
    return type(kind.__name__, (kind, Unsaid), {})


def unsaid(dtype: np.dtype[Any]) -> Any:
    """A number that stands for one of a dtype that nobody knows yet; whole ones say so."""
    return (_class_of_unsaid(dtype.type) if dtype.kind in "iu" else dtype.type)(0)


class Found:
    """The code for a call with arrays of a target, and the arguments that it takes."""

    def __init__(self, transform: Transform, host: Host, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        standing = Standing(host.arrays)
        self.transform, self.host, self.called = transform, host, (args, kwargs)
        on = transform if transform.backend == host.target.name else transform.with_backend(host.target.name)
        stood = standing.stand(list(args)), standing.stand(kwargs)
        given, named, self.code, self.given = on.found(tuple(stood[0]), stood[1])
        self.values = [*map(standing.back, (*given, *named.values()))]
        self.hidden = [read(transform.function) for read in self.code.readers]
        self.is_open = not host.knows(self.values)
        if self.code.writes is not None:
            raise WrongArguments("the function changes what it is given, and arrays of "
                                 f"{host.arrays.library} cannot be changed", "CC011", "change a copy: x = x.copy()")
        if not self.is_open:
            return
        for bound in self.code.sizes:
            axis = bound.axis if isinstance(bound, Bound) else bound[0]
            if axis.axis == NUMBER and axis.argument < len(self.values) and not host.knows(
                    self.values[axis.argument]):
                raise self.refusal(f"`{axis.text('x')}` has to be known to read the function")

    def refusal(self, reason: str) -> WrongArguments:
        return WrongArguments(
            f"inside of what {self.host.arrays.library} traces, {self.host.target.compiler} does not take {reason}",
            help="call it outside of that, or give what is needed as a number of Python")

    def within(self) -> Hosting | None:
        """What computes with such arrays; None where the reference computes. Raises where that cannot."""
        within = getattr(self.code.call, "within", None)
        if within is None and self.is_open:
            raise self.refusal(self.code.left_to)
        return within

    def pulled(self, positions: Sequence[int]) -> Hosting:
        """The same with a pullback in the arguments at some positions."""
        args, kwargs = self.called
        names = [*range(len(args)), *kwargs]
        found = Found(_Pulled(self.transform, tuple([names[i] for i in positions]), backend=self.host.target.name),
                      self.host, args, kwargs).within()
        assert found is not None
        return found

    def run(self, *more: Any) -> Any:
        """The result; `more` are the tangents of a differential."""
        within, args = self.within(), [*self.values, *self.hidden, *more]
        if within is None:
            return self.host.arrays.on_device(self.code.call(*map(self.host.arrays.on_host, args)))
        try:
            if self.is_open or not self.host.knows(more):
                return within.differentiable(args, self.pulled)
            return within.computed(args)
        except NotTaken as error:
            raise self.refusal(str(error)) from error


@telling
def answered(transform: Transform, host: Host, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a transform gives at arrays of a target."""
    found = Found(transform, host, args, kwargs)
    result = found.run()
    if isinstance(transform, Hosted):
        transform.shorten(found)
    if transform.kind is not Kind.PULLBACK:
        return result
    value, function = result
    of = value[0] if transform.aux else value
    objects = found.code.result[0] if transform.aux else found.code.result
    return value, linear.Linear(lambda ct: function(*along(objects, of, ct, "cotangent")), transform, args, kwargs, ())


@telling
def moved(transform: Hosted, plain: Hosted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The value and the differential at arrays of a target."""
    host = transform.host((*args, *kwargs.values()))
    assert host is not None
    found = Found(transform, host, args, kwargs)
    value = answered(plain, host, args, kwargs)
    wanted = [reach(found.values[i], way) for i, way in transform.parts(args, kwargs)]

    @telling
    def differential(*tangents: Any) -> Any:
        if len(tangents) != len(wanted):
            raise WrongArguments(f"the differential takes {counted(len(wanted), 'tangent')}, {len(tangents)} "
                                 f"{'was' if len(tangents) == 1 else 'were'} given",
                                 help="give one for each differentiated argument, 0.0 for one that does not move")
        for x, d in zip(wanted, tangents, strict=True):
            fits(x, d, "tangent")
        return found.run(*tangents)

    return value, linear.Linear(differential, transform, args, kwargs, ())


def along(objects: Any, value: Any, ct: Any, path: str) -> list[Any]:
    """The cotangents of the numbers and arrays of a value, of a cotangent with its structure and its sizes."""
    if isinstance(objects, tuple):
        given = cotangents.parts_given(objects, ct, path)
        inner = zip(derive.named_parts(objects), parts_of(value) or (), given, strict=True)
        return [one for (name, part), x, d in inner for one in along(part, x, d, path + name)]
    if objects is None:
        return []
    fits(value, ct, path)
    return [ct]


def fits(x: Any, d: Any, path: str) -> None:
    """Refuse a tangent or cotangent of other sizes."""
    def leaf(x: Any, d: Any) -> None:
        found = None if d is None else np.shape(d)
        if hasattr(x, "shape") and found != x.shape:
            raise WrongArguments(f"{path}: it has the shape {found}, what it belongs to has {x.shape}",
                                 help=cotangents.LIKE_THE_VALUE)

    mapped(leaf, x, d)


__all__ = ["Hosted", "answered", "moved"]
