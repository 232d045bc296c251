"""Functions and rules that cannot be read: the program calls them as they are.

A function with a rule is called for its value; what that is of is found from its annotation, or at sample arguments.
A rule that cannot be read is called for its pullback once more when that is needed; it has derivatives of order one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ccc.additive import ZERO, dense, is_zero
from ccc.categories.rules import Checkpoint, cotangents_of
from ccc.compile.diagnostics import CompileError, TypeMismatch
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.parts import parts_in
from ccc.compile.frontend.values import RecordValue
from ccc.compile.program.lam import Block, BlockKind, Tree, Var, leaves, like, valued
from ccc.errors import CCCError, MissingDerivative
from ccc.objects import INT, REAL, Object, Product, is_discrete
from ccc.primitives import boundary, structure, zero_trees
from ccc.primitives.facts import MAY
from ccc.primitives.primitive import Primitive, by_sampling
from ccc.records import made, parts_of

ANNOTATED = {"float": REAL, "int": INT, float: REAL, int: INT}


def python_value(template: Any, given: Iterator[Any]) -> Any:
    """A value of Python with the structure of one of the compiler, its numbers and arrays taken from `given`."""
    if isinstance(template, RecordValue):
        return made(template.cls, tuple(template.fields), [python_value(v, given) for v in template.fields.values()])
    if isinstance(template, tuple):
        return valued(template, [python_value(part, given) for part in template])
    return next(given) if isinstance(template, (Object, float)) else template


def of_objects(template: Any) -> Any:
    """A value of the compiler with the objects of its variables in their places: nothing else is kept of those."""
    if isinstance(template, RecordValue):
        return RecordValue(template.cls, {name: of_objects(part) for name, part in template.fields.items()})
    if isinstance(template, tuple):
        return like(template, [of_objects(part) for part in template])
    return template.object if isinstance(template, Var) else template


def calling(call: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called with the numbers and arrays of the arguments one after the other."""
    args, kwargs = of_objects(tuple(call.args)), {name: of_objects(a) for name, a in call.kwargs.items()}

    def called(*given: Any) -> Any:
        leaves_ = iter(given)
        placed = [python_value(a, leaves_) for a in args]
        return function(*placed, **{k: python_value(a, leaves_) for k, a in kwargs.items()})

    return called


def body(call: Any, function: Callable[..., Any], error: CompileError) -> Any:
    """A program that calls the function; where its values cannot be told, the error with which it was not read."""
    value, name = calling(call, function), call.name  # which is what is kept of the call
    block = Block(BlockKind.FUNCTION)
    call.parameters(block)
    try:
        annotation = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        annotation = None
    wanted = ANNOTATED.get(annotation) if isinstance(annotation, (str, type)) else None
    primitive = Primitive(
        name, value, by_sampling if wanted is None else lambda p, args, params: wanted,
        lambda *xs: f"{name}({', '.join(xs)})", raises=MAY,
    )

    def result() -> Any:
        try:
            return call.e.always(primitive, tuple(block.params))
        except CCCError:
            raise
        except Exception as failure:  # what the function raises at samples
            raise error from failure

    found = call.e.inside(block, lambda: opened(call.e, result()))
    block.results = list(leaves(found))
    return Part(name, list(block.params), block, found)


def opened(e: Elaboration, value: Any) -> Any:
    """A tuple of the program as its parts."""
    a = value.object
    if not isinstance(a, Product):
        return value
    return tuple([opened(e, e.always(structure.part, (value,), index=i)) for i in range(len(a.parts))])


class Called(Checkpoint):
    """A body whose rule is called as it is."""

    def __init__(self, term: Any, rule: Callable[..., Any], call: Any, body: Any, error: CompileError) -> None:
        super().__init__(term, body.results)
        self.rule = calling(call, rule)
        self.mismatch = error.with_traceback(None) if isinstance(error, TypeMismatch) else None
        """It was found while the rule was read."""
        self.tree = of_objects(body.tree)
        self.params = [v.object for v in body.params]
        self.real = [i for i, a in enumerate(self.params) if not is_discrete(a)]
        self.templates = [of_objects(a) for a in (*call.args, *call.kwargs.values())]
        first = str(error).partition("\n")[0].partition(": ")[2]
        self.why = f"the derivative of `{call.name}` is called as it is and has no derivative itself: {first}"
        objects = [self.params[i] for i in self.real]
        one: Object = objects[0] if len(objects) == 1 else Product(tuple(objects))
        name = f"pullback_of_{call.name}"
        self.pulled = Primitive(name, self.pull, lambda p, args, params: one,
                                lambda *xs: f"{name}({', '.join(xs)})", self.refuse, self.refuse, raises=MAY)

    def refuse(self, *args: Any, **params: Any) -> Any:
        raise MissingDerivative(self.why, "write the rule so that it can be read, or stop the derivative with "
                                "ccc.without_derivative")

    def pull(self, *given: Any) -> Any:
        """The cotangents of the real arguments, from the cotangents of the real results and the arguments."""
        count = sum(not is_discrete(a) for a in self.results)
        seeds, xs = iter(given[:count]), given[count:]
        try:
            _, pullback = self.rule(*xs)
            cts = pullback(cotangent(self.tree, seeds))
        except (TypeError, ValueError, LookupError) as error:
            if self.mismatch is not None:
                raise self.mismatch from error
            raise
        templates = self.templates
        found = list(flat(templates, (cts,) if len(templates) == 1 and not isinstance(cts, tuple) else cts))
        found = [boundary.conform.value(found[i], xs[i]) for i in self.real]
        return found[0] if len(found) == 1 else tuple(found)

    def reverse(self, category: Any, xs: Sequence[Any]) -> Any:
        y = self.value(category.base, xs)

        def pullback(ct: Any) -> tuple[Any, ...]:
            cts: list[Any] = [ZERO] * len(xs)
            if is_zero(ct):
                return tuple(cts)
            ys = [y] if len(self.results) == 1 else [structure.part(y, index=i) for i in range(len(self.results))]
            cts_ = zip(cotangents_of(self.results, ct), ys, self.results, strict=True)
            seeds = [zero_trees.filled(dense(c), v) for c, v, a in cts_ if not is_discrete(a)]
            found = category.base.apply(self.pulled, (*seeds, *xs[: len(self.params)]), {}, None)
            for n, i in enumerate(self.real):
                cts[i] = found if len(self.real) == 1 else structure.part(found, index=n)
            return tuple(cts)

        return y, pullback

    def forward(self, category: Any, xs: Sequence[Any], dxs: Sequence[Any]) -> Any:
        return self.refuse()


def cotangent(tree: Tree, given: Iterator[Any]) -> Any:
    """The cotangent of a result in its structure."""
    if isinstance(tree, tuple):
        return valued(tree, [cotangent(part, given) for part in tree])
    return next(given) if isinstance(tree, Object) and not is_discrete(tree) else None


def flat(templates: Sequence[Any], cts: Any) -> Iterator[Any]:
    """The cotangents of the numbers and arrays in arguments, one after the other."""
    for template, ct in zip(templates, cts if cts is not None else [None] * len(templates), strict=True):
        inner = parts_in(template)
        if inner is not None:
            yield from flat(inner, None if ct is None else parts_of(ct))
        elif isinstance(template, (Object, float)):
            yield ct
