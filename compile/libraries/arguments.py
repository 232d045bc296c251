"""What SciPy hands on to the functions that it is given.

>>> further(2.0), further((2.0, 3.0))
((2.0,), (2.0, 3.0))
"""

from __future__ import annotations

from typing import Any


def further(args: Any) -> Any:
    """The further arguments of a function: those in a tuple, or one alone."""
    return args if isinstance(args, tuple) else (args,)
