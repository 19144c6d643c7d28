# SPDX-License-Identifier: Apache-2.0

# anycuda_library(<name> <folder>)
#
# The stub of one library, which <folder>/<name>/library.json describes, target <name>_stub, and its drop-ins, named like
# NVIDIA's own files, targets dropin_<name>_<major>. Each consists of the loader, the generated entry points and tables,
# the library's source files (<folder>/<name>/*.cc) and its adapters (<folder>/<name>/adapters/*.cc). If the library has
# symbol versions, also lib/link/<major>, targets link_<name>_<major>: a program compiled for that major links with it,
# and so records the major; and link_<name>_native, which anycuda's C++ libraries link (as native_<name>): their calls
# are bound to the unversioned symbols, which no other call gets by chance.

# Libraries outside of this project: docs/new-library.md.
set(ANYCUDA_EXTRA_STUBS "" CACHE STRING "Folders of more libraries, laid out as stubs/, to make stubs of")
set(ANYCUDA_LIBRARY_FOLDERS "${PROJECT_SOURCE_DIR}/stubs")
set(ANYCUDA_EXTRA_ARGUMENTS) # of the generators
foreach(folder IN LISTS ANYCUDA_EXTRA_STUBS)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" NORMALIZE)
  list(APPEND ANYCUDA_LIBRARY_FOLDERS "${folder}")
  list(APPEND ANYCUDA_EXTRA_ARGUMENTS --extra "${folder}")
endforeach()

# anycuda_facts(<variable> <glob>...): the files that generators read, in every folder of libraries, and the generators.
function(anycuda_facts variable)
  set(globs "${PROJECT_SOURCE_DIR}/stubs/tools/generate/*.py")
  foreach(folder IN LISTS ANYCUDA_LIBRARY_FOLDERS)
    foreach(glob IN LISTS ARGN ITEMS "*/library.json")
      list(APPEND globs "${folder}/${glob}")
    endforeach()
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${globs})
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# anycuda_read_library(<name> <folder>): `linker_name` (libname.so), `majors` of CUDA, `soname_<major>`, `rows`: the first
# major of each SONAME, which generated files are named after, `row_<major>`: the major's entry in `rows`; `linkable` if
# calls record their major, by symbol versions; and `earlier` if the callers are programs of an earlier major of the
# library (cuDNN 8): these are not built any more, and the drop-in has the SONAME that they ask for.
macro(anycuda_read_library library folder)
  set(descriptor "${folder}/${library}/library.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${descriptor}")
  file(READ "${descriptor}" descriptor)
  string(JSON linker_name GET "${descriptor}" file_prefix)
  set(majors)
  set(rows)
  set(linkable OFF)
  string(JSON last LENGTH "${descriptor}" majors)
  math(EXPR last "${last} - 1")
  foreach(index RANGE ${last})
    string(JSON major MEMBER "${descriptor}" majors ${index})
    string(JSON soname_${major} GET "${descriptor}" majors ${major} soname)
    string(JSON node TYPE "${descriptor}" majors ${major} node)
    list(APPEND majors ${major})
    set(row_${major} ${major})
    set(last_row)
    if(rows)
      list(GET rows -1 last_row)
    endif()
    if(rows AND soname_${last_row} STREQUAL soname_${major})
      set(row_${major} ${last_row})
    else()
      list(APPEND rows ${major})
    endif()
    if(node STREQUAL "STRING")
      set(linkable ON)
    endif()
  endforeach()
  string(JSON earlier ERROR_VARIABLE not_earlier GET "${descriptor}" callers soname)
  if(not_earlier)
    set(earlier)
  else()
    set(linkable OFF)
    foreach(major IN LISTS majors)
      set(soname_${major} "${earlier}")
    endforeach()
  endif()
endmacro()

function(anycuda_library library folder)
  anycuda_read_library(${library} "${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/${library}/*.cc")
  file(GLOB adapters CONFIGURE_DEPENDS "${folder}/${library}/adapters/*.cc")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${library}")
  # The driver's facts too: adapters call it.
  anycuda_facts(facts "${library}/abi/*.txt" "${library}/abi/adapters/*.txt" "cuda/abi/*.txt"
                "tools/generate/templates/*.in")
  set(variables)
  if(EXISTS "${folder}/${library}/abi/variables.txt")
    set(variables $<TARGET_OBJECTS:anycuda_variables>)
  endif()
  set(generated)
  set(folders stub)
  foreach(major IN LISTS rows)
    list(APPEND folders dropin-${major})
    if(NOT earlier)
      list(APPEND generated "${out}/static-${major}/entries.S" "${out}/static-${major}/names.txt")
    endif()
    if(linkable)
      list(APPEND generated "${out}/link-${major}/entries.S" "${out}/link-${major}/versions.map")
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    list(APPEND generated "${out}/${folder}/entries.S" "${out}/${folder}/tables.cc"
         "${out}/${folder}/versions.map")
  endforeach()
  if(linkable)
    list(APPEND generated "${out}/link-native/entries.S" "${out}/link-native/versions.map")
  endif()
  if(adapters)
    foreach(file abi_types.h abi_calls.h abi_convert.h ${library}_adapters.h copies.cc)
      list(APPEND generated "${out}/abi/${file}")
    endforeach()
  endif()
  add_custom_command(
    OUTPUT ${generated}
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}/stubs/tools"
            "PYTHONPYCACHEPREFIX=${PROJECT_BINARY_DIR}/pycache" "${Python3_EXECUTABLE}" -m generate
            --library ${library} --cpu ${ANYCUDA_CPU} --out "${out}" ${ANYCUDA_EXTRA_ARGUMENTS}
    DEPENDS ${facts}
    COMMENT "Generating the stubs of ${library} from the ABI database"
    VERBATIM)
  # One run of the generator makes the stub and its drop-ins: without this target each would start a run.
  add_custom_target(generate_${library} DEPENDS ${generated})

  # Compiled once, for the stub, its drop-ins and its archives.
  set(objects ${variables})
  if(sources)
    add_library(${library}_code OBJECT ${sources})
    target_include_directories(${library}_code PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/compat/include")
    target_link_libraries(${library}_code PRIVATE anycuda_stub_flags anycuda_sanitize)
    list(APPEND objects $<TARGET_OBJECTS:${library}_code>)
  endif()
  if(adapters)
    add_library(${library}_adapters OBJECT ${adapters} "${out}/abi/copies.cc")
    add_dependencies(${library}_adapters generate_${library})
    target_include_directories(${library}_adapters PRIVATE "${PROJECT_SOURCE_DIR}"
                               "${PROJECT_SOURCE_DIR}/compat/include")
    # As system headers: lints are for hand-written code.
    target_include_directories(${library}_adapters SYSTEM PRIVATE "${out}/abi")
    # An adapted call costs far more than a few instructions, so small code matters more than fast code.
    target_link_libraries(${library}_adapters PRIVATE anycuda_small anycuda_stub_flags anycuda_sanitize)
    # The types of three majors are long: read once.
    target_precompile_headers(${library}_adapters PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${out}/abi/${library}_adapters.h>")
    # Its precompiled header counts as an object.
    list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${library}_adapters>,EXCLUDE,[.]gch$>)
  endif()
  if(linkable) # for the CMake package: cudart:libcudart.so:11:12:13
    list(JOIN majors ":" row)
    set_property(GLOBAL APPEND PROPERTY ANYCUDA_LINKABLE "${library}:${linker_name}:${row}")
  elseif(NOT earlier) # no call records a major: programs link the stub itself
    get_property(plain GLOBAL PROPERTY ANYCUDA_PLAIN)
    string(FIND ";${plain}" ":${linker_name}:" taken) # libcutensor.so.1 and libcutensor.so.2
    set_property(GLOBAL APPEND PROPERTY ANYCUDA_PLAIN "${library}:${linker_name}:${rows}")
  endif()
  anycuda_stub(${library}_stub ${library} "${out}/stub" "lib${library}_stub.so" ${objects})
  add_dependencies(anycuda_stubs ${library}_stub)
  if(linkable)
    anycuda_link_library(link_${library}_native ${library} "${out}/link-native" ${linker_name} native)
    # A target that also calls the stub directly has a link library with the names for both (anycudaSelectMajor.cmake).
    set(own "$<TARGET_PROPERTY:ANYCUDA_LINK_${library}>")
    add_library(native_${library} INTERFACE)
    target_link_libraries(native_${library} INTERFACE
                          "$<IF:$<BOOL:${own}>,${own},$<TARGET_NAME:link_${library}_native>>")
  endif()
  foreach(major IN LISTS rows)
    anycuda_stub(dropin_${library}_${major} ${library} "${out}/dropin-${major}" "${soname_${major}}"
                 ${objects})
    set_target_properties(dropin_${library}_${major} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/dropin")
    add_dependencies(anycuda_dropins dropin_${library}_${major})
    anycuda_packaged(dropin_${library}_${major})
  endforeach()
  if(linkable)
    set(callers ${majors})
  elseif(earlier)
    set(callers)
  else() # one for all: no call records a major
    set(callers ${rows})
  endif()
  foreach(major IN LISTS callers)
    if(ANYCUDA_STATIC)
      set(folder static)
      if(linkable)
        string(APPEND folder "/${major}")
      elseif(NOT taken EQUAL -1)
        string(APPEND folder "/${library}")
      endif()
      anycuda_static_library(static_${library}_${major} ${library} "${out}/static-${row_${major}}" ${linker_name}
                             ${major} ${folder} dropin_${library}_${row_${major}} ${objects})
    endif()
    if(linkable)
      anycuda_link_library(link_${library}_${major} ${library} "${out}/link-${row_${major}}"
                           ${linker_name} ${major})
    endif()
  endforeach()
endfunction()

# anycuda_packaged(<target>): only packages need it. A build that makes none leaves it out of `all`.
function(anycuda_packaged target)
  if(NOT ANYCUDA_INSTALL AND NOT ANYCUDA_WHEEL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# The beginning of a command that links objects to one.
set(ANYCUDA_PRELINK "${CMAKE_C_COMPILER}")
if(CMAKE_C_COMPILER_TARGET)
  list(APPEND ANYCUDA_PRELINK "--target=${CMAKE_C_COMPILER_TARGET}")
endif()
list(APPEND ANYCUDA_PRELINK -r -nostdlib)

# zig's linker repeats each name of a stub for each of its versions (stubs/tools/merge_names.py).
function(anycuda_merge_names target)
  if(NOT ANYCUDA_ZIG)
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/stubs/tools/merge_names.py")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}/packaging/python" "PYTHONPYCACHEPREFIX=${PROJECT_BINARY_DIR}/pycache"
            "${Python3_EXECUTABLE}" "${script}" "$<TARGET_FILE:${target}>" VERBATIM)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

function(anycuda_link_library target library generated file major)
  add_library(${target} SHARED "${generated}/entries.S")
  add_dependencies(${target} generate_${library})
  add_dependencies(anycuda_link_libraries ${target})
  # A program that is linked with it needs the stub to run, and looks for it in this file's folder. (The driver's
  # stub, which is in the folder of all stubs, belongs to the native ones.)
  add_dependencies(${target} ${library}_stub)
  if(NOT major STREQUAL "native")
    add_custom_command(TARGET ${target} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E create_symlink
      "$<TARGET_FILE:${library}_stub>" "$<TARGET_FILE_DIR:${target}>/lib${library}_stub.so" VERBATIM)
  endif()
  target_link_options(${target} PRIVATE -nostdlib "LINKER:--version-script=${generated}/versions.map"
    LINKER:-soname,lib${library}_stub.so LINKER:-z,noexecstack LINKER:--hash-style=gnu
    "$<$<CONFIG:Release>:LINKER:-s>") # zig's debug information names the build folder
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${generated}/versions.map"
    PREFIX "" SUFFIX "" OUTPUT_NAME "${file}" NO_SONAME ON LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/link/${major}")
endfunction()

function(anycuda_stub target library generated soname)
  add_library(${target} SHARED "${generated}/entries.S" "${generated}/tables.cc" ${ARGN} ${ANYCUDA_CORE}
              $<$<TARGET_EXISTS:anycuda_libc>:$<TARGET_OBJECTS:anycuda_libc>>)
  add_dependencies(${target} generate_${library} anycuda_core)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/compat/include")
  target_compile_definitions(${target} PRIVATE ANYCUDA_VERSION_NUMBER=${ANYCUDA_VERSION_NUMBER})
  # Only libc: the C++ library is used for its headers, and must not be needed.
  target_link_libraries(${target} PRIVATE anycuda_stub_flags anycuda_sanitize anycuda_link_flags)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${generated}/versions.map"
    LINKER:-z,nodelete LINKER:--hash-style=gnu LINKER:--build-id=sha1)
  if(TARGET anycuda_libdl) # before libc
    add_dependencies(${target} anycuda_libdl)
    target_link_options(${target} PRIVATE LINKER:--no-as-needed "$<TARGET_FILE:anycuda_libdl>" LINKER:--as-needed)
  endif()
  # A stub has a single constructor (loader/at_load.cc) and no destructors: the compiler's start files are not needed, and
  # would look up four weak names in every library of the process.
  if(NOT ANYCUDA_SANITIZE)  # a sanitizer's runtime is in the program
    target_link_options(${target} PRIVATE LINKER:-z,defs -nostartfiles)
  endif()
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${generated}/versions.map"
    PREFIX "" SUFFIX "" OUTPUT_NAME "${soname}" LINKER_LANGUAGE C)
  anycuda_merge_names(${target})
endfunction()
