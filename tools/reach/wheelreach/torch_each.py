# SPDX-License-Identifier: Apache-2.0
"""Opens shared libraries beside PyTorch: torch_each.py TASKS RESULTS.

TASKS is a JSON object with

    "torch"   a folder with PyTorch, which is imported once
    "tasks"   a list; each task runs in its own process, forked from the one that imported torch:
        "name"
        "path"      of a library, or "program", a text in Python, and "site", the folder of its packages
        "first"     paths of libraries to open before it
        "versions"  family -> symbol version: each stub of the process is asked for its library's version under it

RESULTS becomes a JSON object name -> result:

    "message"  "" where it opened
    "files"    the shared libraries that are then in the process
    "answers"  family -> [by the stub, by NVIDIA's library]
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from typing import Any, Callable

try:
    from . import open_each
except ImportError:  # run as a script
    import open_each  # type: ignore[no-redef]

# Without argument types: ctypes passes what it is given, numbers and pointers.
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int)
_STUB = re.compile(r".*/libanycuda_(\w+)-[0-9a-f]+\.so")


def numbers(function: Callable[..., int], count: int) -> list[int]:
    """Of a function with pointers to int."""
    values = [ctypes.c_int(0) for _ in range(count)]
    status = function(*map(ctypes.byref, values))
    return [status, *(value.value for value in values)]


def properties(function: Callable[..., int]) -> list[int]:
    """Of cublasGetProperty and its like: major, minor, patch."""
    values = []
    for kind in range(3):
        value = ctypes.c_int(0)
        values += [function(kind, ctypes.byref(value)), value.value]
    return values


# Family -> file of NVIDIA's, function that runs without a GPU, how to call it.
QUESTIONS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "cudart": ("libcudart", "cudaRuntimeGetVersion", lambda function: numbers(function, 1)),
    "nvrtc": ("libnvrtc", "nvrtcVersion", lambda function: numbers(function, 2)),
    "nccl": ("libnccl", "ncclGetVersion", lambda function: numbers(function, 1)),
    "cublas": ("libcublas", "cublasGetProperty", properties),
    "cublaslt": ("libcublasLt", "cublasLtGetProperty", properties),
    "cufft": ("libcufft", "cufftGetProperty", properties),
    "curand": ("libcurand", "curandGetProperty", properties),
    "cusolver": ("libcusolver", "cusolverGetProperty", properties),
    "cusparse": ("libcusparse", "cusparseGetProperty", properties),
    "cudnn": ("libcudnn", "cudnnGetProperty", properties),
}


def mapped() -> list[str]:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.rstrip().partition("/")[2] for line in maps if "/" in line}
    return sorted(f"/{file}" for file in files if ".so" in file)


def function_of(library: ctypes.CDLL, name: str, symbol_version: str) -> Callable[..., int]:
    """As a caller that was linked for that symbol version gets it; the default one without."""
    if symbol_version:
        dlvsym = ctypes.CDLL(None).dlvsym
        dlvsym.restype, dlvsym.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
        address = dlvsym(library._handle, name.encode(), symbol_version.encode())
        if address:
            return FUNCTION(address)
    function: Callable[..., int] = getattr(library, name)
    return function


def ask(versions: dict[str, str]) -> dict[str, list[Any]]:
    answers = {}
    for path in mapped():
        found = _STUB.fullmatch(path)
        if not found or found[1] not in QUESTIONS:
            continue
        stem, name, call = QUESTIONS[found[1]]
        by_stub = call(function_of(ctypes.CDLL(path), name, versions.get(found[1], "")))
        real = [file for file in mapped() if file.rpartition("/")[2].startswith(f"{stem}.so")]
        answers[found[1]] = [by_stub, call(getattr(ctypes.CDLL(real[0]), name)) if real else None]
    return answers


def open_one(task: dict[str, Any]) -> str:
    result = {"message": "", "answers": {}}
    try:
        if "program" in task:
            sys.path.insert(0, task["site"])
            exec(task["program"], {})
        else:
            result["message"] = open_each.open_one({"first": task["first"], "path": task["path"]})
        if "versions" in task and not result["message"]:
            result["answers"] = ask(task["versions"])
    except Exception as error:  # whatever the program raises
        result["message"] = f"{type(error).__name__}: {error}"
    return json.dumps(result | {"files": mapped()})


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        todo = json.load(file)
    sys.path.insert(0, todo["torch"])
    __import__("torch")
    results = {}
    for task in todo["tasks"]:
        text = open_each.in_a_process(task, open_one)
        results[task["name"]] = (json.loads(text) if text.startswith("{") else
                                 {"message": text, "answers": {}, "files": []})
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
