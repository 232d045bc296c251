"""Functions of a program that are called and nothing else: what they take and give may change with their calls.

>>> from ccc.compile.frontend.elaborate import program_of
>>> def f(x, n):
...     def go(i):
...         return x if i == 0 else go(i - 1)
...     return go(n)
>>> program = program_of(f, (2.0, 3))
>>> [(str(function), len(calls)) for function, calls in calls_of(program.block, program.result).items()]
[('go', 2)]
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Atom, Block, Call, Lambda, Let, Tree, Var, blocks_in, leaves
from ccc.objects import Exponential, Object, Product


def calls_of(block: Block, result: Tree) -> dict[Var, list[Let]]:
    """The calls of each nested function that is called and nothing else."""
    blocks = blocks_in(block)
    lets = [let for here in blocks for let in here.lets]
    calls: dict[Any, list[Let]] = {let.targets[0]: [] for let in lets if isinstance(let.op, Lambda)}
    if not calls:
        return calls
    for let in lets:
        given = let.args
        if isinstance(let.op, Call) and isinstance(let.args[0], Var):
            calls.get(let.args[0], []).append(let)
            given = let.args[1:]
        for x in given:
            calls.pop(x, None)
    for x in [*leaves(result), *[x for here in blocks for x in (*here.results, *leaves(here.tree))]]:
        calls.pop(x, None)
    return calls


def body_of(function: Atom) -> Block:
    """The body of a function that a program makes."""
    assert isinstance(function, Var) and function.definition is not None
    (body,) = function.definition.op.blocks
    return body


def parts_of(a: Object, many: int) -> list[Object] | None:
    """The types of so many arguments or results, where `a` is that of all of them; None where it has others."""
    found = [a] if many == 1 and not isinstance(a, Product) else list(a.parts) if isinstance(a, Product) else []
    return found if len(found) == many else None


def is_plain(function: Var) -> bool:
    """Whether arguments and results of a function may be left out: its type names each, and nothing else does."""
    body, a = body_of(function), function.object
    assert isinstance(a, Exponential)
    return body.claim is None and body.tree is None and (
        parts_of(a.dom, len(body.params)) is not None and parts_of(a.cod, len(body.results)) is not None)


def keep(function: Var, calls: list[Let], params: list[int], results: list[int]) -> None:
    """Leave out all parameters and results of a function but these, in its calls as well."""
    body, a = body_of(function), function.object
    assert isinstance(a, Exponential)
    sides: list[Object] = []
    for of, atoms, kept in (a.dom, body.params, params), (a.cod, body.results, results):
        parts = parts_of(of, len(atoms))
        assert parts is not None
        left = [parts[i] for i in kept]
        sides.append(of if len(kept) == len(atoms) else left[0] if len(left) == 1 else Product(tuple(left)))
    function.object = Exponential(*sides)
    body.params, body.results = [body.params[i] for i in params], [body.results[i] for i in results]
    for let in calls:
        let.args = [let.args[0], *[let.args[1 + i] for i in params]]
        let.targets = [let.targets[i] for i in results]
