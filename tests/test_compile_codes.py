"""The pages of the codes: the program of each is refused by that code, and its mended twin is not."""
# pyright: reportCallIssue=false, reportArgumentType=false
from __future__ import annotations

import contextlib
import difflib
import json
import math
import os
import re
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ccc
from ccc import laws
from ccc.compile.api import wrapper
from ccc.compile.api.codes import CODES, PAGES, page
from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.compile.frontend import custom

RUN = """
import sys, math, numpy as np, ccc
from ccc.compile.diagnostics import CompileError
path = sys.argv[1]
try:
    exec(compile(open(path).read(), path, "exec"), {"ccc": ccc, "np": np, "math": math})
except CompileError as error:
    print(",".join(d.code for d in error.diagnostics))
"""


def codes_of(path: Path, program: str, options: tuple[str, ...]) -> list[str]:
    """The codes that a program is refused by."""
    path.write_text(program, "utf-8")
    if options:
        run = subprocess.run([sys.executable, *options, "-c", RUN, str(path)], capture_output=True, text=True,
                             check=True, cwd=Path(__file__).parents[1])  # fmt: skip
        return [code for code in run.stdout.strip().split(",") if code]
    rules = dict(custom.RULES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ccc.CCCWarning)
            exec(compile(program, str(path), "exec"), {"ccc": ccc, "np": np, "math": math})
    except ccc.CCCWarning as warning:
        return [d.code for d in warning.diagnostics]  # type: ignore[attr-defined]
    except ccc.CCCError as error:
        assert not error.diagnostics or error.code == error.diagnostics[0].code
        return [d.code for d in error.diagnostics] or [error.code]
    finally:
        if rules != custom.RULES:
            custom.RULES.clear()
            custom.RULES.update(rules)
            wrapper.forget()
    return []


@pytest.mark.share(2)
@pytest.mark.parametrize("code", PAGES)
def test_the_program_of_a_page_is_refused_and_its_mended_one_is_not(code: str, tmp_path: Path):
    found = PAGES[code]
    refused = codes_of(tmp_path / "refused.py", found.refused, found.options)
    assert refused and set(refused) == {code}
    assert codes_of(tmp_path / "mended.py", found.mended, found.options) == []
    assert CODES[code] == found.title
    text = page(code)
    assert text is not None and text.startswith(f"{code}: {found.title}\n\n")
    assert max(map(len, text.splitlines())) <= 120


def f(x: float, y: Any = 1.0) -> Any:
    return x * y


def test_errors_of_calls_have_the_place_of_the_call():
    with pytest.raises(WrongArguments) as raised:
        ccc.gradient(f, wrt="z")(2.0)
    (found,) = raised.value.diagnostics
    assert found.code == "CC070" and found.span is not None
    assert found.span.file == __file__
    lines = str(raised.value).splitlines()
    assert lines[0] == "error[CC070]: wrt='z': `f` was given no argument `z`; it has x"
    called = 'ccc.gradient(f, wrt="z")(2.0)'
    assert lines[2].endswith(called) and lines[3].endswith("^" * len(called))


def test_errors_of_operators_inside_programs_have_their_place_there():
    def outer(x: float) -> float:
        return ccc.gradient(f, wrt="z")(x) * 2.0

    with pytest.raises(WrongArguments) as raised:
        ccc.gradient(outer)(2.0)
    (found,) = raised.value.diagnostics
    assert found.span is not None
    line = found.span.lines[found.span.line - 1]
    assert line[found.span.column : found.span.end_column] == 'ccc.gradient(f, wrt="z")(x)'


def test_a_result_that_is_no_number_is_shown_where_it_is_computed():
    with pytest.raises(CompileError, match=r"error\[CC026\]: gradient needs a scalar result; `f` returned") as raised:
        ccc.gradient(f)(2.0, np.ones(3))
    assert "return x * y\n" in str(raised.value) and "ccc.jacobian(f)" in str(raised.value)


def test_diagnostics_are_data():
    with pytest.raises(CompileError) as raised:
        ccc.gradient(lambda x: x * missing)(2.0)  # type: ignore[name-defined]  # noqa: F821
    (found,) = json.loads(raised.value.to_json())
    assert found["code"] == "CC007" and found["severity"] == "error" and found["calls"] == []
    assert found["place"]["file"] == __file__ and found["place"]["end_column"] - found["place"]["column"] == 7


def several(x: float, xs: Any) -> Any:
    y = x * missing_one  # type: ignore[name-defined]  # noqa: F821
    z = y + x  # follows from the first
    t = x * z

    u = t - x
    for v in xs:
        z = math.nextafter(v, 2.0) + z  # what follows in the loop is not looked at
        w = v + missing_two  # type: ignore[name-defined]  # noqa: F821
    w = helper(x)
    return z + w + u + missing_three  # type: ignore[name-defined]  # noqa: F821


def helper(x: float) -> float:
    try:
        return x
    except* ValueError:
        pass
    return 2.0 * x


def test_several_errors_are_shown_and_what_follows_from_one_is_not():
    with pytest.raises(CompileError) as raised:
        ccc.gradient(several)(2.0, [1.0, 2.0])
    found = [(d.code, d.span.line - several.__code__.co_firstlineno) for d in raised.value.diagnostics if d.span]
    assert found == [("CC007", 1), ("CC020", 7), ("CC003", 14)]
    assert str(raised.value).count("error[") == 3


def test_more_than_five_errors_are_counted(tmp_path: Path):
    lines = "\n".join(f"    y{i} = x * missing{i}" for i in range(30))
    (tmp_path / "many.py").write_text(f"def f(x):\n{lines}\n    return x\n")
    space: dict[str, Any] = {}
    exec(compile((tmp_path / "many.py").read_text(), str(tmp_path / "many.py"), "exec"), space)
    with pytest.raises(CompileError) as raised:
        ccc.gradient(space["f"])(2.0)
    assert len(raised.value.diagnostics) == 20
    assert str(raised.value).count("error[") == 5 and str(raised.value).endswith("... and 15 more places")


def test_an_error_in_a_callee_is_shown_with_the_calls():
    with pytest.raises(CompileError) as raised:
        ccc.gradient(lambda x: helper(x) * 2.0)(2.0)
    assert [d.code for d in raised.value.diagnostics] == ["CC003"]
    assert "in this call" in str(raised.value)


def inverse(x: float) -> float:
    y = x - 1.0
    return 1.0 / y


def chosen(x: float, xs: Any, k: int) -> float:
    s = 0.0
    for v in xs:
        s = s + v * xs[k]
    return s * x


def branching(x: Any) -> Any:
    if x > 0.0:
        return np.sum(x)
    return 0.0


def looping(x: Any) -> Any:
    while x > 0.0:
        x = x - 1.0
    return np.sum(x)


def checked(x: float) -> float:
    if x < 0.0:
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)


@pytest.mark.parametrize(
    ("f", "args", "line"),
    [
        (inverse, (1.0,), "return 1.0 / y"),
        (lambda x: inverse(x) * x, (1.0,), "return 1.0 / y"),
        (chosen, (2.0, [1.0, 2.0], 5), "s = s + v * xs[k]"),
        (checked, (-1.0,), 'raise ValueError(f"negative: {x}")'),
        (branching, (np.ones(2),), "if x > 0.0:"),
        (looping, (np.ones(2),), "while x > 0.0:"),
    ],
)
def test_errors_of_running_code_show_the_line_of_the_user(f: Any, args: Any, line: str):
    with pytest.raises(Exception) as expected:
        f(*args)
    for verb in (ccc.gradient, ccc.compiled, ccc.value_with_pullback):
        held = verb(f)
        for _ in range(3):  # the third call takes the short way
            with pytest.raises(expected.type) as raised:
                held(*args)
            assert str(raised.value) == str(expected.value)
            (note,) = raised.value.__notes__
            place, shown, caret = note.splitlines()
            assert place.startswith(f"  --> {__file__}:") and shown.endswith(line)
            assert set(caret.partition("|")[2]) == {" ", "^"}


def test_warnings_have_the_place_of_the_call_and_can_be_silenced():
    with pytest.warns(ccc.CCCWarning, match=r"warning\[CC024\]: the result does not depend on `x`") as found:
        assert ccc.gradient(lambda x, y: y * y)(1.0, 2.0) == (0.0, 4.0)
    assert [w.filename for w in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ccc.CCCWarning)
        ccc.gradient(lambda x, y: y * y, wrt="y")(1.0, 2.0)
        ccc.gradient(lambda x, y: y * y + 0.0 * ccc.without_derivative(x))(1.0, 2.0)
        ccc.gradient(lambda x, n: x * x)(1.0, 2)
        ccc.compiled(lambda x, y: y * y)(1.0, 2.0)
        ccc.gradient(lambda x, p: x if p["a"] > 0.0 else 2.0 * x)(1.0, {"a": 1.0})


def silent(x: float) -> float:
    """A text is no statement without effect."""
    ...
    x * 2.0  # pyright: ignore[reportUnusedExpression]
    return x


def test_a_statement_without_effect_is_shown():
    with pytest.warns(ccc.CCCWarning, match=r"warning\[CC031\]: statement has no effect on the result") as found:
        assert ccc.gradient(silent)(2.0) == 1.0
    assert len(found) == 1
    assert "    x * 2.0  #" in str(found[0].message).splitlines()[2]


def follows(x: float, n: int, xs: Any) -> Any:
    y = missing_one(x)  # type: ignore[name-defined]  # noqa: F821
    outer = y  # noqa: F841
    kept: list[float] = []
    kept.append(missing_two(x))  # type: ignore[name-defined]  # noqa: F821
    z = np.zeros(3)
    fill(z, n)
    for i in range(n):
        y = x * i
    for k in missing_three(xs):  # type: ignore[name-defined]  # noqa: F821
        last = k
    if x > 1.0:
        y = x
    return y + kept[0] + last + k + z[0] + missing_four  # type: ignore[name-defined]  # noqa: F821


def fill(a: Any, n: int) -> None:
    for i in range(n):
        a[i] = missing_five  # type: ignore[name-defined]  # noqa: F821


def test_errors_that_follow_from_another_are_not_shown():
    with pytest.raises(CompileError) as raised:
        ccc.gradient(follows)(2.0, 3, [1.0])
    found = [re.findall("`(.*?)`", d.message)[0] for d in raised.value.diagnostics]
    assert found == ["missing_one", "missing_two", "missing_three", "missing_five"]


def test_every_code_has_a_page_and_every_page_a_use():
    root = Path(__file__).parents[1]
    folders = [root / name for name in ("ccc", "compile", "laws")]
    files = [path for folder in folders for path in folder.rglob("*.py") if not path.name.startswith("codes")]
    used = {code for path in files for code in re.findall(r"CC\d{3}", path.read_text("utf-8"))}
    assert used == {*PAGES}


def classes(cls: type) -> list[type]:
    return [cls, *[found for sub in cls.__subclasses__() for found in classes(sub)]]


def test_every_error_has_a_code_and_can_be_told():
    for cls in classes(ccc.CCCError):
        assert cls.code in PAGES, cls  # type: ignore[attr-defined]
    with pytest.raises(ccc.HigherOrderBoundary) as raised:
        ccc.gradient(lambda x: lambda y: x * y)(2.0)
    (found,) = raised.value.diagnostics
    assert found.code == "CC071" and found.span is not None and found.help
    assert found.span.lines[found.span.line - 1][found.span.column : found.span.end_column] == "lambda y: x * y"
    assert json.loads(raised.value.to_json())[0]["place"]["file"] == __file__


def clipped(x: float) -> float:
    return 3.0 * ccc.replace_gradient(x, lambda ct: max(min(ct, 1.0), -1.0))


def keys(x: float) -> float:
    d: dict[float, float] = {}
    for k in range(3):
        d[x * k] = 1.0
    s = 0.0
    for k in d:
        s = s + k
    return s


class Plain(contextlib.ContextDecorator):
    def __call__(self, x: float) -> float:
        return x


@pytest.mark.parametrize(
    ("run", "code", "text"),
    [
        (lambda: ccc.value_with_differential(clipped)(2.0), "CC043", "ccc.replace_gradient(x, lambda ct: "),
        (lambda: ccc.gradient(keys)(2.0), "CC021", "for k in d:"),
        (lambda: ccc.gradient(lambda g, x: g(x), wrt="g")(math.sin, 1.0), "CC071", "ccc.gradient(lambda g, x: g(x)"),
        (lambda: ccc.gradient(lambda x: x)(np.array([None])), "CC025", "ccc.gradient(lambda x: x)(np.array([None]))"),
        (lambda: ccc.arrow(lambda x: lambda y: x, 1.0), "CC071", "lambda y: x"),
        (lambda: ccc.vjp_probe(lambda x: x, 2.0, [(3.0, 1.0)]), "CC051", "ccc.vjp_probe(lambda x: x, 2.0, [(3.0"),
        (lambda: ccc.jacfwd(lambda x: x)(np.array([1, 2])), "CC025", "ccc.jacfwd(lambda x: x)(np.array([1, 2]))"),
        (lambda: ccc.gradient(f)(1.0, 2.0, 3.0), "CC027", "ccc.gradient(f)(1.0, 2.0, 3.0)"),
        (lambda: ccc.derivative(f)(), "CC070", "ccc.derivative(f)()"),  # type: ignore[call-arg]
        (lambda: ccc.gradient(f, 1.0), "CC070", "ccc.gradient(f, 1.0)"),
        (lambda: ccc.gradient(3.0), "CC070", "ccc.gradient(3.0)"),  # type: ignore[arg-type]
        (lambda: ccc.vjp(f, 1.0, 2.0)[1]((1.0, 2.0)), "CC070", "ccc.vjp(f, 1.0, 2.0)[1]((1.0, 2.0))"),
        (lambda: ccc.gradient(Plain())(1.0), "CC020", "ccc.gradient(Plain())(1.0)"),
        (lambda: ccc.gradient(lambda x: math.sine(x))(1.0), "CC007", "math.sine"),  # type: ignore[attr-defined]
    ],
)  # fmt: skip
def test_errors_have_a_place_in_the_users_code(run: Any, code: str, text: str):
    with pytest.raises(ccc.CCCError) as raised:
        run()
    (found,) = raised.value.diagnostics
    assert found.code == code and found.span is not None and found.span.file == __file__
    line = found.span.lines[found.span.line - 1]
    assert line[found.span.column :].startswith(text)
    assert found.help


@pytest.mark.parametrize(
    ("f", "args", "text"),
    [
        (sorted, ([1.0],), "`sorted` returned a list"), (math.prod, (3.0,), "cannot be iterated"),
        (list, ([1.0],), "`list` returned a list"), (zip, ([1.0],), "an iterator cannot be returned"),
        (print, (1.0,), "`print` returned None"), (int, (1.0,), "derivative lost: `int`"),
        (lambda x: int(x) + 1, (1.0,), "derivative lost: `int`"),
    ],
)  # fmt: skip
def test_functions_of_the_library_are_differentiated_as_such(f: Any, args: Any, text: str):
    with pytest.raises(ccc.CCCError) as raised:
        ccc.gradient(f)(*args)
    (found,) = raised.value.diagnostics
    assert text in found.message and found.span is not None and found.span.file == __file__
    assert ccc.gradient(max)([1.0, 2.0]) == [0.0, 1.0] and ccc.gradient(math.prod)([3.0, 2.0]) == [2.0, 3.0]
    with pytest.raises(ValueError, match="empty") as plain:
        ccc.gradient(max)([])
    assert not hasattr(plain.value, "__notes__")


def near(xs: list[float]) -> float:
    return xs[0] * len(difflib.get_close_matches("a", ["ab"]))


def test_what_is_refused_in_installed_code_is_said_of_the_call_that_leads_there():
    with pytest.raises(CompileError) as raised:
        ccc.gradient(lambda xs: 2.0 * near(xs))([1.0, 2.0])
    first = raised.value.diagnostics[0]
    assert first.message.startswith("`difflib.get_close_matches` cannot be read: ") and first.span is not None
    line = first.span.lines[first.span.line - 1]
    assert line[first.span.column : first.span.end_column] == 'difflib.get_close_matches("a", ["ab"])'
    assert len(first.calls) == 1
    assert first.notes[0].startswith("at ") and "difflib.py:" in first.notes[0]
    assert "@ccc.derivative_of(difflib.get_close_matches)" in first.help


def test_notes_name_no_place_of_ours():
    with pytest.raises(CompileError) as raised:
        ccc.hessian(lambda x: x.strip())(np.ones(2))
    assert "verbs.py" not in str(raised.value) and raised.value.diagnostics[0].calls == ()


def test_a_name_that_is_not_there_is_found():
    for module, name in ((ccc, "jacobain"), (laws, "chekc")):
        with pytest.raises(AttributeError) as raised:
            getattr(module, name)
        assert raised.value.obj is module and raised.value.name == name  # Python says what is near


@pytest.mark.parametrize("run", [lambda: ccc.gradient(keys)(2.0), lambda: ccc.arrow(lambda x: x.foo, 1.0)])
def test_tracebacks_leave_the_compiler_out(run: Any, monkeypatch: pytest.MonkeyPatch):
    def lines_of_ours() -> int:
        with pytest.raises(ccc.CCCError) as raised:
            run()
        return "".join(traceback.format_exception(raised.value)).count(f"{os.sep}compile{os.sep}")

    monkeypatch.delenv("CCC_TRACEBACK", raising=False)
    assert lines_of_ours() < 5
    monkeypatch.setenv("CCC_TRACEBACK", "full")
    assert lines_of_ours() > 5
