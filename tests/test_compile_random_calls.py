"""Random sequences of calls, between which what the function reads from outside changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import random_calls

import ccc

SIZE = 12


@pytest.mark.share(20)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("block", range(20))
def test_each_call_gives_what_plain_python_gives_then(block: int, backend: Any) -> None:
    counts = Counter[str]()
    found = [random_calls.differs(seed, backend, counts) for seed in range(SIZE * block, SIZE * (block + 1))]
    assert not any(found), "\n".join(filter(None, found))
    assert counts["values"] > 5 * SIZE and counts["slopes"] > 3 * SIZE, counts


def test_code_that_is_kept_for_too_long_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def stale(f: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        return cache(lambda *args: f(*args))

    monkeypatch.setattr(ccc, "compiled", stale)
    found = [random_calls.differs(seed, "numpy", Counter()) for seed in range(100) if not random_calls.made(seed)[-1]]
    assert any(found)
