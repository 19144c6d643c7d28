# SPDX-License-Identifier: Apache-2.0
"""recipe.toml (which describes itself) and lock.json together: artifacts made of members of files, each by its hash."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tomllib

from .errors import ArtifactError

FORMAT = 2
# Part of every artifact's digest: raise it when unpacking itself changes, so that old folders are not taken for new.
# (Execute permissions are kept without a new number: older artifacts need none.)
UNPACK_FORMAT = 1
ARCH = "x86_64"  # of the machine that uses the artifacts. Every file and artifact has its own.
UPDATE = "`python3 tools/fetch/fetch.py lock --keep`"


@dataclass(frozen=True)
class LockedFile:
    """One file to download: what the recipe calls it, and the one file which that is."""

    spec: str
    name: str
    version: str
    arch: str  # x86_64 or aarch64, or all for files without machine code
    sha256: str
    size: int

    @property
    def source(self) -> str:
        return "debian" if "/" in self.spec else "pypi"

    @property
    def package(self) -> str:
        return re.split("[=/]", self.spec)[0]


@dataclass(frozen=True)
class Part:
    """What an artifact takes from one file: member pattern -> destination."""

    file: str
    take: dict[str, str]
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Artifact:
    """One folder in the cache, and how to make it."""

    name: str
    arch: str
    parts: tuple[Part, ...]
    links: dict[str, str] = field(default_factory=dict)
    write: dict[str, list[str]] = field(default_factory=dict)
    join: dict[str, str] = field(default_factory=dict)
    holds: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lock:
    files: dict[str, LockedFile]
    artifacts: dict[str, Artifact]
    sets: dict[str, tuple[str, ...]]

    def expand(self, names: list[str]) -> list[Artifact]:
        """Sets and artifacts by name -> artifacts, each once, in the lock's order."""
        for name in names:
            if name not in self.sets and name not in self.artifacts:
                raise ArtifactError(
                    f"'{name}' is neither a set nor an artifact; sets: {', '.join(sorted(self.sets))}; "
                    "`python3 tools/fetch/fetch.py list` also lists the artifacts"
                )
        chosen = {member for name in names for member in self.sets.get(name, (name,))}
        return [artifact for name, artifact in self.artifacts.items() if name in chosen]

    def files_of(self, artifact: Artifact) -> list[LockedFile]:
        return [self.files[part.file] for part in artifact.parts]

    def size(self, artifacts: list[Artifact]) -> int:
        return sum(file.size for artifact in artifacts for file in self.files_of(artifact))

    def digest(self, artifact: Artifact) -> str:
        """Names the content: another hash, rule or unpacker gives another folder."""
        about = asdict(artifact)
        if not artifact.holds:  # folders from before there was such a rule stay as good as they are
            del about["holds"]
        hashes = [file.sha256 for file in self.files_of(artifact)]
        text = json.dumps([UNPACK_FORMAT, about, hashes], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def load(path: Path) -> Lock:
    """The lock, with recipe.toml beside it; every fault names the entry."""
    recipe, files = read_recipe(path.with_name("recipe.toml")), read_files(path)
    missing = [spec for spec in specs(recipe) if spec not in files]
    lock = combine(recipe, files)
    problems = [f"{', '.join(missing)}: not in the lock, run {UPDATE}"] if missing else check(lock)
    if problems:
        raise ArtifactError(f"{path}: " + "; ".join(problems))
    return lock


def read_recipe(path: Path) -> dict[str, Any]:
    """The recipe's tables, each family written out as the artifacts that it stands for."""
    try:
        recipe = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ArtifactError(f"{path} is not TOML: {error}") from None
    for family in recipe.get("family", []):
        rules = {"take": family["take"], "drop": family.get("drop", [])}
        machine = f" {family['for']}" if "for" in family else ""
        for package, versions in family["wheels"].items():
            for release, version in _releases(versions, family.get("whole", ())):
                name = f"{family['name']}-{release}"
                if name in recipe["artifact"]:
                    raise ArtifactError(f"{path}: two artifacts are named {name}")
                parts = [{"file": f"{package}=={version}{machine}"} | rules]
                recipe["artifact"][name] = {"arch": family.get("arch", ARCH), "parts": parts}
    for name, table in recipe["artifact"].items():
        unknown = set(table) - set(Artifact.__dataclass_fields__)
        unknown |= {key for part in table["parts"] for key in set(part) - set(Part.__dataclass_fields__)}
        if unknown:
            raise ArtifactError(f"{path}: artifact {name}: unknown keys: {', '.join(sorted(unknown))}")
    return recipe


def _releases(versions: list[str] | dict[str, str], whole: list[str]) -> list[tuple[str, str]]:
    """(release, version) of a family's wheels: a list's versions begin with their release, a table names it."""
    if isinstance(versions, dict):
        return list(versions.items())
    return [(version if version in whole else ".".join(version.split(".")[:2]), version) for version in versions]


def read_files(path: Path) -> dict[str, LockedFile]:
    """What the recipe calls a file -> the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArtifactError(f"{path} is missing: make it with `python3 tools/fetch/fetch.py lock`") from None
    except json.JSONDecodeError as error:
        raise ArtifactError(f"{path} is not JSON: {error}") from None
    if data.get("format") != FORMAT:
        raise ArtifactError(f"{path}: format {data.get('format')!r} is unknown; this tool reads format {FORMAT}")
    return {spec: LockedFile(spec, **entry) for spec, entry in data["files"].items()}


def dump(files: Iterable[LockedFile]) -> str:
    """The lock as text with one line per file, so that a diff shows what changed."""
    entries = {file.spec: {key: value for key, value in asdict(file).items() if key != "spec"} for file in files}
    lines = [f"  {json.dumps(spec)}: {json.dumps(entries[spec], sort_keys=True)}" for spec in sorted(entries)]
    return f'{{\n "format": {FORMAT},\n "files": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def specs(recipe: dict[str, Any]) -> list[str]:
    """The files of the recipe, each once."""
    return list(dict.fromkeys(part["file"] for table in recipe["artifact"].values() for part in table["parts"]))


def combine(recipe: dict[str, Any], files: dict[str, LockedFile]) -> Lock:
    """The recipe's artifacts with their files; those of which a file is not locked are left out."""
    artifacts = {}
    for name, table in sorted(recipe["artifact"].items(), key=lambda item: order(item[0])):
        if all(part["file"] in files for part in table["parts"]):
            parts = [
                # Sorted, since the first pattern that fits counts.
                Part(files[part["file"]].name, dict(sorted(part["take"].items())), tuple(part.get("drop", ())))
                for part in table["parts"]
            ]
            write = {path: text.splitlines() for path, text in table.get("write", {}).items()}
            made = {"arch": ARCH} | table | {"parts": tuple(parts), "write": write}
            artifacts[name] = Artifact(name, **made)

    def members(name: str) -> list[str]:
        if name in recipe["sets"]:
            return [member for inner in recipe["sets"][name] for member in members(inner)]
        return fnmatch.filter(artifacts, name) or [name]

    sets = {name: tuple(sorted(set(members(name)), key=order)) for name in sorted(recipe["sets"])}
    return Lock({file.name: file for file in files.values()}, artifacts, sets)


def order(name: str) -> tuple[str, list[tuple[int, str]]]:
    """Sorts by family, then by version as numbers: 12.9 before 12.10."""
    head, _, tail = name.partition("-")
    return head, [(int(word), "") if word.isdigit() else (0, word) for word in tail.split(".")]


def check(lock: Lock) -> list[str]:
    """What is inconsistent in a lock, in words; an empty list when all is well."""
    problems = []
    for file in lock.files.values():
        if not re.fullmatch(r"[0-9a-f]{64}", file.sha256):
            problems.append(f"file {file.name}: '{file.sha256}' is not a SHA-256")
        if file.size <= 0:
            problems.append(f"file {file.name}: size {file.size} is not positive")
        if not re.fullmatch(r"[^\s/=]+(==[^\s/=]+|/[^\s/]+/[^\s/]+( source)?)( aarch64)?", file.spec):
            problems.append(f"file {file.name}: '{file.spec}' is neither package==version nor package/suite/component")
    used = set()
    for artifact in lock.artifacts.values():
        used |= {part.file for part in artifact.parts}
        for pattern, target in [rule for part in artifact.parts for rule in part.take.items()]:
            if "*" in pattern and target and not target.endswith("/"):
                where = f"'{target}', which is not a folder (no / at its end)"
                problems.append(f"artifact {artifact.name}: {pattern} goes to {where}")
        if artifact.name in lock.sets:
            problems.append(f"artifact {artifact.name}: a set has the same name")
    problems += [f"file {name}: no artifact uses it: {UPDATE}" for name in sorted(set(lock.files) - used)]
    for name, members in lock.sets.items():
        problems += [f"set {name}: unknown artifact '{m}'" for m in members if m not in lock.artifacts]
    return problems
