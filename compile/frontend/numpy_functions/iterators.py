"""`np.nditer`: through arrays place by place, in the order of their indices.

    for x in np.nditer(a): ...        with np.nditer(a, op_flags=["readwrite"]) as items: for x in items: x[...] = 2 * x

What is only read is a number; what may be written is an `Item`, which is read where it is used. None among the arrays
makes a new one, which is then the last of `operands`. NumPy goes in the order of memory where `order` is not given: one
that does not lie by rows is refused there, when the program runs.

>>> [float(x) for x in nditer(np.array([[1.0, 2.0], [3.0, 4.0]]))]
[1.0, 2.0, 3.0, 4.0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

FLAGS = ("multi_index", "c_index", "refs_ok", "zerosize_ok", "grow_inner", "copy_if_overlap", "delay_bufalloc",
         "buffered", "common_dtype")
READ, WRITE = ("readonly",), ("readwrite", "writeonly")


class Item:
    """A place of an array, which is written as `x[...] = value`."""

    def __init__(self, array: Any, place: Any) -> None:
        self.array = array
        self.place = place

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.array[self.place], dtype)

    def __getitem__(self, key: Any) -> Any:
        return self.array[self.place]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.array[self.place] = value

    def item(self) -> Any:
        return self.array[self.place].item()

    def __float__(self) -> float:
        return float(self.array[self.place])

    def __int__(self) -> int:
        return int(self.array[self.place])

    def __bool__(self) -> bool:
        return bool(self.array[self.place])

    def __neg__(self) -> Any:
        return -self.array[self.place]

    def __abs__(self) -> Any:
        return abs(self.array[self.place])

    def __add__(self, other: Any) -> Any:
        return self.array[self.place] + other

    def __radd__(self, other: Any) -> Any:
        return other + self.array[self.place]

    def __sub__(self, other: Any) -> Any:
        return self.array[self.place] - other

    def __rsub__(self, other: Any) -> Any:
        return other - self.array[self.place]

    def __mul__(self, other: Any) -> Any:
        return self.array[self.place] * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.array[self.place]

    def __truediv__(self, other: Any) -> Any:
        return self.array[self.place] / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.array[self.place]

    def __pow__(self, other: Any) -> Any:
        return self.array[self.place] ** other

    def __rpow__(self, other: Any) -> Any:
        return other ** self.array[self.place]

    def __mod__(self, other: Any) -> Any:
        return self.array[self.place] % other

    def __floordiv__(self, other: Any) -> Any:
        return self.array[self.place] // other

    def __iadd__(self, other: Any) -> Any:
        self.array[self.place] += other
        return self

    def __isub__(self, other: Any) -> Any:
        self.array[self.place] -= other
        return self

    def __imul__(self, other: Any) -> Any:
        self.array[self.place] *= other
        return self

    def __itruediv__(self, other: Any) -> Any:
        self.array[self.place] /= other
        return self

    def __lt__(self, other: Any) -> Any:
        return self.array[self.place] < other

    def __le__(self, other: Any) -> Any:
        return self.array[self.place] <= other

    def __gt__(self, other: Any) -> Any:
        return self.array[self.place] > other

    def __ge__(self, other: Any) -> Any:
        return self.array[self.place] >= other

    def __eq__(self, other: Any) -> Any:
        return self.array[self.place] == other

    def __ne__(self, other: Any) -> Any:
        return self.array[self.place] != other

    __hash__ = None  # type: ignore[assignment]


class Places:
    """What goes through arrays of one shape."""

    def __init__(self, operands: Any, written: Any, shape: Any, alone: Any, is_number: Any) -> None:
        self.arrays = operands
        self.is_number = is_number
        self.written = written
        self.shape = shape
        self.alone = alone
        self.index = 0

    @property
    def operands(self) -> Any:
        return tuple([np.reshape(x, ()) if self.is_number else x for x in self.arrays])

    @property
    def multi_index(self) -> Any:
        return np.unravel_index(self.index, self.shape)

    @property
    def itersize(self) -> Any:
        return int(np.prod(self.shape))

    @property
    def iterindex(self) -> Any:
        return self.index

    @property
    def ndim(self) -> Any:
        return len(self.shape)

    @property
    def finished(self) -> Any:
        return self.index >= int(np.prod(self.shape))

    def iternext(self) -> Any:
        self.index = self.index + 1
        return self.index < int(np.prod(self.shape))

    def reset(self) -> None:
        self.index = 0

    def close(self) -> None:
        pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *raised: Any) -> None:
        pass

    def of(self, k: Any, place: Any) -> Any:
        return Item(self.arrays[k], place) if self.written[k] else self.arrays[k][place]

    def at(self, place: Any) -> Any:
        if self.alone:
            return self.of(0, place)
        return tuple([self.of(k, place) for k in tuple(range(len(self.written)))])

    @property
    def value(self) -> Any:
        return self.at(np.unravel_index(self.index, self.shape))

    def __getitem__(self, k: Any) -> Any:
        return self.of(k, np.unravel_index(self.index, self.shape))

    def __setitem__(self, k: Any, value: Any) -> None:
        self.arrays[k][np.unravel_index(self.index, self.shape)] = value

    def __iter__(self) -> Any:
        k = 0
        for place in np.ndindex(self.shape):
            self.index = k
            k = k + 1
            yield self.at(place)


def by_rows(x: Any) -> float:
    """Raise where an array does not lie by rows in memory."""
    if np.ndim(x) > 1 and not x.flags.c_contiguous:
        raise TypeError("np.nditer goes in the order of memory, which is not that of the indices: write order='C'")
    return 0.0


def writes(flags: Any) -> Any:
    """Whether an operand may be written, by its flags."""
    for flag in flags:
        if flag in WRITE:
            return True
        if flag not in (*READ, "allocate", "copy", "updateifcopy", "nbo", "aligned", "contig", "no_broadcast",
                        "no_subtype", "arraymask", "writemasked", "overlap_assume_elementwise"):
            raise ValueError("Unexpected iterator flag")
    return False


@definition_of(np.nditer)
def nditer(op: Any, flags: Any = (), op_flags: Any = None, op_dtypes: Any = None, order: Any = "K",
           casting: Any = "safe", op_axes: Any = None, itershape: Any = None, buffersize: Any = 0) -> Any:
    if op_axes is not None or itershape is not None:
        refuse("np.nditer goes through arrays as they are broadcast, op_axes=None and itershape=None",
               "put the axes in place first, by `np.moveaxis` and `a[:, None]`")
    if order == "F":
        refuse("np.nditer goes by the last index first here", "go through `a.T`")
    for flag in flags:
        if flag not in FLAGS:
            refuse(f"np.nditer has no flag '{flag}' here", "take whole rows by indices, as `for row in a:`")
    several = isinstance(op, (tuple, list))
    given = tuple(op) if several else (op,)
    count = len(given)
    if op_flags is None or len(op_flags) == 0:
        written = tuple([x is None for x in given])
    else:
        each = (tuple(op_flags),) * count if isinstance(op_flags[0], str) else tuple(op_flags)
        written = tuple([given[k] is None or writes(each[k]) for k in tuple(range(count))])
    there = [np.asarray(x) for x in given if x is not None]
    shape = np.broadcast_shapes(*[np.shape(x) for x in there])
    for k in tuple(range(count)):
        if given[k] is not None and written[k] and np.shape(given[k]) != shape:
            raise ValueError("output operand requires a reduction along dimension 0, but the reduction is not enabled")
    if order in ("K", "A"):
        for x in there:
            if np.ndim(x) > 1:
                constant(by_rows, 0.0, x)
    is_number = len(shape) == 0 and count > 1  # arrays without axes: of one number
    shape = (1,) if is_number else shape
    dtypes = (None,) * count if op_dtypes is None else tuple(op_dtypes) if several else (op_dtypes,) * count
    operands = []
    for k in tuple(range(count)):
        x = given[k]
        if x is None:
            operands.append(np.zeros(shape, np.result_type(*there) if dtypes[k] is None else dtypes[k]))
        elif written[k]:
            operands.append(x)
        else:
            like = np.asarray(x) if dtypes[k] is None else np.asarray(x, dtypes[k])
            operands.append(like if np.shape(like) == shape else np.broadcast_to(like, shape))
    return Places(tuple(operands), written, shape, count == 1, is_number)
