"""Recursive functions: a λ of the program that calls itself, its types brought to a fixed point.

A function is inlined until it is entered within itself at arguments of the same types; then the outer activation starts
again as a λ whose parameters have the joined types. What a call within it gives is unknown at first: such a call has no
value (`Bottom`), and a branch that meets it takes the type of the other arm. The types found so are assumed in the next
pass, until they hold.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, mismatch, unsupported
from ccc.compile.frontend import boxed, interrupts, raised_within, reals, sums
from ccc.compile.frontend.activations import (
    SELDOM,
    WRITTEN_OUT,
    Activation,
    Restart,
    TooMany,
    WrittenOut,
    alike,
    is_own_map,
    is_unknown,
    leaves_of,
    names_of_leaves,
    objects_in,
    rebuilt,
    repeats,
    seen_by_another,
)
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ENDED
from ccc.compile.frontend.memory.interface import copies, dict_item_updates, promoted, updates
from ccc.compile.frontend.parts import is_cell, is_object, parts_in
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue, atom_of
from ccc.compile.program.deep import is_larger
from ccc.compile.program.lam import Block, BlockKind, Call, Lambda, Let, Var, free_variables, like
from ccc.coproducts import join
from ccc.objects import Array, Exponential, Object, Product
from ccc.wording import in_words

PASSES = 12
UNROLLED = 3  # activations of one function within itself before known numbers among its arguments become parameters


def whole_again(kept: Any, value: Any) -> Any:
    """What was given for a parameter, where a record of the program was taken apart for it."""
    return kept if isinstance(kept, Var) and isinstance(value, RecordValue) else value


def entered(
    e: Elaboration, key: Any, name: str, given: dict[str, Any], body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Any:
    """The result of a function: inlined, or a call of a λ where it is recursive; `outermost` is the block that it would
    be defined in."""
    active = [a for a in e.active if a.key == key]
    kept, given = given, {name: taken_apart(e, value) for name, value in given.items()}
    if active and not any(alike(a.given, given) for a in active):
        given = sums.generalised(e, given, active[-1].given)
    for activation in active:
        if activation.function is not None and alike(activation.given, given):
            return called_within(e, activation, given, node, frame)
    counted(e, name, active, given, node, frame)
    activation = Activation(key, name, given)
    block, start = e.recorder.block, len(e.recorder.block.lets)
    depth, frames = len(e.active), len(e.frames)
    facts, names, under_way = e.facts.saved(block), names_in(frame), e.attempts.saved()
    e.active.append(activation)
    done = False
    e.heap.begin_attempt()

    def run() -> Any:
        return body({name: whole_again(kept[name], value) for name, value in given.items()})

    def undo() -> None:
        del e.active[depth:], e.frames[frames:], block.lets[start:]
        under_way()
        e.recorder.block = block
        e.facts.restore(block, facts)
        restore(frame, names)

    try:
        found = run()
        done = True
        return found
    except interrupts.LEAVES:
        done = True
        raise
    except Restart as restart:
        attempt_anew(e)
        if restart.activation is not activation:
            raise
        undo()
        objects = restart.objects
        try:
            found = anew_where_refused(e, activation, undo, lambda: recursive(
                e, activation, objects, body, node, frame, outermost))
        except interrupts.LEAVES:
            done = True
            raise
        except CompileError as refused:
            attempt_anew(e)
            undo()
            e.active.append(activation)
            found = written_out(e, run, refused, given, (name, e.place(node, frame)))
        done = True
        return found
    finally:
        e.heap.end_attempt(undo=not done)
        del e.active[depth:]


def anew_where_refused(
    e: Elaboration, activation: Activation, undo: Callable[[], None], run: Callable[[], Any]
) -> Any:
    """What `run` gives of a recursive function; where it is refused, once more without what held of it elsewhere."""
    try:
        return run()
    except CompileError:
        if not e.lambdas.forget(activation):
            raise
        attempt_anew(e)
        undo()
        return run()


def attempt_anew(e: Elaboration) -> None:
    """Undo what an attempt changed, and begin the next."""
    e.heap.end_attempt(undo=True)
    e.heap.begin_attempt()


def counted(
    e: Elaboration, name: str, active: list[Activation], given: dict[str, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Raise `Restart` for a function that is entered within itself once more, or refuse it."""
    if e.written_out is not None:
        e.written_out.count(e.recorder.block, bool(active))
        return
    same = [a for a in active if alike(a.given, given)]
    if len(same) >= UNROLLED or any(repeats(activation, given) for activation in same):
        raise Restart(same[0], joined(same[0].objects, objects_in(given), name, e.place(node, frame)))
    elif len(active) >= 4 * UNROLLED:
        raise unsupported("CC003", f"`{name}` calls itself with ever new functions or structures", e.place(node, frame),
                          help="pass numbers and arrays, or write it as a loop")


def names_in(frame: Frame | None) -> dict[str, Any]:
    """The names of a caller and what they stand for now."""
    return {} if frame is None else dict(frame.env)


def restore(frame: Frame | None, names: dict[str, Any]) -> None:
    """Give the names of a caller what they stood for."""
    if frame is not None:
        frame.env = dict(names)


def taken_apart(e: Elaboration, value: Any) -> Any:
    """A value with the objects of the program in it as objects with parts."""
    if isinstance(value, tuple):
        return like(value, [taken_apart(e, part) for part in value])
    return e.seen(value) if isinstance(value, Var) and is_object(value.object) else value


def joined(a: list[Object], b: list[Object], name: str, where: Any) -> list[Object]:
    """The joined types of two lists of arguments."""
    if len(a) != len(b):  # one dict, before and after it was given a computed key
        raise unsupported("CC011", f"`{name}` changes which keys a dict has that it is given", where,
                          help="make the dict with a computed key before the call: d = {}, and then d[k] = v")
    found = [join(x, y) for x, y in zip(a, b, strict=True)]
    if None in found:
        i = found.index(None)
        raise mismatch("CC006", f"`{name}` calls itself at arguments that have no type in common: {in_words(a[i])} and "
                                f"{in_words(b[i])}", where, help="give arguments of one type")
    return [x for x in found if x is not None]


def called_within(
    e: Elaboration, activation: Activation, given: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """A recursive call from inside the λ."""
    objects = objects_in(given)
    wide = joined(activation.objects, objects, activation.name, e.recorder.span)
    if wide != activation.objects:
        raise Restart(activation, wide)
    for origins, leaf in zip(activation.origins, leaves_of(given), strict=True):
        if not any(leaf is other for other in origins):
            origins.append(leaf)
    if raised_within.learnt(e, activation):
        raise Restart(activation, activation.objects)
    for found in e.heap.changed_since(activation.opened):
        if not e.versions.is_cell(found) and not (isinstance(found, RecordValue) and ITEMS in found.fields):
            raise changing(e, activation, found, node, frame)
    if activation.result is None:
        raise interrupts.Bottom
    return call(e, activation, given, node, frame)


def call(e: Elaboration, activation: Activation, given: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """A call of the λ: fresh variables of the assumed types for the result, and for the arrays that it changes."""
    assert activation.function is not None
    args = leaves_of(given)
    arrays = [cell.array for cell in activation.cells]
    tables = [table_for(e, activation, owner, a) for owner, a in activation.dicts.items()]
    let = e.recorder.emit(Call(), [activation.function, *map(atom_of, args), *arrays, *tables])
    template, objects = activation.result
    found = [e.recorder.target(let, "", a) for a in objects]
    for array in arrays:
        e.versions.write(array, e.recorder.target(let, array.name, array.object))
    for i in activation.written:
        new = e.recorder.target(let, args[i].name, activation.params[i].object)
        if new.object != args[i].object:  # the λ takes more
            new = updates.fitted(e, new, args[i], node, frame)
        updates.commit(e, args[i], new, updates.WHOLE, node, None, frame, whole=True)
    for owner, a in activation.dicts.items():
        dict_item_updates.renew(e, owner, e.recorder.target(let, "", a))
    if template is ENDED:
        raise interrupts.Ends
    for i, same in activation.same.items():
        found[i] = args[same] if isinstance(same, int) else same
    changeable = copies.changeable_in([template])
    if any(part.shared for part in changeable if not is_own_map(part)):  # of an argument, or it itself
        copies.sealed_in(given.values(), f"what `{activation.name}` gives, which may be the same,", but=is_own_map)
    return raised_within.taken(e, activation, rebuilt(template, iter(found)), node, frame)


def table_for(e: Elaboration, activation: Activation, owner: RecordValue, a: Object) -> Any:
    """What a dict holds where the λ is called, at the type that the λ takes."""
    found = owner.fields[ITEMS]
    wide = join(a, found.object)
    if wide is None:
        raise mismatch("CC006", f"`{activation.name}` changes {in_words(a)}; here it is {in_words(found.object)}",
                       e.recorder.span, help="give all items one type")
    if wide != a:
        activation.dicts[owner] = wide
        raise Restart(activation, activation.objects)
    return reals.widened(e, found, a)


def tables_of(e: Elaboration, activation: Activation, block: Block) -> bool:
    """Note which dicts the λ changes, at the types of what they hold then; True where it was elaborated for less."""
    before = dict(activation.dicts)
    for owner in e.heap.changed(block):
        if isinstance(owner, RecordValue) and ITEMS in owner.fields:
            found: Any = e.heap.after(block, owner)[ITEMS].object
            wide = join(before.get(owner) or owner.fields[ITEMS].object, found)
            if wide is None:
                old = in_words(owner.fields[ITEMS].object)
                raise mismatch("CC006", f"`{activation.name}` turns {old} into {in_words(found)}", e.recorder.span,
                               help="give all items one type")
            activation.dicts[owner] = wide
    return activation.dicts != before


def changes_of(e: Elaboration, activation: Activation, block: Block, node: ast.AST, frame: Frame | None) -> bool:
    """Note which arrays the λ changes; True where there are more of them than it was elaborated with."""
    cells = [*activation.cells]
    for found in e.heap.changed(block):
        if isinstance(found, RecordValue) and ITEMS in found.fields:
            continue
        if not e.versions.is_cell(found):
            raise changing(e, activation, found, node, frame)
        if found not in cells:
            cells.append(found)
    written = [i for i, p in enumerate(activation.params) if i in activation.written or e.versions.changed(p)]
    more = (cells, written) != (activation.cells, activation.written)
    activation.cells, activation.written = cells, written
    return more


def changing(
    e: Elaboration, activation: Activation, found: Any, node: ast.AST, frame: Frame | None
) -> CompileError:
    """The refusal of a λ that finds something otherwise than it was where its body began."""
    share_variable(e, found)
    return unsupported("CC011", f"the recursive function `{activation.name}` changes an object or a list",
                       e.place(node, frame), help="return new ones")


def share_variable(e: Elaboration, found: Any) -> None:
    """Let a variable around the λ, which is what that changes, stand in a store from the next reading on."""
    if is_cell(found):
        (name,) = found.fields
        for frame in [f for f in e.frames if f.env.get(name) is found][:1]:
            boxed.share(e, frame, name)


def known_arrays(e: Elaboration, activation: Activation, leaves: list[Any]) -> dict[int, Any]:
    """The results that are the very arrays that were given, or that the function changes where they are."""
    found: dict[int, Any] = {}
    for i, leaf in enumerate(leaves):
        array = e.versions.array(leaf) if isinstance(leaf, Var) else None
        if array in activation.params and isinstance(leaf.object, Array):
            found[i] = activation.params.index(array)
        elif any(cell.array is array for cell in activation.cells):
            found[i] = array
    return found


def written_out(
    e: Elaboration, run: Callable[[], Any], refused: CompileError, given: dict[str, Any], site: Any
) -> Any:
    """The result of a recursive function that cannot be a λ, where what is known ends it: all its calls inlined. Raises
    `refused` where that does not end it after so many, which other readings know of the call at this site."""
    before, e.at_once = e.at_once, True  # what loops change is known too
    never = all(map(is_unknown, given.values())) and (refused.code == "CC005" or site in e.in_turn.endless)
    e.written_out = WrittenOut(e.recorder.block, SELDOM if never else WRITTEN_OUT)
    try:
        return run()
    except (CompileError, TooMany) as error:
        if isinstance(error, CompileError) and error.code == "CC060" and not is_larger():
            raise  # it is read once more, on a larger stack
        if isinstance(error, TooMany):
            e.in_turn.endless.add(site)
        raise refused from None
    finally:
        e.written_out, e.at_once = None, before


def recursive(
    e: Elaboration, outer: Activation, objects: list[Object], body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Any:
    """Elaborate a recursive function as a λ, and call it."""
    activation = begun(e, outer, objects)
    waiting, e.waiting = e.waiting, [*e.frames]
    try:
        function = with_maps(e, activation, outer, body, node, frame, outermost)
    finally:
        e.waiting = waiting
    return call(e, function, outer.given, node, frame)


def begun(e: Elaboration, outer: Activation, objects: list[Object]) -> Activation:
    """What is assumed of the λ at first: it raises nothing that the `try`s around its call catch."""
    found = Activation(outer.key, outer.name, outer.given)
    found.objects = objects
    raised_within.learnt(e, found)
    return found


def with_maps(
    e: Elaboration, activation: Activation, outer: Activation, body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Activation:
    """The λ; a dict that it changes at keys that are not known is a map of the program before it."""
    for _ in range(PASSES):
        block, start, updates = e.recorder.block, len(e.recorder.block.lets), len(e.updates)
        try:
            return settled(e, activation, outer, body, node, frame, outermost)
        except interrupts.Grows as need:
            if e.heap.before_block(need.found):
                raise
            e.recorder.block = block
            del block.lets[start:], e.updates[updates:]
            promoted(e, need.found, "changes in a recursive function in a way that is not known",
                           e.place(node, frame))
            activation = begun(e, outer, objects_in(outer.given))
    raise mismatch("CC006", f"the dicts of `{outer.name}` do not settle", e.place(node, frame),
                   help="give the dicts the same keys on every path")


def settled(
    e: Elaboration, activation: Activation, outer: Activation, body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Activation:
    """The λ, elaborated until its types and what it changes hold."""
    home = e.recorder.block
    depth, frames = len(e.active), len(e.frames)
    callers = names_in(frame)
    e.lambdas.begin(activation, home)
    for passed in range(PASSES):
        if passed:  # what was not known in the pass before says nothing of the caller's names
            restore(frame, callers)
        block = Block(BlockKind.FUNCTION, home)
        params, kept, kept_dicts = parameters(e, activation, block)
        let = Let(Lambda(block), [], e.place(node, frame))
        activation.function = let.target(activation.name, Exponential(Product(()), Product(())), home)
        activation.function.base = e.recorder
        e.active.append(activation)
        known = len(e.updates)
        try:
            value = e.inside(block, lambda params=params, kept=kept, kept_dicts=kept_dicts: within(
                e, activation, params, kept, kept_dicts, body))
        except Restart as restart:
            if restart.activation is not activation:
                raise
            e.lambdas.drop(activation)
            activation.objects = restart.objects
            continue
        except interrupts.Bottom:
            raise interrupts.Recurs(activation.name, e.place(node, frame)) from None
        finally:
            del e.active[depth:], e.frames[frames:]
            e.recorder.block = home
            e.versions.forget(params)
        more = changes_of(e, activation, block, node, frame)
        if tables_of(e, activation, block) or more:
            del e.updates[known:]
            e.lambdas.drop(activation)
            continue
        value = with_new_maps(e, block, sums.settled(e, block, value))
        leaves = leaves_of(value)
        found = [atom_of(leaf).object for leaf in leaves]
        same, activation.same = activation.same, known_arrays(e, activation, leaves)
        assumed, before = activation.result or (None, [])
        holds = activation.result is not None and alike(assumed, value)
        wide = joined(before, found, activation.name, e.place(node, frame)) if holds else found
        holds = holds and wide == before and same == activation.same
        if holds and not e.lambdas.differs(activation, block, found):
            e.lambdas.note(activation, block, found)
            activation.function.object = with_results(e, activation, block, leaves, wide)
            stand(e, activation.function, block, let, home, outermost)
            return activation
        del e.updates[known:]
        if not e.lambdas.drop(activation):
            activation.result = (value, wide)
    raise mismatch("CC006", f"the types of `{activation.name}` do not settle", e.place(node, frame),
                   help="give its arguments and its result one type")


def with_new_maps(e: Elaboration, block: Block, value: Any) -> Any:
    """What the λ gives, with the dicts of the program that it makes as parts of that: each call gives new ones."""
    if is_own_map(value):
        return seen_by_another(value, value.fields.values()) if value.serial >= e.heap.started[block] else value
    parts = parts_in(value)
    found = [with_new_maps(e, block, part) for part in parts or ()]
    same = all(a is b for a, b in zip(found, parts or (), strict=True))
    return value if same else seen_by_another(value, found)


def parameters(
    e: Elaboration, activation: Activation, block: Block
) -> tuple[list[Var], list[Var], list[tuple[RecordValue, Var]]]:
    """The parameters of the λ: for its arguments, and for the arrays and the dicts that it changes."""
    names = names_of_leaves(activation.given)
    params = [e.recorder.param(block, name, a) for name, a in zip(names, activation.objects, strict=True)]
    kept = [e.recorder.param(block, cell.array.name, cell.array.object) for cell in activation.cells]
    tables = [e.recorder.param(block, o.fields[ITEMS].name, a) for o, a in activation.dicts.items()]
    activation.params = params
    traced = zip(params, activation.origins, strict=True)
    e.origins.update([(p, found) for p, found in traced if isinstance(p.object, Array)])
    return params, kept, list(zip(activation.dicts, tables, strict=True))


def with_results(
    e: Elaboration, activation: Activation, block: Block, leaves: list[Any], objects: list[Object]
) -> Exponential:
    """The type of the λ, whose results are its value, of these objects, and what it leaves of what it changes."""
    block.results = [e.versions.now(v, block) if isinstance(v, Var) else atom_of(v) for v in leaves]
    changed = [cell.array for cell in activation.cells] + [activation.params[i] for i in activation.written]
    block.results += [e.versions.now(array, block) for array in changed]
    block.results += [e.heap.after(block, owner)[ITEMS] for owner in activation.dicts]
    cod = [*objects, *[array.object for array in changed], *activation.dicts.values()]
    return Exponential(_bare([p.object for p in block.params]), _bare(cod))


def stand(e: Elaboration, function: Var, block: Block, let: Let, home: Block, outermost: Block) -> None:
    """Let the λ stand in `outermost`, where all that it reads is known there, or else where it is called first."""
    within_reach = list(home.ancestors())  # a closed program sees no λ that is made outside of it
    farthest = outermost if outermost in within_reach else within_reach[-1]
    around = list(farthest.ancestors())
    captured = [v for v in free_variables(block, {}) if v is not function]
    if all(v.home in around and not is_under_way(e, v) for v in captured):
        home = farthest
    function.home = block.parent = home
    home.lets.append(let)


def is_under_way(e: Elaboration, v: Var) -> bool:
    """True for a recursive function whose own body is being elaborated: it is known nowhere else yet."""
    return any(v is active.function for active in e.active)


def within(
    e: Elaboration, activation: Activation, params: list[Var], kept: list[Var],
    kept_dicts: list[tuple[RecordValue, Var]], body: Callable[[dict[str, Any]], Any],
) -> Any:
    """The body, where the arrays and dicts from outside hold what the λ was given for them."""
    activation.opened = len(e.heap.open) - 1
    for owner, param in kept_dicts:
        dict_item_updates.renew(e, owner, param)
    for cell, param in zip(activation.cells, kept, strict=True):
        e.heap.write(cell, [param])
    try:
        return taken_apart(e, raised_within.given(
            e, activation, lambda: body(rebuilt(activation.given, iter(params)))))
    except interrupts.Ends:
        return ENDED


def _bare(objects: list[Object]) -> Object:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))
