# SPDX-License-Identifier: Apache-2.0
"""The CUDA that a binary uses: the libraries, their names, and the major it was built for.

    from anycuda.analysis import file_use, libraries
    file_use.analyse(elf.read.read(path))   all facts about the file
    libraries.table()                       the libraries with and without a stub
"""
