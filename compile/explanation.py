"""What became of a function, stage by stage.

>>> def f(x, y):
...     return x * y
>>> print(explained(f, (2.0, 3.0), {}).code)
def f_gradient(x, y):
    return (y, x)
"""

from __future__ import annotations

import html
from typing import Any

from ccc.errors import CCCError
from compile.abstract import abstract
from compile.elaborate import elaborate
from compile.lam import Program
from compile.pipeline import Plan, chosen, derived, emit
from compile.redundancy import without_redundancy
from compile.wrapper import Transform


class Explanation:
    """The stages of a gradient: `source`, `lam` (λ-program), `term`, `derivative` (λ-program), `code`, and `backend`,
    what computes it, with the reason where another backend was asked for.

    >>> print(explained(lambda x: x * x, (3.0,), {}).lam)
    λ x:R.
      t = x * x
      t
    """

    def __init__(self, sections: list[tuple[str, str]]) -> None:
        self.sections = dict(sections)

    @property
    def source(self) -> str:
        return self.sections["source"]

    @property
    def lam(self) -> str:
        return self.sections["λ-program"]

    @property
    def term(self) -> str:
        return self.sections["combinators"]

    @property
    def derivative(self) -> str:
        return self.sections["derivative program"]

    @property
    def code(self) -> str:
        return self.sections["generated code"]

    @property
    def backend(self) -> str:
        return self.sections["backend"]

    def __str__(self) -> str:
        rules = {title: "─" * max(1, 70 - len(title)) for title in self.sections}
        return "\n\n".join(f"── {title} {rules[title]}\n{text}" for title, text in self.sections.items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{html.escape(t)}</h4><pre>{html.escape(text)}</pre>" for t, text in self.sections.items())


def term_of(program: Program) -> str:
    """The term of a program, or why it has none: sizes of what is derived inside of it may be known less well."""
    try:
        return str(abstract(program))
    except CCCError as error:
        return f"none: {error}"


def explained(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Explanation:
    """The explanation of the gradient of `f` at these arguments."""
    transform = f if isinstance(f, Transform) else Transform(f)
    function = transform.function
    args, kwargs = transform.prepared(args, kwargs)
    positions, form = transform.positions(args, kwargs)
    kind = transform.kind if transform.kind != "value" or transform.verb else "gradient"
    plan = Plan(kind, positions, transform.exponential, form == "bare", transform.backend)
    elaborated = elaborate(function, args, kwargs)
    source = elaborated.source.text if elaborated.source is not None else repr(function)
    lam = str(elaborated.program)
    term = term_of(elaborated.program)
    program = derived(plan, elaborated)
    without_redundancy(program)
    given = [*args, *kwargs.values(), *[hidden.read() for hidden in elaborated.hidden]]
    text, code = str(program), emit(program, plan).source.rstrip("\n")
    return Explanation([
        ("source", source), ("λ-program", lam), ("combinators", term), ("derivative program", text),
        ("generated code", code), ("backend", chosen(program, plan, given)),
    ])
