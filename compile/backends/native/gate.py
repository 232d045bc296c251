"""The shortest way from a call in Python to machine code: one function, in machine code too, that looks at the names
that a program depends on, and calls its code.

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

from compile.backends.native import capi, engine
from compile.backends.native.boundary import ITEMS, NUMBER, address

GATE = f"""
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @PyErr_Clear()
declare void @Py_DecRef(ptr)

define ptr @ccc_gate(ptr %self, ptr %args, i64 %count, ptr %named) {{
  %items = getelementptr i8, ptr %self, i64 {ITEMS}
  %size.place = getelementptr i8, ptr %self, i64 {NUMBER}
  %size = load i64, ptr %size.place
  %plain = icmp eq ptr %named, null
  br i1 %plain, label %head, label %other
head:
  %i = phi i64 [ 2, %0 ], [ %next, %same ]
  %more = icmp slt i64 %i, %size
  br i1 %more, label %look, label %enter
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
    held = kernel, otherwise, *[x for entry in names for x in entry]
    return capi.function("gate", gate()["ccc_gate"], held, capi.METH_FASTCALL | capi.METH_KEYWORDS)
