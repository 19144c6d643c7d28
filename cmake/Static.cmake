# SPDX-License-Identifier: Apache-2.0

# anycuda_static_library(<target> <library> <generated folder> <libname.so> <major> <folder> <drop-in> <object>...)
#
# <folder>/<libname.a>: the stub for callers of one major, to be linked into a program or library. It is the
# drop-in of that major, the target <drop-in>, with plain names. One object, in which every name but the library's
# functions is local, so that several archives can be linked together (each has a separate loader). The functions are
# hidden, so that the program or library does not export them.

option(ANYCUDA_STATIC "Build the static libraries; needs GNU objcopy or llvm-objcopy" ON)
if(ANYCUDA_SANITIZE) # programs are not built with these flags
  set(ANYCUDA_STATIC OFF)
elseif(NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_OBJCOPY) # the project may not want them
  set(ANYCUDA_STATIC OFF)
elseif(ANYCUDA_STATIC AND NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "the static libraries need objcopy, which was not found: install it (Debian package binutils), "
                      "or do without: -DANYCUDA_STATIC=OFF")
endif()

function(anycuda_static_library target library generated file major folder dropin)
  string(REPLACE ".so" "" name "${file}")
  set(object "${generated}/${major}-${name}.o")
  add_library(${target}_entries OBJECT "${generated}/entries.S")
  target_compile_definitions(${target}_entries PRIVATE ANYCUDA_FAR_SLOTS ANYCUDA_VERSION_NUMBER=${ANYCUDA_VERSION_NUMBER}) # what it becomes part of may be large
  add_dependencies(${target}_entries generate_${library})
  # The drop-in's objects without its entries, whose names have versions.
  set(shared "$<FILTER:$<TARGET_OBJECTS:${dropin}>,EXCLUDE,/entries[.]S[.]o$>")
  set(objects $<TARGET_OBJECTS:${target}_entries> ${shared} ${ARGN} ${ANYCUDA_CORE})
  # Groups are dissolved: another archive's group of the same name must not replace this one.
  add_custom_command(OUTPUT "${object}"
    COMMAND ${ANYCUDA_PRELINK} -Wl,--force-group-allocation -o "${object}" "${objects}"
    COMMAND "${CMAKE_OBJCOPY}" "--keep-global-symbols=${generated}/names.txt" $<$<CONFIG:Release>:--strip-unneeded>
            "${object}"
    DEPENDS "${objects}" "${generated}/names.txt"
    COMMENT "One object of ${name} for CUDA ${major}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_library(${target} STATIC "${object}")
  add_dependencies(${target} ${target}_entries ${dropin} anycuda_core)
  anycuda_packaged(${target})
  anycuda_packaged(${target}_entries)
  target_link_libraries(${target} INTERFACE ${CMAKE_DL_LIBS})
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "${name}" LINKER_LANGUAGE C
    ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${folder}")
endfunction()
