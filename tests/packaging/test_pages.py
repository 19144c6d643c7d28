# SPDX-License-Identifier: Apache-2.0
"""Manual pages: they have all that the parser knows."""

import argparse
import sys
import unittest
from unittest import mock

from abi_support import ROOT
from anycuda import __main__ as command, config

sys.path.insert(0, str(ROOT / "packaging" / "pages"))
import make  # noqa: E402

MAN = "man/man1/anycuda{}.1"


def parsers() -> dict[str, argparse.ArgumentParser]:
    (subparsers,) = (action for action in command.command_line()._actions if action.dest == argparse.SUPPRESS
                     and isinstance(action.choices, dict))
    return subparsers.choices


class Pages(unittest.TestCase):
    def setUp(self):
        self.files = make.pages("1.2.3")

    def test_every_command_has_a_page_with_each_of_its_options(self):
        self.assertGreater(len(parsers()), 5)
        for name, parser in parsers().items():
            page = self.files[MAN.format(f"-{name}")].replace("\\-", "-")
            self.assertIn(f".BR anycuda\\-{name} (1)\n", self.files[MAN.format("")])
            for action in parser._actions:
                for option in action.option_strings:
                    self.assertRegex(page, rf"\\fB{option}\\fR")

    def test_every_page_has_all_words_of_the_epilog(self):
        for name, parser in parsers().items():
            page = self.files[MAN.format(f"-{name}")].replace("\\-", "-").replace("\\e", "\\")
            self.assertEqual(set(parser.epilog.replace("exit status:", "").split()) - set(page.split()), set(), name)
            self.assertRegex(page, r"\.SH EXIT STATUS\n\.TP\n\w+\n[^.]")

    def test_statuses_of_check_and_run(self):
        def statuses(name: str) -> list[str]:
            text = self.files[MAN.format(f"-{name}")].partition(".SH EXIT STATUS\n")[2].partition(".SH")[0]
            return [part.splitlines()[0] for part in text.split(".TP\n")[1:]]

        self.assertEqual(statuses("check"), ["0", "1", "2", "3"])
        self.assertEqual(statuses("run"), ["N", "127", "126", "2"])
        self.assertIn("device code or a static runtime does not run\n.TP\n2\n", self.files[MAN.format("-check")])

    def test_a_new_option_is_on_the_page(self):
        def add_arguments(parser):
            parser.add_argument("--novel", choices=("a", "b"), help="it's [new]: 100 %% 'quoted' \\n")

        with mock.patch.object(config, "add_arguments", add_arguments):
            self.files = make.pages("1.2.3")
        self.assertIn("\\fB\\-\\-novel\\fR \\fI{a,b}\\fR\nit's [new]: 100 % 'quoted' \\en\n",
                      self.files[MAN.format("-config")])


if __name__ == "__main__":
    unittest.main()
