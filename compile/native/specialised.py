"""Recursive functions at lists of known lengths: a copy for each of few items, in which the items are variables.

    f(xs)   becomes   f(xs):  if len(xs) == 3: f_3(*xs)  else as before       f_3(x0, x1, x2): ... f_2(x0, x2) ...

A copy is what is left of the body when all that depends on the length alone is known: loops along the list are written
out, slices of it and lists made of them are no lists any more, and a call at a list of fewer items is one of another
copy, or its body where that is small. What the bodies that come together compute twice is computed once.

The pullback of f is copied with it: its tape is that of the copy, whose parts are variables as well. A program without
such functions stays as it is.

References: Jones, Gomard, Sestoft, Partial Evaluation and Automatic Program Generation, chapters 4 and 5 (polyvariant
specialisation).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native.specialised_calls import Serving, body_of, flat, shaped
from ccc.compile.native.specialised_families import (
    Copy,
    Family,
    Kept,
    Tape,
    Unsuitable,
    family_of,
    is_absent,
    is_reals,
    is_zero,
)
from ccc.compile.native.table import entry
from ccc.compile.passes.redundancy import clear_mirrors
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    lets_in,
)
from ccc.compile.program.simplify import identity, simplified
from ccc.compile.terms.readback import read_back
from ccc.compile.terms.staged import Staged
from ccc.compile.terms.staging import Staging
from ccc.objects import Bool, Int, List, Object, Real
from ccc.primitives import arithmetic, folds, lists, structure, tapes, zero_trees
from ccc.primitives.facts import SUMS

LONGEST = 6
"""The longest lists that functions are copied for."""
SMALL = 40
"""Copies of so many lets are put in the place of their calls."""
LETS = 1000
"""All copies of a function have at most so many lets."""
ITEMS = 4 * LONGEST
"""The longest lists of which each item is known."""


def specialise(program: Program) -> bool:
    """Rewrite a finished program in place; true where it has such functions."""
    families = [family for let in program.block.lets if (family := family_of(program, let)) is not None]
    changed = [Specialised(program, family).write() for family in families]
    if any(changed):
        read_back(program.block, program.result)
        clear_mirrors(program.block)
    return any(changed)


class Specialised:
    """The copies of the functions of a family, and the functions that call them."""

    def __init__(self, program: Program, family: Family) -> None:
        self.program = program
        self.family = family
        self.copies: dict[int, Copy] = {}
        self.st = Staging()
        self.st.block = Block(BlockKind.TOP)
        self.env: dict[Var, Any] = {}
        self.sums: set[Let] = set()
        self.lets = 0

    def write(self) -> bool:
        """Make the copies, and let the functions call them; true where there are any that take the place of calls."""
        for n in range(LONGEST + 1):
            try:
                self.copies[n] = self.copy(n)
            except Unsuitable:
                if n:
                    break
        if len(self.copies) < 2:
            return False
        Serving(self.program, self.family, self.copies).write()
        return True

    # -- copies ----------------------------------------------------------------------------------------------------

    def copy(self, n: int) -> Copy:
        """The copy for lists of so many items, with its pullbacks."""
        family, st = self.family, self.st
        copy = Copy(f"{family.function.name}_{n}")

        def args(block: Block) -> list[Any]:
            return [[st.param(block, p.name, p.object.item) for _ in range(n)] if i == family.place  # type: ignore[attr-defined]
                    else st.param(block, p.name, p.object) for i, p in enumerate(body_of(family.let).params)]

        self.record(copy, family.let, args, n)
        if family.tape is not None:
            if not isinstance(copy.parts, Tape):
                raise Unsuitable
            roll = Let(Apply(tapes.roll, {"tape": copy.tape}), [])
            copy.block.lets.append(roll)
            copy.block.results.append(st.target(roll, "tape", copy.tape, copy.block))
        for function, let in family.pullbacks.items():
            copy.pullbacks[function] = self.pullback(copy, let, n)
        return copy

    def pullback(self, copy: Copy, let: Let, n: int) -> Copy:
        """The pullback of a copy, which reads what that computes: it will be on its tape."""
        back = Copy(f"{let.targets[0].name}_{n}")

        def args(block: Block) -> list[Any]:
            block.mirror = copy.block
            self.st.param(block, "tape", copy.tape)
            return [copy.parts, *[self.st.param(block, p.name, p.object) for p in body_of(let).params[1:]]]

        self.record(back, let, args, n)
        return back

    def record(self, copy: Copy, function: Let, args: Callable[[Block], list[Any]], n: int) -> None:
        """Record the body of a function at some arguments as another function."""
        (original,) = function.targets
        copy.block = Block(BlockKind.FUNCTION, self.program.block)
        made = Let(Lambda(copy.block), [], function.span, function.adjoint)
        copy.variable = made.target(f"{original.name}_{n}", original.object, self.program.block)
        given = self.st.inside(copy.block, lambda: self.activation(function, args(copy.block)))
        if self.family.tape is not None and function is self.family.let:
            *given, copy.parts = given
        copy.results = given
        copy.block.results = self.st.inside(copy.block, lambda: [self.atom(x) for x in flat(given)])
        lets = list(lets_in(copy.block))
        copy.small = len(lets) <= SMALL and not any(isinstance(let.op, Call) for let in lets)

    # -- what is known ---------------------------------------------------------------------------------------------

    def run(self, block: Block, args: Sequence[Any]) -> list[Any]:
        """What a block gives at some arguments."""
        for p, x in zip(block.params, args, strict=True):
            self.env[p] = fitted(x, p.object)
        for let in block.lets:
            self.let(let)
        return [self.value(a) for a in block.results]

    def activation(self, function: Let, args: Sequence[Any]) -> list[Any]:
        """What a function gives, its body written here."""
        outer, self.env = self.env, {}
        try:
            return self.run(body_of(function), args)
        finally:
            self.env = outer

    def value(self, atom: Atom) -> Any:
        if isinstance(atom, Lit):
            return atom.value if type(atom.value) in (int, float, bool) else atom
        return self.env.get(atom, atom)

    def atom(self, x: Any, a: Object | None = None) -> Atom:
        """A value as an atom of the program; of a list the object has to be known if it is empty."""
        if isinstance(x, Kept):
            return x.var
        if isinstance(x, Tape) or (isinstance(x, list) and not x and not isinstance(a, List)):
            raise Unsuitable
        if isinstance(x, list):
            item = a.item if isinstance(a, List) else None
            return self.emitted(structure.listing, [self.atom(y, item) for y in x], {} if x else {"of": a})
        let = x.definition if isinstance(x, Var) and self.counts(x) else None
        if let is not None:
            return self.atom(self.operation(arithmetic.add, [self.value(a) for a in let.args], {}, let))
        return x if isinstance(x, (Var, Lit)) else self.st.atom(x)

    def atoms(self, xs: list[Any], let: Let) -> list[Atom]:
        """Values in the places of the arguments of a let."""
        return [self.atom(x, a.object) for x, a in zip(xs, let.args, strict=True)]

    def counts(self, x: Var) -> bool:
        """Whether a pullback has to know a number that is another integer and a constant: that is no part of a tape."""
        let, here = x.definition, self.st.block.ancestors()
        return let is not None and isinstance(let.op, Apply) and let.op.primitive is arithmetic.add and all(
            isinstance(a.object, Int) for a in [x, *let.args]) and all(block is not x.home for block in here)

    def emitted(self, primitive: Any, atoms: list[Atom], params: dict[str, Any], like: Let | None = None) -> Any:
        """An operation that is applied here, as a let does if it is like one."""
        self.lets += 1
        if self.lets > LETS:
            raise Unsuitable
        made = Let(Apply(primitive, params), atoms, like and like.span, like.adjoint if like else True)
        self.st.block.lets.append(made)
        if like is None:
            return self.st.target(made, "", primitive.type_of(tuple([atom.object for atom in atoms]), params))
        found = [self.st.target(made, t.name, t.object) for t in like.targets]
        return found[0] if found else None

    # -- lets ------------------------------------------------------------------------------------------------------

    def let(self, let: Let) -> None:
        args = [self.value(a) for a in let.args]
        match let.op:
            case Apply():
                found = [self.apply(let, let.op, args)]
            case Branch():
                found = self.branch(let, let.op, args)
            case Loop():
                found = self.loop(let, let.op, args)
            case Call():
                found = self.call(let, args)
            case _:
                raise Unsuitable
        self.env.update(zip(let.targets, found, strict=False))

    def apply(self, let: Let, op: Apply, args: list[Any]) -> Any:
        p = op.primitive
        if p is tapes.roll and op.params["tape"] is self.family.tape:
            return Tape(args)
        if p is tapes.unroll and isinstance(args[0], Tape):
            return args[0].parts[op.params["index"]]
        if p is structure.listing and "of" not in op.params:
            return args
        if p is arithmetic.truth and isinstance(args[0], list):
            return bool(args[0])
        if entry(p).facts.structural and all(isinstance(x, list) or type(x) is int for x in args):
            return structurally(p, args, op.params)
        among = let.targets and any(isinstance(x, list) for x in args)
        found = self.listed(p, args, op.params, let) if among else None
        return self.operation(p, args, op.params, let) if found is None else found

    def listed(self, p: Any, args: list[Any], params: dict[str, Any], let: Let) -> Any:
        """What an operation on lists of numbers does with each item; None where that is not known."""
        whole, a = let.targets[0].object, [atom.object for atom in let.args]
        known = [isinstance(x, list) for x in args]
        if p.adding and p.exact and p.work == SUMS and known[0] and is_reals(a[0]):
            return self.total(args[0] if len(args) == 1 or is_zero(args[1]) else [args[1], *args[0]])
        if not is_reals(whole) or not all(is_reals(b) for b, is_list in zip(a, known, strict=True) if is_list):
            return None
        if p is zero_trees.zeros_like:
            return [0.0] * len(args[0])
        if p is folds.copies:
            return [args[0]] * len(args[1])
        if p is zero_trees.add_trees and all(known) and len(args[0]) == len(args[1]):
            return [self.total([x, y]) for x, y in zip(*args, strict=True)]
        if p is lists.set_item and known[0]:
            return replaced(args[0], args[2], lambda x: args[1])
        if p is structure.add_item and known[0]:
            return replaced(args[0], args[2], lambda x: self.total([x, args[1]]))
        if p is lists.spread and all(known[:2]) and all(type(n) is int for n in args[2:]):
            found: list[Any] = [0.0] * len(args[1])
            places = structurally(lists.sliced, [[*range(len(found))], *args[2:]], params)
            for k, ct in zip(places, args[0], strict=True):
                found[k] = ct
            return found
        return None

    def total(self, xs: list[Any]) -> Any:
        """The sum of numbers."""
        kept = [x for x in xs if not is_zero(x)]
        found = kept[0] if kept else 0.0
        for x in kept[1:]:
            found = self.emitted(arithmetic.add, [self.atom(found), self.atom(x)], {})
        return found

    def operation(self, p: Any, args: list[Any], params: dict[str, Any], let: Let) -> Any:
        """An operation that is applied here, unless its value is known or was computed before."""
        tests = p.exact and let.targets and isinstance(let.targets[0].object, Bool)  # a test of Python's own
        if tests and all(type(x) in (int, bool) for x in args):
            return p.value(*args, **params)
        if let in self.sums and type(args[0]) is float and args[0] == 0.0:
            return args[1]
        if all(isinstance(x, Staged) or type(x) in (int, float, bool) for x in args):
            simpler = simplified(p, tuple(args), params)
            if simpler is not None:
                return simpler
        if p.effect or not let.targets or not isinstance(let.targets[0].object, (Int, Real, Bool)):
            return self.emitted(p, self.atoms(args, let), params, let)
        key = (p, tuple([identity(x) for x in args]), tuple(params.items()))
        found = self.st.lookup(key)
        if found is None:
            found = self.emitted(p, self.atoms(args, let), params, let)
            self.st.seen.setdefault(self.st.block, {})[key] = found
        return found

    def branch(self, let: Let, op: Branch, args: list[Any]) -> list[Any]:
        if isinstance(args[0], bool):
            return self.run(op.then if args[0] else op.orelse, [])
        blocks = Block(BlockKind.BRANCH, self.st.block), Block(BlockKind.BRANCH, self.st.block)
        arms = [self.st.inside(block, lambda arm=arm: self.run(arm, []))
                for block, arm in zip(blocks, op.blocks, strict=True)]
        made = Let(Branch(*blocks), [self.atom(args[0])], let.span, let.adjoint)
        self.st.block.lets.append(made)
        return [self.met(made, x, y, t.object, t.name) for x, y, t in zip(*arms, let.targets, strict=True)]

    def met(self, made: Let, x: Any, y: Any, a: Object, name: str) -> Any:
        """What a branch gives that is one of two values. One that only one arm makes is read there."""
        if is_absent(x) or is_absent(y):
            return y if is_absent(x) else x
        if isinstance(x, list) and isinstance(y, list) and len(x) == len(y) and isinstance(a, List):
            return [self.met(made, one, other, a.item, name) for one, other in zip(x, y, strict=True)]
        if type(x) is type(y) and type(x) in (int, float, bool) and identity(x) == identity(y):
            return x
        for block, value in zip(made.op.blocks, (x, y), strict=True):
            block.results.append(self.st.inside(block, lambda value=value: self.atom(value, a)))
        return self.st.target(made, name, a)

    def placed(self, made: Let, let: Let) -> list[Any]:
        self.st.block.lets.append(made)
        return [self.st.target(made, t.name, t.object) for t in let.targets]

    def loop(self, let: Let, op: Loop, args: list[Any]) -> list[Any]:
        state, along = args[: op.carries], args[op.carries :]
        if not all(isinstance(xs, list) for xs in along):
            return self.repeated(let, op, args)
        count = min(map(len, along))
        self.sums.update(sums_of(op))
        columns: list[list[Any]] = [[None] * count for _ in op.body.results[op.carries :]]
        for i in reversed(range(count)) if op.reverse else range(count):
            found = self.run(op.body, [*state, *[xs[i] for xs in along]])
            state = found[: op.carries]
            for column, x in zip(columns, found[op.carries :], strict=True):
                column[i] = x
        return [*[fitted(x, t.object) for x, t in zip(state, let.targets, strict=False)], *columns]

    def repeated(self, let: Let, op: Loop, args: list[Any]) -> list[Any]:
        """A loop that stays one."""
        atoms = self.atoms(args, let)
        body = Block(BlockKind.LOOP, self.st.block)
        params = [self.st.param(body, p.name, p.object) for p in op.body.params]
        body.results = self.st.inside(body, lambda: [
            self.atom(x, a.object) for x, a in zip(self.run(op.body, params), op.body.results, strict=True)])
        return self.placed(Let(Loop(body, op.carries, op.reverse), atoms, let.span, let.adjoint), let)

    def call(self, let: Let, args: list[Any]) -> list[Any]:
        family, (function, *given) = self.family, args
        if function is family.function:
            xs = given[family.place]
            copy = self.copies.get(len(xs)) if isinstance(xs, list) else None
            if copy is None:
                raise Unsuitable
            if copy.small:
                return self.activation(family.let, given)
            given[family.place : family.place + 1] = xs
            results, targets = self.called(let, copy, given)
            return [*results, *[Kept(copy, var) for var in targets]]
        if function in family.pullbacks:
            tape = given[0]
            if isinstance(tape, Tape):
                return self.activation(family.pullbacks[function], given)
            if not isinstance(tape, Kept):
                raise Unsuitable
            return self.called(let, tape.copy.pullbacks[function], given)[0]
        return self.placed(Let(Call(), self.atoms(args, let), let.span, let.adjoint), let)

    def called(self, let: Let, copy: Copy, args: list[Any]) -> tuple[list[Any], list[Var]]:
        """The results of a call of a copy, and its tape if it has one."""
        made = Let(Call(), [copy.variable, *[self.atom(x) for x in args]], let.span, let.adjoint)
        self.st.block.lets.append(made)
        targets = iter([self.st.target(made, "", a.object) for a in copy.block.results])
        return [shaped(x, targets) for x in copy.results], list(targets)


def sums_of(op: Loop) -> list[Let]:
    """The additions by which a loop makes its sums: their order is free, and so is what they begin with."""
    body = op.body
    lets = [(p, a.definition) for p, a in zip(body.params, body.results[: op.carries], strict=False)
            if isinstance(a, Var) and a.home is body and a.definition is not None]
    return [let for p, let in lets if isinstance(let.op, Apply) and let.op.primitive is arithmetic.add
            and let.args[0] is p]


def structurally(p: Any, args: list[Any], params: dict[str, Any]) -> Any:
    """What an operation gives that does not look at the items of a list."""
    if p is lists.repeated and len(args[0]) * args[1] > ITEMS:
        raise Unsuitable
    try:
        found = p.value(*args, **params)
    except (IndexError, ValueError):
        raise Unsuitable from None
    if isinstance(found, (range, list)) and len(found) > ITEMS:
        raise Unsuitable
    return list(found) if isinstance(found, range) else found


def fitted(x: Any, a: Object) -> Any:
    """A value that stands for one of an object: an integer among reals is one of them."""
    return float(x) if type(x) is int and isinstance(a, Real) else x


def replaced(xs: list[Any], i: Any, by: Callable[[Any], Any]) -> list[Any] | None:
    """A list with another item at a place; None where that is not known, or there is none."""
    if type(i) is not int or not -len(xs) <= i < len(xs):
        return None
    return [by(x) if k == i % len(xs) else x for k, x in enumerate(xs)]
