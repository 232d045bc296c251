"""The native target: a program as machine code behind a Python function, or `NotNative` with the reason.

Where the code leaves (an index out of range, a division by zero, sizes that do not fit), the same program as NumPy
source computes the result, or raises what Python raises.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.objects import Array, Bool, Int, List, Real
from compile.backends.native import arrays, elementary, engine, runtime, scalars, sequences
from compile.backends.native.layout import Arr, Lst, NotNative, Word, canonical, layout_of, operands, rebuilt, words
from compile.backends.native.lowering import Lowering, Module
from compile.backends.native.writer import Num, Writer
from compile.lam import Lit, Node, Program, Tree, Var, leaves, like

HANDLED = (arrays, sequences)
FUNCTION = re.compile(r"@([\w.]+)\(")
METADATA = [
    '!0 = !{!"branch_weights", i32 1, i32 1000}',
    "!1 = distinct !{!1, !2, !3}",
    '!2 = !{!"llvm.loop.unroll.disable"}',
    '!3 = !{!"llvm.loop.vectorize.enable", i1 false}',
    "!4 = distinct !{!4, !2}",
]
LARGEST = 4000
"""Programs of more lets than this stay with the NumPy target."""


def available() -> str:
    """Why there is no native code in this process; "" where there is."""
    if not engine.available():
        return "llvmlite is not installed: pip install llvmlite"
    return "" if runtime.layouts_hold() else "objects of this Python lie in memory in a way that is not known"


def native(program: Program, other: Callable[..., Any]) -> Callable[..., Any]:
    """The program as machine code; `other` computes what the code leaves to it.

    Raises `NotNative` with the reason where native code does not take the program.
    """
    reason = available()
    if reason:
        raise NotNative(reason)
    ir, params, results = lowered(program)
    symbols = {"ccc_new_array": runtime.new_from_descr(), "ccc_kept": ctypes.addressof(runtime.KEPT_BLOCK)}
    if runtime.dgemm():
        symbols["ccc_dgemm"] = runtime.dgemm()
    loaded = engine.compile_ir(ir, ["ccc_entry"], symbols)
    kernel: Any = runtime.function(program.name, loaded["ccc_entry"])
    return Entry(kernel, loaded, program, params, results, other).call()


def lowered(program: Program) -> tuple[str, list[Any], list[Any]]:
    """The text of a module, and the objects of its arguments and results, flat."""
    if count_lets(program) > LARGEST:
        raise NotNative(f"a program of more than {LARGEST} statements")
    module = Module(program)
    module.dgemm = bool(runtime.dgemm())
    w = Writer("f0", [], module.lanes)
    m = Lowering(module, w)
    params: list[Any] = []
    signature = [("ptr", "%arena"), ("ptr", "%results")]
    for _, tree in program.params:
        for var in leaves(tree):
            layout = argument(var.object)
            params.append(var.object)
            texts: list[str] = []
            for type_ in words(layout):
                texts.append(f"%{w.fresh('a')}")
                signature.append((type_, texts[-1]))
            m.values[var] = known_axes(rebuilt(layout, iter(texts)), var.object)
    w.params = signature
    m.block(program.block)
    place, results = 0, []
    for atom in result_leaves(program.result):
        v = m.there(m.value(atom))
        if isinstance(v, Num) and isinstance(canonical(atom.object), Word):
            v = scalars.converted(w, v, canonical(atom.object).type)
        layout = layout_of(v)
        returned(v)
        results.append((atom.object, layout))
        m.write(v, layout, w.at_index("i64", "%results", str(place)))
        place += len(words(layout))
    module.finish(w)
    functions = "\n".join([*module.functions, entry(params, results, place)])
    declared, elementary_ = elementary.parts(scalars.called(functions), engine.cpu().has_fma)
    lines = dict.fromkeys([*scalars.intrinsics(), *runtime.DECLARED, *sorted(declared | module.declared)])
    text = [*{FUNCTION.findall(line)[0]: line for line in lines}.values(), runtime.ARENA, elementary_, functions,
            *METADATA]
    return "\n".join(text), params, results


def count_lets(program: Program) -> int:
    found, todo = 0, [program.block]
    while todo:
        block = todo.pop()
        found += len(block.lets)
        todo += [inner for let in block.lets for inner in let.op.blocks]
    return found


def result_leaves(tree: Tree) -> list[Any]:
    """The atoms of a result, those that are None left out."""
    return [atom for atom in leaves(tree) if not (isinstance(atom, Lit) and atom.value is None)]


def argument(a: Any) -> Any:
    """The layout of an argument."""
    layout = canonical(a)
    if isinstance(a, Real | Int | Bool | Array) or (isinstance(a, List) and isinstance(a.item, Real)):
        return layout
    raise NotNative(f"an argument of type {a}")


def returned(v: Any) -> None:
    """Refuse results that cannot be handed out."""
    if isinstance(v, Num | Arr) or (isinstance(v, Lst) and v.layout == Word("double")):
        return
    raise NotNative(f"a result that is a {type(v).__name__}")


def known_axes(v: Any, a: Any) -> Any:
    """An argument whose sizes of 1 are known."""
    if not isinstance(v, Arr):
        return v
    return Arr(v.dtype, v.ptr, tuple(["1" if kind == "1" else n for n, kind in zip(v.axes, a.axes, strict=True)]))


# -- the entry point in IR -----------------------------------------------------------------------------------------


def entry(params: list[Any], results: list[Any], size: int) -> str:
    """The function that Python calls: checks and takes apart its arguments, and makes the results."""
    e = EntryWriter(size)
    e.require(e.op(f"icmp eq i64 %count, {len(params)}"))
    for k, a in enumerate(params):
        e.take(k, a)
    return e.text(results)


class EntryWriter:
    """The text of an entry point under way."""

    def __init__(self, size: int) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.size = max(size, 1)
        self.args: list[str] = []

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %e{self.count} = {text}")
        return f"%e{self.count}"

    def require(self, test: str) -> None:
        """Leave where a test fails."""
        self.count += 1
        self.lines += [f"  br i1 {test}, label %on{self.count}, label %refuse", f"on{self.count}:"]

    def field(self, x: str, at: int, type_: str = "ptr") -> str:
        """A field of an object."""
        return self.op(f"load {type_}, ptr {self.op(f'getelementptr i8, ptr {x}, i64 {at}')}")

    def is_(self, x: str, *objects: Any) -> None:
        """Require a pointer to be that of one of some objects that live for ever."""
        found = [self.op(f"icmp eq ptr {x}, inttoptr (i64 {id(o)} to ptr)") for o in objects]
        test = found[0]
        for other in found[1:]:
            test = self.op(f"or i1 {test}, {other}")
        self.require(test)

    def take(self, k: int, a: Any) -> None:
        x = self.op(f"load ptr, ptr {self.op(f'getelementptr ptr, ptr %args, i64 {k}')}")
        kind = self.field(x, 8)
        if isinstance(a, Real):
            self.is_(kind, float, np.float64)
            self.args.append(f"double {self.field(x, 16, 'double')}")
        elif isinstance(a, Bool):
            self.is_(kind, bool)
            self.args.append(f"i1 {self.op(f'icmp eq ptr {x}, inttoptr (i64 {id(True)} to ptr)')}")
        elif isinstance(a, Int):
            self.is_(kind, int)
            found = self.op(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {x}, ptr %overflow)")
            over = self.op("load i32, ptr %overflow")
            self.require(self.op(f"icmp eq i32 {over}, 0"))
            self.args.append(f"i64 {found}")
        else:
            self.take_array(x, kind, a)

    def take_array(self, x: str, kind: str, a: Any) -> None:
        """An array, or a list of numbers as an array."""
        dtype, axes = (a.dtype, a.axes or ()) if isinstance(a, Array) else ("float64", ("?",))
        self.is_(kind, np.ndarray)
        self.is_(self.field(x, 56), DTYPES[dtype])
        nd = self.field(x, 24, "i32")
        self.require(self.op(f"icmp eq i32 {nd}, {len(axes)}"))
        flags = self.op(f"and i32 {self.field(x, 64, 'i32')}, 257")
        self.require(self.op(f"icmp eq i32 {flags}, 257"))
        self.args.append(f"ptr {self.field(x, 16)}")
        dims = self.field(x, 32)
        for i, axis in enumerate(axes):
            n = self.field(dims, 8 * i, "i64")
            if axis in ("1", "n"):  # the program is another one for the other sizes
                self.require(self.op(f"icmp {'eq' if axis == '1' else 'ne'} i64 {n}, 1"))
            self.args.append(f"i64 {n}")
        if isinstance(a, List):
            self.args.append(self.args[-1])

    def make(self, a: Any, layout: Any, place: int) -> str:
        """A result as a Python object."""
        here = self.op(f"getelementptr i64, ptr %results, i64 {place}")
        if isinstance(layout, Word):
            if layout.type == "double":
                return self.op(f"call ptr @PyFloat_FromDouble(double {self.op(f'load double, ptr {here}')})")
            if layout.type == "i64":
                return self.op(f"call ptr @PyLong_FromLongLong(i64 {self.op(f'load i64, ptr {here}')})")
            true = self.op(f"load i1, ptr {here}")
            found = self.op(f"select i1 {true}, ptr inttoptr (i64 {id(True)} to ptr), "
                            f"ptr inttoptr (i64 {id(False)} to ptr)")
            self.lines.append(f"  call void @Py_IncRef(ptr {found})")
            return found
        dtype, rank = (layout.dtype, layout.rank) if hasattr(layout, "dtype") else ("float64", 1)
        source = self.op(f"load ptr, ptr {here}")
        dims = self.op(f"getelementptr i64, ptr {here}, i64 1")
        descr = f"inttoptr (i64 {id(DTYPES[dtype])} to ptr)"
        self.lines.append(f"  call void @Py_IncRef(ptr {descr})")
        found = self.op(f"call ptr @ccc_new_array(ptr inttoptr (i64 {id(np.ndarray)} to ptr), ptr {descr}, i32 {rank}, "
                        f"ptr {dims}, ptr null, ptr null, i32 0, ptr null)")
        self.require_made(found)
        size = "1"
        for i in range(rank):
            n = self.op(f"load i64, ptr {self.op(f'getelementptr i64, ptr {dims}, i64 {i}')}")
            size = self.op(f"mul i64 {size}, {n}")
        size = self.op(f"mul i64 {size}, {1 if dtype == 'bool' else 8}")
        data = self.field(found, 16)
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {data}, ptr {source}, i64 {size}, i1 false)")
        return found

    def require_made(self, x: str) -> None:
        """Leave with the error of Python where there is no memory."""
        self.count += 1
        test = self.op(f"icmp eq ptr {x}, null")
        self.lines += [f"  br i1 {test}, label %failed, label %made{self.count}", f"made{self.count}:"]

    def text(self, results: list[Any]) -> str:
        self.lines.append("  call void @ccc_open(ptr %arena, ptr %first)")
        status = self.op(f"call i32 @f0({', '.join(['ptr %arena', 'ptr %results', *self.args])})")
        good = self.op(f"icmp eq i32 {status}, 0")
        self.lines += [f"  br i1 {good}, label %give, label %leave", "give:"]
        made: list[str] = []
        place = 0
        for a, layout in results:
            made.append(self.make(a, layout, place))
            place += len(words(layout))
        if len(made) == 1:
            out = made[0]
        else:
            out = self.op(f"call ptr @PyTuple_New(i64 {len(made)})")
            for k, x in enumerate(made):
                items = self.op(f"getelementptr i8, ptr {out}, i64 {24 + 8 * k}")
                self.lines.append(f"  store ptr {x}, ptr {items}")
        return "\n".join([
            "define ptr @ccc_entry(ptr %self, ptr %args, i64 %count) {",
            "  %arena = alloca [5 x i64]", f"  %first = alloca [{runtime.FIRST} x i8], align 64",
            f"  %results = alloca [{self.size} x i64]", "  %overflow = alloca i32", *self.lines,
            "  call void @ccc_release(ptr %arena)", f"  ret ptr {out}",
            "leave:", "  call void @ccc_release(ptr %arena)", "  br label %refuse",
            "failed:", "  call void @ccc_release(ptr %arena)", "  ret ptr null",
            "refuse:", f"  call void @Py_IncRef(ptr inttoptr (i64 {id(NotImplemented)} to ptr))",
            f"  ret ptr inttoptr (i64 {id(NotImplemented)} to ptr)", "}",
        ])


DTYPES = {name: np.dtype(name) for name in ("float64", "int64", "bool")}


# -- the entry point in Python -------------------------------------------------------------------------------------


class Entry:
    """The Python function around the machine code: takes arguments apart, and puts results together."""

    def __init__(
        self, kernel: Any, loaded: Any, program: Program, params: list[Any], results: list[Any],
        other: Callable[..., Any],
    ) -> None:
        self.kernel = kernel
        self.loaded = loaded
        self.program_name = program.name
        self.trees = [tree for _, tree in program.params]
        self.params = params
        self.result = program.result
        self.results = results
        self.other = other

    def call(self) -> Callable[..., Any]:
        """The function, as short as the arguments and results allow."""
        kernel, other, keep = self.kernel, self.other, self.loaded
        flat = all(isinstance(tree, Var) and not isinstance(tree.object, List) for tree in self.trees)
        flatten = None if flat else flattener(self.trees)
        finish = finisher(self.result, self.results)
        arrays_at = [i for i, a in enumerate(self.params) if isinstance(a, Array)]

        def again(args: tuple[Any, ...], leaves_: tuple[Any, ...]) -> Any:
            """Arrays that are not contiguous are copied; else the other target computes."""
            moved = [i for i in arrays_at if not leaves_[i].flags.carray and type(leaves_[i]) is np.ndarray]
            if moved:
                found = list(leaves_)
                for i in moved:
                    found[i] = np.array(leaves_[i], order="C")
                result = kernel(*found)
                if result is not NotImplemented:
                    return result if finish is None else finish(result)
            return other(*args)

        if flatten is None and finish is None:
            def direct(*args: Any) -> Any:
                result = kernel(*args)
                return result if result is not NotImplemented else again(args, args)

            direct.keep = keep  # type: ignore[attr-defined]
            direct.kernel = kernel  # type: ignore[attr-defined]
            return direct

        def general(*args: Any) -> Any:
            leaves_ = args if flatten is None else flatten(args)
            result = kernel(*leaves_)
            if result is NotImplemented:
                return again(args, leaves_)
            return result if finish is None else finish(result)

        general.keep = keep  # type: ignore[attr-defined]
        if flatten is None and finish is not None:
            def finished(*args: Any) -> Any:
                result = kernel(*args)
                return result if result is NotImplemented else finish(result)

            general.kernel = finished  # type: ignore[attr-defined]
        return general


def flattener(trees: list[Tree]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """What takes arguments apart into numbers and arrays."""
    def parts(tree: Tree, x: str) -> list[str]:
        if isinstance(tree, Var):
            return [f"array({x}, float64)" if isinstance(tree.object, List) else x]
        if isinstance(tree, Node):
            return [text for name, part in zip(tree.names, tree, strict=True)
                    for text in parts(part, f"{x}[{name!r}]" if tree.cls is dict else f"{x}.{name}")]
        if isinstance(tree, tuple):
            return [text for i, part in enumerate(tree) for text in parts(part, f"{x}[{i}]")]
        return []

    found = [text for i, tree in enumerate(trees) for text in parts(tree, f"args[{i}]")]
    return eval(f"lambda args: ({''.join(f'{text}, ' for text in found)})", {"array": np.array, "float64": float})


def finisher(tree: Tree, results: list[Any]) -> Callable[[Any], Any] | None:
    """What puts results together; None where there is nothing to do."""
    from ccc.records import made

    kinds: list[Callable[[Any], Any] | None] = []
    for a, layout in results:
        if isinstance(a, Real) and a.kind in ("float64", "any"):  # as which NumPy's float is right too
            kinds.append(np.float64)
        elif isinstance(a, Bool) and a.kind == "bool_":
            kinds.append(np.bool_)
        elif isinstance(a, Int) and a.kind == "int64":
            kinds.append(np.int64)
        else:
            kinds.append(None if isinstance(layout, Word) or hasattr(layout, "dtype") else np.ndarray.tolist)
    flat = isinstance(tree, tuple) and not isinstance(tree, Node) and all(isinstance(x, Var) for x in tree)
    if all(kind is None for kind in kinds) and (isinstance(tree, Var) or (flat and len(tree) > 1)):
        return None
    one = len(results) == 1

    def build(tree: Tree, given: Any) -> Any:
        if isinstance(tree, Node):
            return made(tree.cls, tree.names, [build(part, given) for part in tree])
        if isinstance(tree, tuple):
            return tuple([build(part, given) for part in tree])
        if tree is None or (isinstance(tree, Lit) and tree.value is None):
            return None
        return next(given)

    def finish(result: Any) -> Any:
        found = (result,) if one else result
        return build(tree, iter([x if kind is None else kind(x) for x, kind in zip(found, kinds, strict=True)]))

    return finish


__all__ = ["NotNative", "available", "like", "lowered", "native", "operands"]
