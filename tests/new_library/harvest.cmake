# SPDX-License-Identifier: Apache-2.0

# The facts of cuDSS: harvested from the unpacked wheels into a copy of libraries/ in the build folder.
include("${FOLDER}/settings.cmake")

# Nothing that makes or ships a stub knows the library. One list of facts has it: that of the libraries without a stub,
# which `anycuda check` reads. When the project has a stub of it, these tests need another library.
foreach(part cmake compat loader packaging stubs)
  file(GLOB_RECURSE sources "${ANYCUDA_SOURCE}/${part}/*")
  list(FILTER sources EXCLUDE REGEX "/compat/catalogue/products[.]txt$")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" found LIMIT_COUNT 1 REGEX "[cC][uU][dD][sS][sS]")
    if(found)
      message(FATAL_ERROR "${source} names cuDSS: ${found}")
    endif()
  endforeach()
endforeach()

set(copy "${ANYCUDA_EXTRA_STUBS}")
file(REMOVE_RECURSE "${copy}" "${FOLDER}/wheels")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/libraries/" DESTINATION "${copy}")
# The harvest takes what its folder has: no release of cuDSS but these.
file(MAKE_DIRECTORY "${FOLDER}/wheels")
set(names ${RELEASES})
list(TRANSFORM names PREPEND "cudss-")
foreach(name IN LISTS names ITEMS cudart-12.9)
  file(CREATE_LINK "${ARTIFACT_${name}}" "${FOLDER}/wheels/${name}" SYMBOLIC)
endforeach()
set(ENV{PYTHONPATH} "${ANYCUDA_SOURCE}/stubs/tools:${ANYCUDA_SOURCE}/packaging/python")
execute_process(COMMAND "${PYTHON}" -B -m harvest all --folder "${copy}/cudss" --library cudss
                        --cache "${FOLDER}/wheels" --clang "${ARTIFACT_libclang}"
                COMMAND_ERROR_IS_FATAL ANY)
