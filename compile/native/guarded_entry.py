"""The shortest way from a call in Python to machine code: one function, in machine code too, that looks at the names
that a program depends on, and calls its code. It need not look while namespaces have the versions that it saw last.

    gated(kernel, names, otherwise, codes)
        a function that gives what `kernel` does; where a name of a namespace has another value, or a function another
        code, where arguments have names, or where the kernel gives `NotImplemented`, what `otherwise` gives

A name that is not there has the value `MISSING`.

>>> from ccc.compile.native import engine
>>> space = {"step": 1}
>>> if engine.available():
...     add = gated(lambda x: x + 1 if x > 0 else NotImplemented, [(space, "step", 1)], lambda *a, **k: (a, k))
...     print(add(5), add(-5), add(y=5))
...     space["step"] = 2
...     print(add(5), add())
6 ((-5,), {}) ((), {'y': 5})
((5,), {}) ((), {})
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ccc.compile.frontend.guards import MISSING
from ccc.compile.native import capi, engine
from ccc.compile.native.boundary import DATA, ITEMS, NUMBER, address
from ccc.compile.native.capi import word

VERSION = 24
"""Where a dict has a number that is another one after each change."""
CODE = 48
"""Where a function has its code."""
GATE = f"""
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @PyErr_Clear()
declare void @Py_DecRef(ptr)

define ptr @ccc_gate(ptr %self, ptr %args, i64 %count, ptr %named) {{
  %items = getelementptr i8, ptr %self, i64 {ITEMS}
  %size.place = getelementptr i8, ptr %self, i64 {NUMBER}
  %size = load i64, ptr %size.place
  %seen.place = getelementptr ptr, ptr %items, i64 2
  %seen.array = load ptr, ptr %seen.place
  %seen.data = getelementptr i8, ptr %seen.array, i64 {DATA}
  %seen = load ptr, ptr %seen.data
  %spaces = load i64, ptr %seen
  %end = shl i64 %spaces, 1
  %plain = icmp eq ptr %named, null
  br i1 %plain, label %begin, label %other
begin:
  %unknown = icmp eq i64 %spaces, 0
  br i1 %unknown, label %codes, label %compare
compare:
  %c = phi i64 [ 1, %begin ], [ %c.next, %equal ]
  %c.version = add i64 %c, 1
  %c.dict.place = getelementptr ptr, ptr %seen, i64 %c
  %c.dict = load ptr, ptr %c.dict.place
  %now.place = getelementptr i8, ptr %c.dict, i64 {VERSION}
  %now = load i64, ptr %now.place
  %then.place = getelementptr i64, ptr %seen, i64 %c.version
  %then = load i64, ptr %then.place
  %unchanged = icmp eq i64 %now, %then
  br i1 %unchanged, label %equal, label %note
equal:
  %c.next = add i64 %c, 2
  %all = icmp ugt i64 %c.next, %end
  br i1 %all, label %enter, label %compare
note:
  br label %codes
codes:
  %codes.place = getelementptr ptr, ptr %items, i64 3
  %codes.array = load ptr, ptr %codes.place
  %codes.data = getelementptr i8, ptr %codes.array, i64 {DATA}
  %read.codes = load ptr, ptr %codes.data
  %functions = load i64, ptr %read.codes
  %codes.end = shl i64 %functions, 1
  br label %one
one:
  %f = phi i64 [ 1, %codes ], [ %f.next, %one.more ]
  %all.codes = icmp ugt i64 %f, %codes.end
  br i1 %all.codes, label %checked, label %one.more
one.more:
  %f.place = getelementptr ptr, ptr %read.codes, i64 %f
  %f.code.place = load ptr, ptr %f.place
  %f.code = load ptr, ptr %f.code.place
  %f.next = add i64 %f, 2
  %f.known.place = getelementptr ptr, ptr %f.place, i64 1
  %f.known = load ptr, ptr %f.known.place
  %f.same = icmp eq ptr %f.code, %f.known
  br i1 %f.same, label %one, label %other
checked:
  %noted = alloca i64, i64 %end
  br i1 %unknown, label %head, label %reading
reading:
  %r = phi i64 [ 1, %checked ], [ %r.next, %reading ]
  %r.dict.place = getelementptr ptr, ptr %seen, i64 %r
  %r.dict = load ptr, ptr %r.dict.place
  %r.now.place = getelementptr i8, ptr %r.dict, i64 {VERSION}
  %r.now = load i64, ptr %r.now.place
  %r.noted.place = getelementptr i64, ptr %noted, i64 %r
  store i64 %r.now, ptr %r.noted.place
  %r.next = add i64 %r, 2
  %read = icmp ugt i64 %r.next, %end
  br i1 %read, label %head, label %reading
head:
  %versions = phi ptr [ null, %checked ], [ %noted, %reading ], [ %versions, %same ]
  %i = phi i64 [ 5, %checked ], [ 5, %reading ], [ %next, %same ]
  %more = icmp slt i64 %i, %size
  br i1 %more, label %look, label %held
held:
  %nothing = icmp eq ptr %versions, null
  br i1 %nothing, label %enter, label %keep
keep:
  %k = phi i64 [ 1, %held ], [ %k.next, %keep ]
  %k.version = add i64 %k, 1
  %k.noted.place = getelementptr i64, ptr %versions, i64 %k
  %k.noted = load i64, ptr %k.noted.place
  %k.then.place = getelementptr i64, ptr %seen, i64 %k.version
  store i64 %k.noted, ptr %k.then.place
  %k.next = add i64 %k, 2
  %kept = icmp ugt i64 %k.next, %end
  br i1 %kept, label %enter, label %keep
look:
  %space.place = getelementptr ptr, ptr %items, i64 %i
  %name.place = getelementptr ptr, ptr %space.place, i64 1
  %value.place = getelementptr ptr, ptr %space.place, i64 2
  %space = load ptr, ptr %space.place
  %name = load ptr, ptr %name.place
  %value = load ptr, ptr %value.place
  %found = call ptr @PyDict_GetItemWithError(ptr %space, ptr %name)
  %none = icmp eq ptr %found, null
  %got = select i1 %none, ptr {address(MISSING)}, ptr %found
  %is = icmp eq ptr %got, %value
  %next = add i64 %i, 3
  br i1 %is, label %same, label %changed
same:
  br label %head
changed:
  call void @PyErr_Clear()
  br label %other
enter:
  %kernel = load ptr, ptr %items
  %out = call ptr @PyObject_Vectorcall(ptr %kernel, ptr %args, i64 %count, ptr null)
  %left = icmp eq ptr %out, {address(NotImplemented)}
  br i1 %left, label %drop, label %done
done:
  ret ptr %out
drop:
  call void @Py_DecRef(ptr %out)
  br label %other
other:
  %otherwise.place = getelementptr ptr, ptr %items, i64 1
  %otherwise = load ptr, ptr %otherwise.place
  %result = tail call ptr @PyObject_Vectorcall(ptr %otherwise, ptr %args, i64 %count, ptr %named)
  ret ptr %result
}}
"""


@cache
def versions_hold() -> bool:
    """Whether a dict of this Python has another number at `VERSION` after each change, be it that of an object."""
    space: dict[str, Any] = {"step": 1}
    found = [word(space, VERSION)]
    for change in ("step = 2", "other = 3", "del other", "globals().update(step=4)", "globals().pop('step')"):
        exec(change, space)
        found.append(word(space, VERSION))
    owner = Holder()
    for step in range(20):
        owner.step = step
        found += [word(vars(owner), VERSION)]
    return word(vars(owner), VERSION) == found[-1] and 0 not in found and len(set(found)) == len(found)


class Holder:
    step = 0


@cache
def compiled() -> engine.Loaded:
    return engine.compile_ir(GATE, ["ccc_gate"], effort=engine.Effort.NONE)


def gate() -> engine.Loaded:
    """The code, which is made once, and is in memory for as long as the process runs."""
    with engine.LOCK:
        return compiled()


def gated(
    kernel: Callable[..., Any], names: Sequence[tuple[dict[str, Any], str, Any]], otherwise: Callable[..., Any],
    codes: Sequence[tuple[Any, Any]] = (),
) -> Callable[..., Any] | None:
    """A function that gives what the kernel does while the names have these values and the functions these codes, and
    what `otherwise` gives else; None where this Python has the codes of functions elsewhere."""
    if any(word(function, CODE) != id(function.__code__) for function, _ in codes):
        return None
    places = [(id(function) + CODE, id(code)) for function, code in codes]
    words = {id(space): 0 for space, _, _ in names} | {place - VERSION: code for place, code in places}
    words = words if versions_hold() or not names else {}
    seen, read = [np.array([len(pairs), *[x for pair in pairs for x in pair]], dtype=np.int64)
                  for pairs in (list(words.items()), places)]
    held = kernel, otherwise, seen, read, codes, *[x for entry in names for x in entry]
    return capi.function("gate", gate()["ccc_gate"], held, capi.METH_FASTCALL | capi.METH_KEYWORDS)
