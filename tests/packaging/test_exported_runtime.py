# SPDX-License-Identifier: Apache-2.0
"""A program that contains the CUDA runtime, and a plugin of this program that is linked with a stub."""

import subprocess
import unittest

from analysis_support import BUILD, Folder, artifact, with_real_libraries

_PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int cudaRuntimeGetVersion(int* version);
int main(int count, char** arguments) {
  int own = 0;
  cudaRuntimeGetVersion(&own);
  printf("%d %s\\n", own, dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion") != NULL ? "exported" : "hidden");
  for (int i = 1; i < count; ++i) {
    void* plugin = dlopen(arguments[i], RTLD_NOW);
    if (plugin == NULL) puts(dlerror());
    printf("%d\\n", ((int (*)(void))dlsym(plugin, "ask"))());
  }
}
"""


class ExportedRuntime(Folder):
    def run_program(self, program, *arguments) -> str:
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout

    def test_functions_that_a_program_exports_are_a_plugins_runtime(self):
        own = "int cudaRuntimeGetVersion(int* version) { *version = 12345; return 0; }"
        program = self.compile("program", own + _PROGRAM, "-rdynamic", "-ldl")
        plugin = self.compile("plugin.so", "int cudaRuntimeGetVersion(int*);"
                              "int ask(void) { int version = 0; cudaRuntimeGetVersion(&version); return version; }",
                              BUILD / "lib/link/12/libcudart.so", f"-Wl,-rpath,{BUILD / 'lib'}")
        self.assertEqual(self.run_program(program, plugin), "12345 exported\n12345\n")

    @with_real_libraries
    def test_nvidias_static_runtime_exports_nothing(self):
        archive = artifact("nvcc-13.0") / "lib64" / "libcudart_static.a"
        program = self.compile("program", _PROGRAM, "-rdynamic", "-Wl,--whole-archive", archive,
                               "-Wl,--no-whole-archive", "-lstdc++", "-ldl", "-lrt", "-lpthread")
        self.assertEqual(self.run_program(program), "13000 hidden\n")


if __name__ == "__main__":
    unittest.main()
