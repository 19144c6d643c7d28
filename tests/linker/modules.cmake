# SPDX-License-Identifier: Apache-2.0

# The inputs of the links, which real NVRTCs and nvccs make.
foreach(release 12.3 12.9 13.5)
  file(GLOB library "${ANYCUDA_ARTIFACT_nvrtc-${release}}/nvidia/*/lib/libnvrtc.so.1?")
  if(NOT library)
    message(WARNING "Tests of the Linker without inputs of NVRTC ${release}. ${ANYCUDA_ARTIFACT_REASON_nvrtc-${release}}")
    continue()
  endif()
  set(made "${linker_inputs}/${release}")
  add_custom_command(OUTPUT "${made}/helper.cubin"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}"
    # The search looks for the system's folders below another root, so it ignores this machine's driver.
    COMMAND anycuda_world "${ANYCUDA_WORLD}" "ANYCUDA_NVRTC=${library}" "ANYCUDA_SYSTEM_ROOT=${ANYCUDA_WORLD}" --
            $<TARGET_FILE:linker_child>
            programs make "${CMAKE_CURRENT_SOURCE_DIR}/inputs" "${made}"
    DEPENDS inputs/kernel.cu inputs/helper.cu inputs/first.cu inputs/second.cu # not linker_child: only NVRTC decides the output
    COMMENT "Compiling modules with NVRTC ${release}"
    VERBATIM)
  add_custom_target(linker_modules-${release} DEPENDS "${made}/helper.cubin")
  add_dependencies(linker_modules-${release} linker_child)
  add_dependencies(linker_modules linker_modules-${release})
endforeach()

anycuda_nvcc(nvcc 12.4)
if(nvcc)
  set(made "${linker_inputs}/nvcc")
  set(compile ${nvcc} -arch=sm_80 -rdc=true
      "${CMAKE_CURRENT_SOURCE_DIR}/inputs/helper.cu")
  add_custom_command(OUTPUT "${made}/libhelper.a"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}"
    COMMAND ${compile} -c -o "${made}/helper.o"
    COMMAND ${compile} -fatbin -o "${made}/helper.fatbin"
    COMMAND "${CMAKE_AR}" rcs "${made}/libhelper.a" "${made}/helper.o"
    DEPENDS inputs/helper.cu
    COMMENT "Compiling an object, a fatbin and a library with nvcc 12.4"
    VERBATIM)
  add_custom_target(linker_containers DEPENDS "${made}/libhelper.a")
  add_dependencies(linker_modules linker_containers)
else()
  message(WARNING "Tests of the Linker without containers. ${ANYCUDA_ARTIFACT_REASON_nvcc-12.4}")
endif()

# A module in each form that nvcc and the host's tools give it, by an nvcc of each major.
foreach(release 12.4 13.0)
  anycuda_nvcc(nvcc ${release})
  if(NOT nvcc)
    message(WARNING "Tests of the Linker without containers of nvcc ${release}. ${ANYCUDA_ARTIFACT_REASON_nvcc-${release}}")
    continue()
  endif()
  set(made "${linker_inputs}/forms-${release}")
  set(compile ${nvcc} "${CMAKE_CURRENT_SOURCE_DIR}/inputs/second.cu")
  set(commands COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}")
  foreach(row "second:-arch=sm_80 -rdc=true" "second.whole:-arch=sm_80"
              "second.lto:-gencode=arch=compute_80,code=lto_80 -rdc=true"
              "second.both:-gencode=arch=compute_80,code=[lto_80,sm_80] -rdc=true")
    string(REGEX MATCH "^([^:]*):(.*)$" row "${row}")
    set(name "${made}/${CMAKE_MATCH_1}")
    separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(APPEND commands COMMAND ${compile} ${flags} -c -o "${name}.o" COMMAND ${compile} ${flags} -fatbin -o "${name}.fatbin"
                         COMMAND "${CMAKE_AR}" rcs "${name}.a" "${name}.o")
  endforeach()
  list(APPEND commands
    COMMAND ${nvcc} "${CMAKE_CURRENT_SOURCE_DIR}/inputs/first.cu" -arch=sm_80 -rdc=true -c -o "${made}/first.o"
    COMMAND "${CMAKE_LINKER}" -r -o "${made}/first+second.o" "${made}/first.o" "${made}/second.o"
    COMMAND "${CMAKE_LINKER}" -r -o "${made}/first+second.lto.o" "${made}/first.o" "${made}/second.lto.o"
    COMMAND "${CMAKE_AR}" rcs "${made}/first+second.a" "${made}/first.o" "${made}/second.o"
    COMMAND "${CMAKE_AR}" rcs "${made}/first+second.lto.a" "${made}/first.o" "${made}/second.lto.o"
    COMMAND "${CMAKE_AR}" rcs "${made}/second.fatbin.a" "${made}/second.fatbin"
    COMMAND "${CMAKE_AR}" rcs "${made}/second.nested.a" "${made}/second.a")
  add_custom_command(OUTPUT "${made}/second.nested.a" ${commands}
    DEPENDS inputs/first.cu inputs/second.cu
    COMMENT "Compiling every form of a module with nvcc ${release}"
    VERBATIM)
  add_custom_target(linker_forms-${release} DEPENDS "${made}/second.nested.a")
  add_dependencies(linker_modules linker_forms-${release})
endforeach()
