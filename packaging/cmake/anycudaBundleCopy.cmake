# SPDX-License-Identifier: Apache-2.0

# Copies the stubs that FILE names from the folder FROM to the folder TO, as a build step or INSTALLING.
# The names are among FILE's strings for every CPU, so no other tool is needed.
file(STRINGS "${FILE}" strings REGEX "lib[a-z0-9]+_stub[.]so")
string(REGEX MATCHALL "lib[a-z0-9]+_stub[.]so" strings "${strings}")
list(REMOVE_DUPLICATES strings)
set(names)
foreach(name IN LISTS strings)
  if(EXISTS "${FROM}/${name}") # otherwise it belongs to another project
    list(APPEND names "${name}")
  endif()
endforeach()
if(NOT names)
  message(WARNING "anycuda_bundle: ${FILE} needs no stub: it links no anycuda library, or only static ones. Link a "
                  "library such as anycuda::cudart, or remove the call of anycuda_bundle.")
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
