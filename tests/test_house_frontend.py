"""The floors of the front end are those that `ccc.compile.frontend` names, and its model of memory has one door."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from parsed import nodes, parsed

import ccc.compile.frontend

pytestmark = pytest.mark.always

FOLDER = Path(__file__).resolve().parents[1] / "compile" / "frontend"
PACKAGE = "ccc.compile.frontend"
STATE = {"memory.undo_log", "memory.notes", "memory.array_store"}
"""What an elaboration holds of the model of memory."""


@cache
def named() -> list[list[str]]:
    """The modules of each floor, the lowest first, as the package names them."""
    lines = re.findall(r"^\w+: ([\w ]+(?:\n {4}[a-z_][a-z_ ]*)*)$", ccc.compile.frontend.__doc__ or "", re.MULTILINE)
    return [line.split() for line in reversed(lines)]


@cache
def floors() -> dict[str, int]:
    """The floor of each module, the lowest being 0."""
    found = {name: i for i, names in enumerate(named()) for name in names}
    return {name: found["values" if name in STATE else name.partition(".")[0]] for name in modules()}


@cache
def modules() -> dict[str, ast.Module]:
    """The modules below the package, without the packages themselves."""
    paths = [path for path in FOLDER.rglob("*.py") if path.name != "__init__.py"]
    names = {".".join(path.relative_to(FOLDER).with_suffix("").parts): path for path in paths}
    return {name: parsed(path) for name, path in sorted(names.items())}


def imports(tree: ast.Module) -> set[str]:
    """The modules of the front end that one imports, at its top or anywhere in it."""
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            base = (node.module or "")[len(PACKAGE) + 1:]
            found |= {f"{base}.{a.name}".strip(".") for a in node.names} | {base}
        elif isinstance(node, ast.Import):
            found |= {a.name[len(PACKAGE) + 1:] for a in node.names if a.name.startswith(PACKAGE)}
    return found & modules().keys()


def upward(name: str, tree: ast.Module) -> list[str]:
    return [other for other in imports(tree) if floors()[other] > floors()[name]]


def by_another_door(name: str, tree: ast.Module) -> list[str]:
    """What a module outside of `memory` imports of it beside its interface."""
    if name.startswith("memory."):
        return []
    allowed = {"memory.interface"} | (STATE if name == "elaboration" else set())
    return [other for other in imports(tree) if other.startswith("memory.") and other not in allowed]


def circles(graph: dict[str, set[str]]) -> set[str]:
    """The modules that are left when those that import none that is left are taken away, again and again."""
    left = dict(graph)
    while done := {name for name, found in left.items() if not found & left.keys() - {name}}:
        left = {name: found for name, found in left.items() if name not in done}
    return set(left)


def test_every_module_has_a_floor():
    assert sorted(name for names in named() for name in names) == sorted({n.partition(".")[0] for n in modules()})
    assert modules().keys() >= STATE


def test_imports_go_down_or_along_a_floor():
    assert {name: found for name, tree in modules().items() if (found := upward(name, tree))} == {}


def test_the_model_of_memory_has_one_door():
    assert {name: found for name, tree in modules().items() if (found := by_another_door(name, tree))} == {}


def test_no_modules_import_each_other_in_a_circle():
    assert circles({name: imports(tree) for name, tree in modules().items()}) == set()


@pytest.mark.parametrize(
    "text", ["from ccc.compile.frontend import calls", "def f():\n    from ccc.compile.frontend.calls import call"]
)
def test_an_import_that_goes_up_is_seen(text: str):
    assert upward("sums", ast.parse(text)) == ["calls"]


def test_another_door_and_a_circle_are_seen():
    assert by_another_door("loops", ast.parse("from ccc.compile.frontend.memory import lists")) == ["memory.lists"]
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {"a", "b", "c"}


def test_each_module_of_the_model_of_memory_stands_on_its_page_with_its_tests():
    page = (FOLDER.parents[1] / "docs" / "design.md").read_text("utf-8").partition("## Who sees what changes\n")[2]
    rows = [line.split("|")[2:4] for line in page.partition("\n## ")[0].splitlines() if line.startswith("|")][2:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(name.removeprefix("memory.") for name in modules() if name.startswith("memory."))
    tests = [name for row in rows for name in re.findall(r"`(\w+)`", row[1])]
    assert all((FOLDER.parents[1] / "tests" / f"test_compile_{name}.py").is_file() for name in tests)
    assert all(re.search(r"`\w+`", row[1]) for row in rows)
