# SPDX-License-Identifier: Apache-2.0
"""Branch protection on a CPU that enforces it: all tests run on one; here a copy of the stub that lacks one
instruction crashes."""

import signal
import struct
import tempfile
import unittest
from pathlib import Path

from anycuda.elf import read
from anycuda.elf.headers import Headers
from anycuda.elf.source import Source
from emulated import DROPINS, MAJORS, STUBS, Emulated, library

BTI_C, PACIASP, NOP = 0xD503245F, 0xD503233F, 0xD503201F
SAVE_LINK = 0xAA1E03F0  # mov x16, x30: the first call begins with it, then signs the return address
OLD_CPU = "cortex-a57"  # of ARMv8.0, where both instructions do nothing
RELATIVE = 1027  # R_AARCH64_RELATIVE
EXECUTABLE, DT_RELA, DT_RELASZ = 1, 7, 8


def instruction(code: "Code", offset: int) -> int:
    return struct.unpack_from("<I", code.content, offset)[0]


class Code:
    """The code of a library by its addresses."""

    def __init__(self, path: Path):
        self.content = path.read_bytes()
        with path.open("rb", buffering=0) as file:
            self.headers = Headers(Source(file, str(path)))

    def offset(self, address: int) -> int | None:
        """Where in the file an instruction is; None for an address of data."""
        return next((segment.offset + address - segment.address for segment in self.headers.loads
                     if segment.flags & EXECUTABLE and 0 <= address - segment.address < segment.in_file), None)

    def relocated_addresses(self) -> set[int]:
        """What the dynamic linker writes into tables of addresses: the slots' first targets among them."""
        offset = self.headers.offset(self.headers.value(DT_RELA), 1, "relocations")
        entries = struct.iter_unpack("<QQq", self.content[offset:offset + self.headers.value(DT_RELASZ)])
        return {addend for _, info, addend in entries if info & 0xFFFFFFFF == RELATIVE}


class LandingPads(unittest.TestCase):
    def test_are_where_an_address_can_lead(self):
        files = [*sorted(STUBS.glob("lib*_stub.so")), *sorted(DROPINS.iterdir())]
        self.assertGreaterEqual(len(files), 7)
        for file in files:
            code = Code(file)
            exported = {symbol.value for symbol in read.read(file).exports() if symbol.function}
            addresses = {a for a in exported | code.relocated_addresses() if code.offset(a) is not None}
            self.assertGreater(len(addresses), len(exported), f"{file}: no lazy entries among the relocations")
            for address in addresses:
                self.assertIn(instruction(code, code.offset(address)), (BTI_C, PACIASP), f"{file} at {address:#x}")


class Enforced(Emulated):
    def changed(self, offset: int) -> Path:
        """A folder with a copy of the runtime's stub, of which one instruction does nothing."""
        content = bytearray((STUBS / "libcudart_stub.so").read_bytes())
        struct.pack_into("<I", content, offset, NOP)
        folder = tempfile.TemporaryDirectory(prefix="aarch64-changed-")
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "libcudart_stub.so").write_bytes(content)
        return Path(folder.name)

    def assert_dies(self, offset: int, how: signal.Signals) -> None:
        folders = [self.changed(offset), library("aarch64_cudart-12.9").parent]
        self.assertEqual(self.result("calls_12", "versions", libraries=folders).returncode, -how)
        old = self.result("calls_12", "versions", libraries=folders, cpu=OLD_CPU)
        self.assertEqual((old.returncode, old.stdout), (0, "runtime 0 12090\ndriver 0 0\n"), old.stderr)

    def test_no_call_goes_to_an_entry_without_its_landing_pad(self):
        code, stub = Code(STUBS / "libcudart_stub.so"), read.read(STUBS / "libcudart_stub.so")
        entry = next(symbol for symbol in stub.exports()
                     if (symbol.name, symbol.version) == ("cudaRuntimeGetVersion", "libcudart.so.12"))
        offset = code.offset(entry.value)
        self.assertEqual(instruction(code, offset), BTI_C)
        self.assert_dies(offset, signal.SIGILL)

    def test_first_call_returns_only_by_a_signed_address(self):
        code = Code(STUBS / "libcudart_stub.so")
        begin = struct.pack("<II", SAVE_LINK, PACIASP)
        self.assertEqual(code.content.count(begin), 1)
        self.assert_dies(code.content.index(begin) + 4, signal.SIGSEGV)

    def test_the_stub_runs_on_a_cpu_without_it(self):
        for built in MAJORS:
            result = self.result(f"calls_{built}", "versions", libraries=[library("aarch64_cudart-12.9").parent],
                                 cpu=OLD_CPU)  # fmt: skip
            self.assertIn("runtime 0 12090", result.stdout, result.stderr)


if __name__ == "__main__":
    unittest.main()
