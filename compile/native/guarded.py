"""Items that are read only where they are there: `ccc_where` gives 0 elsewhere, and reads nothing. So the text of a
loop needs no branch; several runs at once read a vector under a mask (`spread`).

>>> lines = [Address("double", "%z", "%k", True, name="%x.at"), Load("double", "%x.at", name="%x")]
>>> print(*guarded(lines, "%there"), sep="\\n")
  %x.at = getelementptr double, ptr %z, i64 %k
  %x = call double @ccc_where(i1 %there, ptr %x.at)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ccc.compile.native.code import Address, Call, Instruction, Load, is_name
from ccc.compile.native.functions import Written

NAME = "ccc_where"
WHERE = Written("double", NAME, "(i1 %there, ptr %at)", """ alwaysinline nounwind {
  br i1 %there, label %read, label %over
read:
  %x = load double, ptr %at
  ret double %x
over:
  ret double 0.0
}""")


def guarded(lines: Iterable[Instruction], there: str) -> Iterator[Instruction]:
    """The lines that read items of arrays, with those reads made only where a test holds."""
    for line in lines:
        match line:
            case Address(item="double", inside=True):
                at, index = line.operands
                yield Address("double", at, index, False, line.index_type, line.at_type, line.name)
            case Load(type="double", align=0) if is_name(line.at):
                yield Call("double", NAME, ("i1", "ptr"), (there, line.at), name=line.name)
            case _:
                yield line
