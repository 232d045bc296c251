"""Callable transforms of functions: arguments in, cached code found by their types, cotangents out.

Code is found by the form of the function (`compile.kept`) and the types of the arguments: sizes of arrays are not part
of a type. What the function reads from outside is checked at each call: functions and other known things guard the
code, numbers and arrays are passed to it as hidden arguments.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.categories.exponentials import exponential_of
from ccc.directions import outline
from ccc.errors import CCCError, DirectionMismatch, HigherOrderBoundary
from ccc.groups import group_of
from ccc.objects import (
    INT,
    REAL,
    UNIT,
    Array,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Real,
    Record,
    Space,
    functions_in,
    is_discrete,
    object_of,
)
from ccc.primitives import arithmetic, creation, structure
from ccc.records import like, parts_of, strangers, taken_apart
from ccc.wording import called_in_words
from compile import aliasing, custom, derive, directions, joins, kept, pipeline, reals
from compile.backends.places import annotate
from compile.custom import as_argument
from compile.diagnostics import CompileError, WrongArguments, counted, nearest, telling, unsupported
from compile.dispatch import token
from compile.elaborate import Elaborated, Elaboration, Hidden, elaborate, parameter_names
from compile.integers import (
    Reading,
    floats_in,
    holds_integers,
    mixes,
    moving,
    readable,
    reader_of,
    settled as settled_integers,
    with_reals,
)
from compile.kept import LOCK, Code, Family, Read
from compile.lam import (
    Apply,
    Block,
    Lambda,
    Let,
    Lit,
    Node,
    Program,
    Tree,
    Var,
    free_variables,
    leaves,
    like as node_like,
    move,
)
from compile.linear import direction
from compile.lost import refuse_lost
from compile.pipeline import BACKENDS, Plan, build, derived, dispose
from compile.records import mapped, parts_in, value_of_tree
from compile.values import ClosureValue, LinearValue, RecordValue, is_function

_shortened: weakref.WeakSet[Transform] = weakref.WeakSet()
USES = 3
"""After so many calls of one code, a transform has a way to it that is for its function alone."""


def forget() -> None:
    """Drop all compiled code: a derivative was given to a function that it may call."""
    kept.clear()
    for transform in list(_shortened):
        transform.begin()


def known_backend(backend: str | None) -> str | None:
    """The name of a backend; None for the default.

    >>> known_backend("native")
    'native'
    """
    if backend is not None and backend not in BACKENDS:
        raise WrongArguments(f"backend={backend!r} is not known: {', '.join(map(repr, BACKENDS))} are",
                             help=nearest(backend, BACKENDS, f"write backend={BACKENDS[0]!r}"))
    return backend


def refuse_strangers(value: Any, name: str) -> None:
    """Refuse to differentiate in a container of numbers that is no structure."""
    if isinstance(value, RecordValue | Node):
        names = value.fields if isinstance(value, RecordValue) else value.names
        for label, part in zip(names, parts_in(value) or (), strict=True):
            refuse_strangers(part, f"{name}[{label!r}]" if value.cls is dict else f"{name}.{label}")
        return
    if type(value) is tuple:
        for i, part in enumerate(value):
            refuse_strangers(part, f"{name}[{i}]")
        return
    for path, what in strangers(value, name):
        raise WrongArguments(f"`{path}` is {what}, and no structure that is differentiated", "CC025",
                             help=f"make it a plain dict, list or tuple, or leave `{name}` out of `wrt`")


class Called:
    """What is called by calling another function, which it holds."""

    __slots__ = ("__call__",)
    __call__: Callable[..., Any]


class Transform(Called):
    """A function transformed: base of `gradient(f)`, `value_with_pullback(f)` and the others.

    >>> from compile.api import gradient
    >>> gradient(lambda x: x * x)
    gradient(<lambda>)
    """

    kind = "value"
    verb = ""
    """The name of the verb where that is not the kind."""
    allows_integers = False
    """Whether the cotangent of integers that were asked for is None, and no error."""

    def __init__(
        self, function: Callable[..., Any], wrt: Any = None, exponential: Any = None, backend: str | None = None,
        aux: bool = False,
    ) -> None:
        one_of_several = isinstance(function, Var) and isinstance(function.object, Coproduct)
        if isinstance(function, Var) and not one_of_several:
            raise WrongArguments(f"{self.kind} of a function that is not known: it is an argument of the whole "
                                 "program", help="call it from a function that knows it")
        if not callable(function) and not is_function(function) and not one_of_several:
            verb = self.verb or (self.kind if self.kind != "value" else "explain")
            raise WrongArguments(f"{verb} takes a function, found {type(function).__name__}",
                                 help=f"write {verb}(f)(x)")
        self.function = function
        self.wrt = wanted_of(function) if wrt is None else wrt
        self.exponential = None if exponential is None else exponential_of(exponential)
        self.aux = aux
        self.backend = known_backend(backend)
        self.begin()
        self.__name__ = f"{self.verb or self.kind}({getattr(function, '__name__', 'f')})"
        self.__wrapped__ = function

    def __repr__(self) -> str:
        return self.__name__

    def begin(self) -> None:
        """Know no code to be called at once."""
        self.last: Code | Read | None = None
        self.bound: tuple[Code | Read | None, int] = None, 0
        self.uses = 0
        self.short: tuple[int, Callable[..., Any], Code | None] = -1, len, None
        self.__call__ = self.called

    # -- what is kept ------------------------------------------------------------------------------------------

    def __ccc_form__(self) -> Any:
        """All of the transform but its function."""
        wrt = tuple(self.wrt) if isinstance(self.wrt, list) else self.wrt
        return type(self), wrt, self.exponential, self.backend or pipeline.BACKEND, self.aux, self.allows_integers

    def family(self) -> Family:
        """What is kept for this transform of all functions that have the form of its own."""
        return kept.family(self, custom.RULES)

    @property
    def codes(self) -> Mapping[Any, list[Code]]:
        """The codes that calls may run, by the types of arguments."""
        return self.family().codes

    # -- arguments ---------------------------------------------------------------------------------------------

    def prepared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with floats for those ints among the differentiated ones that the function does not need."""
        reading, _ = read_by(self.function, args, kwargs, self.positions(args, kwargs)[0])
        return (args, kwargs) if reading is None else reading(args, kwargs)

    def reading(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], positions: Sequence[int]
    ) -> tuple[Reading | None, Elaborated | None]:
        """How ints are read in a call, and the program for that where it is known."""
        if self.kind == "value":
            return among_reals(self.function, args, kwargs)  # ints stay ints
        return read_by(self.function, args, kwargs, positions)

    def positions(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[int, ...], str]:
        """Which parameters are differentiated, and how cotangents are handed out: bare, tuple or all."""
        names = names_of(self.function, len(args), kwargs)
        if self.wrt is None:
            return tuple(range(len(args))), "bare" if len(args) == 1 else "all"
        wanted = self.wrt if isinstance(self.wrt, tuple | list) else (self.wrt,)
        found: list[int] = []
        for w in wanted:
            if isinstance(w, str):
                if w not in names:
                    raise WrongArguments(f"wrt={w!r}: `{_name(self.function)}` was given no argument `{w}`; "
                                         f"it has {', '.join(names) or 'none'}", help=self.mend(w, names))
                found.append(names.index(w))
            elif isinstance(w, int) and not isinstance(w, bool) and -len(args) <= w < len(args):
                found.append(w % len(args))
            else:
                raise WrongArguments(f"wrt={w!r} is no parameter of `{_name(self.function)}`, which was given "
                                     f"{counted(len(args), 'positional argument')}", help=self.mend("", names))
        return tuple(found), "tuple" if isinstance(self.wrt, tuple | list) else "bare"

    def mend(self, wanted: str, names: list[str]) -> str:
        """What to write instead of a parameter that was not given, or that there is none of."""
        known = parameter_names(self.function, len(names) + 64, {}) if wanted else []
        if wanted in known:
            return f"give `{wanted}` in the call"
        return nearest(wanted, names, f"name one of {', '.join(names)}, by name or position" if names else "")

    def code_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Code | Read:
        """The compiled code for these arguments: cached, or made now (once, also when threads race)."""
        key = (tuple(map(token, args)), tuple([(k, token(v)) for k, v in kwargs.items()]))
        family = self.family()
        for code in family.codes.get(key, ()):
            if code.valid(self.function):
                return code
        with LOCK:
            for code in family.codes.get(key, ()):
                if code.valid(self.function):
                    return code
            positions, form = self.positions(args, kwargs)
            self.refuse(args, kwargs, positions)
            plan = self.plan(positions, form)
            reading, program = self.reading(args, kwargs, positions)
            if reading is None and self.kind == "derivative" and object_of(args[0]) == INT:
                raise moving(names_of(self.function, 1, {})[0])
            if reading is None and (known := family.known(key, self.function)) is not None:
                return family.keep(key, known, self.function)
            if reading is None:
                return family.keep(key, self.made(family, plan, key, args, kwargs, program), self.function)
            given, named = reading(args, kwargs)
            floats = (tuple(map(token, given)), tuple([(k, token(v)) for k, v in named.items()]))
            known = family.known(floats, self.function)
            if known is not None:
                return family.keep(key, Read(known, key[0], reading, floats), self.function)
            try:
                code = self.made(family, plan, floats, given, named, program, reading.readers)
            except CCCError:  # where it has no derivative in these numbers, they may be integers that it needs
                try:
                    return family.keep(key, self.made(family, plan, key, args, kwargs), self.function)
                except CCCError:
                    pass
                raise
            return family.keep(key, Read(code, key[0], reading, floats), self.function)

    def made(
        self, family: Family, plan: Plan, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        program: Elaborated | None = None, read: Sequence[Any] = (),
    ) -> Code:
        """New code for arguments of some types."""
        built = family.made(key, self.function, lambda general: build(
            self.function, plan, args, kwargs, general, None if general else program, read))
        return Code(built, key[0])

    def plan(self, positions: tuple[int, ...], form: str) -> Plan:
        return Plan(self.kind, positions, self.exponential, form == "bare", self.backend, self.aux)

    def refuse(self, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int]) -> None:
        """Refuse arguments that cannot be differentiated, by name."""
        names = names_of(self.function, len(args), kwargs)
        values = [*args, *kwargs.values()]
        nothing = all(is_discrete(object_of(values[i])) for i in positions)
        for i in positions:
            refuse_strangers(values[i], names[i])
            a = object_of(values[i])
            for found in functions_in(a, f"argument `{names[i]}`"):
                raise HigherOrderBoundary(f"{found}, whose cotangent cannot be made",
                                          "name other arguments in `wrt`, or use ccc.functional_grad")
            if callable(values[i]) and not isinstance(a, Record) and (self.wrt is not None or nothing):
                raise HigherOrderBoundary(
                    f"argument `{names[i]}` is {called_in_words(values[i])}, whose cotangent cannot be made",
                    "name other arguments in `wrt`, or use ccc.functional_grad")
            self.refuse_integers(names[i], a, len(values))

    def refuse_integers(self, name: str, a: Object, count: int) -> None:
        """Refuse to differentiate in an array of integers that was asked for, or is all there is."""
        if self.allows_integers:
            return
        if isinstance(a, Array) and not a.is_real and (self.wrt is not None or count == 1):
            raise WrongArguments(f"`{name}` is an array of {a.dtype}; derivatives need real numbers", "CC025",
                                 f"convert it: {name}.astype(float)")

    def compiled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Code]:
        """The result of the code, and the code."""
        arity, call, known = self.short
        if len(args) == arity and not kwargs and known is not None:
            try:
                found = call(*args)
            except Exception as error:
                annotate(error)
                raise
            if found is not NotImplemented:
                return found, known
        return self.slowly(args, kwargs)

    @telling
    def found(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], Code, Code | Read]:
        """The arguments as the code takes them, the code, and what stands for it where the arguments are given."""
        code = self.code_for(args, kwargs)
        if isinstance(code, Read):
            args, kwargs = code.reading(args, kwargs)
            return args, kwargs, code.code, code
        return args, kwargs, code, code

    def slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Code]:
        """The result and the code, looked up by the form of the function and the types of the arguments, or made."""
        if not kwargs:
            family = self.family()
            arity, call, code, given = family.short
            if code is not None and len(args) == arity:
                try:
                    found = call(self.function, *args)
                except Exception as error:
                    annotate(error)
                    raise
                if found is not NotImplemented:
                    self.keep(code, given, arity)
                    return found, code
        args, kwargs, code, given = self.found(args, kwargs)
        if not kwargs:
            self.family().used(code, given, self.function, len(args))
            self.keep(code, given, len(args))
        try:
            return code.run_for(self.function, (*args, *kwargs.values())), code
        except Exception as error:
            annotate(error)
            raise

    def keep(self, code: Code, given: Code | Read, arity: int) -> None:
        """Shorten the way to code that is used again and again."""
        self.uses = self.uses + 1 if given is self.last else 1
        self.last = given
        if self.uses >= USES and self.bound != (given, code.version):
            _shortened.add(self)
            self.bound = given, code.version
            self.short = arity, given.shortened(self.function, bound=True), code
            self.__call__ = given.entrance(self.function, self.called) or self.called

    def called(self, *args: Any, **kwargs: Any) -> Any:
        arity, call, _ = self.short
        if len(args) == arity and not kwargs:
            try:
                found = call(*args)
            except Exception as error:
                annotate(error)
                raise
            if found is not NotImplemented:
                return found
        return self.slowly(args, kwargs)[0]

    # -- inside programs ---------------------------------------------------------------------------------------

    def __ccc_inline__(self, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        """The transform met inside a compiled function: its program, spliced in."""
        return self.taken(e, args, kwargs, node, frame)

    def taken(self, e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        """What the transform gives at arguments of a program."""
        return inlined(self, e, args, kwargs, node, frame)


def wanted_of(function: Any) -> Any:
    """With respect to which parameters a function was said to be differentiable: see `differentiable`."""
    wanted = getattr(function, "__ccc_wrt__", None)
    if isinstance(function, types.MethodType) and isinstance(wanted, tuple):
        first = function.__func__.__code__.co_varnames[:1]
        return tuple([name for name in wanted if name not in first])
    return wanted


def names_of(function: Any, count: int, kwargs: dict[str, Any]) -> list[str]:
    """The names of the parameters that a call gives, also of a function nested in the one being compiled."""
    function = innermost(function)
    if isinstance(function, ClosureValue):
        spec = function.node.args
        return [a.arg for a in [*spec.posonlyargs, *spec.args]][:count] + list(kwargs)
    return parameter_names(function, count, kwargs)


def _name(function: Any) -> str:
    return getattr(function, "__name__", "f")


def among_reals(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Reading | None, Elaborated | None]:
    """How a function that is not differentiated reads ints that stand among the reals of lists: as floats where it has
    derivatives inside; and its program where that is known."""
    values = [*args, *kwargs.values()]
    mixed = [mixes(x, object_of(x)) for x in values]
    if not any(mixed):
        return None, None
    found = elaborate(function, args, kwargs)
    readers = [reader_of(tree, {}, mix) for mix, (_, tree) in zip(mixed, found.program.params, strict=False)]
    return (Reading(readers) if found.differentiates else None), found


def read_by(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], positions: Sequence[int]
) -> tuple[Reading | None, Elaborated | None]:
    """How a function reads the ints in these arguments of a call, and its program for that where it is known."""
    values = [*args, *kwargs.values()]
    objects = [object_of(x) if i in positions else UNIT for i, x in enumerate(values)]
    mixed = [mixes(x, a) for x, a in zip(values, objects, strict=True)]
    if not any(mixed) and not any(map(holds_integers, objects)):
        return None, None
    try:
        whole = elaborate(function, args, kwargs)
    except CompileError:
        reading = Reading([floats_in if i in positions else None for i, _ in enumerate(values)])
        args, kwargs = reading(args, kwargs)
        try:
            return reading, elaborate(function, args, kwargs)
        except CompileError:
            return None, None
    params = whole.program.params

    def at(places: Any) -> Reading:
        return Reading([reader_of(tree, places, mixed[i]) if i in positions else None
                        for i, (_, tree) in enumerate(params[: len(values)])])

    places, found = settled_integers(
        *readable(whole.program, whole.looked_at, positions),
        lambda places: elaborate(function, *at(places)(args, kwargs)),
    )
    reading = at(places)
    if not any(reading.readers):
        return None, whole
    dispose(whole.program)
    return reading, found


def _as_float(x: Any) -> Any:
    if isinstance(x, Var) and isinstance(x.object, Int):
        return arithmetic.to_float(x)
    if type(x) is int:
        return float(x)
    parts = None if isinstance(x, Node | Var) or group_of(type(x)) is not None else parts_of(x)
    return x if parts is None else like(x, list(map(_as_float, parts)))


# -- splicing a derivative program into the program being elaborated ---------------------------------------------


def inlined(
    t: Transform, e: Elaboration, arguments: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> Any:
    """Elaborate the inner function on its own, derive, and splice the result into the current block."""
    e.differentiates = e.differentiates or t.kind != "value"
    given_args = [as_argument(e, a, node, frame) for a in arguments]
    given_kwargs = {name: as_argument(e, a, node, frame) for name, a in kwargs.items()}
    args, kwargs = read_inside(t, e, given_args, given_kwargs, node, frame)
    before, wanted = [*given_args, *given_kwargs.values()], list[Any]()
    if t.kind == "derivative" and any((isinstance(x, Var) and x.object == INT) or type(x) is int for x in args):
        raise moving(names_of(t.function, 1, {})[0]).placed(e.place(node, frame))
    splicing = derived_inline(t, e, args, kwargs, node, frame)
    if t.kind not in ("pullback", "differential"):
        return splicing(derived, ())

    def apply(given: Sequence[Any], node: ast.AST, frame: Any, fits: bool = False) -> Any:
        further = [_as_float(as_argument(e, ct, node, frame)) for ct in given]
        if t.kind == "differential":
            for i, d in enumerate(further[: len(origins)]):
                further[i] = at_rest(e, wanted[i], origins[i][1], d, origins[i][0], node, frame)
        if not fits:
            fitting = directions.Fitting(e, "cotangent" if t.kind == "pullback" else "tangent", node, frame)
            further = [fitting.fitted(x, d, path) if x is not None else d
                       for (path, x), d in zip(origins, further, strict=True)]
        zeros: list[Any] = list(map(known_zeros, further))
        if t.aux:
            further, zeros = [(further[0], None)], [(zeros[0], True)]

        def derivation(plan: Plan, inner: Elaborated) -> Program:
            refuse_lost(inner.program, plan.wrt)
            if t.kind == "differential":
                return derive.forward(inner.program, plan.wrt, zeros=zeros)
            return derive.vjp(inner.program, plan.wrt, plan.exponential, plan.bare, *zeros)

        return splicing(derivation, further)

    value = e.call(t.function, list(args), kwargs, node, frame)
    if t.kind == "pullback":
        pulled = value[0] if t.aux else value
        origins = [("value", directions.shown(e, pulled))]
    else:
        names, values = names_of(t.function, len(args), kwargs), [*args, *kwargs.values()]
        positions = t.positions(args, kwargs)[0]
        origins, wanted = [(names[i], values[i]) for i in positions], [before[i] for i in positions]
    return value, LinearValue(t.kind, len(origins), apply)


def refusing(path: str) -> Callable[[Any], None]:
    """A function that raises where a tangent of an integer is not zero."""
    text = moving(path).diagnostics[0].message

    def check(d: Any) -> None:
        if d != 0:
            raise DirectionMismatch(text)

    return check


def at_rest(e: Elaboration, before: Any, x: Any, d: Any, path: str, node: ast.AST, frame: Any) -> Any:
    """A tangent in a program, with zeros for None where an integer is read as a real; refused where it is not zero and
    the integer is needed."""
    parts, ds = parts_in(x), parts_in(d)
    if parts is not None and ds is not None and len(parts) == len(ds):
        was, inner = iter(parts_in(before) or parts), iter(parts)
        return mapped(d, lambda name, part: at_rest(
            e, next(was), next(inner), part, f"{path}[{name!r}]", node, frame))
    if (isinstance(x, Var) and x.object == INT) or type(x) is int:
        if type(d) in (int, float) and d != 0:
            raise moving(path)
        if isinstance(d, Var) and isinstance(d.object, Real | Int):
            e.call(refusing(path), [d], {}, node, frame)
        return d
    integer = (isinstance(before, Var) and before.object == INT) or type(before) is int
    return 0.0 if d is None and integer else d


def integers_in(value: Any) -> list[Any]:
    """The leaves of a value of a program that are or hold integers."""
    parts = parts_in(value)
    if parts is not None:
        return [leaf for part in parts for leaf in integers_in(part)]
    if isinstance(value, Var):
        return [value] if holds_integers(value.object) and not isinstance(value.object, Map) else []
    return [value] if type(value) is int else []


def read_inside(
    t: Transform, e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a derivative inside a program, with reals for those integers among the differentiated ones that
    the function does not need."""
    values, count = [*args, *kwargs.values()], len(args)
    positions = t.positions(args, kwargs)[0] if t.kind != "value" else ()
    integers = [leaf for i in positions for leaf in integers_in(values[i])]
    if not integers:
        return tuple(args), kwargs

    def program_at(values: Sequence[Any]) -> tuple[Program, list[Any]]:
        named = dict(zip(kwargs, values[count:], strict=True))
        if is_inside(innermost(t.function)):
            return closure_program(e, t.function, values[:count], named, node, frame), e.looked_at
        found = sub_elaboration(e, t.function, values[:count], named)
        return found.program, [*found.looked_at]

    def read(value: Any, tree: Any, places: Any) -> Any:
        parts = parts_in(value)
        if parts is not None:
            pairs = iter(tree if isinstance(tree, tuple) else ())
            return mapped(value, lambda _, part: read(part, next(pairs, None), places))
        if tree not in places:
            return value
        return reals.fitted(value, REAL) if type(value) is int else reals.converted(
            e, value, with_reals(value.object, places[tree]))

    def at(places: Any) -> list[Any]:
        return [read(value, tree, places) for value, (_, tree) in zip(values, params, strict=False)]

    program, looked_at = program_at(values)
    params = program.params
    places, _ = settled_integers(*readable(program, looked_at, positions), lambda places: program_at(at(places)))
    found = at(places)
    left = [leaf for i in positions for leaf in integers_in(found[i])]
    e.looked_at += [leaf for leaf in left if isinstance(leaf, Var)]
    return tuple(found[:count]), dict(zip(kwargs, found[count:], strict=True))


def innermost(function: Any) -> Any:
    """The function under any number of transforms."""
    while isinstance(function, Transform):
        function = function.function
    return function


def is_inside(function: Any) -> bool:
    """True for a function of the program that is being elaborated, or one that is bound to its values."""
    frames: list[Any] = []
    return not callable(function) or bool([*aliasing.parts_of(function, frames), *frames])


def known_zeros(value: Any) -> Any:
    """Whether a cotangent or tangent is known to be zero, for a tuple or record part by part: such a zero stays the
    symbol that it is inside of a derivative, and nothing is computed of it."""
    if isinstance(value, tuple | RecordValue):
        return tuple(map(known_zeros, value.fields.values() if isinstance(value, RecordValue) else value))
    op = value.definition.op if isinstance(value, Var) and value.definition is not None else None
    return (isinstance(op, Apply) and op.primitive in ZEROS) or (type(value) is float and value == 0.0)


ZEROS = (creation.zeros, creation.zeros_like, structure.zeros_like)
"""What makes a value of zeros."""


def derived_inline(
    t: Transform, e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> Callable[[Callable[[Plan, Elaborated], Program], Sequence[Any]], Any]:
    """A function that splices a derivative program in and gives its result; what the function captures is what that
    is here, wherever the derivative is taken. The second argument are arguments behind those of the function."""
    positions, form = t.positions(args, kwargs)
    values, names = [*args, *kwargs.values()], names_of(t.function, len(args), kwargs)
    for i in positions:
        refuse_strangers(values[i], names[i] if i < len(names) else f"argument {i}")
        if isinstance(values[i], Var):
            t.refuse_integers(names[i] if i < len(names) else f"argument {i}", values[i].object, len(values))
    if is_inside(innermost(t.function)):
        program = closure_program(e, t.function, args, kwargs, node, frame)
        captured = {v: v for _, tree in program.params[len(args) + len(kwargs):] for v in leaves(tree)}
        inner = Elaborated(program, [], {}, None)
    else:
        captured = {}
        inner = sub_elaboration(e, t.function, args, kwargs)

    def spliced(derivation: Callable[[Plan, Elaborated], Program], further: Sequence[Any]) -> Any:
        program = derivation(t.plan(positions, form), inner)
        given: dict[Var, Any] = {}
        for (_, tree), value in zip(program.params[len(program.params) - len(further):], further, strict=True):
            _match(tree, value, given)
        outside = [*captured, *[None] * len(inner.hidden)]
        for (_, tree), value in zip(program.params, [*args, *kwargs.values(), *outside], strict=False):
            if value is not None:
                _match(tree, value, given)
        for hidden, (_, tree) in zip(inner.hidden, program.params[len(values):], strict=False):
            _match(tree, (e.hidden.get(hidden.key) or _adopted(e, hidden)).tree, given)
        return splice(e, program, given)

    return spliced


def closure_program(
    e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> Program:
    """A nested function as a closed program: what it captures becomes further parameters."""
    block = Block("function")  # closed: it makes its own λs, and sees no others

    def parameter(name: str, value: Any) -> Any:
        if isinstance(value, tuple | RecordValue):
            return mapped(value, lambda label, part: parameter(f"{name}_{label}", part))
        if isinstance(value, Var | int | float):
            return e.recorder.param(block, name, value.object if isinstance(value, Var) else object_of(value))
        return value

    names = names_of(function, len(args), kwargs) if isinstance(function, ClosureValue) else []
    names += [f"arg{i}" for i in range(len(names), len(args) + len(kwargs))]
    values = [parameter(name, value) for name, value in zip(names, [*args, *kwargs.values()], strict=True)]
    positional, named = values[: len(args)], dict(zip(kwargs, values[len(args):], strict=True))
    result = e.inside(block, lambda: e.call(function, positional, named, node, frame))
    if e.heap.changed(block):
        raise unsupported("CC011", "a function that is differentiated inside a program changes what it did not make",
                          e.place(node, frame), help="return the value instead")
    tree = e.inside(block, lambda: joins.result_tree(e, result, None))
    block.results = list(leaves(tree))
    captured = free_variables(block, {})
    unfinished = [a.name for a in e.active if a.function in captured]
    if unfinished:
        name = unfinished[0]
        raise unsupported("CC022", f"a derivative of `{name}` inside `{name}` itself: its order is not known",
                          e.place(node, frame), help="differentiate outside of the recursion")
    params = [(name, _only_variables(value)) for name, value in zip(names, values, strict=True)]
    params += [(v.name, v) for v in captured]
    return Program(getattr(function, "name", "f"), params, block, tree)


def _only_variables(value: Any) -> Tree:
    if isinstance(value, RecordValue):
        return Node.of(value.cls, tuple(value.fields), map(_only_variables, value.fields.values()))
    if isinstance(value, tuple):
        return node_like(value, map(_only_variables, value))
    return value if isinstance(value, Var) else None


def _adopted(e: Elaboration, hidden: Hidden) -> Hidden:
    """What an inner program reads from outside, read by the outer one too, here and wherever it does so itself."""
    value = hidden.read(e.root)
    found = Hidden(hidden.name, hidden.read, e.parameter(hidden.name, object_of(value), value), hidden.key)
    e.hidden[hidden.key], e.outside_values[hidden.key] = found, found.tree
    return found


def sub_elaboration(e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Elaborated:
    """The inner function as a program of its own, at the types of the arguments."""
    found = elaborate(function, args, kwargs, around=e)
    e.differentiates = e.differentiates or found.differentiates
    for key, guard in found.guard_table.items():
        e.guards.setdefault(key, guard)
    return found


def _match(tree: Tree, value: Any, given: dict[Var, Any]) -> None:
    if isinstance(tree, tuple) and value is not None:
        for part, inner in zip(tree, value.fields.values() if isinstance(value, RecordValue) else value, strict=True):
            _match(part, inner, given)
    elif isinstance(tree, Var):
        given[tree] = value if isinstance(value, Var) else Lit(value, object_of(value))


def splice(e: Elaboration, program: Program, given: dict[Var, Any]) -> Any:
    """Append the program's lets to the current block, parameters replaced; gives the result as a value."""
    todo: list[Block] = [program.block]
    while todo:
        block = todo.pop()
        for let in block.lets:
            let.args = [given.get(a, a) if isinstance(a, Var) else a for a in let.args]
            todo += let.op.blocks
        block.results = [given.get(a, a) if isinstance(a, Var) else a for a in block.results]
    for let in program.block.lets:
        home = farthest(e, let) if isinstance(let.op, Lambda) else e.recorder.block
        home.lets.append(let)
        move(let, home)
        for target in let.targets:
            target.base = e.recorder
    return _values(e, program.result, given)


def farthest(e: Elaboration, let: Let) -> Block:
    """The outermost block where a λ sees what it captures: out of a branch it would have to be handed as a value."""
    captured = [v for v in free_variables(let.op.blocks[0], {}) if v not in let.targets]
    found = here = e.recorder.block
    for block in here.ancestors():
        around = list(block.ancestors())
        if not all(v.home in around for v in captured):
            break
        found = block
    return found


def _values(e: Elaboration, tree: Tree, given: dict[Var, Any]) -> Any:
    if isinstance(tree, tuple):
        return value_of_tree(tree, [_values(e, part, given) for part in tree])
    if isinstance(tree, Var):
        atom = given.get(tree, tree)
        return atom.value if isinstance(atom, Lit) else atom
    return tree.value if isinstance(tree, Lit) else None


def pullback_function(code: Code, function: Any, value: Any, aux: bool = False) -> Callable[[Any], Any]:
    """The pullback as users call it: one cotangent with the structure and the shapes of the value, or of the first part
    of a pair."""
    objects = code.result[0] if aux else code.result
    shapes = shapes_of(objects, value[0] if aux else value)

    def user_pullback(ct: Any) -> Any:
        cts: list[Any] = []
        _flatten(objects, ct, shapes, cts, "cotangent")
        try:
            return function(*cts)
        except Exception as error:
            annotate(error)
            raise

    return user_pullback


def shapes_of(tree: Any, value: Any) -> Any:
    """The sizes of the arrays and lists in a value, which is not kept for them."""
    if isinstance(tree, tuple):
        return [shapes_of(part, inner) for part, inner in zip(tree, _parts_given(tree, value, "value"), strict=True)]
    return None if type(value) is float else outline(value)


def _flatten(tree: Any, ct: Any, shapes: Any, into: list[Any], path: str) -> None:
    if isinstance(tree, tuple):
        given = _parts_given(tree, ct, path)
        for (name, part), inner, shape in zip(derive.named_parts(tree), given, shapes, strict=True):
            _flatten(part, inner, shape, into, path + name)
        return
    if tree is not None:
        into.append(_checked(tree, ct, shapes, path))


LIKE_THE_VALUE = "give a cotangent like the value"


def _parts_given(tree: tuple[Any, ...], ct: Any, path: str) -> Sequence[Any]:
    """The parts of a cotangent that a user gives for a tuple or record; None is zero for a part of nothing."""
    if isinstance(tree, Node) and not any(x is not None for x in leaves(tree)) and ct is None:
        return [None] * len(tree)
    found = taken_apart(ct)
    if not isinstance(tree, Node):
        if not isinstance(ct, tuple | list) or len(ct) != len(tree):
            raise WrongArguments(f"{path}: the value is a tuple of {len(tree)}, so must its cotangent be",
                                 help=f"give a tuple of {len(tree)}")
        return ct
    if found is None or found[0] is not tree.cls or set(found[1]) != set(tree.names):
        what = f"dict with the keys {', '.join(map(repr, tree.names))}" if tree.cls is dict else tree.cls.__name__
        raise WrongArguments(f"{path}: the value is a {what}, so must its cotangent be; found {type(ct).__name__}",
                             help=LIKE_THE_VALUE)
    given = dict(zip(found[1], found[2], strict=True))
    return [given[name] for name in tree.names]


_KINDS: dict[str, Callable[[Any], Any]] = {"float": float, "float64": np.float64, "float32": np.float32}


def _same_number(x: Any) -> Any:
    return x


def _checked(a: Object, ct: Any, shape: Any, path: str) -> Any:
    if isinstance(a, Real):
        if isinstance(ct, bool) or not isinstance(ct, int | float | np.number | Fraction):
            raise WrongArguments(f"{path}: the value is a number, so must its cotangent be; "
                                 f"found {type(ct).__name__}", help=LIKE_THE_VALUE)
        if type(ct) is float and a.kind == "float":
            return ct
        return float(ct) if isinstance(ct, int) and a.kind == "any" else _KINDS.get(a.kind, _same_number)(ct)
    place = path.replace("cotangent", "value", 1)
    if isinstance(a, Array | List):
        return direction(shape, ct, place, "cotangent")
    if isinstance(a, Map):
        if not isinstance(ct, dict) or not set(ct) <= set(shape):  # type: ignore[reportUnknownArgumentType]
            raise WrongArguments(f"{path}: the value is a dict, so must its cotangent be, with keys of the value",
                                 help=LIKE_THE_VALUE)
        return {k: direction(shape[k], inner, f"{place}[{k!r}]", "cotangent") for k, inner in ct.items()}  # type: ignore[reportUnknownVariableType]
    if isinstance(a, Space) and not isinstance(ct, a.cls):
        raise WrongArguments(f"{path}: the value is of the class {a.cls.__name__}, so must its cotangent be; "
                             f"found {type(ct).__name__}", help=LIKE_THE_VALUE)
    return ct

