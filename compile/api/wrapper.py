"""Callable transforms of functions: arguments in, cached code found by their types, cotangents out.

Code is found by the form of the function (`ccc.compile.api.kept`) and the types of the arguments: sizes of arrays are
not part of a type. What the function reads from outside is checked at each call: functions and other known things guard
the code, numbers and arrays are passed to it as hidden arguments.
"""

from __future__ import annotations

import ast
import copy
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from ccc.categories.exponentials import exponential_of
from ccc.compile.api import kept, pipeline, programs
from ccc.compile.api.dispatch import token
from ccc.compile.api.kept import Code, Family, Read
from ccc.compile.api.pipeline import build
from ccc.compile.api.targets import backends
from ccc.compile.api.uncollected import uncollected
from ccc.compile.diagnostics import VERB, WrongArguments, counted, nearest, telling
from ccc.compile.frontend import custom, switch
from ccc.compile.frontend.counterparts import counterpart
from ccc.compile.frontend.derivation import Derivation, called_name, names_of, refuse_strangers
from ccc.compile.frontend.elaborate import Elaborated, parameter_names
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.integers import Reading, moving, strays
from ccc.compile.frontend.reading import among_reals, read_by
from ccc.compile.frontend.values import is_function
from ccc.compile.frontend.wanted_parts import parsed, refuse_missing
from ccc.compile.numpy_source.places import annotate
from ccc.compile.program.deep import LOCK
from ccc.compile.program.lam import Var
from ccc.compile.terms.plan import Kind, Plan
from ccc.compile.terms.wanted import Part, Steps, reach, text_of
from ccc.errors import CCCError, HigherOrderBoundary
from ccc.objects import INT, Array, Coproduct, Object, Record, functions_in, is_discrete
from ccc.objects_of_values import object_of
from ccc.wording import called_in_words

if TYPE_CHECKING:
    from ccc.compile.api.write_back import Integers

shortened: weakref.WeakSet[Transform] = weakref.WeakSet()
USES = 3
"""After so many calls of one code, a transform has a way to it that is for its function alone."""


def forget() -> None:
    """Drop all compiled code: a derivative was given to a function that it may call."""
    kept.clear()
    programs.clear()
    for transform in list(shortened):
        transform.begin()


def number_of_bytes(memory_limit: Any) -> int | None:
    """What a `memory_limit` is: a number of bytes, or None.

    >>> number_of_bytes(1 << 20)
    1048576
    """
    if memory_limit is not None and (type(memory_limit) is not int or memory_limit < 1):
        raise WrongArguments(f"memory_limit is a number of bytes, an int above 0, found {memory_limit!r}",
                             help="write memory_limit=1 << 30")
    return memory_limit


def known_backend(backend: str | None) -> str | None:
    """The name of a backend; None for the default.

    >>> known_backend("native")
    'native'
    """
    if backend is not None and backend not in (known := backends()):
        raise WrongArguments(f"backend={backend!r} is not known: {', '.join(map(repr, known))} are",
                             help=nearest(backend, known, f"write backend={known[0]!r}"))
    return backend


class Called:
    """What is called by calling another function, which it holds."""

    __slots__ = ("__call__",)
    __call__: Callable[..., Any]


class Transform(Called, Derivation):
    """A function transformed: base of `gradient(f)`, `value_with_pullback(f)` and the others.

    >>> from ccc.compile.api.transforms import gradient
    >>> gradient(lambda x: x * x)
    gradient(<lambda>)
    """

    kind = Kind.VALUE
    verb = ""
    """The name of the verb where that is not the kind."""
    made_by = ""
    """The name of the verb that a user called."""
    allows_integers = False
    """Whether the cotangent of integers that were asked for is None, and no error."""

    def __init__(
        self, function: Callable[..., Any], wrt: Any = None, exponential: Any = None, backend: str | None = None,
        aux: bool = False, memory_limit: int | None = None,
    ) -> None:
        self.made_by = VERB.get() or self.verb or (self.kind if self.kind is not Kind.VALUE else "explain")
        one_of_several = isinstance(function, Var) and isinstance(function.object, Coproduct)
        if isinstance(function, Var) and not one_of_several:
            raise WrongArguments(f"{self.made_by} of a function that is not known: it is an argument of the whole "
                                 "program", help="call it from a function that knows it")
        if not callable(function) and not is_function(function) and not one_of_several:
            raise WrongArguments(f"{self.made_by} takes a function, found {type(function).__name__}",
                                 help=f"write {self.made_by}(f)(x)")
        function = self.function = counterpart(function)
        self.wrt = wanted_of(function) if wrt is None else wrt
        self.asked = [parsed(w) if isinstance(w, str) else (w, ()) for w in (
            self.wrt if isinstance(self.wrt, (tuple, list)) else (self.wrt,))]
        self.exponential = None if exponential is None else exponential_of(exponential)
        self.aux = aux
        self.backend = known_backend(backend)
        self.memory_limit = number_of_bytes(memory_limit)
        self.others: dict[str, Any] = {}
        self.begin()
        self.__name__ = f"{self.verb or self.kind}({getattr(function, '__name__', 'f')})"
        self.__wrapped__ = function

    def __repr__(self) -> str:
        return self.__name__

    def begin(self) -> None:
        """Know no code to be called at once."""
        self.last: Code | Read | None = None
        self.bound: tuple[Code | Read | None, Any] = None, 0
        self.uses = 0
        self.short: tuple[int, Callable[..., Any], Code | None] = -1, len, None
        self.__call__ = self.called

    def with_backend(self, backend: str) -> Self:
        """The same transform by another target."""
        if backend not in self.others:
            found = copy.copy(self)
            found.backend, found.others = backend, {}
            found.begin()
            self.others[backend] = found
        return self.others[backend]

    # -- what is kept ------------------------------------------------------------------------------------------

    def __ccc_form__(self) -> Any:
        """All of the transform but its function, and when there are stores."""
        wrt = tuple(self.wrt) if isinstance(self.wrt, list) else self.wrt
        backend = self.backend or pipeline.BACKEND
        return (type(self), wrt, self.exponential, backend, self.aux, self.allows_integers, self.memory_limit,
                switch.when())

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
        reading, _ = read_by(self.function, args, kwargs, self.parts(args, kwargs))
        return (args, kwargs) if reading is None else reading(args, kwargs)

    def reading(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], positions: Sequence[int]
    ) -> tuple[Reading | None, Elaborated | None]:
        """How ints are read in a call, and the program for that where it is known."""
        if self.kind is Kind.VALUE:
            return among_reals(self.function, args, kwargs, programs)  # ints stay ints
        wanted = list(map(Part, positions, self.steps() or ((),) * len(positions)))
        return read_by(self.function, args, kwargs, wanted, programs)

    def positions(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[int, ...], str]:
        """Which parameters are differentiated, and how cotangents are handed out: bare, tuple or all."""
        names = names_of(self.function, len(args), kwargs)
        if self.wrt is None:
            return tuple(range(len(args))), "bare" if len(args) == 1 else "all"
        found: list[int] = []
        for w, _ in self.asked:
            if isinstance(w, str):
                if w not in names:
                    raise WrongArguments(f"wrt={w!r}: `{called_name(self.function)}` was given no argument `{w}`; "
                                         f"it has {', '.join(names) or 'none'}", help=self.mend(w, names))
                found.append(names.index(w))
            elif isinstance(w, int) and not isinstance(w, bool) and -len(args) <= w < len(args):
                found.append(w % len(args))
            else:
                raise WrongArguments(f"wrt={w!r} is no parameter of `{called_name(self.function)}`, which was given "
                                     f"{counted(len(args), 'positional argument')}", help=self.mend("", names))
        return tuple(found), "tuple" if isinstance(self.wrt, (tuple, list)) else "bare"

    def steps(self) -> tuple[Steps, ...]:
        """The ways to the parts that are differentiated; none where all of each parameter is."""
        return tuple([steps for _, steps in self.asked]) if any([steps for _, steps in self.asked]) else ()

    def parts(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Part]:
        """Which parts of which parameters are differentiated."""
        positions, _ = self.positions(args, kwargs)
        return list(map(Part, positions, self.steps() or ((),) * len(positions)))

    def mend(self, wanted: str, names: list[str]) -> str:
        """What to write instead of a parameter that was not given, or that there is none of."""
        function = self.function
        if isinstance(function, types.MethodType) and wanted in function.__func__.__code__.co_varnames[:1]:
            of = type(function.__self__).__name__
            return f"take it of the function: {self.made_by}({of}.{function.__name__}, wrt={wanted!r})(object, ...)"
        known = parameter_names(self.function, len(names) + 64, {}) if wanted else []
        if wanted in known:
            return f"give `{wanted}` in the call"
        return nearest(wanted, names, f"name one of {', '.join(names)}, by name or position" if names else "")

    def code_for(self, family: Family, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Code | Read:
        """The compiled code for these arguments: cached, or made now (once, also when threads race)."""
        key = (tuple(map(token, args)), tuple([(k, token(v)) for k, v in kwargs.items()]))
        values = (*args, *kwargs.values())
        code = family.fitting(key, self.function, values)
        if code is not None:
            return code
        with LOCK, uncollected():
            code = family.fitting(key, self.function, values)
            if code is not None:
                return code
            assume = family.may_assume(key, self.function)
            positions, _ = self.positions(args, kwargs)
            self.refuse(args, kwargs, positions)
            plan = self.plan_for(args, kwargs)
            reading, program = self.reading(args, kwargs, positions)
            if reading is None and self.kind is Kind.DERIVATIVE and object_of(args[0]) == INT:
                raise moving(names_of(self.function, 1, {})[0])
            if reading is None and (known := family.known(key, self.function, values)) is not None:
                return family.keep(key, known, self.function)
            if reading is None:
                code = self.made(family, plan, key, args, kwargs, assume, program)
                return family.keep(key, code, self.function)
            given, named = reading(args, kwargs)
            floats = (tuple(map(token, given)), tuple([(k, token(v)) for k, v in named.items()]))
            integers = integers_of(program)
            shared = program is None or not program.shows_integers
            known = family.known(floats, self.function, (*given, *named.values())) if shared else None
            if known is not None:
                return family.keep(key, Read(known, key[0], reading, floats, integers), self.function)
            try:
                code = self.made(family, plan, floats, given, named, assume, program, reading.readers)
            except CCCError:  # where it has no derivative in these numbers, they may be integers that it needs
                try:
                    return family.keep(key, self.made(family, plan, key, args, kwargs, assume), self.function)
                except CCCError:
                    pass
                raise
            return family.keep(key, Read(code, key[0], reading, floats if shared else None, integers), self.function)

    def known(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Code | None:
        """The code that calls with these arguments run, if there is some."""
        key = (tuple(map(token, args)), tuple([(k, token(v)) for k, v in kwargs.items()]))
        found = self.family().fitting(key, self.function, (*args, *kwargs.values()))
        return found.code if isinstance(found, Read) else found

    def made(
        self, family: Family, plan: Plan, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], assume: bool,
        program: Elaborated | None = None, read: Sequence[Any] = (),
    ) -> Code:
        """New code for arguments of some types, which may assume that sizes are equal which are."""
        built = family.made(key, self.function, lambda general: build(
            self.function, plan, args, kwargs, general, None if general else program, read, assume))
        return Code(built, key[0])

    def plan_for(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Plan:
        """What is to be computed for a call with these arguments."""
        return self.plan(*self.positions(args, kwargs))

    def plan(self, positions: tuple[int, ...], form: str) -> Plan:
        return Plan(self.kind, positions, self.exponential, form == "bare", self.backend, self.aux, self.steps(),
                    self.memory_limit, self.made_by)

    def refuse(self, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int]) -> None:
        """Refuse arguments that cannot be differentiated, by name."""
        names, given = names_of(self.function, len(args), kwargs), [*args, *kwargs.values()]
        found: list[tuple[str, Any]] = []
        for i, steps in map(Part, positions, self.steps() or ((),) * len(positions)):
            refuse_missing(given[i], names[i], steps)
            found.append((text_of(names[i], steps), reach(given[i], steps)))
        nothing = all([is_discrete(object_of(value)) for _, value in found])
        for name, value in found:
            refuse_strangers(value, name)
            a = object_of(value)
            for inner in functions_in(a, f"argument `{name}`"):
                raise HigherOrderBoundary(f"{inner}, whose cotangent cannot be made",
                                          "name other arguments in `wrt`, or use ccc.functional_grad")
            if callable(value) and not isinstance(a, (Record, Coproduct)) and (self.wrt is not None or nothing):
                raise HigherOrderBoundary(
                    f"argument `{name}` is {called_in_words(value)}, whose cotangent cannot be made",
                    "name other arguments in `wrt`, or use ccc.functional_grad")
            if stray := strays(value, a) - {int}:
                raise WrongArguments(f"`{name}` has a {min(f.__name__ for f in stray)} among its real numbers, "
                                     "which is not differentiated", "CC025", "make it a float")
            self.refuse_integers(name, a, len(given))

    def refuse_integers(self, name: str, a: Object, count: int) -> None:
        """Refuse to differentiate in an array of integers that was asked for, or is all there is."""
        if self.allows_integers:
            return
        if isinstance(a, Array) and not a.is_real and (self.wrt is not None or count == 1):
            raise WrongArguments(f"`{name}` is an array of {a.dtype}; derivatives need real numbers", "CC025",
                                 f"convert it: {name}.astype(float)")

    def compiled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Code | None]:
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
        self, args: tuple[Any, ...], kwargs: dict[str, Any], family: Family | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any], Code, Code | Read]:
        """The arguments as the code takes them, the code, and what stands for it where the arguments are given;
        `family` is that of the transform, where it is known."""
        code = self.code_for(self.family() if family is None else family, args, kwargs)
        if isinstance(code, Read):
            args, kwargs = code.reading(args, kwargs)
            return args, kwargs, code.code, code
        return args, kwargs, code, code

    def slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Code | None]:
        """The result and the code, looked up by the form of the function and the types of the arguments, or made; no
        code where something else gives the result."""
        family = self.family()
        if not kwargs:
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
        into = (*args, *kwargs.values())
        args, kwargs, code, given = self.found(args, kwargs, family)
        if not kwargs:
            family.used(code, given, self.function, len(args))
            self.keep(code, given, len(args))
        try:
            found = given.run_for(self.function, (*args, *kwargs.values()), into)
        except Exception as error:
            annotate(error)
            raise
        return (found if found is not NotImplemented else refuse_twice()), code

    def keep(self, code: Code, given: Code | Read, arity: int) -> None:
        """Shorten the way to code that is used again and again."""
        self.uses = self.uses + 1 if given is self.last else 1
        self.last = given
        if self.uses >= USES and self.bound != (given, code.version):
            shortened.add(self)
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
        from ccc.compile.frontend.inline import inlined

        return inlined(self, e, args, kwargs, node, frame)


def integers_of(program: Elaborated | None) -> Integers | None:
    """What makes ints of the floats that are written back in their place."""
    if program is None or program.writes is None:
        return None
    from ccc.compile.api.write_back import back_to_integers

    return back_to_integers(program)


@telling
def refuse_twice() -> Any:
    """Refuse arguments that are one object that is changed, of which the ints are read as floats, in copies."""
    raise WrongArguments("the function changes an object that it is given twice", "CC011",
                         "pass a copy of one of them, or leave both out of `wrt`")


def wanted_of(function: Any) -> Any:
    """With respect to which parameters a function was said to be differentiable: see `differentiable`."""
    wanted = getattr(function, "__ccc_wrt__", None)
    if isinstance(function, types.MethodType) and isinstance(wanted, tuple):
        first = function.__func__.__code__.co_varnames[:1]
        return tuple([name for name in wanted if name not in first])
    return wanted
