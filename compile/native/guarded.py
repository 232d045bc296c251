"""Items that are read only where they are there: `ccc_where_double` gives 0 elsewhere, and reads nothing. So the text
of a loop needs no branch; several runs at once read a vector under a mask (`spread`).

>>> lines = [Address("double", "%z", "%k", True, name="%x.at"), Load("double", "%x.at", name="%x")]
>>> print(*guarded(lines, "%there"), sep="\\n")
  %x.at = getelementptr double, ptr %z, i64 %k
  %x = call double @ccc_where_double(i1 %there, ptr %x.at)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ccc.compile.native.code import Address, Call, Instruction, Load, is_name
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.functions import Written

NAMES = {type_: f"ccc_where_{type_}" for type_ in FLOATING}
WHERE = [Written(type_, name, "(i1 %there, ptr %at)", f""" alwaysinline nounwind {{
  br i1 %there, label %read, label %over
read:
  %x = load {type_}, ptr %at
  ret {type_} %x
over:
  ret {type_} 0.0
}}""") for type_, name in NAMES.items()]


def guarded(lines: Iterable[Instruction], there: str) -> Iterator[Instruction]:
    """The lines that read items of arrays, with those reads made only where a test holds."""
    for line in lines:
        match line:
            case Address(inside=True) if line.item in FLOATING:
                at, index = line.operands
                yield Address(line.item, at, index, False, line.index_type, line.at_type, line.name)
            case Load(align=0) if line.type in FLOATING and is_name(line.at):
                yield Call(line.type, NAMES[line.type], ("i1", "ptr"), (there, line.at), name=line.name)
            case _:
                yield line
