"""Legendre functions and spherical harmonics of `scipy.special`, and sequences of functions of all orders.

    (1 - z^2) P'' - 2 z P' + (n (n + 1) - m^2 / (1 - z^2)) P = 0        Y_n^m = S_n^m(theta) exp(i m phi)

The functions give their first and second derivatives where they are asked for them, whose slopes are the next ones.

>>> import scipy.special
>>> y = FUNCTIONS[scipy.special.sph_harm_y](2, 1, 0.3, 0.4)
>>> round(float(y.real), 12), round(float(y.imag), 12)
(-0.200889685201, -0.084934796617)

References: *NIST Handbook of Mathematical Functions*, 10.16, 10.51, 12.8, 14.2, 14.30.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.primitives.adaptors import np_asarray
from ccc.primitives.adaptors_arrays import known_rank
from ccc.primitives.adaptors_joining import np_stack
from ccc.primitives.arguments import flag, integer, static
from ccc.primitives.complexes import Complex
from ccc.primitives.elementary_numpy import cos, less, sin, where
from ccc.primitives.facts import NEVER, NEW
from ccc.primitives.guarded import times0
from ccc.primitives.pointwise import operation
from ccc.primitives.primitive import Primitive
from ccc.primitives.scipy_equations import EQUATIONS
from ccc.primitives.scipy_orthogonal import eval_gegenbauer, spherical_jn, spherical_yn, with_derivative
from ccc.primitives.scipy_special import fixed, hyp0f1, special

Formula = Callable[..., Any]


def chain(name: str, third: Formula, *orders: str, **options: Any) -> tuple[Primitive, ...]:
    """A function and its first two derivatives: `third(f, f', f'', *orders, z)` is the next one."""
    of = getattr(special, name)
    texts = "".join([f", {key}={value!r}" for key, value in options.items()])
    spaces = ", ".join(["{}"] * (len(orders) + 1))
    unknown = [fixed(name, order, i) for i, order in enumerate(orders)]

    def derivative(k: int) -> Primitive:
        def slope(d: Any, y: Any, *xs: Any) -> Any:
            return times0(d, parts[k + 1](*xs) if k < 2 else third(*[p(*xs) for p in parts], *xs))

        return operation(f"scipy.special.{name}.{k}", lambda *xs: of(*xs, diff_n=k, **options)[k],
                         f"scipy.special.{name}({spaces}, diff_n={k}{texts})[{k}]", *unknown, slope,
                         memory=NEW, raises=NEVER)

    parts = tuple([derivative(k) for k in range(3)])
    return parts


def asked(parts: tuple[Primitive, ...], xs: tuple[Any, ...], diff_n: Any) -> Any:
    """A function and as many derivatives as are asked for, along the first axis."""
    order = integer("diff_n", diff_n)
    if not 0 <= order <= 2:
        raise ValueError(f"diff_n is currently only implemented for orders 0, 1, and 2, received: {order}.")
    given = [np_asarray(x) if isinstance(x, (list, tuple)) else x for x in xs]
    return np_stack([p(*given) for p in parts[: order + 1]])


def legendre_third(p: Any, dp: Any, ddp: Any, n: Any, z: Any) -> Any:
    return where(less(n, 3), 0.0, 15.0 * eval_gegenbauer(where(less(n, 3), 3, n) - 3, 3.5, z))


def associated_third(p: Any, dp: Any, ddp: Any, n: Any, m: Any, z: Any) -> Any:
    inside = 1.0 - z * z
    share = m * m / inside
    return (4.0 * z * ddp - (n * (n + 1) - 2.0 - share) * dp + 2.0 * share * z / inside * p) / inside


def spherical_third(p: Any, dp: Any, ddp: Any, n: Any, m: Any, theta: Any) -> Any:
    s, c = sin(theta), cos(theta)
    return -c / s * ddp + ((1.0 + m * m) / (s * s) - n * (n + 1)) * dp - 2.0 * m * m * c / (s * s * s) * p


LEGENDRE = chain("legendre_p", legendre_third, "n")
SPHERICAL = chain("sph_legendre_p", spherical_third, "n", "m")


@functools.cache
def associated(branch_cut: int, norm: bool) -> tuple[Primitive, ...]:
    return chain("assoc_legendre_p", associated_third, "n", "m", branch_cut=branch_cut, norm=norm)


def sp_legendre_p(n: Any, z: Any, *, diff_n: Any = 0) -> Any:
    return asked(LEGENDRE, (n, z), diff_n)


def sp_sph_legendre_p(n: Any, m: Any, theta: Any, *, diff_n: Any = 0) -> Any:
    return asked(SPHERICAL, (n, m, theta), diff_n)


def sp_assoc_legendre_p(n: Any, m: Any, z: Any, *, branch_cut: Any = 2, norm: Any = False, diff_n: Any = 0) -> Any:
    return asked(associated(integer("branch_cut", branch_cut), flag("norm", norm)), (n, m, z), diff_n)


def sp_sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    if integer("diff_n", diff_n) != 0:
        raise TypeError("scipy.special.sph_harm_y has a derivative for diff_n=0 only")
    size = SPHERICAL[0](n, m, theta)
    return Complex(size * cos(m * phi), size * sin(m * phi))


# -- all orders ------------------------------------------------------------------------------------------------------


def upwards(name: str, n: Any, of: Any) -> Any:
    """The degrees up to n, along an axis before those of an array."""
    return np.arange(integer("n", n) + 1).reshape(-1, *[1] * known_rank(name, of))


def both_ways(name: str, n: Any, m: Any, of: Any) -> tuple[Any, Any]:
    """The degrees up to n, and the orders up to m and from -m, along two axes before those of an array."""
    most, ones = abs(integer("m", m)), [1] * known_rank(name, of)
    orders = np.concatenate([np.arange(most + 1), np.arange(-most, 0)])
    return np.arange(integer("n", n) + 1).reshape(-1, 1, *ones), orders.reshape(-1, *ones)


def sp_legendre_p_all(n: Any, z: Any, *, diff_n: Any = 0) -> Any:
    return sp_legendre_p(upwards("legendre_p_all", n, z), z, diff_n=diff_n)


def sp_sph_legendre_p_all(n: Any, m: Any, theta: Any, *, diff_n: Any = 0) -> Any:
    return sp_sph_legendre_p(*both_ways("sph_legendre_p_all", n, m, theta), theta, diff_n=diff_n)


def sp_assoc_legendre_p_all(n: Any, m: Any, z: Any, *, branch_cut: Any = 2, norm: Any = False, diff_n: Any = 0) -> Any:
    degrees, orders = both_ways("assoc_legendre_p_all", n, m, z)
    return sp_assoc_legendre_p(degrees, orders, z, branch_cut=branch_cut, norm=norm, diff_n=diff_n)


def sp_sph_harm_y_all(n: Any, m: Any, theta: Any, phi: Any, *, diff_n: Any = 0) -> Any:
    return sp_sph_harm_y(*both_ways("sph_harm_y_all", n, m, theta + phi), theta, phi, diff_n=diff_n)


def riccati(p: Primitive) -> Formula:
    """`x f_k(x)` of all orders up to n, and the derivatives."""
    slope = with_derivative(p, 1.0, -1.0)

    def found(n: Any, x: Any) -> tuple[Any, Any]:
        orders = np.arange(integer("n", n) + 1)
        return x * p(orders, x), p(orders, x) + x * slope(orders, x, True)

    return found


def sequence(name: str, function: Any) -> Formula:
    """A function and its derivative at orders one apart, up to v."""

    def found(v: Any, x: Any) -> Any:
        last = static("v", v)
        if last < 0:
            raise TypeError(f"scipy.special.{name} has a derivative for v >= 0")
        return EQUATIONS[function](last - int(last) + np.arange(max(int(last), 1) + 1), x)

    return found


def sp_lmbda(v: Any, x: Any) -> tuple[Any, Any]:
    """Jahnke and Emde's function `0F1(; k + 1; -x^2 / 4)` at orders one apart, up to v, and its derivative."""
    last = static("v", v)
    if last < 0:
        raise TypeError("scipy.special.lmbda has a derivative for v >= 0")
    orders, z = last - int(last) + np.arange(int(last) + 1.0), -0.25 * x * x
    return hyp0f1(orders + 1.0, z), -0.5 * x / (orders + 1.0) * hyp0f1(orders + 2.0, z)


FUNCTIONS: dict[Any, Any] = {
    special.legendre_p: sp_legendre_p, special.legendre_p_all: sp_legendre_p_all,
    special.sph_legendre_p: sp_sph_legendre_p, special.sph_legendre_p_all: sp_sph_legendre_p_all,
    special.assoc_legendre_p: sp_assoc_legendre_p, special.assoc_legendre_p_all: sp_assoc_legendre_p_all,
    special.sph_harm_y: sp_sph_harm_y, special.sph_harm_y_all: sp_sph_harm_y_all,
    special.riccati_jn: riccati(spherical_jn), special.riccati_yn: riccati(spherical_yn),
    special.lmbda: sp_lmbda, special.pbdv_seq: sequence("pbdv_seq", special.pbdv),
    special.pbvv_seq: sequence("pbvv_seq", special.pbvv),
}
