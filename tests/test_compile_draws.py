"""Random numbers in programs: the stream of plain Python, taken once, and derivatives in the parameters of draws."""

from __future__ import annotations

import dataclasses
import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.errors import MissingDerivative
from ccc.primitives.quantiles import beta_slope, gamma_slope

GENERATOR: Callable[[], Any] = lambda: np.random.default_rng(3)  # noqa: E731
STATE: Callable[[], Any] = lambda: np.random.RandomState(3)  # noqa: E731
MAKERS = {"Generator": GENERATOR, "RandomState": STATE}
A, B = np.array([0.5, 1.5, 2.5]), np.array([[0.7], [1.3]])
COV = np.array([[2.0, 0.5], [0.5, 1.0]])


def function_of(text: str) -> Any:
    """`lambda r, x: <text>` with a source that can be read."""
    name, source = f"<draw {text}>", f"def f(r, x):\n    return {text}\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    found: dict[str, Any] = {"np": np, "A": A, "B": B, "COV": COV}
    exec(compile(source, name, "exec"), found)
    return found["f"]


# -- the same stream -------------------------------------------------------------------------------------------------

OF_BOTH = (
    "normal(x, 1.7) normal(1, 2, size=(2,3)) normal(A, B+2) normal(0.1, B+2, (2,3)) laplace(x, 1.7, 3) logistic(A, x) "
    "gumbel(x, 0.3, size=4) lognormal(x, 0.5) lognormal(A, 0.5) lognormal(1e3, x) lognormal(A, x, (300, 3)) "
    "uniform(x, 2) uniform(A, B+4) exponential(A) "
    "rayleigh(x, 3) triangular(0.0, x, 1.0) triangular(A-1, A, A+2) gamma(x, 2.0, (2,3)) gamma(A, B) gamma(x) "
    "chisquare(A) chisquare(x, 2) dirichlet(A, size=(2,4)) multivariate_normal(A[:2], COV, 3) standard_normal((2,2)) "
    "random(3) permutation(5) permutation(A) choice(5, 3) choice(A, 4) choice(A, 2, p=[.2,.3,.5]) choice(A) "
    "weibull(x) pareto(A) power(x, 3) standard_t(x) poisson(A) binomial(5, 0.3, size=3) multinomial(5, [.2,.3,.5]) "
    "beta(x, A) vonmises(0.1, 2.0, 3) wald(1.0, 2.0) f(2.0, 3.0, 2) hypergeometric(3, 4, 2, size=3) "
    "standard_normal(A.shape) normal([1.0,2.0], [1,2]) normal(x, size=())"
)
OF_GENERATORS = (
    "integers(10) integers(2, 10, size=4) permuted(A) permuted(np.outer(A, A), axis=1) "
    "choice(np.outer(A, A), 2, axis=1) "
    "multivariate_normal(A[:2], COV, (3,2), method='cholesky') multivariate_normal(A[:2], COV, method='eigh') "
    "random(3, dtype=np.float32) permutation(np.outer(A, A), axis=1)"
)
OF_STATES = "randint(10) randint(2, 10, size=4) rand(2, 3) randn() randn(2) random_sample(3) tomaxint()"


def split(text: str) -> list[str]:
    """The calls in a text, between which a blank stands outside of brackets."""
    found, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == " " and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [call for call in found if call]


CALLS = [(kind, call) for kind, text in (
    ("Generator", OF_BOTH), ("RandomState", OF_BOTH), ("Generator", OF_GENERATORS), ("RandomState", OF_STATES),
) for call in split(text)]


@pytest.mark.share(2)
@pytest.mark.parametrize("kind,call", CALLS, ids=str)
def test_a_draw_is_that_of_plain_python_bit_for_bit(kind: str, call: str) -> None:
    f, ours, theirs = function_of(f"r.{call}"), MAKERS[kind](), MAKERS[kind]()
    compiled = ccc.compiled(f, backend="numpy")
    for _ in range(2):
        found, expected = compiled(ours, 0.7), f(theirs, 0.7)
        assert type(found) is type(expected) and np.shape(found) == np.shape(expected)
        assert np.array_equal(found, expected), call
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("call", split(
    "normal(0.0, -x) uniform(x, -3.0) gamma(-x) triangular(2.0, x, 1.0) normal(A, 1.0, size=2) exponential(-A)"))
def test_what_numpy_refuses_is_refused_alike_and_nothing_is_drawn(call: str) -> None:
    f, ours, theirs = function_of(f"r.{call}"), GENERATOR(), GENERATOR()
    with pytest.raises(ValueError) as expected:
        f(theirs, 0.7)
    with pytest.raises(ValueError) as found:
        ccc.compiled(f)(ours, 0.7)
    if "size" not in call:
        assert str(found.value) == str(expected.value)
    assert ours.random() == theirs.random()


# -- derivatives in parameters ---------------------------------------------------------------------------------------


def differences(f: Any, x: Any, make: Callable[[], Any], h: float = 1e-6) -> Any:
    x = np.asarray(x, float)
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        found[i] = (f(x + step, make()) - f(x - step, make())) / (2.0 * h)
    return found


def agrees(f: Any, x: Any, make: Callable[[], Any]) -> None:
    """Value, stream and both modes are those of plain Python and of differences along one stream."""
    ours, theirs = make(), make()
    value, slope = ccc.value_with_gradient(f, wrt="x")(x, ours)
    assert value == f(x, theirs) and ours.random() == theirs.random()
    assert np.allclose(slope, differences(f, x, make), rtol=2e-4, atol=1e-6)
    ours, theirs = make(), make()
    value, differential = ccc.value_with_differential(f, wrt="x")(x, ours)
    tangents = differential(np.ones_like(x) if np.ndim(x) else 1.0)
    assert value == f(x, theirs) and np.allclose(tangents, np.sum(slope))
    assert ours.random() == theirs.random()


def families(x: Any, r: Any) -> Any:
    s = np.sum(r.normal(x[0], x[1], size=3) ** 2) + np.sum(r.uniform(x, x + x[1] ** 2))
    s += r.exponential(x[0]) * x[1] + np.sum(r.rayleigh(x) ** 2) + np.sum(r.lognormal(x[0], x[1], 3))
    s += np.sum(r.laplace(x, 2.0) * r.logistic(0.0, x)) + r.gumbel(x[0], x[1])
    return s + np.sum(r.triangular(x[0] - 2, x[1], x[0] + 3, 5) ** 2) + r.triangular(x[0] - 2, x[1], x[0] + 3)


def powers(x: Any, r: Any) -> Any:
    return np.sum(r.weibull(x) ** 2) + np.sum(r.pareto(x[0] + 2, size=2)) + r.power(x[1]) + r.vonmises(x[0], 3.0)


def gaussian(x: Any, r: Any) -> Any:
    return np.sum(r.multivariate_normal(x, np.outer(x, x) + np.diag(x), 3) ** 2)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("f", [families, powers, gaussian])
def test_draws_have_derivatives_in_their_parameters(f: Any, make: Any) -> None:
    agrees(f, np.array([0.7, 1.3]), make)


def test_a_scale_of_zero_has_a_derivative() -> None:
    assert ccc.gradient(lambda s, r: r.normal(1.0, s), wrt=0)(0.0, GENERATOR()) == GENERATOR().standard_normal()


def test_shapes_move_the_quantile() -> None:
    """Rejection jumps, the quantile at a fixed probability does not: compared with digits of mpmath."""
    mp = pytest.importorskip("mpmath").mp
    with mp.workdps(30):
        for z, a in ((0.3, 0.2), (1.4, 2.0), (5.5, 2.0), (40.0, 50.0), (63.0, 50.0)):
            density = mp.mpf(z) ** (a - 1) * mp.exp(-z) / mp.gamma(a)
            slope = -mp.diff(lambda s, z=z: mp.gammainc(s, 0, z, regularized=True), a) / density
            assert abs(gamma_slope(z, a, n=0) - slope) < 1e-14 * slope
        for z, a, b in ((0.3, 0.2, 0.7), (0.9, 2.0, 0.5), (0.1, 5.0, 30.0)):
            density = mp.mpf(z) ** (a - 1) * (1 - mp.mpf(z)) ** (b - 1) / mp.beta(a, b)
            for of, at in enumerate((a, b)):
                law = lambda s, of=of, z=z, a=a, b=b: mp.betainc(*((s, b), (a, s))[of], 0, z, regularized=True)  # noqa: E731
                slope = -mp.diff(law, at) / density
                assert abs(beta_slope(z, a, b, of=of) - slope) < 1e-13 * abs(slope)


def test_second_derivatives_along_a_quantile() -> None:
    """d/da of dz/da along z(a): the slope moves with the draw as well."""
    def f(x: Any, r: Any) -> Any:
        return r.gamma(x) + r.beta(x, 2.0 * x) + r.chisquare(x)

    def slope(x: float, z: Any) -> float:
        return gamma_slope(z[0], x, n=0)

    z, h = GENERATOR().gamma(1.3), 1e-5
    up, down = z + h * gamma_slope(z, 1.3, n=0), z - h * gamma_slope(z, 1.3, n=0)
    expected = (gamma_slope(up, 1.3 + h, n=0) - gamma_slope(down, 1.3 - h, n=0)) / (2 * h)
    only = lambda x, r: r.gamma(x)  # noqa: E731
    assert math.isclose(ccc.hessian(only)(1.3, GENERATOR()), expected, rel_tol=1e-6)
    twice = ccc.gradient(ccc.gradient(f, wrt="x"), wrt="x")
    assert math.isclose(twice(1.3, GENERATOR()), ccc.hessian(f)(1.3, GENERATOR()), rel_tol=1e-12)


# -- in programs -----------------------------------------------------------------------------------------------------


def loop(x: Any, r: Any) -> Any:
    s = 0.0
    for _ in range(5):
        s = s + math.sin(s + x * r.normal())
    while s < 4.0:
        s = s + r.exponential(x)
    return s


def branch(x: Any, r: Any) -> Any:
    r.normal()  # which nobody reads
    if r.random() < 0.5:
        return x * r.normal()
    return x * x * r.normal(0.0, x)


def comprehension(x: Any, r: Any) -> Any:
    return sum([x * r.normal() for _ in range(4)]) + np.sum(np.array([r.random() * x for _ in range(3)]))


def recursive(x: Any, r: Any, n: int = 4) -> Any:
    if n == 0:
        return x
    return recursive(x * r.uniform(-2.5, x), r, n - 1) + r.normal() * x


def closure(x: Any, r: Any) -> Any:
    def g(y: Any) -> Any:
        return y * r.normal() + x

    return g(x) * g(2.0) + (lambda z: z * r.random())(x)


def inside(x: Any, r: Any) -> Any:
    q, p = np.random.default_rng(7), np.random.RandomState(4)
    return x * q.normal() * p.randn() + r.normal() * x * x


def shuffled(x: Any, r: Any) -> Any:
    y, z = np.array([x, 2.0 * x, x * x, 3.0]), [x, x * x, 1.0]
    r.shuffle(y)
    r.shuffle(z)
    return y[0] * y[1] + z[0] * 2.0 + z[2] + r.choice(np.array([x, x * x, 3.0])) * np.sum(r.choice(y, 4))


def listed(x: Any, r: Any) -> Any:
    order, z = list(range(5)), [x * i for i in range(4)]
    for _ in range(3):
        r.shuffle(order)
    r.shuffle(z)
    return sum([x**i for i in order[:2]]) + z[0] * z[1] + z[3] if isinstance(r, np.random.Generator) else x


def applied(x: Any, r: Any) -> Any:
    v = np.arange(4.0) - 1.5
    first = lambda t: t * x * r.normal(size=np.shape(t))  # noqa: E731
    last = lambda t: x * x * t * r.normal()  # noqa: E731
    s = np.sum(np.vectorize(lambda t: t * x * r.normal())(v))
    s = s + np.sum(np.piecewise(v, [v < 0, v > 9], [first, last, last]))
    return s + np.sum(np.apply_along_axis(lambda t: np.sum(t) * x * r.normal(), 1, np.ones((3, 2))))


def chained(x: Any, r: Any) -> Any:
    s = total = 0.0
    while total < 4.0:
        proposed = s + r.normal(0.0, x)
        if math.log(r.random()) < 0.5 * (s * s - proposed * proposed):
            s = proposed
        total = total + s * s + 0.1
    return total + s


def rows(x: Any, r: Any) -> Any:
    s = np.zeros(3)
    for z in r.normal(size=(6, 3)):
        s = np.tanh(s * x + z)
    return np.sum(s)


@pytest.mark.parametrize("f", [
    loop, branch, comprehension, recursive, closure, inside, shuffled, listed, applied, chained, rows])
def test_draws_stand_anywhere(f: Any) -> None:
    agrees(f, 0.8, GENERATOR)


def noisy(s: Any, r: Any) -> Any:
    return np.tanh(s * r.normal() + r.random())


def kept(x: Any, r: Any) -> Any:
    s = x
    for _ in range(4):
        s = noisy(s, r) + x * r.random()
    return s


def again(x: Any, r: Any) -> Any:
    s = x
    for _ in range(4):
        s = ccc.checkpointed(noisy)(s, r) + x * r.random()
    return s


@pytest.mark.parametrize("f", [again, ccc.checkpointed(kept), ccc.checkpointed(again)])
def test_a_checkpoint_draws_again_what_it_drew(f: Any) -> None:
    for verb in (lambda g: ccc.gradient(g, wrt="x"), lambda g: ccc.gradient(ccc.gradient(g, wrt="x"), wrt="x")):
        ours, theirs = GENERATOR(), GENERATOR()
        assert math.isclose(verb(f)(0.7, ours), verb(kept)(0.7, theirs), rel_tol=1e-12)
        assert ours.random() == theirs.random()


SHARED = GENERATOR()


def aliased(x: Any, r: Any) -> Any:
    return x * x * r.normal() * SHARED.normal()


def test_two_names_of_one_source_stay_one_where_a_body_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = 1.4 * np.prod(GENERATOR().normal(size=2))
    runs = [lambda r: ccc.gradient(ccc.checkpointed(aliased), wrt="x")(0.7, r),
            lambda r: ccc.value_with_differential(aliased, wrt="x")(0.7, r)[1](1.0)]
    for run in runs:
        monkeypatch.setitem(globals(), "SHARED", GENERATOR())
        assert math.isclose(run(SHARED), expected)


def test_pullbacks_differentials_and_columns_draw_once() -> None:
    def vector(x: Any, r: Any) -> Any:
        return np.tanh(x * r.normal(size=3) + r.normal(x, 1.0))

    x = np.array([0.1, 0.2, 0.3])
    for verb in (lambda: ccc.jacobian(vector, wrt="x"), lambda: ccc.jacfwd(vector)):
        ours, theirs = GENERATOR(), GENERATOR()
        found = verb()(x, ours)
        vector(x, theirs)
        columns = [differences(lambda y, r, i=i: vector(y, r)[i], x, GENERATOR) for i in range(3)]
        assert np.allclose(found, columns, atol=1e-7) and ours.random() == theirs.random()
    ours = GENERATOR()
    _, pullback = ccc.value_with_pullback(again, wrt="x")(0.7, ours)
    assert pullback(1.0) == pullback(1.0) == ccc.gradient(again, wrt="x")(0.7, GENERATOR())


def changing_and_drawing(x: np.ndarray, rng: np.random.Generator, seen: dict[str, int]) -> Any:
    z = rng.normal(x[0], 1.0) + np.random.random()  # noqa: NPY002
    seen["calls"] += 1
    x[1] += z
    return z * x[1] * x[0]


@pytest.mark.share(2)
@pytest.mark.parametrize("verb", [ccc.compiled, ccc.gradient, ccc.jacobian, ccc.jacfwd, ccc.hessian])
def test_a_function_that_changes_its_arguments_draws_once(verb: Any) -> None:
    def after(call: Any) -> Any:
        np.random.seed(3)  # noqa: NPY002
        x, rng, seen = np.array([1.0, 2.0]), np.random.default_rng(4), {"calls": 1}
        call(x, rng, seen)
        return x.tolist(), seen, rng.random(), np.random.random()  # noqa: NPY002

    wanted = after(changing_and_drawing)
    derived = verb(changing_and_drawing, wrt="x") if verb is ccc.gradient else verb(changing_and_drawing)
    assert after(derived) == after(derived) == wanted


def test_a_derivative_inside_a_program_draws_once() -> None:
    def by_pullback(x: Any, r: Any) -> Any:
        value, pullback = ccc.value_with_pullback(kept, wrt="x")(x, r)
        return value * pullback(1.0) + pullback(x)

    def by_differential(x: Any, r: Any) -> Any:
        value, differential = ccc.value_with_differential(kept, wrt="x")(x, r)
        return value * differential(1.0) + differential(x)

    def by_gradient(x: Any, r: Any) -> Any:
        value, slope = ccc.value_with_gradient(kept, wrt="x")(x, r)
        return value * slope + x * slope

    expected, stream = ccc.gradient(by_gradient, wrt="x")(0.7, r := GENERATOR()), r.random()
    for f in (by_pullback, by_differential):
        r = GENERATOR()
        assert math.isclose(ccc.gradient(f, wrt="x")(0.7, r), expected, rel_tol=1e-11) and r.random() == stream


def test_prints_draws_and_exceptions_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any, r: Any) -> Any:
        print("a", r.random())
        y = r.normal()
        print("b", y)
        if y < 0.0:
            raise ValueError("negative")
        return x * y

    def run(g: Any, r: Any) -> Any:
        with pytest.raises(ValueError, match="negative"):
            for _ in range(20):
                g(0.5, r)
        return capsys.readouterr().out, r.random()

    assert run(ccc.gradient(f, wrt="x"), GENERATOR()) == run(f, GENERATOR())


# -- where sources come from -----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Model:
    w: float
    rng: np.random.Generator

    def noisy(self, x: Any) -> Any:
        return self.w * x + self.rng.normal(0.0, self.w)


MODEL, SOURCES = Model(1.5, GENERATOR()), [GENERATOR(), GENERATOR()]


def test_sources_in_records_and_lists() -> None:
    found = ccc.gradient(lambda m: m.noisy(2.0))(Model(1.5, GENERATOR()))
    assert found.w == 2.0 + GENERATOR().normal() and found.rng is None
    MODEL.rng = GENERATOR()
    assert ccc.compiled(lambda x: MODEL.noisy(x) * x)(2.0) == 2.0 * Model(1.5, GENERATOR()).noisy(2.0)
    SOURCES[:] = [GENERATOR(), GENERATOR()]
    assert ccc.gradient(lambda x: x * SOURCES[0].normal() * SOURCES[1].normal())(1.0) == GENERATOR().normal() ** 2

    def along(x: Any, rs: Any) -> Any:
        s = 0.0
        for r in rs:
            s += x * r.normal()
        return s

    assert ccc.gradient(along, wrt="x")(1.0, [GENERATOR(), GENERATOR()]) == 2.0 * GENERATOR().normal()


def test_a_new_source_needs_no_new_code() -> None:
    slope = ccc.gradient(lambda x, r: x * r.normal(), wrt="x")
    for seed in range(3):
        assert slope(1.0, np.random.default_rng(seed)) == np.random.default_rng(seed).normal()
    assert len(slope.codes) == 1  # type: ignore[attr-defined]


def test_functions_of_the_module_draw_from_its_hidden_state() -> None:
    f = function_of("(np.random.seed(3), x * np.random.normal() * np.sum(np.random.rand(2)) * np.random.uniform(x, 3.0)"
                    " + np.random.sample())[1]")
    value, slope = ccc.value_with_gradient(f, wrt=1)(0.0, 1.0)
    assert value == f(0.0, 1.0)
    assert math.isclose(slope, (f(0.0, 1.0 + 1e-6) - f(0.0, 1.0 - 1e-6)) / 2e-6, rel_tol=1e-6)


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text,said", [
    ("poisson(x)", "`poisson` draws integers, which have no derivative in `lam`"),
    ("choice(2, p=np.array([x, 1 - x]))", "`choice` draws integers, which have no derivative in `p`"),
    ("spawn(2)", "`.spawn` of a source of random numbers is not supported"),
    ("bit_generator", "`.bit_generator` of a source of random numbers is not supported"),
    ("nomal(x)", "`Generator` has no attribute `nomal`"),
    ("normal(0.0, sigma=x)", "`normal` has no parameter `sigma` that can be named"),
    ("random(0.5)", "`random`: expected a sequence of integers or a single integer"),
])
def test_what_has_no_meaning_is_refused_by_name(text: str, said: str) -> None:
    f = function_of(f"r.{text} * x")
    for g in (f, ccc.checkpointed(f)):
        with pytest.raises(CompileError) as error:
            ccc.gradient(g, wrt=1)(GENERATOR(), 0.5)
        assert said in str(error.value)


def test_a_discrete_draw_is_a_constant_where_that_is_said() -> None:
    f = lambda x, r: x * np.sum(r.poisson(ccc.without_derivative(x), 3))  # noqa: E731
    assert ccc.gradient(f, wrt=0)(1.0, GENERATOR()) == np.sum(GENERATOR().poisson(1.0, 3))


def test_a_parameter_without_a_rule_is_refused_where_it_moves() -> None:
    f = function_of("r.vonmises(0.1, x) * x")
    with pytest.raises(MissingDerivative, match="`vonmises` has no derivative in `kappa`"):
        ccc.gradient(f, wrt=1)(GENERATOR(), 0.5)
    assert ccc.compiled(f)(GENERATOR(), 0.5) == f(GENERATOR(), 0.5)


def test_a_source_without_a_seed_and_a_body_that_runs_again_are_refused() -> None:
    with pytest.raises(CompileError, match="without a seed"):
        ccc.gradient(lambda x: x * np.random.default_rng().normal())(1.0)
    with pytest.raises(MissingDerivative, match="runs a body once more"):
        ccc.gradient(closure, wrt="x", exponential="additive")(0.7, GENERATOR())


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_a_generator_is_made_of_bits(name: str, backend: str):
    def f(x: float) -> float:
        bits = getattr(np.random, name)(5)
        r = np.random.Generator(bits)
        return r.normal(x, 2.0) * r.random() + np.random.default_rng(bits).random()

    def slope(x: float) -> float:
        r = np.random.Generator(getattr(np.random, name)(5))
        r.normal(x, 2.0)
        return r.random()

    assert ccc.compiled(f, backend=backend)(0.5) == f(0.5)
    assert ccc.gradient(f, backend=backend)(0.5) == slope(0.5)


def test_bits_of_no_seed_and_states_of_bits_are_refused():
    with pytest.raises(CompileError, match="without a seed draws other numbers"):
        ccc.compiled(lambda x: np.random.Generator(np.random.PCG64()).normal(x))(0.5)
    with pytest.raises(CompileError, match="is not known here"):
        ccc.compiled(lambda x: np.random.RandomState(np.random.MT19937(3)).normal(x))(0.5)
