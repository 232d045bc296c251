"""A loop that makes sums, and the loop that runs back over it, as one: the reverse of each run right after its forward.

    for x in xs:            total += f(x)                             for x in xs:
    for x in reversed(xs):  dy += f'(x)*            becomes               total += f(x); dy += f'(x)*

That needs no tape. It holds where the second loop reads nothing that the first one ends with, and carries nothing but
sums, whose order is free.

Two loops along the same become one too, where the second reads nothing of the first (`merge_one`).
`ccc.compile.passes.redundancy` has by then shared what each computes alone; what the runs of both compute alike is
shared here.

References: Griewank, Walther, Evaluating Derivatives, chapter 12 (partial separability).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.passes.redundancy import is_to_change
from ccc.compile.program.lam import Apply, Block, Branch, Let, Loop, Program, Var, free_variables, lets_in
from ccc.compile.program.numbering import Numbering
from ccc.objects import Array, List, Real
from ccc.primitives.facts import SIZES


def fuse(program: Program, count_uses: Callable[[Block, Counter[Var]], None]) -> bool:
    """Fuse all such loops of a program, in place; true where there were some."""
    todo, changed = [program.block], False
    uses: Counter[Var] = Counter()
    count_uses(program.block, uses)
    while todo:
        block = todo.pop()
        while fuse_one(block, uses) or merge_one(block):
            uses.clear()
            count_uses(program.block, uses)
            changed = True
        todo += [inner for let in block.lets for inner in let.op.blocks]
    return changed


def fuse_one(block: Block, uses: Counter[Var]) -> bool:
    """Fuse one pair of a block; False where there is none."""
    for j, second in enumerate(block.lets):
        if not isinstance(second.op, Loop) or not second.op.reverse:
            continue
        for i in range(j - 1, -1, -1):
            first = block.lets[i]
            if isinstance(first.op, Loop) and not first.op.reverse and follows(first, second):
                later = dependent(block.lets[i + 1 : j], first)
                known = {*first.targets, *[t for let in later for t in let.targets]}
                between = [let for let in block.lets[i + 1 : j] if let not in later]
                if reads(second) & known <= tapes(first, second) and sums_only(second.op, uses) and not act_in_turn(
                        [first], between, later, [second]):
                    block.lets[i : j + 1] = [*between, joined(first, second, uses), *later]
                    return True
    return False


def merge_one(block: Block) -> bool:
    """Make one of two loops along the same, of which the second reads nothing of the first; False where there are none.

    What both compute alike is computed once.
    """
    for j, second in enumerate(block.lets):
        if not isinstance(second.op, Loop) or second.op.reverse:
            continue
        for i in range(j - 1, -1, -1):
            first = block.lets[i]
            if not isinstance(first.op, Loop) or first.op.reverse or along(first) != along(second):
                continue
            later = dependent(block.lets[i + 1 : j], first)
            if reads(second) & {*first.targets, *[t for let in later for t in let.targets]}:
                continue
            between = [let for let in block.lets[i + 1 : j] if let not in later]
            if act_in_turn([first], between, later, [second]):
                continue
            both = merged(first, second)
            block.lets[i : j + 1] = [*between, both, *later]
            share(both.op.body)  # type: ignore[attr-defined]
            return True
    return False


def act_in_turn(*groups: Sequence[Let]) -> bool:
    """Whether lets of more than one group print or raise by name: in another order they would do so in another order.
    """
    return sum([any(map(acts, group)) for group in groups]) > 1


def acts(let: Let) -> bool:
    """Whether a let prints or raises by name, or one in it does."""
    return any(isinstance(found.op, Apply) and bool(found.op.primitive.effect)
               for found in [let, *[inner for block in let.op.blocks for inner in lets_in(block)]])


def along(let: Let) -> list[Any]:
    """What a loop runs along: equal where it is surely the same."""
    return [origin(x) for x in let.args[let.op.carries :]]  # type: ignore[attr-defined]


def origin(x: Any) -> Any:
    """An atom, or how it is made of others where that is a range or the rows of an array, which cost nothing."""
    let = x.definition if isinstance(x, Var) else None
    if isinstance(x.object, List) and let is not None and isinstance(let.op, Apply) and let.op.primitive.work == SIZES:
        return let.op.primitive, let.op.params, *map(origin, let.args)
    return x


def merged(first: Let, second: Let) -> Let:
    """The runs of the first loop, each with that of the second one behind it."""
    a: Any = first.op
    b: Any = second.op
    places = along(first)
    stands = {param: a.body.params[a.carries + places.index(x)] for param, x in zip(
        b.body.params[b.carries :], along(second), strict=True)}
    replace(b.body, stands)
    body = adopted(a.body, b.body, b.body.params[: b.carries])
    params, results = body.params, body.results
    body.params = [*params[: a.carries], *b.body.params[: b.carries], *params[a.carries :]]
    body.results = [*results[: a.carries], *b.body.results[: b.carries], *results[a.carries :],
                    *b.body.results[b.carries :]]
    let = Let(Loop(body, a.carries + b.carries, False),
              [*first.args[: a.carries], *second.args[: b.carries], *first.args[a.carries :]], first.span)
    let.targets = [*first.targets[: a.carries], *second.targets[: b.carries], *first.targets[a.carries :],
                   *second.targets[b.carries :]]
    for target in let.targets:
        target.definition = let
    return let


def adopted(body: Block, other: Block, params: Sequence[Var]) -> Block:
    """A block with the lets of another one, whose parameters become its own."""
    for let in other.lets:
        for target in let.targets:
            target.home = body
        for inner in let.op.blocks:
            inner.parent = body
    for param in params:
        param.home = body
    body.lets = [*body.lets, *other.lets]
    return body


def share(block: Block) -> None:
    """Compute once what lets of a block compute alike on numbers and arrays."""
    numbering, known, kept = Numbering(block), dict[int, Var](), list[Let]()
    for let in block.lets:
        shares = isinstance(let.op, Apply) and not is_to_change(let.op.primitive) and isinstance(
            let.targets[0].object, (Real, Array))
        first = known.setdefault(numbering.of(let.targets[0]), let.targets[0]) if shares else None
        if first in (None, *let.targets):
            kept.append(let)
        else:
            replace(block, {let.targets[0]: first})
    block.lets = kept


def follows(first: Let, second: Let) -> bool:
    """Whether the second loop runs along what the first one made, or ran along."""
    made, along = first.targets[first.op.carries :], first.args[first.op.carries :]  # type: ignore[attr-defined]
    sequences = second.args[second.op.carries :]  # type: ignore[attr-defined]
    return bool(sequences) and len(along) == 1 and all(x in made or x is along[0] for x in sequences) and any(
        x in made for x in sequences)


def tapes(first: Let, second: Let) -> set[Any]:
    """What the second loop runs along that the first one made."""
    return set(first.targets[first.op.carries :]) & set(second.args[second.op.carries :])  # type: ignore[attr-defined]


def reads(let: Let) -> set[Any]:
    """The variables that a let reads, in its blocks too."""
    memo: dict[int, list[Var]] = {}
    inside = [v for inner in let.op.blocks for v in free_variables(inner, memo)]
    return {*[a for a in let.args if isinstance(a, Var)], *inside}


def dependent(lets: list[Let], first: Let) -> list[Let]:
    """Those of some lets that depend on what a let gives."""
    known = set(first.targets)
    found: list[Let] = []
    for let in lets:
        if reads(let) & known:
            found.append(let)
            known.update(let.targets)
    return found


def sums_only(op: Loop, uses: Counter[Var]) -> bool:
    """Whether a loop carries nothing but sums and what stays as it is."""
    body = op.body
    return all(result is param or is_sum(body, param, result, uses) for param, result in zip(
        body.params[: op.carries], body.results[: op.carries], strict=True))


Found = dict[tuple[Block, Var, int], int]
"""What is known of the arms of branches, which the branches around them ask for each of their results."""


def is_sum(body: Block, param: Var, result: Any, uses: Counter[Var], found: Found | None = None) -> bool:
    """Whether a body only adds to what it carries in `param`, perhaps in one arm of a branch, and gives that as
    `result`."""
    return added(body, param, result, uses, 1, {} if found is None else found) == uses[param] > 0


def added(block: Block, now: Var, result: Any, uses: Counter[Var], once: int, found: Found) -> int:
    """What the reads of a variable count where a block only adds to it and gives that as `result`; else 0. One read in
    the block counts `once`."""
    if now is result:
        return once
    let = next((let for let in block.lets if now in let.args), None)
    if let is None:
        return added_in_arms(block, now, result, uses, found)
    if isinstance(let.op, Loop) and now in let.args[: let.op.carries]:
        k = let.args.index(now)
        if not is_sum(let.op.body, let.op.body.params[k], let.op.body.results[k], uses, found):
            return 0
        after = let.targets[k]
    elif isinstance(let.op, Apply) and any(let.args[i] is now for i in let.op.primitive.adds):
        after = let.targets[0]
    else:
        return 0
    return once if is_sum(block, after, result, uses, found) else 0


def added_in_arms(block: Block, now: Var, result: Any, uses: Counter[Var], found: Found) -> int:
    """The same where the arms of a branch add to it."""
    for let in block.lets:
        if isinstance(let.op, Branch):
            for k, target in enumerate(let.targets):
                counts = [in_arm(arm, now, k, uses, found) for arm in let.op.blocks]
                if all(counts) and is_sum(block, target, result, uses, found):
                    return sum(counts)
    return 0


def in_arm(arm: Block, now: Var, k: int, uses: Counter[Var], found: Found) -> int:
    """The same of one result of an arm."""
    key = arm, now, k
    if key not in found:
        found[key] = added(arm, now, arm.results[k], uses, 2, found)
    return found[key]


def joined(first: Let, second: Let, uses: Counter[Var]) -> Let:
    """The two loops as one."""
    a: Any = first.op
    b: Any = second.op
    along = first.args[a.carries :]
    made = first.targets[a.carries :]
    stands: dict[Any, Any] = {}
    for param, x in zip(b.body.params[b.carries :], second.args[b.carries :], strict=True):
        stands[param] = a.body.results[a.carries + made.index(x)] if x in made else a.body.params[a.carries]
    replace(b.body, stands)
    body = adopted(a.body, b.body, b.body.params[: b.carries])
    times = Counter([x for x in second.args if isinstance(x, Var)])
    kept = [k for k, x in enumerate(made) if uses[x] > times[x]]
    params, results = body.params, body.results
    body.params = [*params[: a.carries], *b.body.params[: b.carries], *params[a.carries :]]
    body.results = [*results[: a.carries], *b.body.results[: b.carries], *[results[a.carries + k] for k in kept],
                    *b.body.results[b.carries :]]
    let = Let(Loop(body, a.carries + b.carries, False), [*first.args[: a.carries], *second.args[: b.carries], *along],
              first.span)
    let.targets = [*first.targets[: a.carries], *second.targets[: b.carries], *[made[k] for k in kept],
                   *second.targets[b.carries :]]
    for target in let.targets:
        target.definition = let
    return let


def replace(block: Block, stands: dict[Any, Any]) -> None:
    """Read other atoms in a block."""
    todo = [block]
    while todo:
        here = todo.pop()
        here.results = [stands.get(a, a) if isinstance(a, Var) else a for a in here.results]
        for let in here.lets:
            let.args = [stands.get(a, a) if isinstance(a, Var) else a for a in let.args]
            todo += let.op.blocks
