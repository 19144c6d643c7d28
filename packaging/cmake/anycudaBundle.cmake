# SPDX-License-Identifier: Apache-2.0

# anycuda_bundle(<target> [DESTINATION <folder>] [STUBS <folder>] [COMPONENT <component>])
#
# Copies the stubs that a program, shared library or module (a Python extension) needs to its folder, and makes it
# search there: in the build folder after each link, and in the installation.
#   DESTINATION  the destination in install(TARGETS); default: CMAKE_INSTALL_BINDIR for a program, else
#                CMAKE_INSTALL_LIBDIR
#   STUBS        the stubs' folder relative to the target, such as ../lib; default: the target's folder
#   COMPONENT    the component of the installation

function(anycuda_bundle target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION;STUBS;COMPONENT" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "anycuda_bundle(${ARGV}): expected [DESTINATION <folder>] [STUBS <folder>] [COMPONENT <name>]")
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "anycuda_bundle: target '${target}' does not exist: call it after add_executable or add_library")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "anycuda_bundle: '${target}' is not a program, shared library or module: bundle the target that "
                        "links it")
  endif()
  if(IS_ABSOLUTE "${arg_STUBS}")
    message(FATAL_ERROR "anycuda_bundle: STUBS ${arg_STUBS} is an absolute path: make it relative to the target's folder")
  endif()
  include(GNUInstallDirs)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/anycudaBundleCopy.cmake")
  if(NOT arg_DESTINATION)
    set(arg_DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    if(type STREQUAL "EXECUTABLE")
      set(arg_DESTINATION "${CMAKE_INSTALL_BINDIR}")
    endif()
  endif()
  set(beside)
  if(arg_STUBS)
    set(beside "/${arg_STUBS}")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH "$ORIGIN${beside}")
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "$ORIGIN${beside}")
  # In the build folder and out of the source tree alike, the stubs lie together: beside one of them.
  if(TARGET cudart_stub)
    set(from "$<TARGET_FILE_DIR:cudart_stub>")
  else()
    set(from "${anycuda_LIBRARY_DIR}")
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DFILE=$<TARGET_FILE:${target}>" "-DFROM=${from}"
            "-DTO=$<TARGET_FILE_DIR:${target}>${beside}" -P "${script}"
    COMMENT "The stubs of ${target}" VERBATIM)
  set(component)
  if(arg_COMPONENT)
    set(component COMPONENT "${arg_COMPONENT}")
  endif()
  install(CODE "
    set(FILE \"$<TARGET_FILE:${target}>\")
    set(FROM \"${from}\")
    set(TO \"${arg_DESTINATION}${beside}\")
    if(NOT IS_ABSOLUTE \"\${TO}\")
      string(PREPEND TO \"\${CMAKE_INSTALL_PREFIX}/\")
    endif()
    set(INSTALLING TRUE)
    include(\"${script}\")" ${component})
endfunction()
