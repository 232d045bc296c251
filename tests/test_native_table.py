"""The table of what machine code knows of primitives: it is whole, and agrees with what they say of themselves."""

from __future__ import annotations

import ast
import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES, Sample

pytest.importorskip("llvmlite")

import ccc
from ccc.compile.native import extrema, handlers, lowering
from ccc.compile.native.elementwise_fusion import Member
from ccc.compile.native.layout import Arr, ordered
from ccc.compile.native.table import TABLE, entry, handles
from ccc.objects import REAL, Coproduct, Record
from ccc.primitives import failures, indexing, registry, ties
from ccc.primitives.primitive import Primitive
from ccc.records import Code

FOLDER = Path(handlers.__file__).parent


def makes_an_array(p: Primitive, sample: Sample) -> bool:
    """Whether a primitive makes a new array of arrays, at parameters that a program can write."""
    if p.memory_of(sample.params).shares or not any(isinstance(x, np.ndarray) for x in sample.args):
        return False
    written = all(isinstance(x, bool | int | float | str | tuple | None) for x in sample.params.values())
    return written and isinstance(p.value(*sample.args, **sample.params), np.ndarray)


FRESH = [(name, sample) for name, samples in SAMPLES.items() if entry(registry.BY_NAME[name]).lower
         for sample in samples[:3] if makes_an_array(registry.BY_NAME[name], sample)]  # fmt: skip


def says(tree: ast.Module) -> bool:
    """Whether a module says how primitives are lowered."""
    return any(isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "handles"
               for node in ast.walk(tree))


def test_every_module_that_lowers_primitives_is_known():
    named = {path.stem for path in FOLDER.glob("*.py") if says(ast.parse(path.read_text("utf-8")))} - {"table"}
    assert named <= {module.__name__.rpartition(".")[2] for module in handlers.MODULES}


def test_every_entry_is_that_of_a_primitive():
    inner = extrema.share, ties.moving_as, failures.raise_again
    of_guests = [x for name in handlers.GUESTS for x in vars(sys.modules.get(name, ties)).values()]
    assert set(TABLE) <= {*registry.PRIMITIVES, *registry.TAPES, *inner, *filter(is_primitive, of_guests)}


def is_primitive(x: Any) -> bool:
    return isinstance(x, Primitive)


def test_no_primitive_has_two_handlers():
    with pytest.raises(ValueError, match="two handlers lower `index`"):
        handles(indexing.index)(lambda m, let, x: x)


def program_of(p: Primitive, count: int, params: dict[str, Any]) -> Any:
    """A function that applies a primitive to as many arguments."""
    names = ", ".join([f"x{i}" for i in range(count)])
    given = "".join([f", {name}={value!r}" for name, value in params.items()])
    source, file = f"def f({names}):\n    return p({names}{given})\n", f"<{p.name} of {names} at {params}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    scope: dict[str, Any] = {"p": p}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


@pytest.mark.share(4)
@pytest.mark.parametrize(("name", "sample"), FRESH)
def test_what_is_new_has_no_memory_of_an_argument(name: str, sample: Sample, monkeypatch: pytest.MonkeyPatch):
    """Passes rely on the primitive's fact; so the array that its handler gives has to be new, too."""
    p, lowered, shared = registry.BY_NAME[name], list[str](), list[str]()
    how = lowering.entry

    def watched(q: Primitive) -> Any:
        found = how(q)
        lower = found.lower
        if q is not p or lower is None:
            return found

        def watching(m: Any, let: Any, *args: Any) -> Any:
            lowered.append(name)
            result = lower(m, let, *args)
            own = [x.made.memory if isinstance(x, Member) else x for x in args]
            new = not p.memory_of(let.op.params).shares and not m.changes
            if new and isinstance(result, Arr) and any(isinstance(x, Arr) and x.ptr == result.ptr for x in own):
                shared.append(name)
            return result

        return type(found)(watching, found.number, found.facts)

    monkeypatch.setattr(lowering, "entry", watched)
    ccc.compiled(program_of(p, len(sample.args), sample.params), backend="native")(*sample.args)
    assert lowered and not shared


def test_functions_of_one_name_are_ordered_by_when_they_were_made():
    """They were by their addresses, so the text of a program differed from run to run."""
    kept = [type("f", (Code,), {}) for _ in range(60)]
    kept += [type("f", (Code,), {}) for _ in range(60) if kept.pop()]  # at addresses that are free again
    objects = [Record((REAL,), cls, ("x",)) for cls in sorted(kept, key=lambda cls: cls.__serial__)]
    assert [id(a.cls) for a in objects] != sorted(id(a.cls) for a in objects)
    assert ordered(Coproduct(tuple(reversed(objects)))) == objects
