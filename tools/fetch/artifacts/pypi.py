# SPDX-License-Identifier: Apache-2.0
"""One wheel through `pip download`: pip knows which index to ask, so no host is named here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from .errors import FetchError
from .lockfile import LockedFile

# The tags are given, never this interpreter's: the same files come whatever Python runs the tool.
PLATFORMS = {
    **{cpu: (*(f"manylinux_2_{minor}_{cpu}" for minor in range(28, 16, -1)), f"manylinux2014_{cpu}")
       for cpu in ("aarch64", "x86_64")},
    "all": (),  # a wheel without machine code fits any platform
}
TAGS = ("--implementation", "cp", "--python-version", "3.11", "--abi", "abi3", "--abi", "cp311")
TIMEOUT_S = 1800


class Pip:
    """The pip to use: this Python's own, or one unpacked into the cache."""

    def __init__(self, unpacked: Path | None = None, certificates: Path | None = None):
        self._environment = dict(os.environ)
        if unpacked:
            self._environment["PYTHONPATH"] = str(unpacked)
        if certificates:
            self._environment["PIP_CERT"] = str(certificates)

    def works(self) -> bool:
        return self._run("--version").returncode == 0

    def fetch(self, file: LockedFile, into: Path) -> tuple[Path, str]:
        """Downloads the locked file into the empty folder `into`: pip picks by the hash, and refuses any other."""
        spec = f"{file.spec.split()[0]} --hash=sha256:{file.sha256}"
        return self.download(spec, file.arch, into, "--require-hashes"), file.version

    def download(self, spec: str, arch: str, into: Path, *options: str) -> Path:
        """The wheel that pip prefers for this line of a requirements file, and this platform."""
        requirements = into / "requirements.txt"
        requirements.write_text(spec + "\n", encoding="utf-8")
        platforms = [word for tag in PLATFORMS[arch] for word in ("--platform", tag)]
        result = self._run(
            "download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--timeout=30",
            "--retries=1", *TAGS, *platforms, *options, "--dest", str(into), "--requirement", str(requirements),
        )  # fmt: skip
        found = list(into.glob("*.whl"))
        if result.returncode != 0 or len(found) != 1:
            raise FetchError(f"pip download {spec.split()[0]}: {_last_error(result.stderr)}")
        return found[0]

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
        try:
            return subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise FetchError(f"pip did not finish within {TIMEOUT_S} s") from None


def _last_error(text: str) -> str:
    """pip's own words; behind "no matching distribution" often is a connection that failed, named only in a warning."""
    broken = re.search(r"connection broken by '(.*)'", text)
    if broken:
        return f"no connection to the package index: {broken.group(1)}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    last = (errors or lines or ["no message"])[-1].removeprefix("ERROR:").strip()
    if last.startswith("No matching distribution"):
        last += " (the index has no file of this version with the locked SHA-256)"
    return last
