"""Programs as people write them: each runs in both targets and passes its own check.

A file of the folder `users` holds programs, and functions named `check_...` that train, simulate or fit with them and
assert what is known of the answer. A package that is not installed skips the checks of a file that imports it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ccc.compile.api import pipeline

FILES = sorted(file.stem for file in (Path(__file__).parent / "users").glob("*.py"))


def checks(name: str) -> list[tuple[str, Callable[[], Any] | None]]:
    """The checks of a file, by their names; one that is None where the file needs what is not installed."""
    try:
        found = importlib.import_module(f"users.{name}")
    except ModuleNotFoundError as error:
        return [(f"{name} needs {error.name}", None)]
    return [(f"{name}.{key}", run) for key, run in inspect.getmembers(found, inspect.isfunction)
            if key.startswith("check_")]


CHECKS = [found for name in FILES for found in checks(name)]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("run", [run for _, run in CHECKS], ids=[name for name, _ in CHECKS])
def test_programs_pass_their_own_checks(run: Callable[[], Any] | None, backend: str, monkeypatch: pytest.MonkeyPatch):
    if run is None:
        pytest.skip("not installed")
    monkeypatch.setattr(pipeline, "BACKEND", backend)
    run()
