# SPDX-License-Identifier: Apache-2.0
"""A hint: the text of a situation, filled in with the findings."""

from __future__ import annotations

import errno
import os
import re
import shlex
from dataclasses import dataclass, field, replace

from .situation import Situation, text_of


@dataclass
class Hint:
    """`why`: a sentence on what failed and one on the cause. `what`: what to do. `commands`: for the reader to run."""

    why: str
    what: str
    commands: list[str] = field(default_factory=list)
    situation: str = ""  # a Situation, the verdict on a candidate, or no_library
    source: str = ""  # the document that the text is from

    def with_commands(self, *commands: str) -> Hint:
        return replace(self, commands=list(commands))


def hint(situation: Situation, failed: str, ready: dict[str, str] | None = None, **values: object) -> Hint:
    """`failed`: a sentence. `values` are quoted in commands; `ready` are parts of commands. Empty commands are left
    out."""
    text, texts = text_of(situation), {name: str(value) for name, value in values.items()}
    quoted = {name: shlex.quote(value) for name, value in texts.items()}
    commands = [command.format(**{**quoted, **(ready or {})}) for command in text.commands]
    return Hint(f"{failed} {text.cause.format(**texts)}", text.remedy.format(**texts),
                [command for command in commands if command], situation, text.source)


def sentence(text: str) -> str:
    """Turns a fragment from the loader into a sentence, with a capital and a full stop. A name at its start stays."""
    first = text[:1].upper() if re.match(r"[a-z]+(?:[ ,;:]|\Z)", text) else text[:1]
    return first + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def without_hint(reason: str) -> str:
    """The reason without the hint at its end, for which a hint has a separate sentence."""
    return re.sub(r"( \((update|install|repair) .*\)|; (install it again|update anycuda or .*))\Z", "", reason)


def read_problem(reason: str) -> tuple[Situation, str]:
    """Why a library's file cannot be read, and the system's message."""
    message = re.search(r"cannot be read \((.*)\)\Z", reason)
    text = message[1] if message else reason
    allowed = text not in map(os.strerror, (errno.EACCES, errno.EPERM))
    if text == os.strerror(errno.ELOOP):
        return Situation.LINK_LOOP, text
    return Situation.READ_ERROR if message and allowed else Situation.UNREADABLE, text


def missing_dependency(reason: str, path: str) -> str:
    """The needed library that the dynamic linker does not find (glibc's message), "" for another reason."""
    name = re.search(r"(?:^|: )([^\s:]+): cannot open shared object file: No such file", reason)
    return name[1] if name and name[1] != path else ""


def without_folder(library_path: str, folder: str) -> str:
    """The command that removes the folder from LD_LIBRARY_PATH."""
    entries = [entry for entry in re.split("[:;]", library_path) if entry]
    left = [entry for entry in entries if entry.rstrip("/") != folder.rstrip("/")]
    return f"export LD_LIBRARY_PATH={shlex.quote(':'.join(left))}" if left else "unset LD_LIBRARY_PATH"


def is_on_path(library_path: str, folder: str) -> bool:
    return folder.rstrip("/") in [entry.rstrip("/") for entry in re.split("[:;]", library_path) if entry]
