"""Every refusal of the compiler says what to write instead."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_refusal_has_a_mend():
    files = sorted((ROOT / "compile").rglob("*.py"))
    nodes = [(path.name, node) for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    calls = [(name, node) for name, node in nodes if isinstance(node, ast.Call)
             and getattr(node.func, "id", "") in ("mismatch", "unsupported")]  # fmt: skip
    assert len(calls) > 250
    assert not [f"{name}:{node.lineno}" for name, node in calls if all(k.arg != "help" for k in node.keywords)]
