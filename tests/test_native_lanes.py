"""Loops over the items of arrays, several at once: every remainder, every kind of access, every way to gather."""

import numpy as np
import pytest
from native_checks import at_sizes, codes, gradients_agree
from native_lines import instructions

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.native import cpus, engine, target
from ccc.compile.native.code import Freeze
from ccc.compile.native.masked_loads import in_place
from ccc.compile.native.vectorize_loop import vectors
from ccc.compile.native.writer import Writer

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257]


def chain(x, y):
    return np.exp(-x * x) + y / (1.0 + np.abs(x))


def backwards(x, y):
    return x[::-1] * y[::2].sum() - y


def chosen(x, y):
    return np.where(x > y, np.sin(x), np.maximum(x, y) ** 2)


def masks(x, y):
    return (x > 0.0) & (y < 0.5)


def integers(x, y):
    return np.arange(len(x)) * 2 + 1


def column(x, y):
    return np.outer(x, y)[:, 0] + np.outer(x, y).T[0]


@at_sizes(SIZES, first=17)
@pytest.mark.parametrize("f", [chain, backwards, chosen, masks, integers, column])
def test_items_are_those_of_numpy(f, n):
    if f is column and n == 0:
        return  # there is no first column
    r = np.random.default_rng(n)
    x, y = r.normal(size=n), r.normal(size=n)
    g = Transform(f, backend="native")
    found, expected = g(x, y), f(x, y)
    assert g.codes and not any(code.left_to for codes in g.codes.values() for code in codes)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def total(x):
    return np.sum(x)


def squares(x):
    return np.sum(np.exp(x) * x)


def largest(x):
    return np.max(x) - np.min(x)


def product(x):
    return np.prod(1.0 + 0.01 * x)


def dot(x):
    return x @ x


def mean(x):
    return np.mean(np.tanh(x))


@at_sizes(SIZES[1:], first=9)
@pytest.mark.parametrize("f", [total, squares, largest, product, dot, mean])
def test_what_is_gathered_is_what_numpy_gathers(f, n):
    x = np.random.default_rng(n).normal(size=n)
    np.testing.assert_allclose(Transform(f, backend="native")(x), f(x), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(
        ccc.gradient(f, backend="native")(x), ccc.gradient(f, backend="numpy")(x), rtol=1e-12, atol=1e-13
    )


def test_infinities_and_nans_are_gathered():
    for x in ([1.0, np.inf, 2.0], [1.0, -np.inf] * 9, [np.nan] + [1.0] * 20, [1.0] * 20 + [np.nan], [-0.0] * 9):
        a = np.array(x)
        for f in (total, largest, dot):
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(Transform(f, backend="native")(a), f(a))


@pytest.mark.share(2)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (3, 4), (8, 8), (5, 17), (17, 5), (0, 4), (4, 0)])
@pytest.mark.parametrize(
    "f",
    [
        lambda a: np.sum(a, axis=0),
        lambda a: np.sum(a, axis=1),
        lambda a: np.sum(a * a, axis=1, keepdims=True) + a,
        lambda a: a.T @ a,
        lambda a: a @ np.ones(a.shape[1]),
        lambda a: np.ones(a.shape[0]) @ a,
        lambda a: np.exp(a.T),
        lambda a: np.concatenate([a, 2.0 * a], axis=1),
    ],
)
def test_matrices_are_those_of_numpy(f, shape):
    a = np.random.default_rng(shape[0]).normal(size=shape)
    np.testing.assert_allclose(Transform(f, backend="native")(a), f(a), rtol=1e-13, atol=1e-13)


def test_memory_beyond_the_end_is_not_touched():
    """Results and arguments that end where a page ends would fail otherwise; here their neighbours must stay."""

    def f(x, n):
        a = np.zeros(3 * n)
        a[:n] = x[:n] + 1.0
        a[2 * n :] = np.exp(x[:n])
        return a

    x = np.linspace(0.0, 1.0, 40)
    for n in range(1, 20):
        np.testing.assert_allclose(Transform(f, backend="native")(x, n), f(x, n), rtol=1e-15)


def test_positions_that_repeat_are_added_one_after_the_other():
    def f(x, at):
        return np.sum(x[at] ** 2)

    x, at = np.arange(1.0, 5.0), np.array([0, 1, 1, 1, 3, 0, 0, 2, 2])
    expected = ccc.gradient(f, wrt="x", backend="numpy")(x, at)
    np.testing.assert_allclose(ccc.gradient(f, wrt="x", backend="native")(x, at), expected)


@pytest.mark.parametrize(
    "text",
    [
        ["%a = load double, ptr %p", "%b = fadd double %a, 0x3FF0000000000000", "store double %b, ptr %p"],
        ["%a = call double @rand(double 0x0)", "%q = getelementptr inbounds double, ptr %p, i64 %k",
         "store double %a, ptr %q"],
        ["%q = getelementptr inbounds double, ptr %p, i64 %k", "%a = load double, ptr %q",
         "%c = fcmp ogt double %a, 0x0", "br i1 %c, label %x, label %y", "x:", "br label %y", "y:"],
        ["%a = load double, ptr %v1", "%b = fmul double %a, 0x4000000000000000", "store double %b, ptr %v1"],
    ],
    ids=["a sum whose order counts", "an unknown function", "a test that differs", "what the next run reads"],
)  # fmt: skip
def test_bodies_that_do_not_fit_are_left_as_they_are(text):
    assert vectors(instructions(text), "%k", "%n", Writer("f", []), 8) is None


@pytest.mark.parametrize(("lanes", "passes"), [(4, 2), (8, 1)])
def test_where_masks_cost_whole_vectors_have_none(lanes, passes):
    """The loop stands twice then: how many vectors are whole follows from where its runs begin."""
    text = ["  %at = getelementptr inbounds double, ptr %p, i64 %k", "  %x = load double, ptr %at",
            "  %y = call double @ccc_exp(double %x)", "  %to = getelementptr inbounds double, ptr %q, i64 %k",
            "  store double %y, ptr %to"]  # fmt: skip
    found = vectors(instructions(text), "%k", "%n", Writer("f", [], lanes), lanes, start="%first")
    assert found is not None
    lines = "\n".join(map(str, found.lines))
    assert lines.count(f"@ccc_exp_v{lanes}(") == passes and lines.count("@llvm.masked.store.") == 1
    assert ("sub i64 %n, %first" in lines) == (passes == 2)


def orbit(x, n):
    u, v = x[0], x[1]
    for _ in range(n):
        u, v = u + 0.01 * v * (1.0 - u), v - 0.01 * u * (2.0 - v)
    return u + v


def test_llvm_makes_no_vectors_of_numbers_that_runs_hand_on(monkeypatch):
    found = codes(monkeypatch)
    x = np.array([0.5, 0.25])
    assert ccc.compiled(orbit, backend="native")(x, 50) == pytest.approx(orbit(x, 50), rel=1e-13)
    assert found[-1].simple


def made_in_each_run(x, y):
    """Its reverse reads the cotangent of an item, sets it to zero, and adds what it has read."""
    s = 0.0
    for t in x[:2]:
        w = np.zeros(len(y))
        for k in range(len(y)):
            w[k] = k + y[k]
        for k in range(len(y)):
            s += w[k] * t
    return s


def written_over(x, y):
    w, s = y * 2.0, 0.0
    for t in x[:3]:
        for k in range(len(w)):
            s += w[k]
            w[k] = 0.5 * t
    return s + np.sum(w)


def largest_written_over(x, y):
    w, s = y * 2.0, 0.0
    for t in x[:3]:
        largest = -9.0
        for k in range(len(w)):
            largest = max(largest, w[k])
            w[k] = t * k
        s += largest
    return s + np.sum(w)


@pytest.mark.share(4)
@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("f", [made_in_each_run, written_over, largest_written_over])
def test_what_a_run_reads_is_what_was_there_before_it_writes(f, size):
    rng = np.random.default_rng(size)
    gradients_agree(f, rng.normal(size=3), rng.normal(size=size), precision=1e-11)


def for_llvm(x, y):
    """With a loop that is left to LLVM's vectorisers, and one that writes over what it reads under a condition."""
    a, b, k = y * 1.0, np.zeros(len(x)), np.zeros(len(x), dtype=int)
    for i in range(len(x)):
        k[i] = (i * 7) % 5 + i // 3
    for i in range(len(x)):
        if x[i] > 0:
            t = a[i]
            a[i] = 0.0
        else:
            t = 1.0
        b[i] = t
    s, p = 0, 1
    for i in range(len(x)):
        s += k[i] ** 2
    for i in range(len(x)):
        p = (p * 3 + k[i]) % 1000
    return np.sum(np.tanh(a) * x) + np.sum(np.tanh(b) * y) + s * 1e-3 + p


@pytest.mark.parametrize("size", SIZES)
def test_what_llvm_makes_vectors_of_is_what_was_there_before_it_writes(size, monkeypatch):
    found = codes(monkeypatch)
    rng = np.random.default_rng(size)
    x, y = rng.normal(size=size), rng.normal(size=size)
    assert ccc.compiled(for_llvm, backend="native")(x, y) == pytest.approx(for_llvm(x, y), rel=1e-12)
    assert not found[-1].simple


def test_masked_loads_are_frozen_before_writes_alone():
    read, use, write, own, again = instructions([
        "%x = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %p, i32 8, <8 x i1> %m, <8 x double> poison)",
        "%y = fneg <8 x double> %x", "store <8 x double> %z, ptr %q", "store <8 x double> %z, ptr %v3", "again:",
    ])  # fmt: skip
    assert in_place([read, use, write]) == [read, use, write]
    assert in_place([read, own, use]) == [read, own, use]
    assert isinstance(in_place([read, write, use])[1], Freeze)
    assert isinstance(in_place([again, read, use, write])[2], Freeze)  # the next run of the loop may come back to it


def test_this_cpu_has_lanes_where_llvm_says_so():
    assert engine.cpu().lanes in (0, 4, 8) and cpus.Cpu("", "+avx2").lanes == 4 and cpus.BASELINE.lanes == 0
