"""What every finished λ-program keeps to (`RULES`), checked in one walk.

A type fits another one where `join` of both is the other one, where more or less is known of axes (`alike`), and where
two numbers are Python's and NumPy's: a pass leaves the type of a let when an argument is replaced by one of which more
is known, and the parameters of a recursive function are of types joined. An array of unknown rank stands for a number
or an array where a let before, `check_like`, has looked at it, and None for the derivative of what has none. What a
function reads of the blocks around it has to be bound where the function is read: functions may call each other, and
what stands in no argument of a derivative (zeros of a shape) may follow the function that it stands for.

>>> from ccc.compile.frontend.elaborate import program_of
>>> program = program_of(lambda x: x * x, (1.0,))
>>> verify(program)
>>> program.block.lets *= 2
>>> try:
...     verify(program, "twice")
... except BrokenProgram as error:
...     print(error)
twice broke bound-once: `t` is bound again
  t = x * x
(a variable is bound by one parameter or let, and no other)
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from ccc.compile.program import linearity
from ccc.compile.program.lam import (
    Apply,
    Block,
    BlockKind,
    Branch,
    Call,
    FunctionLeaf,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    While,
    leaves,
    lets_in,
)
from ccc.compile.program.numbering import alike
from ccc.compile.program.pretty import Printer
from ccc.compile.program.raises import may_raise
from ccc.coproducts import join, join_keys
from ccc.objects import (
    UNIT,
    Array,
    Bool,
    Coproduct,
    Exponential,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Static,
    is_discrete,
    is_truth,
    same_shape,
)
from ccc.primitives.barriers import again, stop


class BrokenProgram(Exception):
    """A program breaks a rule: the mistake is the compiler's, of the pass that is named. `what` is said of a variable,
    at `{}`, which is printed as in the let."""

    def __init__(self, by: str, rule: str, what: str, let: Let | None = None, about: Any = None) -> None:
        self.rule = rule
        self.meaning = RULES[rule]
        printer = Printer()
        if let is not None:
            printer.let(let, 1)
        text = what.replace("{}", printer.atom(about))
        super().__init__("\n".join([f"{by} broke {rule}: {text}", *printer.lines, f"({self.meaning})"]))


RULES = {
    "bound-once": "a variable is bound by one parameter or let, and no other",
    "bound-before-use": "what is read was bound before, in the same block or one around it",
    "in-scope": "what is read is not bound in a block that has ended, or in another arm",
    "home": "a variable knows the block and the let that bind it",
    "nesting": "a block knows the let that owns it, the block around it, and what kind it is",
    "arity": "arguments, parameters, results and targets of a let are as many as its operation takes",
    "type": "a let has the type that its primitive gives; branches, loops and calls pass on what fits",
    "result": "the parameters and results of a block are those of its tree",
    "kept": "a run of a branch or a loop hands on no function: Python's read their variables when they are called",
    "form": "what a pass has removed stays away (`FORMS`)",
    "effect": "a pass leaves what prints, raises or may raise in its order, and drops nothing that prints or raises",
    "derivative": "a pass that is not exact leaves the operations that are not a derivative's",
    "linear": "a pullback is linear in its cotangents, and a differential in its tangents, where that is claimed",
    "in-place": "nothing reads an array behind the let that overwrites it (`ccc.compile.numpy_source.later_readers`)",
}

FORMS = {
    "opened": "no primitive stands for a program, and none says where derivatives stop",
    "unmirrored": "no loop says which other one it runs along with",
    "joined": "nothing is to be computed anew",
}
"""What passes leave, and later ones rely on."""


def verify(program: Program, by: str = "the compiler", forms: Collection[str] = ()) -> None:
    """Raise `BrokenProgram` where a finished program breaks a rule; `by` is what made or changed it last, and `forms`
    are those that it has by then."""
    Verifier(by, forms).program(program)
    verify_claims(program, by)


def verify_claims(program: Program, by: str) -> None:
    """Raise `BrokenProgram` where what is claimed to be linear is not."""
    found = linearity.mistake(program)
    if found is not None:
        raise BrokenProgram(by, "linear", found.what, found.let, found.about)


class Verifier:
    """A walk through a program in its order: what is bound where."""

    def __init__(self, by: str, forms: Collection[str] = ()) -> None:
        self.by = by
        gone = [p for form, p in (("opened", stop), ("joined", again)) if form in forms]
        self.gone = frozenset(gone)
        self.opened = "opened" in forms
        self.unmirrored = "unmirrored" in forms
        self.open: list[Block] = []
        self.functions: list[tuple[Let, int]] = []
        self.awaited: dict[Var, list[Var]] = {}
        self.bound: set[Var] = set()
        self.visible: set[Var] = set()

    def broken(self, rule: str, what: str, let: Let | None = None, about: Any = None) -> BrokenProgram:
        return BrokenProgram(self.by, rule, what, let, about)

    def program(self, program: Program) -> None:
        given = [leaf for _, tree in program.params for leaf in leaves(tree)]
        if not same(given, program.block.params):
            raise self.broken("result", "the parameters of the block are not those of the program")
        self.block(program.block, None, None, BlockKind.TOP, list(leaves(program.result)))

    def block(
        self, block: Block, owner: Let | None, parent: Block | None, kind: BlockKind, tree: Sequence[Any] | None = None
    ) -> None:
        """Check a block; what `tree` holds it hands out."""
        if block.owner is not owner or block.parent is not parent or block.kind is not kind:
            raise self.broken("nesting", f"a block does not know where it stands, as one of kind {kind.value}", owner)
        if self.unmirrored and block.mirror is not None:
            raise self.broken("form", "a loop says which other one it runs along with", owner)
        for param in block.params:
            self.bind(param, block, None, owner)
        self.open.append(block)
        for let in block.lets:
            for atom in let.args:
                if atom not in self.visible or atom in self.awaited:
                    self.read(atom, let)
            self.let(let, block)
            for target in let.targets:
                self.bind(target, block, let, let)
        if block.tree is not None:
            tree = list(leaves(block.tree))
        if tree is not None and block.results and not same(tree, block.results):
            raise self.broken("result", f"the results of a block of kind {kind.value} are not what it hands out", owner)
        for atom in block.results if tree is None else tree:
            if atom not in self.visible or atom in self.awaited:
                self.read(atom, owner)
        handed = [x for x in block.results if not kind.is_called and isinstance(x.object, Exponential)]
        if handed:
            raise self.broken("kept", f"a block of kind {kind.value} hands on the function `{{}}`", owner, handed[0])
        self.open.pop()
        self.visible.difference_update(block.params, *[let.targets for let in block.lets])

    def bind(self, var: Var, block: Block, let: Let | None, shown: Let | None) -> None:
        if var in self.bound:
            raise self.broken("bound-once", "`{}` is bound again", shown, var)
        if var.home is not block or var.definition is not let:
            raise self.broken("home", "`{}` does not know what binds it", shown, var)
        self.bound.add(var)
        self.visible.add(var)

    def read(self, atom: Any, let: Let | None) -> None:
        """An atom that is no visible variable, or a function that reads what was not bound when it was made."""
        if isinstance(atom, (Lit, FunctionLeaf)):
            return
        if not isinstance(atom, Var):
            raise self.broken("arity", "`{}` is no atom", let, atom)
        if any(atom in made.targets for made, _ in self.functions):  # it calls itself
            return
        for var in [atom, *self.awaited.get(atom, ())]:
            if var in self.visible:
                continue
            if var in self.bound:
                raise self.broken("in-scope", "`{}` is read outside of the block that binds it", let, var)
            made, depth = self.functions[-1] if self.functions else (None, 0)
            if made is None or var.home not in self.open[:depth]:
                raise self.broken("bound-before-use", "`{}` is read before it is bound", let, var)
            self.awaited.setdefault(made.targets[0], []).append(var)

    # -- operations ------------------------------------------------------------------------------------------------

    def let(self, let: Let, block: Block) -> None:
        op = let.op
        if isinstance(op, Apply):
            self.applied(let, op)
        elif isinstance(op, Branch):
            self.branch(let, op, block)
        elif isinstance(op, (Loop, While)):
            self.loop(let, op, block)
        elif isinstance(op, Lambda):
            self.function(let, op, block)
        elif isinstance(op, Call):
            self.call(let)

    def applied(self, let: Let, op: Apply) -> None:
        if op.primitive in self.gone or (self.opened and op.primitive.program is not None):
            raise self.broken("form", f"`{op.primitive.name}` is back", let)
        if len(let.targets) != 1:
            raise self.broken("arity", f"`{op.primitive.name}` gives one value", let)
        try:
            found = type_of(op, let)
        except Exception as error:
            raise self.broken("type", f"`{op.primitive.name}` refuses its arguments", let) from error
        target = let.targets[0]
        if is_truth(found) and not is_truth(target.object):  # another operation: no argument makes one of the other
            raise self.broken("type", f"`{{}}` is of type {found} where {target.object} is expected", let, target)
        self.fits(found, target.object, target, let)

    def branch(self, let: Let, op: Branch, block: Block) -> None:
        self.count("one test", len(let.args) == 1, let)
        self.truth(let.args[0], let)
        for arm in op.blocks:
            self.count("no parameters in its arms", not arm.params, let)
            self.count("as many results of each arm as targets", len(arm.results) == len(let.targets), let)
            self.block(arm, let, block, BlockKind.BRANCH)
            for result, target in zip(arm.results, let.targets, strict=True):
                self.passed(result, target.object, target, let)

    def loop(self, let: Let, op: Loop | While, block: Block) -> None:
        body, count = op.body, op.carries
        self.count("as many arguments as parameters", len(let.args) == len(body.params), let)
        self.count("as many results as targets", len(body.results) == len(let.targets), let)
        self.count("a result for each carry", count <= len(body.results), let)
        if isinstance(op, While):
            self.count("one result of its test", len(op.test.results) == 1 and count == len(body.params), let)
            self.block(op.test, let, block, BlockKind.TEST)
            self.truth(op.test.results[0], let)
        else:
            self.count("a sequence to run along", len(let.args) > count, let)
        self.block(body, let, block, BlockKind.LOOP)
        for init, param, result, target in zip(let.args, body.params, body.results[:count], let.targets, strict=False):
            self.passed(init, param.object, param, let)
            self.passed(result, param.object, param, let)
            self.fits(param.object, target.object, target, let)
        if isinstance(op, While):
            for init, param in zip(let.args, op.test.params, strict=True):
                self.passed(init, param.object, param, let)
        for sequence, param in zip(let.args[count:], body.params[count:], strict=True):
            self.fits(sequence.object, List(param.object), sequence, let)
        for result, target in zip(body.results[count:], let.targets[count:], strict=True):
            self.fits(List(result.object), target.object, target, let)

    def function(self, let: Let, op: Lambda, block: Block) -> None:
        self.count("one value and no arguments", len(let.targets) == 1 and not let.args, let)
        if not isinstance(let.targets[0].object, Exponential):
            raise self.broken("type", "`{}` is no function", let, let.targets[0])
        self.functions.append((let, len(self.open)))
        self.block(op.body, let, block, BlockKind.FUNCTION)
        self.functions.pop()

    def call(self, let: Let) -> None:
        self.count("a function to call", bool(let.args), let)
        function = let.args[0]
        if not isinstance(function.object, Exponential):
            raise self.broken("type", "`{}` is called and no function", let, function)
        made = function.definition if isinstance(function, Var) else None
        if made is None or not isinstance(made.op, Lambda):
            return
        body = made.op.body
        self.count("an argument for each parameter", len(let.args) == len(body.params) + 1, let)
        self.count("a target for each result", len(let.targets) == len(body.results), let)
        for argument, param in zip(let.args[1:], body.params, strict=True):
            self.passed(argument, param.object, param, let)
        for result, target in zip(body.results, let.targets, strict=True):
            self.passed(result, target.object, target, let)

    # -- types -----------------------------------------------------------------------------------------------------

    def count(self, what: str, holds: bool, let: Let) -> None:
        if not holds:
            raise self.broken("arity", f"{type(let.op).__name__} takes {what}", let)

    def truth(self, atom: Any, let: Let) -> None:
        if not isinstance(atom.object, Bool):
            raise self.broken("type", "the test `{}` is no bool", let, atom)

    def passed(self, atom: Any, wanted: Object, to: Var, let: Let) -> None:
        """An atom that a variable stands for, in one run of a block or in all: 0.0 is also the zero of a sum."""
        zero = isinstance(atom, Lit) and isinstance(wanted, Coproduct) and type(atom.value) is float and not atom.value
        if atom.object is not wanted and not zero:
            self.fits(atom.object, wanted, to, let)

    def fits(self, found: Object, wanted: Object, to: Any, let: Let) -> None:
        if found is not wanted and not fits(found, wanted):
            raise self.broken("type", f"`{{}}` is of type {found} where {wanted} is expected", let, to)


def type_of(op: Apply, let: Let) -> Object:
    """What a primitive gives for the arguments of a let, mostly remembered; what is found anew warns of nothing."""
    args, p = tuple([a.object for a in let.args]), op.primitive
    try:
        found = p.types.get((args, tuple(op.params.items())))
    except TypeError:  # a parameter without a hash
        found = None
    if found is not None:
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return p.type_of(args, op.params)


def same(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether two sequences are of the same atoms."""
    return len(found) == len(wanted) and all(a is b for a, b in zip(found, wanted, strict=True))


def fits(a: Object, b: Object) -> bool:
    """Whether a value of one object may stand where the other one is expected.

    >>> from ccc.objects import INT, REAL
    >>> fits(INT, REAL), fits(REAL, INT), fits(Array("float64", ("n",)), Array("float64", ("?",)))
    (True, False, True)
    """
    if a == b or alike(a, b):
        return True
    if Static(None) in (a, b) and is_discrete(a) and is_discrete(b):
        return True
    match a, b:
        case Real(), Real():
            return (a.kind == "fraction") == (b.kind == "fraction")
        case (Bool(), Bool()) | (Int(), Int()) | (Array(_, None), Real() | Array()):
            return True
        case List(), List():
            return a.item == UNIT or fits(a.item, b.item)
        case Map(), Map():
            return UNIT in (a.item, b.item) or (join_keys(a.key, b.key) == b.key and fits(a.item, b.item))
        case Product(), Product() if len(a.parts) == len(b.parts) and same_shape(a, b):
            return all(map(fits, a.parts, b.parts))
        case _:
            return join(a, b) == b


# -- what a pass leaves ----------------------------------------------------------------------------------------------

Operations = dict[Apply, Let]
"""Operations in their order, each with a let of it; one is the same wherever a pass moves or copies its let."""

Effects = list[tuple[Apply, Let]]
"""The lets that have an effect or may raise, in their order, each with the operation that it had."""


def effects(program: Program) -> Effects:
    """What prints, raises by name or may raise, in the order in which it may run first: of a function where it is
    called first."""
    found: Effects = []
    entered = set[Block]()
    todo = [iter(program.block.lets)]
    while todo:
        let = next(todo[-1], None)
        if let is None:
            todo.pop()
        elif isinstance(let.op, Apply):
            if let.op.primitive.effect or may_raise(let):
                found.append((let.op, let))
        else:
            blocks = [block for block in run_by(let) if block not in entered]
            entered.update(blocks)
            todo += [iter(block.lets) for block in reversed(blocks)]
    return found


def run_by(let: Let) -> Sequence[Block]:
    """The blocks that may run where a let stands."""
    op = let.op
    if isinstance(op, Call):
        made = let.args[0].definition if isinstance(let.args[0], Var) else None
        return [made.op.body] if made is not None and isinstance(made.op, Lambda) else ()
    if isinstance(op, Branch) and isinstance(let.args[0], Lit):
        return [op.then if let.args[0].value else op.orelse]
    return () if isinstance(op, Lambda) else op.blocks


def given(program: Program) -> Operations:
    """The operations that are not a derivative's alone."""
    return {let.op: let for let in lets_in(program.block) if isinstance(let.op, Apply) and not let.adjoint}


def compare_effects(before: Effects, after: Effects, by: str, named: bool = False) -> None:
    """Raise `BrokenProgram` where effects that run have gone, or where they or what may raise have changed places; of
    what prints or raises by name alone, if that is said. Where some of an operation's lets have gone, what is left may
    stand in the place of any, and so may one of its kind. The body of a custom derivative has its effects in its
    place."""
    left = Counter([op for op, _ in after])
    for op, let in before:
        if op.primitive.effect and op not in left and op.primitive.program is None:
            raise BrokenProgram(by, "effect", f"`{op.primitive.name}` has gone", let)
    lets = Counter([op for op, _ in before])
    places = dict[Any, list[int]]()
    for n, (op, _) in enumerate(before):
        fewer = left[op] < lets[op]
        if op in left and (fewer or op not in places):
            places.setdefault(op, []).append(n)
        if fewer:
            places.setdefault(alike_of(op), []).append(n)
    first = dict[Apply, Let]()
    for op, let in after:
        if op in lets and (op.primitive.effect or not named):
            first.setdefault(op, let)
    last, seen = -1, set[Any]()
    for op, let in first.items():
        alike = alike_of(op)
        own = places[op] if alike in seen else places[op][:1]
        others = [n for n in places.get(alike, ()) if n not in places[op]]
        possible = [n for n in (*own, *others) if n > last]
        if not possible:
            raise BrokenProgram(by, "effect", f"`{op.primitive.name}` has changed places", let)
        last = min(possible)
        seen.add(alike)


def alike_of(op: Apply) -> Any:
    """What is equal for operations of which one may stand for another that has gone: it raises the same then."""
    return op.primitive, *map(str, op.params.items())


def compare_given(before: Operations, after: Operations, by: str) -> None:
    """Raise `BrokenProgram` where an operation that is not a derivative's has gone or come."""
    for op, let in [*before.items(), *after.items()]:
        if op not in before or op not in after:
            raise BrokenProgram(by, "derivative", f"`{op.primitive.name}` is not a derivative's", let)
