"""A derivative that a program takes: the inner program, derived and spliced into the one being elaborated.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ccc.categories.rules import Kept
from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import directions, result_trees, written_inside
from ccc.compile.frontend.derivation import Derivation, innermost, names_of, refuse_strangers
from ccc.compile.frontend.elaborate import Elaborated, elaborate
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Hidden
from ccc.compile.frontend.integers import moving
from ccc.compile.frontend.lent import Site
from ccc.compile.frontend.memory.interface import dicts, reached_from, stored
from ccc.compile.frontend.parts import items_in, mapped, value_of_tree
from ccc.compile.frontend.reading import as_float, at_rest, read_inside
from ccc.compile.frontend.standing import as_argument
from ccc.compile.frontend.values import ITEMS, ClosureValue, Frame, LinearValue, RecordValue, variables_in
from ccc.compile.frontend.wanted_parts import reach_inside, refuse_missing
from ccc.compile.program.lam import (
    Apply,
    Block,
    BlockKind,
    Lambda,
    Let,
    Lit,
    Node,
    Program,
    Tree,
    Var,
    VarTree,
    free_variables,
    leaves,
    lets_in,
    like as node_like,
    move,
)
from ccc.compile.terms import derive
from ccc.compile.terms.integer_cutoffs import refuse_lost
from ccc.compile.terms.plan import Kind, Plan, apart, derived, ending
from ccc.compile.terms.wanted import Part, text_of
from ccc.objects import INT, Map, holds_source
from ccc.objects_of_values import object_of
from ccc.primitives.facts import NOTHING


def places_of(
    e: Elaboration, inner: Elaborated, given: list[Any], node: ast.AST, frame: Frame | None
) -> dict[Site, Any]:
    """Where what an inner function writes to stands among its arguments."""
    if inner.writes is None:
        return {}
    written_inside.refuse_stored(e, node, frame)
    places = written_inside.there(e, inner.writes, given, node, frame)
    written_inside.refuse_shared(e, inner.writes, places, node, frame)
    return places


def inlined(
    t: Derivation, e: Elaboration, arguments: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """Elaborate the inner function on its own, derive, and splice the result into the current block."""
    e.differentiates = e.differentiates or t.kind is not Kind.VALUE
    if t.kind is Kind.VALUE and is_inside(innermost(t.function)):
        return e.call(t.function, list(arguments), kwargs, node, frame)
    given_args = [as_argument(e, a, node, frame) for a in arguments]
    given_kwargs = {name: as_argument(e, a, node, frame) for name, a in kwargs.items()}

    def program_at(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Program, Sequence[Any]]:
        if is_inside(innermost(t.function)):
            return closure_program(e, t.function, args, kwargs, node, frame), e.looked_at
        known.append(([*args, *kwargs.values()], found := sub_elaboration(e, t.function, args, kwargs)))
        return found.program, [*found.looked_at]

    known: list[tuple[list[Any], Elaborated]] = []
    positions = t.positions(given_args, given_kwargs)[0] if t.kind is not Kind.VALUE else ()
    parts = wanted_parts(t, given_args, given_kwargs, positions)
    args, kwargs = read_inside(e, given_args, given_kwargs, parts, program_at)
    before, wanted = [*given_args, *given_kwargs.values()], list[Any]()
    if t.kind is Kind.DERIVATIVE and any(map(is_int, args)):
        raise moving(names_of(t.function, 1, {})[0]).placed(e.place(node, frame))
    read = next((found for values, found in known if all(map(operator.is_, values, [*args, *kwargs.values()]))), None)
    splicing, inner = derived_inline(t, e, args, kwargs, node, frame, read)
    writes, whole = inner.writes, [*args, *kwargs.values()]
    places = places_of(e, inner, [*arguments, *kwargs.values()], node, frame)
    if writes is not None and any(a is not b for a, b in zip(whole, before, strict=True)):
        written_inside.refuse_integers(e, inner, node, frame)

    def done(kind: Kind, aux: bool, found: Any) -> Any:
        if writes is not None:
            found, state = apart(kind, aux, found)
            written_inside.write(e, writes, state, places, node, frame)
        return _seen(found, dicts.made_of)

    if not t.kind.linear:
        return done(t.kind, t.aux, splicing(ended, ()))

    def apply(given: Sequence[Any], node: ast.AST, frame: Frame | None, fits: bool = False) -> Any:
        further = fitting_directions(t.kind, e, given, origins, wanted, fits, node, frame)
        zeros: list[Any] = list(map(known_zeros, further))
        if t.aux and t.kind is Kind.PULLBACK:
            further, zeros = [(further[0], None)], [(zeros[0], True)]
        found = splicing(lambda plan, inner: applied(t.kind, plan, inner.program, zeros), further)
        return _seen(found, dicts.made_of)

    if writes is None:
        positional, named = [_seen(x, e.opened) for x in args], {name: _seen(x, e.opened) for name, x in kwargs.items()}
        value = e.call(t.function, positional, named, node, frame)
    else:
        plain = derived_inline(t, e, args, kwargs, node, frame, draws=True)[0]
        value = done(Kind.VALUE, False, plain(lambda plan, inner: ended(plan.of_value(), inner), ()))
    if t.kind is Kind.PULLBACK:
        origins = [("value", directions.shown(e, value[0] if t.aux else value))]
    else:
        names, values = names_of(t.function, len(args), kwargs), [*args, *kwargs.values()]
        origins = [(text_of(names[i], way), reach_inside(e, values[i], way, node, frame)) for i, way in parts]
        wanted = [reach_inside(e, before[i], way, node, frame) for i, way in parts]
    return value, LinearValue(t.kind, len(origins), apply, [x for _, x in origins])


def is_int(x: Any) -> bool:
    """True for integers, known or not."""
    return type(x) is int or (isinstance(x, Var) and x.object == INT)


def wanted_parts(
    t: Derivation, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int]
) -> list[Part]:
    """The parts of arguments that are differentiated; refuses those that there are not."""
    parts = list(map(Part, positions, t.steps() or ((),) * len(positions)))
    for i, way in parts:
        if way:
            refuse_missing([*args, *kwargs.values()][i], names_of(t.function, len(args), kwargs)[i], way)
    return parts


def is_inside(function: Any) -> bool:
    """True for a function of the program that is being elaborated, or one that is bound to its values."""
    frames: list[Any] = []
    return not callable(function) or bool([*reached_from(function, frames), *frames])


def ended(plan: Plan, inner: Elaborated) -> Program:
    """What is derived of an inner program, with what is written back at its end."""
    return derived(*ending(plan, inner.program, inner.state))


def fitting_directions(
    kind: Kind, e: Elaboration, given: Sequence[Any], origins: Sequence[tuple[str, Any]], wanted: Sequence[Any],
    fits: bool, node: ast.AST, frame: Frame | None,
) -> list[Any]:
    """Cotangents of a value, or tangents of arguments, as those at hand."""
    further = [as_float(as_argument(e, ct, node, frame)) for ct in given]
    if kind is Kind.DIFFERENTIAL:
        for i, d in enumerate(further[: len(origins)]):
            further[i] = at_rest(e, wanted[i], origins[i][1], d, origins[i][0], node, frame)
    if fits:
        return [d if x is None else directions.like_the_value(e, x, d, node, frame)
                for (_, x), d in zip(origins, further, strict=True)]
    fitting = directions.Fitting(e, "cotangent" if kind is Kind.PULLBACK else "tangent", node, frame)
    return [fitting.fitted(x, d, path) if x is not None else d
            for (path, x), d in zip(origins, further, strict=True)]


def applied(kind: Kind, plan: Plan, program: Program, zeros: Sequence[Any]) -> Program:
    """A program with its differential or pullback at directions, of which some are zero."""
    refuse_lost(program, plan.parts)
    if kind is Kind.DIFFERENTIAL:
        return derive.forward(program, plan.parts, plan.category, zeros=zeros, aux=plan.aux)
    return derive.vjp(program, plan.parts, plan.category, plan.bare, *zeros)


def known_zeros(value: Any) -> Any:
    """Whether a cotangent or tangent is known to be zero, for a tuple or record part by part: such a zero stays the
    symbol that it is inside of a derivative, and nothing is computed of it."""
    if isinstance(value, (tuple, RecordValue)):
        return tuple(map(known_zeros, value.fields.values() if isinstance(value, RecordValue) else value))
    op = value.definition.op if isinstance(value, Var) and value.definition is not None else None
    return (isinstance(op, Apply) and op.primitive.bounds == NOTHING) or (type(value) is float and value == 0.0)


def derived_inline(
    t: Derivation, e: Elaboration, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None,
    read: Elaborated | None = None, draws: bool = False,
) -> tuple[Callable[[Callable[[Plan, Elaborated], Program], Sequence[Any]], Any], Elaborated]:
    """A function that splices a derivative program in and gives its result; what the function captures is what that
    is here, wherever the derivative is taken. Its second argument are arguments behind those of the function. Beside it
    the program that is derived, which may have been `read` already. Where it `draws`, that is from the sources
    themselves, as the value does that comes before a pullback; this draws the same once more, from copies."""
    positions, form = t.positions(args, kwargs)
    values, names = [*args, *kwargs.values()], names_of(t.function, len(args), kwargs)
    for i, way in zip(positions, t.steps() or ((),) * len(positions), strict=True):
        value, name = reach_inside(e, values[i], way, node, frame), names[i] if i < len(names) else f"argument {i}"
        refuse_strangers(value, text_of(name, way))
        if isinstance(value, Var):
            t.refuse_integers(text_of(name, way), value.object, len(values))
    if is_inside(innermost(t.function)):
        program = closure_program(e, t.function, args, kwargs, node, frame)
        captured = {v: v for _, tree in program.params[len(args) + len(kwargs):] for v in leaves(tree)}
        inner = Elaborated(program, [], {}, None, {})
    else:
        captured = {}
        inner = read or sub_elaboration(e, t.function, args, kwargs)
    kept = kept_sources(e, inner, [*args, *kwargs.values(), *captured]) if t.kind.linear and not draws else None
    written_inside.refuse_known(e, inner, node, frame)
    now = {hidden.key: written_inside.standing(e, hidden, node, frame) for hidden in inner.hidden}

    def spliced(derivation: Callable[[Plan, Elaborated], Program], further: Sequence[Any]) -> Any:
        program = derivation(t.plan(positions, form), inner)
        given: dict[Var, Any] = {}
        for (_, tree), value in zip(program.params[len(program.params) - len(further):], further, strict=True):
            _match(tree, value, given, lambda of_parts: directions.as_one_list(e, of_parts, node, frame))
        outside = [*captured, *[None] * len(inner.hidden)]
        for (_, tree), value in zip(program.params, [*args, *kwargs.values(), *outside], strict=False):
            if value is not None:
                _match(tree, value, given)
        for hidden, (_, tree) in zip(inner.hidden, program.params[len(values):], strict=False):
            adopted = _adopted(e, hidden)
            _match(tree, adopted.tree if now[hidden.key] is None else now[hidden.key], given)
            settle(e, inner, hidden.tree, adopted.tree)
        if kept is not None:
            anew = dict(zip(kept.xs, kept.anew(), strict=True))
            given.update({v: anew[x] for v, x in given.items() if x in anew})
        return splice(e, program, given)

    return spliced, inner


def kept_sources(e: Elaboration, inner: Elaborated, values: Sequence[Any]) -> Kept | None:
    """Sources of random numbers in the state in which a function finds them that draws: its differential, and what its
    pullback computes again, draw the same."""
    if not any(isinstance(let.op, Apply) and let.op.primitive.draws for let in lets_in(inner.program.block)):
        return None
    given = [v for value in values for v in variables_in(value)]
    given += [v for hidden in inner.hidden
              for v in variables_in(_adopted(e, hidden).tree)]
    found = [v for v in dict.fromkeys(given) if holds_source(v.object)]
    return Kept(e.recorder, found, [v.object for v in found])


def closure_program(
    e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Program:
    """A nested function as a closed program: what it captures becomes further parameters."""
    block = Block(BlockKind.FUNCTION)  # closed: it makes its own λs, and sees no others
    e.read_in[block] = e.recorder.block

    def parameter(name: str, value: Any) -> Any:
        if isinstance(value, (tuple, RecordValue)):
            return mapped(value, lambda label, part: parameter(f"{name}_{label}", part))
        if isinstance(value, (Var, int, float)):
            var = e.recorder.param(block, name, value.object if isinstance(value, Var) else object_of(value))
            e.stands_for[var] = value
            return e.opened(var)
        return value

    names = names_of(function, len(args), kwargs) if isinstance(function, ClosureValue) else []
    names += [f"arg{i}" for i in range(len(names), len(args) + len(kwargs))]
    values = [parameter(name, value) for name, value in zip(names, [*args, *kwargs.values()], strict=True)]
    positional, named = values[: len(args)], dict(zip(kwargs, values[len(args):], strict=True))

    def called() -> Any:
        return stored.own_result(e, e.call(function, positional, named, node, frame), node, frame)

    around, e.answers = e.answers, set()
    result = stored.of_its_own(e, block, called, values, node, frame)
    answers, e.answers = frozenset(e.answers), around | e.answers
    if e.heap.changed(block):
        raise unsupported("CC011", "a function that is differentiated inside a program changes what it did not make",
                          e.place(node, frame), help="return the value instead")
    tree = e.inside(block, lambda: result_trees.result_tree(e, result, None))
    block.results = list(leaves(tree))
    captured = free_variables(block, {})
    unfinished = [a.name for a in e.active if a.function in captured]
    if unfinished:
        name = unfinished[0]
        raise unsupported("CC022", f"a derivative of `{name}` inside `{name}` itself: its order is not known",
                          e.place(node, frame), help="differentiate outside of the recursion")
    params = [(name, _only_variables(value)) for name, value in zip(names, values, strict=True)]
    params += [(v.name, v) for v in captured]
    program = Program(getattr(function, "name", "f"), params, block, tree)
    program.answers = answers
    return program


def _seen(value: Any, seen: Callable[[Var], Any]) -> Any:
    """What a program of its own takes or gives, as this one sees it: a map as a dict."""
    if isinstance(value, Var):
        return seen(value) if isinstance(value.object, Map) else value
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return value
    has_map = any(isinstance(var.object, Map) for var in variables_in(value))
    return mapped(value, lambda label, part: _seen(part, seen)) if has_map else value


def _only_variables(value: Any) -> VarTree:
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return value.fields[ITEMS]
    if isinstance(value, RecordValue):
        return Node.of(value.cls, tuple(value.fields), map(_only_variables, value.fields.values()))
    if isinstance(value, tuple):
        return node_like(value, map(_only_variables, value))
    return value if isinstance(value, Var) else None


def _adopted(e: Elaboration, hidden: Hidden) -> Hidden:
    """What an inner program reads from outside, read by the outer one too, here and wherever it does so itself."""
    known = e.hidden.get(hidden.key)
    if known is not None:
        return known
    value = hidden.read(e.root)
    found = Hidden(hidden.name, hidden.read, e.parameter(hidden.name, object_of(value), value), hidden.key)
    e.hidden[hidden.key], e.outside_values[hidden.key] = found, found.tree
    return found


def settle(e: Elaboration, inner: Elaborated, tree: Tree, adopted: Tree) -> None:
    """Sizes of what an inner program reads from outside that had to be known have to be those in the outer one too."""
    known = dict(zip(leaves(tree), leaves(adopted), strict=True))
    e.settled |= {(known[var], axis): n for (var, axis), n in inner.settled.items() if var in known}
    for (var, axis), n in inner.least.items():
        if var in known:
            e.least[known[var], axis] = max(n, e.least.get((known[var], axis), 0))


def sub_elaboration(e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Elaborated:
    """The inner function as a program of its own, at the types of the arguments."""
    found = elaborate(function, args, kwargs, around=e, writes=True)
    e.differentiates = e.differentiates or found.differentiates
    for key, guard in found.guard_table.items():
        e.guards.setdefault(key, guard)
    return found


def _match(tree: Tree, value: Any, given: dict[Var, Any], whole: Callable[[Any], Any] | None = None) -> None:
    """What is `given` for the variables of a tree; `whole` makes one value of parts for which there is one variable."""
    if isinstance(tree, tuple) and value is not None:
        for part, inner in zip(tree, items_in(value) or (), strict=True):
            _match(part, inner, given, whole)
    elif isinstance(tree, Var):
        value = whole(value) if whole is not None and isinstance(value, Node) else value
        given[tree] = value if isinstance(value, Var) else Lit(value, object_of(value))


def splice(e: Elaboration, program: Program, given: dict[Var, Any]) -> Any:
    """Append the program's lets to the current block, parameters replaced; gives the result as a value."""
    todo: list[Block] = [program.block]
    while todo:
        block = todo.pop()
        for let in block.lets:
            let.args = [given.get(a, a) if isinstance(a, Var) else a for a in let.args]
            todo += let.op.blocks
        block.results = [given.get(a, a) if isinstance(a, Var) else a for a in block.results]
    for let in program.block.lets:
        home = farthest(e, let) if isinstance(let.op, Lambda) else e.recorder.block
        home.lets.append(let)
        move(let, home)
        for target in let.targets:
            target.base = e.recorder
    return _values(e, program.result, given)


def farthest(e: Elaboration, let: Let) -> Block:
    """The outermost block where a λ sees what it captures: out of a branch it would have to be handed as a value."""
    captured = [v for v in free_variables(let.op.blocks[0], {}) if v not in let.targets]
    found = here = e.recorder.block
    for block in here.ancestors():
        around = list(block.ancestors())
        if not all(v.home in around for v in captured):
            break
        found = block
    return found


def _values(e: Elaboration, tree: Tree, given: dict[Var, Any]) -> Any:
    if isinstance(tree, tuple):
        return value_of_tree(tree, [_values(e, part, given) for part in tree])
    if isinstance(tree, Var):
        atom = given.get(tree, tree)
        return atom.value if isinstance(atom, Lit) else atom
    return tree.value if isinstance(tree, Lit) else None
