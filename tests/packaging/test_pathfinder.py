# SPDX-License-Identifier: Apache-2.0
"""Python files of wheels that load NVIDIA's libraries with cuda-pathfinder, and what `anycuda check` and `anycuda
repair` report about them."""

import json
import unittest
from unittest import mock

from build_folder import with_real_libraries
from analysis_support import table
from test_repair import RepairCase
from wheel_support import anycuda

from anycuda.analysis import pathfinder, python_text
from anycuda.analysis.pathfinder import Loads

LOAD = "from cuda.pathfinder import load_nvidia_dynamic_lib as load\n"
# cupy_backends/cuda/libs/__init__.py of CuPy 14 has this form.
BY_ATTRIBUTE = """
if not runtime.is_hip:
    from cuda import pathfinder as _pathfinder
_submodules = ('cublas', 'cutensor', 'cusparselt')
def __getattr__(name):
    if not runtime.is_hip and name in _submodules:
        try:
            pathfinder_name = name
            if name == 'cusparselt':
                pathfinder_name = 'cusparseLt'
            _pathfinder.load_nvidia_dynamic_lib(pathfinder_name)
        except _pathfinder.DynamicLibNotFoundError as e:
            raise ImportError(str(e)) from e
"""


class Calls(unittest.TestCase):
    def loads(self, text: str | bytes, name: str = "thing/a.py") -> Loads | None:
        return pathfinder.of_file(name, text if isinstance(text, bytes) else text.encode(), table())

    def all_load(self, texts: tuple[str, ...], *names: str, at_run_time: bool = False) -> None:
        for text in texts:
            with self.subTest(text=text):
                self.assertEqual(self.loads(text), Loads(names, at_run_time))

    def test_forms_of_the_import(self):
        self.all_load((
            "from cuda import pathfinder\npathfinder.load_nvidia_dynamic_lib('cublas')",
            "from cuda import pathfinder as p\np.load_nvidia_dynamic_lib(libname='cublas')",
            "import cuda.pathfinder\ncuda.pathfinder.load_nvidia_dynamic_lib('cublas')",
            "import cuda.pathfinder as x\ndef f():\n    return x.load_nvidia_dynamic_lib('cublas').abs_path",
            "from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib\n"
            "load_nvidia_dynamic_lib('cublas')",
            f"{LOAD}load('cublas')",
            "from cuda.pathfinder import *\nload_nvidia_dynamic_lib('cublas')",
            "from cuda.pathfinder._dynamic_libs.load_nvidia_dynamic_lib import load_nvidia_dynamic_lib as _load\n"
            "_load('cublas')",
            "from ._vendor.cuda import pathfinder\npathfinder.load_nvidia_dynamic_lib('cublas')",
            "p = importlib.import_module('cuda.pathfinder')\np.load_nvidia_dynamic_lib('cublas')"), "cublas")

    def test_names_that_only_the_run_knows_may_be_strings_of_the_file(self):
        self.all_load((
            f"{LOAD}for name in ('cublas', 'nccl'):\n    load(name)",
            f"{LOAD}NAMES = ['cublas']\nNAMES += ['nccl']\ndef f():\n    for one in sorted(NAMES): load(one)",
            f"{LOAD}load('cublas')\nload('nccl' if x else y)",
            f"{LOAD}list(map(load, ('cublas', 'nccl', 'other')))",
            "from cuda import pathfinder\nclass A:\n    load = pathfinder.load_nvidia_dynamic_lib\n"
            "    def f(self):\n        self.load('cublas')\n        self.load('nccl')"),
            "cublas", "nccl", at_run_time=True)

    def test_loop_of_cupy(self):
        self.assertEqual(self.loads(BY_ATTRIBUTE), Loads(("cublas", "cutensor", "cusparseLt"), True))

    def test_names_that_only_the_run_knows(self):
        self.all_load((f"{LOAD}load(sys.argv[1])", f"{LOAD}load(f'cu{{x}}')", f"{LOAD}def f(name):\n    load(name)",
                       f"{LOAD}load()", f"{LOAD}load(*names)", f"{LOAD}cache(load)",
                       f"{LOAD}load('')\nload('a b')\nload('{'a' * 100}')"), at_run_time=True)

    def test_what_is_not_a_call(self):
        for text in (f"{LOAD}__all__ = ['load']", f"# {LOAD}# load_nvidia_dynamic_lib('cublas')",
                     "'''from cuda import pathfinder; pathfinder.load_nvidia_dynamic_lib('cublas')'''",
                     "from cuda import pathfinder\npathfinder.find_nvidia_header_directory('cublas')",
                     "from cuda import pathfinder\ndef load_nvidia_dynamic_lib(x): pass\n"
                     "load_nvidia_dynamic_lib('nccl')"):
            with self.subTest(text=text):
                self.assertIsNone(self.loads(text))

    def test_files_of_pathfinder_itself_do_not_count(self):
        for name, counts in (("cuda/pathfinder/a.py", False), ("thing/_vendor/cuda/pathfinder/b/a.py", False),
                             ("thing/cuda/a.py", True), ("a.pyi", False)):
            self.assertEqual(self.loads(f"{LOAD}load('cublas')", name) is not None, counts, name)

    def test_file_that_does_not_parse_counts_as_text(self):
        call = "from cuda.pathfinder import load_nvidia_dynamic_lib\nload_nvidia_dynamic_lib('cublas')\n"
        self.all_load((f"{call}print 'x'\n", f"{call}def f(:\n", f"{call}x = 'a\n", f"{call}\0\n"), "cublas")
        self.all_load((f"{call}load_nvidia_dynamic_lib(x)\nprint 'x'\n",), "cublas", at_run_time=True)
        self.assertIsNone(self.loads("print 'load_nvidia_dynamic_lib(\"cublas\") of pathfinder'\n"))
        for coding, at_run_time in (("# coding: latin-1\n", False), ("# coding: none\n", False), ("", False)):
            self.assertEqual(self.loads(f"{coding}{call}x = '\xe9'\n".encode("latin-1")),
                             Loads(("cublas",), at_run_time), coding)

    def test_file_too_large_to_be_parsed_counts_as_text(self):
        parse = self.enterContext(mock.patch.object(python_text.ast, "parse", side_effect=python_text.ast.parse))
        text = f"from cuda import pathfinder\n{'# ' * (1 << 16)}\npathfinder.load_nvidia_dynamic_lib('cublas')\n"
        self.assertEqual(self.loads(text), Loads(("cublas",)))
        parse.assert_not_called()

    def test_what_becomes_of_a_call(self):
        served, rest = pathfinder.sentences(Loads(("cublas", "nvvm", "nvml", "cusparseLt")), table())
        self.assertRegex(served, r"^loads cublas, nvml with cuda-pathfinder: the call raises DynamicLibNotFoundError "
                         r"where .* is not installed; `anycuda run -- python ...` serves the call\. If you maintain")
        self.assertRegex(rest, "^loads nvvm, cusparseLt with .*anycuda has no stub for it$")
        (may,) = pathfinder.sentences(Loads(("cublas",), True), table())
        self.assertEqual(may, served.replace("loads cublas, nvml", "may load cublas"))
        (unknown,) = pathfinder.sentences(Loads((), True), table())
        self.assertRegex(unknown, "names are known only at run time.*`anycuda run -- python ...` serves the calls for")


@with_real_libraries
class Wheels(RepairCase):
    FILES = {"thing/libs.py": BY_ATTRIBUTE.encode(), "thing/any.py": f"{LOAD}load(input())\n".encode(),
             "thing/cuda/pathfinder/own.py": f"{LOAD}load('cufft')\n".encode()}
    NOTES = ("thing/libs.py: may load cublas with cuda-pathfinder: the call raises DynamicLibNotFoundError where "
             "NVIDIA's library is not installed; `anycuda run -- python ...` serves the call. If you maintain this "
             "file, catch the error and go on: repaired binaries do not need the call",
             "thing/libs.py: may load cutensor, cusparseLt with cuda-pathfinder: the call raises "
             "DynamicLibNotFoundError where NVIDIA's library is not installed, and anycuda has no stub for it",
             "thing/any.py: loads libraries with cuda-pathfinder whose names are known only at run time: the call "
             "raises DynamicLibNotFoundError where NVIDIA's library is not installed; `anycuda run -- python ...` "
             "serves the calls for libraries with a stub")

    def test_check_reports_the_libraries(self):
        """A verdict of `free` is about binaries; a wheel without CUDA in its binaries names the libraries."""
        path = self.wheel(self.FILES)
        done = anycuda("check", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for note in self.NOTES:
            self.assertIn(f"  {note}\n", done.stdout)
        self.assertNotIn("cufft", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "verdict: no CUDA in binaries; its Python files may open "
                         "libcublas, libcutensor, libcusparseLt and import cuda")
        path = self.wheel({**self.FILES, "thing/a.so": self.library(), "thing/b.py": b"x = 'libcublas.so.12'\n"})
        (one,) = json.loads(anycuda("check", "--json", path).stdout)["inputs"]
        self.assertEqual(one["pathfinder"], [
            {"file": "thing/libs.py", "names": ["cublas", "cutensor", "cusparseLt"], "at_run_time": True},
            {"file": "thing/any.py", "names": [], "at_run_time": True}])
        self.assertEqual((one["verdict"]["text"], one["verdict"]["python"], one["status"]), (
            "free", ["libcublas.so.12", "libcutensor", "libcusparseLt", "import cuda"], 0))

    def test_repair_reports_the_libraries(self):
        path = self.wheel({**self.FILES, "thing/a.so": self.library()})
        (one,) = json.loads(anycuda("repair", "--dry-run", "--json", path).stdout)["wheels"]
        notes = [note.replace(": ", " ", 1) for note in self.NOTES]
        self.assertEqual([note for note in one["notes"] if "pathfinder" in note], notes)
        self.assertEqual(one["verdict"]["text"], "free")
        output = anycuda("repair", "--dry-run", path).stdout
        for note in notes:
            self.assertIn(f"  note      {note}\n", output)

    def test_freed_distribution(self):
        path = self.wheel({"thing/a.so": self.library(), "thing/b.py": f"{LOAD}load('cudart')\n".encode()},
                          metadata="Requires-Dist: nvidia-cuda-runtime-cu12==12.9.*\n")
        done = anycuda("repair", "--dry-run", "--free-requirements", path)
        self.assertIn("note      thing/b.py loads libraries of nvidia-cuda-runtime-cu12 with cuda-pathfinder; pip now "
                      "installs this distribution only with an extra: test the wheel without it", done.stdout)


if __name__ == "__main__":
    unittest.main()
