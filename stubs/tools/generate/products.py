# SPDX-License-Identifier: Apache-2.0
"""Libraries without a stub and their distributions, for matrix.json: compat/catalogue/products.txt, checked."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from . import gpu_facts

FILE = "products.txt"

_ROW = re.compile(r"(cuda|other) +(-|[a-z][a-z0-9-]+) +(lib\w+(?: lib\w+)*)")


def read(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"of_cuda": row[1] == "cuda", "distribution": "" if row[2] == "-" else row[2], "libraries": row[3].split()}
        for row in gpu_facts.rows(folder / FILE, _ROW)]
    counts = Counter(name for row in rows for name in row["libraries"])
    for name, count in counts.items():
        if count > 1:
            raise ValueError(f"{FILE}: {name} is in {count} rows; leave it in one")
    return rows
