"""What is compiled is kept for the process: one family of code for each transform of each form of function.

`grad(f)(x)` written in a loop, or a closure made anew for each call, finds the code that the first one made. A family
ends with a code object of its functions, or where so many others were used since; it holds none of the functions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ccc.compile.api import measuring
from ccc.compile.api.dispatch import direct
from ccc.compile.api.pipeline import Built
from ccc.compile.frontend.captures import CodeOf, Entry, Reader, form, watched
from ccc.compile.frontend.guards import MISSING, changed, same
from ccc.compile.frontend.integers import Reading, holds_discrete
from ccc.compile.program.assumed import Bound, Class, holds
from ccc.compile.program.deep import LOCK
from ccc.compile.terms.wanted import Part
from ccc.errors import CCCError
from ccc.objects import Object, holds_source
from ccc.objects_of_values import object_of

if TYPE_CHECKING:
    from ccc.compile.api.write_back import Integers

FAMILIES = 1024
"""Of so many forms, each with a transform and its options, the code is kept."""
VARIANTS = 64
"""For so many types of arguments."""
VERSIONS = 8
"""For so many states of what is known outside."""
PATTERNS = 2
"""For so many patterns of sizes there is code that relies on them; then comes one that does not."""
VALUES = 2
"""For so many values of a number from outside that is known there is code of its own; it is an argument then, if it can
be one."""
_families: OrderedDict[Any, Family] = OrderedDict()


class Code:
    """A compiled program ready to be called: guards that must hold, what has to hold of sizes, and readers of
    hidden arguments. What else calls ask is `told` once: which arguments are differentiated, and the names of all.

    Guards on names of a namespace are kept apart as (namespace, name, value), which is checked fastest."""

    __slots__ = (
        "call", "changes", "discrete", "guards", "left", "measured", "names", "readers", "result", "sizes", "sources",
        "tokens", "told", "waiting", "writes",
    )  # fmt: skip

    def __init__(self, built: Built, tokens: Sequence[Any]) -> None:
        self.call = built.call
        self.sizes = built.sizes
        self.writes = built.writes
        self.left = built.left_to
        self.result = built.result
        guards = built.guards
        self.names = [(g.read.space, g.read.name, g.value) for g in guards if isinstance(g.read, Entry)]
        self.guards = [g for g in guards if not isinstance(g.read, Entry)]
        self.readers = built.hidden
        self.tokens = tokens
        self.waiting = built.waiting
        waits = built.waiting is not None
        self.measured = built.waiting if waits and isinstance(built.waiting, measuring.Measuring) else None
        self.changes = 0
        self.discrete: list[tuple[int, Object]] | None = None
        self.sources: list[int] | None = None
        self.told: tuple[list[Part], list[str]] | None = None

    def discrete_in(self, values: Sequence[Any]) -> list[tuple[int, Object]]:
        """Which of the values that are differentiated hold what has no derivative."""
        if self.discrete is None:
            objects = [(i, object_of(x)) for i, x in enumerate(values)]
            self.discrete = [(i, a) for i, a in objects if holds_discrete(a)]
        return self.discrete

    def sources_in(self, values: Sequence[Any]) -> list[int]:
        """Which of the arguments and hidden arguments hold sources of random numbers."""
        if self.sources is None:
            self.sources = [i for i, x in enumerate(values) if holds_source(object_of(x))]
        return self.sources

    def run(self, *args: Any) -> Any:
        """The result of a call, which may be the one from which on it is machine code."""
        if self.waiting is not None and self.waiting.over(args):
            self.settle(args)
        return self.call(*args)

    def settle(self, args: Sequence[Any]) -> None:
        """Take what was decided on, machine code where it is due."""
        with LOCK:
            if self.waiting is None:
                return
            found = self.waiting.settled(self.call, args)
            self.changes += 1
            if found is not None:
                (self.call, self.left), self.waiting = found, None

    @property
    def version(self) -> tuple[int, int]:
        """What changes whenever another function may be called."""
        return self.changes, self.measured.version if self.measured is not None else 0

    def way(self) -> tuple[Callable[..., Any], Iterator[None] | None, int | None]:
        """What computes calls, until when, and up to which size of arguments."""
        if self.measured is not None and self.waiting is not None and self.measured.final is not None:
            self.settle(())
        return (self.call, None, None) if self.waiting is None else self.waiting.way(self.call)

    @property
    def left_to(self) -> str:
        """Why the target that was asked for did not take it."""
        return self.left or getattr(self.call, "left_to", "")

    def shortened(self, function: Any, bound: bool) -> Callable[..., Any]:
        """What calls the code at once where it is for the arguments, for this function or for all of its form: see
        `dispatch.direct`."""
        if self.writes is not None:
            return self.writing(function, bound, self)
        if bound and (found := self.entrance(function, not_for_it)) is not None:
            return found
        call, calls, limit = self.way()
        kernel = getattr(call, "kernel", None)  # machine code that checks its arguments itself
        return direct(
            kernel or call, self.tokens, self.names, self.guards, self.readers, function, bound,
            kernel is not None, calls, limit, sizes=self.sizes,
        )  # fmt: skip

    def entrance(self, function: Any, otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
        """What users call where machine code, the names of namespaces and the codes of functions are all there is to
        look at; `otherwise` is called where it is not for the arguments."""
        kernel = getattr(self.call, "kernel", None)
        if kernel is None or self.readers or self.waiting is not None or self.writes is not None:
            return None
        codes: list[tuple[Any, Any]] = []
        for guard in self.guards:
            if isinstance(guard.read, CodeOf):
                codes.append((guard.read.function(function), guard.read(function) if guard.formal else guard.value))
            elif not guard.formal or guard.read.moves(function):
                return None
        return self.call.gated(self.names, otherwise, codes)  # type: ignore[attr-defined]

    def run_for(
        self, function: Any, args: Sequence[Any], into: Sequence[Any], integers: Integers | None = None
    ) -> Any:
        """The result of a call for a function, of which the hidden arguments are read. What it changes is written to
        the arguments as they were given, with the `integers` that it computes as floats; `NotImplemented` where the
        code is not for what is one object there."""
        if self.writes is None:
            return self.run(*args, *[read(function) for read in self.readers])
        there = self.writes.begin(function, into)
        if there is None:
            return NotImplemented
        return self.writes.end(there, self.run(*args, *[read(function) for read in self.readers]), integers)

    def writing(self, function: Any, bound: bool, given: Code | Read) -> Callable[..., Any]:
        """What calls the code where it is for the arguments, and writes back what it changes; `given` stands for it
        where the arguments are given."""
        if not bound:
            return not_for_it

        def run(*values: Any) -> Any:
            args = values[: len(given.tokens)]
            read = given.reading(args, {})[0] if isinstance(given, Read) else args
            return given.run_for(function, read, args)

        return direct(run, given.tokens, self.names, self.guards, self.readers, function, bound, sizes=self.sizes)

    def valid(self, function: Any) -> bool:
        """True where the code is for this function, which has the form of that which it was made for."""
        return not any(self.changed(function))

    def fits(self, function: Any, args: Sequence[Any]) -> bool:
        """True where the code is for arguments of these sizes, whose types are those that it was made for."""
        if self.writes is not None and self.writes.begin(function, args) is None:
            return False
        return not self.sizes or holds(self.sizes, [*args, *[read(function) for read in self.readers]])

    def changed(self, function: Any) -> Iterator[tuple[Any, Any, Any]]:
        """What is not as it was when the code was made: its reader, what it was, and what it is."""
        for space, name, value in self.names:
            found = space.get(name, MISSING)
            if found is not value and not same(found, value):
                yield Entry(space, name), value, found
        yield from changed(self.guards, function)


class Read:
    """Code that is called with ints where it takes floats; `integers` makes ints of what is written back."""

    __slots__ = ("code", "floats", "integers", "reading", "tokens")

    def __init__(
        self, code: Code, tokens: Sequence[Any], reading: Reading, floats: Any, integers: Integers | None = None
    ) -> None:
        self.integers = integers
        self.code = code
        self.floats = floats
        self.tokens = tokens
        self.reading = reading

    @property
    def call(self) -> Callable[..., Any]:
        """What computes it, of floats."""
        return self.code.call

    @property
    def left_to(self) -> str:
        """Why the target that was asked for did not take it."""
        return self.code.left_to

    def shortened(self, function: Any, bound: bool) -> Callable[..., Any]:
        """What reads the arguments and calls the code at once where it is for them."""
        code, (call, calls, limit) = self.code, self.code.way()
        if code.writes is not None:
            return code.writing(function, bound, self)
        return direct(
            getattr(call, "kernel", None) or call, self.tokens, code.names, code.guards, code.readers,
            function, bound, False, calls, limit, self.reading.readers, code.sizes,
        )  # fmt: skip

    def run_for(self, function: Any, args: Sequence[Any], into: Sequence[Any]) -> Any:
        """The result of a call with arguments that were read, for a function."""
        return self.code.run_for(function, args, into, self.integers)

    def entrance(self, function: Any, otherwise: Callable[..., Any]) -> None:
        """None: the arguments are read first."""

    def valid(self, function: Any) -> bool:
        return self.code.valid(function)

    def fits(self, function: Any, args: Sequence[Any]) -> bool:
        return self.code.fits(function, args)

    @property
    def sizes(self) -> Sequence[Class | Bound]:
        """What has to hold of the sizes of arguments."""
        return self.code.sizes

    def changed(self, function: Any) -> Iterator[tuple[Any, Any, Any]]:
        return self.code.changed(function)


def all_of_them(*values: Any) -> tuple[Any, ...]:
    """What code is given."""
    return values


def not_for_it(*args: Any, **kwargs: Any) -> Any:
    """What is called where code is not for arguments."""
    return NotImplemented


class Family:
    """The codes of one transform for all functions of a form, by the types of arguments. `short` is the shortest way to
    the one that was used last, for calls with so many arguments; `seen` looks whether that is for a call, and gives all
    that it takes. What computes the value alone is `beside` it."""

    __slots__ = ("beside", "codes", "fixed", "general", "held", "last", "seen", "short", "way")

    def __init__(self) -> None:
        self.codes: OrderedDict[Any, list[Any]] = OrderedDict()
        self.general: frozenset[Reader] = frozenset()
        self.fixed: frozenset[Reader] = frozenset()
        self.held: list[Any] = []
        self.last: Code | Read | None = None
        self.way: tuple[Code | Read | None, Any] = None, 0
        self.short: tuple[int, Callable[..., Any], Code | None, Any] = -1, len, None, None
        self.seen: tuple[int, Callable[..., Any], Code | None] = -1, len, None
        self.beside: Family | None = None

    def keep(self, key: Any, code: Any, function: Any) -> Any:
        """Keep code for arguments of some types; what it was made for in another state of what all functions of the
        form read is forgotten, but for numbers, of which it shows whether they have several values."""
        known = [c for c in self.codes.get(key, ()) if all(
            reader.rooted or is_numbers(then, now) for reader, then, now in c.changed(function))]
        self.codes[key] = [code, *known][:VERSIONS]
        if len(self.codes) > VARIANTS:
            self.codes.popitem(last=False)
        return code

    def fitting(self, key: Any, function: Any, args: Sequence[Any]) -> Any:
        """Code for arguments of these types and sizes; that which assumes something of sizes, if there is some."""
        return best(self.codes.get(key, ()), function, args)

    def known(self, key: Any, function: Any, args: Sequence[Any]) -> Code | None:
        """Code for arguments of these types as they are, which may have been made for a call with ints."""
        found = [code for code in self.codes.get(key, ()) if isinstance(code, Code)]
        found += [code.code for codes in self.codes.values() for code in codes
                  if isinstance(code, Read) and code.floats == key]
        return best(found, function, args)

    def may_assume(self, key: Any, function: Any) -> bool:
        """Whether code for arguments of these types may be one more that assumes something of sizes."""
        return len([code for code in self.codes.get(key, ()) if code.sizes and code.valid(function)]) < PATTERNS

    def used(self, code: Code, given: Code | Read, function: Any, arity: int) -> None:
        """Shorten the way to code that is used again; `given` stands for it where the arguments are given."""
        if self.last is given and self.way != (given, code.version):
            self.way = given, code.version
            self.short = arity, given.shortened(function, bound=False), code, given
        self.last = given

    def looks(self, code: Code, function: Any, arity: int) -> None:
        """Shorten the way to what code that is used again takes."""
        if self.last is code and self.seen[2] is not code:
            look = direct(all_of_them, code.tokens, code.names, code.guards, code.readers, function, False,
                          sizes=code.sizes)
            self.seen = arity, look, code
        self.last = code

    def made(self, key: Any, function: Any, build: Callable[[Collection[Reader]], Any]) -> Any:
        """What `build` makes, of which numbers from outside are arguments that have had several values."""
        changing = self.general | self.changing(key, function)
        if changing:
            try:
                found = build(changing)
            except CCCError:
                self.fixed |= changing
            else:
                self.general = changing
                return found
        self.general = frozenset()
        return build(())

    def changing(self, key: Any, function: Any) -> frozenset[Reader]:
        """The readers of the numbers that are all that there is code for other values of, more than once."""
        found: list[set[Reader]] = []
        for code in self.codes.get(key, ()):
            changed = list(code.changed(function))
            if changed and all(is_numbers(then, now) for _, then, now in changed):
                found.append({reader for reader, _, _ in changed})
        return frozenset().union(*found) - self.fixed if len(found) >= VALUES else frozenset()


def is_numbers(then: Any, now: Any) -> bool:
    """True for numbers that were others of their kind."""
    return type(then) in (int, float) and type(now) is type(then)


def best(codes: Sequence[Any], function: Any, args: Sequence[Any]) -> Any:
    """The first code that is for a function and arguments; one that assumes something of sizes comes first."""
    found = [code for code in codes if code.valid(function) and code.fits(function, args)]
    return next((code for code in found if code.sizes), found[0] if found else None)


def family(transform: Any, own: Collection[Any]) -> Family:
    """The family of a transform, for functions that have the form of its own; `own` are functions that are like no
    other."""
    found, held = form(transform.function, own)
    key = transform.__ccc_form__(), found
    try:
        known = _families.get(key)
    except TypeError:  # an option without a hash
        key = id(transform), found
        held.append(transform)
        known = _families.get(key)
    if known is None:
        known = begun(key, held)
    else:
        with suppress(KeyError):  # dropped by another thread
            _families.move_to_end(key)
    return known


def begun(key: Any, held: Sequence[Any]) -> Family:
    """A new family, which ends with the objects whose addresses are in its key."""
    with LOCK:
        known = _families.get(key)
        if known is None:
            known = Family()
            known.held = [watched(x, partial(drop, key)) for x in held]
            _families[key] = known
            if len(_families) > FAMILIES:
                _families.popitem(last=False)
        return known


def drop(key: Any, ended: Any) -> None:
    """Forget a family, an object of which is no more."""
    _families.pop(key, None)


def clear() -> None:
    """Forget all families."""
    _families.clear()
