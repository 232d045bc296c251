"""The functions of `scipy.fft`: those of `np.fft`, and cosine and sine transforms, which are real linear maps.

    T2^T = T3 W,  T3^T = W^-1 T2,  T1^T = W T1 W^-1 (cosines),  T1^T = T1 (sines),  T4^T = T4

W has a 2 where the sum of type 3 or 1 has a 1: at the first place of cosines, at the last of sines, and at both ends of
cosines of type 1. Transforms that are orthogonal but for a factor have their inverse as transpose, and factors stay.
The sums are those of SciPy's documentation.

>>> import scipy.fft
>>> FUNCTIONS[scipy.fft.dct](np.array([1.0, 2.0, 4.0])).round(12)
array([14.        , -5.19615242,  1.        ])

Values of `np.fft` are taken, which are SciPy's up to the last bits. Numbers of threads mean nothing.

Reference: Makhoul, *A fast cosine transform in one and two dimensions* (1980).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

from ccc.objects import Object, array
from ccc.primitives import adaptors_fft
from ccc.primitives.adaptors import real_array
from ccc.primitives.adaptors_arrays import known_rank, np_pad
from ccc.primitives.adaptors_fft import NORMS, takes_complex
from ccc.primitives.arguments import flag, integer, static
from ccc.primitives.facts import MAY, NEW, PRODUCTS
from ccc.primitives.indexing import index
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, places_of
from ccc.primitives.shaping import axes_of

fft: Any = scipy.fft


# -- cosines and sines -----------------------------------------------------------------------------------------------


def _weighted(x: Any, of: str, type: int, axes: tuple[int, ...], power: int) -> Any:
    """Times W, or divided by it."""
    for axis in axes:
        w = np.ones(x.shape[axis], x.dtype)
        if type == 1 and of == "dctn":
            w[1:-1] = 2.0
        elif type in (2, 3):
            w[0 if of == "dctn" else -1] = 2.0
        x = x * np.reshape(w**power, [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    return x


DUAL = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the transpose."""


def _waves(x: Any, of: str, type: int, axes: tuple[int, ...], norm: str, orthogonal: bool, turned: bool) -> Any:
    """A transform, or its transpose."""
    transform = getattr(fft, of)
    if not turned:
        return transform(x, type, axes=axes, norm=norm, orthogonalize=orthogonal)
    before = {1: -1, 2: 1}.get(type, 0) * (not orthogonal)
    behind = {1: 1, 3: -1}.get(type, 0) * (not orthogonal)
    found = transform(_weighted(x, of, type, axes, before), DUAL[type], axes=axes, norm=norm, orthogonalize=orthogonal)
    return _weighted(found, of, type, axes, behind)


def _waves_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    dtype = dtype_of(args[0])
    return array(dtype if dtype in ("float32", "float64") else "float64", axes_of(args[0]))


waves = linear(
    "waves", _waves, _waves_type, call_source("waves"),
    lambda ct, y, x, **params: (waves(ct, **params | {"turned": not params["turned"]}),),
    memory=NEW, work=PRODUCTS, like=0, raises=MAY,
)
"""`waves(x, of="dctn", type=2, axes=(0,), norm="backward", orthogonal=False, turned=False)`: a transform by cosines or
sines."""


def _fitted(x: Any, sizes: tuple[Any, ...], axes: tuple[int, ...]) -> Any:
    """With axes cut, or with zeros behind them, to sizes."""
    rank = known_rank("scipy.fft", x)
    wide = np_pad(x, [(0, sizes[axes.index(i)]) if i in axes else (0, 0) for i in range(rank)])
    return index(wide, *sizes_in_order(sizes, axes), pattern=tuple(["s2" if i in axes else "s" for i in range(rank)]))


def sizes_in_order(sizes: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """Sizes of axes in the order of the axes.

    >>> sizes_in_order((5, 7), (2, 0))
    [7, 5]
    """
    return [n for _, n in sorted(zip(axes, sizes, strict=True))]


def _wave(of: str, x: Any, type: Any, s: Any, axes: Any, norm: Any, orthogonalize: Any, inverse: bool) -> Any:
    """A transform along axes: all, or the last ones, where only sizes say how many. An inverse is that of the dual type
    with the factor of the other direction."""
    x, type, norm = real_array(x), integer("type", type), static("norm", norm)
    rank, s, axes = known_rank("scipy.fft", x), static("s", s), static("axes", axes)
    if type not in DUAL:
        raise ValueError("Invalid type, must be 1-4")
    if norm not in NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if axes is None:
        axes = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
    places = places_of(rank, axes)
    if s is not None:
        x = _fitted(x, tuple(s), places)
    norm = norm or "backward"
    orthogonal = norm == "ortho" if orthogonalize is None else flag("orthogonalize", orthogonalize)
    if inverse:
        type, norm = DUAL[type], {"backward": "forward", "forward": "backward"}.get(norm, norm)
    return waves(x, of=of, type=type, axes=places, norm=norm, orthogonal=orthogonal, turned=False)


def wave_along_one(of: str, inverse: bool = False) -> Any:
    def adaptor(
        x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
        workers: Any = None, orthogonalize: Any = None,
    ) -> Any:
        sizes = None if n is None else (integer("n", n),)
        return _wave(of, x, type, sizes, (integer("axis", axis),), norm, orthogonalize, inverse)

    return adaptor


def wave_along_all(of: str, inverse: bool = False) -> Any:
    def adaptor(
        x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None, overwrite_x: Any = False,
        workers: Any = None, *, orthogonalize: Any = None,
    ) -> Any:
        return _wave(of, x, type, s, axes, norm, orthogonalize, inverse)

    return adaptor


# -- Fourier transforms ----------------------------------------------------------------------------------------------


def no_plan(plan: Any) -> None:
    """Raises `TypeError` for a plan, of which SciPy takes none itself."""
    if static("plan", plan) is not None:
        raise TypeError("scipy.fft takes no plan: write plan=None")


def fourier_along_one(of: Any) -> Any:
    @takes_complex
    def adaptor(
        x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
        plan: Any = None,
    ) -> Any:
        no_plan(plan)
        return of(x, n, axis, norm)

    return adaptor


def fourier_along_several(of: Any, usual: Any) -> Any:
    @takes_complex
    def adaptor(
        x: Any, s: Any = None, axes: Any = usual, norm: Any = None, overwrite_x: Any = False, workers: Any = None, *,
        plan: Any = None,
    ) -> Any:
        no_plan(plan)
        return of(x, s, axes, norm)

    return adaptor


SAME = adaptors_fft.FUNCTIONS
FUNCTIONS: dict[Any, Any] = {
    **{getattr(fft, name): fourier_along_one(SAME[getattr(np.fft, name)])
       for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{getattr(fft, name): fourier_along_several(SAME[getattr(np.fft, name)], (-2, -1))
       for name in ("fft2", "ifft2", "rfft2", "irfft2")},
    **{getattr(fft, name): fourier_along_several(SAME[getattr(np.fft, name)], None)
       for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    **{getattr(fft, name): SAME[getattr(np.fft, name)] for name in ("fftshift", "ifftshift", "fftfreq", "rfftfreq")},
    fft.dct: wave_along_one("dctn"), fft.idct: wave_along_one("dctn", inverse=True),
    fft.dst: wave_along_one("dstn"), fft.idst: wave_along_one("dstn", inverse=True),
    fft.dctn: wave_along_all("dctn"), fft.idctn: wave_along_all("dctn", inverse=True),
    fft.dstn: wave_along_all("dstn"), fft.idstn: wave_along_all("dstn", inverse=True),
}
BEHIND: Any = getattr(fft, "_pocketfft", None)
"""What functions of `scipy.fftpack` call, by the same names and with the same arguments."""
FUNCTIONS.update({getattr(BEHIND, f.__name__): rule for f, rule in FUNCTIONS.items() if hasattr(BEHIND, f.__name__)})
