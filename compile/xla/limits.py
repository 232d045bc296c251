"""How much memory programs for XLA take for what loops keep for their derivatives.

>>> with tape_limit(1 << 20):
...     LIMIT.get()
1048576
>>> LIMIT.get() is None
True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ccc.compile.diagnostics import WrongArguments

LIMIT: ContextVar[int | None] = ContextVar("LIMIT", default=None)
"""How many bytes what a loop keeps for its derivative may take; None for any number."""


@contextmanager
def tape_limit(nbytes: int | None) -> Iterator[None]:
    """Within it, what a loop keeps for its derivative takes at most so many bytes where XLA computes it.

    >>> from ccc import gradient
    >>> def halved(x):
    ...     while x > 1e-3:
    ...         x = 0.5 * x
    ...     return x
    >>> with tape_limit(200):
    ...     print(gradient(halved, backend="xla")(1.0))
    0.0009765625

    A loop that needs more keeps some of its states, and its turns run again from these, from the last to the first:
    `while` and adaptive steps with any number of turns, and `for`. Of loops in one another each has the limit, the
    inner one for each turn of the outer one; three states and one turn are always kept. What is read otherwise than by
    a derivative of first order is kept whole. None is no limit. Raises `WrongArguments` for what is no int above 0.

    Source: Wang, Moin and Iaccarino, *Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
    calculation* (2009).
    """
    if nbytes is not None and (type(nbytes) is not int or nbytes < 1):
        raise WrongArguments(f"tape_limit takes a number of bytes, an int above 0, found {nbytes!r}",
                             help="write `with ccc.tape_limit(1 << 30):`")
    token = LIMIT.set(nbytes)
    try:
        yield
    finally:
        LIMIT.reset(token)
