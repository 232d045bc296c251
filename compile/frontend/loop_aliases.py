"""Who else sees what a loop changes: names that alone lead to a list or record, and changes that another run or name
would see, which are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.carried import leaves_of, unsealed
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.loop_names import LoopNames
from ccc.compile.frontend.memory.interface import (
    OUTSIDE,
    alive,
    called,
    check_again,
    copies,
    is_view_of,
    lists,
    memory,
    named,
    reached_from,
    reread_names,
)
from ccc.compile.frontend.regions import Region
from ccc.compile.frontend.values import Mutable
from ccc.compile.program.lam import Var
from ccc.objects import List


class LoopAliases(LoopNames):
    """The names of a loop, with who else sees what they stand for."""

    def own(self) -> set[str]:
        """The carried names that alone lead to their lists and records: a run of the body may change these."""
        return {n for n in self.carried if n not in self.seen and n not in self.cells.places
                and self.alone(n, self.before[n])}

    def alone(self, name: str, value: Any) -> bool:
        """True for lists and records that nothing leads to but one name."""
        inside = [part for part in reached_from(value, []) if isinstance(part, Mutable)]
        return not inside or (not any(part.shared for part in inside) and len({*inside}) == len(inside) and not any(
            part in inside
            for frame, other, parts in named(self.e) if frame is not self.frame or other != name
            for part in parts if isinstance(part, Mutable)))

    def take(self, own: set[str]) -> None:
        """Let the body change what these names stand for."""
        for n in own:
            unsealed(self.frame.env[n])

    def given_away(self, after: dict[str, Any]) -> bool:
        """True where something else leads to what a name stands for behind one run: no run may change it then."""
        found = {n for n in self.own() if n in after and not self.alone(n, after[n])}
        self.seen |= found
        return bool(found)

    def check_updates(self, after: dict[str, Any], updates: list[tuple[Var, Any, str]]) -> None:
        """An array that the body changes in place must not be seen by others in the next run either."""
        pairs = [(start, leaf) for n in self.carried
                 for start, leaf in zip(self.starts[n], leaves_of(after[n]) or [], strict=True)]
        check_again(self.e, updates, pairs)
        self.check_stored(after)
        for name in self.by_index.values():
            carried = self.twins.get(name, name)
            if carried in self.carried and not reread_names.as_long(after[name], self.starts[carried][0]):
                raise unsupported("CC011", "this loop changes the length of the list that it runs along", self.place,
                                  help="loop over a copy, or use `while`")
        for var, span, text in updates:
            of_list = isinstance(var.object, List)
            own, reach = (lists.own_roots, lists.traced) if of_list else (memory, memory)
            along = own(self.e, self.along)[0]
            made, way = own(self.e, [var])
            for xs in self.along if of_list else []:
                if isinstance(xs.object, List) and own(self.e, [xs])[0] & made:
                    raise interrupts.ByIndex(xs)
            if made & along:
                raise unsupported("CC011", f"`{text}` would change what the loop runs along", span,
                                  f"the loop at {self.place} reads its items from the same array",
                                  help="loop over a copy, or over the indices")
            own_carry = any(var is start for starts in self.starts.values() for start in starts)
            outer = {root for root in made if root is OUTSIDE or self.block not in list(root.home.ancestors())}
            for n in self.carried:
                ends = leaves_of(after[n]) or []
                for start, end in zip(self.starts[n], ends, strict=True):
                    if not of_list and not own_carry and memory(self.e, [end])[0] & outer and not (
                            n in self.cells.places and memory(self.e, [start])[0] & outer):  # an array's own entries
                        raise unsupported("CC011", f"`{text}` would change an array that is visible elsewhere", span,
                                          f"in the next run of the loop at {self.place} {called(n)} sees it too",
                                          help=f"put a copy where {called(n)} gets its value: `.copy()`")
                    beside = [v for v in ends if v is not end]
                    if start in way and n not in self.cells.places and self.seen_elsewhere(n, end, beside, own, reach):
                        what = f"the list `{n}` changes, which" if of_list else f"`{text}` would change an array that"
                        copied = f"put a copy there: `list({n})`" if of_list else (
                            f"write `{n} = {n} ...` with the operator spelled out")
                        raise unsupported("CC011", f"{what} is visible elsewhere", span,
                                          f"in the next run of the loop at {self.place} another name sees it too",
                                          help=copied)

    def check_stored(self, after: dict[str, Any]) -> None:
        """An array in a store that the body changes must not be seen in the next run by what is no reference to it."""
        stores = self.e.stores
        owners = {owner for owner, _ in self.cells.places.values()}
        changed = {region for region, record in stores.records.items() if record in owners} if stores else set()
        for n in [n for n in self.carried if changed and n not in self.cells.places]:
            for start, end in zip(self.starts[n], leaves_of(after[n]) or [], strict=True):
                if (memory(self.e, [end])[0] - memory(self.e, [start])[0]) & changed:
                    raise unsupported("CC011", "this loop changes an array that is visible elsewhere", self.place,
                                      f"in its next run {called(n)} sees it too",
                                      help=f"put a copy where {called(n)} gets its value: `.copy()`")

    def copied(self, after: dict[str, Any]) -> list[tuple[str, list[Any]]]:
        """The carried names behind which the lists and objects that they may lead to stand as copies, which see no
        change of these."""
        own = self.own()
        copied = [(n, [self.before[n], after[n]]) for n in self.carried if n not in own]
        return copied + [(n, [end]) for n, end in self.unsummed.items() if n in self.carried and end is not after[n]]

    def check_copies(self, after: dict[str, Any]) -> None:
        """Refuse a body that changes a list or object which a carried name may lead to otherwise than by itself."""
        changed = self.e.heap.changed(self.block)
        for n, values in self.copied(after):
            for part in [part for part in copies.changeable_in(values) if part in changed]:
                raise unsupported("CC011", f"this loop changes {described(part)} that is visible elsewhere", self.place,
                                  f"in its next run {called(n)} may see it too",
                                  help=f"put a copy where {called(n)} gets its value")

    def seal_copied(self, after: dict[str, Any]) -> None:
        """Let nothing change from now on that a carried name may lead to otherwise than by itself."""
        for n, values in self.copied(after):
            copies.sealed_in(values, f"{called(n)}, which may be the same behind the loop at {self.place},")

    def seen_elsewhere(
        self, name: str, end: Any, beside: list[Any], own: Callable[..., Any], reach: Callable[..., Any]
    ) -> bool:
        made, _ = own(self.e, [end])
        if OUTSIDE in made or any(isinstance(root, Region) for root in made) or reach(self.e, beside)[0] & made:
            return True
        return any(
            reach(self.e, [p for p in parts if p is not self.before[name]])[0] & made and alive(
                frame, other, done=frame is self.frame)
            for frame, other, parts in named(self.e) if (frame is not self.frame or other != name)
            and not is_view_of(frame.env[other], end) and self.twins.get(other, "") != name
            and self.e.slots.get((frame, other)) not in [owner for owner, _ in self.cells.places.values()]
        )
