"""Random programs in which mechanisms meet: arrays that objects in dicts and lists hold and that views, closures,
generators, recursions, properties and context managers change, with exceptions between two changes.

Each program that compiles gives what plain Python gives.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import copy

import numpy as np


class Stuck(ValueError):
    def __init__(self, at, by):
        super().__init__(f"stuck at {at}")
        self.at = at
        self.by = by


class Cell:
    def __init__(self, w, name="cell"):
        self.w = w
        self.name = name
        self.turns = 0

    @property
    def tail(self):
        return self.w[1:]

    @property
    def head(self):
        return self.w[0]

    @head.setter
    def head(self, v):
        self.turns += 1
        self.w[0] = v

    def __getitem__(self, i):
        return self.w[i]

    def __setitem__(self, i, v):
        self.turns += 1
        self.w[i] = v

    def __iadd__(self, v):
        self.w += v
        return self

    def __len__(self):
        return len(self.w)

    def grow(self, by):
        self.w = self.w * by
        return self

    def damp(self, by):
        self.w *= by
        return self.w

    def walk(self):
        for i in range(len(self.w)):
            self.w[i] *= 0.5
            yield self.w[i] + self.turns


class Held:
    def __init__(self, cell, v):
        self.cell = cell
        self.v = v

    def __enter__(self):
        self.kept = self.cell.w.copy()
        self.cell.w[0] += self.v
        return self.cell.w

    def __exit__(self, kind, error, trace):
        self.cell.w[1:] = self.kept[1:]
        self.cell.turns += 1
        return kind is not None and issubclass(kind, KeyError)


def last(a, depth):
    if depth == 0 or len(a) < 2:
        return a
    return last(a[1:], depth - 1)


def sweep(a, by):
    if len(a) == 1:
        a[0] = a[0] * by + 0.25
        return 1
    m = len(a) // 2
    return sweep(a[:m], by) + sweep(a[m:], by * 0.5)


def deep(cells, depth, v):
    if depth == 0:
        return cells[0]
    cells[depth % 2].w[depth % 3] += v
    found = deep(cells, depth - 1, v * 0.5)
    found.turns += 1
    return found


def halved(a, floor):
    for i in range(len(a)):
        if a[i] < floor:
            return
        a[i] *= 0.5
        yield a[i]


def views(rows):
    for row in rows:
        yield row[:2]


def careful(a, b, v, limit):
    a[0] += v
    if v > limit:
        raise Stuck(1, v)
    b[-1] -= v
    return a[0] * b[-1]


def pick(cells, key):
    if key not in cells:
        raise KeyError(key)
    return cells[key]


def spread(a, *rest, scale=1.0, **named):
    for b in rest:
        a += b * scale
    for key in named:
        a[0] += named[key]
    return a


"""
CALLS = ["1.3, 3, 0", "0.6, 2, 1", "1.1, 3, 1"]
FORMS = ("read", "read", "change", "change", "change", "view", "view", "store", "generator", "exception", "exception",
         "function", "comprehension", "recursion", "manager", "nested", "nested", "nested", "call")  # fmt: skip


class Seams:
    """Writes one program. `arrays` are names of arrays of three numbers or more, `shorter` of views of one or more."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.arrays: list[str] = []
        self.shorter: list[str] = []
        self.counters: list[str] = []
        self.readers: list[str] = []
        self.indices: list[str] = []
        self.count = 0
        self.inside = False

    def program(self) -> Program:
        r = self.r
        self.line(1, "m = np.array([[x, 1.0, 0.5], [2.0, x * x, 1.5], [0.25, 3.0, x]])")
        held = r.choice(("m[1]", self.fresh(), "m[:, 2]"))
        self.line(1, f"d = {{'a': Cell({self.fresh()}), 'b': Cell({held}, 'b')}}")
        shared, row = r.choice(("d['a']", f"Cell({self.fresh()})")), r.choice(("m[0]", self.fresh(), "d['a'].w"))
        self.line(1, f"cs = [{shared}, Cell({self.fresh()})]")
        self.line(1, f"rows = [{self.fresh()}, {row}, {self.fresh()}]")
        self.line(1, "s, log = 0.5 * x, []")
        for _ in range(r.randint(4, 9)):
            self.statement(1, 2)
        parts = [
            "s", "sum(log)", "len(log)", "d['a'].turns + 0.5 * cs[0].turns",
            "np.sum(m * np.arange(9.0).reshape(3, 3))",
        ]
        parts += [
            f"{w}.5 * np.sum({n} * np.arange(1.0, 4.0))"
            for w, n in enumerate(("d['a'].w", "d['b'].w", "cs[0].w", "cs[1].w", "rows[0]", "rows[1]", "rows[2]"), 1)
        ]
        parts += [f"{w}.25 * {n}[0] - {n}[-1]" for w, n in enumerate(self.shorter + self.arrays, 2)]
        parts += [f"{n}()" for n in self.readers]
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        return Program(self.seed, f"{HEADER}def f(x, n, k):\n{body}\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> str:
        r = self.r
        found = ["x", "0.5 * x", "1.5", "s", f"{self.array()}[{self.index()}]", "0.25 * n"]
        found += [f"{n}()" for n in [*self.readers, *self.counters]] * (not self.inside)
        found += [f"0.5 * {i}" for i in self.indices]
        return r.choice(found)

    def fresh(self) -> str:
        r = self.r
        return r.choice(
            ("np.array([x, 2.0, 0.5])", "np.array([0.5, x, x * x])", "np.ones(3) * x", "np.arange(3.0) + x")
        )

    def index(self) -> str:
        return self.r.choice(("0", "1", "-1", "k", "1 - k", "n - 2", "(n + k) % 3", *self.indices))

    def cell(self) -> str:
        return self.r.choice(
            (
                "d['a']", "d['b']", "cs[0]", "cs[1]", "cs[k]", "cs[1 - k]", "d['a' if k else 'b']",
                "d['a' if x > 1.0 else 'b']", "cs[n % 2]", "pick(d, 'b')",
            )
        )

    def array(self) -> str:
        """An array of three numbers."""
        r = self.r
        return r.choice(
            (
                f"{self.cell()}.w", f"{self.cell()}.w", f"rows[{self.index()}]", f"m[{self.index()}]",
                f"m[:, {self.index()}]", f"m.T[{self.index()}]", f"rows[{self.index()}][::-1]", *self.arrays,
            )
        )

    def part(self) -> str:
        """An array of at least one number, that shares memory with others."""
        r = self.r
        return r.choice(
            (
                self.array(), f"{self.array()}[1:]", f"{self.cell()}.tail", f"last({self.array()}, {r.choice('12')})",
                f"{self.array()}[:2]", f"{self.array()}[::2]", *self.shorter,
            )
        )

    # -- statements ----------------------------------------------------------------------------------------------

    def statement(self, depth: int, nesting: int) -> None:
        form = self.r.choice(FORMS)
        form = "change" if form == "nested" and not nesting else form
        getattr(self, form)(depth, *([nesting] if form in ("nested", "exception") else []))

    def read(self, depth: int) -> None:
        r, p = self.r, self.part()
        self.line(
            depth,
            r.choice(
                (
                    f"s = 0.5 * s + {self.number()}", f"s += 0.25 * np.sum({p})", f"log.append({self.number()})",
                    f"s = 0.5 * s + {p}[0] * {p}[-1]", f"first, *others = {p}; s += 0.5 * first + len(others)",
                    f"s += max({p}) - 0.5 * min({p})", f"log += [{p}[-1], {self.number()}]",
                    f"s += 0.25 * (t := {self.number()}) + 0.5 * t",
                )
            ),
        )

    def change(self, depth: int) -> None:
        r, v, a, c = self.r, self.number(), self.part(), self.cell()
        own = c.replace("pick(d, ", "d[").replace(")", "]")
        simple = r.choice([*self.arrays, *self.shorter, "m"]) + "[...]" * self.inside
        self.line(
            depth,
            r.choice(
                (
                    f"{a}[0] = {v}", f"{a}[-1] += {v}", f"{a}[:] = {v}", f"{simple} *= 0.5", f"{simple} += {v}",
                    f"{c}[0] = {v}", f"{c}[{self.index()}] += {v}", f"{c}.head = {v}", f"{c}.head += x",
                    f"{own} += {v}", f"{c}.grow(0.75)", f"{c}.damp(0.5)[1] += {v}", f"{c}.w = {self.array()}",
                    f"{c}.w = {self.fresh()}", f"{c}.w += {v}", f"{c}.w[1:] += {c}.w[:-1].copy()",
                    f"{c}.tail[:] = {v}", f"np.add({a}, 1.0, out={a})", f"setattr({c}, 'turns', {c}.turns + 2)",
                    f"{self.array()}[{self.index()}] -= {v}", f"{a}[{a} > 1.0] *= 0.5",
                    f"m[{self.index()}] = {self.array()}.copy()",
                )
            ),
        )

    def view(self, depth: int) -> None:
        r = self.r
        if r.random() < 0.5:
            text = r.choice(
                (
                    self.array(), f"{self.array()}.copy()", f"copy.deepcopy({self.cell()}).w",
                    f"({self.array()} if x > 1.0 else {self.array()})", f"np.asarray({self.array()})",
                )
            )
            pool, name = self.arrays, self.new("a")
        else:
            text, pool, name = self.part(), self.shorter, self.new("v")
        self.line(depth, f"{name} = {text}")
        pool.append(name)

    def store(self, depth: int) -> None:
        r, c = self.r, self.cell()
        self.line(
            depth,
            r.choice(
                (
                    "rows[0], rows[1] = rows[1], rows[0]", f"rows[:2] = [{self.array()}, rows[0]]",
                    "rows[:] = rows[::-1]", "rows.reverse()", f"rows[{self.index()}] = {self.array()}",
                    "rows[1:] = rows[:2]", "rows.append(rows.pop(0))", "cs[0], cs[1] = cs[1], cs[0]",
                    f"cs[{r.choice(('0', '1', 'k'))}] = {c}", f"d['a'] = {c}", "d['a'], d['b'] = d['b'], d['a']",
                    f"d.update(b={c})", f"d['c'] = Cell({self.array()})", "cs[0].w, cs[1].w = cs[1].w, cs[0].w",
                    f"cs = [{c}, *cs[:1]]", "rows.insert(0, rows.pop())", "rows = [r * 1.0 for r in rows]",
                    f"d.setdefault('c', {c}).turns += 1",
                )
            ),
        )

    def generator(self, depth: int) -> None:
        r = self.r
        source = r.choice((f"halved({self.part()}, {r.choice(('0.0', '0.7', 'x'))})", f"{self.cell()}.walk()"))
        u = self.new("u")
        choice = r.random()
        if choice < 0.35:
            self.line(depth, f"for {u} in {source}:")
            self.line(depth + 1, r.choice((f"s += {u} * 0.5", f"log.append({u})", f"{self.array()}[0] += 0.5 * {u}")))
            if r.random() < 0.4:
                self.line(depth + 1, f"if {r.choice((f'{u} > 0.6', 's > 1.0', f'{self.array()}[0] > 1.0'))}:")
                self.line(depth + 2, r.choice(("break", "continue")))
            if r.random() < 0.3:
                self.line(depth + 1, f"s = 0.5 * s + {self.part()}[0]")
        elif choice < 0.5:
            several = r.choice(("rows", "m", "[c.w for c in cs]", "[c.w for c in d.values()]"))
            self.line(depth, f"for {u} in views({several}):")
            self.line(depth + 1, r.choice((f"{u} *= 0.5", f"{u}[0] += {self.number()}", f"{u}[:] = {u}[::-1].copy()")))
        elif choice < 0.75:
            g = self.new("g")
            self.line(depth, f"{g} = {source}")
            self.line(depth, f"s += next({g}, 0.5)")
            self.change(depth)
            self.line(
                depth, r.choice((f"s += next({g}, x)", f"log += list({g})", f"s += sum({g})", f"log.extend({g})"))
            )
        else:
            self.line(
                depth,
                r.choice(
                    (
                        f"s += sum({source})", f"log += [0.5 * u for u in {source} if u > 0.3]",
                        f"s += max({source}, default=0.25)", f"first, *_ = [x, *{source}]; s += first",
                    )
                ),
            )

    def exception(self, depth: int, nesting: int) -> None:
        r = self.r
        self.line(depth, "try:")
        self.change(depth + 1)
        choice = r.random()
        if choice < 0.35:
            limit = r.choice(("1.0", "x", "0.7"))
            self.line(depth + 1, f"s += careful({self.part()}, {self.part()}, {self.number()}, {limit})")
        elif choice < 0.5:
            key = r.choice(("'c'", "'a' if x > 1.0 else 'c'"))
            self.line(depth + 1, f"s += pick(d, {key}).w[0]")
        elif choice < 0.7:
            self.line(depth + 1, f"if {r.choice(('x > 1.0', 's > 1.0', f'{self.array()}[0] > 1.0'))}:")
            self.line(depth + 2, f"raise Stuck({r.choice('12')}, {self.number()})")
        elif choice < 0.85:
            self.line(depth + 1, f"s += {self.array()}[{r.choice(('n', 'n + k', 'k'))}]")
        else:
            key = r.choice("bc")
            self.line(depth + 1, f"d['{key}'].w[0] += {self.number()}")
        if nesting and r.random() < 0.5:
            self.statement(depth + 1, 0)
        self.change(depth + 1)
        handled = r.random()
        if handled < 0.5:
            self.line(depth, "except Stuck as e:")
            self.line(depth + 1, f"{self.part()}[0] += 0.5 * e.by + e.at")
        self.line(depth, f"except {r.choice(('(LookupError, ValueError)', 'Exception'))}{r.choice(('', ' as e'))}:")
        self.change(depth + 1)
        if r.random() < 0.3:
            self.line(depth, "else:")
            self.read(depth + 1)
        if r.random() < 0.3:
            self.line(depth, "finally:")
            self.change(depth + 1)

    def function(self, depth: int) -> None:
        """A closure that reads what there is by then, or counts."""
        r = self.r
        outer, self.inside = self.inside, True
        if r.random() < 0.5:
            name = self.new("get")
            text = r.choice(
                (f"0.5 * np.sum({self.array()})", f"{self.cell()}.head", f"{self.part()}[0]", "s", "0.5 * len(log)")
            )
            self.line(depth, f"{name} = lambda: {text}")
            kept = self.readers
        else:
            name = self.new("tick")
            self.line(depth, f"def {name}(by=0.5):")
            self.line(depth + 1, r.choice(("nonlocal s", "nonlocal s, rows", "nonlocal s")))
            self.line(depth + 1, r.choice(("s = 0.5 * s + by", "s += 0.25 * by")))
            self.change(depth + 1)
            self.line(depth + 1, r.choice(("return s", f"return {self.number()}", f"return {self.part()}[0]")))
            kept = self.counters
        self.inside = outer
        if depth == 1:
            kept.append(name)
        else:
            self.line(depth, f"s = 0.5 * s + {name}()")

    def comprehension(self, depth: int) -> None:
        r = self.r
        ticks = [f"{t}(0.5 * v)" for t in self.counters] or ["0.5 * v"]
        tick = r.choice(ticks)
        self.line(
            depth,
            r.choice(
                (
                    f"log += [{tick} for v in {self.part()}]",
                    f"s += 0.25 * sum({tick} for v in {self.array()} if v > 0.5)",
                    f"s += 0.25 * sum(c.w[{self.index()}] for c in cs)", "log += [c.damp(0.5)[0] for c in cs]",
                    "s += sum(c.head for c in d.values()) * 0.5", "cs = [c.grow(0.5) for c in cs]",
                    f"parts = [r[1:] for r in rows]; parts[{self.index()}][0] = {self.number()}",
                    f"by = {{q: c.w for q, c in d.items()}}; by['b'][0] += {self.number()}",
                    "log += [last(r, 1)[0] for r in rows]", "s += max({c.turns: c.head for c in cs}.values())",
                )
            ),
        )

    def recursion(self, depth: int) -> None:
        r, v = self.r, self.number()
        self.line(
            depth,
            r.choice(
                (
                    f"last({self.array()}, {r.choice(('1', '2', 'k', 'n - 1'))})[0] = {v}",
                    f"s += sweep({self.array()}, {v})", f"deep(cs, {r.choice(('2', 'n', 'n - 1'))}, {v}).w[0] += {v}",
                    f"sweep({self.array()}, 0.5)", f"last({self.array()}, n - 1)[:] *= 0.5",
                    f"s += deep([d['a'], d['b']], n, {v}).w[1]",
                )
            ),
        )

    def manager(self, depth: int) -> None:
        r, w = self.r, self.new("w")
        self.line(depth, f"with Held({self.cell()}, {self.number()}) as {w}:")
        self.line(depth + 1, r.choice((f"{w}[:] = {self.number()}", f"s += {w}[1]", f"{w} *= 0.5")))
        self.change(depth + 1)
        if r.random() < 0.4:
            self.line(depth + 1, r.choice(("s += pick(d, 'c').w[0]", "if s > 1.0: raise KeyError('s')")))
            self.change(depth + 1)

    def call(self, depth: int) -> None:
        r, a = self.r, self.array()
        self.line(
            depth,
            r.choice(
                (
                    f"spread({a}, {self.array()}.copy(), scale={self.number()})",
                    f"spread({a}, left={self.number()}, right=0.5)",
                    f"spread({a}, *[r * 0.5 for r in rows])[1] = {self.number()}",
                    f"s += spread({a}, **{{'t': x}})[0]", f"s += 0.5 * spread({a}.copy(), {self.array()})[-1]",
                )
            ),
        )

    def nested(self, depth: int, nesting: int) -> None:
        r = self.r
        indices, arrays, shorter = list(self.indices), list(self.arrays), list(self.shorter)
        choice = r.random()
        if choice < 0.45:
            self.line(depth, f"if {r.choice(('x > 1.0', 'n > 2', 's > 1.0', 'k == 0', f'{self.array()}[0] > 1.0'))}:")
        elif choice < 0.8:
            i = f"i{depth}"
            self.line(depth, f"for {i} in range({r.choice(('2', 'n', 'n - 1'))}):")
            self.indices.append(i)
        else:
            name = f"c{depth}"
            self.line(depth, f"for {name} in {r.choice(('cs', 'd.values()'))}:")
            self.line(
                depth + 1,
                r.choice(
                    (
                        f"{name}.head = {self.number()}", f"{name}.w[1:] *= 0.5", f"s += {name}.w[{self.index()}]",
                        f"{name}.damp(0.5)", f"{name} += 0.5",
                    )
                ),
            )
        for _ in range(r.randint(1, 2)):
            self.statement(depth + 1, nesting - 1)
        self.indices, self.arrays, self.shorter = indices, arrays, shorter


def seams(seed: int) -> Program:
    """The program of a seed."""
    return Seams(seed).program()
