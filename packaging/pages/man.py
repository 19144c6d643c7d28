"""Manual pages: anycuda.1, and anycuda-NAME.1 for each command."""

from __future__ import annotations

from model import Argument, Command

_STATUS = ("0: the answer is yes, or the work is done. 1: the answer is no. 2: the command failed. "
           "The documentation lists the cases of each command.")


def page(command: Command, others: tuple[Command, ...], version: str) -> str:
    """`others`: the commands that anycuda's own page lists."""
    title = f"anycuda-{command.name}" if command.name else "anycuda"
    lines = [f'.TH {title.upper()} 1 "" "anycuda {version}"', ".SH NAME",
             f"{_text(title)} \\- {_text(command.summary.rstrip('.'))}",
             ".SH SYNOPSIS", _text(command.usage), ".SH DESCRIPTION", _text(command.summary)]
    if others:
        lines += [".SH COMMANDS"]
        for other in others:
            lines += [".TP", f".BR anycuda\\-{_text(other.name)} (1)", _text(other.summary)]
    for heading, arguments in (("ARGUMENTS", command.positionals), ("OPTIONS", command.options)):
        if arguments:
            lines.append(f".SH {heading}")
        for argument in arguments:
            lines += [".TP", _term(argument), _text(argument.help)]
    lines += [".SH EXIT STATUS", _text(_STATUS)]
    if command.name:
        lines += [".SH SEE ALSO", ".BR anycuda (1)"]
    return "\n".join(lines) + "\n"


def _term(argument: Argument) -> str:
    value = f" \\fI{_text(argument.value)}\\fR" if argument.value else ""
    if not argument.names:
        return value.strip()
    return ", ".join(f"\\fB{_text(name)}\\fR{value}" for name in argument.names)


def _text(text: str) -> str:
    """As roff prints it: no dash becomes a hyphen, and no line begins with a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
