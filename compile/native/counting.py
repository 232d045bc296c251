"""Whole numbers of Python's `math` that count: divisors, roots, factorials, and how many ways there are."""

from __future__ import annotations

import math

import numpy as np

from ccc.compile.native.arrays import constant_array
from ccc.compile.native.code import Store
from ccc.compile.native.conversions import as_int, call
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import handles, operation
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, Writer
from ccc.compile.program.lam import Let
from ccc.primitives import elementary_math

FACTORIALS = np.array([math.factorial(n) for n in range(21)])
"""Those that have 64 bits."""
MOST = 61
"""So many things are chosen from: the largest product on the way to a number of ways has 64 bits."""
EXACT = 2**52


@handles(elementary_math.factorial)
def factorial(m: Lowering, let: Let, n: Num) -> Num:
    w, place = m.w, as_int(m.w, m.number(n))
    beyond = w.compare("ugt", place, str(len(FACTORIALS) - 1))
    w.spoil(beyond)
    at = w.at_index("i64", constant_array(m, FACTORIALS).ptr, w.select("i64", beyond, "0", place))
    return Num("i64", w.load("i64", at))


@operation(elementary_math.comb)
def comb(w: Writer, strict: bool, n: Num, k: Num) -> Num:
    """The product of (n - k + i) / i for i up to k, a whole number at each of them; 0 where k is more than n."""
    whole, part = as_int(w, n), as_int(w, k)
    beyond = w.binary("or", "i1", w.compare("ugt", whole, str(MOST)), w.compare("ugt", part, str(MOST)))
    w.spoil(beyond)
    found, rest = w.local("i64"), w.sub(whole, part)
    w.store("i64", w.select("i64", w.compare("ult", whole, part), "0", "1"), found)
    with w.counted(w.select("i64", beyond, "0", part)) as i:
        above = w.binary("mul", "i64", w.load("i64", found), w.add(w.add(rest, i), "1"))
        w.store("i64", w.binary("udiv", "i64", above, w.add(i, "1")), found)
    return Num("i64", w.load("i64", found))


@operation(elementary_math.gcd)
def gcd(w: Writer, strict: bool, *xs: Num) -> Num:
    """By Euclid's algorithm."""
    if len(xs) != 2:
        raise NotNative("a divisor of other than two numbers")
    names = [w.local("i64") for _ in xs]
    sizes = [w.call("i64", "llvm.abs.i64", ("i64", as_int(w, x)), ("i1", "false")) for x in xs]
    with w.loop() as (before, body, done):
        before += [Store("i64", size, name) for size, name in zip(sizes, names, strict=True)]
        a, b = [w.load("i64", name) for name in names]
        w.fork(w.compare("ne", b, "0"), body, done)
        w.label(body)
        w.store("i64", b, names[0])
        w.store("i64", w.binary("urem", "i64", a, b), names[1])
    return Num("i64", w.load("i64", names[0]))


@operation(elementary_math.isqrt)
def isqrt(w: Writer, strict: bool, n: Num) -> Num:
    """The root of a double, which is that of the whole number or next to it."""
    x = as_int(w, n)
    w.spoil(w.compare("ugt", x, str(EXACT)))
    root = w.cast("fptosi", "double", call(w, "llvm.sqrt.f64", w.cast("uitofp", "i64", x, "double")), "i64")
    return Num("i64", root)
