"""From a function and a signature to a compiled derivative: elaborate, derive, emit.

A `Plan` says what is wanted (value, gradient, pullback, differential), with respect to which parameters, under which
exponential. `build` makes the code for one signature; `compile.wrapper` caches it.
"""

from __future__ import annotations

import gc
import linecache
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.errors import CannotStage
from compile import derive
from compile.backends.emit import Emitted, Emitter
from compile.elaborate import Elaborated, elaborate
from compile.lam import Lit, Program, Tree, Var


class Plan:
    """What is to be computed, with respect to which parameters, under which exponential; `bare` hands out the one
    cotangent instead of a tuple of them."""

    __slots__ = ("bare", "exponential", "kind", "wrt")

    def __init__(self, kind: str, wrt: tuple[int, ...], exponential: Any, bare: bool = False) -> None:
        self.kind = kind
        self.wrt = wrt
        self.exponential = exponential
        self.bare = bare


class Built:
    """One compiled program: the function, what it reads from outside, and every stage it went through."""

    __slots__ = ("call", "derived", "elaborated", "emitted", "plan")

    def __init__(self, plan: Plan, elaborated: Elaborated, derived: Program, emitted: Emitted | None,
                 call: Callable[..., Any]) -> None:
        self.plan = plan
        self.elaborated = elaborated
        self.derived = derived
        self.emitted = emitted
        self.call = call


def derived(plan: Plan, elaborated: Elaborated) -> Program:
    """The derivative program of a plan."""
    program = elaborated.program
    if plan.kind == "value":
        derive.check_first_order(program)
        return program
    if plan.kind in ("gradient", "value_with_gradient"):
        result = derive.reverse(program, plan.wrt, plan.exponential)
        if plan.bare:
            value, (cotangent,) = result.result
            result.result = (value, cotangent)
        return part_of(result, 1) if plan.kind == "gradient" else result
    if plan.kind == "pullback":
        return derive.pullback(program, plan.wrt, plan.exponential, plan.bare)
    result = derive.forward(program, plan.wrt, ones=plan.kind == "derivative")
    return part_of(result, 1)


def part_of(program: Program, index: int) -> Program:
    """The program of one part of the result, what only the others need left out."""
    from compile.readback import Liveness

    result = program.result[index]
    Liveness(program.block, result).sweep(program.block)
    return Program(program.name, program.params, program.block, result)


@contextmanager
def uncollected() -> Iterator[None]:
    """No cycle collection meanwhile: compiling makes many objects and no garbage worth looking for."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@uncollected()
def build(function: Any, plan: Plan, args: Sequence[Any], kwargs: dict[str, Any]) -> Built:
    """Compile a function for the types of these arguments.

    Raises `CompileError`s for what cannot be compiled. A derivative that cannot be staged under its exponential runs on
    the host base, with the same results.
    """
    elaborated = elaborate(function, args, kwargs)
    if plan.kind != "value" and any(not 0 <= i < len(elaborated.program.params) for i in plan.wrt):
        raise IndexError(plan.wrt)
    try:
        program = derived(plan, elaborated)
    except CannotStage:
        if plan.kind not in ("gradient", "value_with_gradient", "pullback"):
            raise
        from compile.host import on_host

        elaborated = elaborate(function, args, kwargs)
        return Built(plan, elaborated, elaborated.program, None, on_host(plan, elaborated.program))
    emitted = emit(program, plan)
    return Built(plan, elaborated, program, emitted, load(emitted))


def emit(program: Program, plan: Plan) -> Emitted:
    """The NumPy source of a program."""
    if plan.kind != "pullback":
        return Emitter(program).emitted()
    return Emitter(program, pullback_result).emitted()


def pullback_result(emitter: Emitter, result: Tree) -> str:
    value, function = result
    return f"{emitter.tree(value)}, {emitter.text(function)}"


def load(emitted: Emitted) -> Callable[..., Any]:
    """The Python function of a source, its lines known to tracebacks."""
    filename = f"<ccc {emitted.name}>"
    code = compile(emitted.source, filename, "exec")
    linecache.cache[filename] = (len(emitted.source), None, emitted.source.splitlines(True), filename)
    namespace = dict(emitted.namespace)
    exec(code, namespace)
    return namespace[emitted.name]


__all__ = ["Built", "Lit", "Plan", "Var", "build", "derived", "emit", "load"]
