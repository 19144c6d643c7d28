# SPDX-License-Identifier: Apache-2.0

# The targets that programs link, for the package and for anycuda as part of a project.

# Makes the stubs of a target that links this open their libraries when they are loaded (docs/exit.md).
if(NOT TARGET anycuda::open_at_load)
  add_library(anycuda::open_at_load INTERFACE IMPORTED ${ANYCUDA_TARGET_SCOPE})
  set_target_properties(anycuda::open_at_load PROPERTIES INTERFACE_LINK_OPTIONS
    "LINKER:--defsym=anycuda_open_at_load=1;LINKER:--export-dynamic-symbol=anycuda_open_at_load")
endif()

# anycuda_target(<library>[_static] <major> <item to link>)
# Defines anycuda::<library>_<major>, and anycuda::<library>, whose major anycuda_select_major() selects.
function(anycuda_target library major item)
  set(target anycuda::${library}_${major})
  add_library(${target} INTERFACE IMPORTED ${ANYCUDA_TARGET_SCOPE})
  # A target must be compiled for the major that it is linked for: nvcc compares its version with this number
  # (built_for.h), and in a target without CUDA sources an additional file does (anycuda_compare_headers).
  set(check "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/built_for.h")
  set_target_properties(${target} PROPERTIES
    INTERFACE_LINK_LIBRARIES "${item}"
    INTERFACE_COMPILE_DEFINITIONS ANYCUDA_BUILT_FOR=${major}
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include \"${check}\">")
  if(NOT TARGET anycuda::${library})
    add_library(anycuda::${library} INTERFACE IMPORTED ${ANYCUDA_TARGET_SCOPE})
  endif()
endfunction()

# anycuda_imported_target(<library> <major> <libname.so>): defines both kinds, from the files of the package.
function(anycuda_imported_target library major file)
  # A program runs in its build folder if the stub is in the folder of the linked library. The folder is not below
  # CMakeFiles, which Meson empties after reading the targets.
  set(folder "${CMAKE_BINARY_DIR}/.anycuda/${major}")
  set(stub lib${library}_stub.so)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${anycuda_LIBRARY_DIR}/anycuda/link/${major}/${file}" "${folder}/${file}" SYMBOLIC)
  file(CREATE_LINK "${anycuda_LIBRARY_DIR}/${stub}" "${folder}/${stub}" SYMBOLIC)
  add_library(anycuda::link_${library}_${major} SHARED IMPORTED)
  set_target_properties(anycuda::link_${library}_${major} PROPERTIES
    IMPORTED_LOCATION "${folder}/${file}" IMPORTED_SONAME ${stub})
  anycuda_target(${library} ${major} anycuda::link_${library}_${major})

  string(REPLACE ".so" ".a" archive "${anycuda_LIBRARY_DIR}/anycuda/static/${major}/${file}")
  if(EXISTS "${archive}")
    anycuda_target(${library}_static ${major} "${archive};${CMAKE_DL_LIBS}")
  endif()
endfunction()

# anycuda_native(<library> <native library> <result>): the item that a C++ library links to call the stub's own
# functions: the native library, or, in a target that also calls the stub directly, the target's link library
# (anycuda_check).
function(anycuda_native library native result)
  set(own "$<TARGET_PROPERTY:ANYCUDA_LINK_${library}>")
  set(${result} "$<IF:$<BOOL:${own}>,${own},${native}>" PARENT_SCOPE)
endfunction()

# anycuda_imported_archive(<library> <include folder> <item to link>...): a C++ library, from the files of the package.
# Items are anycuda_compat, another C++ library; libcuda_stub.so, which has no majors; nvrtc=libnvrtc.so, the stub's own
# functions, for every major of the target that links it.
function(anycuda_imported_archive library includes)
  set(libraries)
  foreach(row IN LISTS ARGN)
    if(row MATCHES "^anycuda_(.*)$")
      list(APPEND libraries anycuda::${CMAKE_MATCH_1})
    elseif(row MATCHES "^(.*)=(.*)$")
      set(target anycuda::link_${CMAKE_MATCH_1}_native)
      anycuda_native(${CMAKE_MATCH_1} ${target} item)
      list(APPEND libraries "${item}")
      if(NOT TARGET ${target}) # at run time the stub is in the folder of the driver's
        add_library(${target} SHARED IMPORTED)
        set_target_properties(${target} PROPERTIES IMPORTED_SONAME lib${CMAKE_MATCH_1}_stub.so
          IMPORTED_LOCATION "${anycuda_LIBRARY_DIR}/anycuda/link/native/${CMAKE_MATCH_2}")
      endif()
    else()
      list(APPEND libraries anycuda::cuda)
    endif()
  endforeach()
  add_library(anycuda::${library} STATIC IMPORTED)
  set_target_properties(anycuda::${library} PROPERTIES IMPORTED_LOCATION "${anycuda_LIBRARY_DIR}/libanycuda_${library}.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_INCLUDE_DIRECTORIES "${includes}" INTERFACE_LINK_LIBRARIES "${libraries};${CMAKE_DL_LIBS}")
endfunction()
