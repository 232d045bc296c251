"""Texts that a program is given or makes: in machine code the address of the one object that stands for a text.

    known(text)      the object that stands for a text in the code that runs
    lasting(text)    the same of a text that codes have as a constant, which is never forgotten

So equal texts have equal addresses, and machine code keeps them in lists, tuples and records, hands them on, and asks
whether two are the same. What looks into a text goes out (`calls_out`).

>>> from ccc.compile.native.living import alive
>>> def kernel(a, b):
...     return known(a) is known(b)
>>> alive(kernel)("one" + "two", "onet" + "wo"), lasting("".join(["a", "b"])) is lasting("ab")
(True, True)
"""

from __future__ import annotations

from ccc.compile.native.living import RUNNING

CONSTANTS: dict[str, str] = {}
"""The texts that codes of this process have as constants."""


def texts() -> dict[str, str]:
    """The texts that the code which runs has met, by what they say."""
    return RUNNING.texts


def known(text: str) -> str:
    """The object that stands for a text. A constant that comes while the code runs is none of that code."""
    found = RUNNING.texts.get(text)
    if found is None:
        found = RUNNING.texts[text] = CONSTANTS.get(text, text)
    return found


def lasting(text: str) -> str:
    """The object that stands for a constant."""
    return CONSTANTS.setdefault(text, text)
