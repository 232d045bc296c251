"""Classes that a function defines: each is made by Python, once, of what is known while the function is read.

    def f(x):
        class Point:                        the class statement is run as it stands; what methods read of `f` is looked
            def __init__(self, a):          up where `f` has it when they are called
                self.a = a * x
        return Point(2.0).a

What a body, a base or a decorator reads of the function has to be known: a function, a class, a text, a number.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Callable
from types import CellType
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import class_variables
from ccc.compile.frontend.attempts import stands_at
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import FUNCTIONS, located, parameters, read_names, same_scope
from ccc.compile.frontend.outside_calls import is_foreign
from ccc.compile.frontend.values import Frame, ListValue, Mutable, RecordValue, TextValue, is_function, variables_in
from ccc.compile.program.lam import Node, Var

Made = tuple[type, tuple[CellType, ...]]
"""A class, and the cells in which its methods find what they read of the function: each class has its own."""
MADE: dict[Any, Made] = {}
"""Classes that read nothing of the function that defines them, by their statement and its globals."""
AT_MOST = 512
BODY = ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.Pass | ast.ClassDef


class OfTheFunction:
    """Stands in a method for a variable of the function that defines its class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<what `{self.name}` is while the function runs>"


def define(e: Elaboration, node: ast.ClassDef, frame: Frame) -> None:
    """A class statement: the name stands for the class from here on."""
    refuse(e, node, frame)
    around = names_around(frame)
    changing = [one for one in variables(e, node, frame) if is_changing(e, node, one, around, frame)]
    body = without_values(node, changing)
    late = {name for inner in methods(node) for name in read_names(inner)} & around
    told = {part.id for each in annotated(node) for part in ast.walk(each) if isinstance(part, ast.Name)} & around
    soon = {part.id for part in now(body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)} & around
    reads = late | soon | told
    anew = bool(reads or changing)
    key = (node, frame.serial) if anew else (node, id(frame.function.__globals__))
    kept = e.local_classes if anew else MADE
    found = kept.get(key)
    if found is None and anew and not soon | told:
        found = kept[key] = of_readings(e, node, lambda: made(e, body, late_names(reads), frame))
    if found is None:
        values = late_names(reads)
        values |= {name: known(e, name, node, frame) for name in sorted(soon)}
        values |= {name: e.lookup(name, node, frame) for name in sorted(told - soon)}
        if kept is MADE and len(MADE) >= AT_MOST:
            MADE.clear()
        found = kept[key] = made(e, body, values, frame)
    cls, cells = found
    class_variables.OF_PROGRAMS[cls] = node
    e.around_methods.update({id(cell): frame for cell in cells})
    for name, value in changing:
        parts = {class_variables.PART: e.kept(e.expression(value, frame), value, frame)}
        held = e.kept(RecordValue(class_variables.Variable, parts), name, frame)
        class_variables.make(e, cls, name.id, held)
    frame.env[node.name] = cls


Variable = tuple[ast.Name, ast.expr]
"""A variable of a class and what it is at first."""


def variables(e: Elaboration, node: ast.ClassDef, frame: Frame) -> list[Variable]:
    """The variables of a class in the body of a function that read nothing of the class; no fields of its objects."""
    within: Any = frame.node
    if within is None or node.keywords or not any(stands_at(part) == stands_at(node) for part in within.body):
        return []
    bases = [e.expression(base, frame) for base in node.bases]
    if not all(isinstance(base, type) and type(base).__setattr__ is type.__setattr__ for base in bases):
        return []
    own = {part.id for part in now(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    own |= {part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
    found: list[Variable] = []
    for part in node.body:
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            to: Any = part.targets[0]
        elif isinstance(part, ast.AnnAssign) and (
                not node.decorator_list or "ClassVar" in ast.unparse(part.annotation)):
            to = part.target
        else:
            continue
        if isinstance(to, ast.Name) and not to.id.startswith("__") and part.value and not own & read_names(part.value):
            found.append((to, part.value))
    return found


def is_changing(
    e: Elaboration, node: ast.ClassDef, variable: Variable, around: frozenset[str], frame: Frame
) -> bool:
    """Whether the class statement makes the object for a variable: it changes, or it is computed in the function."""
    name, value = variable
    return (class_variables.CHANGES, node, name.id) in e.in_turn or not all(
        is_known(e.lookup(n, node, frame)) for n in sorted(read_names(value) & around))


def without_values(node: ast.ClassDef, changing: list[Variable]) -> ast.ClassDef:
    """The class statement, in which some variables are nothing at first."""
    if not changing:
        return node
    names = {value: name for name, value in changing}
    made = copy.copy(node)
    made.body = []
    for part in node.body:
        name = names.get(part.value) if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value else None
        nothing = None if name is None else ast.Assign([name], ast.Constant(None))
        made.body.append(part if nothing is None else located(nothing, part))
    return made


def of_readings(e: Elaboration, node: ast.ClassDef, make: Callable[[], Made]) -> Made:
    """The class that was made here when the function was read before, with less known of its stores: what was learnt of
    its objects holds on."""
    before = {} if e.stores is None else e.stores.regions.classes
    place = node, sum(at is node for at, _ in e.local_classes)
    return before.setdefault(place, before.get(place) or make())


def late_names(names: set[str]) -> dict[str, Any]:
    """What stands for the variables that methods read."""
    return {name: OfTheFunction(name) for name in sorted(names)}


def names_around(frame: Frame | None) -> frozenset[str]:
    """The names of the functions around a statement."""
    found = frozenset[str]()
    while frame is not None:
        found |= frame.local
        frame = frame.outer
    return found


def methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """The functions of a class, and of the classes in it."""
    found: list[ast.FunctionDef] = []
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            found.append(part)
        elif isinstance(part, ast.ClassDef):
            found += methods(part)
    return found


def now(node: ast.ClassDef) -> list[ast.AST]:
    """The syntax that is evaluated when the class is made; annotations say nothing of a function."""
    todo: list[ast.AST] = [*node.decorator_list, *node.bases, *[k.value for k in node.keywords], *node.body]
    found: list[ast.AST] = []
    while todo:
        part = todo.pop()
        found.append(part)
        if isinstance(part, ast.AnnAssign):
            todo += [part.target, *([] if part.value is None else [part.value])]
        elif isinstance(part, ast.ClassDef):
            found += now(part)
        elif isinstance(part, FUNCTIONS):
            todo += same_scope(part)
        else:
            todo += ast.iter_child_nodes(part)
    return found


def annotated(node: ast.ClassDef) -> list[ast.expr]:
    """The annotations of fields, and of the parameters and results of methods, that are no texts."""
    found = [part.annotation for part in node.body if isinstance(part, ast.AnnAssign)]
    for inner in methods(node):
        given = [arg.annotation for arg in parameters(inner)]
        found += [part for part in [*given, inner.returns] if part is not None]
    return found


def refuse(e: Elaboration, node: ast.ClassDef, frame: Frame) -> None:
    """Refuse what does more than to define: it would be done once, and not at each call."""
    for part in node.body:
        text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        if not text and not isinstance(part, BODY):
            raise unsupported("CC003", f"`{type(part).__name__}` in the body of a class that a function defines",
                              e.span(part, frame), help="define the class outside of the function")
    for decorator in node.decorator_list:
        function = e.expression(decorator.func if isinstance(decorator, ast.Call) else decorator, frame)
        if isinstance(function, type) or not callable(function) or not is_foreign(function):
            raise unsupported("CC003", f"`{node.name}` is decorated by a function that is not of Python's library",
                              e.span(decorator, frame), help="define the class outside of the function")


def known(e: Elaboration, name: str, node: ast.AST, frame: Frame) -> Any:
    """A name as Python has it."""
    value = e.lookup(name, node, frame)
    if not is_known(value):
        raise unsupported("CC003", f"the class reads `{name}` where it is defined, which is not known then",
                          e.span(node, frame), help=f"read `{name}` in a method")
    return value


def is_known(value: Any) -> bool:
    """Whether Python has a value as it is."""
    ours = is_function(value) and type(value).__module__.startswith("ccc.")
    return not (isinstance(value, (Var, Node, Mutable, TextValue)) or variables_in(value) or ours)


def made(e: Elaboration, node: ast.ClassDef, values: dict[str, Any], frame: Frame) -> Made:
    """The class of a statement, its functions at their places in the file."""
    spec = ast.arguments([], [ast.arg(name) for name in values], None, [], [], None, [])
    statement = copy.deepcopy(node)
    none = ast.arguments([], [], None, [], [], None, [])
    reader = ast.Lambda(none, ast.Tuple([ast.Name(name, ast.Load()) for name in values], ast.Load()))
    given = ast.Tuple([ast.Name(node.name, ast.Load()), reader], ast.Load())
    maker = ast.FunctionDef("make", spec, [statement, ast.Return(given)], [])
    module = ast.Module([located(maker, node)], [])
    future = frame.function.__code__.co_flags & __future__.annotations.compiler_flag
    space: dict[str, Any] = {}
    ast.fix_missing_locations(module)
    code = compile(module, frame.file.name, "exec", flags=future, dont_inherit=True)
    try:
        exec(code, frame.function.__globals__, space)
        cls, reads = space["make"](**values)
    except Exception as error:
        raise unsupported("CC003", f"the class `{node.name}` cannot be made here: {type(error).__name__}: {error}",
                          e.span(node, frame), help="define the class outside of the function") from error
    where = getattr(frame.function, "__qualname__", frame.name)
    cls.__qualname__ = f"{where}.<locals>.{node.name}"
    return cls, reads.__closure__ or ()


def of_known(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """The class that a function of Python's library makes of texts and numbers; `NotImplemented` of all else."""
    given = [as_python(x) for x in [*args, *kwargs.values()]]
    if any(x is NotImplemented for x in given):
        return NotImplemented
    key = (node, function, repr(given))
    if key not in MADE:
        found = function(*given[: len(args)], **dict(zip(kwargs, given[len(args):], strict=True)))
        if not isinstance(found, type):
            return NotImplemented
        MADE[key] = found, ()
    return MADE[key][0]


def as_python(x: Any) -> Any:
    """A value that is known as Python has it, else `NotImplemented`."""
    if isinstance(x, ListValue):
        x = list(map(as_python, x.items))
    elif type(x) is tuple:
        x = tuple(map(as_python, x))
    elif not isinstance(x, str | int | float | type | None):
        return NotImplemented
    return NotImplemented if isinstance(x, (list, tuple)) and any(part is NotImplemented for part in x) else x


__all__ = ["define", "of_known"]
