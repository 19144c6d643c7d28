# SPDX-License-Identifier: Apache-2.0
"""Manual pages and the shells' completion: they have all that the parser knows, and bash accepts them."""

import argparse
import subprocess
import sys
import unittest
from unittest import mock

from abi_support import ROOT
from anycuda import __main__ as command, config

sys.path.insert(0, str(ROOT / "packaging" / "pages"))
import make  # noqa: E402

MAN = "man/man1/anycuda{}.1"
BASH, ZSH, FISH = ("bash-completion/completions/anycuda", "zsh/site-functions/_anycuda",
                   "fish/vendor_completions.d/anycuda.fish")


def parsers() -> dict[str, argparse.ArgumentParser]:
    (subparsers,) = (action for action in command.command_line()._actions if action.dest == argparse.SUPPRESS
                     and isinstance(action.choices, dict))
    return subparsers.choices


class Pages(unittest.TestCase):
    def setUp(self):
        self.files = make.files("1.2.3")

    def completed(self, *arguments: str) -> list[str]:
        """What bash offers for the last word."""
        script = f"{self.files[BASH]}\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _anycuda; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", "anycuda", *arguments], capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

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

    def test_each_shell_completes_each_option(self):
        for name, parser in parsers().items():
            options = [option for action in parser._actions for option in action.option_strings]
            self.assertEqual(self.completed(name, "-"), options)
            for option in options:
                self.assertIn(f"*{option}[", self.files[ZSH])
                letter = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                self.assertRegex(self.files[FISH], rf"__fish_seen_subcommand_from {name}' .*{letter}\b")

    def test_bash_completes_commands_and_values_and_leaves_files_to_readline(self):
        self.assertEqual(self.completed(""), list(parsers()))
        self.assertEqual(self.completed("co"), ["config"])
        self.assertEqual(self.completed("patch", "--built-for", "1"), ["11", "12", "13"])
        self.assertEqual(self.completed("repair", "x"), [])
        self.assertEqual(self.completed("run", "--", "ls", "-"), [])

    def test_a_new_option_is_in_all_of_them(self):
        def add_arguments(parser):
            parser.add_argument("--novel", choices=("a", "b"), help="it's [new]: 100 %% 'quoted' \\n")

        with mock.patch.object(config, "add_arguments", add_arguments):
            self.files = make.files("1.2.3")
        self.assertIn("\\fB\\-\\-novel\\fR \\fI{a,b}\\fR\nit's [new]: 100 % 'quoted' \\en\n",
                      self.files[MAN.format("-config")])
        self.assertEqual(self.completed("config", "--novel", ""), ["a", "b"])
        quoted = "it'\\''s \\[new\\]\\: 100 % '\\''quoted'\\'' \\n"
        self.assertIn(f"'*--novel[{quoted}]:{{a,b}}:(a b)'", self.files[ZSH])
        self.assertIn("-l novel -x -a 'a b' -d 'it'\\''s", self.files[FISH])


if __name__ == "__main__":
    unittest.main()
