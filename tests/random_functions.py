"""Random statements that make functions: closures, functions in structures, recursion, derivatives."""

from __future__ import annotations

from random_scope import FLOAT, FUNCTION, INT, MAKER, Kind
from random_statements import Choice, Statements


class Functions(Statements):
    """Each method writes one statement of its kind."""

    def helpers(self) -> None:
        """Functions of the module that the statements use."""

    def choices(self, depth: int) -> list[Choice]:
        found = super().choices(depth)
        if "functions" in self.themes and depth < 4:
            found += [(1.3, self.define), (0.7, self.rename), (0.3, self.several_functions)]
        if "recursion" in self.themes and depth < 4:
            found.append((0.4, self.nested_recursion))
        if "derivative" in self.themes:
            found.append((0.9, self.derive))
        return found

    # -- functions ---------------------------------------------------------------------------------------------

    def formula(self, parameter: str) -> str:
        """A number computed from a parameter and from what is around."""
        with self.block({parameter: FLOAT}):
            if self.r.random() < 0.5:
                return f"math.sin({parameter} * {self.float_(2)})"
            return self.squashed(self.float_(2))

    def define(self, depth: int) -> None:
        r = self.r
        self.features.add("closure")
        hidden = {n for n in self.named(FUNCTION) + self.named(MAKER) + self.of_sort("caller") if r.random() < 0.6}
        if r.random() < 0.2:
            name = self.fresh("make")
            self.line(depth, f"def {name}(k):")
            with self.without(hidden), self.block({"k": FLOAT}):
                if r.random() < 0.5:
                    self.line(depth + 1, f"return lambda t: {self.formula('t')}")
                else:
                    self.line(depth + 1, "def inner(t):")
                    self.line(depth + 2, f"return {self.formula('t')}")
                    self.line(depth + 1, "return inner")
            self.bind(name, MAKER)
            return
        old = self.local(self.named(FUNCTION))
        name = r.choice(old) if old and depth == 1 and r.random() < 0.2 else self.fresh("g")
        if r.random() < 0.4:
            with self.without({*self.of_functions()} if name in old else hidden):
                default = f", k={self.leaf()}" if r.random() < 0.15 else ""
                with self.block({"k": FLOAT} if default else {}):
                    self.line(depth, f"{name} = lambda t{default}: {self.formula('t')}")
        else:
            self.line(depth, f"def {name}(t):")
            out_of_sight = {*self.of_functions()} if name in old else hidden
            with self.without(out_of_sight), self.function({"t": FLOAT}, lambda: self.squashed(self.float_(2))):
                self.statements(depth + 1, r.randint(0, 3))
                self.line(depth + 1, f"return {self.returns()}")
        self.bind(name, FUNCTION)
        if r.random() < 0.3:  # rebind what the closure may have captured, before it is called
            self.augment(depth)

    def of_functions(self) -> list[str]:
        """Names that call functions: hidden from the body of one that is bound again, which would become recursive."""
        return self.named(FUNCTION) + self.named(MAKER) + self.of_sort("caller")

    def rename(self, depth: int) -> None:
        """A function under another name, one of two, or one kept in a structure."""
        functions = self.named(FUNCTION)
        if not functions:
            return self.define(depth)
        name = self.fresh("g")
        f, g = self.r.choice(functions), self.r.choice(functions)
        index, key = self.r.randint(0, 1), self.r.choice("fg")
        text = self.r.choice(
            (
                f,
                f"follow({f}, {g})",
                f"{f} if {self.test(1)} else {g}",
                f"({f}, {g})[{index}]",
                f'{{"f": {f}, "g": {g}}}["{key}"]',
                f"functools.partial(blend, {f}, {g})",
            )
        )
        self.line(depth, f"{name} = {text}")
        self.bind(name, FUNCTION)
        return None

    def several_functions(self, depth: int) -> None:
        """Functions in a list, made in a comprehension or one by one, and applied one after the other."""
        fs, t = self.fresh("fs"), self.fresh("t")
        self.features.add("functions in structures")
        if self.r.random() < 0.5:
            over = f"({self.leaf()}, {self.leaf()})"
            with self.block({"k": FLOAT}):
                self.line(depth, f"{fs} = [lambda t, k=k: {self.formula('t')} for k in {over}]")
        else:
            self.line(depth, f"{fs} = [lambda t: {self.formula('t')}, math.sin]")
            if self.named(FUNCTION):
                self.line(depth, f"{fs}.append({self.r.choice(self.named(FUNCTION))})")
        self.line(depth, f"{t} = {self.leaf()}")
        self.line(depth, f"for g in {fs}:")
        self.line(depth + 1, f"{t} = 0.5 * {t} + g({t})")
        self.bind(t, FLOAT)

    def nested_recursion(self, depth: int) -> None:
        """A function that calls itself and sees the names around it."""
        name = self.fresh("go")
        self.features.add("recursion")
        self.line(depth, f"def {name}(t, k):")
        parameters: dict[str, Kind] = {"t": FLOAT, "k": INT}
        with self.without(set(self.of_functions())), self.function(parameters, lambda: self.squashed(self.leaf())):
            self.locked.add("k")
            self.line(depth + 1, "if k <= 0:")
            self.line(depth + 2, f"return {self.squashed(self.float_(1))}")
            self.statements(depth + 1, self.r.randint(0, 2))
            self.line(depth + 1, f"return {self.squashed(f'{self.leaf()} + 0.5 * {name}({self.float_(1)}, k - 1)')}")
        self.forms[name] = lambda: f"{name}({self.leaf()}, {self.small()})"
        self.bind(name, ("caller",))

    # -- derivatives -------------------------------------------------------------------------------------------

    def derive(self, depth: int) -> None:
        """A derivative taken where the program runs: of a lambda that captures, also in loops."""
        r = self.r
        self.features.add("derivative")
        roll = r.random()
        if roll < 0.3:
            a, b = self.fresh("t"), self.fresh("t")
            with self.block({"a": FLOAT, "b": FLOAT}):
                text = self.squashed(f"a * b + {self.float_(2)}")
            verb = r.choice(("ccc.gradient(", "ccc.value_with_gradient("))
            left = f"{a}, {b}" if verb == "ccc.gradient(" else f"{self.fresh('value')}, ({a}, {b})"
            self.line(depth, f"{left} = {verb}lambda a, b: {text})(1.0 * {self.leaf()}, 1.0 * {self.leaf()})")
            self.bind(a, FLOAT)
            self.bind(b, FLOAT)
        elif roll < 0.55 and self.of_sort("vector"):
            v = r.choice(self.of_sort("vector"))
            name, kind = self.fresh("a"), self.scope[v]
            self.line(depth, f"{name} = ccc.gradient(lambda u: np.sum(np.sin(u) * {self.leaf()}))({v})")
            self.bind(name, kind)
        else:
            names = self.numbers_to_bind()
            t = r.choice(names) if names else self.fresh("t")
            start = f"{t} - " if names else "0.5 - "
            self.line(depth, f"{t} = {start}0.2 * ccc.derivative(lambda t: {self.formula('t')})({self.leaf()})")
            self.bind(t, FLOAT)
