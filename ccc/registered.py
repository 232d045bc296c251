"""Classes of other libraries that are structures: what their parts are, and how an object is made of parts.

>>> class Celsius:
...     __slots__ = ("degrees",)
...     def __init__(self, degrees):
...         self.degrees = degrees
>>> register(Celsius, lambda t: {"degrees": t.degrees}, Celsius) is Celsius
True
>>> registered(Celsius).parts(Celsius(20.0)), registered(int) is None
({'degrees': 20.0}, True)
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ccc.errors import UnknownObject
from ccc.spaces import BUILT_IN
from ccc.values import slotted

C = TypeVar("C", bound=type)


@slotted
class Registered:
    """What a class was registered with."""

    cls: type
    to_parts: Callable[[Any], dict[str, Any]]
    from_parts: Callable[..., Any]

    def parts(self, value: Any) -> dict[str, Any]:
        """The parts of an object, by their names."""
        found = self.to_parts(value)
        if type(found) is not dict or not all([type(name) is str and name.isidentifier() for name in found]):
            raise UnknownObject(f"the parts of a `{self.cls.__name__}` are no dict with names for keys",
                                "give `register` a function like `lambda x: {'a': x.a}`")
        return found


_registered: dict[type, Registered] = {}
_below: WeakKeyDictionary[type, Registered] = WeakKeyDictionary()
READERS: list[Callable[[type], Any]] = []
"""Who knows the class in Python that is read for one below a container, which is made in C."""


def register(cls: C, to_parts: Callable[[Any], dict[str, Any]], from_parts: Callable[..., Any]) -> C:
    """Make a class a structure: `to_parts(x)` gives the parts of an object by their names, `from_parts(**parts)` an
    object.

    >>> import ccc
    >>> class Ray:
    ...     __slots__ = ("origin", "slope")
    ...     def __init__(self, origin, slope):
    ...         self.origin, self.slope = origin, slope
    >>> _ = register(Ray, lambda r: {"origin": r.origin, "slope": r.slope}, Ray)
    >>> ct = ccc.gradient(lambda ray, t: ray.origin + ray.slope * t, wrt="ray")(Ray(1.0, 2.0), 3.0)
    >>> type(ct).__name__, ct.origin, ct.slope
    ('Ray', 1.0, 3.0)

    Dataclasses, named tuples, dicts and objects of plain classes are structures without it. In programs the parts are
    attributes; methods of the class that are written in Python are read, and objects that a program makes are taken
    apart as `to_parts` says. Cotangents and tangents are objects of the class, which `from_parts` makes too, of None
    where a part holds nothing differentiable; it must not refuse or change what it is given. Gives the class. Raises
    `UnknownObject` for classes of Python's own, and where parts are no dict with names for keys.

    Source: *Automatic Differentiation in Swift*, `Differentiable` with its `TangentVector`.
    """
    if not isinstance(cls, type) or cls in BUILT_IN:  # type: ignore[reportUnnecessaryIsInstance]
        raise UnknownObject(f"`register` takes a class of a library or of your own, found {cls!r}",
                            "register a class that holds it")
    _registered[cls] = Registered(cls, to_parts, from_parts)
    return cls


def registered(cls: type) -> Registered | None:
    """What a class was registered with; None for others."""
    known = _registered.get(cls) if _registered else None
    # each call asks: this is no call of a function of Python's
    return _below.get(cls) if known is None and _below.data else known  # type: ignore[attr-defined]


def read_for(cls: type) -> Any:
    """The class that is read for one below a container; None where there is none, as for dict itself."""
    if cls is dict or not is_container(cls):
        return None
    return next((found for reader in READERS if (found := reader(cls)) is not None), None)


def is_container(cls: type) -> bool:
    """Whether a class is dict, list, deque, set or one below, whose parts are what it holds, as those of a tuple."""
    return issubclass(cls, dict | list | deque | set)


def refill(place: Any, items: Any) -> None:
    """Let a container hold other items, as no method of a user's class does.

    >>> place = {8, 0, 1}
    >>> refill(place, [1, 2])
    >>> place
    {1, 2}
    """
    own: Any = next(cls for cls in type(place).__mro__ if cls.__module__.partition(".")[0] in sys.stdlib_module_names)
    if isinstance(place, set):
        own.difference_update(place, own.difference(place, items))  # what it keeps stays where it is
    else:
        own.clear(place)
    (own.update if isinstance(place, dict | set) else own.extend)(place, items)


def filled(cls: Any, items: Any, attributes: dict[str, Any]) -> Any:
    """An object of a class below a container, with these items and attributes, whose `__init__` does not run.

    >>> class Path(list):
    ...     pass
    >>> found = filled(Path, [1, 2], {"end": 3})
    >>> found, found.end
    ([1, 2], 3)
    """
    made = cls.__new__(cls)
    refill(made, items)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def below_container(cls: type) -> Registered | None:
    """What a class below dict, list, deque or set counts as registered with: the container and the attributes that its
    objects have; None for others, and where such a class is not read. A set, whose items are its keys, has no
    cotangent."""
    if not hasattr(read_for(cls), "__ccc_given__"):
        return None
    of = weakref.ref(cls)  # so that what is known of a class ends with it

    def from_parts(**parts: Any) -> Any:
        cls: Any = of()
        if issubclass(cls, set) and any([x is not None and y is None for x, y in parts["table"].items()]):
            return None
        return read_for(cls).__ccc_gives__(**parts)

    known = _below[cls] = Registered(dict, lambda x: read_for(type(x)).__ccc_given__(x), from_parts)
    return known
