# SPDX-License-Identifier: Apache-2.0
"""Requirements and names of wheels are read as the library `packaging` reads them, which pip uses. It refuses some
texts that anycuda leaves as they are."""

import sys
import unittest
import zipfile
from collections.abc import Iterator
from pathlib import Path

from build_folder import artifact

import wheel_support  # noqa: F401  (puts the package on the path)
from anycuda.wheels import metadata, names, requirement

sys.path.insert(0, str(artifact("scikit-build")))
from packaging.markers import Marker  # noqa: E402
from packaging.requirements import InvalidRequirement, Requirement  # noqa: E402
from packaging.specifiers import SpecifierSet  # noqa: E402
from packaging.utils import canonicalize_name, parse_wheel_filename  # noqa: E402
from packaging.version import Version  # noqa: E402

ARTIFACTS = ("auditwheel", "cuda-pathfinder", "cuda-toolkit-12.9", "cuda-toolkit-13.0", "cuda-toolkit-13.5", "meson",
             "pip", "scikit-build", "setuptools", "virtualenv", "wheel-torchvision", "wheel-torchaudio",
             "wheel-torch_memory_saver", "wheel-cumm", "wheel-mooncake")
NAMES = ("numpy", "A.b_c", "X__y--z..w", "x1", "nvidia-cublas-cu12")
EXTRAS = ("", "[a]", "[]", " [A_b , c.d]", "[ a,b ] ")
VERSIONS = ("", "==12.*", ">=12,<13", " (>=12, <13)", "(==12.9)", " ~= 12.1", ">=12.1 , <13.0", "<14,>=13",
            "===12.9.79", ">12,<13", ">=12,<=12.9", "!=12.3,==12.*", ">=v12", "<13.0.0,>=12.1", ">=12.1,<13.1",
            ">=12rc1,<13", "==12a1", "<13.dev0,>=12", "==12.post1", "==12+local", "==1!12.0", ">=1!12,<1!13",
            ">=2019.1,<2020", ">=012,<13",
            " @ https://h/a;b.whl ", "@git+https://h/r.git@v1#egg=x ", " @ file:///a%20b.whl ")
MARKERS = ("", ";python_version<'3.9'", "; extra == 'a_B.c'", "; 'x' == extra", ";extra!=\"a\"", "; os_name == 'extra'",
           "; (extra == 'a' or extra=='b') and python_version >= '3'", "; \"extra == 'a'\" != os_name",
           "; platform_machine in 'x86_64 extra'", "; extra in 'a b'")
INVALID = ("", "x-", "-x", "_x", "x[a", "x]", "x*", "x 1.0", "x # note", "é")
LENIENT = ("x[a,]", "x>=", "x=1", "x~=1", "x>=1.*", "x>1 <2", "x(>=1", "x;", "x; extra", "x; foo == 'a'", "x @")


def texts_of_wheels() -> Iterator[str]:
    for folder in map(artifact, ARTIFACTS):
        for path in [*folder.rglob("METADATA"), *folder.glob("*.whl")]:
            yield from metadata.values(metadata.split(metadata_of(path))[0], "Requires-Dist")


def metadata_of(path: Path) -> bytes:
    if path.suffix != ".whl":
        return path.read_bytes()
    with zipfile.ZipFile(path) as wheel:
        (name,) = (name for name in wheel.namelist() if name.count("/") == 1 and name.endswith(".dist-info/METADATA"))
        return wheel.read(name)


def odd_texts() -> Iterator[str]:
    for number, (version, marker) in enumerate((version, marker) for version in VERSIONS for marker in MARKERS):
        yield f"{NAMES[number % len(NAMES)]}{EXTRAS[number % len(EXTRAS)]}{version}{marker}"
    for name in NAMES:
        yield from (f"{name}{extras}>=1" for extras in EXTRAS)


def extras_named(marker: Marker | None) -> set[str]:
    """The extras that a marker compares with == or !=, from packaging's parsed form of it."""
    found, waiting = set(), list(marker._markers) if marker else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, tuple):
            left, sign, right = node
            for variable, value in ((left, right), (right, left)):
                if type(variable).__name__ == "Variable" and variable.value == "extra" and sign.value in ("==", "!="):
                    found.add(canonicalize_name(value.value))
    return found


def majors(specifier: SpecifierSet) -> set[str]:
    """The majors of which the specifier allows a version."""
    named = [Version(clause.version.removesuffix(".*")) for clause in specifier]
    releases = {release for version in named for release in (version.major, version.major + 1)}
    others = [Version(f"{major}.{rest}") for major in (*range(20), *releases)
              for rest in ("0", "0.1", "1", "5.1", "999")]
    return {str(version.major) for version in (*named, *others) if specifier.contains(version, prereleases=True)}


class Requirements(unittest.TestCase):
    def compare(self, text: str) -> None:
        ours, theirs = requirement.parse(text), Requirement(text)
        self.assertEqual((ours.name, ours.normal), (theirs.name, canonicalize_name(theirs.name)))
        self.assertEqual(set(ours.extras), theirs.extras)
        if theirs.url:
            self.assertEqual(ours.version.removeprefix("@").strip(), theirs.url)
            self.assertEqual((requirement.major_of(ours.version), requirement.floor_of(ours.version)), ("", ""))
        else:
            self.assertEqual(SpecifierSet(ours.version.strip("()")), theirs.specifier)
            self.compare_majors(ours.version, theirs.specifier)
        self.assertEqual(str(Marker(ours.marker) if ours.marker else None), str(theirs.marker))
        self.assertEqual(set(ours.extra_names), extras_named(theirs.marker))

    def compare_majors(self, version: str, specifier: SpecifierSet) -> None:
        allowed = majors(specifier)
        if "!" not in version:  # a release of another epoch has no CUDA major
            self.assertEqual(requirement.major_of(version), allowed.pop() if len(allowed) == 1 else "")
        before = int(requirement.floor_of(version).split(".")[0] or 0) - 1
        self.assertFalse(before >= 0 and specifier.contains(f"{before}.999"))

    def test_texts_of_wheels(self):
        texts = set(texts_of_wheels())
        self.assertGreater(len(texts), 200)
        for text in texts:
            with self.subTest(text=text):
                self.compare(text)

    def test_odd_texts(self):
        for text in odd_texts():
            with self.subTest(text=text):
                self.compare(text)

    def test_versions_of_another_epoch(self):
        for version in ("==1!12.0", ">=1!12,<1!13"):
            self.assertEqual((requirement.major_of(version), requirement.floor_of(version)), ("", ""))

    def test_rewritten_texts(self):
        """What anycuda writes has the same meaning, except for the marker or the extras."""
        for text in {*texts_of_wheels(), *odd_texts()}:
            with self.subTest(text=text):
                ours, theirs = requirement.parse(text), Requirement(text)
                self.assertEqual(Requirement(str(ours)), theirs)
                in_extra = Requirement(ours.in_extra("cuda12"))
                self.assertLessEqual(extras_named(theirs.marker) | {"cuda12"}, extras_named(in_extra.marker))
                with_extras = Requirement(ours.with_extras(["q"]))
                self.assertEqual(with_extras.extras, {"q"})
                for other in (in_extra, with_extras, Requirement(ours.under("os_name == 'nt'"))):
                    self.assertEqual((other.name, other.specifier, other.url),
                                     (theirs.name, theirs.specifier, theirs.url))

    def test_invalid_texts(self):
        for text in (*INVALID, *LENIENT):
            with self.subTest(text=text):
                with self.assertRaises(InvalidRequirement):
                    Requirement(text)
                self.assertEqual(requirement.parse(text) is None, text in INVALID)


class WheelNames(unittest.TestCase):
    def test_names(self):
        fetched = [path.name for name in ARTIFACTS for path in artifact(name).glob("*.whl")]
        for file in (*fetched, "a_b-1.0-py3-none-any.whl", "A.b-1.0-2x-cp39-abi3-manylinux_2_17_x86_64.whl",
                     "a-1!2.0rc1+cu12.1-py2.py3-none-manylinux1_x86_64.manylinux2010_x86_64.whl"):
            with self.subTest(file=file):
                ours = names.parse(file)
                name, version, build, tags = parse_wheel_filename(file)
                self.assertEqual((names.normal(ours.distribution), Version(ours.version)), (name, version))
                self.assertEqual({tag.platform for tag in tags}, set(ours.platforms))
                if build:
                    self.assertEqual(ours.with_build_tag("".join(map(str, build))), file)
                self.assertEqual(parse_wheel_filename(ours.with_build_tag("7")), (name, version, (7, ""), tags))


if __name__ == "__main__":
    unittest.main()
