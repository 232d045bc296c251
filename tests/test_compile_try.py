"""`try` with its handlers, `else` and `finally`, and `with`, against plain Python and differences, in both targets."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc


def positive(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative", 3)
    return x * x


class Diverged(Exception):
    def __init__(self, step: int, value: float) -> None:
        super().__init__(f"diverged at {step}")
        self.step = step
        self.value = value


class SolverError(Exception):
    pass


class Account:
    """What calls change before they raise."""

    def __init__(self) -> None:
        self.total = 0.0
        self.calls = 0

    def add(self, x: float) -> None:
        self.calls += 1
        if x < 0.0:
            raise ValueError("negative")
        self.total += x


def called(x: float) -> float:
    try:
        y = 2.0 * positive(x) + x
    except ValueError as error:
        print(error.args[0], error)
        y = 3.0 * x * error.args[1]
    return y * x


def returned(x: float) -> float:
    try:
        return math.log(x)
    except ValueError as error:
        print("log:", error)
        return x * x


def several(x: float) -> float:
    try:
        if x < 0.0:
            raise ValueError("negative")
        if x > 3.0:
            raise KeyError("large")
        y = x
    except ValueError:
        y = x * x
    except (KeyError, IndexError) as error:
        print(type(error).__name__, error, repr(error))
        y = x**3
    else:
        print("fits")
        y += 1.0
    finally:
        print("done")
    return y


def again(x: float) -> float:
    try:
        try:
            y = positive(x)
        except ValueError:
            print("again")
            raise
        finally:
            print("inner")
    except ValueError as error:
        raise SolverError(f"failed: {error}") from error
    return y


def chained(x: float) -> float:
    try:
        return again(x)
    except SolverError as error:
        print(error)
        return x * x


def attributes(x: float) -> float:
    try:
        for i in range(6):
            x = x * x
            if x > 100.0:
                raise Diverged(i, x)
    except Diverged as error:
        print(error)
        return error.value * error.step
    return x


def retried(x: float) -> float:
    rate = 1.0
    for attempt in range(10):
        try:
            y = x - rate * x * x
            if y < -5.0:
                raise OverflowError("too far")
            return y
        except OverflowError as error:
            print(f"attempt {attempt}: {error}")
            rate *= 0.5
    raise RuntimeError("no step")


def moved(x: float) -> float:
    n = 0
    while True:
        try:
            y = math.log(x)
            break
        except ValueError:
            x, n = x + 1.0, n + 1
    return y * n + x


def accounts(x: float) -> float:
    account = Account()
    for v in [x, 2.0, x * x, -x]:
        try:
            account.add(v)
        except ValueError:
            account.total += 0.5 * v
            continue
    return account.total * account.calls


def ways_out(x: float) -> float:
    n = 0.0
    for i in range(5):
        try:
            if i * x > 3.0:
                break
            if i == 1:
                continue
            n += x
        finally:
            n += 1.0
            print("run", i)
    return n * x


def ordered(x: float) -> float:
    def told(name: str, y: float) -> float:
        print(name)
        if y < 0.0:
            raise ValueError(name)
        return y * y

    try:
        y = told("a", x + 3.0) * told("b", x) + told("c", x)
    except ValueError as error:
        print("not", error)
        y = x
    return y


def choices(x: float) -> float:
    try:
        y = 2.0 * (positive(x) if x < 5.0 else -x) + (x > 1.0 and positive(x - 1.5))
        y += sum([positive(v) for v in (x, 2)])
    except ValueError:
        y = 3.0 * x
    return y


def arrays(x: float) -> Any:
    w = np.zeros(3)
    try:
        w[0] = x
        w[1] = math.sqrt(x)
        w[2] = x
    except ValueError:
        w[1] = 2.0 * x
    return np.sum(w)


def jitter(x: float) -> Any:
    a = np.array([[x, 0.5], [0.5, 1.0]])
    added = 0.0
    while True:
        try:
            root = np.linalg.cholesky(a + added * np.eye(2))
            break
        except np.linalg.LinAlgError:
            added = max(2.0 * added, 0.3)
    return np.sum(root)


def keys(x: float) -> float:
    counts: dict[str, float] = {}
    for word in ["a", "b", "a"]:
        try:
            counts[word] += x
        except KeyError as error:
            print("new", error)
            counts[word] = x
    try:
        return counts["a"] * counts["c"]
    except LookupError:
        return counts["a"] * counts["b"]


class Guard:
    """Prints around a body, and may hide what is raised in it."""

    def __init__(self, name: str, hides: bool = False) -> None:
        self.name = name
        self.hides = hides
        self.left = 0.0

    def __enter__(self) -> Guard:
        print("enter", self.name)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        print("exit", self.name, kind is None)
        self.left += 1.0
        return self.hides


@contextlib.contextmanager
def scaled(x: float) -> Iterator[float]:
    print("in")
    try:
        yield 2.0 * x
    finally:
        print("out")


class Model:
    def __init__(self) -> None:
        self.training = True


@contextlib.contextmanager
def evaluating(model: Model) -> Iterator[Model]:
    before = model.training
    model.training = False
    yield model
    model.training = before


def guarded(x: float) -> float:
    y = x
    with Guard("a", hides=True) as a, scaled(x) as z:
        y = z * math.sqrt(x + 1.0)
        if y > 3.0:
            return y * a.left
    for _ in range(3):
        with Guard("b") as b:
            y *= 1.5
            if y > 9.0:
                break
        y += b.left
    return y


def managed(x: float) -> float:
    model, y = Model(), x
    with evaluating(model) as found:
        y = 2.0 * y if found.training else 3.0 * y
    with contextlib.suppress(ValueError, ZeroDivisionError), np.errstate(all="ignore"):
        y = y * math.log(x)
    with contextlib.nullcontext(y) as z:
        return z * z if model.training else z


class Kept:
    """What it gives for a body is what it changes behind it."""

    def __init__(self, by: float) -> None:
        self.by = by
        self.items: list[float] = []

    def __enter__(self) -> list[float]:
        return self.items

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.items.append(self.by * sum(self.items))


def bound_anew(x: float) -> float:
    with Kept(x) as kept:
        for i in range(3):
            kept += [x * i]
    return sum(kept) * len(kept)


def counted(x: float) -> float:
    """The test of the inner loop reads what the loop changes."""
    k = 0

    def following() -> float:
        nonlocal k
        while k < 2:
            if k >= 5.0 * x:
                raise StopIteration
            k += 1
        k += 1
        if k > 8:
            raise StopIteration
        return k * x

    total = 0.0
    while True:
        try:
            v = following()
        except StopIteration:
            break
        total += v
    return total


def left_by_handlers(x: float) -> float:
    """Only a handler ends the loops, by `break`, `continue` and `return`, behind which `finally` runs."""
    total = 0.0
    for i in range(6):
        try:
            total += positive(x - i)
        except ValueError:
            break
        else:
            total += 0.5
        finally:
            total += x
    i = 0
    while i < 5:
        i += 1
        try:
            total += positive(i - 2.0 * x)
        except ValueError:
            total += x
            continue
        total *= 1.25
        for y in (x, 0.1, -x):
            try:
                total -= positive(y)
            except ValueError:
                return total * x
            finally:
                total += 1.0
    return total


def each(xs: list[float], log: list[float]) -> Iterator[float]:
    for x in xs:
        log.append(0.5 * x)
        yield x


def left_by_else(x: float) -> float:
    """The `else` of a loop leaves the loop around it, behind a `finally` between them."""
    total, log = 0.25, [x]
    for k in range(4):
        try:
            for y in (x, 1.5 * x, 0.5):
                if y > 2.0:
                    break
            else:
                if k > 1:
                    break
                continue
            for y in each([x, total], log):
                if y > 9.0:
                    break
            else:
                total += x * k
                if k > 2:
                    return total * sum(log)
                continue
            while total > x * k:
                total -= x
            else:
                break
        finally:
            total += 0.5 * x
    return total + sum(log)


class High(ValueError):
    def __init__(self, by: float, name: str) -> None:
        super().__init__("high")
        self.by = by
        self.name = name


def capped(t: float) -> float:
    try:
        if t > 3.0:
            raise High(t * t, "three")
        if t > 2.0:
            raise High(2.0 * t, "two")
        if t > 1.5:
            raise ValueError
    finally:
        t = 0.5 * t
    return t


def kept_with_lists(x: float) -> float:
    """Exceptions with attributes from several places, in a function whose list changes on some paths."""
    log = [x]
    total = 0.0
    for k in range(4):
        try:
            total += capped(x * k)
        except High as e:
            total -= 0.25 * e.by * len(e.name)
            log.append(e.by)
        except ValueError:
            log.append(total)
            if len(log) > 2:
                break
    return total + sum(log)


CASES: list[tuple[Callable[[float], Any], tuple[float, ...]]] = [
    (called, (1.4, -1.4)), (returned, (1.4, -1.4)), (several, (1.4, -1.4, 5.0)), (chained, (1.4, -1.4)),
    (attributes, (1.4, 0.9)), (retried, (1.4, 50.0)), (moved, (1.4, -1.4)), (accounts, (1.4, -1.4)),
    (ways_out, (1.4, -1.4)), (ordered, (1.4, -1.4)), (choices, (1.4, 2.0, -1.4, 7.0)), (arrays, (1.4, -1.4)),
    (jitter, (1.4, 0.1)), (keys, (1.4,)), (guarded, (0.3, 1.4, -2.0)), (managed, (1.4, -1.4)),
    (bound_anew, (1.4,)), (counted, (1.4, 0.1)), (left_by_handlers, (0.7, 3.4)),
    (kept_with_lists, (0.3, 0.9, 1.2, 2.7)), (left_by_else, (0.7, 1.9, 6.1)),
]  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "points"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_what_is_raised_is_caught_as_in_plain_python(
    f: Callable[[float], Any], points: tuple[float, ...], capsys: pytest.CaptureFixture[str]
):
    slopes = [ccc.value_with_gradient(f, backend=backend) for backend in ("numpy", "native")]
    second = ccc.gradient(ccc.gradient(f))
    forward = ccc.derivative(f)
    for x in points:
        capsys.readouterr()
        wanted, h = f(x), 1e-6
        printed = capsys.readouterr().out
        for slope in slopes:
            value, found = slope(x)
            assert capsys.readouterr().out == printed
            assert np.isclose(value, wanted, rtol=1e-12)
            assert type(value) is type(wanted)
            assert np.isclose(found, (f(x + h) - f(x - h)) / (2.0 * h), rtol=1e-6, atol=1e-8)
            assert np.isclose(forward(x), found, rtol=1e-10)
            assert np.isclose(second(x), (slope(x + h)[1] - slope(x - h)[1]) / (2.0 * h), rtol=1e-5, atol=1e-6)
            capsys.readouterr()


def test_what_is_not_caught_is_raised_behind_finally(capsys: pytest.CaptureFixture[str]):
    def f(x: float) -> float:
        try:
            return math.sqrt(x) * x
        finally:
            print("done")

    for g in (f, ccc.gradient(f), ccc.gradient(again)):
        with pytest.raises((ValueError, SolverError)) as raised:
            g(-1.0)
        if g is not f:
            assert type(raised.value) is (ValueError if "math" in str(raised.value) else SolverError)
    assert capsys.readouterr().out == "done\ndone\nagain\ninner\n"


def test_a_quotient_by_what_may_be_zero():
    def f(x: float, y: float) -> float:
        try:
            return x * x / y
        except ZeroDivisionError:
            return x

    agrees(f, 1.5, 2.0, second=False, exponentials=("Delta",))
    assert ccc.value_with_gradient(f)(1.5, 0.0)[0] == 1.5

    def by_zero(x: float) -> float:
        t = x * x
        with contextlib.suppress(ZeroDivisionError):
            t /= 0
        with contextlib.suppress(ZeroDivisionError):
            x /= 0
            t = x
        return t + x

    agrees(by_zero, 1.5)


def test_what_is_raised_in_another_program_is_refused():
    def by_a_verb(x: float) -> float:
        try:
            return ccc.gradient(positive)(x)
        except ValueError:
            return 7.0 * x

    def by_a_checkpoint(x: float) -> float:
        try:
            return ccc.checkpointed(math.sqrt)(x) + ccc.checkpointed(positive)(x)
        except ValueError:
            return 7.0 * x

    for f in (by_a_verb, by_a_checkpoint):
        with pytest.raises(ccc.CCCError, match="is not caught outside of it"):
            ccc.gradient(f)(-1.4)


def test_ints_are_not_read_as_floats_for_what_is_refused_otherwise():
    """As a float, the index would raise what is caught."""

    def refused(t: float) -> float:
        return t * eval("2.0")

    def f(xs: list[float], n: int) -> float:
        try:
            return refused(xs[n])
        except Exception:
            return -xs[0]

    with pytest.raises(ccc.CCCError, match="`eval` is not supported"):
        ccc.gradient(f)([2.0, 3.0], 1)


class Ledger:
    def __init__(self, balance: Any) -> None:
        self.balance = balance
        self.log: list[Any] = []

    def deposit(self, amount: Any) -> Ledger:
        self.balance += amount
        self.log.append(("in", amount))
        return self

    def withdraw(self, amount: Any) -> Ledger:
        if amount > self.balance:
            raise RuntimeError("insufficient")
        self.balance -= amount
        self.log.append(("out", amount))
        return self


@pytest.mark.parametrize("stores", ["refused", "always"])
def test_a_list_changes_behind_a_statement_that_raised(stores: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CCC_STORES", stores)

    def f(x: float) -> float:
        account = Ledger(x)
        try:
            account.withdraw(1.0)
        except RuntimeError:
            account.deposit(x**2)
        return account.balance + sum([amount * i for i, (_, amount) in enumerate(account.log, 1)])

    for x in (0.7, 1.5):
        agrees(f, x, second=False)


class Unusual(Exception):
    pass


def said_in_the_message(x: float) -> float:
    try:
        if x > 1.0:
            raise Unusual("of %d parts" % (x * 1e300 * 1e300))  # noqa: UP031
        raise Unusual("of %d parts" % x)  # noqa: UP031
    except OverflowError:
        return x * 5.0
    except Unusual as error:
        return x * len(str(error))


def made_before_it_is_read(x: float) -> float:
    size = "?"
    try:
        size = "%d" % (x * math.inf)  # noqa: UP031
        x = x * 100.0
    except (OverflowError, ValueError) as error:
        x = x * (3.0 if isinstance(error, ValueError) else 2.0)
    return x * len(size)


def made_of_a_letter(x: float, n: int) -> float:
    try:
        return x * len(f"{n:c}{n:d}")
    except OverflowError:
        return x * 7.0


@pytest.mark.parametrize(("f", "args"), [
    *[(said_in_the_message, (x,)) for x in (0.5, 2.0, math.inf)],
    *[(made_before_it_is_read, (x,)) for x in (0.5, 0.0, math.nan)],
    *[(made_of_a_letter, (2.0, n)) for n in (66, -1)],
])  # fmt: skip
def test_a_text_that_cannot_be_made_is_caught_where_it_is_made(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    value, slope = ccc.value_with_gradient(f, wrt=0)(*args)
    wanted = f(*args)
    assert value == wanted or (value != value and wanted != wanted)
    if args[0] not in (0.0, math.inf) and wanted == wanted:
        assert slope == wanted / args[0]


class Refused(Exception):
    pass


class Purse:
    def __init__(self, balance):
        self._balance = balance
        self.log = []
        self.places = {}
        self.writes = 0

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        self.writes += 1
        if value < 0:
            raise Refused(f"{value:.2f}")
        self._balance = math.sqrt(value)
        self.writes += 10

    def __setitem__(self, key, value):
        if value > 2.0:
            raise ValueError(key)
        self.places[key] = value

    def withdraw(self, x):
        try:
            self.balance -= x
        except Refused:
            self.log.append(("refused", x))
            return False
        else:
            self.log.append(("out", x))
            return True
        finally:
            self._balance *= 0.99


def assigned_to(x, y):
    a, s = Purse(x), 0.0
    for amount in (0.5 * x, y, x, 0.1):
        s = s + (amount * y if a.withdraw(amount) else 3.0 * amount)
    for k in range(3):
        try:
            a[k] = x * k - y
        except ValueError:
            s = s + 10.0 * x
        else:
            s = s + a.places[k] * y
    try:
        a.balance = x - 2.0 * y
    except Refused:
        s = s + 5.0 * y
    return s * a.balance + a.writes + sum(v for kind, v in a.log if kind == "out")


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("x", "y"), [(1.0, 0.6), (3.0, 0.7), (1.9, 0.3), (0.2, 1.1)])
def test_what_an_assignment_raises_by_code_of_the_users_is_caught(x: float, y: float, backend: str):
    value, found = ccc.value_with_gradient(assigned_to, backend=backend)(x, y)
    assert value == pytest.approx(assigned_to(x, y), rel=1e-14)
    steps = ((1e-6, 0.0), (0.0, 1e-6))
    expected = [(assigned_to(x + h, y + k) - assigned_to(x - h, y - k)) / 2e-6 for h, k in steps]
    assert found == pytest.approx(expected, rel=1e-6)
