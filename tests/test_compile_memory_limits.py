"""`memory_limit`: derivatives of loops in bounded memory, by segments that run again."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import ccc
from ccc.compile.api import memory_limits
from ccc.compile.api.memory_limits import Measured, sizes
from ccc.compile.native import target
from ccc.compile.program.lam import Call, Let
from ccc.errors import CCCError

BACKENDS = ["numpy", pytest.param("native", marks=pytest.mark.skipif(bool(target.available()), reason="no LLVM"))]


def steps(x, w, n):
    for i in range(n):
        x = np.sin(x * w) + 0.001 * i * x
    return np.sum(x * x)


def from_and_by(x, w, n):
    for i in range(3, n, 2):
        x = np.tanh(x * w + 0.01 * i)
    return np.sum(x)


def along_rows(x, w, n):
    rows = np.outer(np.arange(1.0, n + 1.0), w)
    for k, row in enumerate(rows):
        x = np.sin(x + row) * np.cos(x * k)
    return np.sum(x * w)


def several_states(x, w, n):
    v, count, total = 0.0 * x, 0, 0.0
    for i in range(n):
        a = -np.sin(x) * w
        if i % 3 == 0:
            v = v + 0.01 * a
            count += 1
        x = x + 0.1 * v
        total += np.sum(x) * count
    return total + np.sum(v * v)


def seldom(x, w, n):
    v = 0.0 * x
    for i in range(n):
        if i % 3 == 0:
            v = v - 0.01 * np.sin(x) * w
        x = x + 0.1 * v
    return np.sum(v * v)


def within_each_other(x, w, n):
    for _ in range(n):
        for _ in range(3):
            x = np.sin(x) * w
        x = np.exp(-x * x)
    return np.sum(x)


def one_after_the_other(x, w, n):
    y = x
    for _ in range(n):
        x = np.sin(x) + w
    for _ in range(2 * n):
        y = np.cos(y) * w
    return np.sum(x * y)


PROGRAMS = [steps, from_and_by, along_rows, several_states, seldom, within_each_other, one_after_the_other]
X, W = np.linspace(0.1, 1.0, 300), np.linspace(0.9, 1.1, 300)
RUNS = 60


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("limit", [120_000, 10_000_000])
def test_values_are_the_same_bit_for_bit_and_gradients_up_to_the_order_of_sums(f, backend, limit):
    bounded = ccc.value_with_gradient(f, wrt=("x", "w"), backend=backend, memory_limit=limit)
    plain = ccc.value_with_gradient(f, wrt=("x", "w"), backend=backend)
    for n in (RUNS, 5, 30):
        (value, parts), (wanted, others) = bounded(X, W, n), plain(X, W, n)
        assert value == wanted
        for part, other in zip(parts, others, strict=True):
            np.testing.assert_allclose(part, other, rtol=1e-12, atol=1e-13)


def in_place(x, n):
    for _ in range(n):
        x[::2] *= 0.9
        x = x.copy()
    return np.sum(x * x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("limit", [3000, 300_000])
def test_what_a_function_changes_is_written_back(backend, limit):
    bounded = ccc.value_with_gradient(in_place, wrt="x", backend=backend, memory_limit=limit)
    plain = ccc.value_with_gradient(in_place, wrt="x", backend=backend)
    x, y = np.linspace(0.1, 1.0, 30), np.linspace(0.1, 1.0, 30)
    (value, slopes), (wanted, others) = bounded(x, 20), plain(y, 20)
    assert value == wanted
    np.testing.assert_array_equal(x, y)
    np.testing.assert_allclose(slopes, others, rtol=1e-12)


@pytest.mark.share(2)
@pytest.mark.parametrize("each", [3, 4])
@pytest.mark.parametrize("f", [several_states, seldom])
def test_machine_code_of_segments_of_any_number_of_runs(f, each, monkeypatch):
    """What the runs of a segment carry lies in memory that is taken from that of the loop over the segments, which is
    cut back between two of them."""
    monkeypatch.setattr(memory_limits, "sizes", lambda loop, room: [each])
    plain = ccc.value_with_gradient(f, wrt=("x", "w"), backend="numpy")
    bounded = ccc.value_with_gradient(f, wrt=("x", "w"), backend="native", memory_limit=100)
    for n in (6, 15, 30):
        (value, parts), (wanted, others) = bounded(X, W, n), plain(X, W, n)
        assert value == pytest.approx(wanted, rel=1e-13)
        for part, other in zip(parts, others, strict=True):
            np.testing.assert_allclose(part, other, rtol=1e-11, atol=1e-13)


def test_other_sizes_are_parted_anew():
    bounded = ccc.gradient(steps, wrt="x", backend="numpy", memory_limit=120_000)
    for size in (10, 300, 400):
        x, w = np.linspace(0.1, 1.0, size), np.ones(size)
        np.testing.assert_allclose(bounded(x, w, RUNS), ccc.gradient(steps, wrt="x")(x, w, RUNS), rtol=1e-12)


def peak(f, *args):
    f(*args)
    tracemalloc.start()
    try:
        f(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("limit", [400_000, 800_000])
def test_numpy_takes_no_more_than_the_limit_beside_what_a_run_takes(limit):
    x, n = np.linspace(0.1, 1.0, 2000), 200
    arrays = 8 * x.nbytes
    whole = peak(ccc.gradient(steps, wrt="x", backend="numpy"), x, x, n)
    assert whole > n * x.nbytes
    assert peak(ccc.gradient(steps, wrt="x", backend="numpy", memory_limit=limit), x, x, n) < limit + arrays


RESIDENT = """
import sys
import numpy as np, ccc
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
def steps(x, n):
    for i in range(n):
        x = np.sin(x) * 1.1
    return np.sum(x)
limit = int(sys.argv[1]) or None
gradient = ccc.gradient(steps, wrt="x", backend="native", memory_limit=limit)
gradient(np.ones(10_000), 4)
before = peak()
gradient(np.ones(10_000), 2000)
print(peak() - before)
"""


@pytest.mark.skipif(bool(target.available()) or sys.platform != "linux", reason="no LLVM, or other units")
def test_a_process_takes_no_more_than_the_limit(tmp_path):
    script = tmp_path / "resident.py"
    script.write_text(RESIDENT, "utf-8")
    whole, bounded = [
        int(subprocess.run([sys.executable, script, str(n)], capture_output=True, text=True, check=True).stdout)
        for n in (0, 16_000_000)]  # fmt: skip
    assert whole > 100_000  # KiB, of the 156,250 of 2,000 runs of 80,000 bytes
    assert bounded < 30_000


def test_explain_tells_of_segments():
    explained = ccc.explain(ccc.gradient(steps, wrt="x", memory_limit=60_000), X, W, RUNS)
    assert "memory_limit=60,000" in explained.memory and f"{RUNS} runs in segments of" in explained.memory
    held = int(explained.memory.partition("holds ")[2].partition(" ")[0].replace(",", ""))
    assert held < 60_000 + 4 * X.nbytes
    whole = ccc.explain(ccc.gradient(steps, wrt="x", memory_limit=10**9), X, W, RUNS)
    assert "segments" not in whole.memory and "memory_limit=1,000,000,000" in whole.memory


def test_a_limit_that_is_too_small_is_refused_with_one_that_is_not():
    with pytest.raises(CCCError, match=r"at least by checkpoints.*memory_limit=100") as refused:
        ccc.gradient(steps, wrt="x", memory_limit=100)(X, W, RUNS)
    enough = int(str(refused.value).rpartition("memory_limit=")[2])
    ccc.gradient(steps, wrt="x", memory_limit=enough)(X, W, RUNS)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", True])
def test_a_limit_is_a_number_of_bytes(limit):
    with pytest.raises(CCCError, match="memory_limit is a number of bytes"):
        ccc.gradient(steps, memory_limit=limit)


def test_every_reverse_verb_takes_it():
    wanted = ccc.gradient(steps, wrt="x")(X, W, RUNS)
    np.testing.assert_allclose(ccc.grad(steps, memory_limit=120_000)(X, W, RUNS), wanted, rtol=1e-12)
    np.testing.assert_allclose(ccc.value_and_grad(steps, memory_limit=120_000)(X, W, RUNS)[1], wanted, rtol=1e-12)
    _, pullback = ccc.value_with_pullback(steps, wrt="x", memory_limit=120_000)(X, W, RUNS)
    np.testing.assert_allclose(pullback(1.0), wanted, rtol=1e-12)


@pytest.mark.parametrize("runs", [4, 10, 100, 1000])
@pytest.mark.parametrize("room", [120, 300, 1000, 5000])
def test_segments_fit(runs, room):
    loop = Measured(Let(Call(), []), runs, 8, 24)
    found = sizes(loop, room)
    if found is None:
        assert loop.least() > room
    elif not found:
        assert runs * 24 <= room
    else:
        counts = [-(-a // b) for a, b in zip([runs, *found], found, strict=False)]
        assert (sum(counts) + 3 * len(found)) * 8 + found[-1] * 24 <= room


def test_xla_keeps_the_limit_that_it_is_given(monkeypatch):
    pytest.importorskip("jax")
    from ccc.compile.xla import xla_target

    seen = []
    within = xla_target.tape_limit
    monkeypatch.setattr(xla_target, "tape_limit", lambda nbytes: (seen.append(nbytes), within(nbytes))[1])
    found = ccc.gradient(steps, wrt="x", backend="xla", memory_limit=120_000)(X, W, RUNS)
    np.testing.assert_allclose(found, ccc.gradient(steps, wrt="x")(X, W, RUNS), rtol=1e-12)
    assert seen == [120_000]


def test_what_raises_is_not_parted():
    def watched(x, n):
        for _ in range(n):
            if np.max(x) > 1e9:
                raise OverflowError("too large")
            x = np.sin(x)
        return np.sum(x)

    with pytest.raises(CCCError, match="memory_limit=1,000"):
        ccc.gradient(watched, wrt="x", memory_limit=1000)(np.ones(30), 100)


def test_what_nobody_knows_before_the_run_is_told():
    def noisy(x, n, rng):
        for _ in range(n):
            x = x * rng.normal(size=3)
        return np.sum(x)

    bounded = ccc.gradient(noisy, wrt="x", memory_limit=1000)
    given = np.ones(3), 100, np.random.default_rng(0)
    assert "beside what is not known before it runs" in ccc.explain(bounded, *given).memory
