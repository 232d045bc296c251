"""Primitives that give together what others give of the same arguments, one each: a decomposition is computed once.

    w = eigenvalues(a)          both = np.linalg.eigh(a)
    v = eigenvectors(a)         w, v = part(both, index=0), part(both, index=1)

Programs are read and derived with one primitive for each result, since a cotangent of one of them is none of the
others; a pass writes the right side for the left one (`compile/passes/joint_calls`). A result says whose it is by
`one_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.additive import total
from ccc.objects import Object, Product
from ccc.primitives.facts import MAY, NEW, SYSTEMS
from ccc.primitives.primitive import Primitive
from ccc.primitives.structure import pack, part
from ccc.primitives.zero_trees import filled


def joint(
    name: str, value: Callable[..., Any], source: str | Callable[..., str], results: Callable[[], Sequence[Primitive]]
) -> Primitive:
    """A primitive of systems of equations that gives in a tuple what `results` give of the same arguments."""

    def type_rule(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
        return Product(tuple([each.type_of(args, params) for each in results()]))

    def pullback(ct: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
        found = [
            each.pullback(part(ct, index=i), part(y, index=i), *xs, **params)  # type: ignore[misc]
            for i, each in enumerate(results())
        ]
        return tuple([total(cts) for cts in zip(*found, strict=True)])

    def differential(ds: tuple[Any, ...], y: Any, *xs: Any, **params: Any) -> Any:
        parts = [part(y, index=i) for i in range(len(results()))]
        moved = [
            each.differential(ds, of, *xs, **params)  # type: ignore[misc]
            for each, of in zip(results(), parts, strict=True)
        ]
        return pack(*[filled(d, of) for d, of in zip(moved, parts, strict=True)])

    return Primitive(
        name, lambda *xs, **params: tuple(value(*xs, **params)), type_rule, source, pullback, differential,
        memory=NEW, work=SYSTEMS, raises=MAY,
    )


def tuple_of(source: Callable[..., str]) -> Callable[..., str]:
    """Prints as a tuple what a call of a library gives as one of its own class."""
    return lambda *xs, **params: f"tuple({source(*xs, **params)})"


def part_value(value: Callable[..., Any], i: int) -> Callable[..., Any]:
    """Computes one of the results of a call that has several."""
    return lambda *xs, **params: value(*xs, **params)[i]


def part_source(source: Callable[..., str], i: int) -> Callable[..., str]:
    """Prints one of the results of a call that has several."""
    return lambda *xs, **params: f"{source(*xs, **params)}[{i}]"
