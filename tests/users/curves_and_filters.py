"""Splines, filters, models of texts, arms and optics, with deques, sets, fields of dataclasses and complex arrays."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportIndexIssue=false
from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from dataclasses import asdict, astuple, dataclass, field, fields, replace

import numpy as np
from users_checks import agrees_with_python

import ccc


class Bezier:
    """A curve by its control points."""

    def __init__(self, pts) -> None:
        self.pts = [np.asarray(p) for p in pts]

    @property
    def degree(self) -> int:
        return len(self.pts) - 1

    def __call__(self, t):
        pts = self.pts
        while len(pts) > 1:
            pts = [(1 - t) * a + t * b for a, b in itertools.pairwise(pts)]
        return pts[0]

    def derivative(self) -> Bezier:
        return Bezier([self.degree * (b - a) for a, b in zip(self.pts, self.pts[1:], strict=False)])  # noqa: RUF007

    def curvature(self, t):
        first = self.derivative()
        (x1, y1), (x2, y2) = first(t), first.derivative()(t)
        return (x1 * y2 - y1 * x2) / (x1**2 + y1**2) ** 1.5

    def length(self, n):
        points = np.array([self(t) for t in np.linspace(0, 1, n)])
        return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


POINTS = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, -1.0], [3.0, 1.0]])


def check_bends_of_a_curve() -> None:
    """The second derivative has one control point less, and its factor is its own."""

    def f(points):
        curve = Bezier(points)
        return curve.length(20) + 0.1 * curve.curvature(0.3)

    agrees_with_python(f, POINTS)
    a, b = POINTS[1] - POINTS[0], POINTS[2] - POINTS[1]
    found = ccc.compiled(lambda points: Bezier(points).curvature(0.5))(POINTS[:3])
    assert np.isclose(found, 4.0 * (a[0] * b[1] - a[1] * b[0]) / np.linalg.norm(a + b) ** 3)


class Hidden:
    """A hidden Markov model that learns from what is seen."""

    def __init__(self, A, B, first) -> None:
        self.A, self.B, self.first = A, B, first

    def forward(self, seen):
        alpha, scale = np.zeros((len(seen), len(self.first))), np.ones(len(seen))
        alpha[0] = self.first * self.B[:, seen[0]]
        for t in range(len(seen)):
            if t:
                alpha[t] = (alpha[t - 1] @ self.A) * self.B[:, seen[t]]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return alpha, scale

    def backward(self, seen, scale):
        beta = np.zeros((len(seen), len(self.first)))
        beta[-1, :] = 1
        for t in range(len(seen) - 2, -1, -1):
            beta[t] = self.A @ (self.B[:, seen[t + 1]] * beta[t + 1]) / scale[t + 1]
        return beta

    def learn(self, seen, rounds):
        for _ in range(rounds):
            alpha, scale = self.forward(seen)
            beta = self.backward(seen, scale)
            gamma = alpha * beta / (alpha * beta).sum(axis=1, keepdims=True)
            xi = np.zeros_like(self.A)
            for t in range(len(seen) - 1):
                xi += alpha[t][:, None] * self.A * self.B[:, seen[t + 1]] * beta[t + 1] / scale[t + 1]
            self.A = xi / xi.sum(1, keepdims=True)
            new = self.B.copy()
            for k in range(self.B.shape[1]):
                new[:, k] = gamma[np.array(seen) == k].sum(0)
            self.B, self.first = new / gamma.sum(0)[:, None], gamma[0]
        return np.log(self.forward(seen)[1]).sum()


def check_two_rounds_of_baum_and_welch() -> None:
    seen, B = [0, 1, 2, 1, 0, 2, 2], np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])

    def f(A, rounds=2):
        return Hidden(A / A.sum(axis=1, keepdims=True), B, np.array([0.5, 0.5])).learn(seen, rounds)

    A = np.array([[0.7, 0.3], [0.4, 0.6]])
    agrees_with_python(f, A)
    assert ccc.compiled(f)(A, 0) < ccc.compiled(f)(A, 1) < ccc.compiled(f)(A, 3)


@dataclass
class Link:
    """One joint of an arm, by its parameters."""

    length: float
    twist: float
    offset: float = 0
    limits: tuple[float, float] = (-math.pi, math.pi)

    def frame(self, angle):
        at = np.clip(angle, *self.limits)
        c, s, k, m = np.cos(at), np.sin(at), math.cos(self.twist), math.sin(self.twist)
        return np.array([[c, -s * k, s * m, self.length * c], [s, c * k, -c * m, self.length * s],
                         [0, m, k, self.offset], [0, 0, 0, 1]])


@dataclass
class Arm:
    links: list[Link] = field(default_factory=list)

    def hand(self, angles):
        frames = (link.frame(q) for link, q in zip(self.links, angles, strict=True))
        return list(itertools.accumulate(frames, np.matmul, initial=np.eye(4)))[-1][:3, 3]


ARM = Arm([Link(0, np.pi / 2, 0.3), Link(0.5, 0), Link(0.4, 0), Link(0, -np.pi / 2, limits=(-1, 1))])


def check_an_arm_with_ints_among_its_lengths() -> None:
    angles, goal = np.array([0.2, 0.4, -0.7, 0.3]), np.array([0.4, 0.2, 0.5])
    agrees_with_python(lambda q: np.sum((ARM.hand(q) - goal) ** 2), angles)
    slope = ccc.jacobian(ARM.hand)(angles)
    assert np.allclose(slope[:, 0], np.cross([0, 0, 1], ARM.hand(angles))) and np.allclose(slope[:, 3], 0.0)


def check_an_equaliser_with_a_window() -> None:
    x = np.where(np.sin(np.arange(40) ** 2) > 0, 1.0, -1.0)
    heard = np.convolve(x, np.array([0.9, 0.3, -0.1]))[: len(x)]

    def f(rate):
        w, window, errors = np.zeros(5), deque([0.0] * 5, maxlen=5), []
        w[2] = 1
        for n, sample in enumerate(heard):
            window.appendleft(sample)
            u = np.array(window)
            e = (x[n - 2] if n >= 2 else 0.0) - w @ u
            w += rate * e * u
            errors.append(e**2)
        return np.mean(errors[20:])

    agrees_with_python(f, 0.05)
    assert ccc.gradient(f)(0.02) < 0.0  # a faster one comes closer


class Grams:
    """Counts of words behind others."""

    def __init__(self, n, text) -> None:
        words = ["<s>"] * (n - 1) + text.split()
        self.counts = Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))
        self.before = Counter()
        for gram, count in self.counts.items():
            self.before[gram[:-1]] += count
        self.words = len(set(words))

    def chance(self, gram, more):
        return (self.counts[gram] + more) / (self.before[gram[:-1]] + more * self.words)


TEXT = "the cat sat on the mat the dog sat on the log"
GRAMS = {n: Grams(n, TEXT) for n in (1, 2, 3)}


def check_a_mixture_of_models_of_texts() -> None:
    words = ["<s>", "<s>", *"the cat sat on the log".split()]  # noqa: SIM905

    def f(p):
        shares = np.exp(p["w"]) / np.exp(p["w"]).sum()
        found = 0.0
        for i in range(2, len(words)):
            found += math.log(sum(share * model.chance(tuple(words[i - n + 1:i + 1]), p["more"])
                                  for share, (n, model) in zip(shares, GRAMS.items(), strict=True)))
        return -found

    agrees_with_python(f, {"w": np.array([0.1, 0.2, 0.3]), "more": 0.5})
    slope = ccc.gradient(f)({"w": np.array([0.1, 0.2, 0.3]), "more": 0.5})
    assert abs(slope["w"].sum()) < 1e-12  # shares are as before where all of them grow


@dataclass(frozen=True)
class Spring:
    k: float = 1.0
    c: float = 0.1
    m: float = 2.0

    def scaled(self, **by):
        return replace(self, **{name: getattr(self, name) * x for name, x in by.items()})


def check_how_a_spring_depends_on_each_field() -> None:

    def energy(p, n=15):
        x, v = 1.0, 0.0
        for _ in range(n):
            v -= 0.1 * (p.k * x + p.c * v) / p.m
            x += 0.1 * v
        return 0.5 * p.m * v**2 + 0.5 * p.k * x**2

    def f(p):
        moved = {part.name: energy(p.scaled(**{part.name: 1.01})) - energy(p) for part in fields(p)}
        return sum(moved[name] * asdict(p)[name] for name in moved) + sum(astuple(p))

    agrees_with_python(f, Spring(1.3, 0.2, 1.7))


def check_thin_films() -> None:

    def layer(n, d, wave):
        delta = 2 * np.pi * n * d / wave
        return np.array([[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]])

    def f(depths, indices=(1.38, 2.1, 1.38)):
        found = []
        for wave in np.linspace(0.4, 0.7, 7):
            M = np.eye(2, dtype=complex)
            for n, d in zip(indices, depths, strict=True):
                M = M @ layer(n, d, wave)
            B, C = M @ np.array([1, 1.52])
            found.append(np.abs((B - C) / (B + C)) ** 2)
        return np.mean(found)

    agrees_with_python(f, np.array([0.1, 0.07, 0.09]))
    assert np.isclose(ccc.compiled(f)(np.zeros(3)), ((1 - 1.52) / (1 + 1.52)) ** 2)


def check_weights_by_names_in_sets() -> None:
    wanted, given = frozenset({"rate", "gain", "bias"}), {"rate": 0.7, "gain": 1.3, "bias": 0.1, "idle": 2.0}

    def f(p):
        t = sum(p[name] ** 2 for name in wanted & {"rate", "gain", "idle"})
        for name in wanted.union({"idle"}).difference({"bias"}):
            t *= 1.0 + 0.1 * p[name]
        return t * (2.0 if {"rate"}.issubset(wanted) else 1.0)

    agrees_with_python(f, given)
