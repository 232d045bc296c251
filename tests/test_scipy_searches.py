"""Searches, integrals of several variables, polynomials through points, distances and matrices of SciPy: values are
SciPy's, derivatives those of differences, in machine code too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import bends_agree, slopes_agree

import ccc
from ccc.compile.diagnostics import CompileError

integrate, interpolate, linalg, optimize, spatial = [
    pytest.importorskip(f"scipy.{name}") for name in ("integrate", "interpolate", "linalg", "optimize", "spatial")]
d = spatial.distance
RNG = np.random.default_rng(0)
P, U = np.array([0.7, 1.3]), np.array([1.0, 2.0])
A, v = RNG.normal(size=(5, 6)), RNG.normal(size=12)
X, Y = np.array([0.0, 1.0, 2.5, 3.0, 4.5]), RNG.normal(size=5)
B, V = RNG.uniform(0.2, 1.0, size=(4, 3)), np.array([0.5, 1.0, 2.0])
M = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]])
T, N, b6 = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 3)), RNG.normal(size=6)
B2, Q3, AB = RNG.normal(size=(3, 2)), np.eye(3) + 0.1 * M, np.array([[0.0, 0.3, 0.2], [2.0, 3.0, 2.5]])
ON25 = np.arange(25.0).reshape(5, 5)


def q(x: Any) -> Any:
    return np.sum(x**2) + np.sum(x[:1])


def hill(p: Any) -> Any:
    return lambda x: np.sum((x - p) ** 2)


def slope(p: Any) -> Any:
    return lambda x: 2.0 * (x - p)


CASES: dict[str, Callable[[Any], Any]] = {
    "isotonic_regression": lambda p: q(optimize.isotonic_regression(v * p[0] + v**2, weights=p[1] + v**2).x**3) + q(
        optimize.isotonic_regression(v * p[0], increasing=False).x * v),
    "matrices": lambda p: (q(linalg.companion(Y[:4]+p[0])) +
        q(linalg.leslie(Y*p[0],Y[1:]*p[1])*ON25) +
        q(linalg.fiedler(Y*p[0])*ON25) + q(linalg.convolution_matrix(Y*p[0],3)) +
        q(linalg.matmul_toeplitz(Y*p[0],Y*p[1])) + q(linalg.solve_circulant(Y+p[0],Y*p[1])) +
        q(linalg.solveh_banded(AB*p[0],V*p[1])) +
        q(linalg.solveh_banded(AB[::-1]*np.array([[1.0],[p[0]]]),V*p[1],lower=True))),
    "spaces": lambda p: (q(linalg.null_space(N[:2]*p[0]+N[2:4]*p[1])**2) + q(linalg.orth(N*p[0]+N[::-1]*p[1])**2) +
        q(linalg.pinvh(M*p[0]+np.eye(3)*p[1])) + q(np.abs(linalg.eigvals(M*p[0]+N[:3]*p[1]))) +
        q(np.abs(linalg.eig(M+N[:3]*p[1])[1]))),
    "frechet": lambda p: q(linalg.expm_frechet(M*p[0],N[:3]*p[1])[1]),
    "riccati": lambda p: (q(linalg.solve_continuous_are(N[:3]*p[0],B2*p[1],Q3,np.eye(2))) +
        q(linalg.solve_discrete_are(N[:3]*p[0],B2,Q3*p[1],np.eye(2)))),

    "quad_vec": lambda p: q(integrate.quad_vec(lambda x: np.exp(-p*x**2), 0.0, p[0])[0]),
    "tanhsinh": lambda p: (integrate.tanhsinh(lambda x: np.log(x)*p[0],0.0,p[1]).integral +
        integrate.tanhsinh(lambda x,k: np.exp(-p[0]*x*x)*k,-np.inf,np.inf,args=(p[1],)).integral),
    "nquad": lambda p: (integrate.nquad(lambda x,y: p[0]*x*y+p[1]*x**2,[[0.0,p[0]],[0.0,1.0]])[0] +
        integrate.nquad(lambda x: np.sin(p[0]*x),[[0.0,1.0]])[0] +
        integrate.nquad(lambda x,y: p[1]*x*y,[lambda y: (0.0,y*p[0]),[0.0,1.0]])[0]),
    "cumulative_simpson": lambda p: (q(integrate.cumulative_simpson(v*p[0]+v**2,dx=p[1])) +
        q(integrate.cumulative_simpson(Y*p[0]**2,x=X*p[1],initial=0)) +
        q(integrate.cumulative_simpson(A*p[0],axis=0))),
    "fmin": lambda p: (q(optimize.fmin_bfgs(hill(p),[0.0,0.0],slope(p),gtol=1e-8,disp=0)) +
        q(optimize.fmin_cg(hill(p),[0.0,0.0],slope(p),gtol=1e-8,disp=0))),
    "fmin2": lambda p: (q(optimize.fmin(hill(p),[0.1,0.2],xtol=1e-9,ftol=1e-12,disp=0)) +
        optimize.brent(lambda x: (x-p[0])**2*p[1]) + optimize.golden(lambda x: (x-p[0])**2+p[1]) +
        optimize.fminbound(lambda x: (x-p[0])**2+p[1],-1.0,2.0,xtol=1e-10)),
    "broyden": lambda p: (q(optimize.broyden1(lambda x: x**3+x-p,[0.5,0.5],f_tol=1e-11)) +
        q(optimize.newton_krylov(lambda x: x**3+x-p,[0.5,0.5],f_tol=1e-11))),
    "leastsq": lambda p: (q(optimize.leastsq(lambda x: x**3+p*x-1.0,[0.5,0.5])[0]) +
        q(optimize.nnls(N*p[0],b6+p[1])[0]) + optimize.nnls(N*p[0],b6+p[1])[1]),
    "rosen": lambda p: (q(optimize.rosen_der(v*p[0])) + q(optimize.rosen_hess(v*p[0])) +
        q(optimize.rosen_hess_prod(v*p[0],v*p[1]))),
    "polynomials": lambda p: (q(interpolate.barycentric_interpolate(X*p[0],Y*p[1],v)) +
        q(interpolate.KroghInterpolator(X,A.T[:5]*p[0])(np.array([0.3*p[1],2.0]))) +
        interpolate.BarycentricInterpolator(X,Y*p[0])(p[1]) + q(interpolate.krogh_interpolate(X,Y*p[0],v)) +
        q(interpolate.pchip_interpolate(X,Y*p[0],v[:3]**2))),
    "radial": lambda p: (q(interpolate.RBFInterpolator(T*p[0],T[:,0]*p[1]+T[:,1]**2)(T[:2]*0.5+p[1])) +
        q(interpolate.RBFInterpolator(T,N*p[0],kernel="gaussian",epsilon=p[1],smoothing=0.1)(T[:2]+0.3)) +
        q(interpolate.RBFInterpolator(T,b6*p[0],kernel="multiquadric",epsilon=p[1])(T[:2]+0.3)) +
        q(interpolate.RBFInterpolator(T,b6*p[0],kernel="linear")(T[:2]+0.3)) +
        q(interpolate.RBFInterpolator(T,b6*p[0],kernel="inverse_quadratic",epsilon=2.0,degree=1)(T[:2]*p[1]))),
    "cdist": lambda p: (q(d.cdist(B*p[0],B[:2]+p[1],"minkowski",p=3)) +
        q(d.cdist(B*p[0],B[:2]+p[1],"seuclidean",V=V*p[0])) +
        q(d.cdist(B*p[0],B[:2]+p[1],"mahalanobis",VI=M*p[1]))),
    "pdist": lambda p: (q(d.pdist(B*p[0]+p[1]*B**2,"braycurtis")) + q(d.pdist(B*p[0]+p[1]*B**2,"canberra")) +
        q(d.pdist(B*p[0]+p[1]*B**2,"jensenshannon"))),
    "two": lambda p: (d.chebyshev(B[0]*p[0],B[1]) + d.correlation(B[0]*p[0]+B[2]*p[1],B[1]) +
        d.braycurtis(B[0]*p[0],B[1])*d.canberra(B[0]*p[0],B[1]) + d.jensenshannon(B[0]+p[0],B[1]*p[1]) +
        d.minkowski(B[0]*p[0],B[1],2.5) + d.seuclidean(B[0]*p[0],B[1],V) + d.mahalanobis(B[0]*p[0],B[1],M) +
        q(spatial.distance_matrix(B*p[0],B+p[1],3))),
}


@pytest.mark.share(6)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name: str):
    slopes_agree(CASES[name], P, U, 0.05 if name in ("fmin", "fmin2") else 1e-3)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", ["leastsq", "polynomials", "cdist", "matrices", "spaces", "cumulative_simpson"])
def test_machine_code(name: str):
    found = ccc.gradient(CASES[name], backend="native")(P)
    np.testing.assert_allclose(found, ccc.gradient(CASES[name], backend="numpy")(P), rtol=1e-9, atol=1e-9)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["leastsq", "radial", "two", "riccati", "rosen"])
def test_second_derivatives(name: str):
    bends_agree(CASES[name], P, U, 1e-3, 1e-5, 1e-5)


@pytest.mark.nightly
def test_three_integrals_in_each_other():
    f = lambda p: integrate.tplquad(lambda z, y, x: p * x * y + z, 0.0, 1.0, 0.0, 1.0, 0.0, p)[0]  # noqa: E731
    assert ccc.compiled(f, backend="numpy")(0.5) == pytest.approx(0.25 * 0.5**2 + 0.5 * 0.5**2, rel=1e-12)


def test_what_is_not_taken_is_refused():
    for f, text in [
        (lambda x: optimize.linprog(x, N, b6).x[0], "a corner of its region"),
        (lambda x: d.cdist(N * x[0], N, "euclidean", w=N[0])[0, 1], "weights of 'minkowski' alone"),
        (lambda x: interpolate.RBFInterpolator(T, b6 * x[0], neighbors=3)(T)[0], "neighbors=None"),
        (lambda x: np.sum(linalg.eig(M * x[0], left=True)[1].real), "left=False"),
        (lambda x: optimize.fmin_bfgs(hill(x), x, epsilon=1e-3)[0], "further options"),
    ]:
        with pytest.raises(CompileError, match=text):
            ccc.gradient(f)(V)


AT = np.array([1.0, 2.0])


def steep(v: Any, a: Any) -> Any:
    return np.sum((v - a) ** 2) + 0.1 * np.sum(v**4)


@pytest.mark.parametrize("find", [
    lambda a: optimize.fmin_l_bfgs_b(steep, [0.0, 0.0], args=(a,), approx_grad=True, factr=10.0, pgtol=1e-9)[0],
    lambda a: optimize.fmin_l_bfgs_b(lambda v: (steep(v, a), 2.0 * (v - a) + 0.4 * v**3), np.zeros(2),
                                           factr=1.0, pgtol=1e-12)[0],
    lambda a: optimize.fmin_slsqp(steep, [0.0, 0.0], args=(a,), iprint=0, acc=1e-14),
    lambda a: optimize.basinhopping(lambda v: steep(v, a), [0.0, 0.0], niter=2, seed=1).x,
    lambda a: optimize.brute(lambda v: steep(v, a), ((-3.0, 3.0), (-3.0, 3.0)), Ns=8),
])
def test_places_of_minima_move_as_where_the_slope_is_zero(find: Any):
    v = find(AT)
    np.testing.assert_array_equal(ccc.compiled(find, backend="numpy")(AT), v)
    rows = ccc.jacobian(find, backend="numpy")(AT)
    np.testing.assert_allclose(rows, np.diag(2.0 / (2.0 + 1.2 * v**2)), rtol=1e-9, atol=1e-12)


def test_minima_by_slsqp_and_l_bfgs_within_constraints():
    def on_a_line(a: Any) -> Any:
        return optimize.fmin_slsqp(lambda v: np.sum((v - a) ** 2), [0.0, 0.0], eqcons=[
            lambda v: v[0] + v[1] - 1.0], iprint=0, acc=1e-14)

    def below(a: Any) -> Any:
        return optimize.fmin_slsqp(lambda v: np.sum((v - a) ** 2), [0.0, 0.0], f_ieqcons=lambda v: 1.5 - v,
                                         bounds=[(-5.0, 5.0), (-5.0, 5.0)], iprint=0, acc=1e-14)

    def bounded(a: Any) -> Any:
        return optimize.fmin_l_bfgs_b(lambda v: np.sum((v - a) ** 2), [0.0, 0.0], approx_grad=True,
                                            bounds=[(0.0, 1.5), (None, 1.5)])[0]

    for find, wanted in ((on_a_line, [[0.5, -0.5], [-0.5, 0.5]]), (below, [[1.0, 0.0], [0.0, 0.0]]),
                         (bounded, [[1.0, 0.0], [0.0, 0.0]])):
        np.testing.assert_allclose(find(AT), ccc.compiled(find, backend="numpy")(AT), rtol=1e-12)
        np.testing.assert_allclose(ccc.jacobian(find, backend="numpy")(AT), wanted, atol=1e-9)
