"""A function read in a category: the arrow that it means there, compiled.

    interpret(f : A, B => C, K)        K.of(A), K.of(B) |-> K.of(C)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.categories.pointwise import Pointwise
from ccc.categories.reverse import Reverse
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend import known_functions
from ccc.compile.frontend.derivation import names_of
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.program.deep import deeply
from ccc.compile.terms import derive
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.plan import Interpretation, Kind, Plan
from ccc.objects import REAL, Array, List, Object, Product
from ccc.objects_of_values import object_of
from ccc.wording import in_words


class Interpreted(Transform):
    """A function in a category, called with what stands there for its arguments."""

    kind = Kind.MEANING
    verb = "interpret"

    def __init__(self, function: Callable[..., Any], category: Pointwise, backend: str | None = None) -> None:
        self.category = category
        super().__init__(function, backend=backend)

    def __ccc_form__(self) -> Any:
        parameters = tuple([(name, x) for name, x in vars(self.category).items() if name != "base"])
        try:
            hash(parameters)
        except TypeError:
            return *super().__ccc_form__(), self.category
        return *super().__ccc_form__(), type(self.category), parameters

    def prepared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs

    def reading(self, args: tuple[Any, ...], kwargs: dict[str, Any], positions: Sequence[int]) -> tuple[None, None]:
        return None, None  # ints stay ints

    def refuse(self, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int]) -> None:
        """Nothing is differentiated."""

    def plan_for(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Plan:
        names = names_of(self.function, len(args), kwargs)
        values = [*args, *kwargs.values()]
        objects = [self.stands_for(name, object_of(x)) for name, x in zip(names, values, strict=True)]
        return Interpretation(self.category, objects, self.backend)

    def stands_for(self, name: str, a: Object) -> Object | None:
        """The object for a value of which an argument stands; None for a constant."""
        found = self.category.under(a)
        if found is None and isinstance(a, Product):
            kind = type(self.category).__name__
            value = next((part for part in a.parts[:1] if isinstance(part, (Array, List))), REAL)
            raise WrongArguments(f"`{name}` is {in_words(a)}, which stands for nothing in `{kind}`",
                                 help=f"{in_words(value)} stands there as {in_words(self.category.of(value))}")
        return found

    def taken(self, e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        raise WrongArguments("a function is read in a category from outside, not in a program that is compiled",
                             help="call what ccc.interpret gives outside of it").placed(e.place(node, frame))


def followed(f: Callable[..., Any], k: Reverse, backend: str | None) -> Callable[..., Any]:
    """The meaning of a function in `Reverse(L=...)`, for which its term is read at each call."""
    if backend is not None:
        raise WrongArguments("what is asked of numbers is read off the term, which no target runs",
                             help="leave `backend` out")

    @telling
    @deeply
    def meaning(*args: Any, **kwargs: Any) -> Any:
        program, given = elaborate(f, args, kwargs).program, (*args, *kwargs.values())
        derive.check_first_order(program)
        return k.behind(abstract(program), given[0] if len(given) == 1 else given)

    return meaning


@telling
@deeply
def interpret(
    f: Callable[..., Any], category: Pointwise | type[Pointwise], *misplaced: Any, backend: str | None = None
) -> Callable[..., Any]:
    """The meaning of a function in a category, compiled: `interpret(f, K)(*args)` takes what stands in K for the
    arguments of `f`, and gives what stands there for its value.

    >>> import ccc
    >>> interpret(lambda x, y: x * y, ccc.Forward())((2.0, 1.0), (3.0, 0.0))
    (6.0, 3.0)
    >>> interpret(ccc.gradient(lambda x: x ** 3), ccc.Forward())((2.0, 1.0))
    (12.0, 12.0)

    The category is a pointwise one, of yours or of the project: `ccc.Layered` is the shortest to derive one from. Its
    `of` says what stands for a value; a number, array or list that stands for none is a constant. Loops, branches and
    functions mean what the category says. What is compiled has no trace of it. In `Reverse(L=...)` the meaning gives
    the value, and what the arguments are asked where something is asked of it:

    >>> value, asks = interpret(lambda x, y: x * x + y, ccc.Reverse(L=ccc.semirings.NUMBERS))(3.0, 1.0)
    >>> value, asks(1)
    (10.0, (2, 1))

    Raises `CompileError` for what cannot be compiled, `MissingMeaning` (file, line and caret) for what the category
    does not say, `CannotStage` for what it cannot say of values that are not known yet, `WrongArguments` for a
    category that is not pointwise, and for a tuple that stands for nothing in it.

    Source: *The Differentiable Curry*, "Recipe for AD: compile first to CCC algebra".
    """
    if misplaced:
        raise WrongArguments("interpret takes a function and a category, and gives a function",
                             help="write interpret(f, K)(...)")
    k = category() if isinstance(category, type) else category
    if not isinstance(k, Pointwise):
        raise WrongArguments(f"a function is read in a pointwise category, found {type(category).__name__}",
                             help="derive it from ccc.Layered or ccc.Pointwise, or read the term in it: "
                                  "ccc.functor(category, ccc.arrow(f, ...))")
    if isinstance(k, Reverse) and k.L is not None:
        return followed(f, k, backend)
    if k.instead:
        raise WrongArguments("the arrows of `Reverse` give pullbacks, for which no value can stand", help=k.instead)
    return Interpreted(f, k, backend)


known_functions.OPERATORS[interpret] = interpret
