"""Contributions written where they belong: without the zeros that they are first added to, and the values between.

    z = zeros_like(w[i]);  z = add_at(z, v, 2);  dw = add_at(dw, z, i)      →   dw = add_at(dw, v, i, 2)
    xs = set_item(xs, zeros_like(x), i) ... xs = add_item(xs, v, i)         →   xs = set_item(xs, v, i)
    xs = add_item(xs, v, i);  y = xs[i];  xs = set_item(xs, z, i)           →   y = xs[i] + v;  xs = set_item(xs, z, i)
    dx = add_at(dx, v, i) ... dx = add_at(dx, w, i)                         →   dx = add_at(dx, v + w, i)

The cotangent of an array of parts is made like the left ones. A value between goes only where nothing else reads it.
Zero and a number is that number, and sums are added in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.native.fusion import replace
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Let, Lit, Program, Var
from ccc.objects import Array, Real
from ccc.primitives import arithmetic, indexing, lists, structure, zero_trees

Uses = Counter[Var]


def contribute(program: Program, count_uses: Callable[[Block, Uses], None]) -> bool:
    """Rewrite a program in place; true where it changed."""
    todo, uses, changed = [program.block], counted(program, count_uses), False
    while todo:
        block = todo.pop()
        while any(rule(block, uses) for rule in (into_parts, items_known, written_over, added_together)):
            uses, changed = counted(program, count_uses), True
        todo += [inner for let in block.lets for inner in let.op.blocks]
    return changed


def counted(program: Program, count_uses: Callable[[Block, Uses], None]) -> Uses:
    """How often each variable of a program is read."""
    uses: Uses = Counter()
    count_uses(program.block, uses)
    return uses


def made_by(atom: Atom, block: Block, *primitives: object) -> Let | None:
    """The let of a block that makes a value by one of some primitives."""
    let = atom.definition if isinstance(atom, Var) and atom.home is block else None
    return let if isinstance(let, Let) and isinstance(let.op, Apply) and let.op.primitive in primitives else None


def of(block: Block, *primitives: object) -> Iterator[tuple[int, Let]]:
    """The lets of a block by one of some primitives, and where they stand."""
    for n, let in enumerate(block.lets):
        if isinstance(let.op, Apply) and let.op.primitive in primitives:
            yield n, let


def pattern_of(let: Let) -> tuple[str, ...]:
    return let.application.params["pattern"]


def into_parts(block: Block, uses: Uses) -> bool:
    """Add parts to what the sum of them would be added to."""
    for n, let in of(block, indexing.add_at):
        if any(code != "i" for code in pattern_of(let)):
            continue
        base, parts = chain(let.args[1], block, uses)
        if not parts:
            continue
        new, total = list[Let](), let.args[0]
        zero = made_by(base, block, zero_trees.zeros_like)
        for ct, part in [*([] if zero else [(base, None)]), *[(part.args[1], part) for part in reversed(parts)]]:
            pattern, numbers = (pattern_of(part), part.args[2:]) if part else ((), [])
            op = Apply(indexing.add_at, {"pattern": (*pattern_of(let), *pattern)})
            new.append(Let(op, [total, ct, *let.args[2:], *numbers], let.span, adjoint=True))
            total = new[-1].target(let.targets[0].name, let.targets[0].object, block)
        new[-1].targets = let.targets
        new[-1].targets[0].definition = new[-1]
        block.lets[n : n + 1] = new
        block.lets = [x for x in block.lets if x not in parts]
        return True
    return False


def chain(atom: Atom, block: Block, uses: Uses) -> tuple[Atom, list[Let]]:
    """The additions to parts that make a value which is read once, the last one first, and what is added to."""
    found: list[Let] = []
    while isinstance(atom, Var) and uses[atom] == 1:
        let = made_by(atom, block, indexing.add_at)
        if let is None or any(code != "i" for code in pattern_of(let)):
            break
        found.append(let)
        atom = let.args[0]
    return atom, found


def items_known(block: Block, uses: Uses) -> bool:
    """Read what was written, or add what was added."""
    for n, let in of(block, structure.item):
        xs, i = let.args
        before = made_by(xs, block, lists.set_item, structure.add_item)
        if before is None or not same(before.args[2], i):
            continue
        (target,) = let.targets
        if before.application.primitive is lists.set_item:
            if before.args[1].object != target.object or not let.adjoint or block.kind is BlockKind.TOP:
                continue
            block.lets.pop(n)
            replace(block, {target: before.args[1]})
        elif isinstance(target.object, (Array, Real)) and before.args[1].object == target.object:
            item = Let(let.op, [before.args[0], i], let.span, adjoint=True)
            read = item.target(target.name, target.object, block)
            plus = Let(Apply(arithmetic.add, {}), [read, before.args[1]], let.span, adjoint=True)
            plus.targets = [target]
            target.definition = plus
            block.lets[n : n + 1] = [plus]
            block.lets.insert(block.lets.index(before), item)
        else:
            continue
        return True
    return False


def written_over(block: Block, uses: Uses) -> bool:
    """Write no item that is written again before anything reads it."""
    for n, let in of(block, lists.set_item, structure.add_item):
        xs, i = let.args[0], let.args[2]
        before = made_by(xs, block, lists.set_item, structure.add_item)
        if before is None or uses[xs] != 1 or not same(before.args[2], i):  # type: ignore[index]
            continue
        sets = let.application.primitive is lists.set_item
        zero = before.application.primitive is lists.set_item and made_by(before.args[1], block, zero_trees.zeros_like)
        if not sets and not (zero and before.args[1].object == let.args[1].object):
            continue
        new = Let(Apply(lists.set_item, {}), [before.args[0], *let.args[1:3]], let.span, adjoint=True)
        new.targets = let.targets
        new.targets[0].definition = new
        block.lets[n] = new
        block.lets.remove(before)
        return True
    return False


def added_together(block: Block, uses: Uses) -> bool:
    """Add up numbers that go to one place before they are added to it."""
    inside: set[Let] = set()
    for n, let in reversed(list(of(block, indexing.add_at))):
        if let in inside or any(code != "i" for code in pattern_of(let)):
            continue
        base, parts = chain(let.args[0], block, uses)
        inside.update(parts)
        places: dict[Any, list[Let]] = {}
        for part in [*reversed(parts), let]:
            places.setdefault(tuple([x.value if isinstance(x, Lit) else x for x in part.args[2:]]), []).append(part)
        if len(places) == len(parts) + 1 or not all(isinstance(part.args[1].object, Real) for part in [*parts, let]):
            continue
        new, total = list[Let](), base
        for together in places.values():
            ct = together[0].args[1]
            for part in together[1:]:
                a = arithmetic.add.type_of((ct.object, part.args[1].object), {})
                new.append(Let(Apply(arithmetic.add, {}), [ct, part.args[1]], part.span, adjoint=True))
                ct = new[-1].target("", a, block)
            first = together[0]
            new.append(Let(first.op, [total, ct, *first.args[2:]], first.span, adjoint=True))
            total = new[-1].target(let.targets[0].name, let.targets[0].object, block)
        new[-1].targets = let.targets
        new[-1].targets[0].definition = new[-1]
        block.lets[n : n + 1] = new
        block.lets = [x for x in block.lets if x not in parts]
        return True
    return False


def same(a: Atom, b: Atom) -> bool:
    """Whether two atoms are the same index."""
    return a is b or (isinstance(a, Lit) and isinstance(b, Lit) and a.value == b.value)
