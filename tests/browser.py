"""Chromium without a window, driven by its DevTools protocol over two pipes, for which the browser is enough.

    python3 tests/browser.py page.html picture.png 5    the picture of a page, the pointer on line 5 of the source

    with opened(file) as page:
        page.move("#here")                    the pointer goes to the middle of what a selector finds
        page.click("#here")
        page.press("ArrowRight")
        page.value("document.title")          what an expression gives there
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
KEYS = {"ArrowLeft": 37, "ArrowRight": 39}


def browser() -> str | None:
    """The browser, where there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """A page that a browser has open: what is sent to it goes down one pipe, what it answers comes up the other one."""

    def __init__(self, down: int, up: int) -> None:
        self.down, self.up = os.fdopen(down, "wb", 0), os.fdopen(up, "rb")
        self.number, self.rest, self.session = itertools.count(1), b"", ""
        self.errors: list[str] = []

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers to a command; errors of scripts that it tells of meanwhile are kept."""
        number = next(self.number)
        sent = {"id": number, "method": method, "params": params}
        self.down.write(json.dumps(sent | ({"sessionId": self.session} if self.session else {})).encode() + b"\0")
        while True:
            told = self.told()
            if told.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(told["params"]))
            if told.get("id") == number:
                assert "error" not in told, told
                return told["result"]

    def told(self) -> dict[str, Any]:
        """The next message."""
        while b"\0" not in self.rest:
            found = os.read(self.up.fileno(), 1 << 16)
            assert found, "the browser has ended"
            self.rest += found
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def show(self, file: Path) -> None:
        """Open a file, and wait until its scripts have run."""
        made = self.ask("Target.createTarget", url="about:blank")
        self.session = self.ask("Target.attachToTarget", targetId=made["targetId"], flatten=True)["sessionId"]
        for domain in ("Runtime", "Page"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=1100, height=720, deviceScaleFactor=1, mobile=False)
        self.ask("Page.navigate", url=file.resolve().as_uri())
        while self.value("document.readyState") != "complete" or self.value("location.protocol") != "file:":
            pass

    def value(self, expression: str) -> Any:
        """What an expression gives."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def middle(self, selector: str) -> tuple[float, float]:
        """Where the middle of what is drawn of an element is, once it is in view."""
        here = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{here}.scrollIntoView({{block: 'center', inline: 'start'}})")
        x, y = self.value(f"(r => [r.x + Math.min(r.width, 60) / 2, r.y + r.height / 2])({here}.getClientRects()[0])")
        return x, y

    def move(self, selector: str) -> None:
        x, y = self.middle(selector)
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        x, y = self.middle(selector)
        for what in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        for what in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=what, key=key, code=key, windowsVirtualKeyCode=KEYS[key])


@contextlib.contextmanager
def opened(file: Path) -> Iterator[Page]:
    """A page in a browser of its own, which ends with the block."""
    given, takes = os.pipe()
    answers, gives = os.pipe()
    found = browser()
    assert found is not None
    # file descriptors 3 and 4 are those that the browser reads and writes
    start = f'exec 3<&{given} 4>&{gives}; exec "$0" "$@"'
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        flags = ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", f"--user-data-dir={folder}"]
        process = subprocess.Popen(["/bin/bash", "-c", start, found, *flags], pass_fds=(given, gives),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(given)
        os.close(gives)
        page = Page(takes, answers)
        try:
            page.show(file)
            yield page
        finally:
            page.down.close()
            page.up.close()
            process.terminate()
            process.wait(10)


def shot(page: Path, picture: Path, line: int) -> None:
    """The picture of a page, where the pointer is on a line of the source."""
    with opened(page) as shown:
        shown.move(f".panel [data-line$=':{line}']")
        shown.value("scrollTo(0, 0)")
        picture.write_bytes(base64.b64decode(shown.ask("Page.captureScreenshot", format="png")["data"]))


if __name__ == "__main__":
    shot(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
