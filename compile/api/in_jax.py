"""Functions among those of JAX: `to_jax` makes one of a function, `from_jax` takes one into programs.

>>> import jax
>>> f = to_jax(lambda x: np.sum(x ** 3), backend="numpy")
>>> jax.jit(jax.grad(f))(jax.numpy.array([1.0, 2.0]))
Array([ 3., 12.], dtype=float32)

With `backend="xla"` a function is part of what JAX compiles (`ccc.compile.xla`). With others JAX calls it when it
runs, by one primitive of JAX: its tangents are another call of ours, linear in them, whose transpose is the call of our
pullback. So all that JAX does goes through, to all orders.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ccc.compile.api.derivatives_at import by_place, differential_at, pullback_at
from ccc.compile.api.targets import TARGETS
from ccc.compile.api.transforms import compiled
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend import known_functions
from ccc.compile.frontend.foreign import Foreign, Run, known_outside
from ccc.errors import CCCError
from ccc.records import mapped
from ccc.slots import Slot, apart, beside, filled, places_with

jx: Any = jax
"""Its stubs are private in parts."""


def is_real(x: Any) -> bool:
    """Whether an array has a derivative.

    >>> is_real(np.ones(2)), is_real(np.arange(2))
    (True, False)
    """
    return np.dtype(x.dtype).kind == "f"


# -- ours in JAX -------------------------------------------------------------------------------------------------------


class Called:
    """A call of a function of ours, for arrays of some sizes and dtypes: `args` has slots for those, `form` for the
    arrays in the value, which are `like` these. It is linear in the operands from the place `linear` on, as the
    differential or the pullback of another call, whose transpose is `turned`."""

    def __init__(
        self, f: Callable[..., Any], args: Any, operands: Sequence[Any], form: Any, like: Sequence[Any],
        backend: str | None, linear: int | None = None,
    ) -> None:
        self.f, self.args, self.form, self.backend, self.linear = f, args, form, backend, linear
        self.operands, self.like = list(operands), list(like)
        self.turned: Callable[[], Called] | None = None
        self.run = compiled(f, backend=backend)

    @property
    def name(self) -> str:
        return getattr(self.f, "__name__", "function")

    def specs(self) -> list[Any]:
        """The arrays that JAX gets; its doubles are singles where it is set so."""
        return [jax.ShapeDtypeStruct(y.shape, jax.dtypes.canonicalize_dtype(y.dtype)) for y in self.like]

    def host(self, *arrays: Any) -> list[Any]:
        """What our function gives, one array after the other."""
        given = [np.asarray(x).astype(like.dtype)[()] for x, like in zip(arrays, self.operands, strict=True)]
        found = beside(self.form, self.run(*filled(self.args, given)), len(self.like))
        for y, like in zip(found, self.like, strict=True):
            if np.shape(y) != like.shape:
                raise CCCError(f"`{self.name}` gives an array of the shape {np.shape(y)}, in JAX it has {like.shape}",
                               "say what it gives, to_jax(f, like=...), or let its sizes depend on sizes alone")
        return [np.asarray(y, spec.dtype) for y, spec in zip(found, self.specs(), strict=True)]

    # -- derivatives -------------------------------------------------------------------------------------------------

    @cached_property
    def real(self) -> list[int]:
        """The operands that have a derivative."""
        return [i for i, x in enumerate(self.operands) if is_real(x)]

    @cached_property
    def given(self) -> list[int]:
        """The arrays in the value that have one."""
        return [i for i, y in enumerate(self.like) if is_real(y)]

    @cached_property
    def places(self) -> tuple[int, ...]:
        return places_with(self.args, lambda i: is_real(self.operands[i]))

    @property
    def moved(self) -> Any:
        """The arguments that have real operands, with slots for these."""
        return tuple([self.args[i] for i in self.places])

    def among(self, form: Any, wanted: Sequence[int], offset: int) -> Any:
        """A structure with slots for those wanted alone, one behind the other."""
        order = {i: offset + n for n, i in enumerate(wanted)}
        return mapped(lambda x: Slot(order[x.place]) if isinstance(x, Slot) and x.place in order else None, form)

    @cached_property
    def pushed(self) -> Called:
        """The tangents of the real arrays in the value, of the operands and the tangents of the real ones."""
        ds = self.among(self.moved, self.real, len(self.operands))
        found = Called(
            differential_at(self.f, self.places), (self.args, ds),
            self.operands + [self.operands[i] for i in self.real],
            self.among(self.form, self.given, 0), [self.like[i] for i in self.given], self.backend, len(self.operands))
        found.turned = lambda: self.pulled
        return found

    @cached_property
    def pulled(self) -> Called:
        """The cotangents of the real operands, of the operands and the cotangents of the real arrays in the value."""
        ct = self.among(self.form, self.given, len(self.operands))
        found = Called(
            pullback_at(self.f, self.places), (self.args, ct), self.operands + [self.like[i] for i in self.given],
            self.among(self.moved, self.real, 0), [self.operands[i] for i in self.real], self.backend,
            len(self.operands))
        found.turned = lambda: self.pushed
        return found


CALL: Any = Primitive("ccc_call")
CALL.multiple_results = True


@CALL.def_impl
def _computed(*arrays: Any, call: Called) -> list[Any]:
    return [jnp.asarray(y) for y in call.host(*arrays)]


@CALL.def_abstract_eval
def _abstract(*arrays: Any, call: Called) -> list[Any]:
    return [jx.core.ShapedArray(y.shape, y.dtype) for y in call.specs()]


def _lowered(*arrays: Any, call: Called) -> list[Any]:
    return jax.pure_callback(call.host, call.specs(), *arrays)


def nothing(y: Any) -> Any:
    """The tangent of an array that has none."""
    return ad.Zero(jx.typeof(y).to_tangent_aval())


def _moved(primals: Sequence[Any], tangents: Sequence[Any], call: Called) -> tuple[list[Any], list[Any]]:
    ys = CALL.bind(*primals, call=call)
    ds = [ad.instantiate_zeros(tangents[i]) for i in call.real]
    found = dict(zip(call.given, CALL.bind(*primals, *ds, call=call.pushed), strict=True))
    return ys, [found[i] if i in found else nothing(y) for i, y in enumerate(ys)]


def _transposed(cts: Sequence[Any], *operands: Any, call: Called) -> list[Any]:
    assert call.linear is not None and call.turned is not None
    fixed = operands[: call.linear]
    found = CALL.bind(*fixed, *map(ad.instantiate_zeros, cts), call=call.turned())
    return [None] * len(fixed) + found


def _batched(operands: Sequence[Any], axes: Sequence[Any], call: Called) -> tuple[list[Any], list[int]]:
    at = [i for i, axis in enumerate(axes) if axis is not None]
    moving = [jnp.moveaxis(operands[i], axes[i], 0) for i in at]

    def one(rows: Any) -> list[Any]:
        each = dict(zip(at, rows, strict=True))
        return CALL.bind(*[each.get(i, x) for i, x in enumerate(operands)], call=call)

    return jax.lax.map(one, moving), [0] * len(call.like)


ad.primitive_jvps[CALL] = _moved
ad.primitive_transposes[CALL] = _transposed
batching.primitive_batchers[CALL] = _batched
mlir.register_lowering(CALL, mlir.lower_fun(_lowered, multiple_results=True))


@telling
def to_jax(f: Callable[..., Any], *, backend: str | None = None, like: Any = None) -> Callable[..., Any]:
    """A function as one of JAX: its arrays in, its arrays out, to be traced, mapped and differentiated by JAX.

    >>> import jax
    >>> f = to_jax(lambda w, x: np.sum(np.tanh(x @ w)), backend="numpy")
    >>> w, x = jax.numpy.zeros(2), jax.numpy.array([[1.0, 2.0], [3.0, 5.0]])
    >>> jax.jit(jax.grad(f))(w, x), jax.hessian(f)(w, x).shape, jax.vmap(f, (None, 0))(w, x)
    (Array([4., 7.], dtype=float32), (2, 2), Array([0., 0.], dtype=float32))

    Arguments and value are arrays in tuples, lists, dicts and objects; an array without axes is a number of NumPy for
    `f`, and what is no array is handed on. With `backend="xla"` the program is part of what JAX compiles; with others
    JAX calls it when it runs (`jax.pure_callback`), and `jit`, `vmap`, `grad`, `jvp`, `hessian` and `scan` go through,
    to all orders. Doubles in the value are what JAX makes of them. While JAX traces, sizes and dtypes of the value are
    those at other numbers of the same sizes, or those of `like`; a call whose value has others raises. Raises
    `WrongArguments` where they are not found, and what `gradient` raises.

    Source: JAX, `jax.pure_callback`.
    """
    if not callable(f):
        raise WrongArguments(f"to_jax takes a function, found {type(f).__name__}", help="write to_jax(f)(x)")
    if takes_arrays(backend):
        return with_arrays(compiled(f, backend=backend))

    @functools.wraps(f)
    def of_arrays(*args: Any, **kwargs: Any) -> Any:
        form, leaves = apart((*args, *kwargs.values()), is_array)
        function = by_place(f, tuple(kwargs))
        known = [None if isinstance(x, jx.core.Tracer) else np.asarray(x) for x in leaves]
        if not any(x is None for x in known):
            found = compiled(function, backend=backend)(*filled(form, [x[()] for x in known if x is not None]))
            return mapped(lambda y: jnp.asarray(y) if is_number(y) else y, found)
        operands = [made_up(x) if y is None else y for x, y in zip(leaves, known, strict=True)]
        found = like if like is not None else asked(function, form, operands, backend)
        value, arrays = apart(found, is_number)
        call = Called(function, form, operands, value, list(map(np.asarray, arrays)), backend)
        return filled(value, CALL.bind(*map(jnp.asarray, leaves), call=call))

    return of_arrays


def takes_arrays(backend: str | None) -> bool:
    """Whether a target computes with arrays of JAX itself, so that its programs are part of what JAX compiles."""
    own = TARGETS[backend].arrays() if backend in TARGETS else None
    return own is not None and own.cls is jax.Array


def is_array(x: Any) -> bool:
    return isinstance(x, (jax.Array, np.ndarray, np.generic))


def is_number(x: Any) -> bool:
    """True for what becomes an array of JAX in a value."""
    return isinstance(x, (np.ndarray, np.generic, float))


def made_up(x: Any) -> Any:
    """An array of NumPy as JAX says one is: real numbers between 0 and 1, or ones."""
    if np.dtype(x.dtype).kind == "f":
        return np.linspace(0.1, 0.9, x.size).reshape(x.shape).astype(x.dtype)
    return np.ones(x.shape, x.dtype)


def asked(f: Callable[..., Any], form: Any, operands: Sequence[Any], backend: str | None) -> Any:
    """What a function gives at arrays like these."""
    try:
        return compiled(f, backend=backend)(*filled(form, [x[()] for x in operands]))
    except CCCError:
        raise
    except Exception as error:
        name = getattr(f, "__name__", "function")
        raise WrongArguments(f"what `{name}` gives is not known while JAX traces: it raises {type(error).__name__} at "
                             f"numbers made up ({error})", help="say it by an example: to_jax(f, like=...)") from error


def with_arrays(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function at arrays of JAX for those of NumPy."""
    def called(*args: Any, **kwargs: Any) -> Any:
        given, named = [mapped(lambda x: jnp.asarray(x) if is_array(x) else x, part) for part in (args, kwargs)]
        return f(*given, **named)

    return called


# -- JAX in ours -------------------------------------------------------------------------------------------------------


class Jax:
    """JAX, for programs that call a function of its."""

    name = "JAX"
    traced = True

    def probed(self, function: Run, xs: Sequence[Any]) -> Any:
        with jax.enable_x64(True):
            found = jax.eval_shape(function, *xs)
        return jax.tree_util.tree_map(lambda y: np.ones(y.shape, y.dtype)[()], found)

    def computed(self, run: Run, xs: Sequence[Any]) -> tuple[Any, ...]:
        with jax.enable_x64(True):
            return tuple([np.array(y)[()] for y in run(*map(given, xs))])

    def vjp(self, run: Run, primals: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(jax.vjp(run, *primals)[1](tuple(cotangents)))

    def jvp(self, run: Run, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(jax.jvp(run, tuple(primals), tuple(tangents))[1])


def given(x: Any) -> Any:
    """A number or array as JAX takes it."""
    return jnp.asarray(x) if isinstance(x, (np.ndarray, np.generic, float)) else x


class OfJax(Foreign):
    """A function of JAX's, of arrays."""

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any([isinstance(x, jax.Array) for x in apart((args, kwargs), is_array)[1]]):
            return self.function(*args, **kwargs)
        with jax.enable_x64(True):
            found = self.function(*[mapped(given, x) for x in args], **{k: mapped(given, x) for k, x in kwargs.items()})
        return mapped(lambda y: np.array(y)[()] if isinstance(y, jax.Array) else y, found)


@telling
def from_jax(f: Callable[..., Any], *, like: Any = None) -> Callable[..., Any]:
    """A function of JAX as one of numbers and arrays, which programs call: JAX computes its value and its derivatives.

    >>> import jax
    >>> from ccc.compile.api.transforms import gradient
    >>> softmax = from_jax(jax.jit(jax.nn.softmax))
    >>> gradient(lambda x: softmax(x)[0] * x[1])(np.array([0.0, 0.0]))
    array([0. , 0.5])

    Arguments are numbers and arrays, in tuples, dicts and objects, in double precision where NumPy's are, whatever JAX
    is set to elsewhere; results are arrays in such structures, whose dtypes and axes JAX says (`jax.eval_shape`), or
    `like` by an example. Derivatives are of every order in both modes; what `f` reads beside its arguments is constant.
    With `backend="xla"` it is part of what is compiled. Raises `CompileError` where `f` refuses what it is given or its
    results are not known.

    Source: JAX, `jax.vjp` and `jax.jvp`.
    """
    if not callable(f):
        raise WrongArguments(f"from_jax takes a function of JAX, found {type(f).__name__}",
                             help="write from_jax(f)(x)")
    return OfJax(f, Jax(), like)


def in_a_program(f: Any, **options: Any) -> Any:
    """`from_jax` inside of a program, in which a function that JAX has under a name of NumPy's or SciPy's is theirs."""
    theirs = isinstance(f, np.ufunc) or str(getattr(f, "__module__", "")).startswith(("numpy", "scipy"))
    return f if theirs and not options else known_outside(from_jax)(f, **options)


known_functions.OPERATORS[from_jax] = in_a_program
__all__ = ["from_jax", "to_jax"]
