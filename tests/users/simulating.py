"""Simulations and inverse problems: machines that are steered, fluids, light, reactions, fields, and fits to them."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import enum
import itertools
import math
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from users_checks import agrees_with_python

import ccc


def check_pid_tuning() -> None:

    @dataclass
    class PID:
        kp: float
        ki: float
        kd: float
        total: float = 0.0
        last: float | None = None

        def __call__(self, error, dt):
            self.total += error * dt
            rate = 0.0 if self.last is None else (error - self.last) / dt
            self.last = error
            return self.kp * error + self.ki * self.total + self.kd * rate

    def cost(gains, dt=0.1, steps=40):
        pid = PID(**gains)
        x, v, total = 0.0, 0.0, 0.0
        for _ in range(steps):
            u = max(-5.0, min(5.0, pid(1.0 - x, dt)))
            v += dt * (u - 0.5 * v)
            x += dt * v
            total += dt * (1.0 - x) ** 2 + 1e-3 * dt * u * u
        return total

    gains = {"kp": 1.0, "ki": 0.1, "kd": 0.1}
    agrees_with_python(cost, gains)
    first = cost(gains)
    slope = ccc.gradient(cost, wrt="gains")
    for _ in range(60):
        g = slope(gains)
        gains = {k: gains[k] - 0.5 * g[k] for k in gains}
    assert cost(gains) < 0.9 * first


def check_model_predictive_control() -> None:

    class State(NamedTuple):
        angle: float
        speed: float

    def step(s, u, dt=0.05):
        speed = s.speed + dt * (math.sin(s.angle) * 9.81 - 0.1 * s.speed + u)
        return State(s.angle + dt * speed, speed)

    def plan_cost(controls, start):
        s, cost = start, 0.0
        for u in controls:
            s = step(s, u)
            cost += s.angle**2 + 0.1 * s.speed**2 + 1e-3 * u**2
        return cost + 10.0 * s.angle**2

    improve = ccc.gradient(plan_cost, wrt="controls")

    def planned(start, controls):
        for _ in range(30):
            g = improve(controls, start)
            controls = [u - 2.0 * d for u, d in zip(controls, g, strict=True)]
        return controls

    s, controls = State(0.3, 0.0), [0.0] * 10
    agrees_with_python(plan_cost, controls, s)
    for _ in range(25):
        controls = planned(s, controls)
        s = step(s, controls[0])
        controls = [*controls[1:], 0.0]
    assert abs(s.angle) < 0.1


def check_inverse_kinematics() -> None:

    class Arm:
        def __init__(self, lengths):
            self.lengths = lengths

        def hand(self, angles):
            x = y = total = 0.0
            for length, angle in zip(self.lengths, angles, strict=True):
                total += angle
                x += length * math.cos(total)
                y += length * math.sin(total)
            return np.array([x, y])

    arm = Arm([1.0, 0.8, 0.5])
    goal, angles = np.array([0.7, 1.2]), np.array([0.3, 0.4, 0.2])
    slopes = ccc.jacobian(arm.hand)
    for _ in range(30):
        J = slopes(angles)
        angles = angles + J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(2), goal - arm.hand(angles))
    assert np.allclose(arm.hand(angles), goal, atol=1e-6)
    reach = np.cumsum(angles)
    exact = [[-sum(arm.lengths[k] * math.sin(reach[k]) for k in range(i, 3)) for i in range(3)],
             [sum(arm.lengths[k] * math.cos(reach[k]) for k in range(i, 3)) for i in range(3)]]
    assert np.allclose(slopes(angles), exact)


def check_kalman_filter_likelihood() -> None:

    def negative_log_likelihood(noise, seen, dt=1.0):
        F = np.array([[1.0, dt], [0.0, 1.0]])
        Q = math.exp(noise["process"]) * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
        R = math.exp(noise["sensor"])
        H = np.array([1.0, 0.0])
        m, P, total = np.zeros(2), 10.0 * np.eye(2), 0.0
        for z in seen:
            m, P = F @ m, F @ P @ F.T + Q
            S = H @ P @ H + R
            r = z - H @ m
            K = P @ H / S
            m, P = m + K * r, P - np.outer(K, H @ P)
            total += 0.5 * (math.log(2.0 * math.pi * S) + r * r / S)
        return total

    seen = [0.1, 1.2, 1.9, 3.2, 3.9, 5.1]
    agrees_with_python(negative_log_likelihood, {"process": -1.0, "sensor": -2.0}, seen)


def check_smoothed_particles() -> None:

    @dataclass
    class Particle:
        x: float
        v: float
        density: float = 0.0
        pressure: float = 0.0

    def kernel(r, h):
        q = abs(r) / h
        near = 1.0 - 1.5 * q * q + 0.75 * q**3
        return 2.0 / 3.0 / h * (near if q < 1.0 else 0.25 * (2.0 - q) ** 3 if q < 2.0 else 0.0)

    def slope(r, h):
        q = abs(r) / h
        d = -3.0 * q + 2.25 * q * q if q < 1.0 else -0.75 * (2.0 - q) ** 2 if q < 2.0 else 0.0
        return (2.0 / 3.0 / h**2) * d * (1.0 if r > 0 else -1.0)

    def energy(stiffness, n=6, h=0.25, dt=0.01):
        ps = [Particle(0.2 * i + 0.01 * i * i, 0.1 * (-1) ** i) for i in range(n)]
        mass = 1.0 / n
        for _ in range(5):
            for p in ps:
                p.density = sum(mass * kernel(p.x - q.x, h) for q in ps)
                p.pressure = stiffness * (p.density - 0.8)
            for p in ps:
                push = 0.0
                for q in ps:
                    if q is not p:
                        push -= mass * (p.pressure / p.density**2 + q.pressure / q.density**2) * slope(p.x - q.x, h)
                p.v += dt * push
            for p in ps:
                p.x += dt * p.v
        return sum(0.5 * mass * p.v**2 for p in ps)

    agrees_with_python(energy, 2.0)


def check_springs_between_named_nodes() -> None:
    Spring = namedtuple("Spring", "a b rest stiffness")

    def potential(positions, springs):
        total = 0.0
        for s in springs:
            (ax, ay), (bx, by) = positions[s.a], positions[s.b]
            stretch = math.hypot(ax - bx, ay - by) - s.rest
            total += 0.5 * s.stiffness * stretch**2
        return total + sum(9.81 * 0.01 * y for _, y in positions.values())

    positions = {"left": (0.0, 0.0), "mid": (0.4, 0.2), "right": (1.0, 0.1)}
    springs = [Spring("left", "mid", 0.5, 20.0), Spring("mid", "right", 0.5, 30.0)]
    agrees_with_python(potential, positions, springs)
    for _ in range(600):
        g = ccc.gradient(potential, wrt="positions")(positions, springs)
        x, y = positions["mid"]
        gx, gy = g["mid"]
        positions = {**positions, "mid": (x - 0.01 * gx, y - 0.01 * gy)}
    assert max(map(abs, ccc.gradient(potential, wrt="positions")(positions, springs)["mid"])) < 1e-3


def check_lens_by_ray_tracing() -> None:

    @dataclass(frozen=True)
    class Surface:
        at: float
        curvature: float
        index: float

    def traced(surfaces, height, screen):
        y, angle, z, n = height, 0.0, 0.0, 1.0
        for s in surfaces:
            y = y + (s.at - z) * math.tan(angle)
            z = s.at
            normal = math.asin(y * s.curvature)
            angle = math.asin(n / s.index * math.sin(angle + normal)) - normal
            n = s.index
        return y + (screen - z) * math.tan(angle)

    def spot(curvatures, heights=(0.1, 0.2, 0.3), screen=10.0):
        surfaces = [Surface(0.0, curvatures[0], 1.5), Surface(0.5, curvatures[1], 1.0)]
        return sum(traced(surfaces, h, screen) ** 2 for h in heights)

    curvatures = (0.05, -0.05)
    agrees_with_python(spot, curvatures)
    slope = ccc.gradient(spot, wrt="curvatures")
    for _ in range(200):
        g = slope(curvatures)
        curvatures = tuple(c - 2e-3 * d for c, d in zip(curvatures, g, strict=True))
    power = 0.5 * (curvatures[0] - curvatures[1] + 0.5 * 0.5 / 1.5 * curvatures[0] * curvatures[1])
    assert abs(1.0 / power - 10.0) < 1.0 and spot(curvatures) < 1e-3


def check_epidemic_with_stages() -> None:

    class Stage(enum.Enum):
        SUSCEPTIBLE = "S"
        EXPOSED = "E"
        INFECTED = "I"
        RECOVERED = "R"

    def rates(state, beta, sigma=0.2, gamma=0.1):
        n = sum(state.values())
        infection = beta * state[Stage.SUSCEPTIBLE] * state[Stage.INFECTED] / n
        return {Stage.SUSCEPTIBLE: -infection, Stage.EXPOSED: infection - sigma * state[Stage.EXPOSED],
                Stage.INFECTED: sigma * state[Stage.EXPOSED] - gamma * state[Stage.INFECTED],
                Stage.RECOVERED: gamma * state[Stage.INFECTED]}

    def peak(beta, days=60, dt=0.5):
        state = {Stage.SUSCEPTIBLE: 990.0, Stage.EXPOSED: 0.0, Stage.INFECTED: 10.0, Stage.RECOVERED: 0.0}
        highest = 0.0
        for day in range(int(days / dt)):
            lockdown = 0.5 if 20 <= day * dt < 40 else 1.0
            change = rates(state, beta * lockdown)
            state = {stage: state[stage] + dt * change[stage] for stage in Stage}
            highest = max(highest, state[Stage.INFECTED])
        return highest + 1e-3 * state[Stage.RECOVERED]

    agrees_with_python(peak, 0.4)


def check_reaction_network_from_text() -> None:
    network = """
    A -> B     0.3
    B -> A     0.1
    A + B -> C 0.05
    """

    @dataclass(frozen=True)
    class Reaction:
        left: tuple[str, ...]
        right: tuple[str, ...]
        rate: float

        @classmethod
        def parse(cls, line):
            equation, rate = line.rsplit(maxsplit=1)
            left, right = (tuple(part.strip() for part in side.split("+")) for side in equation.split("->"))
            return cls(left, right, float(rate))

    reactions = [Reaction.parse(line) for line in network.strip().splitlines()]

    def simulated(start, reactions, scale=1.0, dt=0.05, steps=40):
        c = {"A": start[0], "B": start[1], "C": 0.0}
        for _ in range(steps):
            change = dict.fromkeys(c, 0.0)
            for r in reactions:
                flow = r.rate * scale * math.prod(c[s] for s in r.left)
                for s in r.left:
                    change[s] -= flow
                for s in r.right:
                    change[s] += flow
            for s in c:
                c[s] += dt * change[s]
        return c["A"] * c["C"] + c["B"] ** 2

    agrees_with_python(simulated, (1.0, 0.2), tuple(reactions))


def check_stiff_kinetics_by_newton() -> None:

    def rhs(y, k):
        a, b, c = y
        return np.array([-k[0] * a + k[1] * b * c, k[0] * a - k[1] * b * c - k[2] * b * b, k[2] * b * b])

    jac = ccc.jacobian(rhs, wrt="y")

    def implicit(k, dt=0.1, steps=5):
        y = np.array([1.0, 0.0, 0.0])
        for _ in range(steps):
            guess = y
            for _ in range(6):
                residual = guess - y - dt * rhs(guess, k)
                guess = guess - np.linalg.solve(np.eye(3) - dt * jac(guess, k), residual)
            y = guess
        return y[0] + 10.0 * y[1] * y[2]

    agrees_with_python(implicit, np.array([0.5, 3.0, 20.0]))


def check_heat_conductivity_from_measurements() -> None:

    class Bar:
        def __init__(self, n, dt):
            self.n, self.dt, self.dx = n, dt, 1.0 / (n - 1)
            self.u = np.sin(np.pi * np.linspace(0.0, 1.0, n))

        def step(self, k):
            mid = 0.5 * (k[1:] + k[:-1])
            flow = mid * np.diff(self.u) / self.dx
            u = self.u.copy()
            u[1:-1] += self.dt * np.diff(flow) / self.dx
            self.u = u

    def solved(log_k, n=12):
        bar = Bar(n, 1e-3)
        for _ in range(25):
            bar.step(np.exp(log_k))
        return bar.u

    true = 0.3 * np.sin(3.0 * np.linspace(0.0, 1.0, 12))
    seen = solved(true)

    def misfit(log_k):
        return np.sum((solved(log_k) - seen) ** 2) * 1e3 + 1e-3 * np.sum(np.diff(log_k) ** 2)

    agrees_with_python(misfit, np.zeros(12))
    k = np.zeros(12)
    slope = ccc.gradient(misfit)
    for _ in range(300):
        k = k - 2e-3 * slope(k)
    assert misfit(k) < 0.05 * misfit(np.zeros(12))


def check_tomography() -> None:
    n = 4
    rays = [(i, j) for i in range(n) for j in range(n) if abs(i - j) <= 2]

    def projected(image):
        for left, right in rays:
            total = 0.0
            for col in range(n):
                row = left + (right - left) * col / (n - 1)
                low = min(int(row), n - 2)
                total += image[low, col] * (low + 1 - row) + image[low + 1, col] * (row - low)
            yield total

    true = np.zeros((n, n))
    true[1:3, 1:3] = 1.0
    data = list(projected(true))

    def misfit(image, data):
        fit = sum((a - b) ** 2 for a, b in zip(projected(image), data, strict=True))
        return fit + 1e-3 * sum(np.sum(np.diff(image, axis=k) ** 2) for k in (0, 1))

    image = np.zeros((n, n))
    agrees_with_python(misfit, image, data)
    for _ in range(150):
        image = image - 0.01 * ccc.gradient(misfit, wrt="image")(image, data)
    assert misfit(image, data) < 0.1 * misfit(np.zeros((n, n)), data)


def check_kriging_length_scale() -> None:

    class Matern:
        def __init__(self, scale, length):
            self.scale, self.length = scale, length

        def __call__(self, a, b):
            r = math.sqrt(3.0) * abs(a - b) / self.length
            return self.scale**2 * (1.0 + r) * math.exp(-r)

    def evidence(log_params, xs, ys):
        kernel = Matern(math.exp(log_params[0]), math.exp(log_params[1]))
        K = np.array([[kernel(a, b) + (0.01 if i == j else 0.0) for j, b in enumerate(xs)] for i, a in enumerate(xs)])
        L = np.linalg.cholesky(K)
        alpha = np.linalg.solve(L.T, np.linalg.solve(L, ys))
        return 0.5 * ys @ alpha + np.sum(np.log(np.diag(L)))

    xs = np.array([0.0, 0.4, 1.0, 1.7, 2.1])
    agrees_with_python(evidence, np.array([0.1, -0.3]), xs, np.sin(xs))


def check_compliance_of_a_bar() -> None:
    """A bar of elements with densities, as topology optimisation has them: the compliance has a closed form."""

    def assembled(density, penalty=3.0):
        n = len(density)
        K = np.zeros((n, n))
        for e in range(n):
            k = 1e-3 + density[e] ** penalty
            dofs = [e - 1, e]
            for i, a in enumerate(dofs):
                for j, b in enumerate(dofs):
                    if a >= 0 and b >= 0:
                        K[a, b] += k if i == j else -k
        return K

    def compliance(density, load):
        return load @ np.linalg.solve(assembled(density), load)

    density, load = np.array([0.5, 0.7, 0.9, 0.4]), np.array([0.0, 0.0, 0.0, 1.0])
    assert math.isclose(compliance(density, load), sum(1.0 / (1e-3 + density**3)), rel_tol=1e-10)
    agrees_with_python(compliance, density, load)
    g = ccc.gradient(compliance, wrt="density")(density, load)
    assert np.allclose(g, -3.0 * density**2 / (1e-3 + density**3) ** 2)


def check_neural_differential_equation() -> None:

    @dataclass
    class Field:
        W1: np.ndarray
        W2: np.ndarray

        def __call__(self, t, y):
            return self.W2 @ np.tanh(self.W1 @ np.append(y, t))

    def rk4(f, y, times):
        for t, u in itertools.pairwise(times):
            h = u - t
            a = f(t, y)
            b = f(t + h / 2, y + h / 2 * a)
            c = f(t + h / 2, y + h / 2 * b)
            d = f(u, y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
            yield y

    def loss(model, data):
        times = [0.1 * k for k in range(len(data) + 1)]
        return sum(np.sum((y - z) ** 2) for y, z in zip(rk4(model, np.array([1.0, 0.0]), times), data, strict=True))

    rng = np.random.default_rng(3)
    data = [np.array([math.cos(0.1 * k), -math.sin(0.1 * k)]) for k in range(1, 6)]
    agrees_with_python(loss, Field(rng.normal(size=(4, 3)) * 0.5, rng.normal(size=(2, 4)) * 0.5), data)


def check_hamiltonian_network_keeps_energy() -> None:
    rng = np.random.default_rng(4)
    params = [(rng.normal(size=(2, 6)) * 0.5, np.zeros(6)), (rng.normal(size=(6, 1)) * 0.5, np.zeros(1))]

    def energy(z, params):
        (W, b), (V, c) = params
        return np.sum(np.tanh(z @ W + b) @ V + c) + 0.5 * np.sum(z * z)

    slope = ccc.gradient(energy, wrt="z")

    def flow(z, params):
        dq, dp = slope(z, params)
        return np.array([dp, -dq])

    def mismatch(params, z, wanted):
        return np.sum((flow(z, params) - wanted) ** 2)

    agrees_with_python(mismatch, params, np.array([0.5, -0.2]), np.array([0.1, 0.3]))
    z = np.array([1.0, 0.0])
    first = energy(z, params)
    for _ in range(200):
        half = z + 0.01 * flow(z, params)
        z = z + 0.02 * flow(0.5 * (z + half + 0.01 * flow(half, params)), params)
    assert abs(energy(z, params) - first) < 1e-3


def check_physics_informed_network() -> None:
    rng = np.random.default_rng(5)

    def u(x, params):
        h = np.tanh(x * params["w"] + params["b"])
        return x * (1.0 - x) * np.dot(h, params["v"])

    ux = ccc.gradient(u, wrt="x")
    uxx = ccc.gradient(lambda x, params: ux(x, params), wrt="x")

    def residual(params, points):
        return sum((uxx(x, params) + math.pi**2 * math.sin(math.pi * x)) ** 2 for x in points) / len(points)

    params = {"w": rng.normal(size=5), "b": rng.normal(size=5), "v": rng.normal(size=5)}
    points = [0.1, 0.35, 0.6, 0.85]
    agrees_with_python(residual, params, points)


def check_bouncing_ball_with_events() -> None:

    @dataclass(frozen=True)
    class Ball:
        height: float
        speed: float
        bounces: int = field(default=0)

    def fall(ball, dt, bounce):
        speed = ball.speed - 9.81 * dt
        height = ball.height + dt * speed
        if height < 0.0:
            return replace(ball, height=-bounce * height, speed=-bounce * speed, bounces=ball.bounces + 1)
        return replace(ball, height=height, speed=speed)

    def last_height(bounce, steps=60):
        ball = Ball(1.0, 0.0)
        for _ in range(steps):
            ball = fall(ball, 0.02, bounce)
            if ball.bounces >= 3:
                break
        return ball.height + 0.1 * ball.speed

    agrees_with_python(last_height, 0.8)


def check_orbit_by_leapfrog() -> None:

    class Body:
        def __init__(self, name, mass, position, velocity):
            self.name, self.mass = name, mass
            self.position, self.velocity = np.array(position), np.array(velocity)

        def pull(self, other):
            d = other.position - self.position
            return other.mass * d / np.sum(d * d) ** 1.5

    def distance(speed, steps=50, dt=0.02):
        sun, earth, moon = Body("sun", 1.0, [0.0, 0.0], [0.0, 0.0]), Body(
            "earth", 1e-3, [1.0, 0.0], [0.0, speed]), Body("moon", 1e-5, [1.0, 0.05], [0.1, speed])
        bodies = [sun, earth, moon]
        for _ in range(steps):
            for b in bodies:
                b.velocity = b.velocity + dt * sum(b.pull(o) for o in bodies if o is not b)
            for b in bodies:
                b.position = b.position + dt * b.velocity
        return np.sum((earth.position - sun.position) ** 2)

    agrees_with_python(distance, 1.0)


def check_cart_pole_with_a_state_machine() -> None:

    class Mode(enum.Enum):
        SWING = enum.auto()
        CATCH = enum.auto()
        REST = enum.auto()

    def control(mode, angle, rate, gain):
        match mode:
            case Mode.SWING:
                return gain * rate * math.cos(angle)
            case Mode.CATCH:
                return -8.0 * math.sin(angle) - 2.0 * rate
            case Mode.REST:
                return 0.0

    def final(gain):
        angle, rate, mode, seen = 0.4, 0.0, Mode.SWING, []
        for k in range(60):
            if mode is Mode.SWING and k > 30:
                mode = Mode.CATCH
            elif mode is Mode.CATCH and k > 50:
                mode = Mode.REST
            rate += 0.05 * (-math.sin(angle) + control(mode, angle, rate, gain))
            angle += 0.05 * rate
            seen.append(mode.name)
        return angle**2 + rate**2 + 0.01 * seen.count("SWING") * gain

    agrees_with_python(final, 0.7)
