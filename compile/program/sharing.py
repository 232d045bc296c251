"""Which values share memory with others, as far as the operation that makes them tells."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply
from ccc.objects import Array, Coproduct, List, Map, Object, Product
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

VIEWS = frozenset({
    "np.transpose", "np.swapaxes", "np.moveaxis", "np.flip", "np.reshape", "np.ravel", "np.squeeze", "np.expand_dims",
    "np.atleast_1d", "np.atleast_2d", "np.broadcast_to", "np.diag", "reshape_like", "broadcast_like", "expanded",
    "unbroadcast", "matched", "np.einsum", "np.diagonal", "np.rot90", "np.linalg.matrix_power",
    "rows", "part", "item", "pack", "list", "record", "field", "append", "without_last", "set_item", "item_along",
    "set_along", "add_along", "append_along", "without_last_along",
    "concat", "behind", "sliced", "repeated", "spread", "widen", "to_list", "add_trees", "cut", "piece", "pieces",
    "pad", "updated",
    "mapping", "lookup", "put", "remove", "merged", "copied", "values_of", "from_pairs", "entry", "add_entry",
    "without_entry", "inside", "outside", "gathered",
    "stop", "again", "shaped", "inject", "project", "touched_field", "field_cotangent", "as_cotangent", "arrived",
})
"""The primitives whose result may share memory with an argument; `index` does so without arrays in its key."""


def may_share(op: Apply) -> bool:
    """True where the result of a primitive may share memory with an argument."""
    if op.primitive.name == "index":
        return "a" not in op.params["pattern"]
    return op.primitive.name in VIEWS or is_foreign(op.primitive)


def is_foreign(p: Primitive) -> bool:
    """True for primitives that a user declared: nothing is known of the memory of their results."""
    known = registry.BY_NAME.get(p.name)
    return p.name not in registry.TAPES and known is not p and (known is None or not p.errors)


def basic_index(op: Any) -> bool:
    """True for an index without arrays in its key, which gives a view."""
    return isinstance(op, Apply) and op.primitive.name == "index" and "a" not in op.params["pattern"]


def mutable(a: Object) -> bool:
    """True for values that can be changed or that hold such values."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, Array | List | Map) or any(map(mutable, inside))
