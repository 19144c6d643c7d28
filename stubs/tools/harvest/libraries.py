# SPDX-License-Identifier: Apache-2.0
"""The libraries the tool knows, one row each: another CUDA library is another row, here or in a file (row_file.py)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LibraryRow:
    """The harvest's description of a library: its headers and the prefixes of its names.

    An exported function belongs to the library if the headers declare it or if its name begins with one of `prefixes`.
    `file` is the library's name in its artifact. `artifact` names the artifact, if that is not the library's name;
    `driver`: the library belongs to the display driver, and the artifact has only the headers. `beside` are
    artifacts of the same release (or of a given one, "cudart-12.9") whose headers and libraries it needs.
    `apart` are headers that cannot be included together with `headers`, `cxx` those that declare more for C++.
    """

    name: str
    headers: tuple[str, ...]
    prefixes: tuple[str, ...]
    version_macro: str
    status_enum: str
    modes: tuple[tuple[str, ...], ...] = ((),)
    error_name: str = ""
    error_string: str = ""
    file: str = ""
    artifact: str = ""
    driver: bool = False
    beside: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        return self.artifact or self.name


# A declaration names another exported function when per-thread default streams are asked for, and
# the functions kept for older programs are declared only under the switch NVIDIA's own code uses.
_CUDA_MODES = ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",), ("-D__CUDA_API_VERSION_INTERNAL",))

ROWS = {
    row.name: row
    for row in (
        LibraryRow(
            "cudart",
            (
                "cuda_runtime_api.h",
                "cuda_gl_interop.h",
                "cuda_vdpau_interop.h",
                "cuda_egl_interop.h",
            ),
            ("cuda", "__cuda", "CUDA", "cu"),
            "CUDART_VERSION",
            "enum cudaError",
            _CUDA_MODES,
            "cudaGetErrorName",
            "cudaGetErrorString",
            file="libcudart.so.*",
        ),
        LibraryRow(
            "cuda",
            ("cuda.h", "cudaGL.h", "cudaVDPAU.h", "cudaEGL.h"),
            ("cu", "CU", "__CU"),
            "CUDA_VERSION",
            "enum cudaError_enum",
            _CUDA_MODES,
            "cuGetErrorName",
            "cuGetErrorString",
            file="libcuda.so.1",
            artifact="cudart",
            driver=True,
        ),
        LibraryRow(
            "nvrtc",
            ("nvrtc.h",),
            ("nvrtc", "NVRTC", "__nvrtc"),
            "",
            "enum nvrtcResult",
            error_string="nvrtcGetErrorString",
            file="libnvrtc.so.*",
        ),
        LibraryRow(
            "nvjitlink",
            ("nvJitLink.h",),
            ("nvJitLink", "NVJITLINK", "__nvJitLink"),
            "",
            "enum nvJitLinkResult",
            file="libnvJitLink.so.*",
        ),
        LibraryRow(
            "cublas",
            ("cublas_v2.h", "cublasXt.h"),
            ("cublas", "CUBLAS"),
            "",
            "enum cublasStatus_t",
            error_name="cublasGetStatusName",
            error_string="cublasGetStatusString",
            file="libcublas.so.*",
            beside=("cudart",),
            apart=("cublas.h",),
            cxx=("cublas_v2.h",),
        ),
        LibraryRow(
            "cublaslt",
            ("cublasLt.h",),
            ("cublasLt", "CUBLASLT"),
            "",
            "enum cublasStatus_t",
            error_name="cublasLtGetStatusName",
            error_string="cublasLtGetStatusString",
            file="libcublasLt.so.*",
            artifact="cublas",
            beside=("cudart",),
        ),
        LibraryRow(
            "cufft",
            ("cufft.h", "cufftXt.h"),
            ("cufft", "CUFFT", "__cufft"),
            "",
            "enum cufftResult_t",
            file="libcufft.so.*",
            beside=("cudart",),
        ),
        LibraryRow(
            "curand",
            ("curand.h",),
            ("curand", "CURAND"),
            "",
            "enum curandStatus",
            file="libcurand.so.*",
            beside=("cudart",),
        ),
        LibraryRow(
            "cusolver",
            (
                "cusolverDn.h",
                "cusolverSp.h",
                "cusolverRf.h",
                "cusolverSp_LOWLEVEL_PREVIEW.h",
            ),
            ("cusolver", "CUSOLVER", "cublas", "pegasus"),  # it exports cublasSbatchGemm, pegasusXcsr2coo
            "",
            "enum cusolverStatus_t",
            file="libcusolver.so.*",
            beside=("cudart", "cublas", "cusparse"),
        ),
        LibraryRow(
            "cusolvermg",
            ("cusolverMg.h",),
            ("cusolverMg", "CUSOLVERMG", "cudaLibMg", "CUDALIBMG", "cudlibMg"),
            "",
            "enum cusolverStatus_t",
            file="libcusolverMg.so.*",
            artifact="cusolver",
            beside=("cudart", "cublas", "cusparse"),
        ),
        LibraryRow(
            "cusparse",
            ("cusparse.h",),
            ("cusparse", "CUSPARSE"),
            "",
            "enum cusparseStatus_t",
            error_name="cusparseGetErrorName",
            error_string="cusparseGetErrorString",
            file="libcusparse.so.*",
            beside=("cudart", "nvjitlink"),
            cxx=("cusparse.h",),
        ),
        LibraryRow(
            "nvjpeg",
            ("nvjpeg.h",),
            ("nvjpeg", "NVJPEG"),
            "",
            "enum nvjpegStatus_t",
            file="libnvjpeg.so.*",
            beside=("cudart",),
        ),
        LibraryRow(
            "nvfatbin",
            ("nvFatbin.h",),
            ("nvFatbin", "NVFATBIN", "__nvFatbin"),
            "",
            "enum nvFatbinResult",
            error_string="nvFatbinGetErrorString",
            file="libnvfatbin.so.*",
        ),
        LibraryRow(
            "nvtx",
            ("nvToolsExt.h", "nvToolsExtCuda.h", "nvToolsExtCudaRt.h", "nvToolsExtSync.h"),
            ("nvtx", "NVTX"),
            "",
            "",
            file="libnvToolsExt.so.*",
            beside=("cudart",),
        ),
        LibraryRow(
            "cudnn",
            ("cudnn.h",),
            ("cudnn", "CUDNN"),
            "",
            "enum cudnnStatus_t",
            error_string="cudnnGetErrorString",
            file="libcudnn.so.*",
            beside=("cudart-12.9",),
        ),
        LibraryRow(
            "cudnn8",
            ("cudnn.h",),
            ("cudnn", "CUDNN"),
            "",
            "enum cudnnStatus_t",
            error_string="cudnnGetErrorString",
            file="libcudnn.so.*",
            beside=("cudart-11.8", "cublas-11.8"),  # its status messages are in a part that needs cuBLAS
        ),
        LibraryRow(
            "nccl",
            ("nccl.h",),
            ("nccl", "NCCL", "pnccl"),
            "",
            "enum ncclResult_t",
            error_string="ncclGetErrorString",
            file="libnccl.so.*",
            beside=("cudart-12.9",),
        ),
        LibraryRow(
            "nvml",
            ("nvml.h",),
            ("nvml", "NVML"),
            "",
            "enum nvmlReturn_enum",
            error_string="nvmlErrorString",
            file="libnvidia-ml.so.1",
            driver=True,
        ),
    )
}
