"""What stands in the results of programs for objects of Python's which programs have by their parts.

>>> Tuple.give([1.0, 2.0]), Items.give((1, 2))
((1.0, 2.0), {1, 2})
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar


class HandedOut:
    """Base of the classes that stand in a result for an object of Python's which a program has by its parts; messages
    call it `said`."""

    said: ClassVar[str]

    @staticmethod
    def give(*parts: Any) -> Any:
        """The object, of the parts."""
        raise NotImplementedError

    @staticmethod
    def taken(value: Any) -> dict[str, Any] | None:
        """The parts of such an object, or of a cotangent for it, by their names; None for what is none."""
        return None


class Tuple(HandedOut):
    """A tuple whose length is not known while a program is read: its one part is the list of its items.

    >>> Tuple.give([1.0, 2.0]), Tuple.taken((1.0, 2.0)), Tuple.taken([1.0])
    ((1.0, 2.0), {'items': [1.0, 2.0]}, None)
    """

    said = "tuple"

    @staticmethod
    def give(*parts: Any) -> Any:
        return shaped(parts[0], (tuple, None))

    @staticmethod
    def taken(value: Any) -> dict[str, Any] | None:
        return {"items": [*value]} if type(value) is tuple else None


Form = tuple[type, Any] | None
"""What a list or dict of a program is in Python: its class, and the form of its items; None where it is as it is."""


def shaped(value: Any, form: Form, back: bool = False) -> Any:
    """A value of a program in a form, or (`back`) one in this form as the program has it. What a sum has of other kinds
    stays as it is.

    >>> shaped({"a": [[1.0], []]}, (dict, (list, (tuple, None))))
    {'a': [(1.0,), ()]}
    >>> shaped([[1.0], None, 2.0], (list, (tuple, None)))
    [(1.0,), None, 2.0]
    """
    if form is None or not isinstance(value, form[0] if back else dict if form[0] is dict else list):
        return value
    cls, inner = form
    if cls is dict:
        return {key: shaped(item, inner, back) for key, item in value.items()}
    return (list if back else cls)([shaped(item, inner, back) for item in value])


@lru_cache(maxsize=256)
def in_form(form: tuple[type, Any]) -> type[HandedOut]:
    """The class that stands in results for lists and dicts in which there are such tuples: its one part is the list or
    dict of the program.

    >>> in_form((list, (tuple, None))).give([[1.0], []])
    [(1.0,), ()]
    """
    if form == (tuple, None):
        return Tuple

    def taken(value: Any) -> dict[str, Any] | None:
        return {"items": shaped(value, form, back=True)} if type(value) is form[0] else None

    said = {"said": f"{form[0].__name__} of tuples", "give": staticmethod(lambda *parts: shaped(parts[0], form))}
    return type("Shaped", (HandedOut,), {**said, "taken": staticmethod(taken)})


class Items(HandedOut):
    """A set of items that are known: its one part is the tuple of them."""

    said = "set"

    @staticmethod
    def give(*parts: Any) -> Any:
        return set(parts[0])
