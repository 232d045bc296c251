"""Machine code is data until it is finished: no pass asks an instruction for its text, and no module reads text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parsed import parsed

import ccc
from ccc.compile.native import code, notes, split_functions, target, variants

pytestmark = pytest.mark.always

FOLDER = Path(__file__).resolve().parents[1] / "compile" / "native"
READERS = {"windows": "what LLVM gives is text", "store": "addresses in a text that is finished"}
"""The modules that read text, and why."""
READING = {"startswith", "endswith", "partition", "rpartition", "split", "rsplit", "find", "removeprefix",
           "removesuffix", "replace", "strip", "rstrip"}  # fmt: skip
"""What looks into text, or changes it."""
ALLOWED = {
    "code": "the parts of the name of a type or of an intrinsic function, and whose function it is",
    "functions": "whose function it is",
    "cpus": "the features that LLVM says",
    "exporting": "whose functions a finished module declares, and what system this is",
    "formula": "an attribute of its own text",
    "slices": "the sign of a constant",
    "target": "what a declaration declares",
    "threads": "a variable of the environment",
    "tiles": "its own parameters",
}
"""The modules that look into a name or a constant, and why."""


def modules() -> dict[str, ast.Module]:
    return {path.stem: parsed(path) for path in sorted(FOLDER.glob("*.py"))}


def imports_re(tree: ast.Module) -> bool:
    return any("re" in [alias.name for alias in node.names] for node in ast.walk(tree) if isinstance(node, ast.Import))


def looks_into_text(tree: ast.Module) -> list[str]:
    """The calls of methods of strings that look into them, but for those of strings that stand there; `replace`
    without arguments by position is that of dataclasses."""
    return [
        ast.unparse(node) for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING
        and not isinstance(node.func.value, ast.Constant | ast.JoinedStr) and node.args
    ]  # fmt: skip


def test_no_module_has_regular_expressions() -> None:
    assert {name for name, tree in modules().items() if imports_re(tree)} == set(READERS)


def test_no_module_looks_into_text() -> None:
    found = {name: looks for name, tree in modules().items() if (looks := looks_into_text(tree))}
    assert found.keys() - READERS.keys() == ALLOWED.keys(), found


def test_what_looks_into_text_is_seen() -> None:
    assert imports_re(ast.parse("import os, re"))
    assert looks_into_text(ast.parse("if line.startswith('; row'): pass")) == ["line.startswith('; row')"]


def along(x: np.ndarray, n: int) -> float:
    s = 0.0
    for i in range(n):
        a = np.cumsum(x) * x[i]
        if s > 2.0:
            a = a[::-1] * 0.5
        s += np.sum(np.exp(-a * a))
    return s


def elementwise(x: np.ndarray, n: int) -> float:
    return np.sum(np.tanh(x) * x) + np.sum(np.outer(x, x[:2])) * n


@pytest.mark.skipif(bool(target.available()), reason="no native code here")
@pytest.mark.parametrize("f", [along, elementwise])
def test_no_pass_asks_for_text(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks an instruction for its text, for programs that all passes change, is who writes the function."""
    asked = set[str]()

    def noted(original: Callable[[Any], str]) -> Callable[[Any], str]:
        def asking(i: Any) -> str:
            asked.add(sys._getframe(1).f_globals["__name__"])
            return original(i)

        return asking

    for cls in {x for module in (code, notes) for x in vars(module).values() if isinstance(x, type)}:
        if "__str__" in vars(cls) and issubclass(cls, code.Instruction):
            monkeypatch.setattr(cls, "__str__", noted(cls.__str__))
    monkeypatch.setattr(variants, "in_stretches", partial(split_functions.in_stretches, many=1, each=1))
    for n in (3, 40, 5000):
        x = np.linspace(0.1, 0.9, n)
        found, wanted = [ccc.gradient(f, backend=backend)(x, 2) for backend in ("native", "numpy")]
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-9)
    assert asked == {"ccc.compile.native.functions"}
