"""What is said of a code of diagnostics.

>>> print(Page("zero", "There is none.", "1.0 / x", "1.0 / (x + 1.0)").written("C1"))
C1: zero
<BLANKLINE>
There is none.
<BLANKLINE>
Refused:
<BLANKLINE>
    1.0 / x
<BLANKLINE>
Mended:
<BLANKLINE>
    1.0 / (x + 1.0)
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """What a code says: a title, more about it, a program that meets it and one that does not. Programs see `ccc`, `np`
    and `math`; `options` are those of the Python that has to run them."""

    title: str
    text: str
    refused: str
    mended: str
    options: tuple[str, ...] = ()

    def written(self, code: str) -> str:
        """The page as text."""
        text = textwrap.fill(self.text, 120)
        programs = [textwrap.indent(program, "    ") for program in (self.refused, self.mended)]
        return f"{code}: {self.title}\n\n{text}\n\nRefused:\n\n{programs[0]}\n\nMended:\n\n{programs[1]}"
