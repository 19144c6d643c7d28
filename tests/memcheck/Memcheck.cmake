# SPDX-License-Identifier: Apache-2.0

# The programs of the tests under valgrind: README.md.
find_program(ANYCUDA_VALGRIND valgrind DOC "Finds reads of memory that is not the program's, or was never written")
if(NOT ANYCUDA_VALGRIND)
  message(FATAL_ERROR "The preset memcheck needs valgrind: install it, and libc6-dbg (Debian packages of those names)")
endif()
set(logs "${PROJECT_BINARY_DIR}/memcheck")
# Without vgdb: a program that changes its root cannot remove vgdb's pipes, and valgrind would complain.
set(memcheck "${ANYCUDA_VALGRIND}" --quiet --vgdb=no --error-exitcode=99 --error-limit=no --leak-check=no "--log-file=${logs}/%p.log"
    "--suppressions=${CMAKE_CURRENT_LIST_DIR}/suppressions.txt")
list(TRANSFORM memcheck REPLACE "(.+)" "\"\\1\"")
list(JOIN memcheck "," memcheck)
target_compile_definitions(anycuda_test_support PRIVATE "ANYCUDA_TEST_MEMCHECK=${memcheck}")

add_custom_target(memcheck_reset
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${logs}" COMMAND "${CMAKE_COMMAND}" -E make_directory "${logs}" VERBATIM)
add_custom_target(memcheck_report
  COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/memcheck_report.py" "${logs}" USES_TERMINAL VERBATIM)
