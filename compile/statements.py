"""Statements of Python: assignment, branches, loops, nested functions, return."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.objects import Bool, Object, join
from ccc.primitives import arithmetic, structure
from compile.diagnostics import mismatch, unsupported
from compile.lam import Block, Branch, Loop, Var
from compile.values import (
    ClosureValue, EnumerateValue, Frame, ListValue, RangeValue, Unbound, ZipValue, atom_of,
)

Elaboration = Any


class _GoesOn:
    """The outcome of statements that do not return."""

    def __repr__(self) -> str:
        return "GOES_ON"


GOES_ON = _GoesOn()


def run(e: Elaboration, body: list[ast.stmt], frame: Frame) -> Any:
    """Execute statements in order until one returns."""
    for i, statement in enumerate(body):
        if isinstance(statement, ast.If):
            outcome = conditional(e, statement, body[i + 1 :], frame)
            if outcome is None:
                continue
            return outcome[0]
        if isinstance(statement, ast.Return):
            return None if statement.value is None else e.expression(statement.value, frame)
        handler = STATEMENTS.get(type(statement))
        if handler is None:
            raise refusal(e, statement, frame)
        handler(e, statement, frame)
    return GOES_ON


REFUSED: dict[type, tuple[str, str, str]] = {
    ast.Try: ("CC003", "`try` is not supported in a differentiated function",
              "test first: `y = np.sqrt(x) if x > 0 else 0.0`, or move the try to the caller"),
    ast.While: ("CC003", "`while` is not supported yet", "use `for` over a range with a conditional inside"),
    ast.With: ("CC003", "`with` is not supported in a differentiated function", "move it to the caller"),
    ast.Global: ("CC012", "`global` writes outside the function", "return the value instead"),
    ast.Nonlocal: ("CC012", "`nonlocal` writes outside the function", "return the value instead"),
    ast.ClassDef: ("CC003", "a class cannot be defined inside a differentiated function", "move it to the module"),
    ast.Delete: ("CC003", "`del` is not supported", "leave the name alone"),
    ast.Raise: ("CC003", "`raise` is not supported yet", "check the arguments in the caller"),
    ast.Assert: ("CC003", "`assert` is not supported yet", "check the arguments in the caller"),
    ast.Break: ("CC003", "`break` is not supported yet", "keep a flag and use a conditional"),
    ast.Continue: ("CC003", "`continue` is not supported yet", "put the rest of the body under `if`"),
    ast.Match: ("CC003", "`match` is not supported yet", "use if and elif"),
    ast.Import: ("CC003", "`import` is not supported inside a differentiated function", "import at the top of the file"),
    ast.ImportFrom: ("CC003", "`import` is not supported inside a differentiated function",
                     "import at the top of the file"),
    ast.AsyncFunctionDef: ("CC003", "`async` is not supported in a differentiated function", "use `def`"),
}


def refusal(e: Elaboration, node: ast.stmt, frame: Frame) -> Exception:
    code, message, mend = REFUSED.get(
        type(node), ("CC003", f"`{type(node).__name__}` is not supported here", "write it with simpler statements")
    )
    return unsupported(code, message, e.span(node, frame), help=mend)


# -- assignment --------------------------------------------------------------------------------------------------


def bind(e: Elaboration, target: ast.expr, value: Any, frame: Frame) -> None:
    """Assign a value to a name or, part by part, to a tuple of targets."""
    if isinstance(target, ast.Name):
        if isinstance(value, Var) and not value.name:
            value.name = target.id
        frame.env[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        if any(isinstance(t, ast.Starred) for t in target.elts):
            raise unsupported("CC003", "starred assignment is not supported", e.span(target, frame),
                              help="name each part")
        parts = unpacked(e, value, len(target.elts), target, frame)
        for inner, part in zip(target.elts, parts, strict=True):
            bind(e, inner, part, frame)
    elif isinstance(target, ast.Subscript):
        name = ast.unparse(target.value)
        raise unsupported("CC011", f"cannot assign into `{name}` yet", e.span(target, frame),
                          help="build the array with np.array([...]), np.stack or np.where")
    else:
        raise unsupported("CC003", "this cannot be assigned to", e.span(target, frame), help="assign to a name")


def unpacked(e: Elaboration, value: Any, count: int, node: ast.AST, frame: Frame) -> tuple[Any, ...]:
    if isinstance(value, ListValue):
        value = tuple(value.items)
    if isinstance(value, tuple):
        if len(value) != count:
            raise mismatch("CC027", f"{len(value)} values for {count} names", e.span(node, frame))
        return value
    if isinstance(value, Var):
        from ccc.objects import Array, List, Product
        from ccc.primitives import indexing

        a = value.object
        if isinstance(a, Product):
            return unpacked(e, tuple([structure.part(value, index=i) for i in range(len(a.parts))]), count, node, frame)
        if isinstance(a, Array):
            e.always(structure.check_length, (value,), count=count)
            return tuple([indexing.index(value, i, pattern=("i",)) for i in range(count)])
        if isinstance(a, List):
            e.always(structure.check_length, (value,), count=count)
            return tuple([structure.item(value, i) for i in range(count)])
    raise mismatch("CC027", f"this cannot be unpacked into {count} names", e.span(node, frame))


def assign(e: Elaboration, node: ast.Assign, frame: Frame) -> None:
    value = e.expression(node.value, frame)
    for target in node.targets:
        bind(e, target, value, frame)


def annotated(e: Elaboration, node: ast.AnnAssign, frame: Frame) -> None:
    if node.value is not None:
        bind(e, node.target, e.expression(node.value, frame), frame)


def augmented(e: Elaboration, node: ast.AugAssign, frame: Frame) -> None:
    if not isinstance(node.target, ast.Name):
        bind(e, node.target, None, frame)
    name = node.target.id  # type: ignore[union-attr]
    old = e.lookup(name, node.target, frame)
    if isinstance(old, Var) and aliased(e, old, name, frame):
        raise unsupported("CC011", f"`{name} {_symbol(node.op)}= ...` would change an array that is visible elsewhere",
                          e.span(node, frame), help=f"write `{name} = {name} {_symbol(node.op)} ...`")
    expression = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
    for new in (expression, expression.left):
        ast.copy_location(new, node if new is expression else node.target)
    bind(e, node.target, e.expression(expression, frame), frame)


_SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**"}


def _symbol(op: ast.operator) -> str:
    return _SYMBOLS.get(type(op), type(op).__name__)


VIEWS = {"index", "reshape", "transpose", "rows", "ravel", "squeeze", "expand_dims", "broadcast_to", "T", "part", "item"}


def aliased(e: Elaboration, value: Var, name: str, frame: Frame) -> bool:
    """True where `value` is an array that another name, or the caller, may also see: `+=` would change that one too."""
    from ccc.objects import Array

    if not isinstance(value.object, Array):
        return False
    if value.definition is None:
        return value.home is not None and value.home.kind in ("top", "function")
    op = value.definition.op
    primitive = getattr(op, "primitive", None)
    if primitive is not None and any(view in primitive.name for view in VIEWS):
        return True
    here: Frame | None = frame
    while here is not None:
        if any(other is value and key != name for key, other in here.env.items()):
            return True
        here = here.outer
    return False


def expression_statement(e: Elaboration, node: ast.Expr, frame: Frame) -> None:
    if isinstance(node.value, ast.Constant):
        return
    e.expression(node.value, frame)


def nothing(e: Elaboration, node: ast.stmt, frame: Frame) -> None:
    return


def define(e: Elaboration, node: ast.FunctionDef, frame: Frame) -> None:
    if node.decorator_list:
        raise unsupported("CC003", "decorators on nested functions are not supported",
                          e.span(node.decorator_list[0], frame), help="call the decorator in the module")
    frame.env[node.name] = closure(e, node, frame)


def closure(e: Elaboration, node: ast.FunctionDef | ast.Lambda, frame: Frame) -> ClosureValue:
    """The value of a nested function; its defaults are computed now, its body when it is called."""
    defaults: dict[str, Any] = {}
    positional = [*node.args.posonlyargs, *node.args.args]
    for arg, default in zip(reversed(positional), reversed(node.args.defaults), strict=False):
        defaults[arg.arg] = e.expression(default, frame)
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            defaults[arg.arg] = e.expression(default, frame)
    return ClosureValue(node, frame, defaults, e.recorder.block)


# -- branches ----------------------------------------------------------------------------------------------------


def returns(body: list[ast.stmt]) -> bool:
    """True where every path through the statements returns."""
    for statement in body:
        if isinstance(statement, ast.Return | ast.Raise):
            return True
        if isinstance(statement, ast.If) and returns(statement.body) and returns(statement.orelse):
            return True
    return False


def may_return(body: list[ast.stmt]) -> bool:
    """True where some path through the statements returns."""
    return any(
        isinstance(s, ast.Return) or (isinstance(s, ast.If) and (may_return(s.body) or may_return(s.orelse)))
        for s in body
    )


def truth(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A test as a bool: known, or a variable."""
    if isinstance(value, Var):
        return value if isinstance(value.object, Bool) else arithmetic.truth(value)
    if isinstance(value, ListValue):
        return bool(value.items)
    return bool(value)


def conditional(e: Elaboration, node: ast.If, rest: list[ast.stmt], frame: Frame) -> tuple[Any] | None:
    """`if`: None where execution goes on behind it, else a 1-tuple with the outcome of it and all that follows."""
    test = truth(e, e.expression(node.test, frame), node.test, frame)
    if not isinstance(test, Var):
        outcome = run(e, node.body if test else node.orelse, frame)
        return None if outcome is GOES_ON else (outcome,)
    if not may_return(node.body) and not may_return(node.orelse):
        branch(e, test, node, frame)
        return None
    arms: list[tuple[Block, Any]] = []
    before = dict(frame.env)
    for body in (node.body, node.orelse):
        frame.env = dict(before)
        block = Block("branch", e.recorder.block)
        path = body if returns(body) else [*body, *rest]
        outcome = e.inside(block, lambda path=path: run(e, path, frame))
        if outcome is GOES_ON:
            raise mismatch("CC005", "this path ends without a return value", e.span(node, frame),
                           help="add `else: return ...`")
        arms.append((block, outcome))
    frame.env = before
    return (e.join(test, arms[0], arms[1], node, frame),)


def branch(e: Elaboration, test: Var, node: ast.If, frame: Frame) -> None:
    """`if` that only assigns: every name that a branch assigned has the value of the taken one."""
    before = dict(frame.env)
    envs: list[dict[str, Any]] = []
    blocks: list[Block] = []
    for body in (node.body, node.orelse):
        frame.env = dict(before)
        block = Block("branch", e.recorder.block)
        e.inside(block, lambda body=body: run(e, body, frame))
        envs.append(frame.env)
        blocks.append(block)
    changed = [name for name in {**envs[0], **envs[1]} if any(env.get(name, e) is not before.get(name, e) for env in envs)]
    frame.env = before
    both = [n for n in changed if all(n in env and not isinstance(env[n], Unbound) for env in envs)]
    values = [tuple([env[n] for n in both]) for env in envs]
    joined = e.join(test, (blocks[0], values[0]), (blocks[1], values[1]), node, frame)
    for name, value in zip(both, joined, strict=True):
        if isinstance(value, Var) and (not value.name or value.definition is not None):
            value.name = name if isinstance(value.definition and value.definition.op, Branch) else value.name
        frame.env[name] = value
    for name in changed:
        if name not in both:
            frame.env[name] = Unbound(f"bound only in one branch of the `if` at {e.span(node, frame)}")


# -- loops -------------------------------------------------------------------------------------------------------


def assigned(body: list[ast.stmt]) -> list[str]:
    """The names that statements may bind, nested functions' bodies left out."""
    found: dict[str, None] = {}
    todo: list[ast.AST] = list(reversed(body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = None
            continue
        if not isinstance(node, ast.Lambda):
            todo += reversed(list(ast.iter_child_nodes(node)))
    return list(found)


def loop(e: Elaboration, node: ast.For, frame: Frame) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return | ast.Break | ast.Continue) and not _in_nested_function(inner, node):
            word = type(inner).__name__.lower()
            raise unsupported("CC003", f"`{word}` inside a loop is not supported yet", e.span(inner, frame),
                              help="keep a flag and use a conditional")
    if node.orelse:
        raise unsupported("CC003", "`else` of a loop is not supported yet", e.span(node.orelse[0], frame),
                          help="put it behind the loop")
    over = e.expression(node.iter, frame)
    items = known_items(over)
    if items is not None:
        for item in items:
            bind(e, node.target, item, frame)
            run(e, node.body, frame)
        return
    shapes = sequences(e, over, node.iter, frame)
    carried_loop(e, node, shapes, frame)


def _in_nested_function(inner: ast.AST, loop_node: ast.For) -> bool:
    for outer in ast.walk(loop_node):
        if isinstance(outer, ast.FunctionDef | ast.Lambda) and any(n is inner for n in ast.walk(outer)):
            return True
    return False


def known_items(over: Any) -> list[Any] | None:
    """The items of what is iterated, where they are known one by one: tuples and list displays are unrolled."""
    if isinstance(over, ListValue):
        return over.items
    if isinstance(over, tuple | list | str):
        return list(over)
    if isinstance(over, ZipValue):
        parts = [known_items(p) for p in over.parts]
        if all(p is not None for p in parts):
            return list(zip(*[p for p in parts if p is not None], strict=False))
    if isinstance(over, EnumerateValue) and isinstance(over.start, int):
        inner = known_items(over.part)
        return None if inner is None else list(enumerate(inner, over.start))
    return None


Shape = tuple[list[Var], Callable[[list[Any]], Any]]


def sequences(e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> Shape:
    """The lists that a loop runs along, and how the value of the loop's target is made of their elements."""
    if isinstance(over, ZipValue):
        inner = [sequences(e, p, node, frame) for p in over.parts]
        lists = [xs for found, _ in inner for xs in found]

        def zipped(elements: list[Any]) -> Any:
            given = iter(elements)
            return tuple([make([next(given) for _ in found]) for found, make in inner])

        return lists, zipped
    if isinstance(over, EnumerateValue):
        lists, make = sequences(e, over.part, node, frame)
        count = structure.length(lists[0])
        stop = count if isinstance(over.start, int) and over.start == 0 else arithmetic.add(count, over.start)
        bounds = (stop,) if isinstance(over.start, int) and over.start == 0 else (over.start, stop)
        indices = e.always(structure.span, bounds)
        return [indices, *lists], lambda elements: (elements[0], make(elements[1:]))
    return [e.sequence(over, node, frame)], lambda elements: elements[0]


def carried_loop(e: Elaboration, node: ast.For, shape: Shape, frame: Frame) -> None:
    """A loop that stays a loop: assigned names that had a value are carried, at a fixed point of their types."""
    lists, make = shape
    before = dict(frame.env)
    names = [n for n in assigned([node]) if n in before and not isinstance(before[n], Unbound)]
    carried = [n for n in names if leaves_of(before[n]) is not None]
    objects: dict[str, list[Object]] = {n: [atom_of(v).object for v in leaves_of(before[n]) or []] for n in carried}
    for _ in range(20):
        frame.env = dict(before)
        block = Block("loop", e.recorder.block)
        starts: dict[str, list[Var]] = {n: [e.recorder.param(block, n, o) for o in objects[n]] for n in carried}
        for n in carried:
            frame.env[n] = rebuilt(before[n], iter(starts[n]))
        elements = [e.recorder.param(block, "", xs.object.item) for xs in lists]  # type: ignore[attr-defined]

        def body() -> None:
            bind(e, node.target, make([opened(v) for v in elements]), frame)  # noqa: B023
            run(e, node.body, frame)

        e.inside(block, body)
        after = frame.env
        again = False
        for n in list(carried):
            ends = leaves_of(after.get(n))
            same = ends is not None and len(ends) == len(objects[n]) and _alike(before[n], after[n])
            wider = [join(a, atom_of(v).object) for a, v in zip(objects[n], ends or [], strict=False)]
            if not same or None in wider:
                carried.remove(n)
                before[n] = Unbound(f"`{n}` changes its type in the loop at {e.span(node, frame)}")
                again = True
            elif wider != objects[n]:
                objects[n] = [w for w in wider if w is not None]
                again = True
        for n in names:
            if n not in carried and not isinstance(before[n], Unbound) and after.get(n) is not before[n]:
                before[n] = Unbound(f"`{n}` is bound anew in each run of the loop at {e.span(node, frame)}")
                again = True
        if not again:
            break
    else:
        raise mismatch("CC006", "the types of this loop's variables do not settle", e.span(node, frame))
    frame.env = before
    carries = [v for n in carried for v in starts[n]]
    block.results = [atom_of(v) for n in carried for v in leaves_of(after[n]) or []]
    inits = [atom_of(v) for n in carried for v in leaves_of(before[n]) or []]
    e.recorder.span = e.span(node, frame)
    let = e.recorder.emit(Loop(block, len(carries), False), [*inits, *lists])
    for n in carried:
        ends = [e.recorder.target(let, v.name, v.object) for v in starts[n]]
        frame.env[n] = rebuilt(before[n], iter(ends))
    for n in assigned([node]):
        if n not in carried:
            frame.env[n] = Unbound(f"bound only inside the loop at {e.span(node, frame)}, which may run zero times")


def opened(var: Var) -> Any:
    """An element that is a tuple, as a tuple of its parts."""
    from ccc.objects import Product

    if not isinstance(var.object, Product):
        return var
    return tuple([opened(structure.part(var, index=i)) for i in range(len(var.object.parts))])


def leaves_of(value: Any) -> list[Any] | None:
    """The numbers, arrays and lists in a value, or None where it holds something that a loop cannot carry."""
    if isinstance(value, tuple):
        parts = [leaves_of(part) for part in value]
        return None if any(p is None for p in parts) else [v for part in parts if part is not None for v in part]
    if isinstance(value, Var | int | float):
        return [value]
    return None


def rebuilt(value: Any, leaves: Any) -> Any:
    return tuple([rebuilt(part, leaves) for part in value]) if isinstance(value, tuple) else next(leaves)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) or isinstance(b, tuple):
        return isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and all(map(_alike, a, b))
    return True


STATEMENTS: dict[type, Callable[[Elaboration, Any, Frame], None]] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Expr: expression_statement,
    ast.Pass: nothing,
    ast.FunctionDef: define,
    ast.For: loop,
}


def is_range(value: Any) -> bool:
    """True for ranges."""
    return isinstance(value, RangeValue)
