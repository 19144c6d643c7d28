#!/usr/bin/env python3
"""Runs commands of this project in a fresh Debian, as a new user would after a clone.

    fresh_root.py SUITE [--state FOLDER] [--as-root] [--offline] [--hostile] [--folder PATH] -- COMMAND [&& ...]

The root is made by debootstrap and holds what the README asks for and nothing else. It gets a clone of the last commit of
this checkout in a folder whose path has a blank and more than 200 characters, and an ordinary user who owns it. Only what
leads to the package registries is taken from this machine: resolver, certificates, proxies, apt's Acquire settings.

The state folder keeps, for each suite, the bare root as it was made, and the cache of fetched artifacts: the first run starts
with an empty one. The root of the last run stays there to be looked at until the next run.
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

HERE = Path(__file__).resolve().parent
PACKAGES = "g++,make,cmake,python3"  # README, "See it work"
USER, USER_ID = "tester", 1000
# More than 200 characters with the blank of `my cuda` and the project's own name.
FOLDER = Path("/home") / USER / "-".join(["a path of more than two hundred characters".replace(" ", "-")] * 4) / "my cuda/anycuda"
CACHE = Path("/home") / USER / ".cache/anycuda"
# How registries are reached. Everything else of the caller's environment stays outside.
PASSED_ON = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL",
             "PIP_EXTRA_INDEX_URL")
COPIED = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


def say(text: str) -> None:
    print(f"fresh root: {text}", file=sys.stderr, flush=True)


def run(*command: object, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], check=True, **options)


def mirror() -> str:
    """The archive that this machine's own apt uses."""
    text = run("apt-get", "update", "--print-uris", "-o", "Dir::State::lists=/nonexistent", capture_output=True,
               text=True).stdout
    found = re.findall(r"'(\S+?/debian)/dists/[^' ]+/InRelease'", text)
    if not found:
        sys.exit("fresh root: no Debian archive among this machine's apt sources: a fresh root needs one")
    return found[0]


def bare(suite: str, state: Path) -> Path:
    """The root as debootstrap makes it; made once, by a rename when it is whole."""
    done = state / f"{suite}-bare"
    if done.exists():
        return done
    say(f"making a bare {suite} by debootstrap")
    making = state / f"{suite}-making"
    shutil.rmtree(making, ignore_errors=True)
    log = state / f"{suite}-debootstrap.log"
    with log.open("w") as out:
        made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, making, mirror()],
                              stdout=out, stderr=subprocess.STDOUT)
    if made.returncode:
        sys.exit(f"fresh root: debootstrap failed ({made.returncode}):\n{log.read_text()[-2000:]}")
    making.rename(done)
    return done


def registries(root: Path) -> None:
    """What leads to the registries, as on this machine."""
    for name in COPIED:
        target = root / name.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).exists():
            target.unlink(missing_ok=True)
            shutil.copy(Path(name).resolve(), target)
    dump = run("apt-config", "dump", capture_output=True, text=True).stdout
    lines = [line for line in dump.splitlines() if line.startswith("Acquire::")]
    (root / "etc/apt/apt.conf.d/99registries").write_text("\n".join(lines) + "\n")


def fresh(suite: str, state: Path, folder: Path) -> Path:
    """A new root with the kept cache and a clone of the last commit, both the user's."""
    root = state / suite
    keep_cache(root, suite, state)
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", bare(suite, state), root)
    registries(root)
    run("useradd", "--root", root, "--uid", USER_ID, "--create-home", "--shell", "/bin/bash", USER)
    inside = root / str(folder).lstrip("/")
    inside.parent.mkdir(parents=True, exist_ok=True)
    run("git", "clone", "-q", HERE.parent, inside)
    cache = root / str(CACHE).lstrip("/")
    cache.parent.mkdir(parents=True, exist_ok=True)
    kept = state / f"{suite}-cache"
    if kept.exists():
        kept.rename(cache)
    run("chown", "-R", "-h", f"{USER_ID}:{USER_ID}", root / "home" / USER)
    return root


def keep_cache(root: Path, suite: str, state: Path) -> None:
    """Hard links between cache and build need one mount, so the cache moves in and out with each root."""
    cache = root / str(CACHE).lstrip("/")
    if cache.exists():
        cache.rename(state / f"{suite}-cache")


INSIDE = """
set -e
mount --bind "$0" "$0"
mount -t tmpfs -o mode=755 tmpfs "$0/dev"
mkdir "$0/dev/pts" "$0/dev/shm"
mount -t devpts -o newinstance,gid=5,mode=620,ptmxmode=666 devpts "$0/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"
ln -s pts/ptmx "$0/dev/ptmx"
ln -s /proc/self/fd "$0/dev/fd"; ln -s fd/0 "$0/dev/stdin"; ln -s fd/1 "$0/dev/stdout"; ln -s fd/2 "$0/dev/stderr"
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$0/dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 "$0/dev/tty" c 5 0
mount -t proc proc "$0/proc"
exec "$@"
"""


def run_inside(root: Path, folder: Path, command: str, as_root: bool, offline: bool, variables: dict[str, str]) -> int:
    home = "/root" if as_root else f"/home/{USER}"
    own = {"HOME": home, "USER": "root" if as_root else USER, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
           "ANYCUDA_CACHE": str(CACHE)}
    own |= {name: os.environ[name] for name in PASSED_ON if name in os.environ} | variables
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(["--net"] if offline else []),
             "sh", "-c", INSIDE, root, "chroot", *([] if as_root else [f"--userspec={USER_ID}:{USER_ID}", "--groups="]),
             root, "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in own.items()),
             "sh", "-c", 'cd "$0" && eval "$1"', folder, command]
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=("bookworm", "trixie"))
    parser.add_argument("command", help="what a shell is given in the clone's folder")
    parser.add_argument("--state", type=Path, default=Path("/var/tmp/anycuda-ci"))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--keep", action="store_true", help="in the root of the last run, as it is")
    parser.add_argument("--as-root", action="store_true")
    parser.add_argument("--offline", action="store_true", help="without a network")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("fresh root: debootstrap and chroot need root")
    options.state.mkdir(parents=True, exist_ok=True)
    root = options.state / options.suite
    if not options.keep:
        root = fresh(options.suite, options.state, options.folder)
    start = time.monotonic()
    status = run_inside(root, options.folder, options.command, options.as_root, options.offline,
                        dict(pair.split("=", 1) for pair in options.env))
    say(f"{options.suite}: status {status} after {time.monotonic() - start:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
