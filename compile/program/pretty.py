"""A λ-program as text: one let a line, blocks indented.

>>> from ccc.compile.frontend.elaborate import program_of
>>> print(program_text(program_of(lambda x: -x, (1.0,))))
λ x:R.
  t = -x
  t
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply, Block, Branch, Call, Lambda, Let, Loop, Program, Tree, Var, VarTree, While


def program_text(program: Program) -> str:
    """The whole program."""
    return Printer().program(program)


def placed_lines(program: Program) -> tuple[str, list[Any]]:
    """The whole program, and of each of its lines the place in the user's program, None where it has none."""
    printer = Printer()
    return printer.program(program), printer.places


class Printer:
    """A program line by line, its variables named as the user named them and told apart; `places` are those of the
    lines in the user's program."""

    def __init__(self) -> None:
        self.places: list[Any] = []
        self.here: Any = None
        self.names: dict[Var, str] = {}
        self.taken: set[str] = set()
        self.count: dict[str, int] = {}
        self.lines: list[str] = []

    def name(self, var: Var) -> str:
        if var not in self.names:
            name = base = var.name or "t"
            i = self.count.get(base, 1)
            while name in self.taken:
                i += 1
                name = f"{base}{i}" if not base[-1].isdigit() else f"{base}_{i}"
            self.count[base] = i
            self.taken.add(name)
            self.names[var] = name
        return self.names[var]

    def atom(self, atom: Any) -> str:
        if isinstance(atom, Var):
            return self.name(atom)
        value = getattr(atom, "value", atom)
        return value.__name__ if isinstance(value, type) else repr(value)

    def tree(self, tree: Tree) -> str:
        if isinstance(tree, tuple):
            return f"({', '.join(map(self.tree, tree))}{',' if len(tree) == 1 else ''})"
        return "()" if tree is None else self.atom(tree)

    def program(self, program: Program) -> str:
        params = ", ".join(self.typed(tree) for _, tree in program.params if tree is not None)
        self.line(0, f"λ {params}.")
        self.block(program.block, 1)
        self.line(1, self.tree(program.result))
        return "\n".join(self.lines)

    def typed(self, tree: VarTree) -> str:
        if isinstance(tree, tuple):
            return f"({', '.join(map(self.typed, tree))})"
        return "_" if tree is None else f"{self.name(tree)}:{tree.object}"

    def block(self, block: Block, depth: int) -> None:
        for let in block.lets:
            outer, self.here = self.here, let.span or let.of or self.here
            self.let(let, depth)
            self.here = outer

    def results(self, block: Block, depth: int) -> None:
        self.line(depth, "-> " + ", ".join(map(self.atom, block.results)))

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text.rstrip())
        self.places.append(self.here)

    def let(self, let: Let, depth: int) -> None:
        op = let.op
        targets = ", ".join(map(self.name, let.targets))
        head = f"{targets} = " if targets else ""
        args = [self.atom(a) for a in let.args]
        if isinstance(op, Apply):
            source = op.primitive.source
            text = source.format(*args) if isinstance(source, str) else source(*args, **op.params)
            self.line(depth, head + text)
        elif isinstance(op, Call):
            self.line(depth, f"{head}{args[0]}({', '.join(args[1:])})")
        elif isinstance(op, Branch):
            self.line(depth, f"{head}if {args[0]}")
            self.inner(op.then, depth)
            self.line(depth, "else")
            self.inner(op.orelse, depth)
        elif isinstance(op, Loop):
            carried = op.body.params[: op.carries]
            elements = ", ".join(map(self.name, op.body.params[op.carries :]))
            order = "reversed " if op.reverse else ""
            state = ", ".join(f"{self.name(p)} = {a}" for p, a in zip(carried, args, strict=False))
            lists = ", ".join(args[op.carries :])
            self.line(depth, f"{head}for {elements} in {order}{lists} from {state or '()'}")
            self.inner(op.body, depth)
        elif isinstance(op, While):
            state = ", ".join(f"{self.name(p)} = {a}" for p, a in zip(op.body.params, args, strict=True))
            self.line(depth, f"{head}while from {state}")
            self.inner(op.test, depth)
            self.line(depth, "do")
            self.inner(op.body, depth)
        elif isinstance(op, Lambda):
            self.line(depth, f"{head}λ {', '.join(f'{self.name(p)}:{p.object}' for p in op.body.params)}.")
            self.inner(op.body, depth)

    def inner(self, block: Block, depth: int) -> None:
        self.block(block, depth + 1)
        self.results(block, depth + 1)

