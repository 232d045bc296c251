"""Which of Python's syntax a differentiated function may hold: every class of `ast`, with the code that refuses it.

>>> REFUSED["TryStar"], "For" in REFUSED
('CC003', False)
>>> tree = ast.parse("def f(x):\\n    async with x: pass\\n    yield x")
>>> [found.code for found in refused_in(tree, span_of=lambda node: None)]
['CC003', 'CC004']
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.diagnostics import Diagnostic
from ccc.compile.frontend.names import FUNCTIONS, own_parts

REFUSED: dict[str, str] = {
    "Await": "CC003", "Yield": "CC004", "YieldFrom": "CC004",
    "AsyncFunctionDef": "CC003", "AsyncFor": "CC003", "AsyncWith": "CC003", "With": "CC003",
    "TryStar": "CC003",
    "TypeAlias": "CC003", "TemplateStr": "CC003", "Interpolation": "CC003",
}  # fmt: skip
"""The classes of expressions and statements that are refused, of Python 3.11 to 3.14; all others are accepted."""

ACCEPTED: tuple[str, ...] = (
    "BoolOp", "NamedExpr", "BinOp", "UnaryOp", "Lambda", "IfExp", "Dict", "Set", "ListComp", "SetComp", "DictComp",
    "GeneratorExp", "Compare", "Call", "FormattedValue", "JoinedStr", "Constant", "Attribute", "Subscript",
    "Starred", "Name", "List", "Tuple", "Slice", "FunctionDef", "ClassDef", "Return", "Delete", "Assign", "AugAssign",
    "AnnAssign", "For", "While", "If", "Match", "Try", "Import", "ImportFrom", "Raise", "Assert",
    "Nonlocal", "Global", "Expr", "Pass", "Break", "Continue",
    "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "MatMult", "BitAnd", "BitOr", "BitXor", "LShift",
    "RShift", "UAdd", "USub", "Not", "Invert", "And", "Or", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot",
    "In", "NotIn", "Load", "Store", "Del", "arguments", "arg", "keyword", "alias", "withitem", "comprehension",
    "match_case", "MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar",
    "MatchAs", "MatchOr", "Module", "Interactive", "Expression", "FunctionType", "ExceptHandler", "TypeIgnore",
    "TypeVar", "ParamSpec", "TypeVarTuple",
)  # fmt: skip
"""The classes that are accepted; `ExceptHandler` and what only annotations hold stand in others and mean nothing."""

SOMETIMES: dict[str, str] = {
    "Yield": "in a function that is called", "YieldFrom": "in a function that is called",
    "With": "objects with `__enter__` and `__exit__`, functions under `contextlib.contextmanager`, "
            "`contextlib.suppress`, `contextlib.nullcontext`, `np.errstate(...)` of known modes, locks and their like",
}
"""What is accepted of classes that are refused otherwise."""

MENDS: dict[str, tuple[str, str]] = {
    "Await": ("`await` is not supported", "call the function directly"),
    "Yield": ("`yield` makes this a generator; derivatives need a returned value",
              "collect the values in a tuple and return it"),
    "YieldFrom": ("`yield from` makes this a generator; derivatives need a returned value",
                  "collect the values in a tuple and return it"),
    "AsyncFunctionDef": ("`async` is not supported in a differentiated function", "use `def`"),
    "AsyncFor": ("`async for` is not supported in a differentiated function", "use `for`"),
    "AsyncWith": ("`async with` is not supported in a differentiated function", "move it to the caller"),
    "TryStar": ("`except*` is not supported in a differentiated function", "move it to the caller"),
    "With": ("`with` is not supported in a differentiated function", "move it to the caller"),
}
"""What is said of a refused class, and what to write instead."""


def message_for(name: str) -> tuple[str, str, str]:
    """The code of a refused class, what is said of it, and what to write instead.

    >>> message_for("With")
    ('CC003', '`with` is not supported in a differentiated function', 'move it to the caller')
    """
    text, mend = MENDS.get(name, (f"`{name}` is not supported here", "write it with simpler statements"))
    return REFUSED.get(name, "CC003"), text, mend


def refused_in(tree: ast.AST, span_of: Callable[[Any], Any]) -> Iterator[Diagnostic]:
    """What surely is refused of a function, wherever it stands in it."""
    inner = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)][1:]
    generated = {part for node in inner for part in own_parts(node)}
    for node in ast.walk(tree):
        name = type(node).__name__
        if isinstance(node, (ast.Yield, ast.YieldFrom)) and node in generated:
            continue
        if name in REFUSED and (name not in SOMETIMES or name.startswith("Yield")) and name != "Interpolation":
            code, message, mend = message_for(name)
            yield Diagnostic(code, message, span_of(node), help=mend)


def table() -> str:
    """The classes of the syntax as a table in Markdown."""
    rows = ["| class of `ast` | |", "| --- | --- |"]
    rows.append(f"| {', '.join(f'`{name}`' for name in ACCEPTED)} | accepted |")
    for name, code in REFUSED.items():
        rows.append(f"| `{name}` | {code}{f'; accepted: {SOMETIMES[name]}' if name in SOMETIMES else ''} |")
    return "\n".join(rows)
