"""Sources of random numbers: NumPy's generators and Python's, which have a state that draws change.

In a program one is a value of its own object (`ccc.objects.Source`), and its draws are effects. NumPy loads
`numpy.random` where somebody asks for it, and so do we not: classes are told by their names.

>>> import random
>>> import numpy as np
>>> [is_source(x) for x in (np.random.default_rng(0), np.random.RandomState(0), random.Random(0), 0.0)]
[True, True, True, False]
"""

from __future__ import annotations

from typing import Any

import numpy as np


def seeded(seed: Any) -> Any:
    """A source of Python's `random`."""
    import random

    return random.Random(seed)


CLASSES = {
    ("numpy.random._generator", "Generator"): lambda: np.random.default_rng(0),
    ("numpy.random.mtrand", "RandomState"): lambda: np.random.RandomState(0),
    ("random", "Random"): lambda: seeded(0),
}
"""The classes of sources, each with what makes one, to see what its methods give."""


def named(cls: type) -> tuple[str, str]:
    """What tells a class."""
    return cls.__module__, cls.__name__


def is_source_class(cls: type) -> bool:
    """True for a class of sources; one that a user derived from it may draw otherwise, and is none."""
    return named(cls) in CLASSES


def is_source(value: Any) -> bool:
    """True for a source of random numbers."""
    return is_source_class(type(value))


def new(cls: type) -> Any:
    """A source of a class, the same each time.

    >>> new(np.random.Generator).integers(10) == new(np.random.Generator).integers(10)
    np.True_
    """
    return CLASSES[named(cls)]()
