# SPDX-License-Identifier: Apache-2.0

# Runs when anycuda is installed to FOLDER below /usr or /usr/local: names the prefix in its pkg-config files. pkg-config
# leaves out the include folders that the compiler searches by itself, and knows them only by their plain names; a
# project would find the headers of a CUDA in /usr/include before its own.
if(CMAKE_INSTALL_PREFIX MATCHES "^(/usr(/local)?)/*$")
  set(prefix "${CMAKE_MATCH_1}")
  file(GLOB files "$ENV{DESTDIR}${prefix}/${FOLDER}/anycuda-*.pc")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REGEX REPLACE "\nprefix=[^\n]*" "\nprefix=${prefix}" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
endif()
