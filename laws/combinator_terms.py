"""Terms of a cartesian closed category with pairs, and proofs that two are equal: chains of rewrites by equations.

Products of the project have any number of parts; here `(a, b, c)` is `(a, (b, c))`, and a product of one part is that
part. A normal form is made as in `ccc.laws.normal_forms`, but of terms, and each step of the way is written down:

    w ; f        f is run on the generic element w, a term without a redex
    u            what is neutral is made pairs of its projections, and closures of its calls (η)

Both sides of an equation of the theory of cartesian closed categories have one normal form, and the steps there and
back are its proof.

>>> f, g = ("var", "f", "A", "B"), ("var", "g", "A", "C")
>>> for shown in proof(("comp", ("pair", f, g), ("snd", "B", "C")), g):
...     print(*shown)
('comp', ('pair', ('var', 'f', 'A', 'B'), ('var', 'g', 'A', 'C')), ('snd', 'B', 'C')) None
('var', 'g', 'A', 'C') Step(path=(), rule='snd_pair', forward=True)

References: *The Differentiable Curry* ("CCC theorems (back in lambda-calculus speak)"); Joachim Lambek and Philip
Scott, *Introduction to Higher Order Categorical Logic* (1986).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Term = tuple[Any, ...]
Path = tuple[int, ...]
ONE = ("one",)


def dom(f: Term) -> Any:
    """The object that an arrow starts at."""
    match f:
        case ("comp" | "pair", first, _):
            return dom(first)
        case ("fst" | "snd", a, b):
            return ("prod", a, b)
        case ("curry", body):
            return dom(body)[1]
        case ("ev", b, c):
            return ("prod", ("exp", b, c), b)
        case ("var", _, a, _):
            return a
        case _:
            return f[1]


def cod(f: Term) -> Any:
    """The object that an arrow ends at."""
    match f:
        case ("comp", _, last):
            return cod(last)
        case ("pair", first, second):
            return ("prod", cod(first), cod(second))
        case ("fst", a, _):
            return a
        case ("snd", _, b):
            return b
        case ("curry", body):
            return ("exp", dom(body)[2], cod(body))
        case ("ev", _, c):
            return c
        case ("bang", _):
            return ONE
        case ("var", _, _, b):
            return b
        case _:
            return f[1]


# -- equations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """An equation for all arrows of its parameters: what begins with `?` is any."""

    name: str
    params: tuple[Term, ...]
    left: Term
    right: Term


def _any(name: str, a: Any, b: Any) -> Term:
    return ("var", f"?{name}", a, b)


_A, _B, _C, _D = "?a", "?b", "?c", "?d"
_ID, _F, _G = _any("f", _A, _B), _any("f", _A, _B), _any("g", _A, _C)
_LATE, _LAST = _any("g", _B, _C), _any("h", _C, _D)
_PAIR, _FUN = _any("h", _A, ("prod", _B, _C)), _any("h", _A, ("exp", _B, _C))
_BODY, _BEFORE, _ARGUMENT = _any("f", ("prod", _A, _B), _C), _any("h", _D, _A), _any("s", _A, _B)


def under(h: Term, b: Any) -> Term:
    """`h` beside the argument of a function."""
    return ("pair", ("comp", ("fst", dom(h), b), h), ("snd", dom(h), b))


AXIOMS = (
    Rule("id_comp", (_F,), ("comp", ("id", _A), _F), _F),
    Rule("comp_id", (_F,), ("comp", _F, ("id", _B)), _F),
    Rule("assoc", (_F, _LATE, _LAST), ("comp", ("comp", _F, _LATE), _LAST), ("comp", _F, ("comp", _LATE, _LAST))),
    Rule("bang_unique", (_any("f", _A, ONE),), _any("f", _A, ONE), ("bang", _A)),
    Rule("fst_pair", (_F, _G), ("comp", ("pair", _F, _G), ("fst", _B, _C)), _F),
    Rule("snd_pair", (_F, _G), ("comp", ("pair", _F, _G), ("snd", _B, _C)), _G),
    Rule("pair_eta", (_PAIR,), ("pair", ("comp", _PAIR, ("fst", _B, _C)), ("comp", _PAIR, ("snd", _B, _C))), _PAIR),
    Rule("ev_curry", (_BODY,), ("comp", under(("curry", _BODY), _B), ("ev", _B, _C)), _BODY),
    Rule("curry_ev", (_FUN,), ("curry", ("comp", under(_FUN, _B), ("ev", _B, _C))), _FUN),
)
"""What a cartesian closed category is."""

LEMMAS = (
    Rule("comp_pair", (_any("h", _D, _A), _F, _G), ("comp", _any("h", _D, _A), ("pair", _F, _G)),
         ("pair", ("comp", _any("h", _D, _A), _F), ("comp", _any("h", _D, _A), _G))),
    Rule("comp_curry", (_BEFORE, _BODY), ("comp", _BEFORE, ("curry", _BODY)),
         ("curry", ("comp", under(_BEFORE, _B), _BODY))),
    Rule("beta", (_BODY, _ARGUMENT), ("comp", ("pair", ("curry", _BODY), _ARGUMENT), ("ev", _B, _C)),
         ("comp", ("pair", ("id", _A), _ARGUMENT), _BODY)),
)
"""What follows, and is used as one step."""

RULES = {rule.name: rule for rule in (*AXIOMS, *LEMMAS)}


def matched(pattern: Any, x: Any, found: dict[str, Any]) -> bool:
    """Whether a term or an object is of a pattern; what stands for what is `found`."""
    if isinstance(pattern, str):
        return found.setdefault(pattern, x) == x if pattern.startswith("?") else pattern == x
    if pattern[0] == "var":
        return (isinstance(x, tuple) and found.setdefault(pattern[1], x) == x
                and matched(pattern[2], dom(x), found) and matched(pattern[3], cod(x), found))  # fmt: skip
    return isinstance(x, tuple) and len(x) == len(pattern) and all(  # type: ignore[reportUnknownArgumentType]
        matched(p, y, found) for p, y in zip(pattern, x, strict=True))  # type: ignore[reportUnknownArgumentType]


def instance(pattern: Any, found: dict[str, Any]) -> Any:
    """A pattern with what stands for its names."""
    if isinstance(pattern, str):
        return found[pattern] if pattern.startswith("?") else pattern
    return found[pattern[1]] if pattern[0] == "var" else tuple([instance(part, found) for part in pattern])


# -- derivations ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One rewrite: where, by which equation, and whether it is read from left to right."""

    path: Path
    rule: str
    forward: bool


def at(f: Term, path: Path) -> Term:
    """The part of a term at a path."""
    for i in path:
        f = f[i + 1]
    return f


def put(f: Term, path: Path, part: Term) -> Term:
    """A term with another part at a path."""
    if not path:
        return part
    i = path[0] + 1
    return (*f[:i], put(f[i], path[1:], part), *f[i + 1 :])


def instances(step: Step, before: Term) -> dict[str, Any]:
    """What the names of the equation of a step stand for in the term that it rewrites.

    Raises `ValueError` where it says nothing of the term.
    """
    rule, found = RULES[step.rule], dict[str, Any]()
    if not matched(rule.left if step.forward else rule.right, at(before, step.path), found):
        raise ValueError(f"{step} does not rewrite {before}")
    return found


class Derivation:
    """A term that is rewritten, and the steps so far, each with the term that it gave."""

    def __init__(self, term: Term) -> None:
        self.chain: list[tuple[Term, Step | None]] = [(term, None)]

    @property
    def term(self) -> Term:
        return self.chain[-1][0]

    def by(self, rule: str, path: Path = (), forward: bool = True) -> None:
        """Rewrite the part at a path."""
        step = Step(path, rule, forward)
        side = RULES[rule].right if forward else RULES[rule].left
        self.chain.append((put(self.term, path, instance(side, instances(step, self.term))), step))

    def back(self, rule: str, path: Path = ()) -> None:
        """Rewrite the part at a path from right to left."""
        self.by(rule, path, False)

    # -- normal forms ----------------------------------------------------------------------------------------------

    def normal(self) -> None:
        """Rewrite to the normal form."""
        self.back("id_comp")
        self.generic((0,), 0)
        self.run((), 0)
        self.expand((), 0)

    def generic(self, path: Path, depth: int) -> None:
        """The identity, `depth` functions deep, as a value."""
        if not depth:
            return self.reflect(path)
        self.back("pair_eta", path)
        for i in (0, 1):
            self.by("id_comp", (*path, i))
        self.back("comp_id", (*path, 0))
        self.generic((*path, 0, 1), depth - 1)
        self.push((*path, 0))
        return self.reflect((*path, 1))

    def reflect(self, path: Path) -> None:
        """Something neutral as a value: `terminal`, or a pair of such."""
        a = cod(at(self.term, path))
        if a == ONE and at(self.term, path)[0] != "bang":
            self.by("bang_unique", path)
        elif a[0] == "prod":
            self.back("pair_eta", path)
            self.reflect((*path, 0))
            self.reflect((*path, 1))

    def push(self, path: Path) -> None:
        """`σ ; v`, where σ leaves out the argument of a function around, as a value."""
        _, sigma, v = at(self.term, path)
        if is_variable(v):
            self.renamed(path, sigma, v)
        elif v[0] == "bang":
            self.by("bang_unique", path)
        elif v[0] == "pair":
            self.by("comp_pair", path)
            self.push((*path, 0))
            self.push((*path, 1))
        elif v[0] == "curry":
            self.by("comp_curry", path)
            self.push((*path, 0))
        else:
            self.back("assoc", path)
            self.push((*path, 0))

    def renamed(self, path: Path, sigma: Term, v: Term) -> None:
        if sigma[0] == "fst":  # this is a variable already
            return
        if v[0] == "snd":
            self.by("snd_pair", path)
            return
        self.back("assoc", path)
        self.by("fst_pair", (*path, 0))
        self.by("assoc", path)
        self.push((*path, 1))

    def run(self, path: Path, depth: int) -> None:
        """`w ; f` as a value, where w is one."""
        _, w, f = at(self.term, path)
        match f[0]:
            case "id":
                self.by("comp_id", path)
            case "comp":
                self.back("assoc", path)
                self.run((*path, 0), depth)
                self.run(path, depth)
            case "bang":
                self.by("bang_unique", path)
            case "pair":
                self.by("comp_pair", path)
                self.run((*path, 0), depth)
                self.run((*path, 1), depth)
            case "fst" | "snd":
                self.by(f"{f[0]}_pair", path)
            case "curry":
                self.by("comp_curry", path)
                self.push((*path, 0, 0, 0))
                self.reflect((*path, 0, 0, 1))
                self.run((*path, 0), depth + 1)
            case "ev" if w[1][0] == "curry":
                self.by("beta", path)
                self.generic((*path, 0, 0), depth)
                self.run(path, depth)
            case _:
                self.reflect(path)

    def expand(self, path: Path, depth: int) -> None:
        """A value with all functions written as closures."""
        v = at(self.term, path)
        if v[0] == "pair":
            self.expand((*path, 0), depth)
            self.expand((*path, 1), depth)
        elif v[0] == "curry":
            self.expand((*path, 0), depth + 1)
        elif cod(v)[0] == "exp":
            self.back("curry_ev", path)
            self.push((*path, 0, 0, 0))
            self.reflect((*path, 0, 0, 1))
            self.reflect((*path, 0))
            self.expand((*path, 0), depth + 1)
        else:
            self.expand_spine(path, depth)

    def expand_spine(self, path: Path, depth: int) -> None:
        """What something neutral is applied to, with all functions written as closures."""
        v = at(self.term, path)
        if is_variable(v) or v[0] == "bang":
            return
        if v[2][0] == "ev":
            self.expand_spine((*path, 0, 0), depth)
            self.expand((*path, 0, 1), depth)
        elif v[2][0] == "var":
            self.expand((*path, 0), depth)
        else:
            self.expand_spine((*path, 0), depth)


def is_variable(v: Term) -> bool:
    """Whether a term is the generic element, or an argument of a function around: `id`, or `fst ; ... ; snd`."""
    return v[0] in ("id", "snd") or (v[0] == "comp" and v[1][0] == "fst")


# -- proofs --------------------------------------------------------------------------------------------------------

Chain = list[tuple[Term, Step | None]]


def proof(left: Term, right: Term) -> Chain:
    """Steps from one term to the other, each with the term that it gives; the first is the left one, by no step.

    Raises `ValueError` where they have two normal forms.
    """
    for name in RULES:
        for forward in (True, False):
            try:
                one = Derivation(left)
                one.by(name, (), forward)
            except (ValueError, KeyError):  # the equation says nothing of it, or not all that it would be
                continue
            if one.term == right:
                return one.chain
    sides = Derivation(left), Derivation(right)
    for side in sides:
        side.normal()
    return meeting(sides[0].chain, sides[1].chain)


def meeting(there: Chain, back: Chain) -> Chain:
    """The shortest way along one chain and the other one in return.

    Raises `ValueError` where they share no term.
    """
    first: dict[Term, int] = {}
    for j, (term, _) in enumerate(back):
        first.setdefault(term, j)
    shared = [(i + first[term], i) for i, (term, _) in enumerate(there) if term in first]
    if not shared:
        raise ValueError("the two sides have two normal forms")
    _, i = min(shared)
    j = first[there[i][0]]
    returned = [(back[k - 1][0], reversed_step(back[k][1])) for k in range(j, 0, -1)]
    return [*there[: i + 1], *returned]


def reversed_step(step: Step | None) -> Step | None:
    """The step back."""
    return None if step is None else Step(step.path, step.rule, not step.forward)


def scripted(name: str, left: Iterable[tuple[str, Path, bool]], right: Iterable[tuple[str, Path, bool]]) -> Chain:
    """The proof of a lemma by the steps of its sides."""
    rule = RULES[name]
    sides = [Derivation(constant(rule.left)), Derivation(constant(rule.right))]
    for side, steps in zip(sides, (left, right), strict=True):
        for by, path, forward in steps:
            side.by(by, path, forward)
    return meeting(sides[0].chain, sides[1].chain)


def constant(pattern: Any) -> Any:
    """A pattern in which what was any is one."""
    return pattern.lstrip("?") if isinstance(pattern, str) else tuple(map(constant, pattern))


def lemmas() -> dict[str, Chain]:
    """The proofs of the lemmas, each by axioms and by lemmas before.

    >>> [(name, len(chain) - 1) for name, chain in lemmas().items()]
    [('comp_pair', 5), ('comp_curry', 8), ('beta', 7)]
    """
    bend = ("ev_curry", (0, 1), False), ("assoc", (0,), False), ("comp_pair", (0, 0), True)
    return {
        "comp_pair": scripted("comp_pair", [
            ("pair_eta", (), False), ("assoc", (0,), True), ("fst_pair", (0, 1), True), ("assoc", (1,), True),
            ("snd_pair", (1, 1), True)], ()),
        "comp_curry": scripted("comp_curry", [("curry_ev", (), False)], [
            *bend, ("snd_pair", (0, 0, 1), True), ("assoc", (0, 0, 0), False), ("fst_pair", (0, 0, 0, 0), True),
            ("assoc", (0, 0, 0), True)]),
        "beta": scripted("beta", (), [
            *[(by, path[1:], forward) for by, path, forward in bend], ("snd_pair", (0, 1), True),
            ("assoc", (0, 0), False), ("fst_pair", (0, 0, 0), True), ("id_comp", (0, 0), True)]),
    }  # fmt: skip
