"""Games, statistics and markets."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from users_checks import agrees_with_python


def check_elo() -> None:
    games = [("a", "b", 1.0), ("b", "c", 0.5), ("c", "a", 0.0)]

    def f(K):
        R = {n: 1500.0 for n in "abc"}
        for p, q, s in games:
            e = 1 / (1 + 10 ** ((R[q] - R[p]) / 400))
            R[p] += K * (s - e)
            R[q] -= K * (s - e)
        return R["a"] - R["c"]

    agrees_with_python(f, 32.0)


def check_inventory_text() -> None:

    def f(x):
        inv = {"gold": x, "rope": 1.0}
        for item in "gold gold ruby".split():
            inv[item] = inv.get(item, 0.0) + x
        for name, v in sorted(inv.items(), key=lambda kv: -kv[1]):
            print(f"{v:8.2f} {name}")
        return sum(inv.values()) * inv["gold"]

    agrees_with_python(f, 2.0)


def check_dice_expect() -> None:

    def f(p):
        d = defaultdict(float)
        for a, b in itertools.product(range(1, 4), repeat=2):
            d[a + b] += p**a * (1 - p) ** b
        return sum((k * v for k, v in d.items()))

    agrees_with_python(f, 0.4)


def check_grid_walk() -> None:
    MOVES = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}

    def f(step, path="NNEESW"):
        x = y = 0.0
        for m in path:
            dx, dy = MOVES[m]
            x += dx * step
            y += dy * step
        return math.hypot(x, y)

    agrees_with_python(f, 1.5)


def check_mcts_ucb() -> None:
    stats = [(3, 2.0), (5, 4.0), (1, 0.3)]

    def f(c):
        N = sum((n for n, _ in stats))
        sc = [w / n + c * math.sqrt(math.log(N) / n) for n, w in stats]
        return max(sc) + sc[np.argmax(sc)]

    agrees_with_python(f, 1.4)


def check_linreg_online() -> None:

    def f(xs):
        n = 0
        mean = 0.0
        M2 = 0.0
        for x in xs:
            n += 1
            d = x - mean
            mean += d / n
            M2 += d * (x - mean)
        return M2 / (n - 1) + mean

    agrees_with_python(f, [1.0, 3.0, 2.0, 5.0])


def check_bootstrap_seeded() -> None:

    def f(xs):
        rng = np.random.default_rng(0)
        tot = 0.0
        for _ in range(3):
            tot += xs[rng.integers(0, len(xs), len(xs))].mean()
        return tot

    agrees_with_python(f, np.array([1.0, 3.0, 2.0]))


def check_mcmc_fixed() -> None:
    us = [0.1, 0.8, 0.4]
    ps = [0.3, -0.2, 0.5]

    def f(s):
        x = 0.0
        lp = lambda z: -z * z / 2
        for u, p in zip(us, ps):
            y = x + s * p
            if math.log(u) < lp(y) - lp(x):
                x = y
        return x * s

    agrees_with_python(f, 0.7)


def check_amortization() -> None:

    def schedule(P, r, n):
        pay = P * r / (1 - (1 + r) ** (-n))
        rows = []
        for k in range(1, n + 1):
            i = P * r
            P -= pay - i
            rows.append({"month": k, "interest": i, "balance": P})
        return rows

    def f(r):
        return sum((row["interest"] for row in schedule(1000.0, r, 6)))

    agrees_with_python(f, 0.01)


def check_order_book() -> None:
    book = [(100.0, 5), (100.5, 10), (101.0, 20)]

    def f(q):
        cost = 0.0
        left = q
        for price, size in book:
            take = min(left, size)
            cost += take * price
            left -= take
            if left <= 0:
                break
        else:
            raise RuntimeError("not enough liquidity")
        return cost / q

    agrees_with_python(f, 12.0)


def check_binomial_tree() -> None:

    @dataclass
    class Option:
        strike: float
        kind: str = "call"

        def payoff(self, s):
            return max(s - self.strike, 0.0) if self.kind == "call" else max(self.strike - s, 0.0)

    def f(vol, n=4):
        opt = Option(100.0, "put")
        dt = 0.25
        u = math.exp(vol * math.sqrt(dt))
        d = 1 / u
        p = (math.exp(0.01 * dt) - d) / (u - d)
        v = [opt.payoff(100.0 * u**j * d ** (n - j)) for j in range(n + 1)]
        for i in range(n - 1, -1, -1):
            v = [
                max(opt.payoff(100 * u**j * d ** (i - j)), math.exp(-0.01 * dt) * (p * v[j + 1] + (1 - p) * v[j]))
                for j in range(i + 1)
            ]
        return v[0]

    agrees_with_python(f, 0.2)


def check_event_queue() -> None:
    import heapq

    def f(rate):
        q = [(1.0 / rate, "arrive"), (0.5, "tick")]
        heapq.heapify(q)
        t = 0.0
        n = 0
        while q and n < 5:
            t, kind = heapq.heappop(q)
            n += 1
            if kind == "arrive":
                heapq.heappush(q, (t + 1.0 / rate, "arrive"))
        return t

    agrees_with_python(f, 1.2)


def check_permutation_tsp() -> None:
    pts = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]

    def f(p):
        cities = [p, *pts]

        def dist(a, b):
            return math.hypot(a[0] - b[0], a[1] - b[1])

        return min(
            (
                sum((dist(cities[i], cities[j]) for i, j in zip(tour, tour[1:] + tour[:1])))
                for tour in itertools.permutations(range(4))
            )
        )

    agrees_with_python(f, (0.3, 2.0))
