# SPDX-License-Identifier: Apache-2.0
"""pip and apt as sources: the requests to them, and the messages when they are missing or have
something else.
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

from artifacts_support import CacheCase, ToolsOnPath, locked, wheel_bytes

from artifacts import sources
from artifacts.debian import Apt
from artifacts.errors import FetchError
from artifacts.lockfile import Artifact, Lock, LockedFile, Part
from artifacts.pypi import Pip

# An apt that has version 2 of every package and reads no configuration.
APT = {
    "apt-config": "exit 0",
    "dpkg-deb": "exit 0",
    "dpkg": '[ "$1 $3" = "--compare-versions gt" ] && [ "$2" -gt "$4" ]',
    "apt-get": """case "$*" in
*--print-uris*) echo "'http://mirror.invalid/debian/dists/bookworm/InRelease' x 0" ;;
*update*) exit 0 ;;
*download*) for last; do :; done; : > "${last%%=*}.deb" ;;
esac""",
    "apt-cache": """[ "$1" = madison ] && echo " $2 | 2 | mirror bookworm/main amd64 Packages"
exit 0""",
}


class AptSource(CacheCase):
    def fetch(self, version: str, tools: dict[str, str], spec: str = "p/bookworm/main") -> tuple[Path, str]:
        into = self.top / "in to"
        into.mkdir(exist_ok=True)
        keys = mock.patch("artifacts.debian.KEYRINGS", (str(self.top),))
        with ToolsOnPath(self.top / "bin", tools).patch(), keys:
            return Apt(self.top / "a pt").fetch(locked("p.deb", b"", spec, version), into)

    def test_the_locked_version_is_fetched(self) -> None:
        self.assertEqual(self.fetch("2", APT), (self.top / "in to/p.deb", "2"))

    def test_each_architecture_has_its_archive(self) -> None:
        for spec, architecture in (("p/bookworm/main", "amd64"), ("p/bookworm/main aarch64", "arm64")):
            self.fetch("2", APT, spec)
            (config,) = (self.top / "a pt").rglob("apt.conf")
            self.assertIn(f'APT::Architecture "{architecture}";', config.read_text())
            config.unlink()
            (self.top / "in to/p.deb").unlink()

    def test_a_source_package_gives_its_original_archive(self) -> None:
        source = """case "$*" in
*--print-uris*) echo "'http://mirror.invalid/debian/dists/bookworm/InRelease' x 0" ;;
*update*) exit 0 ;;
*source*--download-only*p=2) : > p_2.orig.tar.gz; : > p_2.orig.tar.gz.asc; : > p_2.debian.tar.xz; : > p_2.dsc ;;
esac"""
        found, version = self.fetch("2", APT | {"apt-get": source}, "p/bookworm/main source")
        self.assertEqual((found.name, version), ("p_2.orig.tar.gz", "2"))
        (listed,) = (self.top / "a pt").rglob("parts/*.list")
        self.assertRegex(listed.read_text(), r"^deb-src \[signed-by=.*\] \S+ bookworm main$")

    def test_the_record_of_a_source_package_is_of_its_original_archive(self) -> None:
        sums = "\n".join(f" {digit * 64} {size} {name}" for digit, size, name in (
            ("a", 1, "p_1.orig.tar.gz.asc"), ("b", 22, "p_1.orig.tar.gz"), ("c", 3, "p_1.debian.tar.xz")))
        shown = "".join(f"Package: p\nVersion: {version}\nChecksums-Sha256:\n{text}\n\n" for version, text in (
            ("1", sums.replace("p_1", "p_0")), ("2", sums)))
        apt_cache = f"""[ "$1" = showsrc ] && /bin/cat <<'END'
{shown}
END
{APT["apt-cache"]}"""
        keys = mock.patch("artifacts.debian.KEYRINGS", (str(self.top),))
        with ToolsOnPath(self.top / "bin", APT | {"apt-cache": apt_cache}).patch(), keys:
            found = Apt(self.top / "a pt").look_up("p/bookworm/main source")
        self.assertEqual((found.name, found.version, found.arch, found.sha256, found.size),
                         ("p_1.orig.tar.gz", "2", "all", "b" * 64, 22))

    def test_a_native_source_package_is_refused(self) -> None:
        keys = mock.patch("artifacts.debian.KEYRINGS", (str(self.top),))
        with ToolsOnPath(self.top / "bin", APT).patch(), keys, \
                self.assertRaisesRegex(FetchError, "p: the source package 2 in bookworm has no original archive"):
            Apt(self.top / "a pt").look_up("p/bookworm/main source")

    def test_replaced_version_is_fetched_in_newer_one(self) -> None:
        self.assertEqual(self.fetch("1", APT), (self.top / "in to/p.deb", "2"))

    def test_older_version_on_mirror_is_refused(self) -> None:
        with self.assertRaisesRegex(FetchError, "version 3 is locked, but the Debian mirror has only the older 2"):
            self.fetch("3", APT)

    def test_package_gone_from_mirror_is_reported(self) -> None:
        gone = APT | {"apt-cache": "exit 0"}
        with self.assertRaisesRegex(FetchError, "p: the Debian mirror has no version of it in bookworm") as caught:
            self.fetch("1", gone)
        self.assertTrue(caught.exception.final)
        self.assertEqual(list((self.top / "in to").iterdir()), [])

    def test_failed_download_has_apts_error(self) -> None:
        fails = APT["apt-get"].replace("*download*)", "*download*) echo 'E: no room' >&2; exit 100 ;; *never*)")
        with self.assertRaisesRegex(FetchError, "apt-get download p=2: E: no room"):
            self.fetch("2", APT | {"apt-get": fails})

    def test_without_the_archives_key_its_package_is_named(self) -> None:
        with mock.patch("artifacts.debian.Path.exists", return_value=False), \
                self.assertRaisesRegex(FetchError, r"is missing \(Debian package debian-archive-keyring\)"):
            self.fetch("2", APT)

    def test_without_apt_the_tool_is_named(self) -> None:
        with self.assertRaisesRegex(FetchError, "apt-get is missing: .* a Debian with apt"):
            self.fetch("2", {})

    def test_unreachable_archive_fails_despite_apts_warning(self) -> None:
        broken = APT["apt-get"].replace(
            "*update*) exit 0", "*update*) echo 'W: Failed to fetch it' >&2; exit 0"
        )
        with self.assertRaisesRegex(
            FetchError, "the package lists of Debian's bookworm cannot be fetched: W: Failed to fetch it"
        ):
            self.fetch("2", APT | {"apt-get": broken})

    def test_apt_works_beside_the_system_with_no_hooks_of_others(self) -> None:
        proxy, hook = 'Acquire::http::Proxy "proxy.invalid";', 'APT::Update::Post-Invoke:: "rm";'
        dump = f"echo '{proxy}'; echo '{hook}'"
        self.fetch("2", APT | {"apt-config": dump})
        (config,) = (self.top / "a pt").rglob("apt.conf")
        text = config.read_text()
        self.assertIn("proxy.invalid", text)
        self.assertNotIn("Post-Invoke", text)
        for own in ("Dir::State::lists", "Dir::Cache"):
            self.assertIn(f'{own} "{self.top}', text)


class PipCase(CacheCase):
    """pip is stood in for by a program that does as the test says."""

    def python(self, body: str):
        tools = ToolsOnPath(self.top / "python", {"python": body})
        return mock.patch.object(sys, "executable", tools.environment["PATH"] + "/python")


class PipSource(PipCase):
    def fetch(self, body: str, arch: str = "x86_64") -> Path:
        into = self.top / "in to"
        into.mkdir()
        file = LockedFile("a==1", "a-1-py3-none-any.whl", "1", arch, "0" * 64, 1)
        with self.python(body):
            path, version = Pip().fetch(file, into)
        self.assertEqual(version, "1")
        return path

    def test_the_hash_and_the_platform_are_asked_for(self) -> None:
        asked = self.top / "asked"
        path = self.fetch(
            f'echo "$*" > {asked}; printf "<%s>" "$@" >> {asked}; cd "{self.top}/in to"; '
            f"cat requirements.txt >> {asked}; : > a.whl"
        )
        self.assertEqual(path.name, "a.whl")
        text = asked.read_text()
        for words in (
            "-m pip",
            "--no-deps",
            "--require-hashes",
            "--only-binary=:all:",
            "--python-version 3.11",
            "manylinux2014_x86_64",
        ):
            self.assertIn(words, text)
        for folder in ("", "/requirements.txt"):
            self.assertIn(f"<{self.top}/in to{folder}>", text)
        self.assertRegex(text, r"a==1 --hash=sha256:[0-9a-f]{64}\n")
        for own in ("//", "--isolated", "--index-url", "--proxy", "--cert"):
            self.assertNotIn(own, text, "the user's own configuration of pip leads to the index")

    def test_pure_wheel_is_requested_without_a_platform(self) -> None:
        asked = self.top / "asked"
        self.fetch(f'echo "$*" > {asked}; : > "{self.top}/in to/a.whl"', arch="all")
        self.assertIn("--only-binary=:all:", asked.read_text())
        self.assertNotIn("--platform", asked.read_text())

    def test_pips_own_words_are_the_reason(self) -> None:
        with self.assertRaisesRegex(FetchError, "pip download a==1: no space"):
            self.fetch("echo 'WARNING: x' >&2; echo 'ERROR: no space' >&2; exit 1")

    def test_a_broken_connection_is_named_as_such(self) -> None:
        with self.assertRaisesRegex(FetchError, "no connection to the package index: Timeout"):
            self.fetch(
                """echo "WARNING: connection broken by 'Timeout'" >&2; echo 'ERROR: No matching'
                >&2; exit 1
                """
            )


class NoPip(PipCase):
    def setUp(self) -> None:
        super().setUp()
        tree = wheel_bytes({"pip/__main__.py": b"", "m/a.crt": b"A"})
        names = ("pip-debian12", "pip-debian13", "certificates")
        files = {f"{name}.whl": locked(f"{name}.whl", tree, f"{name}/bookworm/main") for name in names}
        artifacts = {
            name: Artifact(name, "all", (Part(f"{name}.whl", {"*": ""}),), join={"ca.pem": "m/*.crt"})
            for name in names
        }
        self.lock = Lock(files, artifacts, {})
        self.tree = tree

    def find(self, apt, body: str = '[ -f "$PYTHONPATH/pip/__main__.py" ]'):
        with self.python(body), self.cache.exclusive(lambda text: None):
            return sources.find_pip(self.lock, self.cache, apt)

    def test_debians_pip_is_taken_into_the_cache(self) -> None:
        def apt(file, into):
            (into / file.name).write_bytes(self.tree)
            return into / file.name, file.version

        with mock.patch.object(sources, "SYSTEM_CERTIFICATES", self.top / "none"), mock.patch.dict(
            "os.environ"
        ):
            for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"):
                sources.os.environ.pop(name, None)
            pip = self.find(apt)
        self.assertEqual(
            len([name for name in self.published() if name.startswith("pip-debian")]), 1
        )
        self.assertEqual(Path(pip._environment["PIP_CERT"]).read_bytes(), b"A\n")

    def test_without_pip_and_apt_the_package_is_named(self) -> None:
        def apt(file, into):
            raise FetchError("apt-get is missing", final=True)

        with self.assertRaisesRegex(
            FetchError, r"install pip \(Debian package python3-pip\).*apt-get is missing"
        ):
            self.find(apt)

    def test_a_pip_that_works_is_used_as_it_is(self) -> None:
        def apt(file, into):
            raise AssertionError("apt was asked although pip is there")

        pip = self.find(apt, body="exit 0")
        self.assertEqual(pip._environment, dict(sources.os.environ))


if __name__ == "__main__":
    import unittest

    unittest.main()
