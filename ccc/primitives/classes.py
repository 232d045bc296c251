"""The classes that numbers have when a program runs, where they are not those of its types.

A power of Python's is an int or a float, or a float or a complex number, by the sign of one of its arguments:

>>> is_instance(10**-1, kinds=(int,)), is_exactly(2.0**0.5, kind=float), class_named((-2.0) ** 0.5, name="__name__")
(False, True, 'complex')
>>> real_part((-4.0) ** 1.5), imaginary_part(10**-1)
(-1.4695761589768238e-15, 0.0)
"""

from __future__ import annotations

from typing import Any

from ccc.errors import MissingDerivative
from ccc.objects import BOOL, REAL, TEXT, Object
from ccc.primitives.facts import ENTRIES, MAY, NEVER, NEW, STORAGE
from ccc.primitives.pointwise import flat, operation
from ccc.primitives.primitive import Primitive


def _called(name: str) -> Any:
    return lambda *texts, **params: f"{name}({', '.join(texts)})"


def _of(a: Object) -> Any:
    return lambda p, args, params: a


is_instance = Primitive("is_instance", lambda x, kinds: isinstance(x, kinds), _of(BOOL), _called("is_instance"),
                        exact=True, memory=NEW, work=STORAGE, raises=NEVER)
"""Whether a number is of some classes."""
is_exactly = Primitive("is_exactly", lambda x, kind: type(x) is kind, _of(BOOL), _called("is_exactly"), exact=True,
                       memory=NEW, work=STORAGE, raises=NEVER)
"""Whether the class of a number is this one."""
class_named = Primitive("class_named", lambda x, name: repr(type(x)) if name == "__repr__" else getattr(type(x), name),
                        _of(TEXT), _called("class_named"), exact=True, memory=NEW, work=STORAGE, raises=NEVER)
"""The name of the class of a number, or what is shown of the class."""
real_part = operation("real_part", lambda x: x.real, "{}.real", lambda d, y, x: d, type_rule=_of(REAL), memory=NEW,
                      work=ENTRIES, raises=NEVER)
"""The real part of a number that may be complex."""


def _imaginary_slope(x: Any) -> float:
    if isinstance(x, complex):
        raise MissingDerivative("the imaginary part of a negative number to a fraction has no derivative here",
                                help="let the number be complex before: `complex(x) ** 0.5`")
    return 0.0


imaginary_slope = flat("imaginary_slope", _imaginary_slope, _called("imaginary_slope"), exact=True,
                       type_rule=_of(REAL), memory=NEW, work=ENTRIES, raises=MAY)
"""The slope of the imaginary part of a number, 0.0 where that is real: a complex one has no derivative."""
imaginary_part = operation("imaginary_part", lambda x: float(x.imag), _called("imaginary_part"),
                           lambda d, y, x: d * imaginary_slope(x), exact=True, type_rule=_of(REAL), memory=NEW,
                           work=ENTRIES, raises=NEVER)
"""Its imaginary part, 0.0 where it is real, as it is wherever there is a derivative."""

__all__ = ["class_named", "imaginary_part", "imaginary_slope", "is_exactly", "is_instance", "real_part"]
