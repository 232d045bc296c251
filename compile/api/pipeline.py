"""From a function and a signature to a compiled derivative: elaborate, derive, emit.

A `Plan` says what is wanted (value, gradient, pullback, differential), with respect to which parameters, under which
exponential. `build` makes the code for one signature; `ccc.compile.api.wrapper` caches it.
"""

from __future__ import annotations

import gc
import linecache
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ccc.compile.diagnostics import CompileError, Diagnostic, warned
from ccc.compile.frontend.captures import Reader
from ccc.compile.frontend.elaborate import Elaborated, elaborate, surveyed
from ccc.compile.numpy_source.emit import Emitted, Emitter
from ccc.compile.numpy_source.kept_memory import keep
from ccc.compile.numpy_source.places import remember
from ccc.compile.passes.improve import improve
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.dependence import depends
from ccc.compile.program.lam import Apply, Program, Tree, Var, dispose, leaves, like
from ccc.compile.terms import derive
from ccc.compile.terms.plan import Plan, derived
from ccc.errors import CannotStage
from ccc.objects import is_discrete
from ccc.primitives import effects

if TYPE_CHECKING:
    from ccc.compile.api.choice import Waiting

BACKENDS = ("numpy", "native", "auto")
BACKEND = "auto"
"""The backend of programs that name none: NumPy's without llvmlite."""


class Built:
    """One compiled program: the function, what it reads from outside, and the objects of its result; `left_to` says
    why the native target left the program to NumPy, `waiting` is a program that may become machine code later. The
    other stages it went through are not kept; `explain` makes them again."""

    __slots__ = ("call", "guards", "hidden", "left_to", "result", "waiting")

    def __init__(
        self, elaborated: Elaborated, call: Callable[..., Any], left_to: str = "", waiting: Waiting | None = None
    ) -> None:
        self.left_to = left_to
        self.waiting = waiting
        self.guards = elaborated.guards
        self.hidden = [h.read for h in elaborated.hidden]
        self.result = objects_of(elaborated.program.result)
        self.call = call


def objects_of(tree: Tree) -> Any:
    """The objects at the leaves of a tree; None where there is nothing to differentiate."""
    if isinstance(tree, tuple):
        return like(tree, map(objects_of, tree))
    return tree.object if isinstance(tree, Var) and not is_discrete(tree.object) else None


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
def build(
    function: Any, plan: Plan, args: Sequence[Any], kwargs: dict[str, Any], general: Collection[Reader] = (),
    known: Elaborated | None = None, read: Sequence[Any] = (),
) -> Built:
    """Compile a function for the types of these arguments, from its program where that is known; integers that the
    readers in `general` read are not known, and `read` says of each argument whether it holds ints that are read as
    floats.

    Raises `CompileError`s for what cannot be compiled. A derivative that cannot be staged under its exponential runs on
    the host base, with the same results.
    """
    keep()
    try:
        elaborated = known or elaborate(function, args, kwargs, general=general)
    except CompileError as error:
        if not general:
            surveyed(function, args, kwargs, error)
        raise
    if plan.kind != "value" and any(not 0 <= i < len(elaborated.program.params) for i in plan.wrt):
        raise IndexError(plan.wrt)
    warnings = [*elaborated.warnings, *constant_in(plan, elaborated.program, read)]
    try:
        program = derived(plan, elaborated.program)
    except CannotStage:
        if plan.kind not in ("gradient", "value_with_gradient", "pullback"):
            raise
        from ccc.compile.terms.host import on_host

        for found in warnings:
            warned(found)
        elaborated = elaborate(function, args, kwargs, general=general)
        return Built(elaborated, on_host(plan, elaborated.program))
    for found in warnings:
        warned(found)
    improve(program, plan.kind != "value")
    left_to, waiting = "", None
    backend = plan.backend or BACKEND
    if backend == "native":
        other = Late(copy_of_program(program), plan)
        call, left_to = in_machine_code(program, plan, other, given(function, elaborated, args, kwargs))
        call = other.function() if call is other else call
    else:
        call = load(emit(program, plan))
    if backend == "auto":
        waiting, left_to = waiting_for(program, plan, given(function, elaborated, args, kwargs))
    built = Built(elaborated, call, left_to, waiting)
    dispose(*[p for p in (program, elaborated.program) if waiting is None or p is not program])
    return built


def constant_in(plan: Plan, program: Program, read: Sequence[Any] = ()) -> Iterator[Diagnostic]:
    """A warning for each argument that is differentiated and that the result does not depend on. Ints that are read as
    floats may only say how often something is done."""
    last = program.block.lets[-1].op if program.block.lets else None
    if plan.kind == "value" or (isinstance(last, Apply) and last.primitive is effects.fail):
        return
    results = list(leaves(program.result))
    for i in plan.wrt:
        if i < len(read) and read[i]:
            continue
        name, tree = program.params[i]
        real = [leaf for leaf in leaves(tree) if not is_discrete(leaf.object)]
        if real and not depends(results, real):
            yield Diagnostic("CC024", f"the result does not depend on `{name}`; its derivative is always zero",
                             derive.span_of(program.result), severity="warning",
                             help=f"leave `{name}` out of `wrt`, or silence with ccc.without_derivative({name})")


def given(function: Any, elaborated: Elaborated, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments of a call of the program, with those that it reads from outside."""
    return [*args, *kwargs.values(), *[hidden.read(function) for hidden in elaborated.hidden]]


def in_machine_code(
    program: Program, plan: Plan, other: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], str]:
    """The program by the native target, for a first call with these arguments, or by the other one, with the reason."""
    from ccc.compile.native.target import NotNative, native

    try:
        return native(program, other, plan.kind == "pullback", args), ""
    except NotNative as error:
        return other, str(error)


def waiting_for(program: Program, plan: Plan, args: Sequence[Any]) -> tuple[Waiting | None, str]:
    """What decides when a program becomes machine code, for a first call with these arguments; or None, and why it
    never does."""
    from ccc.compile.api.choice import Waiting
    from ccc.compile.native.engine import MISSING, installed

    reason = "" if installed() else MISSING
    waiting = None if reason else Waiting(program, plan.kind == "pullback", args)
    return (None, reason) if waiting is None else (None, waiting.why()) if waiting.reason else (waiting, "")


@uncollected()
def settled(
    waiting: Waiting, other: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], str] | None:
    """The function of a program that was waited for, and why it is not native code where it never will be; None to
    wait on."""
    from ccc.compile.native.target import NotNative, available, linked

    call, left_to = other, available()
    try:
        if not left_to:
            found = waiting.settle(args)
            if found is not None:
                call = linked(found, waiting.program.name, other, args, tried=False)
            elif waiting.reason:
                left_to = waiting.why()
            else:
                return None
    except NotNative as error:
        left_to = f"native code does not take {error}"
    except RuntimeError as error:
        left_to = f"LLVM does not take it: {error}"
    dispose(waiting.program)
    return call, left_to


def chosen(program: Program, plan: Plan, args: Sequence[Any]) -> str:
    """Which backend computes a program whose calls have these arguments, and why it is not native code where that was
    asked for; the program is not used again."""
    from ccc.compile.native.target import NotNative, available, lowered

    backend = plan.backend or BACKEND
    if backend == "numpy":
        return "numpy"
    waiting, reason = waiting_for(program, plan, args) if backend == "auto" else (None, available())
    try:
        if waiting is not None:
            first = waiting.first(args)
            if not waiting.reason:
                return "native" if first == 1 else f"numpy, and native from call {first:,} on"
            reason = waiting.why()
        elif not reason:
            lowered(program, plan.kind == "pullback", args)
    except NotNative as error:
        reason = f"native code does not take {error}"
    return f"numpy: {reason}" if reason else "native"


def emit(program: Program, plan: Plan) -> Emitted:
    """The NumPy source of a program."""
    if plan.kind != "pullback":
        return Emitter(program).emitted()
    return Emitter(program, pullback_result).emitted()


def pullback_result(emitter: Emitter, result: Tree) -> str:
    value, function = result
    return f"{emitter.tree(value)}, {emitter.text(function)}"


_loaded: Counter[str] = Counter()


def load(emitted: Emitted) -> Callable[..., Any]:
    """The Python function of a source, its lines known to tracebacks."""
    _loaded[emitted.name] += 1
    filename = f"<ccc {emitted.name} {_loaded[emitted.name]}>"
    code = compile(emitted.source, filename, "exec")
    remember(filename, emitted.places)
    linecache.cache[filename] = (len(emitted.source), None, emitted.source.splitlines(True), filename)
    namespace = dict(emitted.namespace)
    exec(code, namespace)
    return namespace[emitted.name]


class Late:
    """The NumPy function of a program, which is written when it is first called."""

    def __init__(self, program: Program, plan: Plan) -> None:
        self.program, self.plan = program, plan
        self.lock = threading.Lock()
        self.made: Callable[..., Any] | None = None

    def function(self) -> Callable[..., Any]:
        with self.lock:
            if self.made is None:
                self.made = load(emit(self.program, self.plan))
                dispose(self.program)
        return self.made

    def __call__(self, *args: Any) -> Any:
        return (self.made or self.function())(*args)
