# SPDX-License-Identifier: Apache-2.0

# Real CUDA artifacts and tools at configure time, from tools/fetch/lock.json through tools/fetch/fetch.py into the cache.
#
#   anycuda_artifacts(SETS demo test [ARTIFACTS nvcc-12.4 ...])
#       Fetches what the cache lacks, then sets, per artifact and in the caller's scope:
#         ANYCUDA_ARTIFACT_<name>         its folder, or empty
#         ANYCUDA_ARTIFACT_REASON_<name>  why it could not be fetched, or empty
#       and ANYCUDA_ARTIFACTS, the names, and ANYCUDA_CACHE_FOLDER, the cache. Afterwards find_package(GTest) finds the
#       fetched GoogleTest, or an installed one if it could not be fetched; ANYCUDA_STRACE names strace likewise.
#
#   anycuda_program(<variable> <program> PACKAGE <Debian package>)
#       Finds a program that the build needs, or stops and names the package that contains it.

include_guard(GLOBAL)

function(anycuda_program variable program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PACKAGE" "")
  find_program(${variable} ${program})
  if(NOT ${variable})
    message(FATAL_ERROR "${program} was not found on PATH: install it (Debian package ${arg_PACKAGE})")
  endif()
endfunction()

function(anycuda_artifacts)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SETS;ARTIFACTS")
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_SETS OR arg_ARTIFACTS))
    message(FATAL_ERROR "anycuda_artifacts: expected SETS and/or ARTIFACTS, got: ${ARGV}")
  endif()
  foreach(file lock.json recipe.toml)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools/fetch/${file}")
  endforeach()
  find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "Python 3.11 or newer was not found: install it (Debian package python3)")
  endif()

  # Progress and failures go to stderr, straight to the user; stdout is the result as CMake code.
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tools/fetch/fetch.py"
            get ${arg_SETS} ${arg_ARTIFACTS} --format cmake
    RESULT_VARIABLE status
    OUTPUT_VARIABLE result)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tools/fetch/fetch.py failed (${status}); its message is above")
  endif()
  cmake_language(EVAL CODE "${result}") # sets the variables in the caller's scope

  # The same again for this scope. An installed tool is used only if the artifact could not be fetched: an installed
  # GoogleTest may be for another compiler (conda's).
  string(REPLACE " PARENT_SCOPE)" ")" here "${result}")
  cmake_language(EVAL CODE "${here}")
  if(ANYCUDA_ARTIFACT_gtest)
    set(GTest_ROOT "${ANYCUDA_ARTIFACT_gtest}" PARENT_SCOPE)
    string(FIND "${GTest_DIR}" "${ANYCUDA_ARTIFACT_gtest}/" at)
    if(NOT at EQUAL 0)
      unset(GTest_DIR CACHE)
    endif()
  endif()
  if(ANYCUDA_ARTIFACT_strace)
    set(ANYCUDA_STRACE "${ANYCUDA_ARTIFACT_strace}/bin/strace" CACHE FILEPATH "strace, fetched or installed" FORCE)
  else()
    find_program(ANYCUDA_STRACE strace DOC "strace, fetched or installed")
  endif()
endfunction()
