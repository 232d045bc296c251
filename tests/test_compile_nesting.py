"""Programs that nest more deeply than the stack that Python begins with, and than its parser takes statements."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ccc
from ccc.compile.numpy_source import numpy_target
from ccc.compile.program.deep import LOCK, deep, is_larger

MANY = 150


def branches(n: int) -> str:
    tests = "".join(f"    elif x < {i}.0:\n        y = x * {i}.0\n" for i in range(n))
    return f"def f(x):\n    if x < -1.0:\n        y = x\n{tests}    else:\n        y = x * x\n    return y\n"


def returns(n: int) -> str:
    tests = "".join(f"    if x < {i}.0:\n        return x * {i}.0\n" for i in range(n))
    return f"def f(x):\n{tests}    return x\n"


def cases(n: int) -> str:
    tests = "".join(f"        case {i}:\n            y = x * {i}.0\n" for i in range(n))
    return f"def f(x):\n    match int(x):\n{tests}        case _:\n            y = x * x\n    return y\n"


def choices(n: int) -> str:
    return "def f(x):\n    return " + "".join(f"x * {i}.0 if x < {i}.0 else " for i in range(n)) + "x\n"


def conditions(n: int) -> str:
    return f"def f(x):\n    return x * x if {' and '.join(f'x > -{i}.0' for i in range(n))} else 0.0\n"


def expressions(n: int) -> str:
    return f"import math\ndef f(x):\n    return {'math.sin(x + ' * n}x{')' * n}\n"


def calls(n: int) -> str:
    steps = "".join(f"def g{i}(x):\n    return g{i - 1}(x) * 1.01\n" for i in range(1, n))
    return f"def g0(x):\n    return x * x\n{steps}def f(x):\n    return g{n - 1}(x)\n"


def methods(n: int) -> str:
    return ("class C:\n    def __init__(self, x):\n        self.x = x\n    def times(self, k):\n        self.x *= k\n"
            f"        return self\ndef f(x):\n    return C(x * x){'.times(1.01)' * n}.x\n")


def loops(n: int) -> str:
    """Functions that loop and call one another, until the loops are more than Python takes in one function."""
    steps = "".join(f"def g{i}(x):\n    for _ in range(2 if {i} % 8 == 0 else 1):\n        x = g{i - 1}(x) * 1.01\n"
                    "    return x\n" for i in range(1, n))
    return f"def g0(x):\n    return x * 0.5\n{steps}def f(x):\n    return g{n - 1}(x) ** 2\n"


PROGRAMS: list[tuple[Callable[[int], str], int]] = [
    *[(each, MANY) for each in (branches, returns, cases, choices, conditions, calls, methods)], (expressions, 90),
    (loops, 14),
]


def made(text: str, folder: Path) -> Any:
    """The function `f` of a program, which stands in a file."""
    file = folder / "program.py"
    file.write_text(text)
    module = types.ModuleType("program")
    module.__file__ = str(file)
    exec(compile(text, str(file), "exec"), module.__dict__)
    return module.f


@pytest.mark.share(18)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("program", "n"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS])
def test_programs_may_nest_deeply(program: Callable[[int], str], n: int, backend: str, tmp_path: Path) -> None:
    f = made(program(n), tmp_path)
    slope = ccc.value_with_gradient(f, backend=backend)
    for x in (0.4, float(n) - 0.6, float(n) + 2.5):
        value, found = slope(x)
        assert math.isclose(value, f(x), rel_tol=1e-12)
        differences = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert abs(found - differences) <= 1e-5 * (1.0 + abs(differences))


def test_second_derivatives_of_what_nests_deeply(tmp_path: Path) -> None:
    f = made(branches(MANY), tmp_path)
    assert ccc.gradient(ccc.gradient(f))(MANY + 1.0) == 2.0


def test_a_caller_that_is_deep_itself() -> None:
    def called(n: int, x: float) -> float:
        return ccc.gradient(lambda x: math.sin(x) * x)(x) if n == 0 else called(n - 1, x)

    at = 0
    with pytest.raises(RecursionError):
        while at < 100_000:
            called(at, 1.0)
            at += 50
    assert at >= 850


def test_a_warning_stands_at_the_call(tmp_path: Path) -> None:
    f = made(calls(MANY).replace("x * x", "x * 0.0 + 2.0").replace("return g0(x) * 1.01", "return 2.0"), tmp_path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ccc.gradient(f)(1.0)
    assert [Path(each.filename).name for each in told] == [Path(__file__).name]


def test_a_refusal_stands_at_its_place(tmp_path: Path) -> None:
    f = made(calls(MANY).replace("x * x", "open(x)"), tmp_path)
    with pytest.raises(ccc.CCCError) as raised:
        ccc.gradient(f)(1.0)
    assert "program.py:2:12" in str(raised.value) and "CC060" not in str(raised.value)


def test_a_run_on_a_larger_stack_holds_the_lock_for_its_owner() -> None:
    def depth(n: int) -> int:
        if n == 0:
            with LOCK:
                return 0
        return 1 + depth(n - 1)

    with LOCK:
        assert deep(lambda: depth(5000)) == 5000
    taken = []
    other = threading.Thread(target=lambda: taken.append(LOCK.acquire(blocking=False)))
    with LOCK:
        other.start()
        other.join()
    assert taken == [False]


def test_numpy_code_that_is_written_late_waits_for_who_makes_code_and_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started, holding, found = threading.Event(), threading.Event(), list[Any]()

    def emit(*args: Any) -> Any:
        started.set()
        holding.wait(1)  # as it needs the larger stack, for which it asks for the lock
        if not is_larger():
            raise RecursionError
        return None

    for name, replaced in (("emit", emit), ("load", lambda code: lambda: "called"), ("dispose", lambda program: None)):
        monkeypatch.setattr(numpy_target, name, replaced)
    late = numpy_target.Late(None, False)  # type: ignore[arg-type]

    def making() -> None:
        started.wait()
        with LOCK:
            holding.set()
            found.append(late())

    threads = [threading.Thread(target=run, daemon=True) for run in (lambda: found.append(late()), making)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == ["called", "called"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:.*fork:RuntimeWarning")
def test_a_process_that_is_forked_while_another_thread_makes_code_makes_its_own() -> None:
    from ccc.locks import Lock

    other, mine, held, over = Lock(), Lock(), threading.Event(), threading.Event()

    def making() -> None:
        with LOCK, other:
            held.set()
            over.wait()

    thread = threading.Thread(target=making)
    thread.start()
    held.wait()
    with mine:
        pid = os.fork()
        if pid == 0:
            free = all(lock.acquire(blocking=False) for lock in (LOCK, other))
            taken = threading.Thread(target=lambda: os._exit(1 if mine.acquire(blocking=False) else 0 if free else 2))
            taken.start()
            taken.join()
        _, status = os.waitpid(pid, 0)
    assert not other.acquire(blocking=False)
    over.set()
    thread.join()
    assert status == 0


def test_what_has_no_end_is_refused_on_a_larger_stack_too() -> None:
    def without_end(x: float, n: int) -> float:
        return without_end(x, n + 1)

    with pytest.raises(RecursionError):
        deep(lambda: without_end(1.0, 0))


INTERRUPTED = """
import signal, sys, threading
from ccc.compile.program.deep import on_a_larger_stack

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

def without_end(n):
    if n:
        return without_end(n - 1)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    while True:
        try:
            depth(50)
        except RecursionError:
            depth(50)

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
limit = sys.getrecursionlimit()
try:
    on_a_larger_stack(lambda: without_end(5000), RecursionError())
except KeyboardInterrupt as error:
    print(type(error).__name__, on_a_larger_stack(lambda: depth(5000), RecursionError()))
    print(threading.active_count(), sys.getrecursionlimit() == limit)
"""


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "RuntimeError"])
def test_what_runs_on_a_larger_stack_ends_where_the_one_who_waits_is_interrupted(kind: str) -> None:
    """Where the limit was taken back under it, Python itself ended: `Cannot recover from stack overflow`."""
    script = INTERRUPTED.replace("KeyboardInterrupt", kind)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (0, f"{kind} 5000\n1 True\n"), ran.stderr
