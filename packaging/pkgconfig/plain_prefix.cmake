# SPDX-License-Identifier: Apache-2.0

# Runs when anycuda is installed to FOLDER below /usr or /usr/local: writes the plain prefix into its pkg-config files.
# pkg-config omits the compiler's default include folders only if they have their plain names; otherwise a project would
# find the headers of a CUDA in /usr/include before its own.
if(CMAKE_INSTALL_PREFIX MATCHES "^(/usr(/local)?)/*$")
  set(prefix "${CMAKE_MATCH_1}")
  file(GLOB files "$ENV{DESTDIR}${prefix}/${FOLDER}/anycuda-*.pc")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REGEX REPLACE "\nprefix=[^\n]*" "\nprefix=${prefix}" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
endif()
