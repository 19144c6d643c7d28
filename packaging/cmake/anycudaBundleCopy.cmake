# SPDX-License-Identifier: Apache-2.0

# Copies the stubs that FILE, the file of TARGET, names from the folder FROM to the folder TO, as a build step or
# INSTALLING; then also the file LICENSE to the folder LICENSE_TO. OTHERS are the shared libraries that TARGET links, as
# <target>=<file>.

# The stubs' names are among a file's strings for every CPU, so no other tool is needed.
function(find_stubs file result)
  file(STRINGS "${file}" strings REGEX "lib[a-z0-9]+_stub[.]so")
  string(REGEX MATCHALL "lib[a-z0-9]+_stub[.]so" strings "${strings}")
  list(REMOVE_DUPLICATES strings)
  set(names)
  foreach(name IN LISTS strings)
    if(EXISTS "${FROM}/${name}") # otherwise it belongs to another project
      list(APPEND names "${name}")
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

find_stubs("${FILE}" names)
if(NOT names)
  set(calls)
  foreach(other IN LISTS OTHERS)
    string(REGEX MATCH "^([^=]*)=(.*)$" other "${other}")
    set(other "${CMAKE_MATCH_1}")
    if(EXISTS "${CMAKE_MATCH_2}")
      find_stubs("${CMAKE_MATCH_2}" its)
      if(its)
        list(APPEND calls "anycuda_bundle(${other})")
      endif()
    endif()
  endforeach()
  if(calls)
    list(JOIN calls " and " calls)
    message(WARNING "anycuda_bundle(${TARGET}): ${FILE} needs no stub, but a library that it links does: call ${calls} "
                    "in place of anycuda_bundle(${TARGET}).")
  else()
    message(WARNING "anycuda_bundle(${TARGET}): ${FILE} needs no stub: it links no anycuda library, or only static ones. "
                    "Link a library such as anycuda::cudart, or remove the call of anycuda_bundle.")
  endif()
endif()
get_filename_component(TO "${TO}" ABSOLUTE)
foreach(name IN LISTS names)
  if(INSTALLING)
    file(INSTALL "${FROM}/${name}" DESTINATION "${TO}" USE_SOURCE_PERMISSIONS)
  else()
    file(MAKE_DIRECTORY "${TO}")
    file(COPY_FILE "${FROM}/${name}" "${TO}/${name}" ONLY_IF_DIFFERENT)
  endif()
endforeach()
if(INSTALLING AND names AND LICENSE)
  file(INSTALL "${LICENSE}" DESTINATION "${LICENSE_TO}")
endif()
