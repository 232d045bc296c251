"""Object files in a folder, where one is asked for: with `CCC_OBJECTS=FOLDER` in the environment machine code that an
earlier process made is loaded instead of made. Without it nothing is written.

An object file is found by all that it depends on: the text of its module, the processor, and the versions of LLVM,
Python and NumPy. Addresses of objects of this process are no part of that: they become symbols, which are linked when
the file is loaded.

Loading it is running it. So the folder has to be the user's own and closed to all others, or is not used; a file is
taken only if it is so too, and if its digest is that of what it holds. Nothing is unpickled.

>>> (text,), symbols = relocated(["store ptr inttoptr (i64 4711 to ptr), ptr inttoptr (i64 4711 to ptr)"])
>>> print(text, symbols)
store ptr @ccc_object_0, ptr @ccc_object_0
@ccc_object_0 = external global i8 {'ccc_object_0': 4711}
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from errno import ENOENT
from hashlib import sha256
from pathlib import Path

import numpy as np

from ccc.compile.diagnostics import at_call
from ccc.compile.native.cpus import Cpu
from ccc.errors import CCCWarning

VARIABLE = "CCC_OBJECTS"
OBJECT = re.compile(r"inttoptr \(i64 (\d+) to ptr\)")
DIGEST = sha256().digest_size


def relocated(texts: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Texts of IR with symbols for the addresses of objects, and these."""
    names: dict[str, str] = {}
    found = [OBJECT.sub(lambda x: "@" + names.setdefault(x[1], f"ccc_object_{len(names)}"), text) for text in texts]
    lines = [f"@{name} = external global i8" for name in names.values()]
    return ["\n".join([text, *lines]) for text in found], {name: int(address) for address, name in names.items()}


def folder() -> Path | None:
    """The folder that is asked for, made if need be; None where none is, or where it cannot be had, or others could
    write to it or read it: then a `CCCWarning` says so once, and machine code is made as without it."""
    asked = os.environ.get(VARIABLE)
    if not asked:
        return None
    path = Path(asked)
    try:
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        found = os.lstat(path)
    except OSError as error:
        mend = f": make the folder {path.parent}" if error.errno == ENOENT else ""
        return without(asked, f"{str(error.strerror).lower()}{mend}")
    if not stat.S_ISDIR(found.st_mode):
        return without(asked, "not a folder: name one, and no link to it")
    if not private(found, stat.S_ISDIR):
        return without(asked, f"not a folder of yours that is closed to others: chmod 700 {asked}")
    return path


def without(asked: str, why: str) -> None:
    """Say once why nothing is kept in a folder that was asked for."""
    if (asked, why) not in _said:
        _said.add((asked, why))
        at_call(CCCWarning(f"{VARIABLE}={asked}: {why}; machine code is made anew"))


_said: set[tuple[str, str]] = set()


def private(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is of a kind, the user's own and closed to all others."""
    return kind(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077


def key(text: str, cpu: Cpu, llvm: str, names: Iterable[str]) -> str:
    """The name of the object file of a module."""
    versions = llvm, sys.version, np.__version__, platform.machine(), cpu.name, cpu.features
    return sha256(repr((versions, list(names), text)).encode()).hexdigest()


def read(place: Path, name: str) -> bytes | None:
    """An object file that was kept; None where there is none, or where it is not what was written."""
    try:
        file = os.open(place / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe is not waited for
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, file)
            if not private(os.fstat(file), stat.S_ISREG):
                return None
            with open(file, "rb", closefd=False) as stream:
                found = stream.read()
    except OSError:
        return None
    digest, code = found[:DIGEST], found[DIGEST:]
    return code if sha256(name.encode() + code).digest() == digest else None


def write(place: Path, name: str, code: bytes) -> None:
    """Keep an object file; a folder that is full keeps none."""
    with contextlib.suppress(OSError):
        file, path = tempfile.mkstemp(dir=place)
        try:
            with open(file, "wb") as stream:
                stream.write(sha256(name.encode() + code).digest() + code)
            os.replace(path, place / name)
        except OSError:
            os.unlink(path)
            raise
