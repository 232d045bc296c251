"""Where it counts that Python asks of two items whether they are one object, before whether they are equal.

>>> class Never:
...     def __eq__(self, other):
...         return False
>>> item = Never()
>>> item in [item], item == item, identity_counts(item, item), identity_counts(1.0, 1.0)
(True, False, True, False)
"""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.parts import class_defines, generated
from ccc.compile.frontend.regions import Reference, class_behind, is_reference
from ccc.objects import Coproduct, Real, Record


class IdentityCounts:
    """Whether a class of a user's says what is equal to one of two items, or both are one number, which may be NaN:
    else what is one object is equal as well. Objects at places may lead to themselves, so that it ends there."""

    def __call__(self, a: Any, b: Any) -> bool:
        return any(class_defines(type(value), "__eq__") for value in (a, b)) or (a is b and a != a)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> bool:
        one, other = args
        number = one is other and isinstance(getattr(one, "object", None), Real)
        return number or any(class_defines(cls, "__eq__") or (
            issubclass(cls, Reference) and generated(class_behind(cls), "__eq__"))
            for value in args for cls in classes_of(value))


identity_counts = IdentityCounts()


def classes_of(value: Any) -> list[type]:
    """The classes of the objects that a value may be."""
    if is_reference(value):
        return [value.cls]
    a = getattr(value, "object", None)
    found = [b.cls for b in a.alternatives if isinstance(b, Record)] if isinstance(a, Coproduct) else [class_of(value)]
    return [cls for cls in found if isinstance(cls, type)]
