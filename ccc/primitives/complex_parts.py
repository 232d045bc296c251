"""Of which kind the parts of complex numbers are: Python's `complex` has two of its floats, NumPy's two of NumPy's.

>>> import numpy as np
>>> of_kind(np.float64(5.0), 3.0, 4.0), of_kind(np.float64(5.0), np.float64(3.0), 4.0)
(5.0, np.float64(5.0))
"""

from __future__ import annotations

from typing import Any

from ccc.objects import INT, REAL, Array, Real
from ccc.primitives.adaptors import np_zeros_like
from ccc.primitives.arithmetic import to_float
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import OF_PYTHON
from ccc.primitives.indexing import index
from ccc.primitives.shaping import astype


def of_kind(x: Any, *parts: Any) -> Any:
    """A number computed from parts: Python's float where all of these are Python's numbers."""
    return to_float(x) if of_python(*parts) else x


def of_python(*parts: Any) -> bool:
    """Whether all parts are Python's numbers.

    >>> import numpy as np
    >>> of_python(3.0, 4), of_python(np.float64(3.0), 4.0)
    (True, False)
    """
    return all([kind_of(part) in (REAL, INT) for part in parts])


def over(x: Any, size: Any, *parts: Any) -> Any:
    """A number divided by what a division of complex numbers of these parts ends with: NumPy multiplies by the inverse.

    >>> import numpy as np
    >>> over(5.0, 49.0, 5.0, 49.0), over(5.0, np.float64(49.0), 5.0, np.float64(49.0))
    (0.10204081632653061, np.float64(0.1020408163265306))
    """
    return x / size if of_python(*parts) else x * (1.0 / size)


def nothing_beside(x: Any) -> Any:
    """The imaginary part of a real number or array, of its kind.

    >>> import numpy as np
    >>> nothing_beside(2), nothing_beside(np.float32(2.0)), nothing_beside(np.ones(2))
    (0.0, np.float32(0.0), array([0., 0.]))
    """
    kind = kind_of(x)
    if isinstance(kind, Array):
        return np_zeros_like(x)
    if isinstance(kind, Real) and kind.kind not in OF_PYTHON:
        return index(np_zeros_like(x), pattern=())
    return 0.0


def as_part(x: Any) -> Any:
    """A real number or array beside complex ones: NumPy has none whose parts are float16.

    >>> import numpy as np
    >>> as_part(np.float16(2.0)), as_part(np.ones(2, "float16")).dtype, as_part(2)
    (np.float32(2.0), dtype('float32'), 2)
    """
    kind = kind_of(x)
    narrow = kind.dtype if isinstance(kind, Array) else kind.kind if isinstance(kind, Real) else ""
    return astype(x, dtype="float32") if narrow == "float16" else x


FUNCTIONS: dict[Any, Any] = {
    of_kind: of_kind, of_python: of_python, over: over, nothing_beside: nothing_beside, as_part: as_part,
}
