"""Value numbers of a λ-program: two variables with the same number have the same value wherever both are seen.

The number of a let is that of its primitive at the numbers of its arguments. Loops over the same sequences have the
same *context*, and inside one a number stands for a function of the position: an element of a list that a loop has
built is what that loop put there, so what a reverse loop reads from a tape has the number of what was taped. Carries
with one initial value are taken to be equal until their updates differ, also those of different loops.

References: Alpern, Wegman, Zadeck, Detecting Equality of Variables in Programs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.program.lam import Apply, Atom, Block, Branch, Lambda, Let, Lit, Loop, Var, While
from ccc.compile.program.simplify import identity
from ccc.objects import Array, Bool, Int, List, Object, Real
from ccc.primitives import barriers, structure
from ccc.primitives.facts import FOREIGN
from ccc.primitives.raising import is_loud

EXCHANGED = (Real, Int, Bool, Array)
"""What a primitive that is commutative may be given in another order."""
INIT = "as at the beginning"
"""Said of a carry that nothing changes."""
SMALL = 64  # entries of a constant array that is compared with others


class Numbering:
    """The numbers of the variables of a program."""

    def __init__(self, block: Block) -> None:
        self.numbers: dict[Var, int] = {}
        self.known: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.literals: dict[Lit, int] = {}
        self.constants: dict[int, Lit] = {}
        self.contexts: dict[Let, int] = {}
        self.updates: dict[int, dict[Let, int]] = {}
        self.inside: list[frozenset[int]] = []
        self.found: dict[Let, list[Any]] = {}
        for param in block.params:
            self.alone(param)
        self.block(block)

    def number(self, key: Any) -> int:
        count = len(self.keys)
        found = self.known.setdefault(key, count)
        if found == count:
            self.keys.append(key)
        return found

    def alone(self, var: Var) -> int:
        found = self.numbers[var] = self.number(("variable", var))
        return found

    def of(self, atom: Atom) -> int:
        found = self.numbers.get(atom)  # type: ignore[arg-type]
        if found is not None:
            return found
        if isinstance(atom, Var):
            return self.alone(atom)
        found = self.literals.get(atom)
        if found is None:
            x = atom.value
            small = isinstance(x, np.ndarray) and x.size <= SMALL and x.dtype.kind in "biuf"
            known = (x.dtype.str, x.shape, x.tobytes()) if small else (identity(x),)  # type: ignore[union-attr]
            found = self.literals[atom] = self.number(("constant", *known))
            self.constants.setdefault(found, atom)
        return found

    # -- lets ------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for let in block.lets:
            self.let(let)

    def let(self, let: Let) -> None:
        op = let.op
        if isinstance(op, Apply):
            self.numbers[let.targets[0]] = self.applied(op, let)
        elif isinstance(op, Branch) and (arm := arm_of(op, let)) is not None:
            self.block(arm)
            self.numbers.update(zip(let.targets, map(self.of, arm.results), strict=True))
        elif isinstance(op, Branch):
            test = self.of(let.args[0])
            for arm in op.blocks:
                self.block(arm)
            for target, a, b in zip(let.targets, op.then.results, op.orelse.results, strict=True):
                x, y = self.of(a), self.of(b)
                self.numbers[target] = x if x == y else self.number(("chosen", test, x, y))
        elif isinstance(op, Loop):
            self.loop(op, let)
        elif isinstance(op, While):
            self.while_(op, let)
        else:
            for target in let.targets:
                self.alone(target)
            if isinstance(op, Lambda):
                outer, self.inside = self.inside, [*self.inside, frozenset({-1})]
                for param in op.body.params:
                    self.alone(param)
                self.block(op.body)
                self.inside = outer

    def applied(self, op: Apply, let: Let) -> int:
        p = op.primitive
        if p.effect or p is barriers.again or p.memory is FOREIGN or (p.errors and is_loud(p.errors)):
            return self.alone(let.targets[0])
        if p.unchanged and p.is_unchanged(op.params) and let.args[0].object == let.targets[0].object:
            return self.of(let.args[0])
        numbers = map(self.of, let.args)
        exchanged = p.commutative and all([isinstance(a.object, EXCHANGED) for a in let.args])
        params = () if p is structure.item else tuple(op.params.items())  # of an item, they say what an error says
        key = (p, tuple(sorted(numbers) if exchanged else numbers), params)
        try:
            return self.number(key)
        except TypeError:  # of what has no hash
            return self.alone(let.targets[0])

    # -- loops -----------------------------------------------------------------------------------------------------

    def lengths(self, number: int) -> frozenset[int]:
        """What decides how long a sequence is: itself, or the sequences of the loop that built it."""
        key = self.keys[number]
        return self.keys[key[1]][1] if key[0] == "outputs" else frozenset({number})

    def context(self, lengths: frozenset[int]) -> int:
        return self.number(("context", lengths, sum(around == lengths for around in self.inside)))

    def element(self, number: int, context: int, mirrored: bool) -> int:
        key = self.keys[number]
        if key[0] == "outputs" and key[1] == context:
            return key[2]
        return self.number(("element", context, number, mirrored))

    def loop(self, op: Loop, let: Let) -> None:
        sequences = list(map(self.of, let.args[op.carries :]))
        lengths = frozenset[int]().union(*map(self.lengths, sequences))
        context = self.contexts[let] = self.context(lengths)
        for param, n in zip(op.body.params[op.carries :], sequences, strict=True):
            self.numbers[param] = self.element(n, context, op.reverse and len(lengths) > 1)
        kinds = [("carry", context, op.reverse, self.of(init), p.object, 0)
                 for init, p in zip(let.args, op.body.params[: op.carries], strict=False)]
        self.settle(let, op, [op.body], kinds, lengths, shared=True)

    def while_(self, op: While, let: Let) -> None:
        lengths = frozenset({self.number(("runs", let))})
        context = self.contexts[let] = self.context(lengths)
        kinds = [("carry", context, False, self.of(init), p.object, 0)
                 for init, p in zip(let.args, op.body.params, strict=True)]
        self.settle(let, op, [op.test, op.body], kinds, lengths, shared=False)

    def settle(
        self, let: Let, op: Loop | While, blocks: list[Block], kinds: list[Any], lengths: frozenset[int], shared: bool
    ) -> None:
        """Number the body at carries that are equal as long as nothing tells them apart. A loop within a loop, which
        is numbered each time that the body of that is, begins with what was found the last time."""
        body, before = op.body, self.found.get(let)
        tokens = [self.token(let, kind, i, 0 if before is None else before[i]) for i, kind in enumerate(kinds)]
        outer, self.inside = self.inside, [*self.inside, lengths]
        while True:
            for block in blocks:
                for param, token in zip(block.params, tokens, strict=False):
                    self.numbers[param] = token
            for block in blocks:
                self.block(block)
            results = [self.of(result) for result in body.results[: len(kinds)]]
            following = self.told_apart(let, kinds, tokens, results, shared)
            if following == tokens:
                break
            changed = before is not None and any(
                mode is INIT and new != token for mode, new, token in zip(before, following, tokens, strict=True))
            tokens = [self.number(kind) for kind in kinds] if changed else following
            before = None
        self.found[let] = [self.mode(let, kinds[i], i, token) for i, token in enumerate(tokens)]
        self.inside = outer
        for i, (token, result) in enumerate(zip(tokens, results, strict=True)):
            self.updates.setdefault(token, {})[let] = result
            start = token == self.of(let.args[i])  # nothing changes it
            self.numbers[let.targets[i]] = token if start else self.number(("last", token))
        for target, result in zip(let.targets[len(kinds) :], body.results[len(kinds) :], strict=True):
            self.numbers[target] = self.number(("outputs", self.contexts[let], self.of(result)))

    def token(self, let: Let, kind: Any, i: int, mode: Any) -> int:
        """The number of a carry: that of its initial value, its own, or that of others of its kind."""
        return self.of(let.args[i]) if mode is INIT else self.number((*kind[:-1], *mode)) if isinstance(
            mode, tuple) else self.number((*kind[:-1], mode))

    def mode(self, let: Let, kind: Any, i: int, token: int) -> Any:
        """Which of these a number is."""
        key = self.keys[token]
        return INIT if token == self.of(let.args[i]) else (let, i) if key[-2:] == (let, i) else key[-1]

    def told_apart(
        self, let: Let, kinds: list[Any], tokens: list[int], results: list[int], shared: bool
    ) -> list[int]:
        """The numbers of the carries once those are told apart whose updates differ."""
        found: list[int] = []
        first: dict[int, int] = {}
        for i, (token, result) in enumerate(zip(tokens, results, strict=True)):
            init, own = self.of(let.args[i]), self.number((*kinds[i][:-1], let, i))
            if token == own:
                found.append(own)
            elif token == init:
                found.append(init if result == init else own)
            elif token == result and self.keys[token][-1] == 0:
                found.append(init)
            else:
                others = [r for other, r in self.updates.get(token, {}).items() if other is not let]
                apart = others and (not shared or any(r != result for r in others))
                if apart or first.setdefault(token, result) != result:
                    following = self.keys[token][-1] + 1
                    token = own if following > len(kinds) + 2 else self.number((*kinds[i][:-1], following))
                found.append(token)
        return found


def arm_of(op: Branch, let: Let) -> Block | None:
    """The arm that is taken where the test is known, unless its results are of a narrower kind than is expected."""
    test = let.args[0]
    if not isinstance(test, Lit) or not isinstance(test.value, bool):
        return None
    arm = op.then if test.value else op.orelse
    fits = all(alike(a.object, target.object) for a, target in zip(arm.results, let.targets, strict=True))
    return arm if fits else None


def alike(a: Object, b: Object) -> bool:
    """True for objects of one value: arrays of one rank, of whose axes more or less is known."""
    if isinstance(a, List) and isinstance(b, List):
        return alike(a.item, b.item)
    return a == b or (
        isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype
        and a.axes is not None and b.axes is not None and len(a.axes) == len(b.axes)
    )
