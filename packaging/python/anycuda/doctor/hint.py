# SPDX-License-Identifier: Apache-2.0
"""A hint: a row of hint_table.py, filled in with the findings."""

from __future__ import annotations

import errno
import os
import re
import shlex
from dataclasses import dataclass, field

from .hint_table import HintRow


@dataclass
class Hint:
    """`why`: a sentence on what failed and one on the cause. `what`: what to do. `commands`: for the reader to run."""

    why: str
    what: str
    commands: list[str] = field(default_factory=list)
    situation: str = ""  # its row's name
    source: str = ""  # the document that the row is from


def hint(table: dict[str, HintRow], situation: str, failed: str, ready: dict[str, str] | None = None,
         **values: object) -> Hint:
    """`values` are quoted in commands; `ready` are parts of commands. Empty commands are left out."""
    row = table[situation]
    texts = {name: str(value) for name, value in values.items()}
    quoted = {name: shlex.quote(text) for name, text in texts.items()}
    commands = [command.format(**{**quoted, **(ready or {})}) for command in row.commands]
    return Hint(f"{failed} {row.cause.format(**texts)}", row.remedy.format(**texts),
                [command for command in commands if command], situation, row.source)


def sentence(text: str) -> str:
    """Turns a fragment from the loader into a sentence, with a capital and a full stop. A name at its start stays."""
    first = text[:1].upper() if re.match(r"[a-z]+(?:[ ,;:]|\Z)", text) else text[:1]
    return first + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def without_hint(reason: str) -> str:
    """The reason without the hint at its end, for which a hint has a separate sentence."""
    return re.sub(r"( \((update|install|repair) .*\)|; (install it again|update anycuda or .*))\Z", "", reason)


def read_problem(reason: str) -> tuple[str, str]:
    """Why a file cannot be read: the end of a row's name, and the system's message."""
    found = re.search(r"cannot be read \((.*)\)\Z", reason)
    text = found[1] if found else reason
    allowed = text not in map(os.strerror, (errno.EACCES, errno.EPERM))
    if text == os.strerror(errno.ELOOP):
        return "link_loop", text
    return "read_error" if found and allowed else "unreadable", text


def missing_dependency(reason: str, path: str) -> str:
    """The needed library that the dynamic linker does not find (glibc's message), "" for another reason."""
    found = re.search(r"(?:^|: )([^\s:]+): cannot open shared object file: No such file", reason)
    return found[1] if found and found[1] != path else ""


def without_folder(library_path: str, folder: str) -> str:
    """The command that removes the folder from LD_LIBRARY_PATH."""
    entries = [entry for entry in re.split("[:;]", library_path) if entry]
    left = [entry for entry in entries if entry.rstrip("/") != folder.rstrip("/")]
    return f"export LD_LIBRARY_PATH={shlex.quote(':'.join(left))}" if left else "unset LD_LIBRARY_PATH"


def is_on_path(library_path: str, folder: str) -> bool:
    return folder.rstrip("/") in [entry.rstrip("/") for entry in re.split("[:;]", library_path) if entry]
