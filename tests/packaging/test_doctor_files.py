# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor FILE`: the device code of files, and whether the driver and the GPUs of a machine load it."""

from __future__ import annotations

import struct
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from build_folder import with_real_libraries
from analysis_support import Folder, artifact, built, reader
from doctor_support import WORKING, Machine, with_core
from test_check_device_code import KERNELS
from test_code_rules import FACTS, cubin, ptx

from anycuda.analysis import device_code, libraries, reading
from anycuda.analysis.kernels import Kernels
from anycuda.analysis.reading_progress import Progress
from anycuda.doctor import devices, files, verdict
from anycuda.doctor.devices import Devices
from anycuda.doctor.findings import Answer, Driver, Findings, Gpu, Library
from anycuda.failure import Failure
from anycuda.matrix import data

HERE = Devices(575, (90,))


def file_of(*codes, here: Devices = HERE, runtimes: dict[str, int] = {}, **found) -> files.File:
    """`found`: fields of a reading."""
    code = Kernels({"a.so": codes} if codes else {}, found.pop("unread", {}), found.pop("damaged", {}))
    return files.examine(reading.Reading("/somewhere/a.so", "file", kernels=code, **found), runtimes, here, FACTS)


def evaluated(*named: files.File, driver: Driver | None = None) -> verdict.Verdict:
    runtime = Library("cudart", "CUDA runtime", "libcudart_stub.so", "ANYCUDA_CUDART", False, ["12"])
    runtime.answers = {"12": Answer("/a/libcudart.so.12", "12.9")}
    works = Driver("/a/libcuda.so.1", "12.9", 575, gpus=[Gpu("one", "9.0", 1)])
    return verdict.evaluate(Findings([runtime], driver or works, []), named)


class Verdicts(unittest.TestCase):
    def test_status_and_line(self):
        loads, fails = file_of(cubin(90, (12, 4))), file_of(cubin(90, (13, 0)))
        unknown, unread = file_of(cubin(90, None)), file_of(problems=[("a.so", "No such file or directory")])
        possible = "CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 12.9, 1 GPU"
        impossible = "CUDA work is not possible for a.so: its device code loads on no GPU of this machine"
        cannot = "a.so cannot be read: No such file or directory"
        for named, status, line in (
                ([loads], 0, f"{possible}; the device code of a.so loads on sm_90."), ([fails], 1, f"{impossible}."),
                ([unknown], 3, f"{possible}; it is unknown whether the device code of a.so loads."),
                ([file_of(unread={"a.so": "no program"})], 3,
                 f"{possible}; it is unknown whether the device code of a.so loads, since it was not read."),
                ([unread], 2, f"{possible}; {cannot}."), ([fails, unknown, unread], 2, None),
                ([loads, fails, unknown], 1, None), ([loads, unknown], 3, None), ([file_of()], 0, f"{possible}.")):
            found = evaluated(*named)
            self.assertEqual(found.status, status)
            self.assertEqual(found.line, line or found.line)
        self.assertFalse(evaluated(fails).is_possible)
        self.assertTrue(evaluated(unread).is_possible)

    def test_machine_without_a_gpu(self):
        none = Driver("/a/libcuda.so.1", "12.9", 575)
        with mock.patch.object(devices.gpus, "facts", return_value=FACTS):
            found = evaluated(file_of(cubin(90, (12, 4)), here=devices.of_driver(none)), driver=none)
        self.assertEqual((found.status, found.line),
                         (1, "CUDA work is not possible: no GPU (the driver works and sees none)."))
        self.assertIs(found.files[0].loads, False)
        self.assertEqual(evaluated(file_of(), driver=none).status, 1)

    def test_one_of_two_gpus_is_enough(self):
        found = file_of(cubin(90, (12, 4)), here=Devices(575, (80, 90)))
        self.assertEqual((found.loads, [reply.loads for reply in found.replies]), (True, [False, True]))
        self.assertTrue(evaluated(found).line.endswith("the device code of a.so loads on sm_90, not on sm_80."))

    def test_linked_in_runtime_counts(self):
        found = file_of(cubin(90, (12, 4)), runtimes={"a.so": 580})
        self.assertIs(found.loads, False)
        self.assertIn("Its static CUDA runtime needs driver 580 or newer.", found.replies[0].reasons)
        self.assertEqual(evaluated(found, file_of(cubin(90, (13, 0)))).line,
                         "CUDA work is not possible for a.so: its static CUDA runtime needs driver 580 or "
                         "newer; CUDA work is not possible for a.so: its device code loads on no GPU of this machine.")

    def test_what_could_not_be_read_is_unknown(self):
        self.assertIsNone(file_of(unread={"a.so": "no program"}).loads)
        self.assertIsNone(file_of(damaged={"a.so": ("at byte 8: size",)}).loads)
        self.assertIsNone(file_of(cubin(90, (12, 4)), damaged={"a.so": ("at byte 8: size",)}).loads)
        self.assertIs(file_of(cubin(90, (13, 0)), damaged={"a.so": ("at byte 8: size",)}).loads, False)

    def test_driver_without_a_branch(self):
        needs = "The device code needs driver 525 or newer."
        for lacking, loads, text in (("", None, f"{needs} The branch of the driver is unknown."),
                                     ("no driver", False, needs)):
            found = file_of(cubin(90, (12, 4)), here=Devices(0, (), lacking))
            (reason,) = found.replies[0].reasons
            self.assertEqual((found.loads, reason), (loads, text))
        self.assertTrue(file_of(here=Devices(0, (), "no driver")).loads)

    def test_ptx_that_the_driver_compiles(self):
        self.assertIs(file_of(ptx(80, (8, 4))).loads, True)
        self.assertIs(file_of(ptx(80, (9, 0))).loads, False)


@with_real_libraries
class Reports(unittest.TestCase):
    """A machine with CUDA runtime 12.9, a driver of CUDA 12.9 and one GPU, an sm_90, on libraries that the build's nvcc
    made for sm_80, with PTX."""

    def machine(self) -> Machine:
        return Machine(self).fake_driver(with_core(WORKING)).wheel("cudart", "12.9")

    def report(self, machine: Machine, *named: object) -> tuple[int, str, str]:
        """(exit status, the sections of device code, the verdict)"""
        done = machine.doctor("--library", "cudart", *map(str, named))
        self.assertEqual(done.stderr, "")
        head, found, sections = done.stdout.partition("Device code of ")
        return done.returncode, found + sections, done.stdout.splitlines()[1]

    def test_device_code_that_loads(self):
        path = KERNELS / "kernels-12.4.so"
        status, section, last = self.report(self.machine(), path)
        self.assertEqual(status, 0, last)
        self.assertTrue(section.startswith(f"Device code of {path}\n  Native code for sm_80. PTX for compute_80, "))
        self.assertIn("\n  sm_90, driver 575: loads. Driver 575 compiles the PTX for sm_90 (compute_80).\n", section)
        self.assertEqual(last, "CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 12.9, 1 GPU; the device "
                               "code of kernels-12.4.so loads on sm_90.")

    def test_device_code_that_is_too_new(self):
        status, section, last = self.report(self.machine(), KERNELS / "kernels-12.4.so", KERNELS / "kernels-13.0.so")
        self.assertEqual((status, section.count("Device code of ")), (1, 2))
        self.assertIn("sm_90, driver 575: does not load. For sm_90 it has only PTX 9.0 (compute_80), which driver 580 "
                      "or newer compiles, not 575. Add sm_90 with nvcc 12.x.", section)
        self.assertEqual(last, "CUDA work is not possible for kernels-13.0.so: its device code loads on no GPU of this "
                               "machine; the device code of kernels-12.4.so loads on sm_90.")

    def test_no_driver(self):
        status, section, last = self.report(Machine(self).wheel("cudart", "12.9"), KERNELS / "kernels-13.0.so")
        self.assertEqual((status, last), (1, "CUDA work is not possible: no driver."))
        self.assertIn("\n  here: does not load. The device code needs driver 580 or newer.\n", section)

    def test_wheel_object_file_and_fatbin(self):
        machine = self.machine()
        wheel = machine.root / "thing-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for release in "12.4", "13.0":
                archive.write(KERNELS / f"kernels-{release}.so", f"thing/{release}.so")
        output = machine.json_report("--library", "cudart", str(wheel), str(KERNELS / "kernels-12.4.o"),
                                     str(KERNELS / "mixed-13.0.fatbin"))
        self.assertEqual((output["status"], output["possible"], output["reasons"]), (1, False, []))
        made, compiled, fatbin = output["files"]
        self.assertEqual([one["loads"] for one in output["files"]], [False, True, False])
        self.assertEqual((made["kind"], made["needs"]["driver"], made["replies"][0]["in_part"]), ("wheel", 580, True))
        self.assertEqual(list(made), ["path", "kind", "problems", "device_code", "needs", "runtime_driver", "replies",
                                      "loads"])
        self.assertEqual([one["name"] for one in made["device_code"]["files"]], ["thing/12.4.so", "thing/13.0.so"])
        self.assertEqual([code["name"] for code in compiled["device_code"]["files"][0]["codes"]],
                         ["sm_80", "compute_80"])
        self.assertTrue(fatbin["replies"][0]["text"].startswith("sm_90, driver 575: does not load. "))

    def test_files_that_are_invalid_or_damaged(self):
        machine = self.machine()
        whole = (KERNELS / "kernels-12.4.so").read_bytes()
        damaged, size_at = bytearray(whole), whole.index(struct.pack("<IHH", 0xBA55ED50, 1, 16)) + 8
        damaged[size_at:size_at + 8] = struct.pack("<Q", 1 << 40)
        for name, content in ("text.so", b"text"), ("half.so", whole[:200]), ("damaged.so", damaged), ("a.whl", b"PK"):
            (machine.root / name).write_bytes(content)
        (machine.root / "pipe.whl").symlink_to("/dev/null")
        for name, text in (("nowhere.so", "No such file or directory"), ("text.so", "ELF"), ("half.so", "truncated"),
                           ("a.whl", "truncated or damaged wheel or zip file"), ("pipe.whl", "not a regular file")):
            status, section, last = self.report(machine, machine.root / name)
            self.assertEqual(status, 2, name)
            self.assertIn(text, section)
            self.assertRegex(last, f"CUDA work is possible: .*; {name} cannot be read: .*{text}")
        status, section, last = self.report(machine, machine.root / "damaged.so")
        self.assertEqual(status, 3)
        self.assertIn("device code was read only in part, so which drivers and GPUs load the rest is unknown: at byte ",
                      section)
        self.assertIn("sm_90, driver 575: cannot tell. Device code was read in part: at byte ", section)
        self.assertTrue(last.endswith("; it is unknown whether the device code of damaged.so loads, since it was "
                                      "read only in part."))

    def test_file_without_device_code(self):
        status, section, last = self.report(self.machine(), "/bin/sh")
        self.assertEqual((status, section), (0, "Device code of /bin/sh\n  It has no device code.\n"))


class Reader(Folder):
    def look(self, path: Path, program) -> files.File:
        with mock.patch.object(data, "find", return_value=built()), \
                mock.patch.object(device_code, "find", side_effect=program):
            libraries.table.cache_clear()
            (found,) = files.read([path], HERE, Progress("doctor"))
            libraries.table.cache_clear()
        return found

    def test_installation_without_the_reader(self):
        found = self.look(Path("/bin/sh"), Failure("anycuda-device-code is missing"))
        self.assertIsNone(found.loads)
        self.assertEqual(evaluated(found).status, 3)
        self.assertEqual(list(found.replies[0].reasons), ["Device code was not read: anycuda-device-code is missing."])

    @with_real_libraries
    def test_static_runtime(self):
        """NVIDIA's, of CUDA 13.0."""
        path = self.compile("static.so", "int cudaFree(void*); int f(void) { return cudaFree(0); }",
                            artifact("nvcc-13.0") / "lib64" / "libcudart_static.a", "-ldl", "-lpthread", "-lrt")
        found = self.look(path, Failure("not asked"))
        self.assertEqual((found.runtime_driver, found.loads), (580, False))

    @with_real_libraries
    def test_folder(self):
        (self.folder / "a.so").write_bytes((KERNELS / "kernels-12.4.so").read_bytes())
        found = self.look(self.folder, lambda: reader())
        self.assertEqual((found.name, found.kind, found.loads), (self.folder.name, "folder", True))


if __name__ == "__main__":
    unittest.main()
