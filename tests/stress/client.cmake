# SPDX-License-Identifier: Apache-2.0

# anycuda_nvcc_client(<file> <release>)
# client.cu as a library, built by nvcc of that release for the GPUs of the tests.
function(anycuda_nvcc_client file release)
  anycuda_nvcc(nvcc ${release})
  set(source "${PROJECT_SOURCE_DIR}/tests/stress/client.cu")
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME)
  add_custom_command(OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND ${nvcc} -O2 -shared -cudart none -Xcompiler -fPIC -Wno-deprecated-gpu-targets
            -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 -o "${file}" "${source}"
    DEPENDS "${source}" COMMENT "${name} with nvcc ${release}" VERBATIM)
endfunction()
