"""`ccc.export`: a function and its gradient as a shared library and a header of C.

    lib<name>.so  <name>.h       int32_t <name>(arguments, value), int32_t <name>_gradient(arguments, value, cotangents)

Sizes are those of example arguments. What a program calls in NumPy or in Python cannot be there: it is refused with its
place.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ccc.compile.api import pipeline
from ccc.compile.api.transforms import compiled, gradient, value_with_gradient
from ccc.compile.diagnostics import CompileError, WrongArguments, telling, unsupported
from ccc.compile.frontend.derivation import names_of
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import exporting, installation
from ccc.compile.native.exporting import C_TYPES, NUMBERS, Leaf
from ccc.compile.passes.improve import improve
from ccc.compile.program.assumed import NUMBER, Bound
from ccc.compile.program.deep import LOCK, deeply
from ccc.compile.program.lam import Apply
from ccc.compile.program.shapes import assumed_in
from ccc.compile.program.target import NotTaken
from ccc.compile.terms.plan import derived
from ccc.compile.terms.readback import run_in
from ccc.diagnostics import Span
from ccc.primitives.facts import SYSTEMS
from ccc.records import parts_of, taken_apart


class Exported(NamedTuple):
    """The files of a library, and the functions in it as C declares them."""

    library: Path
    header: Path
    functions: tuple[str, ...]


def leaves_of(x: Any, name: str) -> list[tuple[str, Any]]:
    """The numbers and arrays in a value, with names for C.

    >>> leaves_of({"w": 1.0, "layers": [2.0, (None, 3.0)]}, "p")
    [('p_w', 1.0), ('p_layers_0', 2.0), ('p_layers_1_1', 3.0)]
    """
    if x is None or isinstance(x, str):
        return []
    record = taken_apart(x)
    names = record[1] if record is not None else None
    parts = record[2] if record is not None else parts_of(x)
    if parts is None:
        return [(name, x)]
    at = names if names is not None else range(len(parts))
    return [leaf for n, part in zip(at, parts, strict=True)
            for leaf in leaves_of(part, f"{name}_{re.sub(r'[^a-zA-Z0-9_]', '_', str(n))}")]


def leaf_of(name: str, x: Any, what: str, known: bool = False) -> Leaf:
    """A number or array as C has it. Raises `WrongArguments` for others."""
    dtype = str(np.asarray(x).dtype)
    if dtype not in (C_TYPES if isinstance(x, np.ndarray) else NUMBERS | ({"bool": ""} if not known else {})):
        raise WrongArguments(f"`{name}` is {what} of {dtype}, for which a function of C has no place here",
                             help="give numbers and arrays of float64, float32 or int64")
    return Leaf(name, dtype, x.shape if isinstance(x, np.ndarray) else None, x if known else None)


class Lowered(NamedTuple):
    """A program in machine code, its arguments as C has them, those that are read outside, and what whole numbers were
    settled as."""

    found: Any
    shown: list[Leaf]
    hidden: list[Leaf]
    settled: list[Bound]


def lowered_at(transform: Any, name: str, args: tuple[Any, ...]) -> Lowered:
    """The program of a transform at some arguments. Raises `CompileError` where it cannot be a function of C."""
    from ccc.compile.native.target import lowered

    function = transform.function
    args, _ = transform.prepared(args, {})
    plan = transform.plan_for(args, {})
    with LOCK:
        elaborated = elaborate(function, *plan.examples(args, {}), writes=plan.writes, settles=True)
        place = elaborated.source.span(elaborated.source.node) if elaborated.source is not None else None
        if elaborated.writes is not None:
            raise no_function(name, "changes what it is given", place, "let it change a copy: x = x.copy()")
        program = derived(*pipeline.ended(plan, elaborated))
        given = pipeline.given(function, elaborated, args, {})
        program.assumed = assumed_in(program, given)
        improve(program, plan.staged)
        primitives = [(let.op.primitive, let.span) for here in run_in(program.block) for let in here.lets
                      if isinstance(let.op, Apply)]
        effects, systems = [[span for p, span in primitives if test(p)] or [place]
                            for test in (lambda p: p.effect, lambda p: p.work == SYSTEMS)]
        try:
            found = lowered(program, False, given)
        except NotTaken as reason:
            raise no_function(name, f"has {reason}, which machine code does not take", effects[0] or place) from None
    for let, reason in found.out.items():
        raise no_function(name, f"calls out to NumPy or Python here: {reason}", let.span or place)
    if exporting.of_numpy(found):
        raise no_function(name, "calls the linear algebra of NumPy here", systems[0] or place)
    inside = names_of(function, len(args), {})
    shown = [leaf_of(n, x, "an argument") for arg, a in zip(args, inside, strict=True) for n, x in leaves_of(arg, a)]
    hidden = [leaf_of(f"hidden{i}", x, "what is read outside", True)
              for i, value in enumerate(given[len(args):]) for _, x in leaves_of(value, "")]
    settled = [bound for bound in pipeline.bounds(elaborated) if bound.axis.axis == NUMBER]
    return Lowered(found, shown, hidden, settled)


def no_function(name: str, why: str, place: Span | None, help: str = "export the part of it that computes with numbers "
                "and arrays alone") -> CompileError:
    """The refusal of a program that cannot be a function of C."""
    return unsupported("CC003", f"`{name}` {why}: it cannot be a function of C", place, help=help)


@telling
@deeply
def export(f: Callable[..., Any], *args: Any, to: Any, name: str = "", wrt: Any = None) -> Exported:
    """A function of numbers and arrays, and its gradient, as a shared library and a header of C in the folder `to`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for line in export(lambda x, y: np.sum(x * y), np.ones(3), 2.0, to=folder, name="scaled").functions:
    ...         print(line)
    int32_t scaled(const double x[3], double y, double *value);
    int32_t scaled_gradient(const double x[3], double y, double *value, double x_gradient[3], double *y_gradient);

    The arguments are an example: dtypes and sizes are theirs, and numbers among them are arguments of C, doubles where
    an int is given for a parameter that is annotated as a `float`. Structures are taken apart, `p["w"]` is `p_w`. What
    the function reads outside is a constant, as it is now. The gradient is there where the value is one real number, in
    the arguments `wrt`. Functions give 0, or 1 where Python would raise, or 2 where whole numbers had to be known and
    are others, or results would have other sizes. The library has code for this processor and needs nothing of Python;
    `cc` links it (extra `native`). Raises `CompileError`, with the place, for what calls out to Python or NumPy, or
    changes its arguments, and `WrongArguments` where `cc` or LLVM is missing.

    Source: LLVM, *The LLVM Target-Independent Code Generator*.
    """
    name = name or getattr(f, "__name__", "")
    compiler = shutil.which("cc")
    if not name.isidentifier():
        raise WrongArguments(f"`{name}` is no name for a function of C", help="give one: name='f'")
    if compiler is None or not installation.installed():
        missing = "a compiler of C, `cc`" if compiler is None else "LLVM"
        raise WrongArguments(f"{missing} is not installed", help="install it, or pip install 'ccc-ad[native]'")
    args = tuple(map(as_annotated, [*annotated(f), *[None] * len(args)], args))
    folder = Path(to)
    folder.mkdir(parents=True, exist_ok=True)
    of_value = lowered_at(compiled(f, backend="native"), name, args)
    value = compiled(f, backend="native")(*args)
    values = [leaf_of(n, x, "a result") for n, x in leaves_of(value, "value")]
    made = [(name, of_value, values)]
    if isinstance(value, (float, np.floating)):
        cts = gradient_leaves(f, args, wrt, gradient(f, wrt=wrt, backend="native")(*args))
        both = value_with_gradient(f, wrt=wrt, backend="native")
        made.append((f"{name}_gradient", lowered_at(both, f"{name}_gradient", args), values + cts))
    texts, lines = list[str](), list[str]()
    for named, program, results in made:
        try:
            texts.append(exporting.module(program.found, named, [*program.shown, *program.hidden], results,
                                          program.settled))
        except NotTaken as reason:
            raise no_function(named, f"has {reason}", None) from None
        listed = [leaf.declared(False) for leaf in program.shown] + [leaf.declared(True) for leaf in results]
        lines.append(f"int32_t {named}({', '.join(listed)});")
    library = folder / f"lib{name}.{'dylib' if sys.platform == 'darwin' else 'so'}"
    try:
        exporting.library(texts, [named for named, _, _ in made], library, compiler)
    except NotTaken as reason:
        raise no_function(name, f"needs {reason}", None) from None
    header = folder / f"{name}.h"
    header.write_text(HEADER.format(name=name, guard=name.upper(), lines="\n".join(lines)), "utf-8")
    return Exported(library, header, tuple(lines))


def annotated(f: Callable[..., Any]) -> list[Any]:
    """What the parameters of a function that are given in order are annotated as."""
    return [p.annotation for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def as_annotated(annotation: Any, x: Any) -> Any:
    """An int as the float that its parameter is annotated as.

    >>> as_annotated(float, 2), as_annotated("float", 2), as_annotated(int, 2)
    (2.0, 2.0, 2)
    """
    return float(x) if type(x) is int and annotation in (float, "float") else x


def gradient_leaves(f: Callable[..., Any], args: tuple[Any, ...], wrt: Any, found: Any) -> list[Leaf]:
    """The cotangents as C has them."""
    names = names_of(f, len(args), {})
    asked = list(range(len(args))) if wrt is None else list(wrt) if isinstance(wrt, (tuple, list)) else [wrt]
    bare = not isinstance(wrt, (tuple, list)) and len(asked) == 1
    of = [re.sub(r"[^a-zA-Z0-9_]+", "_", names[w] if isinstance(w, int) else w).strip("_") for w in asked]
    return [leaf_of(f"{n}_gradient", x, "a cotangent") for name, ct in zip(of, [found] if bare else found, strict=True)
            for n, x in leaves_of(ct, name)]


HEADER = """/* {name}: machine code for the processor that it was made on. Arrays lie in the order of C.
   Each function gives 0; 1 where Python would raise; 2 where whole numbers are not those of the example that had to be
   known, or results have other sizes. */
#ifndef CCC_{guard}_H
#define CCC_{guard}_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {{
#endif
{lines}
#ifdef __cplusplus
}}
#endif
#endif
"""

__all__ = ["export"]
