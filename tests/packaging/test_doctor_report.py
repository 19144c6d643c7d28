# SPDX-License-Identifier: Apache-2.0
"""What `anycuda doctor` makes of what was found: the verdict, what would help, words, and how it looks. No
build and no library is needed, but for the terminal's own tests."""

import json
import os
import pty
import re
import subprocess
import sys
import tomllib
import unittest
from unittest import mock

from build_folder import with_real_libraries
from doctor_support import COMMAND, ROOT, Machine
from matrix_support import built

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda import terminal  # noqa: E402
from anycuda.matrix import data  # noqa: E402
from anycuda.doctor import (as_json, doctor_report, environment, findings,  # noqa: E402
                            hints, machine, packages, page, questions, records, verdict)
from anycuda.doctor.describe_candidate import condition_of, short_path, source_of, verdict_of, version_of  # noqa: E402
from anycuda.doctor.findings import Answer, Call, Candidate, Decision, Driver, Findings, Gpu  # noqa: E402
from anycuda.doctor.containers import ContainerKind  # noqa: E402
from anycuda.doctor.outcomes import CandidateVerdict, FileState, SearchTier  # noqa: E402
from anycuda.doctor.packages import Installer, Manager  # noqa: E402
from anycuda.doctor.records import Record, RecordKind  # noqa: E402
from anycuda.doctor.hint import missing_dependency, sentence, without_hint  # noqa: E402


def setUpModule():
    """The commands that install a library need its packages."""
    patch = mock.patch.object(data, "find", return_value=built())
    patch.start()
    unittest.addModuleCleanup(patch.stop)


GPU = Gpu("NVIDIA H200", "9.0", 139 << 30)
WORKS = Driver("/usr/lib/libcuda.so.1", "13.0", 580, gpus=[GPU], version="580.65.06")
NO_DEVICE = Call("cuInit", 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected")
MISMATCH = Call("cuInit", 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "")
TAKEN = Decision(CandidateVerdict.ACCEPTED, "usable", "served", True, True)
PASSED = Decision(CandidateVerdict.ACCEPTED, "not needed", "served", False, False)
TOO_OLD = Decision(CandidateVerdict.DRIVER_TOO_OLD, "needs a driver for CUDA 13", "too_old", False, False)


def outcomes() -> dict:
    return tomllib.loads((ROOT / "compat/catalogue/outcomes.toml").read_text(encoding="utf-8"))


def candidate(path: str = "/a/libcudart.so.12", state: str = "usable", version: str = "12.9", **decided) -> Candidate:
    by_caller = {name.lstrip("_"): decision for name, decision in decided.items()}
    return Candidate(path, SearchTier("python"), FileState(state), version, True,
                     "wheel nvidia-cuda-runtime-cu12 12.9.79", "", "", by_caller)


def runtime(candidates=(), **answers: Answer) -> findings.Library:
    library = findings.Library("cudart", "CUDA runtime", "libcudart_stub.so", "ANYCUDA_CUDART", False,
                               ["11", "12", "13", "unversioned"], [], list(candidates))
    library.answers = {name.lstrip("_"): answer for name, answer in answers.items()}
    return library


def loads(version: str = "12.9") -> Answer:
    return Answer("/a/libcudart.so.12", version)


def found(library=None, driver: Driver = WORKS, settings=(), others=(), asked: str = "") -> Findings:
    libraries = [library or runtime([candidate(_12=TAKEN)], _12=loads()), *others]
    return Findings(libraries, driver, list(settings), frozenset(asked.split()))


def absent(name: str, product: str) -> findings.Library:
    library = findings.Library(name, product, f"lib{name}_stub.so", f"ANYCUDA_{name.upper()}", False, ["12"])
    library.answers["12"] = Answer(hint=f"install {product}")
    library.places = [findings.Place("rpath", "the caller's DT_RPATH", 0, searched=False),
                      findings.Place("conda", "this Python's conda", 0),
                      findings.Place("system", "the system", 2)]
    return library


def here(**differences) -> machine.Machine:
    about = {"system": "Debian GNU/Linux 12", "distribution": "debian", "kernel": "Linux 6.1", "libc": "glibc 2.36",
             "asked_as": "python", "python": "3.11.2", "executable": "/home/me/venv/bin/python3",
             "kernel_driver": "580.65", "container": False, "wsl": False, "variables": {}}
    about.update(differences, asked_as=machine.AskedAs(about["asked_as"]))
    return machine.Machine(**about)


class Verdicts(unittest.TestCase):
    def test_every_reason_against(self):
        nothing, crashed = Answer(), Answer(ended="crash: signal 11, Segmentation fault")
        refused = Answer(refused="invalid ANYCUDA_COMPAT=x")
        some = [candidate(_12=TOO_OLD)]
        for library, driver, reasons in (
            (None, WORKS, []),
            (runtime(_12=nothing), WORKS, ["no CUDA runtime was found"]),
            (runtime(some, _12=nothing), WORKS, ["no usable CUDA runtime"]),
            (runtime(some, _11=nothing, _12=loads()), WORKS, []),
            (runtime(some, _12=refused), WORKS,
             ["the CUDA runtime is not searched for (invalid ANYCUDA_COMPAT=x)"]),
            (runtime(_12=crashed), WORKS,
             ["the search for the CUDA runtime ended without an answer (crash: signal 11, Segmentation fault)"]),
            (None, Driver(), ["no driver"]),
            (None, Driver(ended="no answer within 30 s"),
             ["the query of the driver ended without an answer (no answer within 30 s)"]),
            (None, Driver("/x", problem="cuDriverGetVersion of /x: error 999"),
             ["the driver does not work (cuDriverGetVersion of /x: error 999)"]),
            (None, Driver("/x", "12.2", calls=[NO_DEVICE]), ["no GPU (cuInit: CUDA_ERROR_NO_DEVICE)"]),
            (None, Driver("/x", "12.2"), ["no GPU (the driver works and sees none)"]),
            (runtime(_12=nothing), Driver(), ["no CUDA runtime was found", "no driver"]),
        ):
            evaluated = verdict.evaluate(found(library, driver))
            self.assertEqual(evaluated.reasons, reasons)
            self.assertEqual(evaluated.status, 1 if reasons else 0)
            self.assertTrue(all(reason in evaluated.line for reason in reasons), evaluated.line)

    def test_requested_library_that_nobody_gets_is_a_reason_against(self):
        nccl = absent("nccl", "NCCL")
        for asked, reasons in (("", []), ("cudart", []), ("nccl", ["no NCCL was found"])):
            self.assertEqual(verdict.evaluate(found(others=[nccl], asked=asked)).reasons, reasons)
        nccl.candidates = [candidate(state="truncated")]
        self.assertEqual(verdict.evaluate(found(others=[nccl], asked="nccl")).reasons, ["no usable NCCL"])
        nccl.answers["12"] = loads()
        self.assertEqual(verdict.evaluate(found(others=[nccl], asked="nccl")).reasons, [])

    def test_what_is_possible_is_summed_up(self):
        library = runtime([], _11=Answer(), _12=loads("12.10"), _13=loads("12.9"))
        driver = Driver("/x", "13.0", gpus=[GPU, GPU])
        self.assertEqual(verdict.evaluate(found(library, driver)).line,
                         "CUDA work is possible: CUDA runtime 12.9 or 12.10, a driver for CUDA 13.0, 2 GPUs; "
                         "a program built for CUDA 11 gets no CUDA runtime.")

    def test_programs_are_named_by_the_cuda_that_they_record(self):
        for callers, expected in ((["11", "12"], "program built for CUDA 11 or CUDA 12"),
                                  (["12", "unversioned"], "program built for CUDA 12 or with unversioned calls"),
                                  (["unversioned"], "program with unversioned calls")):
            self.assertEqual(verdict.program_of(callers), expected)


class Hints(unittest.TestCase):
    def commands(self, what: Findings, **about) -> list[str]:
        return [command for one in hints.hints_for(what, here(**about)) for command in one.commands]

    def test_where_all_is_well_nothing_helps(self):
        self.assertEqual(hints.hints_for(found(), here()), [])

    def test_a_runtime_that_the_driver_runs_is_to_be_installed(self):
        for cuda, command in (("11.4", "/bin/python -m pip install nvidia-cuda-runtime-cu11"),
                              ("12.2", "/bin/python -m pip install nvidia-cuda-runtime-cu12"),
                              ("13.0", "/bin/python -m pip install 'nvidia-cuda-runtime==13.*'"),
                              ("14.1", "/bin/python -m pip install 'nvidia-cuda-runtime==13.*'")):
            library = runtime([candidate(_13=TOO_OLD)], _13=Answer(hint="update the driver, or install another"))
            what = found(library, Driver("/x", cuda, gpus=[GPU]))
            compat = "export ANYCUDA_DRIVER_COMPAT=assume_forward_compat  # where NVIDIA's cuda-compat is in use"
            self.assertEqual(self.commands(what), [command, "sudo apt install nvidia-driver", compat])
            for about, update in (({"wsl": True}, "# in Windows: "),
                                  ({"container_kind": ContainerKind.PODMAN}, "# on the host: "),
                                  ({"container_kind": ContainerKind.KUBERNETES}, "# on the node: ")):
                self.assertIn(update, self.commands(what, **about)[1])

    def test_reasons_lose_their_advice(self):
        for reason, cause in (
                ("its output needs a driver for CUDA 13; /x supports up to CUDA 12.2 (update the driver, or install "
                 "an NVRTC (runtime compiler) of CUDA 12; if NVIDIA's cuda-compat package is in use, set ANYCUDA_X=y)",
                 "its output needs a driver for CUDA 13; /x supports up to CUDA 12.2"),
                ("unknown (nvmlInit_v2: error 9 (x)); A=strict requires it (update the driver, or set A=b)",
                 "unknown (nvmlInit_v2: error 9 (x)); A=strict requires it"),
                ("CUDA 14 is newer than this anycuda knows (up to 13); update anycuda or install CUDA 13",
                 "CUDA 14 is newer than this anycuda knows (up to 13)"),
                ("truncated: it ends before its own segments; install it again",
                 "truncated: it ends before its own segments"), ("not an ELF shared library",) * 2):
            self.assertEqual(without_hint(reason), cause)

    def test_why_a_file_cannot_be_read(self):
        for error, row in (("Permission denied", "unreadable"), ("Operation not permitted", "unreadable"),
                           ("Too many levels of symbolic links", "link_loop"), ("Input/output error", "read_error"),
                           ("Stale file handle", "read_error")):
            reason = f"cannot be read ({error})"
            tried = findings.Tried("/a/libcuda.so.1", FileState("unreadable"), -1, reason)
            unread = Decision("", reason, "", False, False)
            library = runtime([candidate("/a/libcudart.so.12", "unreadable", _12=unread)], _12=Answer())
            first, other = hints.hints_for(found(library, Driver(tried=[tried])), here())[:2]
            self.assertEqual((first.situation, other.situation), (f"driver_{row}", row))
            for one in (first, other):
                self.assertIn(f"({error})", one.why)
                self.assertEqual("user may not" in one.why, row == "unreadable")

    def test_library_newer_than_the_driver_is_not_suggested(self):
        """nvidia-nvjitlink-cu11 does not exist."""
        library = findings.Library("nvjitlink", "nvJitLink (device-code linker)", "", "", False, ["12"])
        library.answers["12"] = Answer(hint="install nvJitLink (pip install nvidia-nvjitlink, or a CUDA toolkit)")
        for cuda, words_, command in (
                ("11.4", "It exists since CUDA 12, but the driver supports only up to CUDA 11.4. Update",
                 "sudo apt install nvidia-driver"),
                ("12.0", "Install nvJitLink (/bin/python -m pip install nvidia-nvjitlink-cu12, or",
                 "/bin/python -m pip install nvidia-nvjitlink-cu12")):
            (one,) = hints.hints_for(found(library, Driver("/x", cuda, gpus=[GPU]), asked="nvjitlink"), here())
            self.assertIn(words_, f"{one.why} {one.what}")
            self.assertEqual(one.commands, [command])
            library.candidates = [candidate("/a/libnvJitLink.so.12", _12=TOO_OLD)]
            (one,) = hints.hints_for(found(library, Driver("/x", "11.4", gpus=[GPU]), asked="nvjitlink"), here())
            self.assertNotIn("pip", " ".join(one.commands))
            library.candidates = []

    def test_where_no_command_is_known_there_is_a_page(self):
        advice_ = "install a CUDA runtime (pip install nvidia-cuda-runtime, or a toolkit)"
        library = runtime([], _12=Answer(hint=advice_))
        outside = environment.Environment(manager=Manager.SYSTEM)
        (one,) = hints.hints_for(found(library), here(distribution="own"), outside)
        self.assertEqual(one.what, "Install a CUDA runtime (a toolkit).")
        self.assertEqual(one.commands, ["# https://developer.nvidia.com/cuda-downloads"])

    def test_install_hint_only_if_it_helps(self):
        library = runtime([candidate(_12=TOO_OLD)], _12=Answer(hint="correct ANYCUDA_CUDART or unset it"))
        self.assertEqual(self.commands(found(library)), [])

    def test_without_a_driver_it_depends_on_the_computer(self):
        for about, command in (({}, "sudo apt install nvidia-driver"),
                               ({"distribution": "arch"}, "sudo pacman -S nvidia nvidia-utils"),
                               ({"kernel_driver": "580.65"}, "sudo apt install libcuda1"),
                               ({"container": True}, "docker run --gpus all ..."),
                               ({"wsl": True}, "wsl --update  # in Windows"),
                               ({"wsl": True, "wsl_driver": True}, "export LD_LIBRARY_PATH=/usr/lib/wsl/lib"),
                               ({"wsl": True, "wsl_driver": True, "variables": {"LD_LIBRARY_PATH": "/a b"}},
                                "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:'/a b'")):
            self.assertEqual(self.commands(found(driver=Driver()), **{"kernel_driver": "", **about})[0], command)

    def test_without_a_gpu_it_depends_on_what_the_driver_says(self):
        none = Driver("/x", "12.2", calls=[NO_DEVICE])
        devices = {"nvidiactl": 0, "nvidia0": 0, "nvidia-uvm": 0}
        self.assertIn("nvidia-smi", self.commands(found(driver=none), devices=devices))
        self.assertIn("sudo modprobe nvidia", self.commands(found(driver=none), kernel_driver=""))
        self.assertIn("docker run --gpus all ...", self.commands(found(driver=none), kernel_driver="", container=True))
        self.assertIn("sudo reboot", self.commands(found(driver=Driver("/x", "12.2", calls=[MISMATCH]))))
        for hides, value in ((True, ""), (True, "-1"), (False, "0"), (False, "0,1")):
            machine_with = here(variables={"CUDA_VISIBLE_DEVICES": value})
            self.assertEqual(machine_with.hidden_gpus, value if hides else None)
            self.assertIn("unset CUDA_VISIBLE_DEVICES",
                          self.commands(found(driver=none), variables={"CUDA_VISIBLE_DEVICES": value},
                                        devices=devices))

    def test_every_file_state_has_a_hint(self):
        """Including states that the tests' machines do not have."""
        states = set(outcomes()["state"]) - {"usable"}
        self.assertIn("other_file_opened", states)
        situations = {}
        for state in sorted(states - {"link_stub", "not_absolute"}):  # a driver's; a variable's
            reason = f"the reason of {state}"
            library = runtime([candidate("/a/libcudart.so.12", state, _12=Decision("", reason, "", False, False))],
                              _12=Answer(hint="install one"))
            first = hints.hints_for(found(library), here())[0]
            self.assertNotEqual(first.situation, "no_library", state)
            self.assertTrue(first.commands and all(first.commands), state)
            self.assertIn("/a/libcudart.so.12", first.why)
            situations[state] = first.situation
        same = {"not_elf", "truncated", "required_symbol_missing"}  # damaged, with the reason
        self.assertEqual(len(set(situations.values())), len(situations) - len(same) + 1, situations)
        for state in sorted(states - {"link_stub", "anycuda_stub", "not_absolute", "not_trusted", "other_version"}):
            tried = findings.Tried("/a/libcuda.so.1", FileState(state), 1, f"the reason of {state}",
                                   "/a/libcuda.so.550")
            first = hints.hints_for(found(driver=Driver(tried=[tried])), here())[0]
            self.assertTrue(first.situation.startswith("driver_"), state)
            self.assertNotEqual(first.situation, "driver_missing", state)

    def test_every_verdict_has_a_hint(self):
        verdicts = set(outcomes()["verdict"]) - {"accepted"}
        for one in sorted(verdicts):
            refused = Decision(CandidateVerdict(one), f"is {one}", "", False, False)
            library = runtime([candidate("/a/libcudart.so.12", _12=refused)], _12=Answer(hint="install one"))
            first = hints.hints_for(found(library), here())[0]
            self.assertEqual(first.situation, one)
            self.assertIn(f"/a/libcudart.so.12: is {one}.", first.why)

    def test_state_found_for_one_caller_holds_for_all(self):
        library = runtime()
        library.places = [findings.Place("system", "the system", 1)]
        for caller, fields in (("12", {"state": "usable", "verdict": "accepted"}),
                               ("13", {"state": "other_version", "stays_open": "1"}),
                               ("11", {"state": "usable", "verdict": "accepted"})):
            record = Record(RecordKind.CANDIDATE, {"path": "/a/libcudart.so.12", "place": "system", **fields})
            findings.add_answer(library, caller, questions.Outcome([record]))
        (one,) = library.candidates
        self.assertEqual((one.state, one.stays_open), ("other_version", True))

    def test_names_of_files_are_quoted(self):
        unread = Decision("", "", "", False, False)
        library = runtime([candidate("/a b/$(x).so", "unreadable", _12=unread)], _12=loads())
        self.assertEqual(self.commands(found(library)), ["namei -l '/a b/$(x).so'"])

    def test_what_crashes_is_named(self):
        library = runtime([], _12=Answer(ended="crash: signal 11", last_step="cudart: opening /x"))
        (one,) = hints.hints_for(found(library), here())
        self.assertIn("cudart: opening /x", one.why)

    def test_failed_probes_are_not_facts(self):
        """Where /dev is not visible, a missing device file means nothing."""
        for status in (999, 101, 304, 100):
            driver = Driver("/x", "12.2", calls=[Call("cuInit", status, "X", "")])
            for about in ({}, {"container": True, "container_kind": ContainerKind.DOCKER}):
                (one,) = hints.hints_for(found(driver=driver), here(ended="no answer within 30 s", **about))
                self.assertIn(one.situation, ("other_error", "invalid_device", "invalid_device_of_container"))

    def test_texts_of_the_loader_become_sentences(self):
        for text_, expected in (("install it", "Install it."), ("ANYCUDA_X=1 is odd.", "ANYCUDA_X=1 is odd."),
                                ("/a is odd", "/a is odd."), ("libx.so is odd", "libx.so is odd.")):
            self.assertEqual(sentence(text_), expected)

    def test_dependencies_in_the_dynamic_linkers_words(self):
        no = "cannot open shared object file: No such file or directory"
        for expected, name in ((f"the dynamic linker refused it: libx.so.1: {no}", "libx.so.1"), (f"/a/x.so: {no}", ""),
                               (f"/b.so: {no}", "/b.so"), ("/a/x.so: undefined symbol: y", ""), ("", "")):
            self.assertEqual(missing_dependency(expected, "/a/x.so"), name)

    def test_a_library_of_another_environment_and_how_it_comes_first(self):
        there = environment.Environment("/venv")
        near = candidate("/venv/lib/libcudart.so.12", _12=PASSED)
        for path, place, variables, command in (
                ("/c/lib/libcudart.so.13", "activated", {"CONDA_PREFIX": "/c"}, "conda deactivate"),
                ("/o/lib/libcudart.so.13", "activated", {"VIRTUAL_ENV": "/o"}, "deactivate"),
                ("/p/nvidia/libcudart.so.13", "activated", {"PYTHONPATH": "/x:/p"}, "unset PYTHONPATH"),
                ("/h/.local/lib/python3.9/x.so", "activated", {}, "export PYTHONNOUSERSITE=1"),
                ("/q/x.so", "activated", {}, "export ANYCUDA_CUDART=/venv/lib/libcudart.so.12"),
                ("/l/x.so", "library_path", {"LD_LIBRARY_PATH": "/l/"}, "unset LD_LIBRARY_PATH"),
                ("/l/x.so", "loaded", {}, "env | grep -E '^LD_|^PYTHON'")):
            taken = candidate(path, _12=TAKEN)
            taken.place = SearchTier(place)
            what = found(runtime([taken, near], _12=loads()))
            (one,) = hints.hints_for(what, here(variables=variables), there)
            self.assertEqual((one.situation, one.commands), ("other_environment", [command]))
            for nobody in (environment.Environment(""), environment.Environment("/x", path.rsplit("/", 1)[0])):
                self.assertEqual(hints.hints_for(what, here(variables=variables), nobody), [])

    def test_several_files_with_one_remedy_have_one_hint(self):
        gone = [candidate(f"/gone/libcudart.so.{major}", "missing") for major in (12, 13)]
        stubs = [candidate(f"/{folder}/libcudart.so.12", "anycuda_stub") for folder in "abc"]
        library = runtime([*gone, *stubs, candidate("/cut", "truncated")], _12=Answer("", ""))
        cut, listed, stub, _ = hints.hints_for(found(library), here())
        self.assertEqual([one.situation for one in (cut, listed, stub)], ["damaged", "listed_only", "anycuda_stub"])
        self.assertEqual(listed.why, "/gone/libcudart.so.12 cannot be used as CUDA runtime. /etc/ld.so.cache lists it, "
                                     "but the file does not exist. The same applies to /gone/libcudart.so.13.")
        self.assertEqual([re.sub(r".*/gone/([\w.]+).*", r"\1", command) for command in listed.commands],
                         ["libcudart.so.12", "libcudart.so.13", "sudo ldconfig"])
        self.assertIn(" The same applies to /b/libcudart.so.12, /c/libcudart.so.12.", stub.why)
        self.assertEqual(len(stub.commands), 1)


class Commands(unittest.TestCase):
    def test_install_commands(self):
        nvidia = "  # from NVIDIA's repository: https://developer.nvidia.com/cuda-downloads"
        for asked, command in (
                (("nvrtc", "pip", "/v", "12.2", 13), "/v/bin/python -m pip install nvidia-cuda-nvrtc-cu12"),
                (("nvrtc", "conda", "/c", "12.2", 13),
                 "conda install -c conda-forge cuda-nvrtc cuda-version=12.2 -p /c"),
                (("nvjitlink", "pixi", "/c/.pixi/envs/a", "", 13),
                 "# in the manifest of /c: add libnvjitlink cuda-version=13 to a feature of the environment a"),
                (("nvjitlink", "pixi", "/c/.pixi/envs/default", "", 13),
                 "pixi add --manifest-path /c libnvjitlink cuda-version=13"),
                (("cudart", "mamba", "/c d", "11.4", 13), "mamba install -c conda-forge cudatoolkit=11.8 -p '/c d'"),
                (("cudart", "micromamba", "/c", "14.1", 13),
                 "micromamba install -c conda-forge cuda-cudart cuda-version=13 -p /c"),
                (("cudart", "conda", "/c", "13.0", 12),
                 "conda install -c conda-forge cuda-cudart cuda-version=12.9 -p /c"),
                (("cudart", "pip", "/c d", "13.0", 13),
                 "'/c d/bin/python' -m pip install 'nvidia-cuda-runtime==13.*'"),
                (("cudart", "uv", "/c d", "12.4", 13), "uv pip install --python '/c d' nvidia-cuda-runtime-cu12"),
                (("nvrtc", "pipx", "/o/.local/pipx/venvs/app", "", 12), "pipx inject app nvidia-cuda-nvrtc-cu12"),
                (("nvjitlink", "system", "", "14.1", 13, "rocky"), "sudo dnf install libnvjitlink-13-0" + nvidia),
                (("cudart", "system", "", "12.4", 13, "ubuntu"), "sudo apt install cuda-cudart-12-4" + nvidia),
                (("nvrtc", "system", "", "11.8", 13, "sles"), "sudo zypper install cuda-nvrtc-11-8" + nvidia),
                (("cudart", "system", "", "", 13, "own"), "# https://developer.nvidia.com/cuda-downloads"),
                (("nvfatbin", "conda", "/c", "12.2", 13),
                 "conda install -c conda-forge libnvfatbin cuda-version=12.4 -p /c"),
                (("nvfatbin", "system", "", "12.6", 13, "ubuntu"), "sudo apt install libnvfatbin-12-6" + nvidia),
                (("nvfatbin", "system", "", "12.2", 13, "ubuntu"), "sudo apt install libnvfatbin-12-4" + nvidia),
                (("nccl", "system", "", "12.4", 13, "ubuntu"),
                 "sudo apt install libnccl2" + nvidia.replace(":", ", a version with +cuda12:", 1))):
            name, manager, prefix, *rest = asked
            self.assertEqual(packages.library(name, Installer(Manager(manager), prefix), *rest), command)

    def test_commands_that_repair(self):
        for asked, command in (
                (("nvrtc", "mamba", "/c", 12), "mamba install --force-reinstall -c conda-forge cuda-nvrtc -p /c"),
                (("nvrtc", "conda", "/c", 11), "conda install --force-reinstall -c conda-forge cudatoolkit -p /c"),
                (("nvrtc", "pixi", "/c/.pixi/envs/a", 12), "pixi reinstall --manifest-path /c --environment a")):
            name, manager, prefix, major = asked
            self.assertEqual(packages.repair(name, Installer(Manager(manager), prefix), major), command)
        self.assertEqual(packages.repair_wheel(Installer(Manager.UV, "/v"), "nvidia-cuda-nvrtc-cu12", "12.9.86"),
                         "uv pip install --python /v --reinstall --no-deps nvidia-cuda-nvrtc-cu12==12.9.86")

    def test_one_advice_for_each_folder_that_is_closed(self):
        closed = environment.Environment("/v", denied=[environment.Denied(path, "/o") for path in ("/o/a", "/o/b")])
        self.assertEqual([one.why for one in hints.hints_for(found(), here(), closed)],
                         ["/o is not accessible. This user may not enter /o, so no file in /o/a is found."])
        there = here(variables={"LD_LIBRARY_PATH": "/o/b"})
        (one,) = [one for one in hints.hints_for(found(driver=Driver()), there, closed) if "driver" in one.why]
        self.assertIn("/o/b", one.why)

    def test_managers(self):
        for prefix, conda, pixi, history, manager in (
                ("/venv", False, False, "", "pip"), ("/c", True, False, "", "conda"), ("", False, False, "", "system"),
                ("/c", True, True, "", "pixi"), ("/p/.pixi/envs/default", True, False, "", "pixi"),
                ("/c", True, False, "==> x <==\n# cmd: /o/bin/mamba create\n", "mamba"),
                ("/c", True, False, "# cmd: micromamba install\n# cmd: conda x\n", "micromamba"),
                ("/c", True, False, "# cmd: constructor\n", "conda")):
            self.assertEqual(environment.manager_of(prefix, conda, pixi, history), manager)
        config = "home = /usr/bin\nversion_info = 3.11.2\n"
        for prefix, text_, manager in (
                ("/v", config, "pip"), ("/v", f"{config}uv = 0.9.2\n", "uv"), ("/p/pipx/venvs/app", config, "pipx"),
                ("/v", f"{config}prompt = uv = x\n", "pip")):
            self.assertEqual(environment.manager_of(prefix, False, False, "", text_), manager)

    def test_wheels_are_those_of_the_descriptors(self):
        """doctor/packages.py asks for those of CUDA 13 by version or by cuda-toolkit's extra."""
        for file in sorted((ROOT / "stubs").glob("*/library.json")):
            facts = json.loads(file.read_text())
            for major, name in facts.get("wheels", {}).items():
                asked = packages.wheel(facts["name"], int(major)).strip("'")
                plain = f"cuda-toolkit[{facts['toolkit_extra']}]" if "[" in asked else name
                self.assertEqual(asked.partition("==")[0], plain, file)

    def test_packages_of_distributions(self):
        for distribution, again, remove in (
                ("debian", "sudo apt install --reinstall p", "sudo apt remove p"),
                ("rocky", "sudo dnf reinstall p", "sudo dnf remove p"),
                ("opensuse-leap", "sudo zypper install --force p", "sudo zypper remove p"),
                ("arch", "sudo pacman -S p", "sudo pacman -Rs p")):
            self.assertEqual(packages.reinstall(distribution, "/a b", "p"), again)
            self.assertEqual(packages.remove_driver(distribution, "/a b", "p"), remove)
            self.assertIn("# no package contains /a b", packages.reinstall(distribution, "/a b", ""))
            self.assertEqual(packages.remove_driver(distribution, "/a b", ""), "rm '/a b'")
        self.assertIn("sudo dnf install nvidia-open ", packages.install_driver("rocky"))
        self.assertEqual(packages.provide("fedora", "x.so.1"), "dnf provides '*/x.so.1'")
        self.assertEqual(packages.install_fabric("ubuntu", ""), "")
        # apt would remove a package whose name ends in a hyphen.
        self.assertEqual(packages.install_nvml("ubuntu", ""),
                         "# install this part of NVIDIA's driver: https://www.nvidia.com/drivers")


class DescribeCandidate(unittest.TestCase):
    def test_same_verdict_for_all_callers_is_reported_once(self):
        self.assertEqual(verdict_of(candidate(_11=TAKEN, _12=TAKEN)), ("taken", ""))
        self.assertEqual(verdict_of(candidate(_11=PASSED, _12=PASSED)), ("not needed", ""))
        self.assertEqual(verdict_of(candidate(_11=TOO_OLD, _12=TOO_OLD)),
                         ("driver too old", "needs a driver for CUDA 13"))

    def test_verdicts_that_differ_name_their_callers(self):
        self.assertEqual(verdict_of(candidate(_11=TOO_OLD, _12=TAKEN, _13=TOO_OLD, unversioned=TAKEN)),
                         ("taken",
                          "for CUDA 11, 13: needs a driver for CUDA 13; for CUDA 12 and unversioned calls: taken"))
        self.assertEqual(verdict_of(candidate(_11=TOO_OLD, _12=PASSED))[0], "depends")

    def test_runtime_newer_than_the_driver_names_its_conditions(self):
        for driver, expected in (("served", ""), ("served_by_minor_version", "cannot compile PTX"),
                                 ("served_by_declaration", "cuda-compat"), ("branch_unknown", "which is unknown")):
            one = candidate(_12=Decision(CandidateVerdict.ACCEPTED, "usable", driver, True, True))
            self.assertIn(expected, condition_of(one, WORKS))
            self.assertEqual(bool(expected), bool(condition_of(one, WORKS)))

    def test_every_outcome_has_a_word(self):
        for group, column in (("verdict", "short"), ("state", "short"), ("tier", "place")):
            without = {name for name, row in outcomes()[group].items() if column not in row}
            self.assertLessEqual(without, {"accepted", "usable", "variable"})

    def test_versions_and_where_they_were_read(self):
        one = candidate()
        self.assertEqual((version_of(one), source_of(one)), ("12.9", "wheel 12.9.79"))
        one.source = "cuda.h"
        self.assertEqual(source_of(one), "cuda.h")
        for source, short in (("its name libcudart.so.12.9.79", "its name"),
                              ("the name of its folder /usr/local/cuda-12.9", "its folder"),
                              ("conda's cuda-version 12.9", "conda's cuda-version 12.9")):
            one.source = source
            self.assertEqual(source_of(one), short)
        one.exact = False
        self.assertEqual((version_of(one), source_of(one)), ("12.9+", "its symbols"))

    def test_paths_are_shortened_in_their_middle(self):
        with mock.patch.dict(os.environ, {"HOME": "/home/me"}):
            for path, width, short in (
                ("/home/me/a", 30, "~/a"),
                ("/home/meow/a", 30, "/home/meow/a"),
                ("/home/me/venv/lib/python3.11/site-packages/nvidia/cu13/lib/x.so", 40, "~/venv/lib/.../cu13/lib/x.so"),
                ("/a/b/c/d/e/f/g/h", 11, "/a/.../g/h"),
                ("/short", 3, "/short"),
            ):
                self.assertEqual(short_path(path, width), short)


class Records(unittest.TestCase):
    def test_escapes(self):
        (record,) = records.parse(b"gpu\tname=a\\tb\\nc\\\\n=d\tempty=\n")
        self.assertEqual((record.kind, record.text("name"), record.text("empty")), ("gpu", "a\tb\nc\\n=d", ""))

    def test_a_line_that_a_crash_cut_off_is_left_out(self):
        self.assertEqual([one.kind for one in records.parse(b"driver\tpath=/x\ngpu\tna")], ["driver"])

    def test_invalid_numbers_are_0(self):
        (record,) = records.parse(b"x\ta=-1\tb=1x\tc=\t=\n")
        self.assertEqual([record.number(name) for name in "abcd"], [-1, 0, 0, 0])

    def test_bytes_that_are_not_text_stay_visible(self):
        (record,) = records.parse(b"x\tpath=/a\xff\n")
        self.assertEqual(record.text("path"), "/a\\xff")


class Page(unittest.TestCase):
    def page(self, what: Findings, width=None, colour=False, verbose=False) -> str:
        evaluated = verdict.evaluate(what)
        return doctor_report.report("1.2.3", here(), what, evaluated, hints.hints_for(what, here()),
                                    page.Page(colour, width), verbose)

    def test_healthy_machine_without_optional_libraries_has_no_advice(self):
        several = [absent(f"maths{number}", f"Maths {number}") for number in range(25)]
        lines = self.page(found(others=several)).splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertEqual(lines[:3], ["anycuda 1.2.3 doctor: Python 3.11.2, /home/me/venv/bin/python3",
                                     "CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 13.0, 1 GPU.", ""])
        self.assertEqual([line for line in lines if "Maths" in line],
                         [f"  absent: {', '.join(one.product for one in several)}"])

    def test_healthy_machine_with_every_library_has_forty_lines(self):
        several = []
        for number in range(22):
            library = absent(f"maths{number}", f"Maths {number}")
            library.candidates, library.answers["12"] = [candidate(_12=TAKEN)], loads()
            several.append(library)
        driver = Driver("/usr/lib/libcuda.so.1", "13.0", 580, gpus=[GPU] * 8)
        lines = self.page(found(driver=driver, others=several)).splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertEqual(sum("/a/libcudart.so.12" in line for line in lines), 23)
        self.assertIn("  GPU            8 x NVIDIA H200, compute capability 9.0, 139 GiB", lines)

    def test_absent_library_that_is_named_has_advice_and_places(self):
        what = found(others=[absent("nccl", "NCCL")], asked="nccl")
        lines = self.page(what).splitlines()
        self.assertEqual(lines[2][:56], "  1.  A program that uses NCCL does not get it. Install ")
        self.assertNotIn("searched", "".join(lines))
        self.assertIn("  none was found; searched: the system (2 folders)", self.page(what, verbose=True).splitlines())

    def test_library_that_a_file_uses_has_advice(self):
        what = found(others=[absent("nccl", "NCCL"), absent("nvrtc", "NVRTC")])
        what.used = frozenset(["nccl"])
        self.assertEqual([one.why for one in hints.hints_for(what, here())],
                         ["A program that uses NCCL does not get it."])

    def test_callers_that_get_different_files_have_a_line_each(self):
        library = runtime([candidate(_12=TAKEN, _13=TOO_OLD), candidate("/b/libcudart.so.11.0", version="11.8",
                                                                        _11=TAKEN)],
                          _11=loads("11.8"), _12=loads(), _13=Answer())
        section = self.page(found(library)).partition("Libraries that programs get\n")[2]
        self.assertEqual([re.split("  +", line)[1:4] for line in section.splitlines()[1:4]],
                         [["CUDA runtime", "12.9", "for CUDA 12"], ["CUDA runtime", "11.8", "for CUDA 11"],
                          ["CUDA runtime", "nothing", "for CUDA 13"]])

    def test_the_whole_page(self):
        one = candidate(_12=TAKEN, unversioned=TAKEN)
        other = candidate("/a/libcudart.so.13", version="13.5", _12=TOO_OLD, unversioned=TOO_OLD)
        library = runtime([other, one], _12=loads(), unversioned=loads())
        setting = findings.Setting("ANYCUDA_COMPAT", "x", False, "strict, best_effort or off")
        self.assertEqual(self.page(found(library, settings=[setting]), verbose=True), """\
anycuda 1.2.3 doctor: Python 3.11.2, /home/me/venv/bin/python3
CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 13.0, 1 GPU.
  1.  ANYCUDA_COMPAT=x is invalid. It must be strict, best_effort or off. Correct it, or unset it.
        $ unset ANYCUDA_COMPAT

Machine
  system         Debian GNU/Linux 12, Linux 6.1, glibc 2.36
  driver         /usr/lib/libcuda.so.1
  CUDA           up to 13.0
  branch         580 (version 580.65.06)
  kernel module  580.65
  GPU            NVIDIA H200, compute capability 9.0, 139 GiB

Settings
  ANYCUDA_COMPAT=x  invalid: expected strict, best_effort or off

Libraries that programs get
                CUDA  read from      where     file
  CUDA runtime  12.9  wheel 12.9.79  packages  /a/libcudart.so.12

CUDA runtime, libcudart_stub.so
     CUDA  read from      verdict         where     file
     13.5  wheel 12.9.79  driver too old  packages  /a/libcudart.so.13
     needs a driver for CUDA 13
  >  12.9  wheel 12.9.79  taken           packages  /a/libcudart.so.12

The version that a program gets, by the CUDA that it was built for
                CUDA 12  unversioned
  CUDA runtime  12.9     12.9""")

    def test_first_three_lines_on_a_narrow_terminal(self):
        library = runtime([candidate(_12=TOO_OLD)], _12=Answer(hint="install one"))
        lines = self.page(found(library, Driver()), width=40).splitlines()
        self.assertEqual(lines[1], "CUDA work is not possible: no usable ...")
        self.assertTrue(lines[2].startswith("  1.  "), lines)
        self.assertLessEqual(max(map(len, lines[:2])), 40)
        text = " ".join(" ".join(lines).split())
        self.assertIn("Verdict CUDA work is not possible: no usable CUDA runtime; no driver. Machine", text)

    def test_names_of_files_do_not_steer_the_terminal(self):
        library = runtime([candidate("/a\x1b[2J\r\u202e.so", _12=TAKEN)], _12=loads())
        page = self.page(found(library))
        self.assertIn("/a\\x1b[2J\\r\\u202e.so", page)
        self.assertNotIn("\x1b", page)

    def test_lines_fit_the_terminal_except_long_names(self):
        library = runtime([candidate(_12=TOO_OLD)], _12=Answer(hint="word " * 40))
        for line in self.page(found(library), width=70).splitlines():
            self.assertLessEqual(len(line), 70)

    def test_what_an_encoding_lacks_is_written_in_another_way(self):
        stream = mock.Mock(encoding="ascii")
        self.assertEqual(terminal.writable("/\u00e4", stream), "/\\xe4")

    def test_json_says_the_same_every_time_and_whole(self):
        what = found()
        output = json.loads(as_json.report("1.2.3", here(), what, verdict.evaluate(what), []))
        self.assertEqual(list(output), ["schema", "anycuda", "possible", "verdict", "reasons", "machine", "settings",
                                        "driver", "libraries", "help", "status", "files"])
        self.assertEqual((output["schema"], output["possible"]), (1, True))
        self.assertEqual(list(output["libraries"][0]["candidates"][0]), [
            "path", "place", "state", "version", "exact", "source", "source_file", "source_problem", "decisions",
            "stays_open", "target", "release", "built_with", "lacking"])

    def test_json_has_the_deprecated_name_of_a_hint(self):
        what = found(runtime([], _12=Answer(hint="install one")))
        written = json.loads(as_json.report("1.2.3", here(), what, verdict.evaluate(what), []))
        answer = written["libraries"][0]["answers"]["12"]
        self.assertEqual((answer["hint"], answer["advice"]), ("install one", "install one"))


# Runs a script with a standard output that calls itself a terminal.
PRETENDS = """
import runpy, sys
class Terminal:
    def __init__(self, stream): self.stream = stream
    def __getattr__(self, name): return getattr(self.stream, name)
    def isatty(self): return True
sys.stdout = Terminal(sys.stdout)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Terminals(unittest.TestCase):
    def on_a_terminal(self, **environment: str) -> str:
        there = Machine(self).env(**{"TERM": "xterm", "COLUMNS": "100", **environment})
        try:
            pid, side = pty.fork()
        except OSError:  # a root without /dev/pts has no terminals: one that says it is one
            done = there.run([there.python, "-c", PRETENDS, COMMAND, "doctor"])
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            return done.stdout
        if pid == 0:
            os.execve(sys.executable, [sys.executable, str(COMMAND), "doctor"], there.variables)
        output = b""
        try:
            while part := os.read(side, 4096):
                output += part
        except OSError:  # the other side has gone
            pass
        os.close(side)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 1)
        return output.decode()

    def test_a_terminal_gets_colours(self):
        self.assertIn("\033[31mCUDA work is not possible", self.on_a_terminal())

    def test_no_color_and_a_dumb_terminal_get_none(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            output = self.on_a_terminal(**variables)
            self.assertIn("CUDA work is not possible", output)
            self.assertNotIn("\033", output)

    def test_pipe_gets_no_colours_and_unwrapped_lines(self):
        done = Machine(self).env(TERM="xterm", COLUMNS="40").doctor()
        self.assertNotIn("\033", done.stdout)
        self.assertGreater(max(map(len, done.stdout.splitlines())), 60)

    @with_real_libraries
    def test_json_is_the_same_twice(self):
        there = Machine(self).wheel("cudart", "12.9").wheel("cudart", "13.5")
        self.assertEqual(there.doctor("--json").stdout, there.doctor("--json").stdout)

    def test_reader_that_closes_early_is_not_a_failure(self):
        done = Machine(self).run(["sh", "-c", '"$0" "$1" doctor | head -n 1', sys.executable, COMMAND])
        self.assertEqual((done.stdout[:8], done.stderr), ("anycuda ", ""))

    def test_full_disk_is_a_failure(self):
        there = Machine(self)
        for options in ((), ("--json",)):
            with self.subTest(options=options), open("/dev/full", "w") as full:
                done = subprocess.run([there.python, COMMAND, "doctor", "--library", "cudart", *options], stdout=full,
                                      stderr=subprocess.PIPE, text=True, env=there.variables, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (
                2, "anycuda doctor: the output is incomplete (No space left on device): free space for it, or write it "
                   "elsewhere\n"))

    def test_an_ascii_terminal_can_show_every_name(self):
        there = Machine(self).env(PYTHONIOENCODING="ascii", ANYCUDA_CUDART="/\u00e4\u20ac.so")
        done = there.doctor()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("/\\xe4\\u20ac.so", done.stdout)


if __name__ == "__main__":
    unittest.main()
