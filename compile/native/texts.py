"""Texts that are known: the addresses of what stands for them, see `living_texts`."""

from __future__ import annotations

from ccc.compile.native.boundary import address
from ccc.compile.native.living_texts import lasting
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Let
from ccc.primitives import effects


def known_text(m: Lowering, value: str) -> Num:
    """A text that is known: the address of what stands for it."""
    return Num("i64", m.w.cast("ptrtoint", "ptr", address(lasting(value)), "i64"))


@handles(effects.text)
def text(m: Lowering, let: Let) -> Num:
    """A text that is made of no values: others go out."""
    return known_text(m, effects.formatted(let.application.params["form"], ()))
