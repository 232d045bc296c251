"""The site of the documents: `python3 -m sphinx -W docs build`.

The pages are Markdown. Their Python is run by the tests, which hold what they show; the reference is made of the
docstrings of the public names, which are plain text with doctests.
"""

from __future__ import annotations

import importlib
import importlib.util
import operator
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ccc  # noqa: E402
from ccc.compile.api.codes import PAGES  # noqa: E402

project = "ccc-ad"
author = "the ccc-ad authors"
release = ccc.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = project
html_copy_source = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["build"]
nitpicky = False


def as_markup(text: list[str]) -> list[str]:
    """A docstring as reStructuredText: doctests as they are, indented text as it stands, code in code.

    >>> as_markup(["The `x` of `f(*args)`, *Title*.", "", "    f >> g", "", ">>> 1", "1"])
    ['The ``x`` of ``f(*args)``, *Title*.', '', '::', '', '    f >> g', '', '>>> 1', '1', '']
    """
    found: list[str] = []
    for block in "\n".join(text).split("\n\n"):
        if block.startswith("    "):
            found += ["::", "", *block.split("\n"), ""]
            continue
        prose, prompt, rest = block.partition(">>>")
        if prose.strip():
            found += [*escaped(prose).rstrip().split("\n"), ""]
        if prompt:
            found += [*(prompt + rest).split("\n"), ""]
    return found


def escaped(prose: str) -> str:
    """Prose in which code in backticks and titles between asterisks are all that is markup."""
    parts = re.split(r"(`[^`]*`|\*[A-Z][^*`]*\*)", prose)
    for i, part in enumerate(parts):
        if part.startswith("`"):
            parts[i] = f"`{part}`"
        elif i % 2 == 0:
            parts[i] = re.sub(r"([*_|\\])", r"\\\1", part)
    return "".join(parts)


def of_docstring(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """The event of autodoc: the docstring of one public name."""
    lines[:] = as_markup(lines)


class PublicNames(SphinxDirective):
    """The public names that a module of the project gives to `ccc`, each with its docstring."""

    required_arguments = 1

    def run(self) -> list[Any]:
        import ccc

        found = ["```{eval-rst}"]
        module = self.arguments[0]
        inside = next((name for name, path in ccc.MODULES.items() if path == module), "")
        if module in ccc.OF_OTHERS and importlib.util.find_spec(module.rpartition("_")[2]) is None:
            return []  # the library that it is for is not installed
        known = ccc.NAMES_OF | ccc.OF_OTHERS
        names = known[module] if not inside else importlib.import_module(module).__all__
        for name in names:
            whole = f"{inside}.{name}" if inside else name
            if not callable(operator.attrgetter(whole)(ccc)):
                continue
            kind = "autoclass" if isinstance(operator.attrgetter(whole)(ccc), type) else "autofunction"
            found += [f".. {kind}:: ccc.{whole}", ""]
        node = nodes.Element()
        self.state.nested_parse(StringList([*found, "```"], source=self.arguments[0]), self.content_offset, node)
        return node.children


class Codes(SphinxDirective):
    """The codes of diagnostics: what each says, a program that it refuses, and the same program mended."""

    def run(self) -> list[Any]:
        found: list[str] = []
        for code, page in PAGES.items():
            programs = [["```python", *program.split("\n"), "```", ""] for program in (page.refused, page.mended)]
            found += [f"## {code}: {page.title}", "", page.text, "", *programs[0], "Mended:", "", *programs[1]]
        node = nodes.Element()
        self.state.nested_parse(StringList(found, source="codes"), self.content_offset, node, match_titles=True)
        return node.children


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_directive("public-names", PublicNames)
    app.add_directive("codes", Codes)
    app.connect("autodoc-process-docstring", of_docstring)
