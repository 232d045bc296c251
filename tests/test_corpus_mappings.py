"""Programs that keep their numbers in dicts: each agrees with plain Python and with a reference of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees
from corpus import mappings

import ccc

U, V = {0: 1.0, 2: 3.0, 5: -0.5}, {2: 2.0, 3: 1.0, 5: 0.25}
ENTRIES = [(0, 0, 1.5), (0, 2, -0.5), (3, 2, 2.0), (3, 7, 9.0), (1, 5, 0.75)]
WORDS = [["good", "film", "good"], ["bad", "film"], ["good", "bad", "bad"]]
WEIGHTS = {"good": 0.7, "bad": -0.9, "film": 0.1, "unseen": 0.4}
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3)]
LENGTHS = [1.0, 0.5, 2.0, 0.75, 1.6]
HEAT = {0: 1.0, 1: 0.3, 2: -0.4, 3: 0.0}
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (mappings.sparse_cosine, (U, V, 6)),
    (mappings.sparse_product, (ENTRIES, U)),
    (mappings.smooth_knapsack, ([1.0, 2.0, 1.5], [1, 3, 2], 4, 2.0)),
    (mappings.word_loss, (WEIGHTS, WORDS, [1, 0, 0])),
    (mappings.unigram_loss, (WEIGHTS, ["good", "film", "good", "bad"])),
    (mappings.shortest_path, (LENGTHS, EDGES, 3)),
    (mappings.conduction, (LENGTHS, EDGES, HEAT, 4)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_a_program_agrees_with_plain_python_and_with_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def dense(v: dict[int, float], size: int) -> np.ndarray:
    return np.array([v.get(i, 0.0) for i in range(size)])


def close(found: dict[Any, float], expected: dict[Any, float]) -> None:
    assert list(found) == list(expected)
    for key, x in found.items():
        assert x == pytest.approx(expected[key], rel=1e-12, abs=1e-14), key


def test_cosine_by_formula() -> None:
    u, v = dense(U, 6), dense(V, 6)
    norms = np.linalg.norm(u) * np.linalg.norm(v)
    du = v / norms - np.dot(u, v) / norms * u / np.dot(u, u)
    close(ccc.gradient(mappings.sparse_cosine, wrt="u")(U, V, 6), {i: du[i] for i in U})


def test_product_by_matrices() -> None:
    a = np.zeros((4, 8))
    for i, j, value in ENTRIES:
        a[i, j] = value
    dx = 2 * a.T @ (a @ dense(U, 8))
    close(ccc.gradient(mappings.sparse_product, wrt="x")(ENTRIES, U), {i: dx[i] for i in U})


def test_knapsack_by_all_choices() -> None:
    values, weights, room, sharpness = [1.0, 2.0, 1.5], [1, 3, 2], 4, 2.0
    found = ccc.gradient(mappings.smooth_knapsack, wrt="values")(values, weights, room, sharpness)
    choices = [[c >> k & 1 for k in range(3)] for c in range(8)]
    choices = [c for c in choices if np.dot(c, weights) <= room]
    p = np.exp(sharpness * np.array([np.dot(c, values) for c in choices]))
    assert found == pytest.approx(list(p @ np.array(choices) / p.sum()), rel=1e-12)


def test_words_by_matrices() -> None:
    names = list(WEIGHTS)
    x = np.array([[math.log1p(words.count(name)) for name in names] for words in WORDS])
    y = np.array([1.0, 0.0, 0.0])
    slope = (1 / (1 + np.exp(-x @ np.array(list(WEIGHTS.values())))) - y) @ x / 3
    found = ccc.gradient(mappings.word_loss, wrt="weights")(WEIGHTS, WORDS, [1, 0, 0])
    close(found, dict(zip(names, slope, strict=True)))


def test_softmax_by_formula() -> None:
    text = ["good", "film", "good", "bad"]
    total = sum(map(math.exp, WEIGHTS.values()))
    expected = {w: len(text) * math.exp(z) / total - text.count(w) for w, z in WEIGHTS.items()}
    close(ccc.gradient(mappings.unigram_loss, wrt="logits")(WEIGHTS, text), expected)


def test_the_shortest_path_is_what_counts() -> None:
    assert ccc.gradient(mappings.shortest_path, wrt="lengths")(LENGTHS, EDGES, 3) == [1.0, 1.0, 0.0, 1.0, 0.0]


def test_conduction_by_matrices() -> None:
    a = np.eye(4)
    for c, (u, v) in zip(LENGTHS, EDGES, strict=True):
        e = np.zeros(4)
        e[u], e[v] = 1.0, -1.0
        a -= 0.1 * c * np.outer(e, e)
    power = np.linalg.matrix_power(a, 4)
    expected = 2 * power.T @ power @ np.array(list(HEAT.values()))
    close(ccc.gradient(mappings.conduction, wrt="heat")(LENGTHS, EDGES, HEAT, 4), dict(enumerate(expected)))
