# SPDX-License-Identifier: Apache-2.0
"""examples/python-wheel: built for CUDA 12 in the usual way, repaired, and run on machines with another CUDA."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from build_folder import artifact
from doctor_support import ROOT, Machine
from wheel_support import problems, repaired, unpack

EXAMPLE = ROOT / "examples" / "python-wheel"
BUILD = "import sys; from scikit_build_core.build import build_wheel; print(build_wheel(sys.argv[1]))"
ASK = """
import json, whichcuda
def result_of(function):
    try:
        return function()
    except RuntimeError as error:
        return str(error)
print(json.dumps([whichcuda.built_for, result_of(whichcuda.runtime), result_of(whichcuda.devices)]))
"""


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="wheels-")
        cls.addClassCleanup(folder.cleanup)
        top = Path(folder.name).resolve()
        env = {**os.environ, "PYTHONPATH": str(artifact("scikit-build")), "SKBUILD_BUILD_DIR": str(top / "build"),
               "SKBUILD_CMAKE_BUILD_TYPE": "Debug",  # half the time to compile
               "CMAKE_ARGS": shlex.quote(f"-DCUDAToolkit_ROOT={artifact('nvcc-12.4')}")}
        done = subprocess.run([sys.executable, "-c", BUILD, top / "dist"], cwd=EXAMPLE, env=env, capture_output=True,
                              text=True)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        (cls.built,) = (top / "dist").glob("*.whl")
        cls.native = unpack(cls.built, top / "native")
        cls.result = repaired(cls.built, top / "wheelhouse")
        cls.repaired = unpack(cls.result, top / "repaired")

    def output(self, folder: Path, *releases: str):
        """Version it was built for, of the runtime, number of GPUs; or what Python says."""
        machine = Machine(self).env(PYTHONPATH=str(folder), LD_BIND_NOW="1", ANYCUDA_LOG="off")
        for release in releases:
            machine.wheel("cudart", release)
        done = machine.run([machine.python, "-c", ASK])
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    def test_as_it_is_built_it_runs_on_no_other_cuda(self):
        for releases in ((), ("11.8",), ("13.5",)):
            self.assertIn("libcudart.so.12: cannot open shared object file", self.output(self.native, *releases))

    def test_repaired_it_runs_on_each(self):
        self.assertEqual(problems(self.result), [])
        no_gpu = "CUDA driver version is insufficient for CUDA runtime version"
        for releases, runtime in (((), no_gpu), (("11.8",), 11080), (("12.9",), 12090), (("13.5",), 13050),
                                  (("11.8", "13.5"), 13050)):
            with self.subTest(releases=releases):
                self.assertEqual(self.output(self.repaired, *releases), [12040, runtime, no_gpu])


if __name__ == "__main__":
    unittest.main()
