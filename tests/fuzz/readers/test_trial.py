# SPDX-License-Identifier: Apache-2.0
"""The faults that a trial finds: each replaces the command."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [os.path.join(os.environ["ANYCUDA_BUILD"], "share", "anycuda"), str(HERE),
                *(str(HERE.parents[1] / folder) for folder in ("packaging", "support/python"))]

import campaign  # noqa: E402
import trial  # noqa: E402
from cases import Case  # noqa: E402

OUTSIDE = Path(tempfile.gettempdir()) / "fuzz-readers-outside"


def breaks_off(path, out):
    raise ValueError("no sentence")


def takes_memory(path, out):
    b"x" * trial.MEMORY
    return 2


def takes_time(path, out):
    while True:
        pass


def ends_the_process(path, out):
    os._exit(7)


def writes_elsewhere(path, out):
    try:
        OUTSIDE.write_text("x")
    finally:
        OUTSIDE.unlink(missing_ok=True)
    return 0


def changes_the_input(path, out):
    path.write_bytes(b"x")
    return 0


def leaves_something(path, out):
    (path.parents[1] / "tmp" / "left").write_bytes(b"")
    return 0


def writes_a_broken_wheel(path, out):
    import zipfile
    with zipfile.ZipFile(out / path.name, "w") as wheel:
        wheel.writestr("thing-1.0.dist-info/RECORD", "missing,sha256=x,1\n")
    return 0


def writes_nothing(path, out):
    return 0


def has_a_strange_status(path, out):
    return 5


def refuses(path, out):
    return 2


class Trial(unittest.TestCase):
    def found(self, command) -> str:
        """The fault of that command, which runs in a separate process."""
        def instead(words):
            out = Path(words[words.index("-w") + 1]) if "-w" in words else None
            return command(Path(words[-1]), out)

        case, output = Case(b"data", "thing-1.0-py3-none-any.whl", (("repair",),)), []
        with mock.patch.multiple(trial, main=instead, SECONDS=2, MEMORY=256 << 20):
            campaign.run(1, lambda number: case, lambda: False, lambda number, wrong: output.append(wrong))
        return "".join(output)

    def test_finds_every_fault(self):
        for command, why in ((breaks_off, "ValueError: no sentence"), (takes_memory, "MB of memory"),
                             (takes_time, "more than 2 seconds of CPU"), (ends_the_process, "status 7"),
                             (writes_elsewhere, "outside of the folders given"),
                             (changes_the_input, "the input changed"),
                             (leaves_something, "more than before"), (writes_a_broken_wheel, "is not sound"),
                             (writes_nothing, "its results are []"), (has_a_strange_status, "status 5")):
            with self.subTest(command=command.__name__):
                self.assertIn(why, self.found(command))

    def test_accepts_a_refusal(self):
        self.assertEqual(self.found(refuses), "")


if __name__ == "__main__":
    unittest.main()
