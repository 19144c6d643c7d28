# SPDX-License-Identifier: Apache-2.0
"""Manual pages: anycuda.1, and anycuda-NAME.1 for each command. By hand, since argparse-manpage 4.8 sets
notes, statuses and examples as one text, and makes the command's name the section: ANYCUDA(CHECK)."""

from __future__ import annotations

from model import Argument, Command

# For the page of anycuda itself; each command's page lists its statuses.
_STATUSES = (("0", "the command succeeded; of a check: the answer is yes"), ("1", "the answer is no"),
             ("2", "the command failed"))


def page(command: Command, others: tuple[Command, ...], version: str) -> str:
    """`others`: the commands that anycuda's page lists."""
    title = f"anycuda-{command.name}" if command.name else "anycuda"
    lines = [f'.TH {title.upper()} 1 "" "anycuda {version}"', ".SH NAME",
             f"{_text(title)} \\- {_text(command.summary.rstrip('.'))}",
             ".SH SYNOPSIS", _text(command.usage), ".SH DESCRIPTION", _text(command.summary)]
    for note in command.notes:
        lines += [".PP", _text(note)]
    if others:
        lines += [".SH COMMANDS"]
        for other in others:
            lines += [".TP", f".BR anycuda\\-{_text(other.name)} (1)", _text(other.summary)]
    for heading, arguments in (("ARGUMENTS", command.positionals), ("OPTIONS", command.options)):
        if arguments:
            lines.append(f".SH {heading}")
        for argument in arguments:
            lines += [".TP", _term(argument), _text(argument.help)]
    lines.append(".SH EXIT STATUS")
    for status, meaning in command.statuses or _STATUSES:
        lines += [".TP", _text(status), _text(meaning)]
    if command.examples:
        lines += [".SH EXAMPLES", ".nf", *map(_text, command.examples), ".fi"]
    if command.name:
        lines += [".SH SEE ALSO", ".BR anycuda (1)"]
    return "\n".join(lines) + "\n"


def _term(argument: Argument) -> str:
    value = f" \\fI{_text(argument.value)}\\fR" if argument.value else ""
    if not argument.names:
        return value.strip()
    return ", ".join(f"\\fB{_text(name)}\\fR{value}" for name in argument.names)


def _text(text: str) -> str:
    """The text escaped for roff, so that dashes stay dashes and no line begins with a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
