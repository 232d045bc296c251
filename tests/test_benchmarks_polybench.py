"""The table of kernels that others wrote: what a loss around one is, and what its columns say of a checkout of ours."""

import json
import sys

import numpy as np
import pytest

import ccc
from benchmarks import kernels, polybench
from benchmarks.measure import DISAGREES, Cell

INFO = {
    "relative_path": "polybench/scaled", "func_name": "kernel", "parameters": {"S": {"N": 3}},
    "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["A", "B"]},
    "input_args": ["N", "A", "B"], "array_args": ["A", "B"], "output_args": ["B"],
}  # fmt: skip
MAKER = """
import numpy as np
def initialize(N, datatype=np.float64):
    return np.arange(1, N + 1, dtype=datatype), np.ones(N, dtype=datatype)
"""
KERNEL = """
def kernel(N, A, B):
    for i in range(N):
        B[i] = A[i] * A[i] * B[i]
"""


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "npbench/benchmarks/polybench/scaled"
    folder.mkdir(parents=True)
    (tmp_path / "bench_info").mkdir()
    (tmp_path / "bench_info/scaled.json").write_text(json.dumps({"benchmark": INFO}))
    of_numbers = {name: fact for name, fact in INFO.items() if name != "init"}
    (tmp_path / "bench_info/of_numbers.json").write_text(json.dumps({"benchmark": of_numbers}))
    (folder / "scaled.py").write_text(MAKER)
    (folder / "scaled_numpy.py").write_text(KERNEL)
    return tmp_path


def test_a_loss_sums_what_a_kernel_changes_and_changes_nothing(checkout):
    (name,) = kernels.names(checkout)  # the other makes no arrays
    kernel = kernels.Kernel(checkout, name)
    n, a, b = kernel.arguments("S")
    assert kernel.wrt([n, a, b]) == [1, 2] and kernel.results() == (["B"], 0)
    loss = kernel.loss()
    assert loss(n, a, b) == 14.0 and b.tolist() == [1.0, 1.0, 1.0]
    for backend in ("numpy", "native"):
        by_a, by_b = ccc.gradient(loss, wrt=["A", "B"], backend=backend)(n, a, b)
        np.testing.assert_array_equal(by_a, 2.0 * a)
        np.testing.assert_array_equal(by_b, a * a)


def test_the_table_has_a_line_for_each_figure(checkout, capsys):
    polybench.main([str(checkout), "--columns", "plain", "ccc numpy", "--repeats", "1"])
    out = capsys.readouterr().out
    assert "scaled S" in out and "first call" in out and "ccc numpy / plain" in out and "none" not in out


def test_what_a_process_needs_is_that_of_fresh_ones(checkout, capsys):
    polybench.main([str(checkout), "--columns", "plain", "ccc numpy", "--repeats", "1", "--memory", "--one-thread"])
    out = capsys.readouterr().out
    (line,) = [line for line in out.splitlines() if line.split()[:1] == ["process"]]
    assert line.count("MB") == 2
    found = [{"ccc auto": 2, "JAX": 8}, {"ccc auto": 8, "JAX": 8}, {"JAX": 3}]
    assert polybench.summary_of_memory(found, ["ccc auto"]) == [
        "ccc auto / JAX in memory: 0.50 over 2 kernels, most 1.00"]


def test_a_gradient_that_is_not_that_of_quotients_is_wrong(checkout):
    kernel = kernels.Kernel(checkout, "scaled")
    _, a, _ = kernel.arguments("S")
    right, other = np.concatenate([2.0 * a, a * a]), np.concatenate([2.0 * a, 2.0 * a])
    cells = {name: Cell() for name in ("a", "b", "JAX")}
    polybench.judge(kernel, "S", "float64", cells, {"a": other, "b": right, "JAX": right})
    assert [name for name, cell in cells.items() if cell.note.startswith(DISAGREES)] == ["a"]
    polybench.judge(kernel, "S", "float32", cells, {"b": right * (1.0 + 1e-5), "JAX": right})
    assert not cells["b"].note and not cells["JAX"].note


def test_a_worker_says_what_a_kernel_leaves_to_numpy(checkout):
    column = polybench.Column("ccc native", {}, "benchmarks.polybench", "--worker")
    assert column.command[0] == sys.executable
    request = {"do": "prepare", "row": "scaled", "size": "S", "checkout": str(checkout), "dtype": "float32",
               "function": "gradient", "result": str(checkout / "result.npy")}  # fmt: skip
    try:
        answer = column.ask(request, 60.0)
    finally:
        column.close()
    assert "error" not in answer
    np.testing.assert_allclose(np.load(checkout / "result.npy"), [2, 4, 6, 1, 4, 9], rtol=1e-6)
