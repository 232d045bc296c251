"""Objects in stores that lead back to themselves, shown by what their classes say of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from checks import agrees

import ccc


class Node:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.next: Any = None

    def __repr__(self) -> str:
        return f"Node({self.v})"


class Ring:
    def __init__(self) -> None:
        self.head: Any = None
        self.n = 0

    def add(self, v: Any) -> None:
        node = Node(v)
        if self.head is None:
            self.head = node
            node.next = node
        else:
            node.next = self.head.next
            self.head.next = node
        self.n += 1

    def __str__(self) -> str:
        out, here = [], self.head
        for _ in range(self.n):
            out.append(str(here))
            here = here.next
        return "->".join(out)


def ring(x: Any, n: int = 3) -> Ring:
    made = Ring()
    for i in range(n):
        made.add(i * x)
    return made


def as_text(x: float) -> Any:
    r = ring(x)
    return str(r), repr(r.head), r.head.next.v


def in_a_text(x: float) -> Any:
    r = ring(x, 2)
    return f"{r} and {r.head!r}, {r.head}"


def changed_behind(x: float) -> Any:
    r = ring(x, 2)
    before = str(r)
    r.head.v = 10.0 * x
    return before, str(r)


def alone(x: float) -> Any:
    a = Node(x)
    a.next = a
    return str(a), a.next.next.v


@pytest.mark.parametrize("f", [as_text, in_a_text, changed_behind, alone], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_what_leads_back_says_what_its_class_does(f: Any, backend: str) -> None:
    run = ccc.compiled(f, backend=backend)
    assert (run(2.0), run(-1.5)) == (f(2.0), f(-1.5))


def test_what_leads_back_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: float) -> float:
        r = ring(x)
        print(r, r.head)
        return r.head.next.v * x

    texts = []
    for run in (f, ccc.compiled(f)):
        run(2.0)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == "Node(0.0)->Node(4.0)->Node(2.0) Node(0.0)\n"
    agrees(f, 2.0)


@dataclass
class Link:
    v: float
    next: Any = None


@dataclass
class Branch:
    v: float
    left: Any = None
    right: Any = None


class Chain:
    def __init__(self, v: Any, after: Any) -> None:
        self.v, self.after = v, after

    def __repr__(self) -> str:
        return f"Chain({self.v}, {self.after!r})"


def links(x: float, n: int) -> Any:
    first = None
    for i in range(n):
        first = Link(x * i, first)
    first.v += 1.0  # type: ignore[union-attr]
    return f"{first}", str(first), f"{first!r:>60}"


def branches(x: float, n: int) -> Any:
    def put(at: Any, v: float) -> Any:
        if at is None:
            return Branch(v)
        if v < at.v:
            at.left = put(at.left, v)
        else:
            at.right = put(at.right, v)
        return at

    root = None
    for v in [x, x - 1.0, x + n]:
        root = put(root, v)
    return repr(root), len(f"{root}")


def chains(x: float, n: int) -> Any:
    first = None
    for i in range(n):
        first = Chain(x * i, first)
    first.v = 7.0  # type: ignore[union-attr]
    return f"{first}", str(first), f"{first!r:>40}"


@pytest.mark.parametrize("f", [links, branches, chains], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_what_only_could_lead_back_is_shown_to_its_end(f: Any, backend: str) -> None:
    run = ccc.compiled(f, backend=backend)
    assert (run(2.0, 3), run(-1.5, 2)) == (f(2.0, 3), f(-1.5, 2))


def test_dataclasses_in_stores_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def f(first: Link, x: float) -> None:
        first.next.v += x
        print(first)

    texts = []
    for run in (f, ccc.compiled(f)):
        run(Link(1.0, Link(2.0)), 3.0)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == "Link(v=1.0, next=Link(v=5.0, next=None))\n"


def enclosed(n: int, x: float) -> str:
    return f"<{enclosed(n - 1, x)}{x * n:.1f}>" if n > 0 else ""


def counted(n: int, x: float) -> Any:
    return (f"{n}{counted(n - 1, x)[0]}", n) if n > 0 else ("", 0)


class Shown:
    def __init__(self, v: Any, after: Any) -> None:
        self.v, self.after = v, after

    def text(self) -> str:
        return f"{self.v}, {'end' if self.after is None else self.after.text()}"


def by_method(n: int, x: float) -> str:
    first = Shown(x, None)
    for i in range(n):
        first = Shown(x * i, first)
    first.v += 1.0
    return first.text()


@pytest.mark.parametrize("f", [enclosed, counted, by_method], ids=lambda f: f.__name__)
def test_a_recursive_function_puts_a_text_together_of_its_own(f: Any) -> None:
    run = ccc.compiled(f)
    assert [run(n, 1.5) for n in (0, 1, 5)] == [f(n, 1.5) for n in (0, 1, 5)]


def aligned(n: int, x: float) -> Any:
    text = f"{x:.{n}f}"
    return f"{text:>12}|{text!r}|{f'{x:.1f} m':^9}|", f"{text:>8} {text!r}", f"{text:<{n + 9}}|"


def test_a_text_is_formatted_again() -> None:
    run = ccc.compiled(aligned)
    assert [run(n, -22.25) for n in (1, 3)] == [aligned(n, -22.25) for n in (1, 3)]
