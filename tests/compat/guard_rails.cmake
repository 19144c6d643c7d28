# SPDX-License-Identifier: Apache-2.0

# The guard rails on real CUDA artifacts: each test is a separate process on a separate machine.
set(compat_programs "${CMAKE_CURRENT_BINARY_DIR}/programs")
add_executable(compat_rails EXCLUDE_FROM_ALL programs/rails.cc)
target_link_libraries(compat_rails PRIVATE anycuda_warnings anycuda_sanitize anycuda_compat)
set_target_properties(compat_rails PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${compat_programs}" OUTPUT_NAME rails)

# anycuda_rails_fake(<name> SONAME <name> NODE <version node>): a library that calls itself so, and does nothing.
function(anycuda_rails_fake name)
  cmake_parse_arguments(ARG "" "SONAME;NODE" "" ${ARGN})
  set(map "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
  file(WRITE "${map}" "${ARG_NODE} { global: anycuda_test_fake; local: *; };\n")
  add_library(compat_${name} MODULE EXCLUDE_FROM_ALL programs/fake.c)
  target_link_options(compat_${name} PRIVATE "LINKER:-soname,${ARG_SONAME}" "LINKER:--version-script=${map}")
  set_target_properties(compat_${name} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${name} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY "${compat_programs}")
endfunction()
anycuda_rails_fake(stub SONAME libcudart.so.12 NODE ANYCUDA_NATIVE)
anycuda_rails_fake(renamed SONAME libcudart-0badcafe.so.12 NODE libcudart.so.12)
anycuda_rails_fake(newer SONAME libcudart.so.14 NODE libcudart.so.14)
anycuda_rails_fake(cufile SONAME libcufile.so.0 NODE libcufile.so.0)
anycuda_rails_fake(nvjitlink SONAME libnvJitLink.so.12 NODE libnvJitLink.so.12)
# It needs nvJitLink, and has no run path to it.
anycuda_rails_fake(cusparse SONAME libcusparse.so.12 NODE libcusparse.so.12)
target_link_options(compat_cusparse PRIVATE LINKER:--no-as-needed "$<TARGET_FILE:compat_nvjitlink>")
set_target_properties(compat_cusparse PROPERTIES BUILD_RPATH "" SKIP_BUILD_RPATH ON)
add_dependencies(compat_cusparse compat_nvjitlink)

anycuda_test(compat_rails_tests NO_STUBS LABELS compat
  SOURCES real/guard_rails_test.cc real/guard_rails_page_test.cc NEEDS compat_rails compat_stub compat_renamed compat_newer compat_cufile compat_cusparse)
