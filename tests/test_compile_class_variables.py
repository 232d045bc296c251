"""Variables of classes that functions change are written to the classes, once for each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

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


def test_what_a_class_does_not_hold_or_a_call_makes_is_refused() -> None:
    class Derived(Account):
        pass

    def of_a_base(x: Any) -> Any:
        Derived.opened = 5
        return x * Derived.opened

    def made_by_the_call(x: Any) -> Any:
        class Own:
            count = 1

        Own.count += 1
        return x * Own.count

    for f in (of_a_base, made_by_the_call):
        with pytest.raises(CompileError, match="cannot assign to the attribute"):
            ccc.gradient(f)(1.0)


def test_a_list_of_a_class_that_a_call_makes_does_not_last_to_the_next_call() -> None:
    def appended(x: Any) -> Any:
        class Own:
            seen: ClassVar[list[float]] = [1.0]

        Own.seen.append(x)
        return sum(Own.seen)

    def kept_by_its_own_class(x: Any) -> Any:
        class Own:
            seen: ClassVar[list[Any]] = []

            def __init__(self) -> None:
                Own.seen.append(self)
                self.a = x

        Own()
        return sum(own.a for own in Own.seen)

    def read_alone(x: Any) -> Any:
        class Own:
            seen: ClassVar[list[float]] = [1.0, 2.0]

        return x * sum([*Own.seen, x])

    for f in (appended, kept_by_its_own_class):
        with pytest.raises(CompileError, match="`seen` changes, a variable of a class that the function defines"):
            ccc.compiled(f)(1.0)
    run = ccc.compiled(read_alone)
    assert [run(2.0), run(2.0)] == [read_alone(2.0)] * 2
