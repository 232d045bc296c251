"""The indices of `np.einsum` in each of its forms, as a letter for each axis.

>>> subscripts_of((None, [0, 1], None, [1, 2]))
('AB,BC', [None, None])
>>> with_letters("...i,i", [3, 1]), with_letters("ii", [2])
((['abi', 'i'], 'ab'), (['ii'], ''))
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

LETTERS = string.ascii_uppercase + string.ascii_lowercase


def subscripts_of(operands: Sequence[Any]) -> tuple[str, list[Any]]:
    """The text of the indices, and the arrays: of operands with lists of numbers behind them, a letter for each
    number."""
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    pairs, last = list(zip(operands[::2], operands[1::2], strict=False)), len(operands) % 2
    text = ",".join([_letters(indices) for _, indices in pairs])
    return text + (f"->{_letters(operands[-1])}" if last else ""), [array for array, _ in pairs]


def _letters(indices: Any) -> str:
    if not isinstance(indices, (list, tuple)) or not all(
        entry is Ellipsis or (isinstance(entry, int) and 0 <= entry < len(LETTERS)) for entry in indices
    ):
        raise TypeError(f"np.einsum takes a text, or a list of numbers behind each operand: found {indices!r}")
    return "".join(["..." if entry is Ellipsis else LETTERS[entry] for entry in indices])


def with_letters(subscripts: str, ranks: Sequence[int | None]) -> tuple[list[str], str]:
    """The indices of operands of these ranks and of the result, with letters in the place of an ellipsis.

    Raises `ValueError` where they are not those of the operands, `TypeError` for an ellipsis of unknown length.
    """
    given, arrow, out = subscripts.partition("->")
    parts = given.split(",")
    if len(parts) != len(ranks):
        raise ValueError(f"np.einsum was given {len(ranks)} operands for {len(parts)}")
    free = [c for c in string.ascii_letters if c not in subscripts]
    counts = [_hidden(part, rank) for part, rank in zip(parts, ranks, strict=True)]
    hidden = "".join(free[: max(counts)])
    parts = [part.replace("...", hidden[len(hidden) - count :]) for part, count in zip(parts, counts, strict=True)]
    if not arrow:
        text = given.replace("...", "")
        once = sorted({c for c in text if c != "," and text.count(c) == 1})
        return parts, hidden + "".join(once)
    return parts, out.replace("...", hidden)


def _hidden(part: str, rank: int | None) -> int:
    """How many axes an ellipsis stands for."""
    if "." not in part:
        return 0
    if rank is None:
        raise TypeError("np.einsum with an ellipsis needs arrays whose rank is known")
    named = len(part.replace("...", ""))
    if named > rank:
        raise ValueError("einstein sum subscripts string included more indices than the operand has axes")
    return rank - named
