"""Random expressions: numbers, tests, vectors, matrices, records, lists and calls, of the names that are in scope."""

from __future__ import annotations

from collections.abc import Callable

from random_scope import BAG, CALLER, FLOAT, FUNCTION, INT, ITEMS, MAKER, PAIR, Scope

UNARY = (
    "math.sin({})",
    "math.cos({})",
    "math.tanh({})",
    "math.atan({})",
    "math.exp(0.3 * {})",
    "math.sqrt({0} * {0} + 0.5)",
    "math.log({0} * {0} + 1.0)",
    "np.sin({})",
    "np.tanh({})",
    "np.exp(0.3 * {})",
    "np.sqrt(1.0 + {0} * {0})",
    "abs({})",
    "(1.0 / (1.0 + {0} * {0}))",
    "(0.3 * {} ** 2)",
    "(-{})",
    "float({})",
    "np.arctan({})",
    "math.erf({})",
)
BINARY = (
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} * {})",
    "({} / (2.0 + abs({})))",
    "max({}, {})",
    "min({}, {})",
    "math.atan2({}, 1.5 + {} ** 2)",
    "np.maximum({}, {})",
    "np.minimum({}, {})",
    "math.hypot({}, {} + 1.7)",
    "np.hypot({}, 0.5 + abs({}))",
    "sum([{}, {}])",
    "operator.mul({}, {})",
)
RAISING = ("math.log({})", "math.sqrt({})", "(1.0 / {})", "math.asin(1.4 * {})", "math.acos({} + 0.4)")
VECTOR_UNARY = (
    "np.sin({})",
    "np.tanh({})",
    "np.exp(0.3 * {})",
    "(0.5 * {} ** 2)",
    "np.sqrt({0} * {0} + 0.5)",
    "(-{})",
    "{}[::-1]",
    "np.abs({})",
    "np.cumsum(0.3 * {})",
    "np.roll({}, 1)",
    "np.clip({}, -0.4, 0.6)",
    "{}.copy()",
    "np.flip({})",
)
VECTOR_BINARY = (
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "np.maximum({}, {})",
    "np.minimum({}, {})",
    "({} / (1.5 + np.abs({})))",
    "np.where({0} > 0.1, {0}, {1})",
    "np.where({0} < {1}, 0.5 * {1}, {0})",
    "np.stack([{}, {}])[0]",
    "np.stack([{}, {}]).sum(axis=0)",
)
REDUCTIONS = (
    "np.sum({})",
    "np.mean({})",
    "np.max({})",
    "np.min({})",
    "np.dot({0}, {0})",
    "np.linalg.norm({0} + 2.0)",
    "({0} @ {0})",
    "{}.sum()",
    "np.prod(0.5 + {})",
    "np.var({})",
    "np.sum({0}[{0} > 0.1])",
    "{}.mean()",
    "sum(u * u for u in {})",
    "sum([u * 0.5 for u in {}])",
)
SQUASHED = ("math.tanh({})", "math.sin({})", "np.tanh({})", "1.2 * math.atan({})", "math.sin({})", "soft({})")


class Expressions(Scope):
    """Each method gives the text of an expression of its kind, at most `depth` operations deep."""

    def squashed(self, text: str) -> str:
        """A number near one."""
        return self.r.choice(SQUASHED).format(text)

    # -- numbers -----------------------------------------------------------------------------------------------

    def leaf(self) -> str:
        r = self.r
        options: list[Callable[[], str]] = [lambda: r.choice(self.named(FLOAT))] * 5 if self.named(FLOAT) else []
        options.append(lambda: str(abs(self.number())))
        for name in self.of_sort("vector") + self.of_sort("list"):
            options.append(lambda name=name: f"{name}[{self.index(self.scope[name][1])}]")
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            options.append(lambda name=name, a=rows, b=columns: f"{name}[{self.index(a)}, {self.index(b)}]")
        for name in self.named(PAIR):
            options.append(lambda name=name: f"{name}[{r.randint(0, 1)}]")
        for name in self.named(INT):
            options.append(lambda name=name: r.choice((name, f"(0.5 * {name})")))
        for name in self.named(ITEMS):
            options.append(lambda name=name: r.choice((f"{name}[-1]", f"{name}[0]", f"{name}[len({name}) // 2]")))
        for name in self.named(BAG):
            options.append(lambda name=name: r.choice((f"sum({name})", f"(0.2 * len({name}))")))
        return r.choice(options)()

    def index(self, size: int) -> str:
        """An index that is in range: static, or a loop's variable whose range fits."""
        loops = [n for n, k in self.scope.items() if isinstance(k, tuple) and k[0] == "index" and k[1] <= size]
        if loops and self.r.random() < 0.7:
            name = self.r.choice(loops)
            return self.r.choice((name, name, f"-1 - {name}", f"{size - 1} - {name}", f"({name} + 1) % {size}"))
        if "raising" in self.themes and self.r.random() < 0.03:
            return str(size)
        if self.named(INT) and self.r.random() < 0.15:
            return f"{self.r.choice(self.named(INT))} % {size}"
        return str(self.r.randint(-size, size - 1))

    def int_(self, depth: int = 1) -> str:
        """A whole number that is not negative."""
        r = self.r
        names = self.named(INT) + self.of_sort("index")
        sized = self.of_sort("vector") + self.of_sort("list") + self.named(ITEMS)
        options = [str(r.randint(0, 3))] + names * 2 + [f"len({n})" for n in sized[:2]]
        text = r.choice(options)
        if depth > 0 and r.random() < 0.4 and names:
            other = self.int_(0)
            text = r.choice(
                (
                    f"({text} + {other}) % 3",
                    f"{text} // 2",
                    f"min({text}, {other})",
                    f"max({text}, {other})",
                    f"abs({text} - {other})",
                    f"({text} if {self.test(0)} else {other})",
                )
            )
        return text

    def small(self) -> str:
        """A whole number from 0 to 4: how often something is repeated."""
        text = self.int_()
        return text if text.isdigit() or text in self.of_sort("index") or text == "n" else f"min({text}, 4)"

    def float_(self, depth: int) -> str:
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self.leaf()
        roll = r.random()
        if roll < 0.24:
            return r.choice(UNARY).format(self.float_(depth - 1))
        if roll < 0.50:
            return r.choice(BINARY).format(self.float_(depth - 1), self.float_(depth - 1))
        if roll < 0.57:
            self.features.add("conditional expression")
            return f"({self.float_(depth - 1)} if {self.test(depth - 1)} else {self.float_(depth - 1)})"
        if roll < 0.70:
            return self.applied(depth) if self.named(FUNCTION) else self.leaf()
        if roll < 0.79:
            callers = self.named(CALLER)
            return self.forms[r.choice(callers)]() if callers else self.leaf()
        if roll < 0.86:
            return self.read_of_a_record(depth)
        if roll < 0.95:
            return self.reduced(depth)
        if "raising" in self.themes and r.random() < 0.5:
            self.features.add("raising")
            return r.choice(RAISING).format(self.float_(depth - 1))
        return self.leaf()

    def reduced(self, depth: int) -> str:
        """A number from many: of an array, a list or a literal of numbers."""
        r = self.r
        lists = self.named(ITEMS) + self.of_sort("list")
        if lists and r.random() < 0.5:
            name = r.choice(lists)
            with self.block({"u": FLOAT}):
                each = self.float_(1)
            self.features.add("comprehension")
            return r.choice(
                (
                    f"sum({name})",
                    f"max({name})",
                    f"sum({each} for u in {name})",
                    f"min({name})",
                    f"sum([{each} for u in {name} if u > {self.leaf()}])",
                    f"sum(a * b for a, b in zip({name}, {name}[1:]))",
                    f"sum(0.1 * u for u in {name}[1:])",
                    f"sorted({name})[0]",
                    f"sorted({name}, key=abs)[-1]",
                    f"functools.reduce(lambda a, b: a * 0.5 + b, {name}, {self.leaf()})",
                    f"sum(i * u for i, u in enumerate({name}))",
                )
            )
        if "numpy" in self.themes or "in place" in self.themes:
            size = r.randint(1, 4)
            if r.random() < 0.25:
                return self.of_a_matrix(depth)
            return r.choice(REDUCTIONS).format(self.vector(depth - 1, size))
        return self.leaf()

    def of_a_matrix(self, depth: int) -> str:
        rows, columns = self.r.randint(1, 3), self.r.randint(2, 3)
        m = self.matrix(depth - 1, rows, columns)
        return self.r.choice(
            (
                f"np.sum({m})",
                f"np.max({m})",
                f"({m}).sum(axis=0)[0]",
                f"np.mean({m}, axis=1)[-1]",
                f"np.trace({m})",
                f"np.sum({m} @ {m}.T)",
            )
        )

    def read_of_a_record(self, depth: int) -> str:
        names = [n for n in self.of_sort("record") if self.records[self.scope[n][1]].reads]
        if not names:
            return self.leaf()
        name = self.r.choice(names)
        cls = self.scope[name][1]
        p = name if self.r.random() < 0.6 else self.record(depth - 1, cls)
        return self.filled(self.r.choice(self.records[cls].reads), p, cls)

    def filled(self, template: str, p: str, cls: str) -> str:
        """A template of a class with an instance, another one and a number put in."""
        text = template.replace("{p}", p)
        if "{q}" in text:
            text = text.replace("{q}", self.record(0, cls))
        while "{t}" in text:
            text = text.replace("{t}", self.float_(1), 1)
        return text

    def record(self, depth: int, cls: str) -> str:
        """An instance of a class."""
        r, of = self.r, self.records[cls]
        names = self.named(("record", cls))
        if names and (depth <= 0 or r.random() < 0.4) and not of.mutable:
            return r.choice(names)
        if names and of.makes and depth > 0 and r.random() < 0.6:
            return self.filled(r.choice(of.makes), r.choice(names), cls)
        return f"{cls}({', '.join(self.of_kind(depth - 1, kind) for _, kind in of.fields)})"

    def of_kind(self, depth: int, kind: object) -> str:
        """An expression of a field's kind."""
        if kind == FLOAT:
            return self.float_(max(depth, 0))
        if kind == INT:
            return str(self.r.randint(0, 3))
        if kind == FUNCTION:
            functions = self.named(FUNCTION)
            return (
                self.r.choice(functions)
                if functions and self.r.random() < 0.6
                else self.r.choice(("math.sin", "np.tanh", "lambda t: t * t"))
            )
        assert isinstance(kind, tuple)
        return self.vector(max(depth, 0), kind[1]) if kind[0] == "vector" else self.record(max(depth, 0), kind[1])

    # -- calls -------------------------------------------------------------------------------------------------

    def applied(self, depth: int) -> str:
        """A call of a closure: direct, through a helper of the module, or of a function that a call returns."""
        r = self.r
        functions = self.named(FUNCTION)
        f, g, argument = r.choice(functions), r.choice(functions), self.float_(depth - 1)
        self.features.add("closure")
        forms = [f"{f}({argument})"] * 4
        forms += [
            f"twice({f}, {argument})",
            f"blend({f}, {g}, {argument})",
            f"follow({f}, {g})({argument})",
            f"choose({f}, {g}, {argument})",
            f"({f}, {g})[{r.randint(0, 1)}]({argument})",
            f"({f} if {self.test(0)} else {g})({argument})",
            f"(lambda t: {f}(t) * {self.leaf()})({argument})",
            f"sum(map({f}, ({argument}, {self.leaf()})))",
            f"functools.partial(blend, {f}, {g})({argument})",
        ]
        for maker in self.named(MAKER):
            forms += [f"{maker}({self.leaf()})({argument})"] * 2
        if "derivative" in self.themes:
            self.features.add("derivative")
            forms += [
                f"0.5 * ccc.derivative({f})({argument})",
                f"0.5 * ccc.gradient({g})({argument})",
                f"0.5 * ccc.derivative(lambda t: {f}(t) * t)({argument})",
                f"0.3 * ccc.gradient(lambda a, b: {f}(a) * {g}(b))({argument}, 1.0 * {self.leaf()})[{r.randint(0, 1)}]",
                f"0.5 * ccc.pullback({f})({argument})(1.0)",
            ]
        return r.choice(forms)

    def test(self, depth: int) -> str:
        r = self.r
        a, b = self.float_(min(depth, 1)), self.float_(min(depth, 1))
        roll = r.random()
        if roll < 0.5:
            return f"{a} {r.choice(('<', '>', '<=', '>='))} {b}"
        if roll < 0.66:
            return f"{a} > {self.leaf()} {r.choice(('and', 'or'))} {b} < {self.leaf()}"
        if roll < 0.75:
            return f"not {a} > {b}"
        if roll < 0.85 and self.named(INT) + self.of_sort("index"):
            name = r.choice(self.named(INT) + self.of_sort("index"))
            return r.choice(
                (f"{name} > 1", f"{name} == {r.randint(0, 2)}", f"{name} % 2 == 0", f"{name} != 0 and {a} > 0.0")
            )
        if roll < 0.92 and r.random() < 0.4:
            names = self.of_sort("vector")
            if names:
                v = r.choice(names)
                return r.choice(
                    (
                        f"np.any({v} > {self.leaf()})",
                        f"np.all({v} < {self.leaf()})",
                        f"any(u > {self.leaf()} for u in {v})",
                    )
                )
        return f"{self.leaf()} < {a} < 1.0"

    # -- arrays ------------------------------------------------------------------------------------------------

    def vector(self, depth: int, size: int) -> str:
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            return self.vector_leaf(size)
        roll = r.random()
        if roll < 0.32:
            return r.choice(VECTOR_UNARY).format(self.vector(depth - 1, size))
        if roll < 0.66:
            return r.choice(VECTOR_BINARY).format(self.vector(depth - 1, size), self.vector(depth - 1, size))
        if roll < 0.78:
            return f"({self.vector(depth - 1, size)} {r.choice('+*-')} {self.float_(depth - 1)})"
        if roll < 0.84:
            index = [r.randrange(size + 1) for _ in range(size)]
            return f"{self.vector_leaf(size + 1)}[np.array({index})]"
        if roll < 0.90:
            with self.block({"u": FLOAT}):
                each = self.float_(1)
            return f"np.array([{each} for u in {self.vector_leaf(size)}])"
        if roll < 0.93 and size > 1:
            return f"np.concatenate([{self.vector(0, size - 1)}, {self.vector(0, 1)}])"
        inner = r.randint(1, 3)
        m, v = self.matrix(depth - 1, size, inner), self.vector(depth - 1, inner)
        return f"({m} @ {v})"

    def vector_leaf(self, size: int) -> str:
        r = self.r
        options = list(self.named(("vector", size))) * 3
        for name in self.of_sort("vector"):
            if self.scope[name][1] == size + 1:
                options += [f"{name}[1:]", f"{name}[:-1]"]
            if self.scope[name][1] == 2 * size:
                options.append(f"{name}[::2]")
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            if columns == size:
                options += [f"{name}[{self.index(rows)}]", f"np.sum({name}, axis=0)"]
            if rows == size:
                options += [f"{name}[:, {self.index(columns)}]", f"{name}.T[{self.index(columns)}]"]
        options += [f"np.array([{', '.join(self.leaf() for _ in range(size))}])"]
        if r.random() < 0.1:
            options.append(r.choice((f"np.zeros({size})", f"np.arange({size}.0)", f"np.full({size}, {self.leaf()})")))
        return r.choice(options)

    def matrix(self, depth: int, rows: int, columns: int) -> str:
        r = self.r
        names = self.named(("matrix", rows, columns))
        turned = [f"{n}.T" for n in self.named(("matrix", columns, rows))]
        if names + turned and (depth <= 0 or r.random() < 0.5):
            return r.choice(names + turned)
        if depth > 0 and r.random() < 0.6:
            m = self.matrix(depth - 1, rows, columns)
            return r.choice(
                (
                    f"np.tanh({m})",
                    f"({m} * {self.leaf()})",
                    f"({m} + {self.vector(0, columns)})",
                    f"({m} * {self.vector(0, rows)}[:, None])",
                    f"({m} - {self.matrix(0, rows, columns)})",
                    f"np.where({m} > 0.2, {m}, 0.5)",
                )
            )
        return r.choice(
            (
                f"np.outer({self.vector(0, rows)}, {self.vector(0, columns)})",
                f"({self.vector(0, rows)}[:, None] * {self.vector(0, columns)})",
                f"np.array([{', '.join(self.vector(0, columns) for _ in range(rows))}])",
                f"{self.vector(0, rows * columns)}.reshape({rows}, {columns})",
            )
        )
