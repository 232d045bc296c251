"""The start: a first gradient in a fresh process, beside `import numpy` alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import processes
from benchmarks.systems import SYSTEMS
from benchmarks.tables import Row, Table, at_most
from benchmarks.timing import in_turns

SCRIPTS = {
    "numpy": "import numpy\n",
    "ccc": "import numpy\nimport ccc\n\n\ndef f(x):\n    return x * x\n\n\nccc.gradient(f)(1.0)\n",
    "JAX": "import jax\n\n\ndef f(x):\n    return x * x\n\n\njax.jit(jax.grad(f))(1.0).block_until_ready()\n",
    "autograd": "import autograd\n\n\ndef f(x):\n    return x * x\n\n\nautograd.grad(f)(1.0)\n",
    "PyTorch": "import torch\n\nx = torch.tensor(1.0, requires_grad=True)\n(x * x).backward()\n",
}


def measure(rounds: int, plot: Path | None = None) -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        there = [name for name in SCRIPTS if name not in SYSTEMS or SYSTEMS[name].installed()]
        measures = {name: process(name, Path(folder)) for name in there}
        in_turns(measures, 1)  # writes the bytecode of all modules
        found = in_turns(measures, max(5, rounds // 2))
    whole = Row("the process", found)
    others = {name: seconds - found["numpy"] for name, seconds in found.items() if name != "numpy"}
    beyond = Row("beyond that of numpy", others)
    targets = [at_most("ccc beyond import numpy", 1e3 * beyond.seconds["ccc"], 150, " ms")]
    remarks = ["with the bytecode of all modules there, as installed packages have it"]
    question = "start: import and a first gradient in a fresh process"
    return [Table(question, tuple(SCRIPTS), "ccc", [whole, beyond], targets, remarks)]


def process(name: str, folder: Path) -> Callable[[], float]:
    """A measure of the time from the start to the end of a process."""
    path = folder / f"start_{name}.py"
    path.write_text(SCRIPTS[name], "utf-8")

    def run() -> float:
        start = time.perf_counter()
        processes.output([str(path)], folder)
        return time.perf_counter() - start

    return run
