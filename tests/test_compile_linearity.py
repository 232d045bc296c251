"""A pullback is linear in its cotangents, and a differential in its tangents: what planted passes make of one that is
not is found, what stays linear is not, and claims stay with their programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.engine import Pass, run
from ccc.compile.passes.improve import PASSES
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program import linearity
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Call,
    Claim,
    Lambda,
    Let,
    Lit,
    Loop,
    Op,
    Program,
    Var,
    While,
    lets_in,
)
from ccc.compile.program.linearity import NESTED, claimed, mistake
from ccc.compile.program.verify import BrokenProgram, verify
from ccc.compile.terms.derive import vjp
from ccc.compile.terms.plan import Plan, derived
from ccc.compile.terms.wanted import Part
from ccc.objects import INT, REAL, Exponential, List
from ccc.primitives import arithmetic, elementary_math, indexing, structure, zero_trees

X = np.array([1.0, 2.0, 3.0])


def real(x: float, xs: list[float]) -> float:
    s = 0.0
    for y in xs:
        s = s + y * x if y > x else s - 1.0
    while s > 10.0:
        s = s / 2.0
    return s + x * x


def recursive(x: float, n: int) -> float:
    def go(y: float, k: int) -> float:
        return y if k == 0 else go(math.sin(y) * x, k - 1)

    return go(x, n)


def of_arrays(x: np.ndarray) -> Any:
    return x * np.exp(x)[0]


def program_of(f: Callable[..., Any], args: tuple[Any, ...], kind: str = "pullback", curry: Any = ccc.Delta) -> Program:
    return derived(Plan(kind, (0,), curry(), True), elaborate(f, args, {}).program)


# -- what planted passes write -----------------------------------------------------------------------------------------


def pullback_of(program: Program) -> Block:
    """The body of the pullback that a program gives."""
    result: Any = program.result
    return result[1].definition.op.body


def find(block: Block, kind: type[Op], n: int = 0) -> Any:
    return [let for let in lets_in(block) if isinstance(let.op, kind)][n]


def put(block: Block, primitive: Any, *args: Any, at: int | None = None, **params: Any) -> Var:
    """A let of a primitive, by default the last one of a block."""
    atoms: list[Atom] = [x if isinstance(x, Var) else Lit(x, INT if isinstance(x, int) else REAL) for x in args]
    let = Let(Apply(primitive, params), atoms, adjoint=True)
    block.lets.insert(len(block.lets) if at is None else at, let)
    return let.target("", primitive.type_of(tuple([a.object for a in atoms]), params), block)


def give(block: Block, result: Var) -> None:
    """Let a block give one value."""
    block.results[:] = [result]
    block.tree = result


def squared(program: Program) -> None:
    body = pullback_of(program)
    give(body, put(body, arithmetic.mul, body.results[0], body.results[0]))


def one_more(program: Program) -> None:
    body = pullback_of(program)
    give(body, put(body, arithmetic.add, body.results[0], 1.0))


def cosine(program: Program) -> None:
    body = pullback_of(program)
    give(body, put(body, elementary_math.cos, body.results[0]))


def a_constant(program: Program) -> None:
    give(pullback_of(program), program.block.params[0])


def divided_by_it(program: Program) -> None:
    body = pullback_of(program)
    give(body, put(body, arithmetic.div, 1.0, body.params[0]))


def an_item_at_it(program: Program) -> None:
    body = pullback_of(program)
    at = put(body, arithmetic.to_int, body.params[0])
    item = put(body, structure.item, program.block.params[1], at)
    give(body, put(body, arithmetic.mul, item, body.params[0]))


def a_branch_on_it(program: Program) -> None:
    body = pullback_of(program)
    test = put(body, arithmetic.greater, body.params[0], 0.0)
    branched(body, test, body.params[0], Lit(0.0, REAL))


def branched(body: Block, test: Var, *arms: Atom) -> None:
    then, orelse = Block(BlockKind.BRANCH, body), Block(BlockKind.BRANCH, body)
    then.results, orelse.results = [arms[0]], [arms[1]]
    let = Let(Branch(then, orelse), [test], adjoint=True)
    body.lets.append(let)
    give(body, let.target("", REAL, body))


def a_constant_in_one_arm(program: Program) -> None:
    body = pullback_of(program)
    test = put(body, arithmetic.greater, program.block.params[0], 0.0)
    branched(body, test, body.params[0], Lit(1.0, REAL))


def a_loop_as_often_as_it_says(program: Program) -> None:
    """Each run is linear, how many there are is not."""
    body = pullback_of(program)
    runs = put(body, structure.span, put(body, arithmetic.to_int, body.params[0]))
    looped(body, runs, lambda inner, param: put(inner, arithmetic.add, param, body.params[0]))


def looped(body: Block, along: Var, step: Callable[[Block, Var], Var], start: Atom | None = None) -> None:
    inner = Block(BlockKind.LOOP, body)
    param = inner.param("", REAL)
    inner.param("", along.object.item)  # type: ignore[attr-defined]
    inner.results = [step(inner, param)]
    let = Let(Loop(inner, 1, False), [start or body.params[0], along], adjoint=True)
    body.lets.append(let)
    give(body, let.target("", REAL, body))


def squared_in_a_loop(program: Program) -> None:
    body = pullback_of(program)
    looped(body, program.block.params[1], lambda inner, param: put(inner, arithmetic.mul, param, param))


def added_to_in_a_loop(program: Program) -> None:
    """What the first run carries is linear; what the second one does is not."""
    body = pullback_of(program)
    looped(body, program.block.params[1], lambda inner, param: put(inner, arithmetic.add, param, inner.params[1]))


def a_while_that_tests_it(program: Program) -> None:
    body = pullback_of(program)
    test, inner = Block(BlockKind.TEST, body), Block(BlockKind.LOOP, body)
    test.results = [put(test, arithmetic.greater, test.param("", REAL), 1.0)]
    inner.results = [put(inner, arithmetic.div, inner.param("", REAL), 2.0)]
    let = Let(While(test, inner), [body.params[0]], adjoint=True)
    body.lets.append(let)
    give(body, let.target("", REAL, body))


def a_function_that_squares(program: Program) -> None:
    """The function is kept by a loop, and called behind it."""
    kept_and_called(program, lambda block, ct: put(block, arithmetic.mul, ct, ct))


def kept_and_called(program: Program, result: Callable[[Block, Var], Var]) -> None:
    """A function that each run of a loop keeps in a list, and that one loop more calls."""
    body = pullback_of(program)
    a = Exponential(REAL, REAL)
    keeping, calling, block = Block(BlockKind.LOOP, body), Block(BlockKind.LOOP, body), Block(BlockKind.FUNCTION, body)
    keeping.param("", REAL)
    block.parent = keeping
    block.results = [result(block, block.param("ct", REAL))]
    made = Let(Lambda(block), [], adjoint=True)
    keeping.lets.append(made)
    keeping.results = [made.target("kept", a, keeping)]
    first = Let(Loop(keeping, 0, False), [program.block.params[1]], adjoint=True)
    functions = first.target("", List(a), body)
    total, function = calling.param("", REAL), calling.param("", a)
    call = Let(Call(), [function, total], adjoint=True)
    calling.lets.append(call)
    calling.results = [call.target("", REAL, calling)]
    second = Let(Loop(calling, 1, False), [body.params[0], functions], adjoint=True)
    body.lets += [first, second]
    give(body, second.target("", REAL, body))


def nested_functions(program: Program, result: Callable[[Block, Var], Var]) -> None:
    """A loop that carries a function, of which each run makes another one that calls it."""
    body = pullback_of(program)
    a = Exponential(REAL, REAL)
    first, inner, block = Block(BlockKind.FUNCTION, body), Block(BlockKind.LOOP, body), Block(BlockKind.FUNCTION, body)
    first.results = [first.param("ct", REAL)]
    made = Let(Lambda(first), [], adjoint=True)
    body.lets.append(made)
    carried = inner.param("", a)
    inner.param("", REAL)
    block.parent = inner
    call = Let(Call(), [carried, block.param("ct", REAL)], adjoint=True)
    block.lets.append(call)
    block.results = [result(block, call.target("", REAL, block))]
    again = Let(Lambda(block), [], adjoint=True)
    inner.lets.append(again)
    inner.results = [again.target("", a, inner)]
    loop = Let(Loop(inner, 1, False), [made.target("", a, body), program.block.params[1]], adjoint=True)
    last = Let(Call(), [loop.target("", a, body), body.params[0]], adjoint=True)
    body.lets += [loop, last]
    give(body, last.target("", REAL, body))


def nested_functions_that_square(program: Program) -> None:
    nested_functions(program, lambda block, ct: put(block, arithmetic.mul, ct, ct))


def functions_in_functions(program: Program, result: Callable[[Block, Var], Var]) -> None:
    body = pullback_of(program)
    give(body, chained(body, result, body.params[0]))


def chained(body: Block, result: Callable[[Block, Var], Var], given: Var) -> Var:
    """What functions give of which each calls the one before it, more of them than statuses are nested deep."""
    function, step = None, result
    for _ in range(NESTED + 3):
        block = Block(BlockKind.FUNCTION, body)
        ct = block.param("ct", REAL)
        block.results = [step(block, ct if function is None else called(block, function, ct))]
        made = Let(Lambda(block), [], adjoint=True)
        body.lets.append(made)
        function = made.target("", Exponential(REAL, REAL), body)
        step = doubling
    assert function is not None
    return called(body, function, given)


def called(block: Block, function: Var, ct: Var) -> Var:
    call = Let(Call(), [function, ct], adjoint=True)
    block.lets.append(call)
    return call.target("", REAL, block)


def doubling(block: Block, ct: Var) -> Var:
    return put(block, arithmetic.mul, ct, 2.0)


def functions_in_functions_that_square(program: Program) -> None:
    functions_in_functions(program, lambda block, ct: put(block, arithmetic.mul, ct, ct))


def functions_in_functions_that_add(program: Program) -> None:
    functions_in_functions(program, lambda block, ct: put(block, arithmetic.add, ct, program.block.params[0]))


def functions_in_functions_of_a_loop(program: Program) -> None:
    """They multiply by what the loop carries: zero in the first run, and then the cotangent."""
    body = pullback_of(program)
    (ct,) = body.params

    def step(inner: Block, carried: Var) -> Var:
        product = chained(inner, lambda block, x: put(block, arithmetic.mul, x, carried), ct)
        return put(inner, arithmetic.add, ct, product)

    looped(body, program.block.params[1], step, Lit(0.0, REAL))


def a_function_bound_later_that_squares(program: Program) -> None:
    body = pullback_of(program)
    a = Exponential(REAL, REAL)
    calling, squaring = Block(BlockKind.FUNCTION, body), Block(BlockKind.FUNCTION, body)
    ct = squaring.param("ct", REAL)
    squaring.results = [put(squaring, arithmetic.mul, ct, ct)]
    later = Let(Lambda(squaring), [], adjoint=True)
    calling.results = [called(calling, later.target("", a, body), calling.param("ct", REAL))]
    first = Let(Lambda(calling), [], adjoint=True)
    body.lets += [first, later]
    give(body, called(body, first.target("", a, body), body.params[0]))


def a_while_of_two_results(program: Program, result: Callable[[Block, Var], Var]) -> None:
    """A `while` loop that gives the last value and the list of them all, of which the first one is handed out."""
    body = pullback_of(program)
    test, inner = Block(BlockKind.TEST, body), Block(BlockKind.LOOP, body)
    test.results = [put(test, arithmetic.less, test.param("", INT), 3)]
    count = inner.param("", INT)
    inner.results = [put(inner, arithmetic.add, count, 1), result(inner, body.params[0])]
    let = Let(While(test, inner), [Lit(0, INT)], adjoint=True)
    body.lets.append(let)
    let.target("", INT, body)
    give(body, put(body, structure.item, let.target("", List(REAL), body), 0))


def a_while_that_collects_squares(program: Program) -> None:
    a_while_of_two_results(program, lambda block, ct: put(block, arithmetic.mul, ct, ct))


def a_pullback_of_a_call_squared(program: Program) -> None:
    """The pullback of a recursive function, which calls itself."""
    inner = find(pullback_of(program), Call).args[0].definition
    body = inner.op.blocks[0]
    body.results[0] = put(body, arithmetic.mul, body.results[0], body.results[0])


def a_call_with_a_constant(program: Program) -> None:
    call = find(pullback_of(program), Call)
    call.args[-1] = Lit(1.0, REAL)


def a_tangent_and_its_value(program: Program) -> None:
    result = put(program.block, arithmetic.add, program.result, program.block.params[0])
    program.block.results[:] = [result]
    program.result = result


def a_claim_dropped(program: Program) -> None:
    pullback_of(program).claim = None


REAL_ARGS, CALL_ARGS = (0.5, [1.0, 2.0]), (0.5, 3)
BREAKS: list[tuple[Callable[[Program], None], Callable[..., Any], tuple[Any, ...], str]] = [
    *[(broken, real, REAL_ARGS, "pullback") for broken in (
        squared, one_more, cosine, a_constant, divided_by_it, an_item_at_it, a_branch_on_it, a_constant_in_one_arm,
        a_loop_as_often_as_it_says, squared_in_a_loop, added_to_in_a_loop, a_while_that_tests_it,
        functions_in_functions_that_square, functions_in_functions_that_add, functions_in_functions_of_a_loop,
        a_function_bound_later_that_squares, a_while_that_collects_squares, a_claim_dropped)],
    (a_pullback_of_a_call_squared, recursive, CALL_ARGS, "pullback"),
    (a_call_with_a_constant, recursive, CALL_ARGS, "pullback"),
    (a_tangent_and_its_value, real, REAL_ARGS, "differential"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "f", "args", "kind"), BREAKS)
def test_what_is_not_linear_is_found(
    broken: Callable[[Program], None], f: Callable[..., Any], args: tuple[Any, ...], kind: str
) -> None:
    program = program_of(f, args, kind)

    def rewrite(program: Program) -> bool:
        broken(program)
        return True

    with pytest.raises(BrokenProgram) as error:
        run(program, [Pass("planted", "It breaks the rule.", rewrite)], verified=True)
    assert error.value.rule == "linear", str(error.value)
    if broken is squared:
        assert str(error.value).splitlines()[:2] == [
            "planted broke linear: `t` is not linear in `ct`", "  t = dx * dx"]


# -- what stays linear -------------------------------------------------------------------------------------------------


def a_square_that_nothing_gives(program: Program) -> None:
    body = pullback_of(program)
    put(body, arithmetic.mul, body.params[0], body.params[0])


def a_square_read_for_its_sizes(program: Program) -> None:
    body = pullback_of(program)
    (ct,) = body.params
    zero = put(body, zero_trees.zeros_like, put(body, arithmetic.mul, ct, ct))
    give(body, put(body, arithmetic.add, put(body, arithmetic.add, zero, ct), body.results[0]))


def added_to_in_a_loop_of_it(program: Program) -> None:
    body = pullback_of(program)
    looped(body, program.block.params[1], lambda inner, param: put(
        inner, arithmetic.add, put(inner, arithmetic.mul, param, inner.params[1]), body.params[0]))


def a_function_that_doubles(program: Program) -> None:
    kept_and_called(program, doubling)


def nested_functions_that_double(program: Program) -> None:
    nested_functions(program, doubling)


def functions_in_functions_that_double(program: Program) -> None:
    functions_in_functions(program, doubling)


def a_while_that_collects_doubles(program: Program) -> None:
    a_while_of_two_results(program, doubling)


def pairs_of_a_constant_and_it(program: Program) -> None:
    body = pullback_of(program)
    pair = put(body, structure.pack, program.block.params[0], body.params[0])
    give(body, put(body, arithmetic.mul, put(body, structure.part, pair, index=0),
                   put(body, structure.part, pair, index=1)))  # fmt: skip


def a_constant_and_it_nested_deep(program: Program) -> None:
    body = pullback_of(program)
    pair = put(body, structure.pack, program.block.params[0], body.params[0])
    for _ in range(NESTED + 1):
        pair = put(body, structure.pack, pair)
    for _ in range(NESTED + 1):
        pair = put(body, structure.part, pair, index=0)
    give(body, put(body, arithmetic.mul, *[put(body, structure.part, pair, index=i) for i in (0, 1)]))


@pytest.mark.parametrize("changed", [
    a_square_that_nothing_gives, added_to_in_a_loop_of_it, functions_in_functions_that_double,
    a_while_that_collects_doubles, pairs_of_a_constant_and_it, a_constant_and_it_nested_deep,
])  # fmt: skip
def test_what_is_linear_is_not_found(changed: Callable[[Program], None]) -> None:
    program = program_of(real, REAL_ARGS)
    changed(program)
    verify(program)


@pytest.mark.parametrize(("changed", "linear"), [
    (a_function_that_squares, False), (nested_functions_that_square, False),
    (a_function_that_doubles, True), (nested_functions_that_double, True),
])  # fmt: skip
def test_functions_that_loops_hand_on_are_told_apart_too(changed: Callable[[Program], None], linear: bool) -> None:
    """No program has any (rule `kept`), but what tells linear ones apart looks into them."""
    program = program_of(real, REAL_ARGS)
    changed(program)
    assert (mistake(program) is None) is linear


def test_what_is_read_for_its_sizes_may_be_anything() -> None:
    program = program_of(of_arrays, (X,))
    a_square_read_for_its_sizes(program)
    verify(program)


def test_an_entry_of_a_pair_that_is_a_constant_is_found() -> None:
    program = program_of(real, REAL_ARGS)
    body = pullback_of(program)
    pair = put(body, structure.pack, program.block.params[0], body.params[0])
    give(body, put(body, structure.part, pair, index=0))
    assert mistake(program) is not None


def test_an_array_indexed_by_it_is_found() -> None:
    program = program_of(of_arrays, (X,))
    body = pullback_of(program)
    n = put(body, arithmetic.to_int, put(body, indexing.index, body.params[0], 0, pattern=("i",)))
    item = put(body, indexing.index, body.params[0], n, pattern=("i",))
    give(body, put(body, arithmetic.mul, body.params[0], item))
    assert mistake(program) is not None


def test_where_the_walk_gives_up_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(real, REAL_ARGS)
    functions_in_functions_that_double(program)
    monkeypatch.setattr(linearity, "DEEP", 2)
    assert mistake(program) is None
    squared(program)
    assert mistake(program) is None
    monkeypatch.setattr(linearity, "DEEP", 100)
    assert mistake(program) is not None


# -- claims ------------------------------------------------------------------------------------------------------------


def clipped(x: float) -> float:
    @ccc.differentiable_function
    def f(y: float) -> Any:
        return y * y, lambda ct: min(ct, 1.0) * y

    return f(x) * x


def doubled(x: float) -> float:
    @ccc.differentiable_function
    def f(y: float) -> Any:
        return y * y, lambda ct: 2.0 * ct * y

    return f(x) * x


def test_pullbacks_and_differentials_claim_to_be_linear() -> None:
    for kind in ("pullback", "differential"):
        (block,) = claimed(program_of(real, REAL_ARGS, kind))
        assert block.claim is not None and not block.claim.given and len(block.claim.of) == 1
    assert not list(claimed(program_of(real, REAL_ARGS, "value_with_gradient")))
    found = vjp(elaborate(of_arrays, (X,), {}).program, (Part(0),), ccc.Reverse(ccc.Delta()), True)
    seed: Any = found.params[-1][1]
    assert found.block.claim == Claim((seed,))


def test_a_pullback_of_the_user_need_not_be_linear() -> None:
    program = program_of(clipped, (0.5,))
    assert [block.claim is not None and block.claim.given for block in claimed(program)] == [True]
    assert mistake(program) is None and mistake(program, given=True) is not None
    run(program, PASSES, verified=True)
    assert not list(claimed(program))
    assert ccc.value_with_pullback(clipped)(2.0)[1](3.0) == 3.0 * 4.0 + min(3.0 * 2.0, 1.0) * 2.0


def test_a_linear_pullback_of_the_user_claims_it_from_then_on() -> None:
    program = program_of(doubled, (0.5,))
    run(program, PASSES, verified=True)
    (block,) = claimed(program)
    assert block.claim is not None and not block.claim.given


def test_a_copy_of_a_program_claims_the_same() -> None:
    program = copy_of_program(program_of(real, REAL_ARGS))
    (block,) = claimed(program)
    assert block.claim == Claim(tuple(block.params))
    squared(program)
    assert mistake(program) is not None
