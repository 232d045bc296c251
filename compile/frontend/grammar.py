"""Which of Python's syntax a differentiated function may hold: every class of `ast`, with the code that refuses it.

>>> REFUSED["Try"], "For" in REFUSED
('CC003', False)
>>> tree = ast.parse("def f(x):\\n    try: pass\\n    finally: yield x")
>>> [found.code for found in refused_in(tree, span_of=lambda node: None)]
['CC003', 'CC004']
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.diagnostics import Diagnostic

REFUSED: dict[str, str] = {
    "Set": "CC003", "SetComp": "CC003", "Await": "CC003", "Yield": "CC004", "YieldFrom": "CC004",
    "AsyncFunctionDef": "CC003", "AsyncFor": "CC003", "AsyncWith": "CC003", "ClassDef": "CC003", "With": "CC003",
    "Try": "CC003", "TryStar": "CC003", "Import": "CC003", "ImportFrom": "CC003", "Global": "CC012",
    "TypeAlias": "CC003", "TemplateStr": "CC003", "Interpolation": "CC003",
}  # fmt: skip
"""The classes of expressions and statements that are refused, of Python 3.11 to 3.14; all others are accepted."""

ACCEPTED: tuple[str, ...] = (
    "BoolOp", "NamedExpr", "BinOp", "UnaryOp", "Lambda", "IfExp", "Dict", "ListComp", "DictComp", "GeneratorExp",
    "Compare", "Call", "FormattedValue", "JoinedStr", "Constant", "Attribute", "Subscript", "Starred", "Name", "List",
    "Tuple", "Slice", "FunctionDef", "Return", "Delete", "Assign", "AugAssign", "AnnAssign", "For", "While", "If",
    "Match", "Raise", "Assert", "Nonlocal", "Expr", "Pass", "Break", "Continue",
    "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "MatMult", "BitAnd", "BitOr", "BitXor", "LShift", "RShift",
    "UAdd", "USub", "Not", "Invert", "And", "Or", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn",
    "Load", "Store", "Del", "arguments", "arg", "keyword", "alias", "withitem", "comprehension", "match_case",
    "MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar", "MatchAs", "MatchOr",
    "Module", "Interactive", "Expression", "FunctionType", "ExceptHandler", "TypeIgnore", "TypeVar", "ParamSpec",
    "TypeVarTuple",
)  # fmt: skip
"""The classes that are accepted; `ExceptHandler` and what only annotations hold stand in others and mean nothing."""

SOMETIMES: dict[str, str] = {
    "Set": "`x in {1, 2}`, of known items",
    "With": "`np.errstate(...)` of known modes, `contextlib.nullcontext()`",
}
"""What is accepted of classes that are refused otherwise."""

MENDS: dict[str, tuple[str, str]] = {
    "SetComp": ("set comprehensions are not supported", "use a tuple"),
    "Await": ("`await` is not supported", "call the function directly"),
    "Yield": ("`yield` makes this a generator; derivatives need a returned value",
              "collect the values in a tuple and return it"),
    "YieldFrom": ("`yield from` makes this a generator; derivatives need a returned value",
                  "collect the values in a tuple and return it"),
    "AsyncFunctionDef": ("`async` is not supported in a differentiated function", "use `def`"),
    "AsyncFor": ("`async for` is not supported in a differentiated function", "use `for`"),
    "AsyncWith": ("`async with` is not supported in a differentiated function", "move it to the caller"),
    "ClassDef": ("a class cannot be defined inside a differentiated function", "move it to the module"),
    "Try": ("`try` is not supported in a differentiated function",
            "test first: `y = np.sqrt(x) if x > 0 else 0.0`, or move the try to the caller"),
    "TryStar": ("`try` is not supported in a differentiated function", "move it to the caller"),
    "With": ("`with` is not supported in a differentiated function", "move it to the caller"),
    "Import": ("`import` is not supported in a differentiated function", "import at the top of the file"),
    "ImportFrom": ("`import` is not supported in a differentiated function", "import at the top of the file"),
    "Global": ("`global` writes a variable outside of the function", "return the value instead: `return y, total`"),
}
"""What is said of a refused class, and what to write instead."""


def message_for(name: str) -> tuple[str, str, str]:
    """The code of a refused class, what is said of it, and what to write instead.

    >>> message_for("Import")
    ('CC003', '`import` is not supported in a differentiated function', 'import at the top of the file')
    """
    text, mend = MENDS.get(name, (f"`{name}` is not supported here", "write it with simpler statements"))
    return REFUSED.get(name, "CC003"), text, mend


def refused_in(tree: ast.AST, span_of: Callable[[Any], Any]) -> Iterator[Diagnostic]:
    """What surely is refused of a function, wherever it stands in it."""
    for node in ast.walk(tree):
        name = type(node).__name__
        if name in REFUSED and name not in SOMETIMES and name != "Interpolation":
            code, message, mend = message_for(name)
            yield Diagnostic(code, message, span_of(node), help=mend)


def table() -> str:
    """The classes of the syntax as a table in Markdown."""
    rows = ["| class of `ast` | |", "| --- | --- |"]
    rows.append(f"| {', '.join(f'`{name}`' for name in ACCEPTED)} | accepted |")
    for name, code in REFUSED.items():
        rows.append(f"| `{name}` | {code}{f'; accepted: {SOMETIMES[name]}' if name in SOMETIMES else ''} |")
    return "\n".join(rows)
