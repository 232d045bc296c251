"""The plugin for pytest: `--laws MODULE:NAME` adds a test for each law of a category, and so does a marker.

    pytest --laws mine.categories:Intervals --laws-examples 100

    @pytest.mark.laws(Intervals())
    def test_intervals(verdict):
        assert verdict

References: the hooks of pytest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("laws", "laws of categories")
    group.addoption("--laws", action="append", default=[], metavar="MODULE:NAME", help="judge this category")
    group.addoption("--laws-examples", type=int, default=None, metavar="N", help="examples of each law")
    group.addoption("--laws-seed", type=int, default=0, metavar="N", help="another seed draws other examples")


def pytest_configure(config: pytest.Config) -> None:
    line = "laws(category, exponential=None, only=None, examples=200): run the test with the verdict on each law"
    config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    for target in config.getoption("--laws", []) or []:
        items.extend(Laws.from_parent(session, name=target).collect())


class Laws(pytest.Collector):
    """The laws of one category as tests."""

    def collect(self) -> Iterator[pytest.Item]:
        from ccc.laws.catalogue import chosen
        from ccc.laws.errors import NothingNamed, NotJudged, unplaced
        from ccc.laws.runs import named
        from ccc.laws.subjects import subject_of

        try:
            subject = subject_of(named(self.name))
        except (NothingNamed, NotJudged) as error:
            raise pytest.UsageError(str(unplaced(error))) from error
        for check in chosen(None):
            if check.concerns(subject):
                yield LawItem.from_parent(self, name=check.name, check=check, subject=subject)


class LawItem(pytest.Item):
    """One law of one category."""

    def __init__(self, *, check: Any, subject: Any, **given: Any) -> None:
        super().__init__(**given)
        self.check = check
        self.subject = subject

    def runtest(self) -> None:
        verdict = verdict_on(self.config, self.check, self.subject, None, again=f"python3 -m laws {self.parent.name}")  # type: ignore[union-attr]
        if not verdict:
            raise LawBroken(str(verdict))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, LawBroken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int | None, str]:
        return self.subject.name, None, f"{self.subject.name}: {self.check.name}"


class LawBroken(Exception):
    """A law that does not hold as the theory says."""


def verdict_on(config: pytest.Config, check: Any, subject: Any, examples: int | None, again: str) -> Any:
    """The verdict on one check; the command line overrides the number of examples."""
    from ccc.laws.checking import run
    from ccc.laws.runs import EXAMPLES

    asked = config.getoption("--laws-examples") or examples or EXAMPLES
    return run(check, [subject], examples=asked, seed=config.getoption("--laws-seed") or 0, again=again)[0]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("laws")
    if marker is None or "verdict" not in metafunc.fixturenames:
        return
    from ccc.laws.catalogue import chosen
    from ccc.laws.subjects import subject_of

    given = dict(marker.kwargs)
    examples, only = given.pop("examples", None), given.pop("only", None)
    subject = subject_of(*marker.args, **given)
    checks = [check for check in chosen(only) if check.concerns(subject)]
    if not checks:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: no law of {only} applies to {subject.name}")
    metafunc.parametrize(
        "verdict", [(check, subject, examples) for check in checks], indirect=True, ids=[check.name for check in checks]
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Show what was found of a law where the test with its verdict fails."""
    outcome: Any = yield
    found = getattr(item, "funcargs", {}).get("verdict")
    if call.when == "call" and call.excinfo is not None and getattr(found, "counterexample", None) is not None:
        outcome.get_result().sections.append(("the law", str(found)))


@pytest.fixture
def verdict(request: pytest.FixtureRequest) -> Any:
    """The verdict on one law of the category that the marker names; true where it is as the theory says."""
    check, subject, examples = request.param
    return verdict_on(request.config, check, subject, examples, again="laws.check(...)")
