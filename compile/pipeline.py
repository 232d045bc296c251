"""From a function and a signature to a compiled derivative: elaborate, derive, emit.

A `Plan` says what is wanted (value, gradient, pullback, differential), with respect to which parameters, under which
exponential. `build` makes the code for one signature; `compile.wrapper` caches it.
"""

from __future__ import annotations

import gc
import linecache
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ccc.errors import CannotStage
from ccc.objects import is_discrete
from compile import derive
from compile.backends.emit import Emitted, Emitter
from compile.elaborate import Elaborated, elaborate
from compile.lam import Lit, Program, Tree, Var, leaves, like
from compile.redundancy import without_redundancy

if TYPE_CHECKING:
    from compile.backends.native.target import Lowered

BACKENDS = ("numpy", "native", "auto")
BACKEND = "numpy"
"""The backend of programs that name none."""


class Plan:
    """What is to be computed, with respect to which parameters, under which exponential; `bare` hands out the one
    cotangent instead of a tuple of them; `backend` names the target, None the default."""

    __slots__ = ("backend", "bare", "exponential", "kind", "wrt")

    def __init__(
        self, kind: str, wrt: tuple[int, ...], exponential: Any, bare: bool = False, backend: str | None = None
    ) -> None:
        self.backend = backend
        self.kind = kind
        self.wrt = wrt
        self.exponential = exponential
        self.bare = bare


class Built:
    """One compiled program: the function, what it reads from outside, and the objects of its result; `left_to` says
    why the native target left the program to NumPy. The stages it went through are not kept; `explain` makes them
    again."""

    __slots__ = ("call", "guards", "hidden", "left_to", "result")

    def __init__(self, elaborated: Elaborated, call: Callable[..., Any], left_to: str = "") -> None:
        self.left_to = left_to
        self.guards = elaborated.guards
        self.hidden = [h.read for h in elaborated.hidden]
        self.result = objects_of(elaborated.program.result)
        self.call = call


def objects_of(tree: Tree) -> Any:
    """The objects at the leaves of a tree; None where there is nothing to differentiate."""
    if isinstance(tree, tuple):
        return like(tree, map(objects_of, tree))
    return tree.object if isinstance(tree, Var) and not is_discrete(tree.object) else None


def dispose(*programs: Program) -> None:
    """Take programs apart: variables and blocks know each other, so nothing else would free them at once."""
    todo = [program.block for program in programs]
    while todo:
        block = todo.pop()
        for let in block.lets:
            todo += let.op.blocks
            for target in let.targets:
                target.home = target.definition = None
        block.lets = []
        block.parent = block.mirror = block.owner = None


def derived(plan: Plan, elaborated: Elaborated) -> Program:
    """The derivative program of a plan."""
    program = elaborated.program
    if plan.kind == "value":
        derive.check_first_order(program)
        program.block.results = [atom for atom in leaves(program.result) if isinstance(atom, Var | Lit)]
        return program
    if plan.kind in ("gradient", "value_with_gradient"):
        return derive.reverse(program, plan.wrt, plan.exponential, plan.bare, plan.kind == "value_with_gradient")
    if plan.kind == "pullback":
        return derive.pullback(program, plan.wrt, plan.exponential, plan.bare)
    return derive.forward(program, plan.wrt, ones=plan.kind == "derivative")


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
        return Built(elaborated, on_host(plan, elaborated.program))
    without_redundancy(program)
    call, left_to = load(emit(program, plan)), ""
    backend = plan.backend or BACKEND
    if backend == "native":
        call, left_to = in_machine_code(program, plan, call)
    elif backend == "auto":
        given = [*args, *kwargs.values(), *[hidden.read() for hidden in elaborated.hidden]]
        call, left_to = as_worth_it(program, plan, call, given)
    built = Built(elaborated, call, left_to)
    dispose(program, elaborated.program)
    return built


def in_machine_code(program: Program, plan: Plan, other: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """The program by the native target, or by the other one, with the reason."""
    from compile.backends.native.target import NotNative, native

    try:
        return native(program, other, plan.kind == "pullback"), ""
    except NotNative as error:
        return other, str(error)


def as_worth_it(
    program: Program, plan: Plan, other: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], str]:
    """The program by the target that is worth it for a first call with these arguments; why if that is the other."""
    from compile.backends.native.target import linked

    found = module_or_reason(program, plan, args)
    if isinstance(found, str):
        return other, found
    try:
        return linked(found, program.name, other, tried=False), ""
    except RuntimeError as error:
        return other, f"LLVM does not take it: {error}"


def module_or_reason(program: Program, plan: Plan, args: Sequence[Any]) -> Lowered | str:
    """The native code of a program before it is machine code, or why there is none."""
    from compile.backends.choice import declined
    from compile.backends.native.target import NotNative, available, lowered

    if available():
        return available()
    auto = (plan.backend or BACKEND) == "auto"
    reason = declined(program, args) if auto else ""
    if not reason:
        try:
            found = lowered(program, plan.kind == "pullback")
        except NotNative as error:
            return f"native code does not take {error}"
        reason = declined(program, args, found.text.count("\n")) if auto else ""
        if not reason:
            return found
    return f"native code is not worth it for {reason}"


def chosen(program: Program, plan: Plan, args: Sequence[Any]) -> str:
    """Which backend computes a program for a first call with these arguments, and why it is not native code where that
    was asked for; the program is not used again."""
    if (plan.backend or BACKEND) == "numpy":
        return "numpy"
    found = module_or_reason(program, plan, args)
    return f"numpy: {found}" if isinstance(found, str) else "native"


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
    linecache.cache[filename] = (len(emitted.source), None, emitted.source.splitlines(True), filename)
    namespace = dict(emitted.namespace)
    exec(code, namespace)
    return namespace[emitted.name]

