"""Points at which the primitives are tested: smooth ones first, edges in `test_ccc_primitives_kinks`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ccc.objects import INT, REAL, TEXT, UNIT, Coproduct, Static
from ccc.objects_of_values import object_of
from ccc.primitives import fourier
from ccc.primitives.primitive import Primitive


@dataclass(frozen=True)
class Sample:
    """Arguments and parameters. `smooth`: differences make sense there; `ranked`: ranks must be known for its type;
    `untyped`: it mixes what the compiler keeps apart; `linear`: only the first argument moves."""

    args: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True
    ranked: bool = False
    untyped: bool = False
    linear: bool = False

    def result(self, p: Primitive) -> Any:
        return p.value(*self.args, **self.params)


def at(*args: Any, **params: Any) -> Sample:
    return Sample(args, params)


def ranked(*args: Any, **params: Any) -> Sample:
    return Sample(args, params, ranked=True)


def first(*args: Any, **params: Any) -> Sample:
    return Sample(args, params, linear=True)


def rough(*args: Any, **params: Any) -> Sample:
    return Sample(args, params, smooth=False)


def untyped(*args: Any, **params: Any) -> Sample:
    return Sample(args, params, untyped=True)


V = np.array([0.3, -1.2, 0.7])
W = np.array([1.5, 0.5, -2.0])
P = np.array([0.5, 1.5, 2.5])
M = np.array([[0.35, -1.3, 0.75], [1.1, 0.2, -0.4]])
N = np.array([[1.0, 2.0], [-0.5, 0.3], [0.8, -1.1]])
S = np.array([[2.0, 0.5, 0.1], [-0.3, 1.5, 0.2], [0.4, 0.1, 1.8]])
R = np.array([[2.0, 0.5, 0.1, 0.7], [-0.3, 1.5, 0.2, -0.6], [0.4, 0.1, 1.8, 0.3], [0.2, -0.8, 0.9, 1.4]])
T = np.linspace(-1.0, 1.3, 12).reshape(2, 3, 2)
ROW = np.array([[0.4, 1.2, -0.6]])
COLUMN = np.array([[0.4], [1.2]])
ZERO_D = np.array(0.6)
F64 = np.float64(0.8)


def unary(*points: float) -> list[Sample]:
    return [at(x) for x in points]


def unary_arrays(*points: float) -> list[Sample]:
    xs = np.array(points)
    return [at(points[0]), at(np.float64(points[-1])), at(xs), at(xs.reshape(-1, 1)), at(np.array(points[0]))]


def binary_arrays(positive: bool = False) -> list[Sample]:
    a, b, m, row = (P, P[::-1] * 1.1, np.abs(M) + 0.1, np.abs(ROW)) if positive else (V, W, M, ROW)
    return [
        at(0.7, 1.3), at(0.7, F64), at(a, b), at(a, 0.8), at(0.8, a), at(m, a), at(m, row), at(a.reshape(3, 1), b),
        at(np.array(0.65), 1.2), at(m, 2), at(np.array(0.65), a),
    ]


SAMPLES: dict[str, list[Sample]] = {}

_MATH = {
    "sqrt exp exp2 expm1 log log1p log2 log10 sin cos tan atan sinh cosh tanh asinh erf erfc degrees radians cbrt "
    "lgamma gamma": (0.3, 1.7),
    "asin acos atanh": (0.3, -0.6), "acosh": (1.3, 2.7), "fabs": (0.4, -1.3), "floor ceil trunc": (0.4, -1.3),
    "isnan isinf isfinite": (0.4, -1.3),
}
for names, points in _MATH.items():
    for name in names.split():
        SAMPLES[f"math.{name}"] = [*unary(*points), at(np.float64(points[0])), rough(np.float32(points[0]))]
for name in ("floor", "ceil", "trunc"):
    SAMPLES[f"math.{name}"].pop()  # np.float32 has no __trunc__
for name in ["atan2", "copysign", "fmod", "remainder"]:
    SAMPLES[f"math.{name}"] = [at(0.7, 1.9), at(-2.3, 0.9), at(1, 2.5)]
SAMPLES["isclose"] = [at(0.7, 0.7, 1e-9, 0.0), at(0.7, 0.8, 0.5, 0.0)]
for name in ("gcd", "lcm", "comb", "perm"):
    SAMPLES[f"math.{name}"] = [at(12, 4), at(12, 8)]
SAMPLES["power_modulo"] = [at(3, 5, 7), at(12, -1, 35)]
for name in ("factorial", "isqrt"):
    SAMPLES[f"math.{name}"] = [at(7)]
SAMPLES["math.pow"] = [at(0.7, 1.9), at(2.3, -0.9), at(1.5, 3)]
SAMPLES["sinc_slope"] = [at(1, 0.0), at(2, 0.0), at(1, np.array([0.0, 0.3, -1.7])), at(3, np.array([2.5, 1e-3]))]
SAMPLES["exp_of_each"] = [at(0.7), at(np.float64(-1.3)), at(P)]
SAMPLES["psi"] = [at(0.7, n=0), at(P, n=2)]
SAMPLES["gamma_slope"] = [at(0.7, 1.3, n=0), at(4.0, P, n=0), at(P, 1.5, n=1)]
SAMPLES["beta_slope"] = [at(0.3, 1.3, 0.8, of=0), at(P / 3.0, 0.7, P, of=1), at(0.4, 2.0, 0.5, of=0, orders=(1, 0))]
SAMPLES["polygamma"] = [at(0, 0.7), at(1, 2.3), at(3, -1.7), at(2, np.float64(0.4))]
SAMPLES["length_of"] = [at(P), at(np.array([2.0]))]
SAMPLES["math.hypot"] = [at(0.7, 1.9), at(-2.3, 0.9, 1.0), at(2.0)]

_NUMPY = {
    "sqrt cbrt log log1p log2 log10 reciprocal": (0.3, 1.7, 0.9),
    "negative positive square exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh sinc deg2rad rad2deg radians "
    "degrees absolute fabs": (0.3, -1.1, 0.9),
    "arcsin arccos arctanh": (0.3, -0.6, 0.1), "arccosh": (1.3, 2.7, 1.9),
    "sign floor ceil trunc rint spacing isfinite isnan isinf signbit logical_not": (0.3, -1.3, 0.9),
}
for names, points in _NUMPY.items():
    for name in names.split():
        SAMPLES[f"np.{name}"] = unary_arrays(*points)
for name in (
    "add", "subtract", "multiply", "divide", "logaddexp", "arctan2", "hypot", "copysign", "nextafter", "fmod", "mod",
    "maximum", "minimum", "fmax", "fmin", "heaviside", "floor_divide", "less", "less_equal", "greater", "greater_equal",
    "equal", "not_equal", "logical_and", "logical_or", "logical_xor",
):
    SAMPLES[f"np.{name}"] = binary_arrays()
for name in ("power", "float_power"):
    SAMPLES[f"np.{name}"] = [*binary_arrays(positive=True), at(V, 2), at(V, 3), at(V, np.array([1, 2, 3]))]
SAMPLES["np.power"].append(rough(np.array([1, 2]), np.int64(2)))
SAMPLES["np.logaddexp2"] = binary_arrays()
SAMPLES["np.conjugate"] = unary_arrays(0.3, -1.1)
SAMPLES["np.ldexp"] = [at(0.7, 2), at(V, -1), at(V, np.array([1, 2, 3])), at(M, np.array([1, 0, 2]))]
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"):
    SAMPLES[f"np.{name}"] = [at(np.array([5, 12]), 3), at(np.array([5, 12]), np.array([2, 3]))]
SAMPLES["np.invert"] = [at(np.array([5, 12])), at(V > 0)]
SAMPLES["exponent"] = [at(0.7), at(F64), at(V), at(M)]
SAMPLES["np.round"] = [at(V, 0), at(F64, 1)]
SAMPLES["np.where"] = [
    at(V > 0, V, W), at(V > 0, M, 0.0), at(True, V, 2.0), at(np.array([True]), 1.0, F64), at(False, 1.0, 2.0),
]
SAMPLES["np.clip"] = [at(V, -0.5, 0.5), at(M, V - 0.3, V + 0.9), at(0.7, 0.1, 0.5), at(0.3, 0.1, 0.5)]

for name in ("add", "sub", "mul", "div", "mod", "floordiv", "less", "less_equal", "greater", "greater_equal", "equal",
             "not_equal"):
    SAMPLES[name] = [*binary_arrays(), at(0.7, 2)]
SAMPLES["sub"] += [at(5, 3)]
SAMPLES["power"] = [*binary_arrays(positive=True), at(V, 2), at(-0.7, 3), first(-0.7, 3.0), at(-0.7, 1), at(0.6, -2)]
for name in ("neg", "pos", "abs"):
    SAMPLES[name] = unary_arrays(0.3, -1.1)
for name in ("and", "or", "xor"):
    SAMPLES[name] = [at(True, False), at(V > 0, W > 0), at(5, 3)]
SAMPLES |= {
    "lshift": [at(5, 2)], "rshift": [at(5, 2)], "invert": [at(V > 0), at(5)], "not": [at(True), at(0.0)],
    "truth": [at(0.5), at(3)], "both": [at(True, False), at(True, True)], "int": [at(1.7), at(F64), at(True)],
    "float": [at(1.7), at(F64), rough(np.float32(1.5)), at(np.array(2.5)), at(3)],
    "weights_for": [first(V, W), first(M, M * 2)], "weight_sum": [at(1.7), at(V), at(F64)],
    "np.float64": [at(1.7), rough(np.float32(1.5))], "np.float32": [rough(1.5)],
    "round": [at(1.7), at(F64)], "round_to": [at(1.789, 2), at(F64, 1)],
    "max": [at(1.0, 2.5), at(1.0, F64, 3.0), at(1, 2.5)], "min": [at(1.0, 2.5), at(1.0, F64, 3.0), at(1, 2)],
    "times0": binary_arrays(), "both0": binary_arrays(), "over0": binary_arrays(), "unit": binary_arrays(),
    "weight": binary_arrays(),
    "power0": binary_arrays(positive=True),
    "where_real": [first(1.3, 0.5, 1.5), first(1.3, -0.5, 2.0)],
    "log0": unary_arrays(0.4, 1.5), "positive": unary_arrays(0.4, -1.5), "signum": unary_arrays(0.4, -1.5),
    "share": [first(1.3, 2.0, 2.0, 1.0), first(V, np.maximum(V, W), V, W), first(1.3, 2.0, 1.0, 2.0),
              first(M, np.maximum(M, V), V, M)],
}

_AXES: list[dict[str, Any]] = [{}, {"axis": 0}, {"axis": -1}, {"keepdims": True}, {"axis": 1, "keepdims": True}]
for name in (
    "sum", "mean", "max", "min", "var", "std", "argmax", "argmin", "any", "all", "count_nonzero", "linalg.norm"
):
    SAMPLES[f"np.{name}"] = [at(V), *[at(M, **params) for params in _AXES], at(ROW, axis=0), at(COLUMN)]
for name in ("sum", "mean", "max", "min", "var", "std"):
    SAMPLES[f"np.{name}"] += [at(T, axis=(0, 2)), at(T, axis=(0, -1), keepdims=True)]
for name in ("sum", "mean", "max"):
    SAMPLES[f"np.{name}"] += [at(F64), at(0.5)]
for name in ("var", "std"):
    SAMPLES[f"np.{name}"] += [at(V, ddof=1), at(M, axis=1, ddof=1)]
SAMPLES["np.std"][6] = rough(ROW, axis=0)
SAMPLES["np.linalg.norm"] += [at(T, axis=(0, 1))]
SAMPLES |= {
    "count": [at(V), at(M, axis=0), at(T, axis=(0, 2), ddof=1)],
    "expanded": [ranked(V, M, axis=0), ranked(np.array([1.0, 2.0]), M, axis=1), ranked(P[:3], T, axis=(0, 2))],
    "spread_ties": [
        first(F64, np.max(M), M), first(V, np.max(M, 0), M, axis=0),
        first(np.ones((2, 1)), np.max(M, 1, keepdims=True), M, axis=1, keepdims=True),
    ],
    "mean_ties": [first(M * 2, np.max(M), M), first(M * 2, np.max(M, 0), M, axis=0)],
    "sum_all": [at(V), at(M), at(F64)],
    "unbroadcast": [at(M, V), at(M, ROW), at(M, COLUMN), at(M, 1.0), at(V, V), at(V, np.array([1.0]))],
    "updated": [first(V, W), first(1.5, 0.5)],
    "broadcast_like": [at(V, M), at(ROW, M), at(1.5, M), at(V, W), at(ROW, V.reshape(1, 3))],
    "widen": [at(1.5), at(V)],
}

SAMPLES |= {
    "np.maximum.accumulate": [at(V, axis=0), at(M, axis=1), at(T, axis=-2), rough(np.array([1.0, 3.0, 3.0]), axis=0)],
    "np.minimum.accumulate": [at(V, axis=0), at(M, axis=0), at(T, axis=-1), rough(np.array([3.0, 1.0, 1.0]), axis=0)],
    "np.cumprod": [at(V), at(M), at(M, axis=0), at(M, axis=-1), at(T, axis=1), at(np.array([0.5, 0.0, 2.0, 0.0]))],
    "recurrence": [at(V, W), at(M, M * 2), at(V, W, reverse=True), at(M, M * 2, reverse=True)],
    "before": [at(V), at(M)], "after": [at(V), at(M)], "first_of": [at(V), at(M)],
    "sum_given": [
        at(M, M > 0, names=("where",), axis=0), at(V, 0.7, names=("initial",)), at(V, names=(), dtype="float64"),
        at(M, 0.7, M > 0, names=("initial", "where"), axis=1, keepdims=True), at(M, V > 0, names=("where",), axis=1),
    ],
    "prod_given": [
        at(M, M > 0, names=("where",), axis=0), at(V, 0.7, names=("initial",)),
        at(M, 0.7, M > 0, names=("initial", "where"), axis=1, keepdims=True),
    ],
    "weights_along": [first(V, M, axis=1), first(V[:2], M, axis=0)],
}

_TWO = [at(V, W), at(M, V), at(np.array([0.5, -1.0]), M), at(M, N)]
_BATCHED = [at(T, np.array([[0.3], [1.0]])), at(T, np.array([0.3, 1.0])), at(V, T), at(M.reshape(1, 2, 3), T),
            at(T, np.swapaxes(T, 1, 2).copy()), at(V, N), at(M[None], N)]
SAMPLES["matmul"] = SAMPLES["np.matmul"] = [*_TWO, *_BATCHED]
SAMPLES["np.dot"] = [*_TWO, *_BATCHED[:3], at(T, np.swapaxes(T, 1, 2).copy()), at(2.0, V), at(V, 2.0), at(M, F64)]
SAMPLES["np.inner"] = [at(V, W), at(M, V), at(V, M), at(M, S), at(np.swapaxes(T, 1, 2).copy(), M)]
SAMPLES["np.outer"] = [at(V, W), at(V, np.array([1.0, 2.0])), at(M, V), at(np.array([1.5]), V)]
SAMPLES["np.vdot"] = [at(V, W), at(M, M * 2 + 1)]


I = np.array([0, 2, 2, 1])
B = np.array([True, False, True])
REARRANGED = {
    "np.tile": [at(V, reps=2), at(M, reps=(2, 1)), at(V, reps=(2, 2))],
    "np.repeat": [at(V, 2), at(M, 2), at(M, 3, axis=1), ranked(V, np.array([1, 0, 2]))],
    "np.triu": [ranked(S), ranked(M, k=1)], "np.tril": [ranked(S), ranked(M, k=-1)],
    "np.rot90": [ranked(M), ranked(M, k=2)],
    "np.diagonal": [ranked(S), ranked(M, offset=1), ranked(T, axis1=0, axis2=2)],
    "np.pad": [at(V, pad_width=1), at(V, pad_width=2, mode="edge"), ranked(M, pad_width=((0, 1), (2, 0))),
               at(V, pad_width=(1, 2), mode="reflect"), at(V, pad_width=1, mode="wrap")],
    "np.take": [at(V, I), at(M, np.array([1, 0, 1]), axis=0), at(M, I), at(M, I, axis=1)],
    "np.compress": [at(V, B), at(M, B, axis=1), at(M, B)],
    "np.take_along_axis": [ranked(M, np.argsort(M, 1), axis=1), ranked(V, I, axis=0)],
    "np_tile_onto": [at(np.arange(6.0), V, reps=2)], "np_repeat_onto": [at(np.arange(6.0), V, 2)],
    "np_triu_onto": [ranked(S * 2, S)], "np_tril_onto": [ranked(S * 2, S)], "np_rot90_onto": [ranked(N, M)],
    "np_diagonal_onto": [ranked(np.array([1.5, 2.0, 0.5]), S)],
    "np_pad_onto": [at(np.arange(5.0), V, pad_width=1)], "np_take_onto": [at(np.arange(4.0), V, I)],
    "np_compress_onto": [at(np.array([1.5, 2.0]), V, B)],
    "np_take_along_axis_onto": [ranked(M * 2, M, np.argsort(M, 1), axis=1)],
    "np.sort": [at(V), at(M), at(M, axis=0), at(T, axis=1)], "np.argsort": [at(V), at(M, axis=0)],
    "in_order_of": [first(W, V), first(M * 2, M, axis=0)], "unsorted": [first(W, V), first(M * 2, M, axis=0)],
    "np.searchsorted": [at(P, 1.0), at(P, V), at(P, V, side="right")],
    "order_weights": [at(V, q=0.5), at(V, q=0.4, method="hazen"), at(M, q=0.3, axis=0)],
    "np.median": [at(V), *[at(M, **params) for params in _AXES], at(np.array([0.4, 1.0]))],
    "np.quantile": [at(V, q=0.3), at(V, q=0.4, method="weibull"), at(M, q=0.4, axis=0, method="lower"),
                    at(M, q=0.7, axis=0), at(M, q=1.0), at(V, q=0)],
    "np.percentile": [at(V, q=30), at(M, q=70.0, axis=1, keepdims=True)],
    "present": [at(V), at(np.array([1.0, np.nan, 2.0])), at(M, axis=0, mean=True), at(M, axis=1, mean=True)],
}
for name in ("nansum", "nanmean", "nanmax", "nanmin"):
    REARRANGED[f"np.{name}"] = [at(V), *[at(M, **params) for params in _AXES], rough(np.array([1.0, np.nan, 2.0]))]
PLACES = {
    "nonzero_along": [at(V, axis=0), at(M, axis=1)], "partitioned": [at(V, kth=1, axis=-1), at(M, kth=0, axis=0)],
    "argpartition": [at(V, kth=1, axis=-1), at(M, kth=0, axis=0)],
    "argpartition_of_parts": [at(V, V, kth=1, axis=-1), at(M, -M, kth=(0, 1), axis=0)],
    "argsort_by": [at(V, kind="stable"), at(M, kind="stable", axis=0), at(M, kind="stable", axis=1)],
    "lexsort": [at(V, W), at(M, M * 2, axis=0)],
    "unique_places": [at(V), at(np.array([1.0, 0.5, 1.0]))], "unique_inverse": [at(V)], "unique_counts": [at(V)],
    "counted": [at(I, 0), at(I, 5)], "without": [at(np.array([0, 2]), 4)],
    "histogram_counts": [at(V, P), at(V, np.array([-2.0, 0.0, 2.0]), uniform=True)],
    "weighed": [at(np.arange(4.0), I, 0), at(np.arange(4.0), I, 5)], "at_places": [at(V, I)],
    "weighed_like": [first(np.arange(4.0), I, V)],
    "histogram_weights": [first(V, W, P), first(V, W, np.array([-2.0, 0.0, 1.5]), uniform=True)],
    "histogram_onto": [first(V[:2], W, P), first(V[:2], W, np.array([-2.0, 0.0, 1.5]), uniform=True)],
}
U3 = np.array([0.4, -0.8, 1.3])
CONTRACTED = {
    "np.einsum": [
        at(V, W, subscripts="i,i->"), at(M, N, subscripts="ij,jk->ik"), at(M, N, subscripts="ij,jk"),
        at(M, subscripts="ij->ji"), at(M, V, subscripts="ij,j->i"), at(M, subscripts="ij->i"),
        at(V, M, W, subscripts="i,ji,i->j"),
        at(T, subscripts="ijk->"), at(V, W, subscripts="i,j->ij"), at(ROW, M, subscripts="ij,ij->j"),
    ],
    "matched": [at(ROW, M), at(M, ROW), at(COLUMN, ROW)],
    "np.kron": [ranked(V, W), ranked(M, N), ranked(S, np.array([[1.0, 2.0]])), ranked(V, M)],
    "np.vecdot": [at(V, W), at(M, V), at(T, W[:2]), at(ROW, M)],
    "aligned": [at(M, N, pairs=((1, 0),)), at(M, M * 2, pairs=((0, 0), (1, 1)))],
    "multi_dot": [ranked(M, N), ranked(ROW, N, M, S), ranked(COLUMN, ROW, N)],
    "cross": [at(V, W), at(np.stack([V, P]), W), at(W, np.stack([V, P]))],
}
for name in ("convolve", "correlate"):
    for mode in ("full", "same", "valid"):
        CONTRACTED[f"np.{name}_{mode}"] = [
            at(np.array([0.5, 1.5, -1.0, 2.0, 0.3]), V), at(V, np.array([0.5, 1.5, -1.0, 2.0])), at(V, W),
            at(np.array([0.5, 1.5, -1.0, 2.0, 0.3]), np.array([0.5, 1.0, 2.0, -1.0])),
        ]
SPD = np.array([[4.0, 0.6, -0.4], [0.6, 3.0, 0.5], [-0.4, 0.5, 2.0]])
TRIANGLES = [at(SPD), at(SPD + np.triu(S, 1)), at(np.stack([SPD, SPD @ SPD]) + np.tril(S, -1), UPLO="U")]
DECOMPOSED = {
    "half_lower": [at(S)],
    "between_inverses": [at(S, SPD), at(S, np.tril(SPD)), at(np.stack([S, S + 1]), np.stack([SPD, S]))],
    "cholesky_cotangent": [at(S, np.linalg.cholesky(SPD)),
                           at(np.stack([S, S + 1]), np.linalg.cholesky(np.stack([SPD, SPD + np.eye(3)])))],
    "symmetric_from": [at(S, of="L"), at(np.stack([S, S + 1]), of="U")],
    "onto_triangle": [at(S, of="L"), at(np.stack([S, S + 1]), of="U")],
    "np.linalg.cholesky": [at(SPD), at(np.stack([SPD, SPD + np.eye(3)])), at(SPD + np.triu(S, 1), upper=False),
                           at(SPD + np.tril(S, -1), upper=True)],
    "logabsdet": [ranked(S), ranked(np.stack([S, S + np.eye(3)]))], "signdet": [at(S)],
    "gaps": [at(P), at(np.stack([P, P * 2])), rough(np.array([1.0, 1.0 + 1e-15, 3.0]))],
    "np.linalg.slogdet": [ranked(S), ranked(np.stack([S, S + np.eye(3)]))],
    "eigenvalues": TRIANGLES, "eigenvectors": TRIANGLES, "np.linalg.eigh": TRIANGLES, "np.linalg.eigvalsh": TRIANGLES,
    "np.linalg.matrix_power": [at(S, n=3), at(S, n=1), at(S, n=2), at(S, n=0)],
}

DEFICIENT = np.outer([1.0, 2.0, -1.0, 0.5], [0.5, 1.0, -2.0])
TALL, STACK = R[:, :3] + np.eye(4, 3), np.stack([M, M[::-1] + 0.5 * np.eye(2, 3)])
SHAPES = [ranked(S), ranked(TALL), ranked(M), ranked(STACK)]
FULL = [ranked(x, full=True) for x in (S, TALL, M, STACK)]
FACTORED = {
    "norm_of_order": [
        *[ranked(x, order=order, axis=axis) for order in (3, 1.5, -1, -2, 0.5) for x, axis in ((V, 0), (T, -2))],
        ranked(M, order=3, axis=1, keepdims=True), rough(np.array([[0.0, 0.0], [2.0, 0.0]]), order=3, axis=1),
    ],
    "inverse_or_nan": [at(S), at(np.stack([S, S + np.eye(3)]))],
    "quotient": [at(2.0, F64), at(V, W)], "condition": [ranked(F64, S), ranked(P[:2], np.stack([S, S]))],
    "resized": [ranked(M, S, pairs=((-2, 0),)), ranked(M, N, pairs=((-1, -1), (0, 0))), ranked(V, V, pairs=((-1, 0),))],
    "inverse0": [at(2.0), at(V), at(M), rough(np.array([0.0, 2.0]))],
    "left_vectors": [*SHAPES, *FULL], "right_vectors": [*SHAPES, *FULL], "singular_values": [*SHAPES, *FULL],
    "np.linalg.svdvals": SHAPES, "np.linalg.svd": [*SHAPES, *FULL],
    "orthogonal_factor": SHAPES, "triangular_factor": SHAPES, "complete_factor": SHAPES, "np.linalg.qr": SHAPES,
    "np.linalg.pinv": [*SHAPES, ranked(TALL, rtol=None), ranked(S, rcond=1e-3), rough(DEFICIENT)],
    "least_squares": [ranked(TALL, R[:, 1:3] * 2), ranked(S, N), ranked(M, N[:2]), ranked(TALL, R[:, 3:], rcond=1e-9),
                      ranked(TALL, R[:, :1], rcond=-1)],
    "scales_of_system": [ranked(TALL, R[:, 1:3] * 2), ranked(S, N)],
    "residuals": [ranked(TALL, R[:, 1:3] * 2), ranked(S, N), ranked(TALL, R[:, 3:], rcond=1e-9)],
    "np.linalg.lstsq": [ranked(TALL, R[:, 1:3] * 2), ranked(S, N)],
    "rank_of_system": [at(TALL, R), at(DEFICIENT, R, rcond=1e-9)],
    "np.linalg.matrix_rank": [at(TALL), at(DEFICIENT), at(STACK), at(V), at(DEFICIENT, tol=1e-9)],
}

PARTS, CUBE = np.stack([M, M[:, ::-1] * 0.5 + 1.0]), np.sin(np.arange(60.0)).reshape(3, 4, 5)
TRANSFORMS = [
    *[ranked(x, of=of, axes=(axis,), **sizes, **norm) for of in ("fftn", "ifftn", "rfftn")
      for x, axis in ((V, -1), (M, 0), (CUBE, 1)) for sizes in ({}, {"sizes": (3,)}, {"sizes": (6,)})
      for norm in ({}, {"norm": "ortho"})],
    *[ranked(PARTS, of=of, axes=(-1,), parts=True, **sizes) for of in ("fftn", "ifftn", "irfftn")
      for sizes in ({}, {"sizes": (2,)}, {"sizes": (5,)}, {"sizes": (6,), "norm": "forward"})],
    *[ranked(CUBE, of=of, axes=(0, 2), sizes=(4, 3), norm="forward") for of in ("fftn", "ifftn", "rfftn")],
    *[ranked(np.stack([CUBE, CUBE**2]), of=of, axes=(2, 0), parts=True, **sizes, norm="ortho")
      for of in ("fftn", "ifftn", "irfftn") for sizes in ({}, {"sizes": (2, 5)})],
    *[ranked(x, of=of, axes=(0,), part=part, **sizes, **parts) for of in ("fftn", "ifftn", "rfftn")
      for part in (0, 1) for sizes in ({}, {"sizes": (3,)})
      for x, parts in ((V, {}), (M, {}), (PARTS, {"parts": True})) if of != "rfftn" or not parts],
    *[ranked(np.stack([CUBE, CUBE**2]), of=of, axes=(2, 0), parts=True, part=part) for of in ("fftn", "ifftn")
      for part in (0, 1)],
]
TURNING = np.array([[0.5, -2.0, 0.3], [1.5, 0.2, -0.4], [0.1, 0.6, 1.1]])
MATRICES = [ranked(S), ranked(TURNING), ranked(np.stack([TURNING, S])), ranked(R)]
FOURIER = {
    "inverse_of_parts": [at(np.stack([S, S[::-1] * 0.3])), at(np.stack([[S, R[1:, 1:]], [S.T, S * 0.2]]))],
    "largest_of_columns": [ranked(np.stack([S, S[::-1] * 0.4]))],
    "eigenvalue_parts": MATRICES, "eigenvector_parts": MATRICES, "eigvals_parts": MATRICES, "eig_parts": MATRICES,
    "transform": TRANSFORMS, "frequencies": [at(4), at(5), at(5, half=True), at(0)],
    "transform_onto": [
        ranked(np.cos(fourier.transform.value(*s.args, **s.params)), *s.args, **s.params)
        for s in TRANSFORMS
    ],
}


def _transposes(name: str) -> None:
    word = name.replace(".", "_")
    function, _, mode = name.removeprefix("np.").partition("_")
    product: Any = getattr(np, function) if not mode else lambda a, b: getattr(np, function)(a, b, mode)
    for side in ("left", "right"):
        SAMPLES[f"{word}_{side}"] = [
            at(np.asarray(product(*s.args)) * 0.7 + 0.1 if np.ndim(product(*s.args)) else 1.7, *s.args)
            for s in SAMPLES[name]
        ]


SAMPLES |= CONTRACTED | PLACES
for name in ("matmul", "np.matmul", "np.dot", "np.inner", "np.outer", "np.vdot", *CONTRACTED):
    if name not in ("np.einsum", "matched", "multi_dot", "aligned"):
        _transposes(name)

SAMPLES |= {
    "np.transpose": [at(M), at(V), at(T), at(T, axes=(1, 2, 0)), at(T, axes=(-1, 0, 1))],
    "np.swapaxes": [at(M, axis1=0, axis2=1), at(T, axis1=0, axis2=-1)],
    "np.moveaxis": [at(T, source=0, destination=-1), at(T, source=(0, 1), destination=(1, 2))],
    "np.flip": [at(V), at(M, axis=1), at(T, axis=(0, 1))],
    "np.roll": [at(V, 1), at(M, 1, axis=1), at(M, 2)],
    "np.reshape": [at(M, 3, 2), at(M, -1), at(V, 1, 3, known=("1", "n")), at(V, -1, 1, known=("?", "1")), at(F64, 1)],
    "reshape_like": [at(M, N), at(V, ROW), at(np.array([2.0]), 1.0), at(2.0, np.array([1.0]))],
    "flat": [at(M), at(T), at(np.ones((1, 1)))],
    "np.ravel": [at(M), at(V), at(T), at(F64), at(np.ones((1, 1)))],
    "np.squeeze": [at(ROW), at(ROW, axis=0), at(np.ones((1, 3, 1)), axis=(0, 2)), at(V)],
    "np.expand_dims": [at(V, axis=0), at(V, axis=-1), at(M, axis=(0, 2)), at(F64, axis=0)],
    "np.atleast_1d": [at(V), at(F64), at(M)], "np.atleast_2d": [at(V), at(F64), at(T)],
    "np.broadcast_to": [at(V, 2, 3), at(COLUMN, 2, 3), at(1.5, 3, known=("n",))],
    "np.copy": [at(V), at(1.5)],
    "astype": [at(V, dtype="float64"), rough(V, dtype="float32"), at(V, dtype="int64"),
               at(F64, dtype="float64")],
    "dim": [at(M, axis=0), at(M, axis=-1)], "np.size": [at(M), at(1.5)], "np.ndim": [at(M), at(1.5)],
    "np.shape": [at(M)],
    "np.stack": [at(V, W), at(M, M * 2, axis=1), at(V, W, P, axis=-1), at(V), at(V, np.array([1, 2, 3]))],
    "np.array": [at(1.5, 2.5), at(1.5, 2, F64), at(1.5), rough(np.float32(1.5), np.float32(2.5))],
    "np.concatenate": [at(V, W), at(V), at(M, S, axis=0), at(M, COLUMN, axis=1), at(V, np.array([1, 2])),
                       at(np.array([1.0]), np.array([2.0])), at(np.array([1.0]), V)],
    "piece": [at(np.arange(6.0), V, W, place=1), at(np.ones((2, 4)) * 1.5, M, COLUMN, place=0, axis=1),
              at(np.arange(5.0), V, V[:2], place=1)],
    "from_list": [at([1.5, 2.5]), at([[1.0, 2.0], [3.0, 4.0]]), at([V, W])],
    "to_list": [at(V, [1.0, 2.0, 3.0]), at(M, [V, W])],
    "stack_list": [at([V, W]), at([M, M * 2.0], axis=1), at([V, W, V], axis=-1)],
    "concatenate_list": [at([V, W]), at([V, W[:2]]), at([M, M * 2.0], axis=1)],
    "pieces": [at(np.arange(5.0), [V, W[:2]]), at(np.ones((2, 6)) * 1.5, [M, M], axis=1)],
    "blank": [at(2, 3), at(3, dtype="float32"), at(0, 2, known=("?", "n"))],
    "np.zeros": [at(2, 3), at(3, dtype="float32"), at(1, 3, known=("1", "n"))], "np.ones": [at(2, 3), at(3)],
    "np.zeros_like": [at(M)], "np.ones_like": [at(M)], "np.eye": [at(2, 3), at(3, 3, known=("n", "n"))],
    "np.full": [at(1.5, 2, 3), at(F64, 3, known=("n",))],
    "index": [
        at(V, 1, pattern=("i",)), at(M, 1, 0, 2, pattern=("i", "s12")), at(M, np.array([0, 1, 1]), pattern=("a",)),
        at(T, 0, pattern=(".", "i")), at(V, pattern=("+", "s")),
    ],
    "add_at": [
        at(V, 1.5, 1, pattern=("i",)), at(V, 2.0, np.array([0, 0]), pattern=("a",)), at(M, V, 1, pattern=("i",)),
    ],
    "set_at": [
        at(V, 1.5, 1, pattern=("i",)), at(V, W, pattern=("s",)), at(M, V, 1, pattern=("i",)),
        at(V, 2.0, np.array([0, 0]), pattern=("a",)), at(V, np.array([4.0, 5.0]), np.array([1, 1]), pattern=("a",)),
        at(V, 0.5, np.arange(V.size) % 2 == 0, pattern=("a",)),
    ],
    "take_at": [
        at(V, 1, pattern=("i",)), at(V, 1, pattern=("s1",)), at(M, 0, pattern=("i",)),
        at(V, np.array([0, 0, 1]), pattern=("a",)),
    ],
    "last_writes": [at(V, np.array([1, 1, 0]), pattern=("a",))],
    "zeros_like": [at(1.5), at(V), at((1.0, V)), at([1.0, 2.0])], "spread_zero": [at(V), at(M)],
    "add_trees": [at((1.0, V), (2.0, W)), at([1.0, 2.0], [3.0, 4.0]), untyped(V, None)],
    "record": [at(1.5, V, cls=dict, names=("a", "b"))], "field": [at({"a": 1.5, "b": V}, cls=dict, name="b", index=1)],
    "touched_field": [untyped(V, of=object_of({"a": 1.5, "b": V}), name="b")],
    "field_cotangent": [first({"a": 1.5, "b": V}, 0.5, name="a"), first({"a": 1.5, "b": V}, V, name="b")],
    "inject": [untyped(1.5, into=Coproduct((Static(None), REAL)))], "project": [at(1.5, of=REAL)],
    "as_cotangent": [first(1.5, 2.0)], "arrived": [first(1.5, 2.0)],
    "is_type": [at(1.5, float)],
    "is_kind": [at(1.5, kind="number"), at(V, kind="array"), at(1.5, kind="complex")],
    "pack": [at(1.5, V), at(2.0)], "part": [at((1.5, V), index=1), at((1.5, V), index=0)],
    "list": [at(1.0, 2.0)], "item": [at([1.0, 2.0], 1), at([V, W], 0)],
    "as_floats": [at([1, 2])],
    "append": [at([1.5, 2.0], 0.5), at([V], W)], "without_last": [at([1.5, 2.0])], "concat": [at([1.5], [2.0, 0.5])],
    "set_item": [at([1.5, 2.0], 0.5, 1), at([V, W], V, -2), at([V, W], P, 0, V)],
    "item_along": [at([[1.5, 2.0], [0.5]], 0, -1), at([[[1.5]], [[2.0, 0.5]]], 1, 0, 1), at([V, W], 1, 0)],
    "set_along": [at([[1.5, 2.0], []], 0.7, 0, -1), at([[[1.5]], [[2.0, 0.5]]], 0.7, 1, 0, 1), at([V, W], 0.7, 1, 0)],
    "add_along": [at([[1.5, 2.0], []], 0.7, 0, -1), at([[[1.5]], [[2.0, 0.5]]], 0.7, 1, 0, 1), at([V, W], 0.7, 1, 0)],
    "append_along": [at([[1.5, 2.0], [0.5]], 0.7, 1), at([[[1.5]], [[2.0, 0.5]]], 0.7, 1, 0)],
    "without_last_along": [at([[1.5, 2.0], [0.5]], 0), at([[[1.5]], [[2.0, 0.5]]], 1, 0)],
    "behind": [at([1.5, 2.0, 0.5], [0.5])],
    "repeated": [at([1.5, 2.0], 3), at([V, W], 2)], "folded": [at([1.5, 2.0, 0.5, 3.0], [1.0, 2.0], 2)],
    "sliced": [at([1.5, 2.0, 0.5], 1, places="1"), at([1.5, 2.0, 0.5], -1, places="3"), at([V, W], 0, 1, places="12")],
    "spread": [first([1.5], [0.5, 2.0], 1, places="1"), first([1.5, 2.0], [0.5, 0.3], -1, places="3")],
    "add_item": [at([1.0, 2.0], 3.0, 1)], "len": [at([1.0, 2.0])], "check_length": [untyped([1.0, 2.0], count=2)],
    "range": [at(3), at(1, 5, 2)], "order": [at([1.5, 0.5, 1.0]), at([2.0, 1.0, 2.0], reverse=True)],
    "sum": [at([1.5, 2.0], 0), rough([V, W], 0), at([1.5, 2.0, 0.5], 0.3), at([1, 2], 0.5)],
    "math.fsum": [at([1.5, 2.0])],
    "added": [at([1.5, 2.0])], "copies": [first(1.5, [0.3, 2.0])],
    "pad": [at([1.5], [1.0, 2.0])], "cut": [at([1.5, 2.5], [1.0])],
    "stop": [Sample((1.5,), smooth=False)], "again": [at(1.5), at(V)],
    "check_like": [untyped(V, W, word="tangent", path="x"), untyped([1.0], [2.0], word="tangent", path="x")],
    "unit_seed": [untyped(1.5)],
    "shaped": [Sample((V, W), {"of": "x"}, linear=True)],
    "conform": [first(1.5, 2.0), first(V, W), first([1.5], [2.0])], "own": [at(V), at((1.5, V))],
    "of_kind": [first(1.5, 2.0), first(F64, 2.0), first(1.5, F64)],
    "empty_map": [untyped(of=UNIT)],
    "mapping": [untyped(1.5, 2.0, keys=("a", "b"), key=TEXT), untyped(V, W, keys=(1, 2), key=INT)],
    "lookup": [untyped({"a": 1.5, "b": 2.0}, "b"), untyped({(1, 2): V}, (1, 2))],
    "as_integers": [untyped(2.0, where=True), untyped([2.0, 3.0], where=(True, ...)),
                    untyped([2.0, 3.0], where=(True, True)), untyped((2.0, 0.5), where=(True, True)),
                    untyped({"a": 2.0}, where=(True, ...))],
    "as_list": [untyped((0.5, 2.5))],
    "as_tuple": [untyped([1, 2], form=(tuple, None)), untyped([[1], [2]], form=(list, (tuple, None)))],
    "pictured": [untyped(list, (0.5, 2.5), conversion="r")],
    "text": [untyped(3.0, form=("W", ("%", "d")))],
    "asked": [untyped("sword", "s", name="startswith", known=(None,), free=(0,), named=()),
              untyped("sword", 0, name="index", known=("o", None), free=(1,), named=()),
              untyped("sword", 1, name="split", known=("w", None), free=(1,), named=("maxsplit",))],
    "letters": [untyped("sword")], "letters_in": [untyped("sword")], "letter": [untyped("sword", -1)],
    "within": [untyped("wo", "sword")], "part_of_text": [untyped("sword", 1, -1, kept=(True, False, True))],
    "whole_in": [untyped("1011"), untyped("1011", 2)], "real_in": [untyped("2.50")],
    "has_key": [untyped({"a": 1.5}, "b")], "last_key": [untyped({"a": 1.5})],
    "keys_of": [untyped({"a": 1.5, "b": 2.0})],
    "put": [untyped({"a": 1.5}, 0.5, "b"), untyped({1: V, 2: W}, W, 2)], "remove": [untyped({"a": 1.5, "b": 2.0}, "a")],
    "check_size": [untyped({1: 1.5}, 1)],
    "merged": [untyped({1: 1.5, 2: 2.0}, {3: 0.5, 2: 0.25})], "copied": [untyped({1: 1.5})],
    "values_of": [untyped({"a": 1.5, "b": 2.0}, ["a", "b"])],
    "from_pairs": [untyped([1, 2, 1], [0.5, 2.0, 3.0]), untyped([1, 2], [V, W, V])],
    "entry": [Sample(({1: 1.5, 2: 2.0}, 0.5, 2), linear=True, untyped=True)],
    "add_entry": [untyped({1: 1.5}, 0.5, 1), untyped({1: V}, W, 1)],
    "without_entry": [untyped({1: 1.5, 2: 2.0}, 1), untyped({1: 1.5}, 2)],
    "inside": [Sample(({1: 1.5, 2: 2.0}, {1: 3.0}), linear=True, untyped=True)],
    "outside": [Sample(({1: 1.5, 2: 2.0}, {1: 3.0}), linear=True, untyped=True)],
    "gathered": [Sample(({1: 1.5, 2: 2.0}, [1, 2, 1], [0.5, 1.0, 2.0]), linear=True, untyped=True)],
    "rows": [untyped(M)], "stack_rows": [at([V, W], M)],
    "np.prod": [at(V), *[at(M, **params) for params in _AXES], at(np.array([1.5, 0.0, 2.0])), at(T, axis=1), at(ROW)],
    "np.cumsum": [at(V), at(M), at(M, axis=1), at(T, axis=-1), at(ROW, axis=0)],
    "others": [at(V), at(M), at(np.array([0.0, 2.0, 0.0])), at(np.array([1.5]))], "all_but_one": [at(V), at(M)],
    "off_diagonal": [at(V), at(M)], "sum_off_diagonal": [at(S), at(np.stack([S, S + 1]))],
    "np.diag": [at(V), at(S), at(V, k=1), at(M, k=-1), at(S, k=2), at(M)],
    "diagonal_onto": [ranked(V, S), ranked(np.array([0.5, 2.0]), M), ranked(np.array([0.5, 2.0]), M, k=1)],
    "np.trace": [at(S), at(M)], "trace_onto": [ranked(F64, S), ranked(F64, M)],
    "np.linalg.inv": [at(S), at(np.stack([S, S + np.eye(3)]))],
    "np.linalg.solve": [at(S, V), at(S, N), at(np.stack([S, S + np.eye(3)]), np.stack([N, N]))],
    "np.linalg.det": [at(S), at(np.stack([S, S + np.eye(3)]))],
    "cofactor_slope": [at(S[::-1].copy(), S), at(S, np.stack([S, S + np.eye(3)])), at(R, R + np.eye(4))],
    "cofactor": [at(S), at(np.stack([S, S + np.eye(3)])), at(S[:2, :2].copy())],
    "np.arange": [at(3), at(1, 4), at(0.1, 1.1, 0.3), at(0.1, 2.2)], "places": [at(V)],
    **REARRANGED, **DECOMPOSED, **FACTORED, **FOURIER,
    "np.linspace": [at(0.5, 2.0, 4), at(0.5, F64, 3, known=("n",))],
}
