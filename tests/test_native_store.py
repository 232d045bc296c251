"""Object files that are kept where that is asked for: found by later processes, private, and checked."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ccc
from ccc.compile.api import wrapper
from ccc.compile.native import cpus, store

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.optimised

SCRIPT = """
import sys
import numpy as np
import ccc
from ccc.compile.native import engine
made = []
object_code = engine.object_code
engine.object_code = lambda *args: made.append(1) or object_code(*args)


def f(x, w):
    s = 0.0
    for i in range(len(x)):
        s = s + np.tanh(x[i] * w["a"]) * w["b"]
    return s, x * s


value, pullback = ccc.value_with_pullback(f, backend="native")(np.linspace(0.1, 0.9, 5), {"a": 0.5, "b": 2.0})
print(repr(value), repr(pullback((1.0, np.ones(5)))), len(made), "pickle" in sys.modules)
"""


def f(x: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + np.sin(x[i])
    return s


X = np.linspace(0.1, 0.9, 5)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "objects"
    monkeypatch.setenv(store.VARIABLE, str(folder))
    return folder


def ran(folder: Path, script: Path) -> list[str]:
    """What the script prints: results, and how often LLVM was asked for an object file."""
    here = Path(__file__).parents[1]
    environment = {**os.environ, store.VARIABLE: str(folder), "PYTHONPATH": str(here)}
    found = subprocess.run(
        [sys.executable, str(script)], env=environment, cwd=here, capture_output=True, text=True, check=True
    )
    return found.stdout.rsplit(maxsplit=2)


def test_a_later_process_finds_what_an_earlier_one_made(place: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    first, again = ran(place, script), ran(place, script)
    assert first[0] == again[0] and int(first[1]) > 0 and int(again[1]) == 0
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in place.iterdir())


def test_nothing_is_written_that_was_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(store.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    ccc.gradient(f, backend="native")(X)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_what_was_written_is_made_again(place: Path) -> None:
    expected = ccc.gradient(f, backend="native")(X)
    kept = sorted(place.iterdir())
    assert kept
    for spoil in (lambda data: data[:-1], lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], lambda data: b""):
        before = [file.read_bytes() for file in kept]
        for file, data in zip(kept, before, strict=True):
            file.write_bytes(spoil(data))
            assert store.read(place, file.name) is None
        wrapper.forget()
        assert np.array_equal(ccc.gradient(f, backend="native")(X), expected)
        assert sorted(place.iterdir()) == kept and [file.read_bytes() for file in kept] == before
    kept[0].rename(place / "another")
    assert store.read(place, "another") is None  # what another module's file holds


def test_what_others_could_write_is_not_taken(place: Path, tmp_path: Path) -> None:
    ccc.gradient(f, backend="native")(X)
    file = sorted(place.iterdir())[0]
    file.chmod(0o620)
    assert store.read(place, file.name) is None
    file.chmod(0o600)
    assert store.read(place, file.name) is not None
    (place / "link").symlink_to(file)
    assert store.read(place, "link") is None


@pytest.mark.parametrize(("kind", "why"), [
    ("open", "chmod 700"), ("link", "not a folder"), ("file", "not a folder"), ("no parent", "make the folder"),
    ("under a file", "not a directory"),
])  # fmt: skip
def test_a_folder_that_cannot_be_used_is_done_without(
    kind: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    (tmp_path / "there").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "file").write_text("", "utf-8")
    asked = {"no parent": "nowhere/objects", "under a file": "file/objects"}.get(kind, kind)
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / asked))
    with pytest.warns(ccc.CCCWarning, match=why) as warned:
        assert ccc.gradient(lambda x: x * x, backend="native")(2.0) == 4.0
    assert len(warned) == 1 and warned[0].filename == __file__
    assert ccc.gradient(lambda x: x * x * x, backend="native")(2.0) == 12.0  # it is said once
    assert not list((tmp_path / "open").iterdir()) + list((tmp_path / "there").iterdir())


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_not_read(kind: str, place: Path) -> None:
    """A pipe kept everyone waiting who read from it."""
    expected = ccc.gradient(f, backend="native")(X)
    for file in list(place.iterdir()):
        file.unlink()
        os.mkfifo(file, 0o600) if kind == "pipe" else file.mkdir(mode=0o700)
        assert store.read(place, file.name) is None
    assert np.array_equal(ccc.gradient(f, backend="native")(X), expected)


def test_files_are_found_by_all_that_they_depend_on() -> None:
    names = {
        store.key(text, cpu, llvm, entries)
        for text in ("a", "b") for cpu in (cpus.BASELINE, cpus.Cpu("haswell", "+fma"))
        for llvm in ("20", "21") for entries in (["f"], ["f", "g"])
    }  # fmt: skip
    assert len(names) == 16


def test_a_folder_that_is_full_keeps_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.tempfile, "mkstemp", full)
    assert np.all(np.isfinite(ccc.gradient(f, backend="native")(X))) and list(place.iterdir()) == []
