"""Closures, decorators, caches, dispatch and recursion."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import functools
import math
import operator
from collections import defaultdict

import numpy as np
from users_checks import agrees_with_python


def check_late_binding_default() -> None:

    def f(x):
        fs = [lambda y, k=k: y**k for k in range(4)]
        return sum((g(x) for g in fs))

    agrees_with_python(f, 1.5)


def check_late_binding_loop() -> None:

    def f(x):
        fs = []
        for k in (1.0, 2.0, 3.0):
            fs.append(lambda y: y * k)
        return fs[0](x) * fs[1](x)

    agrees_with_python(f, 1.5)


def check_closure_counter() -> None:

    def make():
        n = 0

        def inc(x):
            nonlocal n
            n += 1
            return x * n

        return inc

    def f(x):
        c = make()
        return c(x) + c(x * x) + c(1.0)

    agrees_with_python(f, 1.5)


def check_compose_star() -> None:

    def compose(*fs):

        def h(x):
            for g in reversed(fs):
                x = g(x)
            return x

        return h

    agrees_with_python(lambda x: compose(math.sin, math.exp, lambda y: y * 2)(x), 0.3)


def check_cached_property() -> None:

    class Gauss:
        def __init__(self, mu, s):
            self.mu = mu
            self.s = s

        @functools.cached_property
        def norm(self):
            return 1 / (self.s * math.sqrt(2 * math.pi))

        def pdf(self, x):
            return self.norm * math.exp(-0.5 * ((x - self.mu) / self.s) ** 2)

        @classmethod
        def standard(cls):
            return cls(0.0, 1.0)

        @staticmethod
        def half(x):
            return x / 2

    def f(x):
        return Gauss(x, 2.0).pdf(1.0) + Gauss.standard().pdf(x) + Gauss.half(x)

    agrees_with_python(f, 0.5)


def check_lru_cache_float() -> None:

    @functools.lru_cache(maxsize=None)
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def f(x):
        return sum((x**k * fib(k) for k in range(6)))

    agrees_with_python(f, 0.5)


def check_lru_cache_traced() -> None:

    @functools.lru_cache
    def g(x):
        return x**2

    def f(x):
        return g(x) + g(x)

    agrees_with_python(f, 0.5)


def check_singledispatch_class() -> None:

    @functools.singledispatch
    def area(s):
        raise NotImplementedError(type(s))

    class Sq:
        def __init__(self, a):
            self.a = a

    class Ci:
        def __init__(self, r):
            self.r = r

    @area.register(Sq)
    def _(s):
        return s.a**2

    @area.register(Ci)
    def _(s):
        return math.pi * s.r**2

    def f(x):
        return area(Sq(x)) + area(Ci(2 * x))

    agrees_with_python(f, 0.5)


def check_exec_linecache() -> None:
    import linecache

    src = "def g(x):\n    return x**2+1\n"
    ns = {}
    linecache.cache["<made>"] = (len(src), None, src.splitlines(True), "<made>")
    exec(compile(src, "<made>", "exec"), ns)
    agrees_with_python(ns["g"], 0.5)


def check_vectorize_decorator() -> None:

    @np.vectorize
    def g(x):
        return x * x if x > 0 else -x

    def f(x):
        return np.sum(g(x))

    agrees_with_python(f, np.array([1.0, -2.0]))


def check_class_decorator_call() -> None:

    class CountCalls:
        def __init__(self, fn):
            functools.update_wrapper(self, fn)
            self.fn = fn
            self.n = 0

        def __call__(self, *a):
            self.n += 1
            return self.fn(*a)

    @CountCalls
    def g(x):
        return x * x

    def f(x):
        return g(x) + g(2 * x)

    agrees_with_python(f, 1.5)


def check_operator_itemgetter() -> None:

    def f(rows):
        best = max(rows, key=operator.itemgetter(1))
        return best[0] * best[1] + sum(map(operator.itemgetter(0), rows))

    agrees_with_python(f, [(1.0, 2.0), (3.0, 1.0)])


def check_methodcaller() -> None:

    class P:
        def __init__(self, x):
            self.x = x

        def twice(self):
            return 2 * self.x

    def f(x):
        return sum(map(operator.methodcaller("twice"), [P(x), P(x * x)])) + operator.attrgetter("x")(P(x))

    agrees_with_python(f, 1.5)


def check_mutable_default() -> None:

    def g(x, acc=[]):
        acc.append(x)
        return x * 2

    agrees_with_python(g, 1.5)


def check_recursion_inner_ackish() -> None:

    def f(x):

        def power(n):
            if n == 0:
                return 1.0
            half = power(n // 2)
            return half * half if n % 2 == 0 else half * half * x

        return power(5)

    agrees_with_python(f, 1.2)


def check_isinstance_union_type() -> None:

    def norm(x: "int|float|list") -> float:
        if isinstance(x, int | float):
            return abs(x)
        return math.sqrt(sum((v * v for v in x)))

    def f(x):
        return norm(x) + norm([x, 2.0])

    agrees_with_python(f, 1.2)


def check_observer() -> None:

    class Subject:
        def __init__(self):
            self.obs = []

        def attach(self, fn):
            self.obs.append(fn)

        def notify(self, x):
            return sum((fn(x) for fn in self.obs))

    def f(x):
        s = Subject()
        s.attach(lambda v: v * v)
        s.attach(math.sin)
        return s.notify(x)

    agrees_with_python(f, 1.2)


def check_defaultdict_graph() -> None:
    edges = [("a", "b", 1.0), ("b", "c", 2.0), ("a", "c", 4.0)]

    def f(x):
        g = defaultdict(list)
        for u, v, w in edges:
            g[u].append((v, w * x))
        dist = {"a": 0.0}
        for u in "abc":
            for v, w in g[u]:
                dist[v] = min(dist.get(v, math.inf), dist[u] + w)
        return dist["c"] ** 2

    agrees_with_python(f, 1.1)


def check_blackjack_value() -> None:

    @functools.cache
    def ways(t):
        return 1 if t == 0 else sum((ways(t - k) for k in (1, 2, 3) if t >= k))

    def f(p):
        return sum((ways(t) * p**t for t in range(6)))

    agrees_with_python(f, 0.4)


def check_np_alias_import() -> None:

    def f(x):
        from math import sin

        import numpy
        from numpy import exp as e

        return numpy.sum(e(x)) * sin(x[0])

    agrees_with_python(f, np.array([0.1, 0.2]))
