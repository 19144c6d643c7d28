# SPDX-License-Identifier: Apache-2.0
"""Which names of NVIDIA's libraries are of one CUDA."""

from __future__ import annotations

from anycuda.analysis.libraries import Table


def of_one_cuda(name: str, table: Table) -> bool:
    """Not libcurand.so.10 and libcutensor.so.2, which are the same in every CUDA, and not a name without a number."""
    if not name.partition(".so.")[2][:1].isdigit():
        return False
    named = table.named(name)
    if named:
        library = named.library
        return bool(named.major) and set(library.like(named.major)) != set(library.majors)
    return table.has_no_stub(name) and table.ties_to_cuda(name)
