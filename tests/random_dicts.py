"""Random programs over dicts whose keys the run knows: numbers, texts and tuples of them; items are reals, rows of
arrays or pairs. They are filled, changed, emptied, merged, copied and walked in loops, few keys and many.
"""

from __future__ import annotations

import random

from random_programs import Program

KEYS = {
    "int": ("i", "i % 3", "i // 2", "i * 7 % 5", "n - i", "ks[i]", "i * 31"),
    "text": ("ts[i]", "ts[n - 1 - i]", "'a'", "'zz'", "ts[i // 2]"),
    "pair": ("(i, i % 2)", "(i % 3, i % 2)", "(ks[i], i)", "(i // 2, i % 3)"),
    "mixed": ("(ts[i], i % 2)", "(ts[i], i % 3)", "(ts[n - 1 - i], 1)"),
    "real": ("float(i)", "i * 0.5", "float(i % 3)", "-0.0", "0.0"),
}
ITEMS = {
    "real": ("xs[i]", "xs[i] * xs[i]", "np.sin(xs[i])", "t", "2.0 * xs[i] + t"),
    "row": ("a[i]", "a[i] * xs[i]", "np.tanh(a[i])", "a[i] + t"),
    "pair": ("(xs[i], xs[i] * 2.0)", "(t, xs[i])"),
}
ZEROS = {"real": "0.0", "row": "np.zeros(3)"}
WEIGHED = {"real": "{0}", "row": "{0}.sum()", "pair": "({0}[0] * {0}[1])"}
SIZES = (1, 4, 7, 25, 60)


class Dicts:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.keys = self.r.choice([*KEYS, "int"])
        self.items = self.r.choice([*ITEMS, "real"])
        self.lines = ["n = len(xs)", "d = {}", "e = {}", "t = 0.5"]

    def program(self) -> Program:
        r = self.r
        self.loop(r.randint(2, 5))
        if r.random() < 0.5:
            self.loop(r.randint(1, 3))
        self.lines += ["for w in d.values():", f"    t = t * 0.9 + {self.weighed('w')}"]
        if self.keys == "int":
            self.lines += ["for q in e:", f"    t = t + q * 0.01 * {self.weighed('e[q]')}"]
        body = "\n".join([f"    {line}" for line in self.lines])
        text = f"import numpy as np\n\n\ndef f(xs, a, ks, ts):\n{body}\n    return t + 0.0 * len(e)\n"
        return Program(self.seed, text, [self.call() for _ in range(2)])

    def call(self) -> str:
        r, n = self.r, self.r.choice(SIZES)
        xs = [round(r.uniform(-2, 2), 3) for _ in range(n)]
        a = [[round(r.uniform(-1, 1), 3) for _ in range(3)] for _ in range(n)]
        return f"{xs}, np.array({a}), {[r.randrange(6) for _ in range(n)]}, {[r.choice('abcdefgh') for _ in range(n)]}"

    def weighed(self, x: str) -> str:
        return WEIGHED[self.items].format(x)

    def loop(self, count: int) -> None:
        self.lines.append("for i in range(n):")
        for _ in range(count):
            self.lines += [f"    {line}" for line in self.statement()]

    def statement(self) -> list[str]:
        r = self.r
        k, v, d = r.choice(KEYS[self.keys]), r.choice(ITEMS[self.items]), r.choice("ddde")
        ways = [
            [f"{d}[{k}] = {v}"], [f"{d}[{k}] = {v}"], [f"{d}.setdefault({k}, {v})"],
            [f"if {k} in {d}:", f"    t = t * 0.5 + {self.weighed(f'{d}[{k}]')}"],
            [f"if {k} in {d}:", f"    del {d}[{k}]"],
            [f"if {k} in {d}:", f"    t = t + 0.1 * {self.weighed(f'{d}.pop({k})')}"],
            [f"t = t + 0.01 * len({d})"], ["d.update(e)"], ["e = dict(d)"],
            [f"for q, w in {d}.items():", f"    t = t * 0.9 + 0.1 * {self.weighed('w')}"],
            [f"if not {d}:", f"    {d}[{k}] = {v}"],
        ]  # fmt: skip
        if self.items in ZEROS:
            ways += [[f"{d}[{k}] = {d}.get({k}, {ZEROS[self.items]}) + {v}"]] * 2
        return r.choice(ways)


def dicts(seed: int) -> Program:
    """The program of a seed."""
    return Dicts(seed).program()
