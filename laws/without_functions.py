"""What no function occurs in means the same under every exponential, so it is decided once for all of them: a proof
where no arrow has a function, an example where no exponential is asked while it is judged.

An exponential says what `curry`, `eval` and recursion are and what the cotangent of a function is; reverse mode reads
everything else without it.

>>> from ccc.laws.subjects import standard
>>> from ccc.theory.products import PROD_LEFT
>>> asked = []
>>> for subject in standard():
...     _ = once(subject, PROD_LEFT.pattern(), "doctest", lambda: asked.append(subject.name))
>>> asked
['Functions', 'Reverse(AdditiveMap)', 'Forward', 'CHAD', 'Dialectica']

>>> reverse = standard()[1]
>>> with Watched([reverse]) as watched:
...     _ = reverse.category.identity(None)
...     print(watched.asked)
...     _ = reverse.category.eval(None)
...     print(watched.asked)
False
True
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, TypeVar

from ccc.arrows import Arrow, postorder
from ccc.categories.reverse import Reverse
from ccc.laws.generate import inside
from ccc.laws.subjects import Subject
from ccc.objects import Exponential, Object

T = TypeVar("T")
_decided: dict[Hashable, object] = {}


def once(subject: Subject, arrows: Iterable[Arrow], what: Hashable, decide: Callable[[], T]) -> T:
    """What `decide` gives of these arrows, as it was found in this project's reverse mode under another exponential
    where none of them has a function."""
    if not in_common(subject) or not first_order(arrows):
        return decide()
    key = what, subject.category.base
    if key not in _decided:
        _decided[key] = decide()
    return _decided[key]  # type: ignore[return-value]


def in_common(subject: Subject) -> bool:
    """Whether it is this project's reverse mode, of which there is one under each exponential."""
    return subject.known and type(subject.category) is Reverse


def family(subject: Subject) -> Hashable:
    """What the categories have in common that differ in their exponential alone; None for any other."""
    if not in_common(subject) or subject.point is not None or subject.same is not None:
        return None
    return type(subject.category), subject.category.base, subject.kind, subject.numbers.name


class Watched:
    """Notes, while it is open, whether the exponentials of some categories are asked for anything."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self.exponentials = [subject.exponential for subject in subjects if family(subject) is not None]
        self.asked = False

    def __enter__(self) -> Watched:
        for e in self.exponentials:
            for name, method in [(name, getattr(e, name)) for name in dir(e) if not name.startswith("_")]:
                if callable(method):
                    setattr(e, name, partial(self.ask, method))
        return self

    def __exit__(self, *raised: object) -> None:
        for e in self.exponentials:
            for name in [name for name, method in vars(e).items() if isinstance(method, partial)]:
                delattr(e, name)

    def ask(self, method: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        self.asked = True
        return method(*args, **kwargs)


def forget() -> None:
    """Forget what was decided: what is decided next may be of another source."""
    _decided.clear()


def first_order(arrows: Iterable[Arrow]) -> bool:
    """Whether no function is passed on, made or called by these arrows.

    >>> from ccc.theory.functions import CURRY_BETA
    >>> from ccc.theory.products import PROD_LEFT
    >>> first_order(PROD_LEFT.pattern()), first_order(CURRY_BETA.pattern())
    (True, False)
    """
    objects: set[Object] = {a for arrow in arrows for node in postorder(arrow) for a in (node.dom, node.cod)}
    return not any(isinstance(b, Exponential) for a in objects for b in inside(a))
