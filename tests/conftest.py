"""Each test compiles what it calls: nothing is kept from one to the next, and each pass is verified."""

import faulthandler
import gc
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

import checks
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key  # where pytest itself writes what ends a process

from ccc.compile.api import kept, wrapper
from ccc.compile.native import engine as machine, stacks
from ccc.compile.native.functions import Code
from ccc.compile.passes import engine

engine.VERIFIED = True
keep = kept.Family.keep


def kept_for_the_next_call(family: kept.Family, key: Any, code: Any, function: Any) -> Any:
    """Code that is made holds for the function that it was made of: else each call would make it anew."""
    assert not list(code.changed(function)), "what the code depends on is another thing each time that it is read"
    return keep(family, key, code, function)


kept.Family.keep = kept_for_the_next_call  # type: ignore[method-assign]
gc.set_threshold(20_000, 20, 20)  # programs are large and die young


def pytest_configure(config: pytest.Config) -> None:
    """Processes that take a part of the tests, and those that tests start, multiply small matrices with one thread:
    others would spin while they wait, on processors that tests need. What Python compiles of a module they keep: else
    each would compile all of them, which takes far longer than most have to do."""
    if not hasattr(config, "workerinput"):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process that takes a part of the tests whether they are those of the whole project."""
    node.workerinput["of all files"] = of_all_files(node.config)


def of_all_files(config: pytest.Config) -> bool:
    """True of a run of the whole project: nobody names files or tests."""
    given = getattr(config, "workerinput", None)
    return given["of all files"] if given else config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test that is marked `share(n)`, one in n of its parameters is for each run, the others for nightly ones. Of
    what is left a run of the whole project takes every second one, but for examples and the tests of what is marked
    `always`: a run of the files that a change concerns takes all."""
    tests: defaultdict[tuple[Any, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("share") is not None:
            tests[item.path, item.name.partition("[")[0]].append(item)
        may_wait = isinstance(item, pytest.Function) and item.get_closest_marker("always") is None
        if may_wait and of_all_files(config) and crc32(item.nodeid.encode()) % 2 == 0:
            item.add_marker(pytest.mark.nightly)
    for found in tests.values():
        (of,) = {item.get_closest_marker("share").args[0] for item in found}  # type: ignore[union-attr]
        for item in sorted(found, key=lambda item: crc32(item.name.encode()))[-(-len(found) // of) :]:
            item.add_marker(pytest.mark.nightly)


@pytest.fixture(autouse=True, scope="module")
def kept_apart() -> None:
    """Collections look at what the tests of this file made, not at tests that wait, which a run of laws thaws, nor at
    what earlier files left."""
    gc.collect()
    gc.freeze()


LIMIT = 600.0
"""Seconds of one test, after which its process ends with the stacks of all threads."""
begun = -LIMIT


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin the time of a test; one clock serves many short ones, since it is a thread of its own."""
    global begun
    if time.monotonic() - begun > LIMIT / 60:
        begun = time.monotonic()
        faulthandler.dump_traceback_later(LIMIT, exit=True, file=item.config.stash[fault_handler_stderr_fd_key])


@pytest.fixture(autouse=True)
def forgotten() -> None:
    wrapper.forget()


@pytest.fixture
def without_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are read once, without stores: what is said of a program that would run with them."""
    monkeypatch.setenv("CCC_STORES", "never")


@pytest.fixture
def doubles_of_jax() -> Iterator[None]:
    """JAX computes in doubles, in this test and not after it."""
    with pytest.importorskip("jax").enable_x64(True):
        yield


@pytest.fixture(autouse=True)
def as_jax_was() -> Iterator[None]:
    """A test that lets JAX compute in doubles does so for itself."""
    in_doubles = lambda: bool("jax" in sys.modules and sys.modules["jax"].config.jax_enable_x64)  # noqa: E731
    before = in_doubles()
    yield
    if in_doubles() != before:
        sys.modules["jax"].config.update("jax_enable_x64", before)


def whole(request: pytest.FixtureRequest) -> bool:
    """True of a run with the tests that are marked `nightly`, which takes shares of nothing."""
    return "nightly" in request.config.option.markexpr.replace("not nightly", "")


@pytest.fixture(autouse=True)
def first_order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three in four functions that `agrees` checks the second order is for nightly runs: it takes as long as all of
    the first."""
    if not whole(request):
        monkeypatch.setattr(checks, "second_of", lambda name: crc32((request.node.nodeid + name).encode()) % 4 == 0)


@pytest.fixture(autouse=True)
def as_written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In nine tests of ten LLVM makes of a program what its text says, and no more: that takes a fifth of the time,
    and the values are those of the text. In the others, in those that are marked `optimised` or `nightly`, and in all
    if those marked `nightly` are among them, it is optimised as it is for users. In the nine, memory that loops give
    back is overwritten, so that what still reads it is found."""
    marks = ("optimised", "nightly")
    optimised = whole(request) or any(map(request.node.get_closest_marker, marks))
    if optimised or crc32(request.node.nodeid[::-1].encode()) % 10 == 0:  # whichever every second test is
        return
    compile_ir = machine.compile_ir

    def soon(ir: str | Code, names: Iterable[str], *rest: Any, **named: Any) -> machine.Loaded:
        of_program = {"effort": machine.Effort.SELDOM} if isinstance(ir, Code) else {}
        return compile_ir(ir, names, *rest, **named, **of_program)

    monkeypatch.setattr(machine, "compile_ir", soon)
    monkeypatch.setattr(stacks, "POISONED", True)
