"""Objects of libraries with some arguments given, as `scipy.stats.norm(loc, scale)`.

    norm(loc, scale).logpdf(x)  =  norm.logpdf(x, loc, scale)

An extension of the registry says in `FROZEN` which objects freeze arguments, each with a class for what they give, in
`HOLDERS` of what classes they are, so that their methods are known, and in `ARGUMENTS` how what a program froze itself
is taken apart. Of other objects that a library makes, `ARGUMENTS` says which class of ours stands for them, and its
fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

Arguments = tuple[Any, tuple[Any, ...], Mapping[str, Any]]
"""An object, and the arguments that it was given."""


class WhenAsked(Mapping[str, Any]):
    """Arguments that are each found when it is asked for: a reader asks for one.

    >>> dict(WhenAsked(n=lambda: 2, half=lambda: 0.5))
    {'n': 2, 'half': 0.5}
    """

    def __init__(self, **of: Callable[[], Any]) -> None:
        self.of = of

    def __getitem__(self, name: str) -> Any:
        return self.of[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)


class Frozen:
    """An object whose methods take what is given behind their own arguments."""

    of: ClassVar[Any] = None
    like: ClassVar[Any] = None
    args: tuple[Any, ...]
    kwds: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        """A method, of what a program gives back."""
        found = None if name.startswith("_") or name in ("args", "kwds") else getattr(self.of, name, None)
        if not callable(found):
            raise AttributeError(f"`{type(self).__name__}` has no method `{name}`")
        return lambda *args, **kwds: found(*args, *self.args, **kwds, **self.kwds)  # type: ignore[reportUnknownLambdaType]


def frozen_class(of: Any, name: str, like: Any = None) -> type[Frozen]:
    """The class of what an object freezes; `like` is the library's, whose methods have parameters of their own."""
    return type(f"{name}_frozen", (Frozen,), {"of": of, "like": like})


FROZEN: dict[Any, type[Frozen]] = {}
"""Objects that can be called to freeze arguments, and the class of what they give."""
HOLDERS: list[type] = []
"""Classes of objects whose attributes stay what they are."""
ARGUMENTS: dict[type, Callable[[Any], Arguments | None]] = {}
"""By the class of what a program froze itself: the object that it froze, and the arguments."""
