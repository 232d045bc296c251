"""Functions of C: what they compute, called from C and by their addresses; and what is refused, with its place."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.__main__ import main
from ccc.compile.diagnostics import UnsupportedPython, WrongArguments

pytest.importorskip("llvmlite")
if shutil.which("cc") is None:
    pytest.skip("there is no compiler of C", allow_module_level=True)
R = np.random.default_rng(2)


def loss(p, x):
    h, total = np.tanh(x @ p["w"] + p["b"]), 0.0
    for i in range(len(h)):
        total = total + h[i] * h[i] if h[i] > 0.0 else total - h[i]
    return total


P, X = {"w": R.normal(size=2), "b": 0.25}, R.normal(size=(3, 2))
PROGRAM = """
#include <stdio.h>
#include "loss.h"

int main(void) {
    const double w[2] = {%s}, x[6] = {%s};
    double value, again, dw[2], db, dx[6];
    int32_t first = loss(w, 0.25, x, &value);
    int32_t second = loss_gradient(w, 0.25, x, &again, dw, &db, dx);
    printf("%%d %%d %%.17g %%.17g %%.17g %%.17g %%.17g\\n", first, second, value, again, dw[0], dw[1], db);
    for (int i = 0; i < 6; i++) printf("%%.17g ", dx[i]);
    return 0;
}
"""


def test_a_program_in_c_calls_it(tmp_path: Path):
    found = ccc.export(loss, P, X, to=tmp_path)
    assert found.functions == (
        "int32_t loss(const double p_w[2], double p_b, const double x[6], double *value);",
        "int32_t loss_gradient(const double p_w[2], double p_b, const double x[6], double *value, "
        "double p_w_gradient[2], double *p_b_gradient, double x_gradient[6]);",
    )
    numbers = [", ".join(map(repr, a.ravel().tolist())) for a in (P["w"], X)]
    (tmp_path / "main.c").write_text(PROGRAM % tuple(numbers), "utf-8")
    linked = [f"-L{tmp_path}", "-lloss", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "main", "main.c", *linked], cwd=tmp_path, check=True)
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    first, second, *got = map(float, run.stdout.split())
    value, (dp, dx) = ccc.value_with_gradient(loss, backend="numpy")(P, X)
    assert (first, second) == (0, 0)
    np.testing.assert_allclose(got, [value, value, *dp["w"], dp["b"], *dx.ravel()], rtol=1e-12, atol=1e-15)


class Library:
    """Functions of a library, on arrays of NumPy and numbers."""

    def __init__(self, f: Any, *args: Any, to: Path, **options: Any) -> None:
        self.library = ctypes.CDLL(str(ccc.export(f, *args, to=to, **options).library))

    def __call__(self, name: str, *args: Any) -> int:
        return getattr(self.library, name)(*[
            x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else
            ctypes.c_double(x) if isinstance(x, float) else ctypes.c_int64(x) for x in args])


K, S = np.array([1.0, -2.0, 0.5]), 1.5


def waves(x, w):
    total = 0.0
    for i in range(3):
        total += math.sin(w * x[i])
    return total


def test_value_and_gradient_call_the_same_functions_of_many_numbers(tmp_path: Path):
    x = np.array([1.0, 2.0, 3.0])
    library = ctypes.CDLL(str(ccc.export(waves, x, 0.5, to=tmp_path).library))
    value, slopes, slope = ctypes.c_double(), (ctypes.c_double * 3)(), ctypes.c_double()
    given = (ctypes.c_double * 3)(*x), ctypes.c_double(0.5)
    assert library.waves_gradient(*given, ctypes.byref(value), slopes, ctypes.byref(slope)) == 0
    found = ccc.gradient(waves)(x, 0.5)
    assert value.value == pytest.approx(waves(x, 0.5)) and slope.value == pytest.approx(found[1])
    assert np.allclose(list(slopes), found[0])


def test_what_is_read_outside_is_constant(tmp_path: Path):
    def weighed(x):
        return np.sum(K * x) * S

    call, y, dx = Library(weighed, np.ones(3), to=tmp_path), np.zeros(1), np.zeros(3)
    assert call("weighed_gradient", np.array([1.0, 2.0, 3.0]), y, dx) == 0
    np.testing.assert_allclose([y[0], *dx], [-2.25, *(K * S)], rtol=1e-15)


def test_integers_are_arguments_or_have_to_be_what_they_were(tmp_path: Path):
    def grown(x, n):
        for _ in range(n):
            x = x * x + 0.1
        return x

    call, y = Library(grown, 0.5, 3, to=tmp_path, wrt="x"), np.zeros(1)
    assert call("grown", 0.5, 5, y) == 0 and y[0] == grown(0.5, 5)

    def along(x, axis):
        return np.sum(x, axis=axis)

    call, y = Library(along, X, 1, to=tmp_path), np.zeros(3)
    assert (call("along", X, 1, y), call("along", X, 0, y)) == (0, 2)
    np.testing.assert_allclose(y, X.sum(axis=1), rtol=1e-15)


def test_an_int_for_a_parameter_that_is_a_float_is_a_double(tmp_path: Path):
    def scaled(x: float, n: int, k: float) -> float:
        return x * n + k

    assert ccc.export(scaled, 2, 3, 1, to=tmp_path).functions[0] == (
        "int32_t scaled(double x, int64_t n, double k, double *value);")


def test_where_python_raises_it_says_so(tmp_path: Path):
    def root(x):
        return math.sqrt(x) / (x - 1.0)

    def chosen(x):
        return x[x > 0.5]

    call, y = Library(root, 2.0, to=tmp_path), np.zeros(1)
    assert [call("root", x, y) for x in (4.0, -1.0, 1.0)] == [0, 1, 1] and y[0] == pytest.approx(2.0 / 3.0)
    call, y = Library(chosen, np.array([0.2, 0.7]), to=tmp_path), np.zeros(1)
    assert [call("chosen", x, y) for x in (np.array([0.9, 0.1]), np.array([0.8, 0.9]))] == [0, 2] and y[0] == 0.9


def test_large_products_singles_and_bools(tmp_path: Path):
    def product(a, b):
        return np.sum(np.tanh(a @ b), axis=0), a[0, 0] > 0.0, np.float32(2.0) * b[0, 0]

    a, b = R.normal(size=(2, 150, 150)).astype("float32")
    call = Library(product, a, b, to=tmp_path)
    sums, positive, twice = np.zeros(150, "float32"), np.zeros(1, "uint8"), np.zeros(1, "float32")
    assert call("product", a, b, sums, positive, twice) == 0
    wanted = product(a, b)
    np.testing.assert_allclose(sums, wanted[0], rtol=1e-4, atol=1e-4)
    assert (bool(positive[0]), twice[0]) == (bool(wanted[1]), wanted[2])


def solved(a, b):
    c = a + 1.0
    return np.sum(np.linalg.solve(c, b))


def shown(x):
    y = x * 2.0
    print(y)
    return y


def changing(x):
    x[0] = 1.0
    return np.sum(x)


def listed(x):
    return [x * i for i in range(len(x))]


@pytest.mark.parametrize(("f", "args", "text"), [
    (solved, (np.eye(2), np.ones(2)), r"calls the linear algebra of NumPy here(.|\n)*np.linalg.solve\(c, b\)"),
    (shown, (1.0,), r"calls out to NumPy or Python here: `show`(.|\n)*print\(y\)"),
    (changing, (np.ones(2),), r"changes what it is given(.|\n)*def changing"),
    (listed, (np.ones(2),), "has a result of lists"),
])  # fmt: skip
def test_what_cannot_be_of_c_is_refused_at_its_place(f: Any, args: Any, text: str, tmp_path: Path):
    with pytest.raises(UnsupportedPython, match=text):
        ccc.export(f, *args, to=tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_command_line_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "model.py").write_text("def area(x, y):\n    return x * y\n", "utf-8")
    words = ["export", f"{tmp_path}/model.py:area", "--at", "2.0", "3.0", "-o", str(tmp_path / "out"), "--wrt", "x"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == ["int32_t area(double x, double y, double *value);",
                         "int32_t area_gradient(double x, double y, double *value, double *x_gradient);"]
    assert Path(lines[0]).is_file() and Path(lines[1]).read_text("utf-8").count("int32_t area") == 2
    assert main([*words, "--name", "2d"]) == 1 and "is no name for a function of C" in capsys.readouterr().err
    assert main([*words[:5], "y=3.0", "-o", str(tmp_path)]) == 2


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(WrongArguments, match="a compiler of C, `cc` is not installed"):
        ccc.export(loss, P, X, to=tmp_path)
