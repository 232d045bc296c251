"""Outer products that a reverse loop adds up one by one are one product of matrices behind it.

    for d, h in ds, hs: dw += np.outer(d, h)              for d, h in ds, hs: u[k] = d; v[k] = h
                                                          dw += u.T @ v
    for i in range(n): dx[:, i] += x[:, i:] @ d           for i in range(n): v[i, i:] = d
                                                          dx += (v @ x.T).T

The factors become the rows of matrices, part of a row where the sum is added to part of an array. That pays where the
array is large and the loop does not run so often that the rows need much more memory than the array itself: sizes are
those of the call that a code is made for. Of sums, only those are rewritten that nothing else in the loop reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ccc.compile.passes.readers import FLOATS, Readers
from ccc.compile.passes.steady import steady
from ccc.compile.passes.unread import live
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Atom, Block, Let, Loop, Program, Var, blocks_in, bound_before
from ccc.compile.program.shapes import Shapes
from ccc.objects import INT, Array, List, Object
from ccc.primitives import arithmetic, bilinear, creation, indexing, shaping, structure, updating
from ccc.primitives.primitive import Primitive
from ccc.primitives.sizes import Shape, Size
from ccc.values import value

LARGE = 1024
"""Arrays of so many entries are large: to update one, item by item, takes longer than to call a product."""
ROWS = 4
"""The rows may need so many times the memory of the array that they are added to,"""
FEW = 1 << 17
"""or have so many entries, which caches hold."""
SLICES = ("s", "s1", "s2", "s12")


@value()
class Rows:
    """Vectors that become the rows of a matrix: where in a row one stands, and how long a row is: as an axis of an
    array that is known before the loop."""

    vector: Var
    code: str
    numbers: tuple[Atom, ...]
    like: Var
    axis: int


@value()
class Outer:
    """The let that adds an outer product of two vectors, and that product."""

    let: Let
    value: Var
    left: Rows
    right: Rows


@value()
class Column:
    """The let that adds a product of a matrix with a vector to the column, or to the row, of the run, and that
    product."""

    let: Let
    value: Var
    rows: Rows
    matrix: Var
    column: bool


def batched(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    if program.assumed is None:
        return False
    loops = [(block, let) for block in blocks_in(program.block) for let in block.lets if adds_products(let)]
    if not loops:
        return False
    shapes, readers, steady_, changed = shapes_of(program), Readers(program), steady(program), False
    for block, let in reversed(loops):
        work = Batching(block, let, shapes, readers, steady_)
        changed = work.run() or changed
    if changed:
        live(program)
    return changed


def adds_products(let: Let) -> bool:
    """Whether a loop adds products to a matrix that it carries, as far as lets tell that."""
    op = let.op
    return isinstance(op, Loop) and any(
        is_matrix(param) and any(is_product(a) for sum_ in sums(result, op.body) for a in sum_.args)
        for param, result in zip(op.body.params[: op.carries], op.body.results, strict=False)
    )


def sums(atom: Atom, body: Block) -> Iterator[Let]:
    """The lets of a body by which a value becomes what it is, as a sum."""
    todo, seen = [atom], set[Atom]()
    while todo:
        atom = todo.pop()
        let = atom.definition if isinstance(atom, Var) and atom.home is body else None
        if atom not in seen and let is not None and isinstance(let.op, Apply) and let.adjoint and (
                is_sum(let.op.primitive) and isinstance(let.targets[0].object, Array)):
            yield let
            todo += let.args[:2]
        seen.add(atom)


def is_sum(p: Primitive) -> bool:
    """Whether a primitive adds to its first argument what stands behind it, as it is."""
    return 0 in p.adds and p.adding


def is_outer(p: Primitive) -> bool:
    return p is bilinear.outer


def is_product(atom: Atom) -> bool:
    """Whether a derivative computes it as a product that may be one of many, or as one that is turned over."""
    let = atom.definition if isinstance(atom, Var) else None
    if let is not None and is_turned(let):
        return is_product(let.args[0])
    return let is not None and let.adjoint and isinstance(let.op, Apply) and (
        is_outer(let.op.primitive) or bilinear.multiplies_matrices(let.op.primitive))


def is_turned(let: Let) -> bool:
    """Whether a derivative turns a matrix over."""
    return let.adjoint and isinstance(let.op, Apply) and let.op.primitive is shaping.transpose and (
        not let.op.params and is_matrix(let.args[0]))


class Batching:
    """One loop, and what is put before and behind it."""

    def __init__(
        self, block: Block, loop: Let, shapes: Shapes, readers: Readers, steady_: set[Var]
    ) -> None:  # fmt: skip
        assert isinstance(loop.op, Loop)
        self.block, self.loop, self.op = block, loop, loop.op
        self.body = loop.op.body
        self.inside = self.body.binds()
        self.shapes, self.readers, self.steady = shapes, readers, steady_
        self.numbering = shapes.numbering
        self.before: list[Let] = []
        self.behind: list[Let] = []
        self.known: list[tuple[Rows, Shape | None, Var]] = []
        self.outside = {self.numbering.of(v): v for v in bound_before(loop, block)}
        self.within = {self.numbering.of(v): v for v in self.inside}

    def run(self) -> bool:
        """Rewrite the loop; true where something was found."""
        count = self.count()
        if count is None:
            return False
        found = [(k, chosen) for k in range(self.op.carries) if (chosen := [*self.chosen(k, count)])]
        for k, chosen in found:
            self.rewrite(k, chosen)
        for k in reversed([k for k, _ in found if self.body.results[k] is self.body.params[k]]):
            self.drop(k)
        at = self.block.lets.index(self.loop)
        self.block.lets[at : at + 1] = [*self.before, self.loop, *self.behind]
        return bool(found)

    def count(self) -> int | None:
        """How often the loop runs in the call that the code is made for."""
        counts = [self.shapes.runs(atom) for atom in self.loop.args[self.op.carries :]]
        return min([n for n in counts if n is not None], default=None)

    # -- what is found -------------------------------------------------------------------------------------------------

    def chosen(self, k: int, count: int) -> Iterator[Outer | Column]:
        """The sums of a carry that pay as one product."""
        init = self.loop.args[k]
        size = self.size(init)
        if not isinstance(init, Var) or size is None:
            return
        if size[0] * size[1] < LARGE or count * sum(size) > max(ROWS * size[0] * size[1], FEW):
            return
        for let, added in self.added(k):
            found = self.outer(let, added, init) or self.column(let, added, init)
            if found is not None:
                yield found

    def size(self, atom: Atom) -> tuple[int, int] | None:
        """The sizes of a matrix of floats in the call that the code is made for."""
        if not is_matrix(atom):
            return None
        shape = self.shapes.of(atom)
        sizes = [self.shapes.example(n) for n in shape] if shape is not None and len(shape) == 2 else [None]
        return None if None in sizes else tuple(sizes)  # type: ignore[return-value]

    def added(self, k: int) -> list[tuple[Let, Var]]:
        """The lets that add to a carry, each with what it adds; none where anything else reads the carry."""
        found, here = list[tuple[Let, Var]](), self.body.params[k]
        while isinstance(let := self.readers.only(here), Let) and self.adds(let, here):
            value = let.args[1] if let.args[0] is here else let.args[0]
            if isinstance(value, Var) and self.readers.only(value) is let:
                if self.parted(let, value, here):
                    continue
                found.append((let, value))
            here = let.targets[0]
        ends = self.readers.only(here) is self.body and self.body.results[k] is here
        return found if ends else []

    def parted(self, let: Let, value: Var, to: Atom) -> bool:
        """Add both terms of a sum one after the other where a let adds the sum; true where there are any."""
        inner = value.definition
        if inner is None or not isinstance(let.op, Apply) or let.op.primitive is not arithmetic.add:
            return False
        if not isinstance(inner.op, Apply) or inner.op.primitive is not arithmetic.add or not inner.adjoint:
            return False
        first, second = inner.args
        if value.home is not self.body or not to.object == value.object == first.object == second.object:
            return False
        if first is second or to in inner.args:
            return False
        inner.args, let.args = [to, first], [value, second]
        self.readers.of[to] = [inner]
        self.readers.of[second] = [let if reader is inner else reader for reader in self.readers.of[second]]
        self.body.lets.remove(inner)
        self.body.lets.insert(self.body.lets.index(let), inner)
        return True

    def adds(self, let: Let, to: Atom) -> bool:
        """Whether a let of the body adds to a variable."""
        op = let.op
        if not isinstance(op, Apply) or not let.adjoint or let.targets[0].home is not self.body:
            return False
        if op.primitive is arithmetic.add:
            return let.args.count(to) == 1 and let.targets[0].object == to.object
        return op.primitive is indexing.add_at and let.args[0] is to and to not in let.args[1:]

    def factors(self, value: Var, of: Callable[[Primitive], bool]) -> list[Atom]:
        """The factors of a value that the body computes as such a product."""
        let = value.definition
        made = let is not None and value.home is self.body and let.adjoint and isinstance(let.op, Apply)
        return let.args if made and of(let.op.primitive) else []  # type: ignore[union-attr]

    def outer(self, let: Let, value: Var, like: Var) -> Outer | None:
        """An outer product of two vectors, added to the array or to a block of it."""
        turned = value.definition
        inner = turned.args[0] if turned is not None and is_turned(turned) else value
        assert isinstance(inner, Var)
        factors, (pattern, numbers) = self.factors(inner, is_outer), indexed(let)
        codes = pattern or ("s", "s")
        if len(factors) < 2 or len(codes) != 2 or not all(code in SLICES for code in codes):
            return None
        cut = len(codes[0]) - 1
        left, right = factors if inner is value else factors[::-1]
        if not isinstance(left, Var) or not isinstance(right, Var) or not (is_vector(left) and is_vector(right)):
            return None
        if not dtype_of(left) == dtype_of(right) == dtype_of(like):
            return None
        first, second = Rows(left, codes[0], numbers[:cut], like, 0), Rows(right, codes[1], numbers[cut:], like, 1)
        return Outer(let, value, first, second)

    def column(self, let: Let, value: Var, like: Var) -> Column | None:
        """A product of a matrix that the loop does not change with a vector, added to the column or row of the run."""
        factors, (pattern, numbers) = self.factors(value, bilinear.multiplies_matrices), indexed(let)
        run = self.run_index()
        if not factors or run is None or numbers != (run,) or pattern not in (("i",), ("i", "s"), ("s", "i")):
            return None
        for matrix, vector, axis in ((*factors, 1), (*factors[::-1], 0)):
            whole, code, ends = self.sliced(matrix, axis)
            if whole is not None and isinstance(vector, Var) and is_vector(vector) and (
                    dtype_of(whole) == dtype_of(vector) == dtype_of(like)):
                return Column(let, value, Rows(vector, code, ends, whole, axis), whole, pattern == ("s", "i"))
        return None

    def sliced(self, atom: Atom, axis: int) -> tuple[Var | None, str, tuple[Atom, ...]]:
        """The matrix from before the loop that a matrix is, or of which it is a part along one axis: the code of the
        slice and its ends."""
        number = self.numbering.of(atom)
        p, args, *params = self.numbering.keys[number]
        whole, code, ends = number, "s", ()
        if number not in self.outside and p is indexing.index:
            whole, *ends = args
            codes = (*dict(*params)["pattern"], "s")[:2]
            code = codes[axis] if codes[1 - axis] == "s" and codes[axis] in SLICES else ""
        found, numbers = self.outside.get(whole), [self.at_hand(n) for n in ends]
        if found is None or not code or None in numbers or not is_matrix(found) or found not in self.steady:
            return None, "", ()
        return found, code, tuple([n for n in numbers if n is not None])

    def at_hand(self, number: int) -> Atom | None:
        """A number in the body: a constant, or a variable that is seen there."""
        found = self.numbering.constants.get(number)
        return self.outside.get(number, self.within.get(number)) if found is None else found

    def run_index(self) -> Var | None:
        """The parameter that counts the runs from 0 on: an item of a range."""
        for atom, param in zip(self.loop.args[self.op.carries :], self.body.params[self.op.carries :], strict=True):
            let = atom.definition if isinstance(atom, Var) else None
            if let is not None and isinstance(let.op, Apply) and let.op.primitive is structure.span and (
                    len(let.args) == 1):
                return param
        return None

    # -- what is written -----------------------------------------------------------------------------------------------

    def rewrite(self, k: int, chosen: Sequence[Outer | Column]) -> None:
        """Take the sums out of the loop, and add what they come to behind it."""
        old = self.loop.targets[k]
        found = self.loop.targets[k] = Var(old.name, old.object, old.home, self.loop)
        for one in chosen:
            self.leave_out(one)
            found = self.outer_sum(one, found) if isinstance(one, Outer) else self.columns(one, found)
        self.behind[-1].targets = [old]
        old.definition = self.behind[-1]

    def leave_out(self, one: Outer | Column) -> None:
        """Drop a sum and the product that it adds: what it is added to stands for it."""
        (total,) = one.let.targets
        for let in (one.let, one.value.definition):
            self.body.lets.remove(let)  # type: ignore[arg-type]
        to = next(a for a in one.let.args if a is not one.value)
        for let in self.body.lets:
            let.args = [to if a is total else a for a in let.args]
        self.body.results = [to if a is total else a for a in self.body.results]

    def drop(self, k: int) -> None:
        """Take a carry out of the loop that no run changes any more."""
        left, init = self.loop.targets[k], self.loop.args[k]
        for let in self.behind:
            let.args = [init if a is left else a for a in let.args]
        for atoms in (self.loop.args, self.loop.targets, self.body.params, self.body.results):
            del atoms[k]
        self.op.carries -= 1

    def outer_sum(self, one: Outer, to: Atom) -> Var:
        left, right = self.last(one.left), self.last(one.right)
        turned = self.put(self.behind, shaping.transpose, [left], Array(dtype_of(to), ("?", "?")))
        product = self.put(self.behind, bilinear.matmul, [turned, right], to.object)
        return self.put(self.behind, arithmetic.add, [to, product], to.object)

    def columns(self, one: Column, to: Atom) -> Var:
        matrix: Var = one.matrix
        if one.rows.axis == 1:
            matrix = self.put(self.behind, shaping.transpose, [matrix], matrix.object)
        free = Array(dtype_of(to), ("?", "?"))
        product = self.put(self.behind, bilinear.matmul, [self.last(one.rows), matrix], free)
        if one.column:
            product = self.put(self.behind, shaping.transpose, [product], free)
        shape = self.shapes.of(one.let.targets[0])
        if shape is not None and self.runs_along(shape[1 if one.column else 0]):
            return self.put(self.behind, arithmetic.add, [to, product], to.object)
        pattern = ("s", "s2") if one.column else ("s2", "s")
        return self.put(self.behind, indexing.add_at, [to, product, self.runs()], to.object, pattern=pattern)

    def last(self, rows: Rows) -> Var:
        """The matrix of such rows, as the loop leaves it."""
        shape = self.shapes.of(rows.like)
        size = None if shape is None else shape[rows.axis : rows.axis + 1]
        for other, long, found in self.known:
            if (rows.vector, rows.code, rows.numbers) == (other.vector, other.code, other.numbers) and (
                    self.shapes.equal(size, long)):
                return found
        stacked = self.stacked(rows, size)
        if stacked is not None:
            return stacked
        width = self.put(self.before, shaping.dim, [rows.like], INT, axis=rows.axis)
        dtype = dtype_of(rows.vector)
        a = Array(dtype, ("?", (rows.like.object.axes or "??")[rows.axis]))  # type: ignore[union-attr]
        init = self.put(self.before, creation.zeros, [self.runs(), width], a, dtype=dtype, known=a.axes)
        last = self.carried(init, rows)
        self.known.append((rows, size, last))
        return last

    def stacked(self, rows: Rows, size: Shape | None) -> Var | None:
        """The matrix from before the loop whose rows or columns the vectors are, one after the other."""
        if rows.code != "s":
            return None
        p, args, *params = self.numbering.keys[self.numbering.of(rows.vector)]
        pattern = dict(*params)["pattern"] if p is indexing.index else ()
        whole = self.outside.get(args[0]) if pattern in (("i",), ("i", "s"), ("s", "i")) else None
        run = self.run_index()
        if whole is None or run is None or args[1:] != (self.numbering.of(run),) or not is_matrix(whole):
            return None
        axis, shape = pattern.index("i"), self.shapes.of(whole)
        if whole not in self.steady or shape is None or not self.shapes.equal(size, (shape[1 - axis],)):
            return None
        if not self.runs_along(shape[axis]):
            return None
        return self.put(self.behind, shaping.transpose, [whole], whole.object) if axis else whole

    def runs_along(self, size: Size) -> bool:
        """Whether the loop surely has as many runs as a size."""
        sequences = map(self.numbering.of, self.loop.args[self.op.carries :])
        found = self.shapes.least(frozenset[int]().union(*map(self.numbering.lengths, sequences)))
        return found is not None and self.shapes.equal((found,), (size,))

    def carried(self, init: Var, rows: Rows) -> Var:
        """The last value of a new carry, in whose row each run writes a vector."""
        index, at, body = self.index(), self.op.carries, self.body
        param = Var("", init.object, body)
        let = Let(Apply(updating.set_at, {"pattern": ("i", rows.code)}), [param, rows.vector, index, *rows.numbers],
                  adjoint=True)
        body.results.insert(at, let.target("", init.object, body))
        body.lets.append(let)
        body.params.insert(at, param)
        self.loop.args.insert(at, init)
        last = Var("", init.object, self.block, self.loop)
        self.loop.targets.insert(at, last)
        self.op.carries += 1
        return last

    def index(self) -> Var:
        """The number of the run, counted from 0; which one is the first does not matter."""
        found = self.run_index()
        if found is None:
            numbers = self.put(self.before, structure.span, [self.runs()], List(INT))
            self.loop.args.append(numbers)
            found = self.body.param("", INT)
        return found

    def runs(self) -> Var:
        """How often the loop runs."""
        for let in self.before:
            if isinstance(let.op, Apply) and let.op.primitive is structure.length:
                return let.targets[0]
        return self.put(self.before, structure.length, [self.loop.args[self.op.carries]], INT)

    def put(self, lets: list[Let], p: Any, args: list[Atom], a: Object, **params: Any) -> Var:
        """The result of an operation beside the loop."""
        let = Let(Apply(p, params), args, adjoint=True)
        lets.append(let)
        return let.target("", a, self.block)


def is_vector(atom: Atom) -> bool:
    return has_rank(atom, 1)


def is_matrix(atom: Atom) -> bool:
    return has_rank(atom, 2)


def has_rank(atom: Atom, rank: int) -> bool:
    """Whether an atom is an array of floats with so many axes."""
    a = atom.object
    return isinstance(atom, Var) and isinstance(a, Array) and a.dtype in FLOATS and len(a.axes or ()) == rank


def dtype_of(array: Atom) -> str:
    """The dtype of an array."""
    a = array.object
    assert isinstance(a, Array)
    return a.dtype


def indexed(let: Let) -> tuple[tuple[str, ...], tuple[Atom, ...]]:
    """Where a let adds to part of an array: the pattern and its numbers; nothing, where it adds to all of it."""
    if isinstance(let.op, Apply) and let.op.primitive is indexing.add_at:
        return let.op.params["pattern"], tuple(let.args[2:])
    return (), ()
