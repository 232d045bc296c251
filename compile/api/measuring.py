"""`backend="auto"` by the clock: successive calls of a program are timed on the reference and on another target, and
the faster of both is kept.

The first calls are the reference's. When they have taken as long as making the function by the other target takes, it
is made, whatever the program is, and the next calls are that one's, until enough of both are known. Each call is run
once, by one of the two. So nobody waits for a compiler longer than for what was computed so far, and what is slower is
called a few times only. A call that is estimated to take `FAR` times as long as making is the other target's at once.

The program is written in the call that this is due in; what the target makes of the text is made beside further calls
where there is another processor, if these are shorter than making. They go on by the reference, and do not count: what
is made beside them holds them up.

Arguments of other sizes, by factors of four, are tried anew, with what was faster for the next size first; the other
one is called only when it will surely not take long beside the calls so far. Where machine code is the faster and the
program has nothing that NumPy leaves to libraries, that holds for all sizes, and machine code is called directly.

A figure is the median of the last calls, so one that something else held up does not count; the first is left out
where there are more. That of a call that gives a pullback includes the calls of the pullback.

    Measuring(target, program, pullback, args, call)(*args)    the result of a call, by one of the two

>>> t = Trial(("numpy", "native"))
>>> for seconds in (0.002, 0.0011, 0.9, 0.001):
...     _ = t.of["numpy"].add(seconds)
>>> t.due(), t.of["numpy"].seconds
('native', 0.0011)
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.api.libraries import uses_libraries
from ccc.compile.api.targets import REFERENCE
from ccc.compile.api.uncollected import uncollected
from ccc.compile.program import apart
from ccc.compile.program.apart import Apart
from ccc.compile.program.deep import LOCK
from ccc.compile.program.lam import Program, dispose
from ccc.compile.program.target import Module, NotTaken, Target
from ccc.compile.program.work import work
from ccc.locks import Lock
from ccc.records import parts_of

clock = time.perf_counter
"""What times calls."""
FAR = 10.0
"""An estimate that is so many times as large decides where nothing was measured: it errs by less."""
BRIEF, FEW, MORE = 1e-3, 4, 6
"""So many calls are enough, the first one included; more of calls that are shorter than `BRIEF`."""
LONG, CERTAIN, CLOSE = 0.1, 0.5, 4.0
"""Calls that have taken so long in all are enough, too; a single one that loses is repeated if it took less than
`CERTAIN`, or less than `CLOSE` times as long as the other's: the first one has to get its memory from the system."""
ENTRY = 1e-6
"""By less NumPy's function is not faster than machine code that looks at its arguments itself, which has the shorter
way to it; a clock that times single calls cannot tell."""
AHEAD = 0.25
"""What nobody waits for is made when calls have taken so much of what it takes: it needs a processor only."""
PARTS = 64
"""So many parts of arguments are looked at to say how large they are."""
SPARE = 4.0
"""What is expected to be slower is tried when the other's calls have taken so many times as long as its call."""


class Samples:
    """What calls of one function took: the last ones as lists of one number each, to which their pullbacks add."""

    __slots__ = ("calls", "recent", "spent")

    def __init__(self) -> None:
        self.recent: deque[list[float]] = deque(maxlen=MORE)
        self.calls, self.spent = 0, 0.0

    def add(self, seconds: float) -> list[float]:
        sample = [seconds]
        self.recent.append(sample)
        self.calls += 1
        if self.calls > 1 or seconds >= LONG:  # the first one finds nothing in the caches
            self.spent += seconds
        return sample

    def extend(self, sample: list[float], seconds: float) -> None:
        """Add what a pullback took to the call that gave it."""
        sample[0] += seconds
        self.spent += seconds

    @property
    def seconds(self) -> float:
        """What a call takes: the median, low where they are even, without the first; of two calls the shorter."""
        found = [sample[0] for sample in [*self.recent]]
        return min(found) if len(found) < 3 else sorted(found[1:])[len(found) // 2 - 1]

    def enough(self) -> bool:
        return self.calls > 0 and (self.spent >= LONG or self.calls >= (MORE if self.seconds < BRIEF else FEW))

    def doubtful(self, other: float) -> bool:
        """Whether it may have been held up, where it lost."""
        return self.calls == 1 and self.seconds < max(CERTAIN, CLOSE * other)


class Trial:
    """The calls on arguments of about one size, by the names of the two targets, and which of them is `kept`, if that
    is known. The second one of `order` is expected to take `ratio` times as long as the first, and at least
    `expected`."""

    __slots__ = ("expected", "kept", "of", "order", "ratio")

    def __init__(self, order: tuple[str, str], ratio: float = 0.0, expected: float = 0.0) -> None:
        self.order, self.ratio, self.expected = order, ratio, expected
        self.of = {name: Samples() for name in order}
        self.kept: str | None = None

    def due(self) -> str | None:
        """Whose call the next one is; None where the faster is known."""
        first, second = [self.of[name] for name in self.order]
        if not first.enough():
            return self.order[0]
        if not second.enough():
            if not second.calls and FAR * first.seconds <= self.expected:
                return None
            slow = max(self.expected, self.ratio * first.seconds)
            return self.order[0] if first.spent < SPARE * slow else self.order[1]
        faster, slower = sorted(self.order, key=self.seconds)
        return slower if self.of[slower].doubtful(self.seconds(faster)) else None

    def seconds(self, name: str) -> float:
        """What a call takes by a target, as far as it is known."""
        samples = self.of[name]
        return samples.seconds if samples.calls else max(self.expected, self.ratio * self.of[self.order[0]].seconds)

    def faster(self, entry: float = 0.0) -> str:
        """The target whose calls take less, where the way to the reference's function takes so much more."""
        return min(self.order, key=lambda name: self.seconds(name) + (entry if name == REFERENCE.name else 0.0))

    def told(self) -> str:
        """What is kept, and both figures."""
        assert self.kept is not None
        (other,) = [name for name in self.order if name != self.kept]
        about = "" if self.of[other].calls else ", as estimated"
        if self.seconds(self.kept) > self.seconds(other):
            about = " and a longer way to it"
        taken, others = duration(self.seconds(self.kept)), duration(self.seconds(other))
        return f"{self.kept}: {taken} a call, {other} {others}{about}"


class Measuring:
    """A program that is computed by the reference, whose function `call` is, and by a target; called, it gives the
    result.

    `version` changes when something is decided, `final` is the function that is called from now on at all arguments,
    with the reason where it is not the target's.
    """

    def __init__(
        self, target: Target, program: Program, pullback: bool, args: Sequence[Any], call: Callable[..., Any]
    ) -> None:
        found = work(program, args)
        self.target, self.pullback = target, pullback
        self.program: Program | None = program
        self.module: Module | None = None
        self.functions = {REFERENCE.name: call}
        self.price = target.making(found.lets)
        self.expected = found.seconds if found.seconds >= FAR * self.price else 0.0
        self.trials: dict[int, Trial] = {}
        self.making: Apart[Callable[..., Any]] | None = None
        self.final: tuple[Callable[..., Any], str] | None = None
        self.version, self.libraries, self.entry, self.lock = 0, False, 0.0, Lock()

    def __call__(self, *args: Any) -> Any:
        if self.final is not None:
            return self.final[0](*args)
        trial = self.trial(rank(extent(args)))
        name = trial.kept or self.whose(trial, args)
        function = self.functions[name]
        return function(*args) if trial.kept else self.timed(trial.of[name], function, args)

    def timed(self, samples: Samples, function: Callable[..., Any], args: Sequence[Any]) -> Any:
        """The result of a call, timed."""
        start, making = clock(), self.making
        result = function(*args)
        with self.lock:
            sample = samples.add(clock() - start) if making is None else [0.0]
        if left := getattr(function, "left_to", ""):
            self.end(self.functions[REFERENCE.name], left)
        return (result[0], timed_pullback(result[1], samples, sample)) if self.pullback else result

    # -- whose call it is --------------------------------------------------------------------------------------

    def trial(self, place: int) -> Trial:
        """The trial for arguments of a rank."""
        with self.lock:
            found = self.trials.get(place)
            if found is None:
                found = self.trials[place] = self.begun(place)
            return found

    def begun(self, place: int) -> Trial:
        """A new trial: what is faster at the next size comes first."""
        known = self.known()
        if not known:
            if self.expected and not self.trials:
                return Trial((self.target.name, REFERENCE.name), expected=self.expected)
            return Trial((REFERENCE.name, self.target.name))
        near = self.trials[min(known, key=lambda at: abs(at - place))]
        first = near.kept or REFERENCE.name
        (second,) = [name for name in near.order if name != first]
        return Trial((first, second), ratio=near.seconds(second) / max(near.seconds(first), 1e-9))

    def whose(self, trial: Trial, args: Sequence[Any]) -> str:
        """The target whose call this is, which is made where that is due."""
        if self.target.name not in self.functions:
            beside = self.is_brief(trial) and apart.spare()
            if self.is_due(beside) if self.making is None else self.making.ended():
                self.make(args, beside)
            if self.target.name not in self.functions:
                return REFERENCE.name
        with self.lock:
            name = trial.kept or trial.due()
            if name is not None:
                return name
            trial.kept = trial.faster(self.entry)
            self.version += 1
            kept = trial.kept
        if not self.libraries and {t.kept for t in self.known().values()} == {self.target.name}:
            self.end(self.functions[kept], "")
        return kept

    def is_due(self, beside: bool) -> bool:
        """Whether calls have taken long enough for the next step: writing the program, or making code `beside` them."""
        return self.spent() >= self.price * (AHEAD if beside and self.module is not None else 1.0)

    def is_brief(self, trial: Trial) -> bool:
        """Whether calls take less than making."""
        calls = trial.of[REFERENCE.name]
        return calls.calls > 0 and calls.seconds < self.price

    def known(self) -> dict[int, Trial]:
        """The trials that are over, by the ranks of arguments."""
        return {at: t for at, t in [*self.trials.items()] if t.kept}

    def spent(self) -> float:
        """What the calls of the reference have taken, or this one is estimated to take."""
        return max(self.expected, sum([t.of[REFERENCE.name].spent for t in [*self.trials.values()]]))

    # -- making ------------------------------------------------------------------------------------------------

    def make(self, args: Sequence[Any], beside: bool) -> None:
        """Make the function of the target, perhaps `beside` further calls, if no other thread makes something now."""
        if not LOCK.acquire(blocking=False):
            return
        try:
            if self.program is not None:
                self.made(self.program, args, beside)
        finally:
            LOCK.release()

    @uncollected()
    def made(self, program: Program, args: Sequence[Any], beside: bool) -> None:
        """Write the program as the target does; where the calls so far are worth the rest as well, load it."""
        reference, left = self.functions[REFERENCE.name], "an error while it was made"
        try:
            left = self.target.unavailable() or self.written(program, args, beside)
        except NotTaken as error:
            left = error.told(self.target.name)
        except RuntimeError as error:
            left = f"{self.target.compiler} does not take it: {error}"
        finally:
            if left:
                self.end(reference, left)

    def written(self, program: Program, args: Sequence[Any], beside: bool) -> str:
        """Write the program, then load it when that is worth it."""
        module = self.module or self.write(program, args)
        if self.making is not None or self.is_due(beside):
            make = partial(module.function, self.functions[REFERENCE.name], args, tried=False)
            if beside and self.making is None:
                self.making = Apart(make)
                return ""
            found = make() if self.making is None else self.making.found()
            self.making = None
            self.entry = ENTRY if getattr(found, "kernel", None) is not None else 0.0
            self.functions[self.target.name] = found
            self.forget()
        return ""

    def write(self, program: Program, args: Sequence[Any], changes: list[Any] | None = None) -> Module:
        """The program as the target writes it; what its making takes is known better then."""
        self.libraries = uses_libraries(program)
        module = self.module = self.target.lower(program, self.pullback, args, changes)
        self.price = module.making()
        self.libraries = self.libraries or bool(module.out)
        return module

    def forget(self) -> None:
        """Drop what machine code is made of."""
        if self.program is not None:
            dispose(self.program)
        self.program = self.module = None

    def end(self, call: Callable[..., Any], left: str) -> None:
        """Call this function from now on."""
        with self.lock:
            if self.final is None:
                self.final = call, left
                self.version += 1
        self.forget()

    # -- what others ask ---------------------------------------------------------------------------------------

    @property
    def left_to(self) -> str:
        """Why the program is the reference's at all sizes that are known; "" where it is not."""
        if self.final is not None:
            return self.final[1]
        kept = [*self.known().values()]
        return kept[-1].told() if {t.kept for t in kept} == {REFERENCE.name} else ""

    def over(self, args: Sequence[Any]) -> bool:
        """Whether something else is called from now on."""
        return self.final is not None

    def settled(self, other: Callable[..., Any], args: Sequence[Any]) -> tuple[Callable[..., Any], str] | None:
        """What is called from now on, and why it is not the target's."""
        return self.final

    def way(self, call: Callable[..., Any]) -> tuple[Callable[..., Any], None, int | None]:
        """What computes calls as long as nothing more is decided: a function, and up to which size of arguments; else
        `NotImplemented` comes."""
        version, known = self.version, self.known()
        kept = {t.kept for t in known.values()}
        if len(kept) == 1:
            return self.functions[kept.pop() or ""], None, largest(max(known))

        def undecided(*args: Any) -> Any:
            return self(*args) if self.version == version else NotImplemented

        return undecided, None, None

    def told(self, args: Sequence[Any]) -> str:
        """What computes calls with these arguments, and why; "" where that is not known yet."""
        if self.final is not None and self.final[1]:
            return f"{REFERENCE.name}: {self.final[1]}"
        known = self.known()
        return known[min(known, key=lambda at: abs(at - rank(extent(args))))].told() if known else ""

    def plan(self) -> str:
        """What is going to be done."""
        return (f"{REFERENCE.name}, and {self.target.name} when calls have taken {duration(self.price)} in all; "
                "the faster is kept")


def timed_pullback(pullback: Callable[..., Any], samples: Samples, sample: list[float]) -> Callable[..., Any]:
    """A pullback whose calls count as part of the call that gave it."""

    def timed(*cts: Any) -> Any:
        start = clock()
        result = pullback(*cts)
        samples.extend(sample, clock() - start)
        return result

    return timed


def extent(args: Sequence[Any]) -> int:
    """How large arguments are, items and what integers say, from a look at few of their parts: all items of a list are
    taken to be like the first.

    >>> extent([np.ones((2, 3)), 4, 2.5]), extent([[np.ones(5), np.ones(5)]]), extent([[0.5] * 7, (1.0, None)])
    (11, 10, 8)
    """
    total, todo = 0, [(1, x) for x in args]
    for _ in range(PARTS):
        if not todo:
            break
        times, x = todo.pop()
        if isinstance(x, np.ndarray):
            total += times * x.size
        elif isinstance(x, list):
            todo += [(times * len(x), x[0])] if x else []
        elif parts := parts_of(x):
            todo += [(times, part) for part in parts]
        elif x is not None:
            total += int(x) if isinstance(x, int) and times == 1 else times
    return total


def rank(size: int) -> int:
    """The power of 4 below which a size is.

    >>> [rank(n) for n in (0, 1, 3, 4, 15, 16)]
    [0, 1, 1, 2, 2, 3]
    """
    return (size.bit_length() + 1) // 2


def largest(rank: int) -> int:
    """The largest size of a rank.

    >>> [largest(rank(n)) for n in (0, 1, 3, 4, 15, 16)]
    [0, 3, 3, 15, 15, 63]
    """
    return 4**rank - 1


def duration(seconds: float) -> str:
    """A time as it is told.

    >>> duration(0.00123), duration(2.5e-8), duration(3.0)
    ('1.23 ms', '0.025 µs', '3 s')
    """
    unit, name = next(((u, n) for u, n in ((1.0, "s"), (1e-3, "ms")) if seconds >= u), (1e-6, "µs"))
    return f"{seconds / unit:.3g} {name}"
