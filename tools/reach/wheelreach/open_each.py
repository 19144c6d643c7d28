# SPDX-License-Identifier: Apache-2.0
"""Opens shared libraries, each in a separate process: open_each.py TASKS RESULTS.

TASKS is a JSON list of {"name", "path", "first": paths of libraries to open before it, "ask"}; RESULTS becomes a JSON
object name -> message, "" where it opened. With "ask" cudaRuntimeGetVersion of that library is called, and the message
names the runtimes that are then in the process."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from typing import Any, Callable

SECONDS = 120
_SA_SIGINFO = 4
_RSP, _RIP = 160, 168  # in ucontext_t of x86_64
_FRAMES = 64
# abort() and throw run here for the code that called them.
_RUNTIMES = ("libc.so", "libc-", "libstdc++.so", "libgcc_s.so", "ld-linux", "libpthread")


class _Action(ctypes.Structure):
    _fields_ = [("handler", ctypes.c_void_p), ("mask", ctypes.c_ubyte * 128), ("flags", ctypes.c_int),
                ("restorer", ctypes.c_void_p)]


def file_at(address: int) -> str:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            first, _, last = line.partition(" ")[0].partition("-")
            if int(first, 16) <= address < int(last, 16):
                return line.rstrip().rpartition("/")[2]
    return ""


def caller_of(address: int) -> str:
    """The file whose code called the C or C++ runtime that runs at `address`. Called in the handler of a signal, whose
    own frames are above."""
    frames = (ctypes.c_void_p * _FRAMES)()
    count = ctypes.CDLL(None).backtrace(frames, _FRAMES)
    stack = [frame or 0 for frame in frames[:count]]
    for frame in stack[stack.index(address):] if address in stack else []:
        file = file_at(frame)
        if file and not file.startswith(_RUNTIMES):
            return file
    return ""


_kept: list[Any] = []  # handlers, as long as the process


def report_faults(pipe: int) -> None:
    """A fault or an abort from now on ends the process with a message that names the file whose code ran."""
    ctypes.CDLL(None).backtrace((ctypes.c_void_p * 1)(), 1)  # loads libgcc_s, which a handler must not

    def handle(number: int, _: object, context: int) -> None:
        at = ctypes.c_uint64.from_address(context + _RIP).value
        stack = ctypes.c_uint64.from_address(context + _RSP).value
        if number == signal.SIGABRT:
            file = caller_of(at)
        else:
            file = file_at(at) or file_at(ctypes.c_uint64.from_address(stack).value)
        os.write(pipe, f".ended with {-number} in {file}".encode())
        os._exit(0)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(handle)
    action = _Action(ctypes.cast(handler, ctypes.c_void_p), flags=_SA_SIGINFO)
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE):
        ctypes.CDLL(None).sigaction(number, ctypes.byref(action), None)
    _kept.append(handler)


def open_one(task: dict[str, Any]) -> str:
    try:
        for path in task["first"]:
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        library = ctypes.CDLL(task["path"])
    except OSError as error:
        return str(error)
    if not task.get("ask"):
        return ""
    library.cudaRuntimeGetVersion(ctypes.byref(ctypes.c_int(0)))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.rstrip().rpartition("/")[2] for line in maps}
    return " ".join(sorted(file for file in files if file.startswith("libcudart.so")))


def in_a_process(task: dict[str, Any], work: Callable[[dict[str, Any]], str] = open_one) -> str:
    """What `work` returns for the task, or how the process ended."""
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        signal.alarm(SECONDS)
        report_faults(begin)
        os.write(begin, b"." + work(task).encode(errors="replace")[:60000])
        os._exit(0)  # without destructors: opening is what is tested
    os.close(begin)
    with os.fdopen(end, "rb") as pipe:
        message = pipe.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return message[1:] if message else f"ended with {status}"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        tasks = json.load(file)
    results = {task["name"]: in_a_process(task) for task in tasks}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
