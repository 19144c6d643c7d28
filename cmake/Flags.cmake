# SPDX-License-Identifier: Apache-2.0

# Compiler flags by their purpose: a target that links one of these is compiled with it.
#   anycuda_warnings          programs and tests
#   anycuda_strict_warnings   libraries
#   anycuda_stub_flags        what goes into a stub, these warnings included: code on libc only, without exceptions
#   anycuda_sanitize          ANYCUDA_SANITIZE, for compiling and linking
set(warnings -Wall -Wextra)
set(strict_warnings ${warnings} -Wshadow -Wconversion -Wno-sign-conversion)
set(stub_flags -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -fno-lto ${strict_warnings})
if(ANYCUDA_CPU STREQUAL "aarch64")
  # Atomics inline: the outlined ones are functions of libgcc, with a constructor that asks what the CPU can.
  list(APPEND stub_flags -mbranch-protection=standard -mno-outline-atomics)
else()
  # Calls of libc go through the addresses alone: with BIND_NOW the linker's tables of jumps are of no use.
  list(APPEND stub_flags -fcf-protection=full -fno-plt)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # It makes tables of addresses out of a switch: one relocation each whenever a program starts.
  list(APPEND stub_flags -fno-jump-tables)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # unique symbols stay global even if an archive's names are made local
  list(APPEND stub_flags -fno-gnu-unique)
endif()

# For what runs once, where small is what counts. A value that is moved out of a loop takes a register, which has to be
# saved, and that an unwinder has to know of.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-Oz ANYCUDA_HAS_OZ) # GCC 12
set(ANYCUDA_SMALL -Os)
if(ANYCUDA_HAS_OZ)
  set(ANYCUDA_SMALL -Oz)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND ANYCUDA_SMALL -fno-move-loop-invariants -fno-tree-loop-im)
endif()

set(ANYCUDA_NO_UNWIND_TABLES -fno-asynchronous-unwind-tables -fno-unwind-tables)

add_library(anycuda_warnings INTERFACE)
target_compile_options(anycuda_warnings INTERFACE ${warnings})
add_library(anycuda_strict_warnings INTERFACE)
target_compile_options(anycuda_strict_warnings INTERFACE ${strict_warnings})
# A stub's entries are assembler, which none of these flags is for.
add_library(anycuda_stub_flags INTERFACE)
target_compile_options(anycuda_stub_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${stub_flags}>")
add_library(anycuda_sanitize INTERFACE)
target_compile_options(anycuda_sanitize INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${ANYCUDA_SANITIZE}>")
target_link_options(anycuda_sanitize INTERFACE ${ANYCUDA_SANITIZE})
