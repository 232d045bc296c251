"""What is refused, word by word: what, where (under the very text), why, and what to write instead."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import CompileError, Diagnostic, Span, TypeMismatch, UnsupportedPython
from ccc.errors import CCCError

x, v = 1.5, np.array([1.0, 2.0])
REFUSALS: dict[str, tuple[Any, type[CompileError], str, str]] = {
    "local_before_it_is_bound": (x, TypeMismatch, """\
y = 1.0


def f(x):
    z = y
    y = x
    return z
""", """\
error[CC007]: `y` may be unbound here
  --> m.py:8:9
  8 |     z = y
    |         ^
  = note: it is a name of this function, and nothing has bound it so far
  = help: give `y` a value before"""),
    "undefined": (x, TypeMismatch, """\
def f(x):
    return x * missing
""", """\
error[CC007]: name `missing` is not defined
  --> m.py:5:16
  5 |     return x * missing
    |                ^^^^^^^
  = help: define or import it"""),
    "no_return_on_a_path": (x, TypeMismatch, """\
def f(x):
    if x > 0:
        return range(3)
""", """\
error[CC005]: this path ends without a return value, where others give a range
  --> m.py:5:5
  5 |     if x > 0:
    |     ^^^^^^^^^
  = note: no `return` is reached when this test is false
  = help: add `else: return ...`"""),
    "branches_of_different_types": (x, TypeMismatch, """\
def f(x):
    return {1, 2} if x > 1 else x
""", """\
error[CC006]: branches give different types
  --> m.py:5:12
  5 |     return {1, 2} if x > 1 else x
    |            ^^^^^^^^^^^^^^^^^^^^^^
  = note: one gives a set
  = note: the other gives a real number
  = help: return the same shape from both"""),
    "a_name_of_two_types": (x, TypeMismatch, """\
def f(x):
    if x > 1:
        t = {1, 2}
    else:
        t = x
    return t
""", """\
error[CC006]: `t` has two types here
  --> m.py:9:12
  9 |     return t
    |            ^
  = note: one branch of the `if` at m.py:5:5 gives another type than the other
  = help: give `t` a value of one type before"""),
    "a_loop_that_changes_a_type": (x, TypeMismatch, """\
def f(x):
    s = x
    for i in range(int(x)):
        s = (s, 1.0)
    return s
""", """\
error[CC006]: `s` changes its type in a loop
  --> m.py:7:14
  7 |         s = (s, 1.0)
    |              ^
  = note: before the loop at m.py:6:5 it is a real number, behind one run (a real number, a real number)
  = help: give `s` a value of one type before"""),
    "try_": (x, UnsupportedPython, """\
def f(x):
    try:
        return x
    except* ValueError:
        pass
    return 2 * x
""", """\
error[CC003]: `except*` is not supported in a differentiated function
  --> m.py:5:5
  5 |     try:
    |     ^^^^
  = help: move it to the caller"""),
    "generator": (x, UnsupportedPython, """\
def f(x):
    yield x
""", """\
error[CC004]: `yield` makes this a generator; derivatives need a returned value
  --> m.py:5:5
  5 |     yield x
    |     ^^^^^^^
  = help: collect the values in a tuple and return it"""),
    "global_": (x, UnsupportedPython, """\
def f(x):
    global total
    total = x
    return x
""", """\
error[CC012]: `global` writes a variable outside of the function
  --> m.py:6:5
  6 |     total = x
    |     ^^^^^
  = note: the function stands in no module
  = help: return the value instead: `return y, total`"""),
    "augmented_argument_of_a_derivative": (v, UnsupportedPython, """\
import ccc


def f(v):
    def g(w):
        w += 1.0
        return w.sum()
    return ccc.gradient(g)(v).sum()
""", """\
error[CC011]: `w += ...` would change an array that is visible elsewhere
  --> m.py:9:9
  9 |         w += 1.0
    |         ^^^^^^^^
  = note: the caller sees it too
  = note: in this call --> m.py:11:12
  = help: write `w = w + ...`"""),
    "augmented_alias": (v, UnsupportedPython, """\
def f(v):
    w = np.outer(v, v).T * 2
    u = w.reshape(4)
    u += 1.0
    return w.sum()
""", """\
error[CC011]: `u += ...` would change an array that is visible elsewhere
  --> m.py:7:5
  7 |     u += 1.0
    |     ^^^^^^^^
  = note: `w` sees it too
  = help: write `u = u + ...`"""),
    "augmented_in_the_next_run": (v, UnsupportedPython, """\
def f(v):
    s = v * 2
    t = v * 3
    for i in range(3):
        s += v
        t = s
    return (s * t).sum()
""", """\
error[CC011]: `s += ...` would change an array that is visible elsewhere
  --> m.py:8:9
  8 |         s += v
    |         ^^^^^^
  = note: in the next run of the loop at m.py:7:5 `t` sees it too
  = help: put a copy where `t` gets its value: `.copy()`"""),
    "list_of_the_caller": ([v], UnsupportedPython, """\
def f(a):
    a[0], a[1] = a[1], a[0]
    return a[0].sum()
""", """\
error[CC011]: `a` is changed, and what is put into it holds something of the caller's
  --> m.py:5:5
  5 |     a[0], a[1] = a[1], a[0]
    |     ^
  = help: put a copy into it"""),
    "augmented_integers": (v, TypeMismatch, """\
def f(v):
    w = np.array([1, 2])
    w += v
    return w.sum()
""", """\
error[CC027]: an array of int64 cannot hold the result, which is of float64
  --> m.py:6:5
  6 |     w += v
    |     ^^^^^^
  = help: convert the array with .astype(...) first"""),
    "no_rule": (v, UnsupportedPython, """\
def f(v):
    return np.packbits(v)
""", """\
error[CC020]: no derivative rule for `numpy.packbits`
  --> m.py:5:12
  5 |     return np.packbits(v)
    |            ^^^^^^^^^^^^^^
  = note: it is one of those of NumPy and SciPy that have no derivative here
  = help: give it one: `@ccc.derivative_of(np.packbits)` above `def rule(a): return np.packbits(a), lambda ct: (...)`"""),  # noqa: E501
    "keyword_that_is_not_supported": (v, UnsupportedPython, """\
def f(v):
    return np.cumsum(v, initial=2.0)
""", """\
error[CC020]: `cumsum` with these arguments is not supported
  --> m.py:5:12
  5 |     return np.cumsum(v, initial=2.0)
    |            ^^^^^^^^^^^^^^^^^^^^^^^^^
  = note: it got an unexpected keyword argument 'initial'
  = help: leave out the keyword, or compute it in two steps"""),
    "method_of_a_float": (x, TypeMismatch, """\
def f(x):
    return x.sum()
""", """\
error[CC027]: `float` has no attribute `sum`
  --> m.py:5:12
  5 |     return x.sum()
    |            ^^^^^
  = help: use a function: np.sum(...)"""),
    "a_float_is_called": (x, TypeMismatch, """\
def f(x):
    return x(2)
""", """\
error[CC022]: a real number cannot be called
  --> m.py:5:12
  5 |     return x(2)
    |            ^^^^
  = help: call a function"""),
    "a_string_is_added": (x, TypeMismatch, """\
def f(x):
    return x + 'a'
""", """\
error[CC027]: an operator met the text 'a'
  --> m.py:5:16
  5 |     return x + 'a'
    |                ^^^
  = help: use numbers and arrays"""),
    "float_index": (v, TypeMismatch, """\
def f(v):
    return v[1.0]
""", """\
error[CC027]: this index is not an integer
  --> m.py:5:12
  5 |     return v[1.0]
    |            ^^^^^^
  = help: int(...) makes it one"""),
    "tuple_index_out_of_range": (x, TypeMismatch, """\
def f(x):
    return (x, x)[2]
""", """\
error[CC027]: IndexError: tuple index out of range
  --> m.py:5:12
  5 |     return (x, x)[2]
    |            ^^^^^^^^^
  = help: use an index that is there"""),
    "unpacking": (x, TypeMismatch, """\
def f(x):
    a, b = (x, x, x)
    return a
""", """\
error[CC027]: 3 values for 2 names
  --> m.py:5:5
  5 |     a, b = (x, x, x)
    |     ^^^^
  = help: name each value"""),
    "too_many_arguments": (x, TypeMismatch, """\
def g(x):
    return x


def f(x):
    return g(x, x)
""", """\
error[CC027]: `g` was given 2 arguments, it takes 1
  --> m.py:9:12
  9 |     return g(x, x)
    |            ^^^^^^^
  = help: its parameters are (x)"""),
    "unknown_keyword": (x, TypeMismatch, """\
def g(x, /):
    return x


def f(x):
    return g(x=x)
""", """\
error[CC027]: `g` has no parameter `x` that can be named
  --> m.py:9:12
  9 |     return g(x=x)
    |            ^^^^^^
  = help: its parameters are (x, /)"""),
    "complex_": (x, UnsupportedPython, """\
def f(x):
    return np.real_if_close(x * 1j)
""", """\
error[CC020]: `real_if_close` of complex numbers is not supported
  --> m.py:5:12
  5 |     return np.real_if_close(x * 1j)
    |            ^^^^^^^^^^^^^^^^^^^^^^^^
  = note: it is not linear in them
  = help: take the real part, the imaginary part, or the absolute value"""),
    "chain_of_calls": (v, UnsupportedPython, """\
def g(x):
    return np.packbits(x)


def h(x):
    k = lambda y: g(y)
    return k(x)


def f(v):
    return h(v) + 1
""", """\
error[CC020]: no derivative rule for `numpy.packbits`
  --> m.py:5:12
  5 |     return np.packbits(x)
    |            ^^^^^^^^^^^^^^
  = note: it is one of those of NumPy and SciPy that have no derivative here
  = note: in this call --> m.py:9:19
  = note: in this call --> m.py:10:12
  = note: in this call --> m.py:14:12
  = help: give it one: `@ccc.derivative_of(np.packbits)` above `def rule(a): return np.packbits(a), lambda ct: (...)`"""),  # noqa: E501
    "long_chain": (v, TypeMismatch, """\
def g0(x):
    return x @ 'a'


def g1(x):
    return g0(x)


def g2(x):
    return g1(x)


def g3(x):
    return g2(x)


def g4(x):
    return g3(x)


def g5(x):
    return g4(x)


def f(v):
    return g5(v)
""", """\
error[CC027]: an operator met the text 'a'
  --> m.py:5:16
  5 |     return x @ 'a'
    |                ^^^
  = note: in this call --> m.py:9:12
  = note: in this call --> m.py:13:12
  = note: ... 3 more calls ...
  = note: in this call --> m.py:29:12
  = help: use numbers and arrays"""),
    "tabs_and_wide_text": (x, TypeMismatch, """\
def f(x):
\tif x:
\t\ty = '漢字é'; return x + y
\treturn x
""", """\
error[CC027]: an operator met the text '漢字é'
  --> m.py:6:25
  6 |         y = '漢字é'; return x + y
    |                                 ^
  = help: use numbers and arrays"""),
}


def defined(path: Path, text: str) -> Any:
    """The function `f` of a file with this text behind an import of NumPy."""
    path.write_text("import numpy as np\n\n\n" + text)
    space = types.ModuleType("m")
    exec(compile(path.read_text(), str(path), "exec"), space.__dict__)
    return space.f


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.usefixtures("without_stores")
def test_refusals(tmp_path: Path, name: str):
    argument, kind, text, expected = REFUSALS[name]
    f = defined(tmp_path / "m.py", text)
    for transform in (Transform(f), ccc.value_with_pullback(f), ccc.value_with_differential(f)):
        with pytest.raises(kind) as caught:
            transform.compiled((argument,), {})
        assert str(caught.value).replace(str(tmp_path / "m.py"), "m.py") == expected
        assert len(expected.splitlines()) <= 12


def test_every_error_has_one_base():
    assert issubclass(UnsupportedPython, CCCError) and issubclass(UnsupportedPython, NotImplementedError)
    assert issubclass(TypeMismatch, CCCError) and issubclass(TypeMismatch, TypeError)


@pytest.mark.share(2)
@pytest.mark.parametrize("text", [
    "def f(x):\n    return x if " + " and ".join(["x > 0"] * 4000) + " else 0.0\n",
    "def f(x):\n" + "".join(f"    if x < {i}: return x\n" for i in range(4000)) + "    return x\n",
])
def test_what_nests_too_deeply_is_refused(tmp_path: Path, text: str):
    with pytest.raises(CompileError, match="CC060.*nested too deeply"):
        Transform(defined(tmp_path / "m.py", text)).compiled((x,), {})


@pytest.mark.parametrize("text", [
    "def f(x):\n    return " + " + ".join(["x"] * 1500) + "\n",
    "def f(x):\n" + "    x = x * 1.001\n" * 1500 + "    return x\n",
    "def f(x):\n    return " + "(" * 80 + "x" + ") * 0.5" * 80 + "\n",
])
def test_what_is_long_compiles(tmp_path: Path, text: str):
    f = defined(tmp_path / "m.py", text)
    value, slope = ccc.value_with_gradient(f)(x)
    assert value == f(x)
    assert abs(slope * x - value) <= 1e-9 * abs(value)


def test_the_carets_stand_under_the_text():
    """Tabs are expanded, wide characters count two columns, a long line is cut around the place."""
    line = "\t" + "漢" * 3 + " = xé\n"
    excerpt = Span("m.py", 1, 7, 1, 9, (line,)).excerpt()
    assert excerpt == ["  1 |     漢漢漢 = xé", "    |              ^^"]
    place = Span("m.py", 1, 700, 1, 703, ("a" * 700 + "bbb" + "c" * 700,))
    shown, carets = place.excerpt()
    assert shown[carets.index("^"):carets.rindex("^") + 1] == "bbb"
    assert len(shown) < 180


def test_a_place_without_source():
    found = Diagnostic("CC001", "cannot read", Span("<string>", 3, 0, 3, 1))
    assert str(found) == "error[CC001]: cannot read\n  --> <string>:3:1\n  3 | <source not available>"


def test_calls_are_noted_from_the_inside_out():
    error = CompileError(Diagnostic("CC003", "no", Span("m.py", 1, 0, 1, 1)))
    for line in range(2, 7):
        error.called_from(Span("m.py", line, 0, line, 1))
    notes = [line for line in str(error).splitlines() if "note" in line]
    assert [note.rpartition(" ")[2] for note in notes] == ["m.py:2:1", "m.py:3:1", "...", "m.py:6:1"]


def filled(x: float) -> Any:
    y = np.empty(3)
    for i in range(3):
        y[i] = x * i
    return np.sum(y) + np.sum(np.zeros(3, dtype=y.dtype) + x)


def grown(x: float) -> Any:
    out = np.array([])
    for i in range(3):
        out = np.append(out, x * i)
    return np.sum(out * out)


def test_arrays_that_are_made_to_be_filled():
    agrees(filled, 2.0)
    agrees(grown, 2.0)
    agrees(lambda a: np.sum(np.append(a, [a]) if a.dtype == np.float64 else a), v)
    assert ccc.gradient(lambda a: np.sum(a.astype(a.dtype)))(v.astype(np.float32)).dtype == np.float32


def needs_a_matrix(a: Any) -> Any:
    assert a.ndim == 2, "a matrix is needed"
    return np.sum(a)


def test_what_raises_on_every_path_raises_it():
    for verb in (ccc.gradient, ccc.compiled, ccc.value_with_pullback):
        with pytest.raises(AssertionError, match="a matrix is needed") as raised:
            verb(needs_a_matrix)(v)
        assert "assert a.ndim == 2" in raised.value.__notes__[0]
    with pytest.raises(TypeError, match="only 0-dimensional arrays"):
        ccc.gradient(lambda a: float(a))(v)


@pytest.mark.parametrize(
    ("run", "help"),
    [
        (lambda: ccc.gradient(lambda p: p["wieght"])({"weight": 2.0}), "write `'weight'`"),
        (lambda: ccc.gradient(lambda weight: weight, wrt="wieght")(2.0), "write `weight`"),
        (lambda: ccc.gradient(lambda x, y=1.0: x * y, wrt="y")(2.0), "give `y` in the call"),
        (lambda: ccc.gradient(lambda x, y: x * y, wrt=5)(2.0, 1.0), "name one of x, y, by name or position"),
        (lambda: ccc.gradient(lambda x: float(f"{x}"))(2.0), "pass the values themselves"),
    ],
)
def test_mends_name_what_there_is(run: Any, help: str):
    with pytest.raises(CompileError) as raised:
        run()
    assert raised.value.diagnostics[0].help == help


def test_a_loop_that_is_refused_turn_by_turn_and_as_one_says_why():
    def f(x):
        d, g = {"rate": 0.1}, lambda z: z * z

        def step(rate):
            nonlocal g
            d["n"] = d.get("n", 0) + 1
            if d["n"] % 3 == 0:
                old = g
                g = lambda z: old(z) + rate  # noqa: E731
            return g(x) / d["n"]

        while step(d["rate"]) > 0.43:
            pass
        return x

    with pytest.raises(ccc.CCCError, match="a loop cannot carry `g` yet"):
        ccc.compiled(f)(1.73)
