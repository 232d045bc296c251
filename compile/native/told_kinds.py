"""Results, and what is printed, that are Python's float or NumPy's, as it shows when the program runs: a truth value
beside them tells which.

    best = x[0] if len(x) else 0.0      NumPy's where there are items

Machine code has one kind of register for both, so which class a result has is a number of the program. It follows
the variable: a branch gives one more result. What is always NumPy's behind a run of its loop asks whether there was
one, and what keeps its class in each run has that which it began with, so such loops stay as they are. Another loop
would have to carry one more, which keeps it from taking several runs at once:

    best = -math.inf
    for v in x:
        if v > best: best = v           NumPy's from the first that is larger

It does so for what is shown in it; a result of it is NumPy's float, and so are items of lists.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ccc.compile.native.kinds import Kinds, is_number
from ccc.compile.native.table import known
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Let,
    Lit,
    Loop,
    Node,
    Program,
    Tree,
    Var,
    While,
    blocks_in,
    joined_from,
    leaves,
    like,
)
from ccc.journal import Once
from ccc.objects import BOOL, INT, List, Object, Real, Record, is_of_any_kind
from ccc.primitives import arithmetic, structure
from ccc.primitives.primitive import Primitive

PYTHON, NUMPY = Real("float"), Real("float64")
BOTH = {PYTHON, NUMPY}
TABLES = {(True, True), (False, False), (False, True), (True,) * 4, (False,) * 4, (False, True, True, True)}
"""What a primitive may give: one class, that of its argument, or NumPy's where one of two is."""


class Told:
    """The class of the record of a number and whether it is NumPy's."""


def tell(program: Program) -> bool:
    """Put beside each number that is given or shown, and is a float of Python's or of NumPy's, which of them it is."""
    shown = [(let, block) for block in blocks_in(program.block) for let in block.lets if happens_once(let)]
    atoms = [*leaves(program.result), *[x for let, _ in shown for x in let.args]]
    if not any(map(is_open, atoms)):
        return False
    telling, before = Telling(program.block), list(leaves(program.result))
    program.result = telling.tree(program.result)
    program.block.results = list(leaves(program.result))
    told = [telling.shown(let, block) for let, block in shown]
    return any(told) or len(program.block.results) > len(before)


def happens_once(let: Let) -> bool:
    """Whether a let has an effect that happens once, though the code leaves later (`ccc.journal`)."""
    return isinstance(let.op, Apply) and isinstance(let.op.primitive.value, Once)


def is_open(x: Atom) -> bool:
    """Whether the object of a number does not say of which class it is."""
    return isinstance(x, Var) and is_of_any_kind(x.object)


class Telling:
    """The truth values that say which numbers are NumPy's, made where they are asked for."""

    def __init__(self, block: Block) -> None:
        self.kinds = Kinds(block, [])
        self.known: dict[Var, Atom] = {}

    def tree(self, tree: Tree) -> Tree:
        """A result with what is told of its numbers."""
        if isinstance(tree, tuple):
            return like(tree, map(self.tree, tree))
        if not isinstance(tree, Var) or not is_open(tree) or self.kinds.of(tree) != BOTH:
            return tree
        if not self.possible(tree):
            return tree
        return Node.of(Told, ("value", "numpy"), [tree, self.of(tree)])

    def shown(self, let: Let, block: Block) -> bool:
        """Have the arguments of an effect with them what is told; whether there is any."""
        told = [i for i, x in enumerate(let.args) if is_open(x) and self.possible(x, carried=True)]
        for i in told:
            record = Apply(structure.record, {"cls": Told, "names": ("value", "numpy")})
            made = Let(record, [let.args[i], self.of(let.args[i])], let.span, let.adjoint)
            block.lets.insert(block.lets.index(let), made)
            let.args[i] = made.target("", Record((let.args[i].object, BOOL), Told, ("value", "numpy")), block)
        return bool(told)

    def possible(self, x: Atom, carried: bool = False) -> bool:
        """Whether the program says of which class a number is; with it `carried` along by loops if need be."""
        todo, seen = [x], set[Atom]()
        while todo:
            atom = todo.pop()
            kinds = self.kinds.of(atom)
            if atom in seen or kinds in ({PYTHON}, {NUMPY}):
                continue
            seen.add(atom)
            found = self.sources(atom, carried) if kinds == BOTH and isinstance(atom, Var) else None
            if found is None:
                return False
            todo += found
        return True

    def sources(self, x: Var, carried: bool) -> list[Atom] | None:
        """The numbers whose classes say that of a variable; None where they do not."""
        let, met = x.definition, joined_from(x)
        if met is not None:
            owner: Any = let or (x.home and x.home.owner)
            of_list = any(a.object != x.object and isinstance(a.object, List) for a in met)
            if isinstance(owner.op, Loop) and (of_list or len(met) != 2 or not (carried or self.stays(owner, x))):
                return None
            return met
        if let is None or not isinstance(let.op, Apply):
            return None
        if let.op.primitive.chooses:
            return let.args if len(let.args) == 1 or (len(let.args) == 2 and known(let).by_test) else None
        return [let.args[i] for i in self.open(let)] if self.table(let) in TABLES else None

    def stays(self, owner: Let, x: Var) -> bool:
        """Whether a loop need not carry the class of a variable: it is one behind each run, or kept by each."""
        body: Block = owner.op.body  # type: ignore[attr-defined]
        i = owner.targets.index(x) if x in owner.targets else body.params.index(x)
        return (x in owner.targets and len(self.kinds.of(body.results[i])) == 1) or self.keeps(owner, i)

    def keeps(self, owner: Let, i: int) -> bool:
        """Whether each run of a loop gives a number the class that it had."""
        body: Block = owner.op.body  # type: ignore[attr-defined]
        todo, seen = [body.results[i]], {body.params[i]}
        while todo:
            atom = todo.pop()
            if atom in seen:
                continue
            seen.add(atom)  # type: ignore[arg-type]
            found = self.sources(atom, False) if isinstance(atom, Var) and self.kinds.of(atom) == BOTH else None
            if found is None:
                return False
            todo += found
        return True

    def open(self, let: Let) -> list[int]:
        """Which arguments may be of both classes."""
        return [i for i, a in enumerate(let.args) if is_number(a.object) and self.kinds.of(a) == BOTH]

    def table(self, let: Let) -> tuple[bool, ...]:
        """Whether a primitive gives NumPy's number, for both classes of each argument that may have both."""
        op: Any = let.op
        given = [sorted(self.kinds.of(a), key=str) if is_number(a.object) else [a.object] for a in let.args]
        if not self.open(let) or any(len(kinds) > 1 and set(kinds) != BOTH for kinds in given):
            return ()
        found: list[bool] = []
        for one in product(*given):
            a = op.primitive.gives(one, op.params)
            if a not in BOTH:
                return ()
            found.append(a == NUMPY)
        return tuple(found)

    def of(self, atom: Atom) -> Atom:
        """Whether a number is NumPy's."""
        kinds = self.kinds.of(atom)
        if kinds in ({PYTHON}, {NUMPY}):
            return Lit(kinds == {NUMPY}, BOOL)
        assert isinstance(atom, Var)
        if atom not in self.known:
            self.known[atom] = self.made(atom)
        return self.known[atom]

    def made(self, x: Var) -> Atom:
        """The truth value of a variable that may be of both classes."""
        let, home = x.definition, x.home
        if let is None:
            assert home is not None and home.owner is not None
            i = home.params.index(x)
            if isinstance(home.owner.op, Loop) and self.keeps(home.owner, i):
                return self.of(home.owner.args[i])
            self.carried(home.owner, i)
            return self.known[x]
        i = let.targets.index(x)
        if isinstance(let.op, Branch):
            return self.branch(let, i)
        if isinstance(let.op, (Loop, While)):
            return self.loop(let, i)
        return self.applied(let)

    def branch(self, let: Let, i: int) -> Atom:
        """Of what a branch gives."""
        found = [self.of(block.results[i]) for block in let.op.blocks]
        if isinstance(found[0], Lit) and isinstance(found[1], Lit) and found[0].value is found[1].value:
            return found[0]
        for block, one in zip(let.op.blocks, found, strict=True):
            block.results.append(one)
        return let.target("", BOOL, home_of(let))

    def loop(self, let: Let, i: int) -> Atom:
        """Of what a loop gives: what it began with, if it has not run, where each run gives one class."""
        op = let.op
        if isinstance(op, Loop) and i < op.carries and len(self.kinds.of(op.body.results[i])) == 1:
            first, last = self.of(let.args[i]), self.of(op.body.results[i])
            count = behind(let, structure.length, [let.args[op.carries]], INT)
            ran = behind(let, arithmetic.greater, [count, Lit(0, INT)], BOOL)
            return self.chosen(let, ran, last, first)
        if isinstance(op, Loop) and self.keeps(let, i):
            return self.of(let.args[i])
        self.carried(let, i)
        return self.known[let.targets[i]]

    def carried(self, let: Let, i: int) -> None:
        """Have a loop carry the truth value of what it carries."""
        op: Any = let.op
        start, at = self.of(let.args[i]), op.carries
        blocks = [op.body] if isinstance(op, Loop) else [op.test, op.body]
        for block in blocks:
            self.known[block.params[i]] = param = Var("", BOOL, block)
            block.params.insert(at, param)
        let.args.insert(at, start)
        self.known[let.targets[i]] = target = Var("", BOOL, let.targets[i].home, let)
        let.targets.insert(at, target)
        if isinstance(op, Loop):
            op.carries += 1
        op.body.results.insert(at, Lit(True, BOOL))
        op.body.results[at] = self.of(op.body.results[i])

    def applied(self, let: Let) -> Atom:
        """Of what a primitive computes: as the one that it chooses, or by the classes of its arguments."""
        op: Any = let.op
        if not op.primitive.chooses:
            truths, table = [self.of(let.args[i]) for i in self.open(let)], self.table(let)
            if len(set(table)) == 1:
                return Lit(table[0], BOOL)
            return truths[0] if len(truths) == 1 else self.chosen(let, truths[0], Lit(True, BOOL), truths[1])
        if len(let.args) == 1:
            return self.of(let.args[0])
        a, b = let.args
        test = known(let).by_test
        assert test is not None
        return self.chosen(let, behind(let, test, [b, a], BOOL), self.of(b), self.of(a))

    def chosen(self, let: Let, test: Atom, then: Atom, orelse: Atom) -> Atom:
        """One of two truth values, behind a let."""
        if isinstance(test, Lit):
            return then if test.value else orelse
        if isinstance(then, Lit) and isinstance(orelse, Lit):
            if then.value is orelse.value:
                return then
            return test if then.value else behind(let, arithmetic.logical_not, [test], BOOL)
        if isinstance(then, Lit) and then.value:
            return behind(let, arithmetic.bit_or, [test, orelse], BOOL)
        home = home_of(let)
        blocks = [Block(BlockKind.BRANCH, home) for _ in range(2)]
        for block, one in zip(blocks, (then, orelse), strict=True):
            block.results.append(one)
        return placed(Let(Branch(*blocks), [test], let.span, let.adjoint), home, BOOL)


def behind(let: Let, primitive: Primitive, args: list[Atom], a: Object) -> Var:
    """The variable of an operation that stands behind a let."""
    return placed(Let(Apply(primitive, {}), args, let.span, let.adjoint), home_of(let), a)


def placed(let: Let, home: Block, a: Object) -> Var:
    """The variable of a new let, behind those of the block that it reads."""
    read = [*let.args, *[x for block in let.op.blocks for x in block.results]]
    before = [x.definition for x in read if isinstance(x, Var) and x.home is home and x.definition is not None]
    home.lets.insert(max([home.lets.index(other) + 1 for other in before], default=0), let)
    return let.target("", a, home)


def home_of(let: Let) -> Block:
    """The block in which a let stands."""
    home = let.targets[0].home
    assert home is not None
    return home
