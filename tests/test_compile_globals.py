"""What a function reads from outside: numbers and arrays are read at each call, all else is seen when it is rebound."""

from __future__ import annotations

import functools
import math
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, same, value_of

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.captures import Root
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.frontend.guards import Guard
from ccc.compile.frontend.outside import kind

scale = 2.0
weights = np.array([1.0, 2.0, 3.0])
count = 3
helpers = (math.sin, lambda y: y * scale)
pair = (2.0, (weights, 5))
table = {"rate": 0.5, "steps": 2}
rates = [0.1, 0.2]
functions = [math.sin, math.cos]


class Settings:
    """Constants of a class."""

    factor = 3.0
    size = 2


def twice(x: float) -> float:
    return 2.0 * x


def of_globals(x, v):
    s = x * scale
    for i in range(count):
        s = s * 1.5 + i
    return s + helpers[0](x) * helpers[1](x) + (weights * v * v).sum() + pair[0] * pair[1][0][1] * pair[1][1]


def of_tables(x):
    s = x * table["rate"] * Settings.factor
    for i in range(table["steps"] + Settings.size):
        s = s * x + i
    for r in rates:
        s = s + r * x
    for f in functions:
        s = s + f(x)
    return s if "rate" in table else x


def test_values_from_outside():
    agrees(of_globals, 1.5, np.array([0.5, 0.25, 4.0]))
    agrees(of_tables, 0.7)


@pytest.fixture
def module(tmp_path, monkeypatch) -> Any:
    """A module whose names the tests rebind."""
    text = '''
import math
import numpy as np

rate = 2.0
steps = 3
mode = "fast"
weights = np.array([1.0, 2.0])
items = [1.0, 2.0]
functions = [math.sin]
sizes = (2, 3)
settings = {"rate": 1.0}


class Settings:
    rate = 1.0


def inner(x):
    return x * rate


def scaled(x):
    return inner(x)


def powers(x):
    s = x
    for i in range(steps):
        s = s * x
    return s


def chosen(x):
    return x * x if mode == "fast" else -x


def weighted(x):
    return (weights * x).sum()


def total(x):
    s = x
    for item in items:
        s = s * item
    return s


def applied(x):
    s = x
    for f in functions:
        s = f(s)
    return s


def reshaped(x):
    return (np.ones(sizes) * x).sum()


def looked_up(x):
    return x * settings["rate"]


def by_class(x):
    return x * Settings.rate


def with_default(x, y=np.array([1.0, 2.0]), *, z=3.0):
    return (x * y).sum() * z


def whether(x):
    return x if "extra" in settings else 2.0 * x
'''
    path = tmp_path / "outside_module.py"
    path.write_text(text)
    space = types.ModuleType("outside_module")
    exec(compile(text, str(path), "exec"), space.__dict__)
    return space


def seen(f: Callable[[float], float], change: Callable[[], Any]) -> None:
    """A change outside is seen by value and gradient at the next call, also where types change."""
    transform, gradient = Transform(f), ccc.gradient(f)
    for _ in range(2):
        assert same(transform.compiled((1.5,), {})[0], f(1.5))
        h = 2.0**-20
        slope = (f(1.5 + h) - f(1.5 - h)) / (2 * h)
        assert abs(gradient(1.5) - slope) <= 2.0**-24 * (1 + abs(slope))
        change()


CHANGES: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda m: setattr(m, "rate", 5.0),
    "powers": lambda m: setattr(m, "steps", 5),
    "chosen": lambda m: setattr(m, "mode", "slow"),
    "weighted": lambda m: operator.setitem(m.weights, 0, 7.0),
    "total": lambda m: m.items.append(4.0),
    "applied": lambda m: m.functions.append(math.cos),
    "reshaped": lambda m: setattr(m, "sizes", (4,)),
    "looked_up": lambda m: m.settings.update(rate=7.0),
    "by_class": lambda m: setattr(m.Settings, "rate", 7.0),
    "with_default": lambda m: operator.setitem(m.with_default.__defaults__[0], 0, 7.0),
    "whether": lambda m: m.settings.update(extra=1.0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(module, name: str):
    seen(getattr(module, name), lambda: CHANGES[name](module))


@pytest.mark.parametrize(("name", "value"), [
    ("rate", 3), ("rate", np.float64(3.0)), ("rate", np.float32(3.0)), ("rate", True),
])
def test_a_number_of_another_kind_is_seen(module, name: str, value: Any):
    seen(module.scaled, lambda: setattr(module, name, value))


def test_an_array_of_another_shape_or_dtype_is_seen(module):
    for value in (np.array([3.0]), np.array(3.0), np.ones((2, 2)), np.ones(2, np.float32), np.array([1, 2])):
        seen(module.weighted, lambda value=value: setattr(module, "weights", value))


def test_functions_are_seen_when_rebound(module):
    seen(module.scaled, lambda: setattr(module, "inner", lambda x: x * x * module.rate))


def test_defaults_are_seen_when_rebound(module):
    seen(module.with_default, lambda: setattr(module.with_default, "__defaults__", (2.0,)) or
         setattr(module.with_default, "__defaults__", (np.array([5.0]),)))
    seen(module.with_default, lambda: module.with_default.__kwdefaults__.update(z=4.0))


def test_cells_are_read_at_each_call():
    k, f = 2.0, math.sin

    def g(x: float) -> float:
        return f(x) * k

    gradient = ccc.gradient(g)
    assert gradient(0.5) == math.cos(0.5) * 2.0
    k = 3.0
    assert gradient(0.5) == math.cos(0.5) * 3.0
    f = math.exp
    assert gradient(0.5) == math.exp(0.5) * 3.0


def test_a_name_that_is_gone_is_refused_where_it_is_read(module):
    gradient = ccc.gradient(module.scaled)
    assert gradient(1.0) == 2.0
    del module.rate
    with pytest.raises(ccc.errors.CCCError, match="name `rate` is not defined"):
        gradient(1.0)


def test_hidden_arguments_have_no_cotangent():
    assert isinstance(ccc.gradient(of_globals)(1.5, np.ones(3)), tuple)
    assert len(ccc.gradient(of_globals)(1.5, np.ones(3))) == 2


def test_kinds_tell_apart_what_compiles_differently():
    values = [
        1, 1.0, True, "1", None, np.float64(1), np.float32(1), np.ones(1), np.ones(2), np.ones((1, 2)), (1,), (1.0,),
        [1.0], [1], [math.sin], [math.cos], math.sin, np.ones(2, np.float32), (1, 2.0), (1.0, 2.0),
    ]
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            assert (kind(a) == kind(b)) is (i == j), (a, b)
    assert kind((1.0, np.ones(2))) == kind((3.0, np.zeros(5)))


def test_guards_hold_the_value_that_was_found():
    guard = Guard(Root(), 1)
    assert guard.read(1) == guard.value
    assert value_of(twice, 2.0) == 4.0


# -- records in lists and tuples from outside --------------------------------------------------------------------------


@dataclass
class Held:
    w: Any


@dataclass
class Step:
    count: int
    name: str
    act: Any


HELD, PAIR = [Held(1.0), Held(2.0)], (Held(1.0), Held(2.0))
STEPS = [Step(2, "sine", np.sin), Step(3, "cosine", np.cos)]
MIXED: list[Any] = [1.5, "name", [2.0, "other"]]


def over_records(x: Any) -> Any:
    total = 0.0
    for i, held in enumerate(HELD):
        total = total + x * held.w * (i + 1.0)
    return total + x * PAIR[1].w


def over_steps(x: Any) -> Any:
    for step in STEPS:
        x = step.act(x) * step.count
    return x + sum([x * step.count for step in STEPS if step.name == "sine"])


def of_several_kinds(x: Any) -> Any:
    return x * MIXED[0] * MIXED[2][0]


def test_records_in_lists_from_outside_are_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = ccc.grad(over_records)
    agrees(over_records, 1.5)
    assert gradient(1.5) == 1.0 + 4.0 + 2.0
    monkeypatch.setattr(HELD[0], "w", 10.0)
    monkeypatch.setattr(PAIR[1], "w", np.float64(5.0))
    assert gradient(1.5) == 10.0 + 4.0 + 5.0
    monkeypatch.setattr(PAIR[1], "w", 3)
    monkeypatch.setitem(globals(), "HELD", [*HELD, Held(100.0)])
    assert gradient(1.5) == 10.0 + 4.0 + 300.0 + 3.0


def test_lists_of_several_kinds_from_outside_are_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    agrees(over_steps, 0.4)
    gradient = ccc.grad(of_several_kinds)
    assert gradient(1.0) == 3.0
    monkeypatch.setitem(globals(), "MIXED", [7.0, "name", [0.5, "other"]])
    assert gradient(1.0) == 3.5
    MIXED[2][0] = 2.0
    assert gradient(1.0) == 14.0
    monkeypatch.setattr(STEPS[0], "act", np.exp)
    agrees(over_steps, 0.4)


def test_what_is_read_item_by_item_is_guarded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list whose items are read each by itself had a guard of all that their own guards say."""
    def f(x):
        return x * MIXED[0] * len(MIXED) * MIXED[2][0]

    guards = [guard.value for guard in elaborate(f, (1.0,)).guards]
    assert guards.count((list, 3)) == guards.count((list, 2)) == guards.count("name") == 1
    assert kind(MIXED) not in guards and kind(MIXED[2]) not in guards
    g = ccc.gradient(f)
    assert g(1.0) == 1.5 * 3 * 2.0
    for changed in ([2.0, "name", [2.0, "other"], "more"], [2.0, "name", [3, "other"]], [np.float64(3.0), 1, (1.0, 2)]):
        monkeypatch.setitem(globals(), "MIXED", changed)
        assert g(1.0) == changed[0] * len(changed) * changed[2][0]


class Disc:
    """An object that keeps what it once computed."""

    def __init__(self, radius: float) -> None:
        self.radius = radius

    @functools.cached_property
    def square(self) -> float:
        return self.radius * self.radius


DISC = Disc(2.0)


def of_a_disc(x: float) -> float:
    return x * DISC.square


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_a_cached_property_keeps_is_read_as_python_reads_it(backend: str) -> None:
    """It was computed anew: 37.5 where Python keeps 9.0 and gives 13.5."""
    vars(DISC).clear()
    DISC.radius = 2.0
    of = ccc.value_with_gradient(of_a_disc, backend=backend)
    assert of(1.5) == (6.0, 4.0)
    DISC.radius = 3.0  # nothing was kept
    assert of(1.5) == (13.5, 9.0) == (of_a_disc(1.5), 9.0)
    DISC.radius = 5.0  # Python kept 9.0
    assert of(1.5) == (of_a_disc(1.5), 9.0) == (13.5, 9.0)
    DISC.square = 10.0
    assert of(1.5) == (of_a_disc(1.5), 10.0) == (15.0, 10.0)
    del DISC.square
    assert of(1.5) == (37.5, 25.0) == (of_a_disc(1.5), 25.0)
