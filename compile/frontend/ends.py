"""How statements end: they go on, continue or break a loop, return, raise, each on some paths."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ccc.compile.frontend.names import statements_in
from ccc.compile.program.lam import Var
from ccc.primitives import arithmetic

Kinds = frozenset[str]
Names = dict[str, Any]

ON, NEXT, BREAK, RETURN, RAISE = "goes on", "continues", "breaks", "returns", "raises"
DONE, LEFT = "is done", "was left"  # the test of a loop is false; the loop ended by `break`
LEAVING: Kinds = frozenset({RETURN, RAISE})


class Paths:
    """The ends of some statements. `env` holds what the names are at every end that more of the function follows,
    `extras` what they are at one kind of end alone."""

    def __init__(
        self, kinds: Iterable[str], env: Names, extras: dict[str, Names] | None = None, value: Any = None
    ) -> None:
        self.kinds: Kinds = frozenset(kinds)
        self.env = env
        self.extras = extras or {}
        self.value = value

    def names(self, kind: str) -> Names:
        """The names at one kind of end, in a dict of their own."""
        return {**self.env, **self.extras.get(kind, {})}

    def flag(self, wanted: Kinds, live: Kinds) -> Any:
        """Whether the end that is reached is in `wanted`, given that it is in `live`; None where it cannot be."""
        kinds = self.kinds & live
        if not kinds:
            return None
        return True if kinds <= wanted else self.decided(wanted, live) if kinds & wanted else False

    def decided(self, wanted: Kinds, live: Kinds) -> Any:
        """The bool that `flag` gives where it depends on the run."""
        raise AssertionError("one end is always known")

    @property
    def flows(self) -> bool:
        """True where nothing but raising keeps the statements that follow from running."""
        return self.kinds - {RAISE} == {ON}


class Flagged(Paths):
    """Ends that bools of the program tell apart: those of a loop. The last kind is the one where no bool is true."""

    def __init__(self, flags: dict[str, Var], last: str, env: Names, extras: dict[str, Names], value: Any) -> None:
        super().__init__([*flags, last], env, extras, value)
        self.flags = flags

    def decided(self, wanted: Kinds, live: Kinds) -> Any:
        flags = {kind: flag for kind, flag in self.flags.items() if kind in live}
        known = {kind for kind in self.kinds & live if kind in flags}
        positive = wanted & live <= known
        chosen = [flags[kind] for kind in sorted(known) if (kind in wanted) == positive]
        found: Any = chosen[0]
        for flag in chosen[1:]:
            found = arithmetic.bit_or(found, flag)
        return found if positive else arithmetic.logical_not(found)


class Renamed(Paths):
    """The same ends under other kinds, or fewer of them."""

    def __init__(self, paths: Paths, kinds: dict[str, str]) -> None:
        super().__init__([kinds.get(k, k) for k in paths.kinds], paths.env, value=paths.value)
        self.paths = paths
        self.new = kinds
        for kind in sorted(self.kinds):
            old = [k for k in paths.kinds if kinds.get(k, k) == kind]
            first, *others = [paths.extras.get(k, {}) for k in old]
            self.extras[kind] = {n: v for n, v in first.items() if all(x.get(n, MISSING) is v for x in others)}

    def decided(self, wanted: Kinds, live: Kinds) -> Any:
        def old(new: Kinds) -> Kinds:
            return frozenset([k for k in self.paths.kinds if self.new.get(k, k) in new])

        return self.paths.flag(old(wanted), old(live))


class Without(Paths):
    """The ends of other kinds than one."""

    def __init__(self, paths: Paths, kind: str) -> None:
        super().__init__(paths.kinds - {kind}, paths.env, paths.extras, paths.value)
        self.paths = paths

    def decided(self, wanted: Kinds, live: Kinds) -> Any:
        return self.paths.flag(wanted, live & self.kinds)


class _Missing:
    """A name or a value that is not there."""


MISSING = _Missing()
ENDED = _Missing()


def exits(body: Iterable[ast.AST]) -> Kinds:
    """How statements may end beside going on; what a loop in them does with `break` is its own affair."""
    found: set[str] = set()
    todo: list[tuple[ast.AST, bool]] = [(node, False) for node in body]
    while todo:
        node, looping = todo.pop()
        if isinstance(node, ast.Return):
            found.add(RETURN)
        elif isinstance(node, ast.Raise):
            found.add(RAISE)
        elif isinstance(node, (ast.Break, ast.Continue)):
            found.update(() if looping else (BREAK if isinstance(node, ast.Break) else NEXT,))
        elif isinstance(node, (ast.For, ast.While)):
            todo += [(inner, True) for inner in node.body] + [(inner, looping) for inner in node.orelse]
        elif isinstance(node, (ast.stmt, ast.match_case, ast.excepthandler)):
            todo += [(inner, looping) for inner in statements_in(node)]
    return frozenset(found)


def surely_ends(body: list[ast.stmt]) -> bool:
    """True where no path through the statements goes on behind them."""
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return True
        if isinstance(statement, ast.If) and surely_ends(statement.body) and surely_ends(statement.orelse):
            return True
    return False


class _GoesOn:
    """The outcome of statements that do not return."""

    def __repr__(self) -> str:
        return "GOES_ON"


GOES_ON = _GoesOn()
