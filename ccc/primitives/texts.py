"""Texts that are known only when the program runs: their methods, letters and slices. They are discrete, so what is
asked of them has no derivative, and counts as constant.

>>> method("startswith")("sword", ("s", "a")), letters("ab"), letter("ab", -1), within("w", "sword")
(True, ['a', 'b'], 'b', True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ccc.base import Traced
from ccc.errors import UnknownObject
from ccc.objects import BOOL, INT, REAL, TEXT, List, Object, Product, Text
from ccc.primitives.facts import MAY, NEVER, NEW, STORAGE
from ccc.primitives.primitive import Primitive, sample


def method(name: str) -> Callable[..., Any] | None:
    """What a method of a text gives, `find` of `text.find`; None for what is no method of texts."""
    found = getattr(str, name, None)
    return partial(_asked, name) if callable(found) and not name.startswith("_") else None


def repeated(text: Any, times: Any) -> Any:
    """`text * times`.

    >>> repeated("ab", 2)
    'abab'
    """
    return _asked("__mul__", text, times)


def _asked(name: str, text: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a method for arguments some of which are known, by the primitive. Raises `TypeError` for others."""
    given = [*args, *kwargs.values()]
    free = [i for i, x in enumerate(given) if isinstance(x, Traced)]
    known = tuple([None if i in free else x for i, x in enumerate(given)])
    hash(known)
    return asked(text, *[given[i] for i in free], name=name, known=known, free=tuple(free), named=tuple(kwargs))


def _ask(
    text: str, *args: Any, name: str, known: tuple[Any, ...], free: tuple[int, ...], named: tuple[str, ...]
) -> Any:
    given = list(known)
    for i, x in zip(free, args, strict=True):
        given[i] = x
    count = len(given) - len(named)
    return getattr(text, name)(*given[:count], **dict(zip(named, given[count:], strict=True)))


def _object(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """The object of what a method gives, found by trying it on a text in which others occur."""
    texts = [x for known in params["known"] for x in (known if isinstance(known, tuple) else (known,))]
    tried = "".join(["a", *[x for x in texts if isinstance(x, str)]])
    return _of(_ask(tried, *["a" if isinstance(a, Text) else sample(a) for a in args[1:]], **params))


def _of(found: Any) -> Object:
    if isinstance(found, tuple):
        return Product(tuple(map(_of, found)))
    of = {bool: BOOL, int: INT, str: TEXT, list: List(TEXT)}.get(type(found))
    if of is None:
        raise UnknownObject(f"no object of `{type(found).__name__}`")
    return of


def _asked_source(text: str, *texts: str, name: str, known: Any, free: Any, named: Any) -> str:
    given = list(map(repr, known))
    for i, x in zip(free, texts, strict=True):
        given[i] = x
    count = len(given) - len(named)
    given[count:] = [f"{k}={x}" for k, x in zip(named, given[count:], strict=True)]
    return f"{text}.{name}({', '.join(given)})"


asked = Primitive("asked", _ask, _object, _asked_source, exact=True, memory=NEW, work=STORAGE, raises=MAY)
"""What a method of a text gives; of the arguments those that are `free` are arguments of the primitive too."""
letters = Primitive("letters", list, lambda p, args, params: List(TEXT), "[*{}]", exact=True, memory=NEW,
                    work=STORAGE, raises=NEVER)
size = Primitive("letters_in", len, lambda p, args, params: INT, "len({})", exact=True, memory=NEW, work=STORAGE,
                 raises=NEVER)
letter = Primitive("letter", operator.getitem, lambda p, args, params: TEXT, "{}[{}]", exact=True, memory=NEW,
                   work=STORAGE, raises=MAY)
within = Primitive("within", lambda part, text: part in text, lambda p, args, params: BOOL, "({} in {})", exact=True,
                   memory=NEW, work=STORAGE, raises=NEVER)
"""Whether a text is part of another one."""


def _bounds(text: str, *bounds: Any, kept: tuple[bool, ...]) -> str:
    given = iter(bounds)
    return text[slice(*[next(given) if one else None for one in kept])]


def _bounds_source(text: str, *bounds: str, kept: tuple[bool, ...]) -> str:
    given = iter(bounds)
    return f"{text}[{':'.join([next(given) if one else '' for one in kept])}]"


part = Primitive("part_of_text", _bounds, lambda p, args, params: TEXT, _bounds_source, exact=True, memory=NEW,
                 work=STORAGE, raises=MAY)
"""A slice of a text; `kept` says which of its three bounds there are."""


whole_in = Primitive("whole_in", int, lambda p, args, params: INT, lambda *texts: f"int({', '.join(texts)})",
                     exact=True, memory=NEW, work=STORAGE, raises=MAY)
"""The whole number that a text says, in a base."""
real_in = Primitive("real_in", float, lambda p, args, params: REAL, "float({})", memory=NEW, work=STORAGE, raises=MAY)
"""The number that a text says."""


class Reading:
    """A function of numbers that takes a text for the number that it says."""

    def __init__(self, of_number: Primitive, of_text: Primitive) -> None:
        self.of_number = of_number
        self.of_text = of_text

    @property
    def moves(self) -> bool:
        """Whether what it gives is a real, which moves with what a text says."""
        return self.of_text is real_in

    def __call__(self, x: Any, *base: Any) -> Any:
        if base and self.moves:
            raise TypeError(f"float expected at most 1 argument, got {1 + len(base)}")
        found = x.object if isinstance(x, Traced) else TEXT if isinstance(x, str) else None
        return self.of_text(x, *base) if base or isinstance(found, Text) else self.of_number(x)
