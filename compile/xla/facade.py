"""NumPy as JAX has it, for the Python functions that primitives are: `jax.numpy` under NumPy's names.

What is given no value of JAX is computed by NumPy, so sizes stay known. A new array may be changed in its place, as
those functions do with what they made: it is `Changing`, which holds the array of JAX that it has become.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from ccc.compile.program.target import NotTaken
from ccc.compile.xla.values import is_traced


class Changing:
    """An array that is changed in its place."""

    __slots__ = ("array",)
    __array_priority__ = 1000

    def __init__(self, x: jax.Array | np.ndarray) -> None:
        self.array: Any = x

    def __jax_array__(self) -> Any:
        return self.array

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)

    @property
    def real(self) -> Any:
        return self.array.real

    @real.setter
    def real(self, value: Any) -> None:
        self.array = jax.lax.complex(self._part(value), self.array.imag)

    @property
    def imag(self) -> Any:
        return self.array.imag

    @imag.setter
    def imag(self, value: Any) -> None:
        self.array = jax.lax.complex(self.array.real, self._part(value))

    def _part(self, value: Any) -> Any:
        return jnp.broadcast_to(jnp.asarray(settled(value), self.array.real.dtype), self.array.shape)

    def __getitem__(self, key: Any) -> Any:
        return self.array[settled(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = settled(key), settled(value)
        if not any(map(is_traced, [self.array, key, value])):
            self.array[key] = value
            return
        self.array, given = jnp.asarray(self.array), jnp.asarray(value, self.array.dtype)
        whole = key is Ellipsis or (isinstance(key, slice) and key == slice(None))
        self.array = jnp.broadcast_to(given, self.array.shape) if whole else self.array.at[key].set(given)

    def __len__(self) -> int:
        return len(self.array)


def _forwarded(name: str) -> Callable[..., Any]:
    def call(self: Changing, *args: Any) -> Any:
        return getattr(self.array, name)(*map(settled, args))

    return call


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    setattr(Changing, f"__{_name}__", _forwarded(f"__{_name}__"))
    setattr(Changing, f"__r{_name}__", _forwarded(f"__r{_name}__"))
for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "iter", "bool", "int", "float",
              "index"):
    setattr(Changing, f"__{_name}__", _forwarded(f"__{_name}__"))


def settled(x: Any) -> Any:
    """A value without arrays that are changed in their places."""
    if isinstance(x, Changing):
        return x.array
    if type(x) in (tuple, list):
        return type(x)(map(settled, x))
    return x


class _Arrays(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, (jax.Array, np.ndarray, Changing))


class AnyArray(metaclass=_Arrays):
    """What `np.ndarray` means there."""


SAMPLE = np.ones((2, 2))


@cache
def makes_new(function: Callable[..., Any]) -> bool:
    """Whether an array that a function of NumPy's gives is no view of what it is given: it is asked at samples.

    >>> [makes_new(f) for f in (np.zeros, np.full_like, np.copy, np.exp, np.reshape, np.asarray, np.ravel)]
    [True, True, True, True, False, False, False]
    """
    for args in ((SAMPLE,), (2,), (SAMPLE, 1.0), (2, 1.0)):
        with suppress(Exception):  # of what takes other arguments nothing is known
            found = function(*args)
            return isinstance(found, np.ndarray) and not np.shares_memory(found, SAMPLE)
    return False


class Function:
    """A function of NumPy: of what JAX computes JAX's, of everything else NumPy's."""

    def __init__(self, of_numpy: Any, of_jax: Any) -> None:
        self.of_numpy, self.of_jax = of_numpy, of_jax

    def __call__(self, *args: Any, **options: Any) -> Any:
        args, options = settled(args), {key: settled(x) for key, x in options.items()}
        traced = any(map(is_traced, [*args, *options.values()]))
        found = self.of_jax(*args, **options) if traced else self.of_numpy(*args, **options)
        return Changing(found) if isinstance(found, (jax.Array, np.ndarray)) and makes_new(self.of_numpy) else found

    def at(self, x: Any, key: Any, value: Any) -> None:
        """`np.add.at`."""
        if not isinstance(x, Changing) or self.of_numpy is not np.add:
            raise NotTaken(f"`np.{self.of_numpy.__name__}.at`")
        x.array = x.array.at[settled(key)].add(jnp.asarray(settled(value), x.array.dtype))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of_numpy, name)


class Facade:
    """A module as JAX has it; classes, constants and exceptions are those of NumPy."""

    def __init__(self, module: ModuleType, own: ModuleType, instead: dict[str, Any]) -> None:
        self._module, self._own, self._instead = module, own, instead

    def __getattr__(self, name: str) -> Any:
        found = self._found(name)
        setattr(self, name, found)
        return found

    def _found(self, name: str) -> Any:
        theirs = getattr(self._module, name)
        if name in self._instead:
            instead = self._instead[name]
            if instead is _put_along_axis:
                return instead
            return Function(theirs, instead) if callable(instead) and not isinstance(instead, type) else instead
        own = getattr(self._own, name, None)
        if isinstance(theirs, ModuleType):
            return Facade(theirs, own, INSIDE.get(name, {})) if isinstance(own, ModuleType) else theirs
        if not callable(theirs) or isinstance(theirs, type):
            return theirs
        return Function(theirs, own if own is not None else _lacking(self._module, name))


def _lacking(module: ModuleType, name: str) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        raise NotTaken(f"`{module.__name__}.{name}`, which JAX does not have")

    return call


def _copy_to(x: Any, value: Any, where: Any = True) -> None:
    raise NotTaken("`np.copyto` of what is no new array")


def _put_along_axis(x: Any, places: Any, values: Any, axis: int | None) -> None:
    if not isinstance(x, Changing):
        raise NotTaken("`np.put_along_axis` of what is no new array")
    given = jnp.asarray(settled(values), x.array.dtype)
    x.array = jnp.put_along_axis(x.array, settled(places), given, axis, inplace=False)


def _take(x: Any, places: Any, axis: int | None = None) -> Any:
    """Of an array without items JAX gives a row of none, whatever the shape of the places is."""
    x, places = jnp.asarray(x), jnp.asarray(places)
    if x.size:
        return jnp.take(x, places, axis)
    return jnp.zeros(np.take(np.zeros(x.shape), np.zeros(places.shape, int), axis).shape, x.dtype)


def _not_unique(*args: Any, **options: Any) -> Any:
    raise NotTaken("a least-squares solution")


_cholesky = partial(jnp.linalg.cholesky, symmetrize_input=False)
INSIDE: dict[str, dict[str, Any]] = {"linalg": {
    "eigh": partial(jnp.linalg.eigh, symmetrize_input=False),
    "eigvalsh": lambda a, UPLO="L": jnp.linalg.eigh(a, UPLO, symmetrize_input=False)[0],
    "cholesky": lambda a, upper=False: (
        jnp.matrix_transpose(_cholesky(jnp.matrix_transpose(a))) if upper else _cholesky(a)),
    "lstsq": _not_unique,
}}
"""What JAX computes otherwise under the same name: of one triangle, NumPy reads no other."""
NP: Any = Facade(np, jnp, {
    "ndarray": AnyArray, "copyto": _copy_to, "put_along_axis": _put_along_axis, "take": _take,
    "sort": lambda x, axis=-1, kind=None: jnp.sort(x, axis),
    "argsort": lambda x, axis=-1, kind=None: jnp.argsort(x, axis),
    "array": lambda x, dtype=None, **options: jnp.array(x, dtype),
    "asarray": lambda x, dtype=None, **options: jnp.asarray(x, dtype),
    "asanyarray": lambda x, dtype=None, **options: jnp.asarray(x, dtype),
    "ascontiguousarray": jnp.atleast_1d, "asfortranarray": jnp.asarray,  # how they lie in memory JAX does not say
    "ldexp": lambda x, n: x * jnp.exp2(jnp.asarray(n, "float64")),
})
MATH: Any = Facade(math, jnp, {
    "lgamma": jax.scipy.special.gammaln, "erf": jax.scipy.special.erf, "erfc": jax.scipy.special.erfc,
    "gamma": jax.scipy.special.gamma,
    "isclose": lambda a, b, rel_tol=1e-9, abs_tol=0.0: (a == b) | (jnp.isfinite(a) & jnp.isfinite(b) & (
        jnp.abs(a - b) <= jnp.maximum(rel_tol * jnp.maximum(jnp.abs(a), jnp.abs(b)), abs_tol))),
})


def _choice(of_python: Callable[..., Any], of_jax: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        given = settled(args)
        if options or len(given) < 2 or not any(map(is_traced, given)):
            return of_python(*args, **options)
        found = given[0]
        for x in given[1:]:
            found = of_jax(found, x)
        return found

    return call


PYTHON: dict[str, Any] = {"max": _choice(builtins.max, jnp.maximum), "min": _choice(builtins.min, jnp.minimum)}
"""Functions of Python that compare."""
