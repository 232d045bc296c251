"""Objects in stores that lead back to themselves, shown by what their classes say of them."""

from __future__ import annotations

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
