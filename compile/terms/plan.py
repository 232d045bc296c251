"""What is to be computed of a program: its value or a derivative of it, and the program that does so."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from ccc.categories import forward
from ccc.categories.pointwise import Pointwise
from ccc.categories.reverse import Reverse
from ccc.compile.program.lam import Lit, Program, Tree, Var, leaves
from ccc.compile.terms import derive, meaning
from ccc.compile.terms.integer_cutoffs import refuse_lost
from ccc.compile.terms.wanted import Part, Steps
from ccc.objects import Object


class Kind(StrEnum):
    """What is wanted of a function.

    >>> Kind("pullback").reverse, Kind.DIFFERENTIAL.reverse, Kind.VALUE.derives
    (True, False, False)
    """

    VALUE = "value"
    MEANING = "meaning"
    GRADIENT = "gradient"
    VALUE_WITH_GRADIENT = "value_with_gradient"
    PULLBACK = "pullback"
    DERIVATIVE = "derivative"
    DIFFERENTIAL = "differential"

    @property
    def derives(self) -> bool:
        """Whether it is a derivative."""
        return self not in (Kind.VALUE, Kind.MEANING)

    @property
    def reverse(self) -> bool:
        """Whether the derivative is taken in reverse mode."""
        return self.derives and not self.forward

    @property
    def forward(self) -> bool:
        """Whether the derivative is taken in forward mode."""
        return self in (Kind.DERIVATIVE, Kind.DIFFERENTIAL)

    @property
    def linear(self) -> bool:
        """Whether it is a linear function, handed out beside the value."""
        return self in (Kind.PULLBACK, Kind.DIFFERENTIAL)


class Plan:
    """What is to be computed, with respect to which parameters, under which exponential; `bare` hands out the one
    cotangent instead of a tuple of them; `backend` names the target, None the default; with `aux` the result is a pair
    of which only the first part is differentiated; `steps` lead to the part of each parameter that is differentiated,
    where that is not all of it; `memory_limit` is how many bytes may be kept by loops for the derivative;
    `verb` is what the user asked for."""

    __slots__ = ("aux", "backend", "bare", "exponential", "kind", "memory_limit", "steps", "verb", "wrt")

    def __init__(
        self, kind: str, wrt: tuple[int, ...], exponential: Any, bare: bool = False, backend: str | None = None,
        aux: bool = False, steps: Sequence[Steps] = (), memory_limit: int | None = None, verb: str = "",
    ) -> None:
        self.verb = verb or kind
        self.memory_limit = memory_limit
        self.aux = aux
        self.steps = steps or ((),) * len(wrt)
        self.backend = backend
        self.kind = Kind(kind)
        self.wrt = wrt
        self.exponential = exponential
        self.bare = bare

    def examples(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """What the function is elaborated at in a call."""
        return args, kwargs

    writes = True
    """Whether the changes that the function makes of its caller's are written back."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is differentiated."""
        return tuple(map(Part, self.wrt, self.steps))

    def of_value(self) -> Plan:
        """The plan of the value alone."""
        return Plan(Kind.VALUE, (), None, backend=self.backend)

    @property
    def staged(self) -> bool:
        """Whether a term is read in a category, and what is recorded read back."""
        return self.kind is not Kind.VALUE

    @property
    def derives(self) -> bool:
        """Whether it is a derivative."""
        return self.kind.derives

    @property
    def reverse(self) -> bool:
        """Whether the derivative is taken in reverse mode."""
        return self.kind.reverse

    @property
    def pullback(self) -> bool:
        """Whether the program gives a value and a function."""
        return self.kind is Kind.PULLBACK

    @property
    def valued(self) -> bool:
        """Whether the gradient comes with the value."""
        return self.kind is Kind.VALUE_WITH_GRADIENT

    @property
    def category(self) -> Pointwise:
        """The category in which a derivative is read off the program."""
        return forward.Forward() if self.kind.forward else Reverse(self.exponential)


class Interpretation(Plan):
    """The meaning in a category, at arguments that stand for values of these objects there; None is for those that
    stand for none, and are constants."""

    __slots__ = ("given", "objects")

    writes = False

    def __init__(self, category: Pointwise, objects: Sequence[Object | None], backend: str | None = None) -> None:
        super().__init__(Kind.MEANING, (), None, backend=backend)
        self.given = category
        self.objects = objects

    @property
    def category(self) -> Pointwise:
        return self.given

    def of(self, program: Program) -> Program:
        """The program that is read in the category."""
        return program

    def examples(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        pairs = zip([*args, *kwargs.values()], self.objects, strict=True)
        found = [x if a is None else a for x, a in pairs]
        return found[: len(args)], dict(zip(kwargs, found[len(args):], strict=True))


def derived(plan: Plan, program: Program) -> Program:
    """The program of a plan."""
    if isinstance(plan, Interpretation):
        return meaning.meaning(plan.of(program), plan.category, [a is not None for a in plan.objects])
    if not plan.derives:
        derive.check_first_order(program)
        program.block.results = [atom for atom in leaves(program.result) if isinstance(atom, (Var, Lit))]
        return program
    refuse_lost(program, plan.parts)
    if plan.pullback:
        return derive.pullback(program, plan.parts, plan.category, plan.bare, plan.aux)
    if plan.reverse:
        return derive.reverse(program, plan.parts, plan.category, plan.bare, plan.valued, plan.aux, plan.verb)
    return derive.forward(program, plan.parts, plan.category, ones=plan.kind is Kind.DERIVATIVE, aux=plan.aux)


# -- what a function changes of its caller's --------------------------------------------------------------------------


def ending(plan: Plan, program: Program, state: tuple[Tree, ...] | None) -> tuple[Plan, Program]:
    """A plan and a program that gives, beside its result, what is written back: of a pair, nothing but the first part
    is differentiated. A differential gives tangents alone, since the call that gave the value has written back."""
    if state is None or plan.kind is Kind.DIFFERENTIAL:
        return plan, program
    result = program.result
    if not plan.aux:
        result = result, state
    elif type(result) is tuple and len(result) == 2:  # else it is refused
        result = result[0], (result[1], state)
    plan = Plan(plan.kind, plan.wrt, plan.exponential, plan.bare, plan.backend, plan.derives, plan.steps,
                plan.memory_limit, plan.verb)
    return plan, Program(program.name, program.params, program.block, result)


def apart(kind: Kind, aux: bool, found: Any) -> tuple[Any, Any]:
    """What a program of such an ending gives without what is written back, and that.

    >>> apart(Kind.GRADIENT, True, ("cts", ("aux", ("state",)))), apart(Kind.VALUE, False, ("value", ("state",)))
    ((('cts', 'aux'), ('state',)), ('value', ('state',)))
    """
    if kind in (Kind.VALUE_WITH_GRADIENT, Kind.PULLBACK):
        (value, beside), rest = found
        return (((value, beside[0]), rest), beside[1]) if aux else ((value, rest), beside)
    first, beside = found
    return ((first, beside[0]), beside[1]) if aux else (first, beside)
