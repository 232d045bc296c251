"""Targets whose making and calls take what is said, by a clock that tests wind."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from ccc.compile.api import choice, measuring
from ccc.compile.native.native_target import NATIVE
from ccc.compile.numpy_source import numpy_target
from ccc.compile.program import apart
from ccc.compile.program.target import NotTaken

NUMPY = "numpy"


@dataclass
class Clock:
    """A clock that stands still but for what calls are said to take: seconds by the names of targets, those of single
    calls where they differ, and of pullbacks."""

    seconds: dict[str, float]
    single: dict[tuple[str, int], float] = field(default_factory=dict)
    pulls: dict[str, float] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    read: int = 0
    exact: bool = False
    now: float = 0.0

    def __call__(self) -> float:
        self.read += 1
        return self.now

    def paced(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose calls are counted, and take what is said; what else it has is the function's."""
        def ticking(*args: Any) -> Any:
            n = self.calls[name]
            self.calls[name] += 1
            self.now += self.single.get((name, n), self.seconds[name])
            result = call(*args)
            if name in self.pulls:
                value, pullback = result
                return value, lambda ct: (self.wind(self.pulls[name]), pullback(ct))[1]
            ticking.__dict__.update({k: v for k, v in vars(call).items() if k == "left_to"})
            return result

        if hasattr(call, "kernel") and self.exact:
            ticking.kernel = call.kernel  # type: ignore[attr-defined]
            ticking.gated = call.gated  # type: ignore[attr-defined]
        return ticking

    def wind(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Paced:
    """The native target, whose functions a clock paces and whose making takes what is said."""

    clock: Clock
    price: float
    name: str = NATIVE.name
    compiler: str = NATIVE.compiler
    broken: BaseException | None = None
    made: int = 0
    waited_for: threading.Event | None = None
    """What its making waits for."""

    def missing(self) -> str:
        return ""

    def unavailable(self) -> str:
        return ""

    def making(self, lets: int) -> float:
        return self.price

    def lower(self, program: Any, pullback: bool, args: Sequence[Any], changes: Any = None) -> Any:
        if isinstance(self.broken, NotTaken):
            raise self.broken
        return PacedModule(self, NATIVE.lower(program, pullback, args, changes))


@dataclass
class PacedModule:
    target: Paced
    module: Any

    @property
    def text(self) -> str:
        return self.module.text

    @property
    def out(self) -> Any:
        return self.module.out

    def making(self) -> float:
        return self.target.price

    def function(self, other: Callable[..., Any], args: Sequence[Any], tried: bool = True) -> Callable[..., Any]:
        if self.target.waited_for is not None:
            assert self.target.waited_for.wait(60)
        if self.target.broken is not None:
            raise self.target.broken
        self.target.made += 1
        return self.target.clock.paced(NATIVE.name, self.module.function(other, args, tried))


def begun(
    monkeypatch: pytest.MonkeyPatch, by_numpy: float, native: float, price: float = 0.01, spare: bool = False,
    **more: Any,
) -> tuple[Clock, Paced]:
    """Let calls take so long by NumPy and by machine code, and making so long; it is made beside calls where there is a
    `spare` processor."""
    clock = Clock({NUMPY: by_numpy, NATIVE.name: native}, **more)
    target = Paced(clock, price)
    load = numpy_target.load
    monkeypatch.delenv(choice.RULE, raising=False)
    monkeypatch.setattr(measuring, "clock", clock)
    monkeypatch.setattr(choice, "candidate", lambda: target)
    monkeypatch.setattr(apart, "spare", lambda: spare)
    monkeypatch.setattr(numpy_target, "load", lambda emitted: clock.paced(NUMPY, load(emitted)))
    return clock, target
