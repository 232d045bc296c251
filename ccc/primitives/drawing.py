"""Draws of random numbers: effects that give a value, which is a constant of the derivative or moves with parameters.

    draw(source, *xs, method=, form=)   what a method of a source gives, called as plain Python calls it
    refusal(source, *xs, ...)           what such a call raises, and no draw
    made_source(*xs, of=, form=)        a new source: np.random.default_rng(seed), np.random.RandomState(seed)
    made_random(*xs, form=)             a new source of Python's: random.Random(seed)
    kept_sources(*sources)              copies of sources in the state that they are in now, as a tuple
    again_from(kept)                    sources that give what the kept ones would: what is run again draws alike
    exp_of_each(x)                      what C's `exp` gives, as NumPy's draws take it: the last bits of `np.exp` differ

A *form* says of each argument what it is called and where it comes from: `GIVEN` is the next of `xs`, a tuple one of
such, a `Places` the range of so many, and everything else is known.

>>> source = np.random.default_rng(0)
>>> draw(source, 3, method="normal", form=(("size", GIVEN),)) == np.random.default_rng(0).normal(size=3)
array([ True,  True,  True])
>>> kept = kept_sources(source)
>>> source.random() == again_from(kept)[0].random() == again_from(kept)[0].random()
True
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ccc.additive import ZERO, Zero, total
from ccc.objects import UNIT, Array, Object, Product, Source, Static, array
from ccc.objects_of_values import object_of
from ccc.primitives.arithmetic import neg
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.elementary_numpy import log, log1p
from ccc.primitives.facts import EFFECT, MAY, NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import Slope, operation, spread
from ccc.primitives.primitive import Primitive, blurred, is_real, sample
from ccc.primitives.quantiles import beta_slope, gamma_slope
from ccc.primitives.unknown import no_slope
from ccc.sources import new, seeded

Form = tuple[tuple[str, object], ...]


class Given:
    """Stands in a form for the next argument."""

    def __repr__(self) -> str:
        return "GIVEN"


GIVEN = Given()


class Known:
    """A constant in a form; 1, 1.0 and True are different ones."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __repr__(self) -> str:
        return repr(self.value)


class Places(NamedTuple):
    """A range in a form: the places of so many items."""

    count: Any


def filled(template: Any, xs: Iterator[Any]) -> Any:
    """An argument of a call."""
    if isinstance(template, Places):
        return range(filled(template.count, xs))
    if isinstance(template, tuple):
        return tuple([filled(part, xs) for part in template])
    return next(xs) if isinstance(template, Given) else template.value


def arguments(form: Form, xs: Sequence[Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    given = iter(xs)
    return {name: filled(template, given) for name, template in form}


def _text(value: Any) -> str:
    return f"np.{value.__name__}" if isinstance(value, type) and issubclass(value, np.generic) else (
        value.__name__ if isinstance(value, type) else repr(value))


def _source_of(template: Any, texts: Iterator[str]) -> str:
    if isinstance(template, Places):
        return f"range({_source_of(template.count, texts)})"
    if isinstance(template, tuple):
        parts = [_source_of(part, texts) for part in template]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return next(texts) if isinstance(template, Given) else _text(template.value)


def call_source(form: Form, texts: Sequence[str]) -> str:
    """The arguments as source text."""
    given = iter(texts)
    return ", ".join([f"{name}={_source_of(template, given)}" for name, template in form])


# -- what a draw is --------------------------------------------------------------------------------------------------


def _draw(source: Any, *xs: Any, method: str, form: Form) -> Any:
    return getattr(source, method)(**arguments(form, xs))


def _draw_source(source: str, *texts: str, method: str, form: Form) -> str:
    return f"{source}.{method}({call_source(form, texts)})"


SAMPLES = tuple(product((1, 2, 3), (0.5, 1.0, 2.0), (False, True)))
"""Samples of whole numbers and of others, the same for all arguments or rising: most families take some of them."""
SILENT = {("choice", "p"), ("choices", "weights"), ("choices", "cum_weights")}
"""Parameters that say nothing of what kind a draw is, and have to fit others."""


def small(template: Any) -> Any:
    """Sizes of more than one as 2: what is drawn for them has the same axes."""
    if isinstance(template, tuple):
        return tuple(map(small, template))
    return Known(min(template.value, 2)) if isinstance(template, Known) and type(template.value) is int else template


def _sampled(args: tuple[Object, ...], whole: int, number: float, rising: bool) -> list[Any]:
    steps = range(len(args)) if rising else [0] * len(args)
    return [sample(a, step + (number if is_real(a) else whole)) for a, step in zip(args, steps, strict=True)]


def _type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """What samples of the arguments give. An axis that is as long as an integer is of a size that is not known.

    Raises what NumPy raises for all samples.
    """
    method = params["method"]
    form = tuple([(name, small(t) if name == "size" else t) for name, t in params["form"]])
    found: list[Object] = []
    failure: Exception | None = None
    for whole, number, rising in SAMPLES:
        source, *xs = _sampled(args, whole, number, rising)
        named = arguments(form, xs)
        try:
            with np.errstate(all="ignore"):
                y = getattr(source, method)(**{k: x for k, x in named.items() if (method, k) not in SILENT})
        except Exception as error:  # raised again where no sample works
            failure = failure or error
            continue
        a = UNIT if y is None else object_of(y)
        if isinstance(a, Static):
            raise TypeError(f"`{method}` gives no numbers")
        found.append(blurred(a, args))
    if not found:
        assert failure is not None
        raise failure
    arrays = [a for a in found if isinstance(a, Array)]
    return _common(arrays) if arrays else found[0]


def _common(found: Sequence[Array]) -> Object:
    """One object for arrays whose axes may differ."""
    axes = [a.axes for a in found]
    ranks = {None if each is None else len(each) for each in axes}
    if len(ranks) > 1 or None in ranks:
        return array(found[0].dtype, None)
    columns = zip(*[each for each in axes if each is not None], strict=True)
    return array(found[0].dtype, tuple([c[0] if len(set(c)) == 1 else "?" for c in columns]))


# -- slopes ----------------------------------------------------------------------------------------------------------


def _power_of(d: Any, y: Any, a: Any) -> Any:
    """Of y = u ** (1 / a), where u stays."""
    return neg(times0(d * y, log(y))) / a


SLOPES: dict[tuple[str, str], Slope] = {
    ("weibull", "a"): lambda d, y, named: _power_of(d, y, named["a"]),
    ("power", "a"): lambda d, y, named: _power_of(d, y, named["a"]),
    ("pareto", "a"): lambda d, y, named: neg(d * ((1.0 + y) * log1p(y))) / named["a"],
    ("vonmises", "mu"): lambda d, y, named: d,
    ("standard_gamma", "shape"): lambda d, y, named: d * gamma_slope(y, named["shape"], n=0),
    ("gammavariate", "alpha"): lambda d, y, named: d * gamma_slope(y, named["alpha"], n=0),
    ("betavariate", "alpha"): lambda d, y, named: d * beta_slope(y, named["alpha"], named["beta"], of=0),
    ("betavariate", "beta"): lambda d, y, named: d * beta_slope(y, named["alpha"], named["beta"], of=1),
    ("beta", "a"): lambda d, y, named: d * beta_slope(y, named["a"], named["b"], of=0),
    ("beta", "b"): lambda d, y, named: d * beta_slope(y, named["a"], named["b"], of=1),
}
"""How draws move with a parameter, where what they are made of stays; the families that are made of others by formula
are definitions (`ccc.compile.frontend.numpy_functions.draws`)."""


def _moving(d: Any, y: Any, xs: Sequence[Any], i: int, method: str, form: Form) -> Any:
    name = names_in(form)[i]
    slope = SLOPES.get((method, name))
    if slope is not None:
        return slope(d, y, arguments(form, xs))
    return no_slope(method, name)(d, y, *[x for x in xs if is_real(kind_of(x))])


def names_in(form: Form) -> list[str]:
    """What each of the arguments that are given is called."""
    return [name for name, template in form for _ in range(_count(template))]


def _count(template: Any) -> int:
    return sum(map(_count, template)) if isinstance(template, tuple) else isinstance(template, Given)


def _pullback(ct: Any, y: Any, source: Any, *xs: Any, method: str, form: Form) -> tuple[Any, ...]:
    moved = [fit(_moving(ct, y, xs, i, method, form), x) if is_real(kind_of(x)) else ZERO for i, x in enumerate(xs)]
    return (ZERO, *moved)


def _differential(ds: tuple[Any, ...], y: Any, source: Any, *xs: Any, method: str, form: Form) -> Any:
    moving = [(i, d) for i, d in enumerate(ds[1:]) if not isinstance(d, Zero)]
    return spread(total([_moving(d, y, xs, i, method, form) for i, d in moving]), y)


draw = Primitive(
    "draw", _draw, _type, _draw_source, _pullback, _differential, effect=True, draws=True, memory=NEW, work=EFFECT,
    raises=MAY,
)


# -- of lognormal draws ----------------------------------------------------------------------------------------------


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


_exps = np.vectorize(_exp, otypes=[float])
exp_of_each = operation(
    "exp_of_each", lambda x: _exps(x) if isinstance(x, np.ndarray) else type(x)(_exp(x)), "exp_of_each({})",
    lambda d, y, x: d * y, memory=NEW, raises=NEVER,
)


# -- what a call would raise -----------------------------------------------------------------------------------------


def _refusal(source: Any, *xs: Any, method: str = "", form: Form = ()) -> Any:
    """Draw from another source of the class; without a method, that source."""
    other = new(type(source))
    if method:
        _draw(other, *xs, method=method, form=form)
        return None
    return other


def _refusal_source(source: str, *texts: str, method: str, form: Form) -> str:
    return f"refusal({source}).{method}({call_source(form, texts)})"


refusal = Primitive(
    "refusal", _refusal, lambda p, args, params: UNIT, _refusal_source, effect=True, memory=NEW, work=EFFECT,
    raises=MAY,
)


# -- sources ---------------------------------------------------------------------------------------------------------


def _made(*xs: Any, of: str, form: Form) -> Any:
    """A source; of bits the generator that draws by them."""
    made = getattr(np.random, of)(**arguments(form, xs))
    return np.random.Generator(made) if isinstance(made, np.random.BitGenerator) else made


def is_of_bits(name: str) -> bool:
    """Whether a class of `np.random` is one of generators of bits."""
    found = getattr(np.random, name)
    return isinstance(found, type) and issubclass(found, np.random.BitGenerator)


def _made_source(*texts: str, of: str, form: Form) -> str:
    made = f"np.random.{of}({call_source(form, texts)})"
    return f"np.random.Generator({made})" if is_of_bits(of) else made


def _random(*xs: Any, form: Form = (), seed: Any = None) -> Any:
    """A source of Python's, of a form or of the seed itself."""
    return seeded(arguments(form, xs)["seed"] if form else seed)


def _kept(*sources: Any) -> Any:
    """Copies; what was one source stays one."""
    return copy.deepcopy(sources)


made_source = Primitive(
    "made_source", _made, lambda p, args, params: Source(type(_made(0, of=params["of"], form=(("seed", GIVEN),)))),
    _made_source, exact=True, effect=True, draws=True,
    memory=NEW, work=EFFECT, raises=MAY,
)
made_random = Primitive(
    "made_random", _random, lambda p, args, params: Source(type(seeded(0))),
    lambda *texts, form: f"made_random({call_source(form, texts)})", exact=True, effect=True, draws=True, memory=NEW,
    work=EFFECT, raises=MAY,
)
kept_sources = Primitive(
    "kept_sources", _kept, lambda p, args, params: Product(args), lambda *texts: f"kept_sources({', '.join(texts)})",
    exact=True, effect=True, draws=True, memory=NEW, work=EFFECT, raises=MAY,
)
again_from = Primitive(
    "again_from", copy.deepcopy, lambda p, args, params: args[0], "again_from({})", exact=True, effect=True,
    draws=True, memory=NEW, work=EFFECT, raises=MAY,
)
