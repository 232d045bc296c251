"""Programs that keep their numbers in dicts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any


def sparse_cosine(u: dict[int, float], v: dict[int, float], size: int) -> float:
    """The cosine of two sparse vectors."""
    dot = uu = vv = 0.0
    for i in range(size):
        if i in u:
            uu += u[i] * u[i]
        if i in v:
            vv += v[i] * v[i]
            if i in u:
                dot += u[i] * v[i]
    return dot / math.sqrt(uu * vv)


def sparse_product(a: list[tuple[int, int, float]], x: dict[int, float]) -> float:
    """The squared norm of a sparse matrix, given by its entries, times a sparse vector."""
    y: dict[int, float] = {}
    for i, j, value in a:
        if j in x:
            y[i] = y.get(i, 0.0) + value * x[j]
    return sum(v * v for v in y.values())


def smooth_knapsack(values: list[float], weights: list[int], room: int, sharpness: float) -> float:
    """The soft maximum over all choices that fit, by a table of what was computed already."""
    best = {(0, r): 0.0 for r in range(room + 1)}
    for k in range(len(values)):
        for r in range(room + 1):
            without = best[k, r]
            if weights[k] <= r:
                with_it = best[k, r - weights[k]] + values[k]
                top = max(without, with_it)
                both = math.exp(sharpness * (without - top)) + math.exp(sharpness * (with_it - top))
                best[k + 1, r] = top + math.log(both) / sharpness
            else:
                best[k + 1, r] = without
    return best[len(values), room]


def word_loss(weights: dict[str, float], documents: list[list[str]], labels: list[int]) -> float:
    """Logistic loss of a bag of words."""
    loss = 0.0
    for i, words in enumerate(documents):
        counts = Counter(words)
        score = 0.0
        for word, count in counts.items():
            score += weights[word] * math.log1p(count)
        loss += math.log1p(math.exp(-score if labels[i] == 1 else score))
    return loss / len(labels)


def unigram_loss(logits: dict[str, float], text: list[str]) -> float:
    """Cross entropy of the softmax over a vocabulary with how often the words of a text occur."""
    total = sum(math.exp(z) for z in logits.values())
    counts: dict[str, int] = {}
    for word in text:
        counts[word] = counts.get(word, 0) + 1
    loss = 0.0
    for word in counts:
        loss -= counts[word] * (logits[word] - math.log(total))
    return loss


def shortest_path(lengths: list[float], edges: list[tuple[int, int]], goal: int) -> float:
    """Bellman and Ford's relaxation of distances along the edges of a graph."""
    distance = {0: 0.0}
    for _ in range(goal):
        for i, (u, v) in enumerate(edges):
            if u in distance:
                d = distance[u] + lengths[i]
                if v not in distance or d < distance[v]:
                    distance[v] = d
    return distance[goal]


def conduction(conductances: list[float], edges: list[tuple[int, int]], heat: dict[int, float], steps: int) -> float:
    """Heat that flows along the edges of a graph: the energy left after some steps."""
    around: Any = defaultdict(list)
    for i, (u, v) in enumerate(edges):
        around[u].append((v, i))
        around[v].append((u, i))
    now = {node: heat[node] for node in heat}
    for _ in range(steps):
        after = {}
        for node, t in now.items():
            flow = 0.0
            for other, i in around[node]:
                flow += conductances[i] * (now[other] - t)
            after[node] = t + 0.1 * flow
        now = after
    return sum(t * t for t in now.values())
