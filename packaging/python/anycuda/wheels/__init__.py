# SPDX-License-Identifier: Apache-2.0
"""Reads untrusted wheels, and writes wheels that differ from another one in a few files.

    with archive.open_wheel(path) as wheel:       refuses wheels that are unsafe to install
        for block in wheel.blocks(entry): ...     checked against the zip's checksums
    record.parse, record.compare, record.render   RECORD, the list of files and hashes in every wheel
    writing.write(wheel, path, changes)           streams; unchanged files are not compressed again
"""
