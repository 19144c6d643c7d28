# SPDX-License-Identifier: Apache-2.0

# Installs the compat library into a separate folder, and builds and runs the example only with the
# installed files, as a user would.
#   cmake -DBUILD=... -DSOURCE=... -DCXX=... -DOUT=... -P installed.cmake
function(anycuda_require what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${out}\n${err}")
  endif()
endfunction()

file(REMOVE_RECURSE "${OUT}")
anycuda_require(installing "${CMAKE_COMMAND}" --install "${BUILD}" --component compat --prefix "${OUT}")
file(GLOB_RECURSE archive "${OUT}/libanycuda_compat.a")
anycuda_require(compiling "${CXX}" -std=c++17 -Wall -Wextra -Werror ${FLAGS} "${SOURCE}" "-I${OUT}/include"
                "${archive}" -ldl -pthread -o "${OUT}/example")
# Each public header stands on its own.
file(GLOB headers "${OUT}/include/anycuda/compat/*.h")
foreach(header IN LISTS headers)
  file(WRITE "${OUT}/alone.cc" "#include \"${header}\"\n")
  anycuda_require("${header}" "${CXX}" -std=c++17 -Wall -Wextra -Werror -fsyntax-only "-I${OUT}/include" "${OUT}/alone.cc")
endforeach()
list(LENGTH headers count)
if(count LESS 11)
  message(FATAL_ERROR "expected 11 or more headers in ${OUT}/include/anycuda/compat, found ${count}")
endif()
# No CUDA, and the error of that, or some: the program runs and says which.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env ANYCUDA_COMPAT=lenient "${OUT}/example"
                RESULT_VARIABLE status ERROR_VARIABLE err)
if(NOT status EQUAL 1 OR NOT err MATCHES "invalid ANYCUDA_COMPAT=.lenient.")
  message(FATAL_ERROR "expected ${OUT}/example to exit with 1 and to report the invalid ANYCUDA_COMPAT. It exited with "
                      "${status}, and printed:\n${err}")
endif()
message(STATUS "${count} headers and the example compile from ${OUT}")
