"""Products, quotients, powers and logarithms in which zero is strong, as derivatives compute them."""

from __future__ import annotations

import functools

from ccc.compile.native.conversions import as_real, call, called, finite, reals
from ccc.compile.native.instructions import FLOOR
from ccc.compile.native.scalars import power
from ccc.compile.native.table import Facts, operation
from ccc.compile.native.writer import Num, Writer, real
from ccc.primitives import guarded


def _strong(w: Writer, type_: str, d: str, result: str) -> Num:
    zero = w.compared("oeq", type_, d, real(0.0))
    return Num(type_, w.select(type_, zero, real(0.0), result))


@operation(guarded.times0, facts=Facts(zeros=(0,)))
def times0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (a, b) = reals(w, d, x)
    return _strong(w, type_, a, w.binary("fmul", type_, a, b))


@operation(guarded.both0)
def both0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (_, b) = reals(w, d, x)
    return _strong(w, type_, b, times0(w, strict, d, x).text)


@operation(guarded.over0)
def over0(w: Writer, strict: bool, d: Num, x: Num) -> Num:
    type_, (a, b) = reals(w, d, x)
    return _strong(w, type_, a, w.binary("fdiv", type_, a, b))


@operation(guarded.unit)
def unit(w: Writer, strict: bool, x: Num, length: Num) -> Num:
    type_, (a, b) = reals(w, x, length)
    return _strong(w, type_, b, w.binary("fdiv", type_, a, b))


@operation(guarded.weight)
def weight(w: Writer, strict: bool, a: Num, b: Num) -> Num:
    x, y = as_real(w, a), as_real(w, b)
    apart = w.select("double", w.compared("oeq", "double", x, y), real(0.0), w.binary("fsub", "double", x, y))
    return Num("double", call(w, "ccc_sigmoid", apart))


@operation(guarded.log0)
def log0(w: Writer, strict: bool, x: Num) -> Num:
    a = as_real(w, x)
    above = w.compared("ogt", "double", a, real(0.0))
    return Num("double", w.select("double", above, call(w, "ccc_log", a), real(0.0)))


@operation(guarded.power0)
def power0(w: Writer, strict: bool, a: Num, n: Num) -> Num:
    return power(w, False, Num("double", as_real(w, a)), n)


@operation(guarded.where_real)
def where_real(w: Writer, strict: bool, d: Num, a: Num, n: Num) -> Num:
    g, x, k = [as_real(w, y) for y in (d, a, n)]
    negative = w.compared("olt", "double", x, real(0.0))
    broken = w.compared("une", "double", k, called(w, FLOOR, "double", k))
    moves = w.compared("une", "double", g, real(0.0))
    w.spoil(functools.reduce(lambda p, q: w.binary("and", "i1", p, q), (negative, finite(w, x), broken, moves)))
    return d
