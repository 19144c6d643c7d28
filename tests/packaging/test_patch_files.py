# SPDX-License-Identifier: Apache-2.0
"""The replacement of a file: as a whole or not at all, with its owner, rights and links."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from elf_support import ROOT, run
from anycuda.failure import Failure
from anycuda.patch import replace

CHILD = """
import os, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from anycuda.failure import Failure
from anycuda.patch import replace
path, limit = Path(sys.argv[2]), int(sys.argv[3])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
elif os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with replace.copy(path, path):
        print("made")
except Failure as failure:
    print(failure)
"""


class Replace(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()
        self.path = self.folder / "file"
        self.path.write_bytes(b"old" * 1000)

    def change(self, path: Path, target: Path | None = None):
        with replace.copy(path, target or path) as copy:
            self.assertEqual(copy.parent, (target or path).resolve().parent)
            copy.write_bytes(b"new")

    def keep_attributes_in_memory(self):
        """Attributes by inode and size, so that a write to the file loses them."""
        kept: dict[tuple, dict] = {}

        def of(path) -> dict:
            about = os.stat(path)
            return kept.setdefault((about.st_ino, about.st_size), {})

        for name, function in (("listxattr", lambda path, **_: list(of(path))),
                               ("getxattr", lambda path, key, **_: of(path)[key]),
                               ("setxattr", lambda path, key, value, **_: of(path).update({key: value}))):
            patched = mock.patch.object(os, name, function)
            patched.start()
            self.addCleanup(patched.stop)

    def files(self) -> list[str]:
        return sorted(os.listdir(self.folder))

    def test_permissions_and_attributes_are_kept_and_the_time_is_not(self):
        self.path.chmod(0o751)
        os.utime(self.path, (1, 1))
        attributes = True
        try:
            os.setxattr(self.path, "user.anycuda", b"kept")
        except OSError:  # not every file system has them
            attributes = False
        self.change(self.path)
        self.assertEqual(self.path.read_bytes(), b"new")
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o751)
        self.assertGreater(self.path.stat().st_mtime, 1000)
        if attributes:
            self.assertEqual(os.getxattr(self.path, "user.anycuda"), b"kept")
        self.assertEqual(self.files(), ["file"])

    def test_privileges_survive_the_writing_of_the_copy(self):
        """The kernel removes capabilities when a file is written; from an ordinary user's file also set-user-ID. Only
        root can give a file capabilities, and not on every file system: otherwise memory holds them until a write."""
        capability = bytes.fromhex("0100000200200000000000000000000000000000")  # net_raw, permitted and effective
        self.path.chmod(0o4755)
        try:
            os.setxattr(self.path, "security.capability", capability)
        except OSError:
            self.keep_attributes_in_memory()
            os.setxattr(self.path, "security.capability", capability)
        self.change(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o4755)
        self.assertEqual(os.getxattr(self.path, "security.capability"), capability)

    def test_set_user_id_is_kept_only_for_the_same_owner(self):
        self.path.chmod(0o4755)
        with mock.patch.object(os, "chown", side_effect=PermissionError), \
                mock.patch.object(os, "geteuid", return_value=os.geteuid() + 1):
            self.change(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o4755)  # it was made by the same
        if os.geteuid() == 0:
            os.chown(self.path, 1, 1)
            self.path.chmod(0o6755)
            with mock.patch.object(os, "chown", side_effect=PermissionError):
                self.change(self.path)
            self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o755)

    def test_what_a_new_file_may_not_replace(self):
        replace.check(self.path)
        replace.check(self.folder / "none")
        os.mkfifo(self.folder / "pipe")
        for path in (self.folder, self.folder / "pipe", Path("/dev/null")):
            with self.assertRaisesRegex(Failure, "is not a regular file, so it is not replaced"):
                replace.check(path)
        with mock.patch.object(os, "access", return_value=False):  # root may write to all
            with self.assertRaisesRegex(Failure, "is read-only, so it is not replaced"):
                replace.check(self.path)

    def test_a_symbolic_link_leads_to_the_new_file(self):
        link = self.folder / "link"
        link.symlink_to("file")
        self.change(link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.path.read_bytes(), b"new")

    def test_hard_links_keep_the_old_file(self):
        other = self.folder / "other"
        os.link(self.path, other)
        self.assertEqual(replace.notes(self.path), ["has another hard link, which keeps the old content"])
        self.change(self.path)
        self.assertEqual((self.path.read_bytes(), other.read_bytes()), (b"new", b"old" * 1000))
        self.assertEqual(replace.notes(self.path), [])

    def test_another_place(self):
        self.change(self.path, self.folder / "there")
        self.assertEqual(self.path.read_bytes(), b"old" * 1000)
        self.assertEqual((self.folder / "there").read_bytes(), b"new")
        (self.folder / "sub").mkdir()
        for target, reason in ((self.folder / "sub", "directory"), (self.folder / "none" / "there", "No such file")):
            with self.assertRaisesRegex(Failure, f"cannot write .*{reason}.*; it is unchanged"):
                self.change(self.path, target)
        with self.assertRaisesRegex(Failure, "gone: No such file"):
            self.change(self.folder / "gone")
        self.assertEqual(self.files(), ["file", "sub", "there"])

    def test_an_error_between_leaves_everything(self):
        for error in (Failure("no"), ValueError("no"), KeyboardInterrupt()):
            with self.assertRaises(type(error)):
                with replace.copy(self.path, self.path) as copy:
                    copy.write_bytes(b"half")
                    raise error
            self.assertEqual(self.path.read_bytes(), b"old" * 1000)
            self.assertEqual(self.files(), ["file"])

    def test_a_file_that_changes_meanwhile(self):
        with self.assertRaisesRegex(Failure, "changed by another program meanwhile"):
            with replace.copy(self.path, self.path) as copy:
                copy.write_bytes(b"ours")
                self.path.write_bytes(b"theirs")
        self.assertEqual(self.path.read_bytes(), b"theirs")

    def test_a_full_disk(self):
        output = run(sys.executable, "-c", CHILD, ROOT / "packaging" / "python", self.path, 1000)
        self.assertIn("file: File too large (in ", output)
        self.assertEqual((self.files(), self.path.read_bytes()), (["file"], b"old" * 1000))

    def test_a_folder_that_is_not_ours(self):
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        output = run(sys.executable, "-c", CHILD, ROOT / "packaging" / "python", self.path, 0)
        self.assertIn("file: Permission denied (in ", output)
        self.assertEqual(self.path.read_bytes(), b"old" * 1000)

    def test_holes_stay_holes(self):
        with open(self.path, "wb") as file:
            file.write(b"start")
            file.seek(64 << 20)
            file.write(b"end")
        if self.path.stat().st_blocks * 512 > 1 << 20:
            self.skipTest("this file system has no holes")
        with replace.copy(self.path, self.path):
            pass
        self.assertEqual(self.path.stat().st_size, (64 << 20) + 3)
        self.assertLess(self.path.stat().st_blocks * 512, 1 << 20)
        with open(self.path, "rb") as file:
            self.assertEqual(file.read(6), b"start\0")
            file.seek(64 << 20)
            self.assertEqual(file.read(), b"end")


if __name__ == "__main__":
    unittest.main()
