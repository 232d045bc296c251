"""What arrays hold now: a variable that stands for an array is the array's identity, and its contents have versions.

Assigning into an array leaves all names as they are and gives the array a new version, a cell of the heap; wherever the
variable is read from then on, the version that the array has there is read. A basic index or a transpose of an array is
a view: it is taken anew from what its base holds, and writing to it writes to the base. Other values that may share the
memory of a changed array are refused where they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.memory.undo_log import Heap
from ccc.compile.frontend.recorder import Recorder
from ccc.compile.frontend.values import Mutable, _serials
from ccc.compile.program.lam import Apply, Block, Let, Lit, Loop, Var, While
from ccc.compile.program.sharing import basic_index, keeps_order, memory_of, mutable
from ccc.objects import Array
from ccc.primitives import indexing
from ccc.primitives.facts import ENTRIES


def is_read_only(var: Var) -> bool | None:
    """Whether what makes an array makes it read-only; None where it may."""
    let = var.definition
    if let is None or not isinstance(let.op, Apply):
        return False
    return let.op.primitive.is_read_only(tuple([a.object for a in let.args]), let.op.params)


class ArrayCell(Mutable):
    """What an array holds."""

    __slots__ = ("array", "handles", "var")

    def __init__(self, array: Var, handles: dict[Var, Var]) -> None:
        super().__init__(shared=False)
        self.serial = born(array)
        self.array = array
        self.handles = handles
        self.var = array

    def contents(self) -> list[Any]:
        return [self.var]

    def restore(self, contents: list[Any]) -> None:
        (self.var,) = contents
        self.handles[self.var] = self.array


def born(var: Var) -> int:
    """When a variable was made, in the order of lists, records and variables; 0 for those of the whole program."""
    return getattr(var, "serial", 0)


def is_vector(found: Var | Lit) -> bool:
    """True for arrays that are known to have one axis."""
    return isinstance(found.object, Array) and len(found.object.axes or ()) == 1


def values(let: Let) -> list[Any]:
    """The arguments of a let as primitives take them."""
    return [a.value if isinstance(a, Lit) else a for a in let.args]


def step_of(var: Var) -> int:
    """Where the step that makes a variable stands in its block; -1 of one that no step makes."""
    lets = [] if var.home is None or var.definition is None else var.home.lets
    return next((i for i in reversed(range(len(lets))) if lets[i] is var.definition), -1)


def stands(var: Var, at: int) -> bool:
    """Whether the step that made a variable stands where it stood: what was read by a statement that was undone is
    read again."""
    if var.home is None or var.definition is None:
        return var.home is not None
    return 0 <= at < len(var.home.lets) and var.home.lets[at] is var.definition


class Versions:
    """The arrays of one elaboration that were changed; `made` says where the memory of a variable was made."""

    def __init__(self, recorder: Recorder, heap: Heap, made: Callable[[Var], set[Any]]) -> None:
        self.recorder = recorder
        self.heap = heap
        self.made = made
        self.cells: dict[Var, ArrayCell] = {}
        self.handles: dict[Var, Var] = {}
        self.written: dict[Any, dict[Var, int]] = {}
        self.latest = -1  # when an array was last changed
        self.derived: dict[Var, tuple[Var, Var, int]] = {}
        self.roots: dict[Var, set[Any]] = {}
        self.borrowed: set[Var] = set()
        self.entrywise: set[Any] = set()  # what operators and subscripts of the user's gave
        self.places: dict[Var, Any] = {}  # the references to the arrays that were read of stores
        self.contents: Any = None  # what stores hold (`stored_arrays.Contents`)

    def array(self, var: Var) -> Var:
        """The variable that a version is a version of."""
        return self.handles.get(var, var)

    def is_cell(self, found: Mutable) -> bool:
        """True for what an array holds."""
        return isinstance(found, ArrayCell)

    def changed(self, array: Var) -> bool:
        """True for an array that does not hold what it held first."""
        return array in self.cells and self.cells[array].var is not array

    def base(self, var: Var) -> Var:
        """The array whose memory a view shows; of other arrays, themselves."""
        var = self.array(var)
        while (base := self.base_of(var)) is not None:
            var = self.array(base)
        return var

    def base_of(self, view: Var) -> Var | None:
        """What a variable is surely a view of."""
        let = view.definition
        if let is None or not isinstance(let.op, Apply) or not let.args or not isinstance(let.args[0], Var):
            return None
        if not isinstance(view.object, Array) or view.object.axes is None or view.object.axes == ():
            return None
        memory, base = memory_of(let.op), let.args[0]
        if not isinstance(base.object, Array):  # of a number an array is made
            return None
        if not basic_index(let.op) and not (memory.is_whole and memory.of == (0,)):
            return None
        return base if memory.how == "view" or self.in_order(base) else None

    def in_order(self, var: Var) -> bool:
        """True where the entries of an array surely lie in memory as C would have them."""
        array = self.array(var)
        if array in self.places:
            return self.contents.in_order(self.places[array])
        let = array.definition
        if let is None or not isinstance(let.op, Apply):
            return False
        memory = memory_of(let.op)
        if keeps_order(let.op):
            under = let.args[memory.of[0]]
            return isinstance(under, Var) and self.in_order(under)
        if memory.entries == "as given":
            return isinstance(let.args[0], Var) and self.in_order(let.args[0])
        return memory.entries == "in order" or (memory.how == "new" and self.new_in_order(let.op, array, let.args))

    def new_in_order(self, op: Apply, array: Var, args: list[Any]) -> bool:
        """True for what an operator gives of arrays in order, for a vector that it or a subscript gives, and for rows
        that this takes at a vector of places: of a function, its definition here may say otherwise."""
        if array not in self.entrywise:
            return False
        arrays = [a for a in args if isinstance(a, Var) and isinstance(a.object, Array)]
        if op.primitive is indexing.index and op.params["pattern"] == ("a",) and is_vector(args[1]):
            arrays = args[:1]
        elif op.primitive.work != ENTRIES:
            return is_vector(array)
        return is_vector(array) or all(map(self.in_order, arrays))

    def read_only(self, array: Var) -> bool | None:
        """Whether NumPy lets nobody write to an array, being a view of one that is read-only; None where it may be."""
        base = self.base(array)
        view = self.array(array)
        found = base not in self.places and is_read_only(base)
        while view is not base:
            found = found or is_read_only(view)
            view = self.array(self.base_of(view) or base)
        return found

    # -- reading -------------------------------------------------------------------------------------------------

    def used(self, let: Let) -> None:
        """Read what the arguments of a new let hold; at the end of a block that is done, what they hold there."""
        if self.cells or self.places:
            began = None
            if isinstance(let.op, (Loop, While)):
                began = self.heap.started.get(let.op.body)
            done = self.recorder.block if self.recorder.block in self.heap.changes else None
            let.args = [self.now(a, done, began) if isinstance(a, Var) else a for a in let.args]

    def now(self, var: Var, block: Block | None = None, before: int | None = None) -> Var:
        """What an array holds now, or at the end of a block; other variables are themselves."""
        if not (self.cells or self.places) or not mutable(var.object):
            return var
        self.check(var, before)
        return self.version(var, block)

    def version(self, var: Var, block: Block | None) -> Var:
        array = self.array(var)
        if array in self.places:
            return self.contents.now(self.places[array], block)
        cell = self.cells.get(array)
        if cell is not None:
            return cell.var if block is None else self.heap.after(block, cell)[0]
        base = self.base_of(array)
        if base is None:
            return var
        found = self.version(base, block)
        return array if found is base else self.taken(array, found, block)

    def taken(self, view: Var, base: Var, block: Block | None) -> Var:
        """A view of what its base holds."""
        recorder = self.recorder
        home = block or recorder.block
        known = self.derived.get(view)
        if known is not None and known[0] is base and known[1].home in list(home.ancestors()) and stands(*known[1:]):
            return known[1]
        let = view.definition
        assert let is not None and isinstance(let.op, Apply)
        outer, recorder.block = recorder.block, home
        asks, recorder.asks = recorder.asks, None  # what it may raise was asked where it was made
        new = recorder.apply(let.op.primitive, (base, *values(let)[1:]), let.op.params, None)
        recorder.block, recorder.asks = outer, asks
        new.name = new.name or view.name
        self.handles[new] = view
        self.derived[view] = base, new, step_of(new)
        return new

    def held(self, value: Any) -> Any:
        """What tells whether an array, or what it is a view of, holds the same as before."""
        if not self.cells or not isinstance(value, Var):
            return None
        base = self.base(value)
        return self.cells[base].var if base in self.cells else base

    def check(self, var: Var, before: int | None) -> None:
        """Refuse to read what may have been changed through another value."""
        base = self.base(var)
        if base in self.places or self.latest <= born(base):
            return
        for root in self.memory(var):
            for other, time in self.written.get(root, {}).items():
                if other is not base and time > born(base) and (before is None or time < before):
                    raise unsupported(
                        "CC010", f"`{base.name or 'this value'}` may share memory with `{other.name or 'an array'}`, "
                        "which was changed in place", self.recorder.span,
                        help="copy one of them where it gets its value: `.copy()`")

    def saved(self) -> Callable[[], None]:
        """What forgets the changes that are noted from now on, where what made them is read anew."""
        written = {root: dict(changes) for root, changes in self.written.items()}

        def back() -> None:
            self.written = written

        return back

    def memory(self, var: Var) -> set[Any]:
        """Where the memory of a variable was made."""
        known = self.roots.get(var)
        if known is None:
            known = self.roots[var] = self.made(var)
        return known

    # -- writing -------------------------------------------------------------------------------------------------

    def write(self, array: Var, new: Var) -> None:
        """Give an array that is no view a new version."""
        self.latest = next(_serials)
        for root in self.memory(array):
            self.written.setdefault(root, {})[array] = self.latest
        if array in self.places:
            self.contents.put(self.places[array], new)
            return
        cell = self.cells.get(array)
        if cell is None:
            cell = self.cells[array] = ArrayCell(array, self.handles)
            self.handles[array] = array
        new.name = new.name or array.name
        self.heap.write(cell, [new])

    def forget(self, arrays: list[Var]) -> None:
        """Arrays that nobody can name any more, whose changes were handed to others."""
        for changes in self.written.values():
            for array in arrays:
                changes.pop(array, None)
