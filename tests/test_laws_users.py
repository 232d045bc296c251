"""Reverse modes of users: judged as ours are, whatever they keep for zeros, and each slip in one is found."""

from __future__ import annotations

from typing import Any

import pytest

from ccc import laws
from ccc.laws.__main__ import main
from ccc.objects import is_discrete


def zero(x: Any) -> Any:
    """A zero for a value; that of a function is the number, whatever it captured."""
    return tuple(map(zero, x)) if isinstance(x, tuple) else 0


def plus(a: Any, b: Any) -> Any:
    """A sum of cotangents, of which the number 0 may be any zero."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(map(plus, a, b))
    for one, other in ((a, b), (b, a)):
        if type(one) is int and one == 0:
            return other
    return a + b


class Mine:
    """`x |-> (y, pullback)` with rules of one's own, and numbers for zeros."""

    def __init__(self, **rules: Any) -> None:
        self.rules = {"add": lambda ct, x, y: (ct, ct), "sub": lambda ct, x, y: (ct, -ct), "neg": lambda ct, x: (-ct,),
                      "mul": lambda ct, x, y: (ct * y, ct * x), **rules}

    def identity(self, a: Any) -> Any:
        return lambda x: (x, lambda ct: ct)

    def compose(self, *arrows: Any) -> Any:
        def composite(x: Any) -> Any:
            pullbacks = []
            for f in arrows:
                x, pb = f(x)
                pullbacks.append(pb)

            def back(ct: Any) -> Any:
                for pb in reversed(pullbacks):
                    ct = pb(ct)
                return ct

            return x, back

        return composite

    def terminal(self, a: Any) -> Any:
        return lambda x: ((), lambda ct: zero(x))

    def prod(self, *arrows: Any) -> Any:
        def fork(x: Any) -> Any:
            found = [f(x) for f in arrows]

            def back(cts: Any) -> Any:
                total = zero(x)
                for (_, pb), ct in zip(found, cts, strict=True):
                    total = plus(total, pb(ct))
                return total

            return tuple([y for y, _ in found]), back

        return fork

    def proj(self, a: Any, index: int) -> Any:
        return lambda x: (x[index], lambda ct: tuple([ct if i == index else zero(y) for i, y in enumerate(x)]))

    def const(self, term: Any) -> Any:
        return lambda x: (term.value, lambda ct: zero(x))

    def primitive(self, term: Any) -> Any:
        rule = self.rules[term.primitive.name]

        def applied(x: Any) -> Any:
            xs = x if isinstance(x, tuple) else (x,)
            return term.primitive.value(*xs), lambda ct: rule(ct, *xs) if isinstance(x, tuple) else rule(ct, *xs)[0]

        return applied


class Own(Mine):
    """The same with functions, whose cotangents are those of what they captured, and with branches."""

    def primitive(self, term: Any) -> Any:
        if term.primitive.name in self.rules or not is_discrete(term.cod):
            return super().primitive(term)
        apply = term.primitive.value
        return lambda x: (apply(*x) if isinstance(x, tuple) else apply(x), lambda ct: zero(x))

    def curry(self, body: Any, term: Any) -> Any:
        return lambda t: (lambda s: body((t, s)), lambda ct: plus(zero(t), ct))

    def eval(self, function: Any) -> Any:
        def applied(x: Any) -> Any:
            f, s = x
            y, pb = f(s)
            return y, lambda ct: plus((0, zero(s)), pb(ct))

        return applied

    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        return lambda x: (then if test(x)[0] else orelse)(x)


def test_a_reverse_mode_of_a_user_is_judged_as_ours() -> None:
    report = laws.check(Own(), examples=12)
    outcomes = {verdict.check: verdict.outcome for verdict in report.verdicts}
    assert report.ok
    assert {outcomes[f"pullback-{name}"] for name in ("linear", "pure", "adequate", "transpose")} == {"tested"}
    assert [outcomes[name] for name in ("curry-beta", "cond-nested", "fix-unroll")] == [
        "tested", "tested", "not applicable"]
    assert outcomes["curry-eta"] == "up to ≅"  # as under Δ: cotangents of closures are those of what they captured


def test_a_reverse_mode_without_functions_is_judged_as_ours() -> None:
    assert laws.check(Mine(), examples=12).ok


# -- slips ---------------------------------------------------------------------------------------------------------


class Swapped(Own):
    """The factors of a product the wrong way round."""

    def __init__(self) -> None:
        super().__init__(mul=lambda ct, x, y: (ct * x, ct * y))


class Unsigned(Own):
    def __init__(self) -> None:
        super().__init__(sub=lambda ct, x, y: (ct, ct))


class Flat(Own):
    """A summand of which nothing comes back."""

    def __init__(self) -> None:
        super().__init__(add=lambda ct, x, y: (ct, 0 * ct))


class Squares(Own):
    """A product that is wrong where both factors are one number."""

    def __init__(self) -> None:
        super().__init__(mul=lambda ct, x, y: (ct * y, ct * x) if x != y else (ct * y, 0 * ct))


class Elsewhere(Own):
    """A projection that answers for another part."""

    def proj(self, a: Any, index: int) -> Any:
        return lambda x: (x[index], lambda ct: tuple([
            ct if i == len(x) - 1 - index else zero(y) for i, y in enumerate(x)]))


class Forwards(Own):
    """Pullbacks in the order in which arrows run."""

    def compose(self, *arrows: Any) -> Any:
        def composite(x: Any) -> Any:
            pullbacks = []
            for f in arrows:
                x, pb = f(x)
                pullbacks.append(pb)

            def back(ct: Any) -> Any:
                for pb in pullbacks:
                    ct = pb(ct)
                return ct

            return x, back

        return composite


class Forgetful(Own):
    """A fork whose last arrow is asked for nothing."""

    def prod(self, *arrows: Any) -> Any:
        whole = super().prod(*arrows)

        def fork(x: Any) -> Any:
            ys, back = whole(x)
            return ys, lambda cts: back((*cts[:-1], 0) if len(cts) > 1 else cts)

        return fork


class Constants(Own):
    """A constant that answers for the argument."""

    def const(self, term: Any) -> Any:
        return lambda x: (term.value, lambda ct: x)


class Captured(Own):
    """Closures that answer for nothing that they captured."""

    def curry(self, body: Any, term: Any) -> Any:
        return lambda t: (lambda s: body((t, s)), lambda ct: zero(t))


class Argument(Own):
    """Calls that answer for nothing that they are given."""

    def eval(self, function: Any) -> Any:
        def applied(x: Any) -> Any:
            f, s = x
            y, pb = f(s)
            return y, lambda ct: (plus((0, zero(s)), pb(ct))[0], zero(s))

        return applied


class Branches(Own):
    """The pullback of the first branch, whichever is taken."""

    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        return lambda x: ((then if test(x)[0] else orelse)(x)[0], then(x)[1])


class Counting(Own):
    """Pullbacks that give more when they are called again."""

    def primitive(self, term: Any) -> Any:
        made = super().primitive(term)

        def applied(x: Any) -> Any:
            y, pb = made(x)
            calls: list[None] = []

            def back(ct: Any) -> Any:
                calls.append(None)
                return pb(ct * len(calls))

            return y, back

        return applied


SLIPS = {
    Swapped: "pullback-adequate", Unsigned: "pullback-transpose", Flat: "pullback-adequate",
    Squares: "pullback-adequate", Elsewhere: "prod-left", Forwards: "pullback-adequate", Forgetful: "prod-right",
    Constants: "const-natural", Captured: "curry-beta", Argument: "curry-beta", Branches: "cond-false",
    Counting: "pullback-pure",
}
"""Wrong modes, and a law that each has to break."""


@pytest.mark.share(3)
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.__name__)
def test_a_slip_in_a_reverse_mode_of_a_user_is_found_by_the_command(slip: type, capsys: Any) -> None:
    assert main([f"{__name__}:{slip.__name__}", "--examples", "30", "--jobs", "1", "--no-shrink"]) == 1
    assert f"{SLIPS[slip]} fails in {slip.__name__}: " in capsys.readouterr().out


def test_a_wrong_slope_in_a_reverse_mode_of_a_user_is_found() -> None:
    report = laws.check(Mine(**{"math.sin": lambda ct, x: (ct * x,)}), examples=150, only=["elementwise-rules"])
    assert [verdict.outcome for verdict in report.verdicts] == ["fails"]
    assert "no rule of `math.cos`" in report.verdicts[0].dropped
