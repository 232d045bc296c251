"""Programs as people write them: each passes its own check in machine code, one in five with NumPy too.

A file of the folder `users` holds programs, and functions named `check_...` that train, simulate or fit with them and
assert what is known of the answer: of the answer itself, or by plain Python and differences (`users_checks`). Those in
`refused.py` say why they are refused. A package that is not installed skips the checks of a file that imports it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

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


RUNS = [(name, run, backend) for name, run in CHECKS for backend in ("native", "numpy")
        if backend == "native" or crc32(name.encode()) % 5 == 0]


def test_there_are_many_programs():
    refused = [name for name, _ in CHECKS if name.startswith("refused.")]
    assert len(CHECKS) >= 150 and len(CHECKS) - len(refused) >= 120


@pytest.mark.share(48)
@pytest.mark.parametrize(("run", "backend"), [run[1:] for run in RUNS], ids=[f"{run[0]}-{run[2]}" for run in RUNS])
def test_programs_pass_their_own_checks(run: Callable[[], Any] | None, backend: str, monkeypatch: pytest.MonkeyPatch):
    if run is None:
        pytest.skip("not installed")
    monkeypatch.setattr(pipeline, "BACKEND", backend)
    run()
