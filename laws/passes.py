"""Passes over terms: each keeps the type, the value and every derivative of every arrow.

    pass f  ≅  f

>>> from ccc.laws.choices import Randomly
>>> drawn = of_pass(lambda f: f, "nothing").draw(Generator(Randomly(0)), 0)
>>> drawn.left == drawn.right
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.arrows import Arrow, Id
from ccc.laws.checks import Check, Discarded, Judged, equal, with_uses
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An arrow, what a pass makes of it, and a generalised element of its domain."""

    right: Arrow
    left: Arrow
    world: Arrow
    uses: tuple[Any, ...] | None = None

    def named(self) -> list[tuple[str, Arrow]]:
        """The arrow, its image and the element."""
        world = [] if isinstance(self.world, Id) else [("world", self.world)]
        return [("f", self.right), ("pass f", self.left), *world]


def judge_pass(comparison: Any, example: Rewritten) -> Judged:
    """The judgement of `pass f ≅ f`, first of its types."""
    f, g = example.right, example.left
    if (f.dom, f.cod) != (g.dom, g.cod):
        types = f"{f.dom} to {f.cod}", f"{g.dom} to {g.cod}"
        return Judged(Difference("the pass changes the type", "this arrow", None, *types))
    return Judged(equal(comparison, example).observed)


def of_pass(
    rewrite: Callable[[Arrow], Arrow], name: str, *, section: str = "passes", order: int = 1, share: float = 1.0,
    refuses: tuple[type[Exception], ...] = (), statement: str = "",
) -> Check:
    """The check that a pass preserves meaning; `order` 0 keeps functions from the boundaries, and what the pass
    `refuses` by these errors is not an example."""

    def draw(generator: Generator, i: int) -> Rewritten:
        a, b = generator.object(min(order, i % 2)), generator.object(order)
        f = generator.arrow(a, b, 3)
        try:
            rewritten = rewrite(f)
        except refuses as error:
            raise Discarded from error
        return with_uses(generator, Rewritten(f, rewritten, generator.world(a)))

    return Check(name, section, statement or f"{name} f ≅ f", draw, judge_pass, share=share)
