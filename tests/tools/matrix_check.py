# SPDX-License-Identifier: Apache-2.0
"""Unclassified dispositions, and those that let another layout through: derived from the database,
apart from the code that makes the dispositions."""

import re

from abi_support import ROOT, real
from generate import abi_text, dispositions, ctype, layout_compat, overrides
from generate.flatten import flatten
from generate.model import Database, Function

_WORDS = re.compile(r"(?:struct|union|enum) [\w.@-]+|\w+")


def complaints(database: Database, found: dict) -> list[str]:
    """The unclassified dispositions, a line each."""
    rejects = overrides.load_verdicts(database.path / "rejects.txt")
    absents = overrides.load_verdicts(database.path / "absents.txt")
    checked = Layouts(database)
    result = []
    for name, function in database.functions.items():
        declared = function.source != "unknown"
        for caller in function.majors:
            for runtime in database.majors:
                disposition = found.get((name, caller, runtime))
                key = (name, caller, runtime)
                if disposition is None or disposition.kind not in dispositions.KINDS:
                    why = "no disposition" if disposition is None else f"unknown kind {disposition.kind!r}"
                elif caller == runtime:
                    why = "" if disposition.kind == "direct" else f"{disposition.kind} on its own major"
                elif disposition.kind == "rejected":
                    known = any(line.matches(*key, declared) for line in rejects)
                    why = "" if known else f"rejected only by the rule: {disposition.reason}"
                elif disposition.kind == "absent":
                    known = is_newer(function, runtime) or any(line.matches(*key, declared) for line in absents)
                    why = "" if known else f"{disposition.reason}, and absents.txt does not say why"
                elif disposition.kind in ("direct", "renamed"):
                    why = checked.of_disposition(function, disposition)
                else:
                    why = of_adapter(database, disposition)
                if why:
                    result.append(f"{name}, built for {caller} on {runtime}: {why}")
    return result


def is_newer(function: Function, runtime: str) -> bool:
    """Came after the runtime's major: that is reason enough."""
    return abi_text.version_key(function.versions[0]) > (int(runtime), 99)


def of_adapter(database: Database, disposition: dispositions.Disposition) -> str:
    drivers = real("cuda").functions
    for name in disposition.needs:
        if name.startswith("cu") and name[2:3].isupper():
            if name not in drivers:
                return f"needs {name}, which no driver has"
        elif name not in database.functions or disposition.runtime not in database.functions[name].majors:
            return f"needs {name}, which no {disposition.runtime} has"
    if not disposition.needs:
        return "needs nothing: what would it call?"
    copy = f"copy_{disposition.caller}_{disposition.runtime}_{disposition.symbol}"
    if disposition.function != copy and disposition.function not in written(database.library):
        return f"no source defines adapt_{disposition.function}"
    return ""


def written(library: str) -> set[str]:
    """The adapters that stubs/<library>/adapters defines."""
    found = set()
    for path in (ROOT / "stubs" / library / "adapters").glob("*.cc"):
        text = path.read_text()
        for major in ("11", "12", "13"):  # a macro may define an adapter for several majors, or types
            for letter in "sdcz":
                expanded = text.replace("##major##", major).replace("##letter##", letter)
                found |= set(re.findall(r"\badapt_(\w+)\(", expanded))
    return found


class Layouts:
    """The rule, asked for every pair of releases. Its answers are kept by all that a prototype leads
    to, as the text of the database has it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.enumerators: dict[str, list[str]] = {}
        for name in database.enum_table:
            self.enumerators.setdefault(f"enum {name.rpartition('.')[0]}", []).append(name)
        self.meanings: dict[tuple[str, str], int] = {}
        self.numbers: dict[tuple, int] = {}
        self.bodies: dict[tuple[str, str], tuple | None] = {}
        self.answers: dict[tuple[int, int], str] = {}
        self.enumerations: dict[tuple[str, str], dict] = {}

    def of_disposition(self, function: Function, disposition: dispositions.Disposition) -> str:
        for name in (disposition.target, *disposition.fallbacks):
            other = self.database.functions.get(name)
            if other is None or disposition.runtime not in other.majors:
                return f"{disposition.kind}, but no {disposition.runtime} has {name}"
            for old in function.versions_of(disposition.caller):
                for new in other.versions_of(disposition.runtime):
                    why = self.difference(function, old, other, new)
                    if why:
                        return f"{disposition.kind} as {name}, but built for {old}, on {new}: {why}"
        return ""

    def difference(self, mine: Function, old: str, theirs: Function, new: str) -> str:
        if "?" in (mine.texts[old], theirs.texts[new]):
            return "its prototype is unknown"
        key = self.meaning(mine.texts[old], old), self.meaning(theirs.texts[new], new)
        if key[0] == key[1]:
            return ""
        if key not in self.answers:
            a, b = self.database.type_table(old), self.database.type_table(new)
            # Of what it finds out only enumerations are kept: they lead nowhere else.
            comparison = layout_compat.Comparison(a, b, dict(self.enumerations.setdefault((old, new), {})))
            self.answers[key] = layout_compat.prototypes(
                mine.texts[old], a, theirs.texts[new], b, comparison
            ) or moved(places(mine.texts[old], a), places(theirs.texts[new], b))
            found = comparison.known.items()
            self.enumerations[old, new] = {k: v for k, v in found if k[0].startswith("enum ")}
        return self.answers[key]

    def meaning(self, text: str, version: str) -> int:
        """A number for the prototype with every definition that its words lead to."""
        if (text, version) not in self.meanings:
            reached: dict[str, tuple] = {}
            waiting = [text]
            while waiting:
                for word in _WORDS.findall(waiting.pop()):
                    for key in (word, f"typedef {word}"):
                        body = None if key in reached else self.body(key, version)
                        if body is not None:
                            reached[key] = body
                            waiting += () if key.startswith("enum ") else body
            meaning = (text, tuple(sorted(reached.items())))
            number = self.numbers.setdefault(meaning, len(self.numbers))
            self.meanings[text, version] = number
        return self.meanings[text, version]

    def body(self, key: str, version: str) -> tuple | None:
        if (key, version) not in self.bodies:
            self.bodies[key, version] = self.read_body(key, version)
        return self.bodies[key, version]

    def read_body(self, key: str, version: str) -> tuple | None:
        name, _, borrowed = key.partition("@")
        body = self.database.types.get(name, {}).get(borrowed or version)
        if body is None or not key.startswith("enum "):
            return body
        table = self.database.enum_table
        values = (f"{name} {table[name].get(version)}" for name in self.enumerators.get(key, ()))
        return *body, ";".join(values)


def places(text: str, types) -> dict[str, tuple]:
    """Where everything lies that a prototype leads to: parameters, fields, fields behind pointers.
    Only sizes and offsets, from the layouts: a second check beside the rule's."""
    result, params, _ = ctype.parse_prototype(text)
    found = {"parameters": (len(params),)}
    for number, type_text in enumerate([result, *(param.type for param in params)]):
        _walk(ctype.parse(type_text), types, f"{number}", found, ())
    return found


def _walk(node, types, path: str, found: dict[str, tuple], seen: tuple) -> None:
    resolved = types.resolve(node)
    found[path] = (resolved.kind, resolved.size)
    if resolved.kind == "pointer":
        _walk(resolved.type.inner, types, f"{path}*", found, seen)
    elif resolved.kind == "struct" and resolved.tag not in seen:
        record = types.record(resolved.tag)
        if not record.opaque:
            found[path] = ("struct", record.size, record.align)
            for leaf in flatten(record, types):
                if not leaf.reserved:
                    inner = f"{path}.{leaf.path}"
                    _walk(leaf.type, types, inner, found, (*seen, resolved.tag))
                    found[f"{inner} at"] = (leaf.start, leaf.end)


def moved(mine: dict[str, tuple], theirs: dict[str, tuple]) -> str:
    for path in mine.keys() & theirs.keys():
        if mine[path] != theirs[path]:
            return f"{path}: {mine[path]} for the caller, {theirs[path]} in the runtime"
    return ""
