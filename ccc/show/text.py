"""Terms as one writes them on the board: the slides' combinators, binary, composition ` o ` with the first arrow first.

    (x, w, b)        is ((x, w), b)                        products are left-nested pairs
    x, w, b          are proj_left o proj_left, proj_left o proj_right, proj_right
    prod(q o proj_left, q o proj_right)  is  q             product eta: a pair that exists already is not taken apart

Short terms are one line. Longer ones are in let-form: one step a line, and what is shared or large has a name.

>>> from ccc.arrows import Prim, Prod, Proj
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives.arithmetic import add, mul
>>> pair, triple = Product((REAL, REAL)), Product((REAL, REAL, REAL))
>>> r1 = Prod((Proj(triple, 0), Proj(triple, 1))) >> Prim(mul, pair, REAL)
>>> print(board(Prod((r1, Proj(triple, 2))) >> Prim(add, pair, REAL)))
prod(proj_left o mult, proj_right) o add

References: *The Differentiable Curry* ("Recipe for AD: compile first to CCC algebra").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any

from ccc.arrows import Arrow, Const, Curry, Fix, Prim, Scan, Unfold
from ccc.denotation import functor
from ccc.objects import Exponential, Object, Product

ON_THE_BOARD = {"mul": "mult"}  # primitives that the slides call by another name
WIDTH = 20  # a term of more nodes than this is written in let-form
SHARED = 4  # a shared subterm of at least this many nodes gets a name
LEFT, RIGHT, TERMINAL = "proj_left", "proj_right", "terminal"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of a composite: a combinator and its arguments. `size` counts nodes, up to a bound."""

    head: str
    arguments: tuple[Written, ...] = ()
    size: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """An arrow on the board: a composite of steps, the identity having none."""

    steps: tuple[Step, ...]
    size: int


class Board:
    """The category of written arrows. Equal arrows are one object, so that sharing is seen."""

    def __init__(self) -> None:
        self.steps: dict[Any, Step] = {}
        self.composites: dict[Any, Written] = {}
        self.order: list[Written] = []

    def step(self, head: str, *arguments: Written) -> Step:
        key = (head, *map(id, arguments))
        if key not in self.steps:
            size = min(1 + sum(max(a.size, 1) for a in arguments), WIDTH + 1)
            self.steps[key] = Step(head, arguments, size)
        return self.steps[key]

    def written(self, steps: tuple[Step, ...]) -> Written:
        key = tuple(map(id, steps))
        if key not in self.composites:
            self.composites[key] = Written(steps, min(sum(_nodes(steps, lambda step: step.size)), WIDTH + 1))
            self.order.append(self.composites[key])
        return self.composites[key]

    def one(self, head: str, *arguments: Written) -> Written:
        return self.written((self.step(head, *arguments),))

    def identity(self, a: Object) -> Written:
        return self.written(())

    def compose(self, *arrows: Written) -> Written:
        return self.written(self.folded([step for f in arrows for step in f.steps]))

    def folded(self, steps: list[Step]) -> tuple[Step, ...]:
        """The same steps, a scan whose outputs are all dropped being a fold."""
        found: list[Step] = []
        for step in steps:
            loop = found[-1] if found and step.head == LEFT else None
            if loop is not None and loop.head.startswith("scan") and (body := self.step_of_fold(loop)) is not None:
                found[-1] = self.step(loop.head.replace("scan", "fold"), body)
            else:
                found.append(step)
        return tuple(found)

    def step_of_fold(self, loop: Step) -> Written | None:
        """The step `f` of a scan whose body is `prod(f, terminal)`."""
        body = loop.arguments[0].steps
        if len(body) == 1 and body[0].head == "prod":
            f, outputs = body[0].arguments
            if [step.head for step in outputs.steps] == [TERMINAL]:
                return f
        return None

    def terminal(self, a: Object) -> Written:
        return self.one(TERMINAL)

    def prod(self, *arrows: Written) -> Written:
        return reduce(self.pair, arrows)

    def pair(self, f: Written, g: Written) -> Written:
        ends = [arrow.steps[-1].head for arrow in (f, g) if arrow.steps]
        if ends == [LEFT, RIGHT] and f.steps[:-1] == g.steps[:-1]:
            return self.written(f.steps[:-1])
        return self.one("prod", f, g)

    def proj(self, a: Product, index: int) -> Written:
        left = self.step(LEFT)
        if index == 0:
            return self.written((left,) * (len(a.parts) - 1))
        return self.written((*(left,) * (len(a.parts) - 1 - index), self.step(RIGHT)))

    def curry(self, body: Written, term: Curry) -> Written:
        return self.one("curry", body)

    def eval(self, function: Exponential) -> Written:
        return self.one("eval")

    def const(self, term: Const) -> Written:
        return self.one(f"const({literal(term.value, term.cod)})")

    def primitive(self, term: Prim) -> Written:
        given = ", ".join(f"{key}={literal(value, None)}" for key, value in term.params)
        name: str = term.primitive.name
        symbol = ON_THE_BOARD.get(name, name)
        return self.one(f"{symbol}[{given}]" if given else symbol)

    def metavariable(self, name: str) -> Written:
        """An arrow of a law, which is shown by its name."""
        return self.one(name)

    def cond(self, test: Written, then: Written, orelse: Written) -> Written:
        return self.one("cond", test, then, orelse)

    def iterate(self, test: Written, body: Written) -> Written:
        return self.one("iterate", test, body)

    def unfold(self, test: Written, body: Written, term: Unfold) -> Written:
        return self.one("unfold", test, body)

    def scan(self, body: Written, term: Scan) -> Written:
        return self.one("scan_reverse" if term.reverse else "scan", body)

    def fix(self, body: Written, term: Fix) -> Written:
        return self.one("fix", body)


def _nodes(steps: tuple[Step, ...], size: Callable[[Step], int]) -> Iterator[int]:
    """The sizes of the steps; a run of projections is one node."""
    for projections, group in groupby(steps, _is_projection):
        if projections:
            yield 1
        else:
            yield from map(size, group)


def _is_projection(step: Step) -> bool:
    return step.head in (LEFT, RIGHT)


def literal(value: Any, a: Object | None) -> str:
    """A constant in a few characters; what has no short text is shown by its object.

    >>> literal(2.0, None), literal(len, None), literal(list(range(100)), Product(()))
    ('2.0', 'len', '1')
    """
    known = getattr(value, "__name__", None)
    text = known if isinstance(known, str) else repr(value)
    return text if len(text) <= 24 and "\n" not in text and " at 0x" not in text else str(a or type(value).__name__)


def board(arrow: Arrow) -> str:
    """The arrow in the slides' notation.

    >>> from ccc.arrows import Curry, Id
    >>> from ccc.objects import REAL, Product
    >>> board(Curry(Id(Product((REAL, REAL)))))
    'curry(id)'
    """
    table = Board()
    top: Written = functor(table, arrow)
    if top.size <= WIDTH:
        return _line(top, {})
    return _let_form(top, _names(top, table.order))


def _names(top: Written, order: list[Written]) -> dict[int, str]:
    """Names for what occurs more than once or is large; by identity, in the order in which arrows were written."""
    uses: dict[int, int] = {}
    seen: set[int] = {id(top)}
    todo = [top]
    while todo:
        for step in todo.pop().steps:
            for argument in step.arguments:
                uses[id(argument)] = uses.get(id(argument), 0) + 1
                if id(argument) not in seen:
                    seen.add(id(argument))
                    todo.append(argument)
    names: dict[int, str] = {}
    shown: dict[int, int] = {}  # how many nodes an arrow takes where it is used
    for written in order:
        if id(written) in seen:
            size = sum(_nodes(written.steps, lambda step: 1 + sum(shown[id(a)] for a in step.arguments)))
            shared = uses.get(id(written), 0) > 1 and size >= SHARED
            if written is not top and (shared or size > WIDTH):
                names[id(written)] = f"f{len(names) + 1}"
            shown[id(written)] = 1 if id(written) in names else max(size, 1)
    return names


def _let_form(top: Written, names: dict[int, str]) -> str:
    found: dict[int, Written] = {}
    todo = [top]
    while todo:
        for step in todo.pop().steps:
            for argument in step.arguments:
                if id(argument) not in found:
                    found[id(argument)] = argument
                    todo.append(argument)
    lines: list[str] = []
    for key, name in names.items():
        first, *rest = _block(found[key], names)
        lines += [f"{name} = {first}", *("  " + line for line in rest)]
    body = _block(top, names)
    if not lines:
        return "\n".join(body)
    return "\n".join(["let", *("  " + line for line in lines), "in", *("  " + line for line in body)])


def _block(written: Written, names: dict[int, str]) -> list[str]:
    """One line if it is short, else one step a line."""
    texts = _steps(written, names)
    line = " o ".join(texts)
    if len(line) <= 80:
        return [line or "id"]
    return [texts[0], *("o " + text for text in texts[1:])]


def _line(written: Written, names: dict[int, str]) -> str:
    """The arrow on one line; nesting is shallow because what is large has a name."""
    return names.get(id(written)) or " o ".join(_steps(written, names)) or "id"


def _steps(written: Written, names: dict[int, str]) -> list[str]:
    """The texts of the steps; a run of projections is one step, and a long run of one projection a power."""
    texts: list[str] = []
    for projections, group in groupby(written.steps, _is_projection):
        if projections:
            texts.append(_path([step.head for step in group]))
        else:
            texts += [_call(step, names) for step in group]
    return texts


def _path(heads: list[str]) -> str:
    runs = [(head, len(list(group))) for head, group in groupby(heads)]
    return " o ".join(f"{head}^{n}" if n > 3 else " o ".join([head] * n) for head, n in runs)


def _call(step: Step, names: dict[int, str]) -> str:
    return f"{step.head}({', '.join([_line(a, names) for a in step.arguments])})" if step.arguments else step.head
