"""Fresh Python processes that see the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ONE_THREAD = {
    **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "CCC_THREADS")},
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
"""What keeps the systems of a process to one thread, if it is set before they are imported."""


def again_with_one_thread() -> None:
    """Run the command that runs now once more, with one thread, in the place of this process; if it has one, go on."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **ONE_THREAD})


def output(arguments: Sequence[str], bytecode: Path | None = None) -> str:
    """What a fresh Python prints; what it says of errors goes to ours.

    With a folder for bytecode, modules are compiled once, as those of installed packages are.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if bytecode is not None:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
