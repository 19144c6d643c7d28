# SPDX-License-Identifier: Apache-2.0
"""A site, served on this machine, and a headless Chromium that reads it."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1400,1000")
_PATIENCE = 120  # seconds; only a failing test waits as long
T = TypeVar("T")


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript",
                      ".wasm": "application/wasm"}

    def __init__(self, requests: list[str], *arguments: Any, **names: Any) -> None:
        self.requests = requests
        super().__init__(*arguments, **names)

    def log_message(self, *_: Any) -> None:
        self.requests.append(self.requestline)


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A browser that has seen enough closes the connection."""


class Browser:
    """Chromium, with `folder` at `self.address`."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        handler = functools.partial(_Handler, self.requests, directory=folder)
        self.server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        options = Options()
        options.binary_location = _program("chromium")
        for flag in _FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(_program("chromedriver")))
        self.driver.set_script_timeout(_PATIENCE)

    def close(self) -> None:
        self.driver.quit()
        self.server.shutdown()
        self.server.server_close()

    def open(self, path: str) -> None:
        self.driver.get("about:blank")  # a page that is open already is loaded again, whatever is behind its #
        self.driver.get(self.address + path)

    def colours(self, scheme: str) -> None:
        """As if the system asked for "dark" or "light"."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[WebElement]:
        elements: list[WebElement] = self.driver.find_elements("css selector", selector)
        return elements

    def text(self, selector: str) -> str:
        return str(self.one(selector).text)

    def texts(self, selector: str) -> list[str]:
        texts: list[str] = self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent)", selector)
        return texts

    def wait(self, condition: Callable[[], T]) -> T:
        value: T = WebDriverWait(self.driver, _PATIENCE, poll_frequency=0.05).until(lambda _: condition())
        return value

    def run(self, script: str, *values: Any) -> Any:
        """The value of an asynchronous function's body, which finds `values` in `args`."""
        answer = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);"
            f"(async () => {{ {script} }})()"
            ".then((value) => done({ value }), (error) => done({ error: `${error}` }));", *values)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def errors(self) -> list[str]:
        """Of its console, since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


def _program(name: str) -> str:
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError(f"{name} is missing: install Debian's packages chromium and chromium-driver")
    return found
