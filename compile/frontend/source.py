"""From a function object to its syntax tree, with exact positions.

Of a function of a module or a class its own lines are parsed, in their place, so indentation and positions are those
that the user sees; of a lambda and of a function in another the statement of the module that it is part of, and where
lines do not say what that is, the file. A lambda is told from its neighbours on the same line by the positions that its
code object carries.

>>> import ccc.compile.frontend.source
>>> found = source_of(ccc.compile.frontend.source.source_of)
>>> type(found.node).__name__, found.node.name
('FunctionDef', 'source_of')
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
import types
from typing import Any

from ccc.compile.diagnostics import Span, unsupported
from ccc.compile.frontend import global_names, private_names
from ccc.compile.frontend.names import children
from ccc.values import slotted, value

FunctionNode = ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef


@value()
class File:
    """A source file; in a `plain` one each character is a byte."""

    name: str
    lines: tuple[str, ...]
    plain: bool = False

    def __hash__(self) -> int:
        """By the name alone: a site is asked for at each call, and a file may be long."""
        return hash(self.name)


@value()
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


@slotted
class Known:
    """What has been read of a file: statements and functions by their first lines, 0 for all of it."""

    file: File
    statements: dict[int, ast.Module | None]
    functions: dict[int, FunctionNode | None]


_files: dict[str, Known] = {}


def span_in(file: File, node: Any) -> Span:
    """The place of a node, which keeps it for the next who asks."""
    kept = getattr(node, "span", None)
    if kept is None or kept.lines is not file.lines:
        kept = node.span = _span(file, node)
    return kept


def _span(file: File, node: Any) -> Span:
    """The place of a node; `ast` counts columns in bytes of UTF-8, a span in characters."""
    if file.plain:
        return Span(file.name, node.lineno, node.col_offset, node.end_lineno or node.lineno,
                    node.end_col_offset or node.col_offset, file.lines)

    def column(line: int, offset: int) -> int:
        if not 0 < line <= len(file.lines):
            return offset
        text = file.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))

    end = node.end_lineno or node.lineno
    return Span(
        file.name, node.lineno, column(node.lineno, node.col_offset),
        end, column(end, node.end_col_offset or node.col_offset), file.lines,
    )


def file_of(function: types.FunctionType) -> Known:
    """What is known of the file that a function stands in."""
    name = function.__code__.co_filename
    linecache.checkcache(name)
    lines = tuple(linecache.getlines(name, function.__globals__))
    if not lines:
        try:
            lines = tuple(inspect.findsource(function)[0])
        except (OSError, TypeError):
            code = function.__code__
            lines = of_frozen(code) or of_command(code) or of_prompt(code)
    known = _files.get(name)
    if known is not None and known.file.lines == lines:
        return known
    if not lines:
        raise _no_source(function)
    known = _files[name] = Known(File(name, lines, all(map(str.isascii, lines))), {}, {})
    return known


def parsed(text: str, function: types.FunctionType, file: File) -> ast.Module:
    """The syntax of a text of a file, which a function stands in."""
    try:
        return private_names.parsed(text, file.name)
    except SyntaxError as error:
        raise _no_source(function) from error
    except (RecursionError, MemoryError) as error:
        code = function.__code__
        place = Span(file.name, code.co_firstlineno, 0, code.co_firstlineno, 1, file.lines)
        raise unsupported("CC060", "the program is nested too deeply for Python's parser", place,
                          help="split it over several assignments or functions") from error


def around(tree: ast.Module | None, line: int) -> list[FunctionNode]:
    """The functions that a line is of, decorators among it, outer before inner."""
    found, todo = list[FunctionNode](), list[ast.AST]([] if tree is None else [tree])
    for node in todo:
        if isinstance(node, FunctionNode):
            found.append(node)
        todo += [inner for inner in children(node) if covers(inner, line)]
    return found


def whole(known: Known, function: types.FunctionType) -> ast.Module | None:
    """The syntax of the file that a function stands in."""
    if 0 not in known.statements:
        known.statements[0] = parsed("".join(known.file.lines), function, known.file)
    return known.statements[0]


def statement(known: Known, code: types.CodeType) -> ast.Module | None:
    """The syntax of the statement of a module that a code object is part of; None where its lines do not say it."""
    lines, first = known.file.lines, min(code.co_firstlineno, len(known.file.lines))
    while first > 1 and not begins(lines[first - 1]):
        first -= 1
    if first in known.statements:
        return known.statements[first]
    end, found = last_line(code), None
    for _ in range(4):  # decorators come before what they are of
        end = end_of(lines, end, "")
        try:
            found = private_names.parsed("\n" * (first - 1) + "".join(lines[first - 1 : end]), known.file.name)
            break
        except (SyntaxError, RecursionError, MemoryError):
            end += 1
    known.statements[first] = found
    return found


def begins(line: str) -> bool:
    """Whether a statement of a module may begin with a line."""
    return line[:1] not in "#)]}" and not line[:1].isspace()


def alone(known: Known, function: types.FunctionType) -> FunctionNode | None:
    """The syntax of a function of a module or a class, read of its own lines; None where these do not say it.

    They are followed by a line that stands no deeper. Where that is part of a text, of brackets or of a line that goes
    on, what stands before it is no program.
    """
    first = function.__code__.co_firstlineno
    if first in known.functions:
        return known.functions[first]
    lines, found = known.file.lines, None
    head = lines[first - 1] if 0 < first <= len(lines) else ""
    indent = head[: len(head) - len(head.lstrip())]
    inner = {"<locals>", "<lambda>"} & {*function.__code__.co_qualname.split(".")}
    if not inner and head.strip() and (first > 1 or not indent):
        text = "".join(lines[first - 1 : end_of(lines, last_line(function.__code__), indent)])
        before = "\n" * (first - 1) if not indent else "\n" * (first - 2) + "if 1:\n"
        try:
            whole = ast.parse(before + text, known.file.name)
            tree: Any = (global_names.as_attributes(whole) if global_names.DECLARED in text else whole).body
            found = tree[0].body[0] if indent else tree[0]
            for part in ast.iter_child_nodes(found) if private_names.MARK in text else ():  # its own name stays
                private_names.mangled(part, "".join(function.__code__.co_qualname.split(".")[-2:-1]).lstrip("_"))
        except (SyntaxError, RecursionError, MemoryError):
            pass
    known.functions[first] = found if isinstance(found, FunctionNode) else None
    return known.functions[first]


def last_line(code: types.CodeType) -> int:
    """The last line that a code object, or one in it, says something of."""
    inner = [last_line(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return max([code.co_firstlineno, *inner, *[line for _, _, line in code.co_lines() if line is not None]])


def end_of(lines: tuple[str, ...], line: int, indent: str) -> int:
    """The first line behind this one that says something and stands no deeper than `indent`.

    >>> end_of(("def f():", "    return 1", "", "    # nothing", "x = 2"), 1, "")
    4
    """
    while line < len(lines):
        text = lines[line].strip()
        if text and not text.startswith("#") and not lines[line].removeprefix(indent)[:1].isspace():
            return line
        line += 1
    return line


def first_line(node: Any) -> int:
    """Where a node begins: at its first decorator, if it has some."""
    return min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]])


def covers(node: Any, line: int) -> bool:
    """Whether a line may be one of a node: what has no place of its own stands where its parts do."""
    last = getattr(node, "end_lineno", None)
    return last is None or (line <= last and first_line(node) <= line)


def of_frozen(code: types.CodeType) -> tuple[str, ...]:
    """The lines of a module that Python has frozen, if this code is of one: its file is kept beside."""
    module = sys.modules.get(code.co_filename.removeprefix("<frozen ").removesuffix(">"))
    frozen, path = code.co_filename.startswith("<frozen "), getattr(module, "__file__", None)
    return tuple(linecache.getlines(path)) if frozen and path else ()


def of_command(code: types.CodeType) -> tuple[str, ...]:
    """The lines of the program that Python was given as `python -c`, if this code is of it."""
    words = sys.orig_argv
    if code.co_filename != "<string>" or "-c" not in words[:-1]:
        return ()
    text = words[words.index("-c") + 1]
    return tuple(text.splitlines(keepends=True)) if holds(text, code, "exec") else ()


def holds(text: str, code: types.CodeType, mode: str) -> bool:
    """Whether this code is made of a text."""
    try:
        todo = [compile(text, code.co_filename, mode, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    while todo:
        found = todo.pop()
        if found == code:
            return True
        todo += [inner for inner in found.co_consts if isinstance(inner, types.CodeType)]
    return False


PROMPT = "<stdin>"
LINES = 2000  # so many lines that were typed last are looked through


def of_prompt(code: types.CodeType) -> tuple[str, ...]:
    """The lines that were typed at Python's prompt, if this code is of them: `readline` knows what was typed."""
    readline: Any = sys.modules.get("readline")
    if code.co_filename != PROMPT or readline is None:
        return ()
    last = readline.get_current_history_length()
    typed = [readline.get_history_item(i) or "" for i in range(max(1, last - LINES + 1), last + 1)]
    word = "lambda" if code.co_name == "<lambda>" else code.co_name
    for start in reversed(range(len(typed))):
        if goes_on(typed[start]):
            continue
        end = start + 1
        while end < len(typed) and (goes_on(typed[end]) or typed[end - 1].startswith("@")):
            end += 1
        text = "\n".join(typed[start:end]) + "\n"
        if word in text and holds(text, code, "single"):
            return tuple(text.splitlines(keepends=True))
    return ()


def goes_on(line: str) -> bool:
    """Whether a line that was typed goes on with the statement before it."""
    return line[:1].isspace() or line[:1] in (")", "]", "}") or line.startswith(("else", "elif", "except", "finally"))


def _no_source(function: types.FunctionType) -> Exception:
    code = function.__code__
    typed = code.co_filename == PROMPT
    return unsupported(
        "CC001", f"cannot read the source of `{function.__name__}`",
        Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 1),
        "Python keeps no source of what it reads from there" if typed else
        f"`{function.__name__}` was made by exec or eval, or its file is gone",
        help="write the function in a .py file or a notebook cell",
    )


def outer_value(node: ast.AST, function: types.FunctionType) -> Any:
    """What a name from outside of a function, or what stands in a module of such a name, is; None for anything else.

    >>> outer_value(ast.parse("ast.walk", mode="eval").body, source_of) is ast.walk
    True
    """
    if isinstance(node, ast.Attribute):
        module = outer_value(node.value, function)
        return getattr(module, node.attr, None) if isinstance(module, types.ModuleType) else None
    code = function.__code__
    if not isinstance(node, ast.Name) or node.id in (*code.co_varnames, *code.co_cellvars):
        return None
    if node.id in code.co_freevars:
        cell = (function.__closure__ or ())[code.co_freevars.index(node.id)]
        try:
            return cell.cell_contents
        except ValueError:  # it has no value yet
            return None
    return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def source_of(function: types.FunctionType) -> Source:
    """The syntax tree of a function made by `def` or `lambda`.

    Raises `UnsupportedPython` where there is no source (CC001) or two lambdas cannot be told apart (CC002).
    """
    known, code = file_of(function), function.__code__
    file, own = known.file, alone(known, function)
    found = [] if own is None else candidates([own], code)
    found = found or candidates(around(statement(known, code), code.co_firstlineno), code)
    found = found or candidates(around(whole(known, function), code.co_firstlineno), code)
    if len(found) == 1:
        return Source(file, found[0])
    if not found:
        raise _no_source(function)
    raise unsupported(
        "CC002", "several lambdas on this line fit; cannot tell which", span_in(file, found[0]),
        help="give each lambda its own line, or use def",
    )


def candidates(there: list[FunctionNode], code: types.CodeType) -> list[FunctionNode]:
    """The functions that may have this code: of lambdas, where several begin on its line, the innermost around its
    positions."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    there = [n for n in there if tuple([a.arg for a in _arguments(n)]) == names]
    if code.co_name != "<lambda>":
        return [n for n in there if not isinstance(n, ast.Lambda) and n.name == code.co_name
                and first_line(n) == code.co_firstlineno]
    found: list[FunctionNode] = [n for n in there if isinstance(n, ast.Lambda)
                                 and n.lineno <= code.co_firstlineno <= (n.end_lineno or n.lineno)]
    positions = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    if len(found) < 2 or not positions:
        return found
    start = min((p[0], p[2]) for p in positions)
    end = max((p[1], p[3]) for p in positions)
    around = [(n, _extent(n)) for n in found]
    around = [(n, extent) for n, extent in around if extent[0] <= start and end <= extent[1]]
    inner = max([extent[0] for _, extent in around], default=None)
    return [n for n, extent in around if extent[0] == inner]


def _extent(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the body of a lambda begins and ends."""
    body = node.body
    return (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)


def _arguments(node: Any) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
