"""`anycuda config`: where the files of this anycuda are, for builds that ask on a command line.

    cmake -Danycuda_DIR="$(anycuda config --cmake-dir)" ...
    PKG_CONFIG_PATH="$(anycuda config --pkg-config-dir)" pkg-config --libs anycuda-cudart-12
"""

from __future__ import annotations

import argparse

from .. import installation

NAME = "config"
SUMMARY = "Where the stubs, the CMake package and the rest of this anycuda are."

# Option, the folder of installation.json that it names, what is in it.
_FOLDERS = (
    ("--stubs", "stubs", "the stubs, libcudart_stub.so and others"),
    ("--dropins", "dropins", "the same under NVIDIA's names, for LD_LIBRARY_PATH"),
    ("--link-dir", "link", "what programs are linked with, a folder for each CUDA major"),
    ("--include", "include", "C and C++ headers"),
    ("--cmake-dir", "cmake", "the CMake package, for -Danycuda_DIR=..."),
    ("--pkg-config-dir", "pkgconfig", "files for pkg-config, for PKG_CONFIG_PATH"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for option, folder, holds in _FOLDERS:
        parser.add_argument(option, dest="asked", action="append_const", const=folder,
                            help=f"print the folder of {holds}")


def run(arguments: argparse.Namespace) -> int:
    """One line for each option, in their order; without options all that there is, with names."""
    found = installation.find()
    if arguments.asked:
        for folder in arguments.asked:
            print(found.folder(folder))
        return 0
    for option, folder, _ in _FOLDERS:
        if folder in found.folders:
            print(f"{option:<17} {found.folder(folder)}")
    return 0
