# SPDX-License-Identifier: Apache-2.0
"""The records of a 64-bit little-endian ELF file, and the constants that are used here."""

from struct import Struct

HEADER = Struct("<16sHHIQQQIHHHHHH")  # e_ident ... e_shstrndx
SEGMENT = Struct("<IIQQQQQQ")  # type flags offset vaddr paddr filesz memsz align
SECTION = Struct("<IIQQQQIIQQ")  # name type flags addr offset size link info addralign entsize
DYNAMIC = Struct("<QQ")  # tag value
SYMBOL = Struct("<IBBHQQ")  # name info other section value size
RELOCATION = Struct("<QQq")  # offset info addend
VERDEF = Struct("<HHHHIII")  # version flags index count hash aux next
VERDAUX = Struct("<II")  # name next
VERNEED = Struct("<HHIII")  # version count file aux next
VERNAUX = Struct("<IHHII")  # hash flags other name next

ET_EXEC, ET_DYN = 2, 3
TYPES = {1: "an object file, not linked yet", 4: "a core dump"}
MACHINES = {62: "x86_64", 183: "aarch64"}
# The largest page size of each CPU; segments are aligned to it.
PAGES = {"x86_64": 0x1000, "aarch64": 0x10000}

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR = 1, 2, 3, 4, 6
PT_GNU_STACK, PT_GNU_RELRO, PT_GNU_PROPERTY = 0x6474E551, 0x6474E552, 0x6474E553
PF_X, PF_W, PF_R = 1, 2, 4
PN_XNUM = 0xFFFF

SHT_STRTAB, SHT_DYNAMIC, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM, SHT_VERNEED = 3, 6, 7, 8, 11, 0x6FFFFFFE
SHN_UNDEF, SHN_ABS = 0, 0xFFF1
STB_LOCAL, STB_WEAK = 0, 2
STT_FUNC, STT_GNU_IFUNC = 2, 10

DT_NULL, DT_NEEDED, DT_PLTRELSZ, DT_HASH, DT_STRTAB, DT_SYMTAB = 0, 1, 2, 4, 5, 6
DT_RELA, DT_RELASZ, DT_STRSZ, DT_SONAME, DT_RPATH, DT_DEBUG, DT_JMPREL = 7, 8, 10, 14, 15, 21, 23
DT_RUNPATH, DT_FLAGS_1, DT_GNU_HASH = 29, 0x6FFFFFFB, 0x6FFFFEF5
DT_VERSYM, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
DT_RELACOUNT = 0x6FFFFFF9
DF_1_PIE = 0x08000000

VER_FLG_BASE, VER_FLG_WEAK = 1, 2
VERSYM_HIDDEN, VERSYM_LOCAL, VERSYM_GLOBAL = 0x8000, 0, 1
