"""What is done with a primitive is asked of it: nothing is recognised by its name, so that a new one needs no list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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
