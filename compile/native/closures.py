"""What is known of a closure while code is written: `calls` makes it, whoever calls or hands it out reads it."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Let, Var


class Function:
    """A closure whose code is known: what it captures, and the layout of its results."""

    def __init__(self, name: str, let: Let, captured: list[Var], results: list[Any]) -> None:
        self.name = name
        self.let = let
        self.captured = captured
        self.results = results
