"""Single-point mutations of a module's source: each is one small mistake of the kind that derivatives suffer from.

The operators work on the syntax tree, and a mutant is the source with one expression or statement replaced; nothing is
chosen by hand. A mutant is known by where it is and what it changes, not by its line, so a list of them survives edits.

>>> source = "def fork(f, g, x):\\n    return add(f(x), g(x))\\n"
>>> for mutant in mutants_of("example", source):
...     print(mutant)
fork: add(f(x), g(x)) -> f(x)  [dropped summand]
fork: add(f(x), g(x)) -> g(x)  [dropped summand]
fork: add(f(x), g(x)) -> add(add(f(x), g(x)), g(x))  [doubled summand]
>>> print(mutants_of("example", source)[1].applied(source), end="")
def fork(f, g, x):
    return g(x)

References: Richard DeMillo, Richard Lipton and Frederick Sayward, *Hints on Test Data Selection* (Computer, 1978).
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

Replacement = tuple[ast.AST, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """One replacement in the source of a module: the bytes from `start` to `end` become `after`."""

    module: str
    where: str
    operator: str
    before: str
    after: str
    line: int
    start: int
    end: int
    turn: int = 0

    @property
    def identity(self) -> str:
        """What it is known by: place, operator and change, with a number where that is not enough."""
        turn = f" #{self.turn + 1}" if self.turn else ""
        return f"{self.module}:{self.where}: {self.change}  [{self.operator}]{turn}"

    @property
    def change(self) -> str:
        """Before and after, in one line."""
        return " -> ".join([" ".join(text.split()) for text in (self.before, self.after)])

    def __str__(self) -> str:
        return self.identity.removeprefix(f"{self.module}:")

    def applied(self, source: str) -> str:
        """The source of the mutant.

        >>> Mutant("m", "f", "wrong index", "x[0]", "x[1]", 1, 4, 8).applied("y = x[0]")
        'y = x[1]'
        """
        data = source.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()

    def rank(self, seed: int) -> str:
        """Where it comes in a sample: pseudo-random, the same in every process, and independent of other mutants."""
        return hashlib.sha256(f"{seed} {self.identity}".encode()).hexdigest()


def mutants_of(module: str, source: str, within: str = "") -> list[Mutant]:
    """The mutants of a source in the order of the text, those of the functions whose name matches `within`.

    >>> [mutant.after for mutant in mutants_of("m", "def f(x):\\n    return x[0]\\ndef g(x):\\n    return x[1]", "g")]
    ['x[0]']
    >>> mutants_of("m", "A = frozenset((x, y))")
    []
    """
    return [mutant for mutant in _Enumeration(module, source).found() if re.fullmatch(within or ".*", mutant.where)]


class _Enumeration:
    def __init__(self, module: str, source: str) -> None:
        self.module = module
        self.data = source.encode()
        self.tree = ast.parse(source)
        self.orderless = {id(arg) for node in ast.walk(self.tree) if isinstance(node, ast.Call)
                          and _called(node) in ORDERLESS for arg in node.args}
        self.lines = [0]
        for line in self.data.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return self.lines[first - 1] + node.col_offset, self.lines[last - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def found(self) -> list[Mutant]:
        known: Counter[str] = Counter()
        spans: set[tuple[int, int, str]] = set()
        result: list[Mutant] = []
        for where, node in _nodes(self.tree):
            for operator, mutate in OPERATORS.items():
                if operator == "swapped components" and id(node) in self.orderless:
                    continue
                for at, after in mutate(node, self.text, where):
                    start, end = self.span(at)
                    if after == self.text(at) or (start, end, after) in spans:
                        continue
                    if after == "ZERO" and b"ZERO" not in self.data:
                        continue
                    spans.add((start, end, after))
                    line = at.lineno  # type: ignore[attr-defined]
                    made = Mutant(self.module, where, operator, self.text(at), after, line, start, end)
                    result.append(replace(made, turn=known[made.identity]))
                    known[made.identity] += 1
        return result


SKIPPED = re.compile(r"__(repr|str|hash|init_subclass)__")


def _nodes(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every node that computes something, with the name of the function or the table that it is in."""

    def within(node: ast.AST, where: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                if not SKIPPED.search(child.name):
                    for part in child.body[1:] if ast.get_docstring(child) is not None else child.body:
                        yield from visited(part, f"{where}.{child.name}".lstrip("."))
            else:
                yield from visited(child, where)

    def visited(node: ast.AST, where: str) -> Iterator[tuple[str, ast.AST]]:
        if isinstance(node, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.arguments)) or (
            isinstance(node, ast.keyword) and node.arg == "strict"
        ):
            return  # what the code says of itself, and what it refuses
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if not SKIPPED.search(node.name):
                for part in node.body[1:] if ast.get_docstring(node) is not None else node.body:
                    yield from visited(part, f"{where}.{node.name}".lstrip("."))
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from visited(node.value, where or _target(node.target))
            return
        if isinstance(node, ast.Assign) and not where:
            yield from visited(node.value, _target(node.targets[0]))
            return
        yield where, node
        if isinstance(node, ast.If) and _only_refuses(node):
            return
        yield from within(node, where)

    for name, node in within(tree, ""):
        if name and not name.startswith("__"):
            yield name, node


def _target(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _only_refuses(node: ast.If) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse


# -- the operators ---------------------------------------------------------------------------------------------------

Text = Callable[[ast.AST], str]
COMMUTE = frozenset({
    "Primitive", "add", "zip", "isinstance", "getattr", "map", "dict", "join", "Label", "Block", "range", "replace",
})


def swapped_components(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """`(a, b)` as `(b, a)`, in a value and in what is assigned to."""
    if isinstance(node, ast.Tuple):
        for i in range(len(node.elts) - 1):
            a, b = node.elts[i], node.elts[i + 1]
            if not isinstance(a, ast.Starred) and not isinstance(b, ast.Starred) and not _classes(node):
                if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
                    continue
                parts = [text(e) for e in node.elts]
                parts[i : i + 2] = parts[i + 1], parts[i]
                joined = ", ".join(parts)
                yield node, f"({joined})" if text(node).startswith("(") else joined


def swapped_arguments(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """`f(a, b)` as `f(b, a)` where `f` does not commute."""
    if isinstance(node, ast.Call) and _called(node) not in COMMUTE:
        for i in range(len(node.args) - 1):
            a, b = node.args[i], node.args[i + 1]
            if not isinstance(a, ast.Starred) and not isinstance(b, (ast.Starred, ast.Lambda)) and text(a) != text(b):
                if isinstance(b, ast.Constant) or isinstance(a, ast.Constant):
                    continue
                parts = [text(e) for e in node.args]
                parts[i : i + 2] = parts[i + 1], parts[i]
                keywords = [f"{k.arg}={text(k.value)}" if k.arg else f"**{text(k.value)}" for k in node.keywords]
                yield node, f"{text(node.func)}({', '.join(parts + keywords)})"


def wrong_index(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """A component beside the right one; a bound or a count that is one off."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            yield node, f"{text(node.value)}[{1 - node.slice.value if node.slice.value in (0, 1) else 0}]"
        elif isinstance(node.slice, ast.Slice):
            if node.slice.step is None:
                for bound in (node.slice.lower, node.slice.upper):
                    if bound is not None:
                        yield bound, f"{text(bound)} + 1"
        elif isinstance(node.slice, ast.Name) and node.slice.id in ("index", "i", "position", "count"):
            yield node, f"{text(node.value)}[{node.slice.id} - 1]"
    elif isinstance(node, ast.Call) and _called(node) in ("Proj", "parts") and len(node.args) == 2:
        index = node.args[1]
        if isinstance(index, ast.Constant) and isinstance(index.value, int) and _called(node) == "Proj":
            yield index, str(1 - index.value)
    elif isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        yield node, text(node.left)
    elif isinstance(node, ast.Dict) and len(node.keys) == 1 and isinstance(node.keys[0], ast.Name):
        yield node.keys[0], f"{text(node.keys[0])} - 1"


def dropped_summand(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """`add(a, b)` and `a + b` as `a` or `b`."""
    for a, b in _sum(node):
        yield node, text(a)
        yield node, text(b)


def doubled_summand(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """`add(a, b)` as `add(add(a, b), b)`."""
    for _, b in _sum(node):
        if isinstance(node, ast.Call):
            yield node, f"{text(node.func)}({text(node)}, {text(b)})"


def zero_cotangent(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """What a pullback gives as zero."""
    if isinstance(node, ast.Call) and _called(node) in PULLBACKS:
        yield node, "ZERO"
    pulls = re.search(r"pullback$|_pb$|^back$|pack$", where.rpartition(".")[2])
    if pulls and isinstance(node, ast.Return) and node.value is not None:
        yield node.value, "ZERO"
    if isinstance(node, ast.Lambda) and any(arg.arg in ("gr", "ct", "g") for arg in node.args.args):
        yield node.body, "ZERO"


PULLBACKS = frozenset({"pb", "pullback", "pulled"})


def order(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """Pullbacks, elements or a loop taken the other way round."""
    if isinstance(node, ast.Call) and _called(node) == "reversed":
        yield node, text(node.args[0])
    if isinstance(node, ast.Subscript) and text(node).endswith("[::-1]"):
        yield node, text(node.value)
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
        yield node.iter, f"list({text(node.iter)})[::-1]"
    for made in _in_order(node):
        for comprehension in made.generators:
            if isinstance(comprehension.iter, ast.Name):
                yield comprehension.iter, f"list({text(comprehension.iter)})[::-1]"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value)
    if isinstance(node, ast.Call):
        for i, arg in enumerate([*node.args, *[k.value for k in node.keywords]]):
            if re.search(r"(^|\.)reverse$", text(arg)):
                yield arg, f"not {text(arg)}"
            elif i and isinstance(arg, ast.UnaryOp) and isinstance(arg.op, ast.Not):
                yield arg, text(arg.operand)


def swapped_branches(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """A test taken the other way."""
    if isinstance(node, ast.IfExp):
        yield node, f"({text(node.orelse)}) if {text(node.test)} else ({text(node.body)})"
    if isinstance(node, ast.If) and not _only_refuses(node):
        yield node.test, f"not ({text(node.test)})"


def dropped_case(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """A case, a condition of a test, or a filter that is forgotten."""
    if isinstance(node, ast.If) and not node.orelse:
        yield node.test, "False"
    if isinstance(node, ast.BoolOp):
        for i in range(len(node.values)):
            rest = [text(value) for j, value in enumerate(node.values) if j != i]
            yield node, f"({(' and ' if isinstance(node.op, ast.And) else ' or ').join(rest)})"
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True"


def off_by_one(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """`<` for `<=` and so on, and counts that are one off."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        wrong = OFF.get(type(node.ops[0]))
        if wrong:
            yield node, f"{text(node.left)} {wrong} {text(node.comparators[0])}"


OFF: dict[type, str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


def forgotten(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """A scaling, a trimming, a sealing or another step that is left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield node, text(node.left)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node, text(node.operand)
    if isinstance(node, ast.Call):
        name = _called(node)
        if name in WRAPPERS and node.args and not isinstance(node.args[-1], ast.Starred):
            yield node, text(node.args[-1 if name == "inside" else 0])
        if name == "compose" and len(node.args) > 1:
            for i in range(len(node.args)):
                rest = [text(arg) for j, arg in enumerate(node.args) if j != i]
                yield node, f"{text(node.func)}({', '.join(rest)})"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield node, "pass"
    if isinstance(node, ast.AugAssign):
        yield node, "pass"
    kept = isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Subscript, ast.Attribute))
    if kept and not where.endswith("__init__"):
        yield node, "pass"


WRAPPERS = frozenset({
    "dense", "settled", "zero_of", "shaped", "sorted", "pack", "unpack", "filled", "_widened", "padded",
})


def wrong_environment(node: ast.AST, text: Text, where: str) -> Iterator[Replacement]:
    """A value of the closure that stands beside the right one."""
    if isinstance(node, ast.Call):
        for arg in node.args:
            for inner in (arg.elts if isinstance(arg, ast.Tuple) else [arg]):
                beside = BESIDE.get(text(inner)) if isinstance(inner, ast.Name) else None
                if beside is not None:
                    yield inner, beside


BESIDE = {"t": "s", "then": "orelse", "orelse": "then", "init": "last", "last": "init", "kept": "list(scope.variables)"}


OPERATORS: dict[str, Callable[[ast.AST, Text, str], Iterator[Replacement]]] = {
    "swapped components": swapped_components, "swapped arguments": swapped_arguments, "wrong index": wrong_index,
    "dropped summand": dropped_summand, "doubled summand": doubled_summand, "zero cotangent": zero_cotangent,
    "order": order, "swapped branches": swapped_branches, "dropped case": dropped_case, "off by one": off_by_one,
    "forgotten step": forgotten, "wrong environment": wrong_environment,
}


ORDERLESS = frozenset({"any", "all", "sum", "min", "max", "set", "frozenset", "dict"})


def _in_order(node: ast.AST) -> list[ast.ListComp | ast.GeneratorExp]:
    """The comprehensions that are arguments of a call, or a value, whose order is read."""
    if isinstance(node, ast.Call) and _called(node) in ORDERLESS:
        return []
    return [part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.ListComp, ast.GeneratorExp))]


def _sum(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Call) and _called(node) == "add" and len(node.args) == 2:
        yield node.args[0], node.args[1]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not isinstance(node.right, ast.Constant):
        yield node.left, node.right


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _classes(node: ast.Tuple) -> bool:
    """True for the tuple of classes of an `isinstance`, in which order means nothing."""
    return all(isinstance(e, ast.Name) and e.id[:1].isupper() for e in node.elts)
