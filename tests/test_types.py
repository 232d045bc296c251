"""What type checkers see: verbs keep the parameters of a function, so that a wrong call is found before it runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PROGRAM = '''\
from typing import assert_type

import ccc


def loss(x: float, y: float, rate: float = 1.0) -> float:
    return x * y * rate


@ccc.compiled
def fast(x: float) -> float:
    return x


slope = ccc.gradient(loss)
slope(1.0, 2.0, rate=3.0)
ccc.grad(loss, argnums=(0, 1))(1.0, y=2.0)
ccc.gradient(ccc.gradient(loss, wrt="x"), wrt="y")(1.0, 2.0)
ccc.gradient(lambda x: x * x)(2.0)
assert_type(fast(2.0), float)
assert_type(ccc.value_with_gradient(loss)(1.0, 2.0)[0], float)
assert_type(ccc.value_and_grad(loss)(1.0, 2.0)[0], float)
assert_type(ccc.value_with_pullback(loss, wrt="x")(1.0, 2.0)[0], float)
ccc.jacobian(loss)(1.0, 2.0)
slope(1.0)  # wrong
slope("a", 2.0)  # wrong
slope(1.0, 2.0, speed=1.0)  # wrong
ccc.grad(loss)(1.0, 2.0, 3.0, 4.0)  # wrong
fast("2")  # wrong
ccc.hessian(loss)(1.0)  # wrong
ccc.gradient(3.0)  # wrong
ccc.value_with_gradient(loss)(1.0, 2.0).shape  # wrong
'''
WRONG = [i for i, line in enumerate(PROGRAM.splitlines()) if line.endswith("# wrong")]


@pytest.mark.nightly
def test_pyright_finds_wrong_calls(tmp_path: Path):
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    root = Path(__file__).resolve().parents[1]
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    options = {"extraPaths": [str(root)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options), "utf-8")
    run = subprocess.run([pyright, "--outputjson", "-p", str(tmp_path)], capture_output=True, text=True, check=False)
    found: list[Any] = json.loads(run.stdout)["generalDiagnostics"]
    assert sorted({d["range"]["start"]["line"] for d in found if d["severity"] == "error"}) == WRONG


@pytest.mark.nightly
def test_mypy_finds_wrong_calls(tmp_path: Path):
    mypy = shutil.which("mypy")
    if mypy is None:
        pytest.skip("mypy is not installed")
    root = Path(__file__).resolve().parents[1]
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    run = subprocess.run([mypy, "--follow-imports=silent", "--cache-dir", str(tmp_path), "program.py"], cwd=tmp_path,
                         env={**os.environ, "MYPYPATH": str(root)}, capture_output=True, text=True, check=False)
    found = [line.split(":")[1] for line in run.stdout.splitlines() if ": error: " in line]
    assert sorted({int(line) - 1 for line in found}) == WRONG, run.stdout + run.stderr


def test_verbs_keep_the_parameters_of_a_function():
    import typing

    import ccc

    for verb in (ccc.gradient, ccc.compiled, ccc.value_with_gradient, ccc.grad, ccc.value_and_grad):
        hints = typing.get_type_hints(verb.__wrapped__ if hasattr(verb, "__wrapped__") else verb)
        assert typing.get_args(hints["f"])[0] is typing.get_args(hints["return"])[0]
