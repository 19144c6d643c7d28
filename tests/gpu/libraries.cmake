# SPDX-License-Identifier: Apache-2.0

# The programs of linker/ and graph/, what they read, and the benchmark of graph/, for the bundle of CMakeLists.txt.

# The Linker and the graph library, programs of plain C++ (their kernels are compiled by NVRTC when they run).
# They see NVIDIA's <cuda.h>, as a user's program does.
if(ANYCUDA_ARTIFACT_nvcc-13.0)
  add_library(gpu_common OBJECT common/check.cc common/compile.cc common/device.cc)
  target_include_directories(gpu_common PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(gpu_common SYSTEM PUBLIC "${ANYCUDA_ARTIFACT_nvcc-13.0}/include")
  target_link_libraries(gpu_common PUBLIC anycuda_warnings anycuda_sanitize anycuda_linker anycuda_graph cuda_stub)
  foreach(library linker graph)
    file(GLOB sources CONFIGURE_DEPENDS ${library}/*.cc)
    add_executable(${library}_gpu EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${library}_gpu PRIVATE gpu_common ${CMAKE_DL_LIBS})
    set_target_properties(${library}_gpu PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../stubs")
    anycuda_gpu_file(${library}/${library}_gpu "$<TARGET_FILE:${library}_gpu>")
  endforeach()
  target_link_libraries(linker_gpu PRIVATE nvjitlink_stub) # raw_links.cc
  # The random walks, as without a GPU.
  set(walk "${PROJECT_SOURCE_DIR}/tests/linker/walk")
  target_sources(linker_gpu PRIVATE "${walk}/forms.cc" "${walk}/symbols.cc" "${walk}/walk.cc")
  if(NOT TARGET graph_walk_steps)
    add_subdirectory("${PROJECT_SOURCE_DIR}/tests/graph/walk" graph-walk)
  endif()
  target_link_libraries(graph_gpu PRIVATE graph_walk_steps)
  # The calls that the graph library makes, for its tests to fail one by one.
  set(calls "${CMAKE_CURRENT_BINARY_DIR}/driver_calls.inc")
  add_custom_command(OUTPUT "${calls}"
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/graph/driver_calls.py" "${CMAKE_NM}"
            "$<TARGET_FILE:anycuda_graph>" "${calls}"
    DEPENDS anycuda_graph graph/driver_calls.py VERBATIM)
  target_sources(graph_gpu PRIVATE "${calls}")
  target_include_directories(graph_gpu PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
else()
  message(STATUS "GPU tests without the Linker and the graph library: ${ANYCUDA_ARTIFACT_REASON_nvcc-13.0}")
endif()
# The examples of both, as programs that check their numbers.
foreach(library linker graph)
  if(NOT TARGET ${library}_example)
    add_subdirectory("${PROJECT_SOURCE_DIR}/examples/${library}" examples-${library})
  endif()
  anycuda_gpu_file(examples/${library}_example "$<TARGET_FILE:${library}_example>")
endforeach()
anycuda_gpu_file(examples/graph_kernels_example "$<TARGET_FILE:graph_kernels_example>")
anycuda_gpu_file(examples/linker_library_example "$<TARGET_FILE:linker_library_example>")
# Inputs that NVRTC does not make, by the oldest nvcc at hand that every nvJitLink of the tests takes.
anycuda_nvcc(nvcc 12.4)
if(nvcc)
  list(APPEND nvcc -O2 -rdc=true -gencode=arch=compute_90,code=[sm_90,compute_90] "${CMAKE_CURRENT_SOURCE_DIR}/linker/helper.cu")
  foreach(row helper.fatbin:-fatbin helper.o:-dc libhelper.a:-lib)
    string(REPLACE ":" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 form)
    add_custom_command(OUTPUT "${bundle}/linker/inputs/${name}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}/linker/inputs"
      COMMAND ${nvcc} ${form} -o "${bundle}/linker/inputs/${name}"
      DEPENDS linker/helper.cu VERBATIM)
    list(APPEND bundled "${bundle}/linker/inputs/${name}")
  endforeach()
endif()
# Other nvJitLinks than the machine's, and an NVRTC of another major: 320 MB, not in the bundle unless asked for.
add_custom_target(gpu_nvjitlink)
foreach(artifact nvjitlink-12.9 nvrtc-12.9 nvjitlink-13.5)
  file(GLOB files "${ANYCUDA_ARTIFACT_${artifact}}/nvidia/*/lib/lib*.so.*")
  if(files)
    add_custom_command(TARGET gpu_nvjitlink POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${bundle}/${artifact}"
      COMMAND "${CMAKE_COMMAND}" -E copy ${files} "${bundle}/${artifact}" VERBATIM)
  endif()
endforeach()
# What owners of graph nodes cost. It sees the driver as the library does, without NVIDIA's <cuda.h>.
add_executable(graph_cost EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/gpu/graph.cc")
target_compile_definitions(graph_cost PRIVATE ANYCUDA_NO_CUDA_H)
target_link_libraries(graph_cost PRIVATE anycuda_graph anycuda_api cuda_stub)
set_target_properties(graph_cost PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../stubs")
anycuda_gpu_file(bench/graph_cost "$<TARGET_FILE:graph_cost>")
