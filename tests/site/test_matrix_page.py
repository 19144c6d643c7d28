# SPDX-License-Identifier: Apache-2.0
"""The matrix page in Chromium: its outcomes are those of `anycuda matrix`, and it works by keyboard, dark and light."""

from __future__ import annotations

import json
import os
import unittest
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from anycuda.matrix import data, views
from anycuda.matrix.selection import Selection
from browser import Browser
from selenium.webdriver.common.keys import Keys

SITE = Path(os.environ["ANYCUDA_SITE"])
MATRIX = Path(os.environ["ANYCUDA_SITE_BUILD"]) / "share/anycuda/matrix.json"
PAGE = "matrix/index.html"
MOST_AT_FIRST = 1_000_000  # bytes
OUTCOMES = """
    const { runsOf, selected } = await import("./matrix.js");
    const get = async (name) => (await fetch(`data/${name}.json`)).json();
    const index = await get("index");
    const found = [];
    for (const [name, about] of Object.entries(index.libraries)) {
        const runs = selected(runsOf({ ...about, ...await get(name) }), args[0]);
        found.push(...runs.map((run) => ({ library: name, ...run })));
    }
    return found;
"""
CONTRASTS = """
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => part / 255)
            .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const page = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll("td span, td, th, a, p, label, h1, h2")].map((one) => {
        let under = one;
        const isClear = (it) => /rgba\\(0, 0, 0, 0\\)/.test(getComputedStyle(it).backgroundColor);
        while (under && isClear(under)) under = under.parentElement;
        const pair = [light(getComputedStyle(one).color),
            under ? light(getComputedStyle(under).backgroundColor) : page].sort((a, b) => b - a);
        return [(pair[0] + 0.05) / (pair[1] + 0.05), one.outerHTML.slice(0, 80)];
    }).sort((a, b) => a[0] - b[0])[0];
"""


class MatrixPage(unittest.TestCase):
    browser: ClassVar[Browser]
    matrix: ClassVar[data.Matrix]

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser(SITE)
        cls.addClassCleanup(cls.browser.close)
        cls.matrix = data.load(MATRIX)

    def open(self, hash_: str = "") -> None:
        self.browser.open(PAGE + hash_)
        self.ready()

    def ready(self) -> str:
        """The line that says how much is shown, once it does."""
        return self.browser.wait(lambda: (text := self.browser.text("#status")) != "Loading." and text)

    def tearDown(self) -> None:
        self.assertEqual(self.browser.errors(), [])

    def same(self, found: list[dict], wanted: list[dict]) -> None:
        """assertEqual would take minutes to show how long lists differ."""
        for one, other in zip(found, wanted):
            if one != other:
                self.assertEqual(one, other)
        self.assertEqual(len(found), len(wanted))

    def test_every_outcome_is_the_commands(self) -> None:
        self.open()
        answer = json.loads(views.as_json(self.matrix, list(self.matrix.libraries.values()), False))
        found = self.browser.run(OUTCOMES, {})
        self.assertGreater(len(found), 30000)
        self.same(found, answer["cells"])

    def test_a_selection_is_the_commands(self) -> None:
        self.open()
        for name, caller, installed, kinds in (
            ("cudaGraph*", "12", "13", []), ("*Create?", "", "12.4", ["direct"]),
            ("", "11", "13", ["absent", "rejected"]), ("cu*", "", "535", ["absent"]), ("", "", "nccl-2", []),
            ("nccl*", "12", "nccl-2.28", []),
        ):
            with self.subTest(name=name, caller=caller, installed=installed, kinds=kinds):
                asked = Selection([], [name] if name else [], [caller] if caller else [], [installed], kinds)
                cells = json.loads(views.as_json(self.matrix, asked.apply(self.matrix), False))["cells"]
                state = {"name": name, "caller": caller, "installed": installed, "kinds": kinds}
                found = self.browser.run(OUTCOMES, state)
                self.assertTrue(found)
                self.same(found, cells)

    def test_details_of_a_function_of_each_library(self) -> None:
        for library in self.matrix.libraries.values():
            runs = max((list(group) for _, group in groupby(library.runs, lambda run: run.symbol)), key=len)
            with self.subTest(library=library.name, function=runs[0].symbol):
                self.open(f"#library={library.name}&function={runs[0].symbol}")
                self.assertIn(library.product, self.browser.text("#details h2"))
                rows = self.browser.driver.execute_script(
                    "return [...document.querySelectorAll('#details tbody tr')]"
                    ".map((row) => [...row.cells].map((cell) => cell.textContent))")
                self.assertEqual([(row[2], row[5]) for row in rows], [(run.kind, run.reason) for run in runs])
                for row, run in zip(rows, runs):
                    self.assertIn(run.runtimes[0].split("-")[-1], row[1])
                    self.assertIn(run.runtimes[-1].split("-")[-1], row[1])

    def test_a_table_names_the_release_that_changes_an_outcome(self) -> None:
        self.open("#name=cudaMemAdvise")
        self.assertEqual(self.browser.texts("#results thead th"), [
            "Function", "Built for CUDA 11", "Built for CUDA 12", "Built for CUDA 13",
            *("on 11", "on 12", "on 13") * 3])
        rows = self.browser.texts("#results tbody tr:first-child > *")
        self.assertEqual(rows[0], "cudaMemAdvise")
        self.assertEqual(rows[8], "adapted until 12.1renamed from 12.2")

    def test_a_failing_function_tells_its_status(self) -> None:
        self.open("#library=cudart&function=__cudaGetProcAddress")
        self.assertIn("An absent call returns 302 (cudaErrorSharedObjectSymbolNotFound)", self.browser.text("#details"))

    def test_is_small_at_first_and_loads_no_other_host(self) -> None:
        self.open()
        loaded = self.browser.driver.execute_script(
            "return [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]"
            ".map((one) => [one.name, one.transferSize])")
        self.assertGreater(len(loaded), 6)
        self.assertLess(sum(size for _, size in loaded), MOST_AT_FIRST)
        self.assertEqual([name for name, _ in loaded if not name.startswith((self.browser.address, "data:"))], [])

    def test_controls_write_the_address_and_it_restores_them(self) -> None:
        self.open()
        self.browser.one("#library option[value=nvrtc]").click()
        self.browser.one("#caller option[value='12']").click()
        self.browser.one("#installed option[value='13']").click()
        self.browser.one("#kinds input[value=renamed]").click()
        self.browser.one("#function").send_keys("nvvm")
        self.browser.wait(lambda: self.browser.text("#status") == "2 functions in 1 library.")
        address = self.browser.driver.current_url
        self.assertTrue(address.endswith("#library=nvrtc&name=nvvm&caller=12&installed=13&kinds=renamed"), address)
        self.open("#" + address.partition("#")[2])
        self.assertEqual(self.browser.text("#status"), "2 functions in 1 library.")
        self.assertEqual(self.browser.texts("#results tbody th"), ["nvrtcGetNVVM", "nvrtcGetNVVMSize"])
        self.browser.one("button[type=reset]").click()
        self.browser.wait(lambda: not self.browser.text("#status").startswith("2 "))
        self.assertTrue(self.browser.driver.current_url.endswith("#library=nvrtc"))

    def test_all_libraries_are_searched(self) -> None:
        self.open("#library=all&name=cublasGemmEx")
        self.assertEqual(self.browser.text("#results h2"), "cuBLAS")
        self.assertIn("cublasGemmEx", self.browser.texts("#results tbody th"))

    def test_a_long_table_shows_the_rest_on_request(self) -> None:
        self.open("#library=cublas")
        self.assertEqual(len(self.browser.all("#results tbody tr")), 100)
        self.browser.one("#results button").click()
        functions = {run.symbol for run in self.matrix.libraries["cublas"].runs}
        self.assertEqual(self.browser.texts("#results tbody th"), sorted(functions))

    def test_a_strange_address_shows_no_outcome_and_no_error(self) -> None:
        for strange, answer in (("#library=<b>x</b>", "functions in"), ("#name=%00%ff%", "No outcome matches"),
                                ("#installed=99", "No outcome matches"), ("#kinds=none", "No outcome matches"),
                                ("#library=__proto__&function=constructor", "functions in")):
            with self.subTest(address=strange):
                self.open(strange)
                self.assertIn(answer, self.browser.text("#status"))
        self.open("#function=<img/src=x>")
        self.assertEqual(self.browser.all("img"), [])
        self.assertIn("has no function of this name", self.browser.text("#details"))

    def test_works_by_keyboard(self) -> None:
        self.open()
        self.browser.one("body").send_keys("/")
        active = self.browser.driver.switch_to.active_element
        self.assertEqual(active.get_attribute("id"), "function")
        active.send_keys("cudaMemAdvise", Keys.ENTER)
        self.browser.wait(lambda: self.browser.text("#status") == "2 functions in 1 library.")
        seen = []
        for _ in range(20):
            active.send_keys(Keys.TAB)
            active = self.browser.driver.switch_to.active_element
            seen.append(active.get_attribute("id") or active.get_attribute("value") or active.text.splitlines()[0])
            if active.tag_name == "a":
                break
        self.assertEqual(seen[:3], ["library", "caller", "installed"])
        self.assertIn("rejected", seen)
        self.assertEqual(seen[-1], "cudaMemAdvise")
        active.send_keys(Keys.ENTER)
        self.browser.wait(lambda: self.browser.one("#details").is_displayed())
        self.assertEqual(self.browser.driver.switch_to.active_element.text, "cudaMemAdvise · CUDA runtime")

    def test_every_control_and_region_has_a_label(self) -> None:
        self.open("#function=cudaMemAdvise")
        found = self.browser.all("input, select, button, a, fieldset, nav, [role=region], [role=search], table")
        self.assertGreater(len(found), 20)
        self.assertEqual([one.get_attribute("outerHTML")[:80] for one in found
                          if one.is_displayed() and not one.accessible_name], [])

    def test_text_has_contrast_in_dark_and_light(self) -> None:
        backgrounds = set()
        for scheme in ("dark", "light"):
            with self.subTest(scheme=scheme):
                self.browser.colours(scheme)
                self.open("#function=cudaMemAdvise")
                least, where = self.browser.run(CONTRASTS)
                self.assertGreaterEqual(least, 4.5, where)
                backgrounds.add(self.browser.one("body").value_of_css_property("background-color"))
        self.assertEqual(len(backgrounds), 2)

    def test_missing_data_is_reported(self) -> None:
        self.open("#library=nvtx")
        self.browser.driver.execute_script(
            "window.fetch = async () => new Response('', { status: 404, statusText: 'Not Found' })")
        self.browser.one("#library option[value=curand]").click()
        self.browser.wait(lambda: "cannot be shown: " in self.browser.text("#status"))
        self.assertIn("404 Not Found", self.browser.text("#status"))


if __name__ == "__main__":
    unittest.main()
