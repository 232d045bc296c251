"""Python's `uuid`: names that no other object has, made when the program runs; they say nothing of numbers.

>>> fresh() == fresh(), len(fresh())
(False, 32)
"""

from __future__ import annotations

import uuid
from typing import Any

from ccc.compile.frontend.numpy_functions.table import class_for, definition_of
from ccc.compile.frontend.unrepeatable import read_when_run


@class_for(uuid.UUID)
class UUID:
    """`UUID`: the text of its digits."""

    def __init__(self, hex: Any) -> None:
        self.digits = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "").lower()
        if len(self.digits) != 32:
            raise ValueError("badly formed hexadecimal UUID string")

    @staticmethod
    def __ccc_gives__(digits: Any) -> Any:
        return uuid.UUID(digits)

    @staticmethod
    def __ccc_takes__(value: Any) -> Any:
        return {"digits": value.hex}

    @property
    def hex(self) -> Any:
        return self.digits

    @property
    def urn(self) -> Any:
        return "urn:uuid:" + str(self)

    def __str__(self) -> str:
        d = self.digits
        return "-".join([d[:8], d[8:12], d[12:16], d[16:20], d[20:]])

    def __repr__(self) -> str:
        return f"UUID('{self}')"

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, uuid.UUID) and self.digits == other.digits  # type: ignore[attr-defined]

    def __ne__(self, other: Any) -> Any:
        return not (isinstance(other, uuid.UUID) and self.digits == other.digits)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.digits)

    def __lt__(self, other: Any) -> Any:
        return self.digits < other.digits


@read_when_run
def fresh() -> str:
    """The digits of a name that no other object has."""
    return uuid.uuid4().hex


@definition_of(uuid.uuid4, uuid.uuid1)
def made() -> Any:
    return uuid.UUID(fresh())
