"""Names that no other object has, `uuid.uuid4()`: attributes, keys and texts beside what is differentiated."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest
from checks import agrees, agrees_in_value, value_of

import ccc


class Node:
    def __init__(self, value: Any) -> None:
        self.id = str(uuid.uuid4())
        self.value = value
        self.children: list[str] = []


class Graph:
    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}

    def add(self, value: Any, parent: Any = None) -> str:
        node = Node(value)
        self.nodes[node.id] = node
        if parent is not None:
            self.nodes[parent].children.append(node.id)
        return node.id

    def total(self, name: str) -> Any:
        node = self.nodes[name]
        return node.value + sum(self.total(child) for child in node.children)


@dataclass
class Task:
    hours: float
    id: uuid.UUID = field(default_factory=uuid.uuid4)


def of_graph(x: Any) -> Any:
    graph = Graph()
    root = graph.add(x)
    graph.add(x * x, graph.add(2.0 * x, root))
    return graph.total(root)


def of_tasks(x: Any) -> Any:
    first, second = Task(x), Task(x * x)
    short = f"{first.id}-{second.id.hex[:4]}"
    return first.hours * second.hours * len(short) if first.id != second.id and first.id == first.id else 0.0


def of_known(x: Any) -> Any:
    known = uuid.UUID("12345678-1234-5678-1234-56781234567F")
    return x, str(known), repr(known), known.hex, known.urn, known == uuid.UUID(known.hex)


@pytest.mark.parametrize("f", [of_graph, of_tasks], ids=lambda f: f.__name__)
def test_gradients_beside_unique_names(f: Any):
    agrees(f, 1.5)


def test_names_of_python_in_texts():
    agrees_in_value(of_known, 1.5)


def test_each_call_makes_another_name_of_pythons_class():
    def named(x: Any) -> Any:
        return x, {"a": uuid.uuid4(), "b": uuid.uuid4()}

    made = [name for _ in range(2) for name in value_of(named, 1.0)[1].values()]
    assert len(set(made)) == 4 and all(type(name) is uuid.UUID for name in made)


def test_an_argument_may_hold_one():
    task = Task(2.0)
    assert ccc.gradient(lambda task: task.hours**2 if task.id else 0.0)(task).hours == 4.0
