"""Sources of random numbers that a program makes: in machine code a number stands for one, while the code runs.

    making(made)            what makes a source, as one that gives its number
    drawing(source, n, at)  the function of n arguments that source text says, of which those at places are sources

Where the code leaves, the program runs from its beginning, and makes its sources anew: so draws happen once for who
sees what they give. A number that is not that of a source of this run, as in another thread, raises `KeyError`.

>>> from ccc.compile.native.living import alive
>>> def kernel(seed):
...     number = making(np.random.default_rng)(seed)
...     return drawing("{}.integers({})".format, 2, (0,))(number, 10)
>>> alive(kernel)(3) == np.random.default_rng(3).integers(10)
np.True_
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from ccc.compile.native.living import RUNNING
from ccc.primitives.drawing import refusal

NUMBERS = count()


def making(made: Callable[..., Any]) -> Callable[..., int]:
    """What makes a source, as a function that gives the number of that."""
    def called(*args: Any) -> int:
        number = next(NUMBERS)
        RUNNING.sources[number] = made(*args)
        return number

    return called


def drawing(source: Callable[..., str], count: int, places: Sequence[int]) -> Callable[..., Any]:
    """What the source text of a draw says of so many arguments, as one function, since it is called often: those at
    some places are numbers of sources."""
    names = [f"x{i}" for i in range(count)]
    texts = [f"running.sources[{name}]" if i in places else name for i, name in enumerate(names)]
    meanings = {"np": np, "refusal": refusal.value, "running": RUNNING}
    return eval(f"lambda {', '.join(names)}: {source(*texts)}", meanings)
