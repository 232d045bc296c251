"""Random calls of what the registry has, one in each program, on arguments of every form.

What is called, and the names of its parameters, are the registry's; a call is kept if plain NumPy takes it, or if a
thousand others were not taken. Arguments are of rank 0 to 3, empty, with axes of size 1, in C and Fortran order, with
negative and doubled strides, read-only, broadcast, byteswapped, of several dtypes, scalars of NumPy and of Python.
"""

from __future__ import annotations

import builtins
import inspect
import math
import operator
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from random_programs import Program

from ccc.primitives import arithmetic, bilinear
from ccc.primitives.array_methods import ATTRIBUTES, METHODS
from ccc.primitives.primitive import Primitive
from ccc.primitives.registry import FUNCTIONS

HEADER = """import math
import operator

import numpy as np


def frozen(a):
    a.flags.writeable = False
    return a


def f({params}):
    return {call}
"""
SHAPES = ((), (0,), (1,), (3,), (4,), (2, 3), (3, 3), (2, 2), (1, 3), (3, 1), (1, 1), (0, 3), (2, 0), (2, 3, 2),
          (1, 2, 1))  # fmt: skip
LAYOUTS = (
    "{a}", "{a}", "{a}", "{a}", "np.asfortranarray({a})", "{a}[::-1].copy()[::-1]", "np.repeat({a}, 2, axis=0)[::2]",
    "frozen({a})", "np.broadcast_to({a}[:1], {s})", "{a}.astype({a}.dtype.newbyteorder())", "{a}.T.copy().T",
)  # fmt: skip
DTYPES = ("", "", "", "", "", "", "np.float32", "np.int64", "bool", "np.int32")
OPTIONS = (
    "None", "0", "1", "-1", "2", "-2", "()", "(0,)", "(0, 1)", "(1, 0)", "(-1,)", "True", "False", "0.5", "3", "[1]",
    "float", "int", "bool", "'float32'", "'same'", "'valid'", "'full'", "'right'", "'edge'", "'wrap'", "(2, -1)", "-3",
    "((1, 0),)", "(3,)", "(3, 2)", "(1, 3)", "[0, 1]", "40",
)  # fmt: skip
TEXTS = ("'i,i->'", "'ij->ji'", "'ij,jk->ik'", "'i->i'", "'ii->i'", "'ij->'", "'i,j'", "'...i->...'", "'ij,j->i'",
         "'ii'")  # fmt: skip
RANGES = ((-1.2, 1.3), (0.2, 0.9), (1.2, 2.6), (-0.9, 0.9))


COMPLEX = (np.linalg.eig, np.linalg.eigvals)
"""What gives a `ccc.Complex` always: NumPy looks at values whether an array of reals will do."""


def names() -> dict[Any, str]:
    """How users write the functions of the registry, but for those that give complex numbers of reals."""
    found: dict[Any, str] = {}
    modules = (("np.linalg.", np.linalg), ("np.", np), ("math.", math), ("operator.", operator), ("", builtins))
    for prefix, module in modules:
        for name, value in sorted(vars(module).items()):
            try:
                if callable(value) and value in FUNCTIONS and value not in COMPLEX and not name.startswith("_"):
                    found[value] = f"{prefix}{name}"
            except (TypeError, ValueError):
                continue
    return found


def parameters(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The parameters of a function of the registry: names with defaults; a primitive has places only."""
    if isinstance(function, Primitive):
        texts = function.source if isinstance(function.source, str) else "{}{}"
        yield from (("", inspect.Parameter.empty) for _ in range(texts.count("{}")))
        return
    for name, p in inspect.signature(function).parameters.items():
        if p.kind == p.VAR_POSITIONAL:
            yield from (("", inspect.Parameter.empty) for _ in range(2))
        elif p.kind == p.POSITIONAL_ONLY:
            yield "", inspect.Parameter.empty
        elif p.kind == p.KEYWORD_ONLY:
            yield f"{name}=", p.default
        else:
            yield name, p.default


Spelling = tuple[str, list[tuple[str, Any]]]


def spellings() -> list[Spelling]:
    """Every way in which users write a call: a template whose first part is the function, and its parameters."""
    found: list[Spelling] = []
    written = names()
    for value, function in FUNCTIONS.items():
        if value in written and value not in (np.empty, np.empty_like):  # what they hold is in no documentation
            found.append((f"{written[value]}({{}})", list(parameters(function))))
    for name, function in METHODS.items():
        found.append((f"{{0}}.{name}({{}})", list(parameters(function))[1:]))
    found += [(f"{{0}}.{name}", []) for name in ATTRIBUTES]
    for p in [*vars(arithmetic).values(), bilinear.matmul]:
        if isinstance(p, Primitive) and getattr(p.value, "__module__", None) == "_operator":
            places = str(p.source).count("{}")
            found.append((str(p.source), [("", inspect.Parameter.empty)] * places))
    return sorted(found, key=str)


SPELLINGS = spellings()


class Forms:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)

    def number(self) -> str:
        low, high = self.range
        return f"{self.r.uniform(low, high):.3f}" if self.r.random() < 0.97 else self.r.choice(("0.0", "1.0", "-0.5"))

    def array(self, shape: tuple[int, ...]) -> str:
        count = math.prod(shape)
        dtype = self.r.choice(DTYPES)
        numbers = [self.number() for _ in range(count)]
        if self.r.random() < 0.06:
            numbers = [self.r.choice(numbers[:2]) for _ in numbers]
        text = f"np.array([{', '.join(numbers)}]).reshape({shape})" if numbers else f"np.zeros({shape})"
        if dtype:
            factor = " * 3" if "int" in dtype else ""
            text = f"({text}{factor}).astype({dtype})"
        layout = self.r.choice(LAYOUTS) if shape else self.r.choice(LAYOUTS[:4])
        return layout.format(a=text, s=shape)

    def scalar(self) -> str:
        n = self.number()
        of_numpy = (f"np.float64({n})", f"np.float32({n})", "np.int64(2)", f"np.array({n})")
        return self.r.choice((n, n, n, *of_numpy, "2", "True"))

    def datum(self) -> str:
        """An argument whose entries are computed with."""
        roll, r = self.r.random(), self.r
        if roll < 0.68:
            return self.array(self.shape if r.random() < 0.75 else r.choice(SHAPES))
        if roll < 0.88:
            return self.scalar()
        item = self.array(self.shape) if r.random() < 0.6 else self.scalar()
        items = [item, *[item.replace("0.", "0.1", 1) for _ in range(r.randint(0, 2))]]  # of one kind
        return f"[{', '.join(items)}]" if r.random() < 0.6 else f"({', '.join(items)},)"

    def option(self, name: str, default: Any) -> str:
        """What a parameter is given, for a truth value often one, for a mask one."""
        if isinstance(default, bool) and self.r.random() < 0.75:
            return self.r.choice(("True", "False", *["a0 > 0.3", "[True, False]"] * (name == "where=")))
        return self.r.choice(OPTIONS)

    def call(self) -> tuple[str, list[str]] | None:
        """A call, and the texts of the arguments of the program that it is in."""
        r = self.r
        template, places = self.spelling
        self.shape, self.range = r.choice(SHAPES), r.choice(RANGES)
        args: list[str] = []

        def data() -> str:
            args.append(self.datum())
            return f"a{len(args) - 1}"

        owner = ""
        if template.startswith("{0}"):
            args.append(self.array(self.shape))
            owner = "a0"
        texts: list[str] = []
        for k, (name, default) in enumerate(places):
            word = name.endswith("=")
            if default is not inspect.Parameter.empty and (r.random() < 0.55 or default is inspect.Parameter.empty):
                places_left = [n for n, _ in places[k:]]
                if not word and r.random() < 0.3 and not any(places_left[1:]):
                    break
                continue
            if default is inspect.Parameter.empty:
                roll = r.random()
                first = k == 0 and not owner
                others = OPTIONS if roll < 0.97 or word else TEXTS
                text = data() if roll < (0.93 if first else 0.7) else r.choice(others)
                texts.append(text if not word and not any("=" in t for t in texts) else f"{name.rstrip('=')}={text}")
            else:
                text = data() if r.random() < 0.12 else self.option(name, default)
                texts.append(f"{name.rstrip('=')}={text}")
        if "{}" in template and "(" not in template:  # an operator
            return template.format(*texts), args
        if template.startswith("{0}"):
            return template.replace("{0}", owner).replace("{}", ", ".join(texts)), args
        return template.replace("{}", ", ".join(texts)), args

    def program(self) -> Program:
        """The first of some calls that plain Python takes; one that it does not take where there is none."""
        self.spelling = self.r.choices(SPELLINGS, [1 + len(places) for _, places in SPELLINGS])[0]
        wants_error = self.r.random() < 0.05
        for _ in range(200):
            found = self.call()
            if found is None or not found[1]:
                continue
            call, args = found
            params = ", ".join(f"a{i}" for i in range(len(args)))
            made = Program(self.seed, HEADER.format(params=params, call=call), [", ".join(args)])
            if taken(made) != wants_error:
                return made
        return made


def taken(made: Program) -> bool:
    """True for a call that plain Python takes."""
    try:
        f = made.load()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = f(*made.arguments(f, made.calls[0]))
            if "linalg.pinv" in made.source and np.result_type(found).kind in "iu":
                return False  # of an empty matrix; the page of NumPy says what it is here
    except Exception:
        return False
    return True


def form(seed: int) -> Program:
    """The program of a seed."""
    return Forms(seed).program()
