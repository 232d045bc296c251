"""Which values that are typed as reals may hold integers when the program runs.

An integer stands for a real where a loop starts from `0`, a list holds both, or a branch gives one or the other; Python
keeps it an integer, and an array made of it is one of integers until a real is added. Arrays of integers and of bools
stand for arrays of reals alike, and what functions make reals of such an array may be shorter floats: `np.sqrt` of
bools is an array of float16. None of these can be added to in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ccc.compile.program.lam import Apply, Block, Branch, Lambda, Let, Lit, Loop, Var, While, blocks_in
from ccc.objects import Array, Bool, Int, List, Map, Product, Real
from ccc.primitives.primitive import is_real
from ccc.primitives.results import real_by

Rule = bool | tuple[Callable[[Iterable[bool]], bool], list[Any]]
"""What is known at once, or what follows from what other atoms say: `any` of it, or what `integers_from` says."""


def may_be_whole(atom: Any, known: dict[Var, bool] | None = None) -> bool:
    """True for a real that may be an integer when the program runs, and for an array that may have integers or shorter
    floats.

    `known` are the answers so far, for one program. Loops give the least solution: nothing is one of integers only
    because it depends on itself.
    """
    if isinstance(atom, Lit):
        return bool(rule_of(atom))
    known = {} if known is None else known
    if atom not in known:
        solve(atom, known)
    return known[atom]


def solve(atom: Var, known: dict[Var, bool]) -> None:
    """Answer the question for a variable and all that it depends on."""
    rules: dict[Var, tuple[Callable[[Iterable[bool]], bool], list[Any]]] = {}
    readers: dict[Var, list[Var]] = {}
    found: dict[Var, bool] = {}
    todo, due = [atom], list[Var]()

    def holds(a: Any) -> bool:
        return bool(rule_of(a)) if isinstance(a, Lit) else known[a] if a in known else found.get(a, False)

    while todo:
        var = todo.pop()
        if var in known or var in found:
            continue
        rule = rule_of(var)
        found[var] = rule is True
        if rule is True:
            due += readers.get(var, ())
        elif isinstance(rule, tuple):
            rules[var] = rule
            for a in rule[1]:
                if isinstance(a, Var) and a not in known:
                    readers.setdefault(a, []).append(var)
                    todo.append(a)
                if holds(a):
                    due.append(var)

    while due:
        var = due.pop()
        if not found[var] and rules[var][0](map(holds, rules[var][1])):
            found[var] = True
            due += readers.get(var, ())
    known.update(found)


def rule_of(atom: Any) -> Rule:
    """Why an atom may be whole."""
    if isinstance(atom, Lit):
        return isinstance(atom.value, int) or getattr(getattr(atom.value, "dtype", None), "kind", "f") in "iub"
    a = atom.object
    if isinstance(a, (Int, Bool)):
        return True
    if not isinstance(a, Real) and not (isinstance(a, Array) and a.is_real):
        return isinstance(a, Array)
    if atom.definition is not None and isinstance(atom.definition.op, Apply):
        return made_of_whole(atom)
    one_of = sources(atom)
    return made_of_whole(atom) if one_of is None else (any, one_of)


def sources(var: Var) -> list[Any] | None:
    """What a variable is one of; None where an operation made it."""
    let = var.definition
    if let is None:
        owner = owner_of(var)
        if owner is None or not isinstance(owner.op, (Loop, While)) or var not in owner.op.body.params:
            return None
        i = owner.op.body.params.index(var)
        return [owner.args[i], owner.op.body.results[i]] if i < owner.op.carries else None
    if isinstance(let.op, Branch):
        return [block.results[let.targets.index(var)] for block in let.op.blocks]
    if isinstance(let.op, (Loop, While)):
        i = let.targets.index(var)
        return [let.args[i], let.op.body.results[i]] if i < let.op.carries else None
    return None


def holds_numbers(a: Any) -> bool:
    """True for lists of numbers, nested ones too."""
    return isinstance(a, List) and (isinstance(a.item, (Real, Int, Bool)) or holds_numbers(a.item))


def floats_in(block: Block) -> set[str]:
    """The dtypes of the floats that arrays of a block may have: those of its arrays, in lists too, and of its numbers
    that are shorter than doubles, since a product of one and an array of integers has its dtype."""
    found = set[str]()
    for here in blocks_in(block):
        for v in (*here.params, *here.results, *[v for let in here.lets for v in (*let.args, *let.targets)]):
            a = v.object
            while isinstance(a, List):
                a = a.item
            if isinstance(a, Array) and a.is_real:
                found.add(a.dtype)
            elif isinstance(a, Real) and a.kind not in ("float", "float64", "any", "fraction"):
                found.add(a.kind)
    return found


def owner_of(param: Var) -> Let | None:
    """The let whose block takes a parameter; None for a parameter of the program."""
    return None if param.home is None else param.home.owner


def made_of_whole(var: Var) -> Rule:
    """The operation that made a variable gives integers where it is given integers only."""
    let = var.definition
    if let is None:
        owner = owner_of(var)
        return isinstance(var.object, Real) and owner is not None and isinstance(owner.op, (Lambda, Loop, While))
    if not isinstance(let.op, Apply):
        return isinstance(var.object, Real)
    if isinstance(var.object, Real) or any([isinstance(a.object, (List, Map, Product)) for a in let.args]):
        by = real_by(let.op.primitive, tuple([a.object for a in let.args]), let.op.params)
        if by is None:
            return isinstance(var.object, Real) or any(holds_numbers(a.object) for a in let.args)
        return (all, [let.args[i] for i in by]) if by else False
    real = [i for i, a in enumerate(let.args) if is_real(a.object)]
    return (partial(integers_from, let, real), [let.args[i] for i in real]) if real else False


def integers_from(let: Let, positions: Sequence[int], whole: Iterable[bool]) -> bool:
    """Whether an operation that makes an array of numbers and arrays gives integers, or shorter floats, where the reals
    at some positions are `whole`: it does so of no others. What it is made of is asked where one is."""
    found = {i for i, holds in zip(positions, whole, strict=True) if holds}
    if not found or not isinstance(let.op, Apply):
        return False
    by = real_by(let.op.primitive, tuple([a.object for a in let.args]), let.op.params)
    if by == ():
        return any(isinstance(let.args[i].object, Array) for i in found)
    return by is not None and found.issuperset(by)
