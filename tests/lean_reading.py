"""A reader of the certificates that `python -m laws --lean` writes: their text is parsed, and each step done again.

It knows of Lean what these files use, and nothing of how they are made: a structure that has to be the one below, word
for word, and theorems whose proofs are chains of rewrites by what came before. It is no Lean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

STRUCTURE = """structure CCC where
  Ob : Type u
  Hom : Ob → Ob → Type v
  one : Ob
  prod : Ob → Ob → Ob
  exp : Ob → Ob → Ob
  ident : (a : Ob) → Hom a a
  comp : {a b c : Ob} → Hom a b → Hom b c → Hom a c
  bang : (a : Ob) → Hom a one
  pair : {a b c : Ob} → Hom a b → Hom a c → Hom a (prod b c)
  fst : (a b : Ob) → Hom (prod a b) a
  snd : (a b : Ob) → Hom (prod a b) b
  curry : {a b c : Ob} → Hom (prod a b) c → Hom a (exp b c)
  ev : (b c : Ob) → Hom (prod (exp b c) b) c
  id_comp : ∀ {a b : Ob} (f : Hom a b), comp (ident a) f = f
  comp_id : ∀ {a b : Ob} (f : Hom a b), comp f (ident b) = f
  assoc : ∀ {a b c d : Ob} (f : Hom a b) (g : Hom b c) (h : Hom c d), comp (comp f g) h = comp f (comp g h)
  bang_unique : ∀ {a : Ob} (f : Hom a one), f = bang a
  fst_pair : ∀ {a b c : Ob} (f : Hom a b) (g : Hom a c), comp (pair f g) (fst b c) = f
  snd_pair : ∀ {a b c : Ob} (f : Hom a b) (g : Hom a c), comp (pair f g) (snd b c) = g
  pair_eta : ∀ {a b c : Ob} (h : Hom a (prod b c)), pair (comp h (fst b c)) (comp h (snd b c)) = h
  ev_curry : ∀ {a b c : Ob} (f : Hom (prod a b) c), comp (pair (comp (fst a b) (curry f)) (snd a b)) (ev b c) = f
  curry_ev : ∀ {a b c : Ob} (h : Hom a (exp b c)), curry (comp (pair (comp (fst a b) h) (snd a b)) (ev b c)) = h"""

Tree = Any
"""A name, or an operation with what it is applied to."""


class Refused(Exception):
    """A file says what does not follow, or what this reader does not know."""


def need(holds: object, what: object) -> None:
    if not holds:
        raise Refused(str(what))


# -- terms ---------------------------------------------------------------------------------------------------------


def parsed(text: str) -> Tree:
    tokens = re.findall(r"[()]|[^\s()]+", text)
    tree, rest = applied(tokens)
    need(not rest, text)
    return tree


def applied(tokens: list[str]) -> tuple[Tree, list[str]]:
    parts: list[Tree] = []
    while tokens and tokens[0] != ")":
        if tokens[0] == "(":
            part, tokens = applied(tokens[1:])
            need(tokens[:1] == [")"], "a parenthesis is open")
        else:
            part = tokens[0]
        parts.append(part)
        tokens = tokens[1:]
    need(parts, "nothing in parentheses")
    return parts[0] if len(parts) == 1 else tuple(parts), tokens


def without_structure(tree: Tree) -> Tree:
    """A tree with `comp` for `K.comp`."""
    return tree.removeprefix("K.") if isinstance(tree, str) else tuple(map(without_structure, tree))


@dataclass
class Scope:
    objects: set[str]
    arrows: dict[str, tuple[Tree, Tree]]

    def object(self, a: Tree) -> Tree:
        if isinstance(a, str):
            need(a in self.objects or a == "one", a)
        else:
            need(len(a) == 3 and a[0] in ("prod", "exp"), a)
            self.object(a[1])
            self.object(a[2])
        return a

    def type(self, f: Tree) -> tuple[Tree, Tree]:
        """Domain and codomain."""
        if isinstance(f, str):
            need(f in self.arrows, f)
            return self.arrows[f]
        op, *args = f
        need((op, len(args)) in ARITIES, f)
        if op in ("ident", "bang", "fst", "snd", "ev"):
            a, b = [*map(self.object, args), None][:2]
            return {"ident": (a, a), "bang": (a, "one"), "fst": (("prod", a, b), a), "snd": (("prod", a, b), b),
                    "ev": (("prod", ("exp", a, b), a), b)}[op]
        types = [self.type(x) for x in args]
        if op == "comp":
            need(types[0][1] == types[1][0], f)
            return types[0][0], types[1][1]
        if op == "pair":
            need(types[0][0] == types[1][0], f)
            return types[0][0], ("prod", types[0][1], types[1][1])
        (a, c), = types
        need(isinstance(a, tuple) and a[0] == "prod", f)
        return a[1], ("exp", a[2], c)


ARITIES = {("ident", 1), ("bang", 1), ("fst", 2), ("snd", 2), ("ev", 2), ("comp", 2), ("pair", 2), ("curry", 1)}


def replaced(tree: Tree, names: dict[str, Tree]) -> Tree:
    if isinstance(tree, str):
        return names.get(tree, tree)
    return (tree[0], *[replaced(part, names) for part in tree[1:]])


def match(pattern: Tree, tree: Tree, objects: set[str], found: dict[str, Tree]) -> None:
    if isinstance(pattern, str):
        need(found.setdefault(pattern, tree) == tree if pattern in objects else pattern == tree, pattern)
        return
    need(isinstance(tree, tuple) and len(tree) == len(pattern) and tree[0] == pattern[0], pattern)
    for p, t in zip(pattern[1:], tree[1:], strict=True):
        match(p, t, objects, found)


# -- equations -----------------------------------------------------------------------------------------------------


@dataclass
class Equation:
    scope: Scope
    left: Tree
    right: Tree

    def __post_init__(self) -> None:
        need(self.scope.type(self.left) == self.scope.type(self.right), "sides of two types")

    def at(self, args: list[Tree], scope: Scope) -> tuple[Tree, Tree]:
        """Both sides for these arrows."""
        need(len(args) == len(self.scope.arrows), args)
        found: dict[str, Tree] = {}
        for (a, b), arg in zip(self.scope.arrows.values(), args, strict=True):
            for side, of in zip((a, b), scope.type(arg), strict=True):
                match(side, of, self.scope.objects, found)
        names = found | dict(zip(self.scope.arrows, args, strict=True))
        return replaced(self.left, names), replaced(self.right, names)


def scope_of(binders: str) -> Scope:
    shape = r"(?:\{(\w+(?: \w+)*) : (?:K\.)?Ob\})?((?: ?\(\w+ : (?:K\.)?Hom .+?\)(?= \(\w+ :|$))*)"
    groups = re.fullmatch(shape, binders)
    need(groups, binders)
    assert groups is not None
    scope = Scope(set((groups[1] or "").split()), {})
    for name, of in re.findall(r"\((\w+) : (.+?)\)(?= \(\w+ :|$)", groups[2]):
        hom = without_structure(parsed(of))
        need(len(hom) == 3 and hom[0] == "Hom" and name not in scope.arrows and name not in scope.objects, name)
        scope.arrows[name] = scope.object(hom[1]), scope.object(hom[2])
    return scope


def equation(text: str, scope: Scope) -> tuple[Tree, Tree]:
    need(text.count(" = ") == 1, text)
    left, right = [without_structure(parsed(side)) for side in text.split(" = ")]
    return left, right


def axioms() -> dict[str, Equation]:
    found: dict[str, Equation] = {}
    for name, binders, said in re.findall(r"  (\w+) : ∀ (.+), (.+ = .+)", STRUCTURE):
        scope = scope_of(binders)
        found["K." + name] = Equation(scope, *equation(said, scope))
    return found


# -- proofs --------------------------------------------------------------------------------------------------------


def both(why: Tree, known: dict[str, Equation], scope: Scope) -> tuple[Tree, Tree]:
    """What an application of an equation says."""
    need(isinstance(why, tuple), why)
    if why[0] == "Eq.symm":
        need(len(why) == 2, why)
        return both(why[1], known, scope)[::-1]
    name, *args = why
    need(name in known, f"{name} is not known")
    if not name.startswith("K."):
        need(args[:1] == ["K"], why)
        args = args[1:]
    return known[name].at([without_structure(arg) for arg in args], scope)


def step(why: str, known: dict[str, Equation], scope: Scope) -> tuple[Tree, Tree]:
    if not why.startswith("by\n"):
        return both(parsed(why), known, scope)
    shape = r"by\n      have step := congrArg \(fun \(z : (.+?)\) => (.+)\) \((.+)\)\n      exact step"
    groups = next((g for g in cuts(shape, why)), None)
    need(groups, why)
    assert groups is not None
    of, around, by = [parsed(g) for g in groups]
    hom, around = without_structure(of), without_structure(around)
    left, right = both(by, known, scope)
    need("z" not in {*scope.objects, *scope.arrows} and hom == ("Hom", *scope.type(left)), hom)
    return replaced(around, {"z": left}), replaced(around, {"z": right})


def cuts(shape: str, why: str) -> Iterator[tuple[str, ...]]:
    """The parts of a line, cut where parentheses are closed."""
    found = re.fullmatch(shape, why)
    if found is None:
        return
    of, rest = found[1], why[why.index(") => ") + 5 :].removesuffix("\n      exact step")
    depth = 0
    for i, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            need(rest[i:].startswith(") (") and rest.endswith(")"), rest)
            yield of, rest[:i], rest[i + 3 : -1]
            return


def theorem(text: str, known: dict[str, Equation]) -> None:
    """Check a theorem, which is known from there on."""
    text = re.sub(r"\A/-- [^\n]* -/\n", "", text)
    shape = r"theorem (\w+) \(K : CCC\.\{u, v\}\) (.+) :\n    (.+) := (?:rfl|by\n  calc\n(.+))"
    head = re.fullmatch(shape, text, re.DOTALL)
    need(head, text)
    assert head is not None
    name, binders, said, lines = head.groups()
    scope = scope_of(binders)
    claim = Equation(scope, *equation(said, scope))
    here = claim.left
    for i, line in enumerate(re.split(r"\n(?=    _ = )", lines) if lines else ()):
        parts = re.fullmatch(r"    (.+?) = (.+?) := ((?s:.+))", line)
        need(parts, line)
        assert parts is not None
        before, after, why = parts.groups()
        need(without_structure(parsed(before)) == here if i == 0 else before == "_", line)
        there = without_structure(parsed(after))
        scope.type(there)
        need(step(why, known, scope) == (here, there), line)
        here = there
    need(here == claim.right, f"{name} ends elsewhere")
    need(name not in known, name)
    known[name] = claim


def checked(text: str) -> dict[str, Equation]:
    """The theorems of a file; raises `Refused` where a step does not follow."""
    comment, universes, structure, *theorems = text.removesuffix("\n").split("\n\n")
    while "-/" not in comment:
        comment, universes, structure, theorems = f"{comment}\n\n{universes}", structure, theorems[0], theorems[1:]
    need(comment.startswith("/-") and comment.endswith("-/") and comment.count("-/") == 1, "a comment comes first")
    need(universes == "universe u v" and structure == STRUCTURE, "this is another structure")
    known = axioms()
    for each in theorems:
        theorem(each, known)
    return {name: said for name, said in known.items() if not name.startswith("K.")}
