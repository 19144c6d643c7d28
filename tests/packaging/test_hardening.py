# SPDX-License-Identifier: Apache-2.0
"""The hardening of the shipped libraries (packaging/wheel/hardening.py): the built ones, and each rule on a file
that breaks it."""

import os
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, has_real_libraries
from abi_support import ROOT, real
from generate import copy_table, descriptor, plan

sys.path.insert(0, str(ROOT / "packaging" / "wheel"))

import hardening  # noqa: E402

SOURCE = "int answer(void) { return 42; }\n"
GOOD = ("-fPIC", "-shared", "-nostdlib", "-Wl,-z,relro,-z,now,-z,noexecstack")
COMPRESSION = ("liblz4.so.1", "libzstd.so.1")
CXX = ("libstdc++.so.6", "libgcc_s.so.1", "libm.so.6")  # of a compiler without a static C++ library
PROTECTED = {"x86_64": "-fcf-protection=full", "aarch64": "-mbranch-protection=standard"}


class Rules(unittest.TestCase):
    """Each on a file that the compiler made without the flag in question."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="hardening-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.protection = PROTECTED[platform.machine()]

    def findings(self, *flags: str, source: str = SOURCE, without: tuple[str, ...] = (), floor: bool = True,
                 folders: tuple[str, ...] = ()) -> list[str]:
        code, library = self.folder / "code.c", self.folder / "library.so"
        code.write_text(source, encoding="utf-8")
        arguments = [word for word in (*GOOD, self.protection) if word not in without]
        subprocess.run(["cc", *arguments, "-o", library, code, *flags], check=True, capture_output=True)
        return hardening.findings(library, folders, floor)

    def one(self, text: str, *flags: str, **more) -> None:
        found = self.findings(*flags, **more)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_a_hardened_library_has_no_findings(self):
        self.assertEqual(self.findings(folders=(str(self.folder),)), [])

    def test_lazy_binding(self):
        self.one("bound lazily", "-Wl,-z,lazy")

    def test_no_read_only_relocations(self):
        self.one("PT_GNU_RELRO", "-Wl,-z,norelro")

    def test_an_executable_stack(self):
        self.one("executable stack", "-Wl,-z,execstack")

    def test_a_segment_to_write_and_execute(self):
        found = self.findings("-Wl,--omagic")
        self.assertTrue([sentence for sentence in found if "writable and executable" in sentence], found)

    @unittest.skipUnless(platform.machine() == "x86_64", "only x86_64 has relocations in code at all")
    def test_relocations_in_code(self):
        asm = '__asm__(".text\\n.quad answer\\n");\n'
        self.one("code is relocated", "-Wl,-z,notext", source=SOURCE + asm)

    def test_no_branch_protection(self):
        option = self.protection.partition("=")[0]  # some compilers protect branches by default
        self.one("it lacks", f"{option}=none", without=(self.protection,))

    def test_another_library_than_libc(self):
        self.one("libm.so.6, which not every machine has", "-Wl,--no-as-needed", "-lm")

    def test_a_compression_library(self):
        code, library, program = (self.folder / name for name in ("main.c", "liblz4.so.1", "program"))
        code.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        subprocess.run(["cc", *GOOD, f"-Wl,-soname,{library.name}", "-o", library, code], check=True)
        words = ["cc", "-pie", "-fPIE", *GOOD[3:], "-Wl,--no-as-needed", "-o", program, code, library]
        subprocess.run(words, check=True)
        self.assertEqual(hardening.findings(program, floor=False, needed=("liblz4.so.1",)), [])
        self.assertEqual(hardening.findings(program, floor=False),
                         ["it needs liblz4.so.1, which not every machine has"])

    def test_a_symbol_of_a_newer_glibc(self):
        source = "int getrandom(void*, unsigned long, unsigned);\nint use(void) { return getrandom(0, 0, 0); }\n"
        self.one("GLIBC_2.25 of libc.so.6", "-lc", source=source)
        self.assertEqual(self.findings("-lc", source=source, floor=False), [])

    def test_a_search_path(self):
        self.one("searches for libraries in /opt/x", "-Wl,-rpath,/opt/x")

    def test_a_folder_of_the_build_machine(self):
        source = 'const char* where(void) { return "/home/someone/anycuda/x.cc"; }\n'
        self.one("contains /home/someone", source=source, folders=("/home/someone",))

    def test_a_program_at_a_fixed_address(self):
        code, program = self.folder / "main.c", self.folder / "program"
        code.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        for flag, wanted in (("-no-pie", True), ("-pie", False)):
            subprocess.run(["cc", "-fPIE", flag, *GOOD[3:], "-o", program, code], check=True)
            found = hardening.findings(program, floor=False)
            self.assertEqual(any("same address" in sentence for sentence in found), wanted, found)


class Built(unittest.TestCase):
    """The libraries of this build. The stubs need glibc 2.17; what else is built needs the build machine's, and that of
    the wheel is looked at by packaging/wheel/build.py."""

    @classmethod
    def setUpClass(cls):
        cls.libraries = BUILD / "lib"
        cls.floor = bool(os.environ.get("ANYCUDA_FLOOR"))

    def test_are_hardened(self):
        names = [descriptor.load(path).stub for path in (ROOT / "stubs").glob("*/library.json")]
        tools = ("libanycuda_doctor.so", "libanycuda_find.so", "anycuda-doctor-native", "anycuda-device-code")
        stubs = [self.libraries / name for name in names]
        stubs += (self.libraries / "dropin").glob("lib*.so*")
        self.assertTrue(names)
        for path in (*stubs, *(self.libraries / name for name in tools)):
            with self.subTest(path=path.name):
                floor = self.floor or path in stubs
                # A build that fetches nothing decompresses by the machine's libraries, if it has them.
                machines = () if path.name != tools[-1] or self.floor or has_real_libraries() else COMPRESSION
                if path.name == "libanycuda_find.so" and not self.floor:
                    machines = CXX
                self.assertEqual(hardening.findings(path, (str(ROOT), str(BUILD)), floor, machines), [])

    def test_export_what_is_promised_and_nothing_else(self):
        for name in ("cuda", "cudart", "nvjitlink", "nvrtc"):
            about, database = descriptor.load(ROOT / "stubs" / name / "library.json"), real(name)
            versions = {m.number: m.symbol_version for m in about.majors if m.symbol_version}
            everything = {(function, plan.NATIVE_VERSION) for function in database.functions}
            everything |= {(symbol, plan.NATIVE_VERSION) for symbol in (copy_table.TABLE, copy_table.PROCESS)}
            versioned = {(function, versions[int(major)]) for function, facts in database.functions.items()
                         for major in facts.majors if versions and int(major) in versions and not facts.data_size}
            with self.subTest(library=name):
                found = {(s.name, s.version) for s in hardening.File(self.libraries / about.stub).image.exports()}
                self.assertEqual(found, everything | versioned)

    def test_the_doctors_library_exports_its_questions(self):
        image = hardening.File(self.libraries / "libanycuda_doctor.so").image
        self.assertEqual({symbol.name for symbol in image.exports()},
                         {f"anycuda_doctor_{question}" for question in
                          ("about", "ask", "driver", "folders", "machine")})

    def test_the_library_of_find_exports_only_its_question(self):
        """It contains the C++ library, and a process may have another one."""
        image = hardening.File(self.libraries / "libanycuda_find.so").image
        self.assertEqual({symbol.name for symbol in image.exports()}, {"anycuda_find"})


if __name__ == "__main__":
    unittest.main()
