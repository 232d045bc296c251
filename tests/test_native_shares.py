"""Loops that several threads share: right for all sizes, and with the same digits for all numbers of threads."""

from __future__ import annotations

import ctypes
import math
import os
import re
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_checks import modules, near
from test_native_entries import only_code

import ccc
from ccc.compile.api import wrapper
from ccc.compile.native import engine, parallel_parts, threads
from ccc.compile.program import apart

pytest.importorskip("llvmlite")

CALL = f"call i64 @{parallel_parts.SHARE}("
SIZES = (1, 63, 255, 256, 257, 320, 1001, 2048, 5003)
"""A part has 64 runs at least here, and four parts are shared."""
PART = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
SHARE = ctypes.CFUNCTYPE(ctypes.c_int64, PART, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3)


CYCLES = parallel_parts.CYCLES


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules of programs that LLVM is given, where short loops are shared too."""
    monkeypatch.setattr(parallel_parts, "CYCLES", 1)
    return modules(monkeypatch)


@pytest.fixture
def counts() -> Iterator[Callable[[int], None]]:
    """Sets how many threads there are."""
    before = threads.COUNT.value

    def set_count(n: int) -> None:
        threads.COUNT.value = n

    yield set_count
    threads.COUNT.value = before


def bump(x: np.ndarray) -> float:
    return np.sum(np.tanh(x) * np.exp(-x * x))


def softened(x: np.ndarray) -> float:
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def spread(x: np.ndarray, y: np.ndarray) -> Any:
    return np.max(x * y), np.min(x - y), np.sum(x * x), np.prod(1.0 + 1e-3 * y), x * y + 2.0


def compared(x: np.ndarray, y: np.ndarray) -> Any:
    return x > y, np.any(x > y + 2.9), np.all(x < y + 3.0), np.where(x > y, x, y), np.isnan(x)


def scaled(x: np.ndarray, c: float, on: bool) -> Any:
    s = np.sum(x * c)
    if on:
        t = np.sin(x) * s
        return t, np.sum(t * t), c > 0.5
    return x, s, c > 0.5


def counted(n: np.ndarray, d: np.ndarray) -> Any:
    return n // d, np.sum(n * d), n + d


CASES: list[tuple[Callable[..., Any], Callable[..., Any], int]] = [
    (bump, ccc.value_with_gradient, 1),
    (softened, ccc.value_with_gradient, 1),
    (spread, ccc.compiled, 2),
    (compared, ccc.compiled, 2),
    (scaled, lambda f, **kw: lambda x: ccc.compiled(f, **kw)(x, 0.75, True), 1),
]


def flat(x: Any) -> list[np.ndarray]:
    return [a for part in x for a in flat(part)] if isinstance(x, tuple) else [np.asarray(x)]


def test_values_are_those_of_numpy_and_digits_those_of_one_thread(
    made: list[str], counts: Callable[[int], None]
) -> None:
    rng = np.random.default_rng(7)
    for f, verb, args in CASES:
        code, plain = verb(f, backend="native"), verb(f, backend="numpy")
        del made[:]
        for n in SIZES:
            xs = [rng.normal(size=n) for _ in range(args)]
            found = []
            for threads_ in (1, 2, 3, 8):
                counts(threads_)
                found.append(code(*xs))
            assert not near(plain, xs, found[0], plain(*xs)), (f.__name__, n)
            for other in found[1:]:
                assert all(map(np.array_equal, flat(found[0]), flat(other))), (f.__name__, n)
        assert any(CALL in text for text in made), f.__name__


def points(x: np.ndarray, y: np.ndarray) -> Any:
    """Rows of three numbers, with what is broadcast to them and sums of their columns."""
    z = np.tanh(x * y[0] - np.mean(y, axis=0))
    s = np.sum(z * y[:1])
    return np.sum(z * z, axis=0), z + s, np.sum(z * y), s


def test_digits_of_short_rows_are_those_of_one_thread(made: list[str], counts: Callable[[int], None]) -> None:
    code, plain = [ccc.compiled(points, backend=backend) for backend in ("native", "numpy")]
    for n in (7, 20_000, 100_003, 300_001):
        xs = np.random.default_rng(n).normal(size=(2, n, 3))
        found = []
        for threads_ in (1, 2, 3, 8):
            counts(threads_)
            found.append(code(*xs))
        assert not near(plain, [*xs], found[0], plain(*xs)), n
        for other in found[1:]:
            assert all(map(np.array_equal, flat(found[0]), flat(other))), n
    assert any(CALL in text for text in made)


def stepped(x: np.ndarray, y: np.ndarray) -> Any:
    """Steps in time, of which each is long."""
    x = x.copy()
    for _ in range(3):
        x[1:-1, 1:-1] = x[1:-1, 1:-1] + 0.1 * (x[2:, 1:-1] + x[:-2, 1:-1] - 2.0 * x[1:-1, 1:-1]) * y[1:-1, 1:-1]
        x = x / np.sqrt(np.sum(x * x, axis=1, keepdims=True)) + 0.1 * np.tanh(y)
    return np.sum(x * y)


def test_loops_in_loops_are_shared_where_they_are_long(
    made: list[str], counts: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_parts, "CYCLES", CYCLES)
    shared = []
    for n in (900, 40):
        wrapper.forget()
        del made[:]
        xs = np.random.default_rng(n).uniform(0.5, 1.0, size=(2, n, n))
        code, plain = [ccc.gradient(stepped, wrt=["x", "y"], backend=backend) for backend in ("native", "numpy")]
        found = []
        for threads_ in (1, 3):
            counts(threads_)
            found.append(code(*xs))
        for a, b, c in zip(*found, plain(*xs), strict=True):
            assert np.array_equal(a, b)
            np.testing.assert_allclose(a, c, rtol=1e-10, atol=1e-12)
        shared.append(made[0].count(CALL))
    assert shared[0] > shared[1] + 4


def normalised(x: np.ndarray) -> Any:
    z = (x - np.mean(x, axis=0)) / np.sqrt(np.var(x, axis=0) + 0.1)
    return np.sum(np.tanh(z * z - x[0]))


def attended(x: np.ndarray) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p * p) + np.sum(np.sum(p, axis=0) ** 2) + np.sum(np.cumsum(np.sum(x, axis=1)) * 1e-3)


def smoothed(x: np.ndarray) -> Any:
    dx, dy = np.diff(x, axis=0), np.diff(x, axis=1)
    return np.sum(np.sqrt(dx[:, 1:] ** 2 + dy[1:] ** 2 + 0.1)) + np.sum(x * x)


def far_apart(x: np.ndarray) -> Any:
    d = x[:, None, :] - x[None, :, :]
    return np.sum(np.sqrt(np.sum(d * d, axis=-1) + 0.1))


@pytest.mark.parametrize("f", [normalised, attended, smoothed, far_apart])
def test_rows_are_shared_with_the_same_digits(
    f: Callable[..., Any], made: list[str], counts: Callable[[int], None]
) -> None:
    """Arrays that are made of rows and columns, sums along both, and sums into windows."""
    rng = np.random.default_rng(3)
    code, plain = (ccc.value_with_gradient(f, backend=backend) for backend in ("native", "numpy"))
    del made[:]
    for shape in ((1, 1), (2, 300), (300, 2), (257, 65), (400, 130)):
        if f is far_apart:
            shape = (shape[0], min(shape[1], 3))
        x, found = rng.normal(size=shape), []
        for threads_ in (1, 2, 3, 8):
            counts(threads_)
            found.append(code(x))
        assert not near(plain, [x], found[0], plain(x)), shape
        for other in found[1:]:
            assert all(map(np.array_equal, flat(found[0]), flat(other))), shape
    calls = [re.findall(r"@(f0_part\d+), ", text) for text in made if CALL in text]
    assert calls and len({*calls[-1]}) >= (2 if f is far_apart else 3), calls


def test_extrema_keep_nan_in_any_part(made: list[str], counts: Callable[[int], None]) -> None:
    def extrema(x: np.ndarray) -> Any:
        return np.max(x), np.min(x), np.sum(x)

    f = ccc.compiled(extrema, backend="native")
    counts(3)
    for at in (0, 63, 64, 700, 1000):
        x = np.linspace(-5.0, 5.0, 1001)
        assert f(x)[:2] == (5.0, -5.0)
        x[at] = math.nan
        assert all(map(math.isnan, f(x))), at
    assert CALL in made[-1]


def test_an_infinity_is_where_it_was(made: list[str], counts: Callable[[int], None]) -> None:
    def extrema(x: np.ndarray) -> Any:
        return np.max(x), np.min(x)

    f = ccc.compiled(extrema, backend="native")
    counts(2)
    assert f(np.full(1000, -math.inf)) == (-math.inf, -math.inf)
    assert f(np.full(1000, math.inf)) == (math.inf, math.inf)
    assert CALL in made[-1]


def test_what_one_part_notes_spoils_the_call(made: list[str], counts: Callable[[int], None]) -> None:
    """A division of integers by zero, or one too large, in any part: the call is computed in NumPy."""
    f, plain = ccc.compiled(counted, backend="native"), ccc.compiled(counted, backend="numpy")
    counts(3)
    n = np.arange(1, 1002)
    for at in (None, 0, 500, 1000):
        d = np.full(1001, 3)
        if at is not None:
            d[at] = 0
        with np.errstate(all="ignore"):
            assert all(map(np.array_equal, f(n, d), plain(n, d))), at
        assert not only_code(f).left_to
    assert CALL in made[-1]


def test_a_pullback_is_shared(made: list[str], counts: Callable[[int], None]) -> None:
    def waves(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.sin(x) * y + np.exp(-y)

    f, plain = [ccc.value_with_pullback(waves, backend=backend) for backend in ("native", "numpy")]
    rng = np.random.default_rng(3)
    counts(2)
    for n in (10, 1003, 300):
        x, y, ct = rng.normal(size=(3, n))
        (value, pull), (other, back) = f(x, y), plain(x, y)
        assert np.allclose(value, other, rtol=1e-14, atol=1e-15)
        assert all(np.allclose(a, b, rtol=1e-13, atol=1e-14) for a, b in zip(pull(ct), back(ct), strict=True))
    assert CALL in made[0]


def test_small_arguments_have_loops_that_are_not_shared(made: list[str]) -> None:
    f, x = ccc.gradient(bump, backend="native"), np.linspace(-1.0, 2.0, 5003)
    once = f(x[:100])
    assert len(made) == 1 and CALL not in made[0]
    large = f(x)
    assert len(made) == 2 and CALL in made[1]
    assert np.array_equal(f(x[:100]), once) and np.array_equal(f(x), large)
    assert np.array_equal(large[:100], f(x[:100]))
    assert len(made) == 2


def test_variants_are_three_at_most(made: list[str]) -> None:
    f, plain = [ccc.value_with_gradient(bump, backend=backend) for backend in ("native", "numpy")]
    for n in (10, 12, 200, 5003, 12, 10, 200, 256, 5003):
        x = np.linspace(-1.0, 2.0, n)
        (a, da), (b, db) = f(x), plain(x)
        assert abs(a - b) < 1e-12 * n and np.allclose(da, db, rtol=1e-13, atol=1e-14)
    assert [CALL in text for text in made] == [False, False, True]


def test_loops_that_are_longer_than_the_arguments_are_shared_from_the_first_call_on(made: list[str]) -> None:
    def table(n: int) -> np.ndarray:
        return np.exp(-np.arange(n) * 1e-2)

    assert np.allclose(ccc.compiled(table, backend="native")(2000), np.exp(-np.arange(2000) * 1e-2), rtol=1e-14)
    assert CALL in made[0]


def test_short_loops_in_loops_are_not_shared(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_parts, "CYCLES", CYCLES)

    def steps(x: np.ndarray, k: int) -> np.ndarray:
        for _ in range(k):
            x = np.sin(x) * 1.5
        return x

    x = np.linspace(-1.0, 1.0, 1000)
    y = x
    for _ in range(3):
        y = np.sin(y) * 1.5
    assert np.allclose(ccc.compiled(steps, backend="native")(x, 3), y, rtol=1e-13)
    assert CALL not in made[0]


# -- who takes which part ------------------------------------------------------------------------------------------


KEPT: list[Any] = []
"""Code that threads wait in until the process ends."""


def taken(share: Any, count: int, least: int) -> tuple[int, list[tuple[int, int, int]], set[int]]:
    """How many parts there are, which they are, with their cells, and the threads that took them."""
    found: list[tuple[int, int, int]] = []
    workers: set[int] = set()

    def part(context: int, start: int, stop: int, cell: int) -> None:
        assert context == 1 << 20
        found.append((start, stop, cell))
        workers.add(threading.get_native_id())

    parts = share(PART(part), 1 << 20, 1 << 21, 64, count, least)
    return parts, sorted(found), workers


def test_parts_are_whole_and_follow_from_the_count(counts: Callable[[int], None]) -> None:
    share = own()
    for count, least in ((255, 64), (256, 64), (1000, 64), (1001, 64), (100_000, 64), (100_000, 6400), (3_000_000, 64)):
        found = []
        for n in (1, 2, 3, 8):
            counts(n)
            parts, pieces, workers = taken(share, count, least)
            found.append(pieces)
            assert parts == len(pieces) <= threads.MOST and len(workers) <= n
            assert [start for start, _, _ in pieces] == [0, *[stop for _, stop, _ in pieces[:-1]]]
            assert pieces[-1][1] == count and all(start % threads.GRAIN == 0 for start, _, _ in pieces)
            assert [cell for _, _, cell in pieces] == [(1 << 21) + 64 * k for k in range(parts)]
        assert all(pieces == found[0] for pieces in found)
        assert (len(found[0]) > 1) == (count >= threads.FEW * least)


def test_other_threads_take_parts(counts: Callable[[int], None]) -> None:
    share, meeting = own(), threading.Barrier(3)
    counts(3)
    late: list[int] = []

    def part(context: int, start: int, stop: int, cell: int) -> None:
        if start < 3 * 64 and not late:
            meeting.wait(30)
            late.append(start)

    assert share(PART(part), 0, 0, 0, threads.LONG * 64, 64) == threads.LONG
    assert late


def own() -> Any:
    """`ccc_share` with threads of its own."""
    KEPT.append(threads.sharing(posix()))
    return SHARE(KEPT[-1]["ccc_share"])


def posix(**others: Any) -> dict[str, int]:
    """The addresses of the functions of POSIX, some of which are others."""
    here = ctypes.CDLL(None)
    found = {name: others.get(name) or getattr(here, name) for name in threads.POSIX}
    return {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in found.items()}


@pytest.mark.parametrize("refuses", [True, False])
def test_who_cannot_start_threads_does_all(counts: Callable[[int], None], refuses: bool) -> None:
    create = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(lambda *_: 11)
    loaded = threads.sharing(posix(pthread_create=create) if refuses else {})
    counts(8)
    for _ in range(3):
        parts, pieces, workers = taken(SHARE(loaded["ccc_share"]), 1000, 64)
        assert parts == len(pieces) == 16 and workers == {threading.get_native_id()}


def test_nobody_waits_for_threads_that_begin_late(counts: Callable[[int], None]) -> None:
    """They touch nothing of a call that is over, and take part in the next one."""
    waiting: list[tuple[int, int]] = []

    def create(id_: int, attributes: int, f: int, x: int) -> int:
        waiting.append((f, x))
        return 0

    pointer = ctypes.c_void_p
    forget = ctypes.CFUNCTYPE(ctypes.c_int, pointer)(lambda _: 0)
    made = [ctypes.CFUNCTYPE(ctypes.c_int, *[pointer] * 4)(create), forget]
    loaded = threads.sharing(posix(pthread_create=made[0], pthread_detach=forget))
    share = SHARE(loaded["ccc_share"])
    KEPT.extend([loaded, *made])
    counts(4)
    parts, pieces, workers = taken(share, 1000, 64)
    assert parts == len(pieces) == 16 and workers == {threading.get_native_id()}
    assert len(waiting) == 3
    start = ctypes.CFUNCTYPE(pointer, pointer)
    for f, x in waiting:
        threading.Thread(target=start(f), args=(x,), daemon=True).start()
    met: list[int] = []

    def part(context: int, start: int, stop: int, cell: int) -> None:
        end = time.monotonic() + 30
        met.append(threading.get_native_id())
        while len({*met}) < 2 and time.monotonic() < end:
            time.sleep(0.001)

    assert share(PART(part), 0, 0, 0, threads.LONG * 64, 64) == threads.LONG
    assert len(pieces) == 16 and len({*met}) >= 2
    assert len(waiting) == 3


def test_threads_sleep_and_are_woken(counts: Callable[[int], None]) -> None:
    share = own()
    counts(2)
    for pause in (0.0, 0.0, 0.05, 0.0, 0.2, 0.0):
        time.sleep(pause)
        met: list[int] = []

        def part(context: int, start: int, stop: int, cell: int, met: list[int] = met) -> None:
            end = time.monotonic() + 30
            met.append(threading.get_native_id())
            while len({*met}) < 2 and time.monotonic() < end:
                time.sleep(0.0005)

        assert share(PART(part), 0, 0, 0, threads.LONG * 64, 64) == threads.LONG
        assert len({*met}) == 2


def test_a_short_loop_alone_wakes_nobody(counts: Callable[[int], None]) -> None:
    share = own()
    counts(2)
    for _ in range(3):
        taken(share, threads.LONG * 64, 64)
        time.sleep(0.1)
        assert taken(share, 4 * 64, 64)[2] == {threading.get_native_id()}


def test_nobody_is_asked_for_some_time_who_was_late(counts: Callable[[int], None]) -> None:
    share, late = own(), [True]
    counts(2)
    me = threading.get_native_id()

    def part(context: int, start: int, stop: int, cell: int) -> None:
        end = time.monotonic() + 30
        met.add(threading.get_native_id())
        while len(met) < 2 and time.monotonic() < end and late:
            time.sleep(0.0005)
        if threading.get_native_id() != me and late:
            time.sleep(0.1)

    met = set[int]()
    share(PART(part), 0, 0, 0, threads.LONG * 64, 64)
    assert len(met) == 2
    late.clear()
    assert taken(share, threads.LONG * 64, 64)[2] == {me}
    time.sleep(1.1)
    met, late = set(), [True]
    share(PART(part), 0, 0, 0, threads.LONG * 64, 64)
    assert len(met) == 2


def test_a_call_within_a_part_is_made_alone(counts: Callable[[int], None]) -> None:
    share = own()
    counts(3)
    inner: list[int] = []

    def within(context: int, start: int, stop: int, cell: int) -> None:
        inner.append(start)

    def part(context: int, start: int, stop: int, cell: int) -> None:
        assert share(PART(within), 0, 0, 0, 4 * 64, 64) == 4

    assert share(PART(part), 0, 0, 0, 4 * 64, 64) == 4
    assert sorted(inner) == sorted([64 * k for k in range(4)] * 4)


def test_calls_from_many_threads_at_once(made: list[str], counts: Callable[[int], None]) -> None:
    f = ccc.value_with_gradient(bump, backend="native")
    counts(3)
    xs = [np.linspace(-1.0, 1.0 + k, 20_011) for k in range(32)]
    expected = [f(x) for x in xs]
    assert CALL in made[-1]
    wrong: list[int] = []
    begin = threading.Barrier(32)

    def work(k: int) -> None:
        begin.wait(30)
        for _ in range(20):
            value, dx = f(xs[k])
            if value != expected[k][0] or not np.array_equal(dx, expected[k][1]):
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(32)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not wrong and not any(worker.is_alive() for worker in workers)


FORKING = """
    import os, warnings
    import numpy as np
    import ccc
    from ccc.compile.native import threads

    def bump(x):
        return np.sum(np.tanh(x) * np.exp(-x * x))

    threads.COUNT.value = 3
    f, x = ccc.value_with_gradient(bump, backend="native"), np.linspace(-1.0, 1.0, 1_000_000)
    before = f(x)
    warnings.simplefilter("ignore")
    child = os.fork()
    value, dx = f(x)
    same = value == before[0] and np.array_equal(dx, before[1])
    if not child:
        os._exit(0 if same else 1)
    assert same and os.waitpid(child, 0)[1] == 0
    print("both")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_a_fork_computes_the_same(tmp_path: Any) -> None:
    script = tmp_path / "forking.py"
    script.write_text(textwrap.dedent(FORKING))
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert found.stdout == "both\n", found.stderr


def test_the_environment_says_how_many_threads_there_are() -> None:
    code = "from ccc.compile.native import threads; print(threads.COUNT.value)"
    for asked, n in (({"CCC_THREADS": "1"}, 1), ({"OMP_NUM_THREADS": "1"}, 1), ({}, min(8, engine.processors()))):
        environment = {k: v for k, v in os.environ.items() if k not in threads.VARIABLES} | asked
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert int(run.stdout) == n, asked


@pytest.mark.parametrize(("files", "n"), [
    ({"cpu.max": "150000 100000\n"}, 2), ({"cpu.max": "max 100000\n"}, 16), ({}, 16), ({"cpu.max": "odd"}, 16),
    ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 16),
    ({"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 1)])  # fmt: skip
def test_a_container_has_the_processors_that_it_has_the_time_of(files: dict[str, str], n: int, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert apart.quota(tmp_path, 16) == n
