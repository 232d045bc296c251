"""Where a number that is not finite arose, in a function or in its derivative: `debug_nans`.

A call runs as ever. Where its result holds NaN or infinity, the program of it, derivatives included, runs once more on
the host base, primitive by primitive; of each value that is not finite it is kept where the first of those was made
that it was made of. So a NaN of an arm that `np.where` does not take is never told.

>>> import math
>>> from ccc.compile.api.transforms import gradient
>>> try:
...     debug_nans(gradient(lambda x: x ** 0.5 * 2.0))(0.0)
... except NotFinite as error:
...     d = error.diagnostics[0]
...     print(d.message, "|", d.span.lines[d.span.line - 1][d.span.column : d.span.end_column])
infinity arises here, in the derivative | x ** 0.5
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ccc.categories.functions import Functions
from ccc.compile.api.pipeline import given
from ccc.compile.api.transforms import compiled
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import CompileError, telling
from ccc.compile.frontend import known_functions
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.host import Once, unit
from ccc.denotation import functor
from ccc.diagnostics import Diagnostic, call_site
from ccc.records import parts_of


class NotFinite(CompileError, FloatingPointError):
    """A result holds NaN or infinity."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A step that made a number that is not finite of such as are: the primitive, its label, arguments and result. It
    is the first step that has the number where that was `given`."""

    primitive: Any
    label: Any
    args: tuple[Any, ...]
    result: Any
    given: bool = False

    @property
    def derived(self) -> bool:
        return self.label is None or self.label.derived

    @property
    def place(self) -> Any:
        return None if self.label is None else self.label.place

    def said(self) -> str:
        return f"`{self.primitive.name}` of {', '.join(map(in_short, self.args))} gives {in_short(self.result)}"


def in_short(x: Any) -> str:
    """A value in a message: of an array, its entries that are not finite, or the first."""
    if isinstance(x, (float, np.floating)):
        return f"{float(x):.6g}"
    if isinstance(x, np.ndarray):
        return f"an array of shape {x.shape}" if x.size > 4 else f"{x.tolist()}"
    return repr(x) if isinstance(x, (int, np.integer)) else f"a {type(x).__name__}"


def leaves_of(x: Any) -> Iterator[Any]:
    """The numbers and arrays in a value, which may hold lists, tuples and objects."""
    parts = parts_of(x)
    if parts is None:
        if isinstance(x, (float, np.floating)) or (isinstance(x, np.ndarray) and x.dtype.kind == "f"):
            yield x
        return
    for part in parts:
        yield from leaves_of(part)


def is_nan(x: Any) -> bool:
    return bool(np.any(np.isnan(x)))


def is_finite(x: Any) -> bool:
    return bool(np.all(np.isfinite(x)))


class Watching(Once):
    """The host base, which keeps what each value that is not finite comes from."""

    def __init__(self) -> None:
        super().__init__()
        self.origins: dict[int, tuple[Any, Origin | None, Origin | None]] = {}  # of NaN, of infinity; and the value

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        y = super().apply(primitive, args, params, label)
        if primitive.program is None:
            bad = [leaf for leaf in leaves_of(y) if not is_finite(leaf) and id(leaf) not in self.origins]
            if bad:
                nan, infinite = self.of(args)
                of_nan = any([is_nan(leaf) for leaf in leaves_of(args)])
                of_infinite = any([not is_finite(leaf) for leaf in leaves_of(args)])
                here = Origin(primitive, label, args, y)
                came = Origin(primitive, label, args, y, True)
                for leaf in bad:
                    first = (nan or came) if of_nan else here if is_nan(leaf) else None
                    self.origins[id(leaf)] = leaf, first, (infinite or came) if of_infinite else here
        return y

    def of(self, value: Any) -> tuple[Origin | None, Origin | None]:
        """Where the first NaN and the first infinity in a value come from."""
        found = [self.origins[id(leaf)][1:] for leaf in leaves_of(value) if id(leaf) in self.origins]
        return next((n for n, _ in found if n), None), next((i for _, i in found if i), None)


def diagnosed(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Diagnostic:
    """What is said of a call whose result is not finite."""
    elaborated = elaborate(f, args, kwargs, writes=True, settles=True)
    program = elaborated.program
    values = [unit(tree, x) for (_, tree), x in zip(program.params, given(f, elaborated, args, kwargs), strict=True)]
    watching = Watching()
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        run = functor(Functions(watching), abstract(program))
        y = run(values[0] if len(values) == 1 else tuple(values))
    nan, infinite = watching.of(y)
    first = nan or infinite
    names = [name for (name, _), x in zip(program.params, [*args, *kwargs.values()], strict=False)
             if not all(map(is_finite, leaves_of(x)))]
    if first is None or first.given:
        whence = "it is a constant, or read from outside" if first else "it was not computed alike again"
        if names:
            whence = f"not finite where given: {', '.join([f'`{name}`' for name in names])}"
        mend = "look at the arguments: np.isfinite(x)" if names else "look where it comes from: np.isfinite(x)"
        if first is None:
            return Diagnostic("CC033", "the result is not finite", call_site(), (whence,), mend)
        what = "NaN" if nan is not None else "infinity"
        return Diagnostic("CC033", f"{what} comes in here", first.place or call_site(), (first.said(), whence), mend)
    notes = [first.said()]
    if nan is not None and infinite is not None and infinite is not nan:
        notes.append(f"infinity arose before: {infinite.said()}{f', at {infinite.place}' if infinite.place else ''}")
    where = ", in the derivative" if first.derived else ""
    mend = ("the slope of this step is not finite there: add a small number under the root, or take the step where "
            "np.where has made its argument safe") if first.derived else (
            "keep the arguments of this step where it is defined, as by np.maximum(x, 1e-12)")
    what = "NaN" if nan is not None else "infinity"
    return Diagnostic("CC033", f"{what} arises here{where}", first.place or call_site(), tuple(notes), mend)


class Watched:
    """A function whose results are looked at."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.run = f if isinstance(f, Transform) else compiled(f)
        self.__wrapped__ = f
        self.__name__ = f"debug_nans({getattr(f, '__name__', 'f')})"

    def __repr__(self) -> str:
        return self.__name__

    @telling
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before, named = copy.deepcopy((args, kwargs))
        found = self.run(*args, **kwargs)
        if all([is_finite(leaf) for leaf in leaves_of(found)]):
            return found
        run: Any = self.run
        prepared, named = run.prepared(before, named)
        raise NotFinite(diagnosed(run, prepared, named))

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return e.call(self.run, args, kwargs, node, frame)


def debug_nans(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function or derivative, which raises where NaN or infinity first arose, if its result holds some.

    >>> import numpy as np
    >>> from ccc.compile.api.transforms import gradient
    >>> slope = debug_nans(gradient(lambda x: np.sqrt(np.sum(x * x))))
    >>> slope(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    >>> slope(np.zeros(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ccc.compile.api.not_finite.NotFinite: error[CC033]: NaN arises here, in the derivative...

    Arguments and results are those of `f`, which is a function, `gradient(f)`, `hessian(f)` or another derivative whose
    results are numbers, arrays and structures of them; a pullback is none. Raises `NotFinite`, a `FloatingPointError`,
    with the line and caret of the step in `f`, said to be that of the derivative where that made it, its arguments,
    and the infinity that a NaN comes from. For that the program runs once more, on copies of the arguments and without
    printing; functions that cannot be read are called once more. Otherwise it costs a look at the result.

    Source: JAX, `jax_debug_nans`.
    """
    return Watched(f)


known_functions.OPERATORS[debug_nans] = debug_nans
__all__ = ["NotFinite", "debug_nans"]
