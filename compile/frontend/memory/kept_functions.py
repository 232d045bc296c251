"""A function that is kept, in a list or by a loop, holds the lists that it reads as they are when it is kept: none of
them may change from then on, nor in another turn of a loop that both stand in."""

from __future__ import annotations

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import row_provenance


def check(e: Elaboration) -> None:
    """Refuse lists that change behind functions that hold them."""
    changes = [(row_provenance.roots(e, [var]), row_provenance.around(var.home), place, what)
               for var, place, what in e.updates] if e.held else []
    for kept in e.held:
        made, turn = row_provenance.roots(e, [kept.value]), row_provenance.around(kept.block)
        for i, (changed, loop, place, what) in enumerate(changes):
            if (i >= kept.updates or (turn is not None and turn is loop)) and changed & made:
                raise unsupported("CC011", f"a function that is kept reads `{kept.name}`, whose items change", place,
                                  f"in `{what}`", help=f"keep a copy: write `{kept.name}=list({kept.name})` among the "
                                  "parameters of the function")
