"""Functions with caches as objects with a dict: they are read as the classes of users are.

>>> double = Cached(lambda n: 2 * n)
>>> double(3), double(3), double.found
(6, 6, {(3,): 6})
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.decorated import computed_anew


class Cached:
    """What `functools.cache` makes of a function. With a real number among the arguments it is computed anew: two that
    are equal by chance have derivatives of their own."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.found = {}

    @property
    def __wrapped__(self) -> Any:
        return self.function

    def cache_clear(self) -> None:
        self.found = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        if computed_anew(self.function, args, named):
            return self.function(*args, **named)
        key = (*args, *named, *named.values())
        if key not in self.found:
            self.found[key] = self.function(*args, **named)
        return self.found[key]
