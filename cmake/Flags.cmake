# SPDX-License-Identifier: Apache-2.0

# Flags by their purpose: a target that links one of these is compiled, or linked, with it.
#   anycuda_warnings          programs and tests
#   anycuda_strict_warnings   libraries
#   anycuda_stub_flags        code of the stubs, with strict warnings: it needs only libc, and has no exceptions
#   anycuda_small             code that runs once: small is what counts
#   anycuda_link_flags        shared libraries and programs that are installed: no unused code, no writable tables
#   anycuda_sanitize          ANYCUDA_SANITIZE, for compiling and linking
set(warnings -Wall -Wextra)
set(strict_warnings ${warnings} -Wshadow -Wconversion -Wno-sign-conversion)
# Unwind tables in all of it: a debugger, or a profiler's signal, may stop a first call anywhere.
set(stub_flags -fasynchronous-unwind-tables -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -fno-lto ${strict_warnings})
if(ANYCUDA_CPU STREQUAL "aarch64")
  # Inline atomics: the outlined ones are functions of libgcc, with a constructor that queries the CPU's features.
  list(APPEND stub_flags -mbranch-protection=standard -mno-outline-atomics)
else()
  # Calls of libc use the addresses directly: with BIND_NOW the procedure linkage table is useless.
  list(APPEND stub_flags -fcf-protection=full -fno-plt)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Clang compiles a switch to a table of addresses, each of which is a relocation at every start of a program. zig's keeps
  # the frame pointer if it is not told.
  list(APPEND stub_flags -fno-jump-tables -fomit-frame-pointer)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # unique symbols stay global even if an archive's names are made local
  list(APPEND stub_flags -fno-gnu-unique)
endif()

# For code that runs once, and should be small. A value that is moved out of a loop takes a register, which must be saved
# and described to an unwinder. Not GCC's -Oz: it pushes and pops constants without telling the unwinder.
set(small -Oz)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(small -Os -fno-move-loop-invariants -fno-tree-loop-im)
endif()

set(link_flags LINKER:--as-needed LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:--gc-sections)
if(NOT ANYCUDA_ZIG) # lld has no levels
  list(APPEND link_flags LINKER:-O1)
endif()
if(ANYCUDA_CPU STREQUAL "aarch64") # pages of 64 KB: what is read-only after relocation ends with one
  list(APPEND link_flags LINKER:-z,common-page-size=65536)
endif()

add_library(anycuda_warnings INTERFACE)
target_compile_options(anycuda_warnings INTERFACE ${warnings})
add_library(anycuda_strict_warnings INTERFACE)
target_compile_options(anycuda_strict_warnings INTERFACE ${strict_warnings})
# Of two copies of a stub in a process, the one with the higher number is the later one (docs/copies.md).
math(EXPR ANYCUDA_VERSION_NUMBER
     "${anycuda_VERSION_MAJOR} * 1000000 + ${anycuda_VERSION_MINOR} * 1000 + ${anycuda_VERSION_PATCH}")
# A stub's entries are assembler, to which these flags do not apply.
add_library(anycuda_stub_flags INTERFACE)
target_compile_options(anycuda_stub_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${stub_flags}>")
add_library(anycuda_small INTERFACE)
target_compile_options(anycuda_small INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${small}>")
add_library(anycuda_link_flags INTERFACE)
target_link_options(anycuda_link_flags INTERFACE ${link_flags} "$<$<CONFIG:Release>:LINKER:-s>")
add_library(anycuda_sanitize INTERFACE)
target_compile_options(anycuda_sanitize INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${ANYCUDA_SANITIZE}>")
target_link_options(anycuda_sanitize INTERFACE ${ANYCUDA_SANITIZE})
