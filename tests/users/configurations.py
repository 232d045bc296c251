"""Parameters with text keys, settings in dicts, dataclasses and keyword arguments."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import enum
import math
import typing
from collections import ChainMap
from dataclasses import dataclass

import numpy as np
from users_checks import agrees_with_python


def check_mlp_text_keys() -> None:

    def init(sizes):
        rng = np.random.default_rng(0)
        p = {}
        for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:]), start=1):
            p[f"W{i}"] = rng.normal(size=(m, n)) * 0.5
            p["b" + str(i)] = np.zeros(n)
        return p

    X = np.random.default_rng(1).normal(size=(5, 3))

    def loss(p):
        h = X
        L = len(p) // 2
        for i in range(1, L + 1):
            h = h @ p["W%d" % i] + p["b{}".format(i)]
            if i < L:
                h = np.tanh(h)
        return np.mean(h**2)

    agrees_with_python(loss, init([3, 4, 2]))


def check_state_dict() -> None:

    def loss(p, x):
        out = 0.0
        for name, w in p.items():
            layer, kind = name.split(".")
            if kind == "weight":
                out = out + np.sum(w * x)
            elif name.endswith("bias"):
                out = out + float(layer.removeprefix("fc")) * w[0]
        return out

    agrees_with_python(
        loss,
        {
            "fc1.weight": np.array([1.0, 2.0]),
            "fc1.bias": np.array([3.0]),
            "fc2.weight": np.array([0.5, 0.1]),
            "fc2.bias": np.array([1.0]),
        },
        np.array([1.0, 4.0]),
    )


def check_csv_rows() -> None:
    rows = [("a", 1.5), ("b", 2.5), ("a", -1.0)]

    def f(w):
        s = {}
        for key, x in rows:
            s.setdefault(key, 0.0)
            s[key] += w * x
        return s["a"] * s["b"]

    agrees_with_python(f, 2.0)


def check_config_dataclass() -> None:

    @dataclass(frozen=True)
    class Config:
        lr: float = 0.1
        steps: int = 5
        optimizer: str = "momentum"
        betas: tuple = (0.9, 0.999)

    def train(w, cfg=Config()):
        v = 0.0
        for _ in range(cfg.steps):
            g = 2 * (w - 3.0)
            match cfg.optimizer:
                case "sgd":
                    w = w - cfg.lr * g
                case "momentum":
                    v = cfg.betas[0] * v + g
                    w = w - cfg.lr * v
                case other:
                    raise ValueError(f"unknown optimizer {other!r}")
        return w

    agrees_with_python(train, 1.0)


def check_nested_config() -> None:
    cfg = {
        "model": {"layers": [{"type": "scale", "k": 2.0}, {"type": "shift", "b": 1.0}, {"type": "square"}]},
        "seed": 0,
    }

    def forward(x):
        for layer in cfg["model"]["layers"]:
            t = layer["type"]
            if t == "scale":
                x = x * layer["k"]
            elif t == "shift":
                x = x + layer["b"]
            elif t == "square":
                x = x**2
            else:
                raise KeyError(t)
        return x

    agrees_with_python(forward, 1.5)


def check_kwargs_config() -> None:

    def kernel(x, y, *, kind="rbf", **opts):
        if kind == "rbf":
            return np.exp(-np.sum((x - y) ** 2) / (2 * opts.get("length", 1.0) ** 2))
        return np.dot(x, y) + opts.pop("c", 0.0)

    def f(x):
        y = np.array([1.0, 2.0])
        opts = dict(length=2.0)
        return kernel(x, y, **opts) + kernel(x, y, kind="linear", c=1.0)

    agrees_with_python(f, np.array([0.5, 0.2]))


def check_format_report() -> None:

    def f(x):
        s = x**2
        print(f"{'step':>6} {'loss':<10}")
        for k in range(3):
            s = s * 0.5
            print(f"{k:6d} {s:10.4f} {s:.2e} {s / x:%}")
        return s

    agrees_with_python(f, 1.3)


def check_typeddict() -> None:

    class P(typing.TypedDict):
        w: float
        b: float

    def f(p: P):
        return p["w"] * 2 + p["b"] ** 2

    agrees_with_python(f, {"w": 1.0, "b": 2.0})


def check_dict_merge_comp() -> None:

    def f(p):
        q = {**p, "c": 3.0} | {"d": p["a"]}
        q = {k: v * 2 for k, v in q.items() if k != "b"}
        return sum(q.values()) * q["a"]

    agrees_with_python(f, {"a": 1.0, "b": 2.0})


def check_getattr_setattr() -> None:

    class P:
        pass

    def f(x):
        p = P()
        for k, name in enumerate(("a", "b")):
            setattr(p, name, x * (k + 1))
        return sum((getattr(p, n) ** 2 for n in ("a", "b") if hasattr(p, n))) + getattr(p, "zzz", 1.0)

    agrees_with_python(f, 1.2)


def check_chainmap() -> None:

    def f(x):
        d = ChainMap({"a": x}, {"a": 1.0, "b": 2.0})
        return d["a"] * d["b"]

    agrees_with_python(f, 1.1)


def check_kwonly_posonly() -> None:

    def g(a, /, b, *, c=2.0, **rest):
        return a * b * c + sum(rest.values())

    def f(x):
        return g(x, x, c=3.0, d=x, e=1.0)

    agrees_with_python(f, 1.5)


def check_lambda_dict_dispatch() -> None:
    ops = {"relu": lambda x: max(x, 0.0), "sq": lambda x: x * x, "tanh": np.tanh}

    def f(x, name="sq"):
        return ops[name](x) + ops.get("nope", ops["relu"])(x)

    agrees_with_python(f, 0.5)


def check_registry_decorator() -> None:
    REG = {}

    def register(name):

        def deco(fn):
            REG[name] = fn
            return fn

        return deco

    @register("mse")
    def mse(a, b):
        return np.mean((a - b) ** 2)

    @register("mae")
    def mae(a, b):
        return np.mean(np.abs(a - b))

    def f(x):
        return sum((REG[k](x, np.array([1.0, 2.0])) for k in ("mse", "mae")))

    agrees_with_python(f, np.array([0.5, 0.7]))


def check_strenum_activation() -> None:

    class Act(str, enum.Enum):
        RELU = "relu"
        TANH = "tanh"

    def f(x, act="tanh"):
        match Act(act):
            case Act.RELU:
                return max(x, 0.0)
            case Act.TANH:
                return math.tanh(x)

    agrees_with_python(f, 0.5)


def check_portfolio() -> None:

    def f(w):
        assert abs(sum(w.values()) - 1) < 1e-09
        var = 0.0
        cov = {("a", "a"): 0.04, ("b", "b"): 0.09, ("a", "b"): 0.01}
        for i in w:
            for j in w:
                var += w[i] * w[j] * cov[min(i, j), max(i, j)]
        return math.sqrt(var)

    agrees_with_python(lambda w: f({"a": w, "b": 1 - w}), 0.4)


def check_mixed_rows() -> None:
    rows = [["sword", 10.0, 3], ["shield", 5.0, 7]]

    def f(x):
        t = 0.0
        for name, price, qty in rows:
            t += price * qty * x if name.startswith("sw") else 0.0
        return t * t

    agrees_with_python(f, 0.1)


def check_mixed_list_build() -> None:

    def f(x):
        rows = []
        for k, name in enumerate(["a", "b"]):
            rows.append((name, x * k, k))
        rows.append(("total", x, 2))
        return sum((v * n for _, v, n in rows))

    agrees_with_python(f, 1.1)


def check_hetero_list() -> None:

    def f(x):
        items = [x, [x, x * x], (1.0, "k"), {"v": x}, None]
        t = 0.0
        for it in items:
            if isinstance(it, list):
                t += sum(it)
            elif isinstance(it, tuple):
                t += it[0]
            elif isinstance(it, dict):
                t += it["v"]
            elif it is None:
                t += 1
            else:
                t += it
        return t * x

    agrees_with_python(f, 1.1)
