"""From a function object to its syntax: among several lambdas on a line, decorated, edited, without source."""

from __future__ import annotations

import ast
import linecache
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from ccc.compile.diagnostics import UnsupportedPython
from ccc.compile.frontend.names import assigned, local_names, read_names
from ccc.compile.frontend.source import source_of

# The functions below are written as users write them.


def made(text: str, name: str) -> types.ModuleType:
    """A module of this text, which `linecache` knows under a name that is no file."""
    module = types.ModuleType("made")
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), module.__dict__)
    return module


def body(function: Any) -> str:
    """The body of a lambda, or the last statement of a function, as text."""
    node = source_of(function).node
    return ast.unparse(node.body if isinstance(node, ast.Lambda) else node.body[-1])


LAMBDAS = '''
f, g = lambda x: x * 2, lambda x: x * 3
pair = (lambda x: (x) if x else (1), lambda x: ((x) + (1)))
table = {"a": lambda x: lambda y: x, "b": lambda x: lambda y: y}
inner = table["a"](1), table["b"](1)
def with_default(x, h=lambda z: z + 1, k=lambda z: z + 2): return h(x) * k(x)
several = (lambda x:
    x + 4), (lambda x: x + 5)
same_text = [lambda x: x, lambda x: x]
éé = lambda x: x + 6; è = lambda x: x + 7
default = lambda x, y=lambda x: x + 8: y(x)
constants = lambda: 1, lambda: 2, lambda: None
'''


def test_lambdas_are_told_apart_by_position():
    m = made(LAMBDAS, "<lambdas>")
    expected = {
        "x * 2": m.f, "x * 3": m.g, "x if x else 1": m.pair[0], "x + 1": m.pair[1], "lambda y: x": m.table["a"],
        "lambda y: y": m.table["b"], "x": m.inner[0], "y": m.inner[1], "z + 1": m.with_default.__defaults__[0],
        "z + 2": m.with_default.__defaults__[1], "x + 4": m.several[0], "x + 5": m.several[1], "x + 6": m.éé,
        "x + 7": m.è, "y(x)": m.default, "x + 8": m.default.__defaults__[0], "1": m.constants[0], "2": m.constants[1],
        "None": m.constants[2],
    }
    assert {text: body(function) for text, function in expected.items()} == {text: text for text in expected}
    first, second = map(source_of, m.same_text)
    assert first.node.col_offset < second.node.col_offset


def test_lambdas_without_positions_are_refused():
    m = made("f, g = lambda x: x * 2, lambda x: x * 3\n", "<bare>")
    code = m.f.__code__.replace(co_linetable=b"")
    bare = types.FunctionType(code, m.__dict__)
    with pytest.raises(UnsupportedPython, match="CC00[12]"):
        source_of(bare)


def decorator(function: Any) -> Any:
    return function


@decorator
@decorator
def decorated(x):
    return x


class Holder:
    """A class with a method."""

    def method(self, x):
        return x


def test_functions_are_found():
    assert getattr(source_of(decorated).node, "name", "") == "decorated"
    assert getattr(source_of(Holder.method).node, "name", "") == "method"

    def nested(x):
        return x

    assert source_of(nested).text == "def nested(x):\n    return x"


EVERYWHERE = """
import functools

def around(*given):
    return lambda f: f

class Outer:
    class Inner:
        if True:
            @around(
                lambda x: x,
                1,
            )
            def method(self, x, k=lambda y: y):
                with open(x) as file:
                    try:
                        def inmost(z):
                            return z
                    finally:
                        for i in range(3):
                            inmost = lambda w: [v for v in (lambda u: u)(w)]
                return inmost

match 1:
    case 1:
        matched = {"one": lambda a: a, "two": (lambda b:
            b + 1)}
"""


def test_functions_are_found_wherever_they_stand():
    m = made(EVERYWHERE, "<everywhere>")
    found = source_of(m.Outer.Inner.method).node
    assert isinstance(found, ast.FunctionDef) and found.name == "method" and found.lineno == 14
    (default,) = m.Outer.Inner.method.__defaults__
    assert ast.unparse(source_of(default).node) == "lambda y: y"
    assert [ast.unparse(source_of(f).node) for f in m.matched.values()] == ["lambda a: a", "lambda b: b + 1"]
    with pytest.raises(FileNotFoundError):
        m.Outer.Inner.method(None, "/no/such/file")


def test_a_file_that_changed_is_read_again(tmp_path: Path):
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    return x\n")
    m = types.ModuleType("m")
    exec(compile(path.read_text(), str(path), "exec"), m.__dict__)
    assert body(m.f) == "return x"
    path.write_text("# longer now\ndef f(x):\n    return x + 1\n")
    with pytest.raises(UnsupportedPython, match="CC001"):
        source_of(m.f)
    exec(compile(path.read_text(), str(path), "exec"), m.__dict__)
    assert body(m.f) == "return x + 1"


def test_what_has_no_source_is_refused():
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(UnsupportedPython) as caught:
        source_of(space["f"])
    assert str(caught.value) == (
        "error[CC001]: cannot read the source of `f`\n  --> <string>:1:1\n  1 | <source not available>\n"
        "  = note: `f` was made by exec or eval, or its file is gone\n"
        "  = help: write the function in a .py file or a notebook cell"
    )


def test_what_was_typed_at_the_prompt_is_read(monkeypatch: pytest.MonkeyPatch):
    """`readline` gives the lines that were typed, without empty ones; a text counts if the code is made of it."""
    typed = ["import ccc", "def f(x):", "    return x", "g = lambda x: (x,", "              2.0)", "@ccc.compiled",
             "def h(x):", "    return x * x", "def f(x):", "    return x + 1", "f(2.0)"]
    history = types.SimpleNamespace(get_current_history_length=lambda: len(typed),
                                    get_history_item=lambda i: typed[i - 1])
    monkeypatch.setitem(sys.modules, "readline", history)
    space: dict[str, Any] = {}
    for text in ("import ccc\n", "def f(x):\n    return x\n", "g = lambda x: (x,\n              2.0)\n",
                 "@ccc.compiled\ndef h(x):\n    return x * x\n", "def f(x):\n    return x + 1\n"):
        exec(compile(text, "<stdin>", "single", dont_inherit=True), space)
        if text.startswith("def f"):
            assert ast.unparse(source_of(space["f"]).node) in text
    assert ast.unparse(source_of(space["g"]).node) == "lambda x: (x, 2.0)"
    assert space["h"](3.0) == 9.0
    exec(compile("def f(x):\n    return x + 2\n", "<stdin>", "single"), space)
    with pytest.raises(UnsupportedPython, match="Python keeps no source of what it reads from there"):
        source_of(space["f"])


def test_the_program_of_the_command_line_is_read():
    text = """import ccc
def f(x):
    return x * x * missing
print(ccc.gradient(lambda x: x * x)(3.0), ccc.compiled(lambda x: x + 1.0)(1.0))
space = {}
exec("def f(x): return x", space)
for g in (f, space["f"]):
    try:
        ccc.gradient(g)(1.0)
    except ccc.CCCError as error:
        print(error)
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=Path(__file__).parents[1])
    lines = run.stdout.splitlines()
    assert lines[0] == "6.0 2.0" and lines[3] == "  3 |     return x * x * missing" and lines[4].endswith("^^^^^^^")
    assert "error[CC001]: cannot read the source of `f`" in run.stdout


NAMES = '''
def f(a, /, b, *c, d=(e := 1), **g):
    h, (i, *j) = k, l
    for m in n: o: int = 1
    with p as q: r += 1
    def s(t=(u := 2)): v = 3
    class w(x): y = 4
    import z.zz, aa as ab
    from ac import ad as ae
    try: pass
    except A as af: pass
    return lambda ag=(ah := 1): (ai := 2)
'''


def test_local_names_are_those_of_python():
    node = ast.parse(NAMES).body[0]
    scope = made(NAMES.replace("p as q", "p as q"), "<names>").f.__code__
    assert local_names(node) == set(scope.co_varnames) | set(scope.co_cellvars)
    assert "e" not in local_names(node) and "e" in assigned([node])
    assert {"k", "l", "n", "p", "x"} <= read_names(node)


LINES = '''
class A:
    @staticmethod
    def method(x):
        return (x
+ 1)
    text = """
def method(x): return x
"""
    def last(self): return 2
def outer(keys=lambda x: x + 3,
):
    def inner(x):
        return x * 4
    return inner
@decorated(lambda x:
    x + 5)
@decorated
def behind(x):
    """
of the first column
"""
    # a comment
    return x + 6
def after(x, y=(lambda x: x + 7)): return """
text"""
'''


def test_functions_are_read_of_their_own_lines():
    """Also where lines of texts, brackets and lambdas stand in the first column."""
    found: list[Any] = []
    name, lines = "<lines>", list[str](LINES.splitlines(keepends=True))
    linecache.cache[name] = (len(LINES), None, lines, name)
    scope: dict[str, Any] = {"decorated": lambda f: found.append(f) or decorator}
    exec(compile(LINES, name, "exec"), scope)
    functions = {
        "return x + 1": scope["A"].method, "return 2": scope["A"].last, "x + 3": scope["outer"].__defaults__[0],
        "return x * 4": scope["outer"](), "x + 5": found[0], "return x + 6": found[1],
        "x + 7": scope["after"].__defaults__[0], "return '\\ntext'": scope["after"],
    }
    whole = {(node.lineno, node.col_offset): ast.dump(node, include_attributes=True)
             for node in ast.walk(ast.parse(LINES)) if isinstance(node, ast.FunctionDef | ast.Lambda)}
    for text, function in functions.items():
        node = source_of(function).node
        assert body(function) == text
        assert ast.dump(node, include_attributes=True) == whole[node.lineno, node.col_offset]
