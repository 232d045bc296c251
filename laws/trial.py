"""One mutant against the laws, in a process of its own: `python3 -m ccc.laws.trial` reads requests and writes answers.

A request is a line of JSON on standard input, an answer one on standard output. Each is served by a fork of a process
that has imported nothing of this project, so that the mutant is what its imports find; where a system cannot fork,
each is served by a new process.

    {"module": ..., "source": ..., "line": 7, "stages": [5, 60], "only": null, "seconds": 120, "first": false}
    {"killers": {law: [example, category, "raises" or "differs", what]}, "examples": ...}

>>> found = served({"module": "", "source": "", "stages": [1], "only": ["id-left"], "seconds": 60})
>>> found["killers"], found["laws"], found["examples"]
({}, 1, 1)
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.util
import json
import mmap
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter, sleep
from types import CodeType, ModuleType
from typing import Any

TICK = 0.05
"""How often is asked, in seconds, whether a trial has ended."""
MEMORY = 4 << 30
STATEMENT = "(statement)"  # stands for a law where a mutant makes their terms impossible to build


MARK = "__ccc_reached__"


class Substitute(importlib.abc.InspectLoader, importlib.abc.MetaPathFinder):
    """Imports one module from a given source, and notes each run of the statement around a line of it."""

    def __init__(self, module: str, source: str, line: int = 0) -> None:
        self.module = module
        self.source = source
        self.line = line
        self.called = self.inside = False

    def note(self) -> None:
        self.called = True

    def reached(self) -> bool:
        """Whether the statement was run since this was last asked; where the line is in no function, always."""
        called, self.called = self.called, False
        return called or not self.inside

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> Any:
        if fullname != self.module:
            return None
        sys.meta_path.remove(self)
        try:
            found = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        return importlib.util.spec_from_loader(fullname, self, origin=found.origin if found else None)

    def get_source(self, fullname: str) -> str:
        return self.source

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.source)
        around = function_around(tree, self.line)
        if around is not None:
            self.inside = True
            setattr(builtins, MARK, self.note)
            call = ast.Expr(ast.Call(ast.Name(MARK, ast.Load()), [], []))
            block, at = statement_around(around, self.line)
            block.insert(at, ast.fix_missing_locations(ast.copy_location(call, block[at])))
        elif self.line:
            self.inside = mark_lambdas(tree, self.line)
            setattr(builtins, MARK, self.note)
        return compile(tree, f"<mutant of {fullname}>", "exec", dont_inherit=True)


def function_around(tree: ast.Module, line: int) -> ast.FunctionDef | None:
    """The innermost function of a module whose body has a line.

    >>> tree = ast.parse("def f():\\n    def g():\\n        return 1\\n    return g\\nx = 2")
    >>> [getattr(function_around(tree, line), "name", None) for line in (3, 4, 5)]
    ['g', 'f', None]
    """
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
             and node.body[0].lineno <= line <= (node.end_lineno or 0)]
    return max(found, key=lambda node: node.lineno, default=None)


def mark_lambdas(tree: ast.Module, line: int) -> bool:
    """Mark the bodies of the lambdas around a line, as those of rules of primitives; whether there are some."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)
             and node.lineno <= line <= (node.end_lineno or 0)]
    for node in found:
        marked = ast.Tuple([ast.Call(ast.Name(MARK, ast.Load()), [], []), node.body], ast.Load())
        node.body = ast.Subscript(marked, ast.Constant(1), ast.Load())
    ast.fix_missing_locations(tree)
    return bool(found)


def statement_around(function: ast.FunctionDef, line: int) -> tuple[list[ast.stmt], int]:
    """The innermost block of a function that has a statement with a line, and where that stands in it.

    >>> tree = ast.parse("def f(x):\\n    if x:\\n        y = 1\\n        return y\\n    return x")
    >>> [statement_around(tree.body[0], line)[1] for line in (2, 3, 4, 5)]
    [0, 0, 1, 1]
    """
    blocks = [block for node in ast.walk(function) for block in (
        getattr(node, name, None) for name in ("body", "orelse", "finalbody")) if isinstance(block, list)]
    found = [(block, i) for block in blocks for i, s in enumerate(block)
             if isinstance(s, ast.stmt) and s.lineno <= line <= (s.end_lineno or 0)]
    return max(found, key=lambda place: place[0][place[1]].lineno, default=(function.body, 0))


def served(request: dict[str, Any]) -> dict[str, Any]:
    """What the laws find of the mutant in this process, which must not have imported its module; {"stillborn": why}
    where its source is no module."""
    module, substitute = request["module"], None
    if module:
        assert module not in sys.modules, f"{module} is imported already"
        substitute = Substitute(module, request["source"], request.get("line", 0))
        sys.meta_path.insert(0, substitute)
        try:
            importlib.import_module(module)
        except Exception as error:  # whatever a mutant raises is its finding
            return {"stillborn": f"{type(error).__name__}: {error}"}
    try:
        from ccc.laws.catalogue import all_checks  # not before the mutant is in place
        from ccc.laws.killing import always, killers

        all_checks()
    except Exception as error:  # whatever a mutant raises is its finding
        what = f"the laws cannot be stated: {type(error).__name__} is raised: {error}"
        return {"killers": {STATEMENT: [0, "", "raises", what]}, "laws": 0, "examples": 1}
    from ccc.laws.limits import last_resort

    try:
        return killers(request["stages"], only=request["only"], seconds=request["seconds"],
                       first=request.get("first", False), reached=always if substitute is None else substitute.reached,
                       asking=asking)
    finally:
        last_resort(0.0)  # who goes on does not end by it


ASKED = mmap.mmap(-1, 256)
"""What a fork asks, which outlives it."""


def asking(law: str, example: int, seconds: float) -> None:
    """Note what is asked next; where that takes longer this process ends: machine code that loops sees no exception."""
    from ccc.laws.limits import last_resort  # which is loaded by now

    last_resort(seconds)
    ASKED[:] = f"{law} {example}".encode().ljust(len(ASKED))


def died(status: int) -> dict[str, Any]:
    """What a fork has found that ended with a status: by a signal of what it did the law that it asked is what kills
    it; where its time was over nothing is known."""
    what = f"the process ended with {status}"
    asked = bytes(ASKED[:]).decode().split()
    if len(asked) != 2 or -status not in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL,
                                          signal.SIGVTALRM):
        return {"broken": what}
    return {"killers": {asked[0]: [int(asked[1]), "", "raises", what]}, "laws": 0, "examples": int(asked[1]) + 1}


def _answer(line: str) -> str:
    try:
        return json.dumps(served(json.loads(line)))
    except (Exception, RecursionError) as error:
        return json.dumps({"broken": f"{type(error).__name__}: {error}"})


def _bounded(seconds: float) -> None:
    """Bound the memory of this process, and the processor's time, which a mutant may waste."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, int(seconds) + GRACE):
        resource.setrlimit(what, (most, resource.getrlimit(what)[1]))


GRACE = 5
"""The seconds beyond its own within which a trial has to end."""
SHARE = 4
"""A trial that waits for others, or for nothing, ends after so many times its seconds."""


def _forked(line: str, seconds: float) -> str:
    """The answer of a fork, which has ended then: processes that it has left behind are not waited for."""
    reader, writer = os.pipe()
    ASKED[:] = b" " * len(ASKED)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reader)
            signal.alarm(SHARE * int(seconds) + GRACE)  # ends what no exception can
            _bounded(seconds)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with os.fdopen(writer, "wb") as out:
                out.write(_answer(line).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        text, status = _heard(pid, pipe.fileno(), SHARE * seconds + 2 * GRACE)
    if text and status == 0:
        return text
    return json.dumps(died(os.waitstatus_to_exitcode(status)))


def _heard(pid: int, pipe: int, seconds: float) -> tuple[str, int]:
    """What a child has written when it ends, and its status; it is killed when the time is over.

    Its end is that of the child: who else holds the pipe, as a grandchild does, may keep it open for as long as it
    likes.
    """
    import select

    end, found, status, more = perf_counter() + seconds, bytearray(), None, True
    while True:
        ended, how = os.waitpid(pid, os.WNOHANG) if status is None else (0, 0)
        status = how if ended else status
        over = status is not None  # what it has written is in the pipe now
        if not over and perf_counter() > end:
            os.kill(pid, signal.SIGKILL)
        wait = 0 if over else TICK
        if more and select.select([pipe], [], [], wait)[0]:
            chunk = os.read(pipe, 1 << 16)
            found += chunk
            more = bool(chunk)
        elif status is not None:
            return found.decode(), status
        elif not more:
            sleep(wait)


def main(argv: Sequence[str]) -> None:
    """Serve requests until the input ends."""
    if "--once" in argv:
        print(_answer(sys.stdin.read()), flush=True)
        return
    import numpy  # noqa: F401 - what takes long to import and is no part of the project

    for line in sys.stdin:
        if hasattr(os, "fork"):
            answer = _forked(line, json.loads(line)["seconds"])
        else:
            run = [sys.executable, "-m", "ccc.laws.trial", "--once"]
            answer = subprocess.run(run, input=line, capture_output=True, text=True, check=False).stdout
        print(answer.strip() or json.dumps({"broken": "no answer"}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
