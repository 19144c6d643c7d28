# SPDX-License-Identifier: Apache-2.0
"""A command in a terminal -> an SVG in which its lines appear one after the other."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import re
import struct
import subprocess
import termios
from pathlib import Path

import colours
from diagram import picture

COLUMNS = 110
_COLUMN = 12.2  # the width of a column in rich's SVG
_BELOW = 4.4  # the height of a line below its letters
_MARGIN = 14
_ERASED = re.compile(r"^.*\r\x1b\[K", re.MULTILINE)  # what a status line replaced
# A text in rich's SVG, but not the one at the end of each line.
_TEXT = re.compile(r'<text (class="[^"]+" x="[^"]+" y="([^"]+)" textLength="[^"]+") [^>]*>([^<\n]+)</text>')
_ANSI = [colours.LIGHT[name] for name in ("text", "red", "green", "yellow", "cyan", "cyan", "cyan", "faint")]


def output_of(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What a terminal shows after the command, which must succeed."""
    try:
        ours, its = os.openpty()
    except OSError as error:
        raise ValueError(f"this machine gives no pseudo-terminal ({error.strerror}): mount /dev/pts") from None
    with open(ours, "rb", buffering=0) as terminal:
        with open(its, "wb", buffering=0) as end:
            fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
            process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=end,
                                       stderr=end)
        shown = b"".join(iter(lambda: _read(terminal), b"")).decode().replace("\r\n", "\n")
    if process.wait():
        raise ValueError(f"{' '.join(command)} ends with status {process.returncode}: {shown}")
    return _ERASED.sub("", shown)


def _read(terminal: io.FileIO) -> bytes:
    try:
        return terminal.read(65536)
    except OSError as error:  # Linux reports the end of a terminal as EIO
        if error.errno != errno.EIO:
            raise
        return b""


def draw(title: str, command: str, output: str) -> str:
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard",
                      legacy_windows=False, highlight=False, _environ={})
    text = Text.assemble(("$ ", "cyan"), (f"{command}\n", "bold"), Text.from_ansi(output))
    console.print(text, soft_wrap=False)
    rgb = [tuple(bytes.fromhex(colour[1:])) for colour in (colours.LIGHT["box"], colours.LIGHT["text"], *_ANSI)]
    theme = TerminalTheme(rgb[0], rgb[1], rgb[2:], rgb[2:])
    styles, body = console.export_svg(code_format="{styles}\0{matrix}", theme=theme, unique_id="t").split("\0")
    body, shown, bottom = _one_by_one(body)
    size = (COLUMNS * _COLUMN + 2 * _MARGIN, bottom + _BELOW + 2 * _MARGIN)
    css = (f".t{{font:20px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}\n{styles.strip()}\n"
           f"{colours.dark_page(colours.in_dark(styles))}\n{shown}\n")
    frame = f'<rect width="{size[0]:g}" height="{size[1]:g}" rx="8" fill="{colours.LIGHT["box"]}"/>'
    return picture(title, " ".join(text.plain.split()), size, css + colours.dark_rules(frame),
                   f'{frame}\n<g class="t" transform="translate({_MARGIN},{_MARGIN - 4})">\n{body}\n</g>')


def _one_by_one(body: str) -> tuple[str, str, float]:
    """The lines without what rich adds for a window, the CSS with which they appear, and the height of the last."""
    texts = [match.groups() for match in _TEXT.finditer(body)]
    heights = sorted({float(y) for _, y, _ in texts})
    delay = {height: 1 + 0.15 * number if number else 0 for number, height in enumerate(heights)}
    lines = "\n".join(f'<text {before} style="animation-delay:{delay[float(y)]:.2f}s">{text}</text>'
                      for before, y, text in texts)
    css = ("@media (prefers-reduced-motion:no-preference){.t text{animation:appear .01s both}}\n"
           "@keyframes appear{from{visibility:hidden}}")
    return lines, css, heights[-1]
