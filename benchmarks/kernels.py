"""The kernels of a checkout of NPBench, as their authors wrote them, and a loss around each.

A kernel is Python in one file, its version for JAX in another, and a JSON file says how its arguments are made. What a
kernel changes in place is copied before, so that the loss changes nothing: it is the sum of what the kernel returns, or
of what it changes where it returns nothing.

>>> print(text(("n", "A"), changed=("A",), returned=0), end="")
def loss(n, A):
    A = A.copy()
    kernel(n, A)
    return A.sum()
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

BENCH = "npbench/benchmarks"


def text(names: Sequence[str], changed: Sequence[str], returned: int) -> str:
    """The source of a loss: `returned` counts the arrays that the kernel returns."""
    results = [f"r{i}" for i in range(returned)] or changed
    given = f"{', '.join(results)} = " if returned else ""
    return "".join([
        f"def loss({', '.join(names)}):\n",
        *[f"    {name} = {name}.copy()\n" for name in changed],
        f"    {given}kernel({', '.join(names)})\n",
        f"    return {' + '.join([f'{r}.sum()' for r in results])}\n",
    ])  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel of a checkout, by the name of its module."""

    checkout: Path
    name: str

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        return json.loads((self.checkout / "bench_info" / f"{self.name}.json").read_text("utf-8"))["benchmark"]

    @property
    def sizes(self) -> tuple[str, ...]:
        return tuple(self.facts["parameters"])

    @property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return self.facts["input_args"]

    def path(self, suffix: str) -> Path:
        name = self.facts.get("module_name", self.name)
        return self.checkout / BENCH / self.facts["relative_path"] / f"{name}{suffix}.py"

    def module(self, suffix: str) -> ModuleType:
        path = self.path(suffix)
        spec = importlib.util.spec_from_file_location(f"npbench_{self.name}{suffix}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def has(self, suffix: str) -> bool:
        return self.path(suffix).exists()

    def kernel(self, suffix: str) -> Callable[..., Any]:
        return getattr(self.module(suffix), self.facts["func_name"])

    def arguments(self, size: str, dtype: Any = np.float64) -> list[Any]:
        """The arguments, of the sizes that the checkout names; those of some kernels have a dtype of their own."""
        values = dict(self.facts["parameters"][size])
        init = self.facts["init"]
        function = getattr(self.module(""), init["func_name"])
        kind = {"datatype": dtype} if "datatype" in inspect.signature(function).parameters else {}
        made = function(*[values[n] for n in init["input_args"]], **kind)
        names = init["output_args"]
        values |= zip(names, made if len(names) > 1 else [made], strict=True)
        return [values[name] for name in self.names]

    def wrt(self, arguments: Sequence[Any]) -> list[int]:
        """Where the arguments are arrays of floats."""
        return [i for i, a in enumerate(arguments) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]

    def results(self) -> tuple[list[str], int]:
        """What the kernel changes, as the checkout says or one call shows, and how many arrays of floats it returns."""
        before = self.arguments("S")
        after = [a.copy() if isinstance(a, np.ndarray) else a for a in before]
        found = self.kernel("_numpy")(*after)
        said = self.facts.get("output_args", ())
        changed = [
            name for name, a, b in zip(self.names, before, after, strict=True)
            if isinstance(a, np.ndarray) and (name in said or not np.array_equal(a, b, equal_nan=True))
        ]  # fmt: skip
        parts = found if isinstance(found, tuple) else (found,)
        returned = len(parts) if all(isinstance(x, np.ndarray) and x.dtype.kind == "f" for x in parts) else 0
        return changed, returned

    def loss(self, suffix: str = "_numpy") -> Callable[..., Any]:
        """The sum of what a version of the kernel computes, a function that the compiler can read."""
        changed, returned = self.results()
        source, file = text(self.names, changed, returned), f"<loss of {self.name}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        space = {"kernel": self.kernel(suffix)}
        exec(compile(source, file, "exec"), space)
        return space["loss"]

    def jax_loss(self) -> Callable[..., Any]:
        """The same of the version for JAX, without the `jit`s in it, since one stands around the gradient."""
        import jax

        jit = jax.jit
        jax.jit = lambda f=None, **options: f if f is not None else (lambda g: g)
        try:
            kernel = self.kernel("_jax")
        finally:
            jax.jit = jit
        changed, returned = self.results()

        def loss(*arguments: Any) -> Any:
            found = kernel(*arguments)
            found = found if isinstance(found, tuple) else (found,)
            return sum(x.sum() for x in found[: returned or len(changed)])

        return loss


def names(checkout: Path, others: bool = False) -> list[str]:
    """The PolyBench kernels of a checkout, or the `others`, but for those that are given numbers alone."""
    found = [Kernel(checkout, path.stem) for path in sorted((checkout / "bench_info").glob("*.json"))]
    kernels = [k for k in found if k.facts["relative_path"].startswith("polybench/") != others]
    return [kernel.name for kernel in kernels if "init" in kernel.facts]
