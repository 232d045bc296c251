"""What is changed in place is seen under every name that Python has for it, or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError

W = np.array([[1.3, -0.4, 0.7], [0.2, 0.9, -1.1], [-0.6, 1.7, 0.35]])


def agrees_or_refuses(f: Callable[..., Any], *args: Any) -> None:
    """Value and gradient are plain Python's and those of differences, or the program is refused."""
    try:
        ccc.gradient(f, wrt="w")(*args)
    except CompileError:
        return
    agrees(f, *args)


# -- what calls give back ----------------------------------------------------------------------------------------------


def last(xs, i):
    return xs if i == 0 else last(xs, i - 1)


GIVEN_BACK: dict[str, Callable[..., Any]] = {
    "λ": lambda d, n: (lambda q: q)(d),
    "λ of a λ": lambda d, n: (lambda h, q: h(q))(lambda q: q, d),
    "recursion": last,
    "a tuple": lambda d, n: (lambda q: (q, 1))(d)[0],
    "items": lambda d, n: list(map(lambda a: a, d)),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("given", GIVEN_BACK.values(), ids=GIVEN_BACK)
@pytest.mark.parametrize("lists", [False, True], ids=["arrays", "lists"])
@pytest.mark.parametrize("first", [False, True], ids=["behind", "before"])
def test_what_a_call_gives_back_is_what_it_was_given(given: Any, lists: bool, first: bool) -> None:
    """The list that a λ gave back kept the items from before a change of the list that it was given."""

    def f(w, n, k):
        d = [[w[i, 0], w[i, 1]] for i in range(n)] if lists else [w[i] * 2.0 for i in range(n)]
        c = given(d, n)
        z = c[k]
        d[k][0] = 7.0 * w[0, 1]
        if not first:
            z = c[k]
        return np.sum(np.array(z) ** 2)

    agrees_or_refuses(f, W, 3, 1)


def test_what_a_call_makes_anew_is_its_own() -> None:
    def f(w, n):
        fresh = lambda q: [a * 2.0 for a in q]  # noqa: E731
        d = [w[i] * 2.0 for i in range(n)]
        c = fresh(d)
        d[1][0] = w[0, 1]
        return np.sum(c[1] * d[1])

    ccc.gradient(f, wrt="w")(W, 3)
    agrees(f, W, 3)


# -- what NumPy makes read-only ----------------------------------------------------------------------------------------


READ_ONLY: dict[str, Callable[..., Any]] = {
    "broadcast": lambda x: np.broadcast_to(x, (3, 3)),
    "broadcast row": lambda x: np.broadcast_to(x[0], (3, 3)),
    "diagonal": lambda x: np.diagonal(x),
    "method": lambda x: x.diagonal(),
    "diag": lambda x: np.diag(x),
    "view of it": lambda x: np.broadcast_to(x, (2, 3, 3))[1].T[::-1],
    "in order": lambda x: np.expand_dims(np.atleast_1d(np.diagonal(x)), 0),
}


def assigned(v, y):
    v[0] = y


def augmented(v, y):
    v += y


def added_to_an_entry(v, y):
    v[0] += y


def filled(v, y):
    v.fill(y)


def copied_to(v, y):
    np.copyto(v, y)


def given_out(v, y):
    np.add(v, y, out=v)


CHANGES = (assigned, augmented, added_to_an_entry, filled, copied_to, given_out)


@pytest.mark.share(2)
@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("read_only", READ_ONLY.values(), ids=READ_ONLY)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_is_read_only_is_not_written_to(read_only: Any, change: Any, backend: str) -> None:
    """Into the result of `np.broadcast_to` and `np.diagonal` it was written, where NumPy raises."""

    def f(w):
        v = read_only(w * 2.0)
        change(v, w[0, 1])
        return np.sum(v * v)

    with pytest.raises(ValueError, match="read-only") as expected:
        f(W)
    for verb in (ccc.compiled, ccc.gradient):
        with pytest.raises(ValueError, match="read-only") as found:
            verb(f, backend=backend)(W)
        assert str(found.value) == str(expected.value)
        assert f":{expected.traceback[-1].lineno + 1}:" in found.value.__notes__[0]


@pytest.mark.parametrize("made", [
    lambda x: np.diag(x[0]), lambda x: np.copy(np.diagonal(x)), lambda x: np.broadcast_to(x, (3, 3)) * 1.0,
    lambda x: np.diagonal(x).copy(),
], ids=["diag", "copy", "product", "method"])  # fmt: skip
def test_what_is_made_of_it_anew_is_written_to(made: Any) -> None:
    def f(w):
        v = made(w * 2.0)
        v[0] = w[0, 1]
        return np.sum(v * v)

    ccc.gradient(f)(W)
    agrees(f, W)


@pytest.mark.parametrize("maybe", [
    lambda x: np.reshape(np.broadcast_to(x, (1, 3, 3)), (3, 3)), lambda x: np.ravel(np.diagonal(x)),
], ids=["reshape", "ravel"])  # fmt: skip
def test_what_may_be_read_only_is_refused(maybe: Any) -> None:
    def f(w):
        v = maybe(w * 2.0)
        v[0] = w[0, 1]
        return np.sum(v * v)

    with pytest.raises(CompileError, match="may be read-only"):
        ccc.gradient(f)(W)


# -- views -----------------------------------------------------------------------------------------------------------


VIEWS: dict[str, Callable[..., Any]] = {
    "transpose": lambda x: x.T, "swapaxes": lambda x: np.swapaxes(x, 0, 1), "flip": lambda x: np.flip(x, 0),
    "reversed": lambda x: x[::-1], "expand_dims": lambda x: np.expand_dims(x, 0)[0],
    "squeeze": lambda x: x[None].squeeze(),
    "atleast_1d": lambda x: np.atleast_1d(x), "atleast_2d": lambda x: np.atleast_2d(x[1]), "asarray": np.asarray,
    "reshape": lambda x: x.reshape(3, 3), "ravel": lambda x: np.ravel(x), "flatten": lambda x: x.flatten(),
    "rot90": lambda x: np.rot90(x), "moveaxis": lambda x: np.moveaxis(x, 0, 1), "deep": lambda x: x[1:].T[::-1][1:],
    "copy": lambda x: np.copy(x), "roll": lambda x: np.roll(x, 0), "broadcast": lambda x: np.broadcast_to(x, (2, 3, 3)),
    "row of zeros": lambda x: np.zeros((9,)).reshape(3, 3) + x,
}  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("base", [False, True], ids=["view", "base"])
def test_what_is_written_to_one_is_read_of_the_other(view: Any, base: bool) -> None:
    def f(w):
        x = w * 1.5
        v = view(x)
        if base:
            x[0] = 7.0 * w[0, 1]
        else:
            v[0] = 7.0 * w[0, 1]
        return np.sum(x * x) + 2.0 * np.sum(v * v * v)

    try:
        f(W)
    except ValueError:
        with pytest.raises(ValueError, match="read-only"):
            ccc.gradient(f)(W)
        return
    agrees_or_refuses(f, W)


@pytest.mark.parametrize("name", ["transpose", "swapaxes", "flip", "reversed", "expand_dims", "squeeze", "atleast_1d",
                                  "atleast_2d", "asarray", "moveaxis", "deep"])
def test_views_of_each_entry_once_are_followed(name: str) -> None:
    def f(w):
        x = w * 1.5
        VIEWS[name](x)[0] += 7.0 * w[0, 1]
        return np.sum(x * x * w)

    ccc.gradient(f)(W)
    agrees(f, W)


@pytest.mark.parametrize("made", ["zeros", "ones"])
def test_views_in_order_are_followed_where_an_array_lies_in_order(made: str) -> None:
    def f(w):
        x = getattr(np, made)((3, 3))
        np.ravel(np.atleast_2d(np.expand_dims(x.reshape(9), 1)))[4] = w[0, 1] ** 2
        return np.sum(x * w)

    ccc.gradient(f)(W)
    agrees(f, W)
