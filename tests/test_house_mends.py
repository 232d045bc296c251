"""Every mend that a refusal of the compiler gives is followed by a case of `tests/mends`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mend_cases import all_cases
from parsed import nodes, parsed

from ccc import errors
from ccc.compile.frontend import fitting, grammar

pytestmark = pytest.mark.always

ROOT = Path(__file__).resolve().parents[1]
MESSAGE = {"unsupported": 1, "mismatch": 1, "Diagnostic": 1, "wrong": 2, "WrongArguments": 0, "refused": 0}
OURS = {name for name, cls in vars(errors).items() if isinstance(cls, type) and issubclass(cls, errors.CCCError)}

ELSEWHERE = {
    "objects that differ in type are read": "the function is read again with stores, where their attributes may differ",
    "so that it differs in its parts": "the function is read again with stores, where attributes may differ",
    "whose items change": "the function is read again with stores, where functions see lists that change",
    "assignment to a slice of a list of unknown length": "the function is read again with stores",
    "this assignment to a slice of a list is not known": "the function is read again with stores",
    "a deep copy of what is not known part by part": "the function is read again with stores",
    "` of a `defaultdict` or `Counter`": "the function is read again with stores, where these have all their methods",
    "a `defaultdict` or `Counter` in a list or dict": "with stores, where they may stand there",
    "` changes a set": "the function is read again with stores, where sets are objects that change",
    "the order of this set": "for displays that another version of Python makes otherwise",
    "which it is to hold": "the function is read again with stores, where what holds itself does",
    "a `Counter` ": "the function is read again with stores, where these have all their methods",
    "several lambdas on this line fit": "the page of CC002 shows it, in a Python without positions",
    "nested too deeply": "`test_what_is_too_deep_is_split` splits them",
    "changes here in a way that is not known": "the loop or branch around it reads the program again",
    "a loop changes the elements that it runs along": "the loop is read again along the indices",
    "this loop changes an array that is visible elsewhere": "the function is read again with stores that show arrays",
    "is not supported here": "for expressions that another version of Python may have",
    "the pattern `": "for patterns that another version of Python may have",
    "this cannot be assigned to": "for targets that another version of Python may have",
    "captures ever more": "ends what would be read again without end",
    "types of this loop's variables do not settle": "ends what would be read again without end",
    "the dicts of `": "ends what would be read again without end",
    "` changes ": "a key gets an item of another type first, which is refused there",
    "` turns ": "a key gets an item of another type first, which is refused there",
    "give all paths and runs one type": "what a derivative cannot record, the program could not be read with",
    "has to give a number or an array here": "the definitions of SciPy's functions make arrays of what they get",
    "not in stores: ": "what is refused with stores is refused as it was without",
    "not decided": "intervals of which a test says nothing: `test_compile_interpretation_built_in` meets them",
    "as that of its fields": "objects are keys where they are read with stores",
    "` does not say what `": "`test_compile_interpretation_built_in` meets it",
    "`async` in a comprehension": "Python takes it in `async` functions alone, which are refused first",
    "inside of what ": "of values that another library traces: `test_xla_citizens` calls them outside",
    "what it belongs to has": "of arrays of another library: `test_xla_citizens` meets it",
    "it cannot be a function of C": "`test_native_exporting` meets it",
    "is no name for a function of C": "`test_native_exporting` meets it",
    "for which a function of C has no place": "for dtypes that a module says: `test_native_exporting` has the others",
    " is not installed": "`test_native_exporting` meets it",
    "jax takes a function": "`test_compile_in_jax` meets it",
    "gives is not known while JAX traces": "`test_compile_in_jax` meets it",
    "in JAX it has": "`test_compile_in_jax` meets it",
    " of a function that the program makes": "`test_compile_in_jax` meets it",
    "torch takes a function": "`test_compile_in_torch` meets it",
    "a function of torch draws": "`test_compile_in_torch` meets it",
    "refuses what it is given here": "of functions of other libraries: `test_compile_in_torch` meets it",
    " is given ": "of functions of other libraries: `test_compile_in_torch` meets it",
    " was expected": "of functions of other libraries: `test_compile_in_torch` meets it",
    " gives is not known": "of functions of other libraries: `test_compile_in_torch` meets it",
    "SymPy has no expression for": "`test_compile_in_sympy` meets it",
    "` has no derivative": "for primitives of one's own; those of the core all have one",
}
"""What is said where no short program of this Python leads, and why."""


def pattern(node: ast.expr | None) -> str:
    """The texts that an expression may give, as a regular expression."""
    if isinstance(node, ast.Constant):
        return re.escape(str(node.value))
    if isinstance(node, ast.JoinedStr):
        return "".join(map(pattern, node.values))
    if isinstance(node, ast.IfExp):
        return f"(?:{pattern(node.body)}|{pattern(node.orelse)})"
    return ".*"


def sites() -> Iterator[tuple[str, str, str]]:
    """Where something is refused with a mend: the place, what is said, the mend."""
    for path in sorted([*(ROOT / "compile").rglob("*.py"), *(ROOT / "ccc").rglob("*.py")]):
        for node in nodes(parsed(path)):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in OURS and len(node.args) == 2:
                message, help = node.args
            elif name in MESSAGE and (found := [k.value for k in node.keywords if k.arg == "help"]):
                message, help = node.args[MESSAGE[name]], found[0]
            else:
                continue
            yield f"{path.relative_to(ROOT)}:{node.lineno}", pattern(message), pattern(help)


def fits(message: str, help: str, found: list[tuple[str, str]]) -> bool:
    return any(re.fullmatch(message, a) and re.fullmatch(help, b) for a, b in found)


def test_every_mend_is_followed():
    found = [(case.message, case.help) for case in all_cases()]
    all_sites = list(sites())
    assert len(all_sites) > 280
    left = [(where, message + help) for where, message, help in all_sites if not fits(message, help, found)]
    assert not [where for where, text in left if not any(re.escape(known) in text for known in ELSEWHERE)]
    assert not [known for known in ELSEWHERE if not any(re.escape(known) in text for _, text in left)]


def test_every_mend_of_values_that_do_not_fit_is_followed():
    assert not {help for _, help in fitting.MENDS} - {case.help for case in all_cases()}


def test_every_refused_class_has_a_mend_that_is_followed():
    found = {case.help for case in all_cases()}
    assert not {help for _, help in grammar.MENDS.values()} - found
