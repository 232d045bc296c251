"""A convolution in two dimensions, by loops over the entries of the image and of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np


def convolved(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Where the kernel lies in the image as a whole."""
    rows, columns = kernel.shape
    out = np.zeros((image.shape[0] - rows + 1, image.shape[1] - columns + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for a in range(rows):
                for b in range(columns):
                    total += image[i + a, j + b] * kernel[a, b]
            out[i, j] = total
    return out


def loss(image: np.ndarray, kernel: np.ndarray, target: np.ndarray) -> Any:
    """Half the sum of squares of what the convolution has over a target."""
    difference = convolved(image, kernel) - target
    return 0.5 * np.sum(difference * difference)
