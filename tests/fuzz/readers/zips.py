# SPDX-License-Identifier: Apache-2.0
"""Zip files with any field wrong: PKWARE's APPNOTE.TXT 4.3 and 4.4."""

from __future__ import annotations

import bz2
import functools
import lzma
import struct
import zlib
from dataclasses import dataclass, field
from random import Random

STORED, DEFLATED, BZIP2, LZMA = 0, 8, 12, 14
UTF_8 = 0x800
_FILE = (0o100644 << 16, 0o100755 << 16)
_TIME, _DATE = 0x52A0, 0x58B1
_WRONG_SIZES = (0, 1, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)


@dataclass
class Member:
    """`local` and `central`: fields that one of the headers has otherwise; `at`: another place than its own."""

    name: bytes
    data: bytes
    method: int = DEFLATED
    flags: int = UTF_8
    attributes: int = _FILE[0]
    extra: bytes = b""
    packed: bytes | None = None
    local: dict[str, int] = field(default_factory=dict)
    central: dict[str, int] = field(default_factory=dict)
    at: int | None = None

    def stored(self) -> bytes:
        if self.packed is None:
            self.packed = _PACK.get(self.method, bytes)(self.data)
        return self.packed

    def fields(self, other: dict[str, int]) -> dict[str, int]:
        own = {"needs": 20, "flags": self.flags, "method": self.method, "time": _TIME, "date": _DATE,
               "sum": zlib.crc32(self.data), "packed": len(self.stored()), "size": len(self.data),
               "name": len(self.name), "extra": len(self.extra)}
        return {**own, **other}


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@functools.cache
def _zeros(size: int) -> bytes:
    packer, block = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 16)
    return b"".join(packer.compress(block) for _ in range(size >> 16)) + packer.flush()


def _lzma(data: bytes) -> bytes:
    """With the header of a zip: version, and the size of the properties."""
    properties = struct.pack("<BL", 93, 1 << 16)
    filters = [{"id": lzma.FILTER_LZMA1, "lc": 3, "lp": 0, "pb": 2, "dict_size": 1 << 16}]
    return b"\x09\x04" + struct.pack("<H", 5) + properties + lzma.compress(data, lzma.FORMAT_RAW, filters=filters)


_PACK = {DEFLATED: _deflated, BZIP2: bz2.compress, LZMA: _lzma}


def write(members: list[Member], end: dict[str, int] | None = None, comment: bytes = b"", before: bytes = b"") -> bytes:
    out, places = bytearray(before), []
    for member in members:
        places.append(len(out) if member.at is None else member.at)
        head = member.fields(member.local)
        out += struct.pack("<4s5H3L2H", b"PK\3\4", *(head[key] & 0xFFFF for key in
                           ("needs", "flags", "method", "time", "date")),
                           *(head[key] & 0xFFFFFFFF for key in ("sum", "packed", "size")),
                           head["name"] & 0xFFFF, head["extra"] & 0xFFFF)
        out += member.name + member.extra + member.stored()
    start = len(out)
    for member, place in zip(members, places):
        head = member.fields(member.central)
        out += struct.pack("<4s6H3L5H2L", b"PK\1\2", 3 << 8 | 20, *(head[key] & 0xFFFF for key in
                           ("needs", "flags", "method", "time", "date")),
                           *(head[key] & 0xFFFFFFFF for key in ("sum", "packed", "size")),
                           head["name"] & 0xFFFF, head["extra"] & 0xFFFF, head.get("comment", 0), 0, 0,
                           member.attributes, place & 0xFFFFFFFF)
        out += member.name + member.extra
    last = {"count": len(members), "size": len(out) - start, "start": start, "comment": len(comment), **(end or {})}
    if "zip64" in last:
        out += struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, last["count"], last["count"], last["size"],
                           last["start"])
        out += struct.pack("<4sLQL", b"PK\6\7", 0, last["zip64"], 1)
    count = last["count"] & 0xFFFF
    out += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, last["size"] & 0xFFFFFFFF,
                       last["start"] & 0xFFFFFFFF, last["comment"] & 0xFFFF)
    return bytes(out + comment)


def as_members(files: dict[str, bytes]) -> list[Member]:
    return [Member(name.encode("utf-8", "surrogateescape"), data, attributes=_FILE[".so" in name])
            for name, data in files.items()]


def spoiled(files: dict[str, bytes], random: Random) -> bytes:
    """A zip of these files in which a few things are wrong."""
    members, end, before, comment = as_members(files), {}, b"", b""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        what = random.randrange(10)
        if what == 0:
            end[random.choice(("count", "size", "start", "comment", "zip64"))] = _number(random)
        elif what == 1:
            before = bytes(random.randrange(1, 100))
        elif what == 2:
            comment = b"PK\5\6" + random.randbytes(random.randrange(70000))[:65531]
        elif what == 3:
            members.insert(random.randrange(len(members)), _more(random, members))
        else:
            _spoil(random.choice(members), random)
    data = write(members, end, comment, before)
    return damaged(data, random) if random.random() < 0.2 else data


def _number(random: Random) -> int:
    return random.choice((*_WRONG_SIZES, random.randrange(1 << 16), random.randrange(1 << 32)))


def _spoil(one: Member, random: Random) -> None:
    what = random.randrange(12)
    headers = random.choice(((one.local,), (one.central,), (one.local, one.central)))
    if what < 3:
        key = random.choice(("needs", "flags", "method", "time", "date", "sum", "packed", "size", "name", "extra"))
        value = _number(random)
        for header in headers:
            header[key] = value
    elif what == 3:
        one.name = name(random, one.name)
    elif what == 4:
        one.method = random.choice((STORED, BZIP2, LZMA, 9, 93, 95, 98, 99))
    elif what == 5:  # packed otherwise than it says
        one.stored()
        one.method = random.choice((STORED, DEFLATED, BZIP2, LZMA))
    elif what == 6:
        one.packed = damaged(one.stored(), random)
    elif what == 7:  # far more than it says, or than the file has
        size = random.choice((0, len(one.data), 1 << 20))
        one.data, one.packed, one.method = b"", _zeros(random.choice((1 << 16, 1 << 22, 1 << 28, 1 << 30))), DEFLATED
        one.local["size"] = one.central["size"] = size
    elif what == 8:
        one.attributes = random.getrandbits(32)
    elif what == 9:
        one.at = random.choice((0, 1, _number(random)))
    elif what == 10:  # sizes of more than 4 GB
        sizes = [random.choice((len(one.data), len(one.stored()), 1 << 40, (1 << 64) - 1)) for _ in range(3)]
        one.extra = struct.pack("<2H3Q", 1, 24, *sizes)[:random.choice((28, 28, 20, 12, 5))]
        for header in headers:
            header.update(size=0xFFFFFFFF, packed=0xFFFFFFFF)
    else:
        one.flags = random.choice((0, 1, 8, 0x40, UTF_8 | 8, random.getrandbits(16)))


def _more(random: Random, members: list[Member]) -> Member:
    """A file more: one that is there, the start of one as a folder, or one of another name."""
    old = random.choice(members)
    what = random.randrange(4)
    if what == 0:
        return Member(old.name, old.data)
    if what == 1:
        return Member(old.name + b"/x", b"")
    if what == 2:
        return Member(old.name + b"/", random.choice((b"", b"x")))
    return Member(name(random, old.name), random.choice((b"", b"\x7fELF", old.data)))


def name(random: Random, old: bytes) -> bytes:
    step = random.choice((b"../", b"/", b"./", b"\\", b"\0", b"C:/", b"a/", b"\xff", b"\n", b"\x1b[2J", b"//", b",",
                          b'"', b"\r", b"\x7f", "\u202e".encode(), "\U0001f600".encode()))
    what = random.randrange(4)
    if what == 0:
        return step + old
    if what == 1:
        return old + step
    if what == 2:
        place = random.randrange(len(old) + 1)
        return old[:place] + step + old[place:]
    length = random.choice((256, 4096, 65000))
    return (step * length)[:length] + old


def damaged(data: bytes, random: Random) -> bytes:
    """A few bytes changed; a part left out, doubled or moved; or a truncated file."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        if not out:
            break
        what, place = random.randrange(6), random.randrange(len(out))
        length = min(random.choice((1, 2, 4, 8, 64, 1024)), len(out) - place)
        if what == 0:
            out[place] ^= 1 << random.randrange(8)
        elif what == 1:
            out[place:place + length] = random.choice((b"\0", b"\xff", b"\x7f")) * length
        elif what == 2:
            del out[place:place + length]
        elif what == 3:
            out[place:place] = out[place:place + length] * random.choice((1, 1, 2, 100))
        elif what == 4:
            out[place:place + length] = random.getrandbits(8 * length).to_bytes(length, "little")
        elif random.random() < 0.2:
            del out[place:]
    return bytes(out)
