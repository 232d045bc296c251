"""What random compositions found: each program was wrong, or ended in an exception from inside."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import agrees
from conforming import Unfit, conforming

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import CompileError
from ccc.objects import INT
from ccc.primitives import elementary_numpy, registry

X, ONE, POINT = np.array([0.3, 0.9, -0.4]), np.array([0.7]), np.array(0.6)


def sizes_of_lists(x: Any) -> Any:
    return np.sum(x) * np.ndim([x, x]) + x[0] * np.shape([x, x])[0] + x[1] * np.size((x, x))


def between_arrays(x: Any) -> Any:
    return np.sum(np.sin(np.linspace(x, x[:1] * x, 4)))


def from_a_number(x: Any) -> Any:
    return np.sum(np.sin(np.linspace(1.5, x, 4)))


def axes_of_a_number(x: Any) -> Any:
    return np.sum(np.sin(x)) + np.sum(x[..., None] * x * 1.5)


@pytest.mark.parametrize(("f", "x"), [
    (sizes_of_lists, X), (between_arrays, X), (from_a_number, ONE), (from_a_number, X), (from_a_number, POINT),
])
def test_agrees_with_python_and_with_differences(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_an_array_without_axes_is_indexed_in_a_derivative(backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    gradient = ccc.gradient(axes_of_a_number, backend=backend)
    assert gradient(POINT) == pytest.approx(np.cos(0.6) + 1.8)
    for second in (ccc.value_with_pullback(gradient, backend=backend), ccc.value_with_differential(gradient)):
        assert second(POINT)[1](np.array(1.0)) == pytest.approx(3.0 - np.sin(0.6))


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [
    lambda x: x.take(1), lambda x: np.take(x, 1), lambda x: x[0].copy(), lambda x: x[:1].take(0),
])  # fmt: skip
def test_scalars_of_numpy_stay_scalars(f: Callable[..., Any], backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    found = Transform(f, backend=backend)(X)
    assert type(found) is np.float64 and found == f(X)


def test_values_beside_pullbacks_have_the_bits_of_other_layouts() -> None:
    """What is kept of an argument lay by rows, so that sums of it were in another order."""
    r = np.random.default_rng(0)
    for _ in range(20):
        x = np.asfortranarray(r.normal(size=(7, 9)))
        for f in (lambda x: np.std(x) * 2.0, lambda x: np.sum(np.sin(x.copy()))):
            assert ccc.value_with_pullback(f, backend="numpy")(x)[0] == f(x)


def test_powers_by_a_list_beside_an_array() -> None:
    agrees(lambda x: np.sum(pow(x, [2, 1, 3])), X)
    with pytest.raises(CompileError, match="CC027"):
        ccc.gradient(lambda x: np.sum(pow([2.0, 1.0, 3.0], [2, 1, 3]) * x))(X)  # type: ignore


def cumulative(x: Any) -> Any:
    return np.sum(x[0].cumsum(axis=0) * x)


def rolled_by_truths(x: Any) -> Any:
    return np.sum(np.roll(x, x > 0.5) * x)


def correlated_by_number(x: Any) -> Any:
    return np.sum(np.correlate(x, x[:2], mode=2) ** 2) + np.sum(np.convolve(x, 0.5, 1) * x)  # type: ignore


def converted(x: Any) -> Any:
    return np.sum(np.asarray(x, dtype=float) * x)


@pytest.mark.parametrize(("f", "x"), [
    (cumulative, X), (rolled_by_truths, X), (correlated_by_number, X), (converted, 0.5),
])  # fmt: skip
def test_forms_of_arguments_agree(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [
    lambda x: np.vdot(x, 0.5), lambda x: np.vdot(x, x[:2]), lambda x: np.dot(x[:, None], x[1:]),
    lambda x: np.inner(x[:, None], x[1:]), lambda x: (np.vdot(x, 0.5), x)[1],
])  # fmt: skip
def test_products_do_not_stretch_what_they_sum_over(f: Callable[..., Any], backend: str) -> None:
    """Machine code took a vector of one entry for a longer one, and its derivative read memory that is not its own."""
    if backend == "native":
        pytest.importorskip("llvmlite")
    for run in (Transform(f, backend=backend), ccc.value_with_pullback(f, backend=backend)):
        with pytest.raises(ValueError):
            run(X)


@pytest.mark.parametrize("f", [
    lambda x: np.fliplr(x), lambda x: np.correlate(0.5, 0.5) * x, lambda x: np.searchsorted(x, 0.5, side="valid") * x,  # type: ignore
    lambda x: np.convolve(x, x, mode=3), lambda x: np.correlate(x, x, mode=None),  # type: ignore
])  # fmt: skip
def test_what_numpy_refuses_is_refused_by_name(f: Callable[..., Any]) -> None:
    with pytest.raises(CompileError, match="CC027"):
        Transform(f)(X)


def test_a_pullback_reads_arrays_backwards_where_the_caller_does() -> None:
    """NumPy rounds by the direction; the copy that a pullback keeps went forwards."""
    run = ccc.value_with_pullback(lambda x: np.sum(np.exp(x) * 1.5) + x @ x, backend="numpy")
    r = np.random.default_rng(0)
    for n in (1, 2, 5):
        for _ in range(60):
            x = r.uniform(-2.0, 2.0, n)[::-1]
            assert run(x)[0] == np.sum(np.exp(x) * 1.5) + x @ x


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_scalar_of_numpy_is_squeezed_to_itself(backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    assert type(Transform(lambda x: (0.5 - x).squeeze(), backend=backend)(POINT)) is np.float64


def test_the_sign_of_zero_that_is_subtracted() -> None:
    def f(x: Any) -> Any:
        t = x * 0.0
        np.subtract.at(t, 1, np.argmax(x) * 0)
        return t

    np.testing.assert_array_equal(np.signbit(Transform(f)(-np.abs(X))), np.signbit(f(-np.abs(X))))


TARGETS = pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.skipif(
    importlib.util.find_spec("llvmlite") is None, reason="no LLVM"))])


@TARGETS
@pytest.mark.parametrize("f", [
    lambda x: np.sin(np.vdot(x[:1, None], (2,))), lambda x: np.sin(np.vdot((2,), x[:1, None])),
    lambda x: np.sum(np.sin(np.outer(x, [[2, 1], [1, 3]]))),
    lambda x: np.sum(np.sin(np.dot(x[:2], np.array([[2, 1], [1, 3]], np.int8)))),
])  # fmt: skip
def test_second_derivatives_of_products_with_integers(f: Callable[..., Any], backend: str) -> None:
    """The transpose of a product with integers was typed as integers, whose derivative is zero."""
    gradient = ccc.gradient(f, backend=backend)
    steps = np.eye(3) * 1e-6
    expected = [(gradient(X + h) - gradient(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(ccc.hessian(f, backend=backend)(X), expected, atol=1e-6)


def entry_by_ellipsis(x: Any) -> Any:
    y = x * 0.4
    y[..., 0] += -0.6
    return np.sum(y * y * y)


@TARGETS
def test_reverse_over_reverse_through_an_array_without_axes(backend: str) -> None:
    """The cotangent of a number was a view of an array that changed before it was read."""
    gradient = ccc.gradient(entry_by_ellipsis, backend=backend)
    back = ccc.vjp(gradient, X, backend=backend)[1](np.ones(3))[0]
    np.testing.assert_allclose(back, ccc.jvp(gradient, (X,), (np.ones(3),), backend=backend)[1])


@TARGETS
def test_deviations_that_are_rounding_errors_have_no_direction(backend: str) -> None:
    """The mean of equal numbers may differ from them by their last place, which made a slope of -1."""
    def spread(y: Any) -> Any:
        return np.std(np.stack([y, y, y]))

    y = np.array(0.728)
    assert spread(y) != 0.0
    assert ccc.gradient(spread, backend=backend)(y) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.share(2)
@pytest.mark.parametrize("narrow", [np.int8, np.uint8, np.int16, np.float16])
@pytest.mark.parametrize("place", [0, 1])
def test_rules_compute_in_the_dtype_of_the_result(narrow: Any, place: int) -> None:
    """The squares of small integers overflowed in the slope of `np.arctan2`."""
    reals, others = np.array([2.5, 0.7, 1.3]), np.array([100, 90, 120], narrow)
    args = [reals, others] if place == 0 else [others, reals]
    compared = 0
    for f in list(vars(np).values()):
        if not isinstance(f, np.ufunc) or f.nin != 2 or f.signature or registry.find(f) is None:
            continue
        with np.errstate(all="ignore"):
            try:
                if f(*args).dtype != float or f(*[x.astype(float) for x in args]).dtype != float:
                    continue
            except TypeError:
                continue
            gradient = ccc.gradient(lambda a, b, f=f: np.sum(f(a, b)), wrt=place)
            found, expected = [gradient(*xs) for xs in (args, [x.astype(float) for x in args])]
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=str(f))
        compared += 1
    assert compared > 10


@TARGETS
@pytest.mark.parametrize("f", [
    lambda x: x[:1].clip(max=(1, 0)), lambda x: x.clip([0.1, 0.2, 0.3], None), lambda x: np.clip(x, min=0.1, max=0.5),
    lambda x: np.full((2, 3), [x[0], x[1], x[2]]), lambda x: np.copysign(np.isnan(x), x),
])  # fmt: skip
def test_sequences_and_truths_among_arguments(f: Callable[..., Any], backend: str) -> None:
    expected, found = f(X), ccc.compiled(f, backend=backend)(X)
    np.testing.assert_array_equal(found, expected)
    ct = np.sin(1.0 + np.arange(expected.size)).reshape(expected.shape)
    (back,) = ccc.vjp(f, X, backend=backend)[1](ct)
    steps = [np.sum(ct * (f(X + h) - f(X - h))) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(back, steps, atol=1e-7)


@TARGETS
def test_weights_whose_sum_is_zero_raise_as_in_numpy(backend: str) -> None:
    for f in (lambda w: np.average(X, weights=w), lambda w: np.sum(np.average(np.stack([X, X]), 0, np.stack([w, -w])))):
        with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
            ccc.gradient(f, backend=backend)(np.array([1.0, -1.0, 0.0]))


def test_an_array_of_arrays_lies_as_that_of_numpy() -> None:
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found = ccc.compiled(lambda x: np.array([x, x]), backend="numpy")(x)
    assert found.strides == np.array([x, x]).strides


def result_by_columns(x: Any) -> Any:
    y = x * 0.5
    np.positive(x.T, out=y)
    return y


def test_an_array_that_is_written_lies_as_before() -> None:
    x = np.arange(9.0).reshape(3, 3)
    assert ccc.compiled(result_by_columns, backend="numpy")(x).strides == result_by_columns(x).strides


@pytest.mark.parametrize("f", [
    lambda x: np.logical_or(x, float), lambda x: np.outer(x, None), lambda x: np.percentile(x, True),  # type: ignore
    lambda x: np.inner(x, ()), lambda x: np.clip(x, a_max=1.0),  # type: ignore
    lambda x: np.roll(x, 1, axis=((0,),)), lambda x: np.identity(3, M=2),  # type: ignore
])  # fmt: skip
def test_arguments_that_are_none_are_refused_by_name(f: Callable[..., Any]) -> None:
    with pytest.raises(CompileError):
        ccc.compiled(f)(X)


def augmented_by_more(x: Any) -> Any:
    y = x[:1] * 1.0
    y[..., 0] -= x[:1]
    return y


def test_an_array_without_axes_takes_no_more_of_them() -> None:
    for f in (augmented_by_more, ccc.compiled(augmented_by_more)):
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            f(X)


def test_values_of_another_type_than_the_program_says_are_seen() -> None:
    sine = elementary_numpy.sin
    rule = sine.type_rule
    sine.types.clear()
    object.__setattr__(sine, "type_rule", lambda p, args, params: INT)
    try:
        with conforming(), pytest.raises(Unfit, match=r"`np.sin` computes"):
            ccc.compiled(lambda x: np.sin(x), backend="numpy")(X)
    finally:
        object.__setattr__(sine, "type_rule", rule)
        sine.types.clear()
    with conforming():
        np.testing.assert_array_equal(ccc.compiled(lambda x: np.sin(x) + 0.0, backend="numpy")(X), np.sin(X))


def of_one_place(x: Any, y: Any) -> Any:
    """The product of a matrix, which turns out to have one row, with itself turned over."""
    a = np.array([x, y]) * X[:2]
    return -np.sum(np.outer(a[:-1], X) @ np.outer(a[:-1], X).T)


def test_vectors_of_one_place_are_typed_as_ones_of_any_length() -> None:
    with conforming():
        value, cts = ccc.value_with_gradient(of_one_place, backend="numpy")(1.3, 0.7)
    assert value == of_one_place(1.3, 0.7)
    np.testing.assert_allclose(cts, (2.0 * value / 1.3, 0.0))


def row_of_a_row(x: Any, y: Any) -> Any:
    t = y + x[:, 0]
    t[-1] += x[:, 0]
    return t


@TARGETS
def test_what_is_put_back_is_no_memory_of_the_callers(backend: str) -> None:
    """The cotangent that was given was handed out as the cotangent of `y`."""
    ct = np.ones((1, 3))
    cts = ccc.vjp(row_of_a_row, np.ones((3, 1)), np.ones((1, 3)), backend=backend)[1](ct)
    assert not any(np.shares_memory(found, ct) for found in cts)
    np.testing.assert_array_equal(cts[1], ct)


@TARGETS
@pytest.mark.parametrize(("f", "args"), [
    (lambda a, b: np.floor(np.array(a)) * b, ([np.array(2.3)] * 3, np.array(1.4))),
    (lambda a, b: np.floor_divide(a, b), ([np.array(2.3)] * 3, np.array(1.4))),
    (lambda a, b: np.arange(a, stop=3) * b, (True, 1.5)),
    (lambda a, b: np.sum(a[:, None] * b), (np.array([3, 250], np.uint8), np.array([0.5, 1.5]))),
    (lambda a, b: np.squeeze(a) * b, (np.int64(3), 0.5)),
    (lambda a, b: np.searchsorted(a, b) * b, ((np.array(1.2),), np.array(1.5))),
    (lambda a, b: np.percentile(a, 40, keepdims=True) * b, (np.array(1.2), 2.0)),
    (lambda a, b: np.argsort(a) + b, (np.array(1.2), 2.0)),
    (lambda a, b: a.item() * b, (np.array([1.2], np.float32), 2.0)),
])  # fmt: skip
def test_forms_whose_types_were_others(f: Callable[..., Any], args: tuple[Any, ...], backend: str) -> None:
    """Code in LLVM that LLVM refused, or values of another type than the program said."""
    expected = f(*args)
    with conforming():
        value, pullback = ccc.value_with_pullback(f, wrt=1, backend=backend)(*args)
    np.testing.assert_allclose(value, expected)
    assert np.shape(value) == np.shape(expected)
    cotangent = np.ones_like(expected) if np.shape(expected) else 1.0
    step = 1e-6
    slope = np.sum(f(args[0], args[1] + step) - f(args[0], args[1] - step)) / (2 * step)
    np.testing.assert_allclose(np.sum(pullback(cotangent)), slope, rtol=1e-6)


class Pair(NamedTuple):
    a: float
    b: float


def pair_as_array(x: Any, n: int) -> Any:
    pair = Pair(x, x * x)
    for _ in range(n):
        pair = Pair(pair.a * 2.0, pair.b + x)
    return np.sum(np.array(pair) * np.array([1.0, 3.0]))


def determinant_as_array(x: Any, n: int) -> Any:
    y = np.zeros(2)
    y[::-1] = np.linalg.slogdet(np.eye(2) * x)
    return np.sum(y * n)


def pairs_by_position(x: Any, n: int) -> Any:
    pairs = [Pair(x * i, x) for i in range(n)]
    return sum([p[0] * p[1] for p in pairs])


@pytest.mark.parametrize("f", [pair_as_array, determinant_as_array, pairs_by_position])
def test_named_tuples_read_by_position(f: Callable[..., Any]) -> None:
    """The cotangent of a named tuple that was read by position was lost."""
    agrees(lambda x: f(x, 3), 0.7)


def test_a_default_of_select_may_be_a_list() -> None:
    agrees(lambda x: np.sum(np.select([x > 0.5], [x * x], [5.0, 6.0, 7.0]) * x), np.array([0.3, 0.7, 1.1]))
    for f, text in ((lambda x: np.select([x > 0.5], [x, 1.0]), "same length"), (lambda x: np.select([], []), "empty")):
        with pytest.raises(CompileError, match=f"ValueError: .*{text}"):
            ccc.compiled(f)(X)


def test_what_numpy_does_not_take_is_refused_where_nothing_reads_it() -> None:
    for f in (lambda x: x * (len(np.flip(x, axis=2)) or 1), lambda x: x * len(np.argsort(x, axis=40)),
              lambda x: np.select(((1, 0, 1),), (x,))):  # type: ignore
        with pytest.raises(CompileError, match="AxisError|boolean"):
            ccc.compiled(f)(X)
