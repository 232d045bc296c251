"""Complex numbers: objects of `ccc.primitives.complexes.Complex`, of which the program has the parts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.library_calls import adapted, as_value, is_of_numpy, natural
from ccc.compile.frontend.values import Frame, ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, Real, is_discrete
from ccc.primitives.adaptors import np_zeros_like
from ccc.primitives.arithmetic import add, sub
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.complexes import FUNCTIONS, Complex
from ccc.primitives.partwise import Moving, Still, is_linear, over_complex_numbers


def is_complex(value: Any) -> bool:
    """True for a complex number of the program."""
    return isinstance(value, RecordValue) and value.cls is Complex


def leaves(x: Any) -> Iterator[Any]:
    """The values in lists and tuples."""
    if isinstance(x, ListValue):
        x = x.items
    if isinstance(x, list | tuple):
        for item in x:
            yield from leaves(item)
    else:
        yield x


def called(
    e: Elaboration, function: Any, adaptor: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function of NumPy's, or of one with a rule, for complex arguments; NotImplemented where none is,
    or it is another function."""
    if not any(map(is_complex, leaves([*args, *kwargs.values()]))):
        return NotImplemented
    if function in FUNCTIONS:
        return e.call(FUNCTIONS[function], args, kwargs, node, frame)
    if adaptor is None and not is_of_numpy(function):
        return NotImplemented
    name = getattr(function, "__name__", "function")
    if adaptor is not None and getattr(adaptor, "takes_complex", False):
        return adapted(e, adaptor, args, kwargs, name, node, frame, function=None)
    if adaptor is not None and not isinstance(function, type) and kwargs.get("dtype") is None:
        plain = [natural(e, a, node, frame) for a in args]
        named = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
        found = by_parts(function, adaptor, plain, named)
        if found is not None:
            return as_value(found)
    raise unsupported("CC020", f"`{name}` of complex numbers is not supported", e.place(node, frame),
                      "it is not linear in them", help="take the real part, the imaginary part, or the absolute value")


def by_parts(function: Any, adaptor: Callable[..., Any], args: list[Any], named: dict[str, Any]) -> Complex | None:
    """The result of a function that is linear in its complex arguments together, or in each of two; None for others."""
    places = [i for i, x in enumerate(args) if any(isinstance(leaf, Complex) for leaf in leaves(x))]

    def linear_in(places: list[int], lifted: bool) -> bool:
        probes = [probed(x, i in places, lifted) for i, x in enumerate(args)]
        others = {k: probed(x, False, False) for k, x in named.items()}
        return is_linear(adaptor, probes, others) and over_complex_numbers(function, probes, others)

    def all_of(which: str, lifted: bool) -> Any:
        return adaptor(*[part(x, which, lifted) for x in args], **named)

    def of_two(one: str, other: str) -> Any:
        which = dict(zip(places, (one, other), strict=True))
        return adaptor(*[part(x, which.get(i, "real"), False) for i, x in enumerate(args)], **named)

    for lifted in (False, True):
        if linear_in([*range(len(args))] if lifted else places, lifted):
            return Complex(all_of("real", lifted), all_of("imag", lifted))
    if len(places) == 2 and all(linear_in([i], False) for i in places):
        return Complex(sub(of_two("real", "real"), of_two("imag", "imag")),
                       add(of_two("real", "imag"), of_two("imag", "real")))
    return None


def probed(x: Any, moves: bool, lifted: bool) -> Any:
    """An argument of which is asked whether a function is linear in it: in its complex numbers, or with `lifted` in all
    of its numbers that are real."""
    if isinstance(x, list | tuple):
        return type(x)([probed(item, moves, lifted) for item in x])
    if isinstance(x, Complex):
        return (Moving if moves else Still)(kind_of(x.real))
    if moves and lifted and is_real(x):
        return Moving(kind_of(x))
    return Still(x.object) if isinstance(x, Var) else x


def is_real(x: Any) -> bool:
    """True for a real number or array, also an int that stands for one."""
    if isinstance(x, bool) or not isinstance(x, Var | int | float | np.ndarray):
        return False
    a = kind_of(x)
    return isinstance(x, int) or (isinstance(a, Real | Array) and not is_discrete(a))


def part(x: Any, which: str, lifted: bool) -> Any:
    """The real or the imaginary part of the complex numbers in an argument, with `lifted` of its reals too."""
    if isinstance(x, list | tuple):
        return type(x)([part(item, which, lifted) for item in x])
    if isinstance(x, Complex):
        return getattr(x, which)
    if lifted and which == "imag" and is_real(x):
        return np_zeros_like(x) if isinstance(kind_of(x), Array) else 0.0
    return x
