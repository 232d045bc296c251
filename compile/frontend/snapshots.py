"""Function values that a branch returns, closing over the names as that branch left them."""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import ChoiceValue, ClosureValue, Frame, ListValue, Perhaps, RecordValue
from ccc.compile.program.lam import like

SEEN = "a function that one branch gives"


def in_frame(closure: ClosureValue, frame: Frame, defaults: dict[str, Any], e: Elaboration) -> ClosureValue:
    """The same function closing over another frame."""
    found = closure.twin(closure.node, frame, defaults, e.recorder.block)
    found.itself = closure.itself
    return found


class Snapshots:
    """Function values that a branch returns, closing over the names as that branch left them."""

    def __init__(self, e: Elaboration, frame: Frame, env: dict[str, Any]) -> None:
        self.e = e
        self.frame = frame
        self.env = env
        self.twins: dict[Frame, Frame] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return like(value, map(self.of, value))
        if isinstance(value, RecordValue):
            parts = [self.of(part) for part in value.fields.values()]
            same = all(x is y for x, y in zip(parts, value.fields.values(), strict=True))
            return value if same else value.like(parts, value.shared or SEEN)
        if isinstance(value, ListValue):
            items = list(map(self.of, value.items))
            same = all(x is y for x, y in zip(items, value.items, strict=True))
            return value if same else ListValue(items, value.shared or SEEN)
        if isinstance(value, ChoiceValue):
            return ChoiceValue(value.test, self.of(value.then), self.of(value.orelse))
        if isinstance(value, Perhaps):
            return Perhaps(self.of(value.value), value.bound)
        if isinstance(value, ClosureValue) and self.reaches(value.frame):
            return in_frame(value, self.twin(value.frame), {k: self.of(v) for k, v in value.defaults.items()}, self.e)
        return value

    def reaches(self, frame: Frame | None) -> bool:
        while frame is not None and frame is not self.frame:
            frame = frame.outer
        return frame is not None

    def twin(self, frame: Frame) -> Frame:
        if not self.reaches(frame):
            return frame
        known = self.twins.get(frame)
        if known is None:
            known = self.twins[frame] = frame.copy()
            if frame.outer is not None:
                known.outer = self.twin(frame.outer)
            env = self.env if frame is self.frame else frame.env
            known.env.update({name: self.of(value) for name, value in env.items()})
        return known
