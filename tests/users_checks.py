"""Programs beside plain Python: the value and its type, what is shown and changed, and the gradient as differences."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ccc


def parts(x: Any) -> list[tuple[Any, Any]]:
    """What a structure holds, beside how each part is read of another one of the same structure."""
    if isinstance(x, dict):
        return [(v, lambda y, k=k: y[k]) for k, v in x.items()]
    if isinstance(x, list | tuple):
        return [(v, lambda y, i=i: y[i]) for i, v in enumerate(x)]
    return [(v, lambda y, k=k: getattr(y, k)) for k, v in getattr(x, "__dict__", {}).items()]


def numbers(x: Any, like: Any) -> Iterator[float]:
    """The real numbers of a structure that stand where `like` has some; None is zero."""
    if isinstance(like, float | int) and not isinstance(like, bool):
        yield 0.0 if x is None else float(x)
    elif isinstance(like, np.ndarray):
        yield from np.ravel(np.zeros(like.shape) if x is None else x) if like.dtype.kind == "f" else ()
    elif not isinstance(like, str | bool | None):
        for part, of in parts(like):
            yield from numbers(None if x is None else of(x), part)


def moved(x: Any, by: Iterator[float]) -> Any:
    """The structure with its real numbers moved."""
    if isinstance(x, float | int) and not isinstance(x, bool):
        return x + next(by)
    if isinstance(x, np.ndarray):
        return x + np.array([next(by) for _ in range(x.size)]).reshape(x.shape) if x.dtype.kind == "f" else x
    if isinstance(x, dict):
        return {k: moved(v, by) for k, v in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[moved(v, by) for v in x])
    if isinstance(x, list | tuple):
        return type(x)([moved(v, by) for v in x])
    if hasattr(x, "__dict__"):
        found = copy.copy(x)
        for key, value in vars(x).items():
            object.__setattr__(found, key, moved(value, by))
        return found
    return x


class Lines(logging.Handler):
    """Writes what is logged among what is printed."""

    def __init__(self, out: io.StringIO) -> None:
        super().__init__()
        self.out = out

    def emit(self, record: logging.LogRecord) -> None:
        self.out.write(f"{record.levelname} {record.getMessage()}\n")


def outcome(f: Callable[..., Any], *args: Any) -> tuple[Any, str]:
    """What a function gives, or raises, and all that it shows."""
    out = io.StringIO()
    lines = Lines(out)
    logging.getLogger().addHandler(lines)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings(
                record=True) as told:
            warnings.simplefilter("always")
            try:
                found = f(*args)
            except ccc.CCCError:
                raise
            except Exception as error:
                found = error
    finally:
        logging.getLogger().removeHandler(lines)
    return found, out.getvalue() + "".join([f"{each.category.__name__} {each.message}\n" for each in told])


def agrees_with_python(f: Callable[..., Any], *args: Any, h: float = 1e-5) -> None:
    """The function gives, shows, changes and raises what it does in plain Python; its gradient is that of differences
    along one direction."""
    plain, compiled = copy.deepcopy(args), copy.deepcopy(args)
    wanted, text = outcome(f, *plain)
    found, said = outcome(ccc.value_with_gradient(f), *compiled)
    assert said == text
    if isinstance(wanted, Exception):
        assert type(found) is type(wanted) and found.args == wanted.args
        return
    if isinstance(found, Exception):
        raise found
    value, slope = found
    assert type(value) is type(wanted) and np.allclose(value, wanted, rtol=1e-11, atol=0.0), (value, wanted)
    for a, b in zip(plain, compiled, strict=True):
        assert np.allclose(list(numbers(a, a)), list(numbers(b, a)), rtol=1e-11, atol=0.0)
    x, others = args[0], args[1:]
    slopes = np.array(list(numbers(slope if len(args) == 1 else slope[0] if isinstance(slope, tuple) else slope, x)))
    along = np.random.default_rng(0).normal(size=len(slopes))

    def at(t: float) -> float:
        return float(outcome(f, moved(copy.deepcopy(x), iter((t * along).tolist())), *copy.deepcopy(others))[0])

    differences = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    assert abs(slopes @ along - differences) <= 1e-6 * (1.0 + abs(differences))


def is_refused(f: Callable[..., Any], *args: Any, says: str) -> None:
    """The function is refused with this reason, at a place, with a help."""
    f(*copy.deepcopy(args))
    with pytest.raises(ccc.CCCError) as found:
        ccc.value_with_gradient(f)(*args)
    text = str(found.value)
    assert says in text and "help: " in text and ("^" in text or "<source not available>" in text), text
