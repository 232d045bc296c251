"""The wheel, beside a user's modules of the same names as ours."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = """
import importlib
import sys

import ccc
import compile, laws, tests
from ccc import laws as ours

assert compile.MINE == laws.MINE == tests.MINE == 1, "the user's own modules"
assert ccc.__file__.startswith(sys.argv[1]), ccc.__file__
assert ccc.gradient(lambda x: x * x)(3.0) == 6.0
assert ours.check(ccc.Functions, examples=2, only=["id-left"]).ok
for name in ccc.__all__:
    getattr(ccc, name)
print(ccc.__version__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, unpacked."""
    pytest.importorskip("hatchling")
    built, unpacked = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("unpacked")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", built, ROOT]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (found,) = built.glob("*.whl")
    with zipfile.ZipFile(found) as archive:
        archive.extractall(unpacked)
    return unpacked


def test_the_wheel_has_one_name_on_the_machine(wheel: Path) -> None:
    tops = {path.name for path in wheel.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"ccc"}
    parts = {path.relative_to(wheel).as_posix() for path in wheel.rglob("*.py")}
    assert {"ccc/compile/program/lam.py", "ccc/laws/__main__.py"} <= parts
    for folder in ("compile", "laws"):
        assert {f"ccc/{path.relative_to(ROOT)}" for path in (ROOT / folder).rglob("*.py")} <= parts


def test_the_wheel_works_beside_modules_of_its_folders_names(wheel: Path, tmp_path: Path) -> None:
    for name in ("compile", "laws", "tests"):
        (tmp_path / f"{name}.py").write_text("MINE = 1\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    run = subprocess.run([sys.executable, "script.py", str(wheel)], cwd=tmp_path, capture_output=True, text=True,
                         env={"PYTHONPATH": str(wheel), "PATH": ""}, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
