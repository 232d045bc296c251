"""Programs that are refused beside the same programs mended as the help says.

A case is what is said, arguments or what is computed, and a program in which lines that begin with `-` stand only in
what is refused, and lines that begin with `+` only in what is mended:

    error[CC003]: `eval` is not supported
    help: write the expression out
    at 2.0
      def f(x):
    -     return x * eval("3.0")
    +     return x * 3.0

The function `f` is differentiated at the arguments; in place of them, `gives` says what `run()` gives once mended.
"""

from __future__ import annotations

import copy
import importlib.util
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from checks import agrees, same, value_of

import ccc
from ccc.diagnostics import Diagnostic

FOLDER = Path(__file__).parent / "mends"
IMPORTS = """\
import collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator, random, typing
import numpy as np
import ccc
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple


"""


@dataclass(frozen=True)
class Case:
    """What is said of a program, what it is run at, and its lines with a sign before each."""

    name: str
    code: str
    message: str
    help: str
    at: str
    lines: tuple[str, ...]

    def is_said(self, found: Diagnostic) -> bool:
        """Whether it is what is said."""
        return (found.code, found.message, found.help) == (self.code, self.message, self.help)

    def program(self, sign: str) -> str:
        """The program that is refused, of "-", or mended, of "+"."""
        return IMPORTS + "\n".join([line[2:] for line in self.lines if line[:1] in ("", " ", sign)]) + "\n"


def cases(text: str, name: str) -> Iterator[Case]:
    """The cases of a file."""
    for i, part in enumerate(re.split(r"\n(?=(?:error|warning)\[)", text.strip("\n"))):
        head, help, at, *lines = part.rstrip().split("\n")
        found = re.fullmatch(r"(?:error|warning)\[(CC\d{3})\]: (.*)", head)
        assert found and help.startswith("help: ") and at.startswith(("at ", "gives ")), part
        yield Case(f"{name}-{i}", found[1], found[2], help.removeprefix("help: "), at, tuple(lines))


def all_cases() -> list[Case]:
    """The cases of all files."""
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in cases(path.read_text("utf-8"), path.stem)]


def once_refused() -> list[Case]:
    """Programs that were refused and run now, each from its `at` or `gives` to the next."""
    text = (FOLDER.parent / "once_refused.txt").read_text("utf-8").rstrip()
    parts = [part.split("\n") for part in re.split(r"\n\n(?=at |gives )", text)]
    return [Case(f"once-{i}", "", "", "", at, tuple(lines)) for i, (at, *lines) in enumerate(parts)]


def loaded(path: Path, text: str) -> dict[str, Any]:
    """What a module with this text defines."""
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.__dict__


def arguments(case: Case, space: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that a case is run at."""
    return eval(f"({case.at.removeprefix('at ')},)", space)


def said(case: Case, path: Path) -> list[Diagnostic]:
    """What is said of the program that is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ccc.CCCWarning)
        try:
            space = loaded(path, case.program("-"))
            if case.at.startswith("at "):
                ccc.value_with_gradient(space["f"])(*arguments(case, space))
            else:
                space["run"]()
        except ccc.CCCError as error:
            first = error.told().diagnostics[0].code
            assert error.code == first and str(error).startswith(f"error[{first}]: ")
            return list(error.diagnostics)
        except ccc.CCCWarning as warning:
            return list(warning.diagnostics)  # type: ignore[attr-defined]
    return []


def works(case: Case, path: Path, sign: str = "+") -> None:
    """The program that is mended, or the other one where stores let it run, compiles, and gives what plain Python and
    differences do."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ccc.CCCWarning)
        space = loaded(path, case.program(sign))
        if case.at.startswith("at "):
            f, given = space["f"], arguments(case, space)
            if changes(f, given):
                return
            agrees(f, *given, second=False, exponentials=("Delta",))
        else:
            found, wanted = space["run"](), eval(case.at.removeprefix("gives "), space)
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def changes(f: Any, given: Any) -> bool:
    """Whether a function changes its arguments; then the compiled one changes them alike, and gives the same."""
    wanted, found, moved = [copy.deepcopy(given) for _ in range(3)]
    value = f(*wanted)
    if repr(wanted) == repr(given):
        return False
    assert same(value_of(f, *found), value) and repr(found) == repr(wanted)
    assert same(ccc.value_with_gradient(f)(*moved)[0], value) and repr(moved) == repr(wanted)
    return True


__all__ = ["Case", "all_cases", "cases", "loaded", "once_refused", "said", "works"]
