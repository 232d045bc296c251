"""The passes that a program goes through before code is made of it, in their order. What rewrites loops or
products is loaded when there is one.

>>> for p in PASSES:
...     print(f"{p.name}: {p.does}")  # doctest: +ELLIPSIS
open-programs: Custom derivatives and checkpoints are their bodies.
dead-code: What nothing reads goes, where it cannot raise.
...
unread: What these have left that nothing reads goes.
"""

from __future__ import annotations

from ccc.compile.passes import inlining
from ccc.compile.passes.engine import Change, Pass, run
from ccc.compile.passes.inline_program_primitives import joined, opened
from ccc.compile.passes.redundancy import clear_mirrors, handed_out, rewritten
from ccc.compile.passes.size_reads import without_size_reads
from ccc.compile.passes.take_put_elimination import restored
from ccc.compile.passes.unread import drop, live
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Lambda, Loop, Program, While, lets_in
from ccc.compile.program.sharing import memory_of
from ccc.objects import Bool, Int, Real
from ccc.primitives.arithmetic import neg
from ccc.primitives.broadcasting import unbroadcast
from ccc.primitives.facts import PRODUCTS
from ccc.primitives.indexing import add_at
from ccc.primitives.updating import take_at

NUMBERS = (Real, Int, Bool)


def without_dead_code(program: Program) -> bool:
    """Drop what nothing reads. Which loop runs along which is forgotten: what is read of the other is in lists."""
    clear_mirrors(program.block)
    live(program)
    return True


def without_unread(program: Program) -> bool:
    """Drop what nothing reads, the sequences of loops included."""
    shapes = shapes_of(program)
    drop(program, shapes.numbering, shapes)
    return True


def with_functions_in_place(program: Program) -> bool:
    """Put nested functions in the place of their calls, and drop what nothing reads then."""
    changed = inlining.inlined(program)
    if changed:
        live(program)
    return changed


def without_subsumed_whiles(program: Program) -> bool:
    """Drop `while` loops that compute part of another one, and then what is computed twice."""
    from ccc.compile.passes.subsumed_whiles import covered

    changed = False
    while covered(program, handed_out):
        rewritten(program)
        changed = True
    return changed


def with_parts_together(program: Program) -> bool:
    """Let one call compute what it gives together, if there is such a call."""
    if not any(isinstance(let.op, Apply) and let.op.primitive.one_of is not None for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.joint_calls import with_joint_calls

    return with_joint_calls(program)


def with_recomputation(program: Program) -> bool:
    """Compute again what costs less than to keep, if a loop keeps something."""
    loops = [(let, let.op) for let in lets_in(program.block) if isinstance(let.op, (Loop, While))]
    if not any(len(let.targets) > op.carries for let, op in loops):
        return False
    from ccc.compile.passes.recomputation import recompute

    return recompute(program)


def with_vector_products(program: Program) -> bool:
    """Multiply by the vectors of an outer product rather than by it."""
    if not has_products(program):
        return False
    from ccc.compile.passes.vector_products import with_vector_products

    return with_vector_products(program)


def with_products_batched(program: Program) -> bool:
    """Make one product of those that a loop adds up."""
    if not has_products(program):
        return False
    from ccc.compile.passes.batched_products import batched

    return batched(program)


def with_small_factors(program: Program) -> bool:
    """Multiply numbers with the smaller arrays of products."""
    if not has_products(program):
        return False
    from ccc.compile.passes.scalar_factors import with_small_factors

    return with_small_factors(program)


def with_row_factors(program: Program) -> bool:
    """Multiply the sums of rows by what the rows were to be multiplied by, if rows are summed."""
    if not any(let.adjoint and isinstance(let.op, Apply) and let.op.primitive is unbroadcast
               for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.row_factors import with_factors_behind

    return with_factors_behind(program)


def with_factors_before_loops(program: Program) -> bool:
    """Multiply what a loop multiplies by before it, if there is a loop in a derivative."""
    if not any(let.adjoint and isinstance(let.op, (Loop, While)) for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.loop_factors import with_loop_factors

    return with_loop_factors(program)


def with_shared_factors(program: Program) -> bool:
    """Make one product of those that are added up and have a factor in common."""
    if not has_products(program):
        return False
    from ccc.compile.passes.shared_factors import with_shared_factors

    return with_shared_factors(program)


def with_differences(program: Program) -> bool:
    """Subtract what is negated to be added, if something is."""
    if not any(isinstance(let.op, Apply) and let.op.primitive is neg for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.differences import with_differences

    return with_differences(program)


def with_window_sums(program: Program) -> bool:
    """Add parts of zeros to what the zeros are added to, if there are some."""
    if not any(let.adjoint and isinstance(let.op, Apply) and let.op.primitive is add_at
               for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.window_sums import with_window_sums

    return with_window_sums(program)


def with_early_reads(program: Program) -> bool:
    """Read parts of arrays before these change, if some are taken out of them."""
    if not any(isinstance(let.op, Apply) and let.op.primitive is take_at for let in lets_in(program.block)):
        return False
    from ccc.compile.passes.early_reads import read_early

    return read_early(program)


def has_products(program: Program) -> bool:
    """Whether derivatives compute a product in a program."""
    return any(let.adjoint and isinstance(let.op, Apply) and let.op.primitive.work == PRODUCTS
               for let in lets_in(program.block))


PASSES = (
    Pass("open-programs", "Custom derivatives and checkpoints are their bodies.", opened, leaves=("opened",)),
    Pass("dead-code", "What nothing reads goes, where it cannot raise.", without_dead_code, leaves=("unmirrored",)),
    Pass("inlining", "A function that is called once stands in the place of its call.", with_functions_in_place,
         needs=("opened", "unmirrored"), of=(Lambda,)),
    Pass("redundancy", "What is computed twice is computed once, and what a loop does not change before it.", rewritten,
         needs=("opened", "unmirrored"), keeps=True),
    Pass("size-reads", "What is read for its sizes alone is neither computed nor kept.", without_size_reads,
         needs=("opened", "unmirrored"), keeps=True),
    Pass("take-put-elimination", "An array of which a part is taken out and put back stays as it is.", restored,
         needs=("opened",), exact=False),
    Pass("redundancy-again", "What is equal where nothing is put back is computed once.", rewritten,
         needs=("opened", "unmirrored"), behind=("take-put-elimination",), keeps=True),
    Pass("subsumed-whiles", "A `while` that computes part of what another one computes goes.", without_subsumed_whiles,
         needs=("opened", "unmirrored"), of=(While,), keeps=True),
    Pass("joint-calls", "What one call gives together is computed by one call.", with_parts_together,
         needs=("opened", "unmirrored")),
    Pass("join-again", "What was to be computed anew is, and the marks that said so go.", joined, needs=("opened",),
         leaves=("joined",)),
    Pass("recomputation", "What costs less to compute again is not kept for a reverse loop.", with_recomputation,
         needs=("opened", "unmirrored", "joined"), of=(Loop,)),
    Pass("scalar-factors", "Numbers are multiplied with the smaller arrays of a product.", with_small_factors,
         needs=("opened", "unmirrored"), exact=False),
    Pass("row-factors", "Rows are multiplied by one number each behind their sums.", with_row_factors,
         needs=("opened", "unmirrored"), exact=False, keeps=True),
    Pass("loop-factors", "What a loop multiplies by in two steps is one factor, made before it.",
         with_factors_before_loops, needs=("opened", "unmirrored"), exact=False, of=(Loop, While)),
    Pass("vector-products", "A product with an outer product is one with its vectors.", with_vector_products,
         needs=("opened", "unmirrored"), exact=False),
    Pass("batched-products", "Outer products that a loop adds up are one product behind it.", with_products_batched,
         needs=("opened", "unmirrored"), exact=False, of=(Loop,)),
    Pass("shared-factors", "Products with a common factor that are added up are one.", with_shared_factors,
         needs=("opened", "unmirrored"), exact=False, keeps=True),
    Pass("window-sums", "What is added to parts of zeros is added where these are.", with_window_sums,
         needs=("opened", "unmirrored"), exact=False),
    Pass("differences", "What is negated to be added is subtracted.", with_differences,
         needs=("opened", "unmirrored"), keeps=True),
    Pass("early-reads", "A part of an array that is about to change is read before, not copied.", with_early_reads,
         needs=("opened", "unmirrored"), keeps=True),
    Pass("unread", "What these have left that nothing reads goes.", without_unread, needs=("unmirrored",),
         behind=("scalar-factors", "row-factors", "loop-factors", "vector-products", "batched-products",
                 "shared-factors", "window-sums", "differences")),
)  # fmt: skip
"""All passes. Eight are not exact: an item of a cotangent that is -0.0 was 0.0 when it was put back, and products are
made and summed in another order."""


def improve(program: Program, staged: bool = True, changes: list[Change] | None = None) -> None:
    """Let a program compute nothing twice, and keep nothing that is cheap to compute again. Staging leaves nothing of
    the kind in one of numbers alone."""
    run(program, () if staged and straight(program) else PASSES, changes)


def straight(program: Program) -> bool:
    """True for a program of operations on numbers, one after the other, none of which is opened later, or gives what it
    is given."""
    return all(
        isinstance(let.op, Apply) and let.op.primitive.program is None and memory_of(let.op).how != "same"
        and all(isinstance(atom.object, NUMBERS) for atom in (*let.args, *let.targets))
        for let in program.block.lets
    )
