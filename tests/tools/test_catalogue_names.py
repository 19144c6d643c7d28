# SPDX-License-Identifier: Apache-2.0
"""The catalogue has each component that the pinned cuda-pathfinder finds on Linux, under its name, with the SONAMEs of
its libraries and its environment variables.

    python3 -m tests.tools.test_catalogue_names newest    compares with the newest on PyPI, or with a version: 1.9.1
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "compat" / "catalogue"))

from build_folder import artifact, with_real_libraries  # noqa: E402

from generate import KINDS, Catalogue  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "compat" / "catalogue"
# cuda-pathfinder's name -> the catalogue's: a bitcode library is named as its file.
OTHER_NAMES = {"device": "libdevice"}
UNRELEASED = {"libcurand.so.11"}  # no CUDA up to 13.5 has it


# The command fetches another cuda-pathfinder, so it needs no artifact.
@(lambda test: test if __name__ == "__main__" else with_real_libraries(test))
class Names(unittest.TestCase):
    folder = ""  # of cuda-pathfinder; "": the pinned one

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = cls.folder or str(artifact("cuda-pathfinder"))
        sys.path.insert(0, cls.folder)
        catalogue = Catalogue(FOLDER, {"target": "x86_64-linux", "multiarch": "x86_64-linux-gnu"})
        assert not catalogue.errors, catalogue.errors
        cls.rows = {kind: {row.name.lower(): row.values for row in catalogue.components if row.kind == kind}
                    for kind in KINDS.values()}

    @classmethod
    def tearDownClass(cls) -> None:
        sys.path.remove(cls.folder)

    def compare(self, kind: str, expected: dict[str, tuple[str, ...]],
                variables: dict[str, tuple[str, ...]] | None = None) -> None:
        """`expected`: name -> SONAMEs. `variables`: name -> environment variables that name a root."""
        self.assertGreater(len(expected), 0)
        for name, files in expected.items():
            with self.subTest(kind, name=name):
                row = self.rows[kind].get(OTHER_NAMES.get(name, name).lower())
                self.assertIsNotNone(row, f"compat/catalogue lacks the {kind} {name}")
                self.assertLessEqual({*files} - UNRELEASED, {*row["files"]})
                self.assertLessEqual({*(variables or {}).get(name, ())}, {*row["variables"]})

    def test_dynamic_libraries(self) -> None:
        of = importlib.import_module("cuda.pathfinder._dynamic_libs.descriptor_catalog").DESCRIPTOR_CATALOG
        self.compare("dynamic_library", {one.name: one.linux_sonames for one in of if one.linux_sonames},
                     {one.name: one.install_root_env_vars_linux for one in of})

    def test_headers(self) -> None:
        of = importlib.import_module("cuda.pathfinder._headers.header_descriptor_catalog").HEADER_DESCRIPTOR_CATALOG
        self.compare("headers", dict.fromkeys((one.name for one in of if one.available_on_linux), ()),
                     {one.name: one.product_root_env_vars for one in of})

    def test_programs(self) -> None:
        of = importlib.import_module("cuda.pathfinder._binaries.supported_nvidia_binaries").SUPPORTED_BINARIES
        self.compare("program", dict.fromkeys(of, ()))

    def test_static_and_bitcode_libraries(self) -> None:
        of = importlib.import_module("cuda.pathfinder._static_libs.find_static_lib")
        self.compare("static_library", dict.fromkeys(of.SUPPORTED_STATIC_LIBS, ()))
        of = importlib.import_module("cuda.pathfinder._static_libs.find_bitcode_lib")
        self.compare("bitcode_library", dict.fromkeys(of.SUPPORTED_BITCODE_LIBS, ()))


def fetch(version: str, folder: Path) -> str:
    """Unpacks this version from PyPI, or the newest; returns its number."""
    wanted = "cuda-pathfinder" if version == "newest" else f"cuda-pathfinder=={version}"
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                    "--dest", folder, wanted], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return wheel.name.split("-")[1]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python3 -m tests.tools.test_catalogue_names newest|VERSION", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(f"compat/catalogue and cuda-pathfinder {fetch(arguments[0], Path(folder))}:")
        except subprocess.CalledProcessError:  # pip has printed the reason
            return 2
        Names.folder = folder
        result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Names))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
