"""The import graph is the layer diagram of `docs/design.md`, read from the source of every module.

An import inside a function counts like one at the top: it is an edge of the same graph.
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

LAYERS = (
    ("ccc", "ccc.__main__"),
    ("ccc.laws",),
    ("ccc.compile.api",),
    ("ccc.compile.native",),
    ("ccc.compile.numpy_source",),
    ("ccc.compile.frontend",),
    ("ccc.compile.passes",),
    ("ccc.compile.terms",),
    ("ccc.compile.program",),
    ("ccc.compile", "ccc.compile.diagnostics"),
    ("ccc.categories", "ccc.show", "ccc.probes"),
    ("ccc.category", "ccc.interpret", "ccc.theory", "ccc.combinators", "ccc.base", "ccc.primitives"),
    ("ccc.objects", "ccc.arrows", "ccc.additive", "ccc.errors", "ccc.diagnostics", "ccc.records",
     "ccc.recursive_classes", "ccc.coproducts", "ccc.objects_of_values", "ccc.shown", "ccc.spaces", "ccc.wording",
     "ccc.directions"),
)  # fmt: skip
"""The packages, or modules, from the top down: imports go down this list, or stay in a line of it."""
LAYER_OF = {name: len(LAYERS) - 1 - i for i, line in enumerate(LAYERS) for name in line}
OPTIONAL = {"hypothesis", "jax", "jaxlib", "llvmlite", "matplotlib", "pytest", "sympy"}


def module_name(path: Path) -> str:
    """The full name of a module: the folders beside `ccc` are packages below it."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return name if name.partition(".")[0] == "ccc" else f"ccc.{name}"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the project by its full name."""
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")
                   if not any(part.is_symlink() for part in path.parents))
    return {module_name(path): ast.parse(path.read_text("utf-8"), str(path)) for path in paths}


def layer_of(module: str) -> int | None:
    """The layer of the longest listed prefix; a module that lies directly in `ccc` needs an entry of its own."""
    prefix = module
    while prefix not in LAYER_OF:
        prefix = prefix.rpartition(".")[0]
        if prefix in ("", "ccc", "ccc.compile"):
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
            if name.partition(".")[0] == "ccc":
                yield getattr(node, "lineno", 0), name


def upward(source: str, tree: ast.Module) -> list[str]:
    """The imports of a module that go up, as text."""
    here = layer_of(source)
    found: list[str] = []
    for line, target in imports_of(tree):
        there = layer_of(target)
        if here is not None and there is not None and there > here:
            found.append(f"{source}:{line} (layer {here}) imports {target} (layer {there})")
    return found


def test_every_module_has_a_layer():
    assert [name for name in modules() if layer_of(name) is None] == []


def test_imports_go_down_only():
    assert [edge for name, tree in modules().items() for edge in upward(name, tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from ccc.compile.program.lam import Let",
        "def f():\n    from ccc.compile.api.transforms import gradient",
        "from ccc import show",
        "import ccc.laws",
        "import importlib\nimportlib.import_module('ccc.categories.reverse')",
    ],
)
def test_an_import_that_goes_up_is_seen(text: str):
    assert upward("ccc.objects", ast.parse(text)) != []


def forbidden_forms(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"line {node.lineno}: a relative import; write the full path"
        elif isinstance(node, ast.ImportFrom) and node.module == "ccc":
            yield f"line {node.lineno}: `from ccc import ...`, the front door; write the full path of the module"


def test_modules_are_imported_by_their_full_path():
    found = {name: list(forbidden_forms(tree)) for name, tree in modules().items()}
    assert {name: forms for name, forms in found.items() if forms} == {}


@pytest.mark.parametrize("text", ["from ccc import show", "from . import lam"])
def test_a_forbidden_import_is_seen(text: str):
    assert len(list(forbidden_forms(ast.parse(text)))) == 1


IMPORT_EACH_FIRST = """
import importlib, json, sys, traceback
names = json.loads(sys.argv[1])
failures = {}
for name in names:
    for loaded in [m for m in sys.modules if m.partition(".")[0] == "ccc"]:
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
        [sys.executable, "-c", IMPORT_EACH_FIRST, json.dumps(names)],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    failures: dict[str, list[str]] = json.loads(run.stdout)
    unexpected = {
        name: trace
        for name, (missing, trace) in failures.items()
        if not (missing.partition(".")[0] in OPTIONAL and "ModuleNotFoundError" in trace)
    }
    assert unexpected == {}, "\n".join(unexpected.values())
