"""The pictures of the documents: `python3 docs/draw.py` writes them, and a test holds that they are current."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ccc
from ccc.show.svg import diagram
from ccc.theory.control import COND_AFTER
from ccc.theory.functions import CURRY_BETA, CURRY_ETA, CURRY_NATURAL
from ccc.theory.products import FUSION, PROD_LEFT

FOLDER = Path(__file__).resolve().parent / "pictures"


def affine(x: Any, w: Any, b: Any) -> Any:
    return x * w + b


def product_and_sine(x: Any, y: Any) -> Any:
    return x * y + math.sin(x)


def twice(x: Any, y: Any) -> Any:
    def line(b: Any) -> Any:
        return x * b + y

    return line(line(x))


def either(x: Any, y: Any) -> Any:
    return x * math.sin(y) if x > y else y


def rnn(w: Any, h: Any, xs: Any) -> Any:
    cell: Callable[[Any, Any], Any] = lambda h, x: math.tanh(w * h + x)  # noqa: E731
    for x in xs:
        h = cell(h, x)
    return h


def last(x: Any, y: Any, z: Any) -> Any:
    return z


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "affine": (affine, (1.0, 1.0, 1.0)),
    "product_and_sine": (product_and_sine, (1.0, 1.0)),
    "twice": (twice, (1.0, 1.0)),
    "either": (either, (1.0, 1.0)),
    "rnn": (rnn, (1.0, 1.0, [1.0])),
    "last": (last, (1.0, 1.0, 1.0)),
}


LAWS = {
    law.name.replace("-", "_"): law for law in (PROD_LEFT, FUSION, CURRY_BETA, CURRY_ETA, CURRY_NATURAL, COND_AFTER)
}
PICTURES = (*PROGRAMS, *LAWS)


def picture(name: str) -> str:
    """A term, or the equation of a law."""
    if name in LAWS:
        return diagram(*LAWS[name].pattern())
    function, args = PROGRAMS[name]
    return diagram(ccc.arrow(function, *args))


if __name__ == "__main__":
    for name in PICTURES:
        (FOLDER / f"{name}.svg").write_text(picture(name) + "\n", "utf-8")
        print(f"wrote docs/pictures/{name}.svg")
