"""Following the help of a refusal works: each program of `tests/mends` is refused with the very words of its case, and
compiles to what plain Python and differences give once it is written as they say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mend_cases import Case, all_cases, loaded, once_refused, said, works

import ccc
from ccc.compile.api import wrapper
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import custom


@pytest.fixture
def rules() -> Iterator[None]:
    """What a program registers is forgotten behind it."""
    known, modules = dict(custom.RULES), set(sys.modules)
    yield
    for name in set(sys.modules) - modules:
        if name.startswith(("refused_", "mended_")):
            del sys.modules[name]
    known |= {f: rule for f, rule in custom.RULES.items() if str(getattr(f, "__module__", "")).startswith("ccc.")}
    if known != custom.RULES:  # those of the modules of this library stay, which are loaded once
        custom.RULES.clear()
        custom.RULES.update(known)
        wrapper.forget()


@pytest.mark.share(4)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
@pytest.mark.usefixtures("rules")
def test_the_mend_of_a_refusal_works(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = said(case, tmp_path / f"refused_{case.name}.py")
    if not any(map(case.is_said, found)):  # stores let it run, or get on to what else is refused
        if not found:
            works(case, tmp_path / f"refused_in_stores_{case.name}.py", "-")
        monkeypatch.setenv("CCC_STORES", "never")
        wrapper.forget()
        found = said(case, tmp_path / f"refused_without_{case.name}.py")
    assert any(map(case.is_said, found))
    works(case, tmp_path / f"mended_{case.name}.py")


@pytest.mark.share(4)
@pytest.mark.parametrize("case", once_refused(), ids=lambda case: case.name)
def test_what_was_once_refused_runs(case: Case, tmp_path: Path):
    works(case, tmp_path / f"{case.name.replace('-', '_')}.py", "-")


CHAIN = " and ".join(["x > 0.0"] * 4000)
DEEP = {
    "expressions": (
        f"def f(x):\n    return x if {CHAIN} else 0.0\n",
        "def f(x):\n    found = x > 0.0\n" + "    found = found and x > 0.0\n" * 399
        + "    return x if found else 0.0\n",
        "split it over several assignments or functions",
    ),
    "functions": (
        "def f0(x):\n    return x * x\n" + "".join(f"def f{i}(x):\n    return f{i - 1}(x)\n" for i in range(1, 4000))
        + "f = f3999\n",
        "def f(x):\n    return x * x\n",
        "split it over several assignments or functions",
    ),
}  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_is_split(name: str, tmp_path: Path):
    refused, mended, help = DEEP[name]

    def slope(text: str, file: str) -> Any:
        return ccc.value_with_gradient(loaded(tmp_path / f"{name}_{file}.py", text)["f"])(2.0)

    with pytest.raises(CompileError) as raised:
        slope(refused, "refused")
    assert (raised.value.diagnostics[0].code, raised.value.diagnostics[0].help) == ("CC060", help)
    assert slope(mended, "mended") == {"expressions": (2.0, 1.0), "functions": (4.0, 4.0)}[name]
