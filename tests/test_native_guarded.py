"""Machine code reads and writes arrays, and nothing beyond: random programs where each array ends where memory ends."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import random_guarded

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler")

MADE = "import sys; sys.path[:0] = [{here!r}]; import ctypes, random_guarded, numpy as np; random_guarded.begin(); "
PLANTED = {
    "the last entry": ("x = np.ones(3); ctypes.c_double.from_address(x.ctypes.data + 16).value", True),
    "an entry beyond": ("x = np.ones(3); ctypes.c_double.from_address(x.ctypes.data + 24).value", False),
    "a write beyond": ("x = np.zeros(700); ctypes.c_double.from_address(x.ctypes.data + 5600).value = 1.0", False),
    "what was freed": ("x = np.ones(700); p = x.ctypes.data; del x; ctypes.c_double.from_address(p).value", False),
    "moved memory": ("x = np.ones(700); x.resize(900); assert x[699] == 1.0 and x[899] == 0.0", True),
    "new memory": ("assert np.isnan(np.empty(200)).all() and not np.zeros(200).any()", True),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_guarded.built(tmp_path_factory.mktemp("guarded"))


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_beyond_an_array_ends_the_process(name: str, library: Path):
    act, goes_on = PLANTED[name]
    run = random_guarded.guarded(["-c", MADE.format(here=str(random_guarded.HERE)) + act], library)
    assert (run.returncode == 0) is goes_on, run.stderr


@pytest.mark.parametrize(("generator", "seed"), [("arrays", 3), ("loops", 4)])
def test_machine_code_stays_within_arrays(generator: str, seed: int, capfd: pytest.CaptureFixture[str]):
    assert random_guarded.main(generator, seed, 2) == 0
    assert "wrong" not in (found := capfd.readouterr().out) and "internal" not in found


@pytest.mark.nightly
@pytest.mark.parametrize("generator", ["arrays", "loops", "programs", "views", "walks", "rows"])
def test_machine_code_stays_within_arrays_in_many(generator: str, capfd: pytest.CaptureFixture[str]):
    assert random_guarded.main(generator, 0, 100) == 0
    assert "wrong" not in (found := capfd.readouterr().out) and "internal" not in found
