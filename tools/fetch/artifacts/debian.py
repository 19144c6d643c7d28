"""One Debian package through apt-get, without any change to the system's apt.

Sources, lists and cache are the tool's own. Where the archive is, and which proxy leads there, is
taken from the system's configuration; suite and component come from the lock. apt checks
signatures with Debian's keyring, and the lock's hash is compared on top.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import FetchError
from .lockfile import Fetched, LockedFile

ARCHITECTURES = {"x86_64": "amd64", "all": "amd64"}
KEYRINGS = (
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
)


class Apt:
    """apt-get with its state in one folder; suites are opened when first needed."""

    def __init__(self, home: Path, arch: str):
        self._home = home
        self._arch = ARCHITECTURES[arch]
        self._suites: dict[tuple[str, str], Suite | FetchError] = {}

    def suite(self, name: str, component: str) -> Suite:
        """The suite with its lists read; a failure is remembered, so each is tried once per run."""
        key = (name, component)
        if key not in self._suites:
            try:
                self._suites[key] = Suite(
                    self._home / f"{name}-{component}", name, component, self._arch
                )
            except FetchError as error:
                self._suites[key] = error
        found = self._suites[key]
        if isinstance(found, FetchError):
            raise found
        return found

    def fetch(self, file: LockedFile, into: Path) -> Fetched:
        """Downloads the locked version. A mirror keeps only the newest version of a package: where the locked one has
        been replaced, the newest is downloaded, which apt has checked against the archive's signature.
        """
        suite = self.suite(file.suite, file.component)
        versions = suite.versions(file.package)
        if not versions:
            raise FetchError(
                f"{file.package}: the Debian mirror has no version of it in {file.suite}", final=True
            )
        version = file.version if file.version in versions else versions[0]
        if version != file.version and not _is_newer(version, file.version):
            raise FetchError(
                f"{file.package}: version {file.version} is locked, the Debian mirror has only the older {version} "
                f"in {file.suite}: use a mirror that is up to date", final=True,
            )
        return Fetched(suite.download(file.package, version, into), version)


class Suite:
    """One suite (with its security updates) and one component of it."""

    def __init__(self, home: Path, name: str, component: str, arch: str):
        for tool in ("apt-get", "apt-cache", "apt-config", "dpkg", "dpkg-deb"):
            if not shutil.which(tool):
                raise FetchError(
                    f"{tool} is missing: Debian packages need a Debian with apt and dpkg",
                    final=True,
                )
        self._home = home
        for folder in ("parts", "lists/partial", "cache/archives/partial"):
            (home / folder).mkdir(parents=True, exist_ok=True)
        self._configure(arch)
        archives = _archives(home)
        tried = []
        kinds = ((name, archives[0]), (f"{name}-security", archives[1]))
        for suite, bases in kinds:
            reason = self._open(suite, bases, component)
            if reason:
                tried.append(reason)
        if len(tried) == len(kinds):
            raise FetchError("; ".join(tried), final=True)  # apt has retried by itself

    def versions(self, package: str) -> list[str]:
        """The versions in this suite, newest first."""
        text = self._run("apt-cache", "madison", package).stdout
        return [line.split("|")[1].strip() for line in text.splitlines() if "| " in line]

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

    def _configure(self, arch: str) -> None:
        """Takes only how to reach a server from the system's configuration: no hooks must run."""
        dumped = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
        lines = [
            line
            for line in dumped.splitlines()
            if line.startswith("Acquire::")
            and not line.startswith(("Acquire::IndexTargets", "Acquire::Languages"))
        ]
        own = {
            "Dir::Etc::parts": "/dev/null",
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": self._home / "parts",
            "Dir::State::lists": self._home / "lists",
            "Dir::Cache": self._home / "cache",
            "APT::Architecture": arch,
            "APT::Architectures": arch,
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
            source.write_text(
                f"deb [signed-by={key}] {base} {suite} {component}\n", encoding="utf-8"
            )
            result = self._run("apt-get", "-q", "update", "-o", f"Dir::Etc::sourcelist={source}",
                               "-o", "Dir::Etc::sourceparts=/dev/null")  # fmt: skip
            # apt-get update calls an archive that cannot be reached a warning, and exits with 0
            trouble = re.search(
                r"^(E:|Err:|W: (Failed|Some index))", result.stdout + result.stderr, re.MULTILINE
            )
            if result.returncode == 0 and not trouble:
                return ""
            reasons.append(_last_error(result.stderr))
        source.unlink(missing_ok=True)
        return f"no Debian archive with {suite}: " + (
            "; ".join(reasons) or "apt's sources name none"
        )

    def _run(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ, APT_CONFIG=str(self._config), LC_ALL="C")
        return subprocess.run(
            words,
            env=environment,
            capture_output=True,
            text=True,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
        )


def _archives(scratch: Path) -> tuple[list[str], list[str]]:
    """The addresses of Debian's archive and of its security archive, from the system's own sources.

    `update --print-uris` reads every format of sources and needs no package lists to be there.
    Others' archives may be among them; they fail Debian's keyring and are passed over.
    """
    lists = scratch / "probe"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    text = subprocess.run(
        ["apt-get", "update", "--print-uris", "-o", f"Dir::State::lists={lists}"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip
    main: list[str] = []
    security: list[str] = []
    for base, suite in re.findall(r"'(\S+?)/dists/([^' ]+)/InRelease'", text):
        kind = security if re.search(r"-security$|/updates$", suite) else main
        if base not in kind:
            kind.append(base)
    main.sort(key=lambda base: not base.endswith("/debian"))
    # Where the system's sources leave the security archive out, it is where mirrors have it: beside
    # the main one.
    security += [
        f"{base}-security"
        for base in main
        if base.endswith("/debian") and f"{base}-security" not in security
    ]
    return main, security


def _is_newer(version: str, than: str) -> bool:
    """By Debian's own order, in which 1.0~a comes before 1.0."""
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", than]).returncode == 0


def _last_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "W:"))]
    return (errors or lines or ["no message"])[0]
