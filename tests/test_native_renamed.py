"""The machine code of a program does not depend on its names: kernels whose functions and variables are called
otherwise have the same text."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
from native_checks import modules
from random_programs import Program

import ccc
from benchmarks.practice import CASES
from benchmarks.programs import practice

pytest.importorskip("llvmlite")


ADDRESS = re.compile(r"(?<=inttoptr \(i64 )\d+")
"""Where an object of the process lies."""


class Renamed(ast.NodeTransformer):
    """A function with other names for itself, its parameters and its variables."""

    def __init__(self, function: ast.FunctionDef) -> None:
        own = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        own += [n.arg for n in ast.walk(function) if isinstance(n, ast.arg)]
        self.names = {name: f"v{len(own) - i}" for i, name in enumerate(dict.fromkeys(own))}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names[node.arg]
        return self.generic_visit(node)  # type: ignore[return-value]


def renamed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under other names, in a module of its own."""
    tree = ast.parse(inspect.getsource(f))
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    Renamed(function).visit(function)
    function.name = "f"
    used = {n.id: f.__globals__[n.id] for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in f.__globals__}
    found = Program(f.__name__, f"{ast.unparse(tree)}\n", []).load()  # type: ignore[arg-type]
    found.__globals__.update(used)  # type: ignore[attr-defined]
    return found


@pytest.mark.share(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel.__name__)
def test_names_decide_nothing(case: practice.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    made, args, texts = modules(monkeypatch), case.arguments(*case.sizes[0]), list[list[str]]()
    for f in (case.kernel, renamed(case.kernel)):
        ccc.gradient(f, wrt=case.wrt, backend="native")(*args)
        texts.append([ADDRESS.sub("", text) for text in made])
        made.clear()
    assert texts[0] and texts[0] == texts[1]
