"""Programs of one call: of each primitive at each of its samples, for the tests of targets."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.compile.program.lam import Apply, Block, BlockKind, Let, Lit, Program
from ccc.compile.program.target import NotTaken
from ccc.errors import CCCError
from ccc.objects import Static
from ccc.objects_of_values import object_of
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive
from ccc.records import parts_of


def program(p: Primitive, sample: Sample) -> Program:
    """The program of one call."""
    block = Block(BlockKind.TOP)
    params = [block.param(f"x{i}", object_of(x)) for i, x in enumerate(sample.args)]
    known = [Lit(x.object.value, x.object) if isinstance(x.object, Static) else x for x in params]
    let = Let(Apply(p, sample.params), list(known))
    result = let.target("y", p.type_of(tuple([x.object for x in params]), sample.params), block)
    block.lets.append(let)
    block.results = [result]
    return Program("f", [(x.name, x) for x in params], block, result)


def flat(x: Any) -> list[float]:
    parts = list(x) if isinstance(x, range) else parts_of(x)
    if parts is not None:
        return [leaf for part in parts for leaf in flat(part)]
    return [] if x is None or isinstance(x, str) else list(np.ravel(x).astype(float))


def known() -> list[tuple[Primitive, list[Sample]]]:
    return [(registry.BY_NAME[name], samples) for name, samples in SAMPLES.items()
            if name in registry.BY_NAME and not registry.BY_NAME[name].effect]


def left(*args: Any) -> Any:
    """In the place of the function of NumPy that a target leaves a call to."""
    raise LookupError("left to NumPy")


def computed(f: Any, sample: Sample, params: Any) -> Any:
    """What a function gives, or the error that it raises."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(*copy.deepcopy(sample.args), **params)
    except Exception as error:
        return error


Made = Callable[[Program, Sample], Any]
"""What makes the function of a target for a program, or says in a word why there is none."""


def outcome_in(made: Made, p: Primitive, sample: Sample, near: float = 1e-9) -> str:
    """What becomes of a sample in a target: it gives what Python does, leaves it to that, or does not take it."""
    try:
        found = program(p, sample)
    except (CCCError, TypeError, ValueError, LookupError, AssertionError):
        return "no type"
    wanted = computed(p.value, sample, sample.params)
    try:
        function = made(found, sample)
    except NotTaken:
        return "not taken"
    if isinstance(function, str):
        return function
    result = computed(function, sample, {})
    if isinstance(result, LookupError):
        return "left"
    assert not isinstance(wanted, Exception), (p, sample, result, wanted)
    assert not isinstance(result, Exception), (p, sample, result)
    one, other = flat(result), flat(wanted)
    near = 1e-3 if any("float32" in str(object_of(x)) for x in (*sample.args, wanted)) else near
    assert len(one) == len(other), (p, sample, result, wanted)
    assert np.allclose(one, other, near, near * 1e-3, equal_nan=True), (p, sample, result, wanted)
    if isinstance(wanted, np.ndarray) and isinstance(result, np.ndarray):
        assert result.dtype == wanted.dtype and result.shape == wanted.shape, (p, sample)
    return "agrees"
