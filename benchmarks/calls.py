"""Calls: what a cached call takes beyond the code that it runs, what a verb that is written anew for each call takes
beyond one that is kept, and what the first gradient of a short function takes.

The functions do next to nothing with three flat arrays, so that what is seen is the way from Python to their code: the
arguments looked at, what they read from outside guarded or read anew, the result handed back.
"""

from __future__ import annotations

import linecache
import math
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from benchmarks.systems import SYSTEMS
from benchmarks.tables import Row, Table, Target, at_most
from benchmarks.timing import batch, in_turns

SCALE = 1.5
LEAST = 2e-3
COLUMNS = ("ccc numpy", "its code", "ccc native", "its machine code")
MOST = {"numpy": 1.5, "native": 0.5}


def plain(x: Any, y: Any, z: Any) -> Any:
    return np.sum(x * y + z)


def scaled(x: Any, y: Any, z: Any) -> Any:
    return np.sum(x * y + z) * SCALE


def squared(x: Any) -> Any:
    return x * x


def helped(x: Any, y: Any, z: Any) -> Any:
    return np.sum(squared(x) * y + z)


FUNCTIONS = {"nothing from outside": plain, "a number from outside": scaled, "a function from outside": helped}
TWENTY: str = """
def long_function(x, y, n):
    a = x * y + math.sin(x)
    b = math.exp(-a * a) + y
    s = 0.0
    for i in range(n):
        s = s + a * b
        a = math.tanh(a + s * 0.1)
        if s > 1.0:
            b = b * 0.5
        else:
            b = b + x
    def cell(h):
        return math.tanh(x * h + b)
    h = 0.1
    for i in range(n):
        h = cell(h)
    c = math.sqrt(1.0 + h * h)
    d = c * s - math.log(1.0 + c)
    e = math.cos(d) * y
    return e + h * a - b * d
"""


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    return [cached(rounds), anew(rounds), first(rounds)]


def backends() -> list[str]:
    return [name for name in ("numpy", "native") if SYSTEMS[f"ccc {name}"].installed()]


def cached(rounds: int) -> Table:
    """Calls of code that is there, and of the code alone."""
    rows: list[Row] = []
    targets: list[Target] = []
    for label, f in FUNCTIONS.items():
        seconds: dict[str, float] = {}
        for backend in backends():
            call, alone = in_turns(prepared(f, backend), 5 * rounds).values()
            seconds |= {f"ccc {backend}": call, COLUMNS[1 if backend == "numpy" else 3]: alone}
            over = f"{label}: {backend} beyond its code"
            targets.append(at_most(over, 1e6 * (call - alone), MOST[backend], " µs"))
        rows.append(Row(label, seconds))
    return Table("calls: a cached gradient of three flat arrays", COLUMNS, COLUMNS[1], rows, targets)


def scaled_by(k: float) -> Callable[[Any], Any]:
    return lambda x: x * x * k


VERBS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "grad": (ccc.grad, lambda g: g(3.0)),
    "vjp": (ccc.value_with_pullback, lambda g: g(3.0)),
    "linearize": (ccc.value_with_differential, lambda g: g(3.0)),
    "jvp": (ccc.value_with_differential, lambda g: g(3.0)[1](1.0)),
    "hvp": (ccc.hvp, lambda g: g(3.0, 1.0)),
    "jacobian": (ccc.jacobian, lambda g: g(3.0)),
    "hessian": (ccc.hessian, lambda g: g(3.0)),
}
"""By name: a verb, and a call of what it gives."""


def anew(rounds: int) -> Table:
    """Verbs made anew for each call, of a closure that is, as programs for JAX are written, beside kept ones."""
    rows: list[Row] = []
    targets: list[Target] = []
    for label, (verb, call) in VERBS.items():
        held = verb(scaled_by(2.0))
        runs = {
            "kept": partial(call, held),
            "anew": lambda verb=verb, call=call: call(verb(scaled_by(2.0))),
        }
        for run in runs.values():
            for _ in range(2000):  # until machine code has been made
                run()
        seconds = in_turns({name: seconds_of(run, ()) for name, run in runs.items()}, 5 * rounds)
        rows.append(Row(label, seconds))
        targets.append(at_most(f"{label}: anew beyond kept", 1e6 * (seconds["anew"] - seconds["kept"]), 10, " µs"))
    return Table("anew: a verb that is made for each call", ("kept", "anew"), "kept", rows, targets)


def prepared(f: Callable[..., Any], backend: str) -> dict[str, Callable[[], float]]:
    """Measures of a call, and of the code that it ends in."""
    gradient, args = ccc.gradient(f, backend=backend), (np.ones(3), np.ones(3), np.ones(3))
    for _ in range(3):  # the first compiles, the second shortens the way
        gradient(*args)
    ((code,),) = gradient.codes.values()  # type: ignore[attr-defined]
    kernel = getattr(code.call, "kernel", None) or code.call
    given = (*args, *[read(f) for read in code.readers])
    return {"call": seconds_of(gradient, args), "code": seconds_of(kernel, given)}


def seconds_of(f: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[], float]:
    """A measure of the processor's time of a call."""
    names = [f"x{i}" for i, _ in enumerate(args)]
    space = {"f": f, **dict(zip(names, args, strict=True))}
    timer = timeit.Timer(f"f({', '.join(names)})", globals=space, timer=time.thread_time)
    size = batch(timer, LEAST)
    return lambda: timer.timeit(size) / size


def first(rounds: int) -> Table:
    """The first gradient of a function of twenty lines, each time of a new one, as users get it without a word."""
    count = iter(range(1_000_000))

    def run() -> float:
        file = f"<twenty lines {next(count)}>"
        linecache.cache[file] = (len(TWENTY), None, TWENTY.splitlines(True), file)
        space: dict[str, Any] = {"math": math}
        exec(compile(TWENTY, file, "exec"), space)
        start = time.thread_time()
        ccc.gradient(space["long_function"])(0.5, 0.3, 4)
        return time.thread_time() - start

    seconds = in_turns({"ccc": run}, max(3, rounds))
    targets = [at_most("20 lines", 1e3 * seconds["ccc"], 50, " ms")]
    return Table("first: the first gradient of 20 lines", ("ccc",), "ccc", [Row("20 lines", seconds)], targets)
