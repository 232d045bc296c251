"""The plugin for pytest, and categories that are given as subjects: what is checked of them, and what is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ccc
from ccc import laws
from ccc.additive import add
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse

ROOT = Path(ccc.__file__).parents[1]

MARKED = '''
import pytest

import ccc
from ccc import laws
from ccc.categories.reverse import Reverse
from ccc.primitives.arithmetic import absolute


class Bounds(ccc.Layered):
    """Numbers with bounds of their errors, without what two errors make together."""

    operations = {
        "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
        "mul": lambda x, y: (x[0] * y[0], absolute(x[0]) * y[1] + absolute(y[0]) * x[1]),
    }

    def element(self, number):
        return number(), abs(number())

    def member(self, x, below):
        return x[0] + x[1] * (below(9) - 4) / 4

    def holds(self, x, value):
        return abs(value - x[0]) <= x[1]


@pytest.mark.laws(laws.Subject(Bounds()), only=["sound"], examples=100)
def test_bounds(verdict):
    assert verdict
'''

NOTHING = '''
import pytest
from ccc.categories.functions import Functions


@pytest.mark.laws(Functions(), only=["sound", "boxes"])
def test_nothing(verdict):
    assert verdict
'''


def marked(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_marked.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "ccc.laws.plugin", "-p", "no:cacheprovider"],
        cwd=folder, env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": ""}, capture_output=True, text=True, timeout=300,
        check=False,
    )


def test_a_subject_in_a_marker_has_the_laws_of_its_kind_and_its_counterexample_is_shown(tmp_path: Path) -> None:
    done = marked(tmp_path, MARKED)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "sound fails in Bounds: if x stands for v, then f x stands for f v" in done.stdout
    assert "again: laws.check(..., only=['sound'], seed=0, example=" in done.stdout


def test_a_marker_that_checks_nothing_is_an_error(tmp_path: Path) -> None:
    done = marked(tmp_path, NOTHING)
    assert done.returncode not in (0, 1), done.stdout
    assert "no law of ['sound', 'boxes'] applies to Functions" in done.stdout + done.stderr


class Doubled(Reverse):
    """Reverse mode whose primitives give twice their derivatives."""

    def primitive(self, term: Any) -> Any:
        run = super().primitive(term)

        def doubled(x: Any) -> Any:
            y, pullback = run(x)
            return y, lambda ct: pullback(add(ct, ct))

        return doubled


@pytest.mark.parametrize("subject", [Doubled(), laws.Subject(Doubled()), Doubled], ids=["category", "subject", "class"])
def test_a_wrong_derivative_is_found_however_the_category_is_given(subject: Any) -> None:
    report = laws.check(subject, only=["pullback-adequate", "pullback-linear"], examples=30)
    assert [verdict.check for verdict in report.unexpected] == ["pullback-adequate"]
    assert repr(report).startswith("<2 laws, 1 category") and repr(report).endswith(", pullback-adequate>")


def test_a_subject_has_the_name_of_its_category() -> None:
    assert laws.Subject(Functions()).name == "Functions"
    assert laws.check(laws.Subject(Functions()), only=["id-left"], examples=3).subjects == ["Functions"]
