"""Every primitive, found in the registry: value, printed source, type rule, both derivatives and their derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.additive import ZERO, Zero, add, dense, parts
from ccc.base import Traced
from ccc.objects import Array, Bool, Int, List, Object, Product, Real, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives import zero_trees
from ccc.primitives.contractions import einsum
from ccc.primitives.operators import Operators
from ccc.primitives.primitive import Primitive
from ccc.primitives.registry import BY_NAME, NAMES, PRIMITIVES

pytestmark = pytest.mark.always


def at_samples(test: Callable[[Primitive, Sample], None], moving: bool) -> Any:
    """A test of a primitive at one of its samples as a test at all of them, or at those with an argument that moves;
    what fails names the sample."""
    found = {p: [s for s in SAMPLES.get(p.name, ()) if not (moving and all(is_discrete(object_of(x)) for x in s.args))]
             for p in PRIMITIVES}

    def at_all(p: Primitive) -> None:
        for s in found[p]:
            try:
                test(p, s)
            except Exception as error:
                error.add_note(f"at {s}")
                raise

    at_all.__name__, at_all.__doc__ = test.__name__, test.__doc__
    return pytest.mark.parametrize("p", [p for p in PRIMITIVES if found[p]], ids=lambda p: p.name)(at_all)


def each_case(test: Callable[[Primitive, Sample], None]) -> Any:
    return at_samples(test, moving=False)


def each_smooth(test: Callable[[Primitive, Sample], None]) -> Any:
    return at_samples(test, moving=True)


# -- trees of numbers ------------------------------------------------------------------------------------------------


def like(x: Any, draw: Callable[[tuple[int, ...]], Any]) -> Any:
    """A tangent of `x`; ZERO for what has none."""
    if is_discrete(object_of(x)):
        return ZERO
    if isinstance(x, tuple):
        return tuple(like(part, draw) for part in x)
    if isinstance(x, list):
        return [like(item, draw) for item in x]
    if isinstance(x, dict):
        return {key: like(item, draw) for key, item in x.items()}
    found = draw(np.shape(x))
    return found if isinstance(x, np.ndarray) else float(found)


def tangents(s: Sample, seed: int) -> tuple[Any, ...]:
    """A tangent of the arguments of a sample, along those that may move."""
    draw = drawing(seed)
    return tuple(like(x, draw) if i == 0 or not s.linear else ZERO for i, x in enumerate(s.args))


def pairing(a: Any, b: Any) -> float:
    """`<a, b>` of a cotangent and a tangent."""
    a, b = dense(a), dense(b)
    if a is None or b is None or isinstance(a, Zero) or isinstance(b, Zero):
        return 0.0
    if isinstance(a, dict) and isinstance(b, dict):
        return sum(pairing(x, b[key]) for key, x in a.items() if key in b)
    a, b = [list(x.values()) if isinstance(x, dict) else x for x in (a, b)]
    if isinstance(a, tuple | list) or isinstance(b, tuple | list):
        a = parts(a, len(b)) if not isinstance(a, list | tuple) and not isinstance(a, np.ndarray) else a
        return sum(pairing(x, y) for x, y in zip(a, b, strict=True))
    a, b = np.broadcast_arrays(a, b)
    return float(np.sum(np.asarray(a, float) * np.asarray(b, float)))


def moved(x: Any, d: Any, t: float) -> Any:
    if isinstance(d, Zero) or d is None:
        return x
    if isinstance(x, tuple):
        return tuple(moved(a, b, t) for a, b in zip(x, d, strict=True))
    if isinstance(x, list):
        return [moved(a, b, t) for a, b in zip(x, d, strict=True)]
    if isinstance(x, dict):
        return {key: moved(a, d.get(key, ZERO), t) for key, a in x.items()}
    return x + t * d


def differences(f: Callable[..., float], xs: tuple[Any, ...], ds: tuple[Any, ...]) -> tuple[float, float]:
    """The derivative of `f` along `ds` by extrapolated central differences, and an estimate of its error."""

    def central(h: float) -> float:
        return (f(*moved(xs, ds, h)) - f(*moved(xs, ds, -h))) / (2 * h)

    coarse, fine = central(2e-4), central(1e-4)
    best = (4 * fine - coarse) / 3
    return best, abs(fine - coarse) + 1e-9 * (1 + abs(f(*xs)) / 1e-4 + abs(best))


def close(found: float, f: Callable[..., float], xs: tuple[Any, ...], ds: tuple[Any, ...]) -> None:
    best, error = differences(f, xs, ds)
    assert abs(found - best) <= error + 1e-7 * abs(best), (found, best, error)


def bits(x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x), [bits(part) for part in x]
    if isinstance(x, dict):
        return [(key, bits(part)) for key, part in x.items()]
    return type(x), np.asarray(x).dtype.str, np.shape(x), np.asarray(x).tobytes()


def drawing(seed: int) -> Callable[[tuple[int, ...]], Any]:
    rng = np.random.default_rng(seed)
    return lambda shape: rng.normal(size=shape)


# -- a traced value that carries a tangent, and one that records -------------------------------------------------------


class Value(Operators, Traced):
    """A value that derivative rules compute with."""

    __slots__ = ("value",)

    def __add__(self, other: Any) -> Any:
        if isinstance(self.object, Product | List):
            return zero_trees.add_trees(self, other)
        return super().__add__(other)

    def __bool__(self) -> bool:
        raise TypeError("a derivative rule asked for the truth of a traced value")

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a derivative rule iterated over a traced value")


def value_of(x: Any) -> Any:
    x = dense(x)
    if isinstance(x, tuple):
        return tuple(value_of(part) for part in x)
    return x.value if isinstance(x, Value) else x


class Dual(Value):
    """A value with a tangent; applying a primitive pushes the tangent forward by the primitive's differential."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, tangent: Any = ZERO) -> None:
        self.value, self.tangent, self.object, self.base = value, tangent, object_of(value), Dual

    @staticmethod
    def apply(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Dual:
        p.type_of(tuple(x.object if isinstance(x, Traced) else object_of(x) for x in args), params)
        xs = tuple(value_of(x) for x in args)
        ds = tuple(
            x.tangent if isinstance(x, Dual) and not is_discrete(object_of(v)) else ZERO
            for x, v in zip(args, xs, strict=True)
        )
        y = p.value(*xs, **params)
        if all(isinstance(d, Zero) for d in ds) or is_discrete(object_of(y)):
            return Dual(y)
        assert p.differential is not None, p
        return Dual(y, p.differential(ds, y, *xs, **params))


class Recorded(Value):
    """A value on a tape; `backward` runs the pullbacks of the primitives that were applied."""

    __slots__ = ("ct", "step")
    tape: list[Recorded]

    def __init__(self, value: Any, step: Any = None) -> None:
        self.value, self.ct, self.step, self.object, self.base = value, ZERO, step, object_of(value), Recorded
        Recorded.tape.append(self)

    @staticmethod
    def apply(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Recorded:
        return Recorded(p.value(*[value_of(x) for x in args], **params), (p, args, params))

    @staticmethod
    def backward(ends: list[tuple[Any, Any]]) -> None:
        for end, ct in ends:
            if isinstance(end, Recorded):
                end.ct = add(end.ct, ct)
        for node in reversed(Recorded.tape):
            if node.step is None or isinstance(node.ct, Zero) or is_discrete(node.object):
                continue
            p, args, params = node.step
            assert p.pullback is not None, p
            cts = p.pullback(dense(node.ct), node.value, *[value_of(x) for x in args], **params)
            for x, ct in zip(args, cts, strict=True):
                if isinstance(x, Recorded) and not is_discrete(x.object):
                    x.ct = add(x.ct, ct)


# -- the tests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [p for p in PRIMITIVES if not p.effect], ids=lambda p: p.name)
def test_every_primitive_has_samples_and_both_derivatives(p: Primitive) -> None:
    assert SAMPLES.get(p.name), f"`{p.name}` has no samples"
    constant = [all(is_discrete(object_of(x)) for x in s.args) for s in SAMPLES[p.name]]  # as what a text says
    assert p.pullback is not None or all(constant) or all(is_discrete(object_of(s.result(p))) for s in SAMPLES[p.name])
    assert (p.pullback is None) == (p.differential is None)


def test_samples_name_primitives() -> None:
    assert not set(SAMPLES) - set(BY_NAME)


@each_case
def test_source_computes_the_value(p: Primitive, s: Sample) -> None:
    names = [f"x{i}" for i in range(len(s.args))]
    text = p.source.format(*names) if isinstance(p.source, str) else p.source(*names, **s.params)
    found = eval(text, dict(NAMES), dict(zip(names, s.args, strict=True)))
    assert bits(found) == bits(s.result(p)) or p.name in ("rows", "np.shape")


def admits(stated: Object, found: Object) -> bool:
    """True where a value of the object `found` may be called one of `stated`."""
    match stated, found:
        case Array(dtype, None), _:
            return dtype == getattr(found, "dtype", dtype)
        case Array(dtype, axes), Array(other, others) if axes is not None and others is not None:
            return dtype == other and len(axes) == len(others) and all(
                a in ("?", b) for a, b in zip(axes, others, strict=True)
            )
        case (Real("any") | Int("any") | Bool("any")), _:
            return type(stated) is type(found)
        case List(item), List(other):
            return admits(item, other)
        case List(item), Product(others):
            return all(admits(item, other) for other in others)
        case List(item), Array(dtype, _):
            return getattr(item, "kind", getattr(item, "dtype", None)) == dtype
        case Product(a), Product(b):
            return len(a) == len(b) and all(map(admits, a, b))
        case _:
            return stated == found


def blurred(a: Object, to: str | None) -> Object:
    if not isinstance(a, Array):
        return a
    return Array(a.dtype, None if to is None else ("?",) * len(a.axes or ()))


@each_case
def test_type_rule_admits_the_result(p: Primitive, s: Sample) -> None:
    if s.untyped:
        return  # it mixes what the compiler keeps apart
    args = tuple(object_of(x) for x in s.args)
    found = object_of(s.result(p))
    assert admits(p.type_of(args, s.params), found), (p.type_of(args, s.params), found)
    assert admits(p.type_of(tuple(blurred(a, "?") for a in args), s.params), found)
    if not s.ranked:
        unknown = p.type_of(tuple(blurred(a, None) for a in args), s.params)
        assert admits(unknown, found), (unknown, found)


@each_smooth
def test_forward_agrees_with_differences(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)) or not s.smooth:
        return
    ds = tangents(s, 1)
    w = like(y, drawing(2))
    assert p.differential is not None
    dy = p.differential(ds, y, *s.args, **s.params)
    close(pairing(w, dy), lambda *xs: pairing(w, p.value(*xs, **s.params)), s.args, ds)


@each_smooth
def test_pullback_is_the_transpose_of_the_differential(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)):
        return
    ds, ct = tangents(s, 3), like(y, drawing(4))
    assert p.differential is not None and p.pullback is not None
    forward = pairing(ct, p.differential(ds, y, *s.args, **s.params))
    backward = pairing(p.pullback(ct, y, *s.args, **s.params), ds)
    assert forward == pytest.approx(backward, rel=1e-9 if s.smooth else 1e-6, abs=1e-12)


@each_smooth
def test_differential_with_one_tangent_at_a_time(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)):
        return
    ds, ct = tangents(s, 3), like(y, drawing(4))
    whole = pairing(ct, p.differential(ds, y, *s.args, **s.params))  # type: ignore[misc]
    single = 0.0
    for i, d in enumerate(ds):
        if not isinstance(d, Zero):
            alone = tuple(d if i == j else ZERO for j in range(len(ds)))
            single += pairing(ct, p.differential(alone, y, *s.args, **s.params))  # type: ignore[misc]
    assert whole == pytest.approx(single, rel=1e-9 if s.smooth else 1e-6, abs=1e-12)


@each_smooth
def test_pullback_is_linear(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)):
        return
    a, b, ds = like(y, drawing(5)), like(y, drawing(6)), tangents(s, 7)

    def along(ct: Any) -> float:
        return pairing(p.pullback(ct, y, *s.args, **s.params), ds)  # type: ignore[misc]

    whole = along(a) + 2.0 * along(b)
    assert along(moved(a, b, 2.0)) == pytest.approx(whole, rel=1e-9 if s.smooth else 1e-6, abs=1e-12)


def cotangents_along(p: Primitive, s: Sample, ct: Any, ws: tuple[Any, ...]) -> Callable[..., float]:
    """`xs -> <pullback(ct) at xs, ws>`."""

    def f(*xs: Any) -> float:
        return pairing(p.pullback(ct, p.value(*xs, **s.params), *xs, **s.params), ws)  # type: ignore[misc]

    return f


@each_smooth
def test_second_order_forward_over_reverse(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)) or not s.smooth:
        return
    ct, ws, ds = like(y, drawing(8)), tangents(s, 9), tangents(s, 10)
    duals = [x if isinstance(d, Zero) else Dual(x, d) for x, d in zip(s.args, ds, strict=True)]
    cts = [dense(c) for c in p.pullback(ct, p(*duals, **s.params), *duals, **s.params)]  # type: ignore[misc]
    found = sum(pairing(c.tangent, w) for c, w in zip(cts, ws, strict=True) if isinstance(c, Dual))
    close(found, cotangents_along(p, s, ct, ws), s.args, ds)


@each_smooth
def test_second_order_forward_over_forward(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)) or not s.smooth:
        return
    w, es, ds = like(y, drawing(8)), tangents(s, 9), tangents(s, 10)
    duals = [x if isinstance(d, Zero) else Dual(x, d) for x, d in zip(s.args, ds, strict=True)]
    dy = p.differential(es, p(*duals, **s.params), *duals, **s.params)  # type: ignore[misc]
    found = pairing(w, dy.tangent) if isinstance(dy, Dual) else 0.0

    def f(*xs: Any) -> float:
        return pairing(w, p.differential(es, p.value(*xs, **s.params), *xs, **s.params))  # type: ignore[misc]

    close(found, f, s.args, ds)


@each_smooth
def test_second_order_reverse_over_reverse(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)) or not s.smooth:
        return
    ct, ws, ds = like(y, drawing(8)), tangents(s, 9), tangents(s, 10)
    dct = like(y, drawing(11))
    Recorded.tape = []
    nodes = [x if isinstance(d, Zero) else Recorded(x) for x, d in zip(s.args, ds, strict=True)]
    ct_node = Recorded(ct)
    cts = [dense(c) for c in p.pullback(ct_node, p(*nodes, **s.params), *nodes, **s.params)]  # type: ignore[misc]
    Recorded.backward(list(zip(cts, ws, strict=True)))
    found = sum(pairing(n.ct, d) for n, d in zip(nodes, ds, strict=True) if isinstance(n, Recorded))
    close(found, cotangents_along(p, s, ct, ws), s.args, ds)
    linear = pairing(p.pullback(dct, y, *s.args, **s.params), ws)  # type: ignore[misc]
    assert pairing(ct_node.ct, dct) == pytest.approx(linear, rel=1e-9 if s.smooth else 1e-6, abs=1e-12)


@each_smooth
def test_float32_stays_float32(p: Primitive, s: Sample) -> None:
    """Derivatives of float32 arrays are float32 arrays."""
    args = tuple(x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == float else x for x in s.args)
    if not any(isinstance(x, np.ndarray) for x in args) or any(isinstance(x, np.float64 | list | tuple) for x in args):
        return
    params = {k: "float32" if v == "float64" else v for k, v in s.params.items()}
    y = p.value(*args, **params)
    if is_discrete(object_of(y)) or isinstance(y, tuple | list) or np.asarray(y).dtype != np.float32:
        return
    assert s.untyped or admits(p.type_of(tuple(object_of(x) for x in args), params), object_of(y))
    ct = np.ones_like(y)[()] if np.shape(y) == () else np.ones_like(y)
    cts = p.pullback(ct, y, *args, **params)  # type: ignore[misc]
    for x, c in zip(args, cts, strict=True):
        if isinstance(x, np.ndarray) and x.dtype == np.float32 and not isinstance(c, Zero):
            assert dense(c).dtype == np.float32 and dense(c).shape == x.shape
    ds = tuple(np.ones_like(x) if isinstance(x, np.ndarray) and x.dtype == np.float32 else ZERO for x in args)
    dy = p.differential(ds, y, *args, **params)  # type: ignore[misc]
    assert isinstance(dy, Zero) or (np.asarray(dy).dtype == np.float32 and np.shape(dy) == np.shape(y))


@each_smooth
def test_zero_cotangents_stay_zero(p: Primitive, s: Sample) -> None:
    y = s.result(p)
    if is_discrete(object_of(y)):
        return
    zero = like(y, np.zeros)
    with np.errstate(all="raise"):
        assert pairing(p.pullback(zero, y, *s.args, **s.params), like(s.args, np.ones)) == 0.0  # type: ignore[misc]


def test_math_is_bitwise_that_of_the_user() -> None:
    for p in PRIMITIVES:
        if p.name.startswith("math.") and p.value is not getattr(math, p.name[5:]):
            raise AssertionError(p)


# -- what no cotangent arrives at ------------------------------------------------------------------------------------

FIELDS: dict[str, Any] = {"cls": dict, "names": ("a", "b")}


def form(x: Any) -> Any:
    """The types, dtypes and shapes in a value; integers stand for reals."""
    if isinstance(x, tuple | list):
        return type(x), [form(part) for part in x]
    if isinstance(x, dict):
        return [(key, form(part)) for key, part in x.items()]
    return ("float", "<f8", ()) if isinstance(x, int) else (type(x).__name__, np.asarray(x).dtype.str, np.shape(x))


@pytest.mark.parametrize("p", [p for p in PRIMITIVES if SAMPLES.get(p.name)], ids=lambda p: p.name)
def test_a_field_that_no_cotangent_arrives_at_has_the_zero_of_its_value(p: Primitive) -> None:
    """For every value that a primitive takes at its samples."""
    record = BY_NAME["record"]
    for s in SAMPLES[p.name]:
        for x in s.args:
            if is_discrete(object_of(x)) or isinstance(x, complex):
                continue
            y = record.value(x, 1.0, **FIELDS)
            assert record.pullback is not None
            found = dense(record.pullback({"a": None, "b": 1.0}, y, x, 1.0, **FIELDS)[0])
            assert form(found) == form(x) and pairing(found, found) == 0.0, (x, found)


def products_of_several(rng):
    """Random subscripts of three arrays or more, and the arrays, some of them stretched and some without items."""
    letters = "abcdef"[: rng.integers(2, 6)]
    sizes = {c: rng.integers(0, 4) for c in letters}
    parts = ["".join(rng.permutation([*letters])[: rng.integers(0, 4)]) for _ in range(rng.integers(3, 6))]
    used = sorted({c for part in parts for c in part})
    out = "".join(rng.permutation(used)[: rng.integers(0, len(used) + 1)])
    return f"{','.join(parts)}->{out}", [rng.normal(size=[sizes[c] ** (rng.random() > 0.1) for c in part])
                                         for part in parts]


def test_cotangents_of_products_of_several_arrays_are_transposes():
    rng, pullback = np.random.default_rng(0), einsum.pullback
    assert pullback is not None
    for _ in range(200):
        subscripts, xs = products_of_several(rng)
        y = np.einsum(subscripts, *xs)
        ct = rng.normal(size=np.shape(y))
        for i, (found, x) in enumerate(zip(pullback(ct, y, *xs, subscripts=subscripts), xs, strict=True)):
            d = rng.normal(size=x.shape)
            expected = np.sum(ct * np.einsum(subscripts, *xs[:i], d, *xs[i + 1 :]))
            assert np.shape(found) == x.shape
            np.testing.assert_allclose(np.sum(found * d), expected, rtol=1e-9, atol=1e-9)
