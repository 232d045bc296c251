"""What a newcomer waits for, timed: installation, the first gradient, the first error, the first training loop.

    python3 -m benchmarks.first_hour            # with what is installed
    python3 -m benchmarks.first_hour --install  # in a new environment, from this folder

Each step runs in a process of its own, as a newcomer runs it, so each time includes Python's start and the imports.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS = {
    "the first gradient": """
        import math, ccc
        slope = ccc.gradient(lambda x: x * math.sin(x))(2.0)
        assert abs(slope - math.sin(2.0) - 2.0 * math.cos(2.0)) < 1e-12
        """,
    "the first error": """
        import numpy as np, ccc
        def f(x):
            return np.tanh(x) * 2.0
        try:
            ccc.gradient(f)(np.ones(3))
        except ccc.CCCError as error:
            text = str(error)
        assert "CC026" in text and "first_hour.py:3:12" in text and "help: " in text
        """,
    "the first training loop": """
        import numpy as np, ccc
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(64, 2)), rng.normal(size=64) * 0.01
        y += np.tanh(x @ [1.0, -2.0])
        p = {"w": rng.normal(size=(2, 8)) * 0.5, "b": np.zeros(8), "v": rng.normal(size=8) * 0.5}
        def loss(p, x, y):
            return np.mean((np.tanh(x @ p["w"] + p["b"]) @ p["v"] - y) ** 2)
        step = ccc.value_and_grad(loss)
        first, _ = step(p, x, y)
        for _ in range(20):
            for rows in np.split(rng.permutation(64), 8):
                last, slope = step(p, x[rows], y[rows])
                p = {name: p[name] - 0.1 * slope[name] for name in p}
        assert step(p, x, y)[0] < 0.05 * first
        """,
}


def installed(folder: Path) -> tuple[str, float]:
    """The Python of a new environment with this project in it, and how long that took."""
    start = time.perf_counter()
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
    return python, time.perf_counter() - start


def seconds(python: str, text: str, folder: Path) -> float:
    """How long a script takes, which asserts what it should find."""
    script = folder / "first_hour.py"
    script.write_text(textwrap.dedent(text).lstrip())
    start = time.perf_counter()
    subprocess.run([python, str(script)], check=True)
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, python = Path(name), sys.executable
        if "--install" in arguments:
            python, took = installed(folder / "environment")
            print(f"{'the installation':<25}{took:6.1f} s")
        for step, text in STEPS.items():
            print(f"{step:<25}{seconds(python, text, folder):6.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
