"""The laws of a cartesian closed category with control, as data: stated once, executed by `laws/`.

    product      prod(f, g) ; proj_left = f        prod(h ; proj_left, h ; proj_right) = h        and fusion
    closed       cross(curry f, id) ; eval = f     curry(cross(h, id) ; eval) = h                 and naturality
    terminal     every f : T => 1 is terminal
    control      cond, fold, scan, iterate, unfold and fix unroll

A law says for which arrows it holds (`arrows`, with objects that may be variables) and what its two sides are. Laws
hold strictly (equal values, equal pullbacks) or up to ≅, the equality that a program can observe: under `Delta` the
cotangent of a closure is part of its value, and uniqueness of `curry` holds up to ≅ only.

>>> from ccc.theory.functions import CURRY_ETA
>>> print(CURRY_ETA)
curry-eta: curry(cross(h, id) ; eval) = h
>>> LAWS["curry-eta"] is CURRY_ETA, list(SECTIONS)
(True, ['category', 'terminal', 'products', 'functions', 'branches', 'loops', 'recursion'])
"""

from __future__ import annotations

from ccc.theory.control import BRANCHES, LOOPS, RECURSION
from ccc.theory.functions import FUNCTIONS
from ccc.theory.law import Law
from ccc.theory.products import CATEGORY, PRODUCTS, TERMINAL

SECTIONS: dict[str, tuple[Law, ...]] = {
    "category": CATEGORY, "terminal": TERMINAL, "products": PRODUCTS, "functions": FUNCTIONS, "branches": BRANCHES,
    "loops": LOOPS, "recursion": RECURSION,
}
THEORY: tuple[Law, ...] = tuple(law for laws in SECTIONS.values() for law in laws)
LAWS: dict[str, Law] = {law.name: law for law in THEORY}
