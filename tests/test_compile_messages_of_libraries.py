"""What is said of Python's library: once, where the user calls it, with the names that are near."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import ccc


def test_an_object_of_the_library_is_refused_once_where_it_is_made():
    def f(x: float) -> float:
        worker = threading.Thread(target=lambda: x)
        worker.start()
        return x

    with pytest.raises(ccc.CCCError) as caught:
        ccc.gradient(f)(2.0)
    (found,) = caught.value.diagnostics  # type: ignore[attr-defined]
    assert found.span is not None and found.span.lines[found.span.line - 1].strip().startswith("worker = ")
    assert found.message == "`threading.Thread(...)` is an object of a class that cannot be read"


def test_a_file_is_refused_by_name():
    def f(x: float) -> float:
        with open("none.txt", "w") as file:
            file.write("a")
        return x

    with pytest.raises(ccc.CCCError, match="`open` is not supported"):
        ccc.gradient(f)(2.0)


def test_names_that_are_as_near_are_both_told():
    with pytest.raises(ccc.CCCError, match="write `sum` or `sin`"):
        ccc.gradient(lambda x: np.sun(x))(2.0)  # type: ignore[attr-defined]


def test_a_verb_that_is_given_as_an_option_is_told():
    with pytest.raises(ccc.CCCError, match=r"write ccc\.debug_nans\(ccc\.hessian\(f\)\)"):
        ccc.hessian(lambda x: x, debug_nans=True)  # type: ignore[call-arg]
