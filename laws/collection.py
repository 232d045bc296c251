"""Seldom collecting cycles: what examples make is small and mostly no garbage that a collection would find.

>>> with seldom():
...     gc.get_threshold()[0]
6000000
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 6_000_000  # 0.6 gigabytes of garbage, which takes seconds to find and to free: two processes never do


@contextmanager
def seldom() -> Iterator[None]:
    """Collects where there are so many new objects, and leaves alone what is there already; inside another such block
    that is the case, and what is kept from collection is given back once."""
    before = gc.get_threshold()
    if before[0] >= OBJECTS:
        yield
        return
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
