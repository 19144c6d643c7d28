# SPDX-License-Identifier: Apache-2.0

# Builds for a Linux with glibc 2.17, of either CPU, on any machine that has zig: one archive from PyPI (ziglang)
# with clang, lld and what every glibc exports. Included by zig-x86_64.cmake and zig-aarch64.cmake, which set
# ANYCUDA_ZIG_CPU. zig is looked for in ANYCUDA_ZIG, on PATH and among this Python's packages, and else fetched (tools/fetch/).

set(ANYCUDA_GLIBC 2.17) # manylinux2014
# They need an objcopy that knows every CPU.
set(ANYCUDA_STATIC OFF CACHE BOOL "Build the static libraries; needs GNU objcopy or llvm-objcopy")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANYCUDA_ZIG)

if(NOT ANYCUDA_ZIG)
  find_program(ANYCUDA_ZIG zig DOC "The zig that compiles for glibc ${ANYCUDA_GLIBC}")
endif()
if(NOT ANYCUDA_ZIG)
  execute_process(COMMAND python3 -c "import os, ziglang; print(os.path.dirname(ziglang.__file__))"
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT found)
    execute_process(COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/../../tools/fetch/fetch.py" get zig
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^zig (.*)$" "\\1/bin" found "${found}")
  endif()
  if(NOT EXISTS "${found}/zig")
    message(FATAL_ERROR "zig was not found, and could not be fetched: `pip install ziglang`, or set ANYCUDA_ZIG to the program")
  endif()
  set(ANYCUDA_ZIG "${found}/zig" CACHE FILEPATH "The zig that compiles for glibc ${ANYCUDA_GLIBC}" FORCE)
endif()

# zig is one program; CMake wants one for each job.
set(tools "${CMAKE_BINARY_DIR}/zig")
set(target "-target ${ANYCUDA_ZIG_CPU}-linux-gnu.${ANYCUDA_GLIBC}")
# To link C++ zig would first build a C++ library, for a minute, which the stubs have no use for. Who needs it links c++.
set(link_c "case \" $* \" in *\" -c \"* | *\" -E \"* | *\" -lc++ \"*) ;; *) set -- -nostdlib++ \"$@\" ;; esac\n")
foreach(tool "cc;cc ${target};" "c++;c++ ${target};link_c" "ar;ar;" "ranlib;ranlib;")
  list(GET tool 0 name)
  list(GET tool 1 words)
  list(GET tool 2 first)
  string(CONCAT script "#!/bin/sh\n" "${${first}}" "exec '${ANYCUDA_ZIG}' ${words} \"$@\"\n")
  file(CONFIGURE OUTPUT "${tools}/${name}" CONTENT "${script}" @ONLY)
  file(CHMOD "${tools}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
       WORLD_READ WORLD_EXECUTE)
endforeach()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ANYCUDA_ZIG_CPU})
set(CMAKE_C_COMPILER "${tools}/cc")
set(CMAKE_CXX_COMPILER "${tools}/c++")
set(CMAKE_ASM_COMPILER "${tools}/cc")
set(CMAKE_AR "${tools}/ar" CACHE FILEPATH "" FORCE)
set(CMAKE_RANLIB "${tools}/ranlib" CACHE FILEPATH "" FORCE)
# Libraries and headers are zig's own, never this machine's; programs are.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(NOT CMAKE_FIND_ROOT_PATH)
  set(CMAKE_FIND_ROOT_PATH "${tools}")
endif()
