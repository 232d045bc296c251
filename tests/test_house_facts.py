"""What is done with a primitive is asked of it: nothing is recognised by its name, so that a new one needs no list."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from parsed import nodes, parsed

from ccc.compile.passes.steady import changed_by
from ccc.compile.program.lam import Apply, Let, Var
from ccc.objects import INT, Array
from ccc.primitives import along, indexing, lists, maps, shaping, structure, updating, zero_trees
from ccc.primitives.facts import NEW
from ccc.primitives.primitive import Primitive

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]


def recognised(tree: ast.Module) -> Iterator[str]:
    """The comparisons of the name of a primitive with texts."""
    for node in nodes(tree):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        parts = [part for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)]
        names = [ast.unparse(x).split(".")[-2:] for x in sides if any(isinstance(part.value, str) for part in parts)]
        if ["p", "name"] in names or ["primitive", "name"] in names:
            yield ast.unparse(node)


def test_no_primitive_is_recognised_by_its_name() -> None:
    paths = [path for folder in ("ccc", "compile") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 500
    assert not [(path, found) for path in paths for found in recognised(parsed(path))]


@pytest.mark.parametrize("text", [
    'p.name == "add"', 'p.name not in ("len", "dim")', 'let.op.primitive.name in {"set_at"}', 'p.name == f"np.{x}"',
])
def test_a_primitive_recognised_by_its_name_is_seen(text: str) -> None:
    assert list(recognised(ast.parse(text)))


def primitives_named(tree: ast.Module) -> Callable[[ast.expr], bool]:
    """Whether an expression of a module names a primitive, as its imports say."""
    named: dict[str, Any] = {}
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ccc.primitives"):
            module = importlib.import_module(node.module or "")
            for alias in node.names:
                known = hasattr(module, alias.name)
                named[alias.asname or alias.name] = getattr(module, alias.name) if known else importlib.import_module(
                    f"{node.module}.{alias.name}")

    def is_primitive(x: ast.expr) -> bool:
        owner = named.get(x.value.id) if isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name) else None
        found = named.get(x.id) if isinstance(x, ast.Name) else getattr(owner, getattr(x, "attr", ""), None)
        return isinstance(found, Primitive)

    return is_primitive


def collected(tree: ast.Module) -> Iterator[str]:
    """The collections of primitives, and the tests that ask for one of several."""
    is_primitive = primitives_named(tree)
    for node in nodes(tree):
        parts: list[Any] = []
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            parts = node.elts
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.BoolOp):
            sides = [[x.left, *x.comparators] for x in node.values if isinstance(x, ast.Compare)]
            asked = [ast.unparse(x) for side in sides for x in side if not is_primitive(x)]
            parts = [x for side in sides for x in side if any(asked.count(ast.unparse(y)) > 1 for y in side)]
        elif isinstance(node, ast.MatchOr):
            parts = [part.value for part in node.patterns if isinstance(part, ast.MatchValue)]
        if sum(map(is_primitive, parts)) > 1:
            yield ast.unparse(node)


def test_no_primitives_are_collected() -> None:
    """A list of them would have to be known to whoever adds one."""
    paths = [path for folder in ("ccc", "compile", "laws") for path in sorted((ROOT / folder).rglob("*.py"))
             if path.relative_to(ROOT).parts[:2] not in (("ccc", "primitives"), ("ccc", "compile"), ("ccc", "laws"))]
    assert len(paths) > 500
    found = {f"{path.relative_to(ROOT)}: {text}" for path in paths for text in collected(parsed(path))}
    assert not found


@pytest.mark.parametrize("text", [
    "X = (arithmetic.add, arithmetic.sub)", "X = frozenset({add, arithmetic.sub})", "p in [arithmetic.add, f, add]",
    "X = {arithmetic.add: 1, arithmetic.sub: 2}", "p is add or p is arithmetic.sub", "not (p is not add and p != add)",
    "match p:\n    case arithmetic.add | arithmetic.sub: pass",
])
def test_a_collection_of_primitives_is_seen(text: str) -> None:
    imports = "from ccc.primitives import arithmetic\nfrom ccc.primitives.arithmetic import add\n"
    assert list(collected(ast.parse(imports + text)))
    assert not list(collected(ast.parse(imports + text.replace("add", "f").replace("sub", "g"))))


def positions(p: Primitive, count: int) -> list[int]:
    """Which of so many arguments the passes take for changed."""
    args = [Var(f"x{i}", INT) for i in range(count)]
    op = Apply(p, {"pattern": ("i",)})
    return [i for i, a in enumerate(args) if a in changed_by(op, Let(op, list(args)))]


@pytest.mark.parametrize(("p", "count", "wanted"), [
    (updating.set_at, 3, [0]), (indexing.add_at, 3, [0]), (lists.append, 2, [0, 1]), (lists.without_last, 1, [0]),
    (lists.set_item, 3, [0, 1]), (maps.put, 3, [0, 1]), (along.set_along, 4, [0, 1]), (lists.concat, 2, [0, 1]),
    (zero_trees.add_trees, 2, [0, 1]),
], ids=repr)  # fmt: skip
def test_an_update_changes_what_its_result_holds(p: Primitive, count: int, wanted: list[int]) -> None:
    """Whatever it is called."""
    assert positions(p, count) == positions(replace(p, name="another"), count) == wanted


def test_what_an_update_changes_is_what_it_says_of_memory() -> None:
    assert positions(replace(lists.append, memory=NEW), 2) == [0]


@pytest.mark.parametrize(("p", "params", "wanted"), [
    (structure.length, {}, "1"), (shaping.dim, {"axis": 1}, "n"), (shaping.dim, {"axis": 0}, "1"),
    (shaping.ndim, {}, "?"), (shaping.size, {}, "?"),
], ids=repr)  # fmt: skip
def test_the_size_of_an_axis_is_known_by_what_a_primitive_says(p: Primitive, params: dict, wanted: str) -> None:
    """Whatever it is called."""
    for one in (p, replace(p, name="another")):
        x, n = Var("x", Array("float64", ("1", "n"))), Var("n", INT)
        n.definition = Let(Apply(one, params), [x])
        assert shaping.axis_of(n) == wanted
