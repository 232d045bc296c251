"""Values that are one of several alternatives: told apart by a tag, beside which all alternatives have their words.

The alternatives that a value is not are zeros, so that a sum of cotangents is the sum of all words. Those of a sum that
holds itself are nodes in memory (`trees`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native import trees
from ccc.compile.native.code import is_name
from ccc.compile.native.layout import (
    Fixed,
    Node,
    NotNative,
    Ref,
    Sum,
    Twig,
    absent,
    canonical,
    layout_of,
    ordered,
    words,
)
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.coproducts import NONE, holds_itself, tag_of
from ccc.objects import Coproduct, Object
from ccc.primitives import sums
from ccc.wording import in_words


def place_of(whole: Coproduct, a: Object) -> int:
    """Which of the alternatives an object is, by its tag: 1, 2, ..."""
    tag = tag_of(a)
    for k, one in enumerate(ordered(whole)):
        if tag_of(one) == tag:
            return k + 1
    raise NotNative(f"a value that is {in_words(a)} as one of {in_words(whole)}")


def of_one(m: Lowering, v: Any, a: Object, whole: Coproduct, layouts: Sequence[Any]) -> Any:
    """A value of an alternative as one of the sum, whose others have these layouts."""
    k = place_of(whole, a)
    if holds_itself(whole):
        return Twig(Node(whole), k, m.there(v))
    zeros = list(map(absent, layouts))
    return Sum(str(k), (*zeros[: k - 1], m.there(v), *zeros[k:]))


def injected(m: Lowering, v: Any, a: Object, whole: Coproduct) -> Any:
    """A value of an alternative, or of a smaller sum, as one of the sum; what is not there stays so."""
    if isinstance(v, Fixed) and (v.value is not None or NONE not in whole.alternatives):
        return v
    if isinstance(v, Sum | Ref | Twig) and a == whole:
        return v
    if not isinstance(a, Coproduct):
        return m.there(of_one(m, v, a, whole, list(map(canonical, ordered(whole)))))
    places = [place_of(whole, one) for one in ordered(a)]
    if not isinstance(v, Sum):
        raise NotNative(f"a value that is {in_words(a)} and is not told from others")
    parts = [absent(canonical(one)) for one in ordered(whole)]
    for k, part in zip(places, v.parts, strict=True):
        parts[k - 1] = part
    found = Sum(renamed(m, v.tag, {i + 1: k for i, k in enumerate(places)}), tuple(parts))
    return trees.of_sum(m, Node(whole), found) if holds_itself(whole) else found


def renamed(m: Lowering, tag: str, names: dict[int, int]) -> str:
    """A tag by other names; 0 for those that have none."""
    if all(k == name for k, name in names.items()):
        return tag
    if not is_name(tag):
        return str(names.get(int(tag), 0))
    found = "0"
    for k, name in names.items():
        found = m.w.select("i64", m.w.compare("eq", tag, str(k)), str(name), found)
    return found


def settled(m: Lowering, v: Sum, k: int) -> Any:
    """The value as the alternative k, which it has to be."""
    part = v.parts[k - 1]
    if v.tag != str(k):
        wrong = m.w.compare("ne", v.tag, str(k))
        if "ptr" in words(layout_of(part)):
            m.w.leave(wrong)
        else:
            m.w.spoil(wrong)
    return part


@handles(sums.project)
def project(m: Lowering, let: Let, x: Any) -> Any:
    whole, of = let.args[0].object, let.application.params["of"]
    if not isinstance(whole, Coproduct):
        return x
    if isinstance(x := m.there(x), Ref):
        if not isinstance(of, Coproduct):
            return trees.alternative(m, x, place_of(whole, of))
        x = trees.opened(m, x)
    if not isinstance(x, Sum):
        raise NotNative(f"a value that is {in_words(whole)} and is not told from others")
    if not isinstance(of, Coproduct):
        return settled(m, x, place_of(whole, of))
    places = [place_of(whole, one) for one in ordered(of)]
    tag = renamed(m, x.tag, {k: i + 1 for i, k in enumerate(places)})
    m.w.leave(m.w.compare("eq", tag, "0"))
    return Sum(tag, tuple([x.parts[k - 1] for k in places]))


@handles(sums.is_kind)
def is_kind(m: Lowering, let: Let, x: Any) -> Num:
    """Whether a value is of a kind."""
    return has_tag(m, let.args[0].object, x, sums.tag_of_kind(let.application.params["kind"]))


@handles(sums.is_type)
def is_type(m: Lowering, let: Let, x: Any, *rest: Any) -> Num:
    """Whether a value is of a class."""
    cls = let.args[-1].value  # type: ignore[union-attr]
    if cls in sums.NUMBERS:
        raise NotNative("which class a number is of")
    return has_tag(m, let.args[0].object, x, NAMES.get(cls, cls))


def has_tag(m: Lowering, a: Object, x: Any, tag: Any) -> Num:
    """Whether a value has a tag."""
    if not isinstance(a, Coproduct):
        return Num("i1", "true" if tag_of(a) == tag else "false")
    found = [k + 1 for k, one in enumerate(ordered(a)) if tag_of(one) == tag]
    if found and isinstance(x := m.there(x), Ref):
        return Num("i1", m.w.compare("eq", trees.which(m, x), str(found[0])))
    if not found or not isinstance(x, Sum):
        raise NotNative(f"whether {in_words(a)} is one of these")
    return Num("i1", m.w.compare("eq", x.tag, str(found[0])))


NAMES: dict[Any, Any] = {list: "list", tuple: "tuple"}


# -- cotangents: of nothing at all the tag is 0 ----------------------------------------------------------------------


def added(m: Lowering, a: Sum, b: Sum, add: Callable[[Lowering, Any, Any], Any]) -> Sum:
    """The sum of two cotangents of one value."""
    w = m.w
    if len(a.parts) != len(b.parts):
        raise NotNative("a sum of cotangents of values that are not one of the same alternatives")
    if any("ptr" in words(layout_of(x)) for v in (a, b) for x in v.parts):
        if a.tag == b.tag and not is_name(a.tag):
            k = int(a.tag) - 1
            return Sum(a.tag, (*a.parts[:k], add(m, a.parts[k], b.parts[k]), *a.parts[k + 1 :]))
        raise NotNative("a sum of cotangents of one of several alternatives")
    both = w.compare("ne", w.mul(a.tag, b.tag), "0")
    w.spoil(w.binary("and", "i1", w.compare("ne", a.tag, b.tag), both))
    tag = w.call("i64", "llvm.smax.i64", ("i64", a.tag), ("i64", b.tag))
    return Sum(tag, tuple([add(m, x, y) for x, y in zip(a.parts, b.parts, strict=True)]))
