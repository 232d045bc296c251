"""Functions with a derivative of their own, and functions that their pullback computes again, met inside a program.

A call of one is a primitive of the program that stands for two others, elaborated for the types of this call: the body,
which gives the value, and the rule, which gives the value and a pullback. Both are closed: what they read around them,
numbers from outside among it, is handed to the primitive as further arguments. The rule may call the function itself;
that call is the same primitive, which so has derivatives of every order.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any

from ccc.categories import rules
from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.frontend import inner_programs, rules_given, standing as at_call
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import ClosureValue, Frame
from ccc.compile.program.lam import Program, Var
from ccc.compile.terms.integer_cutoffs import jumps_of

RULES: dict[Any, Callable[..., Any]] = {}
"""The derivatives that users gave to functions."""

UNROLLED = 2  # rules of one function within its rule before known numbers among its arguments become parameters
Given = tuple[list[Any], dict[str, Any]]


def rule_of(e: Elaboration, function: Any) -> Callable[..., Any] | None:
    """The derivative that a user gave to a function; none while its own body is elaborated."""
    try:
        return None if not RULES or function in e.plain else RULES.get(function)
    except TypeError:  # without a hash
        return None


def checkpoint(e: Elaboration, function: Any, given: Given, node: ast.AST, frame: Frame | None) -> Any:
    """The value of a function whose pullback computes it once more."""
    call = at_call.Standing(e, name_of(function), *given, node, frame)
    made: list[inner_programs.Part] = []

    def elaborate() -> list[Var]:
        made[:] = [call.part(
            lambda args, kwargs: e.call(function, args, kwargs, *at_call.around(function, node, frame)), None)]
        return made[0].captured

    call.settled(elaborate)
    (body,) = made
    program = rules.Checkpoint(body.values(call.captured), body.results)
    params = [(v.name, v) for v in [*body.params, *call.captured]]
    program.jumps = jumps_of(Program(body.name, params, body.block, body.tree))  # type: ignore[arg-type]
    call.declare(body, program)
    return call.applied(call.atoms())


def name_of(function: Any) -> str:
    """What a function is called in a program."""
    name = getattr(function, "name", None) or getattr(function, "__name__", "") or type(function).__name__
    return name if name.isidentifier() else "function"


def custom(e: Elaboration, function: Any, rule: Any, given: Given, node: ast.AST, frame: Frame | None) -> Any:
    """The value of a function with a derivative of its own."""

    def body(call: at_call.Standing) -> inner_programs.Part:
        outer, e.plain = e.plain, e.plain | {function}
        try:
            return call.part(
                lambda args, kwargs: e.call(function, args, kwargs, *at_call.around(function, node, frame)), None)
        except UnsupportedPython as error:
            if any(d.code == "CC011" for d in error.diagnostics):  # called as it is, it might change a copy
                raise
            from ccc.compile.frontend import opaque

            return opaque.body(call, function, error)
        finally:
            e.plain = outer

    return standing(e, name_of(function), function, rule, body, given, node, frame)


def from_rule(e: Elaboration, rule: Any, given: Given, node: ast.AST, frame: Frame | None) -> Any:
    """The value of a function that is known by its rule alone."""

    def body(call: at_call.Standing) -> inner_programs.Part:
        def run(args: list[Any], kwargs: dict[str, Any]) -> Any:
            return rules_given.pair_of(call, rule, e.call(rule, args, kwargs, *at_call.around(rule, node, frame)))[0]

        return call.part(run, None)

    return standing(e, name_of(rule), rule, rule, body, given, node, frame)


def replaced(e: Elaboration, x: Any, function: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value whose cotangent is what the function makes of it."""
    name = name_of(function)
    known = f"replace_gradient_{name}" if name != "function" else "replace_gradient"
    call = at_call.Standing(e, known, [x], {}, node, frame)
    return rules_given.with_rule(call, lambda: call.part(lambda args, kwargs: args[0], None),
                     lambda args, kwargs: (args[0], function), function, captures=True)


def standing(
    e: Elaboration, name: str, function: Any, rule: Any, body: Callable[[at_call.Standing], inner_programs.Part],
    given: Given, node: ast.AST, frame: Frame | None,
) -> Any:
    """A call of a function with a rule: the primitive that is being made for it, if this call is in its own rule."""
    call = at_call.Standing(e, name, *bound(e, function, given, node, frame), node, frame)
    if isinstance(function, types.FunctionType):
        code = function.__code__
        call.names = [*code.co_varnames[: min(len(call.args), code.co_argcount)], *call.kwargs]
    one = function_key(function)
    if sum(other == one and found.under_way for (other, _), found in e.customs.items()) >= UNROLLED:
        call.leaf = (Var, float, int)  # a rule that calls the function at other numbers, which might never end
    key = (one, call.signature())
    known = e.customs.get(key)
    if known is not None and known.primitive is None:
        raise unsupported("CC060", f"`{name}` calls itself to find its value", call.place, help="give it an end")
    if known is not None:
        call.primitive, call.captured, call.tree = known.primitive, known.captured, known.tree
        call.gives_them = known.gives_them
        return call.applied(call.atoms())
    e.customs[key] = call
    kept, call.under_way, call.alone = False, True, function is rule
    survey, e.survey = e.survey, None  # what cannot be read is called
    try:
        found = rules_given.with_rule(call, lambda: body(call),
                          lambda args, kwargs: e.call(rule, args, kwargs, *at_call.around(rule, node, frame)), rule)
        kept = not isinstance(function, ClosureValue) and all(v.home is e.top for v in call.captured)
        return found
    finally:
        call.under_way, e.survey = False, survey
        if not kept:
            del e.customs[key]


def bound(e: Elaboration, function: Any, given: Given, node: ast.AST, frame: Frame | None) -> Given:
    """The arguments of a call by position, with defaults, so that a rule gives one cotangent for each parameter."""
    args, kwargs = given
    if not isinstance(function, types.FunctionType):
        return given
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return given
    defaults = Defaults(e, function, node, frame)
    found, named = list(args), dict(kwargs)
    for p in list(parameters)[len(args):]:
        if p.name not in named and p.name in defaults:
            named[p.name] = defaults[p.name]
        if p.kind is not p.KEYWORD_ONLY and p.name in named:
            found.append(named.pop(p.name))
    return found, named


def function_key(function: Any) -> Any:
    """What tells functions apart."""
    return (id(function.node), id(function.frame)) if isinstance(function, ClosureValue) else id(function)
