"""Variables of classes that functions change are written to the classes, once for each call."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from checks import agrees

import ccc
from ccc.compile.api import pipeline, wrapper
from ccc.compile.diagnostics import CompileError


class Account:
    opened = 0
    flow = 0.0
    names: ClassVar[list[str]] = []
    last: Any = None

    def __init__(self, balance: Any) -> None:
        self.balance = balance
        type(self).opened += 1
        self.number = Account.opened

    def pay(self, x: Any) -> None:
        self.balance -= x
        self.__class__.flow += x

    @classmethod
    def empty(cls) -> Account:
        cls.opened += 10
        cls.names.append("empty")
        return cls(0.0)


def two_accounts(x: Any) -> Any:
    a, b = Account(x), Account.empty()
    a.pay(0.5 * x)
    b.pay(-x * x)
    Account.last = b.balance
    return a.balance * b.balance * Account.flow + b.number + a.opened + Account.last


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for i in range(4):
        a = Account(x)
        a.pay(x * i)
        if Account.flow > 3.0:
            Account.opened += 2
        total += a.balance * a.number
    return total * Account.flow


def spread(x: Any, n: int) -> Any:
    Account.opened += 1
    return x if n == 0 else x * spread(x, n - 1) + Account.opened


def by_recursion(x: Any) -> Any:
    """A recursive function that changes a variable has stores."""
    return spread(x, 4)


def in_a_list(x: Any) -> Any:
    found = [Account(x * i) for i in range(3)]
    found[0].balance += found[2].balance
    return sum([a.balance * a.number for a in found])


def inside(x: Any) -> Any:
    return ccc.derivative(two_accounts)(x) * Account.opened


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    def begin() -> Callable[[], Any]:
        for name, value in {"opened": 0, "flow": 0.0, "names": [], "last": None}.items():
            monkeypatch.setattr(Account, name, value)
        return lambda: (Account.opened, Account.flow, Account.names, Account.last)

    return begin


@pytest.mark.parametrize("f", [two_accounts, in_a_loop, by_recursion, in_a_list, inside], ids=lambda f: f.__name__)
def test_variables_of_classes_change(f: Callable[..., Any], state: Callable[[], Any]) -> None:
    def at(x: float) -> Any:
        state()
        return f(x)

    held = state()
    expected, after = [f(1.5), f(1.5)], held()
    held, both = state(), ccc.value_with_gradient(f, backend="numpy")
    found = [both(1.5), both(1.5)]
    assert [value for value, _ in found] == expected and held() == after and type(Account.opened) is int
    slope = (at(1.5 + 1e-6) - at(1.5 - 1e-6)) / 2e-6
    assert found[0][1] == pytest.approx(slope, rel=1e-6)
    state()
    assert ccc.jvp(f, (1.5,), (1.0,), backend="numpy") == (expected[0], pytest.approx(found[0][1], rel=1e-12))


def test_a_count_that_goes_on_compiles_no_more(state: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(wrapper, "build", lambda *args: made.append(args) or pipeline.build(*args))
    state()
    expected = [in_a_list(1.5) for _ in range(8)]
    state()
    run = ccc.value_with_gradient(in_a_list, backend="numpy")
    assert [run(1.5)[0] for _ in range(8)] == expected
    assert len(made) == 3


def test_what_a_class_does_not_hold_or_cannot_change_is_refused() -> None:
    class Derived(Account):
        pass

    def of_a_base(x: Any) -> Any:
        Derived.opened = 5
        return x * Derived.opened

    def of_an_enumeration(x: Any) -> Any:
        class Own(enum.Enum):
            COUNT = 1

        Own.COUNT = x  # pyright: ignore[reportAttributeAccessIssue]
        return x

    for f in (of_a_base, of_an_enumeration):
        with pytest.raises(CompileError, match="cannot assign to the attribute"):
            ccc.gradient(f)(1.0)


def test_a_list_of_a_class_that_a_call_makes_does_not_last_to_the_next_call() -> None:
    def appended(x: Any) -> Any:
        class Own:
            seen: ClassVar[list[float]] = [1.0]

        Own.seen.append(x)
        return sum(Own.seen)

    def read_alone(x: Any) -> Any:
        class Own:
            seen: ClassVar[list[float]] = [1.0, 2.0]

        return x * sum([*Own.seen, x])

    for f in (appended, read_alone):
        run = ccc.compiled(f)
        assert [run(2.0), run(2.0)] == [f(2.0)] * 2


# -- classes that a call makes ---------------------------------------------------------------------------------------


def counted(x: float, n: int) -> float:
    class Own:
        count = 0
        total: float = 0.0

        def __init__(self, v: float) -> None:
            self.v = v
            Own.count += 1
            type(self).total += v * v

    s = 0.0
    for i in range(n):
        s += Own(x * i).v * Own.count
        if Own.total > 3.0:
            Own.total = 0.5 * Own.total
    return s * Own.total


def objects_in_its_list(x: float, n: int) -> float:
    class Own:
        seen: ClassVar[list[Any]] = []
        best: Any = None

        def __init__(self, v: float) -> None:
            self.v = v
            Own.seen.append(self)
            if Own.best is None or v > Own.best.v:
                Own.best = self

    for i in range(n):
        Own(x * ((i * 7) % 5))
    return sum([own.v * own.v for own in Own.seen]) * Own.best.v


def memo(x: float, n: int) -> float:
    class Series:
        known = {0: 0.0, 1: x}  # noqa: RUF012

        @staticmethod
        def at(n: int) -> float:
            if n not in Series.known:
                Series.known[n] = Series.at(n - 1) + x * Series.at(n - 2)
            return Series.known[n]

    return Series.at(n) * len(Series.known)


def one_for_each_call(x: float, n: int) -> float:
    def make(by: float) -> Any:
        class Own:
            at = x
            other = x

            def step(self) -> float:
                Own.at += by * self.other
                return Own.at

        return Own()

    a, b, s = make(1.0), make(x), 0.0
    for i in range(n):
        c = make(0.5 * i)
        s += a.step() * c.step() + c.step()
    b.other = 2.0
    return s * b.step() * b.step() + a.step()


def inherited(x: float, n: int) -> float:
    class Base:
        log: ClassVar[list[float]] = []

        def note(self, v: float) -> None:
            self.log.append(v)

    class Derived(Base):
        def note(self, v: float) -> None:
            super().note(n * v)

    Base().note(x)
    Derived().note(x * x)
    return sum([v * (i + 1) for i, v in enumerate(Base.log)]) * len(Derived.log)


def of_dataclass(x: float, n: int) -> float:
    @dataclass
    class Point:
        v: float
        w: float = 2.0
        made: ClassVar[float] = x
        scale = 3.0 * x

        def __post_init__(self) -> None:
            Point.made += self.w * Point.scale

    return sum([Point(x * i).v for i in range(n)]) * Point.made


@pytest.mark.parametrize("f", [counted, objects_in_its_list, memo, one_for_each_call, inherited, of_dataclass])
def test_variables_of_a_class_that_a_call_makes(f: Callable[..., float]) -> None:
    agrees(f, 1.3, 4)
    value, slope = ccc.value_with_gradient(f, wrt=0, backend="native")(1.3, 4)
    expected = ccc.value_with_gradient(f, wrt=0, backend="numpy")(1.3, 4)
    assert (value, slope) == (pytest.approx(expected[0], rel=1e-12), pytest.approx(expected[1], rel=1e-12))


def test_a_class_that_each_run_of_a_loop_makes_is_not_one_class() -> None:
    def unrolled(x: float) -> float:
        made = list[Any]()
        for i in (1, 2):
            class Own:
                at = 0.0

                def get(self) -> float:
                    return self.at

            Own.at += x * i
            made.append(Own())
        return made[0].get()

    with pytest.raises(CompileError, match="`at` changes, a variable of a class that the function defines"):
        ccc.gradient(unrolled)(1.0)
