"""A λ-program as Python source: let-normal statements under the user's names, the same text in every run.

Loops stay loops. A carry, its initial value and its last value share one Python variable; a tape is a list; a value
that only one statement may still change is updated in place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.numpy_source.copies import in_place
from ccc.compile.numpy_source.narrow import narrow
from ccc.compile.numpy_source.reuse import overwriting
from ccc.compile.numpy_source.texts import Texts
from ccc.compile.numpy_source.warned import Warned, first_of_last
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Program,
    Tree,
    Var,
    While,
    like,
)
from ccc.objects import UNIT, Real
from ccc.primitives import along, indexing, maps, structure, updating, zero_trees

CALL = re.compile(r"^[\w.]+\(")
SHORT = 4  # the test of a `while` is one expression where it takes at most so many operations
DEEPEST = 60
"""Statements that are indented further stand in a function of their own: Python takes up to 100 indentations,"""
MOST_LOOPS = 12
"""and up to 20 loops and other blocks in one another."""


class Emitted:
    """Python source of a program, the names that it needs, and by its lines the places of the user's program and the
    expressions for which an operand is overwritten."""

    __slots__ = ("expressions", "name", "namespace", "places", "source")

    def __init__(
        self, name: str, source: str, namespace: dict[str, Any], places: dict[int, Any], expressions: dict[int, str]
    ) -> None:
        self.expressions = expressions
        self.places = {line: place for line, place in places.items() if place is not None}
        self.name = name
        self.source = source
        self.namespace = namespace


class Emitter(Texts):
    """Prints one program; `finish` says how each leaf of the result is handed out, and `overwritten` which lets may
    overwrite an argument, where that is known."""

    def __init__(
        self, program: Program, finish: Callable[[Emitter, Tree], str] | None = None,
        overwritten: dict[Let, int] | None = None,
    ) -> None:
        super().__init__()
        self.program = program
        self.finish = finish
        self.lines: list[str] = []
        self.places: dict[int, Any] = {}
        self.expressions: dict[int, str] = {}
        self.here: Any = None
        self.uses: Counter[Var] = Counter()
        self.positions: dict[Block, dict[Var, int]] = {}
        self.read_inside: dict[Block, set[Var]] = {}
        self.carried: dict[str, list[Var]] = {}
        self.overwritten = in_place(program.block, entries=True) if overwritten is None else overwritten
        self.narrow = narrow(program.block)
        self.warned = Warned(program.block)
        self.parts: list[tuple[list[str], dict[int, Any], dict[int, str]]] = []
        self.loops = 0  # that are around what is printed, in the same function
        self.within, self.regions = False, ("", 0, 0)  # of `np.errstate`: inside one, and where the last one ended
        self._count(program.block)

    # -- bookkeeping -------------------------------------------------------------------------------------------

    def _count(self, block: Block) -> None:
        """How often each variable is read, where each is last read in its own block, and what blocks read of others."""
        blocks = [block]
        for here in blocks:
            blocks += [inner for let in here.lets for inner in let.op.blocks]
        for here in reversed(blocks):
            last: dict[Var, int] = {}
            for i, let in enumerate(here.lets):
                for atom in let.args:
                    if isinstance(atom, Var):
                        self.uses[atom] += 1
                        last[atom] = i
                for inner in let.op.blocks:
                    for var in self.read_inside[inner]:
                        last[var] = i
            results = [atom for atom in here.results if isinstance(atom, Var)]
            self.uses.update(results)
            self.positions[here] = last
            self.read_inside[here] = {*last, *results} - here.binds()

    def line(self, depth: int, text: str) -> None:
        self.places[len(self.lines) + 1] = self.here
        self.lines.append("    " * depth + text)

    # -- the program -------------------------------------------------------------------------------------------

    def emitted(self) -> Emitted:
        program = self.program
        function = self.fresh(program.name if program.name.isidentifier() else "f")
        params: list[str] = []
        unpack: list[str] = []
        for name, tree in program.params:
            params.append(self.parameter(name, tree, unpack))
        self.line(0, f"def {function}({', '.join(params)}):")
        for text in unpack:
            self.line(1, text)
        self.region(program.block, 1)
        result = self.finish(self, program.result) if self.finish else self.tree(program.result)
        self.line(1, f"return {result}")
        for lines, places, expressions in self.parts:
            start = len(self.lines)
            self.lines += lines
            self.places.update({start + i: place for i, place in places.items()})
            self.expressions.update({start + i: text for i, text in expressions.items()})
        return Emitted(function, "\n".join(self.lines) + "\n", self.namespace, self.places, self.expressions)

    def region(self, block: Block, depth: int) -> None:
        """The lets of a function: what only derivatives compute comes last, and warns of nothing."""
        split, quiet = first_of_last(block), self.warned.ignored(block)
        for let in block.lets[:split]:
            self.let(let, block, depth)
        if quiet:
            self.line(depth, 'with np.errstate(all="ignore"):')
        for let in block.lets[split:]:
            self.let(let, block, depth + quiet)

    def let(self, let: Let, block: Block, depth: int) -> None:
        outer, self.here = self.here, let.span or let.of or self.here
        self.written(let, block, depth)
        self.here = outer

    def written(self, let: Let, block: Block, depth: int) -> None:
        """Print a let."""
        op = let.op
        if isinstance(op, (Branch, Loop, While)) and (depth > DEEPEST or self.loops > MOST_LOOPS):
            self.apart(let, block, depth)
        elif isinstance(op, Apply):
            self.apply(op, let, block, depth)
        elif isinstance(op, Branch):
            self.branch(op, let, depth)
        elif isinstance(op, Loop):
            self.loop(op, let, depth)
        elif isinstance(op, While):
            self.while_(op, let, depth)
        elif isinstance(op, Lambda):
            self.function(op, self.name(let.targets[0]), depth)
        elif isinstance(op, Call):
            function, *args = map(self.text, let.args)
            targets = [self.name(t) for t in let.targets]
            call = f"{function}({', '.join(args)})"
            self.line(depth, f"{', '.join(targets)}{',' if len(targets) > 1 else ''} = {call}" if targets else call)

    def apart(self, let: Let, block: Block, depth: int) -> None:
        """Print a let in a function of its own, since Python limits how deeply statements nest: it is given the
        variables that the let reads, and gives back those that it binds."""
        printed = self.lines, self.places, self.expressions, self.loops, self.regions
        self.lines, self.places, self.expressions = lines, places, expressions = [""], {}, {}
        self.loops, self.regions = 0, ("", 0, 0)
        self.written(let, block, 1)
        read = {v for v in let.args if isinstance(v, Var)}.union(*[self.read_inside[inner] for inner in let.op.blocks])
        given = sorted(set(map(self.name, read)))
        targets, name = [self.name(t) for t in let.targets], self.fresh("part")
        lines[0] = f"def {name}({', '.join(given)}):"
        self.line(1, f"return {', '.join(targets) or None}")
        self.parts.append((lines, places, expressions))
        self.lines, self.places, self.expressions, self.loops, self.regions = printed
        call = f"{name}({', '.join(given)})"
        self.line(depth, f"{', '.join(targets)} = {call}" if targets else call)

    # -- statements --------------------------------------------------------------------------------------------

    def apply(self, op: Apply, let: Let, block: Block, depth: int) -> None:
        (target,) = let.targets
        if op.primitive.errors and not self.within:
            head = f"with np.errstate({self.modes(op.primitive.errors)}):"
            if self.regions != (head, depth, len(self.lines)):
                self.line(depth, head)
            self.within = True
            self.apply(op, let, block, depth + 1)
            self.within = False
            self.regions = head, depth, len(self.lines)
            return
        if let in self.overwritten:
            operand = let.args[self.overwritten[let]]
            assert isinstance(operand, Var)
            self.names[target] = self.name(operand)
            self.line(depth, self.update(op, let))
            return
        args = [self.text(a) for a in let.args]
        if let in self.narrow:
            text = f"{args[0]}[{self.narrow[let]}]"
        elif "pattern" in op.params and op.primitive is updating.take_at:
            text = updating.taken_source(args, op.params["pattern"], number=isinstance(target.object, Real))
        else:
            text = self.expression(op, args)
        if op.primitive.effect and (target.object == UNIT or not self.uses[target]):
            self.line(depth, text)
            return
        self.line(depth, f"{self.name(target)} = {text}")

    def update(self, op: Apply, let: Let) -> str:
        args = [self.text(a) for a in let.args]
        if op.primitive is indexing.add_at:
            pattern = op.params["pattern"]
            key = indexing.key_source(pattern, args[2:])
            if getattr(let.args[0].object, "axes", ()) is None and not {*pattern} - {".", "+"}:
                return f"{args[0]} = {self.expression(op, args)}"  # it may be a number, which has no items
            if "a" in pattern:
                comma = "," if len(pattern) == 1 else ""
                return f"np.add.at({args[0]}, np.s_[{key}{comma}], {args[1]})"
            return f"{args[0]}[{key}] += {args[1]}"
        if op.primitive is updating.set_at:
            return updating.assignment_source(args, op.params["pattern"])
        if statement := overwriting(op.primitive, args, self.overwritten[let]):
            self.expressions[len(self.lines) + 1] = self.expression(op, args)
            return statement
        if op.primitive is maps.add_entry:
            return self.entry_update(args, let)
        if statement := op.primitive.in_place:
            return statement.format(*args) if isinstance(statement, str) else statement(*args)
        if op.primitive is along.add_along:
            self.namespace["add_all_along"] = along.add_all_along
            return f"{args[0]} = add_all_along({', '.join(args)})"
        if op.primitive is structure.add_item:
            self.namespace["add_onto"] = structure.add_onto
            return f"{args[0]} = add_onto({args[0]}, {args[1]}, {args[2]})"
        self.namespace["add_trees"] = zero_trees.add_trees.value
        return f"{args[0]} = add_trees({args[0]}, {args[1]})"

    def entry_update(self, args: list[str], let: Let) -> str:
        """`m[k] += ct` of a map of cotangents, which may lack the key."""
        m, ct, k = args
        if isinstance(let.args[1].object, Real):
            return f"{m}[{k}] = {m}.get({k}, 0) + {ct}"
        self.namespace["add_trees"] = zero_trees.add_trees.value
        return f"{m}[{k}] = add_trees({m}.get({k}), {ct})"

    def branch(self, op: Branch, let: Let, depth: int) -> None:
        targets = [self.name(t) for t in let.targets]
        head = f"if {self.text(let.args[0])}:"
        for block in (op.then, op.orelse):
            self.claim(block, list(zip(block.results, targets, strict=True)))
            start = len(self.lines)
            self.line(depth, head)
            for inner in block.lets:
                self.let(inner, block, depth + 1)
            self.assign(depth + 1, [(t, a) for t, a in zip(targets, block.results, strict=True)])
            if len(self.lines) == start + 1:
                if block is op.orelse:
                    self.lines.pop()
                else:
                    self.line(depth + 1, "pass")
            head = "else:"

    def claim(self, block: Block, results: list[tuple[Atom, str]]) -> None:
        """Let values computed in a block be computed into the variables that they end up in."""
        seen: set[Atom] = set()
        order = {let: i for i, let in enumerate(block.lets)}
        for atom, name in results:
            if isinstance(atom, Var) and atom not in self.names and atom not in seen and atom.home is block:
                let = atom.definition
                if let is not None and isinstance(let.op, (Apply, Branch, Call)) and (
                    block.kind is BlockKind.LOOP or not self.read_after(name, block, order[let])
                ):
                    self.names[atom] = name
                seen.add(atom)

    def read_after(self, name: str, block: Block, position: int) -> bool:
        """True where the carry that lives in this variable is read in the block behind a statement, or handed out."""
        last = self.positions[block]
        return any(v in block.results or last.get(v, -1) > position for v in self.carried.get(name, ()))

    def assign(self, depth: int, pairs: list[tuple[str, Atom]]) -> None:
        """Parallel assignment, as one statement where order matters."""
        moves = [(name, self.text(atom)) for name, atom in pairs]
        moves = [(name, text) for name, text in moves if name != text]
        written = {name for name, _ in moves}
        if any(text in written for _, text in moves):
            left, right = zip(*moves, strict=True)
            self.line(depth, f"{', '.join(left)} = {', '.join(right)}")
            return
        for name, text in moves:
            self.line(depth, f"{name} = {text}")

    def carries(self, op: Loop | While, let: Let, depth: int) -> list[str]:
        """One Python variable for each carry: its initial, running and last value."""
        names: list[str] = []
        for param, init, target in zip(op.body.params, let.args[: op.carries], let.targets, strict=False):
            param.name = param.name or target.name
            name = self.moved(init, let) or self.name(param)
            self.names[param] = self.names[target] = name
            self.carried.setdefault(name, []).append(param)
            names.append(name)
            text = self.text(init)
            if text != name:
                self.line(depth, f"{name} = {text}")
        last = self.positions[op.body]
        order = {let: i for i, let in enumerate(op.body.lets)}
        claims: list[tuple[Atom, str]] = []
        for param, result, name in zip(op.body.params, op.body.results, names, strict=False):
            if isinstance(result, Var) and result.home is op.body and result.definition is not None:
                end = len(order) if param in op.body.results else last.get(param, -1)
                if end <= order[result.definition]:
                    claims.append((result, name))
        self.claim(op.body, claims)
        return names

    def moved(self, init: Atom, let: Let) -> str | None:
        """The variable of an initial value that nothing else reads: the loop goes on with it."""
        if isinstance(init, Var) and self.uses[init] == 1 and init.definition is not None:
            home = init.home
            if home is not None and let in home.lets:
                return self.name(init)
        return None

    def outputs(self, op: Loop | While, let: Let, depth: int) -> list[tuple[str, Atom]]:
        """The lists of outputs, opened before the loop."""
        found: list[tuple[str, Atom]] = []
        for target, result in zip(let.targets[op.carries :], op.body.results[op.carries :], strict=True):
            if not target.name:
                target.name = f"{self.hint(result)}s"
            found.append((self.name(target), result))
            self.line(depth, f"{found[-1][0]} = []")
        return found

    def hint(self, atom: Atom) -> str:
        return atom.name if isinstance(atom, Var) and atom.name else "t"

    def loop(self, op: Loop, let: Let, depth: int) -> None:
        names = self.carries(op, let, depth)
        outputs = self.outputs(op, let, depth)
        elements = [self.name(p) for p in op.body.params[op.carries :]]
        sequences = [self.text(a) for a in let.args[op.carries :]]
        if op.reverse:
            sequences = [f"reversed({s})" for s in sequences]
        over = sequences[0] if len(sequences) == 1 else f"zip({', '.join(sequences)})"
        self.line(depth, f"for {', '.join(elements)} in {over}:")
        self.body(op, names, outputs, depth)
        if op.reverse:
            for name, _ in outputs:
                self.line(depth, f"{name}.reverse()")

    def body(self, op: Loop | While, names: list[str], outputs: list[tuple[str, Atom]], depth: int) -> None:
        start = len(self.lines)
        self.loops += 1
        for inner in op.body.lets:
            self.let(inner, op.body, depth + 1)
        self.loops -= 1
        late: list[tuple[str, Atom]] = []
        for name, result in outputs:
            self.line(depth + 1, f"{name}.append({self.text(result)})")
        late = list(zip(names, op.body.results, strict=False))
        self.assign(depth + 1, late)
        if len(self.lines) == start:
            self.line(depth + 1, "pass")

    def while_(self, op: While, let: Let, depth: int) -> None:
        names = self.carries(op, let, depth)
        for param, name in zip(op.test.params, names, strict=True):
            self.names[param] = name
        outputs = self.outputs(op, let, depth)
        test = self.condition(op.test)
        outer, self.here = self.here, next((let.span for let in reversed(op.test.lets) if let.span), self.here)
        self.line(depth, f"while {test or True}:")
        self.here = outer
        if test is None:
            for inner in op.test.lets:
                self.let(inner, op.test, depth + 1)
            self.line(depth + 1, f"if not {self.text(op.test.results[0])}:")
            self.line(depth + 2, "break")
        self.body(op, names, outputs, depth)

    def condition(self, block: Block) -> str | None:
        """The test of a `while` as one short expression, or None where it takes statements."""
        if len(block.lets) > SHORT or any(not isinstance(let.op, Apply) for let in block.lets):
            return None
        made: dict[Any, tuple[str, int]] = {}
        for let in block.lets:
            op = let.op
            if not isinstance(op, Apply) or op.primitive.effect or self.uses[let.targets[0]] != 1:
                return None
            if op.primitive.errors:
                return None
            args = [made.pop(a) if a in made else (self.text(a), 100) for a in let.args]
            level = op.primitive.precedence
            call = isinstance(op.primitive.source, str) and CALL.match(op.primitive.source)
            texts = [f"({text})" if inner <= level and inner < 100 and not call else text for text, inner in args]
            made[let.targets[0]] = (self.expression(op, texts), level)
        (result,) = block.results
        text = made.pop(result)[0] if result in made else self.text(result)
        return None if made else text

    def function(self, op: Lambda, name: str, depth: int) -> None:
        """A definition: no run of a loop hands it on (`kept`, a rule that `verify` checks), so it reads what that run
        bound."""
        params = ", ".join(self.name(p) for p in op.body.params)
        self.line(depth, f"def {name}({params}):")
        self.region(op.body, depth + 1)
        if op.body.tree is not None or not op.body.results:
            given = iter(op.body.results)
            self.line(depth + 1, f"return {self.tree(_refilled(op.body.tree, given))}")
            return
        results = [self.text(r) for r in op.body.results]
        self.line(depth + 1, f"return {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}")


def _refilled(tree: Tree, given: Iterator[Atom]) -> Tree:
    """A tree with its leaves replaced in order."""
    if isinstance(tree, tuple):
        return like(tree, [_refilled(part, given) for part in tree])
    return None if tree is None else next(given)
