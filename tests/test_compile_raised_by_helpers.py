"""Exceptions that a function or method makes, and the statement raises: `raise self.error("...")`."""

from __future__ import annotations

from typing import Any

import pytest
from checks import agrees, agrees_in_value

import ccc


class Coded(Exception):
    def __init__(self, text: str, code: Any) -> None:
        super().__init__(text)
        self.code = code


class Scanner:
    def __init__(self, tokens: Any) -> None:
        self.tokens = tokens

    def error(self, text: str, code: Any = 2) -> Exception:
        return Coded(f"Scanner: {text}", code)

    @classmethod
    def negative(cls, x: Any) -> Exception:
        return ValueError(f"{x:.1f} is negative")

    def total(self) -> Any:
        found = 0.0
        for x in self.tokens:
            if x > 5.0:
                raise self.error("too large", code=3)
            if x < 0.0:
                raise Scanner.negative(x)
            found += x * x
        return found


def total(tokens: Any) -> Any:
    return Scanner(tokens).total()


def caught(tokens: Any) -> Any:
    try:
        return total(tokens)
    except Coded as error:
        return tokens[0] * error.code + len(str(error))
    except ValueError as error:
        return tokens[0] * len(str(error))


def undefined(x: Any) -> ArithmeticError:
    return ZeroDivisionError(x)


def from_another(x: Any) -> Any:
    try:
        try:
            return {}["x"]
        except KeyError as error:
            raise undefined(x) from error
    except ArithmeticError as error:
        return x * error.args[0]


@pytest.mark.parametrize("tokens", [[1.0, 2.0], [1.0, 7.0], [1.0, -2.0]])
def test_what_a_method_makes_is_raised_and_caught(tokens: list[float]):
    agrees(caught, tokens)
    agrees_in_value(total, tokens)


def test_what_a_function_makes_is_raised_from_another():
    agrees(from_another, 1.5)


class Stuck(Exception):
    def __init__(self, text: str, *, turns: int = 0) -> None:
        super().__init__(text)
        self.turns = turns


def named_from_another(x: Any) -> Any:
    if x > 2.0:
        raise Stuck("no end", turns=3) from ValueError(x, "too large")
    return x * x


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_has_named_arguments_is_raised_from_another(backend: str):
    gradient = ccc.gradient(named_from_another, backend=backend)
    assert gradient(1.5) == 3.0
    with pytest.raises(Stuck, match="no end") as raised:
        gradient(2.5)
    cause = raised.value.__cause__
    assert raised.value.turns == 3 and type(cause) is ValueError and cause.args == (2.5, "too large")
