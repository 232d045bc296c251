"""What the rule of a user gives, as a value and a pullback of the program: checked, and matched to the arguments."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ccc.categories.rules import Custom
from ccc.compile.diagnostics import CompileError, Diagnostic, TypeMismatch, unsupported
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.inner_programs import Part
from ccc.compile.frontend.interrupts import Ends
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.parts import contents_of, items_in, parts_in, value_of_tree
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.standing import Standing, around, as_argument, one_object
from ccc.compile.frontend.values import ClosureValue, ListValue, RecordValue, atom_of, is_function
from ccc.compile.program.lam import Block, BlockKind, Lambda, Let, Lit, Node, Tree, Var
from ccc.coproducts import join
from ccc.objects import Array, Exponential, Int, Real, is_discrete, is_of_any_kind
from ccc.primitives.barriers import shaped
from ccc.wording import in_words


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
    block = Block(BlockKind.FUNCTION, e.recorder.block)

    def cotangent(tree: Tree) -> Any:
        if isinstance(tree, tuple):
            return value_of_tree(tree, [cotangent(part) for part in tree])
        if isinstance(tree, Var) and not is_discrete(tree.object):
            return e.recorder.param(block, "ct", tree.object)
        return None

    seed = cotangent(value)

    def pulled() -> list[Any]:
        cts = e.call(pullback, [seed], {}, *around(pullback, call.node, call.frame))
        return Matching(call, pullback, given).all(args, stored.own_result(e, cts, call.node, call.frame))

    given.clear()
    try:
        own = lambda: stored.of_its_own(e, block, pulled, (), call.node, call.frame)  # noqa: E731
        block.results = e.attempts.within([], own)  # it runs behind the `try`s around the call
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


def values_like(call: Standing, rule: Any, wanted: Tree, found: Tree) -> list[Any]:
    """What a rule gives for the variables in the result of the function."""
    if isinstance(wanted, tuple):
        if not isinstance(found, tuple) or len(found) != len(wanted) or names(found) != names(wanted):
            raise wrong(call, rule, f"the rule of `{call.name}` gives a value of another structure than the function",
                        help="give the value that the function gives")
        return [a for x, y in zip(wanted, found, strict=True) for a in values_like(call, rule, x, y)]
    if not isinstance(wanted, Var):
        return []
    a = found.object if isinstance(found, (Var, Lit)) else None
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
            known = self.call.names[i] if i < len(self.call.names) else f"argument {i + 1}"
            self.match(arg, ct, getattr(arg, "name", "") or known)
        return self.atoms

    def match(self, arg: Any, ct: Any, path: str) -> None:
        parts = items_in(arg)
        if parts is not None:
            ct = like_the_argument(arg, ct)
            ct = ct if ct is None else as_argument(self.call.e, ct, self.call.node, self.call.frame)
            given = [None] * len(parts) if ct is None else parts_in(ct)
            if given is None or len(given) != len(parts) or (ct is not None and kind_of(ct) != kind_of(arg)):
                raise self.wrong(f"{described(ct)} for `{path}`, which is {described(arg)}")
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
            if not fits and not is_of_any_kind(b):
                raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
            atom = e.always(shaped, (atom, arg), of=path)
        elif isinstance(a, (Real, Array)):
            if not isinstance(b, (Real, Int)) and not (isinstance(b, Array) and b.axes in ((), None)):
                raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
        elif join(a, b) is None:
            raise self.wrong(f"{described(atom)} for `{path}`, which is {described(arg)}")
        self.given.append(self.position)
        self.atoms.append(atom)


def like_the_argument(arg: Any, ct: Any) -> Any:
    """A cotangent in the structure of its argument: a list may stand for a tuple, a dict or list for an object of a
    class below, whose attributes have none then."""
    if type(arg) is tuple and isinstance(ct, ListValue):
        return tuple(ct.items)
    name, container = contents_of(arg) or ("", None)
    if container is None or kind_of(ct) == kind_of(arg) or not (
            isinstance(ct, ListValue) if container is list else isinstance(ct, RecordValue) and ct.cls is container):
        return ct
    assert isinstance(arg, RecordValue)
    return arg.like([ct if label == name else None for label in arg.fields])


def one_tuple(arg: Any) -> bool:
    return type(arg) is tuple and len(arg) == 1


def kind_of(value: Any) -> Any:
    return getattr(value, "cls", tuple)
