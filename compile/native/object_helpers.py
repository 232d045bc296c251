"""Functions in IR that those of arguments and of results call."""

from __future__ import annotations

import numpy as np

from ccc.compile.native import arena
from ccc.compile.native.boundary import ITEMS, NUMBER, address
from ccc.compile.native.functions import Constant, Written
from ccc.compile.native.living_texts import known, texts


def widening(dtype: str) -> Written:
    """A function that writes the items of an array of narrow integers as integers of 64 bits."""
    narrow = np.dtype(dtype)
    bits, extend = 8 * narrow.itemsize, "zext" if narrow.kind == "u" else "sext"
    return Written("void", f"ccc_widen_{dtype}", "(ptr noalias %x, ptr noalias %into, i64 %n)", f""" {{
  br label %head
head:
  %k = phi i64 [ 0, %0 ], [ %next, %body ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done
body:
  %from = getelementptr i{bits}, ptr %x, i64 %k
  %item = load i{bits}, ptr %from
  %wide = {extend} i{bits} %item to i64
  %to = getelementptr i64, ptr %into, i64 %k
  store i64 %wide, ptr %to
  %next = add i64 %k, 1
  br label %head
done:
  ret void
}}""")


COPY = Written("i1", "ccc_copy", "(ptr %x, ptr %into, i64 %size)", """ {
  %y = call ptr @ccc_new_copy(ptr %x, i32 0)
  %none = icmp eq ptr %y, null
  br i1 %none, label %failed, label %made
made:
  %d = getelementptr i8, ptr %y, i64 16
  %data = load ptr, ptr %d
  call void @llvm.memcpy.p0.p0.i64(ptr %into, ptr %data, i64 %size, i1 false)
  call void @Py_DecRef(ptr %y)
  ret i1 true
failed:
  call void @PyErr_Clear()
  ret i1 false
}""")
"""A copy of the items of an array, in the order of C."""
SAME_KEY = Written("i1", "ccc_same_key", "(ptr %x, ptr %y)", """ {
  %same = icmp eq ptr %x, %y
  br i1 %same, label %yes, label %types
types:
  %xt = getelementptr i8, ptr %x, i64 8
  %yt = getelementptr i8, ptr %y, i64 8
  %a = load ptr, ptr %xt
  %b = load ptr, ptr %yt
  %alike = icmp eq ptr %a, %b
  br i1 %alike, label %compare, label %no
compare:
  %found = call i32 @PyObject_RichCompareBool(ptr %x, ptr %y, i32 2)
  %equal = icmp eq i32 %found, 1
  br i1 %equal, label %yes, label %failed
failed:
  call void @PyErr_Clear()
  br label %no
yes:
  ret i1 true
no:
  ret i1 false
}""")
"""Keys of one type that are equal: looking at keys of other types could run code of users."""
ATTRIBUTE = Written("ptr", "ccc_attribute", "(ptr %x, ptr %name)", """ {
  %found = call ptr @PyObject_GetAttr(ptr %x, ptr %name)
  %none = icmp eq ptr %found, null
  br i1 %none, label %failed, label %there
there:
  %count = load i64, ptr %found
  %held = icmp sgt i64 %count, 1
  call void @Py_DecRef(ptr %found)
  %kept = select i1 %held, ptr %found, ptr null
  ret ptr %kept
failed:
  call void @PyErr_Clear()
  ret ptr null
}""")
"""An attribute that the object holds: borrowed, or null where nothing else holds it."""
COUNTED = Written("i1", "ccc_counted", "(ptr %x, i64 %count)", """ {
  %dict = call ptr @PyObject_GenericGetDict(ptr %x, ptr null)
  %none = icmp eq ptr %dict, null
  br i1 %none, label %failed, label %there
there:
  %size = call i64 @PyDict_Size(ptr %dict)
  call void @Py_DecRef(ptr %dict)
  %same = icmp eq i64 %size, %count
  ret i1 %same
failed:
  call void @PyErr_Clear()
  ret i1 false
}""")
"""Whether the dict of an object has so many entries."""
TEXT = Written("i64", "ccc_text", "(ptr %arena, ptr %x)", f""" {{
  %place = getelementptr i64, ptr %arena, i64 {arena.TEXTS}
  %texts = load ptr, ptr %place
  %none = icmp eq ptr %texts, null
  br i1 %none, label %ask, label %look
ask:
  %dict = call ptr @PyObject_Vectorcall(ptr {address(texts)}, ptr null, i64 0, ptr null)
  %failed = icmp eq ptr %dict, null
  br i1 %failed, label %lost, label %keep
keep:
  call void @Py_DecRef(ptr %dict)
  store ptr %dict, ptr %place
  br label %look
look:
  %found.in = phi ptr [ %texts, %0 ], [ %dict, %keep ]
  %met = call ptr @PyDict_GetItem(ptr %found.in, ptr %x)
  %new = icmp eq ptr %met, null
  br i1 %new, label %first, label %done
first:
  %args = alloca ptr
  store ptr %x, ptr %args
  %one = call ptr @PyObject_Vectorcall(ptr {address(known)}, ptr %args, i64 1, ptr null)
  %no = icmp eq ptr %one, null
  br i1 %no, label %lost, label %given
given:
  call void @Py_DecRef(ptr %one)
  br label %done
done:
  %text = phi ptr [ %met, %look ], [ %one, %given ]
  %word = ptrtoint ptr %text to i64
  ret i64 %word
lost:
  call void @PyErr_Clear()
  ret i64 0
}}""")
"""The object that stands for a text in the call, whose dict holds it; 0 where there is no memory for that."""
RECORD = Written("ptr", "ccc_record", "(ptr %new, ptr %cls, ptr %names, ptr %parts)", f""" {{
  %args = alloca ptr
  store ptr %cls, ptr %args
  %record = call ptr @PyObject_Vectorcall(ptr %new, ptr %args, i64 1, ptr null)
  %none = icmp eq ptr %record, null
  br i1 %none, label %lost, label %made
made:
  %size.place = getelementptr i8, ptr %names, i64 {NUMBER}
  %size = load i64, ptr %size.place
  br label %head
head:
  %k = phi i64 [ 0, %made ], [ %next, %set ]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %body, label %done
body:
  %items = getelementptr i8, ptr %names, i64 {ITEMS}
  %name.place = getelementptr ptr, ptr %items, i64 %k
  %name = load ptr, ptr %name.place
  %others = getelementptr i8, ptr %parts, i64 {ITEMS}
  %part.place = getelementptr ptr, ptr %others, i64 %k
  %part = load ptr, ptr %part.place
  %status = call i32 @PyObject_GenericSetAttr(ptr %record, ptr %name, ptr %part)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %unset, label %set
set:
  %next = add i64 %k, 1
  br label %head
unset:
  call void @Py_DecRef(ptr %record)
  br label %lost
lost:
  ret ptr null
done:
  ret ptr %record
}}""")
"""A record of a class that `new` makes, whose attributes of these names are the items of a tuple."""
DEPTH = Constant("ccc_depth", "internal global i64 0")
"""How many nodes of trees are under way."""
DECLARED = {
    COUNTED.name: "declare ptr @PyObject_GenericGetDict(ptr, ptr)",
    RECORD.name: "declare i32 @PyObject_GenericSetAttr(ptr, ptr, ptr)",
    DEPTH.name: "declare ptr @PyErr_Occurred()",
}
"""What few programs call, by what calls it."""
