"""What SciPy's results say that is known, by name or by key, as its own are: dicts whose keys are attributes.

>>> import dataclasses
>>> found = dataclasses.make_dataclass("Found", ["x"], bases=(Result,))(2.0)
>>> found.x, found["x"]
(2.0, 2.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import scipy.optimize

optimize: Any = scipy.optimize


@dataclass
class Result:
    """What some result says; where SciPy has more, it is refused by name."""

    __ccc_record__ = True  # a value of programs, though its class is of the project
    __ccc_bases__ = (dict,)

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


@dataclass
class Optimum(Result):
    """The result of a search, or a solution in time."""

    __ccc_bases__ = (optimize.OptimizeResult,)
