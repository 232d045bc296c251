"""The value of a function with its differential, which takes tangents of the arguments to the tangent of the value.

The value is computed by code of its own, that of the function compiled alone; the differential runs its own when it is
called, on copies of what it reads. What is looked up is kept with the code, so that a function that is made anew for
each call costs little more than one that is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ccc.compile.api import linear
from ccc.compile.api.guests import Hosted, moved
from ccc.compile.api.kept import Code, Family, Read
from ccc.compile.diagnostics import WrongArguments, counted
from ccc.compile.frontend.derivation import names_of
from ccc.compile.frontend.integers import refuse_moving, unmoved
from ccc.compile.numpy_source.places import annotate
from ccc.compile.terms.plan import Kind
from ccc.compile.terms.wanted import reach, text_of
from ccc.primitives import boundary

Seen = tuple[Family, Code, Sequence[Any]]
"""What is kept for a transform, the code that it used last, and all that the code takes."""


class Compiled(Hosted):
    """A function as it is."""

    verb = "compiled"

    def prepared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs  # ints stay ints

    def refuse(self, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int]) -> None:
        """Nothing is differentiated."""

    def value(self, args: tuple[Any, ...], kwargs: dict[str, Any], into: Sequence[Any], given: Code | Read) -> Any:
        """The value at arguments that were read of those that are given, which it may change; `given` is code for the
        same arguments."""
        if not isinstance(given, Read) or given.code.writes is None:
            return self.compiled(args, kwargs)[0]
        _, _, code, _ = self.found(args, kwargs)
        return code.run_for(self.function, (*args, *kwargs.values()), into, given.integers)


class ValueWithDifferential(Hosted):
    """The value and the differential."""

    kind = Kind.DIFFERENTIAL

    @cached_property
    def plain(self) -> Compiled:
        """What computes the value alone."""
        made = Compiled(self.function, backend=self.backend)
        made.made_by = self.made_by
        return made

    def called(self, *args: Any, **kwargs: Any) -> Any:
        seen = self.seen(args, kwargs)
        if seen is None and self.host([*args, *kwargs.values()]) is not None:
            return moved(self, self.plain, args, kwargs)
        value, differential, code, args, kwargs = self.begun(args, kwargs, seen, True)
        return value, linear.Linear(differential, self, args, kwargs, code.readers)

    def at_once(self, args: tuple[Any, ...], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """The value and its tangent: what the differential reads cannot change before."""
        seen = self.seen(args, {})
        if seen is None or seen[1].sources_in(seen[2]):
            value, differential = self.called(*args)
            return value, differential(*tangents)
        value, differential, *_ = self.begun(args, {}, seen, False)
        return value, differential(*tangents)

    def seen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Seen | None:
        """What is looked up already, where that is for these arguments."""
        family = self.family()
        arity, look, code = family.seen
        if code is None or kwargs or len(args) != arity or family.beside is None:
            return None
        values = look(self.function, *args)
        return None if values is NotImplemented else (family, code, values)

    def begun(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], seen: Seen | None, keeps: bool
    ) -> tuple[Any, Callable[..., Any], Code, tuple[Any, ...], dict[str, Any]]:
        """The value and its differential, which `keeps` copies of what it reads; the code, and the arguments that it
        takes."""
        before = [*args, *kwargs.values()]
        if seen is not None:
            family, code, values = seen
            given: Code | Read = code
        else:
            family = self.family()
            args, kwargs, code, given = self.found(args, kwargs, family)
            values = [*args, *kwargs.values(), *[read(self.function) for read in code.readers]]
            if given is code and code.writes is None and not kwargs:
                family.looks(code, self.function, len(args))
        drawn = code.sources_in(values)
        sources = copy.deepcopy({i: values[i] for i in drawn}) if drawn else {}  # what is one source stays one
        own = boundary.own.value
        kept = [own(a) for a in values] if keeps else values
        value = self.value(family, args, kwargs, before, given)
        if code.told is None:
            code.told = self.parts(args, kwargs), names_of(self.function, len(args), kwargs)
        wanted, names = code.told
        at = [(text_of(names[i], way), reach(kept[i], way)) for i, way in wanted]

        def differential(*tangents: Any) -> Any:
            if len(tangents) != len(at):
                raise WrongArguments(f"the differential takes {counted(len(at), 'tangent')}, {len(tangents)} "
                                     f"{'was' if len(tangents) == 1 else 'were'} given",
                                     help="give one for each differentiated argument, 0.0 for one that does not move")
            if given is not code:
                tangents = tuple([unmoved(reach(before[i], way), x, d)
                                  for (i, way), (_, x), d in zip(wanted, at, tangents, strict=True)])
            for i, a in code.discrete_in([x for _, x in at]):
                refuse_moving(a, tangents[i], at[i][0])
            fitting = [linear.direction(x, d, name, "tangent") for (name, x), d in zip(at, tangents, strict=True)]
            if not sources:
                return code.run(*kept, *fitting)
            anew = dict(enumerate(kept)) | copy.deepcopy(sources)  # which draw what the value drew
            return code.run(*anew.values(), *fitting)

        return value, differential, code, args, kwargs

    def value(
        self, family: Family, args: tuple[Any, ...], kwargs: dict[str, Any], before: Sequence[Any], given: Code | Read
    ) -> Any:
        """The value at the arguments that the code takes, which stand for those `before`."""
        beside = family.beside
        if beside is not None and isinstance(given, Code) and not kwargs:
            arity, call, code, _ = beside.short
            if code is not None and arity == len(args):
                try:
                    found = call(self.function, *args)
                except Exception as error:
                    annotate(error)
                    raise
                if found is not NotImplemented:
                    return found
        if beside is None:
            family.beside = self.plain.family()
        return self.plain.value(args, kwargs, before, given)


class AtOnce:
    """The value and its tangent, by a function that gives the value and the differential."""

    def __call__(self, at: Any, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return at.at_once(tuple(args), tangents)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return e.call(one_after_the_other, args, kwargs, node, frame)


def one_after_the_other(at: Any, args: Any, tangents: Any) -> Any:
    value, differential = at(*args)
    return value, differential(*tangents)


at_once = AtOnce()
