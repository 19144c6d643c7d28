# SPDX-License-Identifier: Apache-2.0
"""anycuda in a CMake project: the package, a part of the project, the CUDA language, and refused uses."""

from __future__ import annotations

import os
import shlex
import shutil
import zipfile
from pathlib import Path

from anycuda.elf import read

from support import (LIBRARIES, NODE, NVRTC_NODE, OTHER, PREFIX, SETTINGS, ByMajor, Usage, build_all, cmake, includes,
                     nvcc, on_machine, run)


def cuda_includes(major: str) -> str:
    return ";".join(includes(major))


def nvccs_compiler(*flags: str) -> list[str]:
    """For CMake: one compiler for C++ and behind nvcc. The stub may have been built with a newer libc than its own."""
    flags = " ".join(("-Wl,--allow-shlib-undefined", *flags))
    return [f"-DCMAKE_CXX_COMPILER={SETTINGS['nvcc_host']}", f"-DCMAKE_EXE_LINKER_FLAGS={flags}",
            f"-DCMAKE_SHARED_LINKER_FLAGS={flags}"]


def cuda_compiler(major: str) -> dict[str, str]:
    """For CMake: the real nvcc. Its folder here has only the shared runtime. CMake gives up on a compiler that does not
    answer within 10 s (CMakeDetermineCompilerId.cmake); a first start from a slow disk takes longer, so it is here."""
    run([nvcc(major)[0], "--version"])
    return {"CUDACXX": str(nvcc(major)[0]), "CUDAHOSTCXX": SETTINGS["nvcc_host"],
            "CUDAFLAGS": "-allow-unsupported-compiler -cudart shared"}


class FindPackage(ByMajor, Usage):
    def check(self, major: str) -> None:
        build, place, other = self.work / "build", self.work / "installed", self.work / "other"
        other.mkdir()
        (other / "libcudart.so").write_text("not a library", encoding="utf-8")
        output = cmake("find_package", build, f"-DCUDA_INCLUDES={cuda_includes(major)}", "-DCMAKE_INSTALL_LIBDIR=lib",
                       f'-DCMAKE_EXE_LINKER_FLAGS="-L{other}"')  # its libcudart.so must not be linked
        header = next(filter(os.path.exists, (f"{folder}/cuda_runtime_api.h" for folder in includes(major))))
        self.assertIn(f"-- anycuda: CUDA {major}, from the headers in use ({header})", output)
        build_all(build)
        self.check_program(build / "program", major)
        self.check_program(build / "whole", major)
        self.check_program(build / "early", major)
        defined = {symbol.name for symbol in read.read(build / "early").symbols if symbol.defined}
        self.assertIn("anycuda_open_at_load", defined)
        needed = read.read(build / "libextension.so").versions_needed
        self.assertEqual((needed["libcudart_stub.so"], needed["libnvrtc_stub.so"]),
                         ([NODE[major]], [NVRTC_NODE[major]]))
        self.assertIn("cuInit 100", on_machine(build / "driver"))
        needed = read.read(build / "libraries").versions_needed
        cusparse = {"11": "11", "12": "12", "13": "12"}[major]
        for stub, version in (("cublas", f"libcublas.so.{major}"), ("cusparse", f"libcusparse.so.{cusparse}"),
                              ("cudnn", "libcudnn.so.9"), ("nccl", "ANYCUDA_NATIVE")):
            self.assertEqual(needed[f"lib{stub}_stub.so"], [version])
        self.assertEqual(on_machine(build / "libraries").splitlines()[:4],
                         ["cublasCreate 1", "cusparseCreate 1", "cudnnGetVersion 0", "ncclGetVersion 2"])
        # Bundled: what is installed runs where neither the build folder nor the prefix is.
        run([SETTINGS["cmake"], "--install", build, "--prefix", place])
        shutil.rmtree(build)
        found = sorted(str(p.relative_to(place)) for p in place.rglob("*") if p.is_file())
        self.assertEqual(found, ["bin/program", "lib/libcudart_stub.so", "package/libcudart_stub.so",
                                 "package/libextension.so", "package/libnvrtc_stub.so", "package/licenses/LICENSE",
                                 "share/licenses/anycuda/LICENSE"])
        self.assertEqual(read.read(place / "bin/program").runpath, "$ORIGIN/../lib")
        self.assertEqual(read.read(place / "package/libextension.so").runpath, "$ORIGIN")
        self.check_program(place / "bin/program", major)


class WheelLayout(Usage):
    """What lies in site-packages: the tree as the wheel has it, without static libraries, or the wheel itself that
    ANYCUDA_WHEEL_FILE names."""

    def setUp(self) -> None:
        super().setUp()
        self.place = self.work / "site-packages/anycuda"
        wheel = os.environ.get("ANYCUDA_WHEEL_FILE")
        if wheel:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(self.place.parent)
            return
        for part in ("cmake", "anycuda/link"):
            shutil.copytree(LIBRARIES / part, self.place / "lib" / part)
        shutil.copytree(PREFIX / "include/anycuda", self.place / "include/anycuda")
        for stub in LIBRARIES.glob("lib*_stub.so"):
            shutil.copy(stub, self.place / "lib")

    def configure(self, build: Path, major: str, *options: str, expect: int | None = 0) -> str:
        return cmake("wheel", build, f"-Danycuda_ROOT={self.place}", "-DCMAKE_PREFIX_PATH=",
                     f"-DCUDA_INCLUDES={cuda_includes(major)}", *options, expect=expect)

    def test_a_program(self) -> None:
        for major in NODE:
            with self.subTest(major=major):
                build = self.work / f"build-{major}"
                self.configure(build, major)
                build_all(build)
                self.check_program(build / "program", major)

    def test_missing_library_is_reported(self) -> None:
        output = self.configure(self.work / "build", "12", "-DKIND=_static", expect=None)
        self.assertIn("'program' links anycuda::cudart_static, but this anycuda has no cudart_static for CUDA 12",
                      " ".join(output.split()))
        self.assertIn("install an anycuda that was built with ANYCUDA_STATIC=ON", " ".join(output.split()))
        output = cmake("cxx_libraries", self.work / "cxx", f"-Danycuda_ROOT={self.place}", "-DCMAKE_PREFIX_PATH=",
                       expect=None)
        self.assertIn("libanycuda_compat.a is missing: the C++ libraries are in what `cmake --install`",
                      " ".join(output.split()))


class FetchContent(Usage):
    def test_all(self) -> None:
        build = self.work / "build"
        # What is optimised is not the matter here.
        output = cmake("fetch_content", build, f"-DANYCUDA_SOURCE={SETTINGS['source']}",
                       "-DCMAKE_CXX_FLAGS_RELEASE=-O0",
                       *(f"-DCUDA_INCLUDES_{major}={cuda_includes(major)}" for major in NODE))
        self.assertIn("-- anycuda: CUDA 11, 12 and 13, from the names of linked libraries (anycuda::cudart_11, "
                      "anycuda::cudart_12, anycuda::cudart_13)", output)
        build_all(build)
        for major in NODE:
            self.check_program(build / f"ours/program_{major}", major)
        self.check_program(build / "ours/program", "12")
        # The project's folder has only what it bundled of anycuda, and only what it needs is built.
        self.assertEqual(sorted(p.name for p in (build / "ours").iterdir()),
                         ["graphs", "libcudart_stub.so", "program", "program_11", "program_12", "program_13"])
        self.assertIn("graph 3\n", on_machine(build / "ours/graphs"))
        built = {p.name for p in (build / "_deps/anycuda-build").rglob("lib*") if p.suffix in (".so", ".a")}
        self.assertEqual(built, {"libanycuda_libdl.so", "libcudart.so", "libcudart_stub.so", "libcuda_stub.so",
                                 "libanycuda_graph.a"})
        place = self.work / "installed"
        run([SETTINGS["cmake"], "--install", build, "--prefix", place])
        self.assertEqual(sorted(p.name for p in place.rglob("*") if p.is_file()),
                         ["LICENSE", "libcudart_stub.so", "program"])
        self.assertEqual((place / "share/licenses/anycuda/LICENSE").read_bytes(),
                         (Path(SETTINGS["source"]) / "LICENSE").read_bytes())


class CxxLibraries(Usage):
    def test_all(self) -> None:
        build = self.work / "build"
        cmake("cxx_libraries", build, f"-DCUDA_INCLUDES={cuda_includes('12')}")
        build_all(build)
        self.check_cxx(build / "links", build / "graphs")
        # The program's own calls have its major, the library's calls do not.
        needed = read.read(build / "both").versions_needed
        self.assertEqual(sorted(needed["libnvrtc_stub.so"]), ["ANYCUDA_NATIVE", NVRTC_NODE["12"]])
        self.assertEqual(needed["libnvjitlink_stub.so"], ["ANYCUDA_NATIVE"])
        self.assertRegex(on_machine(build / "both", "nvrtc-13.5"), "(?s)nvrtc 0 13.5.*refused: .*nvJitLink")


class CudaLanguage(ByMajor, Usage):
    def check(self, major: str) -> None:
        build = self.work / "build"
        # A linker that drops what is not needed would hide NVIDIA's runtime behind the stub.
        output = cmake("cuda_language", build, *nvccs_compiler("-Wl,--no-as-needed"), environment=cuda_compiler(major))
        self.assertIn(f"-- anycuda: CUDA {major}, from the CUDA compiler ({nvcc(major)[0]})", output)
        build_all(build)
        self.check_program(build / "kernel", major)
        # What does not link anycuda has the runtime that CMake chose for it, as ever.
        self.assertIn(NODE[major], read.read(build / "other").needed)


class MixedLanguages(Usage):
    """C++ sources in a project with the CUDA language, whose C++ compiler finds the headers of another CUDA."""

    def configure(self, *definitions: str) -> Path:
        build = self.work / "build"
        cmake("cuda_language", build, *nvccs_compiler(), *definitions, environment=cuda_compiler("12"))
        return build

    def test_headers_in_the_compilers_own_folder(self) -> None:
        """As in /usr/local/include: those of the CUDA compiler come before them."""
        compiler = self.work / "c++"
        flags = shlex.join(f"-idirafter{folder}" for folder in includes("11"))
        compiler.write_text(f'#!/bin/sh\nexec {shlex.quote(SETTINGS["nvcc_host"])} {flags} "$@"\n', encoding="utf-8")
        compiler.chmod(0o755)
        build = self.configure(f"-DCMAKE_CXX_COMPILER={compiler}")
        for program in ("mixed", "plain"):
            with self.subTest(program):
                build_all(build, "--target", program)
                self.check_program(build / program, "12")

    def test_headers_before_those_of_the_cuda_compiler(self) -> None:
        flags = " ".join(f"-I{folder}" for folder in includes("11"))
        build = self.configure(f"-DCMAKE_CXX_FLAGS={flags}")
        for program in ("mixed", "plain"):
            with self.subTest(program):
                output = build_all(build, "--target", program, expect=None)
                self.assertIn("headers of another CUDA major than the anycuda library", " ".join(output.split()))
        for program in ("kernel", "cuda_only"):
            with self.subTest(program):
                build_all(build, "--target", program)
                self.check_program(build / program, "12")


class StaticLibrary(Usage):
    """A static library keeps its major in whichever project links it."""

    def setUp(self) -> None:
        super().setUp()
        build = self.work / "library"
        cmake("static_library/library", build, f"-DCUDA_INCLUDES={cuda_includes('11')}")
        build_all(build)
        run([SETTINGS["cmake"], "--install", build, "--prefix", self.work / "prefix"])

    def configure(self, part: str, *definitions: str, expect: int | None = 0) -> tuple[Path, str]:
        build = self.work / part
        return build, cmake("static_library/program", build, f"-DCMAKE_PREFIX_PATH={PREFIX};{self.work / 'prefix'}",
                            f"-DPART={part}", *definitions, expect=expect)

    def test_program_of_another_major(self) -> None:
        for definitions in (["-DANYCUDA_MAJOR=13"], [f"-DCUDA_INCLUDES={cuda_includes('13')}"]):
            with self.subTest(definitions[0]):
                build, _ = self.configure("private", *definitions)
                build_all(build)
                needed = read.read(build / "program").versions_needed
                self.assertEqual((needed["libcudart_stub.so"], needed["libnvrtc_stub.so"]),
                                 ([NODE["11"]], [NVRTC_NODE["11"]]))
                self.check_runs(build / "program", "11")
        for part, *definitions in (("inside", "-DANYCUDA_MAJOR=13"), ("inherited",)):
            with self.subTest(part):
                build, _ = self.configure(part, *definitions)
                build_all(build)
                self.check_runs(build / "program", "11")

    def test_two_majors_are_refused(self) -> None:
        for part, also in (("private", "anycuda::cudart"), ("inherited", "")):
            with self.subTest(part):
                _, output = self.configure(part, "-DANYCUDA_MAJOR=13", f"-DALSO={also}", expect=None)
                self.assertRegex(" ".join(output.split()), "'program' is linked for CUDA (11 and 13|13 and 11)")
        build, _ = self.configure("public", f"-DCUDA_INCLUDES={cuda_includes('13')}")
        self.assertIn("headers of another CUDA major than the anycuda library",
                      " ".join(build_all(build, expect=None).split()))

    def test_the_same_major(self) -> None:
        for part in ("inherited", "public"):
            with self.subTest(part):
                build, _ = self.configure(part, f"-DCUDA_INCLUDES={cuda_includes('11')}", "-DALSO=anycuda::cudart")
                build_all(build)
                self.check_runs(build / "program", "11")


class Major(Usage):
    """What the project says goes before the headers that its targets find, and the choice is reported."""

    def output(self, *definitions: str) -> str:
        return cmake("find_package", self.work / "build", f"-DCUDA_INCLUDES={cuda_includes('12')}", *definitions)

    def test_the_variable(self) -> None:
        self.assertIn("-- anycuda: CUDA 13, from the variable ANYCUDA_MAJOR", self.output("-DANYCUDA_MAJOR=13"))

    def test_the_toolkit_that_cmake_found(self) -> None:
        output = self.output("-DCUDAToolkit_VERSION=11.8.89", "-DCUDAToolkit_INCLUDE_DIRS=/cuda/include")
        self.assertIn("-- anycuda: CUDA 11, from find_package(CUDAToolkit) (/cuda/include)", output)

    def test_headers_that_the_compiler_finds_by_itself(self) -> None:
        """As it finds those in /usr/local/include."""
        compiler = self.work / "c++"
        flags = shlex.join(f"-isystem{folder}" for folder in includes("12"))
        compiler.write_text(f'#!/bin/sh\nexec {shlex.quote(SETTINGS["cxx"])} {flags} "$@"\n', encoding="utf-8")
        compiler.chmod(0o755)
        output = self.output("-DCUDA_INCLUDES=", f"-DCMAKE_CXX_COMPILER={compiler}")
        self.assertRegex(output, "-- anycuda: CUDA 12, from the headers in use .*/cuda_runtime_api.h")


class Mistakes(Usage):
    """What would link and not work is an error, or a warning, with a sentence that says what to do."""

    def refused(self, mistake: str, *expected: str, configures: bool = False) -> None:
        build = self.work / mistake.replace(" ", "-")
        output = cmake("mistakes", build, f"-DMISTAKE={mistake}", f"-DCUDA_INCLUDES={cuda_includes('12')}",
                       expect=0 if configures else None)
        if configures:
            output = build_all(build, expect=None)
        words = " ".join(output.split())
        for sentence in expected:
            self.assertIn(sentence, words, mistake)

    def warned(self, mistake: str, expected: str) -> None:
        """When it builds, and when it installs."""
        build = self.work / mistake.replace(" ", "-")
        cmake("mistakes", build, f"-DMISTAKE={mistake}", f"-DCUDA_INCLUDES={cuda_includes('12')}")
        self.assertIn(expected, " ".join(build_all(build).split()))
        output = run([SETTINGS["cmake"], "--install", build, "--prefix", self.work / "installed"])
        self.assertIn(expected, " ".join(output.split()))
        self.assertFalse((self.work / "installed/share/licenses").exists(), "a licence without a stub")

    def test_no_headers_to_tell_the_major(self) -> None:
        self.refused("no headers", "'program' links anycuda::cudart, but the CUDA major of its headers is unknown",
                     "set ANYCUDA_MAJOR to 11, 12 or 13")

    def test_headers_of_another_major(self) -> None:
        self.refused("wrong major", "headers of another CUDA major than the anycuda library", configures=True)

    def test_two_majors_in_one_link(self) -> None:
        self.refused("two majors", "'program' is linked for CUDA 12 and 13", "can be built for only one major")

    def test_two_toolkits(self) -> None:
        self.refused("two toolkits", "the CUDA compiler is of CUDA 12", "found CUDA 13", "Set ANYCUDA_MAJOR")

    def test_nvidias_runtime_beside_ours(self) -> None:
        self.refused("runtime library", "CUDA_RUNTIME_LIBRARY of 'program' is Shared", "set it to None")

        self.refused("both", "'program' links both anycuda::cudart and NVIDIA's library (CUDA::cudart)")
        for form, file in (("/opt/cuda/lib64/libcudart.so", ""), ("/opt/cuda/lib64/libcudart_static.a", ""),
                           ("-lcudart", ""), ("cudart", ""), ("target", "/opt/cuda/lib64/libcudart.so.12")):
            self.refused(f"both as {form}", f"both anycuda::cudart and NVIDIA's library ({file or form})")

    def test_other_files_beside_ours_are_no_mistake(self) -> None:
        for form in ("/opt/lib/libmycudart.so", "/opt/cuda/lib64/libcudart_replay.so", "-lcudart_replay",
                     "/opt/anycuda/lib/anycuda/link/12/libcudart.so"):
            reason = "No rule to make target" if form[0] == "/" else "cannot find"
            self.refused(f"both as {form}", reason, configures=True)

    def test_a_library_that_a_major_has_not(self) -> None:
        self.refused("no such library", "this anycuda has no nvjitlink for CUDA 11")

    def test_bundle(self) -> None:
        self.refused("bundle before target", "target 'programme' does not exist")
        self.refused("bundle of an archive", "'part' is not a program, shared library or module")
        self.refused("bundle with two licences", "expected [DESTINATION <folder>] [STUBS <folder>]", "| NO_LICENSE]")

    def test_bundle_of_a_program_whose_library_needs_the_stub(self) -> None:
        self.warned("bundle of the program", "needs no stub, but a library that it links does: call "
                    "anycuda_bundle(part) in place of anycuda_bundle(calls).")
        self.warned("bundle without anycuda", "needs no stub: it links no anycuda library, or only static ones.")

    def test_a_major_that_cuda_has_not(self) -> None:
        self.refused("unknown major", "ANYCUDA_MAJOR is 10",
                     "Set it to the major of the CUDA headers in use: 11, 12 or 13.")

    def test_a_cmake_that_is_too_old(self) -> None:
        self.refused("old CMake", "anycuda needs CMake 3.21 or later, but this is 3.20.6")

    def test_component(self) -> None:
        self.refused("component", "anycuda has no component npp")


class StaticInCMake(Usage):
    def test_12(self) -> None:
        build = self.work / "build"
        cmake("find_package", build, f"-DCUDA_INCLUDES={cuda_includes('12')}")
        build_all(build, "--target", "calls_inside")
        self.check_static(build / "libinside.so", ["work"])
        self.check_runs(build / "calls_inside", "12")
        self.assertIn("nvrtc 0 13.5", on_machine(build / "calls_inside", f"cudart-{OTHER['12']}", "nvrtc-13.5"))


class Example(Usage):
    """examples/cmake-cuda, as its README says."""

    def test_12(self) -> None:
        example = Path(SETTINGS["source"]) / "examples/cmake-cuda"
        build, place = self.work / "build", self.work / "installed"
        cmake(str(example), build, "-DCMAKE_INSTALL_LIBDIR=lib", *nvccs_compiler(), environment=cuda_compiler("12"))
        build_all(build)
        run([SETTINGS["cmake"], "--install", build, "--prefix", place])
        shutil.rmtree(build)
        self.assertEqual(read.read(place / "lib/libsaxpy.so").versions_needed["libcudart_stub.so"], [NODE["12"]])
        self.assertTrue(b".target sm_80" in (place / "lib/libsaxpy.so").read_bytes(), "no PTX for sm_80")
        self.assertIn("on the CPU: CUDA driver version is insufficient", on_machine(place / "bin/demo"))
        # A runtime of another major, and no GPU: its own answer.
        self.assertRegex(on_machine(place / "bin/demo", "cudart-13.5"), "on the CPU: .*, y = 7")
