# SPDX-License-Identifier: Apache-2.0
"""A text in the language of Graphviz, with named colours ($stub) -> an SVG.

The name of the graph is the title of the picture, its `comment` the description for people who do not see it.
"""

from __future__ import annotations

import re
import string
import subprocess
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import colours

FONT = "Helvetica,Arial,sans-serif"
_SCALE = 0.87  # text is smaller than dot assumes: a machine without Helvetica may show a wider font
_SVG = "http://www.w3.org/2000/svg"
_DEFAULTS = (
    "-Gbgcolor=$page", "-Nshape=box", "-Nstyle=rounded,filled", "-Nmargin=0.18,0.09", "-Nfillcolor=$box",
    "-Ncolor=$line", "-Nfontcolor=$text", "-Nfontname=Helvetica", "-Nfontsize=15", "-Ecolor=$line",
    "-Efontcolor=$faint", "-Efontname=Helvetica", "-Efontsize=14", "-Earrowsize=0.8")


def draw(source: str, dot: Path) -> str:
    command = [str(dot), "-Tsvg", *map(_coloured, _DEFAULTS)]
    done = subprocess.run(command, input=_coloured(source), capture_output=True, encoding="utf-8", timeout=60)
    if done.returncode or done.stderr:
        raise ValueError(f"dot refuses the diagram: {done.stderr.strip()}")
    comment = re.search(r'^ +comment="([^"]+)"', source, re.MULTILINE)
    if not comment:
        raise ValueError('the diagram has no description: add a line comment="..." to its graph')
    return _finished(ElementTree.fromstring(done.stdout), re.sub(r"\\\n *", "", comment[1]))


def _coloured(text: str) -> str:
    try:
        return string.Template(text).substitute(colours.LIGHT)
    except KeyError as missing:
        known = ", ".join(colours.LIGHT)
        raise ValueError(f"no colour is named {missing}: tools/pictures/colours.py has {known}") from None


def _finished(root: ElementTree.Element, description: str) -> str:
    """Titles of single boxes would be their names in the source: only that of the whole picture stays."""
    ElementTree.register_namespace("", _SVG)
    title = root.findtext(f"{{{_SVG}}}g/{{{_SVG}}}title") or ""
    for group in root.iter(f"{{{_SVG}}}g"):
        for name in ("id", "class"):
            group.attrib.pop(name, None)
        for child in group.findall(f"{{{_SVG}}}title"):
            group.remove(child)
    for element in root.iter():
        element.attrib.pop("font-family", None)
        if "font-size" in element.attrib:
            element.set("font-size", f"{float(element.attrib['font-size']) * _SCALE:.0f}")
        if element.get("stroke") == "transparent":
            element.set("stroke", "none")
        element.tail = "\n"
    body = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    body = body.replace(f' xmlns="{_SVG}"', "")
    css = f"text{{font-family:{FONT}}}\n{colours.dark_rules(body)}"
    width, height = (float(root.attrib[name].removesuffix("pt")) for name in ("width", "height"))
    return picture(title, description, (width, height), css, body, root.attrib["viewBox"])


def picture(title: str, description: str, size: tuple[float, float], css: str, body: str, view: str = "") -> str:
    """A whole SVG, with the title and the description that screen readers read."""
    width, height = (f"{length:g}" for length in size)
    view = view or f"0 0 {width} {height}"
    return f"""<svg xmlns="{_SVG}" width="{width}" height="{height}" viewBox="{view}" role="img" \
aria-labelledby="title description">
<!-- Made by tools/pictures. -->
<title id="title">{escape(title)}</title>
<desc id="description">{escape(description)}</desc>
<style>
{css}
</style>
{body.strip()}
</svg>
"""
