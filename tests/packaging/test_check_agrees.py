# SPDX-License-Identifier: Apache-2.0
"""Does `anycuda check` agree with the stub? Programs that use every function of a major's runtime call those that
check reports as failing, on machines with each of several releases: each returns the error of its cell."""

import json
import unittest

from doctor_support import Machine
from analysis_support import BUILD, REAL, Folder, built, library_file, with_real_libraries, table

# The oldest of a major lacks what came later in it, so the answer is not one for all of a major.
RELEASES = ("11.7", "11.8", "12.0", "12.4", "12.9", "13.0", "13.5")
# nvcc's own: some return nothing, and the stub answers those that register objects itself.
NVCCS = "__cuda"
_MAIN = """
int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    int found = 0;
    for (unsigned n = 0; n < sizeof table / sizeof *table; ++n) {
      if (strcmp(table[n].name, names[i]) != 0) continue;
      found = printf("%s %d\\n", names[i], table[n].call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
      fflush(stdout);
    }
    if (!found) return 3;
  }
  return 0;
}
"""


@with_real_libraries
class Agreement(Folder):
    def program(self, major: str):
        """Linked to lib/link/<major>, so that every reference says its major. What it passes are zeros: a failing
        call looks at none of them."""
        names = [name for name, majors in table().libraries["cudart"].symbols.items()
                 if major in majors and not name.startswith(NVCCS)]
        source = "#include <stdio.h>\n#include <string.h>\n"
        zeros = ", ".join(["long"] * 12)  # as many as the function with the most arguments takes, and more
        source += "".join(f"int {name}({zeros});\n" for name in names)
        source += f"static const struct {{ const char* name; int (*call)({zeros}); }} table[] = {{"
        source += "".join(f'{{"{name}", {name}}},\n' for name in names) + "};"
        link = BUILD / "lib" / "link" / major / "libcudart.so"
        return names, self.compile(f"all-{major}", source + _MAIN, link,
                                   f"-Wl,-rpath,{BUILD / 'lib'}", "-fno-builtin", "-w")

    def test_every_function_that_check_says_will_fail_fails_so(self):
        compared = 0
        status = json.loads(built().read_text())["libraries"]["cudart"]["status"]
        for major in ("11", "12", "13"):
            names, program = self.program(major)
            _, out, _ = self.check("--json", program, "--runtime", ",".join(RELEASES))
            (one,) = json.loads(out)["inputs"]
            self.assertEqual({symbol["name"] for symbol in one["files"][0]["uses"][0]["symbols"]}, set(names))
            for release in RELEASES:
                expected = {cell["symbol"]: status[cell["kind"]] for cell in one["cells"]
                            if release in cell["runtimes"] and cell["fails"]}
                machine = Machine(self).env(ANYCUDA_CUDART=str(library_file("cudart", release)), ANYCUDA_LOG="off")
                done = machine.run([program, *expected])
                got = {name: int(number) for name, number in (line.split() for line in done.stdout.splitlines())}
                self.assertEqual((done.returncode, got), (0, expected),
                                 f"built for {major}, on {release}: {done.stderr}")
                compared += len(expected)
        self.assertGreater(compared, 200)

    def test_what_it_says_will_run_does_not_fail_so(self):
        """With the calls of the programs of tests/integration, which are safe without a GPU."""
        calls = {"attributes": "cudaPointerGetAttributes", "table": "cudaGetExportTable", "count": "cudaGetDeviceCount",
                 "malloc": "cudaMalloc", "device": "cudaGetDevice"}
        for major in ("11", "12", "13"):
            program = REAL / "patched" / f"call_cudart-{major}"
            _, out, _ = self.check("--json", program, "--runtime", ",".join(RELEASES))
            cells = json.loads(out)["inputs"][0]["cells"]
            for release in RELEASES:
                kinds = {cell["symbol"]: cell["kind"] for cell in cells if release in cell["runtimes"]}
                machine = Machine(self).env(ANYCUDA_CUDART=str(library_file("cudart", release)), ANYCUDA_LOG="off")
                done = machine.run([program, *calls])
                for line in done.stdout.splitlines():
                    step, number = line.split()[:2]
                    failed = {"302": "absent", "801": "rejected"}.get(number)
                    kind = kinds[calls[step.rstrip(":")]]
                    self.assertEqual(failed, kind if kind in ("absent", "rejected") else None,
                                     f"{step} built for {major} on {release}")
                self.assertEqual(len(done.stdout.splitlines()), len(calls))


if __name__ == "__main__":
    unittest.main()
