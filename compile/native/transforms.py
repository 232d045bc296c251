"""Discrete Fourier transforms, by the loops of NumPy's own ufuncs: as NumPy calls them, and with its bits.

    fft, ifft    complex to complex       rfft    real to complex, its half       irfft    that half to real

A complex array of the program is two arrays of reals; NumPy's has the two parts of an item side by side. So an array is
laid out so before a transform, and what a transform gives is read where it lies. Where a transform has no points, the
code leaves, and NumPy raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import conversions, runtime
from ccc.compile.native.arrays import nest, product
from ccc.compile.native.code import is_name
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, ZERO_OF, Arr, Lazy, NotNative, number
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import fourier
from ccc.primitives.reductions import places_of
from ccc.values import slotted

BYTES = {"float64": 8, "float32": 4}


@slotted
class Signal:
    """An array of reals, or of complex numbers, in memory."""

    dtype: str
    ptr: str
    axes: Axes
    paired: bool

    @property
    def bytes(self) -> int:
        """How many an item has."""
        return BYTES[self.dtype] * (2 if self.paired else 1)


def new(m: Lowering, dtype: str, axes: Axes, paired: bool) -> Signal:
    """Memory for an array."""
    found = Signal(dtype, "", axes, paired)
    found.ptr = m.alloc(m.w.mul(m.w.add(product(m, axes), "1"), str(found.bytes)))
    return found


def signal(m: Lowering, x: Any, parts: bool, paired: bool) -> Signal:
    """An array, or the array of two `parts`, as a transform takes it, with parts if they are `paired`."""
    if not isinstance(x, (Arr, Lazy)):
        raise NotNative("a transform of a number")
    dtype = "float32" if x.dtype == "float32" else "float64"
    if not paired:
        if isinstance(x, Arr) and x.dtype == dtype:
            return Signal(dtype, x.ptr, x.axes, False)
        found = new(m, dtype, x.axes, False)
        with nest(m, found.axes) as at:
            store(m, item_of(m, x, at), dtype, found.ptr, offset(m, found.axes, at))
        return found
    source = x if isinstance(x, Lazy) and x.view else m.arr(x)
    found = new(m, dtype, source.axes[1:] if parts else source.axes, True)
    with nest(m, found.axes) as at:
        position = m.w.mul(offset(m, found.axes, at), "2")
        for part in ("0", "1"):
            item = item_of(m, source, [part, *at] if parts else at)
            nothing = part == "1" and not parts
            store(m, Num("double", real(0.0)) if nothing else item, dtype, found.ptr, m.w.add(position, part))
    return found


def read(m: Lowering, x: Signal, axes: Axes, fitted: bool, part: str | None) -> Lazy:
    """A transform as the two arrays of its parts, or as one of them; `fitted` to other sizes, by zeros or a cut."""
    w = m.w

    def item(at: Sequence[str]) -> str:
        here, inside = list(at) if part is not None else list(at[1:]), ""
        if fitted:
            tests = [w.compare("slt", i, n) for i, n in zip(here, x.axes, strict=True)]
            here = [w.select("i64", test, i, "0") for test, i in zip(tests, here, strict=True)]
            for test in tests:
                inside = w.binary("and", "i1", inside, test) if inside else test
        position = offset(m, x.axes, here)
        if x.paired:
            position = w.add(w.mul(position, "2"), part if part is not None else at[0])
        found = load(m, x.dtype, x.ptr, position)
        return w.select(number(x.dtype), inside, found, ZERO_OF[number(x.dtype)]) if fitted else found

    return Lazy(x.dtype, axes if part is not None else ("2", *axes), item, view=not fitted)


def along(m: Lowering, of: str, x: Signal, axis: int, n: str, norm: str | None) -> Signal:
    """A transform along one axis, of `n` points in all."""
    w, real_type = m.w, number(x.dtype)
    w.leave(w.compare("slt", n, "1")) if is_name(n) or int(n) < 1 else None
    half = w.add(w.binary("ashr", "i64", n, "1") if is_name(n) else str(int(n) // 2), "1") if of == "rfft" else n
    out = new(m, x.dtype, (*x.axes[:axis], half, *x.axes[axis + 1:]), of != "irfft")
    factor = w.local(real_type)
    w.store(real_type, scaled(m, real_type, n, norm if of in ("fft", "rfft") else fourier.DUAL[norm]), factor)
    before, after = product(m, x.axes[:axis]), product(m, x.axes[axis + 1:])
    size_in, size_out = w.mul(after, str(x.bytes)), w.mul(after, str(out.bytes))
    row_in, row_out = w.mul(x.axes[axis], size_in), w.mul(half, size_out)

    def run(start: str, count: str, steps: tuple[str, str]) -> None:
        given = [w.local("ptr", 3), w.local("i64", 3), w.local("i64", 5)]
        source, target = w.at_index("i8", x.ptr, w.mul(start, row_in)), w.at_index(
            "i8", out.ptr, w.mul(start, row_out))
        for to, type_, values in zip(given, ("ptr", "i64", "i64"), (
                (source, factor, target), (count, x.axes[axis], half), (steps[0], "0", steps[1], size_in, size_out),
        ), strict=True):
            for i, value in enumerate(values):
                w.store(type_, value, w.at_index(type_, to, str(i)))
        parity(m, of, n, lambda name: called(m, name, x.dtype, given))

    if after == "1":
        run("0", before, (row_in, row_out))
    else:
        with w.counted(before) as i:
            run(i, after, (str(x.bytes), str(out.bytes)))
    return out


def parity(m: Lowering, of: str, n: str, call: Callable[[str], None]) -> None:
    """Call the loop of a transform; one of reals has two, for even and for odd numbers of points."""
    if of != "rfft":
        call(of)
    elif is_name(n):
        odd = m.w.compare("ne", m.w.binary("and", "i64", n, "1"), "0")
        m.w.choose(odd, lambda: call("rfft_n_odd"), lambda: call("rfft_n_even"))
    else:
        call("rfft_n_odd" if int(n) % 2 else "rfft_n_even")


def called(m: Lowering, name: str, dtype: str, given: Sequence[str]) -> None:
    """A call of a loop of a ufunc."""
    symbol = f"ccc_{name}_{dtype}"
    if symbol not in runtime.transforms():
        raise NotNative("a transform of NumPy, which is not there")
    m.w.declared |= {f"declare void @{symbol}(ptr, ptr, ptr, ptr)", f"@{symbol}_data = external global i8"}
    m.w.run(symbol, *[("ptr", x) for x in given], ("ptr", f"@{symbol}_data"))


def scaled(m: Lowering, type_: str, n: str, norm: str | None) -> str:
    """What a transform is multiplied by."""
    if norm in (None, "backward"):
        return conversions.converted(m.w, Num("double", real(1.0)), type_).text
    points = conversions.converted(m.w, conversions.converted(m.w, Num("i64", n), "double"), type_).text
    one = conversions.converted(m.w, Num("double", real(1.0)), type_).text
    if norm == "ortho":
        points = m.w.call(type_, f"llvm.sqrt.{'f32' if type_ == 'float' else 'f64'}", (type_, points))
    return m.w.binary("fdiv", type_, one, points)


def half_of(m: Lowering, n: str) -> str:
    """How many points the real array has whose transform has `n`."""
    return m.w.mul(m.w.sub(n, "1"), "2")


@handles(fourier.transform)
def transform(m: Lowering, let: Let, x: Any) -> Any:
    params: Any = let.op.params  # type: ignore[union-attr]
    of, norm, sizes = params["of"], params.get("norm"), params.get("sizes")
    found = signal(m, x, params.get("parts", False), of != "rfftn")
    axes = places_of(len(found.axes), params["axes"])
    order = [(axis, str(sizes[i]) if sizes else "") for i, axis in enumerate(axes)]
    if of == "irfftn":
        for axis, n in order[:-1]:
            found = along(m, "ifft", found, axis, n or found.axes[axis], norm)
        axis, n = order[-1]
        found = along(m, "irfft", found, axis, n or half_of(m, found.axes[axis]), norm)
        return Arr(found.dtype, found.ptr, found.axes)
    for i, (axis, n) in enumerate(reversed(order)):
        name = "rfft" if of == "rfftn" and i == 0 else "ifft" if of == "ifftn" else "fft"
        found = along(m, name, found, axis, n or found.axes[axis], norm)
    return read(m, found, found.axes, False, None)


@handles(fourier.transform_onto)
def transform_onto(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    params: Any = let.op.params  # type: ignore[union-attr]
    of, sizes, parts = params["of"], params.get("sizes"), params.get("parts", False)
    shape, dual = x.axes[1:] if parts else x.axes, fourier.DUAL[params.get("norm")]
    axes = places_of(len(shape), params["axes"])
    found = signal(m, ct, of != "irfftn", of != "irfftn")
    if of == "irfftn":
        found = weighted(m, found, axes[-1], dual)
        for axis in axes[:-1]:
            found = along(m, "fft", found, axis, found.axes[axis], dual)
    else:
        for i, axis in enumerate(axes):
            n = str(sizes[i]) if sizes else shape[axis]
            found = along(m, "fft" if of == "ifftn" else "ifft", found, axis, n, dual)
    fitted = bool(sizes) or of == "irfftn"
    return read(m, found, shape, fitted, None if parts else "0")


def weighted(m: Lowering, ct: Signal, axis: int, norm: str | None) -> Signal:
    """The transpose of `irfft` along an axis."""
    w, n = m.w, ct.axes[axis]
    found, type_ = along(m, "rfft", ct, axis, n, norm), number(ct.dtype)
    one, two = [conversions.converted(w, Num("double", real(x)), type_).text for x in (1.0, 2.0)]
    with nest(m, found.axes) as at:
        twice = w.add(at[axis], at[axis])
        ends = w.binary("or", "i1", w.compare("eq", twice, "0"), w.compare("eq", twice, n))
        weight, position = w.select(type_, ends, one, two), w.mul(offset(m, found.axes, at), "2")
        for part in ("0", "1"):
            place = w.at_index(ITEM[ct.dtype], found.ptr, w.add(position, part))
            w.store(type_, w.binary("fmul", type_, w.load(type_, place), weight), place)
    return found
