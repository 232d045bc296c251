"""Loops in another order, items that are numbers while a loop runs, loops that go forwards: the same values."""

import numpy as np
import pytest
from native_checks import at_sizes, seen

import ccc
from benchmarks.programs.convolution import convolved
from ccc.compile.native import engine, loops as native_loops, target
from ccc.compile.program.lam import Loop, lets_in
from ccc.objects import Real

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def convolved_by_items_of_the_kernel(image, kernel):
    rows, columns = kernel.shape
    out = np.zeros((image.shape[0] - rows + 1, image.shape[1] - columns + 1))
    for i in range(out.shape[0]):
        for a in range(rows):
            for b in range(columns):
                for j in range(out.shape[1]):
                    out[i, j] += image[i + a, j + b] * kernel[a, b]
    return out


def filtered(x, w):
    """With something that depends on the outer run beside the places."""
    y = np.zeros(len(x) - len(w) + 1)
    for j in range(len(x) - len(w) + 1):
        s = 0.0
        for b in range(len(w)):
            s += x[j + b] * w[b] * np.sin(w[b] + j)
        y[j] = np.tanh(s) * j
    return y


def products(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def gradients(f, *args):
    """By machine code, and by NumPy; whether nothing was left to that."""
    def loss(*xs):
        return np.sum(np.cos(f(*xs)) * np.arange(1.0, f(*xs).size + 1).reshape(f(*xs).shape))

    native = ccc.value_with_gradient(loss, backend="native")
    found, expected = native(*args), ccc.value_with_gradient(loss, backend="numpy")(*args)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)
    return [found[0], *found[1]], [expected[0], *expected[1]]


def some(*shape):
    return np.random.default_rng(shape).normal(size=shape)


def agree(f, *args):
    for x, y in zip(*gradients(f, *args), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.share(3)
@pytest.mark.parametrize("f", [convolved, convolved_by_items_of_the_kernel])
@pytest.mark.parametrize(("rows", "columns", "a", "b"), [
    (4, 4, 3, 3), (9, 17, 3, 2), (12, 40, 1, 5), (5, 9, 5, 9), (3, 8, 1, 1), (20, 20, 7, 1),
])  # fmt: skip
def test_convolutions(f, rows, columns, a, b):
    agree(f, some(rows, columns), some(a, b))


@pytest.mark.parametrize(("n", "k"), [(3, 3), (10, 3), (40, 7), (100, 1), (12, 11)])
def test_filters(n, k):
    agree(filtered, some(n), some(k))


def test_other_sizes_than_those_of_the_first_call():
    """What was the longer loop at the first call need not be so later."""
    loss = ccc.gradient(lambda x, w: np.sum(filtered(x, w) ** 2), backend="native")
    slow = ccc.gradient(lambda x, w: np.sum(filtered(x, w) ** 2), backend="numpy")
    for n, k in ((40, 3), (40, 38), (5, 5), (4, 1), (300, 20)):
        for x, y in zip(loss(some(n), some(k)), slow(some(n), some(k)), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (3, 4, 5), (9, 17, 8), (2, 30, 40)])
def test_products_by_loops(n, m, k):
    agree(products, some(n, m), some(m, k))


def loops(lets):
    return [let for let in lets if isinstance(let.op, Loop)]


def test_a_loop_adds_up_in_a_number_what_it_adds_to_one_item(monkeypatch):
    def numbers(lets):
        inner = [let for let in loops(lets) if not loops(lets_in(let.op.body))]
        return [p for let in inner for p in let.op.body.params[: let.op.carries] if isinstance(p.object, Real)]

    def f(image, kernel):
        return np.sum(convolved_by_items_of_the_kernel(image, kernel) ** 2)

    assert len(seen(numbers, f, monkeypatch, some(3, 9), some(2, 3))) == 1


def test_the_longer_loop_becomes_the_inner_one(monkeypatch):
    def along_lists(lets):
        """The loops along a list inside of others."""
        inner = [x for let in loops(lets) for x in loops(lets_in(let.op.body))]
        return [x for x in inner if isinstance(x.op, Loop) and len(x.args) - x.op.carries == 2]

    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    assert seen(along_lists, f, monkeypatch, some(9, 30), some(2, 3))
    assert not seen(along_lists, f, monkeypatch, some(9, 30), some(2, 29))


@pytest.mark.skipif(not engine.available() or not engine.cpu().lanes, reason="no vectors here")
def test_loops_around_a_longer_one_take_one_run_at_a_time(monkeypatch):
    """Where they took several, these would add to what the run before of the longer one has just stored in parts."""
    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    def left(*args):
        """How many loops are not asked whether they could take several."""
        asked, widen = [], native_loops.widen
        with monkeypatch.context() as patch:
            patch.setattr(native_loops, "widen", lambda *given: (asked.append(given), widen(*given)))
            return len(seen(loops, f, monkeypatch, *args)) - len(asked)

    assert left(some(9, 30), some(2, 6)) > 0
    assert left(some(9, 30), some(2, 29)) == 0


def test_short_loops_in_a_longer_one_are_written_out(monkeypatch):
    """There the loop over a row adds to places next to each other, and makes a sum for each item of the kernel."""
    def alone(lets):
        """What loops without loops in them carry, by the number of their lets."""
        inner = [let for let in loops(lets) if not loops(lets_in(let.op.body))]
        return [sum(isinstance(p.object, Real) for p in let.op.body.params[: let.op.carries]) for let in inner]

    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    assert (4 in seen(alone, f, monkeypatch, some(9, 30), some(2, 2))) == (engine.cpu().lanes > 0)
    assert max(seen(alone, f, monkeypatch, some(9, 30), some(5, 6))) <= 1  # too many to be in registers


@pytest.mark.share(2)
@pytest.mark.parametrize("first", [(2, 3), (1, 1), (3, 3), (7, 5)])
def test_short_loops_are_of_other_lengths_later(first):
    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    machine, numpy = [ccc.gradient(f, wrt=(0, 1), backend=backend) for backend in ("native", "numpy")]
    for shape in (first, (3, 2), first, (1, 4), (2, 2)):
        for x, y in zip(machine(some(9, 30), some(*shape)), numpy(some(9, 30), some(*shape)), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


def test_loops_go_forwards_where_their_order_is_free(monkeypatch):
    def carried(x):
        s = 0.0
        for i in range(len(x)):
            s = np.sin(s) + x[i]
        return s

    def backwards(lets):
        return [let for let in loops(lets) if let.op.reverse and not loops(lets_in(let.op.body))]

    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    assert not seen(backwards, f, monkeypatch, some(5, 6), some(2, 3))
    assert seen(backwards, carried, monkeypatch, some(9))


def written_again(x):
    """Each run reads what the run before has written: its order is not free."""
    table = np.zeros((3, len(x)))
    for j in range(1, len(x)):
        table[1, j] = table[1, j - 1] * 0.5 + x[j]
        table[2, 0] = table[1, j]
    return table


def two_places(x):
    """One run writes where another one has read, in another row."""
    table = np.zeros((2, len(x) + 1))
    for j in range(len(x)):
        table[0, j] = x[j] * table[1, j]
        table[1, j + 1] = x[j] + 1.0
    return table


def doubled(x):
    table = np.ones((2, len(x)))
    for j in range(len(x)):
        table[1, j] = 2.0 * table[1, j] + x[j]
    return table


@at_sizes([1, 2, 9, 40], first=9)
@pytest.mark.parametrize("f", [written_again, two_places, doubled])
def test_places_with_two_indices(f, n):
    x = some(n)
    np.testing.assert_allclose(ccc.compiled(f, backend="native")(x), f(x), rtol=1e-14)
    agree(f, x)


def test_items_that_may_not_be_there():
    """No item is named where no run names one."""
    def f(x, n):
        y = np.zeros(3)
        for k in range(n):
            y[5] += x[k]
        return np.sum(y)

    for backend in ("numpy", "native"):
        assert np.array_equal(ccc.gradient(f, wrt="x", backend=backend)(np.ones(2), 0), np.zeros(2))
        with pytest.raises(IndexError):
            ccc.gradient(f, wrt="x", backend=backend)(np.ones(2), 1)


def test_loops_between_places_that_overlap_go_backwards(monkeypatch):
    """Behind the end of a row lies what is read next otherwise."""
    def in_the_middle(lets):
        return [inner for let in loops(lets) for inner in loops(let.op.body.lets) if loops(inner.op.body.lets)]

    def f(image, kernel):
        return np.sum(convolved(image, kernel) ** 2)

    found = seen(in_the_middle, f, monkeypatch, some(5, 9), some(2, 3))
    assert [let.op.reverse for let in found].count(True) == 1
