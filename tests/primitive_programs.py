"""Programs of one call: of each primitive at each of its samples, for the tests of targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.compile.program.lam import Apply, Block, Let, Lit, Program
from ccc.objects import Static
from ccc.objects_of_values import object_of
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive
from ccc.records import parts_of


def program(p: Primitive, sample: Sample) -> Program:
    """The program of one call."""
    block = Block("top")
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
