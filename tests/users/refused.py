"""Programs that are refused, by name."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import contextlib

import numpy as np
import pytest
from users_checks import is_refused


def check_exit_stack() -> None:

    def f(x):
        with contextlib.ExitStack() as stack:
            stack.callback(print, "bye")
            y = x * x
        return y

    is_refused(f, 2.0, says="`with` is not supported")


def check_closing_redirect() -> None:
    import io

    def f(x):
        buf = io.StringIO()
        with contextlib.redirect_stdout(buf):
            print("hidden", x)
        return x * x

    is_refused(f, 2.0, says="no derivative rule for `_io.StringIO`")


def check_exec_function() -> None:
    src = "def g(x):\n    return x**2+1\n"
    ns = {}
    exec(src, ns)
    is_refused(ns["g"], 0.5, says="cannot read the source of `g`")


def check_df_captured() -> None:
    pd = pytest.importorskip("pandas")

    df = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.1, 5.9]})

    def f(w):
        return np.mean((w * df["x"] - df["y"]) ** 2)

    is_refused(f, 1.5, says="`DataFrame` cannot be indexed here")


def check_df_rows() -> None:
    pd = pytest.importorskip("pandas")

    df = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.1, 5.9]})

    def f(w):
        s = 0.0
        for _, row in df.iterrows():
            s += (w * row["x"] - row["y"]) ** 2
        return s

    is_refused(f, 1.5, says="attributes of `DataFrame` objects")


def check_series_arg() -> None:
    pd = pytest.importorskip("pandas")

    def f(x, s):
        return np.sum(x * np.asarray(s))

    is_refused(f, np.array([0.1, -0.2]), pd.Series([1.0, 2.0]), says="is a Series, an array of another library")


def check_jax_array_arg() -> None:
    jnp = pytest.importorskip("jax.numpy")

    def f(x, w):
        return np.sum(w * x)

    is_refused(f, np.array([0.1, -0.2]), jnp.array([1.0, 2.0]), says="an array of another library")
