# SPDX-License-Identifier: Apache-2.0
"""Dispositions: the result of a call when the caller's major and the runtime's differ."""

import re
import unittest

from abi_support import SmallDatabase, real
from generate import abi_text, dispositions, overrides

_dispositions = {}


def disposition(symbol: str, caller: str, runtime: str, library: str = "cudart") -> dispositions.Disposition:
    if library not in _dispositions:
        _dispositions[library] = dispositions.dispositions(real(library))
    return _dispositions[library][(symbol, caller, runtime)]


VERSIONS = "11.8  x\n12.0  x\n12.1  x\n13.0  x\n"
STRUCT = (
    "struct S\n  11.8-12.0  size 8 align 4\n      0  int  a\n      4  int [1]  reserved\n"
    "  12.1-13.0  size 8 align 4\n      0  int  a\n      4  int  b\n"
)


def small(functions: str, **files: str) -> SmallDatabase:
    return SmallDatabase(
        versions=VERSIONS, functions=functions, types=files.pop("types", STRUCT), **files
    )


class SmallCases(unittest.TestCase):
    def one(self, functions: str, key: tuple[str, str, str], **files: str) -> dispositions.Disposition:
        with small(functions, **files) as database:
            return dispositions.dispositions(database)[key]

    def test_the_same_major_is_direct_whatever_the_rule_says(self):
        text = "f\n  12.0  int (int a)\n  12.1  int (int a, int b)\n"
        found = self.one(text, ("f", "12", "12"))
        self.assertEqual((found.kind, found.target, found.since), ("direct", "f", "12.0"))

    def test_another_major_with_the_same_abi_is_direct(self):
        found = self.one("f\n  11.8-13.0  int (struct S * s)\n", ("f", "11", "13"))
        self.assertEqual((found.kind, found.reason), ("direct", ""))

    def test_one_release_that_differs_is_enough_to_reject(self):
        text = "f\n  11.8-12.0  int (int a)\n  12.1  int (int a, int b)\n"
        found = self.one(text, ("f", "11", "12"))
        self.assertEqual(found.kind, "rejected")
        self.assertEqual(
            found.reason, "1 parameters for the caller, 2 in the runtime (built for 11.8, on 12.1)"
        )
        self.assertEqual(found.target, "")

    def test_every_release_of_the_callers_major_counts_too(self):
        text = "f\n  12.0  int (int a)\n  12.1-13.0  int (int a, int b)\n"
        self.assertEqual(self.one(text, ("f", "12", "13")).kind, "rejected")

    def test_absent_says_since_or_until_when(self):
        text = "old\n  11.8-12.1  int ()\nnew\n  13.0  int ()\n"
        gone = self.one(text, ("old", "12", "13"))
        self.assertEqual((gone.kind, gone.reason), ("absent", "no longer in 13 (last in 12.1)"))
        later = self.one(text, ("new", "13", "12"))
        self.assertEqual((later.kind, later.reason), ("absent", "not yet in 12 (first in 13.0)"))

    def test_since_is_the_first_release_of_the_runtimes_major(self):
        text = "f\n  11.8,12.1  int ()\n"
        self.assertEqual(self.one(text, ("f", "11", "12")).since, "12.1")

    def test_without_a_prototype_nothing_crosses_majors(self):
        text = "f\n  11.8-13.0  ?\n"
        self.assertEqual(self.one(text, ("f", "11", "12")).reason, "its prototype is unknown")
        self.assertEqual(self.one(text, ("f", "12", "12")).kind, "direct")

    def test_a_hand_kept_prototype_crosses_only_the_majors_it_names(self):
        text, known = "f\n  11.8-13.0  ?\n", "f\n  11,12  int (int a)\n"
        self.assertEqual(self.one(text, ("f", "11", "12"), internals=known).kind, "direct")
        self.assertEqual(self.one(text, ("f", "12", "13"), internals=known).kind, "rejected")

    def test_a_reviewed_rename(self):
        text = "f\n  12.0-12.1  int (int a)\nf_v2\n  13.0  int (int a)\n"
        found = self.one(text, ("f", "12", "13"), renames="12 f = 13 f_v2  the same\n")
        self.assertEqual(
            (found.kind, found.target, found.reason, found.since),
            ("renamed", "f_v2", "the same", "13.0"),
        )

    def test_without_review_nothing_is_renamed(self):
        text = "f\n  12.0-12.1  int (int a)\nf_v2\n  13.0  int (int a)\n"
        self.assertEqual(self.one(text, ("f", "12", "13")).kind, "absent")

    def test_the_rule_has_the_last_word_about_a_rename(self):
        text = "f\n  12.0-12.1  int (int a)\nf_v2\n  13.0  int (long a)\n"
        found = self.one(text, ("f", "12", "13"), renames="12 f = 13 f_v2  the same\n")
        self.assertEqual(found.kind, "rejected")
        self.assertIn("as f_v2: parameter a", found.reason)

    def test_a_rename_goes_before_the_same_name(self):
        text = "f\n  12.0-13.0  int (int a)\ng\n  13.0  int (int a)\n"
        found = self.one(
            text, ("f", "12", "13"), renames="12 f = 13 g  f means something else in 13\n"
        )
        self.assertEqual((found.kind, found.target), ("renamed", "g"))

    def test_per_thread_forms_follow_their_base_name(self):
        text = "f_ptsz\n  12.0-12.1  int (int a)\ng_ptsz\n  13.0  int (int a)\n"
        found = self.one(text, ("f_ptsz", "12", "13"), renames="12 f = 13 g  the same\n")
        self.assertEqual(found.target, "g_ptsz")

    TWO = "f\n  12.0-12.1  int (struct S * s)\n  13.0  int (struct S * s, int n)\n"

    def test_an_adapter_fills_the_disposition_that_the_rule_rejects(self):
        lines = "12>13 f adapted with_count  13 asks for a count\n"
        found = self.one(self.TWO, ("f", "12", "13"), adapters=lines)
        self.assertEqual((found.kind, found.function, found.needs, found.since),
                         ("adapted", "with_count", ("f",), "13.0"))
        self.assertEqual(found.reason, "13 asks for a count")
        self.assertEqual(self.one(self.TWO, ("f", "13", "12"), adapters=lines).kind, "rejected")

    def test_an_adapter_is_there_since_all_that_it_needs_is(self):
        text = self.TWO + "early\n  12.0-12.1  int ()\nlate\n  12.1  int ()\n"
        lines = "13>12 f emulated from_two needs early,late,cuLater  made from two\n"
        found = self.one(text, ("f", "13", "12"), adapters=lines, driver="cuLater\n")
        self.assertEqual((found.kind, found.since), ("emulated", "12.1"))
        self.assertEqual(found.needs, ("early", "late", "cuLater"))

    def test_adapter_with_an_unknown_need_stops_the_build(self):
        for needs, text in (("gone", "needs gone, which no 12 has"), ("cuGone", "no driver has cuGone")):
            lines = f"13>12 f emulated g needs {needs}  reason\n"
            with self.assertRaisesRegex(abi_text.FormatError, text):
                self.one(self.TWO, ("f", "13", "12"), adapters=lines, driver="cuOther\n")

    def test_adapters_needs_follow_per_thread_forms(self):
        text = "f_ptsz\n  13.0  int ()\ng\n  12.0  int ()\ng_ptsz\n  12.0  int ()\nh\n  12.0  int ()\n"
        lines = "13>12 f emulated g needs g,h,cuX,cuY  reason\n"
        found = self.one(text, ("f_ptsz", "13", "12"), adapters=lines, driver="cuX\ncuX_ptsz\ncuY\n")
        self.assertEqual((found.function, found.needs), ("g_ptsz", ("g_ptsz", "h", "cuX_ptsz", "cuY")))

    def test_a_fallback_is_for_releases_that_lack_the_name(self):
        text = "f\n  12.1-13.0  int ()\ng\n  12.0-12.1  int ()\n"
        found = self.one(text, ("f", "13", "12"),
                         adapters="13>12 f emulated of_g fallback needs g  made from g\n")
        self.assertEqual((found.kind, found.target, found.since), ("direct", "f", "12.1"))
        self.assertEqual((found.fallback.kind, found.fallback.function, found.fallback.since),
                         ("emulated", "of_g", "12.0"))

    def test_a_fallback_for_nothing_stops_the_build(self):
        with self.assertRaisesRegex(abi_text.FormatError,
                                    "is absent: only a direct or renamed function can have a fallback"):
            self.one("f\n  13.0  int ()\ng\n  12.0  int ()\n", ("f", "13", "12"),
                     adapters="13>12 f emulated of_g fallback needs g  made from g\n")

    def test_a_reject_goes_before_an_adapter(self):
        found = self.one(self.TWO, ("f", "12", "13"), adapters="12>13 f adapted g  reason\n",
                         rejects="12>13 f  unsafe\n")
        self.assertEqual((found.kind, found.reason), ("rejected", "unsafe"))

    def test_a_reviewed_absence_says_why(self):
        found = self.one("old\n  11.8-12.1  int ()\n", ("old", "12", "13"),
                         absents="*>13 ol*  nothing does that any more\n")
        self.assertEqual((found.kind, found.reason), ("absent", "nothing does that any more"))

    def test_patterns_and_fallbacks(self):
        text = "__aDo_12_1\n  12.1  int ()\n__aDo_12_0\n  12.0-12.1  int ()\n"
        text += "aDo\n  12.1-13.0  int ()\n"
        lines = "12 __a*_12_# = 12 a*  one function\n12 __a*_12_# = 12 __a*_12_0  one function\n"
        found = self.one(text, ("__aDo_12_1", "12", "12"), renames=lines)
        self.assertEqual(
            (found.kind, found.target, found.fallbacks),
            ("direct", "__aDo_12_1", ("aDo", "__aDo_12_0")),
        )

    def test_a_rejection_by_review(self):
        text = "f\n  11.8-13.0  int ()\nf_ptsz\n  11.8-13.0  int ()\n"
        lines = "12>13 f  means something else\n"
        self.assertEqual(
            self.one(text, ("f", "12", "13"), rejects=lines).reason, "means something else"
        )
        self.assertEqual(self.one(text, ("f_ptsz", "12", "13"), rejects=lines).kind, "rejected")
        self.assertEqual(self.one(text, ("f", "13", "12"), rejects=lines).kind, "direct")
        self.assertEqual(self.one(text, ("f", "12", "12"), rejects="*>* f  never\n").kind, "direct")

    def test_a_broken_line_is_named(self):
        with self.assertRaisesRegex(abi_text.FormatError, "renames.txt:2"):
            self.one("f\n  12.0  int ()\n", ("f", "12", "12"), renames="# why\n12 f -> 13 g\n")
        with self.assertRaisesRegex(abi_text.FormatError, "rejects.txt:1"):
            self.one("f\n  12.0  int ()\n", ("f", "12", "12"), rejects="12 f no\n")


class Cudart(unittest.TestCase):
    def test_every_symbol_has_a_disposition_for_every_runtime(self):
        database = real("cudart")
        found = dispositions.dispositions(database)
        self.assertEqual(len(found), sum(len(f.majors) for f in database.functions.values()) * 3)
        self.assertLessEqual({c.kind for c in found.values()}, set(dispositions.KINDS))
        for one in found.values():
            self.assertEqual(bool(one.target or one.function),
                             one.kind in ("direct", "renamed", "adapted", "emulated"), one)
            self.assertEqual(bool(one.function), one.kind in ("adapted", "emulated"), one)
            if one.target:
                self.assertIn(one.runtime, database.functions[one.target].majors, one)
            else:
                self.assertTrue(one.reason, one)

    def test_what_nearly_every_program_uses_is_direct_everywhere(self):
        for symbol in (
            "cudaMalloc",
            "cudaFree",
            "cudaMemcpy",
            "cudaMemcpyAsync",
            "cudaMemsetAsync",
            "cudaLaunchKernel",
            "cudaStreamCreate",
            "cudaStreamSynchronize",
            "cudaEventRecord",
            "cudaGetDevice",
            "cudaGetDeviceCount",
            "cudaDeviceGetAttribute",
            "cudaGetLastError",
            "cudaGetErrorString",
            "cudaHostAlloc",
            "cudaMemcpy_ptds",
            "cudaCreateChannelDesc",
            "__cudaRegisterFatBinary",
            "__cudaRegisterFatBinaryEnd",
            "__cudaRegisterFunction",
            "__cudaRegisterVar",
            "__cudaUnregisterFatBinary",
            "__cudaPushCallConfiguration",
            "__cudaPopCallConfiguration",
            "__cudaRegisterManagedVar",
            "__cudaInitModule",
        ):
            for caller in ("11", "12", "13"):
                for runtime in ("11", "12", "13"):
                    self.assertEqual(
                        disposition(symbol, caller, runtime).kind,
                        "direct",
                        f"{symbol} {caller} on {runtime}",
                    )

    def test_functions_with_a_larger_struct_are_never_direct(self):
        for symbol, caller, runtime in (
            ("cudaPointerGetAttributes", "12", "13"),
            ("cudaFuncGetAttributes", "11", "12"),
            ("cudaCreateTextureObject", "11", "12"),
            ("cudaGetDeviceProperties_v2", "12", "13"),
            ("cudaGetDeviceProperties", "11", "13"),
        ):
            kind = disposition(symbol, caller, runtime).kind
            self.assertIn(kind, ("adapted", "emulated", "rejected"), symbol)

    def test_renames(self):
        for symbol, caller, runtime, target in (
            ("cudaMemPrefetchAsync", "13", "12", "cudaMemPrefetchAsync_v2"),
            ("cudaMemPrefetchAsync_ptsz", "13", "12", "cudaMemPrefetchAsync_v2_ptsz"),
            ("cudaMemAdvise", "13", "12", "cudaMemAdvise_v2"),
            ("cudaGraphAddNode_v2", "12", "13", "cudaGraphAddNode"),
            ("cudaThreadExit", "11", "13", "cudaDeviceReset"),
            ("cudaGraphInstantiate", "12", "11", "cudaGraphInstantiateWithFlags"),
        ):
            found = disposition(symbol, caller, runtime)
            self.assertEqual((found.kind, found.target), ("renamed", target), symbol)

    def test_the_properties_of_11_are_still_in_12(self):
        self.assertEqual(disposition("cudaGetDeviceProperties", "11", "12").kind, "direct")

    def test_functions_that_return_functions_do_not_cross(self):
        self.assertEqual(disposition("cudaGetExportTable", "12", "13").kind, "rejected")
        self.assertEqual(disposition("cudaGetExportTable", "13", "13").kind, "direct")

    def test_driver_entry_points_keep_the_callers_promise(self):
        for symbol in ("cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint_ptsz"):
            for caller, runtime in (("11", "12"), ("12", "13"), ("13", "11")):
                self.assertEqual(disposition(symbol, caller, runtime).kind, "adapted", symbol)
            self.assertEqual(disposition(symbol, "13", "13").kind, "direct")

    def test_launch_by_kernel_handle_is_emulated_on_11(self):
        found = disposition("__cudaLaunchKernel", "13", "11")
        self.assertEqual((found.kind, found.needs), ("emulated", ("cudaLaunchKernel",)))
        found = disposition("__cudaLaunchKernel_ptsz", "13", "11")
        self.assertEqual((found.function, found.needs),
                         ("launch_kernel_ptsz", ("cudaLaunchKernel_ptsz",)))
        self.assertEqual(disposition("__cudaLaunchKernel", "13", "12").kind, "direct")

    def test_every_line_of_the_reviewed_files_is_about_something(self):
        for library in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            database = real(library)
            for line in overrides.load_renames(database.path / "renames.txt"):
                hits = [
                    n
                    for n, f in database.functions.items()
                    if line.apply(n) in database.functions and line.callers & set(f.majors)
                ]
                self.assertTrue(hits, f"{library}: {line}")
                for major in line.callers:
                    self.assertTrue(
                        [n for n in hits if major in database.functions[n].majors], line
                    )
            verdicts = [line for name in ("rejects", "absents")
                        for line in overrides.load_verdicts(database.path / f"{name}.txt")]
            for entry in verdicts:
                self.assertTrue(
                    [
                        n
                        for n in database.functions
                        if any(
                            entry.matches(n, a, b) for a in database.majors for b in database.majors
                        )
                    ],
                    f"{library}: {entry}",
                )


class OtherLibraries(unittest.TestCase):
    def test_only_reviewed_functions_are_rejected(self):
        for library in ("nvrtc", "nvjitlink", "cuda"):
            database = real(library)
            reviews = {line.reason
                       for line in overrides.load_verdicts(database.path / "rejects.txt")}
            for found in dispositions.dispositions(database).values():
                if found.kind == "rejected":
                    self.assertIn(found.reason, reviews, found)

    def test_nvrtc(self):
        self.assertEqual(disposition("nvrtcCompileProgram", "11", "13", "nvrtc").kind, "direct")
        self.assertEqual(disposition("nvrtcGetTileIR", "13", "12", "nvrtc").kind, "absent")
        self.assertEqual(disposition("__nvrtcCPEx", "12", "13", "nvrtc").kind, "rejected")

    def test_lto_ir_crosses_only_to_newer_compilers(self):
        for symbol, caller, runtime, kind, target in (
            ("nvrtcGetLTOIR", "12", "13", "direct", "nvrtcGetLTOIR"),
            ("nvrtcGetNVVM", "12", "13", "renamed", "nvrtcGetLTOIR"),
            ("nvrtcGetLTOIR", "13", "12", "rejected", ""),  # linkers of 13 would take it silently
            ("nvrtcGetLTOIR", "12", "11", "rejected", ""),
            ("nvrtcGetLTOIR", "13", "11", "rejected", ""),
            ("nvrtcGetNVVM", "12", "11", "rejected", ""),
            ("nvrtcGetNVVM", "11", "12", "rejected", ""),
            ("nvrtcGetNVVM", "11", "13", "rejected", ""),
            # Whether there is any may be asked everywhere.
            ("nvrtcGetLTOIRSize", "13", "12", "direct", "nvrtcGetLTOIRSize"),
            ("nvrtcGetLTOIRSize", "12", "11", "renamed", "nvrtcGetNVVMSize"),
            ("nvrtcGetNVVMSize", "11", "12", "direct", "nvrtcGetNVVMSize"),
            ("nvrtcGetNVVMSize", "11", "13", "renamed", "nvrtcGetLTOIRSize"),
        ):
            found = disposition(symbol, caller, runtime, "nvrtc")
            self.assertEqual((found.kind, found.target), (kind, target), found)

    def test_nvjitlink_names_of_one_minor(self):
        found = disposition("__nvJitLinkComplete_12_4", "12", "13", "nvjitlink")
        self.assertEqual((found.kind, found.target), ("renamed", "nvJitLinkComplete"))
        found = disposition("__nvJitLinkCreate_13_5", "13", "12", "nvjitlink")
        self.assertEqual(
            (found.target, found.fallbacks), ("nvJitLinkCreate", ("__nvJitLinkCreate_12_0",))
        )
        found = disposition("__nvJitLinkCreate_12_9", "12", "12", "nvjitlink")
        self.assertEqual((found.kind, found.target), ("direct", "__nvJitLinkCreate_12_9"))
        self.assertIn("nvJitLinkCreate", found.fallbacks)
        self.assertEqual(disposition("__nvJitLinkComplete_12_7", "12", "13", "nvjitlink").kind, "renamed")
        self.assertEqual(disposition("__nvJitLinkAPI", "12", "13", "nvjitlink").kind, "rejected")

    def test_inputs_of_12_to_a_linker_of_13_are_checked(self):
        for function in ("Create", "Destroy", "AddData", "AddFile"):
            for symbol in (f"nvJitLink{function}", f"__nvJitLink{function}_12_0",
                           f"__nvJitLink{function}_12_9"):
                found = disposition(symbol, "12", "13", "nvjitlink")
                self.assertEqual((found.kind, found.needs), ("adapted", (f"nvJitLink{function}",)))
        self.assertEqual(disposition("nvJitLinkAddData", "13", "12", "nvjitlink").kind, "renamed")

    def test_every_name_of_nvjitlink_leads_somewhere_in_every_release(self):
        """A program may be built for a newer minor than the one that is there."""
        database = real("nvjitlink")
        exported = {release: {name for name, function in database.functions.items()
                              if release in function.versions} for release in database.versions}
        base = {name[len("__"):-len("_12_0")] for name in exported["12.0"] if name.endswith("_12_0")}
        self.assertEqual(len(base), 13)
        for (symbol, _, runtime), found in dispositions.dispositions(database).items():
            plain = re.sub(r"^__(.*)_1\d_\d+$", r"\1", symbol)
            if plain not in base:
                continue
            self.assertIn(found.kind, ("direct", "renamed", "adapted"), found)
            names = {found.target, *found.fallbacks, *found.needs}
            for release in database.versions_of(runtime):
                self.assertTrue(names & exported[release], f"{found} on {release}")

    def test_the_driver_has_one_major(self):
        self.assertEqual(disposition("cuInit", "NATIVE", "NATIVE", "cuda").kind, "direct")
        self.assertEqual({c.kind for c in dispositions.dispositions(real("cuda")).values()}, {"direct"})

    def test_driver_name_leads_only_to_itself(self):
        """cuCtxCreate_v4 must not become an older form of the function, which has other parameters."""
        for found in dispositions.dispositions(real("cuda")).values():
            self.assertEqual((found.target, found.fallbacks), (found.symbol, ()))


if __name__ == "__main__":
    unittest.main()
