"""Derivative programs: a λ-program is abstracted, read in a category on staged values, and read back.

    reverse    params |-> (value, cotangents)        the seed is 1
    pullback   params |-> (value, ct |-> cotangents)
    forward    (params, tangents) |-> (value, tangent)

The result is a program of the same language, so these compose. In which category is for others to say: the first two
take one whose arrows give pullbacks, the last one whose arrows move tangents, `ccc.compile.terms.meaning` any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from ccc.additive import ZERO, Contribution, Zero, add, dense, parts
from ccc.categories.pointwise import Pointwise
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.program.lam import (
    Apply,
    Block,
    Claim,
    FunctionLeaf,
    Lit,
    Loop,
    Node,
    Program,
    Tree,
    Var,
    VarTree,
    label,
    leaves,
    lets_in,
    like,
)
from ccc.compile.program.sharing import may_share
from ccc.compile.terms import staging
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.readback import finished
from ccc.compile.terms.scalar_results import checked, pulled_result, seed_for, shown, span_of
from ccc.compile.terms.staged import Staged
from ccc.compile.terms.wanted import Part, Steps, conjugated, moved, object_at, pulled, tangent_at
from ccc.denotation import functor
from ccc.errors import HigherOrderBoundary
from ccc.objects import (
    Array,
    Bool,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    functions_in,
    is_discrete,
    is_of_any_kind,
)
from ccc.primitives import arithmetic, boundary, zero_trees
from ccc.records import path_to


def check_first_order(program: Program) -> None:
    """Refuse a result that holds a function: its cotangent cannot be made by a caller."""
    def walk(tree: Tree, path: str) -> None:
        if isinstance(tree, tuple):
            for name, part in named_parts(tree):
                walk(part, path + name)
        elif isinstance(tree, FunctionLeaf):
            raise HigherOrderBoundary(f"{path} is a function: a pullback takes cotangents of numbers only",
                                      "apply the function inside, or use ccc.vjp_probe").at(tree.span)
        elif tree is not None:
            for found in functions_in(tree.object, path):
                raise HigherOrderBoundary(f"{found}: a pullback takes cotangents of numbers only",
                                          "apply the function inside, or use ccc.vjp_probe").at(span_of(tree))

    walk(program.result, "result")


def named_parts(tree: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """The parts of a tuple or record, each with how Python would reach it."""
    if not isinstance(tree, Node):
        return [(f"[{i}]", part) for i, part in enumerate(tree)]
    labels = [path_to(tree.cls, name) for name in tree.names]
    return list(zip(labels, tree, strict=True))


class Recording:
    """A staging in progress: the parameters of the program as staged values, and the arrow to run on them."""

    def __init__(self, program: Program) -> None:
        check_first_order(program)
        trees = [*[tree for _, tree in program.params], program.result]
        exact = any(leaf.object == Real("fraction") for tree in trees for leaf in leaves(tree))
        self.staging = staging.Staging(exact=exact)
        self.program = program
        self.term = abstract(program)
        self.params: list[tuple[str, VarTree]] = [(name, self.fresh(name, tree)) for name, tree in program.params]

    def fresh(self, name: str, tree: VarTree) -> VarTree:
        if isinstance(tree, tuple):
            return like(tree, [self.fresh(f"{name}_{label(tree, i)}", part) for i, part in enumerate(tree)])
        return None if tree is None else self.staging.param(self.staging.block, tree.name or name, tree.object)

    def holds_any_kind(self) -> bool:
        """Whether the kind of some number shows when the program runs: beside one of NumPy's, arrays get wider."""
        block = self.staging.block
        found = [*block.params, *[x for let in lets_in(block) for x in let.targets]]
        return any(holds(x.object, is_of_any_kind) for x in found)

    def read(self, category: Pointwise, x: Any) -> Any:
        """What the program means in a category, at what stands there for its argument."""
        return functor(category.over(self.staging), self.term)(x)

    def finished(self, suffix: str, result: Tree, params: list[tuple[str, VarTree]] | None = None) -> Program:
        name = f"{self.program.name}_{suffix}"
        if params is not None:  # in the place of the program's own
            self.staging.block.params = [leaf for _, tree in params for leaf in leaves(tree) if isinstance(leaf, Var)]
        found = finished(name, self.params if params is None else params, self.staging.block, self.atoms(result))
        self.staging.seen.clear()
        return found

    def atoms(self, tree: Tree) -> Tree:
        if isinstance(tree, tuple):
            return like(tree, map(self.atoms, tree))
        return None if tree is None else tree if isinstance(tree, Lit) else self.staging.atom(tree)


def value_of(trees: Sequence[Tree]) -> Any:
    """Parameters as the argument of the term: one is bare, None is the unit."""
    values = [_unit(tree) for tree in trees]
    return values[0] if len(values) == 1 else tuple(values)


def _unit(tree: Tree) -> Any:
    return tuple(map(_unit, tree)) if isinstance(tree, tuple) else () if tree is None else tree


def handed_out(value: Any, cts: Any, with_value: bool, aux: bool) -> Any:
    """What a gradient gives: the cotangents, behind the value or before what is only handed out."""
    return (value, cts) if with_value else (cts, value[1]) if aux else cts


def reverse(
    program: Program, wrt: Sequence[Part], category: Pointwise, bare: bool, value: bool, aux: bool = False,
    verb: str = "gradient",
) -> Program:
    """The program of the cotangents of the parameters in `wrt`, `bare` for the one; with `value`, of both. With `aux`
    the result is a pair, and its second part is handed out as it is."""
    r = Recording(program)
    seed = seed_for(program, aux, verb)
    y, pullback = r.read(category, value_of([t for _, t in r.params]))
    seed = checked(seed, y, program, aux)
    r.staging.adjoint = True
    ct = pullback(seed)
    cts = cotangents(r, ct, wrt)
    found = cts[0] if bare else cts
    return r.finished("gradient", handed_out(settle_value(r, y) if value or aux else None, found, value, aux))


def pullback(program: Program, wrt: Sequence[Part], category: Pointwise, bare: bool, aux: bool = False) -> Program:
    """The program of (value, pullback): the pullback owns what it reads. With `aux` the result is a pair, and the
    pullback takes a cotangent of its first part."""
    r = Recording(program)
    pulled = pulled_result(program, aux)
    st = r.staging
    owned = [_owned(tree) for _, tree in r.params]
    y, pb = r.read(category, value_of(owned))
    value = settle_value(r, y)
    seeds = [(f"ct{i}" if i else "ct", leaf.object) for i, leaf in enumerate(leaves(pulled))
             if isinstance(leaf, Var) and not is_discrete(leaf.object)]

    def run(cts: Sequence[Any]) -> Any:
        given = iter(cts)
        outer, st.adjoint = st.adjoint, True
        ct = seeded(pulled, given)
        found = cotangents(r, pb((ct, ZERO) if aux else ct), wrt, owned)
        st.adjoint = outer
        return found[0] if bare else found

    function, (block, found) = st.function(seeds, run)
    tree = r.atoms(found)
    block.results, block.tree = list(leaves(tree)), tree
    claim(r, block, block.params)
    return r.finished("pullback", (_owned(value), function))


def vjp(program: Program, wrt: Sequence[Part], category: Pointwise, bare: bool, zeros: Any = False) -> Program:
    """The program of the cotangents, from the parameters followed by the cotangent of the result, of which `zeros` says
    where it is known to be zero."""
    r = Recording(program)
    r.staging.apart = r.staging.alike = True
    y, pb = r.read(category, value_of([t for _, t in r.params]))
    seeds = _seeds(r, r.atoms(settle_value(r, y)), zeros)
    r.staging.adjoint = True
    cts = cotangents(r, pb(_unseeded(seeds)), wrt)
    claim(r, r.staging.block, leaves(seeds))
    return r.finished("vjp", cts[0] if bare else cts, [*r.params, ("ct", seeds)])


def claim(r: Recording, block: Block, of: Iterable[Any]) -> None:
    """Claim that what a block gives is linear in these of its parameters together."""
    found = tuple([param for param in of if isinstance(param, Var)])
    block.claim = Claim(found, r.staging.given_in) if found else None


def _seeds(r: Recording, value: Tree, zeros: Any) -> VarTree:
    """A parameter for the cotangent of each real leaf of the value that is not known to be zero."""
    if isinstance(value, tuple):
        return like(value, [_seeds(r, part, zero) for part, zero in zip(value, spread(zeros, value), strict=True)])
    if not isinstance(value, (Var, Lit)) or is_discrete(value.object) or zeros is True:
        return None
    return r.staging.param(r.staging.block, "ct", value.object)


def spread(zeros: Any, tree: tuple[Any, ...]) -> Sequence[Any]:
    """What is known of the parts of a tuple or record: whether they are zero."""
    return zeros if isinstance(zeros, tuple) and len(zeros) == len(tree) else [zeros is True] * len(tree)


def _unseeded(seeds: Tree) -> Any:
    if isinstance(seeds, tuple):
        return like(seeds, conjugated(seeds, [*map(_unseeded, seeds)]))
    return ZERO if seeds is None else seeds


def seeded(value: Tree, given: Any) -> Any:
    """The cotangent of a value: those given for its real leaves, zero for the others."""
    if isinstance(value, tuple):
        return like(value, conjugated(value, [seeded(part, given) for part in value]))
    return next(given) if isinstance(value, Var) and not is_discrete(value.object) else ZERO


def _owned(tree: Any) -> Any:
    if isinstance(tree, tuple):
        return like(tree, map(_owned, tree))
    if isinstance(tree, Staged) and isinstance(tree.object, (Array, List, Map, Coproduct)):
        name = tree.name
        copy = boundary.own(tree)
        copy.name = name
        return copy
    return tree


def forward(
    program: Program, wrt: Sequence[Part], category: Pointwise, ones: bool = False, zeros: Sequence[Any] = (),
    aux: bool = False,
) -> Program:
    """The program of the tangent of the result, from the parameters followed by the tangents of those in `wrt`.

    With `ones` the tangents are the number 1 and no parameters; `zeros` says of each where it is known to be zero. With
    `aux` the result is a pair, of which the first part has a tangent; with `ones` the other is handed out as it is.
    """
    pulled_result(program, aux)  # refused where that is no pair
    r = Recording(program)
    params = list(r.params)
    tangents: list[Any] = [ZERO] * len(params)
    known_zeros = iter(zeros)
    for i, steps in wrt:
        name, tree = r.params[i]
        if ones:
            if not _is_number(tree):
                raise WrongArguments(f"derivative is for functions of one number; `{name}` is {shown(tree)}",
                                     help="take ccc.gradient(f), or ccc.jacobian(f)")
            tangents[i] = Fraction(1) if r.staging.exact else 1.0
        else:
            zero = next(known_zeros, False)
            d, made = tangent_at(
                tree, steps, lambda part, rest, n=name, zero=zero: _tangents(r, f"d{n}", part, rest, zero))
            tangents[i] = add(tangents[i], d)
            params.append((f"d{name}", made))
    x = value_of([t for _, t in r.params])
    dx = tangents[0] if len(tangents) == 1 else tuple(tangents)
    r.staging.apart = r.staging.alike = not ones
    y, dy = r.read(category, (x, dx))
    value = settle_value(r, y)
    claim(r, r.staging.block, [leaf for _, tree in params[len(r.params) :] for leaf in leaves(tree)])
    found = tangent_tree(r, dy, value)
    if aux:
        found = (found[0], value[1]) if ones else found[0]  # type: ignore[index]
    return r.finished("differential", found, params)


def _is_number(tree: Tree) -> bool:
    a = tree.object if isinstance(tree, (Var, Lit)) else None
    return isinstance(a, (Real, Int, Bool)) or (isinstance(a, Array) and a.axes in ((), None))


def _tangents(r: Recording, name: str, tree: VarTree, rest: Steps, zeros: Any) -> tuple[Any, VarTree]:
    if isinstance(tree, tuple):
        pairs = [_tangents(r, f"{name}_{label(tree, i)}", part, rest, zero)
                 for i, (part, zero) in enumerate(zip(tree, spread(zeros, tree), strict=True))]
        return tuple([d for d, _ in pairs]), like(tree, [made for _, made in pairs])
    if tree is None or is_discrete(object_at(tree.object, rest)) or zeros is True:
        return ZERO, None
    var = r.staging.param(r.staging.block, name, object_at(tree.object, rest))
    return moved(tree, rest, var), var


def settle_value(r: Recording, y: Any) -> Tree:
    """The value in the shape of the program's result."""
    return _settled(r.program.result, y)


def _settled(tree: Tree, y: Any) -> Tree:
    if isinstance(tree, tuple):
        return like(tree, [_settled(t, v) for t, v in zip(tree, y, strict=True)])
    return None if tree is None else y


def tangent_tree(r: Recording, dy: Any, value: Tree) -> Any:
    if isinstance(value, tuple):
        return like(value, [tangent_tree(r, d, v) for d, v in zip(parts(dy, len(value)), value, strict=True)])
    if not isinstance(value, Staged):
        return None if value is None or isinstance(value, (bool, int, str)) else 0.0
    return leaf_for(r, dy, value)


def cotangents(r: Recording, ct: Any, wrt: Sequence[Part], params: Sequence[VarTree] | None = None) -> tuple[Tree, ...]:
    """The cotangents of the parameters in `wrt`, with the structure and kinds of these parameters."""
    trees = [t for _, t in r.params] if params is None else params
    cts = (ct,) if len(trees) == 1 else parts(ct, len(trees))
    used: set[Any] = set()
    return tuple([_cotangent(r, *pulled(cts[i], trees[i], steps), used) for i, steps in wrt])


def _cotangent(r: Recording, ct: Any, tree: VarTree, used: set[Any]) -> Tree:
    if isinstance(tree, tuple):
        return like(tree, [_cotangent(r, c, t, used)
                           for c, t in zip(conjugated(tree, parts(ct, len(tree))), tree, strict=True)])
    if tree is None:
        return None
    assert isinstance(tree, Staged)
    leaf = leaf_for(r, ct, tree)
    if isinstance(leaf, Staged) and isinstance(leaf.object, (Array, List, Map)):
        while leaf in used or leaf.home is not r.staging.block:  # another part of the result, or of each call
            leaf = boundary.conform(leaf, tree)
        used.add(leaf)
    if isinstance(leaf, Staged) and not leaf.name and leaf.definition is not None:
        leaf.name = f"d{tree.name}"
    return leaf


def leaf_for(r: Recording, ct: Any, x: Staged) -> Any:
    """One cotangent or tangent as the user gets it: the kind, dtype and shape of `x`, and new."""
    a = x.object
    if is_discrete(a):
        return None
    if isinstance(ct, Zero) and isinstance(a, Map):
        return zero_trees.zeros_like(x)
    if isinstance(ct, Zero) and holds(a, lambda x: isinstance(x, Coproduct)):  # where None stands for zero
        ct = zero_trees.zeros_like(x)
    if isinstance(ct, Zero):
        return zero_trees.zero_for(x) if not isinstance(a, Real) or a.kind == "fraction" else _kind(r, 0.0, x)
    if isinstance(ct, Contribution):
        ct = ct.dense()
    ct = dense(ct)
    if isinstance(a, Real):
        return _kind(r, ct, x)
    if isinstance(ct, Staged) and isinstance(a, Array) and fits(ct, a) and owns_its_memory(ct) and (
            a.dtype == "float64" or not r.holds_any_kind()):
        return ct
    if isinstance(ct, Staged) and isinstance(a, List) and ct.object == a and is_output(ct):
        return ct
    return r.staging.apply(boundary.conform, (ct, x), {}, None)


def holds(a: Object, test: Callable[[Object], bool]) -> bool:
    """True for an object that passes a test, and for what holds some such."""
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, (List, Map)) else ()
    return test(a) or any(holds(x, test) for x in (*inside, *getattr(a, "alternatives", ())))


def _kind(r: Recording, ct: Any, x: Staged) -> Any:
    a: Real = x.object  # type: ignore[assignment]
    found = ct.object if isinstance(ct, Staged) else None
    if is_of_any_kind(a):  # which kind it is shows when it runs
        return r.staging.apply(boundary.of_kind, (ct, x), {}, None)
    if a.kind == "fraction" or (found is None and a.kind == "float" and type(ct) is float):
        return ct
    if found == a and is_said_by_running(ct):
        return ct
    convert = {"float": arithmetic.to_float, "float64": arithmetic.to_float64, "float32": arithmetic.to_float32}
    primitive = convert.get(a.kind)
    return ct if primitive is None else r.staging.apply(primitive, (ct,), {}, None)


def is_said_by_running(ct: Staged) -> bool:
    """Whether the kind of a number is surely the one of its object: what computes it was run to find that out, or it is
    given nothing but Python's own numbers."""
    from ccc.primitives.primitive import by_sampling, elementwise

    op = ct.definition.op if ct.definition is not None else None
    if not isinstance(op, Apply) or op.primitive.type_rule in (elementwise, by_sampling):
        return True
    return not any(isinstance(x.object, Array) or (isinstance(x.object, Real) and x.object.kind != "float")
                   for x in ct.definition.args)  # type: ignore[union-attr]


def fits(ct: Staged, a: Object) -> bool:
    """True where the cotangent surely has the dtype and shape of an array of this object."""
    b = ct.object
    return (
        isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and a.axes is not None
        and a.axes == b.axes and "?" not in a.axes
    )


def is_output(ct: Staged) -> bool:
    """True for a list of scalars that a loop has built."""
    let = ct.definition
    a = ct.object
    scalars = isinstance(a, List) and isinstance(a.item, Real)
    return scalars and let is not None and isinstance(let.op, Loop) and let.targets.index(ct) >= let.op.carries


def owns_its_memory(ct: Staged) -> bool:
    """True where the array was made by an operation that never returns a view or its argument."""
    let = ct.definition
    op = let.op if let is not None else None
    if isinstance(op, Loop) and let is not None:  # summed up from zeros
        position = let.targets.index(ct)
        init = let.args[position] if position < op.carries else None
        made = init.definition.op if isinstance(init, Var) and init.definition is not None else None
        return isinstance(made, Apply) and made.primitive is zero_trees.zeros_like
    return isinstance(op, Apply) and not may_share(op)
