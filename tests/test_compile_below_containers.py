"""Classes of users below `list`, `dict` and the containers of `collections`, and classes that say how attributes are
assigned."""

from __future__ import annotations

import collections
import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError

T = TypeVar("T")
TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


class Names(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__  # type: ignore[assignment]


class Lower(dict):
    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key.lower(), value)

    def __getitem__(self, key: str) -> Any:
        return dict.__getitem__(self, key.lower())


class Missing(dict):
    def __missing__(self, key: str) -> float:
        value = self[key] = len(key) * 1.0
        return value


class Stack(list):
    scale: ClassVar[float] = 2.0

    def push(self, x: Any) -> Any:
        self.append(x)
        return self

    @property
    def top(self) -> Any:
        return self[-1] * self.scale


class Polynomial(list):
    def __call__(self, x: Any) -> Any:
        y = 0.0
        for c in reversed(self):
            y = y * x + c
        return y

    def __add__(self, other: Any) -> Any:
        return Polynomial([a + b for a, b in zip(self, other, strict=False)])

    def __mul__(self, other: Any) -> Any:
        made = Polynomial([0.0] * (len(self) + len(other) - 1))
        for i, a in enumerate(self):
            for j, b in enumerate(other):
                made[i + j] += a * b
        return made


class Named(list):
    def __init__(self, name: str, items: Any) -> None:
        self.name = name
        self.weight = 2.0
        list.__init__(self, items)

    def total(self) -> Any:
        return self.weight * sum(self)


class Longer(Named):
    def total(self) -> Any:
        return super().total() + len(self)


class Typed(list, Generic[T]):
    def first(self) -> Any:
        return self[0]


class Sums(collections.defaultdict):
    def total(self) -> Any:
        return sum(self.values())


class Ordered(collections.OrderedDict):
    def last(self) -> Any:
        return list(self.values())[-1]


class Bare(list):
    def __init__(self, n: int) -> None:
        self.n = n


def names(x: Any) -> Any:
    p: Any = Names(a=x, b=2.0)
    p.c = x * x
    p["d"] = 3 * x
    return p.a * p.b + p.c + p.d + (x if p.e is None else 0.0)


def lower(x: Any) -> Any:
    p = Lower()
    p["A"] = x
    p["b"] = x * x
    return p["a"] * p["B"] + sum(p.values()) + len(p) * x


def missing(x: Any) -> Any:
    p = Missing(a=x)
    return p["abc"] * x + p["a"] + len(p) * x


def stack(x: Any) -> Any:
    s = Stack()
    s.push(x).push(x * x).push(3.0)
    s.pop()
    return s[-1] * s.top + sum(s) + max(s)


def polynomial(x: Any) -> Any:
    p = Polynomial([1.0, x, 2.0])
    q = p * Polynomial([x, 1.0]) + Polynomial([1.0, 1.0, 1.0, x])
    return q(0.7) * q[1] + len(q) * x


def inherited(x: Any) -> Any:
    n = Longer("k", [x, x * x])
    n.extend([2.0 * x])
    return n.total() * (1.0 if n.name == "k" else 9.0) + n.weight * x


def of_others(x: Any) -> Any:
    d = Sums(float)
    d["a"] += x
    d["b"] += x * x
    o = Ordered([("a", x), ("b", x * x)])
    o.move_to_end("a")
    n = Bare(3)
    n.append(x)
    return d.total() + o.last() * 3 + o["b"] + Typed[float]([x, 2.0]).first() ** 2 + sum(n) * n.n


def loops(x: Any) -> Any:
    s = Stack()
    for i in range(5):
        s.append(x * i)
    y = Stack([x])
    if x > 1.0:
        y.push(x * x)
    else:
        y.push(2.0)
    total = y.top
    while s:
        total = total * x + s.pop()
    return total


def asked(x: Any) -> Any:
    s = Stack([x])
    p = Names(a=x)
    classes = isinstance(s, list) + 2 * isinstance(s, Stack) + 4 * isinstance(p, dict) + 8 * isinstance(s, dict)
    equal = (Stack([1.0]) == [1.0]) + 2 * (Names(a=1.0) == {"a": 1.0}) + 4 * (Stack([1.0]) == [1.0])
    return x * classes + x * equal + (x if type(s) is Stack else 0.0) + (3 * x if Stack() else 5 * x)


def sliced(x: Any) -> Any:
    s = Stack([x, 2.0, x * x])
    t = [*s[1:], x, *s]
    t.sort()
    s += [x]
    s *= 2
    s[0] = 3.0 * x
    del s[1]
    s.reverse()
    return t[0] + 2 * t[1] + 3 * t[-1] + sum(sorted(s, reverse=True)[:2]) + s.index(x) * x + s.top


def as_arrays(x: Any) -> Any:
    s = Stack([x, 2.0, x * x])
    return np.sum(np.array(s) ** 2) + np.dot(s, s) + np.mean(s)


def spread(x: Any) -> Any:
    def product(u: Any, v: Any) -> Any:
        return u * v

    a, b = Stack([x, x * x])
    return a * b + product(*Stack([x, 3.0])) + product(**Names(u=x, v=x)) + product(**collections.OrderedDict(u=x, v=x))


def merged(x: Any) -> Any:
    p = Names(a=x, b=x * x)
    q = {**p, "c": 2.0}
    r = dict(p)
    r["a"] = 5.0
    t = p | {"a": 3 * x}
    return sum(q.values()) + r["a"] * x + p["a"] + t["a"] + ("a" in p) * x + p.get("z", x) + p.pop("b") + len(p) * x


def shared(x: Any) -> Any:
    s = Stack([x])
    t = s
    t.append(x * x)
    u = s.copy()
    u.append(1.0)
    w = Stack(s)
    w.append(3.0)
    v = copy.deepcopy(s)
    v[0] = 7.0 * x
    return sum(s) + 10 * sum(u) + 100 * sum(w) + 1000 * sum(v) + len(s) * x


def many(x: Any) -> Any:
    ps: list[Any] = [Names(m=x * i, v=i * 1.0) for i in range(1, 4)]
    for p in ps:
        p.m = p.m * 2
        p["v"] += x
    return sum(p.m * p.v for p in ps)


def local(x: Any) -> Any:
    class Path(list):
        def length(self) -> Any:
            return sum(abs(a - b) for a, b in itertools.pairwise(self))

    return Path([x, 3.0, x * x]).length()


def texts(x: Any) -> Any:
    d: Any = collections.defaultdict(list)
    d["a"].append(1)
    s = set()
    s.add(1)
    o = collections.OrderedDict(a=1)
    shown = [str(collections.deque([1, 2])), f"{collections.deque([1], maxlen=3)}", repr(collections.Counter("aab")),
             str(d), str(s), str(o), str(Stack([1, 2])), f"{Names(a=1)}", f"{[Stack([1])]}"]
    return x * sum([len(text) * i for i, text in enumerate(shown)])


class Histogram(dict):
    def add(self, key: str, value: Any) -> Any:
        self[key] = self.get(key, 0.0) + value
        return self

    def __add__(self, other: Any) -> Any:
        made = Histogram(self)
        for key, value in other.items():
            made.add(key, value)
        return made


class Settings(dict):
    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Logged(list):
    def append(self, x: Any) -> None:
        super().append(2 * x)


def copies(x: Any) -> Any:
    h = Histogram(a=x)
    other = copy.copy(h)
    other.add("a", 1.0)
    deep = copy.deepcopy(h)
    deep.add("b", x)
    d = Sums(float)
    d["a"] += x
    e = d.copy()
    e["b"] += 1.0
    s = Stack([x])
    t = copy.copy(s)
    t.push(x * x)
    return h["a"] + other["a"] * 2 + sum((h + deep).values()) * 3 + d.total() + 10 * e.total() + len(s) * t.top


def settings(x: Any) -> Any:
    c = Settings(rate=x, inner=Settings(w=2.0))
    c.rate *= 2
    c.inner.w += x
    c.z = c.rate * c.inner.w
    return c.z + c["rate"] + (1.0 if hasattr(c, "q") else x) + getattr(c, "q", x * x)


@pytest.mark.parametrize("f", [
    copies, settings, names, lower, missing, stack, polynomial, inherited, of_others, loops, asked, sliced, as_arrays,
    spread, merged, shared, many, local, texts])
def test_classes_below_containers_are_read(f: Callable[..., Any]):
    agrees(f, 1.3)


@TARGETS
def test_objects_below_containers_are_given_to_the_caller(backend: str):
    def made(x: Any) -> Any:
        n = Named("k", [x, x * x])
        n.weight = x
        return n, Names(a=x)

    n, p = ccc.compiled(made, backend=backend)(2.0)
    assert (type(n), n, n.name, n.weight, n.total()) == (Named, [2.0, 4.0], "k", 2.0, 12.0)
    assert (type(p), p) == (Names, {"a": 2.0})


def test_what_changes_in_a_class_below_a_list_is_read_anew(monkeypatch: pytest.MonkeyPatch):
    def f(x: Any) -> Any:
        return Stack([x, 3 * x]).top * len(Stack([x]))

    g = ccc.gradient(f)
    assert g(2.0) == 6.0
    monkeypatch.setattr(Stack, "scale", 5.0)
    assert g(2.0) == 15.0
    monkeypatch.setattr(Stack, "top", property(lambda s: s[0] * 7))
    assert g(2.0) == 7.0
    monkeypatch.setattr(Stack, "__len__", lambda s: 3, raising=False)
    assert g(2.0) == 21.0


class Twice:
    v: Any

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)


class InDict:
    v: Any

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value * 2


class Checked:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise AttributeError(name)
        super().__setattr__(name, value)


class Behind:
    _value: Any = 1.0

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value * 2

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)


@dataclass
class Doubled:
    x: float

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)


def assigned(x: Any) -> Any:
    a, b, c, d = Twice(), InDict(), Checked(x), Doubled(x)
    a.v = x
    a.v += x
    b.v = x
    c.x *= 3
    d.x += 1.0
    behind = Behind()
    behind.value = x
    return a.v * b.v * c.x * d.x + behind.value


def test_what_a_class_does_where_attributes_are_assigned_is_done():
    agrees(assigned, 1.3)


class Shares(dict):
    a: Any

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.__dict__ = self


def test_an_assigned_dict_of_attributes_is_refused():
    with pytest.raises(CompileError, match=r"`__dict__` is assigned(.|\n)*give the class `def __getattr__"):
        ccc.gradient(lambda x: Shares(a=x).a)(1.0)


def test_copies_that_python_fills_by_methods_of_ones_own_are_refused():
    with pytest.raises(CompileError, match="has its own `append`"):
        ccc.gradient(lambda x: sum(copy.copy(Logged([x]))))(1.0)


def test_patterns_of_the_items_of_other_containers_are_refused():
    def items(of: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            match of(x):
                case [a, b]:
                    return a * b
                case {"a": v}:
                    return v
            return 0.0

        return f

    kinds: list[Callable[[Any], Any]] = [
        lambda x: Stack([x, 2.0]), lambda x: collections.deque([x, 2.0]), lambda x: Names(a=x),
        lambda x: collections.OrderedDict(a=x)]
    for of in kinds:
        with pytest.raises(CompileError, match="a pattern of the items of a"):
            ccc.gradient(items(of))(1.0)


class Weights(dict):
    rate: float

    def total(self) -> Any:
        return sum(v * v for v in self.values())


class Own(dict):
    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.__dict__ = self


def weighed(p: Any) -> Any:
    return p["a"] ** 2 * p["b"] + sum(p.values()) * len(p)


def below_containers(*xs: float) -> list[Any]:
    a, b = xs
    return [collections.OrderedDict(a=a, b=b), collections.defaultdict(float, a=a, b=b), Weights(a=a, b=b),
            collections.Counter({"a": a, "b": b})]  # type: ignore[dict-item]


@TARGETS
@pytest.mark.parametrize("which", range(4))
def test_containers_of_users_are_arguments(which: int, backend: Any):
    p, d = below_containers(1.5, 2.0)[which], below_containers(0.5, -1.0)[which]
    found = ccc.gradient(weighed, backend=backend)(p)
    assert type(found) is type(p) and dict(found) == {"a": 2 * 1.5 * 2.0 + 2, "b": 1.5**2 + 2}
    assert ccc.jvp(weighed, (p,), (d,), backend=backend)[1] == 0.5 * found["a"] - found["b"]
    second = ccc.hvp(weighed, backend=backend)(p, d)
    assert dict(second) == {"a": 0.5 * 2 * 2.0 - 2 * 1.5, "b": 0.5 * 2 * 1.5}
    assert ccc.compiled(lambda p: p, backend=backend)(p) == p


@TARGETS
def test_containers_of_users_may_stand_in_others(backend: Any):
    def f(net: Any, x: Any) -> Any:
        for layer in net["layers"]:
            x = np.tanh(layer["w"] * x + layer["b"])
        return x * net["scale"].total() * sum(net["past"])

    layers = [collections.OrderedDict(w=0.5, b=0.1), collections.OrderedDict(w=0.3, b=-0.2)]
    net: Any = collections.OrderedDict(layers=layers, scale=Weights(a=1.2), past=collections.deque([1.0, 2.0], 3))
    plain = {"layers": [dict(layer) for layer in layers], "scale": dict(net["scale"]), "past": [1.0, 2.0]}
    found = ccc.gradient(f, wrt="net", backend=backend)(net, 0.7)
    wanted = ccc.gradient(lambda net, x: f({**net, "scale": Weights(**net["scale"])}, x), wrt="net")(plain, 0.7)
    assert type(found) is collections.OrderedDict and type(found["past"]) is collections.deque
    assert [type(layer) for layer in found["layers"]] == [collections.OrderedDict] * 2
    assert found["layers"] == wanted["layers"] and list(found["past"]) == wanted["past"]
    assert dict(found["scale"]) == wanted["scale"]


RATES = collections.OrderedDict(a=2.0, b=3.0)


def test_a_container_of_users_outside_is_read_and_not_changed():
    agrees(lambda x: sum([r * x**i for i, r in enumerate(RATES.values())]) * RATES["a"], 1.3)

    def changes(x: Any) -> Any:
        RATES["c"] = x
        return RATES["c"] * x

    with pytest.raises(CompileError, match="`RATES` is of class `OrderedDict`, or stands in one of it"):
        ccc.gradient(changes)(2.0)
    assert list(RATES) == ["a", "b"]


def test_attributes_of_containers_of_users_are_parts():
    p = Weights(a=1.5)
    p.rate = 0.5
    found = ccc.gradient(lambda p: p.total() * p.rate)(p)
    assert found["a"] == 1.5 and found.rate == 2.25


def test_a_dict_that_is_its_own_attributes_is_refused():
    with pytest.raises(ccc.CCCError, match=r"`__dict__` of a Own is the dict itself"):
        ccc.gradient(lambda p: p.a)(Own(a=1.0))
