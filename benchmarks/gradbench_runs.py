"""Evals of a GradBench checkout, run against tools outside Docker: the messages between them, and what they took.

Each tool has an eval process of its own, and the tools take turns evaluation by evaluation: what is compared was timed
side by side.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.processes import ONE_THREAD, ROOT


@dataclass(frozen=True)
class Evaluation:
    """What a tool answered, what the eval said of it (None where it was not asked), and the fastest run in seconds."""

    function: str
    description: str
    valid: bool | None
    error: str
    seconds: float | None
    first: float | None


def own_tool(system: str = "ccc", backend: str = "auto") -> list[str]:
    """The command of our tool."""
    return [sys.executable, str(ROOT / "benchmarks" / "gradbench_tool.py"), "--system", system, "--backend", backend]


def cpp_tool(name: str) -> list[str]:
    """The command of a tool of the checkout that is written in C or C++."""
    return [sys.executable, "python/gradbench/gradbench/cpp.py", name]


def session(
    checkout: Path, evaluator: str, name: str, arguments: Sequence[str], tool: Sequence[str]
) -> Iterator[Evaluation]:
    """The evaluations of an eval by a tool, as they are made; both run in the root of the checkout."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(checkout / "python" / "gradbench")}
    script = f"python/gradbench/gradbench/evals/{name}/run.py"
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": checkout}
    with (
        subprocess.Popen([evaluator, script, *arguments], env=environment, **pipes) as asks,
        subprocess.Popen(list(tool), env={**os.environ, **ONE_THREAD}, **pipes) as answers,
    ):
        try:
            yield from evaluations(asks, answers, f"{' '.join(tool)} on {name}")
        finally:
            asks.terminate()
            answers.terminate()


def evaluations(asks: Any, answers: Any, label: str) -> Iterator[Evaluation]:
    """What happens between the process of an eval and that of a tool until the eval ends."""
    asked: tuple[dict[str, Any], dict[str, Any]] | None = None
    for line in asks.stdout:
        message = json.loads(line)
        if asked is not None and message["kind"] != "analysis":
            yield finished(*asked, None)
            asked = None
        answers.stdin.write(line)
        answers.stdin.flush()
        response = answers.stdout.readline()
        if not response:
            raise RuntimeError(f"{label}: the tool ended at {message['kind']}")
        if message["kind"] == "evaluate":
            asked = message, json.loads(response)
        elif message["kind"] == "analysis" and asked is not None:
            yield finished(*asked, message)
            asked = None
        asks.stdin.write(response)
        asks.stdin.flush()
    if asked is not None:
        yield finished(*asked, None)


def finished(message: Mapping[str, Any], response: Mapping[str, Any], analysis: Mapping[str, Any] | None) -> Evaluation:
    error = response.get("error") or "" if analysis is None else analysis.get("error") or ""
    timings = response.get("timings") or []
    runs = [t["nanoseconds"] / 1e9 for t in timings if t["name"] == "evaluate"]
    firsts = [t["nanoseconds"] / 1e9 for t in timings if t["name"] == "prepare"]
    return Evaluation(
        message["function"], message.get("description", ""), analysis["valid"] if analysis else None, error,
        min(runs, default=None), min(firsts, default=None),
    )  # fmt: skip


def side_by_side(
    checkout: Path, evaluator: str, name: str, arguments: Sequence[str], tools: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Evaluation]]:
    """The evaluations of several tools, by turns; a tool that does not know the eval is left out."""
    sessions = {tool: session(checkout, evaluator, name, arguments, command) for tool, command in tools.items()}
    try:
        for found in zip_longest(*sessions.values()):
            yield {tool: one for tool, one in zip(sessions, found, strict=True) if one is not None}
    finally:
        for running in sessions.values():
            running.close()  # type: ignore[attr-defined]
