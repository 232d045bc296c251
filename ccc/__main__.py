"""The command line: `python3 -m ccc`, or `ccc` where the package is installed.

    ccc gradient FILE:FUNCTION --at 2.0 3.0           the gradient there
    ccc explain FILE:FUNCTION --at 2.0 3.0            every stage of it; `--as svg` for the string diagram alone
    ccc explain CC010                                 what a code of a diagnostic means
    ccc export FILE:FUNCTION --at 2.0 -o DIR          value and gradient as a shared library and a header of C
    ccc laws ...                                      the laws, as `python3 -m laws`

Arguments are literals of Python, `array(...)` of them for NumPy's arrays, and `name=literal` for keyword arguments.
Exit status: 0 where all is well, 1 where the function is refused or raises, 2 where the command means nothing.

>>> main(["explain", "CC004"])
CC004: a generator was given where a value was needed
0
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import numpy as np

from ccc.categories.exponentials import EXPONENTIALS
from ccc.compile import diagnostics
from ccc.compile.api.codes import CODES, page
from ccc.compile.api.explanation import explain
from ccc.compile.api.exporting import export
from ccc.compile.api.targets import backends
from ccc.compile.api.transforms import gradient, value_with_gradient
from ccc.compile.diagnostics import Diagnostic, Span, WrongArguments, shown
from ccc.errors import CCCError

VIEWS = {
    "source": "source", "lambda": "λ-program", "term": "combinators", "derivative": "derivative program",
    "code": "generated code", "primal": "primal", "tape": "tape", "adjoint": "adjoint",
    "canonical": "canonical gradient", "gradient": "final gradient", "passes": "passes", "backend": "backend",
}  # fmt: skip
SOON = 1.0  # seconds after which it is said that something is under way


class Meaningless(Exception):
    """The command means nothing; the message says why."""


# -- what is named on the command line -----------------------------------------------------------------------------


def function_named(target: str) -> Callable[..., Any]:
    """The function that `FILE:FUNCTION` or `MODULE:FUNCTION` names; dots lead into classes.

    >>> function_named("math:sin")(0.0)
    0.0
    """
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise Meaningless(f"{target!r} names no function: write FILE:FUNCTION, as in model.py:loss")
    found: Any = module_at(place)
    for part in name.split("."):
        if not hasattr(found, part):
            known = [n for n, v in vars(found).items() if callable(v) and not n.startswith("_")]
            raise Meaningless(f"{place} has no function {name!r}; it has {', '.join(known) or 'none'}")
        found = getattr(found, part)
    if not callable(found):
        raise Meaningless(f"{target} is no function but {type(found).__name__}")
    return found


def module_at(place: str) -> Any:
    """The module of a file, run as Python runs a script but under a name of its own, or of a dotted name."""
    path = Path(place)
    if path.suffix != ".py" and not path.is_file():
        sys.path.insert(0, "")
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise Meaningless(f"there is no file and no module {place!r}: {error}") from None
    if not path.is_file():
        raise Meaningless(f"there is no file {place!r}")
    sys.path.insert(0, str(path.parent.resolve()))
    name = re.sub(r"\W", "_", path.stem)
    while name in sys.modules:
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def literal(text: str) -> Any:
    """A literal of Python, with `array(...)` or `np.array(...)` of literals for arrays.

    >>> literal("(2.0, [1, -3])"), literal("np.array([1.0, 2.0])")
    ((2.0, [1, -3]), array([1., 2.]))
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, TypeError):
        raise Meaningless(f"{text!r} is no literal of Python: write a number, a list, or array([...])") from None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("array", "np.array") and len(node.args) == 1:
        return np.array(_value(node.args[0]))
    if isinstance(node, ast.List):
        return [_value(part) for part in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_value(part) for part in node.elts])
    if isinstance(node, ast.Dict) and all(node.keys):
        return {ast.literal_eval(k): _value(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    return ast.literal_eval(node)


def point(texts: Sequence[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keyword arguments of `--at`.

    >>> point(["2.0", "rate=0.5"])
    ((2.0,), {'rate': 0.5})
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        named = re.fullmatch(r"([A-Za-z_]\w*)=(?!=)(.*)", text, re.DOTALL)
        if named:
            kwargs[named.group(1)] = literal(named.group(2))
        else:
            args.append(literal(text))
    return tuple(args), kwargs


def wanted(texts: Sequence[str] | None) -> Any:
    """What `--wrt` asks for: a name, a position, or several of them as a tuple.

    >>> wanted(["x"]), wanted(["0", "b"]), wanted(None)
    ('x', (0, 'b'), None)
    """
    if texts is None:
        return None
    found = tuple([int(text) if re.fullmatch(r"\s*-?\d+", text) else text for text in texts])
    return found[0] if len(found) == 1 else found


# -- what is printed -----------------------------------------------------------------------------------------------


def as_json(x: Any) -> Any:
    """A value or a cotangent as JSON can hold it.

    >>> as_json((1.0, np.ones(2), None))
    [1.0, [1.0, 1.0], None]
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return x.tolist()
    if isinstance(x, dict):
        return {str(key): as_json(part) for key, part in x.items()}
    if hasattr(type(x), "__dataclass_fields__"):
        return {name: as_json(getattr(x, name)) for name in type(x).__dataclass_fields__}
    if hasattr(x, "_asdict"):
        return {name: as_json(part) for name, part in x._asdict().items()}
    return [as_json(part) for part in x] if isinstance(x, (tuple, list)) else x


COLOURS = (
    (re.compile(r"^(error(?:\[\w+\])?|[A-Z]\w*(?:Error|Exception|Warning))(?=:)", re.MULTILINE), "1;31"),
    (re.compile(r"(?<=\| )( *\^+)$", re.MULTILINE), "31"),
    (re.compile(r"^( += (?:note|help):)", re.MULTILINE), "36"),
    (re.compile(r"^(── .*)$", re.MULTILINE), "1"),
)
"""What is coloured on a terminal: the head of an error, carets, notes and help, the titles of sections."""


def coloured(text: str, stream: Any) -> str:
    """The text as it is shown on a stream: in colours on a terminal, unless NO_COLOR is set.

    >>> coloured("error[CC003]: no", sys.stdout)
    'error[CC003]: no'
    """
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return text
    for pattern, colour in COLOURS:
        text = pattern.sub(f"\033[{colour}m\\1\033[0m", text)
    return text


@contextlib.contextmanager
def under_way(what: str) -> Generator[None, None, None]:
    """Say on a terminal what is under way and for how long, where it takes longer than a moment."""
    if not sys.stderr.isatty():
        yield
        return
    done, start = Event(), monotonic()

    def tell() -> None:
        while not done.wait(SOON):
            print(f"\r{what}: {monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if monotonic() - start > SOON:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def raised(error: BaseException) -> str:
    """What users see of an error that their function raises: its place in their code, and no frames of ours."""
    ours = tuple([str(Path(__file__).resolve().parents[1] / package) for package in ("ccc", "compile", "laws")])
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*ours, "<frozen", "<ccc ")) and frame.filename != importlib.__file__
    ]  # fmt: skip
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        line, column = error.lineno or 1, (error.offset or 1) - 1
        lines = (*[""] * (line - 1), error.text or "")
        end = max((error.end_offset or 0) - 1, column + 1)
        return _located(f"{type(error).__name__}: {error.msg}", Span(error.filename, line, column, line, end, lines))
    frame = frames[-1] if frames else None
    if frame is None or frame.lineno is None:
        return text
    try:
        lines = tuple(Path(frame.filename).read_text("utf-8").splitlines())
    except OSError:
        return f"{text}\n  --> {frame.filename}:{frame.lineno}"
    end_line = frame.end_lineno or frame.lineno
    return _located(
        text, Span(frame.filename, frame.lineno, frame.colno or 0, end_line, frame.end_colno or 0, lines)
    )


def located(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Exception:
    """The error as plain Python raises it, which knows its place in the user's code; the same one where it does not."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            f(*args, **kwargs)
    except Exception as plain:  # whatever the user's code raises
        return plain if type(plain) is type(error) else error
    return error


def _located(text: str, span: Span) -> str:
    return str(Diagnostic("", text, span)).replace("error[]: ", "", 1)


def refused(error: CCCError, as_data: bool) -> None:
    """Print why a function or a call is refused. A wrong call that was made here has no place to show."""
    found: Sequence[Diagnostic] = getattr(error, "diagnostics", ())
    wrong_call = isinstance(error, WrongArguments) and not error.inside
    found = [replace(d, span=None) if wrong_call or (d.span and d.span.file == __file__) else d for d in found]
    text = shown(found) if found else str(error)
    if as_data:
        print(json.dumps({"error": text, "diagnostics": list(map(diagnostics.as_data, found))}, ensure_ascii=False))
    else:
        print(coloured(text, sys.stderr), file=sys.stderr)


# -- the commands --------------------------------------------------------------------------------------------------


def version() -> str:
    """The version that is installed; of a folder of sources, that it is one."""
    try:
        return importlib.metadata.version("ccc-ad")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    top = argparse.ArgumentParser(prog="ccc", description="Gradients of Python functions, by way of category theory.")
    top.add_argument("--version", action="version", version=f"%(prog)s {version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="gradient|explain|export|laws")
    for name, text in (("gradient", "the gradient of a function at a point"),
                       ("explain", "every stage of a gradient, or what a code of a diagnostic means"),
                       ("export", "value and gradient as a shared library and a header of C")):  # fmt: skip
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        which = "FILE:FUNCTION|CODE" if name == "explain" else "FILE:FUNCTION"
        command.add_argument("target", metavar=which)
        command.add_argument("--at", nargs="+", default=[], metavar="ARGUMENT",
                             help="literals of Python, array([...]), or name=literal")  # fmt: skip
        command.add_argument("--wrt", nargs="+", metavar="NAME", help="parameters by name or position")
        command.add_argument("--json", action="store_true", help="print one object of JSON")
        if name == "export":
            command.add_argument("-o", dest="folder", default=".", metavar="DIR", help="the folder of the files")
            command.add_argument("--name", default="", help="what the function is called in C")
            continue
        command.add_argument("--exponential", choices=EXPONENTIALS, help="which cotangents functions have")
        command.add_argument("--backend", choices=backends())
        if name == "gradient":
            command.add_argument("--value", action="store_true", help="print the value first, on a line of its own")
        else:
            command.add_argument("--html", metavar="FILE", help="write a page with all stages side by side")
            command.add_argument("--as", dest="view", choices=(*VIEWS, "file", "svg", "json"), help="one section alone")
    laws = commands.add_parser("laws", add_help=False, help="judge categories by the laws of the theory")
    laws.add_argument("arguments", nargs=argparse.REMAINDER)
    return top


def refuse_nowhere(f: Callable[..., Any], given: argparse.Namespace) -> None:
    """Refuse a function of something that is given nothing."""
    own = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [] if given.at else [
        p.name for p in inspect.signature(f).parameters.values() if p.kind in own and p.default is p.empty]
    if names:
        example = " ".join(["1.0"] * len(names))
        raise Meaningless(f"{given.target} takes {', '.join(names)}: say at what, as in --at {example}")


def options_of(given: argparse.Namespace) -> dict[str, Any]:
    """The options of a verb."""
    return {"wrt": wanted(given.wrt), "backend": given.backend, "exponential": given.exponential}


def show_gradient(given: argparse.Namespace) -> None:
    """`ccc gradient FILE:FUNCTION --at ...`"""
    args, kwargs = point(given.at)
    f = function_named(given.target)
    refuse_nowhere(f, given)
    verb = value_with_gradient if given.json or given.value else gradient
    try:
        with under_way(f"differentiating {given.target}"):
            found = verb(f, **options_of(given))(*args, **kwargs)
    except CCCError:
        raise
    except Exception as error:
        raise located(f, args, kwargs, error) from None
    value, cotangents = found if verb is value_with_gradient else (None, found)
    if given.json:
        print(json.dumps({"value": as_json(value), "gradient": as_json(cotangents)}))
        return
    if given.value:
        print(value)
    print(cotangents)


def show_explanation(given: argparse.Namespace) -> None:
    """`ccc explain FILE:FUNCTION --at ...` and `ccc explain CODE`"""
    if re.fullmatch(r"CC\d+", given.target):
        text = page(given.target)
        if text is None:
            raise Meaningless(f"there is no code {given.target}; there are {', '.join(CODES)}")
        print(json.dumps({"code": given.target, "page": text}, ensure_ascii=False) if given.json else text)
        return
    args, kwargs = point(given.at)
    f = function_named(given.target)
    refuse_nowhere(f, given)
    with under_way(f"explaining {given.target}"):
        found = explain(gradient(f, **options_of(given)), *args, **kwargs)
    view = "json" if given.json else given.view
    if given.html:
        Path(given.html).write_text(found.page, encoding="utf-8")
    elif view == "json":
        print(found.to_json())
    elif view == "svg":
        if found.svg is None:
            raise WrongArguments("there is no picture: the function has no term, or one that is too large to draw")
        print(found.svg)
    elif view == "file":
        print(found.file)
    elif view is None:
        print(coloured(str(found), sys.stdout))
    else:
        print(found.sections[VIEWS[view]])


def export_library(given: argparse.Namespace) -> None:
    """`ccc export FILE:FUNCTION --at ... -o DIR`"""
    args, kwargs = point(given.at)
    if kwargs:
        raise Meaningless(f"a function of C takes its arguments in order: give {next(iter(kwargs))} without its name")
    f = function_named(given.target)
    refuse_nowhere(f, given)
    with under_way(f"exporting {given.target}"):
        found = export(f, *args, to=given.folder, name=given.name, wrt=wanted(given.wrt))
    if given.json:
        print(json.dumps({"library": str(found.library), "header": str(found.header), "functions": found.functions}))
        return
    print(found.library, found.header, *found.functions, sep="\n")


def is_negative(word: str) -> bool:
    """Whether a word is a number below zero, and no option: with a space before it, the parser takes it as an argument.

    >>> is_negative("-3e-1"), is_negative("-inf"), is_negative("--at"), is_negative("-o")
    (True, True, False, False)
    """
    try:
        return word.startswith("-") and float(word) <= 0.0
    except ValueError:
        return False


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["laws"]:
        return importlib.import_module("ccc.laws.__main__").main(words[1:])
    given = parser().parse_args([f" {word}" if is_negative(word) else word for word in words])
    try:
        {"gradient": show_gradient, "explain": show_explanation, "export": export_library}[given.command](given)
    except Meaningless as error:
        print(f"ccc: {error}", file=sys.stderr)
        return 2
    except CCCError as error:
        refused(error, given.json)
        return 1
    except BrokenPipeError:
        return 1
    except Exception as error:  # whatever the user's code raises; it is told
        if given.json:
            print(json.dumps({"error": raised(error), "diagnostics": []}, ensure_ascii=False))
        else:
            print(coloured(raised(error), sys.stderr), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
