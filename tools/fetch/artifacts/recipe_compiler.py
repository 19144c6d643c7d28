"""g++ 12 with its C library: the host compiler of the real nvccs. The older nvccs do not compile the headers of newer
g++ and glibc, so this machine's are not used.
"""

from __future__ import annotations

from .wanted import Deb, WantedPart, WantedArtifact

TRIPLE = "x86_64-linux-gnu"
INSIDE = f"usr/lib/gcc/{TRIPLE}/12"
# Where g++ looks for its own assembler and linker, as seen from INSIDE.
BINUTILS = f"usr/{TRIPLE}/bin/"
# Libraries of the tools. They are in a separate folder, so that LD_LIBRARY_PATH adds nothing else.
TOOL_LIBRARIES = {f"usr/lib/{TRIPLE}/lib*.so*": "lib/"}
GXX = [
    "#!/bin/sh",
    'here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)',
    'LD_LIBRARY_PATH="$here/lib" exec "$here/usr/bin/g++-12" --sysroot="$here" "$@"',
]


def part(package: str, take: dict[str, str], drop: tuple[str, ...] = ()) -> WantedPart:
    return WantedPart(Deb(package, "bookworm"), take, drop)


def gcc() -> WantedArtifact:
    libraries = f"usr/lib/{TRIPLE}"
    return WantedArtifact(
        "gcc-12",
        (
            part("g++-12", {f"usr/bin/{TRIPLE}-g++-12": "usr/bin/g++-12", f"{INSIDE}/cc1plus": f"{INSIDE}/"}),
            part("gcc-12", {f"{INSIDE}/collect2": f"{INSIDE}/", f"{INSIDE}/liblto_plugin.so": f"{INSIDE}/"}),
            part("binutils-x86-64-linux-gnu", {
                f"usr/bin/{TRIPLE}-as": f"{BINUTILS}as",
                f"usr/bin/{TRIPLE}-ld.bfd": f"{BINUTILS}ld",
                f"usr/bin/{TRIPLE}-ld.gold": f"{BINUTILS}ld.gold",
            }),
            *(part(package, TOOL_LIBRARIES) for package in (
                "libbinutils", "libctf0", "libgmp10", "libisl23", "libjansson4", "libmpc3", "libmpfr6", "libzstd1",
            )),
            part("zlib1g", {f"lib/{TRIPLE}/lib*.so.*": "lib/"}),
            # The system that it compiles for: links that lead out of their folder are not taken.
            part("libc6", {
                f"lib/{TRIPLE}/ld-linux-x86-64.so.2": "lib64/",
                f"lib/{TRIPLE}/libc.so.6": f"lib/{TRIPLE}/",
                f"lib/{TRIPLE}/libm.so.6": f"lib/{TRIPLE}/",
                f"lib/{TRIPLE}/libmvec.so.1": f"lib/{TRIPLE}/",
            }),
            part("libc6-dev", {
                "usr/include/*": "usr/include/",
                f"{libraries}/*.o": f"{libraries}/",
                f"{libraries}/*.a": f"{libraries}/",
                f"{libraries}/libc.so": f"{libraries}/",
                f"{libraries}/libm.so": f"{libraries}/",
            }),
            part("linux-libc-dev", {"usr/include/*": "usr/include/"}),
            part("libstdc++-12-dev", {"usr/include/*": "usr/include/"}),
            part("libgcc-12-dev", {f"{INSIDE}/*": f"{INSIDE}/"}, (f"{INSIDE}/lib*san*", f"{INSIDE}/lib*.so")),
            part("libgcc-s1", {f"lib/{TRIPLE}/libgcc_s.so.1": f"{INSIDE}/libgcc_s.so"}),
            part("libstdc++6", {f"{libraries}/libstdc++.so.6.0.30": f"{INSIDE}/libstdc++.so"}),
        ),
        write={"bin/g++": GXX},
        holds={"usr/bin/g++-12": "12.2.0", "usr/include/features.h": "__GLIBC_MINOR__\t36"},
    )
