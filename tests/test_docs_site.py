"""The site of the documents: its pictures are current, its parts complete, and it builds without a warning."""

from __future__ import annotations

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ccc
from paper_examples import open_question_figures

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def loaded(name: str) -> ModuleType:
    """A module of the folder of the documents, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


draw = loaded("draw")


@pytest.mark.parametrize("name", draw.PICTURES)
def test_a_picture_is_current(name: str):
    """`python3 docs/draw.py` writes them anew."""
    assert (DOCS / "pictures" / f"{name}.svg").read_text("utf-8") == draw.picture(name) + "\n"


def test_every_picture_is_drawn_and_shown():
    figures = {open_question_figures.place(DOCS, name).name for name in open_question_figures.FIGURES}
    drawn = {f"{name}.svg" for name in draw.PICTURES} | figures
    assert {path.name for path in (DOCS / "pictures").iterdir()} == drawn
    pages = [path.read_text("utf-8") for path in (ROOT / "README.md", *DOCS.glob("*.md"))]
    assert {name for page in pages for name in re.findall(r"pictures/(\w+\.svg)\)", page)} == drawn


def test_every_page_is_in_the_table_of_contents():
    index = (DOCS / "index.md").read_text("utf-8")
    listed = re.findall(r"^:::\{toctree\}\n(?::.*\n)+\n((?:\w+\n)+):::$", index, re.MULTILINE)
    assert len(listed) == 4  # tutorial, how to, reference, explanation
    names = [name for part in listed for name in part.split()]
    assert sorted(names) == sorted(path.stem for path in DOCS.glob("*.md") if path.stem != "index")


def test_the_reference_has_every_public_name():
    shown = re.findall(r"^:::\{public-names\} (\S+)$", (DOCS / "reference.md").read_text("utf-8"), re.MULTILINE)
    modules = [module for name, module in ccc.MODULES.items() if name != "laws"]
    assert sorted(shown) == sorted([*ccc.NAMES_OF, *ccc.OF_OTHERS, *modules])


def test_the_command_line_is_described():
    from ccc.__main__ import EXPONENTIALS, VIEWS

    page = (DOCS / "command_line.md").read_text("utf-8")
    assert all(f"`{word}`" in page or f" {word}`" in page for word in (*VIEWS, *EXPONENTIALS, "svg", "json"))


@pytest.mark.nightly
def test_the_site_builds_without_a_warning(tmp_path: Path):
    for module in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(module)
    assert doctest.testmod(loaded("conf")).failed == 0
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    reference = (tmp_path / "reference.html").read_text("utf-8")
    assert all(f'id="ccc.{name}"' in reference for name in ccc.__all__)
