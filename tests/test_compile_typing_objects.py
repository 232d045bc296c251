"""Types that are written with `typing` are known values: what they are made of is read."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np
from checks import agrees, agrees_in_value

Floats = typing.Union[np.float32, np.float64]  # noqa: UP007
Mode = typing.Literal["sum", "mean"]


def as_floats(x, dtype=None):
    dtype = np.float64 if dtype is None else dtype
    if dtype not in Floats.__args__:
        raise ValueError("no dtype of floats")
    return np.asarray(x, dtype)


def of_one_type(x):
    return np.sum(as_floats(x) ** 2) * len(Floats.__args__)


def in_a_mode(x, mode):
    if mode not in typing.get_args(Mode):
        raise ValueError(mode)
    return np.sum(x * x) if mode == "sum" else np.mean(x * x)


def of_an_origin(x):
    kind: Any = Floats
    return x * 2.0 if typing.get_origin(kind) is typing.Union else x


def test_arguments_of_types_are_read():
    agrees(of_one_type, np.array([0.5, 2.0]))
    agrees(of_an_origin, 0.5)
    agrees(lambda x: in_a_mode(x, "sum"), np.array([0.5, 2.0]))
    agrees(lambda x: in_a_mode(x, "mean"), np.array([0.5, 2.0]))
    agrees_in_value(lambda x: in_a_mode(x, "other"), 2.0)
    agrees_in_value(lambda x: as_floats(x, np.int64), 2.0)
