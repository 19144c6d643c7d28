# SPDX-License-Identifier: Apache-2.0
"""Answers a question in the process of a Python: that of the command, or another one, which runs the text of this file
and may be Python 3.6. So this file imports only the standard library."""

import os
import sys

ABOUT, DRIVER, MACHINE = ("about",), ("driver",), ("machine",)
FOLDERS, PYTHON, FIND = "folders", "python", "find"
FINDER = "libanycuda_find.so"  # beside the doctor's library


def ask(library: str, question: "tuple[str, ...]", answer: int) -> int:
    """Writes the answer into the pipe `answer`; returns its exit status."""
    if question[0] == PYTHON:
        return _write_python(library, answer)
    import ctypes  # not every Python has it, and the other commands do not need it

    words = [os.fsencode(word) for word in question[1:]]
    texts = (ctypes.c_char_p * len(words))(*words)
    folder = os.path.dirname(library)
    functions = ctypes.CDLL(os.path.join(folder, FINDER) if question[0] == FIND else library)
    if question[0] == FIND:
        status = functions.anycuda_find(len(words), texts, answer)
    elif question == ABOUT:
        status = functions.anycuda_doctor_about(answer)
    elif question == DRIVER:
        status = functions.anycuda_doctor_driver(answer)
    elif question == MACHINE:
        status = functions.anycuda_doctor_machine(answer)
    elif question[0] == FOLDERS:
        status = functions.anycuda_doctor_folders(len(words), texts, answer)
    else:
        name, caller = question
        status = functions.anycuda_doctor_ask(os.fsencode(name), int(caller), answer)
    return int(status)


def _write_python(library: str, answer: int) -> int:
    """Describes this Python. `problem`: why it cannot ask the library."""
    problem = ""
    try:
        import ctypes

        ctypes.CDLL(library)
    except ImportError:
        problem = "no ctypes"
    except OSError as error:
        problem = str(error)
    about = {"version": ".".join(map(str, sys.version_info[:3])), "executable": sys.executable or "",
             "prefix": sys.prefix, "problem": problem}
    os.write(answer, line_of("python", about))
    for path in sys.path:
        os.write(answer, line_of("path", {"path": path}))
    return 0


def line_of(kind: str, fields: "dict[str, str]") -> bytes:
    """A line of records.py."""
    texts = [name + "=" + value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
             for name, value in fields.items()]
    return os.fsencode("\t".join([kind, *texts]) + "\n")


def main() -> int:
    """Usage: LIBRARY PIPE QUESTION..., in a Python that was started for this."""
    if sys.path[:1] == [""]:  # that of python -c: the working folder must not hide a module
        del sys.path[0]
    return ask(sys.argv[1], tuple(sys.argv[3:]), int(sys.argv[2]))


if __name__ == "__main__":
    os._exit(main())  # the exit handlers of the opened libraries must not run
