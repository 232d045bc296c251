"""Arrays of one call are made of the memory of the call before."""

import subprocess
import sys

import pytest

FAULTS = """
import resource
import numpy as np
import ccc
from benchmarks.programs.lse import logsumexp

gradient, x = ccc.gradient(logsumexp, backend="numpy"), np.linspace(0.0, 1.0, 100_000)
for _ in range(3):
    gradient(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    gradient(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_pages_come_from_the_system_once():
    """An array is 200 pages, and a gradient makes some."""
    found = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 200
