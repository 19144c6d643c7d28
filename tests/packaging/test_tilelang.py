# SPDX-License-Identifier: Apache-2.0
"""TileLang's libraries, from its wheel, with anycuda's stubs in place of TileLang's: every library loads and finds
every symbol, on a machine without CUDA and with one of two; and its runtime calls the installed CUDA."""

import shutil
import subprocess
import unittest

from doctor_support import Machine, place
from analysis_support import BUILD, artifact, with_real_libraries, table

from anycuda.analysis.libraries import NATIVE
from anycuda.elf import read

STUBS = ("cudart", "nvrtc", "cuda")
LIBRARIES = ("libtvm_runtime.so", "libtvm_compiler.so", "libtilelang.so")
# Loads the libraries, then asks TVM whether there is a first CUDA device, as its Python part would: by the C
# interface of tvm_ffi. An argument or result is a type (0: none, 1: a number), four bytes, and eight of value.
_ASK = """
import ctypes, sys
class Any(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("size", ctypes.c_uint32), ("number", ctypes.c_int64)]
class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]
for library in sys.argv[1:]:
    ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    print("loaded", library.rpartition("/")[2], flush=True)
ffi = ctypes.CDLL("libtvm_ffi.so", ctypes.RTLD_GLOBAL)  # loaded already, by its name
name, function, result = b"runtime.GetDeviceAttr", ctypes.c_void_p(), Any()
assert ffi.TVMFFIFunctionGetGlobal(ctypes.byref(Text(name, len(name))), ctypes.byref(function)) == 0
words = (Any * 3)(Any(1, 0, 2), Any(1, 0, 0), Any(1, 0, 0))  # CUDA, device 0, does it exist
assert ffi.TVMFFIFunctionCall(function, words, 3, ctypes.byref(result)) == 0
print("device", result.kind, result.number)
"""


@with_real_libraries
class TileLang(unittest.TestCase):
    def machine(self, **stubs: str) -> Machine:
        """With TileLang's wheel and those that it needs, as pip leaves them, and these stubs in place of TileLang's."""
        machine, source = Machine(self), artifact("tilelang")
        for path in sorted(source.rglob("*.so*")):
            place(path, machine.site / path.relative_to(source))
        for name in STUBS:
            path = machine.site / "tilelang" / "lib" / f"libstub_{name}.so"
            path.unlink()
            shutil.copy(BUILD / "lib" / f"lib{stubs.get(name, name)}_stub.so", path)
        return machine.env(LD_BIND_NOW="1", ANYCUDA_LOG="info")

    def ask(self, machine: Machine) -> subprocess.CompletedProcess:
        folder = machine.site / "tilelang" / "lib"
        return machine.run([machine.python, "-c", _ASK, *(folder / name for name in LIBRARIES),
                            *(folder / f"libstub_{name}.so" for name in STUBS)])

    def test_every_library_loads_and_calls_the_installed_cuda(self):
        loaded = [f"loaded {name}" for name in (*LIBRARIES, *(f"libstub_{name}.so" for name in STUBS))]
        for release, expected in ((None, "no usable CUDA runtime was found"),
                                  ("12.9", "nvidia/cuda_runtime/lib/libcudart.so.12"),
                                  ("13.5", "nvidia/cu13/lib/libcudart.so.13")):
            machine = self.machine()
            if release:
                machine.wheel("cudart", release)
            done = self.ask(machine)
            self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [*loaded, "device 1 0"]), done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual("cudart: using" in done.stderr, release is not None)

    def test_it_would_not_load_without_a_symbol(self):
        """So that the test above shows something: NVRTC's stub has nothing of the runtime."""
        done = self.ask(self.machine(cudart="nvrtc"))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "undefined symbol: cuda")

    def test_references_are_unversioned_and_every_stub_has_them(self):
        """What a reference without a version binds to is the default, and that is the loaded library's own."""
        folder, asked = artifact("tilelang") / "tilelang" / "lib", 0
        native = {name: {symbol.name for symbol in read.read(BUILD / "lib" / f"lib{name}_stub.so").exports()
                         if symbol.version == NATIVE and symbol.default} for name in STUBS}
        for library in LIBRARIES:
            for symbol in read.read(folder / library).undefined():
                owner = table().of_symbol(symbol.name)
                if owner:
                    self.assertEqual(symbol.version, "", symbol.name)
                    self.assertIn(symbol.name, native[owner.name], library)
                    asked += 1
        self.assertGreater(asked, 40)

    def test_what_their_stubs_export_ours_do(self):
        folder = artifact("tilelang") / "tilelang" / "lib"
        for name in STUBS:
            theirs = {symbol.name for symbol in read.read(folder / f"libstub_{name}.so").exports()
                      if table().of_symbol(symbol.name)}
            ours = {symbol.name for symbol in read.read(BUILD / "lib" / f"lib{name}_stub.so").exports()}
            self.assertTrue(theirs)
            self.assertEqual(theirs - ours, set())


if __name__ == "__main__":
    unittest.main()
