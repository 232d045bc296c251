"""One first call of a gradient in this process: `python3 -m benchmarks.first_call ccc scalar 1000` prints JSON."""

from __future__ import annotations

import ast
import json
import linecache
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import generated

LIBRARIES = {"JAX": ("import jax.numpy as jnp", "jnp"), "autograd": ("import autograd.numpy as np", "np")}
LIBRARIES["PyTorch"] = ("import torch", "torch")


def arguments(kind: str) -> tuple[Any, Any]:
    return (0.7, 0.4) if kind == "scalar" else (np.linspace(0.1, 0.9, 5), np.linspace(0.5, 0.2, 5))


def ours(kind: str, statements: int, folder: Path) -> dict[str, Any]:
    """Seconds of the first call, all and by stage, and the size of the code."""
    import ccc
    from benchmarks.stages import watched

    f = generated.load(generated.source(kind, statements), folder)
    x, y = arguments(kind)
    with watched() as watch:
        start = time.perf_counter()
        ccc.gradient(f)(x, y)
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "stages": watch.seconds, **size(generated_code(), statements)}


def in_machine_code(kind: str, statements: int, folder: Path) -> dict[str, Any]:
    """Seconds of the first call where LLVM and all of ours are loaded."""
    import ccc

    x, y = arguments(kind)
    for count in (3, statements):
        gradient = ccc.gradient(generated.load(generated.source(kind, count), folder), backend="native")
        start = time.perf_counter()
        gradient(x, y)
        seconds = time.perf_counter() - start
    return {"seconds": seconds}


def generated_code() -> str:
    """The longest generated code of this process, which is registered for tracebacks."""
    names = [name for name in linecache.cache if name.startswith("<ccc ")]
    return max(["".join(linecache.getlines(name)) for name in names], key=len)


def python(kind: str, statements: int) -> dict[str, Any]:
    """Seconds of Python's own compiler on the function."""
    text = generated.source(kind, statements)
    start = time.perf_counter()
    compile(text, "<long>", "exec")
    return {"seconds": time.perf_counter() - start}


def theirs(peer: str, kind: str, statements: int, folder: Path) -> dict[str, Any]:
    """Seconds of a peer's first gradient."""
    f = generated.load(generated.source(kind, statements, library=LIBRARIES[peer]), folder)
    gradient = {"JAX": by_jax, "autograd": by_autograd, "PyTorch": by_torch}[peer]
    gradient(lambda x, y: x * y, 1.0, 2.0)
    x, y = arguments(kind)
    start = time.perf_counter()
    gradient(f, x, y)
    return {"seconds": time.perf_counter() - start}


def by_jax(f: Callable[..., Any], x: Any, y: Any) -> Any:
    """Traced, compiled, run and waited for."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.block_until_ready(jax.jit(jax.grad(f, argnums=(0, 1)))(x, y))


def by_autograd(f: Callable[..., Any], x: Any, y: Any) -> Any:
    from autograd import grad

    return grad(f, (0, 1))(x, y)


def by_torch(f: Callable[..., Any], x: Any, y: Any) -> Any:
    import torch

    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (x, y)]
    return torch.autograd.grad(f(*leaves), leaves)


def size(code: str, statements: int) -> dict[str, float]:
    """Lines of the code and the most values that are alive at once, per statement of the function."""
    return {"lines": code.count("\n") / statements, "alive": most_alive(code) / statements}


def most_alive(code: str) -> int:
    """The most local values of a straight function that are alive at once.

    >>> most_alive("def f(x):\\n    a = x + x\\n    b = a * x\\n    c = b + 1.0\\n    return c\\n")
    2
    """
    function = ast.parse(code).body[-1]
    assert isinstance(function, ast.FunctionDef)
    names = [arg.arg for arg in function.args.args]
    last, first = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for line, statement in enumerate(function.body):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                first.setdefault(node.id, line)
                last.setdefault(node.id, line)
            elif isinstance(node, ast.Name) and node.id in first:
                last[node.id] = line
    begins, ends = [0] * (len(function.body) + 1), [0] * (len(function.body) + 1)
    for name, line in first.items():
        begins[line] += 1
        ends[last[name]] += 1
    alive, most = 0, 0
    for begin, end in zip(begins, ends, strict=True):
        alive = alive + begin - end
        most = max(most, alive)
    return most


def main() -> None:
    system, kind, statements = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        if system == "ccc":
            found = ours(kind, statements, Path(folder))
        elif system == "native":
            found = in_machine_code(kind, statements, Path(folder))
        elif system == "Python":
            found = python(kind, statements)
        else:
            found = theirs(system, kind, statements, Path(folder))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
