# SPDX-License-Identifier: Apache-2.0
"""The matrix page checks local files: its answers are those of `anycuda check`, and the files stay in the browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import ClassVar

from browser import Browser
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ["ANYCUDA_SITE"])
COMMAND = Path(os.environ["ANYCUDA_SITE_BUILD"]) / "bin/anycuda"
PAGE = "matrix/index.html"
WHEELS = ("wheel-cumm", "wheel-mooncake", "wheel-torch_memory_saver", "wheel-torchaudio", "wheel-torchvision")
LIBRARIES = {"cudart-11.8": "libcudart.so.*", "cudart-13.5": "libcudart.so.*", "nvjpeg-12.9": "libnvjpeg.so.*",
             "nvjpeg-13.5": "libnvjpeg.so.*", "tilelang": "libstub_*.so", "aarch64_cudart-12.9": "libcudart.so.*"}
PTX = "//\n.version 8.8\n.target sm_90\n.address_size 64\n.visible .entry kernel() { ret; }\n"
CHOOSE = """
    const chosen = document.createElement("input");
    Object.assign(chosen, { type: "file", multiple: true, id: "chosen" });
    document.body.append(chosen);
"""
CHECK = """
    const { check } = await import("./check.js");
    return check([...document.getElementById("chosen").files], args[0]);
"""
DROP = """
    const dropped = new DataTransfer();
    dropped.items.add(new File([args[0]], args[1]));
    const drop = new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true });
    document.getElementById("results").dispatchEvent(drop);
    return drop.defaultPrevented; // else the browser would open the file in place of the page
"""


def artifact(name: str) -> Path:
    done = subprocess.run([sys.executable, ROOT / "tools/fetch/fetch.py", "path", name], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return Path(done.stdout.strip())


def make_files(folder: Path) -> list[str]:
    """Names of files in the folder: wheels, their libraries, NVIDIA's libraries, and damaged files."""
    for name in WHEELS:
        (wheel,) = artifact(name).glob("*.whl")
        shutil.copy(wheel, folder)
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if ".so" in Path(member).name and archive.getinfo(member).file_size < 10_000_000:
                    (folder / f"{name}-{Path(member).name}").write_bytes(archive.read(member))
    for name, pattern in LIBRARIES.items():
        for file in artifact(name).rglob(pattern):
            shutil.copy(file, folder / f"{name}-{file.name}")
    whole = (folder / "wheel-torchvision-_C.so").read_bytes()
    for share in (1, 2, 3):
        (folder / f"truncated-{share}.so").write_bytes(whole[:len(whole) * share // 4])
    (folder / "damaged.so").write_bytes(whole[:4096] + bytes(8192) + whole[12288:])
    (folder / "empty.so").write_bytes(b"")
    (folder / "text.so").write_text("no library\n")
    (folder / "kernel.ptx").write_text(PTX)
    (folder / "no.whl").write_bytes(b"PK\3\4" + bytes(100))
    return sorted(file.name for file in folder.iterdir())


class CheckFiles(unittest.TestCase):
    browser: ClassVar[Browser]
    folder: ClassVar[Path]
    names: ClassVar[list[str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.names = make_files(cls.folder)
        cls.browser = Browser(SITE)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.browser.open(PAGE)
        self.browser.driver.execute_script(CHOOSE)

    def tearDown(self) -> None:
        self.assertEqual(self.browser.errors(), [])

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, "check", *words], cwd=self.folder, capture_output=True, text=True)

    def in_page(self, names: list[str], *words: str) -> dict:
        self.browser.one("#chosen").send_keys("\n".join(str(self.folder / name) for name in names))
        return self.browser.run(CHECK, list(words))

    def status(self, start: str) -> str:
        """The line about a check, once it starts so."""
        return self.browser.wait(lambda: (text := self.browser.text("#check-status")).startswith(start) and text)

    def test_answers_are_the_commands(self) -> None:
        self.assertGreater(len(self.names), 50)
        for options in ([], ["--runtime", "12,535", "--gpu", "sm_120", "--driver", "550"]):
            with self.subTest(options=options):
                answer = self.in_page(self.names, "--json", *options)
                expected = self.command("--json", *options, "--", *self.names)
                found, wanted = json.loads(answer["output"]), json.loads(expected.stdout)
                for name, one, other in zip(self.names, found.pop("inputs"), wanted.pop("inputs")):
                    with self.subTest(file=name):
                        self.assertEqual(one, other)
                self.assertEqual(found, wanted)
                self.assertEqual(answer["status"], expected.returncode)
                self.browser.open(PAGE)
                self.browser.driver.execute_script(CHOOSE)

    def test_a_chosen_file_has_the_commands_report(self) -> None:
        name = "wheel-torchvision-_C.so"
        for options, words in (("", []), ("--gpu sm_120 --driver 550", ["--gpu", "sm_120", "--driver", "550"])):
            with self.subTest(options=options):
                self.browser.open(PAGE)
                self.browser.one("#check-options").send_keys(options)
                self.browser.one("#check-files").send_keys(str(self.folder / name))
                self.status(f"{name}: ")
                self.assertEqual(self.browser.texts("#report"), [self.command(*words, "--", name).stdout])

    def test_a_dropped_file_has_the_commands_report(self) -> None:
        self.assertTrue(self.browser.run(DROP, PTX, "kernel.ptx"))
        expected = self.command("kernel.ptx").stdout
        self.assertEqual(self.status("kernel.ptx: "), f"kernel.ptx: {expected.splitlines()[-1]}")
        self.assertEqual(self.browser.texts("#report"), [expected])

    def test_names_and_contents_are_never_read_as_html_or_options(self) -> None:
        for name in ("<img src=x>.so", "--help", "a b.so"):
            with self.subTest(name=name):
                self.browser.run(DROP, "no library", name)
                self.status(f"{name}: ")
                self.assertIn(name, self.browser.text("#report"))
        self.assertEqual(self.browser.all("img"), [])

    def test_a_wrong_option_has_the_commands_message(self) -> None:
        for options in ("--runtime 99", "--nothing"):
            with self.subTest(options=options):
                answer = self.in_page(["kernel.ptx"], *options.split())
                expected = self.command(*options.split(), "kernel.ptx")
                self.assertEqual((answer["status"], answer["output"]), (2, ""))
                self.assertEqual(answer["errors"].splitlines()[-1], expected.stderr.splitlines()[-1])

    def test_a_file_is_never_sent(self) -> None:
        self.in_page(["wheel-torchvision-_C.so"])
        self.assertTrue(any("pyodide" in line for line in self.browser.requests))
        self.assertEqual([line for line in self.browser.requests if not line.startswith("GET ")], [])

    def test_a_site_without_a_part_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SITE / "matrix", Path(folder, "matrix"), symlinks=True,
                            ignore=shutil.ignore_patterns("device_code.wasm"))
            browser = Browser(Path(folder))
            self.addCleanup(browser.close)
            browser.open(PAGE)
            browser.one("#check-files").send_keys(str(self.folder / "kernel.ptx"))
            text = browser.wait(lambda: "cannot be checked" in (text := browser.text("#check-status")) and text)
            self.assertIn("device_code.wasm: 404", text)
            shutil.copy(SITE / "matrix/device_code.wasm", Path(folder, "matrix"))
            browser.one("#check-options").send_keys("--all", Keys.TAB)
            browser.wait(lambda: browser.text("#check-status").startswith("kernel.ptx: "))


if __name__ == "__main__":
    unittest.main()
