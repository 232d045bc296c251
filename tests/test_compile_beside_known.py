"""Loops along arrays beside items that are known and share no type: the items one by one, as many as the array has."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from checks import agrees


class Model:
    """Counts of what differs from model to model."""

    def __init__(self, text: str) -> None:
        self.counts = Counter(text)
        self.total = len(text)

    def chance(self, key: str, more: Any) -> Any:
        return (self.counts[key] + more) / (self.total + more)


MODELS = {"short": Model("a"), "long": Model("abba"), "other": Model("cab")}
TERMS = [("rate", 2), ("pair", (3.0, 4.0)), ("rest", None)]


def mixed(w):
    return sum(a * model.chance("b", 0.5) for a, (_, model) in zip(w, MODELS.items(), strict=False))


def added(w):
    t = 0.0
    for i, (a, (name, term)) in enumerate(zip(w * w, TERMS, strict=False)):
        if name == "pair":
            t = t + a * term[0] - term[1]
            continue
        t = t + (i + 1) * a * (1.0 if term is None else term)
    return t


def named(w):
    more = [v + 1.0 for v in w]
    found = {name: a * model.chance("a", a) for a, (name, model) in zip(more, MODELS.items(), strict=False)}
    return found["short"] ** 2 + sum(found.values())


@pytest.mark.parametrize("f", [mixed, added, named])
def test_items_that_share_no_type_beside_an_array(f):
    for n in (3, 2, 4, 1):
        agrees(f, np.linspace(0.3, 0.9, n))
