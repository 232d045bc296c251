"""How names, constants and expressions of a program are written as Python; `emit` writes the statements around them.

>>> texts = Texts()
>>> texts.fresh("t"), texts.fresh("t"), texts.literal(-1.5), texts.tree((None,))
('t', 't2', '(-1.5)', '(None,)')
"""

from __future__ import annotations

import builtins
import enum
import functools
import keyword
import math
import operator
import re
from typing import Any

import numpy as np

from ccc.compile.program.lam import Absent, Apply, Atom, FunctionLeaf, Node, Tree, Var, leaves
from ccc.compile.program.sharing import is_foreign
from ccc.primitives import registry, structure
from ccc.primitives.primitive import Primitive
from ccc.records import Nones, is_keyed, is_unchanging, of_parts
from ccc.registered import registered

RESERVED = frozenset([*keyword.kwlist, *dir(builtins), "np", "math", "Fraction", "add_onto",
                      "add_all_along", *[name.partition(".")[0] for name in registry.EXTENSIONS]])
CALLEE = re.compile(r"^([A-Za-z_]\w*)\(")


class Named:
    """What stands for a constant in a text: it is shown as the name of that."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Texts:
    """The names that are taken, and what the text of one program refers to."""

    def __init__(self) -> None:
        self.names: dict[Var, str] = {}
        self.taken = set[str]()
        self.reserved = RESERVED, registry.names()
        self.count: dict[str, int] = {}
        self.namespace: dict[str, Any] = {"np": np, "math": math}
        self.constants: dict[int, str] = {}
        self.makers: dict[Any, str] = {}

    def fresh(self, hint: str) -> str:
        base = re.sub(r"\W", "_", hint) or "t"
        if base[0].isdigit():
            base = "_" + base
        name, i = base, self.count.get(base, 1)
        while self.is_taken(name):
            i += 1
            name = f"{base}_{i}" if base[-1].isdigit() else f"{base}{i}"
        self.count[base] = i
        self.taken.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a name stands for something else."""
        return name in self.taken or any([name in names for names in self.reserved])

    def name(self, var: Var) -> str:
        known = self.names.get(var)
        if known is None:
            known = self.names[var] = self.fresh(var.name)
        return known

    def parameter(self, name: str, tree: Tree, unpack: list[str]) -> str:
        """The name of a parameter; a tuple is taken apart in the first lines of the function."""
        if isinstance(tree, Var):
            tree.name = tree.name or name
            return self.name(tree)
        whole = self.fresh(name)
        self._unpack(whole, name, tree, unpack)
        return whole

    def _unpack(self, whole: str, name: str, tree: Tree, unpack: list[str]) -> None:
        """Take a tuple or record apart, and the records inside it after that."""
        inside: list[tuple[str, str, Tree]] = []
        if isinstance(tree, Node):
            known, by_key = registered(tree.cls), is_keyed(tree.cls)
            if known is not None:
                parts, given, by_key = self.fresh(f"parts_of_{tree.cls.__name__}"), whole, True
                self.namespace[parts], whole = known.parts, self.fresh(f"{name}_parts")
                unpack.append(f"{whole} = {parts}({given})")
            for key, part in zip(tree.names, tree, strict=True):
                if any(True for _ in leaves(part)):
                    pattern = self._pattern(f"{name}_{key}" if is_keyed(tree.cls) else str(key), part, inside)
                    unpack.append(f"{pattern} = {whole}{f'[{self.key(key)}]' if by_key else f'.{key}'}")
        elif isinstance(tree, tuple) and tree:
            unpack.append(f"{self._pattern(name, tree, inside)} = {whole}")
        for found in inside:
            self._unpack(*found, unpack)

    def _pattern(self, name: str, tree: Tree, inside: list[tuple[str, str, Tree]]) -> str:
        if isinstance(tree, Node):
            whole = self.fresh(name)
            inside.append((whole, name, tree))
            return whole
        if isinstance(tree, tuple) and tree:
            parts = [self._pattern(f"{name}_{i}", part, inside) for i, part in enumerate(tree)]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return self.parameter(name, tree, []) if isinstance(tree, Var) else self.fresh("_")

    def text(self, atom: Atom) -> str:
        return self.name(atom) if isinstance(atom, Var) else self.literal(atom.value)

    def literal(self, value: Any) -> str:
        if value is None:
            return "None"
        if isinstance(value, Absent):
            return value.text
        if isinstance(value, (bool, str)):
            return repr(value)
        if isinstance(value, Nones):
            return f"np.full({value.shape}, None)"
        if isinstance(value, (int, float)) and type(value) in (int, float):
            if isinstance(value, float) and not math.isfinite(value):
                return "math.nan" if value != value else "math.inf" if value > 0 else "(-math.inf)"
            return f"({value!r})" if value < 0 or repr(value)[0] == "-" else repr(value)
        known = self.constants.get(id(value))
        if known is None:
            known = self.constants[id(value)] = self.fresh(value.__name__ if isinstance(value, type) else "const")
            self.namespace[known] = value
        return known

    def key(self, key: Any) -> str:
        """A key of a dict as an expression."""
        return repr(self.named(key))

    def named(self, x: Any) -> Any:
        """What is handed to a primitive's text, where members of enumerations and dates show their names there."""
        if type(x) is tuple:
            parts = tuple(map(self.named, x))
            return x if all(map(operator.is_, parts, x)) else parts
        return Named(self.literal(x)) if isinstance(x, enum.Enum) or is_unchanging(x) else x

    def tree(self, tree: Tree) -> str:
        """A tree of atoms as an expression."""
        if isinstance(tree, Node):
            return self.record(tree.cls, tree.names, list(map(self.tree, tree)))
        if isinstance(tree, tuple):
            return f"({', '.join(map(self.tree, tree))}{',' if len(tree) == 1 else ''})"
        assert not isinstance(tree, FunctionLeaf)
        return "None" if tree is None else self.text(tree)

    def record(self, cls: type, names: tuple[Any, ...], parts: list[str]) -> str:
        """A record as an expression: a dict display, or a maker that runs no code of the class."""
        if cls is dict:
            return f"{{{', '.join(f'{self.key(key)}: {text}' for key, text in zip(names, parts, strict=True))}}}"
        if cls is list:
            return f"[{', '.join(parts)}]"
        key = (cls, names)
        maker = self.makers.get(key)
        if maker is None:
            maker = self.makers[key] = self.fresh(f"new_{cls.__name__}")
            self.namespace[maker] = functools.partial(of_parts, cls, names)
        return f"{maker}({', '.join(parts)})"

    def expression(self, op: Apply, args: list[str]) -> str:
        p = op.primitive
        if p is structure.record:
            return self.record(op.params["cls"], op.params["names"], args)
        if p is structure.touched_field:
            of, name = op.params["of"], op.params["name"]
            return self.record(of.cls, of.names, [args[0] if other == name else "None" for other in of.names])
        if is_foreign(p) or (p is structure.field and registered(op.params["cls"]) is not None):
            return self.called(p, op.params, args)
        params = {name: self.named(x) for name, x in op.params.items()}
        text: str = p.source.format(*args) if isinstance(p.source, str) else p.source(*args, **params)
        called = CALLEE.match(text)
        if called and called[1] in (named := registry.names()):
            if not hasattr(builtins, called[1]):  # which texts call as Python does, whatever a primitive's name is
                self.namespace[called[1]] = named[called[1]]
        elif called and called[1] == p.name:  # of no name that all programs know
            return self.called(p, op.params, args)
        top = p.name.partition(".")[0]
        if top in registry.LIBRARIES:
            self.namespace[top] = registry.LIBRARIES[top]
        if "Fraction(" in text:
            from fractions import Fraction

            self.namespace["Fraction"] = Fraction
        return text

    def called(self, p: Primitive, params: dict[str, Any], args: list[str]) -> str:
        """The call of a primitive that is not in the registry: the function itself, under a name of its own."""
        key = (p, tuple(params.items()))
        name = self.makers.get(key)
        if name is None:
            name = self.makers[key] = self.fresh(re.sub(r"\W", "_", p.name))
            self.namespace[name] = functools.partial(p.value, **params) if params else p.value
        return f"{name}({', '.join(args)})"

    def modes(self, errors: tuple[tuple[str, Any], ...]) -> str:
        """The arguments of `np.errstate`."""
        found: list[str] = []
        for name, mode in errors:
            text = repr(mode)
            if not isinstance(mode, str):
                text = self.makers.setdefault(("errors", mode), self.fresh("on_error"))
                self.namespace[text] = mode
            found.append(f"{name}={text}")
        return ", ".join(found)
