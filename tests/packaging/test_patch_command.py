# SPDX-License-Identifier: Apache-2.0
"""`anycuda patch` on real programs and on what nvcc makes, run on machines with other CUDA majors.

They and the stubs are of the build folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from build_folder import BUILD, artifact, build_file, with_real_libraries
from elf_support import read
from matrix_support import anycuda

from anycuda import installation
from anycuda.elf import edit, lookup
from anycuda.elf.edit import Edit
from anycuda.matrix import data

COMMAND = build_file("bin/anycuda")
REAL = BUILD / "tests" / "integration"
RELEASES = ("11.8", "12.9", "13.5")
STEPS = ("peek", "runtime", "driver", "count", "device", "malloc", "attributes", "not-yet", "channel", "error-name:35",
         "error-string:2", "last", "no-output", "last", "last")


def library(name: str, release: str) -> Path:
    """Of the cache, with its own name: libcudart.so.12"""
    found = sorted(artifact(f"{name}-{release}").rglob("lib*.so.*"))
    return next(path for path in found if ".alt." not in path.name and "builtins" not in path.name
                and not path.is_symlink())


@with_real_libraries
class Command(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()

    def patch(self, *arguments: object, status: int = 0) -> str:
        done = subprocess.run([sys.executable, COMMAND, "patch", *map(str, arguments)], text=True, capture_output=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr if status else done.stdout

    def copied(self, path: Path, name: str = "") -> Path:
        return Path(shutil.copy(path, self.folder / (name or path.name)))

    def refused(self, path: Path, reason: str, *arguments: str):
        before = path.read_bytes() if path.is_file() else b""
        self.assertRegex(self.patch(path, *arguments, status=2), f"^anycuda patch: .*{reason}")
        if path.is_file():
            self.assertTrue(path.read_bytes() == before)

    def run_on(self, folders: list, program: object, *arguments: str) -> str:
        """What it says on a machine with nothing but the libraries in these folders."""
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LD_BIND_NOW": "1", "ANYCUDA_LOG": "off",
               "ANYCUDA_SYSTEM_ROOT": str(self.folder), "LD_LIBRARY_PATH": ":".join(map(str, folders))}
        done = subprocess.run([str(program), *arguments], text=True, capture_output=True, env=env)
        return f"{done.stdout}status {done.returncode} {done.stderr}"

    def machines(self) -> list:
        driver = artifact("driver-535")
        return [[], *([library("cudart", release).parent, driver] for release in RELEASES)]

    def test_programs_run_on_every_major_as_those_that_patchelf_made(self):
        seen = set()
        for major in ("11", "12", "13"):
            program = self.copied(REAL / "native" / f"call_cudart-{major}")
            before = program.read_bytes()
            self.assertIn(f"built for CUDA {major}", self.patch(program))
            for folders in self.machines():
                output = self.run_on(folders, program, *STEPS)
                self.assertEqual(output, self.run_on(folders, REAL / "patched" / program.name, *STEPS))
                self.assertIn("status 0", output)
                seen.add(output.split("runtime: ")[1].split("\n")[0])
            self.assertIn("is restored to the original", self.patch("--undo", program))
            self.assertTrue(program.read_bytes() == before)
        # Without a GPU 11.8 says its version only to programs for 12 and 13; 13.5 wants another driver.
        self.assertEqual(seen, {"100 77", "0 11080", "0 12090", "35 0"})

    def test_a_program_without_symbol_versions_is_adapted_all_the_same(self):
        plain = REAL / "plain" / "programs"
        for major in ("11", "12"):
            program = self.copied(plain / f"call_cudart-{major}")
            self.assertIn(f"got the version of CUDA {major}", self.patch(program))
            for folders in self.machines():
                self.assertEqual(self.run_on(folders, program, *STEPS),
                                 self.run_on(folders, REAL / "patched" / program.name, *STEPS))

    def test_what_nvcc_makes(self):
        for release in ("11.8", "12.4", "13.0"):
            extension = self.copied(REAL / "kernels" / "native" / f"kernels-{release}.so")
            self.patch(extension)
            for folders in self.machines():
                arguments = [word for name in ("device_count", "launch", "set_variable") for word in (f"call:{name}",)]
                output = self.run_on(folders, REAL / "native" / "host", f"import:{extension}", *arguments)
                self.assertEqual(output, self.run_on(folders, REAL / "native" / "host",
                                                     f"import:{REAL / 'kernels' / extension.name}", *arguments))
                self.assertIn("import: yes", output)

    def test_every_library_that_has_a_stub(self):
        for name, old, new in (("call_nvrtc-12", "libnvrtc.so.12", "libnvrtc_stub.so"),
                               ("call_nvjitlink-13", "libnvJitLink.so.13", "libnvjitlink_stub.so"),
                               ("call_cuda", "libcuda.so.1", "libcuda_stub.so")):
            program = self.copied(REAL / "native" / name)
            self.assertIn(f"needs {new} in place of {old}", self.patch(program))
            self.assertEqual(read.read(program).needed[0], new)
            for folders in ([], [artifact("driver-535")]):
                self.assertEqual(self.run_on(folders, program, "version"),
                                 self.run_on(folders, REAL / "patched" / name, "version"))

    def test_library_is_open_before_the_first_call(self):
        library = self.copied(REAL / "fakes" / "calls_at_exit_library.so")
        steps = [[artifact("cudart-12.9") / "nvidia/cuda_runtime/lib"], REAL / "native" / "host", f"import:{library}"]
        before = library.read_bytes()
        self.assertIn("constructor: not loaded", self.run_on(*steps))
        self.assertIn("needs libanycuda_open_at_load.so", self.patch("--copy-stubs", "--open-at-load", library))
        self.assertIn("constructor: loaded", self.run_on(*steps))
        self.patch("--undo", library)
        self.assertTrue(library.read_bytes() == before)

    def test_program_that_looks_for_the_runtime_before_its_first_call_finds_it(self):
        program = self.copied(REAL / "native" / "call_cudart-12")
        steps = [[artifact("cudart-12.9") / "nvidia/cuda_runtime/lib"], program, "loaded:libcudart.so"]
        for options, found in (([], "loaded: none"), (["--open-at-load"], "/libcudart.so.12")):
            self.patch("--copy-stubs", *options, program)
            self.assertIn(found, self.run_on(*steps))

    def test_a_function_that_no_need_brings(self):
        source = "extern int cudaRuntimeGetVersion(int *); int puts(const char *);\n" \
                 "int version(void) { int is = 7; return cudaRuntimeGetVersion(&is) ? puts(\"none\") : is; }"
        text = self.folder / "a.c"
        text.write_text(source)
        extension = self.folder / "extension.so"
        subprocess.run(["cc", "-shared", "-fPIC", text, "-o", extension], check=True)
        self.refused(extension, "its CUDA major is unknown: pass --built-for with one of 11, 12, 13")
        self.patch("--copy-stubs", "--built-for", "12", extension)
        image = read.read(extension)
        self.assertEqual(image.versions_needed["libcudart_stub.so"], ["libcudart.so.12"])
        self.assertEqual(image.rpath or image.runpath, "$ORIGIN")
        output = self.run_on(self.machines()[2], REAL / "native" / "host", f"import:{extension}", "call:version")
        self.assertIn("call: 12090", output)
        self.assertIn(": nothing to do", self.patch(extension))

    def without_a_way(self, name: str = "") -> Path:
        """A program without a search path to the stubs, which the build's own folder would be."""
        program = self.copied(REAL / "native" / "call_cudart-12", name)
        edit.apply(program, Edit(set_rpath="/nowhere"))
        return program

    def test_where_the_stubs_are(self):
        program = self.without_a_way()
        output = self.patch("--dry-run", "--copy-stubs", program)
        self.assertIn("would be patched", output)
        self.assertIn("libcudart.so.12", read.read(program).needed)
        output = self.patch("--rpath", "$ORIGIN", program)
        self.assertIn("added $ORIGIN to its search path (DT_RUNPATH)", output)
        self.assertIn("the search path does not have libcudart_stub.so yet: copy", output)
        self.assertIn("nothing to do", self.patch(program))
        self.assertIn("cannot open shared object file", self.run_on([], program, "peek"))
        self.assertIn(f"copied libcudart_stub.so to {self.folder}", self.patch("--copy-stubs", program))
        self.assertIn("peek: 35", self.run_on([], program, "peek"))
        self.patch("--rpath", "/opt/x", "--rpath", "$ORIGIN/../y", program)
        self.assertEqual(read.read(program).runpath, "/nowhere:$ORIGIN:/opt/x:$ORIGIN/../y")
        self.patch("--undo", program)
        self.assertTrue(program.read_bytes() == (REAL / "native" / program.name).read_bytes())
        for folder in ("relative", "/a:/b", "$ORIGINAL", "${ORIGIN}x"):
            self.refused(program, "use an absolute path", "--rpath", folder)

    def test_stubs_that_the_dynamic_linker_would_not_find(self):
        program = self.without_a_way()
        for arguments in ((), ("--dry-run",), ("--output", str(self.folder / "other"))):
            self.refused(program, "call_cudart-12 is unchanged, since the dynamic linker would not find "
                         "libcudart_stub.so: neither the file's search path, the file's folder "
                         rf"\({self.folder}\) nor the system's folders have it. Use --copy-stubs to copy the stubs "
                         "into this folder, or --rpath DIR to name the folder that has the stubs, such as "
                         f"{BUILD}/lib\n$",
                         *arguments)
        self.assertEqual([path.name for path in self.folder.iterdir()], [program.name])
        self.assertIn("status 127", self.run_on([], program, "peek"))  # it needs NVIDIA's library, as before
        for arguments in (("--rpath", BUILD / "lib"), ("--copy-stubs",)):
            made = self.without_a_way("made")
            self.patch(made, *arguments)
            self.assertIn("peek: 35", self.run_on([], made, "peek"))

    def test_stub_in_the_folder_of_the_file(self):
        program, stub = self.without_a_way(), self.folder / "libcudart_stub.so"
        stub.write_text("no library")
        self.refused(program, "would not find libcudart_stub.so")
        shutil.copy(BUILD / "lib" / stub.name, stub)
        self.assertIn("added $ORIGIN to its search path", self.patch(program))
        self.assertIn("peek: 35", self.run_on([], program, "peek"))

    def test_output_in_another_folder(self):
        """$ORIGIN is the folder of the result."""
        program, other = self.without_a_way(), self.folder / "other"
        edit.apply(program, Edit(set_rpath="$ORIGIN"))
        shutil.copy(BUILD / "lib" / "libcudart_stub.so", self.folder)
        other.mkdir()
        self.refused(program, rf"the file's folder \({other}\)", "--output", str(other / "program"))
        shutil.copy(BUILD / "lib" / "libcudart_stub.so", other)
        self.patch(program, "--output", other / "program")
        self.assertIn("peek: 35", self.run_on([], other / "program", "peek"))

    def test_program_for_another_cpu(self):
        program = self.without_a_way()
        content = bytearray(program.read_bytes())
        content[18] = 183  # EM_AARCH64
        program.write_bytes(content)
        shutil.copy(BUILD / "lib" / "libcudart_stub.so", self.folder)
        self.refused(program, "would not find libcudart_stub.so: .* have it. Use --rpath DIR to name the folder that "
                              "will have the stubs for aarch64")
        self.refused(program, "use --rpath '.ORIGIN' in place of --copy-stubs", "--copy-stubs")
        self.assertIn("is patched", self.patch("--rpath", "/opt/stubs", program))

    def test_stubs_in_the_cache_of_the_dynamic_linker(self):
        """A real cache, which ldconfig makes of a folder with the stub."""
        folder, cache = self.folder / "lib", self.folder / "cache"
        folder.mkdir()
        shutil.copy(BUILD / "lib" / "libcudart_stub.so", folder)
        (self.folder / "conf").write_text(f"{folder}\n")
        subprocess.run(["/sbin/ldconfig", "-X", "-C", cache, "-f", self.folder / "conf"], check=True,
                       capture_output=True)
        self.assertEqual(lookup.cached("libcudart_stub.so"), [])
        installed = installation.load(BUILD / "share/anycuda/installation.json")
        with mock.patch.object(installation, "find", return_value=installed), mock.patch.object(
                data, "find", return_value=BUILD / "share/anycuda/matrix.json"), mock.patch.object(
                lookup, "CACHE", cache):
            self.assertEqual(lookup.cached("libcudart_stub.so"), [folder])
            self.assertEqual(lookup.cached("cudart_stub.so"), [])
            status, out, err = anycuda("patch", str(self.without_a_way()))
            self.assertEqual((status, err), (0, ""))
            self.assertIn("is patched", out)
            (folder / "libcudart_stub.so").unlink()  # after the last ldconfig
            self.assertEqual(anycuda("patch", str(self.without_a_way()))[0], 2)
        with mock.patch.object(lookup, "CACHE", self.folder / "none"):
            self.assertEqual(lookup.cached("libcudart_stub.so"), [])

    def test_a_program_with_set_user_id(self):
        """For which the dynamic linker does not look in $ORIGIN."""
        program = self.without_a_way()
        shutil.copy(BUILD / "lib" / "libcudart_stub.so", self.folder)
        self.assertNotIn("rights", self.patch(program, "--output", self.folder / "plain"))
        program.chmod(0o4755)
        self.refused(program, "have it. Use --rpath DIR to name")
        self.assertIn("ignores $ORIGIN", self.patch("--copy-stubs", program, "--output", self.folder / "other"))
        self.assertNotIn("rights", self.patch("--rpath", self.folder, program))
        self.assertEqual(program.stat().st_mode & 0o7777, 0o4755)

    def test_results(self):
        program = self.copied(REAL / "native" / "call_cudart-12")
        other = self.folder / "other"
        self.assertIn("other: is patched", self.patch(program, "--output", other))
        self.assertTrue(program.read_bytes() == (REAL / "native" / program.name).read_bytes())
        self.assertEqual(read.read(other).needed[0], "libcudart_stub.so")
        self.assertTrue(os.access(other, os.X_OK))
        self.patch("--undo", other, "--output", self.folder / "back")
        self.assertTrue(program.read_bytes() == (self.folder / "back").read_bytes())
        os.mkfifo(self.folder / "pipe")
        self.refused(program, "pipe is not a regular file", "--output", str(self.folder / "pipe"))
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertIn("invalid choice: '99'", self.patch("--built-for", "99", program, status=2))
        self.assertIn("--output works with one FILE only", self.patch(program, other, "--output", "x", status=2))

    def test_undo_says_why_it_cannot(self):
        for path in (REAL / "patched" / "call_cudart-12", REAL / "linked" / "call_cudart-12"):
            self.refused(self.copied(path), "has no undo record of anycuda", "--undo")
        untouched = self.copied(REAL / "native" / "call_cudart-12", "untouched")
        self.assertIn("nothing to undo", self.patch("--undo", untouched))
        self.refused(self.copied(REAL / "native" / "host"), "--undo can be combined only with", "--undo",
                     "--built-for", "12")

    def test_programs_without_cuda(self):
        text = self.folder / "text"
        text.write_text("no program")
        self.refused(text, "not an ELF file")
        self.refused(self.folder / "missing", "No such file")
        self.refused(self.folder, "not a regular file")
        self.refused(self.copied(REAL / "native" / "host"), "uses no CUDA library")
        for kind, reason in ((b"\x01\x01", "32-bit"), (b"\x02\x02", "big-endian")):
            text.write_bytes(b"\x7fELF" + kind + bytes(100))
            self.refused(text, reason)
        whole = (REAL / "native" / "call_cudart-12").read_bytes()
        text.write_bytes(whole[: len(whole) // 2])
        self.refused(text, "truncated")
        text.write_bytes(whole[:18] + (21).to_bytes(2, "little") + whole[20:])
        self.refused(text, "a CPU that anycuda does not support")
        self.refused(self.copied(library("cudart", "12.9")), "is NVIDIA's CUDA runtime; patch")
        self.refused(self.copied(BUILD / "lib" / "libcudart_stub.so"), "is a stub of anycuda; patch")

    def test_the_files_that_can_be_patched_are(self):
        program = self.copied(REAL / "native" / "call_cudart-12")
        host = self.copied(REAL / "native" / "host")
        self.assertIn("missing: No such file", self.patch("missing", program, status=2))
        self.assertEqual(read.read(program).needed[0], "libcudart_stub.so")
        output = self.patch("--copy-stubs", host, program)
        self.assertIn(f"{host}: uses no CUDA library (skipped)\n", output)
        self.assertIn("copied libcudart_stub.so to", output)
        output = self.patch("--copy-stubs", host, self.folder / "libcudart_stub.so", program)  # lib/*.so once more
        self.assertIn("is a stub of anycuda; patch the programs and libraries that use it instead (skipped)",
                      output)
        self.assertEqual(self.patch(host, host, status=2), "anycuda patch: nothing to patch in any of the files\n")
        self.assertIn("nothing to patch in the others", self.patch(host, "missing", status=2))
        before = host.read_bytes()
        self.patch("--dry-run", host, program)
        self.patch("--undo", host, program)
        self.assertTrue(host.read_bytes() == before)

    def test_a_stub_that_is_linked_statically(self):
        text = self.folder / "a.c"
        text.write_text("int cudaRuntimeGetVersion(int *); int main(void) { int v; return cudaRuntimeGetVersion(&v); }")
        program = self.folder / "inside"
        subprocess.run(["cc", text, BUILD / "lib/static/12/libcudart.a", "-o", program, "-ldl"], check=True)
        before = program.read_bytes()
        expected = f"{program}: has anycuda's stub of cudart linked in: nothing to do\n"
        for arguments in ((), ("--copy-stubs",), ("--dry-run",), ("--built-for", "12"), ("--rpath", "/x")):
            self.assertEqual(self.patch(*arguments, program), expected)
        self.assertTrue(program.read_bytes() == before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.c", "inside"])
        self.patch(program, "--output", self.folder / "other")
        self.assertTrue((self.folder / "other").read_bytes() == before)

    def test_a_runtime_that_is_linked_statically(self):
        archive = artifact("nvcc-13.0") / "lib64" / "libcudart_static.a"
        text = self.folder / "a.c"
        text.write_text("int cudaRuntimeGetVersion(int *); int main(void) { int v; return cudaRuntimeGetVersion(&v); }")
        program = self.folder / "static"
        subprocess.run(["cc", text, archive, "-o", program, "-lpthread", "-ldl", "-lrt"], check=True)
        self.refused(program, "linked in statically")


if __name__ == "__main__":
    unittest.main()
