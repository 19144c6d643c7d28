# SPDX-License-Identifier: Apache-2.0
""".ci/test_log.py: skipped tests in ctest's log, with their reasons."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))

import test_log  # noqa: E402

LOG = """\
/home/my folder/opened_test.cc:236: Skipped
{google}
[  SKIPPED ] Opened.AnotherUsersFolder (7 ms)
[  SKIPPED ] Opened.AnotherUsersFolder
Test Pass Reason:
Skip regular expression found in output. Regex=[\\[  SKIPPED \\]]
test_a (test_x.Case) ... skipped {python!r}
OK (skipped=1)
Test Passed.
Test Passed.
"""


class Summaries(unittest.TestCase):
    def summary(self, **reasons: str) -> test_log.Summary:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "LastTest.log")
            log.write_text(LOG.format(**reasons))
            return test_log.summary(log)

    def test_each_skipped_test_has_its_reason(self) -> None:
        found = self.summary(google="strace is not installed", python="no network")
        self.assertEqual((found.passed, found.skipped, found.unexpected), (2, 2, 2))
        self.assertIn("skipped: Opened.AnotherUsersFolder: strace is not installed", found.text)
        self.assertIn("skipped: test_a (test_x.Case): no network", found.text)

    def test_a_user_may_skip_what_only_root_can_run(self) -> None:
        found = self.summary(google="only root can give a folder to another user", python="no network")
        self.assertEqual((found.skipped, found.unexpected), (2, 1))

    def test_no_log_is_no_success(self) -> None:
        self.assertEqual(test_log.summary(Path("/nonexistent/LastTest.log")).passed, 0)


if __name__ == "__main__":
    unittest.main()
