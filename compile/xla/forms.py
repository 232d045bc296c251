"""What a primitive is in JAX. Most say it already: their values are Python functions of NumPy's functions, which JAX
has under the same names; such a function is taken with `jax.numpy` in the place of NumPy. The rest stands in `TABLE`.

Where a primitive may raise at arguments of its types, a flag says whether it does: at numbers that are not finite where
all arguments are, or as its entry says. What may raise and cannot be seen to is not taken.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import BuiltinFunctionType, CellType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.frontend.foreign import Flat
from ccc.compile.frontend.library_calls import is_of_numpy
from ccc.compile.program.lam import Absent, Atom, Let, Var
from ccc.compile.program.sharing import is_foreign
from ccc.compile.program.target import NotTaken
from ccc.compile.xla.facade import MATH, NP, PYTHON, AnyArray, settled
from ccc.compile.xla.frames import Run
from ccc.compile.xla.values import Grown, Span, Stacked, as_object, dtype_of, is_traced, items_of, refused
from ccc.objects import BOOL, INT, UNIT, Array, Exponential, Object, Real, Static, array, may_be_pythons
from ccc.objects_of_values import object_of
from ccc.primitives import lists
from ccc.primitives.domains import Sizes
from ccc.primitives.facts import STORAGE
from ccc.primitives.primitive import Primitive, elementwise
from ccc.primitives.raising import item_may_raise, may_raise
from ccc.primitives.sizes import Sized, constant
from ccc.records import like, mapped, parts_of


class Fails(Exception):
    """Python raises here, whatever the numbers are."""


Form = Callable[..., Any]


@dataclass(slots=True)
class Entry:
    """What is said of a primitive itself: its `form`, given the evaluator, the arguments, the parameters; and that `of`
    selections, which is neither item by item nor a reduction, given what computes it for other arguments, too."""

    form: Form | None = None
    of: Form | None = None


TABLE: dict[Primitive, Entry] = {}
"""What is said of those primitives that JAX does not know by their values."""


def form(*primitives: Primitive) -> Callable[[Form], Form]:
    """Enter the form of primitives."""
    def entered(f: Form) -> Form:
        for p in primitives:
            TABLE.setdefault(p, Entry()).form = f
        return f

    return entered


def form_of_selections(*primitives: Primitive) -> Callable[[Form], Form]:
    """Enter the form of primitives where selections are among the arguments."""
    def entered(f: Form) -> Form:
        for p in primitives:
            TABLE.setdefault(p, Entry()).of = f
        return f

    return entered


def entry(p: Primitive) -> Entry:
    """The entry of a primitive, which is empty where nothing is said."""
    return TABLE.get(p.plain) or Entry()


def applied(e: Run, p: Primitive, args: list[Any], params: dict[str, Any], let: Let) -> Any:
    """What a primitive gives."""
    (target,) = let.targets
    own = entry(p).form
    if p.effect:
        if own is None:
            raise NotTaken(f"`{p.name}`, which happens while it runs")
        return own(e, *args, objects=list(map(object_of_atom, let.args)), **params)
    owner = getattr(p.value, "__self__", None)
    if isinstance(owner, Flat) and owner.library.traced:
        found = owner.run(*args)
        return typed(found[0] if len(found) == 1 else tuple(found), target.object)
    if is_foreign(p):
        raise NotTaken(f"`{p.name}`, which JAX does not know")
    if not any(map(is_traced, args)):
        return known(p, args, params)
    objects = list(map(object_of_atom, let.args))
    for a in (target.object, *objects):
        if a != UNIT and not isinstance(a, (Static, Exponential)) and (reason := refused(a)):
            raise NotTaken(reason)
    if any(isinstance(x, Grown) for x in args) and p is not lists.append:
        raise NotTaken("a list that a loop makes longer and reads")
    if own is None and p.work == STORAGE:
        raise NotTaken(f"`{p.name}`")
    if p.type_rule is elementwise:
        refuse_misfits(e, args, objects)
    if own is not None:
        return typed(as_precise(lambda given: own(e, *given, **params), args, target.object), target.object)
    if target.object == BOOL or (isinstance(target.object, Array) and target.object.dtype == "bool"):
        args = compared(p, args, objects)
    given = as_precise(lambda given: derived_call(p, given, objects, params), args, target.object)
    found = typed(given, target.object)
    if target.object == INT and p.type_rule is elementwise:
        if p.value in (operator.add, operator.sub):
            e.moved(found, args[0], args[1], p.value)
        if not all([end is not None and abs(end) < LARGEST for end in e.interval(found)]):
            e.failing(overflows(p, args, params))
    if raises_on_numbers(p, args, objects, params):
        e.failing(leaves_numbers(p, args, found))
    return found


def raises_on_numbers(p: Primitive, args: list[Any], objects: list[Object], params: dict[str, Any]) -> bool:
    """Whether a primitive may raise at arguments of these sizes, which are known."""
    if p.type_rule is elementwise:
        return item_may_raise(p, objects, params)
    if sizes_decide(p, args, objects, params):
        return False
    exact = [sized(x, a) for x, a in zip(args, objects, strict=True)]
    return may_raise(p, [x.object for x in exact], params, sizes=lambda: Sizes(exact))


def sizes_decide(p: Primitive, args: list[Any], objects: list[Object], params: dict[str, Any]) -> bool:
    """Whether a primitive raises at sizes alone, which has shown while JAX traced: where it is linear in each array
    that JAX computes, or reads its sizes only, NumPy refuses no number."""
    groups = p.linear_of(params).groups(len(args))
    return not is_foreign(p) and all([
        not is_traced(x) or (isinstance(a, Array) and (i in p.sizes or any([i in group for group in groups])))
        for i, (x, a) in enumerate(zip(args, objects, strict=True))])


def sized(x: Any, a: Object) -> Sized:
    """The object of an argument with its sizes, which are known."""
    if not isinstance(a, Array):
        return Sized(a)
    shape = np.shape(x)
    return Sized(array(a.dtype, tuple(["1" if n == 1 else "n" for n in shape])), tuple(map(constant, shape)))


def typed(found: Any, a: Object) -> Any:
    """A result as its object says; what JAX does not compute, as a size, stays known."""
    return as_object(found, a) if is_traced(found) else found


def as_precise(give: Callable[[list[Any]], Any], args: list[Any], a: Object) -> Any:
    """What a function gives, with the digits that its object says: NumPy takes integers beside single precision, and by
    themselves, in double precision, JAX in single; then it is given them as doubles."""
    found = give(args)
    dtype = dtype_of(a)
    if dtype is None or not is_traced(found) or not is_coarser(found, dtype):
        return found
    return give([mapped(lambda x: jnp.asarray(x, dtype) if is_traced(x) else x, x) for x in args])


def is_coarser(x: Any, dtype: str) -> bool:
    """Whether an array has a dtype that has not all numbers of another one."""
    return isinstance(x, jax.Array) and np.promote_types(x.dtype, dtype) != x.dtype


def compared(p: Primitive, args: list[Any], objects: Sequence[Object]) -> list[Any]:
    """The arguments of a test item by item, in the dtype in which NumPy compares them."""
    dtypes = [dtype_of(a) for a in objects]
    if p.type_rule is not elementwise or None in dtypes or len({*dtypes}) == 1:
        return args
    dtype = np.result_type(*[np.dtype(d) for d in dtypes if d is not None])
    return [jnp.asarray(x, dtype) if isinstance(a, Array) else x for x, a in zip(args, objects, strict=True)]


def object_of_atom(atom: Atom) -> Object:
    """What an atom is; what was not made may be added, as the number 0."""
    if isinstance(atom, Var):
        return atom.object
    return Real() if isinstance(atom.value, Absent) else object_of(atom.value)


def known(p: Primitive, args: list[Any], params: dict[str, Any]) -> Any:
    """What NumPy computes of values that no argument decides."""
    try:
        with np.errstate(all="ignore"):
            return p.value(*args, **params)
    except Exception as error:
        raise Fails from error


def leaves_numbers(p: Primitive, args: list[Any], found: Any) -> Any:
    """Whether a result is not finite where all arguments are, or is no number where all are."""
    leaves = [x for x in jax.tree_util.tree_leaves(found) if jnp.issubdtype(x.dtype, jnp.inexact)]
    given = [x for x in jax.tree_util.tree_leaves(args) if not isinstance(x, int)
             and jnp.issubdtype(jnp.result_type(x), jnp.inexact)]
    if not leaves:
        raise NotTaken(f"`{p.name}` of values at which it may raise")
    return _worst(leaves) > _worst(given)


def _worst(arrays: list[Any]) -> Any:
    """The most that is wrong with a number of these: 1 where one is infinite, 2 where one is none."""
    found: Any = np.int32(0)
    for x in arrays:
        each = jnp.where(jnp.isnan(x), 2, jnp.where(jnp.isfinite(x), 0, 1)).astype("int32")
        found = jnp.maximum(found, jnp.max(each, initial=0))
    return found


LARGEST = 2.0**62


def overflows(p: Primitive, args: list[Any], params: dict[str, Any]) -> Any:
    """Whether Python's integers become larger than those that JAX has: by the same function of real numbers, which
    what works on bits has not, and only shifts make larger."""
    if p.value is operator.lshift:
        raise NotTaken(f"`{p.name}` of integers")
    try:
        found = in_jax(p.value)(*[jnp.asarray(x, "float64") for x in args], **params)
    except TypeError:
        return False
    return jnp.abs(found) > LARGEST


# -- the same function with JAX in the place of NumPy ----------------------------------------------------------------


def derived_call(p: Primitive, args: list[Any], objects: Sequence[Object], params: dict[str, Any]) -> Any:
    """What the value of a primitive gives with JAX in the place of NumPy."""
    given = [converted(x) for x in args]
    if p.type_rule is elementwise:
        given = weak(given, objects)
    try:
        return settled(in_jax(p.value)(*given, **params))
    except (NotTaken, Fails, jax.errors.ConcretizationTypeError, jax.errors.TracerIntegerConversionError):
        raise
    except (TypeError, ValueError, AttributeError, NotImplementedError, LookupError, jax.errors.JAXTypeError) as error:
        if raises_at_ones(p, args, params):
            raise Fails from error
        raise NotTaken(f"`{p.name}`: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from error


def raises_at_ones(p: Primitive, args: list[Any], params: dict[str, Any]) -> bool:
    """Whether NumPy raises, as JAX does, at arguments of these types and sizes, so that Python computes the call."""
    try:
        p.value(*[mapped(lambda x: np.ones(x.shape, x.dtype) if isinstance(x, jax.Array) else x, converted(x))
                  for x in args], **params)
    except Exception:  # whatever NumPy raises, JAX's stands for
        return True
    return False


def converted(x: Any) -> Any:
    """An argument: reals and arrays are JAX's, integers stay known where they are, stacked lists are lists."""
    if isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc"):
        return jnp.asarray(x)
    if isinstance(x, (Stacked, Span)):
        return items_of(x)
    parts = parts_of(x)
    return x if parts is None else like(x, list(map(converted, parts)))


def refuse_misfits(e: Run, args: list[Any], objects: Sequence[Object]) -> None:
    """Leave where an integer of Python's is none of a dtype beside it: NumPy raises, or compares it as it is."""
    beside = {np.dtype(dtype) for dtype in map(dtype_of, objects) if dtype not in (None, "int", "int64", "any")}
    for dtype in [dtype for dtype in beside if dtype.kind in "iu"]:
        info = np.iinfo(dtype)
        for n in [x for x, a in zip(args, objects, strict=True) if a == INT]:
            e.failing((n < info.min) | (n > min(info.max, 2**63 - 1)))


def weak(args: list[Any], objects: Sequence[Object]) -> list[Any]:
    """Python's numbers take the dtype of NumPy's beside them, as NumPy has it."""
    strong = [dtype_of(a) for a in objects if not may_be_pythons(a)]
    if not strong or None in strong:
        return [jnp.asarray(x) if isinstance(x, int) else x for x in args]
    dtype = np.result_type(*[np.dtype(s) for s in strong if s is not None])
    found = []
    for x, a in zip(args, objects, strict=True):
        if may_be_pythons(a):
            real = isinstance(a, Real) and dtype.kind in "iub"
            found.append(jnp.asarray(x, "float64" if real else "int64" if dtype.kind == "b" else dtype))
        else:
            found.append(x)
    return found


@lru_cache(maxsize=4096)
def in_jax(f: Any) -> Any:
    """A function of NumPy, or written with it, as one of JAX.

    Raises `NotTaken` for one that is neither.
    """
    if isinstance(f, Primitive):
        return in_jax(f.value)
    if isinstance(f, np.ufunc):
        return getattr(NP, f.__name__)
    if isinstance(f, partial):
        return partial(in_jax(f.func), *f.args, **f.keywords)
    if isinstance(f, FunctionType):
        module = f.__module__
        if module.startswith("numpy"):
            return _of_numpy(f)
        return rewritten(f)
    if isinstance(f, BuiltinFunctionType):
        module = getattr(f, "__module__", None)
        if module == "math":
            return getattr(MATH, f.__name__)
        if module in ("_operator", "operator"):
            return f
    if f in (len,):
        return f
    if isinstance(f, type):
        return f
    if callable(f) and is_of_numpy(f):
        return _of_numpy(f)
    raise NotTaken(f"`{getattr(f, '__name__', f)}`, which JAX does not know")


def _of_numpy(f: Any) -> Any:
    place: Any = NP
    for name in (getattr(f, "__module__", "numpy") or "numpy").split(".")[1:]:
        if not name.startswith("_"):
            place = getattr(place, name)
    return getattr(place, f.__name__)


def rewritten(f: FunctionType) -> FunctionType:
    """A Python function that sees JAX where it names NumPy, and so do the functions that it calls."""
    namespace = Namespace(f.__globals__)
    cells = tuple([CellType(seen(cell.cell_contents)) for cell in f.__closure__ or ()])
    made = FunctionType(f.__code__, namespace, f.__name__, f.__defaults__, cells)
    made.__kwdefaults__ = f.__kwdefaults__
    for name in f.__code__.co_names:
        if name in f.__globals__:
            namespace[name] = f if f.__globals__[name] is f else seen(f.__globals__[name])
    if f.__name__ in namespace and f.__globals__.get(f.__name__) is f:
        namespace[f.__name__] = made
    _inner(f.__code__, f, namespace)
    return made


def _inner(code: Any, f: FunctionType, namespace: dict[str, Any]) -> None:
    """What the functions inside a function name."""
    for inner in code.co_consts:
        if hasattr(inner, "co_names"):
            for name in inner.co_names:
                if name in f.__globals__ and name not in namespace:
                    namespace[name] = seen(f.__globals__[name])
            _inner(inner, f, namespace)


class Namespace(dict[str, Any]):
    """The globals of a rewritten function."""

    def __init__(self, of: dict[str, Any]) -> None:
        super().__init__({"__builtins__": of.get("__builtins__", builtins), "__name__": of.get("__name__"), **PYTHON})


def seen(x: Any) -> Any:
    """What a rewritten function sees in the place of a value."""
    if x is np:
        return NP
    if x is math:
        return MATH
    if x is np.ndarray:
        return AnyArray
    if isinstance(x, tuple):
        return tuple(map(seen, x))
    written = isinstance(x, FunctionType) and x.__module__.startswith("ccc.primitives")
    of_numpy = callable(x) and not isinstance(x, type) and is_of_numpy(x)
    if written or of_numpy or isinstance(x, (Primitive, np.ufunc)):
        return Late(x)
    if isinstance(x, BuiltinFunctionType) and getattr(x, "__module__", "") == "math":
        return Late(x)
    return x


class Late:
    """A function that is rewritten when it is first called."""

    def __init__(self, f: Any) -> None:
        self.f = f

    def __call__(self, *args: Any, **options: Any) -> Any:
        return in_jax(self.f)(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.f, name)

