"""Loops over the items of arrays as loops over vectors: the body once, on as many items as a register holds.

The body of a loop is written for one item, as text of IR. `vectors` reads that text and writes the same for `lanes`
items from `%k` on: what depends on the index becomes a vector, a load at consecutive places a masked load, another a
gather, a sum in memory a sum for each lane. A mask leaves out the items beyond the end, so that no second copy of the
body is needed. Short sums get a loop without masks before, on several vectors at once.

    %a = load double, ptr %at                     %a = call <8 x double> @llvm.masked.load...(ptr %at, ..., %mask, ...)
    %b = call double @ccc_exp(double %a)    →     %b = call <8 x double> @ccc_exp_v8(<8 x double> %a)

What is no straight-line code, or does something else, is left as it is: `vectors` gives None; LLVM may vectorise it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SHORT = 14
"""Bodies of sums of no more lines, in no other loop and without elementary functions, are unrolled `COPIES` times."""
COPIES = 4
BINARY = re.compile(r"(fadd|fsub|fmul|fdiv|add|sub|mul|and|or|xor)((?: [a-z]+)*) (double|i64|i1) (\S+), (\S+)$")
NEGATION = re.compile(r"fneg double (\S+)$")
COMPARISON = re.compile(r"([fi]cmp) (\w+) (double|i64|i1|i8) (\S+), (\S+)$")
SELECT = re.compile(r"select i1 (\S+), (\w+) (\S+), \w+ (\S+)$")
CONVERSION = re.compile(r"(sitofp|uitofp|zext|trunc|fptosi) (\w+) (\S+) to (\w+)$")
CALL = re.compile(r"call (double|i64) @([\w.]+)\((.*)\)$")
CHECKED = re.compile(r"call \{i64, i1\} @(llvm\.\w+\.with\.overflow)\.i64\(i64 (\S+), i64 (\S+)\)$")
EXTRACT = re.compile(r"extractvalue \{i64, i1\} (\S+), ([01])$")
LOAD = re.compile(r"load (double|i64|i8|i1), ptr (\S+)$")
ADDRESS = re.compile(r"getelementptr inbounds (double|i64|i8), ptr (\S+), i64 (\S+)$")
STORE = re.compile(r"store (double|i64|i8|i1) (\S+), ptr (\S+)$")
OWN = re.compile(r"ccc_([a-z]\w*)$")
SUFFIX = {"double": "f64", "i64": "i64", "i8": "i8", "i1": "i1"}
PURE = {"fabs", "floor", "ceil", "trunc", "rint", "sqrt", "copysign", "maximum", "minimum", "smax", "smin"}
NEUTRAL = {
    "fadd": ("double", "0x8000000000000000"),
    "fmul": ("double", "0x3FF0000000000000"),
    "maximum": ("double", "0xFFF0000000000000"),
    "minimum": ("double", "0x7FF0000000000000"),
    "add": ("i64", "0"),
    "or": ("i1", "false"),
}
"""What changes nothing, by the operation that gathers the items."""


STEPS = {"linear": 1, "falling": -1}


class Unfit(Exception):
    """A body that this does not take."""


@dataclass
class Gathered:
    """A place in memory in which all items come together: by which operation, and the flags of that."""

    place: str
    how: str
    flags: str
    before: str
    item: str
    slot: str = ""


@dataclass
class Body:
    """What is known of a body as it is read."""

    now: str
    lanes: int
    fresh: Callable[[], str]
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    lines: list[str] = field(default_factory=list[str])
    declared: set[str] = field(default_factory=set[str])
    splats: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    rename: dict[str, str] = field(default_factory=dict[str, str])
    mask: str = ""
    heavy: bool = False

    def vector(self, type_: str) -> str:
        return f"<{self.lanes} x {type_}>"

    def op(self, text: str) -> str:
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {text}")
        return name

    def kind(self, x: str) -> str:
        """Whether an operand is the `same` for all items, `linear` in the index or `falling` with it, a `vector`, or one
        of `places`."""
        return self.kinds.get(x, "same")

    def own(self, x: str) -> str:
        """The name of an operand in this copy of the body."""
        return self.rename.get(x, x)

    def spread(self, x: str, type_: str) -> str:
        """An operand as a vector."""
        kind, name = self.kind(x), self.own(x)
        if kind == "vector":
            return name
        if kind in ("places", "pair"):
            raise Unfit
        if not name.startswith("%"):
            return f"splat ({type_} {name})"
        found = self.splats.get((name, kind))
        if found is None:
            one = self.op(f"insertelement {self.vector(type_)} poison, {type_} {name}, i64 0")
            zeros = f"<{self.lanes} x i32> zeroinitializer"
            found = self.op(f"shufflevector {self.vector(type_)} {one}, {self.vector(type_)} poison, {zeros}")
            if kind in STEPS:
                steps = ", ".join(f"i64 {i * STEPS[kind]}" for i in range(self.lanes))
                found = self.op(f"add {self.vector('i64')} {found}, <{steps}>")
            self.splats[name, kind] = found
        return found

    def turned(self, x: str, type_: str) -> str:
        """A vector with its items in reverse."""
        if x.startswith("splat"):
            return x
        order = ", ".join(f"i32 {i}" for i in reversed(range(self.lanes)))
        vector = self.vector(type_)
        return self.op(f"shufflevector {vector} {x}, {vector} poison, <{self.lanes} x i32> <{order}>")

    def lowest(self, at: str, type_: str) -> str:
        """Where the last of items at falling places stands."""
        return self.op(f"getelementptr {type_}, ptr {at}, i64 {1 - self.lanes}")

    def intrinsic(self, name: str, result: str, *types: str) -> str:
        """The name of an intrinsic on vectors, which is declared."""
        self.declared.add(f"declare {result} @{name}({', '.join(types)})")
        return f"@{name}"

    def masked(self, type_: str) -> str:
        return f"v{self.lanes}{SUFFIX[type_]}"

    def all(self) -> str:
        return self.mask or "splat (i1 true)"


def vectors(
    text: list[str], now: str, count: str, w: Any, lanes: int, own: set[str] | None = None
) -> tuple[list[str], set[str]] | None:
    """The lines of a loop over vectors, and what they declare; None where the body is not fit.

    The runs of the loop must not depend on each other but for what is gathered: where that is not known, `own` says into
    which memory the body may write, that it does not read.
    """
    try:
        gathered = gatherings(text, now)
        if own is not None and not writes_only(text, gathered, own):
            return None
        body = Body(now, lanes, w.fresh)
        return whole(text, count, w, body, gathered)
    except Unfit:
        return None


def named(line: str) -> tuple[str, str]:
    """The name that a line defines, or "", and what it does."""
    name, equals, rest = line.strip().partition(" = ")
    return (name, rest) if equals else ("", line.strip())


def gatherings(text: list[str], now: str) -> dict[str, Gathered]:
    """The places in which a body gathers items; by the name of what is stored there."""
    made: dict[str, str] = dict(filter(lambda pair: pair[0], map(named, text)))
    found: dict[str, Gathered] = {}
    for line in text:
        stored = STORE.match(line.strip())
        if not stored or stored[3] in made:
            continue
        place, value = stored[3], stored[2]
        loads = [name for name, rest in made.items() if (at := LOAD.match(rest)) and at[2] == place]
        how, flags, operands = combined(made.get(value, ""))
        before = next((x for x in operands if x in loads), "")
        many = len(loads) if how == "or" else 1  # a test may be noted several times
        if not before or sum(place in re.findall(r"%\w+", other) for other in text) != 2 * many:
            raise Unfit
        if sum(before in re.findall(r"%\w+", rest) for rest in made.values()) != 1:
            raise Unfit
        if sum(value in re.findall(r"%\w+", named(other)[1]) for other in text) != 1:
            raise Unfit
        item = operands[1 - operands.index(before)]
        if item == before or (how in ("fadd", "fmul") and "reassoc" not in flags):
            raise Unfit
        found[value] = Gathered(place, how, flags, before, item)
    return found


def writes_only(text: list[str], gathered: dict[str, Gathered], own: set[str]) -> bool:
    """Whether all that a body writes goes to places that are gathered, or into memory of its own."""
    bases = {name: at[2] for name, rest in map(named, text) if (at := ADDRESS.match(rest))}
    stores = [found for line in text if (found := STORE.match(line.strip()))]
    return all(s[2] in gathered or bases.get(s[3]) in own for s in stores)


def combined(text: str) -> tuple[str, str, list[str]]:
    """The operation of a line that brings two operands together, its flags and operands."""
    binary, call = BINARY.match(text), CALL.match(text)
    if binary and binary[1] in NEUTRAL:
        return binary[1], binary[2], [binary[4], binary[5]]
    if call and call[2] in ("llvm.maximum.f64", "llvm.minimum.f64"):
        return call[2].split(".")[1], "", re.findall(r"double (\S+?)(?:,|$)", call[3])
    raise Unfit


def whole(text: list[str], count: str, w: Any, body: Body, gathered: dict[str, Gathered]) -> tuple[list[str], set[str]]:
    """The loop: what is gathered is set to neutral before, and brought together behind."""
    counter = w.local("i64")
    out: list[str] = [f"  store i64 0, ptr {counter}"]
    short = bool(gathered) and len(text) <= SHORT and not w.loops and not any("@ccc_" in line for line in text)
    copies = COPIES if short else 1
    for g in gathered.values():
        type_, neutral = NEUTRAL[g.how]
        slots = [w.local(body.vector(type_)) for _ in range(copies if g.how != "or" else 1)]
        out += [f"  store {body.vector(type_)} splat ({type_} {neutral}), ptr {slot}" for slot in slots]
        g.slot = " ".join(slots)
    if short:
        small = count.isdigit() and int(count) < body.lanes * copies
        if not small:
            out += pass_over(text, count, w, body, gathered, counter, copies, masked=False)
    out += pass_over(text, count, w, body, gathered, counter, 1, masked=True)
    body.lines = out
    for g in gathered.values():
        brought_together(g, body)
    return body.lines, body.declared


def pass_over(
    text: list[str],
    count: str,
    w: Any,
    body: Body,
    gathered: dict[str, Gathered],
    counter: str,
    copies: int,
    masked: bool,
) -> list[str]:
    """One loop: over whole groups of vectors without a mask, or over what is left with one."""
    head, inside, done = w.fresh("lanes"), w.fresh("each"), w.fresh("passed")
    body.lines = []
    k = body.op(f"load i64, ptr {counter}")
    start, body.lines = body.lines, []
    step = body.lanes * copies
    if masked:
        more = body.op(f"icmp slt i64 {k}, {count}")
    else:
        end = body.op(f"add nsw i64 {k}, {step}")
        more = body.op(f"icmp sle i64 {end}, {count}")
    lines = [
        f"  br label %{head}",
        f"{head}:",
        *start,
        *body.lines,
        f"  br i1 {more}, label %{inside}, label %{done}",
        f"{inside}:",
    ]
    for copy in range(copies):
        body.lines, body.kinds, body.splats, body.rename, body.mask = [], {}, {}, {}, ""
        here = k if not copy else body.op(f"add nuw nsw i64 {k}, {copy * body.lanes}")
        if masked:
            left = body.op(f"sub nsw i64 {count}, {here}")
            steps = ", ".join(f"i64 {i}" for i in range(body.lanes))
            body.mask = body.op(f"icmp slt {body.vector('i64')} <{steps}>, {body.spread(left, 'i64')}")
        body.kinds[body.now], body.rename[body.now] = "linear", here
        befores = {g.before for g in gathered.values()}
        for line in text:
            translate(line, body, gathered, befores, copy)
        lines += body.lines
    body.lines = []
    after = body.op(f"add nuw nsw i64 {k}, {step}")
    return [
        *lines,
        *body.lines,
        f"  store i64 {after}, ptr {counter}",
        f"  br label %{head}, !llvm.loop !1",
        f"{done}:",
    ]


def brought_together(g: Gathered, body: Body) -> None:
    """The items of all lanes, and what stood in the place before, in the place."""
    type_, _ = NEUTRAL[g.how]
    vector, slots = body.vector(type_), g.slot.split()
    found = [body.op(f"load {vector}, ptr {slot}") for slot in slots]
    while len(found) > 1:
        found = [body.op(pair(g, vector, found[i], found[i + 1], body)) for i in range(0, len(found), 2)]
    name = f"llvm.vector.reduce.{'f' + g.how if g.how[0] == 'm' else g.how}.{body.masked(type_)}"
    before = body.op(f"load {type_}, ptr {g.place}")
    if g.how in ("fadd", "fmul"):
        all_ = body.op(
            f"call reassoc {type_} {body.intrinsic(name, type_, type_, vector)}({type_} {before}, {vector} {found[0]})"
        )
    else:
        one = body.op(f"call {type_} {body.intrinsic(name, type_, vector)}({vector} {found[0]})")
        all_ = body.op(pair(g, type_, before, one, body))
    body.lines.append(f"  store {type_} {all_}, ptr {g.place}")


def pair(g: Gathered, type_: str, a: str, b: str, body: Body) -> str:
    """The operation that gathers, on two operands."""
    if g.how not in ("maximum", "minimum"):
        return f"{g.how}{g.flags} {type_} {a}, {b}"
    suffix = "f64" if type_ == "double" else body.masked("double")
    return f"call {type_} {body.intrinsic(f'llvm.{g.how}.{suffix}', type_, type_, type_)}({type_} {a}, {type_} {b})"


# -- lines ---------------------------------------------------------------------------------------------------------


def translate(line: str, b: Body, gathered: dict[str, Gathered], befores: set[str], copy: int) -> None:
    """Write a line of the body for all lanes."""
    name, text = named(line)
    if name in befores:
        return
    if name in gathered:
        gather(gathered[name], b, copy)
        return
    if not name:
        write(text, b, gathered)
        return
    for pattern, translated in TRANSLATIONS:
        found = pattern.match(text)
        if found:
            kind, out = translated(found, b)
            b.kinds[name] = kind
            b.rename[name] = out
            return
    raise Unfit


def gather(g: Gathered, b: Body, copy: int) -> None:
    """Bring the items of this vector to those before."""
    type_, neutral = NEUTRAL[g.how]
    vector, slots = b.vector(type_), g.slot.split()
    slot = slots[copy % len(slots)]
    item = b.spread(g.item, type_)
    if b.mask:
        item = b.op(f"select {b.vector('i1')} {b.mask}, {vector} {item}, {vector} splat ({type_} {neutral})")
    before = b.op(f"load {vector}, ptr {slot}")
    b.lines.append(f"  store {vector} {b.op(pair(g, vector, before, item, b))}, ptr {slot}")


def write(text: str, b: Body, gathered: dict[str, Gathered]) -> None:
    found = STORE.match(text)
    if not found:
        raise Unfit
    type_, value, at = found[1], found[2], found[3]
    if value in gathered and gathered[value].place == at:
        return
    x = b.spread(value, type_)
    if type_ == "i1":  # which lists hold in a word each
        x, type_ = b.op(f"zext {b.vector('i1')} {x} to {b.vector('i64')}"), "i64"
    vector, kind = b.vector(type_), b.kind(at)
    if kind == "linear" and not b.mask:
        b.lines.append(f"  store {vector} {x}, ptr {b.own(at)}, align {1 if type_ == 'i8' else 8}")
        return
    mask, align = b.vector("i1"), 1 if type_ == "i8" else 8
    at_, all_ = b.own(at), b.all()
    if kind == "falling":
        x, at_, all_ = b.turned(x, type_), b.lowest(at_, type_), b.turned(all_, "i1")
    if kind in STEPS:
        name = b.intrinsic(f"llvm.masked.store.{b.masked(type_)}.p0", "void", vector, "ptr", "i32", mask)
        b.lines.append(f"  call void {name}({vector} {x}, ptr {at_}, i32 {align}, {mask} {all_})")
    elif kind == "places":
        places = b.vector("ptr")
        name = b.intrinsic(f"llvm.masked.scatter.{b.masked(type_)}.v{b.lanes}p0", "void", vector, places, "i32", mask)
        b.lines.append(f"  call void {name}({vector} {x}, {places} {b.own(at)}, i32 {align}, {mask} {b.all()})")
    else:
        raise Unfit


Translated = tuple[str, str]
STAYS = {
    ("add", "linear", "same"): "linear",
    ("add", "same", "linear"): "linear",
    ("sub", "linear", "same"): "linear",
    ("sub", "same", "linear"): "falling",
    ("add", "falling", "same"): "falling",
    ("add", "same", "falling"): "falling",
    ("sub", "falling", "same"): "falling",
    ("sub", "same", "falling"): "linear",
}
"""What sums and differences of indices are."""


def binary(f: re.Match[str], b: Body) -> Translated:
    op, flags, type_, x, y = f.groups()
    kinds = {b.kind(x), b.kind(y)}
    if "places" in kinds:
        raise Unfit
    if kinds == {"same"}:
        return "same", b.op(f"{op}{flags} {type_} {b.own(x)}, {b.own(y)}")
    stays = STAYS.get((op, b.kind(x), b.kind(y))) if type_ == "i64" else None
    if stays is not None:
        return stays, b.op(f"{op}{flags} {type_} {b.own(x)}, {b.own(y)}")
    flags = flags.replace(" nsw", "").replace(" nuw", "")  # lanes beyond the end may overflow
    return "vector", b.op(f"{op}{flags} {b.vector(type_)} {b.spread(x, type_)}, {b.spread(y, type_)}")


def negation(f: re.Match[str], b: Body) -> Translated:
    if b.kind(f[1]) == "same":
        return "same", b.op(f"fneg double {b.own(f[1])}")
    return "vector", b.op(f"fneg {b.vector('double')} {b.spread(f[1], 'double')}")


def comparison(f: re.Match[str], b: Body) -> Translated:
    op, relation, type_, x, y = f.groups()
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"{op} {relation} {type_} {b.own(x)}, {b.own(y)}")
    return "vector", b.op(f"{op} {relation} {b.vector(type_)} {b.spread(x, type_)}, {b.spread(y, type_)}")


def choice(f: re.Match[str], b: Body) -> Translated:
    test, type_, x, y = f.groups()
    if b.kind(test) == "same" and b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"select i1 {b.own(test)}, {type_} {b.own(x)}, {type_} {b.own(y)}")
    vector, x, y = b.vector(type_), b.spread(x, type_), b.spread(y, type_)
    if b.kind(test) == "same":
        return "vector", b.op(f"select i1 {b.own(test)}, {vector} {x}, {vector} {y}")
    return "vector", b.op(f"select {b.vector('i1')} {b.own(test)}, {vector} {x}, {vector} {y}")


def conversion(f: re.Match[str], b: Body) -> Translated:
    op, have, x, want = f.groups()
    if b.kind(x) == "same":
        return "same", b.op(f"{op} {have} {b.own(x)} to {want}")
    if op == "fptosi":  # of what lanes beyond the end hold
        raise Unfit
    return "vector", b.op(f"{op} {b.vector(have)} {b.spread(x, have)} to {b.vector(want)}")


def call(f: re.Match[str], b: Body) -> Translated:
    type_, name, rest = f.groups()
    args = [part.strip().split(" ") for part in rest.split(",")]
    if any(len(arg) != 2 for arg in args):
        raise Unfit
    own = OWN.match(name)
    parts = name.split(".")
    known = own is not None or (parts[0] == "llvm" and len(parts) == 3 and parts[1] in PURE)
    if not known:
        raise Unfit
    if all(b.kind(x) == "same" for _, x in args):
        return "same", b.op(f"call {type_} @{name}({', '.join(f'{t} {b.own(x)}' for t, x in args)})")
    given = ", ".join(f"{b.vector(t)} {b.spread(x, t)}" for t, x in args)
    if own is not None:
        return "vector", b.op(f"call {b.vector(type_)} @{name}_v{b.lanes}({given})")
    vector = b.vector(type_)
    called = b.intrinsic(f"llvm.{parts[1]}.{b.masked(type_)}", vector, *[b.vector(t) for t, _ in args])
    return "vector", b.op(f"call {vector} {called}({given})")


def checked(f: re.Match[str], b: Body) -> Translated:
    name, x, y = f.groups()
    if b.kind(x) == b.kind(y) == "same":
        return "same", b.op(f"call {{i64, i1}} @{name}.i64(i64 {b.own(x)}, i64 {b.own(y)})")
    i, t = b.vector("i64"), b.vector("i1")
    called = b.intrinsic(f"{name}.{b.masked('i64')}", f"{{{i}, {t}}}", i, i)
    return "pair", b.op(f"call {{{i}, {t}}} {called}({i} {b.spread(x, 'i64')}, {i} {b.spread(y, 'i64')})")


def extract(f: re.Match[str], b: Body) -> Translated:
    if b.kind(f[1]) == "same":
        return "same", b.op(f"extractvalue {{i64, i1}} {b.own(f[1])}, {f[2]}")
    return "vector", b.op(f"extractvalue {{{b.vector('i64')}, {b.vector('i1')}}} {b.own(f[1])}, {f[2]}")


def address(f: re.Match[str], b: Body) -> Translated:
    type_, ptr, i = f.groups()
    if b.kind(ptr) != "same":
        raise Unfit
    kind = b.kind(i)
    if kind == "same" or kind in STEPS:
        return kind, b.op(f"getelementptr inbounds {type_}, ptr {b.own(ptr)}, i64 {b.own(i)}")
    return "places", b.op(f"getelementptr {type_}, ptr {b.own(ptr)}, {b.vector('i64')} {b.spread(i, 'i64')}")


def load(f: re.Match[str], b: Body) -> Translated:
    type_, at = f.groups()
    if type_ != "i1" or b.kind(at) == "same":
        return loaded(type_, at, b)
    kind, x = loaded("i64", at, b)  # which lists hold in a word each
    return kind, b.op(f"trunc {b.vector('i64')} {x} to {b.vector('i1')}")


def loaded(type_: str, at: str, b: Body) -> Translated:
    kind, vector, align = b.kind(at), b.vector(type_), 1 if type_ == "i8" else 8
    if kind == "same":
        return "same", b.op(f"load {type_}, ptr {b.own(at)}")
    mask, zero = b.vector("i1"), f"{vector} zeroinitializer"
    if kind == "linear" and not b.mask:
        return "vector", b.op(f"load {vector}, ptr {b.own(at)}, align {align}")
    if kind in STEPS:
        at_, all_ = b.own(at), b.all()
        if kind == "falling":
            at_, all_ = b.lowest(at_, type_), b.turned(all_, "i1")
        name = b.intrinsic(f"llvm.masked.load.{b.masked(type_)}.p0", vector, "ptr", "i32", mask, vector)
        found = b.op(f"call {vector} {name}(ptr {at_}, i32 {align}, {mask} {all_}, {zero})")
        return "vector", b.turned(found, type_) if kind == "falling" else found
    if kind == "places":
        places = b.vector("ptr")
        name = b.intrinsic(f"llvm.masked.gather.{b.masked(type_)}.v{b.lanes}p0", vector, places, "i32", mask, vector)
        return "vector", b.op(f"call {vector} {name}({places} {b.own(at)}, i32 {align}, {mask} {b.all()}, {zero})")
    raise Unfit


TRANSLATIONS: list[tuple[re.Pattern[str], Callable[[re.Match[str], Body], Translated]]] = [
    (BINARY, binary),
    (NEGATION, negation),
    (COMPARISON, comparison),
    (SELECT, choice),
    (CONVERSION, conversion),
    (CHECKED, checked),
    (CALL, call),
    (EXTRACT, extract),
    (ADDRESS, address),
    (LOAD, load),
]
