"""The command line: `python3 -m laws [MODULE:NAME ...]` judges categories and prints the table of laws.

Exit status: 0 where all is as the theory says, 1 where something is not, 2 where the command means nothing.

>>> main(["--only", "id-left", "--examples", "3", "--jobs", "1", "--seed", "5"])  # doctest: +ELLIPSIS
                    Functions   AdditiveMap...
0
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ccc.compile.diagnostics import as_data
from ccc.laws.errors import NothingNamed, NotJudged, unplaced
from ccc.laws.runs import EXAMPLES, judge


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python3 -m laws", description="Judge categories by the laws of the theory.")
    parser.add_argument("targets", nargs="*", metavar="MODULE:NAME",
                        help="a category, its class, a semiring or a subject")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help=f"examples of each law (default {EXAMPLES})")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other examples")
    parser.add_argument("--only", action="append", metavar="LAW", help="a law or a section of the table; repeatable")
    parser.add_argument("--example", type=int, metavar="I", help="the example of this number alone")
    parser.add_argument("--floats", action="store_true", help="on floats with derived tolerances, not on rationals")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--no-shrink", action="store_true", help="show counterexamples as they were found")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--proofs", metavar="FILE", help="write the proofs as a page, with the normal forms")
    parser.add_argument("--lean", metavar="FILE",
                        help="write the equational theory, with proofs, for Lean 4, which checks it where it is")
    parser.add_argument("--progress", action="store_true", help="show progress though stderr is no terminal")
    parser.add_argument("--mutants", nargs="?", type=int, const=0, metavar="N",
                        help="judge the laws: run them on N mutants of the core, or of the areas named as targets")
    parser.add_argument("--full", action="store_true",
                        help="then judge the laws too, on 25 mutants of the compiler and 10 of machine code")
    parser.add_argument("--record", action="store_true", help="put the cells found on record: what is lost later fails")
    parser.add_argument("--list", action="store_true", help="list the laws and stop")
    options = parser.parse_args(argv)
    if options.examples < 1:
        parser.error("--examples needs at least one")
    if options.full and (options.targets or options.only or options.mutants is not None or options.json):
        parser.error("--full runs all laws on the categories of the project, and prints tables")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    try:
        return run(arguments(argv))
    except BrokenPipeError:  # whoever reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run(options: argparse.Namespace) -> int:
    """Do what the options say; returns the exit status."""
    if options.list:
        from ccc.laws.catalogue import chosen

        print("\n".join(f"{check.section:14}{check.name:26}{check.statement}" for check in chosen(None)))
        return 0
    shown = options.progress or sys.stderr.isatty()
    if options.mutants is not None:
        return mutants(options, shown)
    try:
        report = judge(
            options.targets, only=options.only, examples=options.examples, seed=options.seed, example=options.example,
            floats=options.floats, jobs=options.jobs, shrink=not options.no_shrink,
            progress=sys.stderr if shown else None,
        )
    except (NotJudged, NothingNamed) as error:
        found = unplaced(error)
        if options.json:
            print(json.dumps({"error": str(found), "diagnostics": [as_data(found)]}, ensure_ascii=False))
        else:
            print(found, file=sys.stderr)
        return 2
    if options.record:
        from ccc.laws.recorded import record

        record(report.verdicts)
    print(report.json() if options.json else report)
    if options.html:
        from ccc.laws.page import page

        Path(options.html).write_text(page(report), "utf-8")
    if options.proofs:
        from ccc.laws import proofs

        Path(options.proofs).write_text(proofs.page(report.verdicts), "utf-8")
    accepted = certified(Path(options.lean)) if options.lean else True
    return max(0 if report.ok and accepted else 1, full(options, shown) if options.full else 0)


def certified(path: Path) -> bool:
    """Write the theory for Lean; says whether Lean accepts it, where it is installed."""
    from ccc.laws import lean

    path.write_text(lean.certificate(), "utf-8")
    found = lean.judged(str(path))
    accepted, said = found if found is not None else (True, "")
    verdict = "accepts" if accepted else "refuses"
    what = "lean is not installed, and has not checked" if found is None else f"lean {verdict}"
    print(*filter(None, [said, f"{what} {path}"]), sep="\n", file=sys.stderr)
    return accepted


def full(options: argparse.Namespace, shown: bool) -> int:
    """Run the laws on mutants of the compiler and of machine code; returns the exit status."""
    from ccc.laws.mutant_runs import judge_planted

    report = judge_planted(
        seed=options.seed, jobs=options.jobs, progress=sys.stderr if shown else None, told=sys.stdout)
    print(f"\n{report}")
    return 0 if report.ok else 1


def mutants(options: argparse.Namespace, shown: bool) -> int:
    """Run the laws on mutants of the core; returns the exit status."""
    from ccc.laws.mutant_runs import DEFAULT, judge_mutants
    from ccc.laws.mutants import ALL_AREAS

    unknown = [name for name in options.targets if name not in ALL_AREAS]
    if unknown:
        print(f"there is no area {unknown[0]!r} of the core: {', '.join(ALL_AREAS)}", file=sys.stderr)
        return 2
    report = judge_mutants(
        options.mutants or DEFAULT, areas=options.targets or None, seed=options.seed, only=options.only,
        jobs=options.jobs, progress=sys.stderr if shown else None, told=sys.stderr if options.json else sys.stdout,
    )
    print(report.json() if options.json else f"\n{report}")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
