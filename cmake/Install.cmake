# SPDX-License-Identifier: Apache-2.0

# The places of installed files under a prefix; cmake --install. Components: runtime (the stubs and the drop-ins), dev
# (files for building programs), compat, linker and graph (the C++ libraries), command (bin/anycuda).
# Installed files find each other by relative paths, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(libraries "${CMAKE_INSTALL_LIBDIR}")
set(own "${CMAKE_INSTALL_LIBDIR}/anycuda")
set(share share/anycuda) # fixed, as bin is: bin/anycuda has ../share/anycuda in it
set(made "${PROJECT_BINARY_DIR}/install")
file(MAKE_DIRECTORY "${made}/links")
get_property(linkable GLOBAL PROPERTY ANYCUDA_LINKABLE)
get_property(plain GLOBAL PROPERTY ANYCUDA_PLAIN)

get_property(stubs TARGET anycuda_stubs PROPERTY MANUALLY_ADDED_DEPENDENCIES)
set(linked "${plain}") # cuda:libcuda.so:1. Programs link these stubs themselves, the others by link libraries
list(TRANSFORM linked REPLACE ":.*" "_stub")
list(REMOVE_ITEM stubs ${linked})
install(TARGETS ${stubs} LIBRARY DESTINATION "${libraries}" COMPONENT runtime)
install(TARGETS ${linked} EXPORT anycudaTargets LIBRARY DESTINATION "${libraries}" COMPONENT runtime)
get_property(dropins TARGET anycuda_dropins PROPERTY MANUALLY_ADDED_DEPENDENCIES)
install(TARGETS ${dropins} LIBRARY DESTINATION "${own}/dropin" COMPONENT runtime)

# anycuda_pkgconfig(<name> <description> <what to link> <compiler flags> [<component>])
file(RELATIVE_PATH up "/${libraries}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up "${up}")
function(anycuda_pkgconfig ANYCUDA_NAME ANYCUDA_DESCRIPTION ANYCUDA_LIBS ANYCUDA_CFLAGS)
  configure_file("${PROJECT_SOURCE_DIR}/packaging/pkgconfig/anycuda.pc.in" "${made}/${ANYCUDA_NAME}.pc" @ONLY)
  set(component dev)
  if(ARGN)
    set(component ${ARGN})
  endif()
  install(FILES "${made}/${ANYCUDA_NAME}.pc" DESTINATION "${libraries}/pkgconfig" COMPONENT ${component})
endfunction()

set(dl "${CMAKE_DL_LIBS}")
list(TRANSFORM dl PREPEND " -l")
foreach(row IN LISTS linkable)
  string(REPLACE ":" ";" majors "${row}")
  list(POP_FRONT majors library file)
  string(REPLACE ".so" ".a" archive "${file}")
  # Build systems add the folder of a linked file to the program's search path (Meson's RPATH in the build folder).
  file(CREATE_LINK ../../../lib${library}_stub.so "${made}/links/lib${library}_stub.so" SYMBOLIC)
  foreach(major IN LISTS majors)
    set(flags "-I\${includedir} -DANYCUDA_BUILT_FOR=${major}")
    install(TARGETS link_${library}_${major} EXPORT anycudaTargets
            LIBRARY DESTINATION "${own}/link/${major}" COMPONENT dev)
    if(NOT ANYCUDA_WHEEL) # a zip file has no links
      install(FILES "${made}/links/lib${library}_stub.so" DESTINATION "${own}/link/${major}" COMPONENT dev)
    endif()
    anycuda_pkgconfig(anycuda-${library}-${major} "${file} for what is compiled with CUDA ${major}"
      "\${libdir}/anycuda/link/${major}/${file}" "${flags}")
    if(ANYCUDA_STATIC)
      install(TARGETS static_${library}_${major} EXPORT anycudaStaticTargets
              ARCHIVE DESTINATION "${own}/static/${major}" COMPONENT dev)
      anycuda_pkgconfig(anycuda-${library}-${major}-static
        "${archive}, to become part of what is compiled with CUDA ${major}"
        "\${libdir}/anycuda/static/${major}/${archive}${dl}" "${flags}")
    endif()
  endforeach()
endforeach()
anycuda_pkgconfig(anycuda-open-at-load "the stubs open their libraries when they are loaded"
  "-Wl,--defsym=anycuda_open_at_load=1 -Wl,--export-dynamic-symbol=anycuda_open_at_load" "")
foreach(row IN LISTS plain) # cuda:libcuda.so:1
  string(REPLACE ":" ";" row "${row}")
  list(GET row 0 library)
  list(GET row 1 file)
  list(GET row 2 major)
  anycuda_pkgconfig(anycuda-${library} "the stub of ${file}" "\${libdir}/lib${library}_stub.so" "")
  if(ANYCUDA_STATIC)
    string(REPLACE ".so" ".a" archive "${file}")
    install(TARGETS static_${library}_${major} EXPORT anycudaStaticTargets
            ARCHIVE DESTINATION "${own}/static" COMPONENT dev)
    anycuda_pkgconfig(anycuda-${library}-static "the stub of ${file}, to become part of a program or library"
      "\${libdir}/anycuda/static/${archive}${dl}" "")
  endif()
endforeach()

# The C++ libraries, each a component and an export set.
set(export_compat anycudaCompatTargets)
set(export_linker anycudaLinkerTargets)
set(export_graph anycudaGraphTargets)
foreach(library IN ITEMS compat linker graph)
  install(TARGETS anycuda_${library} EXPORT ${export_${library}} ARCHIVE DESTINATION "${libraries}" COMPONENT ${library}
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${library}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          COMPONENT ${library} FILES_MATCHING PATTERN "*.h")
endforeach()
# What the two that call CUDA link, in pkg-config files.
foreach(library IN ITEMS linker graph)
  get_target_property(links anycuda_${library} LINK_LIBRARIES)
  list(FILTER links INCLUDE REGEX "^anycuda_compat$|_stub$|^native_")
  # pkgconf 1.8 does not quote blanks in a path if two file names follow each other: put an option between them.
  set(then " -L\${libdir} ")
  set(files "\${libdir}/libanycuda_${library}.a")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^native_(.*)" "link_\\1_native" file "${link}")
    get_target_property(name ${file} OUTPUT_NAME)
    if(link MATCHES "^native_(.*)")
      install(TARGETS ${file} EXPORT ${export_${library}} LIBRARY DESTINATION "${own}/link/native" COMPONENT ${library})
      install(TARGETS ${link} EXPORT ${export_${library}})
      string(APPEND files "${then}\${libdir}/anycuda/link/native/${name}")
    elseif(link MATCHES "_stub$")
      string(APPEND files "${then}\${libdir}/${name}")
    else()
      string(APPEND files "${then}\${libdir}/lib${link}.a")
    endif()
  endforeach()
  anycuda_pkgconfig(anycuda-${library} "the C++ library anycuda::${library}"
    "${files} -lstdc++ -pthread${dl}" "-I\${includedir}" ${library})
endforeach()
foreach(component IN ITEMS dev linker graph)
  install(CODE "
    set(FOLDER \"${libraries}/pkgconfig\")
    include(\"${PROJECT_SOURCE_DIR}/packaging/pkgconfig/plain_prefix.cmake\")" COMPONENT ${component})
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/packaging/cmake/built_for.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/anycuda"
        COMPONENT dev)

# The CMake package: the targets of Targets.cmake in files that CMake writes, and what an export cannot express.
set(package "${ANYCUDA_PACKAGE_DIR}")
set(exports anycudaTargets)
if(ANYCUDA_STATIC)
  list(APPEND exports anycudaStaticTargets)
endif()
foreach(export IN LISTS exports)
  get_property(interfaces GLOBAL PROPERTY ANYCUDA_INTERFACES_${export})
  install(TARGETS ${interfaces} EXPORT ${export})
  install(EXPORT ${export} NAMESPACE anycuda:: DESTINATION "${package}" COMPONENT dev)
endforeach()
foreach(library IN ITEMS compat linker graph)
  install(EXPORT ${export_${library}} NAMESPACE anycuda:: DESTINATION "${package}" COMPONENT ${library})
endforeach()
list(JOIN linkable " " ANYCUDA_LINKABLE)
list(JOIN plain " " ANYCUDA_PLAIN)
configure_file("${PROJECT_SOURCE_DIR}/packaging/cmake/anycudaConfig.cmake.in" "${made}/anycudaConfig.cmake" @ONLY)
# A release removes nothing (docs/packaging.md), so a newer one satisfies a request for an older one.
write_basic_package_version_file("${made}/anycudaConfigVersion.cmake" COMPATIBILITY AnyNewerVersion)
install(FILES "${made}/anycudaConfig.cmake" "${made}/anycudaConfigVersion.cmake" DESTINATION "${package}" COMPONENT dev)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/cmake/" DESTINATION "${package}" COMPONENT dev
        FILES_MATCHING PATTERN "anycuda*.cmake" PATTERN "built_for.*" PATTERN "no_major.h")

# The licence, for each component that somebody may pass on. A wheel has it in its first folder (Wheel.cmake), and Debian
# has its own copy. anycuda_bundle installs the one in the CMake package.
if(NOT ANYCUDA_WHEEL)
  foreach(component IN ITEMS runtime dev compat linker graph)
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/licenses/anycuda COMPONENT ${component})
  endforeach()
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${package}" COMPONENT dev)
endif()

# The command: its Python files and their data, and matrix.json, from the build folder.
if(ANYCUDA_COMMAND)
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/packaging/bin/anycuda" DESTINATION bin COMPONENT command)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/python/anycuda" DESTINATION "${share}" COMPONENT command
          FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "__pycache__" EXCLUDE)
  install(FILES "${PROJECT_BINARY_DIR}/share/anycuda/matrix.json" DESTINATION "${share}" COMPONENT command)
  install(TARGETS anycuda_doctor anycuda_doctor_native anycuda_find anycuda_device_code_program LIBRARY DESTINATION "${own}" COMPONENT command
          RUNTIME DESTINATION "${own}" COMPONENT command)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/share/pages/" DESTINATION share COMPONENT command PATTERN made EXCLUDE)
  file(RELATIVE_PATH to_libraries "/${share}" "/${libraries}")
  file(RELATIVE_PATH to_include "/${share}" "/${CMAKE_INSTALL_INCLUDEDIR}")
  anycuda_installation_file("${made}/installation.json" stubs=${to_libraries} dropins=${to_libraries}/anycuda/dropin
    link=${to_libraries}/anycuda/link static=${to_libraries}/anycuda/static tools=${to_libraries}/anycuda
    cmake=${to_libraries}/cmake/anycuda pkgconfig=${to_libraries}/pkgconfig include=${to_include})
  install(FILES "${made}/installation.json" "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${share}" COMPONENT command)
endif()
