"""The elementary functions of the native target against mpmath, over their whole range, and in vectorised loops."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import circular, cpus, engine, error_function, exponentials, formula, roots
from ccc.compile.native.elementary import FUNCTIONS, parts, source, symbol
from ccc.compile.native.elementary_calls import used
from ccc.primitives import registry

pytest.importorskip("llvmlite")
mpmath: Any = pytest.importorskip("mpmath")
mp = mpmath.mp.clone()
mp.prec = 140

ROOT = Path(__file__).resolve().parents[1]
LARGEST = mp.mpf(2) ** 1024 * (1 - mp.mpf(2) ** -54)
SMALL = ("sin_small", "cos_small", "tan_small")
VARIANTS = {"fused": True, "plain": False}

LOOP = """
define void @loop_{name}(i64 %n, ptr noalias %out, {parameters}) nounwind "prefer-vector-width"="512" {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{loads}
  %r = call double {symbol}({arguments})
  %q = getelementptr double, ptr %out, i64 %i
  store double %r, ptr %q
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""

WIDE = """
define void @wide_{name}(ptr noalias %out, {parameters}) nounwind {{
{loads}
  %r = call <{lanes} x double> {symbol}({arguments})
  store <{lanes} x double> %r, ptr %out, align 8
  ret void
}}
"""


def loop(name: str) -> str:
    """The IR of a loop that applies a function to arrays."""
    count = FUNCTIONS[name].count
    loads = [
        f"  %p{k} = getelementptr double, ptr %x{k}, i64 %i\n  %v{k} = load double, ptr %p{k}" for k in range(count)
    ]
    return LOOP.format(
        name=name, symbol=symbol(name), loads="\n".join(loads),
        parameters=", ".join(f"ptr noalias %x{k}" for k in range(count)),
        arguments=", ".join(f"double %v{k}" for k in range(count)),
    )  # fmt: skip


@cache
def target(fma: bool) -> cpus.Cpu:
    """The CPU to compile for; without fused multiply-add, one that has none."""
    if fma and not engine.cpu().has_fma:
        pytest.skip("this CPU has no fused multiply-add")
    return engine.cpu() if fma else cpus.BASELINE


@cache
def loaded(fma: bool) -> engine.Loaded:
    """A loop for each function, compiled once."""
    ir = source(FUNCTIONS, fma) + "".join(loop(name) for name in FUNCTIONS)
    return engine.compile_ir(ir, [f"loop_{name}" for name in FUNCTIONS], target=target(fma))


def applied(name: str, fma: bool, *arrays: np.ndarray) -> np.ndarray:
    """The function of the elements of arrays."""
    count = FUNCTIONS[name].count
    function = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (count + 1))(loaded(fma)[f"loop_{name}"])
    inputs = [np.ascontiguousarray(a, dtype=np.float64) for a in arrays]
    out = np.empty_like(inputs[0])
    function(out.size, out.ctypes.data, *[a.ctypes.data for a in inputs])
    return out


EXACT: dict[str, Callable[..., Any]] = {
    "exp": mp.exp, "exp2": lambda x: mp.mpf(2) ** x, "expm1": mp.expm1, "log": mp.log, "log1p": mp.log1p,
    "log2": lambda x: mp.log(x) / mp.log(2), "log10": lambda x: mp.log(x) / mp.log(10), "power": mp.power,
    "logaddexp": lambda a, b: max(a, b) + mp.log1p(mp.exp(-abs(a - b))), "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "arcsinh": mp.asinh, "arccosh": mp.acosh, "arctanh": mp.atanh,
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sin_small": mp.sin, "cos_small": mp.cos, "tan_small": mp.tan,
    "arcsin": mp.asin, "arccos": mp.acos, "arctan": mp.atan, "arctan2": mp.atan2, "sqrt": mp.sqrt,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "hypot": mp.hypot, "erf": mp.erf, "erfc": mp.erfc,
}  # fmt: skip


def points(name: str, n: int, limit: float) -> tuple[np.ndarray, ...]:
    """Arguments over the whole range of a function, `n` to a region: subnormal, near its edges, usual and huge."""
    rng = np.random.default_rng(20)

    def flat(low: float, high: float) -> np.ndarray:
        return rng.uniform(low, high, n)

    def sized(low: float, high: float) -> np.ndarray:
        return 10.0 ** flat(low, high)

    def either(x: np.ndarray) -> np.ndarray:
        return np.where(rng.random(n) < 0.5, -x, x)

    tiny, whole = either(sized(-323, 0)), either(sized(-323, 308.2))
    turns = rng.integers(-int(limit / 1.6), int(limit / 1.6), n) * (math.pi / 2)
    circle = [flat(-limit, limit), flat(-10, 10), flat(-1e4, 1e4), tiny, turns, np.round(turns / 1e4) * (math.pi / 2)]
    angles, line = [*circle, either(sized(5, 308))], [whole, flat(-4, 4), tiny]
    growth = [flat(-746, 710.5), flat(-40, 40), flat(-2, 2), tiny]
    ends = [flat(-1, 1), tiny, 1 - sized(-17, 0), -1 + sized(-17, 0)]
    positive = [sized(-323, 308.2), flat(0.3, 3), 1 + 0.5 * tiny]
    one: dict[str, list[np.ndarray]] = {
        **dict.fromkeys(("exp", "expm1", "sigmoid", "sinh", "cosh", "tanh"), growth),
        **dict.fromkeys(("log", "log2", "log10", "sqrt"), positive),
        **dict.fromkeys(SMALL, circle),
        **dict.fromkeys(("sin", "cos", "tan"), angles),
        **dict.fromkeys(("arcsin", "arccos", "arctanh"), ends),
        **dict.fromkeys(("arctan", "arcsinh", "cbrt"), line),
        "exp2": [flat(-1075, 1024), flat(-2, 2), tiny],
        "log1p": [sized(-323, 308.2), flat(-1, 3), tiny, -1 + sized(-16, 0)],
        "arccosh": [1 + sized(-16, 0), sized(0, 308.2), flat(1, 30)],
        "erf": [flat(-6.5, 6.5), tiny, flat(-1.5, 1.5)],
        "erfc": [flat(-6.5, 6.5), flat(0, 27.3), tiny, flat(-1.5, 1.5)],
    }
    if name in one:
        return (np.concatenate(one[name]),)
    base = sized(-320, 308)
    plane = [
        (flat(-1, 1), flat(-1, 1)), (whole, either(sized(-323, 308.2))), (either(sized(-1, 1)), either(sized(-1, 1))),
        (sized(307, 308), -sized(307, 308)), (sized(-323, -307), -sized(-323, -307)),
    ]  # fmt: skip
    two: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {
        "arctan2": plane,
        "hypot": plane,
        "power": [
            (base, flat(-745, 709.7) / np.log(base)), (flat(0.5, 2), flat(-1000, 1000)), (sized(-5, 5), flat(-10, 10)),
            (1 + 0.01 * tiny, sized(0, 17)), (-flat(0, 100), rng.integers(-50, 50, n).astype(float)),
            (base, sized(-300, 0)),
        ],
        "logaddexp": [(flat(-10, 10), flat(-10, 10)), (flat(-900, 900), flat(-900, 900)), (flat(-1, 1), flat(-40, 2))],
    }  # fmt: skip
    first, second = zip(*two[name], strict=True)
    return np.concatenate(first), np.concatenate(second)


def ulps(value: float, exact: Any, least: float = 0.0) -> float:
    """The distance from the exact result, in units in its last place (or of `least`, if that is larger)."""
    if abs(exact) >= LARGEST:
        return 0.0 if value == math.copysign(math.inf, exact) else math.inf
    if not math.isfinite(value):
        return math.inf
    unit = math.ulp(max(abs(float(exact)), least))
    return float(abs(mp.mpf(value) - exact) / unit)


def worst(name: str, fma: bool, n: int) -> tuple[float, tuple[float, ...]]:
    """The largest error found, and where."""
    arrays = points(name, n, circular.LIMIT if fma else circular.SHORT_LIMIT)
    values = applied(name, fma, *arrays)
    found = (0.0, ())
    for value, *arguments in zip(values.tolist(), *[a.tolist() for a in arrays], strict=True):
        exact = EXACT[name](*[mp.mpf(x) for x in arguments])
        least = max(map(abs, arguments)) if name == "logaddexp" else 0.0
        found = max(found, (ulps(value, exact, least), tuple(arguments)))
    return found


@pytest.mark.share(2)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_as_accurate_as_it_states(name: str, variant: str):
    error, where = worst(name, VARIANTS[variant], 40)
    assert error <= FUNCTIONS[name].ulps <= 4.0, where


@pytest.mark.nightly
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_as_accurate_as_it_states_at_many_points(name: str, variant: str):
    error, where = worst(name, VARIANTS[variant], 10_000)
    assert error <= FUNCTIONS[name].ulps, where


def test_arctan2_of_subnormal_numbers():
    """Comparing their ratio with a threshold by a product that is subnormal too lost all accuracy."""
    steps = np.arange(1, 60) * 5e-324
    y, x = [a.ravel() for a in np.meshgrid(steps, steps)]
    for fma in VARIANTS.values():
        np.testing.assert_allclose(applied("arctan2", fma, y, x), np.arctan2(y, x), rtol=4 * 2.0**-52, atol=0)


def test_an_error_is_measured_in_units_in_the_last_place():
    assert ulps(1.0, mp.mpf(1.0)) == 0.0
    assert ulps(math.nextafter(1.0, 2.0), mp.mpf(1)) == 1.0
    assert ulps(math.nan, mp.mpf(1)) == ulps(1.0, mp.mpf(2) ** 1024) == math.inf
    assert ulps(5e-324, mp.mpf(0)) == 1.0


SPECIAL = np.array([
    0.0, 5e-324, 2.2e-308, 1e-300, 0.5, 1.0, math.nextafter(1, 2), math.nextafter(1, 0), 2.0, 2.5, 3.0, 1e17, 1e300,
    2.0**52 + 1, 2.0**53 - 1, 2.0**53, 2.0**54 + 2, 1.7976931348623157e308, math.inf, 700.0, 709.78, 709.79, 710.4,
    711.0, 745.1, 745.2, 746.0, 1023.9, 1024.0, 1074.0, 1075.1, 6.1, 26.5, 27.3, 1e5, 8e6, 8.1e6, 1e9, 1.1e9,
])  # fmt: skip
NANS = np.array([0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_0FFF], dtype=np.uint64).view(np.float64)
ARGUMENTS = np.concatenate([SPECIAL, -SPECIAL, NANS])


def of_elements(f: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda xs: np.array([f(x) for x in xs.tolist()])


def logistic(x: float) -> float:
    return x if math.isnan(x) else float(1 / (1 + mp.exp(mp.mpf(-x)))) if math.isfinite(x) else float(x > 0)


EXPECTED = {"erf": of_elements(math.erf), "erfc": of_elements(math.erfc), "sigmoid": of_elements(logistic)}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in SMALL])
def test_special_values_are_those_of_numpy(name: str, variant: str):
    arrays = (ARGUMENTS,)
    if FUNCTIONS[name].count == 2:
        first, second = zip(*itertools.product(ARGUMENTS, ARGUMENTS), strict=True)
        arrays = np.array(first), np.array(second)
    value = applied(name, VARIANTS[variant], *arrays)
    with np.errstate(all="ignore"):
        expected = EXPECTED.get(name, getattr(np, name, None))(*arrays)  # pyright: ignore[reportOptionalCall]
    edge = ~np.isfinite(expected) | (expected == 0.0)
    np.testing.assert_array_equal(value[edge], expected[edge])
    zero = expected == 0.0
    assert (np.signbit(value[zero]) == np.signbit(expected[zero])).all()
    np.testing.assert_allclose(
        value[~edge], expected[~edge], rtol=8 * 2.0**-52, atol=1e-15 if name == "logaddexp" else 2e-323
    )


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_loop_is_vectorised(name: str, variant: str):
    fma = VARIANTS[variant]
    if not engine.makes_vectors(target(fma)):
        pytest.skip("`lanes` makes the vectors")
    text = str(engine.optimised(source([name], fma) + loop(name), target(fma)))
    body = text[text.index(f"define void @loop_{name}(") :]
    body = body[: body.index("\n}")]
    vectors = body[body.index("vector.body:") : body.index("middle.block:")]
    assert re.search(r"store <\d+ x (double|i64)>", vectors)
    assert "call double @" not in vectors
    assert not re.search(r"@ccc_rare_\w+_v\d+\(", vectors), "the test for large angles is not inline"


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_the_few_large_angles_are_those_of_the_c_library(name: str):
    """Beyond the limit the C library answers; its neighbours in a vector are computed as ever."""
    x = np.linspace(-3.0, 3.0, 1001)
    x[::97] = 1e300
    value = applied(name, False, x)
    small = applied(f"{name}_small", False, x)
    assert (value[::97] == getattr(math, name)(1e300)).all()
    rest = np.arange(x.size) % 97 != 0
    np.testing.assert_array_equal(value[rest], small[rest])


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_a_function_of_vectors_is_that_of_their_elements(lanes: int):
    fma = engine.cpu().has_fma
    ir = source(FUNCTIONS, fma, lanes)
    for name, function in FUNCTIONS.items():
        ks = range(function.count)
        ir += WIDE.format(
            name=name, lanes=lanes, symbol=symbol(name, lanes),
            parameters=", ".join(f"ptr noalias %x{k}" for k in ks),
            loads="\n".join(f"  %v{k} = load <{lanes} x double>, ptr %x{k}, align 8" for k in ks),
            arguments=", ".join(f"<{lanes} x double> %v{k}" for k in ks),
        )  # fmt: skip
    wide = engine.compile_ir(ir, [f"wide_{name}" for name in FUNCTIONS])
    x = np.array([0.3, -0.7, 1e10, math.nan, 2.5, -40.0, 0.0, 1e-310])[:lanes]
    y = np.array([1.5, 2.0, -0.5, 1.0, -3.0, 0.25, -0.0, 7.0])[:lanes]
    for name, function in FUNCTIONS.items():
        arrays = (x, y)[: function.count]
        out = np.empty(lanes)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (function.count + 1))(wide[f"wide_{name}"])
        call(out.ctypes.data, *[a.ctypes.data for a in arrays])
        if name not in SMALL:
            np.testing.assert_array_equal(out, applied(name, fma, *arrays), err_msg=name)


def grid(low: float, high: float, n: int = 300) -> list[Any]:
    """Points of an interval, dense at its ends, without zero."""
    low, high = mp.mpf(low), mp.mpf(high)
    return [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 3) / n) for k in range(n)]


def scaled_erfc(x: Any) -> Any:
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


LOG_END = (math.sqrt(2) - 1) / (math.sqrt(2) + 1)
POLYNOMIALS: dict[str, tuple[tuple[float, ...], float, float, Callable[..., Any], float]] = {
    # coefficients, interval, the error of the function for the argument and the polynomial's value, bits
    "e^r": (
        exponentials.E_COEFFICIENTS, -math.log(2) / 2, math.log(2) / 2,
        lambda r, p, c: (1 + r + r * r * p(r)) / mp.exp(r) - 1, -55.5,
    ),
    "expm1 r": (
        exponentials.E_COEFFICIENTS, -math.log(2) / 2, math.log(2) / 2,
        lambda r, p, c: (r + r * r * p(r)) / mp.expm1(r) - 1, -54.5,
    ),
    "2^r": (
        exponentials.EXP2_COEFFICIENTS, -0.5, 0.5, lambda r, p, c: (1 + r * p(r)) / mp.mpf(2) ** r - 1, -55.0,
    ),
    "2 atanh s": (
        exponentials.L_COEFFICIENTS, 0, LOG_END, lambda s, p, c: (2 + s * s * p(s * s)) * s / (2 * mp.atanh(s)) - 1,
        -58.5,
    ),
    "2 atanh s, closer": (
        exponentials.L_TAIL_COEFFICIENTS, 0, LOG_END,
        lambda s, p, c: (2 + s * s * (mp.mpf(2) / 3 + s * s * p(s * s))) * s / (2 * mp.atanh(s)) - 1, -66.0,
    ),
    "sin r": (
        circular.S_COEFFICIENTS, 0, math.pi / 4, lambda r, p, c: (1 + r * r * p(r * r)) * r / mp.sin(r) - 1, -56.0,
    ),
    "cos r": (
        circular.C_COEFFICIENTS, 0, math.pi / 4,
        lambda r, p, c: (1 - r * r / 2 + r**4 * p(r * r)) / mp.cos(r) - 1, -60.0,
    ),
    "arctan t": (
        circular.A_COEFFICIENTS, 0, circular.TAN_EIGHTH, lambda t, p, c: (1 + t * t * p(t * t)) * t / mp.atan(t) - 1,
        -56.5,
    ),
    "arcsin x": (
        circular.B_COEFFICIENTS, 0, 0.5, lambda x, p, c: (1 + x * x * p(x * x)) * x / mp.asin(x) - 1, -56.5,
    ),
    "erf x": (
        error_function.P_COEFFICIENTS, 0, 0.75, lambda x, p, c: (1 + p(x * x)) * x / mp.erf(x) - 1, -54.5,
    ),
    "erfc x, absolutely": (
        error_function.Q_NEAR_COEFFICIENTS, 0.75, 6,
        lambda x, p, c: (p((x - c) / (x + c)) / scaled_erfc(x) - 1) * mp.erfc(x), -55.0,
    ),
    "erfc x": (
        error_function.Q_FAR_COEFFICIENTS, 0.75, 28, lambda x, p, c: p((x - c) / (x + c)) / scaled_erfc(x) - 1, -55.0,
    ),
    "x^(-1/3)": (roots.Y_COEFFICIENTS, 1, 2, lambda x, p, c: p(x) * mp.cbrt(x) - 1, -20.0),
}  # fmt: skip


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_is_as_close_as_the_bounds_need(name: str):
    """The coefficients as they stand, in exact arithmetic: how they were found does not matter."""
    coefficients, low, high, error, bits = POLYNOMIALS[name]
    centre = error_function.Q_NEAR if "absolutely" in name else error_function.Q_FAR
    reversed_ = [mp.mpf(c) for c in coefficients[::-1]]
    largest = max(abs(error(x, lambda z: mp.polyval(reversed_, z), centre)) for x in grid(low, high))
    assert mp.log(largest, 2) <= bits


@pytest.mark.parametrize(
    ("terms", "exact"),
    [
        (exponentials.LN2[formula.DOUBLE], mp.log(2)),
        ((exponentials.INVERSE_LN2, exponentials.INVERSE_LN2_LOW), 1 / mp.log(2)),
        ((exponentials.INVERSE_LN10, exponentials.INVERSE_LN10_LOW), 1 / mp.log(10)),
        ((exponentials.LOG10_2_HIGH, exponentials.LOG10_2_LOW), mp.log10(2)),
        ((exponentials.TWO_THIRDS, exponentials.TWO_THIRDS_LOW), mp.mpf(2) / 3),
        ((circular.EIGHTH_TURN, circular.EIGHTH_TURN_LOW), mp.pi / 4),
        (circular.PARTS_OF_HALF_PI, mp.pi / 2),
        (circular.SHORT_PARTS_OF_HALF_PI, mp.pi / 2),
    ],
)
def test_a_constant_in_parts_adds_up(terms: tuple[float, ...], exact: Any):
    assert abs(sum(map(mp.mpf, terms)) / exact - 1) <= mp.mpf(2) ** -94


def test_every_name_is_a_primitive():
    assert {p for f in FUNCTIONS.values() for p in (*f.numpy, *f.python)} <= set(registry.PRIMITIVES)


def test_each_function_and_declaration_is_written_once():
    text = source(["exp", "exp", "sin", "cos"], True)
    assert text.count("define internal double @ccc_exp(") == 1
    lines = [line for line in text.splitlines() if line.startswith("declare")]
    assert len(lines) == len(set(lines))
    declarations, definitions = parts([("exp", 1, None)], True)
    assert all(line.startswith("declare") for line in declarations)
    assert not any("declare" in str(found) for found in definitions)


def text_of(definitions: Any) -> str:
    return "\n".join(map(str, definitions))


def test_a_short_function_is_inlined_where_a_long_one_is_called_as_often():
    """Values had to be saved around each of six calls of `hypot` in a loop."""
    calls = ["ccc_hypot", "ccc_power"]
    definitions = text_of(parts(used(calls * 6), True)[1])
    assert "@ccc_hypot(double %x, double %y) alwaysinline" in definitions
    assert "@ccc_power(double %x, double %y) noinline" in definitions
    assert "noinline" not in text_of(parts(used(calls), True)[1]), "few calls are inlined"


def test_threads_compile_at_once():
    results: list[float] = []

    def compile_and_call() -> None:
        ir = "define double @f(double %x) {\n  %y = fadd double %x, 1.0\n  ret double %y\n}"
        code = engine.compile_ir(ir, ["f"])
        results.append(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code["f"])(1.0))

    threads = [threading.Thread(target=compile_and_call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2.0] * 8


def test_a_symbol_given_by_address_is_called():
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    doubled = prototype(lambda x: 2 * x)
    address = ctypes.cast(doubled, ctypes.c_void_p).value
    assert address is not None
    ir = "declare double @given(double)\ndefine double @f(double %x) {\n"
    ir += "  %y = call double @given(double %x)\n  ret double %y\n}"
    code = engine.compile_ir(ir, ["f"], {"given": address})
    assert prototype(code["f"])(4.0) == 8.0


@pytest.mark.parametrize("missing", ["llvmlite", "llvmlite.binding"])
def test_without_llvmlite_the_engine_says_so(missing: str):
    code = f"import sys; sys.modules[{missing!r}] = None\n"
    code += "from ccc.compile.native import elementary, engine; print(engine.available())"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
    assert engine.available()


@pytest.mark.parametrize("factors", [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4, 5, 6, 7)])
def test_a_length_of_any_number_of_numbers(factors: tuple[int, ...]) -> None:
    """All beyond the first two were dropped, without a word."""

    def f(x: float) -> float:
        return x + math.hypot(*[x * k for k in factors]) + math.dist([x for _ in factors], factors)

    for verb in (ccc.compiled, ccc.gradient):
        assert math.isclose(verb(f, backend="native")(0.7), verb(f, backend="numpy")(0.7), rel_tol=1e-13)
