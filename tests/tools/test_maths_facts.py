# SPDX-License-Identifier: Apache-2.0
"""The database's facts about the maths and communication libraries, against measurements of the libraries."""

import unittest
from collections import Counter

from abi_support import real
from generate import dispositions, layout_compat, model

# CUDA's own: exported functions in 11.8, 12.0, 12.9, 13.5.
EXPORTS = {
    "cublas": (507, 736, 746, 756),
    "cublaslt": (234, 234, 180, 222),
    "cufft": (58, 58, 59, 75),
    "curand": (27, 27, 27, 27),
    "cusolver": (939, 939, 910, 860),
    "cusolvermg": (230, 230, 230, 230),
    "cusparse": (481, 415, 423, 450),
    "nvjpeg": (75, 75, 82, 81),
}
MINORS = ["11.7", "11.8", *(f"12.{n}" for n in (0, 1, 2, 3, 4, 5, 6, 8, 9)), *(f"13.{n}" for n in range(6))]


def compare(library: str, before: str, after: str) -> tuple[set[str], dict[str, str]]:
    """The declared functions that are gone, and those that changed, with the reason."""
    database = real(library)
    old, new = database.type_table(before), database.type_table(after)
    gone, changed = set(), {}
    for name, function in database.functions.items():
        mine, theirs = (function.texts.get(version, "?") for version in (before, after))
        if mine != "?" and before in function.versions and after not in function.versions:
            gone.add(name)
        elif mine != "?" and theirs != "?" and {before, after} <= set(function.versions):
            reason = layout_compat.prototypes(mine, old, theirs, new)
            if reason:
                changed[name] = reason
    return gone, changed


class Releases(unittest.TestCase):
    def test_cudas_libraries_have_every_minor(self):
        for library in EXPORTS:
            self.assertEqual(real(library).versions, MINORS, library)

    def test_exports(self):
        for library, counts in EXPORTS.items():
            found = tuple(len(real(library).exports(v)) for v in ("11.8", "12.0", "12.9", "13.5"))
            self.assertEqual(found, counts, library)

    def test_the_counts_are_those_of_the_library_files(self):
        for library in (*EXPORTS, "cudnn", "cudnn8", "nccl", "nvfatbin", "nvtx"):
            database = real(library)
            for version, about in database.about.items():
                self.assertEqual(int(about.rpartition("exports ")[2]), len(database.exports(version)), library)

    def test_sonames(self):
        expected = {
            "cublas": ("libcublas.so.11", "libcublas.so.12", "libcublas.so.13"),
            "cufft": ("libcufft.so.10", "libcufft.so.11", "libcufft.so.12"),
            "curand": ("libcurand.so.10",) * 3,
            "cusolver": ("libcusolver.so.11", "libcusolver.so.11", "libcusolver.so.12"),
            "cusparse": ("libcusparse.so.11", "libcusparse.so.12", "libcusparse.so.12"),
        }
        for library, names in expected.items():
            about = real(library).about
            for version, name in zip(("11.8", "12.9", "13.5"), names):
                self.assertIn(f"soname {name}  node {name}  ", about[version])

    def test_nvfatbin_got_a_symbol_version_within_a_major(self):
        about = real("nvfatbin").about
        self.assertIn("node -  ", about["13.4"])
        self.assertIn("node libnvfatbin.so.13  ", about["13.5"])

    def test_nccl_has_none(self):
        for about in real("nccl").about.values():
            self.assertIn("soname libnccl.so.2  node -  ", about)

    def test_cudnn_and_nccl_have_separate_releases(self):
        cudnn = [v for v in real("cudnn").versions if v.count(".") == 1]
        self.assertEqual(cudnn, [f"9.{n}" for n in range(29)])
        nccl = [v for v in real("nccl").versions if v.count(".") == 1]
        self.assertEqual(nccl, [f"2.{n}" for n in range(16, 33)])
        for library in ("cudnn", "nccl"):
            self.assertEqual(real(library).own_releases_of, ("11", "12", "13"))
            self.assertEqual(real(library).majors, ["11"])  # the first stands for all

    def test_cudnn_8_has_the_facts_of_what_serves_its_callers(self):
        database = real("cudnn8")
        self.assertEqual(database.majors, ["8", "9"])
        self.assertEqual(database.versions_of("8"), [f"8.{n}" for n in range(5, 10)])
        self.assertEqual(database.versions_of("9"), real("cudnn").versions)
        self.assertEqual(database.own_releases_of, ("11", "12", "13"))
        for version in database.versions_of("9"):
            self.assertEqual(database.exports(version), real("cudnn").exports(version))

    def test_nvml_is_the_drivers(self):
        database = real("nvml")
        self.assertEqual((database.majors, database.driver_versions), ([model.NATIVE], ["535", "550"]))
        self.assertEqual(database.functions["nvmlInit_v2"].drivers, ("535", "550"))


class Changes(unittest.TestCase):
    """Between the majors, declared functions only."""

    def test_nothing_changed_in_cublas_and_curand(self):
        for library in ("cublas", "curand"):
            for before, after in (("11.8", "12.9"), ("12.9", "13.5"), ("11.8", "13.5")):
                self.assertEqual(compare(library, before, after), (set(), {}), f"{library} {before} {after}")

    def test_cublaslt_changed_two_functions_beside_its_opaque_descriptors(self):
        for before, after, count in (("11.8", "12.9", 0), ("12.9", "13.5", 0), ("11.8", "13.5", 2)):
            gone, changed = compare("cublaslt", before, after)
            self.assertEqual((gone, len(changed)), (set(), count))
        self.assertEqual(set(changed), {"cublasLtMatmulPreferenceGetAttribute", "cublasLtMatmulPreferenceSetAttribute"})

    def test_what_is_gone(self):
        self.assertEqual(compare("cufft", "11.8", "12.9"), ({"cufftXtSetDistribution"}, {}))
        self.assertEqual(compare("cufft", "12.9", "13.5"), ({"__cufftXtSetJITCallback_12_7"}, {}))
        self.assertEqual(compare("nvjpeg", "12.9", "13.5"), ({"nvjpegEncoderParamsCopyHuffmanTables"}, {}))
        gone, changed = compare("cusolver", "12.9", "13.5")
        self.assertEqual((len(gone), changed), (14, {}))
        gone, changed = compare("cusparse", "11.8", "12.9")
        self.assertEqual((len(gone), changed), (86, {}))
        self.assertEqual(compare("cusparse", "12.9", "13.5"), (set(), {}))

    def test_cudnn_9_renumbered_the_statuses_of_8_and_nothing_else(self):
        gone, changed = compare("cudnn8", "8.9", "9.28")
        self.assertEqual((len(gone), len(changed)), (55, 206))
        differing = {reason for reason in changed.values() if "CUDNN_STATUS_" not in reason}
        self.assertEqual(differing, set())
        before, after = (real("cudnn8").type_table(version).enumerators for version in ("8.9", "9.28"))
        for name, values in before.items():
            for one, value in values.items() if name != "enum cudnnStatus_t" and name in after else ():
                self.assertEqual(after[name].get(one), value, one)
        self.assertLess(before["enum cudnnStatus_t"].keys(), after["enum cudnnStatus_t"].keys())

    def test_every_call_of_cudnn_8_is_decided(self):
        found = dispositions.dispositions(real("cudnn8"))
        kinds = Counter(one.kind for (_, caller, runtime), one in found.items() if (caller, runtime) == ("8", "9"))
        self.assertEqual(kinds, {"direct": 3, "adapted": 204, "absent": 55, "rejected": 6})
        copied = [one for one in found.values() if one.adapter and one.adapter.result]
        self.assertEqual(len(copied), 193)

    def test_cudnn_9_only_grows(self):
        database = real("cudnn")
        self.assertEqual(compare("cudnn", database.versions[0], database.versions[-1])[0], set())


class Prototypes(unittest.TestCase):
    def test_the_legacy_names_of_cublas(self):
        functions = real("cublas").functions
        self.assertEqual(
            functions["cublasSaxpy"].texts["13.5"],
            "void (int n, float alpha, const float * x, int incx, float * y, int incy)",
        )
        self.assertIn("cublasHandle_t handle", functions["cublasSaxpy_v2"].texts["13.5"])

    def test_half_precision_is_declared_only_for_cxx(self):
        for library, name in (("cublas", "cublasHgemm"), ("cusparse", "cusparseHpruneDense2csr")):
            self.assertIn("__half", real(library).functions[name].texts["12.9"], name)

    def test_errors_in_the_librarys_words(self):
        for library, value, name in (("cublas", 15, "CUBLAS_STATUS_NOT_SUPPORTED"), ("cusparse", 10, None),
                                     ("cudnn", 3000, None), ("nccl", 1, None)):  # fmt: skip
            found = {number: (key, text) for number, key, text in real(library).errors}
            self.assertTrue(found[value][1], library)
            if name:
                self.assertEqual(found[value][0], name)


if __name__ == "__main__":
    unittest.main()
