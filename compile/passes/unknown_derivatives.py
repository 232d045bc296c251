"""Derivatives that nobody has given: a program that reads one is refused at the call whose derivative it is."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply, Program, lets_in
from ccc.primitives.unknown import missing, unknown


def refuse_unknown(derived: Program, program: Program) -> None:
    """Raise `MissingDerivative` where the derivative of a program reads one without a rule."""
    for let in lets_in(derived.block):
        if isinstance(let.op, Apply) and let.op.primitive is unknown:
            raise missing(**let.op.params).at(place_of(let.op.params["of"], program))


def place_of(name: str, program: Program) -> Any:
    """Where a program first calls a primitive."""
    return next((let.span for let in lets_in(program.block)
                 if isinstance(let.op, Apply) and name in (let.op.primitive.name, let.op.params.get("method"))), None)
