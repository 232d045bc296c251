"""Elements of which nothing is known: points that only have a name, and sums of names in a free commutative monoid.

A combinator that treats its objects alike only passes points on, and knows of cotangents that they have 0 and +. What
else is asked of them stops the run (`Stuck`): the answer is not decided.

    Point      a value of an object of which a law says nothing
    Truth      a truth value; a test of it splits the run in two cases
    Form       n1 a1 + n2 a2 + ...: a cotangent or tangent of a point, none of whose atoms is known to vanish

>>> f = Form(("x",), {"a": 1}) + Form(("x",), {"b": 2, "a": 1})
>>> sorted(f.atoms.items())
[('a', 2), ('b', 2)]
>>> sorted(every_case(lambda cases: (cases.decide("p"), cases.decide("q"))))
[(False, False), (False, True), (True, False), (True, True)]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn, TypeVar

from ccc.additive import Zero
from ccc.errors import CotangentMismatch

Term = Hashable
"""A normal form: equal terms are equal elements."""
T = TypeVar("T")
QUESTIONS = 14


class Stuck(Exception):
    """What happens depends on more than is known; nothing is decided."""


class Cases:
    """Answers to questions that are open: those given are remembered, a new question is answered with no.

    `level` is how many functions are being read back. A question names their arguments from inside out, so that it is
    the same question wherever it is asked.

    >>> cases = Cases({"p": True})
    >>> cases.decide("p"), cases.decide("q"), cases.answers
    (True, False, {'p': True, 'q': False})
    """

    def __init__(self, answers: dict[Term, bool] | None = None) -> None:
        self.answers: dict[Term, bool] = dict(answers or {})
        self.level = 0

    def begin(self, answers: dict[Term, bool]) -> None:
        """Another case, in which these questions have these answers."""
        self.answers, self.level = dict(answers), 0

    def decide(self, question: Term) -> bool:
        """The answer in this case."""
        if self.level:
            question = renumbered(question, lambda n, depth: ("out", self.level - n))
        return self.answers.setdefault(question, False)


def every_case(run: Callable[[Cases], T], limit: int = QUESTIONS) -> Iterator[T]:
    """What `run` gives in every case that it asks for, one after another; all are of one object, so what is made of it
    without a question serves in each of them (`prepared`).

    Raises `Stuck` where it asks more than `limit` questions.
    """
    known: dict[Term, bool] = {}
    cases = Cases()
    while True:
        cases.begin(known)
        yield run(cases)
        if len(cases.answers) > limit:
            raise Stuck(f"there are more than {limit} questions")
        open_questions = [question for question, answer in cases.answers.items() if not answer]
        if not open_questions:
            return
        last = open_questions[-1]
        asked = list(cases.answers)
        known = {question: cases.answers[question] for question in asked[: asked.index(last)]} | {last: True}


def prepared(make: Callable[[Cases], T]) -> Callable[[Cases], T]:
    """What `make` gives, made once for all cases of a run if that asks nothing, and in each case if it does.

    >>> made = []
    >>> ready = prepared(lambda cases: made.append(cases) or cases)
    >>> list(every_case(lambda cases: ready(cases).decide("p"))), len(made)
    ([False, True], 1)
    """
    kept: list[tuple[Cases, T]] = []

    def ready(cases: Cases) -> T:
        for known, found in kept:
            if known is cases:
                return found
        asked = len(cases.answers)
        found = make(cases)
        if len(cases.answers) == asked:
            kept[:] = [(cases, found)]
        return found

    return ready


def renumbered(term: Any, rename: Callable[[int, int], Term], depth: int = 0) -> Any:
    """A term with other names for its bound points; `rename` gets the number of one and how many functions it is in.

    >>> renumbered(("function", ("f", ("bound", 0))), lambda n, depth: ("bound", n + depth))
    ('function', ('f', ('bound', 1)))
    """
    if type(term) is not tuple:
        whole = isinstance(term, frozenset)
        return frozenset([renumbered(part, rename, depth) for part in term]) if whole else term  # type: ignore[reportUnknownVariableType]
    if len(term) == 2 and term[0] == "bound":  # type: ignore[reportUnknownArgumentType]
        return rename(term[1], depth)  # type: ignore[reportUnknownArgumentType]
    inside = depth + (term[:1] == ("function",))
    return tuple([renumbered(part, rename, inside) for part in term])  # type: ignore[reportUnknownVariableType]


def closed(term: Term, level: int) -> Term:
    """What is said of the bound point of this number, as a function: the point is how many functions it is inside of.

    >>> closed(("app", "f", ("bound", 3)), 3)
    ('function', ('app', 'f', ('index', 1)))
    """
    return renumbered(("function", term), lambda n, depth: ("index", depth) if n == level else ("bound", n))


def _unknown(self: Any, *args: Any) -> NoReturn:
    raise Stuck(f"{self!r} is looked into")


class Point:
    """A value that is its name."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    def __repr__(self) -> str:
        return written_term(self.term)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = __call__ = __float__ = __int__ = __index__ = _unknown
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _unknown


class Truth(Point):
    """A truth value that is its name; a program that tests it goes both ways."""

    __slots__ = ("cases",)

    def __init__(self, term: Term, cases: Cases) -> None:
        super().__init__(term)
        self.cases = cases

    def __bool__(self) -> bool:  # type: ignore[reportIncompatibleVariableOverride]
        return self.cases.decide(("holds", self.term))


class Form:
    """A sum of atoms, each so many times, in the free commutative monoid of cotangents of one point.

    Raises `CotangentMismatch` where it is added to a cotangent of another point.
    """

    __slots__ = ("atoms", "space")

    def __init__(self, space: Term, atoms: dict[Any, int]) -> None:
        self.space = space
        self.atoms = atoms

    def __add__(self, other: Any) -> Form:
        if isinstance(other, Zero):
            return self
        if not isinstance(other, Form) or other.space != self.space:
            raise CotangentMismatch(f"cotangents of {written_term(self.space)} and of something else were added")
        return Form(self.space, {a: self.atoms.get(a, 0) + other.atoms.get(a, 0) for a in self.atoms | other.atoms})

    __radd__ = __add__

    def __repr__(self) -> str:
        return written_sum(self.atoms)

    __eq__ = __ne__ = __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = _unknown
    __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = _unknown


def written_sum(atoms: Any) -> str:
    """A sum of atoms as a reader of mathematics writes it.

    >>> written_sum({("seed", 0): 1}), written_sum({})
    ('seed 0', '0')
    """
    found = [f"{n} " * (n != 1) + written_term(atom) for atom, n in dict(atoms).items()]
    return " + ".join(sorted(found)) or "0"


def written_term(term: Any) -> str:
    """A normal form as a reader of mathematics writes it.

    >>> written_term(("of", "f", ("tuple", "x", "y"))), written_term(("at", 0, ("of", "f", "x")))
    ('f(x, y)', 'f(x).0')
    """
    match term:
        case frozenset():
            return written_sum(term)
        case ("of", name, ("tuple", *parts)):
            return f"{name}({', '.join(map(written_term, parts))})"
        case ("of", name, argument):
            return f"{name}({written_term(argument)})"
        case ("app", function, argument):
            return f"{written_term(function)}({written_term(argument)})"
        case ("at", index, whole):
            return f"{written_term(whole)}.{written_term(index)}"
        case ("tuple", *parts):
            return f"({', '.join(map(written_term, parts))})"
        case ("index" | "bound", depth):
            return "s" if depth == 1 else f"s{depth}"
        case ("function", ("tuple", value)):
            return f"(s ↦ {written_term(value)})"
        case ("function", body):
            return f"(s ↦ {written_term(body)})"
        case ("linear", ("seed", *_), path, ()):
            return "γ" + "".join(f".{i}" for i in path)
        case ("G", of):
            return f"G[{written_term(of)}]"
        case ("linear", (_, of), path, atom):
            return f"∂{written_term(of)}" + "".join(f".{i}" for i in path) + f"[{written_term(atom)}]"
        case ("call", argument, atom):
            return f"{{{written_term(argument)} ↦ {written_term(atom)}}}"
        case tuple():
            return " ".join(map(written_term, term))
        case _:
            return str(term)
