"""Random programs by machine code where each array that is given or made ends where memory ends, and dead memory is
overwritten: what reads or writes beyond an array, or what was freed, ends the process.

As a program, `python3 tests/random_guarded.py GENERATOR FIRST COUNT` checks the programs of as many seeds in processes
of their own, prints what `random_targets` prints, and which seed a process ended at. It needs Linux and a C compiler,
`cc`.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
LIBRARY = "guard_pages.so"


def built(folder: Path) -> Path:
    """The library that gives allocations pages of their own.

    Raises `OSError` or `subprocess.CalledProcessError` where there is no C compiler.
    """
    library = folder / LIBRARY
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, HERE / "guard_pages.c"], check=True)
    return library


def begin() -> None:
    """Guard from now on what NumPy and code that is made in memory allocate; the other libraries of the process do as
    ever."""
    import llvmlite.binding  # noqa: F401  # which allocates for itself, and is to be loaded by now
    import numpy as np  # noqa: F401

    bounds: list[int] = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"(\w+)-(\w+) ..x\S* \w+ \S+ \d+\s*(/.*)$", line)
        if found and "_multiarray_umath" not in found[3]:
            bounds += [int(found[1], 16), int(found[2], 16)]
    ctypes.CDLL(None).guard_from_now((ctypes.c_size_t * len(bounds))(*bounds), len(bounds) // 2)


def guarded(command: Sequence[str], library: Path) -> subprocess.CompletedProcess[str]:
    """A run of Python with the library."""
    return subprocess.run([sys.executable, *command], env={**os.environ, "LD_PRELOAD": str(library)}, text=True,
                          capture_output=True, check=False)


def check(generator: str, first: int, count: int) -> None:
    """Check the programs of seeds in this process, where the library is."""
    import random_targets

    from ccc.compile.native import stacks

    begin()
    stacks.POISONED = True
    random_targets.main("native", generator, first, count, lambda seed: print(f"at {seed}", flush=True))


def main(generator: str, first: int, count: int) -> int:
    """How many seeds a process ended at."""
    ended, at, last = 0, first, first + count
    with tempfile.TemporaryDirectory() as folder:
        library = built(Path(folder))
        while at < last:
            run = guarded(["-X", "faulthandler", __file__, generator, str(at), str(last - at), "here"], library)
            print(*[line for line in run.stdout.splitlines() if not line.startswith("at ")], sep="\n", flush=True)
            if not run.returncode:
                break
            ended += 1
            at = max([int(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("at ")], default=at)
            print(f"{'=' * 80}\n{generator} {at}: ended by {run.returncode}\n{run.stderr[-3000:]}", flush=True)
            at += 1
    return ended


if __name__ == "__main__":
    name, start, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if len(sys.argv) > 4:
        sys.path[:0] = [str(HERE), str(HERE.parent)]
        check(name, start, many)
    else:
        sys.exit(main(name, start, many))
