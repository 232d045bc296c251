"""What is known of functions of Python's: what they iterate, how much of that they take, and what they ask of objects.

>>> of(sorted).takes, of(any).takes, of(zip).takes, of(zip).iterates == ALL, of(len).takes
('all', 'some', 'in turn', True, '')
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import types
from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

import numpy as np

NOTHING, ALL, ALL_BUT_FIRST, FIRST, SECOND = slice(0), slice(None), slice(1, None), slice(1), slice(1, 2)


class Facts(NamedTuple):
    """What is known of a function of Python's.

    It `iterates` the arguments at these places; with several arguments, one of which `one` alone would be iterated,
    none. Of an iterator it `takes` all that is left, some items until it has its result, or each in turn as it is asked
    for items itself. What it gives is the same in `any_order` of items that are numbers and texts, or whole numbers
    alone. One `into` which a generator expression may be written reads that as the loop that it stands for. It is the
    `method` of its first argument. One that is `of_numbers` gives a number or a text of numbers and texts, and does
    nothing else. One that `asks` an object does nothing else either, and takes members of an `IntEnum` as themselves,
    or as numbers. One that goes `by_class` looks at the classes of its arguments before all else. One that `shows`
    shows the whole of what it is given, and one `of_attributes` asks and sets them. One that takes in turn `leaves`
    items of what it iterates, or asks several in turn, where the arguments say so. One `of_class` asks of an object its
    class alone, or what that says is done with it; one `by_place` tells what is equal and not one apart. One gives an
    item `again`, or in several places.
    """

    iterates: slice = NOTHING
    one: bool = False
    takes: Literal["", "all", "some", "in turn"] = ""
    any_order: Literal["", "numbers", "whole numbers"] = ""
    into: bool = False
    method: str = ""
    of_numbers: bool = False
    asks: Literal["", "objects", "numbers"] = ""
    by_class: bool = False
    shows: bool = False
    of_attributes: bool = False
    leaves: bool = False
    of_class: bool = False
    by_place: bool = False
    again: bool = False

    @property
    def hands_on(self) -> bool:
        """Whether each item that it iterates is in one place of what it gives, and nothing else keeps it."""
        return self.takes == "in turn" and not self.again

    @property
    def iterating(self) -> bool:
        """Whether it iterates some of its arguments."""
        return self.iterates != NOTHING

    def places(self, count: int) -> slice:
        """Which of so many arguments it iterates."""
        return NOTHING if self.one and count > 1 else self.iterates


UNKNOWN = Facts()
WHOLE = Facts(FIRST, takes="all", into=True)
SOME = WHOLE._replace(takes="some")
IN_TURN = Facts(FIRST, takes="in turn")
NUMBER = Facts(of_numbers=True)
OF_MATH = NUMBER._replace(by_class=True)
ASKED = Facts(asks="objects")

TABLE: dict[Any, Facts] = {
    builtins.sum: WHOLE._replace(any_order="whole numbers", asks="numbers"),
    builtins.min: WHOLE._replace(one=True, any_order="numbers", of_numbers=True, asks="numbers"),
    builtins.max: WHOLE._replace(one=True, any_order="numbers", of_numbers=True, asks="numbers"),
    builtins.sorted: WHOLE._replace(any_order="numbers", asks="numbers"),
    builtins.list: WHOLE,
    builtins.tuple: WHOLE,
    builtins.set: WHOLE._replace(any_order="numbers", into=False),
    builtins.frozenset: WHOLE._replace(any_order="numbers", into=False),
    builtins.dict: WHOLE._replace(iterates=NOTHING),  # it asks for `keys` first
    math.prod: WHOLE._replace(any_order="whole numbers", of_numbers=True, by_class=True),
    math.fsum: WHOLE._replace(of_numbers=True, by_class=True),
    np.fromiter: WHOLE._replace(iterates=NOTHING),
    functools.reduce: WHOLE._replace(iterates=SECOND, into=False),
    builtins.any: SOME._replace(any_order="numbers"),
    builtins.all: SOME._replace(any_order="numbers"),
    builtins.next: SOME._replace(iterates=NOTHING, of_class=True),
    builtins.zip: IN_TURN._replace(iterates=ALL, leaves=True),
    builtins.enumerate: IN_TURN,
    builtins.map: IN_TURN._replace(iterates=ALL_BUT_FIRST, leaves=True),
    builtins.filter: IN_TURN._replace(iterates=SECOND),
    builtins.iter: IN_TURN,
    builtins.abs: OF_MATH._replace(method="__abs__", asks="numbers"),
    builtins.float: OF_MATH._replace(method="__float__", asks="numbers"),
    builtins.int: OF_MATH._replace(method="__int__", asks="numbers"),
    builtins.round: OF_MATH._replace(method="__round__", asks="numbers"),
    builtins.len: Facts(by_class=True, of_class=True),
    builtins.type: Facts(of_class=True),
    builtins.callable: Facts(of_class=True),
    builtins.id: Facts(by_place=True),
    builtins.divmod: Facts(method="__divmod__", asks="numbers"),
    builtins.reversed: Facts(method="__reversed__"),
    math.floor: OF_MATH._replace(method="__floor__"),
    math.ceil: OF_MATH._replace(method="__ceil__"),
    math.trunc: OF_MATH._replace(method="__trunc__"),
    builtins.bool: NUMBER._replace(asks="objects"),
    builtins.pow: NUMBER,
    builtins.ord: NUMBER,
    builtins.chr: NUMBER,
    builtins.hash: NUMBER._replace(asks="numbers"),
    builtins.isinstance: ASKED._replace(of_class=True),
    builtins.format: ASKED._replace(shows=True),
    builtins.repr: ASKED._replace(shows=True),
    builtins.str: ASKED._replace(shows=True),
    builtins.print: Facts(shows=True),
    builtins.getattr: Facts(of_attributes=True),
    builtins.hasattr: Facts(of_attributes=True),
    builtins.setattr: Facts(of_attributes=True),
    object.__setattr__: Facts(of_attributes=True),
    builtins.vars: Facts(of_attributes=True),
    builtins.dir: Facts(of_attributes=True),
}
"""The functions and classes of Python's of which something is known; those of `math` and `itertools` follow."""

SEVERAL = (itertools.chain, itertools.zip_longest)
"""Iterators of `itertools` that iterate all their arguments,"""
BEHIND = (itertools.dropwhile, itertools.filterfalse, itertools.starmap)
"""the one behind a function,"""
POOLS = (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations)
"""and those that take all of it before they give anything."""
TABLE |= {
    itertools.compress: IN_TURN._replace(iterates=ALL, leaves=True),
    itertools.takewhile: IN_TURN._replace(iterates=SECOND, leaves=True),
    itertools.islice: IN_TURN._replace(leaves=True),
}
TABLE |= {f: IN_TURN._replace(iterates=ALL) for f in SEVERAL} | {f: IN_TURN._replace(iterates=SECOND) for f in BEHIND}
TABLE |= {f: Facts(FIRST, takes="all", again=True) for f in POOLS}
TABLE |= {itertools.product: Facts(ALL, takes="all", again=True), itertools.repeat: Facts(again=True)}
TABLE |= {f: IN_TURN._replace(again=True) for f in (
    itertools.pairwise, itertools.cycle, itertools.tee, itertools.groupby)}  # fmt: skip
TABLE[itertools.chain.from_iterable] = IN_TURN
TABLE |= {f: OF_MATH for f in vars(math).values() if callable(f) and f not in TABLE}
TABLE |= {f: IN_TURN for name, f in vars(itertools).items() if callable(f) and not name.startswith("_")
          and f not in TABLE and f is not itertools.count}  # fmt: skip


def of(function: Any) -> Facts:
    """What is known of a function; `UNKNOWN` of one that is none of Python's."""
    return TABLE.get(function, UNKNOWN) if isinstance(function, Hashable) and is_plain(function) else UNKNOWN


def is_plain(function: Any) -> bool:
    """Whether it is a function or class of Python's own, which compares by what it is."""
    return isinstance(function, (type, types.BuiltinFunctionType, types.WrapperDescriptorType, types.FunctionType))
