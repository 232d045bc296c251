"""Terms as data: a functor is a fold over the nodes of a term, children first.

>>> [check.name for check in TERMS]
['fold-in-postorder']
"""

from __future__ import annotations

from typing import Any

from ccc.arrows import postorder
from ccc.denotation import functor
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.obligations import Sample, first_order
from ccc.laws.subjects import Subject


def _fold(comparison: Any, sample: Sample) -> Judged:
    """Every distinct node once, children first, the term last; and the images in that order make that of the term."""
    f = sample.arrow
    nodes = list(postorder(f))
    place = {id(node): i for i, node in enumerate(nodes)}
    below = all(id(child) in place and place[id(child)] < i for i, node in enumerate(nodes) for child in node.children)
    if len(place) != len(nodes) or not below or nodes[-1:] != [f]:
        return Judged(Difference("a term is not listed children first", str(f), None, len(nodes), len(place)))
    k, image = comparison.k, dict[int, Any]()
    for node in nodes:
        image[id(node)] = node.into(k, *[image[id(child)] for child in node.children])
    x = comparison.point(f.dom)
    found, expected = image[id(f)](x), functor(k, f)(x)
    return Judged(None if found == expected else Difference("the fold differs", x, None, found, expected))


def _plain(subject: Subject) -> bool:
    return subject.kind == "values" and subject.known


TERMS: tuple[Check, ...] = (
    Check("fold-in-postorder", "terms", "⟦f⟧ is the fold of ⟦ ⟧ over the nodes of f, children first", first_order,
          _fold, applies=_plain, share=0.5),
)

