"""The meaning of a λ-program while JAX traces it: lets in order, loops as `scan` or `while_loop`, branches as `cond`.

What depends on no argument is computed at once by what the primitives are in NumPy: sizes, ranges, constants. So a
loop whose length is known is a `scan`, and a branch whose test is known is one of its blocks.

    Fails       Python raises here, whatever the numbers are
    frame       what the numbers decide: see `frames`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Tree,
    Var,
    While,
    free_variables,
)
from ccc.compile.program.target import NotTaken
from ccc.compile.xla import stores
from ccc.compile.xla.blocks import OfManySizes, inside
from ccc.compile.xla.forms import Fails, applied
from ccc.compile.xla.frames import START, Frame
from ccc.compile.xla.meshes import varying
from ccc.compile.xla.places import Places
from ccc.compile.xla.saying import Saying
from ccc.compile.xla.selections import made, of_selections
from ccc.compile.xla.shapes import Unequal, fitted, merged, same
from ccc.compile.xla.systems import Factors
from ccc.compile.xla.tapes import Checkpoints, Replayed, Written, back, read_backwards, size, written
from ccc.compile.xla.values import (
    Closure,
    Grown,
    Selected,
    Span,
    Stacked,
    are_small,
    as_object,
    as_rows,
    cut,
    is_traced,
    length_of,
    lengthened,
    shape_of,
)
from ccc.objects import List, Static
from ccc.primitives import structure

IN_SOME_TURNS = "a list that a loop makes longer in some turns"
UNROLLED = 32
"""Loops along lists whose items have several structures or sizes are written out up to so many turns."""
SHORT = 512
"""Loops that compute no more than so much in all their turns, in lets, are written out for devices that each turn costs
several launches. On a CPU it costs next to nothing, and what is written out is slower."""
TURNS = 256
"""So many turns are written out in one program."""
DEEPEST = 200
"""So many calls may stand in one another: functions that call themselves are not known before they run."""


class Evaluator(Places):
    """The values of the variables of a program; `capacity` is how many items there is memory for in a list whose
    length is known only when it runs, `axes` those along which arguments are divided inside of `shard_map`, `limit`
    how many bytes the lists that a loop keeps for its derivative may take, `inside` whether JAX traces around it."""

    def __init__(
        self, capacity: int, axes: frozenset[Any], saying: Saying | None, limit: int | None, inside: bool
    ) -> None:
        self.capacity, self.axes, self.saying, self.limit, self.inside = capacity, axes, saying, limit, inside
        Places.__init__(self)
        self.values: dict[Var, Any] = {}
        self.frame = START
        self.free: dict[int, list[Var]] = {}
        self.depth = self.turns = self.work = 0
        self.later: set[Let] = set()
        self.matrices = Factors()
        self.turn = 0

    def value(self, atom: Atom) -> Any:
        """What an atom is."""
        return self.values[atom] if isinstance(atom, Var) else atom.value

    def tree(self, tree: Tree) -> Any:
        """What a tree of atoms is, its records as tuples."""
        if isinstance(tree, tuple):
            return tuple(map(self.tree, tree))
        if tree is None:
            return None
        found = self.value(tree)  # type: ignore[arg-type]
        if isinstance(found, Absent):
            return None
        if not is_traced(found) and isinstance(tree.object, Static):  # type: ignore[union-attr]
            if isinstance(tree, Var):
                raise NotTaken("a result that is no number")
            return None  # which `handed` reads of the tree
        return found if is_traced(found) else as_object(found, tree.object)  # type: ignore[union-attr]

    def joins(self, frame: Frame, told: Sequence[Frame]) -> None:
        """Take over what blocks find out, where what they told while they were traced is not nothing."""
        if not all([one.is_empty for one in told]):
            self.frame = self.frame.joined(frame)

    def failing(self, condition: Any) -> None:
        """Python raises where the condition holds, or one of its items."""
        self.frame = self.frame.joined(Frame(False, 0, (condition,)) if np.ndim(condition) else Frame(condition, 0))

    def says(self, say: Callable[..., None], values: Sequence[Any]) -> None:
        """Something is said of values, once and in order."""
        if self.saying is None:
            raise NotTaken("what is printed by a pullback")
        self.saying.says(say, values)

    # -- blocks ----------------------------------------------------------------------------------------------------

    def block(self, block: Block, args: Sequence[Any]) -> list[Any]:
        """What a block gives for its parameters."""
        self.values.update(zip(block.params, args, strict=True))
        for let in block.lets:
            self.let(let)
        return [self.value(atom) for atom in block.results]

    def apart(
        self, block: Block, args: Sequence[Any], outside: dict[int, Any] | None = None
    ) -> tuple[list[Any], Frame]:
        """What a block gives, and what it finds out; what it has asked is known in it alone, as it may not run. What
        it would ask of values that are `outside` of it is left to be asked there."""
        before = self.frame, self.bounds, self.outside, self.matrices
        self.frame, self.bounds, self.outside = START, dict(self.bounds), outside or {}
        self.matrices = self.matrices.copied()
        try:
            return self.block(block, args), self.frame
        finally:
            self.frame, self.bounds, self.outside, self.matrices = before

    def let(self, let: Let) -> None:
        """Bind the targets of a let."""
        op = let.op
        self.work += SHORT if isinstance(op, While) else 1
        args = [self.value(atom) for atom in let.args]
        if isinstance(op, Apply) and op.primitive is not structure.length:
            args = [written(self, x) if isinstance(x, Replayed) else x for x in args]
        if let in self.later:
            found = args[:1]
        elif isinstance(op, Apply):
            found = [self.applied(op, args, let)]
        elif isinstance(op, Branch):
            found = self.branch(op, args[0], let)
        elif isinstance(op, Loop):
            found = self.loop(op, args)
        elif isinstance(op, While):
            found = self.while_(op, args)
        elif isinstance(op, Lambda):
            free = free_variables(op.body, self.free)
            if any(target in free for target in let.targets):
                raise NotTaken(f"the function `{let.targets[0]}`, which calls itself")
            found = [Closure(op.body, {var: self.values[var] for var in free})]
        else:
            assert isinstance(op, Call)
            found = self.call(args[0], args[1:])
        self.values.update(zip(let.targets, found, strict=True))

    def applied(self, op: Apply, args: list[Any], let: Let) -> Any:
        """What a primitive gives."""
        new = made(self, op.primitive, args, op.params)
        if new is not None:
            return new
        if not any([isinstance(x, Selected) for x in args]):
            return applied(self, op.primitive, args, op.params, let)
        found = of_selections(
            self, op.primitive, args, op.params, lambda given: applied(self, op.primitive, given, op.params, let))
        return as_object(found, let.targets[0].object)

    def call(self, function: Any, args: Sequence[Any]) -> list[Any]:
        """What a closure gives."""
        if not isinstance(function, Closure):
            raise NotTaken("a function that is not of the program")
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotTaken("calls that stand in one another too deeply")
        self.values.update(function.captured)
        found = self.block(function.block, args)
        self.depth -= 1
        return found

    # -- branches --------------------------------------------------------------------------------------------------

    def branch(self, op: Branch, test: Any, let: Let) -> list[Any]:
        """One block where the test is known, or else both under `cond`. A block that fails is left by the flag."""
        if not is_traced(test):
            return self.block(op.then if test else op.orelse, ())
        test = jnp.asarray(test, bool)
        objects = [target.object for target in let.targets]
        raw: list[Any] = []
        for block in (op.then, op.orelse):
            try:
                raw.append(self.abstract(lambda block=block: self.apart(block, ())[0]))
            except Fails:
                raw.append(None)
        if raw[0] is None and raw[1] is None:
            raise Fails
        if raw[0] is None or raw[1] is None:
            failing, block = (test, op.orelse) if raw[0] is None else (~test, op.then)
            self.failing(failing)
            return self.block(block, ())
        shapes = [merged(a, b, obj) for a, b, obj in zip(*raw, objects, strict=True)]

        frames: list[Frame] = []

        def taken(block: Block) -> Callable[[], Any]:
            def give() -> Any:
                found, frame = self.apart(block, ())
                frames.append(frame)
                return [self.fitted(x, shape) for x, shape in zip(found, shapes, strict=True)], self.told(frame)

            return give

        self.work += SHORT
        found, frame = jax.lax.cond(test, taken(op.then), taken(op.orelse))
        self.joins(frame, frames)
        return found

    def abstract(self, give: Callable[..., list[Any]], *args: Any) -> list[Any]:
        """What a function of values that have these shapes gives: numbers and arrays as shapes, what is known as it
        is."""
        known: list[Any] = []

        def traced(*given: Any) -> list[Any]:
            found = whole(give(*given))
            known.extend(found)
            return [x if is_traced(x) else None for x in found]

        shapes = jax.eval_shape(traced, *args)
        return [x if not is_traced(x) else shape for x, shape in zip(known, shapes, strict=True)]

    def fitted(self, x: Any, shape: Any) -> Any:
        """A value in a structure that branches or turns have in common."""
        return varying(fitted(x, shape), self.axes)

    def told(self, frame: Frame) -> Frame:
        """What was found out, as branches and loops hand it on."""
        return varying(frame.traced(), self.axes)

    # -- loops -----------------------------------------------------------------------------------------------------

    def loop(self, op: Loop, args: list[Any]) -> list[Any]:
        """A `scan` where the length is known, or else a `while_loop` that counts."""
        carries, along = args[: op.carries], args[op.carries :]
        again = read_backwards(op, along)
        if again is not None:
            return back(self, op, whole(carries), along, again)
        along = [written(self, xs) if isinstance(xs, Replayed) else xs for xs in along]
        lengths = [length_of(xs) for xs in along]
        known = [n for n in lengths if isinstance(n, int)]
        if len(known) < len(lengths):
            return self.counted(op, carries, along, next(n for n in lengths if not isinstance(n, int)))
        n = min(known)
        if max(known) != n:
            along = [xs if m == n else cut(xs, slice(m - n, m) if op.reverse else slice(0, n))
                     for xs, m in zip(along, known, strict=True)]
        params = op.body.params
        if n == 0:
            return [*carries, *[[] for _ in op.body.results[op.carries :]]]
        rows = [as_rows(xs, param.object) for xs, param in zip(along, params[op.carries :], strict=True)]
        items = [xs if isinstance(xs, range) else found for xs, found in zip(along, rows, strict=True)]
        if any(isinstance(xs, list) for xs in rows):
            return self.written_out(op, carries, items, n, "a long loop along a list whose items have several sizes")
        if any(isinstance(x, Grown) for x in carries):
            return self.written_out(op, carries, items, n, "a long loop in a loop that makes the same list longer")
        before = self.turns
        try:
            return self.at_once(op, carries, rows, along, n)
        except OfManySizes as error:
            self.turns = before
            return self.written_out(op, carries, items, n, str(error))

    def at_once(self, op: Loop, carries: list[Any], rows: list[Any], along: list[Any], n: int) -> list[Any]:
        """A loop as `scan`, or in little memory. Raises `OfManySizes` where sizes change from turn to turn."""
        params = op.body.params
        items = [jax.eval_shape(lambda xs=xs: xs.at(0)) for xs in rows]
        try:
            shapes = self.carried(op.body, carries, items, runs=True)
            work = n * self.turn
            short = work <= SHORT and jax.default_backend() != "cpu"
            if self.limit is not None and not op.reverse and self.is_too_much(jax.eval_shape(
                    lambda state, items: self.given(op, self.apart(op.body, [*state, *items])[0]), shapes, items), n):
                return self.counted(op, carries, along, n)
            if short:
                self.work += work
                return self.turn_by_turn(
                    op, carries, [xs if isinstance(xs, range) else row for xs, row in zip(along, rows, strict=True)], n)
            return self.scanned(op, carries, rows, n, [], shapes, along)
        except Unequal:
            grown = [i for i, param in enumerate(params[: op.carries]) if isinstance(param.object, List)]
            if not grown:
                raise
            held = [Grown() if i in grown else x for i, x in enumerate(carries)]
            return self.scanned(op, carries, rows, n, grown, self.carried(op.body, held, items), along)

    def scanned(
        self, op: Loop, carries: list[Any], rows: list[Any], n: int, grown: list[int], shapes: list[Any],
        along: list[Any],
    ) -> list[Any]:
        """A loop as `scan`; the lists that it makes longer, `grown` among what it carries, are among what it gives."""
        outputs = [result.object for result in op.body.results[op.carries :]]
        held = [i for i in range(op.carries) if i not in grown]
        work = self.work
        later = stores.unseen(op, along, shapes)
        self.later.update([one.let for one in later])
        frames: list[Frame] = []

        def step(state: Any, items: Any) -> Any:
            carried, frame = state
            for x, xs in zip(items, along, strict=True):
                if isinstance(xs, range) and are_small(xs):
                    self.between(x, min(xs[0], xs[-1]), max(xs[0], xs[-1]))
            given = [Grown() if i in grown else carried[i] for i in range(op.carries)]
            found, more = self.apart(op.body, [*given, *items])
            frames.append(more)
            after = {i: self.fitted(found[i], shapes[i]) for i in held}
            put = {i: [as_object(x, op.body.params[i].object.item) for x in found[i].items] for i in grown}  # type: ignore[attr-defined]
            out = [as_object(x, a) for x, a in zip(found[op.carries :], outputs, strict=True)]
            return (after, self.told(frame.joined(more))), (put, out)

        start = {i: self.fitted(carries[i], shapes[i]) for i in held}
        (last, frame), (put, out) = jax.lax.scan(
            step, (start, self.told(START)), [xs.rows for xs in rows], length=n, reverse=op.reverse)
        self.work = work + SHORT
        self.joins(frame, frames)
        for one in later:
            last[one.carry] = stores.made(self, one, last[one.carry])
        longer = {i: lengthened(carries[i], put[i], n, op.reverse) for i in grown}
        return [*[longer[i] if i in grown else last[i] for i in range(op.carries)], *[Stacked(x, n) for x in out]]

    def carried(self, body: Block, carries: list[Any], items: list[Any], runs: bool = False) -> list[Any]:
        """The shapes of what a loop carries, such that the body keeps them. Where it surely `runs`, what each of its
        turns would ask of the same values is asked before."""
        free = [self.values[var] for var in free_variables(body, self.free)] if runs else []
        outside = {id(x): x for x in free if is_traced(x)}
        objects = [param.object for param in body.params[: len(carries)]]
        shapes = [x if isinstance(x, Grown) else shape_of(x, a) for x, a in zip(carries, objects, strict=True)]
        grown = [isinstance(x, Grown) for x in carries]

        def give(state: Any, given: Any) -> list[Any]:
            lists = [Grown() if grows else x for x, grows in zip(state, grown, strict=True)]
            work = self.work
            found = self.apart(body, [*lists, *given], outside)[0][: len(carries)]
            self.turn, self.work = self.work - work, work
            if any(grows and not isinstance(x, Grown) for x, grows in zip(found, grown, strict=True)):
                raise NotTaken(IN_SOME_TURNS)
            return [None if grows else x for x, grows in zip(found, grown, strict=True)]

        for _ in range(3):
            before, self.postponed = self.postponed, []
            try:
                found = self.abstract(give, [None if isinstance(x, Grown) else x for x in shapes], items)
            finally:
                asked, self.postponed = self.postponed, before
            after = [a if isinstance(a, Grown) else merged(a, b, obj, first=x)
                     for a, b, obj, x in zip(shapes, found, objects, carries, strict=True)]
            if same(after, shapes):
                for x, low, high in asked:
                    inside(self, x, low, high)
                return shapes
            shapes = after
        raise NotTaken("a value whose size changes in a loop")

    def written_out(self, op: Loop, carries: list[Any], rows: list[Any], n: int, why: str) -> list[Any]:
        """A short loop turn by turn; `why` says why a long one is not taken."""
        self.turns += n
        if n > UNROLLED or self.turns > TURNS:
            raise NotTaken(why)
        return self.turn_by_turn(op, carries, rows, n)

    def turn_by_turn(self, op: Loop, carries: list[Any], rows: list[Any], n: int) -> list[Any]:
        """A loop without a loop."""
        given: list[list[Any]] = [[] for _ in op.body.results[op.carries :]]
        for i in reversed(range(n)) if op.reverse else range(n):
            items = [xs[i] if isinstance(xs, (list, range)) else xs.at(i) for xs in rows]
            found = self.block(op.body, [*carries, *items])
            carries = found[: op.carries]
            for column, x in zip(given, found[op.carries :], strict=True):
                column.append(x)
        if op.reverse:
            given = [column[::-1] for column in given]
        return [*carries, *given]

    def counted(self, op: Loop, carries: list[Any], along: list[Any], n: Any) -> list[Any]:
        """A loop that counts its turns, as one whose length is known only when it runs."""
        params = op.body.params[op.carries :]
        rows = [xs if isinstance(xs, Span) else as_rows(xs, param.object)
                for xs, param in zip(along, params, strict=True)]
        if any(isinstance(xs, list) for xs in rows):
            raise NotTaken("a loop along lists of several lengths")

        def items(place: Any) -> list[Any]:
            return [as_object(xs.at(place), param.object) for xs, param in zip(rows, params, strict=True)]

        shapes = self.carried(op.body, whole(carries), jax.eval_shape(lambda: items(0)))
        def give(state: list[Any]) -> list[Any]:
            return self.given(op, self.apart(op.body, [*state, *items(0)])[0])

        self.work += SHORT
        tape = self.tape(op, rows, shapes, give, n)
        frames = [Frame(False, tape.needed(n))]

        def step(state: Any) -> Any:
            k, carried, frame, kept = state
            place = n - 1 - k if op.reverse else k
            found, more = self.apart(op.body, [*carried, *items(place)])
            frames.append(more)
            after = [self.fitted(x, shape) for x, shape in zip(found[: op.carries], shapes, strict=True)]
            return k + 1, after, self.told(frame.joined(more)), tape.turned(kept, place, carried, self.given(op, found))

        start = [self.fitted(x, shape) for x, shape in zip(carries, shapes, strict=True)]
        frame = self.told(frames[0])
        _, last, frame, kept = jax.lax.while_loop(
            lambda state: (state[0] < n) & ~state[2].failed, step,
            (jnp.asarray(0, jnp.asarray(n).dtype), start, frame, tape.start))
        self.joins(frame, frames)
        return [*last, *tape.lists(kept, n)]

    def given(self, op: Loop | While, found: list[Any]) -> list[Any]:
        """What a turn gives to lists, of what its block gives."""
        results = op.body.results[op.carries :]
        return [as_object(x, result.object) for x, result in zip(found[op.carries :], results, strict=True)]

    def tape(
        self, op: Loop | While, rows: list[Any], shapes: list[Any], give: Callable[..., list[Any]], n: Any = None
    ) -> Written | Checkpoints:
        """How that is kept which a loop gives in its turns, of which `give` has the shapes."""
        if len(op.body.results) == op.carries:
            return Written([])
        items = jax.eval_shape(give, shapes)
        number = n if isinstance(n, int) else self.capacity
        forwards = isinstance(op, While) or not op.reverse
        if forwards and ((self.inside and number is not n) or self.is_too_much(items, number)):
            return Checkpoints(self, op, rows, shapes, items)
        return Written(self.memory_of(items, number), number is n)

    def is_too_much(self, items: Any, n: int) -> bool:
        """Whether what a loop gives in so many turns takes more memory than it may."""
        return self.limit is not None and n * size(items) > self.limit

    def memory_of(self, shapes: Any, number: int) -> Any:
        """Memory for so many items."""
        memory = jax.tree_util.tree_map(lambda x: jnp.zeros((number, *x.shape), x.dtype), shapes)
        return varying(memory, self.axes)

    def while_(self, op: While, args: list[Any]) -> list[Any]:
        """A `while_loop`."""
        carries = len(args)
        shapes = self.carried(op.body, whole(args), [])
        tape = self.tape(op, [], shapes, lambda state: self.given(op, self.apart(op.body, state)[0]))
        frames: list[Frame] = []

        def test(carried: list[Any]) -> tuple[Any, Frame]:
            found, frame = self.apart(op.test, carried)
            frames.append(frame)
            return jnp.asarray(found[0], bool), frame

        def step(state: Any) -> Any:
            k, carried, frame, kept, _ = state
            found, more = self.apart(op.body, carried)
            frames.append(more)
            after = [self.fitted(x, shape) for x, shape in zip(found[:carries], shapes, strict=True)]
            on, tested = test(after)
            frame = self.told(frame.joined(more).joined(tested))
            return k + 1, after, frame, tape.turned(kept, k, carried, self.given(op, found)), on & ~frame.failed

        start = [self.fitted(x, shape) for x, shape in zip(args, shapes, strict=True)]
        on, tested = test(start)
        on &= True if self.frame.is_empty else ~self.told(self.frame).failed  # else it might never end
        k, last, frame, kept, _ = jax.lax.while_loop(
            lambda state: state[4], step, (jnp.asarray(0, "int32"), start, self.told(tested), tape.start, on))
        self.joins(frame, frames)
        needed = Frame(False, tape.needed(k))
        self.joins(needed, [needed])
        return [*last, *tape.lists(kept, k)]


def whole(values: list[Any]) -> list[Any]:
    """Values none of which is a list that a loop makes longer."""
    if any(isinstance(x, Grown) for x in values):
        raise NotTaken(IN_SOME_TURNS)
    return values
