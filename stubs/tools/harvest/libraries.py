"""The libraries the tool knows, one row each: another CUDA library is another row."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LibraryRow:
    """What the harvest needs to know of a library: its headers and how its own names begin."""

    name: str
    headers: tuple[str, ...]
    prefixes: tuple[str, ...]
    version_macro: str
    status_enum: str
    modes: tuple[tuple[str, ...], ...] = ((),)
    error_name: str = ""
    error_string: str = ""


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
        ),
        LibraryRow(
            "nvrtc",
            ("nvrtc.h",),
            ("nvrtc", "NVRTC", "__nvrtc"),
            "",
            "enum nvrtcResult",
            error_string="nvrtcGetErrorString",
        ),
        LibraryRow(
            "nvjitlink",
            ("nvJitLink.h",),
            ("nvJitLink", "NVJITLINK", "__nvJitLink"),
            "",
            "enum nvJitLinkResult",
        ),
    )
}
