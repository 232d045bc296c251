"""Meshes of devices whose axes are `Explicit`: programs leave it to XLA how what they compute is divided, so their
arrays are taken on the same mesh with axes that are `Auto`, and results are given back on the mesh of the arguments.

No item moves: it is another name for where it is. Inside of `shard_map` what is one array in all parts of the mesh, and
what is another in each, are of two types, which branches and loops do not mix.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, SingleDeviceSharding

from ccc.compile.xla.handing import is_unknown, numbers_in
from ccc.records import mapped


class Meshes:
    """The meshes of the arguments of a call, by what stands for them."""

    def __init__(self) -> None:
        self.explicit: dict[Any, Mesh] = {}

    def automatic(self, x: Any) -> Any:
        """A value with its arrays on meshes that leave it to XLA."""
        return mapped(self._automatic, x)

    def _automatic(self, x: Any) -> Any:
        sharding = x.sharding if isinstance(x, jax.Array) and not is_unknown(x) else None
        if not isinstance(sharding, NamedSharding) or not isinstance(sharding.mesh, Mesh):
            return x
        mesh = sharding.mesh
        if all([kind == AxisType.Auto for kind in mesh.axis_types]):
            return x
        auto = Mesh(mesh.devices, mesh.axis_names, axis_types=(AxisType.Auto,) * len(mesh.axis_names))
        self.explicit[auto] = mesh
        return jax.device_put(x, NamedSharding(auto, sharding.spec, memory_kind=sharding.memory_kind))

    def given(self, x: Any) -> Any:
        """A result on the meshes of the arguments."""
        return mapped(self._given, x) if self.explicit else x

    def _given(self, x: Any) -> Any:
        sharding = x.sharding if isinstance(x, jax.Array) else None
        mesh = self.explicit.get(sharding.mesh) if isinstance(sharding, NamedSharding) else None
        if mesh is None or not isinstance(sharding, NamedSharding):
            return x
        return jax.device_put(x, NamedSharding(mesh, sharding.spec, memory_kind=sharding.memory_kind))


def on_no_mesh(x: Any) -> bool:
    """Whether a value, which is there, is known at once to hold no array that is divided."""
    return type(getattr(x, "sharding", None)) is SingleDeviceSharding or isinstance(x, (np.ndarray, float, int))


def on_one_device(args: Any) -> bool:
    """Whether all arrays of arguments are on one device."""
    return all([len(x.sharding.device_set) == 1 for x in numbers_in(args) if isinstance(x, jax.Array)])


def divided(x: Any) -> frozenset[Any]:
    """The axes of a mesh along which an array in a value may be another in each part, inside of `shard_map`."""
    found: list[frozenset[Any]] = []
    for array in jax.tree_util.tree_leaves(x):
        kind = jax.typeof(array)
        found.append(getattr(getattr(kind, "manual_axis_type", kind), "varying", frozenset()))
    return frozenset().union(*found)


def varying(x: Any, axes: frozenset[Any]) -> Any:
    """A value whose arrays may be others in each part along these axes."""
    def leaf(array: Any) -> Any:
        more = tuple(axes - divided(array))
        return jax.lax.pcast(array, more, to="varying") if more else array

    return jax.tree_util.tree_map(leaf, x) if axes else x
