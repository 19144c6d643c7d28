# SPDX-License-Identifier: Apache-2.0

# How a test gets its world: README.md beside this file.
#
#   anycuda_add_test(NAME <name> COMMAND <command> [<argument>...] [ENVIRONMENT <NAME=VALUE>...]
#                    [WORKING_DIRECTORY <folder>] [LABELS <label>...] [CONFIGURATION <name>])
#       add_test for a command that gets the world's variables and these, and none of the caller's. With a
#       CONFIGURATION only `ctest -C <name>` runs it.
#
#   ANYCUDA_WORLD_PYTHON   the Python of the tests: the fetched one; the build's own if that is missing
#   ANYCUDA_WORLD_LAUNCHER   what starts a test, as a list, for CROSSCOMPILING_EMULATOR
#
#   anycuda_only_fetched_headers()
#       Compiles and links what comes after it in this folder without the folders that the caller's environment names.
#
#   anycuda_nvcc(<variable> <release>)
#       The real nvcc of a release with its host compiler ANYCUDA_NVCC_HOST, as the beginning of a command; or empty.

include_guard(GLOBAL)

set(ANYCUDA_WORLD "${PROJECT_BINARY_DIR}/world")
file(MAKE_DIRECTORY "${ANYCUDA_WORLD}/home")

if(ANYCUDA_ARTIFACT_python-3.11)
  set(ANYCUDA_WORLD_PYTHON "${ANYCUDA_ARTIFACT_python-3.11}/usr/bin/python3.11")
else()
  message(STATUS "Tests run by ${Python3_EXECUTABLE}, with the packages that it has: ${ANYCUDA_ARTIFACT_REASON_python-3.11}")
  set(ANYCUDA_WORLD_PYTHON "${Python3_EXECUTABLE}")
endif()

# Linkers for `g++ -fuse-ld=`, beside the one that g++ has itself.
function(anycuda_world_linker name artifact text)
  if(ANYCUDA_ARTIFACT_${artifact})
    set(folder "${ANYCUDA_ARTIFACT_${artifact}}")
    file(CONFIGURE OUTPUT "${ANYCUDA_WORLD}/linkers/ld.${name}" CONTENT "#!/bin/sh\n${text}\n" @ONLY)
    file(CHMOD "${ANYCUDA_WORLD}/linkers/ld.${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
         GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()
anycuda_world_linker(gold gcc-12 [[LD_LIBRARY_PATH="@folder@/lib" exec "@folder@/usr/x86_64-linux-gnu/bin/ld.gold" "$@"]])
anycuda_world_linker(lld zig [[exec "@folder@/bin/zig" ld.lld "$@"]])
anycuda_world_linker(mold mold [[exec "@folder@/bin/ld.mold" "$@"]])
set(ANYCUDA_WORLD_PATH "${ANYCUDA_WORLD}/linkers")

# Programs that were fetched, then those that build the project, then the system's.
foreach(artifact dpkg-dev pkgconf)
  if(ANYCUDA_ARTIFACT_${artifact})
    list(APPEND ANYCUDA_WORLD_PATH "${ANYCUDA_ARTIFACT_${artifact}}/bin")
  endif()
endforeach()
foreach(program "${ANYCUDA_WORLD_PYTHON}" "${CMAKE_CXX_COMPILER}" "${CMAKE_C_COMPILER}" "${CMAKE_MAKE_PROGRAM}")
  cmake_path(GET program PARENT_PATH folder)
  list(APPEND ANYCUDA_WORLD_PATH "${folder}")
endforeach()
list(APPEND ANYCUDA_WORLD_PATH /usr/bin /bin)
list(REMOVE_DUPLICATES ANYCUDA_WORLD_PATH)
list(JOIN ANYCUDA_WORLD_PATH ":" ANYCUDA_WORLD_PATH)

# A path without an expression, since what discovers GoogleTest's tests takes none.
set(ANYCUDA_WORLD_LAUNCHER "${ANYCUDA_WORLD}/anycuda_world" "${ANYCUDA_WORLD}" "ANYCUDA_CACHE=${ANYCUDA_CACHE_FOLDER}"
    "PYTHONPYCACHEPREFIX=${PROJECT_BINARY_DIR}/pycache" --)

function(anycuda_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;WORKING_DIRECTORY;CONFIGURATION" "COMMAND;ENVIRONMENT;LABELS")
  if(ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}")
  endif()
  if(ARG_CONFIGURATION)
    set(ARG_CONFIGURATION CONFIGURATIONS ${ARG_CONFIGURATION})
  endif()
  list(POP_FRONT ARG_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(launcher ${ANYCUDA_WORLD_LAUNCHER})
  list(POP_BACK launcher)
  add_test(NAME "${ARG_NAME}" COMMAND ${launcher} ${ARG_ENVIRONMENT} -- "${program}" ${ARG_COMMAND} ${ARG_WORKING_DIRECTORY}
           ${ARG_CONFIGURATION})
  set_tests_properties("${ARG_NAME}" PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

# Compilers take folders of headers and libraries from the environment, before those of the fetched CUDA.
set(ANYCUDA_WITHOUT_FOLDERS "${CMAKE_COMMAND}" -E env --unset=CPATH --unset=C_INCLUDE_PATH --unset=CPLUS_INCLUDE_PATH
    --unset=LIBRARY_PATH)

# The older nvccs do not compile the headers of a newer g++ and its C library.
set(ANYCUDA_NVCC_HOST "${CMAKE_CXX_COMPILER}")
if(ANYCUDA_ARTIFACT_gcc-12)
  set(ANYCUDA_NVCC_HOST "${ANYCUDA_ARTIFACT_gcc-12}/bin/g++")
endif()

function(anycuda_only_fetched_headers)
  list(JOIN ANYCUDA_WITHOUT_FOLDERS "\" \"" launcher)
  set_property(DIRECTORY PROPERTY RULE_LAUNCH_COMPILE "\"${launcher}\"")
  set_property(DIRECTORY PROPERTY RULE_LAUNCH_LINK "\"${launcher}\"")
endfunction()

function(anycuda_nvcc variable release)
  set(nvcc "${ANYCUDA_ARTIFACT_nvcc-${release}}/bin/nvcc")
  if(NOT EXISTS "${nvcc}")
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  # nvcc takes options from the caller's environment, too, and its own g++ needs no library from there.
  set(${variable} ${ANYCUDA_WITHOUT_FOLDERS} --unset=NVCC_PREPEND_FLAGS --unset=NVCC_APPEND_FLAGS --unset=NVCC_CCBIN
      --unset=LD_LIBRARY_PATH "${nvcc}" -allow-unsupported-compiler -ccbin "${ANYCUDA_NVCC_HOST}" PARENT_SCOPE)
endfunction()
