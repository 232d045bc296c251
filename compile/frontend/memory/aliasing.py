"""Who else sees an array or list that is about to be changed in place.

`a += b` is compiled as `a = a + b`. For arrays that is what Python does only if no other name, no caller and no later
run of a loop can see the array that Python would change; so values are traced back to where their memory was made.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.memory.undo_log import Slot
from ccc.compile.frontend.names import read_names
from ccc.compile.frontend.parts import changeable, is_object
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    MethodValue,
    Mutable,
    OwnName,
    Perhaps,
    RecordValue,
    View,
)
from ccc.compile.program.lam import Apply, Block, Branch, Call, Lambda, Let, Loop, Var, While
from ccc.compile.program.sharing import may_share, memory_of, mutable
from ccc.objects import List, Object
from ccc.primitives import structure


class _Outside:
    """The memory of arguments and of what is read from outside."""


OUTSIDE = _Outside()


class Field(NamedTuple):
    """The place of a part of an object."""

    name: Any
    index: int


def place_of(var: Any) -> tuple[Var, Any] | None:
    """The list that a variable is an item of, and the index; the object that it is a part of, and the `Field`."""
    if isinstance(var, Var) and var.row is not None:
        return var.row
    let = var.definition if isinstance(var, Var) and changeable(var.object) else None
    if let is None or not isinstance(let.op, Apply):
        return None
    if let.op.primitive is structure.field:
        (whole,) = let.args
        part = Field(let.op.params["name"], let.op.params["index"])
        return (whole, part) if isinstance(whole, Var) and is_object(whole.object) else None
    if let.op.primitive is not structure.item:
        return None
    xs, key = let.args
    if not isinstance(xs, Var) or not isinstance(xs.object, List):
        return None
    return xs, key if isinstance(key, Var) else key.value


def is_view_of(value: Any, xs: Any) -> bool:
    """True for a row of that list."""
    found = place_of(value)
    return found is not None and found[0] is xs


def with_sources(e: Elaboration, made: set[Any]) -> set[Any]:
    """Where values were made, with the known lists and objects that they were made of."""
    return made | {e.rows.sources[root] for root in made if root in e.rows.sources}


def way_from(xs: Any, value: Any) -> list[Any] | None:
    """The places that lead from a list to a row of it or to what is in a row; None for everything else."""
    way: list[Any] = []
    while (found := place_of(value)) is not None:
        value, key = found
        way.insert(0, key)
        if value is xs:
            return way
    return None


def memory(
    e: Elaboration, values: Iterable[Any], objects: bool = False, parts: bool = False
) -> tuple[set[Any], set[Var]]:
    """Where the memory of variables was made, and all variables on the way; with `objects`, where objects were made,
    and with `parts` the memory of what is inside of them too."""
    def made_by(var: Var, let: Let) -> tuple[set[Any], list[Any]]:
        if not isinstance(let.op, Apply):
            return set(), gathered(var, let)
        whole = objects and let.op.primitive is structure.record and is_object(var.object)
        given = sharing(let) if may_share(let.op) and (parts or not whole) else []
        return {var} if whole or not may_share(let.op) else set(), given

    return traced(e, values, changeable if objects else mutable, made_by, e.versions.borrowed)


def traced(
    e: Elaboration, values: Iterable[Any], follows: Callable[[Object], bool],
    made_by: Callable[[Var, Let], tuple[set[Any], list[Any]]], places: Collection[Var] = (),
    of_item: Callable[[Var, Any], tuple[set[Any], set[Var]] | None] = lambda var, origin: None,
) -> tuple[set[Any], set[Var]]:  # fmt: skip
    """Where what is of objects that it `follows` was made, and all variables on the way; `made_by` says of what a
    primitive gives, or a loop collects, where it was made and which arguments it was made of. Parameters among
    `places` are such. `of_item` says the same of one that is an item of what it was given, None of others."""
    made: set[Any] = set()
    beside: set[Var] = set()
    seen: set[Var] = set()
    calls = Calls()
    todo = list(values)
    while todo:
        if not isinstance(var := todo.pop(), Var):
            continue
        var = e.versions.array(var)
        if var in seen or not follows(var.object):
            continue
        seen.add(var)
        if var in e.versions.places:
            made.add(e.versions.contents.root(e.versions.places[var]))
            continue
        let = var.definition
        if let is None:
            origins = calls.given(e, var)
            made |= {OUTSIDE} if origins is None else set()
            made |= {var} if var in places else set()
            for origin in origins or ():
                if (found := of_item(var, origin)) is None:
                    todo.append(origin)
                else:
                    made |= found[0]
                    beside |= found[1]
        elif (passed := passed_on(var, let)) is not None:
            todo += passed
        elif isinstance(let.op, (Apply, Loop, While)):
            new, given = made_by(var, let)
            made |= new
            todo += given
        else:
            results = results_of(let)
            made |= {var} if results is not None else {var, OUTSIDE}
            todo += let.args if results is None else calls.followed(let, results, let.targets.index(var), seen)
    return calls.outside(e, made), seen | beside


def passed_on(var: Var, let: Let) -> list[Any] | None:
    """What a variable is that a branch gives, or that a loop carries; None for others."""
    i = let.targets.index(var)
    if isinstance(let.op, Branch):
        return [block.results[i] for block in let.op.blocks]
    if isinstance(let.op, (Loop, While)) and i < let.op.carries:
        return [let.args[i], let.op.blocks[-1].results[i]]
    return None


def gathered(var: Var, let: Let) -> list[Any]:
    """The item of a list that a loop collects."""
    return [let.op.blocks[-1].results[let.targets.index(var)]]


class Calls:
    """The calls whose results are traced, by the blocks of their functions."""

    def __init__(self) -> None:
        self.lets: dict[Block, list[Let]] = {}

    def followed(self, let: Let, results: tuple[Block, list[Any]], i: int, seen: set[Var]) -> list[Var]:
        """What a result of a call is inside of the function, and what the call gives parameters that were `seen`."""
        block, values = results
        lets = self.lets.setdefault(block, [])
        given = [] if let in lets else [a for p, a in zip(block.params, let.args[1:], strict=False) if p in seen]
        lets.append(let)
        return [a for a in (*values[i : i + 1], *given) if isinstance(a, Var)]

    def given(self, e: Elaboration, param: Var) -> list[Any] | None:
        """What a variable without a definition was given; None where the caller of the program gives it."""
        origins, lets = e.origins.get(param), self.lets.get(param.home) if param.home is not None else None
        if not lets or param not in param.home.params:  # type: ignore[union-attr]
            return origins
        i = 1 + param.home.params.index(param)  # type: ignore[union-attr]
        return [*(origins or ()), *[let.args[i] for let in lets if i < len(let.args)]]

    def outside(self, e: Elaboration, made: set[Any]) -> set[Any]:
        """The places outside of the functions: what is made inside is made anew by each call."""
        blocks = set(self.lets)
        return {root for root in made if root is OUTSIDE or not (blocks and inside(root, blocks, e))}


def sharing(let: Let) -> list[Any]:
    """The arguments whose memory the result of a primitive may share."""
    memory = memory_of(let.op)  # type: ignore[arg-type]
    return [a for i, a in enumerate(let.args) if memory.reaches(i)]


def results_of(let: Let) -> tuple[Block, list[Any]] | None:
    """What a call gives, where the function is known and finished: its block and the results in it."""
    function = let.args[0] if isinstance(let.op, Call) else None
    made = function.definition if isinstance(function, Var) else None
    if made is None or not isinstance(made.op, Lambda) or not made.op.body.results:
        return None
    return made.op.body, made.op.body.results


def inside(root: Var, blocks: set[Block], e: Elaboration) -> bool:
    """True for what calls of these functions make anew, seen from outside of them."""
    here = list(e.recorder.block.ancestors())
    return root.home is not None and any(b in blocks and b not in here for b in root.home.ancestors())


def reached_from(value: Any, frames: list[Frame]) -> Iterator[Any]:
    """The variables and lists that a value leads to; frames that it closes over are added to `frames`."""
    todo = [value]
    seen: set[Mutable] = set()  # one may lead to itself
    while todo:
        value = todo.pop()
        if isinstance(value, Mutable):
            if value in seen:
                continue
            seen.add(value)
        if isinstance(value, Var):
            yield value
        elif isinstance(value, tuple):
            if isinstance(value, View) or is_reference(value):
                yield value
            todo += value
        elif isinstance(value, ListValue):
            yield value
            todo += value.items
        elif isinstance(value, RecordValue):
            yield value
            todo += value.fields.values()
        elif isinstance(value, types.MethodType):
            todo.append(value.__self__)
        elif isinstance(value, ChoiceValue):
            todo += [value.then, value.orelse]
        elif isinstance(value, MethodValue):
            todo.append(value.owner)
        elif isinstance(value, ClosureValue):
            frames.append(value.frame)
            todo += value.defaults.values()
        elif isinstance(value, Perhaps):
            todo.append(value.value)


def named(e: Elaboration) -> Iterator[tuple[Frame, str, list[Any]]]:
    """Every name that is alive, its frame, and the variables and lists that its value leads to."""
    frames = [frame for frame in e.frames if frame not in e.waiting]
    seen: set[Frame] = set()
    while frames:
        frame = frames.pop()
        if frame in seen:
            continue
        seen.add(frame)
        if frame.outer is not None:
            frames.append(frame.outer)
        for name, value in frame.env.items():
            yield frame, name, list(reached_from(value, frames))
    if e.stores is not None and e.frames:
        for name, value in e.stores.named():  # those of regions of one class have one name
            holder = Frame("the stores", e.frames[0].file, None, None)
            holder.env[name] = value
            yield holder, name, [value]


def called(name: str) -> str:
    """A name in a message; those of the compiler's own say what they stand for."""
    return name if isinstance(name, OwnName) else f"`{name}`"


def alive(frame: Frame | None, name: str, last: Any = None, done: bool = False) -> bool:
    """True for a name that may be read again; of a statement that is done or a method of `last`, no more is read."""
    at = None if frame is None or frame.node is None else frame.at
    if at is None or isinstance(name, OwnName):  # read where no statement says so
        return True
    if name in liveness(frame.node).behind(at):  # type: ignore[union-attr]
        return True
    done = done or (isinstance(at, ast.Expr) and isinstance(at.value, ast.Call) and (
        isinstance(at.value.func, ast.Attribute) and at.value.func.value is last))
    return not done and name in read_names(at)


def under_way(e: Elaboration) -> list[Any]:
    """The variables and lists that what the expressions under way have computed leads to."""
    frames: list[Frame] = []
    return [part for value in e.pending for part in reached_from(value, frames)]


def other_name(e: Elaboration, value: Any, frame: Frame, name: str) -> str:
    """Who else sees the array or list `value` that `name` stands for: a name, "the caller", or nobody ("")."""
    if isinstance(value, (ListValue, RecordValue)):
        if value.shared:
            return value.shared if isinstance(value.shared, str) else "the caller"
        for other_frame, other, parts in named(e):
            if (other_frame is not frame or other != name) and any(part is value for part in parts):
                return f"`{other}`"
        return ""
    made, _ = memory(e, [value])
    if OUTSIDE in made:
        return "the caller"
    for other_frame, other, parts in named(e):
        if (other_frame is not frame or other != name) and memory(e, parts)[0] & made:
            return f"`{other}`"
    return ""


def is_named(e: Elaboration, value: Any) -> bool:
    """True where a name leads to a list, an object or a variable."""
    return any(part is value for _, _, parts in named(e) for part in parts)


def is_reached(e: Elaboration, value: Any) -> bool:
    """True where a name, or what an expression under way has computed, leads to a list or object."""
    return is_named(e, value) or any(part is value for part in under_way(e))


def rename(e: Elaboration, owner: Frame, name: str, value: Any, frame: Frame) -> None:
    """Let a name of an activation stand for another value, which the code of `frame` gives it."""
    if owner is frame:
        frame.env[name] = value
        return
    slot = e.slots.get((owner, name))
    if slot is None:
        slot = e.slots[owner, name] = Slot(owner, name)
    e.heap.write(slot, [value])
