"""Which classes a number may have that branches, loops and lists make of several: they give one type to all.

An int that meets a real is one in the types of a program, and keeps its class where plain code runs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.compile.frontend.describing import described
from ccc.compile.program.lam import Apply, Atom, BlockKind, Call, Lambda, Lit, Var, joined_from
from ccc.objects import Array, Bool, Coproduct, Int, List, Object, Real, innermost
from ccc.primitives.primitive import is_real
from ccc.primitives.results import real_by

PLAIN: dict[str, type] = {"int": int, "bool": bool, "float": float, "fraction": Fraction}
NUMBERS = (float, int, np.float64, np.float32, np.float16, np.longdouble, Fraction)


def class_of_kind(kind: str) -> type:
    """The class of numbers of a kind: Python's, or the scalars of a dtype of NumPy's."""
    return PLAIN.get(kind) or np.dtype(kind).type


def classes_of(number: Var) -> tuple[type, ...]:
    """The classes that a value of a real may have."""
    a = number.object
    kinds: tuple[str, ...] = () if not isinstance(a, Real) else a.kinds if a.kind == "any" else (a.kind,)
    found = tuple(map(class_of_kind, kinds))
    if not found:
        return NUMBERS
    integers = [cls for atom in not_real(number) for cls in integers_of(atom) if cls not in found]
    return (*found, *dict.fromkeys(integers))


def is_of_several(value: Any, integers: bool = False) -> bool:
    """Whether a value is a real of which the classes that it may have are known, and are several of floats: it has one
    of them when the program runs. There may be `integers` among them where that makes no difference."""
    found = classes_of(value) if isinstance(value, Var) and isinstance(value.object, Real) else ()
    floats = (float, np.floating, int) if integers else (float, np.floating)
    return 1 < len(found) < len(NUMBERS) and all(issubclass(cls, floats) for cls in found)


def is_int_or_float(value: Any) -> bool:
    """Whether a value is a real in the types of the program, and in some runs surely an int."""
    return isinstance(value, Var) and isinstance(value.object, Real) and may_be_int(value, set())


def may_be_int(atom: Atom, seen: set[Atom]) -> bool:
    """Whether an atom is an int in some runs: one of what meets there, or what is computed of ints alone."""
    if isinstance(atom, Lit):
        return isinstance(atom.value, int)
    if isinstance(atom.object, Int) or atom in seen:
        return isinstance(atom.object, Int)
    seen.add(atom)
    if met := joined_from(atom) or returned_by(atom):
        return any([may_be_int(x, seen) for x in met])
    op = None if atom.definition is None else atom.definition.op
    if atom.definition is None or not isinstance(op, Apply):
        return False
    args = list(atom.definition.args)
    if op.primitive.chooses:
        return any([may_be_int(x, seen) for x in args])
    by = real_by(op.primitive, tuple([a.object for a in args]), op.params)
    return bool(by) and all([may_be_int(args[i], seen) for i in by or ()])


def returned_by(var: Var) -> list[Atom]:
    """What the function of the program gives that is called for a variable; nothing for what is no such result."""
    let = var.definition
    if let is None or not isinstance(let.op, Call) or not isinstance(let.args[0], Var):
        return []
    made = let.args[0].definition
    results = made.op.body.results if made is not None and isinstance(made.op, Lambda) else []
    return [results[let.targets.index(var)]] if len(results) == len(let.targets) else []


def in_kinds(value: Any) -> str:
    """What a value is, for a message that says of which classes it may be."""
    a = value.object if isinstance(value, Var) else None
    classes = classes_of(value) if isinstance(a, Real) else NUMBERS
    if len(classes) == len(NUMBERS):
        return described(value)
    return f"a number of {' or '.join([cls.__name__ for cls in classes if cls is not bool])}"


def only_answer(classes: Any, possible: tuple[type, ...]) -> type | None:
    """One of the classes that are possible, if all of them answer alike whether they are among some classes."""
    first, *others = possible
    return first if all(issubclass(cls, classes) is issubclass(first, classes) for cls in others) else None


def integers_of(atom: Atom) -> tuple[type, ...]:
    """The classes that an integer may have which was met where a real is expected."""
    if isinstance(atom, Lit):
        return (type(atom.value),)
    a = atom.object
    ways = a.of_kinds if isinstance(a, Int) else (a,) if isinstance(a, Bool) else ()
    kinds = [way.kind for way in ways if way.kind != "any"]
    return tuple(map(class_of_kind, kinds)) or (int, bool)


def not_real(var: Var) -> list[Atom]:
    """The values that are met in a real where it may be an integer; none where it is surely a real."""
    needs: dict[Atom, tuple[Any, list[Atom]]] = {}
    todo: list[Atom] = [var]
    while todo:
        atom = todo.pop()
        if atom not in needs:
            needs[atom] = makes_real(atom)
            todo += needs[atom][1]
    sure = set(needs)
    while wrong := {x for x in sure if not needs[x][0](y in sure for y in needs[x][1])}:
        sure -= wrong
    return [] if var in sure else [x for x in needs if x not in sure and not needs[x][1]]


def number_in(a: Object) -> Object:
    """The number that a value is, or may be where it is one of several; itself where that is none."""
    of = [b for b in a.alternatives if isinstance(b, Real | Int | Bool)] if isinstance(a, Coproduct) else []
    return of[0] if of else a


def makes_real(atom: Atom) -> tuple[Any, list[Atom]]:
    """Of what an atom is a real: `all` of some atoms, or `any` of them."""
    if isinstance(atom, Lit):
        return (any if isinstance(atom.value, (int, np.integer, np.bool_)) else all), []
    if isinstance(atom.object, Array):
        return (all if atom.object.is_real and atom.object.axes is not None else any), []
    if atom.definition is None and atom.home is not None and atom.home.kind is BlockKind.TOP:
        return (all if is_real(number_in(atom.object)) else any), []
    met = joined_from(atom)
    number = number_in(innermost(atom.object))
    if met is not None or not is_real(number):  # what is no number at all never is one of another class
        return all if met or not isinstance(number, Int | Bool) else any, met or []
    if found := returned_by(atom):
        return all, found
    if atom.definition is None or not isinstance(atom.definition.op, Apply):
        return any, []
    op, args = atom.definition.op, list(atom.definition.args)
    if op.primitive.chooses or op.primitive.places:  # the others say places
        return all, args if op.primitive.chooses else args[:1]
    if isinstance(atom.object, List) or op.primitive.memory_of(op.params).how == "same":  # each as it is
        return all, args
    by = real_by(op.primitive, tuple([a.object for a in args]), op.params)
    return (all if by == () else any), [args[i] for i in by or ()]
