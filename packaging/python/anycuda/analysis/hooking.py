# SPDX-License-Identifier: Apache-2.0
"""Files that rewrite the first instructions of the driver's functions, to get every call in the process.

A stub's functions have two instructions, which leave no room for that, and not all callers of the driver use the stub.
So such a file must keep libcuda.so.1. Two facts identify it: DT_NEEDED has the driver, and the file imports a function
that rewrites code. If the file contains such a function, nothing identifies it.
"""

from __future__ import annotations

from ..elf.read import Image
from .libraries import Linking, Table

# The function that rewrites code -> its project, by the project's public header.
_REWRITERS = {
    "ucm_bistro_patch": "UCX",  # src/ucm/bistro/bistro.h
    "funchook_prepare": "funchook",  # include/funchook.h
    "subhook_install": "subhook",  # subhook.h
    "DobbyHook": "Dobby",  # include/dobby.h
    "gum_interceptor_replace": "Frida",  # gum/guminterceptor.h
}


def rewriter(image: Image) -> str:
    """The function that it imports to rewrite code, or \"\"."""
    return next((symbol.name for symbol in image.undefined() if symbol.name in _REWRITERS), "")


def drivers(image: Image, table: Table) -> tuple[str, ...]:
    """The entries of DT_NEEDED that must stay: the driver's libraries, if the file rewrites code."""
    if not rewriter(image):
        return ()
    named = {name: table.named(name) for name in image.needed}
    return tuple(name for name, entry in named.items()
                 if entry and entry.how is Linking.NAMED and entry.library.is_driver)
