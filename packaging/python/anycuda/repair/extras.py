# SPDX-License-Identifier: Apache-2.0
"""The extras of a wheel that bring the libraries of one CUDA each: cuda11, cuda12, cuda13. Pure."""

from __future__ import annotations

from ..analysis.distributions import pin_of
from ..analysis.libraries import Table
from ..wheels import metadata, names, requirement
from ..wheels.metadata import Field
from ..wheels.requirement import Requirement

_FORMS = ("cuda{}", "cuda{}-libraries", "anycuda-cuda{}")


class Extras:
    """The extras of one wheel. An existing extra is extended if all its requirements are of that CUDA."""

    def __init__(self, fields: list[Field], table: Table) -> None:
        parsed = [requirement.parse(text) for text in metadata.values(fields, "Requires-Dist")]
        self._existing = [required for required in parsed if required and required.belongs_to_extra]
        self._provided = {names.normal(name) for name in metadata.values(fields, "Provides-Extra")}
        self._table = table
        self._names: dict[str, str] = {}
        self._required: dict[str, set[str]] = {}  # extra -> normalised names that it requires
        self._offered: dict[str, dict[tuple[str, str], None]] = {}  # major -> (requirement, marker)
        self.notes: list[str] = []

    def name(self, major: str) -> str:
        if major not in self._names:
            self._names[major] = self._choose(major)
        return self._names[major]

    def _choose(self, major: str) -> str:
        forms = [form.format(major) for form in _FORMS]
        more = (f"{forms[-1]}-{number}" for number in range(2, 1000))
        chosen = next(name for name in (*forms, *more) if self._is_free(name, major))
        if chosen != forms[0]:
            self.notes.append(f"the wheel's extra {forms[0]} has other requirements, so the libraries of CUDA {major} "
                              f"are in the extra {chosen}")
        return chosen

    def _is_free(self, name: str, major: str) -> bool:
        return all(self._is_of(required, major) for required in self._existing if name in required.extra_names)

    def _is_of(self, required: Requirement, major: str) -> bool:
        pin = pin_of(required, self._table)
        return pin is not None and pin.major == major

    def require(self, major: str, text: str, marker: str) -> None:
        """Adds a requirement of the wheel to this extra."""
        self._requires(major).add(_key(text, marker))

    def offer(self, major: str, text: str, marker: str) -> None:
        """Adds a requirement to this extra, unless it already requires that distribution."""
        required = self._requires(major)
        if not {_key(text, marker), _key(text, "")} & required:
            required.add(_key(text, marker))
            self._offered.setdefault(major, {})[text, marker] = None

    def _requires(self, major: str) -> set[str]:
        name = self.name(major)
        if name not in self._required:
            self._required[name] = {_key(required.base, "") for required in self._existing
                                    if name in required.extra_names}
        return self._required[name]

    def majors(self) -> list[str]:
        return sorted(self._names, key=int)

    def new_names(self) -> list[str]:
        return [self.name(major) for major in self.majors() if self.name(major) not in self._provided]

    def offered(self) -> list[str]:
        """The complete requirements, by major."""
        offered = []
        for major in sorted(self._offered, key=int):
            for text, marker in self._offered[major]:
                whole = f"{text}; {marker}" if marker else text
                parsed = requirement.parse(whole)
                if parsed is None:
                    raise ValueError(f"{whole!r} is not a valid requirement")
                offered.append(parsed.in_extra(self.name(major)))
        return offered


def _key(text: str, marker: str) -> str:
    parsed = requirement.parse(text)
    extras = ",".join(sorted(parsed.extras)) if parsed else ""
    return f"{parsed.normal if parsed else text}[{extras}]; {marker}"
