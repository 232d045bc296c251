"""The shortest way from a call in Python to machine code: one function, in machine code too, that looks at the names
that a program depends on, and calls its code. It need not look while namespaces have the versions that it saw last.

    gated(kernel, names, otherwise)   a function that gives what `kernel` does; where a name of a namespace has another
                                      value, where arguments have names, or where the kernel gives `NotImplemented`,
                                      what `otherwise` gives

>>> from compile.backends.native import engine
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

from compile.backends.native import capi, engine
from compile.backends.native.boundary import DATA, ITEMS, NUMBER, address
from compile.backends.native.capi import word

VERSION = 24
"""Where a dict has a number that is another one after each change."""
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
  br i1 %unknown, label %head, label %compare
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
  %noted = alloca i64, i64 %end
  br label %reading
reading:
  %r = phi i64 [ 1, %note ], [ %r.next, %reading ]
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
  %versions = phi ptr [ null, %begin ], [ %noted, %reading ], [ %versions, %same ]
  %i = phi i64 [ 3, %begin ], [ 3, %reading ], [ %next, %same ]
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
  %is = icmp eq ptr %found, %value
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
    return engine.compile_ir("\n".join([engine.AS_IT_IS, GATE]), ["ccc_gate"])


def gate() -> engine.Loaded:
    """The code, which is made once, and is in memory for as long as the process runs."""
    with engine.LOCK:
        return compiled()


def gated(
    kernel: Callable[..., Any], names: Sequence[tuple[dict[str, Any], str, Any]], otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """A function that gives what the kernel does while the names have these values, and what `otherwise` gives else."""
    spaces = {id(space): 0 for space, _, _ in names} if versions_hold() else {}
    seen = np.array([len(spaces), *[x for pair in spaces.items() for x in pair]], dtype=np.int64)
    held = kernel, otherwise, seen, *[x for entry in names for x in entry]
    return capi.function("gate", gate()["ccc_gate"], held, capi.METH_FASTCALL | capi.METH_KEYWORDS)
