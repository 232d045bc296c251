"""Random sums over named indices, and random indices of arrays read, written and added to, some in each program.

    np.einsum       texts with and without a result, ellipses, repeated letters, traces, axes of size 1, lists
    x[...]          numbers, slices of any step, `None`, `...`, lists, arrays that broadcast, masks, truth values

A line is kept if plain NumPy takes it.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable

import numpy as np
from random_programs import Program

SIZES = {"i": 2, "j": 3, "k": 2, "l": 1, "m": 2}
LAYOUTS = ("{a}", "np.asfortranarray({a})", "{a}[::-1]", "{a}.T.copy().T")
TRIES = 60
OPTIMIZE = ("", "", ", optimize=True", ", optimize='greedy'", ", optimize=False", ", optimize='optimal'")


def numbers(r: random.Random, shape: tuple[int, ...]) -> str:
    count = int(np.prod(shape))
    return f"np.array([{', '.join(f'{r.uniform(-1.2, 1.3):.3f}' for _ in range(count))}]).reshape({shape})"


class Lines:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.seed, self.r = seed, random.Random(seed)
        self.args: list[str] = []
        self.names: list[str] = []
        self.shape: tuple[int, ...] = ()

    def argument(self, shape: tuple[int, ...]) -> str:
        text = numbers(self.r, shape)
        self.args.append(self.r.choice(LAYOUTS).format(a=text) if shape else text)
        return f"a{len(self.args) - 1}"

    def made(self, lines: list[str]) -> Program:
        names = [line.partition(" ")[0] for line in lines if line.startswith("r")]
        params = ", ".join(self.names or [f"a{i}" for i in range(len(self.args))])
        body = "".join([f"    {line}\n" for line in [*lines, f"return {', '.join(names)},"]])
        return Program(self.seed, f"import numpy as np\n\n\ndef f({params}):\n{body}", [", ".join(self.args)])

    def program(self, line: Callable[[int], list[str]], count: int) -> Program:
        lines: list[str] = []
        while len(lines) < count:
            kept = list(self.args)
            for _ in range(TRIES):
                self.args = list(kept)
                more = line(len(lines))
                if taken(self.made([*lines, *more])):
                    lines += more
                    break
        return self.made(lines)

    # -- sums over named indices -----------------------------------------------------------------------------------

    def operand(self) -> str:
        """The indices of an operand."""
        r = self.r
        letters = r.choices("ijklm", k=r.randint(0, 3))
        if r.random() < 0.35:
            letters = r.sample("ijklm", r.randint(1, 3))
        if r.random() < 0.35:
            letters.insert(r.randint(0, len(letters)), "...")
        return "".join(letters)

    def einsum(self, place: int) -> list[str]:
        r = self.r
        given = [self.operand() for _ in range(r.choice((1, 2, 2, 2, 3)))]
        hidden, names = [r.choice((1, 2, 3)) for _ in range(2)], []
        for part in given:
            axes = hidden[r.randint(0, 2):]
            shape = [n if r.random() < 0.85 else 1 for n in axes] if "..." in part else []
            at = part.find("...")
            sizes = [SIZES[c] if r.random() < 0.97 else 1 for c in part.replace("...", "")]
            shape = sizes[:max(at, 0)] + shape + sizes[max(at, 0):]
            known = [f"a{i}" for i, text in enumerate(self.args) if eval(text, {"np": np}).shape == tuple(shape)]
            names.append(r.choice(known) if known and r.random() < 0.6 else self.argument(tuple(shape)))
        used = sorted({c for part in given for c in part if c != "."})
        out = r.sample(used, r.randint(0, len(used)))
        if any("..." in part for part in given):
            out.insert(r.randint(0, len(out)), "...")
        implicit = r.random() < 0.25
        options = "" if implicit else r.choice(OPTIMIZE)
        if r.random() < 0.3:
            pairs = ", ".join([f"{name}, {listed(part)}" for name, part in zip(names, given, strict=True)])
            last = "" if implicit else f", {listed(''.join(out))}"
            return [f"r{place} = np.einsum({pairs}{last}{options})"]
        text = ",".join(given) + ("" if implicit else f"->{''.join(out)}")
        text = text.replace(",", ", ") if r.random() < 0.1 else text
        return [f"r{place} = np.einsum({text!r}, {', '.join(names)}{options})"]

    # -- indices ---------------------------------------------------------------------------------------------------

    def bound(self, n: int) -> str:
        return self.r.choice(("", "", "", *map(str, range(-n - 1, n + 2))))

    def places(self, n: int, among: tuple[int, ...]) -> str:
        """Positions along an axis, in an array that broadcasts with others."""
        r = self.r
        shape = among[r.randint(0, len(among)):]
        shape = tuple([k if r.random() < 0.8 else 1 for k in shape])
        found = np.array([r.randint(-n, n - 1) for _ in range(int(np.prod(shape)))], int).reshape(shape)
        if not shape:
            return r.choice((f"np.array({int(found)})", f"np.int64({int(found)})", f"{int(found)}"))
        return r.choice((f"{found.tolist()}", f"np.array({found.tolist()})", f"np.array({found.tolist()})"))

    def mask(self, shape: tuple[int, ...], before: int) -> str:
        r = self.r
        if r.random() < 0.4:
            of = f"x[{', '.join(['0'] * before + [':'] * len(shape) + ['...'])}]"
            rest = self.rank - before - len(shape)
            largest = f".max(axis={tuple(range(-rest, 0))})" if rest else ""
            return f"({of}{largest} > {r.uniform(-0.8, 0.8):.2f})"
        found = np.array([r.random() < 0.6 for _ in range(int(np.prod(shape)))], bool).reshape(shape)
        return r.choice((f"{found.tolist()}", f"np.array({found.tolist()})"))

    def key(self, shape: tuple[int, ...]) -> str:
        r, entries, at, hidden = self.r, [], 0, False
        self.rank = len(shape)
        among = r.choice(((2,), (3,), (2, 3), (1,), ()))
        advanced = r.random() < 0.65
        while at < len(shape):
            n, roll = shape[at], r.random()
            if roll < 0.1:
                entries.append(r.choice(("None", "np.newaxis")))
                continue
            if roll < 0.18 and not hidden:
                entries.append("...")
                hidden, at = True, at + r.randint(0, len(shape) - at)
                continue
            if advanced and roll < 0.30:
                deep = r.randint(1, min(2, len(shape) - at))
                entries.append(self.mask(shape[at:at + deep], at))
                at += deep
                continue
            if advanced and roll < 0.34:
                entries.append(r.choice(("True", "True", "False")))
                continue
            if advanced and roll < 0.62:
                entries.append(self.places(n, among))
            elif roll < 0.75:
                entries.append(str(r.randint(-n, n - 1)))
            else:
                step = r.choice(("", "", ":-1", ":2", ":-2", ":3"))
                entries.append(f"{self.bound(n)}:{self.bound(n)}{step}")
            at += 1
            if r.random() < 0.12:
                break
        return ", ".join(entries) + ("," if len(entries) == 1 and r.random() < 0.2 else "") if entries else "..."

    def index(self, place: int) -> list[str]:
        r = self.r
        key, name = self.key(self.shape), f"r{place}"
        read = [f"{name} = x[{key}]"]
        roll = r.random()
        if roll < 0.5:
            return read
        value = r.choice(("w", "w * 2.0", f"x[{key}] * w", f"np.sin(x[{key}])", f"x[{key}][..., ::-1]"))
        done = r.choice((f"{name}[{key}] = {value}", f"{name}[{key}] += {value}", f"{name}[{key}] *= {value}",
                         f"np.add.at({name}, np.s_[{key}], {value})"))
        return [f"{name} = x * 1.0", done]


def listed(part: str) -> str:
    """The indices of an operand as a list."""
    found = part.replace("...", ".")
    return f"[{', '.join(['...' if c == '.' else str('ijklm'.index(c)) for c in found])}]"


def taken(made: Program) -> bool:
    """Whether plain Python takes a program, and gives numbers: `optimize` may give arrays without axes."""
    try:
        f = made.load()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = f(*made.arguments(f, made.calls[0]))
    except Exception:
        return False
    return all(np.size(x) < 200 and not (isinstance(x, np.ndarray) and x.shape == ()) for x in found)


def einsum(seed: int) -> Program:
    """The program of sums of a seed."""
    lines = Lines(seed)
    return lines.program(lines.einsum, 6)


def indexing(seed: int) -> Program:
    """The program of indices of a seed."""
    lines = Lines(seed)
    lines.shape = lines.r.choice(((5,), (3, 4), (4, 2), (2, 3, 2), (3, 1, 4), (2, 2, 3, 2)))
    lines.args = [lines.r.choice(LAYOUTS).format(a=numbers(lines.r, lines.shape)), f"{lines.r.uniform(0.5, 1.5):.3f}"]
    lines.names = ["x", "w"]
    return lines.program(lines.index, 8)
