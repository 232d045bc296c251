"""Formulas of GradBench's evals that are written alike in every library of arrays, which is their first argument."""

from __future__ import annotations

from typing import Any


def reprojection_error(np: Any, camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    """The two errors of an observation by components, which may be arrays over many."""
    r1, r2, r3, c1, c2, c3, focal, u0, v0, k1, k2 = camera
    x, y, z = point[0] - c1, point[1] - c2, point[2] - c3
    angle = np.sqrt(r1 * r1 + r2 * r2 + r3 * r3)
    sine, cosine = np.sin(angle), np.cos(angle)
    a, b, c = r1 / angle, r2 / angle, r3 / angle
    along = (a * x + b * y + c * z) * (1.0 - cosine)
    px = x * cosine + (b * z - c * y) * sine + a * along
    py = y * cosine + (c * x - a * z) * sine + b * along
    pz = z * cosine + (a * y - b * x) * sine + c * along
    u, v = px / pz, py / pz
    square = u * u + v * v
    distortion = 1.0 + k1 * square + k2 * square * square
    return weight * (u * distortion * focal + u0 - feature[0]), weight * (v * distortion * focal + v0 - feature[1])


def joint(np: Any, bend: Any, spread: Any) -> Any:
    """Rotations about x and z, one for each entry of the arguments, as matrices along the last axes."""
    cx, sx, cz, sz = np.cos(bend), np.sin(bend), np.cos(spread), np.sin(spread)
    zero, one = np.zeros_like(cx), np.ones_like(cx)
    rows = [cz, -sz * cx, sz * sx, zero, sz, cz * cx, -cz * sx, zero, zero, sx, cx, zero, zero, zero, zero, one]
    return np.stack(rows, -1).reshape(-1, 4, 4)


def about_axis(np: Any, r: Any) -> Any:
    """The rotation about the axis r by the angle |r|."""
    angle = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    s, c = np.sin(angle), np.cos(angle)
    v = 1.0 - c
    rows = [
        x * x * v + c, x * y * v - z * s, x * z * v + y * s,
        x * y * v + z * s, y * y * v + c, y * z * v - x * s,
        x * z * v - y * s, y * z * v + x * s, z * z * v + c,
    ]  # fmt: skip
    return np.stack(rows, -1).reshape(3, 3)


def angles_by_bone(np: Any, theta: Any, bones: int) -> tuple[Any, Any]:
    """Bend and spread of each bone: a wrist, five fingers of which the first bone is stiff, an arm."""
    fingers = theta[6:].reshape(5, 4)
    zero = np.zeros_like(fingers[:, :1])
    bend = np.concatenate([zero, fingers[:, :1], fingers[:, 2:4]], 1).reshape(-1)
    spread = np.concatenate([zero, fingers[:, 1:2], zero, zero], 1).reshape(-1)
    end = np.zeros_like(theta[:1])
    return np.concatenate([end, bend, end]), np.concatenate([end, spread, end])


def distances(np: Any, theta: Any, u: Any, hand: Any, parents: Any, correspondences: Any, measured: Any) -> Any:
    """The measured points less those of the posed hand, on vertices or, where u has rows, on triangles."""
    relatives = hand.base_relatives @ joint(np, *angles_by_bone(np, theta, len(parents)))
    absolutes: list[Any] = []
    for parent, relative in zip(parents, relatives, strict=True):
        absolutes.append(relative if parent == -1 else absolutes[parent] @ relative)
    transforms = np.stack(absolutes) @ hand.inverse_base_absolutes
    places = np.einsum("vb,bij,vj->vi", hand.weights, transforms[:, :3], hand.vertices)
    if hand.mirrored:
        places = places * np.stack([-np.ones_like(theta[0]), np.ones_like(theta[0]), np.ones_like(theta[0])])
    places = places @ about_axis(np, theta[:3]).T + theta[3:6]
    if not len(u):
        return measured - places[correspondences]
    corners = hand.triangles[correspondences]
    s, t = u[:, 0:1], u[:, 1:2]
    surface = s * places[corners[:, 0]] + t * places[corners[:, 1]] + (1.0 - s - t) * places[corners[:, 2]]
    return measured - surface


def determinant(entries: Any, row: int, columns: tuple[int, ...]) -> Any:
    """The determinant of a list of rows, from a row on, in some columns, by minors."""
    if len(columns) == 1:
        return entries[row][columns[0]]
    total = 0.0
    for j, column in enumerate(columns):
        rest = determinant(entries, row + 1, columns[:j] + columns[j + 1 :])
        total = total + (-1.0) ** j * entries[row][column] * rest
    return total


def minimum(np: Any, f: Any, slopes: Any, x: Any) -> Any:
    """Descent as in `programs.descent`, in a library whose numbers Python can compare."""
    fx, gx = f(x), slopes(x)
    step, downhill = 1e-5, 0
    while np.sqrt(np.sum(gx * gx)) > 1e-5:
        if downhill == 10:
            step, downhill = 2.0 * step, 0
            continue
        y = x - step * gx
        if np.sqrt(np.sum((x - y) * (x - y))) <= 1e-5:
            break
        fy = f(y)
        if fy < fx:
            x, fx, gx, downhill = y, fy, slopes(y), downhill + 1
        else:
            step, downhill = step / 2.0, 0
    return x
