"""Typed λ-terms: generated, written as Python, and translated to arrows as on paper.

    ⟦x_i⟧ = projections     ⟦e1 e2⟧ = prod(⟦e1⟧, ⟦e2⟧) ; eval     ⟦let x = e1 in e2⟧ = prod(id, ⟦e1⟧) ; ⟦e2⟧
                            ⟦λx. e⟧ = curry ⟦e⟧                   over the whole context, nested to the left

The translation shares nothing with the compiler, which is compared with it; the Python text is what the compiler
reads, and what plain Python runs.

>>> x = Variable("x", NUMBER)
>>> term = Let("y", Operation("*", x, x), Operation("+", Variable("y", NUMBER), x))
>>> print(python_lambda(term, (("x", NUMBER),)))
lambda x: (lambda y: y + x)(x * x)
>>> print(translated(term, (("x", NUMBER),)))
prod(id, prod(id, id) o mult) o prod(proj_right, proj_left) o add

References: *The Differentiable Curry* ("Recipe for AD: compile first to CCC algebra").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ccc.arrows import Arrow, Cond, Const, Curry, Eval, Id, Prod, Proj, compose
from ccc.combinators import primitive
from ccc.laws.choices import Choices, Marks, marked
from ccc.laws.generate import FUNCTION, NUMBER, PAIR
from ccc.objects import Exponential, Object, Product
from ccc.primitives.arithmetic import add, less, mul, sub

Context = tuple[tuple[str, Object], ...]
OPERATORS = {"+": add, "*": mul, "-": sub}


@dataclass(frozen=True, slots=True)
class Term:
    """A typed λ-term; `a` is its object."""

    @property
    def a(self) -> Object:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Variable(Term):
    """A variable of the context."""

    name: str
    of: Object

    @property
    def a(self) -> Object:
        return self.of


@dataclass(frozen=True, slots=True)
class Operation(Term):
    """Arithmetic of two terms; an integer may stand on the right."""

    operator: str
    left: Term
    right: Term | int

    @property
    def a(self) -> Object:
        return NUMBER


@dataclass(frozen=True, slots=True)
class Pair(Term):
    """A pair of terms."""

    left: Term
    right: Term

    @property
    def a(self) -> Object:
        return Product((self.left.a, self.right.a))


@dataclass(frozen=True, slots=True)
class Half(Term):
    """The left (0) or the right (1) component of a pair."""

    pair: Term
    index: int

    @property
    def a(self) -> Object:
        assert isinstance(self.pair.a, Product)
        return self.pair.a.parts[self.index]


@dataclass(frozen=True, slots=True)
class Function(Term):
    """λ name. body."""

    name: str
    of: Object
    body: Term

    @property
    def a(self) -> Object:
        return Exponential(self.of, self.body.a)


@dataclass(frozen=True, slots=True)
class Call(Term):
    """The application of a function."""

    function: Term
    argument: Term

    @property
    def a(self) -> Object:
        assert isinstance(self.function.a, Exponential)
        return self.function.a.cod


@dataclass(frozen=True, slots=True)
class Let(Term):
    """let name = bound in body."""

    name: str
    bound: Term
    body: Term

    @property
    def a(self) -> Object:
        return self.body.a


@dataclass(frozen=True, slots=True)
class If(Term):
    """then if left < right else orelse."""

    left: Term
    right: Term
    then: Term
    orelse: Term

    @property
    def a(self) -> Object:
        return self.then.a


# -- as Python -------------------------------------------------------------------------------------------------------


def expression(term: Term) -> str:
    """The term as a Python expression; `let` is a call of a lambda.

    >>> expression(Call(Function("s", NUMBER, Variable("s", NUMBER)), Variable("x", NUMBER)))
    '(lambda s: s)(x)'
    """
    match term:
        case Variable(name):
            return name
        case Operation(operator, left, right):
            other = str(right) if isinstance(right, int) else _tight(right)
            return f"{_tight(left)} {operator} {other}"
        case Pair(left, right):
            return f"({expression(left)}, {expression(right)})"
        case Half(pair, index):
            return f"{_tight(pair)}[{index}]"
        case Function(name, _, body):
            return f"lambda {name}: {expression(body)}"
        case Call(function, argument):
            return f"{_tight(function)}({expression(argument)})"
        case Let(name, bound, body):
            return f"(lambda {name}: {expression(body)})({expression(bound)})"
        case If(left, right, then, orelse):
            return f"({_tight(then)} if {_tight(left)} < {_tight(right)} else {_tight(orelse)})"
        case _:
            raise TypeError(term)


def _tight(term: Term) -> str:
    found = expression(term)
    return f"({found})" if isinstance(term, (Operation, Function)) else found


def python_lambda(term: Term, context: Context) -> str:
    """The term as a Python lambda of its context.

    >>> python_lambda(Variable("y", PAIR), (("x", NUMBER), ("y", PAIR)))
    'lambda x, y: y'
    """
    return f"lambda {', '.join([name for name, _ in context])}: {expression(term)}"


def python_def(term: Term, context: Context, name: str = "f") -> str:
    """The term as a function definition, in which each `let` is a statement under a name of its own.

    >>> x = Variable("x", NUMBER)
    >>> print(python_def(Let("y", Operation("*", x, x), Variable("y", NUMBER)), (("x", NUMBER),)), end="")
    def f(x):
        y_1 = (x * x)
        return y_1
    """
    count = 0

    def written(term: Term, lines: list[str], margin: str) -> str:
        nonlocal count
        match term:
            case Let(name, bound, body):
                count += 1
                mine = f"{name}_{count}"
                lines.append(f"{margin}{mine} = {written(bound, lines, margin)}")
                return written(substituted(body, name, Variable(mine, bound.a)), lines, margin)
            case Function(name, of, body):
                count += 1
                function, mine = f"h_{count}", f"{name}_{count}"
                inner: list[str] = []
                result = written(substituted(body, name, Variable(mine, of)), inner, margin + "    ")
                lines += [f"{margin}def {function}({mine}):", *inner, f"{margin}    return {result}"]
                return function
            case Operation(operator, left, right):
                first = written(left, lines, margin)
                other = str(right) if isinstance(right, int) else written(right, lines, margin)
                return f"({first} {operator} {other})"
            case Pair(left, right):
                return f"({written(left, lines, margin)}, {written(right, lines, margin)})"
            case Half(pair, index):
                return f"({written(pair, lines, margin)})[{index}]"
            case Call(function, argument):
                return f"({written(function, lines, margin)})({written(argument, lines, margin)})"
            case If(left, right, then, orelse):
                parts = [written(part, lines, margin) for part in (then, left, right, orelse)]
                return "(({}) if ({}) < ({}) else ({}))".format(*parts)
            case _:
                return expression(term)

    lines: list[str] = []
    result = written(term, lines, "    ")
    return "\n".join([f"def {name}({', '.join([n for n, _ in context])}):", *lines, f"    return {result}", ""])


def substituted(term: Term, name: str, value: Term) -> Term:
    """The term with `value` for the free variable `name`; no binder in it may bind a variable of `value`.

    >>> expression(substituted(Variable("x", NUMBER), "x", Operation("+", Variable("y", NUMBER), 1)))
    'y + 1'
    """
    def of(part: Term) -> Term:
        return substituted(part, name, value)

    match term:
        case Variable(other):
            return value if other == name else term
        case Operation(operator, left, right):
            return Operation(operator, of(left), right if isinstance(right, int) else of(right))
        case Pair(left, right):
            return Pair(of(left), of(right))
        case Half(pair, index):
            return Half(of(pair), index)
        case Function(bound, a, body):
            return term if bound == name else Function(bound, a, of(body))
        case Call(function, argument):
            return Call(of(function), of(argument))
        case Let(bound, e, body):
            return Let(bound, of(e), body if bound == name else of(body))
        case If(left, right, then, orelse):
            return If(of(left), of(right), of(then), of(orelse))
        case _:
            return term


# -- as arrows -------------------------------------------------------------------------------------------------------


def environment(context: Context) -> Object:
    """The object of a context: one variable is itself, more are nested to the left.

    >>> print(environment((("x", NUMBER), ("y", PAIR), ("z", NUMBER))))
    ((R[fraction], (R[fraction], R[fraction])), R[fraction])
    """
    found = context[0][1]
    for _, a in context[1:]:
        found = Product((found, a))
    return found


def translated(term: Term, context: Context) -> Arrow:
    """The arrow of the term from its context."""
    whole = environment(context)

    def of(part: Term | int) -> Arrow:
        return Const(whole, Fraction(part), NUMBER) if isinstance(part, int) else translated(part, context)

    match term:
        case Variable(name):
            return _lookup(name, context)
        case Operation(operator, left, right):
            return compose(Prod((of(left), of(right))), primitive(OPERATORS[operator], NUMBER, NUMBER))
        case Pair(left, right):
            return Prod((of(left), of(right)))
        case Half(pair, index):
            found = of(pair)
            assert isinstance(found.cod, Product)
            return compose(found, Proj(found.cod, index))
        case Function(name, a, body):
            return Curry(translated(body, (*context, (name, a))))
        case Call(function, argument):
            found = of(function)
            assert isinstance(found.cod, Exponential)
            return compose(Prod((found, of(argument))), Eval(found.cod))
        case Let(name, bound, body):
            return compose(Prod((Id(whole), of(bound))), translated(body, (*context, (name, bound.a))))
        case If(left, right, then, orelse):
            test = compose(Prod((of(left), of(right))), primitive(less, NUMBER, NUMBER))
            return Cond(test, of(then), of(orelse))
        case _:
            raise TypeError(term)


def _lookup(name: str, context: Context) -> Arrow:
    """The projections to the innermost variable of this name."""
    *before, (last, _) = context
    whole = environment(context)
    if not before:
        return Id(whole)
    assert isinstance(whole, Product)
    return Proj(whole, 1) if last == name else compose(Proj(whole, 0), _lookup(name, tuple(before)))


# -- generated -------------------------------------------------------------------------------------------------------

BOUND: tuple[Object, ...] = (NUMBER, PAIR, FUNCTION, Exponential(PAIR, NUMBER), Exponential(NUMBER, FUNCTION))
ARGUMENTS: tuple[Object, ...] = (NUMBER, PAIR, FUNCTION)


class TermGenerator(Marks):
    """Typed terms drawn from choices, with unused and shadowed names, unused functions and captured closures.

    >>> from ccc.laws.choices import Replayed
    >>> expression(TermGenerator(Replayed([])).term((("x", NUMBER),), NUMBER, 3))
    'x'
    """

    def __init__(self, choices: Choices, *, shadowing: bool = True) -> None:
        super().__init__(choices)
        self.below = choices.below
        self.shadowing = shadowing
        self.names = 0

    def fresh(self, context: Context) -> str:
        """A name for a variable, sometimes one of the context; one that a number can be had of stays visible."""
        keep = next((name for name, a in context if a in (NUMBER, PAIR)), "")
        others = [name for name, _ in context if name != keep]
        if self.shadowing and others and self.below(4) == 3:
            return others[self.below(len(others))]
        self.names += 1
        return f"v{self.names}"

    @marked
    def term(self, context: Context, goal: Object, depth: int) -> Term:
        """A term of the object `goal` in the context."""
        if depth <= 0:
            return self.leaf(context, goal)
        ways: list[Callable[[Context, Object, int], Term]] = [
            lambda c, a, d: self.leaf(c, a), *[self.constructed] * 4, self.let, self.let, self.choice, self.call,
            self.half,
        ]
        return ways[self.below(len(ways))](context, goal, depth - 1)

    def leaf(self, context: Context, goal: Object) -> Term:
        """A variable if there is one, a component or a call of one, else the smallest term."""
        visible = {name: a for name, a in context}
        known: list[Term] = [Variable(name, a) for name, a in visible.items() if a == goal]
        if known:
            return known[self.below(len(known))]
        for name, a in visible.items():
            if isinstance(a, Product) and goal in a.parts:
                return Half(Variable(name, a), a.parts.index(goal))
        return self.constructed(context, goal, 0)

    def constructed(self, context: Context, goal: Object, depth: int) -> Term:
        if isinstance(goal, Product):
            return Pair(*[self.term(context, part, depth) for part in goal.parts])
        if isinstance(goal, Exponential):
            name = self.fresh(context)
            return Function(name, goal.dom, self.term((*context, (name, goal.dom)), goal.cod, depth))
        operator = ("*", "+", "-")[self.below(3)]
        left = self.term(context, NUMBER, depth)
        return Operation(operator, left, 2 + self.below(5) if self.below(4) == 3 else self.term(context, NUMBER, depth))

    def let(self, context: Context, goal: Object, depth: int) -> Term:
        a = BOUND[self.below(len(BOUND))]
        bound = self.term(context, a, depth)
        name = self.fresh(context)
        return Let(name, bound, self.term((*context, (name, a)), goal, depth))

    def choice(self, context: Context, goal: Object, depth: int) -> Term:
        left, right = (self.term(context, NUMBER, min(depth, 1)) for _ in range(2))
        return If(left, right, self.term(context, goal, depth), self.term(context, goal, depth))

    def call(self, context: Context, goal: Object, depth: int) -> Term:
        """The call of a function in scope, or of one made here."""
        known = [(n, a) for n, a in dict(context).items() if isinstance(a, Exponential) and a.cod == goal]
        if known:
            name, a = known[self.below(len(known))]
            assert isinstance(a, Exponential)
            return Call(Variable(name, a), self.term(context, a.dom, depth))
        dom = ARGUMENTS[self.below(len(ARGUMENTS))]
        return Call(self.term(context, Exponential(dom, goal), depth), self.term(context, dom, depth))

    def half(self, context: Context, goal: Object, depth: int) -> Term:
        index = self.below(2)
        both = Product((goal, NUMBER)) if index == 0 else Product((NUMBER, goal))
        return Half(self.term(context, both, depth), index)
