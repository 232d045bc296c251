"""What became of a function, stage by stage: in a terminal as text, in a notebook as a page with the term drawn.

>>> def f(x, y):
...     return x * y
>>> print(explained(f, (2.0, 3.0), {}).code)
def f_gradient(x, y):
    return (y, x)
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ccc.arrows import Arrow
from ccc.compile.api import pipeline
from ccc.compile.api.allocations import allocations
from ccc.compile.api.choice import chosen
from ccc.compile.api.explanation_page import page_of
from ccc.compile.api.guests import Hosted
from ccc.compile.api.kept import Code
from ccc.compile.api.loop_tapes import kept_by_loops
from ccc.compile.api.memory_limits import within
from ccc.compile.api.phases import Phases, phases
from ccc.compile.api.tape_memory import tape_memory
from ccc.compile.api.targets import REFERENCE
from ccc.compile.api.transforms import gradient
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import Span, telling
from ccc.compile.frontend.elaborate import Elaborated, elaborate
from ccc.compile.numpy_source.numpy_target import NUMPY, Source
from ccc.compile.passes.engine import Change
from ccc.compile.passes.improve import improve
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.deep import deeply
from ccc.compile.program.lam import Program
from ccc.compile.program.pretty import placed_lines
from ccc.compile.program.shapes import assumed_in
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.derive import check_first_order
from ccc.compile.terms.plan import Kind, Plan, derived, ending
from ccc.errors import CannotStage, CCCError

SECTIONS = (
    "source", "places", "allocations", "λ-program", "combinators", "primal", "tape", "adjoint", "canonical gradient",
    "final gradient", "passes", "derivative program", "kept by loops", "generated code", "backend",
)  # fmt: skip
OPEN = ("source", "combinators", "generated code")
"""The sections that a page shows at first."""


class Explanation:
    """The stages of a derivative: `source`, `places` (what stands in which store, and why),
    `allocations` (what is made where, and what it is in the program), `lam` (λ-program),
    `term`, the phases of the derivative `primal`, `tape`, `adjoint`, `canonical_gradient` and `final_gradient`,
    then `passes`, which says of each pass that changed the program, those of the target last, what it does and
    which lets went and came, `derivative` (λ-program), `kept` (what its loops keep for later ones, with the line and
    the bytes, "" where that is nothing) and `code`, in which the phases are one, and `backend`, what
    computes it, with the reason where another backend was asked for, and how many calls machine code has left so far.
    `arrow` is the term itself, None where there is none; `svg` is its string diagram; `file` is the code as a file
    that runs by itself, `memory` the bytes of the tape by line.

    >>> print(explained(lambda x: x * x, (3.0,), {}).lam)
    λ x:R.
      t = x * x
      t
    >>> print(explained(lambda x: x * x, (3.0,), {}).passes)
    none: each pass left the program as it was
    """

    def __init__(self, sections: dict[str, str], arrow: Arrow | None = None, written: Source | None = None,
                 measured: Callable[[], str] | None = None, lines: dict[str, list[Any]] | None = None) -> None:
        self.lines = lines or {}  # of sections: the place of each line in the user's program
        self.sections = {title: sections[title] for title in SECTIONS if title in sections}
        self.arrow = arrow
        self.written, self.measured = written, measured

    @property
    def source(self) -> str:
        return self.sections["source"]

    @property
    def places(self) -> str:
        """Where lists, dicts, objects and arrays stand, one by one; "" where no store was needed."""
        return self.sections.get("places", "")

    @property
    def allocations(self) -> str:
        """Where the function makes lists, dicts, sets, objects and arrays, and what each is in the program, with the
        reason; "" where it makes none."""
        return self.sections.get("allocations", "")

    @property
    def lam(self) -> str:
        return self.sections["λ-program"]

    @property
    def term(self) -> str:
        return self.sections["combinators"]

    @property
    def primal(self) -> str:
        return self.sections.get("primal", "")

    @property
    def tape(self) -> str:
        return self.sections.get("tape", "")

    @cached_property
    def memory(self) -> str:
        """How many bytes the tape holds at these arguments, value by value with the lines; the function is run for it,
        when it is first asked for. "" where there is no tape."""
        return "" if self.measured is None else self.measured()

    @property
    def adjoint(self) -> str:
        return self.sections.get("adjoint", "")

    @property
    def canonical_gradient(self) -> str:
        return self.sections.get("canonical gradient", "")

    @property
    def final_gradient(self) -> str:
        return self.sections.get("final gradient", "")

    @property
    def passes(self) -> str:
        return self.sections["passes"]

    @property
    def derivative(self) -> str:
        return self.sections["derivative program"]

    @property
    def code(self) -> str:
        return self.sections["generated code"]

    @property
    def file(self) -> str:
        """The code as a file that runs by itself: with what it imports, and a comment for what no file can have."""
        return self.written.file if self.written is not None else self.code

    @property
    def kept(self) -> str:
        return self.sections.get("kept by loops", "")

    @property
    def backend(self) -> str:
        return self.sections["backend"]

    @property
    def svg(self) -> str | None:
        """The string diagram of the term; None where the term is too large for one, or there is none."""
        return None if self.arrow is None else self.arrow._repr_svg_()

    def __str__(self) -> str:
        rules = {title: "─" * max(1, 70 - len(title)) for title in self.sections}
        return "\n\n".join(f"── {title} {rules[title]}\n{text}" for title, text in self.sections.items())

    __repr__ = __str__

    def to_json(self) -> str:
        """The sections as one object of JSON, with the string diagram as `svg`.

        >>> import json
        >>> json.loads(explained(lambda x: x * x, (3.0,), {}).to_json())["combinators"]
        'prod(id, id) o mult'
        """
        return json.dumps({**self.sections, "svg": self.svg}, ensure_ascii=False, indent=2)

    @property
    def page(self) -> str:
        """The explanation as a page of HTML that needs nothing else: source, λ-program, derivative and code side by
        side, where a line lights those that came of it.

        >>> page = explained(lambda x: x * x, (3.0,), {}).page
        >>> page.startswith("<!doctype html>"), "<script>" in page
        (True, True)
        """
        return page_of(self.sections, self.lines, self.svg, self.memory)

    def _repr_html_(self) -> str:
        parts: list[str] = []
        for title, text in self.sections.items():
            drawn = self.svg if title == "combinators" else None
            shown = f'<div style="overflow-x:auto">{drawn}</div>' if drawn else ""
            first = ' open=""' if title in OPEN else ""
            parts.append(
                f"<details{first}><summary><b>{html.escape(title)}</b></summary>{shown}"
                f'<pre style="line-height:1.3">{html.escape(text)}</pre></details>'
            )
        return "".join(parts)


def term_of(program: Program) -> tuple[str, Arrow | None]:
    """The term of a program, or why it has none: sizes of what is derived inside of it may be known less well."""
    try:
        arrow = abstract(program)
    except CCCError as error:
        return f"none: {error}", None
    return str(arrow), arrow


def of_phases(plan: Plan, elaborated: Elaborated) -> tuple[dict[str, str], Phases | None]:
    """The sections of the phases, or why the derivative has none; and these."""
    titles = SECTIONS[SECTIONS.index("primal"):][:5]
    if not plan.reverse:
        return {}, None
    try:
        found = phases(elaborated, plan.parts, plan.exponential, plan.bare, plan.aux)
    except CCCError as error:
        return dict.fromkeys(titles, f"none: {error}"), None
    texts = found.primal, found.tape, found.adjoint, found.canonical, found.final
    return dict(zip(titles, texts, strict=True)), found


def explained(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Explanation:
    """The explanation of the gradient of `f` at these arguments."""
    transform = f if isinstance(f, Transform) else Transform(f)
    asked = transform if transform is f else gradient(f)
    function = transform.function
    host = asked.host((*args, *kwargs.values())) if isinstance(asked, Hosted) else None
    if host is not None:  # which computes it, and is told what NumPy has of its arrays
        args, kwargs = tuple(host.arrays.on_host(list(args))), host.arrays.on_host(kwargs)
        transform, asked = transform.with_backend(host.target.name), asked.with_backend(host.target.name)
    args, kwargs = transform.prepared(args, kwargs)
    plan = transform.plan_for(args, kwargs)
    if not transform.verb and transform.kind is Kind.VALUE:
        plan.kind = Kind.GRADIENT
    elaborated = elaborate(function, *plan.examples(args, kwargs), writes=plan.writes, settles=True)
    check_first_order(elaborated.program)
    text, places = placed_lines(elaborated.program)
    lines = {"source": lines_of(elaborated), "λ-program": places}
    sections = {
        "source": elaborated.source.text if elaborated.source is not None else repr(function),
        "λ-program": text + written_back(elaborated),
    }
    if elaborated.places:
        sections["places"] = "\n".join(elaborated.places)
    if made := allocations(elaborated):
        sections["allocations"] = "\n".join(made)
    given = [*args, *kwargs.values(), *[hidden.read(function) for hidden in elaborated.hidden]]
    limited = ""
    if plan.memory_limit is not None and plan.reverse and not pipeline.limits_itself(plan):
        sections["memory limit"] = limited = within(plan, elaborated.program, plan.memory_limit, given)
    sections["combinators"], arrow = term_of(elaborated.program)
    try:
        program = derived(*ending(plan, elaborated.program, elaborated.state))
    except CannotStage as error:
        reason = f"none: it runs on the host, for {error}"
        sections |= {"passes": reason, "derivative program": reason, "generated code": reason, "backend": "host"}
        return Explanation(sections, arrow, lines=lines)
    texts, found = of_phases(plan, elaborated)
    sections |= texts
    shared, own, others = list[Change](), list[Change](), list[Change]()
    program.assumed = assumed_in(program, given)
    improve(program, plan.staged, shared)
    program.assumed.relied_on()
    by_loops = kept_by_loops(program, given)
    if by_loops:
        sections["kept by loops"] = by_loops
    sections["derivative program"], lines["derivative program"] = placed_lines(program)
    source = NUMPY.lower(copy_of_program(program), plan.pullback, given, own)
    lines["generated code"] = source.places
    sections["generated code"] = source.text.rstrip("\n")
    code = asked.known(args, kwargs)
    known = None if code is None else code.measured
    sections["backend"] = chosen(program, plan.pullback, plan.backend or pipeline.BACKEND,
                                   [*given, *pipeline.still(plan, given)], others, known) + calls_left(code)
    sections["passes"] = of_passes(shared, own, others, sections["backend"])
    measured = None if found is None else lambda: "\n".join(filter(None, [limited, tape_memory(found, given)]))
    return Explanation(sections, arrow, source, measured, lines)


def lines_of(elaborated: Elaborated) -> list[Any]:
    """The places of the lines of a function's source."""
    source = elaborated.source
    if source is None:
        return []
    count = len(source.text.splitlines())
    return [Span(source.file.name, source.node.lineno + i, 0, 0, 0, source.file.lines) for i in range(count)]


def calls_left(code: Code | None) -> str:
    """How many calls with arguments of these types a target did not take though it took the program; "" if none."""
    n = 0 if code is None else getattr(code.call, "leaves", 0)
    calls = "1 call" if n == 1 else f"{n:,} calls"
    return f"\nleft to {REFERENCE.name} when called: {calls}, for values that the code does not take" if n else ""


def written_back(elaborated: Elaborated) -> str:
    """A line that says what a program writes back; "" where that is nothing."""
    found = elaborated.writes
    if found is None:
        return ""
    names = [name for one in found.written for name in one.names]
    return f"\nwritten back when the call returns: {', '.join(names)}"


def of_passes(shared: list[Change], own: list[Change], others: list[Change], backend: str) -> str:
    """What each pass did: those that all targets share, then those of the targets that compute the program."""
    name, _, rest = backend.partition("\n")[0].partition(", and ")
    found = list(shared)
    found += own if name.partition(":")[0] == REFERENCE.name else others
    found += others if rest else []
    return "\n\n".join(map(str, found)) or "none: each pass left the program as it was"


@telling
@deeply
def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """Every stage of a function's gradient at these arguments: source, λ-program, term, the phases of the derivative
    (primal, tape, adjoint, canonical and final gradient), what each pass did, derivative program, code.

    >>> print(explain(lambda x: x * x, 3.0).term)
    prod(id, id) o mult

    The arguments are those that the gradient would be called with. `explain(hvp(f, backend="native"), x, v)` explains
    that verb; its `backend` says what computes it, and why that is not the backend asked for. The result prints in a
    terminal and shows itself in a notebook, where the term is drawn. Raises what `gradient` raises.

    Source: *Automatic Differentiation in Swift*, "Automatic Differentiation in the Swift compiler".
    """
    return explained(f, args, kwargs)
