"""The public names: what `import ccc` offers, how it is loaded, and that each name explains itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ccc

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]


def test_importing_the_front_door_loads_nothing_else():
    code = "import ccc, sys; print([m for m in sys.modules if m.partition('.')[0] in ('numpy', 'compile', 'laws')])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_the_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "ccc" / "__init__.py").read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname: (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: (module, name) for name, module in ccc.MODULE_OF.items()}


def test_the_names_are_listed_once():
    assert len(ccc.__all__) == sum(map(len, ccc.NAMES_OF.values()))
    assert set(ccc.__all__) <= set(dir(ccc))


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="module 'ccc' has no attribute 'gradeint'") as raised:
        _ = ccc.gradeint  # pyright: ignore[reportAttributeAccessIssue] - the misspelling is the test
    assert raised.value.name == "gradeint"


@pytest.mark.parametrize("name", ccc.__all__)
def test_a_public_name_loads_and_shows_an_example(name: str):
    value = getattr(ccc, name)
    documentation = value.__doc__ or ""
    assert documentation.strip(), f"ccc.{name} has no docstring"
    assert ">>>" in documentation, f"the docstring of ccc.{name} shows no example"


NAMESAKES = {
    "ccc/primitives/primitive.py": "the class `Primitive`; `ccc.primitive`, the arrow of one, lives elsewhere",
}


def test_no_module_is_named_like_a_public_name():
    """`ccc.functor` the function and `ccc/functor.py` would shadow each other."""
    inside = [path for package in ("ccc", "compile", "laws") for path in sorted((ROOT / package).rglob("*"))]
    modules = [path for path in inside if path.suffix == ".py" or path.is_dir()]
    found = {path.relative_to(ROOT).as_posix() for path in modules if path.stem in ccc.__all__}
    assert found == set(NAMESAKES)


def test_no_folder_of_the_tests_is_a_package():
    """A folder `tests/compile`, or an `__init__.py` there, breaks the import of the real package."""
    assert list((ROOT / "tests").rglob("__init__.py")) == []
    assert [name for name in ("ccc", "compile", "laws") if (ROOT / "tests" / name).exists()] == []
