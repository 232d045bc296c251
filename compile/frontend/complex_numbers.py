"""Complex numbers: objects of `ccc.primitives.complexes.Complex`, of which the program has the parts."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.complex_values import is_complex, is_list_of_complex, leaves, real_dtype_of
from ccc.compile.frontend.definitions import definition_of, definition_of_method
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.library_calls import adapted, as_value, is_of_numpy, natural
from ccc.compile.frontend.values import Frame, ListValue, MethodValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, List, Real, is_discrete
from ccc.primitives import complex_functions
from ccc.primitives.adaptors import np_zeros_like
from ccc.primitives.arithmetic import add, sub
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.complex_arrays import NUMBERS
from ccc.primitives.complex_order import FUNCTIONS
from ccc.primitives.complexes import Complex
from ccc.primitives.partwise import Moving, Still, asks_sizes, is_linear, over_complex_numbers
from ccc.primitives.primitive import recording, sample
from ccc.primitives.registry import COMPLEX


def called(
    e: Elaboration, function: Any, adaptor: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function of NumPy's, or of one with a rule, for complex arguments; NotImplemented where none is,
    or it is another function."""
    if isinstance(function, type) and issubclass(function, tuple):
        return NotImplemented  # which holds them
    if isinstance(function, (type, types.BuiltinFunctionType)) and function in NUMBERS:
        return e.call(NUMBERS[function], args, kwargs, node, frame)
    if is_of_numpy(function):
        args = [parted(e, x, node, frame) for x in args]
        kwargs = {k: parted(e, x, node, frame) for k, x in kwargs.items()}
    found = widened(e, function, adaptor, args, kwargs, node, frame)
    if found is not NotImplemented:
        return found
    if not any(map(is_complex, leaves([*args, *kwargs.values()]))):
        return NotImplemented
    definition_of(function)  # a library's own module says what its functions mean for them
    if function in FUNCTIONS:
        return e.call(FUNCTIONS[function], as_arrays(e, function, args, node, frame), kwargs, node, frame)
    if adaptor is None and (not is_of_numpy(function) or defined_for(e, function, args, kwargs, node, frame)):
        return NotImplemented
    name = getattr(function, "__name__", "function")
    if adaptor is not None:
        adaptor = COMPLEX.get(function, adaptor)
    if adaptor is not None and (getattr(adaptor, "takes_complex", False) or function in COMPLEX):
        args = as_arrays(e, function, args, node, frame)
        args = [e.call(np.asarray, [x], {}, node, frame) if is_parted(x) else x for x in args]
        return adapted(e, adaptor, args, kwargs, name, node, frame, function=None)
    if adaptor is not None and not isinstance(function, type):
        plain = [natural(e, a, node, frame) for a in args]
        named = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
        with recording(e.recorder):
            found = by_parts(function, adaptor, plain, named)
        if found is not None:
            return as_value(found)
        if function is not np.asarray and (arrays := as_arrays(e, function, args, node, frame)) is not args:
            return e.call(function, arrays, kwargs, node, frame)
    raise unsupported("CC020", f"`{name}` of complex numbers is not supported", e.place(node, frame),
                      "it is not linear in them", help="take the real part, the imaginary part, or the absolute value")


@functools.cache
def method(name: str) -> Any:
    """What a method of complex arrays stands for: a definition, or the function of NumPy's of this name, but where they
    have one of their own that takes what this does not; None where there is none."""
    own: Any = getattr(Complex, name, None)
    function: Any = getattr(np, name, None)
    if not callable(getattr(np.ndarray, name, None)):
        return None
    definition = definition_of_method(name, of_complex=True) if own is None else None
    if definition is not None and definition is not getattr(function, "_implementation", None):  # it calls the method
        return definition
    if not isinstance(function, type(np.sum)):
        return None
    taken = list(inspect.signature(function).parameters)
    ours = list(inspect.signature(own).parameters.values())[1:] if callable(own) else []
    more = any(q.kind is q.VAR_POSITIONAL or q.name not in taken for q in ours)  # `*shape` too
    return None if more or not taken or taken[0] not in ("a", "x") else function


def parted(e: Elaboration, x: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A list of complex numbers as the list of the real parts beside that of the imaginary ones; else the value."""
    if not is_list_of_complex(x):
        return x
    parts: list[Callable[[Any], Any]] = [complex_functions.real, complex_functions.imag]
    a = x.object
    while isinstance(a, List):
        parts, a = [complex_functions.of_each(part) for part in parts], a.item
    real, imag = [e.call(part, [x], {}, node, frame) for part in parts]
    return RecordValue(Complex, {"real": real, "imag": imag})


def is_parted(x: Any) -> bool:
    """True for lists of the parts of complex numbers."""
    return is_complex(x) and isinstance(kind_of(x.fields["real"]), List)


OF_SEVERAL = (np.stack, np.concatenate, np.select, np.piecewise, np.linalg.multi_dot)
"""The functions that are given a list of arrays, or of others; all others are given a list as the array of it."""


def as_arrays(e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame | None) -> list[Any]:
    """The arguments with the arrays of lists and tuples that hold complex numbers; the list itself where none does."""
    shown = (ListValue, tuple) if is_of_numpy(function) else ListValue  # SciPy takes factors as a tuple
    displays = [is_parted(x) or (isinstance(x, shown) and any(map(is_complex, leaves([x])))) for x in args]
    if function in OF_SEVERAL or not any(displays):
        return args
    return [e.call(np.asarray, [x], {}, node, frame) if given else x for x, given in zip(args, displays, strict=True)]


def widened(
    e: Elaboration, function: Any, adaptor: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function that is given a complex dtype, of which a real result is the real part; NotImplemented
    for others."""
    if not is_of_numpy(function) and not isinstance(function, MethodValue):
        return NotImplemented
    found = [real_dtype_of(x) if isinstance(x, (type, np.dtype, str)) else None for x in [*args, *kwargs.values()]]
    if not any(dtype is not None for dtype in found):
        return NotImplemented
    if is_scan_of_dtypes(function):
        return NotImplemented
    if isinstance(function, MethodValue) and function.name == "view":
        fits = getattr(kind_of(function.owner), "dtype", "") in found
        return e.call(complex_functions.paired, [function.owner], {}, node, frame) if fits else NotImplemented
    if isinstance(function, np.ufunc):
        given = {k: v for k, v in kwargs.items() if k != "dtype"}
        wide = [e.call(complex_functions.converted, [x, kwargs["dtype"]], {}, node, frame) for x in args]
        return e.call(function, wide, given, node, frame)
    values = [x if dtype is None else dtype for x, dtype in zip([*args, *kwargs.values()], found, strict=True)]
    plain, named = values[: len(args)], dict(zip(kwargs, values[len(args):], strict=True))
    if any(map(is_complex, leaves([*args, *kwargs.values()]))):
        if adaptor is None or isinstance(function, type):
            return NotImplemented
        given = [natural(e, x, node, frame) for x in plain]
        others = {k: natural(e, x, node, frame) for k, x in named.items()}
        if not asks_sizes(adaptor, [probed(x, True, False) for x in given], others):
            with recording(e.recorder):
                made = by_parts(of_dtypes(function, args, kwargs, found), adaptor, given, others)
            return NotImplemented if made is None else as_value(made)
        plain = [e.call(complex_functions.real, [x], {}, node, frame) if is_complex(x) else x for x in plain]
    made = e.call(function, plain, named, node, frame)
    return made if is_complex(made) else e.call(complex_functions.widened, [made], {}, node, frame)


def of_dtypes(function: Any, args: list[Any], kwargs: dict[str, Any], found: list[Any]) -> Callable[..., Any]:
    """The function with the complex dtypes that it was given in place of those of their parts."""
    wide = [x if dtype is not None else None for x, dtype in zip([*args, *kwargs.values()], found, strict=True)]
    options = dict(zip(kwargs, wide[len(args):], strict=True))

    def of_wide(*xs: Any, **named: Any) -> Any:
        return function(*[x if dtype is None else dtype for x, dtype in zip(xs, wide, strict=False)],
                        **{k: x if options[k] is None else options[k] for k, x in named.items()})

    return of_wide


def is_scan_of_dtypes(function: Any) -> bool:
    """True for functions that are asked about dtypes, and make no numbers of them."""
    return function in DTYPES


DTYPES = frozenset([np.issubdtype, np.isdtype, np.result_type, np.promote_types, np.can_cast, np.common_type, np.finfo])


def defined_for(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> bool:
    """Whether the definition of a function holds for complex arguments: it is tried at samples, beside NumPy's own, but
    where that is what is read."""
    definition = definition_of(function)
    if definition is None:
        return isinstance(function, types.FunctionType)
    if definition is function or definition is getattr(function, "_implementation", None):
        return True
    plain = [natural(e, a, node, frame) for a in args]
    others = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
    tried = False
    for size, unit in ((12, 1j), (12, 0j), (4, 1j), (3, 1j), (3, 0j)):
        rng = np.random.default_rng(size)
        given = [sampled(a, rng, size, unit) for a in plain]
        named = {k: sampled(v, rng, size, unit) for k, v in others.items()}
        try:
            expected = function(*given, **named)
        except Exception:
            continue  # of the sizes of samples
        try:
            tried = True
            if not alike(expected, definition(*given, **named)):
                return False
        except Exception:  # a definition that fails where NumPy does not is refused
            return False
    return tried


def alike(a: Any, b: Any) -> bool:
    """Whether results are the same up to rounding."""
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(alike, a, b))
    of_one_kind = np.shape(a) == np.shape(b) and np.iscomplexobj(a) == np.iscomplexobj(b)
    return of_one_kind and bool(np.allclose(a, b, equal_nan=True))


def sampled(x: Any, rng: np.random.Generator, size: int, unit: complex) -> Any:
    """A value with samples for what is not known, whose axes have a size; the imaginary ones with a unit."""
    if isinstance(x, (list, tuple)):
        return type(x)([sampled(item, rng, size, unit) for item in x])  # type: ignore[reportUnknownVariableType]
    if isinstance(x, Complex):
        return sampled(x.real, rng, size, unit) + unit * sampled(x.imag, rng, size, unit)
    if not isinstance(x, Var) or not is_real(x):
        return sample(x.object, 1.0) if isinstance(x, Var) else x
    axes = x.object.axes or () if isinstance(x.object, Array) else ()
    return rng.normal(size=[1 if axis == "1" else size for axis in axes])[()]


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
    if isinstance(x, (list, tuple)):
        return type(x)([probed(item, moves, lifted) for item in x])
    if isinstance(x, Complex):
        return (Moving if moves else Still)(kind_of(x.real))
    if moves and lifted and is_real(x):
        return Moving(kind_of(x))
    return Still(x.object) if isinstance(x, Var) else x


def is_real(x: Any) -> bool:
    """True for a real number or array, also an int that stands for one."""
    if isinstance(x, bool) or not isinstance(x, (Var, int, float, np.ndarray)):
        return False
    a = kind_of(x)
    return isinstance(x, int) or (isinstance(a, (Real, Array)) and not is_discrete(a))


def part(x: Any, which: str, lifted: bool) -> Any:
    """The real or the imaginary part of the complex numbers in an argument, with `lifted` of its reals too."""
    if isinstance(x, (list, tuple)):
        return type(x)([part(item, which, lifted) for item in x])
    if isinstance(x, Complex):
        return getattr(x, which)
    if lifted and which == "imag" and is_real(x):
        return np_zeros_like(x) if isinstance(kind_of(x), Array) else 0.0
    return x
