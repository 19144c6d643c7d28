# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair` on small made wheels: its results, and that a failure loses nothing."""

import os
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from build_folder import artifact, with_real_libraries
from doctor_support import Machine, library_file
from wheel_support import STUBS, FolderCase, anycuda, needed, problems, repaired, stub_in, unpack

SOURCE = """
#include <unistd.h>
int cudaRuntimeGetVersion(int*);
int version(void) { int found = getpid() * 0; return cudaRuntimeGetVersion(&found) ? 0 : found; }
"""
# Its answer shows which library it calls, and so does what is loaded then. Without a driver
# 11.8 answers callers of 12 and 13, through the stub, and no others: its answer is left out.
CALL = """
import ctypes, re, sys
version = ctypes.CDLL(sys.argv[1]).version()
version *= version >= 12000
print(version, *sorted(set(re.findall(r"/(libcudart[.]so[.0-9]*)$", open("/proc/self/maps").read(), re.M))))
"""
# How vLLM finds the runtime: find_loaded_library() and CudaRTLibrary of its cuda_wrapper.py. SGLang (cuda_wrapper.py)
# and FlashInfer (comm/cuda_ipc.py) have the same: the file of the first line in the process's maps that has
# "libcudart" anywhere. Its name must begin so. It is opened, with these functions.
LOOK_UP = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
def find_loaded_library(stem):
    with open("/proc/self/maps") as maps:
        line = next((line for line in maps if stem in line), None)
    if line is None:
        return None
    path = line[line.index("/"):].strip()
    name = path.split("/")[-1]
    assert name.rpartition(".so")[0].startswith(stem), f"Unexpected filename: {name}"
    return path
def look_up():
    path = find_loaded_library("libcudart")
    if path is None:
        return None
    runtime = ctypes.CDLL(path)
    for function in ("SetDevice", "DeviceSynchronize", "DeviceReset", "GetErrorString", "Malloc", "Free", "Memset",
                     "Memcpy", "IpcGetMemHandle", "IpcOpenMemHandle"):
        getattr(runtime, "cuda" + function)
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    assert runtime.cudaGetErrorString(0) == b"no error", path
    return path.split("/")[-1]
print(look_up(), library.version(), look_up())
"""
NONE, ON_11, ON_12, ON_13 = "0", "0 libcudart.so.11.0", "12090 libcudart.so.12", "13050 libcudart.so.13"
TAG = "py3-none-linux_x86_64"
NAME = f"thing-1.0-{TAG}.whl"
COMPILER = shutil.which("cc") or shutil.which("gcc")


def compiled(source: str, path: Path, *options) -> bytes:
    if COMPILER is None:
        raise unittest.SkipTest("no C compiler")
    subprocess.run([COMPILER, "-x", "c", "-", "-o", path, "-shared", "-fPIC", *map(str, options)],
                   input=source, text=True, check=True)
    return path.read_bytes()


class RepairCase(FolderCase):
    def library(self, release: str = "12.9", *options, source: str = SOURCE) -> bytes:
        """A library that calls the runtime; linked to the real one of that release, "" to none."""
        linked = ["-x", "none", library_file("cudart", release)] if release else []
        return compiled(source, self.top / "made.so", *linked, "-Wl,--disable-new-dtags", *options)

    def repair(self, path: Path, *arguments) -> Path:
        return unpack(repaired(path, self.top / "out", *arguments), self.top / "unpacked")

    def refused(self, path: Path, *arguments, status: int = 1) -> str:
        """What it says; the wheel stays as it was, and nothing new is there."""
        before, files = path.read_bytes() if path.is_file() else b"", set(self.top.rglob("*"))
        done = anycuda("repair", "-w", self.top / "out", path, *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(path.read_bytes() if path.is_file() else b"", before)
        self.assertEqual(set(self.top.rglob("*")) - files - {self.top / "out"}, set())
        return done.stdout + done.stderr


@with_real_libraries
class Repaired(RepairCase):
    def versions(self, folder: Path, name: str) -> list[str]:
        """What the library calls, on machines with no CUDA, with 11.8, 12.9, 13.5, and with all."""
        found = []
        for releases in ((), ("11.8",), ("12.9",), ("13.5",), ("11.8", "12.9", "13.5")):
            machine = Machine(self).env(LD_BIND_NOW="1", ANYCUDA_LOG="off")
            for release in releases:
                machine.wheel("cudart", release)
            done = machine.run([machine.python, "-c", CALL, folder / name])
            found.append(done.stdout.strip() or done.stderr)
        return found

    def test_library_for_one_cuda_runs_on_each_loads_without(self):
        files = {"thing/a11.so": self.library("11.8"), "thing/sub/a12.so": self.library("12.9"),
                 "a13.so": self.library("13.5")}
        path = self.wheel(files)
        folder = self.repair(path)
        for name in files:
            with self.subTest(name=name):
                self.assertEqual(self.versions(folder, name), [NONE, ON_11, ON_12, ON_13, ON_13])
        self.assertEqual(len(list(folder.glob("thing.libs/*"))), 1)
        self.assertEqual(problems(self.top / "out" / path.name), [])
        native = unpack(path, self.top / "native")
        self.assertIn("libcudart.so.12: cannot open shared object", self.versions(native, "thing/sub/a12.so")[3])

    def test_lookup_by_name_does_not_find_a_wheels_stub(self):
        # No file of the process has the name but the runtime's: the test's own folder must not have it.
        self.assertNotIn("libcudart", str(self.top))
        for name in ("thing", "libcudart_thing"):
            path = self.wheel({"thing/a.so": self.library("12.9")}, name=f"{name}-1.0-{TAG}.whl")
            folder = unpack(repaired(path, self.top / "out"), self.top / f"unpacked-{name.partition('_')[2]}")
            runtime = "libcudart.so.12"
            for releases, when, found in (((), "", "None 0 None"), (("12.9",), "", f"None 12090 {runtime}"),
                                          (("12.9",), "load", f"{runtime} 12090 {runtime}")):
                with self.subTest(name=name, releases=releases, when=when):
                    machine = Machine(self).env(LD_BIND_NOW="1", ANYCUDA_LOG="off", ANYCUDA_OPEN=when)
                    for release in releases:
                        machine.wheel("cudart", release)
                    done = machine.run([machine.python, "-c", LOOK_UP, folder / "thing/a.so"])
                    self.assertEqual(done.stdout.strip(), found, done.stderr)

    def test_lookup_by_name_finds_a_directly_linked_stub(self):
        """docs/versions.md warns of it; such a stub serves these calls, with no version."""
        self.assertNotIn("libcudart", str(self.top))
        shutil.copy(STUBS / "libcudart_stub.so", self.top)
        linked = compiled(SOURCE, self.top / "a.so", "-x", "none", STUBS / "link/12/libcudart.so", "-Wl,-rpath,$ORIGIN")
        machine = Machine(self).env(ANYCUDA_LOG="off").wheel("cudart", "12.9")
        done = machine.run([machine.python, "-c", LOOK_UP, self.top / "a.so"])
        self.assertEqual(done.stdout.split()[:2], ["libcudart_stub.so", "12090"], done.stderr)
        folder = self.repair(self.wheel({"thing/a.so": linked}))
        done = machine.run([machine.python, "-c", LOOK_UP, folder / "thing/a.so"])
        self.assertEqual(done.stdout.strip(), "None 12090 libcudart.so.12", done.stderr)

    def test_wheel_repaired_by_an_older_release_is_unchanged(self):
        from anycuda.elf import edit
        name = "libcudart_stub-0123abcd.so"
        stub = Path(shutil.copy(STUBS / "libcudart_stub.so", self.top / name))
        edit.apply(stub, edit.Edit(soname=name))
        linked = self.library("12.9")
        user = self.top / "a.so"
        user.write_bytes(linked)
        edit.apply(user, edit.Edit(needed={"libcudart.so.12": name}, rpath=["$ORIGIN"]))
        path = self.wheel({"thing/a.so": user.read_bytes(), f"thing/{name}": stub.read_bytes()})
        done = anycuda("repair", "-w", self.top / "out", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"already has {name}", done.stdout)
        self.assertEqual((self.top / "out" / path.name).read_bytes(), path.read_bytes())
        folder = unpack(path, self.top / "unpacked")
        self.assertEqual(self.versions(folder, "thing/a.so"), [NONE, ON_11, ON_12, ON_13, ON_13])

    def test_what_was_linked_to_the_stub_as_cmake_does(self):
        """With the stub for a folder of linking (its versions are those of CUDA 12), and with the stub itself."""
        link, stub = STUBS / "link/12/libcudart.so", STUBS / "libcudart_stub.so"
        files = {f"thing/{name}.so": self.library("", "-x", "none", linked)
                 for name, linked in (("link", link), ("stub", stub))}
        for bundled in ({}, {"thing/lib/libcudart_stub.so": stub.read_bytes()}):
            with self.subTest(bundled=list(bundled)):
                path = self.wheel({**files, **bundled})
                first = repaired(path, self.top / "out", "--force")
                self.assertEqual(problems(first), [])
                folder = unpack(first, self.top / f"unpacked{len(bundled)}")
                own = stub_in(folder, "cudart")
                self.assertFalse(list(folder.rglob("libcudart_stub.so")))
                for name in files:
                    self.assertIn(own.name, needed(folder / name))
                    self.assertNotIn("libcudart_stub.so", needed(folder / name))
                    self.assertEqual(self.versions(folder, name), [NONE, ON_11, ON_12, ON_13, ON_13])
                from anycuda.elf import read
                asked = {name: read.read(folder / name).versions_needed[own.name] for name in files}
                self.assertEqual(asked, {"thing/link.so": ["libcudart.so.12"], "thing/stub.so": ["ANYCUDA_NATIVE"]})
                again = repaired(first, self.top / f"again{len(bundled)}")
                self.assertEqual(again.read_bytes(), first.read_bytes())

    def test_a_stub_that_a_library_opens_by_name_stays(self):
        linked = self.library("", "-x", "none", STUBS / "link/12/libcudart.so")
        opens = compiled('const char* name = "libcudart_stub.so";', self.top / "opens.so")
        folder = self.repair(self.wheel({"thing/a.so": linked, "thing/opens.so": opens,
                                         "thing/libcudart_stub.so": (STUBS / "libcudart_stub.so").read_bytes()}))
        self.assertTrue((folder / "thing/libcudart_stub.so").exists())
        self.assertIn(stub_in(folder, "cudart").name, needed(folder / "thing/a.so"))

    def test_functions_of_no_named_library(self):
        path = self.wheel({"thing/stray.so": self.library(""), "thing/a.so": self.library("12.9")})
        folder = self.repair(path)
        self.assertEqual(self.versions(folder, "thing/stray.so"), [NONE, ON_11, ON_12, ON_13, ON_13])
        alone = self.wheel({"thing/stray.so": self.library("")}, name=f"alone-1.0-{TAG}.whl")
        self.assertIn("--built-for", self.refused(alone))
        shutil.rmtree(folder)
        self.assertEqual(self.versions(self.repair(alone, "--built-for", "11"), "thing/stray.so")[3], ON_13)

    def test_the_kind_of_the_search_path_is_kept(self):
        files = {"thing/none.so": self.library(), "thing/rpath.so": self.library("12.9", "-Wl,-rpath,/x"),
                 "thing/runpath.so": self.library("12.9", "-Wl,--enable-new-dtags,-rpath,/x")}
        folder = self.repair(self.wheel(files))
        from anycuda.elf import read
        way = "$ORIGIN/../thing.libs"
        found = {path.stem: (image.rpath, image.runpath) for path in (folder / "thing").iterdir()
                 for image in [read.read(path)]}
        self.assertEqual(found, {"none": (way, None), "rpath": (f"/x:{way}", None), "runpath": (None, f"/x:{way}")})

    def test_the_stub_is_named_by_its_content(self):
        folder = self.repair(self.wheel({"thing/a.so": self.library()}))
        stub = stub_in(folder, "cudart")
        from anycuda.elf import read
        self.assertEqual(read.read(stub).soname, stub.name)
        self.assertIn(stub.name, needed(folder / "thing/a.so"))
        self.assertEqual(os.stat(stub).st_mode & 0o400, 0o400)
        other = self.top / "stubs"
        other.mkdir()
        for path in STUBS.glob("lib*_stub.so"):
            (other / path.name).write_bytes(path.read_bytes() + b"\0")
        shutil.rmtree(folder)
        again = self.repair(self.wheel({"thing/a.so": self.library()}), "--stubs", other, "--force")
        self.assertNotEqual(stub_in(again, "cudart").name, stub.name)

    def test_twice_gives_the_same_and_of_a_repaired_one_nothing(self):
        path = self.wheel({"thing/a.so": self.library()})
        first = repaired(path, self.top / "one")
        self.assertEqual(first.read_bytes(), repaired(path, self.top / "two").read_bytes())
        done = anycuda("repair", "-w", self.top / "three", first)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to repair; copied to", done.stdout)
        self.assertIn("has libanycuda_cudart-", done.stdout)
        self.assertEqual((self.top / "three" / path.name).read_bytes(), first.read_bytes())

    def test_wheels_in_which_there_is_nothing_to_do(self):
        static = self.library("", source=SOURCE + 'const char* shared = "/cudart.shm.1";\n'
                                                  'int cudaRuntimeGetVersion(int* v) { *v = 1; return 0; }\n')
        elf32 = b"\x7fELF\x01\x01\x01" + bytes(60)
        for files, expected in (({"thing/a.py": b"1"}, ""),
                                ({"thing/a.so": static}, "a CUDA runtime linked in statically"),
                                ({"thing/a.so": elf32}, "stays unchanged: a 32-bit file"),
                                ({"thing/a.so": compiled("int f;", self.top / "f.so")}, "")):
            with self.subTest(expected=expected):
                path = self.wheel(files)
                done = anycuda("repair", "-w", self.top / "out", "--force", path)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("nothing to repair", done.stdout)
                self.assertIn(expected, done.stdout)
                self.assertEqual((self.top / "out" / path.name).read_bytes(), path.read_bytes())

    def test_a_requirement_is_dropped_where_that_is_wanted(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata="Requires-Dist: nvidia-cuda-runtime-cu12\n")
        kept = (self.repair(path) / "thing-1.0.dist-info/METADATA").read_text()
        self.assertIn("nvidia-cuda-runtime-cu12", kept)
        folder = self.repair(path, "--force", "--drop-requirement", "nvidia_cuda_runtime_cu12")
        self.assertNotIn("nvidia", (folder / "thing-1.0.dist-info/METADATA").read_text())
        self.assertEqual(problems(self.top / "out" / path.name), [])
        self.assertIn("the wheel does not require this project, only nvidia-cuda-runtime-cu12",
                      self.refused(path, "--force", "--drop-requirement", "nvidia-cuda-runtime", status=2))

    def test_in_place_and_a_dry_run(self):
        path = self.wheel({"thing/a.so": self.library()})
        before = path.read_bytes()
        done = anycuda("repair", "--dry-run", path, cwd=self.top)
        self.assertEqual((done.returncode, path.read_bytes()), (0, before))
        self.assertIn("libcudart.so.12 -> libanycuda_cudart-", done.stdout)
        self.assertFalse((self.top / "wheelhouse").exists())
        os.chmod(path, 0o640)
        done = anycuda("repair", "--in-place", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((problems(path), path.stat().st_mode & 0o777), ([], 0o640))
        self.assertNotEqual(path.read_bytes(), before)
        self.assertEqual([one.name for one in self.top.iterdir() if one.name.startswith(".")], [])

    def test_in_place_behind_a_symbolic_link(self):
        path = self.wheel({"thing/a.so": self.library()})
        link = self.top / "links" / path.name
        link.parent.mkdir()
        link.symlink_to(path)
        before = path.read_bytes()
        self.assertEqual(anycuda("repair", "--in-place", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(path.read_bytes(), before)

    def test_a_name_that_cannot_be_printed(self):
        path = self.wheel({"thing/a.so": self.library()})
        name = "thing-1.0+\udcff\x1b-py3-none-linux_x86_64.whl"
        path = path.rename(path.with_name(name))
        done = anycuda("repair", "-w", self.top / "out", path, PYTHONIOENCODING="utf-8:strict")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("thing-1.0+\\udcff\\x1b-py3", done.stdout)
        self.assertEqual(problems(self.top / "out" / name), [])

    def test_a_dry_run_says_that_there_is_nothing(self):
        done = anycuda("repair", "--dry-run", self.wheel({"thing/a.py": b"1"}))
        expected = f"{NAME}\n  nothing to repair\n  verdict: no CUDA in binaries\n"
        self.assertEqual((done.returncode, done.stdout), (0, expected))

    def test_another_wheel_of_that_name_is_not_lost(self):
        path = self.wheel({"thing/a.so": self.library()})
        out = repaired(path, self.top / "out")
        self.assertIn("already up to date", anycuda("repair", "-w", self.top / "out", path).stdout)
        out.write_bytes(b"somebody's work")
        self.assertIn("pass --force to replace it", self.refused(path, status=2))
        self.assertEqual(out.read_bytes(), b"somebody's work")
        self.assertEqual(problems(repaired(path, self.top / "out", "--force")), [])
        self.assertIn("--in-place", anycuda("repair", "-w", self.top, path).stderr)

    def test_one_bad_wheel_does_not_stop_the_others(self):
        bad = self.top / f"bad-1.0-{TAG}.whl"
        bad.write_bytes(b"no zip")
        good = self.wheel({"thing/a.so": self.library()})
        done = anycuda("repair", "-w", self.top / "out", bad, good)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a zip file", done.stderr)
        self.assertEqual(problems(self.top / "out" / good.name), [])


@with_real_libraries
class Refused(RepairCase):
    def test_file_that_is_not_a_wheel(self):
        path = self.top / NAME
        for content, expected in ((b"", "not a zip file"), (b"\x7fELF" + bytes(100), "not a zip file")):
            path.write_bytes(content)
            self.assertIn(expected, self.refused(path, status=2))
        for name in (f"none-1-{TAG}.whl", "none.whl", "none"):
            self.assertIn("does not exist", self.refused(self.top / name, status=2))
        other = self.top / "there.whl"
        other.write_bytes(b"")
        self.assertIn("is not named like a wheel", self.refused(other, status=2))

    def test_cut_and_changed_wheels(self):
        whole = self.wheel({"thing/a.so": self.library()}).read_bytes()
        path = self.top / "cut" / NAME
        path.parent.mkdir()
        path.write_bytes(whole[: len(whole) * 2 // 3])
        self.assertIn("truncated", self.refused(path, status=2))
        changed = bytearray(whole)
        changed[1000] ^= 4
        path.write_bytes(changed)
        self.assertIn("thing/a.so: truncated or damaged", self.refused(path, status=2))

    def test_names_that_lead_out(self):
        self.assertIn("may lead out of its folder", self.refused(self.wheel({"../a.so": self.library()}), status=2))

    def test_a_record_that_does_not_agree(self):
        good = self.wheel({"thing/a.so": self.library()})
        record = zipfile.ZipFile(good).read("thing-1.0.dist-info/RECORD").replace(b"a.so,sha256=", b"a.so,sha256=x")
        path = self.wheel({"thing/a.so": self.library(), "thing/b.py": b""}, record=record)
        output = self.refused(path)
        self.assertIn("RECORD does not match the wheel's contents: thing/b.py is not in RECORD; thing/a.so has another "
                      "hash than in RECORD (pip does not check this)", output)
        self.assertIn("if the new file has the same differences, pass --any-record", output)
        done = anycuda("repair", "--any-record", "-w", self.top / "out", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("hash than in RECORD (accepted because of --any-record)", done.stdout)
        self.assertEqual(problems(self.top / "out" / path.name), [])

    def test_a_cut_library_in_a_whole_wheel(self):
        library = self.library()
        path = self.wheel({"thing/a.so": library[: len(library) // 2], "thing/b.so": library})
        done = anycuda("repair", "-w", self.top / "out", path)
        self.assertIn("thing/a.so stays unchanged: truncated", done.stdout)

    def test_a_wheel_for_musl(self):
        path = self.wheel({"thing/a.so": self.library()}, name="thing-1.0-py3-none-musllinux_1_2_x86_64.whl")
        self.assertIn("for musl", self.refused(path, status=2))

    def test_functions_that_no_stub_has(self):
        source = "void cudaFromTheFuture(void); void f(void) { cudaFromTheFuture(); }"
        fake = self.top / "fake.so"
        (self.top / "map").write_text("libcudart.so.12 { global: *; };")
        compiled("void cudaFromTheFuture(void) {}", fake,
                 f"-Wl,-soname,libcudart.so.12,--version-script={self.top / 'map'}")
        library = compiled(source, self.top / "made.so", "-x", "none", fake)
        self.assertIn("cudaFromTheFuture of CUDA 12, unknown to this version of anycuda",
                      self.refused(self.wheel({"thing/a.so": library})))

    def test_invalid_stubs_folder_is_refused(self):
        path = self.wheel({"thing/a.so": self.library()})
        self.assertIn("is not a folder", self.refused(path, "--stubs", self.top / "nowhere", status=2))
        folder = self.top / "fake"
        folder.mkdir()
        self.assertIn("libcudart_stub.so", self.refused(path, "--stubs", folder, status=2))
        shutil.copy(library_file("cudart", "12.9"), folder / "libcudart_stub.so")
        self.assertIn("not a stub of anycuda", self.refused(path, "--stubs", folder, status=2))

    def test_a_glibc_that_is_newer_than_promised(self):
        stubs = self.top / "stubs"
        stubs.mkdir()
        newer = (STUBS / "libcudart_stub.so").read_bytes().replace(b"GLIBC_2.16\0", b"GLIBC_2.36\0")
        (stubs / "libcudart_stub.so").write_bytes(newer)
        path = self.wheel({"thing/a.so": self.library()}, name="thing-1.0-py3-none-manylinux_2_17_x86_64.whl")
        self.assertIn("but the stubs need glibc 2.36.", self.refused(path, "--stubs", stubs))


@with_real_libraries
class Installed(RepairCase):
    """By pip, in a new environment."""

    def pip(self, *arguments) -> str:
        done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--python",
                               self.top / "venv", *arguments], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def setUp(self) -> None:
        super().setUp()
        self.environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self.environment["PYTHONPATH"] = str(artifact("pip"))
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.top / "venv"], check=True)

    def test_checked_imported_and_taken_away(self):
        code = b"import ctypes, pathlib\nlib = ctypes.CDLL(str(pathlib.Path(__file__).parent / 'a.so'))\n"
        path = repaired(self.wheel({"thing/__init__.py": code, "thing/a.so": self.library()}), self.top / "out")
        before = set((self.top / "venv").rglob("*"))
        self.pip("install", "--no-index", "--no-deps", "--no-compile", path)
        self.assertIn("No broken requirements", self.pip("check"))
        done = subprocess.run([self.top / "venv/bin/python", "-c", "import thing; print(thing.lib.version())"],
                              capture_output=True, text=True,
                              env={"LD_BIND_NOW": "1", "ANYCUDA_SYSTEM_ROOT": str(self.top), "ANYCUDA_LOG": "off",
                                   "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.stdout, done.returncode), ("0\n", 0), done.stderr)
        self.pip("uninstall", "--yes", "thing")
        self.assertEqual(set((self.top / "venv").rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
