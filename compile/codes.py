"""The codes of diagnostics and what each of them says.

>>> print(page("CC004"))
CC004: a generator was given where a value was needed
"""

from __future__ import annotations

CODES = {
    "CC001": "the source of a function cannot be read",
    "CC002": "several lambdas on one line fit, and it cannot be told which is meant",
    "CC003": "a construct of Python is not supported in a differentiated function",
    "CC004": "a generator was given where a value was needed",
    "CC005": "a path ends without a return value, or a recursion never ends",
    "CC006": "branches, runs of a loop or items of a list differ in type",
    "CC007": "a name may be unbound where it is read",
    "CC010": "something is changed in place that is reachable under another name",
    "CC011": "something is changed in place that the function did not make",
    "CC012": "a variable outside of the function is written",
    "CC013": "`out=` is given an array of unknown rank",
    "CC020": "a function has no derivative rule for these arguments",
    "CC022": "what is to be differentiated is not known inside the program",
    "CC023": "an integer made of a real number reaches the result, where its derivative is lost",
    "CC025": "a value has no real numbers to differentiate in",
    "CC027": "arguments or shapes do not fit",
    "CC040": "a derivative that a user gives returns something else than the value and its cotangents",
    "CC042": "a derivative that a user gives does not see a value that the function captures",
    "CC060": "a program is nested too deeply",
}


def page(code: str) -> str | None:
    """What a code says; None where there is no such code.

    >>> page("CC999") is None
    True
    """
    return f"{code}: {CODES[code]}" if code in CODES else None
