"""lock.json as objects: files by hash, artifacts made of members of files, sets of artifacts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import ArtifactError

FORMAT = 1
# Part of every artifact's digest: raise it when unpacking itself changes, so that old folders are not
# taken for new. (Execute permissions are kept without a new number: older artifacts need none.)
UNPACK_FORMAT = 1


@dataclass(frozen=True)
class LockedFile:
    """One file to download. `suite` and `component` are Debian's; a wheel leaves them empty."""

    name: str
    source: str  # "pypi" or "debian"
    package: str
    version: str
    arch: str  # x86_64 or aarch64, or all for files without machine code
    sha256: str
    size: int
    suite: str = ""
    component: str = ""


@dataclass(frozen=True)
class Fetched:
    """A file that a source brought, and its version: the locked one, or for a Debian package a newer one."""

    path: Path
    version: str


@dataclass(frozen=True)
class Part:
    """What an artifact takes from one file: member pattern -> folder or file in the artifact.

    In a pattern * stands for any characters, slashes too, and the destination is the folder ("" or
    ending in /) that replaces the folders before the first *. A pattern without * may also have a
    destination name of its own. The empty pattern is the file itself, not unpacked.
    """

    file: str
    take: dict[str, str]
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Artifact:
    """One folder in the cache, and how to make it."""

    name: str
    arch: str
    parts: tuple[Part, ...]
    links: dict[str, str] = field(default_factory=dict)  # symbolic link -> its target
    write: dict[str, list[str]] = field(default_factory=dict)  # text file -> its lines
    join: dict[str, str] = field(default_factory=dict)  # file -> glob of what it is joined from
    holds: dict[str, str] = field(default_factory=dict)  # glob of a file that must be there -> text in it


@dataclass(frozen=True)
class Lock:
    files: dict[str, LockedFile]
    artifacts: dict[str, Artifact]
    sets: dict[str, tuple[str, ...]]

    def expand(self, names: list[str]) -> list[Artifact]:
        """Sets and artifacts by name -> artifacts, each once, in the lock's order."""
        wanted: set[str] = set()
        for name in names:
            if name in self.sets:
                wanted.update(self.sets[name])
            elif name in self.artifacts:
                wanted.add(name)
            else:
                raise ArtifactError(
                    f"no set and no artifact is named '{name}'; sets: {', '.join(sorted(self.sets))}; "
                    "artifacts: `python3 tools/fetch/fetch.py list`"
                )
        return [artifact for name, artifact in self.artifacts.items() if name in wanted]

    def files_of(self, artifact: Artifact) -> list[LockedFile]:
        return [self.files[part.file] for part in artifact.parts]

    def digest(self, artifact: Artifact) -> str:
        """Names the content: another hash, rule or unpacker gives another folder."""
        about = asdict(artifact)
        if not artifact.holds:  # folders from before there was such a rule stay as good as they are
            del about["holds"]
        text = json.dumps(
            [UNPACK_FORMAT, about, [f.sha256 for f in self.files_of(artifact)]], sort_keys=True
        )
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def load(path: Path) -> Lock:
    """Reads and checks the lock; every fault names the entry."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArtifactError(
            f"{path} is missing: make it with `python3 tools/fetch/fetch.py lock`"
        ) from None
    except json.JSONDecodeError as error:
        raise ArtifactError(f"{path} is not JSON: {error}") from None
    if data.get("format") != FORMAT:
        raise ArtifactError(f"{path}: format {data.get('format')!r}, this tool reads {FORMAT}")
    lock = Lock(
        files={name: LockedFile(name=name, **entry) for name, entry in data["files"].items()},
        artifacts={name: _artifact(name, entry) for name, entry in data["artifacts"].items()},
        sets={name: tuple(members) for name, members in data["sets"].items()},
    )
    problems = check(lock)
    if problems:
        raise ArtifactError(f"{path}: " + "; ".join(problems))
    return lock


def _artifact(name: str, entry: dict) -> Artifact:
    parts = tuple(
        Part(file=part["file"], take=part["take"], drop=tuple(part.get("drop", ())))
        for part in entry["parts"]
    )
    rest = {key: value for key, value in entry.items() if key != "parts"}
    return Artifact(name=name, parts=parts, **rest)


def check(lock: Lock) -> list[str]:
    """What is inconsistent in a lock, in words; an empty list when all is well."""
    problems = []
    for file in lock.files.values():
        if len(file.sha256) != 64 or set(file.sha256) - set("0123456789abcdef"):
            problems.append(f"file {file.name}: '{file.sha256}' is no SHA-256")
        if file.size <= 0:
            problems.append(f"file {file.name}: size {file.size}")
        if file.source not in ("pypi", "debian"):
            problems.append(f"file {file.name}: unknown source '{file.source}'")
        if file.source == "debian" and not (file.suite and file.component):
            problems.append(f"file {file.name}: a Debian file needs suite and component")
    used = set()
    for artifact in lock.artifacts.values():
        for part in artifact.parts:
            used.add(part.file)
            if part.file not in lock.files:
                problems.append(f"artifact {artifact.name}: file {part.file} is not in the lock")
            for pattern, target in part.take.items():
                if "*" in pattern and target and not target.endswith("/"):
                    problems.append(
                        f"artifact {artifact.name}: {pattern} goes to '{target}', "
                        "which is no folder (no / at its end)"
                    )
        if artifact.name in lock.sets:
            problems.append(f"artifact {artifact.name}: a set has the same name")
    for name in sorted(set(lock.files) - used):
        problems.append(f"file {name}: no artifact uses it")
    for name, members in lock.sets.items():
        for member in members:
            if member not in lock.artifacts:
                problems.append(f"set {name}: there is no artifact '{member}'")
    return problems


def dump(lock: Lock) -> str:
    """The lock as text with one line per file and per part, so that a diff shows what changed."""

    def line(value: object) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)

    def trimmed(value: dict) -> dict:
        return {k: v for k, v in value.items() if k != "name" and v not in ("", {}, [], ())}

    out = ["{", f' "format": {FORMAT},', ' "files": {']
    out.append(
        ",\n".join(f"  {line(f.name)}: {line(trimmed(asdict(f)))}" for f in lock.files.values())
    )
    out.append(' },\n "artifacts": {')
    artifacts = []
    for artifact in lock.artifacts.values():
        fields = trimmed(asdict(artifact))
        parts = ",\n".join(f"   {line(trimmed(part))}" for part in fields.pop("parts"))
        rest = "".join(f",\n   {line(key)}: {line(value)}" for key, value in sorted(fields.items()))
        artifacts.append(f'  {line(artifact.name)}: {{"parts": [\n{parts}]{rest}}}')
    out.append(",\n".join(artifacts))
    out.append(' },\n "sets": {')
    sets = []
    for name, members in lock.sets.items():
        sets.append(f"  {line(name)}: [\n" + ",\n".join(f"   {line(m)}" for m in members) + "]")
    out.append(",\n".join(sets))
    out.append(" }\n}\n")
    return "\n".join(out)
