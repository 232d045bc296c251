"""Calls of NumPy and SciPy in all forms of their arguments: values of theirs, gradients by differences, forward mode.

Each change takes some of the programs of `numpy_forms.txt` and `scipy_forms.txt`, the nightly run takes all, those with
SciPy on the default target too."""

from __future__ import annotations

import cmath
import importlib
import linecache
import random
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import dot, numbers, slope, tangents

import ccc

SCIPY = ("fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "special",
         "stats")
LINES, OF_SCIPY = [
    [line for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()
     if line and not line.startswith("# ")] for name in ("numpy_forms.txt", "scipy_forms.txt")]
ARGUMENTS = {
    "v": np.array([0.7, -1.9, 1.2, 2.6]), "w": np.array([0.4, 1.3, 0.6, 0.9]),
    "m": np.array([[2.1, 0.3, -0.4], [0.2, 1.7, 0.5], [-0.6, 0.1, 1.4]]),
    "t": (np.linspace(-1.0, 1.3, 12).reshape(2, 3, 2) + 0.07)[:, ::-1] * np.array([1.0, -1.1]), "s": 1.7,
}  # fmt: skip
SINGLE = ("float32", "f4", "complex64", "float16", "ff->f")
FOUND = ("optimize.", "solve_ivp", "solve_bvp", "odeint", "quad")
"""What SciPy finds to a tolerance, which differences see."""


def sections(lines: list[str]) -> dict[str, list[str]]:
    """The programs by the headings above them."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("## "):
            section = found.setdefault(line.removeprefix("## "), [])
        else:
            section.append(line)  # type: ignore[reportPossiblyUnbound]
    return found


def function(name: str, body: list[str], args: list[str], known: dict[str, Any]) -> Callable[..., Any]:
    """A function of a source that can be read."""
    text = f"def {name}({', '.join(args)}):\n" + "".join([f"    {line}\n" for line in body])
    file = f"<{name} of numpy_forms: {body[0]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), known)
    return known[name]


def leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, list | tuple):
        for item in x:
            yield from leaves(item)
    else:
        yield np.asarray(x) if isinstance(x, ccc.Complex) else x


def weighed(result: Any, known: dict[str, Any]) -> list[str]:
    """What makes one real number of a result."""
    known["K"], terms = [], []
    for i, leaf in enumerate([result] if not isinstance(result, list | tuple) else result):
        known["K"].append(np.cos(1.0 + np.arange(np.size(leaf))).reshape(np.shape(leaf)))
        part = f"r[{i}]" if isinstance(result, list | tuple) else "r"
        if np.iscomplexobj(leaf):
            terms += [f"np.sum(K[{i}] * {part}.real)", f"np.sum(np.sin(1.0 + K[{i}]) * {part}.imag)"]
        else:
            terms.append(f"np.sum(K[{i}] * {part})")
    return ["return " + " + ".join(terms)]


def agrees(program: str, known: dict[str, Any], backend: str) -> None:
    """A program gives what NumPy gives, and its derivative in both modes is that of differences."""
    names = [name for name in ARGUMENTS if re.search(rf"(?<![\w.]){name}\b(?!=[^=])", program)]
    body = program.split("; ") if re.search(r"\br = ", program) else [f"r = {program}"]
    args = [np.copy(ARGUMENTS[name]) if name != "s" else ARGUMENTS[name] for name in names]
    f = function("f", [*body, "return r"], names, known)
    expected, found = f(*[x.copy() if isinstance(x, np.ndarray) else x for x in args]), ccc.value_with_gradient(
        function("pair", [*body, "return 0.0 * s, r"], [*dict.fromkeys([*names, "s"])], known), has_aux=True,
        backend=backend)(*args, *([] if "s" in names else [1.0]))[0][1]
    for a, b in zip(leaves(expected), leaves(found), strict=True):
        assert np.result_type(a) == np.result_type(b) and np.shape(a) == np.shape(b), program
        single = np.result_type(a) in (np.float16, np.float32, np.complex64)
        np.testing.assert_allclose(b, a, 1e-5 if single else 1e-12, 1e-12, err_msg=program)
    if any(isinstance(x, list | tuple) for x in expected) if isinstance(expected, list | tuple) else False:
        return
    if not any(np.result_type(x).kind in "fc" for x in leaves(expected)):
        return
    g = function("g", [*body, *weighed(expected, known)], names, known)
    _, gradient = ccc.value_with_gradient(g, backend=backend)(*args)
    gradient = gradient if len(args) > 1 else (gradient,)
    along = [float(np.cos(3.0 * i + 1.0)) for i in range(len(list(numbers(tuple(args)))))]
    reverse, (wanted, error) = dot(gradient, along), slope(g, args, along)
    room = 1e-1 if any(name in program for name in SINGLE) else 1e-5 if any(name in program for name in FOUND) else 1e-9
    assert abs(reverse - wanted) <= error + room * (1.0 + abs(wanted)), (program, reverse, wanted, error)
    forward = float(ccc.value_with_differential(g, backend=backend)(*args)[1](*tangents(args, along)))
    assert abs(forward - reverse) <= min(room, 1e-5) * (1.0 + abs(wanted)), (program, forward, reverse)


def all_agree(programs: list[str], known: dict[str, Any], backend: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for program in programs:
            agrees(program, dict(known), backend)


def with_scipy() -> dict[str, Any]:
    """The names that programs with SciPy know."""
    pytest.importorskip("scipy")
    known: dict[str, Any] = {name: importlib.import_module(f"scipy.{name}") for name in SCIPY}
    of_space = {"distance": known["spatial"].distance, "Rotation": known["spatial"].transform.Rotation}
    return WITH_NUMPY | known | of_space


WITH_NUMPY = {"np": np, "cmath": cmath}


@pytest.mark.parametrize("lines", [LINES, OF_SCIPY], ids=["numpy", "scipy"])
def test_some_forms_agree(lines: list[str]):
    programs = random.Random(12).sample([line for line in lines if not line.startswith("## ")], 12)
    all_agree(programs, WITH_NUMPY if lines is LINES else with_scipy(), "numpy")


@pytest.mark.nightly
@pytest.mark.parametrize("section", sections(LINES))
def test_all_forms_agree(section: str):
    all_agree(sections(LINES)[section], WITH_NUMPY, "numpy")


@pytest.mark.nightly
@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("section", sections(OF_SCIPY))
def test_all_forms_of_scipy_agree(section: str, backend: str):
    all_agree(sections(OF_SCIPY)[section], with_scipy(), backend)
