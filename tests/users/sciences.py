"""Biology, chemistry, control and graphics."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from users_checks import agrees_with_python


def check_sir() -> None:

    def f(p, days=30):
        S, I, R = (0.99, 0.01, 0.0)
        for _ in range(days):
            new = p["beta"] * S * I
            rec = p["gamma"] * I
            S, I, R = (S - new, I + new - rec, R + rec)
        return R

    agrees_with_python(f, {"beta": 0.4, "gamma": 0.1})


def check_lotka() -> None:

    def f(th):
        a, b, c, d = th
        x, y = (1.0, 0.5)
        traj = [(x, y)]
        for _ in range(20):
            x, y = (x + 0.05 * (a * x - b * x * y), y + 0.05 * (d * x * y - c * y))
            traj.append((x, y))
        return max((x for x, _ in traj)) + traj[-1][1]

    agrees_with_python(f, (1.0, 0.5, 0.7, 0.3))


def check_hmm_dict() -> None:

    def f(tr):
        obs = ("walk", "shop", "clean")
        states = ("Rainy", "Sunny")
        start = {"Rainy": 0.6, "Sunny": 0.4}
        emit = {"Rainy": {"walk": 0.1, "shop": 0.4, "clean": 0.5}, "Sunny": {"walk": 0.6, "shop": 0.3, "clean": 0.1}}
        fwd = {s: start[s] * emit[s][obs[0]] for s in states}
        for o in obs[1:]:
            fwd = {s: sum((fwd[r] * tr[r][s] for r in states)) * emit[s][o] for s in states}
        return math.log(sum(fwd.values()))

    agrees_with_python(f, {"Rainy": {"Rainy": 0.7, "Sunny": 0.3}, "Sunny": {"Rainy": 0.4, "Sunny": 0.6}})


def check_needleman() -> None:

    def f(p, a="GATTACA", b="GCATGCU"):
        D = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i in range(1, len(a) + 1):
            D[i][0] = i * p["gap"]
        for j in range(1, len(b) + 1):
            D[0][j] = j * p["gap"]
        for i in range(1, len(a) + 1):
            for j in range(1, len(b) + 1):
                s = p["match"] if a[i - 1] == b[j - 1] else p["mismatch"]
                D[i][j] = max(D[i - 1][j - 1] + s, D[i - 1][j] + p["gap"], D[i][j - 1] + p["gap"])
        return D[-1][-1]

    agrees_with_python(f, {"gap": -1.1, "match": 1.3, "mismatch": -0.7})


def check_michaelis() -> None:
    S = np.array([0.1, 0.5, 1.0, 2.0, 5.0])
    v = 2 * S / (0.8 + S)

    def f(p):
        r = p["vmax"] * S / (p["km"] + S) - v
        return float(r @ r)

    agrees_with_python(f, {"vmax": 1.5, "km": 1.0})


def check_arrhenius_kinetics() -> None:
    R = 8.314

    def k(A, Ea, T):
        return A * math.exp(-Ea / (R * T))

    def f(p, T=350.0):
        cA, cB = (1.0, 0.0)
        for _ in range(10):
            r = k(*p, T) * cA * 0.1
            cA -= r
            cB += r
        return cB

    agrees_with_python(f, (1000.0, 20000.0))


def check_ph_bisect() -> None:

    def f(pKa):
        Ka = 10 ** (-pKa)
        lo, hi = (0.0, 14.0)
        for _ in range(25):
            mid = (lo + hi) / 2
            h = 10 ** (-mid)
            if h * h + Ka * h - Ka * 0.1 > 0:
                lo = mid
            else:
                hi = mid
        h = 10 ** (-mid)
        for _ in range(3):
            h = h - (h * h + Ka * h - Ka * 0.1) / (2 * h + Ka)
        return -math.log10(h)

    agrees_with_python(f, 4.75)


def check_stoich_balance() -> None:

    def f(x):
        A = np.array([[1.0, 0.0, -1.0], [4.0, 0.0, 0.0], [0.0, 2.0, -2.0]])
        A[2, 0] = x
        b = np.array([0.0, 4.0, 1.0])
        return float(np.linalg.solve(A, b).sum())

    agrees_with_python(f, 0.3)


def check_pid() -> None:

    class PID:
        def __init__(self, kp, ki, kd, dt=0.1):
            self.kp, self.ki, self.kd, self.dt = (kp, ki, kd, dt)
            self.integral = 0.0
            self.prev = None

        def __call__(self, err):
            self.integral += err * self.dt
            d = 0.0 if self.prev is None else (err - self.prev) / self.dt
            self.prev = err
            return self.kp * err + self.ki * self.integral + self.kd * d

    def f(g):
        pid = PID(*g)
        y, cost = (0.0, 0.0)
        for _ in range(20):
            e = 1.0 - y
            y += 0.1 * (pid(e) - y)
            cost += e * e
        return cost

    agrees_with_python(f, (1.0, 0.5, 0.05))


def check_kalman() -> None:
    zs = [1.1, 0.9, 1.3, 0.8]

    def f(q, r=0.5):
        x, P = (0.0, 1.0)
        ll = 0.0
        for z in zs:
            P = P + q
            S = P + r
            K = P / S
            y = z - x
            x += K * y
            P *= 1 - K
            ll -= 0.5 * (math.log(2 * math.pi * S) + y * y / S)
        return ll

    agrees_with_python(f, 0.1)


def check_kalman_matrix() -> None:

    def f(q):
        F = np.array([[1.0, 0.1], [0.0, 1.0]])
        H = np.array([[1.0, 0.0]])
        Q = q * np.eye(2)
        x = np.zeros(2)
        P = np.eye(2)
        for z in (1.0, 1.2, 1.1):
            x = F @ x
            P = F @ P @ F.T + Q
            S = H @ P @ H.T + 0.1
            K = P @ H.T @ np.linalg.inv(S)
            x = x + K @ (np.array([z]) - H @ x)
            P = (np.eye(2) - K @ H) @ P
        return x[0] + np.trace(P)

    agrees_with_python(f, 0.1)


def check_lqr_riccati() -> None:

    def f(r):
        A = np.array([[1.0, 0.1], [0.0, 1.0]])
        B = np.array([[0.0], [0.1]])
        Q = np.eye(2)
        P = Q
        for _ in range(10):
            K = np.linalg.solve(r + B.T @ P @ B, B.T @ P @ A)
            P = Q + A.T @ P @ (A - B @ K)
        return P[0, 0]

    agrees_with_python(f, 0.5)


def check_bezier() -> None:

    def casteljau(pts, t):
        while len(pts) > 1:
            pts = [((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]) for a, b in zip(pts, pts[1:])]
        return pts[0]

    def f(t):
        x, y = casteljau([(0.0, 0.0), (1.0, 2.0), (3.0, 3.0), (4.0, 0.0)], t)
        return x * y

    agrees_with_python(f, 0.3)


def check_mandel_smooth() -> None:

    def f(c):
        zr, zi = (0.0, 0.0)
        for n in range(50):
            zr, zi = (zr * zr - zi * zi + c[0], 2 * zr * zi + c[1])
            if zr * zr + zi * zi > 10000.0:
                return n + 1 - math.log2(math.log(math.hypot(zr, zi)))
        return 50.0

    agrees_with_python(f, (0.5, 0.6))


def check_raster_soft() -> None:

    def f(c):
        img = []
        for j in range(4):
            row = []
            for i in range(4):
                d = math.hypot(i - c[0], j - c[1]) - 1.0
                row.append(1 / (1 + math.exp(4 * d)))
            img.append(row)
        return sum((sum(r) for r in img)) + img[1][2]

    agrees_with_python(f, (1.3, 1.6))


def check_ray_sphere() -> None:

    class Vec(NamedTuple):
        x: float
        y: float
        z: float

        def __add__(self, o):
            return Vec(self.x + o.x, self.y + o.y, self.z + o.z)

        def __sub__(self, o):
            return Vec(self.x - o.x, self.y - o.y, self.z - o.z)

        def __mul__(self, k):
            return Vec(self.x * k, self.y * k, self.z * k)

        def dot(self, o):
            return self.x * o.x + self.y * o.y + self.z * o.z

        def unit(self):
            return self * (1 / math.sqrt(self.dot(self)))

    def hit(o, d, c, r):
        oc = o - c
        b = oc.dot(d)
        disc = b * b - oc.dot(oc) + r * r
        return None if disc < 0 else -b - math.sqrt(disc)

    def f(r):
        light = Vec(1.0, 1.0, -1.0).unit()
        total = 0.0
        for px in (-0.5, 0.0, 0.5):
            d = Vec(px, 0.1, 1.0).unit()
            o = Vec(0.0, 0.0, -3.0)
            c = Vec(0.0, 0.0, 0.0)
            t = hit(o, d, c, r)
            if t is not None:
                n = (o + d * t - c).unit()
                total += max(0.0, n.dot(light))
        return total

    agrees_with_python(f, 1.0)


def check_game_of_life_soft() -> None:

    def f(g):
        for _ in range(2):
            n = sum((np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)))
            g = 1 / (1 + np.exp(-(3 - np.abs(n - 2.5) - 1.5 + g)))
        return g.sum()

    agrees_with_python(f, np.array([[0.1, 0.9, 0.2], [0.3, 0.8, 0.1], [0.0, 0.7, 0.6]]))


def check_em_gmm() -> None:
    data = np.array([-1.1, -0.9, 1.0, 1.2, 0.8])

    def f(mu0):
        mu = np.array([mu0, 1.0])
        for _ in range(3):
            w = np.exp(-0.5 * (data[:, None] - mu) ** 2)
            w = w / w.sum(axis=1, keepdims=True)
            mu = (w * data[:, None]).sum(0) / w.sum(0)
        return mu[0] * mu[1]

    agrees_with_python(f, -0.5)
