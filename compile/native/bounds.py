"""What integers of a program are: linear forms in sizes and in the numbers of runs, from which follows that

    an operation on integers does not overflow                              (`exact`)
    an index names an item of its array, counted from the front             (`inside`)
    all items of a new array are written before anything reads them         (`covered`)

    values = np.zeros(31 * p)                  all of [0, 31 p) is written below
    for i in range(p):
        for k in range(30):
            values[30 * i + k] = ...           30 i + k < 30 p
        values[30 * p + i] = ...               [30 p, 31 p)

What is written is a box: an interval, moved by multiples of the numbers of runs. A box whose interval is as long as it
is moved is a longer interval; two that begin where the other ends are one.

Reference: Feautrier, Dataflow Analysis of Array and Scalar References, 1991, for forms of this kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import field
from typing import Any, TypeAlias

from ccc.compile.native.table import applies, known
from ccc.compile.program.lam import Apply, Block, Branch, Let, Lit, Loop, Var
from ccc.compile.program.sharing import is_written
from ccc.objects import Array, Int, List
from ccc.primitives import arithmetic, structure
from ccc.primitives.primitive import Primitive, elementwise
from ccc.values import value

Symbol: TypeAlias = Var | tuple[Var, int] | str
"""The size of an array along an axis (array, axis), the length of a list, the number of a run of a loop; a name in
examples."""
LARGEST = 2**47
"""What a size is less than: more does not fit into memory."""
FITS = 2**62


@value()
class Form:
    """An integer, and multiples of symbols.

    >>> Form({"n": 2}, 1) - Form({"n": 2}, 3)
    Form(terms={}, constant=-2)
    """

    terms: dict[Symbol, int] = field(default_factory=dict[Symbol, int])
    constant: int = 0

    def __add__(self, other: Form) -> Form:
        terms = Counter(self.terms)
        for symbol, n in other.terms.items():
            terms[symbol] += n
        return Form({symbol: n for symbol, n in terms.items() if n}, self.constant + other.constant)

    def __neg__(self) -> Form:
        return self.times(-1)

    def __sub__(self, other: Form) -> Form:
        return self + -other

    def __mul__(self, other: Form) -> Form | None:
        """The product, where one of the two is a number."""
        if self.terms and other.terms:
            return None
        return self.times(other.constant) if self.terms else other.times(self.constant)

    def times(self, n: int) -> Form:
        return Form({symbol: n * m for symbol, m in self.terms.items() if n * m}, self.constant * n)


@value()
class Box:
    """The places from `start` on, `length` of them, moved by multiples of the numbers of some runs."""

    start: Form
    length: Form
    steps: dict[Symbol, int]


class Bounds:
    """What is known of the integers of a program."""

    def __init__(self, block: Block, uses: Counter[Var], unmade: Set[Var] = frozenset()) -> None:
        self.uses = uses
        self.unmade = unmade  # what has other sizes than what its loop begins with
        self.forms: dict[Var, Form] = {}
        self.ranges: dict[Var, tuple[Form, Form]] = {}  # where they begin, and how many integers they are
        self.shapes: dict[Var, tuple[Form | None, ...]] = {}
        self.runs: dict[Symbol, Form] = {}  # how many there are, by the number of a run
        self.from_zero: list[Var] = []  # numbers of runs that are those of a range from 0 on
        self.exact: set[Let] = set()
        self.inside: set[Let] = set()
        self.covered: set[Let] = set()
        self.here: dict[Symbol, int] = {}  # sizes that the branches around have found to be these numbers
        self.walk(block)

    # -- forms -----------------------------------------------------------------------------------------------------

    def form(self, x: Any) -> Form | None:
        """An integer as a form."""
        if isinstance(x, Lit):
            return Form({}, x.value) if type(x.value) is int else None
        return self.forms.get(x)

    def shape(self, x: Any) -> tuple[Form | None, ...]:
        """The sizes of an array."""
        if not isinstance(x, Var) or not isinstance(x.object, Array):
            return ()
        if x not in self.shapes:
            self.shapes[x] = tuple([Form({}, 1) if kind == "1" else Form({(x, axis): 1})
                                    for axis, kind in enumerate(x.object.axes or ())])
        return self.shapes[x]

    def least(self, form: Form) -> Form:
        """A form of sizes alone that is never above another one, in which numbers of runs may stand."""
        while True:
            run = next((symbol for symbol in reversed(form.terms) if symbol in self.runs), None)
            if run is None:
                known = sum([n * self.here[x] for x, n in form.terms.items() if x in self.here])
                return Form({x: n for x, n in form.terms.items() if x not in self.here}, form.constant + known)
            n = form.terms[run]
            rest = Form({symbol: m for symbol, m in form.terms.items() if symbol is not run}, form.constant)
            form = rest if n > 0 else rest + (self.runs[run] - Form({}, 1)).times(n)

    def not_negative(self, form: Form) -> bool:
        least = self.least(form)
        return least.constant >= 0 and all(n >= 0 for n in least.terms.values())

    def size(self, form: Form) -> int:
        """What the absolute value of a form is less than."""
        return 1 + abs(form.constant) + sum([
            abs(n) * (self.size(self.runs[symbol]) if symbol in self.runs else LARGEST)
            for symbol, n in form.terms.items()
        ])  # fmt: skip

    # -- blocks ----------------------------------------------------------------------------------------------------

    def walk(self, block: Block) -> None:
        for let in block.lets:
            if isinstance(let.op, Apply):
                self.apply(let, let.op)
            elif isinstance(let.op, Loop):
                self.loop(let, let.op)
            elif isinstance(let.op, Branch):
                before = self.here
                self.here = before | self.known_where(let.args[0])
                self.walk(let.op.then)
                self.here = before
                self.walk(let.op.orelse)
            else:
                for inner in let.op.blocks:
                    self.walk(inner)
        for let in block.lets:
            if known(let).sizes is not None and self.written(block, let):
                self.covered.add(let)

    def known_where(self, test: Any) -> dict[Symbol, int]:
        """The sizes that are numbers where a test is true: `n == 3`, or two such tests."""
        let = test.definition if isinstance(test, Var) else None
        args: list[Any] = let.args if let is not None else []
        if applies(let, arithmetic.both):
            return self.known_where(args[0]) | self.known_where(args[1])
        a, b = map(self.form, args) if applies(let, arithmetic.equal) else (None, None)
        single = a is not None and b is not None and not a.constant and list(a.terms.values()) == [1]
        return dict.fromkeys(a.terms, b.constant) if single and not b.terms else {}  # type: ignore[union-attr]

    def apply(self, let: Let, op: Apply) -> None:
        p, facts, target = op.primitive, known(let), let.targets[0] if let.targets else None
        if target is None:
            return
        if p.axis is not None:
            sizes, axis = self.shape(let.args[0]), p.axis(op.params)
            found = sizes[axis] if -len(sizes) <= axis < len(sizes) else None
            if found is not None:
                self.forms[target] = found
            elif isinstance(let.args[0].object, List):
                self.forms[target] = Form({target: 1})
        elif facts.exact is not None and isinstance(target.object, Int):
            self.calculated(p, let, target)
        elif applies(let, structure.span) and len(let.args) <= 2:
            start, stop = [self.form(x) for x in (Lit(0, let.args[0].object), *let.args)[-2:]]
            if start is not None and stop is not None:
                self.ranges[target] = start, stop - start
        elif facts.sizes is not None:
            self.shapes[target] = tuple(map(self.form, let.args[facts.sizes :]))
        elif (first := p.writes or p.reads) is not None:
            array, numbers = let.args[0], let.args[first:]
            if p.writes is not None:
                self.shapes[target] = self.shape(array)
            if set(op.params.get("pattern") or ()) == {"i"} and self.holds(self.shape(array), numbers):
                self.inside.add(let)
        elif (like := p.like_of(op.params)) is not None and isinstance(target.object, Array):
            found = self.shape(let.args[like])
            if len(found) == len(target.object.axes or ()):
                self.shapes[target] = found
        elif op.primitive.type_rule is elementwise and isinstance(target.object, Array) and target.object.axes:
            self.shapes[target] = self.broadcast(let.args, len(target.object.axes))

    def broadcast(self, args: Sequence[Any], rank: int) -> tuple[Form | None, ...]:
        """The sizes of an elementwise result: where types do not say 1, those of all arguments are equal, which the
        code checks."""
        one = Form({}, 1)
        found: list[Form | None] = [one] * rank
        for x in reversed(args):
            kinds = x.object.axes if isinstance(x.object, Array) else ()
            if kinds is None:
                return (None,) * rank
            sizes = self.shape(x)
            if len(sizes) != len(kinds):
                sizes = (None,) * len(kinds)
            for i, (kind, size) in enumerate(zip(kinds, sizes, strict=True), rank - len(kinds)):
                found[i] = found[i] if kind == "1" or size == one else size
        return tuple(found)

    def calculated(self, p: Primitive, let: Let, target: Var) -> None:
        """A sum, difference, product or negative: what these do to forms."""
        given = [form for x in let.args if (form := self.form(x)) is not None]
        found: Form | None = p.value(*given) if len(given) == len(let.args) else None
        if found is not None and max(map(self.size, (*given, found))) < FITS:
            self.forms[target] = found
            self.exact.add(let)

    def holds(self, sizes: tuple[Form | None, ...], numbers: Any) -> bool:
        """Whether an array of these sizes has the item with these indices."""
        places = [self.form(x) for x in numbers]
        return len(places) <= len(sizes) and all(
            n is not None and i is not None and self.not_negative(i)
            and self.not_negative(n - i - Form({}, 1))
            for n, i in zip(sizes, places, strict=False))  # fmt: skip

    def loop(self, let: Let, op: Loop) -> None:
        body = op.body
        for param, target, x in zip(body.params[: op.carries], let.targets, let.args, strict=False):
            if isinstance(param.object, Array) and param not in self.unmade:  # it keeps its sizes: the code checks
                self.shapes[param] = self.shapes[target] = self.shape(x)
        for param, x in zip(body.params[op.carries :], let.args[op.carries :], strict=True):
            if x in self.ranges:
                start, count = self.ranges[x]  # type: ignore[index]
                self.runs[param] = count
                if start == Form():
                    self.from_zero.append(param)
                self.forms[param] = start + Form({param: 1})
        self.walk(body)

    # -- what is written -------------------------------------------------------------------------------------------

    def written(self, block: Block, new: Let) -> bool:
        """Whether all items of a new array are written before anything reads them."""
        now = new.targets[0]
        sizes = self.shapes[now]
        if len(sizes) != 1 or sizes[0] is None:
            return False
        boxes: list[Box] = []
        for found in self.writes(block, now, None, []):
            boxes += found
            if not found:
                return False
            boxes = united(boxes, self.runs)
            if any(not b.steps and b.start == Form() and b.length == sizes[0] for b in boxes):
                return True
        return False

    def writes(self, block: Block, now: Var, result: Any, around: list[Symbol]) -> Iterator[list[Box]]:
        """The boxes that a block writes to, by what it does one after the other; [] where it does more."""
        while now is not result:
            let = next((let for let in block.lets if now in let.args), None)
            if let is None or self.uses[now] != 1:
                yield []
                return
            op = let.op
            if let in self.inside and is_written(op) and let.args[0] is now:
                now = let.targets[0]
                yield [self.box(self.form(let.args[2]), around)]
            elif isinstance(op, Loop) and now in let.args[: op.carries] and self.goes_through(let, op):
                k = let.args.index(now)
                inner = [*around, op.body.params[op.carries]]
                found = list(self.writes(op.body, op.body.params[k], op.body.results[k], inner))
                now = let.targets[k]
                yield [box for boxes in found for box in boxes] if [] not in found else []
            else:
                yield []
                return
        if self.uses[now] != 1:
            yield []

    def goes_through(self, let: Let, op: Loop) -> bool:
        """Whether a loop runs for all integers of a range from 0 on."""
        sequences = let.args[op.carries :]
        if len(sequences) != 1 or sequences[0] not in self.ranges:
            return False
        start, count = self.ranges[sequences[0]]  # type: ignore[index]
        return start == Form() and self.not_negative(count)

    def box(self, place: Any, around: list[Symbol]) -> Box:
        steps = {run: place.terms.get(run, 0) for run in around}
        rest = Form({symbol: n for symbol, n in place.terms.items() if symbol not in steps}, place.constant)
        return Box(rest, Form({}, 1), steps)


def united(boxes: list[Box], runs: dict[Symbol, Form]) -> list[Box]:
    """Boxes that hold the same places, fewer of them."""
    changed = True
    while changed:
        boxes, changed = [longer(box, runs) for box in boxes], False
        for a in boxes:
            end = a.start + a.length
            b = next((b for b in boxes if b is not a and b.steps == a.steps and b.start == end), None)
            if b is not None:
                joined = Box(a.start, a.length + b.length, a.steps)
                boxes, changed = [joined, *[x for x in boxes if x is not a and x is not b]], True
                break
    return boxes


def longer(box: Box, runs: dict[Symbol, Form]) -> Box:
    """A box as one that is moved by less."""
    for run, step in box.steps.items():
        if box.length == Form({}, step) and not any(symbol in runs for symbol in runs[run].terms):
            rest = {other: n for other, n in box.steps.items() if other is not run}
            return longer(Box(box.start, runs[run].times(step), rest), runs)
    return box
