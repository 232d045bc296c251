"""Programs as functions of C: an entry point without objects of Python, in a shared library beside all that it calls.

    int32_t f(arguments, results)     0; 1 where Python would raise, 2 where sizes of results are others

Numbers are given by value, arrays as pointers to their items in the order of C, of the sizes of the example. A library
has all of it: the memory of calls (`arena`), threads, products of matrices. What the code would still need of Python is
found by the names that it declares, and refused.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ccc.compile.native import (
    arena,
    engine,
    parallel_parts,
    pieces,
    radix_sort,
    runtime,
    threads,
    tiles,
    vector_products,
)
from ccc.compile.native.dtypes import IN_WORD
from ccc.compile.native.entry import SIGNED, word_of
from ccc.compile.native.functions import FIRST, Handled
from ccc.compile.native.layout import Block, NotNative, Parts, Word, words
from ccc.compile.native.lowered import Lowered
from ccc.compile.native.told_kinds import Told
from ccc.compile.program.assumed import NUMBER, Axis, Bound
from ccc.objects import Object, Product, Record
from ccc.values import value

C_TYPES = {"float64": "double", "float32": "float", "int64": "int64_t", "bool": "uint8_t"}
"""The types of C for dtypes."""
NUMBERS = {"float64": "double", "float32": "float", "int64": "i64"}
"""The types of LLVM for numbers that are given by value."""
OF_PYTHON = ("Py", "_Py", "ccc_")
"""How the names begin that only a process of Python has; the others are those of C, or the library is not linked."""
RUNTIME = """@ccc_kept = global ptr null
@ccc_threads = global i64 1
"""


@value()
class Leaf:
    """A number or an array of C: its name, its dtype, its sizes, None for a number; and what it always is, if that is
    known."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    known: Any = None

    def declared(self, gives: bool) -> str:
        """How C declares it as an argument, or as a place for a result.

        >>> Leaf("x", "float64", (2, 3)).declared(False), Leaf("y", "float32", None).declared(True)
        ('const double x[6]', 'float *y')
        """
        c = C_TYPES[self.dtype]
        if self.shape is None:
            return f"{c} *{self.name}" if gives else f"{c} {self.name}"
        return f"{'' if gives else 'const '}{c} {self.name}[{max(prod(self.shape), 1)}]"

    @property
    def size(self) -> int:
        """The bytes of an array."""
        return prod(self.shape or ()) * np.dtype(self.dtype).itemsize


def module(
    found: Lowered, name: str, params: Sequence[Leaf], results: Sequence[Leaf], settled: Sequence[Bound] = ()
) -> str:
    """The text of a module in which a program is a function of C, good for calls in which whole numbers are what they
    were `settled` as. Raises `NotNative` with the reason where it cannot be one."""
    code = parallel_parts.chosen(found.code, found.shared, {}, False) if found.shared else found.code
    pieces = [str(piece) for piece in code.pieces if not isinstance(piece, Handled)]
    text = "\n".join([*pieces, *constants(params), *entry(found, name, params, results, settled)])
    if "inttoptr (i64" in text:
        raise NotNative("an object of Python in the code")
    return text


def of_numpy(found: Lowered) -> bool:
    """Whether the code calls the linear algebra that NumPy brings, or its transforms."""
    return bool(found.code.reads & (runtime.NAMES.keys() | runtime.transforms().keys()))


def constants(params: Sequence[Leaf]) -> Iterator[str]:
    """The arrays that are known."""
    for i, leaf in enumerate(params):
        if leaf.known is not None and leaf.shape is not None:
            items = "".join([f"\\{b:02X}" for b in np.ascontiguousarray(leaf.known).tobytes()])
            yield f'@known{i} = private constant [{leaf.size} x i8] c"{items}", align 64'


def entry(
    found: Lowered, name: str, params: Sequence[Leaf], results: Sequence[Leaf], settled: Sequence[Bound]
) -> Iterator[str]:
    """The function of C."""
    given = [f"{'ptr' if p.shape is not None else NUMBERS[p.dtype]} %x{i}"
             for i, p in enumerate(params) if p.known is None]
    places = list(blocks(*found.result))
    if len(places) != len(results):
        raise NotNative("a result of lists or of several kinds")
    count = len(words(found.result[1]))
    yield f"define i32 @{name}({', '.join([*given, *[f'ptr %y{i}' for i, _ in enumerate(results)]])}) {{"
    yield f"  %arena = alloca [{arena.FIELDS} x i64]"
    yield f"  %first = alloca [{arena.FIRST} x i8], align 64"
    yield f"  %results = alloca [{max(count, 1)} x i64]"
    yield "  call void @ccc_open(ptr %arena, ptr %first)"
    operands = [word for i, leaf in enumerate(params) for word in as_words(i, leaf)]
    yield from required(found, operands, settled)
    yield f"  %status = call i32 @{FIRST}({', '.join(['ptr %arena', 'ptr %results', *operands])})"
    yield "  %well = icmp eq i32 %status, 0"
    yield "  br i1 %well, label %sizes0, label %raised"
    for i, (leaf, (at, _)) in enumerate(zip(results, places, strict=True)):
        yield f"sizes{i}:"
        tests = [f"%r{i}.{axis}" for axis, _ in enumerate(leaf.shape or ())]
        for axis, n in enumerate(leaf.shape or ()):
            yield from read(f"%r{i}.{axis}.is", at + 1 + axis, "i64")
            yield f"  {tests[axis]} = icmp eq i64 %r{i}.{axis}.is, {n}"
        for axis in range(1, len(tests)):
            yield f"  %r{i}.both{axis} = and i1 {tests[axis]}, {f'%r{i}.both{axis - 1}' if axis > 1 else tests[0]}"
        whole = "true" if not tests else tests[0] if len(tests) == 1 else f"%r{i}.both{len(tests) - 1}"
        yield f"  br i1 {whole}, label %sizes{i + 1}, label %others"
    yield f"sizes{len(results)}:"
    for i, (leaf, (at, layout)) in enumerate(zip(results, places, strict=True)):
        yield from handed(i, leaf, at, layout)
    for label, status in (("", 0), ("raised", 1), ("others", 2)):
        if label:
            yield f"{label}:"
        yield "  call void @ccc_release(ptr %arena)"
        yield f"  ret i32 {status}"
    yield "}"


def blocks(a: Object, layout: Any, at: int = 0) -> Iterator[tuple[int, Any]]:
    """Where in the words of a layout its numbers and arrays begin; C has no two classes of floats."""
    if isinstance(layout, Parts) and isinstance(a, Product):
        told = isinstance(a, Record) and a.cls is Told
        for one, part in [*zip(a.parts, layout.parts, strict=True)][: 1 if told else None]:
            yield from blocks(one, part, at)
            at += len(words(part))
    elif isinstance(layout, (Word, Block)):
        yield at, layout
    elif words(layout):
        raise NotNative("a result of lists or of several kinds")


def as_words(i: int, leaf: Leaf) -> list[str]:
    """The operands for an argument."""
    if leaf.shape is None:
        type_ = NUMBERS[leaf.dtype]
        if leaf.known is None:
            return [f"{type_} %x{i}"]
        text = str(int(leaf.known)) if type_ == "i64" else f"0x{np.float64(leaf.known).view('u8'):016X}"
        return [f"{type_} {text}"]
    return [f"ptr {f'%x{i}' if leaf.known is None else f'@known{i}'}", *[f"i64 {n}" for n in leaf.shape]]


def required(found: Lowered, operands: Sequence[str], settled: Sequence[Bound]) -> Iterator[str]:
    """What has to hold of whole numbers among the arguments; of sizes it does, which are those of the example."""
    def value(axis: Axis) -> str:
        return operands[word_of(axis, found.params)].partition(" ")[2]

    tests: list[tuple[str, str, str]] = []
    for one in [*found.sizes, *settled]:
        axes = [one.axis] if isinstance(one, Bound) else list(one)
        if not any([axis.axis == NUMBER for axis in axes]):
            continue
        if isinstance(one, Bound):
            tests.append((SIGNED[one.relation], value(one.axis), str(one.size)))
        else:
            tests += [("eq", value(axes[0]), value(axis)) for axis in axes[1:]]
    for i, (relation, a, b) in enumerate(tests):
        yield f"  %holds{i} = icmp {relation} i64 {a}, {b}"
        yield f"  br i1 %holds{i}, label %held{i}, label %others"
        yield f"held{i}:"


def read(name: str, at: int, type_: str) -> Iterator[str]:
    """Read a word of the results."""
    yield f"  {name}.at = getelementptr i64, ptr %results, i64 {at}"
    yield f"  {name} = load {type_}, ptr {name}.at"


def handed(i: int, leaf: Leaf, at: int, layout: Any) -> Iterator[str]:
    """Copy a result to its place."""
    if isinstance(layout, Block):
        yield from read(f"%r{i}", at, "ptr")
        yield f"  call void @llvm.memcpy.p0.p0.i64(ptr %y{i}, ptr %r{i}, i64 {leaf.size}, i1 false)"
        return
    x, type_ = f"%r{i}", str(layout.type)
    yield from read(f"%r{i}", at, IN_WORD.get(type_, type_))
    if type_ in IN_WORD:
        x = f"%r{i}.short"
        yield f"  {x} = fptrunc {IN_WORD[type_]} %r{i} to {type_}"
    if type_ == "i1":
        x, type_ = f"%r{i}.byte", "i8"
        yield f"  {x} = zext i1 %r{i} to i8"
    yield f"  store {type_} {x}, ptr %y{i}"


# -- libraries -----------------------------------------------------------------------------------------------------


def library(texts: Sequence[str], names: Sequence[str], file: Path, compiler: str) -> None:
    """Write a shared library that has the functions of some modules. Raises `NotNative` for what it would need of
    Python, and `OSError` where the compiler of C fails to link it."""
    cpu = engine.cpu()
    memory, sharing = "\n".join([pieces.SILENT, pieces.MEMORY]), "\n".join([threads.SHARING, threads.THREADS])
    given = [*texts, RUNTIME, memory, sharing]
    given += [tiles.text(tiles.Shape.of(cpu, item)) for item in tiles.NAMES]
    given += [vector_products.text(vector_products.Form.of(cpu, item)) for item in vector_products.NAMES]
    given.append(radix_sort.text())
    own = {radix_sort.NAME, "ccc_alloc", "ccc_own", "ccc_release", "ccc_moved", "ccc_swept", "ccc_share",
           *tiles.NAMES.values(), *chain.from_iterable(vector_products.NAMES.values())}
    with tempfile.TemporaryDirectory() as folder:
        objects: list[str] = []
        for i, text in enumerate(given):
            try:
                found = engine.optimised(text, cpu, engine.Effort.ALL if i < len(texts) else engine.Effort.SELDOM)
            except RuntimeError as error:
                raise NotNative(f"code that LLVM does not take alone: {error}") from error
            for function in found.functions if i < len(texts) else ():
                if function.is_declaration and function.name.startswith(OF_PYTHON) and function.name not in own:
                    raise NotNative(f"`{function.name}`, which is of Python or of NumPy's libraries")
            objects.append(str(Path(folder) / f"part{i}.o"))
            Path(objects[-1]).write_bytes(engine.machine_code(found, cpu))
        hidden = Path(folder) / "names"
        hidden.write_text(f"{{ global: {' '.join(f'{name};' for name in names)} local: *; }};\n", "utf-8")
        options = [f"-Wl,--version-script={hidden}", "-Wl,-z,defs"] if sys.platform.startswith("linux") else []
        run = subprocess.run([compiler, "-shared", "-o", str(file), *objects, *options, "-lm", "-lpthread"],
                             capture_output=True, text=True, check=False)  # fmt: skip
        if run.returncode:
            raise OSError(f"{compiler} does not link {file.name}: {run.stderr.strip()}")


__all__ = ["C_TYPES", "NUMBERS", "Leaf", "library", "module"]
