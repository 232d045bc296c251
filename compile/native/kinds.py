"""Of which kind a number is where it is one of several: a branch, a loop or the largest of some gives it as it is.

Machine code has one kind for each variable, and gives a float where plain Python gives an int beside floats. A truth,
and an integer of NumPy beside other numbers, it would give as what they are not; such results are left to NumPy.
"""

from __future__ import annotations

from ccc.compile.native.layout import NotNative
from ccc.compile.program.lam import Apply, Atom, Branch, Lit, Var, joined_from
from ccc.objects import INT, Bool, Int, Object, Real


def kinds(atom: Atom) -> set[Object]:
    """The objects of what a variable may be when it runs.

    >>> from ccc.objects import BOOL
    >>> print(*kinds(Lit(True, BOOL)))
    bool
    """
    found: set[Object] = set()
    seen: set[Atom] = set()
    todo = [atom]
    while todo:
        x = todo.pop()
        if x not in seen:
            seen.add(x)
            of = sources(x)
            todo += of
            found |= set() if of else {x.object}
    return found


def sources(x: Atom) -> list[Atom]:
    """What a variable is one of; nothing for one that is computed."""
    if not isinstance(x, Var):
        return []
    op = x.definition.op if x.definition is not None else None
    if isinstance(op, Apply):
        return x.definition.args if op.primitive.chooses else []  # type: ignore[union-attr]
    found = joined_from(x) or []
    if isinstance(op, Branch):
        return found
    return [s for s in found if not isinstance(s, Lit) or s.object != INT]  # a loop starts with 0 mostly, and runs


def check_width(a: Object, type_: str) -> None:
    """Raise `NotNative` for a float32 that is one of several kinds of numbers."""
    if a == Real("any") and type_ == "float":
        raise NotNative("a float32 where a number is of a kind that is not known")


def check_kind(atom: Atom) -> None:
    """Raise `NotNative` for a result that machine code would give as a number that it is not."""
    if isinstance(atom.object, Real | Int | Bool):
        found = kinds(atom)
        if len(found) > 1 and Real("float32") in found:
            raise NotNative("a result that is a float32 or another number")
        truths = any(isinstance(a, Bool) for a in found) and not isinstance(atom.object, Bool)
        if truths or (len(found) > 1 and not all(isinstance(a, Real) or a == INT for a in found)):
            raise NotNative("a result that is a truth or a number, or an integer of NumPy or another number")
