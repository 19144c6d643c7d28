# SPDX-License-Identifier: Apache-2.0
"""The editor checks its result: a plan with another result is refused before any file is written."""

from __future__ import annotations

import io
import unittest
from dataclasses import replace

from elf_support import Workspace, headers, layout, number, place, slot, with_bytes
from anycuda.elf import ElfError
from anycuda.elf.edit.patch_set import Overlay, Plan
from anycuda.elf.edit import Edit, dynamic_info, verify
from anycuda.elf.edit.editor import _plan
from anycuda.elf.headers import Headers
from anycuda.elf.source import Source


class Verify(Workspace):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        old = cls.versioned("libold.so")
        source = "extern int both(void), puts(const char *); int use(void) { return both() + puts(\"\"); }"
        cls.data = cls.library("libuser.so", source, old).read_bytes()
        cls.source = Source(io.BytesIO(cls.data), "libuser.so")
        found = headers(cls.data)
        wanted, strings = Edit(soname="libnew.so"), found.strings()
        cls.wanted = dynamic_info.edited(dynamic_info.read(found, strings), wanted, found, strings)
        cls.plan = _plan(cls.source, [wanted])
        cls.new = Headers(Overlay(cls.source, cls.plan.fields, cls.plan.start, cls.plan.tail))

    def changed(self, tag: int, more: int, new: bytes) -> Plan:
        """The plan with other bytes in a table, which may have moved."""
        at = self.new.offset(self.new.value(tag), 1, "test") + more
        if at >= self.plan.start:
            return replace(self.plan, tail=with_bytes(self.plan.tail, at - self.plan.start, new))
        return replace(self.plan, fields=sorted([*self.plan.fields, (at, new)]))

    def refused(self, reason: str, *fields: tuple[int, bytes], plan: Plan | None = None, wanted=None):
        # The plan itself may write to the same place: it moves notes where the new segment's header needs room.
        plan = plan or replace(self.plan, fields=sorted({**dict(self.plan.fields), **dict(fields)}.items()))
        with self.assertRaisesRegex(ElfError, f"libuser.so: internal check failed: the edited file would .*{reason}"):
            verify.check(self.source, plan, wanted or self.wanted)

    def test_the_plan_itself_is_good(self):
        verify.check(self.source, self.plan, self.wanted)

    def test_names(self):
        self.refused("wrong DT_NEEDED, SONAME or RPATH entries", plan=Plan([], len(self.data), b""))
        self.refused("wrong DT_NEEDED, SONAME or RPATH entries", wanted=replace(self.wanted, needed=["libmore.so"]))

    def test_symbols_and_versions(self):
        self.refused("different symbols or symbol versions", plan=self.changed(layout.DT_SYMTAB, 24 + 8, b"\x01"))
        self.refused("different symbols or symbol versions", plan=self.changed(layout.DT_VERSYM, 2, number(0x7001, 2)))
        self.refused("wrong entries for the symbol versions that it needs",
                     plan=self.changed(layout.DT_VERNEED, 16 + 6, number(77, 2)))
        self.refused("a different hash table|damaged", plan=self.changed(layout.DT_GNU_HASH, 12, b"\x55"))

    def test_the_dynamic_section(self):
        self.refused("a different dynamic section", (slot(self.data, layout.DT_RELA) + 8, number(8, 8)))

    def test_segments(self):
        found = headers(self.data)
        for number_, segment in enumerate(found.segments):
            at = found.segments_at + 56 * number_
            if segment.kind == layout.PT_GNU_STACK:
                self.refused("a different segment", (at + 4, number(7, 4)))  # an executable stack
            if segment.kind == layout.PT_LOAD and segment.flags & layout.PF_W:
                self.refused("damaged|a different segment", (at + 16, number(1 << 40, 8)))

    def test_a_note_that_has_moved(self):
        found = headers(self.data)
        for index, segment in enumerate(found.segments):
            if segment.kind == layout.PT_NOTE:
                self.refused("a different note or program interpreter",
                             (found.segments_at + 56 * index + 8, number(0, 8)))

    def test_version_definitions(self):
        data = self.versioned("libdefining.so").read_bytes()
        source, found = Source(io.BytesIO(data), "libuser.so"), headers(data)
        wanted = dynamic_info.edited(dynamic_info.read(found, found.strings()), Edit(), found, found.strings())
        at = place(data, layout.DT_VERDEF)
        first = int.from_bytes(data[at + 16: at + 20], "little")
        plan = Plan([(at + first + 20, data[at + 20: at + 24])], len(data), b"")  # the file's name for a version's
        with self.assertRaisesRegex(ElfError, "libuser.so: .*would have different version definitions"):
            verify.check(source, plan, wanted)

    def test_names_of_symbols(self):
        at = self.plan.start + self.plan.tail.index(b"both")
        tail = self.plan.tail.replace(b"both", b"moth", 1)
        self.assertGreater(at, len(self.data))
        self.refused("different symbol names", plan=replace(self.plan, tail=tail))


if __name__ == "__main__":
    unittest.main()
