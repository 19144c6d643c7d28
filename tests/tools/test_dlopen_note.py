# SPDX-License-Identifier: Apache-2.0
"""The .note.dlopen of stubs and drop-ins: as generated, and in the built files."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, with_drop_ins
import generate_support as support
from abi_support import ROOT
from generate import descriptor, dlopen_note

sys.path.insert(0, str(ROOT / "packaging" / "wheel"))

import hardening  # noqa: E402
from anycuda.elf import layout  # noqa: E402

LIBRARIES = ("cuda", "cudart", "nvjitlink", "nvrtc")


def described(name: str) -> descriptor.Descriptor:
    return descriptor.load(ROOT / "stubs" / name / "library.json")


def read(path: Path) -> list[dict]:
    """All entries of all dlopen notes, as the specification says that a reader does: by owner and type, whatever
    the section is called."""
    entries = []
    for note in hardening.File(path).notes():
        if (note.owner, note.kind) == ("FDO", 0x407C0C0A):
            entries += json.loads(note.content.rstrip(b"\0").decode("utf-8"))
    return entries


class Generated(unittest.TestCase):
    def rows(self, **changes) -> dict[str, dlopen_note.Opened]:
        made = dlopen_note.opened(support.load(changes), support.load(base=support.DRIVER))
        return {row.feature: row for row in made}

    def test_names_the_library_the_newest_first(self):
        self.assertEqual(self.rows()["small"].sonames, ("libsmall.so.13", "libsmall.so.12", "libsmall.so.11.2"))

    def test_names_the_driver_where_a_rule_asks_for_it(self):
        self.assertEqual(list(self.rows()), ["small"])
        self.assertEqual(self.rows(driver_bound=True)["driver"].sonames, ("libdriver.so.1",))

    def test_refuses_a_priority_that_the_specification_does_not_know(self):
        with self.assertRaisesRegex(ValueError, "small: .*'needed'"):
            dlopen_note.text(dlopen_note.Opened("small", "", "needed", ("libsmall.so",)))

    def test_survives_what_stands_in_quotes(self):
        row = dlopen_note.Opened("small", 'the "small" one \\ this', "required", ("libsmall.so.1",))
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder) / "note.S", Path(folder) / "note.so"
            source.write_text(dlopen_note.assembly([row, row]), encoding="utf-8")
            subprocess.run(["cc", "-shared", "-nostdlib", "-o", library, source], check=True)
            entries = read(library)
        wanted = {"feature": "small", "description": 'the "small" one \\ this', "priority": "required",
                  "soname": ["libsmall.so.1"]}
        self.assertEqual(entries, [wanted, wanted])


class Built(unittest.TestCase):
    def check(self, path: Path, name: str) -> None:
        wanted = [{"feature": row.feature, "description": row.description, "priority": row.priority,
                   "soname": list(row.sonames)} for row in dlopen_note.opened(described(name), described("cuda"))]
        self.assertEqual(read(path), wanted, path)

    @with_drop_ins
    def test_every_stub_and_dropin_says_what_it_opens(self):
        folder = BUILD / "lib"
        for name in LIBRARIES:
            self.check(folder / described(name).stub, name)
            for major in described(name).majors:
                self.check(folder / "dropin" / major.soname, name)

    def test_it_is_loaded_and_not_writable(self):
        file = hardening.File(BUILD / "lib" / "libcudart_stub.so")
        segments = [s for s in file.segments if s.kind == layout.PT_NOTE and
                    b"FDO\0" in file.bytes[s.offset:s.offset + s.in_file]]
        self.assertEqual([s.flags for s in segments], [4])
        loaded = [s for s in file.segments if s.kind == layout.PT_LOAD and s.address <= segments[0].address and
                  segments[0].address + segments[0].in_memory <= s.address + s.in_memory]
        self.assertEqual(len(loaded), 1)
        self.assertFalse(loaded[0].flags & layout.PF_W)


if __name__ == "__main__":
    unittest.main()
