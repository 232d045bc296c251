"""Each test compiles what it calls: nothing is kept from one to the next."""

import pytest

from ccc.compile.api import wrapper


@pytest.fixture(autouse=True)
def forgotten() -> None:
    wrapper.forget()
