"""Fresh Python processes that see the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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
