"""Make a failing program smaller: leave out statements, take a branch's arm for it, a part of an expression for it.

As a program, `python3 tests/random_shrinking.py SEED` checks the program of a seed and prints what is left of it.
"""

from __future__ import annotations

import ast
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from random_checks import AGREED, Outcome, outcome_of  # noqa: E402
from random_programs import Program, program  # noqa: E402

SECONDS = 5


class TooLong(BaseException):
    """A smaller program does not end."""


def limited(made: Program, outcome: Callable[[Program], Outcome] = outcome_of) -> Outcome:
    """The outcome of a program that may run forever."""

    def stop(*_: Any) -> None:
        raise TooLong

    try:
        before = signal.signal(signal.SIGALRM, stop)
    except ValueError:  # not in the main thread
        return outcome(made)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return outcome(made)
    except TooLong:
        return Outcome("too long")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def slots(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, Any]]:
    """Every place of a node in a tree: its parent, the field, the index in a list of nodes."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.AST):
                        yield node, name, i, item
            elif isinstance(value, ast.AST):
                yield node, name, None, value


def smaller(tree: ast.Module) -> Iterator[Callable[[], Callable[[], None]]]:
    """Changes that make a program smaller; each, when it is made, gives what takes it back."""
    found = list(slots(tree))
    for parent, name, index, node in found:
        if isinstance(node, ast.stmt) and index is not None:
            body = getattr(parent, name)
            inner = [*getattr(node, "body", []), *getattr(node, "orelse", [])]
            yield lambda b=body, n=node: put(b, n, [])
            if inner and not isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield lambda b=body, n=node: put(b, n, n.body)  # type: ignore[reportAttributeAccessIssue]
                if getattr(node, "orelse", []):
                    yield lambda b=body, n=node: put(b, n, n.orelse)  # type: ignore[reportAttributeAccessIssue]
                    yield lambda n=node: put_all(n.orelse)  # type: ignore[reportAttributeAccessIssue]
    for parent, name, index, node in found:
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            parts = [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
            if not isinstance(node, ast.Constant | ast.Name):
                parts.append(ast.Constant(0.5))
            for part in parts:
                yield lambda p=parent, f=name, i=index, n=node, by=part: exchange(p, f, i, n, by)


def put(body: list[ast.stmt], node: ast.stmt, by: list[ast.stmt]) -> Callable[[], None]:
    kept = list(body)
    at = [i for i, x in enumerate(body) if x is node]
    if at:
        body[at[0] : at[0] + 1] = by
        if not body:
            body.append(ast.Pass())

    def back() -> None:
        body[:] = kept

    return back


def put_all(body: list[ast.stmt]) -> Callable[[], None]:
    kept = list(body)
    body.clear()

    def back() -> None:
        body[:] = kept

    return back


def exchange(parent: ast.AST, name: str, index: int | None, node: ast.AST, by: ast.AST) -> Callable[[], None]:
    value = getattr(parent, name)
    if index is None:
        setattr(parent, name, by)
        return lambda: setattr(parent, name, node)
    if index < len(value) and value[index] is node:
        value[index] = by

    def back() -> None:
        if index < len(value) and value[index] is by:
            value[index] = node

    return back


def shrunken(
    made: Program, found: Outcome, tries: int = 1500, outcome: Callable[[Program], Outcome] = outcome_of
) -> Program:
    """A smaller program with the same kind of failure, or the program itself."""
    kind, detail = found.kind, found.detail
    tree = ast.parse(made.source)
    current = made
    moving = True
    while moving and tries > 0:
        moving = False
        for change in smaller(tree):
            if tries <= 0:
                break
            back = change()
            try:
                source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                if len(source) >= len(current.source) and source != current.source + "\n" and current is not made:
                    back()
                    continue
                tries -= 1
                attempt = replace(current, source=source)
                now = limited(attempt, outcome)
            except Exception:
                back()
                continue
            if now.kind == kind and now.detail == detail:
                current, moving = attempt, True
            else:
                back()
    return current


def main(seed: int) -> None:
    made = program(seed)
    found = outcome_of(made)
    print(f"{found.kind} {found.detail}\n{found.text}")
    print(made if found.kind == AGREED else shrunken(made, found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
