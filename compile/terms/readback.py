"""From recordings back to λ-programs: what nothing reads is dropped, and what escapes its block is handed out.

A pullback reads values of the forward program, some of them bound inside its branches and loops. A value that leaves a
branch becomes one more result of it (`absent` where the other branch was taken); a value that leaves a loop becomes one
more output, a list: the tape, which the reverse loop takes as one more sequence. So a tape holds only what is read.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program import called
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Tree,
    Var,
    VarTree,
    While,
    leaves,
)
from ccc.compile.program.raises import may_raise
from ccc.compile.program.shapes import Shapes
from ccc.compile.terms.placing import made_where_called
from ccc.errors import CannotStage
from ccc.objects import List
from ccc.primitives import structure, tapes


def read_back(block: Block, result: Tree) -> None:
    """Finish a recorded block in place: drop dead code, hand out what escapes."""
    if any([let.op.blocks for let in block.lets]):
        made_where_called(block, result)
    sweep(block, result)
    Escapes().resolve(block)


def sweep(block: Block, result: Tree, shapes: Shapes | None = None) -> None:
    """Drop what nothing reads, where it cannot raise."""
    if all([type(let.op) is Apply for let in block.lets]):
        sweep_operations(block, result, shapes)
    else:
        Liveness(block, result, shapes).sweep(block)


def sweep_operations(block: Block, result: Tree, shapes: Shapes | None) -> None:
    """The same in a block of operations alone: what reads one stands behind it."""
    live = {atom for atom in leaves(result) if isinstance(atom, Var)}
    kept: list[Let] = []
    for let in reversed(block.lets):
        if not live.isdisjoint(let.targets) or may_raise(let, shapes):
            kept.append(let)
            live.update([atom for atom in let.args if isinstance(atom, Var)])
        else:
            let.targets = []  # which know the let: a cycle would outlive the program
    block.lets = kept[::-1]


def run_in(block: Block) -> list[Block]:
    """The block and those that run when it does: inner ones too, not those of functions."""
    found, todo = list[Block](), [block]
    while todo:
        here = todo.pop()
        found.append(here)
        todo += [inner for let in here.lets if type(let.op) is not Lambda for inner in let.op.blocks]
    return found


def raises_when_called(function: Atom, shapes: Shapes | None = None) -> bool:
    """True for a function of the program that may raise, in its body or in one that it calls."""
    seen, todo = set[Atom](), [function]
    while todo:
        called = todo.pop()
        let = called.definition if isinstance(called, Var) and called not in seen else None
        seen.add(called)
        if let is None or not isinstance(let.op, Lambda):
            continue
        for inner in [inner for here in run_in(let.op.body) for inner in here.lets]:
            if may_raise(inner, shapes):
                return True
            if isinstance(inner.op, Call):
                todo.append(inner.args[0])
    return False


class Liveness:
    """Marks what the results need, and what plain Python would have raised in, as far as shapes do not tell that it
    does not."""

    def __init__(self, block: Block, result: Tree, shapes: Shapes | None = None) -> None:
        self.live: set[Any] = set()
        self.shapes = shapes
        self.loops: dict[Let, None] = {}
        self.positions: dict[Var, int] = {}
        for here in _nested(block):
            self.positions.update(zip(here.params, range(len(here.params)), strict=True))
            for let in here.lets:
                if type(let.op) is not Apply:
                    self.positions.update(zip(let.targets, range(len(let.targets)), strict=True))
        self.calls = {f: calls for f, calls in called.calls_of(block, result).items() if called.is_plain(f)}
        self.given: dict[Any, set[int]] = {f: set() for f in self.calls}  # the results that calls want
        self.todo: list[Any] = [atom for atom in leaves(result) if isinstance(atom, Var)]
        self.ran: list[Block] = [block]
        self.settle()

    def settle(self) -> None:
        """Follow what is wanted until nothing is new."""
        todo, live = self.todo, self.live
        while todo or self.ran or self.count_runs():
            if not todo and self.ran:
                self.keep_raising(self.ran.pop())
            while todo:
                var = todo.pop()
                if var not in live:
                    live.add(var)
                    self.need(var)

    def keep_raising(self, block: Block) -> None:
        """What a block would raise in; a function does so where it is called."""
        for let, home in [(let, here) for here in run_in(block) for let in here.lets]:
            called = type(let.op) is Call
            if let in self.live or (let.adjoint and not called):
                continue
            if (called and raises_when_called(let.args[0], self.shapes)) or may_raise(let, self.shapes):
                self.todo += let.targets[:1]
                if not let.targets:
                    self.live.add(let)
                    self.enclose(home)
                    self.todo += [a for a in let.args if isinstance(a, Var)]

    def want(self, atom: Atom) -> None:
        if isinstance(atom, Var):
            self.todo.append(atom)

    def need(self, var: Var) -> None:
        assert var.home is not None
        owner = var.home.owner
        if owner is not None and owner not in self.live:
            self.enclose(var.home)
        if var.definition is not None:
            self.need_target(var.definition, var)
            return
        position = self.positions[var]
        if owner is None:
            return
        if var.home.kind is BlockKind.FUNCTION:
            for call in self.calls.get(owner.targets[0], ()):
                if call in self.live:
                    self.want(call.args[1 + position])
            return
        op = owner.op
        if not isinstance(op, (Loop, While)):
            return
        if position < op.carries:
            self.need_carry(owner, position)
        else:
            self.want(owner.args[position])

    def count_runs(self) -> bool:
        """Want one of the sequences of equal length that a loop runs along, where it reads the items of none; true if
        there was something to want."""
        for let in self.loops:
            known: set[Any] = set()
            along = list(zip(let.op.body.params, let.args, strict=True))[let.op.carries :]  # type: ignore[attr-defined]
            for param, sequence in sorted(along, key=lambda pair: pair[0] not in self.live):
                if origin(sequence) not in known and param not in self.live:
                    self.todo.append(param)
                known.add(origin(sequence))
        return bool(self.todo)

    def enclose(self, home: Block) -> None:
        """The block is run: what decides so is needed."""
        block: Block | None = home
        while block is not None:
            let = block.owner
            if let is None or let in self.live:
                return
            self.live.add(let)
            op = let.op
            if isinstance(op, Branch):
                self.want(let.args[0])
            elif isinstance(op, Loop):
                self.loops[let] = None
            elif isinstance(op, While):
                self.want(op.test.results[0])
            if block.mirror is not None and block.mirror.owner is not None:
                self.enclose(block.mirror)
            block = block.parent

    def need_carry(self, let: Let, position: int) -> None:
        op = let.op
        assert isinstance(op, (Loop, While))
        self.want(let.args[position])
        self.want(op.body.results[position])
        self.want(op.body.params[position])
        if isinstance(op, While):
            self.want(op.test.params[position])
        self.todo.append(let.targets[position])

    def need_target(self, let: Let, var: Var) -> None:
        op = let.op
        self.live.add(let)
        if type(op) is Call and let.args[0] in self.calls:
            self.need_result(let, self.positions[var])
            return
        if type(op) is Apply or not op.blocks:
            self.todo += [atom for atom in let.args if type(atom) is not Lit]
            return
        position = self.positions[var]
        if isinstance(op, Branch):
            self.want(let.args[0])
            self.want(op.then.results[position])
            self.want(op.orelse.results[position])
        elif isinstance(op, (Loop, While)):
            self.enclose(op.body)
            if isinstance(op, While):
                self.want(op.test.results[0])
            else:
                self.loops[let] = None
            if position < op.carries:
                self.need_carry(let, position)
            else:
                self.want(op.body.results[position])
            if op.body.mirror is not None:
                self.enclose(op.body.mirror)
        else:
            for atom in let.args:
                self.want(atom)
            for block in op.blocks:
                self.ran.append(block)
                if block.mirror is not None:  # its first parameter is the tape, which is read when it is known of what
                    self.want(block.params[0])
                if var not in self.calls:
                    for atom in block.results:
                        self.want(atom)

    def need_result(self, call: Let, position: int) -> None:
        """What a call gives at a position, of a function that is called and nothing else."""
        function: Any = call.args[0]
        body = called.body_of(function)
        self.want(function)
        self.given[function].add(position)
        self.want(body.results[position])
        for param, argument in zip(body.params, call.args[1:], strict=True):
            if param in self.live:
                self.want(argument)

    def sweep(self, block: Block) -> None:
        """Remove what is not live, also carries, outputs and results of inner blocks, and parameters of functions."""
        live = self.live
        for function, calls in self.calls.items():
            if function in live:
                params = [i for i, param in enumerate(called.body_of(function).params) if param in live]
                called.keep(function, [call for call in calls if call in live], params, sorted(self.given[function]))
        for here in _nested(block):
            kept: list[Let] = []
            for let in here.lets:
                if let in live or not live.isdisjoint(let.targets):
                    kept.append(let)
                    if type(let.op) is not Apply:
                        self.trim(let)
                else:
                    let.targets = []  # which know the let: a cycle would outlive the program
            here.lets = kept

    def trim(self, let: Let) -> None:
        op = let.op
        if isinstance(op, Branch):
            kept = [i for i, t in enumerate(let.targets) if t in self.live]
            for block in op.blocks:
                block.results = [block.results[i] for i in kept]
            let.targets = [let.targets[i] for i in kept]
        elif isinstance(op, (Loop, While)):
            count = op.carries
            carries = [i for i in range(count) if let.targets[i] in self.live]
            outputs = [i for i in range(count, len(let.targets)) if let.targets[i] in self.live]
            body = op.body
            body.results = [body.results[i] for i in carries + outputs]
            along = [i for i in range(count, len(let.args)) if body.params[i] in self.live]
            body.params = [body.params[i] for i in carries + along]
            let.args = [let.args[i] for i in carries + along]
            let.targets = [let.targets[i] for i in carries + outputs]
            if isinstance(op, While):
                op.test.params = [op.test.params[i] for i in carries]
            else:
                op.carries = len(carries)


def origin(sequence: Atom) -> Any:
    """What says how long a sequence is: the loop that gave it, or itself."""
    if not isinstance(sequence, Var) or sequence.definition is None:
        return sequence
    let = sequence.definition
    return let if isinstance(let.op, Loop) and sequence not in let.targets[: let.op.carries] else sequence


def _nested(block: Block) -> list[Block]:
    """The block and all blocks in it, outer before inner."""
    found, todo = list[Block](), [block]
    while todo:
        here = todo.pop()
        found.append(here)
        for let in here.lets:
            if type(let.op) is not Apply:
                todo += let.op.blocks
    return found


class Escapes:
    """Makes every read variable visible where it is read."""

    def __init__(self) -> None:
        self.exported: dict[Var, Var] = {}
        self.taped: dict[tuple[Block, Var], Var] = {}

    def resolve(self, block: Block) -> None:
        if not any([let.op.blocks for let in block.lets]):
            return
        for here in _nested(block):
            visible = list(here.ancestors())
            for let in here.lets:
                let.args = self.reached(let.args, visible)
            here.results = self.reached(here.results, visible)
        for here in _nested(block):
            for let in here.lets:
                if isinstance(let.op, Loop) and len(let.args) == let.op.carries:
                    self.count_runs(let, here)

    def reached(self, atoms: list[Atom], visible: list[Block]) -> list[Atom]:
        return [a if type(a) is Lit or a.home in visible else self.out(a, visible)  # type: ignore[union-attr]
                for a in atoms]

    def reach(self, atom: Atom, where: Block) -> Atom:
        return self.out(atom, list(where.ancestors())) if isinstance(atom, Var) else atom

    def out(self, var: Any, visible: list[Block]) -> Var:
        """The same value where these blocks are seen."""
        while var.home not in visible:
            var = self.outward(var, visible)
        return var

    def outward(self, var: Var, visible: list[Block]) -> Var:
        """The same value one block further out, or within the loop that runs backwards."""
        home = var.home
        assert home is not None and home.owner is not None and home.parent is not None
        if home.kind is BlockKind.BRANCH:
            return self.from_branch(var, home.owner, home.parent)
        if home.kind is BlockKind.LOOP:
            for block in visible:
                if block.mirror is home:
                    return self.from_tape(var, block)
            for block in visible:
                if block.mirror is not None and sees(block.mirror, home):
                    return self.reach(var, block.mirror)  # type: ignore[return-value]
        if home.kind is BlockKind.FUNCTION:
            for block in visible:
                if block.mirror is home:
                    return self.from_activation(var, home, block)
        raise CannotStage(f"`{var.name}` is read outside the {home.kind.value} that computes it")

    def from_branch(self, var: Var, let: Let, parent: Block) -> Var:
        known = self.exported.get(var)
        if known is None:
            assert isinstance(let.op, Branch)
            for block in let.op.blocks:
                block.results.append(var if block is var.home else Lit(Absent(var.object), var.object))
            known = self.exported[var] = _like(var, let, parent)
        return known

    def from_tape(self, var: Var, backward: Block) -> Var:
        known = self.taped.get((backward, var))
        if known is not None:
            return known
        forward, owner = var.home, backward.owner
        assert forward is not None and forward.owner is not None and forward.parent is not None and owner is not None
        assert backward.parent is not None
        sequence = self.sequence_of(var)
        if sequence is None:
            sequence = self.exported.get(var)
            if sequence is None:
                forward.results.append(var)
                sequence = self.exported[var] = _like(var, forward.owner, forward.parent, List(var.object))
        known = type(var)(var.name, var.object, backward)
        known.base = var.base
        backward.params.append(known)
        owner.args.append(self.reach(sequence, backward.parent))
        self.taped[(backward, var)] = known
        return known

    def from_activation(self, var: Var, forward: Block, backward: Block) -> Var:
        """What an activation of a recursive function hands to its pullback: one more item of the tape."""
        known = self.taped.get((backward, var))
        if known is None:
            roll = forward.lets[-1]
            position = len(roll.args)
            roll.args.append(var)
            let = Let(Apply(tapes.unroll, {"index": position, "of": var.object}), [backward.params[0]], adjoint=True)
            backward.lets.insert(0, let)
            known = self.taped[(backward, var)] = let_target(let, var, backward)
        return known

    def sequence_of(self, var: Var) -> Var | None:
        """The sequence that a loop reads `var` from, where the reverse loop can read it again."""
        forward = var.home
        assert forward is not None and forward.owner is not None
        let = forward.owner
        assert isinstance(let.op, (Loop, While))  # which runs along nothing
        if var.definition is not None or len(let.args) != let.op.carries + 1:
            return None
        position = forward.params.index(var)
        found = let.args[position] if position >= let.op.carries else None
        return found if isinstance(found, Var) else None

    def count_runs(self, let: Let, here: Block) -> None:
        """A reverse loop that reads nothing of the forward one still runs as often."""
        assert isinstance(let.op, Loop)
        body = let.op.body
        if body.mirror is None:
            raise CannotStage("a loop over nothing")
        forward = body.mirror.owner
        assert forward is not None and body.mirror.parent is not None
        count = forward.op.carries  # type: ignore[attr-defined]
        if len(forward.args) == count + 1 and isinstance(forward.op, Loop):
            sequence = self.reach(forward.args[count], here)
        else:
            forward.op.body.results.append(Lit(0, structure.INT))  # type: ignore[attr-defined]
            ticks = _like(Var("run", structure.INT), forward, body.mirror.parent, List(structure.INT))
            sequence = self.reach(ticks, here)
        body.params.append(Var("", sequence.object.item, body))  # type: ignore[attr-defined]
        let.args.append(sequence)


def sees(block: Block, home: Block) -> bool:
    """True where a block, or a loop that it runs along with, is or mirrors the other."""
    return any(b is home or (b.mirror is not None and sees(b.mirror, home)) for b in block.ancestors())


def let_target(let: Let, var: Var, home: Block) -> Var:
    """A variable like `var`, defined by a let of another block."""
    target = type(var)(var.name, var.object, home, let)
    target.base = var.base
    let.targets.append(target)
    return target


def _like(var: Var, let: Let, home: Block, a: Any = None) -> Var:
    target = type(var)(var.name, a or var.object, home, let)
    target.base = var.base
    let.targets.append(target)
    return target


def finished(name: str, params: list[tuple[str, VarTree]], block: Block, result: Tree) -> Program:
    """The program of a recording."""
    read_back(block, result)
    block.results = [atom for atom in leaves(result) if isinstance(atom, (Var, Lit))]
    return Program(name, params, block, result)
