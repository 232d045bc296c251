"""Memory that arrays give back stays with the process, where the next arrays find it.

The C library of Linux takes blocks of more than 128 KiB from the system one by one, and gives back what is free at the
end of its heap, until a larger block has been freed: from then on smaller ones come from a heap that is kept. A
gradient frees many arrays at its end and makes them anew in the next call, and to get a page from the system costs more
than to compute what stands on it. So one large block is asked for and given back; nothing is read or written there.

Up to 64 MiB of the heap are kept so. `MALLOC_MMAP_THRESHOLD_` or `MALLOC_TRIM_THRESHOLD_` in the environment turns it
off.

Reference: mallopt(3), the notes on the dynamic threshold of M_MMAP_THRESHOLD.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

LARGEST = 32 * 1024 * 1024 - 65536
"""The bytes of the largest block that the C library learns from."""


@cache
def keep() -> None:
    """Let what is freed from now on be kept, once in a process."""
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    library.free(library.malloc(LARGEST))
