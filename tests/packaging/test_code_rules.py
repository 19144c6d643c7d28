# SPDX-License-Identifier: Apache-2.0
"""The consequences of device code for GPUs and drivers, and the facts behind them (compat/catalogue)."""

from __future__ import annotations

import contextlib
import re
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from anycuda.analysis import code_rules, gpus
from anycuda.analysis.device_code import Code, CodeKind
from doctor_support import ROOT
from generate import gpu_facts, products

CATALOGUE = ROOT / "compat/catalogue"
FACTS = gpus.from_json(gpu_facts.read(CATALOGUE))


def cubin(architecture: int, toolkit: tuple[int, int] | None, target: str = "", **rest) -> Code:
    return Code(CodeKind.CUBIN, architecture, target, None, toolkit, **rest)


def ptx(architecture: int, version: tuple[int, int], target: str = "", **rest) -> Code:
    return Code(CodeKind.PTX, architecture, target, version, None, **rest)


class Targets(unittest.TestCase):
    """Which GPUs code runs on: compat/catalogue/gpus.txt has the sources."""

    def gpus_of(self, code: Code) -> str:
        return " ".join(str(number) for number in FACTS.gpus if code_rules.runs_on(code, number, FACTS))

    def test_a_cubin_runs_on_its_major_from_its_minor_on(self):
        self.assertEqual(self.gpus_of(cubin(80, None)), "80 86 88 89")
        self.assertEqual(self.gpus_of(cubin(86, None)), "86 88 89")
        self.assertEqual(self.gpus_of(cubin(90, None)), "90")
        self.assertEqual(self.gpus_of(cubin(120, None)), "120 121")

    def test_a_cubin_of_tegra_runs_there_only(self):
        self.assertEqual(self.gpus_of(cubin(87, None)), "87")
        self.assertEqual(self.gpus_of(cubin(70, None)), "70 75")

    def test_ptx_runs_on_all_later_gpus(self):
        self.assertEqual(self.gpus_of(ptx(100, (8, 7))), "100 101 103 107 110 120 121")

    def test_a_is_for_one_architecture_and_f_for_a_family(self):
        for make, version in (cubin, None), (ptx, (9, 0)):
            self.assertEqual(self.gpus_of(make(100, version, "a")), "100")
            self.assertEqual(self.gpus_of(make(120, version, "f")), "120 121")
            self.assertEqual(self.gpus_of(make(121, version, "f")), "121")
            self.assertEqual(self.gpus_of(make(100, version, "f")), "100 103 107", "none of Tegra")

    def test_every_code_runs_on_the_gpus_of_the_shared_file(self):
        """The rule of the stubs is held against the same file (tests/device_code/rules/device_code_rule_test.cc)."""
        lines = (ROOT / "tests/device_code/rules/device_code_gpus.txt").read_text(encoding="utf-8").splitlines()
        found = dict(line.split(":") for line in lines if not line.startswith("#"))
        self.assertEqual({name: gpus_.strip() for name, gpus_ in found.items()},
                         {code.name: self.gpus_of(code) for code in self.every_code()})

    @staticmethod
    def every_code() -> list[Code]:
        """Of the catalogue's GPUs, with the targets that compilers have: 90a, 100f."""
        first = {"": 0, "a": 90, "f": 100}
        return [Code(kind, number, target) for kind in (CodeKind.CUBIN, CodeKind.PTX) for target in first
                for number in FACTS.gpus if number >= first[target]]

    def test_lto_ir_runs_on_none(self):
        self.assertEqual(self.gpus_of(Code(CodeKind.LTO_IR, 80)), "")


class Drivers(unittest.TestCase):
    def test_cubins_need_the_first_driver_of_their_major(self):
        for toolkit, driver in (((11, 0), 450), ((11, 8), 450), ((12, 0), 525), ((12, 9), 525), ((13, 5), 580),
                                ((10, 2), 440), ((7, 5), 375), ((14, 0), 0)):
            self.assertEqual(code_rules.driver_for(cubin(80, toolkit), FACTS), driver, toolkit)

    def test_ptx_needs_the_driver_of_its_release(self):
        for version, driver in (((7, 8), 520), ((8, 0), 525), ((8, 5), 555), ((8, 6), 565), ((9, 0), 580), ((9, 5), 0),
                                ((10, 0), 0)):
            self.assertEqual(code_rules.driver_for(ptx(80, version), FACTS), driver, version)

    def test_the_oldest_driver_is_that_of_the_newest_code(self):
        codes = [cubin(80, (12, 4)), cubin(90, (11, 8)), ptx(90, (8, 4))]
        self.assertEqual(code_rules.oldest_driver(codes, CodeKind.CUBIN, FACTS), 525)
        self.assertEqual(code_rules.oldest_driver(codes, CodeKind.PTX, FACTS), 550)
        self.assertEqual(code_rules.oldest_driver([*codes, cubin(80, None)], CodeKind.CUBIN, FACTS), 525)
        self.assertFalse(code_rules.is_known([*codes, cubin(80, None)], CodeKind.CUBIN, FACTS))
        self.assertTrue(code_rules.is_known(codes, CodeKind.CUBIN, FACTS))
        self.assertEqual(code_rules.oldest_driver([], CodeKind.CUBIN, FACTS), 0)

    def test_the_rule_of_the_stubs_is_the_same(self):
        source = (ROOT / "compat/rules/driver_rule.cc").read_text(encoding="utf-8")
        rows = re.findall(r"case (\d+):\s+return (\d+);", source)
        majors = sorted({one.cuda[0] for one in FACTS.releases if one.cuda[0] >= 11})
        self.assertEqual([(major, FACTS.driver_for_major(major)) for major in majors],
                         [(int(major), int(branch)) for major, branch in rows])


class Loading(unittest.TestCase):
    CODES = [cubin(80, (12, 4)), cubin(90, (12, 4)), ptx(90, (8, 4))]

    def answer(self, codes: list[Code], driver: int, gpu: int) -> code_rules.Answer:
        answer = code_rules.loads(codes, driver, gpu, FACTS)
        for sentence in filter(None, (answer.reason, answer.hint)):
            self.assertRegex(sentence, r"^[A-Z].*\.$")
        self.assertEqual(answer.hint != "", answer.loads is False)
        return answer

    def test_cubins_load_by_minor_version_compatibility(self):
        for driver, loads in (450, False), (525, True), (550, True), (580, True), (615, True):
            self.assertIs(self.answer(self.CODES, driver, 80).loads, loads, driver)
        self.assertEqual(self.answer(self.CODES, 550, 86).reason, "Driver 550 loads the cubins for sm_86 (built for "
                         "sm_80).")

    def test_newer_cubins_on_an_older_driver(self):
        answer = self.answer([cubin(80, (13, 0)), ptx(80, (9, 0))], 550, 80)
        self.assertEqual(answer.reason, "The cubins for sm_80 of CUDA 13.0 need driver 580 or newer, not 550.")
        self.assertEqual(answer.hint, "Build device code with nvcc 12.x to serve drivers from 525 on, or install a "
                                      "newer driver.")

    def test_one_newer_cubin_among_older_ones_decides(self):
        self.assertIs(self.answer([*self.CODES, cubin(80, (13, 0))], 550, 80).loads, False)
        self.assertIs(self.answer([*self.CODES, cubin(80, (13, 0))], 550, 90).loads, True)

    def test_ptx_where_a_gpu_has_no_cubin(self):
        self.assertIs(self.answer(self.CODES, 570, 120).loads, True)
        answer = self.answer([cubin(80, (12, 9)), ptx(80, (8, 8))], 550, 90)
        self.assertEqual((answer.loads, answer.reason), (
            False, "For sm_90 it has only PTX 8.8 (compute_80), which driver 575 or newer compiles, not 550."))
        self.assertEqual(answer.hint, "Add sm_90 with nvcc 12.x.")

    def test_a_gpu_without_code(self):
        answer = self.answer([cubin(80, (12, 4)), cubin(90, (12, 4), "a")], 580, 120)
        self.assertEqual(answer.reason, "It has no code for sm_120, only sm_80, sm_90a.")
        self.assertEqual(answer.hint, "Add sm_120 with nvcc 13.x.")
        self.assertEqual(self.answer([cubin(80, (12, 4))], 575, 120).hint, "Add sm_120 with nvcc 12.8 or later 12.x.")

    def test_a_gpu_that_the_newest_compilers_have_dropped(self):
        self.assertEqual(self.answer([cubin(80, (13, 0))], 580, 61).hint, "Add sm_61 with nvcc 12.x.")

    def test_a_driver_that_does_not_know_the_gpu(self):
        self.assertEqual(self.answer(self.CODES, 535, 120).reason,
                         "Driver 535 does not support sm_120: 570 is the first that does.")
        self.assertEqual(self.answer(self.CODES, 590, 61).reason,
                         "Driver 590 does not support sm_61: 580 is the last that does.")

    def test_what_is_not_known_is_not_answered(self):
        self.assertIsNone(self.answer([cubin(80, None)], 550, 80).loads)
        self.assertIsNone(self.answer([Code(CodeKind.LTO_IR, 80)], 550, 80).loads)
        late = self.answer([ptx(80, (9, 5))], 700, 80)
        self.assertEqual((late.loads, late.reason),
                         (None, "Whether driver 700 compiles PTX 9.5 (compute_80) is unknown: this version of anycuda "
                                "knows drivers up to 615."))
        self.assertIs(self.answer([ptx(80, (9, 5))], 615, 80).loads, False)

    def test_code_of_a_kind_that_is_not_read(self):
        other = Code("Tile IR", 0)
        self.assertIsNone(self.answer([other], 580, 90).loads)
        self.assertIsNone(self.answer([cubin(80, (13, 5)), other], 580, 90).loads)
        self.assertIs(self.answer([cubin(90, (13, 0)), other], 580, 90).loads, True)
        self.assertEqual(code_rules.describe([other], FACTS),
                         ["Device code that this version of anycuda cannot read (Tile IR)."])

    def test_drivers_before_13_4_may_not_read_concatenated_entries(self):
        one, text = replace(cubin(90, (13, 4)), concatenated=True), replace(ptx(80, (9, 0)), concatenated=True)
        for code in one, text:
            self.assertIs(self.answer([code], 615, 90).loads, True)
            self.assertIsNone(self.answer([code], 610, 90).loads)
            self.assertIn("are in concatenated entries (nvcc --concat): driver 615 or newer reads them; whether "
                          "driver 610 does is unknown.", self.answer([code], 610, 90).reason)
            self.assertIs(self.answer([code], 570, 90).loads, False)
            late = self.answer([code], 580, 90)
            self.assertEqual((late.loads, late.hint),
                             (False, "Build device code without nvcc --concat, or install a newer driver."))
            self.assertIn(", in concatenated entries (nvcc --concat), ", late.reason)
            self.assertEqual(code_rules.is_served(code, 610, FACTS), False)
            self.assertEqual(code_rules.is_served(code, 615, FACTS), True)
            self.assertEqual((code_rules.driver_for(code, FACTS), code_rules.is_known([code], code.kind, FACTS)),
                             (590, False))
        self.assertIs(self.answer([text, ptx(75, (9, 0))], 580, 90).loads, True)
        self.assertIn("Concatenated entries (nvcc --concat): driver 615 or newer reads them, driver 580 or older does "
                      "not; for drivers in between it is unknown.", code_rules.describe([one], FACTS))
        self.assertIs(code_rules.is_known([replace(ptx(80, (9, 4)), concatenated=True)], CodeKind.PTX, FACTS), True)

    def test_drivers_before_12_4_read_no_zstd(self):
        for code, answer in (
                (cubin(80, (12, 8), compression="zstd"), "The cubins for sm_80 of CUDA 12.8, compressed with "
                 "zstd, need driver 550 or newer, not 545."),
                (ptx(80, (8, 0), compression="zstd"), "For sm_80 it has only PTX 8.0 (compute_80), compressed with "
                 "zstd, which driver 550 or newer compiles, not 545.")):
            self.assertEqual(code_rules.driver_for(code, FACTS), 550)
            self.assertIs(code_rules.loads([code], 550, 80, FACTS).loads, True)
            late = code_rules.loads([code], 545, 80, FACTS)
            self.assertEqual((late.loads, late.reason), (False, answer))
            self.assertIn("--compress-mode=speed", late.hint)
            self.assertIn("Code compressed with zstd (nvcc --compress-mode=size or balance) needs driver 550 or newer.",
                          code_rules.describe([code], FACTS))
            self.assertIs(code_rules.loads([replace(code, compression="lz4")], 545, 80, FACTS).loads, True)
        newer = cubin(80, (13, 0), compression="zstd")
        self.assertEqual(code_rules.driver_for(newer, FACTS), 580)
        self.assertNotIn("zstd", " ".join(code_rules.describe([newer], FACTS)))
        self.assertNotIn("zstd", code_rules.loads([newer], 550, 80, FACTS).reason)
        self.assertEqual(code_rules.driver_for(cubin(80, None, compression="zstd"), FACTS), 0)

    def test_a_file_without_device_code_loads(self):
        self.assertIs(self.answer([], 450, 80).loads, True)

    def test_a_driver_older_than_all_facts(self):
        self.assertEqual(self.answer([cubin(60, (12, 0))], 340, 60).hint, "Install driver 375 or newer.")

    def test_the_description(self):
        self.assertEqual(code_rules.describe([*self.CODES, ptx(90, (8, 4), "a"), Code(CodeKind.LTO_IR, 80)], FACTS), [
            "Native code for sm_80, sm_90.", "PTX for compute_90, which the driver compiles for this and newer GPUs.",
            "PTX for compute_90a, which the driver compiles only for that GPU (a) or GPU family (f).",
            "LTO-IR, which nvcc or nvJitLink links.", "The cubins of CUDA 12.4 need driver 525 or newer.",
            "PTX 8.4 needs driver 550 or newer on GPUs for which the file has no cubin."])
        self.assertEqual(code_rules.describe([], FACTS), [])

    def test_cubins_without_a_cuda_release(self):
        packed = cubin(90, None, compression="lz4", undecompressed=True)
        other = cubin(90, None, compression="zstd", undecompressed=True)
        known, unrecorded = cubin(80, (13, 0)), cubin(80, None, compression="zstd")
        of_both = "lz4 and zstd, and this anycuda was built without liblz4 and libzstd."
        for codes, text in (
                ([unrecorded], "The CUDA release of the cubins is unknown, and so is the driver that they need: "
                 "anycuda found no CUDA release in them."),
                ([known, packed], "The CUDA release of other cubins is unknown, and they may need a newer driver: they "
                 "are compressed with lz4, and this anycuda was built without liblz4."),
                ([known, packed, other], f"they are compressed with {of_both}"),
                ([packed, other, unrecorded], f"some of them are compressed with {of_both}")):
            self.assertIn(text, " ".join(code_rules.describe(codes, FACTS)))


class FactFiles(unittest.TestCase):
    @contextlib.contextmanager
    def catalogue(self, **changed: str):
        with tempfile.TemporaryDirectory() as folder:
            for name in (gpu_facts.RELEASES, gpu_facts.GPUS, gpu_facts.PACKINGS):
                text = changed.get(name[:4], (CATALOGUE / name).read_text(encoding="utf-8"))
                (Path(folder) / name).write_text(text, encoding="utf-8")
            yield Path(folder)

    def test_a_faulty_line_is_named(self):
        for changed, message in (({"cuda": "12.0 8.0\n"}, "cuda_releases.txt:1: "),
                                 ({"gpus": "# x\n90 Hopper\n"}, "gpus.txt:2: "),
                                 ({"cuda": "12.1 8.1 530\n12.0 8.0 525\n"}, "ascending"), ({"gpus": ""}, "ascending"),
                                 ({"pack": "zstd 12.3 -\n"}, "packings.txt:1: "),
                                 ({"pack": "zstd 12.3 12.4\n" * 2}, "one row for zstd and one for concatenated"),
                                 ({"pack": "zstd 12.4 12.3\nconcatenated 13.0 13.4\n"}, "zstd: expected two releases"),
                                 ({"pack": "zstd 12.3 12.4\nconcatenated 13.0 13.5\n"},
                                  "concatenated: expected two releases")):
            with self.subTest(changed=changed), self.catalogue(**changed) as folder:
                with self.assertRaisesRegex(ValueError, re.escape(message)):
                    gpu_facts.read(folder)

    def test_faulty_row_of_a_product(self):
        with tempfile.TemporaryDirectory() as folder:
            for rows, message in (("other cutensor libcutensor\nother libcutensor\n", "products.txt:2: "),
                                  ("other cutensor cutensor\n", "products.txt:1: "),
                                  ("cuda thing liba\nother - libb liba\n", "products.txt: liba is in 2 rows")):
                (Path(folder) / products.FILE).write_text(rows, encoding="utf-8")
                with self.subTest(rows=rows), self.assertRaisesRegex(ValueError, re.escape(message)):
                    products.read(Path(folder))

    def test_newer_releases_have_no_older_ptx_or_driver(self):
        releases = FACTS.releases
        self.assertEqual([one.ptx for one in releases], sorted(one.ptx for one in releases))
        drivers = [one.driver for one in releases if one.driver]
        self.assertEqual(drivers, sorted(set(drivers)))

    def test_a_matrix_without_them_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "matrix.json"
            path.write_text('{"format": 1, "libraries": {}}', encoding="utf-8")
            with self.assertRaisesRegex(gpus.Failure, "belongs to another version of anycuda"):
                gpus.facts(path)


if __name__ == "__main__":
    unittest.main()
