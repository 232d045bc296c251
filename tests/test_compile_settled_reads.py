"""What a reverse loop reads of an array that the loop before left, instead of keeping it run by run."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.settled_reads import SettledReads
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import Apply, Block, Let
from ccc.primitives.indexing import index

A = np.linspace(0.5, 1.5, 25).reshape(5, 5) + np.eye(5) * 4.0
X = np.linspace(0.5, 1.5, 5)


def substituted(a, b):
    x = b * 1.0
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return np.sum(x * x)


def substituted_back(a, b):
    x = np.zeros(len(b))
    for i in range(len(b) - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x * x)


def decomposed(a, b):
    a = a * 1.0
    for i in range(len(a)):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[j, :j]) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return np.sum(a * b)


def in_turns(a, b):
    a = a * 1.0
    for _ in range(2):
        p = np.zeros(a.shape)
        for j in range(1, len(b)):
            p[:, j] = a[:, j] / (b[j] + p[:, j - 1])
        for j in range(len(b) - 2, -1, -1):
            a[:, j] = p[:, j] * a[:, j + 1] + b
    return np.sum(a)


def tape_of(f: Any, *args: Any) -> list[str]:
    """The names that the first loops of the program of a gradient keep for those that run back."""
    lines = ccc.explain(ccc.gradient(f, backend="numpy"), *args).derivative.splitlines()
    back = [line for line in lines if " in reversed " in line]
    return [x for line in back for x in line.split(" in reversed ")[1].split(" from ")[0].split(", ")[1:]]


@pytest.mark.parametrize(("f", "most"), [(substituted, 2), (substituted_back, 2), (decomposed, 4), (in_turns, 6)])
def test_parts_that_no_later_run_changes_are_not_kept(f: Any, most: int):
    assert len(tape_of(f, A, X)) <= most
    agrees(f, A, X)


@pytest.mark.parametrize("f", [substituted, decomposed])
def test_versions_of_an_array_are_not_copied(f: Any):
    assert "set_at" not in ccc.explain(ccc.gradient(f, backend="numpy"), A, X).code


@pytest.mark.parametrize("f", [substituted, substituted_back, decomposed, in_turns])
def test_machine_code_computes_the_same(f: Any):
    expected = ccc.gradient(f, wrt=["a", "b"], backend="numpy")(A, X)
    found = ccc.gradient(f, wrt=["a", "b"], backend="native")(A, X)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)


N = 6
OUTER = ("n", "1, n", "2, n - 1", "n - 1, -1, -1", "n - 2, 0, -1", "0, n, 2")
INNER = ("i", "i, n", "n", "1, i", "i + 1, n", "i, -1, -1", "n - 1, i, -1", "n - 1, 0, -1")
PLACES = ("{v}", "{v} - 1", "{v} + 1", ":{v}", ":{v} + 1", ":{v} - 1", "{v}:", "{v} + 1:", "{v} - 1:", "-1", "0", "1:",
          ":{v}:2", "{v}::-1", "{v} - 1:{v} + 1", ":", ":-1")  # fmt: skip


def texts(rng: random.Random) -> tuple[str, str]:
    """A program that changes and reads an array in two loops, and one that notes which version of the array each read
    sees, and whether that is what the inner, and the outer loop leave."""
    axes = rng.choice((1, 2))
    lines, notes, reads = list[str](), list[str](), 0

    def place(names: str) -> str:
        return ", ".join([rng.choice(PLACES).format(v=rng.choice(names)) for _ in range(axes)])

    def statements(names: str, indent: str, count: int) -> None:
        nonlocal reads
        for _ in range(count):
            at = place(names)
            if rng.random() < 0.6:
                lines.append(f"{indent}s = s + np.sum(x[{at}])")
                notes.append(f"{indent}log.append(({reads}, np.s_[{at}], np.copy(v[{at}])))")
                reads += 1
            else:
                write = at if rng.random() < 0.3 else ", ".join([rng.choice(names)] + ["i"] * (axes - 1))
                lines.append(f"{indent}x[{write}] = s")
                notes.append(f"{indent}v[{write}] = next(count)")

    lines.append(f"    for i in range({rng.choice(OUTER)}):")
    notes.append(lines[-1])
    statements("i", "        ", rng.choice((0, 1, 2)))
    lines.append(f"        for j in range({rng.choice(INNER)}):")
    notes += ["        log = []", lines[-1]]
    statements("ij", "            ", rng.choice((2, 3)))
    notes += ["        ended(inner, log, v)", "        every += log", "        log = every"]
    statements("i", "        ", rng.choice((0, 1, 2)))
    head = "def f(x):\n    n = len(x)\n    x = x * 1.0\n    s = 1.0\n"
    noted = "def noted(v, inner, outer, ended, count):\n    n, every = len(v), []\n    log = every\n"
    return (head + "\n".join(lines) + "\n    return s + np.sum(x)\n",
            noted + "\n".join(notes) + "\n    ended(outer, every, v)\n")  # fmt: skip


def ended(seen: dict[int, bool], log: list[Any], v: np.ndarray) -> None:
    for k, at, value in log:
        seen[k] = seen.get(k, True) and np.array_equal(v[at], value)


def reads_of(block: Block) -> list[Let]:
    found = list[Let]()
    for let in block.lets:
        found += [let] if isinstance(let.op, Apply) and let.op.primitive is index else []
        for inner in let.op.blocks:
            found += reads_of(inner)
    return found


def claims(text: str, seed: int, axes: int) -> list[set[int]]:
    """For each read, at how many loops around the array that a loop leaves is said to have the same there."""
    file, space = f"<settled {seed}>", {"np": np}
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    program = elaborate(space["f"], [np.ones((N,) * axes)]).program
    settled = SettledReads(program, shapes_of(program))
    return [{0 if v.home is program.block else 1 for v in settled.of(let)} for let in reads_of(program.block)]


def test_what_is_said_to_be_left_is_left():
    """Programs of two loops, whose runs note the version of what they read."""
    told = {0: 0, 1: 0}
    for seed in range(150):
        program, noted = texts(random.Random(seed))
        inner, outer, space = dict[int, bool](), dict[int, bool](), dict[str, Any](np=np)
        exec(noted, space)
        axes = 2 if ", " in program.split("x[")[1].split("]")[0] else 1
        try:
            space["noted"](np.zeros((N,) * axes), inner, outer, ended, iter(range(1, 10**6)))
        except IndexError:
            continue
        for k, found in enumerate(claims(program, seed, axes)):
            assert 0 not in found or outer.get(k, True), f"{program}\nread {k} is not what the outer loop leaves"
            assert 1 not in found or inner.get(k, True), f"{program}\nread {k} is not what the inner loop leaves"
            for depth in found:
                told[depth] += 1
    assert told[0] > 20 and told[1] > 20, told
