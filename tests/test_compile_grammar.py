"""The grammar: every class of Python's syntax is accepted or refused by a code, and a small function of any shape ends
in the value of plain Python, its exception, or a refusal of ours, and in nothing else."""

from __future__ import annotations

import ast
import copy
import re
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import same, value_of

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import grammar
from ccc.errors import CCCError

OK = "accepted"
SYNTAX: dict[str, tuple[str, str]] = {
    "BoolOp": (OK, "return x and 2.0"),
    "NamedExpr": (OK, "return (y := x) * y"),
    "BinOp": (OK, "return x * x"),
    "UnaryOp": (OK, "return -x"),
    "Lambda": (OK, "return (lambda y: y * x)(x)"),
    "IfExp": (OK, "return x if x > 0 else -x"),
    "Dict": (OK, "return {'a': x}['a']"),
    "Set": (OK, "return len({x}) * x"),
    "ListComp": (OK, "return sum([x for _ in range(2)])"),
    "SetComp": (OK, "return len({x for _ in range(2)}) * x"),
    "DictComp": (OK, "return sum({i: x * i for i in range(2)}.values())"),
    "GeneratorExp": (OK, "return sum(x for _ in range(2))"),
    "Await": ("CC003", "async def g(): await x\n    return x"),
    "Yield": ("CC004", "yield x"),
    "YieldFrom": ("CC004", "yield from (x,)"),
    "Compare": (OK, "return x * (0 < x < 5)"),
    "Call": (OK, "return abs(x)"),
    "FormattedValue": (OK, "return x if f'x = {x}' else x"),
    "JoinedStr": (OK, "return x if f'a' else x"),
    "Constant": (OK, "return 2.0 * x"),
    "Attribute": (OK, "return v.T[0] * x"),
    "Subscript": (OK, "return v[0] * x"),
    "Starred": (OK, "return max(*(x, 2.0))"),
    "Name": (OK, "return x"),
    "List": (OK, "return sum([x, x])"),
    "Tuple": (OK, "return (x, 2.0)[0]"),
    "Slice": (OK, "return v[1:].sum() * x"),
    "FunctionDef": (OK, "def g(y): return y * x\n    return g(x)"),
    "AsyncFunctionDef": ("CC003", "async def g(): return x\n    return x"),
    "ClassDef": (OK, "class C: k = 2.0\n    return C.k * x"),
    "Return": (OK, "return x"),
    "Delete": (OK, "y = x\n    del y\n    return x"),
    "Assign": (OK, "y = z = x\n    return y * z"),
    "AugAssign": (OK, "x *= 2\n    return x"),
    "AnnAssign": (OK, "y: float = x\n    return y"),
    "For": (OK, "for i in range(3): x = x * i\n    return x"),
    "AsyncFor": ("CC003", "async def g():\n        async for i in x: pass\n    return x"),
    "While": (OK, "while x < 9.0: x = 2 * x\n    return x"),
    "If": (OK, "if x > 0: x = 2 * x\n    return x"),
    "With": ("CC003", "with open(x): return x"),
    "AsyncWith": ("CC003", "async def g():\n        async with x: pass\n    return x"),
    "Match": (OK, "match x:\n        case _: return x"),
    "Raise": (OK, "if x < 0: raise ValueError\n    return x"),
    "Try": (OK, "try: return x\n    except ValueError: return 2.0 * x"),
    "TryStar": ("CC003", "try: x = 2 * x\n    except* ValueError: pass\n    return x"),
    "Assert": (OK, "assert x > 0\n    return x"),
    "Import": (OK, "import math\n    return math.sin(x)"),
    "ImportFrom": (OK, "from math import sin\n    return sin(x)"),
    "Global": (OK, "global math\n    return math.sin(x)"),
    "Nonlocal": (OK, "y = x\n    def g():\n        nonlocal y\n        y = 2 * x\n    g()\n    return y"),
    "Expr": (OK, "x * 2\n    return x"),
    "Pass": (OK, "pass\n    return x"),
    "Break": (OK, "for i in range(3): break\n    return x"),
    "Continue": (OK, "for i in range(3): continue\n    return x"),
    "TypeAlias": ("CC003", "type y = float\n    return x"),
    "TemplateStr": ("CC003", "y = t'a'\n    return x"),
    "Interpolation": ("CC003", "y = t'{x}'\n    return x"),
}
OLD = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "AugLoad", "AugStore", "Param", "Suite", "Index", "ExtSlice"}
OPERATORS = {
    "Add": "x + n", "Sub": "x - n", "Mult": "x * n", "Div": "x / n", "FloorDiv": "x // n", "Mod": "x % n",
    "Pow": "x ** n", "MatMult": "v @ v", "BitAnd": "n & 6", "BitOr": "n | 8", "BitXor": "n ^ 1", "LShift": "n << 2",
    "RShift": "n >> 1", "UAdd": "+x", "USub": "-x", "Not": "not x", "Invert": "~n", "And": "x and n", "Or": "x or n",
    "Eq": "x == n", "NotEq": "x != n", "Lt": "x < n", "LtE": "x <= n", "Gt": "x > n", "GtE": "x >= n",
    "Is": "x is None", "IsNot": "x is not None", "In": "2 in (1, 2)", "NotIn": "2 not in (1, 2)",
}


def functions(path: Path, bodies: list[str], parameters: str) -> list[types.FunctionType]:
    """A function for each body, in a file of their own."""
    text = "import math\nimport numpy as np\n\n\n" + "\n\n".join(
        f"def f{i}({parameters}):\n    {body}\n" for i, body in enumerate(bodies)
    )
    path.write_text(text)
    space: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), space)
    return [space[f"f{i}"] for i in range(len(bodies))]


def classes(base: type) -> set[str]:
    return {
        name for name, value in vars(ast).items()
        if isinstance(value, type) and issubclass(value, base) and value is not base and name not in OLD
        and not name.startswith("_")
    }


def test_the_table_of_the_documentation_is_the_one_of_the_compiler():
    text = (Path(__file__).resolve().parents[1] / "docs" / "language.md").read_text("utf-8")
    assert grammar.table() in text


def test_every_class_of_the_grammar_is_classified():
    known = set(grammar.ACCEPTED) | set(grammar.REFUSED)
    assert not set(grammar.ACCEPTED) & set(grammar.REFUSED)
    assert {name for name in classes(ast.AST) if not getattr(ast, name).__subclasses__()} <= known
    assert classes(ast.expr) | classes(ast.stmt) <= set(SYNTAX)
    assert {name: code for name, (code, _) in SYNTAX.items() if code != OK} == grammar.REFUSED
    assert {name for name, (code, _) in SYNTAX.items() if code == OK} <= set(grammar.ACCEPTED)
    operators = classes(ast.operator) | classes(ast.unaryop) | classes(ast.boolop) | classes(ast.cmpop)
    assert operators == set(OPERATORS)


@pytest.mark.parametrize("name", [n for n in SYNTAX if hasattr(ast, n)])
def test_syntax(tmp_path: Path, name: str):
    expected, body = SYNTAX[name]
    (f,) = functions(tmp_path / f"{name}.py", [body], "x, v")
    assert any(type(node).__name__ == name for node in ast.walk(ast.parse((tmp_path / f"{name}.py").read_text())))
    v = np.array([1.0, 2.0])
    if expected == OK:
        assert same(value_of(f, 3.0, v), f(3.0, v))
        ccc.gradient(f)(3.0, v)
        return
    with pytest.raises(CompileError) as caught:
        value_of(f, 3.0, v)
    (found,) = caught.value.diagnostics
    assert found.code == expected
    assert found.help
    assert found.span is not None and found.span.file.endswith(f"{name}.py")


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(tmp_path: Path, name: str):
    (f,) = functions(tmp_path / f"{name}.py", [f"return x, {OPERATORS[name]}"], "x, n, v")
    v = np.array([1.0, 2.0])
    assert same(value_of(f, 3.5, 3, v), f(3.5, 3, v))


ARGUMENTS = (1.5, np.array([0.5, 2.0]), 2, (3.0, 1), [1.0, 4.0], True, np.float32(0.5))
PARAMETERS = "x, v, n, t, xs, b, s"
EXPRESSIONS = [
    *PARAMETERS.split(", "), "1", "2.0", "None", "'text'", "...", "(x, v)", "[x, 2.0]", "[]", "()", "x * v", "v > 1",
    "v[0]", "v[1:]", "v[:n]", "v[None]", "v[[1, 0]]", "t[n - 1]", "xs[n - 1]", "xs[5]", "range(n)", "zip(v, xs)",
    "enumerate(v)", "lambda y: y * x", "math.sin", "np.sum", "np", "v.sum", "v.T", "v.shape", "x > 1 and v",
    "x if b else v", "(x, 1) if x > 1 else (2, x)", "math.sin if x > 1 else math.cos", "x == 1.5", "x is None",
    "n in (1, 2)", "float", "np.zeros(3)", "np.array([x, n])", "sum(xs) if b else 0", "len", "x.real", "1 / 0",
    "n // 0", "2 ** 70", "-1 ** 0.5",
]
CONTEXTS = [
    "return {}", "y = {}\n    return y, y", "return ({}) + x", "return x * ({})", "return -({})", "return not ({})",
    "return ({})[0]", "return ({})(x)", "return ({})(x, v)", "return len({})", "return ({}).T", "return v[{}]",
    "return x if ({}) else 2.0", "a, b = {}\n    return a, b", "a, *b = {}\n    return a, b",
    "s = 0\n    for a in ({}): s = s + x\n    return s", "s = x\n    for a in ({}): s = a\n    return s",
    "y = {}\n    y += 1\n    return y", "y = x\n    y *= ({})\n    return y",
    "y = v * 2\n    y += ({})\n    return y", "return range({})", "return (lambda y: y)({})",
    "return (lambda y=({}): y)()", "return max({}, x)", "return np.sum({})", "return float({})",
    "return ({}) < x < 5", "return ({}) == x", "return ({}) is None", "return [{}, x]",
    "y = x\n    if x > 1: y = {}\n    return y", "return f0({}, v, n, t, xs, b, s)",
    "for i in range(n): y = {}\n    return x", "y = {}\n    for i in range(n): y = y * 2\n    return y",
    "return x @ ({})", "return isinstance({}, float)", "return (*({}), x)", "return abs({})", "return sum({})",
    "return tuple({})", "return ({}) in (1, 2.0)", "return ({}) ** 2", "return v + ({})", "return ({}) & 1",
    "return v[({}):]",
]

LOOSE = {
    "return (x if b else v).T",  # what may be a number or an array has the attributes of arrays
    "return (*(range(n)), x)",  # the numbers of a tuple of unknown length have one type, as those of lists
    "y = t\n    for i in range(n): y = y * 2\n    return y",
}


def outcome(f: Any) -> Any:
    """What plain Python gives or raises, with arguments of its own."""
    try:
        return f(*copy.deepcopy(ARGUMENTS))
    except Exception as error:
        return error


@pytest.mark.share(18)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("context", CONTEXTS)
def test_every_expression_in_every_context(tmp_path: Path, context: str):
    """The value or the exception of plain Python, or a refusal of ours that names a place."""
    bodies = ["return x", *[context.format(expression) for expression in EXPRESSIONS]]
    made = functions(tmp_path / "small.py", bodies, PARAMETERS)
    for f, body in list(zip(made, bodies, strict=True))[1:]:
        if body in LOOSE:
            continue
        expected = outcome(f)
        try:
            found = value_of(f, *copy.deepcopy(ARGUMENTS))
        except CompileError as error:
            assert all(d.span is not None for d in error.diagnostics), f"{body}\n{error}"
            assert not re.search(r"[a-z]Value\b", str(error)), f"a name of the compiler: {body}\n{error}"
        except CCCError:
            pass
        except Exception as error:
            assert type(error) is type(expected), f"{body}\nraises {error!r}, plain Python {expected!r}"
        else:
            assert same(found, expected), f"{body}\ngives {found!r}, plain Python {expected!r}"
