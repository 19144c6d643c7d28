# SPDX-License-Identifier: Apache-2.0
"""Field-by-field copies between the layouts of one record in two majors, derived from the database.

A field is copied if both sides have it by the same path, with the same size and meaning. Fields that
only the target has stay zero. A record without this property gets no conversion: an adapter that
needs one must be written by hand, and does not compile before that.
"""

from .cxx import Space, Writer, identifier
from .flatten import Leaf, flatten
from .layout_compat import Comparison


def conversions(writer: Writer, space: Space, other: Space, done: set[tuple[str, str]]) -> list[str]:
    """`void convert(const v12::T& from, v13::T* to)` for every record that differs, and which of them
    a pointer may be taken for one to the other. `done`: pairs of types that have theirs."""
    result = []
    comparison = Comparison(space.types, other.types)
    for key in sorted(space.owners.keys() & other.owners.keys()):
        names = (f"{space.owners[key]}::{identifier(key)}", f"{other.owners[key]}::{identifier(key)}")
        if writer.record_is_shared(space, other, key) or ".-" in key or names in done:
            continue
        done.add(names)
        source, target = names
        if not comparison.records(key, key, key):
            result.append(f"template <>\nstruct Compatible<{source}, {target}> : std::true_type {{}};")
        steps, problem = plan(space, other, key, comparison)
        if problem:
            result.append(f"// {source} to {target}: by hand only, {problem}")
            continue
        lost = sorted(_lost(space, other, key))
        if lost:
            result.append(f"// Not carried over: {', '.join(lost)}")
        lines = [f"  std::memcpy(target + {to}, source + {at}, {size});" for at, to, size in steps]
        result.append(
            f"inline void convert(const {source}& from, {target}* to) {{\n"
            f"  [[maybe_unused]] const auto* source = reinterpret_cast<const char*>(&from);\n"
            f"  auto* target = reinterpret_cast<char*>(to);\n"
            f"  std::memset(target, 0, sizeof *to);\n" + "\n".join(lines) + "\n}"
        )
    return result


def plan(space: Space, other: Space, key: str,
         comparison: Comparison) -> tuple[list[tuple[int, int, int]], str]:
    """(from, to, size) of the bytes to copy, and what stands in the way, "" if nothing."""
    mine = _by_path(space, key)
    theirs = _by_path(other, key)
    steps: list[tuple[int, int, int]] = []
    for path, leaf in mine.items():
        twin = theirs.get(path)
        if leaf.reserved or twin is None or twin.reserved:
            continue
        if leaf.end - leaf.start != twin.end - twin.start:
            return [], f"{path} has another size"
        if leaf.start % 8 or leaf.end % 8 or twin.start % 8:
            return [], f"{path} is a bit-field"
        reason = comparison.types(leaf.type, twin.type, path)
        if reason:
            return [], reason
        steps.append((leaf.start // 8, twin.start // 8, (leaf.end - leaf.start) // 8))
    # Members of one union lie on each other: copied one after the other they must move alike.
    for at, to, size in steps:
        for other_at, other_to, other_size in steps:
            if at < other_at + other_size and other_at < at + size and to - at != other_to - other_at:
                return [], "the members of a union move apart"
    return _merged(steps), ""


def _merged(steps: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    result: list[tuple[int, int, int]] = []
    for at, to, size in sorted(set(steps)):
        if result:
            last_at, last_to, last_size = result[-1]
            if at <= last_at + last_size and to - at == last_to - last_at:
                result[-1] = (last_at, last_to, max(last_size, at + size - last_at))
                continue
        result.append((at, to, size))
    return result


def _by_path(space: Space, key: str) -> dict[str, Leaf]:
    return {leaf.path: leaf for leaf in flatten(space.types.record(key), space.types)}


def _lost(space: Space, other: Space, key: str) -> set[str]:
    theirs = _by_path(other, key)
    return {path for path, leaf in _by_path(space, key).items()
            if not leaf.reserved and path not in theirs}
