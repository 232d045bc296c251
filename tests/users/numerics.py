"""Numerical recipes in plain Python: roots, quadrature, series, grids, options, curves, schedules."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportIndexIssue=false, reportOptionalMemberAccess=false
from __future__ import annotations

import bisect
import cmath
import contextlib
import functools
import heapq
import itertools
import math
import operator
import random
from collections import ChainMap, OrderedDict, defaultdict, deque
from dataclasses import astuple, dataclass, field
from types import SimpleNamespace

import numpy as np
from users_checks import agrees_with_python

import ccc


def check_yield_curve_fit() -> None:

    @dataclass
    class NelsonSiegel:
        level: float
        slope: float
        curve: float
        decay: float = 1.5

        def __call__(self, t):
            f = (1.0 - math.exp(-t / self.decay)) / (t / self.decay)
            return self.level + self.slope * f + self.curve * (f - math.exp(-t / self.decay))

    quotes = {0.5: 0.011, 1.0: 0.013, 2.0: 0.018, 5.0: 0.024, 10.0: 0.028, 30.0: 0.030}

    def misfit(curve):
        return sum((curve(t) - y) ** 2 for t, y in quotes.items())

    start = NelsonSiegel(0.03, -0.02, 0.0)
    agrees_with_python(lambda c: 1e3 * misfit(c), start)
    theta = np.array(astuple(start))
    residuals = lambda p: np.array([NelsonSiegel(*p)(t) - y for t, y in quotes.items()])  # noqa: E731
    J = ccc.jacobian(residuals)
    for _ in range(20):
        A = J(theta)
        theta = theta - np.linalg.solve(A.T @ A + 1e-3 * np.diag(np.diag(A.T @ A)), A.T @ residuals(theta))
    assert misfit(NelsonSiegel(*theta)) < 1e-5


def check_american_put_on_a_tree() -> None:

    def price(spot, strike, rate, sigma, years, steps=30):
        dt = years / steps
        up, discount = math.exp(sigma * math.sqrt(dt)), math.exp(-rate * dt)
        p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
        values = [max(strike - spot * up ** (2 * k - steps), 0.0) for k in range(steps + 1)]
        for n in reversed(range(steps)):
            values = [
                max(strike - spot * up ** (2 * k - n), discount * (p * values[k + 1] + (1.0 - p) * values[k]))
                for k in range(n + 1)
            ]
        return values[0]

    agrees_with_python(price, 100.3, 101.7, 0.05, 0.2, 0.5)
    delta, vega = ccc.gradient(price, wrt=("spot", "sigma"))(100.3, 101.7, 0.05, 0.2, 0.5)
    assert -1.0 < delta < 0.0 < vega


def check_asian_option_by_paths() -> None:

    class Market(SimpleNamespace):
        pass

    def paths(market, shocks):
        for row in shocks:
            s = market.spot
            for z in row:
                drift = (market.rate - 0.5 * market.sigma**2) * market.dt
                s *= math.exp(drift + market.sigma * math.sqrt(market.dt) * z)
                yield s

    def value(sigma, shocks, strike=100.0):
        market = Market(spot=100.0, rate=0.02, sigma=sigma, dt=0.25)
        averages = [sum(itertools.islice(paths(market, [row]), 1, 4)) / 3 for row in shocks]
        return sum(max(a - strike, 0.0) for a in averages) / len(averages)

    shocks = [[0.3, -0.2, 0.5, 0.1], [-0.8, 0.4, 0.2, -0.3], [1.2, 0.1, -0.4, 0.6]]
    agrees_with_python(value, 0.3, shocks)


def check_bisection_then_newton() -> None:

    class NoRoot(ValueError):
        pass

    def bracketed(f, low, high, steps=8):
        if f(low) * f(high) > 0.0:
            raise NoRoot(f"no sign change in [{low}, {high}]")
        for _ in range(steps):
            mid = 0.5 * (low + high)
            low, high = (mid, high) if f(low) * f(mid) > 0.0 else (low, mid)
        return 0.5 * (low + high)

    def root(a):
        f = lambda x: x**3 + a * x - 2.0  # noqa: E731
        try:
            x = bracketed(f, 1.5, 2.0)
        except NoRoot:
            x = bracketed(f, 0.0, 2.0)
        for _ in range(5):
            x -= f(x) / (3.0 * x * x + a)
        return x

    agrees_with_python(root, 1.3)
    x = root(1.3)
    assert math.isclose(ccc.gradient(root)(1.3), -x / (3.0 * x * x + 1.3), rel_tol=1e-9)


def check_adaptive_quadrature() -> None:

    def simpson(f, a, b):
        return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))

    def integral(f, a, b, tolerance=1e-6):
        todo, total = [(a, b, simpson(f, a, b))], 0.0
        while todo:
            left, right, whole = todo.pop()
            mid = 0.5 * (left + right)
            parts = simpson(f, left, mid), simpson(f, mid, right)
            if abs(sum(parts) - whole) < 15.0 * tolerance:
                total += sum(parts)
            else:
                todo.append((left, mid, parts[0]))
                todo.append((mid, right, parts[1]))
        return total

    agrees_with_python(lambda k: integral(lambda x: math.sin(k * x) * math.exp(-x), 0.0, 2.0), 2.5)


def check_romberg_with_memory() -> None:

    def romberg(f, a, b, order):
        @functools.lru_cache(maxsize=None)
        def r(n, m):
            if n == 0:
                return 0.5 * (b - a) * (f(a) + f(b))
            if m == 0:
                h = (b - a) / 2**n
                return 0.5 * r(n - 1, 0) + h * sum(f(a + (2 * k - 1) * h) for k in range(1, 2 ** (n - 1) + 1))
            return r(n, m - 1) + (r(n, m - 1) - r(n - 1, m - 1)) / (4**m - 1)

        return r(order, order)

    agrees_with_python(lambda k: romberg(lambda x: math.exp(-k * x * x), 0.0, 1.0, 4), 1.7)


def check_shortest_path_with_a_heap() -> None:

    @dataclass(order=True)
    class Entry:
        cost: float
        node: str = field(compare=False)

    def distance(scale, edges, start, goal):
        graph = defaultdict(list)
        for a, b, w in edges:
            graph[a].append((b, w * scale + 0.1))
            graph[b].append((a, w * scale + 0.1))
        done, heap = {}, [Entry(0.0, start)]
        while heap:
            entry = heapq.heappop(heap)
            if entry.node in done:
                continue
            done[entry.node] = entry.cost
            if entry.node == goal:
                break
            for other, w in graph[entry.node]:
                if other not in done:
                    heapq.heappush(heap, Entry(entry.cost + w, other))
        return done[goal] ** 2

    edges = [("a", "b", 1.0), ("b", "c", 2.0), ("a", "c", 4.0), ("c", "d", 1.5), ("b", "d", 5.0)]
    agrees_with_python(distance, 1.2, edges, "a", "d")


def check_spline_by_knots() -> None:

    class Spline:
        def __init__(self, xs, ys):
            self.xs, self.ys = list(xs), list(ys)
            n = len(self.xs)
            h = [b - a for a, b in itertools.pairwise(self.xs)]
            c, d = [0.0] * n, [0.0] * n
            for i in range(1, n - 1):
                rhs = 6.0 * ((self.ys[i + 1] - self.ys[i]) / h[i] - (self.ys[i] - self.ys[i - 1]) / h[i - 1])
                w = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * c[i - 1]
                c[i], d[i] = h[i] / w, (rhs - h[i - 1] * d[i - 1]) / w
            self.m = [0.0] * n
            for i in range(n - 2, 0, -1):
                self.m[i] = d[i] - c[i] * self.m[i + 1]

        def __call__(self, x):
            i = min(max(bisect.bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)
            h = self.xs[i + 1] - self.xs[i]
            a, b = (self.xs[i + 1] - x) / h, (x - self.xs[i]) / h
            bend = (a**3 - a) * self.m[i] + (b**3 - b) * self.m[i + 1]
            return a * self.ys[i] + b * self.ys[i + 1] + bend * h * h / 6.0

    agrees_with_python(lambda ys: Spline([0.0, 1.0, 2.5, 4.0], ys)(1.7) ** 2, [1.0, 2.0, 0.5, -1.0])


def check_polynomials_as_a_class() -> None:

    @functools.total_ordering
    class Poly:
        def __init__(self, *coefficients):
            self.c = coefficients

        def __add__(self, other):
            pairs = itertools.zip_longest(self.c, other.c, fillvalue=0.0)
            return Poly(*[a + b for a, b in pairs])

        def __mul__(self, other):
            found = [0.0] * (len(self.c) + len(other.c) - 1)
            for (i, a), (j, b) in itertools.product(enumerate(self.c), enumerate(other.c)):
                found[i + j] += a * b
            return Poly(*found)

        def __call__(self, x):
            return functools.reduce(lambda acc, c: acc * x + c, reversed(self.c))

        def derivative(self):
            return Poly(*[k * c for k, c in enumerate(self.c)][1:])

        def __len__(self):
            return len(self.c)

        def __eq__(self, other):
            return self.c == other.c

        def __lt__(self, other):
            return len(self) < len(other)

        def __repr__(self):
            return " + ".join(f"{c}x^{k}" for k, c in enumerate(self.c))

    def f(x):
        p, q = Poly(1.0, x, 2.0), Poly(-x, 1.0)
        r = p * q + p
        longest = max([p, q, r])
        return longest(0.5) + r.derivative()(x) + (1.0 if q < p else 2.0) * len(longest)

    agrees_with_python(f, 1.3)


def check_complex_mandelbrot_distance() -> None:

    def distance(x, y=0.3, steps=8):
        c, z, dz = complex(x, y), 0j, 0j
        for _ in range(steps):
            dz = 2.0 * z * dz + 1.0
            z = z * z + c
            if abs(z) > 4.0:
                break
        return abs(z) * math.log(abs(z)) / abs(dz)

    agrees_with_python(distance, 0.5)


def check_filter_response() -> None:

    def gain(taps, frequencies):
        response = lambda w: sum(t * cmath.exp(-1j * w * k) for k, t in enumerate(taps))  # noqa: E731
        return sum(abs(abs(response(w)) - wanted) ** 2 for w, wanted in frequencies.items())

    agrees_with_python(gain, [0.2, 0.5, 0.2], {0.1: 1.0, 1.0: 0.7, 2.5: 0.1})


def check_game_of_life_made_smooth() -> None:

    around = [(di, dj) for di, dj in itertools.product((-1, 0, 1), repeat=2) if (di, dj) != (0, 0)]

    def alive(here, neighbours):
        return 1.0 / (1.0 + math.exp(-4.0 * (1.5 - abs(neighbours - 2.5)))) * (0.5 + 0.5 * here)

    def evolved(alpha, steps=3):
        grid = [[0.1, 0.9, 0.2], [0.8, alpha, 0.7], [0.3, 0.6, 0.4]]
        for _ in range(steps):
            grid = [[alive(grid[i][j], sum(grid[(i + di) % 3][(j + dj) % 3] for di, dj in around)) for j in range(3)]
                    for i in range(3)]
        return sum(map(sum, grid))

    agrees_with_python(evolved, 0.5)


def check_moving_average_of_a_stream() -> None:

    class Average:
        def __init__(self, size):
            self.recent = deque(maxlen=size)

        def send(self, v):
            self.recent.append(v)
            return sum(self.recent) / len(self.recent)

    def f(rate, data):
        fast, slow = Average(2), Average(4)
        position, cash = 0.0, 0.0
        for v in data:
            signal = fast.send(v * rate) - slow.send(v)
            trade = math.tanh(signal) - position
            position += trade
            cash -= trade * v
        return cash + position * data[-1]

    agrees_with_python(f, 1.1, [1.0, 1.2, 0.9, 1.4, 1.6, 1.3])


def check_settings_in_layers() -> None:
    defaults = {"rate": 0.1, "steps": 5, "kind": "euler"}

    def solved(y, **options):
        settings = ChainMap(options, defaults)
        h = settings["rate"]
        for _ in range(settings["steps"]):
            y = y + h * -y if settings["kind"] == "euler" else y / (1.0 + h)
        return y

    agrees_with_python(lambda y: solved(y) + solved(y, kind="implicit") * solved(y * y, steps=3), 1.4)


def check_units_by_operators() -> None:

    @dataclass(frozen=True)
    class Quantity:
        value: float
        unit: tuple[int, int]

        def __mul__(self, other):
            if isinstance(other, Quantity):
                return Quantity(self.value * other.value, tuple(map(operator.add, self.unit, other.unit)))
            return Quantity(self.value * other, self.unit)

        __rmul__ = __mul__

        def __add__(self, other):
            if self.unit != other.unit:
                raise TypeError(f"cannot add {self.unit} and {other.unit}")
            return Quantity(self.value + other.value, self.unit)

        def __truediv__(self, other):
            return Quantity(self.value / other.value, tuple(map(operator.sub, self.unit, other.unit)))

    metre, second = Quantity(1.0, (1, 0)), Quantity(1.0, (0, 1))

    def height(t):
        time = t * second
        speed, pull = 20.0 * metre / second, -9.81 * (metre / (second * second))
        return (speed * time + 0.5 * (pull * time * time)).value

    agrees_with_python(height, 1.2)
    assert math.isclose(ccc.gradient(height)(1.2), 20.0 - 9.81 * 1.2)


def check_plan_with_dependencies() -> None:

    def finish(effort, tasks):
        ends = OrderedDict()
        waiting = deque(tasks)
        while waiting:
            name, needs = waiting.popleft()
            if not all(n in ends for n in needs):
                waiting.append((name, needs))
                continue
            start = max((ends[n] for n in needs), default=0.0)
            ends[name] = start + effort[name] ** 1.5
        return max(ends.values()) + 0.01 * sum(ends.values())

    tasks = [("test", ("build", "design")), ("design", ()), ("build", ("design",)), ("write", ("design",))]
    agrees_with_python(finish, {"test": 1.0, "design": 2.0, "build": 1.5, "write": 4.1}, tuple(tasks))


def check_timer_around_a_loop() -> None:

    class Timer(contextlib.AbstractContextManager):
        def __init__(self):
            self.laps = []

        def lap(self, cost):
            self.laps.append(cost)

        def __exit__(self, *_):
            self.laps.sort()

    def f(x):
        with Timer() as timer:
            for k in range(4):
                timer.lap((x - k) ** 2)
        return timer.laps[0] + 2.0 * timer.laps[-1]

    agrees_with_python(f, 1.3)


def check_monte_carlo_with_a_seed() -> None:

    def estimate(radius, n=200):
        rng = np.random.default_rng(11)
        points = rng.uniform(-1.0, 1.0, size=(n, 2))
        soft = 1.0 / (1.0 + np.exp(-20.0 * (radius - np.hypot(points[:, 0], points[:, 1]))))
        return 4.0 * np.mean(soft)

    agrees_with_python(estimate, 0.8)
    draw = random.Random(0)
    points = [(draw.random(), draw.random()) for _ in range(50)]
    agrees_with_python(lambda r, ps: sum(1.0 / (1.0 + math.exp((x * x + y * y - r) * 9.0)) for x, y in ps), 0.6, points)


def check_tokens_evaluated() -> None:

    def value(x, source):
        stack = []
        operations = {"+": operator.add, "*": operator.mul, "-": operator.sub, "/": operator.truediv, "^": operator.pow}
        for token in source.split():
            match token:
                case "x":
                    stack.append(x)
                case "sin" | "cos" as name:
                    stack.append(getattr(math, name)(stack.pop()))
                case op if op in operations:
                    b, a = stack.pop(), stack.pop()
                    stack.append(operations[op](a, b))
                case number:
                    stack.append(float(number))
        (result,) = stack
        return result

    for source in ("x 2 ^ sin 3 *", "x x * 1 + x / cos"):
        agrees_with_python(functools.partial(value, source=source), 0.7)


def check_matrices_as_lists() -> None:

    def matmul(a, b):
        return [[sum(x * y for x, y in zip(row, col, strict=True)) for col in zip(*b, strict=True)] for row in a]

    def determinant(a):
        if len(a) == 1:
            return a[0][0]
        return sum((-1) ** j * a[0][j] * determinant([row[:j] + row[j + 1 :] for row in a[1:]]) for j in range(len(a)))

    def lu_determinant(a):
        a, d = [row[:] for row in a], 1.0
        for k in range(len(a)):
            p = max(range(k, len(a)), key=lambda i: abs(a[i][k]))
            if p != k:
                a[k], a[p] = a[p], a[k]
                d = -d
            d *= a[k][k]
            for i in range(k + 1, len(a)):
                w = a[i][k] / a[k][k]
                for j in range(k, len(a)):
                    a[i][j] -= w * a[k][j]
        return d

    def f(x):
        a = [[x, 1.0, 0.5], [2.0, x * x, -1.0], [0.3, -x, 1.5]]
        return determinant(matmul(a, a)) + lu_determinant(a)

    agrees_with_python(f, 1.4)


def check_statistics_module() -> None:
    import statistics

    def f(xs):
        return statistics.mean(xs) + statistics.stdev(xs) + statistics.median(xs)

    agrees_with_python(f, [1.0, 3.0, 2.0, 5.0])
