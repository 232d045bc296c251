"""What laws are checked of: a category over a domain of numbers, and how its arrows are compared.

>>> from ccc.categories.reverse import Reverse
>>> subject_of(Reverse(base=EXACT)).name, "curry" in subject_of(Functions).features
('Reverse(Delta)', True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from inspect import signature
from typing import Any, Literal

from ccc.categories.chad import CHAD
from ccc.categories.dialectica import Dialectica
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Delta
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.categories.layered import Layered
from ccc.categories.reverse import Reverse
from ccc.category import Category
from ccc.laws.asked import AskedComparison, semiring_of
from ccc.laws.choices import Randomly
from ccc.laws.elements import refuse_foreign
from ccc.laws.equality import Comparison, Equal, PlainPullbackComparison, PullbackComparison, TangentComparison
from ccc.laws.errors import NotJudged
from ccc.laws.generate import COMBINATORS, EVERYTHING as EVERYTHING, NUMBER, Generator
from ccc.laws.layers import LayeredComparison
from ccc.laws.scalars import EXACT, FLOATS, RATIONALS, Numbers
from ccc.objects import Object
from ccc.semirings import Monoid

Kind = Literal["", "values", "pullbacks", "tangents", "layers"]
COMPARISONS: dict[str, type[Comparison]] = {
    "values": Comparison, "pullbacks": PullbackComparison, "tangents": TangentComparison, "layers": LayeredComparison,
}
EXPONENTIALS = (AdditiveMap, Delta, AnyDerivative)
OWN_CURRIES = (CHAD, Dialectica)


@dataclass(frozen=True, slots=True)
class Subject:
    """A category to be judged.

    Its arrows are compared as functions of values, values with pullbacks, values with tangents or values in layers
    (`kind`, where none is given as the category shows), at points drawn by `point(object, draw)` and by
    `same(left, right)` where these are given; arrows that cannot be called are compared by `same` themselves. `share`
    is the part of the examples that it gets.

    >>> Subject(Functions(), name="programs").kind, Subject(Layered()).kind, Subject(Reverse()).name
    ('values', 'layers', 'Reverse(Delta)')
    """

    category: Any
    name: str = ""
    kind: Kind = ""
    point: Callable[[Object, Generator], Any] | None = None
    same: Equal | None = None
    numbers: Numbers = RATIONALS
    share: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", self.kind or kind_of(self.category))
        object.__setattr__(self, "name", self.name or name_of(self.category))

    @property
    def features(self) -> frozenset[str]:
        """The combinators that the category has."""
        return features_of(type(self.category))

    @property
    def exponential(self) -> Any:
        return getattr(self.category, "exponential", None)

    @property
    def curry_of(self) -> str:
        """The name of the exponential; tangents of functions are tangents of environments, as under Delta."""
        if self.kind == "tangents":
            return "Delta"
        return getattr(self.exponential, "name", "")

    @property
    def known(self) -> bool:
        """True for the categories of this project, of which the theory says which laws are strict."""
        k = self.category
        if type(k) in (Functions, Forward, *OWN_CURRIES):
            return True
        return type(k) is Reverse and k.differentiates and type(k.exponential) in EXPONENTIALS

    @property
    def compiled(self) -> bool:
        """True for those of them that the compiler reads terms in; of other curries it knows none."""
        return self.known and type(self.category) not in OWN_CURRIES

    def comparison(self, draw: Generator) -> Comparison:
        """How its arrows are compared, with points and cotangents from `draw`."""
        plain = self.kind == "pullbacks" and not isinstance(self.category, Reverse)
        asked = self.kind == "pullbacks" and semiring_of(self.category) is not None
        made = AskedComparison if asked else PlainPullbackComparison if plain else COMPARISONS[self.kind]
        return made(self.category, draw, self.numbers, point=self.point, same=self.same)


@cache
def features_of(k: type) -> frozenset[str]:
    """The combinators that the categories of a class have.

    >>> sorted(EVERYTHING - features_of(Reverse)), "curry" in features_of(Category)
    ([], False)
    """
    return frozenset(
        method for method in COMBINATORS
        if callable(getattr(k, method, None)) and getattr(k, method) is not getattr(Category, method)
    )


def name_of(k: Any) -> str:
    """The name of a category with its exponential.

    >>> name_of(Reverse()), name_of(Functions()), name_of(CHAD())
    ('Reverse(Delta)', 'Functions', 'CHAD')
    """
    exponential, L = getattr(k, "exponential", None), semiring_of(k)
    if exponential is None or getattr(k, "own_curry", False):
        return type(k).__name__
    name = getattr(exponential, "name", type(exponential).__name__)
    return f"{type(k).__name__}({name}{'' if L is None else f', {L.name}'})"


def subject_of(k: Any, *, exponential: Any = None, point: Any = None, same: Any = None) -> Subject:
    """A category, its class or a subject as a subject; a class takes an exponential and the base of exact rationals,
    and a semiring or a monoid L is `Reverse(L=...)`.

    >>> subject_of(Reverse, exponential=AdditiveMap()).name
    'Reverse(AdditiveMap)'

    Raises `NotJudged` for what is no category, for a class that needs arguments, and for a category that computes with
    other things than numbers and does not say how these are drawn.
    """
    if isinstance(k, Subject):
        return _drawable(k)
    if isinstance(k, Monoid):
        k = Reverse(exponential, EXACT, L=k)
    elif isinstance(k, type):
        k = _made(k, exponential)
    elif exponential is not None:
        raise NotJudged(f"an exponential is given to the class of a category: {name_of(k)} is an instance",
                        f"give the class, `{type(k).__name__}`, or the instance without `exponential`")
    if not callable(getattr(k, "compose", None)) or not callable(getattr(k, "identity", None)):
        raise NotJudged(f"{name_of(k)} is no category: it has no `identity` and `compose`",
                        "give it the methods of `ccc.category.Category`: docs/your_own_category.md makes one")
    return _drawable(Subject(k, point=point, same=same))


def _drawable(subject: Subject) -> Subject:
    """The subject, where what is drawn for it are its elements."""
    if subject.point is None and not subject.known and subject.kind != "layers":
        refuse_foreign(subject.category, subject.comparison(Generator(Randomly(0))).point(NUMBER), subject.name)
    return subject


def kind_of(k: Any) -> Kind:
    """What the arrows of a category give, as its identity shows: a value with a function beside it has a pullback.

    >>> kind_of(Reverse()), kind_of(Functions()), kind_of(Layered())
    ('pullbacks', 'values', 'layers')
    """
    if isinstance(k, Forward):
        return "tangents"
    if isinstance(k, Layered):
        return "layers"
    if getattr(k, "exponential", None) is not None:
        return "pullbacks"
    try:
        found = k.identity(NUMBER)(Fraction(1))
    except Exception:  # arrows that are no functions, or not of numbers
        return "values"
    pulls = isinstance(found, tuple) and len(found) == 2 and callable(found[1])  # type: ignore[arg-type]
    return "pullbacks" if pulls else "values"


def _made(cls: type, exponential: Any) -> Any:
    """An instance over exact rationals, where the class takes a base."""
    if issubclass(cls, Reverse) and not cls.own_curry:
        return cls(exponential, EXACT)
    if exponential is not None:
        return cls(exponential)
    if issubclass(cls, (Functions, Forward, CHAD, Dialectica)):
        return cls(EXACT)
    try:
        signature(cls).bind()
    except TypeError as error:
        raise NotJudged(f"`{cls.__name__}` cannot be made without arguments: {error}",
                        f"name an instance, as in `K = {cls.__name__}(...)`") from error
    return cls()


def of_kind(kind: str) -> Callable[[Subject], bool]:
    """True for categories of the project over rationals, of a kind, that the compiler reads terms in."""
    return lambda subject: subject.kind == kind and subject.compiled and subject.numbers is RATIONALS


def on_target(kind: str, backend: str) -> Callable[[Subject], bool]:
    """The same, where nothing is missing that a target needs."""
    def there(subject: Subject) -> bool:
        from ccc.compile.api.targets import TARGETS

        return of_kind(kind)(subject) and not TARGETS[backend].missing()

    return there


def standard(numbers: Numbers = RATIONALS) -> list[Subject]:
    """The categories of this project: plain functions, reverse mode with each exponential, forward mode, and the two
    that have a curry of their own.

    >>> [subject.name for subject in standard()]
    ['Functions', 'Reverse(AdditiveMap)', 'Reverse(Delta)', 'Reverse(AnyDerivative)', 'Forward', 'CHAD', 'Dialectica']
    """
    found: list[tuple[Any, Kind]] = [(Functions(numbers.base), "values")]
    for exponential in EXPONENTIALS:
        found.append((Reverse(exponential(), numbers.base), "pullbacks"))
    found.append((Forward(numbers.base), "tangents"))
    found.extend([(k(numbers.base), "pullbacks") for k in OWN_CURRIES])
    of = "" if numbers is RATIONALS else f" on {numbers.name}"
    return [Subject(k, name_of(k) + of, kind, numbers=numbers, share=_share(k)) for k, kind in found]


def _share(k: Any) -> float:
    """Curries that the compiler does not know are asked in fewer examples: theirs run bodies again and again."""
    return 0.2 if isinstance(k, OWN_CURRIES) else 1.0


def over_floats() -> list[Subject]:
    """The same over floats that know their rounding error.

    >>> over_floats()[0].name
    'Functions on floats'
    """
    return standard(FLOATS)
