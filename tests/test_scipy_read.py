"""Functions of SciPy's that are read as SciPy writes them: values are SciPy's, derivatives those of differences."""

# pyright: reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false, reportIndexIssue=false
# pyright: reportOptionalSubscript=false, reportOptionalIterable=false, reportAssignmentType=false

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

scipy: Any = pytest.importorskip("scipy")

from scipy import fft, integrate, interpolate, linalg, ndimage, signal, special, stats  # noqa: E402 - only where SciPy is installed

RNG = np.random.default_rng(0)
x = RNG.normal(size=12)
y = RNG.normal(size=12) + 0.5 * x
pos, p, T = np.exp(x), np.linspace(0.1, 0.9, 5), np.linspace(0.0, 2.0, 9)
A = RNG.normal(size=(4, 4))
S = A @ A.T + 4.0 * np.eye(4)
img, long = RNG.normal(size=(6, 7)), RNG.normal(size=64)
b, a = signal.butter(2, 0.3)  # type: ignore
sos = signal.butter(4, 0.3, output="sos")
ss = (np.array([[-1.0, 0.3], [0.2, -2.0]]), np.array([[1.0], [0.5]]), np.array([[1.0, 0.0]]), np.array([[0.0]]))

CASES: dict[str, tuple[Any, ...]] = {
    "signal.residue": (lambda b, a: np.abs(signal.residue(b, a)[0]), x[:2],
                       np.array([1.0, 6.0, 11.0, 6.0])),
    "signal.residuez": (lambda b, a: np.abs(signal.residuez(b, a)[0]), x[:2],
                        np.array([2.0, 6.0, 11.0])),
    "signal.invres": (lambda r, k: signal.invres(r, np.array([-1.0, -2.0]), k)[0], x[:2], x[2:4]),
    "signal.invresz": (lambda r, k: signal.invresz(r, np.array([-1.0, -2.0]), k)[0], x[:2], x[2:4]),
    "signal.place_poles": (lambda A, B: signal.place_poles(A, B, [-1.0, -2.0, -3.0]).gain_matrix, A[:3, :3], A[:3, 3:]),
    "signal.ss2tf": (lambda A: np.concatenate([np.ravel(c) for c in signal.ss2tf(A, *ss[1:])]), ss[0]),
    "signal.dlsim": (lambda A, u: signal.dlsim((A, *ss[1:], 0.1), u)[1], 0.3 * ss[0], x),
    "signal.dstep": (lambda A: signal.dstep((A, *ss[1:], 0.1), n=8)[1][0], 0.3 * ss[0]),
    "signal.dimpulse": (lambda A: signal.dimpulse((A, *ss[1:], 0.1), n=8)[1][0], 0.3 * ss[0]),
    "signal.dfreqresp": (lambda b: np.abs(signal.dfreqresp((b, a, 0.1), w=np.array([0.1, 0.2]))[1]), b),
    "signal.dbode": (lambda b: signal.dbode((b, a, 0.1), w=np.array([0.1, 0.2]))[2], np.add(b, x[:3])),
    "signal.iircomb": (lambda q: signal.iircomb(0.25, q)[0], 20.0),
    "signal.tf2sos": (lambda b: signal.tf2sos(b, [1.0, 0.5, 0.3, 0.1]), pos[:4]),
    "signal.ellipap": (lambda r: signal.ellipap(3, r, 40.0)[2], 1.0),
    "signal.besselap": (lambda r: r * np.abs(signal.besselap(3)[1]), 1.0),
    "signal.buttap": (lambda r: r * np.abs(signal.buttap(3)[1]), 1.0),
    "signal.band_stop_obj": (lambda w: signal.band_stop_obj(
        w, 0, np.array([0.1, 0.6]), np.array([0.2, 0.5]), 1.0, 40.0, "butter"), 0.12),
    "signal.closest_STFT_dual_window": (lambda w: signal.closest_STFT_dual_window(w, 3)[0], pos),
    "stats.zscore": (lambda v: stats.zscore(v, ddof=1), x),
    "linalg.eigvalsh": (lambda A: linalg.eigvalsh(A + A.T, lower=False), A),
    "linalg.eigvalsh_tridiagonal": (linalg.eigvalsh_tridiagonal, x[:4], pos[:3]),
    "linalg.null_space": (lambda A: linalg.null_space(A[:3]) ** 2, A),
    "linalg.orth": (lambda A: linalg.orth(A[:, :2]) ** 2, A),
    "linalg.polar": (lambda A: linalg.polar(A, side="left")[1], A),
    "signal.freqz_sos": (lambda s: np.abs(signal.freqz_sos(s, 5)[1]), sos),
    "signal.sosfreqz": (lambda s: np.abs(signal.sosfreqz(s, 5)[1]), sos),
    "integrate.cumulative_trapezoid": (lambda v, t: integrate.cumulative_trapezoid(v, t, initial=0), x[:9], T + 1.0),
    "integrate.fixed_quad": (lambda s: integrate.fixed_quad(lambda t: np.exp(-s * t), 0.0, 1.0, n=7)[0], 1.7),
    "linalg.fiedler_companion": (lambda v: linalg.fiedler_companion(v), x[:5]),
    "fft.fhtoffset": (lambda d: fft.fhtoffset(d, mu=0.5), 0.1),
    "ndimage.labeled_comprehension": (
        lambda v: ndimage.labeled_comprehension(v, (img > 0) * 1, [0, 1], np.mean, float, 0), img),
    "linalg.matrix_balance": (lambda A: linalg.matrix_balance(A * np.array([1.0, 100.0, 1.0, 0.1]))[0], A),
    "linalg.eig_banded": (lambda v: np.vstack(linalg.eig_banded(v)),
                          np.array([[0.0, 1.0, 2.0, 1.0], [4.0, 5.0, 6.0, 7.0]])),
    "linalg.qr_multiply": (lambda A, c: linalg.qr_multiply(A, c)[0], A, S),
    "fft.hfft2": (lambda v: fft.hfft2(v), img),
    "fft.hfftn": (lambda v: fft.hfftn(v, norm="ortho"), img),
    "fft.ihfft2": (lambda v: np.abs(fft.ihfft2(v)), img),
    "fft.ihfftn": (lambda v: np.abs(fft.ihfftn(v)), img),
    "fft.fht": (lambda v, d, mu, o, q: fft.fht(v, d, mu, o, q), pos, 0.1, 0.5, 0.2, 0.1),
    "fft.ifht": (lambda v, d, mu, o, q: fft.ifht(v, d, mu, o, q), pos[:11], 0.1, 0.5, 0.2, -0.1),
    "stats.poisson_binom": (lambda p: np.concatenate(
        [stats.poisson_binom.pmf([0, 2, 9], p), stats.poisson_binom.cdf([-1, 1, 7], p)]), p),
    "stats.nchypergeom_fisher": (lambda w: stats.nchypergeom_fisher.pmf([1, 3], 20, 8, 6, w), 1.3),
    "stats.matrix_t": (lambda v, r, c, f: stats.matrix_t.logpdf(v, None, r, c, f),
                       A[:3, :2], S[:3, :3], S[2:, 2:], 3.5),
    "interpolate.approximate_taylor_polynomial": (lambda w: interpolate.approximate_taylor_polynomial(
        lambda t: np.sin(w * t), 0.5, 3, 0.1, 6).coeffs, 1.3),
    "stats.variation": (lambda v: stats.variation(v, axis=None, ddof=1), img),
    "stats.sem": (lambda v: stats.sem(v, axis=(0, 1)), img),
    "stats.entropy": (lambda v: stats.entropy(v, v[::-1], base=2), pos),
    "stats.tmean": (lambda v: stats.tmean(v, (-0.5, None)), x),
    "stats.iqr": (lambda v: stats.iqr(v, rng=(20, 80), scale="normal"), x),
    "stats.median_abs_deviation": (lambda v: stats.median_abs_deviation(v, scale="normal"), x),
    "stats.wasserstein_distance_nd": (lambda u, v: stats.wasserstein_distance_nd(u, v), img, img[:5] + 1.0),
    "ndimage.vectorized_filter": (lambda v: ndimage.vectorized_filter(v, np.mean, size=(3, 2), mode="constant"), img),
    "integrate.cubature": (
        lambda c: integrate.cubature(lambda z: np.exp(-c * z[:, 0] ** 2 - z[:, 1]), [0, 0], [c, 1]).estimate, 1.3),
    "integrate.nsum": (lambda c: integrate.nsum(lambda k: 1 / k**c, 1, np.inf).sum + integrate.nsum(
        lambda k: np.exp(-c * k) * k, 0, 9).sum, 2.5),
    "signal.resample": (lambda v: signal.resample(v, 7, window="hamming"), x),
    "signal.resample_poly": (lambda v: signal.resample_poly(v, 3, 2, padtype="mean"), x),
    "signal.decimate": (lambda v: signal.decimate(v, 2, n=2), long),
    "signal.hilbert": (lambda v: np.imag(signal.hilbert(v, 9)), x),
    "signal.chirp": (lambda f: signal.chirp(T, f, 2.0, 3.0, "hyperbolic"), 1.5),
    "signal.periodogram": (lambda v: signal.periodogram(v, nfft=9, return_onesided=False)[1], x),
    "signal.spectrogram": (lambda v: signal.spectrogram(v, nperseg=6, mode="phase")[2][1], x),
    "signal.stft": (lambda v: np.abs(signal.stft(v, nperseg=6, boundary="odd")[2]), x),
    "signal.coherence": (lambda v: signal.coherence(v, long[::-1], nperseg=16, detrend=False)[1], long),
    "signal.envelope": (lambda v: signal.envelope(v, residual=None), x),
    "signal.bilinear_zpk": (lambda k: signal.bilinear_zpk(np.array([-1.0]), np.array([-2.0, -3.0]), k, 1.0)[2], 2.0),
    "signal.lp2lp": (lambda b, a: signal.lp2lp(b, a, 2.0)[0], b, a),
    "signal.lp2bp": (lambda b, a: signal.lp2bp(b, a, 2.0, 0.5)[0], b, a),
    "signal.lp2bs": (lambda b, a: signal.lp2bs(b, a, 2.0, 0.5)[0], b, a),
    "signal.lp2lp_zpk": (lambda k: signal.lp2lp_zpk(np.array([-1.0]), np.array([-2.0, -3.0]), k, 2.0)[2], 2.0),
    "signal.zpk2tf": (lambda k: signal.zpk2tf([0.5], [0.2, 0.1], k)[0], 2.0),
    "signal.sos2tf": (lambda s: signal.sos2tf(s)[0], sos),
    "signal.freqs": (lambda b, a: np.abs(signal.freqs(b, a, np.array([0.5, 1.0]))[1]), b, a),
    "signal.freqz_zpk": (lambda k: np.abs(signal.freqz_zpk([0.5], [0.2, 0.1], k, np.array([0.5, 1.0]))[1]), 2.0),
    "signal.firwin": (lambda w: signal.firwin(7, w), 0.3),
    "signal.firwin2": (lambda g: signal.firwin2(9, [0.0, 0.5, 1.0], g), np.array([1.0, 1.0, 0.0])),
    "signal.gausspulse": (lambda t: signal.gausspulse(t, fc=5), T),
    "signal.sawtooth": (lambda t: signal.sawtooth(t, 0.5), T + 0.1),
    "signal.get_window": (lambda be: signal.get_window(("kaiser", be), 9), 5.0),
    "signal.windows.gaussian": (lambda s: signal.windows.gaussian(9, s), 2.0),
    "signal.windows.kaiser": (lambda s: signal.windows.kaiser(9, s), 2.0),
    "signal.windows.tukey": (lambda s: signal.windows.tukey(9, s), 0.55),
    "signal.windows.general_hamming": (lambda s: signal.windows.general_hamming(9, s), 0.5),
    "signal.windows.general_gaussian": (lambda s: signal.windows.general_gaussian(9, 1.5, s), 0.5),
    "signal.windows.general_cosine": (lambda s: signal.windows.general_cosine(9, s), p),
    "signal.windows.exponential": (lambda s: signal.windows.exponential(9, None, s), 2.0),
    "signal.windows.chebwin": (lambda s: signal.windows.chebwin(9, s), 60.0),
    "signal.kaiser_beta": (lambda v: signal.kaiser_beta(v), 60.0),
    "signal.kaiser_atten": (lambda v: signal.kaiser_atten(9, v), 0.3),
    "signal.iirnotch": (lambda w: signal.iirnotch(w, 30.0)[0], 0.3),
    "signal.iirpeak": (lambda w: signal.iirpeak(w, 30.0)[0], 0.3),
    "signal.lfiltic": (lambda y: signal.lfiltic(b, a, y), np.array([0.1, 0.2])),
    "signal.normalize": (lambda b, a: signal.normalize(b, a)[0], b, a),
    "signal.lombscargle": (lambda v: signal.lombscargle(np.arange(12.0) ** 1.1, v, [0.5, 1.0, 2.0]), x),
    "signal.find_peaks": (lambda v: signal.find_peaks(v, prominence=0.1)[1]["prominences"], x),
    "signal.peak_prominences": (lambda v: signal.peak_prominences(v, signal.find_peaks(v)[0])[0], x),
    "signal.peak_widths": (lambda v: signal.peak_widths(v, signal.find_peaks(v)[0])[0], x),
    "signal.argrelextrema": (lambda v: v[signal.argrelextrema(v, np.greater)], x),
    "signal.argrelmax": (lambda v: v[signal.argrelmax(v)[0]], x),
    "signal.argrelmin": (lambda v: v[signal.argrelmin(v)], x),
    "signal.vectorstrength": (lambda e: signal.vectorstrength(e, 2.0)[0], x),
    "signal.wiener": (lambda v: signal.wiener(v, 3), x),
    "signal.hilbert2": (lambda v: np.abs(signal.hilbert2(v)), img),
    "signal.cont2discrete": (lambda A: signal.cont2discrete((A, *ss[1:]), 0.1)[0], ss[0]),
    "signal.abcd_normalize": (lambda A: signal.abcd_normalize(A, *ss[1:])[0], ss[0]),
    "signal.gammatone": (lambda f: signal.gammatone(f, "iir", fs=16000)[0], 440.0),
    "signal.zpk2sos": (lambda k: signal.zpk2sos([0.5], [0.2, 0.1], k), 2.0),
    "signal.butter": (lambda w: signal.butter(3, w)[0], 0.3),
    "signal.cheby1": (lambda r, w: signal.cheby1(2, r, w)[1], 1.0, 0.3),
    "signal.cheby2": (lambda r, w: signal.cheby2(3, r, w)[0], 20.0, 0.3),
    "signal.bessel": (lambda w: signal.bessel(3, w)[1], 0.3),
    "signal.ellip": (lambda w: signal.ellip(3, 1.0, 20.0, w)[0], 0.3),
    "signal.iirfilter": (lambda w: signal.iirfilter(2, w, btype="high", fs=3.0)[0], 0.3),
    "signal.lp2hp": (lambda b, a, w: signal.lp2hp(b, a, w)[0], b, a, 2.0),
    "signal.tf2zpk": (lambda b, a: np.abs(signal.tf2zpk(b, a)[1]), b, a),
    "signal.tf2ss": (
        lambda b, a, k: np.append(signal.tf2ss(b, a)[0], signal.tf2ss([1.0], [1.0, k, 2.0])[0]), b, a, 2.0),
    "signal.sos2zpk": (lambda s: np.abs(signal.sos2zpk(s)[1]), sos),
    "signal.zpk2ss": (lambda k: signal.zpk2ss([0.5], [0.2, 0.1], k)[2], 2.0),
    "signal.bilinear": (lambda b, a, fs: np.concatenate(signal.bilinear(b, a, fs)), b, a, 2.0),
    "signal.lsim": (lambda A, x: signal.lsim((A, *ss[1:]), np.sin(T), T + 0.5, x)[1], ss[0], p[:2]),
    "signal.lsim, held": (lambda b, u: signal.lsim((b, [1.0, 3.0, 2.0]), u, T, interp=False)[1], p[:2], np.sin(T)),
    "signal.impulse": (lambda A: signal.impulse((A, *ss[1:]), T=T)[1], ss[0]),
    "signal.step": (lambda A: signal.step((A, *ss[1:]), T=T)[1], ss[0]),
    "signal.freqresp": (lambda b, a: np.abs(signal.freqresp((b, a), p)[1]), b, a),
    "signal.bode": (lambda b, a: np.stack(signal.bode((b, a), p)), b, a),
    "signal.minimum_phase": (lambda h: signal.minimum_phase(h), np.array([1.0, 0.5, 0.3, 0.2, 0.1, 0.25, 0.05])),
    "signal.czt_points": (lambda w: np.abs(signal.czt_points(5, w * np.exp(-0.3j))), 1.1),
    "signal.group_delay": (lambda b, a: signal.group_delay((b, a), np.array([0.5, 1.0]))[1], b, a),
    "signal.freqs_zpk": (lambda k: np.abs(signal.freqs_zpk([-1.0], [-2.0, -3.0], k, [0.5])[1]), 2.0),
    "signal.lp2bp_zpk": (lambda k, w: signal.lp2bp_zpk([-1.0], [-2.0, -3.0], k, w, 0.5)[2], 2.0, 2.0),
    "signal.lp2bs_zpk": (lambda k: signal.lp2bs_zpk([-1.0], [-2.0, -3.0], k, 2.0, 0.5)[2], 2.0),
    "signal.lp2hp_zpk": (lambda k, w: signal.lp2hp_zpk([-1.0], [-2.0, -3.0], k, w)[2], 2.0, 1.5),
    "signal.sweep_poly": (lambda p: signal.sweep_poly(np.linspace(0.0, 1.0, 5), np.poly1d(p)), p[:2]),
    "signal.firwin_2d": (lambda v: signal.firwin_2d((5, 4), (("kaiser", v[0]), "hamming"), fc=0.3 + 0.1 * v[1]), x),
    "signal.cspline1d": (lambda v: signal.cspline1d(v), x),
    "signal.qspline1d": (lambda v: signal.qspline1d(v), x),
    "signal.cspline1d_eval": (lambda v: signal.cspline1d_eval(v, np.array([1.5])), x),
    "signal.qspline1d_eval": (lambda v: signal.qspline1d_eval(v, np.array([1.7])), x),
    "signal.order_filter": (lambda v: signal.order_filter(v, np.ones((3, 3)), 4), img),
    "signal.cheb1ap": (lambda r: signal.cheb1ap(3, r)[2], 1.0),
    "signal.cheb2ap": (lambda r: signal.cheb2ap(3, r)[2], 20.0),
    "interpolate.pade": (lambda v: interpolate.pade(v, 1)[0](0.5), np.array([1.0, 1.0, 0.5, 0.2])),
    "ndimage.extrema": (lambda v: ndimage.extrema(v)[0] + 2.0 * ndimage.extrema(v)[1], img),
    "linalg.subspace_angles": (lambda A: linalg.subspace_angles(A[:, :2], S[:, :2]), A),
    "linalg.orthogonal_procrustes": (lambda A: linalg.orthogonal_procrustes(A, S)[0], A),
    "linalg.diagsvd": (lambda v: linalg.diagsvd(v, 4, 5), x[:4]),
    "linalg.expm_cond": (lambda A: linalg.expm_cond(A), A),
    "linalg.cdf2rdf": (lambda A: linalg.cdf2rdf(*linalg.eig(A))[0], S),
    "interpolate.lagrange": (lambda v: interpolate.lagrange([0.0, 1.0, 2.0, 4.0], v)(1.5), x[:4]),
    "ndimage.median": (lambda v: ndimage.median(v), img),
    "ndimage.grey_opening": (lambda v: ndimage.grey_opening(v, 3), img),
    "ndimage.grey_closing": (lambda v: ndimage.grey_closing(v, size=(2, 3)), img),
    "ndimage.white_tophat": (lambda v: ndimage.white_tophat(v, 3), img),
    "ndimage.black_tophat": (lambda v: ndimage.black_tophat(v, 3), img),
    "ndimage.morphological_gradient": (lambda v: ndimage.morphological_gradient(v, 3), img),
    "ndimage.morphological_laplace": (lambda v: ndimage.morphological_laplace(v, 3), img),
    "special.diric": (lambda v: special.diric(v, 5), T + 0.1),
    "special.assoc_laguerre": (lambda v: special.assoc_laguerre(v, 3, 1.0), 1.3),
    "stats.circmean": (lambda v: stats.circmean(v), x),
    "stats.circvar": (lambda v: stats.circvar(v), x),
    "stats.circstd": (lambda v: stats.circstd(v), x),
    "stats.combine_pvalues": (lambda v: stats.combine_pvalues(v).statistic, p),
    "stats.describe": (lambda v: stats.describe(v).variance, x),
    "stats.differential_entropy": (lambda v: stats.differential_entropy(v), x),
    "stats.directional_stats": (lambda v: stats.directional_stats(v).mean_direction, img),
    "stats.energy_distance": (lambda u, v: stats.energy_distance(u, v), x, y),
    "stats.wasserstein_distance": (lambda u, v: stats.wasserstein_distance(u, v), x, y),
    "stats.expectile": (lambda v: stats.expectile(v, 0.3), x),
    "stats.gstd": (lambda v: stats.gstd(v), pos),
    "stats.gzscore": (lambda v: stats.gzscore(v), pos),
    "stats.jarque_bera": (lambda v: stats.jarque_bera(v).statistic, x),
    "stats.kurtosistest": (lambda v: stats.kurtosistest(np.tile(v, 2)).statistic, x),
    "stats.skewtest": (lambda v: stats.skewtest(v).statistic, x),
    "stats.normaltest": (lambda v: stats.normaltest(np.tile(v, 2)).statistic, x),
    "stats.pmean": (lambda v: stats.pmean(v, 2.5), pos),
    "stats.power_divergence": (lambda v: stats.power_divergence(v).statistic, pos),
    "stats.quantile": (lambda v: stats.quantile(v, 0.3), x),
    "stats.sigmaclip": (lambda v: stats.sigmaclip(v, 2.0, 2.0)[0], x),
    "stats.trim1": (lambda v: stats.trim1(v, 0.2), x),
    "stats.trimboth": (lambda v: stats.trimboth(v, 0.2), x),
    "stats.ttest_ind_from_stats": (lambda m: stats.ttest_ind_from_stats(m, 1.0, 10, 0.5, 1.2, 12).statistic, 0.3),
    "stats.yeojohnson": (lambda v: stats.yeojohnson(v, 0.5), x),
    "stats.yeojohnson_llf": (lambda n, v: stats.yeojohnson_llf(n, v), 0.5, x),
    "stats.bartlett": (lambda u, v: stats.bartlett(u, v).statistic, x, y),
    "stats.alexandergovern": (lambda u, v: stats.alexandergovern(u, v, x + y).pvalue, x, y),
    "stats.cramervonmises": (lambda v: stats.cramervonmises(v, "norm").statistic, x),
    "stats.epps_singleton_2samp": (lambda u, v: stats.epps_singleton_2samp(u, v).statistic, 4.0 * x, 3.0 * y),
    "stats.levene": (lambda u, v: stats.levene(u, v, center="mean").pvalue, x, y),
    "stats.cumfreq": (lambda w: stats.cumfreq(y, weights=w).cumcount, pos),
    "stats.relfreq": (lambda w: stats.relfreq(y, weights=w).frequency, pos),
    "stats.probplot": (lambda v: stats.probplot(v)[1][0], x),
    "stats.ppcc_plot": (lambda v: stats.ppcc_plot(v, 0.1, 0.9, N=4)[1], x),
    "stats.boxcox_normplot": (lambda v: stats.boxcox_normplot(v, 0.1, 0.9, N=4)[1], pos),
    "stats.yeojohnson_normplot": (lambda v: stats.yeojohnson_normplot(v, 0.1, 0.9, N=4)[1], pos),
    "stats.poisson_means_test": (lambda n: stats.poisson_means_test(3, n, 5, 60.0).pvalue, 50.0),
    "stats.theilslopes": (lambda v, u: np.stack(stats.theilslopes(v, u)), x, y),
    "stats.siegelslopes": (lambda v, u: np.stack([*stats.siegelslopes(v, u), *stats.siegelslopes(v, u, "separate")]),
                           x, y),
    "stats.ks_1samp": (lambda v: np.stack(list(stats.ks_1samp(v, stats.norm.cdf))), x),
    "stats.kstest": (lambda v, m: stats.kstest(v, "norm", (m, 1.2), alternative="greater").pvalue, x, 0.1),
    "stats.tukey_hsd": (lambda u, v: np.stack([
        stats.tukey_hsd(u, v, u * u, equal_var=same).pvalue[0, 1] for same in (True, False)]), x, y[:9]),
    "stats.binned_statistic": (lambda v: np.concatenate([
        stats.binned_statistic(y, v, of, 3)[0] for of in ("mean", "sum", "std", "count")]), x),
    "stats.landau": (lambda v, m, s: np.stack([getattr(stats.landau, of)(v, m, s) for of in (
        "pdf", "logpdf", "cdf", "sf", "ppf", "isf")]), p, 0.1, 1.3),
    "stats.kstwo": (lambda v: np.stack([getattr(stats.kstwo, of)(v, 12) for of in ("cdf", "sf", "ppf")]), p + 0.017),
    "stats.nchypergeom_wallenius": (lambda w: np.concatenate([
        stats.nchypergeom_wallenius.pmf([1, 3], 20, 8, 6, w),
        stats.nchypergeom_wallenius.logpmf([100], 900, 400, 200, w),
    ]), 1.7),
    "stats.studentized_range": (lambda q, k, f: np.stack([
        getattr(stats.studentized_range, of)(q, k, f) for of in ("cdf", "sf", "pdf", "logpdf")]), 3.0, 3.0, 10.0),
    "signal.buttord": (lambda w: signal.buttord(w, 0.5, 1.0, 30.0)[1], 0.2),
    "signal.cheb1ord": (lambda w: signal.cheb1ord(w, 0.5, 1.0, 30.0)[1], 0.2),
    "signal.ellipord": (lambda w: signal.ellipord(w, 0.5, 1.0, 30.0)[1], 0.2),
    "signal.kaiserord": (lambda r: signal.kaiserord(r, 0.2)[1], 60.0),
    "interpolate.generate_knots": (
        lambda t: np.concatenate(list(interpolate.generate_knots(t, x, s=0.0))), np.arange(12.0) ** 1.1),
    "special.ellip_harm": (lambda h, k, s: np.stack([
        special.ellip_harm(h, k, 3, 4, s, -1), special.ellip_harm(h, k, 4, 9, s, 1, -1)]), 5.0, 8.0, p + 3.0),
    "special.roots_jacobi": (lambda a, b: np.stack(special.roots_jacobi(4, a, b)), 1.2, 0.5),
    "special.roots_sh_jacobi": (lambda p, q: np.stack(special.roots_sh_jacobi(3, p, q)), 2.2, 1.5),
    "special.roots_gegenbauer": (lambda a: np.stack(special.roots_gegenbauer(3, a)), 1.2),
    "special.roots_genlaguerre": (lambda a: np.stack(special.roots_genlaguerre(3, a)), 1.2),
    "special.mathieu_even_coef": (lambda q: special.mathieu_even_coef(2, q)[:6], 1.3),
    "special.mathieu_odd_coef": (lambda q: special.mathieu_odd_coef(3, q)[:6], 1.3),
}


def weighted(f: Callable[..., Any], args: Any) -> Callable[..., Any]:
    """A number of what a function gives, in which each part has its own weight."""
    w = np.cos(np.arange(np.size(f(*args)))).reshape(np.shape(f(*args)))
    return lambda *args: np.sum(w * f(*args))


@pytest.mark.share(24)
@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str):
    f, *args = CASES[name]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        g = weighted(f, args)
        value, slopes = ccc.value_with_gradient(g)(*args)
        assert value == pytest.approx(g(*args), rel=1e-13)
        us = tuple([np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x))[()] for x in args])
        slopes = slopes if len(args) > 1 else (slopes,)
        along = sum([np.sum(s * u) for s, u in zip(slopes, us, strict=True)])
        assert ccc.jvp(g, tuple(args), us, backend="numpy")[1] == pytest.approx(along, rel=1e-9, abs=1e-12)
        h = 1e-4
        d1, d2, d3 = [g(*[x + k * h * u for x, u in zip(args, us, strict=True)])
                      - g(*[x - k * h * u for x, u in zip(args, us, strict=True)]) for k in (1, 2, 3)]
    assert along == pytest.approx((45 * d1 - 9 * d2 + d3) / (60 * h), rel=1e-6, abs=1e-8)


def test_axes_nans_and_dimensions_that_are_kept():
    bad = img.copy()
    bad[2, 3] = np.nan

    def f(a: Any) -> Any:
        return stats.circstd(a, axis=(0, 1)), stats.pmean(np.exp(a), 3, axis=1, keepdims=True), stats.gstd(np.exp(a))

    for a in (img, bad):
        for found, wanted in zip(ccc.compiled(f)(a), f(a), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
    slope = ccc.gradient(lambda a: np.nansum(stats.pmean(np.exp(a), 3, axis=0)))(bad)
    assert np.all(slope[:, :3] > 0.0)


def test_what_they_do_not_take_is_refused():
    with pytest.raises(CCCError, match="scipy.stats.pmean has a derivative for nan_policy='omit' without `weights`"):
        ccc.gradient(lambda a: stats.pmean(a, 3, nan_policy="omit", weights=a))(pos)
    with pytest.raises(CCCError, match="Device not understood"):
        ccc.gradient(lambda v: np.sum(v * np.zeros(3, device="tape")))(2.0)


def test_second_derivatives():
    def f(v: float) -> float:
        return np.sum(signal.windows.kaiser(9, v)[:4] ** 2) + signal.bilinear_zpk([-v], [-2.0, -v], v, 1.0)[2]

    slope, h = ccc.gradient(f, backend="numpy"), 1e-4
    bend = ccc.gradient(lambda v: slope(v))(5.0)
    assert bend == pytest.approx((slope(5.0 + h) - slope(5.0 - h)) / (2.0 * h), rel=1e-6)


@pytest.mark.filterwarnings("ignore:The occurrence of roundoff")
@pytest.mark.parametrize(("f", "args"), [
    (lambda h, k: np.stack([special.ellip_normal(h, k, 2, 3), special.ellip_harm_2(h, k, 2, 3, 4.0)]), (5.0, 8.0)),
    (lambda z: np.real(np.concatenate(special.pbdn_seq(4, z))), (0.7,)),
])
def test_values_that_are_as_good_as_those_of_scipy(f: Any, args: Any):
    """Where SciPy's sum or search ends elsewhere."""
    g = weighted(f, args)
    value, slopes = ccc.value_with_gradient(g)(*args)
    assert value == pytest.approx(g(*args), rel=1e-9)
    us = tuple([np.cos(np.arange(float(np.size(x)))).reshape(np.shape(x))[()] for x in args])
    along = sum([np.sum(s * u) for s, u in zip(slopes if len(args) > 1 else (slopes,), us, strict=True)])
    h = 1e-3
    d1, d2, d3 = [g(*[x + k * h * u for x, u in zip(args, us, strict=True)])
                  - g(*[x - k * h * u for x, u in zip(args, us, strict=True)]) for k in (1, 2, 3)]
    assert along == pytest.approx((45 * d1 - 9 * d2 + d3) / (60 * h), rel=1e-4)


def test_where_the_correlation_is_greatest():
    """It moves as the slope of the correlation, which stays zero, says."""
    found, slope = ccc.value_with_gradient(lambda v: stats.ppcc_max(v))(x)
    assert found == stats.ppcc_max(x)
    tukey: Any = stats.tukeylambda
    start: Any = found
    medians, h, u = np.array(stats._morestats._calc_uniform_order_statistic_medians(12)), 1e-4, np.cos(np.arange(12.0))

    def correlation(c: float, t: float) -> Any:
        return stats.pearsonr(tukey.ppf(medians, start + c * 100.0 * h), np.sort(x + t * h * u))[0]

    mixed = (correlation(1, 1) - correlation(1, -1) - correlation(-1, 1) + correlation(-1, -1)) / (4.0 * h * 100.0 * h)
    bend = (correlation(1, 0) - 2.0 * correlation(0, 0) + correlation(-1, 0)) / (100.0 * h) ** 2
    assert np.sum(slope * u) == pytest.approx(-mixed / bend, rel=1e-3)


def test_samples_are_left_in_their_order():
    """SciPy sorts what it counts repeats of, in place."""
    v, u = y.copy(), x.copy()
    slope = ccc.gradient(lambda v, u: stats.theilslopes(v, u).intercept)(v, u)[0]
    np.testing.assert_array_equal(v, y)
    assert np.sum(slope) == pytest.approx(1.0)  # an intercept moves with what is added to all


def test_masks_of_whole_numbers_and_locks():
    lock = threading.Lock()

    def placed(x: Any) -> Any:
        found = np.zeros(3)
        with lock:
            np.place(found, np.array([1, 0, 1]), x)
        return found[0] + 2.0 * found[2]

    at = np.array([2.0, 3.0])
    assert ccc.gradient(placed)(at).tolist() == [1.0, 2.0]
    assert ccc.jvp(placed, (at,), (at,)) == (8.0, 8.0)
    assert not lock.locked()
