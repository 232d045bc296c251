"""The command line: what it prints, and its exit status: 0 all is well, 1 refused or raised, 2 meaningless."""

from __future__ import annotations

import ast
import importlib
import io
import json
import re
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import ccc
from ccc import __main__
from ccc.compile.api.codes import CODES

ROOT = Path(__file__).resolve().parents[1]
SOURCE = '''\
import math
from dataclasses import dataclass
import numpy as np


@dataclass
class Point:
    x: float
    y: float


def loss(x, y):
    return x * math.sin(y) + x / y


def weighed(w, xs):
    return np.sum(w * xs)


def scaled(x, rate=1.0):
    print("scaling")
    return x * rate


def refused(x):
    async def local() -> None:
        pass
    return x


def outer(x):
    return inner(x) + 1.0


def inner(x):
    return 1.0 / (x - 2.0)


def of_record(d):
    return d["a"] * d["b"][0]


def vector(x):
    return [x, x]


class Model:
    @staticmethod
    def loss(x):
        return x * x


number = 3.0
'''


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model.py").write_text(SOURCE, "utf-8")
    return str(tmp_path / "model.py")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        status = __main__.main(words)
    except SystemExit as stop:
        status = int(str(stop.code))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["loss", "--at", "2.0", "3.0"], "(0.4744533413932005, -2.202207215423113)"),
        (["loss", "--at", "2", "3", "--wrt", "y"], "-2.202207215423113"),
        (["loss", "--at", "-2.0", "3.0", "--wrt", "1", "x"], "(2.202207215423113, 0.4744533413932005)"),
        (["loss", "--at", "2.0", "y=3.0", "--wrt", "x", "y"], "(0.4744533413932005, -2.202207215423113)"),
        (["weighed", "--at", "array([1.0, 2.0])", "np.array([3.0, -4.0])"], "(array([ 3., -4.]), array([1., 2.]))"),
        (["of_record", "--at", "{'a': 2.0, 'b': (3.0, 1)}"], "{'a': 3.0, 'b': (2.0, 0.0)}"),
        (["Model.loss", "--at", "3.0"], "6.0"),
        (["Model.loss", "--at", "3.0", "--value"], "9.0\n6.0"),
        (["Model.loss", "--at", "3.0", "--exponential", "additive"], "6.0"),
        (["Model.loss", "--at", "3.0", "--json"], '{"value": 9.0, "gradient": 6.0}'),
        (["weighed", "--at", "array([1.0])", "3.0", "--json"], '{"value": 3.0, "gradient": [[3.0], 1.0]}'),
    ],
)
def test_gradients(words: list[str], printed: str, model: str, capsys: pytest.CaptureFixture[str]):
    name, *rest = words
    assert run(capsys, "gradient", f"{model}:{name}", *rest) == (0, printed + "\n", "")


def test_a_function_of_a_module(capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "gradient", "math:exp", "--at", "0.0") == (0, "1.0\n", "")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["gradient", "MODEL:refused", "--at", "1.0"], 1, "error[CC003]: `async` is not supported"),
        (["gradient", "MODEL:vector", "--at", "1.0"], 1, "gradient needs a scalar result"),
        (["gradient", "MODEL:loss", "--at", "1.0", "2.0", "--wrt", "z"], 1, "was given no argument `z`"),
        (["gradient", "MODEL:nothing", "--at", "1.0"], 2, "has no function 'nothing'; it has "),
        (["gradient", "MODEL:number", "--at", "1.0"], 2, "is no function but float"),
        (["gradient", "MODEL", "--at", "1.0"], 2, "names no function: write FILE:FUNCTION"),
        (["gradient", "absent.py:f", "--at", "1.0"], 2, "there is no file 'absent.py'"),
        (["gradient", "no.such.module:f", "--at", "1.0"], 2, "there is no file and no module 'no.such.module'"),
        (["gradient", "MODEL:loss", "--at", "__import__('os')", "2.0"], 2, "is no literal of Python"),
        (["gradient", "MODEL:loss", "--at", "x", "2.0"], 2, "'x' is no literal of Python"),
        (["explain", "CC999"], 2, "there is no code CC999"),
        (["explain", "MODEL:loss", "--at", "1.0", "2.0", "--as", "picture"], 2, "invalid choice: 'picture'"),
        (["differentiate"], 2, "invalid choice: 'differentiate'"),
        ([], 2, "the following arguments are required"),
    ],
)
def test_refusals(words: list[str], status: int, said: str, model: str, capsys: pytest.CaptureFixture[str]):
    found, out, err = run(capsys, *[word.replace("MODEL", model) for word in words])
    assert (found, out) == (status, "") and said in err
    assert "Traceback" not in err and "error[]" not in err


def test_a_wrong_call_is_not_placed_in_our_own_code(model: str, capsys: pytest.CaptureFixture[str]):
    words = ["gradient", f"{model}:loss", "--at", "1.0", "2.0", "--wrt", "z"]
    status, out, err = run(capsys, *words)
    assert (status, out) == (1, "") and "-->" not in err and err.startswith("error[CC070]: wrt='z'")
    done = subprocess.run([sys.executable, "-m", "ccc", *words], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", err)


def test_errors_as_json(model: str, capsys: pytest.CaptureFixture[str]):
    status, out, err = run(capsys, "gradient", f"{model}:refused", "--at", "1.0", "--json")
    found = json.loads(out)
    assert (status, err) == (1, "") and found["error"].startswith("error[CC003]")
    (diagnostic,) = found["diagnostics"]
    assert diagnostic["code"] == "CC003" and diagnostic["place"]["file"] == model
    status, out, err = run(capsys, "gradient", f"{model}:outer", "--at", "2.0", "--json")
    assert (status, err) == (1, "")
    assert json.loads(out)["error"].startswith("ZeroDivisionError: float division by zero\n  --> ")


def test_an_error_of_the_function_is_shown_at_its_place(model: str, capsys: pytest.CaptureFixture[str]):
    line = SOURCE.splitlines().index("    return 1.0 / (x - 2.0)") + 1
    assert run(capsys, "gradient", f"{model}:outer", "--at", "2.0") == (1, "", (
        "ZeroDivisionError: float division by zero\n"
        f"  --> {model}:{line}:12\n"
        f" {line} |     return 1.0 / (x - 2.0)\n"
        "    |            ^^^^^^^^^^^^^^^\n"
    ))


def test_a_file_that_does_not_run_is_shown_at_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    broken = tmp_path / "broken.py"
    broken.write_text("def f(x):\n    return x +\n", "utf-8")
    status, _, err = run(capsys, "gradient", f"{broken}:f", "--at", "1.0")
    assert status == 1 and err.startswith(f"SyntaxError: invalid syntax\n  --> {broken}:2:15\n  2 |     return x +\n")
    raising = tmp_path / "raising.py"
    raising.write_text("x = 1\ny = x / 0\n", "utf-8")
    status, _, err = run(capsys, "gradient", f"{raising}:f", "--at", "1.0")
    place = f"  --> {raising}:2:5\n  2 | y = x / 0\n    |     ^^^^^\n"
    assert (status, err) == (1, f"ZeroDivisionError: division by zero\n{place}")


def test_what_the_function_prints_is_printed_once(model: str, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "gradient", f"{model}:scaled", "--at", "2.0", "rate=3.0") == (0, "scaling\n3.0\n", "")


def test_explanations(model: str, capsys: pytest.CaptureFixture[str]):
    here = ["explain", f"{model}:loss", "--at", "2.0", "3.0"]
    status, out, err = run(capsys, *here)
    assert (status, err) == (0, "")
    sections = json.loads(run(capsys, *here, "--json")[1])
    assert sections == json.loads(run(capsys, *here, "--as", "json")[1])
    for view, title in __main__.VIEWS.items():
        assert f"── {title} ─" in out and sections[title] in out
        assert run(capsys, *here, "--as", view) == (0, sections[title] + "\n", "")
    svg = run(capsys, *here, "--as", "svg")[1]
    assert svg == sections["svg"] + "\n"
    ElementTree.fromstring(svg)
    assert run(capsys, *here, "--as", "code", "--wrt", "x")[1].endswith("    return dx\n")


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]):
    status, out, err = run(capsys, "explain", code)
    assert (status, err) == (0, "") and out.startswith(code)
    assert json.loads(run(capsys, "explain", code, "--json")[1])["code"] == code


def test_the_codes_are_those_of_the_compiler():
    used = {
        code
        for folder in ("ccc", "compile")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in ("codes.py", "__main__.py")
        for code in re.findall(r"\bCC\d{3}\b", path.read_text("utf-8"))
    }
    assert used <= set(CODES)


def test_laws_is_the_command_of_the_laws(capsys: pytest.CaptureFixture[str]):
    words = ["--only", "id-left", "--examples", "3", "--jobs", "1"]
    status, out, _ = run(capsys, "laws", *words)
    assert status == 0 and out.rstrip().endswith("all as the theory says")
    assert run(capsys, "laws", "--only", "no-such-law")[0] == 2


def test_the_script_of_the_package_is_this_command():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, _, name = scripts["ccc"].partition(":")
    assert getattr(importlib.import_module(module), name) is __main__.main


def test_it_runs_as_a_module(model: str):
    done = subprocess.run(
        [sys.executable, "-m", "ccc", "gradient", f"{model}:Model.loss", "--at", "3.0"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("6.0\n", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_shows_how_long_it_takes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(__main__, "SOON", 0.01)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with __main__.under_way("differentiating f"):
        time.sleep(0.1)
    assert terminal.getvalue().startswith("\rdifferentiating f: 0 s\rdifferentiating f: 0 s")
    assert terminal.getvalue().endswith("\r\033[K")
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    with __main__.under_way("differentiating f"):
        time.sleep(0.05)
    assert file.getvalue() == ""


def test_a_terminal_has_colours(model: str, monkeypatch: pytest.MonkeyPatch):
    text = "error[CC003]: no\n  --> m.py:1:5\n  1 | try:\n    | ^^^^\n  = help: do"
    red = (
        "\033[1;31merror[CC003]\033[0m: no\n  --> m.py:1:5\n  1 | try:\n    | \033[31m^^^^\033[0m\n"
        "\033[36m  = help:\033[0m do"
    )
    assert __main__.coloured(text, io.StringIO()) == text
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert __main__.coloured(text, Terminal()) == red
    assert __main__.coloured("ValueError: no", Terminal()) == "\033[1;31mValueError\033[0m: no"
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert __main__.main(["gradient", f"{model}:refused", "--at", "1.0"]) == 1
    assert terminal.getvalue().startswith("\033[1;31merror[CC003]\033[0m: `async` is not supported")
    monkeypatch.setenv("NO_COLOR", "1")
    assert __main__.coloured(text, Terminal()) == text


def test_the_sections_are_those_of_an_explanation():
    assert set(__main__.VIEWS.values()) == set(ccc.explain(lambda x: x * x, 1.0).sections)


def test_a_call_that_is_made_here_has_no_place(tmp_path: Path):
    (tmp_path / "model.py").write_text("def two(x, y):\n    return x * y\n", "utf-8")
    for at, text in ((["2.0"], "error[CC027]: `two` misses its argument `y`\n  = help: its parameters are (x, y)\n"),
                     (["2.0", "array([1, 2])", "--wrt", "y"], "error[CC025]: `y` is an array of int64;")):  # fmt: skip
        run = subprocess.run([sys.executable, "-m", "ccc", "gradient", f"{tmp_path}/model.py:two", "--at", *at],
                             cwd=Path(__file__).parents[1], capture_output=True, text=True)  # fmt: skip
        assert run.returncode == 1 and run.stderr.startswith(text) and "-->" not in run.stderr


@pytest.mark.parametrize("verb", ["gradient", "explain", "export"])
def test_a_function_of_something_is_asked_at_what(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "model.py").write_text("def two(x: float, y: float) -> float:\n    return x * y\n", "utf-8")
    with pytest.raises(SystemExit) as ended:
        sys.exit(__main__.main([verb, f"{tmp_path}/model.py:two"]))
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "model.py:two takes x, y: say at what, as in --at 1.0 1.0" in said


def test_who_reads_only_the_beginning_gets_it():
    run = subprocess.run(f"{sys.executable} -m ccc laws --list | head -1", shell=True, capture_output=True, text=True,
                         cwd=Path(__file__).parents[1])  # fmt: skip
    assert run.stdout.startswith("category") and run.stderr == ""


def test_the_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        __main__.main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out.startswith("ccc ")


@pytest.mark.parametrize("word", ["-3e-1", "-.3", "-0.3", "-30E-2"])
def test_numbers_below_zero_are_arguments(word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "squares.py"
    file.write_text("def f(x, y):\n    return x * y * y\n", "utf-8")
    assert __main__.main(["gradient", f"{file}:f", "--at", word, word, "--wrt", "-1", "x"]) == 0
    assert ast.literal_eval(capsys.readouterr().out) == pytest.approx((0.18, 0.09))
