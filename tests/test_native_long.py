"""Long straight programs of arrays: nothing recurses as deep as they are long, and nothing is tried again and again."""

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree, modules
from native_lines import function, instructions

import ccc
from benchmarks.generated import load, source
from ccc.compile.native import elementwise_fusion, target, variants
from ccc.compile.native.batched_allocations import at_once
from ccc.compile.native.functions import Code
from ccc.compile.native.split_functions import in_stretches

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

STEPS = (
    "v * 0.99 + 0.01", "np.sin(v)", "v[::-1] * 0.5", "(v + np.mean(v)) * 0.5", "np.where(v > 0.2, v * 0.9, v)",
    "v.reshape(3, 4).reshape(12)", "np.expand_dims(v, 0)[0]", "np.roll(v, 1)", "np.stack([v[::2], v[1::2]]).ravel()",
)  # fmt: skip


def chain(step: str, times: int, folder: Path) -> Callable[..., Any]:
    """A function of an array that takes a step so many times, written out."""
    head, last = ["import numpy as np", "", "", "def long_function(v):"], "    return np.sum(v)\n"
    return load("\n".join([*head, *[f"    v = {step}"] * times, last]), folder)


@pytest.mark.share(2)
@pytest.mark.parametrize("step", STEPS)
def test_long_chains(step, tmp_path):
    gradients_agree(chain(step, 30, tmp_path), np.linspace(0.1, 0.9, 12))


@pytest.mark.share(4)
@pytest.mark.parametrize("step", ["np.sin(v)", "v.T + 0.5", "v.reshape(4, 3).reshape(3, 4)", "np.expand_dims(v, 0)[0]"])
def test_chains_longer_than_calls_may_nest(step, tmp_path):
    f, x = chain(step, 250, tmp_path), np.linspace(0.1, 0.9, 12).reshape(3, 4)
    gradients_agree(f, x)
    assert ccc.explain(ccc.gradient(f, backend="native"), x).backend == "native"


def test_long_bodies_are_vectors(monkeypatch, tmp_path):
    texts = modules(monkeypatch)
    f = load(source("array", 1000), tmp_path)
    x, y = np.linspace(0.1, 0.9, 21), np.linspace(0.5, 0.7, 21)
    want = ccc.gradient(f, backend="numpy")(x, y)
    np.testing.assert_allclose(ccc.gradient(f, backend="native")(x, y), want, rtol=1e-9)
    lanes = target.engine.cpu().lanes
    assert not lanes or texts[-1].count(f"fmul <{lanes} x double>") > 1000


def test_each_operation_is_tried_in_few_loops(monkeypatch, tmp_path):
    """Though none of the loops before it is closed."""
    tried: list[int] = []
    group = elementwise_fusion.Group
    written = group.written
    monkeypatch.setattr(group, "written", lambda *args, **kwargs: tried.append(1) or written(*args, **kwargs))
    counts = []
    for times in (20, 40):
        tried.clear()
        ccc.gradient(chain("(v + np.mean(v)) * 0.5", times, tmp_path), backend="native")(np.ones(5))
        counts.append(len(tried))
    assert counts[1] <= 2.2 * counts[0]


def test_no_garbage_is_left_to_be_collected(tmp_path):
    """What a compilation made is freed when it ends."""
    def left(statements: int) -> int:
        gradient = ccc.gradient(load(source("array", statements), tmp_path), backend="native")
        gc.collect()
        gc.disable()
        try:
            gradient(np.linspace(0.1, 0.9, 5), np.linspace(0.5, 0.7, 5))
            return gc.collect()
        finally:
            gc.enable()

    left(10)
    assert left(100) < left(20) + 50


@pytest.mark.share(2)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("n", [0, 12, 80])
def test_stretches_compute_what_the_whole_does(step, n, monkeypatch, tmp_path):
    """With a first call of a small size, with one of a large size, and with one of no items."""
    if ("reshape" in step and n != 12) or ("mean" in step and not n):
        pytest.skip("of other sizes")
    monkeypatch.setattr(variants, "in_stretches", partial(in_stretches, many=2, each=1))
    gradients_agree(chain(step, 6, tmp_path), np.linspace(0.1, 0.9, n))


def test_stretches_that_leave(monkeypatch, tmp_path):
    """What one of them finds, NumPy says."""
    monkeypatch.setattr(variants, "in_stretches", partial(in_stretches, many=2, each=1))
    f = ccc.gradient(chain("v[::-1] + v[3] * np.cumsum(v)", 6, tmp_path), backend="native")
    np.testing.assert_allclose(f(np.ones(5)), ccc.gradient(f.function, backend="numpy")(np.ones(5)))
    with pytest.raises(IndexError):
        f(np.ones(3))


def test_long_programs_are_stretches(monkeypatch, tmp_path):
    texts = modules(monkeypatch)
    gradients_agree(chain("np.cumsum(v) * 0.5", 60, tmp_path), np.linspace(0.1, 0.9, 6))
    assert all(3 < text.count("call i32 @f0_stretch") < 20 for text in texts)
    gradients_agree(chain("np.cumsum(v) * 0.5", 5, tmp_path), np.linspace(0.1, 0.9, 6))
    assert "_stretch" not in texts[-1]


TEXT = """define internal i32 @f0(ptr noalias nonnull %a, i64 %n) {
entry:
  %v1 = alloca i64
  %v2 = alloca [2 x i64]
  %v3 = alloca [2 x i64]
  %p = getelementptr inbounds i64, ptr %v2, i64 1
  %q = getelementptr inbounds i64, ptr %v3, i64 1
  store i64 %n, ptr %q
  store i64 0, ptr %v1
  br label %head1
head1:
  %i = load i64, ptr %v1
  %j = add i64 %i, 1
  store i64 %j, ptr %v1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %head1, label %done1
done1:
  %x = load i64, ptr %q
  br label %head2
head2:
  %k = load i64, ptr %p
  %b = getelementptr i8, ptr %a, i64 %k
  store i64 %k, ptr %b
  %again = icmp slt i64 %k, %n
  br i1 %again, label %head2, label %done2
done2:
  ret i32 0
}
"""


def stretches(text: str, simple: bool = False) -> list[str]:
    """The texts of a function and of its stretches."""
    return list(map(str, in_stretches(Code([function(text)], simple), many=2, each=1).pieces))


def test_memory_that_a_later_stretch_points_to_stays():
    """So does what only one stretch names; and no pointer of a stretch is the only one to its memory."""
    whole, first, second = stretches(TEXT)
    assert "%v2 = alloca" in whole and "%v1 = alloca" in first and "%v3 = alloca" in whole
    assert "noalias" in whole and "noalias" not in second and "%p = load ptr" in second


def test_memory_of_one_stretch_is_its_own():
    text = TEXT.replace("  %x = load i64, ptr %q\n", "").replace("%k = load i64, ptr %p", "%k = load i64, ptr %a")
    whole, first, _ = stretches(text)
    assert "alloca [2 x i64]" not in whole and first.count("alloca [2 x i64]") == 2


def test_llvm_does_not_know_indices_where_it_makes_no_vectors():
    assert "asm" not in "".join(stretches(TEXT))
    hidden = "".join(stretches(TEXT, simple=True))
    assert hidden.count('  %i = call i64 asm "", "=r,0"(i64 %i.known)') == 1
    assert "%i.known = load i64, ptr %v1" in hidden


def request(x: str, size: str) -> list[str]:
    """The lines of a request."""
    return [f"  %{x} = call ptr @ccc_alloc(ptr %arena, i64 {size})", f"  %{x}.0 = icmp eq ptr %{x}, null",
            f"  br i1 %{x}.0, label %leave, label %on{x}, !prof !0", f"on{x}:"]  # fmt: skip


SIZES = {
    "%n8": instructions(["%n8 = mul nsw i64 %n, 8"]),
    "%n64": instructions(["%m = mul nsw i64 %n, 8", "%m56 = add nsw i64 %m, 56", "%n64 = and i64 %m56, -64"]),
    "%k8": instructions(["%k8 = mul nsw i64 %k, 8"]),
}


def test_memory_of_one_size_is_requested_at_once():
    """That of whole lines of the cache with that of as many bytes; another size has its own."""
    lines = [*request("a", "%n8"), *request("b", "%k8"), *request("c", "%n64"), *request("d", "%unknown")]
    before, after = [list(map(str, x)) for x in at_once(instructions(lines), SIZES)]
    assert sum("@ccc_alloc" in line for line in before) == 1 and "  %room0.all = mul i64 %room0.size, 2" in before
    assert after == ["  %a = getelementptr [0 x i8], ptr %room0, i64 %room0.size", *request("b", "%k8"),
                     "  %c = getelementptr [1 x i8], ptr %room0, i64 %room0.size", *request("d", "%unknown")]


@pytest.mark.parametrize(
    "around",
    [("head:", "  br i1 %more, label %head, label %done", "done:"),
     ("  br i1 %some, label %then, label %else", "then:", "  br label %join", "else:", "  br label %join", "join:")],
    ids=["loop", "branch"],
)
def test_memory_that_is_requested_again_or_perhaps_is_not_requested_before(around):
    inside = 1 if around[0] == "head:" else 4
    lines = instructions([*around[:inside], *request("a", "%n8"), *request("b", "%n8"), *around[inside:]])
    assert at_once(lines, SIZES) == ([], lines)


def test_requests_at_once_compute_what_single_ones_do(monkeypatch, tmp_path):
    """In stretches of several loops, with arrays of two sizes, and results that are handed out."""
    monkeypatch.setattr(variants, "in_stretches", partial(in_stretches, many=2, each=6))
    texts = modules(monkeypatch)
    for n in (3, 40, 41):
        gradients_agree(chain("np.cumsum(v) * 0.5 + np.sum(np.outer(v, v[:2]), axis=1) * 0.1", 8, tmp_path),
                        np.linspace(0.1, 0.9, n))  # fmt: skip
    assert all("%room0" in text for text in texts[1:])
