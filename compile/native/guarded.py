"""Items that are read only where they are there: `ccc_where` gives 0 elsewhere, and reads nothing. So the text of a
loop needs no branch; several runs at once read a vector under a mask (`spread`).

>>> lines = ["  %x.at = getelementptr inbounds double, ptr %z, i64 %k", "  %x = load double, ptr %x.at"]
>>> print(*guarded(lines, "%there"), sep="\\n")
  %x.at = getelementptr double, ptr %z, i64 %k
  %x = call double @ccc_where(i1 %there, ptr %x.at)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

CALL = "@ccc_where("
WHERE = """
define internal double @ccc_where(i1 %there, ptr %at) alwaysinline nounwind {
  br i1 %there, label %read, label %over
read:
  %x = load double, ptr %at
  ret double %x
over:
  ret double 0.0
}
"""
ADDRESS = re.compile(r"getelementptr inbounds double,")
READ = re.compile(r"  (%\S+) = load double, ptr (%\S+)$")


def guarded(lines: Iterable[str], there: str) -> Iterator[str]:
    """The lines that read items of arrays, with those reads made only where a test holds."""
    for line in lines:
        yield READ.sub(rf"  \1 = call double {CALL}i1 {there}, ptr \2)", ADDRESS.sub("getelementptr double,", line))
