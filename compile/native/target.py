"""A program as machine code behind a Python function, or `NotNative` with the reason.

Where the code leaves (an index out of range, a division by zero, sizes that do not fit), the same program as NumPy
source computes the result, or raises what Python raises.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ccc.compile.native import (
    arena,
    calls_out,
    capi,
    columns,
    conversions,
    elementary,
    elementary_calls,
    engine,
    formula,
    functions,
    guarded,
    guarded_entry,
    handlers,
    hash_tables,
    living,
    object_helpers,
    radix_sort,
    runtime,
    threads,
    tiles,
    variants,
    vector_products,
)
from ccc.compile.native.boundary import object_of_tree
from ccc.compile.native.calls_out import CallsOut
from ccc.compile.native.closures import Function
from ccc.compile.native.entry import Taken, entry, pull_entry, tape_entry
from ccc.compile.native.functions import FIRST, Code, Handled, called
from ccc.compile.native.installation import MISSING
from ccc.compile.native.ints_among_reals import readers_of, with_floats
from ccc.compile.native.kinds import check_width
from ccc.compile.native.layout import (
    Arr,
    Nothing,
    NotNative,
    Parts,
    Tup,
    Word,
    canonical,
    known_axes,
    layout_of,
    rebuilt,
    words,
)
from ccc.compile.native.lowered import Lowered
from ccc.compile.native.lowering import ProgramLowering
from ccc.compile.native.module import Module
from ccc.compile.native.ranks import Anew
from ccc.compile.native.unbox_arguments import Taking
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, Writer
from ccc.compile.passes import inlining
from ccc.compile.passes.engine import Change
from ccc.compile.program.lam import FunctionLeaf, Lambda, Lit, Program, Tree, Var, dispose, leaves, two
from ccc.compile.program.work import LARGEST, work
from ccc.journal import beginning_anew

HANDLED = handlers.MODULES
"""What fills the table of primitives, which passes ask."""
METADATA = [
    '!0 = !{!"branch_weights", i32 1, i32 1000}',
    "!1 = distinct !{!1, !2, !3}",
    '!2 = !{!"llvm.loop.unroll.disable"}',
    '!3 = !{!"llvm.loop.vectorize.enable", i1 false}',
    "!4 = distinct !{!4, !2}",
    '!9 = !{!"branch_weights", i32 1000, i32 1}',
]
STEPS = 10_000
"""Programs that surely run more lets than this are long."""

LEAVES = "a program whose machine code leaves its first call to NumPy"


def available() -> str:
    """Why there is no native code in this process; "" where there is."""
    if not engine.available():
        return MISSING
    return "" if capi.layouts_hold() else "objects of this Python lie in memory in a way that is not known"


def linked(
    found: Lowered, name: str, other: Callable[..., Any], args: Sequence[Any], tried: bool = True
) -> Callable[..., Any]:
    """The function of a module. One that is not `tried` yet stays with the other target if it leaves its first call."""
    kernel, *pull = variants.kernels(found, name, args)
    kernel = living.alive(kernel) if found.draws or found.texts else kernel
    kernel, other = beginning_anew(kernel, other) if found.acts else (kernel, other)
    exact = found.exact and not found.acts  # who calls it again does not know of what it did
    if found.readers:
        kernel, exact = with_floats(kernel, found.readers), False
    return with_pullback(kernel, pull[0], other, tried) if pull else entered(kernel, other, exact, tried)


def entered(kernel: Any, other: Callable[..., Any], exact: bool, tried: bool) -> Callable[..., Any]:
    """The function around the machine code. Where that looks at all that matters in its arguments, it is the attribute
    `kernel`, and gives `NotImplemented` for others; `gated` is the shortest way to it. `leaves` counts the calls that
    it left to the other target and that had a result there."""
    use = True

    def call(*args: Any) -> Any:
        nonlocal tried, use
        found = kernel(*args) if use else NotImplemented
        if found is not NotImplemented:
            tried = True
            return found
        result = other(*args)
        call.leaves += 1  # type: ignore[attr-defined]
        if not tried:
            tried, use = True, False
            call.kernel = None  # type: ignore[attr-defined]
            call.left_to = LEAVES  # type: ignore[attr-defined]
        return result

    call.leaves = 0  # type: ignore[attr-defined]
    call.kernel = kernel if exact else None  # type: ignore[attr-defined]
    call.gated = partial(guarded_entry.gated, kernel)  # type: ignore[attr-defined]
    return call


def with_pullback(kernel: Any, pull: Any, other: Callable[..., Any], tried: bool) -> Callable[..., Any]:
    """The function that gives a value and a pullback."""
    from ccc.primitives import boundary

    own, use = boundary.own.value, True

    def call(*args: Any) -> Any:
        nonlocal tried, use
        found = kernel(*args) if use else NotImplemented
        if found is NotImplemented:
            result = other(*args)
            call.leaves += 1  # type: ignore[attr-defined]
            if not tried:
                tried, use = True, False
                call.left_to = LEAVES  # type: ignore[attr-defined]
            return result
        tried = True
        value, tape = found
        kept = [a if type(a) is float else own(a) for a in args]

        def pullback(*cts: Any) -> Any:
            found = pull(tape, *cts)
            if found is not NotImplemented:
                return found
            result = other(*kept)[1](*cts)
            call.leaves += 1  # type: ignore[attr-defined]
            return result

        return value, pullback

    call.leaves = 0  # type: ignore[attr-defined]
    return call


def lowered(
    program: Program, pullback: bool = False, args: Sequence[Any] = (), changes: list[Change] | None = None,
    constants: Collection[int] | None = (), refused: Collection[tuple[Any, str]] = (),
) -> Lowered:  # fmt: skip
    """The module of a program; the sizes of the arguments of the first call say which loops are long, and those of the
    words of these numbers, or of all words, that are small are `constants` in it. Calls of the forms that were
    `refused`, with the reasons, when it was written for other sizes go out to NumPy at once.

    Raises `NotNative` with the reason where native code does not take it.
    """
    handlers.with_guests()
    size = work(program)
    if size.lets > LARGEST:
        raise NotNative(f"a program of more than {LARGEST} statements")
    taking = Taking()
    given = args if len(args) == len(program.params) else [NotImplemented] * len(program.params)
    params = [object_of_tree(tree, x) for (_, tree), x in zip(program.params, given, strict=True)]
    for a in params:
        taking.of(a)
    long = "always" if size.unbounded or size.steps > STEPS else "sized"
    taken = Taken(params, taking, long, program.assumed.relied_on() if program.assumed is not None else ())
    known = {at: n for at, n in variants.sizes(params, args).items() if constants is None or at in constants}
    kept = inlining.copy_of_program(program) if constants is None and known else None
    module = Module(program, sizes_of(program, args), changes, pullback, refused)
    while True:
        try:
            found = written_as(module, program, pullback, args, taken, known)
            break
        except Anew:
            module.begin()
    found.anew = partial(lowered_anew, kept, pullback, module.out.refused) if kept is not None else None
    return found


def lowered_anew(
    program: Program, pullback: bool, refused: Collection[tuple[Any, str]], args: Sequence[Any],
    constants: Collection[int],
) -> Lowered:
    """The module of a program for arguments of other sizes, with fewer constants."""
    own = inlining.copy_of_program(program)
    found = lowered(own, pullback, args, None, constants, refused)
    dispose(own)
    return found


def written_as(
    module: Module, program: Program, pullback: bool, args: Sequence[Any], taken: Taken, known: Mapping[int, int]
) -> Lowered:
    """A module, in which the words of arguments that are `known`, by their numbers, are constants. Raises `Anew` where
    more is known than when it began."""
    making, params = module.out.making, taken.params
    w = Writer(FIRST, [], module.lanes)
    m = ProgramLowering(module, w)
    first = variants.all_sizes(params, args)
    entered = entered_words(m, program.params, known)
    m.first = {entered[at][1]: n for at, n in first.items()}
    m.follows |= m.first
    w.params = [("ptr", "%arena"), ("ptr", "%results"), *entered]
    value, function = two(program.result) if pullback else (program.result, None)
    m.handed_out = function
    with m.scope():
        for x in module.by_columns:
            if x.definition is None and x.home is program.block:
                columns.keep(m, x)
        m.block(program.block)
        m.gives = True
        layout, count = given(m, value, 0)
        m.gives = False
        if pullback:
            f = function_of(m, function)
            kept = written(m, [m.there(m.value(v)) for v in f.captured], count)
    result = object_of_tree(value), layout
    out = module.out
    taken = prepared(replace(taken, out=bool(out.reasons)), out.taking)
    if not pullback:
        entries = {"ccc_entry": entry(taken, result, making, count)}
    else:
        entries = {
            "ccc_entry": tape_entry(taken, result, making, count, len(kept)),
            "ccc_pull": pulling(f, kept, taken, out),
        }
    module.finish(w)
    taking = list(dict.fromkeys([taken.taking, out.taking]))
    boxing = [*[f for x in taking for f in x.functions], *making.functions, *out.functions]
    names = list(chain.from_iterable([called(f.lines) for f in module.functions if isinstance(f, functions.Function)]))
    helping = module.helpers | {name: f for x in taking for name, f in x.helpers.items()}
    helpers = [*helping.values(), *[f for f in (columns.COPY, *guarded.WHERE) if f.name in names]]
    simple = not module.plain and len([f for f in module.functions if isinstance(f, functions.Function)]) == 1
    widths = () if simple else formula.WIDTHS
    declared, small = elementary.parts(elementary_calls.used(names), engine.cpu().has_fma, widths)
    lines = dict.fromkeys([
        *elementary_calls.intrinsics(), *runtime.DECLARED, *arena.DECLARED, *capi.DECLARED,
        *sorted(declared | module.declared), threads.DECLARED, *tiles.DECLARED, *vector_products.DECLARED,
        *radix_sort.DECLARED, *hash_tables.DECLARED, *(calls_out.DECLARED if out.reasons else ()),
        *[line for name, line in object_helpers.DECLARED.items() if name in {*helping, *[x.name for x in boxing]}],
    ])  # fmt: skip
    declarations = {declares(line): line for line in lines}
    code = Code([*declarations.values(), *arena.OPENING, *small, *module.functions, *helpers, *boxing,
                 *entries.values(), *METADATA], simple)  # fmt: skip
    forget(m)
    texts = any([x.texts for x in (*taking, making)])
    if texts and pullback:  # which is called when they live no more
        raise NotNative("texts of a program with a pullback")
    held = [*[x for one in taking for x in one.held], *making.held, *out.held]
    return Lowered(code, list(params), list(entries), taken.taking.exact, held, module.shared, out.reasons,
                   result, taken.sizes, out.draws, texts, out.acts, readers_of(program, args), known)


def forget(m: Lowering) -> None:
    """Leave no cycles: arrays that wait know their lowering, as groups do."""
    for known in (m.values, m.captured, m.groups, m.owners):
        known.clear()


def declares(line: str) -> str:
    """What a declaration declares."""
    return line.partition("@")[2].partition("(")[0]


def sizes_of(program: Program, args: Sequence[Any]) -> dict[Any, int]:
    """The sizes of the arrays among the arguments of a program, by their symbols (`bounds`)."""
    arrays = [(tree, a.shape) for (_, tree), a in zip(program.params, args, strict=False)
              if isinstance(tree, Var) and isinstance(a, np.ndarray)]
    return {(var, axis): n for var, shape in arrays for axis, n in enumerate(shape)}


def entered_words(
    m: Lowering, params: Sequence[tuple[str, Tree]], known: Mapping[int, int]
) -> list[tuple[str, str]]:
    """Let the parameters stand for words, whose types and operands are given, but for those that are known by their
    numbers."""
    signature: list[tuple[str, str]] = []
    for _, tree in params:
        for var in leaves(tree):
            layout = canonical(var.object)
            texts = [f"%{m.w.fresh('a')}" for _ in words(layout)]
            inside = [str(known.get(len(signature) + i, x)) for i, x in enumerate(texts)]
            signature += zip(words(layout), texts, strict=True)
            m.values[var] = known_axes(rebuilt(layout, iter(inside)), var.object)
            m.w.given += [v.axes for v in arrays_of(m.values[var])]
    return signature


def arrays_of(v: Any) -> list[Arr]:
    """The arrays that a value is made of."""
    return [v] if isinstance(v, Arr) else [x for part in v.parts for x in arrays_of(part)] if isinstance(v, Tup) else []


def given(m: Lowering, tree: Tree, place: int) -> tuple[Any, int]:
    """Write a result to the words from a place on; gives its layout, and the place behind it."""
    if isinstance(tree, tuple):
        layouts: list[Any] = []
        for part in tree:
            layout, place = given(m, part, place)
            layouts.append(layout)
        return Parts(tuple(layouts)), place
    if tree is None or (isinstance(tree, Lit) and isinstance(tree.value, str | None)):
        return Nothing(tree and tree.value), place
    assert not isinstance(tree, FunctionLeaf)
    m.module.kinds.check(tree)
    v = m.there(m.value(tree))
    if isinstance(v, Num) and isinstance(canonical(tree.object), Word):
        check_width(tree.object, v.type)
        v = conversions.converted(m.w, v, canonical(tree.object).type)
    return layout_of(v), place + len(written(m, [v], place))


def written(m: Lowering, values: Sequence[Any], place: int) -> list[str]:
    """Write values to the words of the result from a place on; gives the types of these words."""
    types: list[str] = []
    for v in values:
        m.write(v, layout_of(v), m.w.at_index("i64", "%results", str(place + len(types))))
        types += words(layout_of(v))
    return types


def function_of(m: Lowering, function: Any) -> Function:
    """The code of the function that a program gives."""
    found = m.functions.get(function) if isinstance(function, Var) else None
    if found is None:
        raise NotNative("a pullback that is not known")
    return found


def prepared(taken: Taken, copying: Taking) -> Taken:
    """What an entry point takes, with the functions for its arguments written: where calls go out, those that copy if
    arrays lie in what the calls could change."""
    for a in taken.params:
        taken.taking.of(a)
    if not taken.out or not taken.taking.nested:
        return taken
    for a in taken.params:
        copying.of(a)
    return replace(taken, taking=copying)


def pulling(f: Function, kept: list[str], taken: Taken, out: CallsOut) -> Handled:
    """The entry point of a pullback."""
    op = f.let.op
    assert isinstance(op, Lambda)
    taken = prepared(replace(taken, params=[v.object for v in op.body.params]), out.taking)
    result = object_of_tree(op.body.tree), laid_out(op.body.tree, iter(f.results))
    return pull_entry(taken, kept, f.name, result, out.making, sum(len(words(layout)) for layout in f.results))


def laid_out(tree: Tree, layouts: Any) -> Any:
    """The layout of a tree whose leaves have these."""
    if isinstance(tree, tuple):
        return Parts(tuple([laid_out(part, layouts) for part in tree]))
    return Nothing(None) if tree is None else next(layouts)
