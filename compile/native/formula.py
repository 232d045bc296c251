"""Formulas in Python, LLVM IR as text: arithmetic on the values of a straight-line function emits its instructions.

A `Formula` is the body of one function of doubles that is being written, on one double or on a vector of `lanes`. Its
values are `Value`s of a kind: `d` double, `i` 64-bit integer, `b` truth. Operators and methods append an instruction
and return its value; Python numbers stand for constants. Nothing branches: choices are `select`. No fast-math flag is
ever set, since the kernels depend on the exact rounding of each step.

Without a fused multiply-add (`fma` false), `Formula.fma` is a product and a sum, and `two_product` splits its factors.

>>> f = Formula(fma=True)
>>> x = f.argument("x")
>>> print(f.define("square_plus_one", [x], f.fma(x, x, 1.0)))
define internal double @square_plus_one(double %x) alwaysinline nounwind willreturn memory(none) {
entry:
  %t1 = call double @llvm.fma.f64(double %x, double %x, double 0x3FF0000000000000)
  ret double %t1
}
>>> sorted(f.declarations)
['declare double @llvm.fma.f64(double, double, double)']
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence

from ccc.compile.native.functions import Constant, Written
from ccc.compile.native.instructions import (
    ADD,
    AND,
    COPYSIGN,
    FABS,
    LSHR,
    MUL,
    OR,
    SDIV,
    SHL,
    SQRT,
    SUB,
    SUFFIX,
    XOR,
    Opcode,
)
from ccc.compile.native.writer import narrowed, real
from ccc.values import value


@value()
class Format:
    """A type of reals: that of integers of as many bits, how many of its bits are digits, and what is added to
    exponents; and by how many exponents a number is kept away from where digits are lost."""

    item: str
    whole: str
    digits: int
    bias: int
    spare: int

    @property
    def scalars(self) -> dict[str, str]:
        """LLVM's types of kinds."""
        return {"d": self.item, "i": self.whole, "b": "i1"}

    def bits_of(self, x: float) -> int:
        """The bits of a number as a signed integer.

        >>> FLOAT.bits_of(1.0) >> 23, DOUBLE.bits_of(-0.0) == -(1 << 63)
        (127, True)
        """
        return struct.unpack("<q", struct.pack("<d", x))[0] if self.digits == 52 else struct.unpack(
            "<i", struct.pack("<f", x))[0]


DOUBLE = Format("double", "i64", 52, 1023, 128)
FLOAT = Format("float", "i32", 23, 127, 32)
FORMATS = {x.item: x for x in (DOUBLE, FLOAT)}
PURE = "nounwind willreturn memory(none)"
SELDOM = '!{!"branch_weights", i32 1, i32 1000000}'
WIDTHS = (2, 4, 8)
"""The lanes for which the vectoriser finds a variant of a rare call."""

POOLED = 4
"""Constants of so many doubles are read from memory, where each operation finds them itself. LLVM would otherwise bring
each into a register first; wider registers have instructions that repeat one double."""

SPLIT_MASK = -(1 << 27)
"""Clears the low 27 bits of a double: what is left times itself is exact."""


@value()
class Value:
    """A value of a formula: where it is computed, its kind and LLVM's name of it."""

    formula: Formula
    kind: str
    name: str

    def binary(self, i: Opcode, other: Value | float, swapped: bool = False) -> Value:
        """An instruction of this value and another, by kind."""
        a, b = self, self.formula.value(other, self.kind)
        if swapped:
            a, b = b, a
        return self.formula.emit(self.kind, f"{i.real if self.kind == 'd' else i.name} {a.typed}, {b.name}")

    @property
    def typed(self) -> str:
        """The value with its type, as an operand."""
        return f"{self.formula.type_of(self.kind)} {self.name}"

    def __add__(self, other: Value | float) -> Value:
        return self.binary(ADD, other)

    def __radd__(self, other: float) -> Value:
        return self.binary(ADD, other, swapped=True)

    def __sub__(self, other: Value | float) -> Value:
        return self.binary(SUB, other)

    def __rsub__(self, other: float) -> Value:
        return self.binary(SUB, other, swapped=True)

    def __mul__(self, other: Value | float) -> Value:
        return self.binary(MUL, other)

    def __rmul__(self, other: float) -> Value:
        return self.binary(MUL, other, swapped=True)

    def __truediv__(self, other: Value | float) -> Value:
        return self.binary(SDIV, other)

    def __rtruediv__(self, other: float) -> Value:
        return self.binary(SDIV, other, swapped=True)

    def __neg__(self) -> Value:
        return self.formula.emit(self.kind, f"fneg {self.typed}")

    def __and__(self, other: Value | int) -> Value:
        return self.binary(AND, other)

    def __or__(self, other: Value | int) -> Value:
        return self.binary(OR, other)

    def __xor__(self, other: Value | int) -> Value:
        return self.binary(XOR, other)

    def __lshift__(self, other: int) -> Value:
        return self.binary(SHL, other)

    def __rshift__(self, other: int) -> Value:
        """The logical shift to the right."""
        return self.binary(LSHR, other)

    def compare(self, relation: str, other: Value | float) -> Value:
        """The truth of LLVM's `fcmp relation`, or of `icmp relation` for integers."""
        instruction = "fcmp" if self.kind == "d" else "icmp"
        against = self.formula.value(other, self.kind).name
        return self.formula.emit("b", f"{instruction} {relation} {self.typed}, {against}")

    def __lt__(self, other: Value | float) -> Value:
        return self.compare("olt", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.compare("ogt", other)

    def __le__(self, other: Value | float) -> Value:
        return self.compare("ole", other)

    def __ge__(self, other: Value | float) -> Value:
        return self.compare("oge", other)

    def equals(self, other: Value | float) -> Value:
        """Whether two doubles are equal; false where one is NaN."""
        return self.compare("oeq", other)

    def where(self, yes: Value | float, no: Value | float) -> Value:
        """`yes` where this truth holds, else `no`."""
        f = self.formula
        kind = next((v.kind for v in (yes, no) if isinstance(v, Value)), "d")
        return f.emit(kind, f"select {self.typed}, {f.value(yes, kind).typed}, {f.value(no, kind).typed}")


class Formula:
    """The body of one function that is being written; `lanes` above one makes every value a vector."""

    def __init__(self, fma: bool, lanes: int = 1, item: str = "double") -> None:
        self.fma_there, self.lanes, self.format = fma, lanes, FORMATS[item]
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self.rare: set[str] = set()
        self.constants: dict[str, str] = {}
        self.count, self.block = 0, "entry"

    def type_of(self, kind: str) -> str:
        """LLVM's type of a kind."""
        scalar = self.format.scalars[kind]
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def argument(self, name: str) -> Value:
        """The parameter of that name, a double."""
        return Value(self, "d", f"%{name}")

    def value(self, x: Value | float, kind: str) -> Value:
        """A value as it is, or the constant of a Python number."""
        if isinstance(x, Value):
            return x
        text = real(float(x)) if kind == "d" else str(x).lower()
        if kind == "d" and self.format is FLOAT:
            text = narrowed(text)
        elif kind == "d" and self.lanes == POOLED and x != 0.0:
            self.constants[text] = f"%c{text}"
            return Value(self, kind, self.constants[text])
        return Value(self, kind, text if self.lanes == 1 else f"splat ({self.format.scalars[kind]} {text})")

    def real(self, x: float) -> Value:
        """The constant double."""
        return self.value(x, "d")

    def emit(self, kind: str, instruction: str) -> Value:
        """Append an instruction; its value."""
        self.count += 1
        name = f"%t{self.count}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(self, kind, name)

    def call(self, function: str, *arguments: Value | float) -> Value:
        """The intrinsic function `llvm.function` of doubles."""
        values = [self.value(a, "d") for a in arguments]
        real = self.type_of("d")
        name = f"@llvm.{function}.{'' if self.lanes == 1 else f'v{self.lanes}'}{SUFFIX[self.format.item]}"
        self.declarations.add(f"declare {real} {name}({', '.join([real] * len(values))})")
        return self.emit("d", f"call {real} {name}({', '.join(v.typed for v in values)})")

    def fma(self, a: Value | float, b: Value | float, c: Value | float) -> Value:
        """`a * b + c`, rounded once where the CPU can."""
        if self.fma_there:
            return self.call("fma", a, b, c)
        return self.value(a, "d") * b + c

    def bits(self, x: Value) -> Value:
        """The bits of a double as an integer."""
        return self.emit("i", f"bitcast {x.typed} to {self.type_of('i')}")

    def double(self, i: Value) -> Value:
        """The double of these bits."""
        return self.emit("d", f"bitcast {i.typed} to {self.type_of('d')}")

    def magnitude(self, x: Value) -> Value:
        """`|x|`."""
        return self.call(FABS.name, x)

    def signed_like(self, x: Value, sign: Value) -> Value:
        """`x` with the sign of `sign`."""
        return self.call(COPYSIGN.name, x, sign)

    def sqrt(self, x: Value) -> Value:
        """The square root, rounded correctly."""
        return self.call(SQRT.name, x)

    def polynomial(self, x: Value, coefficients: Sequence[float], few: int = 0) -> Value:
        """`c[0] + c[1] x + c[2] x² + ...`, by pairs, pairs of pairs, and so on (Estrin's scheme); of floats the first
        `few` terms."""
        terms: list[Value | float] = list(coefficients[: few if few and self.format is FLOAT else len(coefficients)])
        power = x
        while len(terms) > 1:
            paired = [self.fma(high, power, low) for low, high in zip(terms[::2], terms[1::2], strict=False)]
            terms = [*paired, *terms[len(terms) - len(terms) % 2 :]]
            if len(terms) > 1:
                power = power * power
        return self.value(terms[0], "d")

    def steady_polynomial(self, x: Value, coefficients: Sequence[float], few: int = 0) -> Value:
        """The same, with the first coefficient added last, so that it is rounded once."""
        return self.fma(x, self.polynomial(x, coefficients[1:], few - 1), coefficients[0])

    def two_sum(self, a: Value, b: Value) -> tuple[Value, Value]:
        """`a + b` rounded and what rounding took off."""
        s = a + b
        b_in_s = s - a
        return s, (a - (s - b_in_s)) + (b - b_in_s)

    def fast_two_sum(self, a: Value, b: Value | float) -> tuple[Value, Value]:
        """`two_sum` for `|a| >= |b|` or `a == 0`."""
        s = a + b
        return s, self.value(b, "d") - (s - a)

    def two_product(self, a: Value, b: Value | float) -> tuple[Value, Value]:
        """`a * b` rounded and what rounding took off."""
        p = a * b
        if self.fma_there:
            return p, self.fma(a, b, -p)
        a_high, a_low = self.halves(a)
        b_high, b_low = self.halves(self.value(b, "d"))
        return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low

    def halves(self, x: Value) -> tuple[Value, Value]:
        """`x` as a sum of two doubles of at most 27 significant bits."""
        high = self.double(self.bits(x) & SPLIT_MASK)
        return high, x - high

    def rarely(self, condition: Value, function: str, x: Value, otherwise: Value) -> Value:
        """`otherwise`, or the C library's `function` of `x` where the condition holds: for what few elements need.

        The call stands behind a branch. LLVM's vectoriser takes loops with it, since the call names its vector variants
        (`rare_call`), each of which returns at once where no lane needs it; the passes after it put that test inline.
        """
        self.rare.add(function)
        if self.lanes > 1:
            types = f"{x.typed}, {condition.typed}"
            y = self.emit("d", f"call {self.type_of('d')} @{rare_name(function, self.lanes)}({types})")
            return condition.where(y, otherwise)
        variants = ",".join(f"_ZGV_LLVM_M{n}v_{rare_name(function)}({rare_name(function, n)})" for n in WIDTHS)
        named = f'"vector-function-abi-variant"="{variants}"'
        rare = f"call double @{rare_name(function)}({x.typed}) {named}"
        return self.seldom(condition, lambda: self.emit("d", rare), otherwise)

    def seldom(self, condition: Value, run: Callable[[], Value], otherwise: Value) -> Value:
        """`otherwise`, or what `run` computes where the condition holds, behind a branch: for what few numbers need."""
        self.count += 1
        label, before = f"t{self.count}", self.block
        self.lines += [f"  br i1 {condition.name}, label %{label}.seldom, label %{label}.join, !prof {SELDOM}"]
        self.block = f"{label}.seldom"
        self.lines.append(f"{self.block}:")
        found = run()
        self.lines += [f"  br label %{label}.join", f"{label}.join:"]
        after, self.block = self.block, f"{label}.join"
        return self.emit("d", f"phi double [ {otherwise.name}, %{before} ], [ {found.name}, %{after} ]")

    def define(self, name: str, arguments: Sequence[Value], result: Value, inline: bool = True) -> Written:
        """The function, which is put in place of its calls or never is."""
        parameters = ", ".join(a.typed for a in arguments)
        how = "alwaysinline" if inline else "noinline"
        pure = PURE.replace("none", "read") if self.constants else PURE
        loads = [f"  {x} = load {self.type_of('d')}, ptr @ccc_c{text}, align {8 * self.lanes}, !invariant.load !{{}}"
                 for text, x in self.constants.items()]
        rest = "\n".join([f" {how} {pure} {{", "entry:", *loads, *self.lines, f"  ret {result.typed}", "}"])
        reads = [*[rare_name(f, self.lanes) for f in self.rare], *[f"ccc_c{text}" for text in self.constants]]
        return Written(self.type_of("d"), name, f"({parameters})", rest, reads)


def rare_name(function: str, lanes: int = 1) -> str:
    """The name of what calls the C library's function for one double, or for the lanes that a mask has.

    >>> rare_name("sin"), rare_name("sin", 8)
    ('ccc_rare_sin', 'ccc_rare_sin_v8')
    """
    return f"ccc_rare_{function}" + ("" if lanes == 1 else f"_v{lanes}")


def rare_call(function: str, lanes: int) -> list[Written]:
    """The definitions behind `Formula.rarely` for vectors of some lanes; for one lane, a call that is not inlined."""
    name = rare_name(function, lanes)
    if lanes == 1:
        rest = f" cold noinline {PURE} {{\n  %y = call double @{function}(double %x) {PURE}\n  ret double %y\n}}"
        return [Written("double", name, "(double %x)", rest)]
    vector, mask = f"<{lanes} x double>", f"<{lanes} x i1>"
    each = [
        line
        for i in range(lanes)
        for line in (
            f"  %x{i} = extractelement {vector} %x, i64 {i}",
            f"  %y{i} = call double @{function}(double %x{i}) {PURE}",
            f"  %v{i} = insertelement {vector} {f'%v{i - 1}' if i else 'poison'}, double %y{i}, i64 {i}",
        )
    ]
    all_ = "\n".join([f" cold noinline {PURE} {{", *each, f"  ret {vector} %v{lanes - 1}", "}"])
    rest = [
        f" alwaysinline {PURE} {{",
        "entry:",
        f"  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1({mask} %needed)",
        f"  br i1 %any, label %some, label %done, !prof {SELDOM}",
        "some:",
        f"  %y = call {vector} @{name}_all({vector} %x)",
        "  br label %done",
        "done:",
        f"  %r = phi {vector} [ %x, %entry ], [ %y, %some ]",
        f"  ret {vector} %r",
        "}",
    ]
    return [
        Written(vector, f"{name}_all", f"({vector} %x)", all_),
        Written(vector, name, f"({vector} %x, {mask} %needed)", "\n".join(rest), (f"{name}_all",), "weak_odr hidden "),
    ]


def rare_definitions(functions: Iterable[tuple[str, int]], widths: Sequence[int]) -> tuple[set[str], list[Written]]:
    """The declarations and definitions that `Formula.rarely` needs for these functions of the C library, each on a
    number of lanes; for one lane, the variants of these widths that the vectoriser may choose as well."""
    wanted = sorted({(name, n) for name, lanes in functions for n in ((1, *widths) if lanes == 1 else (lanes,))})
    declarations = {f"declare double @{name}(double)" for name, _ in wanted}
    declarations |= {f"declare i1 @llvm.vector.reduce.or.v{n}i1(<{n} x i1>)" for _, n in wanted if n > 1}
    return declarations, [f for name, n in wanted for f in rare_call(name, n)]


def pool(constants: Iterable[str]) -> list[Constant]:
    """The memory of constants, which LLVM does not look into."""
    return [Constant(f"ccc_c{x}", f"internal externally_initialized global <{POOLED} x double> splat (double {x}), "
                     f"align {8 * POOLED}") for x in sorted(constants)]
