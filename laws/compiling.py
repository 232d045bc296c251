"""The compiler as a functor: what it makes of a term is the arrow of the term, and it respects composition.

    compile (g ∘ f) ≅ compile f ; compile g         compile (λ x y. e) ≅ proj_left ; compile (λ x. e)   (y not in e)
    compile e2[e1 / x] ≅ compile (let x = e1 in e2)         compile e ≅ ⟦e⟧

>>> [check.name for check in COMPILING]  # doctest: +NORMALIZE_WHITESPACE
['compile-value', 'compile-gradient', 'compile-translation', 'functoriality', 'weakening', 'exchange', 'substitution',
 'let-redex', 'beta', 'eta', 'trim-captures']
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from ccc.arrows import Arrow, Id, Proj, compose
from ccc.combinators import swap
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.terms.abstract import abstract
from ccc.denotation import functor
from ccc.errors import CannotStage, CCCError
from ccc.laws.checks import Check, Discarded, Judged, equal, with_uses
from ccc.laws.cotangents import shape
from ccc.laws.equality import Difference
from ccc.laws.generate import FUNCTION, NUMBER, PAIR, Generator
from ccc.laws.lambda_terms import (
    Call,
    Context,
    Function,
    Let,
    Term,
    TermGenerator,
    Variable,
    expression,
    python_def,
    python_lambda,
    substituted,
    translated,
)
from ccc.laws.pullbacks import inner, perturbed, split
from ccc.laws.subjects import Subject, of_kind
from ccc.objects import Exponential, Object, Product

X, Y = ("x", NUMBER), ("y", PAIR)
ONE, TWO = (X,), (X, Y)
DEPTH = 3
_files = count()


def function_of(source: str, name: str = "f") -> tuple[Any, str]:
    """The function that a text defines, and the file under which its source is known while it is compiled.

    >>> f, file = function_of("f = lambda x: x + 1")
    >>> f(2), linecache.getline(file, 1)
    (3, 'f = lambda x: x + 1')
    """
    file = f"<law {next(_files)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "law", "__file__": file}
    exec(compile(source, file, "exec"), space)
    return space[name], file


@lru_cache(maxsize=1)
def kept_function(source: str, name: str = "f") -> Any:
    """The function that a text defines, the same one until another is asked for: so it is read once for all categories
    in which an example is judged.

    >>> kept_function("f = lambda x: x + 1") is kept_function("f = lambda x: x + 1")
    True
    """
    for file in _kept:
        linecache.cache.pop(file, None)
    f, file = function_of(source, name)
    _kept[:] = [file]
    return f


_kept: list[str] = []


def compiled(source: str, context: Context, generator: Generator, calls: Object | None = None) -> Arrow:
    """The arrow that the compiler makes of a Python text, from the objects of its parameters.

    Raises `Discarded` where the compiler refuses it by name.
    """
    f, file = function_of(source)
    args = [generator.point(a) for _, a in context]
    try:
        called_with = None if calls is None else [generator.point(calls)]
        return abstract(elaborate(f, args, called_with=called_with).program)
    except (CompileError, CannotStage, CCCError) as error:
        raise Discarded from error
    finally:
        linecache.cache.pop(file, None)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Two arrows that should be equal, and the texts that they come from."""

    left: Arrow
    right: Arrow
    texts: tuple[tuple[str, str], ...]
    source: str = ""
    uses: tuple[Any, ...] | None = None

    @property
    def world(self) -> Arrow:
        return Id(self.left.dom)

    def named(self) -> list[tuple[str, Any]]:
        """The texts, and the arrows of both sides."""
        return [*self.texts, ("left", self.left), ("right", self.right)]


def _lambda(term: Term, context: Context) -> str:
    return f"f = {python_lambda(term, context)}"


def _goal(g: Generator) -> Object:
    return g.pick((NUMBER, PAIR))


def _term(g: Generator, context: Context, goal: Object, *, shadowing: bool = True, depth: int = DEPTH) -> Term:
    return TermGenerator(g, shadowing=shadowing).term(context, goal, depth)


def _translation(g: Generator, i: int) -> Compiled:
    term = _term(g, TWO, _goal(g))
    source = python_def(term, TWO) if i % 2 else _lambda(term, TWO)
    return Compiled(compiled(source, TWO, g), translated(term, TWO), (("program", source.rstrip()),), source)


def _functoriality(g: Generator, i: int) -> Compiled:
    middle = _goal(g)
    f, h = _term(g, ONE, middle), _term(g, (("z", middle),), _goal(g))
    first, second = python_lambda(f, ONE), python_lambda(h, (("z", middle),))
    both = f"f1 = {first}\ng1 = {second}\nf = lambda x: g1(f1(x))"
    right = compose(compiled(f"f = {first}", ONE, g), compiled(f"f = {second}", (("z", middle),), g))
    return Compiled(compiled(both, ONE, g), right, (("f", first), ("g", second)))


def _weakening(g: Generator, i: int) -> Compiled:
    term = _term(g, ONE, _goal(g))
    narrow = compiled(_lambda(term, ONE), ONE, g)
    right = compose(Proj(Product((NUMBER, PAIR)), 0), narrow)
    return Compiled(compiled(_lambda(term, TWO), TWO, g), right, (("e", expression(term)),))


def _exchange(g: Generator, i: int) -> Compiled:
    term = _term(g, TWO, _goal(g))
    left = compiled(_lambda(term, (Y, X)), (Y, X), g)
    right = compose(swap(Product((PAIR, NUMBER))), compiled(_lambda(term, TWO), TWO, g))
    return Compiled(left, right, (("e", expression(term)),))


def _bound(g: Generator) -> tuple[Term, Term, str]:
    """e1, e2 and the variable of e2 that stands for e1, with no name bound twice."""
    terms = TermGenerator(g, shadowing=False)
    a = g.pick((NUMBER, PAIR, FUNCTION, Exponential(NUMBER, FUNCTION)))
    e1 = terms.term(TWO, a, 2)
    return e1, terms.term((*TWO, ("b", a)), _goal(g), DEPTH), "b"


def _substitution(g: Generator, i: int) -> Compiled:
    e1, e2, b = _bound(g)
    left = compiled(_lambda(substituted(e2, b, e1), TWO), TWO, g)
    right = compiled(python_def(Let(b, e1, e2), TWO), TWO, g)
    return Compiled(left, right, (("e1", expression(e1)), ("e2", expression(e2))))


def _let_redex(g: Generator, i: int) -> Compiled:
    e1, e2, b = _bound(g)
    left = compiled(python_def(Let(b, e1, e2), TWO), TWO, g)
    right = compiled(_lambda(Call(Function(b, e1.a, e2), e1), TWO), TWO, g)
    return Compiled(left, right, (("e1", expression(e1)), ("e2", expression(e2))))


def _beta(g: Generator, i: int) -> Compiled:
    e1, e2, b = _bound(g)
    left = compiled(_lambda(Call(Function(b, e1.a, e2), e1), TWO), TWO, g)
    right = compiled(_lambda(substituted(e2, b, e1), TWO), TWO, g)
    return Compiled(left, right, (("e1", expression(e1)), ("e2", expression(e2))))


def _eta(g: Generator, i: int) -> Compiled:
    """A function, and its expansion, given to the same program."""
    h = _term(g, TWO, FUNCTION, shadowing=False)
    use = _term(g, (("h", FUNCTION), *TWO), NUMBER, shadowing=False)
    expanded = Function("eta", NUMBER, Call(h, Variable("eta", NUMBER)))
    sides = [compiled(_lambda(Call(Function("h", FUNCTION, use), e), TWO), TWO, g) for e in (h, expanded)]
    return Compiled(sides[0], sides[1], (("h", expression(h)), ("use", expression(use))))


def _captures(g: Generator, i: int) -> Compiled:
    """A closure as the program's result, against the translation, which captures the whole context."""
    term = Function("s", NUMBER, _term(g, (*TWO, ("s", NUMBER)), NUMBER))
    left = compiled(_lambda(term, TWO), TWO, g, NUMBER)
    return with_uses(g, Compiled(left, translated(term, TWO), (("e", expression(term)),), expression(term)))


def _trimmed(comparison: Any, example: Compiled) -> Judged:
    """Equal up to ≅, and capturing no more than the translation does; a function inside may be made outside."""
    judged = equal(comparison, example)
    if judged.observed is None and comparison.k.exponential.name == "Delta" and example.source.count("lambda") == 1:
        x = comparison.point(example.left.dom)
        mine, whole = [functor(comparison.k, side)(x)[0].environment for side in (example.left, example.right)]
        if _size(shape(mine)) > _size(shape(whole)):
            return Judged(Difference("the closure captures more than its context", x, None, mine, whole))
    return Judged(judged.observed)


def _size(tree: Any) -> int:
    return sum(map(_size, tree)) if isinstance(tree, tuple) else 1


def _value(comparison: Any, example: Compiled) -> Judged:
    x = comparison.point(example.left.dom)
    f, file = function_of(example.source)
    linecache.cache.pop(file, None)
    found, expected = comparison.read(example.left)(x), f(*x)
    return Judged(None if found == expected else Difference("plain Python differs", x, None, found, expected))


def _gradient(comparison: Any, example: Compiled) -> Judged:
    """The pullback of what was compiled against plain Python on dual numbers."""
    x, v = comparison.draw.point(example.left.dom), comparison.draw.point(example.left.dom)
    f, file = function_of(example.source)
    linecache.cache.pop(file, None)
    _, dy = split(f(*perturbed(x, v)))
    value, pb = comparison.read(example.left)(x)
    for seed in comparison.seeds(value, example.left.cod):
        left, right = inner(pb(seed), v), inner(seed, dy)
        if left != right:
            return Judged(Difference("<pb w, v> is not <w, J v>, J of plain Python", (x, v), seed, left, right))
    return Judged()


def _exact(subject: Subject) -> bool:
    return subject.compiled


def _observed(comparison: Any, example: Compiled) -> Judged:
    return Judged(equal(comparison, example).observed)


def _check(
    name: str, statement: str, draw: Callable[[Generator, int], Compiled], judge: Any = _observed,
    applies: Callable[[Subject], bool] = _exact,
) -> Check:
    return Check(name, "compiler", statement, draw, judge, applies=applies, share=0.5, weight=3.0)


COMPILING: tuple[Check, ...] = (
    _check("compile-value", "compile e, run = plain Python", _translation, _value, of_kind("values")),
    _check("compile-gradient", "<pb w, v> = <w, J v>, J of plain Python on dual numbers", _translation, _gradient,
           of_kind("pullbacks")),
    _check("compile-translation", "compile e ≅ ⟦e⟧, the translation on paper", _translation),
    _check("functoriality", "compile (g ∘ f) ≅ compile f ; compile g", _functoriality),
    _check("weakening", "compile (λ x y. e) ≅ proj_left ; compile (λ x. e)", _weakening),
    _check("exchange", "compile (λ y x. e) ≅ swap ; compile (λ x y. e)", _exchange),
    _check("substitution", "compile e2[e1 / b] ≅ compile (let b = e1 in e2)", _substitution),
    _check("let-redex", "compile (let b = e1 in e2) ≅ compile ((λ b. e2) e1)", _let_redex),
    _check("beta", "compile ((λ b. e2) e1) ≅ compile e2[e1 / b]", _beta),
    _check("eta", "compile use[h] ≅ compile use[λ s. h s]", _eta),
    _check("trim-captures", "a closure captures what it uses, and no program sees it", _captures, _trimmed,
           of_kind("pullbacks")),
)
