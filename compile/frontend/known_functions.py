"""Functions of Python's library that are known on values of the front end, and functions whose source is read."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import types
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ccc.compile.frontend import (
    decorated,
    first_results,
    guards,
    iterators,
    kinds_met,
    lifted as of_host,
    pools,
    python_functions,
    record_making,
    records,
    sequences,
)
from ccc.compile.frontend.builtin import BUILTINS
from ccc.compile.frontend.captures import Fixed, Within
from ccc.compile.frontend.definitions import (
    are_by_address,
    definition_of,
    known_as_few,
    parameter_found,
    parameters_counted,
    refused_by_definition,
)
from ccc.compile.frontend.functional import FUNCTIONAL
from ccc.compile.frontend.iterator_values import TAKEN
from ccc.compile.frontend.memory.interface import array_writers, stored
from ccc.compile.frontend.numpy_functions import below, refuse, table
from ccc.compile.frontend.numpy_functions.table import constant, hosted, lifted
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.sameness import identity_counts
from ccc.compile.frontend.source import File
from ccc.compile.frontend.unread_calls import instead_of
from ccc.compile.frontend.values import Frame, RecordValue, is_ours
from ccc.compile.program.lam import Node
from ccc.later import deferred
from ccc.primitives import registry

OPERATORS: dict[Any, Callable[..., Any]] = {}
"""Differential operators, which give a transform of a function met inside a program; `ccc.compile.api.transforms`
enters them."""
LIBRARY_CLASSES = (set, collections.defaultdict, collections.Counter)
"""Classes that are known without stores too, part by part."""
COPIERS = ("copy", "dataclasses")
"""The modules of Python whose functions may copy."""


def tabled(module: ModuleType, table: str, *functions: Any) -> dict[Any, Callable[..., Any]]:
    """Handlers that stand in the table of a module, which is loaded when one is called."""
    return {function: lambda *args, of=function: getattr(module, table)[of](*args) for function in functions}


LIBRARY: dict[Any, Callable[..., Any]] = BUILTINS | FUNCTIONAL | tabled(
    sequences, "SEQUENCES", reversed, sorted, type, sum, max, min,
) | tabled(
    iterators, "ITERATORS", map, filter, zip, enumerate, iter, next, itertools.chain, itertools.chain.from_iterable,
    itertools.islice, itertools.repeat, itertools.count, itertools.cycle, itertools.zip_longest, itertools.groupby,
    itertools.tee, itertools.accumulate, itertools.pairwise, itertools.starmap, itertools.filterfalse,
    itertools.takewhile, itertools.dropwhile, itertools.compress,
    *[vars(itertools)[name] for name in ("batched",) if name in vars(itertools)],  # which later Pythons have
) | tabled(pools, "POOLS", *TAKEN) | tabled(
    decorated, "DECORATORS", functools.update_wrapper, functools.cache, functools.lru_cache, contextlib.contextmanager,
) | {
    refuse: refused_by_definition, lifted: deferred(of_host, "lifted"), hosted: deferred(of_host, "hosted"),
    constant: deferred(of_host, "constant"),
    table.by_address: are_by_address, table.count_of_parameters: parameters_counted,
    table.has_parameter: parameter_found, table.is_few: known_as_few,
    table.is_whole: deferred(first_results, "is_whole"), table.gives_whole: deferred(first_results, "gives_whole"),
    table.int_or_float: lambda e, args, kwargs, node, frame: kinds_met.is_int_or_float(args[0]),
    table.dtype_along: lambda e, args, kwargs, node, frame: table.dtype_along(*args),
}
"""Functions of Python's library, on values of the front end."""


def copying() -> ModuleType:
    """What copies, which is loaded where a program may."""
    from ccc.compile.frontend import copying

    return copying


def draws() -> ModuleType:
    """What reads draws, which is loaded where there are some."""
    from ccc.compile.frontend import draws

    LIBRARY.update(draws.LIBRARY)
    return draws


def kept_by_users(args: list[Any], frame: Frame) -> bool:
    """True for `iter(xs)` of what stands in a store, but for what the `__iter__` of a class of Python's gives."""
    return not is_ours(frame.function) and len(args) == 1 and stored.is_container(args[0])


def kept_as_they_are(function: Any, value: Any) -> bool:
    """True for objects whose class says what a builtin does with them, for those whose attributes are asked and set, of
    which what is shown is a copy, and for what `id` tells apart."""
    facts = python_functions.of(function)
    return facts.by_place or facts.of_attributes or (facts.of_class and stored.kind_of(value) is StoredAs.OBJECT)


def is_read(function: Any) -> bool:
    """True for functions and classes of users, whose source is read, for what leads on to a call of one, and for
    questions about classes alone."""
    if isinstance(function, types.MethodType):
        return not registry.is_holder(function.__self__)
    if isinstance(function, (functools.partial, functools._lru_cache_wrapper)):
        return True
    if not type(function).__hash__ or function in LIBRARY or hasattr(function, "__ccc_inline__"):
        return function is identity_counts
    if isinstance(function, type):
        return record_making.can_make(function)
    definition = definition_of(function)
    if definition is not None and definition.__module__.startswith(table.PYTHON):
        return True
    if not isinstance(function, types.FunctionType) or definition is not None:
        return records.is_record(function)
    known = registry.find(function) is not None or array_writers.writer(function) is not None or function in OPERATORS
    return not known and instead_of(function) is None


def read_for(e: Any, function: Any, args: list[Any]) -> Any:
    """What is called in place of a class of Python's, of one of a user's below it, or of a method of its own that is
    called by its name for such an object; None for others."""
    if e.stores is None and function in LIBRARY_CLASSES:
        return None
    if isinstance(function, below.OF_C) and args and isinstance(args[0], (RecordValue, Node)):
        return below.written(function, class_behind(args[0].cls))
    found = below.read_for(function)
    if found is not None and found is not table.class_read_for(function):
        e.guards[id(function), "read for"] = guards.Guard(Within(Fixed(function), read_again, None), found)
    return found


def read_again(cls: Any, of: Any) -> Any:
    """The class that is read for a user's now."""
    return below.read_for(cls)


def frame_of(function: Any) -> Frame | None:
    """Where a function of Python's library stands that is read itself: with us, so that what is said of it is said of
    the call. None for others."""
    read = isinstance(function, types.BuiltinFunctionType | type | types.FunctionType | type(np.copyto))
    read = read and (function in LIBRARY or definition_of(function) is not None)
    return Frame(function.__name__, File(__file__, ()), function, None) if read else None
