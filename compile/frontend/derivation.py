"""What a derivative says of itself, outside of programs and in them; `inline` takes those in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.elaborate import parameter_names
from ccc.compile.frontend.parts import parts_in
from ccc.compile.frontend.values import ClosureValue, RecordValue
from ccc.compile.program.lam import Node
from ccc.compile.terms.plan import Kind, Plan
from ccc.compile.terms.wanted import Steps
from ccc.objects import Object
from ccc.records import arrays_of_others, path_to, strangers


class Derivation:
    """What a derivative says of itself to the program in which it is taken: the function, its kind, and of what."""

    __slots__ = ()
    function: Any
    kind: Kind
    aux: bool
    arguments_of: Any = None
    """The function whose arguments these are, where that is not `function`."""

    def positions(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple[int, ...], str]:
        """Which parameters are differentiated, and how cotangents are handed out: bare, tuple or all."""
        raise NotImplementedError

    def steps(self) -> tuple[Steps, ...]:
        """The ways to the parts that are differentiated; none where all of each parameter is."""
        return ()

    def plan(self, positions: tuple[int, ...], form: str) -> Plan:
        """What is to be built."""
        raise NotImplementedError

    def refuse_integers(self, name: str, a: Object, count: int) -> None:
        """Refuse to differentiate in an array of integers that was asked for, or is all there is."""
        raise NotImplementedError


def innermost(function: Any) -> Any:
    """The function under any number of transforms."""
    while isinstance(function, Derivation):
        function = function.function
    return function


def names_of(function: Any, count: int, kwargs: dict[str, Any]) -> list[str]:
    """The names of the parameters that a call gives, also of a function nested in the one being compiled."""
    while isinstance(function, Derivation):
        function = function.function if function.arguments_of is None else function.arguments_of
    if isinstance(function, ClosureValue):
        spec = function.node.args
        named = [a.arg for a in [*spec.posonlyargs, *spec.args]][:count]
        rest = spec.vararg.arg if spec.vararg is not None else "arg"
        return [*named, *[f"{rest}[{i}]" for i in range(count - len(named))], *kwargs]
    return parameter_names(function, count, kwargs)


def called_name(function: Any) -> str:
    """What a function is called in messages."""
    return getattr(function, "__name__", "f")


def refuse_strangers(value: Any, name: str) -> None:
    """Refuse to differentiate in a container of numbers that is no structure."""
    if isinstance(value, (RecordValue, Node)):
        names = value.fields if isinstance(value, RecordValue) else value.names
        for label, part in zip(names, parts_in(value) or (), strict=True):
            refuse_strangers(part, name + path_to(value.cls, label))
        return
    if type(value) is tuple:
        for i, part in enumerate(value):
            refuse_strangers(part, f"{name}[{i}]")
        return
    for path, cls in arrays_of_others(value, name):
        raise WrongArguments(f"`{path}` is a {cls}, an array of another library", "CC025",
                             help=f"give `np.asarray({path})`")
    for path, what in strangers(value, name):
        raise WrongArguments(f"`{path}` is {what}, and no structure that is differentiated", "CC025",
                             help=f"make it a plain dict, list or tuple, or leave `{name}` out of `wrt`")
