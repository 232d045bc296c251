"""From the λ-program to LLVM IR: lets in order, branches and loops as blocks, recursive functions as functions.

Every function takes the arena, from which all memory comes that outlives an instruction, and gives 0, or 1 where its
result does not count (see `writer`). What one let is made of is in `scalars`, `arrays` and `sequences`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ccc.objects import Coproduct, Object
from ccc.primitives import arithmetic
from compile.backends.native import engine, scalars
from compile.backends.native.fusion import fuse, is_sum
from compile.backends.native.groups import Group, Member, grouped
from compile.backends.native.lanes import Free, chosen, vectors
from compile.backends.native.layout import (
    Arr,
    Choice,
    Fixed,
    Items,
    Lazy,
    Lst,
    Nothing,
    NotNative,
    Rng,
    Rows,
    Span,
    Sum,
    Tup,
    Word,
    absent,
    canonical,
    joined,
    layout_of,
    operands,
    rebuilt,
    words,
)
from compile.backends.native.writer import Gap, Num, Writer, flat, real
from compile.backends.ownership import in_place
from compile.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    Branch,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    While,
    free_variables,
)

Handler = Callable[..., Any]
HANDLERS: dict[str, Handler] = {}
"""By the name of a primitive that is not an operation on numbers: how its let is lowered."""
ENDS = {"fail", "fail_from", "attempt"}
"""Primitives that raise: the code leaves, and what computes the result then raises. So it does where it would print,
but not where that is all that happens."""
SUM = "reassoc nsz contract"
STACK = 1 << 20
"""The bytes of the stack that recursion may take."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Say which primitives a handler lowers; it is given the lowering, the let and the values of its arguments."""
    def add(f: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, f))
        return f

    return add


class Module:
    """The functions of one program."""

    def __init__(self, program: Program) -> None:
        from compile.backends.native import handlers

        fuse(program, count_uses)
        self.handlers = handlers.HANDLERS
        self.functions: list[str] = []
        self.constants: list[str] = []
        self.count = 0
        self.overwritten = in_place(program.block)
        self.uses: Counter[Var] = Counter()
        self.memo: dict[int, list[Var]] = {}
        self.dgemm = False
        self.lanes = engine.cpu().lanes
        self.declared: set[str] = set()
        self.plain = False  # whether LLVM's vectoriser has loops to look at
        self.rolled: dict[Object, list[Any]] = {}
        count_uses(program.block, self.uses)

    def finish(self, w: Writer) -> None:
        """Keep a function."""
        self.functions.append("\n".join([*self.constants, w.finished()]))
        self.constants.clear()
        self.declared |= w.declared


def count_uses(block: Block, uses: Counter[Var]) -> None:
    """How often each variable is read; what another block reads counts twice, since it may run again."""
    todo = [block]
    while todo:
        here = todo.pop()
        for let in here.lets:
            for atom in let.args:
                if isinstance(atom, Var):
                    uses[atom] += 1 if atom.home is here else 2
            todo += let.op.blocks
        for atom in here.results:
            if isinstance(atom, Var):
                uses[atom] += 1 if atom.home is here else 2


class Function:
    """A closure whose code is known: what it captures, and the layout of its results."""

    def __init__(self, name: str, let: Let, captured: list[Var]) -> None:
        self.name = name
        self.let = let
        self.captured = captured
        self.results = [canonical(atom.object) for atom in let.op.body.results]  # type: ignore[attr-defined]


class Counted:
    """What is known of the index of a loop over a range: it starts at `start` and stays below `stop`, which the place
    before the loop can read; `var` may be used in checks there, and `blocks` says in how many tests the loop stands."""

    def __init__(self, start: str, stop: str, gap: Gap, depth: int) -> None:
        self.start = start
        self.stop = stop
        self.gap = gap
        self.depth = depth


class Lowering:
    """One function under way."""

    def __init__(self, module: Module, w: Writer) -> None:
        self.module = module
        self.w = w
        self.values: dict[Var, Any] = {}
        self.pending: list[Var] = []
        self.functions: dict[Var, Function] = {}
        self.counted: dict[str, tuple[Counted, int]] = {}
        self.moved: dict[str, tuple[str, int]] = {}
        self.sums: set[Let] = set()
        self.handed_out: Any = None
        """The function that the program gives: nothing in it calls it, so its results stay laid out as they are."""
        self.groups: list[Group] = []
        self.inside: Group | None = None
        self.began = 0  # how many names there were when this let began
        self.order: dict[str, float] = {}
        self.equal: dict[str, str] = {}
        self.guarded: set[tuple[str, str, str]] = set()

    # -- atoms -----------------------------------------------------------------------------------------------------

    def value(self, atom: Atom) -> Any:
        """The value of an atom."""
        if isinstance(atom, Var):
            found = self.values.get(atom)
            if found is None:
                raise NotNative(f"the function value `{atom.name}`")
            return found
        if isinstance(atom.value, np.ndarray):
            from compile.backends.native.arrays import constant_array

            return constant_array(self, atom.value)
        return constant(atom)

    def fitted(self, atom: Atom, target: Var) -> Any:
        """The value of an atom that becomes that of a variable, which may be one of several alternatives."""
        from compile.backends.native.sums import injected

        v = self.value(atom)
        whole = target.object
        return injected(self, v, atom.object, whole) if isinstance(whole, Coproduct) else v

    def arr(self, v: Any) -> Arr:
        """An array in memory."""
        from compile.backends.native.arrays import forced

        if isinstance(v, Arr):
            return v
        if isinstance(v, Lazy):
            member = grouped(self, v)
            return forced(self, v) if member is None else member.stored()
        raise NotNative(f"a {type(v).__name__} where an array has to be")

    def there(self, v: Any) -> Any:
        """A value all of which is in memory or in registers."""
        if isinstance(v, Lazy):
            return self.arr(v)
        if isinstance(v, Tup):
            return Tup(tuple(map(self.there, v.parts)))
        if isinstance(v, Rows):
            from compile.backends.native.sequences import listed

            return listed(self, v)
        return v

    def settle(self) -> None:
        """Compute the arrays that are not there yet: what they are made of may change."""
        for var in self.pending:
            v = self.values.get(var)
            if isinstance(v, Lazy):
                member = grouped(self, v)
                self.values[var] = self.arr(v) if member is None else member
        self.pending.clear()
        for group in self.groups:
            group.closed = True

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block within another one: its groups are its own."""
        groups, self.groups = self.groups, []
        equal, guarded = dict(self.equal), set(self.guarded)
        yield
        for group in self.groups:
            group.end()
        self.groups, self.equal, self.guarded = groups, equal, guarded

    def same_size(self, a: str, b: str) -> None:
        """Leave where two sizes differ."""
        a, b = self.size(a), self.size(b)
        if a == b:
            return
        self.guard("ne", a, b)
        old, new = sorted([a, b], key=self.age)
        self.equal[new] = old

    def guard(self, what: str, a: str, b: str) -> None:
        """Leave where a comparison holds: before the groups that may rely on that, if it can be made there."""
        if (what, a, b) in self.guarded:
            return
        self.guarded.add((what, a, b))
        w = self.w
        for group in self.groups:
            if group.open() and all(not x.startswith("%") or group.there(x) for x in (a, b)):
                with w.within(group.before):
                    w.leave(w.compare(what, a, b), guards=False)
                return
            group.closed = True
        w.leave(w.compare(what, a, b))

    def age(self, name: str) -> float:
        """When an operand was there: constants first."""
        return self.order.get(name, int(re.sub(r"\D", "", name))) if name.startswith("%") else -1

    def size(self, a: str) -> str:
        """The name of a size under which all that are equal to it go."""
        while a in self.equal:
            a = self.equal[a]
        return a

    def number(self, v: Any, type_: str | None = None) -> Num:
        if isinstance(v, Arr | Lazy) and not v.axes:
            from compile.backends.native.arrays import item_of

            v = item_of(self, v, ())
        if not isinstance(v, Num):
            raise NotNative(f"a {type(v).__name__} where a number has to be")
        return v if type_ is None else scalars.converted(self.w, v, type_)

    # -- memory ----------------------------------------------------------------------------------------------------

    def alloc(self, size: str) -> str:
        """Memory for so many bytes, until the call ends."""
        ptr = self.w.op("ptr", f"call ptr @ccc_alloc(ptr %arena, i64 {size})")
        self.w.leave(self.w.op("i1", f"icmp eq ptr {ptr}, null"), guards=False)
        return ptr

    def write(self, v: Any, layout: Any, ptr: str) -> None:
        """Store the words of a value, brought into a layout."""
        v = self.brought(v, layout)
        for i, (type_, text) in enumerate(zip(words(layout), operands(v), strict=True)):
            self.w.store(type_, text, self.w.at_index("i64", ptr, str(i)) if i else ptr)

    def read(self, layout: Any, ptr: str) -> Any:
        """The value whose words stand somewhere."""
        texts = [self.w.load(type_, self.w.at_index("i64", ptr, str(i)) if i else ptr)
                 for i, type_ in enumerate(words(layout))]
        return rebuilt(layout, iter(texts))

    def brought(self, v: Any, layout: Any) -> Any:
        """A value in another layout of the same type."""
        from compile.backends.native.sequences import relaid

        v = self.there(v)
        have = layout_of(v)
        if have == layout:
            return v
        match layout, v:
            case Word(type_), Num():
                return scalars.converted(self.w, v, type_)
            case Word(), Fixed():
                return absent(layout)
            case Nothing(), _:
                return Fixed(layout.value)
            case Tup() | _, Tup() if len(words(layout)) >= 0 and hasattr(layout, "parts"):
                return Tup(tuple([self.brought(x, part) for x, part in zip(v.parts, layout.parts, strict=True)]))
            case Choice(alternatives), Sum():
                return Sum(v.tag, tuple([self.brought(x, part) for x, part in zip(v.parts, alternatives, strict=True)]))
            case Items(), Lst() | Rng():
                return relaid(self, v, layout)
            case _, Fixed() if isinstance(v.value, Absent) or v.value is None:
                return absent(layout)
            case _:
                raise NotNative(f"a value laid out as {have} becomes one laid out as {layout}")

    # -- lets ------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """The lets of a block, in order."""
        for let in block.lets:
            self.began = self.w.count
            self.let(let)

    def let(self, let: Let) -> None:
        op = let.op
        if isinstance(op, Apply):
            self.apply(op, let)
        elif isinstance(op, Branch):
            self.branch(op, let)
        elif isinstance(op, Loop):
            self.loop(op, let)
        elif isinstance(op, While):
            self.while_(op, let)
        elif isinstance(op, Lambda):
            self.function(op, let)
        else:
            self.call(let)

    def apply(self, op: Apply, let: Let) -> None:
        name = op.primitive.name
        if name in ENDS or (name == "show" and self.w.tests):
            self.w.leave("true")
            self.values.update(dict.fromkeys(let.targets, Fixed(())))
            return
        adds = name in ("add", "np.add")
        if let in self.module.overwritten and not (adds and not isinstance(self.value(let.args[0]), Arr)):
            self.settle()
        args = [self.value(a) for a in let.args]
        handler = self.module.handlers.get(name)
        if handler is not None:
            found = handler(self, let, *args)
        elif name in scalars.OPERATIONS and not op.params:
            found = self.operated(name, let, args)
        else:
            raise NotNative(f"`{name}`")
        if not let.targets:
            return
        (target,) = let.targets
        if isinstance(found, Num):
            found = scalars.converted(self.w, found, self.type_of(target.object, found))
        elif isinstance(found, Lazy):
            if not found.view and (self.module.uses[target] > 1 or target.home is None):
                found = grouped(self, found) or self.arr(found)
            elif not isinstance(found, Member):
                self.pending.append(target)
        self.values[target] = found

    def type_of(self, a: Object, found: Num) -> str:
        layout = canonical(a)
        return layout.type if isinstance(layout, Word) else found.type

    def operated(self, name: str, let: Let, args: list[Any]) -> Any:
        from compile.backends.native.arrays import added_to, elementwise

        f = scalars.OPERATIONS[name]
        a = let.targets[0].object
        if let in self.module.overwritten and isinstance(args[0], Arr) and args[0].axes:
            return added_to(self, args[0], args[1])
        if any(isinstance(x, Arr | Lazy) for x in args):
            return elementwise(self, a, args, lambda *xs: f(self.w, False, *xs))
        xs = [self.number(x) for x in args]
        strict = getattr(a, "kind", None) in ("float", "any") or type(a).__name__ == "Int"
        if let in self.sums and all(x.type == "double" for x in xs) and name in ("add", "sub"):
            return Num("double", self.w.op("double", f"f{name} {SUM} double {xs[0].text}, {xs[1].text}"))
        found = f(self.w, strict, *xs)
        if name in ("add", "sub") and found.text in self.w.defined:
            self.follow(name, xs, found.text)
        return found

    def follow(self, name: str, xs: list[Num], text: str) -> None:
        """Note that a number is another one, perhaps the index of a loop, moved by a constant."""
        a, b = xs
        if b.known is not None and a.known is None:
            base, moved = self.moved.get(a.text, (a.text, 0))
            self.moved[text] = base, moved + (b.known if name == "add" else -b.known)
        elif name == "add" and a.known is not None and b.known is None:
            base, moved = self.moved.get(b.text, (b.text, 0))
            self.moved[text] = base, moved + a.known
        if a.text in self.counted and b.known is not None:
            counted, moved = self.counted[a.text]
            self.counted[text] = counted, moved + (b.known if name == "add" else -b.known)
        elif name == "add" and b.text in self.counted and a.known is not None:
            counted, moved = self.counted[b.text]
            self.counted[text] = counted, moved + a.known

    # -- branches --------------------------------------------------------------------------------------------------

    def branch(self, op: Branch, let: Let) -> None:
        w = self.w
        test = scalars.as_bool(w, self.number(self.value(let.args[0])))
        self.settle()
        names = [w.fresh("then"), w.fresh("else"), w.fresh("join")]
        w.fork(test, names[0], names[1])
        arms: list[tuple[list[Any], Gap]] = []
        w.tests += 1
        for name, block in zip(names, op.blocks, strict=False):
            w.label(name)
            with self.scope():
                self.block(block)
                found = [self.there(self.fitted(atom, target)) for atom, target in zip(
                    block.results, let.targets, strict=True)]
                self.settle()
            arms.append((found, w.gap()))
            w.jump(names[2])
        w.tests -= 1
        w.label(names[2])
        layouts = [self.meeting(target.object, a, b) for target, a, b in zip(
            let.targets, arms[0][0], arms[1][0], strict=True)]
        alike = [isinstance(a, Arr) and isinstance(b, Arr) and operands(a) == operands(b) for a, b in zip(
            arms[0][0], arms[1][0], strict=True)]
        slots = [[] if same else [w.local(type_) for type_ in words(layout)] for layout, same in zip(
            layouts, alike, strict=True)]
        for found, gap in arms:
            with w.within(gap):
                for v, layout, place in zip(found, layouts, slots, strict=True):
                    for slot, type_, text in zip(
                            place, words(layout) if place else [], operands(self.brought(v, layout)) if place else [],
                            strict=True):
                        w.store(type_, text, slot)
        for target, layout, place, same, v in zip(let.targets, layouts, slots, alike, arms[0][0], strict=True):
            if same:  # an array that was there before
                self.values[target] = v
                continue
            texts = [w.load(type_, slot) for slot, type_ in zip(place, words(layout), strict=True)]
            self.values[target] = rebuilt(layout, iter(texts))

    def meeting(self, a: Object, one: Any, other: Any) -> Any:
        """The layout of what two arms give."""
        layouts = [None if missing(v) else layout_of(v) for v in (one, other)]
        if None in layouts:
            return next((x for x in layouts if x is not None), None) or canonical(a)
        found = joined(*layouts)
        return joined(found, canonical(a)) if isinstance(found, Word) else found

    # -- loops -----------------------------------------------------------------------------------------------------

    def carried(self, params: Sequence[Var], inits: Sequence[Atom]) -> list[Any]:
        """Places for what a loop carries, holding the first values; arrays keep their sizes."""
        places: list[Any] = []
        for param, atom in zip(params, inits, strict=True):
            v = self.there(self.fitted(atom, param))
            layout = canonical(param.object) if not isinstance(v, Arr) else layout_of(v)
            if isinstance(layout, Items):
                layout = joined(layout, layout_of(v)) if not isinstance(v, Fixed) else layout
            v = self.brought(v, layout)
            slots = [self.w.local(type_) for type_ in words(layout)]
            for slot, type_, text in zip(slots, words(layout), operands(v), strict=True):
                self.w.store(type_, text, slot)
            places.append((layout, slots, v, param))
        return places

    def enter(self, params: Sequence[Var], places: Sequence[Any]) -> None:
        """Let parameters stand for what the places hold now."""
        for param, (layout, slots, init, _) in zip(params, places, strict=True):
            if isinstance(init, Arr):  # an array in a loop keeps its sizes, which is checked at its end
                ptr = self.w.load("ptr", slots[0])
                self.values[param] = Arr(init.dtype, ptr, init.axes)
                continue
            texts = [self.w.load(type_, slot) for slot, type_ in zip(slots, words(layout), strict=True)]
            self.values[param] = rebuilt(layout, iter(texts))

    def step(self, results: Sequence[Atom], places: Sequence[Any]) -> None:
        """Keep what the body gives for the next run."""
        found = [self.there(self.fitted(atom, place[3])) for atom, place in zip(results, places, strict=True)]
        for v, (layout, slots, init, _) in zip(found, places, strict=True):
            v = self.brought(v, layout)
            if isinstance(init, Arr):
                for have, want in zip(v.axes, init.axes, strict=True):
                    if have != want:
                        self.w.leave(self.w.compare("ne", have, want))
            for slot, type_, text in zip(slots, words(layout), operands(v), strict=True):
                self.w.store(type_, text, slot)

    def summing(self, op: Loop) -> None:
        """The additions by which a loop makes its sums: their order is free."""
        body = op.body
        for param, result in zip(body.params, body.results[: op.carries], strict=False):
            let = result.definition if isinstance(result, Var) else None
            if let is None or result.home is not body or self.module.uses[param] != 1:  # type: ignore[union-attr]
                continue
            added = isinstance(let.op, Apply) and let.op.primitive is arithmetic.add
            taken = isinstance(let.op, Apply) and let.op.primitive is arithmetic.sub
            first = let.args[0] is param and (added or taken)
            if (first or (added and let.args[1] is param)) and self.module.uses[result] == 1:  # type: ignore[index]
                self.sums.add(let)

    def loop(self, op: Loop, let: Let) -> None:
        from compile.backends.native.sequences import Sequence_, sequence

        w = self.w
        sequences: list[Sequence_] = [sequence(self, self.value(a)) for a in let.args[op.carries :]]
        self.settle()
        places = self.carried(op.body.params[: op.carries], let.args[: op.carries])
        self.summing(op)
        count = sequences[0].length
        for s in sequences[1:]:
            if s.length != count:
                shorter = w.compare("slt", s.length, count)
                count = w.select("i64", shorter, s.length, count)
        outputs = [Output(self, count) for _ in op.body.results[op.carries :]]
        whole = w.gap()
        with w.within(whole), w.loop() as (before, body, done):
            i = w.local("i64")
            before.append(f"  store i64 0, ptr {i}")
            now = w.load("i64", i)
            w.fork(w.compare("slt", now, count), body, done)
            w.label(body)
            begins, text, ends = w.gap(), w.gap(), w.gap()
            with w.within(text), self.scope():
                self.enter(op.body.params[: op.carries], places)
                carried = [self.values[param] for param in op.body.params[: op.carries]]
                for param, s in zip(op.body.params[op.carries :], sequences, strict=True):
                    k = w.int_op("sub", w.int_op("sub", s.length, "1"), now) if op.reverse else now
                    self.values[param] = s.item(k, now, before, op.reverse)
                self.block(op.body)
                k = w.int_op("sub", w.int_op("sub", count, "1"), now) if op.reverse else now
                for output, atom in zip(outputs, op.body.results[op.carries :], strict=True):
                    output.put(self.value(atom), k)
                after = [self.there(self.value(atom)) for atom in op.body.results[: op.carries]]
                same = [isinstance(x, Arr) and isinstance(y, Arr) and x.ptr == y.ptr for x, y in zip(
                    carried, after, strict=True)]
                stays = all(map(self.keeps, carried, after)) and all(scalar(output.layout) for output in outputs)
                self.step(op.body.results[: op.carries], places)
                self.settle()
            if stays and takes_memory(text):
                self.take_back(begins, ends)
            w.store("i64", w.op("i64", f"add nuw nsw i64 {now}, 1"), i)
        free = self.free(op, places, {output.ptr for output in outputs})
        self.widen(whole, before, [begins, text, ends], now, count, free)
        self.enter(let.targets[: op.carries], places)
        for target, place, stands in zip(let.targets, places, same, strict=False):
            if stands:  # the array that the loop began with
                self.values[target] = place[2]
        for target, output in zip(let.targets[op.carries :], outputs, strict=True):
            self.values[target] = output.list()

    def take_back(self, begins: Gap, ends: Gap) -> None:
        """What a run of a loop took of the arena, the next one may take."""
        w = self.w
        with w.within(begins):
            mark = w.load("i64", "%arena")
            piece = w.load("ptr", w.at_index("i64", "%arena", "2"))
        with w.within(ends):
            same = w.op("i1", f"icmp eq ptr {piece}, {w.load('ptr', w.at_index('i64', '%arena', '2'))}")
            w.store("i64", w.select("i64", same, mark, w.load("i64", "%arena")), "%arena")

    def widen(self, whole: Gap, before: Gap, parts: list[Gap], now: str, count: str, free: Free) -> None:
        """Let a loop take several runs at once, where these depend on each other only by what they gather."""
        w = self.w
        lines = [line for part in parts for line in flat(part, plain=True)]
        nested = any(line.endswith(":") for line in lines)
        found = vectors(lines, now, count, w, w.lanes, free) if w.lanes else None
        if found is not None:
            w.declared |= found.declared
            w.innermost = False
            whole.plain = list(whole)
            if nested:
                whole[:] = [before, *chosen(w, lines, count, found, [x for x in whole if x is not before])]
            else:
                whole[:] = [before, *found.lines]
        elif not any(line.startswith("  br") for part in parts for line in flat(part)):
            self.module.plain = True

    def free(self, op: Loop, places: Sequence[Any], own: set[str]) -> Free:
        """What is known of the runs of a loop."""
        sums: dict[str, str] = {}
        added: set[str] = set()
        body = op.body
        for param, result, (layout, slots, init, *_) in zip(body.params, body.results, places, strict=False):
            if not is_sum(body, param, result, self.module.uses):
                continue
            if isinstance(layout, Word) and layout.type != "i1":
                sums[slots[0]] = layout.type
            elif isinstance(init, Arr) and init.dtype == "float64":
                added.add(slots[0])
        return Free(sums, frozenset(added), frozenset(own))

    def keeps(self, before: Any, after: Any) -> bool:
        """Whether what a loop carries needs no memory of its last run."""
        return isinstance(after, Num | Fixed | Rng) or (
            isinstance(after, Arr) and isinstance(before, Arr) and after.ptr == before.ptr)

    def while_(self, op: While, let: Let) -> None:
        w = self.w
        self.settle()
        places = self.carried(op.test.params, let.args)
        outputs = [Growing(self) for _ in op.body.results[op.carries :]]
        with w.loop() as (_, body, done), self.scope():
            self.enter(op.test.params, places)
            self.block(op.test)
            test = scalars.as_bool(w, self.number(self.value(op.test.results[0])))
            self.settle()
            spoiled = w.op("i1", f"xor i1 {w.load('i1', '%spoiled')}, true")
            w.fork(w.op("i1", f"and i1 {test}, {spoiled}"), body, done)
            w.label(body)
            self.enter(op.body.params, places)
            self.block(op.body)
            for output, atom in zip(outputs, op.body.results[op.carries :], strict=True):
                output.put(self.value(atom))
            self.step(op.body.results[: op.carries], places)
            self.settle()
        self.enter(let.targets[: op.carries], places)
        for target, output in zip(let.targets[op.carries :], outputs, strict=True):
            self.values[target] = output.list()

    # -- functions -------------------------------------------------------------------------------------------------

    def function(self, op: Lambda, let: Let) -> None:
        """A closure: code that takes what it captures as further arguments."""
        (target,) = let.targets
        module = self.module
        captured = [v for v in free_variables(op.body, module.memo) if v is not target]
        behind = [x for v in captured if v in self.functions for x in self.functions[v].captured]
        captured = list(dict.fromkeys([*captured, *behind]))
        module.count += 1
        f = Function(f"f{module.count}", let, captured)
        self.settle()
        for v in captured:
            if v in self.values:
                self.values[v] = self.there(self.values[v])
        layouts = {v: layout_of(self.values[v]) for v in captured if v in self.values}
        params = [("ptr", "%arena"), ("ptr", "%results")]
        inner = Lowering(module, Writer(f.name, params, module.lanes))
        inner.functions = {**self.functions, target: f}
        for v in [*layouts, *op.body.params]:
            layout = layouts[v] if v in layouts else canonical(v.object)
            texts: list[str] = []
            for type_ in words(layout):
                texts.append(f"%{inner.w.fresh('a')}")
                params.append((type_, texts[-1]))
            inner.values[v] = rebuilt(layout, iter(texts))
        f.captured = list(layouts)
        for v in captured:
            if v not in layouts and v not in inner.functions:
                raise NotNative(f"the function value `{v.name}`")
        inner.check_depth()
        with inner.scope():
            inner.block(op.body)
            found = [inner.there(inner.value(atom)) for atom in op.body.results]
            if target is self.handed_out:
                f.results = [a if isinstance(v, Num) else layout_of(v) for a, v in zip(f.results, found, strict=True)]
            place = 0
            for v, layout in zip(found, f.results, strict=True):
                inner.write(v, layout, inner.w.at_index("i64", "%results", str(place)))
                place += len(words(layout))
        module.finish(inner.w)
        self.functions[target] = f

    def check_depth(self) -> None:
        """Leave where the stack grows too deep: Python has a limit of its own, and says so when it is reached."""
        w = self.w
        here = w.op("i64", f"ptrtoint ptr {w.op('ptr', 'call ptr @llvm.frameaddress.p0(i32 0)')} to i64")
        base = w.load("i64", w.at_index("i64", "%arena", "4"))
        w.leave(w.compare("sgt", w.op("i64", f"sub i64 {base}, {here}"), str(STACK)))

    def call(self, let: Let) -> None:
        w = self.w
        function = let.args[0]
        f = self.functions.get(function) if isinstance(function, Var) else None
        if f is None:
            raise NotNative(f"a call of a function value, `{function}`")
        self.settle()
        texts = ["ptr %arena"]
        results = w.local("i64", max(2, sum(len(words(layout)) for layout in f.results)))
        texts.append(f"ptr {results}")
        for v in f.captured:
            x = self.there(self.value(v))
            texts += [f"{t} {o}" for t, o in zip(words(layout_of(x)), operands(x), strict=True)]
        for param, atom in zip(f.let.op.body.params, let.args[1:], strict=True):  # type: ignore[attr-defined]
            layout = canonical(param.object)
            x = self.brought(self.fitted(atom, param), layout)
            texts += [f"{t} {o}" for t, o in zip(words(layout), operands(x), strict=True)]
        begins = w.gap()
        status = w.op("i32", f"call i32 @{f.name}({', '.join(texts)})")
        w.leave(w.op("i1", f"icmp ne i32 {status}, 0"))
        place = 0
        for target, layout in zip(let.targets, f.results, strict=True):
            self.values[target] = self.read(layout, w.at_index("i64", results, str(place)) if place else results)
            place += len(words(layout))
        if all(map(scalar, f.results)):
            self.take_back(begins, w.gap())


def takes_memory(text: Gap) -> bool:
    """Whether code may take memory of the arena."""
    return any("@ccc_alloc(" in line or "call i32 @f" in line for line in flat(text))


def scalar(layout: Any) -> bool:
    """Whether values of a layout hold no pointers."""
    return "ptr" not in words(layout)


def missing(v: Any) -> bool:
    """Whether a value stands for one that a branch did not make."""
    return isinstance(v, Fixed) and (v.value is None or isinstance(v.value, Absent))


def constant(atom: Lit) -> Any:
    """The value of a constant."""
    value = atom.value
    if isinstance(value, bool | np.bool_):
        return Num("i1", "true" if value else "false")
    if isinstance(value, int | np.integer) and -(2**63) <= int(value) < 2**63:
        return Num("i64", str(int(value)))
    if isinstance(value, float) or (isinstance(value, np.floating) and value.dtype == np.float64):
        return Num("double", real(float(value)))
    if isinstance(value, Absent | type) or value is None:
        return Fixed(value)
    raise NotNative(f"the constant {value!r}")


class Output:
    """A list that a loop makes, of known length."""

    def __init__(self, m: Lowering, count: str) -> None:
        self.m = m
        self.count = count
        self.layout: Any = None
        self.ptr = "null"
        self.gap = m.w.gap()

    def put(self, v: Any, k: str) -> None:
        w = self.m.w
        v = self.m.there(v)
        self.layout = layout_of(v)
        size = len(words(self.layout))
        if not size:
            return
        with w.within(self.gap):
            self.ptr = self.m.alloc(w.int_op("mul", self.count, str(8 * size)))
        at = w.at_index("i64", self.ptr, w.int_op("mul", k, str(size)))
        if isinstance(v, Arr) and v.dtype != "bool":
            items = "1"
            for axis in v.axes:
                items = w.int_op("mul", items, axis)
            w.do(f"; array {v.ptr} {items}")  # see `spread`
        self.m.write(v, self.layout, at)

    def list(self) -> Lst:
        return Lst(self.layout, self.ptr, self.count, self.count)


class Growing:
    """A list that a `while` makes."""

    def __init__(self, m: Lowering) -> None:
        self.m = m
        self.layout: Any = None
        w = m.w
        self.slots = [w.local("ptr"), w.local("i64"), w.local("i64")]
        w.store("ptr", "null", self.slots[0])
        w.store("i64", "0", self.slots[1])
        w.store("i64", "0", self.slots[2])

    def put(self, v: Any) -> None:
        from compile.backends.native.sequences import appended

        v = self.m.there(v)
        self.layout = layout_of(v)
        new = appended(self.m, self.list(), v)
        for slot, type_, text in zip(self.slots, ("ptr", "i64", "i64"), operands(new), strict=True):
            self.m.w.store(type_, text, slot)

    def list(self) -> Lst:
        w = self.m.w
        return Lst(self.layout, w.load("ptr", self.slots[0]), w.load("i64", self.slots[1]),
                   w.load("i64", self.slots[2]))


__all__ = ["HANDLERS", "Lowering", "Module", "Span", "handles"]
