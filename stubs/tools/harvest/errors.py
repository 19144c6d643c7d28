# SPDX-License-Identifier: Apache-2.0
"""Names and messages of status values, asked of the real library.

The library is loaded in a separate process: several majors of one library must not be in one process,
and a library that cannot be loaded must not end the harvest.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from anycuda.elf import read as elf

from .libraries import LibraryRow

_ASK = """
import ctypes, json, sys
file, name_of, text_of, values = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
library = ctypes.CDLL(file)
def ask(function, value):
    if not function:
        return ""
    call = getattr(library, function)
    if file.rpartition("/")[2].startswith("libcuda.so"):
        text = ctypes.c_char_p()
        return (text.value or b"").decode() if call(value, ctypes.byref(text)) == 0 else ""
    call.restype = ctypes.c_char_p
    return (call(value) or b"").decode()
print(json.dumps({name: [ask(name_of, value), ask(text_of, value)]
                  for name, value in values.items()}))
"""


def ask(
    file: Path, name_of: str, text_of: str, values: dict[str, int], beside: tuple[Path, ...] = ()
) -> dict[str, list[str]]:
    """{enumerator: [name, message]} as the library at `file` answers; the libraries that it needs lie in its own
    folder and in those `beside`."""
    command = [sys.executable, "-c", _ASK, str(file), name_of, text_of, json.dumps(values)]
    folders = ":".join(map(str, (file.parent, *beside)))
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": folders})
    if done.returncode:
        raise RuntimeError(f"{file}: asking for the error strings failed:\n{done.stderr.strip()}")
    answers: dict[str, list[str]] = json.loads(done.stdout)
    return answers


def read(row: LibraryRow, file: Path, values: dict[str, int], beside: tuple[Path, ...] = ()) -> dict[str, str]:
    """{enumerator: "value message"}; a library without such functions gives nothing."""
    exported = {symbol.name for symbol in elf.read(file).exports()}
    if not row.error_string or row.error_string not in exported:
        return {}
    answers = ask(file, row.error_name, row.error_string, values, beside)
    result: dict[str, str] = {}
    for name, (returned_name, message) in answers.items():
        if row.error_name and returned_name != name:
            continue
        result[name] = f"{values[name]} {message}".rstrip()  # nvFatbin has no words for its success
    return result
