"""Programs of others: `python3 -m benchmarks.polybench CHECKOUT`, a checkout of the public spcl/npbench.

The PolyBench kernels of it, unchanged, are differentiated: the loss is the sum of what one computes, with respect to
all arrays of floats. Columns are our targets, the plain program, and `jax.grad` of the version for JAX under one `jit`,
waited for, sizes static. Only where asked for by name: gradients by DaCe's beta of reverse mode, and the programs,
without a derivative, as Numba compiles them and as we do, `ccc program`. Each runs in a process of its own, in turns; a
gradient that is not that of difference quotients is not timed. Then geometric means of ours over JAX's and over the
program's, of calls and of first calls.

    --kernels gemm atax       some kernels
    --others                  those of a checkout that are not PolyBench's
    --sizes S M
    --columns "ccc native" JAX
    --float32
    --one-thread              each process has one thread
    --memory                  tell what fresh processes need to compile and compute, too
    --busy                    many short turns, of which the fastest counts: for a machine that does other work
    --json FILE
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import kernels, rows
from benchmarks.columns import Column
from benchmarks.measure import DISAGREES, Cell, Settings, asked
from benchmarks.processes import ONE_THREAD
from benchmarks.report import block, figure_line, heading, mean, megabytes
from benchmarks.systems import SYSTEMS, System, on_device
from benchmarks.tables import number
from benchmarks.worker import Worker, answered, kilobytes, settled_memory

PLAIN, COMPILED = "plain", "ccc program"
CALLS = 4
"""What is kept from one call for the next ones is there by then."""


def arrays_on_device(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """Arrays of JAX; numbers stay as they are, for they are static."""
    import jax.numpy as jnp

    on_device([], ())  # double precision
    return [jnp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]


COLUMNS = {PLAIN: System("numpy", ""), **{n: SYSTEMS[n] for n in ("ccc auto", "ccc native", "ccc numpy")}}
COLUMNS["ccc xla"] = dataclasses.replace(SYSTEMS["ccc xla"], convert=arrays_on_device)
COLUMNS["JAX"] = dataclasses.replace(SYSTEMS["JAX"], convert=arrays_on_device)
COLUMNS |= {"DaCe": System("dace", "dace"), "Numba": System("numba", "numba_np"),
            COMPILED: dataclasses.replace(SYSTEMS["ccc auto"], version="program")}
PROGRAMS = (PLAIN, "Numba", COMPILED)
"""The columns that compute the program, and no derivative."""
ASKED = [name for name in COLUMNS if name not in ("DaCe", "Numba", COMPILED)]
"""The columns of a run that names none."""


class KernelWorker(Worker):
    """A worker whose rows are kernels."""

    def __init__(self, column: str) -> None:
        super().__init__(column, COLUMNS[column])

    def prepare(self, request: Any) -> dict[str, Any]:
        found = self.asked(request)
        return {"absent": True} if found is None else self.called(*found, request["result"])

    def memory(self, request: Any) -> dict[str, Any]:
        """The bytes by which the memory of the process grows at most in the first calls."""
        found = self.asked(request)
        if found is None:
            return {}
        before = settled_memory()
        for _ in range(CALLS):
            found[1]()
        return {"bytes": max(0, 1024 * (kilobytes("VmHWM") - before))}

    def asked(self, request: Any) -> tuple[Any, Callable[[], Any]] | None:
        """The function that a request is about, and a call of it; None where there is none."""
        kernel = kernels.Kernel(Path(request["checkout"]), request["row"])
        version = self.system.version
        if version in ("jax", "dace", "numba_np") and not kernel.has(f"_{version}"):
            return None
        arguments = kernel.arguments(request["size"], np.dtype(request["dtype"]).type)
        wrt = kernel.wrt(arguments)
        if not wrt:
            return None
        function = self.made(kernel, arguments, wrt)
        return function, self.system.bound(function, wrt)(*arguments)

    def made(self, kernel: kernels.Kernel, arguments: Sequence[Any], wrt: Sequence[int]) -> Any:
        if self.system.version == "jax":
            return gradient_by_jax(kernel.jax_loss(), arguments, wrt)
        if self.system.version == "dace":
            from benchmarks import with_dace

            return with_dace.gradient(kernel, wrt)
        loss = kernel.loss("_numba_np" if self.system.version == "numba_np" else "_numpy")
        if not self.system.backend:
            return loss
        import ccc

        if self.system.version == "program":
            return ccc.compiled(loss, backend=self.system.backend)
        return ccc.gradient(loss, wrt=[kernel.names[i] for i in wrt], backend=self.system.backend)


def gradient_by_jax(loss: Any, arguments: Sequence[Any], wrt: Sequence[int]) -> Any:
    """What is no array is static: sizes, and the numbers beside the arrays."""
    import jax

    static = [i for i, a in enumerate(arguments) if not isinstance(a, np.ndarray)]
    return jax.jit(jax.grad(loss, argnums=tuple(wrt)), static_argnums=static)


def measured(kernel: kernels.Kernel, size: str, dtype: str, columns: Mapping[str, Column], settings: Settings) -> Any:
    """The cells of a kernel at a size."""
    return asked(about(kernel, size, dtype), columns, settings, lambda cells, results: judge(
        kernel, size, dtype, cells, {name: result for name, result in results.items() if name not in PROGRAMS}))


def about(kernel: kernels.Kernel, size: str, dtype: str) -> dict[str, Any]:
    """A request about a kernel at a size."""
    return {"row": kernel.name, "size": size, "checkout": str(kernel.checkout), "dtype": dtype}


def memory(
    request: Mapping[str, Any], cells: Mapping[str, Cell], columns: Mapping[str, Column], limit: float
) -> dict[str, int]:
    """What the columns that have a time need in fresh processes, to compile and to compute."""
    found = dict[str, int]()
    for name in [name for name, cell in cells.items() if cell.times]:
        column = Column(name, columns[name].given, "benchmarks.polybench", "--worker")
        answer = column.ask({**request, "do": "memory"}, limit)
        column.close()
        if "bytes" in answer:
            found[name] = answer["bytes"]
    return found


def memory_lines(found: Mapping[str, int], names: Sequence[str]) -> list[str]:
    """The lines of a kernel about memory, beneath its block.

    >>> print("\\n".join(memory_lines({"ccc auto": 20_000_000, "JAX": 80_000_000}, ["plain", "ccc auto", "JAX"])))
                       process                   -     20.0 MB     80.0 MB
                       / JAX                     -        0.25        1.00
    """
    shares = [found[n] / found["JAX"] if n in found and found.get("JAX") else None for n in names]
    return [
        figure_line("process", [megabytes(found.get(n)) for n in names]), figure_line("/ JAX", map(number, shares))
    ]  # fmt: skip


def judge(
    kernel: kernels.Kernel, size: str, dtype: str, cells: Mapping[str, Cell], results: Mapping[str, np.ndarray]
) -> None:
    """The first gradient that difference quotients of the plain program confirm is the measure of the others; where
    the program raises beside the arguments, the first one is."""
    arguments = kernel.arguments(size)
    wrt = kernel.wrt(arguments)
    single = dtype == "float32" or any(arguments[i].dtype == np.float32 for i in wrt)
    tolerance = 1e-3 if single else 1e-5
    moves = rows.directions(arguments, wrt)
    right: np.ndarray | None = None
    for name, result in results.items():
        if right is None:
            along = rows.inner_product(result, arguments, moves)
            try:
                wrong = rows.as_quotients(along, kernel.loss(), arguments, wrt, moves, tolerance)
            except ValueError:  # as `np.linalg.cholesky` does of a matrix that is moved
                wrong = ""
            right = None if wrong else result
        else:
            wrong = rows.close(result, right, tolerance)
        if wrong:
            cells[name].note = f"{DISAGREES}: {wrong}"


def over_jax(cells: Mapping[str, Cell], name: str) -> float | None:
    """How many times as long as JAX a column takes."""
    own, other = cells[name].seconds, cells["JAX"].seconds if "JAX" in cells else None
    return own / other if own and other else None


def first_over_jax(cells: Mapping[str, Cell], name: str) -> float | None:
    """How many times as long as JAX's the first call of a column takes: to compile, and to compute.

    >>> first_over_jax({"ccc auto": Cell([1e-3], 0.2), "JAX": Cell([1e-3], 0.8)}, "ccc auto")
    0.25
    """
    own, other = cells[name].first, cells["JAX"].first if "JAX" in cells else None
    return own / other if own and other else None


def summary(found: Sequence[tuple[str, Mapping[str, Cell]]], names: Sequence[str]) -> list[str]:
    """Geometric means over JAX and over the plain program, and how many kernels are behind."""
    texts = []
    for below in ("JAX", *PROGRAMS, "DaCe"):
        for name in [n for n in names if n not in (*PROGRAMS, "JAX", "DaCe")]:
            pairs = [(c[name].seconds, c[below].seconds) for _, c in found if name in c and below in c]
            shares = [a / b for a, b in pairs if a and b]
            if shares:
                behind = f", {sum(s > 1.1 for s in shares)} above 1.1" if below == "JAX" else ""
                texts.append(
                    f"{name} / {below}: {number(mean(shares))} over {len(shares)} kernels, median "
                    f"{number(statistics.median(shares))}, most {number(max(shares))}{behind}"
                )
    for name in [n for n in names if n not in (*PROGRAMS, "JAX")]:
        firsts = [share for _, cells in found if name in cells and (share := first_over_jax(cells, name))]
        if firsts:
            texts.append(f"{name} / JAX in first calls: {number(mean(firsts))} over {len(firsts)} kernels, most "
                         f"{number(max(firsts))}, {sum(s > 1.0 for s in firsts)} above 1")
    return texts


def summary_of_memory(found: Sequence[Mapping[str, int]], names: Sequence[str]) -> list[str]:
    """Geometric means of the memory of processes over JAX's."""
    texts = []
    for name in [n for n in names if n not in (*PROGRAMS, "JAX")]:
        shares = [m[name] / m["JAX"] for m in found if m.get(name) and m.get("JAX")]
        if shares:
            texts.append(f"{name} / JAX in memory: {number(mean(shares))} over {len(shares)} kernels, most "
                         f"{number(max(shares))}")
    return texts


def main(arguments: Sequence[str] | None = None) -> None:
    known = argparse.ArgumentParser(prog="python3 -m benchmarks.polybench", description="Kernels that others wrote.")
    known.add_argument("checkout", type=Path)
    known.add_argument("--kernels", nargs="+", metavar="KERNEL")
    known.add_argument("--others", action="store_true", help="the kernels that are not PolyBench's")
    known.add_argument("--sizes", nargs="+", default=["S"], metavar="SIZE")
    known.add_argument("--columns", nargs="+", choices=list(COLUMNS), metavar="COLUMN")
    known.add_argument("--float32", action="store_true")
    known.add_argument("--repeats", type=int, default=7)
    known.add_argument("--one-thread", action="store_true", help="each process has one thread")
    known.add_argument("--memory", action="store_true", help="tell what fresh processes need to compile and compute")
    known.add_argument("--busy", action="store_true", help="take many short turns, of which the fastest counts")
    known.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="the most that a call may take")
    known.add_argument("--json", type=Path, metavar="FILE")
    options = known.parse_args(arguments)
    checkout = options.checkout.resolve()
    names = [n for n, s in COLUMNS.items() if s.installed() and n in (options.columns or ASKED)]
    environment = ONE_THREAD if options.one_thread else {}
    columns = {name: Column(name, environment, "benchmarks.polybench", "--worker") for name in names}
    settings = Settings(repeats=options.repeats, limit=options.limit)
    if options.busy:
        settings = Settings(5 * options.repeats, 1e-3, 2.0, options.limit, fastest=True)
    found, memories, dtype = [], list[Mapping[str, int]](), "float32" if options.float32 else "float64"
    print(heading(names), flush=True)
    try:
        for name in options.kernels or kernels.names(checkout, options.others):
            kernel = kernels.Kernel(checkout, name)
            for size in options.sizes:
                cells = measured(kernel, size, dtype, columns, settings)
                found.append((f"{name} {size}", cells))
                print("\n".join(block(f"{name} {size}", cells, "/ JAX", over_jax)), flush=True)
                print(figure_line("first / JAX", [number(first_over_jax(cells, n)) for n in names]), flush=True)
                if options.memory:
                    needed = memory(about(kernel, size, dtype), cells, columns, options.limit)
                    memories.append(needed)
                    print("\n".join(memory_lines(needed, names)), flush=True)
    finally:
        for column in columns.values():
            column.close()
    print("\n" + "\n".join(summary(found, names) + summary_of_memory(memories, names)))
    if options.json is not None:
        data = [{"kernel": label, **{n: cell.data() for n, cell in cells.items()}} for label, cells in found]
        options.json.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    answered(lambda: KernelWorker(sys.argv[2])) if sys.argv[1:2] == ["--worker"] else main()
