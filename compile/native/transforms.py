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
from ccc.compile.native.code import is_name
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, ZERO_OF, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
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
    half = half_points(m, n) if of == "rfft" else n
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


def halved(m: Lowering, x: Any, parts: bool, axis: int, conjugated: bool, part: int) -> Signal:
    """Half of the frequencies of which a real array has the real or imaginary `part` of a transform: that is one of
    what is its own mirror image, (c[k] + conj(c[-k])) / 2, times -i for the imaginary part."""
    w, source = m.w, x if isinstance(x, Lazy) and x.view else m.arr(x)
    axes = source.axes[1:] if parts else source.axes
    n, dtype = axes[axis], "float32" if source.dtype == "float32" else "float64"
    found = new(m, dtype, (*axes[:axis], half_points(m, n), *axes[axis + 1:]), True)
    type_ = number(dtype)
    half = conversions.converted(w, Num("double", real(0.5)), type_).text
    with nest(m, found.axes) as at:
        first = w.compare("eq", at[axis], "0")
        other = [*at[:axis], w.select("i64", first, "0", w.sub(n, at[axis])), *at[axis + 1:]]
        position = w.mul(offset(m, found.axes, at), "2")

        def read(which: str, there: Sequence[str]) -> str:
            if not parts and which == "1":
                return conversions.converted(w, Num("double", real(0.0)), type_).text
            item = item_of(m, source, [which, *there] if parts else list(there))
            return conversions.converted(w, item, type_).text

        (re, im), (re2, im2) = [[read(which, there) for which in "01"] for there in (at, other)]
        if part:  # -i (a + b i) = b - a i
            re, im, re2, im2 = im, w.negative(type_, re), im2, w.negative(type_, re2)
        both = w.binary("fadd", type_, re, re2), w.binary("fsub", type_, im2 if conjugated else im,
                                                          im if conjugated else im2)
        for which, one in zip("01", both, strict=True):
            value = w.binary("fmul", type_, half, one)
            store(m, Num(type_, value), dtype, found.ptr, w.add(position, which))
    return found


def mirrored(m: Lowering, x: Signal, axis: int, n: str, conjugated: bool, turned: int) -> Signal:
    """All frequencies of a transform of a real array along an axis, of which half are there; times i if it is
    `turned`."""
    w, type_ = m.w, number(x.dtype)
    found = new(m, x.dtype, (*x.axes[:axis], n, *x.axes[axis + 1:]), True)
    with nest(m, found.axes) as at:
        there = w.compare("slt", at[axis], x.axes[axis])
        first = w.select("i64", there, at[axis], w.sub(n, at[axis]))
        place = w.mul(offset(m, x.axes, [*at[:axis], first, *at[axis + 1:]]), "2")
        re, im = [load(m, x.dtype, x.ptr, w.add(place, which)) for which in "01"]
        other = w.negative(type_, im)
        im = w.select(type_, there, *((other, im) if conjugated else (im, other)))
        if turned:  # i (a + b i) = -b + a i
            re, im = w.negative(type_, im), re
        position = w.mul(offset(m, found.axes, at), "2")
        for which, one in zip("01", (re, im), strict=True):
            store(m, Num(type_, one), x.dtype, found.ptr, w.add(position, which))
    return found


def half_points(m: Lowering, n: str) -> str:
    """How many frequencies say all of a real array of `n` points."""
    return m.w.add(m.w.binary("ashr", "i64", n, "1") if is_name(n) else str(int(n) // 2), "1")


def of_part(m: Lowering, x: Any, parts: bool, steps: list[tuple[int, str]], back: bool, norm: str | None,
            part: int) -> Lazy:  # fmt: skip
    """The real or imaginary part of a transform, to or `back` from frequencies: along the last axis by one that gives
    real numbers, which takes half of the time."""
    (axis, n), *before = steps
    found: Any = x
    if before:
        found = signal(m, x, parts, True)
        for other, size in reversed(before):
            found = along(m, "ifft" if back else "fft", found, other, size or found.axes[other], norm)
        found, parts = read(m, found, found.axes, False, None), True
    n = n or (found.axes[1:] if parts else found.axes)[axis]
    half = halved(m, found, parts, axis, not back, part)
    made = along(m, "irfft", half, axis, n, norm if back else fourier.DUAL[norm])
    return read(m, made, made.axes, False, "0")


def of_real(m: Lowering, x: Any, steps: list[tuple[int, str]], back: bool, norm: str | None, turned: int) -> Signal:
    """The transform of a real array, or of one that is imaginary, if it is `turned`: along the first axis by one that
    takes real numbers, which takes half of the time."""
    *others, (axis, n) = steps
    found = signal(m, x, False, False)
    n = n or found.axes[axis]
    if n != found.axes[axis]:
        raise NotNative("a transform of a real array in another size")
    half = along(m, "rfft", found, axis, n, fourier.DUAL[norm] if back else norm)
    found = mirrored(m, half, axis, n, back, turned)
    for other, size in reversed(others):
        found = along(m, "ifft" if back else "fft", found, other, size or found.axes[other], norm)
    return found


@handles(fourier.transform)
def transform(m: Lowering, let: Let, x: Any) -> Any:
    params: Any = let.op.params  # type: ignore[union-attr]
    of, norm, sizes, part = params["of"], params.get("norm"), params.get("sizes"), params.get("part")
    parts, back = params.get("parts", False), of == "ifftn"
    axes = places_of(len(x.axes) - parts, params["axes"])
    order = [(axis, str(sizes[i]) if sizes else "") for i, axis in enumerate(axes)]
    if part is not None and parts and not sizes:
        return of_part(m, x, parts, order, back, norm, part)
    if not parts and not sizes and of != "rfftn":
        found = of_real(m, x, order, back, norm, 0)
        return read(m, found, found.axes, False, None if part is None else str(part))
    found = signal(m, x, parts, of != "rfftn")
    if of == "irfftn":
        for axis, n in order[:-1]:
            found = along(m, "ifft", found, axis, n or found.axes[axis], norm)
        axis, n = order[-1]
        found = along(m, "irfft", found, axis, n or half_of(m, found.axes[axis]), norm)
        return Arr(found.dtype, found.ptr, found.axes)
    for i, (axis, n) in enumerate(reversed(order)):
        name = "rfft" if of == "rfftn" and i == 0 else "ifft" if back else "fft"
        found = along(m, name, found, axis, n or found.axes[axis], norm)
    return read(m, found, found.axes, False, None if part is None else str(part))


@handles(fourier.transform_onto)
def transform_onto(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    params: Any = let.op.params  # type: ignore[union-attr]
    of, sizes, part = params["of"], params.get("sizes"), params.get("part")
    parts, back = params.get("parts", False), of != "ifftn"
    shape, dual = x.axes[1:] if parts else x.axes, fourier.DUAL[params.get("norm")]
    axes = places_of(len(shape), params["axes"])
    if not sizes and of in ("fftn", "ifftn"):
        steps = [(axis, "") for axis in axes]
        if part is None and not parts:
            return of_part(m, ct, True, steps, back, dual, 0)
        if part is not None:
            found = of_real(m, ct, steps, back, dual, part)
            return read(m, found, found.axes, False, None if parts else "0")
    if part is not None:
        ct = alone(m, ct, part)
    found = signal(m, ct, of != "irfftn", of != "irfftn")
    if of == "irfftn":
        found = weighted(m, found, axes[-1], dual)
        for axis in axes[:-1]:
            found = along(m, "fft", found, axis, found.axes[axis], dual)
    else:
        for i, axis in enumerate(axes):
            n = str(sizes[i]) if sizes else shape[axis]
            found = along(m, "ifft" if back else "fft", found, axis, n, dual)
    fitted = bool(sizes) or of == "irfftn"
    return read(m, found, shape, fitted, None if parts else "0")


@handles(fourier.frequencies)
def frequencies(m: Lowering, let: Let, n: Any) -> Lazy:
    """The whole numbers that frequencies are multiples of: from 0 up, and then those below it."""
    w, count = m.w, conversions.as_int(m.w, m.number(n))
    w.leave(w.compare("slt", count, "1"))
    if let.application.params.get("half"):
        return Lazy("int64", (half_points(m, count),), lambda at: at[0])
    below = w.sub(count, w.binary("ashr", "i64", count, "1"))
    return Lazy("int64", (count,), lambda at: w.select(
        "i64", w.compare("slt", at[0], below), at[0], w.sub(at[0], count)))


def alone(m: Lowering, ct: Any, part: int) -> Lazy:
    """The two parts of which one is given, and the other is zero."""
    w, source = m.w, m.arr(ct)
    type_ = number(source.dtype)

    def item(at: Sequence[str]) -> str:
        here = w.compare("eq", at[0], str(part))
        return w.select(type_, here, item_of(m, source, list(at[1:])).text, ZERO_OF[type_])

    return Lazy(source.dtype, ("2", *source.axes), item, view=True)


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
