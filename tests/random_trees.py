"""Random functions over trees, and statements that make trees: of shapes that are not in the types."""

from __future__ import annotations

from collections.abc import Callable

from random_functions import Functions
from random_scope import CALLER, FLOAT, INT, Kind
from random_statements import Choice

TREE: Kind = ("tree",)

CLASSES = """@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"

"""


class Trees(Functions):
    """Each method writes one function of the module or one statement."""

    def choices(self, depth: int) -> list[Choice]:
        found = super().choices(depth)
        if "trees" in self.themes and depth < 4:
            found += [(1.0, self.tree), (0.5 if self.named(TREE) else 0.0, self.traversed)]
        return found

    def shape(self, depth: int, number: Callable[[], object]) -> str:
        """The text of a tree with the numbers in its leaves."""
        if depth == 0 or self.r.random() < 0.4:
            return f"Leaf({number()})"
        return f"Node({self.shape(depth - 1, number)}, {self.shape(depth - 1, number)})"

    def a_tree(self) -> str:
        trees = self.named(TREE)
        return self.r.choice([self.shape(2, self.leaf), *trees, *trees])

    # -- the module ------------------------------------------------------------------------------------------------

    def helpers(self) -> None:
        """The classes, a fold, and functions that give a tree for a tree."""
        super().helpers()
        if "trees" not in self.themes:
            return
        self.features.add("trees")
        self.lines += CLASSES.splitlines()
        module = {n: k for n, k in self.scope.items() if n in ("SHIFT", "TABLE")}
        with self.without({*self.scope} - {*module}):
            self.fold()
            self.maps()
        for name in ("depth_first", "largest"):
            self.forms[name] = lambda name=name: f"{name}({self.a_tree()})"
            self.bind(name, CALLER)

    def fold(self) -> None:
        r = self.r
        self.lines += ["", "def depth_first(tree):"]
        with self.block({"a": FLOAT, "b": FLOAT}):
            if r.random() < 0.4:
                self.line(1, "match tree:")
                self.line(2, "case Leaf(a):")
                self.line(3, f"return {self.squashed('a')}")
                self.line(2, "case Node(left=p, right=q):")
                self.line(3, "a, b = depth_first(p), depth_first(q)")
                self.line(3, f"return {self.squashed(self.float_(2))}")
            else:
                self.line(1, "if isinstance(tree, Leaf):")
                self.line(2, f"return {self.squashed('tree.value')}")
                self.line(1, "a, b = depth_first(tree.left), depth_first(tree.right)")
                self.line(1, f"return {self.squashed(self.float_(2))}")
        self.lines += [
            "",
            "",
            "def largest(tree):",
            "    if isinstance(tree, Leaf):",
            "        return tree.value",
            "    return max(largest(tree.left), largest(tree.right))",
            "",
            "",
        ]

    def maps(self) -> None:
        with self.block({"tree.value": FLOAT, "t": FLOAT}):
            mapped = self.squashed(self.float_(2))
        with self.block({"t": FLOAT, "k": INT}):
            left, right = self.squashed(self.float_(1)), self.squashed(self.float_(1))
        self.lines += [
            "def retold(tree, t):",
            "    if isinstance(tree, Leaf):",
            f"        return Leaf({mapped})",
            f"    return Node({self.r.choice(('retold(tree.left, t)', 'tree.right'))}, retold(tree.right, 0.5 * t))",
            "",
            "",
            "def inserted(tree, t):",
            "    if isinstance(tree, Leaf):",
            "        return Node(Leaf(t), tree) if t < tree.value else Node(tree, Leaf(t))",
            "    if t < largest(tree.left):",
            "        return Node(inserted(tree.left, t), tree.right)",
            "    return Node(tree.left, inserted(tree.right, t))",
            "",
            "",
            "def sprouted(t, k):",
            "    if k <= 0:",
            "        return Leaf(t)",
            f"    return Node(sprouted({left}, k - 1), {self.r.choice(('Leaf(t)', f'sprouted({right}, k - 2)'))})",
            "",
            "",
        ]

    # -- statements ------------------------------------------------------------------------------------------------

    def tree(self, depth: int) -> None:
        """A tree from a tree, or one that a loop or a recursion makes."""
        r = self.r
        self.features.add("tree made")
        name = self.target(TREE, "tree")
        roll = r.random()
        if roll < 0.6:
            options = [
                self.shape(2, self.leaf),
                f"retold({self.a_tree()}, {self.float_(1)})",
                f"inserted({self.a_tree()}, {self.float_(1)})",
                f"sprouted({self.float_(1)}, {self.small()})",
                f"Node({self.a_tree()}, {self.a_tree()})",
                f"({self.a_tree()} if {self.test(1)} else {self.a_tree()})",
            ]
            self.line(depth, f"{name} = {r.choice(options)}")
        else:
            u = self.fresh("u")
            over = r.choice([*self.of_sort("list"), *self.of_sort("vector"), f"range({self.small()})"])
            self.line(depth, f"{name} = {self.shape(1, self.leaf)}")
            self.line(depth, f"for {u} in {over}:")
            with self.block({u: FLOAT, name: TREE}):
                step = r.choice(
                    (
                        f"Node({name}, Leaf({self.squashed(self.float_(1))}))",
                        f"inserted({name}, {self.float_(1)})",
                        f"retold({name}, {self.leaf()})",
                        f"{name} if {self.test(1)} else Node(Leaf({u}), {name})",
                    )
                )
                self.line(depth + 1, f"{name} = {step}")
        self.bind(name, TREE)
        t = self.fresh("t")
        self.line(depth, f"{t} = {r.choice(('depth_first', 'depth_first', 'largest'))}({name})")
        self.bind(t, FLOAT)

    def traversed(self, depth: int) -> None:
        """A walk along a tree with a stack of what is left to visit, or down to one of its leaves."""
        r = self.r
        self.features.add("traversal")
        node, total = self.fresh("node"), self.fresh("s")
        tree = r.choice(self.named(TREE))
        if r.random() < 0.5:
            stack = self.fresh("stack")
            self.line(depth, f"{total}, {stack} = {self.leaf()}, [{tree}]")
            self.line(depth, f"while {stack}:")
            self.line(depth + 1, f"{node} = {stack}.pop()")
            self.line(depth + 1, f"if isinstance({node}, Leaf):")
            with self.block({f"{node}.value": FLOAT, total: FLOAT}):
                self.line(depth + 2, f"{total} = {self.squashed(f'{total} + {self.float_(2)}')}")
            self.line(depth + 1, "else:")
            self.line(depth + 2, f"{stack}.append({node}.left)")
            self.line(depth + 2, f"{stack}.append({node}.right)")
        else:
            self.line(depth, f"{total}, {node} = {self.leaf()}, {tree}")
            self.line(depth, f"while isinstance({node}, Node):")
            with self.block({total: FLOAT}):
                self.line(depth + 1, f"{total} = {self.squashed(self.float_(2))}")
                self.line(depth + 1, f"{node} = {node}.left if {self.test(1)} else {node}.right")
            self.line(depth, f"{total} = {total} * {node}.value")
        self.bind(total, FLOAT)
