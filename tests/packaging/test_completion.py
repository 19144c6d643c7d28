# SPDX-License-Identifier: Apache-2.0
"""The shells' completion by shtab: it has all that the parser knows, and bash completes as a user expects."""

import subprocess
import sys
import unittest
from unittest import mock

from abi_support import ROOT
from anycuda import config
from build_folder import artifact
from test_pages import parsers  # puts packaging/pages on the path

sys.path.append(str(artifact("shtab")))
import make  # noqa: E402

BASH, ZSH, FISH = ("bash-completion/completions/anycuda", "zsh/site-functions/_anycuda",
                   "fish/vendor_completions.d/anycuda.fish")


class Completion(unittest.TestCase):
    def setUp(self):
        self.files = make.completion()

    def completed(self, *arguments: str) -> list[str]:
        """What bash offers for the last word."""
        script = (f"{self.files[BASH]}\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _shtab_anycuda; "
                  "echo ${COMPREPLY[@]}")
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", "anycuda", *arguments], capture_output=True,
                              text=True, cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def lines(self, shell: str, *parts: str) -> list[str]:
        return [line for line in self.files[shell].splitlines() if all(part in line for part in parts)]

    def test_each_shell_completes_each_option(self):
        for name, parser in parsers().items():
            options = [option for action in parser._actions for option in action.option_strings]
            self.assertEqual(self.completed(name, "-"), options)
            zsh = self.files[ZSH].partition(f"_shtab_anycuda_{name}_options=(")[2].partition("\n)\n")[0]
            for option in options:
                self.assertRegex(zsh, rf'["{{,*]{option}[",}}\[]')
                letter = f"-l {option[2:]} " if option.startswith("--") else f"-s {option[1:]} "
                self.assertTrue(self.lines(FISH, f"_shtab_anycuda_using {name}'", letter), option)

    def test_bash_completes_commands_and_values(self):
        self.assertEqual(self.completed(""), list(parsers()))
        self.assertEqual(self.completed("co"), ["config"])
        self.assertEqual(self.completed("patch", "--built-for", "1"), ["11", "12", "13"])
        self.assertEqual(self.completed("config", "--cflags", ""), ["11", "12", "13"])
        self.assertEqual(self.completed("find", "nvcc", "--kind", "l"), ["library"])

    def test_bash_leaves_files_to_readline(self):
        self.assertIn("\ncomplete -o default -F _shtab_anycuda anycuda", self.files[BASH])
        for words in (("repair", "x"), ("check", "READ"), ("repair", "--wheel-dir", "doc"), ("run", "--", "ls", "-")):
            self.assertEqual(self.completed(*words), [])

    def test_zsh_and_fish_complete_all_files(self):
        for name in ("check", "doctor", "find", "patch", "repair"):
            zsh = self.files[ZSH].partition(f"_shtab_anycuda_{name}_options=(")[2].partition("\n)\n")[0]
            self.assertRegex(zsh, r'\n  "\*:[^:]([^:\\]|\\.)*:_files"$', name)
            self.assertTrue(self.lines(FISH, f"-n '_shtab_anycuda_using {name}'", "__fish_complete_path"), name)
        self.assertRegex(self.files[ZSH], r'"--wheel-dir"\S*\[.*:_files"|\{--wheel-dir,-w\}"\[.*:_files"')

    def test_a_new_option_is_in_all_of_them(self):
        def add_arguments(parser):
            parser.add_argument("--novel", choices=("a", "b"), help="it's [new]: 100 %% 'quoted' \\n")

        with mock.patch.object(config, "add_arguments", add_arguments):
            self.files = make.completion()
        self.assertEqual(self.completed("config", "--novel", ""), ["a", "b"])
        self.assertTrue(self.lines(ZSH, "--novel[", ":(a b)"))
        self.assertTrue(self.lines(FISH, "-l novel", "a b"))


if __name__ == "__main__":
    unittest.main()
