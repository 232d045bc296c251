"""The equational theory as a file of Lean 4: what a cartesian closed category is, and its laws as theorems.

Each proof is the chain of rewrites that `ccc.laws.combinator_terms` makes of the two normal forms: one line is one
rewrite, of the part at `z`, by one axiom or lemma with its arguments. No tactic searches. Lean's core is enough.

>>> from ccc.theory import LAWS
>>> print(theorem(LAWS["prod-left"]))
theorem law_prod_left (K : CCC.{u, v}) {X A B : K.Ob} (f : K.Hom X A) (g : K.Hom X B) :
    K.comp (K.pair f g) (K.fst A B) = f := by
  calc
    K.comp (K.pair f g) (K.fst A B) = f := K.fst_pair f g

References: The Lean 4 reference, "Calculational Proofs".
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from ccc.arrows import Arrow, Chain as Composite, Const, Curry, Eval, Id, Prim, Prod, Proj, Terminal, postorder
from ccc.denotation import functor
from ccc.laws.combinator_terms import (
    AXIOMS,
    LEMMAS,
    ONE,
    RULES,
    Chain,
    Path,
    Rule,
    Step,
    Term,
    at,
    cod,
    constant,
    dom,
    instances,
    lemmas,
    proof,
    put,
)
from ccc.objects import Exponential, Object, Product
from ccc.theory import SECTIONS
from ccc.theory.law import Law, Metavariable, Variable

EQUATIONAL = (Id, Composite, Terminal, Prod, Proj, Curry, Eval, Const, Prim, Metavariable)
"""The terms of a cartesian closed category; constants and primitives are arrows of which nothing is known."""

Z: Term = ("var", "z")


def of_object(a: Object) -> Any:
    """An object with pairs for products; what is neither product nor function is a variable.

    >>> from ccc.theory.law import A, B, C
    >>> of_object(Product((A, B, C)))
    ('prod', 'A', ('prod', 'B', 'C'))
    """
    if isinstance(a, Product):
        parts = [of_object(part) for part in a.parts]
        found = parts.pop() if parts else ONE
        while parts:
            found = ("prod", parts.pop(), found)
        return found
    if isinstance(a, Exponential):
        return ("exp", of_object(a.dom), of_object(a.cod))
    return str(a) if isinstance(a, Variable) else type(a).__name__


class Combinators:
    """The category whose arrows are terms with pairs."""

    def __init__(self, types: dict[str, tuple[Object, Object]]) -> None:
        self.types = types

    def identity(self, a: Object) -> Term:
        return ("id", of_object(a))

    def compose(self, first: Term, *others: Term) -> Term:
        for other in others:
            first = ("comp", first, other)
        return first

    def terminal(self, a: Object) -> Term:
        return ("bang", of_object(a))

    def prod(self, *arrows: Term) -> Term:
        found = arrows[-1]
        for f in reversed(arrows[:-1]):
            found = ("pair", f, found)
        return found

    def proj(self, a: Product, index: int) -> Term:
        whole, steps = of_object(a), list[Term]()
        for _ in range(index):
            steps.append(("snd", *whole[1:]))
            whole = whole[2]
        if index < len(a.parts) - 1:
            steps.append(("fst", *whole[1:]))
        return self.compose(*steps) if steps else ("id", whole)

    def curry(self, body: Term, term: Any) -> Term:
        return ("curry", body)

    def eval(self, function: Exponential) -> Term:
        return ("ev", of_object(function.dom), of_object(function.cod))

    def const(self, term: Const) -> Term:
        return ("comp", ("bang", of_object(term.dom)), ("var", str(term.value), ONE, of_object(term.cod)))

    def primitive(self, term: Prim) -> Term:
        return ("var", term.primitive.name, of_object(term.dom), of_object(term.cod))

    def metavariable(self, name: str) -> Term:
        return ("var", name, *[of_object(a) for a in self.types[name]])


def sides(law: Law) -> tuple[Term, Term] | None:
    """Both sides of a law as terms with pairs; None where it says something of control."""
    arrows = [Metavariable(name, a, b) for name, a, b in law.arrows]
    found: tuple[Arrow, Arrow] = law.sides(*arrows, *[Const(Product(()), name, a) for name, a in law.constants])
    if not all(isinstance(node, EQUATIONAL) for side in found for node in postorder(side)):
        return None
    k = Combinators({name: (a, b) for name, a, b in law.arrows})
    left, right = [functor(k, side) for side in found]
    return left, right


def equational() -> list[Law]:
    """The laws whose sides are terms of a cartesian closed category."""
    return [law for laws in SECTIONS.values() for law in laws if sides(law) is not None]


# -- text ----------------------------------------------------------------------------------------------------------

NAMES = {"id": "ident"}


def text(f: Any, of: str = "K.", inside: bool = False) -> str:
    """An object or an arrow, applied to what it takes, in parentheses where it is an argument."""
    if isinstance(f, str) or f[0] == "var":
        return f if isinstance(f, str) else str(f[1])
    if f == ONE:
        return f"{of}one"
    name: str = f[0]
    shown = " ".join([of + NAMES.get(name, name), *[text(part, of, True) for part in f[1:]]])
    return f"({shown})" if inside else shown


def hom(f: Term, of: str = "K.") -> str:
    """The type of an arrow."""
    return f"{of}Hom {text(dom(f), of, True)} {text(cod(f), of, True)}"


def variables(f: Any) -> Iterator[Any]:
    """The names of objects in a term, and its arrows of which nothing is known."""
    if isinstance(f, str):
        yield f
    elif f[0] == "var":
        yield from [*variables(f[2]), *variables(f[3]), f]
    else:
        for part in f[1:]:
            yield from variables(part)


def binders(f: Term, g: Term, of: str = "K.") -> str:
    """The parameters of an equation: the objects, and the arrows with their types."""
    found = list(dict.fromkeys([*variables(f), *variables(g)]))
    return bound([x for x in found if isinstance(x, str)], [x for x in found if not isinstance(x, str)], of)


def bound(objects: Iterable[str], arrows: Iterable[Term], of: str) -> str:
    names = " ".join(objects)
    return " ".join([*([f"{{{names} : {of}Ob}}"] if names else []), *[f"({x[1]} : {hom(x, of)})" for x in arrows]])


def structure() -> str:
    """What a cartesian closed category is."""
    axioms = [(rule.name, constant(rule.left), constant(rule.right)) for rule in AXIOMS]
    fields = [f"  {name} : ∀ {ordered(RULES[name], '')}, {text(left, '')} = {text(right, '')}"
              for name, left, right in axioms]
    return "\n".join([
        "structure CCC where",
        "  Ob : Type u", "  Hom : Ob → Ob → Type v", "  one : Ob", "  prod : Ob → Ob → Ob", "  exp : Ob → Ob → Ob",
        "  ident : (a : Ob) → Hom a a", "  comp : {a b c : Ob} → Hom a b → Hom b c → Hom a c",
        "  bang : (a : Ob) → Hom a one", "  pair : {a b c : Ob} → Hom a b → Hom a c → Hom a (prod b c)",
        "  fst : (a b : Ob) → Hom (prod a b) a", "  snd : (a b : Ob) → Hom (prod a b) b",
        "  curry : {a b c : Ob} → Hom (prod a b) c → Hom a (exp b c)",
        "  ev : (b c : Ob) → Hom (prod (exp b c) b) c", *fields])  # fmt: skip


def ordered(rule: Rule, of: str = "K.") -> str:
    """The parameters of a rule: its objects, and its arrows in their order."""
    params = [constant(param) for param in rule.params]
    return bound(dict.fromkeys([x for param in params for x in variables(param) if isinstance(x, str)]), params, of)


def justified(before: Term, after: Term, step: Step) -> list[str]:
    """Why a term is equal to the one after a step, in lines."""
    found = instances(Step(step.path, step.rule, True), before if step.forward else after)
    rule = RULES[step.rule]
    called = f"K.{rule.name}" if rule in AXIOMS else f"{rule.name} K"
    why = " ".join([called, *[text(found[param[1]], inside=True) for param in rule.params]])
    if not step.forward:
        why = f"Eq.symm ({why})"
    if not step.path:
        return [f" {why}"]
    around = text(put(before, step.path, Z))
    return [" by", f"      have step := congrArg (fun (z : {hom(at(before, step.path))}) => {around}) ({why})",
            "      exact step"]  # fmt: skip


def calculation(chain: Chain) -> str:
    """A chain of rewrites as Lean checks it."""
    if len(chain) == 1:
        return "rfl"
    lines = ["by", "  calc"]
    for i, ((before, _), (after, step)) in enumerate(pairwise(chain)):
        assert step is not None
        first, *more = justified(before, after, step)
        lines += [f"    {text(before) if i == 0 else '_'} = {text(after)} :={first}", *more]
    return "\n".join(lines)


def stated(name: str, binding: str, left: Term, right: Term, chain: Chain) -> str:
    """A theorem with its proof."""
    return (f"theorem {name} (K : CCC.{{u, v}}) {binding} :\n"
            f"    {text(left)} = {text(right)} := {calculation(chain)}")


def theorem(law: Law) -> str:
    """A law as a theorem; what it says is `sides`.

    Raises `ValueError` where its sides have two normal forms, or it is no equation between terms of the theory.
    """
    found = sides(law)
    if found is None:
        raise ValueError(f"{law.name} is about more than cartesian closed categories")
    return stated(f"law_{law.name.replace('-', '_')}", binders(*found), *found, proof(*found))


def certificate() -> str:
    """The file.

    >>> print(certificate()[:74])
    /- The equations of cartesian closed categories, and what follows of them.
    """
    left_out = [law.name for laws in SECTIONS.values() for law in laws if sides(law) is None]
    proofs = lemmas()
    head = [
        "/- The equations of cartesian closed categories, and what follows of them.",
        "", "Composition is written in the order in which arrows run: `comp f g` is first f, then g. A product of",
        "three is a pair of the first and the pair of the others. Each line of a proof rewrites one part, `z`, by one",
        "equation: an axiom, or a lemma that is proved before.",
        f"Not here, as they are about branches, loops or recursion: {', '.join(left_out)}. -/",
    ]  # fmt: skip
    shown = [
        stated(rule.name, ordered(rule), constant(rule.left), constant(rule.right), proofs[rule.name])
        for rule in LEMMAS
    ]
    shown += [f"/-- {law.statement} -/\n{theorem(law)}" for law in equational()]
    return "\n\n".join(["\n".join(head), "universe u v", structure(), *shown]) + "\n"


def judged(file: str) -> tuple[bool, str] | None:
    """Whether Lean accepts a file, and what it says; None where there is no `lean` that runs."""
    lean = shutil.which("lean")
    known = [lean, "--version"] if lean is not None else []
    if not known or subprocess.run(known, capture_output=True, check=False).returncode != 0:
        return None
    done = subprocess.run([lean or "", file], capture_output=True, text=True, check=False)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def shown_steps(law: Law) -> str:
    """A proof for readers: each term, and by which equation it is that before.

    >>> from ccc.theory import LAWS
    >>> print(shown_steps(LAWS["prod-left"]))
    prod(f, g) ; proj_left
      = f    by fst_pair
    """
    found = sides(law)
    assert found is not None
    (start, _), *others = proof(*found)
    lines = [written(start)]
    lines += [f"  = {written(f)}    by {step.rule}{'' if step.forward else ', read backwards'}"
              for f, step in others if step is not None]  # fmt: skip
    return "\n".join(lines)


def written(f: Term) -> str:
    """A term as the statements of laws are written.

    >>> written(("curry", ("comp", ("fst", "A", "B"), ("var", "f", "A", "C"))))
    'curry(proj_left ; f)'
    """
    match f:
        case ("comp", first, last):
            return f"{written(first)} ; {f'({written(last)})' if last[0] == 'comp' else written(last)}"
        case ("pair", first, second):
            return f"prod({written(first)}, {written(second)})"
        case ("curry", body):
            return f"curry({written(body)})"
        case ("var", name, *_):
            return str(name)
        case (kind, *_):
            return {"fst": "proj_left", "snd": "proj_right", "ev": "eval", "bang": "terminal"}.get(kind, str(kind))
        case _:
            raise AssertionError(f)


__all__ = ["Path", "certificate", "judged", "shown_steps", "theorem"]
