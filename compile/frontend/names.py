"""Names of Python: which a function binds, and which of its syntax are read.

>>> tree = ast.parse("def f(x):\\n    y = x\\n    g = lambda z: (w := z)\\n    return y")
>>> sorted(local_names(tree.body[0]))
['g', 'x', 'y']
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LEAVES = {"ctx", "op", "ops"}
"""Fields of syntax that stand for no part of it."""
BODIES = ("body", "handlers", "orelse", "finalbody", "cases")
"""Fields of statements that have statements."""
_fields: dict[type, tuple[str, ...]] = {}
SCOPES = {ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef}
NODES = {kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)}
"""All classes of nodes."""
NAMED: dict[type, Callable[[Any], str | None]] = {
    ast.Name: lambda node: None if type(node.ctx) is ast.Load else node.id,
    ast.alias: lambda node: (node.asname or node.name).partition(".")[0],
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), lambda node: node.name),
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), lambda node: node.name),
    ast.MatchMapping: lambda node: node.rest,
}
"""By the class of a node that may bind a name: that name, if there is one."""


def assigned(body: Sequence[ast.AST]) -> list[str]:
    """The names that statements may bind in their own scope, in order."""
    return bound(in_scope(body))


def bound(parts: Sequence[ast.AST]) -> list[str]:
    """The names that some syntax binds, in order."""
    return list({name: None for part in parts if type(part) in NAMED and (name := NAMED[type(part)](part))})


def in_scope(body: Sequence[ast.AST]) -> list[ast.AST]:
    """The syntax in the scope of statements, in order: functions inside it among them, but not what is in these."""
    found: list[ast.AST] = []
    todo = list(reversed(body))
    while todo:
        part = todo.pop()
        found.append(part)
        todo += reversed(same_scope(part))
    return found


def changed(parts: Sequence[ast.AST]) -> list[str]:
    """The names that the syntax of a scope may bind, or whose arrays it may assign into."""
    found = dict.fromkeys(bound(parts))
    for node in reversed(parts):
        if type(node) is ast.Subscript and type(node.ctx) is ast.Store and type(node.value) is ast.Name:
            found.setdefault(node.value.id)
    return list(found)


def rebound(parts: Sequence[ast.AST]) -> list[str]:
    """The names that the syntax of a scope may bind, those left out that `+=` and its like alone store to."""
    inside = [inner for part in parts if type(part) in SCOPES for inner in ast.walk(part)]
    targets = {n.target for n in (*parts, *inside) if type(n) is ast.AugAssign}
    found = {n.id for n in (*parts, *inside) if type(n) is ast.Name and type(n.ctx) is ast.Store and n not in targets}
    return [name for name in bound(parts) if name in found]


def same_scope(node: ast.AST) -> Sequence[ast.AST]:
    """The parts of a node that are evaluated where the node stands: of a function its defaults and decorators only."""
    kind: Any = type(node)
    if kind in (ast.Name, ast.Constant):
        return ()
    if kind in FUNCTIONS.__args__:
        spec: Any = node.args  # type: ignore[attr-defined]
        defaults = [d for d in [*spec.defaults, *spec.kw_defaults] if d is not None]
        return [*getattr(node, "decorator_list", []), *defaults]
    if kind is ast.ClassDef:
        return [*node.decorator_list, *node.bases]  # type: ignore[attr-defined]
    return children(node)


def statements_in(node: ast.AST) -> list[ast.AST]:
    """The statements right inside a statement, and its cases; a function or class is a scope of its own."""
    return [] if type(node) in SCOPES else [part for name in BODIES for part in getattr(node, name, ())]


def children(node: ast.AST) -> list[ast.AST]:
    """The parts of a node, without what stands for none."""
    kind = type(node)
    fields = _fields.get(kind)
    if fields is None:
        fields = _fields[kind] = tuple([name for name in kind._fields if name not in LEAVES])
    found: list[ast.AST] = []
    for name in fields:
        part = getattr(node, name, None)
        if type(part) is list:
            found += [inner for inner in part if type(inner) in NODES]
        elif type(part) in NODES:
            found.append(part)  # type: ignore[arg-type]
    return found


def parameters(node: Any) -> list[ast.arg]:
    """All parameters of a function, in the order in which Python lists its local variables."""
    spec = node.args
    extra = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *extra]


@lru_cache(maxsize=4096)
def local_names(node: Any) -> frozenset[str]:
    """The names that are local to a function: its parameters and what its body binds."""
    return (frozenset([a.arg for a in parameters(node)]) | frozenset(bound(own_parts(node)))) - written_outside(node)


@lru_cache(maxsize=64)
def own_parts(node: Any) -> list[ast.AST]:
    """The syntax of a function's own scope."""
    return in_scope([node.body] if isinstance(node, ast.Lambda) else node.body)


@lru_cache(maxsize=4096)
def written_outside(node: Any) -> frozenset[str]:
    """The names that a function declares `nonlocal`."""
    return frozenset([name for part in own_parts(node) if isinstance(part, ast.Nonlocal) for name in part.names])


def functions_in(parts: Sequence[ast.AST]) -> list[ast.AST]:
    """The functions among parts of a scope, and the methods of classes among them: a class is no scope around these."""
    found: list[ast.AST] = []
    for part in parts:
        if isinstance(part, FUNCTIONS):
            found.append(part)
        elif isinstance(part, ast.ClassDef):
            found += functions_in(in_scope(part.body))
    return found


@lru_cache(maxsize=4096)
def written_within(node: Any) -> frozenset[str]:
    """The names from around a function that functions inside it declare `nonlocal`, its own among them."""
    inside = functions_in(own_parts(node))
    return frozenset([n for part in inside for n in written_outside(part) | (written_within(part) - local_names(part))])


@lru_cache(maxsize=4096)
def cell_names(node: Any) -> frozenset[str]:
    """The local names of a function that functions inside it write to."""
    return written_within(node) & local_names(node)


def binds_once(node: Any, name: str) -> bool:
    """True where a name of a function is bound in one place that runs at most once: a parameter, or one statement
    outside of loops."""
    if node is None:
        return False
    count = sum(a.arg == name for a in parameters(node))
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    todo: list[tuple[ast.AST, bool]] = [(part, False) for part in body]
    while todo:
        here, looping = todo.pop()
        looping = looping or isinstance(here, (ast.For, ast.While, ast.comprehension))
        count += (2 if looping else 1) if binds(here, name) else 0
        todo += [(inner, looping) for inner in same_scope(here)]
    return count <= 1


def binds_behind(node: Any, name: str, at: ast.AST) -> bool:
    """True where a function may bind a name by a statement or behind it: later in its text, or in a loop around it."""
    todo: list[tuple[ast.AST, bool]] = [(part, False) for part in node.body]
    while todo:
        here, around = todo.pop()
        around = around or (isinstance(here, (ast.For, ast.While)) and any(part is at for part in ast.walk(here)))
        if binds(here, name) and (around or place(here) >= place(at)):
            return True
        todo += [(inner, around) for inner in same_scope(here)]
    return False


def place(node: Any) -> tuple[int, int]:
    """Where a node stands in its file."""
    return node.lineno, node.col_offset


def binds(here: ast.AST, name: str) -> bool:
    """True for what binds a name."""
    return (isinstance(here, ast.Name) and here.id == name and isinstance(here.ctx, (ast.Store, ast.Del))) or (
        isinstance(here, (FUNCTIONS, ast.ClassDef)) and getattr(here, "name", None) == name)


@lru_cache(maxsize=4096)
def free_names(node: Any) -> frozenset[str]:
    """The names that the body of a function reads and that are not local to it."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    return frozenset().union(*map(read_names, body)) - local_names(node)


@lru_cache(maxsize=4096)
def read_names(node: Any) -> frozenset[str]:
    """The names that a function and those inside it read, or declare as those of functions around them."""
    parts = list(ast.walk(node))
    read = [n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return frozenset([*read, *[name for n in parts if isinstance(n, ast.Nonlocal) for name in n.names]])


@lru_cache(maxsize=4096)
def handed_on(node: Any) -> str | None:
    """The parameter `**options` of a function that does nothing with the dict but hand its entries on, `f(**options)`,
    and read those of constant keys: nobody else ever sees the dict, and it never changes."""
    if node.args.kwarg is None:
        return None
    name, parts = node.args.kwarg.arg, own_parts(node)
    seen = [part.value for part in parts if isinstance(part, ast.keyword) and part.arg is None] + [
        part.value for part in parts if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load)
        and isinstance(part.slice, ast.Constant)]
    uses = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
    return name if all(any(part is use for use in seen) for part in uses) else None


def untupled(node: ast.expr) -> ast.expr:
    """A tuple around stars as a list: where it is iterated at once, nobody sees its class.

    >>> ast.unparse(untupled(ast.parse("(*xs, 1)", mode="eval").body))
    '[*xs, 1]'
    """
    if not isinstance(node, ast.Tuple) or not any([isinstance(part, ast.Starred) for part in node.elts]):
        return node
    return ast.copy_location(ast.List(node.elts, node.ctx), node)


def written(text: str, node: ast.AST) -> list[ast.stmt]:
    """The statements of a text at the place of a node."""
    body = ast.parse(text).body
    for statement in body:
        for inner in ast.walk(statement):
            if isinstance(inner, (ast.expr, ast.stmt)):
                ast.copy_location(inner, node)
    return body


def located(made: Any, node: ast.AST) -> Any:
    """A made node at the place of another."""
    for inner in ast.walk(made):
        if isinstance(inner, (ast.expr, ast.stmt)) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return made


class Own(ast.NodeTransformer):
    """Changes the statements of a function, but not those of functions inside."""

    def statements(self, statement: ast.stmt) -> list[ast.stmt]:
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node
