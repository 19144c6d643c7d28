# SPDX-License-Identifier: Apache-2.0
"""`anycuda config`: prints the folders of this anycuda and flags for building with it.

    c++ app.cc $(anycuda config --cflags --libs --rpath 12)
    cmake -Danycuda_DIR="$(anycuda config --cmake-dir)" ...
    PKG_CONFIG_PATH="$(anycuda config --pkg-config-dir)" pkg-config --libs anycuda-cudart-12
"""

from __future__ import annotations

import argparse

from .. import installation
from . import flags

NAME = "config"
SUMMARY = "Prints the folders of the stubs, the CMake package and the other files of this anycuda, and flags to link."

_EPILOG = """\
exit status: 0  the folders or flags were printed
             2  the command failed

  c++ app.cc $(anycuda config --cflags --libs --rpath 12)
  cmake -Danycuda_DIR="$(anycuda config --cmake-dir)" ...
"""

# Option, the folder of installation.json that it prints, its content.
_FOLDERS = (
    ("--stubs", "stubs", "the stubs (libcudart_stub.so and others)"),
    ("--dropins", "dropins", "the drop-ins, stubs under NVIDIA's names, for LD_LIBRARY_PATH"),
    ("--link-dir", "link", "the link libraries, with a folder for each CUDA major"),
    ("--include", "include", "the C and C++ headers"),
    ("--cmake-dir", "cmake", "the CMake package, for -Danycuda_DIR=..."),
    ("--pkg-config-dir", "pkgconfig", "the files for pkg-config, for PKG_CONFIG_PATH"),
)
# Option, its function in flags.py, its output.
_FLAGS = (
    ("--cflags", flags.cflags, "compiler flags"),
    ("--libs", flags.libs, "linker flags"),
    ("--rpath", flags.rpath, "the linker flag that adds the folder of the stubs to the program's search path"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    for option, folder, holds in _FOLDERS:
        parser.add_argument(option, dest="folders", action="append_const", const=folder,
                            help=f"print the folder of {holds}")
    for option, _, prints in _FLAGS:
        parser.add_argument(option, action="store_true", help=f"print {prints} (needs MAJOR; all flags on one line)")
    parser.add_argument("--library", action="append", type=lambda text: text.split(","), metavar="NAME[,NAME...]",
                        help="libraries for --libs: cudart, nvrtc, cublas, cuda, ... (default: cudart)")
    parser.add_argument("major", nargs="?", metavar="MAJOR", choices=flags.MAJORS,
                        help="CUDA major of the headers that the program is compiled with: " + ", ".join(flags.MAJORS))


def run(arguments: argparse.Namespace) -> int:
    """Prints a line for each folder, in order, and then the flags; without options, all folders with their options."""
    options = flags.Options(
        tuple(arguments.folders or ()),
        tuple(option for option, _, _ in _FLAGS if getattr(arguments, option.strip("-"))),
        arguments.major or "", tuple(name for names in arguments.library or () for name in names))
    installed = installation.find()
    flags.check(options)
    for folder in options.folders:
        print(installed.folder(folder))
    if options.flags:
        libraries = list(options.libraries) or ["cudart"]
        print(flags.line(answer(installed, options.major, libraries) for option, answer, _ in _FLAGS
                         if option in options.flags))
    if options.folders or options.flags:
        return 0
    for option, folder, _ in _FOLDERS:
        if folder in installed.folders:
            print(f"{option:<17} {installed.folder(folder)}")
    return 0
