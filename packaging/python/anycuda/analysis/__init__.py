# SPDX-License-Identifier: Apache-2.0
"""What CUDA a binary uses: which of NVIDIA's libraries, under which names, built for which major.

    from anycuda.analysis import libraries, uses
    use = uses.of(elf.read.read(path))       everything that follows from the file (uses.py)
    libraries.table()                        the libraries that have a stub, and those that have none
"""
