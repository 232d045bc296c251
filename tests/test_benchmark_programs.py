"""GradBench's programs: their derivatives against difference quotients in every entry, and the tool that answers evals.

The inputs are those of the protocol, so conversions and layouts are judged as well; nothing is timed."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import gradbench, gradbench_evals, gradbench_runs, gradbench_tool
from benchmarks.gradbench_evals import EVALS
from benchmarks.programs import ba, det, gmm, ht, kmeans, llsq, lse, lstm, ode
from benchmarks.tables import Row

R = np.random.default_rng(11)
OURS = gradbench_tool.functions_of("ccc", "numpy")


def answered(eval_name: str, function: str, given: Any) -> Any:
    """The output that the tool sends for an input, by way of JSON."""
    start = {"id": 0, "kind": "start", "eval": eval_name}
    define = {"id": 1, "kind": "define", "module": eval_name}
    ask = {"id": 2, "kind": "evaluate", "module": eval_name, "function": function, "input": given}
    lines = [json.dumps(message) for message in (start, define, ask, {"id": 3, "kind": "analysis", "of": 2})]
    started, defined, response, last = json.loads(json.dumps(list(gradbench_tool.answers(lines, "ccc", "numpy"))))
    assert (started["id"], started["tool"], defined, last) == (0, "ccc", {"id": 1, "success": True}, {"id": 3})
    assert response["success"], response["error"]
    assert {"prepare", "evaluate"} == {timing["name"] for timing in response["timings"]}
    return response["output"]


def slopes(f: Callable[[np.ndarray], Any], x: Any, step: float = 1e-3) -> np.ndarray:
    """Difference quotients of fourth order in every entry of x, whose axes come last."""
    x = np.asarray(x, dtype=float)
    found = []
    for place in np.ndindex(*x.shape):
        move = np.zeros(x.shape)
        move[place] = step
        near, far = [np.asarray(f(x + k * move)) - np.asarray(f(x - k * move)) for k in (1, 2)]
        found.append((8.0 * near - far) / (12.0 * step))
    return np.moveaxis(np.array(found), 0, -1).reshape(*np.shape(found[0]), *x.shape)


def close(found: Any, expected: Any, tolerance: float = 1e-7) -> None:
    np.testing.assert_allclose(
        found, expected, rtol=tolerance, atol=tolerance * max(1.0, float(np.max(np.abs(expected))))
    )


def test_hello():
    assert answered("hello", "square", 3.0) == 9.0
    assert answered("hello", "double", 3.0) == 6.0


@pytest.mark.parametrize(("n", "m"), [(2, 1), (7, 4), (12, 9)])
def test_llsq(n: int, m: int):
    x = R.normal(size=m)
    t = np.linspace(-1.0, 1.0, n)
    residuals = np.sign(np.round(t, 12)) - np.vander(t, m, increasing=True) @ x
    assert answered("llsq", "primal", {"x": x.tolist(), "n": n}) == pytest.approx(
        0.5 * residuals @ residuals, rel=1e-12
    )
    found = answered("llsq", "gradient", {"x": x.tolist(), "n": n})
    close(found, slopes(lambda x: llsq.least_squares(x, n), x))


@pytest.mark.parametrize("n", [1, 2, 30])
def test_lse(n: int):
    x = 100.0 * R.random(n)
    assert answered("lse", "primal", {"x": x.tolist()}) == pytest.approx(np.logaddexp.reduce(x), rel=1e-14)
    found = answered("lse", "gradient", {"x": x.tolist()})
    close(found, slopes(lse.logsumexp, x))
    assert sum(found) == pytest.approx(1.0, rel=1e-12)


def test_lse_of_many_is_not_zero():
    """Where entries are far below what an eval tells from zero. That of the largest number is 1 less the others, so a
    rounding of 1 stays in it."""
    x = R.random(50_000)
    found, wanted = np.array(answered("lse", "gradient", {"x": x.tolist()})), np.exp(x) / np.sum(np.exp(x))
    largest = np.argmax(x)
    assert found[largest] == pytest.approx(wanted[largest], abs=1e-15)
    np.testing.assert_allclose(np.delete(found, largest), np.delete(wanted, largest), rtol=1e-12)


@pytest.mark.parametrize(("n", "steps"), [(1, 1), (3, 2), (12, 5)])
def test_ode(n: int, steps: int):
    x = 0.5 + R.random(n)
    given = {"x": x.tolist(), "s": steps}
    close(answered("ode", "primal", given), ode.trajectory_end(x, steps), 1e-15)
    found = answered("ode", "gradient", given)
    close(found, slopes(lambda x: ode.last_component(x, steps), x))
    assert np.count_nonzero(found) == (n if n <= 4 * steps else 0)


def test_ode_against_its_solution():
    """y[i](t) = x[0] … x[i] t**(i + 1) / (i + 1)!, which the method has exactly up to the fourth power."""
    x = 0.5 + R.random(4)
    powers = [2.0 ** (i + 1) / math.factorial(i + 1) for i in range(4)]
    close(ode.trajectory_end(x, 3), np.cumprod(x) * powers, 1e-13)


@pytest.mark.parametrize("ell", [1, 2, 3, 5])
def test_det(ell: int):
    A = R.normal(size=(ell, ell))
    given = {"A": A.ravel().tolist(), "ell": ell}
    assert answered("det", "primal", given) == pytest.approx(np.linalg.det(A), rel=1e-11)
    found = answered("det", "gradient", given)
    close(np.reshape(found, (ell, ell)), np.linalg.det(A) * np.linalg.inv(A).T, 1e-11)
    close(np.reshape(found, (ell, ell)), slopes(det.determinant, A))


@pytest.mark.parametrize(("n", "k", "d"), [(3, 1, 2), (30, 4, 3)])
def test_kmeans(n: int, k: int, d: int):
    points = R.random((n, d))
    centres = points[-k:] + 0.01
    given = {"points": points.tolist(), "centroids": centres.tolist()}
    distances = np.sum((points[:, None] - centres) ** 2, axis=2)
    assert answered("kmeans", "cost", given) == pytest.approx(np.sum(np.min(distances, axis=1)), rel=1e-13)
    first = slopes(lambda c: kmeans.cost(points, c), centres, step=1e-5)
    second = 2.0 * np.bincount(np.argmin(distances, axis=1), minlength=k)
    close(answered("kmeans", "dir", given), first / second[:, None], 1e-6)


def lstm_input(layers: int, characters: int, bits: int) -> dict[str, Any]:
    return {
        "main_params": R.normal(size=(2 * layers, 4 * bits)).tolist(),
        "extra_params": R.normal(size=(3, bits)).tolist(),
        "state": R.normal(size=(2 * layers, bits)).tolist(),
        "sequence": R.integers(0, 2, size=(characters, bits)).tolist(),
    }


@pytest.mark.parametrize(("layers", "characters", "bits"), [(1, 2, 3), (2, 5, 4)])
def test_lstm(layers: int, characters: int, bits: int):
    given = lstm_input(layers, characters, bits)
    weights, extra, start, sequence = gradbench_evals.lstm_arguments(given)
    assert answered("lstm", "objective", given) == lstm.loss(weights, extra, start, sequence)
    found = np.array(answered("lstm", "jacobian", given))
    close(found[: weights.size], slopes(lambda w: lstm.loss(w, extra, start, sequence), weights).ravel())
    close(found[weights.size :], slopes(lambda e: lstm.loss(weights, e, start, sequence), extra).ravel())


def gmm_input(n: int, k: int, d: int, gamma: float, m: int) -> dict[str, Any]:
    return {
        "d": d, "k": k, "n": n, "gamma": gamma, "m": m, "x": R.normal(size=(n, d)).tolist(),
        "alpha": R.normal(size=k).tolist(), "mu": R.random((k, d)).tolist(), "q": R.normal(size=(k, d)).tolist(),
        "l": R.normal(size=(k, d * (d - 1) // 2)).tolist(),
    }  # fmt: skip


def posterior_of_matrices(given: dict[str, Any]) -> float:
    """The logarithm of the densities as they are defined, with covariances and determinants."""
    alpha, means, q, l, x = [np.array(given[name]) for name in ("alpha", "mu", "q", "l", "x")]
    d, gamma, freedom = given["d"], given["gamma"], given["d"] + given["m"] + 1
    shares = np.exp(alpha) / np.sum(np.exp(alpha))
    precisions = []
    for i in range(given["k"]):
        Q = np.diag(np.exp(q[i]))
        Q.T[np.triu_indices(d, 1)] = l[i]
        precisions.append(Q.T @ Q)
    total = 0.0
    for point in x:
        density = 0.0
        for share, mean, P in zip(shares, means, precisions, strict=True):
            centred = point - mean
            density += share * math.exp(-0.5 * centred @ P @ centred) * math.sqrt(np.linalg.det(P / (2.0 * math.pi)))
        total += math.log(density)
    for P in precisions:
        gammas = math.pi ** (d * (d - 1) / 4) * math.prod([math.gamma((freedom - j) / 2) for j in range(d)])
        weight = gamma ** (freedom * d) / (2.0 ** (freedom * d / 2) * gammas)
        total += math.log(weight * np.linalg.det(P) ** (given["m"] / 2)) - 0.5 * gamma**2 * np.trace(P)
    return total


@pytest.mark.parametrize(("n", "k", "d", "gamma", "m"), [(3, 1, 1, 1.0, 0), (6, 3, 4, 0.7, 2)])
def test_gmm(n: int, k: int, d: int, gamma: float, m: int):
    given = gmm_input(n, k, d, gamma, m)
    arguments = gradbench_evals.gmm_arguments(given)
    assert answered("gmm", "objective", given) == pytest.approx(posterior_of_matrices(given), rel=1e-11)
    found = answered("gmm", "jacobian", given)
    for i, name in enumerate(("alpha", "mu", "q", "l")):
        moved = lambda v, i=i: gmm.log_posterior(*[*arguments[:i], v, *arguments[i + 1 :]])  # noqa: E731
        if arguments[i].size:
            close(np.array(found[name]), slopes(moved, arguments[i]))


def ba_arguments(n: int, m: int, p: int) -> tuple[Any, ...]:
    cameras, points = 0.3 * R.normal(size=(n, 11)), 0.3 * R.normal(size=(m, 3)) + np.array([0.0, 0.0, 6.0])
    return cameras, points, R.normal(size=p), R.normal(size=(p, 2)), np.arange(p) % n, np.arange(p) % m


@pytest.mark.parametrize("turned", [True, False])
def test_ba(turned: bool):
    """The whole matrix, entry by entry; also where cameras are not turned, at the angle zero."""
    n, m, p = 2, 3, 7
    cameras, points, weights, features, camera_of, point_of = ba_arguments(n, m, p)
    if not turned:
        cameras[:, :3] = 0.0
    arguments = (cameras, points, weights, features, camera_of, point_of)
    rows, columns, values = OURS["ba"]["jacobian"](*arguments)()
    found = np.zeros((3 * p, 11 * n + 3 * m + p))
    for row in range(3 * p):
        entries = slice(rows[row], rows[row + 1])
        found[row, columns[entries]] = values[entries]

    def stacked(flat: np.ndarray) -> np.ndarray:
        u, v, w = ba.errors(
            flat[: 11 * n].reshape(n, 11), flat[11 * n : 11 * n + 3 * m].reshape(m, 3), flat[11 * n + 3 * m :],
            features, camera_of, point_of,
        )  # fmt: skip
        return np.concatenate([np.ravel(np.stack([u, v], axis=1)), w])

    close(found, slopes(stacked, np.concatenate([cameras.ravel(), points.ravel(), weights])), 1e-6)
    assert len(values) == rows[-1] == 31 * p


def test_ba_turns_as_the_exponential_of_a_matrix():
    axis, point = R.normal(size=3), R.normal(size=3)
    generator = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    term, total = np.eye(3), np.eye(3)
    for k in range(1, 40):
        term = term @ generator / k
        total = total + term
    close(ba.rotated(tuple(axis), tuple(point)), total @ point, 1e-13)
    close(total, ht.about_axis(axis), 1e-13)


def ba_input() -> dict[str, Any]:
    camera = 0.3 * R.normal(size=11)
    return {"cam": camera.tolist(), "x": [0.1, 0.2, 6.0], "w": 0.7, "feat": [0.3, 0.4], "n": 3, "m": 2, "p": 11}


def test_ba_by_the_protocol():
    one = ba_input()
    found = answered("ba", "objective", one)
    u, v = ba.reprojection_error(tuple(one["cam"]), one["x"], one["w"], one["feat"])
    close([*found["reproj_error"]["elements"], found["w_err"]["element"]], [u, v, 1.0 - 0.7**2], 1e-14)
    matrix = answered("ba", "jacobian", one)
    assert [len(matrix[name]) for name in ("rows", "cols", "vals")] == [31, 31, 31]
    assert matrix["cols"][:15] == [*range(11), 33, 34, 35, 39]
    assert matrix["vals"][-1] == pytest.approx(-1.4)


def ht_input(complicated: bool) -> dict[str, Any]:
    bones, vertices, triangles, points = 22, 7, 4, 3
    parents = [-1, *[0 if i % 4 == 0 else i for i in range(20)], 0]
    model = {
        "bone_count": bones, "bone_names": ["bone"] * bones, "parents": parents,
        "base_relatives": (np.eye(4) + 0.3 * R.normal(size=(bones, 4, 4))).tolist(),
        "inverse_base_absolutes": (np.eye(4) + 0.3 * R.normal(size=(bones, 4, 4))).tolist(),
        "base_positions": np.hstack([R.normal(size=(vertices, 3)), np.ones((vertices, 1))]).tolist(),
        "weights": R.random((vertices, bones)).tolist(),
        "triangles": R.integers(0, vertices, size=(triangles, 3)).tolist(), "is_mirrored": complicated,
    }  # fmt: skip
    data = {
        "model": model, "points": R.normal(size=(points, 3)).tolist(),
        "correspondences": R.integers(0, triangles, size=points).tolist(),
    }  # fmt: skip
    return {
        "theta": R.normal(size=26).tolist(), "data": data, "us": R.random((points, 2)).tolist() if complicated else [],
    }  # fmt: skip


@pytest.mark.parametrize("complicated", [True, False])
def test_ht(complicated: bool):
    given = ht_input(complicated)
    theta, u, *rest = gradbench_evals.ht_arguments(given)
    if complicated:
        value, in_theta = ht.surface_distances(theta, u, *rest), lambda t: ht.surface_distances(t, u, *rest)
    else:
        value, in_theta = ht.distances(theta, *rest), lambda t: ht.distances(t, *rest)
    close(answered("ht", "objective", given), value.ravel(), 1e-15)
    found = np.array(answered("ht", "jacobian", given))
    close(found[:, -26:], slopes(in_theta, theta).reshape(-1, 26))
    if complicated:
        in_u = slopes(lambda u: ht.surface_distances(theta, u, *rest), u)
        own = np.stack([in_u[i, :, i] for i in range(len(u))])
        close(found[:, :2], own.reshape(-1, 2))


@pytest.mark.parametrize("mode", gradbench_evals.MODES)
def test_saddle(mode: str):
    assert answered("saddle", mode, {"start": [1.0, 1.0]}) == pytest.approx([8.246324826140356e-06] * 4, rel=1e-9)


def test_particle():
    assert answered("particle", "rr", {"w": 0.0}) == pytest.approx(0.2071918746486116, rel=1e-9)


def test_every_function_has_arguments_and_an_output():
    assert {name: set(functions) for name, functions in OURS.items()} == {
        name: set(functions) for name, functions in EVALS.items()
    }


def test_what_is_not_known_is_said():
    define = json.dumps({"id": 0, "kind": "define", "module": "nothing"})
    ask = json.dumps({"id": 1, "kind": "evaluate", "module": "llsq", "function": "gradient", "input": {"x": [1.0]}})
    undefined, failed = gradbench_tool.answers([define, ask], "ccc", "numpy")
    assert undefined == {"id": 0, "success": False}
    assert not failed["success"] and "KeyError: 'n'" in failed["error"]


INSTALLED = {"jax": "jax", "torch": "torch", "autograd": "autograd", "by_hand": "numpy"}


def inputs() -> dict[str, Any]:
    """A small input of each eval."""
    points = R.random((30, 3))
    return {
        "hello": 3.0, "llsq": {"x": R.normal(size=5).tolist(), "n": 8}, "lse": {"x": R.normal(size=9).tolist()},
        "ode": {"x": R.random(5).tolist(), "s": 3}, "det": {"A": R.normal(size=16).tolist(), "ell": 4},
        "kmeans": {"points": points.tolist(), "centroids": (points[-4:] + 0.01).tolist()},
        "lstm": lstm_input(2, 5, 3), "gmm": gmm_input(6, 3, 4, 0.7, 2), "ba": ba_input(), "ht": ht_input(True),
        "saddle": {"start": [1.0, 1.0]}, "particle": {"w": 0.0},
    }  # fmt: skip


def in_a_row(output: Any) -> list[float]:
    if isinstance(output, dict):
        return [x for name in sorted(output) for x in in_a_row(output[name])]
    return [x for part in output for x in in_a_row(part)] if isinstance(output, list) else [float(output)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the peers' own modules
@pytest.mark.parametrize(
    "system", ["by_hand", *[pytest.param(s, marks=pytest.mark.nightly) for s in ("jax", "torch", "autograd")]]
)
def test_peers_compute_the_same(system: str):
    if importlib.util.find_spec(INSTALLED[system]) is None:
        pytest.skip(f"{system} is not installed")
    given = inputs()
    theirs = gradbench_tool.functions_of(system, "numpy")
    assert set(theirs) <= set(EVALS)
    for name, functions in theirs.items():
        for function in functions:
            found = gradbench_tool.answer(theirs, name, function, given[name])["output"]
            expected = gradbench_tool.answer(OURS, name, function, given[name])["output"]
            np.testing.assert_allclose(in_a_row(found), in_a_row(expected), rtol=1e-6, atol=1e-9, err_msg=name)


EVAL = """
import json, sys
def ask(**message):
    print(json.dumps(message), flush=True)
    return json.loads(sys.stdin.readline())
ask(id=0, kind="start", eval="hello")
assert ask(id=1, kind="define", module="hello")["success"]
for i, function, expected in ((2, "square", 9.0), (4, "double", 7.0)):
    found = ask(id=i, kind="evaluate", module="hello", function=function, input=3.0, description="3")
    ask(id=i + 1, kind="analysis", of=i, valid=found["output"] == expected, error="unexpected")
ask(id=6, kind="evaluate", module="hello", function="cube", input=3.0, description="3")
"""


def test_an_eval_and_a_tool_talk(tmp_path: Path):
    script = tmp_path / "python" / "gradbench" / "gradbench" / "evals" / "hello" / "run.py"
    script.parent.mkdir(parents=True)
    script.write_text(EVAL, "utf-8")
    tools = {"a": gradbench_runs.own_tool(backend="numpy"), "b": gradbench_runs.own_tool("by_hand")}
    found = list(gradbench_runs.side_by_side(tmp_path, sys.executable, "hello", [], tools))
    assert [set(one) for one in found] == [{"a", "b"}] * 3
    square, double, cube = [one["a"] for one in found]
    assert (square.function, square.description, square.valid) == ("square", "3", True)
    assert square.seconds is not None and square.first is not None and 0.0 < square.seconds < square.first
    assert (double.valid, double.error) == (False, "unexpected")
    assert cube.valid is None and cube.seconds is None and cube.error == gradbench_tool.ABSENT
    assert gradbench.failed(double) and not gradbench.failed(square) and not gradbench.failed(cube)


def test_the_mean_is_over_derivatives_that_have_no_closed_form():
    rows: list[Row] = []
    for label, ours in [
        ("det gradient 5", 2.0),
        ("det gradient 5", 1.0),
        ("ba jacobian 1", 4.0),
        ("ba objective 1", 9.0),
    ]:
        gradbench.added(rows, label, {"ccc numpy": ours, "manual": 1.0})
    gradbench.added(rows, "ode gradient n=4,s=1", {"ccc numpy": 100.0, "manual": 1.0})
    gradbench.added(rows, "llsq gradient n=4", {"ccc numpy": 100.0})
    assert len(rows) == 5
    assert gradbench.means(rows, "ccc numpy").measured == pytest.approx(2.0)
