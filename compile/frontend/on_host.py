"""The value of a body that a primitive stands for, outside of programs: a term, and code where it is called often, as
by a library that a function is handed to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ccc.base import HOST
from ccc.categories.rules import Checkpoint
from ccc.errors import CCCError
from ccc.objects import Object

LOWERINGS: list[Callable[[Checkpoint, Sequence[Object]], Callable[..., Any]]] = []
"""What makes a function of Python of a body; `ccc.compile.api.hosting` enters it."""
OFTEN = 4
"""A body that is called so often is compiled, where that changes nothing but the time."""


class OnHost:
    """The function of Python that a body is, at arguments of some objects."""

    def __init__(self, body: Checkpoint, params: Sequence[Object], is_pure: bool) -> None:
        self.body = body
        self.params = params
        self.left = OFTEN if is_pure else 0
        self.function: Callable[..., Any] | None = None

    def __call__(self, *xs: Any) -> Any:
        if self.function is not None:
            return self.function(*xs)
        self.left -= 1
        if self.left == 0 and LOWERINGS:
            with suppress(CCCError):  # what cannot be staged stays a term
                self.function = LOWERINGS[0](self.body, self.params)
        return self.body.value(HOST, xs)
