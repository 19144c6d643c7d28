"""Opens shared libraries, each in a process of its own: open_each.py WISHES RESULTS.

WISHES is a JSON list of {"name", "path", "first": paths of libraries to open before it, "ask"}; RESULTS becomes a JSON
object name -> message, "" where it opened. With "ask" cudaRuntimeGetVersion of that library is called, and the message
names the runtimes that are then in the process."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

SECONDS = 120


def open_one(wish: dict) -> str:
    try:
        for path in wish["first"]:
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        library = ctypes.CDLL(wish["path"])
    except OSError as error:
        return str(error)
    if not wish.get("ask"):
        return ""
    library.cudaRuntimeGetVersion(ctypes.byref(ctypes.c_int(0)))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.rstrip().rpartition("/")[2] for line in maps}
    return " ".join(sorted(file for file in files if file.startswith("libcudart.so")))


def in_a_process(wish: dict) -> str:
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        signal.alarm(SECONDS)
        os.write(begin, b"." + open_one(wish).encode(errors="replace")[:4000])
        os._exit(0)  # without destructors: opening is what is tested
    os.close(begin)
    with os.fdopen(end, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said[1:] if said else f"ended with {status}"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        wishes = json.load(file)
    results = {wish["name"]: in_a_process(wish) for wish in wishes}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
