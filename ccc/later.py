"""Modules that are loaded when something of them is first asked for.

A package that calls `load_later` gives its modules, where they are imported as modules, as ones whose file has not run:
the first attribute that is read, or set, runs it, and from then on the module is one like any other. So `from
ccc.compile.frontend import matching` costs a program without `match` nothing, while `from
ccc.compile.frontend.matching import match` runs the file at once.

>>> from ccc.show import latex
>>> latex.__name__, callable(latex.formula), has_run("ccc.show.latex")
('ccc.show.latex', True, True)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from threading import get_ident
from types import ModuleType
from typing import Any

from ccc.locks import Lock


class Later(ModuleType):
    """A module whose file has not run, or runs."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # what Python asks of each module
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return _of_module(run(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        ModuleType.__setattr__(run(self), name, value)

    def __delattr__(self, name: str) -> None:
        ModuleType.__delattr__(run(self), name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[reportIncompatibleVariableOverride]
        return _names(run(self))

    def __dir__(self) -> list[str]:
        return sorted(_names(run(self)))


_of_module: Callable[[ModuleType, str], Any] = ModuleType.__getattribute__
_names: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__  # which runs nothing
_locks: dict[str, Lock] = {}
_threads: dict[str, int] = {}
"""Which thread runs the file of a module."""


def run(module: ModuleType) -> ModuleType:
    """The module, of which the file has run; if that file asks itself, it runs.

    A thread waits for another one that runs the file. Two that wait for each other would run files that import each
    other, of which there are none.
    """
    name, thread = module.__name__, get_ident()
    with _locks.setdefault(name, Lock()):
        known = sys.modules.get(name) or module
        if known is not module:
            return run(known)  # another thread has imported it meanwhile
        if type(module) is Later and _threads.get(name) != thread:
            _threads[name] = thread
            before = dict(_names(module))
            try:
                spec = _spec(name)
                _names(module).update(_names(module_from_spec(spec)))
                spec.loader.exec_module(module)  # type: ignore[reportOptionalMemberAccess]
            except BaseException:
                _names(module).clear()
                _names(module).update(before)
                raise
            finally:
                del _threads[name]
            ModuleType.__setattr__(module, "__class__", ModuleType)
    return module


def _spec(name: str) -> ModuleSpec:
    """Where the code of a module in a package is, as any import of it would find."""
    path = sys.modules[name.rpartition(".")[0]].__path__
    for finder in sys.meta_path:
        if (spec := finder.find_spec(name, path)) is not None:
            return spec
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def load_later(package: str) -> None:
    """Let a package have its modules as ones whose file runs later. What is no file of its folder is imported at once.
    """

    def asked(name: str) -> ModuleType:
        file = f"{folder}{os.sep}{name}.py"
        if name.startswith("__") or not os.path.isfile(file):
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=home)
        module = Later(f"{package}.{name}")
        _names(module)["__file__"] = file
        module = sys.modules.setdefault(module.__name__, module)
        ModuleType.__setattr__(home, name, module)
        return module

    home = sys.modules[package]
    folder = home.__path__[0]
    home.__getattr__ = asked  # type: ignore[reportAttributeAccessIssue]


def has_run(name: str) -> bool:
    """Whether a module is loaded and its file has run.

    >>> has_run("ccc.later"), has_run("ccc.nowhere")
    (True, False)
    """
    return not isinstance(sys.modules.get(name), Later | None)


def deferred(module: ModuleType, name: str) -> Callable[..., Any]:
    """The function of this name in a module, for a table: it is asked for when it is called.

    >>> from ccc.show import latex
    >>> deferred(latex, "formula").__qualname__
    'formula'
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        return getattr(module, name)(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called
