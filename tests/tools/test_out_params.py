# SPDX-License-Identifier: Apache-2.0
"""Outputs that a failing call sets to zero: single objects, and nothing that could be larger."""

import unittest

from abi_support import SmallDatabase, real
from generate import abi_text, out_params

_all = dict.fromkeys(("cudart", "cuda", "cublaslt", "nccl", "nvml", "nvrtc", "nvjitlink"))


def found(library: str, name: str, major: str) -> list[tuple[str, int]]:
    if _all[library] is None:
        _all[library] = out_params.all_outputs(real(library))
    return [(one.name, one.size) for one in _all[library][name, major]]


class Cudart(unittest.TestCase):
    def test_single_objects(self):
        for name, wanted in {
            "cudaMalloc": [("devPtr", 8)],
            "cudaGetDeviceCount": [("count", 4)],
            "cudaGetDevice": [("device", 4)],
            "cudaStreamCreate": [("pStream", 8)],
            "cudaMemGetInfo": [("free", 8), ("total", 8)],
            "cudaRuntimeGetVersion": [("runtimeVersion", 4)],
            "cudaDriverGetVersion": [("driverVersion", 4)],
            "cudaEventElapsedTime": [("ms", 4)],
            "cudaDeviceGetAttribute": [("value", 4)],
            "cudaHostAlloc": [("pHost", 8)],
            "cudaMallocPitch": [("devPtr", 8), ("pitch", 8)],
            "cudaMallocAsync": [("devPtr", 8)],
            "cudaEventCreate": [("event", 8)],
            "cudaStreamEndCapture": [("pGraph", 8)],
        }.items():
            for major in ("11", "12", "13"):
                self.assertEqual(found("cudart", name, major), wanted, f"{name} of {major}")

    def test_per_thread_forms_too(self):
        self.assertEqual(found("cudart", "cudaMallocAsync_ptsz", "13"), [("devPtr", 8)])
        self.assertEqual(found("cudart", "cudaStreamEndCapture_ptsz", "12"), [("pGraph", 8)])

    def test_inputs_and_larger_buffers_are_not_outputs(self):
        for name in (
            "cudaMemcpy",
            "cudaMemset",
            "cudaLaunchKernel",
            "cudaEGLStreamProducerReturnFrame",
            "cudaGraphGetNodes",
            "cudaGraphGetEdges",
            "cudaSetValidDevices",
            "cudaDeviceGetPCIBusId",
            "cudaSetDoubleForDevice",
            "cudaThreadExchangeStreamCaptureMode",
            "cudaMemRangeGetAttributes",
            "cudaGraphicsMapResources",
            "cudaMemcpyFromSymbol",
            "__cudaPopCallConfiguration",
            "__cudaRegisterVar",
        ):
            for major in real("cudart").functions[name].majors:
                self.assertEqual(found("cudart", name, major), [], f"{name} of {major}")

    def test_structures_of_the_callers_major(self):
        for name, sizes in {
            "cudaIpcGetMemHandle": (64, 64, 64),
            "cudaPointerGetAttributes": (24, 24, 88),
            "cudaFuncGetAttributes": (56, 144, 144),
            "cudaGetDeviceProperties": (728, 728, 1008),
            "cudaGetTextureObjectTextureDesc": (68, 72, 72),  # 68 bytes in 11.7, 72 in 11.8
        }.items():
            for major, size in zip(("11", "12", "13"), sizes):
                self.assertEqual([found_size for _, found_size in found("cudart", name, major)], [size],
                                 f"{name} of {major}")

    def test_zero_must_not_read_as_success(self):
        self.assertEqual(found("cudart", "cudaGetDriverEntryPoint", "12"), [("funcPtr", 8)])


class OtherLibraries(unittest.TestCase):
    def test_nvrtc(self):
        for major in ("11", "12", "13"):
            self.assertEqual(found("nvrtc", "nvrtcVersion", major), [("major", 4), ("minor", 4)])
            self.assertEqual(found("nvrtc", "nvrtcGetPTXSize", major), [("ptxSizeRet", 8)])
            self.assertEqual(found("nvrtc", "nvrtcDestroyProgram", major), [])

    def test_nvjitlink(self):
        self.assertEqual(found("nvjitlink", "__nvJitLinkCreate_12_4", "12"), [("handle", 8)])
        self.assertEqual(
            found("nvjitlink", "__nvJitLinkGetLinkedCubinSize_13_5", "13"), [("size", 8)]
        )
        self.assertEqual(found("nvjitlink", "nvJitLinkDestroy", "13"), [])

    def test_the_driver_has_two_sizes_of_device_pointer(self):
        self.assertEqual(found("cuda", "cuMemAlloc_v2", "NATIVE"), [("dptr", 8)])
        self.assertEqual(found("cuda", "cuMemAlloc", "NATIVE"), [("dptr", 4)])
        self.assertEqual(
            found("cuda", "cuModuleGetGlobal_v2", "NATIVE"), [("dptr", 8), ("bytes", 8)]
        )

    def test_four_floats_are_not_one_object(self):
        self.assertEqual(found("cuda", "cuTexRefGetBorderColor", "NATIVE"), [])

    def test_structures(self):
        self.assertEqual(found("cuda", "cuIpcGetMemHandle", "NATIVE"), [("pHandle", 64)])
        self.assertEqual(found("nvml", "nvmlDeviceGetMemoryInfo", "NATIVE"), [("memory", 24)])
        self.assertEqual(found("nvml", "nvmlDeviceGetMemoryInfo_v2", "NATIVE"), [], "the caller sets its version")
        self.assertEqual(found("cuda", "cuStreamGetAttribute", "NATIVE"), [], "it has grown")


class Review(unittest.TestCase):
    def database(self, review: str) -> SmallDatabase:
        return SmallDatabase(
            versions="12.0  x\n",
            outputs=review,
            functions="f\n  12.0  int (out int * a, int * b, const int * c)\n",
        )

    def test_marks_are_corrected_in_both_directions(self):
        with self.database("- f.a\n+ f.b\n") as database:
            self.assertEqual([o.name for o in out_params.all_outputs(database)["f", "12"]], ["b"])

    def test_mark_on_an_input_is_an_error(self):
        with self.database("+ f.c\n") as database:
            with self.assertRaisesRegex(ValueError, "f.c is marked"):
                out_params.all_outputs(database)

    def test_of_a_scalar_that_grows_within_a_major_the_smallest_size_counts(self):
        with SmallDatabase(versions="12.3  x\n12.4  x\n13.0  x\n", outputs="+ f.a\n",
                           functions="f\n  12.3  int (int * a)\n  12.4-13.0  int (long * a)\n") as database:
            found = out_params.all_outputs(database)
            self.assertEqual([[o.size for o in found["f", major]] for major in ("12", "13")], [[4], [8]])

    def structure(self, review: str, **files: str) -> SmallDatabase:
        """A structure that grows within a major."""
        return SmallDatabase(
            versions="12.0  x\n12.4  x\n",
            outputs=review,
            **files,
            functions="f\n  12.0-12.4  int (struct s * a)\n",
            types="struct s\n  12.0  size 8 align 8\n      0  long  x\n"
                  "  12.4  size 16 align 8\n      0  long  x\n      8  long  y\n",
        )

    def test_a_structure_needs_a_line(self):
        with self.structure("") as database:
            self.assertEqual(out_params.all_outputs(database)["f", "12"], [])

    def test_of_a_structure_that_grows_the_smallest_size_counts(self):
        with self.structure("+ f.a\n") as database:
            self.assertEqual([o.size for o in out_params.all_outputs(database)["f", "12"]], [8])

    def test_callers_without_a_major_get_no_structure_that_has_grown(self):
        with self.structure("+ f.a\n", drivers="535  exports 1\n", exports="f  535  function\n") as database:
            with self.assertRaisesRegex(ValueError, r"f.a is marked .*\[8, 16\]"):
                out_params.all_outputs(database)

    def test_a_broken_line_is_named(self):
        with self.database("f.a\n") as database:
            with self.assertRaisesRegex(abi_text.FormatError, "outputs.txt:1"):
                out_params.all_outputs(database)

    def test_every_line_is_about_a_parameter_that_exists(self):
        for library in _all:
            database = real(library)
            names = {
                (name, param.name)
                for name, function in database.functions.items()
                for version in function.versions
                if function.prototype(version)
                for param in function.prototype(version).params
            }
            review = out_params.load_review(database.path / "outputs.txt")
            for entry in review.entries:
                one = out_params.Review((entry,))
                self.assertTrue(
                    [pair for pair in names if one.verdict(*pair) is not None],
                    f"{library}: {entry}",
                )


if __name__ == "__main__":
    unittest.main()
