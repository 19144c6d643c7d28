#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints the C++ sources by clang-tidy: those that a change can affect, or with --all every source.

A change is everything since the commit in .ci/tidy_base, at which all sources were clean. A whole run without a finding
writes this file: commit it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASE, BUILD = ROOT / ".ci/tidy_base", ROOT / "build/lint"
sys.path.insert(0, str(ROOT / "tests/support/python"))

import include_graph  # noqa: E402

# Who changes these changes what clang-tidy says of every file.
_FOR_ALL = re.compile(r"\.clang-tidy|cmake/Flags\.cmake|\.ci/tidy\.py")
_GENERATORS = re.compile(r"stubs/(\w+/abi|tools/generate)/|stubs/\w+/library\.json|compat/catalogue/")
# clang does not know these options of GCC.
_UNKNOWN = re.compile(r" -fno-(gnu-unique|move-loop-invariants|tree-loop-im|tree-loop-distribute-patterns)")


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def all_sources() -> list[str]:
    return include_graph.affected_by({include_graph.path_of(file) for file in include_graph.sources()})


def changed_files() -> set[str] | None:
    """The paths that differ from the base, committed or not; None if the clone does not have the base."""
    base = BASE.read_text(encoding="utf-8").strip() if BASE.is_file() else ""
    known = subprocess.run(["git", "merge-base", "--is-ancestor", base, "HEAD"], cwd=ROOT, capture_output=True)
    return set(git("diff", "--name-only", base).splitlines()) if base and known.returncode == 0 else None


def to_check(changed: set[str] | None) -> list[str]:
    if changed is None or any(_FOR_ALL.fullmatch(path) for path in changed):
        return all_sources()
    if any(_GENERATORS.match(path) for path in changed):
        changed = {*changed, include_graph.GENERATED}
    return include_graph.affected_by(changed)


def configure() -> None:
    """Compile commands without precompiled headers, which clang-tidy cannot read, and the generated headers."""
    subprocess.run(["cmake", "-G", "Ninja", "-B", BUILD, "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    targets = [f"generate_{file.parent.name}" for file in ROOT.glob("stubs/*/library.json")]
    subprocess.run(["cmake", "--build", BUILD, "--target", "generate_api", "catalogue_table", *targets], check=True,
                   stdout=subprocess.DEVNULL)
    commands = BUILD / "compile_commands.json"
    commands.write_text(_UNKNOWN.sub("", commands.read_text(encoding="utf-8")), encoding="utf-8")


def lint(path: str) -> bool:
    done = subprocess.run(["clang-tidy", "-quiet", "-p", BUILD, path], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr, flush=True)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="lint every source")
    options = parser.parse_args()
    paths = all_sources() if options.all else to_check(changed_files())
    print(f"clang-tidy: {len(paths)} of {len(all_sources())} sources", flush=True)
    if paths:
        configure()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            if not all(list(pool.map(lint, paths))):
                return 1
    if options.all:
        BASE.write_text(git("rev-parse", "HEAD"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
