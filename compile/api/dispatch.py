"""The shortest way from a call to code that is known: one function that looks at what the code depends on.

    token(x)           what of an argument the code depends on
    direct(...)        a function of the arguments: the result, or NotImplemented where the code is not for them

>>> token(2.0), token(np.ones((2, 3))), token(np.ones((1, 3))), token((1, True))
(<class 'float'>, (dtype('float64'), 2), (dtype('float64'), (True, False)), (<class 'int'>, <class 'bool'>))
>>> from ccc.compile.frontend.captures import Fixed
>>> add = direct(lambda x, k: x + k, [float], [({"a": 1}, "a", 1)], [], [Fixed(10.0)], abs, bound=True)
>>> add(1.0), add(1)
(11.0, NotImplemented)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ccc.compile.frontend.captures import Within
from ccc.compile.frontend.guards import MISSING, Guard
from ccc.compile.frontend.integers import may_mix, strays
from ccc.compile.frontend.numpy_functions import below
from ccc.compile.program.assumed import Bound, Class
from ccc.errors import UnknownObject
from ccc.later import deferred
from ccc.objects import Object, Static
from ccc.objects_of_values import object_of
from ccc.registered import READERS
from ccc.values import value

READERS.append(deferred(below, "read_for"))

_FLOATS = {float}
PLAIN = (float, int, bool)


def token(x: Any) -> Any:
    """What of an argument the code depends on."""
    kind = type(x)
    if kind is float or kind is int or kind is bool:
        return kind
    if kind is np.ndarray:
        shape = x.shape
        return (x.dtype, tuple([n == 1 for n in shape])) if 1 in shape else (x.dtype, len(shape))
    if kind is tuple:
        return tuple(map(token, x))
    if kind is list and set(map(type, x)) == _FLOATS:
        return "floats"
    try:
        a = object_of(x)
    except RecursionError:
        raise UnknownObject("a list or dict holds itself, or is nested too deeply",
                            "give the parts that are differentiated as trees or lists") from None
    if may_mix(a) and (classes := strays(x, a)):
        return Mixed(a, classes)
    return a if not isinstance(a, Static) else (kind, a)


@value()
class Mixed:
    """What of an argument the code depends on where ints or bools stand among the reals of its lists."""

    of: Object
    classes: frozenset[type]


def is_plain(t: Any) -> bool:
    """Whether a token is the class of a number of Python; dtypes are equal to some of them."""
    return any(t is kind for kind in PLAIN)


def size_of(x: str, t: Any) -> str:
    """The text of how large an argument with a token is; "" where that does not matter or is hard to say."""
    if t is int:
        return x
    if t == "floats":
        return f"len({x})"
    return f"{x}.size" if isinstance(t, tuple) and len(t) == 2 and isinstance(t[0], np.dtype) else ""


def size_tests(needed: Sequence[Class | Bound], names: Sequence[str]) -> list[str]:
    """Tests of what has to hold of the sizes of arguments with these names.

    >>> from ccc.compile.program.assumed import Axis
    >>> rows, columns, items = Axis(0, (), 0), Axis(0, (), 1), Axis(1, (0,), 0)
    >>> size_tests([(rows, items), (columns, columns), Bound(rows, ">=", 2)], ["x", "y"])
    ['x.shape[0] == y[0].shape[0]', 'x.shape[1] == x.shape[1]', 'x.shape[0] >= 2']
    """
    return [
        f"{one.axis.text(names[one.axis.argument])} {one.relation} {one.size}" if isinstance(one, Bound) else
        " == ".join([axis.text(names[axis.argument]) for axis in one])
        for one in needed
    ]  # fmt: skip


class Own:
    """Base of tokens that know how they are tested."""

    def tests(self, c: Conditions, x: str) -> None:
        """Test that an expression has this token."""
        raise NotImplementedError


class Conditions:
    """Tests in Python on names, and the objects that they name; `known` is the function that is called, if it is the
    same always."""

    def __init__(self, known: Any = None) -> None:
        self.tests: list[str] = []
        self.space: dict[str, Any] = {"ndarray": np.ndarray, "token": token, "function": known}
        self.known = known
        self.root = "root" if known is None else "function"

    def name(self, x: Any) -> str:
        name = f"k{len(self.space)}"
        self.space[name] = x
        return name

    def argument(self, x: str, t: Any) -> None:
        """Test that an expression has a token."""
        if isinstance(t, Own):
            t.tests(self, x)
        elif is_plain(t):
            self.tests.append(f"type({x}) is {t.__name__}")
        elif isinstance(t, tuple) and len(t) == 2 and isinstance(t[0], np.dtype) and isinstance(t[1], int):
            self.tests += [f"type({x}) is ndarray", f"{x}.dtype is {self.name(t[0])}", f"{x}.ndim == {t[1]}"]
            if t[1]:
                self.tests.append(f"{x}.size != 1" if t[1] == 1 else f"1 not in {x}.shape")
        elif isinstance(t, tuple) and not (t and isinstance(t[0], (np.dtype, type)) and not is_plain(t[0])):
            self.tests += [f"type({x}) is tuple", f"len({x}) == {len(t)}"]
            for i, part in enumerate(t):
                self.argument(f"{x}[{i}]", part)
        else:
            self.tests.append(f"token({x}) == {self.name(t)}")


def direct(
    call: Callable[..., Any], tokens: Sequence[Any], names: Sequence[tuple[dict[str, Any], str, Any]],
    guards: Sequence[Guard], readers: Sequence[Any], root: Any, bound: bool, checks: bool = False,
    calls: Iterator[None] | None = None, limit: int | None = None, reading: Sequence[Callable[[Any], Any] | None] = (),
    sizes: Sequence[Class | Bound] = (),
) -> Callable[..., Any]:  # fmt: skip
    """The function of arguments with these tokens that gives what `call` does for the function `root`, as long as the
    names and guards hold; what the readers read is handed on. Where it is not `bound` to the function, it takes one of
    the same form before the arguments. Where `call` checks its arguments itself, it gives `NotImplemented` too, and so
    does a call when `calls` are over, or whose arguments are larger than `limit` in all. What `reading` has for an
    argument is called with it, and `call` gets the result. What is said of `sizes` has to hold."""
    steady = not names and not readers and all(g.formal and not g.read.moves(root) for g in guards)
    if checks and bound and steady and limit is None:
        return call
    c = Conditions(root if bound else None)
    xs = [f"x{i}" for i, _ in enumerate(tokens)]
    read = {x: reader for x, reader in zip(xs, reading, strict=False) if reader is not None}
    hidden = [f"h{i}" for i, _ in enumerate(readers)]
    place = dict(zip(readers, hidden, strict=True))
    for space, name, found in names:
        c.tests.append(f"{name!r} not in {c.name(space)}" if found is MISSING else
                       f"{c.name(space)}.get({name!r}) is {c.name(found)}")
    if not checks:
        for x, t in zip(xs, tokens, strict=True):
            c.argument(x, t)
        c.tests += size_tests(sizes, [*xs, *hidden])
    for guard in guards:
        if guard.formal:
            if bound and guard.read.moves(root):
                c.tests.append(f"{guard.read.text(c)} is {c.name(guard.read(root))}")
        elif guard.again is not None and guard.again in place:
            if not checks:
                c.argument(place[guard.again], token(guard.again(root)) if guard.read(root) == guard.value else None)
        elif type(guard.value) is int:
            value = c.name(guard.value)
            c.tests.append(f"((v := {guard.read.text(c)}) is {value} or type(v) is int and v == {value})")
        elif bound and guard.steady is not None and guard.read(root) == guard.value:
            same = f"{guard.steady.text(c)} is {c.name(guard.steady(root))}"
            formal = isinstance(guard.read, Within) and guard.read.label  # a tuple that holds functions
            c.tests.append(same if formal else f"({same} or {guard.read.text(c)} == {c.name(guard.value)})")
        elif isinstance(guard.value, (tuple, str)):
            c.tests.append(f"{guard.read.text(c)} == {c.name(guard.value)}")
        else:
            c.tests.append(f"{guard.read.text(c)} is {c.name(guard.value)}")
    if limit is not None:
        counted = ["" if x in read else size_of(x, t) for x, t in zip(xs, tokens, strict=True)]
        if any(counted):
            c.tests.append(f"{' + '.join(filter(None, counted))} <= {limit}")
    if calls is not None:
        c.tests.append(f"{c.name(calls)}.__next__() is None")
    reads = [f"        {h} = {read.text(c)}\n" for h, read in zip(hidden, readers, strict=True)]
    c.space["call"] = call
    readings = [f"        {x} = {'float' if t is int else c.name(read[x])}({x})\n"
                for x, t in zip(xs, tokens, strict=True) if x in read]
    source = (
        f"def direct({', '.join(xs if bound else ['root', *xs])}):\n    try:\n{''.join(reads)}"
        f"        if not ({' and '.join(c.tests) or 'True'}):\n            return NotImplemented\n{''.join(readings)}"
        f"    except Exception:\n        return NotImplemented\n    return call({', '.join([*xs, *hidden])})\n"
    )
    exec(source, c.space)
    return c.space["direct"]
