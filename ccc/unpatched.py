"""The modules that emitted code and definitions of this library call, as they were when this library was loaded.

A user may put other functions into them, `math.sin = other`. Then it is the user's code that calls these.

>>> import math
>>> as_loaded(math).sin is math.sin, as_loaded(math) is math, original(vars(math), "sin") is math.sin
(True, False, True)
>>> original({"sin": 1}, "sin"), as_loaded(1)
(None, 1)
"""

from __future__ import annotations

import builtins
import math
import operator
from types import ModuleType
from typing import Any

import numpy as np


def _copied(module: ModuleType) -> ModuleType:
    found = ModuleType(module.__name__, module.__doc__)
    vars(found).update(vars(module))
    return found


_COPIES = {id(vars(module)): (module, _copied(module)) for module in (builtins, math, operator, np, np.linalg)}
_OF = {id(module): copy for module, copy in _COPIES.values()}
BUILTINS: dict[str, Any] = dict(vars(builtins))
"""What names of Python's own stood for."""


def as_loaded(x: Any) -> Any:
    """A module as it was, where it is one of these; anything else as it is."""
    return _OF.get(id(x), x)


def original(space: dict[str, Any], name: str) -> Any:
    """What a name of a module with this namespace stood for; None where that is not known."""
    known = _COPIES.get(id(space))
    return None if known is None else vars(known[1]).get(name)
