"""What a result asks for is what reaches it: the backward slice of a program against its forward slices.

    j in back {i}  iff  i in forw {j}        back from `Provenance`, forw from `Dependence`

>>> from ccc.laws.checking import run
>>> from ccc.laws.subjects import subject_of
>>> print(run(SLICING[0], [subject_of(Provenance())], examples=20)[0].outcome)
tested
"""

from __future__ import annotations

from typing import Any

from ccc.additive import ZERO, parts
from ccc.arrows import Id
from ccc.categories.dependence import Dependence
from ccc.categories.provenance import Labels, Provenance
from ccc.denotation import functor
from ccc.laws.checks import Check, Judged
from ccc.laws.equality import Difference
from ccc.laws.generate import PAIR, Generator
from ccc.laws.obligations import Sample
from ccc.laws.subjects import of_kind


def _pairs(generator: Generator, i: int) -> Sample:
    return Sample(generator.arrow(PAIR, PAIR, 4), Id(PAIR))


def _slices(comparison: Any, sample: Sample) -> Judged:
    x, f, k = comparison.point(PAIR), sample.arrow, comparison.k
    _, pb = functor(Provenance(k.exponential, k.base) if k.differentiates else k, f)(x)
    asked = parts(pb((Labels(0), Labels(1))), 2)
    back = {(i, j) for j, labels in enumerate(asked) if labels is not ZERO for i in labels.of}
    _, *marks = functor(Dependence(2).over(comparison.k.base), f)((x, (1, 0), (0, 1)))
    forth = {(i, j) for j, reached in enumerate(marks) for i in range(2) if reached[i]}
    return Judged(None if back == forth else Difference("results and numbers in them differ", x, None, back, forth))


SLICING: tuple[Check, ...] = (
    Check("slices", "soundness", "a result asks for a number where the mark of that reaches it, and nowhere else",
          _pairs, _slices,
          applies=lambda subject: isinstance(subject.category, Provenance) or of_kind("pullbacks")(subject)),
)
