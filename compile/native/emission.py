"""Object code of a module of LLVM, made while other threads make that of others.

`llvmlite` lets one thread at a time into LLVM. What it guards need not be guarded where a module has a context and a
code generator of its own, so the same function of its library is called here without that lock. A process is not forked
meanwhile: what LLVM holds in such a thread, nobody could let go of in the other process.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


class Emissions:
    """How many threads emit code, and who waits until none does."""

    def __init__(self) -> None:
        self.number, self.none = 0, threading.Condition()

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """While one more thread emits code."""
        with self.none:
            self.number += 1
        try:
            yield
        finally:
            with self.none:
                self.number -= 1
                self.none.notify_all()

    def acquire(self) -> None:
        """Wait until none does, and let none begin."""
        self.none.acquire()
        while self.number:
            self.none.wait()

    def release(self) -> None:
        """Let them begin."""
        self.none.release()


EMISSIONS = Emissions()


@cache
def unguarded() -> Any:
    """The function of `llvmlite`'s library that emits code, without the lock; None where it is not found."""
    from llvmlite.binding import ffi

    try:
        guarded = ffi.lib.LLVMPY_TargetMachineEmitToMemory
        emit = ctypes.CDLL(ffi.lib._name).LLVMPY_TargetMachineEmitToMemory
        emit.argtypes, emit.restype = guarded.argtypes, guarded.restype
    except (AttributeError, OSError):
        return None
    return emit


def emitted(machine: Any, module: Any) -> bytes:
    """The object file of a module, whose context and code generator no other thread uses.

    Raises `RuntimeError` with the words of LLVM where there is none.
    """
    emit = unguarded()
    if emit is None:
        return machine.emit_object(module)
    from llvmlite.binding import ffi

    with EMISSIONS.one_more(), ffi.OutputString() as error:
        buffer = emit(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)
