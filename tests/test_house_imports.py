"""The import graph is the layer diagram of `docs/design.md`, read from the source of every module.

An import inside a function counts like one at the top: it is an edge of the same graph. The exceptions are in
`EXCEPTIONS`, each with its reason.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ccc", "compile", "laws")

LAYER_OF = {
    "ccc": 7, "ccc.__main__": 7,
    "laws": 6,
    "compile.api": 5, "compile.wrapper": 5, "compile.explanation": 5, "compile.verbs": 5, "compile.pipeline": 5,
    "compile.kept": 5, "compile.phases": 5, "compile.surgery": 5, "compile.rules": 5, "compile.checking": 5,
    "compile.kinks": 5, "compile.inline": 5, "compile.reading": 5, "compile.cotangents": 5,
    "compile.backends": 4,
    "compile": 3,
    "ccc.categories": 2, "ccc.show": 2, "ccc.probes": 2,
    "ccc.category": 1, "ccc.interpret": 1, "ccc.theory": 1, "ccc.combinators": 1, "ccc.base": 1, "ccc.primitives": 1,
    "ccc.objects": 0, "ccc.arrows": 0, "ccc.additive": 0, "ccc.errors": 0, "ccc.diagnostics": 0, "ccc.records": 0,
    "ccc.groups": 0, "ccc.coproducts": 0, "ccc.spaces": 0, "ccc.wording": 0, "ccc.directions": 0,
}  # fmt: skip
EXCEPTIONS = {
    ("ccc.arrows", "ccc.show.text"): "str(arrow) prints it, and the printer is a category, two layers up",
    ("ccc.arrows", "ccc.show.svg"): "a notebook draws it, and the drawing is a category, two layers up",
    ("ccc.arrows", "ccc.show.wiring"): "the error of the drawing",
    ("ccc.arrows", "ccc.show.latex"): "a notebook shows its formula, from a category two layers up",
}
OPTIONAL = {"hypothesis", "jax", "jaxlib", "llvmlite", "matplotlib", "pytest", "sympy"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the project by its full name."""
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {module_name(path): ast.parse(path.read_text("utf-8"), str(path)) for path in paths}


def layer_of(module: str) -> int | None:
    """The layer of the longest listed prefix; a module that lies directly in `ccc` needs an entry of its own."""
    prefix = module
    while prefix not in LAYER_OF:
        prefix = prefix.rpartition(".")[0]
        if prefix in ("", "ccc"):
            return None
    return LAYER_OF[prefix]


def imports_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and full name of each module of the project that `tree` imports, literal `import_module` included."""
    for node in ast.walk(tree):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            longer = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [name if name in modules() else node.module for name in longer]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("import_module", "importlib.import_module"):
            found = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        for name in found:
            if name.partition(".")[0] in PACKAGES:
                yield getattr(node, "lineno", 0), name


def upward(source: str, tree: ast.Module) -> list[str]:
    """The imports of a module that go up, as text."""
    here = layer_of(source)
    found: list[str] = []
    for line, target in imports_of(tree):
        there = layer_of(target)
        if here is not None and there is not None and there > here and (source, target) not in EXCEPTIONS:
            found.append(f"{source}:{line} (layer {here}) imports {target} (layer {there})")
    return found


def test_every_module_has_a_layer():
    assert [name for name in modules() if layer_of(name) is None] == []


def test_imports_go_down_only():
    assert [edge for name, tree in modules().items() for edge in upward(name, tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from compile.lam import Let",
        "def f():\n    from compile.api import gradient",
        "from ccc import show",
        "import laws",
        "import importlib\nimportlib.import_module('ccc.categories.reverse')",
    ],
)
def test_an_import_that_goes_up_is_seen(text: str):
    assert upward("ccc.objects", ast.parse(text)) != []


def test_every_exception_is_still_needed():
    edges = {(name, target) for name, tree in modules().items() for _, target in imports_of(tree)}
    assert set(EXCEPTIONS) <= edges


def forbidden_forms(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "compile" and alias.asname is None:
                    yield f"line {node.lineno}: `import {alias.name}` hides the builtin `compile`"
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield f"line {node.lineno}: a relative import; write the full path"
        elif isinstance(node, ast.ImportFrom) and node.module == "ccc":
            yield f"line {node.lineno}: `from ccc import ...`, the front door; write the full path of the module"


def test_modules_are_imported_by_their_full_path():
    found = {name: list(forbidden_forms(tree)) for name, tree in modules().items()}
    assert {name: forms for name, forms in found.items() if forms} == {}


@pytest.mark.parametrize("text", ["import compile", "import compile.lam", "from ccc import show", "from . import lam"])
def test_a_forbidden_import_is_seen(text: str):
    assert len(list(forbidden_forms(ast.parse(text)))) == 1


IMPORT_EACH_FIRST = """
import importlib, json, sys, traceback
packages, names = json.loads(sys.argv[1])
failures = {}
for name in names:
    for loaded in [m for m in sys.modules if m.partition(".")[0] in packages]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except BaseException as error:
        failures[name] = [getattr(error, "name", None) or "", traceback.format_exc()]
print(json.dumps(failures))
"""


def test_any_module_can_be_imported_first():
    """One fresh interpreter, in which each module is imported after all others of the project were forgotten."""
    names = [name for name in modules() if not name.endswith("__main__")]
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH_FIRST, json.dumps([PACKAGES, names])],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    failures: dict[str, list[str]] = json.loads(run.stdout)
    unexpected = {
        name: trace
        for name, (missing, trace) in failures.items()
        if not (missing.partition(".")[0] in OPTIONAL and "ModuleNotFoundError" in trace)
    }
    assert unexpected == {}, "\n".join(unexpected.values())
