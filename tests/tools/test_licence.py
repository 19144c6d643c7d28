# SPDX-License-Identifier: Apache-2.0
"""Every source file names the project's licence in its first line, or in the second one after #!."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from project_files import ROOT, project_files

_SUFFIXES = {".c", ".cc", ".h", ".inc", ".cu", ".S", ".py", ".cmake", ".sh", ".yml", ".yaml"}
LICENCE = re.findall(r'^license = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[0]


def is_source(file: Path) -> bool:
    if "corpus" in file.relative_to(ROOT).parts or file.stat().st_size == 0:
        return False
    name = Path(file.name.removesuffix(".in"))
    if name.suffix:
        return name.suffix in _SUFFIXES or name.name == "CMakeLists.txt"
    with file.open("rb") as opened:
        return opened.read(2) == b"#!"


def names_licence(text: str) -> bool:
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        del lines[0]
    return bool(lines) and lines[0] in [f"{mark} SPDX-License-Identifier: {LICENCE}" for mark in ("#", "//")]


class Licence(unittest.TestCase):
    def test_every_source_file_names_it(self) -> None:
        sources = [file for file in project_files("*") if is_source(file)]
        names = {file.relative_to(ROOT).as_posix() for file in sources}
        self.assertLessEqual({"CMakeLists.txt", ".ci/run", ".github/workflows/ci.yml", "packaging/bin/anycuda",
                              "packaging/cmake/anycudaConfig.cmake.in", "stubs/tools/generate/templates/x86_64.S.in",
                              "compat/rules/driver_rule.cc"}, names)
        lacking = [file.relative_to(ROOT).as_posix() for file in sources
                   if not names_licence(file.read_text(encoding="utf-8"))]
        self.assertEqual(lacking, [], f"add `SPDX-License-Identifier: {LICENCE}` as a comment in the first line")

    def test_line_counts_only_at_the_top(self) -> None:
        line = f"SPDX-License-Identifier: {LICENCE}"
        for text in (f"# {line}\n", f"// {line}\n#pragma once\n", f"#!/bin/sh\n# {line}\n"):
            self.assertTrue(names_licence(text), text)
        for text in ("", "#!/bin/sh\n", "#pragma once\n", f"#pragma once\n// {line}\n", f"{line}\n",
                     f"# {line}-or-later\n", "# SPDX-License-Identifier: MIT\n"):
            self.assertFalse(names_licence(text), text)

    def test_licence_file_has_its_text(self) -> None:
        self.assertEqual(LICENCE, "Apache-2.0")
        text = (ROOT / "LICENSE").read_text(encoding="utf-8")
        self.assertRegex(text, r"^\s*Apache License\s+Version 2\.0, January 2004\s")


if __name__ == "__main__":
    unittest.main()
