# SPDX-License-Identifier: Apache-2.0
"""Getting artifacts: results, refusals, and what an interruption or a second process leaves."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import select
import shutil
import time
import unittest
from pathlib import Path
from unittest import mock

from artifacts_support import CacheCase, Store, no_source, recipe_text, wheel_bytes

from artifacts import cli, lockfile, unpack
from artifacts import get as get_module
from artifacts.errors import FetchError, ArtifactError
from artifacts.get import GIVE_UP_AFTER


class Getting(CacheCase):
    def test_artifact_has_only_the_locked_members(self) -> None:
        result = self.get(Store(self.contents))
        folder = result.folders["one"]
        self.assertEqual((folder / "nvidia/lib/libone.so").read_bytes(), b"one")
        self.assertFalse((folder / "nvidia/lib/libone.a").exists())
        self.assertTrue(os.access(result.folders["two"] / "nvidia/bin/two", os.X_OK))
        self.assertEqual(result.missing, {})

    def test_the_stamp_records_the_hashes(self) -> None:
        stamp = json.loads(
            (self.get(Store(self.contents)).folders["one"] / ".anycuda-piece.json").read_text()
        )
        self.assertEqual(
            stamp, {"piece": "one", "files": {"one.whl": self.lock.files["one.whl"].sha256}}
        )

    def test_downloads_are_not_kept(self) -> None:
        self.get(Store(self.contents))
        self.assertEqual(list(self.cache.root.rglob("*.whl")), [])
        self.assertFalse(self.cache.work.exists())

    def test_filled_cache_makes_no_request_and_prints_one_line(self) -> None:
        first = self.get(Store(self.contents))
        self.messages.truncate(self.messages.seek(0))
        (self.cache.root / ".lock").unlink()
        second = self.get(no_source)
        self.assertEqual(second.folders, first.folders)
        self.assertEqual(len(self.messages.getvalue().splitlines()), 1)
        self.assertFalse((self.cache.root / ".lock").exists(), "the lock was taken for nothing")

    def test_newer_package_is_used_if_contents_match(self) -> None:
        """A mirror keeps only the newest version, whose hash the lock cannot know."""
        newer = {"one.whl": wheel_bytes({"nvidia/lib/libone.so": b"release 1.2, newer", "nvidia/lib/libone.a": b""})}
        artifact = self.lock.artifacts["one"]
        for holds, missing in (
            ({}, ""),
            ({"nvidia/lib/libone.so": "release 1.2"}, ""),
            ({"nvidia/lib/libone.so": "release 1.3"}, "one: 'release 1.3' is not in nvidia/lib/libone.so; "),
            ({"nvidia/lib/libtwo.*": ""}, "one: it holds no nvidia/lib/libtwo.*; the artifact is not used"),
        ):
            with self.subTest(holds=holds):
                self.lock.artifacts["one"] = dataclasses.replace(artifact, holds=holds)
                result = self.get(Store(newer, versions={"one.whl": "2"}), ["one"])
                self.assertIn(missing, result.missing.get("one", ""))
                self.assertEqual("one" in result.missing, bool(missing))
                if not missing:
                    folder = result.folders["one"]
                    self.assertEqual((folder / "nvidia/lib/libone.so").read_bytes(), b"release 1.2, newer")
                    stamp = json.loads((folder / ".anycuda-piece.json").read_text())
                    self.assertEqual(stamp, {"piece": "one", "files": {}, "newer": {"one.whl": "2"}})
                    self.assertIn("version 1 is locked and no longer in the archive; 2 is used",
                                  self.messages.getvalue())
                    self.assertEqual(self.get(no_source, ["one"]).folders, result.folders)  # without a network

    def test_only_what_is_missing_is_fetched(self) -> None:
        self.get(Store(self.contents), ["one"])
        store = Store(self.contents)
        self.get(store)
        self.assertEqual(store.asked, ["two.whl"])

    def test_another_hash_in_the_lock_is_another_artifact(self) -> None:
        before = self.get(Store(self.contents)).folders["one"]
        self.contents["one.whl"] = wheel_bytes({"nvidia/lib/libone.so": b"newer"})
        self.lock = self.lock_of(self.contents)
        after = self.get(Store(self.contents)).folders["one"]
        self.assertNotEqual(before, after)
        self.assertEqual((after / "nvidia/lib/libone.so").read_bytes(), b"newer")

    def test_a_folder_without_its_stamp_is_made_anew(self) -> None:
        folder = self.get(Store(self.contents), ["one"]).folders["one"]
        (folder / ".anycuda-piece.json").unlink()
        (folder / "nvidia/lib/libone.so").write_bytes(b"edited")
        again = self.get(Store(self.contents), ["one"]).folders["one"]
        self.assertEqual((again / "nvidia/lib/libone.so").read_bytes(), b"one")

    def test_an_unknown_name_is_an_error_that_lists_the_sets(self) -> None:
        with self.assertRaisesRegex(ArtifactError, "'nowhere'.*sets: both"):
            self.lock.expand(["nowhere"])


class Failing(CacheCase):
    def test_a_file_with_another_hash_is_never_used(self) -> None:
        tampered = dict(
            self.contents, **{"one.whl": wheel_bytes({"nvidia/lib/libone.so": b"evil"})}
        )
        result = self.get(Store(tampered))
        self.assertIn(self.lock.files["one.whl"].sha256, result.missing["one"])
        self.assertEqual(self.published(), ["two"])
        self.assertEqual(
            [p for p in self.cache.root.rglob("*") if p.is_file() and b"evil" in p.read_bytes()], []
        )

    def test_a_broken_line_is_retried_with_growing_pauses(self) -> None:
        self.get(Store(self.contents, failures=2), ["one"])
        self.assertEqual(self.published(), ["one"])
        self.assertEqual(self.slept, [1.0, 4.0])

    def test_after_three_tries_the_reason_is_reported(self) -> None:
        store = Store(self.contents, failures=3)
        self.assertEqual(self.get(store, ["one"]).missing, {"one": "the line is broken"})
        self.assertEqual(store.asked, ["one.whl"] * 3)

    def test_what_cannot_help_is_not_retried(self) -> None:
        asked = []

        def final(file, into):
            asked.append(file.name)
            raise FetchError("another version", final=True)

        self.get(final, ["one"])
        self.assertEqual(asked, ["one.whl"])

    def test_a_source_out_of_reach_is_given_up(self) -> None:
        self.contents = {f"p{i}.whl": self.contents["one.whl"] + b" " * i for i in range(20)}
        self.lock = self.lock_of(self.contents)
        store = Store(self.contents, failures=10**6)
        with mock.patch.object(get_module, "WORKERS", 1):
            result = self.get(store)
        self.assertEqual(len(result.missing), 20)
        self.assertEqual(len(store.asked), GIVE_UP_AFTER * get_module.TRIES)
        self.assertRegex(result.missing["p9"], "not tried.* the line is broken")

    def test_a_source_that_gave_a_file_is_not_given_up(self) -> None:
        self.contents = {f"p{i}.whl": self.contents["one.whl"] + b" " * i for i in range(20)}
        self.lock = self.lock_of(self.contents)
        store = Store(self.contents)

        def source(file, into):
            store.failures = 0 if file.name == "p0.whl" else 1
            return store(file, into)

        with mock.patch.object(get_module, "WORKERS", 1):
            result = self.get(source)
        self.assertEqual(set(result.missing.values()), {"the line is broken"})
        self.assertEqual(len(store.asked), 1 + 19 * get_module.TRIES)

    def test_an_artifact_for_another_machine_is_not_fetched(self) -> None:
        with mock.patch("platform.machine", return_value="aarch64"):
            self.lock.artifacts["one"] = lockfile.Artifact("one", "x86_64", self.lock.artifacts["one"].parts)
            result = self.get(Store(self.contents))
        self.assertEqual(result.missing, {"one": "locked for x86_64 only, this machine is aarch64"})
        self.assertEqual(self.published(), ["two"])


def _die_while_unpacking(case: CacheCase) -> None:
    real = unpack._place

    def place(into: Path, name: str) -> Path:
        if name.endswith("libtwo.so"):
            os._exit(9)  # as kill -9 would: nothing is cleaned up
        return real(into, name)

    with mock.patch.object(unpack, "_place", place):
        case.get(Store(case.contents), ["two"])


class Pipe:
    """Words between a test and the processes that it forks. (multiprocessing's own means need /dev/shm, which a bare
    root may lack.)
    """

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()

    def send(self, text: str = "now") -> None:
        os.write(self._writing, text.encode())

    def receive(self) -> str:
        """The next words; "" if none come within half a minute."""
        ready, _, _ = select.select([self._reading], [], [], 30)
        return os.read(self._reading, 4096).decode() if ready else ""


def _fetch_slowly(case: CacheCase, started: Pipe, go_on: Pipe) -> None:
    inner = Store(case.contents)

    def source(file, into):
        started.send()
        if not go_on.receive():
            os._exit(3)
        return inner(file, into)

    case.get(source, ["one"])


def _fetch_second(case: CacheCase, go_on: Pipe, answer: Pipe) -> None:
    def say(text: str) -> None:
        if "waiting" in text:
            go_on.send()

    get_module.say = say
    try:
        answer.send(str(case.get(no_source, ["one"]).folders["one"]))
    except BaseException as error:
        answer.send(repr(error))


class Processes(CacheCase):
    @staticmethod
    def start(target, *arguments) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                target(*arguments)
                os._exit(0)
            finally:
                os._exit(1)
        return pid

    def ended_with(self, pid: int) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_an_interrupted_unpacking_leaves_no_half_artifact(self) -> None:
        self.assertEqual(self.ended_with(self.start(_die_while_unpacking, self)), 9)
        half = [path for path in self.cache.root.rglob("two") if path.is_file()]
        self.assertTrue(half, "the child was to die with a half-made folder")
        self.assertEqual(self.published(), [])
        folder = self.get(Store(self.contents), ["two"]).folders["two"]
        self.assertEqual((folder / "nvidia/lib/libtwo.so").read_bytes(), b"two")
        self.assertEqual([path for path in half if path.exists()], [], "what was left over is gone")

    def test_what_a_killed_process_left_is_dropped_and_never_used(self) -> None:
        left = self.cache.work / "one-x1" / "one.whl"
        for content in (self.contents["one.whl"], b"half"):
            with self.subTest(content=content[:4]):
                left.parent.mkdir(parents=True)
                left.write_bytes(content)
                with self.cache.exclusive(lambda text: self.fail("nobody else is there")):
                    self.assertEqual(list(self.cache.work.iterdir()), [])
                left.parent.mkdir(parents=True)
                left.write_bytes(content)
                store = Store(self.contents)
                folder = self.get(store, ["one"]).folders["one"]
                self.assertEqual(store.asked, ["one.whl"])
                self.assertEqual((folder / "nvidia/lib/libone.so").read_bytes(), b"one")
                shutil.rmtree(folder)

    def test_ctrl_c_ends_the_run_and_keeps_what_is_finished(self) -> None:
        self.contents = {f"p{i}.whl": self.contents["one.whl"] for i in range(20)}
        self.lock = self.lock_of(self.contents)
        store = Store(self.contents)
        asked = []

        def source(file, into):
            asked.append(file.name)
            if len(asked) == 2:
                raise KeyboardInterrupt
            time.sleep(0.1 if len(asked) > 2 else 0)
            return store(file, into)

        with mock.patch.object(get_module, "WORKERS", 1), self.assertRaises(KeyboardInterrupt):
            self.get(source)
        self.assertIn("p0", self.published())
        self.assertLess(len(asked), 5, "what was not begun was not left")
        self.assertFalse(self.cache.work.exists())
        self.assertEqual(len(self.get(store).folders), 20)
        self.assertEqual(len(store.asked), 20)

    def test_two_processes_fetch_once(self) -> None:
        started, go_on, answer = Pipe(), Pipe(), Pipe()
        first = self.start(_fetch_slowly, self, started, go_on)
        self.assertTrue(started.receive())
        second = self.start(_fetch_second, self, go_on, answer)
        got = answer.receive()
        self.assertEqual([self.ended_with(pid) for pid in (first, second)], [0, 0])
        self.assertEqual(got, str(self.cache.folder(self.lock, self.lock.artifacts["one"])))


class CommandLine(CacheCase):
    def run_cli(self, store, *words: str) -> tuple[int, str, str]:
        path = self.top / "lock.json"
        path.write_text(lockfile.dump(self.lock.files.values()), encoding="utf-8")
        path.with_name("recipe.toml").write_text(recipe_text(self.lock), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        sources = mock.patch("artifacts.sources.real_sources", return_value={"pypi": store})
        quick = mock.patch("time.sleep")
        with sources, quick, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(["--lock", str(path), "--cache", str(self.cache.root), *words])
        return status, out.getvalue(), err.getvalue()

    def test_get_prints_the_folders(self) -> None:
        status, out, _ = self.run_cli(Store(self.contents), "get", "one")
        self.assertEqual(
            (status, out), (0, f"one {self.cache.folder(self.lock, self.lock.artifacts['one'])}\n")
        )

    def test_what_is_missing_is_named_and_fails_only_when_strict(self) -> None:
        store = Store({"two.whl": self.contents["two.whl"], "one.whl": b"x"})
        status, out, err = self.run_cli(store, "get", "both")
        self.assertEqual(status, 0)
        self.assertIn("one not available", out)
        self.assertRegex(err, "1 of 2 could not be fetched:\n  one: .*SHA-256")
        self.assertEqual(self.run_cli(store, "get", "both", "--strict")[0], 1)
        self.assertEqual(self.run_cli(store, "get", "two", "--strict")[0], 0)

    def test_cmake_code_sets_folder_or_reason(self) -> None:
        store = Store({"two.whl": self.contents["two.whl"], "one.whl": b"x"})
        _, out, _ = self.run_cli(store, "get", "both", "--format", "cmake")
        folder = self.cache.folder(self.lock, self.lock.artifacts["two"])
        self.assertIn(f"set(ANYCUDA_ARTIFACT_two [===[{folder}]===] PARENT_SCOPE)\n", out)
        self.assertIn("set(ANYCUDA_ARTIFACT_one [===[]===] PARENT_SCOPE)\n", out)
        self.assertRegex(
            out,
            r"set\(ANYCUDA_ARTIFACT_REASON_one \[===\[one.whl: SHA-256 is .*\]===\] PARENT_SCOPE\)",
        )
        self.assertIn("set(ANYCUDA_ARTIFACTS [===[one;two]===] PARENT_SCOPE)\n", out)

    def test_skip_leaves_an_artifact_out(self) -> None:
        _, out, _ = self.run_cli(Store(self.contents), "get", "both", "--skip", "one")
        self.assertNotIn("one", out.replace(str(self.cache.root), ""))
        self.assertEqual(self.published(), ["two"])

    def test_list_names_sets_and_where_artifacts_are(self) -> None:
        self.run_cli(Store(self.contents), "get", "one")
        status, out, _ = self.run_cli(no_source, "list")
        sizes = sum(len(content) for content in self.contents.values()) / 1e6
        self.assertEqual((status, out.splitlines()), (0, [
            f"set both: 2 artifacts, {sizes:.1f} MB to download",
            f"artifact one (one 1): {self.cache.folder(self.lock, self.lock.artifacts['one'])}",
            "artifact two (two 1): not in the cache",
        ]))

    def test_unknown_names_end_with_2(self) -> None:
        status, _, err = self.run_cli(no_source, "get", "nowhere")
        self.assertEqual(status, 2)
        self.assertIn("'nowhere' is neither a set nor an artifact", err)

    def test_path_knows_only_what_is_there(self) -> None:
        self.assertEqual(self.run_cli(no_source, "path", "one")[0], 2)
        self.run_cli(Store(self.contents), "get", "one")
        status, out, _ = self.run_cli(no_source, "path", "one")
        self.assertEqual(
            (status, out.strip()), (0, str(self.cache.folder(self.lock, self.lock.artifacts["one"])))
        )


if __name__ == "__main__":
    unittest.main()
