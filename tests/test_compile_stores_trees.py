"""Trees whose nodes have their children in dicts: made by paths, copied, merged and summed by recursion."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.compile.frontend import turns
from ccc.compile.frontend.regions import Regions


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.children: dict[Any, Any] = {}


def insert(root: Node, path: list[int], value: Any) -> None:
    node = root
    for key in path:
        if key not in node.children:
            node.children[key] = Node(0)
        node = node.children[key]
    node.value += value


def total(node: Node) -> Any:
    return node.value + sum(total(child) for child in node.children.values())


def copied(node: Node) -> Node:
    new = Node(node.value)
    for key, child in node.children.items():
        new.children[key] = copied(child)
    return new


def merge(a: Node, b: Node) -> None:
    a.value += b.value
    for key, child in b.children.items():
        if key in a.children:
            merge(a.children[key], child)
        else:
            a.children[key] = child


def halves(x: Any, depth: int) -> Node:
    node = Node(x)
    if depth > 0:
        for side in ("left", "right"):
            node.children[side] = halves(x * x, depth - 1)
    return node


def from_whole_numbers(x: Any) -> Any:
    """The number 0 of one place is a `float` where another place has NumPy's: one type holds both."""
    root = Node(0)
    for i in range(len(x)):
        insert(root, [i % 3, i], x[i] * i)
    return total(root) * total(root.children[1])


def copied_and_merged(x: float, n: int) -> Any:
    root = Node(x)
    for i in range(n):
        insert(root, [i, i % 2], x * i)
    other = copied(root)
    insert(other, [1, 5], x * x)
    merge(root, other)
    return total(root) * total(other) + len(root.children[1].children)


def trie(x: float, n: int) -> Any:
    """A dict holds dicts and numbers: what is done to an item is done to that which can do it, else Python raises."""
    root: dict[str, Any] = {}
    for i, word in enumerate(["to", "tea", "ten", "i"]):
        at = root
        for letter in word:
            at = at.setdefault(letter, {})
        at["$"] = x * (i + n)

    def weighted(at: dict[str, Any], depth: int) -> Any:
        found = 0.0
        for key, item in at.items():
            found += item * depth if key == "$" else weighted(item, depth + 1)
        return found

    return weighted(root, 0) * x


def trie_with_a_word_too_many(x: float, word: int) -> Any:
    root: dict[str, Any] = {}
    for text in ["a", "b", ("$", "a$")[word]]:
        at = root
        for letter in text:
            at = at.setdefault(letter, {})
        at["$"] = x
    return root["a"]["$"] * x


class Recent:
    def __init__(self, size: int) -> None:
        self.size = size
        self.held: dict[int, Any] = {}
        self.order: list[int] = []

    def put(self, key: int, value: Any) -> None:
        if key in self.held:
            self.order.remove(key)
        elif len(self.held) >= self.size:
            del self.held[self.order.pop(0)]
        self.held[key] = value
        self.order.append(key)


def recent(x: float, n: int) -> Any:
    """A list that is known to be empty is popped on a path that is not taken then."""
    cache = Recent(2)
    for i in range(n):
        cache.put(i * i % 3, x * i)
    return sum(cache.held.values()) * cache.order[0]


def shortest(x: float, n: int) -> Any:
    """Dicts of reals of different kinds are places of one type."""
    roads = {"a": {"b": x, "c": x * 2}, "b": {"c": x * x, "d": 3.0}, "c": {"d": x}, "d": {}}
    far = {name: float("inf") for name in roads}
    far["a"] = 0.0
    heap = [(0.0, "a")]
    while heap:
        way, name = heapq.heappop(heap)
        for other, step in roads[name].items():
            if way + step < far[other]:
                far[other] = way + step * n
                heapq.heappush(heap, (far[other], other))
    return sum(far.values())


def made_by_recursion(x: float, n: int) -> Any:
    return total(halves(x, 3)) * n


class Branch:
    def __init__(self, key: Any, value: Any) -> None:
        self.key = key
        self.value = value
        self.left: Branch | None = None
        self.right: Branch | None = None


class Sorted:
    """A tree that inserts by calling itself, and is iterated so."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.left: Sorted | None = None
        self.right: Sorted | None = None

    def insert(self, value: Any) -> None:
        side = "left" if value < self.value else "right"
        below = self.left if side == "left" else self.right
        if below is not None:
            below.insert(value)
        elif side == "left":
            self.left = Sorted(value)
        else:
            self.right = Sorted(value)

    def __iter__(self) -> Iterator[Any]:
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            for value in self.right:
                yield 1.0 * value


def in_order(x: float, n: int) -> Any:
    tree, found = Sorted(x), []
    for i in range(n):
        tree.insert(x * (2 * i % 3))
    for value in tree:
        found.append(value)
    return sum(i * value for i, value in enumerate(tree)) * found[1]


def inserted(branch: Branch | None, key: Any, value: Any) -> Branch:
    if branch is None:
        return Branch(key, value * value)
    if key < branch.key:
        branch.left = inserted(branch.left, key, value)
    elif key > branch.key:
        branch.right = inserted(branch.right, key, value)
    else:
        branch.value = value
    return branch


def search_tree(keys: list[float], values: list[float]) -> Branch | None:
    root = None
    for key, value in zip(keys, values, strict=True):
        root = inserted(root, key, value)
    return root


def smallest_removed(root: Branch | None) -> Branch | None:
    if root is None or root.left is None:
        return None if root is None else root.right
    root.left = smallest_removed(root.left)
    return root


def turned(values: list[float]) -> tuple[float, Branch | None]:
    """A chain that is turned round where it stands."""
    head, before = None, None
    for value in values:
        new = Branch(0.0, value * value)
        new.right, head = head, new
    while head is not None:
        head.right, before, head = before, head, head.right
    return sum(values), before


def shown(branch: Branch | None) -> Any:
    return branch and (branch.key, branch.value, shown(branch.left), shown(branch.right))


KEYS, VALUES = [5.0, 3.0, 8.0, 3.0, 9.0], [0.5, 1.5, -2.0, 0.75, 1.25]


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_trees_and_chains_that_are_given_back(backend: str) -> None:
    here, there = search_tree(KEYS, VALUES), search_tree(KEYS, VALUES)
    for f, args in [(inserted, (4.0, 2.0)), (inserted, (3.0, 2.0)), (smallest_removed, ())]:
        found, expected = ccc.compiled(f, backend=backend)(here, *args), f(there, *args)
        assert shown(found) == shown(expected)
        assert shown(here) == shown(there)  # the tree of the caller has changed as in plain Python
    assert ccc.compiled(smallest_removed, backend=backend)(Branch(1.0, 2.0)) is None
    (total, chain), pullback = ccc.value_with_pullback(turned, backend=backend)(VALUES)
    assert (total, shown(chain)) == (sum(VALUES), shown(turned(VALUES)[1]))
    assert pullback((2.0, chain)) == [2.0 + 2 * x**3 for x in VALUES]
    tree, pullback = ccc.value_with_pullback(search_tree, wrt="values", backend=backend)(KEYS, VALUES)
    assert shown(tree) == shown(search_tree(KEYS, VALUES))
    assert pullback(search_tree(KEYS, [1.0, 1.0, 1.0, 3.0, 1.0])) == [1.0, 0.0, -4.0, 3.0, 2.5]


def appended(values: list[float]) -> Any:
    """A chain that grows at its end, whose objects hold lists, and the object at its end."""
    head = last = None
    for value in values:
        new = Branch(0.0, [value])
        new.value.append(value * value)
        if last is None:
            head = new
        else:
            last.right = new
        last = new
    return head, last


@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.nightly)])
def test_chains_that_are_given_back_may_be_longer_than_calls_nest(backend: str) -> None:
    """Each object of a chain leads to one other, so loops make it, take its cotangent and go through that."""
    values = [0.25 * (i % 7) for i in range(20_000)]
    (chain, end), pullback = ccc.value_with_pullback(appended, backend=backend)(values)
    assert end.value == [values[-1], values[-1] ** 2] and end.right is None
    found = []
    while chain is not None:
        found.append(chain.value)
        chain = chain.right
    assert found == [[x, x * x] for x in values]
    ct = None
    for i in reversed(range(len(values))):
        new = Branch(0.0, [float(i), 2.0])
        new.right, ct = ct, new
    assert pullback((ct, Branch(0.0, [0.0, 1.0]))) == [
        i + 4.0 * x + (2.0 * x if i == len(values) - 1 else 0.0) for i, x in enumerate(values)]


class Folder:
    def __init__(self, size: Any, inside: list[Any], named: dict[str, Any] | None = None) -> None:
        self.size = size
        self.inside = inside
        self.named = named or {}


def packed(folder: Folder, x: Any) -> Folder:
    """A tree of the caller with its children in lists and dicts, changed and given back."""
    folder.size = folder.size * x
    for one in [*folder.inside, *folder.named.values()]:
        packed(one, x)
    return folder


def filled(folder: Folder, x: Any) -> Folder:
    folder.inside.append(Folder(x, []))
    folder.inside[0].inside.append(Folder(x * x, []))
    return packed(folder, x)


def sizes(folder: Folder) -> Any:
    return folder.size, list(map(sizes, folder.inside)), {k: sizes(v) for k, v in folder.named.items()}


@dataclass
class Part:
    name: str
    cost: float
    inside: dict[str, Part] = field(default_factory=dict[str, "Part"])
    top: Part | None = None


def assembled(part: Part, x: float) -> Part:
    for one in part.inside.values():
        one.top = None
        part.cost += assembled(one, x).cost
    part.cost *= x
    return part


def renamed(part: Part, x: float) -> Part:
    """Where the texts of some are known and those of others are not, a text is in all of them."""
    moved = part.inside.pop("wheel")
    moved.name = "new"
    moved.inside["old"] = Part("old", moved.cost * x)
    part.inside["new"] = moved
    return part


def chained(costs: list[float], x: float) -> Part:
    """Objects with texts that are not known, each in a dict of the one before."""
    root = last = Part("root", x)
    for i, cost in enumerate(costs):
        last.inside["next"] = new = Part(str(i), cost * x)
        last = new
    return root


def test_trees_in_dicts_are_given_back_whatever_their_keys() -> None:
    def made() -> Part:
        return Part("car", 1.0, {"wheel": Part("wheel", 2.0, {"bolt": Part("bolt", 0.1)}), "door": Part("door", 3.0)})

    for f in (assembled, renamed):
        here, there = made(), made()
        assert ccc.compiled(f)(here, 1.5) == f(there, 1.5) and here == there
    for exponential in (ccc.Delta(), ccc.AdditiveMap()):
        value, pullback = ccc.value_with_pullback(chained, exponential=exponential)([1.0, 2.0], 3.0)
        assert value == chained([1.0, 2.0], 3.0)
        assert pullback(chained([5.0, 7.0], 1.0)) == ([15.0, 21.0], 1.0 + 5.0 + 2 * 7.0)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_trees_with_children_in_lists_and_dicts_that_are_given_back(backend: str) -> None:
    def made(of: Any = float) -> Folder:
        return Folder(of(1.0), [Folder(of(2.0), []), Folder(of(3.0), [Folder(of(4.0), [])])])

    def named() -> Folder:
        return Folder(1.0, [], {"a": Folder(2.0, []), "b": Folder(3.0, [], {"c": Folder(4.0, [])})})

    for f, tree in [(filled, made), (packed, named)]:
        here, there = tree(), tree()
        assert sizes(ccc.compiled(f, backend=backend)(here, 2.0)) == sizes(f(there, 2.0))
        assert sizes(here) == sizes(there)
    value, pullback = ccc.value_with_pullback(packed, backend=backend)(made(), 2.0)
    assert sizes(value) == sizes(packed(made(), 2.0))
    ct, slope = pullback(made(lambda _: 1.0))
    assert sizes(ct) == sizes(made(lambda _: 2.0)) and slope == 10.0


def test_what_leads_to_itself_has_no_end_where_it_is_given_back() -> None:
    def there_and_back(values: list[float]) -> Branch:
        root = Branch(0.0, values[0])
        at = root
        for value in values:
            new = Branch(1.0, value)
            new.left, at.right, at = at, new, new
        return root

    with pytest.raises(RecursionError):
        ccc.compiled(there_and_back)(VALUES)


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [trie, recent, shortest, copied_and_merged, made_by_recursion, in_order])
def test_trees_in_dicts(f: Callable[..., Any]) -> None:
    agrees(f, 0.8, 5, second=False)


@pytest.mark.nightly
def test_a_tree_whose_nodes_are_numbered() -> None:
    agrees(from_whole_numbers, np.array([0.8, 1.1, 0.4, 0.7, 1.5]), second=False)


def test_what_stands_at_another_key_than_thought() -> None:
    for word in (0, 1):
        agrees_in_value(trie_with_a_word_too_many, 0.7, word)


def test_a_reading_that_learns_nothing_is_the_last() -> None:
    regions, asked = Regions(), []

    def reading(found: Regions | None) -> None:
        asked.append(found)
        regions.grew = True

    assert turns.settled(reading, regions) is None
    assert len(asked) == 1
