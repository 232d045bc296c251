"""The programs of the functions that were read last, for what other verbs ask of them.

A value beside its differential, a gradient behind its value: each is made of one program, which is read once. A few
short ones are kept, each until somebody takes it or an object of its function ends; it is known again as code is
(`ccc.compile.api.kept`): by the form of the function, the types of the arguments, and what guards it.

    read(function, args, kwargs)    the program of a call, which is the reader's until
    done(elaborated)                it says that it has only looked at it
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from ccc.compile.api.dispatch import token
from ccc.compile.frontend import custom, switch
from ccc.compile.frontend.captures import Reader, form, watched
from ccc.compile.frontend.elaborate import Elaborated, elaborate
from ccc.compile.frontend.guards import changed
from ccc.compile.program.lam import dispose, lets_in

KEPT = 4
"""So many programs."""
LONGEST = 2000
"""Of no more operations: what is kept is little."""
_known: OrderedDict[Any, tuple[Elaborated, list[Any]]] = OrderedDict()


def read(function: Any, args: Sequence[Any], kwargs: dict[str, Any], general: Collection[Reader] = ()) -> Elaborated:
    """The program of a function at the types of arguments: as it was read before, or read now."""
    found, held = form(function, custom.RULES)
    given = tuple(map(token, args)), tuple([(name, token(x)) for name, x in kwargs.items()])
    key = found, given, frozenset(general), switch.when()
    try:
        known, _ = _known.pop(key, (None, held))
    except TypeError:  # an option without a hash
        return elaborate(function, args, kwargs, general=general, writes=True, settles=True)
    if known is None or any(changed(known.guards, function)):
        known = elaborate(function, args, kwargs, general=general, writes=True, settles=True)
    known.key = key, held
    return known


def done(elaborated: Elaborated) -> None:
    """Keep a program that nobody has changed for others, or take it apart. What it is has to depend on nothing but its
    key and its guards: not on which arguments are one object, nor on how large they are."""
    program = elaborated.program
    of_sizes = elaborated.settled or elaborated.least
    if elaborated.key is None or elaborated.writes or of_sizes or len(lets_in(program.block)) > LONGEST:
        dispose(program)
        return
    key, held = elaborated.key
    elaborated.key = None
    _known[key] = elaborated, [watched(x, partial(drop, key)) for x in held]
    if len(_known) > KEPT:
        dispose(_known.popitem(last=False)[1][0].program)


def drop(key: Any, ended: Any) -> None:
    """Forget a program, an object of whose function is no more."""
    known = _known.pop(key, None)
    if known is not None:
        dispose(known[0].program)


def clear() -> None:
    """Forget all."""
    _known.clear()
