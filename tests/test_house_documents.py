"""The documents are run: every block of Python in them, in order, and what a block prints is what the page shows.

A block marked `python` may be followed, with nothing but blank lines between, by one marked `text`: its output. A block
without one prints nothing.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ccc

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]
TOURS = ("README.md", "CONTRIBUTING.md")
DOCUMENTS = (*TOURS, "CHANGELOG.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
LANGUAGES = {"python", "text", "sh", "toml"}
FENCE = re.compile(r"^( *)```(.*)$")


@dataclass(frozen=True)
class Fenced:
    """A fenced block: its language, the line of its first text line (from 1), and its text."""

    language: str
    line: int
    text: str
    after_blank_only: bool


def fenced_blocks(page: str) -> list[Fenced]:
    """The fenced blocks of a page of Markdown.

    >>> [(b.language, b.line, b.text) for b in fenced_blocks("a\\n```python\\nx = 1\\n```\\n")]
    [('python', 3, 'x = 1\\n')]
    """
    found: list[Fenced] = []
    start: int | None = None
    language, blank = "", False
    lines = page.splitlines()
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence is None:
            blank = blank and (start is not None or not line.strip())
        elif start is None:
            start, language = number + 1, fence.group(2).strip()
        else:
            text = "".join(f"{row}\n" for row in lines[start:number])
            found.append(Fenced(language, start + 1, text, blank))
            start, blank = None, True
    assert start is None, f"the block that starts on line {start} does not end"
    return found


def source_lines(page: str) -> str:
    """The page with all but its Python blanked, so that line numbers are those of the page."""
    rows = [""] * len(page.splitlines())
    for block in fenced_blocks(page):
        if block.language == "python":
            for i, row in enumerate(block.text.splitlines()):
                rows[block.line - 1 + i] = row
    return "\n".join(rows) + "\n"


def run_tour(page: str, name: str) -> None:
    """Run the page's blocks of Python in one module, and compare what each prints with what the page shows."""
    filename = f"<{name}>"
    module = ModuleType(f"tour_of_{Path(name).stem}")
    text = source_lines(page)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    sys.modules[module.__name__] = module
    try:
        blocks = fenced_blocks(page)
        for block, after in zip_longest(blocks, blocks[1:]):
            if block.language != "python":
                continue
            shown = after.text if after and after.language == "text" and after.after_blank_only else ""
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * (block.line - 1) + block.text, filename, "exec"), module.__dict__)
            assert printed.getvalue() == shown, f"{name}:{block.line}: the page does not show what the block prints"
    finally:
        del sys.modules[module.__name__]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_page_does_what_it_shows(name: str):
    try:
        run_tour((ROOT / name).read_text("utf-8"), name)
    except ModuleNotFoundError as error:
        if error.name not in ("jax", "torch", "optax", "sklearn"):  # what `test` does not install
            raise
        pytest.skip(f"the page needs {error.name}")


@pytest.mark.parametrize("name", TOURS)
def test_the_page_has_python_to_run(name: str):
    assert any(block.language == "python" for block in fenced_blocks((ROOT / name).read_text("utf-8")))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_block_says_what_it_is(name: str):
    """A block of another language would look like an example and never be run."""
    blocks = fenced_blocks((ROOT / name).read_text("utf-8"))
    assert [(block.line, block.language) for block in blocks if block.language not in LANGUAGES] == []


def test_wrong_output_is_seen():
    with pytest.raises(AssertionError, match="page:2"):
        run_tour("```python\nprint(1)\n```\n\n```text\n2\n```\n", "page")


def test_output_that_the_page_does_not_show_is_seen():
    with pytest.raises(AssertionError, match="page:2"):
        run_tour("```python\nprint(1)\n```\nprose\n```text\n1\n```\n", "page")


def test_a_block_that_raises_is_seen():
    with pytest.raises(ZeroDivisionError):
        run_tour("```python\n1 / 0\n```\n", "page")


def test_the_blocks_of_a_page_share_their_names_and_its_line_numbers():
    page = "first\n```python\nx = 2\ndef f():\n    return x\n```\n```python\nimport inspect\n"
    page += "print(inspect.getsource(f), f.__code__.co_firstlineno)\n```\n```text\ndef f():\n    return x\n 4\n```\n"
    run_tour(page, "page")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str):
    page = ROOT / name
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [t for t in targets if "://" not in t and not (page.parent / t).exists()] == []


def test_the_commands_of_the_readme_are_those_that_the_check_runs():
    checked = (ROOT / ".ci" / "run").read_text("utf-8")
    blocks = [block for block in fenced_blocks((ROOT / "README.md").read_text("utf-8")) if block.language == "sh"]
    commands = [command.strip() for block in blocks for line in block.text.splitlines() for command in line.split("&&")]
    assert {"python3 -m paper_examples", "python3 -m pytest"} <= set(commands)
    for command in ("python3 -m paper_examples", "python3 -m pytest"):
        assert f"step {command}\n" in checked


def missing_names(page: str) -> list[str]:
    """The files, folders and modules in backquotes that there are not; `memory/` may be a part of a path."""
    found: list[str] = []
    for span in re.findall(r"`([^`\n]+)`", page):
        name = re.sub(r"(.)/$", r"\1", span)
        if re.fullmatch(r"(ccc|compile|laws|tests|docs|benchmarks|paper_examples)(/[\w.-]+)+", name):
            there = (ROOT / name).exists() or (ROOT / f"{name}.py").exists()
        elif re.fullmatch(r"(ccc|laws|compile)(\.\w+)+", name) and not name.endswith(".py"):
            there = is_name(name if name.startswith("ccc.") else f"ccc.{name}")
        else:
            continue
        found += [] if there else [span]
    return found


def is_name(name: str) -> bool:
    """True for a module, or something in one."""
    parts = name.split(".")
    found: Any = ccc
    for i, part in enumerate(parts[1:], 1):
        if not hasattr(found, part):
            try:
                import_module(".".join(parts[: i + 1]))
            except ModuleNotFoundError:
                return False
        found = getattr(found, part)
    return True


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name != "CHANGELOG.md"])
def test_what_the_page_names_is_there(name: str):
    assert missing_names((ROOT / name).read_text("utf-8")) == []


def test_names_of_what_is_gone_are_seen():
    page = "`ccc/base.py`, `ccc/gone.py`, `compile/terms/`, `tests/gone`, `ccc.base.Host`, `ccc.base.gone`, `ccc.gone`"
    assert missing_names(page) == ["ccc/gone.py", "tests/gone", "ccc.base.gone", "ccc.gone"]


def test_the_equivalent_mutants_are_told():
    page = (ROOT / "docs" / "mutants.md").read_text("utf-8").partition("## Equivalent mutants")[2]
    listed = json.loads((ROOT / "laws" / "equivalent_mutants.json").read_text("utf-8"))
    sources = [re.fullmatch(r".*?: (.*) -> .*", mutant) for mutant in listed]
    told = re.findall(r"^\* `([^`]+)`", page, re.MULTILINE)
    assert told == [source[1] for source in sources if source is not None] and len(told) == len(listed)


def test_one_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {ccc.__version__}\n" in citation
    reports = [line.split()[-1] for line in citation.splitlines() if line.strip().startswith("filename:")]
    assert reports and all((ROOT / report).is_file() for report in reports)


def test_nothing_is_left_to_do():
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    folders = ("ccc", "compile", "laws", "tests", "paper_examples", "benchmarks")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")] + [ROOT / name for name in DOCUMENTS]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(paths)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if any(mark in line for mark in marks)
    ]
    assert found == []
