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
from collections.abc import Callable, Sequence
from typing import Any

from ccc.categories.rules import Checkpoint, Custom
from ccc.compile.diagnostics import CompileError, Diagnostic, TypeMismatch, UnsupportedPython, unsupported
from ccc.compile.frontend import result_trees
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.interrupts import Ends
from ccc.compile.frontend.memory.interface import changeable_in, sealed_in, stored
from ccc.compile.frontend.on_host import OnHost
from ccc.compile.frontend.parts import item_by_item, items_in, mapped, parts_in, reopened, value_of_tree
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ChoiceValue, ClosureValue, Frame, ListValue, RecordValue, atom_of, is_function
from ccc.compile.program.lam import (
    Apply,
    Block,
    FunctionLeaf,
    Lambda,
    Let,
    Lit,
    Node,
    Program,
    Tree,
    Var,
    leaves,
)
from ccc.compile.program.raises import may_raise
from ccc.compile.terms.integer_cutoffs import jumps_of
from ccc.compile.terms.readback import run_in
from ccc.coproducts import join
from ccc.objects import Array, Exponential, Int, Object, Product, Real, is_discrete
from ccc.primitives import structure
from ccc.primitives.barriers import shaped, stop
from ccc.primitives.primitive import Primitive, blurred
from ccc.wording import in_words

RULES: dict[Any, Callable[..., Any]] = {}
"""The derivatives that users gave to functions."""
PASSES = 8
UNROLLED = 2  # rules of one function within its rule before known numbers among its arguments become parameters
Given = tuple[list[Any], dict[str, Any]]


def rule_of(e: Elaboration, function: Any) -> Callable[..., Any] | None:
    """The derivative that a user gave to a function; none while its own body is elaborated."""
    try:
        return None if not RULES or function in e.plain else RULES.get(function)
    except TypeError:  # without a hash
        return None


def as_argument(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a program of its own takes it: a list known item by item is made, or a record of its items where they
    have no common type; an array is what it holds now."""
    if isinstance(value, Var):
        return e.versions.now(value)
    if isinstance(value, ListValue):
        items = [as_argument(e, item, node, frame) for item in value.items]
        found = item_by_item(items)
        return e.leaf(value, node, frame) if found is None else found
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
        block = Block("function")  # closed: it makes its own λs, and sees no others
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
        own = changeable_in(self.standing)
        self.gives_them = self.gives_them or any(part in own for part in changeable_in([value]))
        tree = result_trees.result_tree(self.e, value, None)
        if any(isinstance(leaf, FunctionLeaf) for leaf in leaves(tree)):
            raise unsupported("CC022", f"`{self.name}` gives a function, which has no cotangent here", self.place,
                              help="apply the function inside")
        return tree

    def parameters(self, block: Block) -> tuple[list[Any], dict[str, Any]]:
        """Variables for the arguments, in their structure; what is known stands for itself."""

        def parameter(name: str, value: Any) -> Any:
            if isinstance(value, tuple | RecordValue):
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
            return (type(value), value if isinstance(value, int | str) else id(value))

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
            sealed_in([*self.given, result], f"what `{self.name}` gave")
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


# -- checkpoints -------------------------------------------------------------------------------------------------------


def checkpoint(e: Elaboration, function: Any, given: Given, node: ast.AST, frame: Frame | None) -> Any:
    """The value of a function whose pullback computes it once more."""
    call = Standing(e, name_of(function), *given, node, frame)
    made: list[Part] = []

    def elaborate() -> list[Var]:
        made[:] = [call.part(lambda args, kwargs: e.call(function, args, kwargs, *around(function, node, frame)), None)]
        return made[0].captured

    call.settled(elaborate)
    (body,) = made
    program = Checkpoint(body.values(call.captured), body.results)
    params = [(v.name, v) for v in [*body.params, *call.captured]]
    program.jumps = jumps_of(Program(body.name, params, body.block, body.tree))  # type: ignore[arg-type]
    call.declare(body, program)
    return call.applied(call.atoms())


def refuse_unfinished(call: Standing) -> None:
    """Refuse to capture a recursive function that is not finished yet."""
    unfinished = [a.name for a in call.e.active if a.function in call.captured]
    if unfinished:
        raise unsupported("CC022", f"`{call.name}` calls `{unfinished[0]}`, in which it stands", call.place,
                          help="move it out of the recursion")


def name_of(function: Any) -> str:
    """What a function is called in a program."""
    name = getattr(function, "name", None) or getattr(function, "__name__", "") or type(function).__name__
    return name if name.isidentifier() else "function"


# -- custom derivatives ------------------------------------------------------------------------------------------------


def custom(e: Elaboration, function: Any, rule: Any, given: Given, node: ast.AST, frame: Frame | None) -> Any:
    """The value of a function with a derivative of its own."""

    def body(call: Standing) -> Part:
        outer, e.plain = e.plain, e.plain | {function}
        try:
            return call.part(lambda args, kwargs: e.call(function, args, kwargs, *around(function, node, frame)), None)
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

    def body(call: Standing) -> Part:
        def run(args: list[Any], kwargs: dict[str, Any]) -> Any:
            return pair_of(call, rule, e.call(rule, args, kwargs, *around(rule, node, frame)))[0]

        return call.part(run, None)

    return standing(e, name_of(rule), rule, rule, body, given, node, frame)


def replaced(e: Elaboration, x: Any, function: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value whose cotangent is what the function makes of it."""
    name = name_of(function)
    call = Standing(e, f"replace_gradient_{name}" if name != "function" else "replace_gradient", [x], {}, node, frame)
    return with_rule(call, lambda: call.part(lambda args, kwargs: args[0], None),
                     lambda args, kwargs: (args[0], function), function, captures=True)


def standing(
    e: Elaboration, name: str, function: Any, rule: Any, body: Callable[[Standing], Part], given: Given, node: ast.AST,
    frame: Frame | None,
) -> Any:
    """A call of a function with a rule: the primitive that is being made for it, if this call is in its own rule."""
    call = Standing(e, name, *bound(e, function, given, node, frame), node, frame)
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
        found = with_rule(call, lambda: body(call),
                          lambda args, kwargs: e.call(rule, args, kwargs, *around(rule, node, frame)), rule)
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


def with_rule(
    call: Standing, body: Callable[[], Part], run: Callable[[list[Any], dict[str, Any]], Any], rule: Any,
    captures: bool = False,
) -> Any:
    """The value of a body with the derivative that a rule gives."""
    made: list[Any] = []

    def elaborate() -> list[Var]:
        value = body()
        if not captures:
            call.refuse_captured(value)
        schedules = getattr(rule, "schedules", False)  # the rule is the derivative of the body, computed otherwise
        program = Custom(call.name, None, None, value.results, (), call.alone, schedules)
        call.declare(value, program)
        given: list[int] = []
        try:
            found = call.part(run, lambda pair, args: with_pullback(call, rule, value.tree, pair, args, given))
        except CompileError as error:
            if any(d.code in ("CC011", "CC040", "CC042") for d in error.diagnostics) or captures or not callable(rule):
                raise
            made[:] = [program, value, error, given]
            return value.captured
        made[:] = [program, value, found, given]
        return list(dict.fromkeys([*value.captured, *found.captured]))

    call.settled(elaborate)
    program, value, found, given = made
    term = value.values(call.captured)
    if isinstance(found, CompileError):
        from ccc.compile.frontend import opaque

        call.declare(value, opaque.Called(term, rule, call, value, found))
    else:
        program.body, program.rule, program.given = term, found.term(call.captured), tuple(given)
    return call.applied(call.atoms())


def pair_of(call: Standing, rule: Any, found: Any) -> tuple[Any, Any]:
    """The value and the pullback that a rule gave."""
    if isinstance(found, tuple) and len(found) == 2 and is_function(found[1]):
        return found[0], found[1]
    raise wrong(call, rule, f"the rule of `{call.name}` gives {described(found)}",
                "it must give the value and a function of its cotangent", help="return value, lambda ct: ...")


def wrong(call: Standing, at: Any, message: str, *notes: str, help: str = "return one cotangent per argument; None "
          "for none") -> TypeMismatch:
    """The error for a rule that gives something else than a rule has to."""
    span = call.place
    if isinstance(at, ClosureValue):
        span = call.e.span(at.node, at.frame)
    elif isinstance(at, types.FunctionType):
        source = source_of(at)
        span = source.span(source.node)
    return TypeMismatch(Diagnostic("CC040", message, span, notes, help))


def with_pullback(
    call: Standing, rule: Any, value: Tree, pair: Any, args: list[Any], given: list[int]
) -> Tree:
    """The result of a rule's program: the tuple of its values, and its pullback as a function of the program."""
    e = call.e
    found, pullback = pair_of(call, rule, pair)
    atoms = values_like(call, rule, value, call.result(found))
    block = Block("function", e.recorder.block)

    def cotangent(tree: Tree) -> Any:
        if isinstance(tree, tuple):
            return value_of_tree(tree, [cotangent(part) for part in tree])
        if isinstance(tree, Var) and not is_discrete(tree.object):
            return e.recorder.param(block, "ct", tree.object)
        return None

    seed = cotangent(value)

    def pulled() -> list[Any]:
        cts = e.call(pullback, [seed], {}, *around(pullback, call.node, call.frame))
        return Matching(call, pullback, given).all(args, cts)

    given.clear()
    try:
        block.results = e.inside(block, pulled)
    except Ends:
        raise unsupported("CC005", f"the pullback of `{call.name}` never returns", call.place,
                          help="return the cotangents") from None
    if e.heap.changed(block):
        raise unsupported("CC011", f"the pullback of `{call.name}` changes what it did not make", call.place,
                          help="return the cotangents instead")
    let = Let(Lambda(block), [], e.recorder.span)
    e.recorder.block.lets.append(let)
    dom, cod = [v.object for v in block.params], [a.object for a in block.results]
    function = let.target("pullback", Exponential(one_object(dom), one_object(cod)), e.recorder.block)
    function.base = e.recorder
    return (tuple(atoms), function)


def one_object(objects: Sequence[Object]) -> Object:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))


def values_like(call: Standing, rule: Any, wanted: Tree, found: Tree) -> list[Any]:
    """What a rule gives for the variables in the result of the function."""
    if isinstance(wanted, tuple):
        if not isinstance(found, tuple) or len(found) != len(wanted) or names(found) != names(wanted):
            raise wrong(call, rule, f"the rule of `{call.name}` gives a value of another structure than the function",
                        help="give the value that the function gives")
        return [a for x, y in zip(wanted, found, strict=True) for a in values_like(call, rule, x, y)]
    if not isinstance(wanted, Var):
        return []
    a = found.object if isinstance(found, Var | Lit) else None
    if a is None or join(a, wanted.object) is None:
        raise wrong(call, rule, f"the rule of `{call.name}` gives {in_words(a) if a else 'no value'}, the function "
                    f"{in_words(wanted.object)}",
                    help="give the value that the function gives")
    return [found]


def names(tree: Tree) -> Any:
    return (tree.cls, tree.names) if isinstance(tree, Node) else None


class Matching:
    """The cotangents that a rule gives, as those of the arguments: `given` gets the positions of those that are not
    zero."""

    def __init__(self, call: Standing, pullback: Any, given: list[int]) -> None:
        self.call = call
        self.pullback = pullback
        self.given = given
        self.position = 0
        self.atoms: list[Any] = []

    def wrong(self, message: str, *notes: str) -> TypeMismatch:
        return wrong(self.call, self.pullback, f"the pullback of `{self.call.name}` gives {message}", *notes)

    def all(self, args: list[Any], cts: Any) -> list[Any]:
        """The atoms of all cotangents, which are bare for one argument."""
        alone = len(args) == 1 and not (type(cts) is tuple and len(cts) == 1 and not one_tuple(args[0]))
        given: Any = (cts,) if alone else cts
        if not isinstance(given, tuple) or len(given) != len(args):
            count = len(given) if isinstance(given, tuple) else 1
            raise self.wrong(f"{count} cotangent{'s' if count != 1 else ''} for {len(args)} arguments")
        for i, (arg, ct) in enumerate(zip(args, given, strict=True)):
            self.match(arg, ct, getattr(arg, "name", "") or f"argument {i + 1}")
        return self.atoms

    def match(self, arg: Any, ct: Any, path: str) -> None:
        parts = items_in(arg)
        if parts is not None:
            ct = ct if ct is None else as_argument(self.call.e, ct, self.call.node, self.call.frame)
            given = [None] * len(parts) if ct is None else parts_in(ct)
            if given is None or len(given) != len(parts) or (ct is not None and kind_of(ct) != kind_of(arg)):
                raise self.wrong(f"{described(ct)} for `{path}`, which has {len(parts)} parts")
            for i, (part, inner) in enumerate(zip(parts, given, strict=True)):
                self.match(part, inner, getattr(part, "name", "") or f"{path}[{i}]")
        elif isinstance(arg, Var):
            self.leaf(arg, ct, path)
            self.position += 1

    def leaf(self, arg: Var, ct: Any, path: str) -> None:
        if ct is None or is_discrete(arg.object):
            return
        e = self.call.e
        ct = as_argument(e, ct, self.call.node, self.call.frame)
        if is_function(ct) or parts_in(ct) is not None or isinstance(ct, str):
            raise self.wrong(f"{described(ct)} for `{path}`, which is {described(arg)}")
        atom = atom_of(float(ct) if type(ct) is int else ct)
        a, b = arg.object, atom.object
        if isinstance(a, Array) and a.axes != ():
            fits = isinstance(b, Array) and (a.axes is None or b.axes is None or len(a.axes) == len(b.axes))
            if not fits and b != Real("any"):
                raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
            atom = e.always(shaped, (atom, arg), of=path)
        elif isinstance(a, Real | Array):
            if not isinstance(b, Real | Int) and not (isinstance(b, Array) and b.axes in ((), None)):
                raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
        elif join(a, b) is None:
            raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
        self.given.append(self.position)
        self.atoms.append(atom)


def one_tuple(arg: Any) -> bool:
    return type(arg) is tuple and len(arg) == 1


def kind_of(value: Any) -> Any:
    return getattr(value, "cls", tuple)
