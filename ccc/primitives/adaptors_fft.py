"""The functions of `np.fft` under their own signatures; those that give complex arrays give `Complex` ones.

>>> z = np_rfft(np.array([1.0, 2.0, 3.0]))
>>> np.allclose(z, np.fft.rfft([1.0, 2.0, 3.0])), np_irfft(z, 3)
(True, array([1., 2., 3.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.primitives import fourier
from ccc.primitives.adaptors import np_roll, np_shape, np_zeros_like, real_array
from ccc.primitives.adaptors_arrays import known_rank
from ccc.primitives.arguments import given, integer, static
from ccc.primitives.arithmetic import div, floordiv, mul, neg
from ccc.primitives.complexes import Complex
from ccc.primitives.joining import stack
from ccc.primitives.reductions import places_of

NORMS = (None, "backward", "ortho", "forward")
SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": None}
"""The norms of a transform whose direction is turned round."""


def _norm(norm: Any) -> Any:
    norm = static("norm", norm)
    if norm not in NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return None if norm == "backward" else norm


def _both(a: Any) -> tuple[Any, dict[str, Any]]:
    """The parts of a complex array as one array, or a real array."""
    if isinstance(a, Complex):
        return stack(a.real, a.imag), {"parts": True}
    return real_array(a), {}


def _transformed(of: str, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """A transform along axes: all, or the last ones, where only sizes say how many."""
    if of == "rfftn" and isinstance(a, Complex):
        raise TypeError("a transform of real arrays takes no complex one")
    if of == "irfftn" and not isinstance(a, Complex):
        a = Complex(real_array(a), np_zeros_like(a))
    x, parts = _both(a)
    rank = known_rank("np.fft", x) - bool(parts)
    s, axes = static("s", s), static("axes", axes)
    if rank == 0 and s is None and axes is None:  # along no axis: what is given
        return a
    if axes is None:
        axes = tuple(range(rank)) if s is None else tuple(range(-len(s), 0))
    places = places_of(rank, axes)
    if s is not None and len(s) == len(places) and -1 in s:
        return _in_steps(of, a, s, places, norm)
    if s is not None and (len(s) != len(places) or any(n is None or n < 1 for n in s)):
        raise ValueError("Shape and axes have different lengths, or a size is no positive number.")
    params = {"of": of, "axes": places, **given(sizes=s, norm=_norm(norm)), **parts}
    if of == "irfftn":
        return fourier.transform(x, **params)
    return Complex(fourier.transform(x, **params, part=0), fourier.transform(x, **params, part=1))


def _in_steps(of: str, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """A transform of which a size of -1 leaves an axis as long as it is: along other axes, it is one behind another."""
    last, others = ((s[-1],), (axes[-1],)), ("ifftn" if of == "irfftn" else "fftn", s[:-1], axes[:-1])
    if of in ("fftn", "ifftn"):
        last, others = ((), ()), (of, s, axes)
    elif of == "irfftn" and s[-1] == -1:
        raise ValueError("the last size of an inverse transform of real arrays is a number here: found -1")
    pairs = list(zip(others[1], others[2], strict=True))
    whole, cut = [[axis for n, axis in pairs if (n == -1) is left] for left in (True, False)]
    steps = [(others[0], None, whole), (others[0], tuple([n for n in others[1] if n != -1]), cut)]
    real = (of, None if last[0] == (-1,) else last[0], last[1])
    for step, sizes, along in [real, *steps] if of == "rfftn" else [*steps, real]:
        if len(along) > 0:
            a = _transformed(step, a, sizes, tuple(along), norm)
    return a


def takes_complex(adaptor: Any) -> Any:
    """An adaptor that takes complex arrays as well as real ones."""
    adaptor.takes_complex = True
    return adaptor


def along_one(of: str) -> Any:
    @takes_complex
    def adaptor(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        return _transformed(of, a, None if n is None else (integer("n", n),), (integer("axis", axis),), norm)

    return adaptor


def along_two(of: str) -> Any:
    @takes_complex
    def adaptor(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        return _transformed(of, a, s, axes, norm)

    return adaptor


def along_all(of: str) -> Any:
    @takes_complex
    def adaptor(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        return _transformed(of, a, s, axes, norm)

    return adaptor


np_rfft = along_one("rfftn")
np_irfft = along_one("irfftn")


def conjugate(a: Any) -> Any:
    """The conjugate of a complex array, or a real array."""
    return Complex(a.real, neg(a.imag)) if isinstance(a, Complex) else a


@takes_complex
def np_hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np_irfft(conjugate(a), n, axis, SWAPPED[_norm(norm)])


@takes_complex
def np_ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return conjugate(np_rfft(a, n, axis, SWAPPED[_norm(norm)]))


def _frequencies(n: Any, d: Any, **params: Any) -> Any:
    return mul(fourier.frequencies(n, **params), div(1.0, mul(n, d)))


def np_fftfreq(n: Any, d: Any = 1.0) -> Any:
    return _frequencies(n, d)


def np_rfftfreq(n: Any, d: Any = 1.0) -> Any:
    return _frequencies(n, d, half=True)


def _rolled(x: Any, axes: Any, back: bool) -> Any:
    x = real_array(x)
    places = places_of(known_rank("np.fft.fftshift", x), static("axes", axes))
    for axis in places:
        half = floordiv(np_shape(x)[axis], 2)
        x = np_roll(x, neg(half) if back else half, axis)
    return x


@takes_complex
def np_fftshift(x: Any, axes: Any = None) -> Any:
    return Complex(_rolled(x.real, axes, False), _rolled(x.imag, axes, False)) if isinstance(x, Complex) else _rolled(
        x, axes, False)


@takes_complex
def np_ifftshift(x: Any, axes: Any = None) -> Any:
    return Complex(_rolled(x.real, axes, True), _rolled(x.imag, axes, True)) if isinstance(x, Complex) else _rolled(
        x, axes, True)


FUNCTIONS: dict[Any, Any] = {
    np.fft.fft: along_one("fftn"), np.fft.ifft: along_one("ifftn"), np.fft.rfft: np_rfft, np.fft.irfft: np_irfft,
    np.fft.fft2: along_two("fftn"), np.fft.ifft2: along_two("ifftn"), np.fft.rfft2: along_two("rfftn"),
    np.fft.irfft2: along_two("irfftn"), np.fft.fftn: along_all("fftn"), np.fft.ifftn: along_all("ifftn"),
    np.fft.rfftn: along_all("rfftn"), np.fft.irfftn: along_all("irfftn"), np.fft.hfft: np_hfft,
    np.fft.ihfft: np_ihfft, np.fft.fftfreq: np_fftfreq, np.fft.rfftfreq: np_rfftfreq, np.fft.fftshift: np_fftshift,
    np.fft.ifftshift: np_ifftshift,
}
