"""Trees: values of sums that hold themselves, as pointers to nodes that stay as they are.

    tag | words of the alternative      a node; one with the tag 0, or none at all, is the cotangent of nothing

In the cotangent of a tree, what nothing has arrived at is a zero word, or a null pointer. What goes from node to node
is a function of its own (`recursive`), written once for each layout, which leaves where a tree is too deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.compile.native import arena
from ccc.compile.native.code import is_name
from ccc.compile.native.functions import Constant
from ccc.compile.native.layout import (
    Node,
    NotNative,
    Ref,
    Sum,
    Twig,
    absent,
    ordered,
    words,
)
from ccc.compile.native.nodes import STACK, alternatives, in_memory
from ccc.compile.native.under_way import Lowering, Variables
from ccc.compile.native.writer import Writer
from ccc.coproducts import tag_of
from ccc.objects import Object
from ccc.wording import in_words

# -- nodes -----------------------------------------------------------------------------------------------------------


def stored(m: Lowering, layout: Node, tag: int, part: Any) -> Ref:
    """A new node of an alternative."""
    inside = alternatives(layout)[tag - 1]
    part = m.brought(part, inside)
    ptr = m.alloc(str(8 + 8 * len(words(inside))))
    m.w.put_word("i64", str(tag), ptr)
    m.write(part, inside, m.w.at_index("i64", ptr, "1"))
    return Ref(layout, ptr)


def of_sum(m: Lowering, layout: Node, v: Sum) -> Ref:
    """A new node of the alternative that the tag of a sum tells."""
    if not is_name(v.tag):
        return stored(m, layout, int(v.tag), v.parts[int(v.tag) - 1]) if int(v.tag) else Ref(layout, "null")
    out = Variables(m, layout)
    out.keep(Ref(layout, "null"))
    for k, part in enumerate(v.parts):
        with only_if(m, m.w.compare("eq", v.tag, str(k + 1))):
            out.keep(stored(m, layout, k + 1, part))
    return out.now()


@contextmanager
def only_if(m: Lowering, test: str) -> Iterator[None]:
    """What is written within is run where a test holds."""
    w = m.w
    m.settle()
    this, on = w.block("this"), w.block("on")
    w.fork(test, this, on)
    w.label(this)
    w.tests += 1
    with m.scope():
        yield
    w.tests -= 1
    w.jump(on)
    w.label(on)


def nothing(m: Lowering, layout: Node) -> str:
    """Where zeros are, as many words as a node has."""
    count = 1 + max(len(words(one)) for one in alternatives(layout))
    name = f"ccc_nothing{count}"
    if name not in m.module.nothing:
        m.module.nothing.add(name)
        m.module.constants.append(Constant(name, f"internal constant [{count} x i64] zeroinitializer"))
    return f"@{name}"


def there(m: Lowering, v: Ref) -> str:
    """Where a node is; that of nothing is zeros."""
    return m.w.select("ptr", m.w.compared("eq", "ptr", v.ptr, "null"), nothing(m, v.layout), v.ptr)


def tag_at(m: Lowering, ptr: str) -> str:
    """The tag of the node at a place."""
    return m.w.word("i64", ptr)


def part_at(m: Lowering, layout: Node, ptr: str, tag: int) -> Any:
    """The alternative that the node at a place is."""
    return m.read(alternatives(layout)[tag - 1], m.w.at_index("i64", ptr, "1"))


def which(m: Lowering, v: Ref) -> str:
    """Which alternative a tree is; 0 where it is nothing at all."""
    return tag_at(m, there(m, v))


def alternative(m: Lowering, v: Ref, tag: int) -> Any:
    """A tree as an alternative, which it has to be."""
    ptr = there(m, v)
    m.w.leave(m.w.compare("ne", tag_at(m, ptr), str(tag)))
    return part_at(m, v.layout, ptr, tag)


def arrived(m: Lowering, v: Ref, tag: int) -> Any:
    """The cotangent of an alternative, from that of a tree: zero words where nothing has arrived."""
    ptr = there(m, v)
    found = tag_at(m, ptr)
    m.w.leave(m.w.binary("and", "i1", m.w.compare("ne", found, str(tag)), m.w.compare("ne", found, "0")))
    ptr = m.w.select("ptr", m.w.compare("eq", found, "0"), nothing(m, v.layout), ptr)
    return part_at(m, v.layout, ptr, tag)


def opened(m: Lowering, v: Ref) -> Sum:
    """A tree as a sum, whose other alternatives are zeros."""
    return Sum(which(m, v), tuple(several(m, v, range(1, 1 + len(v.layout.whole.alternatives)))))


def several(m: Lowering, v: Ref, tags: Sequence[int]) -> list[Any]:
    """A tree as each of some alternatives: zeros but for that which it is."""
    ptr, zeros = there(m, v), nothing(m, v.layout)
    tag = tag_at(m, ptr)
    places = [m.w.select("ptr", m.w.compare("eq", tag, str(k)), ptr, zeros) for k in tags]
    return [part_at(m, v.layout, place, k) for place, k in zip(places, tags, strict=True)]


# -- from node to node -----------------------------------------------------------------------------------------------


def recursive(
    m: Lowering, what: str, given: Sequence[Ref], layout: Any, write: Callable[..., Any],
) -> Any:  # fmt: skip
    """What a function gives for trees: `write` writes it, given its lowering and its parameters. There is one for each
    layout of the result and of the parameters, and for what it does."""
    module, w = m.module, m.w
    layouts = [v.layout for v in given]
    key = what, layout, *layouts
    name = module.recursive.get(key)
    if name is None:
        module.count += 1
        name = module.recursive[key] = f"f{module.count}"
        written(m, name, layouts, layout, write)
    results = w.local("i64", max(2, len(words(layout))))
    texts = [("ptr", "%arena"), ("ptr", results)]
    texts += [("ptr", v.ptr) for v in given]
    status = w.call("i32", name, *texts, inner=True)
    w.leave(w.compared("ne", "i32", status, "0"))
    return m.read(layout, results)


def written(m: Lowering, name: str, layouts: Sequence[Node], layout: Any, write: Callable[..., Any]) -> None:
    """Write such a function."""
    params = [("ptr", "%arena"), ("ptr", "%results")]
    inner = type(m)(m.module, Writer(name, params, m.module.lanes))
    inner.inner = True
    given = [Ref(one, f"%{inner.w.fresh('a')}") for one in layouts]
    params += [("ptr", v.ptr) for v in given]
    check_depth(inner)
    with inner.scope():
        found = write(inner, *given)
        inner.write(found, layout, "%results")
    m.module.finish(inner.w, True)


def check_depth(m: Lowering) -> None:
    """Leave where the stack grows too deep: Python has a limit of its own, and says so when it is reached."""
    w = m.w
    here = w.cast("ptrtoint", "ptr", w.call("ptr", "llvm.frameaddress.p0", ("i32", "0")), "i64")
    base = w.load("i64", w.at_index("i64", "%arena", str(arena.BASE)))
    w.leave(w.compare("sgt", w.binary("sub", "i64", base, here), str(STACK)))


def by_tag(m: Lowering, layout: Node, tag: str, out: Any, made: Callable[[int], Any]) -> Any:
    """What is made of each alternative, where that is the one; of nothing at all it is nothing."""
    found = Variables(m, out)
    found.keep(absent(out))
    for k in range(len(layout.whole.alternatives)):
        with only_if(m, m.w.compare("eq", tag, str(k + 1))):
            found.keep(made(k + 1))
    return found.now()


def into(m: Lowering, v: Ref, layout: Node, widened: Callable[[Lowering, Any, Object, Object], Any]) -> Ref:
    """A tree as one of a sum with more alternatives, or with other parts, as `widened` makes them of those it has."""
    if v.layout == layout or in_memory(v.layout) == in_memory(layout):
        return Ref(layout, v.ptr)
    have, wanted = v.layout.whole, {tag_of(one): (k + 1, one) for k, one in enumerate(ordered(layout.whole))}

    def widened_of(m: Lowering, v: Ref) -> Any:
        def made(k: int) -> Any:
            one = ordered(have)[k - 1]
            if tag_of(one) not in wanted:
                raise NotNative(f"a value that is {in_words(have)} as one of {in_words(layout.whole)}")
            place, other = wanted[tag_of(one)]
            return stored(m, layout, place, widened(m, alternative(m, v, k), one, other))

        return by_tag(m, v.layout, which(m, v), layout, made)

    return recursive(m, "into", (v,), layout, widened_of)


def alike(a: Ref, b: Ref) -> tuple[Ref, Ref]:
    """Two trees that lie alike in memory, of one layout."""
    if a.layout != b.layout and in_memory(a.layout) != in_memory(b.layout):
        raise NotNative("cotangents of trees of several kinds")
    return a, Ref(a.layout, b.ptr)


def with_integers(m: Lowering, v: Ref, layout: Node) -> Ref:
    """A cotangent that was given out, as a tree whose integers have words."""
    def laid(m: Lowering, v: Ref) -> Any:
        made = lambda k: stored(m, layout, k, alternative(m, v, k))  # noqa: E731
        return by_tag(m, layout, which(m, v), layout, made)

    return recursive(m, "integers", (v,), layout, laid)


def summed(m: Lowering, a: Any, b: Any, merged: Callable[[Lowering, Any, Any, Any], Any]) -> Any:
    """The sum of two cotangents of a tree, whose parts `merged` adds; one that is nothing leaves the other."""
    if isinstance(a, Twig) and isinstance(b, Twig) and a.layout == b.layout and a.tag == b.tag:
        return Twig(a.layout, a.tag, merged(m, a.part, b.part, None))
    a, b = alike(m.there(a), m.there(b))
    layout = a.layout

    def sum_of(m: Lowering, a: Ref, b: Ref) -> Ref:
        w = m.w
        places = there(m, a), there(m, b)
        tags = [tag_at(m, ptr) for ptr in places]
        both = w.binary("and", "i1", *[w.compare("ne", tag, "0") for tag in tags])
        w.leave(w.binary("and", "i1", both, w.compare("ne", *tags)))
        one = Ref(layout, w.select("ptr", w.compare("eq", tags[0], "0"), b.ptr, a.ptr))
        out = Variables(m, layout)
        out.keep(one)
        tag = w.select("i64", both, tags[0], "0")
        for k in range(1, 1 + len(layout.whole.alternatives)):
            inside = alternatives(layout)[k - 1]
            with only_if(m, w.compare("eq", tag, str(k))):
                x, y = [part_at(m, layout, ptr, k) for ptr in places]
                out.keep(stored(m, layout, k, merged(m, x, y, inside)))
        return out.now()

    return recursive(m, "sum", (a, b), layout, sum_of)
