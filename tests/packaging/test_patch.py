# SPDX-License-Identifier: Apache-2.0
"""The decisions of `anycuda patch` about a file, on files that are only described."""

from __future__ import annotations

import unittest
from pathlib import Path

from elf_support import read
from anycuda.analysis.file_use import FileUse, Provided, Provides, Reference, Use
from anycuda.analysis.libraries import Library, Linking, Major, Table
from anycuda.elf.edit import Edit
from anycuda.elf.symbols import Symbol
from anycuda.failure import Failure
from anycuda.patch.decide import NothingToPatch, decide
from anycuda.patch.options import Options

PATH = Path("/opt/app/program")


def library(name: str, majors: dict, symbols: dict, driver: bool = False) -> Library:
    return Library(name, f"CUDA {name}", f"lib{name}_stub.so", driver, f"lib{name}.so",
                   {number: Major(number, soname, None if driver else soname) for number, soname in majors.items()},
                   symbols)


CUDART = library("cudart", {"11": "libcudart.so.11.0", "12": "libcudart.so.12", "13": "libcudart.so.13"},
                 {"cudaMalloc": ("11", "12", "13"), "cudaFree": ("11", "12", "13"), "cudaOld": ("11",)})
NVJITLINK = library("nvjitlink", {"12": "libnvJitLink.so.12"}, {"nvJitLinkCreate": ("12",)})
CUDA = library("cuda", {"1": "libcuda.so.1"}, {"cuInit": ("1",)}, driver=True)
TABLE = Table({"cudart": CUDART, "nvjitlink": NVJITLINK, "cuda": CUDA}, {"cublas": ("libcublas.so.12",)})


def undefined(name: str, version: str = "", file: str = "", weak: bool = False) -> Symbol:
    return Symbol(name, version, file, True, False, 0, 0, 0, weak, True)


def cudart(how: str, needed: str | None, majors: tuple, *symbols: tuple) -> Use:
    """symbols: (name, major) or (name, major, weak)"""
    return Use("cudart", needed, Linking(how), majors,
               tuple(Reference(*one, *([False] * (3 - len(one)))) for one in symbols))


class Decide(unittest.TestCase):
    def decide(self, *found: Use, wanted: Options = Options(), finds: bool = False, image: dict | None = None, other=(),
               static: bool = False, provides=None, inside=()):
        described = read.Image(PATH, "x86_64", "executable", **(image or {}))
        for use in found:
            if use.needed and use.needed not in described.needed:
                described.needed.append(use.needed)
            for symbol in use.symbols:
                symbol_version = CUDART.majors[symbol.major].symbol_version if symbol.major else ""
                described.symbols.append(undefined(symbol.name, symbol_version or "", use.needed or ""))
        use = FileUse(PATH, found, tuple(other), static, provides, inside)
        return decide(described, use, TABLE, wanted, lambda _: finds)

    def refused(self, reason: str, *found: Use, **more):
        with self.assertRaisesRegex(Failure, f"^/opt/app/program.*{reason}"):
            self.decide(*found, **more)

    def test_a_stub_inside_is_all_that_it_needs(self):
        made = self.decide(inside=("cudart",), other=("libcublas.so.12",), wanted=Options(("/x",), "12", True))
        self.assertEqual((made.changes, made.stubs, made.inside, made.done), (False, {}, ("cudart",), []))
        self.assertIn("still needs libcublas.so.12", made.left[0])
        made = self.decide(cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12")), inside=("nvrtc",))
        self.assertTrue(made.changes)
        self.refused("linked in statically", inside=("nvrtc",), static=True)

    def test_failures_that_may_be_skipped(self):
        def kind(*found: Use, **more) -> type:
            with self.assertRaises(Failure) as raised:
                self.decide(*found, **more)
            return type(raised.exception)

        self.assertIs(kind(), NothingToPatch)
        self.assertIs(kind(other=("libcublas.so.12",)), NothingToPatch)
        for what in ("stub", "dropin", "original", "renamed", "peer"):
            self.assertIs(kind(provides=Provides("cudart", Provided(what), "")),
                          NothingToPatch if what in ("stub", "dropin") else Failure)
        self.assertIs(kind(static=True), Failure)
        self.assertIs(kind(Use("cudart", None, Linking.LOADED, (), strings=("libcudart.so.12",))), Failure)

    def test_what_was_linked_to_the_stub_itself(self):
        for built_for in ("", "12"):
            use = Use("cudart", "libcudart_stub.so", Linking.STUB, (), (), native=True)
            made = self.decide(use, finds=True, wanted=Options(built_for=built_for))
            self.assertFalse(made.changes)
            self.assertRegex(made.left[0], "linked with -lcudart_stub, .*lib/anycuda/link/MAJOR")

    def test_library_by_its_name(self):
        made = self.decide(cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"), ("cudaFree", "12")))
        self.assertEqual(made.edit, Edit(needed={"libcudart.so.12": "libcudart_stub.so"}, rpath=("$ORIGIN",)))
        self.assertEqual(made.stubs, {"cudart": "libcudart_stub.so"})
        self.assertEqual(made.done[0], "needs libcudart_stub.so in place of libcudart.so.12 (CUDA cudart: "
                                       "2 functions, built for CUDA 12)")

    def test_bundled_copies_and_several_names(self):
        made = self.decide(cudart("renamed", "libcudart-5a077122.so.12.0.107", ("12",), ("cudaFree", "12")),
                           cudart("named", "libcudart.so.11.0", ("11",), ("cudaOld", "11")))
        self.assertEqual(made.edit.needed, {"libcudart-5a077122.so.12.0.107": "libcudart_stub.so",
                                            "libcudart.so.11.0": "libcudart_stub.so"})

    def test_versions_that_name_another_file_than_the_needs(self):
        made = self.decide(cudart("renamed", "libcudart-5a077122.so.12", ("12",), ("cudaFree", "12")),
                           image={"versions_needed": {"libcudart.so.12": ["libcudart.so.12"],
                                                      "libc.so.6": ["GLIBC_2"]}})
        self.assertEqual(set(made.edit.needed), {"libcudart-5a077122.so.12", "libcudart.so.12"})

    def test_the_driver_has_no_versions(self):
        made = self.decide(Use("cuda", "libcuda.so.1", Linking.NAMED, (), (Reference("cuInit", "", False),)))
        self.assertEqual(made.edit.needed, {"libcuda.so.1": "libcuda_stub.so"})
        self.assertEqual(made.edit.versions, {})

    def test_functions_without_versions_get_those_of_the_name(self):
        made = self.decide(cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", ""), ("cudaOld", "")))
        self.assertEqual(made.edit.versions, {"cudaMalloc": ("libcudart_stub.so", "libcudart.so.12")})
        self.assertIn("CUDA 12 does not have cudaOld: left unversioned", made.left)

    def test_functions_that_nothing_in_the_file_brings(self):
        use = cudart("unnamed", None, (), ("cudaMalloc", ""))
        self.refused("its CUDA major is unknown: pass --built-for with one of 11, 12, 13", use)
        made = self.decide(use, wanted=Options(built_for="11"))
        self.assertEqual(made.edit, Edit(add_needed=("libcudart_stub.so",), rpath=("$ORIGIN",),
                                         versions={"cudaMalloc": ("libcudart_stub.so", "libcudart.so.11.0")}))
        only = self.decide(cudart("unnamed", None, ("11",), ("cudaOld", "")))  # by that name alone
        self.assertEqual(only.edit.versions, {"cudaOld": ("libcudart_stub.so", "libcudart.so.11.0")})

    def test_built_for_something_else(self):
        self.refused("was built for .* of CUDA 12, which contradicts --built-for 11",
                     cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "")), wanted=Options(built_for="11"))
        self.refused("does not know .* of CUDA 9: use --built-for with one of 11, 12, 13",
                     cudart("unnamed", None, (), ("cudaMalloc", "")),
                     wanted=Options(built_for="9"))
        self.refused("does not know .* of CUDA 11: use --built-for with one of 12",
                     Use("nvjitlink", None, Linking.UNNAMED, (), (Reference("nvJitLinkCreate", "", False),)),
                     wanted=Options(built_for="11"))

    def test_patched_already(self):
        made = self.decide(cudart("stub", "libcudart_stub.so", ("12",), ("cudaMalloc", "12")))
        self.assertFalse(made.changes)
        # A wheel's stub has another name, which stays.
        for name in ("libanycuda_cudart-0123abcd.so", "libcudart_stub-0123abcd.so"):
            made = self.decide(cudart("stub", name, ("12",), ("cudaMalloc", "12")))
            self.assertEqual((made.changes, made.stubs), (False, {"cudart": name}))

    def test_linked_to_the_stub_without_versions(self):
        use = cudart("stub", "libcudart_stub.so", (), ("cudaMalloc", ""))
        made = self.decide(use)
        self.assertFalse(made.changes)
        self.assertIn("unchecked", made.left[0])
        made = self.decide(use, wanted=Options(built_for="12"))
        self.assertEqual(made.edit, Edit(versions={"cudaMalloc": ("libcudart_stub.so", "libcudart.so.12")}))

    def test_folders(self):
        use = cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"))
        for wanted, path, finds, expected in (
            (Options(), None, False, ("$ORIGIN",)),
            (Options(), "/lib:${ORIGIN}/", False, ()),
            (Options(), "/stubs", True, ()),
            (Options(folders=("/a", "$ORIGIN/../b")), "/a", False, ("$ORIGIN/../b",)),
            (Options(copy_stubs=True), "/stubs", True, ("$ORIGIN",)),
        ):
            made = self.decide(use, wanted=wanted, finds=finds, image={"runpath": path})
            self.assertEqual(made.edit.rpath, expected, wanted)
        done = self.decide(cudart("stub", "libcudart_stub.so", ("12",)), wanted=Options(folders=("/a",))).edit
        self.assertEqual(done, Edit(rpath=("/a",)))

    def test_what_has_nothing_to_replace(self):
        self.refused("uses no CUDA library")
        self.refused("linked in statically, .*-cudart shared", static=True)
        self.refused("needs only CUDA libraries for which anycuda has no stub: "
                     "libcublas.so.12", other=["libcublas.so.12"])
        self.refused("may open libcudart.so.12 by name: start it with `anycuda run`",
                     Use("cudart", None, Linking.LOADED, ("12",), strings=("libcudart.so.12",)))
        self.refused("uses no CUDA library", cudart("unnamed", None, (), ("cudaMalloc", "", True)))  # weak

    def test_program_that_looks_for_a_loaded_library_is_reported(self):
        linked = cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"))
        named = Use("cudart", None, Linking.LOADED, (), strings=("libcudart.so",))
        looks = {"symbols": [undefined("dl_iterate_phdr")]}
        self.assertEqual(self.decide(linked, named, image=looks).left, [
            "looks through the loaded libraries and contains libcudart.so: if it looks for this name before its first "
            "CUDA call, patch it with --open-at-load, or start it with ANYCUDA_OPEN=load"])
        self.assertEqual(self.decide(linked, named, image=looks, wanted=Options(open_at_load=True)).left, [])
        looks = {"symbols": [undefined("dl_iterate_phdr")]}
        for found in (self.decide(linked, named), self.decide(linked, image=looks)):
            self.assertEqual(found.left, [])

    def test_file_that_opens_libraries_at_load_needs_the_file_with_the_symbol(self):
        linked = cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"))
        at_load = Options(open_at_load=True)
        made = self.decide(linked, wanted=at_load)
        self.assertEqual(made.edit.add_needed, ("libanycuda_open_at_load.so",))
        self.assertTrue(made.opens_at_load)
        self.assertIn("needs libanycuda_open_at_load.so, so the stubs open", made.done[1])
        has_it = {"needed": ["libanycuda_open_at_load.so"]}
        for wanted in (Options(), at_load):
            made = self.decide(cudart("stub", "libcudart_stub.so", ("12",)), wanted=wanted, image=has_it)
            self.assertEqual((made.opens_at_load, made.edit), (True, Edit()))
        self.refused("Wl,--defsym=anycuda_open_at_load=1", inside=("cudart",), wanted=at_load)

    def test_what_is_a_cuda_library_itself(self):
        for what, reason in (("original", "is NVIDIA's CUDA cudart"), ("renamed", "is a copy"),
                             ("stub", "is a stub of anycuda"), ("dropin", "is a drop-in"), ("peer", "another project")):
            self.refused(reason, provides=Provides("cudart", Provided(what), "12"))
        use = cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"))
        self.assertTrue(self.decide(use, provides=Provides("cudart", Provided.SOME, "")).changes)

    def test_remaining_needs_are_reported(self):
        use = cudart("named", "libcudart.so.12", ("12",), ("cudaMalloc", "12"))
        made = self.decide(use, Use("cuda", None, Linking.LOADED, (), strings=("libcuda.so.1",)),
                           other=["libcublas.so.12"], static=True)
        self.assertEqual(len(made.left), 3)
        self.assertIn("still needs libcublas.so.12", made.left[0])
        self.assertIn("may open libcuda.so.1 by name", made.left[1])
        self.assertIn("statically", made.left[2])


if __name__ == "__main__":
    unittest.main()
