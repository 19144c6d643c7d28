# Real CUDA pieces and tools at configure time, from pieces/lock.json through pieces/fetch.py into the cache.
#
#   anycuda_pieces(SETS demo test [PIECES nvcc-12.4 ...])
#       Fetches what the cache lacks, then sets, per piece and in the caller's scope:
#         ANYCUDA_PIECE_<name>         its folder, or empty
#         ANYCUDA_PIECE_REASON_<name>  why it could not be had, or empty
#       and ANYCUDA_PIECES, the names, and ANYCUDA_CACHE_FOLDER, the cache. GoogleTest and strace are fetched only where they are not installed:
#       afterwards find_package(GTest) finds either, and ANYCUDA_STRACE names the program or is false.
#
#   anycuda_program(<variable> <program> PACKAGE <Debian package>)
#       Finds a program that the build cannot do without, or stops and names the package that has it.

include_guard(GLOBAL)

set(ANYCUDA_FETCH "${CMAKE_CURRENT_LIST_DIR}/../pieces/fetch.py")

function(anycuda_program variable program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PACKAGE" "")
  find_program(${variable} ${program})
  if(NOT ${variable})
    message(FATAL_ERROR "${program} was not found on PATH: install it (Debian package ${arg_PACKAGE})")
  endif()
endfunction()

function(anycuda_pieces)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SETS;PIECES")
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_SETS OR arg_PIECES))
    message(FATAL_ERROR "anycuda_pieces: expected SETS and/or PIECES, got: ${ARGV}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../pieces/lock.json")
  find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
  if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "Python 3.11 or newer was not found: install it (Debian package python3)")
  endif()

  # A piece that is installed is not fetched.
  set(skip "")
  find_package(GTest CONFIG QUIET)
  if(TARGET GTest::gtest AND TARGET GTest::gmock)
    list(APPEND skip --skip gtest)
  endif()
  if(ANYCUDA_STRACE AND NOT EXISTS "${ANYCUDA_STRACE}") # from a cache that has been deleted since
    unset(ANYCUDA_STRACE CACHE)
  endif()
  find_program(ANYCUDA_STRACE strace DOC "strace, installed or from the pieces")
  if(ANYCUDA_STRACE)
    list(APPEND skip --skip strace)
  endif()

  # Progress and what could not be had go to stderr, thus straight to the user; stdout is the result as CMake code.
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${ANYCUDA_FETCH}" get ${arg_SETS} ${arg_PIECES} ${skip} --format cmake
    RESULT_VARIABLE status
    OUTPUT_VARIABLE result)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "pieces/fetch.py failed (${status}); its message is above")
  endif()
  cmake_language(EVAL CODE "${result}") # sets the variables in the caller's scope

  # The same once more for here, where the tools among the pieces are made known.
  string(REPLACE " PARENT_SCOPE)" ")" here "${result}")
  cmake_language(EVAL CODE "${here}")
  if(DEFINED ANYCUDA_PIECE_gtest AND NOT ANYCUDA_PIECE_gtest)
    message(FATAL_ERROR "GoogleTest is not installed and could not be fetched (${ANYCUDA_PIECE_REASON_gtest}): "
                        "install it (Debian packages libgtest-dev and libgmock-dev)")
  elseif(ANYCUDA_PIECE_gtest)
    set(GTest_ROOT "${ANYCUDA_PIECE_gtest}" PARENT_SCOPE)
  endif()
  if(NOT ANYCUDA_STRACE AND ANYCUDA_PIECE_strace)
    set_property(CACHE ANYCUDA_STRACE PROPERTY VALUE "${ANYCUDA_PIECE_strace}/bin/strace")
  endif()
endfunction()
