"""Modules whose files run when something of them is asked for: once, in one thread, and again where that failed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ccc import later
from ccc.compile.frontend import decorated, iterators, known_functions, sequences
from ccc.primitives import registry


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that has its modules later, with a file for what its modules tell."""
    home = tmp_path / "somepackage"
    home.mkdir()
    (home / "__init__.py").write_text("from ccc.later import load_later\nload_later(__name__)\nTOLD = []\n")
    (home / "plain.py").write_text(
        '"""What it is."""\nfrom somepackage import TOLD\nTOLD.append(__name__)\nx = 1\ndef f(): return x\n')
    (home / "failing.py").write_text(
        "from somepackage import TOLD\nTOLD.append(__name__)\ny = 1\nif len(TOLD) < 2: raise ImportError('not yet')\n")
    (home / "slow.py").write_text("import time\nx = 1\ntime.sleep(0.2)\ny = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield home
    for name in [name for name in sys.modules if name.partition(".")[0] == "somepackage"]:
        del sys.modules[name]


def test_a_file_runs_when_something_is_asked_for(package: Path):
    from somepackage import TOLD, plain  # type: ignore[reportMissingImports]

    assert TOLD == [] and plain.__name__ == "somepackage.plain" and plain.__file__ == str(package / "plain.py")
    assert not later.has_run("somepackage.plain") and not hasattr(plain, "__path__")
    assert plain.f() == 1 and TOLD == ["somepackage.plain"]
    assert later.has_run("somepackage.plain") and type(plain) is ModuleType and plain.__doc__ == "What it is."


@pytest.mark.parametrize("use", [
    lambda m: vars(m)["x"], lambda m: "x" in dir(m) and m.x, lambda m: setattr(m, "z", 1) or m.x,
    lambda m: __import__("somepackage.plain", fromlist=["x"]).x,
])  # fmt: skip
def test_whatever_is_done_to_a_module_runs_its_file_first(package: Path, use: Any):
    from somepackage import TOLD, plain  # type: ignore[reportMissingImports]

    assert use(plain) == 1 and TOLD == ["somepackage.plain"]


def test_what_is_set_stays(package: Path):
    from somepackage import plain  # type: ignore[reportMissingImports]

    plain.x = 5
    assert plain.f() == 5
    del plain.x
    with pytest.raises(NameError):
        plain.f()


def test_names_that_are_none_are_told(package: Path):
    import somepackage  # type: ignore[reportMissingImports]

    with pytest.raises(AttributeError, match="'somepackage' has no attribute 'nothing'"):
        _ = somepackage.nothing
    with pytest.raises(AttributeError, match=r"'somepackage\.plain' has no attribute 'nothing'"):
        _ = somepackage.plain.nothing
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from somepackage import nothing  # type: ignore[reportMissingImports]  # noqa: F401


def test_a_file_that_failed_runs_again(package: Path):
    from somepackage import TOLD, failing  # type: ignore[reportMissingImports]

    with pytest.raises(ImportError, match="not yet"):
        _ = failing.y
    assert not later.has_run("somepackage.failing") and failing.y == 1 and len(TOLD) == 2


def test_threads_wait_for_the_one_that_came_first(package: Path):
    from somepackage import slow  # type: ignore[reportMissingImports]

    found = list[int]()
    threads = [threading.Thread(target=lambda: found.append(slow.x + slow.y)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert found == [3] * 8


def test_a_module_that_was_imported_meanwhile_is_asked(package: Path):
    from somepackage import TOLD, plain  # type: ignore[reportMissingImports]

    del sys.modules["somepackage.plain"]
    from importlib import import_module

    other = import_module("somepackage.plain")
    assert other is not plain and plain.f is other.f and TOLD == ["somepackage.plain"]


EVERY_KEY = """
import json, sys
from ccc.primitives import registry
module, name = sys.argv[1:]
tables = {of.__name__: of for of in registry.TABLES[module]}
from ccc.later import has_run
assert not has_run(name), name
of = tables[name]
table = getattr(of, "FUNCTIONS", None) or registry._elementary(of)
known = set(registry._functions) - set(table)
lost = [str(f) for f in table if f not in known and registry.find(f) is not (registry._functions.get(f) or table[f])]
print(json.dumps(lost))
"""


@pytest.mark.parametrize("key", [
    (library, module.__name__) for library, modules in registry.TABLES.items() for module in modules
    if library != "ccc" and module.__name__ != "ccc.primitives.bilinear"
], ids=str)  # fmt: skip
def test_every_function_of_a_table_is_found_in_it(key: tuple[str, str]):
    """That of a library whose functions it holds is asked where another process knows none of them yet."""
    run = subprocess.run([sys.executable, "-c", EVERY_KEY, *key], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []


@pytest.mark.parametrize(("module", "name"), [
    (iterators, "ITERATORS"), (sequences, "SEQUENCES"), (decorated, "DECORATORS"),
])  # fmt: skip
def test_every_function_of_pythons_library_is_known_by_the_table_that_holds_it(module: ModuleType, name: str):
    held = {f for f, handler in known_functions.LIBRARY.items() if name in [
        cell.cell_contents for cell in handler.__closure__ or () if isinstance(cell.cell_contents, str)]}
    assert held == getattr(module, name).keys()
