# SPDX-License-Identifier: Apache-2.0
"""Texts of a wheel, made up of the words of their grammars, with one of them repeated too often."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from zips import damaged

_SPACE = (" ", "\n", "\t", "\r\n", "\n ", "\n\n", "\0", "\x0c", "\u2028", "\udcff")
_DIGITS = "9" * 5000  # more than Python takes for a number
_METADATA = (
    "Requires-Dist: ", "Name: thing\n", "License-File: ", "Metadata-Version: 2.1\n", "Provides-Extra: cuda12\n",
    "nvidia-cuda-runtime-cu12", "nvidia-cublas-cu12", "cuda-toolkit", "cupy-cuda12x", "jax", "[cublas,cudart]", "[all]",
    "[", "]", "(", ")", ">=12", "<13", "==12.*", "~=12.9.79", "===12", "!=", "==", ";", "@ https://x/y.whl", "@",
    " extra == 'cuda12'", ' extra == "x"', " or ", " and ", "python_version < '4'", "'", '"', ",", ":", "LICENSE",
    "../LICENSE", _DIGITS, "Requires-Dist: nvidia-cuda-runtime-cu12>=12,<13; extra == 'a'\n",
    "Requires-Dist: nvidia-cuda-runtime-cu12==12.9.79\n", "Requires-Dist: cuda-toolkit[cudart]==12.*\n",
    "Requires-Dist: cuda-toolkit[cudart]==")
_RECORD = (
    "thing/__init__.py", "thing/lib.so", "thing-1.0.dist-info/RECORD,,\n", "../x", ",sha256=", ",sha512=", ",md5=",
    "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "=", ",", '"', '""', "'", "12", "-1", "1_0", "\u0663", _DIGITS)
_PYTHON = (
    "import ", "from ", "nvidia.cublas", "torch", "torch.utils", "ctypes.CDLL(", "'libcudart.so.12'", '"libcublas.so',
    "'libcudart.so.%d'", "lib{x}.so", "libnvrtc", "importlib.metadata.version('nvidia-cublas-cu12')", "metadata", "'",
    '"', '"""', "f'", "f'{", "}'", "{", "}", "(", ")", "[", "]", "lambda:", "-", "~", "not ", "1+", "a<",
    "x if x else ", "**", "*", "x", ".a", "=", ",", "@", "if x:\n", "else:\n", "match x:\n", "def f():\n",
    "class C:\n", "async ", "yield ", "    ", "\n", "#", "# -*- coding: utf-7 -*-\n", "# coding: rot13\n", "\\",
    "\\N{DASH}", "b'\\xff'", _DIGITS, "0x", "1e", "\ufeff", "\N{GREEK SMALL LETTER ALPHA}")
_PIECES = (
    '"name"', "{", "}", "[", "]", ",", ":", '"libcublas.so.12"', '"nvidia-cublas-cu12"', "1e999", "-1", "NaN", "null",
    "true", '"\\ud800"', '"', _DIGITS, "\ufeff")


def soup(words: tuple[str, ...], random: Random) -> bytes:
    """Words in any order; sometimes one of them, or a few, without an end."""
    chosen = [random.choice(words) if random.random() < 0.8 else random.choice(_SPACE)
              for _ in range(random.randrange(1, 40))]
    if random.random() < 0.3:
        unit = "".join(random.choice(random.choice((words, _SPACE))) for _ in range(random.choice((1, 1, 2))))
        length = random.choice((100, 2000, 20000, 1 << 20))
        chosen.insert(random.randrange(len(chosen) + 1), unit * (length // len(unit)))
    return "".join(chosen).encode("utf-8", "surrogateescape" if random.random() < 0.9 else "replace")


def metadata(random: Random, old: bytes) -> bytes:
    return _mixed(random, old, soup(_METADATA, random))


def record(random: Random, old: bytes) -> bytes:
    return _mixed(random, old, soup(_RECORD, random))


def python(random: Random, old: bytes) -> bytes:
    return _mixed(random, old, soup(_PYTHON, random))


def json_(random: Random, old: bytes) -> bytes:
    what = random.random()
    if what < 0.3:
        return soup(_PIECES, random)
    if what < 0.45:
        depth = random.choice((50, 200, 400, 700, 900, 5000, 100000))
        begin, end = random.choice((("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"), ('{"libraries":[', "]}")))
        return (begin * depth + '{"file":"libcublas.so.12","from":"nvidia-cublas-cu12"}' + end * depth).encode()
    if what < 0.5:
        return damaged(json.dumps(_value(random, 0)).encode(), random)
    return json.dumps(_changed(random, json.loads(old))).encode()


def _mixed(random: Random, old: bytes, new: bytes) -> bytes:
    what = random.randrange(4)
    if what == 0:
        return new
    if what == 1:
        return damaged(old, random)
    place = random.randrange(len(old) + 1)
    return old[:place] + new + old[place:]


_KEYS = (
    "components", "dependencies", "dependsOn", "ref", "bom-ref", "name", "version", "metadata", "tools", "component",
    "bomFormat", "purl", "hashes", "file", "from")
_STRINGS = ("", "CycloneDX", "cuda-cudart-12-4", "libcublas12", "nvidia-cuda-runtime-cu12", "pkg:generic/anycuda@0.1.0",
            "libcudart.so.12", "\ud800", "\0", "x" * 100000)


def _value(random: Random, depth: int) -> Any:
    what = random.randrange(8 if depth < 4 else 5)
    if what == 0:
        return random.choice(_STRINGS)
    if what == 1:
        return random.choice((0, -1, True, False, 10 ** 4299, float("inf"), float("nan"), 1.5))
    if what in (2, 3):
        return None if what == 2 else random.choice(_STRINGS)
    if what == 4:
        return random.choice(([], {}))
    if what in (5, 6):
        return {random.choice(_KEYS): _value(random, depth + 1) for _ in range(random.randrange(4))}
    return [_value(random, depth + 1) for _ in range(random.randrange(4))]


def _changed(random: Random, value: Any) -> Any:
    """The document with some of its values otherwise."""
    if random.random() < 0.07:
        return _value(random, 2)
    if isinstance(value, dict):
        made = {key: _changed(random, one) for key, one in value.items() if random.random() < 0.97}
        if random.random() < 0.1:
            made[random.choice(_KEYS)] = _value(random, 1)
        return made
    if isinstance(value, list):
        made = [_changed(random, one) for one in value if random.random() < 0.97]
        return made * 2 if random.random() < 0.05 else made
    if value == 1 and random.random() < 0.2:
        return 10 ** 4300 - 1
    return value
