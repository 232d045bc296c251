"""The functions of one program, as they are written one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ccc.compile.native import engine, functions, parallel_parts, strips
from ccc.compile.native.again import computed_again
from ccc.compile.native.calls_out import CallsOut
from ccc.compile.native.column_reads import read_again
from ccc.compile.native.dtypes import REALS
from ccc.compile.native.kinds import Kinds
from ccc.compile.native.lifetimes import taken_back
from ccc.compile.native.passes import Rewriting
from ccc.compile.native.ranks import Ranks
from ccc.compile.native.results_memory import in_results
from ccc.compile.native.table import ALWAYS, entry
from ccc.compile.native.widths import Widths
from ccc.compile.native.window_rows import in_a_row, only_stored, read_together
from ccc.compile.native.writer import Writer
from ccc.compile.passes.engine import Change
from ccc.compile.passes.size_reads import read_for_sizes
from ccc.compile.program.lam import Apply, Block, Lambda, Loop, Program, Var, leaves
from ccc.objects import Array, Object, Real, innermost


class Module:
    """The functions of one program."""

    def __init__(
        self, program: Program, sizes: Mapping[Any, int], changes: list[Change] | None = None, pullback: bool = False,
        refused: Iterable[tuple[Any, str]] = (),
    ) -> None:
        self.memo: dict[int, list[Var]] = {}
        self.lanes = engine.cpu().lanes
        rewriting = Rewriting(program, sizes, self.lanes)
        rewriting.run(changes)
        self.uses, self.bounds, self.order = rewriting.uses, rewriting.known, rewriting.order
        widths = Widths(program.block, program.result)
        self.kinds = Kinds(program.block, leaves(program.result))
        self.must_run = widths.runs | self.kinds.runs
        self.along = run_along(program.block)
        self.overwritten = rewriting.copies.overwritten
        self.indices_stay = all([of_reals(let.args[i].object) for let, i in self.overwritten.items()])
        """Whether no array of integers changes in place."""
        self.windows = in_a_row(program.block, self.uses, self.overwritten)
        self.only_stored = only_stored(program.block, self.uses)
        self.read_together = read_together(program.block, self.uses)
        self.again = computed_again(program.block, self.uses, self.overwritten)
        self.in_results = in_results(program, self.overwritten)
        self.by_columns = read_again(program.block)
        self.unmade = self.bounds.unmade
        self.sizes_alone = read_for_sizes(program)
        self.ranks = Ranks()
        self.out = CallsOut(program.block, self.takes, pullback, refused)
        self.begin()

    def begin(self) -> None:
        """Begin to write, or begin anew."""
        self.functions: list[functions.Constant | functions.Function] = []
        self.shared: dict[str, parallel_parts.Shared] = {}
        self.constants: list[functions.Constant] = []
        self.known = 0  # constants so far
        self.count = 0
        self.declared: set[str] = set()
        self.helpers: dict[str, functions.Written] = {}
        self.plain = False  # whether LLVM's vectorisers have something to look at
        self.rolled: dict[Object, list[Any]] = {}
        self.recursive: dict[Any, str] = {}  # the functions that go from node to node of trees
        self.nothing: set[str] = set()  # the constants that stand for none of their nodes
        self.out.begin()
        self.ranks.begin()

    def takes(self, op: Apply) -> bool:
        """Whether there is what lowers a primitive."""
        how = entry(op.primitive)
        return bool(how.lower or how.facts.ends == ALWAYS) or (how.number is not None and not op.params)

    def finish(self, w: Writer, inner: bool = False) -> None:
        """Keep a function, perhaps one that the program calls."""
        taken_back(w, inner)
        strips.join(w)
        self.shared |= parallel_parts.shared(w)
        self.functions += [*self.constants, w.finished()]
        self.constants.clear()
        self.declared |= w.declared


def of_reals(a: Object) -> bool:
    """Whether an object is of reals, arrays of these, or lists of either."""
    found = innermost(a)
    return isinstance(found, Real) or (isinstance(found, Array) and found.dtype in REALS)


def run_along(block: Block) -> Counter[Var]:
    """How often loops run along each variable that the function around them binds; twice where another block does."""
    found: Counter[Var] = Counter()
    functions: dict[Block | None, Block] = {}
    todo = [(block, block)]
    while todo:
        here, function = todo.pop()
        functions[here] = function
        for let in here.lets:
            op = let.op
            for atom in let.args[op.carries :] if isinstance(op, Loop) else ():
                if isinstance(atom, Var) and functions.get(atom.home) is function:
                    found[atom] += 1 if atom.home is here else 2
            todo += [(inner, inner if isinstance(op, Lambda) else function) for inner in op.blocks]
    return found
