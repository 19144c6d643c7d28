# SPDX-License-Identifier: Apache-2.0
"""NVML through its stub: on the real libraries of two drivers the direct results, without a library the stub's
status."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, artifact, with_real_libraries

CLIENT = """\
#include <stdio.h>
const char* nvmlErrorString(int);
int nvmlInit_v2(void), nvmlShutdown(void), nvmlDeviceGetCount_v2(unsigned*), nvmlDeviceGetNumaNodeId(void*, unsigned*);
int nvmlSystemGetDriverVersion(char*, unsigned), nvmlSystemGetNVMLVersion(char*, unsigned);
int main(void) {
  unsigned count = 7, node = 7;
  char driver[80] = "", nvml[80] = "";
  printf("init %d\\n", nvmlInit_v2());
  printf("count %d\\n", nvmlDeviceGetCount_v2(&count));
  printf("driver %d %s\\n", nvmlSystemGetDriverVersion(driver, sizeof driver), driver);
  printf("nvml %d %s\\n", nvmlSystemGetNVMLVersion(nvml, sizeof nvml), nvml);
  for (int status = 0; status < 40; ++status) printf("%d %s\\n", status, nvmlErrorString(status));
  printf("shutdown %d\\n", nvmlShutdown());
#ifdef NEWER
  printf("node %d %u\\n", nvmlDeviceGetNumaNodeId(0, &node), node);
#endif
  return 0;
}
"""


@unittest.skipUnless(BUILD, "needs a build")
class Nvml(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-nvml-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "client.c").write_text(CLIENT, encoding="utf-8")

    def client(self, name: str, linked: Path, *options: str) -> Path:
        program = self.folder / name
        subprocess.run(["cc", *options, "-o", program, self.folder / "client.c", linked, "-Wl,--allow-shlib-undefined",
                        f"-Wl,-rpath,{linked.parent}"], check=True)
        return program

    def lines(self, program: Path, **environment: str) -> list[str]:
        environment |= {"ANYCUDA_LOG": "off", "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    @with_real_libraries
    def test_on_a_drivers_own(self) -> None:
        stub = self.client("stub", BUILD / "lib" / "libnvml_stub.so", "-DNEWER")
        for driver in ("535", "550"):
            file = artifact(f"driver-{driver}") / "libnvidia-ml.so.1"
            direct = self.lines(self.client(driver, file))
            through = self.lines(stub, ANYCUDA_NVML=str(file))
            # The stub knows words of newer drivers, too.
            self.assertEqual([line for line, own in zip(through, direct) if "Unknown Error" not in own],
                             [line for line in direct if "Unknown Error" not in line])
            self.assertEqual(direct[0], "init 9")  # no kernel module is loaded
            # 535 lacks it (13), 550 has it and is not initialized (1).
            self.assertEqual(through[-1].split()[:2], ["node", {"535": "13", "550": "1"}[driver]])

    def test_without_a_driver(self) -> None:
        lines = self.lines(self.client("stub", BUILD / "lib" / "libnvml_stub.so"))
        self.assertEqual(lines[:2], ["init 12", "count 12"])
        self.assertIn("12 NVML Shared Library Not Found", lines)


if __name__ == "__main__":
    unittest.main()
