"""Generators and iterators: pipelines, batches, endless sequences, loops that leave early."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from users_checks import agrees_with_python


def check_batches() -> None:

    def batches(X, y, size):
        for i in range(0, len(X), size):
            yield (X[i : i + size], y[i : i + size])

    X = np.arange(12.0).reshape(6, 2) / 10
    y = np.arange(6.0)

    def f(w):
        loss = 0.0
        for xb, yb in batches(X, y, 2):
            loss += np.sum((xb @ w - yb) ** 2)
        return loss

    agrees_with_python(f, np.array([0.1, 0.2]))


def check_dataset_class() -> None:

    class Data:
        def __init__(self, X, y):
            self.X = X
            self.y = y

        def __len__(self):
            return len(self.X)

        def __getitem__(self, i):
            return (self.X[i], self.y[i])

    d = Data(np.arange(6.0).reshape(3, 2), np.arange(3.0))

    def f(w):
        s = 0.0
        for i in range(len(d)):
            x, y = d[i]
            s += (x @ w - y) ** 2
        return s

    agrees_with_python(f, np.array([0.1, 0.2]))


def check_groupby() -> None:
    rows = [("a", 1.0), ("a", 2.0), ("b", 3.0)]

    def f(w):
        out = 0.0
        for k, g in itertools.groupby(rows, key=lambda r: r[0]):
            out += max((v * w for _, v in g)) ** 2
        return out

    agrees_with_python(f, 1.5)


def check_zip_strict() -> None:

    def f(a, b=(1.0, 2.0)):
        return sum((x * y for x, y in zip(a, b, strict=True)))

    agrees_with_python(f, [1.0, 3.0])


def check_zip_strict_raises() -> None:

    def f(a, b=(1.0, 2.0, 3.0)):
        return sum((x * y for x, y in zip(a, b, strict=True)))

    agrees_with_python(f, [1.0, 3.0])


def check_walrus() -> None:

    def f(x):
        n = 0
        while (d := (x * x - 2.0)) > 1e-09:
            x -= d / (2 * x)
            n += 1
        return x + n

    agrees_with_python(f, 3.0)


def check_star_unknown() -> None:

    def f(xs):
        first, *mid, last = [x * x for x in xs if x > 0]
        return first * last + sum(mid)

    agrees_with_python(f, [1.0, -2.0, 3.0, 4.0])


def check_tree_traverse() -> None:

    class Node:
        def __init__(self, v, left=None, right=None):
            self.v = v
            self.left = left
            self.right = right

        def __iter__(self):
            if self.left:
                yield from self.left
            yield self.v
            if self.right:
                yield from self.right

    def f(x):
        t = Node(x, Node(x * 2), Node(x * x, Node(1.0)))
        return sum((v * (i + 1) for i, v in enumerate(t)))

    agrees_with_python(f, 1.5)


def check_enumerate_reversed_horner() -> None:

    def f(c):
        r = 0.0
        for k, a in reversed(list(enumerate(c))):
            r = r * 2.0 + a + k
        return r * r

    agrees_with_python(f, [1.0, 2.0, 3.0])


def check_map_filter_lambda() -> None:

    def f(xs):
        return functools.reduce(lambda a, b: a * b, map(lambda x: x + 1, filter(lambda x: x > 0, xs)), 1.0)

    agrees_with_python(f, [1.0, -2.0, 3.0])


def check_rk4_gen() -> None:

    def rk4(f, y, dt, n):
        for _ in range(n):
            k1 = f(y)
            k2 = f(y + dt / 2 * k1)
            k3 = f(y + dt / 2 * k2)
            k4 = f(y + dt * k3)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            yield y

    def f(k):
        *_, last = rk4(lambda y: -k * y, 1.0, 0.1, 5)
        return last

    agrees_with_python(f, 1.5)


def check_flatten() -> None:

    def flatten(xs):
        for x in xs:
            if isinstance(x, (list, tuple)):
                yield from flatten(x)
            else:
                yield x

    def f(x):
        return sum((v * k for k, v in enumerate(flatten([x, [x * x, [2.0, x]], (3.0,)]))))

    agrees_with_python(f, 1.1)


def check_takewhile_gen() -> None:

    def newton(a, x=1.0):
        while True:
            yield x
            x = 0.5 * (x + a / x)

    def f(a):
        for prev, cur in itertools.pairwise(newton(a)):
            if abs(prev - cur) < 1e-12:
                return cur

    agrees_with_python(f, 2.0)


def check_islice_infinite() -> None:

    def fib(a, b):
        while True:
            yield a
            a, b = (b, a + b)

    def f(x):
        return sum(itertools.islice(fib(x, 1.0), 6))

    agrees_with_python(f, 1.3)


def check_walrus_comp() -> None:

    def f(xs):
        return sum((y for x in xs if (y := (x * x - 1.0)) > 0))

    agrees_with_python(f, [0.5, 2.0, 3.0])


def check_walrus_in_a_test() -> None:

    def f(x):
        return sum([z * 2 for k in range(3) if (z := (x * k)) > 1])

    agrees_with_python(f, 1.5)


def check_walrus_in_an_item() -> None:

    def f(xs):
        ys = [(w := (x * 2)) + w * w for x in xs]
        return ys[0] * ys[1]

    agrees_with_python(f, [0.5, 2.0, 3.0])


def check_walrus_in_a_dict() -> None:

    def f(xs):
        d = {k: s for k, x in enumerate(xs) if (s := (x * x)) > 1}
        return sum(d.values())

    agrees_with_python(f, [0.5, 2.0, 3.0])


def check_star_args() -> None:

    def mean(*xs):
        return sum(xs) / len(xs)

    def f(xs):
        ys = [x for x in xs if x > 0]
        return mean(*ys) ** 2

    agrees_with_python(f, [1.0, -2.0, 3.0, 4.0])


def check_print_star() -> None:

    def f(xs):
        ys = [x * 2 for x in xs]
        print(*ys, sep=", ")
        return ys[0] * ys[1]

    agrees_with_python(f, [1.0, 2.0])


def check_list_as_varargs() -> None:

    def mean(*xs):
        return sum(xs) / len(xs)

    def f(xs):
        return mean(*xs) * xs[0]

    agrees_with_python(f, [1.0, 2.0, 3.0])


def check_spread_fixed() -> None:

    def rosen(a, b):
        return (1 - a) ** 2 + 100 * (b - a * a) ** 2

    def f(x):
        return rosen(*x)

    agrees_with_python(f, np.array([1.2, 0.9]))


def check_spread_pairs() -> None:

    class P:
        def __init__(self, k):
            self.k = k

        def area(self, w, h):
            return self.k * w * h

    def f(pairs):
        p = P(2.0)
        return sum((p.area(*row) for row in pairs))

    agrees_with_python(f, [[1.0, 2.0], [3.0, 4.0]])


def check_spread_of_spread() -> None:

    def total(*xs):
        return sum((x * x for x in xs))

    def norm(*xs):
        return math.sqrt(total(*xs)) / len(xs)

    def f(xs):
        return norm(*[x for x in xs if x > 0]) + norm(*xs)

    agrees_with_python(f, [1.0, -2.0, 3.0])


def check_enumerated_endless() -> None:

    def halves(x):
        while True:
            yield x
            x = x / 2

    def f(x):
        s = 0.0
        for k, h in enumerate(halves(x)):
            if h < 0.1:
                break
            s += h * k
        else:
            s = 100.0
        return s + h

    agrees_with_python(f, 1.3)


def check_zipped_progress() -> None:

    def progress(xs):
        for i, x in enumerate(xs):
            print("item", i, x)
            yield x
            print("done", i)

    def f(xs):
        s = 0.0
        out = []
        for i, a in zip(range(10), progress(xs)):
            out.append(a * i)
            s += out[-1]
        return s * len(out) + a

    agrees_with_python(f, [1.0, 2.0, 3.0])


def check_epochs_and_batches() -> None:

    def outer(n, x):
        for i in range(n):
            print("epoch", i)
            yield from inner(i, x)

    def inner(i, x):
        for j in range(2):
            print("batch", j)
            yield (x * (i + j))

    def f(x):
        s = 0.0
        for e in range(2):
            for b in outer(2, x):
                s += b
                if s > 1000.0:
                    return s
            print("epoch", s)
        return s

    agrees_with_python(f, 1.1)


def check_one_generator_in_itself() -> None:

    def g(tag, xs):
        for v in xs:
            print(tag, v)
            yield v

    def f(x):
        s = 0.0
        for a in g("a", [x, 2 * x]):
            for b in g("b", [1.0, a]):
                if b > 3:
                    break
                s += a * b
            else:
                s += 1
        return s

    agrees_with_python(f, 1.1)


def check_method_gen() -> None:

    class Loader:
        def __init__(self, X, size):
            self.X = X
            self.size = size
            self.seen = 0

        def __iter__(self):
            for i in range(0, len(self.X), self.size):
                self.seen += 1
                yield self.X[i : i + self.size]

    def f(X):
        l = Loader(X, 2)
        s = 0.0
        for epoch in range(2):
            for xb in l:
                s += np.sum(xb**2)
        return s * l.seen

    agrees_with_python(f, np.arange(6.0))


def check_generator_that_closes() -> None:

    def managed(xs):
        print("open")
        try:
            for x in xs:
                yield x
        finally:
            print("close")

    def f(x):
        t = 0.0
        for v in managed([x, x * x, 5.0]):
            if v > 2:
                break
            t += v
        print("after")
        return t

    agrees_with_python(f, 1.5)


def check_gd_callback_gen() -> None:

    def minimise(grad, x, lr=0.1, tol=0.001):
        step = 0
        while True:
            g = grad(x)
            if abs(g) < tol:
                return
            x = x - lr * g
            step += 1
            yield (step, x)

    def f(x0):
        for step, x in minimise(lambda x: 2 * x, x0):
            if step >= 5:
                break
        return x * step

    agrees_with_python(f, 1.5)


def check_unbound_after() -> None:

    def g(xs):
        for x in xs:
            print(x)
            yield x

    def f(xs):
        for v in g(xs):
            y = v * 2
        return y

    agrees_with_python(f, [])
