"""Gradients by DaCe's reverse mode, `dace.autodiff` of `dace==2.0.0b1`, a beta."""

from __future__ import annotations

import importlib.util
import inspect
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import kernels


def gradient(kernel: kernels.Kernel, wrt: Sequence[int]) -> Callable[..., tuple[np.ndarray, ...]]:
    """The gradient of the sum of what the kernel computes, by NPBench's version for DaCe."""
    import dace
    from dace.autodiff import add_backward_pass

    folder = tempfile.mkdtemp()
    dace.config.Config.set("default_build_folder", value=folder)
    program = kernel.kernel("_dace")
    names = list(inspect.signature(program.f).parameters)
    file = Path(folder) / f"loss_of_{kernel.name}.py"
    file.write_text(kernels.text(names, *kernel.results()), "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.kernel = program
    module.loss.__annotations__ = dict(program.f.__annotations__)
    sdfg = dace.program(module.loss).to_sdfg()
    wanted = [kernel.names[i] for i in wrt]
    add_backward_pass(sdfg, outputs=["__return"], inputs=wanted)
    compiled = sdfg.compile()

    def call(*arguments: Any) -> tuple[np.ndarray, ...]:
        given = dict(zip(kernel.names, arguments, strict=True))
        given |= sizes(sdfg, given)
        found = {name: np.zeros_like(given[name]) for name in wanted}
        seed = {"gradient___return": np.ones(1, given[wanted[0]].dtype)}
        taken = {name: owned(given[name]) for name in sdfg.arglist() if name in given}
        compiled(**taken, **seed, **{f"gradient_{name}": array for name, array in found.items()})
        return tuple(found.values())

    return call


def owned(value: Any) -> Any:
    """An argument as DaCe takes it: no view."""
    return value.copy() if isinstance(value, np.ndarray) and value.base is not None else value


def sizes(sdfg: Any, given: dict[str, Any]) -> dict[str, int]:
    """What the names of sizes stand for, by the arrays that are given."""
    found: dict[str, int] = {}
    for name, array in given.items():
        if isinstance(array, np.ndarray) and name in sdfg.arrays:
            found |= {str(axis): n for axis, n in zip(sdfg.arrays[name].shape, array.shape, strict=True)}
    return {name: n for name, n in found.items() if name in sdfg.free_symbols}
