"""Random programs of images: arrays with a short last or first axis, taken apart and put together, their axes moved.

Planes of such arrays are read and written by an index, a slice of width 1, `np.split`, `np.stack` and `np.moveaxis`;
sums over all axes but one, products with short vectors, and copies in another order of axes.
"""

from __future__ import annotations

import random

from random_checks import ROUNDED
from random_programs import Program

HEADER = """import numpy as np


def f(x, y, u):
"""
PLANES = (
    "{m}[..., {k}]", "{m}[:, :, {k}]", "{f}[{k}]", "{p} * {q}", "np.tanh({p} - {q})", "np.maximum({p}, {q}) * 0.8",
    "{p} - np.mean({q})", "np.where({p} > {q}, {p}, 0.3 * {q})", "np.moveaxis({m}, -1, 0)[{k}]", "{m} @ {v}",
    "np.sum({m}, axis=-1) * 0.3", "np.max({m}, axis=2)", "np.tensordot({f}, {v}, axes=(0, 0))",
    "np.squeeze({m}[..., {k}:{k} + 1], axis=-1)", "np.squeeze(np.split({m}, 3, axis=-1)[{k}], axis=-1)",
    "{f}[-1] * {s}", "np.sqrt(np.sum({m} * {m}, axis=2) + 0.1)", "{p} % 0.7", "np.clip({p}, -0.4, 0.6)",
    "np.transpose(np.transpose({p}) * 0.5)", "np.swapaxes({m}, 0, 2)[{k}].T", "np.sum({f} * {g}, axis=0) * 0.2",
    "{m}[:, ::-1, {k}] + {p}", "{p}[::-1] * {q}", "np.stack([{p}, {q}])[{j}] * {p}",
)  # fmt: skip
IMAGES = (
    "np.stack([{p}, {q}, {o}], axis=-1)", "np.moveaxis({f}, 0, -1)", "np.transpose({f}, (1, 2, 0))", "{m} * {n}",
    "{m} * {p}[:, :, None]", "{m} - {v}", "np.concatenate([{m}[..., 1:], {n}[..., :1]], axis=-1)", "{m}[..., ::-1]",
    "{m} - np.mean({m}, axis=(0, 1), keepdims=True)", "{m} / (1.0 + np.sum({m} * {n}, axis=-1, keepdims=True) ** 2)",
    "np.stack(np.split({f}, 3), axis=-1)[0] * 0.7", "{m} @ np.outer({v}, {v}) * 0.2", "np.cross({m}, {n}) * 0.3",
    "np.concatenate([part * {s} for part in np.split({m}, 3, axis=-1)], axis=2)", "np.dstack([{p}, {q}, {p} * {o}])",
    "{m} * np.sum({n} * {m}, keepdims=True) * 0.01", "np.swapaxes(np.swapaxes({m}, 0, 1), 0, 1) + {n}",
    "np.reshape(np.transpose(np.reshape({m}, (h, 1, w, 3)), (1, 0, 2, 3)), (h, w, 3))", "np.tanh({m})[::-1]",
    "np.stack([np.squeeze(part, -1) for part in np.split({m}, 3, -1)], -1)", "{m}.copy()",
    "np.reshape(np.reshape({m}, (-1, 3)) * {v}, {m}.shape)", "np.where({m} > 0.1, {m}, {n} * 0.2)",
)  # fmt: skip
FIRST = (
    "np.stack([{p}, {q}, {o}])", "np.moveaxis({m}, -1, 0)", "np.transpose({m}, (2, 0, 1))", "{f} * {g}", "{f} + {p}",
    "{f} * {v}[:, None, None]", "np.array([{p}, {q} * {s}, {o}])", "{f}[::-1] * 0.5", "np.roll({f}, 1, axis=0)",
    "{f} - np.mean({f}, axis=0)", "np.transpose(np.transpose({f}, (0, 2, 1)) * {s}, (0, 2, 1))",
    "np.concatenate([{f}[1:], {g}[:1]])", "{f} / (1.0 + np.sum({g} * {g}, axis=(1, 2), keepdims=True))",
)  # fmt: skip
SHORT = (
    "np.mean({m}, axis=(0, 1))", "np.tanh(np.sum({f}, axis=(1, 2)))", "{m}[0, 0] * 0.5", "{v} * {s}", "u - {v}",
    "np.tanh(np.sum({m} * {n}, axis=(0, 1)))", "np.tanh(np.einsum('ijk,ij->k', {m}, {p}))", "{f}[:, 0, -1]",
    "np.max({m}, axis=(0, 1)) * 0.3", "np.mean(np.reshape({m}, (-1, 3)), axis=0)",
)  # fmt: skip
NUMBERS = ("np.tanh(np.sum({m} * {n}))", "np.mean({p})", "{m}[0, -1, {k}]", "np.tanh(np.sum({v} * {v}))",
           "np.tanh(np.sum({f} * {g}))", "np.max({p}) * 0.4", "np.sin({s})")  # fmt: skip
CHANGES = (
    "{o} = np.zeros_like({m})\n{o}[..., 0] = {p}\n{o}[..., 2] = {q}", "{o} = np.zeros_like({f})\n{o}[{k}] = {p}",
    "{o} = np.zeros((h, w, 3))\n{o}[:, :, 0] = {p}\n{o}[:, :, 1] = {q} * {s}\n{o}[:, :, 2] += {p}",
    "{o} = {m}.copy()\n{o}[..., {k}] *= {p}", "{o} = {m} * 1.0\n{o}[..., 1:] -= {n}[..., :2]\n{o}[0] = {v}",
    "{o} = np.empty((3, h, w))\n{o}[0] = {p}\n{o}[1] = {q}\n{o}[2] = {p} * {q}",
    "{o} = np.zeros((h, w, 3))\nfor c in range(3):\n    {o}[:, :, c] = {m}[:, :, 2 - c] * {v}[c]",
    "{o} = {f} * 1.0\nfor c in range(3):\n    {o}[c] -= np.mean({o}[c]) * {p}",
    "{o} = np.zeros_like({m})\n{o}[..., 0:1] = {m}[..., 2:3]\n{o}[..., 1:] = {n}[..., :2]",
)  # fmt: skip
SIZES = (((2, 3), (5, 4), (3, 7)), ((16, 9), (9, 24), (1, 8)), ((1, 1), (40, 33), (3, 3)))
SORTS = (("p", PLANES, 0.34), ("m", IMAGES, 0.6), ("f", FIRST, 0.74), ("v", SHORT, 0.82), ("s", NUMBERS, 0.88))


def layouts(seed: int) -> Program:
    """One program.

    >>> print(layouts(3).source.split(chr(10))[3])
    def f(x, y, u):
    """
    r = random.Random(seed)
    lines = ["h, w = x.shape[:2]"]
    names: dict[str, list[str]] = {"p": [], "m": ["x"], "f": ["y"], "v": ["u"], "s": []}

    def near(sort: str) -> str:
        return r.choice(names[sort][-3:] if r.random() < 0.7 else names[sort])

    def filled(form: str, **more: str) -> str:
        p, q, o = (near("p") for _ in range(3))
        return form.format(**{**dict(
            p=p, q=q, o=o, m=near("m"), n=near("m"), f=near("f"), g=near("f"), v=near("v"), s=near("s"),
            k=str(r.randrange(3)), j=str(r.randrange(2))), **more})

    def bind(sort: str, text: str) -> None:
        name = f"{sort}{len(lines)}"
        lines.append(f"{name} = {text}")
        names[sort].append(name)

    for sort, text in (("p", "x[..., 0] * y[1]"), ("s", "np.tanh(u[0])"), ("p", "x[:, :, 1]")):
        bind(sort, text)
    for _ in range(r.choice((3, 6, 12, 24))):
        roll = r.random()
        found = next(((sort, forms) for sort, forms, below in SORTS if roll < below), None)
        if found is not None:
            bind(found[0], filled(r.choice(found[1])))
            continue
        form = r.choice(CHANGES)
        name = f"m{len(lines)}"
        lines.extend(filled(form, o=name).split("\n"))
        names["f" if "{f}" in form or "(3, h" in form else "m"].append(name)
    last = [f"np.sum({n} * {near('p')})" for n in names["p"][-2:]]
    last += [f"np.sum({near('m')} * x)", f"np.sum({near('f')})", near("s"), f"np.sum({near('v')} * u)"]
    lines.append(f"return {' + '.join(r.sample(last, r.randint(2, len(last))))}")
    calls = []
    for sizes in SIZES:
        h, w = r.choice(sizes)
        a, b = round(r.uniform(0.5, 2.5), 3), round(r.uniform(0.5, 2.5), 3)
        calls.append(f"np.sin({a} + 2.3 * np.arange({h * w * 3})).reshape({h}, {w}, 3), "
                     f"np.cos({b} + 1.9 * np.arange({3 * h * w})).reshape(3, {h}, {w}), np.array([0.4, -0.7, {a}])")
    if r.random() < 0.4:
        calls.reverse()
    source = HEADER + "".join(f"    {line}\n" for line in lines)
    return Program(seed, source, [calls[0], *calls], {ROUNDED})
