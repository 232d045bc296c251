"""Every primitive in machine code gives what it gives in Python, at its samples, or is computed there."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from primitive_programs import flat, known, program
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.compile.program.target import NotTaken
from ccc.errors import CCCError
from ccc.objects_of_values import object_of
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

pytest.importorskip("llvmlite")

from ccc.compile.native import handlers
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


def left(*args: Any) -> Any:
    raise LookupError("left to NumPy")


def computed(f: Any, sample: Sample, params: Any) -> Any:
    """What a function gives, or the error that it raises."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f(*copy.deepcopy(sample.args), **params)
    except Exception as error:
        return error


def outcome(p: Primitive, sample: Sample) -> str:
    """What becomes of a sample: machine code gives what Python does, or leaves it to that."""
    try:
        found = program(p, sample)
    except (CCCError, TypeError, ValueError, LookupError, AssertionError):
        return "no type"
    try:
        module = NATIVE.lower(found, False, sample.args)
    except NotTaken:
        return "not taken"
    if module.out:
        return "out"
    wanted = computed(p.value, sample, sample.params)
    try:
        function = module.function(left, sample.args)
    except RuntimeError:
        return "not taken"
    result = computed(function, sample, {})
    if isinstance(result, LookupError):
        return "left"
    assert not isinstance(wanted, Exception), (p, sample, result, wanted)
    assert not isinstance(result, Exception), (p, sample, result)
    one, other = flat(result), flat(wanted)
    near = 1e-3 if any("float32" in str(object_of(x)) for x in (*sample.args, wanted)) else 1e-9
    assert len(one) == len(other), (p, sample, result, wanted)
    assert np.allclose(one, other, near, near * 1e-3, equal_nan=True), (p, sample, result, wanted)
    if isinstance(wanted, np.ndarray) and isinstance(result, np.ndarray):
        assert result.dtype == wanted.dtype and result.shape == wanted.shape, (p, sample)
    return "agrees"


def kinds(p: Primitive, form: str = "plain") -> list[Sample]:
    """A sample in a form for each number of arguments and each choice of parameters."""
    found = {(len(s.args), tuple(s.params)): s for s in reversed(SAMPLES[p.name])}
    return [Sample(tuple(map(FORMS[form], s.args)), s.params) for s in found.values()]


IN_CODE = [p for p, _ in known() if p.name in handlers.TABLE]


NAMED = [p for p in IN_CODE if not (getattr(p.value, "__module__", "") or "").startswith("ccc.")]
"""Those of functions that users name; others are given what stands in derivatives."""


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
    monkeypatch.setattr(handlers.TABLE["math.hypot"], "number", handlers.TABLE["math.atan2"].number)
    with pytest.raises(AssertionError):
        outcome(registry.BY_NAME["math.hypot"], SAMPLES["math.hypot"][0])
