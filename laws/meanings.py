"""What the categories in layers say of a program, in the table of every run: each of the project is asked in turns.

    sound      if x stands for v, then f x stands for f v
    tangents   where derivatives stand beside a value, the first of them is J v, J from dual numbers; a mark is no less

Each category has the table of all laws of its own, as `python3 -m laws ccc:Intervals`.

>>> [type(k).__name__ for k in meanings()]
['Dependence', 'FirstOrder', 'Intervals', 'Rounding', 'Smooth', 'Taylor', 'Uncertainty']
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import ccc.categories
from ccc.additive import Zero
from ccc.arrows import Id
from ccc.categories.dependence import Dependence
from ccc.categories.functions import Functions
from ccc.categories.layered import Layered
from ccc.denotation import functor
from ccc.errors import CannotStage, MissingMeaning
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import Difference
from ccc.laws.generate import NUMBER, Generator
from ccc.laws.layers import LayeredComparison
from ccc.laws.obligations import Sample, first_order
from ccc.laws.pullbacks import perturbed, split
from ccc.laws.scalars import EXACT, FLOATS, RATIONALS
from ccc.laws.subjects import of_kind
from ccc.objects import Object, Product, is_discrete


@cache
def meanings() -> tuple[Layered, ...]:
    """The categories in layers that the project has, by name."""
    names = [module.name for module in pkgutil.iter_modules(ccc.categories.__path__)]
    modules = [import_module(f"{ccc.categories.__name__}.{name}") for name in names]
    found = {k for module in modules for k in vars(module).values() if isinstance(k, type) and issubclass(k, Layered)
             and k is not Layered}
    return tuple([k() for k in sorted(found, key=lambda k: k.__name__)])


class In:
    """A sample, and the category that it is read in."""

    def __init__(self, k: Layered, sample: Sample) -> None:
        self.k = k
        self.sample = sample

    def named(self) -> list[tuple[str, Any]]:
        """The arrow, and the name of the category."""
        return [*self.sample.named(), ("category", type(self.k).__name__)]


def _drawn(which: Callable[[Layered], bool]) -> Callable[[Generator, int], In]:
    """Any arrow, then a loop, and so on in turns."""
    def draw(generator: Generator, i: int) -> In:
        some = [k for k in meanings() if which(k)]
        turn, k = divmod(i, len(some))
        return In(some[k], (first_order, _loop)[turn % 2](generator, turn))

    return draw


def _loop(generator: Generator, i: int) -> Sample:
    a = generator.object(0)
    return Sample(generator.loop(a, NUMBER, 3), Id(a))


def _sound(comparison: Any, example: In) -> Judged:
    """What a category finds holds the value. It may refuse what depends on a test that is not decided, but not at the
    value itself, where each is unless rounding decides; and it knows all primitives that are drawn."""
    layered, f = LayeredComparison(example.k, comparison.draw, RATIONALS), example.sample.arrow
    x = layered.point(f.dom)
    value = layered.member(x, f.dom)
    try:
        return Judged(layered.unsound_at(x, value, f))
    except MissingMeaning as error:
        return _refused(example, value, error)
    except CannotStage as error:
        undecided = error
    functor(Functions(FLOATS.base), f)(FLOATS.read(value))  # raises `Undecided` where rounding decides a test
    try:
        found = layered.unsound_at(layered.exactly(value, f.dom), value, f)
    except (CannotStage, MissingMeaning) as error:
        return _refused(example, value, error)
    if found is not None:
        return Judged(found)
    raise Discarded from undecided


def _refused(example: In, value: Any, error: Exception) -> Judged:
    """The judgement of what a category has to take."""
    return Judged(Difference(f"{type(example.k).__name__} refuses it", value, None, str(error), "a value"))


def _tangents(comparison: Any, example: In) -> Judged:
    """The second layer against dual numbers, at points with the same first two."""
    k, f = example.k, example.sample.arrow
    layered = LayeredComparison(k, comparison.draw, RATIONALS)
    x = layered.point(f.dom)
    y, dy = split(functor(Functions(EXACT), f)(perturbed(x[0], moved(x[0], x[1], f.dom))))
    found = functor(k, f)(x)
    if found[0] != y:
        return Judged(Difference(f"values in {type(k).__name__} differ", x, None, found[0], y))
    same = covers if isinstance(k, Dependence) else same_cotangent
    if same(found[1], dy) or found[1] == ():
        return Judged()
    return Judged(Difference(f"tangents in {type(k).__name__} differ", x, None, found[1], dy))


def moved(x: Any, layer: Any, a: Object) -> Any:
    """A layer with something for what has nothing beside it."""
    if isinstance(a, Product):
        layers = [()] * len(x) if layer == () else layer
        return tuple([moved(v, beside, part) for v, beside, part in zip(x, layers, a.parts, strict=True)])
    return x if is_discrete(a) else layer


def covers(marks: Any, dy: Any) -> bool:
    """Whether there is a mark wherever a tangent is not zero."""
    if isinstance(dy, (tuple, list)):
        return marks == () or all(map(covers, marks, dy))  # type: ignore[reportUnknownArgumentType]
    return isinstance(dy, Zero) or dy == 0 or marks == 1


MEANINGS: tuple[Check, ...] = (
    Check("layers-sound", "soundness", "in each category in layers: if x stands for v, then f x stands for f v",
          _drawn(lambda k: True), _sound, applies=of_kind("values")),
    Check("layers-tangent", "soundness", "where tangents stand beside a value: the first is J v, J from dual numbers",
          _drawn(lambda k: k.tangents), _tangents, applies=of_kind("values")),
)
