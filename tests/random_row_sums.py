"""Random programs on the rows of matrices: sums and extrema along them, what reads these, and what reads other rows."""

from __future__ import annotations

import random

from random_checks import ROUNDED
from random_programs import Program

HEADER = """import numpy as np


def f(x, y, c):
"""
ROWS = (
    "np.sum({a}, axis=1, keepdims=True)", "np.max({a}, axis=1, keepdims=True)", "np.sum({a} * {b}, axis=1)[:, None]",
    "np.mean({a}, axis=-1, keepdims=True)", "np.min({a}, axis=1)[:, None]", "np.var({a}, axis=1, keepdims=True)",
    "np.sqrt(1.0 + np.sum({a} ** 2, 1))[:, None]", "{a}[:, :1]", "np.sum({a}[:, 1:], axis=1)[:, None]",
    "np.tanh({r}) + {s}", "{r} * {s}", "np.linalg.norm({a}, axis=-1, keepdims=True)", "({a} @ c)[:, None]",
    "np.log(1.0 + np.exp({r}))", "{r} - np.mean({s})",
)  # fmt: skip
WIDE = (
    "{a} * {b}", "{a} + {r}", "{a} - {r}", "{a} / (1.5 + {r} ** 2)", "np.tanh({a})", "np.sin({a}) * {r}",
    "np.maximum({a}, {b})", "np.where({a} > {r}, {a}, 0.3 * {b})", "np.exp(-np.abs({a}))", "{a} * c", "{r} * {s} * c",
    "np.abs({a}) ** 1.5 - {b}", "np.clip({a}, -0.4, 0.6)", "{a} * 0.5 + np.where({b} > 0.0, {r}, c)",
)  # fmt: skip
OTHERS = (
    "{a}[::-1]", "np.roll({a}, 1, axis=0)", "np.cumsum({a}, axis=0)", "np.cumsum({a}, axis=1)", "{a}[:, ::-1] * {r}",
    "np.roll({a}, 2, axis=1)", "{a} - np.sum({b}, axis=0)", "np.concatenate([{a}[1:], {b}[:1]])", "{a} + {b}[0]",
    "{a} - np.max({b})", "{a} * np.mean({a} * {b})", "({a}.T * {r}[:, 0]).T", "{a} - {r}[::-1]",
    "np.concatenate([{a}[:, 1:], {r}], axis=1)", "np.tile({r}, (1, len(c)))", "{a}.copy()",
    "np.repeat({r}, len(c), axis=1) - {a}",
)  # fmt: skip
CHANGES = (
    "{o} = {a} * 1.0\n{o}[:, 0] = {r}[:, 0]", "{o} = {a} + 0.1\n{o} *= {r}",
    "{o} = np.zeros_like({a})\n{o}[1:] = {b}[1:]", "{o} = {a} * 1.0\n{o} += {r}\n{o}[-1] = c",
    "{o} = {a}\nfor _ in range(2):\n    {o} = {o} - 0.1 * np.tanh({o}) * {r}",
    "{o} = {a}\nfor _ in range(2):\n    {o} = {o} / (1.0 + np.sum({o} ** 2, axis=1, keepdims=True))",
)  # fmt: skip
SIZES = ((33, 5), (47, 8), (64, 1), (80, 17), (100, 70), (130, 3), (16, 9), (1, 4), (0, 2))


def rows(seed: int) -> Program:
    """One program, called with few and with many rows.

    >>> print(rows(3).source.split(chr(10))[3])
    def f(x, y, c):
    """
    r = random.Random(seed)
    lines = ["r0 = x[:, :1] + 0.5"]
    wide, columns = ["x", "y"], ["r0"]

    def near(names: list[str]) -> str:
        return r.choice(names[-3:] if r.random() < 0.7 else names)

    def filled(form: str, **more: str) -> str:
        return form.format(a=near(wide), b=near(wide), r=near(columns), s=near(columns), **more)

    for i in range(1, r.choice((4, 7, 12))):
        roll = r.random()
        if roll < 0.4:
            lines.append(f"r{i} = {filled(r.choice(ROWS))}")
            columns.append(f"r{i}")
            continue
        form = r.choice(WIDE if roll < 0.8 else OTHERS if roll < 0.92 else CHANGES)
        lines += (filled(form, o=f"w{i}") if form in CHANGES else f"w{i} = {filled(form)}").split("\n")
        wide.append(f"w{i}")
    last = [f"np.sum({near(wide)} * {near(s)})" for s in (wide, columns)] + [f"np.sum({near(columns)})"]
    lines.append(f"return {' + '.join(r.sample(last, r.randint(1, 3)))}")
    calls = []
    for n, m in (*r.sample(SIZES[:6], 2), r.choice(SIZES)):
        a, b = round(r.uniform(0.5, 2.5), 3), round(r.uniform(0.5, 2.5), 3)
        calls.append(f"np.sin({a} + 2.3 * np.arange({n * m})).reshape({n}, {m}), "
                     f"np.cos({b} + 1.9 * np.arange({n * m})).reshape({n}, {m}), np.sin({b} * np.arange({m}) + 0.3)")
    source = HEADER + "".join(f"    {line}\n" for line in lines)
    return Program(seed, source, [calls[0], *calls], {ROUNDED})
