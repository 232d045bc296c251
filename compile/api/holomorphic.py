"""Complex derivatives of functions of complex numbers, as JAX has them with `holomorphic=True`.

    f = u + iv        f' = u_x + i v_x        where u_x = v_y and u_y = -v_x, the equations of Cauchy and Riemann

The Jacobian of a complex value in a complex argument has all four slopes; where the equations do not hold there is no
complex derivative, and this raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.parts import mapped, parts_in
from ccc.compile.frontend.values import RecordValue
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.complexes import Complex
from ccc.primitives.reductions import dtype_of

ERRORS = {"float32": 1e-3, "float16": 1e-1}
"""What the equations may be missed by, of all slopes together, where these are no doubles."""


class ComplexSlopes:
    """The complex Jacobian of a value, in its structure, of the Jacobian of its parts; of a `number` alone. `conjugate`
    says that the slopes in an imaginary part are negated, as cotangents have them."""

    def __call__(self, value: Any, jacobian: Any, number: bool, conjugate: bool) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, jacobian, number, conjugate = args

        def of_value(value: Any, found: Any) -> Any:
            if is_complex(value):
                return of_argument(part(found, "real"), part(found, "imag"))
            if parts_in(value) is None or number:
                raise WrongArguments(f"holomorphic=True is for complex values, found {described(value)}",
                                     help="leave it out, or return a complex number")
            return mapped(value, lambda name, inner: of_value(inner, part(found, name)))

        def of_argument(u: Any, v: Any) -> Any:
            if is_complex(u):
                slopes = [part(x, name) for x in (u, v) for name in ("real", "imag")]
                given = [*slopes, conjugate, ERRORS.get(dtype_of(kind_of(slopes[0])), 1e-6)]
                return e.call(complex_slope, given, {}, node, frame)
            if parts_in(u) is None:
                raise WrongArguments("holomorphic=True is for complex arguments, found one that is not",
                                     help="pass a complex number, or name the complex arguments alone")
            return mapped(u, lambda name, inner: of_argument(inner, part(v, name)))

        if number and is_complex(value):
            e.call(refuse_arrays, [value], {}, node, frame)
        return of_value(value, jacobian)


def part(value: Any, name: Any) -> Any:
    return value.fields[name] if isinstance(value, RecordValue) else value[name]


def refuse_arrays(value: Any) -> None:
    if np.ndim(value.real) > 0:
        raise TypeError("holomorphic=True: a gradient needs one complex number, the function returned an array; take "
                        "ccc.jacrev(f, holomorphic=True)")


def complex_slope(ux: Any, uy: Any, vx: Any, vy: Any, conjugate: Any, error: Any) -> Any:
    if conjugate:
        uy, vy = -uy, -vy
    missed = np.sum(np.abs(ux - vy)) + np.sum(np.abs(uy + vx))
    if missed > error * np.sum(np.abs(ux) + np.abs(uy) + np.abs(vx) + np.abs(vy)):
        raise ValueError("holomorphic=True: the function has no complex derivative here")
    return Complex(ux, vx)


complex_slopes = ComplexSlopes()
