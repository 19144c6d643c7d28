# SPDX-License-Identifier: Apache-2.0
"""Libraries that share handles are of one CUDA in a process: programs that call several stubs, on machines with
several CUDAs."""

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD
import small_library

# `NAME` calls it; `=FILE` opens a file, as a program's other libraries would.
CLIENT = """\
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
{declarations}
static const struct {{ const char* name; int (*function)(long, long, long, long); }} all[] = {{ {rows} }};
int main(int count, char** words) {{
  for (int i = 1; i < count; ++i) {{
    if (*words[i] == '=') {{
      if (dlopen(words[i] + 1, RTLD_NOW) == NULL) return 1;
      continue;
    }}
    for (unsigned j = 0; j < sizeof all / sizeof *all; ++j)
      if (strcmp(all[j].name, words[i]) == 0) printf("%d ", all[j].function(0, 0, 0, 0));
  }}
  puts("");
  FILE* maps = fopen("/proc/self/maps", "r");
  for (char line[4096]; fgets(line, sizeof line, maps) != NULL;)
    if (strstr(line, "r-xp") != NULL && strchr(line, '/') != NULL) fputs(strchr(line, '/'), stdout);
  return 0;
}}
"""
CALLS = ("cublasCreate_v2", "cublasLtCreate", "cusparseCreate", "cusolverDnCreate", "curandCreateGenerator")
LIBRARIES = ("cublas", "cublaslt", "cusparse", "cusolver", "curand")
NOT_INITIALIZED = 1  # of cuBLAS, cuBLASLt, cuSPARSE and cuSOLVER


class OneCuda(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-calls-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.program = self.root / "program"
        source = self.root / "program.c"
        declared = "\n".join(f"int {name}(long, long, long, long);" for name in CALLS)
        source.write_text(CLIENT.format(declarations=declared,
                                        rows=", ".join(f'{{"{name}", {name}}}' for name in CALLS)), encoding="utf-8")
        linked = [BUILD / "lib" / "link" / "12" / small_library.described(library).file_prefix for library in LIBRARIES]
        subprocess.run(["cc", "-o", self.program, source, *linked, f"-Wl,-rpath,{BUILD}/lib"], check=True)

    def toolkit(self, release: str, *libraries: str, **needed: Path) -> Path:
        folder = self.root / "usr/local" / f"cuda-{release}"
        header = folder / "include/cuda.h"
        major, minor = release.split(".")
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n", encoding="utf-8")
        for library in libraries:
            files = (needed[library],) if library in needed else ()
            small_library.make(library, release, folder / "lib64", platform.machine(), files)
        return folder / "lib64"

    def run_it(self, *words: str, **variables: str) -> tuple[list[int], set[str], str]:
        """The results, the small libraries that are mapped afterwards, and the messages."""
        done = subprocess.run([self.program, *words], env={"ANYCUDA_SYSTEM_ROOT": str(self.root), **variables},
                              capture_output=True, text=True, check=True)
        results, *mapped = done.stdout.splitlines()
        local = f"{self.root}/usr/local/"
        return ([int(value) for value in results.split()],
                {path.removeprefix(local) for path in mapped if path.startswith(local)}, done.stderr)

    def number(self, library: str, function: str) -> int:
        return small_library.number(library, function)

    def test_newest_that_is_complete_serves_all(self):
        self.toolkit("12.9", *LIBRARIES)
        self.toolkit("13.5", *LIBRARIES)
        results, mapped, messages = self.run_it(*CALLS)
        self.assertEqual(results, [self.number(one, call) for one, call in zip(LIBRARIES, CALLS)])
        self.assertEqual({path.split("/")[0] for path in mapped}, {"cuda-13.5"}, messages)

    def test_first_decides_for_the_group(self):
        self.toolkit("12.9", *LIBRARIES)
        self.toolkit("13.5", "cusparse", "cusolver", "cublaslt")
        results, mapped, messages = self.run_it(*CALLS[:4])
        self.assertEqual({path.split("/")[0] for path in mapped}, {"cuda-12.9"}, messages)
        self.assertEqual(len(mapped), 4)
        self.assertTrue(all(result >= small_library.FIRST_NUMBER for result in results), results)

    def test_member_of_another_major_is_refused_with_the_reason(self):
        self.toolkit("12.9", "cublas")
        self.toolkit("13.5", "cusparse")
        results, mapped, messages = self.run_it("cublasCreate_v2", "cusparseCreate")
        self.assertEqual(results, [self.number("cublas", "cublasCreate_v2"), NOT_INITIALIZED])
        self.assertEqual(mapped, {"cuda-12.9/lib64/libcublas.so.12"})
        self.assertIn("of CUDA 13, and the process has loaded cuBLAS of CUDA 12", messages)
        self.assertIn("install a cuSPARSE of CUDA 12", messages)

    def test_library_that_the_program_loaded_itself_decides_too(self):
        folder = self.toolkit("12.9", *LIBRARIES)
        self.toolkit("13.5", *LIBRARIES)
        _, mapped, messages = self.run_it(f"={folder}/libcublas.so.12", "cublasLtCreate", "cusolverDnCreate")
        self.assertEqual({path.split("/")[0] for path in mapped}, {"cuda-12.9"}, messages)

    def test_file_of_the_variable_is_refused_too(self):
        self.toolkit("12.9", "cublas", "cublaslt")
        folder = self.toolkit("13.5", "cublaslt")
        results, mapped, messages = self.run_it("cublasCreate_v2", "cublasLtCreate",
                                                ANYCUDA_CUBLASLT=f"{folder}/libcublasLt.so.13")
        self.assertEqual(results[1], NOT_INITIALIZED)
        self.assertEqual(mapped, {"cuda-12.9/lib64/libcublas.so.12"})
        self.assertIn("they exchange handles", messages)

    def test_library_outside_the_group_is_of_the_same_cuda(self):
        self.toolkit("12.9", "cublas", "curand")
        self.toolkit("13.5", "curand")
        _, mapped, _ = self.run_it("cublasCreate_v2", "curandCreateGenerator")
        self.assertEqual({path.split("/")[0] for path in mapped}, {"cuda-12.9"})

    def test_runtime_that_a_variable_names_decides_before_it_is_loaded(self):
        runtime = self.toolkit("12.9", "cudart", "curand")
        self.toolkit("13.5", "cudart", "curand")
        _, mapped, _ = self.run_it("curandCreateGenerator", ANYCUDA_CUDART=f"{runtime}/libcudart.so.12")
        self.assertEqual(mapped, {"cuda-12.9/lib64/libcurand.so.10"})

    def test_farther_library_of_the_process_goes_before_a_nearer_one(self):
        self.toolkit("12.9", "cublas", "curand")
        near = self.toolkit("13.5", "curand").parent
        _, mapped, _ = self.run_it("cublasCreate_v2", "curandCreateGenerator", CUDA_HOME=str(near))
        self.assertEqual({path.split("/")[0] for path in mapped}, {"cuda-12.9"})

    def test_only_library_is_used_beside_another_cuda_and_reported(self):
        self.toolkit("12.9", "cublas")
        near = self.toolkit("13.5", "curand").parent
        results, mapped, messages = self.run_it("cublasCreate_v2", "curandCreateGenerator", CUDA_HOME=str(near),
                                                ANYCUDA_LOG="info")
        self.assertEqual(results[1], self.number("curand", "curandCreateGenerator"))
        self.assertIn("cuda-13.5/lib64/libcurand.so.10", mapped)
        self.assertRegex(messages, r"curand: \S+/cuda-13.5/lib64/libcurand.so.10 \(CUDA 13.5[^)]*\) is used beside "
                                   r"CUDA 12: \S+/cuda-12.9/lib64/libcublas.so.12")

    def test_runtime_that_is_loaded_goes_before_the_newest(self):
        runtime = self.toolkit("12.9", "curand", "cudart")
        self.toolkit("13.5", "curand")
        _, mapped, _ = self.run_it(f"={runtime}/libcudart.so.12", "curandCreateGenerator")
        self.assertEqual(mapped, {f"cuda-12.9/lib64/{name}" for name in ("libcudart.so.12", "libcurand.so.10")})

    def test_library_that_needs_another_runtime_is_refused(self):
        runtime = self.toolkit("12.9", "cudart")
        other = self.toolkit("13.5", "cudart")
        self.toolkit("13.5", "curand", curand=other / "libcudart.so.13")
        results, mapped, messages = self.run_it(f"={runtime}/libcudart.so.12", "curandCreateGenerator")
        self.assertEqual((results, mapped), ([203], {"cuda-12.9/lib64/libcudart.so.12"}))
        self.assertIn("it needs the runtime of CUDA 13, and the process has loaded the CUDA runtime of CUDA 12",
                      messages)


if __name__ == "__main__":
    unittest.main()
