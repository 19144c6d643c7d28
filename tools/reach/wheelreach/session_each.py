# SPDX-License-Identifier: Apache-2.0
"""Makes a session of ONNX Runtime with the CUDA provider: session_each.py SITE RESULT.

SITE is the folder of the packages. RESULT becomes a JSON object, those members of sessions.Session that are known:
"message", the error or how the process ended; "providers", those that the session has; "mapped", is the provider's
file in the process?; "right", are the sums right?"""

from __future__ import annotations

import json
import sys
from typing import Any

try:
    from . import open_each
except ImportError:  # run as a program
    import open_each  # type: ignore[no-redef]

PROVIDER = "libonnxruntime_providers_cuda.so"
_FLOAT = 1
_OPSET, _IR_VERSION = 17, 8


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + _varint(value >> 7)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _value_info(name: bytes, size: int) -> bytes:
    shape = _bytes(1, _number(1, size))
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, _FLOAT) + _bytes(2, shape)))


def add_model(size: int) -> bytes:
    """z = x + y in ONNX's form of Protocol Buffers, whose numbers of fields are in onnx.proto. Written by hand since
    the package onnx is large and of one Python."""
    node = _bytes(1, b"x") + _bytes(1, b"y") + _bytes(2, b"z") + _bytes(4, b"Add")
    graph = (_bytes(1, node) + _bytes(2, b"add") + _bytes(11, _value_info(b"x", size))
             + _bytes(11, _value_info(b"y", size)) + _bytes(12, _value_info(b"z", size)))
    return _number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, _OPSET))


def session(task: dict[str, Any]) -> str:
    """JSON, since the caller takes one text."""
    sys.path.insert(0, task["site"])
    result: dict[str, Any] = {}
    try:
        import numpy
        import onnxruntime

        providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
        inference = onnxruntime.InferenceSession(add_model(4), providers=providers)
        result["providers"] = inference.get_providers()
        x, y = numpy.arange(4, dtype=numpy.float32), numpy.full(4, 10, numpy.float32)
        result["right"] = inference.run(None, {"x": x, "y": y})[0].tolist() == [10.0, 11.0, 12.0, 13.0]
    except Exception as error:  # onnxruntime's own types of errors are not known before it is imported
        result["message"] = f"{type(error).__name__}: {error}"
    with open("/proc/self/maps", encoding="utf-8") as maps:
        result["mapped"] = any(line.rstrip().endswith("/" + PROVIDER) for line in maps)
    return json.dumps(result)


def main() -> None:
    answer = open_each.in_a_process({"site": sys.argv[1]}, session)
    if not answer.startswith("{"):
        answer = json.dumps({"message": answer})
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(answer)


if __name__ == "__main__":
    main()
