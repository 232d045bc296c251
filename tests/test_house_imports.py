"""The import graph is the layer diagram of `docs/design.md`, read from the source of every module.

An import inside a function counts like one at the top: it is an edge of the same graph.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from parsed import nodes, parsed

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ccc", "compile", "laws")

LAYERS = (
    ("ccc", "ccc.__main__"),
    ("ccc.laws",),
    ("ccc.compile.libraries",),
    ("ccc.compile.api",),
    ("ccc.compile.native",),
    ("ccc.compile.xla",),
    ("ccc.compile.numpy_source",),
    ("ccc.compile.frontend",),
    ("ccc.compile.passes",),
    ("ccc.compile.terms",),
    ("ccc.compile.program",),
    ("ccc.compile", "ccc.compile.diagnostics"),
    ("ccc.categories", "ccc.show", "ccc.probes"),
    ("ccc.category", "ccc.theory", "ccc.combinators", "ccc.base", "ccc.primitives"),
    ("ccc.objects", "ccc.arrows", "ccc.denotation", "ccc.additive", "ccc.errors", "ccc.diagnostics", "ccc.nones",
     "ccc.records",
     "ccc.recursive_classes", "ccc.coproducts", "ccc.objects_of_values", "ccc.shown", "ccc.sources", "ccc.spaces",
     "ccc.wording", "ccc.directions", "ccc.registered", "ccc.paired", "ccc.handed_out", "ccc.values", "ccc.slots",
     "ccc.journal", "ccc.locks", "ccc.later", "ccc.semirings", "ccc.unpatched"),
)  # fmt: skip
"""The packages, or modules, from the top down: imports go down this list, or stay in a line of it."""
LAYER_OF = {name: len(LAYERS) - 1 - i for i, line in enumerate(LAYERS) for name in line}
OPTIONAL = {"hypothesis", "jax", "jaxlib", "llvmlite", "matplotlib", "pytest", "scipy", "sympy", "torch"}


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
    return {module_name(path): parsed(path) for path in paths}


def layer_of(module: str) -> int | None:
    """The layer of the longest listed prefix; a module that lies directly in `ccc` needs an entry of its own."""
    prefix = module
    while prefix not in LAYER_OF:
        prefix = prefix.rpartition(".")[0]
        if prefix in ("", "ccc", "ccc.compile"):
            return None
    return LAYER_OF[prefix]


@cache
def imports_of(tree: ast.Module) -> list[tuple[int, str]]:
    """The line and full name of each module of the project that `tree` imports, literal `import_module` included."""
    return list(found_in(tree))


def name_of(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def found_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in nodes(tree):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            longer = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [name if name in modules() else node.module for name in longer]
        elif isinstance(node, ast.Call) and name_of(node.func) == "import_module":
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


def rows_of(page: str) -> list[tuple[str, ...]]:
    """The names in the first column of the table of layers of a page, from the top down."""
    table = page.rpartition("| from the top down |")[2].partition("\n\n")[0]
    found = []
    for line in table.splitlines()[2:]:
        names = re.findall(r"`([^`]+)`", line.split("|")[1])
        whole = [before + one + after for name in names for before, inside, after in [parted(name)] for one in inside]
        found.append(tuple([name.strip("/").removesuffix("/__init__").replace("/", ".") for name in whole]))
    return found


def parted(name: str) -> tuple[str, list[str], str]:
    """What stands before braces, between them and behind."""
    before, _, rest = name.partition("{")
    inside, _, after = rest.partition("}")
    return before, inside.split(","), after


def test_the_table_of_the_design_is_that_of_the_layers():
    assert [set(row) for row in rows_of((ROOT / "docs" / "design.md").read_text("utf-8"))] == [*map(set, LAYERS)]


def test_the_table_of_contributing_names_each_layer_in_its_order():
    rows = rows_of((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    full = [[name if name.partition(".")[0] == "ccc" else f"ccc.{name}" for name in row] for row in rows[:-1]]
    assert [{layer_of(name) for name in row} for row in full] == [{i} for i in reversed(range(1, len(LAYERS)))]


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


def circles_in(graph: dict[str, set[str]]) -> list[list[str]]:
    """The largest sets of nodes each of which leads to all others, of more than one, sorted."""
    def reached(start: str) -> set[str]:
        found, todo = set[str](), [start]
        while todo:
            new = graph[todo.pop()] - found
            found |= new
            todo += new
        return found

    reach = {name: reached(name) for name in graph}
    groups = {frozenset({name} | {other for other in reach[name] if name in reach[other]}) for name in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def imported_by(name: str) -> set[str]:
    return {target for _, target in imports_of(modules()[name]) if target in modules() and target != name}


def test_no_files_import_each_other_in_a_circle():
    """An import inside a function, or for types alone, counts: who reads the one file has to read the other."""
    assert circles_in({name: imported_by(name) for name in modules()}) == []


def test_a_circle_is_seen():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str](), "e": {"a"}}
    assert circles_in(graph) == [["a", "b", "c"]]


def forbidden_forms(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
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


IMPORT_IN_TURN = """
import functools, importlib, json, sys, traceback
import ccc
always = set(sys.modules)
names, alone = json.loads(sys.argv[1])
failures = {}

def attempt(name):
    try:
        importlib.import_module(name)
    except BaseException as error:
        failures[name] = [getattr(error, "name", None) or "", traceback.format_exc()]

@functools.cache
def loaded_by(name):
    for loaded in [m for m in sys.modules if m.partition(".")[0] == "ccc" and m not in always]:
        del sys.modules[loaded]
    attempt(name)
    return frozenset(sys.modules)

for name in names:
    attempt(name)
for name in alone:
    if name not in loaded_by(name.rpartition(".")[0]):
        loaded_by(name)
print(json.dumps([failures, sorted(always)]))
"""


def imported_in_turn(names: list[str], alone: list[str]) -> tuple[dict[str, list[str]], set[str]]:
    """In a fresh interpreter: `ccc`, each of `names`, each of `alone` after all others were forgotten, unless its
    package loads it. What failed, and what `import ccc` loads, which comes before any module of it."""
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_IN_TURN, json.dumps([names, alone])],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=600,
    )  # fmt: skip
    failures, always = json.loads(run.stdout)
    return failures, set(always)


def loaded_with(name: str) -> set[str]:
    """What has to be loaded for a module: its packages and what it imports."""
    parts = name.split(".")
    return imported_by(name) | {".".join(parts[:i]) for i in range(1, len(parts))} & modules().keys()


@pytest.mark.nightly
def test_any_module_can_be_imported_first():
    """Where no circle leads through a module, what it imports can be loaded before it, in any order of loading; so each
    is imported once, and those of a circle each as the first."""
    names = [name for name in modules() if not name.endswith("__main__")]
    _, always = imported_in_turn([], [])
    graph = {name: loaded_with(name) - always for name in modules()}
    circles = circles_in({name: graph[name] & graph.keys() for name in graph})
    alone = [name for circle in circles for name in circle if name in names and name not in always]
    failures, _ = imported_in_turn(names, alone)
    unexpected = {
        name: trace
        for name, (missing, trace) in failures.items()
        if not (missing.partition(".")[0] in OPTIONAL and "ModuleNotFoundError" in trace)
    }
    assert len(alone) < len(names) and unexpected == {}, "\n".join(unexpected.values())


FIRST_CALL = "import ccc\nccc.gradient(lambda x: x * x)(1.0)"
ON_DEMAND = {
    "difflib", "html", "json", "llvmlite", "numpy.fft", "numpy.polynomial", "numpy.random", "statistics", "sysconfig",
    "ccc.compile.frontend.numpy_functions.polynomials", "ccc.compile.frontend.numpy_functions.masked",
    "ccc.compile.numpy_source.later_readers",
    "ccc.compile.passes.batched_products", "ccc.compile.passes.recomputation", "ccc.compile.passes.subsumed_whiles",
    "ccc.compile.program.linearity", "ccc.compile.program.verification", "ccc.compile.api.checking",
    "ccc.compile.api.codes", "ccc.compile.api.explanation", "ccc.compile.api.numbered_listing",
    "ccc.compile.api.phases", "ccc.compile.native.engine", "ccc.compile.native.target", "ccc.laws", "ccc.probes",
    *(f"ccc.compile.frontend.{name}" for name in (
        "asked", "attribute_dicts", "augmenting", "boxed", "branches", "class_variables", "closures", "complex_numbers",
        "comprehensions", "conditions", "decorated", "directions", "draws", "effects", "equality", "extremes",
        "first_results", "function_values",
        "imports", "inline", "inner_programs", "iterated", "iterators", "joins", "kinds_met", "known_calls",
        "known_sets", "left_loops", "lifted", "loops", "matching", "misfits", "on_host", "opaque", "patterns", "pieces",
        "prelude", "presence", "reading_out", "record_making", "resuming", "rules_given", "sequences", "settling",
        "shown_integers", "standing", "survey", "truncations", "ufunc_options", "unrolling", "whiles", "wrapped_calls",
        "written_inside")),
    *(f"ccc.compile.frontend.memory.{name}" for name in (
        "copies", "dict_item_updates", "dict_making", "dict_methods", "dicts", "displays", "dropped", "item_updates",
        "keeping", "list_changes", "list_queries", "places", "read_through", "row_provenance", "stored_arrays",
        "stored_copies", "stored_dicts", "stored_lists", "walking")),
    *(f"ccc.compile.frontend.numpy_functions.{name}" for name in (
        "draws", "elementwise", "functional", "joining", "shapes", "statistics")),
    "ccc.compile.passes.loop_factors", "ccc.compile.passes.readers", "ccc.compile.passes.row_factors",
    "ccc.compile.passes.scalar_factors", "ccc.compile.passes.shared_factors", "ccc.compile.passes.vector_products",
    "ccc.compile.terms.staged_recursion",
    *(f"ccc.primitives.{name}" for name in (
        "adaptors_arrays", "adaptors_joining", "adaptors_linalg", "adaptors_reductions", "along", "array_methods",
        "bilinear", "boundary", "complex_functions", "complexes", "contractions", "creation", "decompositions",
        "drawing", "effects", "eigen", "elementary_math", "elementary_numpy", "factorisations", "failures", "folds",
        "fourier", "gamma", "inplace", "joining", "lists", "maps", "matrices", "norms", "partwise", "positions",
        "products", "quantiles", "rearranging", "sums", "tapes")),
    "ccc.categories.forward", "ccc.categories.rules", "ccc.compile.libraries.python_collections",
    "ccc.compile.passes.inlining", "ccc.compile.terms.meaning",
}  # fmt: skip
"""What explanations, errors, checks, loops, stores, parts of NumPy and machine code need, and a first call does not."""


def loaded_behind(program: str) -> set[str]:
    """The modules whose files a fresh interpreter has run behind a program. `-S`: without what sites load."""
    paths = f"import sys; sys.path[:0] = {[str(ROOT), str(Path(np.__file__).parents[1])]!r}\n"
    shown = "\nfrom ccc.later import has_run\nprint(*sorted(name for name in list(sys.modules) if has_run(name)))\n"
    command = [sys.executable, "-S", "-c", paths + program + shown]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_a_first_call_loads_nothing_that_it_does_not_need():
    """Much of the time of a short program's first call is imports."""
    loaded = loaded_behind(FIRST_CALL)
    assert "ccc.compile.api.transforms" in loaded
    assert ON_DEMAND & loaded == set()


def test_a_first_call_loads_nothing_of_numpy_that_numpy_does_not():
    """NumPy loads some of its modules when they are first named, and they may take as long as all of ours."""
    found = loaded_behind(FIRST_CALL) - loaded_behind("import numpy")
    assert {name for name in found if name.partition(".")[0] == "numpy"} == set()
