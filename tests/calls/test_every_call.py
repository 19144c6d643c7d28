# SPDX-License-Identifier: Apache-2.0
"""Every function of the maths libraries, called by a program of each major on a library of each major: the call goes
to the function that the matrix names, or returns the matrix's status."""

import functools
import platform
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD
import call_client
import small_library
from abi_support import DESCRIBED, real
from call_client import gives_a_number
from generate import dispositions, failing_results, model

WITH_ADAPTERS = ("cudart", "nvrtc", "nvjitlink")  # which need more than a small library: tests/integration
LIBRARIES = [name for name, about in DESCRIBED.items()
             if about.has_symbol_versions and not about.own_releases and name not in WITH_ADAPTERS]
OWN_RELEASES = [name for name, about in DESCRIBED.items() if about.own_releases and not about.callers]
# What adapters answer themselves to a call without a handle, as the function did that they stand for.
WITHOUT_HANDLE = {"cusparse": 1}


@functools.cache
def failing(library: str) -> dict[str, failing_results.FailingResult]:
    functions = [function for function in real(library).functions.values() if not function.data_size]
    return failing_results.of_all(small_library.described(library), real(library), functions)


def fails_with(library: str, name: str, kind: str) -> int:
    """The number that a call returns which the stub cannot pass on: `absent`, `rejected`."""
    status, result = small_library.described(library).status[kind], failing(library)[name]
    if result.kind != "word":
        return status if result.kind == "status" else 0
    word = result.words[0]
    return {"constant": word.value, "status": status, "negative_status": -status}[word.form]


def takes_handle(function: model.Function, release: str) -> bool:
    return "Handle_t handle," in function.texts[release]


class EveryCall(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-calls-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def client(self, library: str, cuda: str, names: list[str]) -> Path:
        """Linked as a program for that CUDA is: its calls record the major."""
        about = small_library.described(library)
        linked = BUILD / "lib"
        linked = linked / "link" / cuda / about.file_prefix if cuda else linked / about.stub
        return call_client.build(self.folder / f"{library}-{cuda}", names, (str(linked), f"-Wl,-rpath,{BUILD}/lib"))

    def run_on(self, program: Path, names: list[str], library: str, installed: Path) -> dict[str, int]:
        variable = small_library.described(library).variable
        return call_client.numbers(program, names, {variable: str(installed), "ANYCUDA_LOG": "off",
                                                    "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")})[0]

    def expected(self, library: str, release: str, disposition: dispositions.Disposition) -> int:
        """What the client sees of a disposition, on the library of that release."""
        name = disposition.symbol
        if disposition.kind in ("absent", "rejected"):
            return fails_with(library, name, disposition.kind)
        exported = set(real(library).exports(release))
        if disposition.kind == "emulated" and library in WITHOUT_HANDLE and \
                not takes_handle(real(library).functions[disposition.needs[0]], release):
            return WITHOUT_HANDLE[library]
        called = disposition.needs[:1] if disposition.function else (disposition.target, *disposition.fallbacks)
        there = next((name for name in called if name in exported), None)
        return small_library.number(library, there) if there else fails_with(library, name, "absent")

    def test_goes_where_the_matrix_says(self):
        for library in LIBRARIES:
            database = real(library)
            found = dispositions.dispositions(database)
            newest = {release.split(".")[0]: release for release in database.versions}  # of each major
            installed = {release: small_library.make(library, release, self.folder / library / release,
                                                     platform.machine()) for release in newest.values()}
            for cuda in newest:
                caller = database.major(f"{cuda}.0")
                names = sorted(name for name, function in database.functions.items()
                               if caller in function.majors and gives_a_number(function, caller))
                self.assertTrue(names, (library, cuda))
                program = self.client(library, cuda, names)
                for release, file in installed.items():
                    with self.subTest(library=library, caller=cuda, installed=release):
                        seen = self.run_on(program, names, library, file)
                        wanted = {name: self.expected(library, release, found[name, caller, database.major(release)])
                                  for name in names}
                        self.assertEqual(seen, wanted)

    def test_separate_releases(self):
        """One SONAME for every CUDA: a function is there or not, for each caller alike."""
        for library in OWN_RELEASES:
            database, about = real(library), small_library.described(library)
            for release in (database.versions[0], database.versions[-1]):
                file = small_library.make(library, release, self.folder / library / release, platform.machine())
                names = sorted(name for name, function in database.functions.items()
                               if gives_a_number(function, database.majors[0]))
                exported = set(database.exports(release))
                wanted = {name: small_library.number(library, name) if name in exported
                          else fails_with(library, name, "absent") for name in names}
                self.assertTrue(names, library)
                for cuda in ("11", "12", "13") if about.has_symbol_versions else ("",):
                    with self.subTest(library=library, caller=cuda, installed=release):
                        program = self.client(library, cuda, names)
                        self.assertEqual(self.run_on(program, names, library, file), wanted)

    def test_its_names_tell_no_cuda(self):
        file = small_library.make("nccl", "2.28", self.folder / "nccl", platform.machine())
        environment = {"ANYCUDA_NCCL": str(file), "ANYCUDA_LOG": "info",
                       "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        names = ["ncclAllReduce"]
        _, log = call_client.numbers(self.client("nccl", "", names), names, environment)
        self.assertIn(f"using {file} (CUDA 11, 12 or 13)", log)

    def test_a_wheels_name_tells_the_cuda(self):
        for library, release, function in (("curand", "12.9", "curandGetVersion"), ("cudnn", "9.1", "cudnnCreate"),
                                           ("nccl", "2.28", "ncclAllReduce")):
            wheel = f"nvidia_{library}_cu12"
            site = self.folder / wheel
            file = small_library.make(library, release, site / "nvidia" / library / "lib", platform.machine())
            metadata = site / f"{wheel}-7.0.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {wheel}\nVersion: 7.0\n",
                                               encoding="utf-8")
            (metadata / "RECORD").write_text(f"{file.relative_to(site)},,\n", encoding="utf-8")
            cuda = "11" if small_library.described(library).has_symbol_versions else ""
            environment = {"LD_LIBRARY_PATH": str(file.parent), "ANYCUDA_LOG": "debug",
                           "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
            _, log = call_client.numbers(self.client(library, cuda, [function]), [function], environment)
            self.assertIn(f"candidate {file} (CUDA 12): acceptable", log)


if __name__ == "__main__":
    unittest.main()
