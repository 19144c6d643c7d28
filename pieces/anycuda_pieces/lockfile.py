"""lock.json as objects: files by hash, pieces made of members of files, sets of pieces."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import PieceError

FORMAT = 1
# Part of every piece's digest: raise it when unpacking itself changes, so that old folders are not
# taken for new. (Execute permissions are kept without a new number: older pieces need none.)
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
    """What a piece takes from one file: member pattern -> folder or file in the piece.

    In a pattern * stands for any characters, slashes too, and the destination is the folder ("" or
    ending in /) that replaces the folders before the first *. A pattern without * may also have a
    destination name of its own. The empty pattern is the file itself, not unpacked.
    """

    file: str
    take: dict[str, str]
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Piece:
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
    pieces: dict[str, Piece]
    sets: dict[str, tuple[str, ...]]

    def expand(self, names: list[str]) -> list[Piece]:
        """Sets and pieces by name -> pieces, each once, in the lock's order."""
        wanted: set[str] = set()
        for name in names:
            if name in self.sets:
                wanted.update(self.sets[name])
            elif name in self.pieces:
                wanted.add(name)
            else:
                raise PieceError(
                    f"no set and no piece is named '{name}'; sets: {', '.join(sorted(self.sets))}; "
                    "pieces: `python3 pieces/fetch.py list`"
                )
        return [piece for name, piece in self.pieces.items() if name in wanted]

    def files_of(self, piece: Piece) -> list[LockedFile]:
        return [self.files[part.file] for part in piece.parts]

    def digest(self, piece: Piece) -> str:
        """Names the content: another hash, rule or unpacker gives another folder."""
        about = asdict(piece)
        if not piece.holds:  # folders from before there was such a rule stay as good as they are
            del about["holds"]
        text = json.dumps(
            [UNPACK_FORMAT, about, [f.sha256 for f in self.files_of(piece)]], sort_keys=True
        )
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def load(path: Path) -> Lock:
    """Reads and checks the lock; every fault names the entry."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PieceError(
            f"{path} is missing: make it with `python3 pieces/fetch.py lock`"
        ) from None
    except json.JSONDecodeError as error:
        raise PieceError(f"{path} is not JSON: {error}") from None
    if data.get("format") != FORMAT:
        raise PieceError(f"{path}: format {data.get('format')!r}, this tool reads {FORMAT}")
    lock = Lock(
        files={name: LockedFile(name=name, **entry) for name, entry in data["files"].items()},
        pieces={name: _piece(name, entry) for name, entry in data["pieces"].items()},
        sets={name: tuple(members) for name, members in data["sets"].items()},
    )
    problems = check(lock)
    if problems:
        raise PieceError(f"{path}: " + "; ".join(problems))
    return lock


def _piece(name: str, entry: dict) -> Piece:
    parts = tuple(
        Part(file=part["file"], take=part["take"], drop=tuple(part.get("drop", ())))
        for part in entry["parts"]
    )
    rest = {key: value for key, value in entry.items() if key != "parts"}
    return Piece(name=name, parts=parts, **rest)


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
    for piece in lock.pieces.values():
        for part in piece.parts:
            used.add(part.file)
            if part.file not in lock.files:
                problems.append(f"piece {piece.name}: file {part.file} is not in the lock")
            for pattern, target in part.take.items():
                if "*" in pattern and target and not target.endswith("/"):
                    problems.append(
                        f"piece {piece.name}: {pattern} goes to '{target}', "
                        "which is no folder (no / at its end)"
                    )
        if piece.name in lock.sets:
            problems.append(f"piece {piece.name}: a set has the same name")
    for name in sorted(set(lock.files) - used):
        problems.append(f"file {name}: no piece uses it")
    for name, members in lock.sets.items():
        for member in members:
            if member not in lock.pieces:
                problems.append(f"set {name}: there is no piece '{member}'")
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
    out.append(' },\n "pieces": {')
    pieces = []
    for piece in lock.pieces.values():
        fields = trimmed(asdict(piece))
        parts = ",\n".join(f"   {line(trimmed(part))}" for part in fields.pop("parts"))
        rest = "".join(f",\n   {line(key)}: {line(value)}" for key, value in sorted(fields.items()))
        pieces.append(f'  {line(piece.name)}: {{"parts": [\n{parts}]{rest}}}')
    out.append(",\n".join(pieces))
    out.append(' },\n "sets": {')
    sets = []
    for name, members in lock.sets.items():
        sets.append(f"  {line(name)}: [\n" + ",\n".join(f"   {line(m)}" for m in members) + "]")
    out.append(",\n".join(sets))
    out.append(" }\n}\n")
    return "\n".join(out)
