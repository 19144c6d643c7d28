# SPDX-License-Identifier: Apache-2.0
"""Sessions of ONNX Runtime: the handwritten model, the result of each session, the page."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from wheelreach import session_each, sessions
from wheelreach.sessions import AS_IT_COMES, BESIDE_NVIDIAS, Session, Sessions

CPU = ["CPUExecutionProvider"]
ON_CPU = Session("", CPU, True, True)
ENDED = Session("ended with -11 in libonnxruntime_providers_cuda.so")


def fields(data: bytes) -> list[tuple[int, object]]:
    """Number -> value of a message of Protocol Buffers, read apart from the code under test."""
    found, at = [], 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    return found


class Model(unittest.TestCase):
    def test_it_adds_two_vectors(self):
        model = dict(fields(session_each.add_model(300)))
        self.assertEqual(model[1], session_each._IR_VERSION)
        self.assertEqual(dict(fields(model[8])), {1: b"", 2: session_each._OPSET})
        graph = fields(model[7])
        self.assertEqual(fields(graph[0][1]), [(1, b"x"), (1, b"y"), (2, b"z"), (4, b"Add")])
        self.assertEqual([number for number, _ in graph], [1, 2, 11, 11, 12])
        for (_, info), name in zip(graph[2:], (b"x", b"y", b"z")):
            value = dict(fields(info))
            tensor = dict(fields(dict(fields(value[2]))[1]))
            self.assertEqual((value[1], tensor[1]), (name, 1))
            self.assertEqual(dict(fields(dict(fields(tensor[2]))[1])), {1: 300})

    def test_a_session_without_onnxruntime_says_what_failed(self):
        with tempfile.TemporaryDirectory(prefix="site-") as site, patch("sys.path", list(sys.path)):
            # Instead of the machine's, if it has one.
            Path(site, "numpy.py").write_text("import a_missing_module\n", encoding="utf-8")
            result = Session(**json.loads(session_each.session({"site": site})))
        self.assertEqual(result.message, "ModuleNotFoundError: No module named 'a_missing_module'")
        self.assertEqual(result, Session(result.message))


class Cells(unittest.TestCase):
    def test_what_a_session_did(self):
        self.assertEqual(sessions.cell(ON_CPU), "CPU, provider loaded")
        self.assertEqual(sessions.cell(Session("", CPU, False, True)), "CPU")
        self.assertEqual(sessions.cell(Session("", ["CUDAExecutionProvider", *CPU], True, True)), "CUDA")
        self.assertEqual(sessions.cell(Session("", CPU, True, False)), "**wrong sums**")
        self.assertEqual(sessions.cell(Session("RuntimeError: a|b\nmore")), "**RuntimeError: a|b**")
        self.assertEqual(sessions.cell(ENDED),
                         "**the process ends with signal 11**, in libonnxruntime_providers_cuda.so")
        self.assertEqual(sessions.cell(Session("ended with -9")), "**the process ends with signal 9**")

    def test_a_failure_that_only_the_repaired_wheel_has(self):
        def is_fault(native: Session, *repaired: Session) -> bool:
            return sessions.fails_repaired_only(Sessions("a==1", [], {AS_IT_COMES: ON_CPU, BESIDE_NVIDIAS: native},
                                                         dict(zip(("none", "11.8"), repaired))))
        self.assertFalse(is_fault(ON_CPU, ON_CPU, ON_CPU))
        self.assertTrue(is_fault(ON_CPU, ON_CPU, ENDED))
        self.assertTrue(is_fault(ON_CPU, Session("", CPU, True, False), ON_CPU))
        self.assertFalse(is_fault(ENDED, ENDED, ENDED))

    def test_the_page(self):
        one = Sessions("a==1", ["nvidia-b==2"], {AS_IT_COMES: ON_CPU, BESIDE_NVIDIAS: ENDED},
                       {"none": ON_CPU, "12.9": ENDED})
        text = sessions.page([one], "2026-01-02", "abc")
        self.assertIn("on 2026-01-02 with the stubs of commit abc", text)
        self.assertIn("| wheel | as it comes, no CUDA | as it comes, beside NVIDIA's libraries | repaired, no CUDA | "
                      "repaired, CUDA 12.9 |\n| --- | --- | --- | --- | --- |\n| a==1 | CPU, provider loaded | ", text)
        self.assertIn("\n- a==1: nvidia-b==2\n", text)


if __name__ == "__main__":
    unittest.main()
