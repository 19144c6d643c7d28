# SPDX-License-Identifier: Apache-2.0
"""One Debian package through apt-get, without any change to the system's apt.

Sources, lists and cache are the tool's own. Where the archive is, and which proxy leads there, is taken from the
system's configuration; suite and component come from the lock. apt checks signatures with Debian's keyring, and the
lock's hash is compared on top.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

from .errors import FetchError
from .lockfile import ARCH, LockedFile

SOURCE = "source"  # in place of a machine: the original archive of a source package
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", SOURCE: "amd64"}  # Debian's names
KEYRINGS = ("/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp")


class Apt:
    """apt-get with its state in one folder; suites are opened when first needed."""

    def __init__(self, home: Path):
        self._home = home
        self._suites: dict[str, Suite | FetchError] = {}
        self._mutex = threading.Lock()  # apt-get locks its folders: one at a time

    def fetch(self, file: LockedFile, into: Path) -> tuple[Path, str]:
        """Downloads the locked version. A mirror keeps only the newest version of a package: where the locked one has
        been replaced, the newest is downloaded, which apt has checked against the archive's signature.
        """
        with self._mutex:
            package, suite = self._suite(file.spec)
            versions = suite.versions(package)
            version = file.version if file.version in versions else versions[0]
            if version != file.version and not _is_newer(version, file.version):
                raise FetchError(
                    f"{package}: version {file.version} is locked, but the Debian mirror has only the older {version} "
                    f"in {suite.name}: use a mirror that is up to date", final=True,
                )  # fmt: skip
            return suite.download(package, version, into), version

    def look_up(self, spec: str) -> LockedFile:
        """The newest version, by the archive's signed index."""
        with self._mutex:
            package, suite = self._suite(spec)
            version = suite.versions(package)[0]
            record = suite.record(package, version)
        arch = "all" if record.get("Architecture", "all") == "all" else machine_of(spec)
        return LockedFile(spec, Path(record["Filename"]).name, version, arch, record["SHA256"], int(record["Size"]))

    def _suite(self, spec: str) -> tuple[str, Suite]:
        """The package and its suite with lists read; a failure is remembered, so each suite is tried once per run."""
        package, _, place = spec.partition("/")
        if place not in self._suites:
            home, (suite, component) = self._home / re.sub("[/ ]", "-", place), place.split()[0].split("/")
            try:
                kind = SourceSuite if machine_of(spec) == SOURCE else Suite
                self._suites[place] = kind(home, suite, component, ARCHITECTURES[machine_of(spec)])
            except FetchError as error:
                self._suites[place] = error
        found = self._suites[place]
        if isinstance(found, FetchError):
            raise found
        return package, found


def machine_of(spec: str) -> str:
    """package/suite/component, or that, a blank and the machine (or SOURCE)."""
    return spec.partition(" ")[2] or ARCH


class Suite:
    """One suite (with its security updates) and one component of it, for one machine."""

    entry = "deb"  # of a list of sources
    has_updates = True

    def __init__(self, home: Path, name: str, component: str, architecture: str):
        for tool in ("apt-get", "apt-cache", "apt-config", "dpkg", "dpkg-deb"):
            if not shutil.which(tool):
                raise FetchError(f"{tool} is missing: Debian packages need a Debian with apt and dpkg", final=True)
        self._home, self.name, self._architecture = home, name, architecture
        for folder in ("parts", "lists/partial", "cache/archives/partial"):
            (home / folder).mkdir(parents=True, exist_ok=True)
        self._configure()
        main, security = _archives(home)
        reasons = [self._open(name, main, component)]
        if self.has_updates:
            reasons.append(self._open(f"{name}-security", security, component))
        if all(reasons):
            raise FetchError("; ".join(reasons), final=True)  # apt has retried by itself

    def versions(self, package: str) -> list[str]:
        """The versions in this suite, newest first; at least one."""
        text = self._run("apt-cache", "madison", package).stdout
        found = [line.split("|")[1].strip() for line in text.splitlines() if "| " in line]
        if not found:
            raise FetchError(f"{package}: the Debian mirror has no version of it in {self.name}", final=True)
        return found

    def record(self, package: str, version: str) -> dict[str, str]:
        """The package's fields as the archive gives them."""
        text = self._run("apt-cache", "show", f"{package}={version}").stdout
        return dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", text, re.MULTILINE))

    def download(self, package: str, version: str, into: Path) -> Path:
        result = self._run("apt-get", "-qq", "download", f"{package}={version}", cwd=into)
        found = list(into.glob("*.deb"))
        if result.returncode != 0 or len(found) != 1:
            raise FetchError(f"apt-get download {package}={version}: {_last_error(result.stderr)}")
        return found[0]

    def _configure(self) -> None:
        """Takes only how to reach a server from the system's configuration: no hooks must run."""
        dumped = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
        lines = re.findall(r"^Acquire::(?!IndexTargets|Languages).*$", dumped, re.MULTILINE)
        own = {
            "Dir::Etc::parts": "/dev/null",
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": self._home / "parts",
            "Dir::State::lists": self._home / "lists",
            "Dir::Cache": self._home / "cache",
            "APT::Architecture": self._architecture,
            "APT::Architectures": self._architecture,
            "APT::Sandbox::User": "root",
            "APT::Get::List-Cleanup": "0",
            "Acquire::Languages": "none",
            "Acquire::Retries": "2",
        }
        lines += [f'{key} "{value}";' for key, value in own.items()]
        self._config = self._home / "apt.conf"
        self._config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _open(self, suite: str, bases: list[str], component: str) -> str:
        """Reads the lists of the first archive that works; '' or the reason why none does."""
        key = next((path for path in KEYRINGS if Path(path).exists()), None)
        if key is None:
            return f"{KEYRINGS[0]} is missing (Debian package debian-archive-keyring)"
        reasons = []
        source = self._home / "parts" / f"{suite}.list"
        for base in bases:
            source.write_text(f"{self.entry} [signed-by={key}] {base} {suite} {component}\n", encoding="utf-8")
            only = ("-o", f"Dir::Etc::sourcelist={source}", "-o", "Dir::Etc::sourceparts=/dev/null")
            result = self._run("apt-get", "-q", "update", *only)
            # apt-get update calls an archive that cannot be reached a warning, and exits with 0
            output = result.stdout + result.stderr
            if result.returncode == 0 and not re.search(r"^(E:|Err:|W: (Failed|Some index))", output, re.MULTILINE):
                return ""
            reasons.append(_last_error(result.stderr))
        source.unlink(missing_ok=True)
        why = "; ".join(reasons) or "this machine's apt sources name no archive for it: add one"
        return f"the package lists of Debian's {suite} cannot be fetched: {why}"

    def _run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        own = dict(os.environ, APT_CONFIG=str(self._config), LC_ALL="C")
        return subprocess.run(arguments, env=own, capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL)


class SourceSuite(Suite):
    """The source packages of a suite. Of each the original archive counts, without Debian's changes."""

    entry = "deb-src"
    has_updates = False  # security updates change Debian's patches, which are not used

    def record(self, package: str, version: str) -> dict[str, str]:
        for text in self._run("apt-cache", "showsrc", package).stdout.split("\n\n"):
            sums = text.partition("Checksums-Sha256:")[2]
            found = re.search(r"^ ([0-9a-f]{64}) (\d+) (\S+\.orig\.tar\.\w+)$", sums, re.MULTILINE)
            if found and re.search(rf"^Version: {re.escape(version)}$", text, re.MULTILINE):
                return {"SHA256": found[1], "Size": found[2], "Filename": found[3]}
        raise FetchError(f"{package}: the source package {version} in {self.name} has no original archive", final=True)

    def download(self, package: str, version: str, into: Path) -> Path:
        arguments = ("apt-get", "-qq", "source", "--download-only", "--only-source", f"{package}={version}")
        result = self._run(*arguments, cwd=into)
        found = list(into.glob("*.orig.tar.*[!c]"))  # not its signature
        if result.returncode != 0 or len(found) != 1:
            raise FetchError(f"apt-get source {package}={version}: {_last_error(result.stderr)}")
        return found[0]


def _archives(scratch: Path) -> tuple[list[str], list[str]]:
    """The addresses of Debian's archive and of its security archive, from the system's own sources.

    `update --print-uris` reads every format of sources and needs no package lists to be there. Others' archives may be
    among them; they fail Debian's keyring and are passed over.
    """
    (scratch / "probe/partial").mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "update", "--print-uris", "-o", f"Dir::State::lists={scratch / 'probe'}"]
    text = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    main: list[str] = []
    security: list[str] = []
    for base, suite in re.findall(r"'(\S+?)/dists/([^' ]+)/InRelease'", text):
        (security if re.search(r"-security$|/updates$", suite) else main).append(base)
    main.sort(key=lambda base: not base.endswith("/debian"))
    # Where the system's sources leave the security archive out, it is where mirrors have it: beside the main one.
    security += [f"{base}-security" for base in main if base.endswith("/debian")]
    return list(dict.fromkeys(main)), list(dict.fromkeys(security))


def _is_newer(version: str, than: str) -> bool:
    """By Debian's own order, in which 1.0~a comes before 1.0."""
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", than]).returncode == 0


def _last_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "W:"))]
    return (errors or lines or ["no message"])[0]
