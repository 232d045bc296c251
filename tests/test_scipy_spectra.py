"""Spectra, filters that settle, windows and measures of SciPy: values are SciPy's, derivatives those of differences, in
machine code too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

ndimage, signal = [pytest.importorskip(f"scipy.{name}") for name in ("ndimage", "signal")]
RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
A, K, v = RNG.normal(size=(5, 6)), RNG.normal(size=(2, 3)), RNG.normal(size=12)
S, L = signal.butter(2, 0.3, output="sos"), np.array([[0, 1, 1, 1, 0, 0]] * 5)


def moved(p: Any) -> Any:
    """Sections of a filter that move."""
    return S * np.array([p[0], 1, 1, 1, p[1], 1])


def q(x: Any) -> Any:
    return np.sum(x**2) + np.sum(x[:1])


def c(z: Any) -> Any:
    return q(np.real(z)) + 2 * q(np.imag(z))


CASES: dict[str, Callable[[Any], Any]] = {
    "stft": lambda p: (c(signal.stft(v*p[0]+v**2,nperseg=4)[2]) +
        c(signal.stft(A*p[1],2.0,"hamming",nperseg=4,noverlap=1,axis=0,boundary=None,padded=False,nfft=6)[2])),
    "istft": lambda p: q(signal.istft(signal.stft(v*p[0]+v**2,nperseg=4)[2]*(1.0+p[1]*1j),nperseg=4)[1]),
    "csd": lambda p: (c(signal.csd(v*p[0],v**2+p[1],nperseg=6,nfft=8)[1]) +
        c(signal.csd(A*p[0],A**2,axis=0,nperseg=3,detrend="linear",scaling="spectrum")[1])),
    "coherence": lambda p: q(signal.coherence(v*p[0]+v**3,v**2+p[1]*v,nperseg=4)[1]),
    "spectrogram": lambda p: (q(signal.spectrogram(v*p[0]+p[1]*v**2,nperseg=6)[2]) +
        c(signal.spectrogram(v*p[0],nperseg=6,mode="complex")[2]) +
        q(signal.spectrogram(v*p[0]+1,3.0,nperseg=5,mode="magnitude")[2])),
    "resample": lambda p: (q(signal.resample(v*p[0]+v**2,8)) + q(signal.resample(A*p[1]+A**2,9)) +
        q(signal.resample(A*p[0],4,axis=1))),
    "resample_poly": lambda p: (q(signal.resample_poly(v*p[0]+v**2,2,3)) +
        q(signal.resample_poly(A*p[1],3,1,axis=1,padtype="mean")) +
        q(signal.resample_poly(v*p[0],3,2,padtype="constant",cval=2))),
    "periodogram of a part": lambda p: q(signal.periodogram(A*p[0]+p[1]*A**2,nfft=3,axis=0)[1]),
    "decimate": lambda p: q(signal.decimate(np.tile(v*p[0]+v**2,3),2)),
    "upfirdn": lambda p: (q(signal.upfirdn([p[0],1.0,p[1]],v*p[0],2,3)) +
        q(signal.upfirdn([1.0,p[1]],A*p[0],3,1,axis=0))),
    "freqz": lambda p: (c(signal.freqz([p[0],0.4],[2.0,-p[1],0.3],16)[1]) +
        c(signal.freqz([1.0,p[0]],1,np.array([0.1,0.4]),fs=3.0)[1]) +
        c(signal.freqz_sos(moved(p),8)[1])),
    "medfilt": lambda p: q(signal.medfilt(v*p[0]+p[1]*v**2,5)) + q(signal.medfilt2d(A*p[0]+A**2,3)),
    "sosfiltfilt": lambda p: (q(signal.sosfiltfilt(moved(p),np.tile(v,2)*p[0])) +
        q(signal.sosfilt_zi(moved(p)))),
    "hilbert N": lambda p: c(signal.hilbert(v*p[0]+v**2,16)),
    "detrend bp": lambda p: (q(signal.detrend(v*p[0]+v**2,bp=[4,7])) +
        q(signal.detrend(A*p[0]+A**2*p[1],axis=1,type="constant",bp=2))),
    "correlate2d": lambda p: (q(signal.correlate2d(A*p[0],K*p[1])) + q(signal.correlate2d(A*p[0],K*p[1],"valid")) +
        q(signal.correlate2d(A*p[0],K*p[1],"same"))),
    "deconvolve": lambda p: (q(signal.deconvolve(v*p[0],[1.0,p[1]])[0]) +
        q(signal.deconvolve(v**2,[p[0],p[1],0.3])[1][3:])),
    "waves": lambda p: (q(signal.chirp(v,p[0],2.0,p[1])) + q(signal.chirp(v,p[0],p[1],3.0,"quadratic",phi=30)) +
        q(signal.gauss_spline(v*p[0],3))),
    "rank": lambda p: (q(ndimage.maximum_filter(A*p[0]+A**2,3)) +
        q(ndimage.minimum_filter(A*p[0]+p[1]*A**2,(2,3),mode="wrap",origin=(0,1))) +
        q(ndimage.rank_filter(v*p[0],-2,4)) + q(ndimage.median_filter(A*p[1]+A**2,3,mode="nearest")) +
        q(ndimage.percentile_filter(v*p[0]+v**2,30,5)) + q(ndimage.maximum_filter1d(A*p[0],3,axis=0)) +
        q(ndimage.minimum_filter1d(A*p[0],2)) + q(ndimage.grey_dilation(A*p[0],size=(2,3))) +
        q(ndimage.grey_erosion(A*p[0],size=(2,3)))),
    "gaussians": lambda p: (q(ndimage.gaussian_laplace(A*p[0],p[1])) +
        q(ndimage.gaussian_gradient_magnitude(A*p[0]+A**2,0.8)) +
        q(ndimage.gaussian_filter(A*p[0],p[1],order=(1,3))) +
        q(ndimage.gaussian_filter1d(v*p[0],1.1,order=2,mode="constant"))),
    "affine": lambda p: (q(ndimage.affine_transform(A*p[0],np.array([[p[0],0.13],[0.21,p[1]]]),p*0.53,order=1)) +
        q(ndimage.affine_transform(A,p*0.9,0.3,order=1,mode="nearest")) +
        q(ndimage.rotate(A*p[0],20.0*p[1],reshape=False,order=1))),
    "measures": lambda p: (ndimage.sum(A*p[0])**2*ndimage.mean(A*p[0]+A**2,L)*ndimage.variance(A*p[1],L,1) +
        ndimage.standard_deviation(A*p[0]) + ndimage.maximum(A*p[0],L)*ndimage.minimum(A*p[1]) +
        ndimage.center_of_mass(A**2*p[0]+p[1])[1]+q(ndimage.spline_filter1d(A*p[0],axis=0))),
}


@pytest.mark.share(6)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["istft", "upfirdn", "freqz", "medfilt", "measures", "resample"])
def test_machine_code(name: str):
    found = ccc.gradient(CASES[name], backend="native")(P)
    np.testing.assert_allclose(found, ccc.gradient(CASES[name], backend="numpy")(P), rtol=1e-9, atol=1e-9)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["istft", "coherence", "upfirdn", "sosfiltfilt", "hilbert N"])
def test_second_derivatives(name: str):
    bends_agree(CASES[name], P, U, 1e-3, 1e-5, 1e-5)


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, order=4)), "orders 0 to 3"),
    ]:
        with pytest.raises((CompileError, NotImplementedError), match=text):
            ccc.gradient(f)(v)
