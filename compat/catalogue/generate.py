# SPDX-License-Identifier: Apache-2.0
"""compat/catalogue/*.txt -> one C++ table, in the build folder.

    generate.py FOLDER OUTPUT --target x86_64-linux --multiarch x86_64-linux-gnu

README.md explains the format. All errors are reported at once, each with file and line.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from pathlib import Path

# File of the catalogue, and the enumerator of Kind that its components are of; in the order of Kind.
KINDS = {
    "dynamic_libraries.txt": "dynamic_library",
    "headers.txt": "headers",
    "static_libraries.txt": "static_library",
    "bitcode_libraries.txt": "bitcode_library",
    "programs.txt": "program",
}
DISTRIBUTIONS = "distributions.txt"
PACKAGES = "packages.txt"
# Where the packages of a manager can tell the toolkit's release.
MANAGERS = {"conda": ("toolkit", "own"), "dpkg": ("own", "name", "source")}
PACKAGINGS = ("toolkit", "driver", "other")
FOLDERS = ("wheels", "roots", "system")
LISTS = ("groups", "files", *FOLDERS, "from", "needs", "variables")
KEYS = ("packaging", *LISTS)

STUBS = Path(__file__).resolve().parents[2] / "stubs"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")
FILE = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]*")
# Of a package's name, with * and #.
PATTERN = re.compile(r"[a-z0-9][a-z0-9*#_.+-]*")
# The form that PEP 503 calls normalised.
DISTRIBUTION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclasses.dataclass
class Place:
    """Where in the catalogue something stands."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclasses.dataclass
class Component:
    name: str
    kind: str
    place: Place
    values: dict[str, list[str]]


class Catalogue:
    """What the files say, and what is wrong with it."""

    def __init__(self, folder: Path, words: dict[str, str]) -> None:
        self.words = words  # {target} and {multiarch}
        self.components: list[Component] = []
        self.distributions: dict[str, str] = {}  # name -> "toolkit" or "own"
        self.errors: list[str] = []
        for name in KINDS:
            self._read_components(folder / name)
        self._read_distributions(folder / DISTRIBUTIONS)
        if (folder / PACKAGES).exists():
            self._check_packages(folder / PACKAGES)
        self._check()

    def fail(self, place: Place | str, message: str) -> None:
        self.errors.append(f"{place}: {message}")

    def _lines(self, path: Path, comments_behind: bool = True) -> list[tuple[Place, str]]:
        """Lines that say something, without comments."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.fail(path.name, f"cannot be read: {error}")
            return []
        lines = []
        for number, line in enumerate(text.splitlines(), 1):
            if comments_behind or line.startswith("#"):
                line = line.partition("#")[0]
            line = line.rstrip()
            if line:
                lines.append((Place(path.name, number), line))
        return lines

    def _read_components(self, path: Path) -> None:
        defaults: dict[str, list[str]] = {}
        component: Component | None = None
        key = ""
        for place, line in self._lines(path):
            words = line.split()
            if line[0] != " " and words[0] == "default":
                self._set_default(place, words, defaults)
                component, key = None, ""
            elif line[0] != " ":
                component, key = self._begin(place, words, KINDS[path.name], defaults), ""
            elif component is None:
                self.fail(place, "this line belongs to no component: names start in the first column")
            elif words[0] in KEYS:
                key = words[0]
                self._set(place, component, key, words[1:], defaults)
            elif key:
                component.values[key] += self._words(place, key, words, defaults)
            else:
                self.fail(place, f"unknown key '{words[0]}': one of {', '.join(KEYS)} is expected")

    def _set_default(self, place: Place, words: list[str], defaults: dict[str, list[str]]) -> None:
        if len(words) < 3 or words[1] not in ("packaging", *FOLDERS):
            self.fail(place, "'default' must be followed by packaging, wheels, roots or system, and by values")
            return
        defaults[words[1]] = self._words(place, words[1], words[2:], {})

    def _begin(self, place: Place, words: list[str], kind: str, defaults: dict[str, list[str]]) -> Component | None:
        if len(words) != 1 or not NAME.fullmatch(words[0]):
            self.fail(place, f"'{' '.join(words)}' is not a valid component name")
            return None
        values = {key: list(defaults.get(key, [])) for key in KEYS}
        component = Component(words[0], kind, place, values)
        component.values["given"] = []
        self.components.append(component)
        return component

    def _set(self, place: Place, component: Component, key: str, words: list[str],
             defaults: dict[str, list[str]]) -> None:
        if key in component.values["given"]:
            self.fail(place, f"'{key}' of {component.name} is given twice")
        component.values["given"].append(key)
        if not words:
            self.fail(place, f"'{key}' has no value ('-' stands for an empty list)")
        component.values[key] = self._words(place, key, words, defaults)

    def _words(self, place: Place, key: str, words: list[str], defaults: dict[str, list[str]]) -> list[str]:
        """The values of a key: '-' stands for an empty list, '+' for the file's default."""
        if words == ["-"]:
            return []
        values: list[str] = []
        for word in words:
            if word == "+" and key in FOLDERS:
                values += defaults.get(key, [])
                continue
            if key == "files" and word[0] == "{" and (STUBS / word[1:-1] / "library.json").is_file():
                values += _sonames(STUBS / word[1:-1] / "library.json")
                continue
            if not self._is_good(key, word):
                self.fail(place, f"'{word}' cannot be a value of '{key}'")
                continue
            values.append(self._filled(place, word) if key in FOLDERS else word)
        return values

    def _is_good(self, key: str, word: str) -> bool:
        if key == "packaging":
            return word in PACKAGINGS
        if key == "groups":
            return bool(NAME.fullmatch(word))
        if key == "from":
            return bool(DISTRIBUTION.fullmatch(word))
        if key == "variables":
            return bool(VARIABLE.fullmatch(word))
        if key == "needs":  # found by the dynamic linker
            return bool(FILE.fullmatch(word))
        # A file may be in a subfolder (crt/host_config.h); no path leads out of the component's folder.
        pattern = re.compile(r"[A-Za-z0-9_.+*{}-]+") if key in FOLDERS else FILE
        return all(pattern.fullmatch(part) and part not in (".", "..") for part in word.split("/"))

    def _filled(self, place: Place, word: str) -> str:
        def fill(match: re.Match[str]) -> str:
            value = self.words.get(match.group(1))
            if value is None:
                self.fail(place, f"unknown placeholder '{match.group(0)}': expected {{target}} or {{multiarch}}")
                return ""
            return value

        filled = re.sub(r"\{(\w*)\}", fill, word)
        for part in filled.split("/"):
            if part.count("*") > 1:
                self.fail(place, f"'{word}': a path component may have one '*'")
        return filled

    def _read_distributions(self, path: Path) -> None:
        for place, line in self._lines(path, comments_behind=False):
            words = line.split()
            if len(words) != 2 or words[1] not in ("toolkit", "own"):
                self.fail(place, "expected a distribution, then 'toolkit' or 'own'")
            elif not DISTRIBUTION.fullmatch(words[0]):
                self.fail(place, f"'{words[0]}' is not a normalised distribution name (PEP 503)")
            elif words[0] in self.distributions:
                self.fail(place, f"{words[0]} is listed twice")
            else:
                self.distributions[words[0]] = words[1]

    def _check_packages(self, path: Path) -> None:
        """compat/metadata reads this file itself; a line that it would not understand is refused here."""
        for place, line in self._lines(path, comments_behind=False):
            words = line.split()
            if len(words) != 3 or words[0] not in MANAGERS or words[2] not in MANAGERS[words[0]]:
                self.fail(place, "expected a manager, a pattern of package names and the source of the release: "
                                 "conda (toolkit or own) or dpkg (own, name or source)")
            elif not PATTERN.fullmatch(words[1]):
                self.fail(place, f"'{words[1]}' is not a pattern of a package's name")

    def _check(self) -> None:
        seen: dict[tuple[str, str], Place] = {}
        for component in self.components:
            key = (component.kind, component.name.lower())
            if key in seen:
                self.fail(component.place, f"{component.name} is already defined at {seen[key]}")
            seen[key] = component.place
            self._check_component(component)
        used = {name for component in self.components for name in component.values["from"]}
        for name in sorted(used - self.distributions.keys()):
            places = [str(component.place) for component in self.components if name in component.values["from"]]
            self.fail(places[0], f"'from' names {name}, which {DISTRIBUTIONS} does not list")

    def _check_component(self, component: Component) -> None:
        for key in KEYS:
            values = component.values[key]
            for value in sorted({v for v in values if values.count(v) > 1}):
                self.fail(component.place, f"{component.name}: '{key}' has '{value}' twice")
        if len(component.values["packaging"]) != 1:
            self.fail(component.place, f"{component.name}: 'packaging' must be one of {', '.join(PACKAGINGS)}")
        if not component.values["files"]:
            self.fail(component.place, f"{component.name}: no 'files': every component needs file names")
        if not any(component.values[key] for key in FOLDERS):
            self.fail(component.place, f"{component.name}: no folder is given: add 'wheels', 'roots' or 'system'")
        if component.values["from"] and not component.values["wheels"]:
            self.fail(component.place, f"{component.name}: has 'from', but no folder of wheels: add 'wheels'")
        if component.values["wheels"] and not component.values["from"]:
            self.fail(component.place, f"{component.name}: has 'wheels', but no distribution: add 'from'")
        if component.values["needs"] and component.kind != "dynamic_library":
            self.fail(component.place, f"{component.name}: only a dynamic library has 'needs'")
        if component.values["variables"] and not component.values["roots"]:
            self.fail(component.place, f"{component.name}: has 'variables', but no folder below them: add 'roots'")


def _sonames(descriptor: Path) -> list[str]:
    """Of a library that has a stub, the newest first."""
    majors = json.loads(descriptor.read_text(encoding="utf-8"))["majors"]
    return [majors[number]["soname"] for number in sorted(majors, key=int, reverse=True)]


def table(catalogue: Catalogue) -> str:
    """The components, by kind and then name, as constants."""
    out = ["// Generated by compat/catalogue/generate.py from compat/catalogue/*.txt.", ""]
    kinds = list(KINDS.values())
    components = sorted(catalogue.components, key=lambda p: (kinds.index(p.kind), p.name.lower()))
    rows = []
    for number, component in enumerate(components):
        texts = []
        for key in LISTS:
            values = component.values[key]
            if not values:
                texts.append("{nullptr, 0}")
                continue
            name = f"k{key.capitalize()}{number}"
            out.append(f"constexpr std::string_view {name}[] = {{{', '.join(map(quoted, values))}}};")
            texts.append(f"{{{name}, {len(values)}}}")
        rows.append(
            f"    {{{quoted(component.name)}, Kind::{component.kind}, Packaging::{component.values['packaging'][0]}, "
            f"{', '.join(texts)}}},"
        )
    out += ["", "constexpr Component kComponents[] = {", *rows, "};", ""]
    return "\n".join(out)


def quoted(text: str) -> str:
    """The values' letters need no escapes: _is_good() lets none through."""
    return f'"{text}"'


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Checks the catalogue and writes it as a C++ table.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--target", required=True, help="what a toolkit calls this CPU: x86_64-linux")
    parser.add_argument("--multiarch", required=True, help="what Debian calls it: x86_64-linux-gnu")
    options = parser.parse_args(arguments)
    catalogue = Catalogue(options.folder, {"target": options.target, "multiarch": options.multiarch})
    if catalogue.errors:
        for error in catalogue.errors:
            print(f"{options.folder}/{error}", file=sys.stderr)
        return 1
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(table(catalogue), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
