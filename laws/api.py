"""What people run on their own: a category, an exponential, a primitive, a pass.

>>> from ccc.categories.functions import Functions
>>> print(check(Functions, examples=5, only=["category"]).summary()[:40])
3 laws, 1 category, 15 examples, seed 0,

The reports are true where all is as the theory says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TextIO

from ccc.arrows import Arrow
from ccc.compile.diagnostics import telling
from ccc.laws.catalogue import chosen
from ccc.laws.passes import of_pass
from ccc.laws.report import Report
from ccc.laws.rules import rule_checks
from ccc.laws.runs import EXAMPLES, judged
from ccc.laws.subjects import standard, subject_of
from ccc.objects import Object
from ccc.primitives.primitive import Primitive


@telling
def check(
    category: Any, *, exponential: Any = None, examples: int = EXAMPLES, only: Iterable[str] | None = None,
    seed: int = 0, example: int | None = None, point: Any = None, same: Any = None, progress: TextIO | None = None,
) -> Report:
    """Judge a category, given as such, as its class or as a `Subject`; an exponential goes into the class.

    >>> from ccc.categories.exponentials import Delta
    >>> from ccc.categories.reverse import Reverse
    >>> report = check(Reverse, exponential=Delta(), examples=10, only=["curry-beta", "curry-eta"])
    >>> [verdict.outcome for verdict in report.verdicts]
    ['proved', 'up to ≅']

    Laws about combinators that it lacks do not apply. With `example` that one alone is drawn, as a report says to see
    it again. `point(object, draw)` draws an element of a first-order object
    where elements are no numbers, and `same(left, right)` compares two; arrows that cannot be called are compared
    themselves. Raises `NotJudged` for what is no category, `NothingNamed` for a law that there is not.
    """
    subject = subject_of(category, exponential=exponential, point=point, same=same)
    return judged([subject], chosen(only), examples=examples, seed=seed, example=example, progress=progress)


@telling
def check_rule(
    rule: Primitive, *objects: Object, examples: int = EXAMPLES, only: Iterable[str] | None = None, seed: int = 0,
    example: int | None = None, point: Any = None, **params: Any,
) -> Report:
    """Judge the derivative of a primitive at these objects, by default as many reals as it has arguments.

    >>> from ccc.primitives.arithmetic import mul
    >>> report = check_rule(mul, examples=10)
    >>> report.ok, [verdict.check for verdict in report.verdicts]
    (True, ['rule-slope', 'rule-transpose', 'rule-linear', 'rule-pure', 'rule-zero', 'rule-second'])
    >>> from dataclasses import replace
    >>> wrong = replace(mul, pullback=lambda ct, y, a, b: (ct * a, ct * b))
    >>> [verdict.check for verdict in check_rule(wrong, examples=10).unexpected]
    ['rule-slope', 'rule-transpose']

    The slope is compared with differences of the value, with a bound that comes from the steps taken. `point(draw)`
    draws arguments where the primitive is not defined everywhere.
    """
    subject, checks = rule_checks(rule, objects, params, point)
    wanted = [check for check in checks if only is None or check.name in only]
    return judged([subject], wanted, examples=examples, seed=seed, example=example, again="laws.check_rule(...)")


@telling
def check_pass(
    rewrite: Callable[[Arrow], Arrow], *, examples: int = EXAMPLES, only: Iterable[str] | None = None, seed: int = 0,
    example: int | None = None, progress: TextIO | None = None,
) -> Report:
    """Judge a pass over terms: it keeps the type, the value and the derivatives of every arrow, in all categories.

    >>> check_pass(lambda f: f, examples=5).ok
    True
    >>> from ccc.arrows import Prod
    >>> def unordered(f):
    ...     return Prod(f.arrows[::-1]) if isinstance(f, Prod) else f
    >>> report = check_pass(unordered, examples=20)
    >>> report.ok, report.verdicts[0].counterexample.difference[:25]
    (False, 'the pass changes the type')
    """
    name = getattr(rewrite, "__name__", "pass")
    checks = [check for check in [of_pass(rewrite, name)] if only is None or check.name in only]
    return judged(standard(), checks, examples=examples, seed=seed, example=example, progress=progress,
                  again="laws.check_pass(...)")


