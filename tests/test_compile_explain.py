"""What is shown of a derivative is what it is: phases and listings are run, and agree with the gradient."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import random_programs
import test_corpus

import ccc
from ccc.compile.api.phases import phases
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.numpy_source.numpy_target import load
from ccc.compile.terms.wanted import Part
from ccc.objects_of_values import object_of
from ccc.records import like, parts_of
from paper_examples.example import close
from paper_examples.zygote_notebook import poly


@dataclass(frozen=True)
class Line:
    slope: Any
    offset: Any

    def __call__(self, x: Any) -> Any:
        return self.slope * x + self.offset


def product_and_sine(x: Any, y: Any) -> Any:
    return x * y + math.sin(x)


def folding(w: Any, h: Any, xs: Any) -> Any:
    cell = lambda h, x: math.tanh(w * h + x)  # noqa: E731
    for x in xs:
        h = cell(h, x)
    return h


def branching(x: Any, y: Any) -> Any:
    return x * math.sin(y) if x > y else y


def looping(x: Any) -> Any:
    while x < 10.0:
        x = x * 2.0 + 1.0
    return x


def recursive(x: Any, n: Any) -> Any:
    def go(k: Any) -> Any:
        return x * go(k - 1) if k > 0 else 1.0

    return go(n)


def closures(x: Any, y: Any) -> Any:
    def h(b: Any) -> Any:
        return x * b + y

    return h(h(x))


def arrays(w: Any, x: Any) -> Any:
    return np.sum(np.tanh(w @ x) * 2.0)


def of_record(line: Any, x: Any) -> Any:
    return line(x) * line.slope


def of_tuple(p: Any, q: Any) -> Any:
    return p[0] * q + p[1]


def constant(x: Any) -> Any:
    return 2.0


def of_rule(x: Any, y: Any) -> Any:
    multiply = ccc.differentiable_function(lambda x, y: (x * y, lambda ct: (2.0 * ct * y, 3.0 * ct * x)))
    return multiply(x, y) * ccc.without_derivative(x)


def recomputed(x: Any, y: Any) -> Any:
    inner = ccc.checkpointed(lambda z: math.sin(z) * y)
    return inner(inner(x))


def clipped(x: Any, y: Any) -> Any:
    return ccc.replace_gradient(x * y, lambda ct: max(min(ct, 1.0), -1.0)) * 5.0


SCIENCE = [(f, args) for f, args in test_corpus.PROGRAMS if isinstance(f, FunctionType)]
LARGE = np.random.default_rng(1).normal(size=(3, 3))
PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    (product_and_sine, (2.0, 3.0)), (folding, (0.5, 0.1, [1.0, 2.0, -3.0])), (branching, (3.0, 2.0)),
    (branching, (1.0, 2.0)), (looping, (1.5,)), (recursive, (2.0, 3)), (closures, (2.0, 3.0)),
    (arrays, (LARGE, LARGE[0])), (of_record, (Line(2.0, 3.0), 5.0)), (of_tuple, ((2.0, 3.0), 5.0)), (constant, (1.0,)),
    (poly, (2.0,)), (of_rule, (2.0, 3.0)), (recomputed, (0.5, 3.0)), (clipped, (2.0, 3.0)),
)  # fmt: skip
program = pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))


# -- the phases ----------------------------------------------------------------------------------------------------


@program
@pytest.mark.parametrize("exponential", [None, ccc.AdditiveMap()], ids=["Delta", "AdditiveMap"])
def test_the_phases_are_the_gradient(f: Any, args: Any, exponential: Any):
    wrt = tuple(range(len(args)))
    args, _ = Transform(f).prepared(args, {})
    found = phases(elaborate(f, args), tuple(map(Part, wrt)), exponential, len(args) == 1)
    primal, adjoint = load(found.primal_code), load(found.adjoint_code)
    namespace = {primal.__name__: primal, adjoint.__name__: adjoint}
    exec(found.canonical + "\n" + found.final, namespace)
    name = f.__name__
    value, cotangents = ccc.value_with_gradient(f, exponential=exponential)(*args)
    seeded = namespace[f"{name}_canonical_gradient"](*args, 1.0)
    assert close(seeded[0], value) and close(seeded[1], cotangents, 1e-12)
    assert close(namespace[f"{name}_gradient"](*args), cotangents, 1e-12)
    assert close(namespace[f"{name}_canonical_gradient"](*args, 2.0)[1], ccc.pullback(f)(*args)(2.0), 1e-12)


@program
def test_the_tape_holds_what_the_adjoint_reads_and_nothing_else(f: Any, args: Any):
    e = ccc.explain(f, *args)
    names = [line.split()[0] for line in e.tape.splitlines()[1:]]
    _, _, *body = e.adjoint.splitlines()
    unpacked = f"    ({', '.join(names)}{',' if len(names) == 1 else ''}) = tape"
    assert unpacked in body if names else e.tape.endswith("is empty: the adjoint reads nothing")
    rest = "\n".join(line for line in body if line != unpacked)
    assert all(re.search(rf"\b{name}\b", rest) for name in names)
    kept = f"return (({', '.join(names)}{',' if len(names) == 1 else ''}), " if names else "return ((), "
    assert e.primal.splitlines()[-1].strip().startswith(kept)


def test_the_tape_says_where_its_values_come_from():
    assert ccc.explain(folding, 0.5, 0.1, [1.0]).tape == (
        "C_folding\n"
        f"  ts  [R]  math.tanh(w * h + x), line {folding.__code__.co_firstlineno + 1}\n"
        "  h3  [R]  the h of each run\n"
        "  w   R    parameter"
    )


def test_types_of_the_phases():
    e = ccc.explain(of_record, Line(2.0, 3.0), 5.0)
    assert e.primal.startswith("# of_record_primal : (Line{slope: R, offset: R}, R) -> (C_of_record, R)\n")
    assert ccc.explain(recursive, 2.0, 3).adjoint.startswith("# recursive_adjoint : (C_recursive, R) -> (R, R)\n")
    e = ccc.explain(ccc.value_with_pullback(lambda x: (x, x)), 1.0)
    assert e.final_gradient.startswith("none: gradient needs ")


# -- the explanation -----------------------------------------------------------------------------------------------


@program
def test_the_explanation_in_a_terminal_in_a_notebook_and_as_json(f: Any, args: Any):
    e = ccc.explain(f, *args)
    titles = ["source", *["allocations"] * bool(e.allocations), "λ-program", "combinators", "primal", "tape", "adjoint",
              "canonical gradient", "final gradient", "passes", "derivative program",
              *["kept by loops"] * bool(e.kept), "generated code", "backend"]  # fmt: skip
    assert list(e.sections) == titles
    text = str(e)
    assert [line.split("─")[2].strip() for line in text.splitlines() if line.startswith("── ")] == titles
    page = ElementTree.fromstring(f"<div>{e._repr_html_()}</div>")
    assert [s.text for s in page.iter("b")] == titles
    assert [p.text for p in page.iter("pre")] == list(e.sections.values())
    assert len(list(page.iter("{http://www.w3.org/2000/svg}svg"))) == 1
    assert json.loads(e.to_json()) == {**e.sections, "svg": e.svg}


def test_an_explanation_of_another_verb_has_no_phases():
    e = ccc.explain(ccc.compiled(product_and_sine), 2.0, 3.0)
    assert e.primal == "" and "primal" not in e.sections
    assert "def product_and_sine" in e.code


# -- listings ------------------------------------------------------------------------------------------------------


def test_the_code_of_poly_is_that_of_the_notebook():
    """`%6 = %4 + %5 + 1` there, one sum of three; Python's sums have two."""
    assert str(ccc.code_ir(poly, 1.0)) == (
        "1: (%1, %2)\n  %3 = 3 * %2\n  %4 = %3 * %2\n  %5 = 2 * %2\n  %6 = %4 + %5\n  %7 = %6 + 1\n  return %7"
    )
    assert repr(ccc.code_ir(poly, 1)) == str(ccc.code_ir(poly, 1.0))
    assert ccc.code_ir(poly, 1.0)._repr_html_().startswith("<pre>1: (%1, %2)\n")


def test_the_adjoint_code_of_poly_is_that_of_the_notebook():
    text = str(ccc.code_adjoint(poly, 1))
    primal, _, adjoint = text.partition(",\n1: ")
    assert [line.split(" = ")[1] for line in primal.splitlines() if "_pullback" in line] == [
        "_pullback(*, 3, %2)", "_pullback(*, %4, %2)", "_pullback(*, 2, %2)", "_pullback(+, %7, %10)",
        "_pullback(+, %13, 1)",
    ]  # fmt: skip
    assert adjoint == (
        "(%1)\n"
        "  %2 = (@17)(%1)\n  %3 = gradindex(%2, 2)\n"
        "  %4 = (@14)(%3)\n  %5 = gradindex(%4, 2)\n  %6 = gradindex(%4, 3)\n"
        "  %7 = (@11)(%6)\n  %8 = gradindex(%7, 3)\n"
        "  %9 = (@8)(%5)\n  %10 = gradindex(%9, 2)\n  %11 = gradindex(%9, 3)\n"
        "  %12 = (@5)(%10)\n  %13 = gradindex(%12, 3)\n"
        "  %14 = accum(%8, %11, %13)\n  %15 = tuple(nothing, %14)\n  return %15)"
    )


@program
def test_adjoint_code_runs_as_it_is_listed(f: Any, args: Any):
    value, pullback = ccc.code_adjoint(f, *args)(*args)
    expected, back = ccc.value_with_pullback(f)(*args)
    assert close(value, expected)
    for seed in (1.0, -2.5):
        cts = back(seed) if len(args) > 1 else (back(seed),)
        assert close(pullback(seed), cts, 1e-12)


@pytest.mark.share(8)
@pytest.mark.parametrize(("f", "args"), SCIENCE, ids=lambda x: getattr(x, "__name__", ""))
def test_phases_and_adjoint_code_of_programs_of_scientists(f: Any, args: Any):
    """Each against the pullback, at the cotangent of ones."""
    value, back = ccc.value_with_pullback(f)(*args)
    seed = ones(value)
    cts = back(seed) if len(args) > 1 else (back(seed),)
    args, _ = Transform(f).prepared(args, {})
    elaborated = elaborate(f, args)
    given = [*args, *[hidden.read(f) for hidden in elaborated.hidden]]
    found = phases(elaborated, tuple(map(Part, range(len(args)))), None, len(args) == 1)
    tape, _ = load(found.primal_code)(*given)
    by_phases = load(found.adjoint_code)(tape, seed)
    assert close(by_phases if len(args) > 1 else (by_phases,), cts, 1e-10)
    assert close(ccc.code_adjoint(f, *args)(*given)[1](seed), cts, 1e-8)


def ones(x: Any) -> Any:
    """A cotangent with the number 1 everywhere."""
    if isinstance(x, np.ndarray):
        return np.ones_like(x) if x.dtype.kind == "f" else None
    if isinstance(x, float | np.floating):
        return type(x)(1.0)
    parts = parts_of(x)
    return None if parts is None else like(x, list(map(ones, parts)))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(200))
def test_phases_and_adjoint_code_of_random_programs(seed: int, capsys: pytest.CaptureFixture[str]):
    made = random_programs.program(seed)
    f = made.load()
    args = made.arguments(f, made.calls[0])
    try:
        value, back = ccc.value_with_pullback(f)(*args)
        cts = back(ones(value))
    except Exception as error:
        pytest.skip(f"the program is refused or raises: {type(error).__name__}")
    cts = cts if len(args) > 1 else (cts,)
    given, _ = Transform(f).prepared(args, {})
    elaborated = elaborate(f, given)
    given = (*given, *[hidden.read(f) for hidden in elaborated.hidden])
    found = phases(elaborated, tuple(map(Part, range(len(args)))), None, len(args) == 1)
    tape, _ = load(found.primal_code)(*given)
    by_phases = load(found.adjoint_code)(tape, ones(value))
    assert close(by_phases if len(args) > 1 else (by_phases,), cts, 1e-9)
    assert close(ccc.code_adjoint(f, *args)(*given)[1](ones(value)), cts, 1e-7)


def test_the_results_are_of_the_classes_of_the_user():
    def turned(line: Line, d: dict[str, float]) -> Line:
        return Line(line.offset * d["k"], line.slope)

    value, pullback = ccc.code_adjoint(turned, Line(2.0, 3.0), {"k": 5.0})(Line(2.0, 3.0), {"k": 5.0})
    assert value == Line(15.0, 2.0)
    assert pullback(Line(1.0, 10.0)) == (Line(10.0, 5.0), {"k": 3.0})


@program
def test_each_number_is_assigned_once_and_read_after(f: Any, args: Any):
    text = str(ccc.code_adjoint(f, *args))
    for block in (str(ccc.code_ir(f, *args)), *text.split(",\n1: ", 1)):
        heads = [line.split(" = ")[0] for line in block.splitlines() if " = " in line]
        assigned = [n for head in heads for n in re.findall(r"%\d+", head)]
        assert len(assigned) == len(set(assigned))
        used = set(re.findall(r"%\d+", block))
        assert used - {"%1"} == {f"%{i}" for i in range(2, len(used - {"%1"}) + 2)}
    primal, adjoint = text.split(",\n1: ", 1)
    assert set(re.findall(r"@(\d+)", adjoint)) <= set(re.findall(r"%(\d+) = getindex\(%\d+, 2\)", primal))


def test_the_adjoint_code_is_exact_on_rationals():
    value, pullback = ccc.code_adjoint(poly, Fraction(1))(Fraction(2, 7))
    assert (value, pullback(Fraction(3, 2))) == (Fraction(89, 49), (Fraction(39, 7),))


def test_effects_are_listed_and_run(capsys: pytest.CaptureFixture[str]):
    def loud(x: Any) -> Any:
        print("at", x)
        if x > 5.0:
            raise ValueError("large")
        return x * x

    code = ccc.code_adjoint(loud, 1.0)
    assert "\n  if %4\n    %5 = raise ValueError('large')\n    yield\n  else\n    yield\n" in str(code)
    value, pullback = code(2.0)
    assert (value, pullback(1.0), pullback(1.0)) == (4.0, (4.0,), (4.0,))
    assert capsys.readouterr().out == "at 2.0\n"
    with pytest.raises(ValueError, match="large"):
        code(6.0)


def test_what_cannot_be_listed_is_refused():
    with pytest.raises(ccc.HigherOrderBoundary):
        ccc.code_adjoint(lambda x: lambda y: x * y, 1.0)
    with pytest.raises(ccc.HigherOrderBoundary):
        ccc.explain(lambda x: (x, lambda y: x * y), 1.0)
    assert str(ccc.code_ir(lambda x: (x, lambda y: x * y), 1.0)).endswith("return (%2, λ)")
    with pytest.raises(ccc.CCCError, match=r"error\[CC"):
        ccc.code_ir(lambda x: (yield x), 1.0)


def test_what_loops_keep_has_lines_and_bytes():
    def substituted(a, b):
        x = b * 1.0
        for i in range(len(b)):
            x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
        return np.sum(x * x)

    explained = ccc.explain(ccc.gradient(substituted, backend="numpy"), np.eye(10), np.ones(10))
    first, second = explained.kept.splitlines()
    assert first.split()[:3] == ["80", "bytes", "[R[float64]]"] and "line" in first
    assert "at most 800 bytes" in second and "a[i, :i], line" in second
    assert ccc.explain(lambda x: x * x, 3.0).kept == ""


def test_the_memory_of_the_tape_is_that_of_its_values(capsys: pytest.CaptureFixture[str]):
    def f(w, x):
        h = np.tanh(x @ w)
        print("seen")
        total = 0.0
        for i in range(len(h)):
            total = total + h[i] * h[i]
        return total * np.sum(h[1:])

    w, x = np.ones(2), np.ones((5, 2))
    found = ccc.explain(f, w, x)
    lines = found.memory.splitlines()
    assert capsys.readouterr().out == "" and lines[0].startswith("C_f holds ")
    rows = {line.split()[1]: int(line.split()[0].replace(",", "")) for line in lines[1:]}
    assert rows["x"] == x.nbytes if "x" in rows else rows["x2"] == x.nbytes
    assert any("np.tanh(x @ w), line" in line and line.split()[0] == "40" for line in lines[1:])
    total = int(lines[0].split()[2].replace(",", ""))
    assert max(rows.values()) <= total <= sum(rows.values())
    assert ccc.explain(lambda x: x + 1.0, 2.0).memory == "C_f holds 0 bytes"
    assert ccc.explain(ccc.derivative(lambda x: x * x), 2.0).memory == ""


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray


def of_layer(layer, xs):
    h = np.zeros(layer.b.shape)
    for x in xs:
        h = np.tanh(layer.w @ h + layer.b * x)
    return np.sum(h)


def test_a_loop_whose_state_has_the_size_of_a_part_of_an_argument_is_explained():
    layer = Layer(np.ones((2, 2)), np.ones(2))
    assert "tanh" in ccc.explain(ccc.gradient(of_layer, wrt="layer"), layer, np.ones(3)).code


@dataclass
class Branching:
    value: float
    left: Branching | None = None
    right: Branching | None = None


def weight(tree: Branching | None, x: float) -> float:
    return 0.0 if tree is None else tree.value * x + 0.5 * weight(tree.left, x) + weight(tree.right, x)


def test_a_program_over_trees_is_explained():
    """The type of a tree stands in itself: to write it out failed."""
    tree = Branching(1.0, Branching(2.0), Branching(3.0, None, Branching(1.0)))
    found = ccc.explain(ccc.gradient(weight, wrt="x"), tree, 0.7)
    assert "def weight_pullback" in found.code and "ITSELF" in repr(object_of(tree))
