"""The report as one page of HTML, with the counterexamples behind the cells.

>>> from ccc.laws.findings import Findings
>>> from ccc.laws.verdicts import Verdict
>>> text = page(Findings([Verdict("id-left", "id ; f = f", "category", "Functions", "tested", 5)]))
>>> "<td class='tested'>✓ 5</td>" in text, text.startswith("<!doctype html>")
(True, True)
"""

from __future__ import annotations

from html import escape
from itertools import groupby

from ccc.laws.findings import LEGEND, Findings
from ccc.laws.verdicts import Verdict

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; color: #1c1c1c }
table { border-collapse: collapse } th, td { padding: .2rem .7rem; text-align: left; vertical-align: top }
th { font-weight: 600 } tbody th { font-weight: 400 } tr.section th { padding-top: 1rem; font-weight: 600 }
td, code, pre { font-family: ui-monospace, monospace; font-size: 13px } tbody tr:hover { background: #f4f4f0 }
.tested, .proved { color: #17682f } .weak { color: #8a5a00 } .fails { color: #a1121f; font-weight: 700 }
.none { color: #999 } pre { background: #f6f6f2; padding: .6rem .9rem; overflow-x: auto }
@media (prefers-color-scheme: dark) {
  body { background: #16171a; color: #e4e4e0 } pre, tbody tr:hover { background: #22242a }
  .tested, .proved { color: #6fcf8c } .weak { color: #e0b45c } .fails { color: #ff7a85 }
}
"""
CLASSES = {"proved": "proved", "tested": "tested", "up to ≅": "weak", "fails": "fails", "not applicable": "none"}


def page(report: Findings) -> str:
    """The whole page."""
    head = f"<meta charset='utf-8'><title>Laws</title><style>{STYLE}</style>"
    inside = f"<h1>Laws</h1>\n{body(report)}"
    return f"<!doctype html>\n<html lang='en'><head>{head}</head><body>\n{inside}\n</body></html>\n"


def body(report: Findings) -> str:
    """The table and what is behind its cells, as a notebook shows them."""
    return "\n".join([
        f"<p>{escape(report.summary())}</p>", f"<p>{escape(LEGEND)}</p>", _table(report),
        *_details("What the theory does not allow", report.unexpected),
        *([f"<h2>Strong or weak?</h2><pre>{escape(str(report.observation))}</pre>"] if report.observation else []),
        *_details("Where a law holds up to ≅ only, and what differs strictly", report.weak),
        *_details("What the category does not have, as it is on record", report.missing),
        *_listed("Examples that were drawn and say nothing", report.dropped),
        *_listed("Warnings that were given on the way", report.warned),
        *_listed("Proofs", [str(verdict) for verdict in report.verdicts if verdict.proof]),
    ])


def _table(report: Findings) -> str:
    heads = "".join(f"<th>{escape(name)}</th>" for name in report.subjects)
    lines = [f"<table><thead><tr><th></th>{heads}<th></th></tr></thead><tbody>"]
    for section, rows in groupby(report.rows(), lambda row: row[0].section):
        lines.append(f"<tr class='section'><th colspan='{len(report.subjects) + 2}'>{escape(section)}</th></tr>")
        for row in rows:
            cells = "".join(map(_cell, row))
            law = row[0]
            lines.append(f"<tr><th>{escape(law.check)}</th>{cells}<td>{escape(law.statement)}</td></tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _anchor(verdict: Verdict) -> str:
    return escape(f"{verdict.check}-{verdict.subject}", quote=True).replace(" ", "-")


def _cell(verdict: Verdict) -> str:
    cell = escape(verdict.cell)
    if verdict.counterexample is not None:
        cell = f"<a class='{CLASSES[verdict.outcome]}' href='#{_anchor(verdict)}'>{cell}</a>"
    return f"<td class='{CLASSES[verdict.outcome]}'>{cell}</td>"


def _listed(title: str, lines: list[str]) -> list[str]:
    return [f"<h2>{escape(title)}</h2><pre>{escape(chr(10).join(lines))}</pre>"] if lines else []


def _details(title: str, verdicts: list[Verdict]) -> list[str]:
    if not verdicts:
        return []
    found = [f"<h2>{escape(title)}</h2>"]
    for verdict in verdicts:
        head = f"{verdict.check} in {verdict.subject}: {verdict.statement}"
        found.append(f"<h3 id='{_anchor(verdict)}'>{escape(head)}</h3><pre>{escape(str(verdict.counterexample))}</pre>")
    return found
