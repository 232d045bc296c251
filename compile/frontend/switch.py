"""When the places of allocation of a function stand in stores: `CCC_STORES` says `never`, `refused` (where the function
is refused otherwise) or `always`."""

from __future__ import annotations

import os
from typing import Any

NEVER, REFUSED, ALWAYS = "never", "refused", "always"
DEFAULT = REFUSED
ASKING = frozenset({"CC003", "CC005", "CC006", "CC007", "CC010", "CC011", "CC022", "CC060"})
"""The codes of refusals that may be for what a function changes."""


def said(module: Any, name: str) -> str:
    """What the switch says when a call asks, as a part of this module: code with stores is for that alone."""
    return getattr(module, name)()


def when() -> str:
    """What the switch says."""
    found = os.environ.get("CCC_STORES", DEFAULT)
    return found if found in (NEVER, REFUSED, ALWAYS) else DEFAULT
