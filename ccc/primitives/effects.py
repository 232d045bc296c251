"""Effects: printing and raising. They are computed where plain Python would, once and in order, by the value alone.

Texts are formatted by a *form*, the constant part of what is shown: a text, or the conversion and the format of the
next argument.

>>> formatted(("x is ", ("r", ""), "!"), [1.5])
'x is 1.5!'
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ccc.coproducts import sum_of, tag_of
from ccc.handed_out import shaped
from ccc.journal import Once
from ccc.objects import INT, TEXT, UNIT, Bool, Coproduct, Int, List, Map, Object, Product, Real, of_shape
from ccc.primitives.domains import Known
from ccc.primitives.facts import EFFECT, MAY, NEVER, NEW, STORAGE, jointly
from ccc.primitives.primitive import Primitive
from ccc.records import like, parts_of

Form = tuple[Any, ...]
"""Texts and (conversion, format) pairs, of an f-string; None for a value that is passed on as it is."""

SPREAD: Form = ("*", "*")
"""Stands for a list whose items are arguments."""
AROUND = "around"
"""Where a sum has ints that stands in itself: see `as_integers`."""
CONVERSIONS = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


def formatted(form: Form, values: Sequence[Any]) -> str:
    """The text that a form makes of values."""
    given = iter(values)
    return "".join([p if isinstance(p, str) else _formatted(p[0], p[1], next(given)) for p in form])


def _formatted(conversion: str, spec: str, value: Any) -> str:
    """The text of one value; the conversion "%" stands for the operator."""
    return f"%{spec}" % (value,) if conversion == "%" else format(CONVERSIONS[conversion](value), spec)


def unfit(*values: Known, form: Form) -> bool:
    """Whether values may not take the formats of a text.

    >>> from ccc.objects import INT, REAL
    >>> [unfit(Known(a), form=(("%", spec),)) for a, spec in ((REAL, "d"), (REAL, ".2f"), (INT, "d"), (INT, "c"))]
    [True, False, False, True]
    """
    given = iter(values)
    return any(not isinstance(part, str) and _unfit(part, next(given)) for part in form)


EDGES: dict[type[Object], tuple[Any, ...]] = {
    Real: (0.0, -1.5, 1e300, math.inf, -math.inf, math.nan), Int: (0, -1, 1 << 70), Bool: (False, True),
}
"""Numbers that say of a format what it does to all of a kind."""


def _unfit(part: tuple[str, str], known: Known) -> bool:
    edges = next((found for kind, found in EDGES.items() if isinstance(known.object, kind)), None)
    if edges is None:
        return part[1] not in ("", "s", "r", "a")
    for x in edges:
        try:
            if x != x or known.has(x):
                _formatted(*part, x)
        except (TypeError, ValueError, OverflowError):
            return True
    return False


def fields(form: Form | None) -> int:
    """How many values a form takes."""
    return 1 if form is None or form == SPREAD else sum(not isinstance(part, str) for part in form)


def shown(forms: tuple[Form | None, ...], values: Sequence[Any]) -> list[Any]:
    """The arguments of a call: texts made by forms, and values as they are."""
    given = list(values)
    found: list[Any] = []
    for form in forms:
        taken, given = given[: fields(form)], given[fields(form):]
        if form == SPREAD:
            found += taken[0]
            continue
        found.append(taken[0] if form is None else formatted(form, taken))
    return found


def sources(forms: tuple[Form | None, ...], texts: Sequence[str]) -> list[str]:
    """The same as source text."""
    given = iter(texts)
    return [next(given) if form is None else f"*{next(given)}" if form == SPREAD else _source(form, given)
            for form in forms]


def _source(form: Form, given: Any) -> str:
    if all(isinstance(part, str) for part in form):
        return repr("".join(form))
    parts: list[str] = []
    for part in form:
        if isinstance(part, str):
            parts.append(_escaped(part))
        else:
            conversion, spec = part
            if conversion == "%":
                parts.append(f"{{'%{spec}' % ({next(given)},)}}")
                continue
            bang, colon = f"!{conversion}" if conversion else "", f":{_escaped(spec)}" if spec else ""
            parts.append(f"{{{next(given)}{bang}{colon}}}")
    return f'f"{"".join(parts)}"'


def _escaped(text: str) -> str:
    inner = repr(text + "'")[1:-1] if "'" not in text else repr(text)[1:-1]
    if "'" not in text:
        inner = inner[:-1]
    return inner.replace("\\'", "'").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _unit(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return UNIT


@Once
def _print(*values: Any, forms: tuple[Form | None, ...], options: tuple[tuple[str, Any], ...]) -> None:
    given = dict(options)
    if "file" in given:
        given["file"] = getattr(sys, given["file"])
    print(*shown(forms, values), **given)


def _print_source(*texts: str, forms: tuple[Form | None, ...], options: tuple[tuple[str, Any], ...]) -> str:
    if "file" in dict(options):
        return _with_params("show", texts, forms=forms, options=options)
    return f"print({', '.join([*sources(forms, texts), *[f'{k}={v!r}' for k, v in options]])})"


def _with_params(name: str, texts: Sequence[str], **params: Any) -> str:
    """A call of a primitive's own function."""
    return f"{name}({', '.join([*texts, *[f'{k}={v!r}' for k, v in params.items()]])})"


@Once
def _warn(
    kind: type[Warning], *values: Any, forms: tuple[Form | None, ...], place: tuple[str, int], module: str
) -> None:
    message = shown(forms, values)[0]
    registry = vars(sys.modules[module]).setdefault("__warningregistry__", {}) if module in sys.modules else None
    warnings.warn_explicit(message, kind, *place, module=module, registry=registry)


def _raise(
    kind: Any, *values: Any, forms: tuple[Form | None, ...], alone: bool = False, names: tuple[str, ...] = (),
    causes: tuple[Form | None, ...] | None = None,
) -> None:
    own, origin = _with_cause(values, forms, causes)
    given = list(shown(forms, own))
    places = len(given) - len(names)  # the last have names
    found = kind(*given[:places], **dict(zip(names, given[places:], strict=True)))
    if causes is not None:
        cause, *more = origin
        raise found from cause(*shown(causes, more))
    if alone:
        raise found from None
    raise found


def _with_cause(
    values: Sequence[Any], forms: tuple[Form | None, ...], causes: tuple[Form | None, ...] | None
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The arguments of an exception; behind them what makes its cause, and the arguments of that, where it has one."""
    count = len(values) if causes is None else sum(map(fields, forms))
    return values[:count], values[count:]


def _raise_source(
    kind: str, *texts: str, forms: tuple[Form | None, ...], alone: bool = False, names: tuple[str, ...] = (),
    causes: tuple[Form | None, ...] | None = None,
) -> str:
    own, origin = _with_cause(texts, forms, causes)
    given = list(sources(forms, own))
    places = len(given) - len(names)
    named = [f"{name}={text}" for name, text in zip(names, given[places:], strict=True)]
    raised = f"raise {kind}({', '.join([*given[:places], *named])})"
    if causes is not None:
        cause, *more = origin
        return f"{raised} from {cause}({', '.join(sources(causes, more))})"
    return f"{raised} from None" if alone else raised


def _as_integers(x: Any, where: Any, whole: Any = False) -> Any:
    if where == AROUND:
        where = whole
    if isinstance(where, bool):
        return int(x) if where else x
    if where[0] is ...:
        name = "number" if isinstance(x, float) else type(x).__name__
        return _as_integers(x, dict(where[1:]).get(name, False), where)
    if where[-1] is ...:
        of = where[0]
        if type(x) is dict:
            return {key: _as_integers(item, of, whole) for key, item in x.items()}
        return [_as_integers(item, of, whole) for item in x]
    return like(x, [_as_integers(part, w, whole) for part, w in zip(parts_of(x) or (), where, strict=True)])


def _of_integers(a: Object, where: Any) -> Object:
    if where is False or where == AROUND:
        return a
    if isinstance(a, Coproduct):
        cases = dict(where[1:])
        return sum_of([_of_integers(part, cases.get(name_of(part), False)) for part in a.alternatives])
    if isinstance(a, List):
        items = tuple([_of_integers(a.item, w) for w in where if w is not ...])
        return List(items[0]) if where[-1] is ... else Product(items)
    if isinstance(a, Map):
        return Map(a.key, _of_integers(a.item, where[0]))
    if isinstance(a, Product):
        return of_shape(a, tuple(map(_of_integers, a.parts, where)))
    return INT


def name_of(alternative: Object) -> str:
    """How `as_integers` names an alternative of a sum: a kind of values, or a class.

    >>> from ccc.coproducts import NONE
    >>> name_of(INT), name_of(NONE)
    ('number', 'NoneType')
    """
    tag = tag_of(alternative)
    return tag if isinstance(tag, str) else tag.__name__


def _attempt(*values: Any, of: Primitive, params: tuple[tuple[str, Any], ...]) -> None:
    of.value(*values, **dict(params))


def _attempt_source(*texts: str, of: Primitive, params: tuple[tuple[str, Any], ...]) -> str:
    return of.source.format(*texts) if isinstance(of.source, str) else of.source(*texts, **dict(params))


show = Primitive("show", _print, _unit, _print_source, exact=True, effect=True, memory=NEW, work=EFFECT, raises=MAY)
warn = Primitive("warn", _warn, _unit, lambda *texts, **params: _with_params("warn", texts, **params), exact=True,
                 effect=True, memory=NEW, work=EFFECT, raises=MAY)
"""A warning, as if from the line of the program where it stands."""
fail = Primitive("fail", _raise, _unit, _raise_source, exact=True, effect=True, memory=NEW, work=EFFECT, raises=MAY)
"""An exception of a class with arguments; where there are `causes`, behind them a class and arguments of its cause."""
text = Primitive(
    "text", lambda *values, form: formatted(form, values), lambda p, args, params: TEXT,
    lambda *texts, form: _source(form, iter(texts)), exact=True, memory=NEW, work=STORAGE, raises=unfit)
"""A text that a program makes of values, as the key of a map."""
pictured = Primitive(
    "pictured", lambda picture, *values, conversion: CONVERSIONS[conversion](picture(*values)),
    lambda p, args, params: TEXT, lambda *texts, conversion: _with_params("pictured", texts, conversion=conversion),
    exact=True, memory=NEW, work=STORAGE, raises=MAY)
"""The text of the object that a `picture` makes of values."""


def _shaped_source(xs: str, form: tuple[type, Any] | None, depth: int = 0) -> str:
    """The text that makes a value in a form.

    >>> _shaped_source("d", (dict, (list, (tuple, None))))
    '{k: [(*x1,) for x1 in x0] for k, x0 in d.items()}'
    """
    if form is None:
        return xs
    cls, inner = form
    each = f"x{depth}"
    item = _shaped_source(each, inner, depth + 1)
    if cls is dict:
        return f"{{k: {item} for k, {each} in {xs}.items()}}"
    if cls is tuple:
        return f"(*{xs},)" if inner is None else f"(*[{item} for {each} in {xs}],)"
    return f"[{item} for {each} in {xs}]"


as_tuple = Primitive(
    "as_tuple", lambda xs, form: shaped(xs, form), lambda p, args, params: args[0],
    lambda xs, form: _shaped_source(xs, form),
    lambda ct, y, xs, form: (ct,), lambda ds, y, xs, form: ds[0], exact=True, memory=NEW, work=STORAGE,
    raises=NEVER, linear=jointly(0))
"""A list or dict as the tuple that it is in Python, or with those that are in it, to be shown."""
as_list = Primitive(
    "as_list", list, lambda p, args, params: args[0], "[*{}]", lambda ct, y, xs: (ct,), lambda ds, y, xs: ds[0],
    exact=True, memory=NEW, work=STORAGE, raises=NEVER, linear=jointly(0))
"""A tuple as the list of items of several kinds that it is in Python, to be shown."""
as_integers = Primitive(
    "as_integers", _as_integers, lambda p, args, params: _of_integers(*args, **params),
    lambda text, where: f"int({text})" if where is True else _with_params("as_integers", (text,), where=where),
    exact=True, memory=NEW, work=STORAGE, raises=MAY)
"""A value with ints for floats, as plain Python has it: `where` is True at one, a tuple at a tuple or a list of so many
items, (where, ...) at any list or map, (..., (name, where), ...) at a sum, and `AROUND` for the sum around it."""
attempt = Primitive("attempt", _attempt, _unit, _attempt_source, exact=True, effect=True, memory=NEW, work=EFFECT,
    raises=MAY)
"""An operation that will raise, for what it raises."""
