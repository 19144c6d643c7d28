# SPDX-License-Identifier: Apache-2.0
"""Suppressions for valgrind of what NVIDIA's libraries do themselves: errors whose own frame, or the one that called
it (the C library's memcpy, malloc, ioctl), is in one of theirs. Errors with another frame there are reported.

    python3 valgrind_suppressions.py > vendor.supp
    LD_LIBRARY_PATH=stubs:$LD_LIBRARY_PATH GPU_TEST_QUICK=1 valgrind --suppressions=vendor.supp --leak-check=full \\
        --errors-for-leak-kinds=definite --error-exitcode=99 graph/graph_gpu slots
"""

import sys

LIBRARIES = ("libcuda.so*", "libnvidia-*", "libnvJitLink.so*", "libnvrtc*.so*")
SIZES = (1, 2, 4, 8, 16, 32)
ACCESSES = ("Cond", "Jump", "Free", "Overlap", *(f"Value{size}" for size in SIZES), *(f"Addr{size}" for size in SIZES))


def main() -> int:
    rows = []
    for library in LIBRARIES:
        rows += [(kind, "", callers, library) for kind in ACCESSES for callers in (0, 1)]
        rows += [("Param", "*", callers, library) for callers in (0, 1, 2)]
        rows += [("Leak", "match-leak-kinds: all", callers, library) for callers in (0, 1, 2)]
    for number, (kind, more, callers, library) in enumerate(rows):
        lines = [f"vendor-{number}", f"Memcheck:{kind}", *([more] if more else []), *["fun:*"] * callers,
                 f"obj:*/{library}"]
        print("{", *(f"   {line}" for line in lines), "}", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
