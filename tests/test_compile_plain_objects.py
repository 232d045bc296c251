"""Objects of classes that are no dataclasses: as items of lists of the program, as trees and chains of themselves."""

from __future__ import annotations

import copy
import functools
import math
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.records import inside, made, taken_apart


class Body:
    def __init__(self, mass: Any, path: Any = 0.0) -> None:
        self.mass = mass
        self.path = path


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b


def one(x: float, n: int) -> Any:
    return [Body(x * i) for i in range(n)][1].mass * x


def all_of_them(x: float, n: int) -> Any:
    total = 0.0
    for body in [Body(x * i, x) for i in range(n)]:
        total += body.mass * body.path
    return total


def appended(x: float, n: int) -> Any:
    bodies = [Body(x)]
    for i in range(n):
        bodies.append(Body(x * i, bodies[i].mass))
    return bodies[n].mass * bodies[n].path


def changed(x: float, n: int) -> Any:
    bodies = [Body(x * i, [x]) for i in range(n)]
    for body in bodies:
        body.mass = body.mass * x
        body.path.append(body.mass)
    return sum(bodies[1].path) * bodies[2].mass


def exchanged(x: float, n: int) -> Any:
    bodies = [Body(x * i) for i in range(n)]
    bodies[0], bodies[2] = bodies[2], bodies[0]
    return bodies[0].mass * x


def slotted(x: float, n: int) -> Any:
    found = [Slotted(x * i, x) for i in range(n)]
    return found[1].a * found[2].b + found[2].a


@pytest.mark.parametrize("f", [one, all_of_them, appended, changed, exchanged, slotted])
def test_objects_of_other_classes_have_cotangents(f: Any):
    agrees(f, 2.0, 3)
    assert ccc.gradient(f, backend="native")(2.0, 3)[0] == pytest.approx(ccc.gradient(f, backend="numpy")(2.0, 3)[0])


class Measured(float):
    pass


def test_objects_are_what_their_attributes_are():
    body = made(Body, ("mass",), (1.0,))
    assert inside(body) == taken_apart(body) == (Body, ("mass",), (1.0,))
    assert taken_apart(Measured(1.0)) is None and taken_apart(np.random) is None and taken_apart(Body) is None


class Leaf:
    def __init__(self, value: Any) -> None:
        self.value = value


class Node:
    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right

    def total(self) -> Any:
        return total_of(self.left) * 0.5 + total_of(self.right)


class Link:
    def __init__(self, value: Any, rest: Any = None) -> None:
        self.value = value
        self.rest = rest


def total_of(tree: Any) -> Any:
    return tree.value**2 if isinstance(tree, Leaf) else tree.total()


def grown(x: float, n: int) -> Any:
    tree: Any = Leaf(x)
    for i in range(n):
        tree = Node(tree, Leaf(math.sin(x * i)))
    return total_of(tree)


def sprouted(t: float, k: int) -> Any:
    return Leaf(t) if k <= 0 else Node(sprouted(t * 1.1, k - 1), sprouted(t * t, k - 2))


def returned(x: float, n: int) -> Any:
    return total_of(sprouted(x, n))


def linked(x: float, n: int) -> Any:
    head = None
    for i in range(n):
        head = Link(x * i, head)
    total = 0.0
    while head is not None:
        total = total * x + head.value
        head = head.rest
    return total


def set_by_name(x: float, n: int) -> Any:
    """What sets attributes by their names set those of a copy."""
    head = None
    for i in range(n):
        head = Link(x * i, head)
    link = head
    while link is not None:
        setattr(link, "value", getattr(link, "value") * 2.0)  # noqa: B009, B010
        object.__setattr__(link, "value", link.value + x)
        held = vars(link)
        link.__dict__["value"] *= x
        held.update(value=held["value"] + 1.0)
        link = link.rest
    assert head is not None
    return head.value * head.rest.value


@pytest.mark.parametrize("f", [grown, returned, linked, set_by_name])
def test_classes_without_annotations_hold_themselves(f: Any):
    agrees(f, 0.7, 4)


class Layer:
    def __init__(self, gain: float) -> None:
        self.gain = gain

    def forward(self, x: Any) -> Any:
        self.given = x
        self.given_twice = [x, x]
        return np.tanh(self.gain * x)

    def slope(self, x: Any) -> Any:
        self.given = 3.0 * x
        self.last = x
        return self.gain * x


def kept_in_loops(x: float, n: int) -> Any:
    layers, total = [Layer(x), Layer(0.5)], 0.0
    for k in range(n):
        h = x + k
        for layer in layers:
            h = layer.forward(h)
        total += h * layers[1].given
    return total


def kept_behind_a_known_range(x: float, n: int) -> Any:
    layer = Layer(x)
    for k in range(20):
        layer.forward(x * k)
    return layer.given * n + sum(layer.given_twice)


def kept_where_a_loop_goes_on(x: float, n: int) -> Any:
    layer, total, k = Layer(x), 0.0, 0
    while k < n:
        k += 1
        if k == 2:
            continue
        total += layer.forward(x * k)
    return total


def read_behind_a_loop(x: float, n: int) -> Any:
    layer, other = Layer(x), Layer(2.0)
    for k in range(n):
        layer.forward(x * k)
        if k == 2:
            break
    copied = copy.copy(layer)
    for k in range(n):
        other.forward(copied.given + k)
    return layer.given * other.given + sum(layer.given_twice)


def settled_early(x: float, n: int) -> Any:
    layer = Layer(x)
    for _ in range(4):
        before = layer.gain
        layer.gain = layer.forward(x + n)
        if abs(layer.gain - before) < 1e-2:
            break
    return layer.gain * layer.given


def kept_in_both_branches(x: float, n: int) -> Any:
    layer = Layer(x)
    y = layer.forward(x) if x > n else layer.slope(x)
    return y + layer.given


def kept_in_one_branch(x: float, n: int) -> Any:
    layer = Layer(x)
    if x < n:
        layer.forward(x)
    layers = [layer, Layer(2.0)]
    return sum([one.gain for one in layers]) * x


def asked_for(x: float, n: int) -> Any:
    layer, total = Layer(x), 0.0
    for k in range(4):
        if k == n:
            layer.forward(x * k)
        if hasattr(layer, "given"):
            total += layer.given_twice[1] * layer.given
    return total * x


def read_behind_a_branch(x: float, n: int) -> Any:
    layer = Layer(x)
    if n > 2:
        layer.forward(x)
    elif n > 1:
        layer.slope(x)
    return layer.given * x + (layer.last if n < 3 else sum(layer.given_twice))


def read_behind_what_ends_a_loop(x: float, n: int) -> Any:
    layer, total = Layer(x), 0.0
    while True:
        total += x
        if total > n:
            layer.last = total
            break
        layer.given = total
    return layer.last * x + (layer.given if n > 1 else 0.0)


KEPT = [kept_in_loops, kept_behind_a_known_range, kept_where_a_loop_goes_on, read_behind_a_loop, settled_early,
        kept_in_both_branches, kept_in_one_branch, asked_for, read_behind_a_branch, read_behind_what_ends_a_loop]


@pytest.mark.parametrize("f", KEPT)
def test_attributes_may_be_assigned_on_some_paths_only(f: Any):
    agrees(f, 0.7, 3)
    agrees_in_value(f, 0.7, 0)  # or what is raised


def counted(layer: Any, x: float) -> Any:
    return x * sum(1.0 for _ in vars(layer))


def given_back(layer: Any, x: float) -> Any:
    return layer


@pytest.mark.parametrize("use", [counted, given_back])
def test_attributes_without_a_value_on_some_path_are_not_taken_for_one(use: Any):
    def in_a_branch(x: float) -> Any:
        layer = Layer(x)
        if x > 1.0:
            layer.forward(x)
        return use(layer, x)

    def in_a_loop(x: float, n: int) -> Any:
        layer = Layer(x)
        for _ in range(n):
            layer.forward(x)
        return use(layer, x)

    cases: list[tuple[Any, tuple[Any, ...]]] = [
        (in_a_branch, (0.5,)), (in_a_branch, (2.0,)), (in_a_loop, (0.5, 0)), (in_a_loop, (0.5, 3))]
    for f, args in cases:
        with pytest.raises(ccc.CCCError, match=r"`\.given(_twice)?` may be unbound here"):
            ccc.compiled(f)(*args)


class Positive:
    """A descriptor that keeps what it checks under another name."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        return getattr(thing, self.name)

    def __set__(self, thing: Any, value: Any) -> None:
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(thing, self.name, value)


class Typed:
    """A descriptor that is only set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, thing: Any, value: Any) -> None:
        if not isinstance(value, float):
            raise TypeError(self.name)
        thing.__dict__[self.name] = value


class Lazy:
    """A descriptor that is asked once."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        found = self.function(thing)
        setattr(thing, self.function.__name__, found)
        return found


class Room:
    width = Positive()
    height = Positive()
    price: Any = Typed()

    def __init__(self, width: Any, height: Any) -> None:
        self.width = width
        self.height = height
        self.price = width

    def grow(self, by: Any) -> None:
        self.width *= by

    doubled = functools.partialmethod(grow, 2.0)

    @Lazy
    def area(self) -> Any:
        return self.width * self.height


def room(x: float, n: int) -> Any:
    found = Room(x, 2.0)
    for i in range(n):
        found.height = found.height * x + i
        found.price *= 0.5
    found.doubled()
    area = found.area
    found.width = 1.0
    return area * found.area * found.price + found.width


def no_room(x: float, n: int) -> Any:
    rooms = [Room(x, 1.0) for _ in range(n)]
    for i, each in enumerate(rooms):
        each.height = 2.0 - i
    return rooms[0].height


def test_descriptors_are_asked_and_set():
    agrees(room, 0.7, 4)
    agrees_in_value(no_room, 0.7, 4)
    agrees(lambda r: r.width * r.height, Room(2.0, 3.0), second=False)


class Terms:
    scale = 2.0

    def __init__(self, rate: Any) -> None:
        self.rate = rate

    def term_one(self, x: Any) -> Any:
        return x * self.scale

    def term_two(self, x: Any) -> Any:
        return x * x * self.rate


def test_dir_names_what_an_object_and_its_class_have():
    agrees(lambda x: sum([getattr(Terms(x), name)(x) for name in dir(Terms) if name.startswith("term_")]), 1.3)
    agrees(lambda x: x * len(dir(Terms(x))) + dir(Terms(x)).index("rate") * x * x, 1.3)


def test_dir_of_a_class_that_has_changed_is_asked_again():
    class_of = type("Rates", (), {"__module__": __name__, "rate_a": 2.0})

    def f(x: Any) -> Any:
        return sum([getattr(class_of, name) * x for name in dir(class_of) if name.startswith("rate_")])

    assert ccc.gradient(f)(1.0) == 2.0
    class_of.rate_b = 3.0  # type: ignore[attr-defined]
    assert ccc.gradient(f)(1.0) == 5.0
