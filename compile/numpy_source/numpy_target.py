"""The NumPy target, which takes every program: source as text, and the Python function that it defines.

>>> from ccc.compile.frontend.elaborate import program_of
>>> written = NUMPY.lower(program_of(lambda x: x * x, (3.0,)), False, ())
>>> written.text.splitlines()[1:], written.function()(3.0)
(['    t = x * x', '    return t'], 9.0)
"""

from __future__ import annotations

import linecache
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ccc.compile.numpy_source.copies import Copies
from ccc.compile.numpy_source.emit import Emitted, Emitter
from ccc.compile.numpy_source.places import remember
from ccc.compile.passes.engine import Change, run
from ccc.compile.program.deep import LOCK, deep
from ccc.compile.program.lam import Let, Program, Tree, Var, dispose, two
from ccc.journal import Once
from ccc.unpatched import BUILTINS, as_loaded


class Source:
    """A program as NumPy source."""

    def __init__(self, emitted: Emitted) -> None:
        self.emitted = emitted

    @property
    def text(self) -> str:
        return self.emitted.source

    @property
    def file(self) -> str:
        """The source as a file that runs by itself."""
        from ccc.compile.numpy_source.standalone import file_of

        return file_of(self.emitted)

    @property
    def places(self) -> list[Any]:
        """Of each line of the source the place in the user's program, None where it has none."""
        count = len(self.text.splitlines())
        return [self.emitted.places.get(line) for line in range(1, count + 1)]

    @property
    def out(self) -> Mapping[Let, str]:
        return {}

    def making(self) -> float:
        """0: next to what calls take, Python's compiler takes nothing."""
        return 0.0

    def function(
        self, other: Callable[..., Any] | None = None, args: Sequence[Any] = (), tried: bool = True
    ) -> Callable[..., Any]:
        """The function that the source defines: it leaves nothing."""
        return load(self.emitted)


class NumPyTarget:
    """`backend="numpy"`."""

    name = "numpy"
    compiler = "Python"
    asked_only = False

    def missing(self) -> str:
        return ""

    def unavailable(self) -> str:
        return ""

    def arrays(self) -> None:
        return None

    def making(self, lets: int) -> float:
        return 0.0

    def lower(
        self, program: Program, pullback: bool, args: Sequence[Any], changes: list[Change] | None = None
    ) -> Source:
        return Source(emit(program, pullback, changes))


NUMPY = NumPyTarget()


def emit(program: Program, pullback: bool = False, changes: list[Change] | None = None) -> Emitted:
    """The NumPy source of a program, behind the target's passes; with `pullback` it gives a value and a function."""
    copies = Copies(entries=True)
    run(program, (copies.stage,), changes, fresh=False)
    return Emitter(program, pullback_result if pullback else None, copies.overwritten).emitted()


def pullback_result(emitter: Emitter, result: Tree) -> str:
    value, function = two(result)
    assert isinstance(function, Var)
    return f"{emitter.tree(value)}, {emitter.text(function)}"


_loaded: Counter[str] = Counter()
MODULES = {"np": as_loaded(np), "math": as_loaded(math), "print": Once(BUILTINS["print"])}
"""The modules whose functions sources call, and what prints, by names that no constant has."""


def load(emitted: Emitted) -> Callable[..., Any]:
    """The Python function of a source, its lines known to tracebacks."""
    _loaded[emitted.name] += 1
    filename = f"<ccc {emitted.name} {_loaded[emitted.name]}>"
    code = compile(emitted.source, filename, "exec")
    remember(filename, emitted.places, emitted.expressions)
    linecache.cache[filename] = (len(emitted.source), None, emitted.source.splitlines(True), filename)
    namespace = {**emitted.namespace, **MODULES, "__builtins__": BUILTINS}
    exec(code, namespace)
    return namespace[emitted.name]


class Late:
    """The NumPy function of a program, which is written when it is first called."""

    def __init__(self, program: Program, pullback: bool) -> None:
        self.program, self.pullback = program, pullback
        self.made: Callable[..., Any] | None = None

    def function(self) -> Callable[..., Any]:
        with LOCK:  # what writes may ask for it
            if self.made is None:
                self.made = deep(lambda: load(emit(self.program, self.pullback)))
                dispose(self.program)
        return self.made

    def __call__(self, *args: Any) -> Any:
        return (self.made or self.function())(*args)
