# SPDX-License-Identifier: Apache-2.0
"""Wheels: reading them without trust, and writing one that differs from another in a few files.

    with archive.open_wheel(path) as wheel:       refuses what no installer should be given
        for block in wheel.blocks(entry): ...     checked against the zip's own sums
    record.parse, record.compare, record.render   the list of files and hashes that every wheel has
    writing.write(wheel, path, changes)           streams; what is not changed is not compressed again
"""
