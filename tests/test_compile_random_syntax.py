"""Random functions of all of Python's syntax: compiled, each gives what plain Python gives, raises what it raises, or
is refused by a diagnostic of ours; nothing else, and in time."""

from __future__ import annotations

import contextlib
import copy
import io
import math
import re
import signal
import sys
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import same, value_of
from random_syntax import program

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.errors import CCCError

ARGUMENTS = (1.5, 0.5, np.array([0.5, 2.0]), 2, (3.0, 1.0), [1.0, 4.0, 2.5], {"a": 2.0, "k": 1.0}, True)
LIMIT = 60  # seconds for one function, on a busy machine
SHARES = 16


class TooLong(BaseException):
    """The time is over."""


@contextlib.contextmanager
def within(seconds: float) -> Generator[None]:
    def over(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(run: Any) -> Any:
    """A value, or the exception that was raised; what is printed goes nowhere."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return run(*copy.deepcopy(ARGUMENTS))
    except TooLong:
        raise
    except Exception as error:
        return error


def complaint(text: str, path: Path) -> str:
    """What is wrong with the way in which a function is compiled; nothing, mostly."""
    path.write_text(text, "utf-8")
    space: dict[str, Any] = {"np": np, "math": math, "ccc": ccc}
    exec(compile(text, str(path), "exec"), space)
    f = space["f"]
    try:
        with within(2.0):
            expected = outcome(f)
    except TooLong:
        return ""
    try:
        with within(LIMIT):
            found = outcome(lambda *args: value_of(f, *args))
            slope = outcome(lambda *args: ccc.gradient(f, wrt="x")(*args))
    except TooLong:
        return f"it takes longer than {LIMIT} s"
    for result in (found, slope):
        if isinstance(result, CompileError):
            wrong = [d for d in result.diagnostics if not re.fullmatch(r"CC\d{3}", d.code) or not d.message]
            if wrong or not result.diagnostics:
                return f"a diagnostic without code or text: {result}"
            if re.search(r"\b[A-Z]\w*Value\b|<compile\.|<ccc\.|object at 0x", str(result)):
                return f"a name of the compiler: {result}"
        elif isinstance(result, Exception) and not isinstance(result, CCCError | type(expected)):
            return f"raises {result!r}, plain Python gives {expected!r}"
    if not isinstance(found, Exception) and not same(found, expected):
        return f"gives {found!r}, plain Python {expected!r}"
    return ""


def complaints(seeds: range, path: Path) -> list[str]:
    """What is wrong with the functions of these seeds."""
    made = [(seed, program(seed)) for seed in seeds]
    return [f"seed {seed}\n{text}\n{found}" for seed, text in made if (found := complaint(text, path))]


FOUND = {
    "an item that surely raises, in a list that nothing reads": """
    k = 0
    while k < 1:
        k += 1
        y = sum([y for i in range(3)])
    return x""",
    "a number of what is none, in a branch": """
    if xs:
        p = float({})
    else:
        s = x
    s += 1.5
    return x""",
    "an iterator of a number, which nothing draws from": """
    if enumerate(x):
        pass
    raise KeyError(1)""",
    "what is no number": """
    p = float(...)
    return x""",
    "a name that a branch inside of a branch deletes": """
    if x > 1.0:
        if b:
            del xs
    q = xs
    return x""",
    "an array whose size is no integer, which nothing reads": """
    r = np.zeros(xs[1])
    r = np.full((2, y), 1.0)
    return x""",
    "a set that is returned": """
    return {1.5}""",
    "the class of a set": """
    return isinstance({1, 2}, set), type({1}) is frozenset""",
    "a pair of a number, which nothing draws from": """
    if zip(n, t): raise KeyError(1)
    return x""",
}
"""What such functions found, made small."""


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_findings(body: str, tmp_path: Path):
    assert complaint(f"def f(x, y, v, n, t, xs, d, b):{body}\n", tmp_path / "found.py") == ""


@pytest.mark.share(2)
@pytest.mark.parametrize("share", range(4))
def test_random_functions_of_all_of_the_syntax(share: int, tmp_path: Path):
    found = complaints(range(share * 15, (share + 1) * 15), tmp_path / "random.py")
    assert not found, "\n\n".join(found)


@pytest.mark.nightly
@pytest.mark.parametrize("share", range(SHARES))
def test_ten_thousand_random_functions(share: int, tmp_path: Path):
    found = complaints(range(1000 + share, 11000, SHARES), tmp_path / "random.py")
    assert not found, "\n\n".join(found[:5])


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:3])
    for each in range(first, first + count):
        print(*complaints(range(each, each + 1), Path(sys.argv[3])), sep="\n", end="", flush=True)
