"""Programs among those of JAX: on its arrays, which stay where they are, and inside of what it traces.

    computed          at arrays of JAX: one call of what XLA compiled; the results are where XLA leaves them
    differentiable    at values that nobody knows yet, since JAX traces: the program is part of what it traces, and
                      where it differentiates that, it takes our pullback (`custom_vjp`)

Where Python would raise nothing can be raised while JAX traces: all real numbers of the result are NaN then, and
`jax.experimental.checkify` tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import checkify

from ccc.compile.program.lam import Tree, Var, two
from ccc.compile.program.target import Hosting, NotTaken
from ccc.compile.xla.calling import UNSIZED, Compiled, Outside
from ccc.compile.xla.forms import Fails
from ccc.compile.xla.frames import Frame
from ccc.compile.xla.handing import RAISES, handed, is_unknown, kept, leaf, numbers_in, on_device, on_host
from ccc.compile.xla.meshes import Meshes, divided, on_no_mesh, varying
from ccc.compile.xla.tapes import shared
from ccc.compile.xla.values import Closure
from ccc.objects import is_discrete
from ccc.records import mapped, parts_of


class Within:
    """A compiled program on arrays of JAX; the other function computes where Python raises."""

    def __init__(self, compiled: Compiled, other: Callable[..., Any]) -> None:
        self.compiled, self.other = compiled, other

    @property
    def params(self) -> Sequence[tuple[str, Any]]:
        """The parameters of the program."""
        return self.compiled.program.params

    @property
    def result(self) -> Tree:
        """The tree of the value."""
        result = self.compiled.program.result
        return two(result)[0] if self.compiled.pullback else result

    # -- at arrays -------------------------------------------------------------------------------------------------

    def computed(self, args: Sequence[Any]) -> Any:
        """The result at arrays that are there. Raises what Python raises."""
        meshes = None
        if not all(map(on_no_mesh, args)):
            meshes = Meshes()
            args = list(map(meshes.automatic, args))
        found = self.compiled.called(args)
        if found is None:
            return self.elsewhere(args)
        if not self.compiled.pullback:
            result = handed(found, self.result, kept)
            return result if meshes is None else meshes.given(result)
        return self.pullback_there(args, found[0], found[1], meshes or Meshes())

    def pullback_there(self, args: Sequence[Any], value: Any, closure: Closure, meshes: Meshes) -> Any:
        """The value and its pullback at arrays that are there."""

        def pull(*cotangents: Any) -> Any:
            if any(map(is_unknown, jax.tree_util.tree_leaves(cotangents))):
                return self.pulled(closure, cotangents)
            cts = self.compiled.pulled(closure, list(map(meshes.automatic, cotangents)))
            if cts is None:
                return self.elsewhere(args)[1](*cotangents)
            return meshes.given(handed(cts, closure.block.tree, kept))

        return meshes.given(handed(value, self.result, kept)), pull

    def elsewhere(self, args: Sequence[Any]) -> Any:
        """What the other function gives, which raises what Python raises."""
        found = self.other(*map(on_host, args))
        if not self.compiled.pullback:
            return on_device(found)
        return on_device(found[0]), lambda *cts: on_device(found[1](*map(on_host, cts)))

    # -- while JAX traces ------------------------------------------------------------------------------------------

    def traced(self, args: Sequence[Any]) -> tuple[Any, Any]:
        """What the program gives as JAX has it, and whether Python raises there, None where it does nowhere. Raises
        `NotTaken` where it depends on sizes that are not known."""
        with jax.enable_x64(True):
            self.compiled.saying.way.inside = True
            try:
                found, frame = self.compiled.sized(args, lambda jitted, numbers: jitted(numbers))
            except Outside:
                raise NotTaken("an integer that is larger than those of JAX") from None
            return found.whole(), self.raising(frame)

    def raising(self, frame: Frame) -> Any:
        """Whether Python raises, or a list gets longer than there is memory for."""
        if frame.needed is None:
            return frame.failed
        longer = frame.needed > self.compiled.capacity
        return longer if frame.failed is None else frame.failed | longer

    def pulled(self, closure: Closure, cotangents: Sequence[Any]) -> Any:
        """The cotangents that a pullback gives."""
        with jax.enable_x64(True):
            block, self.compiled.saying.way.inside = closure.block, True
            given = [leaf(ct, p.object) for ct, p in zip(cotangents, block.params, strict=True)]
            try:
                found, frame = self.compiled.pulling(block)(shared(closure), given)
            except UNSIZED as error:
                raise NotTaken("a size that is known only when it runs") from error
            except Fails as error:
                raise NotTaken("a pullback that raises") from error
            return marked(handed(found, block.tree, kept), self.raising(frame))

    def differentiable(self, args: Sequence[Any], pulled: Callable[[Sequence[int]], Hosting]) -> Any:
        """The result at values that nobody knows yet, which JAX differentiates by the pullback."""
        args = mapped(of_jax, list(args))
        if self.compiled.pullback:
            return self.with_pullback(args)
        positions = [i for i, x in enumerate(args) if any(map(is_moving, unknown_in(x)))]
        axes = divided(unknown_in(args))
        shown: list[Any] = []
        pullback: list[Within] = []

        def value(*given: Any) -> Any:
            found, raises = self.traced(with_unknown(args, given))
            with jax.enable_x64(True):
                result = marked(handed(found, self.result, kept), raises)
            shown[:] = [emptied(result)]
            return list(arrays_in(result)), raises

        def forward(*given: Any) -> Any:
            inner = pulled(positions)
            assert isinstance(inner, Within)
            pullback[:] = [inner]
            (found, closure), raises = inner.traced(with_unknown(args, given))
            with jax.enable_x64(True):
                result = marked(handed(found, inner.result, kept), raises)
            shown[:] = [emptied(result)]
            return (list(arrays_in(result)), raises), (closure, raises)

        def backward(kept_back: Any, cts: Any) -> tuple[Any, ...]:
            closure, raises = kept_back
            inner = pullback[0]
            given = list(cotangents_of(inner.result, filled(shown[0], map(moved_by, cts[0]))))
            with jax.enable_x64(True):
                found = marked(inner.pulled(closure, given), raises)
            return tuple(varying(beside(args, dict(zip(positions, found, strict=True))), axes))

        call = jax.custom_vjp(value)
        call.defvjp(forward, backward)
        found, raises = call(*varying(unknown_in(args), axes))
        if raises is not None:
            checkify.debug_check(~raises, RAISES)
        return filled(shown[0], found)

    def with_pullback(self, args: Sequence[Any]) -> Any:
        """A value and its pullback, which JAX traces through."""
        (found, closure), raises = self.traced(args)
        with jax.enable_x64(True):
            value = marked(handed(found, self.result, kept), raises)
        return value, lambda *cts: marked(self.pulled(closure, cts), raises)


def marked(x: Any, raises: Any) -> Any:
    """A value in which all real numbers are NaN where Python raises. Raises `NotTaken` where there is none."""
    if raises is None:
        return x
    if not any([jnp.issubdtype(a.dtype, jnp.inexact) for a in arrays_in(x)]) and any(True for _ in arrays_in(x)):
        raise NotTaken("what may raise and gives no real number, which could be NaN where it does")

    def mark(a: Any) -> Any:
        if not isinstance(a, jax.Array) or a.dtype == bool:
            return a
        inexact = jnp.issubdtype(a.dtype, jnp.inexact)
        return jnp.where(raises, jnp.asarray(jnp.nan if inexact else jnp.iinfo(a.dtype).min, a.dtype), a)

    return mapped(mark, x)


# -- arrays inside of values ------------------------------------------------------------------------------------------


def arrays_in(x: Any) -> Iterator[Any]:
    """The arrays of JAX in a value, from left to right."""
    return iter([leaf for leaf in numbers_in(x) if isinstance(leaf, jax.Array)])


class Place:
    """Stands for an array."""


def emptied(x: Any) -> Any:
    """A value with places for its arrays."""
    return mapped(lambda leaf: Place if isinstance(leaf, jax.Array) else leaf, x)


def filled(x: Any, arrays: Any) -> Any:
    """A value with arrays in its places for them."""
    given = iter(arrays)
    return mapped(lambda leaf: next(given) if leaf is Place else leaf, x)


def unknown_in(x: Any) -> list[Any]:
    """The arrays that nobody knows yet in a value."""
    return [leaf for leaf in arrays_in(x) if is_unknown(leaf)]


def with_unknown(x: Any, arrays: Any) -> Any:
    """The value with others in their places."""
    given = iter(arrays)
    return mapped(lambda leaf: next(given) if is_unknown(leaf) else leaf, x)


def of_jax(x: Any) -> Any:
    """A value that `vmap` was given as an array of NumPy's, in the precision that JAX says it has."""
    return jax.device_put(x) if is_unknown(x) and not jax.config.jax_enable_x64 else x  # type: ignore[attr-defined]


def is_moving(x: Any) -> bool:
    """Whether an array has real numbers, in which it is differentiated."""
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def moved_by(ct: Any) -> Any:
    """A cotangent of JAX's, None for one of integers."""
    return None if ct.dtype == jax.dtypes.float0 else ct


def cotangents_of(tree: Tree, cts: Any) -> Iterator[Any]:
    """The cotangents that a pullback takes, of a value with cotangents in the places of its arrays."""
    if isinstance(tree, tuple):
        for part, ct in zip(tree, parts_of(cts) or (), strict=True):
            yield from cotangents_of(part, ct)
    elif isinstance(tree, Var) and not is_discrete(tree.object):
        yield cts


def beside(args: Sequence[Any], cts: dict[int, Any]) -> list[Any]:
    """The cotangents that stand beside the arrays of arguments that nobody knows yet; None for zero."""
    found: list[Any] = []

    def leaf(x: Any, ct: Any) -> None:
        if is_unknown(x):
            found.append(jnp.asarray(ct, x.dtype) if ct is not None and is_moving(x) else None)

    for i, x in enumerate(args):
        mapped(leaf, x, cts.get(i))
    return found
