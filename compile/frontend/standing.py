"""A function that stands for two programs, its body and its rule, where it is called."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import Any

from ccc.categories.rules import Checkpoint
from ccc.compile.diagnostics import CompileError, unsupported
from ccc.compile.frontend import result_trees
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.interrupts import Ends
from ccc.compile.frontend.memory.interface import copies, stored
from ccc.compile.frontend.on_host import OnHost
from ccc.compile.frontend.parts import item_by_item, mapped, parts_in, reopened, value_of_tree
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import (
    ITEMS,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    atom_of,
    variables_in,
)
from ccc.compile.program.lam import Apply, Block, BlockKind, FunctionLeaf, Lit, Tree, Var, leaves
from ccc.compile.program.raises import may_raise
from ccc.compile.terms.readback import run_in
from ccc.objects import List, Map, Object, Product, is_discrete
from ccc.primitives import structure
from ccc.primitives.barriers import stop
from ccc.primitives.primitive import Primitive, blurred

PASSES = 8


def as_argument(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a program of its own takes it: a list known item by item is made, or a record of its items where they
    have no common type; an array is what it holds now, and so is a dict of keys that the run knows."""
    if isinstance(value, Var):
        return e.versions.now(value)
    if isinstance(value, ListValue):
        items = [as_argument(e, item, node, frame) for item in value.items]
        found = item_by_item(items)
        return e.leaf(value, node, frame) if found is None else found
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return value.fields[ITEMS]
    if type(value) is tuple or isinstance(value, RecordValue):
        return mapped(value, lambda label, part: as_argument(e, part, node, frame))
    return value


class Standing:
    """A call that becomes a primitive which stands for programs."""

    def __init__(
        self, e: Elaboration, name: str, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
    ) -> None:
        self.e = e
        self.name = name
        self.names: list[str] = []  # of the arguments, where they are known
        self.given = [*args, *kwargs.values()]
        self.gives_them = False  # whether the result leads to lists or objects among the arguments
        self.args = [as_argument(e, a, node, frame) for a in args]
        self.kwargs = {k: as_argument(e, a, node, frame) for k, a in kwargs.items()}
        self.node = node
        self.frame = frame
        self.captured: list[Var] = []
        self.primitive: Primitive | None = None
        self.standing: list[Any] = []
        self.under_way = False
        self.alone = False  # what it computes is known by its rule alone
        self.leaf: Any = (Var, float)
        self.tree: Tree = None

    @property
    def place(self) -> Any:
        return self.e.place(self.node, self.frame)

    # -- programs ----------------------------------------------------------------------------------------------------

    def part(self, run: Callable[[list[Any], dict[str, Any]], Any], rule: Callable[[Any, Any], Any] | None) -> Part:
        """What `run` gives at parameters for the arguments, as a program; `rule` makes its result of that."""
        block = Block(BlockKind.FUNCTION)  # closed: it makes its own λs, and sees no others
        args, kwargs = self.parameters(block)
        params = list(block.params)
        self.standing = [*args, *kwargs.values()]

        def elaborated() -> Tree:
            found = run(args, kwargs)
            return self.result(found) if rule is None else rule(found, [*args, *kwargs.values()])

        try:
            tree = stored.of_its_own(self.e, block, elaborated, self.standing, self.node, self.frame)
        except Ends:
            raise unsupported("CC005", f"`{self.name}` never returns a value here", self.place,
                              "it raises on every path", help="let it return a value") from None
        if self.e.heap.changed(block):
            raise unsupported("CC011", f"`{self.name}` changes what it did not make", self.place,
                              help="return the value instead")
        block.results = list(leaves(tree))
        return Part(self.name, params, block, tree)

    def result(self, value: Any) -> Tree:
        """A value as the result of a program."""
        value = stored.own_result(self.e, value, self.node, self.frame)
        own = copies.changeable_in(self.standing)
        lists = {v for v in variables_in(tuple(self.standing)) if isinstance(v.object, (List, Map))}
        self.gives_them = self.gives_them or any(part in own for part in copies.changeable_in([value])) or bool(
            lists & {*variables_in(value)})
        tree = result_trees.result_tree(self.e, value, None)
        if any(isinstance(leaf, FunctionLeaf) for leaf in leaves(tree)):
            raise unsupported("CC022", f"`{self.name}` gives a function, which has no cotangent here", self.place,
                              help="apply the function inside")
        return tree

    def parameters(self, block: Block) -> tuple[list[Any], dict[str, Any]]:
        """Variables for the arguments, in their structure; what is known stands for itself."""

        def parameter(name: str, value: Any) -> Any:
            if isinstance(value, (tuple, RecordValue)):
                return reopened(mapped(value, lambda label, part: parameter(f"{name}_{label}", part)))
            if self.is_leaf(value):
                return self.e.recorder.param(block, name, atom_of(value).object)
            return value

        args = [parameter(getattr(a, "name", "") or f"arg{i}", a) for i, a in enumerate(self.args)]
        return args, {k: parameter(k, a) for k, a in self.kwargs.items()}

    def is_leaf(self, value: Any) -> bool:
        """True for a number or array that is a parameter of the programs."""
        return isinstance(value, self.leaf) and not isinstance(value, bool)

    def atoms(self) -> list[Any]:
        """The arguments that are parameters of the programs."""

        def inside(value: Any) -> list[Any]:
            parts = parts_in(value)
            if parts is not None:
                return [leaf for part in parts for leaf in inside(part)]
            return [value] if self.is_leaf(value) else []

        return [leaf for a in [*self.args, *self.kwargs.values()] for leaf in inside(a)]

    def signature(self) -> Any:
        """What the programs depend on."""

        def kind(value: Any) -> Any:
            parts = parts_in(value)
            if parts is not None:
                return (getattr(value, "cls", tuple), *map(kind, parts))
            if self.is_leaf(value):
                return atom_of(value).object
            return (type(value), value if isinstance(value, (int, str)) else id(value))

        return (tuple(map(kind, self.args)), tuple([(k, kind(a)) for k, a in self.kwargs.items()]))

    # -- the primitive -----------------------------------------------------------------------------------------------

    def settled(self, elaborate: Callable[[], list[Var]]) -> None:
        """Elaborate the programs until it is known what they capture; a rule may hold this very call."""
        for _ in range(PASSES):
            captured = elaborate()
            if captured == self.captured:
                return refuse_unfinished(self)
            self.captured = captured
        raise unsupported("CC006", f"the derivative of `{self.name}` captures ever more", self.place,
                          help="pass what it reads as arguments")

    def declare(self, body: Part, program: Checkpoint) -> None:
        """Make the primitive, with the types of its body."""
        one, name = one_object(body.results), self.name
        params = [v.object for v in [*body.params, *self.captured]]
        run = [(let, here) for here in run_in(body.block) for let in here.lets]

        def type_rule(p: Primitive, args: tuple[Object, ...], params_: dict[str, Any]) -> Object:
            return one if list(args) == params else blurred(one, args)

        program.raises = any(may_raise(let) for let, _ in run)
        self.tree = body.tree
        effect, draws = [any(isinstance(let.op, Apply) and getattr(let.op.primitive, fact) for let, _ in run)
                         for fact in ("effect", "draws")]
        self.primitive = Primitive(
            name, OnHost(program, params, not (effect or draws)), type_rule, lambda *xs: f"{name}({', '.join(xs)})",
            exact=True, effect=effect, program=program, draws=draws,
        )

    def applied(self, atoms: Sequence[Any]) -> Any:
        """The value of the primitive at arguments, in the structure of the result."""
        e = self.e
        if self.gives_them and e.stores is not None:
            raise unsupported("CC003", f"not in stores: `{self.name}` gives back what it is given, which stands in one",
                              self.place, help="give back a copy")
        e.recorder.span = self.place or e.recorder.span
        t = e.always(self.primitive, (*atoms, *self.captured))
        count = sum(isinstance(leaf, Var) for leaf in leaves(self.tree))
        found = iter([t] if count == 1 else [e.always(structure.part, (t,), index=i) for i in range(count)])

        def value(tree: Tree) -> Any:
            if isinstance(tree, tuple):
                return value_of_tree(tree, [value(part) for part in tree])
            return next(found) if isinstance(tree, Var) else tree.value if isinstance(tree, Lit) else None

        result = value(self.tree)
        if self.gives_them:  # what is computed is a copy, so neither may change from now on
            copies.sealed_in([*self.given, result], f"what `{self.name}` gave")
        return result

    def refuse_captured(self, body: Part) -> None:
        """A derivative says nothing of what the function reads beside its arguments."""
        outside = {leaf for hidden in self.e.hidden.values() for leaf in leaves(variables(hidden.tree))}
        for v in body.captured:
            if v in outside or is_discrete(v.object) or is_stopped(v):
                continue
            raise unsupported(
                "CC042", f"the derivative of `{self.name}` does not see `{v.name or 'a value'}`, which it captures",
                self.place, "a custom derivative gives the cotangents of the arguments only",
                help="make it an argument, or write `without_derivative(...)` of it before")


def variables(tree: Any) -> Any:
    """The variables of a hidden argument."""
    return tuple(map(variables, tree.fields.values())) if isinstance(tree, RecordValue) else tree


def is_stopped(v: Var) -> bool:
    """True for a value of which nothing is differentiated."""
    let = v.definition
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is stop


def refuse_unfinished(call: Standing) -> None:
    """Refuse to capture a recursive function that is not finished yet."""
    unfinished = [a.name for a in call.e.active if a.function in call.captured]
    if unfinished:
        raise unsupported("CC022", f"`{call.name}` calls `{unfinished[0]}`, in which it stands", call.place,
                          help="move it out of the recursion")


def around(function: Any, node: ast.AST, frame: Frame | None) -> tuple[ast.AST, Any]:
    """The place of a call inside: that of the call around it, or of the function where nothing calls it."""
    while frame is None and isinstance(function, ChoiceValue):
        function = function.then
    if frame is None and isinstance(function, ClosureValue):
        return function.node, function.frame
    if frame is not None or not isinstance(function, types.FunctionType):
        return node, frame
    try:
        source = source_of(function)
    except CompileError:
        return node, frame
    return source.node, Frame(function.__name__, source.file, function, None, source.node)


def one_object(objects: Sequence[Object]) -> Object:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))
