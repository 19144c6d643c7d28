# SPDX-License-Identifier: Apache-2.0
"""The hand-kept list of driver functions with a newer form, against the database."""

import re
import unittest
from pathlib import Path

from abi_support import real
from generate import abi_text

SOURCE = Path(__file__).resolve().parents[2] / "stubs" / "cudart" / "adapters" / "driver_entry_point_forms.h"


def forms_of_the_database() -> list[tuple[str, int]]:
    """Every cuX_vN that a cuda.h after 11.8 was the first to declare, as (cuX, 12.3 -> 12030)."""
    found = []
    for name, function in real("cuda").functions.items():
        form = re.fullmatch(r"(cu\w+?)_v\d+", name)
        first = next(iter(function.texts), "")
        if form and first and abi_text.version_key(first) > (11, 8):
            major, minor = abi_text.version_key(first)[:2]
            found.append((form[1], major * 1000 + minor * 10))
    return sorted(found)


class DriverForms(unittest.TestCase):
    def test_the_list_is_what_the_headers_declare(self):
        listed = re.findall(r'\{"(cu\w+)", (\d+)\}', SOURCE.read_text())
        self.assertEqual([(name, int(since)) for name, since in listed], forms_of_the_database())


if __name__ == "__main__":
    unittest.main()
