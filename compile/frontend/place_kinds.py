"""As what a thing stands in a store of the program, and how what changed is written to the caller's.

>>> StoredAs.RECORD.has_names, StoredAs.of_class(dict), WrittenAs.ITEMS.by_name
(True, <StoredAs.DICT>, False)
"""

from __future__ import annotations

from enum import Enum

from ccc.objects import Array, List, Map, Object, Record


class StoredAs(Enum):
    """As what an object, list, dict or array stands in a store: what it is called, and what an entry is there."""

    OBJECT = "object", Record
    RECORD = "record", Record  # a dict of constant keys
    LIST = "list", List
    DICT = "dict", Map
    ARRAY = "array", Array

    def __init__(self, says: str, entry: type[Object]) -> None:
        self.says = says
        self.entry = entry

    def __repr__(self) -> str:
        return f"<StoredAs.{self.name}>"

    @property
    def has_names(self) -> bool:
        """Whether its parts have names, and each a type of its own."""
        return self.entry is Record

    @property
    def is_container(self) -> bool:
        """Whether it is a list or a dict of the program, which is read by indices or keys."""
        return self is not StoredAs.OBJECT and self is not StoredAs.ARRAY

    @classmethod
    def of_class(cls, made: type) -> StoredAs:
        """As what the values of a class stand there, where their parts are not told apart."""
        return cls.LIST if made is list else cls.DICT if made is dict else cls.OBJECT


class WrittenAs(Enum):
    """How a place of the caller's is written behind a call."""

    ARRAY = "its entries"
    LIST = "the items of a list"
    ITEMS = "its items, each on its own"
    MAP = "the entries of a map"
    OBJECT = "some attributes"
    DICT = "the items under some keys"
    ANEW = "all items, in another order"
    WHOLE = "all that a container holds"
    PLACE = "by the store in which it stands"

    def __repr__(self) -> str:
        return f"<WrittenAs.{self.name}>"

    @property
    def by_name(self) -> bool:
        """Whether what is written has names, or keys."""
        return self in (WrittenAs.OBJECT, WrittenAs.DICT, WrittenAs.ANEW)
