"""A program as the text of a module, and what is needed to make functions of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ccc.compile.native.parallel_parts import Shared
from ccc.objects import Object


@dataclass
class Lowered:
    """The text of a module, its entry points, and the objects of the arguments; `held` are the objects that it names.
    `exact` says that the first entry point looks at all that the program depends on in its arguments, and `shared` are
    the loops that several threads can share."""

    text: str
    params: list[Object]
    entries: list[str]
    exact: bool
    held: list[Any]
    shared: dict[str, Shared]
