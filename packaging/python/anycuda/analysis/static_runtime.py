"""The release of a CUDA runtime that is linked into a file, and the oldest driver that it works with. Pure.

A runtime has its error texts and the forms of the paths that it reads as strings, and each release has added some. They
are in the file however it was linked: stripped, with --gc-sections, or for a single function. A runtime has the strings
of its own release and of every earlier one, so a program that has a later one of them for itself does not mislead.
"""

from __future__ import annotations

from typing import Collection, Mapping


def release(strings: Collection[str], marks: Mapping[str, str]) -> str:
    """`strings`: those of `marks` (release -> the string that came with it, the oldest first) that are in the file. The
    newest release of which nothing is missing; "" if it is older than the first."""
    found = ""
    for name, mark in marks.items():
        if mark not in strings:
            break
        found = name
    return found


def oldest_driver(release_: str, drivers: Mapping[str, str]) -> str:
    """`drivers`: branch -> the CUDA release that came with it, the oldest first. A runtime works with every driver of
    its major (minor-version compatibility), one that is older than 11.8 with those of CUDA 11; "" where that major is
    not known."""
    major = release_.partition(".")[0] or "11"
    return next((branch for branch, cuda in drivers.items() if cuda.partition(".")[0] == major), "")
