"""The operators of Python's library that change what they are given, as the statements that they stand for.

>>> xs = [1.0]
>>> iadd(xs, [2.0]), setitem(xs, 0, 3.0), xs
([3.0, 2.0], None, [3.0, 2.0])
"""

from __future__ import annotations

import operator
from typing import Any

from ccc.compile.frontend.numpy_functions.table import definition_of


@definition_of(operator.setitem)
def setitem(a: Any, b: Any, c: Any) -> None:
    a[b] = c


@definition_of(operator.delitem)
def delitem(a: Any, b: Any) -> None:
    del a[b]


@definition_of(operator.iadd, operator.iconcat)
def iadd(a: Any, b: Any) -> Any:
    a += b
    return a


@definition_of(operator.isub)
def isub(a: Any, b: Any) -> Any:
    a -= b
    return a


@definition_of(operator.imul)
def imul(a: Any, b: Any) -> Any:
    a *= b
    return a


@definition_of(operator.itruediv)
def itruediv(a: Any, b: Any) -> Any:
    a /= b
    return a


@definition_of(operator.ifloordiv)
def ifloordiv(a: Any, b: Any) -> Any:
    a //= b
    return a


@definition_of(operator.imod)
def imod(a: Any, b: Any) -> Any:
    a %= b
    return a


@definition_of(operator.ipow)
def ipow(a: Any, b: Any) -> Any:
    a **= b
    return a


@definition_of(operator.imatmul)
def imatmul(a: Any, b: Any) -> Any:
    a @= b
    return a


@definition_of(operator.iand)
def iand(a: Any, b: Any) -> Any:
    a &= b
    return a


@definition_of(operator.ior)
def ior(a: Any, b: Any) -> Any:
    a |= b
    return a


@definition_of(operator.ixor)
def ixor(a: Any, b: Any) -> Any:
    a ^= b
    return a


@definition_of(operator.ilshift)
def ilshift(a: Any, b: Any) -> Any:
    a <<= b
    return a


@definition_of(operator.irshift)
def irshift(a: Any, b: Any) -> Any:
    a >>= b
    return a
