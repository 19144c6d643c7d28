# SPDX-License-Identifier: Apache-2.0
"""The ELF editor, on files by this machine's linkers: the requested change happens, everything else stays."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from build_folder import with_real_libraries
from elf_support import Workspace, layout, linkers, number, opened, place, read, run, value_of, with_bytes
from anycuda.elf import ElfError, edit
from anycuda.elf.edit import Edit
from anycuda.elf.edit.patch_set import PatchSet

# Two libraries with the same functions under the same versions; each function returns WHO and its version.
PROVIDER = """
int plain(void) { return WHO; }
int value_1(void) { return WHO + 1; }
int value_2(void) { return WHO + 2; }
__asm__(".symver value_1,value@lib.1");
__asm__(".symver value_2,value@lib.2");
__asm__(".symver plain,value@@LIB_PLAIN");
"""
NODES = "LIB_PLAIN { global: value; local: *; };\nlib.1 { global: value; };\nlib.2 { global: value; };\n"
ONE = "int value(void) { return 100; }"
PT_TLS = 7
USER = """
extern int value(void), puts(const char *);
int use(void) { return value(); }
int other(int number) { return number == 123456 ? puts("never") : 7; }
"""
PROGRAM = """
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
extern int value(void);
#ifdef BIG
char big[64 << 20];
#endif
int main(void) {  /* the kernel says where the program headers are: they must be there, with ours among them */
  const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
  int dynamic = 0, loads = 0;
  for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++) {
    dynamic += headers[i].p_type == PT_DYNAMIC;
    loads += headers[i].p_type == PT_LOAD;
  }
#ifdef BIG
  big[sizeof big - 1] = 1;
#endif
  printf("%d %d %d\\n", value(), dynamic, loads);
  return 0;
}
"""


class Editor(Workspace):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "one.map").write_text("lib.1 { global: value; };\n")
        (cls.folder / "two.map").write_text(NODES)
        cls.old = cls.library("libold.so.1", ONE, "-Wl,-soname,libold.so.1",
                              f"-Wl,--version-script={cls.folder}/one.map")
        (cls.folder / "stub").mkdir()
        cls.stub = cls.library("stub/libstub.so", PROVIDER, "-DWHO=200", "-Wl,-soname,libstub.so",
                               f"-Wl,--version-script={cls.folder}/two.map")

    def made(self, name: str = "libuser.so", *flags: object, program: bool = False) -> Path:
        source = PROGRAM if program else USER
        more = () if program else ("-shared", "-fPIC")
        return self.compile(name, source, *more, *flags, self.old)

    RENAMED = Edit(needed={"libold.so.1": "libstub.so"}, rpath=("$ORIGIN/stub",))

    def applied(self, path: Path, wanted: Edit) -> read.Image:
        """Edits it, and undoes that on a copy."""
        before = path.read_bytes()
        self.assertTrue(edit.apply(path, wanted).changed)
        copy = self.written(path.read_bytes(), "copy")
        self.assertTrue(edit.undo(copy).changed)
        self.assertTrue(copy.read_bytes() == before, "undone, it is another file")
        return read.read(path)

    @with_real_libraries
    def test_another_library_in_place_of_one_that_is_needed(self):
        for linker in linkers("bfd", "gold", "lld", "mold"):
            for flags in ((), ("-Wl,--build-id=none",), ("-Wl,--hash-style=sysv",), ("-s",), ("-Wl,-z,now",)):
                with self.subTest(linker=linker, flags=flags):
                    path = self.made("libuser.so", f"-fuse-ld={linker}", *flags)
                    symbols = read.read(path).symbols
                    image = self.applied(path, self.RENAMED)
                    self.assertEqual(image.needed[0], "libstub.so")
                    self.assertEqual(image.versions_needed["libstub.so"], ["lib.1"])
                    self.assertNotIn("libold.so.1", image.versions_needed)
                    self.assertEqual([s._replace(file="") for s in image.symbols],
                                     [s._replace(file="") for s in symbols])
                    self.assertEqual(value_of(path), "201")
                    self.assertEqual(value_of(path, "other"), "7")

    @with_real_libraries
    def test_programs(self):
        for linker in linkers("bfd", "gold", "lld", "mold"):
            for flags in (("-pie", "-fPIE"), ("-no-pie",), ("-no-pie", "-DBIG"), ("-pie", "-fPIE", "-DBIG")):
                with self.subTest(linker=linker, flags=flags):
                    path = self.made("program", f"-fuse-ld={linker}", *flags, program=True)
                    loads = len(opened(path).loads)
                    self.assertEqual(self.applied(path, self.RENAMED).kind, "executable")
                    self.assertEqual(run(path), f"201 1 {loads + 1}")
                    self.assertLess(path.stat().st_size, 1 << 20)

    def test_the_kind_of_search_path_is_kept(self):
        for flags, expected in (
            (("-Wl,-rpath,/x", "-Wl,--enable-new-dtags"), (None, "/x:$ORIGIN/stub")),
            (("-Wl,-rpath,/x", "-Wl,--disable-new-dtags"), ("/x:$ORIGIN/stub", None)),
            ((), ("$ORIGIN/stub", None)),
        ):
            image = self.applied(self.made("libuser.so", *flags), self.RENAMED)
            self.assertEqual((image.rpath, image.runpath), expected)
            runpath = Edit(rpath=("$ORIGIN/stub",), new_runpath=True)
            image = self.applied(self.made("libuser.so", *flags), runpath)
            self.assertEqual((image.rpath, image.runpath), expected if flags else (None, "$ORIGIN/stub"))
            self.assertEqual(Edit.from_json(runpath.as_json()), runpath)
        path = self.made("libuser.so", "-Wl,-rpath,/x:$ORIGIN/stub")
        self.assertFalse(edit.apply(path, Edit(rpath=("$ORIGIN/stub", "/x"))).changed)
        image = self.applied(path, Edit(set_rpath="/only"))
        self.assertIn("/only", (image.rpath, image.runpath))

    def test_several_names_become_one(self):
        other = self.library("libother.so.3", "int more(void) { return 1; }", "-Wl,-soname,libother.so.3")
        source = "extern int value(void), more(void); int use(void) { return value() + more(); }"
        path = self.library("libuser.so", source, self.old, other)
        names = read.read(path).needed
        image = self.applied(path, Edit(needed={"libold.so.1": "libstub.so", "libother.so.3": "libstub.so"}))
        self.assertEqual(image.needed, ["libstub.so", *names[2:]])

    @with_real_libraries
    def test_symbols_that_name_no_library_get_one_and_a_version(self):
        for linker in linkers("bfd", "gold", "lld", "mold"):
            for symbol_version, expected in (("lib.1", "201"), ("lib.2", "202")):
                with self.subTest(linker=linker):
                    path = self.library("libuser.so", USER, f"-fuse-ld={linker}")
                    image = self.applied(path, Edit(add_needed=("libstub.so",), rpath=("$ORIGIN/stub",),
                                                    versions={"value": ("libstub.so", symbol_version)}))
                    self.assertEqual(image.needed[-1], "libstub.so")
                    self.assertEqual(image.versions_needed["libstub.so"], [symbol_version])
                    self.assertEqual([(s.version, s.file) for s in image.undefined() if s.name == "value"],
                                     [(symbol_version, "libstub.so")])
                    self.assertEqual(value_of(path), expected)
        plain = self.library("libuser.so", USER)
        self.applied(plain, Edit(add_needed=("libstub.so",), rpath=("$ORIGIN/stub",)))
        self.assertEqual(value_of(plain), "200")

    def test_other_soname(self):
        path = self.folder / "libnew.so"
        shutil.copy(self.stub, path)
        image = self.applied(path, Edit(soname="libnew-0123abcd.so"))
        self.assertEqual(image.soname, "libnew-0123abcd.so")
        self.assertEqual(image.versions_defined, ["LIB_PLAIN", "lib.1", "lib.2"])
        if shutil.which("readelf"):  # the base version is in the first record of .gnu.version_d
            output = subprocess.run(["readelf", "-VW", path], text=True, capture_output=True).stdout
            self.assertRegex(output, r"Flags: BASE .*Name: libnew-0123abcd\.so")
        self.assertEqual(run(sys.executable, "-c", "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).value())", path),
                         "200")

    def test_a_dynamic_section_without_room_moves(self):
        for program in (False, True):
            path = self.made("tight", "-fuse-ld=bfd", "-Wl,--spare-dynamic-tags=0", program=program)
            self.applied(path, self.RENAMED)
            found = opened(path)
            self.assertEqual(found.segments[-1].flags, layout.PF_R | layout.PF_W)
            self.assertGreaterEqual(found.dynamic.offset, found.segments[-1].offset)
            self.assertTrue((run(path) if program else value_of(path)).startswith("201"))

    def test_segments_are_where_the_kernel_wants_them(self):
        path = self.made("libuser.so")
        for machine, page in ((62, 0x1000), (183, 0x10000)):
            made = self.written(with_bytes(path.read_bytes(), 18, number(machine, 2)))
            self.applied(made, self.RENAMED)
            new = opened(made).segments[-1]
            self.assertEqual((new.kind, new.flags, new.align), (layout.PT_LOAD, layout.PF_R, page))
            self.assertEqual(new.address % page, new.offset % page)
            last = opened(made).loads[-2]
            self.assertGreaterEqual(new.address // page, -(-(last.address + last.in_memory) // page))
        made = self.written(with_bytes(path.read_bytes(), 18, number(21, 2)))
        with self.assertRaisesRegex(ElfError, "CPU that anycuda does not support"):
            edit.apply(made, self.RENAMED)

    def test_edits_add_up_and_are_undone_together(self):
        path = self.made("libuser.so")
        before = path.read_bytes()
        edit.apply(path, Edit(needed={"libold.so.1": "libstub.so"}))
        size = path.stat().st_size
        self.assertTrue(edit.apply(path, Edit(rpath=("$ORIGIN/stub",))).changed)
        self.assertLess(path.stat().st_size, size + 400)  # no second segment
        self.assertEqual(len(opened(path).loads), len(opened(self.written(before)).loads) + 1)
        self.assertEqual(value_of(path), "201")
        self.assertFalse(edit.apply(path, Edit(rpath=("$ORIGIN/stub",))).changed)
        self.assertTrue(edit.is_edited(path))
        edit.undo(path)
        self.assertTrue(path.read_bytes() == before)
        self.assertFalse(edit.is_edited(path))
        self.assertFalse(edit.undo(path).changed)

    def test_segment_without_bytes_may_have_any_offset(self):
        """lld writes the PT_TLS of zeros so, behind the end of the file."""
        path = self.compile("libuser.so", f"{USER} __thread int zeros;", "-shared", "-fPIC", self.old)
        content = bytearray(path.read_bytes())
        first, count = struct.unpack_from("<Q", content, 32)[0], struct.unpack_from("<H", content, 56)[0]
        (at,) = [first + 56 * number for number in range(count)
                 if struct.unpack_from("<I", content, first + 56 * number)[0] == PT_TLS]
        self.assertEqual(struct.unpack_from("<Q", content, at + 32)[0], 0)
        struct.pack_into("<Q", content, at + 8, len(content) + 4096)
        path.write_bytes(content)
        self.assertEqual(self.applied(path, self.RENAMED).needed[0], "libstub.so")

    def test_what_cannot_be_is_refused_and_changes_nothing(self):
        path = self.made("libuser.so")
        before = path.read_bytes()
        for wanted, reason in (
            (Edit(needed={"libnone.so": "libstub.so"}),
             "cannot replace libnone.so, since the file does not need it"),
            (Edit(needed={"libold.so.1": "lib\0stub.so"}), "cannot store the name"),
            (Edit(add_needed=("",)), "cannot store the name"),
            (Edit(versions={"value": ("libstub.so", "lib.1")}),
             "version of libstub.so to the symbol value, since DT_NEEDED does not contain libstub.so"),
            (Edit(versions={"value": ("libold.so.1", "lib.9")}),
             "cannot add the symbol version lib.9 of libold.so.1 to the symbol value, since this symbol already has "
             "another version"),
            (Edit(versions={"nothing": ("libold.so.1", "lib.1")}),
             "version to the symbol nothing, since the file does not reference this symbol"),
        ):
            for call in (edit.apply, edit.preview):
                with self.assertRaisesRegex(ElfError, reason):
                    call(path, wanted)
            self.assertTrue(path.read_bytes() == before)

    def test_a_file_without_symbol_versions_gets_none(self):
        path = self.library("libplain.so", "extern int value(void); int use(void) { return value(); }", "-nostdlib")
        with self.assertRaisesRegex(ElfError, "libplain.so: has no symbol versions, so none can be added to its "
                                              "symbols: link it again with the library in lib/anycuda/link/MAJOR"):
            edit.apply(path, Edit(add_needed=("libstub.so",), versions={"value": ("libstub.so", "lib.1")}))

    def test_a_file_with_the_last_number_of_a_version_gets_no_more(self):
        data = self.made("libuser.so").read_bytes()
        path = self.written(with_bytes(data, place(data, layout.DT_VERNEED) + 16 + 6, number(0x7FFF, 2)))
        with self.assertRaisesRegex(ElfError, "already has the largest possible number of symbol versions"):
            edit.apply(path, Edit(versions={"value": ("libold.so.1", "lib.2")}))

    def test_overlapping_changes_are_refused(self):
        changes = PatchSet(opened(self.made("libuser.so")))
        changes.overwrite(0x1000, b"\xaa" * 64)
        changes.overwrite(0x1020, b"\xaa" * 64)
        with self.assertRaisesRegex(ElfError, "damaged: two tables that the edit would change overlap"):
            changes.plan()

    def test_preview_says_the_same_and_writes_nothing(self):
        path = self.made("libuser.so")
        before = path.read_bytes()
        self.assertTrue(edit.preview(path, self.RENAMED).changed)
        self.assertTrue(path.read_bytes() == before)
        edit.apply(path, self.RENAMED)
        self.assertFalse(edit.preview(path, Edit(rpath=("$ORIGIN/stub",))).changed)

    def test_exported_symbols_are_found_as_before(self):
        path = self.made("libuser.so")
        names = [symbol.name for symbol in read.read(path).exports() if symbol.function]
        edit.apply(path, self.RENAMED)
        library = ctypes.CDLL(str(path))
        for name in names:
            self.assertTrue(hasattr(library, name), name)
        self.assertGreaterEqual(len(names), 2)
        self.assertTrue(os.path.samefile(path, self.folder / "libuser.so"))


if __name__ == "__main__":
    unittest.main()
