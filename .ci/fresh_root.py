#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands of this project in a fresh Debian, as a new user would after a clone.

The root is made by debootstrap and holds the packages that the README, or docs/contributing/change.md, asks for, and
nothing else. It gets a clone of the last commit of this checkout in a folder whose path has a blank and more than 200
characters, and an ordinary user who owns it.
Only what leads to the package registries is taken from this machine: resolver, certificates, proxies, apt's Acquire
settings.

The state folder keeps, for each suite, the bare root as it was made, and the cache of fetched artifacts: the first run
starts with an empty one. The root of the last run stays there to be looked at until the next run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import planted_cuda
import test_log

HERE = Path(__file__).resolve().parent
PACKAGES = {"bookworm": "g++,cmake,ninja-build,python3,libgtest-dev,libgmock-dev",  # docs/contributing/change.md
            "trixie": "g++,make,cmake,python3",  # README, "See it work"
            "bullseye": "python3"}  # its compilers: .ci/long
USER, USER_ID = "tester", 1000
HOME = Path("/home") / USER
# More than 200 characters, with a blank and the project's own name.
FOLDER = HOME / "-".join(["a-path-of-more-than-two-hundred-characters"] * 5) / "my cuda/anycuda"
# How registries are reached. Everything else of the caller's environment stays outside.
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL",
             "PIP_EXTRA_INDEX_URL")
COPIED = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")

# Runs in a private mount namespace. $0 is the root; $1 says whether it gets /dev/pts and /dev/shm, as in a container.
MOUNTS = """
set -e
root=$0 whole=$1; shift
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$root/dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 "$root/dev/tty" c 5 0
ln -s /proc/self/fd "$root/dev/fd"
for pair in 0:stdin 1:stdout 2:stderr; do ln -s "fd/${pair%:*}" "$root/dev/${pair#*:}"; done
if [ "$whole" = yes ]; then
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,gid=5,mode=620,ptmxmode=666 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
fi
mount -t proc proc "$root/proc"
exec "$@"
"""


def say(text: str) -> None:
    print(f"fresh root: {text}", file=sys.stderr, flush=True)


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], check=True, **options)


def inside(root: Path, path: Path) -> Path:
    return root / str(path).lstrip("/")


def mirror() -> str:
    """The archive that this machine's own apt uses."""
    text = run("apt-get", "update", "--print-uris", "-o", "Dir::State::lists=/nonexistent", capture_output=True,
               text=True).stdout
    archives: list[str] = re.findall(r"'(\S+?/debian)/dists/[^' ]+/InRelease'", text)
    if not archives:
        sys.exit("fresh root: this machine's apt sources name no Debian archive, which debootstrap needs: add one")
    return archives[0]


def bare(suite: str, state: Path) -> Path:
    """The root as debootstrap makes it; made once for a list of packages, by a rename when it is whole."""
    done = state / f"{suite}-bare-{PACKAGES[suite].replace(',', '-')}"
    if done.exists():
        return done
    say(f"making a bare {suite} by debootstrap")
    making, log = state / f"{suite}-making", state / f"{suite}-debootstrap.log"
    shutil.rmtree(making, ignore_errors=True)
    with log.open("w") as out:
        made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES[suite]}", suite, making,
                               mirror()], stdout=out, stderr=subprocess.STDOUT)
    if made.returncode:
        sys.exit(f"fresh root: debootstrap failed ({made.returncode}):\n{log.read_text()[-2000:]}")
    making.rename(done)
    return done


def lead_to_registries(root: Path) -> None:
    """As on this machine."""
    for name in COPIED:
        if Path(name).exists():
            target = inside(root, Path(name))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(Path(name).resolve(), target)
    dump = run("apt-config", "dump", capture_output=True, text=True).stdout
    lines = [line for line in dump.splitlines() if line.startswith("Acquire::")]
    (root / "etc/apt/apt.conf.d/99registries").write_text("\n".join(lines) + "\n")


def cache_in(home: Path) -> Path:
    return home / ".cache/anycuda"


def cache_of(root: Path, home: Path) -> Path:
    """The cache's path in this root: the one that a run there has filled, which may be another user's."""
    paths = [cache_in(owner) for owner in (HOME, Path("/root"))]
    return next((path for path in paths if inside(root, path).exists()), cache_in(home))


def fresh(suite: str, state: Path, folder: Path, home: Path) -> Path:
    """A new root with the kept cache and a clone of the last commit. What is below HOME is the user's."""
    root, kept = state / suite, state / f"{suite}-cache"
    old = inside(root, cache_of(root, home))
    if old.exists():  # hard links between cache and build need one mount, so the cache moves
        old.rename(kept)
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", bare(suite, state), root)
    lead_to_registries(root)
    # Private, as Debian 13 and RHEL make it; Debian 12 does not.
    run("useradd", "--root", root, "--uid", USER_ID, "--create-home", "--key", "HOME_MODE=0700", "--shell", "/bin/bash",
        USER)
    inside(root, folder).parent.mkdir(parents=True, exist_ok=True)
    # No hard links to this checkout: the clone's files get another owner.
    run("git", "clone", "-q", "--no-hardlinks", HERE.parent, inside(root, folder))
    cache = inside(root, cache_in(home))
    cache.parent.mkdir(parents=True, exist_ok=True)
    if kept.exists():
        kept.rename(cache)
        run("chown", "-R", "-h", "0:0", cache)
    run("chown", "-R", "-h", f"{USER_ID}:{USER_ID}", inside(root, HOME))
    return root


def home_of(options: argparse.Namespace) -> Path:
    return Path("/root") if options.as_root else HOME


def start_in(root: Path, options: argparse.Namespace) -> list[str]:
    """What starts a command there; its text comes last."""
    home = home_of(options)
    cache = cache_of(root, home)
    own = {"HOME": str(home), "USER": "root" if options.as_root else USER, "PATH": "/usr/local/bin:/usr/bin:/bin",
           "LANG": "C.UTF-8"}
    own |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if options.planted:
        if not (root / "opt/planted").exists():
            planted_cuda.plant(root, inside(root, cache), str(HOME))
            run("chown", "-R", "-h", f"{USER_ID}:{USER_ID}", inside(root, HOME))
        own |= planted_cuda.variables(str(home))
    if options.planted or cache != cache_in(home):  # where XDG_CACHE_HOME or HOME leads elsewhere
        own["ANYCUDA_CACHE"] = str(cache)
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(["--net"] if options.offline else []),
             "sh", "-c", MOUNTS, root, "no" if options.bare_dev else "yes",
             "chroot", *([] if options.as_root else [f"--userspec={USER_ID}:{USER_ID}", "--groups="]), root,
             "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in own.items()),
             "sh", "-c", 'cd "$0" && eval "$1"', options.folder]
    return [str(word) for word in words]


def megabytes(folder: Path) -> int:
    """On disk; a file with several names counts once."""
    return int(run("du", "-sm", folder, capture_output=True, text=True).stdout.split()[0]) if folder.exists() else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=PACKAGES)
    parser.add_argument("commands", nargs="+", metavar="COMMAND", help="for a shell in the clone's folder, in turn")
    parser.add_argument("--state", type=Path, default=Path("/var/tmp/anycuda-ci"), help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the clone's path in the root")
    parser.add_argument("--again", action="store_true", help="in the root of the last run, as it is")
    parser.add_argument("--as-root", action="store_true", help="as root, not as an ordinary user")
    parser.add_argument("--offline", action="store_true", help="without a network")
    parser.add_argument("--planted", action="store_true", help="with a CUDA that tests must ignore (planted_cuda.py)")
    parser.add_argument("--bare-dev", action="store_true", help="without /dev/pts and /dev/shm, as a plain chroot")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("fresh root: debootstrap and chroot need root")
    options.state.mkdir(parents=True, exist_ok=True)
    root, home = options.state / options.suite, home_of(options)
    if not options.again:
        root = fresh(options.suite, options.state, options.folder, home)
    start, clone = start_in(root, options), inside(root, options.folder)
    for command in options.commands:
        before = time.monotonic()
        status = subprocess.run([*start, command], stdin=subprocess.DEVNULL).returncode
        say(f"{options.suite}: {command}: status {status} after {time.monotonic() - before:.0f} s; "
            f"cache {megabytes(inside(root, cache_of(root, home)))} MB, build folder {megabytes(clone / 'build')} MB")
        if status:
            return status
    return max([0, *(check_tests(clone, preset, options) for preset in ("dev", "test")
                     if any(f"workflow --preset {preset}" in command for command in options.commands))])


def check_tests(clone: Path, preset: str, options: argparse.Namespace) -> int:
    """Reports the tests of a preset; 1 if none has passed, or one is skipped that can run there."""
    output = test_log.summary(clone / f"build/{preset}/Testing/Temporary/LastTest.log")
    say(f"{options.suite}: {preset}: {output.text}")
    skipped = output.skipped if options.as_root else output.unexpected
    return 0 if output.passed and not skipped else 1


if __name__ == "__main__":
    sys.exit(main())
