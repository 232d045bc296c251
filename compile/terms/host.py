"""Derivatives on the host base: the term of a program, read in reverse mode on real values.

It is the reference semantics, and the executor of what cannot be staged (formal sums of calls that leave a recursion).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, Zero, dense, parts
from ccc.base import Effectful, Host, Part
from ccc.categories import rules
from ccc.compile.program.lam import Absent, Lit, Program, Tree, Var, leaves, valued
from ccc.compile.terms import derive, scalar_results
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.wanted import reach
from ccc.denotation import functor
from ccc.objects import Real, is_discrete
from ccc.primitives import boundary
from ccc.records import parts_of


class Once(Host, Effectful):
    """The host base for programs: what is absent is what emitted code has for it, and a pullback that runs a body again
    has no effects."""

    pulling = False
    alike = False

    def const(self, value: Any, a: Any) -> Any:
        if isinstance(value, Absent):
            return 0.0 if value.text == "0.0" else None
        return super().const(value, a)

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        if primitive.draws and self.pulling and not self.alike:
            raise rules.drawn_again(primitive.name)
        if primitive.effect and self.pulling and not primitive.draws:
            return ()
        return super().apply(primitive, args, params, label)

    def given(self, part: Part, run: Callable[[], Any]) -> Any:
        outer = self.pulling, self.alike
        self.pulling, self.alike = self.pulling and part != "pullback", self.alike or part == "again"
        try:
            return run()
        finally:
            self.pulling, self.alike = outer

    def quiet(self, pullback: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A pullback during which nothing has an effect."""

        def pulled(ct: Any) -> Any:
            outer, self.pulling = self.pulling, True
            try:
                return pullback(ct)
            finally:
                self.pulling = outer

        return pulled


def on_host(plan: Any, program: Program) -> Callable[..., Any]:
    """A function of the program's parameters that interprets its term."""
    derive.check_first_order(program)
    exact = any(v.object == Real("fraction") for _, tree in program.params for v in leaves(tree))
    term = abstract(program)
    seed = scalar_results.seed_for(program, plan.aux, plan.verb) if not plan.pullback else None
    trees = [tree for _, tree in program.params]

    def cotangents(ct: Any, values: list[Any]) -> Any:
        cts = (ct,) if len(trees) == 1 else parts(ct, len(trees))
        found = tuple([reach(_received(cts[i], trees[i], values[i]), steps) for i, steps in plan.parts])
        return found[0] if plan.bare else found

    def run(*args: Any) -> Any:
        values = [unit(tree, boundary.own.value(a)) for tree, a in zip(trees, args, strict=True)]
        base = Once(Fraction if exact else None)  # one for each call: threads do not share what is being pulled
        lifted = functor(plan.category.over(base), term)
        y, pullback = lifted(values[0] if len(values) == 1 else tuple(values))
        pb = base.quiet(pullback)
        if plan.pullback:
            value = boundary.own.value(_handed(program.result, y))
            pulled = scalar_results.pulled_result(program, plan.aux)

            def given(*cts: Any) -> Any:
                ct = _nested(pulled, iter(cts))
                return cotangents(pb((ct, ZERO) if plan.aux else ct), values)

            return value, given
        found = cotangents(pb(scalar_results.checked(seed, y, program, plan.aux)), values)
        return derive.handed_out(_handed(program.result, y), found, plan.valued, plan.aux)

    return run


def unit(tree: Tree, value: Any) -> Any:
    """A value with the unit where nothing is differentiable."""
    if isinstance(tree, tuple):
        return tuple([unit(t, v) for t, v in zip(tree, parts_of(value) or (), strict=True)])
    return () if tree is None else value


def _handed(tree: Tree, y: Any) -> Any:
    """A value as the user gets it: records of their classes."""
    if not isinstance(tree, tuple):
        return tree.value if isinstance(tree, Lit) else y
    found = [_handed(t, v) for t, v in zip(tree, y, strict=True)]
    return valued(tree, found)


def _nested(tree: Tree, cts: Any) -> Any:
    if isinstance(tree, tuple):
        return tuple([_nested(part, cts) for part in tree])
    return next(cts) if isinstance(tree, Var) and not is_discrete(tree.object) else ZERO


def _received(ct: Any, tree: Tree, value: Any) -> Any:
    """A cotangent as the user gets it."""
    if isinstance(tree, tuple):
        found = [_received(c, t, v) for c, t, v in zip(parts(ct, len(tree)), tree, value, strict=True)]
        return valued(tree, found)
    if tree is None or is_discrete(tree.object):
        return None
    return boundary.conform.value(_plain(ct), value)


def _plain(ct: Any) -> Any:
    if isinstance(ct, Zero):
        return None
    if isinstance(ct, list):
        return [_plain(c) for c in ct]
    return dense(ct)
