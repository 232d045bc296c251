"""Where primitives go that are applied to variables while a function is elaborated."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

from ccc.compile.diagnostics import Span
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.iterator_values import IteratorValue, RangeValue
from ccc.compile.frontend.regions import is_of_reference, leads_on
from ccc.compile.frontend.source import File, span_in
from ccc.compile.frontend.values import Mutable, TextValue, _serials, atom_of
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Let, Lit, Op, Var
from ccc.coproducts import refuse_hidden_none
from ccc.errors import CCCError
from ccc.objects import REAL, Array, Bool, Int, List, Map, Object, Real, Static
from ccc.objects_of_values import object_of
from ccc.primitives import effects
from ccc.primitives.facts import FILLING, SIZES, STORAGE
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import may_warn, under

EXACT = Real("fraction")
COMPUTED = (Real, Int, Bool, Array)
"""The objects of what any primitive may be given."""
MOVING = (STORAGE, FILLING, SIZES)
"""The works of primitives that look at no item of what they are given."""


class Recorder:
    """Where primitives applied to variables go while a function is elaborated: into the current block."""

    def __init__(self) -> None:
        self.block = Block(BlockKind.TOP)
        self.at: tuple[File, Any] | Span | None = None
        """The place of what is recorded: a node of a file, or the span of one."""
        self.reads: Callable[[Let], None] = lambda let: None
        self.errors: tuple[tuple[str, Any], ...] = ()
        """The modes of the `np.errstate` around what is recorded."""
        self.asks: Callable[[Any, tuple[Any, ...], tuple[Object, ...], dict[str, Any]], None] | None = None
        """What is told of each operation in a `try`, before it is recorded."""
        self.columns: set[Var] = set()
        """Lists that are tuples in Python: the columns of `zip(*rows)`."""

    @property
    def span(self) -> Span | None:
        """The place of what is recorded."""
        at = self.at
        return span_in(*at) if type(at) is tuple else at  # type: ignore[return-value]

    @span.setter
    def span(self, place: Span | None) -> None:
        self.at = place

    def end(self) -> None:
        """Leave who recorded: the variables of the program know the recorder, and are kept longer."""
        self.asks, self.reads, self.columns = None, lambda let: None, set()

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        objects = tuple([x.object if isinstance(x, (Var, Lit)) else object_of(x) for x in args])
        for a in objects:
            if type(a) in COMPUTED:
                continue
            if isinstance(a, Static) and isinstance(a.value, (Mutable, TextValue, RangeValue, IteratorValue)):
                raise TypeError(f"`{primitive.name}` takes no {getattr(a.value, 'cls', type(a.value)).__name__}")
            keyed = isinstance(objects[0], Map)  # references are keys where they are told apart by what they lead to
            of, its = asked_of(primitive, params)
            moved = takes_whole(of, its) if is_of_reference(a) and not keyed else of.work in MOVING
            if not moved and leads_on(a):  # it were the number of its place
                raise TypeError(f"`{primitive.name}` takes no reference")
        if EXACT in objects and REAL in objects:  # a literal among exact scalars is read as the rational that it is
            args = tuple([Fraction(x) if isinstance(x, float) else x for x in args])
            objects = tuple([EXACT if isinstance(x, Fraction) else a for x, a in zip(args, objects, strict=True)])
        try:
            a = primitive.type_of(objects, params)
        except ValueError as error:
            self.fails(primitive, args, objects, params, error)
        if isinstance(a, (List, Map)):
            memory = primitive.memory_of(params)
            refuse_hidden_none(a, [x for i, x in enumerate(objects) if memory.reaches(i)])
        if self.errors and may_warn(primitive, objects, params):
            primitive = under(primitive, self.errors)
        if self.asks is not None:
            self.asks(primitive, args, objects, params)
        found = self.target(self.emit(Apply(primitive, params), [atom_of(x) for x in args]), "", a)
        if primitive.as_tuple:
            self.columns.add(found)
        return found

    def fails(
        self, primitive: Any, args: tuple[Any, ...], objects: tuple[Object, ...], params: dict[str, Any],
        error: ValueError,
    ) -> NoReturn:  # fmt: skip
        """An operation that will raise: on a path that may not be taken, the program raises it."""
        if isinstance(error, CCCError) or self.surely_runs():
            raise error
        if self.asks is not None:
            self.asks(primitive, args, objects, params)
        self.apply(effects.attempt, args, {"of": primitive, "params": tuple(params.items())}, None)
        self.apply(effects.fail, (ValueError,), {"forms": ((str(error),),)}, None)
        raise interrupts.Ends

    def surely_runs(self) -> bool:
        """True where what is recorded now is on no path that may not be taken."""
        return self.asks is None and all(block.kind is BlockKind.TOP for block in self.block.ancestors())

    def emit(self, op: Op, args: list[Atom]) -> Let:
        let = Let(op, args, self.span)
        self.reads(let)
        self.block.lets.append(let)
        return let

    def target(self, let: Let, name: str, a: Object, home: Block | None = None) -> Var:
        var = let.target(name, a, home or self.block)
        var.base = self
        var.serial = next(_serials)
        return var

    def param(self, block: Block, name: str, a: Object) -> Var:
        var = block.param(name.partition(" of ")[0].strip(".[]'"), a)
        var.base = self
        return var


def asked_of(primitive: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The operation that one is about, as what asks whether another raises is, and its parameters.

    >>> from ccc.primitives import arithmetic, failures
    >>> asked_of(failures.failing, {"of": arithmetic.div, "params": ()})[0].name, asked_of(arithmetic.add, {})[0].name
    ('div', 'add')
    """
    of = params.get("of")
    return (of, dict(params["params"])) if isinstance(of, Primitive) else (primitive, params)


def takes_whole(primitive: Any, params: dict[str, Any]) -> bool:
    """Whether a primitive takes values as they are, without a look at them: it puts them somewhere, or takes them out.

    >>> from ccc.primitives import arithmetic, structure
    >>> takes_whole(structure.pack, {}), takes_whole(arithmetic.add, {})
    (True, False)
    """
    memory = primitive.memory_of(params)
    kept = memory.goes_on or memory.how in ("holds", "same", "out of")
    return kept and primitive.work in MOVING
