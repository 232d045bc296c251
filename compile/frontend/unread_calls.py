"""What is said of calls of functions that are not read: that they have no derivative, or differ at each call."""

from __future__ import annotations

import ast
import string
from typing import Any

import numpy as np

from ccc.compile.diagnostics import IN_CALLER, UNREADABLE, UnsupportedPython, is_installed, unsupported
from ccc.compile.frontend import known_objects
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.unrepeatable import is_random, is_random_class
from ccc.compile.frontend.values import Frame, variables_in
from ccc.primitives import registry
from ccc.wording import is_called_object

INSTEAD = {
    "hash": "compute it in the caller",
    "iter": "use a loop",
    "decimal.Decimal": "compute with floats, or with `fractions.Fraction`, and round what comes out in the caller",
    "numpy.seterr": "write `with np.errstate(...):`", "numpy.seterrcall": "write `with np.errstate(call=...):`",
}
"""What to write instead of functions that need no derivative rule."""


def instead_of(function: Any) -> str | None:
    """What to write instead of a function."""
    return INSTEAD.get(full_name(function))


TEXTS = "make the text in the caller"
MASKED = "leave out what is masked: `x[~mask]`, or `np.sum(x, where=~mask)`"
NOT_KNOWN = "it is one of those of NumPy and SciPy that have no derivative here"


def differing(e: Elaboration, function: Any, node: ast.AST, frame: Frame | None) -> UnsupportedPython:
    """The refusal of what gives something else at each call, or makes what does."""
    name, where = written(function, node), e.place(node, frame)
    if is_random_class(function):
        return unsupported("CC032", f"`{name}` makes a source of random numbers that is not known here", where,
                           help="make one that is: `np.random.default_rng(seed)`")
    drawn = is_random(getattr(function, "__self__", None))
    return unsupported("CC032", f"the result depends on `{name}`, which differs at each call", where,
                       *(["a derivative is that of one function, not of a draw"] if drawn else []),
                       help="draw from `np.random.default_rng(seed)`, or before, and pass the value as an argument"
                       if drawn else "call it before, and pass what it gives as an argument")


BELOW: dict[type, str] = {
    dict: "derive it from `collections.UserDict`, or keep the dict in an attribute",
    list: "keep the list in an attribute: `self.items = list(...)`",
    tuple: "make it a `NamedTuple` or a dataclass",
    np.ndarray: "keep the array in an attribute: `self.values = np.asarray(...)`",
    **dict.fromkeys((float, int, complex), "keep the number in an attribute of a dataclass"),
}
"""What stands for a class below one of these."""


def no_rule(e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame | None) -> UnsupportedPython:
    """The refusal of a function that can neither be read nor has a derivative."""
    cls = type(function)
    if is_called_object(function):
        own = f"make `{cls.__name__}` a dataclass, or make the object inside the function"
        return unsupported("CC020", f"objects of the class `{cls.__name__}` are not read", e.place(node, frame),
                           help="use it in the caller" if is_installed(cls) else own)
    if known_objects.is_making(function):
        return unsupported("CC020", f"`{written(function, node)}` is given what is not known here, or raises",
                           e.place(node, frame), help="compute it in the caller, and pass the numbers that it gives")
    base = None if not isinstance(function, type) or is_installed(function) else next(
        (b for b in function.__mro__ if b in BELOW), None)
    if base is not None:
        return unsupported("CC020", f"objects of a class below `{base.__name__}` cannot be made here",
                           e.place(node, frame), f"they are made in C, by `{base.__name__}`", help=BELOW[base])
    name, of_text = written(function, node), full_name(function).startswith("str.")
    names = ", ".join(string.ascii_lowercase[: len(args)]) if 0 < len(args) <= 26 else "*args"
    cts = ", ".join(["..."] * len(args))
    if full_name(function).startswith("numpy.ma."):
        raise unsupported("CC020", f"`{name}` makes a masked array, which is not supported", e.place(node, frame),
                          help=MASKED)
    named = any(not isinstance(k.value, ast.Constant) for k in node.keywords) if isinstance(node, ast.Call) else False
    given: Any = named or variables_in(tuple(args)) or of_text or instead_of(function)
    rule = f"`@ccc.derivative_of({name})` above `def rule({names}): return {name}({names}), lambda ct: ({cts})`"
    return unsupported("CC020", f"no derivative rule for `{full_name(function)}`", e.place(node, frame),
                       NOT_KNOWN if is_of_libraries(function) else UNREADABLE,
                       help=IN_CALLER if not given else instead_of(function) or (
                           f"give it one: {rule}" if not of_text else TEXTS))


def is_of_libraries(function: Any) -> bool:
    """True for what NumPy and SciPy have, whose source says nothing to a user even where there is some."""
    owner = getattr(function, "__self__", None)
    modules = [getattr(function, "__module__", None) or "", type(function).__module__, type(owner).__module__]
    return any(name.partition(".")[0] in ("numpy", "scipy") for name in modules)


def full_name(function: Any) -> str:
    """What a function is called, with its module."""
    owner = getattr(function, "__self__", None)
    if registry.is_holder(owner):
        return f"{type(owner).__module__.partition('._')[0]}.{registry.name_of(owner)}.{function.__name__}"
    what = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__)
    module = getattr(function, "__module__", None)
    return f"{module}.{what}" if module and module != "builtins" else what


def written(function: Any, node: ast.AST) -> str:
    """A function as it is called at a place."""
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return text if text.replace(".", "").isidentifier() else full_name(function)
