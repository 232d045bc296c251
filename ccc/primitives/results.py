"""What the results of a primitive are, asked of samples of its arguments: of what a real is made, and whether it is an
array whatever stands for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ccc.errors import CCCError
from ccc.objects import Array, Int, List, Map, Object, Product, Real, array
from ccc.primitives.facts import FOREIGN
from ccc.primitives.primitive import Primitive, broadcast_axes, by_sampling, elementwise, is_real, sample


def real_by(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> tuple[int, ...] | None:
    """The numbers and arrays among arguments of which one real makes the result real where all others are integers; of
    what makes reals of integers, none are needed: (). None where that is not known.

    >>> from ccc.primitives import arithmetic, elementary_math, indexing
    >>> x = array("float64", ("n",))
    >>> real_by(arithmetic.add, (Real(), Real()), {}), real_by(elementary_math.exp, (Real(),), {})
    ((0, 1), ())
    >>> real_by(indexing.index, (x, Int()), {"pattern": ("i",)})
    (0,)
    """
    if any(isinstance(a, (List, Map, Product)) for a in args):
        return None
    whole = tuple(map(_as_whole, args))
    try:
        if is_real(p.type_of(whole, params)):
            return ()
        each = [p.type_of((*whole[:i], a, *whole[i + 1 :]), params) for i, a in enumerate(args)]
    except (CCCError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    return tuple([i for i, a in enumerate(each) if is_real(a)])


def gives_array(p: Primitive, args: tuple[Object, ...], params: dict[str, Any], sure: Sequence[bool]) -> bool:
    """Whether the result is an array, of the sizes that the type rule says, although numbers may stand for those of the
    arrays among the arguments that are not `sure` to be some: what is elementwise has the sizes of those that are, and
    of the others with numbers it raises.

    >>> from ccc.primitives import arithmetic, indexing, shaping
    >>> x, one = array("float64", ("n", "n")), array("float64", ("1", "1"))
    >>> gives_array(indexing.index, (x, Int()), {"pattern": ("i",)}, (False, False))
    True
    >>> gives_array(shaping.astype, (x,), {"dtype": "float32"}, (False,))
    True
    >>> [gives_array(arithmetic.add, (x, y), {}, (False, True)) for y in (x, one)]
    [True, False]
    """
    if p.effect or p.memory is FOREIGN:
        return False
    if p.type_rule is elementwise:
        axes = broadcast_axes([a.axes for a in args if isinstance(a, Array)]) or ()
        known = [a.axes for a, surely in zip(args, sure, strict=True) if surely and isinstance(a, Array)]
        return axes != () and axes == broadcast_axes(known)
    if p.errors or p.program is not None or any([isinstance(a, (List, Map, Product)) for a in args]):
        return False  # a handler would be called; numbers may stand for arrays in lists, too
    unsure = tuple([i for i, a in enumerate(args) if isinstance(a, Array) and not sure[i]])
    if p.type_rule is by_sampling and not unsure:
        found = p.type_of(args, params)
        return isinstance(found, Array) and bool(found.axes)
    key = (args, tuple(params.items()), unsure)
    try:
        known = p.kept.get(key)
    except TypeError:  # a parameter without a hash
        return _gives_array(p, args, params, unsure)
    if known is None:
        known = p.kept[key] = _gives_array(p, args, params, unsure)
    return known


def _gives_array(p: Primitive, args: tuple[Object, ...], params: dict[str, Any], unsure: tuple[int, ...]) -> bool:
    """Whether samples give an array, and numbers in the place of those that are not sure raise."""
    whole = _sampled(p, args, params, ())
    ways = [numbers for n in range(1, len(unsure) + 1) for numbers in combinations(unsure, n)]
    return isinstance(whole, np.ndarray) and whole.shape != () and all(
        _sampled(p, args, params, numbers) is None for numbers in ways)


def _sampled(p: Primitive, args: tuple[Object, ...], params: dict[str, Any], numbers: tuple[int, ...]) -> Any:
    """The result for samples of arguments, of which some are `numbers`; None where they raise."""
    try:
        with np.errstate(all="ignore"):
            return p.value(*[0.0 if i in numbers else sample(a) for i, a in enumerate(args)], **params)
    except Exception:  # whatever the value raises is what is asked
        return None


def _as_whole(a: Object) -> Object:
    """Integers for reals."""
    if isinstance(a, Array):
        return array("int64", a.axes) if a.is_real else a
    if isinstance(a, Real):
        return Int("int64") if a.kind not in ("float", "any", "fraction") else Int()
    return a
