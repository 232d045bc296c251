"""The derivative of a value with respect to another one that it was computed from: the steps between them, made a
function of where they begin.

    y = log(x) ... gradient_of(y, wrt=x)      the gradient of λx'. (what leads from x to y, at x'), at x

Steps that do not depend on `x` are not among them: what they gave is captured.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import records
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import Frame, ListValue, RecordValue, variables_in
from ccc.compile.passes.inlining import copy_of
from ccc.compile.program.lam import Apply, Atom, Block, BlockKind, Let, Loop, Var, While, free_variables, lets_in, move
from ccc.objects import Real, functions_in, is_discrete

HELP = "write what is differentiated as a function of its own, and take its gradient: `ccc.gradient(f)(x)`"


def begun_at(value: Any) -> list[Any]:
    """What is differentiated in, one by one: of a list or tuple each of its items."""
    return list(value.items) if isinstance(value, ListValue) else [*value] if type(value) is tuple else [value]


def function_of(e: Elaboration, y: Any, wrt: list[Any], node: ast.AST, frame: Frame) -> Any:
    """A function of what stands in `wrt` that gives `y`."""
    y = e.versions.now(y) if isinstance(y, Var) else y
    if isinstance(y, (int, float)):
        raise unsupported("CC023", "the value is a number that is known while compiling: it depends on nothing",
                          e.place(node, frame), help="leave this derivative out, which is 0.0")
    if not isinstance(y, Var) or not isinstance(y.object, Real):
        raise unsupported("CC026", "`gradient_of` needs a real number that the program computes", e.place(node, frame),
                          help="give one number, as `np.sum(...)` of an array")
    begun = {x: e.versions.now(x) for x in variables_in(tuple(wrt))}
    if not begun and any(isinstance(x, str) for x in wrt):
        raise unsupported("CC023", "`wrt` is a text", e.place(node, frame),
                          help="give the value itself, by its name without quotes")
    if not begun:
        raise unsupported("CC023", "`wrt` is known while compiling: nothing depends on it", e.place(node, frame),
                          help="make it an argument of the function")
    steps = Steps(e, set(begun.values()), node, frame)
    if not steps.depends(y) and is_part(node):
        raise unsupported("CC023", "the value does not depend on what is read here as `wrt`", e.place(node, frame),
                          "what is read of an array, once more, is another value",
                          help="take the gradient in the whole array, and the item of that: `gradient_of(y, wrt=x)[i]`")
    if not steps.depends(y):
        raise unsupported("CC023", "the value does not depend on what `wrt` is here", e.place(node, frame),
                          "a name that was assigned again is another value",
                          help="compute it behind the last assignment of `wrt`, or leave this derivative out")
    return types.MethodType(taken, (y, tuple(wrt), begun, steps.in_order()))


def is_part(node: ast.AST) -> bool:
    """Whether `wrt` is written as an item of something, in a call of `gradient_of`."""
    given = [*node.args[1:], *[k.value for k in node.keywords]] if isinstance(node, ast.Call) else []
    return any(isinstance(x, ast.Subscript) for x in given)


class Steps:
    """The steps from some variables to another one."""

    def __init__(self, e: Elaboration, begun: set[Var], node: ast.AST, frame: Frame) -> None:
        self.e = e
        self.begun = begun
        self.node = node
        self.frame = frame
        self.known: dict[Var, bool] = dict.fromkeys(begun, True)
        self.lets: dict[Let, None] = {}
        self.outer = [block for x in begun if x.home is not None for block in x.home.ancestors()]

    def depends(self, y: Var) -> bool:
        """Whether a variable is computed from those where the steps begin."""
        todo = [y]
        while todo:
            var = todo[-1]
            if var in self.known:
                todo.pop()
                continue
            read = [v for v in self.read_by(var) if v not in self.known]
            if read:
                todo += read
                continue
            todo.pop()
            self.known[var] = any(self.known[v] for v in self.read_by(var))
            if self.known[var]:
                self.add(var)
        return self.known[y]

    def read_by(self, var: Var) -> list[Var]:
        """What a variable is computed from, outside of its own step."""
        let = var.definition
        if let is not None:
            return [v for v in variables_of(let) if v not in let.targets]
        home = var.home
        if home is None or home.kind is BlockKind.TOP or home in self.outer:
            return []  # known where the steps begin
        owner = home.owner
        if owner is not None and isinstance(owner.op, (Loop, While)):
            i = home.params.index(var)
            if i >= owner.op.carries and i < len(owner.args):  # an item of what the loop runs along
                return [a for a in owner.args[i : i + 1] if isinstance(a, Var)]
        if is_discrete(var.object):
            return []
        raise unsupported("CC003", "`gradient_of` through earlier turns of a loop, or from outside of the function",
                          self.e.place(self.node, self.frame), help=HELP)

    def add(self, var: Var) -> None:
        """Note the step of a variable, behind those of the functions that it calls, which nothing captures; refuses
        one that may not be taken twice."""
        let = var.definition
        if let is None or let in self.lets:
            return
        for read in self.read_by(var):
            if not self.known[read] and any(functions_in(read.object, "")):
                self.add(read)
        if any(isinstance(inner.op, Apply) and (inner.op.primitive.draws or inner.op.primitive.effect)
               for inner in [let, *lets_inside(let)]):
            raise unsupported("CC003", "`gradient_of` through what draws or has an effect",
                              self.e.place(self.node, self.frame), help=HELP)
        self.lets[let] = None

    def in_order(self) -> tuple[Let, ...]:
        return tuple(self.lets)


def variables_of(let: Let) -> Iterator[Var]:
    """What a step reads."""
    yield from (a for a in let.args if isinstance(a, Var))
    for block in let.op.blocks:
        yield from free_variables(block, {})


def lets_inside(let: Let) -> list[Let]:
    return [inner for block in let.op.blocks for inner in lets_in(block)]


def taken(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
    """The value at other beginnings: a copy of the steps from there."""
    y, wrt, begun, lets = owner
    found: dict[Var, Atom] = {}
    for x, given in zip(wrt, args, strict=True):
        matched(x, given, found)
    same = {begun[x]: given for x, given in found.items()}
    here = e.recorder.block
    steps = Block(here.kind, here)
    steps.lets = list(lets)
    steps.results = [y]
    made = copy_of(steps, here, same)  # type: ignore[arg-type]
    for let in made.lets:
        move(let, here)
        here.lets.append(let)
        for target in let.targets:
            target.base = e.recorder
    return made.results[0]


def matched(x: Any, given: Any, same: dict[Var, Atom]) -> None:
    """Note what stands for the variables of a value."""
    x, given = (v.items if isinstance(v, ListValue) else v for v in (x, given))
    if isinstance(x, Var):
        same[x] = given
    elif isinstance(x, RecordValue):
        for name, part in x.fields.items():
            matched(part, given.fields[name], same)
    elif isinstance(x, (tuple, list)):
        for a, b in zip(x, given, strict=True):
            matched(a, b, same)


records.COMPILED.add(taken)
