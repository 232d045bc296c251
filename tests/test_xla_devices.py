"""Programs of plain NumPy on several devices, and in several processes, compute what they compute on one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")
HERE = Path(__file__).parent
SPACE = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE.parent), str(HERE)]), "JAX_PLATFORMS": "cpu"}


def started(script: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(HERE / script), *args], env=SPACE, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_eight_devices_of_one_process():
    said, _ = started("devices_in_one_process.py").communicate(timeout=300)
    for name in ("training", "a stencil", "Monte Carlo"):
        assert f"{name} agrees on 8 devices" in said, said


@pytest.mark.nightly
def test_the_table_of_devices():
    found = subprocess.run([sys.executable, "-m", "benchmarks", "devices", "--repeats", "1"], env=SPACE, text=True,
                           capture_output=True, timeout=300, cwd=HERE.parent)
    for name in ("devices: training", "devices: stencil", "1 device ", "8 devices"):
        assert name in found.stdout, found.stdout + found.stderr


@pytest.mark.nightly
def test_two_processes():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    both = [started("devices_in_two_processes.py", port, str(i)) for i in range(2)]
    for i, process in enumerate(both):
        said, _ = process.communicate(timeout=300)
        assert f"process {i} agrees on 4 devices" in said, said
