"""A run of many checks over many categories, in one process or in several.

Each check draws its own examples from the seed, so a run gives the same report however many processes share it.

>>> report = judge([], only=["category"], examples=5)
>>> report.ok, len(report.verdicts)
(True, 15)
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from laws.checking import run
from laws.checks import Check, chosen
from laws.observation import observation
from laws.progress import Progress
from laws.report import Report
from laws.subjects import Subject, over_floats, standard, subject_of
from laws.verdicts import Verdict

EXAMPLES = 200


def named(target: str) -> Any:
    """What `MODULE:NAME` names; the module is found from the working directory too.

    >>> named("ccc.categories.reverse:Reverse").__name__
    'Reverse'

    Raises `LookupError`, saying what is missing.
    """
    module, _, name = target.partition(":")
    if not module or not name:
        raise LookupError(f"`{target}` is not of the form MODULE:NAME")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise LookupError(f"`{target}`: there is no module `{error.name}`") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise LookupError(f"`{target}`: `{module}` has no `{name}`")
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
    example: int | None = None, floats: bool = False, jobs: int = 1, progress: TextIO | None = None,
) -> Report:
    """The report on the categories that are named, from so many examples of each check.

    Raises `LookupError` for names that name nothing, `TypeError` for what is no category.
    """
    subjects, checks = subjects_of(targets, floats), chosen(only)
    if jobs > 1 and len(checks) > 1:
        tasks = _in_processes(checks, targets, examples, seed, example, floats, jobs)
    else:
        tasks = _here(checks, subjects, examples, seed, example, again(targets, floats))
    return _gathered(tasks, checks, examples, seed, progress, single=example is not None)


def judged(
    subjects: Sequence[Subject], checks: Sequence[Check], *, examples: int = EXAMPLES, seed: int = 0,
    example: int | None = None, progress: TextIO | None = None, again: str = "laws.check(...)",
) -> Report:
    """The report on these checks of these categories, in this process.

    >>> from laws.checks import chosen
    >>> judged(standard()[:1], chosen(["id-left"]), examples=3).verdicts[0].examples
    3
    """
    tasks = _here(checks, subjects, examples, seed, example, again)
    return _gathered(tasks, checks, examples, seed, progress, single=example is not None)


Task = Callable[[], Iterable[tuple[str, list[Verdict]]]]


def _gathered(
    tasks: Task, checks: Sequence[Check], examples: int, seed: int, progress: TextIO | None, single: bool = False
) -> Report:
    start = perf_counter()
    size = {check.name: 1 if single else max(round(examples * check.share), 1) for check in checks}
    line = Progress(sum(size.values()), progress)
    found: dict[str, list[Verdict]] = {}
    for name, verdicts in tasks():
        found[name] = verdicts
        line.advance(size[name], name)
    line.close()
    verdicts = [verdict for check in checks for verdict in found[check.name]]
    return Report(verdicts, observation(verdicts), perf_counter() - start, seed)


def _here(
    checks: Sequence[Check], subjects: Sequence[Subject], examples: int, seed: int, only: int | None, again: str
) -> Task:
    def tasks() -> Iterable[tuple[str, list[Verdict]]]:
        for check in checks:
            yield check.name, run(check, subjects, examples=examples, seed=seed, only=only, again=again)

    return tasks


def _in_processes(
    checks: Sequence[Check], targets: Sequence[str], examples: int, seed: int, only: int | None, floats: bool, jobs: int
) -> Task:
    def tasks() -> Iterable[tuple[str, list[Verdict]]]:
        context = multiprocessing.get_context("spawn" if os.name == "nt" else None)
        with ProcessPoolExecutor(jobs, context) as pool:
            running: dict[Future[list[Verdict]], str] = {
                pool.submit(one, check.name, list(targets), examples, seed, only, floats): check.name
                for check in sorted(checks, key=lambda check: -check.weight)
            }
            for done in as_completed(running):
                yield running[done], done.result()

    return tasks


def one(check: str, targets: list[str], examples: int, seed: int, only: int | None, floats: bool) -> list[Verdict]:
    """The verdicts on one check, by names alone: what a process of its own runs.

    >>> [verdict.outcome for verdict in one("id-left", ["ccc.categories.functions:Functions"], 5, 0, None, False)]
    ['tested']
    """
    (found,) = chosen([check])
    return run(
        found, subjects_of(targets, floats), examples=examples, seed=seed, only=only, again=again(targets, floats)
    )
