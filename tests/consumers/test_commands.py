# SPDX-License-Identifier: Apache-2.0
"""anycuda on a compiler's command line: by hand, with pkg-config, with nvcc, and statically."""

from __future__ import annotations

import shlex
import shutil

from anycuda.elf import read

from support import (LIBRARIES, NODE, OTHER, PROJECTS, SETTINGS, ByMajor, Usage, includes, nvcc, on_machine, artifact,
                     run)

CXX = SETTINGS["cxx"]
OWN = LIBRARIES / "anycuda"
# As if the program included it behind CUDA's header.
CHECKED = [PROJECTS / "program.cc", "-include", "cuda_runtime_api.h", "-include", "anycuda/built_for.h"]


def flags(major: str) -> list[str]:
    return [f"-isystem{folder}" for folder in includes(major)]


class PlainCommandLine(ByMajor, Usage):
    def check(self, major: str) -> None:
        program = self.work / "program"
        run([CXX, PROJECTS / "program.cc", *flags(major), f"-L{OWN}/link/{major}", "-lcudart",
             f"-Wl,-rpath,{LIBRARIES}", "-o", program])
        self.check_program(program, major)


class Nvcc(ByMajor, Usage):
    def check(self, major: str) -> None:
        """nvcc hands paths to the linker without quotes, so these are relative ones, and have no blank. Its own g++ may
        know an older libc than the stub was built with."""
        (self.work / "link").symlink_to(f"{OWN}/link/{major}")
        (self.work / "stubs").symlink_to(LIBRARIES)
        run([*nvcc(major), "-arch=sm_80", "-cudart", "none", PROJECTS / "kernel.cu", "-Llink", "-lcudart",
             "-Xlinker", "-rpath=stubs", "-Xlinker", "--allow-shlib-undefined", "-o", "kernel"], cwd=self.work)
        self.check_program(self.work / "kernel", major)
        # Relocatable device code: docs/packaging.md, "By hand".
        run([*nvcc(major), "-arch=sm_80", "-rdc=true", "-c", PROJECTS / "kernel.cu", "-o", "kernel.o"], cwd=self.work)
        run([*nvcc(major), "-arch=sm_80", "-cudart", "shared", "kernel.o", "-Llink", "-Xlinker", "-rpath=stubs",
             "-Xlinker", "--allow-shlib-undefined", "-o", "relocatable"], cwd=self.work)
        self.check_program(self.work / "relocatable", major)


class WithPkgConfig(Usage):
    def setUp(self) -> None:
        super().setUp()
        self.tool = artifact("pkgconf") / "bin/pkg-config"

    def ask(self, *arguments: str, expect: int | None = 0) -> list[str]:
        output = run([self.tool, *arguments], {"PKG_CONFIG_PATH": str(LIBRARIES / "pkgconfig")}, expect)
        return shlex.split(output)  # a blank in a path has a backslash before it


class PkgConfig(ByMajor, WithPkgConfig):
    def check(self, major: str) -> None:
        for package, kind in ((f"anycuda-cudart-{major}", "shared"), (f"anycuda-cudart-{major}-static", "static")):
            program = self.work / kind
            folder = self.ask("--variable=stubdir", package)[0]
            run([CXX, *CHECKED, *flags(major), *self.ask("--cflags", "--libs", package), f"-Wl,-rpath,{folder}",
                 "-o", program])
        early = self.ask("--cflags", "--libs", f"anycuda-cudart-{major}", "anycuda-open-at-load")
        run([CXX, *CHECKED, *flags(major), *early, f"-Wl,-rpath,{LIBRARIES}", "-o", self.work / "early"])
        self.check_program(self.work / "early", major)
        defined = {symbol.name for symbol in read.read(self.work / "early").symbols if symbol.defined}
        self.assertIn("anycuda_open_at_load", defined)
        self.check_program(self.work / "shared", major)
        self.check_static(self.work / "static", [])
        self.check_runs(self.work / "static", major)


class PkgConfigFiles(WithPkgConfig):
    def test_headers_of_another_major_are_refused(self) -> None:
        output = run([CXX, *CHECKED, *flags("12"), *self.ask("--cflags", "anycuda-cudart-13"), "-fsyntax-only"],
                     expect=None)
        self.assertIn("headers of another CUDA major", output)

    def test_the_cxx_libraries(self) -> None:
        programs = []
        for library, source in (("linker", "links.cc"), ("graph", "graphs.cc")):
            programs.append(self.work / source[:-3])
            run([CXX, "-std=c++17", "-Wall", "-Wextra", "-Werror", PROJECTS / "cxx_libraries" / source,
                 *self.ask("--cflags", "--libs", f"anycuda-{library}"), f"-Wl,-rpath,{LIBRARIES}", "-o", programs[-1]])
        self.check_cxx(*programs)
        # Beside calls of the program's own, whose package has to come first.
        packages = ["anycuda-nvrtc-12", "anycuda-linker"]
        link = [CXX, "-std=c++17", "-DWITH_NVRTC", *flags("12"), PROJECTS / "cxx_libraries/links.cc", "-o", programs[0]]
        run([*link, *self.ask("--cflags", "--libs", *packages)])
        self.assertEqual(sorted(read.read(programs[0]).versions_needed["libnvrtc_stub.so"]),
                         ["ANYCUDA_NATIVE", "libnvrtc.so.12"])
        packages.reverse()
        self.assertIn("undefined reference", run([*link, *self.ask("--cflags", "--libs", *packages)], expect=None))

    def test_every_package_links(self) -> None:
        """Each on its own: what it names is there, and libc is all that it needs."""
        names = sorted(path.stem for path in (LIBRARIES / "pkgconfig").glob("anycuda-*.pc"))
        stubs = [path.name[len("lib"):-len("_stub.so")] for path in LIBRARIES.glob("lib*_stub.so")]
        lost = {stub for stub in stubs if not any(one.startswith(f"anycuda-{stub}") for one in names)}
        self.assertEqual(lost, {"cudnn8"})  # programs of cuDNN 8 are not built any more
        self.assertGreater(len(names), len(stubs))
        source = self.work / "empty.c"
        source.write_text("", encoding="utf-8")
        for name in names:
            run([CXX, "-shared", "-fPIC", "-Wl,-z,defs", "-Wl,--whole-archive", source, *self.ask("--libs", name),
                 "-Wl,--no-whole-archive", "-o", self.work / "lib.so"])


class WithStatic(Usage):
    """The stub as part of a library."""

    def build(self, name: str, major: str, *options: str, compiler: tuple = (CXX,)) -> tuple:
        library, program = self.work / f"lib{name}.so", self.work / name
        run([*compiler, PROJECTS / "work.cc", "-x", "none", "-O2", "-fPIC", "-shared", *flags(major),
             f"-L{OWN}/static/{major}", "-lcudart", "-lnvrtc", "-ldl", "-Wl,--as-needed", *options, "-o", library])
        run([CXX, PROJECTS / "calls_work.cc", library, "-Wl,-rpath,$ORIGIN", "-o", program])
        return library, program


class Static(ByMajor, WithStatic):
    def check(self, major: str) -> None:
        library, program = self.build("work", major, "-Wl,-z,defs", "-Wl,--no-undefined")
        self.check_static(library, ["work"])
        self.check_runs(program, major)


class StaticLinks(WithStatic):
    """With common compilers, flags and other archives."""

    def test_compilers_and_linkers(self) -> None:
        # zig is clang and lld. The source is compiled as C: for C++ zig first builds a C++ library.
        clang = (artifact("zig") / "bin/zig", "cc", "-x", "c")
        for name, compiler, options in (
            ("gcc-lto", (CXX,), ["-flto"]), ("gcc-gc", (CXX,), ["-Wl,--gc-sections", "-ffunction-sections"]),
            ("clang-lto", clang, ["-flto"]), ("clang-gc", clang, ["-Wl,--gc-sections", "-ffunction-sections"]),
        ):
            with self.subTest(name):
                library, program = self.build(name, "12", *options, compiler=compiler)
                self.check_static(library, ["work"])
                self.check_runs(program, "12")

    def test_all_archives_in_one_link(self) -> None:
        """Whole archives, not only the functions that are called: their names do not collide."""
        for major in ("12", "13"):
            library = self.work / f"liball{major}.so"
            archives = [f"{OWN}/static/{major}/{name}.a" for name in ("libcudart", "libnvrtc", "libnvJitLink")]
            run([CXX, "-shared", "-Wl,-z,defs", "-Wl,--whole-archive", *archives, f"{OWN}/static/libcuda.a",
                 "-Wl,--no-whole-archive", "-Wl,--as-needed", "-ldl", "-o", library])
            self.check_static(library, [])
            for archive in archives:
                shown = run(["nm", "--defined-only", "--extern-only", archive])
                self.assertFalse([line for line in shown.splitlines() if "anycuda" in line], archive)

    def test_several_in_one_process(self) -> None:
        """Two libraries of different majors with a stub inside each, a program on the shared stub: one runtime."""
        parts = []
        for major in ("11", "13"):
            part = self.work / f"libpart{major}.so"
            run([CXX, "-fPIC", "-shared", PROJECTS / "work.cc", f"-Dwork=work{major}", *flags(major),
                 f"-L{OWN}/static/{major}", "-lcudart", "-lnvrtc", "-ldl", "-o", part])
            parts.append(part)
        source = self.work / "main.cc"
        source.write_text(MANY, encoding="utf-8")
        program = self.work / "many"
        run([CXX, source, *flags("12"), *parts, f"-L{OWN}/link/12", "-lcudart",
             f"-Wl,-rpath,$ORIGIN:{LIBRARIES}", "-o", program])
        self.assertEqual(read.read(program).versions_needed["libcudart_stub.so"], [NODE["12"]])
        lines = on_machine(program, "cudart-12.9").splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[:3]],
                         ["built 12: 0 12090", "built 11: 0 12090 cudaSuccess", "built 13: 0 12090 cudaSuccess"])
        # Neither the libraries that have a stub inside nor the stub were taken for a runtime.
        runtime = next(artifact("cudart-12.9").glob("nvidia/*/lib/libcudart.so.12"))
        self.assertEqual(lines[3:], [str(runtime)])

    def test_finds_the_wheels_beside_it(self) -> None:
        """In site-packages/package: NVIDIA's wheels are two folders up, for every caller."""
        library, program = self.build("work", "12")
        self.assertIn("built 12: 35", on_machine(program))
        site = self.work / "lib/python3.11/site-packages"
        shutil.copytree(artifact("cudart-12.9") / "nvidia", site / "nvidia")
        (site / "package").mkdir()
        shutil.move(library, site / "package")
        run([CXX, PROJECTS / "calls_work.cc", site / "package/libwork.so", f"-Wl,-rpath,{site}/package", "-o", program])
        self.assertIn("built 12: 0 12090 cudaSuccess", on_machine(program))

    def test_beside_the_runtime_that_the_process_has(self) -> None:
        """It adopts what is loaded, whatever it would have found itself."""
        library, _ = self.build("work", "12")
        source = self.work / "host.c"
        source.write_text(HOST, encoding="utf-8")
        program = self.work / "host"
        run([CXX, "-xc++", source, "-ldl", "-o", program])
        runtime = next(artifact(f"cudart-{OTHER['11']}").glob("nvidia/*/lib/libcudart.so.12"))
        newer = next(artifact("cudart-13.5").glob("nvidia/*/lib"))
        output = run([program, runtime, library], {"LD_LIBRARY_PATH": str(newer), "ANYCUDA_LOG": "off"})
        self.assertIn("built 12: 0 12090 cudaSuccess", output)


MANY = r"""
#include <cuda_runtime_api.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
extern "C" int work11();
extern "C" int work13();
static int visit(dl_phdr_info* info, size_t, void*) {
  if (strstr(info->dlpi_name, "libcudart.so")) puts(info->dlpi_name);
  return 0;
}
int main() {
  int version = -1;
  const int status = cudaRuntimeGetVersion(&version);
  printf("built 12: %d %d\n", status, version);
  work11();
  work13();
  dl_iterate_phdr(visit, nullptr);
}
"""

HOST = r"""
#include <dlfcn.h>
int main(int, char** files) {
  if (!dlopen(files[1], RTLD_NOW | RTLD_GLOBAL)) return 3;
  void* library = dlopen(files[2], RTLD_NOW);
  if (!library) return 4;
  ((int (*)())dlsym(library, "work"))();
}
"""
