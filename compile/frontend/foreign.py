"""Functions of another library, called in programs as they are: that library computes their values and derivatives.

    f(*xs)             a primitive, which the library computes
    pulled(*cts, *xs)  its pullback, a primitive too, whose derivatives the library takes of that
    pushed(*ds, *xs)   its differential, in the same way

What a call gives is asked of the library at the sizes of the call that code is made for, and is checked at each call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ccc.additive import ZERO, dense
from ccc.categories.rules import cotangents_of
from ccc.compile.diagnostics import CompileError, WrongArguments, unsupported
from ccc.compile.frontend import opaque
from ccc.compile.frontend.custom import name_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Borrowed
from ccc.compile.frontend.settling import Search, settled
from ccc.compile.frontend.standing import Standing, one_object
from ccc.compile.frontend.values import Frame, ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.errors import CCCError
from ccc.objects import Array, Bool, Int, Object, Real, array, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives import structure, zero_trees
from ccc.primitives.facts import MAY, NEW, NOT_LINEAR, jointly
from ccc.primitives.primitive import Primitive, sample
from ccc.records import mapped, taken_apart
from ccc.slots import Slot, apart, beside
from ccc.wording import in_words

Run = Callable[..., Any]


class Library(Protocol):
    """A library with derivatives of its own, on its arrays; `Run` are functions of some of these, one by one, to a
    tuple of them."""

    @property
    def name(self) -> str: ...

    @property
    def traced(self) -> bool:
        """Whether a target that is JAX takes its functions as they are."""
        ...

    def probed(self, function: Run, xs: Sequence[Any]) -> Any:
        """What a function gives at arrays of NumPy like these, with arrays of NumPy of which only dtypes and sizes
        count; nothing that it does else is seen."""
        ...

    def computed(self, run: Run, xs: Sequence[Any]) -> tuple[Any, ...]:
        """What a function gives, from arrays of NumPy to arrays of NumPy; a number of Python in the place of one that
        no array is."""
        ...

    def vjp(self, run: Run, primals: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]: ...

    def jvp(self, run: Run, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]: ...


class Flat:
    """A function of arrays and numbers, one by one, to a tuple of them, that a library computes; it is linear in so
    many of the first ones."""

    def __init__(
        self, library: Library, name: str, run: Run, params: Sequence[Object], results: Sequence[Object],
        linear: int = 0,
    ) -> None:
        self.library, self.name, self.run, self.linear = library, name, run, linear
        self.params, self.results = list(params), list(results)
        self.real = [i for i, a in enumerate(params) if not is_discrete(a)]
        self.given = [i for i, a in enumerate(results) if not is_discrete(a)]

    def value(self, *xs: Any) -> Any:
        found = self.library.computed(self.run, xs)
        for y, a in zip(found, self.results, strict=True):
            if not fits(object_of(y), a):
                here = f"`{self.name}` of {self.library.name}"
                raise CCCError(f"{here} gives {in_words(object_of(y))} here, {in_words(a)} was expected",
                               "give it arguments of one kind, and let its results depend on these alone")
        return found[0] if len(found) == 1 else found

    @cached_property
    def primitive(self) -> Primitive:
        result = one_object(self.results)
        return Primitive(
            self.name, self.value, lambda p, args, params: result, lambda *xs: f"{self.name}({', '.join(xs)})",
            self.pullback, self.differential, memory=NEW, raises=MAY,
            linear=jointly(*range(self.linear)) if self.linear else NOT_LINEAR,
        )

    def several(self, y: Any) -> list[Any]:
        """The results in the value of the primitive."""
        count = len(self.results)
        return [y] if count == 1 else [structure.part(y, index=i) for i in range(count)]

    # -- reverse mode ------------------------------------------------------------------------------------------------

    @cached_property
    def pulled(self) -> Flat:
        """The cotangents of the real arguments, from those of the real results and the arguments."""
        count = len(self.given)

        def run(*given: Any) -> tuple[Any, ...]:
            return self.library.vjp(*self.in_reals(given[count:]), given[:count])

        return Flat(self.library, f"pullback_of_{self.name}", run, self.of(self.results, self.given) + self.params,
                    self.of(self.params, self.real), count)

    def pullback(self, ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
        cts, ys = cotangents_of(self.results, ct), self.several(y)
        seeds = [zero_trees.filled(dense(cts[i]), ys[i]) for i in self.given]
        found = self.pulled.several(self.pulled.primitive(*seeds, *xs))
        each = dict(zip(self.real, found, strict=True))
        return tuple([each.get(i, ZERO) for i in range(len(xs))])

    # -- forward mode ------------------------------------------------------------------------------------------------

    @cached_property
    def pushed(self) -> Flat:
        """The tangents of the real results, from those of the real arguments and the arguments."""
        count = len(self.real)

        def run(*given: Any) -> tuple[Any, ...]:
            return self.library.jvp(*self.in_reals(given[count:]), given[:count])

        return Flat(self.library, f"differential_of_{self.name}", run, self.of(self.params, self.real) + self.params,
                    self.of(self.results, self.given), count)

    def differential(self, ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
        given = [zero_trees.filled(dense(ds[i]), xs[i]) for i in self.real]
        found = self.pushed.several(self.pushed.primitive(*given, *xs))
        if len(self.results) == 1:
            return found[0]
        each = dict(zip(self.given, found, strict=True))
        ys = self.several(y)
        return structure.pack(*[zero_trees.filled(each.get(i, ZERO), y) for i, y in enumerate(ys)])

    # -- parts -------------------------------------------------------------------------------------------------------

    def in_reals(self, xs: Sequence[Any]) -> tuple[Run, list[Any]]:
        """The function of its real arguments alone, to its real results, and these arguments."""
        def run(*reals: Any) -> tuple[Any, ...]:
            each = dict(zip(self.real, reals, strict=True))
            found = self.run(*[each.get(i, x) for i, x in enumerate(xs)])
            return tuple([found[i] for i in self.given])

        return run, [xs[i] for i in self.real]

    @staticmethod
    def of(objects: Sequence[Object], places: Sequence[int]) -> list[Object]:
        return [objects[i] for i in places]


def fits(a: Object, wanted: Object) -> bool:
    """Whether a value is one that was expected: of its dtype, with as many axes, of size 1 where that is known.

    >>> fits(Array("float64", ("n", "1")), Array("float64", ("?", "1"))), fits(Real("float64"), Real("float32"))
    (True, False)
    """
    if isinstance(a, Array) and isinstance(wanted, Array):
        known, axes = wanted.axes or (), a.axes or ()
        return a.dtype == wanted.dtype and len(axes) == len(known) and all(
            [x == y or y == "?" for x, y in zip(axes, known, strict=True)])
    return a == wanted


class Foreign:
    """A function of another library; `like` is what it gives, where the library cannot be asked."""

    def __init__(self, function: Any, library: Library, like: Any = None) -> None:
        self.function, self.library, self.like = function, library, like
        self.__name__ = name_of(function)

    def __repr__(self) -> str:
        return f"{self.__name__} of {self.library.name}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.called(args, kwargs)

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise NotImplementedError

    def __ccc_inline__(self, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
                       frame: Frame | None) -> Any:
        call = Standing(e, self.__name__, args, kwargs, node, frame)
        atoms = call.atoms()
        run = opaque.calling(call, self.function)
        found, results = self.result(call, run, atoms)
        form, _ = apart(found, is_number)
        function = Flat(self.library, self.__name__, lambda *xs: tuple(beside(form, run(*xs), len(results))),
                        [x.object for x in atoms], results)
        e.recorder.span = call.place or e.recorder.span
        return program_value(form, function.several(e.always(function.primitive, tuple(atoms))))

    def result(self, call: Standing, run: Run, atoms: Sequence[Any]) -> tuple[Any, list[Object]]:
        """An example of what a call gives, and the objects of the arrays and numbers in it: as the library says for the
        sizes of the call; where these are not known, for any."""
        if self.like is not None:
            return self.like, objects_in(self.like)
        exact = [example(call, self, x, None) for x in atoms]
        if not any(x is None for x in exact):
            found = self.probed(call, run, exact)
            return found, objects_in(found)
        try:
            tried = [self.probed(call, run, [example(call, self, x, n) for x in atoms]) for n in SIZES]
        except CompileError:
            raise self.unsized(call) from None
        all_of = [list(map(of_any_size, objects_in(found))) for found in tried]
        if all_of[0] != all_of[1]:
            raise self.unsized(call)
        return tried[0], all_of[0]

    def probed(self, call: Standing, run: Run, examples: Sequence[Any]) -> Any:
        """What the library says that a call gives."""
        try:
            return self.library.probed(run, examples)
        except CCCError:
            raise
        except Exception as error:
            raise unsupported("CC003", f"`{self.__name__}` of {self.library.name} refuses what it is given here",
                              call.place, f"{type(error).__name__}: {error}",
                              help="give what it takes, or say what it gives: like=...") from error

    def unsized(self, call: Standing) -> CompileError:
        return unsupported("CC003", f"what `{self.__name__}` of {self.library.name} gives is not known: sizes of what "
                           "it is given are known only when the program runs", call.place,
                           help="say what it gives, by an example: like=np.zeros((n, m))")


def known_outside(make: Callable[..., Any]) -> Callable[..., Any]:
    """What takes a function of another library inside of a program: one that is known outside of it."""
    def called(f: Any, **options: Any) -> Any:
        if not callable(f):
            name = make.__name__
            raise WrongArguments(f"{name} of a function that the program makes",
                                 help=f"write g = {name}(f) outside of it")
        return make(f, **options)

    return called


SIZES = (2, 3)
"""Where sizes are not known, what a function gives is asked at these."""


def is_number(x: Any) -> bool:
    """True for arrays and numbers, which are results of a program."""
    return isinstance(x, (np.ndarray, np.generic, int, float))


def objects_in(x: Any) -> list[Object]:
    """The objects of the arrays and numbers in a value."""
    found = list[Object]()
    mapped(lambda leaf: found.append(object_of(leaf)) if is_number(leaf) else None, x)
    return found


def of_any_size(a: Object) -> Object:
    return array(a.dtype, ("?",) * len(a.axes)) if isinstance(a, Array) and a.axes else a


def example(call: Standing, function: Foreign, x: Any, size: int | None) -> Any:
    """A value with the sizes that an argument has in the call that code is made for, or, where they are not known, a
    size; None without one."""
    a = x.object
    if isinstance(a, Array):
        sizes = settled_sizes(call.e, x)
        if None in sizes and size is None:
            return None
        return np.ones([size if n is None else n for n in sizes], a.dtype)  # type: ignore[misc]
    if isinstance(a, (Int, Bool)):
        known = settled(call.e, x)
        return sample(a) if known is None else type(sample(a))(known)
    if isinstance(a, Real):
        return sample(a)
    raise unsupported("CC003", f"`{function.__name__}` of {function.library.name} is given {in_words(a)}", call.place,
                      help="give it numbers, arrays, and tuples, dicts and objects of them")


def settled_sizes(e: Elaboration, x: Any) -> list[int | None]:
    """The sizes of an array in the call that code is made for, which is for these sizes then; None for all where one is
    not known."""
    axes, searches = x.object.axes or (), list[Search]()
    try:
        search = Search(e, searches) if e.settles and isinstance(x, Var) else None
        sizes: list[int | None] = [1 if axis == "1" else search.axis(x, i) if search else None
                                   for i, axis in enumerate(axes)]
    except (Borrowed, KeyError):
        sizes = [None for _ in axes]
    if None in sizes:
        return [1 if axis == "1" else None for axis in axes]
    for one in searches:
        one.e.settled |= one.used
        one.e.looked_at += one.whole
    return sizes


def program_value(form: Any, ys: Sequence[Any]) -> Any:
    """A result in the program, in its structure."""
    if isinstance(form, Slot):
        return ys[form.place]
    if type(form) is tuple:
        return tuple([program_value(part, ys) for part in form])
    if type(form) is list:
        return ListValue([program_value(part, ys) for part in form])
    record = taken_apart(form)
    if record is None:
        return form
    cls, names, inside = record
    return RecordValue(cls, {n: program_value(part, ys) for n, part in zip(names, inside, strict=True)})


__all__ = ["Flat", "Foreign", "Library", "Run", "known_outside"]
