# SPDX-License-Identifier: Apache-2.0
"""Unpacking: where members go, and that all stay inside the artifact's folder."""

from __future__ import annotations

import io
import os
import tarfile
import unittest

from artifacts_support import CacheCase, Store, ToolsOnPath, locked, wheel_bytes

from artifacts import unpack
from artifacts.lockfile import Artifact, Lock, Part


class Destinations(unittest.TestCase):
    CASES = (
        # take, member, destination
        ({"nvidia/*": "nvidia/"}, "nvidia/lib/a.so", "nvidia/lib/a.so"),
        ({"nvidia/*": "nvidia/"}, "other/a.so", None),
        ({"usr/lib/*/lib*.so*": ""}, "usr/lib/x/libcuda.so.1", "x/libcuda.so.1"),
        ({"usr/lib/x/lib*.so*": ""}, "usr/lib/x/libcuda.so.1", "libcuda.so.1"),
        ({"usr/bin/strace": "libexec/strace"}, "usr/bin/strace", "libexec/strace"),
        ({"usr/bin/ptxas": "bin/"}, "usr/bin/ptxas", "bin/ptxas"),
        ({"a/b/*": "c/"}, "a/b/d/e", "c/d/e"),
        ({"*.dist-info/RECORD": ""}, "a-1.dist-info/RECORD", "a-1.dist-info/RECORD"),
        ({"*.dist-info/RECORD": ""}, "a-1.dist-info/WHEEL", None),
    )

    def test_each_rule(self) -> None:
        for take, member, wanted in self.CASES:
            with self.subTest(take=take, member=member):
                self.assertEqual(unpack.destination(Part("f", take), member), wanted)

    def test_the_empty_pattern_takes_no_member(self) -> None:
        self.assertIsNone(unpack.destination(Part("f", {unpack.WHOLE: ""}), "nvidia/lib/a.so"))

    def test_drop_wins(self) -> None:
        self.assertIsNone(unpack.destination(Part("f", {"n/*": ""}, ("*.a",)), "n/lib.a"))


class Whole(CacheCase):
    def test_the_file_itself_comes_beside_what_is_in_it(self) -> None:
        both = {unpack.WHOLE: "wheel/", "nvidia/lib/*": ""}
        self.lock.artifacts["one"] = Artifact("one", "all", (Part("one.whl", both),))
        folder = self.get(Store(self.contents), ["one"]).folders["one"]
        self.assertEqual((folder / "wheel" / "one.whl").read_bytes(), self.contents["one.whl"])
        self.assertEqual((folder / "libone.so").read_bytes(), b"one")


class Tricks(CacheCase):
    def refused(self, archive: bytes) -> str:
        """The reason for which the archive gives no artifact; nothing of it may lie outside the
        cache's folders.
        """
        self.contents = {"one.whl": archive}
        self.lock = Lock(
            {"one.whl": locked("one.whl", archive)},
            {"one": Artifact("one", "all", (Part("one.whl", {"*": ""}),))},
            {},
        )
        reason = self.get(Store(self.contents), ["one"]).missing["one"]
        self.assertEqual(self.published(), [])
        outside = [path for path in self.top.rglob("evil*") if path.is_file()]
        self.assertEqual(outside, [])
        return reason

    def test_paths_that_lead_out_are_refused(self) -> None:
        for name in ("../evil", "a/../../evil", str(self.top / "evil"), "..\\evil", "a/.."):
            with self.subTest(name=name):
                archive = wheel_bytes({"good": b"", name: b"evil"})
                self.assertIn("leads out of the folder", self.refused(archive))

    def test_a_link_in_a_wheel_is_refused(self) -> None:
        self.assertIn(
            "link 'evil' in a wheel", self.refused(wheel_bytes({}, {"evil": "/etc/passwd"}))
        )

    def test_a_rule_that_matches_nothing_is_an_error(self) -> None:
        self.lock.artifacts["one"] = Artifact(
            "one", "all", (Part("one.whl", {"nvidia/*": "", "moved/*": ""}),)
        )
        reason = self.get(Store(self.contents), ["one"]).missing["one"]
        self.assertIn("no member matches ['moved/*']", reason)


class DebianPackages(CacheCase):
    """dpkg-deb is stood in for by cat: a package here is the tar that dpkg-deb would give."""

    def package(self, entries: list[tuple[str, str | bytes]]) -> None:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            for name, content in entries:
                info = tarfile.TarInfo(f"./{name}")
                if isinstance(content, str):
                    info.type, info.linkname = tarfile.SYMTYPE, content
                    if content.startswith("="):
                        info.type, info.linkname = tarfile.LNKTYPE, content[1:]
                    tar.addfile(info)
                else:
                    info.size = len(content)
                    info.mode = 0o755 if name.endswith(".run") else 0o644
                    tar.addfile(info, io.BytesIO(content))
        self.contents = {"a.deb": out.getvalue()}
        artifact = Artifact(
            "a", "all", (Part("a.deb", {"usr/lib/*": ""}),), links={"liba.so": "liba.so.1"}
        )
        self.lock = Lock({"a.deb": locked("a.deb", out.getvalue(), "a==1")}, {"a": artifact}, {})

    def get_with_dpkg(self):
        with ToolsOnPath(self.top / "bin", {"dpkg-deb": 'exec /bin/cat "$2"'}).patch():
            return self.get(Store(self.contents), ["a"])

    def test_files_and_links_within_a_folder_are_taken(self) -> None:
        self.package([("usr/lib/liba.so.1.0", b"elf"), ("usr/lib/liba.so.1", "liba.so.1.0")])
        folder = self.get_with_dpkg().folders["a"]
        self.assertEqual((folder / "liba.so").read_bytes(), b"elf")
        self.assertTrue((folder / "liba.so.1").is_symlink())

    def test_execute_permission_is_kept(self) -> None:
        self.package([("usr/lib/a.run", b"program"), ("usr/lib/liba.so.1", b"elf")])
        folder = self.get_with_dpkg().folders["a"]
        self.assertEqual([os.access(folder / name, os.X_OK) for name in ("a.run", "liba.so.1")], [True, False])

    def test_hard_links_are_refused_where_a_rule_takes_them(self) -> None:
        self.package([("usr/lib/liba.so.1", b"elf"), ("usr/lib/b", "=./usr/lib/liba.so.1")])
        self.assertIn("only links within the folder", self.get_with_dpkg().missing["a"])
        self.package([("usr/lib/liba.so.1", b"elf"), ("usr/other/b", "=./usr/lib/liba.so.1")])
        self.assertEqual(self.get_with_dpkg().missing, {})

    def test_links_that_lead_out_are_refused(self) -> None:
        for target in ("/etc", "..", "../x", "."):
            with self.subTest(target=target):
                self.package([("usr/lib/out", target), ("usr/lib/out/evil", b"evil")])
                self.assertIn("only links within the folder", self.get_with_dpkg().missing["a"])

    def test_a_file_is_never_written_through_a_link(self) -> None:
        self.package(
            [
                ("usr/lib/real", b"real"),
                ("usr/lib/liba.so.1", "real"),
                ("usr/lib/liba.so.1", b"own"),
            ]
        )
        folder = self.get_with_dpkg().folders["a"]
        self.assertEqual((folder / "real").read_bytes(), b"real")

    def test_without_dpkg_the_package_is_named(self) -> None:
        self.package([("usr/lib/liba.so.1", b"elf")])
        with ToolsOnPath(self.top / "empty", {}).patch():
            reason = self.get(Store(self.contents), ["a"]).missing["a"]
        self.assertIn("dpkg-deb is missing (Debian package dpkg)", reason)


class SourcePackages(CacheCase):
    def get_archive(self, ending: str, content: bytes):
        name = f"a_1.orig.tar.{ending}"
        self.contents = {name: content}
        self.lock = Lock({name: locked(name, content, "a==1")},
                         {"a": Artifact("a", "all", (Part(name, {"a-*/lib/*.c": ""}),))}, {})
        return self.get(Store(self.contents), ["a"])

    @staticmethod
    def archive(ending: str) -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode=f"w:{ending}") as tar:
            for name in ("a-1/lib/a.c", "a-1/programs/b.c"):
                info = tarfile.TarInfo(name)
                info.size = 4
                tar.addfile(info, io.BytesIO(b"code"))
        return out.getvalue()

    def test_files_are_taken_from_each_form_of_archive(self) -> None:
        for ending in ("gz", "xz", "bz2"):
            with self.subTest(ending=ending):
                folder = self.get_archive(ending, self.archive(ending)).folders["a"]
                files = [path.relative_to(folder).as_posix() for path in folder.rglob("*.c")]
                self.assertEqual(files, ["a-1/lib/a.c"])

    def test_a_damaged_archive_is_named(self) -> None:
        for ending in ("gz", "xz", "bz2"):
            for damaged in (self.archive(ending)[:60], b"no archive", b""):
                with self.subTest(ending=ending, size=len(damaged)):
                    reason = self.get_archive(ending, damaged).missing["a"]
                    self.assertIn(f"a_1.orig.tar.{ending}: truncated or damaged archive", reason)


class Making(CacheCase):
    def test_written_and_joined_files(self) -> None:
        self.contents = {"one.whl": wheel_bytes({"c/b.crt": b"B", "c/a.crt": b"A"})}
        artifact = Artifact(
            "one",
            "all",
            (Part("one.whl", {"c/*": "c/"}),),
            write={"bin/run": ["#!/bin/sh", "true"]},
            join={"all.pem": "c/*.crt"},
        )
        self.lock = Lock(
            {"one.whl": locked("one.whl", self.contents["one.whl"])}, {"one": artifact}, {}
        )
        folder = self.get(Store(self.contents), ["one"]).folders["one"]
        self.assertEqual((folder / "bin/run").read_text(), "#!/bin/sh\ntrue\n")
        self.assertEqual((folder / "bin/run").stat().st_mode & 0o111, 0o111)
        self.assertEqual((folder / "all.pem").read_bytes(), b"A\nB\n")


if __name__ == "__main__":
    unittest.main()
