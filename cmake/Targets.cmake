# SPDX-License-Identifier: Apache-2.0

# The targets that programs link, anycuda::cudart_12 and so on: for a project that contains anycuda (FetchContent,
# add_subdirectory), and for the CMake package, which install(EXPORT) makes of them (Install.cmake).
include("${PROJECT_SOURCE_DIR}/packaging/cmake/anycudaSelectMajor.cmake")
include("${PROJECT_SOURCE_DIR}/packaging/cmake/anycudaBundle.cmake")

# anycuda_interface(<name> <export set> <variable>): the INTERFACE library anycuda::<name>, and its name for commands that
# define it.
function(anycuda_interface name export variable)
  if(NOT ANYCUDA_INSTALL) # imported: a project that contains anycuda may export what links it, without an export set here
    add_library(anycuda::${name} INTERFACE IMPORTED GLOBAL)
    set(${variable} anycuda::${name} PARENT_SCOPE)
    return()
  endif()
  add_library(anycuda_${name} INTERFACE)
  add_library(anycuda::${name} ALIAS anycuda_${name})
  set_target_properties(anycuda_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY ANYCUDA_INTERFACES_${export} anycuda_${name})
  set(${variable} anycuda_${name} PARENT_SCOPE)
endfunction()

# anycuda_library_target(<library>[_static] <major> <target to link> <export set>)
# Defines anycuda::<library>_<major>, and anycuda::<library>, whose major anycuda_select_major() selects.
function(anycuda_library_target library major linked export)
  anycuda_interface(${library}_${major} ${export} target)
  target_link_libraries(${target} INTERFACE ${linked})
  # A target must be compiled for the major that it is linked for: nvcc compares its version with this number
  # (built_for.h), and in a target without CUDA sources an additional file does (_anycuda_compare_headers).
  target_compile_definitions(${target} INTERFACE ANYCUDA_BUILT_FOR=${major})
  set(check "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/packaging/cmake/built_for.h>")
  string(APPEND check "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${ANYCUDA_PACKAGE_DIR}/built_for.h>")
  target_compile_options(${target} INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include \"${check}\">")
  if(NOT TARGET anycuda::${library})
    anycuda_interface(${library} ${export} target)
  endif()
endfunction()

# Makes the stubs of a target that links this open their libraries when they are loaded (docs/exit.md).
anycuda_interface(open_at_load anycudaTargets target)
target_link_options(${target} INTERFACE
                    LINKER:--defsym=anycuda_open_at_load=1 LINKER:--export-dynamic-symbol=anycuda_open_at_load)

include(GNUInstallDirs)
set(ANYCUDA_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/anycuda") # the CMake package's, relative to the prefix
get_property(linkable GLOBAL PROPERTY ANYCUDA_LINKABLE)
foreach(row IN LISTS linkable) # cudart:libcudart.so:11:12:13
  string(REPLACE ":" ";" majors "${row}")
  list(POP_FRONT majors library file)
  foreach(major IN LISTS majors)
    anycuda_library_target(${library} ${major} link_${library}_${major} anycudaTargets)
    if(ANYCUDA_STATIC)
      anycuda_library_target(${library}_static ${major} static_${library}_${major} anycudaStaticTargets)
    endif()
  endforeach()
endforeach()
get_property(plain GLOBAL PROPERTY ANYCUDA_PLAIN)
foreach(row IN LISTS plain) # cuda:libcuda.so:1
  string(REGEX MATCH "^(.*):.*:(.*)$" row "${row}")
  add_library(anycuda::${CMAKE_MATCH_1} ALIAS ${CMAKE_MATCH_1}_stub)
  set_target_properties(${CMAKE_MATCH_1}_stub PROPERTIES EXPORT_NAME ${CMAKE_MATCH_1})
  if(ANYCUDA_STATIC)
    add_library(anycuda::${CMAKE_MATCH_1}_static ALIAS static_${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    set_target_properties(static_${CMAKE_MATCH_1}_${CMAKE_MATCH_2} PROPERTIES EXPORT_NAME ${CMAKE_MATCH_1}_static)
  endif()
endforeach()
foreach(library IN ITEMS compat linker graph)
  add_library(anycuda::${library} ALIAS anycuda_${library})
  set_target_properties(anycuda_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()

get_property(parent DIRECTORY PROPERTY PARENT_DIRECTORY)
if(parent) # a project contains anycuda
  cmake_language(DEFER DIRECTORY "${parent}" CALL anycuda_select_major)
endif()
