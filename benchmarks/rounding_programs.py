"""The expressions of FPTaylor's comparison as Python functions, each with its box and the bounds that are published.

Expressions and boxes are those of `tests/core` and `tests/transcendental` in github.com/soarlab/FPTaylor at efbbc839,
and the bounds those that its tests expect there: `of_magnitudes` in `_tests-b.yml`, where a rounding is off by half a
unit of the number's magnitude, as here, `of_places` in `_tests.yml`, where it is off by half a unit in the last place,
which is up to twice as tight. Arguments are rounded there, and literals are the decimal numbers that are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Pair = tuple[float, float]


@dataclass(frozen=True)
class Expression:
    """A function, its box and the bounds that are published."""

    function: Callable[..., float]
    box: tuple[Pair, ...]
    of_magnitudes: float
    of_places: float

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__


def t_div_t1(t):
    return t / (t + 1)


def sine(x):
    return x - (x * x * x) / 6.0 + (x * x * x * x * x) / 120.0 - (x * x * x * x * x * x * x) / 5040.0


def sqroot(y):
    return 1.0 + 0.5 * y - 0.125 * y * y + 0.0625 * y * y * y - 0.0390625 * y * y * y * y


def sine_order_3(z):
    return 0.954929658551372 * z - 0.12900613773279798 * (z * z * z)


def carbon_gas(v):
    return (3.5e7 + 0.401 * (1000.0 / v) * (1000.0 / v)) * (v - 1000.0 * 42.7e-6) - 1.3806503e-23 * 1000.0 * 300.0


def verhulst(x):
    return (4.0 * x) / (1 + x / 1.11)


def predator_prey(x):
    return (4.0 * x * x) / (1 + (x / 1.11) * (x / 1.11))


def rigid_body_1(x, y, z):
    return -x * y - 2 * y * z - x - z


def rigid_body_2(x, y, z):
    return 2 * x * y * z + 3 * z * z - y * x * y * z + 3 * z * z - y


def doppler(u, v, t):
    w = 331.4 + 0.6 * t
    return (-w * v) / ((w + u) * (w + u))


def doppler_1(u, v, t):
    return doppler(u, v, t)


def doppler_2(u, v, t):
    return doppler(u, v, t)


def doppler_3(u, v, t):
    return doppler(u, v, t)


def turbine_1(v, w, r):
    return 3 + 2 / (r * r) - 0.125 * (3 - 2 * v) * (w * w * r * r) / (1 - v) - 4.5


def turbine_2(v, w, r):
    return 6 * v - 0.5 * v * (w * w * r * r) / (1 - v) - 2.5


def turbine_3(v, w, r):
    return 3 - 2 / (r * r) - 0.125 * (1 + 2 * v) * (w * w * r * r) / (1 - v) - 0.5


def jet_engine(x, y):
    t = 3 * x * x + 2 * y - x
    d = x * x + 1
    s = t / d
    return x + ((2 * x * s * (s - 3) + x * x * (4 * s - 6)) * d + 3 * x * x * s + x * x * x + x
                + 3 * ((3 * x * x + 2 * y - x) / d))


def log_exp(x):
    return math.log(1 + math.exp(x))


def sphere(r, x, latitude, longitude):
    return x + r * math.sin(latitude) * math.cos(longitude)


def azimuth(latitude, other, longitude, beyond):
    d = beyond - longitude
    y = math.cos(other) * math.sin(d)
    x = math.cos(latitude) * math.sin(other) - math.sin(latitude) * math.cos(other) * math.cos(d)
    return math.atan(y / x)


def kepler_0(a, b, c, d, e, f):
    return b * e + c * f - b * c - e * f + a * (-a + b + c - d + e + f)


def kepler_1(a, b, c, d):
    return (a * d * (-a + b + c - d) + b * (a - b + c + d) + c * (a + b - c + d)
            - b * c * d - a * c - a * b - d)


def kepler_2(a, b, c, d, e, f):
    return (a * d * (-a + b + c - d + e + f) + b * e * (a - b + c + d - e + f) + c * f * (a + b - c + d + e - f)
            - b * c * d - a * c * e - a * b * f - d * e * f)


def himmilbeau(x, y):
    return (x * x + y - 11) * (x * x + y - 11) + (x + y * y - 7) * (x + y * y - 7)


def hartman_3(x, y, z):
    a = (3.0 * ((x - 0.3689) * (x - 0.3689)) + 10.0 * ((y - 0.117) * (y - 0.117))
         + 30.0 * ((z - 0.2673) * (z - 0.2673)))
    b = 0.1 * ((x - 0.4699) * (x - 0.4699)) + 10.0 * ((y - 0.4387) * (y - 0.4387)) + 35.0 * ((z - 0.747) * (z - 0.747))
    c = (3.0 * ((x - 0.1091) * (x - 0.1091)) + 10.0 * ((y - 0.8732) * (y - 0.8732))
         + 30.0 * ((z - 0.5547) * (z - 0.5547)))
    d = (0.1 * ((x - 0.03815) * (x - 0.03815)) + 10.0 * ((y - 0.5743) * (y - 0.5743))
         + 35.0 * ((z - 0.8828) * (z - 0.8828)))
    return -(1.0 * math.exp(-a) + 1.2 * math.exp(-b) + 3.0 * math.exp(-c) + 3.2 * math.exp(-d))


TURBINE = ((-4.5, -0.3), (0.4, 0.9), (3.8, 7.8))
KEPLER = (4.0, 6.36)
BODY = ((-15.0, 15.0),) * 3
EXPRESSIONS = (
    Expression(t_div_t1, ((0.0, 999.0),), 2.252199e-16, 2.216154e-16),
    Expression(sine, ((-1.57079632679, 1.57079632679),), 5.561131e-16, 4.430439e-16),
    Expression(sqroot, ((0.0, 1.0),), 7.172244e-16, 5.016453e-16),
    Expression(sine_order_3, ((-2.0, 2.0),), 1.015585e-15, 5.937466e-16),
    Expression(carbon_gas, ((0.1, 0.5),), 8.004088e-9, 4.962322e-9),
    Expression(verhulst, ((0.1, 0.3),), 3.379142e-16, 2.470696e-16),
    Expression(predator_prey, ((0.1, 0.3),), 1.955202e-16, 1.585754e-16),
    Expression(rigid_body_1, BODY, 4.579670e-13, 2.948753e-13),
    Expression(rigid_body_2, BODY, 6.400214e-11, 3.606627e-11),
    Expression(doppler_1, ((-100.0, 100.0), (20.0, 20000.0), (-30.0, 50.0)), 1.658633e-13, 1.217604e-13),
    Expression(doppler_2, ((-125.0, 125.0), (15.0, 25000.0), (-40.0, 60.0)), 3.161643e-13, 2.226041e-13),
    Expression(doppler_3, ((-30.0, 120.0), (320.0, 20300.0), (-50.0, 30.0)), 8.205382e-14, 6.627360e-14),
    Expression(turbine_1, TURBINE, 2.507171e-14, 1.669516e-14),
    Expression(turbine_2, TURBINE, 2.995038e-14, 2.000935e-14),
    Expression(turbine_3, TURBINE, 1.429719e-14, 9.574075e-15),
    Expression(jet_engine, ((-5.0, 5.0), (-20.0, 5.0)), 1.331212e-11, 1.028348e-11),
    Expression(log_exp, ((-8.0, 8.0),), 2.516050e-15, 1.986969e-15),
    Expression(sphere, ((0.0, 10.0), (-10.0, 10.0), (-1.570796, 1.570796), (-3.14159265, 3.14159265)),
               1.081879e-14, 8.107781e-15),
    Expression(azimuth, ((0.0, 0.4), (0.5, 1.0), (0.0, 3.14159265), (-3.14159265, -0.5)), 1.300055e-14, 8.776657e-15),
    Expression(kepler_0, (KEPLER,) * 6, 1.034961e-13, 7.469401e-14),
    Expression(kepler_1, (KEPLER,) * 4, 3.959421e-13, 2.863120e-13),
    Expression(kepler_2, (KEPLER,) * 6, 2.017571e-12, 1.578175e-12),
    Expression(himmilbeau, ((-5.0, 5.0),) * 2, 1.421086e-12, 1.000089e-12),
    Expression(hartman_3, ((0.0, 1.0),) * 3, 5.889160e-15, 3.618311e-15),
)
