"""From the λ-program to LLVM IR: lets in order, branches and loops as blocks, recursive functions as functions.

Every function takes the arena, from which all memory comes that outlives an instruction, and gives 0, or 1 where its
result does not count (see `writer`). What one let is made of is in `scalars`, `arrays` and `sequences`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.native import columns, conversions, integers, parts, side_by_side
from ccc.compile.native.apart import apart, origins, reads_elsewhere
from ccc.compile.native.arrays import added_to, constant_array, elementwise, forced, in_dtype
from ccc.compile.native.body import SUM
from ccc.compile.native.by_rank import each_rank, is_one_of, one_of
from ccc.compile.native.calls_out import in_words_of, is_constant
from ccc.compile.native.dtypes import FLOATING, INTEGERS, ITEM, REALS
from ccc.compile.native.elementwise_fusion import Member, grouped
from ccc.compile.native.instructions import ADD, SUB
from ccc.compile.native.items import item_of
from ccc.compile.native.kinds import check_width
from ccc.compile.native.layout import (
    Arr,
    Choice,
    Dct,
    Entries,
    Fixed,
    Items,
    Lazy,
    Lst,
    Node,
    Nothing,
    NotNative,
    Parts,
    Ref,
    Rng,
    Rows,
    Sum,
    Tup,
    Twig,
    Word,
    absent,
    canonical,
    described,
    known_axes,
    layout_of,
    operands,
    rebuilt,
    words,
)
from ccc.compile.native.meeting import joined
from ccc.compile.native.moved_texts import looks_into
from ccc.compile.native.ranks import of_any_rank
from ccc.compile.native.sequences import listed, listed_items, relaid, widened
from ccc.compile.native.side_by_side import Together
from ccc.compile.native.table import ALWAYS, IN_ARMS, Facts, entry, states
from ccc.compile.native.texts import known_text
from ccc.compile.native.trees import in_memory, of_sum, stored, with_integers
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Gap, Num, real
from ccc.compile.program.lam import Absent, Apply, Atom, Block, Branch, Let, Op, Var
from ccc.compile.program.raises import item_may_raise
from ccc.objects import Array, Bool, Int, Object, Real, is_of_any_kind, may_be_pythons
from ccc.primitives import effects, failures
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import is_loud

states(effects.fail, effects.attempt, failures.raise_again, facts=Facts(ends=ALWAYS))
states(effects.show, facts=Facts(ends=IN_ARMS))
OPS: dict[type[Op], Callable[[Lowering, Any, Let], None]] = {}
"""By the class of what holds blocks, or calls one: how its let is lowered."""


def lowers(op: type[Op]) -> Callable[[Callable[[Lowering, Any, Let], None]], Any]:
    """Say what lowers the lets of a class of operations."""
    def add(f: Callable[[Lowering, Any, Let], None]) -> Any:
        OPS[op] = f
        return f

    return add


class ProgramLowering(Lowering):
    """One function under way, with all that lowers lets."""

    # -- atoms -----------------------------------------------------------------------------------------------------

    def value(self, atom: Atom) -> Any:
        """The value of an atom."""
        if isinstance(atom, Var):
            found = self.values.get(atom)
            if found is None:
                raise NotNative(f"the function value `{atom.name}`")
            return found
        if isinstance(atom.value, np.ndarray):
            return constant_array(self, atom.value)
        return self.constant(atom.value)

    def constant(self, value: Any) -> Any:
        """The value of a constant that is no array."""
        if type(value) is str:
            return known_text(self, value)
        if type(value) is list:
            return listed_items(self, [self.constant(x) for x in value])
        return Tup(tuple(map(self.constant, value))) if isinstance(value, tuple) else constant(value)

    def fitted(self, atom: Atom, target: Var) -> Any:
        """The value of an atom that becomes that of a variable, which may be one of several alternatives."""
        if of_any_rank(target.object) and isinstance(atom.object, Array) and atom.object.axes == ():
            raise NotNative("an array that may have rank 0")  # which is changed in place, where a number is not
        return widened(self, self.value(atom), atom.object, target.object)

    def arr(self, v: Any) -> Arr:
        """An array in memory."""
        if isinstance(v, Arr):
            return v
        if isinstance(v, Together):
            return v.whole()
        if isinstance(v, Lazy):
            member = grouped(self, v)
            return forced(self, v) if member is None else member.made.stored()
        raise NotNative(f"a {type(v).__name__} where an array has to be")

    def there(self, v: Any) -> Any:
        """A value all of which is in memory or in registers."""
        if isinstance(v, Lazy):
            return self.arr(v)
        if isinstance(v, Tup):
            return Tup(tuple(map(self.there, v.parts)))
        if isinstance(v, Rows):
            return listed(self, v)
        return stored(self, v.layout, v.tag, v.part) if isinstance(v, Twig) else v

    def settle(self, changed: Atom | None = None) -> None:
        """Compute the arrays that are not there yet: what they are made of may change; or that of one array."""
        own = origins(self, changed) if isinstance(changed, Var) else None
        waiting, gives = list[Var](), self.gives
        for var in self.pending:
            v = self.values.get(var)
            if isinstance(v, Lazy) and self.reads[var] < self.module.uses[var]:
                if own is not None and reads_elsewhere(self, own, var):
                    waiting.append(var)
                    continue
                self.gives = var in self.module.in_results
                member = grouped(self, v)
                self.values[var] = self.arr(v) if member is None else member
        self.gives = gives
        self.pending[:] = waiting
        self.close()

    def number(self, v: Any, type_: str | None = None) -> Num:
        if isinstance(v, (Arr, Lazy)) and not v.axes:
            v = item_of(self, v, ())
        if not isinstance(v, Num):
            raise NotNative(f"a {type(v).__name__} where a number has to be")
        return v if type_ is None else conversions.converted(self.w, v, type_)

    def brought(self, v: Any, layout: Any) -> Any:
        """A value in another layout of the same type."""
        v = self.there(v)
        have = layout_of(v)
        if have == layout:
            return v
        match layout, v:
            case Word(type_), Num() if {type_, v.type} == set(FLOATING):
                raise NotNative("a number that is a float32 or of another kind")
            case Word(type_), Num():
                if type_ in FLOATING and v.type == "i64":
                    conversions.spoil_unless_exact(self.w, v.text, type_)
                return conversions.converted(self.w, v, type_)
            case Word("i64"), Fixed(value=str(value)):
                return known_text(self, value)
            case Word(), Fixed():
                return absent(layout)
            case Nothing(), _ if not words(have):
                return Fixed(layout.value)
            case Parts(parts), Tup() if len(parts) == len(v.parts):
                return Tup(tuple([self.brought(x, part) for x, part in zip(v.parts, parts, strict=True)]))
            case Choice(by_rank=True), Num() | Arr() | Sum():
                return one_of(self, v, layout)
            case Choice(alternatives), Sum() if len(alternatives) == len(v.parts):
                return Sum(v.tag, tuple([self.brought(x, part) for x, part in zip(v.parts, alternatives, strict=True)]))
            case Word(type_), Arr() if not v.axes:
                return self.number(v, type_)
            case Node(), Sum():
                return of_sum(self, layout, v)
            case Node(whole, False), Ref() if v.layout == Node(whole, True):
                return with_integers(self, v, layout)
            case Node(), Ref() if in_memory(v.layout) == in_memory(layout):
                return Ref(layout, v.ptr)
            case Items(), Lst() | Rng():
                return relaid(self, v, layout)
            case Entries(parts=(entries, _)), Dct():
                return Dct(relaid(self, v.entries, entries), v.index)
            case _, Fixed() if isinstance(v.value, Absent) or v.value is None:
                return absent(layout)
            case _:
                raise NotNative(f"{described(have)} that becomes {described(layout)}")

    # -- lets ------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """The lets of a block, in order."""
        for let in block.lets:
            self.began = self.w.count
            self.gives = not self.module.in_results.isdisjoint(let.targets)
            self.let(let)
        self.gives = False

    def let(self, let: Let) -> None:
        op = let.op
        try:
            if isinstance(op, Apply):
                self.apply(op, let)
                return
            if isinstance(op, Branch):
                self.branch(op, let)
            else:
                OPS[type(op)](self, op, let)
        except NotNative as reason:
            reason.at = reason.at or let
            raise
        self.close()  # also what was opened for its arguments: what it changes may be read behind it

    def apply(self, op: Apply, let: Let) -> None:
        """The let of a primitive: what stands for it here, or a call out."""
        out = self.module.out
        try:
            if let in out.reasons:
                self.call_out(let)
            elif self.ends_at(op):
                self.w.leave("true")
                self.values.update(dict.fromkeys(let.targets, Fixed(())))
            elif any([is_one_of(self, x) for x in let.args]):
                each_rank(self, let, partial(self.apply, op, let))
            elif looks_into(let):
                raise NotNative(f"`{op.primitive.name}` of texts")
            else:
                self.applied(op, let)
        except NotNative as reason:
            out.refuse(let, str(reason))
            raise

    def call_out(self, let: Let) -> None:
        """A call of what a primitive is in Python, see `calls_out`."""
        given: list[tuple[Object, Any]] = []
        for atom in let.args:
            if is_constant(atom):
                continue
            self.module.kinds.check(atom)
            a, v = atom.object, self.there(self.value(atom))
            if let.targets and atom.home is let.targets[0].home:  # type: ignore[union-attr]
                self.values[atom] = v  # type: ignore[index]
            v = self.number(v) if isinstance(a, (Real, Int, Bool)) else v
            given.append((in_words_of(a), v if isinstance(a, Array) else self.brought(v, canonical(a))))
        self.unspoiled()
        w, module = self.w, self.module
        module.count += 1
        name = f"f{module.count}"
        module.out.function(name, let, [(a, layout_of(v)) for a, v in given])
        layouts = [canonical(target.object) for target in let.targets]
        results = w.local("i64", max(2, sum(len(words(layout)) for layout in layouts)))
        texts = [("ptr", "%arena"), ("ptr", results)]
        texts += [pair for _, v in given for pair in zip(words(layout_of(v)), operands(v), strict=True)]
        status = w.call("i32", name, *texts, inner=True)
        w.leave(w.compared("ne", "i32", status, "0"))
        for target, layout in zip(let.targets, layouts, strict=True):
            self.values[target] = known_axes(self.read(layout, results), target.object)
            self.reads.update(a for a in let.args if isinstance(a, Var) and a.home is target.home)
            if target in module.by_columns:
                columns.keep(self, target)
        self.close()

    def ends_at(self, op: Apply) -> bool:
        """Whether the code leaves where a primitive stands, whatever it is given."""
        ends = entry(op.primitive).facts.ends
        return not is_loud(op.primitive.errors) and (ends == ALWAYS or (ends == IN_ARMS and bool(self.w.tests)))

    def applied(self, op: Apply, let: Let) -> None:
        """The let of a primitive that machine code takes."""
        p, how = op.primitive, entry(op.primitive)
        facts = how.facts
        if is_loud(p.errors):
            raise NotNative("`np.errstate` that raises or calls")
        adds = 1 in p.adds
        self.apart, self.sure = False, let in self.module.bounds.inside
        self.changes = changes = let in self.module.overwritten and not (
            (adds and not (isinstance(self.value(let.args[0]), Arr) and not self.joins(let)))
            or (p.writes is not None and (side_by_side.column(self, let) or (p.adds and parts.places(self, let)))))
        if changes:
            self.apart = (adds or p.writes is not None) and apart(self, *let.args[:2])
            if self.apart and self.module.uses[let.args[1]] == 1:  # type: ignore[index]
                self.reads[let.args[1]] = 1  # type: ignore[index]
            self.settle(let.args[self.module.overwritten[let]])
        args = [self.value(a) for a in let.args]
        args = side_by_side.ready(self, let, args)
        if how.lower is not None:
            integers.check(let, facts)
            found = integers.cut_all(self, let, how.lower(self, let, *args))
        elif how.number is not None and not op.params:
            found = self.operated(op.primitive, let, args)
        else:
            raise NotNative(f"`{op.primitive.name}`")
        if changes:
            self.close()  # those for what it reads: what is read of the result stands behind the change
        if not let.targets:
            return
        (target,) = let.targets
        if isinstance(found, (Arr, Lazy)) and {
                found.dtype, getattr(target.object, "dtype", "")} == set(REALS):
            raise NotNative(f"`{op.primitive.name}` of float32")
        if isinstance(found, (Num, Arr, Lazy)):
            self.reads.update(a for a in let.args if isinstance(a, Var) and a.home is target.home)
        if isinstance(found, Num):
            type_ = self.type_of(target.object, found)
            if self.of_integer and found.type != type_:
                self.w.leave("true")
            found = conversions.converted(self.w, found, type_)
        elif isinstance(found, Lazy) and not let.adjoint and item_may_raise(op, let.args):
            found = self.arr(found)  # whether it is read or not
        elif isinstance(found, (Arr, Tup)):
            found = known_axes(found, target.object)
        elif isinstance(found, Lazy) and target not in self.module.sizes_alone:
            often = (
                self.module.uses[target] > 1 and target not in self.module.read_together) or target.home is None
            if often and not found.view:
                again = target in self.module.again and all(map(self.at_hand, let.args, args))
                found = grouped(self, found) or (found if again else self.arr(found))
            if isinstance(found, Lazy) and not isinstance(found, Member) and not found.alike:
                self.pending.append(target)
        if not isinstance(found, (Num, Arr, Member)):
            self.captured[target] = [(a, v) for a, v in zip(let.args, args, strict=True) if isinstance(a, Var)]
        self.values[target] = found
        if target in self.module.by_columns:
            columns.keep(self, target)

    def at_hand(self, atom: Atom, x: Any) -> bool:
        """Whether to read an item of an array is to read memory, or to compute what is computed again."""
        return not isinstance(x, Lazy) or isinstance(x, Member) or x.view or atom in self.module.again

    def joins(self, let: Let) -> bool:
        """Whether an addition in a loop had better be made by the open loop over items that computes what is added, in
        new memory: the run of the loop around does not give it out, and memory of runs is taken back."""
        a, b = [self.value(x) for x in let.args]
        return (
            bool(self.w.loops) and isinstance(a, Arr) and isinstance(b, Member) and b.made.group.open()
            and [self.sizes.name(n) for n in a.axes] == [self.sizes.name(n) for n in b.axes]
            and let.targets[0] not in let.targets[0].home.results  # type: ignore[union-attr]
        )  # fmt: skip

    def type_of(self, a: Object, found: Num) -> str:
        if of_any_rank(a):
            return found.type
        layout = canonical(a)
        check_width(a, found.type)
        return layout.type if isinstance(layout, Word) else found.type

    def operated(self, p: Primitive, let: Let, args: list[Any]) -> Any:
        """What a primitive gives that is an operation on numbers."""
        f, facts = entry(p).number, entry(p).facts
        assert f is not None
        f, a = integers.operated(let, f, facts), let.targets[0].object
        if self.changes and isinstance(args[0], Arr) and args[0].axes:
            return added_to(self, args[0], args[1])
        if not all(isinstance(x, (Num, Arr, Lazy)) for x in args):
            raise NotNative(f"`{p.name}` of these values")
        args = weakly(self, let, args)
        if any(isinstance(x, (Arr, Lazy)) and (x.axes or isinstance(a, Array)) for x in args):
            if not isinstance(a, Array):
                raise NotNative(f"`{p.name}` of an array")
            if facts.by_number is not None and isinstance(args[0], (Arr, Lazy)) and isinstance(args[1], Num):
                f = integers.operated(let, facts.by_number, facts)
            return elementwise(self, a, args, lambda *xs: f(self.w, False, *xs))
        xs = [self.number(x) for x in args]
        if facts.exact is not None and let in self.module.bounds.exact and all(x.type == "i64" for x in xs):
            found = Num("i64", facts.exact(self.w, *[x.text for x in xs]))
            if p.adds and found.text in self.w.defined:
                self.follow(p, xs, found.text)
            return found
        strict = may_be_pythons(a)
        if let in self.sums and all(x.type == "double" for x in xs) and p.adds:
            i = ADD if 1 in p.adds else SUB
            return Num("double", self.w.binary(i.real, "double", xs[0].text, xs[1].text, SUM))
        found = f(self.w, strict, *xs)
        if facts.exact is not None and p.adds and found.text in self.w.defined:
            self.follow(p, xs, found.text)
        return found

    def follow(self, p: Primitive, xs: list[Num], text: str) -> None:
        """Note that a number is another one, perhaps the index of a loop, moved by a constant."""
        a, b = xs
        either = 1 in p.adds
        if b.known is not None and a.known is None:
            base, moved = self.moved.get(a.text, (a.text, 0))
            self.moved[text] = base, p.value(moved, b.known)
        elif either and a.known is not None and b.known is None:
            base, moved = self.moved.get(b.text, (b.text, 0))
            self.moved[text] = base, moved + a.known
        if a.text in self.counted and b.known is not None:
            counted, moved = self.counted[a.text]
            self.counted[text] = counted, p.value(moved, b.known)
        elif either and b.text in self.counted and a.known is not None:
            counted, moved = self.counted[b.text]
            self.counted[text] = counted, moved + a.known

    # -- branches --------------------------------------------------------------------------------------------------

    def branch(self, op: Branch, let: Let) -> None:
        def arm(block: Block) -> list[Any]:
            self.block(block)
            return [self.fitted(atom, target) for atom, target in zip(block.results, let.targets, strict=True)]

        test = conversions.as_bool(self.w, self.number(self.value(let.args[0])))
        self.forked(test, [partial(arm, block) for block in op.blocks], let.targets)

    def forked(self, test: str, ways: Sequence[Callable[[], list[Any]]], targets: Sequence[Var]) -> None:
        """Write both ways on from a test, and let variables stand for what they give."""
        w = self.w
        self.settle()
        names = [w.block("then"), w.block("else"), w.block("join")]
        w.fork(test, names[0], names[1])
        arms: list[tuple[list[Any], Gap]] = []
        w.tests += 1
        for name, way in zip(names, ways, strict=False):
            w.label(name)
            with self.scope():
                found = list(map(self.there, way()))
                self.settle()
            arms.append((found, w.gap()))
            w.jump(names[2])
        w.tests -= 1
        w.label(names[2])
        layouts = [self.meeting(target.object, a, b) for target, a, b in zip(
            targets, arms[0][0], arms[1][0], strict=True)]
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
        for target, layout, place, same, v in zip(targets, layouts, slots, alike, arms[0][0], strict=True):
            if same:  # an array that was there before
                self.values[target] = v
                continue
            texts = [w.load(type_, slot) for slot, type_ in zip(place, words(layout), strict=True)]
            self.values[target] = known_axes(rebuilt(layout, iter(texts)), target.object)

    def meeting(self, a: Object, one: Any, other: Any) -> Any:
        """The layout of what two arms give."""
        layouts = [None if missing(v) else layout_of(v) for v in (one, other)]
        if None in layouts:
            return next((x for x in layouts if x is not None), None) or canonical(a)
        found = joined(*layouts)
        return joined(found, canonical(a)) if isinstance(found, Word) and not of_any_rank(a) else found


def weakly(m: Lowering, let: Let, args: list[Any]) -> list[Any]:
    """The arguments of an operation, those that are Python's own numbers as float32 where all others of reals are: they
    have no width of their own."""
    if all(getattr(x, "dtype", "") != "float32" and getattr(x, "type", "") != "float" for x in args):
        return args
    objects = [atom.object for atom in let.args]
    if any(map(is_of_any_kind, objects)):
        raise NotNative("float32 and a number of which the kind is not known")
    strong = {a.dtype if isinstance(a, Array) else a.kind for a in objects if isinstance(a, (Array, Real, Int))}
    if any(np.result_type(x, "float32") == "float64" for x in strong if x in ITEM or x in INTEGERS):
        return [in_dtype(m, x, "float64") if isinstance(x, (Arr, Lazy)) and x.dtype == "float32" else
                m.number(x, "double") if isinstance(x, Num) and x.type == "float" else x for x in args]
    return [m.number(x, "float") if isinstance(x, Num) and x.type in ("double", "i64") and x.known is None else x
            for x in args]


def missing(v: Any) -> bool:
    """Whether a value stands for one that a branch did not make."""
    return isinstance(v, Fixed) and (v.value is None or isinstance(v.value, Absent))


def constant(value: Any) -> Any:
    """The value of a constant that is a number, or nothing."""
    if isinstance(value, (bool, np.bool_)):
        return Num("i1", "true" if value else "false")
    if type(value) is np.uint64:
        return Num("i64", str(int(value.astype(np.int64))))  # the bits
    if isinstance(value, (int, np.integer)) and -(2**63) <= int(value) < 2**63:
        return Num("i64", str(int(value)))
    if isinstance(value, float) or (isinstance(value, np.floating) and str(value.dtype) in REALS):
        return Num(ITEM[str(getattr(value, "dtype", "float64"))], real(float(value)))
    if isinstance(value, (Absent, type)) or value is None:
        return Fixed(value)
    raise NotNative(f"the constant {value!r}")
