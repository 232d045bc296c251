"""Which lists and dicts of a result are tuples in Python, or hold some, by where their items came from.

    out.append(tuple(row))      a tuple whose length is not known is a list of the program: `Elaboration.columns`

A value is followed to what it may be, through loops, branches and what operations say of memory: which arguments a
list is, has the items of, or holds. The form that is found stands in the result, and makes the tuples of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.program.lam import Apply, Branch, Loop, Var, While
from ccc.compile.program.sharing import memory_of
from ccc.handed_out import Form
from ccc.objects import Coproduct, List, Map, Object
from ccc.primitives.facts import FOREIGN


class Mixed(Exception):
    """What is a tuple and what is a list stand at one place."""


def form_of(e: Elaboration, value: Any) -> Form:
    """The form of a list or dict of the program, None where no tuple is in it. Raises `Mixed`."""
    if not isinstance(value, Var) or not (e.columns or e.transposed):
        return None
    return Sources(e).form([value], value.object)


class Sources:
    """Where values come from."""

    def __init__(self, e: Elaboration) -> None:
        self.e = e
        self.same: dict[Var, list[Any]] = {}  # what a parameter of a loop may be
        self.inside: dict[Var, Var] = {}  # the sequence of which one is an item
        self.found: dict[Var, set[Var]] = {}
        self.tuples = set(e.columns)
        self.asked: set[Var] = set()

    def form(self, values: Iterable[Any], a: Object) -> Form:
        if isinstance(a, Coproduct):
            return self.form_among(values, [b for b in a.alternatives if isinstance(b, (List, Map))])
        if not isinstance(a, (List, Map)):
            return None
        all_: set[Var] = set().union(*[self.may_be(v) for v in values if isinstance(v, Var)])
        inner = self.form([x for v in all_ for x in self.put_in(v)], a.item)
        if isinstance(a, Map):
            return None if inner is None else (dict, inner)
        kinds = {tuple if v in self.tuples else list for v in all_ if v in self.tuples or self.is_made(v)}
        if len(kinds) == 2:
            raise Mixed
        if not all_.isdisjoint(self.e.transposed):
            inner = (tuple, inner)
        return (tuple, inner) if kinds == {tuple} else None if inner is None else (list, inner)

    def form_among(self, values: Iterable[Any], alternatives: list[List | Map]) -> Form:
        """The form of the list or dict that a sum may be. Raises `Mixed` where several have one."""
        all_: set[Var] = set().union(*[self.may_be(v) for v in values if isinstance(v, Var)])
        forms = [self.form([v for v in all_ if isinstance(v.object, type(a))], a) for a in alternatives]
        found = [form for form in forms if form is not None]
        if len(found) > 1:
            raise Mixed
        return found[0] if found else None

    def may_be(self, value: Var) -> set[Var]:
        """The variables that may be the same value, this one among them."""
        if value not in self.found:
            found = self.found[value] = {value}
            todo: list[Any] = [value]
            while todo:
                more = [v for v in self.before(todo.pop()) if isinstance(v, Var) and v not in found]
                found.update(more)
                todo += more
        return self.found[value]

    def before(self, value: Var) -> list[Any]:
        """What a value is in the step before."""
        if value in self.tuples:
            return []
        if value in self.inside:
            return self.of(value, self.inside[value])
        let = value.definition
        if let is None:
            return self.same.get(value, [])
        op, args = let.op, let.args
        if isinstance(op, Apply):
            memory = memory_of(op)
            if memory.how in ("same", "may be"):
                return [args[i] for i in memory.of or range(len(args))]
            if memory.how == "out of":
                return self.of(value, args[memory.of[0]])
            return [args[memory.of[0]]] if memory.goes_on else []
        k = let.targets.index(value)
        if isinstance(op, Branch):
            return [block.results[k] for block in op.blocks]
        return self.carried(op, args)[k] if isinstance(op, (Loop, While)) and k < op.carries else []

    def carried(self, op: Loop | While, args: list[Any]) -> list[list[Any]]:
        """What each variable that a loop carries may be; what its parameters are is known from now on."""
        pairs = [[args[i], op.body.results[i]] for i in range(op.carries)]
        self.same.update(zip(op.body.params, pairs, strict=False))
        self.inside.update(zip(op.body.params[op.carries:], args[op.carries:], strict=False))
        return pairs

    def is_made(self, value: Var) -> bool:
        """Whether a list begins with this one, and is no other one that was changed."""
        let = value.definition
        if let is None or not isinstance(let.op, (Apply, Loop)):
            return False
        if isinstance(let.op, Loop):
            return let.targets.index(value) >= let.op.carries
        memory = memory_of(let.op)
        return memory == FOREIGN or (memory.is_new and not memory.goes_on)

    def of(self, value: Var, container: Any) -> list[Any]:
        """What an item of a list or dict may be, which is a tuple where those are columns."""
        if isinstance(container, Var) and not self.may_be(container).isdisjoint(self.e.transposed):
            self.tuples.add(value)
            return []
        return self.items(container)

    def items(self, container: Any) -> list[Any]:
        """What was put into a list or dict; nothing more of one that is looked through at this moment."""
        if not isinstance(container, Var) or container in self.asked:
            return []
        self.asked.add(container)
        found = [x for v in self.may_be(container) for x in self.put_in(v)]
        self.asked.remove(container)
        return found

    def put_in(self, value: Var) -> list[Any]:
        """What a step puts into a list or dict."""
        let = value.definition
        if let is None:
            return []
        op, args = let.op, let.args
        if isinstance(op, Loop):
            k = let.targets.index(value)
            self.carried(op, args)
            return [op.body.results[k]] if k >= op.carries else []
        if not isinstance(op, Apply):
            return []
        memory = memory_of(op)
        if memory.how == "items":
            return [x for i in memory.of for x in self.items(args[i])]
        if memory.how == "changed":
            return [args[i] for i in memory.of[1:]]
        return [args[i] for i in memory.of or range(len(args))] if memory.how == "holds" else []
