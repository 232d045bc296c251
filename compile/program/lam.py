"""The λ-program: typed let-normal form, the one representation besides arrow terms.

    program  ::=  λ params. block
    block    ::=  let x, ... = op in ... ; results
    op       ::=  primitive | branch (if) | loop (scan) | while | lambda | call

Every variable has its object from birth, and every let its span in the user's source. Blocks nest; an inner block sees
the variables of the outer ones. Products are flat here: tuples exist only where a list holds them.

Python functions are elaborated into this form, arrow terms are abstracted from it, recordings are read back into it,
and code is emitted from it; so the derivative of a program is a program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

from ccc.base import Standing, Traced
from ccc.compile.program.assumed import Assumed
from ccc.objects import UNIT, Exponential, Object
from ccc.primitives.operators import Operators
from ccc.records import made
from ccc.values import value


class Var(Operators, Traced):
    """A variable: its object, the block that binds it and, unless it is a parameter, the let that defines it. `row` is
    the list that it is an item of and the index, where that is known otherwise than by its definition."""

    __slots__ = ("definition", "home", "name", "row", "serial")

    def __init__(self, name: str, a: Object, home: Block | None = None, definition: Let | None = None) -> None:
        self.base: Any = None
        self.object: Object = a
        self.name = name
        self.home = home
        self.definition = definition
        self.row: tuple[Var, Any] | None = None

    def __repr__(self) -> str:
        return self.name or "_"


class Lit:
    """A constant as an atom."""

    __slots__ = ("object", "value")

    def __init__(self, value: Any, a: Object) -> None:
        self.value = value
        self.object = a

    def __repr__(self) -> str:
        return repr(self.value)


class Absent(Standing):
    """The constant that stands for a value of a branch that was not taken; nothing reads it but branches and lists.
    As a cotangent it may be added: then it is the number 0 or, for lists, None."""

    __slots__ = ("text",)

    def __init__(self, a: Object, text: str = "None") -> None:
        self.object = a
        self.text = text

    def __repr__(self) -> str:
        return "absent"


Atom = Var | Lit


@value()
class Claim:
    """That what a block gives is linear in these of its parameters together; `given` says that a user's own pullback
    takes part, which need not be."""

    of: tuple[Var, ...]
    given: bool = False


class BlockKind(Enum):
    """What a block is: the whole program, an arm, what a loop runs, the test of one, or what is called."""

    TOP = "top"
    BRANCH = "branch"
    LOOP = "loop"
    TEST = "test"
    FUNCTION = "function"

    @property
    def is_called(self) -> bool:
        """Whether it runs as a call does, and no let of the same call stands around it."""
        return self is BlockKind.TOP or self is BlockKind.FUNCTION


class Block:
    """Parameters, lets in order, and the atoms it yields. `claim` says in which parameters what it yields is linear,
    that of a pullback in its cotangents."""

    __slots__ = ("claim", "kind", "lets", "mirror", "owner", "params", "parent", "results", "tree")

    def __init__(self, kind: BlockKind, parent: Block | None = None) -> None:
        self.kind = kind
        self.parent = parent
        self.params: list[Var] = []
        self.lets: list[Let] = []
        self.results: list[Atom] = []
        self.owner: Let | None = None
        self.mirror: Block | None = None
        self.tree: Tree = None
        self.claim: Claim | None = None

    def param(self, name: str, a: Object) -> Var:
        var = Var(name, a, self)
        self.params.append(var)
        return var

    def binds(self) -> set[Var]:
        """The variables that the block itself binds."""
        return {*self.params, *[target for let in self.lets for target in let.targets]}

    def ancestors(self) -> Iterator[Block]:
        """The block itself and those around it, inside out."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent


class Op:
    """What a let computes."""

    __slots__ = ()
    blocks: tuple[Block, ...] = ()
    """The blocks that it holds; most hold none, and every pass asks."""


class Apply(Op):
    """A primitive at constant parameters."""

    __slots__ = ("params", "primitive")

    def __init__(self, primitive: Any, params: dict[str, Any]) -> None:
        self.primitive = primitive
        self.params = params


class Branch(Op):
    """`if`: argument the test; both blocks yield the targets."""

    __slots__ = ("orelse", "then")

    def __init__(self, then: Block, orelse: Block) -> None:
        self.then = then
        self.orelse = orelse

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.then, self.orelse)


class Loop(Op):
    """`for`: arguments are `carries` initial values, then sequences; the body takes carries and elements and yields
    carries and outputs; targets are the last carries and the lists of outputs."""

    __slots__ = ("body", "carries", "reverse")

    def __init__(self, body: Block, carries: int, reverse: bool) -> None:
        self.body = body
        self.carries = carries
        self.reverse = reverse

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


class While(Op):
    """`while`: arguments are the initial carries; the test block yields one bool; the body as in `Loop`."""

    __slots__ = ("body", "test")

    def __init__(self, test: Block, body: Block) -> None:
        self.test = test
        self.body = body

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.test, self.body)

    @property
    def carries(self) -> int:
        return len(self.test.params)


class Lambda(Op):
    """A closure; it captures the free variables of its body."""

    __slots__ = ("body",)

    def __init__(self, body: Block) -> None:
        self.body = body

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


class Call(Op):
    """Application of a function value: arguments are the function, then its arguments."""

    __slots__ = ()


class Let:
    """`targets = op(args)`. `adjoint` marks what only derivatives compute, `of` is where the step stands that it is the
    derivative of."""

    __slots__ = ("adjoint", "args", "of", "op", "span", "targets")

    def __init__(self, op: Op, args: list[Atom], span: Any = None, adjoint: bool = False, of: Any = None) -> None:
        self.op = op
        self.args = args
        self.span = span
        self.adjoint = adjoint
        self.of = of
        self.targets: list[Var] = []
        for block in op.blocks:
            block.owner = self

    @property
    def application(self) -> Apply:
        """The primitive that it applies, of a let that is known to apply one, and with which parameters."""
        assert isinstance(self.op, Apply)
        return self.op

    def target(self, name: str, a: Object, home: Block) -> Var:
        var = Var(name, a, home, self)
        self.targets.append(var)
        return var


def move(let: Let, home: Block) -> None:
    """Let a let stand in another block, to whose lets it is added elsewhere."""
    for target in let.targets:
        target.home = home
    for block in let.op.blocks:
        block.parent = home


Tree: TypeAlias = "Atom | FunctionLeaf | tuple[Tree, ...] | None"
"""A value's shape in a program: an atom, a tuple of trees, a `Node` for a record, or None for what has no value."""
VarTree: TypeAlias = "Var | tuple[VarTree, ...] | None"
"""The tree of a parameter."""


class Shaped(tuple[Any, ...]):
    """A tuple that is of a kind of its own, whatever its parts are."""

    def like(self, parts: Iterable[Any]) -> Any:
        """One of the same kind with other parts."""
        raise NotImplementedError


class Node(Shaped):
    """A record among trees and values: a tuple of its parts that knows its class and their names.

    >>> Node.of(dict, ("a",), [1.0]), Node.of(dict, ("a",), [1.0]).like([2.0]).names
    (dict(a=1.0), ('a',))
    """

    cls: type
    names: tuple[Any, ...]

    @classmethod
    def of(cls, kind: type, names: tuple[Any, ...], parts: Iterable[Any]) -> Node:
        """The node of a record of class `kind`."""
        node = cls(parts)
        node.cls, node.names = kind, names
        return node

    def like(self, parts: Iterable[Any]) -> Node:
        """The same record with other parts."""
        return Node.of(self.cls, self.names, parts)

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{n}={v!r}' for n, v in zip(self.names, self, strict=True))})"


class FunctionLeaf:
    """A function in the result of a program: a higher-order boundary."""

    __slots__ = ("function", "object", "span")

    def __init__(self, function: Any, span: Any) -> None:
        self.function = function
        self.span = span
        self.object: Object = Exponential(UNIT, UNIT)

    def __repr__(self) -> str:
        return "λ"


def like(tree: tuple[Any, ...], parts: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple, or a record where `tree` is one, with other parts."""
    return tree.like(parts) if isinstance(tree, Shaped) else tuple(parts)


def valued(tree: tuple[Any, ...], parts: Sequence[Any]) -> Any:
    """The value of such a tuple or record that has these parts: a record of the user's class.

    >>> valued(Node.of(dict, ("a",), [None]), [1.0]), valued((None,), [1.0])
    ({'a': 1.0}, (1.0,))
    """
    return made(tree.cls, tree.names, parts) if isinstance(tree, Node) else tuple(parts)


def label(tree: tuple[Any, ...], i: int) -> str:
    """What the i-th part of a tuple or record is called in the names of variables."""
    return str(tree.names[i]) if isinstance(tree, Node) else str(i)


class Program:
    """A closed function: named parameters as trees of variables, one block, and the tree of its result; what is
    `assumed` of the sizes of arguments, if anything is, and `facts`, what is known of its variables
    (`ccc.compile.program.facts`). `answers` are the questions that were answered when it was read, with their places.
    """

    __slots__ = ("answers", "assumed", "block", "facts", "name", "params", "result")

    def __init__(self, name: str, params: list[tuple[str, VarTree]], block: Block, result: Tree) -> None:
        self.name = name
        self.params = params
        self.block = block
        self.result = result
        self.assumed: Assumed | None = None
        self.facts: object = None
        self.answers: frozenset[object] = frozenset()


def two(tree: Tree) -> tuple[Tree, Tree]:
    """The parts of the result of a program that gives two."""
    assert isinstance(tree, tuple)
    first, second = tree
    return first, second


def leaves(tree: Tree) -> Iterator[Any]:
    """The leaves of a tree from left to right, None left out."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    elif tree is not None:
        yield tree


def blocks_in(block: Block) -> list[Block]:
    """The block and those inside it, outer before inner."""
    found, todo = list[Block](), [block]
    while todo:
        found.append(todo.pop())
        todo += [inner for let in found[-1].lets for inner in let.op.blocks]
    return found


def lets_in(block: Block) -> list[Let]:
    """The lets of a block and of those inside it."""
    return [let for here in blocks_in(block) for let in here.lets]


def bound_before(let: Let, block: Block) -> Iterator[Var]:
    """The variables that are bound before a let of a block, but for those of what is around the function it is in."""
    here, until = block, let
    while True:
        yield from here.params
        for before in here.lets[: here.lets.index(until)]:
            yield from before.targets
        if here.kind is BlockKind.FUNCTION or here.parent is None or here.owner is None:
            return
        here, until = here.parent, here.owner


def derived_from(atoms: Iterable[Any]) -> Any:
    """Where the step stands that the last of some values with such a step is the derivative of."""
    made = [x.definition.of for x in atoms if isinstance(x, Var) and x.definition is not None]
    return next((of for of in reversed(made) if of is not None), None)


def joined_from(var: Var) -> list[Atom] | None:
    """What a variable that a loop or branch binds is one of, or an element of; None for other variables."""
    let, home = var.definition, var.home
    if let is None:
        owner = home.owner if home is not None else None
        if owner is None or not isinstance(owner.op, (Loop, While)) or home is None:
            return None
        i = home.params.index(var)
        return [owner.args[i], *owner.op.body.results[i : i + 1 if i < owner.op.carries else i]]
    if isinstance(let.op, Branch):
        return [block.results[let.targets.index(var)] for block in let.op.blocks]
    if isinstance(let.op, (Loop, While)):
        i = let.targets.index(var)
        return [let.op.body.results[i], *let.args[i : i + 1 if i < let.op.carries else i]]
    return None


def free_variables(block: Block, memo: dict[int, list[Var]]) -> list[Var]:
    """The variables that a block reads and does not bind, in order of first use."""
    known = memo.get(id(block))
    if known is not None:
        return known
    found: dict[Var, None] = {}
    bound: set[Var] = set(block.params)
    for let in block.lets:
        for atom in let.args:
            if isinstance(atom, Var) and atom not in bound:
                found[atom] = None
        if isinstance(let.op, Lambda):
            bound.update(let.targets)  # it may call itself
        for inner in let.op.blocks:
            for var in free_variables(inner, memo):
                if var not in bound:
                    found[var] = None
        bound.update(let.targets)
    for atom in block.results:
        if isinstance(atom, Var) and atom not in bound:
            found[atom] = None
    memo[id(block)] = result = list(found)
    return result


def dispose(*programs: Program) -> None:
    """Take programs apart: variables and blocks know each other, so nothing else would free them at once."""
    todo = [program.block for program in programs]
    while todo:
        block = todo.pop()
        for let in block.lets:
            todo += let.op.blocks
            for target in let.targets:
                target.home = target.definition = None
        block.lets = []
        block.parent = block.mirror = block.owner = block.claim = None
