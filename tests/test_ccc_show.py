"""The board printer and `repr`: what a term looks like."""

from fractions import Fraction
from typing import Any

import pytest

import ccc.arrows
import ccc.objects
from ccc.arrows import Arrow, Id, Prod, Proj, Scan
from ccc.combinators import (
    cond,
    const,
    cross,
    curry,
    eval_,
    fold,
    id_,
    iterate,
    name,
    papply,
    power,
    primitive,
    prod,
    proj,
    proj_left,
    proj_right,
    scan,
    swap,
    terminal,
    uncurry,
)
from ccc.objects import REAL, UNIT, Exponential, Object, Product
from ccc.primitives.arithmetic import add, less, mul, neg

PAIR = Product((REAL, REAL))
MUL, ADD, NEG = primitive(mul, REAL, REAL), primitive(add, REAL, REAL), primitive(neg, REAL)


def flat_linear() -> Arrow:
    """`def f(x, w, b): r1 = x * w; r2 = r1 + b; return r2` over the flat product (x, w, b)."""
    x_w_b = Product((REAL, REAL, REAL))
    r1 = prod(proj(x_w_b, 0), proj(x_w_b, 1)) >> MUL
    return prod(r1, proj(x_w_b, 2)) >> ADD


def test_linear_layer_prints_as_on_the_slide() -> None:
    assert str(flat_linear()) == "prod(proj_left o mult, proj_right) o add"


def test_nested_pairs_print_as_flat_products_do() -> None:
    x_w_b = Product((PAIR, REAL))
    assert str(prod(proj_left(x_w_b) >> MUL, proj_right(x_w_b)) >> ADD) == str(flat_linear())


@pytest.mark.parametrize(("index", "text"), [
    (0, "proj_left o proj_left"), (1, "proj_left o proj_right"), (2, "proj_right"),
])
def test_projections_are_paths_of_left_nested_pairs(index: int, text: str) -> None:
    assert str(proj(Product((REAL, UNIT, REAL)), index)) == text


def test_product_eta_needs_the_same_prefix_and_both_sides_in_order() -> None:
    both = Product((PAIR, PAIR))
    left, right = proj_left(both), proj_right(both)
    assert str(prod(left >> proj_left(PAIR), left >> proj_right(PAIR))) == "proj_left"
    assert str(swap(PAIR)) == "prod(proj_right, proj_left)"
    mixed = prod(left >> proj_left(PAIR), right >> proj_right(PAIR))
    assert str(mixed) == "prod(proj_left o proj_left, proj_right o proj_right)"


def test_one_component_products_are_invisible() -> None:
    one = Product((REAL,))
    assert str(proj(one, 0) >> NEG) == "neg"
    assert str(Prod((NEG,))) == "neg"


@pytest.mark.parametrize(("arrow", "text"), [
    (id_(REAL), "id"),
    (terminal(REAL), "terminal"),
    (curry(MUL), "curry(mult)"),
    (uncurry(curry(MUL)), "prod(proj_left o curry(mult), proj_right) o eval"),
    (papply(MUL), "curry(prod(proj_right, proj_left) o mult)"),
    (name(NEG), "curry(proj_right o neg)"),
    (eval_(Exponential(REAL, REAL)), "eval"),
    (cross(NEG, id_(REAL)), "prod(proj_left o neg, proj_right)"),
    (cond(primitive(less, REAL, REAL), MUL, ADD), "cond(less, mult, add)"),
    (iterate(primitive(less, REAL, REAL), MUL), "iterate(less, mult)"),
    (const(UNIT, 0.5), "const(0.5)"),
    (const(UNIT, Fraction(1, 2)), "const(Fraction(1, 2))"),
])
def test_text_of_each_combinator(arrow: Arrow, text: str) -> None:
    assert str(arrow) == text


def loop(dom: Object) -> Arrow:
    return prod(proj(dom, 1), proj(dom, 2) >> proj(Product((REAL,)), 0)) >> ADD


def test_a_scan_without_outputs_is_a_fold() -> None:
    triple = Product((UNIT, REAL, Product((REAL,))))
    f = loop(triple)
    assert str(fold(f)) == "fold(prod(proj_left o proj_right, proj_right) o add)"
    assert str(fold(f, reverse=True)) == "fold_reverse(prod(proj_left o proj_right, proj_right) o add)"
    assert str(scan(prod(f, proj(triple, 2)), reverse=True)).startswith("scan_reverse(prod(")


def test_large_terms_are_in_let_form_with_shared_parts_named() -> None:
    twice = prod(id_(REAL), id_(REAL)) >> MUL
    square = cross(twice, twice)
    text = str(cross(square, square) >> cross(square, square))
    assert text.splitlines()[0] == "let"
    assert "in" in text.splitlines()
    assert "  f1 = " in text
    assert text == str(cross(square, square) >> cross(square, square))


def test_a_chain_of_10_000_arrows_prints_one_step_a_line() -> None:
    lines = str(power(NEG, 10_000)).splitlines()
    assert len(lines) == 10_000
    assert lines[:2] == ["neg", "o neg"]


def test_a_nesting_of_10_000_arrows_prints() -> None:
    f = id_(REAL)
    for _ in range(10_000):
        f = prod(f, id_(REAL)) >> MUL
    assert str(f).startswith("let\n")
    assert repr(f) == str(f)


def test_shared_arrows_are_written_once() -> None:
    f = NEG
    for _ in range(200):
        f = prod(f, f) >> MUL
    assert len(str(f).splitlines()) < 420


def namespace() -> dict[str, Any]:
    primitives = {p.name: p for p in (add, less, mul, neg)}
    return {**vars(ccc.objects), **vars(ccc.arrows), "Fraction": Fraction, "Primitive": primitives.__getitem__}


@pytest.mark.parametrize("arrow", [
    flat_linear(), curry(MUL), uncurry(curry(MUL)), terminal(PAIR), Id(Product((REAL, Exponential(REAL, UNIT)))),
    const(REAL, 2.0), cond(primitive(less, REAL, REAL), MUL, ADD), iterate(primitive(less, REAL, REAL), MUL),
    Scan(prod(loop(Product((UNIT, REAL, Product((REAL,))))), terminal(Product((UNIT, REAL, Product((REAL,))))))),
    Proj(PAIR, 1),
])
def test_repr_of_a_small_term_recreates_it(arrow: Arrow) -> None:
    assert eval(repr(arrow), namespace()) == arrow
