"""Values of tagged sums: which alternative one is, and the value as that. At run time it is the same object.

>>> is_type(None, type(None)), is_kind(2.0, kind="number"), inject(2.0, into=Coproduct((Static(None), REAL)))
(True, True, 2.0)

A cotangent of a sum is one of the alternative that the value is; None stands for zero, whole or in part.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero
from ccc.objects import BOOL, REAL, Coproduct, Object, Static
from ccc.paired import PAIRS, is_complex
from ccc.primitives.complexes import Complex
from ccc.primitives.facts import NEVER, NEW, SIZES, jointly, may_be, same
from ccc.primitives.primitive import Primitive, linear

NUMBERS = (int, float, np.integer, np.floating, np.bool_, Fraction)
KINDS: dict[str, Any] = {"number": NUMBERS, "array": np.ndarray, "list": list, "tuple": tuple}
"""The classes of the kinds of values that are no records, by the names of their kinds."""
HOLDS: dict[str, Callable[[Any], bool]] = {
    "number": lambda x: isinstance(x, NUMBERS), "complex": lambda x: is_complex(x) or type(x) in PAIRS,
    "array": lambda x: isinstance(x, (np.ndarray, *NUMBERS)) and not is_complex(x),
}
"""Whether a value is of one of the kinds that are told by more than a class."""


def tag_of_kind(kind: str) -> Any:
    """The tag of the alternative that the values of a kind are of.

    >>> tag_of_kind("number"), tag_of_kind("complex")
    ('number', <class 'ccc.primitives.complexes.Complex'>)
    """
    return Complex if kind == "complex" else kind


def _into(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return params["into"]


def _of(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return params["of"]


def _second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[1]


def _same(x: Any, **params: Any) -> Any:
    return x


def _source(x: str, **params: Any) -> str:
    return x


def _settled(ct: Any, x: Any) -> Any:
    """The cotangent of an alternative, of which nothing may have arrived: None, or the zero of another alternative that
    the variable held before."""
    from ccc.primitives.structure import zero_of_real
    from ccc.primitives.zero_trees import is_nothing

    other = is_of_another(ct, x) or (is_real(x) and np.shape(ct) != np.shape(x))
    return zero_of_real(x) if ct is None or (other and is_nothing(ct)) else ct


def is_of_another(ct: Any, x: Any) -> bool:
    """Whether a cotangent is of another kind than a value.

    >>> is_of_another(0.0, np.ones(2)), is_of_another((0.0,), np.ones(2)), is_of_another([], (1.0,))
    (False, True, True)
    """
    if is_real(x) or is_real(ct):
        return not (is_real(x) and is_real(ct))
    return type(ct) is not type(x)


def is_real(x: Any) -> bool:
    """Whether a value is a number or an array of these; a complex one is a pair of them.

    >>> is_real(np.ones(2)), is_real(np.complex128(1)), is_real(np.ones(2, complex)), is_real([1.0])
    (True, False, False, False)
    """
    return isinstance(x, NUMBERS) or (isinstance(x, np.ndarray) and not is_complex(x))


inject = linear(
    "inject", _same, _into, _source, lambda ct, y, x, into: (arrived(ct, x),), exact=True,
    memory=same(), work=SIZES, raises=NEVER,
)
project = linear(
    "project", _same, _of, _source, lambda ct, y, x, of: (as_cotangent(ct, x),), exact=True,
    memory=same(), work=SIZES, raises=NEVER,
)
as_cotangent = Primitive(
    "as_cotangent", lambda ct, x: ct, _second, lambda ct, x: ct,
    lambda g, y, ct, x: (arrived(g, ct), ZERO),
    lambda ds, y, ct, x: ds[0] if isinstance(ds[0], Zero) else as_cotangent(ds[0], x), exact=True,
    memory=same(), work=SIZES, linear=jointly(0), raises=NEVER,
)
arrived = Primitive(
    "arrived", _settled, _second, "arrived({}, {})",
    lambda g, y, ct, x: (as_cotangent(g, ct), ZERO),
    lambda ds, y, ct, x: ds[0] if isinstance(ds[0], Zero) else arrived(ds[0], x), exact=True,
    memory=may_be(0), work=SIZES, linear=jointly(0), raises=NEVER,
)
is_type = Primitive("is_type", lambda x, cls: type(x) is cls, lambda p, args, params: BOOL, "type({}) is {}",
                    precedence=6, exact=True, memory=NEW, work=SIZES, raises=NEVER)
is_kind = Primitive("is_kind", lambda x, kind: HOLDS[kind](x), lambda p, args, params: BOOL,
                    lambda x, kind: f"is_kind({x}, {kind!r})", exact=True, memory=NEW, work=SIZES, raises=NEVER)

__all__ = ["HOLDS", "KINDS", "NUMBERS", "REAL", "Coproduct", "Static", "arrived", "as_cotangent", "inject", "is_kind",
           "is_type", "project", "tag_of_kind"]
