# SPDX-License-Identifier: Apache-2.0
"""`anycuda check` on device code: the needs of files and wheels, --gpu and --driver, --here."""

from __future__ import annotations

import json
import struct
import subprocess
import unittest
import zipfile
from dataclasses import replace
from pathlib import Path
from unittest import mock

from analysis_support import BUILD, Folder, library_file, reader, wheel, with_real_libraries
from doctor_support import COMMAND, ROOT, WORKING, Machine, with_core
from test_code_rules import FACTS, cubin, ptx

from anycuda.analysis import describe_kernels, device_code, kernels
from anycuda.analysis.device_code import Code, CodeKind, DeviceCode
from anycuda.check import describe_verdict, here
from anycuda.check.input_verdict import InputVerdict, VerdictKind
from anycuda.doctor.findings import Driver, Findings, Gpu
from anycuda.failure import Failure

KERNELS = BUILD / "tests/integration/kernels"
# Of nvcc 13.5 --concat.
CONCATENATED = ROOT / "tests/fuzz/corpus/device_code/concatenated_zstd"


def found(*files: list[Code], unread: dict[str, str] | None = None) -> kernels.Kernels:
    return kernels.Kernels({f"{number}.so": tuple(codes) for number, codes in enumerate(files)}, unread or {})


class Needs(unittest.TestCase):
    def driver(self, *files: list[Code]) -> int:
        return kernels.needs(found(*files).files, FACTS).driver

    def test_newest_toolkit_of_all_files(self):
        self.assertEqual(self.driver([cubin(80, (12, 4)), ptx(80, (8, 4))]), 525)
        self.assertEqual(self.driver([cubin(80, (12, 4))], [cubin(90, (13, 0))]), 580)

    def test_ptx_counts_in_a_file_without_cubins(self):
        self.assertEqual(self.driver([ptx(80, (8, 4))], [cubin(80, (12, 4))]), 550)

    def test_unknown_toolkit(self):
        """The others still have their oldest driver."""
        files = [cubin(80, (13, 0)), cubin(90, None)], [cubin(90, None)], [ptx(80, (9, 9))]
        for codes, driver in ((files[:1], 580), (files, 580), (files[1:], 0), (files[2:], 0)):
            needs = kernels.needs(found(*codes).files, FACTS)
            self.assertEqual((needs.driver, needs.unknown), (driver, True), codes)
        self.assertFalse(kernels.needs(found([cubin(80, (13, 0))]).files, FACTS).unknown)
        self.assertIn("needs driver 580, possibly a newer one", describe_verdict.sentence(
            InputVerdict(VerdictKind.FREE, kernels=kernels.needs(found(*files).files, FACTS))))

    def test_static_runtime_before_11_8(self):
        for codes, driver in (([cubin(70, (10, 0)), cubin(75, (10, 2))], 440), ([cubin(70, (9, 0))], 384),
                              ([cubin(80, (11, 3))], 450), ([cubin(70, (10, 0)), cubin(80, (12, 4))], 450),
                              ([ptx(70, (6, 3))], 450), ([cubin(70, None)], 450), ([], 450)):
            self.assertEqual(kernels.driver_of_old_runtime(codes, FACTS), driver, codes)

    def test_lto_ir_needs_no_driver(self):
        self.assertIsNone(kernels.needs(found([Code(CodeKind.LTO_IR, 80)]).files, FACTS))


class OnDrivers(unittest.TestCase):
    def lines(self, *files: list[Code], branches: tuple[int, ...]) -> list[str]:
        return list(map(describe_kernels.on_drivers, kernels.on_drivers(found(*files).files, branches, FACTS)))

    def test_gpu_that_the_driver_does_not_support(self):
        codes = [cubin(number, (12, 8)) for number in (80, 90, 120)]
        self.assertEqual(self.lines(codes, branches=(520, 525, 550, 570, 580)), [
            "on runtimes up to CUDA 11 with driver 520: no kernel loads",
            "on runtimes up to CUDA 12 with driver 525-550: kernels for sm_80, sm_90 load; "
            "those for sm_120 do not load",
            "on runtimes up to CUDA 12 with driver 570: all kernels load",
            "on runtimes up to CUDA 13 with driver 580: all kernels load"])

    def test_every_file_with_cubins_for_a_gpu_counts(self):
        self.assertEqual(self.lines([cubin(80, (12, 4))], [cubin(80, (13, 0)), cubin(90, (12, 4))], branches=(550,)), [
            "on runtimes up to CUDA 12 with driver 550: kernels for sm_90 load; "
            "those for sm_80 load in some files only"])

    def test_files_for_several_cudas(self):
        files = ([cubin(75, (11, 8)), cubin(80, (11, 8))], [cubin(75, (12, 4))],
                 [cubin(75, (13, 0)), cubin(100, (13, 0))])
        start = "on runtimes up to CUDA"
        self.assertEqual(self.lines(*files, branches=(520, 550, 570, 580)), [
            f"{start} 11 with driver 520: kernels for sm_80 load; those for sm_75 load in some files only; "
            "those for sm_100 do not load",
            f"{start} 12 with driver 550-570: kernels for sm_80 load; those for sm_75 load in some files only; "
            "those for sm_100 do not load",
            f"{start} 13 with driver 580: all kernels load"])
        self.assertEqual(self.lines(*([cubin(80, one)] for one in ((12, 4), (13, 0))), branches=(550,)), [
            f"{start} 12 with driver 550: kernels for sm_80 load in some files only"])

    def test_cubins_of_several_toolkits_in_a_file(self):
        codes = [cubin(90, (12, 9)), cubin(90, (13, 1))]
        self.assertEqual(self.lines(codes, branches=(520, 550, 590)), [
            "on runtimes up to CUDA 11 with driver 520: no kernel loads",
            "on runtimes up to CUDA 12 with driver 550: some kernels load, "
            "but for each GPU at least one kernel does not",
            "on runtimes up to CUDA 13 with driver 590: all kernels load"])

    def test_cubins_of_an_unknown_toolkit_are_not_reported_as_failing(self):
        start = "on runtimes up to CUDA 12 with driver 550: "
        unknown = "it is unknown whether the kernels for sm_90 load"
        for codes, text in (([cubin(80, (12, 4))], "kernels for sm_80 load; "), ([], ""),
                            ([cubin(61, (12, 4)), cubin(80, (13, 0))],
                             "kernels for sm_61 load; those for sm_80 do not load; ")):
            self.assertEqual(self.lines([*codes, cubin(90, None)], branches=(550,)), [start + text + unknown])
        both = [cubin(90, None)], [cubin(90, (13, 0))]
        self.assertEqual(self.lines(*both, branches=(550,)), [f"{start}no kernel loads"])

    def test_unknown_outcome_has_its_cause_and_files(self):
        concatenated = replace(cubin(90, (13, 0)), concatenated=True)
        for codes, branch, cause in (
                (cubin(90, None), 550, "the CUDA release that made their cubins is unknown"),
                (concatenated, 590, "their cubins are in concatenated entries (nvcc --concat), which driver 590 may "
                                    "not read")):
            files = found([cubin(80, (12, 4))], [codes]).files
            (one,) = kernels.on_drivers(files, (branch,), FACTS)
            causes = kernels.why_unknown(files, one, FACTS)
            self.assertEqual(causes, {cause: ["1.so"]})
            text = f"it is unknown whether the kernels for sm_90 load, since {cause}"
            self.assertTrue(describe_kernels.on_drivers(one, True, False, causes).endswith(f"load; {text}"))
            self.assertTrue(describe_kernels.on_drivers(one, True, True, causes).endswith(f"{text} (in 1.so)"))

    def test_unread_device_code_is_not_counted_as_loading(self):
        for toolkit, text in ((12, 4), "all kernels that were read load"), ((13, 0), "no kernel that was read loads"):
            (one,) = kernels.on_drivers(found([cubin(80, toolkit)]).files, (550,), FACTS)
            self.assertTrue(describe_kernels.on_drivers(one, False).endswith(f": {text}"))

    def test_ptx_compiles_later_than_cubins_load(self):
        self.assertEqual(self.lines([cubin(80, (12, 4)), ptx(80, (8, 4))], branches=(535, 550)), [
            "on runtimes up to CUDA 12 with driver 535: all kernels load",
            "on runtimes up to CUDA 12 with driver 550: all kernels load; PTX for compute_80 compiles"])

    def test_newer_gpus_without_code(self):
        self.assertEqual(kernels.uncovered(found([cubin(80, (12, 4)), cubin(90, (12, 4))]).files, FACTS),
                         [100, 103, 120, 121])
        self.assertEqual(kernels.uncovered(found([cubin(80, (12, 8)), cubin(120, (12, 8))]).files, FACTS),
                         [90, 100, 103])
        self.assertEqual(kernels.uncovered(found([cubin(80, (12, 4)), ptx(80, (8, 4))]).files, FACTS), [])


class Replies(unittest.TestCase):
    def reply(self, known: kernels.Kernels, gpu: int, driver: int, runtimes: dict[str, int] = {}) -> kernels.Reply:
        return kernels.reply(known, gpu, driver, runtimes, FACTS)

    def test_gpu_with_any_driver(self):
        known = found([cubin(61, (12, 4)), cubin(120, (12, 8))])
        for gpu, loads, reason in ((120, True, "drivers from 570 on"), (61, True, "drivers from 525 to 580"),
                                   (90, False, "It has no code for sm_90, only sm_61, sm_120.")):
            reply = self.reply(known, gpu, 0)
            self.assertEqual(reply.loads, loads)
            self.assertIn(reason, describe_kernels.reply(reply))

    def test_driver_with_any_gpu(self):
        known = found([cubin(80, (12, 8)), cubin(120, (12, 8))])
        self.assertEqual(describe_kernels.reply(self.reply(known, 0, 550)),
                         "driver 550: loads. Driver 550 loads its code for sm_80; the driver does not support sm_120.")
        self.assertIs(self.reply(known, 0, 520).loads, False)

    def test_driver_that_dropped_every_gpu_that_code_is_for(self):
        for codes, loads in (([ptx(60, (6, 0))], True), ([cubin(61, (12, 0)), ptx(61, (8, 0))], True),
                             ([cubin(61, (12, 0))], False), ([ptx(60, (9, 5))], False)):
            self.assertIs(self.reply(found(codes), 0, 590).loads, loads, codes)

    def test_part_of_the_files(self):
        reply = self.reply(found([cubin(80, (12, 8))], [cubin(90, (12, 8), "a")]), 80, 550)
        self.assertEqual((reply.loads, reply.in_part), (False, True))
        self.assertRegex(describe_kernels.reply(reply), r"^sm_80, driver 550: loads in part\. 0\.so: .* 1\.so: It has")

    def test_unread_file_leaves_it_open_unless_another_fails(self):
        unread = {"b.so": "no program"}
        for toolkit, loads in (((12, 8), None), ((13, 0), False)):
            self.assertIs(self.reply(found([cubin(80, toolkit)], unread=unread), 80, 550).loads, loads)
        reply = self.reply(found(unread=unread), 80, 550)
        for of_several, name in (False, ""), (True, "b.so: "):
            self.assertEqual(describe_kernels.reply(reply, of_several),
                             f"sm_80, driver 550: cannot tell. {name}Device code was not read: no program.")

    def test_damaged_code_leaves_it_open_unless_another_fails(self):
        problems = {"0.so": ("at byte 16: too short",)}
        for codes, loads in (([cubin(80, (12, 8))], None), ([cubin(80, (13, 0))], False), ([], None)):
            known = kernels.Kernels({"0.so": tuple(codes)} if codes else {}, {}, problems)
            self.assertIs(self.reply(known, 80, 550).loads, loads)
        self.assertIn("Device code was read in part: at byte 16: too short.",
                      describe_kernels.reply(self.reply(known, 80, 550)))

    def test_linked_in_runtime_needs_a_driver(self):
        self.assertTrue(self.reply(found(), 80, 550, {"0.so": 525}).loads)
        reply = self.reply(found([cubin(80, (11, 8))]), 80, 520, {"0.so": 525})
        self.assertEqual((reply.loads, reply.in_part), (False, False))
        self.assertIn("Its static CUDA runtime needs driver 525", describe_kernels.reply(reply))
        reply = self.reply(found([cubin(80, (11, 8))]), 80, 0, {"0.so": 525})
        self.assertIn("drivers from 525 on", describe_kernels.reply(reply))

    def test_files_with_linked_in_runtimes(self):
        """A file for each CUDA: each needs the driver for its own runtime."""
        known, runtimes = found([cubin(80, (11, 8))], [cubin(80, (12, 4))]), {"0.so": 450, "1.so": 525, "2.so": 580}
        for driver, loads, in_part in ((450, False, True), (520, False, True), (550, False, True), (580, True, False)):
            reply = self.reply(known, 80, driver, runtimes)
            self.assertEqual((reply.loads, reply.in_part), (loads, in_part), driver)
        self.assertEqual(self.reply(known, 80, 550, runtimes).reasons[
            "Its static CUDA runtime needs driver 580 or newer."], ["2.so"])
        self.assertFalse(self.reply(known, 80, 410, runtimes).in_part)
        self.assertIs(self.reply(found(), 80, 550, {"0.so": 580}).loads, False)

    def test_very_many_kinds_are_damage(self):
        known = found()
        known.add("a.so", DeviceCode(tuple(cubin(number, None) for number in range(1, 600))))
        self.assertEqual(known.files, {})
        self.assertIn("damaged", known.unread["a.so"])


@with_real_libraries
class Command(Folder):
    """On libraries that the build's nvcc made for sm_80, with PTX."""

    def file(self, release: str) -> Path:
        return KERNELS / f"kernels-{release}.so"

    def made_wheel(self, **files: Path) -> Path:
        path = self.folder / "thing-1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, file in files.items():
                archive.write(file, f"thing/{name}.so")
        return path

    def embedded(self, fatbin: Path) -> list[str]:
        """An assembly file that includes it, for the compiler."""
        path = self.folder / "embedded.s"
        path.write_text(f'.section .nv_fatbin, "a"\n.balign 8\n.incbin "{fatbin}"\n'
                        '.section .note.GNU-stack, "", %progbits\n')
        return ["-x", "assembler", str(path)]

    def last(self, *arguments: object) -> tuple[int, str]:
        status, out, err = self.check(*arguments)
        self.assertEqual(err, "")
        return status, out.splitlines()[-1]

    def test_verdict_has_the_driver(self):
        for release, driver in ("11.8", 450), ("12.4", 525), ("13.0", 580):
            self.assertEqual(self.last(self.file(release)),
                             (0, f"verdict: free; device code of CUDA {release}: needs driver {driver}"))

    def test_cuda_without_a_driver_that_loads_it_fails(self):
        path = self.file("13.0")
        for arguments, status in ((("--runtime", "12"), 1), (("--runtime", "12,13"), 1), (("--runtime", "11.8,13"), 1),
                                  (("--runtime", "13"), 0), (("--runtime", "550"), 1), ((), 0),
                                  (("--runtime", "12,13", "--driver", "580"), 0),
                                  (("--runtime", "580"), 0), (("--runtime", "12", "--driver", "580"), 0),
                                  (("--runtime", "12", "--allow", "device_code"), 0),
                                  (("--runtime", "12", "--library", "cudart"), 0)):
            self.assertEqual(self.check(path, *arguments)[0], status, arguments)
        self.assertEqual(self.last(path, "--runtime", "12")[1],
                         "verdict: free; device code of CUDA 13.0: needs driver 580; "
                         "device code does not load with driver 525-575")
        self.assertTrue(self.last(path, "--runtime", "11.8,12,13")[1].endswith("not load with driver 450-575"))

    def test_first_line_without_runtime_names_cudas_with_old_drivers(self):
        for release, ending in (("13.0", "; its device code needs driver 580, newer than the drivers of CUDA 11-12"),
                                ("12.4", "; its device code needs driver 525, newer than the drivers of CUDA 11"),
                                ("11.8", "; its device code needs driver 450")):
            self.assertTrue(self.check(self.file(release))[1].splitlines()[0].endswith(f"13.5{ending}"), release)

    def test_cubin_of_an_unknown_toolkit_beside_one_of_cuda_13(self):
        known = device_code.of_file(self.file("13.0"), reader())
        beside = replace(known, codes=(*known.codes, cubin(90, None)))
        unknown = replace(known, codes=tuple(replace(code, toolkit=None) for code in known.codes))
        verdict = "verdict: free; device code of CUDA 13.0: needs driver 580, possibly a newer one"
        for codes, arguments, status, line in (
                (beside, ("--runtime", "12"), 1, f"{verdict}; device code does not load with driver 525-575"),
                (beside, ("--runtime", "13"), 3, f"{verdict}; whether its device code loads is unknown"),
                (beside, ("--driver", "550", "--gpu", "90"), 3, None), (beside, (), 0, verdict),
                (unknown, ("--runtime", "12"), 3, "verdict: free; device code: the driver that it needs is unknown; "
                                                  "whether its device code loads is unknown")):
            with mock.patch.object(device_code, "of_file", return_value=codes):
                found_status, last = self.last(self.file("13.0"), *arguments)
            self.assertEqual((found_status, last), (status, line or last), arguments)

    def test_first_line_names_the_cause_of_an_unknown_driver(self):
        known = device_code.of_file(self.file("13.0"), reader())
        packed = cubin(90, None, compression="lz4", undecompressed=True)
        for code, cause in ((packed, ": some cubins are compressed, and this anycuda was built without liblz4"),
                            (cubin(90, None), "")):
            with mock.patch.object(device_code, "of_file", return_value=replace(known, codes=(*known.codes, code))):
                lines = self.check(self.file("13.0"))[1].splitlines()
            self.assertTrue(lines[0].endswith(f"newer than the drivers of CUDA 11-12; possibly a newer one{cause}"),
                            lines[0])
            hint = ("  To see which driver the compressed cubins need, install liblz4 (Debian package liblz4-dev) and "
                    "build anycuda again, or install anycuda's wheel, which reads these cubins.")
            self.assertEqual(hint in lines, code is packed)

    def test_static_runtime_before_11_8_beside_cubins_of_cuda_10(self):
        code = DeviceCode((cubin(70, (10, 0)),))
        path = self.compile("old.so", 'const char* f(void) { return "/cudart.shm.x"; }')
        with mock.patch.object(device_code, "of_file", return_value=code):
            for arguments, status in ((), 0), (("--runtime", "520"), 0), (("--runtime", "13"), 0):
                found_status, line = self.last(path, *arguments)
                self.assertEqual((found_status, line), (status, "verdict: static runtime older than 11.8: needs driver "
                                                                "410; device code of CUDA 10.0: needs driver 410"))

    def test_what_to_do(self):
        self.assertIn("Build device code with nvcc 12.x to serve drivers from 525 on", self.check(self.file("13.0"))[1])
        self.assertNotIn("Build device code", self.check(self.file("12.4"))[1])

    def test_questions(self):
        for release, arguments, status, start in (
                ("12.4", ("--gpu", "sm_80", "--driver", "525"), 0, "sm_80, driver 525: loads. "),
                ("12.4", ("--gpu", "9.0", "--driver", "525.60.13"), 1, "sm_90, driver 525: does not load. "),
                ("12.4", ("--gpu", "120"), 0, "sm_120: loads. It loads with drivers from 570 on."),
                ("13.0", ("--driver", "550"), 1, "driver 550: does not load. "),
                ("13.0", ("--gpu", "75"), 1, "sm_75: does not load. It has no code for sm_75")):
            found_status, line = self.last(self.file(release), *arguments)
            self.assertEqual(found_status, status, arguments)
            self.assertTrue(line.startswith(start), line)

    def test_each_combination_has_its_line(self):
        status, out, _ = self.check(self.file("12.4"), "--gpu", "80,90", "--driver", "525,550")
        self.assertEqual((status, [line.split(".")[0] for line in out.splitlines()[-4:]]), (1, [
            "sm_80, driver 525: loads", "sm_90, driver 525: does not load",
            "sm_80, driver 550: loads", "sm_90, driver 550: loads"]))

    def test_object_file_and_fatbin_can_be_asked_about(self):
        self.assertEqual(self.check(KERNELS / "kernels-12.4.o", "--driver", "550")[0], 0)
        self.assertEqual(self.check(KERNELS / "kernels-12.4.o")[0], 2)  # its calls cannot be checked
        self.assertEqual(self.last(KERNELS / "mixed-13.0.fatbin"),
                         (0, "verdict: device code of CUDA 13.0: needs driver 580"))
        self.assertEqual(self.check(KERNELS / "lto-13.0.fatbin", "--gpu", "80")[0], 3)

    def test_wheel_with_files_of_several_compilers(self):
        path = self.made_wheel(a=self.file("12.4"), b=self.file("12.4"), c=self.file("13.0"))
        status, out, _ = self.check(path)
        self.assertEqual((status, out.splitlines()[-1]),
                         (0, "verdict: free; device code of CUDA 12.4, 13.0: needs driver 525 to 580, depending on the "
                             "file"))
        self.assertTrue(out.splitlines()[0].endswith(
            "; its device code needs driver 525 to 580, depending on the file, newer than the drivers of CUDA 11"))
        in_part, by_file = "device code loads in part with driver 525-575", "depending on the file"
        for arguments, status, ending in (
                (("12",), 1, in_part), (("12", "--allow", "in_part"), 0, by_file), (("13",), 0, by_file),
                (("11.8,12",), 1, f"{in_part.replace('loads', 'does not load with driver 450-520 and loads')}"),
                (("11.8,12", "--allow", "in_part"), 1, "device code does not load with driver 450-520"),
                (("550",), 1, in_part.replace("525-575", "550")), (("550", "--allow", "in_part"), 0, by_file)):
            found_status, line = self.last(path, "--runtime", *arguments)
            self.assertEqual(found_status, status, arguments)
            self.assertTrue(line.endswith(ending), line)
        self.assertEqual(out.count("Native code for sm_80"), 2)
        self.assertIn("thing/a.so, thing/b.so: Native code for sm_80. PTX for compute_80", out)
        self.assertEqual(self.check(path, "--gpu", "80", "--driver", "550")[0], 1)
        self.assertEqual(self.check(path, "--gpu", "80", "--driver", "550", "--allow", "in_part")[0], 0)

    def test_wheel_starts_the_program_once_while_there_is_room(self):
        files = {name: self.file(release) for name, release in (("a", "12.4"), ("b", "13.0"), ("c", "12.4"))}
        path, size = self.made_wheel(**files), self.file("12.4").stat().st_size
        outputs, runs, real = set(), [], device_code._run

        def run(program: Path, paths: list[Path]) -> subprocess.CompletedProcess[bytes]:
            runs.append((len(paths), len(list(paths[0].parent.iterdir()))))
            return real(program, paths)

        for budget, most, expected in (
                (1 << 26, 32, [(3, 3)]), (1 << 26, 2, [(2, 2), (1, 1)]), (size * 5 // 2, 32, [(2, 2), (1, 1)]),
                (1, 32, [(1, 1)] * 3)):
            runs.clear()
            with mock.patch.object(device_code, "_run", run), mock.patch.object(device_code, "MOST_FILES", most), \
                    mock.patch.object(device_code, "_MOST_BYTES", budget):
                outputs.add(self.check(path))
            self.assertEqual(runs, expected, (budget, most))
        self.assertEqual(len(outputs), 1)

    def test_file_of_a_wheel_over_which_the_program_fails(self):
        bad = self.folder / "bad.so"
        bad.write_bytes(self.file("13.0").read_bytes() + b"bad")
        path, real = self.made_wheel(a=self.file("12.4"), b=bad, c=self.file("11.8")), device_code._run

        def run(program: Path, paths: list[Path]) -> subprocess.CompletedProcess[bytes]:
            fails = any(one.read_bytes().endswith(b"bad") for one in paths)
            return subprocess.CompletedProcess([], -11, b"", b"") if fails else real(program, paths)

        with mock.patch.object(device_code, "_run", run):
            (one,) = json.loads(self.check("--json", path)[1])["inputs"]
        code = one["device_code"]
        self.assertEqual([file["name"] for file in code["files"]], ["thing/a.so", "thing/c.so"])
        self.assertEqual([file["file"] for file in code["unread"]], ["thing/b.so"])
        self.assertEqual([file["name"] for file in one["files"]], ["thing/a.so", "thing/b.so", "thing/c.so"])
        with mock.patch.object(device_code, "_run", run):
            status, out, _ = self.check(path, "--runtime", "12")
        self.assertEqual(status, 3)
        self.assertIn("thing/b.so: device code was not read, so which drivers and GPUs load it is unknown: "
                      "anycuda-device-code crashed on the file (", out)
        self.assertIn("all kernels that were read load", out)
        self.assertTrue(out.splitlines()[-1].endswith(
            "; whether its device code loads is unknown, since that of thing/b.so was not read"))

    def test_json(self):
        _, out, _ = self.check("--json", self.file("12.4"), "--gpu", "90", "--driver", "525")
        whole = json.loads(out)
        (one,) = whole["inputs"]
        self.assertEqual((whole["status"], whole["asked"]["gpus"], whole["asked"]["branches"]), (1, [90], [525]))
        (file,) = one["device_code"]["files"]
        self.assertEqual([(code["name"], code["toolkit"], code["ptx"]) for code in file["codes"]],
                         [("sm_80", [12, 4], None), ("compute_80", None, [8, 4])])
        self.assertEqual(one["device_code"]["drivers"], [
            {"drivers": [525], "cuda": 12, "native": ["sm_80"], "compiled": [], "fails": [], "hint": "",
             "unknown": [], "some": False, "in_part": []}])
        self.assertEqual(one["verdict"]["device_code"], {"driver": 525, "toolkits": ["12.4"], "ptx": [],
                                                         "unknown": False, "least": 525})
        (reply,) = one["replies"]
        self.assertEqual((reply["gpu"], reply["driver"], reply["loads"]), (90, 525, False))

    def test_without_the_reader(self):
        lacking = mock.patch("analysis_support.reader", side_effect=Failure("anycuda-device-code is missing"))
        with lacking:
            status, out, err = self.check(self.file("13.0"))
            self.assertEqual((status, err), (0, ""))
            self.assertIn("device code was not read, so which drivers and GPUs load it is unknown: "
                          "anycuda-device-code is missing", out)
            status, line = self.last(self.file("13.0"), "--driver", "550")
            self.assertEqual((status, line), (3, "driver 550: cannot tell. Device code was not read: "
                                                 "anycuda-device-code is missing."))
            self.assertEqual(self.last(self.file("13.0"), "--runtime", "12"),
                             (3, "verdict: free; whether its device code loads is unknown, since it was not read"))
            for arguments in ("nccl-2.28",), ("12", "--allow", "device_code"), ("12", "--library", "cudart"):
                self.assertEqual(self.check(self.file("13.0"), "--runtime", *arguments)[0], 0, arguments)

    def test_reader_that_does_not_end(self):
        program = self.folder / "program"
        program.write_text("#!/bin/sh\nexec sleep 60\n")
        program.chmod(0o755)
        with mock.patch("analysis_support.reader", return_value=program), mock.patch.object(device_code, "_LIMIT", 0.1):
            status, line = self.last(self.file("13.0"), "--driver", "550")
        self.assertEqual(status, 3)
        self.assertIn("did not finish", line)

    def test_damaged_device_code(self):
        content = bytearray(self.file("12.4").read_bytes())
        size_at = content.index(struct.pack("<IHH", 0xBA55ED50, 1, 16)) + 8
        content[size_at:size_at + 8] = struct.pack("<Q", 1 << 40)
        path = self.folder / "damaged.so"
        path.write_bytes(content)
        status, out, err = self.check(path)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("device code was read only in part, so which drivers and GPUs load the rest is unknown: at byte ",
                      out)
        for arguments, line in (
                (("--driver", "550"), r"^driver 550: cannot tell\. Device code was read in part: at byte \d+: "),
                (("--gpu", "80"), r"^sm_80: cannot tell\. Device code was read in part: "),
                (("--runtime", "12"), "^verdict: free; device code of CUDA 12.4: needs driver 525, "
                                      "possibly a newer one; whether its device code loads is unknown, since it was "
                                      "read only in part$")):
            status, last = self.last(path, *arguments)
            self.assertEqual(status, 3, arguments)
            self.assertRegex(last, line)

    def test_ptx_and_fatbins_in_wheels_and_folders(self):
        text = b"// of a compiler\n.version 9.0\n.target sm_100\n.address_size 64\n"
        fatbin = (KERNELS / "mixed-13.0.fatbin").read_bytes()
        for name, content, driver in (("k.ptx", text, 580), ("k.fatbin", fatbin, 580), ("data", fatbin, 580),
                                      ("asm.txt", text[text.index(b"."):], 580)):
            place = self.folder / f"in-{name}"
            place.mkdir()
            (place / name).write_bytes(content)
            path = self.folder / f"{name.partition('.')[0]}-1-py3-none-any.whl"
            with zipfile.ZipFile(path, "w") as archive:
                archive.write(place / name, f"thing/{name}")
            for one in place, path:
                self.assertEqual(self.check(one, "--driver", "550")[0], 1, name)
                self.assertRegex(self.last(one)[1], f"^verdict: device code .*: needs driver {driver}$")

    def test_empty_ptx_file_is_ignored_damaged_fatbin_is_reported(self):
        fatbin = (KERNELS / "mixed-13.0.fatbin").read_bytes()
        for name, content, status, text in (
                ("a.ptx", b"nothing", 0, "loads. It has no device code."), ("b.ptx", b"", 0, "It has no device code."),
                ("c.fatbin", fatbin[:40], 3, "Device code was read in part: "),
                ("d.fatbin", fatbin[:4], 0, "It has no device code.")):
            place = self.folder / name.partition(".")[0]
            place.mkdir()
            (place / name).write_bytes(content)
            found_status, line = self.last(place, "--driver", "550")
            self.assertEqual(found_status, status, name)
            self.assertIn(text, line)
        self.assertIn("a.ptx: skipped (neither PTX nor a fatbin)", self.check(self.folder / "a")[1])
        (self.folder / "b" / "style.css").write_text(".vertical { color: red }")
        self.assertNotIn("style.css", self.check(self.folder / "b")[1])

    def test_truncated_library_is_not_read_for_the_cubin_in_it(self):
        content = self.file("12.4").read_bytes()
        at = content.index(bytes([0x7F]) + b"ELF", 64)  # of the cubin in it
        path = self.folder / "truncated.so"
        path.write_bytes(content[:at + 4096])
        self.assertTrue(device_code.of_file(path, reader()).codes)
        for arguments in (), ("--driver", "550"), ("--runtime", "12"):
            status, out, err = self.check(path, *arguments)
            self.assertEqual((status, err), (2, ""))
            self.assertIn("truncated.so: truncated: a segment ends at byte", out)
        status, out, _ = self.check(self.made_wheel(a=path, b=self.file("12.4")))
        self.assertEqual((status, out.count("thing/a.so")), (2, 1))

    def test_program_without_a_dynamic_section_has_device_code(self):
        path = self.compile("static", "int main(void) { return 0; }", "-static", "-no-pie",
                            *self.embedded(KERNELS / "mixed-12.4.fatbin"))
        self.assertEqual(self.last(path, "--driver", "550")[0], 0)

    def test_device_code_of_another_kind(self):
        """As a later compiler may write them."""
        content = bytearray(self.file("12.4").read_bytes())
        start = content.index(struct.pack("<IHH", 0xBA55ED50, 1, 16))
        at, end = start + 16, start + 16 + struct.unpack_from("<Q", content, start + 8)[0]
        while at < end:
            struct.pack_into("<H", content, at, 512)
            at += sum(struct.unpack_from("<IQ", content, at + 4))
        path = self.folder / "other.so"
        path.write_bytes(content)
        status, out, err = self.check(path)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("Device code that this version of anycuda cannot read (kind 512).", out)
        for arguments in (), ("--gpu", "80"), ("--driver", "580"), ("--gpu", "80", "--driver", "580"), (
                "--runtime", "12"):
            self.assertEqual(self.check(path, *arguments)[0], 3 if arguments else 0, arguments)

    def test_concatenated_entries(self):
        path = self.compile("concatenated", "int unused;", "-shared", *self.embedded(CONCATENATED))
        status, line = self.last(path)
        verdict = "verdict: device code of CUDA 13.5: needs driver 590, possibly a newer one"
        self.assertEqual((status, line), (0, verdict))
        for driver, status, text in (("580", 1, "does not load"), ("590", 3, "cannot tell"), ("615", 0, "loads")):
            found_status, line = self.last(path, "--gpu", "90", "--driver", driver)
            self.assertEqual((found_status, line.split(". ")[0]), (status, f"sm_90, driver {driver}: {text}"))

    def test_real_wheel(self):
        for gpu, status, text in ("90", 0, "loads. Driver 550 loads"), ("120", 1, "does not load. Driver 550"):
            found_status, line = self.last(wheel("mooncake"), "--gpu", gpu, "--driver", "550")
            self.assertEqual(found_status, status)
            self.assertTrue(line.startswith(f"sm_{gpu}, driver 550: {text}"), line)

    def test_libraries_of_cuda(self):
        for name, release, driver in (("nvjpeg", "11.8", 450), ("nvjpeg", "12.9", 525), ("nvjpeg", "13.5", 580)):
            out = self.check(library_file(name, release))[1]
            self.assertRegex(out.splitlines()[-1], fr"device code of CUDA [\d., ]+: needs driver {driver}$")


class Values(Folder):
    def test_value_that_is_not_a_gpu_or_a_driver(self):
        for arguments, text in ((("--gpu", "sm_9"), "--gpu sm_9 is not a GPU architecture"),
                                (("--gpu", "hopper"), "use the form sm_90"),
                                (("--driver", "12.4"), "--driver 12.4 is not a driver version"),
                                (("--driver", ""), "is not a driver version"),
                                (("--gpu", "9" * 400), "is not a GPU architecture"),
                                (("--gpu", "130"),
                                 "--gpu 130: this version of anycuda does not know sm_130, only sm_35, "),
                                (("--here", "--driver", "550"), "--here excludes --runtime, --gpu and --driver")):
            status, out, err = self.check("/bin/sh", *arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertIn(text, err)

    def test_here_without_the_doctors_library(self):
        with mock.patch.object(here.questions, "find_asker", side_effect=Failure("libanycuda_doctor.so is missing")):
            status, out, err = self.check("/bin/sh", "--here")
        self.assertEqual((status, err), (3, ""))
        self.assertEqual(out.splitlines()[-1], "here: cannot tell whether it runs. This machine could not be examined: "
                                               "libanycuda_doctor.so is missing.")


class Facts(unittest.TestCase):
    def test_driver_without_branch_counts_as_its_cudas_oldest(self):
        gpu = Gpu("one", "9.0", 1)
        with mock.patch.object(here.gpus, "facts", return_value=FACTS):
            for branch, cuda, expected in ((0, "12.4", 550), (535, "12.4", 535), (0, "", 0)):
                machine = here.from_findings(Findings([], Driver("libcuda.so.1", cuda, branch, gpus=[gpu]), []))
                self.assertEqual((machine.branch, machine.gpus, machine.lacking), (expected, (90,), ""))


@with_real_libraries
class ThisMachine(unittest.TestCase):
    """Machines with a driver of CUDA 12.9 and one GPU, an sm_90."""

    def ask(self, machine: Machine, release: str) -> tuple[int, str]:
        done = machine.run([machine.python, COMMAND, "check", KERNELS / f"kernels-{release}.so", "--here"])
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()[-1]

    def with_driver(self) -> Machine:
        return Machine(self).fake_driver(with_core(WORKING))

    def test_driver_gpu_and_runtime(self):
        machine = self.with_driver().wheel("cudart", "12.9")
        status, line = self.ask(machine, "12.4")
        self.assertEqual(status, 0, line)
        self.assertIn("here: runs. Driver 575 compiles the PTX for sm_90 (compute_80). This machine has CUDA runtime "
                      "12.9: ", line)
        status, line = self.ask(machine, "13.0")
        self.assertEqual(status, 1)
        self.assertIn("here: does not run. For sm_90 it has only PTX 9.0", line)

    def test_no_runtime(self):
        status, line = self.ask(self.with_driver(), "12.4")
        self.assertEqual(status, 1)
        self.assertIn("here: does not run. This machine has no usable CUDA runtime", line)

    def test_no_driver(self):
        status, line = self.ask(Machine(self).wheel("cudart", "12.9"), "13.0")
        self.assertEqual((status, line), (1, "here: does not run. This machine has no driver. "
                                             "The device code needs driver 580 or newer."))


if __name__ == "__main__":
    unittest.main()
