"""Each public function of NumPy is differentiated, or is refused for a reason that is written down."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import numpy_arguments
from ccc.compile.frontend.definitions import definition_of
from ccc.compile.frontend.known_functions import LIBRARY, is_read
from ccc.compile.frontend.memory.interface import array_writers
from ccc.compile.frontend.numpy_functions.table import DEFINED, found
from ccc.compile.frontend.numpy_functions.without import WITHOUT, reason_of
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

PAGE = Path(__file__).resolve().parents[1] / "docs" / "numpy.md"
found(np.polynomial.polynomial.polyval)  # loads them all
PUBLIC = sorted(name for name in np.__all__ if callable(getattr(np, name)) and not isinstance(getattr(np, name), type))


def is_known(function: Any) -> bool:
    """Whether a call of a function is read: by a primitive, an adaptor, a definition, what writes in place, or as NumPy
    has written it in Python."""
    return (registry.find(function) is not None or function in LIBRARY or definition_of(function) is not None
            or array_writers.writer(function) is not None
            or (is_read(function) and reason_of(function.__name__) is None))


def table() -> str:
    """The table of the page."""
    known = ", ".join(f"`{name}`" for name in PUBLIC if is_known(getattr(np, name)))
    rows = [(f"known ({sum(is_known(getattr(np, name)) for name in PUBLIC)} of {len(PUBLIC)})", known)]
    rows += [(reason, ", ".join(f"`{name}`" for name in sorted(names.split()))) for reason, names in WITHOUT.items()]
    return "\n".join(["| | functions of `numpy` |", "| --- | --- |", *[f"| {a} | {b} |" for a, b in rows]])


@pytest.mark.parametrize("name", PUBLIC)
def test_a_function_is_known_or_refused_for_a_reason(name: str):
    assert is_known(getattr(np, name)) is (reason_of(name) is None)


@pytest.mark.parametrize("function", DEFINED, ids=lambda function: function.__name__)
def test_what_has_a_definition_has_no_adaptor_that_comes_first(function: Any):
    assert registry.find(function) is None and function not in LIBRARY


@pytest.mark.parametrize("module", [np, np.linalg, np.fft])
def test_what_may_be_left_out_of_a_call_of_numpy_may_be_here(module: Any):
    """Options as they are by default are left out before a call is read."""
    functions = [getattr(module, name) for name in module.__all__]
    functions = [f for f in functions if callable(f) and numpy_arguments.is_numpys(f)]
    asked: list[str] = []
    for function in functions:
        known = registry.find(function) or definition_of(function)
        if known is None or isinstance(known, Primitive):
            continue
        needed = [q.name for q in inspect.signature(known).parameters.values()
                  if q.default is q.empty and q.kind in (q.POSITIONAL_OR_KEYWORD, q.KEYWORD_ONLY)]
        asked += [f"{function.__name__}: {name}" for name in needed if name in numpy_arguments.parameters(function)[1]]
    assert asked == []


@pytest.mark.share(2)
@pytest.mark.parametrize("name", [name for name in PUBLIC if reason_of(name)])
def test_what_has_no_derivative_is_refused_or_known(name: str):
    function = getattr(np, name)
    try:
        found = ccc.gradient(lambda x: np.sum(function(x)) + np.sum(x))(np.array([0.5, 1.5]))
    except (CompileError, DeprecationWarning):
        return
    assert np.array_equal(found, [1.0, 1.0])  # it is known without the numbers


def test_a_method_of_an_elementwise_function_is_said_to_be_of_numpy():
    with pytest.raises(CompileError, match="it is one of those of NumPy and SciPy"):
        ccc.compiled(lambda x: x * len(np.add.resolve_dtypes((x.dtype, x.dtype, None))))(np.ones(2))


def test_reasons_name_functions_that_there_are():
    assert [name for names in WITHOUT.values() for name in names.split() if name not in PUBLIC] == []


def test_the_page_has_the_table():
    assert table() in PAGE.read_text("utf-8")
