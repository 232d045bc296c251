"""`backend="auto"` makes machine code beside calls where there is another processor, and nobody waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from paced_targets import NUMPY, Clock, Paced, begun
from test_native_measuring import code_of, kept, smooth
from test_native_programs import close

import ccc
from ccc.compile.api.measuring import Measuring
from ccc.compile.program import apart
from ccc.compile.program.apart import Apart

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.optimised

X = np.array([0.7, -0.2, 0.4])


def making(monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[Clock, Paced, Any, Measuring]:
    """A gradient whose machine code is being made, and is not there before `waited_for` is set."""
    clock, target = begun(monkeypatch, 2e-3, more.pop("native", 1e-3), spare=True, **more)
    target.waited_for = threading.Event()
    g = ccc.gradient(smooth)
    for _ in range(8):
        g(X)
    measured = code_of(g).measured
    assert measured is not None and measured.making is not None and not measured.making.ended()
    return clock, target, g, measured


def made(target: Paced, measured: Measuring) -> None:
    """Let it be made."""
    assert target.waited_for is not None and measured.making is not None
    target.waited_for.set()
    measured.making.thread.join(60)


def test_calls_go_on_by_numpy_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, target, g, measured = making(monkeypatch)
    expected = g(X)
    assert all([close(g(X), expected) for _ in range(50)]) and clock.calls["native"] == 0
    made(target, measured)
    assert all([close(g(X), expected) for _ in range(20)])
    assert kept(g) == "native" and target.made == 1 and clock.calls == {NUMPY: 59, "native": 20}


def test_it_is_taken_where_calls_have_other_sizes_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, target, g, measured = making(monkeypatch)
    measured.price *= 2.0  # of which a quarter was enough to begin
    larger = np.linspace(0.1, 0.9, 1000)
    expected = ccc.gradient(smooth, backend=NUMPY)(larger)
    assert all([close(g(larger), expected) for _ in range(5)]) and clock.calls["native"] == 0
    made(target, measured)
    assert all([close(g(larger), expected) for _ in range(20)]) and clock.calls["native"] > 0


def test_calls_beside_the_making_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are held up: by them machine code would look the faster here, and it is not."""
    clock, target, g, measured = making(monkeypatch, native=3e-3)
    clock.seconds[NUMPY] = 0.3
    for _ in range(20):
        g(X)
    made(target, measured)
    clock.seconds[NUMPY] = 2e-3
    for _ in range(20):
        g(X)
    assert kept(g) == NUMPY and "native 3 ms" in ccc.explain(g, X).backend


def test_who_waits_longer_for_a_call_waits_for_the_making(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, _ = begun(monkeypatch, 0.2, 1e-3, spare=True)
    g = ccc.gradient(smooth)
    g(X)
    g(X)
    assert clock.calls == {NUMPY: 1, "native": 1}


@pytest.mark.parametrize("broken", [RuntimeError("no such instruction"), ValueError("a defect")])
def test_what_breaks_meanwhile_is_told_as_ever(monkeypatch: pytest.MonkeyPatch, broken: Exception) -> None:
    _, target, g, measured = making(monkeypatch)
    target.broken = broken
    made(target, measured)
    if isinstance(broken, RuntimeError):
        g(X)
        assert code_of(g).left_to == "LLVM does not take it: no such instruction"
    else:
        with pytest.raises(ValueError, match="a defect"):
            g(X)
        assert code_of(g).left_to == "an error while it was made"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX, where another test has loaded it
def test_a_process_that_is_forked_meanwhile_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    _, target, g, measured = making(monkeypatch)
    expected = g(X)
    assert target.waited_for is not None
    child = os.fork()
    if child == 0:
        target.waited_for = None
        right = all([close(g(X), expected) for _ in range(20)]) and kept(g) == "native"
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    made(target, measured)


def test_work_raises_where_it_is_asked_for() -> None:
    def run() -> None:
        raise KeyError("x")

    work = Apart(run)
    with pytest.raises(KeyError, match="x"):
        work.found()
    assert work.ended()


SCRIPT = """
import numpy as np
import ccc
from ccc.compile.api import choice
from ccc.compile.program import apart

target = choice.candidate()
target.making = lambda lets: 0.0
apart.spare = lambda: True

def f(x):
    y = x
    for k in range(9):
        y = np.tanh(y @ x + np.cumsum(y, axis=k % 2) * np.exp(-y).max(axis=0))
    return np.sum(y)

g = ccc.gradient(f)
x = np.full((9, 9), 0.1)
while not any(work.thread.is_alive() for work in apart._under_way):
    g(x)
print("under way")
"""


def test_a_process_may_end_meanwhile() -> None:
    """LLVM is not taken down below what runs in it."""
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "under way\n", "")


def test_nothing_is_begun_any_more_where_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    apart.go_on()
    monkeypatch.setattr(apart, "_ending", [True])
    with pytest.raises(apart.Ended):
        apart.go_on()
