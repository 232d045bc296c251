"""An explanation as one page of HTML: stages side by side, where a line lights those that came of it.

Each line of the source, of the λ-program, of the derivative and of the code says which line of the user's program it
came of. A line that the mouse is on, or that was clicked, lights all lines of that one. The rest stands below, and of
the passes one at a time, with those before and behind it a click or an arrow key away.

>>> text = page_of({"source": "def f(x):\\n    return x", "passes": "none"}, {}, None, "")
>>> text.count("<section"), "return x" in text
(2, True)
"""

from __future__ import annotations

import html
from typing import Any

BESIDE = ("source", "λ-program", "derivative program", "generated code")
"""The sections whose lines are those of the user's program."""
STYLE = """
body { font: 14px sans-serif; margin: 1em; color: #222; background: #fff }
h1 { font-size: 1.2em } h2 { font-size: 1em; margin: .4em 0 }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(24em, 1fr)); gap: 1em }
pre { font: 12px/1.45 monospace; margin: 0; overflow-x: auto } section { min-width: 0; margin-bottom: 1em }
.line { display: block; white-space: pre; min-height: 1.45em }
.line[data-line] { cursor: pointer }
.line.lit { background: #ffe9a8 } .line.kept { background: #ffd257 } .number { color: #999; user-select: none }
button { font: inherit } .step[hidden] { display: none } .drawn { overflow-x: auto }
"""
SCRIPT = """
const lines = document.querySelectorAll(".line[data-line]");
function light(line, name) {
  for (const one of lines) one.classList.toggle(name, one.dataset.line === line);
}
let kept = null;
for (const one of lines) {
  one.addEventListener("mouseenter", () => light(one.dataset.line, "lit"));
  one.addEventListener("mouseleave", () => light(null, "lit"));
  one.addEventListener("click", () => light(kept = kept === one.dataset.line ? null : one.dataset.line, "kept"));
}
const steps = document.querySelectorAll(".step");
let at = 0;
function walk(by) {
  at = Math.max(0, Math.min(steps.length - 1, at + by));
  steps.forEach((step, i) => { step.hidden = i !== at; });
  const count = document.getElementById("at");
  if (count) count.textContent = `${at + 1} of ${steps.length}`;
}
for (const [id, by] of [["back", -1], ["on", 1]]) {
  const button = document.getElementById(id);
  if (button) button.addEventListener("click", () => walk(by));
}
document.addEventListener("keydown", event => {
  if (event.key === "ArrowLeft") walk(-1);
  if (event.key === "ArrowRight") walk(1);
});
walk(0);
"""


def page_of(sections: dict[str, str], lines: dict[str, list[Any]], drawn: str | None, memory: str) -> str:
    """The page of an explanation: its sections, of some the places of their lines in the user's program, the term
    drawn, and the bytes of the tape by line."""
    beside = [panel(title, sections[title], lines.get(title, [])) for title in BESIDE if title in sections]
    others = elsewhere(lines)
    if others:
        text = "\n".join(place.lines[place.line - 1].rstrip("\n") for place in others)
        beside.insert(1, panel("what it calls", text, others))
    below = [passes(text) if title == "passes" else section(title, text, drawn if title == "combinators" else None)
             for title, text in sections.items() if title not in BESIDE]
    below += [section("memory of the tape", memory)] if memory else []
    name = next(iter(sections["source"].splitlines()), "")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(name)}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{html.escape(name)}</h1>\n"
        f'<div class="beside">{"".join(beside)}</div>\n{"".join(below)}\n<script>{SCRIPT}</script></body></html>\n'
    )


def elsewhere(lines: dict[str, list[Any]]) -> list[Any]:
    """The places outside of the function's own source that lines came of, one for each line of the user's program."""
    own = {(place.file, place.line) for place in lines.get("source", [])}
    found = {(place.file, place.line): place for title in lines for place in lines[title]
             if place is not None and 0 < place.line <= len(place.lines)}
    return [found[key] for key in sorted(found.keys() - own)]


def panel(title: str, text: str, places: list[Any]) -> str:
    """A section whose lines say of which line of the user's program they came."""
    shown: list[str] = []
    for i, line in enumerate(text.splitlines()):
        place = places[i] if i < len(places) else None
        of = "" if place is None else f' data-line="{html.escape(f"{place.file}:{place.line}")}"'
        number = f'<span class="number">{place.line:>4} </span>' if place is not None else (
            '<span class="number">     </span>')
        shown.append(f'<span class="line"{of}>{number}{html.escape(line)}</span>')
    return f'<section class="panel"><h2>{html.escape(title)}</h2><pre>{"".join(shown)}</pre></section>'


def section(title: str, text: str, drawn: str | None = None) -> str:
    """Any other section."""
    picture = f'<div class="drawn">{drawn}</div>' if drawn else ""
    return f"<section><h2>{html.escape(title)}</h2>{picture}<pre>{html.escape(text)}</pre></section>"


def passes(text: str) -> str:
    """What each pass did, one at a time."""
    steps = "".join(f'<pre class="step">{html.escape(step)}</pre>' for step in text.split("\n\n"))
    buttons = '<button id="back">‹</button> <span id="at"></span> <button id="on">›</button>'
    return f"<section><h2>passes {buttons}</h2>{steps}</section>"
