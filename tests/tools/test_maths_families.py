# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/maths/families: which functions each library has, by family, and do the GPU programs use every family?"""

import re
import unittest
from functools import cache
from pathlib import Path

from abi_support import DESCRIBED, real

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "gpu" / "maths"
FAMILIES = PROGRAMS / "families"
LIBRARIES = sorted(path.stem for path in FAMILIES.glob("*.txt"))
BUILT_FOR = {"cudnn8": "8."}  # its database has cuDNN 9 as well, which serves the calls
# A name that the program calls, or gives to its own helper or macro.
_USE = re.compile(r"(?<![\w\"])([A-Za-z_]\w*)\s*[(,)]")
_VERSION = re.compile(r"_v\d+(?=_|$)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Family:
    """A line `name: regular expression`, with ` -- reason` behind it where no program uses the family."""

    def __init__(self, line: str) -> None:
        text, _, self.reason = line.partition(" -- ")
        self.name, _, pattern = text.partition(": ")
        self.pattern = re.compile(pattern.strip())

    def has(self, function: str) -> bool:
        return self.pattern.fullmatch(function) is not None


@cache
def families(library: str) -> list[Family]:
    lines = (FAMILIES / f"{library}.txt").read_text().splitlines()
    return [Family(line) for line in lines if line.strip() and not line.startswith("#")]


@cache
def declared(library: str) -> list[str]:
    """The functions that a header declares, of any release that programs for the stub are built for."""
    return sorted(name for name, function in real(library).functions.items()
                  if any(text != "?" and version.startswith(BUILT_FOR.get(library, ""))
                         for version, text in function.texts.items()))


@cache
def used() -> set[str]:
    sources = [*PROGRAMS.glob("*.cc"), *PROGRAMS.glob("*.h")]
    return {name for path in sources for name in _USE.findall(_COMMENT.sub("", path.read_text()))}


def is_used(function: str) -> bool:
    """Headers turn cublasSgemm into cublasSgemm_v2."""
    return not used().isdisjoint({function, _VERSION.sub("", function)})


class Families(unittest.TestCase):
    def test_each_library_has_a_list(self):
        """Each library that takes the handles of others."""
        self.assertLessEqual({name for name, about in DESCRIBED.items() if about.group == "toolkit"}, set(LIBRARIES))

    def test_each_declared_function_is_of_one_family(self):
        for library in LIBRARIES:
            for function in declared(library):
                found = [family.name for family in families(library) if family.has(function)]
                self.assertEqual(len(found), 1, f"{library}: {function} is of {found}")

    def test_each_family_has_a_function_and_another_name(self):
        for library in LIBRARIES:
            names = [family.name for family in families(library)]
            self.assertEqual(len(names), len(set(names)), library)
            for one in families(library):
                self.assertTrue(any(map(one.has, declared(library))), f"{library}: {one.name} has no function")

    def test_the_programs_use_every_family_but_those_with_a_reason(self):
        for library in LIBRARIES:
            for family in families(library):
                found = [name for name in declared(library) if family.has(name) and is_used(name)]
                self.assertEqual(bool(found), not family.reason,
                                 f"{library}: {family.name}: {found or 'no program uses it'}")


if __name__ == "__main__":
    unittest.main()
