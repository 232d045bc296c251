"""Random programs over graphs of objects of plain classes: nodes that know parents, children and each other, shared
ones and cycles among them, in lists, dicts and deques, changed by methods, helpers and recursions.

Nodes are reached by name, through each other, at known and unknown keys, and by branches; whole graphs are copied. Each
program that compiles gives what plain Python gives.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import copy
from collections import deque


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.seen = 0
        self.next = None
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def add(self, child):
        child.parent = self
        self.children.append(child)
        return child

    def link(self, other):
        self.next = other
        other.seen += 1

    def scale(self, x):
        self.v *= x
        for child in self.children:
            child.v += self.v * 0.25

    def top(self, depth):
        if depth == 0 or self.parent is None:
            return self
        return self.parent.top(depth - 1)

    def total(self, depth):
        found = self.v + 0.5 * self.seen
        if depth > 0:
            for child in self.children:
                found += 0.5 * child.total(depth - 1)
        return found


class Pair:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def swap(self):
        self.left, self.right = self.right, self.left
        self.left.v += 1.0


def along(node, steps):
    found = 0.0
    while node is not None and steps > 0:
        found = found * 0.5 + node.v
        node.seen += 1
        node = node.next
        steps -= 1
    return found


def touch(nodes, k, x):
    nodes[k].v = nodes[k].v * 0.5 + x
    return nodes[k]


"""
CALLS = ["1.5, 3, 0", "0.5, 2, 1", "1.1, 3, 1"]
NODES, TABLE, QUEUE = "list", "dict", "deque"


class Graphs:
    """Writes one program. `nodes` and `pairs` are names of such objects, `containers` those of at least two nodes."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.nodes: list[str] = []
        self.pairs: list[str] = []
        self.containers: dict[str, str] = {}
        self.count = 0
        self.along = 0

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(2, 3)):
            self.node(1)
        self.container(1)
        for _ in range(r.randint(2, 5)):
            self.statement(1, 1)
        parts = [f"{w}.5 * {n}.v + {w} * {n}.seen + len({n}.children)" for w, n in enumerate(self.nodes, 1)]
        parts += [r.choice((f"along({r.choice(self.nodes)}, 4)", f"{r.choice(self.nodes)}.total(2)"))]
        parts += [f"{w}.25 * {p}.left.v - {p}.right.v" for w, p in enumerate(self.pairs, 3)]
        for w, (n, form) in enumerate(self.containers.items(), 5):
            parts += [f"{w + i}.0 * {n}[{i}].v" for i in range(2)] + ([f"len({n})"] if form != TABLE else [])
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        return Program(self.seed, f"{HEADER}def f(x, n, k):\n{body}\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> str:
        return self.r.choice(("x", "1.5", "x * x", "x + 1.0", "float(n)", f"{self.r.choice(self.nodes)}.v"))

    def key(self) -> str:
        return self.r.choice(("0", "1", "k", "1 - k", "(n + k) % 2", "n - 2", *(["i"] * self.along)))

    def item(self) -> str:
        """A node that there surely is."""
        r = self.r
        found = [*self.nodes, *[f"{n}[{self.key()}]" for n in self.containers]]
        found += [f"{n}.top({r.choice('12')})" for n in self.nodes[:2]]
        found += [f"{p}.{r.choice(('left', 'right'))}" for p in self.pairs]
        if r.random() < 0.15:
            return f"({r.choice(found)} if x > 1.0 else {r.choice(found)})"
        return r.choice(found)

    def made(self) -> str:
        return f"Node({self.number()}{self.r.choice(('', '', f', {self.item()}'))})"

    # -- statements ----------------------------------------------------------------------------------------------

    def node(self, depth: int) -> None:
        r, name = self.r, self.new("a")
        ways = [f"Node({r.choice(('x', '2.0', 'x * x'))})"]
        if self.nodes:
            ways += [self.made(), self.item(), f"{self.item()}.add({self.made()})", f"copy.copy({self.item()})"]
            ways += [f"copy.deepcopy({self.item()})", f"touch([{self.item()}], 0, x)"]
        self.line(depth, f"{name} = {r.choice(ways)}")
        self.nodes.append(name)

    def container(self, depth: int) -> None:
        r, name, form = self.r, self.new("c"), self.r.choice((NODES, NODES, TABLE, QUEUE))
        a, b = self.item(), r.choice((self.item(), self.made()))
        text = {NODES: f"[{a}, {b}]", TABLE: f"{{0: {a}, 1: {b}}}", QUEUE: f"deque([{a}, {b}])"}[form]
        if form == NODES and r.random() < 0.3:
            text = f"[Node(x * i) for i in range({r.choice(('3', 'n'))})]"
        lists = [n for n, f in self.containers.items() if f == NODES]
        if lists and r.random() < 0.3:
            text, form = r.choice((f"{lists[0]}[::-1]", f"copy.deepcopy({lists[0]})", f"list({lists[0]})",
                                   f"sorted({lists[0]}, key=lambda node: -node.v)")), NODES
        self.line(depth, f"{name} = {text}")
        self.containers[name] = form

    def pair(self, depth: int) -> None:
        name = self.new("p")
        self.line(depth, f"{name} = Pair({self.item()}, {self.item()})")
        self.pairs.append(name)

    def change(self, depth: int) -> None:
        r, a, b = self.r, self.item(), self.item()
        ways = [f"{a}.v = {self.number()}", f"{a}.v += x", f"{a}.v *= 0.5", f"{a}.link({b})", f"{a}.next = {b}",
                f"{a}.seen += 1", f"{a}.parent = {r.choice((b, 'None'))}", f"{a}.children.append({b})",
                f"{a}.children = [{b}]", f"touch([{a}, {b}], {r.choice(('0', 'k'))}, x)"]
        if not self.along:
            ways += [f"{a}.scale(x)", f"{a}.add({self.made()})"] * 2
        ways += [f"{p}.swap()" for p in self.pairs] * 2
        self.line(depth, r.choice(ways))

    def store(self, depth: int) -> None:
        """A container gets another item, loses one, or its items change places."""
        r = self.r
        n, form = r.choice(list(self.containers.items()))
        ways = [f"{n}[{self.key()}] = {self.item()}", f"{n}[0], {n}[1] = {n}[1], {n}[0]"]
        if form != TABLE and not self.along:
            ways += [f"{n}.append({self.item()})", f"{n}.reverse()", f"{n}.insert(0, {self.made()})",
                     f"if len({n}) > 2: {n}.pop()"]
        if form == QUEUE and not self.along:
            ways += [f"{n}.appendleft({self.made()})", f"{n}.rotate({r.choice(('1', '-1', 'k'))})",
                     f"{n}.append({n}.popleft())"]
        if form == NODES and not self.along:
            ways += [f"{n}.sort(key=lambda node: node.v)", f"{n} += [{self.item()}]"]
        self.line(depth, r.choice(ways))

    def statement(self, depth: int, nesting: int) -> None:
        choice = self.r.random()
        if choice < 0.15:
            self.node(depth)
        elif choice < 0.48:
            self.change(depth)
        elif choice < 0.6:
            self.store(depth)
        elif choice < 0.66:
            self.container(depth)
        elif choice < 0.74:
            self.pair(depth)
        elif nesting:
            self.nested(depth, nesting)

    def nested(self, depth: int, nesting: int) -> None:
        """A branch, or a loop over numbers, a container, the children of a node or what follows one."""
        r, form = self.r, self.r.random()
        nodes, pairs, containers, looped = list(self.nodes), list(self.pairs), dict(self.containers), self.along
        walked = ""
        if form < 0.35:
            same, large = f"{self.item()} is {self.item()}", f"{r.choice(nodes)}.v > 1.0"
            self.line(depth, f"if {r.choice(('x > 1.0', 'n > 2', same, large))}:")
        elif form < 0.6:
            self.line(depth, f"for i in range({r.choice(('2', 'n - 1'))}):")
            self.along = 1
            self.line(depth + 1, "i = i % 2")
        elif form < 0.85:
            name, n = self.new("b"), r.choice(list(containers))
            over = f"{n}.values()" if containers[n] == TABLE else n
            over = r.choice((f"list({over})", f"list({over})", f"{r.choice(nodes)}.children[:2]"))
            self.line(depth, f"for {name} in {over}:")
            self.nodes.append(name)
        else:
            walked = self.new("w")
            self.line(depth, f"{walked}, left = {self.item()}, 3")
            self.line(depth, f"while {walked} is not None and left > 0:")
            self.nodes.append(walked)
        for _ in range(r.randint(1, 3)):
            self.statement(depth + 1, nesting - 1)
        self.line(depth + 1, f"{walked}, left = {walked}.next, left - 1" if walked else "pass")
        self.nodes, self.pairs, self.containers, self.along = nodes, pairs, containers, looped


def graphs(seed: int) -> Program:
    """The program of a seed."""
    return Graphs(seed).program()
