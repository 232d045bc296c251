"""Every primitive, and how the functions that users name are called.

`PRIMITIVES` lists all primitives in a fixed order; `find(function)` gives what to call in place of a function of
`operator`, `math`, `numpy` or Python itself; `METHODS` and `ATTRIBUTES` do so for arrays, which come first.

>>> import math
>>> find(math.sin), find(np.sin), find(operator.add), find(print)
(Primitive('math.sin'), Primitive('np.sin'), Primitive('add'), None)
>>> find(np.sum)(np.ones((2, 3)), axis=0)
array([2., 2., 2.])
"""

from __future__ import annotations

import importlib
import math
import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ccc.later import has_run
from ccc.objects import Array, List, Product
from ccc.primitives import (
    adaptors,
    adaptors_arrays,
    adaptors_joining,
    adaptors_linalg,
    adaptors_reductions,
    along,
    arithmetic,
    barriers,
    bilinear,
    boundary,
    broadcasting,
    complex_parts,
    contractions,
    creation,
    decompositions,
    drawing,
    effects,
    eigen,
    elementary_math,
    elementary_numpy,
    factorisations,
    folds,
    fourier,
    gamma,
    guarded,
    indexing,
    inplace,
    joining,
    lists,
    maps,
    matrices,
    norms,
    positions,
    products,
    quantiles,
    rearranging,
    reductions,
    running,
    shaping,
    sinc,
    structure,
    sums,
    tapes,
    texts,
    updating,
    widening,
    zero_trees,
)
from ccc.primitives.arguments import items
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.facts import CALL, FOREIGN
from ccc.primitives.frozen import ARGUMENTS, HOLDERS, Arguments
from ccc.primitives.primitive import Primitive

MODULES: tuple[ModuleType, ...] = (
    arithmetic, guarded, elementary_math, gamma, sinc, elementary_numpy, reductions, bilinear, shaping, creation,
    joining, indexing, products, matrices, rearranging, positions, contractions, zero_trees, structure, lists, along,
    folds, maps, sums, broadcasting, inplace, updating, widening, boundary, barriers, effects, texts,
    decompositions, factorisations, norms, fourier, eigen, quantiles, drawing, running,
)
"""The modules of primitives, each loaded when something of it is asked for."""


def _collected(modules: Iterable[ModuleType]) -> tuple[Primitive, ...]:
    found: dict[str, Primitive] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Primitive):
                register(found, value)
    return tuple(found.values())


def register(found: dict[str, Primitive], p: Primitive) -> None:
    """Add a primitive to those of the language.

    >>> register({}, Primitive("twice", lambda x: x + x, lambda p, args, params: args[0], "twice({})"))
    Traceback (most recent call last):
    ValueError: `twice` does not say whose memory its result has, what its work is, and where it raises

    Raises `ValueError` where it has another's name, or lacks a fact.
    """
    if p.memory is FOREIGN or p.work == CALL or p.raises is None:
        raise ValueError(f"`{p.name}` does not say whose memory its result has, what its work is, and where it raises")
    if found.setdefault(p.name, p) is not p:
        raise ValueError(f"two primitives are named `{p.name}`")


def _everything() -> dict[str, Any]:
    """All primitives, in a fixed order, and by their names; those on tapes of recursive functions, which have no place
    in programs that users write; and all functions that something stands for."""
    found = _collected(MODULES)
    for library in TABLES:
        for _ in _asked(library):
            pass
    return {"PRIMITIVES": found, "BY_NAME": {p.name: p for p in found}, "TAPES": _collected([tapes]),
            "FUNCTIONS": _functions, "OPERATORS": _operators | {operator.matmul: bilinear.matmul}}


def __getattr__(name: str) -> Any:
    if name == "NAMES":
        return names()
    if name not in ("PRIMITIVES", "BY_NAME", "TAPES", "FUNCTIONS", "OPERATORS"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_everything())
    return globals()[name]


_names: dict[str, Any] = {"np": np, "math": math}
_unnamed = {module.__name__: module for module in (*MODULES, tapes)}


def names() -> dict[str, Any]:
    """What the printed sources of the primitives refer to that are loaded by now."""
    for name in [name for name in _unnamed if has_run(name)]:
        module = _unnamed[name]
        found = (tapes.touched, tapes.part_of_cotangent) if module is tapes else vars(module).values()
        _names.update({p.name: p.value for p in found if isinstance(p, Primitive) and p.name.isidentifier()})
        _unnamed.pop(name, None)
    return _names

BUILTINS: dict[Any, Callable[..., Any]] = {
    abs: arithmetic.absolute, float: texts.Reading(arithmetic.to_float, texts.real_in),
    int: texts.Reading(arithmetic.to_int, texts.whole_in), bool: arithmetic.truth,
    max: lambda *xs: arithmetic.largest(*_several(xs)), min: lambda *xs: arithmetic.smallest(*_several(xs)),
    pow: lambda base, exp, mod=None: (
        arithmetic.power(*_numbers(arithmetic.base_of(base, exp), exp)) if mod is None
        else elementary_math.power_modulo(base, exp, mod)),
    len: structure.length, range: structure.span,
    round: lambda number, ndigits=None: (
        arithmetic.rounded(number) if ndigits is None else arithmetic.rounded_to(number, ndigits)
    ),
}


def _several(xs: tuple[Any, ...]) -> list[Any]:
    return items(xs[0]) if len(xs) == 1 else list(xs)


def _numbers(*xs: Any) -> tuple[Any, ...]:
    """Arguments of an operator: a sequence beside an array is one too. Raises `TypeError` for other sequences."""
    if not any(isinstance(x, (list, tuple)) or isinstance(kind_of(x), (List, Product)) for x in xs):
        return xs
    if not any(not isinstance(x, (list, tuple)) and isinstance(kind_of(x), Array) for x in xs):
        raise TypeError("an operator needs numbers or arrays: found a sequence")
    return tuple(map(adaptors.real_array, xs))


_operators: dict[Any, Callable[..., Any]] = {
    p.value: p for p in vars(arithmetic).values()
    if isinstance(p, Primitive) and getattr(p.value, "__module__", None) == "_operator"
}


def is_operator(p: Primitive) -> bool:
    """Whether it stands for an operator.

    >>> is_operator(arithmetic.add), is_operator(elementary_math.sin)
    (True, False)
    """
    return p in _operators.values() or p.value is operator.matmul


ADAPTED: dict[Any, Callable[..., Any]] = {
    np.diag: adaptors.np_diag, np.arange: adaptors.np_arange,
    np.linspace: adaptors.np_linspace, np.dot: adaptors.np_dot, np.outer: adaptors.np_outer,
    np.matmul: adaptors.np_matmul, np.inner: adaptors.np_inner, np.vdot: adaptors.np_vdot,
    np.transpose: adaptors.np_transpose, np.reshape: adaptors.np_reshape, np.ravel: adaptors.np_ravel,
    np.squeeze: adaptors.np_squeeze, np.expand_dims: adaptors.np_expand_dims, np.swapaxes: adaptors.np_swapaxes,
    np.moveaxis: adaptors.np_moveaxis, np.flip: adaptors.np_flip, np.roll: adaptors.np_roll,
    np.broadcast_to: adaptors.np_broadcast_to, np.atleast_1d: adaptors.np_atleast_1d,
    np.atleast_2d: adaptors.np_atleast_2d, np.shape: adaptors.np_shape, np.ndim: adaptors.np_ndim,
    np.size: adaptors.np_size, np.array: adaptors.np_array, np.asarray: adaptors.np_asarray, np.copy: adaptors.np_copy,
    np.zeros: adaptors.np_zeros, np.ndarray: adaptors.np_ndarray,
    np.ones: adaptors.np_ones, np.full: adaptors.np_full, np.eye: adaptors.np_eye, np.identity: adaptors.np_identity,
    np.empty: adaptors.np_zeros, np.empty_like: adaptors.np_zeros_like,
    np.zeros_like: adaptors.np_zeros_like, np.ones_like: adaptors.np_ones_like,
    np.where: adaptors.np_where, np.clip: adaptors.np_clip, np.round: adaptors.np_round,
    **{np.dtype(code).type: adaptors.np_scalar(np.dtype(code).name) for code in np.typecodes["AllInteger"] + "?eg"},
    np.float64: adaptors.np_float64, np.float32: adaptors.np_float32,
    math.log: lambda x, *base: _log(x, *base), math.isclose: lambda a, b, *, rel_tol=1e-9, abs_tol=0.0: (
        elementary_math.isclose(a, b, rel_tol, abs_tol)
    ),
}


def _log(x: Any, *base: Any) -> Any:
    if not base:
        return elementary_math.log(x)
    (b,) = base
    return arithmetic.div(elementary_math.log(x), elementary_math.log(b))


def _elementary(module: ModuleType) -> dict[Any, Callable[..., Any]]:
    return {p.value: p for p in vars(module).values() if isinstance(p, Primitive)}


_functions: dict[Any, Callable[..., Any]] = _operators | BUILTINS | ADAPTED
"""What stands for functions, of the tables that are loaded by now."""
TABLES: dict[str, tuple[ModuleType, ...]] = {
    "_operator": (bilinear,),
    "math": (elementary_math, gamma),
    "ufunc": (elementary_numpy,),
    "numpy": (adaptors_reductions, adaptors_joining, adaptors_arrays, elementary_numpy, adaptors_linalg),
    "ccc": (elementary_math, gamma, elementary_numpy, complex_parts),
}
"""The modules that say what stands for the functions of a library, by `FUNCTIONS` or by their primitives: they are
loaded one after the other, until one knows the function that is asked for."""
_loaded = set[ModuleType]()


def _asked(library: str) -> Iterator[None]:
    """Have the next table of a library among those that are loaded, at each step."""
    for module in TABLES.get(library, ()):
        if module not in _loaded:
            for function, of in (getattr(module, "FUNCTIONS", None) or _elementary(module)).items():
                _functions.setdefault(function, of)
            _loaded.add(module)
        yield


if TYPE_CHECKING:
    PRIMITIVES: tuple[Primitive, ...]
    BY_NAME: dict[str, Primitive]
    NAMES: dict[str, Any]
    TAPES: tuple[Primitive, ...]
    FUNCTIONS: dict[Any, Callable[..., Any]]
    OPERATORS: dict[Any, Callable[..., Any]]

EXTENSIONS: dict[str, str] = {"numpy.fft": "ccc.primitives.adaptors_fft"} | {
    f"scipy.{name}": f"ccc.primitives.scipy_{name}"
    for name in ("fft", "stats", "linalg", "integrate", "optimize", "signal")
} | {"scipy.special": "ccc.primitives.scipy_specials"}
"""Libraries that a program may have imported, and the modules that say what stands for their functions: each has
`FUNCTIONS`, and `COMPLEX` where some take complex numbers. They are loaded when a function is asked for that nothing
else is known of."""
PACKAGES = {name.partition(".")[0] for name in EXTENSIONS}
LIBRARIES: dict[str, Any] = {}
"""What the printed sources of their primitives refer to."""
EXTENDED: dict[Any, Callable[..., Any]] = {}
COMPLEX: dict[Any, Callable[..., Any]] = {}
"""What stands for their functions where an argument is complex."""


def find(function: Any) -> Callable[..., Any] | None:
    """What to call in place of `function`: a primitive or an adaptor with its signature; None where there is none."""
    try:
        found = _functions.get(function)
        if found is None and (library := _library(function)) in TABLES:
            found = next((_functions[function] for _ in _asked(library) if function in _functions), None)
        if found is not None or is_elsewhere(function, PACKAGES):
            return found
        return extended().get(function)
    except TypeError:  # a callable without a hash
        return None


def _library(function: Any) -> str:
    """The package that a function, or the class of an object, is of; `ufunc` for those of NumPy's."""
    if isinstance(function, np.ufunc):
        return "ufunc"
    if isinstance(getattr(function, "__self__", None), np.ufunc):  # `accumulate` and its like
        return "numpy"
    module = getattr(function, "__module__", None)
    return (module if isinstance(module, str) else type(function).__module__).partition(".")[0]


def is_elsewhere(function: Any, packages: Collection[str]) -> bool:
    """Whether it is a function, a class or an object of a class that surely is none of these packages'. Objects of
    Python's own classes may be.

    >>> is_elsewhere(lambda x: x, ["numpy"]), is_elsewhere(np.median, ["numpy"]), is_elsewhere(range, ["numpy"])
    (True, False, True)
    >>> getattr(np.frompyfunc(abs, 1, 1), "__module__", None), is_elsewhere(np.frompyfunc(abs, 1, 1), ["numpy"])
    (None, False)
    """
    if isinstance(function, (FunctionType, BuiltinFunctionType, type)):
        module = function.__module__ or ""
        return module.partition(".")[0] not in packages and (bool(module) or isinstance(function, FunctionType))
    top = "numpy" if isinstance(function, np.ufunc) else _library(function)  # its own, as of what dispatches
    return top not in packages and top not in sys.stdlib_module_names


def extended() -> dict[Any, Callable[..., Any]]:
    """What stands for the functions of the libraries that the program has imported by now."""
    for library, module in imported(EXTENSIONS):
        EXTENDED.update(module.FUNCTIONS)
        COMPLEX.update(getattr(module, "COMPLEX", {}))
        top = library.partition(".")[0]
        LIBRARIES[top] = sys.modules[top]
    return EXTENDED


def imported(modules: dict[str, str]) -> Iterator[tuple[str, ModuleType]]:
    """The libraries among the keys that the program has imported by now, once each, and the modules of ours for them.

    >>> [name for name, _ in imported({"numpy": "ccc.objects", "gone": "ccc.gone"})]
    ['numpy']
    """
    for library in [name for name in modules if name in sys.modules]:
        yield library, importlib.import_module(modules[library])
        modules.pop(library, None)


def is_holder(x: Any) -> bool:
    """True for objects of a library whose methods may stand for something.

    >>> is_holder(1.0)
    False
    """
    extended()
    return isinstance(x, tuple(HOLDERS))


def name_of(holder: Any) -> str:
    """What an object of a library is called in it."""
    return getattr(holder, "name", None) or type(holder).__name__.removesuffix("_gen")


def arguments_of(x: Any) -> Arguments | None:
    """The object that was frozen, and the arguments; None for what was not."""
    extended()
    found = next((ARGUMENTS[cls] for cls in type(x).__mro__ if cls in ARGUMENTS), None) if ARGUMENTS else None
    return None if found is None else found(x)


def argument(x: Any, label: Any) -> Any:
    """A reader's part: an argument of what was frozen, by its position or its name."""
    found = arguments_of(x)
    assert found is not None
    return found[1][label] if isinstance(label, int) else found[2][label]
