"""Each test compiles what it calls: nothing is kept from one to the next, and each pass is verified."""

import pytest

from ccc.compile.api import wrapper
from ccc.compile.passes import engine

engine.VERIFIED = True


@pytest.fixture(autouse=True)
def forgotten() -> None:
    wrapper.forget()
