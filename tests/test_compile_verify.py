"""Every rule of the verifier is broken by a planted pass and names it; every pass keeps real programs verified, says
whether it changed them, and has a program before and after it, and one that it leaves alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus import dynamics, filtering, learning, solving

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.numpy_source.copies import in_place
from ccc.compile.numpy_source.later_readers import verify_in_place
from ccc.compile.passes.engine import Change, Pass, run
from ccc.compile.passes.improve import PASSES
from ccc.compile.program.lam import (
    Apply,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Op,
    Program,
    Var,
    While,
    lets_in,
    move,
)
from ccc.compile.program.pretty import program_text
from ccc.compile.program.shapes import assumed_in
from ccc.compile.program.verify import RULES, BrokenProgram, verify
from ccc.compile.terms.plan import Plan, derived
from ccc.objects import INT, REAL, List
from ccc.primitives import arithmetic, effects
from ccc.primitives.barriers import again, stop

X = np.array([1.0, 2.0, 3.0])


def program_of(f: Callable[..., Any], args: tuple[Any, ...], kind: str = "value", curry: Any = ccc.Delta) -> Program:
    """The program of a value or derivative, as it comes to the passes."""
    return derived(Plan(kind, (0,), curry(), True), elaborate(f, args, {}).program)


# -- planted passes ----------------------------------------------------------------------------------------------------


def real(x: float, xs: list[float]) -> float:
    def inner(y: float) -> float:
        return y * x if y > 0.0 else -y

    print("first")
    s = 0.0
    for y in xs:
        t = y * 2.0
        s = s + inner(t) if t > x else s - 1.0
    print("second")
    while s > 10.0:
        s = s / 2.0
    return s + inner(x)


def of(program: Program, kind: type[Op], n: int = 0) -> Let:
    """One of the lets of a program by its operation."""
    return [let for let in lets_in(program.block) if isinstance(let.op, kind)][n]


def within(let: Let) -> Block:
    return let.op.blocks[-1]


def applying(program: Program, primitive: Any) -> Let:
    return next(let for let in lets_in(program.block) if isinstance(let.op, Apply) and let.op.primitive is primitive)


def inserted(block: Block, primitive: Any, args: list[Any], at: int = 0, adjoint: bool = False) -> Let:
    let = Let(Apply(primitive, {}), args, adjoint=adjoint)
    let.target("", primitive.type_of(tuple([a.object for a in args]), {}), block)
    block.lets.insert(at, let)
    return let


def a_let_twice(program: Program) -> None:
    program.block.lets.append(of(program, Apply))


def a_parameter_that_a_let_binds(program: Program) -> None:
    within(of(program, Loop)).lets[0].targets[:] = program.block.params[:1]


def lets_backwards(program: Program) -> None:
    program.block.lets.reverse()


def a_let_dropped_that_is_read(program: Program) -> None:
    within(of(program, Loop)).lets.pop(0)


def a_result_that_nothing_binds(program: Program) -> None:
    body = within(of(program, Loop))
    body.results[0] = Var("", body.results[0].object, body)


def a_function_called_before_what_it_reads(program: Program) -> None:
    made = of(program, Lambda)
    read = inserted(program.block, arithmetic.neg, [program.block.params[0]], len(program.block.lets))
    inserted(within(made), arithmetic.neg, [read.targets[0]])


def a_function_that_a_loop_hands_on(program: Program) -> None:
    loop, made = of(program, Loop), of(program, Lambda)
    program.block.lets.remove(made)
    within(loop).lets.insert(0, made)
    move(made, within(loop))
    within(loop).results.append(made.targets[0])
    loop.target("", List(made.targets[0].object), program.block)


def a_function_that_an_arm_hands_on(program: Program) -> None:
    branch, (function,) = of(program, Branch), of(program, Lambda).targets
    for arm in branch.op.blocks:
        arm.results.append(function)
    branch.target("", function.object, program.block)


def an_item_of_one_arm_in_the_other(program: Program) -> None:
    branch = of(program, Branch)
    then, orelse = branch.op.blocks
    inserted(orelse, arithmetic.neg, [inserted(then, arithmetic.neg, [program.block.params[0]]).targets[0]])


def an_item_of_a_loop_behind_it(program: Program) -> None:
    body = within(of(program, Loop))
    inserted(program.block, arithmetic.neg, [body.lets[0].targets[0]], len(program.block.lets))


def a_let_moved_that_does_not_know(program: Program) -> None:
    loop = of(program, Loop)
    program.block.lets.insert(0, inserted(within(loop), arithmetic.neg, [program.block.params[0]]))
    within(loop).lets.pop(0)


def a_variable_without_its_let(program: Program) -> None:
    of(program, Apply).targets[0].definition = None


def a_block_moved_that_does_not_know(program: Program) -> None:
    within(of(program, Loop)).parent = None


def a_block_of_another_kind(program: Program) -> None:
    within(of(program, Loop)).kind = BlockKind.BRANCH


def a_body_taken_over(program: Program) -> None:
    within(of(program, Lambda)).owner = of(program, Loop)


def a_result_less_of_an_arm(program: Program) -> None:
    of(program, Branch).op.blocks[1].results.pop()


def an_argument_less_of_a_call(program: Program) -> None:
    of(program, Call).args.pop()


def a_target_more_of_a_call(program: Program) -> None:
    let = of(program, Call)
    let.target("", REAL, let.targets[0].home)  # type: ignore[arg-type]


def a_carry_less_before_a_loop(program: Program) -> None:
    of(program, Loop).args.pop(0)


def a_loop_along_nothing(program: Program) -> None:
    let = of(program, Loop)
    let.op.carries = len(let.args)  # type: ignore[attr-defined]


def two_tests(program: Program) -> None:
    test = of(program, While).op.blocks[0]
    test.results.append(test.results[0])


def a_primitive_that_gives_two(program: Program) -> None:
    of(program, Apply).target("", REAL, program.block)


def a_function_with_arguments(program: Program) -> None:
    of(program, Lambda).args.append(program.block.params[0])


def a_test_that_is_a_number(program: Program) -> None:
    of(program, Branch).args[0] = program.block.params[0]


def a_number_for_a_list(program: Program) -> None:
    of(program, Loop).args[-1] = program.block.params[0]


def a_list_for_a_number(program: Program) -> None:
    within(of(program, Loop)).lets[0].args[0] = program.block.params[1]


def a_carry_that_becomes_a_list(program: Program) -> None:
    within(of(program, Loop)).results[0] = program.block.params[1]


def a_carry_that_starts_as_a_list(program: Program) -> None:
    of(program, While).args[0] = program.block.params[1]


def a_list_that_ends_as_a_number(program: Program) -> None:
    let = of(program, Loop)
    within(let).results.append(within(let).params[0])
    let.target("", REAL, program.block)


def a_call_of_a_number(program: Program) -> None:
    of(program, Call).args[0] = program.block.params[0]


def a_call_with_a_list(program: Program) -> None:
    of(program, Call).args[1] = program.block.params[1]


def a_product_that_becomes_a_comparison(program: Program) -> None:
    applying(program, arithmetic.mul).op = Apply(arithmetic.less, {})


def a_type_of_its_own(program: Program) -> None:
    within(of(program, Loop)).lets[0].targets[0].object = List(REAL)


def a_real_for_an_integer(program: Program) -> None:
    within(of(program, Loop)).lets[0].targets[0].object = INT


def another_result(program: Program) -> None:
    program.result = program.block.params[0]


def a_parameter_less(program: Program) -> None:
    program.params.pop()


def a_barrier_put_back(program: Program) -> None:
    inserted(program.block, stop, [program.block.params[0]])


def a_mark_put_back(program: Program) -> None:
    inserted(program.block, again, [program.block.params[0]])


def a_loop_that_runs_along_with_another(program: Program) -> None:
    within(of(program, Loop)).mirror = within(of(program, While))


def a_print_dropped(program: Program) -> None:
    program.block.lets.remove(applying(program, effects.show))


def prints_that_change_places(program: Program) -> None:
    let = applying(program, effects.show)
    program.block.lets.remove(let)
    program.block.lets.append(let)


def a_print_within_a_function(program: Program) -> None:
    """What is printed once is printed where the function is called."""
    let = applying(program, effects.show)
    program.block.lets.remove(let)
    within(of(program, Lambda)).lets.insert(0, let)
    move(let, within(of(program, Lambda)))


def a_product_simplified(program: Program) -> None:
    let = within(of(program, Loop)).lets[0]
    let.op, let.args = Apply(arithmetic.add, {}), [let.args[0], let.args[0]]


BREAKS = {
    "kept": [a_function_that_a_loop_hands_on, a_function_that_an_arm_hands_on],
    "bound-once": [a_let_twice, a_parameter_that_a_let_binds],
    "bound-before-use": [
        lets_backwards, a_let_dropped_that_is_read, a_result_that_nothing_binds, a_function_called_before_what_it_reads,
    ],
    "in-scope": [an_item_of_one_arm_in_the_other, an_item_of_a_loop_behind_it],
    "home": [a_let_moved_that_does_not_know, a_variable_without_its_let],
    "nesting": [a_block_moved_that_does_not_know, a_block_of_another_kind, a_body_taken_over],
    "arity": [
        a_result_less_of_an_arm, an_argument_less_of_a_call, a_target_more_of_a_call, a_carry_less_before_a_loop,
        a_loop_along_nothing, two_tests, a_primitive_that_gives_two, a_function_with_arguments,
    ],
    "type": [
        a_test_that_is_a_number, a_number_for_a_list, a_list_for_a_number, a_carry_that_becomes_a_list,
        a_carry_that_starts_as_a_list, a_list_that_ends_as_a_number, a_call_of_a_number, a_call_with_a_list,
        a_type_of_its_own, a_real_for_an_integer, a_product_that_becomes_a_comparison,
    ],
    "result": [another_result, a_parameter_less],
    "form": [a_barrier_put_back, a_mark_put_back, a_loop_that_runs_along_with_another],
    "effect": [a_print_dropped, prints_that_change_places, a_print_within_a_function],
    "derivative": [a_product_simplified],
}  # fmt: skip


def twice_raising(x: float, y: float) -> float:
    print("first")
    a = math.log(x)
    b = math.sqrt(y)
    c = math.tanh(y)
    return a * b * c


def moved(program: Program, name: str, to: int) -> None:
    let = next(let for let in program.block.lets if isinstance(let.op, Apply) and let.op.primitive.name == name)
    program.block.lets.remove(let)
    program.block.lets.insert(to, let)


@pytest.mark.parametrize(("name", "to", "holds"), [
    ("math.sqrt", 1, False), ("math.log", 0, False), ("math.tanh", 0, True), ("math.sqrt", 2, True),
])
def test_what_may_raise_stays_in_its_order(name: str, to: int, holds: bool) -> None:
    """Of two exceptions the first one is raised, and what is printed before it is printed."""
    program = program_of(twice_raising, (2.0, 3.0))

    def rewrite(program: Program) -> bool:
        moved(program, name, to)
        return True

    passes = [Pass("planted", "Lets change places.", rewrite)]
    if holds:
        run(program, passes, verified=True)
        return
    with pytest.raises(BrokenProgram) as error:
        run(program, passes, verified=True)
    assert error.value.rule == "effect", str(error.value)


def of_logarithms(x: float, y: float) -> float:
    print("first")
    math.log(x)
    math.sqrt(y)
    math.log(x)
    return x


def the_second_in_its_place(program: Program, first: Let, second: Let) -> None:
    program.block.lets.remove(second)
    program.block.lets[program.block.lets.index(first)] = second


def none_in_its_place(program: Program, first: Let, second: Let) -> None:
    program.block.lets.remove(first)


def the_second_before_it(program: Program, first: Let, second: Let) -> None:
    """None has gone, and the second one has changed places with what is between them."""
    program.block.lets.remove(second)
    program.block.lets.insert(program.block.lets.index(first), second)


def they_change_places(program: Program, first: Let, second: Let) -> None:
    lets = program.block.lets
    i, j = lets.index(first), lets.index(second)
    lets[i], lets[j] = second, first


@pytest.mark.parametrize(("rewrite", "second_is_a_copy", "holds"), [
    (the_second_in_its_place, False, True), (the_second_before_it, False, False), (they_change_places, False, False),
    (none_in_its_place, True, False),
])
def test_a_copy_stays_behind_what_raises_in_the_place_of_the_first(
    rewrite: Callable[[Program, Let, Let], None], second_is_a_copy: bool, holds: bool
) -> None:
    program = program_of(of_logarithms, (2.0, 3.0))
    first, second = [let for let in program.block.lets
                     if isinstance(let.op, Apply) and let.op.primitive.name == "math.log"]
    assert first.op is not second.op
    if second_is_a_copy:
        second.op = first.op
    else:
        copy = Let(first.op, list(first.args))
        copy.target("", first.targets[0].object, program.block)
        program.block.lets.append(copy)

    def rewritten(program: Program) -> bool:
        rewrite(program, first, second)
        return True

    passes = [Pass("planted", "A logarithm goes.", rewritten)]
    if holds:
        run(program, passes, verified=True)
        return
    with pytest.raises(BrokenProgram) as error:
        run(program, passes, verified=True)
    assert error.value.rule == "effect", str(error.value)


@pytest.mark.parametrize(("rule", "broken"), [(rule, f) for rule, found in BREAKS.items() for f in found])
def test_a_rule_kills_a_planted_pass(rule: str, broken: Callable[[Program], None]) -> None:
    program = program_of(real, (0.5, [1.0, 2.0]))

    def rewrite(program: Program) -> bool:
        broken(program)
        return True

    exact = rule != "derivative"
    passes = [Pass("planted", "It breaks a rule.", rewrite, leaves=("opened", "joined", "unmirrored"), exact=exact)]
    run(program, [Pass("nothing", "It does nothing.", lambda program: True, exact=False)], verified=True)
    with pytest.raises(BrokenProgram) as error:
        run(program, passes, verified=True)
    assert error.value.rule == rule, str(error.value)
    assert str(error.value).startswith(f"planted broke {rule}: ") and str(error.value).endswith(f"({RULES[rule]})")


def test_every_rule_is_broken_by_a_planted_pass() -> None:
    """What is not linear is planted in `test_compile_linearity`."""
    assert {*BREAKS, "linear", "in-place"} == set(RULES)


def test_a_broken_program_prints_the_let_and_its_variable() -> None:
    program = program_of(real, (0.5, [1.0, 2.0]))
    a_test_that_is_a_number(program)
    with pytest.raises(BrokenProgram) as error:
        verify(program, "a pass")
    text = str(error.value).splitlines()
    assert text[0] == "a pass broke type: the test `x` is no bool" and text[1] == "  t = if x" and len(text) == 8


def test_where_programs_are_not_verified_nothing_is_found() -> None:
    program = program_of(real, (0.5, [1.0, 2.0]))

    def rewrite(program: Program) -> bool:
        lets_backwards(program)
        return True

    run(program, [Pass("planted", "It breaks a rule.", rewrite)], verified=False)


# -- what is overwritten -----------------------------------------------------------------------------------------------


def read_behind(x: np.ndarray) -> Any:
    a = x * 2.0
    b = a + x
    return b * a


def seen_through_a_view(x: np.ndarray) -> Any:
    a = x * 2.0
    v = a[1:]
    b = a + x
    return b[0] * v[0]


def read_through_a_branch(x: np.ndarray) -> Any:
    a = x * 2.0
    c = a if x[0] > 1.0 else x * 3.0
    b = c + x
    return b * a


def read_by_the_next_run(x: np.ndarray) -> Any:
    a = x * 2.0
    s = x * 0.0
    for _ in range(3):
        b = a + x
        s = s - b
    return s


def begun_with_what_is_read_behind(x: np.ndarray) -> Any:
    a = x * 2.0
    s = a
    for _ in range(3):
        s = s + x
    return s * a


def kept_by_each_run(x: np.ndarray) -> Any:
    s, kept = x * 2.0, []
    for _ in range(3):
        s = s + x
        kept.append(s)
    return kept


def last_of_what_is_kept(x: np.ndarray) -> Any:
    s, kept = x * 2.0, []
    for _ in range(3):
        s = s * x
        kept.append(s)
    y = s + x
    return kept[0] * y


def given_to_a_function(x: np.ndarray) -> Any:
    def add(a: Any, n: int) -> Any:
        return a if n == 0 else add(a + x, n - 1)

    y = x * 2.0
    return add(y, 3) * y


def added_up(x: np.ndarray) -> Any:
    s = x * 2.0
    for _ in range(3):
        s = s + x
    return s * 3.0


SEEN = [
    read_behind, seen_through_a_view, read_through_a_branch, read_by_the_next_run, begun_with_what_is_read_behind,
    kept_by_each_run, last_of_what_is_kept, given_to_a_function,
]  # fmt: skip


@pytest.mark.parametrize("f", SEEN)
def test_a_sum_that_overwrites_what_is_read_later_is_found(f: Callable[..., Any]) -> None:
    program = program_of(f, (X,))
    planted = {let: 0 for let in lets_in(program.block)
               if isinstance(let.op, Apply) and let.op.primitive is arithmetic.add and let.args[0].object == (
                   let.targets[0].object)}  # fmt: skip
    assert planted
    with pytest.raises(BrokenProgram) as error:
        verify_in_place(program.block, planted, "planted")
    assert error.value.rule == "in-place"
    verify_in_place(program.block, in_place(program.block, entries=True))


def test_a_sum_that_overwrites_what_ends_is_not_found() -> None:
    program = program_of(added_up, (X,))
    found = in_place(program.block, entries=True)
    assert len(found) == 2
    verify_in_place(program.block, found)


# -- real programs -----------------------------------------------------------------------------------------------------


def custom(x: float) -> float:
    @ccc.differentiable_function
    def square(y: float) -> Any:
        return y * y, lambda ct: ct * y

    return ccc.checkpointed(math.sin)(square(x)) * square(x)


def halved(x: float) -> float:
    y, z = x, 0.0
    while x > 1.0:
        x = x / 2.0
    while y > 1.0:
        y = y / 2.0
        z = z + y
    return x + z


def by_items(x: np.ndarray, n: int) -> Any:
    a = x * 1.0
    for i in range(n):
        a[i] = a[i] + a[i + 1] * x[i]
    return np.sum(a)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (real, (0.5, [1.0, 2.0])),
    (custom, (0.5,)),
    (halved, (9.0,)),
    (by_items, (X, 2)),
    (filtering.moving_average, (X, 2)),
    (filtering.time_warping, (X, X + 1.0)),
    (dynamics.logistic_growth, (0.2, 1.3)),
    (dynamics.escape, (0.4, 0.5, 100)),
    (learning.k_means, (np.ones((5, 2)), np.zeros((3, 2)))),
    (learning.convolution, (np.ones((4, 5)), np.ones((2, 3)))),
    (learning.recursive_network, (np.ones((5, 2)), np.ones((2, 4)))),
    (solving.newton_root, (5.0,)),
    (solving.minors, (np.ones((4, 4)),)),
]


@pytest.mark.share(3)
@pytest.mark.parametrize("kind", ["value", "value_with_gradient", "pullback", "differential"])
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_each_pass_keeps_a_program_verified_and_says_whether_it_changed_it(
    f: Callable[..., Any], args: tuple[Any, ...], kind: str
) -> None:
    for curry in (ccc.Delta, ccc.AdditiveMap) if kind in ("value_with_gradient", "pullback") else (ccc.Delta,):
        program = program_of(f, args, kind, curry)
        for p in PASSES:
            before = program_text(program)
            changes: list[Change] = []
            run(program, [told(p)], changes, verified=True)
            assert (program_text(program) != before) == bool(changes), p.name


def told(p: Pass) -> Pass:
    """A pass that fails where it changes a program and does not say so."""

    def rewrite(program: Program) -> bool:
        before = program_text(program)
        changed = p.rewrite(program)
        assert changed or program_text(program) == before, p.name
        return changed

    return replace(p, rewrite=rewrite)


def test_each_pass_finds_what_it_needs() -> None:
    there: set[str] = set()
    for p in PASSES:
        assert there.issuperset(p.needs), p.name
        there.update(p.leaves)
    assert len({p.name for p in PASSES}) == len(PASSES)


# -- before and after --------------------------------------------------------------------------------------------------


def by_its_body(x: float) -> float:
    @ccc.differentiable_function
    def square(y: float) -> Any:
        return y * y, lambda ct: ct * y

    return square(x)


def by_python(x: float) -> float:
    return x * x


def unread(x: float) -> float:
    y = math.tanh(x)  # noqa: F841
    return x * 2.0


def unread_and_raising(x: float) -> float:
    y = math.exp(x)  # noqa: F841
    return x * 2.0


def called_once(x: float) -> float:
    def inner(y: float) -> float:
        return y * y

    return inner(x + 1.0)


def called_twice(x: float) -> float:
    def inner(y: float) -> float:
        return y * y

    return inner(x + 1.0) + inner(x)


def put_back(x: float) -> Any:
    y = np.zeros(3)
    for i in range(3):
        y[i] += x
    return y[0]


def put_back_doubled(x: float) -> Any:
    y = np.zeros(3)
    for i in range(3):
        y[i] = 2.0 * y[i] + x
    return y[0]


def put_back_twice(s: float, x: np.ndarray) -> Any:
    y = x * x
    y[0] += s
    y[0] += s * s
    return np.sum(y * y)


def put_back_once(s: float, x: np.ndarray) -> Any:
    y = x * x
    y[0] += s
    return np.sum(y * y)


def minus_a_square(x: np.ndarray) -> Any:
    return -(x * x)


def negated_and_added(x: np.ndarray) -> Any:
    return np.sum(x + minus_a_square(x)) - -x[0]


def negated_and_read(x: np.ndarray) -> Any:
    y = -(x * x)
    return np.sum((x + y) * y)


def doubled_within(x: np.ndarray) -> Any:
    y = np.exp(x)
    y[1:] = 2.0 * x[1:]
    return np.sum(y * x)


def summed_within(x: np.ndarray) -> Any:
    y = np.exp(x)
    y[1:] = np.cumsum(x[1:])
    return np.sum(y * x)


def squares_within(x: np.ndarray) -> Any:
    y = x[1:]
    return np.sum(x * x) + np.sum(y[:-1] ** 2)


def squares_of_every_second(x: np.ndarray) -> Any:
    y = x[1:]
    return np.sum(x * x) + np.sum(y[::2] ** 2)


def negated_and_changed(x: np.ndarray) -> Any:
    y = x * x
    z = -y
    y[0] = 5.0
    return np.sum(x + z) + y[1]


def twice_the_same(x: np.ndarray, xs: list[float]) -> Any:
    s = np.tanh(x)
    for y in xs:
        s = s + np.tanh(x) * y
    return s


def twice_another(x: np.ndarray, xs: list[float]) -> Any:
    s = np.tanh(x)
    for y in xs:
        s = s + np.tanh(y) * x
    return s


def of_a_part(x: np.ndarray) -> Any:
    return np.sum(np.exp(x[1:]) * 2.0)


def of_all(x: np.ndarray) -> Any:
    return np.sum(np.sin(x) * 2.0)


def by_both_parts(a: np.ndarray) -> Any:
    w, v = np.linalg.eigh(a)
    return np.sum(w * v[0])


def by_one_call(a: np.ndarray) -> Any:
    return np.sum(np.linalg.eigvalsh(a) * a[0])


def part_of_another(x: float) -> float:
    y, z = x, 0.0
    while x > 1.0:
        x = x / 2.0
    while y > 1.0:
        y = y / 2.0
        z = z + y
    return x + z


def ended_by_another_test(x: float) -> float:
    y, z = x, 0.0
    while x > 1.0:
        x = x / 2.0
    while y > 2.0:
        y = y / 2.0
        z = z + y
    return x + z


def computed_anew(x: float) -> float:
    return ccc.checkpointed(lambda y: math.sin(math.sin(y)))(x)


def computed_once(x: float) -> float:
    return math.sin(math.sin(x))


def cheap_items(x: np.ndarray, n: int) -> Any:
    s = 1.0
    for i in range(n):
        s = s * x[i + 1]
    return s


def dear_numbers(x: np.ndarray, n: int) -> Any:
    s = x[0]
    for _ in range(n):
        s = np.sin(s)
    return s


def apart(w: np.ndarray, xs: np.ndarray) -> Any:
    s = 0.0
    for x in xs:
        s = s + np.sum(w @ x)
    return s


def one_after_another(w: np.ndarray, xs: np.ndarray) -> Any:
    for x in xs:
        w = w + np.outer(w @ x, x)
    return np.sum(w)


def scaled_matrix(x: np.ndarray, s: float, a: np.ndarray) -> Any:
    return np.sum((s * a) @ x)


def scaled_matrix_read_twice(x: np.ndarray, s: float, a: np.ndarray) -> Any:
    b = s * a
    return np.sum(b @ x) * np.sum(b * x)


def rows_of_one_length(s: np.ndarray, x: np.ndarray) -> Any:
    return np.sum(x / s)


def items_over_items(s: np.ndarray, x: np.ndarray) -> Any:
    return np.sum(x / (s * np.exp(x)))


def quotient_in_loops(s: np.ndarray, x: np.ndarray, b: float) -> Any:
    for _ in range(3):
        for _ in range(2):
            x = np.sin(x) * (b / s)
    return np.sum(x)


def quotients_that_change(s: np.ndarray, x: np.ndarray, b: float) -> Any:
    for i in range(3):
        x = np.sin(x) * (b / (s + i))
    return np.sum(x)


def products_with_one_factor(x: np.ndarray) -> Any:
    return np.sum(np.exp(x.T @ x))


def product_with_an_outer_product(x: np.ndarray, u: np.ndarray) -> Any:
    return np.sum(np.exp(np.outer(u, u) @ x))


def product_with_a_matrix(x: np.ndarray, u: np.ndarray) -> Any:
    return np.sum(np.exp(x.T @ x) @ u)


def products_with_none(x: np.ndarray) -> Any:
    return np.sum(np.exp(x @ x))


SQUARE, ROWS = np.ones((32, 32)), np.ones((8, 32))


TWINS = {
    "open-programs": (by_its_body, by_python, (0.5,), "value", """
λ x:R.
  t = square(x)
  t
""", """
λ x:R.
  t = x * x
  t
"""),
    "dead-code": (unread, unread_and_raising, (0.5,), "value", """
λ x:R.
  y = math.tanh(x)
  t = x * 2.0
  t
""", """
λ x:R.
  t = x * 2.0
  t
"""),
    "inlining": (called_once, called_twice, (0.5,), "value", """
λ x:R.
  t = x + 1.0
  inner = λ y:R.
    t2 = y * y
    -> t2
  t3 = inner(t)
  t3
""", """
λ x:R.
  t = x + 1.0
  t2 = t * t
  t2
"""),
    "redundancy": (twice_the_same, twice_another, (X, [1.0, 2.0]), "value", """
λ x:float64[n], xs:[R].
  s = np.tanh(x)
  s2 = for y in xs from s3 = s
    t = np.tanh(x)
    t2 = t * y
    s4 = s3 + t2
    -> s4
  s2
""", """
λ x:float64[n], xs:[R].
  s = np.tanh(x)
  s2 = for y in xs from s3 = s
    t = s * y
    s4 = s3 + t
    -> s4
  s2
"""),
    "size-reads": (of_a_part, of_all, (X,), "gradient", """
λ x:float64[n].
  t = x[1:]
  t2 = np.exp(t)
  t3 = t2 * 2.0
  t4 = broadcast_like(1.0, t3)
  t5 = t4 * 2.0
  t6 = t5 * t2
  t7 = zeros_like(x)
  dx = add_at(t7, t6, 1, pattern=('s1',))
  dx
""", """
λ x:float64[n].
  t = x[1:]
  t2 = np.exp(t)
  t3 = broadcast_like(1.0, t)
  t4 = t3 * 2.0
  t5 = t4 * t2
  t6 = zeros_like(x)
  dx = add_at(t6, t5, 1, pattern=('s1',))
  dx
"""),
    "take-put-elimination": (put_back, put_back_doubled, (0.5,), "gradient", """
λ x:R.
  t = range(3)
  t2 = np.zeros((3,))
  t3 = zeros_like(t2)
  t4 = add_at(t3, 1.0, 0, pattern=('i',))
  dx, t5 = for t6 in reversed t from dx2 = 0.0, t7 = t4
    t8 = take_at(t7, t6, pattern=('i',))
    t9 = set_at(t7, 0.0, t6, pattern=('i',))
    t10 = add_at(t9, t8, t6, pattern=('i',))
    t11 = dx2 + t8
    -> t11, t10
  dx3 = float(dx)
  dx3
""", """
λ x:R.
  t = range(3)
  t2 = np.zeros((3,))
  t3 = zeros_like(t2)
  t4 = add_at(t3, 1.0, 0, pattern=('i',))
  dx = for t5 in reversed t from dx2 = 0.0
    t6 = take_at(t4, t5, pattern=('i',))
    t7 = dx2 + t6
    -> t7
  dx3 = float(dx)
  dx3
"""),
    "redundancy-again": (put_back_twice, put_back_once, (0.5, np.ones(3)), "gradient", """
λ s:R, x:float64[n].
  y = x * x
  t = y[0]
  t2 = t + s
  y2 = set_at(y, t2, 0, pattern=('i',))
  t3 = y2[0]
  t4 = s * s
  t5 = t3 + t4
  y3 = set_at(y2, t5, 0, pattern=('i',))
  t6 = y3 + y3
  t7 = take_at(t6, 0, pattern=('i',))
  t8 = t7 * s
  t9 = t8 + t8
  t10 = take_at(t6, 0, pattern=('i',))
  t11 = t9 + t10
  ds = float(t11)
  ds
""", """
λ s:R, x:float64[n].
  y = x * x
  t = y[0]
  t2 = t + s
  y2 = set_at(y, t2, 0, pattern=('i',))
  t3 = y2[0]
  t4 = s * s
  t5 = t3 + t4
  y3 = set_at(y2, t5, 0, pattern=('i',))
  t6 = y3 + y3
  t7 = take_at(t6, 0, pattern=('i',))
  t8 = t7 * s
  t9 = t8 + t8
  t10 = t9 + t7
  ds = float(t10)
  ds
"""),
    "subsumed-whiles": (part_of_another, ended_by_another_test, (9.0,), "value", """
λ x:R.
  x2 = while from x3 = x
    t = x4 > 1.0
    -> t
  do
    x5 = x3 / 2.0
    -> x5
  y, z = while from y2 = x, z2 = 0.0
    t2 = y3 > 1.0
    -> t2
  do
    y4 = y2 / 2.0
    z3 = z2 + y4
    -> y4, z3
  t3 = x2 + z
  t3
""", """
λ x:R.
  y, z = while from y2 = x, z2 = 0.0
    t = y3 > 1.0
    -> t
  do
    y4 = y2 / 2.0
    z3 = z2 + y4
    -> y4, z3
  t2 = y + z
  t2
"""),
    "joint-calls": (by_both_parts, by_one_call, (SQUARE,), "value", """
λ a:float64[n,n].
  w = np.linalg.eigh(a)[0]
  v = np.linalg.eigh(a)[1]
  t = v[0]
  t2 = w * t
  t3 = np.sum(t2)
  t3
""", """
λ a:float64[n,n].
  t = tuple(np.linalg.eigh(a))
  w = t[0]
  v = t[1]
  t2 = v[0]
  t3 = w * t2
  t4 = np.sum(t3)
  t4
"""),
    "join-again": (computed_anew, computed_once, (0.5,), "gradient", """
λ x:R.
  t = math.sin(x)
  t2 = math.sin(t)
  t3 = x
  t4 = math.sin(t3)
  t5 = math.cos(t4)
  t6 = math.cos(t3)
  dx = t5 * t6
  dx
""", """
λ x:R.
  t = math.sin(x)
  t2 = math.sin(t)
  t3 = math.sin(x)
  t4 = math.cos(t3)
  t5 = math.cos(x)
  dx = t4 * t5
  dx
"""),
    "recomputation": (cheap_items, dear_numbers, (X, 2), "gradient", """
λ x:float64[n], n:int.
  t = range(n)
  s, t2, t3, t4 = for t5 in t from t6 = 1.0
    t7 = t5 + 1
    t8 = x[t7]
    s2 = t6 * t8
    -> s2, t8, t6, t7
  dx = zeros_like(x)
  dx2, t9 = for t10, t11, t12 in reversed t2, t3, t4 from dx3 = dx, t13 = 1.0
    t14 = t13 * t10
    t15 = t13 * t11
    t16 = add_at(dx3, t15, t12, pattern=('i',))
    -> t16, t14
  dx2
""", """
λ x:float64[n], n:int.
  t = range(n)
  s, t2 = for t3 in t from t4 = 1.0
    t5 = t3 + 1
    t6 = x[t5]
    s2 = t4 * t6
    -> s2, t4
  dx = zeros_like(x)
  dx2, t7 = for t8, t9 in reversed t2, t from dx3 = dx, t10 = 1.0
    t11 = t9 + 1
    t12 = x[t11]
    t13 = t10 * t12
    t14 = t10 * t8
    t15 = add_at(dx3, t14, t11, pattern=('i',))
    -> t15, t13
  dx2
"""),
    "scalar-factors": (scaled_matrix, scaled_matrix_read_twice, (ROWS[0], 2.0, SQUARE), "gradient", """
λ x:float64[n], s:R, a:float64[n,n].
  t = s * a
  t2 = np.shape(a)[0]
  t3 = np.zeros((t2,))
  t4 = broadcast_like(1.0, t3)
  t5 = np.transpose(t)
  dx = t5 @ t4
  dx
""", """
λ x:float64[n], s:R, a:float64[n,n].
  t = s * a
  t2 = np.shape(a)[0]
  t3 = np.zeros((t2,))
  t4 = broadcast_like(1.0, t3)
  t5 = np.transpose(t)
  t6 = np.transpose(a)
  t7 = t6 @ t4
  dx = s * t7
  dx
"""),
    "row-factors": (rows_of_one_length, items_over_items, (np.ones((8, 1)), ROWS), "gradient", """
λ s:float64[n,1], x:float64[n,n].
  t = x / s
  t2 = broadcast_like(1.0, x)
  t3 = times0(t2, t)
  t4 = over0(t3, s)
  t5 = unbroadcast(t4, s)
  ds = -t5
  ds
""", """
λ s:float64[n,1], x:float64[n,n].
  t = x / s
  t2 = broadcast_like(1.0, x)
  t3 = times0(t2, t)
  t4 = over0(t3, s)
  t5 = unbroadcast(t3, s)
  t6 = over0(t5, s)
  ds = -t6
  ds
"""),
    "loop-factors": (quotient_in_loops, quotients_that_change, (ROWS[0], ROWS[1], 2.0), "gradient", """
λ s:float64[n], x:float64[n], b:R.
  t = range(3)
  t2 = range(2)
  t3 = b / s
  x2, t4, x3 = for t5 in t from x4 = x
    x5, t6, x6 = for t7 in t2 from x7 = x4
      t8 = np.sin(x7)
      x8 = t8 * t3
      -> x8, t8, x7
    -> x5, t6, x6
  t9 = broadcast_like(1.0, x)
  ds = zeros_like(s)
  ds2, t10 = for t11, x9 in reversed t4, x3 from ds3 = ds, t12 = t9
    ds4, t13 = for t14, x10 in reversed t11, x9 from ds5 = ds3, t15 = t12
      t16 = t15 * t3
      t17 = t15 * t14
      t18 = np.cos(x10)
      t19 = t16 * t18
      t20 = times0(t17, t3)
      t21 = over0(t20, s)
      t22 = -t21
      t23 = ds5 + t22
      -> t23, t19
    -> ds4, t13
  ds2
""", """
λ s:float64[n], x:float64[n], b:R.
  t = range(3)
  t2 = range(2)
  t3 = b / s
  x2, t4, x3 = for t5 in t from x4 = x
    x5, t6, x6 = for t7 in t2 from x7 = x4
      t8 = np.sin(x7)
      x8 = t8 * t3
      -> x8, t8, x7
    -> x5, t6, x6
  t9 = broadcast_like(1.0, x)
  ds = zeros_like(s)
  t10 = over0(t3, s)
  ds2, t11 = for t12, x9 in reversed t4, x3 from ds3 = ds, t13 = t9
    ds4, t14 = for t15, x10 in reversed t12, x9 from ds5 = ds3, t16 = t13
      t17 = t16 * t3
      t18 = t16 * t15
      t19 = np.cos(x10)
      t20 = t17 * t19
      t21 = times0(t18, t3)
      t22 = times0(t18, t10)
      t23 = -t22
      t24 = ds5 + t23
      -> t24, t20
    -> ds4, t14
  ds2
"""),
    "vector-products": (product_with_an_outer_product, product_with_a_matrix, (SQUARE, ROWS[0]), "gradient", """
λ x:float64[n,n], u:float64[n].
  t = np.outer(u, u)
  t2 = t @ x
  t3 = np.exp(t2)
  t4 = np.transpose(t)
  dx = t4 @ t3
  dx
""", """
λ x:float64[n,n], u:float64[n].
  t = np.outer(u, u)
  t2 = t @ x
  t3 = np.exp(t2)
  t4 = np.transpose(t)
  t5 = u @ t3
  dx = np.outer(u, t5)
  dx
"""),
    "batched-products": (apart, one_after_another, (SQUARE, ROWS), "gradient", """
λ w:float64[n,n], xs:float64[n,n].
  t = xs
  for t2 in t from ()
    t3 = w @ t2
    ->
  dw = zeros_like(w)
  t4 = np.shape(w)[0]
  t5 = np.zeros((t4,))
  dw2, t6 = for t7 in reversed t from dw3 = dw, t8 = 1.0
    t9 = broadcast_like(t8, t5)
    t10 = np.outer(t9, t7)
    t11 = dw3 + t10
    -> t11, t8
  dw2
""", """
λ w:float64[n,n], xs:float64[n,n].
  t = xs
  for t2 in t from ()
    t3 = w @ t2
    ->
  dw = zeros_like(w)
  t4 = np.shape(w)[0]
  t5 = np.zeros((t4,))
  t6 = np.shape(dw)[0]
  t7 = len(t)
  t8 = np.zeros((t7, t6))
  t9 = range(t7)
  t10 = np.shape(dw)[1]
  t11 = np.zeros((t7, t10))
  t12, t13, t14 = for t15, t16 in reversed t, t9 from t17 = 1.0, t18 = t8, t19 = t11
    t20 = broadcast_like(t17, t5)
    t21 = set_at(t18, t20, t16, pattern=('i', 's'))
    t22 = set_at(t19, t15, t16, pattern=('i', 's'))
    -> t17, t21, t22
  t23 = np.transpose(t13)
  t24 = t23 @ t14
  dw2 = dw + t24
  dw2
"""),
    "shared-factors": (products_with_one_factor, products_with_none, (SQUARE,), "gradient", """
λ x:float64[n,n].
  t = np.transpose(x)
  t2 = t @ x
  t3 = np.exp(t2)
  t4 = t3 @ t
  t5 = np.transpose(t)
  t6 = t5 @ t3
  t7 = np.transpose(t4)
  dx = t7 + t6
  dx
""", """
λ x:float64[n,n].
  t = np.transpose(x)
  t2 = t @ x
  t3 = np.exp(t2)
  t4 = t3 @ t
  t5 = np.transpose(t)
  t6 = t5 @ t3
  t7 = np.transpose(t4)
  t8 = np.transpose(t3)
  t9 = t3 + t8
  dx = x @ t9
  dx
"""),
    "window-sums": (squares_within, squares_of_every_second, (X,), "gradient", """
λ x:float64[n].
  y = x[1:]
  t = y[:-1]
  t2 = broadcast_like(1.0, t)
  t3 = 2 * t
  t4 = t2 * t3
  t5 = x + x
  t6 = zeros_like(y)
  t7 = add_at(t6, t4, -1, pattern=('s2',))
  dx = add_at(t5, t7, 1, pattern=('s1',))
  dx
""", """
λ x:float64[n].
  y = x[1:]
  t = y[:-1]
  t2 = broadcast_like(1.0, t)
  t3 = 2 * t
  t4 = t2 * t3
  t5 = x + x
  t6 = zeros_like(y)
  t7 = add_at(t6, t4, -1, pattern=('s2',))
  dx = add_at(t5, t4, 1, -1, pattern=('s12',))
  dx
"""),
    "differences": (negated_and_added, negated_and_read, (X,), "value", """
λ x:float64[n].
  t = x * x
  t2 = -t
  t3 = x + t2
  t4 = np.sum(t3)
  t5 = x[0]
  t6 = -t5
  t7 = t4 - t6
  t7
""", """
λ x:float64[n].
  t = x * x
  t2 = -t
  t3 = x - t
  t4 = np.sum(t3)
  t5 = x[0]
  t6 = -t5
  t7 = t4 - t6
  t7
"""),
    "early-reads": (doubled_within, summed_within, (X,), "gradient", """
λ x:float64[n].
  y = np.exp(x)
  t = x[1:]
  t2 = 2.0 * t
  y2 = set_at(y, t2, 1, pattern=('s1',))
  t3 = take_at(x, 1, pattern=('s1',))
  t4 = set_at(x, 0.0, 1, pattern=('s1',))
  t5 = t4 * y
  t6 = t3 * 2.0
  t7 = add_at(t5, t6, 1, pattern=('s1',))
  dx = t7 + y2
  dx
""", """
λ x:float64[n].
  y = np.exp(x)
  t = x[1:]
  t2 = 2.0 * t
  y2 = set_at(y, t2, 1, pattern=('s1',))
  t3 = x[1:]
  t4 = t3 * 2.0
  t5 = set_at(x, 0.0, 1, pattern=('s1',))
  t6 = t5 * y
  t7 = add_at(t6, t4, 1, pattern=('s1',))
  dx = t7 + y2
  dx
"""),
    "unread": (scaled_matrix, scaled_matrix_read_twice, (ROWS[0], 2.0, SQUARE), "gradient", """
λ x:float64[n], s:R, a:float64[n,n].
  t = s * a
  t2 = np.shape(a)[0]
  t3 = np.zeros((t2,))
  t4 = broadcast_like(1.0, t3)
  t5 = np.transpose(t)
  t6 = np.transpose(a)
  t7 = t6 @ t4
  dx = s * t7
  dx
""", """
λ x:float64[n], s:R, a:float64[n,n].
  t = np.shape(a)[0]
  t2 = np.zeros((t,))
  t3 = broadcast_like(1.0, t2)
  t4 = np.transpose(a)
  t5 = t4 @ t3
  dx = s * t5
  dx
"""),
}
"""For each pass a program, before and after it, and one that it leaves alone."""


def sides(name: str, f: Callable[..., Any], args: tuple[Any, ...], kind: str) -> tuple[str, str]:
    """A program before and after a pass."""
    program = program_of(f, args, kind)
    program.assumed = assumed_in(program, args)
    at = [p.name for p in PASSES].index(name)
    run(program, PASSES[:at])
    before = program_text(program)
    run(program, PASSES[at : at + 1])
    return before, program_text(program)


@pytest.mark.parametrize("name", TWINS)
def test_a_pass_rewrites_a_program_and_leaves_its_twin_alone(name: str) -> None:
    f, twin, args, kind, before, after = TWINS[name]
    assert sides(name, f, args, kind) == (before.strip(), after.strip())
    before, after = sides(name, twin, args, kind)
    assert before == after


def test_a_pass_that_stands_behind_others_runs_where_one_of_them_changed_something() -> None:
    program = program_of(put_back, (0.5,))
    for did, ran in ((True, ["first", "second"]), (False, ["first"])):
        names: list[str] = []
        first = Pass("first", "", lambda p, did=did, names=names: names.append("first") is None and did)
        second = Pass("second", "", lambda p, names=names: names.append("second") is None, behind=("first",))
        run(program, [first, second])
        assert names == ran
        run(program, [second])
        assert names == [*ran, "second"]


def test_what_is_changed_before_its_negative_is_read_is_not_read_again() -> None:
    before, after = sides("differences", negated_and_changed, (X,), "value")
    assert before == after and "= -y" in before


def test_every_pass_has_twins() -> None:
    assert list(TWINS) == [p.name for p in PASSES]
