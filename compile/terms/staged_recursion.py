"""Recursive functions on the staged base: two functions of the program, one forward and one for the pullback.

    f(s)            -> (r, tape)         calls f
    f_pullback(tape, gr) -> (ct of the environment, ct of s)    calls f_pullback

The tape of an activation is a tuple of what its pullback reads, tapes of inner activations among them. Which parts of
the environment and of the argument get a cotangent at all is found by recording until nothing new turns up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ccc.additive import ZERO, Contribution, Zero, ZeroLike, add, dense, parts
from ccc.compile.program.lam import Absent, Apply, Block, BlockKind, Call, Lambda, Let
from ccc.compile.terms.sparse_cotangents import Accumulated
from ccc.compile.terms.stage import Recorder
from ccc.compile.terms.staged import Staged
from ccc.compile.terms.states import leaves_in, rebuilt, shaped
from ccc.coproducts import join
from ccc.errors import CannotStage
from ccc.objects import Array, Boxed, Exponential, List, Map, Object, Product, Real, is_discrete, of_shape
from ccc.primitives import broadcasting, sums, tapes, zero_trees

Apply_ = Callable[[Any], Any]


def flat(a: Object) -> list[Object]:
    """The objects of the arguments or results of a function, pairs of pairs spelt out."""
    return [leaf for part in a.parts for leaf in flat(part)] if isinstance(a, Product) else [a]


def value_at(a: Object, atoms: Iterator[Any]) -> Any:
    """Atoms as the value of an argument or result: one is bare."""
    return tuple([value_at(part, atoms) for part in a.parts]) if isinstance(a, Product) else next(atoms)


def leaves_at(a: Object, value: Any) -> list[Any]:
    """The leaves of a value of an object, tuples of tuples spelt out; a symbolic zero stands for as many."""
    if isinstance(a, Product):
        pairs = zip(a.parts, parts(value, len(a.parts)), strict=True)
        return [leaf for b, part in pairs for leaf in leaves_at(b, part)]
    return leaves_in(value)


def varying(zero: Any) -> list[bool]:
    """For each leaf of the zero of an environment, whether it is that of a value of the program: nothing asks for the
    cotangent of a constant."""
    return [isinstance(leaf, ZeroLike) for leaf in leaves_in(zero)]


class Knot:
    """A recursive closure being recorded."""

    def __init__(self, recorder: Recorder, body: Apply_, name: str, function: Exponential, closure: Any) -> None:
        self.recorder = recorder
        self.body = body
        self.function = function
        self.closure = closure
        self.name = name
        self.zero = closure.zero(recorder.zero_of(closure.environment))
        self.active_environment = [False] * len(leaves_in(self.zero))
        self.active_argument = [False] * len(flat(self.function.dom))
        self.given_whole: set[int] = set()  # the arguments whose cotangents are made anew by each activation
        closure.apply = self.apply
        start = len(recorder.block.lets)
        while not self.record():
            del recorder.block.lets[start:]

    def block(self, name: str, mirror: Block | None) -> tuple[Block, Staged]:
        """A function of the program, and the variable that stands for it."""
        block = Block(BlockKind.FUNCTION, self.recorder.block)
        block.mirror = mirror
        let = self.recorder.emit(Lambda(block), [])
        return block, self.recorder.target(let, name, self.function)

    def record(self) -> bool:
        """Record both functions; False where a cotangent turned up that was taken to be zero."""
        st = self.recorder
        self.tape = Boxed(self.name)
        self.gives = flat(self.function.cod)
        self.hands_back: list[Object] = []
        self.calls: list[Let] = []
        self.calls_back: list[Let] = []
        self.passed_on: set[int] = set()
        forward, self.forward = self.block(self.name, None)
        backward, self.backward = self.block(f"{self.name}_pullback", forward)
        s = self.params = [st.param(forward, "", a) for a in flat(self.function.dom)]
        r, pullback = st.inside(forward, lambda: self.body(value_at(self.function.dom, iter(s))))
        results = [st.inside(forward, lambda x=x: st.settled(x, x)) for x in leaves_in(r)]
        roll = Let(Apply(tapes.roll, {"tape": self.tape}), [])
        forward.lets.append(roll)
        tape = st.target(roll, "tape", self.tape, forward)
        forward.results = [*map(st.atom, results), tape]
        st.param(backward, "tape", self.tape)
        wanted = [a for a in flat(self.function.cod) if not is_discrete(a)]
        seeds = [st.param(backward, "ct", a) for a in wanted]
        sums = {i: st.param(backward, "", witness.object) for i, witness in self.summed(s).items()}
        outer, st.adjoint = st.adjoint, True
        settled, cts = st.inside(backward, lambda: self.cotangents(pullback(self.seeded(seeds)), s, sums))
        st.adjoint = outer
        backward.results = [st.atom(ct) for ct in cts]
        if settled:
            cod = widened([*flat(self.function.cod), self.tape], [a.object for a in forward.results], self.calls)
            self.gives = cod[:-1]
            self.forward.object = Exponential(self.taken(), Product(tuple(cod)))
            dom = Product(tuple([p.object for p in backward.params]))
            cod = widened(self.handed_objects(), [a.object for a in backward.results], self.calls_back)
            self.hands_back = cod
            self.backward.object = Exponential(dom, _bare(cod))
        return settled

    def taken(self) -> Object:
        """The object of the arguments as they are passed."""
        dom = self.function.dom
        return Product(tuple(flat(dom))) if isinstance(dom, Product) else dom

    def handed_objects(self) -> list[Object]:
        """The objects of what the pullback's function gives."""
        st = self.recorder
        pairs = zip(leaves_in(self.zero), self.active_environment, strict=True)
        environment = [st.atom(leaf.witness).object for leaf, active in pairs if active]
        arguments = zip(flat(self.function.dom), self.active_argument, strict=True)
        return environment + [a for a, active in arguments if active]

    def seeded(self, seeds: list[Staged]) -> Any:
        given = iter(seeds)
        atoms = [ZERO if is_discrete(a) else next(given) for a in flat(self.function.cod)]
        return value_at(self.function.cod, iter(atoms))

    def summed(self, s: list[Any]) -> dict[int, Any]:
        """The arrays whose cotangents are summed from one activation to the next, by their position: those from
        outside, and behind them those among the arguments `s` that a call within the body passes on."""
        leaves = [leaf.witness if isinstance(leaf, ZeroLike) else None for leaf in leaves_in(self.zero)]
        outside = [isinstance(x, Staged) and isinstance(x.object, Array) for x in leaves]
        within = [i in self.passed_on - self.given_whole and isinstance(p.object, Array) and p.object.axes is not None
                  for i, p in enumerate(self.params)]
        active = [*self.active_environment, *self.active_argument]
        wanted = [a and b for a, b in zip(active, [*outside, *within], strict=True)]
        return {i: x for i, (x, on) in enumerate(zip([*leaves, *s], wanted, strict=True)) if on}

    def cotangents(self, found: Any, s: list[Staged], sums: dict[int, Any]) -> tuple[bool, list[Any]]:
        """The cotangents that are not zero, and whether all of them were expected."""
        st = self.recorder
        ct_environment, ct_s = parts(found, 2)
        environment = leaves_in(shaped(add(self.zero, ct_environment), self.zero))
        like = value_at(self.function.dom, iter([st.zero_of(x) for x in s]))
        argument = leaves_in(add(like, ct_s))
        settled = True
        results: list[Any] = []
        captured = varying(self.zero)
        before = len(environment)
        for active, leaves, first in ((self.active_environment, environment, 0),
                                      (self.active_argument, argument, before)):
            for i, leaf in enumerate(leaves):
                if not isinstance(leaf, Zero) and not active[i] and (leaves is argument or captured[i]):
                    active[i] = True
                    settled = False
                if leaves is argument and first + i in sums and not isinstance(leaf, (Zero, Contribution)):
                    self.given_whole.add(i)
                    settled = False
                if active[i]:
                    start = sums.get(first + i)
                    results.append(st.settled(dense(leaf), leaf) if start is None else add(start, leaf))
        return settled, results

    def apply(self, s: Any) -> tuple[Any, Callable[[Any], Any]]:
        """A call: the result, and the pullback that calls back."""
        st = self.recorder
        args = [st.settled(x, x) for x in leaves_in(s)]
        let = st.emit(Call(), [self.forward, *args])
        self.calls.append(let)
        self.passed_on.update([i for i, (x, p) in enumerate(zip(args, self.params, strict=True)) if x is p])
        rs = [st.target(let, "", a) for a in self.gives]
        tape = st.target(let, "tape", self.tape)

        def call_pullback(gr: Any) -> Any:
            like = value_at(self.function.cod, iter([st.zero_of(x) for x in rs]))
            leaves = leaves_in(add(like, gr))
            seeds = [st.settled(dense(g), g) for g, r in zip(leaves, rs, strict=True) if not is_discrete(r.object)]
            sums = [st.apply(zero_trees.zeros_like, (x,), {}, None) for x in self.summed(args).values()]
            back = st.emit(Call(), [self.backward, tape, *seeds, *sums])
            self.calls_back.append(back)
            return self.handed_back(back, args, len(back.args) - len(sums))

        return value_at(self.function.cod, iter(rs)), call_pullback

    def handed_back(self, let: Let, args: list[Any], first: int) -> Any:
        """The results of the pullback's call as (cotangent of the function, cotangent of its argument)."""
        objects = iter(self.hands_back or self.handed_objects())
        environment: list[Any] = [
            self.recorder.target(let, "", next(objects)) if active else leaf
            for leaf, active in zip(leaves_in(self.zero), self.active_environment, strict=True)
        ]
        argument: list[Any] = [
            self.recorder.target(let, "", next(objects)) if active else ZERO for active in self.active_argument
        ]
        for position, (i, witness) in enumerate(self.summed(args).items(), first):
            leaves, j = (environment, i) if i < len(environment) else (argument, i - len(environment))
            leaves[j] = Accumulated(self.recorder, let, position, leaves[j], witness)
        given = iter(environment)
        return rebuilt(self.zero, lambda leaf: next(given)), value_at(self.function.dom, iter(argument))


def of_any_kind(a: Object) -> Object:
    """An object with reals of any kind in the places of its reals."""
    if isinstance(a, Real):
        return Real("any")
    if isinstance(a, Product):
        return of_shape(a, tuple(map(of_any_kind, a.parts)))
    if isinstance(a, Map):
        return Map(a.key, of_any_kind(a.item))
    return List(of_any_kind(a.item)) if isinstance(a, List) else a


def widened(declared: list[Object], found: list[Object], calls: list[Let]) -> list[Object]:
    """What a function gives: the declared objects, wider where its body gives more kinds of numbers; its calls give the
    same."""
    objects: list[Object] = []
    for i, (a, b) in enumerate(zip(declared, found, strict=True)):
        wide = join(a, b)
        if wide is None or not (isinstance(a, Real) or of_any_kind(a) == of_any_kind(wide)):
            raise CannotStage(f"a recursive function that gives {b} where {a} was expected")
        objects.append(wide)
        for let in calls:
            let.targets[i].object = wide
    return objects


class ValueKnot:
    """A recursive closure on values alone, those with tangents among them: one function, from arguments to results."""

    def __init__(self, recorder: Recorder, body: Apply_, name: str, function: Exponential) -> None:
        self.recorder = recorder
        self.body = body
        self.function = function
        self.block = Block(BlockKind.FUNCTION, recorder.block)
        let = recorder.emit(Lambda(self.block), [])
        self.variable = recorder.target(let, name, function)
        self.recorded = False
        self.calls: list[Let] = []
        self.gives = flat(function.cod)

    def record(self) -> None:
        """Record the body, once, when it is first called."""
        self.recorded = True
        st = self.recorder
        s = [st.param(self.block, "", a) for a in flat(self.function.dom)]
        result = st.inside(self.block, lambda: self.body(value_at(self.function.dom, iter(s))))
        self.block.results = st.inside(self.block, lambda: list(map(st.atom, self.given(result, self.function.cod))))
        self.gives = [a.object for a in self.block.results]
        for let in self.calls:  # those of itself, made before that was known
            for target, a in zip(let.targets, self.gives, strict=True):
                target.object = a
        self.variable.object = Exponential(_bare([p.object for p in self.block.params]), _bare(self.gives))

    def given(self, value: Any, a: Object) -> list[Any]:
        """What is passed for a value of an object; the zero of a map is the one without items."""
        return [self.empty(b) if isinstance(b, Map) and isinstance(x, Zero) else self.recorder.settled(dense(x), x)
                for b, x in zip(flat(a), leaves_at(a, value), strict=True)]

    def empty(self, a: Map) -> Staged:
        return self.recorder.apply(zero_trees.empty_map, (), {"of": a}, None)

    def apply(self, s: Any) -> Any:
        if not self.recorded:
            self.record()
        let = self.recorder.emit(Call(), [self.variable, *self.given(s, self.function.dom)])
        self.calls.append(let)
        return value_at(self.function.cod, iter([self.recorder.target(let, "", a) for a in self.gives]))


class ContextKnot:
    """What calls of a recursive closure mean for what it captured, alone: one function, from an argument and the
    cotangent of its result; it calls itself for the calls that such a call makes."""

    def __init__(self, recorder: Recorder, body: Apply_, name: str, function: Exponential, closure: Any) -> None:
        closure.apply = self.apply
        self.recorder = recorder
        self.body = body
        self.function = function
        self.name = f"{name}_calls"
        self.zero = recorder.zero_of(closure.environment)
        self.active = [False] * len(leaves_in(self.zero))
        start = len(recorder.block.lets)
        while not self.record():
            del recorder.block.lets[start:]

    def record(self) -> bool:
        """Record the function; False where a cotangent turned up that was taken to be zero."""
        st = self.recorder
        self.calls: list[Let] = []
        self.gives = [st.atom(leaf.witness).object for leaf, active in self.leaves() if active]
        block = Block(BlockKind.FUNCTION, st.block)
        self.variable = st.target(st.emit(Lambda(block), []), self.name, self.function)
        s = [st.param(block, "", a) for a in flat(self.function.dom)]
        seeds = iter([None if is_discrete(a) else st.param(block, "ct", a) for a in flat(self.function.cod)])
        gr = value_at(self.function.cod, iter([ZERO if seed is None else seed for seed in seeds]))
        found = st.inside(block, lambda: self.total(value_at(self.function.dom, iter(s)), gr))
        results: list[Any] = []
        settled = True
        captured = varying(self.zero)
        for i, leaf in enumerate(leaves_in(shaped(add(self.zero, found), self.zero))):
            if not isinstance(leaf, Zero) and not self.active[i] and captured[i]:
                self.active[i], settled = True, False
            if self.active[i]:
                results.append(st.inside(block, lambda x=leaf: st.settled(dense(x), x)))
        block.results = [st.atom(x) for x in results]
        if settled:
            self.gives = widened(self.gives, [a.object for a in block.results], self.calls)
        dom = Product(tuple([p.object for p in block.params]))
        self.variable.object = Exponential(dom, _bare(self.gives))
        return settled

    def leaves(self) -> Iterator[tuple[Any, bool]]:
        """The zeros of the environment, and whether each gets a cotangent."""
        return zip(leaves_in(self.zero), self.active, strict=True)

    def total(self, s: Any, gr: Any) -> Any:
        r, pullback = self.body(s)
        seeds = zip(leaves_in(gr), leaves_in(r), strict=True)
        return pullback(value_at(self.function.cod, iter([spread(g, x) for g, x in seeds])))

    def apply(self, s: Any) -> tuple[Any, Callable[[Any], Any]]:
        return None, lambda gr: self.call(s, gr)

    def call(self, s: Any, gr: Any) -> Any:
        """The cotangent of the environment for one call."""
        st = self.recorder
        args = [st.settled(x, x) for x in leaves_in(s)]
        cod = flat(self.function.cod)
        leaves = leaves_in(shaped(gr, value_at(self.function.cod, iter([ZERO] * len(cod)))))
        seeds = [st.settled(dense(g), Absent(a)) for g, a in zip(leaves, cod, strict=True) if not is_discrete(a)]
        let = st.emit(Call(), [self.variable, *args, *seeds])
        self.calls.append(let)
        objects = iter(self.gives)
        given = iter([st.target(let, "", next(objects)) if active else leaf for leaf, active in self.leaves()])
        return rebuilt(self.zero, lambda leaf: next(given))


def spread(ct: Any, x: Any) -> Any:
    """A cotangent in the shape of an array, or of a list or dict: it is absent where nothing was contributed to it."""
    if not isinstance(ct, Staged):
        return ct
    if isinstance(ct.object, Array):
        return broadcasting.broadcast_like(ct, x)
    return sums.arrived(ct, x) if isinstance(ct.object, (List, Map)) else ct


def _bare(objects: list[Object]) -> Object:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))
