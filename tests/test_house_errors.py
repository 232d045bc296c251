"""Every refusal of the compiler says what to write instead, and what takes any exception says why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from parsed import nodes, parsed

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]


def test_every_refusal_has_a_mend():
    files = sorted((ROOT / "compile").rglob("*.py"))
    found = [(path.name, node) for path in files for node in nodes(parsed(path))]
    calls = [(name, node) for name, node in found if isinstance(node, ast.Call)
             and getattr(node.func, "id", "") in ("mismatch", "unsupported")]  # fmt: skip
    assert len(calls) > 250
    assert not [f"{name}:{node.lineno}" for name, node in calls if all(k.arg != "help" for k in node.keywords)]


def silent(text: str, tree: ast.Module) -> Iterator[int]:
    """The lines of handlers of any exception that neither raise nor say why they take faults of ours too."""
    lines = text.splitlines()
    for node in nodes(tree):
        if not isinstance(node, ast.ExceptHandler) or ast.unparse(node.type or ast.Name("Exception")) not in BROAD:
            continue
        raises = any(isinstance(part, ast.Raise) for part in ast.walk(node))
        if not raises and "#" not in lines[node.lineno - 1] + lines[node.body[0].lineno - 1]:
            yield node.lineno


BROAD = ("Exception", "BaseException")


def test_what_takes_any_exception_says_why():
    """Such a handler may hide a fault of ours, which a wrong number may follow from."""
    files = [path for folder in ("ccc", "compile", "laws") for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(files) > 500
    assert not [f"{path}:{line}" for path in files for line in silent(path.read_text("utf-8"), parsed(path))]


@pytest.mark.parametrize(("handler", "seen"), [
    ("except Exception:\n    y = 0", True), ("except:\n    y = 0", True),
    ("except BaseException as error:\n    y = error", True), ("except Exception:  # why\n    y = 0", False),
    ("except Exception as error:\n    raise ValueError from error", False), ("except ValueError:\n    y = 0", False),
])  # fmt: skip
def test_a_handler_that_does_not_say_why_is_seen(handler: str, seen: bool):
    text = f"try:\n    y = 1\n{handler}\n"
    assert bool(list(silent(text, ast.parse(text)))) is seen
