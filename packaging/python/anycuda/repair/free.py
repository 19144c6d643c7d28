# SPDX-License-Identifier: Apache-2.0
"""Turns requirements that tie a wheel to one CUDA into extras, so that pip installs that CUDA's libraries only on
request. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis import distributions
from ..analysis.distributions import Part, Pin, WhyStays
from ..analysis.libraries import Table
from ..analysis.remaining import Remaining
from ..wheels import metadata
from ..wheels.metadata import Field
from .extras import Extras


@dataclass(frozen=True)
class Freed:
    """`metadata`: the new METADATA. `distributions`: normalised names of dropped distributions.
    `changes` and `notes`: lines for the report."""

    metadata: bytes
    distributions: set[str]
    changes: list[str]
    notes: list[str]


@dataclass(frozen=True)
class _Split:
    """A pin, divided into the part that becomes an extra and the part that stays a requirement."""

    pin: Pin
    freed: list[Part]
    staying: dict[str, str]  # part -> why

    @property
    def freed_base(self) -> str:
        return self._with(self.freed)

    @property
    def staying_text(self) -> str:
        parts = [part for part in self.pin.parts if part.name in self.staying]
        return self.pin.requirement.under(self.pin.requirement.marker, self._with(parts))

    def _with(self, parts: list[Part]) -> str:
        if len(parts) == len(self.pin.parts):
            return self.pin.requirement.base
        return self.pin.requirement.with_extras([part.name for part in parts])


def free(content: bytes, remaining: Remaining, renewed: dict[str, str], table: Table) -> Freed:
    """`renewed`: distribution -> its first version that serves the wheel's stubs, if the wheel may require an older
    one."""
    fields, rest = metadata.split(content)
    splits = {number: _split(pin, remaining) for number, pin in distributions.pins(fields, table)}
    notes = [f"the requirement {_called(split.pin, name)} stays: {why}"
             for split in splits.values() for name, why in split.staying.items()]
    splits = {number: split for number, split in splits.items() if split.freed}
    if not splits:
        return Freed(content, set(), [], notes)
    extras = Extras(fields, table)
    own = {number: (split.pin.major, _own(split, renewed)) for number, split in splits.items()}
    _fill(extras, splits, own)
    notes += _may_need_freed(fields, {major for major, _ in own.values()}, extras, table)
    dropped = {library.wheels[split.pin.major] for split in splits.values() for part in split.freed
               for library in part.libraries}
    return Freed(_join(fields, splits, own, extras) + rest, dropped, _changes(splits, own, extras),
                 [*notes, *extras.notes, _hint(fields, own, extras)])


def _called(pin: Pin, part: str) -> str:
    return f"{pin.requirement.name}[{part}]" if part in pin.requirement.extras else pin.requirement.name


def _split(pin: Pin, remaining: Remaining) -> _Split:
    staying = {part.name: remaining.why_stays(part, pin.major) for part in pin.parts}
    staying = {name: why for name, why in staying.items() if why}
    return _Split(pin, [part for part in pin.parts if part.name not in staying], staying)


def _fill(extras: Extras, splits: dict[int, _Split], own: dict[int, tuple[str, str]]) -> None:
    """Moves the freed requirements to the extras, which offer the same libraries for the other CUDAs."""
    for number, (major, text) in own.items():
        extras.require(major, text, splits[number].pin.requirement.marker)
    for split in splits.values():
        for major in split.pin.majors:
            if major != split.pin.major:
                for text in distributions.of_major(split.pin, split.freed, major):
                    extras.offer(major, text, split.pin.requirement.marker)


def _join(fields: list[Field], splits: dict[int, _Split], own: dict[int, tuple[str, str]], extras: Extras) -> bytes:
    """The joined fields: new extras come before the first freed requirement, their offered requirements after the last.
    """
    end, out = fields[0].end, []
    for number, field in enumerate(fields):
        if number == min(splits):
            out += [metadata.line("Provides-Extra", name, end) for name in extras.new_names()]
        out.append(_replace(splits[number], own[number], extras, end) if number in splits else field.raw)
        if number == max(splits):
            out += [metadata.line("Requires-Dist", text, end) for text in extras.offered()]
    return b"".join(out)


def _may_need_freed(fields: list[Field], majors: set[str], extras: Extras, table: Table) -> list[str]:
    """Notes on distributions without a stub that may rely on the wheel's requirements: custatevec-cu12 needs cuBLAS."""
    unknown: dict[str, dict[str, None]] = {}  # major -> names
    for _, pin in distributions.pins(fields, table):
        names = [_called(pin, part.name) for part in pin.parts
                 if part.stays is WhyStays.NO_STUB and not part.libraries]
        unknown.setdefault(pin.major, {}).update(dict.fromkeys(names))
    return [f"{', '.join(names)} may need libraries of CUDA {major}, which the wheel no longer requires: if so, "
            f"install the extra {extras.name(major)}" for major, names in unknown.items() if names and major in majors]


def _own(split: _Split, renewed: dict[str, str]) -> str:
    """The requirement in the extra of the pinned major."""
    name = split.pin.requirement.normal
    return f"{split.pin.requirement.name}>={renewed[name]}" if name in renewed else split.freed_base


def _replace(split: _Split, own: tuple[str, str], extras: Extras, end: bytes) -> bytes:
    major, text = own
    line = split.pin.requirement.in_extra(extras.name(major), text)
    staying = metadata.line("Requires-Dist", split.staying_text, end) if split.staying else b""
    return staying + metadata.line("Requires-Dist", line, end)


def _changes(splits: dict[int, _Split], own: dict[int, tuple[str, str]], extras: Extras) -> list[str]:
    changes = []
    for number, (major, text) in own.items():
        base, before = splits[number].freed_base, splits[number].pin.requirement
        other = f" as {text}, the release that serves the stub" if text != base else ""
        changes.append(f"{before.under(before.marker, base)} -> extra {extras.name(major)}{other}")
    return changes + [f"{text} added" for text in extras.offered()]


def _hint(fields: list[Field], own: dict[int, tuple[str, str]], extras: Extras) -> str:
    wheel = next(iter(metadata.values(fields, "Name")), "NAME")
    names = [extras.name(major) for major in extras.majors()]
    return (f"pip now installs these libraries only with an extra ({', '.join(names)}): "
            f'pip install "{wheel}[{extras.name(next(iter(own.values()))[0])}]"')
