# SPDX-License-Identifier: Apache-2.0
"""Which Python `anycuda doctor` and `anycuda check --here` examine."""

import shutil
import sys
import unittest
from unittest import mock

from build_folder import BUILD, with_real_libraries
from doctor_support import COMMAND, ROOT, library, taken
from matrix_support import built
from situation_support import Computer

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda.doctor import examined  # noqa: E402
from anycuda.doctor.examined import Choice  # noqa: E402
from anycuda.doctor.packages import Installer, Manager, library as install, repair_wheel, uninstall_wheel  # noqa: E402
from anycuda.doctor.questions import Outcome  # noqa: E402
from anycuda.doctor.records import Record, RecordKind  # noqa: E402
from anycuda.matrix import data  # noqa: E402


def setUpModule():
    """The commands that install a library need its packages."""
    patch = mock.patch.object(data, "find", return_value=built())
    patch.start()
    unittest.addModuleCleanup(patch.stop)


class Chosen(unittest.TestCase):
    def test_table(self):
        venv = Choice("/p/.venv/bin/python", "activated by VIRTUAL_ENV")
        conda = Choice("/c/envs/x/bin/python", "activated by CONDA_PREFIX")
        own = Choice()
        for named, own_prefix, own_has_cuda, variables, expected in (
                ("", "/own", False, {}, own),
                ("", "/own", True, {}, own),
                ("/x/python", "/own", True, {"VIRTUAL_ENV": "/p/.venv"}, Choice("/x/python", is_named=True)),
                ("", "/own", False, {"VIRTUAL_ENV": "/p/.venv"}, venv),  # pipx, uvx, an administrator's
                ("", "/own", False, {"VIRTUAL_ENV": "/p/.venv/"}, venv),
                ("", "/p/.venv", False, {"VIRTUAL_ENV": "/p/.venv/"}, own),
                ("", "/own", True, {"VIRTUAL_ENV": "/p/.venv"},
                 Choice(note="not VIRTUAL_ENV=/p/.venv: this environment has CUDA itself")),
                ("", "/own", False, {"VIRTUAL_ENV": "/p/.venv", "CONDA_PREFIX": "/c/envs/x"}, venv),
                ("", "/own", False, {"CONDA_PREFIX": "/c/envs/x", "CONDA_EXE": "/c/bin/conda"}, conda),
                ("", "/own", False, {"CONDA_PREFIX": "/c", "CONDA_EXE": "/c/bin/conda"}, own),
                ("", "/own", False, {"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "base"}, own),
                ("", "/own", False, {"CONDA_PREFIX": "/c/", "MAMBA_ROOT_PREFIX": "/c"}, own),
                ("", "/c", False, {"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "base"}, own),
                ("", "/own", False, {"VIRTUAL_ENV": "relative"}, own)):
            self.assertEqual(examined.choose(named, own_prefix, own_has_cuda, variables), expected, variables)

    def test_what_counts_as_cuda(self):
        computer = Computer(self)
        path = [str(computer.site)]
        self.assertFalse(examined.has_cuda(str(computer.venv), path))
        computer.file("venv/lib/libcudart.so.12")
        self.assertFalse(examined.has_cuda(str(computer.venv), path))
        computer.file(f"{computer.site.relative_to(computer.root)}/nvidia_ml_py-13.580.65.dist-info/RECORD")
        self.assertFalse(examined.has_cuda("/own", path))
        computer.file("venv/conda-meta/history")
        self.assertTrue(examined.has_cuda(str(computer.venv), path))
        computer.file(f"{computer.site.relative_to(computer.root)}/nvidia_cuda_runtime_cu12-12.9.79.dist-info/RECORD")
        self.assertTrue(examined.has_cuda("/own", path))


class Answers(unittest.TestCase):
    def problem(self, *found: Record, **outcome) -> str:
        return examined.python_of("/x/python", Outcome(list(found), **outcome))[1]

    def test_of_a_file_that_is_not_a_python(self):
        self.assertEqual(self.problem(ended="no answer: exit", complaints=["ls: bad option"]),
                         "/x/python is not a Python (ls: bad option): name the interpreter of an environment, such as "
                         "~/venv/bin/python")
        self.assertIn("older than Python 3.6", self.problem(complaints=["  File x", "SyntaxError: invalid syntax"]))
        self.assertIn("gives no answer within 2 s", self.problem(ended="no answer within 2 s"))

    def test_of_a_python_that_cannot_ask(self):
        about = {"executable": "/x/python", "version": "3.9.1", "prefix": "/x"}
        self.assertEqual(self.problem(Record(RecordKind.PYTHON, about)), "")
        self.assertIn("without ctypes", self.problem(Record(RecordKind.PYTHON, {**about, "problem": "no ctypes"})))
        self.assertIn("wrong ELF class: ELFCLASS64): use a Python for",
                      self.problem(Record(RecordKind.PYTHON, {**about, "problem": "wrong ELF class: ELFCLASS64"})))


class Commands(unittest.TestCase):
    def test_name_the_examined_environment(self):
        for manager, prefix in (("pip", "/p/.venv"), ("uv", "/p/.venv"), ("conda", "/c"), ("mamba", "/c"),
                                ("micromamba", "/c"), ("pixi", "/p/.pixi/envs/default")):
            where = Installer(Manager(manager), prefix, f"{prefix}/bin/python3")
            name = "--manifest-path /p " if manager == "pixi" else prefix
            self.assertIn(name, install("cudart", where, "12.9", 13))
            if manager in ("pip", "uv"):
                self.assertIn(prefix, repair_wheel(where, "nvidia-nccl-cu12", "2.26.2"))
                self.assertIn(prefix, uninstall_wheel(where, "nvidia-nccl-cu12"))
        for prefix, start in (("/home/me/.local/share/pipx/venvs/app", "pipx inject app "),
                              ("/opt/pipx/venvs/app", "PIPX_HOME=/opt/pipx pipx inject app ")):
            self.assertTrue(install("cudart", Installer(Manager.PIPX, prefix), "12.9", 13).startswith(start))
        self.assertEqual(install("cudart", Installer(Manager.PIP, "/usr", "/usr/bin/python3"), "12.9", 13),
                         "/usr/bin/python3 -m pip install nvidia-cuda-runtime-cu12")


class Examined(unittest.TestCase):
    """The command runs in the environment of the machine; another environment is `project`."""

    def computer(self) -> Computer:
        computer = Computer(self).works()
        own = computer.python
        self.project = computer.root / "project/.venv"
        computer.python_in(self.project)
        (self.project / "bin/python").symlink_to("python3")
        computer.python = own
        return computer.env(VIRTUAL_ENV=str(computer.venv))

    def cuda_in_project(self, computer: Computer, release: str = "12.9") -> Computer:
        own, computer.site = computer.site, self.project / computer.site.relative_to(computer.venv)
        computer.wheel("cudart", release)
        computer.site = own
        return computer

    def first_line(self, computer: Computer, *options: str) -> str:
        return computer.doctor("--library", "cudart", *options).stdout.splitlines()[0]

    @with_real_libraries
    def test_activated_environment(self):
        computer = self.cuda_in_project(self.computer()).env(VIRTUAL_ENV=str(self.project))
        report = computer.json_report("--library", "cudart")
        self.assertTrue(report["possible"], report["reasons"])
        (file,) = {one["path"] for one in library(report, "cudart")["answers"].values()}
        self.assertTrue(file.startswith(f"{self.project}/"), file)
        self.assertTrue(report["machine"]["executable"].startswith(f"{self.project}/bin/python"), report["machine"])
        self.assertIn("(activated by VIRTUAL_ENV)", self.first_line(computer))
        self.assertIn(f"{self.project}/bin/python", self.first_line(computer))

    def test_activated_conda_environment(self):
        computer = self.computer()
        own = computer.python
        computer.conda("/opt/conda/bin/conda create", "conda/envs/app")
        conda, computer.python = computer.python.parent.parent, own
        (conda / "bin/python").symlink_to(next((conda / "bin").iterdir()).name)
        computer.env(CONDA_PREFIX=str(conda), CONDA_EXE="/opt/conda/bin/conda")
        self.assertIn(f"{conda}/bin/python (activated by CONDA_PREFIX)", self.first_line(computer))
        one, = computer.json_report("--library", "cudart")["help"]
        self.assertEqual(one["commands"],
                         [f"conda install -c conda-forge cuda-cudart cuda-version=12.9 -p {conda}"])

    def test_program_other_than_python(self):
        line = self.first_line(self.computer(), "--native")
        self.assertRegex(line, f"doctor: a program other than Python, VIRTUAL_ENV={self.project.parents[1]}/venv$")

    @with_real_libraries
    def test_own_environment_with_cuda_comes_first(self):
        computer = self.cuda_in_project(self.computer().wheel("cudart", "11.8")).env(VIRTUAL_ENV=str(self.project))
        self.assertEqual(set(taken(computer.json_report("--library", "cudart")).values()), {"libcudart.so.11.0"})
        self.assertIn(f"(not VIRTUAL_ENV={self.project}: this environment has CUDA itself)", self.first_line(computer))

    @with_real_libraries
    def test_named_python(self):
        computer = self.cuda_in_project(self.computer().wheel("cudart", "11.8"))
        for named in (self.project / "bin/python", "project/.venv/bin/python3"):
            report = computer.json_report("--library", "cudart", "--python", str(named))
            self.assertEqual(set(taken(report).values()), {"libcudart.so.12"})
        computer.env(PATH=f"{self.project}/bin:/usr/bin:/bin")
        self.assertIn(str(self.project), self.first_line(computer, "--python", "python3"))

    @with_real_libraries
    def test_check_here(self):
        computer = self.cuda_in_project(self.computer())
        file = next((BUILD / "tests/integration/patched").glob("*"))
        for options, expected in (((), "no usable CUDA runtime"), (("--python", self.project / "bin/python"), "12.9")):
            done = computer.run([computer.python, COMMAND, "check", file, "--here", *options])
            self.assertIn(expected, [line for line in done.stdout.splitlines() if line.startswith("here:")][-1])
        self.assertIn("CUDA runtime 12.9", computer.env(VIRTUAL_ENV=str(self.project)).run(
            [computer.python, COMMAND, "check", file, "--here"]).stdout)

    def test_check_python_without_here(self):
        done = self.computer().run([sys.executable, COMMAND, "check", "/bin/true", "--python", "/x"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--python names the Python for --here", done.stderr)

    def test_files_that_are_not_a_python(self):
        computer = self.computer()
        text = computer.file("notes.txt", "no program").root / "notes.txt"
        for named, expected in (("/absent/python", "cannot be started ("), (text, "cannot be started ("),
                                (computer.root, "cannot be started ("), ("/bin/ls", "/bin/ls is not a Python ("),
                                ("/bin/sh", "/bin/sh is not a Python ("), ("/bin/true", "/bin/true is not a Python"),
                                ("no-such-python", "no program no-such-python is in PATH")):
            done = computer.doctor("--python", str(named))
            self.assertEqual((done.returncode, done.stdout), (2, ""), named)
            self.assertIn(expected, done.stderr)
            self.assertIn("name the interpreter", done.stderr)

    def test_python_without_ctypes(self):
        computer = self.computer()
        packages = self.project / computer.site.relative_to(computer.venv)
        (packages / "no_ctypes.pth").write_text("import sys; sys.modules['ctypes'] = None\n")
        done = computer.doctor("--python", str(self.project / "bin/python"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^anycuda doctor: .*/project/.venv/bin/python was built without ctypes: ")

    def test_native_excludes_it(self):
        done = self.computer().doctor("--native", "--python", sys.executable)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--native excludes --python", done.stderr)

    def test_activated_environment_without_a_python(self):
        computer = self.computer()
        shutil.rmtree(self.project / "bin")
        line = self.first_line(computer.env(VIRTUAL_ENV=str(self.project)))
        self.assertIn(f"{computer.venv}/bin/python3 ({self.project}/bin/python cannot be started (", line)

    def test_environment_of_the_command_gets_no_packages(self):
        for prefix in ("home/.local/share/pipx/venvs/anycuda", "home/.cache/uv/archive-v0/c0ffee",
                       "home/.local/share/uv/tools/anycuda"):
            computer = Computer(self).works()
            computer.python_in(computer.root / prefix)
            del computer.variables["VIRTUAL_ENV"]
            one, = computer.json_report("--library", "cudart")["help"]
            self.assertEqual((one["situation"], one["commands"]),
                             ("own_environment", ["anycuda doctor --python PATH"]))

    def test_conda_base_that_is_not_used(self):
        computer = self.computer().env(CONDA_PREFIX="/opt/conda", CONDA_DEFAULT_ENV="base")
        report = computer.json_report("--library", "cudart")
        self.assertEqual([one["situation"] for one in report["help"]], ["no_library", "conda_base"])
        self.assertIn("anycuda doctor --python /opt/conda/bin/python", report["help"][1]["commands"])
        page = computer.doctor("--library", "cudart").stdout
        self.assertRegex(page, r"(?m)^  not used +conda's activated base, /opt/conda: ")
        computer.env(CONDA_PREFIX=str(computer.venv))
        self.assertNotIn("not used", computer.doctor("--library", "cudart").stdout)

    def test_working_folder_hides_no_module(self):
        computer = self.computer().file("ctypes.py", "raise SystemExit(1)\n")
        report = computer.json_report("--library", "cudart", "--python", str(self.project / "bin/python"))
        self.assertEqual(report["machine"]["ended"], "")

    def test_advice_names_the_examined_environment(self):
        computer = self.computer()
        for options, prefix in (((), computer.venv), (("--python", str(self.project / "bin/python")), self.project)):
            report = computer.json_report("--library", "cudart", *options)
            command, = report["help"][0]["commands"]
            self.assertTrue(command.startswith(f"{prefix}/bin/python"), command)


if __name__ == "__main__":
    unittest.main()
