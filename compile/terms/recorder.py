"""Symbolic values, and the recorder of the primitives that are applied to them.

What is recorded is a block of a λ-program. A value is known by the primitive and its arguments, so what is computed
twice is recorded once; effects are recorded as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Contribution, EmptySum, Zero, ZeroLike
from ccc.categories.exponentials import Closure
from ccc.categories.forward import TangentClosure
from ccc.compile.program.dependence import depends
from ccc.compile.program.lam import Absent, Apply, Atom, Block, Lambda, Let, Lit, Op, Var
from ccc.compile.program.simplify import identity, simplified
from ccc.compile.terms.states import rebuilt
from ccc.errors import CannotStage, NotLinear
from ccc.objects import (
    UNIT,
    Array,
    Boxed,
    Coproduct,
    Exponential,
    List,
    Map,
    Object,
    Product,
    Space,
    is_discrete,
    object_of,
)
from ccc.primitives import arithmetic, structure
from ccc.primitives.raising import is_loud
from ccc.primitives.ties import moving_as
from ccc.primitives.widening import widen
from ccc.records import taken_apart


class Staged(Var):
    """A variable that derivative rules compute with."""

    __slots__ = ()
    __array_ufunc__ = None  # an array times a variable is the variable's business, not item by item

    def __add__(self, other: Any) -> Any:
        if isinstance(self.object, Boxed | Coproduct | Product | List | Map | Space):
            return structure.add_trees(self, other)
        return arithmetic.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return arithmetic.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return arithmetic.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return arithmetic.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return arithmetic.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return arithmetic.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return arithmetic.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return arithmetic.div(other, self)

    def __pow__(self, other: Any) -> Any:
        return arithmetic.power(self, other)

    def __neg__(self) -> Any:
        return arithmetic.neg(self)

    def __lt__(self, other: Any) -> Any:
        return arithmetic.less(self, other)

    def __le__(self, other: Any) -> Any:
        return arithmetic.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return arithmetic.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return arithmetic.greater_equal(self, other)

    def __bool__(self) -> bool:
        raise CannotStage("a derivative rule asked for the truth of a value that is not known yet")

    def __iter__(self) -> Any:
        raise CannotStage("a derivative rule iterated over a value that is not known yet")


class Recorder:
    """What records: a block that lets are written to, and what is known of the values in it."""

    def __init__(self, exact: bool = False) -> None:
        self.block = Block("top")
        self.seen: dict[Block, dict[Any, Staged]] = {}
        self.exact = exact
        self.adjoint = False
        self.knots: list[Any] = []  # the recursions that are being recorded
        self.meant = False
        self.apart = False  # the value is computed, and its effects are done, by another program

    # -- values ------------------------------------------------------------------------------------------------

    def param(self, block: Block, name: str, a: Object) -> Staged:
        var = Staged(name, a, block)
        var.base = self
        block.params.append(var)
        return var

    def atom(self, value: Any) -> Atom:
        if isinstance(value, Staged):
            return value
        return Lit(value, value.object if isinstance(value, Absent) else object_of(value))

    def emit(self, op: Op, args: list[Any], span: Any = None, derived: bool = False) -> Let:
        let = Let(op, [self.atom(a) for a in args], span, self.adjoint or derived)
        self.block.lets.append(let)
        return let

    def target(self, let: Let, name: str, a: Object, home: Block | None = None) -> Staged:
        var = Staged(name, a, home or self.block, let)
        var.base = self
        let.targets.append(var)
        return var

    def const(self, value: Any, a: Object) -> Any:
        if isinstance(a, Map):  # what nothing reads
            return self.apply(structure.empty_map, (), {"of": a}, None)
        return Fraction(value) if self.exact and isinstance(value, float) else value

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        if primitive is widen or primitive is moving_as:
            return args[0]
        if primitive.program is not None and primitive.effect:
            let = self.emit(Apply(primitive, params), list(args), label.span if label else None, self.apart)
            return self.target(let, label.name if label else "", primitive.type_of(self.objects(args), params))
        if primitive.effect:
            return self.effect(primitive, args, params, label)
        if label is None:
            simpler = simplified(primitive, args, params)
            if simpler is not None:
                return simpler
        key = (primitive, tuple([identity(a) for a in args]), tuple(params.items()))
        alone = primitive is structure.empty_map or is_loud(primitive.errors)
        known = None if alone else self.lookup(key)  # each is changed on its own
        if known is not None:
            if known.definition is not None and not (self.adjoint or label is None or label.derived):
                known.definition.adjoint = False
            return known
        a = primitive.type_of(self.objects(args), params)
        span, derived = (label.span, label.derived) if label else (None, True)
        let = self.emit(Apply(primitive, params), list(args), span, derived)
        var = self.target(let, label.name if label else "", a)
        self.seen.setdefault(self.block, {})[key] = var
        return var

    def effect(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        """What the program does beside computing: never merged with its like, and not done again by a pullback."""
        if (self.adjoint or self.apart) and not self.meant:
            return ()
        outer, self.adjoint = self.adjoint, False
        let = self.emit(Apply(primitive, params), list(args), label.span if label else None)
        self.adjoint = outer
        return self.target(let, "", primitive.type_of(self.objects(args), params))

    def objects(self, args: Sequence[Any]) -> tuple[Object, ...]:
        """The objects of arguments."""
        return tuple([self.atom(x).object for x in args])

    def given(self, pullback: Callable[[Any], Any], ct: Any) -> Any:
        """What a pullback of the user gives, with what it does beside."""
        outer, self.meant = self.meant, True
        found = pullback(ct)
        self.meant = outer
        return found

    def ruled(self, rule: Callable[[Any], Any], x: Any) -> Any:
        """What the rule of the user gives, with what it does beside."""
        outer, self.meant = self.meant, self.meant or (self.apart and not self.adjoint)
        found = rule(x)
        self.meant = outer
        return found

    def linear(self, name: str, run: Callable[[], Any], seeds: Sequence[Any]) -> Any:
        """What `run` gives, which must not depend on the seeds."""
        outer = self.adjoint, self.meant
        self.adjoint, self.meant = True, False
        found = run()
        self.adjoint, self.meant = outer
        if depends(found, seeds):
            raise NotLinear(f"the pullback of `{name}` is not linear in the cotangent: it has no forward mode",
                            "take it in reverse mode: ccc.value_with_pullback")
        return found

    def lookup(self, key: Any) -> Staged | None:
        for block in self.block.ancestors():
            found = self.seen.get(block)
            if found is not None and key in found:
                return found[key]
        return None

    def zero_of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([self.zero_of(part) for part in value])
        if isinstance(value, Closure):
            return value.zero(self.zero_of(value.environment))
        if isinstance(value, TangentClosure):
            return self.zero_of(value.environment)
        if isinstance(value, Staged) and (_holds_nothing(value.object) or not is_discrete(value.object)):
            return ZeroLike(value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return ZeroLike(value)  # of an array that is known: what is added to its tangent is broadcast to it
        return ZERO

    def empty_sum(self, value: Any) -> Any:
        return rebuilt(self.zero_of(value), lambda ct: EmptySum(ct.witness) if isinstance(ct, ZeroLike) else ct)

    def settled(self, ct: Any, other: Any) -> Any:
        """`ct` as a value: contributions made dense, and a zero made of its witness or of the other side's object."""
        if isinstance(ct, Contribution):
            return ct.dense()
        if isinstance(ct, ZeroLike):
            return structure.zero_for(ct.witness)
        if isinstance(ct, Zero):
            a = other.object if isinstance(other, Staged | Absent) else None
            if isinstance(a, Map):
                return self.apply(structure.empty_map, (), {"of": a}, None)
            if isinstance(a, Array | Boxed | Coproduct | List | Product | Space):
                return Absent(a, "0.0" if isinstance(a, Array) else "None")
            return Fraction(0) if self.exact else 0.0
        return ct

    def recorded(self, value: Any, like: Any) -> Any:
        a = like.object if isinstance(like, Staged) else None
        whole = isinstance(a, Product | List | Map | Coproduct)
        return self.whole(value) if whole and not isinstance(value, Staged) else value

    def whole(self, value: Any) -> Any:
        """A structure of known numbers and of variables as a value of the program, made anew in each run."""
        if type(value) is list:
            return self.apply(structure.listing, tuple(map(self.whole, value)), {}, None)
        if type(value) is tuple:
            return self.apply(structure.pack, tuple(map(self.whole, value)), {}, None)
        found = taken_apart(value)
        if found is None:
            return value
        cls, names, parts = found
        return self.apply(structure.record, tuple(map(self.whole, parts)), {"cls": cls, "names": names}, None)

    # -- blocks ------------------------------------------------------------------------------------------------

    def inside(self, block: Block, run: Callable[[], Any]) -> Any:
        """What `run` returns, having recorded into `block`."""
        outer, self.block = self.block, block
        try:
            return run()
        finally:
            self.block = outer

    def function(self, params: Sequence[tuple[str, Any]], run: Callable[[Sequence[Any]], Any]) -> tuple[Staged, Any]:
        """A closure of the program; `params` are names and objects. Also returns what `run` returned."""
        block = Block("function", self.block)
        variables = [self.param(block, name, a) for name, a in params]
        result = self.inside(block, lambda: run(variables))
        let = self.emit(Lambda(block), [])
        dom = Product(tuple([v.object for v in variables]))
        return self.target(let, "pullback", Exponential(dom, Product(()))), (block, result)


def _holds_nothing(a: Object) -> bool:
    """True for an empty list or map, which will hold anything."""
    return isinstance(a, List | Map) and a.item == UNIT
