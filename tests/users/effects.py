"""Loggers, clocks, progress, locks, warnings, printed tables: what happens beside computing, once and in order."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import functools
import itertools
import logging
import math
import sys
import threading
import time
import warnings

from users_checks import agrees_with_python

log = logging.getLogger("train")
log.setLevel(logging.INFO)


def check_logging_loop() -> None:

    def f(x):
        for step in range(4):
            x = x - 0.1 * 2 * x
            if step % 2 == 0:
                log.info("step %d: x=%.4f", step, x)
        return x * x

    agrees_with_python(f, 1.0)


def check_logging_fstring() -> None:
    logger = logging.getLogger(__name__)

    def f(x):
        logger.debug("never shown")
        y = x**3
        logger.warning(f"value {y:.3f}")
        return y

    agrees_with_python(f, 1.0)


def check_perf_counter() -> None:

    def f(x):
        t0 = time.perf_counter()
        y = x
        for _ in range(10):
            y = math.sin(y) + x
        elapsed = time.perf_counter() - t0
        if elapsed > 1000000.0:
            print("slow")
        return y

    agrees_with_python(f, 0.4)


def check_timer_cm() -> None:

    class Timer:
        def __enter__(self):
            self.start = time.perf_counter()
            return self

        def __exit__(self, *a):
            self.seconds = time.perf_counter() - self.start

    def f(x):
        with Timer() as t:
            y = math.exp(x)
        assert t.seconds >= 0
        return y

    agrees_with_python(f, 0.4)


def check_timing_decorator() -> None:
    calls = []

    def timed(fn):

        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            t = time.time()
            out = fn(*args, **kwargs)
            dt = time.time() - t
            if dt > 100:
                print(fn.__name__, dt)
            return out

        return wrapper

    @timed
    def f(x):
        return x**2 * math.log(x)

    agrees_with_python(f, 2.0)


def check_progress() -> None:

    def progress(xs, desc=""):
        n = len(xs)
        for i, x in enumerate(xs):
            print(f"\r{desc} {i + 1}/{n}", end="")
            yield x
        print()

    def f(x):
        for k in progress(range(5), "fit"):
            x = x * 0.9 + 0.01 * k
        return x

    agrees_with_python(f, 1.0)


def check_progress_class() -> None:

    class Bar:
        def __init__(self, it, total=None):
            self.it = it
            self.n = 0
            self.total = total or len(it)

        def __iter__(self):
            for x in self.it:
                yield x
                self.n += 1
                self.show()

        def show(self):
            print(f"{self.n}/{self.total}")

    def f(x):
        for k in Bar(range(3)):
            x = x * x + k
        return x

    agrees_with_python(f, 0.5)


def check_lock() -> None:
    lock = threading.Lock()
    total = [0.0]

    def f(x):
        y = 0.0
        for k in range(3):
            with lock:
                y += x**k
        return y

    agrees_with_python(f, 2.0)


def check_rlock_acquire() -> None:
    lock = threading.RLock()

    def f(x):
        lock.acquire()
        try:
            return x**2
        finally:
            lock.release()

    agrees_with_python(f, 2.0)


def check_warn_once() -> None:

    def f(x):
        if x < 1:
            warnings.warn("x is small", RuntimeWarning, stacklevel=2)
        return x**2

    agrees_with_python(f, 0.3)


def check_deprecated() -> None:

    def deprecated(fn):

        @functools.wraps(fn)
        def inner(*a, **k):
            warnings.warn(f"{fn.__name__} is deprecated", DeprecationWarning)
            return fn(*a, **k)

        return inner

    @deprecated
    def old(x):
        return x * 3

    def f(x):
        return old(x) ** 2

    agrees_with_python(f, 0.3)


def check_history_list() -> None:
    history = []

    def f(x):
        for _ in range(3):
            x = x / 2 + 1 / x
            history.append(x)
        return x

    agrees_with_python(f, 1.5)


def check_stdout_write() -> None:

    def f(x):
        sys.stdout.write("start\n")
        y = x**2
        sys.stdout.write(f"y={y}\n")
        sys.stdout.flush()
        return y

    agrees_with_python(f, 1.5)


def check_callback() -> None:
    seen = []

    def gd(f, x, callback=None):
        for i in range(3):
            x = x - 0.1 * 2 * x
            if callback is not None:
                callback(i, x)
        return x

    def f(x):
        return gd(None, x, callback=lambda i, v: print(i, round(v, 3)))

    agrees_with_python(f, 1.5)


def check_verbose_flag() -> None:

    def solve(x, verbose=False, tol=1e-08):
        for it in itertools.count(1):
            dx = (x * x - 2) / (2 * x)
            if verbose:
                print(it, x)
            x -= dx
            if abs(dx) < tol:
                break
        return x * it

    def f(x):
        return solve(x, verbose=True)

    agrees_with_python(f, 1.5)


def check_assert_msgs() -> None:

    def f(x):
        assert x > 0, f"x must be positive, got {x}"
        return math.sqrt(x)

    agrees_with_python(f, -1.5)


def check_try_finally_effects() -> None:

    def f(x):
        print("open")
        try:
            try:
                y = math.log(x - 2)
            except ValueError as e:
                print("caught", e)
                y = x
            else:
                print("fine")
            finally:
                print("close")
        finally:
            print("outer")
        return y * x

    agrees_with_python(f, 1.5)


def check_dunder_math() -> None:

    class Dual:
        def __init__(self, re, eps=0.0):
            self.re = re
            self.eps = eps

        def __add__(self, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(self.re + o.re, self.eps + o.eps)

        __radd__ = __add__

        def __mul__(self, o):
            o = o if isinstance(o, Dual) else Dual(o)
            return Dual(self.re * o.re, self.re * o.eps + self.eps * o.re)

        __rmul__ = __mul__

        def __pow__(self, n):
            r = Dual(1.0)
            for _ in range(n):
                r = r * self
            return r

        def __neg__(self):
            return Dual(-self.re, -self.eps)

        def __repr__(self):
            return f"Dual({self.re}, {self.eps})"

    def f(x):
        d = Dual(x, 1.0)
        y = 3 * d**3 + 2 * d + -d
        print(y)
        return y.re + y.eps

    agrees_with_python(f, 0.5)


def check_inheritance_super() -> None:

    class A:
        registry = []

        def __init_subclass__(cls, **k):
            super().__init_subclass__(**k)
            A.registry.append(cls.__name__)

        def __init__(self, k):
            self.k = k

        def apply(self, x):
            return self.k * x

    class LogMixin:
        def apply(self, x):
            y = super().apply(x)
            print(type(self).__name__, round(y, 3))
            return y

    class B(LogMixin, A):
        def __init__(self, k):
            super().__init__(k + 1)

    def f(x):
        return B(x).apply(x) + len(A.registry)

    agrees_with_python(f, 1.1)
