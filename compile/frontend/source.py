"""From a function object to its syntax tree, with exact positions.

The file is parsed whole, so indentation and positions are those that the user sees; a lambda is told from its
neighbours on the same line by the positions that its code object carries.

>>> import ccc.compile.frontend.source
>>> found = source_of(ccc.compile.frontend.source.source_of)
>>> type(found.node).__name__, found.node.name
('FunctionDef', 'source_of')
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import types
from dataclasses import dataclass
from typing import Any

from ccc.compile.diagnostics import Span, unsupported
from ccc.compile.frontend.names import children

FunctionNode = ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class File:
    """A parsed source file; in a `plain` one each character is a byte."""

    name: str
    lines: tuple[str, ...]
    tree: ast.AST | None
    plain: bool = False

    def around(self, line: int) -> list[FunctionNode]:
        """The functions that a line is of, decorators among it, outer before inner."""
        found, todo = list[FunctionNode](), [self.tree or ast.Module([], [])]
        for node in todo:
            if isinstance(node, FunctionNode):
                found.append(node)
            todo += [inner for inner in children(node) if covers(inner, line)]
        return found


@dataclass(frozen=True, slots=True)
class Source:
    """The syntax of one function."""

    file: File
    node: FunctionNode

    def span(self, node: ast.AST) -> Span:
        return span_in(self.file, node)

    @property
    def text(self) -> str:
        """The lines of the function as the user wrote them."""
        node = self.node
        lines = self.file.lines[node.lineno - 1 : node.end_lineno]
        indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
        return "".join(line[indent:] if line[:indent].isspace() or not indent else line for line in lines).rstrip("\n")


_files: dict[str, File] = {}


def span_in(file: File, node: Any) -> Span:
    """The place of a node; `ast` counts columns in bytes of UTF-8, a span in characters."""
    if file.plain:
        return Span(file.name, node.lineno, node.col_offset, node.end_lineno or node.lineno,
                    node.end_col_offset or node.col_offset, file.lines)

    def column(line: int, offset: int) -> int:
        if not 0 < line <= len(file.lines):
            return offset
        return len(file.lines[line - 1].encode()[:offset].decode(errors="ignore"))

    end = node.end_lineno or node.lineno
    return Span(
        file.name, node.lineno, column(node.lineno, node.col_offset),
        end, column(end, node.end_col_offset or node.col_offset), file.lines,
    )


def file_of(function: types.FunctionType) -> File:
    """The parsed file that a function stands in."""
    name = function.__code__.co_filename
    linecache.checkcache(name)
    lines = tuple(linecache.getlines(name, function.__globals__))
    if not lines:
        try:
            lines = tuple(inspect.findsource(function)[0])
        except (OSError, TypeError):
            lines = of_command(function.__code__)
    known = _files.get(name)
    if known is not None and known.lines == lines:
        return known
    if not lines:
        raise _no_source(function)
    try:
        tree = ast.parse("".join(lines), name)
    except SyntaxError as error:
        raise _no_source(function) from error
    except (RecursionError, MemoryError) as error:
        code = function.__code__
        place = Span(name, code.co_firstlineno, 0, code.co_firstlineno, 1, lines)
        raise unsupported("CC060", "the program is nested too deeply for Python's parser", place,
                          help="split it over several assignments or functions") from error
    known = _files[name] = File(name, lines, tree, all(map(str.isascii, lines)))
    return known


def first_line(node: Any) -> int:
    """Where a node begins: at its first decorator, if it has some."""
    return min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]])


def covers(node: Any, line: int) -> bool:
    """Whether a line may be one of a node: what has no place of its own stands where its parts do."""
    last = getattr(node, "end_lineno", None)
    return last is None or (line <= last and first_line(node) <= line)


def of_command(code: types.CodeType) -> tuple[str, ...]:
    """The lines of the program that Python was given as `python -c`, if this code is of it."""
    words = sys.orig_argv
    if code.co_filename != "<string>" or "-c" not in words[:-1]:
        return ()
    text = words[words.index("-c") + 1]
    try:
        todo = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return ()
    while todo:
        found = todo.pop()
        if found == code:
            return tuple(text.splitlines(keepends=True))
        todo += [inner for inner in found.co_consts if isinstance(inner, types.CodeType)]
    return ()


def _no_source(function: types.FunctionType) -> Exception:
    code = function.__code__
    return unsupported(
        "CC001", f"cannot read the source of `{function.__name__}`",
        Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1),
        f"`{function.__name__}` was made by exec or eval, or its file is gone",
        help="write the function in a .py file or a notebook cell",
    )


def source_of(function: types.FunctionType) -> Source:
    """The syntax tree of a function made by `def` or `lambda`.

    Raises `UnsupportedPython` where there is no source (CC001) or two lambdas cannot be told apart (CC002).
    """
    file = file_of(function)
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_name == "<lambda>":
        found = _lambdas(file, code)
    else:
        line = code.co_firstlineno
        found = [n for n in file.around(line)
                 if not isinstance(n, ast.Lambda) and n.name == code.co_name and first_line(n) == line]
    found = [n for n in found if tuple([a.arg for a in _arguments(n)]) == names]
    if len(found) == 1:
        return Source(file, found[0])
    if not found:
        raise _no_source(function)
    raise unsupported(
        "CC002", "several lambdas on this line fit; cannot tell which", span_in(file, found[0]),
        help="give each lambda its own line, or use def",
    )


def _lambdas(file: File, code: types.CodeType) -> list[FunctionNode]:
    """The lambdas that may have this code: where several begin on its line, the innermost around its positions."""
    candidates: list[FunctionNode] = [
        n for n in file.around(code.co_firstlineno)
        if isinstance(n, ast.Lambda) and n.lineno <= code.co_firstlineno <= (n.end_lineno or n.lineno)
    ]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    candidates = [n for n in candidates if tuple([a.arg for a in _arguments(n)]) == names]
    positions = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    if len(candidates) < 2 or not positions:
        return candidates
    start = min((p[0], p[2]) for p in positions)
    end = max((p[1], p[3]) for p in positions)
    around = [(n, _extent(n)) for n in candidates]
    around = [(n, extent) for n, extent in around if extent[0] <= start and end <= extent[1]]
    inner = max([extent[0] for _, extent in around], default=None)
    return [n for n, extent in around if extent[0] == inner]


def _extent(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the body of a lambda begins and ends."""
    body = node.body
    return (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)


def _arguments(node: Any) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
