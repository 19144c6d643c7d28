# SPDX-License-Identifier: Apache-2.0
"""The wheel's software bill of materials (PEP 770): removed libraries are deleted from the CycloneDX files that name
them, and the stubs are added. A wheel without such a file gets one that declares to know only the stubs. Pure.

No times or serial numbers are written, so the same wheel gets the same bytes.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib import parse

from ..analysis.libraries import Table
from ..wheels import names

_AUDITWHEEL, _OWN = "auditwheel.cdx.json", "anycuda.cdx.json"
_MOST_VERSIONS = 1 << 53  # some programs cannot read larger numbers in JSON, and Python writes at most 4300 digits
LARGEST = 1 << 24  # bytes of all files together
_IN_MANY_NAMES = ("cuda", "nvidia")  # parts of many packages' names: cuda-cudart-12-4, nvidia-cuda-runtime-cu12
_LICENCE = [{"license": {"id": "Apache-2.0"}}]
# The type of anycuda's purl. "generic" refers to no registry (purl-spec, types/generic); "pypi" refers to pypi.org,
# where anybody can take the name anycuda until its first release is there (docs/contributing/release.md).
_ANYCUDAS_TYPE = "generic"


@dataclass(frozen=True)
class Wheel:
    """`file`: its name after the repair. `about`: its folder .dist-info."""

    distribution: str
    version: str
    file: str
    about: str


@dataclass
class Sboms:
    """`texts`: name in the wheel -> new content. `changes` and `notes`: lines for the report."""

    texts: dict[str, bytes] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def folder(about: str) -> str:
    return f"{about}/sboms/"


def make(files: Mapping[str, bytes], wheel: Wheel, left_out: Sequence[str], stubs: Mapping[str, str], anycuda: str,
         table: Table) -> Sboms:
    """`files`: the wheel's files below sboms/, by name. `stubs`: name in the wheel -> SHA-256 of a stub. `anycuda`: its
    version."""
    parsed = {name: _parse(content) for name, content in sorted(files.items()) if name.endswith(".json")}
    documents = {name: document for name, document in parsed.items() if document is not None}
    own = next((name for name in (folder(wheel.about) + _AUDITWHEEL, folder(wheel.about) + _OWN) if name in documents),
               folder(wheel.about) + _OWN)
    if own in files and own not in documents:
        return Sboms(notes=[f"{own} is not a CycloneDX file that anycuda can read: it stays unchanged, without the "
                            "stubs"])
    sboms, unnamed = Sboms(), list(left_out)
    for name, document in documents.items():
        gone = _remove(document, unnamed, table)
        unnamed = [file for file in unnamed if file not in gone]
        if gone or name == own:
            _count(document)
            sboms.texts[name] = _render(document)
            sboms.changes.append(_change(name, gone, name == own))
    document = documents.get(own) or _new(wheel)
    _add(document, stubs, anycuda)
    sboms.texts[own] = _render(document)
    sboms.notes += [f"no SBOM of the wheel names the package of {file}, so no component was removed for it"
                    for file in unnamed if documents]
    return sboms


def _change(name: str, gone: list[str], with_stubs: bool) -> str:
    what = [f"without {posixpath.basename(file)}" for file in gone] + (["with the stubs"] if with_stubs else [])
    return f"{name}: {', '.join(what)}"


def _parse(content: bytes) -> dict[str, Any] | None:
    """The document; None if it is not CycloneDX or violates its schema."""
    try:
        document = json.loads(content)
        json.dumps(document)
    except (ValueError, RecursionError):
        return None
    return document if _is_cyclonedx(document) else None


def _is_cyclonedx(document: object) -> bool:
    """Does it follow the parts of the schema that are read here?"""
    if not isinstance(document, dict) or document.get("bomFormat") != "CycloneDX":
        return False
    lists = [document.get("components", []), document.get("dependencies", [])]
    if not isinstance(document.get("metadata", {}), dict) or not all(isinstance(items, list) for items in lists):
        return False
    return all(isinstance(item, dict) and all(isinstance(item.get(key, ""), str) for key in ("name", "bom-ref", "ref"))
               and all(isinstance(item.get(key, []), list) for key in ("components", "dependsOn"))
               for items in lists for item in items)


def _render(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode("ascii")


def _count(document: dict[str, Any]) -> None:
    """Increments the version, as CycloneDX requires of a tool that changes a BOM."""
    if isinstance(document.get("version"), int) and abs(document["version"]) < _MOST_VERSIONS:
        document["version"] += 1


def _remove(document: dict[str, Any], left_out: Sequence[str], table: Table) -> list[str]:
    """Removes one component for each of these files; returns the files that had one."""
    gone, refs = [], []
    for file in left_out:
        components = document.get("components", [])
        component = next((component for component in components if _is_of(component, file, table)), None)
        if component:
            components.remove(component)
            refs += [component["bom-ref"]] if "bom-ref" in component else []
            gone.append(file)
    if refs and "dependencies" in document:
        document["dependencies"] = [entry for entry in document["dependencies"] if entry.get("ref") not in refs]
        for entry in document["dependencies"]:
            if "dependsOn" in entry:
                entry["dependsOn"] = [ref for ref in entry["dependsOn"] if ref not in refs]
    return gone


def _is_of(component: dict[str, Any], file: str, table: Table) -> bool:
    """Does the component stand for the file? auditwheel names the system's package of a file (cuda-cudart-12-4,
    libcublas12), not the file. Libraries of one package share a prefix: libcublas and libcublasLt."""
    match = re.match(r"lib([a-z]+)", posixpath.basename(file).lower())
    name = component.get("name", "")
    if not match or match[1] in _IN_MANY_NAMES:
        return False
    stem = match[1]
    packages = {wheel for library in table.libraries.values() if library.stem.lower() == f"lib{stem}"
                for wheel in library.wheels.values()}
    words = [word[3:] if word.startswith("lib") else word for word in re.findall("[a-z]+", name.lower())]
    return names.normal(name) in packages or any(word == stem or len(word) > 4 and stem.startswith(word)
                                                 for word in words)


def _new(wheel: Wheel) -> dict[str, Any]:
    """A new document for a wheel without one; its other content is declared unknown."""
    purl = f"{_purl('pypi', names.normal(wheel.distribution), wheel.version)}?file_name={_quoted(wheel.file)}"
    itself = {"type": "library", "bom-ref": purl, "name": wheel.distribution, "version": _printable(wheel.version),
              "purl": purl}
    return {"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1, "metadata": {"component": itself},
            "components": [], "dependencies": [{"ref": purl, "dependsOn": []}],
            "compositions": [{"aggregate": "incomplete", "assemblies": [purl]}]}


def _purl(type_: str, name: str, version: str) -> str:
    return f"pkg:{type_}/{_quoted(name)}@{_quoted(version)}"


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _quoted(text: str) -> str:
    return parse.quote(text, safe="", errors="surrogateescape")


def _add(document: dict[str, Any], stubs: Mapping[str, str], anycuda: str) -> None:
    """Adds one component, anycuda, with its files."""
    purl = _purl(_ANYCUDAS_TYPE, "anycuda", anycuda)
    files = [{"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
             for name, digest in sorted(stubs.items())]
    components = document.setdefault("components", [])
    present = next((component for component in components if component.get("bom-ref") == purl), None)
    if present:
        before = [file for file in present.get("components", [])
                  if isinstance(file, dict) and str(file.get("name")) not in stubs]
        present["components"] = sorted(before + files, key=lambda file: str(file.get("name")))
    else:
        components.append({"type": "library", "bom-ref": purl, "name": "anycuda", "version": anycuda,
                           "licenses": _LICENCE, "purl": purl, "components": files})
        _depend(document, purl)
    _name_tool(document.setdefault("metadata", {}), {"name": "anycuda", "version": anycuda})


def _depend(document: dict[str, Any], purl: str) -> None:
    itself = document.get("metadata", {}).get("component")
    root = itself.get("bom-ref") if isinstance(itself, dict) and isinstance(itself.get("bom-ref"), str) else None
    dependencies = document.setdefault("dependencies", [])
    entry = next((entry for entry in dependencies if root and entry.get("ref") == root), None)
    if entry is None and root:
        entry = {"ref": root}
        dependencies.append(entry)
    if entry is not None:
        entry.setdefault("dependsOn", []).append(purl)
    dependencies.append({"ref": purl})


def _name_tool(about: dict[str, Any], tool: dict[str, Any]) -> None:
    """Adds the tool; `tools` is a list up to CycloneDX 1.4, and may be an object with components since 1.5."""
    tools = about.setdefault("tools", [])
    if isinstance(tools, dict):
        tools, tool = tools.setdefault("components", []), {"type": "application", **tool}
    if isinstance(tools, list) and tool not in tools:
        tools.append(tool)
