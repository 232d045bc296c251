"""Python and NumPy as machine code sees them: functions of their C API, and where the fields of objects lie.

>>> layouts_hold()
True
"""

from __future__ import annotations

import ctypes
import datetime
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ccc.compile.native import pieces, runtime
from ccc.compile.native.boundary import DESCR, DTYPES, FLAGS, ITEMS, KIND, KIND_MASK, NUMBER, RANK, SIZES, TYPE
from ccc.compile.native.unbox_arguments import number_of

DECLARED = """declare ptr @PyFloat_FromDouble(double)
declare ptr @PyLong_FromLongLong(i64)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyTuple_New(i64)
declare ptr @PyList_New(i64)
declare ptr @PyByteArray_FromStringAndSize(ptr, i64)
declare ptr @PyByteArray_AsString(ptr)
declare ptr @PyObject_Call(ptr, ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare ptr @PyDict_New()
declare ptr @PyDict_GetItem(ptr, ptr)
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare i64 @PyDict_Size(ptr)
declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @PyErr_Clear()
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @ccc_new_array(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @ccc_new_copy(ptr, i32)
declare i32 @ccc_set_base(ptr, ptr)
declare ptr @ccc_scalar(ptr, ptr, ptr)""".splitlines()
NUMPY = {"ccc_scalar": 60, "ccc_new_copy": 85, "ccc_new_array": 94, "ccc_set_base": 282}
"""Where NumPy's constructors of scalars, copies and arrays stand in the table of its C API."""
CAPSULE: Any = type(datetime.datetime_CAPI)  # type: ignore[attr-defined]
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02
DEFINITIONS: dict[tuple[str, int, int], ctypes.Structure] = {}
"""Definitions of methods, by name, address and flags. They are never freed: when Python ends, functions go later than
the variables of modules."""


class MethodDef(ctypes.Structure):
    """What Python needs to know of a function in machine code."""

    _fields_ = (("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


def function(name: str, address: int, keep: object, flags: int = METH_FASTCALL) -> Callable[..., Any]:
    """A Python function of machine code that takes its arguments as an array of pointers; it holds `keep`, the code."""
    definition = DEFINITIONS.get((name, address, flags))
    if definition is None:
        definition = DEFINITIONS[name, address, flags] = MethodDef(name.encode(), address, flags, None)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), keep, None)


@cache
def symbols() -> dict[str, int]:
    """The addresses that entry points are linked with."""
    umath = sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(umath._ARRAY_API, None)
    found = {name: ctypes.c_void_p.from_address(table + 8 * at).value or 0 for name, at in NUMPY.items()}
    return {**runtime.library(), **runtime.transforms(), **pieces.functions().addresses, **found}


@cache
def layouts_hold() -> bool:
    """Whether objects of this Python and this NumPy lie in memory as entry points read them."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") or sys.implementation.name != "cpython":
        return False
    return ctypes.sizeof(ctypes.c_void_p) == 8 and numbers_hold() and containers_hold() and arrays_hold()


def word(x: object, at: int) -> int:
    return ctypes.c_int64.from_address(id(x) + at).value


def half(x: object, at: int) -> int:
    return ctypes.c_int32.from_address(id(x) + at).value


def numbers_hold() -> bool:
    """Whether the types and values of numbers are where they are looked for."""

    def double(x: object) -> float:
        return ctypes.c_double.from_address(id(x) + NUMBER).value

    bools = [ctypes.c_int8.from_address(id(x) + NUMBER).value for x in (np.True_, np.False_)]
    types_ = all(word(x, TYPE) == id(type(x)) for x in (2.5, 2, np.float64(1), np.int64(1), np.True_))
    reals = double(2.5) == double(np.float64(2.5)) == 2.5
    return types_ and reals and word(np.int64(-7), NUMBER) == -7 and bools == [1, 0]


def containers_hold() -> bool:
    """Whether the items of tuples and lists are where they are looked for."""
    x, y = object(), object()
    pair, list_ = (x, y), [x, y, x]
    items = word(list_, ITEMS)
    return (
        word(pair, NUMBER) == 2 and word(list_, NUMBER) == 3
        and [word(pair, ITEMS + 8 * i) for i in range(2)] == [id(x), id(y)]
        and [ctypes.c_int64.from_address(items + 8 * i).value for i in range(3)] == [id(x), id(y), id(x)]
    )  # fmt: skip


def arrays_hold() -> bool:
    """Whether the fields of arrays and dtypes are where they are looked for, and NumPy's constructors too."""
    a = np.arange(6.0).reshape(2, 3)
    sizes = word(a, SIZES)
    dtypes = all(word(dtype, KIND) & KIND_MASK == number_of(name) for name, dtype in DTYPES.items())
    other = word(np.dtype(">f8"), KIND) & KIND_MASK != number_of("float64")
    held = (
        word(a, TYPE) == id(np.ndarray) and word(a, NUMBER) == a.ctypes.data and half(a, RANK) == 2
        and [ctypes.c_int64.from_address(sizes + 8 * i).value for i in range(2)] == [2, 3]
        and word(a, DESCR) == id(a.dtype) and half(a, FLAGS) & 0x101 == 0x101 and half(a.T, FLAGS) & 1 == 0
        and dtypes and other
    )  # fmt: skip
    if not held:
        return False
    object_, pointer = ctypes.py_object, ctypes.c_void_p
    scalar = ctypes.PYFUNCTYPE(object_, pointer, object_, pointer)(symbols()["ccc_scalar"])
    copy = ctypes.PYFUNCTYPE(object_, object_, ctypes.c_int)(symbols()["ccc_new_copy"])
    found = copy(a.T, 0)
    owner, owned = object(), np.empty(1)
    ctypes.pythonapi.Py_IncRef(object_(owner))
    ctypes.PYFUNCTYPE(ctypes.c_int, object_, object_)(symbols()["ccc_set_base"])(owned, owner)
    made = scalar(a.ctypes.data + 8, a.dtype, None)
    copied = found.flags.c_contiguous and np.array_equal(found, a.T)
    return owned.base is owner and type(made) is np.float64 and made == 1.0 and copied
