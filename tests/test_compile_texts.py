"""Texts that are made of values: keys of dicts in loops, formats, and what is printed and raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value
from users_checks import outcome

import ccc
from ccc.errors import CCCError

R = np.random.default_rng(3)
PARAMS = {f"W{i}": R.normal(size=(3, 3)) / 2 for i in range(3)} | {f"b{i}": R.normal(size=3) for i in range(3)}
X = R.normal(size=3)


def fstring(p: Any, x: Any) -> Any:
    for i in range(3):
        x = np.tanh(p[f"W{i}"] @ x + p["b" + str(i)])
    return np.sum(x)


def of_length(p: Any, x: Any) -> Any:
    for i in range(1, len(p) // 2):
        x = np.tanh(p["W%d" % i] @ x + p["b{}".format(i - 1)])  # noqa: UP031, UP032
    return np.sum(x)


def asked_for(p: Any, x: Any) -> Any:
    i = 0
    while f"W{i}" in p:
        x = np.tanh(p[f"W{i}"] @ x + p[f"b{i}"])
        i += 1
    return np.sum(x)


def penalty(p: Any, x: Any) -> Any:
    size = sum(np.sum(p[f"W{i}"] ** 2) for i in range(3))
    return size * np.sum([p[format(i, ">2").replace(" ", "b")] for i in range(2)])


def in_two_loops(p: Any, x: Any) -> Any:
    for i in range(3):
        for j in range(20):
            x = np.tanh(p["_".join(["W", str(i)]).replace("_", "")] @ x) + 0.1 * j
    return np.sum(x)


def cached(p: Any, x: Any) -> Any:
    cache = {"A0": x}
    for i in range(1, 3):
        cache[f"A{i}"] = p[f"W{i}"] @ cache["A" + str(i - 1)]
    grads: Any = {}
    for i in reversed(range(3)):
        grads[f"dA{i}"] = cache[f"A{i}"] * i
    return np.sum(grads["dA2"] * grads["dA1"])


def left_early(p: Any, x: Any) -> Any:
    for i in range(3):
        if f"W{i}" == "W1":
            continue
        if np.sum(x) > 1e5:
            break
        x = p.get(f"W{i}", 0.0) @ x
    return np.sum(x)


def by_name(p: Any, x: Any) -> Any:
    for k in p:
        if k.startswith("W") and "2" not in k and k.upper()[1:] != "9":
            x = np.tanh(p[k] @ x)
    for k in "b0 b1".split():  # noqa: SIM905
        x = x * p[k]
    return np.sum(x)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [fstring, of_length, asked_for, penalty, in_two_loops, cached, left_early, by_name])
def test_keys_made_of_numbers(f: Callable[..., Any]):
    agrees(f, PARAMS, X)
    found, expected = [ccc.gradient(f, wrt="p", backend=backend)(PARAMS, X) for backend in ("native", "numpy")]
    assert all(np.allclose(found[k], expected[k]) for k in PARAMS)


def of_other_classes(x: Any, n: int) -> Any:
    total = 0.0
    for what in ("same", lambda y: 3.0 * y, (n, n + 1), [x, x], x):
        if what == "relu" or what in ("valid", "causal"):
            total += 100.0
        elif what != "same" and what != (1, 2):
            total += x * (what(x) if callable(what) else 2.0)
    return total + (1.0 if x == (n,) or [x] == n * "a" else x)


def test_what_is_of_another_class_is_not_equal():
    agrees(of_other_classes, 0.7, 3)


def deep(p: Any, x: Any, n: int) -> Any:
    for i in range(1, n):
        x = np.tanh(p["W" + str(i - 1)] @ x)
    return np.sum(x) * p[f"b{n}"][0]


def test_numbers_of_the_call_are_settled():
    slope = ccc.gradient(deep, wrt="p")
    for n in (2, 1, 2):
        found = slope(PARAMS, X, n)
        assert found[f"b{n}"][0] == pytest.approx(deep(PARAMS, X, n) / PARAMS[f"b{n}"][0])
    assert "put" not in str(ccc.explain(deep, PARAMS, X, 2).code)


def told(x: Any, n: int) -> Any:
    print(f"{x:.3f} {n:>3} {x!r}", "%.2e|%5d|%s%%" % (x, n, "a"), "{1} {0:.1f} {name}".format(x, n, name="z"))  # noqa: UP031
    print(str(x) + "," + repr(n), ", ".join([format(x, ".1f"), "b"]))
    return x * n


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_formats_print_once_what_python_prints(backend: str, capsys: pytest.CaptureFixture[str]):
    told(2.5, 3)
    expected = capsys.readouterr().out
    assert ccc.gradient(told, wrt="x", backend=backend)(2.5, 3) == 3.0
    assert capsys.readouterr().out == expected


def fails(x: Any) -> Any:
    if np.sum(x) > 1.0:
        raise ValueError("too large: %.3f of " % x[0] + str(x.shape))  # noqa: UP031
    return np.sum(x)


def test_formats_in_errors():
    with pytest.raises(ValueError, match=r"too large: 2\.000 of \(2,\)"):
        ccc.gradient(fails)(np.array([2.0, 3.0]))
    assert np.array_equal(ccc.gradient(fails)(np.array([0.2, 0.3])), [1.0, 1.0])


def wrong_count(x: Any) -> Any:
    print("%d %d" % x)  # noqa: UP031
    return x


def test_what_is_refused():
    with pytest.raises(CCCError, match="is not for 1 values"):
        ccc.gradient(wrong_count)(2.0)


ROWS = [["sword", 10.0, 3], ["shield", 5.0, 7], ["axe", 2.0, 1]]


def asked_of_rows(x: Any) -> Any:
    """Texts that stand in rows beside numbers, and those that an index finds, have the methods of Python's."""
    t = 0.0
    for name, price, count in ROWS:
        t += price * count * x if name.startswith(("sw", "a")) else len(name) * x * x
        t += x * name.find("e") if "h" in name and name[-1] == "d" else 0.0
    for i in range(5):
        name = ROWS[i % 3][0]
        for letter in name[1:]:
            t += x if letter.upper() == "X" else x * x
        t += x * len(name.split("h", maxsplit=i)) * len("-".join([name, str(i)]))
    for name, v in zip(("sword", "axe", "bow"), (x, x * x, t), strict=True):
        t += v if name.endswith("e") else x * len(name.replace("o", name[0] + "--"))
    return t * len(f"{t > 3.0}")


def missing_letter(x: float, i: int) -> float:
    return x if ROWS[i][0][4] == "d" else ROWS[i][0].index("s") * x


def test_methods_of_texts_that_are_not_known():
    agrees(asked_of_rows, 0.7)
    for i in range(3):
        agrees_in_value(missing_letter, 0.7, i)


def cut_by_a_test(x: float) -> float:
    names = ["bow", "sword", "axe"]
    return sum([x * len(name) for name in names[: 1 + (x > 1.0)]]) + len(names[int(x) :]) * x * x


def test_slices_of_lists_of_texts_with_ends_that_are_not_known():
    for x in (0.5, 1.5):
        agrees(cut_by_a_test, x)


def weighed_by_letters(weights: Any) -> Any:
    marks = ["x" for _ in weights]
    marks[1] = "y"
    found = 0.0
    for weight, letter, mark in zip(weights, "abca", marks):  # noqa: B905
        found += (weight * weight if letter == "a" else weight) * (2.0 if mark == "x" else 1.0)
    return found


def test_known_texts_run_beside_what_is_as_long_as_the_data_says() -> None:
    agrees(weighed_by_letters, [0.7, 0.4, 0.9])


def bits(x: float) -> float:
    s = x * bin(5).count("1") + len(hex(300))
    for i in range(6):
        s += bin(i).count("1") * x + len(hex(i * 7)) * x * x + len(oct(-i)) + (x if bin(i)[2:].endswith("01") else 0.0)
    return s


def test_integers_in_other_bases() -> None:
    agrees(bits, 1.5)


@dataclass
class Titled:
    title: str
    x: float


def of_an_array_that_changes(x: float) -> Any:
    a = np.array([x, 2.0 * x])
    text, other = f"{a} {a[0]:.1f}", str(a)
    a[0] = 7.0
    a *= 2.0
    print(text, other.upper())
    return a.sum(), text


def in_parts_of_a_result(x: float) -> Any:
    return {"loss": x * x, "text": f"{x:.3e}"}, Titled(f"r{x}", x), ["%5.2f" % x]  # noqa: UP031


def as_often_as_a_number_says(x: float) -> Any:
    print("|" + "#" * int(x) + " " * (5 - int(x)) + "|")
    return x + len(round(x) * "-=")


def of_too_few_parts(x: float) -> float:
    for word in ("a=1", "b", "a=b=c", "4=z"):
        try:
            key, value = word.split("=")
            x += float(value) * len(key)
        except ValueError as error:
            print(word, error)
    return x


def under_a_pair_of_letters(x: float) -> float:
    chances = {("a", "b"): x, ("b", "a"): 1.0 - x}
    for pair in zip("abb", "bba"):  # noqa: B905
        try:
            x += chances[pair]
        except KeyError as error:
            print("unseen", error)
    return x


def of_a_letter_that_is_not_there(x: float) -> float:
    return x if x < 1.0 else x * "spring".index("z") + float("mass")


@pytest.mark.parametrize("f", [
    of_an_array_that_changes, in_parts_of_a_result, as_often_as_a_number_says, of_too_few_parts,
    under_a_pair_of_letters, of_a_letter_that_is_not_there,
])  # fmt: skip
def test_texts_are_those_of_plain_python(f: Callable[..., Any]):
    g = ccc.compiled(f, backend="numpy")
    for x in (0.5, 2.5):
        (wanted, text), (found, said) = outcome(f, x), outcome(g, x)
        assert said == text and repr(found) == repr(wanted)


def test_a_text_stands_beside_what_is_differentiated():
    slope = ccc.value_with_gradient(lambda x: (x * x, f"loss {x * x:.2f}"), has_aux=True)
    assert slope(3.0) == ((9.0, "loss 9.00"), 6.0)


def reported(x: float, n: int) -> Any:
    lines = [f"{i}:{x * i:.1f}" for i in range(n)]
    return x * x, f"{n} of {x!r}", {"text": f"<{x}>"}, lines, "; ".join(lines) if x > 1 else "none"


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_texts_are_returned(backend: str) -> None:
    f = ccc.compiled(reported, backend=backend)
    for x, n in ((2.0, 2), (0.5, 0), (1.5, 3)):
        assert f(x, n) == reported(x, n)


def digits(x: float, n: int) -> Any:
    text, counts, s = str(n * 123), {}, 0.0
    for c in text:
        counts[c] = counts.get(c, 0) + 1
        s += x * int(c)
    for i, c in enumerate(f"{n}-{n + 1}"):
        s += i * x if c != "-" else 0.0
    first, second, *rest = text
    return s, (bin(n)[2:], hex(n)[-1], int(text[::-1]), [int(c) for c in str(n * 37)], counts, first, second, rest)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_letters_of_numbers_that_are_not_known_are_read(backend: str) -> None:
    f = ccc.compiled(digits, backend=backend)
    for n in (4, 17, 254):
        assert repr(f(0.5, n)) == repr(digits(0.5, n))
    slope = ccc.gradient(lambda x, n: digits(x, n)[0], wrt="x", backend=backend)
    assert slope(0.5, 4) == digits(1.0, 4)[0] - digits(0.0, 4)[0]


def whole_numbers(n):
    digits = "".join("1" if n >> i & 1 else "0" for i in range(5))
    return int(digits, 2), int(bin(n)[2:], 2), int(f"{n:08b}"[::-1], 2), int(str(n), 16), int("ff", 16), int("0x1f", n)


def test_whole_numbers_are_read_in_a_base():
    found = ccc.compiled(whole_numbers)(16)
    assert found == whole_numbers(16) and all(type(x) is int for x in found)


def read_again(x):
    text = f"{x:.1f}"
    try:
        return float(text + "a")
    except ValueError:
        return float(text) * x


def test_numbers_are_read_and_count_as_constants():
    assert ccc.compiled(read_again)(2.57) == read_again(2.57)
    assert ccc.gradient(read_again)(2.57) == 2.6


def test_what_is_no_number_raises_as_in_python():
    def f(n):
        return int("z" + str(n), 2)

    with pytest.raises(ValueError, match="invalid literal for int.. with base 2: 'z3'"):
        ccc.compiled(f)(3)


def test_a_real_that_is_read_in_all_its_digits_is_refused():
    for f in (lambda x: float(str(x)), lambda x: float(repr(x) + "0"), lambda x: float(f"{x:.17g}")):
        with pytest.raises(CCCError, match="a text with values in it cannot be passed"):
            ccc.gradient(f)(2.25)


def told_at_each_turn(xs: Any) -> float:
    log, state = [], "idle"
    for x in xs:
        log.append(state[0])
        if x > 9.0:
            log.append("large")
    stack = ["("]
    while len(stack) < 3:
        stack.append("(")
    print("".join(log), stack, log.count("i"))
    return float(np.sum(xs) * len(log))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_lists_take_one_known_text_at_each_turn(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A text that no branch chose was refused, unless the turns of the loop were known."""
    for xs in (np.array([1.0, 10.0, 2.0]), np.zeros(0), [3.0]):
        wanted, told = told_at_each_turn(xs), capsys.readouterr().out
        assert ccc.compiled(told_at_each_turn, backend=backend)(xs) == wanted
        assert capsys.readouterr().out == told


def table(rows: Any) -> float:
    wide, total = max(len(name) for name, _ in rows), 0.0
    for i, (name, x) in enumerate(rows):
        print(f"{name:<{wide}}|{x:>{wide + 2}.2f}|{name:{wide}}|{x:{wide}}|{name:*>{wide + i}}|{len(name):{wide}d}|")
        print(f"{x > 1.0:{wide}}|{i:.<{wide}}|{name!r:>{wide + 3}}|{x:{-wide}.1e}|{i:{0 * wide}}|")
        print(f"{np.float32(x):{wide}}|")
        total += x
    return total


def of_the_call(x: float, places: int) -> float:
    print(f"{x:.{places}f} {x:+{places + 6}.{places}e} {'ab':^{places}}")
    return x * x


def too_narrow(rows: Any) -> float:
    wide = min(len(name) for name, _ in rows) - 2
    return float(len(f"{rows[0][0]:{wide}}"))


LINES = [("loss", 1.5), ("a", -0.1), ("accuracy", float("inf"))]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("f", "args"), [(table, (LINES,)), (table, (LINES[1:],)), (of_the_call, (1.25, 3)),
                                         (of_the_call, (-0.5, 1)), (too_narrow, (LINES,))])
def test_formats_with_widths_that_are_computed(f: Any, args: Any, backend: str) -> None:
    (wanted, told), (found, said) = outcome(f, *args), outcome(ccc.compiled(f, backend=backend), *args)
    assert said == told and type(found) is type(wanted)
    assert found.args == wanted.args if isinstance(wanted, Exception) else found == wanted


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("n", [1, 3, 4])
def test_a_text_made_where_a_loop_is_left_is_of_what_was_there(n: int, backend: str) -> None:
    def by_while(n: int) -> Any:
        i = 0
        while i < n:
            if i > 1:
                return f"{i} of {n}"
            i += 1
        return "none"

    def by_for(n: int) -> Any:
        for i in range(n):
            if i * i > 2:
                return f"{i * 2.5:.2f}", i
        return str(n), 0

    def by_break(n: int) -> Any:
        told = ""
        for i in range(n):
            if i > 1:
                told = f"{i}!"
                break
        return told

    for f in (by_while, by_for, by_break):
        assert ccc.compiled(f, backend=backend)(n) == f(n)


def of_known_bytes(x: float) -> float:
    total = 0.0
    for code in b"abc":
        total += code * x
    return total + len(b"abc") * x + b"abc"[0] + (98 in b"abc") * x**2


def test_bytes_that_are_known_are_read():
    agrees(of_known_bytes, 0.5)
