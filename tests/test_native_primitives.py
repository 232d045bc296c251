"""Every primitive in machine code gives what it gives in Python, at its samples, or is computed there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from primitive_programs import known, left, outcome_in
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.compile.program.lam import Program
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

pytest.importorskip("llvmlite")

from ccc.compile.native import handlers, table
from ccc.compile.native.native_target import NATIVE

FORMS: dict[str, Any] = {
    "plain": lambda x: x,
    "whole": lambda x: x.astype(np.int64) if real(x) else int(x) if type(x) is float and abs(x) < 1e6 else x,
    "single": lambda x: x.astype(np.float32) if real(x) else np.float32(x) if type(x) is float else x,
    "backwards": lambda x: x[::-1].copy()[::-1] if real(x) and x.ndim else x,
    "empty": lambda x: x[..., :0].copy() if real(x) and x.ndim else x,
}
"""What becomes of the arguments of samples."""


def real(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def outcome(p: Primitive, sample: Sample) -> str:
    """What becomes of a sample in machine code."""

    def made(found: Program, sample: Sample) -> Any:
        module = NATIVE.lower(found, False, sample.args)
        if module.out:
            return "out"
        try:
            return module.function(left, sample.args)
        except RuntimeError:
            return "not taken"

    return outcome_in(made, p, sample)


def kinds(p: Primitive, form: str = "plain") -> list[Sample]:
    """A sample in a form for each number of arguments and each choice of parameters."""
    found = {(len(s.args), tuple(s.params)): s for s in reversed(SAMPLES[p.name])}
    return [Sample(tuple(map(FORMS[form], s.args)), s.params) for s in found.values()]


IN_CODE = [p for p, _ in known() if p in handlers.TABLE]


NAMED = [p for p in IN_CODE if not (getattr(p.value, "__module__", "") or "").startswith("ccc.")]
"""Those of functions that users name; others are given what stands in derivatives."""


@pytest.mark.share(4)
@pytest.mark.parametrize("p", IN_CODE, ids=repr)
def test_primitives_agree_for_each_number_of_arguments(p: Primitive):
    """`math.hypot` of three numbers was that of two."""
    assert all(outcome(p, s) for s in kinds(p))


@pytest.mark.nightly
@pytest.mark.parametrize("form", [form for form in FORMS if form != "plain"])
@pytest.mark.parametrize("p", NAMED, ids=repr)
def test_primitives_agree_in_all_forms(p: Primitive, form: str):
    assert all(outcome(p, s) for s in kinds(p, form))


def test_most_primitives_have_machine_code_at_their_samples():
    found = [outcome(p, kinds(p)[-1]) for p in IN_CODE[::5]]
    assert found.count("agrees") > 0.8 * len(found), found


def test_a_wrong_operation_is_found(monkeypatch: pytest.MonkeyPatch):
    length, angle = [table.entry(registry.BY_NAME[name]) for name in ("math.hypot", "math.atan2")]
    monkeypatch.setattr(length, "number", angle.number)
    with pytest.raises(AssertionError):
        outcome(registry.BY_NAME["math.hypot"], SAMPLES["math.hypot"][0])
