"""The logarithm of a sum of exponentials, without overflow."""

from __future__ import annotations

from typing import Any

import numpy as np


def logsumexp(x: np.ndarray) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))
