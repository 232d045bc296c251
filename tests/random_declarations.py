"""Random declarations of a module: classes with methods and operators, and recursive functions."""

from __future__ import annotations

from random_expressions import Expressions
from random_scope import CALLER, FLOAT, FUNCTION, INT, PAIR, Kind, Record

NAMES = ("Point", "State", "Weights", "Body", "Cell")


class Declarations(Expressions):
    """Each method writes one declaration, and notes how the rest of the program may use it."""

    def blank(self) -> None:
        self.lines += ["", ""]

    # -- classes -----------------------------------------------------------------------------------------------

    def classes(self) -> None:
        r = self.r
        names = r.sample(NAMES, 3)
        if "structures" in self.themes:
            for name in names[: r.randint(1, 2)]:
                self.named_tuple(name) if r.random() < 0.25 else self.dataclass_(name)
        if "mutable" in self.themes:
            self.mutable_class(names[2])

    def fields(self) -> list[tuple[str, Kind]]:
        r = self.r
        found: list[tuple[str, Kind]] = [(n, FLOAT) for n in ("x", "y", "z")[: r.randint(1, 3)]]
        if "numpy" in self.themes and r.random() < 0.4:
            found.append(("v", ("vector", r.randint(1, 3))))
        inner = [n for n, of in self.records.items() if not of.mutable]
        if inner and r.random() < 0.5:
            found.append(("inner", ("record", r.choice(inner))))
        if r.random() < 0.2:
            found.append(("count", INT))
        return found

    def annotation(self, kind: Kind) -> str:
        names = {FLOAT: "float", INT: "int", FUNCTION: "Callable[[float], float]"}
        if kind in names:
            return names[kind]
        return "np.ndarray" if kind[0] == "vector" else f'"{kind[1]}"'

    def each(self, of: Record, number: str, vector: str) -> str:
        """The constructor applied to each field, numbers and arrays written by two templates."""
        parts: list[str] = []
        for name, kind in of.fields:
            template = (
                number if kind == FLOAT else vector if isinstance(kind, tuple) and kind[0] == "vector" else "self.{}"
            )
            parts.append(template.format(name))
        return f"{of.name}({', '.join(parts)})"

    def own(self, of: Record) -> dict[str, Kind]:
        return {f"self.{name}": kind for name, kind in of.fields}

    def dataclass_(self, name: str) -> None:
        r = self.r
        of = Record(name, self.fields())
        if r.random() < 0.2:
            of.fields.append(("f", FUNCTION))
            of.reads.append("{p}.f({t})")
        self.lines += ["@dataclass(frozen=True)", f"class {name}:"]
        for field, kind in of.fields:
            self.line(1, f"{field}: {self.annotation(kind)}")
        self.records[name] = of
        if r.random() < 0.5:
            self.method(of, "@property", "size", "")
        if r.random() < 0.4:
            self.method(of, "", "at", "t")
        if r.random() < 0.3:
            self.method(of, "", "__call__", "t")
        if r.random() < 0.5:
            self.operator(
                of, "__add__", f'other: "{name}"', self.each(of, "self.{0} + other.{0}", "self.{0} + other.{0}")
            )
            of.makes.append("({p} + {q})")
        if r.random() < 0.4:
            self.operator(of, "__mul__", "k: float", self.each(of, "self.{} * k", "self.{} * k"))
            of.makes.append("({p} * {t})")
        if r.random() < 0.4:
            with self.block({**self.own(of), "t": FLOAT}):
                body = self.each(of, "math.tanh(self.{} + t)", "np.sin(self.{} * t)")
                self.operator(of, "moved", "t: float", body)
            of.makes.append("{p}.moved({t})")
        if r.random() < 0.3:
            of.makes.append("replace({p}, x={t})")
        if r.random() < 0.2:
            of.reads.append("({p} @ {q})")
            self.operator(of, "__matmul__", f'other: "{name}"', "self.x * other.x", "float")
        self.blank()

    def operator(self, of: Record, name: str, parameter: str, body: str, result: str = "") -> None:
        self.line(0, "")
        returned = result or f'"{of.name}"'
        self.line(1, f"def {name}(self, {parameter}) -> {returned}:")
        self.line(2, f"return {body}")

    def method(self, of: Record, decorator: str, name: str, parameter: str) -> None:
        """A method or property whose result is a number."""
        self.line(0, "")
        if decorator:
            self.line(1, decorator)
        self.line(1, f"def {name}(self{', t: float' if parameter else ''}) -> float:")
        with self.block({**self.own(of), **({parameter: FLOAT} if parameter else {})}):
            if self.r.random() < 0.3:
                self.line(2, f"if {self.test(1)}:")
                self.line(3, f"return {self.squashed(self.leaf())}")
            self.line(2, f"return {self.squashed(self.float_(2))}")
        call = "{p}({t})" if name == "__call__" else f"{{p}}.{name}" + ("({t})" if parameter else "")
        of.reads.append(call)

    def named_tuple(self, name: str) -> None:
        of = Record(name, [("x", FLOAT), ("y", FLOAT)], tuple_like=True)
        self.lines += [f"class {name}(NamedTuple):", "    x: float", "    y: float"]
        self.records[name] = of
        of.reads += ["{p}[0]", "sum({p})", "{p}[-1]"]
        of.makes += ["{p}._replace(y={t})", f"{name}(*{{p}})"]
        if self.r.random() < 0.5:
            self.method(of, "@property", "size", "")
        self.blank()

    def mutable_class(self, name: str) -> None:
        r = self.r
        of = Record(name, [("total", FLOAT), ("last", FLOAT)], mutable=True)
        if r.random() < 0.4:
            of.fields.append(("steps", INT))
        inner = [n for n, other in self.records.items()]
        if inner and r.random() < 0.3:
            of.fields.append(("inner", ("record", r.choice(inner))))
        self.lines += ["@dataclass", f"class {name}:"]
        for field, kind in of.fields:
            self.line(1, f"{field}: {self.annotation(kind)}")
        self.records[name] = of
        if r.random() < 0.5:
            self.method(of, "@property", "mean", "")
        if r.random() < 0.7:
            self.lines += ["", "    def push(self, t: float) -> None:"]
            with self.block({**self.own(of), "t": FLOAT}):
                if r.random() < 0.3:
                    self.line(2, f"if {self.test(1)}:")
                    self.line(3, f"self.last = {self.squashed(self.float_(1))}")
                self.line(2, f"self.total = {self.squashed(f'self.total + {self.float_(2)}')}")
                if ("steps", INT) in of.fields:
                    self.line(2, "self.steps += 1")
            of.changes.append("{p}.push({t})")
        if r.random() < 0.3:
            self.lines += [
                "",
                "    def swap(self) -> float:",
                "        self.total, self.last = self.last, self.total",
                "        return self.total * 0.5",
            ]
            of.changes += ["{p}.swap()", "{p}.last += {p}.swap()"]
        self.blank()

    # -- recursion ---------------------------------------------------------------------------------------------

    def recursive_functions(self) -> None:
        forms = [
            self.by_number,
            self.by_two,
            self.mutual,
            self.over_a_list,
            self.by_index,
            self.with_state,
            self.with_a_function,
            self.until_small,
            self.over_a_tuple,
            self.over_an_array,
            self.in_a_loop,
        ]
        for form in self.r.sample(forms, self.r.randint(1, 2)):
            form(self.fresh(self.r.choice(("walk", "grow", "fold"))))
            self.features.add("recursion")
            self.blank()

    def caller(self, name: str, form: str) -> None:
        """How the function is called: `{t}` a number, `{n}` a small whole number, `{f}` a function."""

        def call() -> str:
            text = form
            while "{t}" in text:
                text = text.replace("{t}", self.float_(1), 1)
            functions = self.named(FUNCTION) or ["math.sin", "np.tanh"]
            return text.replace("{n}", self.small()).replace("{f}", self.r.choice(functions))

        self.forms[name] = call
        self.bind(name, CALLER)

    def by_number(self, name: str) -> None:
        with self.block({"t": FLOAT, "k": INT}):
            self.line(0, f"def {name}(t, k):")
            self.line(1, "if k <= 0:")
            self.line(2, f"return {self.squashed(self.float_(1))}")
            if self.r.random() < 0.4:
                self.line(1, f"if {self.test(1)}:")
                self.line(2, f"return {self.float_(1)}")
            self.line(1, f"return {self.squashed(f'{self.leaf()} * {name}({self.float_(1)}, k - 1) + {self.leaf()}')}")
        self.caller(name, f"{name}({{t}}, {{n}})")

    def by_two(self, name: str) -> None:
        with self.block({"t": FLOAT, "k": INT}):
            self.line(0, f"def {name}(t, k):")
            self.line(1, "if k < 2:")
            self.line(2, "return t * k")
            self.line(1, f"return 0.5 * {name}({self.float_(1)}, k - 1) + {self.leaf()} * {name}(t, k - 2)")
        self.caller(name, f"{name}({{t}}, {{n}})")

    def mutual(self, name: str) -> None:
        other = self.fresh("odd")
        for own, called in ((name, other), (other, name)):
            with self.block({"t": FLOAT, "k": INT}):
                self.line(0, f"def {own}(t, k):")
                self.line(1, "if k <= 0:")
                self.line(2, f"return {self.float_(1)}")
                self.line(1, f"return {called}({self.squashed(self.float_(1))}, k - 1) * 0.9")
            if own == name:
                self.blank()
        self.caller(name, f"{name}({{t}}, {{n}})")
        self.caller(other, f"{other}({{t}}, {{n}})")

    def over_a_list(self, name: str) -> None:
        with self.block({"xs": ("items",)}):
            self.line(0, f"def {name}(xs):")
            self.line(1, self.r.choice(("if not xs:", "if len(xs) == 0:")))
            self.line(2, "return 0.5")
            self.line(1, f"return {self.squashed(f'{self.float_(1)} + 0.5 * {name}(xs[1:])')}")

        def call() -> str:
            lists = self.of_sort("list") + self.of_sort("items") + self.of_sort("bag")
            return f"{name}({self.r.choice([f'[{self.leaf()}, {self.leaf()}]', *lists * 2])})"

        self.forms[name] = call
        self.bind(name, CALLER)

    def by_index(self, name: str) -> None:
        with self.block({"xs": ("items",), "state": FLOAT}):
            self.line(0, f"def {name}(xs, i, state):")
            self.line(1, "if i < len(xs):")
            self.line(2, f"return {name}(xs, i + 1, {self.squashed(f'xs[i] + {self.float_(1)}')})")
            self.line(1, "return state")

        def call() -> str:
            lists = self.of_sort("list") + self.of_sort("items") + self.of_sort("vector")
            return f"{name}({self.r.choice([f'[{self.leaf()}, {self.leaf()}]', *lists * 2])}, 0, {self.leaf()})"

        self.forms[name] = call
        self.bind(name, CALLER)

    def with_state(self, name: str) -> None:
        with self.block({"a": FLOAT, "b": FLOAT, "k": INT}):
            self.line(0, f"def {name}(k, state):")
            self.line(1, "a, b = state")
            self.line(1, "if k <= 0:")
            self.line(2, "return (a, b)")
            self.line(1, f"return {name}(k - 1, ({self.squashed(self.float_(1))}, {self.float_(1)}))")
        self.caller(name, f"{name}({{n}}, ({{t}}, {{t}}))[{self.r.randint(0, 1)}]")

    def with_a_function(self, name: str) -> None:
        with self.block({"t": FLOAT, "k": INT}):
            self.line(0, f"def {name}(f, t, k):")
            self.line(1, "if k <= 0:")
            self.line(2, "return t")
            step = self.r.choice(
                (
                    f"{name}(f, f(t), k - 1)",
                    f"0.5 * f({name}(f, {self.leaf()}, k - 1))",
                    f"{name}(f, {self.leaf()}, k - 1) + f(t)",
                )
            )
            self.line(1, f"return {step}")
        self.caller(name, f"{name}({{f}}, {{t}}, {{n}})")

    def until_small(self, name: str) -> None:
        with self.block({"t": FLOAT, "depth": INT}):
            self.line(0, f"def {name}(t, depth=0):")
            self.line(1, "if abs(t) < 0.3 or depth > 3:")
            self.line(2, f"return {self.float_(1)}")
            self.line(1, f"return {name}(0.6 * t, depth + 1) + {self.squashed(self.leaf())}")
        self.caller(name, f"{name}({{t}})")

    def over_a_tuple(self, name: str) -> None:
        with self.block({"ts": PAIR}):
            self.line(0, f"def {name}(ts):")
            self.line(1, "if len(ts) == 1:")
            self.line(2, "return ts[0]")
            self.line(1, f"return {self.squashed('ts[0]')} * 0.7 + {name}(ts[1:])")
        self.caller(name, f"{name}(({{t}}, {{t}}, {{t}}))")

    def over_an_array(self, name: str) -> None:
        self.line(0, f"def {name}(v):")
        self.line(1, "if len(v) == 1:")
        self.line(2, "return v[0]")
        self.line(1, "half = len(v) // 2")
        self.line(1, f"return {self.squashed(f'{name}(v[:half]) - 0.7 * {name}(v[half:])')}")

        def call() -> str:
            return f"{name}({self.vector(1, self.r.randint(1, 4))})"

        self.forms[name] = call
        self.bind(name, CALLER)

    def in_a_loop(self, name: str) -> None:
        with self.block({"t": FLOAT, "k": INT}):
            self.line(0, f"def {name}(t, k):")
            self.line(1, f"total = {self.squashed(self.leaf())}")
            self.line(1, "for i in range(k):")
            self.line(2, f"total = total + {name}({self.float_(1)}, {self.r.choice(('i', 'k - 1 - i'))}) * 0.3")
            self.line(1, "return total")
        self.caller(name, f"{name}({{t}}, min({{n}}, 3))")
