"""A run of many checks over many categories, in one process or in several.

Each check draws its own examples from the seed, so a run gives the same report however many processes share it.

>>> report = judge([], only=["category"], examples=5)
>>> report.ok, len(report.verdicts)
(True, 21)
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from ccc.compile.diagnostics import nearest
from ccc.laws.catalogue import chosen
from ccc.laws.checking import run
from ccc.laws.checks import Check
from ccc.laws.collection import seldom
from ccc.laws.errors import NothingNamed
from ccc.laws.limits import PATIENCE, last_resort
from ccc.laws.observation import observation
from ccc.laws.progress import SECONDS_BETWEEN, Progress
from ccc.laws.report import Report
from ccc.laws.subjects import Subject, over_floats, standard, subject_of
from ccc.laws.verdicts import Counterexample, Verdict

EXAMPLES = 200


def named(target: str) -> Any:
    """What `MODULE:NAME` names; the module is found from the working directory too.

    >>> named("ccc.categories.reverse:Reverse").__name__
    'Reverse'

    Raises `NothingNamed`, saying what is missing.
    """
    module, _, name = target.partition(":")
    if not module or not name:
        raise NothingNamed(f"`{target}` is not of the form MODULE:NAME", "write `mine.categories:Intervals`")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NothingNamed(f"`{target}`: there is no module `{error.name}`",
                           "write its dotted name, and run where it is found") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise NothingNamed(f"`{target}`: `{module}` has no `{name}`",
                               nearest(part, dir(found), f"write a name that `{module}` has"))
        found = getattr(found, part)
    return found


def subjects_of(targets: Sequence[str], floats: bool = False) -> list[Subject]:
    """The categories that the targets name; those of this project where there are none."""
    if targets:
        return [subject_of(named(target)) for target in targets]
    return over_floats() if floats else standard()


def again(targets: Sequence[str], floats: bool = False) -> str:
    """The command that repeats a run."""
    return " ".join(["python3 -m laws", *targets, *(["--floats"] if floats else [])])


def judge(
    targets: Sequence[str], *, only: Iterable[str] | None = None, examples: int = EXAMPLES, seed: int = 0,
    example: int | None = None, floats: bool = False, jobs: int = 1, shrink: bool = True,
    progress: TextIO | None = None,
) -> Report:
    """The report on the categories that are named, from so many examples of each check.

    Raises `NothingNamed` for names that name nothing, `NotJudged` for what is no category.
    """
    subjects, checks = subjects_of(targets, floats), chosen(only)
    work = Work(tuple(targets), examples, seed, example, floats, shrink)
    line = Progress(work.size(checks), progress)
    if jobs > 1 and len(checks) > 1:
        tasks = _in_processes(checks, work, jobs, line)
    else:
        tasks = _here(checks, subjects, work, line, again(targets, floats))
    return _gathered(tasks, checks, seed, line)


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked of each check, by names alone, so that another process can do it."""

    targets: tuple[str, ...] = ()
    examples: int = EXAMPLES
    seed: int = 0
    example: int | None = None
    floats: bool = False
    shrink: bool = True

    def size(self, checks: Sequence[Check]) -> int:
        """How many examples will be drawn."""
        return len(checks) if self.example is not None else sum(max(round(self.examples * c.share), 1) for c in checks)


def judged(
    subjects: Sequence[Subject], checks: Sequence[Check], *, examples: int = EXAMPLES, seed: int = 0,
    example: int | None = None, progress: TextIO | None = None, again: str = "laws.check(...)",
) -> Report:
    """The report on these checks of these categories, in this process.

    >>> from ccc.laws.catalogue import chosen
    >>> judged(standard()[:1], chosen(["id-left"]), examples=3).verdicts[0].examples
    3
    """
    work = Work((), examples, seed, example)
    line = Progress(work.size(checks), progress)
    return _gathered(_here(checks, subjects, work, line, again), checks, seed, line)


Tasks = Iterator[tuple[str, list[Verdict]]]


def _gathered(tasks: Tasks, checks: Sequence[Check], seed: int, line: Progress) -> Report:
    start = perf_counter()
    found = dict(tasks)
    line.close()
    verdicts = [verdict for check in checks for verdict in found[check.name]]
    return Report(verdicts, observation(verdicts), perf_counter() - start, seed)


def _here(
    checks: Sequence[Check], subjects: Sequence[Subject], work: Work, line: Progress, again: str
) -> Tasks:
    with seldom():
        for check in checks:
            yield check.name, run(
                check, subjects, examples=work.examples, seed=work.seed, only=work.example, again=again,
                shrink=work.shrink, tick=lambda n, name=check.name: line.advance(n, name),
            )


def _in_processes(checks: Sequence[Check], work: Work, jobs: int, line: Progress) -> Tasks:
    """The slowest first, so that no process is left alone with them; where a process dies, the rest one by one."""
    context = _fresh()
    cells = context.RawArray("l", CELLS)
    left = {check.name: check for check in sorted(checks, key=lambda check: -check.weight)}
    with ProcessPoolExecutor(jobs, context, _counting, (cells,)) as pool, suppress(BrokenProcessPool):
        pending: dict[Future[list[Verdict]], str] = {pool.submit(one, name, work): name for name in left}
        name = ""
        while pending:
            done, _ = wait(pending, timeout=SECONDS_BETWEEN, return_when=FIRST_COMPLETED)
            for future in done:
                name = pending.pop(future)
                found = future.result()
                del left[name]
                yield name, found
            line.reach(sum(cells), name)
    for check in list(left.values()):
        with ProcessPoolExecutor(1, context, _counting, (cells,)) as pool:
            try:
                found = pool.submit(one, check.name, work).result()
            except BrokenProcessPool:
                found = died(check, work)
        yield check.name, found


def _fresh() -> BaseContext:
    """How processes begin: none is a copy of this one, whose threads, those of a user's libraries too, a copy lacks."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def died(check: Check, work: Work) -> list[Verdict]:
    """The verdicts on a check whose process died of it: what runs there for ever, or breaks the process.

    >>> from ccc.laws.catalogue import chosen
    >>> print(died(chosen(["id-left"])[0], Work(("ccc.categories.functions:Functions",)))[0])
    id-left fails in Functions: id ; f = f
      the process dies
      again: python3 -m laws ccc.categories.functions:Functions --only id-left --seed 0
    """
    subjects = subjects_of(work.targets, work.floats)
    command = f"{again(work.targets, work.floats)} --only {check.name} --seed {work.seed}"
    shown = Counterexample((), "the process dies", command)
    return [
        Verdict(check.name, check.statement, check.section, subject.name, "fails", 0, shown)
        if check.concerns(subject) else
        Verdict(check.name, check.statement, check.section, subject.name, "not applicable", 0)
        for subject in subjects
    ]


CELLS = 1024  # of counts, one for each process
_cells: list[Any] = []
_collecting = ExitStack()  # open as long as the process is


def _counting(cells: Any) -> None:
    """What a process starts with: where it says how many examples it has done, in a cell of its own, since a process
    that dies under a lock would leave the others waiting for ever."""
    _cells[:] = [cells]
    _collecting.enter_context(seldom())


def _count(n: int) -> None:
    last_resort(4 * PATIENCE)
    for cells in _cells:
        cells[os.getpid() % CELLS] += n


def one(check: str, work: Work) -> list[Verdict]:
    """The verdicts on one check, by names alone: what a process of its own runs.

    >>> [verdict.outcome for verdict in one("id-left", Work(("ccc.categories.functions:Functions",), examples=5))]
    ['proved']
    """
    (found,) = chosen([check])
    try:
        return run(
            found, subjects_of(work.targets, work.floats), examples=work.examples, seed=work.seed, only=work.example,
            again=again(work.targets, work.floats), shrink=work.shrink, tick=_count,
        )
    finally:
        last_resort(0)
