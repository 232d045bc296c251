"""Intervals, rounded outward: beside a lower bound stands an upper one, between which lies what exact numbers give of
all arguments between theirs.

    p [a, b]  =  from the least to the greatest of p a, p b and p at the turning points between

What is monotone between its turning points, or linear in each argument, needs no rule but that. A test that does not
hold of all numbers in an interval, or of none, is not decided: both branches are taken and joined; a `while` whose test
is not decided gives everything.

>>> import ccc
>>> low, high = ccc.interpret(lambda x: x * x - x, Intervals())((0.0, 1.0))
>>> low <= -1.0, 1.0 <= high <= 1.0 + 1e-15
(True, True)

Reference: Ramon Moore, *Interval Analysis* (1966); IEEE Standard 1788 for Interval Arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain, product
from typing import Any

from ccc.arrows import Prim, Scan, Unfold
from ccc.base import Standing, Traced
from ccc.categories.bounds import (
    CLOSE,
    FAR,
    NO_BOUNDS,
    TINY,
    all_of,
    any_of,
    clipped,
    everything,
    factor_is_rounded,
    hull,
    is_narrow,
    is_truth,
    negated,
    number,
    outward,
    undecided,
)
from ccc.categories.enclosure_rules import rule_of
from ccc.categories.functions import arguments
from ccc.categories.interval_domains import (
    cut_to_domain,
    cut_to_finite,
    finite_within,
    has_domain,
    to_infinity,
    to_the_end,
)
from ccc.categories.layered import NOTHING, STILL, Layered, Layers, Moved, as_before, goes_by_items, is_nothing, kind
from ccc.categories.turning import beside, beyond_range, far_turns, inside, places
from ccc.errors import CannotStage, MissingMeaning
from ccc.objects import BOOL, Array, Bool, Int, List, Object, Product, Real, is_discrete
from ccc.primitives import shaping
from ccc.primitives.arithmetic import equal, less, less_equal, to_float
from ccc.primitives.elementary_numpy import (
    floor,
    maximum,
    minimum,
    trunc,
    where,
)
from ccc.primitives.facts import ANY, ENTRIES, NOWHERE, ORDER, SIZES
from ccc.primitives.guarded import over0, power0
from ccc.primitives.primitive import Primitive, is_real
from ccc.wording import in_words


class Intervals(Layered):
    """Lower and upper bounds of real numbers; ints and sizes are what they are.

    >>> import ccc, math
    >>> low, high = ccc.interpret(lambda x: math.sin(x) if x > 2.0 else 0.5, Intervals())((1.0, 3.0))
    >>> 0.1411 < low < 0.1412, 1.0 <= high < 1.01
    (True, True)

    Raises `MissingMeaning` at what is neither monotone between known turning points nor elementwise.
    """

    close: float = CLOSE
    far: float = FAR
    tiny: float = TINY
    bounded = True
    """Whether results that are rounded lie in the bounds of what is not."""

    def constant(self, value: Any) -> Layers:
        return value, value

    def lifted(self, value: Any, a: Object) -> Layers:
        """A known value; a whole number where real ones are computed with, as the 0 of `sum`, is a real one."""
        whole = isinstance(a, Real) and type(value) is int and float(value) == value
        return super().lifted(self.base.const(float(value), a) if whole else value, a)

    def element(self, number: Callable[[], Any]) -> Layers:
        low, high = sorted((number(), number()))
        return low, high

    def member(self, x: Layers, below: Callable[[int], int]) -> Any:
        """A number between two bounds, by a choice."""
        return x[0] + (x[1] - x[0]) * below(5) / 4

    def holds(self, x: Layers, value: Any) -> bool:
        """Whether a number lies between two bounds."""
        return bool(x[0] <= value <= x[1])

    # -- primitives --------------------------------------------------------------------------------------------

    def primitive(self, term: Prim) -> Moved:
        moved = super().primitive(term)
        domains = arguments(term.dom.parts if isinstance(term.dom, Product) else term.dom, term.dom)
        kept = term.primitive.work in STILL and all(map(is_narrow, [a for a in domains if not is_discrete(a)]))
        if is_narrow(term.cod) and not kept:
            raise CannotStage(f"bounds have 64 bits, and `{term.primitive.name}` gives {in_words(term.cod)}",
                              "give bounds of 64 bits, as x.astype(float), and take ccc.Rounding(np.float32) for "
                              "what numbers of 32 bits give")

        def applied(x: Layers) -> Layers:
            xs = self.apart(x, len(x[0])) if isinstance(x[0], tuple) and isinstance(x[1], tuple) else [x]
            for i, arg in enumerate(xs):
                if undecided(arg):
                    if isinstance(kind(arg[0]), Array) and not goes_by_items(term):
                        raise CannotStage(f"`{term.primitive.name}` takes truth values that are not decided",
                                          "choose numbers by them with `np.where`")
                    given = [[*xs[:i], self.alone(truth), *xs[i + 1 :]] for truth in arg]
                    alone = len(xs) == 1 and not isinstance(x[0], tuple)
                    return self.joined(*[applied(ys[0] if alone else self.together(ys)) for ys in given])
                if not is_nothing(arg[1]) and isinstance(arg[0], (Traced, list)) and is_discrete(domains[i]):
                    if isinstance(kind(arg[0]), Int):
                        raise CannotStage("a whole number depends on a `while` whose test is not decided",
                                          "count in real numbers")
                    raise CannotStage("a list holds truth values that are not decided", "test and keep numbers")
            tests = is_discrete(term.cod) and term.primitive.work != SIZES and any(not is_nothing(a[1]) for a in xs)
            if tests and not isinstance(term.cod, (Bool, Array)):
                raise CannotStage(f"`{term.primitive.name}` makes {in_words(term.cod)} of what is known by bounds only",
                                  "sort an array of them, by np.sort(np.array(xs))" if term.primitive.work == ORDER
                                  else "compute with real numbers")
            return self.tested(term, xs) if tests else moved(x)

        return applied

    def tested(self, term: Prim, xs: Sequence[Layers]) -> Layers:
        """A test of intervals: whether it surely holds, and whether it possibly does."""
        at = [self.constant(x[0]) if is_nothing(x[1]) else x for x in xs]
        if len(at) > 2 or not goes_by_items(term) or not is_truth(term.cod):
            raise self.missing(term)
        corners = [self.base.apply(term.primitive, corner, dict(term.params), term.label) for corner in product(*at)]
        surely, possibly = corners[0], corners[0]
        for corner in corners[1:]:
            surely, possibly = all_of(surely, corner), any_of(possibly, corner)
        if not term.primitive.commutative:
            return surely, possibly
        (a, b), (c, d) = at  # of numbers that may be equal and need not be, nothing is known
        apart = any_of(less(b, c), less(d, a))
        alone = all_of(all_of(negated(less(a, b)), negated(less(c, d))), negated(apart))
        known = any_of(apart, alone)
        return all_of(known, surely), any_of(negated(known), possibly)

    def operation(self, term: Prim, *xs: Layers) -> Any:
        p, params = term.primitive, dict(term.params)
        if finite_within(p) != ANY and len(xs) == 1 and not is_nothing(xs[0][1]):
            low, high, beyond = cut_to_finite(p, xs[0])
            return to_infinity(self.defined(term, (low, high)), beyond)
        if not has_domain(p, xs, params):
            return self.defined(term, *xs)
        low, high, below, above = cut_to_domain(p, xs[0])
        return self.partly(p, self.defined(term, (low, high)), below, above)

    def partly(self, p: Primitive, y: Layers, below: Any, above: Any) -> tuple[Any, Any]:
        """Bounds of a function on that part of numbers where it has values, which may begin or end between theirs."""
        return to_the_end(p, y, below, above, p.bounds if self.bounded else NO_BOUNDS)

    def defined(self, term: Prim, *xs: Layers) -> Any:
        """Bounds of what a primitive gives, which has values between those of its arguments."""
        p, params = term.primitive, dict(term.params)
        if p.chooses and not p.increasing:
            return hull([x[0] for x in xs if not is_nothing(x[1])] + [x[1] for x in xs if not is_nothing(x[1])])
        if p.powers:
            return self.powered(term, *xs)
        if p.increasing and (p.chooses or not goes_by_items(term)):
            low, high = [self.base.apply(p, bounds, params, term.label) for bounds in zip(*xs, strict=True)]
            if p.modulus is None:
                return low, high
            large = [maximum(abs(a), abs(b)) * (64.0 * self.close) + TINY for a, b in xs]  # what is rounded on the way
            off = p.modulus(*large, **params)
            return self.outward(low - off, high + off, self.close)
        if p.shares:
            return self.shared(*xs)
        if p.enclosed or p.modulus is not None:
            return self.enclosed(term, *xs)
        groups = p.linear_of(params).groups(len(xs))
        if p.magnitudes is not None:
            return self.spread(term, *xs)
        if p.adding and len(groups) == 1 and p.work != ENTRIES:
            return self.summed(term, groups[0], *xs)
        if p.adding and p.work != ENTRIES:
            return self.multiplied(term, groups, *xs)
        if p.work != ENTRIES or not (p.adding or goes_by_items(term)):
            raise self.missing(term)
        ends = [x[:1] if is_nothing(x[1]) else x for x in xs]
        if all(any(i in group for group in groups) for i, x in enumerate(ends) if len(x) > 1):
            rising = p.adding and len(groups) == 1  # in each of them
            corners = [[x[k] for x in ends] for k in (0, -1)] if rising else product(*ends)
            values = [self.base.apply(p, tuple(corner), params, term.label) for corner in corners]
            found = (values[0], values[1]) if rising else hull(values)
            off = self.far if len(xs) == 1 and goes_by_items(term) and factor_is_rounded(p, params) else self.close
            low, high = self.outward(*found, off, 0.0 if len(groups) == 1 and len(xs) == 2 else TINY)
            if len(groups) == 2 and len(xs) == 2:
                (a, b), (c, d) = xs
                one_sign = less_equal(0.0, maximum(minimum(a, c), -maximum(b, d)))
                low = as_before(where(one_sign, maximum(low, 0.0), low), low)
            return low, high
        turns = p.turns_of(len(xs))
        if p.remainder is not None:
            return self.remainder(p, p.remainder, *xs)
        if turns is None:
            raise self.missing(term)
        return self.between(lambda *corner: self.base.apply(p, corner, params, term.label), xs, turns,
                            p.poles_of(len(xs)), self.close if groups else self.far,
                            p.bounds if self.bounded else NO_BOUNDS, p.within, p.absolute)

    def between(
        self, value: Callable[..., Any], xs: Sequence[Layers], turns: Sequence[tuple[float, float]],
        poles: Sequence[tuple[float, float]], far: float, bounds: tuple[float, float] = NO_BOUNDS,
        within: tuple[float, float] = NO_BOUNDS, absolute: float = 0.0,
    ) -> tuple[Any, Any]:
        """Bounds of what is monotone `within` some numbers but for places where it turns and others where it has
        none; near 0 it may be off by what is `absolute`."""
        beyond, xs = beyond_range(xs, *within)
        hits = [inside(x, *where) for x, where in zip(xs, poles, strict=True)]
        ends = [beside(x, *where, near) for x, where, near in zip(xs, poles, hits, strict=True)]
        corners = product(*[x[:1] if isinstance(kind(x[0]), Int) else places(x, *where)
                            for x, where in zip(ends, turns, strict=True)])
        low, high = hull([value(*corner) for corner in corners])
        below, above = clipped(low, high, *self.outward(low, high, far, TINY + absolute), bounds)
        lost = [hit for x, turn in zip(ends, turns, strict=True) for hit in far_turns(x, *turn)]
        for some, (least, most) in (lost, bounds), ([*beyond, *[hit for _, hit in chain(*hits)]], NO_BOUNDS):
            for hit in some:
                below, above = [as_before(where(hit, end, y), y) for end, y in ((least, below), (most, above))]
        return below, above

    def enclosed(self, term: Prim, *xs: Layers) -> Any:
        """Bounds by a rule of the primitive's own, or by how far its results are apart."""
        p, params = term.primitive, dict(term.params)
        known = [x[0] if is_nothing(x[1]) or isinstance(kind(x[0]), Int) else x for x in xs]
        if any(isinstance(kind(x[0]), List) for x in known if isinstance(x, tuple)):
            raise self.missing(term)
        low, high = rule_of(p)(p, *known, close=self.close, **params)
        return clipped(low, high, *self.outward(low, high, self.far), p.bounds if self.bounded else NO_BOUNDS)

    def quotient(self, x: Layers, y: Layers) -> tuple[Any, Any]:
        return self.between(over0, (x, y), (NOWHERE, NOWHERE), over0.poles_of(2), self.close)

    def remainder(self, p: Primitive, rest: tuple[float, float], x: Layers, y: Layers) -> tuple[Any, Any]:
        """`x - n y`, where the whole number that the quotient is rounded to is known to be n; as far from 0 as `rest`
        says times y, where not."""
        rounded = floor if rest[0] == 0.0 else trunc
        wide = outward(*hull([r * d for r in rest for d in y]), self.close)
        least, most = [as_before(rounded(q), q) for q in self.quotient(x, y)]
        known = all_of(equal(least, most), equal(least - least, 0.0 * least))
        n = as_before(where(known, least, 0.0), least)
        times = self.outward(*hull([n * d for d in y]), self.close)
        close = self.outward(x[0] - times[1], x[1] - times[0], self.close)
        return (as_before(where(known, maximum(close[0], wide[0]), wide[0]), close[0]),
                as_before(where(known, minimum(close[1], wide[1]), wide[1]), close[1]))

    def shared(self, d: Layers, y: Layers, x: Layers, *others: Layers) -> tuple[Any, Any]:
        """All of the first where y, which was chosen among x and others, is surely none of these; none where it is
        surely not x; between none and all where neither is known."""
        low, high = (d[0], d[0]) if is_nothing(d[1]) else d
        y, x, *rest = [self.constant(z[0]) if is_nothing(z[1]) else z for z in (y, x, *others)]
        differs, *alone = [any_of(less(z[1], y[0]), less(y[1], z[0])) for z in (x, *rest)]
        chosen: Any = reduce(all_of, alone, negated(differs))
        least, most = [where(differs, 0.0 * end, where(chosen, end, part(end, 0.0 * end)))
                       for end, part in ((low, minimum), (high, maximum))]
        return self.outward(as_before(least, low), as_before(most, high), self.close, 0.0)

    def summed(self, term: Prim, group: Sequence[int], *xs: Layers) -> Any:
        """Sums of lower and of upper bounds, moved out by what adding up so many numbers may be off in any order."""
        if any(isinstance(kind(xs[i][0]), List) for i in group):
            raise self.missing(term)
        at = [[x[k if i in group else 0] for i, x in enumerate(xs)] for k in (0, 1)]
        large = [maximum(abs(a), abs(b)) if i in group else a for i, (a, b) in enumerate(zip(*at, strict=True))]
        low, high, most = [self.base.apply(term.primitive, tuple(ys), dict(term.params), term.label)
                           for ys in (*at, large)]
        count: Any = 2.0
        for i in group:
            count = count + (to_float(shaping.size(xs[i][0])) if isinstance(kind(xs[i][0]), Array) else 1.0)
        off = most * (2.0 * self.close * count)
        return self.outward(low - off, high + off, self.close, 0.0 if term.primitive.exact else TINY)

    def multiplied(self, term: Prim, groups: Sequence[Sequence[int]], *xs: Layers) -> Any:
        """Sums of products: those of the middles of bounds, and as far from them as those of magnitudes grow by half of
        how far bounds are apart, and by what adding up so many may be off in any order."""
        p, params, moving = term.primitive, dict(term.params), {i for group in groups for i in group}
        middle, near, far, ones = [[x[0] for x in xs] for _ in range(4)]
        for i in moving:
            low, high = (xs[i][0],) * 2 if is_nothing(xs[i][1]) else xs[i]
            if isinstance(kind(low), List):
                raise self.missing(term)
            middle[i] = (low + high) * 0.5
            near[i] = abs(middle[i])
            far[i] = near[i] + (maximum(high - middle[i], middle[i] - low) + near[i] * (4.0 * self.close) + TINY)
            ones[i] = near[i] * 0.0 + 1.0
        y, least, most, count = [self.base.apply(p, tuple(ys), params, term.label) for ys in (middle, near, far, ones)]
        count = count + 2.0 * len(xs)
        off = (most - least) + most * (2.0 * self.close * count) + count * self.tiny
        return self.outward(y - off, y + off, self.close)

    def spread(self, term: Prim, x: Layers, *places: Layers) -> Any:
        """What is linear: of the middle of bounds, and as far from it as the magnitudes of its factors make of half of
        how far they are apart, and of what rounding may be off."""
        p, params, (low, high) = term.primitive, dict(term.params), x
        middle, rest = (low + high) * 0.5, [y[0] for y in places]
        assert p.magnitudes is not None
        apart = maximum(high - middle, middle - low) + abs(middle) * (4.0 * self.close) + TINY
        y = self.base.apply(p, (middle, *rest), params, term.label)
        off = p.magnitudes(apart, *rest, **params)
        off = off + off * FAR
        return self.outward(y - off, y + off, self.close)

    def powered(self, term: Prim, x: Layers, n: Layers) -> Any:
        """A power: of a whole exponent that is known, or of numbers that are not negative, where it is monotone in
        both."""
        p, known = term.primitive, number(n[0])
        if known is None or known != int(known) or number(n[1]) != known:
            bases = [as_before(maximum(end, 0.0), end) for end in x]
            low, high = self.outward(*hull([power0(base, end) for base in bases for end in n]), self.far)
            negative = less(x[0], 0.0)
            return (as_before(where(negative, -math.inf, maximum(low, 0.0)), low),
                    as_before(where(negative, math.inf, high), high))
        if known < 0:
            one = tuple([c * 0.0 + 1.0 for c in x])
            return self.quotient(one, self.powered(term, x, (-known, -known)))
        found = [(p if isinstance(kind(c), Array) else power0)(c, n[0]) for c in x]
        if known % 2 == 0:
            around = all_of(less_equal(x[0], 0.0), less_equal(0.0, x[1]))
            found.append(as_before(where(around, 0.0, found[0]), found[0]))
        low, high = self.outward(*hull(found), self.far)
        return (as_before(maximum(low, 0.0), low), high) if known % 2 == 0 else (low, high)

    def outward(self, low: Any, high: Any, far: float, tiny: float = TINY) -> tuple[Any, Any]:
        """Bounds of what is computed, moved out by as much as rounding may be off; tiny sums are exact."""
        return outward(low, high, far, tiny)

    def missing(self, term: Prim) -> MissingMeaning:
        return MissingMeaning(f"`{type(self).__name__}` does not say what `{term.primitive.name}` means",
                              "derive a category from it and give its `operations` an entry")

    # -- control -----------------------------------------------------------------------------------------------

    def cond(self, test: Moved, then: Moved, orelse: Moved) -> Moved:
        def branch(x: Layers) -> Layers:
            surely, possibly = test(x)
            if is_nothing(possibly):
                return self.either_of(surely, lambda: then(x), lambda: orelse(x))
            return self.either_of(
                surely, lambda: self.undecided(then(x)), lambda: self.either_of(
                    possibly, lambda: self.undecided(self.joined(then(x), orelse(x))),
                    lambda: self.undecided(orelse(x))),
            )

        return branch

    def either_of(self, test: Any, then: Callable[[], Layers], orelse: Callable[[], Layers]) -> Layers:
        """What one of two branches gives, of which a truth value may be decided in one and not in the other."""
        found: list[Layers] = []

        def alike(branch: Callable[[], Layers]) -> Layers:
            found.append(branch())
            if len(found) == 2 and (self.loses(*found) or self.loses(*reversed(found))):
                raise Loses
            return found[-1]

        try:
            return self.base.cond(test, lambda: alike(then), lambda: alike(orelse))
        except Loses:
            return self.base.cond(test, lambda: self.like(then(), found[1]), lambda: self.like(orelse(), found[0]))

    def scan(self, body: Moved, term: Scan) -> Moved:
        make = super().scan
        return lambda x: self.looped(lambda body: make(body, term), body, x, 3)

    def unfold(self, test: Moved, body: Moved, term: Unfold) -> Moved:
        make = super().unfold

        def run(x: Layers) -> Layers:
            y = self.looped(lambda body: make(test, body, term), body, x, 2)
            state, outputs = self.apart(y, 2)
            possibly = test(self.together((self.apart(x, 2)[0], state)))[1]
            if is_nothing(possibly) or not (isinstance(possibly, Traced) or possibly):
                return y
            if outputs[0]:
                raise CannotStage("a `while` whose test is not decided may have more outputs",
                                  "test what is no interval, or keep no list")
            state = self.without_counts(state)
            return self.together((self.base.cond(possibly, lambda: everything(state), lambda: state), outputs))

        return run

    def looped(self, make: Callable[[Moved], Moved], body: Moved, x: Layers, size: int) -> Layers:
        """A loop, whose truth values may come to be undecided on the way where they are known before."""

        def checked(y: Layers) -> Layers:
            state = self.apart(y, size)[1]
            z = body(y)
            after, outputs = self.apart(z, 2)
            if self.loses(state, after):
                raise Loses
            return self.together((after, outputs))

        def undecided_from_the_start(y: Layers) -> Layers:
            after, outputs = self.apart(body(y), 2)
            return self.together((self.undecided(after), outputs))

        try:
            return make(checked)(x)
        except Loses:
            g, init, *rest = self.apart(x, size)
            return make(undecided_from_the_start)(self.together((g, self.undecided(init), *rest)))

    def loses(self, x: Layers, y: Layers) -> bool:
        """Whether a truth value, or a list of some, that was decided is not any more."""
        if isinstance(x[0], tuple) and isinstance(y[0], tuple) and len(x[0]) == len(y[0]):
            pairs = zip(self.apart(x, len(x[0])), self.apart(y, len(y[0])), strict=True)
            return any(self.loses(a, b) for a, b in pairs)
        return is_nothing(x[1]) and not is_nothing(y[1]) and not callable(x[0]) and is_discrete(kind(y[0]))

    def like(self, x: Layers, y: Layers) -> Layers:
        """A value with both bounds where another one has them."""
        if isinstance(x[0], tuple) and isinstance(y[0], tuple) and len(x[0]) == len(y[0]):
            n = len(x[0])
            return self.together([self.like(a, b) for a, b in zip(self.apart(x, n), self.apart(y, n), strict=True)])
        return (x[0], x[0]) if self.loses(x, y) else x

    def undecided(self, x: Layers) -> Layers:
        """A value whose truth values have both bounds."""
        if isinstance(x[0], tuple):
            return self.together([self.undecided(part) for part in self.apart(x, len(x[0]))])
        return (x[0], x[0]) if is_nothing(x[1]) and not callable(x[0]) and is_truth(kind(x[0])) else x

    def without_counts(self, x: Layers) -> Layers:
        """A value whose whole numbers are refused where they are read: nobody knows how often a loop ran."""
        if isinstance(x[0], tuple):
            return self.together([self.without_counts(part) for part in self.apart(x, len(x[0]))])
        return (x[0], x[0]) if is_nothing(x[1]) and not callable(x[0]) and isinstance(kind(x[0]), Int) else x

    def columns(self, a: Product, index: int) -> list[bool]:
        lists = a.parts[index]
        inside = lists.parts if isinstance(lists, Product) else ()
        return [is_discrete(b) and b != List(BOOL) for b in inside]

    def flat(self, x: Layers, discrete: Sequence[bool]) -> tuple[Any, ...]:
        known = [NOTHING] * len(discrete) if is_nothing(x[1]) else x[1]
        beside = [x[0][j] if not skip and is_nothing(known[j]) else known[j] for j, skip in enumerate(discrete)]
        return super().flat((x[0], tuple(beside)), discrete)

    def joined(self, x: Layers, y: Layers) -> Layers:
        """What holds both of two values."""
        if isinstance(x[0], tuple):
            if not x[0]:
                return x
            n = len(x[0])
            return self.together([self.joined(a, b) for a, b in zip(self.apart(x, n), self.apart(y, n), strict=True)])
        for z, w in ((x, y), (y, x)):
            if isinstance(z[0], Standing) and not isinstance(z[0], Traced):  # what the other branch alone has
                return w
        if callable(x[0]) and callable(y[0]):
            return self.alone(lambda s: self.joined(x[0](s), y[0](s)))
        if is_truth(kind(x[0])) and is_truth(kind(y[0])):
            return all_of(x[0], y[0]), any_of(*[z[0] if is_nothing(z[1]) else z[1] for z in (x, y)])
        if is_nothing(x[1]) and is_nothing(y[1]):
            if x[0] is y[0] or (not isinstance(x[0], Traced) and not isinstance(y[0], Traced) and x[0] == y[0]):
                return x
            raise CannotStage("which of two whole numbers it is depends on a test that is not decided",
                              "make it a real number, or test what is no interval")
        other = next((k for k in (kind(x[0]), kind(y[0])) if not is_real(k)), None)
        if is_nothing(x[1]) or is_nothing(y[1]) or other is not None:
            raise CannotStage(f"{in_words(other or kind(x[0]))} depends on a test that is not decided",
                              "test what is no interval, or take the derivative in forward mode")
        return tuple(hull([x[0], y[0], x[1], y[1]]))


class Loses(Exception):
    """A truth value that was decided before a loop is not behind a run of its body."""
