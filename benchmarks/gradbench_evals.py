"""The functions of GradBench's evals: arguments from their JSON, what is timed, and JSON from the result.

The names of evals and functions are GradBench's. How they are computed is a system's to say: `gradbench_ours` and the
modules of the peers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.programs import gmm
from benchmarks.programs.ht import Hand

Arguments = tuple[Any, ...]


class Function(NamedTuple):
    """The arguments of a program from the input of a message, and the output of a message from its result."""

    arguments: Callable[[Any], Arguments]
    output: Callable[[Any], Any]


def floats(x: Any) -> Any:
    """Numbers and arrays as JSON has them."""
    return np.asarray(x).tolist()


def floats_in_a_row(x: Any) -> Any:
    return floats(np.ravel(x))


def one_number(given: Any) -> Arguments:
    return (float(given),)


def one_array(given: Any) -> Arguments:
    return (np.array(given["x"]),)


def llsq_arguments(given: Any) -> Arguments:
    return np.array(given["x"]), int(given["n"])


def ode_arguments(given: Any) -> Arguments:
    return np.array(given["x"]), int(given["s"])


def det_arguments(given: Any) -> Arguments:
    return (np.array(given["A"]).reshape(given["ell"], given["ell"]),)


def kmeans_arguments(given: Any) -> Arguments:
    return np.array(given["points"]), np.array(given["centroids"])


def lstm_arguments(given: Any) -> Arguments:
    weights, extra, start, sequence = [
        np.array(given[name], dtype=float) for name in ("main_params", "extra_params", "state", "sequence")
    ]
    layers, bits = len(start) // 2, start.shape[1]
    return weights.reshape(layers, 2, 4, bits), extra, start.reshape(layers, 2, bits), sequence


def lstm_output(cts: Any) -> Any:
    return floats(np.concatenate([np.ravel(ct) for ct in cts]))


def gmm_arguments(given: Any) -> Arguments:
    d, k, gamma, m = given["d"], given["k"], float(given["gamma"]), int(given["m"])
    arrays = [np.array(given[name], dtype=float) for name in ("alpha", "mu", "q", "l", "x")]
    return *arrays, gamma, m, gmm.log_normaliser(d, k, gamma, m)


def gmm_output(cts: Any) -> Any:
    return {name: floats(ct) for name, ct in zip(("alpha", "mu", "q", "l"), cts, strict=True)}


def ba_arguments(given: Any) -> Arguments:
    n, m, p = given["n"], given["m"], given["p"]
    repeated = [np.tile(np.array(given[name]), (count, 1)) for name, count in (("cam", n), ("x", m), ("feat", p))]
    cameras, points, features = repeated
    return cameras, points, np.full(p, float(given["w"])), features, np.arange(p) % n, np.arange(p) % m


def ba_objective_output(errors: Any) -> Any:
    u, v, w = map(np.asarray, errors)
    return {
        "reproj_error": {"elements": [float(u[0]), float(v[0])], "repeated": len(u)},
        "w_err": {"element": float(w[0]), "repeated": len(w)},
    }


def ba_jacobian_output(matrix: Any) -> Any:
    """The first two rows of blocks and the last entry of a matrix in compressed rows."""
    rows, columns, values = map(np.asarray, matrix)
    shown = lambda a: floats(np.concatenate([a[:30], a[-1:]]))  # noqa: E731
    return {"rows": shown(rows), "cols": shown(columns), "vals": shown(values)}


def ht_arguments(given: Any) -> Arguments:
    data = given["data"]
    model = data["model"]
    hand = Hand(
        np.array(model["parents"]),
        np.array(model["base_relatives"]),
        np.array(model["inverse_base_absolutes"]),
        np.array(model["base_positions"]),
        np.array(model["weights"]),
        np.array(model["triangles"]),
        bool(model["is_mirrored"]),
    )
    us = np.array(given["us"]).reshape(-1, 2)
    return np.array(given["theta"]), us, hand, np.array(data["correspondences"]), np.array(data["points"])


def saddle_arguments(given: Any) -> Arguments:
    return (tuple(map(float, given["start"])),)


def saddle_output(points: Any) -> Any:
    x, y = points
    return [*map(float, x), *map(float, y)]


def particle_arguments(given: Any) -> Arguments:
    return (float(given["w"]),)


MODES = ("rr", "ff", "fr", "rf")

EVALS: dict[str, dict[str, Function]] = {
    "hello": {"square": Function(one_number, float), "double": Function(one_number, float)},
    "llsq": {"primal": Function(llsq_arguments, float), "gradient": Function(llsq_arguments, floats)},
    "lstm": {"objective": Function(lstm_arguments, float), "jacobian": Function(lstm_arguments, lstm_output)},
    "gmm": {"objective": Function(gmm_arguments, float), "jacobian": Function(gmm_arguments, gmm_output)},
    "ba": {
        "objective": Function(ba_arguments, ba_objective_output),
        "jacobian": Function(ba_arguments, ba_jacobian_output),
    },
    "kmeans": {"cost": Function(kmeans_arguments, float), "dir": Function(kmeans_arguments, floats)},
    "ht": {"objective": Function(ht_arguments, floats_in_a_row), "jacobian": Function(ht_arguments, floats)},
    "saddle": {mode: Function(saddle_arguments, saddle_output) for mode in MODES},
    "particle": {mode: Function(particle_arguments, float) for mode in MODES},
    "ode": {"primal": Function(ode_arguments, floats), "gradient": Function(ode_arguments, floats)},
    "det": {"primal": Function(det_arguments, float), "gradient": Function(det_arguments, floats_in_a_row)},
    "lse": {"primal": Function(one_array, float), "gradient": Function(one_array, floats)},
}
