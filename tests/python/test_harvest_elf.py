"""The ELF reader, on libraries that the test makes with the compiler, and on other files."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import abi_support  # noqa: F401  (puts stubs/ on the path)
from harvest import elf

SOURCE = """
extern int environ_like; extern void other(void);
int data = 3;
int new_name(void) { return 1; }
int old_name(void) { other(); return 2; }
static int hidden(void) { return 3; }
int (*keep)(void) = hidden;
__asm__(".symver old_name,both@lib.so.1");
__asm__(".symver new_name,both@@lib.so.2");
"""
SCRIPT = "lib.so.1 { global: both; local: *; };\nlib.so.2 { global: both; data; } lib.so.1;\n"


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
        if not cls.compiler:
            raise unittest.SkipTest("no C compiler: cc and gcc were not found")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "a.c").write_text(SOURCE)
        (cls.folder / "a.map").write_text(SCRIPT)
        for style in ("gnu", "sysv"):
            cls.build(f"lib-{style}.so", f"-Wl,--hash-style={style}")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def build(cls, name: str, *flags: str) -> None:
        subprocess.run(
            [
                cls.compiler,
                "-shared",
                "-fPIC",
                "-nostdlib",
                "-o",
                cls.folder / name,
                cls.folder / "a.c",
                "-Wl,-soname,liba.so.2",
                "-Wl,-rpath,$ORIGIN/x",
                f"-Wl,--version-script={cls.folder / 'a.map'}",
                *flags,
            ],
            check=True,
        )

    def test_names_versions_and_needs(self):
        for style in ("gnu", "sysv"):
            library = elf.read(self.folder / f"lib-{style}.so")
            self.assertEqual(library.soname, "liba.so.2")
            self.assertEqual(library.runpath, ["$ORIGIN/x"])
            self.assertEqual(library.versions_defined, ["lib.so.1", "lib.so.2"])
            found = {(s.name, s.version, s.default) for s in library.exports()}
            self.assertEqual(
                found,
                {
                    ("both", "lib.so.1", False),
                    ("both", "lib.so.2", True),
                    ("data", "lib.so.2", True),
                },
                style,
            )
            self.assertEqual(
                {s.name: s.function for s in library.exports()}, {"both": True, "data": False}
            )
            self.assertIn("other", {s.name for s in library.undefined()})

    def test_a_truncated_file_is_an_error_with_a_reason(self):
        data = (self.folder / "lib-gnu.so").read_bytes()
        for size in (0, 3, 63, 100, 600, len(data) // 2):
            path = self.folder / "short.so"
            path.write_bytes(data[:size])
            with self.assertRaises(elf.ElfError, msg=f"{size} bytes") as raised:
                elf.read(path)
            self.assertIn("short.so", str(raised.exception))

    def test_what_is_no_library_is_an_error(self):
        path = self.folder / "text.so"
        path.write_text("INPUT(liba.so.2) " * 10)
        with self.assertRaisesRegex(elf.ElfError, "not an ELF file"):
            elf.read(path)
        path.write_bytes(b"\x7fELF\x01\x01" + bytes(200))
        with self.assertRaisesRegex(elf.ElfError, "64-bit"):
            elf.read(path)

    def test_damage_never_raises_anything_else(self):
        data = bytearray((self.folder / "lib-gnu.so").read_bytes())
        path = self.folder / "damaged.so"
        for at in range(0, min(len(data), 4096), 7):
            broken = bytearray(data)
            broken[at] ^= 0xFF
            path.write_bytes(broken)
            try:
                elf.read(path)
            except elf.ElfError:
                pass


if __name__ == "__main__":
    unittest.main()
