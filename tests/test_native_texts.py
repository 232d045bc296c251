"""Texts in machine code: moved, compared and handed back there; what looks into them goes out."""

import gc
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import ccc
from ccc.compile.native import engine, living

pytestmark = pytest.mark.skipif(not engine.available(), reason="LLVM is not installed")


def text(*parts: str) -> str:
    """A text that no other object of this process is."""
    return "".join(parts)


ROWS = [("rent", 7.0), (text("re", "nt"), 5.0), ("food", 2.0), ("", 1.0), (text("fo", "od"), -3.0), ("x", 0.5)]


def compared(x, rows):
    total = 0.0
    for name, v in rows:
        if name == "rent":
            total += v * x
        elif name != "food":
            total -= v * x * x
        else:
            total += x**3 * v
    return total


def between(x, rows):
    total = 0.0
    for i in range(len(rows)):
        for j in range(len(rows)):
            if rows[i][0] == rows[j][0]:
                total += x * rows[i][1] * rows[j][1]
    return total


def last(x, rows):
    seen, total, names = "", 0.0, []
    for name, v in rows:
        total = total * x + v if name != seen else total - v
        if v > 0.0:
            seen = name
            names.append(name)
    return total * (1 + names.count("rent")) + x * len(names)


def states(x, rows):
    state, energy = "off", 0.0
    for _, v in rows:
        if state == "off" and v < x:
            state = "on"
        elif state == "on" and v > x + 0.5:
            state = "off" if v < 6.0 else "broken"
        energy += (x - v) ** 2 if state == "on" else x if state == "broken" else 0.0
    return energy


def looked_into(x, rows):
    total = 0.0
    for name, v in rows:
        if name < "g":
            total += v * x
        if name.startswith("r"):
            total += x * x
        if len(name) > 3:
            total += x**3
        if name in ("food", "rent"):
            total += 5.0 * x
        if name:
            total -= x
        if f"{name}!" == "x!":
            total += x**4
    return total


def sorted_rows(x, rows):
    total = 0.0
    for k, (name, v) in enumerate(sorted(rows)):
        total += k * v * x if name > "a" else x
    best = max(rows)
    return total + best[1] * x


PROGRAMS = [compared, between, last, states, looked_into, sorted_rows]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("rows", [ROWS, ROWS[1:3], ROWS[::-1] * 5])
def test_programs_give_what_plain_python_gives(f, rows):
    by_native = ccc.value_with_gradient(f, wrt="x", backend="native")
    (value, slope), wanted = by_native(1.3, rows), f(1.3, rows)
    assert np.isclose(value, wanted, rtol=1e-12)
    difference = (f(1.3 + 1e-6, rows) - f(1.3 - 1e-6, rows)) / 2e-6
    assert np.isclose(slope, difference, rtol=1e-6, atol=1e-6)
    assert by_native(1.3, [(text(*name), v) for name, v in rows])[0] == value


@pytest.mark.parametrize("f", [compared, between, states])
def test_texts_that_are_compared_stay_in_machine_code(f):
    assert ccc.explain(ccc.gradient(f, wrt="x", backend="native"), 1.3, ROWS).backend == "native"


def test_what_looks_into_texts_goes_out():
    found = ccc.explain(ccc.gradient(looked_into, wrt="x", backend="native"), 1.3, ROWS).backend
    assert found.startswith("native\ncalls out") and "`less`" in found and "`equal`" not in found


class Good(NamedTuple):
    name: str
    price: float


@dataclass
class Box:
    label: str
    size: float
    tags: list[str]


def test_texts_come_back_in_all_that_holds_them():
    def f(goods, x, label):
        best, dearest, names = "none", 0.0, []
        for good in goods:
            if good.price * x > dearest:
                best, dearest = good.name, good.price * x
            names.append(good.name)
        return best, [names, [label, "end"]], Box(label, dearest, [best, label + best]), {"name": best}

    goods = [Good("a", 1.0), Good(text("b", "c"), 3.0), Good("d", 2.0)]
    by_native = ccc.compiled(f, backend="native")
    for _ in range(3):
        assert by_native(goods, 2.0, text("o", "k")) == f(goods, 2.0, "ok")
        assert by_native([], 2.0, "") == f([], 2.0, "")
        gc.collect()
    assert ccc.explain(by_native, goods, 2.0, "ok").backend.startswith("native")
    assert not living.RUNNING.texts


def test_subclasses_of_texts_and_other_things_are_left_to_numpy():
    class Name(str):
        __slots__ = ()

    by_native = ccc.gradient(compared, wrt="x", backend="native")
    assert by_native(2.0, ROWS) == ccc.gradient(compared, wrt="x", backend="numpy")(2.0, ROWS)
    with pytest.raises((ccc.CCCError, TypeError)):
        by_native(2.0, [(1.5, "rent")])
    rows: Any = [(Name("rent"), 7.0), ("food", 2.0)]
    assert by_native(2.0, rows) == 7.0 + 12.0 * 2.0


def test_texts_that_are_none_at_times():
    def f(x, rows):
        seen, total = None, 0.0
        for name, v in rows:
            if seen is not None and seen == name:
                total += v * x
            seen = name if v > 1.0 else None
        return total if seen is None else total * x

    rows = [*ROWS, ("a", 2.0), (text("a", ""), 3.0), ("a", 0.0), ("a", 5.0)]
    value, slope = ccc.value_with_gradient(f, wrt="x", backend="native")(1.3, rows)
    assert value == f(1.3, rows) and np.isclose(slope, (f(1.3 + 1e-6, rows) - f(1.3 - 1e-6, rows)) / 2e-6)


def test_pullbacks_and_second_derivatives():
    value, pullback = ccc.vjp(lambda x: compared(x, ROWS), 1.3, backend="native")
    assert value == compared(1.3, ROWS)
    by_native = ccc.gradient(ccc.gradient(compared, wrt="x"), wrt="x", backend="native")
    by_numpy = ccc.gradient(ccc.gradient(compared, wrt="x"), wrt="x", backend="numpy")
    assert by_native(1.3, ROWS) == pytest.approx(by_numpy(1.3, ROWS), rel=1e-12)
    assert pullback(1.0)[0] == pytest.approx(ccc.gradient(compared, wrt="x", backend="numpy")(1.3, ROWS), rel=1e-12)


KEPT = """
import sys, ccc
def f(x, names):
    total = 0.0
    for name in names:
        if name == "rent":
            total += x * x
        elif name == "food":
            total += x
    return total
other = [sys.argv[1] + str(i) for i in range(int(sys.argv[2]))]
print(ccc.gradient(f, wrt="x", backend="native")(2.0, ["rent", sys.argv[1], "food", "rent", "tent"]))
"""


def test_machine_code_that_is_kept_has_the_texts_of_its_process(tmp_path):
    folder = tmp_path / "objects"
    given = {**os.environ, "CCC_OBJECTS": str(folder)}
    for more, count, wanted in (("food", 0, 10.0), ("rent", 1000, 13.0), ("x", 5, 9.0)):
        file = tmp_path / "kept.py"
        file.write_text(KEPT)
        found = subprocess.run(
            [sys.executable, str(file), more, str(count)], env=given, capture_output=True, text=True, check=True
        )
        assert float(found.stdout) == wanted
    assert any(folder.iterdir())


def test_programs_with_texts_are_not_exported(tmp_path):
    with pytest.raises(ccc.CCCError):
        ccc.export(compared, 1.3, ROWS, to=tmp_path)


@dataclass
class Layer:
    kind: str
    act: Any
    w: np.ndarray
    axis: int | None = None


def layered(layer, x):
    y = layer.w @ x
    y = layer.act(y) if layer.kind == "full" else y[:1]
    return float(np.sum(y, axis=layer.axis))


def test_machine_code_looks_at_the_texts_and_objects_that_it_depends_on():
    """So that who calls it need not, before each call."""
    gradient = ccc.gradient(layered, wrt="x", backend="native")
    w, x = np.arange(6.0).reshape(2, 3), np.ones(3)
    layers = [
        Layer(kind, act, w)
        for kind, act in (("full", np.tanh), ("full", np.sin), ("one", np.tanh), (text("fu", "ll"), np.tanh))
    ]
    for layer in (*layers, *layers):
        np.testing.assert_allclose(gradient(layer, x), ccc.gradient(layered, wrt="x", backend="numpy")(layer, x))
    kernels = [code.call.kernel for codes in gradient.codes.values() for code in codes]
    assert len(kernels) == 3 and None not in kernels
    found = [sum(kernel(layer, x) is not NotImplemented for kernel in kernels) for layer in layers]
    assert found == [1, 1, 1, 1], "each layer is taken by the code that was made for its texts, and by no other"


def test_texts_in_dicts_are_looked_at():
    f = lambda p, x: float(np.sum(p["w"] * x)) * (2.0 if p["mode"] == "a" else 1.0)  # noqa: E731
    gradient = ccc.gradient(f, wrt="x", backend="native")
    for mode, by in (("a", 2.0), ("b", 1.0), ("a", 2.0), ("c", 1.0), ("b", 1.0)):
        np.testing.assert_array_equal(gradient({"mode": mode, "w": np.ones(3)}, np.ones(3)), by * np.ones(3))


class Model:
    """A plain class, whose attributes are its objects' own."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def test_objects_with_other_attributes_have_other_code():
    gradient = ccc.gradient(lambda m, x: m.w * x * m.w, backend="native", wrt=0)
    for more in ({}, {}, {"b": 3.0}, {"name": "one"}, {}, {"b": 2.0}):
        found = gradient(Model(w=2.0, **more), 1.5)
        assert vars(found) == {"w": 6.0, **{name: 0.0 if name == "b" else None for name in more}}


class Slotted:
    __slots__ = ("offset", "w")
    offset: float
    w: np.ndarray


def slotted(*offset: float) -> Slotted:
    found = Slotted()
    found.w = np.array([1.0, 2.0])
    for x in offset:
        found.offset = x
    return found


def shifted(p: Slotted, mode: str, x: float) -> float:
    found = float(np.sum(p.w)) * x
    return found + p.offset if hasattr(p, "offset") else found * (2.0 if mode == "a" else 1.0)


def test_slots_that_a_call_fills_are_seen_by_its_machine_code() -> None:
    native = ccc.compiled(shifted, backend="native")
    for offset in [(), (), (5.0,), (5.0,), (), (7.0,)]:
        for mode in ("a", "b", "a"):
            assert native(slotted(*offset), mode, 0.5) == shifted(slotted(*offset), mode, 0.5)
