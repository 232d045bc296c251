"""Calls of one function, between which what it reads from outside changes, with arguments of other kinds and sizes.
Each is to give what plain Python gives then, and the slope that differences give.

    python3 tests/random_calls.py numpy 0 100    the first hundred sequences of calls on a target
"""

from __future__ import annotations

import linecache
import random
import re
import sys
import types
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import ccc

PRELUDE = """
import enum, functools, math
import numpy as np

class Kind(enum.Enum):
    A = 1
    B = 2

class Inner:
    def __init__(self, k):
        self.k = k

class Thing:
    scale = 1.5
    def __init__(self, w):
        self.w, self.items, self.inner = w, [1.0, 2.0], Inner(0.5)
    def apply(self, x):
        return self.w * x * x

class Other(Thing):
    def apply(self, x):
        return self.w + x

class Settings:
    value = 2.0

def cell_of(v):
    def get():
        return v
    def put(new):
        nonlocal v
        v = new
    return get, put

def helper(x, p=[1.0]):
    return p[0] * x * SCALE

SCALE, NUMBER, COUNT, LIST, DICT = 1.25, 1.5, 2, [1.0, 2.0], {"a": 1.0}
ARRAY, THING, FUNCTION, TEXT, NONE, FLAG = np.array([1.0, 2.0]), Thing(2.0), math.sin, "a", None, True
TUPLE, PARTIAL, KIND, SET, NESTED = (1.0, 2.0), functools.partial(helper, p=[2.0]), Kind.A, {1, 2}, [[1.0], [2.0]]
FUNCTIONS, NAMED = [math.sin], {"f": math.cos}
get, put = cell_of(3.0)
"""

READ = [
    "NUMBER * x", "x * COUNT", "x ** COUNT", "sum([x * i for i in range(COUNT)])", "sum(LIST) * x", "len(LIST) * x",
    "(LIST[0] * x if LIST else x)", "sum(DICT.values()) * x", "DICT.get('a', 0.25) * x",
    "(x if 'b' in DICT else 2 * x)", "np.sum(ARRAY * x)", "float(ARRAY.shape[0]) * x",
    "(x if ARRAY.ndim == 1 else 3 * x)", "np.max(ARRAY) * x", "THING.w * x", "THING.apply(x)",
    "type(THING).scale * x", "getattr(THING, 'extra', 2.0) * x", "(3.0 * x if hasattr(THING, 'extra') else x)",
    "len(THING.items) * x", "sum(THING.items) * x", "THING.inner.k * x", "(x if isinstance(THING, Other) else 4 * x)",
    "FUNCTION(x)", "(x if TEXT == 'a' else x * x)", "(x if NONE is None else x * NONE)", "(x * x if FLAG else x)",
    "helper(x)", "TUPLE[0] * x + TUPLE[-1]", "Settings.value * x", "get() * x", "PARTIAL(x)",
    "(x if KIND is Kind.A else -x)", "(x if 1 in SET else 5 * x)", "NESTED[0][0] * x + len(NESTED)",
    "(x if isinstance(NUMBER, int) else 2 * x)", "FUNCTIONS[0](x)", "NAMED['f'](x)", "abs(x) * 2.0",
]  # fmt: skip
GIVEN = [
    "a * x", "(x if isinstance(a, int) else 3 * x)", "sum(l) * x", "len(l) * x", "np.sum(v * x)",
    "float(v.shape[0]) * x",
    "float(np.asarray(v).ndim) * x", "float(np.max(v)) * x", "d['k'] * x", "len(d) * x", "(x if 'z' in d else 2 * x)",
    "(x if n is None else n * x)", "(x if s == 'a' else 2 * x)", "o.w * x", "o.apply(x)",
    "(x if type(o).__name__ == 'Thing' else 7.0 * x)", "(x if b else 2 * x)", "x * i", "sum([x for _ in range(i)])",
    "t[0] * x", "len(t) * x",
]  # fmt: skip
CHANGES = [
    "NUMBER = 2.5", "NUMBER = 3", "NUMBER = True", "NUMBER = np.int64(3)", "COUNT = 3", "COUNT = 0", "COUNT = 1",
    "LIST.append(3.0)", "LIST[0] = 5.0", "LIST = [2]", "LIST.clear()", "LIST = (1.0, 4.0)", "LIST.append(7)",
    "DICT['b'] = 4.0", "DICT['a'] = 7.0", "DICT.pop('a', None)", "DICT = {'b': 1.0, 'a': 3.0}", "ARRAY[0] = 9.0",
    "ARRAY = np.array([1.0, 2.0, 3.0])", "ARRAY = np.array([[1.0, 2.0]])", "ARRAY = np.array([1, 2])", "THING.w = 5.0",
    "THING.w = 4", "THING = Other(3.0)", "THING = Thing(1.0)", "Thing.apply = Other.apply", "Thing.scale = 2.5",
    "Other.scale = 0.5", "THING.extra = 4.0", "Thing.extra = 6.0", "THING.scale = 9.0", "THING.apply = helper",
    "THING.items.append(4.0)", "THING.items = [1]", "THING.inner.k = 2.5", "THING.inner = Inner(3.5)", "Inner.k = 1.0",
    "FUNCTION = math.cos", "TEXT = 'b'", "NONE = 2.0", "NONE = 3", "NONE = None", "FLAG = False", "FLAG = 0",
    "FLAG = True", "helper.__defaults__ = ([3.0],)", "helper.__defaults__[0][0] = 6.0", "SCALE = 2.25",
    "TUPLE = (2.0, 3.0, 4.0)", "TUPLE = (1, 2)", "Settings.value = 3.0", "put(4.0)", "put(5)",
    "PARTIAL = functools.partial(helper, p=[5.0])", "KIND = Kind.B", "KIND = Kind.A", "SET.discard(1)", "SET.add(5)",
    "NESTED[0].append(1.0)", "NESTED[0][0] = 8.0", "NESTED.append([3.0])", "FUNCTIONS[0] = math.cos",
    "FUNCTIONS = [math.exp, math.sin]", "NAMED['f'] = math.sin", "abs = math.exp", "sum = math.fsum",
]  # fmt: skip
ARGUMENTS = ("a", "l", "v", "d", "n", "s", "o", "b", "i", "t")
STYLES = (
    "    return {sum}", "    found = 0.0\n    for _ in range(2):\n        found = found + {sum}\n    return found",
    "    found = [{items}]\n    return sum(found)",
)  # fmt: skip


def arguments(r: random.Random, space: dict[str, Any]) -> list[Any]:
    """One argument of each name."""
    thing, other = space["Thing"], space["Other"]
    return [
        r.choice([1.5, 2, True, np.float64(2.5), np.int64(3), -1.0]),
        r.choice([[1.0], [1.0, 2.0], [1, 2], (1.0, 2.0), [], [1.0, 2]]),
        r.choice([np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]), np.array([[1.0], [2.0]]), np.array([1, 2]),
                  np.array([1.5]), np.arange(6.0)[::2], np.asfortranarray(np.arange(4.0).reshape(2, 2))]),
        r.choice([{"k": 1.0}, {"k": 2}, {"k": 1.0, "z": 2.0}, {"z": 1.0, "k": 3.0}]),
        r.choice([None, 1.0, 2, np.float64(1.0)]), r.choice(["a", "b"]), r.choice([thing(1.0), thing(2), other(1.5)]),
        r.choice([True, False, 1, 0, np.bool_(True)]), r.choice([0, 1, 2, 3]),
        r.choice([(1.0,), (1.0, 2.0), (1, 2), (2.0, "a")]),
    ]  # fmt: skip


def made(seed: int) -> tuple[random.Random, dict[str, Any], str, bool]:
    """A function `f` in a module of its own, its text, and whether it takes arguments beside `x`."""
    r = random.Random(seed)
    terms, takes = r.sample(READ, r.randint(2, 5)), r.random() < 0.5
    terms += r.sample(GIVEN, r.randint(1, 4)) if takes else []
    r.shuffle(terms)
    body = r.choice(STYLES).format(sum=" + ".join(f"({term})" for term in terms), items=", ".join(terms))
    text = f"{PRELUDE}\ndef f({', '.join(['x', *(ARGUMENTS if takes else ())])}):\n{body}\n"
    module = types.ModuleType(f"calls_{seed}")
    name = f"<calls {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    sys.modules[module.__name__] = module
    exec(compile(text, name, "exec"), vars(module))
    return r, vars(module), text, takes


def outcome(f: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """What a call gives or raises."""
    try:
        return "given", f(*args)
    except ccc.CCCError as error:
        return "refused", str(error).partition("\n")[0]
    except Exception as error:
        return "raised", type(error).__name__


def equal(a: tuple[str, Any], b: tuple[str, Any], relative: float = 1e-12, absolute: float = 1e-13) -> bool:
    if a[0] != b[0] or a[0] != "given":
        return a == b
    return bool(np.shape(a[1]) == np.shape(b[1]) and np.allclose(a[1], b[1], relative, absolute, equal_nan=True))


def differs(seed: int, backend: Any, counts: Counter[str]) -> str | None:
    """What a sequence of calls and changes gives otherwise than plain Python; None where nothing is."""
    r, space, text, takes = made(seed)
    f = space["f"]
    value, slope = ccc.compiled(f, backend=backend), ccc.gradient(f, wrt=0, backend=backend)
    done: list[str] = []
    body = text[len(PRELUDE):]
    changes = CHANGES + 8 * [change for change in CHANGES if re.findall(r"\w+", change)[0] in body]
    for _ in range(8):
        args = arguments(r, space) if takes else []
        x = r.choice([0.7, 1.3, -0.4, 2.0])
        expected, found = outcome(f, x, *args), outcome(value, x, *args)
        counts["refused" if found[0] == "refused" else "values"] += 1
        wrong = None if found[0] == "refused" or equal(found, expected) else f"{found} is not {expected}"
        if wrong is None and found[0] == "given" and np.ndim(found[1]) == 0:
            sides = [outcome(f, x + h, *args) for h in (1e-6, -1e-6)]
            ct = outcome(slope, x, *args)
            if ct[0] != "refused" and all(side[0] == "given" for side in sides):
                counts["slopes"] += 1
                difference = "given", (sides[0][1] - sides[1][1]) / 2e-6
                wrong = None if equal(ct, difference, 1e-5, 1e-4) else f"slope {ct} is not {difference}"
        if wrong is not None:
            return f"seed {seed} on {backend}: f({x}, *{args}) behind {done}: {wrong}\n{body}"
        for change in r.sample(changes, r.randint(0, 4)):
            try:
                exec(change, space)
            except (AttributeError, TypeError, IndexError):  # of a list that is a tuple or empty by now
                continue
            done.append(change)
    return None


def main(backend: str, first: int, count: int) -> None:
    warnings.simplefilter("ignore")
    counts = Counter[str]()
    for seed in range(first, first + count):
        if (found := differs(seed, backend, counts)) is not None:
            counts["wrong"] += 1
            print(found)
    print(dict(counts))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
