"""Discrete Fourier transforms: linear maps whose transposes are Fourier transforms again.

A complex array is the array of its real and its imaginary part, one behind the other along a first axis: so all maps
are real, and <ct, F x> = <F^T ct, x> is that of real arrays. F is a matrix of roots of unity between sizes that are cut
or filled with zeros, times 1, 1/n or 1/sqrt(n):

    fftn^T  = the sizes of x . ifftn with the norm turned round          rfftn^T = its real part
    irfftn^T = the sizes of x . fftn of (weights * rfft), the weights 1 at both ends and 2 between

>>> transform.pullback(np.array([[1.0, 0.0], [0.0, 0.0]]), None, np.array([1.0, 2.0]), of="fftn", axes=(0,))[0]
array([1., 1.])

The transposes are read off the sums that the documentation of `numpy.fft` gives.

Reference: Cooley and Tukey, *An algorithm for the machine calculation of complex Fourier series* (1965).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.base import Traced
from ccc.objects import Object, array
from ccc.objects_of_values import object_of
from ccc.primitives.domains import Known
from ccc.primitives.facts import ENTRIES, NEVER, NEW, PRODUCTS
from ccc.primitives.indexing import index
from ccc.primitives.joining import stack
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.products import cumsum
from ccc.primitives.reductions import call_source, dtype_of, max_, places_of
from ccc.primitives.shaping import axes_of, flip
from ccc.primitives.sizes import constant, made

DUAL = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm of the transpose of a transform."""


def joined(x: Any) -> Any:
    """The complex array of which `x` has the parts.

    >>> joined(np.array([[1.0, 2.0], [0.0, 3.0]]))
    array([1.+0.j, 2.+3.j])
    """
    made = np.empty(np.shape(x)[1:], np.result_type(x.dtype if x.dtype.kind == "f" else np.float64, np.complex64))
    made.real, made.imag = x
    return made


def split(z: Any) -> Any:
    """The parts of a complex array.

    >>> split(np.array([1 + 2j]))
    array([[1.],
           [2.]])
    """
    return np.stack([z.real, z.imag])


def _transform(
    x: Any, of: str, axes: tuple[int, ...], sizes: tuple[int, ...] | None = None, norm: str | None = None,
    parts: bool = False, part: int | None = None,
) -> Any:
    found = getattr(np.fft, of)(joined(x) if parts else x, sizes, axes, norm)
    if part is not None:
        return np.ascontiguousarray(found.imag if part else found.real)
    return split(found) if np.iscomplexobj(found) else found


def _fitted(z: Any, sizes: tuple[int, ...]) -> Any:
    """An array with its axes cut, or with zeros behind them, to sizes."""
    z = z[tuple([slice(0, n) for n in sizes])]
    return np.pad(z, [(0, n - m) for n, m in zip(sizes, z.shape, strict=True)])


def _weighted(g: Any, axis: int, norm: str) -> Any:
    """The transpose of `irfft` along an axis."""
    n = np.shape(g)[axis]
    weights = np.full(n // 2 + 1, 2, g.dtype)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return np.fft.rfft(g, axis=axis, norm=norm) * np.reshape(weights, [-1 if i == axis else 1 for i in range(g.ndim)])  # type: ignore[reportCallIssue]


def _onto(
    ct: Any, x: Any, of: str, axes: tuple[int, ...], sizes: tuple[int, ...] | None = None, norm: str | None = None,
    parts: bool = False, part: int | None = None,
) -> Any:
    shape, dual = np.shape(x)[1:] if parts else np.shape(x), DUAL[norm]
    axes = places_of(len(shape), axes)
    if of == "irfftn":
        found = _weighted(ct, axes[-1], dual)
        for axis in axes[:-1]:
            found = np.fft.fft(found, axis=axis, norm=dual)  # type: ignore[reportArgumentType]
    else:
        full = sizes or tuple([shape[axis] for axis in axes])
        found = joined(ct) if part is None else ct * 1j if part else ct
        back = np.fft.fft if of == "ifftn" else np.fft.ifft
        for axis, n in zip(axes, full, strict=True):
            found = back(found, n, axis, dual)  # type: ignore[reportArgumentType]
    found = _fitted(found, shape)
    return split(found) if parts else np.ascontiguousarray(found.real)


def _transform_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    dtype = np.dtype(dtype_of(args[0]))
    dtype = np.result_type(dtype, np.float32).name if dtype.kind == "f" else "float64"
    axes = axes_of(args[0])
    if axes is None:
        return array(dtype, None)
    kept = axes[1:] if params.get("parts") else axes
    places = places_of(len(kept), params["axes"])
    if "sizes" in params or params["of"] in ("rfftn", "irfftn"):
        kept = tuple(["?" if i in places else name for i, name in enumerate(kept)])
    return array(dtype, tuple(kept) if params["of"] == "irfftn" or "part" in params else ("n", *kept))


def _pointless(x: Known, axes: tuple[int, ...], rank: int | None, parts: bool, counted: bool) -> bool:
    """Where an array has not this rank, or may have nothing along these axes, which are `counted` elsewhere; or is not
    two parts."""
    if rank is None or x.axes is None or len(x.axes) - parts != rank:
        return True
    if any([not -rank <= axis < rank for axis in axes]):
        return True
    if parts and not x.has_size(0, constant(2)):
        return True
    return not counted and any([not x.has_items(axis % rank + parts) for axis in axes])


def _no_points(
    x: Known, of: str, axes: tuple[int, ...], sizes: tuple[int, ...] | None = None, norm: str | None = None,
    parts: bool = False, part: int | None = None,
) -> bool:
    """Where there may be no axis of these, or nothing along it."""
    if norm not in DUAL or (sizes is None and of == "irfftn") or min(sizes or (), default=1) < 1:
        return True
    return _pointless(x, axes, None if x.axes is None else len(x.axes) - parts, parts, sizes is not None)


def _no_points_onto(
    ct: Known, x: Known, of: str, axes: tuple[int, ...], parts: bool = False, part: int | None = None, **params: Any
) -> bool:
    """Where the transform, or the cotangent of its result, may have no axis of these, or nothing along it."""
    if _no_points(x, of, axes, parts=parts, **params):
        return True
    return _pointless(ct, axes, len(x.axes or ()) - parts, of != "irfftn" and part is None, False)


def _largest(p: Primitive, d: Any, *like: Any, parted: bool, leads: bool, one: bool = False, **params: Any) -> Any:
    """What frequency 0 has of the transform of magnitudes, those of both parts taken together: no other one has more,
    or twice as much, where half of the frequencies stand for all. It stands for both parts, or for `one`."""
    found = abs(p(flip(cumsum(d, axis=0), axis=0) if parted else d, *like, **params))
    axes = axes_of(found.object if isinstance(found, Traced) else object_of(found))
    if axes is None:
        return max_(found)
    places = places_of(len(axes) - leads, params["axes"])
    largest = max_(found, axis=(*[0] * leads, *[i + leads for i in places]), keepdims=True)
    return index(largest, 0, pattern=("i",)) if one else largest


def _modulus(d: Any, of: str, parts: bool = False, part: int | None = None, **params: Any) -> Any:
    params |= {"parts": True} if parts else {}
    return _largest(transform, d, parted=parts, leads=of != "irfftn", one=part is not None, of=of, **params)


def _modulus_onto(d: Any, x: Any, of: str, parts: bool = False, part: int | None = None, **params: Any) -> Any:
    params |= {"parts": True} if parts else {}
    params |= {"part": 0} if part is not None else {}
    parted = of != "irfftn" and part is None
    return 2.0 * _largest(transform_onto, d, x, parted=parted, leads=parts, of=of, **params)


def _transformed(args: Any, params: dict[str, Any]) -> Any:
    """The sizes of a transform: those of the array where nothing else is said, but for the axis that is halved."""
    shape, of = args[0].shape, params["of"]
    if shape is None:
        return None
    kept = list(shape[1:] if params.get("parts") else shape)
    places = places_of(len(kept), params["axes"])
    for i, n in zip(places, params.get("sizes") or [kept[i] for i in places], strict=True):
        kept[i] = constant(n) if isinstance(n, int) else n
    if of in ("rfftn", "irfftn"):
        kept[places[-1]] = None
    return kept if of == "irfftn" or "part" in params else [constant(2), *kept]


def _transposed(ct: Any, y: Any, x: Any, **params: Any) -> tuple[Any]:
    """The cotangent of the array. Where sizes stay as they are, those of the cotangent say them."""
    part, parts = params.get("part"), params.get("parts", False)
    if "sizes" not in params and params["of"] in ("fftn", "ifftn"):
        x = ct if (part is None) is parts else stack(ct, ct) if parts else index(ct, 0, pattern=("i",))
    return (transform_onto(ct, x, **params),)


transform = linear(
    "transform", _transform, _transform_type, call_source("transform"), _transposed, memory=NEW, work=PRODUCTS,
    raises=_no_points, modulus=_modulus, one_of="part", shape=_transformed,
)
"""`transform(x, of="rfftn", axes=(-1,))`: one of the functions of `np.fft`, of a real array or of parts; one `part` of
what that gives, 0 or 1, where it is asked for."""
transform_onto = linear(
    "transform_onto", _onto, lambda p, args, params: array(dtype_of(args[0]), axes_of(args[1])),
    call_source("transform_onto"), lambda g, y, ct, x, **params: (transform(g, **params), ZERO),
    memory=NEW, work=PRODUCTS, sizes=(1,), like=1, raises=_no_points_onto,
    modulus=_modulus_onto, of_one="part",
)
"""`transform_onto(ct, x, of="rfftn", axes=(-1,))`: the transpose of that transform of `x`; of one `part` of the
cotangent where that is all there is, the other part being zero."""


def _frequencies(n: int, half: bool = False) -> Any:
    if half:
        return np.arange(0, n // 2 + 1, dtype=int)
    return np.concatenate([np.arange(0, (n - 1) // 2 + 1, dtype=int), np.arange(-(n // 2), 0, dtype=int)])


frequencies = Primitive(
    "frequencies", _frequencies, lambda p, args, params: array("int64", ("?",)), call_source("frequencies"),
    no_cotangents, no_tangent, memory=NEW, work=ENTRIES, raises=NEVER,
    shape=lambda args, params: [None] if params.get("half") else made(args, params),
)
"""The whole numbers of which `np.fft.fftfreq` and `np.fft.rfftfreq` give multiples."""
