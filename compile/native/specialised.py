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

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ccc.compile.native.table import entry
from ccc.compile.passes.redundancy import clear_mirrors
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
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
from ccc.compile.terms.stage import Staged
from ccc.compile.terms.staging import Staging
from ccc.objects import INT, Bool, Boxed, Exponential, Int, List, Object, Product, Real
from ccc.primitives import arithmetic, folds, lists, structure, tapes

LONGEST = 6
"""The longest lists that functions are copied for."""
SMALL = 40
"""Copies of so many lets are put in the place of their calls."""
LETS = 1000
"""All copies of a function have at most so many lets."""
ITEMS = 4 * LONGEST
"""The longest lists of which each item is known."""


class Unsuitable(Exception):
    """A function that is not known by the length of its list."""


class Tape:
    """A tape whose parts are known one by one."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


class Kept:
    """The tape that a call of a copy gave."""

    def __init__(self, copy: Copy, var: Var) -> None:
        self.copy = copy
        self.var = var


class Copy:
    """A function at lists of one length: its variable and block, what it gives, whether it takes the place of its
    calls, its tape and the type of that, and the copies of its pullbacks, by what they are copies of."""

    def __init__(self, name: str) -> None:
        self.tape = Boxed(name)
        self.block: Block
        self.variable: Var
        self.results: list[Any] = []
        self.parts: Any = None
        self.small = False
        self.pullbacks: dict[Var, Copy] = {}


class Family:
    """A recursive function with one list of numbers among its parameters, the type of its tapes, and its pullbacks."""

    def __init__(self, let: Let, place: int, tape: Boxed | None, pullbacks: list[Let]) -> None:
        self.let = let
        self.function = let.targets[0]
        self.place = place
        self.tape = tape
        self.pullbacks = {other.targets[0]: other for other in pullbacks}


def specialise(program: Program) -> bool:
    """Rewrite a finished program in place; true where it has such functions."""
    families = [family for let in program.block.lets if (family := family_of(program, let)) is not None]
    changed = [Specialised(program, family).write() for family in families]
    if any(changed):
        read_back(program.block, program.result)
        clear_mirrors(program.block)
    return any(changed)


def family_of(program: Program, let: Let) -> Family | None:
    """What a let of a program defines, if that is such a function."""
    if not isinstance(let.op, Lambda) or not calls_itself(let):
        return None
    body = let.op.body
    places = [i for i, p in enumerate(body.params) if is_numbers(p.object)]
    if len(places) != 1:
        return None
    roll = body.lets[-1] if body.lets else None
    if roll is None or not isinstance(roll.op, Apply) or roll.op.primitive is not tapes.roll:
        return Family(let, places[0], None, [])
    tape = roll.op.params["tape"]
    pullbacks = [other for other in program.block.lets if isinstance(other.op, Lambda) and other is not let
                 and other.op.body.params and other.op.body.params[0].object is tape]
    known = body.results[-1] is roll.targets[0] and all(map(calls_itself, pullbacks))
    return Family(let, places[0], tape, pullbacks) if known and only_unrolled(program, tape, pullbacks) else None


def calls_itself(let: Let) -> bool:
    """Whether a function is recursive; it makes no functions."""
    inside = [inner for block in let.op.blocks for inner in lets_in(block)]
    return any(isinstance(inner.op, Call) and inner.args[0] is let.targets[0] for inner in inside) and not any(
        isinstance(inner.op, Lambda) for inner in inside)


def is_numbers(a: Object) -> bool:
    return isinstance(a, List) and isinstance(a.item, Int | Real | Bool)


def is_reals(a: Object) -> bool:
    return isinstance(a, List) and isinstance(a.item, Real)


def is_zero(x: Any) -> bool:
    return type(x) in (int, float) and x == 0


def is_absent(x: Any) -> bool:
    return isinstance(x, Lit) and isinstance(x.value, Absent)


def only_unrolled(program: Program, tape: Boxed, pullbacks: list[Let]) -> bool:
    """Whether nothing looks at tapes of a type but these pullbacks, part by part."""
    own = [let.op.blocks[0].params[0] for let in pullbacks]
    for let in lets_in(program.block):
        if isinstance(let.op, Apply) and any(holds(a.object, tape) for a in [*let.args, *let.targets]):
            unrolls = let.op.primitive is tapes.unroll and (let.args[0] in own or let.args[0].object is not tape)
            if not unrolls and let.op.primitive is not tapes.roll:
                return False
        if isinstance(let.op, Lambda) and any(holds(p.object, tape) and p not in own for p in let.op.body.params):
            return False
    return True


def holds(a: Object, tape: Boxed) -> bool:
    """Whether values of an object are tapes of a type, or lists or tuples of them."""
    parts = (a.item,) if isinstance(a, List) else a.parts if isinstance(a, Product) else ()
    return a is tape or any(holds(part, tape) for part in parts)


class Specialised:
    """The copies of the functions of a family, and the functions that call them."""

    def __init__(self, program: Program, family: Family) -> None:
        self.program = program
        self.family = family
        self.copies: dict[int, Copy] = {}
        self.st = Staging()
        self.st.block = Block("top")
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
        copy.block = Block("function", self.program.block)
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
        return x if isinstance(x, Var | Lit) else self.st.atom(x)

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
        if p in (folds.sum_, folds.added) and all(is_reals(b) for b in a[:1]):
            return self.total(args[0] if len(args) == 1 or is_zero(args[1]) else [args[1], *args[0]])
        if not is_reals(whole) or not all(is_reals(b) for b, is_list in zip(a, known, strict=True) if is_list):
            return None
        if p is structure.zeros_like:
            return [0.0] * len(args[0])
        if p is folds.copies:
            return [args[0]] * len(args[1])
        if p is structure.add_trees and all(known) and len(args[0]) == len(args[1]):
            return [self.total([x, y]) for x, y in zip(*args, strict=True)]
        if p in (lists.set_item, structure.add_item) and known[0]:
            xs, y, i = args[:3]
            if type(i) is not int or not -len(xs) <= i < len(xs):
                return None
            y = y if p is lists.set_item else self.total([xs[i], y])
            return [y if k == i % len(xs) else x for k, x in enumerate(xs)]
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
        if p.effect or not let.targets or not isinstance(let.targets[0].object, Int | Real | Bool):
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
        blocks = Block("branch", self.st.block), Block("branch", self.st.block)
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
        body = Block("loop", self.st.block)
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


class Serving:
    """A function and its pullbacks with the copies for lists that these serve: which one it was is a part of the tape,
    and so is the tape of the copy."""

    def __init__(self, program: Program, family: Family, copies: dict[int, Copy]) -> None:
        self.program = program
        self.family = family
        self.copies = copies
        self.lengths = sorted(copies)

    def write(self) -> None:
        """Rewrite the functions, and put the copies before them."""
        family, lets = self.family, self.program.block.lets
        first = self.forward()
        for function, let in family.pullbacks.items():
            self.backward(let, first)
            at = lets.index(let)
            lets[at:at] = [defined(copy.pullbacks[function]) for copy in self.copies.values()]
        at = lets.index(family.let)
        lets[at:at] = [defined(copy) for copy in self.copies.values()]

    def forward(self) -> int:
        """Rewrite the function; gives where in its tapes the new parts begin."""
        body, taped = body_of(self.family.let), self.family.tape is not None
        roll = body.lets.pop() if taped else None
        given = body.results[:-1] if roll else body.results
        parts = roll.args if roll else []
        tape_of = [self.copies[n].tape for n in self.lengths] if roll else []
        xs = body.params[self.family.place]

        def of(n: int, block: Block) -> list[Atom]:
            copy = self.copies[n]
            items = [applied(block, structure.item, xs, number(i)) for i in range(n)]
            found, tape = calling(block, copy, [x for p in body.params for x in (items if p is xs else [p])], given)
            own = [atom for a in tape_of for atom in (tape if a is copy.tape else [absent(a)])]
            return [*found, *[absent(a.object) for a in parts], *([number(n)] if roll else []), *own]

        others = [*given, *parts, *([number(NONE)] if roll else []), *map(absent, tape_of)]
        results = self.divided(body, lambda block: applied(block, structure.length, xs), of, others)
        body.results = results
        if roll is not None:
            body.results = [*results[: len(given)], *roll.targets]
            roll.args = results[len(given) :]
            body.lets.append(roll)
        return len(parts)

    def backward(self, let: Let, first: int) -> None:
        """Rewrite a pullback."""
        body, (function,) = body_of(let), let.targets
        tape, *rest = body.params

        def of(n: int, block: Block) -> list[Atom]:
            copy = self.copies[n]
            own = applied(block, tapes.unroll, tape, index=first + 1 + self.lengths.index(n), of=copy.tape)
            return calling(block, copy.pullbacks[function], [own, *rest], given)[0]

        given = body.results
        body.results = self.divided(
            body, lambda block: applied(block, tapes.unroll, tape, index=first, of=INT), of, given)

    def divided(
        self, body: Block, length: Callable[[Block], Var], of: Callable[[int, Block], list[Atom]], others: list[Atom]
    ) -> list[Atom]:
        """Let a body be one branch of itself, and what there is for each length the other; gives its results."""
        inner, body.lets = body.lets, []
        n = length(body)
        low = applied(body, arithmetic.greater_equal, n, number(self.lengths[0]))
        high = applied(body, arithmetic.less_equal, n, number(self.lengths[-1]))
        then, orelse = Block("branch", body), Block("branch", body)
        orelse.lets, orelse.results = inner, others
        for let in inner:
            for target in let.targets:
                target.home = orelse
            for block in let.op.blocks:
                block.parent = orelse
        then.results = self.chosen(then, self.lengths, n, of)
        return branched(body, applied(body, arithmetic.both, low, high), then, orelse)

    def chosen(
        self, block: Block, lengths: list[int], n: Var, of: Callable[[int, Block], list[Atom]]
    ) -> list[Atom]:
        """What there is for the length that a number says."""
        if len(lengths) == 1:
            return of(lengths[0], block)
        half = len(lengths) // 2
        then, orelse = Block("branch", block), Block("branch", block)
        then.results = self.chosen(then, lengths[:half], n, of)
        orelse.results = self.chosen(orelse, lengths[half:], n, of)
        return branched(block, applied(block, arithmetic.less, n, number(lengths[half])), then, orelse)


def applied(block: Block, primitive: Any, *atoms: Atom, **params: Any) -> Var:
    """The result of an operation at the end of a block."""
    let = Let(Apply(primitive, params), list(atoms))
    block.lets.append(let)
    return let.target("", primitive.type_of(tuple([atom.object for atom in atoms]), params), block)


def calling(block: Block, copy: Copy, args: list[Atom], like: list[Atom]) -> tuple[list[Atom], list[Var]]:
    """The results of a call of a copy at the end of a block, as those of the function are, and its tape."""
    let = Let(Call(), [copy.variable, *args])
    block.lets.append(let)
    targets = iter([let.target("", a.object, block) for a in copy.block.results])
    found = [shaped(x, targets) for x in copy.results]
    return [listed(block, x, a.object) for x, a in zip(found, like, strict=True)], list(targets)


def listed(block: Block, x: Any, a: Object) -> Atom:
    """A list of variables, or of such lists, as a list of the program."""
    if not isinstance(x, list):
        return x
    assert isinstance(a, List)
    return applied(block, structure.listing, *[listed(block, part, a.item) for part in x], of=a)


def flat(xs: list[Any]) -> list[Any]:
    """The items of lists in the places of these."""
    return [y for x in xs for y in (flat(x) if isinstance(x, list) else [x])]


def shaped(x: Any, variables: Iterator[Var]) -> Any:
    """Variables in the places of values and of items of lists."""
    return [shaped(y, variables) for y in x] if isinstance(x, list) else next(variables)


def branched(block: Block, test: Var, then: Block, orelse: Block) -> list[Atom]:
    """The results of a branch at the end of a block."""
    let = Let(Branch(then, orelse), [test])
    block.lets.append(let)
    return [let.target(getattr(a, "name", ""), a.object, block) for a in orelse.results]


def defined(copy: Copy) -> Let:
    """The let of a copy, the type of which is known by now."""
    results = [a.object for a in copy.block.results]
    cod = results[0] if len(results) == 1 else Product(tuple(results))
    copy.variable.object = Exponential(Product(tuple([p.object for p in copy.block.params])), cod)
    assert copy.variable.definition is not None
    return copy.variable.definition


def body_of(function: Let) -> Block:
    (body,) = function.op.blocks
    return body


def sums_of(op: Loop) -> list[Let]:
    """The additions by which a loop makes its sums: their order is free, and so is what they begin with."""
    body = op.body
    lets = [(p, a.definition) for p, a in zip(body.params, body.results[: op.carries], strict=False)
            if isinstance(a, Var) and a.home is body and a.definition is not None]
    return [let for p, let in lets if isinstance(let.op, Apply) and let.op.primitive is arithmetic.add
            and let.args[0] is p]


NONE = -1
"""The length that stands for no copy."""


def number(n: int) -> Lit:
    return Lit(n, INT)


def absent(a: Object) -> Lit:
    return Lit(Absent(a), a)


def structurally(p: Any, args: list[Any], params: dict[str, Any]) -> Any:
    """What an operation gives that does not look at the items of a list."""
    if p is lists.repeated and len(args[0]) * args[1] > ITEMS:
        raise Unsuitable
    try:
        found = p.value(*args, **params)
    except (IndexError, ValueError):
        raise Unsuitable from None
    if isinstance(found, range | list) and len(found) > ITEMS:
        raise Unsuitable
    return list(found) if isinstance(found, range) else found


def fitted(x: Any, a: Object) -> Any:
    """A value that stands for one of an object: an integer among reals is one of them."""
    return float(x) if type(x) is int and isinstance(a, Real) else x
