"""Random arguments: nested lists, tuples, dicts, named tuples and dataclasses, with leaves of all kinds, and a function
of them that reads each leaf in one way. Every verb is compared with differences and with the others."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import ccc
from ccc.records import like, parts_of

Leaf = tuple[Any, str]
"""A leaf and how the function reads it."""


@dataclass
class Layer:
    w: Any
    b: Any


@dataclass
class Deeper(Layer):
    c: Any = None


class Point(NamedTuple):
    x: Any
    y: Any


class Moved(Point):
    """A named tuple of a class of its own."""


@dataclass
class Cell:
    w: Any
    b: Any


@dataclass
class Wider(Cell):
    c: Any = None


class Place(NamedTuple):
    x: Any
    y: Any


class Shifted(Place):
    """A named tuple of a class of its own, inside of others: no class holds itself, which would make it a tree."""


OUTER: dict[str, Any] = {"Point": Point, "Moved": Moved, "Layer": Layer, "Deeper": Deeper}
INNER: dict[str, Any] = {"Point": Place, "Moved": Shifted, "Layer": Cell, "Deeper": Wider}


REALS = ("float", "float64", "float32", "zero", "array", "matrix", "single", "int")
OTHERS = ("bool", "None", "text", "int64", "needed", "integers")


class Arguments:
    """The arguments that a seed makes, and the paths to their leaves."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.leaves: list[tuple[str, str]] = []
        self.args = tuple([self.value(f"a{i}", 2) for i in range(self.r.randint(1, 2))])
        while not any(kind in REALS for _, kind in self.leaves):
            self.leaves = []
            self.args = tuple([self.value(f"a{i}", 2) for i, _ in enumerate(self.args)])
        self.source = self.text()
        space: dict[str, Any] = {"np": np, "math": math}
        self.filename = f"/tmp/random_arguments_{seed}.py"
        import linecache

        linecache.cache[self.filename] = (len(self.source), None, self.source.splitlines(True), self.filename)
        exec(compile(self.source, self.filename, "exec"), space)
        self.f: Callable[..., Any] = space["f"]

    def number(self) -> float:
        return self.r.choice((1, -1)) * self.r.randint(3, 12) / 8.0

    def value(self, path: str, depth: int) -> Any:
        r = self.r
        shape = r.choice(("leaf", "tuple", "list", "dict", "Point", "Moved", "Layer", "Deeper")) if depth else "leaf"
        if shape == "leaf":
            return self.leaf(path, r.choice(REALS + (REALS if depth == 2 else OTHERS)))
        inner = depth - 1
        if shape == "tuple":
            return tuple([self.value(f"{path}[{i}]", inner) for i in range(r.randint(1, 3))])
        if shape == "list":
            kinds = r.choice((["float"], ["int"], ["float", "int"], ["array"], ["matrix"], ["single"], ["needed"]))
            return [self.leaf(f"{path}[{i}]", r.choice(kinds)) for i in range(r.randint(1, 3))]
        if shape == "dict":
            keys = r.sample(["p", "q", 3, (1, "r")], r.randint(1, 3))
            return {key: self.value(f"{path}[{key!r}]", inner) for key in keys}
        cls = (OUTER if depth == 2 else INNER)[shape]
        names = ("x", "y") if issubclass(cls, tuple) else ("w", "b", "c")[: 2 + (shape == "Deeper")]
        return cls(*[self.value(f"{path}.{name}", inner) for name in names])

    def leaf(self, path: str, kind: str) -> Any:
        r = self.r
        self.leaves.append((path, kind))
        if kind in ("float", "float64", "float32"):
            return {"float": float, "float64": np.float64, "float32": np.float32}[kind](self.number())
        if kind in ("int", "needed"):
            return r.randint(1, 3)
        if kind in ("zero", "array", "matrix", "single"):
            dims = {"zero": (), "array": (2,), "matrix": (2, 3), "single": (2,)}[kind]
            found = np.array([self.number() for _ in range(math.prod(dims))]).reshape(dims)
            return found.astype(np.float32) if kind == "single" else found
        if kind == "integers":
            return np.array([1, 2])
        return {"bool": r.random() < 0.5, "None": None, "text": "four", "int64": np.int64(2)}[kind]

    def text(self) -> str:
        """The source of the function: a sum of terms, one for each leaf, that depend on each other."""
        r = self.r
        lines = [f"def f({', '.join([f'a{i}' for i, _ in enumerate(self.args)])}):", "    s = 0.5", "    t = 0.25"]
        for path, kind in self.leaves:
            term = {
                "bool": f"(0.5 if {path} else 2.0)", "None": f"(1.0 if {path} is None else 3.0)",
                "text": f"len({path}) * 0.25", "int64": f"{path} * 0.5",
                "needed": r.choice((
                    f"sum([0.5 for _ in range({path})])", f"({path} // 2 + 1.0)", f"[0.5, 1.5, 2.5, 3.5][{path}]",
                    f"np.sum(np.ones({path}))", f"({path} & 1) * 0.5",
                )),
                "integers": f"np.sum({path}) * 0.5",
            }.get(kind)
            if term is None:
                x = f"np.sum({path})" if kind in ("array", "matrix", "single") else path
                term = r.choice((f"math.sin({x})", f"{x} * {x}", f"{x} * t", f"({x} + 2.5)", f"{x}", f"0.3 * {x}"))
                if kind in ("array", "matrix"):
                    term = r.choice((f"np.sum(np.sin({path}))", f"np.sum({path} * {path})", f"{path}[0] * t", term))
                    if kind == "matrix" and term.startswith(path):
                        term = f"np.sum({term})"
            lines += [f"    t = 0.5 * t + {term}", r.choice(("    s = s + t", "    s = s + 0.25 * s * t"))]
        return "\n".join([*lines, "    return s", ""])


def is_real(kind: str) -> bool:
    return kind in REALS


def read(x: Any, needed: Iterator[str]) -> Any:
    """A value with floats for its ints, apart from those that are needed."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [read(part, needed) for part in parts])
    kind = next(needed)
    return float(x) if kind == "int" else x


def wide(x: Any, step: Iterator[float]) -> Any:
    """A value of doubles with the next steps added to its real numbers."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [wide(part, step) for part in parts])
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return x.astype(float) + np.array([next(step) for _ in range(x.size)]).reshape(x.shape)
    return float(x) + next(step) if isinstance(x, float | np.floating) else x


def flat(x: Any) -> list[float]:
    """The real numbers of a value."""
    parts = parts_of(x)
    if parts is not None:
        return [number for part in parts for number in flat(part)]
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return [float(number) for number in x.ravel()]
    return [float(x)] if isinstance(x, float | np.floating) else []


def direction(x: Any, step: Iterator[float]) -> Any:
    """A tangent of a value, None for what has none."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [direction(part, step) for part in parts])
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return np.array([next(step) for _ in range(x.size)], x.dtype).reshape(x.shape)
    return type(x)(next(step)) if isinstance(x, float | np.floating) else None


def fits(x: Any, ct: Any, path: str) -> Iterator[str]:
    """Where a cotangent has not the structure and the types of its value."""
    parts = parts_of(x)
    if parts is not None:
        inner = parts_of(ct)
        if all(direction(part, iter([1.0] * 99)) is None for part in parts if parts_of(part) is None) and ct is None:
            return
        if type(ct) is not type(x) or inner is None or len(inner) != len(parts):
            yield f"{path}: a cotangent {ct!r} of {x!r}"
            return
        for i, (part, c) in enumerate(zip(parts, inner, strict=True)):
            yield from fits(part, c, f"{path}[{i}]")
        return
    real = isinstance(x, float | np.floating) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")
    if not real:
        if ct is not None:
            yield f"{path}: {x!r} has the cotangent {ct!r}"
    elif type(ct) is not type(x) or (isinstance(x, np.ndarray) and (ct.dtype, ct.shape) != (x.dtype, x.shape)):
        yield f"{path}: {x!r} has the cotangent {ct!r} of {type(ct)}"


def near(a: list[float], b: list[float], rel: float) -> bool:
    scale = 1.0 + max([abs(x) for x in [*a, *b]], default=0.0)
    return len(a) == len(b) and all(abs(x - y) <= rel * scale for x, y in zip(a, b, strict=True))


def findings(made: Arguments, backend: str) -> Iterator[str]:
    """What is wrong with the verbs at these arguments."""
    f, args = made.f, made.args
    floats = read(args, iter([kind for _, kind in made.leaves]))
    f32 = any(kind in ("float32", "single") for _, kind in made.leaves)
    eps = 2e-5 if f32 else 1e-11
    count = len(flat(floats))
    plain = f(*floats)
    several = len([*args]) > 1
    everything = tuple(range(len(args)))

    def tupled(found: Any) -> Any:
        return found if several else (found,)

    value, first = ccc.value_with_gradient(f, backend=backend)(*args)
    first = tupled(first)
    if not near([float(value)], [float(plain)], eps):
        yield f"value {value!r}, plain {plain!r}"
    yield from fits(floats, first, "gradient")
    ones = [math.cos(1.0 + i) for i in range(count)]
    quotients = []
    for i in range(count):
        unit = [float(i == j) for j in range(count)]
        h = 1e-5
        up, down = [float(f(*wide(floats, iter([s * h * u for u in unit])))) for s in (1, -1)]
        quotients.append((up - down) / (2 * h))
    if not near(flat(first), quotients, max(20 * eps, 1e-8)):
        yield f"gradient {first!r}, differences {quotients}"
    inside = ccc.compiled(
        (lambda x, y: ccc.gradient(f)(x, y)) if several else (lambda x: ccc.gradient(f)(x)), backend=backend)
    others: dict[str, Callable[[], Any]] = {
        "gradient": lambda: tupled(ccc.gradient(f, backend=backend)(*args)),
        "pullback": lambda: tupled(ccc.pullback(f, backend=backend)(*args)(1.0)),
        "value_with_pullback": lambda: tupled(ccc.value_with_pullback(f, backend=backend)(*args)[1](1.0)),
        "vjp": lambda: ccc.vjp(f, *args, backend=backend)[1](1.0),
        "grad": lambda: ccc.grad(f, argnums=everything, backend=backend)(*args),
        "allow_int": lambda: ccc.grad(f, argnums=everything, allow_int=True, backend=backend)(*args),
        "value_and_grad": lambda: ccc.value_and_grad(f, argnums=everything, backend=backend)(*args)[1],
        "inside": lambda: tupled(inside(*args)),
        "of floats": lambda: tupled(ccc.gradient(f, backend=backend)(*floats)),
    }
    for name, verb in others.items():
        found = verb()
        yield from (f"{name}: {text}" for text in fits(floats, found, ""))
        if not near(flat(found), flat(first), eps):
            yield f"{name} {found!r}, value_with_gradient {first!r}"
    d = direction(floats, iter(ones))
    expected = [math.fsum([a * b for a, b in zip(flat(first), ones, strict=True)])]
    forward: dict[str, Callable[[], Any]] = {
        "jvp": lambda: ccc.jvp(f, args, d, backend=backend)[1],
        "linearize": lambda: ccc.linearize(f, *args, backend=backend)[1](*d),
        "value_with_differential": lambda: ccc.value_with_differential(f, backend=backend)(*args)[1](*d),
        "inside": lambda: ccc.compiled(lambda xs, ds: ccc.jvp(f, xs, ds)[1], backend=backend)(args, d),
    }
    for name, verb in forward.items():
        found = float(verb())
        if not near([found], expected, 10 * eps):
            yield f"{name} {found!r}, gradient along the direction {expected}"
    second = flat(tupled(ccc.value_with_differential(ccc.gradient(f), backend=backend)(*args)[1](*d)))
    h = 1e-5
    slopes = [flat(ccc.gradient(f, wrt=everything, backend="numpy")(*wide(floats, iter([s * h * u for u in ones]))))
              for s in (1, -1)]
    if not near(second, [(a - b) / (2 * h) for a, b in zip(*slopes, strict=True)], max(100 * eps, 1e-7)):
        yield f"second order {second}, differences {[(a - b) / (2 * h) for a, b in zip(*slopes, strict=True)]}"
    if not several:
        found = ccc.hvp(f, backend=backend)(args[0], d[0])
        yield from (f"hvp: {text}" for text in fits(floats[0], found, ""))
        if not near(flat(found), second, 10 * eps):
            yield f"hvp {found!r}, forward over reverse {second}"
        if not isinstance(args[0], list):
            found = ccc.jacobian(f, backend=backend)(args[0])
            if not near(flat(found), flat(first), eps):
                yield f"jacobian {found!r}, gradient {first!r}"
        if made.leaves[0][0] == "a0" and made.leaves[0][1] in REALS:
            if not near(flat(ccc.jacfwd(f, backend=backend)(args[0])), flat(first), eps):
                yield "jacfwd differs"
            hessian = np.reshape(np.asarray(ccc.hessian(f, backend=backend)(args[0]), float), (count, count))
            if not near(list(hessian @ np.array(ones)), second, 10 * eps):
                yield f"hessian {hessian}, second order {second}"
            if count == 1 and not near([float(ccc.derivative(f, backend=backend)(args[0]))], flat(first), eps):
                yield "derivative differs"
    for i in range(len(args)):
        found = ccc.gradient(f, wrt=i, backend=backend)(*args)
        yield from (f"wrt={i}: {text}" for text in fits(floats[i], found, ""))
        if not near(flat(found), flat(first[i]), eps):
            yield f"wrt={i} {found!r}, among all {first[i]!r}"
