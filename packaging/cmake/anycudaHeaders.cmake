# SPDX-License-Identifier: Apache-2.0

# Makes the C and C++ sources of a target use CUDA's headers of the major that the target is linked for
# (anycudaSelectMajor.cmake).

# The major of the CUDA compiler, if there is one.
function(_anycuda_compiler_major result)
  set(version "${CMAKE_CUDA_COMPILER_VERSION}")
  if(CMAKE_CUDA_COMPILER_TOOLKIT_VERSION) # clang's version is not CUDA's
    set(version "${CMAKE_CUDA_COMPILER_TOOLKIT_VERSION}")
  endif()
  string(REGEX MATCH "^[0-9]+" version "${version}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# The languages, of C, CXX and CUDA, of a target's sources. Those that a generator expression names count by their
# extension.
function(_anycuda_languages target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(languages)
  foreach(source IN LISTS sources)
    if(source MATCHES "[$]<")
      foreach(language IN ITEMS C CXX CUDA)
        foreach(extension IN LISTS CMAKE_${language}_SOURCE_FILE_EXTENSIONS)
          string(REPLACE "+" "[+]" extension "${extension}")
          if(source MATCHES "[.]${extension}(>|,|$)")
            list(APPEND languages ${language})
          endif()
        endforeach()
      endforeach()
    elseif(source)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      get_source_file_property(language "${source}" TARGET_DIRECTORY ${target} LANGUAGE)
      list(APPEND languages ${language})
    endif()
  endforeach()
  list(FILTER languages INCLUDE REGEX "^(C|CXX|CUDA)$")
  list(REMOVE_DUPLICATES languages)
  set(${result} "${languages}" PARENT_SCOPE)
endfunction()

# Lets the C and C++ sources of a target that is linked for the CUDA compiler's major find this compiler's headers, as
# CUDA::cudart does: without them a source may find those of another CUDA in the compiler's own folders. They come last
# of the target's include folders.
function(_anycuda_find_headers target major)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  _anycuda_compiler_major(compiler)
  if(NOT compiler EQUAL major OR NOT CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES
     OR "anycuda::cuda_compiler_headers" IN_LIST libraries)
    return()
  endif()
  if(NOT TARGET anycuda::cuda_compiler_headers)
    add_library(anycuda::cuda_compiler_headers INTERFACE IMPORTED GLOBAL)
    set_target_properties(anycuda::cuda_compiler_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                          "$<$<COMPILE_LANGUAGE:C,CXX>:${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}>")
  endif()
  # Not target_link_libraries: the project may have called it for this target with PRIVATE or without.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES anycuda::cuda_compiler_headers)
endfunction()

# Adds a file to a target that uses CUDA's headers from C or C++. The file is compiled with the target's flags, and
# fails if the headers are of another major. CUDA sources have a separate check, since nvcc's headers may be invisible
# to C++; so a target with only CUDA sources needs no file.
function(_anycuda_compare_headers target)
  _anycuda_languages(${target} languages)
  if(NOT languages) # such as object files
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(CXX IN_LIST languages)
      list(REMOVE_ITEM languages C)
    endif()
  endif()
  if(CXX IN_LIST languages)
    target_sources(${target} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/built_for.cc")
  endif()
  if(C IN_LIST languages)
    target_sources(${target} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/built_for.c")
  endif()
endfunction()
