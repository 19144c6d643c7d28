# SPDX-License-Identifier: Apache-2.0
"""The pictures of the pages are what tools/pictures makes; it refuses faulty sources and programs."""

from __future__ import annotations

import functools
import os
import re
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from project_files import ROOT, project_files

sys.path += [str(ROOT / folder) for folder in ("tools/pictures", "tools/fetch")]

import colours  # noqa: E402
import demo_table  # noqa: E402
import diagram  # noqa: E402
import make_pictures  # noqa: E402
import terminal  # noqa: E402
from artifacts.cli import folder_of  # noqa: E402
from artifacts.errors import ArtifactError  # noqa: E402

BUILD = Path(os.environ["ANYCUDA_BUILD"]).resolve() if os.environ.get("ANYCUDA_BUILD") else None
PICTURES = sorted((ROOT / "docs/pictures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
# Differs from build to build: the hash in a stub's name, and the size of the wheel.
BUILDS = re.compile(r"(?<=-)[0-9a-f]{8}(?=\.so)|(?<=\()\d+\.\d(?=&#160;MB| MB)")
REMAKE = "run `python3 tools/pictures/make_pictures.py build/test`"
DEMO = """
nvrtc_compile: NVRTC makes PTX

  installed | built for CUDA 12 | built for CUDA 13
  only 12.9 | by NVRTC 12.9     | by NVRTC 12.9
  none      | error 11 & <more> | error 11

nvrtc_compile: the same again

  installed | other
"""


def needs(*artifacts: str) -> None:
    for name in artifacts:
        try:
            folder_of(name)
        except ArtifactError as error:
            raise unittest.SkipTest(str(error)) from None


def has_terminals() -> bool:
    """A plain chroot has no /dev/ptmx."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def needs_terminal(test: Callable[[Any], None]) -> Callable[[Any], None]:
    """Without a pseudo-terminal the test shows that this is reported."""
    def run(self: unittest.TestCase) -> None:
        if has_terminals():
            test(self)
        else:
            with self.assertRaisesRegex(ValueError, "no pseudo-terminal .*: mount /dev/pts"):
                terminal.output_of([sys.executable, "-c", ""], Path("/"), {})
    return functools.wraps(test)(run)


def checked_in(name: str) -> str:
    return (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")


def drawn(source: str) -> str:
    return diagram.draw(source, folder_of("graphviz") / "bin/dot")


class Made(unittest.TestCase):
    maxDiff = None

    def test_diagrams(self) -> None:
        needs("graphviz")
        made = make_pictures.diagrams()
        self.assertGreater(len(made), 2)
        for name, svg in made.items():
            with self.subTest(picture=name):
                self.assertEqual(checked_in(name), svg, REMAKE)

    @unittest.skipUnless(BUILD and (BUILD / "bin/anycuda-demo").exists(), "ANYCUDA_BUILD has no demo")
    def test_demo(self) -> None:
        needs("graphviz", "nvrtc-11.8", "nvrtc-12.9", "nvrtc-13.5")
        self.assertEqual(checked_in("demo"), make_pictures.demo(BUILD), REMAKE)

    @needs_terminal
    @unittest.skipUnless(BUILD and (BUILD / "bin/anycuda").exists(), "ANYCUDA_BUILD has no command")
    def test_recording_of_repair(self) -> None:
        needs("rich", "wheel-torch_memory_saver")
        old, new = checked_in("repair"), make_pictures.repair(BUILD)
        self.assertEqual(len(BUILDS.findall(old)), 14)
        self.assertEqual(BUILDS.sub("", old), BUILDS.sub("", new), REMAKE)


class Pictures(unittest.TestCase):
    def test_each_is_shown_with_a_text(self) -> None:
        shown = {}
        for page in project_files("*.md"):
            for text, link in re.findall(r"!\[([^]]*)\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8")):
                shown[(page.parent / link).resolve()] = text
        self.assertEqual(sorted(shown), PICTURES)
        for picture, text in shown.items():
            self.assertGreater(len(text), 30, picture.name)

    def test_each_is_small_and_describes_itself(self) -> None:
        self.assertGreater(len(PICTURES), 4)
        for picture in PICTURES:
            with self.subTest(picture=picture.name):
                text = picture.read_text(encoding="utf-8")
                root = ElementTree.fromstring(text)
                self.assertLess(len(text), 16 << 10)
                self.assertEqual(root.get("role"), "img")
                names = [root.find(f"{SVG}{name}") for name in ("title", "desc")]
                self.assertEqual(root.get("aria-labelledby"), " ".join(name.get("id") for name in names))
                self.assertTrue(all(name.text.strip() for name in names))
                self.assertIn("prefers-color-scheme:dark", text)
                self.assertNotRegex(text.replace(SVG[1:-1], ""), r"https?:|<script|<image|url\((?!#)")

    def test_text_has_contrast_on_light_and_dark_pages(self) -> None:
        def luminance(colour: str) -> float:
            parts = [value / 255 for value in bytes.fromhex(colour[1:])]
            return sum(weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
                       for weight, part in zip((0.2126, 0.7152, 0.0722), parts))

        def contrast(*pair: str) -> float:
            low, high = sorted(map(luminance, pair))
            return (high + 0.05) / (low + 0.05)

        on = {"text": ("page", "box", "stub", "good", "bad", "cuda11", "cuda12", "cuda13"),
              **dict.fromkeys(("faint", "red", "green", "yellow", "cyan"), ("page", "box"))}
        for text, pages in on.items():
            for page in pages:
                light = colours.LIGHT[text], colours.LIGHT[page]
                for pair in (light, [colours.in_dark(colour) for colour in light]):
                    with self.subTest(text=text, page=page, pair=pair):
                        self.assertGreaterEqual(contrast(*pair), 4.5)  # WCAG 2.2, 1.4.3


class Diagrams(unittest.TestCase):
    def setUp(self) -> None:
        needs("graphviz")

    def test_title_and_description_come_from_the_source(self) -> None:
        svg = ElementTree.fromstring(drawn('digraph "A & B" {\n  comment="one \\\n two"\n  a -> b [label="<c>"]\n}\n'))
        self.assertEqual([svg.findtext(f"{SVG}{name}") for name in ("title", "desc")], ["A & B", "one two"])
        self.assertEqual([text.text for text in svg.iter(f"{SVG}text")], ["a", "b", "<c>"])
        self.assertEqual(len(list(svg.iter(f"{SVG}title"))), 1)

    def test_faulty_sources_are_refused(self) -> None:
        for source, message in (("digraph {", "syntax error"), ("digraph { a }", "no description"),
                                ('digraph {\n  comment="x"\n  a [fillcolor="$none"]\n}', "no colour is named 'none'"),
                                ('digraph {\n  comment="x"\n  a [fillcolor=nothing]\n}', "not a known color"),
                                ('digraph {\n  comment="x"\n  a [fillcolor=blue]\n}', "blue")):
            with self.subTest(source=source), self.assertRaisesRegex(ValueError, message):
                drawn(source)


class DemoTable(unittest.TestCase):
    def test_first_table_of_the_program(self) -> None:
        self.assertEqual(demo_table.rows(DEMO), [
            ["installed", "built for CUDA 12", "built for CUDA 13"], ["only 12.9", "by NVRTC 12.9", "by NVRTC 12.9"],
            ["none", "error 11 & <more>", "error 11"]])

    def test_colour_is_that_of_the_cuda_which_served(self) -> None:
        source = demo_table.source(demo_table.rows(DEMO))
        self.assertIn('BGCOLOR="$cuda12">by NVRTC 12.9<', source)
        self.assertIn('BGCOLOR="$bad">error 11 &amp; &lt;more&gt;<', source)

    def test_picture_has_every_cell(self) -> None:
        needs("graphviz")
        table = demo_table.rows(DEMO)
        svg = ElementTree.fromstring(drawn(demo_table.source(table)))
        self.assertEqual([text.text for text in svg.iter(f"{SVG}text")], sum(table, []))
        self.assertIn("none; built for CUDA 12: error 11 & <more>;", svg.findtext(f"{SVG}desc"))

    def test_failures_of_the_demo_are_refused(self) -> None:
        for output in ("", DEMO.replace("by", "WRONG: by"), DEMO.replace("by NVRTC 12.9    ", "skipped"),
                       DEMO.replace("nvrtc_", "")):
            with self.assertRaisesRegex(ValueError, "the demo's (table|output)"):
                demo_table.rows(output)


class Terminal(unittest.TestCase):
    def run_in_terminal(self, script: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return terminal.output_of([sys.executable, "-c", script], Path(folder), {"LANG": "C.UTF-8"})

    @needs_terminal
    def test_shows_what_a_terminal_keeps(self) -> None:
        script = "import os, sys; print('busy', end='\\r\\x1b[K'); print(os.get_terminal_size(1).columns, os.isatty(2))"
        self.assertEqual(self.run_in_terminal(script), f"{terminal.COLUMNS} True\n")

    @needs_terminal
    def test_a_command_that_fails_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "status 3: why"):
            self.run_in_terminal("import sys; print('why'); sys.exit(3)")

    def test_lines_appear_one_after_the_other(self) -> None:
        needs("rich")
        sys.path.insert(0, str(folder_of("rich")))
        svg = ElementTree.fromstring(terminal.draw("a title", "command <x>", "\033[32mgreen\033[0m & more\n\nlast\n"))
        texts = [(text.text.replace("\xa0", " "), text.get("style")) for text in svg.iter(f"{SVG}text")]
        self.assertEqual("".join(text for text, _ in texts), "$ command <x>green & morelast")
        delays = [float(re.findall(r"[\d.]+", style)[0]) for _, style in texts]
        self.assertEqual(delays, sorted(delays))
        self.assertEqual(len(set(delays)), 3)


if __name__ == "__main__":
    unittest.main()
