"""Random programs by a target beside NumPy: what it takes it gives up to rounding, it raises and prints the same, it
leaves arguments as they are, and what it does not take is left to NumPy by name.

As a program, `python3 tests/random_targets.py TARGET GENERATOR FIRST COUNT` checks the programs of as many seeds, the
verbs in turns, and prints what is wrong, how many ended in which way, and why programs were left.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from checks import numbers, same  # noqa: E402
from form_checks import native_order  # noqa: E402
from native_checks import near, ran  # noqa: E402
from random_checks import essence, filled  # noqa: E402
from random_generators import GENERATORS, SECONDS, TooLong, limited  # noqa: E402
from random_loops import LONG_SUMS  # noqa: E402
from random_programs import Program  # noqa: E402

import ccc  # noqa: E402
from ccc.compile.api.wrapper import Transform  # noqa: E402
from ccc.errors import CCCError  # noqa: E402

TAKEN, LEFT, REFUSED = "taken", "left to NumPy", "refused"


def pulled_back(f: Callable[..., Any], backend: str) -> tuple[Any, Callable[..., Any]]:
    """The transform that pulls back, and a function that gives the value and what a pullback gives."""
    transform = ccc.value_with_pullback(f, backend=backend)

    def run(*args: Any) -> Any:
        value, pullback = transform(*args)
        if not list(numbers(value)):
            return value, None
        return value, pullback(filled(value, iter([1.0 + 0.25 * (i % 3) for i, _ in enumerate(numbers(value))])))

    return transform, run


def pushed_forward(f: Callable[..., Any], backend: str) -> tuple[Any, Callable[..., Any]]:
    """The transform with a differential, and a function that gives the value and what it gives."""
    transform = ccc.value_with_differential(f, backend=backend)

    def run(*args: Any) -> Any:
        value, differential = transform(*args)
        return value, differential(*[filled(x, iter([1.0 - 0.25 * (i % 3) for i, _ in enumerate(numbers(x))]))
                                     for x in args])

    return transform, run


def valued(f: Callable[..., Any], backend: str) -> tuple[Any, Callable[..., Any]]:
    transform = Transform(f, backend=backend)
    return transform, transform


VERBS = (valued, pulled_back, pushed_forward)


def outcome(made: Program, verb: Callable[..., Any], backend: str) -> str:
    """What becomes of a program in a target."""
    f = made.load()
    transform, run = verb(f, backend)
    _, other = verb(f, "numpy")
    for call in made.calls:
        fresh = [made.arguments(f, call) for _ in range(3)]
        try:
            expected = ran(other, *fresh[0])
        except CCCError as refusal:
            try:
                found: Any = ran(run, *fresh[1])
            except CCCError as error:
                found = error
            assert str(found) == str(refusal), f"{found!r} where NumPy refuses: {refusal}\n{made}\nat {call}"
            return REFUSED
        found = ran(run, *fresh[1])
        where = f"\n{made}\nat {call}"
        assert found.text == expected.text, f"printed {found.text!r} in place of {expected.text!r}{where}"
        assert type(found.error) is type(expected.error), f"{found.error!r} in place of {expected.error!r}{where}"
        assert same(fresh[1], fresh[0]), f"the arguments have become {fresh[1]!r}, in NumPy {fresh[0]!r}{where}"
        if expected.error is None:
            values = native_order(found.value), native_order(expected.value)
            wrong = near(other, fresh[2], *values, 1e-7 if LONG_SUMS in made.features else 0.0)
            assert not wrong, f"{wrong}{where}"
    reasons = [code.left_to for codes in transform.codes.values() for code in codes]
    assert all("\n" not in reason for reason in reasons), reasons
    return LEFT if not reasons or any(reasons) else TAKEN


def within_time(made: Program, verb: Callable[..., Any], backend: str) -> str:
    """The outcome of a program. Raises `AssertionError` for one that does not end."""
    try:
        with limited():
            return outcome(made, verb, backend)
    except TooLong:
        raise AssertionError(f"it takes longer than {SECONDS} s\n{made}") from None


def reason_of(made: Program, verb: Callable[..., Any], backend: str) -> str:
    """Why a program is left to NumPy, without the names and numbers in it."""
    f = made.load()
    transform, run = verb(f, backend)
    ran(run, *made.arguments(f, made.calls[0]))
    reasons = [code.left_to for codes in transform.codes.values() for code in codes if code.left_to]
    return essence(reasons[0], 100) if reasons else "of other arguments"


def main(
    backend: str, generator: str, first: int, count: int, begun: Callable[[int], None] = lambda seed: None
) -> None:
    """Check the programs of seeds; `begun` is told of each."""
    from ccc.compile.api import wrapper

    if backend == "xla":
        import jax

        jax.config.update("jax_disable_most_optimizations", True)
    found, reasons = Counter[str](), Counter[str]()
    for seed in range(first, first + count):
        begun(seed)
        made, verb = GENERATORS[generator](seed), VERBS[seed % len(VERBS)]
        if seed % 4:
            made.calls = made.calls[:2]
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kind = within_time(made, verb, backend)
                if kind == LEFT:
                    reasons[reason_of(made, verb, backend)] += 1
        except Exception as error:
            kind = "wrong" if isinstance(error, AssertionError) else "internal error"
            print(f"{'=' * 80}\n{generator} {seed} {verb.__name__}: {kind}: {error!r}\n{error}", flush=True)
        found[kind] += 1
        wrapper.forget()
    print(f"{generator}, seeds {first} to {first + count}: {dict(found)}", *reasons.most_common(), sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
