"""Statements of Python: assignment, nested functions, return, and what is refused."""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.diagnostics import Diagnostic, is_installed, mismatch, unsupported
from ccc.compile.frontend import (
    alternatives,
    asked,
    attributes,
    branches,
    conditions,
    cursors,
    effects,
    generators,
    grammar,
    handing,
    imports,
    interrupts,
    paths,
    protocols,
    records,
    settling,
    sums,
    trying,
    unpacking,
)
from ccc.compile.frontend.closing import closing
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import BREAK, GOES_ON, NEXT, ON, RAISE, RETURN, Paths
from ccc.compile.frontend.iterables import drawn
from ccc.compile.frontend.iterator_values import IteratorValue
from ccc.compile.frontend.memory import interface
from ccc.compile.frontend.memory.interface import (
    dicts,
    kept,
    lists,
    put,
    put_of_array,
    retried,
    slice_changes,
    stored,
    updates,
)
from ccc.compile.frontend.parts import cell, defined, is_cell, is_shared
from ccc.compile.frontend.receivers_once import targets
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, RecordValue, Unbound, closed, is_function
from ccc.compile.program.lam import Var
from ccc.later import deferred
from ccc.primitives import complexes
from ccc.primitives.raising import within
from ccc.records import Nones

ACTING = ast.Call | ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.Starred
"""Expressions that may do something."""


def run(e: Elaboration, body: list[ast.stmt], frame: Frame) -> Any:
    """Execute the statements of a function in order; gives the returned value, or `GOES_ON`. Raises `Ends` where they
    surely raise."""
    ends = ends_of(e, body, frame)
    return GOES_ON if ends.flows else paths.result(e, ends, body[-1], frame)


def ends_of(e: Elaboration, body: list[ast.stmt], frame: Frame) -> Paths:
    """Execute statements in order until they end; an `if` whose test is known is replaced by its branch."""
    todo = list(reversed(body))
    mark, errors = len(e.pending), e.recorder.errors
    try:
        while todo:
            statement = todo.pop()
            del e.pending[mark:]
            ends = trying.attempted(e, statement, todo, frame, step) if e.attempts.active else (
                step(e, statement, todo, frame))
            if ends is not None:
                return ends
    except interrupts.Ends:
        return Paths([RAISE], frame.env)
    finally:
        e.recorder.errors = errors
    return Paths([ON], frame.env)


def step(e: Elaboration, statement: ast.stmt, todo: list[ast.stmt], frame: Frame) -> Paths | None:
    """Execute one statement; `todo` are those that follow, the last one first. Gives how all of them end where that is
    known then."""
    if isinstance(statement, Leave):
        e.recorder.errors = statement.errors
        return None
    frame.at = statement
    if isinstance(statement, ast.Return):
        value = None if statement.value is None else again(e, e.expression, statement.value, frame)
        seen = stored.is_view(e, value) or generators.is_collected(statement.value)
        value = value if seen else kept(e, value, statement, frame)
        return trying.behind_finals(e, RETURN, frame, statement) or Paths([RETURN], frame.env, value=value)
    if isinstance(statement, (ast.Break, ast.Continue)):
        kind = BREAK if isinstance(statement, ast.Break) else NEXT
        return trying.behind_finals(e, kind, frame, statement) or Paths([kind], frame.env)
    if isinstance(statement, ast.If):
        test = again(e, partial(conditions.condition, e), statement.test, frame)
        test = settling.tested(e, test, statement, frame)
        if not isinstance(test, Var):
            todo += reversed(statement.body if test else statement.orelse)
            return None
        return branching(e, statement, test, list(reversed(todo)), frame)
    if isinstance(statement, ast.With) and e.guarded(without_effect, statement, frame):
        leave = Leave()
        leave.errors = e.recorder.errors
        todo += [leave, *reversed(statement.body)]
        e.recorder.errors = modes_within(e, statement, frame)
        return None
    handler = partial(done_once, e, partial(e.guarded, STATEMENTS.get(type(statement), refuse)))
    ends = handler(statement, frame) if isinstance(statement, LOOPS) else again(e, handler, statement, frame)
    if isinstance(ends, Paths) and not ends.flows:
        rest = list(reversed(todo))
        return paths.then(e, ends, lambda: ends_of(e, rest, frame), statement, frame)
    if isinstance(ends, Paths):
        frame.env = ends.names(ON)
    return None


LOOPS = ast.For | ast.While
"""Statements that look themselves after what has to be read again."""


class Leave(ast.Pass):
    """Where a `with np.errstate` ends: the modes around it."""

    errors: tuple[tuple[str, Any], ...] = ()


def done_once(e: Elaboration, handler: Callable[[Any, Frame], Any], node: ast.stmt, frame: Frame) -> Any:
    """What the handler of a statement gives, which makes the calls in its targets once."""
    return e.once.during(targets(node), lambda: handler(node, frame))


def again(e: Elaboration, run: Callable[[Any, Frame], Any], node: Any, frame: Frame) -> Any:
    """What `run` gives for a node; it is read again where a list that it reads must be one of the program."""
    return retried(e, lambda: run(node, frame), e.span(node, frame), frame)


def branching(e: Elaboration, node: ast.If, test: Var, rest: list[ast.stmt], frame: Frame) -> Paths | None:
    """An `if` by a test that is not known: how it and all that follows end, None where that is still to be run."""
    def run() -> Paths | None:
        return e.guarded(lambda e, node, frame: branches.statement(e, node, test, rest, frame), node, frame)

    return retried(e, run, e.span(node, frame), frame)


def without_effect(e: Elaboration, node: ast.With, frame: Frame) -> bool:
    """True for `with np.errstate(...)` and `contextlib.nullcontext()`, whose bodies compute the same."""
    for item in node.items:
        call = item.context_expr
        function = e.expression(call.func, frame) if isinstance(call, ast.Call) else None
        if function not in (np.errstate, contextlib.nullcontext) or item.optional_vars is not None:
            return False
        modes = call.keywords if isinstance(call, ast.Call) and function is np.errstate else []
        if not all(is_mode(k.arg, e.expression(k.value, frame)) for k in modes):
            return False
    return True


MODES = ("ignore", "warn", "raise", "call", "print", "log")


def is_mode(name: str | None, mode: Any) -> bool:
    """Whether `np.errstate` takes this, and it is known."""
    if name == "call":
        return mode is None or (is_function(mode) and not isinstance(mode, ClosureValue))
    return name in ("all", "divide", "over", "under", "invalid") and (mode is None or mode in MODES)


def modes_within(e: Elaboration, node: ast.With, frame: Frame) -> tuple[tuple[str, Any], ...]:
    """The modes in the body of a `with`."""
    found = e.recorder.errors
    for item in node.items:
        call = item.context_expr
        assert isinstance(call, ast.Call)
        if e.expression(call.func, frame) is np.errstate:
            found = within(found, {k.arg: e.expression(k.value, frame) for k in call.keywords})
    return found


def refuse(e: Elaboration, node: ast.stmt, frame: Frame) -> None:
    code, message, mend = grammar.message_for(type(node).__name__)
    raise unsupported(code, message, e.span(node, frame), help=mend)


# -- assignment --------------------------------------------------------------------------------------------------


def bind(e: Elaboration, target: ast.expr, value: Any, frame: Frame) -> None:
    """Assign a value to a name or, part by part, to a tuple of targets."""
    named = isinstance(target, (ast.Name, ast.Attribute))  # what gets an item keeps it itself
    once = isinstance(value, IteratorValue) and isinstance(target, ast.Name) and handing.consumed_next(
        frame, target, value)
    if isinstance(value, IteratorValue) and named and not once:
        value = cursors.as_object(e, value, target, frame)
    keeps = named and not generators.is_collected(target)
    value = kept(e, value, target, frame) if keeps else closed(value)
    if isinstance(target, ast.Name):
        if isinstance(value, IteratorValue) and not once:
            raise unsupported("CC003", "an iterator cannot be kept under a name", e.span(target, frame),
                              "it would be empty when it is used again", help="write it where it is looped over")
        if isinstance(value, Var) and not value.name:
            value.name = target.id
        bind_name(e, target, value, frame)
    elif isinstance(target, (ast.Tuple, ast.List)):
        unpack(e, target, value, frame)
    elif isinstance(target, ast.Attribute) and updates.surely_array(owner := e.target(target.value, frame)):
        put_of_array(e, owner, target.attr, value, target, frame)
    elif isinstance(target, ast.Attribute) and updates.surely_array(part := part_of(owner, target.attr)):
        updates.write(e, part, updates.WHOLE, value, target, target.value, frame)
    elif isinstance(target, ast.Attribute):
        records.assign(e, e.target(target.value, frame), target.attr, value, target, frame)
    elif isinstance(target, ast.Subscript) and stored.is_container(owner := with_items(e, target, frame)):
        stored.set_item(e, owner, e.key(target.slice, frame), value, target, frame)
    elif isinstance(target, ast.Subscript) and (
            isinstance(owner := e.target(target.value, frame), RecordValue) or defined(owner, "__setitem__")):
        records.put_item(e, owner, e.key(target.slice, frame), value, target, frame)
    elif isinstance(target, ast.Subscript) and lists.is_list(owner := e.target(target.value, frame)):
        slice_changes.assign(e, owner, target, e.key(target.slice, frame), value, frame)
    elif isinstance(target, ast.Subscript) and updates.is_array(owner := e.target(target.value, frame)):
        updates.assign_item(e, target, owner, value, frame)
    elif isinstance(target, ast.Subscript) and sums.is_sum(owner := e.target(target.value, frame)):
        alternatives.written(
            e, owner, target, lambda: bind(e, target, value, frame), "does not support item assignment", frame)
    elif isinstance(target, ast.Subscript):
        without_items(e, e.target(target.value, frame), target, frame)
        name = ast.unparse(target.value)
        if type(e.target(target.value, frame)) is tuple:
            raise unsupported("CC011", f"cannot assign into `{name}`: a tuple does not change", e.span(target, frame),
                              help=f"`{name} = list({name})` first, which is a list of its own")
        number = isinstance(e.target(target.value, frame), (Var, int, float))
        raise unsupported("CC011", f"cannot assign into `{name}` yet", e.span(target, frame), help=(
            f"it holds one number: assign to `{name}` itself, and to each other name of it"
            if number and ast.unparse(target.slice) in WHOLE else
            "begin with a list, `[None] * n`" if isinstance(e.target(target.value, frame), Nones) else
            "build the array with np.array([...]), np.stack or np.where"))
    else:
        raise unsupported("CC003", "this cannot be assigned to", e.span(target, frame), help="assign to a name")


def without_items(e: Elaboration, owner: Any, target: ast.Subscript, frame: Frame) -> None:
    """Raise what Python does where an item is assigned of what has none: a number that is no array without axes."""
    failing = alternatives.NO_ASSIGNMENT(owner) if isinstance(owner, (Var, int, float)) else None
    if failing is None:
        return
    e.key(target.slice, frame)
    e.attempts.lacks_method(owner, "__setitem__")
    if e.stores is not None and not e.recorder.surely_runs():  # others may stand there too
        effects.fail_with(e, *failing, target, frame)


def with_items(e: Elaboration, target: ast.Subscript, frame: Frame) -> Any:
    """What an item of is assigned: of one of several values that which has items, where Python raises for others."""
    owner = e.target(target.value, frame)
    if not alternatives.is_uncertain(e, owner):
        return owner
    return alternatives.able(e, owner, alternatives.NO_ASSIGNMENT, target, frame)


WHOLE = ("...", "()")
"""The indices of an array without axes: of all of it."""


def part_of(owner: Any, name: str) -> Any:
    """The real or the imaginary part of a complex array, whose numbers are assigned."""
    return owner.fields.get(name) if isinstance(owner, RecordValue) and owner.cls is complexes.Complex else None


def bind_name(e: Elaboration, target: ast.Name, value: Any, frame: Frame) -> None:
    """Assign a value to a name, which may be that of a function around this one."""
    owner = frame
    while target.id not in owner.local and owner.outer is not None:
        owner = owner.outer
    if target.id not in owner.local:
        raise unsupported("CC012", f"writes the outer variable `{target.id}`", e.span(target, frame),
                          help="return the value instead")
    held: Any = owner.env.get(target.id)
    if is_shared(held) or target.id in owner.shared:
        interface.shared_variables.put(e, owner, target.id, value, target)
    elif target.id not in owner.cells:
        owner.env[target.id] = value
    elif is_cell(held):
        put(e, held, target.id, value, target, frame)
    else:
        owner.env[target.id] = cell(target.id, value)


def unpack(e: Elaboration, target: ast.Tuple | ast.List, value: Any, frame: Frame) -> None:
    if alternatives.is_uncertain(e, value):
        value = alternatives.able(e, value, unpacking.NOT_UNPACKED, target, frame)
    starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    value = protocols.iterated(e, value, target, frame)
    if not starred and (asked.have_turn(value) or cursors.is_iterator(value)):  # is asked for one more than there are
        value = e.call(itertools.islice, [value, len(target.elts) + 1], {}, target, frame)  # names
    value = drawn(stored.shown(e, cursors.whole(e, value, target, frame)))
    targets = list(target.elts)
    i = starred[0] if starred else 0
    behind = len(targets) - i - 1
    if starred and not isinstance(value, (tuple, list, ListValue)) and not lists.is_of_program(value):
        value = stored.shown(e, e.call(list, [value], {}, target, frame))  # the list of a store as what it holds
    if not starred:
        parts = unpacking.unpacked(e, value, len(targets), target, frame)
    elif isinstance(value, Var) and lists.is_of_program(value):
        parts = unpacking.around(e, value, i, behind, target, frame)
    else:
        items: Any = value.items if isinstance(value, ListValue) else value
        if len(items) < i + behind:
            unpacking.fail_to_unpack(e, len(items), ["_"] * i + ["*_"] + ["_"] * behind, target, frame)
            raise mismatch("CC027", f"{len(items)} values for at least {i + behind} names", e.span(target, frame),
                           help="unpack as many values as there are names")
        end = len(items) - behind
        parts = (*items[:i], ListValue(list(items[i:end])), *items[end:])
    if starred:
        targets[i] = targets[i].value  # type: ignore[attr-defined]
    mark = len(e.pending)
    for i, (inner, part) in enumerate(zip(targets, parts, strict=True)):
        e.pending[mark:] = parts[i + 1:]
        bind(e, inner, part, frame)


def assign(e: Elaboration, node: ast.Assign, frame: Frame) -> None:
    name = node.targets[0] if len(node.targets) == 1 else None
    if isinstance(node.value, handing.WRITTEN):
        handing.on(node.value, e.stores is None and isinstance(name, ast.Name) and handing.by_name(frame, name.id))
    value = e.target(node.value, frame)
    if e.stores is not None and (len(node.targets) > 1 or type(value) is tuple):
        value = kept(e, value, node, frame)
    for target in node.targets:
        bind(e, target, value, frame)


def annotated(e: Elaboration, node: ast.AnnAssign, frame: Frame) -> None:
    if node.value is not None:
        bind(e, node.target, e.expression(node.value, frame), frame)


def augmented(e: Elaboration, node: ast.AugAssign, frame: Frame) -> None:
    """`a += b` as `a = a + b`, where nothing else can see an array or list that Python would change in place."""
    if isinstance(node.target, ast.Subscript) and updates.is_array(owner := e.target(node.target.value, frame)):
        return updates.augment_item(e, node, owner, frame)
    from ccc.compile.frontend import augmenting

    if augmenting.of_list(e, node, frame) or augmenting.of_record(e, node, frame):
        return
    if augmenting.of_alternatives(e, node, lambda: augmented(e, node, frame), frame):
        return
    if not isinstance(node.target, ast.Name):
        bind(e, node.target, None, frame)
    augmenting.of_name(e, node, node.target.id, frame)  # type: ignore[union-attr]


def expression_statement(e: Elaboration, node: ast.Expr, frame: Frame) -> None:
    if isinstance(node.value, ast.Constant):
        return
    e.expression(node.value, frame)
    acts = any(isinstance(part, ACTING) for part in ast.walk(node.value))
    if not acts and not (frame.function is not None and is_installed(frame.function)):
        e.warn(Diagnostic("CC031", "statement has no effect on the result", e.span(node, frame),
                          help="leave it out, or use its value", severity="warning"))


def nothing(e: Elaboration, node: ast.stmt, frame: Frame) -> None:
    return


def define(e: Elaboration, node: ast.FunctionDef, frame: Frame) -> None:
    """A nested function, with its decorators applied from the innermost out."""
    decorators = [e.expression(decorator, frame) for decorator in node.decorator_list]
    value: Any = closure(e, node, frame)
    for decorator, where in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
        value = e.call(decorator, [value], {}, where, frame)
    bind_name(e, ast.copy_location(ast.Name(node.name, ast.Store()), node), value, frame)


def closure(e: Elaboration, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> ClosureValue:
    """The value of a nested function; its defaults are computed now, its body when it is called."""
    defaults: dict[str, Any] = {}
    positional = [*node.args.posonlyargs, *node.args.args]
    for arg, default in zip(positional[len(positional) - len(node.args.defaults):], node.args.defaults, strict=True):
        defaults[arg.arg] = kept(e, e.expression(default, frame), default, frame)
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            defaults[arg.arg] = kept(e, e.expression(default, frame), default, frame)
    return ClosureValue(closing(e, node), frame, defaults, e.recorder.block)


def delete(e: Elaboration, node: ast.Delete, frame: Frame) -> None:
    """`del` of names and of what a container holds."""
    for target in node.targets:
        if isinstance(target, ast.Tuple | ast.List):
            delete(e, ast.copy_location(ast.Delete(target.elts), node), frame)
        elif isinstance(target, ast.Name):
            e.lookup(target.id, target, frame)
            if is_shared(frame.env.get(target.id)):
                raise interface.places.refused(e, "`del` of a variable that functions share", target, frame)
            frame.env[target.id] = Unbound(f"it was deleted at {e.span(target, frame)}", absent=True)
        elif isinstance(target, ast.Attribute):
            owner = e.expression(target.value, frame)
            attributes.attribute_of(e, owner, target, frame)  # one that is not there raises as where it is read
            interface.remove(e, owner, target, frame)
        else:
            dicts.delete(e, ast.copy_location(ast.Delete([target]), node), frame)


def for_(e: Elaboration, node: ast.For, frame: Frame) -> Paths | None:
    from ccc.compile.frontend import whiles

    return trying.as_loop(e, lambda: whiles.for_(e, node, frame), frame)


def while_(e: Elaboration, node: ast.While, frame: Frame) -> Paths | None:
    from ccc.compile.frontend import whiles

    return trying.as_loop(e, lambda: whiles.while_(e, node, frame), frame)


def match_(e: Elaboration, node: ast.Match, frame: Frame) -> Paths | None:
    from ccc.compile.frontend import matching

    return matching.match_(e, node, frame)


def with_(e: Elaboration, node: ast.With, frame: Frame) -> Paths | None:
    from ccc.compile.frontend import managers

    return managers.with_(e, node, frame)


def class_(e: Elaboration, node: ast.ClassDef, frame: Frame) -> None:
    from ccc.compile.frontend import local_classes

    local_classes.define(e, node, frame)


STATEMENTS: dict[type, Callable[[Elaboration, Any, Frame], Paths | None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Expr: expression_statement,
    ast.Pass: nothing,
    ast.Nonlocal: nothing,
    ast.FunctionDef: define,
    ast.ClassDef: class_,
    ast.For: for_,
    ast.While: while_,
    ast.Assert: deferred(conditions, "assert_"),
    ast.Delete: delete,
    ast.Raise: trying.raise_,
    ast.Match: match_,
    ast.Try: trying.try_,
    ast.With: with_,
    ast.Import: deferred(imports, "import_"),
    ast.ImportFrom: deferred(imports, "import_"),
    trying.Again: trying.again,
    trying.Computed: trying.computed,
}
