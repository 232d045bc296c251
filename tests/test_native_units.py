"""Long modules in units: each is a module of its own, and together they are what the whole was."""

from __future__ import annotations

import ctypes
import os
import re
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import EPS
from native_checks import ULPS, codes, never_left

import ccc
from benchmarks.generated import load, source
from ccc.compile.native import emission, engine, store, target, threads, units, variants
from ccc.compile.native.code import Call, Load, Operation
from ccc.compile.native.functions import Code, Constant, Function, Param, Return, Written
from ccc.compile.native.split_functions import in_stretches

pytestmark = [pytest.mark.optimised, pytest.mark.skipif(bool(target.available()), reason="no native code here")]

X, Y = np.linspace(0.1, 0.9, 21), np.linspace(0.5, 0.7, 21)


@pytest.fixture
def long_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """It is divided into stretches of fewer loops than others are: so it need not be as long."""
    monkeypatch.setattr(variants, "in_stretches", partial(in_stretches, many=64, each=8))
    return load(source("sums", 300), tmp_path)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many units each module is made in."""
    counts: list[int] = []
    codes = engine.object_codes

    def seen(irs: list[str], *args: Any) -> list[bytes]:
        counts.append(len(irs))
        return codes(irs, *args)

    monkeypatch.setattr(engine, "object_codes", seen)
    return counts


@pytest.mark.share(3)
@pytest.mark.parametrize("processors", [1, 2, 3])
def test_units_compute_what_the_module_does(monkeypatch, long_function, made, processors):
    monkeypatch.setattr(engine, "processors", lambda: processors)
    want = ccc.gradient(long_function, backend="numpy")(X, Y)
    np.testing.assert_allclose(ccc.gradient(long_function, backend="native")(X, Y), want, rtol=1e-9)
    assert max(made) == processors


def test_each_function_is_defined_in_one_unit(monkeypatch, long_function):
    made = codes(monkeypatch)
    ccc.gradient(long_function, backend="native")(X, Y)
    code = next(code for code in made if units.STRETCH in str(code))
    parts = units.in_units(code, 3)
    defined = [re.findall(r"^define [^@\n]*@(\w+)\(", part, re.M) for part in parts]
    program = [[name for name in names if not name.startswith("ccc_")] for names in defined]
    assert len(parts) == 3 and sum(map(len, program)) == len({name for names in program for name in names})
    assert all(units.STRETCH in name for names in program[1:] for name in names)
    names = re.findall(r"^define [^@]*@(\w+)", str(code), re.M)
    assert sum(map(len, program)) == len([name for name in names if name[:4] != "ccc_"])
    assert max(map(len, parts)) < 1.3 * min(map(len, parts))


def steady(statements: int) -> str:
    """The source of a function of arrays that brings what is near nearer, so that no rounding error grows in it; all of
    its values are in its result."""
    forms = "np.tanh({a}) * 0.5 + y * np.mean({b}) * 0.25", "{a}[::-1] * 0.5 + np.sin({b} + x) * 0.25"
    lines = ["import numpy as np", "", "", "def long_function(x, y):", "    v0, v1 = x * y, x - y"]
    lines += [f"    v{i} = {forms[i % 2].format(a=f'v{i - 1}', b=f'v{i - 2}')}" for i in range(2, statements)]
    return "\n".join([*lines, f"    return np.sum({' + '.join([f'v{i}' for i in range(statements)])})", ""])


def test_units_that_threads_share_loops_of(monkeypatch, tmp_path, made):
    monkeypatch.setattr(variants, "in_stretches", partial(in_stretches, many=64, each=8))
    f = load(steady(80), tmp_path)
    x, y = np.linspace(0.1, 0.9, 50_000), np.linspace(0.5, 0.7, 50_000)
    want = np.array(ccc.gradient(f, backend="numpy")(x, y))
    monkeypatch.setattr(engine, "processors", lambda: 2)
    codes_made = codes(monkeypatch)
    before = threads.COUNT.value
    threads.COUNT.value = 2
    try:
        with never_left():
            found = ccc.gradient(f, backend="native")(x, y)
    finally:
        threads.COUNT.value = before
    np.testing.assert_allclose(found, want, rtol=0.0, atol=ULPS * EPS * np.max(np.abs(want)))
    assert max(made) == 2 and all("call i64 @ccc_share(" in unit for unit in units.in_units(codes_made[-1], 2))


def test_units_are_kept_in_a_folder(monkeypatch, tmp_path, long_function, made):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "objects"))
    monkeypatch.setattr(engine, "processors", lambda: 2)
    first = ccc.gradient(long_function, backend="native")(X, Y)
    asked = len(made)
    again = ccc.gradient(long_function, backend="native")(X, Y)
    assert max(made) == 2 and len(made) == asked and np.array_equal(first, again)


def two(x: str) -> Code:
    """A module with two stretches, of which the one adds `x` to its argument, the other a constant to its double."""
    called = [Call("i64", "f_stretch0", ("i64",), ("%x",), name="%a"),
              Call("i64", "f_stretch1", ("i64",), ("%a",), name="%b")]  # fmt: skip
    double = Written("i64", "ccc_twice", "(i64 %x)", " {\n  %y = mul i64 %x, 2\n  ret i64 %y\n}")
    given = [Param("i64", "%x")]
    first = [Operation("i64", "add", "%x", x, name="%y"), Return("i64", "%y")]
    second = [Load("i64", "@small", name="%c"), Call("i64", "ccc_twice", ("i64",), ("%x",), name="%z"),
              Operation("i64", "add", "%z", "%c", name="%y"), Return("i64", "%y")]  # fmt: skip
    return Code([
        Function("f", given, [*called, Return("i64", "%b")], "", "i64"), double,
        Function("f_stretch0", given, first, "", "i64"), Constant("small", "internal constant i64 5"),
        Function("f_stretch1", given, second, "", "i64"),
    ])  # fmt: skip


@pytest.mark.parametrize("guarded", [False, True])
def test_functions_and_constants_of_other_units(monkeypatch, guarded):
    """Also where the function of LLVM without a lock is not found."""
    if guarded:
        monkeypatch.setattr(emission, "unguarded", lambda: None)
    parts = units.in_units(two("1"), 2, least=1)
    assert len(parts) == 2 and "@small" not in parts[0].split("define", 1)[1]
    loaded = engine.load(engine.object_codes(parts), ["f"])
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded["f"])(3) == 2 * (3 + 1) + 5


def test_what_llvm_does_not_take_is_said(monkeypatch):
    with pytest.raises(RuntimeError, match="nothing"):
        engine.object_codes(units.in_units(two("%nothing"), 2, least=1))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:.*fork:RuntimeWarning")
def test_no_process_is_forked_while_llvm_emits_code():
    emits, over = threading.Event(), threading.Event()

    def emitting() -> None:
        with emission.EMISSIONS.one_more():
            emits.set()
            time.sleep(0.2)
            over.set()

    thread = threading.Thread(target=emitting)
    thread.start()
    emits.wait()
    pid = os.fork()
    if pid == 0:
        with emission.EMISSIONS.one_more():
            os._exit(0 if over.is_set() else 1)
    _, status = os.waitpid(pid, 0)
    thread.join()
    assert status == 0
