"""Members of enumerations as known values, against plain Python and differences."""

from __future__ import annotations

import collections
import enum
import itertools
import math
from typing import Any

import numpy as np
import pytest
from checks import agrees
from users_checks import agrees_with_python

import ccc
from ccc.compile.diagnostics import CompileError


class Kind(enum.Enum):
    """What a step does."""

    SQUARE = "sq"
    CUBE = "cu"

    def apply(self, x: float) -> float:
        return x * x if self is Kind.SQUARE else x**3

    @property
    def weight(self) -> float:
        return 2.0 if self == Kind.CUBE else 1.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


def members(x: float) -> float:
    s = 0.0
    for kind in Kind:
        s += kind.apply(x) * (2.0 if kind == Kind.SQUARE else 1.0)
    weights = {Kind.SQUARE: x, Kind.CUBE: 2.0 * x}
    return s * len(Kind) + weights[Kind["CUBE"]] * weights[Kind("sq")] + (3.0 if Kind.CUBE.name == "CUBE" else 0.0) * x


def levels(x: float) -> float:
    return x ** Level(3) + x * Level.LOW.value + (x if Level.HIGH > Level.LOW else 0.0)


class Axis(enum.IntEnum):
    ROWS = 0
    COLUMNS = 1


def numbers(x: float) -> float:
    a, b = Axis
    s = x * int(b) + float(b) * x + max(a, b) * x + abs(b) + sum(Axis) * x + b.bit_length() + round(x, b)
    s += x if max(a, b) is Axis.COLUMNS and min([a, b]).name == "ROWS" and max(Axis) is b else 7.0
    s += x if [p.name for p in sorted(Axis, reverse=True)] == ["COLUMNS", "ROWS"] and x > b else 7.0
    return s + max(x, b) + divmod(7, b)[0] * x


def places(x: float) -> float:
    v = np.array([x, 2.0 * x, 3.0])
    m = np.outer(v, v)
    s = m.sum(axis=(Axis.ROWS, Axis.COLUMNS)) + v.reshape(Axis.COLUMNS, -1)[0, Axis.COLUMNS] + np.take(v, Axis.COLUMNS)
    s += np.where(v > Axis.COLUMNS, v, Axis.ROWS).sum() + np.maximum(Axis.COLUMNS, v).sum()
    s += np.roll(v, Axis.COLUMNS)[0] + np.eye(3, k=Axis.COLUMNS)[0, 1] * x
    return s + np.array([Axis.ROWS, Axis.COLUMNS])[1] * x + np.float64(Axis.COLUMNS)


class State(enum.IntEnum):
    IDLE = 0
    RUN = 2
    JUMP = 5

    @property
    def fast(self) -> bool:
        return self is State.RUN

    def moved(self, v: float) -> float:
        return v * (self + 1)


def machine(x: float) -> float:
    s, t = State.IDLE, 0.0
    seen, grid = [0.0] * 6, np.zeros((8, 6))
    for i in range(7):
        if s == State.IDLE:
            s = State.RUN if x > 0.1 * i else State.JUMP
        elif s is State.RUN:
            s = State.JUMP
        else:
            s = State.IDLE
        t += s * x + s.value + (x if s.fast else 0.0) + s.moved(x) + (1.0 if s else 2.0) + (s << 1)
        t += len(s.name) - s % 3
        t += (3.0 if s in (State.RUN, 0) else 1.0) * x + {State.IDLE: 1.0, State.RUN: 2.0, State.JUMP: 3.0}[s] * x
        t += np.arange(6.0)[s] * x + int(s) * x + max(s, 1) * x + sum(range(s)) * x + math.sqrt(s) * x
        t += (x if isinstance(s, State) and isinstance(s, int) else 100.0) + (x if -s < -1 else 0.0)
        seen[s] += x * i
        grid[i, s] = x
        match s:
            case State.JUMP:
                t *= 1.1
            case _:
                t -= x
    return t + sum(v * i for i, v in enumerate(seen)) + grid.sum(axis=0)[s]


def given(x: float, kind: Kind) -> float:
    match kind:
        case Kind.SQUARE:
            return x
        case Kind.CUBE:
            return kind.apply(x)


def looked_up(x: float) -> float:
    try:
        return Kind("no").apply(x)
    except ValueError:
        return 2.0 * x


class Side(str, enum.Enum):  # noqa: UP042
    BUY = "buy"
    SELL = "sell"


def tallied(xs: list[float]) -> float:
    counts, sums, seen = dict.fromkeys(Kind, 0), {}, set()
    for x in xs:
        kind = Kind.CUBE if x > 0.5 else Kind.SQUARE
        counts[kind] += 1
        sums[kind] = sums.get(kind, 0.0) + x * x
        seen.add(kind)
    print(sums)
    return sums[Kind.CUBE] * counts[Kind.SQUARE] + sums[Kind.SQUARE] * counts[Kind.CUBE] ** 2 + len(sums) * len(seen)


def moved(xs: list[float]) -> float:
    table = {(Kind.SQUARE, True): Kind.CUBE, (Kind.CUBE, True): Kind.SQUARE,
             (Kind.SQUARE, False): Kind.SQUARE, (Kind.CUBE, False): Kind.SQUARE}
    kind, s, path = Kind.SQUARE, 0.0, []
    for i, x in enumerate(xs):
        kind = table[kind, x > 0.5]
        path.append(kind)
        s += kind.apply(x) * (1.0 if path[i // 2] is kind else 2.0) + [Kind.CUBE, Kind.SQUARE][i % 2].weight * x
        print(kind, [kind], f"{kind}")
    return s * path.count(Kind.CUBE)


def sided(xs: list[float]) -> float:
    money, book = 0.0, {Side.BUY: 0.5, Side.SELL: 2.0}
    limits, words = {"buy": 1.0, "sell": 3.0}, ["buy", "sell", "buy"]
    for x, word in zip(xs, words, strict=True):
        side = Side(word)
        other = Side.SELL if x > 0.5 else Side.BUY
        book[side] += x
        money += x if side == "buy" else -x * x
        money += (2.0 if other == Side.SELL else 3.0) * x + (x if other in ("sell", "x") else 0.0)
        money += limits[side] * x + len(other.upper()) * x
        print(side, f"{other}", repr(other), other.startswith("s"), Side[side.name])
    return money * book[Side.BUY] * book[Side.SELL]


class Light(enum.Enum):
    GREEN = (3, "go")
    RED = (2, "stop")

    def __init__(self, seconds: int, label: str) -> None:
        self.seconds = seconds
        self.label = label

    @property
    def short(self) -> float:
        return self.seconds / 2.0


class Mixed(enum.Enum):
    TEXT = "a"
    NUMBER = 2


def lit(xs: list[float]) -> float:
    light, s, names, after = Light.GREEN, 0.0, {"a": "low", "b": "high"}, {"low": "b", "high": "a"}
    for x in xs:
        light = Light.RED if x > 0.5 and light is Light.GREEN else Light.GREEN
        mixed = Mixed.TEXT if x > 1.0 else Mixed.NUMBER
        s += light.seconds * x + light.short * x * x + len(light.label) + len(mixed.name)
        word = names["a" if x > 0.5 else "b"]
        s += len(word) * x * (2.0 if after[word] == "a" else 1.0)
        print(word, mixed, light.value[0])
    return s


def lacking(xs: list[float]) -> float:
    fees, s = {Kind.SQUARE: 0.5}, 0.0
    for x in xs:
        s += fees[Kind.CUBE if x > 0.5 else Kind.SQUARE] * x
    return s


class Gain(enum.Enum):
    """Values that are reals, which are no keys."""

    LOW = 0.5
    HIGH = 2.0
    NONE = 1.0


def weighed(xs: Any) -> Any:
    sums: dict[Any, Any] = collections.defaultdict(float)
    gains, gain, total = itertools.cycle(Gain), Gain.NONE, 0.0
    for i, x in enumerate(xs):
        gain = next(gains) if x > 0.5 else gain
        sums[gain] += x
        sums[list(Gain)[i % 2]] += x * x
        total += gain.value * x
    for i, each in zip(range(4), itertools.cycle(Gain), strict=False):
        total += each.value * xs[0] * i
    return total + sum(key.value * x for key, x in sums.items())


@pytest.mark.parametrize("f", [tallied, moved, sided, lit, lacking, weighed])
def test_members_that_a_program_chooses_are_the_members(f: Any):
    agrees_with_python(f, [0.25, 0.75, 1.5])


def test_a_member_that_a_program_chooses_is_returned():
    f = ccc.compiled(lambda x: (x, Kind.CUBE if x > 0.5 else Kind.SQUARE, {Kind.CUBE if x > 0.5 else Kind.SQUARE: x}))
    assert f(1.0) == (1.0, Kind.CUBE, {Kind.CUBE: 1.0}) and f(0.1)[1] is Kind.SQUARE
    sided = ccc.gradient(lambda x, side: x if side is Kind.CUBE else 2.0 * x, wrt="x")
    assert sided(1.0, Kind.CUBE) == 1.0 and sided(1.0, Kind.SQUARE) == 2.0


def test_a_value_that_a_program_chooses_has_a_member_or_raises():
    def f(x: float, n: int) -> float:
        return x * Level(n + 1)

    assert ccc.value_with_gradient(f, wrt="x")(2.0, 2) == (6.0, 3.0)
    with pytest.raises(ValueError, match="^2 is not a valid Level"):
        ccc.gradient(f, wrt="x")(2.0, 1)


@pytest.mark.parametrize("f", [members, levels, looked_up, numbers, places, machine])
def test_members_are_known_values(f: Any):
    agrees(f, 1.5, exponentials=("Delta",))


def test_a_member_is_an_argument():
    slope = ccc.value_with_gradient(given, wrt="x")
    assert slope(2.0, Kind.SQUARE) == (2.0, 1.0) and slope(2.0, Kind.CUBE) == (8.0, 12.0)


def test_a_value_without_a_member_is_refused():
    with pytest.raises(CompileError, match="ValueError: 'no' is not a valid Kind"):
        ccc.gradient(lambda x: Kind("no").apply(x))(1.0)


def test_an_integer_is_not_asked_whether_it_is_a_member():
    def f(x: float, n: int) -> float:
        return x if (n + 1) is State.RUN else 2.0 * x

    with pytest.raises(CompileError, match="`is` between values that are not known"):
        ccc.gradient(f, wrt="x")(1.5, 1)


RATE = [2.0]


class Gear(enum.Enum):
    """Members that have something themselves, which may change."""

    LOW = 1
    HIGH = 2

    def __init__(self, value: int) -> None:
        self.ratio = 10.0 * value

    @property
    def cost(self) -> float:
        return RATE[0] * self.ratio


def of_known_members(x: float) -> float:
    return x * Gear.LOW.cost + Gear.HIGH.ratio * Gear.LOW.value


def of_chosen_members(x: float) -> float:
    gear = Gear.LOW if x > 1.0 else Gear.HIGH
    return x * gear.value


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_members_have_is_read_again_where_it_changed(monkeypatch: pytest.MonkeyPatch, backend: str):
    known = ccc.value_with_gradient(of_known_members, backend=backend)
    assert known(2.0) == (60.0, 20.0)
    monkeypatch.setitem(globals(), "RATE", [3.0])
    assert known(2.0) == (of_known_members(2.0), 30.0) == (80.0, 30.0)
    monkeypatch.setattr(Gear.LOW, "ratio", 5.0)
    assert known(2.0) == (of_known_members(2.0), 15.0) == (50.0, 15.0)
    chosen = ccc.value_with_gradient(of_chosen_members, backend=backend)
    assert chosen(2.0) == (2.0, 1.0)
    monkeypatch.setattr(Gear.LOW, "_value_", 7)
    assert chosen(2.0) == (of_chosen_members(2.0), 7.0) == (14.0, 7.0)
    assert known(2.0) == (of_known_members(2.0), 15.0) == (170.0, 15.0)
