# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair` when it cannot go on: nothing is lost, nothing is left behind, the message has the reason."""

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from build_folder import with_real_libraries
from doctor_support import COMMAND, WITHOUT_RIGHTS
from test_repair import SOURCE, RepairCase
from wheel_support import anycuda, real_wheel

from anycuda.failure import Failure
from anycuda.repair import apply


@with_real_libraries
class NothingIsLost(RepairCase):
    def test_no_room_for_the_result(self):
        path = self.wheel({"thing/a.so": self.library(), "thing/big": os.urandom(3 << 20)})
        before = path.read_bytes()
        for arguments in (["-w", str(self.top / "out")], ["--in-place"]):
            with self.subTest(arguments=arguments):
                done = subprocess.run(
                    [sys.executable, str(COMMAND), "repair", *arguments, str(path)], capture_output=True, text=True,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
                self.assertEqual((done.returncode, path.read_bytes()), (2, before))
                self.assertRegex(done.stderr, r"^anycuda repair: .*File too large\n$")
                self.assertEqual([one.name for one in self.top.rglob("*") if "anycuda" in one.name], [])
                self.assertFalse((self.top / "out" / path.name).exists())

    def test_no_room_for_an_edited_file(self):
        library = self.library(source=f"{SOURCE} char large[4 << 20] = {{1}};")
        path = self.wheel({"thing/a.so": library})
        done = subprocess.run(
            [sys.executable, str(COMMAND), "repair", "-w", str(self.top / "out"), str(path)],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(library), len(library))))
        self.assertEqual((done.returncode, list((self.top / "out").iterdir())), (2, []), done.stdout)
        self.assertRegex(done.stderr, r"^anycuda repair: .*File too large\n$")

    def test_a_folder_that_cannot_be_written(self):
        path = self.wheel({"thing/a.so": self.library()})
        (self.top / "file").write_text("")
        for folder in (self.top / "file", self.top / "file" / "out", Path("/proc/anycuda")):
            with self.subTest(folder=folder):
                done = anycuda("repair", "-w", folder, path)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"^anycuda repair: .*(--wheel-dir|Not a directory).*\n$")

    def test_interrupted(self):
        path = Path(shutil.copy(real_wheel("cumm"), self.top))
        before, out = path.read_bytes(), self.top / "out"
        child = subprocess.Popen([sys.executable, str(COMMAND), "repair", "-w", str(out), str(path)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while child.poll() is None and not list(out.glob(".anycuda-repair-*/unpacked-*")):
            pass
        child.send_signal(signal.SIGINT)
        output = child.communicate()
        self.assertEqual((child.returncode, output[1]), (130, ""))
        self.assertEqual((list(out.iterdir()), path.read_bytes()), ([], before))

    def test_ended_from_outside(self):
        """Who closes a terminal or stops a container leaves no unpacked files behind."""
        path = Path(shutil.copy(real_wheel("cumm"), self.top))
        for number in (signal.SIGTERM, signal.SIGHUP):
            out = self.top / f"out-{number}"
            child = subprocess.Popen([sys.executable, str(COMMAND), "repair", "-w", str(out), str(path)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while child.poll() is None and not list(out.glob(".anycuda-repair-*/unpacked-*")):
                pass
            child.send_signal(number)
            output = child.communicate()
            self.assertEqual((child.returncode, output[1], list(out.iterdir())), (128 + number, "", []))

    def test_no_room_names_the_disk_that_is_full(self):
        """Not the file that was being copied to it."""
        full = OSError(errno.ENOSPC, "No space left on device", "/the/stub.so")
        with self.assertRaisesRegex(Failure, f"^{self.top}: No space left on device$"):
            with apply.in_folder(self.top):
                raise full

    def test_work_folder_does_not_hide_other_failures(self):
        """Those of stdout, for one, are not of that disk."""
        full = OSError(errno.ENOSPC, "No space left on device")
        with self.assertRaises(OSError) as raised, apply.work_folder(self.top):
            raise full
        self.assertIs(raised.exception, full)

    def test_what_stdout_cannot_take(self):
        path = self.wheel({"thing/a.so": self.library()})
        for arguments in (["repair", "--dry-run", path], ["check", path],
                          ["patch", "--dry-run", "--copy-stubs", self.top / "made.so"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = subprocess.run([sys.executable, COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, r"^anycuda \w+: .*No space left on device.*\n$")
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, COMMAND, *arguments],
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode in (0, 1), done.stderr), (True, ""), arguments)

    def test_folders_that_may_not_be_entered(self):
        become = [*WITHOUT_RIGHTS, sys.executable, COMMAND]
        path = self.wheel({"thing/a.so": self.library()})
        self.top.chmod(0o755)
        (self.top / "closed").mkdir()
        (self.top / "closed").chmod(0)
        self.addCleanup((self.top / "closed").chmod, 0o700)
        for arguments in (["repair", "-w", self.top / "closed", path],
                          ["repair", "-w", self.top / "closed" / "in", path],
                          ["check", self.top / "closed" / "a.whl"], ["patch", self.top / "closed" / "a"]):
            done = subprocess.run([*become, *arguments], capture_output=True, text=True)
            self.assertEqual((done.returncode, "Traceback" in done.stderr), (2, False), done.stderr)
            self.assertIn("Permission denied", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
