"""From λ-programs to combinators: bracket abstraction with flat, trimmed environments.

    ⟦x_i⟧ = proj_i        ⟦p(e1, ..)⟧ = prod(⟦e1⟧, ..) ; p        ⟦e1 e2⟧ = prod(⟦e1⟧, ⟦e2⟧) ; eval
    ⟦let x = e1 in e2⟧ = prod(live projections, ⟦e1⟧) ; ⟦e2⟧
    ⟦λx. e⟧ = trim to the captured variables ; curry ⟦e⟧

After this stage there are no variables, only arrows. An environment holds live variables alone; a value used once, by
what comes next, is composed in place and never enters it.

References: *The Differentiable Curry* ("Recipe for AD: compile first to CCC algebra").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ccc.arrows import (
    Arrow,
    Cond,
    Const,
    Curry,
    Eval,
    Fix,
    Id,
    Iterate,
    Label,
    Prim,
    Prod,
    Proj,
    Scan,
    Terminal,
    Unfold,
    compose,
)
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
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
    free_variables,
    leaves,
)
from ccc.compile.program.sharing import mutable
from ccc.objects import UNIT, Coproduct, Exponential, Object, Product
from ccc.primitives import structure, sums
from ccc.primitives.widening import widen

DEPTH = 24  # expressions nest at most this deep before their value is named in the environment


def abstract(program: Program) -> Arrow:
    """The arrow term of a program, from the product of its parameters to its result.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> print(abstract(program_of(lambda x, y: x * y, (1.0, 2.0))))
    mult
    """
    params = [tree for _, tree in program.params]
    tree: Tree = params[0] if len(params) == 1 else tuple(params)
    variables = list(leaves(tree))
    dom = tree_object(tree)
    return Abstraction().block(program.block, variables, _entry(dom, tree, variables), program.result)


def tree_object(tree: Tree) -> Object:
    """The object of a tree of atoms."""
    if tree is None:
        return UNIT
    return Product(tuple(tree_object(part) for part in tree)) if isinstance(tree, tuple) else tree.object


def _entry(dom: Object, tree: VarTree, variables: list[Var]) -> Arrow:
    """From the nested value to the flat environment of `variables`."""
    paths: dict[Var, Arrow] = {}
    todo: list[tuple[VarTree, Arrow]] = [(tree, Id(dom))]
    while todo:
        node, path = todo.pop()
        if isinstance(node, tuple):
            assert isinstance(path.cod, Product)
            todo += [(part, compose(path, Proj(path.cod, i))) for i, part in enumerate(node)]
        elif node is not None:
            paths[node] = path
    return _fork(dom, [paths[v] for v in variables], whole=environment(variables))


def _fork(dom: Object, arrows: list[Arrow], whole: Object | None = None) -> Arrow:
    """The environment made of `arrows`: bare for one, terminal for none, the identity where they are its parts."""
    if not arrows:
        return Terminal(dom)
    if len(arrows) == 1:
        return arrows[0]
    if whole is not None and dom == whole and all(
        isinstance(f, Proj) and f.index == i for i, f in enumerate(arrows)
    ):
        return Id(dom)
    return Prod(tuple(arrows))


def environment(variables: list[Var]) -> Object:
    """The object of a flat environment: one variable is itself."""
    return variables[0].object if len(variables) == 1 else Product(tuple([v.object for v in variables]))


class Scope:
    """The variables that the current environment holds, and the projections to them."""

    __slots__ = ("made", "object", "positions", "variables")

    def __init__(self, variables: list[Var]) -> None:
        self.variables = variables
        self.object = environment(variables)
        self.positions = {v: i for i, v in enumerate(variables)}
        self.made: dict[Var, Arrow] = {}

    def projection(self, v: Var) -> Arrow:
        found = self.made.get(v)
        if found is None:
            bare = len(self.variables) == 1
            found = self.made[v] = Id(self.object) if bare else Proj(self.object, self.positions[v])  # type: ignore[arg-type]
        return found


class Pending:
    """A let that was read but not yet placed: it will be composed into its single user."""

    __slots__ = ("depth", "inner", "let")

    def __init__(self, let: Let, inner: dict[Var, Pending]) -> None:
        self.let = let
        self.inner = inner
        self.depth = 1 + max((p.depth for p in inner.values()), default=0)


class Abstraction:
    """One run of the translation; it remembers free variables of blocks."""

    def __init__(self) -> None:
        self.free: dict[int, list[Var]] = {}

    def reads(self, let: Let) -> list[Var]:
        """The variables that a let reads, those of its blocks once each."""
        found = [atom for atom in let.args if isinstance(atom, Var)]
        inner: dict[Var, None] = {}
        for block in let.op.blocks:
            inner.update(dict.fromkeys(free_variables(block, self.free)))
        return found + [v for v in inner if v not in let.targets]

    def block(self, block: Block, variables: list[Var], entry: Arrow, result: Tree) -> Arrow:
        """The arrow of a block whose environment holds `variables`; `entry` builds that environment."""
        uses: Counter[Var] = Counter()
        for let in block.lets:
            uses.update(self.reads(let))
        uses.update([atom for atom in leaves(result) if isinstance(atom, Var)])
        place = Placement(self, variables, entry, uses)
        for let in block.lets:
            place.read(let)
        return place.finish(result)

    def operation(self, let: Let, scope: Scope, atom: Callable[[Atom], Arrow]) -> Arrow:
        """⟦op(args)⟧ from the environment of `scope`."""
        op, dom = let.op, scope.object
        label = Label(let.targets[0].name if let.targets else "", let.span, let.adjoint, let.of)
        if isinstance(op, Apply):
            params = tuple(op.params.items())
            args = [atom(a) for a in let.args]
            args += [of_item_before(args, label)] if is_sized_change(let) else []
            cod = let.targets[0].object
            if len(args) == 1 and not isinstance(args[0].cod, Product):
                return compose(args[0], Prim(op.primitive, args[0].cod, cod, params, label))
            fork = Prod(tuple(args)) if args else Terminal(dom)
            return compose(fork, Prim(op.primitive, fork.cod, cod, params, label))
        if isinstance(op, Call):
            function, *args = [atom(a) for a in let.args]
            assert isinstance(function.cod, Exponential)
            wanted = function.cod.dom.parts if isinstance(function.cod.dom, Product) else (function.cod.dom,)
            args = [compose(a, _widen(a.cod, b)) for a, b in zip(args, wanted, strict=True)]
            return compose(Prod((function, _fork(dom, args))), Eval(function.cod))
        if isinstance(op, Lambda):
            return self.closure(op, let.targets[0], scope, label)
        if isinstance(op, Branch):
            return self.branch(op, let, scope)
        assert isinstance(op, (Loop, While))
        return self.loop(op, let, scope, atom)

    def captured(self, blocks: tuple[Block, ...], scope: Scope) -> list[Var]:
        """The variables of `scope` that the blocks read, in binding order."""
        wanted: set[Var] = set()
        for block in blocks:
            wanted.update(free_variables(block, self.free))
        return [v for v in scope.variables if v in wanted]

    def closure(self, op: Lambda, itself: Var, scope: Scope, label: Label) -> Arrow:
        """`curry`, or `fix` for a function that reads itself."""
        kept = self.captured((op.body,), scope)
        trim = _fork(scope.object, [scope.projection(v) for v in kept], environment(kept))
        params = tuple(op.body.params)
        argument: VarTree = params[0] if len(params) == 1 else params
        recursive = itself in free_variables(op.body, self.free)
        variables = [*kept, itself, *params] if recursive else [*kept, *params]
        tree: VarTree = ((_bare(kept), itself), argument) if recursive else (_bare(kept), argument)
        pair = tree_object(tree)
        body = self.block(op.body, variables, _entry(pair, tree, variables), _bare(op.body.results))
        assert isinstance(itself.object, Exponential)
        cod = itself.object.cod
        body = _widened(body, [cod] if len(op.body.results) == 1 else list(cod.parts))  # type: ignore[attr-defined]
        return compose(trim, Fix(body, label) if recursive else Curry(body, label))

    def branch(self, op: Branch, let: Let, scope: Scope) -> Arrow:
        (test,) = let.args
        inner = self.captured(op.blocks, scope)
        if isinstance(test, Var) and test not in inner:
            inner = [*inner, test]
        select = _fork(scope.object, [scope.projection(v) for v in inner], environment(inner))
        here = Scope(inner)
        flag = here.projection(test) if isinstance(test, Var) else Const(here.object, test.value, test.object)
        objects = [t.object for t in let.targets]
        arms = [
            _widened(self.block(b, inner, Id(here.object), _bare(b.results)), objects) for b in (op.then, op.orelse)
        ]
        return compose(select, Cond(flag, arms[0], arms[1]))

    def loop(self, op: Loop | While, let: Let, scope: Scope, atom: Callable[[Atom], Arrow]) -> Arrow:
        dom, count = scope.object, op.carries
        kept = self.captured(op.blocks, scope)
        context = _tuple_of(dom, [scope.projection(v) for v in kept])
        objects = [p.object for p in op.body.params[:count]]
        init = _tuple_of(dom, [_widened(atom(a), [o]) for a, o in zip(let.args[:count], objects, strict=True)])
        state = Product(tuple(objects))
        if isinstance(op, While):
            return compose(Prod((context, init)), self.repetition(op, kept, Product((context.cod, state)), objects))
        elements = Product(tuple([p.object for p in op.body.params[count:]]))
        triple = Product((context.cod, state, elements))
        tree = (tuple(kept), tuple(op.body.params[:count]), tuple(op.body.params[count:]))
        variables = kept + list(op.body.params)
        result = (tuple(op.body.results[:count]), tuple(op.body.results[count:]))
        body = self.block(op.body, variables, _entry(triple, tree, variables), result)
        body = _widened_pair(body, objects)
        scan = Scan(body, op.reverse)
        lists = _tuple_of(dom, [atom(a) for a in let.args[count:]])
        lists = _widened_tuple(lists, list(scan.dom.parts[2].parts))  # type: ignore[attr-defined]
        return compose(Prod((context, init, lists)), scan, _flat(scan.cod))

    def repetition(self, op: While, kept: list[Var], pair: Product, objects: list[Object]) -> Arrow:
        """`while` from the captured variables and the state to the flat tuple of its targets."""
        arrows: list[Arrow] = []
        for block in (op.test, op.body):
            tree: Tree = (tuple(kept), tuple(block.params))
            variables = kept + list(block.params)
            results = block.results
            outputs = (tuple(results[: op.carries]), tuple(results[op.carries :]))
            result: Tree = outputs if block is op.body else results[0]
            arrows.append(self.block(block, variables, _entry(pair, tree, variables), result))
        test, body = arrows[0], _widened_pair(arrows[1], objects)
        if len(op.body.results) > op.carries:
            loop = Unfold(test, body)
            return compose(loop, _flat(loop.cod))
        loop = Iterate(test, compose(body, Proj(body.cod, 0)))  # type: ignore[arg-type]
        state = Product(tuple(objects))
        return compose(loop, _fork(state, [Proj(state, i) for i in range(len(objects))], state))


def is_sized_change(let: Let) -> bool:
    """Whether a let puts an array or list in the place of an item, which may be of another size: it takes that as one
    argument more, of which the derivative asks the sizes, and would else keep the list for them."""
    p = let.application.primitive
    return p.overwrites == 0 and p.sizes == (len(let.args),) and mutable(let.args[1].object)


def of_item_before(args: Sequence[Arrow], label: Label) -> Arrow:
    """The item that a list has where another is put: it raises what putting it there would."""
    pair, item = Prod((args[0], args[2])), args[0].cod.item  # type: ignore[attr-defined]
    params = (("of", "list assignment"),)
    return compose(pair, Prim(structure.item, pair.cod, item, params, Label("", label.span, label.derived, label.of)))


def _flat(pair: Product) -> Arrow:
    """From the last state and the outputs of a loop, a pair of tuples, to one tuple; one part is bare."""
    sides = [(Proj(pair, i), part) for i, part in enumerate(pair.parts) if isinstance(part, Product)]
    flat = [compose(side, Proj(p, i)) for side, p in sides for i in range(len(p.parts))]
    return _fork(pair, flat)


def _bare(atoms: list[Any]) -> Any:
    return atoms[0] if len(atoms) == 1 else tuple(atoms)


def _tuple_of(dom: Object, arrows: list[Arrow]) -> Arrow:
    return Prod(tuple(arrows)) if arrows else Terminal(dom)


def _widened(arrow: Arrow, objects: list[Object]) -> Arrow:
    """`arrow` with its result seen at wider objects (int as real, one kind as any): the same value."""
    if len(objects) == 1:
        return compose(arrow, _widen(arrow.cod, objects[0]))
    return _widened_tuple(arrow, objects)


def _widened_tuple(arrow: Arrow, objects: list[Object]) -> Arrow:
    cod = arrow.cod
    assert isinstance(cod, Product)
    if all(a == b for a, b in zip(cod.parts, objects, strict=True)):
        return arrow
    parts = [compose(Proj(cod, i), _widen(cod.parts[i], b)) for i, b in enumerate(objects)]
    return compose(arrow, Prod(tuple(parts)))


def _widened_pair(arrow: Arrow, state: list[Object]) -> Arrow:
    pair = arrow.cod
    assert isinstance(pair, Product)
    s, y = Proj(pair, 0), Proj(pair, 1)
    widened = _widened_tuple(s, state)
    if widened is s:
        return arrow
    return compose(arrow, Prod((widened, y)))


def _widen(a: Object, b: Object) -> Arrow:
    if isinstance(b, Coproduct) and not isinstance(a, Coproduct):
        alone = Prod((Id(a),)) if isinstance(a, Product) else Id(a)
        return compose(alone, Prim(sums.inject, alone.cod, b, (("into", b),)))
    return Id(a) if a == b else Prim(widen, a, b)


class Placement:
    """Turns lets into steps of a chain, one environment to the next."""

    def __init__(self, abstraction: Abstraction, variables: list[Var], entry: Arrow, uses: Counter[Var]) -> None:
        self.abstraction = abstraction
        self.steps: list[Arrow] = [entry]
        self.uses = uses
        self.scope = Scope(variables)
        self.pending: list[Pending] = []
        live = [v for v in variables if uses[v]]
        if len(live) != len(variables):
            self.move(live, [])

    def read(self, let: Let) -> None:
        """Take the next let: compose the values waiting for it, or place them first."""
        waiting = {p.let.targets[0]: p for p in self.pending}
        wanted = [a for a in let.args if isinstance(a, Var) and a in waiting]
        top = [p.let.targets[0] for p in self.pending[len(self.pending) - len(wanted):]] if wanted else []
        inner: dict[Var, Pending] = {}
        if isinstance(let.op, Apply) and wanted == top:
            inner = {v: waiting[v] for v in wanted}
            del self.pending[len(self.pending) - len(wanted):]
        else:
            self.flush()
        node = Pending(let, inner)
        if isinstance(let.op, Apply) and self.uses[let.targets[0]] == 1 and node.depth < DEPTH:
            self.pending.append(node)
        else:
            self.flush()
            self.place(node)

    def flush(self) -> None:
        for node in self.pending:
            self.place(node)
        self.pending = []

    def arrow_of(self, node: Pending) -> Arrow:
        def atom(a: Atom) -> Arrow:
            if isinstance(a, Lit):
                return Const(self.scope.object, a.value, a.object)
            return self.arrow_of(node.inner[a]) if a in node.inner else self.scope.projection(a)

        return self.abstraction.operation(node.let, self.scope, atom)

    def consumed(self, node: Pending) -> None:
        for v in self.abstraction.reads(node.let):
            if v in node.inner:
                self.consumed(node.inner[v])
            else:
                self.uses[v] -= 1

    def place(self, node: Pending) -> None:
        """One step: the live part of the environment, and the new value."""
        arrow = self.arrow_of(node)
        self.consumed(node)
        targets = node.let.targets
        kept = [v for v in self.scope.variables if self.uses[v]]
        live = [v for v in targets if self.uses[v]]
        if len(targets) == 1:
            self.move(kept, [(targets[0], arrow)])  # also where nothing reads it: it may raise
            return
        dom = self.scope.object
        parts: list[Arrow] = [self.scope.projection(v) for v in kept]
        bundle = Product(tuple([*[v.object for v in kept], arrow.cod]))
        self.steps.append(Prod((*parts, arrow)))
        assert arrow.dom == dom
        outer = [Proj(bundle, i) for i in range(len(kept))]
        whole = Proj(bundle, len(kept))
        inner = [compose(whole, Proj(arrow.cod, i)) for i, v in enumerate(targets) if self.uses[v]]  # type: ignore[arg-type]
        self.steps.append(_fork(bundle, [*outer, *inner]))
        self.scope = Scope(kept + live)

    def move(self, kept: list[Var], new: list[tuple[Var, Arrow]]) -> None:
        arrows = [self.scope.projection(v) for v in kept] + [arrow for _, arrow in new]
        variables = kept + [v for v, _ in new]
        self.steps.append(_fork(self.scope.object, arrows, environment(variables)))
        self.scope = Scope(variables)

    def finish(self, result: Tree) -> Arrow:
        """The result as a tree of the last environment."""
        waiting = [p.let.targets[0] for p in self.pending]
        inner: dict[Var, Pending] = {}
        if [a for a in leaves(result) if a in waiting] == waiting:
            inner = {p.let.targets[0]: p for p in self.pending}
        else:
            self.flush()

        last = self.built(result, inner)
        if isinstance(last, Prod) and last.dom == last.cod and all(
            isinstance(f, Proj) and f.index == i for i, f in enumerate(last.arrows)
        ):
            last = Id(last.dom)
        return compose(*self.steps, last)

    def built(self, tree: Tree, inner: dict[Var, Pending]) -> Arrow:
        """A tree of the last environment and of what is composed into it."""
        if isinstance(tree, tuple):
            return _tuple_of(self.scope.object, [self.built(part, inner) for part in tree])
        if tree is None:
            return Terminal(self.scope.object)
        if isinstance(tree, Lit):
            return Const(self.scope.object, tree.value, tree.object)
        assert isinstance(tree, Var)
        return self.arrow_of(inner[tree]) if tree in inner else self.scope.projection(tree)
