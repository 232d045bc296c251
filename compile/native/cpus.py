"""A CPU to compile for, and what is known of it.

`BASELINE` is one of the family of this process's that promises least; `Cpu.has_fma` chooses the variant of the
elementary functions.

>>> BASELINE.name, BASELINE.has_fma
('', False)
"""

from __future__ import annotations

import platform

from ccc.values import value


@value()
class Cpu:
    """A CPU to compile for: LLVM's name of it and its features as LLVM writes them, `+fma,-avx512f,...`.

    >>> Cpu("haswell", "+avx2,+fma").has_fma, Cpu("haswell", "+avx2,-fma").has_fma
    (True, False)
    """

    name: str
    features: str

    def has(self, feature: str) -> bool:
        """Whether LLVM lists the feature as there."""
        return f"+{feature}" in self.features.split(",")

    @property
    def has_fma(self) -> bool:
        """Whether `llvm.fma.f64` is one instruction; it is a slow call elsewhere."""
        return self.has("fma") or (self.has("neon") and platform.machine() in ("aarch64", "arm64"))

    @property
    def lanes(self) -> int:
        """How many doubles a register holds, where loads and stores take a mask; 0 where they do not."""
        return 8 if self.has("avx512f") else 4 if self.has("avx2") else 0


BASELINE = Cpu("", "")
