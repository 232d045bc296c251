"""Classes of one's own: state, operators, protocols, enumerations, patterns, classes in functions."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import abc
import enum
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

from users_checks import agrees_with_python


def check_local_class() -> None:

    def f(x):

        class Point:
            def __init__(self, a, b):
                self.a = a
                self.b = b

            def norm(self):
                return self.a**2 + self.b**2

        return Point(x, 2.0).norm()

    agrees_with_python(f, 1.5)


def check_local_dataclass() -> None:

    def f(x):

        @dataclass
        class P:
            a: float
            b: float = 2.0

        p = P(x)
        return p.a * p.b

    agrees_with_python(f, 1.5)


def check_local_namedtuple() -> None:

    def f(x):
        P = namedtuple("P", "x y")
        p = P(x, y=2.0)
        q = p._replace(x=x * x)
        return p.x * p.y + q.x

    agrees_with_python(f, 1.5)


def check_namedtuple_state() -> None:

    class State(NamedTuple):
        pos: float
        vel: float

        @property
        def energy(self):
            return 0.5 * self.vel**2 + 0.5 * self.pos**2

    def step(s, dt=0.1):
        v = s.vel - dt * s.pos
        return s._replace(pos=s.pos + dt * v, vel=v)

    def f(x):
        s = State(x, 0.0)
        for _ in range(5):
            s = step(s)
        return s.energy + sum(s)

    agrees_with_python(f, 1.5)


def check_enum_flag_auto() -> None:

    class Color(enum.IntEnum):
        R = enum.auto()
        G = enum.auto()

    class Perm(enum.Flag):
        A = enum.auto()
        B = enum.auto()

    def f(x):
        p = Perm.A | Perm.B
        return x * Color.G + (x * x if Perm.A in p else 0.0)

    agrees_with_python(f, 1.5)


def check_protocol() -> None:

    class Potential(Protocol):
        def __call__(self, x: float) -> float: ...

        def name(self) -> str: ...

    @dataclass
    class Well:
        k: float

        def __call__(self, x):
            return 0.5 * self.k * x * x

        def name(self):
            return "well"

    def force(p: Potential, x: float) -> float:
        return -(p(x + 0.001) - p(x - 0.001)) / 0.002

    def f(x):
        return force(cast(Potential, Well(2.0)), x)

    agrees_with_python(f, 0.5)


def check_abc_template() -> None:

    class Integrator(abc.ABC):
        @abc.abstractmethod
        def step(self, f, y, h): ...

        def run(self, f, y, n, h):
            for _ in range(n):
                y = self.step(f, y, h)
            return y

    class Euler(Integrator):
        def step(self, f, y, h):
            return y + h * f(y)

    class Heun(Integrator):
        def step(self, f, y, h):
            k = f(y)
            return y + h / 2 * (k + f(y + h * k))

    def f(a):
        return sum((m.run(lambda y: -a * y, 1.0, 4, 0.1) for m in (Euler(), Heun())))

    agrees_with_python(f, 0.5)


def check_quaternion() -> None:

    @dataclass(frozen=True)
    class Q:
        w: float
        x: float
        y: float
        z: float

        def __mul__(self, o):
            return Q(
                self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
                self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
                self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
                self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
            )

        @property
        def conj(self):
            return Q(self.w, -self.x, -self.y, -self.z)

        def rotate(self, v):
            r = self * Q(0.0, *v) * self.conj
            return (r.x, r.y, r.z)

    def f(a):
        q = Q(math.cos(a / 2), 0.0, 0.0, math.sin(a / 2))
        x, y, z = q.rotate((1.0, 2.0, 3.0))
        return x + 2 * y

    agrees_with_python(f, 0.5)


def check_stack_queue() -> None:

    class Stack:
        def __init__(self):
            self._items = []

        def push(self, x):
            self._items.append(x)

        def pop(self):
            return self._items.pop()

        def __len__(self):
            return len(self._items)

        def __bool__(self):
            return bool(self._items)

    def f(x):
        s = Stack()
        for k in range(4):
            s.push(x * k)
        t = 0.0
        while s:
            t = t * 0.5 + s.pop()
        return t

    agrees_with_python(f, 3.0)


def check_linked_list() -> None:

    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.nxt = nxt

    def build(xs):
        return None if not xs else Node(xs[0], build(xs[1:]))

    def f(xs):
        n = build(xs)
        t = 0.0
        w = 1.0
        while n is not None:
            t += w * n.v
            w *= 2
            n = n.nxt
        return t * t

    agrees_with_python(f, [1.0, 2.0, 3.0])


def check_bst_insert() -> None:

    @dataclass
    class N:
        key: float
        left: "N|None" = None
        right: "N|None" = None

    def insert(t, k):
        if t is None:
            return N(k)
        if k < t.key:
            t.left = insert(t.left, k)
        else:
            t.right = insert(t.right, k)
        return t

    def inorder(t):
        return [] if t is None else inorder(t.left) + [t.key] + inorder(t.right)

    def f(xs):
        t = None
        for x in xs:
            t = insert(t, x)
        return sum(((i + 1) * v for i, v in enumerate(inorder(t))))

    agrees_with_python(f, [2.0, 1.0, 3.0])


def check_match_commands() -> None:

    def run(x, program):
        for cmd in program:
            match cmd:
                case ["push", v]:
                    x = x + v
                case ["mul", k, *rest] if not rest:
                    x = x * k
                case ["mul", k, *rest]:
                    x = x * k * len(rest)
                case {"op": "neg", "times": int(n)}:
                    for _ in range(n):
                        x = -x
                case "half" | "halve":
                    x = x / 2
                case _:
                    raise ValueError(cmd)
        return x

    def f(x):
        return run(x, [["push", 2.0], ["mul", 3.0], ["mul", 2.0, 1, 1], {"op": "neg", "times": 1}, "half"])

    agrees_with_python(f, 1.1)


def check_match_no_default() -> None:

    def kind(x):
        match x:
            case 0:
                return "zero"
            case float():
                return "real"

    def f(x):
        if kind(x) == "real":
            return x * 2
        return x

    agrees_with_python(f, 1.1)


def check_expr_tree() -> None:

    @dataclass
    class Num:
        v: float

    @dataclass
    class Var_:
        name: str

    @dataclass
    class Bin:
        op: str
        l: Any
        r: Any

    def ev(e, env):
        match e:
            case Num(v):
                return v
            case Var_(n):
                return env[n]
            case Bin("+", l, r):
                return ev(l, env) + ev(r, env)
            case Bin("*", l, r):
                return ev(l, env) * ev(r, env)
            case Bin(op=op):
                raise SyntaxError(op)

    t = Bin("+", Bin("*", Num(2.0), Var_("x")), Bin("*", Var_("x"), Var_("y")))

    def f(env):
        return ev(t, env)

    agrees_with_python(f, {"x": 1.5, "y": 2.0})


def check_slots_weakref() -> None:

    class P:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x = x
            self.y = y

        def __eq__(self, o):
            return isinstance(o, P) and (self.x, self.y) == (o.x, o.y)

        def __hash__(self):
            return hash((self.x, self.y))

    def f(x):
        p = P(x, 1.0)
        q = P(x, 1.0)
        return p.x * p.y * 2 if p == q else x

    agrees_with_python(f, 1.1)


def check_property_vector_matmul() -> None:

    class M:
        def __init__(self, rows):
            self.rows = rows

        def __matmul__(self, o):
            return M([[sum((a * b for a, b in zip(r, c))) for c in zip(*o.rows)] for r in self.rows])

        def __getitem__(self, ij):
            i, j = ij
            return self.rows[i][j]

        def trace(self):
            return sum((self[i, i] for i in range(len(self.rows))))

    def f(a):
        return (M([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) @ M([[1.0, 2.0], [3.0, 4.0]])).trace()

    agrees_with_python(f, 1.2)


def check_methods_that_read_the_function() -> None:

    def f(x):
        k = 2.0 * x

        class P:
            def __init__(self, a):
                self.a = a * k

            def get(self):
                return self.a * x

        p = P(3.0)
        q = P(x)
        k = 7.0
        r = P(1.0)
        return p.get() + q.get() * r.get()

    agrees_with_python(f, 1.5)


def check_local_inheritance() -> None:

    def f(x):

        class A:
            def __init__(self, a):
                self.a = a

            def get(self):
                return self.a * x

        class B(A):
            def __init__(self, a):
                super().__init__(a + 1)

            def get(self):
                return super().get() * 2

        return B(x).get()

    agrees_with_python(f, 1.5)


def check_local_enumeration() -> None:

    def f(x):

        class Mode(enum.Enum):
            A = "a"
            B = "b"

        class Row(NamedTuple):
            m: Mode
            v: float

        rows = [Row(Mode.A, x), Row(Mode.B, x * x)]
        return sum((r.v for r in rows if r.m is Mode.B))

    agrees_with_python(f, 1.5)


def check_local_exception() -> None:

    def f(x):

        class TooBig(Exception):
            pass

        try:
            if x > 1:
                raise TooBig("x")
            return x
        except TooBig as e:
            return x * 2

    agrees_with_python(f, 1.5)
