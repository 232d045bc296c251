"""Long runs of random programs, each checked as cheaply as can be.

    python3 tests/random_ranges.py --generator views --from 300000 --count 5000

What a program costs is compiling it: it is compiled once, value and derivative together, and what that gives is held
against plain Python, bit by bit, and against difference quotients. Of a share the code is made again, with every place
in stores or in machine code, and of a small one everything is checked that tests check (`random_checks`).
"""

from __future__ import annotations

import argparse
import linecache
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from checks import BACKEND, dot, numbers, same  # noqa: E402
from random_checks import (  # noqa: E402
    AGREED,
    INCONCLUSIVE,
    NOTHING,
    RAISED,
    REFUSED,
    ROUNDED,
    Checker,
    Outcome,
    Raised,
    captured,
    expect,
    given,
    outcome_of,
)
from random_generators import GENERATORS, TooLong, limited  # noqa: E402
from random_programs import Program  # noqa: E402

import ccc  # noqa: E402
from ccc.compile.api import wrapper  # noqa: E402
from ccc.compile.diagnostics import CompileError  # noqa: E402
from ccc.compile.native import engine as machine  # noqa: E402
from ccc.compile.native.functions import Code  # noqa: E402

GENERATED = (
    "aliases", "arrays", "choices", "classes", "closures", "dicts", "exits", "graphs", "loops", "plain", "programs",
    "rows", "seams", "views", "walks", "yields",
)  # fmt: skip
"""Those whose programs a `Checker` differentiates."""
STORED, MACHINE, WHOLE = 5, 7, 40
"""Of so many programs one is checked with all places in stores, in machine code, and in everything."""
LONG = "too long"
UNSTORED = "agreed, refused with every place in stores"
"""Nobody who calls it meets that: what is read as it is, or with entries shown, is not read so."""


class Once(Checker):
    """The checks for which a program is compiled once."""

    def run(self) -> Outcome:
        plain, args = self.fresh(), self.fresh()
        expected, text = captured(self.f, *plain)
        if isinstance(expected, Raised):
            return self.raised_once(expected.error, text)
        self.changes = not same(plain, args)
        reals = list(numbers(expected))
        if not reals or (ROUNDED in self.made.features and not abs(expected) < 1e6):
            return Outcome(NOTHING)
        self.value, self.scalar = expected, isinstance(expected, float)
        self.weights = [1.0] if self.scalar else [self.r.uniform(0.5, 1.5) for _ in reals]
        both = self.compiled(BACKEND)
        found, printed = captured(both, *args)
        if isinstance(found, Raised):
            raise found.error
        self.compare(found[0], expected)
        expect(same(args, plain), f"the arguments have become {args!r}, in plain Python {plain!r}")
        expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")
        cotangents = self.reals(found[1])
        gradient = list(numbers(cotangents))
        for call in self.made.calls[1:]:
            self.another(both, call)
        conclusive = self.differences(gradient, dot(cotangents, self.along))
        stored = self.made.seed % STORED != 0 or self.in_stores(gradient)
        if self.made.seed % MACHINE == 0:
            self.again(self.compiled("native"), gradient, exactly=False)
        return Outcome((AGREED if stored else UNSTORED) if conclusive else INCONCLUSIVE)

    def in_stores(self, gradient: list[float]) -> bool:
        """Whether the program is read with every place in stores, which then gives the same."""
        with patch.dict(os.environ, {"CCC_STORES": "always"}):
            try:
                self.again(self.compiled(BACKEND), gradient)
            except CompileError:
                return False
        return True

    def compiled(self, backend: str) -> Callable[..., Any]:
        """A function that gives the value and its cotangents."""
        if self.scalar:
            return ccc.value_with_gradient(self.f, backend=backend)
        transform = ccc.value_with_pullback(self.f, backend=backend)

        def run(*args: Any) -> tuple[Any, Any]:
            value, pullback = transform(*args)
            return value, pullback(self.seed_of(self.value))  # zeros at ints that are read as floats

        return run

    def another(self, both: Callable[..., Any], call: str) -> None:
        """The same code, or what the cache makes of it, at other arguments."""
        expected, text = captured(self.f, *self.made.arguments(self.f, call))
        if isinstance(expected, Raised) or len(list(numbers(expected))) != len(self.weights):
            return
        found, printed = captured(both, *self.made.arguments(self.f, call))
        self.compare(found if isinstance(found, Raised) else found[0], expected)
        expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")

    def again(self, both: Callable[..., Any], gradient: list[float], exactly: bool = True) -> None:
        """Other code of the program gives the same."""
        value, cotangents = given(both, *self.fresh())
        if exactly:
            self.compare(value, self.value)
        found = list(numbers(self.reals(cotangents)))
        good = len(found) == len(gradient)
        values = list(numbers(value)) if not exactly else []
        for a, b in [*zip(found, gradient, strict=False), *zip(values, numbers(self.value), strict=False)]:
            good = good and (self.close(a, b, 1e3 * self.scale(gradient)) or abs(a - b) <= 1e-9 * abs(b))
        expect(good, f"the value {value!r} and {found}, before {self.value!r} and {gradient}")

    def raised_once(self, error: Exception, text: str) -> Outcome:
        try:
            found, printed = captured(ccc.value_with_pullback(self.f, backend=BACKEND), *self.args)
        except CompileError as refusal:
            return Outcome(REFUSED, f"{refusal.diagnostics[0].code} where plain Python raises", str(refusal))
        got = found.error if isinstance(found, Raised) else found
        expect(type(got) is type(error), f"plain Python raises {error!r}, the compiled function gives {got!r}")
        expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")
        return Outcome(RAISED, type(error).__name__)


compile_ir = machine.compile_ir


def soon(ir: str | Code, names: Iterable[str], *rest: Any, **named: Any) -> machine.Loaded:
    """Machine code as the text of a program says, without optimising it."""
    return compile_ir(ir, names, *rest, **named, **({"effort": machine.Effort.SELDOM} if isinstance(ir, Code) else {}))


def in_time(made: Program) -> Outcome:
    """The outcome of a program, in a time of the processor that is limited."""
    try:
        with limited(of_processor=True), patch.object(machine, "compile_ir", soon):
            return outcome_of(made, Checker if made.seed % WHOLE == 0 else Once)
    except TooLong:
        return Outcome(LONG)


def checked(job: tuple[str, int]) -> tuple[int, Outcome, float]:
    name, seed = job
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = in_time(GENERATORS[name](seed))
    wrapper.forget()
    sys.modules.pop(f"program_{seed}", None)
    linecache.cache.clear()
    return seed, found, time.process_time() - began


def outcomes(jobs: list[tuple[str, int]], processes: int) -> Iterator[tuple[int, Outcome, float]]:
    """What became of each program, in the order of the seeds."""
    if processes == 1:
        yield from map(checked, jobs)
        return
    with multiprocessing.Pool(processes, maxtasksperchild=200) as pool:
        yield from pool.imap(checked, jobs, chunksize=4)


def run(name: str, seeds: range, processes: int, every: int = 100) -> Counter[str]:
    """Check the programs of the seeds and print what is no agreement, and how many ended in which way."""
    found, codes, spent = Counter[str](), Counter[str](), 0.0
    for seed, outcome, seconds in outcomes([(name, seed) for seed in seeds], processes):
        found[outcome.kind] += 1
        spent += seconds
        if outcome.kind == REFUSED:
            codes[outcome.detail.partition(" ")[0]] += 1
        if outcome.kind not in (AGREED, UNSTORED, RAISED, NOTHING, INCONCLUSIVE):
            print(f"{name} {seed} {outcome.kind}: {outcome.detail}\n    {outcome.text[:600]}", flush=True)
        if found.total() % every == 0:
            print(f"{name} to {seed}: {dict(found)} {dict(codes)} {spent / found.total():.2f} s each", flush=True)
    print(f"{name} {seeds}: {dict(found)} {dict(codes)} {spent / max(found.total(), 1):.2f} s each", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Check a range of random programs.")
    parser.add_argument("--generator", choices=GENERATED, required=True)
    parser.add_argument("--from", type=int, default=300_000, dest="first")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    run(asked.generator, range(asked.first, asked.first + asked.count), asked.processes)


if __name__ == "__main__":
    main()
