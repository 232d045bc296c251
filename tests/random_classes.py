"""Random programs of classes: operators, reflected and in place, inheritance with `super`, properties, class variables,
class and static methods, the protocols of calls, items, iteration, tests, order and `with`, and what is done with their
objects.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import functools
import math


"""
CALLS = [
    "0.7, 2, [1.0, -0.5, 2.5, 0.3]", "1.6, 5, [0.4, 3.0, -2.0, 1.2]", "-0.9, 3, [2.0, 0.6, -1.5, 0.8]",
]


class Classes:
    """Writes one program: a class, one or two that inherit from it, and a function of objects in a list and a dict."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.made = ["a", "b", "c"]
        self.count = 0
        self.loops: list[str] = []

    def program(self) -> Program:
        r = self.r
        self.has = {name: r.random() < 0.6 for name in (
            "add", "radd", "iadd", "mul", "neg", "abs", "float", "bool", "eq", "lt", "call", "len", "item", "setitem",
            "iter", "contains", "with", "property", "setter", "shared", "classmethod", "static", "slots", "getattr",
        )}
        self.has["exit"] = self.has["with"]
        self.base()
        for name in ("Left", "Right")[: r.randint(1, 2)]:
            self.derived(name)
        self.kinds = [name for name in ("Base", "Left", "Right") if f"class {name}" in "\n".join(self.lines)]
        self.line(0, "def f(x, n, xs):")
        for name in self.made:
            self.line(1, f"{name} = {self.fresh()}")
        self.line(1, "both = [a, b]")
        self.line(1, "named = {'p': b, 'q': c}")
        self.line(1, "s = x")
        for _ in range(r.randint(3, 6)):
            self.statement(1, 2)
        self.line(1, f"return s + {self.read('a')} - {self.read('b')} + 0.5 * {self.read('c')}")
        return Program(self.seed, HEADER + "\n".join(self.lines) + "\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text if text else "")

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- classes -------------------------------------------------------------------------------------------------

    def base(self) -> None:
        r, has = self.r, self.has
        self.line(0, "class Base:")
        if has["slots"]:
            self.line(1, "__slots__ = ('v', 'w', 'log')")
        if has["shared"]:
            self.line(1, "scale = 1.5")
            self.line(1, "made = 0" if not has["slots"] else "limit = 3.0")
        self.method("__init__(self, v, w=0.5)", "self.v = v", "self.w = w", "self.log = [w]")
        self.method("level(self)", f"return {r.choice(('self.v', 'self.v * self.w', 'self.v + sum(self.log)'))}")
        self.method("put(self, t)", f"self.v = {r.choice(('t', 'self.v + t', '0.5 * self.v - t'))}",
                    r.choice(("self.log.append(t)", "self.w += 0.25", "return self", "pass")))
        for name, texts in METHODS.items():
            if has.get(name, False):
                head, *bodies = texts
                self.method(head, *r.choice(bodies).split("\n"))
        if has["property"]:
            self.line(1, "@property")
            self.method("half(self)", "return 0.5 * self.v")
            if has["setter"]:
                self.line(1, "@half.setter")
                self.method("half(self, t)", "self.v = 2.0 * t", "self.log.append(t)")
        if has["classmethod"]:
            self.line(1, "@classmethod")
            self.method("of(cls, t)", "return cls(t, 0.75)")
        if has["static"]:
            self.line(1, "@staticmethod")
            self.method("twice(t)", "return t + t")
        self.line(0, "")

    def derived(self, name: str) -> None:
        r = self.r
        parent = "Left" if name == "Right" and r.random() < 0.3 else "Base"
        self.line(0, f"class {name}({parent}):")
        if self.has["shared"] and r.random() < 0.5:
            self.line(1, "scale = -0.5")
        if self.has["slots"]:
            self.line(1, "__slots__ = ()" if r.random() < 0.7 else f"__slots__ = ('own{name}',)")
        if r.random() < 0.5:
            self.method("__init__(self, v, w=1.25)", f"super().__init__({r.choice(('v - w', 'w', 'v'))}, w)",
                        "self.w = 0.5 * self.w")
        if r.random() < 0.6:
            self.method("level(self)", f"return super().level() {r.choice(('+ self.w', '* 0.5', '- 1.0'))}")
        if r.random() < 0.4:
            self.method("put(self, t)", "super().put(0.5 * t)", "self.w -= t")
        if self.has["add"] and r.random() < 0.4:
            self.method("__add__(self, other)", "out = super().__add__(other)", "out.put(0.25)", "return out")
        if self.has["radd"] and r.random() < 0.4:
            self.method("__radd__(self, other)", f"return {name}(self.v - 0.5, self.w)")
        if self.has["property"] and r.random() < 0.3:
            self.line(1, "@property")
            self.method("half(self)", "return super().half + 0.25 * self.w")
        self.line(1, "tag = 1")
        self.line(0, "")
        self.line(0, "")

    def method(self, head: str, *body: str) -> None:
        self.line(1, f"def {head}:")
        for text in body:
            self.line(2, text)
        self.line(0, "")

    # -- expressions ---------------------------------------------------------------------------------------------

    def fresh(self) -> str:
        r = self.r
        kind = r.choice(self.kinds)
        ways = [f"{kind}({r.choice(('x', '0.8', 'xs[0]', '2.0 * x'))})", f"{kind}(xs[1], {r.choice(('x', '0.3'))})"]
        ways += [f"{kind}.of(x)", f"{kind}.of(0.6)"] if self.has["classmethod"] else []
        return r.choice(ways)

    def object(self) -> str:
        ways = [*self.made * 2, "both[0]", "both[n % 2]", "named['p']", "named['q' if x > 0.0 else 'p']", "both[-1]"]
        ways += [f"both[{i} % 2]" for i in self.loops]
        ways += ["(a if x > 1.0 else c)", "(b or c)"]
        return self.r.choice(ways)

    def read(self, name: str) -> str:
        r, has = self.r, self.has
        ways = [f"{name}.v", f"{name}.w", f"{name}.level()", f"sum({name}.log)", f"{name}.log[-1]"]
        ways += [f"{name}.half"] * 2 if has["property"] else []
        ways += [f"{name}.scale * {name}.v", f"type({name}).scale"] if has["shared"] else []
        ways += [f"{name}.twice({name}.w)"] if has["static"] else []
        ways += [f"{name}(x)", f"{name}(s, by=0.5)"] if has["call"] else []
        ways += [f"{name}[0]", f"{name}[n % 2]", f"{name}['w']"] if has["item"] else []
        ways += [f"abs({name})"] if has["abs"] else []
        ways += [f"float({name})"] if has["float"] else []
        ways += [f"len({name}) * 0.5"] if has["len"] else []
        along = [f"sum({name})", f"max({name})", f"sum([t * t for t in {name}])", f"list({name})[-1]"]
        ways += along if has["iter"] else []
        ways += [f"{name}.other"] if has["getattr"] else []
        return r.choice(ways)

    def number(self) -> str:
        ways = ["s", "x", "xs[0]", "0.5", "xs[n % 4]", *[f"xs[{i}]" for i in self.loops]]
        ways += [f"{i} * 0.5" for i in self.loops]
        return self.r.choice([*ways, *[self.read(self.object()) for _ in range(4)]])

    def test(self) -> str:
        r, has = self.r, self.has
        one, two = self.object(), self.object()
        ways = [f"{one} is {two}", f"{one}.v > {two}.v", "s > 1.0", "n > 2"]
        ways += [f"isinstance({one}, {r.choice(self.kinds)})"]
        ways += [f"type({one}) is {r.choice(self.kinds)}", f"hasattr({one}, 'tag')"]
        ways += [f"{one} == {two}", f"{one} != {two}", f"{one} in both"] if has["eq"] else [f"{one} in both"]
        ways += [f"{one} < {two}", f"{one} > {two}"] if has["lt"] else []
        ways += [f"{one}", f"not {one}"] if has["bool"] or has["len"] else []
        ways += [f"x in {one}", f"0.5 not in {one}"] if has["contains"] else []
        return r.choice(ways)

    # -- statements ----------------------------------------------------------------------------------------------

    def statement(self, depth: int, nesting: int) -> None:
        r = self.r
        if nesting == 0 or r.random() < 0.6:
            self.simple(depth)
        else:
            r.choice((self.branch, self.loop, self.managed, self.ordered))(depth, nesting - 1)

    def simple(self, depth: int) -> None:
        r, has = self.r, self.has
        one, two, name = self.object(), self.object(), r.choice(self.made)
        ways = [f"{one}.v = {self.number()}", f"{one}.w += {self.number()}", f"{one}.put({self.number()})"] * 2
        ways += [f"s = 0.5 * s + {self.read(one)}", f"s -= {self.read(one)}", f"both.append({one})", f"{name} = {one}"]
        ways += [f"{name} = {self.fresh()}", f"named['p'] = {one}", f"both[0] = {one}"]
        ways += [f"setattr({one}, 'v', {self.number()})"]
        ways += [f"s += getattr({one}, 'w')", f"s += getattr({one}, 'missing', 0.25)"]
        ways += [f"{name} = {one} + {two}", f"{name} = {one} + {self.number()}"] if has["add"] else []
        ways += [f"{name} = {self.number()} + {one}"] if has["radd"] else []
        ways += [f"{name} += {two}", f"both[0] += {two}"] if has["iadd"] or has["add"] else []
        ways += [f"{name} = {one} * {self.number()}"] if has["mul"] else []
        ways += [f"{name} = -{one}"] if has["neg"] else []
        both = has["setter"] and has["property"]
        ways += [f"{one}.half = {self.number()}", f"{one}.half += {self.number()}"] if both else []
        items = [f"{one}[0] = {self.number()}", f"{one}['w'] = {self.number()}", f"{one}[0] += {self.number()}"]
        ways += items if has["setitem"] and has["item"] else []
        ways += ["s += sum(o.v for o in both)", "s += sum([o.level() for o in both])", "s += len(both)"]
        self.line(depth, r.choice(ways))

    def body(self, depth: int, nesting: int) -> None:
        for _ in range(self.r.choice((1, 1, 2))):
            self.statement(depth, nesting)

    def branch(self, depth: int, nesting: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.body(depth + 1, nesting)
        if self.r.random() < 0.5:
            self.line(depth, "else:")
            self.body(depth + 1, nesting)

    def loop(self, depth: int, nesting: int) -> None:
        r = self.r
        choice = r.random()
        if choice < 0.5:
            i = self.new("i")
            self.line(depth, f"for {i} in range({r.choice(('3', 'n % 4'))}):")
            self.loops.append(i)
            self.body(depth + 1, nesting)
            self.loops.pop()
        elif choice < 0.8:
            o = self.new("o")
            over = r.choice(("both[:3]", "list(both)", "named.values()", "reversed(both[:2])"))
            self.line(depth, f"for {o} in {over}:")
            self.made.append(o)
            self.line(depth + 1, f"{o}.put({self.number()})")
            self.body(depth + 1, 0)
            self.made.remove(o)
        elif self.has["iter"]:
            t = self.new("t")
            start = len(self.lines)
            self.line(depth, f"for {t} in {self.object()}:")
            self.line(depth + 1, f"s += 0.5 * {t}")
            self.body(depth + 1, 0)
            if any(".put(" in text or ".half" in text for text in self.lines[start:]):  # longer than the log, perhaps
                self.line(depth + 1, f"{t}_runs += 1")
                self.line(depth + 1, f"if {t}_runs > 20:")
                self.line(depth + 2, "break")
                self.lines.insert(start, "    " * depth + f"{t}_runs = 0")
        else:
            self.simple(depth)

    def managed(self, depth: int, nesting: int) -> None:
        if not self.has["with"]:
            return self.simple(depth)
        name = self.new("m")
        self.line(depth, f"with {self.object()} as {name}:")
        self.line(depth + 1, f"s += {name}")
        self.body(depth + 1, nesting)

    def ordered(self, depth: int, nesting: int) -> None:
        key = self.r.choice(("key=lambda o: o.v", "key=lambda o: -o.w", "key=lambda o: (o.w, o.v)"))
        key = "" if self.has["lt"] and self.r.random() < 0.6 else key
        which = self.r.choice(("min", "max", "sorted"))
        self.line(depth, f"s += {which}(both{', ' + key if key else ''}){'[0]' if which == 'sorted' else ''}.v")


METHODS = {
    "add": ("__add__(self, other)",
            "t = other.v if isinstance(other, Base) else other\nreturn type(self)(self.v + t, self.w)",
            "if not isinstance(other, Base):\n    return NotImplemented\nreturn Base(self.v + other.v, other.w)",
            "t = other.v if isinstance(other, Base) else other\nreturn Base(self.v - t, 0.5)"),
    "radd": ("__radd__(self, other)", "return Base(other + self.v, self.w)", "return type(self)(other - self.v)"),
    "iadd": ("__iadd__(self, other)", "self.v += other.v\nreturn self",
             "self.log.append(other.w)\nself.v -= 0.5\nreturn self", "return Base(self.v * other.w)"),
    "mul": ("__mul__(self, k)", "return type(self)(self.v * k, self.w)", "self.w += k\nreturn self"),
    "neg": ("__neg__(self)", "return Base(-self.v, self.w)", "return type(self)(-self.w, -self.v)"),
    "abs": ("__abs__(self)", "return abs(self.v)", "return math.sqrt(self.v * self.v + 1.0)"),
    "float": ("__float__(self)", "return float(self.v)", "return self.v * 2.0"),
    "bool": ("__bool__(self)", "return self.v > 0.5", "return len(self.log) > 1"),
    "eq": ("__eq__(self, other)", "return isinstance(other, Base) and self.v == other.v", "return self.w < other.w",
           "if type(self) is not type(other):\n    return NotImplemented\nreturn self.w == other.w"),
    "lt": ("__lt__(self, other)", "return self.v < other.v", "return (self.w, self.v) < (other.w, other.v)"),
    "call": ("__call__(self, t, by=1.5)", "return self.v * t + by", "self.w += t\nreturn by * self.v"),
    "len": ("__len__(self)", "return len(self.log)", "return 2"),
    "item": ("__getitem__(self, k)", "return self.w if k == 'w' else self.log[0] + self.v",
             "if k == 'w':\n    return 2.0 * self.w\nreturn [self.v, self.w][k]"),
    "setitem": ("__setitem__(self, k, t)", "if k == 'w':\n    self.w = t\nelse:\n    self.log[0] = t",
                "self.v = 0.5 * t"),
    "iter": ("__iter__(self)", "yield self.v\nyield self.w", "return iter([self.v, 0.5, self.w])",
             "for t in self.log:\n    yield t + self.v", "yield from self.log\nself.w += 0.125"),
    "contains": ("__contains__(self, t)", "return t in self.log", "return t > self.w"),
    "with": ("__enter__(self)", "self.v += 0.25\nreturn self.w", "self.log.append(0.5)\nreturn self.v"),
    "exit": ("__exit__(self, *exc)", "self.w -= 0.5", "self.v = 0.5 * self.v\nreturn False"),
    "getattr": ("__getattr__(self, name)", "if name == 'other':\n    return self.v * 0.5\nraise AttributeError(name)",
                "if name.startswith('oth'):\n    return self.w + len(name)\nraise AttributeError(name)"),
}  # fmt: skip


def classes(seed: int) -> Program:
    """The program of a seed."""
    made = Classes(seed)
    return made.program()
